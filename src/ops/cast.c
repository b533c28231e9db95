/* cast and bitcast: every pair of element types. */
#include "eval_int.h"

#include <math.h>
#include <string.h>

int64_t saturate_int(DType d, double x)
{
	if (x != x)
		return 0;
	if (d == DT_U64)
		return x >= 0x1p64 ? -1 : (int64_t)(x > 0 ? (uint64_t)x : 0);
	if (d == DT_I64)
		return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
	double low = (double)dtype_int_min(d), high = (double)dtype_int_max(d);
	return (int64_t)(x < low ? low : x > high ? high : x);
}

/* ---- text ---- */

/* Numbers as the ONNX text forms have them: decimal, scientific, NaN, INF in any case, and a sign. */
static bool parse_number(const Str *s, double *out)
{
	char word[12];
	const char *p = s->s;
	size_t len = s->len;
	if (parse_double(p, len, out))
		return true;
	bool minus = len && *p == '-';
	if (len && (*p == '-' || *p == '+')) {
		p++;
		len--;
	}
	if (len == 0 || len >= sizeof(word))
		return false;
	for (size_t i = 0; i < len; i++)
		word[i] = (char)(p[i] >= 'A' && p[i] <= 'Z' ? p[i] - 'A' + 'a' : p[i]);
	word[len] = 0;
	if (!strcmp(word, "nan"))
		*out = NAN;
	else if (!strcmp(word, "inf") || !strcmp(word, "infinity"))
		*out = INFINITY;
	else
		return false;
	*out = minus ? -*out : *out;
	return true;
}

static bool cast_from_text(EvalCtx *e, const Op *op, const Tensor *x, Tensor *y)
{
	const Str *const *src = x->data;
	for (int64_t i = 0; i < x->count; i++) {
		int64_t n;
		double v;
		bool whole = parse_int64(src[i]->s, src[i]->len, &n);
		if (!whole && !parse_number(src[i], &v))
			return eval_error(e, op, "element %lld, %s, is not a number", (long long)i,
				quote(e->diags->arena, src[i]->s, src[i]->len));
		if (!dtype_is_float(y->dtype) && dtype_class(y->dtype) != DC_COMPLEX)
			tensor_set_i64(y, i, y->dtype == DT_BOOL ? (whole ? n != 0 : v != 0) : whole ? n : saturate_int(y->dtype, v));
		else
			tensor_set_f64(y, i, whole ? (double)n : v);
	}
	return true;
}

static const Str *number_text(EvalCtx *e, Arena *a, const Tensor *x, int64_t i)
{
	Context *c = e->ctx;
	if (x->dtype == DT_BOOL)
		return str(c, tensor_get_i64(x, i) ? "True" : "False");
	if (x->dtype == DT_U64)
		return str_fmt(c, "%llu", (unsigned long long)tensor_get_i64(x, i));
	if (!dtype_is_float(x->dtype))
		return str_fmt(c, "%lld", (long long)tensor_get_i64(x, i));
	double v = tensor_get_f64(x, i);
	if (v != v)
		return str(c, "NaN");
	if (isinf(v))
		return str(c, v > 0 ? "INF" : "-INF");
	return str(c, x->dtype == DT_F64 ? format_double(a, v) : format_float(a, (float)v));
}

static bool cast_to_text(EvalCtx *e, const Op *op, const Tensor *x, Tensor *y)
{
	if (dtype_class(x->dtype) == DC_COMPLEX)
		return eval_unsupported(e, op, "complex numbers to text");
	Arena *a = arena_new();
	for (int64_t i = 0; i < x->count; i++)
		((const Str **)y->data)[i] = number_text(e, a, x, i);
	arena_free(a);
	return true;
}

/* ---- numbers ---- */

typedef enum RoundMode { ROUND_NEAREST, ROUND_UP, ROUND_DOWN } RoundMode;

typedef struct CastRun {
	const Tensor *x;
	Tensor *y;
	bool saturate;
	RoundMode scale_mode; /* for power-of-two scales (f8E8M0) */
} CastRun;

/* Powers of two only: the exponent is rounded up, down or to the nearer power (ties up), and limited when saturating. */
static double round_scale(double x, RoundMode mode, bool saturate)
{
	const int lowest = -127, highest = 127;
	if (!(x > 0) || isinf(x))
		return x == 0 ? 0x1p-127 : isinf(x) && x > 0 && saturate ? 0x1p127 : NAN;
	int exp;
	double half = frexp(x, &exp); /* x = half * 2^exp, half in [0.5, 1) */
	exp--;
	if ((mode == ROUND_UP && half > 0.5) || (mode == ROUND_NEAREST && half >= 0.75))
		exp++;
	if (exp > highest)
		return saturate ? 0x1p127 : NAN;
	return ldexp(1, exp < lowest ? lowest : exp);
}

void store_rounded(Tensor *t, int64_t at, int64_t n, const double *v, bool saturate)
{
	DType d = t->dtype;
	bool narrow = dtype_is_float(d) && d != DT_F32 && d != DT_F64;
	if (narrow && t->store != d) {
		double *dst = (double *)t->data + at;
		for (int64_t i = 0; i < n; i++)
			dst[i] = dtype_decode_float(d, dtype_encode_float(d, v[i], saturate));
	} else if (narrow && !saturate && dtype_bits(d) <= 8) {
		uint8_t *dst = (uint8_t *)t->data + at;
		for (int64_t i = 0; i < n; i++)
			dst[i] = (uint8_t)dtype_encode_float(d, v[i], false);
	} else {
		tensor_store_f64(t, at, n, v);
	}
}

static void store_floats(const CastRun *r, int64_t at, int64_t n, const double *v)
{
	double scale[BLOCK];
	if (r->y->dtype == DT_F8E8M0) {
		for (int64_t i = 0; i < n; i++)
			scale[i] = round_scale(v[i], r->scale_mode, r->saturate);
		v = scale;
	}
	store_rounded(r->y, at, n, v, r->saturate);
}

static void cast_from_float(void *arg, int64_t begin, int64_t end)
{
	const CastRun *r = arg;
	DType d = r->y->dtype, range = dtype_bits(d) < 8 ? DT_I64 : d; /* ONNX wraps integers of less than a byte */
	double v[BLOCK];
	int64_t ints[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_f64(r->x, at, n, v);
		if (dtype_is_integer(d)) {
			for (int64_t i = 0; i < n; i++)
				ints[i] = saturate_int(range, v[i]);
			tensor_store_i64(r->y, at, n, ints);
		} else {
			store_floats(r, at, n, v);
		}
	}
}

/* What lies below bit 12 is folded into that bit, so that narrow floats are rounded once. */
static double double_of_u64(uint64_t u, DType target)
{
	if (target == DT_F64 || u >> 53 == 0)
		return (double)u;
	uint64_t low = u & 0xFFF;
	return (double)((u - low) | (low ? 0x1000 : 0));
}

static void cast_from_int(void *arg, int64_t begin, int64_t end)
{
	const CastRun *r = arg;
	DType d = r->y->dtype;
	bool to_float = dtype_is_float(d) || dtype_class(d) == DC_COMPLEX;
	bool by_double = to_float && (r->x->dtype == DT_U64 || r->y->store != d || dtype_bits(d) <= 8);
	int64_t ints[BLOCK];
	double v[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_i64(r->x, at, n, ints);
		if (!by_double) {
			tensor_store_i64(r->y, at, n, ints);
			continue;
		}
		for (int64_t i = 0; i < n; i++)
			v[i] = r->x->dtype == DT_U64 ? double_of_u64((uint64_t)ints[i], d) : (double)ints[i];
		store_floats(r, at, n, v);
	}
}

static void cast_complex(const Tensor *x, Tensor *y)
{
	for (int64_t i = 0; i < 2 * x->count; i++) {
		double v = x->store == DT_C64 ? ((const float *)x->data)[i] : ((const double *)x->data)[i];
		if (y->store == DT_C64)
			((float *)y->data)[i] = (float)v;
		else
			((double *)y->data)[i] = v;
	}
}

static bool cast_numbers(EvalCtx *e, const Op *op, const Tensor *x, Tensor *y)
{
	enum { COST = 3 };
	CastRun r = {.x = x, .y = y, .saturate = op_int(op, A_saturate) != 0, .scale_mode = ROUND_UP};
	const Str *mode = op_attr_str(op, A_round_mode);
	if (mode)
		r.scale_mode = !strcmp(mode->s, "nearest") ? ROUND_NEAREST : !strcmp(mode->s, "down") ? ROUND_DOWN : ROUND_UP;
	DTypeClass from = dtype_class(x->dtype);
	if (from == DC_COMPLEX && dtype_class(y->dtype) == DC_COMPLEX)
		cast_complex(x, y);
	else if (from == DC_FLOAT || from == DC_COMPLEX)
		eval_ranges(e, x->count, COST, cast_from_float, &r);
	else
		eval_ranges(e, x->count, COST, cast_from_int, &r);
	return true;
}

bool eval_cast(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0];
	DType d = op_dtype(op, A_to);
	if (d == DT_NONE)
		return eval_error(e, op, "an unknown target type %s", op_text(op, A_to));
	if (d == x->dtype) {
		out[0] = tensor_ref(x);
		return true;
	}
	Tensor *y = tensor_new(e, d, x->rank, x->dims);
	if (!y)
		return false;
	bool ok;
	if (x->dtype == DT_STR)
		ok = cast_from_text(e, op, x, y);
	else if (d == DT_STR)
		ok = cast_to_text(e, op, x, y);
	else
		ok = cast_numbers(e, op, x, y);
	if (ok)
		out[0] = y;
	else
		tensor_unref(y);
	return ok;
}

bool infer_cast(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	DType d = op_dtype(op, A_to);
	if (d == DT_NONE)
		return infer_error(x, op, "an unknown target type %s", op_text(op, A_to));
	if (v && type_is_tensor(v->type))
		infer_result(x, op, 0, type_with_dtype(x->ctx, v->type, d));
	else
		infer_result(x, op, 0, type_unranked(x->ctx, d));
	return true;
}

/* ---- bitcast ---- */

/* Shape of the result: the same for equal widths; a narrower type adds a last dim of the parts, a wider one consumes it. */
static bool bitcast_dims(DType from, DType to, int rank, const int64_t *dims, int *out_rank, int64_t *out)
{
	int a = dtype_bits(from), b = dtype_bits(to);
	memcpy(out, dims, (size_t)rank * sizeof(*dims));
	*out_rank = rank;
	if (a > b && b > 0 && a % b == 0 && rank < MAX_RANK) {
		out[rank] = a / b;
		*out_rank = rank + 1;
	} else if (a < b && a > 0 && b % a == 0 && rank > 0 && dims[rank - 1] == b / a) {
		*out_rank = rank - 1;
	} else {
		return a == b && a > 0;
	}
	return true;
}

/* Through the packed bits of the logical type. */
bool eval_bitcast(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	DType to = op_dtype(op, A_to);
	int rank;
	int64_t dims[MAX_RANK], bytes;
	size_t packed;
	if (to == DT_NONE || !bitcast_dims(x->dtype, to, x->rank, x->dims, &rank, dims) ||
		!dtype_packed_bytes(x->dtype, x->count, &packed) || !mul_ok(x->count, (int64_t)dtype_size(x->dtype), &bytes))
		return eval_error(e, op, "%s of shape %s has no reading as %s", dtype_friendly_name(x->dtype),
			tensor_shape_text(e, x), op_text(op, A_to));
	if (e->oracle && (dtype_class(x->dtype) == DC_COMPLEX || dtype_class(to) == DC_COMPLEX))
		return eval_unsupported(e, op, "bits of complex numbers");
	int64_t spare = (int64_t)packed;
	Tensor *y = tensor_new(e, to, rank, dims);
	Tensor *bits = tensor_new(e, DT_U8, 1, &spare), *plain = tensor_new(e, DT_U8, 1, &bytes);
	bool ok = y && bits && plain;
	if (ok) {
		const void *elements = x->data;
		if (x->store != x->dtype) {
			dtype_store_f64(x->dtype, plain->data, x->count, x->data);
			elements = plain->data;
		}
		dtype_pack(x->dtype, elements, x->count, bits->data);
		if (y->store == to) {
			dtype_unpack(to, bits->data, y->count, y->data);
		} else {
			Tensor *raw = tensor_new(e, DT_U64, rank, dims); /* room for any element type */
			ok = raw != NULL;
			if (ok) {
				dtype_unpack(to, bits->data, y->count, raw->data);
				dtype_load_f64(to, raw->data, y->count, y->data);
			}
			tensor_unref(raw);
		}
	}
	tensor_unref(bits);
	tensor_unref(plain);
	if (ok)
		out[0] = y;
	else
		tensor_unref(y);
	return ok;
}

bool infer_bitcast(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	DType to = op_dtype(op, A_to);
	if (to == DT_NONE)
		return infer_error(x, op, "an unknown target type %s", op_text(op, A_to));
	const Type *t = v ? v->type : NULL;
	if (!type_has_rank(t) || t->dtype == DT_NONE) {
		infer_result(x, op, 0, type_unranked(x->ctx, to));
		return true;
	}
	int a = dtype_bits(t->dtype), b = dtype_bits(to);
	if (a == b) {
		infer_result(x, op, 0, type_with_dtype(x->ctx, t, to));
	} else if (a > b && b > 0 && t->rank < MAX_RANK) {
		const Sym *dims[MAX_RANK + 1];
		for (int i = 0; i < t->rank; i++)
			dims[i] = t->dims[i];
		dims[t->rank] = sym_int(x->ctx, a / b);
		infer_result(x, op, 0, type_tensor(x->ctx, to, t->rank + 1, dims));
	} else if (t->rank > 0) {
		infer_result(x, op, 0, type_tensor(x->ctx, to, t->rank - 1, t->dims));
	} else {
		return infer_error(x, op, "%s has no reading as %s", dtype_friendly_name(t->dtype), dtype_friendly_name(to));
	}
	return true;
}
