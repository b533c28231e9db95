/* Types and element facts: shape arithmetic with symbols, reshape and friends, control flow, bindings. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

/* ---- helpers ---- */

typedef struct World {
	Build *b;
	InferCtx x;
	Diags diags;
} World;

static void world_init(World *w)
{
	w->b = build_new(17);
	diags_init(&w->diags, w->b->arena);
	infer_init(&w->x, w->b->module, w->b->arena, &w->diags);
}

static bool world_infer(World *w)
{
	return shape_infer(&w->x, w->b->module);
}

static const char *dims_text(World *w, const Type *t)
{
	Buf text = { 0 };
	if (!type_is_tensor(t))
		return "none";
	if (t->rank < 0)
		return "*";
	buf_puts(&text, "");
	for (int i = 0; i < t->rank; i++) {
		buf_puts(&text, i ? "," : "");
		if (sym_is_unknown(t->dims[i]))
			buf_puts(&text, "?");
		else
			sym_print(t->dims[i], &text);
	}
	char *out = arena_strdup(w->b->arena, text.data);
	buf_free(&text);
	return out;
}

/* Dims of v, unknown ones as "?". */
static void expect_dims(World *w, const Value *v, const char *want)
{
	assert_string_equal(dims_text(w, v->type), want);
}

static void expect_elems(World *w, const Value *v, const char *want)
{
	const Elems *e = infer_elems(&w->x, v);
	if (!e) {
		assert_string_equal("none", want);
		return;
	}
	Buf text = { 0 };
	buf_puts(&text, "");
	for (int64_t i = 0; i < e->n; i++) {
		buf_puts(&text, i ? "," : "");
		if (sym_is_unknown(e->v[i]))
			buf_puts(&text, "?");
		else
			sym_print(e->v[i], &text);
	}
	assert_string_equal(text.data, want);
	buf_free(&text);
}

static Value *b_int(Build *b, int64_t v)
{
	return constant_from_ints(b->func->body, NULL, DT_I64, 0, NULL, &v);
}

static Value *b_dim(Build *b, Value *x, int64_t i)
{
	return B_OP(b, OP_gather, "axis=0", B_OP(b, OP_shape, "", x), b_int(b, i));
}

static Value *b_vector(Build *b, Value *scalar)
{
	return B_OP(b, OP_unsqueeze, "axes=0", scalar);
}

/* ---- shape arithmetic ---- */

static void arithmetic_on_sizes(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,3,h,w");
	Value *s = B_OP(b, OP_shape, "", x), *n = b_dim(b, x, 0), *h = b_dim(b, x, -2);
	Value *part = B_OP(b, OP_shape, "start=-2", x), *none = B_OP(b, OP_shape, "start=3 end=1", x);
	Value *count = B_OP(b, OP_size, "", x);
	Value *sum = B_OP(b, OP_add, "", h, b_int(b, 1)), *prod = B_OP(b, OP_mul, "", n, b_int(b, 6));
	Value *half = B_OP(b, OP_div, "", h, b_int(b, 2)), *back = B_OP(b, OP_div, "", prod, b_int(b, 3));
	Value *mod = B_OP(b, OP_mod, "", prod, b_int(b, 3)), *neg = B_OP(b, OP_neg, "", h);
	Value *big = B_OP(b, OP_max, "", h, b_int(b, -4)), *low = B_OP(b, OP_min, "", h, b_int(b, 0));
	Value *total = B_OP(b, OP_reduce, "kind=prod axes=0 keepdims=0", s);
	Value *plus = B_OP(b, OP_reduce, "kind=sum axes=0 keepdims=1", part);
	Value *both = B_OP(b, OP_concat, "axis=0", b_vector(b, n), B_INTS(b, -1), part);
	Value *run = B_OP(b, OP_cumsum, "", part, b_int(b, 0));
	Value *wide = B_OP(b, OP_cast, "to=i32", both);
	assert_true(world_infer(&w));
	expect_elems(&w, s, "n,3,h,w");
	expect_elems(&w, n, "n");
	expect_elems(&w, part, "h,w");
	expect_dims(&w, none, "0");
	expect_elems(&w, count, "3*h*n*w");
	expect_elems(&w, sum, "h+1");
	expect_elems(&w, prod, "6*n");
	expect_elems(&w, half, "floordiv(h,2)");
	expect_elems(&w, back, "2*n");
	expect_elems(&w, mod, "0");
	expect_elems(&w, neg, "-h");
	expect_elems(&w, big, "h");
	expect_elems(&w, low, "0");
	expect_elems(&w, total, "3*h*n*w");
	expect_dims(&w, plus, "1");
	expect_elems(&w, plus, "h+w");
	expect_elems(&w, both, "n,-1,h,w");
	expect_elems(&w, run, "h,h+w");
	expect_elems(&w, wide, "n,-1,h,w");
	assert_int_equal(wide->type->dtype, DT_I32);
	build_free(b);
}

static void comparisons_and_selection(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,8"), *y = b_input(b, DT_F32, "n,m");
	Value *n = b_dim(b, x, 0), *n2 = b_dim(b, y, 0), *m = b_dim(b, y, 1);
	Value *same = B_OP(b, OP_eq, "", n, n2), *diff = B_OP(b, OP_eq, "", n, B_OP(b, OP_add, "", n2, b_int(b, 1)));
	Value *open = B_OP(b, OP_eq, "", n, m), *less = B_OP(b, OP_lt, "", n, b_int(b, 0));
	Value *ge = B_OP(b, OP_ge, "", n, b_int(b, 0)), *not_less = B_OP(b, OP_not, "", less);
	Value *both = B_OP(b, OP_and, "", same, ge), *any = B_OP(b, OP_or, "", open, same), *never = B_OP(b, OP_and, "", open, less);
	Value *pick = B_OP(b, OP_select, "", same, n, m), *other = B_OP(b, OP_select, "", less, n, m);
	Value *equal_sides = B_OP(b, OP_select, "", open, n, n2), *unsure = B_OP(b, OP_select, "", open, n, m);
	Value *shape = B_OP(b, OP_shape, "", y), *minus = B_OP(b, OP_eq, "", B_INTS(b, -1, 2), B_INTS(b, -1, -1));
	Value *merged = B_OP(b, OP_select, "", minus, shape, B_INTS(b, 5, 6));
	assert_true(world_infer(&w));
	expect_elems(&w, same, "1");
	expect_elems(&w, diff, "0");
	expect_elems(&w, open, "?");
	expect_elems(&w, less, "0");
	expect_elems(&w, ge, "1");
	expect_elems(&w, not_less, "1");
	expect_elems(&w, both, "1");
	expect_elems(&w, any, "1");
	expect_elems(&w, never, "0");
	expect_elems(&w, pick, "n");
	expect_elems(&w, other, "m");
	expect_elems(&w, equal_sides, "n");
	expect_elems(&w, unsure, "none");
	expect_elems(&w, merged, "n,6");
	build_free(b);
}

static void movement_of_elements(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,3,h,w"), *s = B_OP(b, OP_shape, "", x);
	Value *tail = B_OP(b, OP_slice, "", s, B_INTS(b, -2), B_INTS(b, INT64_MAX));
	Value *back = B_OP(b, OP_slice, "", s, B_INTS(b, -1), B_INTS(b, INT64_MIN), B_INTS(b, -2));
	Value *grid = B_OP(b, OP_reshape, "", s, B_INTS(b, 2, 2)), *turned = B_OP(b, OP_transpose, "", grid);
	Value *flat = B_OP(b, OP_reshape, "", turned, B_INTS(b, -1));
	Value *tiled = B_OP(b, OP_tile, "", tail, B_INTS(b, 2)), *padded = B_OP(b, OP_pad, "", tail, B_INTS(b, 1, 2));
	Value *wide = B_OP(b, OP_expand, "", b_dim(b, x, 0), B_INTS(b, 3));
	Op *parts = b_op_multi(b, OP_split, "axis=0", 2, (Value *[]){ s, B_INTS(b, 1, 3) }, 2);
	Value *put = B_OP(b, OP_scatter_elements, "axis=0", s, B_INTS(b, 1), b_vector(b, b_dim(b, x, 2)));
	Value *index = constant_from_ints(b->func->body, NULL, DT_I64, 2, (int64_t[]){ 2, 1 }, (int64_t[]){ 3, 0 });
	Value *put_nd = B_OP(b, OP_scatter_nd, "", s, index, B_INTS(b, 7, 8));
	Value *picked = B_OP(b, OP_gather, "axis=0", s, B_INTS(b, 3, 0, -1));
	assert_true(world_infer(&w));
	expect_elems(&w, tail, "h,w");
	expect_elems(&w, back, "w,3");
	expect_elems(&w, flat, "n,h,3,w");
	expect_elems(&w, tiled, "h,w,h,w");
	expect_elems(&w, padded, "0,h,w,0,0");
	expect_elems(&w, wide, "n,n,n");
	expect_elems(&w, parts->results[0], "n");
	expect_elems(&w, parts->results[1], "3,h,w");
	expect_elems(&w, put, "n,h,h,w");
	expect_elems(&w, put_nd, "8,3,h,7");
	expect_elems(&w, picked, "w,n,w");
	build_free(b);
}

static Value *b_number(Build *b, double v)
{
	return constant_from_floats(b->func->body, NULL, DT_F32, 0, NULL, &v);
}

/* Exporters compute sizes in float. */
static void detours_through_float(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,h"), *h = b_dim(b, x, 1);
	Value *f = B_OP(b, OP_cast, "to=f32", h);
	Value *half = B_OP(b, OP_floor, "", B_OP(b, OP_div, "", f, b_number(b, 2)));
	Value *third = B_OP(b, OP_ceil, "", B_OP(b, OP_div, "", f, b_number(b, 3)));
	Value *quarter = B_OP(b, OP_floor, "", B_OP(b, OP_mul, "", f, b_number(b, 0.75)));
	Value *twice = B_OP(b, OP_cast, "to=i64", B_OP(b, OP_mul, "", f, b_number(b, 2)));
	Value *cut = B_OP(b, OP_cast, "to=i64", B_OP(b, OP_div, "", f, b_number(b, 4)));
	Value *tenth = B_OP(b, OP_floor, "", B_OP(b, OP_mul, "", f, b_number(b, 0.1)));
	Value *ih = B_OP(b, OP_cast, "to=i64", half), *narrow = B_OP(b, OP_cast, "to=i8", h);
	Value *wrapped = B_OP(b, OP_cast, "to=i8", B_INTS(b, 300));
	Value *half_precision = B_OP(b, OP_cast, "to=f16", h);
	assert_true(world_infer(&w));
	expect_elems(&w, f, "h");
	expect_elems(&w, half, "floordiv(h,2)");
	expect_elems(&w, ih, "floordiv(h,2)");
	expect_elems(&w, third, "floordiv(h+2,3)");
	expect_elems(&w, quarter, "floordiv(3*h,4)");
	expect_elems(&w, twice, "2*h");
	expect_elems(&w, cut, "floordiv(h,4)");
	expect_elems(&w, tenth, "none"); /* 0.1 is not exact */
	expect_elems(&w, narrow, "?");
	expect_elems(&w, wrapped, "44");
	expect_elems(&w, half_precision, "none");
	build_free(b);
}

static void ranges_and_fills(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,4"), *n = b_dim(b, x, 0), *four = b_dim(b, x, 1);
	Value *open = B_OP(b, OP_range, "", b_int(b, 0), n, b_int(b, 1));
	Value *odd = B_OP(b, OP_range, "", b_int(b, 1), n, b_int(b, 2));
	Value *closed = B_OP(b, OP_range, "", n, B_OP(b, OP_add, "", n, four), b_int(b, 1));
	Value *down = B_OP(b, OP_range, "", b_int(b, 5), b_int(b, 0), b_int(b, -2));
	Value *floats = B_OP(b, OP_range, "", b_number(b, 0), b_number(b, 1), b_number(b, 0.25));
	Value *ones = B_OP(b, OP_fill, "", B_OP(b, OP_shape, "", x));
	Value *scalar = B_OP(b, OP_fill, "", b_ints(b, 0, NULL));
	assert_true(world_infer(&w));
	expect_dims(&w, open, "n");
	expect_dims(&w, odd, "floordiv(n,2)");
	expect_dims(&w, closed, "4");
	expect_elems(&w, closed, "n,n+1,n+2,n+3");
	expect_dims(&w, down, "3");
	expect_elems(&w, down, "5,3,1");
	expect_dims(&w, floats, "4");
	expect_dims(&w, ones, "n,4");
	expect_dims(&w, scalar, "");
	build_free(b);
}

/* ---- reshape and friends ---- */

static void reshapes(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,12,h,w"), *ask = b_input(b, DT_I64, "3");
	Value *heads = B_OP(b, OP_reshape, "", x, B_INTS(b, 0, 3, -1, 0));
	Value *lead = B_OP(b, OP_reshape, "", x, B_INTS(b, 0, -1));
	Value *n = b_vector(b, b_dim(b, x, 0)), *h = b_vector(b, b_dim(b, x, 2));
	Value *all = B_OP(b, OP_reshape, "", x, B_OP(b, OP_concat, "axis=0", n, B_INTS(b, -1), h));
	Value *exact = B_OP(b, OP_reshape, "", x, B_OP(b, OP_concat, "axis=0", n, h, B_INTS(b, 12), b_vector(b, b_dim(b, x, 3))));
	Value *whole = B_OP(b, OP_reshape, "", x, B_INTS(b, -1)), *open = B_OP(b, OP_reshape, "", x, ask);
	Value *flat = B_OP(b, OP_flatten, "axis=2", x), *flat0 = B_OP(b, OP_flatten, "axis=0", x);
	Value *zero = b_input(b, DT_F32, "0,3");
	Value *empty = B_OP(b, OP_reshape, "allowzero=1", zero, B_INTS(b, 3, 0));
	Value *unranked = b_input(b, DT_F32, NULL);
	Value *ranked = B_OP(b, OP_reshape, "", unranked, B_INTS(b, 0, -1, 7));
	assert_true(world_infer(&w));
	expect_dims(&w, heads, "n,3,4*h,w");
	expect_dims(&w, lead, "n,12*h*w");
	expect_dims(&w, all, "n,12*w,h");
	expect_dims(&w, exact, "n,h,12,w");
	expect_dims(&w, whole, "12*h*n*w");
	expect_dims(&w, open, "?,?,?");
	expect_dims(&w, flat, "12*n,h*w");
	expect_dims(&w, flat0, "1,12*h*n*w");
	expect_dims(&w, empty, "3,0");
	expect_dims(&w, ranked, "?,?,7");
	build_free(b);
}

static void slices(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,10"), *n = b_vector(b, b_dim(b, x, 0));
	Value *full = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, 0), n);
	Value *far = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, 0), B_INTS(b, 2147483647));
	Value *head = B_OP(b, OP_slice, "axes=-1", x, B_INTS(b, 2), B_INTS(b, -3));
	Value *steps = B_OP(b, OP_slice, "axes=1", x, B_INTS(b, 9), B_INTS(b, INT64_MIN), B_INTS(b, -4));
	Value *some = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, 0), B_INTS(b, 5));
	Value *last = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, -1), B_INTS(b, INT64_MAX));
	Value *tail = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, -3), B_INTS(b, INT64_MAX));
	Value *turned = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, -1), B_INTS(b, INT64_MIN), B_INTS(b, -1));
	Value *nothing = B_OP(b, OP_slice, "axes=1", x, B_INTS(b, 8), B_INTS(b, 3));
	Value *run = b_input(b, DT_I64, "1"), *open = B_OP(b, OP_slice, "axes=1", x, run, B_INTS(b, 9));
	assert_true(world_infer(&w));
	expect_dims(&w, full, "n,10");
	expect_dims(&w, far, "n,10");
	expect_dims(&w, head, "n,5");
	expect_dims(&w, steps, "n,3");
	expect_dims(&w, some, "min(n,5),10");
	expect_dims(&w, turned, "n,10");
	expect_dims(&w, nothing, "n,0");
	expect_dims(&w, open, "n,?");
	expect_dims(&w, last, "min(n,1),10");
	expect_dims(&w, tail, "min(n,3),10");
	build_free(b);
}

static void structure(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,s,8"), *y = b_input(b, DT_F32, "n,t,8"), *table = b_input(b, DT_F32, "64,8");
	Value *cat = B_OP(b, OP_concat, "axis=1", x, y), *pad = B_OP(b, OP_pad, "", x, B_INTS(b, 0, 1, 0, 0, 2, -3));
	Value *rep = B_OP(b, OP_tile, "", x, B_OP(b, OP_concat, "axis=0", B_INTS(b, 1, 2), b_vector(b, b_dim(b, y, 1))));
	Value *row = B_OP(b, OP_expand, "", b_input(b, DT_F32, "1,8"), B_OP(b, OP_shape, "", x));
	Op *halves = b_op_multi(b, OP_split, "axis=2", 1, &x, 2);
	Op *three = b_op_multi(b, OP_split, "axis=2", 1, &x, 3);
	Value *ids = b_input(b, DT_I64, "n,s"), *emb = B_OP(b, OP_gather, "axis=0", table, ids);
	Value *cut = B_OP(b, OP_slice, "axes=0", table, B_INTS(b, 0), b_vector(b, b_dim(b, ids, 1)));
	Value *sum = B_OP(b, OP_add, "", emb, cut);
	Value *hot = B_OP(b, OP_one_hot, "axis=0", ids, b_int(b, 5), b_floats(b, DT_F32, "2", (double[]){ 0, 1 }));
	Value *nd = B_OP(b, OP_gather_nd, "batch_dims=1", x, b_input(b, DT_I64, "n,4,1"));
	Value *image = b_input(b, DT_F32, "n,8,h,w"), *up = B_OP(b, OP_depth_to_space, "blocksize=2", image);
	Value *down = B_OP(b, OP_space_to_depth, "blocksize=2", up);
	Value *nz = B_OP(b, OP_nonzero, "", ids), *sq = B_OP(b, OP_squeeze, "", b_input(b, DT_F32, "1,3,1"));
	Value *unsure = B_OP(b, OP_squeeze, "", x), *us = B_OP(b, OP_unsqueeze, "axes=-1,0", table);
	assert_true(world_infer(&w));
	expect_dims(&w, cat, "n,s+t,8");
	expect_dims(&w, pad, "n,s+3,5");
	expect_dims(&w, rep, "n,2*s,8*t");
	expect_dims(&w, row, "n,s,8");
	expect_dims(&w, halves->results[1], "n,s,4");
	expect_dims(&w, three->results[0], "n,s,3");
	expect_dims(&w, three->results[2], "n,s,2");
	expect_dims(&w, emb, "n,s,8");
	expect_dims(&w, sum, "n,s,8");
	expect_dims(&w, hot, "5,n,s");
	expect_dims(&w, nd, "n,4,8");
	expect_dims(&w, up, "n,2,2*h,2*w");
	expect_dims(&w, down, "n,8,h,w");
	expect_dims(&w, nz, "2,?");
	expect_dims(&w, sq, "3");
	expect_dims(&w, unsure, "*");
	expect_dims(&w, us, "1,64,8,1");
	build_free(b);
}

static void broadcasting(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,1,8"), *y = b_input(b, DT_F32, "m,1"), *z = b_input(b, DT_F32, "?,8");
	Value *a = B_OP(b, OP_add, "", x, y), *c = B_OP(b, OP_mul, "", x, y), *d = B_OP(b, OP_sub, "", z, z);
	Value *e = B_OP(b, OP_add, "", b_input(b, DT_F32, "n"), b_input(b, DT_F32, "m"));
	Value *f = B_OP(b, OP_add, "", b->func->body->args[3], b->func->body->args[4]);
	assert_true(world_infer(&w));
	expect_dims(&w, a, "n,m,8");
	assert_ptr_equal(a->type, c->type);
	assert_ptr_equal(d->type, z->type);
	expect_dims(&w, e, "?");
	assert_ptr_equal(e->type, f->type); /* the same unknown for the same pair */
	build_free(b);
}

/* ---- errors, declarations ---- */

static void invalid_ops(void **state)
{
	(void)state;
	struct { OpKind kind; const char *attrs, *dims; int64_t ints[3]; size_t n; } cases[] = {
		{ OP_reshape, "", "2,3", { 4, -1 }, 2 }, { OP_reshape, "", "2,3", { -1, -1 }, 2 }, { OP_reshape, "", "2,3", { 7 }, 1 },
		{ OP_reshape, "", "6", { 1, 1, 0 }, 3 }, { OP_reshape, "", "6", { -2, 3 }, 2 }, { OP_reshape, "", "0,3", { 0, -1 }, 2 }, { OP_tile, "", "2,3", { 2 }, 1 },
		{ OP_pad, "", "2,3", { 1, 1 }, 2 }, { OP_expand, "", "2,3", { 2, 4 }, 2 }, { OP_gather, "axis=2", "2,3", { 0 }, 1 },
		{ OP_gather, "axis=1", "2,3", { 3 }, 1 }, { OP_split, "axis=0", "5", { 2 }, 1 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		World w;
		world_init(&w);
		Value *x = b_input(w.b, DT_F32, cases[i].dims);
		B_OP(w.b, cases[i].kind, cases[i].attrs, x, b_ints(w.b, cases[i].n, cases[i].ints));
		w.x.strict = true;
		if (world_infer(&w) || w.diags.status != HONE_BAD_INPUT)
			fail_msg("case %zu is accepted", i);
		build_free(w.b);
		world_init(&w);
		x = b_input(w.b, DT_F32, cases[i].dims);
		B_OP(w.b, cases[i].kind, cases[i].attrs, x, b_ints(w.b, cases[i].n, cases[i].ints));
		assert_true(world_infer(&w)); /* not strict: a warning, once */
		assert_true(world_infer(&w));
		assert_int_equal(w.diags.list.len, 1);
		build_free(w.b);
	}
}

static void declared_types(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,3"), *mask = b_input(b, DT_BOOL, "3");
	Value *y = B_OP(b, OP_relu, "", x), *z = B_OP(b, OP_relu, "", y), *c = B_OP(b, OP_compress, "axis=1", x, mask);
	const Sym *wrong[2] = { sym_int(b->ctx, 7), sym_int(b->ctx, 4) }, *hint[2] = { sym_int(b->ctx, 9), sym_int(b->ctx, 2) };
	value_set_type(y, type_tensor(b->ctx, DT_F32, 2, wrong));
	value_set_type(z, type_unknown(b->ctx));
	value_set_type(c, type_tensor(b->ctx, DT_F32, 2, hint));
	assert_true(world_infer(&w));
	expect_dims(&w, y, "n,3"); /* inference wins, and says so */
	expect_dims(&w, z, "n,3");
	expect_dims(&w, c, "n,2"); /* what inference leaves open is taken from the declaration */
	assert_int_equal(w.diags.list.len, 1);
	assert_int_equal(w.diags.list.data[0].severity, SEV_WARNING);
	build_free(b);
}

/* ---- control flow ---- */

static Value *block_op(Build *b, Block *blk, OpKind k, size_t n, Value *const *operands, const NamedAttr *attrs, size_t nattrs)
{
	OpSpec s = { .def = op_def(b->ctx, k), .operands = operands, .noperands = n, .attrs = attrs, .nattrs = nattrs,
		.nresults = k == OP_yield ? 0 : 1 };
	Op *op = op_new(blk, NULL, &s);
	return op_result(op, 0);
}

static Op *region_op(Build *b, OpKind k, size_t n, Value *const *operands, size_t nresults, size_t nblocks, Block **blocks)
{
	OpSpec s = { .def = op_def(b->ctx, k), .operands = operands, .noperands = n, .nresults = nresults, .nblocks = nblocks };
	Op *op = op_new(b->func->body, NULL, &s);
	for (size_t i = 0; i < nblocks; i++) {
		blocks[i] = block_new(b->func, op);
		op_set_block(op, i, blocks[i]);
	}
	return op;
}

static void branches(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,1,4"), *cond = b_input(b, DT_BOOL, ""), *y = b_input(b, DT_F32, "n,2,4");
	Value *n = b_dim(b, x, 0), *one = b_int(b, 1);
	Value *known = B_OP(b, OP_ge, "", n, b_int(b, 0));
	Value *conds[2] = { cond, known };
	Op *ops[2];
	NamedAttr axes = { b->ctx->attr_names[A_axes], attr_ints(b->ctx, (int64_t[]){ 1 }, 1) };
	for (int i = 0; i < 2; i++) {
		Block *blocks[2];
		ops[i] = region_op(b, OP_if, 1, &conds[i], 3, 2, blocks);
		Value *a[3] = { x, block_op(b, blocks[0], OP_squeeze, 1, &x, &axes, 1), n };
		Value *c[3] = { y, block_op(b, blocks[1], OP_squeeze, 1, &y, &axes, 1), one }; /* invalid, but never run */
		block_op(b, blocks[0], OP_yield, 3, a, NULL, 0);
		block_op(b, blocks[1], OP_yield, 3, c, NULL, 0);
	}
	w.x.strict = true;
	assert_true(world_infer(&w));
	expect_dims(&w, ops[0]->results[0], "n,?,4");
	expect_dims(&w, ops[1]->results[0], "n,1,4");
	expect_dims(&w, ops[1]->results[1], "n,4");
	expect_elems(&w, ops[0]->results[2], "none");
	expect_elems(&w, ops[1]->results[2], "n");
	build_free(b);
}

/* A loop whose first state value keeps its shape, whose second grows, and that stacks its elements. */
static void loops(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,4"), *seed = b_input(b, DT_F32, "1,4"), *count = b_input(b, DT_I64, "");
	Value *always = constant_from_ints(b->func->body, NULL, DT_BOOL, 0, NULL, (int64_t[]){ 1 });
	Value *trips[2] = { b_int(b, 3), count };
	Op *ops[2];
	for (int i = 0; i < 2; i++) {
		Block *body;
		Value *operands[5] = { trips[i], always, x, seed, b_dim(b, x, 1) };
		ops[i] = region_op(b, OP_loop, 5, operands, 4, 1, &body);
		block_add_arg(body, type_tensor(b->ctx, DT_I64, 0, NULL), NULL);
		Value *cond = block_add_arg(body, type_tensor(b->ctx, DT_BOOL, 0, NULL), NULL);
		Value *keep = block_add_arg(body, type_unknown(b->ctx), NULL), *grow = block_add_arg(body, type_unknown(b->ctx), NULL);
		Value *size = block_add_arg(body, type_unknown(b->ctx), NULL);
		NamedAttr axis = { b->ctx->attr_names[A_axis], attr_int(b->ctx, 0) };
		Value *relu = block_op(b, body, OP_relu, 1, &keep, NULL, 0);
		Value *longer = block_op(b, body, OP_concat, 2, (Value *[]){ grow, seed }, &axis, 1);
		block_op(b, body, OP_yield, 5, (Value *[]){ cond, relu, longer, size, relu }, NULL, 0);
	}
	assert_true(world_infer(&w));
	for (int i = 0; i < 2; i++) {
		expect_dims(&w, ops[i]->results[0], "n,4");
		expect_dims(&w, ops[i]->results[1], "?,4");
		expect_elems(&w, ops[i]->results[2], "4");
		expect_dims(&w, ops[i]->results[3], i == 0 ? "3,n,4" : "?,n,4");
	}
	const Block *body = ops[0]->blocks[0];
	expect_dims(&w, body->args[3], "?,4");
	assert_ptr_not_equal(body->args[3]->type->dims[0], ops[0]->results[1]->type->dims[0]);
	w.x.changed = false;
	assert_true(world_infer(&w)); /* at rest */
	assert_false(w.x.changed);
	build_free(b);
}

static void scans(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *init = b_input(b, DT_F32, "8"), *xs = b_input(b, DT_F32, "8,t");
	NamedAttr attrs[] = {
		{ b->ctx->attr_names[A_num_scan_inputs], attr_int(b->ctx, 1) },
		{ b->ctx->attr_names[A_scan_input_axes], attr_ints(b->ctx, (int64_t[]){ -1 }, 1) },
		{ b->ctx->attr_names[A_scan_output_axes], attr_ints(b->ctx, (int64_t[]){ 1 }, 1) },
	};
	Value *operands[2] = { init, xs };
	OpSpec s = { .def = op_def(b->ctx, OP_scan), .operands = operands, .noperands = 2, .nresults = 2, .nblocks = 1,
		.attrs = attrs, .nattrs = ARRAY_LEN(attrs) };
	Op *op = op_new(b->func->body, NULL, &s);
	Block *body = block_new(b->func, op);
	op_set_block(op, 0, body);
	Value *h = block_add_arg(body, type_unknown(b->ctx), NULL), *x = block_add_arg(body, type_unknown(b->ctx), NULL);
	Value *sum = block_op(b, body, OP_add, 2, (Value *[]){ h, x }, NULL, 0);
	block_op(b, body, OP_yield, 2, (Value *[]){ sum, sum }, NULL, 0);
	assert_true(world_infer(&w));
	expect_dims(&w, x, "8");
	expect_dims(&w, op->results[0], "8");
	expect_dims(&w, op->results[1], "8,t");
	build_free(b);
}

static Func *library(Build *b, const char *name)
{
	Func *f = func_new(b->module, str(b->ctx, name));
	f->is_library = true;
	Value *a = block_add_arg(f->body, type_unknown(b->ctx), NULL);
	Value *r = block_op(b, f->body, OP_relu, 1, &a, NULL, 0);
	OpSpec s = { .def = op_def(b->ctx, OP_return), .operands = &r, .noperands = 1 };
	op_new(f->body, NULL, &s);
	return f;
}

static Value *call(Build *b, const Func *f, Value *v)
{
	NamedAttr callee = { b->ctx->attr_names[A_callee], attr_str(b->ctx, f->name) };
	return block_op(b, b->func->body, OP_call, 1, &v, &callee, 1);
}

static void functions(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Func *once = library(b, "d::once"), *often = library(b, "d::often");
	Value *x = b_input(b, DT_F32, "n,4"), *y = b_input(b, DT_F32, "m,4");
	Value *a = call(b, once, x), *c = call(b, often, x), *d = call(b, often, y), *after = B_OP(b, OP_transpose, "", a);
	assert_true(world_infer(&w));
	expect_dims(&w, a, "n,4");
	expect_dims(&w, after, "4,n");
	expect_dims(&w, c, "?,4");
	expect_dims(&w, d, "?,4");
	assert_ptr_not_equal(c->type->dims[0], d->type->dims[0]); /* an unknown of the callee is not one size for all calls */
	build_free(b);
}

/* ---- updates ---- */

static void updates_follow_users(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Value *x = b_input(b, DT_F32, "n,4"), *ask = b_input(b, DT_I64, "2");
	Value *r = B_OP(b, OP_reshape, "", x, ask), *t = B_OP(b, OP_transpose, "", r), *s = B_OP(b, OP_shape, "", t);
	assert_true(world_infer(&w));
	expect_dims(&w, t, "?,?");
	op_set_operand(r->def, 1, B_INTS(b, 2, -1));
	op_move_before(op_operand(r->def, 1)->def, r->def);
	shape_update(&w.x, r->def, true);
	expect_dims(&w, r, "2,2*n");
	expect_dims(&w, t, "2*n,2");
	expect_elems(&w, s, "2*n,2");
	build_free(b);
}

/* ---- bindings ---- */

static void bindings(void **state)
{
	(void)state;
	World w;
	world_init(&w);
	Build *b = w.b;
	Context *c = b->ctx;
	Value *x = b_input(b, DT_F32, "batch,seq,8"), *y = b_input(b, DT_F32, "batch,?");
	Value *r = B_OP(b, OP_reshape, "", x, B_INTS(b, 0, -1));
	assert_true(world_infer(&w));
	expect_dims(&w, r, "batch,8*seq");
	const Sym *two = sym_int(c, 2), *dims[2] = { sym_int(c, 2), sym_int(c, 5) };
	ShapeBinding ok[] = {
		{ .symbol = str(c, "batch"), .dims = &two }, { .input = str(c, "in1"), .rank = 2, .dims = dims },
	};
	assert_true(shape_bind(b->module, ok, 2));
	expect_dims(&w, x, "2,seq,8");
	expect_dims(&w, y, "2,5");
	expect_dims(&w, r, "2,8*seq");
	assert_int_equal(c->diags.status, HONE_OK);
	build_free(b);
}

static void bad_bindings(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		World w;
		world_init(&w);
		Context *c = w.b->ctx;
		b_input(w.b, DT_F32, "batch,8");
		b_input(w.b, DT_F32, "batch,batch+1");
		const Sym *two = sym_int(c, 2), *three = sym_int(c, 3), *minus = sym_int(c, -1);
		const Sym *eight[2] = { two, sym_int(c, 8) }, *nine[2] = { two, sym_int(c, 9) };
		ShapeBinding cases[6][2] = {
			{ { .symbol = str(c, "bacth"), .dims = &two } },
			{ { .input = str(c, "in7"), .rank = 2, .dims = eight } },
			{ { .input = str(c, "in0"), .rank = 1, .dims = eight } },
			{ { .input = str(c, "in0"), .rank = 2, .dims = nine } },
			{ { .symbol = str(c, "batch"), .dims = &three }, { .input = str(c, "in0"), .rank = 2, .dims = eight } },
			{ { .symbol = str(c, "batch"), .dims = &minus } },
		};
		assert_false(shape_bind(w.b->module, cases[i], cases[i][1].dims ? 2 : 1));
		assert_int_equal(c->diags.status, HONE_USAGE);
		expect_dims(&w, w.b->func->body->args[0], "batch,8"); /* nothing was changed */
		if (i == 0)
			assert_non_null(strstr(c->diags.list.data[0].hint, "batch"));
		build_free(w.b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_on_sizes),
		cmocka_unit_test(comparisons_and_selection),
		cmocka_unit_test(movement_of_elements),
		cmocka_unit_test(detours_through_float),
		cmocka_unit_test(ranges_and_fills),
		cmocka_unit_test(reshapes),
		cmocka_unit_test(slices),
		cmocka_unit_test(structure),
		cmocka_unit_test(broadcasting),
		cmocka_unit_test(invalid_ops),
		cmocka_unit_test(declared_types),
		cmocka_unit_test(branches),
		cmocka_unit_test(loops),
		cmocka_unit_test(scans),
		cmocka_unit_test(functions),
		cmocka_unit_test(updates_follow_users),
		cmocka_unit_test(bindings),
		cmocka_unit_test(bad_bindings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
