/* hone compile: a model optimised, planned and written with packed weights, ready to be mapped and run. */
#include "cli/cli.h"
#include "ops/label.h"
#include "shape/shape.h"

#include <stdlib.h>
#include <string.h>

static const Option COMPILE_OPTIONS[] = {
	{ "output", 'o', "FILE", "where to write: .hone, or .c for C sources with a header beside; required" },
	{ "no-verify", 0, NULL, "leave the proof out" },
	{ "explain", 0, NULL, "show the plan: each step, what it computes, arithmetic and memory" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	ENGINE_OPTIONS,
	OPTIMISE_OPTIONS,
};

bool program_options(Cli *cli, ProgramOptions *o)
{
	const char *isa = args_get(cli, "isa");
	*o = (ProgramOptions){ .isa = ISA_COUNT, .enable = eval_enable_dialects };
	if (isa && (!isa_parse(isa, &o->isa) || !isa_available(o->isa)))
		return diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "--isa %s: not one that this machine has", isa);
	return true;
}

/* Whether more inputs are given than there are without a default value: then defaults must stay inputs. */
static bool gives_defaults(const Cli *cli, const Module *m)
{
	size_t given = 0, from = 0, needed = 0;
	while (args_next(cli, "input", &from))
		given++;
	for (uint32_t i = 0; i < m->main->body->nargs; i++)
		needed += !m->main->arg_default || !m->main->arg_default[i];
	return given > needed;
}

Module *load_optimised(Cli *cli, const char *path, bool prove, OptimiseReport *r)
{
	OptimiseOptions o;
	ShapeBinding *bind;
	optimise_options_init(&o);
	if (!shape_options(cli, &bind, &o.nbind))
		return NULL;
	Module *m = load_model(cli, path);
	if (!m || !module_needs_main(m))
		return NULL;
	if (m->compiled) {
		memset(r, 0, sizeof(*r));
		return !o.nbind || shape_bind(m, bind, o.nbind) ? m : NULL;
	}
	if (args_has(cli, "level") && !optimise_options(cli, &o))
		return NULL;
	o.bind = bind;
	o.verify = prove;
	o.rewrite.planned = true;
	o.open_batch = args_has(cli, "batch");
	o.freeze_inputs = !gives_defaults(cli, m);
	return optimise(m, &o, cli->arena, r) ? m : NULL;
}

bool first_run(Cli *cli, EvalCtx *e, const Func *f, Exec *x, Tensor *const *given, uint64_t seed, ExecArray *in,
	ExecArray *out)
{
	static const int64_t SIZES[] = { 1, 2, 8, 32, 64, 224 };
	uint32_t nargs = f->body->nargs, nout = block_terminator(f->body)->noperands;
	Tensor **made = NEW_ARRAY(cli->arena, Tensor *, nargs + 1u);
	bool open = false;
	for (uint32_t i = 0; i < nargs; i++)
		open |= !given[i] && !type_is_static(f->body->args[i]->type);
	for (size_t s = 0; s < ARRAY_LEN(SIZES); s++) {
		size_t before = cli->ctx->diags.list.len;
		if (!make_inputs(e, f, seed, 0, SIZES[s], given, made))
			return false;
		for (uint32_t i = 0; i < nargs; i++)
			exec_array(made[i], &in[i]);
		memset(out, 0, nout * sizeof(*out));
		if (exec_run(x, in, nargs, out, nout))
			return true;
		diags_copy_errors(&cli->ctx->diags, exec_diags(x));
		if (!open || s + 1 == ARRAY_LEN(SIZES))
			return false;
		cli->ctx->diags.list.len = before;
		cli->ctx->diags.status = HONE_OK;
	}
	return false;
}

void print_plan(Cli *cli, const Exec *x, bool runs)
{
	PlanStepInfo *steps;
	size_t n = exec_steps(x, cli->arena, &steps);
	double total = 0, evaluator = 0, flops = 0;
	for (size_t i = 0; i < n; i++) {
		total += steps[i].seconds;
		flops += steps[i].flops;
	}
	if (runs)
		printf("%10s %6s %8s %8s  ", "us", "%", "GFLOP/s", "GB/s");
	printf("%10s %9s  %-14s %s\n", "MFLOP", "kB", "kernel", "what");
	for (size_t i = 0; i < n; i++) {
		double s = runs ? steps[i].seconds : 0;
		if (runs)
			printf("%10.2f %6.2f %8.1f %8.1f  ", s * 1e6, total > 0 ? 100 * steps[i].seconds / total : 0,
				s > 0 ? steps[i].flops / s * 1e-9 : 0, s > 0 ? steps[i].bytes / s * 1e-9 : 0);
		printf("%10.3f %9.1f  %-14s %s%s\n", steps[i].flops * 1e-6, steps[i].bytes * 1e-3, steps[i].kernel,
			steps[i].text ? steps[i].text : "", steps[i].parallel ? "" : "  [one thread]");
		if (!strcmp(steps[i].kernel, "evaluator"))
			evaluator += runs ? steps[i].seconds : 1;
	}
	if (runs)
		printf("%zu steps, %.3f GFLOP; %.1f %% of the time in ops without a kernel, %.1f us in all\n", n, flops * 1e-9,
			total > 0 ? 100 * evaluator / total : 0, total * 1e6);
	else
		printf("%zu steps, %.3f GFLOP; %.0f ops without a kernel\n", n, flops * 1e-9, evaluator);
	printf("memory of a run: %s\n", human_bytes(cli->arena, (double)exec_memory(x)));
}

/* Events of the trace viewers of browsers: one a step of thread 0, laid end to end. */
bool write_trace(Cli *cli, const Exec *x, const char *path)
{
	PlanStepInfo *steps;
	size_t n = exec_steps(x, cli->arena, &steps);
	double at = 0;
	json_t *events = json_array();
	for (size_t i = 0; i < n; i++) {
		double us = steps[i].seconds * 1e6;
		json_array_append_new(events, json_pack("{s:s s:s s:s s:f s:f s:i s:i s:{s:s s:I s:f s:f s:b}}", "name", steps[i].kernel,
			"cat", "step", "ph", "X", "ts", at, "dur", us, "pid", 1, "tid", 0, "args", "what", steps[i].text ? steps[i].text : "",
			"step", (json_int_t)i, "flops", steps[i].flops, "bytes", steps[i].bytes, "parallel", steps[i].parallel));
		at += us;
	}
	json_t *whole = json_pack("{s:s s:o}", "displayTimeUnit", "ns", "traceEvents", events);
	char *text = json_dumps(whole, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	json_decref(whole);
	OutFile *o = text ? out_open(path, &cli->ctx->diags) : NULL;
	bool ok = o && out_write(o, text, strlen(text)) && out_write(o, "\n", 1);
	free(text);
	return o && out_commit(o, &cli->ctx->diags) && ok;
}

static bool is_c_source(const char *path)
{
	size_t n = strlen(path);
	return n > 2 && !strcmp(path + n - 2, ".c");
}

/* The file's name as a function's. */
static char *c_name(Cli *cli, const char *path)
{
	const char *slash = strrchr(path, '/'), *s = slash ? slash + 1 : path;
	char *name = arena_printf(cli->arena, "%s%.*s", *s >= '0' && *s <= '9' ? "model_" : "", (int)(strlen(s) - 2), s);
	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *p))
			*p = '_';
	return name;
}

static bool static_inputs(const Func *f)
{
	bool all = true;
	for (uint32_t i = 0; i < f->body->nargs; i++)
		all &= type_is_static(f->body->args[i]->type);
	return all;
}

/* Whether an op is wrong by the types of its operands alone, whatever the data. */
static bool certainly_invalid(Cli *cli, Module *m)
{
	InferCtx x;
	Diags quiet;
	diags_init(&quiet, cli->arena);
	infer_init(&x, m, cli->arena, &quiet);
	x.strict = true;
	return !shape_infer(&x, m);
}

/* The first run, which failed, may have had data that the model is not made for: sizes and bounds that do not go together.
 * What it did not reach is then planned and packed when it is run. Sources of given sizes need no run at all. */
static bool runs_with_other_data(Cli *cli, Module *m, const char *out, size_t before)
{
	Diags *d = &cli->ctx->diags;
	bool source = is_c_source(out), sized = static_inputs(m->main);
	if (source && !sized)
		diag_note(d, NULL, "C sources are made for fixed sizes, which were taken from this run: bind open ones by --dim or --shape");
	if (source ? !sized : d->status != HONE_BAD_INPUT || certainly_invalid(cli, m))
		return false;
	const Diag *why = NULL;
	for (size_t i = before; i < d->list.len && !why; i++)
		why = d->list.data[i].severity == SEV_ERROR ? &d->list.data[i] : NULL;
	Diag first = why ? *why : (Diag){ 0 };
	d->list.len = before;
	d->status = HONE_OK;
	if (!source && why) {
		diag_warn(d, &first.loc, "not run while compiling, seeded inputs do not suit it: %s", first.message);
		diag_hint(d, "the file is whole; weights that are used from here on are packed when it is loaded and run");
	}
	return true;
}

static bool compile_and_write(Cli *cli, Module *m, const char *out)
{
	ProgramOptions po;
	EvalCtx e;
	if (!program_options(cli, &po))
		return false;
	uint32_t nargs = m->main->body->nargs, nout = block_terminator(m->main->body)->noperands;
	Program *p = program_new(m, &po);
	Exec *x = exec_new(p, is_c_source(out) ? 1 : 0);
	ExecArray *in = NEW_ARRAY(cli->arena, ExecArray, nargs + 1u), *got = NEW_ARRAY(cli->arena, ExecArray, nout + 1u);
	Tensor **given = NEW_ARRAY(cli->arena, Tensor *, nargs + 1u);
	eval_init(&e, cli->ctx, &cli->ctx->diags);
	/* One run makes the plan, and shows that there is one. */
	size_t before = cli->ctx->diags.list.len;
	bool ok = first_run(cli, &e, m->main, x, given, 0, in, got) || runs_with_other_data(cli, m, out, before);
	if (ok && is_c_source(out)) {
		ok = program_write_c(p, in, nargs, out, c_name(cli, out), &cli->ctx->diags);
	} else if (ok) {
		program_keep_packed(p);
		ok = compiled_write(m, out, &(WriteOptions){ 0 });
	}
	eval_release(&e);
	if (ok && args_has(cli, "explain"))
		print_plan(cli, x, false);
	if (ok && !cli->quiet && !cli->json)
		printf("%s: %s, packed weights %s, memory of a run %s\n", out, human_bytes(cli->arena, (double)file_size(out)),
			human_bytes(cli->arena, (double)program_weight_bytes(p)), human_bytes(cli->arena, (double)exec_memory(x)));
	if (ok && cli->json)
		print_json(json_pack("{s:i s:s s:I s:I s:I}", "schema", 1, "output", out, "bytes", (json_int_t)file_size(out),
			"packed_bytes", (json_int_t)program_weight_bytes(p), "run_bytes", (json_int_t)exec_memory(x)));
	exec_free(x);
	/* The module's attributes point into the program; the context frees both at the end. */
	module_free(m);
	program_free(p);
	return ok;
}

static HoneStatus run_compile(Cli *cli)
{
	const char *out = args_get(cli, "output");
	OptimiseReport r;
	if (!out)
		return diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "-o FILE says where to write the compiled model"), HONE_USAGE;
	Module *m = load_optimised(cli, cli->args.positional.data[0], !args_has(cli, "no-verify"), &r);
	if (!m)
		return HONE_BAD_INPUT;
	return compile_and_write(cli, m, out) ? HONE_OK : HONE_BAD_INPUT;
}

const Verb VERB_COMPILE = {
	.name = "compile", .summary = "make a file that runs at once", .usage = "MODEL -o OUT.hone|OUT.c",
	.help = "The model is optimised and proved, weights are packed for the kernels of this machine's instruction set. The\n"
		"result runs on other machines too; there, weights are packed at load. Sizes that are open stay open.\n"
		"C sources (one function, static memory, the mathematical library alone) are made for fixed sizes: bind open ones\n"
		"by --dim or --shape. Sizes that data tells are held up to the largest that there can be; x_size(i, d) tells them.\n"
		"Weights of more than 8 MB go to a .bin file beside them.",
	.options = COMPILE_OPTIONS, .noptions = ARRAY_LEN(COMPILE_OPTIONS), .min_args = 1, .max_args = 1, .run = run_compile,
};
