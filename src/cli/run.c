/* hone run: a model on data, compiled or by the evaluator. */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const Option RUN_OPTIONS[] = {
	{ "input", 'i', "[NAME=]FILE", "data of an input (.npy, .npz, .pb); inputs without are seeded" },
	{ "output-dir", 'o', "DIR", "write every output there as NAME.npy, text as NAME.pb" },
	{ "print", 0, "N", "show up to N elements of each output (default 8)" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	{ "dim", 0, "NAME=N", "size of a symbolic dimension; may be given often" },
	{ "shape", 0, "INPUT=D,D,..", "shape of an input; may be given often" },
	{ "threads", 'j', "N", "processors to use (default: all)" },
	{ "seed", 0, "N", "seed of the inputs that are not given" },
	{ "reference", 0, NULL, "run the model as it is by the evaluator: slow, plain loops" },
	{ "check", 0, NULL, "run both ways and compare; exit 1 when results differ by more than rounding" },
	{ "profile", 0, NULL, "show each step of the plan with its time" },
	{ "trace", 0, "FILE", "write the steps and their times as a Chrome trace (JSON)" },
	ENGINE_OPTIONS,
	WEIGHT_OPTIONS,
};

static bool place_inputs(Cli *cli, const Func *f, const NamedTensor *t, size_t n, Tensor **given)
{
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t k = 0;
		bool named = t[i].name != NULL;
		while (named && k < f->body->nargs && f->body->args[k]->name != t[i].name)
			k++;
		if (named && k == f->body->nargs && i < f->body->nargs)
			k = next; /* a name that a file happens to carry: by position */
		if (!named)
			k = next;
		if (k >= f->body->nargs)
			return diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "input %zu has no place: the model takes %u", i,
					f->body->nargs);
		given[k] = t[i].tensor;
		next = k + 1;
	}
	return true;
}

static void print_complex(const Tensor *t, int64_t i)
{
	bool wide = t->dtype == DT_C128;
	double re = wide ? ((const double *)t->data)[2 * i] : ((const float *)t->data)[2 * i];
	double im = wide ? ((const double *)t->data)[2 * i + 1] : ((const float *)t->data)[2 * i + 1];
	printf(" %.6g%+.6gi", re, im);
}

static void print_elements(const Tensor *t, int64_t limit)
{
	int64_t n = t->count < limit ? t->count : limit;
	for (int64_t i = 0; i < n; i++) {
		if (dtype_class(t->dtype) == DC_STRING)
			printf(" \"%s\"", ((const Str *const *)t->data)[i]->s);
		else if (dtype_class(t->dtype) == DC_COMPLEX)
			print_complex(t, i);
		else if (dtype_is_float(t->dtype))
			printf(" %.6g", tensor_get_f64(t, i));
		else
			printf(" %lld", (long long)tensor_get_i64(t, i));
	}
	if (n < t->count)
		printf(" ... (%lld elements)", (long long)t->count);
}

static void print_tensor(const char *name, const Tensor *t, int64_t limit)
{
	printf("%s ", name);
	if (t->kind != TYPE_TENSOR) {
		printf("%s of %lld\n", t->kind == TYPE_SEQUENCE ? "sequence" : "optional", (long long)t->nitems);
		for (int64_t i = 0; i < t->nitems; i++)
			print_tensor("  item", t->items[i], limit);
		return;
	}
	printf("%s[", dtype_friendly_name(t->dtype));
	for (int i = 0; i < t->rank; i++)
		printf("%s%lld", i ? "," : "", (long long)t->dims[i]);
	printf("]");
	print_elements(t, limit);
	putchar('\n');
}

static json_t *tensor_json(const char *name, const Tensor *t, int64_t limit)
{
	json_t *dims = json_array(), *head = json_array();
	for (int i = 0; i < t->rank; i++)
		json_array_append_new(dims, json_integer((json_int_t)t->dims[i]));
	for (int64_t i = 0; t->kind == TYPE_TENSOR && i < t->count && i < limit; i++) {
		if (dtype_class(t->dtype) == DC_STRING)
			json_array_append_new(head, json_string(((const Str *const *)t->data)[i]->s));
		else if (dtype_is_float(t->dtype))
			json_array_append_new(head, json_real(tensor_get_f64(t, i)));
		else
			json_array_append_new(head, json_integer((json_int_t)tensor_get_i64(t, i)));
	}
	return json_pack("{s:s s:s s:o s:o}", "name", name, "dtype", dtype_friendly_name(t->dtype), "shape", dims, "head", head);
}

/* Output names may hold slashes and worse, and be longer than a file name may: only letters, digits, '.', '_' and '-' survive,
 * and of a long name its end with the number of the output. */
static char *file_name(Arena *a, const char *name, size_t index)
{
	enum { LONGEST = 200 };
	size_t len = strlen(name);
	char *s = len > LONGEST ? arena_printf(a, "output_%zu_%s", index, name + len - LONGEST)
		: len ? arena_strdup(a, name) : arena_printf(a, "output_%zu", index);
	for (char *p = s; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *p) || (p == s && *p == '.'))
			*p = '_';
	return s;
}

static bool write_outputs(Cli *cli, const char *dir, const char *const *names, Tensor *const *out, size_t n)
{
	mkdir(dir, 0777); /* an existing one is fine; a failure shows when the first file is opened */
	for (size_t i = 0; i < n; i++) {
		const char *ending = out[i]->dtype == DT_STR ? "pb" : "npy"; /* .npy has no form for text */
		char *path = path_join(cli->arena, dir, arena_printf(cli->arena, "%s.%s", file_name(cli->arena, names[i], i), ending));
		if (out[i]->kind != TYPE_TENSOR) {
			diag_error(&cli->ctx->diags, HONE_UNSUPPORTED, NULL, "output %s is no tensor but %s: no file can hold it", names[i],
				out[i]->kind == TYPE_SEQUENCE ? "a sequence" : "an optional or a map");
			diag_hint(&cli->ctx->diags, "leave -o out to see it printed, or let the model give its elements as outputs");
			return false;
		}
		if (!tensor_write(out[i], names[i], path, &cli->ctx->diags))
			return false;
	}
	return true;
}

/* Sizes that the user left open: the first that the model accepts. */
static bool run_with_inputs(Cli *cli, EvalCtx *e, const Func *f, Tensor *const *given, uint64_t seed, Tensor **out, size_t n)
{
	static const int64_t SIZES[] = { 1, 2, 8, 32, 64, 224 };
	Tensor **in = NEW_ARRAY(cli->arena, Tensor *, f->body->nargs + 1u);
	for (size_t s = 0; s < ARRAY_LEN(SIZES); s++) {
		size_t before = cli->ctx->diags.list.len;
		if (!make_inputs(e, f, seed, 0, SIZES[s], given, in))
			return false;
		if (eval_func(e, f, in, f->body->nargs, out, n))
			return true;
		bool open = false;
		for (uint32_t i = 0; i < f->body->nargs; i++)
			open |= !given[i] && !type_is_static(f->body->args[i]->type);
		if (!open || s + 1 == ARRAY_LEN(SIZES))
			return false;
		cli->ctx->diags.list.len = before;
		cli->ctx->diags.status = HONE_OK;
	}
	return false;
}

typedef struct RunOptions {
	int64_t limit, threads, seed;
	ShapeBinding *bind;
	size_t nbind;
} RunOptions;

static bool run_options(Cli *cli, RunOptions *o)
{
	*o = (RunOptions){ .limit = 8 };
	return shape_options(cli, &o->bind, &o->nbind) && args_int(cli, "print", 0, INT64_MAX, &o->limit) &&
		args_int(cli, "threads", 0, 1024, &o->threads) && args_int(cli, "seed", 0, INT64_MAX, &o->seed);
}

static bool show_outputs(Cli *cli, const Func *f, Tensor *const *out, const RunOptions *o)
{
	const Op *ret = block_terminator(f->body);
	const char **names = NEW_ARRAY(cli->arena, const char *, ret->noperands + 1u);
	json_t *list = cli->json ? json_array() : NULL;
	for (size_t i = 0; i < ret->noperands; i++) {
		const Str *s = f->result_names ? f->result_names[i] : ret->operands[i].value->name;
		names[i] = s ? s->s : "";
		if (list)
			json_array_append_new(list, tensor_json(names[i], out[i], o->limit));
		else if (!cli->quiet)
			print_tensor(names[i], out[i], o->limit);
	}
	if (list)
		print_json(json_pack("{s:i s:o}", "schema", 1, "outputs", list));
	const char *dir = args_get(cli, "output-dir");
	return !dir || write_outputs(cli, dir, names, out, ret->noperands);
}

/* The model as it is; e holds the results. in: NULL or the inputs of an earlier run. */
static bool run_reference(Cli *cli, EvalCtx *e, const RunOptions *o, Tensor *const *in, Module **m, Tensor ***out)
{
	*m = load_model(cli, cli->args.positional.data[0]);
	if (!*m || (o->nbind && !shape_bind(*m, o->bind, o->nbind)) || (!(*m)->compiled && !prepare_to_run(*m, cli->arena)))
		return false;
	e->threads = (int)o->threads;
	e->seed = (uint64_t)o->seed;
	eval_enable_dialects(e, *m);
	const Func *f = (*m)->main;
	uint32_t nargs = f->body->nargs, nout = block_terminator(f->body)->noperands;
	NamedTensor *inputs;
	size_t nin;
	Tensor **given = NEW_ARRAY(cli->arena, Tensor *, nargs + 1u);
	*out = NEW_ARRAY(cli->arena, Tensor *, nout + 1u);
	if (in)
		return eval_func(e, f, in, nargs, *out, nout);
	return input_tensors(cli, e, &inputs, &nin) && place_inputs(cli, f, inputs, nin, given) &&
		run_with_inputs(cli, e, f, given, (uint64_t)o->seed, *out, nout);
}

static HoneStatus reference(Cli *cli, const RunOptions *o)
{
	EvalCtx e;
	Module *m;
	Tensor **out;
	eval_init(&e, cli->ctx, &cli->ctx->diags);
	HoneStatus s = !run_reference(cli, &e, o, NULL, &m, &out) ? HONE_BAD_INPUT : show_outputs(cli, m->main, out,
		o) ? HONE_OK : HONE_IO;
	eval_release(&e);
	return s;
}

static Tensor *array_tensor(EvalCtx *e, const ExecArray *a)
{
	return a->tensor ? tensor_copy_into(e, a->tensor) : tensor_borrowed(e, a->dtype, a->rank, a->dims, a->data);
}

/* Rounding noise of the model as it is: its distance from the same run in double. */
static double noise_of(Cli *cli, const Module *m, Tensor *const *in, Tensor *const *native, size_t i, size_t n)
{
	EvalCtx exact;
	double noise = 0;
	uint32_t nargs = m->main->body->nargs;
	Tensor **wide = NEW_ARRAY(cli->arena, Tensor *, nargs + 1u), **out = NEW_ARRAY(cli->arena, Tensor *, n + 1);
	eval_init(&exact, cli->ctx, &cli->ctx->diags);
	exact.oracle = true;
	eval_enable_dialects(&exact, (Module *)(uintptr_t)m);
	for (uint32_t k = 0; k < nargs; k++)
		wide[k] = tensor_copy_into(&exact, in[k]);
	if (eval_func(&exact, m->main, wide, nargs, out, n))
		noise = rounding_noise(native[i], out[i]);
	eval_release(&exact);
	return noise;
}

/* The same inputs through the model as it was read; 8 times its own rounding noise is granted. */
static HoneStatus check_outputs(Cli *cli, const RunOptions *o, Tensor *const *in, Tensor *const *got, size_t n)
{
	EvalCtx plain;
	Module *m;
	Tensor **want;
	HoneStatus status = HONE_OK;
	eval_init(&plain, cli->ctx, &cli->ctx->diags);
	if (!run_reference(cli, &plain, o, in, &m, &want))
		status = HONE_BAD_INPUT;
	for (size_t i = 0; i < n && status != HONE_BAD_INPUT; i++) {
		CompareRule rule = { .rtol = 1e-3, .atol = 1e-6, .slice_rtol = 1e-6 };
		CompareResult r;
		if (tensors_compare(got[i], want[i], &rule, &r))
			continue;
		rule.atol += 8 * noise_of(cli, m, in, want, i, n);
		if (tensors_compare(got[i], want[i], &rule, &r))
			continue;
		fprintf(stderr, "output %zu differs: %s\n", i, r.why);
		status = HONE_NO;
	}
	eval_release(&plain);
	return status;
}

static HoneStatus run_program(Cli *cli, Program *p, const Module *m, const RunOptions *o)
{
	EvalCtx e;
	const Func *f = m->main;
	uint32_t nargs = f->body->nargs, nout = block_terminator(f->body)->noperands;
	NamedTensor *inputs;
	size_t nin;
	ExecArray *in = NEW_ARRAY(cli->arena, ExecArray, nargs + 1u), *got = NEW_ARRAY(cli->arena, ExecArray, nout + 1u);
	Tensor **given = NEW_ARRAY(cli->arena, Tensor *, nargs + 1u), **out = NEW_ARRAY(cli->arena, Tensor *, nout + 1u);
	Exec *x = exec_new(p, (int)o->threads);
	HoneStatus s = HONE_OK;
	eval_init(&e, cli->ctx, &cli->ctx->diags);
	exec_profile(x, args_has(cli, "profile") || args_has(cli, "trace"));
	if (!input_tensors(cli, &e, &inputs, &nin) || !place_inputs(cli, f, inputs, nin, given))
		s = HONE_USAGE;
	else if (!first_run(cli, &e, f, x, given, (uint64_t)o->seed, in, got))
		s = HONE_BAD_INPUT;
	for (uint32_t i = 0; i < nout && !s; i++)
		if (!(out[i] = array_tensor(&e, &got[i])))
			s = HONE_LIMIT;
	if (!s && !show_outputs(cli, f, out, o))
		s = HONE_IO;
	if (!s && args_has(cli, "profile"))
		print_plan(cli, x, true);
	if (!s && args_has(cli, "trace") && !write_trace(cli, x, args_get(cli, "trace")))
		s = HONE_IO;
	for (uint32_t i = 0; i < nargs && !s; i++)
		if (!given[i] && !(given[i] = array_tensor(&e, &in[i])))
			s = HONE_LIMIT;
	if (!s && args_has(cli, "check"))
		s = check_outputs(cli, o, given, out, nout);
	eval_release(&e);
	exec_free(x);
	return s;
}

static HoneStatus run_run(Cli *cli)
{
	RunOptions o;
	OptimiseReport r;
	ProgramOptions po;
	if (!run_options(cli, &o) || !program_options(cli, &po))
		return HONE_USAGE;
	if (args_has(cli, "reference"))
		return reference(cli, &o);
	Module *m = load_optimised(cli, cli->args.positional.data[0], false, &r);
	if (!m)
		return HONE_BAD_INPUT;
	po.seed = (uint64_t)o.seed;
	Program *p = program_new(m, &po);
	HoneStatus s = run_program(cli, p, m, &o);
	program_free(p);
	return s;
}

const Verb VERB_RUN = {
	.name = "run", .summary = "run a model on data", .usage = "MODEL [-i FILE]... [-o DIR]",
	.options = RUN_OPTIONS, .noptions = ARRAY_LEN(RUN_OPTIONS), .min_args = 1, .max_args = 1, .run = run_run,
};
