/* hone verify: two models, one model against stored data, or a suite of stored cases. */
#include "cli/cli.h"

#include <string.h>

static const Option VERIFY_OPTIONS[] = {
	{ "data", 0, "DIR", "compare with the inputs and outputs stored there (test_data_set_N, .pb or .npy)" },
	{ "suite", 0, NULL, "the argument is a directory of cases; run each" },
	{ "opt", 0, NULL, "with --suite or --data: optimise, write and read the model back first" },
	{ "engine", 0, "NAME", "with --suite: evaluator (default); plan: optimised and compiled; reference: compiled, no kernels" },
	{ "isa", 0, "NAME", "with --engine plan: instruction set of the kernels (v2, v3, v4; default: the best)" },
	{ "run-threads", 0, "N", "with --engine plan: threads of one run (default 1)" },
	{ "convert", 0, NULL, "with --suite: convert to the newest ONNX opset and back first, written and read both times" },
	{ "structure", 0, NULL, "compare what the models say, not what they compute; of one model or a suite: does it survive writing" },
	{ "filter", 0, "TEXT", "with --suite: only cases whose name holds TEXT" },
	{ "exceptions", 0, "FILE", "with --suite: lines of a case name, atol=X or rtol=X or nothing (leave it out), a reason" },
	{ "bytecode", 0, NULL, "with --suite: MLIR modules are written as bytecode and read back first" },
	{ "refine", 0, NULL, "with --suite: MLIR modules of dynamic sizes must agree with themselves after sizes are bound" },
	{ "input", 'i', "[NAME=]FILE", "data of an input (.npy, .npz, .pb); others are seeded" },
	{ "rounds", 0, "N", "sets of seeded inputs (default 3)" },
	{ "rtol", 0, "X", "relative tolerance granted in any case (default 0; with stored data 1e-3)" },
	{ "atol", 0, "X", "absolute tolerance granted in any case (default 0; with stored data 1e-7)" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	OPTIMISE_OPTIONS,
	WEIGHT_OPTIONS,
};

/* False: reported. NULL in *out: the evaluator. */
static bool engine_options(Cli *cli, EngineOptions *e, const EngineOptions **out)
{
	const char *name = args_get(cli, "engine"), *isa = args_get(cli, "isa");
	int64_t threads = 1;
	*out = NULL;
	*e = (EngineOptions){ .isa = ISA_COUNT };
	if (!args_int(cli, "run-threads", 1, 1024, &threads))
		return false;
	if (isa && (!isa_parse(isa, &e->isa) || !isa_available(e->isa)))
		return diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "--isa %s: not one that this machine has", isa);
	e->threads = (int)threads;
	if (!name || !strcmp(name, "evaluator"))
		return true;
	if (strcmp(name, "plan") != 0 && strcmp(name, "reference") != 0)
		return diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "--engine %s: evaluator, plan or reference is expected", name);
	e->reference = *name == 'r';
	*out = e;
	return true;
}

static HoneStatus run_suite(Cli *cli, const char *dir, const CompareRule *rule)
{
	SuiteOptions o = { .rule = *rule, .prepare = args_has(cli, "opt") ? suite_prepare_optimised :
		args_has(cli, "convert") ? suite_prepare_converted : suite_prepare,
		.filter = args_get(cli, "filter"), .structure = args_has(cli, "structure"), .exceptions = args_get(cli, "exceptions") };
	SuiteReport r;
	EngineOptions engine;
	int64_t threads = 0;
	if (!args_int(cli, "threads", 0, 1024, &threads) || !engine_options(cli, &engine, &o.engine))
		return HONE_USAGE;
	o.refine = args_has(cli, "refine");
	o.plain = suite_prepare;
	if (args_has(cli, "bytecode"))
		o.prepare = suite_prepare_bytecode;
	o.threads = (int)threads;
	if (o.engine)
		o.prepare = suite_prepare_compiled;
	if (!suite_run(dir, &o, cli->arena, &cli->ctx->diags, &r))
		return HONE_IO;
	json_t *list = cli->json ? json_array() : NULL;
	for (size_t i = 0; i < r.cases.len; i++) {
		static const char *const WORDS[] = { "PASS", "FAIL", "SKIP" };
		const CaseResult *c = &r.cases.data[i];
		if (list)
			json_array_append_new(list, json_pack("{s:s s:s s:s s:f}", "case", c->name, "verdict", WORDS[c->verdict], "why",
					c->why ? c->why : "", "seconds", c->seconds));
		else if (c->verdict != CASE_PASSED)
			printf("%s %s: %s\n", WORDS[c->verdict], c->name, c->why ? c->why : "");
	}
	if (list)
		print_json(json_pack("{s:i s:o s:I s:I s:I}", "schema", 1, "cases", list, "passed", (json_int_t)r.passed, "failed",
				(json_int_t)r.failed, "skipped", (json_int_t)r.skipped));
	else
		printf("%lld passed, %lld failed, %lld skipped\n", (long long)r.passed, (long long)r.failed, (long long)r.skipped);
	return r.failed ? HONE_NO : HONE_OK;
}

static HoneStatus run_data(Cli *cli, const char *dir, const CompareRule *rule)
{
	int sets = 0;
	char *why = NULL;
	Module *m = load_model(cli, cli->args.positional.data[0]);
	if (!m)
		return HONE_BAD_INPUT;
	if (args_has(cli, "opt")) {
		OptimiseOptions o;
		OptimiseReport r;
		if (!optimise_options(cli, &o))
			return HONE_USAGE;
		if (!optimise(m, &o, cli->arena, &r))
			return HONE_BAD_INPUT;
	} else if (!prepare_to_run(m, cli->arena)) {
		return HONE_BAD_INPUT;
	}
	bool same = verify_data(m, dir, rule, cli->arena, &sets, &why);
	if (!same && !why)
		return HONE_BAD_INPUT;
	if (cli->json)
		print_json(json_pack("{s:i s:b s:i s:s}", "schema", 1, "equal", same, "data_sets", sets, "why", why ? why : ""));
	else if (same)
		printf("equal on %d data set%s\n", sets, sets == 1 ? "" : "s");
	else
		printf("different on data set %d: %s\n", sets, why);
	return same ? HONE_OK : HONE_NO;
}

static void print_outputs(Cli *cli, const VerifyReport *r)
{
	for (size_t i = 0; i < r->outputs.len; i++) {
		const OutputResult *o = &r->outputs.data[i];
		if (o->compare.equal)
			continue;
		printf("output %s, input set %d: %s (rounding noise of the original: %.3g)\n", o->name, o->round, o->compare.why,
				o->noise);
	}
	if (r->equal)
		printf("equal: %zu outputs over %d input sets\n", r->rounds ? r->outputs.len / (size_t)r->rounds : 0, r->rounds);
	else
		printf("different: %lld outputs; reproduce with %s\n", (long long)r->bad_outputs, r->reproduce);
	(void)cli;
}

static json_t *outputs_json(const VerifyReport *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->outputs.len; i++) {
		const OutputResult *o = &r->outputs.data[i];
		json_array_append_new(list, json_pack("{s:s s:i s:b s:I s:I s:f s:f s:s}", "output", o->name, "input_set", o->round,
				"equal", o->compare.equal, "elements", (json_int_t)o->compare.count, "bad", (json_int_t)o->compare.bad,
				"noise", o->noise, "max_abs", o->compare.max_abs < 1e300 ? o->compare.max_abs : 1e300, "why", o->compare.why));
	}
	return json_pack("{s:i s:b s:o}", "schema", 1, "equal", r->equal, "outputs", list);
}

/* The second model is given, or is the first one after optimisation. */
static Module *second_model(Cli *cli)
{
	if (cli->args.positional.len > 1) {
		Module *m = load_model(cli, cli->args.positional.data[1]);
		return m && prepare_to_run(m, cli->arena) ? m : NULL;
	}
	OptimiseOptions o;
	OptimiseReport r;
	Module *m = optimise_options(cli, &o) ? load_model(cli, cli->args.positional.data[0]) : NULL;
	return m && optimise(m, &o, cli->arena, &r) ? m : NULL;
}

static HoneStatus run_pair(Cli *cli, const CompareRule *rule)
{
	VerifyOptions o = { .rule = *rule };
	VerifyReport r;
	ShapeBinding *bind;
	NamedTensor *inputs;
	size_t nbind;
	int64_t rounds = 3, seed = 0, threads = 0;
	EvalCtx e;
	if (!args_int(cli, "rounds", 1, 1000, &rounds) || !args_int(cli, "seed", 0, INT64_MAX, &seed) ||
			!args_int(cli, "threads", 0, 1024, &threads) || !shape_options(cli, &bind, &nbind))
		return HONE_USAGE;
	eval_init(&e, cli->ctx, &cli->ctx->diags);
	cli->several_models = cli->args.positional.len > 1;
	Module *a = load_model(cli, cli->args.positional.data[0]);
	Module *b = a && prepare_to_run(a, cli->arena) ? second_model(cli) : NULL;
	if (!b || !input_tensors(cli, &e, &inputs, &o.ninputs))
		return HONE_BAD_INPUT;
	if (nbind && (!shape_bind(a, bind, nbind) || !shape_bind(b, bind, nbind)))
		return HONE_USAGE;
	o.inputs = inputs;
	o.rounds = (int)rounds;
	o.seed = (uint64_t)seed;
	o.threads = (int)threads;
	bool ran = verify_models(a, b, &o, cli->arena, &r);
	eval_release(&e);
	if (!ran)
		return HONE_BAD_INPUT;
	if (cli->json)
		print_json(outputs_json(&r));
	else
		print_outputs(cli, &r);
	return r.equal ? HONE_OK : HONE_NO;
}

/* Two models, or one that is written in the forms of MLIR and read again. */
static HoneStatus run_structure(Cli *cli)
{
	const char *why = NULL;
	Module *a = load_model(cli, cli->args.positional.data[0]), *b = NULL;
	if (a && cli->args.positional.len > 1 && !(b = load_model(cli, cli->args.positional.data[1])))
		a = NULL;
	if (!a)
		return HONE_BAD_INPUT;
	bool same = b ? modules_alike(a, b, cli->arena, &why) : module_survives(a, cli->arena);
	if (cli->json)
		print_json(json_pack("{s:i s:b s:s}", "schema", 1, "equal", same, "why", why ? why : ""));
	else if (same)
		printf("%s\n", b ? "the same" : "the same after writing and reading");
	else if (b)
		printf("different: %s\n", why);
	return same ? HONE_OK : HONE_NO;
}

static HoneStatus run_verify(Cli *cli)
{
	const char *data = args_get(cli, "data");
	bool stored = data || args_has(cli, "suite");
	/* Two units in the last place of the largest element are what approximations of sigmoid or exp are allowed elsewhere. */
	CompareRule rule = { .rtol = stored ? 1e-3 : 0, .atol = stored ? 1e-7 : 0, .slice_rtol = stored ? 2.4e-7 : 0 };
	if (!args_double(cli, "rtol", &rule.rtol) || !args_double(cli, "atol", &rule.atol))
		return HONE_USAGE;
	if (args_has(cli, "suite"))
		return run_suite(cli, cli->args.positional.data[0], &rule);
	if (args_has(cli, "structure"))
		return run_structure(cli);
	return data ? run_data(cli, data, &rule) : run_pair(cli, &rule);
}

const Verb VERB_VERIFY = {
	.name = "verify", .summary = "compare two models, a model and its optimised form, or stored results",
	.usage = "MODEL [OTHER] | MODEL --data DIR | --suite DIR",
	.help = "Two models run on the same seeded inputs; they are equal when they differ by no more than a small multiple\n"
		"of the first one's own rounding error against double (in which a float whose bits are read is rounded to its type).\n"
		"Exit 1 when they differ.",
	.options = VERIFY_OPTIONS, .noptions = ARRAY_LEN(VERIFY_OPTIONS), .min_args = 1, .max_args = 2, .run = run_verify,
};
