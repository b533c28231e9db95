/* Assertions of self-checking modules, and the ops that only pass things on: tuples, tokens, barriers. */
#include "stablehlo_int.h"

#include <math.h>

/* ---- comparing ---- */

static bool same_bits(const Tensor *a, const Tensor *b, int64_t i)
{
	size_t n = tensor_elem_size(a);
	return !memcmp((const char *)a->data + (size_t)i * n, (const char *)b->data + (size_t)i * n, n);
}

/* Place of a float in the order of all floats of its type; both zeros are one. */
static int64_t float_order(DType d, double x)
{
	uint64_t bits = 0;
	int width = dtype_bits(d);
	if (d == DT_F64) {
		memcpy(&bits, &x, sizeof x);
	} else if (d == DT_F32) {
		float f = (float)x;
		memcpy(&bits, &f, sizeof f);
	} else {
		bits = dtype_encode_float(d, x, false);
	}
	uint64_t sign = (uint64_t)1 << (width - 1);
	return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static bool close_parts(DType d, double a, double b, const ShloTolerance *t)
{
	if (a == b || (a != a && b != b))
		return true;
	if (a != a || b != b)
		return false;
	if (t->relative)
		return fabs(a - b) <= t->tolerance * (1 + fabs(b)) && isfinite(a) && isfinite(b);
	int64_t x = float_order(d, a), y = float_order(d, b);
	uint64_t distance = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
	return distance <= (uint64_t)t->max_ulp && distance >= (uint64_t)t->min_ulp;
}

static bool elements_match(const Tensor *a, const Tensor *b, int64_t i, const ShloTolerance *t)
{
	DTypeClass c = dtype_class(a->dtype);
	double x[2], y[2];
	if (c != DC_FLOAT && c != DC_COMPLEX)
		return same_bits(a, b, i);
	shlo_load_complex(a, i, x);
	shlo_load_complex(b, i, y);
	if (t->exact) /* zeros of either sign are equal, and so are NaNs */
		return (x[0] == y[0] || (x[0] != x[0] && y[0] != y[0])) && (x[1] == y[1] || (x[1] != x[1] && y[1] != y[1]));
	DType d = a->dtype == DT_C64 ? DT_F32 : a->dtype == DT_C128 ? DT_F64 : a->dtype;
	return close_parts(d, x[0], y[0], t) && close_parts(d, x[1], y[1], t);
}

static const char *element_text(EvalCtx *e, const Tensor *t, int64_t i)
{
	double v[2];
	DTypeClass c = dtype_class(t->dtype);
	if (c == DC_UINT)
		return arena_printf(e->diags->arena, "%llu", (unsigned long long)tensor_get_i64(t, i));
	if (c != DC_FLOAT && c != DC_COMPLEX)
		return arena_printf(e->diags->arena, "%lld", (long long)tensor_get_i64(t, i));
	shlo_load_complex(t, i, v);
	if (c == DC_COMPLEX)
		return arena_printf(e->diags->arena, "(%.9g, %.9g)", v[0], v[1]);
	return arena_printf(e->diags->arena, "%.9g", v[0]);
}

int shlo_tensors_match(EvalCtx *e, const Op *op, const Tensor *a, const Tensor *b, const ShloTolerance *t, int64_t *first)
{
	if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR || a->dtype != b->dtype || a->store != b->store ||
		!tensor_same_shape(a, b)) {
		eval_error(e, op, "compares %s of shape %s with %s of shape %s", dtype_name(a->dtype), tensor_shape_text(e, a),
			dtype_name(b->dtype), tensor_shape_text(e, b));
		return -1;
	}
	for (*first = 0; *first < a->count; ++*first)
		if (!elements_match(a, b, *first, t))
			return 0;
	return 1;
}

bool shlo_expect(EvalCtx *e, const Op *op, const Tensor *got, const Tensor *want, const ShloTolerance *t)
{
	int64_t i;
	int r = shlo_tensors_match(e, op, got, want, t, &i);
	if (r == 0)
		return eval_error(e, op, "element %lld is %s, expected %s", (long long)i, element_text(e, got, i),
			element_text(e, want, i));
	return r > 0;
}

/* check.*: one row's name says how. Tolerances are upstream's. */
bool eval_chk_expect(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const double DEFAULT_TOLERANCE = 0.001;
	ShloTolerance t = { .tolerance = DEFAULT_TOLERANCE };
	const Attr *value = op_attr(op, A_value);
	(void)out;
	switch (op_kind(op)) {
	case CHK_expect_close:
		t.min_ulp = op_attr_int(op, A_min_ulp_difference, 0);
		t.max_ulp = op_attr_int(op, A_max_ulp_difference, 3);
		break;
	case CHK_expect_almost_eq: case CHK_expect_almost_eq_const:
		t.relative = true;
		t.tolerance = op_attr_float(op, A_tolerance, DEFAULT_TOLERANCE);
		break;
	default:
		t.exact = true;
	}
	if (op->noperands > 1)
		return shlo_expect(e, op, in[0], in[1], &t);
	if (!value || value->kind != ATTR_TENSOR)
		return eval_error(e, op, "it has no value to compare with");
	Tensor *want = tensor_from_attr(e, value);
	bool ok = want && shlo_expect(e, op, in[0], want, &t);
	tensor_unref(want);
	return ok;
}

/* ---- calls and passing on ---- */

bool eval_shlo_composite(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Attr *a = op_attr(op, A_decomposition);
	const Str *name = a && (a->kind == ATTR_SYMREF || a->kind == ATTR_STR) ? a->u.str : NULL;
	for (const Func *f = name ? op->block->func->module->funcs : NULL; f; f = f->next)
		if (f->name == name)
			return eval_func(e, f, in, op->noperands, out, op->nresults);
	return eval_error(e, op, "there is no function %s", name ? quote(e->diags->arena, name->s, name->len) : "");
}

bool eval_shlo_forward(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (op->noperands != op->nresults)
		return eval_error(e, op, "%u operands and %u results", op->noperands, op->nresults);
	for (size_t i = 0; i < op->nresults; i++)
		out[i] = tensor_ref(in[i]);
	return true;
}

/* A tuple is a sequence of what is in it; a token an empty one. */
bool eval_shlo_tuple(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	out[0] = tensor_sequence(e, TYPE_SEQUENCE, in, op->noperands);
	return out[0] != NULL;
}

bool eval_shlo_get_tuple_element(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t i = op_attr_int(op, A_index, 0);
	if (in[0]->kind != TYPE_SEQUENCE || i < 0 || i >= in[0]->nitems)
		return eval_error(e, op, "the tuple has no element %lld", (long long)i);
	out[0] = tensor_ref(in[0]->items[i]);
	return true;
}

bool eval_shlo_after_all(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)op;
	(void)in;
	out[0] = tensor_sequence(e, TYPE_SEQUENCE, NULL, 0);
	return out[0] != NULL;
}

bool eval_shlo_zero(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)in;
	out[0] = shlo_new_result(e, op, 0);
	return out[0] != NULL;
}
