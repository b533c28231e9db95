/* Stored test cases: a model with the inputs and outputs that another implementation recorded.
 *
 * A case is a folder with model.onnx and test_data_set_N/{input,output}_K.pb, or NAME.onnx beside NAME_output_K.pb (then
 * every input is the ramp 0, 1/n, 2/n ... as in ONNX's own runner), or model.mlir with bare bytes (raw_case.c), or MLIR (text
 * or bytecode) beside input_K.npy and output_K.npy; other MLIR files check themselves. Cases run in parallel, each in a context of its own. */
#include "verify/raw_case.h"
#include "verify/suite_int.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TENSORS = 256, MAX_FOLDER_DEPTH = 16 };

typedef struct CaseJob {
	char *name, *model, *folder; /* folder: with data sets; or the stem for NAME_output_K.pb */
	bool ramp;
	bool checks_itself;
	CompareRule rule;
	const EngineOptions *engine;
	CaseVerdict verdict;
	char *why;                   /* malloc'ed */
	double seconds;
} CaseJob;

typedef struct Suite {
	Arena *arena;
	const SuiteOptions *o;
	VEC(CaseJob) jobs;
} Suite;

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- one data set ---- */

static bool load_tensors(EvalCtx *e, Arena *a, const Func *f, const char *prefix, const char *kind, NamedTensor *out,
		size_t *n)
{
	static const char *const EXTENSIONS[] = { ".pb", ".npy" };
	if (is_file(raw_case_flags(a, prefix)))
		return raw_case_load(e, a, f, prefix, strcmp(kind, "input") != 0, out, MAX_TENSORS, n);
	for (*n = 0; *n < MAX_TENSORS; ++*n) {
		char *path = NULL;
		for (size_t x = 0; x < ARRAY_LEN(EXTENSIONS) && !path; x++) {
			path = arena_printf(a, "%s%s_%zu%s", prefix, kind, *n, EXTENSIONS[x]);
			if (!is_file(path))
				path = NULL;
		}
		if (!path)
			return true;
		out[*n].name = NULL;
		out[*n].tensor = tensor_read(e, path, &out[*n].name);
		if (!out[*n].tensor)
			return false;
	}
	return true;
}

static bool ramp_inputs(EvalCtx *e, const Func *f, NamedTensor *out, size_t *n)
{
	int64_t dims[MAX_RANK];
	for (*n = 0; *n < f->body->nargs; ++*n) {
		const Type *t = f->body->args[*n]->type;
		if (!type_has_rank(t) || t->rank > MAX_RANK || !type_static_dims(t, dims))
			return diag_error(e->diags, HONE_UNSUPPORTED, NULL, "input %zu has no static shape", *n);
		Tensor *x = tensor_new(e, t->dtype, t->rank, dims);
		if (!x)
			return false;
		for (int64_t i = 0; i < x->count; i++)
			tensor_set_f64(x, i, (double)i / (double)x->count);
		out[*n] = (NamedTensor){ f->body->args[*n]->name, x };
	}
	return true;
}

static bool same_name(const Str *a, const Str *b)
{
	return a && b && a->len == b->len && a->len && !memcmp(a->s, b->s, a->len);
}

/* The same bytes under another element type. */
static Tensor *with_dtype(EvalCtx *e, const Tensor *t, DType d)
{
	Tensor *y = tensor_new(e, d, t->rank, t->dims);
	if (y)
		memcpy(y->data, t->data, (size_t)t->count * tensor_elem_size(t));
	return y;
}

/* Stored data as the model declares it; takes over the reference to t, NULL + diagnostic on failure. Old files hold the bits
 * of bfloat16 as uint16, and an optional with a value reads like a sequence of one element. */
static Tensor *as_declared(EvalCtx *e, Tensor *t, const Type *want)
{
	Tensor *y = t;
	bool bits = t->kind == TYPE_TENSOR && t->dtype == DT_U16 && t->store == DT_U16 && type_is_tensor(want) &&
		want->dtype == DT_BF16;
	if (bits)
		y = with_dtype(e, t, DT_BF16);
	else if (t->kind == TYPE_SEQUENCE && want->kind == TYPE_OPTIONAL && t->nitems == 1 &&
			(want->elem[0]->kind != TYPE_SEQUENCE || t->items[0]->kind == TYPE_SEQUENCE))
		y = tensor_sequence(e, TYPE_OPTIONAL, t->items, 1);
	if (y != t)
		tensor_unref(t);
	return y;
}

/* By name where all names are those of inputs, else by position. */
static bool bind_inputs(EvalCtx *e, const Func *f, const NamedTensor *t, size_t n, Tensor **in)
{
	uint32_t args = f->body->nargs;
	bool by_name = n > 0;
	for (size_t i = 0; i < n; i++) {
		bool found = false;
		for (uint32_t k = 0; k < args; k++)
			found |= same_name(t[i].name, f->body->args[k]->name);
		by_name &= found;
	}
	for (uint32_t k = 0; k < args; k++) {
		in[k] = NULL;
		for (size_t i = 0; i < n && !in[k]; i++)
			if (by_name ? same_name(t[i].name, f->body->args[k]->name) : i == k)
				in[k] = tensor_ref(t[i].tensor);
		if (in[k])
			in[k] = as_declared(in[k]->owner, in[k], f->body->args[k]->type);
		else if (f->arg_default && f->arg_default[k])
			in[k] = tensor_from_attr(e, f->arg_default[k]);
		if (!in[k])
			return diag_error(e->diags, HONE_BAD_INPUT, NULL, "no data for input %u (%s)", k,
					f->body->args[k]->name ? f->body->args[k]->name->s : "");
	}
	return true;
}

/* One run of the model, the seed-th of several; false + diagnostics on failure. */
static bool run_once(EvalCtx *e, Module *m, bool oracle, int threads, const EngineOptions *engine, uint64_t seed, const NamedTensor *in,
		size_t nin, Tensor **got, size_t nout, Arena *a)
{
	Tensor **args = NEW_ARRAY(a, Tensor *, m->main->body->nargs + 1u);
	eval_init(e, m->ctx, &m->ctx->diags);
	e->oracle = oracle;
	e->threads = threads;
	e->seed += seed;
	eval_enable_dialects(e, m);
	if (!bind_inputs(e, m->main, in, nin, args))
		return false;
	for (uint32_t i = 0; oracle && i < m->main->body->nargs; i++)
		args[i] = tensor_copy_into(e, args[i]);
	if (engine) {
		EngineOptions seeded = *engine;
		seeded.seed += seed;
		return engine_run_once(e, m, &seeded, args, m->main->body->nargs, got, nout);
	}
	return eval_func(e, m->main, args, m->main->body->nargs, got, nout);
}

/* A stored result carries the rounding of the implementation that made it: where the plain tolerance fails, the model is run
 * in double too, and 8 times its own rounding noise is granted. */
static bool within_noise(Module *m, int threads, const NamedTensor *in, size_t nin, Tensor *const *got, size_t nout,
		size_t i, const Tensor *want, const CompareRule *rule, Arena *a)
{
	EvalCtx e;
	CompareResult r;
	CompareRule wide = *rule;
	Tensor **exact = NEW_ARRAY(a, Tensor *, nout + 1);
	bool ok = run_once(&e, m, true, threads, NULL, 0, in, nin, exact, nout, a);
	if (ok) {
		wide.atol = fmax(wide.atol, 8 * rounding_noise(got[i], exact[i]));
		ok = dtype_is_float(want->dtype) && tensors_compare(got[i], want, &wide, &r);
	}
	eval_release(&e);
	return ok;
}

enum { DRAWS = 64 };

static bool forget_seed(void *arg, Op *op)
{
	op_set_attr(op, ((Context *)arg)->attr_names[A_seed], NULL);
	return true;
}

/* The result i of DRAWS runs against the stored one. Ops forget seeds of their own. */
static bool draws_agree(Module *m, int threads, const EngineOptions *engine, const NamedTensor *in, size_t nin, size_t nout, size_t i,
		const Tensor *want, Arena *a, CompareResult *r)
{
	EvalCtx *e = NEW_ARRAY(a, EvalCtx, DRAWS);
	Tensor **draws = NEW_ARRAY(a, Tensor *, DRAWS), **got = NEW_ARRAY(a, Tensor *, nout + 1);
	int runs = 0;
	bool ok = true;
	*r = (CompareResult){ 0 };
	module_walk(m, forget_seed, m->ctx);
	while (runs < DRAWS && ok) {
		ok = run_once(&e[runs], m, false, threads, engine, (uint64_t)runs, in, nin, got, nout, a);
		draws[runs++] = got[i];
	}
	ok = ok && samples_compare(draws, runs, want, r);
	while (runs > 0)
		eval_release(&e[--runs]);
	return ok;
}

/* Runs one data set; 1 equal, 0 different (why), -1 error (diagnostics). */
static int run_set(Module *m, const char *prefix, bool ramp, const CompareRule *rule, int threads,
		const EngineOptions *engine, Arena *a, char **why)
{
	EvalCtx load, e;
	NamedTensor *in = NEW_ARRAY(a, NamedTensor, MAX_TENSORS), *want = NEW_ARRAY(a, NamedTensor, MAX_TENSORS);
	const Op *ret = block_terminator(m->main->body);
	size_t nin = 0, nwant = 0, nout = ret ? ret->noperands : 0;
	Tensor **got = NEW_ARRAY(a, Tensor *, nout + 1);
	eval_init(&load, m->ctx, &m->ctx->diags);
	bool ok = ramp ? ramp_inputs(&load, m->main, in, &nin) : load_tensors(&load, a, m->main, prefix, "input", in, &nin);
	ok = ok && load_tensors(&load, a, m->main, prefix, ramp ? "_output" : "output", want, &nwant);
	if (ok && !nwant)
		ok = diag_error(&m->ctx->diags, HONE_BAD_INPUT, NULL, "no stored outputs %s*", prefix);
	for (size_t i = 0; ok && i < nwant && i < nout; i++) {
		want[i].tensor = as_declared(&load, want[i].tensor, ret->operands[i].value->type);
		ok = want[i].tensor != NULL;
	}
	bool ran = ok && (ok = run_once(&e, m, false, threads, engine, 0, in, nin, got, nout, a), true);
	int verdict = ok ? 1 : -1;
	for (size_t i = 0; ok && i < nwant && verdict == 1; i++) {
		CompareResult r;
		if (i < 64 && rule->ignored >> i & 1)
			continue;
		if (i >= nout) {
			*why = arena_printf(a, "%zu outputs stored, the model has %zu", nwant, nout);
			verdict = 0;
		} else if (rule->random) {
			if (!draws_agree(m, threads, engine, in, nin, nout, i, want[i].tensor, a, &r)) {
				*why = arena_printf(a, "output %zu: %s", i, r.why);
				verdict = 0;
			}
		} else if (!tensors_compare(got[i], want[i].tensor, rule, &r) &&
				!within_noise(m, threads, in, nin, got, nout, i, want[i].tensor, rule, a)) {
			*why = arena_printf(a, "output %zu: %s", i, r.why);
			verdict = 0;
		}
	}
	if (ran)
		eval_release(&e);
	eval_release(&load);
	return verdict;
}

bool verify_data(Module *m, const char *dir, const CompareRule *rule, Arena *a, int *sets, char **why)
{
	char *single = arena_printf(a, "%s/", dir);
	*why = NULL;
	for (*sets = 0;; ++*sets) {
		char *folder = arena_printf(a, "%s/test_data_set_%d", dir, *sets);
		if (!is_folder(folder))
			break;
		int r = run_set(m, arena_printf(a, "%s/", folder), false, rule, 0, NULL, a, why);
		if (r <= 0)
			return false;
	}
	if (*sets)
		return true;
	*sets = 1;
	return run_set(m, single, false, rule, 0, NULL, a, why) > 0;
}

/* ---- one case ---- */

static const char *first_error(const Diags *d)
{
	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.data[i].severity == SEV_ERROR)
			return d->list.data[i].message;
	return "failed without a message";
}

/* Results lie beside the model itself. */
static bool has_results(Arena *a, const char *folder)
{
	return is_file(arena_printf(a, "%s/output_0.npy", folder));
}

static int run_sets(Module *m, const CaseJob *j, Arena *a, char **why)
{
	if (j->ramp)
		return run_set(m, j->folder, true, &j->rule, 1, j->engine, a, why);
	int verdict = -1;
	char *whole = arena_printf(a, "%s/", j->folder);
	if (is_file(raw_case_flags(a, whole)) || has_results(a, j->folder))
		return run_set(m, whole, false, &j->rule, 1, j->engine, a, why);
	for (int k = 0;; k++) {
		char *folder = arena_printf(a, "%s/test_data_set_%d", j->folder, k);
		if (!is_folder(folder))
			return verdict;
		verdict = run_set(m, arena_printf(a, "%s/", folder), false, &j->rule, 1, j->engine, a, why);
		if (verdict <= 0)
			return verdict;
	}
}

static void verdict_of(CaseJob *j, int r, HoneStatus status, const char *why)
{
	j->verdict = r > 0 ? CASE_PASSED : r < 0 && status == HONE_UNSUPPORTED ? CASE_SKIPPED : CASE_FAILED;
	if (r <= 0)
		j->why = strdup(why ? why : "");
}

/* ---- modules that check themselves ---- */

static bool run_func(Module *m, Func *f, const EngineOptions *engine, Arena *a)
{
	EvalCtx e;
	const Op *ret = block_terminator(f->body);
	size_t nout = ret ? ret->noperands : 0;
	Tensor **got = NEW_ARRAY(a, Tensor *, nout + 1);
	eval_init(&e, m->ctx, &m->ctx->diags);
	e.threads = 1;
	eval_enable_dialects(&e, m);
	Func *main = m->main;
	m->main = f;
	bool ok = engine ? engine_run_once(&e, m, engine, NULL, 0, got, nout) : eval_func(&e, f, NULL, 0, got, nout);
	m->main = main;
	eval_release(&e);
	return ok;
}

/* 1: all checks hold, -1: an error. A module that has nothing to run is none. */
static int run_checks(Module *m, const EngineOptions *engine, Arena *a)
{
	bool any = false;
	for (Func *f = m->funcs; f; f = f->next) {
		bool main = m->main && m->main->name && !strcmp(m->main->name->s, "main");
		if (f->body->nargs || (main && f != m->main))
			continue;
		any = true;
		if (!run_func(m, f, engine, a))
			return -1;
	}
	if (!any)
		diag_error(&m->ctx->diags, HONE_UNSUPPORTED, NULL, "no function without arguments to run");
	return any ? 1 : -1;
}

static const char *part_end(const char *s, const char *end)
{
	static const char mark[] = "\n// -----";
	const char *p = memmem(s, (size_t)(end - s), mark, sizeof mark - 1);
	return p ? p + 1 : end;
}

static int run_part(Context *c, const CaseJob *j, const SuiteOptions *o, Bytes text, Arena *a)
{
	Module *m = mlir_parse(c, j->model, text);
	if (m && o->structure)
		return module_survives(m, a) ? 1 : -1;
	m = m ? o->prepare(c, m, a) : NULL;
	return m ? run_checks(m, j->engine, a) : -1;
}

/* Bytecode X.mlir.bc says what the text X.mlir beside it says, if there is one. */
static bool is_like_twin(Module *m, const char *path, Arena *a)
{
	size_t n = strlen(path);
	char *text = arena_strdup(a, path);
	const char *why;
	if (n < 8 || strcmp(path + n - 8, ".mlir.bc") != 0)
		return true;
	text[n - 3] = '\0';
	Module *twin = is_file(text) ? model_read(m->ctx, text, &(ReadOptions){ 0 }) : NULL;
	if (!twin)
		return !is_file(text);
	return modules_alike(m, twin, a, &why) ||
		diag_error(&m->ctx->diags, HONE_NO, NULL, "the text beside it says otherwise: %s", why);
}

static int run_self_checking(Context *c, const CaseJob *j, const SuiteOptions *o, Arena *a)
{
	size_t n = strlen(j->model);
	if (n < 5 || strcmp(j->model + n - 5, ".mlir") != 0) {
		Module *m = model_read(c, j->model, &(ReadOptions){ 0 });
		if (m && o->structure)
			return module_survives(m, a) && is_like_twin(m, j->model, a) ? 1 : -1;
		m = m ? o->prepare(c, m, a) : NULL;
		return m ? run_checks(m, j->engine, a) : -1;
	}
	MappedFile *f = file_map(j->model, &c->diags);
	const char *s = f && f->len ? (const char *)f->data : "", *end = f ? s + f->len : s;
	int r = f ? 1 : -1;
	while (r > 0 && s < end) {
		const char *stop = part_end(s, end);
		if (memmem(s, (size_t)(stop - s), "func", 4)) /* not only comments */
			r = run_part(c, j, o, (Bytes){ (const uint8_t *)s, (size_t)(stop - s) }, a);
		s = stop == end ? end : stop + strcspn(stop, "\n");
	}
	file_unref(f);
	return r;
}

static void run_case(CaseJob *j, const SuiteOptions *o)
{
	struct timespec t0, t1;
	MemGuard guard;
	Context *c = NULL;
	Arena *a = NULL;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		j->verdict = CASE_FAILED;
		j->why = strdup("out of memory");
		return; /* what it held is lost with the process, which ends soon */
	}
	c = context_new();
	a = arena_new();
	char *why = NULL;
	int r = -1;
	HoneStatus status = HONE_OK;
	bool refine = j->checks_itself && o->refine;
	Module *m = j->checks_itself ? NULL : model_read(c, j->model, &(ReadOptions){ 0 });
	m = m ? o->prepare(c, m, a) : NULL;
	if (m)
		r = run_sets(m, j, a, &why);
	else if (refine)
		r = suite_run_refined(j->model, o, a, &why, &status);
	else if (j->checks_itself)
		r = run_self_checking(c, j, o, a);
	verdict_of(j, r, refine ? status : c->diags.status, r < 0 && !refine ? first_error(&c->diags) : why);
	mem_guard_pop(&guard);
	arena_free(a);
	context_free(c);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	j->seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
}

/* ---- finding cases ---- */

static void add_job(Suite *s, const char *name, char *model, char *folder, bool ramp)
{
	if (s->o->filter && !strstr(name, s->o->filter))
		return;
	CaseJob j = { .name = arena_strdup(s->arena, name), .model = model, .folder = folder, .ramp = ramp,
		.rule = s->o->rule, .engine = s->o->engine };
	VEC_PUSH(s->arena, &s->jobs, j);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

static void find_cases(Suite *s, const char *path, const char *name, int depth)
{
	char *model = arena_printf(s->arena, "%s/model.onnx", path);
	if (is_file(model) && is_folder(arena_printf(s->arena, "%s/test_data_set_0", path))) {
		add_job(s, name, model, arena_strdup(s->arena, path), false);
		return;
	}
	model = arena_printf(s->arena, "%s/model.mlir", path);
	if (is_file(model) && is_file(raw_case_flags(s->arena, arena_printf(s->arena, "%s/", path)))) {
		add_job(s, name, model, arena_strdup(s->arena, path), false);
		return;
	}
	DIR *d = depth < MAX_FOLDER_DEPTH ? opendir(path) : NULL;
	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (e->d_name[0] == '.')
			continue;
		char *child = arena_printf(s->arena, "%s/%s", path, e->d_name);
		char *label = *name ? arena_printf(s->arena, "%s/%s", name, e->d_name) : arena_strdup(s->arena, e->d_name);
		if (is_folder(child)) {
			find_cases(s, child, label, depth + 1);
			continue;
		}
		if (ends_with(e->d_name, ".mlir") || ends_with(e->d_name, ".mlirbc") || ends_with(e->d_name, ".bc")) {
			bool stored = has_results(s->arena, path);
			add_job(s, label, child, stored ? arena_strdup(s->arena, path) : NULL, false);
			if (s->jobs.len && s->jobs.data[s->jobs.len - 1].model == child)
				s->jobs.data[s->jobs.len - 1].checks_itself = !stored || s->o->structure;
		}
		if (!ends_with(e->d_name, ".onnx"))
			continue;
		char *stem = arena_printf(s->arena, "%.*s", (int)strlen(child) - 5, child);
		if (is_file(arena_printf(s->arena, "%s_output_0.pb", stem)))
			add_job(s, label, child, stem, true);
	}
	closedir(d);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const CaseJob *)a)->name, ((const CaseJob *)b)->name);
}

/* What a data file says of a case: "NAME REASON" leaves it out, "NAME ignore=K REASON" does not look at its result K,
 * "NAME atol=X rtol=X REASON" grants it another tolerance, "NAME random REASON" compares it as another sample. */
static void apply_exception(CaseJob *j, const char *list)
{
	size_t n = strlen(j->name);
	for (const char *line = list; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, j->name, n) || line[n] != ' ')
			continue;
		const char *word = line + n + 1;
		bool tolerance = !strncmp(word, "ignore=", 7);
		if (!strncmp(word, "random ", 7)) {
			j->rule.random = tolerance = true;
			word += 7;
		}
		for (; !strncmp(word, "ignore=", 7) && word[7] >= '0' && word[7] <= '9'; word += strcspn(word, " \n") + 1)
			j->rule.ignored |= (uint64_t)1 << (word[7] - '0');
		for (; !strncmp(word, "atol=", 5) || !strncmp(word, "rtol=", 5); word += strcspn(word, " \n") + 1) {
			double x;
			if (!parse_double(word + 5, strcspn(word + 5, " \n"), &x))
				break;
			*(word[0] == 'a' ? &j->rule.atol : &j->rule.rtol) = x;
			tolerance = true;
		}
		if (!tolerance) {
			j->verdict = CASE_SKIPPED;
			j->why = strndup(word, strcspn(word, "\n"));
		}
		return;
	}
}

static void run_job(void *arg, int64_t i)
{
	Suite *s = arg;
	if (!s->jobs.data[i].why)
		run_case(&s->jobs.data[i], s->o);
}

bool suite_run(const char *dir, const SuiteOptions *o, Arena *a, Diags *d, SuiteReport *out)
{
	Suite s = { .arena = a, .o = o };
	memset(out, 0, sizeof(*out));
	find_cases(&s, dir, "", 0);
	if (!s.jobs.len)
		return diag_error(d, HONE_IO, NULL,
			"no test cases below %s: a case is a folder with model.onnx and test_data_set_0, or an MLIR file",
				quote(a, dir, strlen(dir)));
	qsort(s.jobs.data, s.jobs.len, sizeof(*s.jobs.data), by_name);
	MappedFile *f = o->exceptions ? file_map(o->exceptions, d) : NULL;
	if (o->exceptions && !f)
		return false;
	char *list = f ? arena_printf(a, "%.*s", (int)f->len, (const char *)f->data) : NULL;
	file_unref(f);
	for (size_t i = 0; i < s.jobs.len && list; i++)
		apply_exception(&s.jobs.data[i], list);
	parallel_for(o->threads, (int64_t)s.jobs.len, run_job, &s);
	for (size_t i = 0; i < s.jobs.len; i++) {
		const CaseJob *j = &s.jobs.data[i];
		CaseResult r = { j->name, j->verdict, j->why ? arena_strdup(a, j->why) : NULL, j->seconds };
		out->passed += j->verdict == CASE_PASSED;
		out->failed += j->verdict == CASE_FAILED;
		out->skipped += j->verdict == CASE_SKIPPED;
		free(j->why);
		VEC_PUSH(a, &out->cases, r);
	}
	return true;
}
