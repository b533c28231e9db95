/* hone bench: how long one run of a compiled model takes. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const Option BENCH_OPTIONS[] = {
	{ "threads", 'j', "LIST", "threads of a run, separated by commas (default: 1 and all processors)" },
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

enum { PROFILED = 20 };

typedef struct Timing {
	const char *model;
	int threads;
	size_t runs;
	double load, first;            /* seconds: reading and compiling; the first run, planning included */
	double min, median, p90, mean;
	size_t memory, weights;
	double flops;
	bool noisy;                    /* the slowest tenth is far from the median */
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
		for (size_t i = 0; i < t->runs; i++)
			t->mean += times[i] / (double)t->runs;
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

static void print_timing(Cli *cli, const Timing *t, json_t *list)
{
	const char *format = args_get(cli, "format");
	if (list) {
		json_array_append_new(list, json_pack("{s:s s:i s:I s:f s:f s:f s:f s:f s:f s:I s:I s:f s:I}", "model",
			t->model, "threads",
			t->threads, "runs", (json_int_t)t->runs, "load_s", t->load, "first_run_s", t->first, "min_s", t->min, "median_s",
			t->median, "p90_s", t->p90, "mean_s", t->mean, "memory_bytes", (json_int_t)t->memory, "packed_weight_bytes",
			(json_int_t)t->weights, "flops", t->flops, "peak_bytes",
			(json_int_t)peak_memory()));
		return;
	}
	if (format && !strcmp(format, "csv"))
		printf("%s,%d,%zu,%.9g,%.9g,%.9g,%.9g,%.9g,%zu\n", t->model, t->threads, t->runs, t->load, t->first, t->min,
			t->median,
			t->p90, t->memory);
	else
		printf(format && !strcmp(format, "md") ? "| %s | %d | %zu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n"
			: "%-40s %7d %7zu %9.1f %9.1f %10.1f %10.1f %10.1f %9.1f %8.1f\n", t->model, t->threads, t->runs, t->load * 1e3,
			t->first * 1e3, t->min * 1e6, t->median * 1e6, t->p90 * 1e6, t->flops / t->median * 1e-9,
				(double)t->memory / 1e6);
	if (t->noisy)
		fprintf(stderr, "%s: a tenth of the runs took more than 1.25 times the median; the machine is busy\n", t->model);
}

static void print_head(const Cli *cli)
{
	const char *format = args_get(cli, "format");
	if (cli->json)
		return;
	if (format && !strcmp(format, "csv"))
		printf("model,threads,runs,load_s,first_s,min_s,median_s,p90_s,memory_bytes\n");
	else if (format && !strcmp(format, "md"))
		printf("| model | threads | runs | load ms | first ms | min us | median us | p90 us | GFLOP/s | arena MB |\n"
			"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	else
		printf("%-40s %7s %7s %9s %9s %10s %10s %10s %9s %8s\n", "model", "threads", "runs", "load ms", "first ms", "min us",
			"median us", "p90 us", "GFLOP/s", "arena MB");
}

static HoneStatus bench_model(Cli *cli, const char *path, const int *threads, size_t nthreads, double seconds, json_t *list)
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
	size_t nout = block_terminator(m->main->body)->noperands;
	HoneStatus status = HONE_OK;
	for (size_t i = 0; i < nthreads && !status; i++) {
		EvalCtx e;
		Timing t = { .model = path, .threads = threads[i], .load = load };
		ExecArray *in = NEW_ARRAY(cli->arena, ExecArray, m->main->body->nargs + 1u);
		Exec *x = exec_new(p, threads[i]);
		eval_init(&e, cli->ctx, &cli->ctx->diags);
		double begin = clock_seconds();
		Tensor **given = NEW_ARRAY(cli->arena, Tensor *, m->main->body->nargs + 1u);
		ExecArray *out = NEW_ARRAY(cli->arena, ExecArray, nout + 1u);
		bool ok = first_run(cli, &e, m->main, x, given, 0, in, out);
		double first = clock_seconds() - begin;
		ok = ok && measure(cli, x, in, m->main->body->nargs, nout, seconds, &t);
		t.first = first;
		t.weights = program_weight_bytes(p);
		if (ok) {
			t.flops = plan_flops(cli, x);
			print_timing(cli, &t, list);
		}
		if (ok && args_has(cli, "profile")) {
			exec_profile(x, true);
			for (int k = 0; k < PROFILED; k++) {
				memset(out, 0, nout * sizeof(*out));
				exec_run(x, in, m->main->body->nargs, out, nout);
			}
			print_plan(cli, x, PROFILED);
		}
		status = ok ? HONE_OK : HONE_BAD_INPUT;
		exec_free(x);
		eval_release(&e);
	}
	program_free(p);
	return status;
}

static HoneStatus run_bench(Cli *cli)
{
	int threads[16] = { 1, cpu_count() };
	size_t n = threads[1] > 1 ? 2 : 1;
	double seconds = 1;
	const char *text = args_get(cli, "threads");
	if (text) {
		n = 0;
		for (const char *s = text; *s && n < ARRAY_LEN(threads);) {
			char *end;
			long v = strtol(s, &end, 10);
			if (end == s || v < 1 || v > 1024 || (*end && *end != ','))
				return diag_error(&cli->ctx->diags, HONE_USAGE, NULL,
					"--threads %s: numbers from 1 on, separated by commas", text),
					HONE_USAGE;
			threads[n++] = (int)v;
			s = *end ? end + 1 : end;
		}
	}
	if (!args_double(cli, "seconds", &seconds))
		return HONE_USAGE;
	json_t *list = cli->json ? json_array() : NULL;
	HoneStatus status = HONE_OK;
	print_head(cli);
	for (size_t i = 0; i < cli->args.positional.len && !status; i++)
		status = bench_model(cli, cli->args.positional.data[i], threads, n, seconds, list);
	if (list)
		print_json(json_pack("{s:i s:o}", "schema", 1, "results", list));
	return status;
}

const Verb VERB_BENCH = {
	.name = "bench", .summary = "measure how long a run takes", .usage = "MODEL...",
	.help = "Inputs are seeded. Times are of single runs, planning and reading left out: least, median, nine tenths.",
	.options = BENCH_OPTIONS, .noptions = ARRAY_LEN(BENCH_OPTIONS), .min_args = 1, .max_args = -1, .run = run_bench,
};
