/* Elementwise ops with any number of operands, selection and clamping. */
#include "eval_int.h"

#include <math.h>
#include <string.h>

/* ---- add_n, min_n, max_n, mean_n: folded from the left in double, or in 64-bit integers ---- */

typedef struct NaryRun {
	OpKind kind;
	Walk walk;       /* of the next operand */
	bool first;
	bool is_unsigned;
	double divisor;
	Tensor *sum;     /* doubles or i64 of the result's shape */
	Tensor *y;
} NaryRun;

static void fold_f64(void *arg, int64_t begin, int64_t end)
{
	const NaryRun *r = arg;
	double buf[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		const double *v = walk_f64(&r->walk, at, n, buf);
		double *acc = (double *)r->sum->data + at;
		for (int64_t i = 0; i < n; i++) {
			if (r->first)
				acc[i] = v[i];
			else if (r->kind == OP_max_n)
				acc[i] = max_nan(acc[i], v[i]);
			else if (r->kind == OP_min_n)
				acc[i] = min_nan(acc[i], v[i]);
			else
				acc[i] += v[i];
		}
	}
}

static void fold_i64(void *arg, int64_t begin, int64_t end)
{
	const NaryRun *r = arg;
	int64_t buf[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		const int64_t *v = walk_i64(&r->walk, at, n, buf);
		int64_t *acc = (int64_t *)r->sum->data + at;
		for (int64_t i = 0; i < n; i++) {
			bool less = r->is_unsigned ? (uint64_t)acc[i] < (uint64_t)v[i] : acc[i] < v[i];
			if (r->first || (r->kind == OP_max_n && less) || (r->kind == OP_min_n && !less))
				acc[i] = v[i];
			else if (r->kind == OP_add_n || r->kind == OP_mean_n)
				acc[i] = (int64_t)((uint64_t)acc[i] + (uint64_t)v[i]);
		}
	}
}

static void finish_f64(void *arg, int64_t begin, int64_t end)
{
	const NaryRun *r = arg;
	double *acc = r->sum->data;
	if (r->divisor != 1)
		for (int64_t i = begin; i < end; i++)
			acc[i] /= r->divisor;
	tensor_store_f64(r->y, begin, end - begin, acc + begin);
}

bool eval_nary(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 2 };
	int rank;
	int64_t dims[MAX_RANK];
	DType d = op->noperands ? in[0]->dtype : DT_NONE;
	for (size_t i = 0; i < op->noperands; i++)
		if (in[i]->dtype != d)
			return eval_error(e, op, "operands of types %s and %s", dtype_friendly_name(d),
				dtype_friendly_name(in[i]->dtype));
	if (op->noperands == 0)
		return eval_error(e, op, "no operands");
	if (dtype_class(d) == DC_COMPLEX || d == DT_BOOL)
		return eval_unsupported(e, op, "operands of type %s", dtype_friendly_name(d));
	if (!broadcast_dims(in, op->noperands, &rank, dims))
		return eval_error(e, op, "the shapes of the operands do not broadcast");
	bool is_float = dtype_is_float(d), mean = op_is(op, OP_mean_n);
	NaryRun r = {.kind = op_kind(op), .is_unsigned = dtype_class(d) == DC_UINT, .divisor = mean ? op->noperands : 1};
	r.sum = is_float ? tensor_new_f64(e, rank, dims) : tensor_new(e, DT_I64, rank, dims);
	r.y = r.sum ? tensor_new(e, d, rank, dims) : NULL;
	if (!r.y) {
		tensor_unref(r.sum);
		return false;
	}
	for (size_t i = 0; i < op->noperands; i++) {
		walk_init(&r.walk, in[i], rank, dims);
		r.first = i == 0;
		eval_ranges(e, r.y->count, COST, is_float ? fold_f64 : fold_i64, &r);
	}
	if (is_float) {
		eval_ranges(e, r.y->count, COST, finish_f64, &r);
	} else {
		int64_t *acc = r.sum->data;
		for (int64_t i = 0; mean && i < r.y->count; i++)
			acc[i] /= op->noperands;
		tensor_store_i64(r.y, 0, r.y->count, acc);
	}
	tensor_unref(r.sum);
	out[0] = r.y;
	return true;
}

static DType common_dtype(const Op *op, size_t from, bool *conflict)
{
	DType d = DT_NONE;
	for (size_t i = from; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (!v || !type_is_tensor(v->type) || v->type->dtype == DT_NONE)
			continue;
		if (d == DT_NONE)
			d = v->type->dtype;
		else if (d != v->type->dtype)
			*conflict = true;
	}
	return d;
}

/* Types of all operands; an absent one, which is invalid, counts as unknown. */
static const Type **operand_types(InferCtx *x, const Op *op)
{
	const Type **t = NEW_ARRAY(x->arena, const Type *, op->noperands + 1u);
	for (size_t i = 0; i < op->noperands; i++)
		t[i] = op_operand(op, i) ? op_operand(op, i)->type : type_unknown(x->ctx);
	return t;
}

/* Shared by all that broadcast every operand: the element type is that of the operands from `typed` on. */
static bool infer_broadcasting(InferCtx *x, Op *op, size_t typed)
{
	bool conflict = false, ok = true;
	DType d = common_dtype(op, typed, &conflict);
	if (conflict)
		return infer_error(x, op, "operands of different element types");
	const Type *t = op->noperands ? infer_broadcast(x, op, d, operand_types(x, op), op->noperands, &ok) : NULL;
	if (!ok)
		return infer_error(x, op, "the shapes of the operands do not broadcast");
	infer_result(x, op, 0, t ? t : type_unranked(x->ctx, d));
	return true;
}

bool infer_nary(InferCtx *x, Op *op)
{
	return infer_broadcasting(x, op, 0);
}

/* ---- select ---- */

typedef struct SelectRun {
	Walk cond, a, b;
	Tensor *y;
} SelectRun;

/* One size an instance, so that copies become moves. */
static inline void pick(int64_t n, const int64_t *cond, const char *a, const char *b, char *dst, size_t size)
{
	for (int64_t i = 0; i < n; i++)
		memcpy(dst + (size_t)i * size, (cond[i] ? a : b) + (size_t)i * size, size);
}

static void run_select(void *arg, int64_t begin, int64_t end)
{
	const SelectRun *r = arg;
	int64_t cond_buf[BLOCK];
	double a_buf[2 * BLOCK], b_buf[2 * BLOCK];
	size_t size = tensor_elem_size(r->y);
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		const int64_t *cond = walk_i64(&r->cond, at, n, cond_buf);
		const char *a = walk_raw(&r->a, at, n, a_buf), *b = walk_raw(&r->b, at, n, b_buf);
		char *dst = (char *)r->y->data + (size_t)at * size;
		switch (size) {
		case 1: pick(n, cond, a, b, dst, 1); break;
		case 2: pick(n, cond, a, b, dst, 2); break;
		case 4: pick(n, cond, a, b, dst, 4); break;
		case 8: pick(n, cond, a, b, dst, 8); break;
		default: pick(n, cond, a, b, dst, size); break;
		}
	}
}

bool eval_select(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 2 };
	int rank;
	int64_t dims[MAX_RANK];
	if (in[0]->dtype != DT_BOOL)
		return eval_error(e, op, "the condition is %s, bool is expected", dtype_friendly_name(in[0]->dtype));
	if (in[1]->dtype != in[2]->dtype)
		return eval_error(e, op, "operands of types %s and %s", dtype_friendly_name(in[1]->dtype),
			dtype_friendly_name(in[2]->dtype));
	if (!broadcast_dims(in, 3, &rank, dims))
		return eval_error(e, op, "shapes %s, %s and %s do not broadcast", tensor_shape_text(e, in[0]),
			tensor_shape_text(e, in[1]), tensor_shape_text(e, in[2]));
	SelectRun r = {.y = tensor_raw(e, in[1]->dtype, rank, dims)};
	if (!r.y)
		return false;
	walk_init(&r.cond, in[0], rank, dims);
	walk_init(&r.a, in[1], rank, dims);
	walk_init(&r.b, in[2], rank, dims);
	eval_ranges(e, r.y->count, COST, run_select, &r);
	out[0] = r.y;
	return true;
}

bool infer_select(InferCtx *x, Op *op)
{
	return infer_broadcasting(x, op, 1);
}

/* ---- clamp ---- */

typedef struct ClampRun {
	const Tensor *x;
	Tensor *y;
	bool has_low, has_high, is_unsigned;
	double low, high;
	int64_t int_low, int_high;
} ClampRun;

/* NaN stays NaN; with low > high the result is high. Zeros as max_nan and min_nan have them: a bound that equals the value
 * takes its place unless the bound is the -0 below or the +0 above. */
static void clamp_f32(void *arg, int64_t begin, int64_t end)
{
	const ClampRun *r = arg;
	const float *src = r->x->data;
	float *dst = r->y->data, low = (float)r->low, high = (float)r->high;
	bool over_low = signbit(low), under_high = !signbit(high);
	for (int64_t i = begin; i < end; i++) {
		float v = src[i];
		v = v > low || v != v || (over_low && v == low) ? v : low;
		dst[i] = v < high || v != v || (under_high && v == high) ? v : high;
	}
}

static void clamp_f64(void *arg, int64_t begin, int64_t end)
{
	const ClampRun *r = arg;
	double v[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_f64(r->x, at, n, v);
		for (int64_t i = 0; i < n; i++)
			v[i] = v[i] != v[i] ? v[i] : min_nan(max_nan(v[i], r->low), r->high);
		tensor_store_f64(r->y, at, n, v);
	}
}

static bool less(const ClampRun *r, int64_t a, int64_t b)
{
	return r->is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

static void clamp_i64(void *arg, int64_t begin, int64_t end)
{
	const ClampRun *r = arg;
	int64_t v[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_i64(r->x, at, n, v);
		for (int64_t i = 0; i < n; i++) {
			if (r->has_low && less(r, v[i], r->int_low))
				v[i] = r->int_low;
			if (r->has_high && less(r, r->int_high, v[i]))
				v[i] = r->int_high;
		}
		tensor_store_i64(r->y, at, n, v);
	}
}

bool eval_clamp(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 2 };
	Tensor *x = in[0];
	const Tensor *low = op->noperands > 1 ? in[1] : NULL, *high = op->noperands > 2 ? in[2] : NULL;
	if (dtype_class(x->dtype) == DC_COMPLEX)
		return eval_unsupported(e, op, "complex operands");
	if ((low && low->count != 1) || (high && high->count != 1))
		return eval_error(e, op, "a bound that is not a scalar");
	if ((low && low->dtype != x->dtype) || (high && high->dtype != x->dtype))
		return eval_error(e, op, "bounds of another type than %s", dtype_friendly_name(x->dtype));
	ClampRun r = {.x = x, .y = tensor_over(e, x), .has_low = low, .has_high = high, .low = -__builtin_inf(),
		.high = __builtin_inf(), .is_unsigned = dtype_class(x->dtype) == DC_UINT};
	if (!r.y)
		return false;
	if (dtype_is_float(x->dtype)) {
		r.low = low ? tensor_get_f64(low, 0) : r.low;
		r.high = high ? tensor_get_f64(high, 0) : r.high;
		eval_ranges(e, x->count, COST, x->store == DT_F32 ? clamp_f32 : clamp_f64, &r);
	} else {
		r.int_low = low ? tensor_get_i64(low, 0) : 0;
		r.int_high = high ? tensor_get_i64(high, 0) : 0;
		eval_ranges(e, x->count, COST, clamp_i64, &r);
	}
	out[0] = r.y;
	return true;
}

bool infer_clamp(InferCtx *x, Op *op)
{
	return infer_identity(x, op);
}
