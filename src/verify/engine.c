/* A compiled model in the place of the evaluator: for suites, and for users who have tensors. */
#include "plan/plan.h"
#include "ops/label.h"
#include "verify/verify.h"

#include <string.h>

static Tensor *tensor_of(EvalCtx *e, const ExecArray *a)
{
	if (a->tensor)
		return tensor_copy_into(e, a->tensor);
	Tensor *t = tensor_new(e, a->dtype, a->rank, a->dims);
	if (t && t->count)
		memcpy(t->data, a->data, (size_t)t->count * dtype_size(t->dtype));
	return t;
}

bool engine_run(EvalCtx *e, Exec *x, Tensor *const *in, size_t nin, Tensor **out, size_t nout)
{
	ExecArray *all = mem_zalloc((nin + nout + 1) * sizeof(*all));
	for (size_t i = 0; i < nout; i++)
		out[i] = NULL;
	for (size_t i = 0; i < nin; i++)
		if (in[i])
			exec_array(in[i], &all[i]);
	bool ok = exec_run(x, all, nin, all + nin, nout);
	for (size_t i = 0; i < nout && ok; i++) {
		out[i] = tensor_of(e, &all[nin + i]);
		ok = out[i] != NULL;
	}
	diags_copy_errors(e->diags, exec_diags(x));
	mem_free(all);
	return ok;
}

bool engine_run_once(EvalCtx *e, Module *m, const EngineOptions *o, Tensor *const *in, size_t nin, Tensor **out, size_t nout)
{
	Program *p = program_new(m, &(ProgramOptions){ .isa = o->isa, .reference = o->reference, .seed = o->seed, .enable = eval_enable_dialects });
	Exec *x = exec_new(p, o->threads);
	bool ok = engine_run(e, x, in, nin, out, nout);
	exec_free(x);
	program_free(p);
	return ok;
}
