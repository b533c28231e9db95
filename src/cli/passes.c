/* hone passes, hone explain. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char *class_name(ValueClass c)
{
	static const char *const NAMES[] = { "exact", "rounding", "domain", "statistical" };
	return NAMES[c];
}

static const Option PASSES_OPTIONS[] = {
	{ "rules", 0, NULL, "every rewrite rule with its picture" },
};

static void list_rules(json_t *list)
{
	for (size_t s = 0; s < rule_set_count(); s++) {
		const RuleSet *set = rule_set_at(s);
		if (!list)
			printf("%s\n", set->topic);
		for (size_t i = 0; i < set->n; i++) {
			const Rule *r = &set->rules[i];
			if (list)
				json_array_append_new(list, json_pack("{s:s s:s s:s s:s s:s s:i}", "topic", set->topic, "name", r->name,
						"before", r->before ? r->before : "", "after", r->after ? r->after : "", "class",
						class_name(r->class), "level", r->level));
			else
				printf("  %-32s O%d %-9s %s -> %s\n", r->name, r->level, class_name(r->class), r->before ? r->before : "",
						r->after ? r->after : "");
		}
	}
}

static HoneStatus run_passes(Cli *cli)
{
	size_t np, nl;
	const Pass *p = pass_table(&np);
	const Pipeline *l = pipeline_table(&nl);
	if (args_has(cli, "rules")) {
		json_t *list = cli->json ? json_array() : NULL;
		list_rules(list);
		if (list)
			print_json(list);
		return HONE_OK;
	}
	if (cli->json) {
		json_t *passes = json_array(), *lines = json_array();
		for (size_t i = 0; i < np; i++)
			json_array_append_new(passes, json_pack("{s:s s:s s:s}", "name", p[i].name, "help", p[i].help, "class",
					class_name(p[i].class)));
		for (size_t i = 0; i < nl; i++)
			json_array_append_new(lines, json_pack("{s:s s:s s:s}", "name", l[i].name, "text", l[i].text, "help", l[i].help));
		print_json(json_pack("{s:i s:o s:o}", "schema", 1, "passes", passes, "pipelines", lines));
		return HONE_OK;
	}
	puts("passes");
	for (size_t i = 0; i < np; i++)
		printf("  %-14s %-9s %s\n", p[i].name, class_name(p[i].class), p[i].help);
	puts("pipelines (between inline,freeze,legalise and materialise,raise)");
	for (size_t i = 0; i < nl; i++)
		printf("  %-14s %s\n  %-14s %s\n", l[i].name, l[i].text, "", l[i].help);
	return HONE_OK;
}

const Verb VERB_PASSES = {
	.name = "passes", .summary = "passes, pipelines and rewrite rules", .usage = "[--rules]",
	.options = PASSES_OPTIONS, .noptions = ARRAY_LEN(PASSES_OPTIONS), .min_args = 0, .max_args = 0, .run = run_passes,
};

/* ---- explain ---- */

static const Option EXPLAIN_OPTIONS[] = {
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	OPTIMISE_OPTIONS,
};

/* A node by its name, by the name of a value it gives, or by kind ("BatchNormalization", "batch_norm"). */
static bool wanted(void *arg, const Op *op)
{
	const char *what = arg;
	const char *dot = strchr(op->def->name->s, '.');
	if ((op->name && !strcmp(op->name->s, what)) || (dot && !strcmp(dot + 1, what)) || !strcmp(op->def->name->s, what))
		return true;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->name && !strcmp(op->results[i]->name->s, what))
			return true;
	return false;
}

/* "BatchNormalization" becomes the core op that legalise turns it into, found by legalising names once. */
static const char *core_kind(Cli *cli, Module *m, const char *what)
{
	Str *name = str(cli->ctx, what);
	const OpDef *d = op_def_onnx(cli->ctx, NULL, name);
	if (d->kind == OP_UNKNOWN)
		return what;
	Module *copy = module_clone(m, NULL);
	const char *found = what;
	for (Func *f = copy->funcs; f; f = f->next) {
		FOR_EACH_OP(op, f->body) {
			if (op->def != d || !op->nresults)
				continue;
			const Op *user = NULL;
			Op *before = op->prev;
			if (!legalise_onnx_op(op, onnx_opset(copy, cli->ctx->empty), &cli->ctx->diags))
				continue;
			for (user = before ? before->next : f->body->first; user && op_is(user, OP_constant); user = user->next)
				;
			if (user)
				found = arena_strdup(cli->arena, user->def->name->s);
			module_free(copy);
			return found;
		}
	}
	module_free(copy);
	return found;
}

static HoneStatus run_explain(Cli *cli)
{
	const char *what = cli->args.positional.data[1];
	OptimiseOptions o;
	OptimiseReport r;
	if (!optimise_options(cli, &o))
		return HONE_USAGE;
	Module *m = load_model(cli, cli->args.positional.data[0]);
	if (!m)
		return HONE_BAD_INPUT;
	Explain x = { .arena = cli->arena, .wants = wanted, .arg = (void *)core_kind(cli, m, what) };
	o.explain = &x;
	o.verify = false;
	if (!optimise(m, &o, cli->arena, &r))
		return HONE_BAD_INPUT;
	json_t *list = cli->json ? json_array() : NULL;
	for (size_t i = 0; i < x.rows.len; i++) {
		const ExplainRow *row = &x.rows.data[i];
		const char *why = row->fired ? "rewritten" : row->reason;
		if (list)
			json_array_append_new(list, json_pack("{s:s s:s s:b s:s}", "node", row->op_name, "rule", row->rule, "fired",
					row->fired, "why", why));
		else
			printf("%s: %s: %s\n", *row->op_name ? row->op_name : "(unnamed)", row->rule, why);
	}
	if (list) {
		print_json(list);
	} else if (!x.rows.len) {
		printf("no rule looks at %s%s\n", what, strcmp(what, x.arg) ? arena_printf(cli->arena, " (%s)", (char *)x.arg) : "");
	}
	return HONE_OK;
}

const Verb VERB_EXPLAIN = {
	.name = "explain", .summary = "why a node was, or was not, rewritten", .usage = "MODEL NODE-OR-KIND",
	.help = "NODE-OR-KIND is the name of a node or of a value it gives, or an op kind such as BatchNormalization.\n"
		"Each line names a rule and the first condition that failed.",
	.options = EXPLAIN_OPTIONS, .noptions = ARRAY_LEN(EXPLAIN_OPTIONS), .min_args = 2, .max_args = 2, .run = run_explain,
};
