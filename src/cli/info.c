/* hone info, hone check. */
#include "cli/cli.h"
#include "ops/label.h"

#include <string.h>

static const Option INFO_OPTIONS[] = {
	{ "shapes", 0, NULL, "infer shapes first, so that outputs and sizes are as precise as can be" },
	{ "nodes", 0, NULL, "list every node with the types of its results" },
	{ "ops", 0, NULL, "the ops that hone knows, with no model" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	{ "dim", 0, "NAME=N", "size of a symbolic dimension; may be given often" },
	{ "shape", 0, "INPUT=D,D,..", "shape of an input; may be given often" },
	WEIGHT_OPTIONS,
};

static HoneStatus list_ops(Cli *cli)
{
	json_t *list = cli->json ? json_array() : NULL;
	for (int k = OP_UNKNOWN + 1; k < OP_KIND_COUNT; k++) {
		if (k == OP_CORE_END)
			continue;
		const OpDef *d = op_def(cli->ctx, (OpKind)k);
		if (list)
			json_array_append_new(list, json_pack("{s:s s:s s:s s:s s:b s:b}", "name", d->name->s, "operands", d->operands,
					"results", d->results, "attributes", d->attr_text, "infer", d->infer != NULL, "eval", d->eval != NULL));
		else
			printf("%-28s (%s) -> (%s)%s%s\n", d->name->s, d->operands, d->results, *d->attr_text ? "  " : "", d->attr_text);
	}
	if (list)
		print_json(list);
	return HONE_OK;
}

static void module_header(Cli *cli, const Module *m, json_t *j)
{
	static const char *const KEYS[] = { "ir_version", "producer_name", "producer_version", "model_version" };
	if (!j)
		printf("format %s\n", m->format ? m->format->s : "?");
	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++) {
		const Attr *a = module_attr(m, KEYS[i]);
		if (!a)
			continue;
		if (j)
			json_object_set_new(j, KEYS[i], a->kind == ATTR_INT ? json_integer((json_int_t)a->u.i) : json_string(a->u.str->s));
		else if (a->kind == ATTR_INT)
			printf("%s %lld\n", KEYS[i], (long long)a->u.i);
		else
			printf("%s %s\n", KEYS[i], quote(cli->arena, a->u.str->s, a->u.str->len));
	}
	const Attr *sets = module_attr(m, "opset_imports");
	json_t *opsets = j ? json_object() : NULL;
	for (size_t i = 0; sets && sets->kind == ATTR_DICT && i < sets->u.list.n; i++) {
		const char *name = sets->u.list.names[i]->len ? sets->u.list.names[i]->s : "ai.onnx";
		if (j)
			json_object_set_new(opsets, name, json_integer((json_int_t)sets->u.list.v[i]->u.i));
		else
			printf("opset %s %lld\n", name, (long long)sets->u.list.v[i]->u.i);
	}
	if (j)
		json_object_set_new(j, "opsets", opsets);
}

static void print_value(Cli *cli, const char *what, const char *name, const Type *t, json_t *list)
{
	if (list)
		json_array_append_new(list, json_pack("{s:s s:s}", "name", name, "type", type_text(cli->arena, t)));
	else
		printf("%s %s %s\n", what, name, type_text(cli->arena, t));
}

static void interface(Cli *cli, const Module *m, json_t *j)
{
	const Func *f = m->main;
	const Op *ret = f ? block_terminator(f->body) : NULL;
	json_t *in = j ? json_array() : NULL, *out = j ? json_array() : NULL;
	for (uint32_t i = 0; f && i < f->body->nargs; i++)
		print_value(cli, "input", f->body->args[i]->name ? f->body->args[i]->name->s : "", f->body->args[i]->type, in);
	for (size_t i = 0; ret && i < ret->noperands; i++) {
		const Value *v = ret->operands[i].value;
		const Str *name = f->result_names && f->result_names[i] ? f->result_names[i] : v->name;
		print_value(cli, "output", name ? name->s : "", v->type, out);
	}
	if (j) {
		json_object_set_new(j, "inputs", in);
		json_object_set_new(j, "outputs", out);
	}
}

typedef struct Listing {
	Cli *cli;
	int depth;
} Listing;

static bool list_node(void *arg, Op *op)
{
	Listing *l = arg;
	int depth = 0;
	for (const Block *b = op->block; b && b->parent; b = b->parent->block)
		depth++;
	if (op->def->traits & TRAIT_TERMINATOR)
		return true;
	printf("%*s%s %s", 2 * depth, "", op->def->name->s, op->name ? op->name->s : "-");
	for (size_t i = 0; i < op->nresults; i++)
		printf(" %s:%s", op->results[i]->name ? op->results[i]->name->s : "_", type_text(l->cli->arena, op->results[i]->type));
	putchar('\n');
	return true;
}

static HoneStatus run_info(Cli *cli)
{
	ShapeBinding *bind;
	size_t nbind;
	if (args_has(cli, "ops"))
		return list_ops(cli);
	if (!cli->args.positional.len) {
		diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "no model: hone info MODEL");
		return HONE_USAGE;
	}
	if (!shape_options(cli, &bind, &nbind))
		return HONE_USAGE;
	Module *m = load_model(cli, cli->args.positional.data[0]);
	if (!m || (nbind && !shape_bind(m, bind, nbind)))
		return HONE_BAD_INPUT;
	OptimiseReport r = { 0 };
	OptimiseOptions o;
	optimise_options_init(&o);
	o.passes = "none";
	o.verify = false;
	json_t *j = cli->json ? json_object() : NULL;
	module_header(cli, m, j);
	if (args_has(cli, "shapes") || nbind) {
		if (!prepare_to_run(m, cli->arena))
			return HONE_BAD_INPUT;
	}
	interface(cli, m, j);
	ModelFigures f;
	model_figures(m, &f);
	if (j) {
		json_object_set_new(j, "nodes", json_integer((json_int_t)f.nodes));
		json_object_set_new(j, "parameters", json_integer((json_int_t)f.parameters));
		json_object_set_new(j, "weight_bytes", json_integer((json_int_t)f.weight_bytes));
		print_json(j);
		return HONE_OK;
	}
	printf("nodes %lld, parameters %s, weights %s\n", (long long)f.nodes, human_count(cli->arena, (double)f.parameters),
			human_bytes(cli->arena, (double)f.weight_bytes));
	count_kinds(m, cli->arena, &r, false);
	for (size_t i = 0; i < r.kinds.len; i++)
		printf("  %-28s %8lld\n", r.kinds.data[i].name, (long long)r.kinds.data[i].before);
	Listing l = { .cli = cli };
	if (args_has(cli, "nodes"))
		module_walk(m, list_node, &l);
	return HONE_OK;
}

const Verb VERB_INFO = {
	.name = "info", .summary = "what a model holds: interface, opsets, nodes by kind, parameters", .usage = "MODEL",
	.options = INFO_OPTIONS, .noptions = ARRAY_LEN(INFO_OPTIONS), .min_args = 0, .max_args = 1, .run = run_info,
};

/* ---- check ---- */

static const Option CHECK_OPTIONS[] = {
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	WEIGHT_OPTIONS,
};

typedef struct Findings {
	Cli *cli;
	json_t *list;
	int64_t count, unknown_ops, unknown_types;
} Findings;

static void finding(Findings *f, const Op *op, const char *text)
{
	f->count++;
	if (f->list)
		json_array_append_new(f->list, json_pack("{s:s s:s s:s}", "op", op->def->name->s, "node",
				op->name ? op->name->s : "", "finding", text));
	else
		printf("%s %s: %s\n", op_said_name(f->cli->arena, op), op->name ? op->name->s : "-", text);
}

static bool check_op(void *arg, Op *op)
{
	Findings *f = arg;
	if (!op_is_core(op) && !op_is(op, SHLO_batch_norm_training)) {
		f->unknown_ops++;
		bool known = op_kind(op) > OP_CORE_END && op_kind(op) < OWN_StringConcat;
		const char *advice = op_unknown_advice(op);
		const char *fault = op_fault(f->cli->arena, op);
		finding(f, op, known && *fault ? fault
			: known ? arena_printf(f->cli->arena, "its attributes, or the number or types of its inputs, are not what the operator takes%s",
				op_form(f->cli->arena, op))
			: advice ? arena_printf(f->cli->arena, "not known to hone, left as it is; to run it: %s", advice)
			: op_is(op, OP_UNKNOWN) ? "not known to hone: left as it is, cannot be run without a body (a model-local function)"
			: "left as it is: it can be run, but nothing is optimised across it");
	}
	for (size_t i = 0; i < op->nresults; i++)
		f->unknown_types += type_is_tensor(op->results[i]->type) && !type_has_rank(op->results[i]->type);
	return true;
}

static void check_training(Findings *f, Module *m)
{
	Arena *a = f->cli->arena;
	TrainingNorm *norms;
	size_t n = training_norms(m, a, &norms);
	for (size_t i = 0; i < n; i++) {
		const Loc *loc = norms[i].op->loc;
		const char *where = !loc ? "" : loc->what ? arena_printf(a, " at %s", loc->what)
			: loc->line ? arena_printf(a, " at line %u", (unsigned)loc->line) : "";
		finding(f, norms[i].op, arena_printf(a, "%s%s normalises by the statistics of its own batch, as in training: it is not "
			"folded. The model was probably exported without eval(): export it again after eval(), or let "
			"`hone opt --freeze-batch-norm` take its running statistics", training_norm_name(&norms[i], a), where));
	}
}

/* What optimising passes over, since nothing may depend on it, makes a model invalid here. */
static bool types_agree(Cli *cli, Module *m)
{
	InferCtx x;
	bool ok = true;
	infer_init(&x, m, cli->arena, &cli->ctx->diags);
	x.strict = true;
	for (Func *f = m->funcs; f; f = f->next)
		ok = infer_block(&x, f->body) && ok;
	return ok;
}

static HoneStatus run_check(Cli *cli)
{
	Module *m = load_model(cli, cli->args.positional.data[0]);
	if (!m || !module_verify(m, &cli->ctx->diags) || !prepare_to_run(m, cli->arena) || !types_agree(cli, m))
		return HONE_BAD_INPUT;
	Findings f = { .cli = cli, .list = cli->json ? json_array() : NULL };
	check_training(&f, m);
	module_walk(m, check_op, &f);
	if (f.list) {
		print_json(json_pack("{s:i s:o s:I}", "schema", 1, "findings", f.list, "values_of_unknown_rank",
				(json_int_t)f.unknown_types));
	} else if (!cli->quiet) {
		if (f.unknown_types)
			printf("%lld values of unknown rank\n", (long long)f.unknown_types);
		printf(f.count ? "%lld findings\n" : "valid, nothing to report\n", (long long)f.count);
	}
	return HONE_OK;
}

const Verb VERB_CHECK = {
	.name = "check", .summary = "is the model valid, and what in it stands in the way of inference", .usage = "MODEL",
	.options = CHECK_OPTIONS, .noptions = ARRAY_LEN(CHECK_OPTIONS), .min_args = 1, .max_args = 1, .run = run_check,
};
