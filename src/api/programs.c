/* Programs and their runs in the public interface. */
#include "api/api.h"

#include <string.h>

struct hone_program {
	int refs;              /* atomic */
	Root *root;
	hone_model *model;     /* optimised: core ops */
	Program *program;
};

struct hone_exec {
	hone_program *program;
	Exec *exec;
	Arena *arena;
	ExecArray *in, *bound, *out; /* bound: outputs as the caller bound them */
	size_t nin, nout;
	bool ran;
};

static hone_program *program_ref(const hone_program *p)
{
	hone_program *q = (hone_program *)(uintptr_t)p;
	__atomic_add_fetch(&q->refs, 1, __ATOMIC_RELAXED);
	return q;
}

void hone_program_free(hone_program *p)
{
	if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	program_free(p->program);
	hone_model_free(p->model);
	root_unref(p->root);
	mem_free(p);
}

const hone_model *hone_program_model(const hone_program *p)
{
	return p ? p->model : NULL;
}

static hone_status compile_locked(const hone_model *m, const hone_options *o, hone_program **out, hone_error **error)
{
	OptimiseOptions opt;
	OptimiseReport r;
	Context *c = m->root->ctx;
	ProgramOptions po = { .reference = option_on(o, "reference", false), .seed = (uint64_t)option_int(o, "seed", 0),
		.enable = eval_enable_dialects, .lock = &m->root->lock };
	Arena *a = arena_new();
	bool ok = option_rewrite(o, c, &opt) && option_isa(o, &c->diags, &po.isa);
	opt.verify = option_on(o, "verify", false);
	opt.rewrite.planned = true;
	Module *copy = module_clone(m->module, NULL); /* a program adds attributes when it is saved */
	ok = ok && (m->module->compiled || optimise(copy, &opt, a, &r));
	arena_free(a);
	hone_status s = take_errors(&c->diags, ok ? HONE_STATUS_OK : HONE_STATUS_INVALID, o, error);
	if (s != HONE_STATUS_OK)
		return s;
	hone_program *p = mem_zalloc(sizeof(*p));
	hone_model *model = mem_zalloc(sizeof(*model));
	*model = (hone_model){ .refs = 1, .root = root_ref(m->root), .module = copy };
	*p = (hone_program){ .refs = 1, .root = root_ref(m->root), .model = model, .program = program_new(copy, &po) };
	*out = p;
	return s;
}

hone_status hone_compile(const hone_model *m, const hone_options *o, hone_program **out, hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (!m || !out)
		return fail(HONE_STATUS_USAGE, error, "a model and a place for the program are expected");
	*out = NULL;
	if (!progress_go_on(o, "compile"))
		return fail(HONE_STATUS_CANCELED, error, "cancelled before the model was compiled");
	pthread_mutex_lock(&m->root->lock);
	mem_guard_push(&guard);
	hone_status s;
	if (setjmp(guard.env)) {
		s = fail(HONE_STATUS_LIMIT, error, "out of memory while compiling");
	} else {
		s = compile_locked(m, o, out, error);
		mem_guard_pop(&guard);
	}
	pthread_mutex_unlock(&m->root->lock);
	return s;
}

hone_status hone_program_load(const char *path, const hone_options *o, hone_program **out, hone_error **error)
{
	hone_model *m = NULL;
	if (out)
		*out = NULL;
	hone_status s = hone_model_load_file(path, o, &m, error);
	if (s == HONE_STATUS_OK)
		s = hone_compile(m, o, out, error);
	hone_model_free(m);
	return s;
}

hone_status hone_program_save(const hone_program *p, const char *path, hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (!p || !path)
		return fail(HONE_STATUS_USAGE, error, "a program and a path are expected");
	pthread_mutex_lock(&p->root->lock);
	mem_guard_push(&guard);
	hone_status s;
	if (setjmp(guard.env)) {
		s = fail(HONE_STATUS_LIMIT, error, "out of memory while writing %s", path);
	} else {
		program_keep_packed(p->program);
		bool ok = compiled_write(p->model->module, path, &(WriteOptions){ 0 });
		s = take_errors(&p->root->ctx->diags, ok ? HONE_STATUS_OK : HONE_STATUS_IO, NULL, error);
		mem_guard_pop(&guard);
	}
	pthread_mutex_unlock(&p->root->lock);
	return s;
}

/* ---- runs ---- */

hone_status hone_exec_new(const hone_program *p, const hone_options *o, hone_exec **out, hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (!p || !out)
		return fail(HONE_STATUS_USAGE, error, "a program and a place for its run are expected");
	*out = NULL;
	mem_guard_push(&guard);
	if (setjmp(guard.env))
		return fail(HONE_STATUS_LIMIT, error, "out of memory");
	Arena *a = arena_new();
	hone_exec *x = NEW(a, hone_exec);
	x->arena = a;
	x->nin = hone_model_num_inputs(p->model);
	x->nout = hone_model_num_outputs(p->model);
	x->in = NEW_ARRAY(a, ExecArray, x->nin + 1);
	x->bound = NEW_ARRAY(a, ExecArray, x->nout + 1);
	x->out = NEW_ARRAY(a, ExecArray, x->nout + 1);
	x->exec = exec_new(p->program, (int)option_int(o, "threads", 0));
	x->program = program_ref(p);
	mem_guard_pop(&guard);
	*out = x;
	return HONE_STATUS_OK;
}

void hone_exec_free(hone_exec *x)
{
	if (!x)
		return;
	exec_free(x->exec);
	hone_program_free(x->program);
	arena_free(x->arena);
}

hone_status hone_exec_bind_input(hone_exec *x, size_t i, const hone_tensor *t, hone_error **error)
{
	int64_t count;
	if (error)
		*error = NULL;
	if (!x || i >= x->nin || !t)
		return fail(HONE_STATUS_USAGE, error, "input %zu: the model has %zu", i, x ? x->nin : 0);
	if (t->dtype == HONE_STRING || (unsigned)t->dtype >= DT_COUNT || t->dtype == HONE_DTYPE_NONE)
		return fail(HONE_STATUS_UNSUPPORTED, error, "input %zu: elements of this type cannot be bound", i);
	if (t->rank < 0 || t->rank > MAX_RANK || (t->rank && !t->dims) || !dims_count(t->dims, t->rank, &count))
		return fail(HONE_STATUS_USAGE, error, "input %zu: dims that cannot be (rank %d)", i, t->rank);
	if ((uint64_t)count > t->bytes / dtype_size((DType)t->dtype))
		return fail(HONE_STATUS_USAGE, error, "input %zu: %zu bytes are fewer than the dims say", i, t->bytes);
	if (!t->data && count)
		return fail(HONE_STATUS_USAGE, error, "input %zu: no data", i);
	ExecArray *a = &x->in[i];
	*a = (ExecArray){ .dtype = (DType)t->dtype, .rank = t->rank, .data = t->data ? t->data : (void *)x, .bytes = t->bytes };
	if (t->rank)
		memcpy(a->dims, t->dims, (size_t)t->rank * sizeof(*t->dims));
	return HONE_STATUS_OK;
}

hone_status hone_exec_bind_output(hone_exec *x, size_t i, const hone_tensor *t, hone_error **error)
{
	if (error)
		*error = NULL;
	if (!x || i >= x->nout)
		return fail(HONE_STATUS_USAGE, error, "output %zu: the model has %zu", i, x ? x->nout : 0);
	x->bound[i] = t ? (ExecArray){ .data = t->data, .bytes = t->bytes } : (ExecArray){ 0 };
	return HONE_STATUS_OK;
}

hone_status hone_exec_run(hone_exec *x, hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (!x)
		return fail(HONE_STATUS_USAGE, error, "no exec to run");
	mem_guard_push(&guard);
	if (setjmp(guard.env))
		return fail(HONE_STATUS_LIMIT, error, "out of memory");
	memcpy(x->out, x->bound, x->nout * sizeof(*x->out));
	x->ran = exec_run(x->exec, x->in, x->nin, x->out, x->nout);
	mem_guard_pop(&guard);
	return x->ran ? HONE_STATUS_OK : take_errors(exec_diags(x->exec), HONE_STATUS_INTERNAL, NULL, error);
}

hone_status hone_exec_output(const hone_exec *x, size_t i, hone_tensor *view, hone_error **error)
{
	if (error)
		*error = NULL;
	if (!x || i >= x->nout || !view)
		return fail(HONE_STATUS_USAGE, error, "output %zu: the model has %zu", i, x ? x->nout : 0);
	if (!x->ran)
		return fail(HONE_STATUS_USAGE, error, "there was no run that succeeded");
	const ExecArray *a = &x->out[i];
	if (a->tensor)
		return fail(HONE_STATUS_UNSUPPORTED, error, "output %zu is no tensor of numbers", i);
	*view = (hone_tensor){ .data = a->data, .bytes = a->bytes, .dtype = (hone_dtype)a->dtype, .rank = a->rank, .dims = a->dims };
	return HONE_STATUS_OK;
}

size_t hone_exec_memory(const hone_exec *x)
{
	return x ? exec_memory(x->exec) : 0;
}
