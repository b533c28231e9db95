#include "shlo_int.h"

#include <string.h>

/* Resizing an axis whose sizes only the run knows: places, weights and indices are arithmetic on iotas, in double as the
 * evaluator has it; then one gather for each neighbour. Sizes that are numbers are resized in shlo_window.c. */

typedef struct Open {
	Lg *l;
	const Type *t;           /* f64, one entry for each place of the result */
	Value *in, *out, *scale; /* scalars of f64 */
} Open;

static Value *num(const Open *r, OpKind k, Value *x, double v)
{
	return sh_new2(r->l, k, x, sh_full(r->l, x->type, v));
}

static Value *with(const Open *r, OpKind k, Value *x, Value *scalar)
{
	return sh_new2(r->l, k, x, sh_fit(r->l, scalar, x->type));
}

static Value *is(const Open *r, Value *scalar, const char *how, double v)
{
	return sh_compare_to(r->l, scalar, sh_number(r->l, DT_F64, v), how);
}

/* o (in - 1) / (width - 1), 0 where the width is 1. */
static Value *between_corners(const Open *r, Value *o, Value *width)
{
	Lg *l = r->l;
	Value *one = is(r, width, "EQ", 1), *gaps = sh_select_of(l, one, width, num(r, SHLO_subtract, width, 1));
	Value *x = with(r, SHLO_divide, with(r, SHLO_multiply, o, num(r, SHLO_subtract, r->in, 1)), gaps);
	return sh_select_of(l, one, sh_full(l, r->t, 0), x);
}

/* Where each place of the result lies in the input; NULL: not of this mode. */
static Value *coordinates(const Open *r)
{
	Lg *l = r->l;
	const char *mode = op_text(l->op, A_coordinate_transformation_mode);
	Value *o = sh_iota(l, r->t, 0), *width = sh_new2(l, SHLO_multiply, r->scale, r->in);
	if (!strcmp(mode, "asymmetric"))
		return with(r, SHLO_divide, o, r->scale);
	if (!strcmp(mode, "align_corners"))
		return between_corners(r, o, width);
	Value *half = with(r, SHLO_divide, num(r, SHLO_add, o, 0.5), r->scale);
	if (!strcmp(mode, "tf_half_pixel_for_nn"))
		return half;
	half = num(r, SHLO_subtract, half, 0.5);
	if (!strcmp(mode, "half_pixel"))
		return half;
	if (!strcmp(mode, "pytorch_half_pixel"))
		return sh_select_of(l, is(r, r->out, "GT", 1), half, sh_full(l, r->t, 0));
	if (strcmp(mode, "half_pixel_symmetric"))
		return NULL;
	Value *rest = sh_new2(l, SHLO_subtract, sh_number(l, DT_F64, 1), sh_new2(l, SHLO_divide, r->out, width));
	return with(r, SHLO_add, half, sh_new2(l, SHLO_multiply, num(r, SHLO_divide, r->in, 2), rest));
}

/* Elements at these places, moved inside. */
static Value *take(const Open *r, Value *x, Value *at, int axis)
{
	Lg *l = r->l;
	at = num(r, SHLO_maximum, with(r, SHLO_minimum, at, num(r, SHLO_subtract, r->in, 1)), 0);
	return sh_core2(l, OP_gather, x, sh_convert(l, at, DT_I64), sh_attr(l, A_axis, lg_int(l, axis)));
}

static Value *nearest(const Open *r, Value *x, Value *at, int axis)
{
	Lg *l = r->l;
	const char *mode = op_text(l->op, A_nearest_mode);
	Value *f = sh_new1(l, SHLO_floor, at);
	if (strcmp(mode, "floor")) {
		bool up = !strcmp(mode, "ceil");
		Value *part = sh_new2(l, SHLO_subtract, at, f), *limit = sh_full(l, r->t, up ? 0 : 0.5);
		f = sh_new2(l, SHLO_add, f, sh_convert(l, sh_compare_to(l, part, limit, strcmp(mode, "round_prefer_ceil") ? "GT" : "GE"),
			DT_F64));
	}
	return take(r, x, f, axis);
}

/* Keys' kernel at distance t, inside of 1 and from 1 to 2. */
static Value *cubic_weight(const Open *r, Value *t, bool inner, double a)
{
	Lg *l = r->l;
	if (inner) {
		Value *y = num(r, SHLO_subtract, num(r, SHLO_multiply, t, a + 2), a + 3);
		return num(r, SHLO_add, sh_new2(l, SHLO_multiply, sh_new2(l, SHLO_multiply, y, t), t), 1);
	}
	Value *y = num(r, SHLO_add, sh_new2(l, SHLO_multiply, num(r, SHLO_subtract, t, 5), t), 8);
	return num(r, SHLO_multiply, num(r, SHLO_subtract, sh_new2(l, SHLO_multiply, y, t), 4), a);
}

/* A sum over neighbours: two of the linear kernel, four of the cubic one. */
static Value *weighted(const Open *r, Value *x, Value *at, int axis, bool cubic)
{
	Lg *l = r->l;
	const Sym *dims[MAX_RANK];
	Value *f = sh_new1(l, SHLO_floor, at), *sum = NULL;
	double a = op_float(l->op, A_cubic_coeff_a);
	int rank = x->type->rank;
	for (int d = 0; d < rank; d++)
		dims[d] = d == axis ? r->t->dims[0] : sym_int(l->c, 1);
	for (int k = cubic ? -1 : 0; k <= (cubic ? 2 : 1); k++) {
		Value *place = num(r, SHLO_add, f, k), *t = sh_new1(l, SHLO_abs, sh_new2(l, SHLO_subtract, at, place));
		Value *w = cubic ? cubic_weight(r, t, k == 0 || k == 1, a) : sh_new2(l, SHLO_subtract, sh_full(l, r->t, 1), t);
		w = sh_reshape_to(l, sh_convert(l, w, x->type->dtype), type_tensor(l->c, x->type->dtype, rank, dims));
		Value *term = w ? sh_core2(l, OP_mul, take(r, x, place, axis), w, NULL) : NULL;
		if (!term)
			return NULL;
		sum = sum ? sh_core2(l, OP_add, sum, term, NULL) : term;
	}
	return sum;
}

Value *sh_resize_open(Lg *l, Value *x, int axis, const Sym *out, double scale)
{
	const char *mode = op_text(l->op, A_mode);
	Value *in = sh_size(l, x->type->dims[axis]), *n = sh_size(l, out);
	Open r = { .l = l, .t = type_tensor(l->c, DT_F64, 1, &out) };
	if (!in || !n || !sh_full(l, r.t, 0) || op_int(l->op, A_antialias) || op_int(l->op, A_exclude_outside) ||
		strcmp(op_text(l->op, A_keep_aspect_ratio_policy), "stretch"))
		return NULL;
	r.in = sh_convert(l, in, DT_F64);
	r.out = sh_convert(l, n, DT_F64);
	r.scale = scale > 0 ? sh_number(l, DT_F64, scale) : sh_new2(l, SHLO_divide, r.out, r.in);
	Value *at = coordinates(&r);
	if (!at)
		return NULL;
	return !strcmp(mode, "nearest") ? nearest(&r, x, at, axis) : weighted(&r, x, at, axis, !strcmp(mode, "cubic"));
}
