#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan_case.h"

enum { MOST = 8 };

Module *plan_case_read(Context *c, const char *text)
{
	char path[] = "/tmp/hone-plan-XXXXXX.onnxtxt";
	int fd = mkstemps(path, 8);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	Module *m = model_read(c, path, &(ReadOptions){ 0 });
	unlink(path);
	if (!m)
		fail_msg("%s\n%s", c->diags.list.len ? c->diags.list.data[0].message : "", text);
	return m;
}

void plan_case_begin(PlanCase *t, const char *model, Isa isa, int threads)
{
	OptimiseOptions o;
	OptimiseReport r;
	t->ctx = context_new();
	t->arena = arena_new();
	Module *m = plan_case_read(t->ctx, model);
	t->plain = plan_case_read(t->ctx, model);
	optimise_options_init(&o);
	o.verify = false;
	o.rewrite.planned = true;
	assert_true(optimise(m, &o, t->arena, &r) && prepare_to_run(t->plain, t->arena));
	t->program = program_new(m, &(ProgramOptions){ .isa = isa, .enable = eval_enable_dialects });
	t->exec = exec_new(t->program, threads);
}

void plan_case_end(PlanCase *t)
{
	exec_free(t->exec);
	program_free(t->program);
	context_free(t->ctx);
	arena_free(t->arena);
}

void plan_case_run(PlanCase *t, int64_t size, ComparePlan compare, const void *arg)
{
	EvalCtx e;
	const Func *f = t->plain->main;
	uint32_t nin = f->body->nargs, nout = block_terminator(f->body)->noperands;
	Tensor *given[MOST] = { NULL }, *in[MOST], *want[MOST], *got[MOST];
	assert_true(nin <= MOST && nout <= MOST);
	eval_init(&e, t->ctx, &t->ctx->diags);
	eval_enable_dialects(&e, t->plain);
	assert_true(make_inputs(&e, f, 7, 0, size, given, in));
	assert_true(eval_func(&e, f, in, nin, want, nout));
	if (!engine_run(&e, t->exec, in, nin, got, nout))
		fail_msg("%s", t->ctx->diags.list.data[0].message);
	for (uint32_t i = 0; i < nout; i++)
		compare(arg, i, got[i], want[i]);
	eval_release(&e);
}

void plan_cases_run(const void *cases, size_t n, size_t size, RunCase run)
{
	for (int i = 0; i < ISA_COUNT; i++)
		for (int threads = 1; threads <= 2 && isa_available((Isa)i); threads++)
			for (size_t k = 0; k < n; k++)
				run((const char *)cases + k * size, (Isa)i, threads);
}
