/* Linear quantisation: whole tensor, by axis, or in blocks along an axis. */
#include "eval_int.h"
#include "move.h"

#include <math.h>
#include <string.h>

typedef struct QuantRun {
	const Tensor *x;
	Tensor *y;
	Walk scale, zero;   /* zero.t == NULL: none */
	DType division;     /* precision of x / scale; DT_NONE: unrounded */
	bool saturate;
	Tensor *held[2];    /* expanded parameters */
} QuantRun;

/* A copy of p with each row along the axis repeated block times, cut to the size of x: for blocks that do not divide x. */
static Tensor *expand_blocks(EvalCtx *e, const Tensor *p, const Tensor *x, int axis, int64_t block)
{
	Tensor *t = tensor_new_f64(e, x->rank, x->dims);
	if (!t || t->count == 0)
		return t;
	int64_t inner = 1, size = x->dims[axis];
	for (int d = axis + 1; d < x->rank; d++)
		inner *= x->dims[d];
	for (int64_t i = 0; i < x->count / inner; i++) {
		int64_t outer = i / size, row = outer * p->dims[axis] + i % size / block;
		tensor_load_f64(p, row * inner, inner, (double *)t->data + i * inner);
	}
	return t;
}

/* The walk of a scale or zero point along x. False + error when its shape fits none of the three granularities. */
static bool param_walk(EvalCtx *e, const Op *op, const Tensor *x, const Tensor *p, Walk *w, Tensor **held)
{
	int64_t dims[MAX_RANK + 1], step[MAX_RANK + 1], strides[MAX_RANK];
	int64_t block = op_int(op, A_block_size);
	int axis;
	if (p->count == 1) {
		walk_init_strided(w, p, 0, NULL, NULL);
		w->plain = false;
		return true;
	}
	if (!axis_norm(op_int(op, A_axis), x->rank, &axis))
		return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), x->rank);
	if (p->rank == 1 && (block == 0 || x->rank != 1)) {
		if (p->count != x->dims[axis])
			return eval_error(e, op, "%lld scales or zero points for an axis of %lld", (long long)p->count,
				(long long)x->dims[axis]);
		for (int d = 0; d < x->rank; d++)
			step[d] = d == axis;
		walk_init_strided(w, p, x->rank, x->dims, step);
		return true;
	}
	bool fits = p->rank == x->rank && block > 0;
	for (int d = 0; fits && d < x->rank; d++)
		fits = p->dims[d] == (d == axis ? x->dims[d] / block + (x->dims[d] % block != 0) : x->dims[d]);
	if (!fits)
		return eval_error(e, op, "scales or zero points of shape %s for %s in blocks of %lld", tensor_shape_text(e, p),
			tensor_shape_text(e, x), (long long)block);
	if (x->dims[axis] % block || x->rank >= MAX_RANK) {
		*held = expand_blocks(e, p, x, axis, block);
		if (*held)
			walk_init(w, *held, x->rank, x->dims);
		return *held != NULL;
	}
	strides_of(p->rank, p->dims, strides);
	for (int d = 0, n = 0; d < x->rank; d++) {
		dims[n] = p->dims[d];
		step[n++] = strides[d];
		if (d == axis) {
			dims[n] = block;
			step[n++] = 0;
		}
	}
	walk_init_strided(w, p, x->rank + 1, dims, step);
	return true;
}

static bool prepare(EvalCtx *e, const Op *op, Tensor *const *in, QuantRun *r)
{
	const Tensor *zero = op->noperands > 2 ? in[2] : NULL;
	r->x = in[0];
	if (!dtype_is_float(in[1]->dtype))
		return eval_error(e, op, "scales of type %s", dtype_friendly_name(in[1]->dtype));
	return param_walk(e, op, in[0], in[1], &r->scale, &r->held[0]) &&
		(!zero || param_walk(e, op, in[0], zero, &r->zero, &r->held[1]));
}

static double round_quotient(DType d, double v)
{
	if (d == DT_F32)
		return (float)v;
	return d == DT_NONE || d == DT_F64 ? v : dtype_decode_float(d, dtype_encode_float(d, v, false));
}

static void run_quantize(void *arg, int64_t begin, int64_t end)
{
	const QuantRun *r = arg;
	DType d = r->y->dtype;
	double v[BLOCK], sbuf[BLOCK], zbuf[BLOCK];
	int64_t q[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		const double *scale = walk_f64(&r->scale, at, n, sbuf);
		const double *zero = r->zero.t ? walk_f64(&r->zero, at, n, zbuf) : NULL;
		tensor_load_f64(r->x, at, n, v);
		for (int64_t i = 0; i < n; i++)
			v[i] = round_quotient(r->division, v[i] / scale[i]);
		if (dtype_is_float(d)) {
			for (int64_t i = 0; zero && i < n; i++)
				v[i] += zero[i];
			store_rounded(r->y, at, n, v, r->saturate);
			continue;
		}
		for (int64_t i = 0; i < n; i++)
			q[i] = saturate_int(d, nearbyint(v[i]) + (zero ? zero[i] : 0));
		tensor_store_i64(r->y, at, n, q);
	}
}

static DType quantized_type(const Op *op, const Tensor *zero)
{
	DType to = op_dtype(op, A_to);
	return zero ? zero->dtype : to != DT_NONE ? to : DT_U8;
}

enum { COST = 8 }; /* of an element, in additions */

/* The whole result by `run`; the two held tensors are released. */
static bool run_all(EvalCtx *e, const Op *op, Tensor *const *in, DType d, void (*run)(void *, int64_t, int64_t), QuantRun *r,
		Tensor **out)
{
	if (prepare(e, op, in, r))
		r->y = tensor_new(e, d, in[0]->rank, in[0]->dims);
	if (r->y)
		eval_ranges(e, in[0]->count, COST, run, r);
	tensor_unref(r->held[0]);
	tensor_unref(r->held[1]);
	out[0] = r->y;
	return r->y != NULL;
}

bool eval_quantize(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *zero = op->noperands > 2 ? in[2] : NULL;
	DType d = quantized_type(op, zero), to = op_dtype(op, A_to);
	DType precision = dtype_from_onnx(op_attr_int(op, A_precision, 0));
	if (!dtype_is_float(x->dtype) && !dtype_is_integer(x->dtype))
		return eval_error(e, op, "an operand of type %s", dtype_friendly_name(x->dtype));
	if ((!dtype_is_integer(d) && !dtype_is_float(d)) || (to != DT_NONE && to != d))
		return eval_error(e, op, "a zero point of type %s for results of type %s", dtype_friendly_name(d),
			op_text(op, A_to));
	QuantRun r = {.saturate = op_int(op, A_saturate) != 0};
	if (precision == DT_NONE)
		precision = dtype_bits(in[1]->dtype) <= 8 ? DT_F32 : in[1]->dtype; /* scales in 8 bits are a storage format */
	r.division = e->oracle ? DT_NONE : precision;
	return run_all(e, op, in, d, run_quantize, &r, out);
}

/* Scales for one axis: the axis exists and has their number. */
static bool params_fit(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *scale = op_operand(op, 1);
	int rank = value_rank(v), axis;
	int64_t n;
	if (rank < 0 || value_rank(scale) != 1 || !sym_const(scale->type->dims[0], &n) || n == 1)
		return true;
	if (!infer_axis(x, op, op_int(op, A_axis), rank, &axis))
		return false;
	int64_t size;
	if (op_int(op, A_block_size) == 0 && sym_const(v->type->dims[axis], &size) && size != n)
		return infer_error(x, op, "%lld scales for %lld elements along axis %d", (long long)n, (long long)size, axis);
	return true;
}

bool infer_quantize(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *zero = op_operand(op, 2);
	DType d = op_dtype(op, A_to);
	if (!params_fit(x, op))
		return false;
	if (zero)
		d = type_is_tensor(zero->type) && zero->type->dtype != DT_NONE ? zero->type->dtype : d;
	else if (d == DT_NONE)
		d = DT_U8;
	if (v && type_is_tensor(v->type))
		infer_result(x, op, 0, type_with_dtype(x->ctx, v->type, d));
	else
		infer_result(x, op, 0, type_unranked(x->ctx, d));
	return true;
}

/* ---- dequantize ---- */

static void run_dequantize(void *arg, int64_t begin, int64_t end)
{
	const QuantRun *r = arg;
	double v[BLOCK], sbuf[BLOCK], zbuf[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		const double *scale = walk_f64(&r->scale, at, n, sbuf);
		const double *zero = r->zero.t ? walk_f64(&r->zero, at, n, zbuf) : NULL;
		tensor_load_f64(r->x, at, n, v);
		for (int64_t i = 0; i < n; i++)
			v[i] = (v[i] - (zero ? zero[i] : 0)) * scale[i];
		tensor_store_f64(r->y, at, n, v);
	}
}

bool eval_dequantize(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	DType d = op_dtype(op, A_to);
	if (d == DT_NONE)
		d = in[1]->dtype;
	if (!dtype_is_float(d) || (!dtype_is_float(x->dtype) && !dtype_is_integer(x->dtype)))
		return eval_error(e, op, "%s to %s", dtype_friendly_name(x->dtype), dtype_friendly_name(d));
	QuantRun r = {0};
	return run_all(e, op, in, d, run_dequantize, &r, out);
}

bool infer_dequantize(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *scale = op_operand(op, 1);
	DType d = op_dtype(op, A_to);
	if (!params_fit(x, op))
		return false;
	if (d == DT_NONE && scale && type_is_tensor(scale->type))
		d = scale->type->dtype;
	if (v && type_is_tensor(v->type))
		infer_result(x, op, 0, type_with_dtype(x->ctx, v->type, d));
	else
		infer_result(x, op, 0, type_unranked(x->ctx, d));
	return true;
}

/* ---- dynamic_quantize: u8 over the range of the data and zero ---- */

bool eval_dynamic_quantize(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { LEVELS = 255 };
	const Tensor *x = in[0];
	double low = 0, high = 0, buf[BLOCK];
	if (!dtype_is_float(x->dtype))
		return eval_error(e, op, "floats are expected, not %s", dtype_friendly_name(x->dtype));
	for (int64_t at = 0; at < x->count; at += BLOCK) {
		int64_t n = x->count - at < BLOCK ? x->count - at : BLOCK;
		tensor_load_f64(x, at, n, buf);
		for (int64_t i = 0; i < n; i++) {
			low = buf[i] < low ? buf[i] : low;
			high = buf[i] > high ? buf[i] : high;
		}
	}
	double scale = e->oracle ? (high - low) / LEVELS : (float)(high - low) / (float)LEVELS;
	if (scale == 0)
		scale = 1;
	Tensor *ts = tensor_new(e, DT_F32, 0, NULL), *tz = tensor_new(e, DT_U8, 0, NULL);
	QuantRun r = {.x = x, .y = tensor_new(e, DT_U8, x->rank, x->dims), .division = e->oracle ? DT_NONE : DT_F32};
	out[0] = r.y;
	out[1] = ts;
	out[2] = tz;
	if (!ts || !tz || !r.y)
		return false;
	tensor_set_f64(ts, 0, scale);
	tensor_set_i64(tz, 0, saturate_int(DT_U8, nearbyint(round_quotient(r.division, -low / scale))));
	walk_init_strided(&r.scale, ts, 0, NULL, NULL);
	walk_init_strided(&r.zero, tz, 0, NULL, NULL);
	r.scale.plain = r.zero.plain = false;
	eval_ranges(e, x->count, COST, run_quantize, &r);
	return true;
}

bool infer_dynamic_quantize(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	if (v && type_is_tensor(v->type))
		infer_result(x, op, 0, type_with_dtype(x->ctx, v->type, DT_U8));
	infer_result(x, op, 1, type_tensor(x->ctx, DT_F32, 0, NULL));
	infer_result(x, op, 2, type_tensor(x->ctx, DT_U8, 0, NULL));
	return true;
}
