/* Random numbers. The stream of an op depends on its seed attribute, or else on the run's seed and on the name of its
 * result, so that a rewritten model draws the same numbers as the original. An op that runs again (in a loop), or another one of
 * the same name (of a function called twice), goes on with other numbers. */
#include "eval_int.h"
#include "ops/label.h"

#include <math.h>
#include <string.h>

/* How often the stream was drawn from before. */
static uint64_t draws_before(EvalCtx *e, uint64_t stream)
{
	if (!e->arena)
		e->arena = arena_new();
	if (!e->draws) {
		e->draws = NEW(e->arena, Map);
		map_init(e->draws, e->arena);
	}
	uintptr_t n = (uintptr_t)map_get(e->draws, stream);
	map_put(e->draws, stream, (void *)(n + 1));
	return n;
}

Rng random_stream(EvalCtx *e, const Op *op)
{
	const Attr *seed = op_attr(op, A_seed);
	const Str *name = op->nresults && op->results[0]->name ? op->results[0]->name : op->name;
	Rng r = {e->seed};
	if (seed && (seed->kind == ATTR_FLOAT || seed->kind == ATTR_INT)) {
		double v = seed->kind == ATTR_FLOAT ? seed->u.f : (double)seed->u.i;
		r.state = hash_bytes(&v, sizeof(v), 0);
	} else if (name && name->len) {
		r.state = hash_bytes(name->s, name->len, e->seed);
	} else {
		r.state = hash_bytes(&op->id, sizeof(op->id), e->seed);
	}
	uint64_t n = draws_before(e, seed ? r.state ^ MAP_PTR(op) : r.state); /* ops of one seed draw the same */
	if (n)
		r.state = hash_bytes(&n, sizeof(n), r.state);
	return r;
}

bool eval_random(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK];
	int64_t rank = tensor_ints(in[0], dims, MAX_RANK);
	DType d = op_dtype(op, A_to);
	if (rank < 0 || in[0]->rank != 1)
		return eval_error(e, op, "the shape is not a list of at most %d integers", MAX_RANK);
	if (!dtype_is_float(d))
		return eval_error(e, op, "results of type %s", op_text(op, A_to));
	Tensor *y = out[0] = tensor_new(e, d, (int)rank, dims);
	if (!y)
		return false;
	Rng r = random_stream(e, op);
	bool normal = op_is(op, OP_random_normal);
	double low = normal ? op_float(op, A_mean) : op_float(op, A_low);
	double width = normal ? op_float(op, A_scale) : op_float(op, A_high) - low;
	for (int64_t i = 0; i < y->count; i++)
		tensor_set_f64(y, i, low + width * (normal ? rng_normal(&r) : rng_unit(&r)));
	return true;
}

bool infer_random(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Elems *shape = infer_elems(x, v);
	DType d = op_dtype(op, A_to);
	int64_t rank;
	if (shape && shape->n <= MAX_RANK) {
		infer_result(x, op, 0, type_tensor(x->ctx, d, (int)shape->n, shape->v));
	} else if (v && type_has_rank(v->type) && v->type->rank == 1 && sym_const(v->type->dims[0], &rank) && rank >= 0 &&
		rank <= MAX_RANK) {
		const Sym *dims[MAX_RANK];
		for (int i = 0; i < (int)rank; i++)
			dims[i] = infer_unknown(x, op, 0, i);
		infer_result(x, op, 0, type_tensor(x->ctx, d, (int)rank, dims));
	} else {
		infer_result(x, op, 0, type_unranked(x->ctx, d));
	}
	return true;
}

/* ---- bernoulli, multinomial ---- */

static bool bernoulli(EvalCtx *e, const Op *op, const Tensor *p, DType d, Tensor **out)
{
	Rng r = random_stream(e, op);
	*out = tensor_new(e, d, p->rank, p->dims);
	for (int64_t i = 0; *out && i < p->count; i++) {
		bool hit = rng_unit(&r) < tensor_get_f64(p, i);
		if (dtype_is_float(d))
			tensor_set_f64(*out, i, hit);
		else
			tensor_set_i64(*out, i, hit);
	}
	return *out != NULL;
}

/* Class of a uniform draw u under unnormalised log probabilities. */
static int64_t pick_class(const Tensor *x, int64_t first, int64_t n, double max, double total, double u)
{
	double reached = 0;
	int64_t last = 0;
	for (int64_t c = 0; c < n; c++) {
		double p = exp(tensor_get_f64(x, first + c) - max) / total;
		if (!(p > 0))
			continue;
		reached += p;
		last = c;
		if (u < reached)
			break;
	}
	return last;
}

static bool multinomial(EvalCtx *e, const Op *op, const Tensor *x, DType d, Tensor **out)
{
	int64_t samples = op_int(op, A_sample_size);
	if (x->rank != 2 || x->dims[1] == 0 || samples < 1 || !dtype_is_float(x->dtype))
		return eval_error(e, op, "%lld samples from an operand of shape %s", (long long)samples, tensor_shape_text(e, x));
	Rng r = random_stream(e, op);
	int64_t dims[2] = {x->dims[0], samples}, n = x->dims[1];
	*out = tensor_new(e, d, 2, dims);
	for (int64_t b = 0; *out && b < dims[0]; b++) {
		double max = -INFINITY, total = 0;
		for (int64_t c = 0; c < n; c++)
			max = fmax(max, tensor_get_f64(x, b * n + c));
		for (int64_t c = 0; c < n; c++)
			total += exp(tensor_get_f64(x, b * n + c) - max);
		for (int64_t s = 0; s < samples; s++)
			tensor_set_i64(*out, b * samples + s, pick_class(x, b * n, n, max, total, rng_unit(&r)));
	}
	return *out != NULL;
}

bool eval_random_like(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	DType d = op_dtype(op, A_to);
	if (d == DT_NONE)
		d = in[0]->dtype;
	if (!dtype_is_float(d) && !dtype_is_integer(d) && d != DT_BOOL)
		return eval_error(e, op, "results of type %s", dtype_friendly_name(d));
	if (dtype_class(in[0]->dtype) == DC_COMPLEX)
		return eval_error(e, op, "complex operands");
	return op_is(op, OP_bernoulli) ? bernoulli(e, op, in[0], d, out) : multinomial(e, op, in[0], d, out);
}

bool infer_random_like(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	DType d = op_dtype(op, A_to);
	if (d == DT_NONE && type_is_tensor(t))
		d = t->dtype;
	if (!type_has_rank(t)) {
		infer_result(x, op, 0, type_unranked(x->ctx, d));
	} else if (op_is(op, OP_bernoulli)) {
		infer_result(x, op, 0, type_with_dtype(x->ctx, t, d));
	} else {
		if (t->rank != 2)
			return infer_error(x, op, "an operand of rank %d, 2 is expected", t->rank);
		const Sym *dims[2] = {t->dims[0], sym_int(x->ctx, op_int(op, A_sample_size))};
		infer_result(x, op, 0, type_tensor(x->ctx, d, 2, dims));
	}
	return true;
}

/* ---- dropout ---- */

static bool scalar_operand(EvalCtx *e, const Op *op, Tensor *const *in, size_t i, double *out)
{
	if (i >= op->noperands || !in[i])
		return true;
	if (in[i]->count != 1 || dtype_class(in[i]->dtype) == DC_COMPLEX)
		return eval_error(e, op, "%s is not a scalar", op_operand_said(e, op, i));
	*out = tensor_get_f64(in[i], 0);
	return true;
}

/* Without training, or at ratio zero, the operand itself. */
bool eval_dropout(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	double ratio = 0.5, training = 0;
	if (!scalar_operand(e, op, in, 1, &ratio) || !scalar_operand(e, op, in, 2, &training))
		return false;
	if (!(ratio >= 0 && ratio < 1))
		return eval_error(e, op, "a ratio of %g", ratio);
	if (!dtype_is_float(in[0]->dtype))
		return eval_error(e, op, "floats are expected, not %s", dtype_friendly_name(in[0]->dtype));
	bool drops = training != 0 && ratio > 0;
	Tensor *mask = tensor_new(e, DT_BOOL, in[0]->rank, in[0]->dims);
	if (!mask)
		return false;
	Rng r = random_stream(e, op);
	uint8_t *keep = mask->data;
	for (int64_t i = 0; i < mask->count; i++)
		keep[i] = !drops || rng_unit(&r) >= ratio;
	out[0] = drops ? tensor_like(e, in[0]) : tensor_ref(in[0]);
	for (int64_t i = 0; drops && out[0] && i < mask->count; i++)
		tensor_set_f64(out[0], i, keep[i] ? tensor_get_f64(in[0], i) / (1 - ratio) : 0);
	if (op->nresults > 1)
		out[1] = mask;
	else
		tensor_unref(mask);
	return out[0] != NULL;
}

bool infer_dropout(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	if (type_is_tensor(t)) {
		infer_result(x, op, 0, t);
		infer_result(x, op, 1, type_with_dtype(x->ctx, t, DT_BOOL));
	}
	return true;
}
