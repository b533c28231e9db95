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
	WEIGHT_OPTIONS,
};

/* What the user asks about: names of nodes and values. A kind stands for all nodes of that kind, by their names, since
 * legalise may turn one node into several ops. */
typedef struct Question {
	const char *text;
	Map names;          /* Str -> itself */
	VEC(const char *) kinds; /* of the model, for a hint */
	Arena *arena;
	bool known;
} Question;

static void ask_about(Question *q, const Op *op)
{
	q->known = true;
	if (op->name)
		map_put(&q->names, MAP_PTR(op->name), (void *)op->name);
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->name)
			map_put(&q->names, MAP_PTR(op->results[i]->name), (void *)op->results[i]->name);
}

static bool named(const Op *op, const char *text)
{
	const char *dot = strchr(op->def->name->s, '.');
	if ((op->name && !strcmp(op->name->s, text)) || (dot && !strcmp(dot + 1, text)) || !strcmp(op->def->name->s, text))
		return true;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->name && !strcmp(op->results[i]->name->s, text))
			return true;
	return false;
}

static bool collect_asked(void *arg, Op *op)
{
	Question *q = arg;
	const char *dot = strchr(op->def->name->s, '.');
	if (named(op, q->text))
		ask_about(q, op);
	bool seen = false;
	for (size_t i = 0; i < q->kinds.len; i++)
		seen |= dot && !strcmp(q->kinds.data[i], dot + 1);
	if (!seen && dot)
		VEC_PUSH(q->arena, &q->kinds, dot + 1);
	return true;
}

static bool asked(void *arg, const Op *op)
{
	const Question *q = arg;
	if ((op->name && map_has(&q->names, MAP_PTR(op->name))) || named(op, q->text))
		return true;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->name && map_has(&q->names, MAP_PTR(op->results[i]->name)))
			return true;
	return false;
}

static bool core_kind_exists(Context *c, const char *text)
{
	for (int k = OP_UNKNOWN + 1; k < OP_CORE_END; k++) {
		const char *name = op_def(c, (OpKind)k)->name->s;
		if (!strcmp(name, text) || !strcmp(strchr(name, '.') + 1, text))
			return true;
	}
	return false;
}

static bool understand(Cli *cli, Module *m, Question *q)
{
	map_init(&q->names, cli->arena);
	q->arena = cli->arena;
	module_walk(m, collect_asked, q);
	if (q->known || core_kind_exists(cli->ctx, q->text))
		return true;
	const char *near = nearest_name(q->text, q->kinds.data, q->kinds.len);
	diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "the model has no node, value or kind of node named %s",
			quote(cli->arena, q->text, strlen(q->text)));
	if (near)
		diag_hint(&cli->ctx->diags, "did you mean %s?", near);
	return false;
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
	Question q = { .text = what };
	if (!understand(cli, m, &q))
		return HONE_USAGE;
	Explain x = { .arena = cli->arena, .wants = asked, .arg = &q };
	o.explain = &x;
	o.verify = false;
	if (!optimise(m, &o, cli->arena, &r))
		return HONE_BAD_INPUT;
	json_t *list = cli->json ? json_array() : NULL;
	for (size_t i = 0; i < x.rows.len; i++) {
		const ExplainRow *row = &x.rows.data[i];
		/* What took over the name of a value of the node is not the node. */
		if (q.known && *row->op_name && !map_has(&q.names, MAP_PTR(str(cli->ctx, row->op_name))))
			continue;
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
		printf("no rule looks at %s\n", what);
	}
	return HONE_OK;
}

const Verb VERB_EXPLAIN = {
	.name = "explain", .summary = "why a node was, or was not, rewritten", .usage = "MODEL NODE-OR-KIND",
	.help = "NODE-OR-KIND is the name of a node or of a value it gives, or an op kind such as BatchNormalization.\n"
		"Each line names a rule and the first condition that failed.",
	.options = EXPLAIN_OPTIONS, .noptions = ARRAY_LEN(EXPLAIN_OPTIONS), .min_args = 2, .max_args = 2, .run = run_explain,
};
