/* Evaluation of data movement: every element type, empty tensors, negative axes, bad input.
 * Tensors are written as "f32[2,3] 1 2 3 4 5 6". */
#include "build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const all_types[] = {
	"i1", "i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64",
	"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN", "complex<f32>", "complex<f64>", "!hone.str",
};

typedef struct Bench {
	Build *b;
	Diags diags;
	EvalCtx e;
} Bench;

static void bench_init(Bench *t, bool oracle)
{
	t->b = build_new(17);
	diags_init(&t->diags, t->b->arena);
	eval_init(&t->e, t->b->ctx, &t->diags);
	t->e.oracle = oracle;
}

static void bench_free(Bench *t)
{
	eval_release(&t->e);
	build_free(t->b);
}

static void set_element(Bench *t, Tensor *x, int64_t i, const char *text, size_t len)
{
	if (x->dtype == DT_STR) {
		((const Str **)x->data)[i] = str_n(t->b->ctx, text, len);
	} else if (dtype_class(x->dtype) == DC_COMPLEX) { /* v stands for v - vi */
		DType part = x->store == DT_C64 ? DT_F32 : DT_F64;
		double v[2] = { strtod(text, NULL), -strtod(text, NULL) };
		dtype_store_f64(part, (char *)x->data + (size_t)i * tensor_elem_size(x), 2, v);
	} else if (dtype_is_float(x->dtype)) {
		tensor_set_f64(x, i, strtod(text, NULL));
	} else {
		tensor_set_i64(x, i, strtoll(text, NULL, 10));
	}
}

static Tensor *parse(Bench *t, const char *text)
{
	DType d;
	int64_t dims[MAX_RANK];
	int rank = 0;
	const char *open = strchr(text, '['), *p = open + 1;
	assert_true(dtype_parse(text, (size_t)(open - text), &d));
	while (*p != ']') {
		char *end;
		dims[rank++] = strtoll(p, &end, 10);
		p = *end == ',' ? end + 1 : end;
	}
	Tensor *x = tensor_new(&t->e, d, rank, dims);
	assert_non_null(x);
	p++;
	for (int64_t i = 0; i < x->count; i++) {
		p += strspn(p, " ");
		size_t len = strcspn(p, " ");
		assert_true(len > 0);
		set_element(t, x, i, p, len);
		p += len;
	}
	assert_int_equal(*p, 0);
	return x;
}

static void put_element(Buf *out, const Tensor *x, int64_t i)
{
	buf_puts(out, " ");
	if (x->dtype == DT_STR) {
		const Str *s = ((const Str *const *)x->data)[i];
		buf_put(out, s->s, s->len);
	} else if (dtype_class(x->dtype) == DC_COMPLEX) {
		double v[2];
		dtype_load_f64(x->store == DT_C64 ? DT_F32 : DT_F64, (char *)x->data + (size_t)i * tensor_elem_size(x), 2, v);
		assert_true(v[1] == -v[0]);
		buf_printf(out, "%g", v[0] + 0.0);
	} else if (dtype_is_float(x->dtype)) {
		buf_printf(out, "%g", tensor_get_f64(x, i));
	} else {
		buf_printf(out, "%lld", (long long)tensor_get_i64(x, i));
	}
}

static const char *print(Bench *t, const Tensor *x)
{
	Buf out = { 0 };
	buf_printf(&out, "%s[", dtype_name(x->dtype));
	for (int d = 0; d < x->rank; d++)
		buf_printf(&out, "%s%lld", d ? "," : "", (long long)x->dims[d]);
	buf_puts(&out, "]");
	for (int64_t i = 0; i < x->count; i++)
		put_element(&out, x, i);
	char *s = arena_strdup(t->b->arena, out.data);
	buf_free(&out);
	return s;
}

enum { MOST_OPERANDS = 4, MOST_RESULTS = 4 };

/* Runs one op on tensors in text form ("" = absent); false when it fails. Results as text. */
static bool run(Bench *t, OpKind k, const char *attrs, const char *const *in, size_t nresults, const char **results)
{
	Value *args[MOST_OPERANDS] = { 0 };
	Tensor *x[MOST_OPERANDS] = { 0 }, *y[MOST_RESULTS] = { 0 };
	size_t n = 0;
	for (; n < MOST_OPERANDS && in[n]; n++) {
		if (!*in[n])
			continue;
		x[n] = parse(t, in[n]);
		args[n] = block_add_arg(t->b->func->body, type_unranked(t->b->ctx, x[n]->dtype), NULL);
	}
	Op *op = b_op_multi(t->b, k, attrs, n, args, nresults);
	bool ok = eval_op(&t->e, op, x, y);
	for (size_t i = 0; i < nresults; i++) {
		if (ok && results)
			results[i] = print(t, y[i]);
		tensor_unref(y[i]);
	}
	for (size_t i = 0; i < n; i++)
		tensor_unref(x[i]);
	assert_null(t->e.live); /* nothing is left behind */
	return ok;
}

typedef struct Case {
	OpKind kind;
	const char *attrs;
	const char *in[MOST_OPERANDS + 1];
	const char *out[MOST_RESULTS + 1];
} Case;

static void check(const Case *c)
{
	for (int oracle = 0; oracle < 2; oracle++) {
		Bench t;
		const char *got[MOST_RESULTS];
		size_t n = 0;
		bench_init(&t, oracle);
		while (n < MOST_RESULTS && c->out[n])
			n++;
		if (!run(&t, c->kind, c->attrs, c->in, n, got))
			fail_msg("%s fails: %s", op_def(t.b->ctx, c->kind)->name->s, t.diags.list.data[0].message);
		for (size_t i = 0; i < n; i++)
			assert_string_equal(got[i], c->out[i]);
		bench_free(&t);
	}
}

/* ---- every element type ---- */

/* The texts of a case with "T" as element type. */
static const char *with_type(char *buf, size_t size, const char *text, const char *type)
{
	if (!text || *text != 'T')
		return text;
	snprintf(buf, size, "%s%s", type, text + 1);
	return buf;
}

static void all_element_types(void **state)
{
	(void)state;
	static const Case cases[] = {
		{ OP_identity, "", { "T[2] 1 0" }, { "T[2] 1 0" } },
		{ OP_reshape, "", { "T[2,2] 1 0 0 1", "i64[1] -1" }, { "T[4] 1 0 0 1" } },
		{ OP_transpose, "", { "T[2,3] 1 0 1 0 0 1" }, { "T[3,2] 1 0 0 0 1 1" } },
		{ OP_expand, "", { "T[2,1] 1 0", "i64[2] 1 3" }, { "T[2,3] 1 1 1 0 0 0" } },
		{ OP_concat, "axis=-1", { "T[1,2] 1 0", "T[1,1] 1" }, { "T[1,3] 1 0 1" } },
		{ OP_split, "axis=0", { "T[3] 1 0 1" }, { "T[2] 1 0", "T[1] 1" } },
		{ OP_slice, "", { "T[5] 1 1 0 0 1", "i64[1] -1", "i64[1] -9", "i64[1] -2" }, { "T[3] 1 0 1" } },
		{ OP_tile, "", { "T[2] 1 0", "i64[1] 2" }, { "T[4] 1 0 1 0" } },
		{ OP_reverse, "axes=-1", { "T[2,2] 1 0 1 1" }, { "T[2,2] 0 1 1 1" } },
		{ OP_gather, "axis=0", { "T[3] 1 0 1", "i32[2,2] -1 1 0 0" }, { "T[2,2] 1 0 1 1" } },
		{ OP_gather_elements, "axis=1", { "T[2,2] 1 0 0 1", "i64[2,1] 1 -1" }, { "T[2,1] 0 1" } },
		{ OP_gather_nd, "", { "T[2,2] 1 0 0 1", "i64[2,2] 0 0 1 0" }, { "T[2] 1 0" } },
		{ OP_scatter_elements, "axis=0", { "T[3] 1 1 1", "i64[1] -1", "T[1] 0" }, { "T[3] 1 1 0" } },
		{ OP_scatter_nd, "", { "T[2,2] 1 1 1 1", "i64[1,1] 1", "T[1,2] 0 0" }, { "T[2,2] 1 1 0 0" } },
		{ OP_pad, "mode=edge", { "T[2] 1 0", "i64[2] 1 2" }, { "T[5] 1 1 0 0 0" } },
		{ OP_pad, "", { "T[2] 0 0", "i64[2] 1 -1", "T[] 1" }, { "T[2] 1 0" } },
		{ OP_compress, "axis=0", { "T[3] 1 0 1", "i1[3] 1 1 0" }, { "T[2] 1 0" } },
		{ OP_one_hot, "", { "i64[2] 1 0", "i64[] 2", "T[2] 0 1" }, { "T[2,2] 0 1 1 0" } },
		{ OP_shape, "", { "T[2,0]" }, { "i64[2] 2 0" } },
	};
	char text[2 * MOST_OPERANDS][128];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t k = 0; k < ARRAY_LEN(all_types); k++) {
			Case c = cases[i];
			for (int n = 0; n < MOST_OPERANDS; n++) {
				c.in[n] = with_type(text[n], sizeof text[n], c.in[n], all_types[k]);
				c.out[n] = with_type(text[MOST_OPERANDS + n], sizeof text[n], c.out[n], all_types[k]);
			}
			check(&c);
		}
	}
}

/* ---- values ---- */

static void shapes(void **state)
{
	(void)state;
	static const Case cases[] = {
		{ OP_reshape, "", { "f32[2,3] 1 2 3 4 5 6", "i64[3] 0 -1 1" }, { "f32[2,3,1] 1 2 3 4 5 6" } },
		{ OP_reshape, "allowzero=1", { "f32[0,3]", "i64[2] 5 0" }, { "f32[5,0]" } },
		{ OP_reshape, "", { "f32[1] 4", "i64[0]" }, { "f32[] 4" } },
		{ OP_flatten, "axis=0", { "f32[2,2] 1 2 3 4" }, { "f32[1,4] 1 2 3 4" } },
		{ OP_flatten, "axis=-1", { "f32[1,2,2] 1 2 3 4" }, { "f32[2,2] 1 2 3 4" } },
		{ OP_flatten, "axis=0", { "f32[] 7" }, { "f32[1,1] 7" } },
		{ OP_squeeze, "", { "f32[1,2,1] 1 2" }, { "f32[2] 1 2" } },
		{ OP_squeeze, "axes=-1", { "f32[1,2,1] 1 2" }, { "f32[1,2] 1 2" } },
		{ OP_unsqueeze, "axes=-1,0", { "f32[2] 1 2" }, { "f32[1,2,1] 1 2" } },
		{ OP_transpose, "perm=1,2,0", { "i32[2,1,3] 1 2 3 4 5 6" }, { "i32[1,3,2] 1 4 2 5 3 6" } },
		{ OP_transpose, "perm=0,2,1", { "i32[2,2,2] 1 2 3 4 5 6 7 8" }, { "i32[2,2,2] 1 3 2 4 5 7 6 8" } },
		{ OP_transpose, "perm=2,1,0", { "i32[2,2,2] 1 2 3 4 5 6 7 8" }, { "i32[2,2,2] 1 5 3 7 2 6 4 8" } },
		{ OP_transpose, "", { "f32[0,4]" }, { "f32[4,0]" } },
		{ OP_expand, "", { "f32[2,1] 1 2", "i64[3] 2 1 2" }, { "f32[2,2,2] 1 1 2 2 1 1 2 2" } },
		{ OP_expand, "", { "f32[1] 1", "i64[1] 0" }, { "f32[0]" } },
		{ OP_shape, "start=-2 end=-1", { "f32[4,5,6,0]" }, { "i64[1] 6" } },
		{ OP_shape, "start=2 end=1", { "f32[0,5]" }, { "i64[0]" } },
		{ OP_size, "", { "f32[4,5,0]" }, { "i64[] 0" } },
		{ OP_size, "", { "f32[] 1" }, { "i64[] 1" } },
		{ OP_range, "", { "i32[] 10", "i32[] 3", "i32[] -3" }, { "i32[3] 10 7 4" } },
		{ OP_range, "", { "f32[] 0", "f32[] 1", "f32[] 0.3" }, { "f32[4] 0 0.3 0.6 0.9" } },
		{ OP_range, "", { "i64[] 5", "i64[] 5", "i64[] 1" }, { "i64[0]" } },
		{ OP_fill, "", { "i64[2] 2 1" }, { "f32[2,1] 0 0" } },
		{ OP_eye_like, "k=1 dtype=i8", { "f32[2,3] 0 0 0 0 0 0" }, { "i8[2,3] 0 1 0 0 0 1" } },
		{ OP_eye_like, "k=-1", { "f64[2,2] 9 9 9 9" }, { "f64[2,2] 0 0 1 0" } },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

static void parts(void **state)
{
	(void)state;
	static const Case cases[] = {
		{ OP_slice, "axes=-1", { "i32[2,4] 1 2 3 4 5 6 7 8", "i64[1] 1", "i64[1] -1" }, { "i32[2,2] 2 3 6 7" } },
		{ OP_slice, "axes=1,0", { "i32[2,3] 1 2 3 4 5 6", "i64[2] 2 0", "i64[2] -9 9", "i64[2] -1 2" }, { "i32[1,3] 3 2 1" } },
		{ OP_slice, "", { "i32[4] 1 2 3 4", "i64[1] 9", "i64[1] -9223372036854775808", "i64[1] -3" }, { "i32[2] 4 1" } },
		{ OP_slice, "", { "i32[4] 1 2 3 4", "i64[1] 3", "i64[1] 1" }, { "i32[0]" } },
		{ OP_slice, "", { "i32[0]", "i64[1] -1", "i64[1] -9", "i64[1] -1" }, { "i32[0]" } },
		{ OP_slice, "", { "i32[3] 1 2 3", "i64[1] 0", "i64[1] 9", "i64[1] 9223372036854775807" }, { "i32[1] 1" } },
		{ OP_slice, "", { "i32[3] 1 2 3", "i64[1] -1", "i64[1] -9", "i64[1] -9223372036854775808" }, { "i32[1] 3" } },
		{ OP_concat, "axis=0", { "f32[0,2]", "f32[1,2] 1 2" }, { "f32[1,2] 1 2" } },
		{ OP_concat, "axis=1", { "f32[2,1] 1 2", "f32[2,2] 3 4 5 6" }, { "f32[2,3] 1 3 4 2 5 6" } },
		{ OP_split, "axis=-1", { "i32[2,3] 1 2 3 4 5 6", "i64[2] 1 2" }, { "i32[2,1] 1 4", "i32[2,2] 2 3 5 6" } },
		{ OP_split, "", { "i32[2] 1 2" }, { "i32[1] 1", "i32[1] 2", "i32[0]" } },
		{ OP_pad, "mode=reflect", { "i32[3] 1 2 3", "i64[2] 2 4" }, { "i32[9] 3 2 1 2 3 2 1 2 3" } },
		{ OP_pad, "mode=wrap", { "i32[2] 1 2", "i64[2] 3 1" }, { "i32[6] 2 1 2 1 2 1" } },
		{ OP_pad, "axes=1", { "i32[1,2] 1 2", "i64[2] -1 1" }, { "i32[1,2] 2 0" } },
		{ OP_pad, "", { "i32[] 3", "i64[0]" }, { "i32[] 3" } },
		{ OP_tile, "", { "i32[1,2] 1 2", "i64[2] 2 2" }, { "i32[2,4] 1 2 1 2 1 2 1 2" } },
		{ OP_tile, "", { "i32[2] 1 2", "i64[1] 0" }, { "i32[0]" } },
		{ OP_reverse, "axes=0,1", { "i32[2,2] 1 2 3 4" }, { "i32[2,2] 4 3 2 1" } },
		{ OP_reverse_sequence, "time_axis=1 batch_axis=0", { "i32[2,3] 1 2 3 4 5 6", "i64[2] 2 3" }, { "i32[2,3] 2 1 3 6 5 4" } },
		{ OP_depth_to_space, "blocksize=2", { "i32[1,4,1,2] 1 2 3 4 5 6 7 8" }, { "i32[1,1,2,4] 1 3 2 4 5 7 6 8" } },
		{ OP_depth_to_space, "blocksize=2 mode=CRD", { "i32[1,8,1,1] 1 2 3 4 5 6 7 8" }, { "i32[1,2,2,2] 1 2 3 4 5 6 7 8" } },
		{ OP_space_to_depth, "blocksize=2", { "i32[1,1,2,4] 1 3 2 4 5 7 6 8" }, { "i32[1,4,1,2] 1 2 3 4 5 6 7 8" } },
		{ OP_trilu, "", { "i32[2,3] 1 2 3 4 5 6" }, { "i32[2,3] 1 2 3 0 5 6" } },
		{ OP_trilu, "upper=0", { "i32[3,2] 1 2 3 4 5 6", "i64[] -1" }, { "i32[3,2] 0 0 3 0 5 6" } },
		{ OP_trilu, "", { "i32[2,2] 1 2 3 4", "i64[] -9223372036854775808" }, { "i32[2,2] 1 2 3 4" } },
		{ OP_trilu, "upper=0", { "i32[2,2] 1 2 3 4", "i64[] 9223372036854775807" }, { "i32[2,2] 1 2 3 4" } },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

static void indices(void **state)
{
	(void)state;
	static const Case cases[] = {
		{ OP_gather, "axis=1", { "i32[2,3] 1 2 3 4 5 6", "i64[] -1" }, { "i32[2] 3 6" } },
		{ OP_gather, "axis=0", { "i32[0,3]", "i64[0]" }, { "i32[0,3]" } },
		{ OP_gather_elements, "axis=0", { "i32[2,2] 1 2 3 4", "i64[1,2] 1 0" }, { "i32[1,2] 3 2" } },
		{ OP_gather_nd, "batch_dims=1", { "i32[2,2,1] 1 2 3 4", "i64[2,1] 1 0" }, { "i32[2,1] 2 3" } },
		{ OP_gather_nd, "", { "i32[2] 1 2", "i64[2,0]" }, { "i32[2,2] 1 2 1 2" } },
		{ OP_scatter_elements, "axis=1 reduction=add", { "f32[1,3] 1 2 3", "i64[1,2] 1 1", "f32[1,2] 10 20" }, { "f32[1,3] 1 32 3" } },
		{ OP_scatter_elements, "reduction=max", { "ui64[2] 1 -1", "i64[2] 0 1", "ui64[2] 5 7" }, { "ui64[2] 5 -1" } },
		{ OP_scatter_elements, "reduction=add", { "i8[1] 127", "i64[1] 0", "i8[1] 1" }, { "i8[1] -128" } },
		{ OP_scatter_nd, "reduction=mul", { "i32[2,2] 1 2 3 4", "i64[2,1] 0 0", "i32[2,2] 2 2 3 3" }, { "i32[2,2] 6 12 3 4" } },
		{ OP_scatter_nd, "reduction=min", { "f32[2] 1 2", "i64[1,1] 1", "f32[1] nan" }, { "f32[2] 1 nan" } },
		{ OP_tensor_scatter, "axis=1", { "i32[1,4] 0 0 0 0", "i32[1,2] 7 8", "i64[1] 2" }, { "i32[1,4] 0 0 7 8" } },
		{ OP_tensor_scatter, "axis=1 mode=circular", { "i32[1,4] 0 0 0 0", "i32[1,2] 7 8", "i64[1] 3" }, { "i32[1,4] 8 0 0 7" } },
		{ OP_one_hot, "axis=0", { "i64[3] 0 -1 5", "f32[] 2", "f32[2] 0 9" }, { "f32[2,3] 9 0 0 0 9 0" } },
		{ OP_nonzero, "", { "f32[2,2] 0 -1 nan 0" }, { "i64[2,2] 0 1 1 0" } },
		{ OP_nonzero, "", { "i1[] 1" }, { "i64[1,1] 0" } },
		{ OP_nonzero, "", { "complex<f32>[2] 0 3" }, { "i64[1,1] 1" } },
		{ OP_compress, "", { "i32[2,2] 1 2 3 4", "i1[3] 0 1 1" }, { "i32[2] 2 3" } },
		{ OP_compress, "axis=-1", { "i32[2,2] 1 2 3 4", "i1[2] 0 1" }, { "i32[2,1] 2 4" } },
		{ OP_unique, "", { "f32[5] 2 1 nan 2 1" }, { "f32[3] 1 2 nan", "i64[3] 1 0 2", "i64[5] 1 0 2 1 0", "i64[3] 2 2 1" } },
		{ OP_unique, "sorted=0", { "i32[5] 3 1 3 2 1" }, { "i32[3] 3 1 2", "i64[3] 0 1 3", "i64[5] 0 1 0 2 1", "i64[3] 2 2 1" } },
		{ OP_unique, "axis=0", { "i32[3,2] 1 2 0 9 1 2" }, { "i32[2,2] 0 9 1 2", "i64[2] 1 0", "i64[3] 1 0 1", "i64[2] 1 2" } },
		{ OP_unique, "axis=1", { "i32[2,3] 5 4 5 1 2 1" }, { "i32[2,2] 4 5 2 1", "i64[2] 1 0", "i64[3] 1 0 1", "i64[2] 1 2" } },
		{ OP_unique, "", { "!hone.str[4] b a bb a" }, { "!hone.str[3] a b bb", "i64[3] 1 0 2", "i64[4] 1 0 2 0", "i64[3] 2 1 1" } },
		{ OP_unique, "", { "ui64[2] -1 1" }, { "ui64[2] 1 -1", "i64[2] 1 0", "i64[2] 1 0", "i64[2] 1 1" } },
		{ OP_unique, "", { "f32[0]" }, { "f32[0]", "i64[0]", "i64[0]", "i64[0]" } },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

/* ---- bad input ---- */

static void bad_input(void **state)
{
	(void)state;
	static const Case cases[] = {
		{ OP_reshape, "", { "f32[2] 1 2", "i64[1] 3" }, { NULL } },
		{ OP_reshape, "", { "f32[2] 1 2", "i64[2] -1 -1" }, { NULL } },
		{ OP_reshape, "", { "f32[2] 1 2", "i64[2] 1 0" }, { NULL } },
		{ OP_reshape, "", { "f32[2] 1 2", "i64[1] -3" }, { NULL } },
		{ OP_reshape, "", { "f32[2] 1 2", "f32[1] 2" }, { NULL } },
		{ OP_reshape, "", { "f32[0]", "i64[2] 0 -1" }, { NULL } },
		{ OP_flatten, "axis=3", { "f32[2] 1 2" }, { NULL } },
		{ OP_squeeze, "axes=0", { "f32[2] 1 2" }, { NULL } },
		{ OP_unsqueeze, "axes=0,0", { "f32[2] 1 2" }, { NULL } },
		{ OP_transpose, "perm=0,0", { "f32[1,1] 1" }, { NULL } },
		{ OP_transpose, "perm=0", { "f32[1,1] 1" }, { NULL } },
		{ OP_expand, "", { "f32[2] 1 2", "i64[1] 3" }, { NULL } },
		{ OP_expand, "", { "f32[1] 1", "i64[1] -1" }, { NULL } },
		{ OP_expand, "", { "f32[1] 1", "i64[2] 4611686018427387904 4" }, { NULL } },
		{ OP_concat, "axis=1", { "f32[2] 1 2" }, { NULL } },
		{ OP_concat, "axis=0", { "f32[2] 1 2", "f32[1,1] 1" }, { NULL } },
		{ OP_concat, "axis=0", { "f32[2] 1 2", "i32[1] 1" }, { NULL } },
		{ OP_split, "", { "f32[2] 1 2", "i64[1] 3" }, { NULL } },
		{ OP_split, "", { "f32[2] 1 2", "i64[1] 1" }, { NULL } },
		{ OP_split, "", { "f32[] 1" }, { NULL } },
		{ OP_slice, "", { "f32[2] 1 2", "i64[1] 0", "i64[1] 1", "i64[1] 0" }, { NULL } },
		{ OP_slice, "axes=2", { "f32[2] 1 2", "i64[1] 0", "i64[1] 1" }, { NULL } },
		{ OP_slice, "", { "f32[2] 1 2", "i64[2] 0 0", "i64[2] 1 1" }, { NULL } },
		{ OP_slice, "", { "f32[2] 1 2", "i64[1] 0", "i64[2] 1 1" }, { NULL } },
		{ OP_pad, "", { "f32[2] 1 2", "i64[1] 0" }, { NULL } },
		{ OP_pad, "", { "f32[2] 1 2", "i64[2] -2 -1" }, { NULL } },
		{ OP_pad, "", { "f32[2] 1 2", "i64[2] 9223372036854775807 1" }, { NULL } },
		{ OP_pad, "mode=reflect", { "f32[0]", "i64[2] 1 1" }, { NULL } },
		{ OP_pad, "mode=other", { "f32[1] 1", "i64[2] 1 1" }, { NULL } },
		{ OP_pad, "", { "f32[1] 1", "i64[2] 1 1", "i32[] 1" }, { NULL } },
		{ OP_tile, "", { "f32[2] 1 2", "i64[1] -1" }, { NULL } },
		{ OP_tile, "", { "f32[2] 1 2", "i64[2] 1 1" }, { NULL } },
		{ OP_tile, "", { "f32[2] 1 2", "i64[1] 9223372036854775807" }, { NULL } },
		{ OP_reverse, "axes=1", { "f32[2] 1 2" }, { NULL } },
		{ OP_reverse_sequence, "time_axis=1 batch_axis=0", { "f32[1,2] 1 2", "i64[1] 3" }, { NULL } },
		{ OP_depth_to_space, "blocksize=2", { "f32[1,2,1,1] 1 2" }, { NULL } },
		{ OP_depth_to_space, "blocksize=0", { "f32[1,1,1,1] 1" }, { NULL } },
		{ OP_space_to_depth, "blocksize=2", { "f32[1,1,1,1] 1" }, { NULL } },
		{ OP_trilu, "", { "f32[2] 1 2" }, { NULL } },
		{ OP_gather, "axis=0", { "f32[2] 1 2", "i64[1] 2" }, { NULL } },
		{ OP_gather, "axis=0", { "f32[2] 1 2", "i64[1] -3" }, { NULL } },
		{ OP_gather, "axis=0", { "f32[2] 1 2", "f32[1] 0" }, { NULL } },
		{ OP_gather, "axis=0", { "f32[] 2", "i64[1] 0" }, { NULL } },
		{ OP_gather_elements, "axis=0", { "f32[2] 1 2", "i64[1] -3" }, { NULL } },
		{ OP_gather_elements, "axis=0", { "f32[1,1] 1", "i64[1,2] 0 0" }, { NULL } },
		{ OP_gather_nd, "", { "f32[2] 1 2", "i64[1,2] 0 0" }, { NULL } },
		{ OP_gather_nd, "", { "f32[2] 1 2", "i64[1,1] 5" }, { NULL } },
		{ OP_gather_nd, "batch_dims=1", { "f32[2,2] 1 2 3 4", "i64[3,1] 0 0 0" }, { NULL } },
		{ OP_scatter_elements, "", { "f32[2] 1 2", "i64[1] 2", "f32[1] 0" }, { NULL } },
		{ OP_scatter_elements, "", { "f32[2] 1 2", "i64[1] 0", "f32[2] 0 0" }, { NULL } },
		{ OP_scatter_elements, "reduction=avg", { "f32[2] 1 2", "i64[1] 0", "f32[1] 0" }, { NULL } },
		{ OP_scatter_elements, "reduction=add", { "!hone.str[1] a", "i64[1] 0", "!hone.str[1] b" }, { NULL } },
		{ OP_scatter_nd, "", { "f32[2] 1 2", "i64[1,1] 2", "f32[1] 0" }, { NULL } },
		{ OP_scatter_nd, "", { "f32[2] 1 2", "i64[1,2] 0 0", "f32[1] 0" }, { NULL } },
		{ OP_tensor_scatter, "axis=1", { "i32[1,2] 0 0", "i32[1,2] 7 8", "i64[1] 1" }, { NULL } },
		{ OP_one_hot, "", { "i64[1] 0", "i64[] -1", "f32[2] 0 1" }, { NULL } },
		{ OP_one_hot, "", { "i64[1] 0", "i64[] 2", "f32[3] 0 1 2" }, { NULL } },
		{ OP_compress, "", { "f32[2] 1 2", "i32[1] 1" }, { NULL } },
		{ OP_unique, "axis=1", { "f32[2] 1 2" }, { NULL } },
		{ OP_range, "", { "i64[] 0", "i64[] 1", "i64[] 0" }, { NULL } },
		{ OP_range, "", { "f32[] 0", "f32[] nan", "f32[] 1" }, { NULL } },
		{ OP_range, "", { "i64[] 0", "i64[] 9223372036854775807", "i64[] 1" }, { NULL } },
		{ OP_fill, "", { "i64[1] -1" }, { NULL } },
		{ OP_fill, "", { "i64[2] 9223372036854775807 9223372036854775807" }, { NULL } },
		{ OP_eye_like, "", { "f32[2] 1 2" }, { NULL } },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Bench t;
		bench_init(&t, false);
		t.e.max_bytes = 1 << 30;
		if (run(&t, cases[i].kind, cases[i].attrs, cases[i].in, 1, NULL))
			fail_msg("case %zu of %s is accepted", i, op_def(t.b->ctx, cases[i].kind)->name->s);
		assert_true(t.diags.list.len > 0);
		assert_true(t.diags.status != HONE_INTERNAL);
		bench_free(&t);
	}
}

/* ---- constants as numbers ---- */

static void constants(void **state)
{
	(void)state;
	Build *b = build_new(17);
	size_t n;
	int64_t i;
	double f;
	Value *v = B_INTS(b, 4, -5, 6), *splat = b_fill(b, DT_F32, "3,4", 2.5), *zero = b_fill(b, DT_F32, "2", -0.0);
	Value *x = b_input(b, DT_I64, "3");
	const int64_t *ints = constant_ints(b->arena, v, 0, &n);
	assert_non_null(ints);
	assert_int_equal(n, 3);
	assert_int_equal(ints[1], -5);
	assert_null(constant_ints(b->arena, v, 2, &n));
	assert_null(constant_ints(b->arena, x, 0, &n));
	assert_null(constant_ints(b->arena, splat, 0, &n));
	const double *floats = constant_floats(b->arena, splat, 0, &n);
	assert_int_equal(n, 12);
	assert_true(floats[0] == 2.5 && floats[11] == 2.5);
	assert_true(splat->def->attrs[0].value->u.tensor.blob->splat);
	assert_true(constant_all(splat, 2.5));
	assert_false(constant_all(splat, 2));
	assert_true(constant_all(zero, -0.0));
	assert_false(constant_all(zero, 0.0));
	assert_false(constant_int(v, &i));
	assert_true(constant_int(b_fill(b, DT_U8, "1,1", 200), &i));
	assert_int_equal(i, 200);
	assert_true(constant_float(b_fill(b, DT_BF16, "", 1.5), &f));
	assert_true(f == 1.5);
	assert_true(constant_int(b_fill(b, DT_I4, "", -8), &i));
	assert_int_equal(i, -8);
	Value *four = b_floats(b, DT_I4, "5", (double[]){ -8, 7, 0, 1, -1 });
	ints = constant_ints(b->arena, four, 0, &n);
	assert_int_equal(n, 5);
	assert_int_equal(ints[0], -8);
	assert_int_equal(ints[4], -1);
	Value *sum = B_OP(b, OP_add, "", v, v), *wide = B_OP(b, OP_expand, "", zero, B_INTS(b, 3, 2));
	ints = constant_ints(b->arena, sum, 0, &n); /* a constant expression */
	assert_int_equal(n, 3);
	assert_int_equal(ints[2], 12);
	assert_true(constant_all(wide, -0.0));
	assert_true(constant_all(b_fill(b, DT_I64, "700", 3), 3));
	double many[1030];
	for (int k = 0; k < 1030; k++)
		many[k] = k == 1029 ? 6 : 5;
	assert_false(constant_all(b_floats(b, DT_U4, "1030", many), 5));
	many[1029] = 5;
	many[0] = 4;
	assert_false(constant_all(b_floats(b, DT_U4, "1030", many), 5));
	build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_element_types),
		cmocka_unit_test(shapes),
		cmocka_unit_test(parts),
		cmocka_unit_test(indices),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(constants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
