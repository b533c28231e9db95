/* hone bench: how long one run of a compiled model takes. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const Option BENCH_OPTIONS[] = {
	{ "threads", 'j', "LIST", "threads of a run, separated by commas (default: 1 and all processors)" },
	{ "batch", 0, "LIST", "batch sizes, separated by commas: the first dimension of the inputs, made symbolic if it is fixed" },
	{ "seconds", 0, "X", "time spent on each measurement (default 1)" },
	ENGINE_OPTIONS,
	{ "reference", 0, NULL, "measure plans without kernels" },
	{ "profile", 0, NULL, "show each step of the plan with its time" },
	{ "format", 0, "NAME", "table (default), md, csv" },
	{ "dim", 0, "NAME=N", "size of a symbolic dimension; may be given often" },
	{ "shape", 0, "INPUT=D,D,..", "shape of an input; may be given often" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
};

enum { PROFILED = 50 };

typedef struct Timing {
	const char *model;
	int threads;
	int64_t batch;                 /* 0: as the model has it */
	size_t runs;
	double load, first;            /* seconds: reading and compiling; the first run, planning included */
	double min, median, p90, p99, max, mean;
	size_t memory, weights;
	double flops;
	bool noisy;                    /* the slowest tenth is far from the median */
	size_t outliers;               /* runs of more than twice the median */
} Timing;

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* A tenth of the time (and three runs) warms up. */
static bool measure(Cli *cli, Exec *x, const ExecArray *in, size_t nin, size_t nout, double seconds, Timing *t)
{
	enum { MAX_RUNS = 1 << 20 };
	double start = clock_seconds(), *times = mem_alloc(MAX_RUNS * sizeof(*times));
	ExecArray *out = NEW_ARRAY(cli->arena, ExecArray, nout + 1);
	bool ok = true;
	for (int i = 0; ok && (i < 2 || clock_seconds() - start < seconds / 10); i++) {
		memset(out, 0, nout * sizeof(*out));
		ok = exec_run(x, in, nin, out, nout);
	}
	start = clock_seconds();
	for (t->runs = 0; ok && t->runs < MAX_RUNS && (t->runs < 5 || clock_seconds() - start < seconds);) {
		memset(out, 0, nout * sizeof(*out));
		double begin = clock_seconds();
		ok = exec_run(x, in, nin, out, nout);
		times[t->runs++] = clock_seconds() - begin;
	}
	if (ok) {
		qsort(times, t->runs, sizeof(*times), by_value);
		t->min = times[0];
		t->median = times[t->runs / 2];
		t->p90 = times[t->runs * 9 / 10];
		t->p99 = times[t->runs * 99 / 100];
		t->max = times[t->runs - 1];
		for (size_t i = 0; i < t->runs; i++)
			t->mean += times[i] / (double)t->runs;
		for (size_t i = t->runs; i-- > 0 && times[i] > 2 * t->median;)
			t->outliers++;
		t->noisy = t->p90 > 1.25 * t->median;
		t->memory = exec_memory(x);
	}
	mem_free(times);
	return ok;
}

static double plan_flops(Cli *cli, const Exec *x)
{
	PlanStepInfo *steps;
	size_t n = exec_steps(x, cli->arena, &steps);
	double flops = 0;
	for (size_t i = 0; i < n; i++)
		flops += steps[i].flops;
	return flops;
}

static void warn_noise(const Timing *t)
{
	if (t->noisy)
		fprintf(stderr, "%s: a tenth of the runs took more than 1.25 times the median; the machine is busy\n", t->model);
	else if (t->outliers)
		fprintf(stderr, "%s: %zu of %zu runs took more than twice the median, the slowest %.1f times\n", t->model, t->outliers,
			t->runs, t->max / t->median);
}

static json_t *timing_json(const Timing *t)
{
	return json_pack("{s:s s:i s:I s:I s:f s:f s:f s:f s:f s:f s:f s:f s:I s:I s:I s:f s:I}", "model", t->model, "threads",
		t->threads, "batch", (json_int_t)t->batch, "runs", (json_int_t)t->runs, "load_s", t->load, "first_run_s", t->first,
		"min_s", t->min, "median_s", t->median, "p90_s", t->p90, "p99_s", t->p99, "max_s", t->max, "mean_s", t->mean,
		"outliers", (json_int_t)t->outliers, "memory_bytes", (json_int_t)t->memory, "packed_weight_bytes",
		(json_int_t)t->weights, "flops", t->flops, "peak_bytes", (json_int_t)peak_memory());
}

static void print_timing(Cli *cli, const Timing *t, json_t *list)
{
	const char *format = args_get(cli, "format"), *batch = t->batch ? arena_printf(cli->arena, "%lld", (long long)t->batch) : "-";
	if (list)
		json_array_append_new(list, timing_json(t));
	else if (format && !strcmp(format, "csv"))
		printf("%s,%d,%lld,%zu,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%zu,%zu\n", t->model, t->threads, (long long)t->batch, t->runs,
			t->load, t->first, t->min, t->median, t->p90, t->p99, t->max, t->outliers, t->memory);
	else
		printf(format && !strcmp(format, "md") ? "| %s | %d | %s | %zu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n"
			: "%-40s %7d %5s %7zu %9.1f %9.1f %10.1f %10.1f %10.1f %10.1f %9.1f %8.1f\n", t->model, t->threads, batch, t->runs,
			t->load * 1e3, t->first * 1e3, t->min * 1e6, t->median * 1e6, t->p90 * 1e6, t->p99 * 1e6,
			t->flops / t->median * 1e-9, (double)t->memory / 1e6);
	warn_noise(t);
}

static void print_head(const Cli *cli)
{
	const char *format = args_get(cli, "format");
	if (cli->json)
		return;
	if (format && !strcmp(format, "csv"))
		printf("model,threads,batch,runs,load_s,first_s,min_s,median_s,p90_s,p99_s,max_s,outliers,memory_bytes\n");
	else if (format && !strcmp(format, "md"))
		printf("| model | threads | batch | runs | load ms | first ms | min us | median us | p90 us | p99 us | GFLOP/s | arena MB |\n"
			"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	else
		printf("%-40s %7s %5s %7s %9s %9s %10s %10s %10s %10s %9s %8s\n", "model", "threads", "batch", "runs", "load ms",
			"first ms", "min us", "median us", "p90 us", "p99 us", "GFLOP/s", "arena MB");
}

/* What is measured of each model. */
typedef struct Grid {
	int64_t threads[16], batch[16];
	size_t nthreads, nbatch;
	double seconds;
} Grid;

/* The first dimension that is a symbol; NULL: none is. */
static const Sym *batch_symbol(const Func *f)
{
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		const Type *t = f->body->args[i]->type;
		if (type_has_rank(t) && t->rank > 0 && sym_kind(t->dims[0]) == SYM_SYMBOL)
			return t->dims[0];
	}
	return NULL;
}

static const Type *with_size(Context *c, const Type *t, const Sym *symbol, int64_t size)
{
	const Sym *dims[MAX_RANK];
	if (t->kind != TYPE_TENSOR || !type_has_rank(t) || t->rank > MAX_RANK)
		return t;
	for (int i = 0; i < t->rank; i++)
		dims[i] = t->dims[i] == symbol ? sym_int(c, size) : t->dims[i];
	return type_tensor(c, t->dtype, t->rank, dims);
}

/* Inputs of this batch size: arguments have it while their data is made. */
static bool batch_inputs(Cli *cli, EvalCtx *e, const Func *f, int64_t batch, Tensor **given)
{
	const Sym *symbol = batch_symbol(f);
	if (!symbol) {
		diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "--batch %lld: the first dimension of no input is symbolic",
			(long long)batch);
		diag_hint(&cli->ctx->diags, "export the model with a dynamic batch dimension");
		return false;
	}
	const Type **types = NEW_ARRAY(cli->arena, const Type *, f->body->nargs + 1u);
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		types[i] = f->body->args[i]->type;
		value_set_type(f->body->args[i], with_size(cli->ctx, types[i], symbol, batch));
	}
	bool ok = make_inputs(e, f, 0, 0, 1, NULL, given);
	for (uint32_t i = 0; i < f->body->nargs; i++)
		value_set_type(f->body->args[i], types[i]);
	return ok;
}

static void profile_runs(Cli *cli, Exec *x, const ExecArray *in, size_t nin, ExecArray *out, size_t nout)
{
	exec_profile(x, true);
	for (int k = 0; k < PROFILED; k++) {
		memset(out, 0, nout * sizeof(*out));
		exec_run(x, in, nin, out, nout);
	}
	print_plan(cli, x, true);
}

/* One line of the table. */
static bool bench_one(Cli *cli, Program *p, const Func *f, Timing *t, double seconds, json_t *list)
{
	EvalCtx e;
	size_t nin = f->body->nargs, nout = block_terminator(f->body)->noperands;
	ExecArray *in = NEW_ARRAY(cli->arena, ExecArray, nin + 1), *out = NEW_ARRAY(cli->arena, ExecArray, nout + 1);
	Tensor **given = NEW_ARRAY(cli->arena, Tensor *, nin + 1);
	Exec *x = exec_new(p, t->threads);
	eval_init(&e, cli->ctx, &cli->ctx->diags);
	bool ok = !t->batch || batch_inputs(cli, &e, f, t->batch, given);
	double begin = clock_seconds();
	ok = ok && first_run(cli, &e, f, x, given, 0, in, out);
	t->first = clock_seconds() - begin;
	ok = ok && measure(cli, x, in, nin, nout, seconds, t);
	t->weights = program_weight_bytes(p);
	if (ok) {
		t->flops = plan_flops(cli, x);
		print_timing(cli, t, list);
	}
	if (ok && args_has(cli, "profile"))
		profile_runs(cli, x, in, nin, out, nout);
	exec_free(x);
	eval_release(&e);
	return ok;
}

static HoneStatus bench_model(Cli *cli, const char *path, const Grid *g, json_t *list)
{
	ProgramOptions po;
	if (!program_options(cli, &po))
		return HONE_USAGE;
	po.reference = args_has(cli, "reference");
	double start = clock_seconds();
	OptimiseReport report;
	Module *m = load_optimised(cli, path, false, &report);
	if (!m)
		return HONE_BAD_INPUT;
	Program *p = program_new(m, &po);
	double load = clock_seconds() - start;
	bool ok = true;
	for (size_t b = 0; b < g->nbatch && ok; b++)
		for (size_t i = 0; i < g->nthreads && ok; i++) {
			Timing t = { .model = path, .threads = (int)g->threads[i], .batch = g->batch[b], .load = load };
			ok = bench_one(cli, p, m->main, &t, g->seconds, list);
		}
	program_free(p);
	return ok ? HONE_OK : HONE_BAD_INPUT;
}

/* Numbers of a list from 1 on; *n stays when the option is not given. */
static bool number_list(Cli *cli, const char *option, int64_t most, int64_t *out, size_t *n)
{
	const char *text = args_get(cli, option);
	if (!text)
		return true;
	*n = 0;
	for (const char *s = text;;) {
		const char *end = s + strcspn(s, ",");
		if (*n == 16 || !parse_int64(s, (size_t)(end - s), &out[*n]) || out[*n] < 1 || out[*n] > most)
			return diag_error(&cli->ctx->diags, HONE_USAGE, NULL,
				"--%s %s: up to 16 numbers from 1 to %lld, separated by commas", option, text, (long long)most);
		++*n;
		if (!*end)
			return true;
		s = end + 1;
	}
}

static HoneStatus run_bench(Cli *cli)
{
	Grid g = { .threads = { 1, cpu_count() }, .nthreads = cpu_count() > 1 ? 2 : 1, .nbatch = 1, .seconds = 1 };
	if (!number_list(cli, "threads", 1024, g.threads, &g.nthreads) ||
			!number_list(cli, "batch", INT32_MAX, g.batch, &g.nbatch) || !args_double(cli, "seconds", &g.seconds))
		return HONE_USAGE;
	json_t *list = cli->json ? json_array() : NULL;
	HoneStatus status = HONE_OK;
	print_head(cli);
	for (size_t i = 0; i < cli->args.positional.len && !status; i++)
		status = bench_model(cli, cli->args.positional.data[i], &g, list);
	if (list)
		print_json(json_pack("{s:i s:o}", "schema", 1, "results", list));
	return status;
}

const Verb VERB_BENCH = {
	.name = "bench", .summary = "measure how long a run takes", .usage = "MODEL...",
	.help = "Inputs are seeded. Times are of single runs after a warm-up, planning and reading left out: least, median, nine tenths,\n"
		"99 of 100. A tenth that is far from the median, and single runs that are, are told.",
	.options = BENCH_OPTIONS, .noptions = ARRAY_LEN(BENCH_OPTIONS), .min_args = 1, .max_args = -1, .run = run_bench,
};
