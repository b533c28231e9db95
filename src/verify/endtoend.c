/* Two models on the same inputs, with a tolerance from the original's own rounding noise.
 *
 * The original runs twice: natively and in double. Their difference is what rounding does to it; the other model may
 * differ from the double result by a small multiple of that (per output, relative to its largest element), plus units in
 * the last place. So an ill-conditioned output gets a wide tolerance and a well-conditioned one a tight one. */
#include "verify/verify.h"

#include <math.h>
#include <string.h>

typedef struct Run {
	EvalCtx eval;
	Module *module;
	Tensor **out;
	size_t nout;
} Run;

static size_t output_count(const Module *m)
{
	const Op *ret = block_terminator(m->main->body);
	return ret ? ret->noperands : 0;
}

static void run_init(Run *r, Module *m, bool oracle, int threads, Arena *a)
{
	r->module = m;
	eval_init(&r->eval, m->ctx, &m->ctx->diags);
	r->eval.oracle = oracle;
	r->eval.threads = threads;
	eval_enable_dialects(&r->eval, m);
	r->nout = output_count(m);
	r->out = NEW_ARRAY(a, Tensor *, r->nout + 1);
}

static bool run_model(Run *r, Tensor *const *in, size_t n)
{
	return eval_func(&r->eval, r->module->main, in, n, r->out, r->nout);
}

static int arg_named(const Module *m, const Str *name)
{
	for (uint32_t i = 0; name && i < m->main->body->nargs; i++) {
		const Str *s = m->main->body->args[i]->name;
		if (s && s->len == name->len && !memcmp(s->s, name->s, s->len))
			return (int)i;
	}
	return -1;
}

static bool check_interfaces(Module *a, Module *b)
{
	uint32_t na = a->main->body->nargs, nb = b->main->body->nargs;
	if (na < nb)
		return diag_error(&a->ctx->diags, HONE_NO, NULL, "the second model has %u inputs, the first %u", nb, na);
	if (output_count(a) != output_count(b))
		return diag_error(&a->ctx->diags, HONE_NO, NULL, "the second model has %zu outputs, the first %zu", output_count(b),
				output_count(a));
	return true;
}

static const char *output_name(const Module *m, size_t i)
{
	const Str *s = m->main->result_names ? m->main->result_names[i] : NULL;
	if (!s)
		s = block_terminator(m->main->body)->operands[i].value->name;
	return s ? s->s : "";
}

static void compare_outputs(Run *a, Run *exact, Run *b, const VerifyOptions *o, int round, Arena *arena, VerifyReport *out)
{
	for (size_t i = 0; i < a->nout; i++) {
		OutputResult r = { .name = arena_strdup(arena, output_name(a->module, i)), .round = round };
		CompareRule rule = o->rule;
		r.noise = exact->out[i] && a->out[i] ? rounding_noise(a->out[i], exact->out[i]) : 0;
		rule.atol = fmax(rule.atol, (o->noise_factor > 0 ? o->noise_factor : 8) * r.noise);
		rule.ulps = fmax(rule.ulps, 4);
		rule.slice_rtol = fmax(rule.slice_rtol, 1e-6);
		if (!tensors_compare(b->out[i], a->out[i], &rule, &r.compare)) {
			out->equal = false;
			out->bad_outputs++;
			if (!out->reproduce)
				out->reproduce = arena_printf(arena, "--seed %llu, input set %d", (unsigned long long)o->seed, round);
		}
		VEC_PUSH(arena, &out->outputs, r);
	}
}

static bool round_of(Module *a, Module *b, const VerifyOptions *o, int round, int64_t dim_size, Arena *arena,
		VerifyReport *out)
{
	Run first, exact, second;
	uint32_t n = a->main->body->nargs, m = b->main->body->nargs;
	Tensor **given = NEW_ARRAY(arena, Tensor *, n + 1), **in = NEW_ARRAY(arena, Tensor *, n + 1);
	Tensor **wide = NEW_ARRAY(arena, Tensor *, n + 1), **other = NEW_ARRAY(arena, Tensor *, m + 1);
	run_init(&first, a, false, o->threads, arena);
	run_init(&exact, a, true, o->threads, arena);
	run_init(&second, b, false, o->threads, arena);
	bool ok = true;
	for (size_t i = 0; i < o->ninputs && ok; i++) {
		int k = arg_named(a, o->inputs[i].name);
		ok = k >= 0 || diag_error(&a->ctx->diags, HONE_USAGE, NULL, "the model has no input named %s", o->inputs[i].name->s);
		if (ok)
			given[k] = o->inputs[i].tensor;
	}
	ok = ok && make_inputs(&first.eval, a->main, o->seed, round, dim_size, given, in);
	for (uint32_t i = 0; ok && i < n; i++)
		ok = (wide[i] = tensor_copy_into(&exact.eval, in[i])) != NULL;
	for (uint32_t i = 0; ok && i < m; i++) {
		int k = arg_named(a, b->main->body->args[i]->name);
		ok = (other[i] = tensor_copy_into(&second.eval, in[k >= 0 ? (uint32_t)k : i])) != NULL;
	}
	ok = ok && run_model(&first, in, n) && run_model(&exact, wide, n) && run_model(&second, other, m);
	if (ok)
		compare_outputs(&first, &exact, &second, o, round, arena, out);
	eval_release(&first.eval);
	eval_release(&exact.eval);
	eval_release(&second.eval);
	return ok;
}

/* Symbolic sizes: small first; a model with windows or slices may need more. */
bool verify_models(Module *a, Module *b, const VerifyOptions *o, Arena *arena, VerifyReport *out)
{
	static const int64_t SIZES[] = { 2, 1, 8, 32, 64, 224 };
	memset(out, 0, sizeof(*out));
	out->equal = true;
	if (!module_needs_main(a) || !module_needs_main(b) || !check_interfaces(a, b))
		return false;
	Diags *d = &a->ctx->diags;
	size_t size = 0;
	for (int round = 0; round < (o->rounds > 0 ? o->rounds : 3); round++) {
		for (;; size++) {
			size_t before = d->list.len;
			if (round_of(a, b, o, round, SIZES[size], arena, out))
				break;
			if (size + 1 == ARRAY_LEN(SIZES) || round || d->status == HONE_USAGE || d->status == HONE_UNSUPPORTED)
				return false;
			d->list.len = before; /* the sizes did not suit the model: try others */
			d->status = HONE_OK;
		}
		out->rounds++;
	}
	return true;
}
