/* The text form: what is printed reads back as the same module, to the byte when printed again; damaged texts give a
 * diagnostic or a module that the verifier accepts. Random modules are drawn from the rows of the op tables. */
#include "format/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- equality of modules of one context ---- */

static bool same_named(const NamedAttr *a, size_t na, const NamedAttr *b, size_t nb)
{
	bool same = na == nb;
	for (size_t i = 0; same && i < na; i++)
		same = a[i].name == b[i].name;
	return same;
}

static bool same_attr(const Attr *a, const Attr *b);

/* A splat of one element is the element. */
static bool same_tensor(const Attr *a, const Attr *b)
{
	const Blob *x = a->u.tensor.blob, *y = b->u.tensor.blob;
	int64_t n = 0;
	if (a->u.tensor.type != b->u.tensor.type || !type_static_numel(a->u.tensor.type, &n))
		return false;
	if (n == 0 && !x->splat && !y->splat)
		return true;
	if (x->splat != y->splat) {
		DType d = a->u.tensor.type->dtype;
		uint8_t one[16];
		dtype_unpack(d, x->splat ? y->data : x->data, 1, one);
		return n == 1 && memcmp(one, x->splat ? x->data : y->data, dtype_size(d)) == 0;
	}
	return x->len == y->len && memcmp(x->data, y->data, x->len) == 0;
}

static bool same_list(const Attr *a, const Attr *b)
{
	bool same = a->u.list.n == b->u.list.n;
	for (size_t i = 0; same && i < a->u.list.n; i++)
		same = (a->kind == ATTR_LIST || a->u.list.names[i] == b->u.list.names[i]) && same_attr(a->u.list.v[i], b->u.list.v[i]);
	return same;
}

static bool same_attr(const Attr *a, const Attr *b)
{
	if (a == b || !a || !b || a->kind != b->kind)
		return a == b;
	if (a->kind == ATTR_TENSOR)
		return same_tensor(a, b);
	return (a->kind == ATTR_LIST || a->kind == ATTR_DICT) && same_list(a, b);
}

static void assert_named(const NamedAttr *a, size_t na, const NamedAttr *b, size_t nb)
{
	assert_true(same_named(a, na, b, nb));
	for (size_t i = 0; i < na; i++)
		assert_true(same_attr(a[i].value, b[i].value));
}

static size_t meta_len(const NamedAttr *v)
{
	size_t n = 0;
	while (v && v[n].name)
		n++;
	return n;
}

static void assert_value(const Value *a, const Value *b, Map *map)
{
	assert_ptr_equal(a->type, b->type);
	assert_ptr_equal(a->name, b->name);
	map_put(map, MAP_PTR(a), (void *)b);
}

static void assert_block(const Block *a, const Block *b, Map *map);

static void assert_op(const Op *a, const Op *b, Map *map)
{
	assert_ptr_equal(a->def, b->def);
	assert_ptr_equal(a->name, b->name);
	assert_int_equal(a->noperands, b->noperands);
	assert_int_equal(a->nresults, b->nresults);
	assert_int_equal(a->nblocks, b->nblocks);
	assert_named(a->attrs, a->nattrs, b->attrs, b->nattrs);
	assert_named(a->meta, a->nmeta, b->meta, b->nmeta);
	for (size_t i = 0; i < a->noperands; i++) {
		Value *v = a->operands[i].value;
		assert_ptr_equal(v ? map_get(map, MAP_PTR(v)) : NULL, b->operands[i].value);
	}
	for (size_t i = 0; i < a->nblocks; i++)
		assert_block(a->blocks[i], b->blocks[i], map);
	for (size_t i = 0; i < a->nresults; i++)
		assert_value(a->results[i], b->results[i], map);
	assert_int_equal(a->constant, b->constant);
}

static void assert_block(const Block *a, const Block *b, Map *map)
{
	const Op *x = a->first, *y = b->first;
	assert_ptr_equal(a->name, b->name);
	assert_named(a->meta, a->nmeta, b->meta, b->nmeta);
	assert_int_equal(a->nargs, b->nargs);
	for (uint32_t i = 0; i < a->nargs; i++)
		assert_value(a->args[i], b->args[i], map);
	for (; x && y; x = x->next, y = y->next)
		assert_op(x, y, map);
	assert_true(!x && !y);
}

static void assert_func(const Func *a, const Func *b, Map *map)
{
	assert_ptr_equal(a->name, b->name);
	assert_int_equal(a->is_library, b->is_library);
	assert_named(a->attrs, a->nattrs, b->attrs, b->nattrs);
	assert_block(a->body, b->body, map);
	for (uint32_t i = 0; i < a->body->nargs; i++) {
		const NamedAttr *m = a->arg_meta ? a->arg_meta[i] : NULL, *n = b->arg_meta ? b->arg_meta[i] : NULL;
		assert_true(same_attr(a->arg_default ? a->arg_default[i] : NULL, b->arg_default ? b->arg_default[i] : NULL));
		assert_named(m, meta_len(m), n, meta_len(n));
	}
	for (size_t i = 0; i < a->body->last->noperands; i++) {
		const NamedAttr *m = a->result_meta ? a->result_meta[i] : NULL, *n = b->result_meta ? b->result_meta[i] : NULL;
		assert_ptr_equal(a->result_names ? a->result_names[i] : NULL, b->result_names ? b->result_names[i] : NULL);
		assert_named(m, meta_len(m), n, meta_len(n));
	}
}

static void assert_module(const Module *a, const Module *b)
{
	Arena *arena = arena_new();
	Map map;
	map_init(&map, arena);
	assert_named(a->attrs, a->nattrs, b->attrs, b->nattrs);
	assert_ptr_equal(a->format, b->format);
	const Func *x = a->funcs, *y = b->funcs;
	for (; x && y; x = x->next, y = y->next) {
		assert_func(x, y, &map);
		assert_int_equal(a->main == x, b->main == y);
	}
	assert_true(!x && !y);
	arena_free(arena);
}

/* ---- printing and reading ---- */

static void fail_with_diags(Context *c, const char *text)
{
	Buf b = { 0 };
	for (size_t i = 0; i < c->diags.list.len; i++)
		diag_format(&c->diags.list.data[i], &b);
	print_error("%s\n%s", text, b.data ? b.data : "");
	buf_free(&b);
	fail();
}

static Module *parse_text(Context *c, const char *s, size_t len)
{
	return mlir_parse(c, "t.mlir", (Bytes){ (const uint8_t *)s, len });
}

/* Prints m, reads it back in its own context and in a fresh one, and compares structure and bytes. */
static void round_trip(Module *m, bool locations)
{
	WriteOptions o = { .locations = locations };
	Buf first = { 0 }, second = { 0 }, third = { 0 };
	mlir_print(m, &first, &o);
	Module *back = parse_text(m->ctx, first.data, first.len);
	if (!back)
		fail_with_diags(m->ctx, first.data);
	assert_true(module_verify(back, &m->ctx->diags));
	assert_module(m, back);
	mlir_print(back, &second, &o);
	assert_string_equal(first.data, second.data);
	assert_int_equal(first.len, second.len);
	Context *other = context_new();
	Module *far = parse_text(other, first.data, first.len);
	assert_non_null(far);
	mlir_print(far, &third, &o);
	assert_string_equal(first.data, third.data);
	module_free(far);
	context_free(other);
	module_free(back);
	buf_free(&first);
	buf_free(&second);
	buf_free(&third);
}

/* ---- random modules ---- */

typedef struct Gen {
	Context *c;
	Module *m;
	Rng r;
	VEC(Value *) values; /* visible here */
	int depth;
} Gen;

static int64_t pick(Gen *g, int64_t n)
{
	return rng_below(&g->r, n);
}

static const Str *random_name(Gen *g)
{
	static const char *const names[] = { "x", "x", "conv1.weight", "7", "", "a-b", "/m/Conv_output_0", ("gr\xc3\xb6\xc3\x9f" "e"),
		"two words", "q\"uote\\", "bad\xff", "%0", "_", "hone.x", "line\nbreak" };
	int64_t n = pick(g, (int64_t)ARRAY_LEN(names) + 3);
	if (n == (int64_t)ARRAY_LEN(names))
		return str_n(g->c, "nul\0in", 6);
	if (n > (int64_t)ARRAY_LEN(names))
		return str_fmt(g->c, "v%lld", (long long)pick(g, 1000));
	return str(g->c, names[n]);
}

static const Str *maybe_name(Gen *g)
{
	return pick(g, 3) ? random_name(g) : NULL;
}

static DType random_dtype(Gen *g)
{
	return (DType)(1 + pick(g, DT_COUNT - 1));
}

static const Sym *random_dim(Gen *g)
{
	const Sym *n = sym_symbol(g->c, str(g->c, "n")), *odd = sym_symbol(g->c, str(g->c, "odd \"name\"]"));
	switch (pick(g, 7)) {
	case 0: return n;
	case 1: return sym_add(g->c, sym_mul(g->c, n, sym_int(g->c, 3)), sym_int(g->c, -2));
	case 2: return sym_floordiv(g->c, odd, sym_int(g->c, 2));
	case 3: return sym_unknown(g->c);
	case 4: return sym_max(g->c, n, odd);
	default: return sym_int(g->c, pick(g, 5));
	}
}

static const Type *random_type(Gen *g, int depth)
{
	const Sym *dims[4];
	int rank = (int)pick(g, 5);
	for (int i = 0; i < rank; i++)
		dims[i] = random_dim(g);
	const Type *elem = depth < 3 && pick(g, 4) == 0 ? random_type(g, depth + 1) : NULL;
	Type t = { .rank = RANK_UNKNOWN, .elem = &elem, .nelem = 1 };
	switch (elem ? pick(g, 4) : 4 + pick(g, 9)) {
	case 0: t.kind = TYPE_SEQUENCE; break;
	case 1: t.kind = TYPE_OPTIONAL; break;
	case 2: t.kind = TYPE_MAP; t.dtype = DT_I64; break;
	case 3: t.kind = TYPE_TUPLE; break;
	case 4: return type_unknown(g->c);
	case 5: return type_unranked(g->c, random_dtype(g));
	case 6:
		t.nelem = 0;
		t.kind = TYPE_OPAQUE;
		t.text = pick(g, 2) ? random_name(g) : str(g->c, "!foo.bar<1, [2, \"x>\"]>");
		break;
	case 7:
		t = (Type){ .kind = TYPE_TENSOR, .dtype = pick(g, 2) ? DT_F32 : DT_NONE, .rank = rank, .dims = dims };
		t.text = str(g->c, t.dtype ? "#foo.enc<{a = [1]}>" : "!quant.uniform<i8:f32, 0.5:3>");
		break;
	default: return type_tensor(g->c, random_dtype(g), rank, dims);
	}
	return type_make(g->c, t);
}

static void random_elements(Gen *g, DType d, int64_t n, uint8_t *out)
{
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits[2] = { rng_u64(&g->r), rng_u64(&g->r) };
		int64_t small = pick(g, 3) - 1;
		if (d == DT_STR) {
			const Str *s = random_name(g);
			memcpy(out + (size_t)i * sizeof s, &s, sizeof s);
		} else if (d == DT_BOOL) {
			out[i] = bits[0] & 1;
		} else if (pick(g, 2) && dtype_class(d) != DC_COMPLEX) {
			dtype_store_i64(d, out + (size_t)i * dtype_size(d), 1, &small);
		} else {
			memcpy(out + (size_t)i * dtype_size(d), bits, dtype_size(d));
		}
	}
}

/* Sizes on both sides of what is printed in line, as a string and at the end of the file. */
static const Attr *random_tensor(Gen *g)
{
	static const int64_t sizes[] = { 0, 1, 2, 7, 64, 65, 300, 5000 };
	DType d = random_dtype(g);
	int rank = (int)pick(g, 4);
	int64_t dims[4], n = 1;
	for (int i = 0; i < rank; i++) {
		dims[i] = i == 0 ? sizes[pick(g, (int64_t)ARRAY_LEN(sizes))] : 1 + pick(g, 2);
		n *= dims[i];
	}
	const Type *t = type_tensor_of(g->c, d, rank, dims);
	uint8_t *unpacked = calloc((size_t)n + 1, 16);
	assert_non_null(unpacked);
	bool splat = pick(g, 4) == 0;
	random_elements(g, d, splat ? 1 : n, unpacked);
	Blob *b;
	if (splat) {
		if (dtype_bits(d) < 8 && d != DT_STR)
			unpacked[0] = (uint8_t)(unpacked[0] & ((1u << dtype_bits(d)) - 1));
		dtype_pack(d, unpacked, 1, unpacked); /* one form of the unused bits */
		dtype_unpack(d, unpacked, 1, unpacked);
		b = blob_splat(g->c, d, unpacked);
	} else {
		size_t bytes;
		assert_true(dtype_packed_bytes(d, n, &bytes));
		uint8_t *packed = mem_alloc(bytes + 1);
		dtype_pack(d, unpacked, n, packed);
		b = blob_heap(g->c, packed, bytes);
	}
	free(unpacked);
	return attr_tensor(g->c, t, b);
}

static double random_double(Gen *g)
{
	static const double odd[] = { 0.0, -0.0, 1.0, 0.1, -1e-30, 1e300, NAN, INFINITY, -INFINITY };
	int64_t n = pick(g, (int64_t)ARRAY_LEN(odd) + 3);
	return n < (int64_t)ARRAY_LEN(odd) ? odd[n] : rng_normal(&g->r);
}

static const Attr *random_attr(Gen *g, AttrKind k, int depth);

static const Attr *random_list(Gen *g, AttrKind k, int depth)
{
	const Attr *v[4];
	const Str *names[4];
	size_t n = (size_t)pick(g, 5);
	for (size_t i = 0; i < n; i++) {
		v[i] = random_attr(g, depth > 3 ? ATTR_INT : (AttrKind)pick(g, ATTR_WIRE + 1), depth + 1);
		names[i] = str_fmt(g->c, "%s%zu", random_name(g)->s, i);
	}
	return attr_make(g->c, (Attr){ .kind = k, .u.list = { v, names, n } });
}

static const Attr *random_attr(Gen *g, AttrKind k, int depth)
{
	static const char *const texts[] = { "#foo.bar", "#foo<{x = [1, \"a>b\"]}>", "affine_map<(d0) -> (d0 >= 0)>", "not plain",
		"@a::@b", "#alias", "1 : index", "dense<1> : tensor<2xindex>", "#hone.list<[]>" };
	static const DType widths[] = { DT_I64, DT_I64, DT_I8, DT_U64, DT_I32 };
	int64_t ints[4];
	double floats[4];
	const Str *strs[4];
	size_t n = (size_t)pick(g, 5);
	for (size_t i = 0; i < n; i++) {
		ints[i] = pick(g, 4) ? pick(g, 100) - 50 : (int64_t)rng_u64(&g->r);
		floats[i] = random_double(g);
		strs[i] = random_name(g);
	}
	switch (k) {
	case ATTR_INT: {
		DType w = widths[pick(g, (int64_t)ARRAY_LEN(widths))];
		int64_t v = w == DT_I64 ? (int64_t)rng_u64(&g->r) : w == DT_U64 ? -1 : pick(g, 200) - 100;
		return attr_make(g->c, (Attr){ .kind = k, .width = w, .u.i = v });
	}
	case ATTR_FLOAT: {
		static const DType kinds[] = { DT_F32, DT_F64, DT_F16, DT_BF16, DT_F8E4M3FN };
		return attr_make(g->c, (Attr){ .kind = k, .width = kinds[pick(g, 5)], .u.f = random_double(g) });
	}
	case ATTR_STR: return attr_str(g->c, random_name(g));
	case ATTR_BOOL: return attr_bool(g->c, pick(g, 2));
	case ATTR_INTS: return attr_ints(g->c, ints, n);
	case ATTR_FLOATS: return attr_floats(g->c, floats, n);
	case ATTR_STRS: return attr_strs(g->c, strs, n);
	case ATTR_TENSOR: return random_tensor(g);
	case ATTR_TYPE: return attr_type(g->c, random_type(g, 0));
	case ATTR_LIST:
	case ATTR_DICT: return random_list(g, k, depth);
	case ATTR_UNIT: return attr_make(g->c, (Attr){ .kind = k });
	case ATTR_TEXT: return attr_make(g->c, (Attr){ .kind = k, .u.str = str(g->c, texts[pick(g, (int64_t)ARRAY_LEN(texts))]) });
	default: return attr_make(g->c, (Attr){ .kind = k, .u.str = random_name(g) });
	}
}

static NamedAttr *random_meta(Gen *g, uint16_t *n)
{
	*n = (uint16_t)(pick(g, 3) ? 0 : 1 + pick(g, 3));
	NamedAttr *v = *n ? NEW_ARRAY(g->m->arena, NamedAttr, *n) : NULL;
	for (uint16_t i = 0; i < *n; i++)
		v[i] = (NamedAttr){ str_fmt(g->c, "%u%s", i, random_name(g)->s), random_attr(g, (AttrKind)pick(g, ATTR_WIRE + 1), 0) };
	return v;
}

static Value *random_value(Gen *g)
{
	return g->values.data[pick(g, (int64_t)g->values.len)];
}

static void see(Gen *g, Value *v)
{
	v->name = maybe_name(g);
	VEC_PUSH(g->m->arena, &g->values, v);
}

static void random_block(Gen *g, Block *b, size_t nargs, size_t gives, OpKind end);

static const Loc *random_loc(Gen *g)
{
	Loc l = { .file = pick(g, 2) ? "a \"file\"" : NULL, .line = (uint32_t)pick(g, 9), .col = (uint32_t)pick(g, 3),
		.offset = pick(g, 2) ? pick(g, 1000) : -1, .what = pick(g, 2) ? "node \"x\"" : NULL };
	return loc_new(g->c, l);
}

static Op *make_op(Gen *g, Block *b, const OpDef *def, size_t noperands, size_t nresults, size_t nblocks)
{
	Value *operands[64];
	const Type *types[16];
	NamedAttr attrs[32];
	size_t nattrs = 0;
	const char *text = def->operands;
	for (size_t i = 0; i < noperands; i++) {
		size_t len = strcspn(text, " ");
		bool optional = len > 0 && text[len - 1] == '?';
		operands[i] = optional && pick(g, 2) ? NULL : random_value(g);
		if (len > 0 && text[len - 1] != '*' && text[len])
			text += len + 1;
	}
	for (size_t i = 0; i < nresults; i++)
		types[i] = random_type(g, 0);
	for (size_t i = 0; i < def->nattrs && nattrs < 30; i++)
		if ((!def->attrs[i].optional && !def->attrs[i].fallback) || pick(g, 2))
			attrs[nattrs++] = (NamedAttr){ g->c->attr_names[def->attrs[i].name], random_attr(g, def->attrs[i].kind, 0) };
	if (def->kind == OP_UNKNOWN)
		attrs[nattrs++] = (NamedAttr){ random_name(g), random_attr(g, (AttrKind)pick(g, ATTR_WIRE + 1), 0) };
	OpSpec s = { .def = def, .operands = operands, .noperands = noperands, .types = types, .nresults = nresults,
		.attrs = attrs, .nattrs = nattrs, .nblocks = nblocks, .name = maybe_name(g) };
	s.loc = random_loc(g);
	Op *op = op_new(b, NULL, &s);
	op->meta = random_meta(g, &op->nmeta);
	return op;
}

static void add_block(Gen *g, Op *op, size_t i, size_t nargs, size_t gives)
{
	size_t visible = g->values.len;
	Block *b = block_new(op->block->func, op);
	g->depth++;
	random_block(g, b, nargs, gives, OP_yield);
	g->depth--;
	op_set_block(op, i, b);
	g->values.len = visible;
}

static void random_region_op(Gen *g, Block *b)
{
	size_t n = (size_t)pick(g, 3), gives = (size_t)pick(g, 3);
	Op *op;
	switch (pick(g, 4)) {
	case 0:
		op = make_op(g, b, op_def(g->c, OP_if), 1, gives, 2);
		add_block(g, op, 0, 0, gives);
		add_block(g, op, 1, 0, gives);
		break;
	case 1:
		op = make_op(g, b, op_def(g->c, OP_loop), 2 + n, n + gives, 1);
		add_block(g, op, 0, 2 + n, 1 + n + gives);
		break;
	case 2:
		op = make_op(g, b, op_def(g->c, OP_while), n, n, 2);
		add_block(g, op, 0, n, 1);
		add_block(g, op, 1, n, n);
		break;
	default:
		op = make_op(g, b, op_def_find(g->c, "my dialect.any", 14), n, gives, 1);
		add_block(g, op, 0, gives, n);
		break;
	}
	for (size_t i = 0; i < op->nresults; i++)
		see(g, op->results[i]);
}

static void random_op(Gen *g, Block *b)
{
	const OpDef *d = op_def(g->c, (OpKind)(1 + pick(g, OP_CORE_END - 1)));
	if (pick(g, 8) == 0)
		/* not StableHLO: its reader normalises attributes */
		d = op_def(g->c, (OpKind)(OP_CORE_END + 1 + pick(g, SHLO_abs - OP_CORE_END - 1)));
	if (pick(g, 12) == 0)
		d = op_def_find(g->c, "onnx.my.domain::Foo", 19);
	if (d->traits & TRAIT_REGIONS || (g->depth < 4 && pick(g, 12) == 0)) {
		random_region_op(g, b);
		return;
	}
	if (d->traits & TRAIT_TERMINATOR)
		return;
	size_t nin = d->min_operands, nout = d->min_results;
	if (d->max_operands > nin && nin < 8)
		nin += (size_t)pick(g, (d->max_operands < 8 ? d->max_operands : 8) - (int64_t)nin + 1);
	if (d->max_results > nout)
		nout += (size_t)pick(g, (d->max_results < 4 ? d->max_results : 4) - (int64_t)nout + 1);
	Op *op = make_op(g, b, d, nin, nout, 0);
	for (size_t i = 0; i < op->nresults; i++)
		see(g, op->results[i]);
}

static void random_block(Gen *g, Block *b, size_t nargs, size_t gives, OpKind end)
{
	Value *out[8];
	b->name = maybe_name(g);
	b->meta = random_meta(g, &b->nmeta);
	for (size_t i = 0; i < nargs; i++)
		see(g, block_add_arg(b, random_type(g, 0), NULL));
	for (int64_t n = pick(g, g->depth ? 3 : 12); n > 0; n--)
		random_op(g, b);
	for (size_t i = 0; i < gives; i++)
		out[i] = random_value(g);
	OpSpec s = { .def = op_def(g->c, end), .operands = out, .noperands = gives, .loc = random_loc(g) };
	op_new(b, NULL, &s);
}

/* Lists that end with a NULL name. */
static NamedAttr **random_metas(Gen *g, size_t n)
{
	NamedAttr **lists = NEW_ARRAY(g->m->arena, NamedAttr *, n + 1);
	for (size_t i = 0; i < n; i++) {
		uint16_t len;
		NamedAttr *v = random_meta(g, &len);
		lists[i] = len ? NEW_ARRAY(g->m->arena, NamedAttr, len + 1u) : NULL;
		if (len)
			memcpy(lists[i], v, len * sizeof *v);
	}
	return lists;
}

static void random_func(Gen *g, const char *name)
{
	Func *f = func_new(g->m, str(g->c, name));
	size_t nargs = 1 + (size_t)pick(g, 4), nresults = (size_t)pick(g, 4);
	g->values.len = 0;
	g->depth = 0;
	random_block(g, f->body, nargs, nresults, OP_return);
	f->is_library = pick(g, 2);
	f->arg_meta = random_metas(g, nargs);
	f->result_meta = random_metas(g, nresults);
	f->result_names = NEW_ARRAY(g->m->arena, const Str *, nresults + 1);
	for (size_t i = 0; i < nresults; i++)
		f->result_names[i] = maybe_name(g);
	f->arg_default = NEW_ARRAY(g->m->arena, const Attr *, nargs);
	if (pick(g, 2))
		f->arg_default[0] = random_tensor(g);
	f->attrs = NEW_ARRAY(g->m->arena, NamedAttr, 1);
	f->attrs[0] = (NamedAttr){ str(g->c, "sym_visibility"), attr_str(g->c, str(g->c, pick(g, 2) ? "private" : "nested")) };
	f->nattrs = (uint16_t)pick(g, 2);
	if (pick(g, 2))
		g->m->main = f;
}

static Module *random_module(Context *c, uint64_t seed)
{
	Gen g = { .c = c, .m = module_new(c), .r = { seed } };
	random_func(&g, "main");
	random_func(&g, "my.domain::f:over");
	g.m->format = str(c, pick(&g, 2) ? "onnx" : "mlir");
	for (int64_t n = pick(&g, 4); n > 0; n--)
		module_set_attr(g.m, random_name(&g)->s, random_attr(&g, (AttrKind)pick(&g, ATTR_WIRE + 1), 0));
	return g.m;
}

static void test_random_modules(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		Context *c = context_new();
		Module *m = random_module(c, seed);
		assert_true(module_verify(m, &c->diags));
		round_trip(m, false);
		round_trip(m, true);
		module_free(m);
		context_free(c);
	}
}

static const Loc *first_loc(const Module *m)
{
	return m->funcs->body->first->loc;
}

static void test_locations(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		Context *c = context_new();
		Module *m = random_module(c, seed);
		Buf text = { 0 };
		mlir_print(m, &text, &(WriteOptions){ .locations = true });
		Module *back = parse_text(c, text.data, text.len);
		assert_non_null(back);
		assert_ptr_equal(first_loc(m), first_loc(back));
		module_free(back);
		buf_free(&text);
		module_free(m);
		context_free(c);
	}
}

/* ---- texts ---- */

static Module *must_parse(Context *c, const char *text)
{
	Module *m = parse_text(c, text, strlen(text));
	if (!m)
		fail_with_diags(c, text);
	assert_true(module_verify(m, &c->diags));
	return m;
}

/* A module around one attribute that a foreign op holds. */
static const Attr *attr_of(Context *c, const char *text)
{
	Buf b = { 0 };
	buf_printf(&b, "func.func @main() { \"a.b\"() {v = %s} : () -> ()\n return }", text);
	Module *m = must_parse(c, b.data);
	const Attr *a = op_attr_named(m->funcs->body->first, str(c, "v"));
	module_free(m);
	buf_free(&b);
	return a;
}

static void test_attributes(void **state)
{
	(void)state;
	Context *c = context_new();
	assert_ptr_equal(attr_of(c, "7"), attr_int(c, 7));
	assert_ptr_equal(attr_of(c, "-9223372036854775808"), attr_int(c, INT64_MIN));
	assert_ptr_equal(attr_of(c, "0xFF : i8"), attr_make(c, (Attr){ .kind = ATTR_INT, .width = DT_I8, .u.i = -1 }));
	assert_ptr_equal(attr_of(c, "5.000000e-01 : f32"), attr_float(c, 0.5));
	assert_ptr_equal(attr_of(c, "0x7F800000 : f32"), attr_float(c, INFINITY));
	assert_ptr_equal(attr_of(c, "true"), attr_bool(c, true));
	assert_ptr_equal(attr_of(c, "array<i64: 1, -2>"), attr_ints(c, (int64_t[]){ 1, -2 }, 2));
	assert_ptr_equal(attr_of(c, "\"a\\0Ab\\\"\\\\\""), attr_str(c, str(c, "a\nb\"\\")));
	assert_int_equal(attr_of(c, "[1, 2]")->kind, ATTR_LIST);
	assert_int_equal(attr_of(c, "[\"a\"]")->kind, ATTR_STRS);
	assert_int_equal(attr_of(c, "#stablehlo<precision DEFAULT>")->kind, ATTR_TEXT);
	assert_int_equal(attr_of(c, "(tensor<2xf32>) -> tensor<2xf32>")->kind, ATTR_TYPE);
	const Attr *bools = attr_of(c, "dense<\"0xFF01\"> : tensor<9xi1>");
	assert_int_equal(bools->u.tensor.blob->len, 9);
	assert_int_equal(((const uint8_t *)bools->u.tensor.blob->data)[8], 1);
	const Attr *packed = attr_of(c, "dense<[1, -2, 7]> : tensor<3xi4>");
	assert_int_equal(packed->u.tensor.blob->len, 2);
	assert_int_equal(((const uint8_t *)packed->u.tensor.blob->data)[0], 0xE1);
	context_free(c);
}

/* What mlir-opt prints: aliases, locations behind their uses, generic functions and modules, result groups. */
static void test_foreign_text(void **state)
{
	(void)state;
	Context *c = context_new();
	Module *m = must_parse(c, "#map = affine_map<(d0) -> (d0)>\n!t = tensor<?x4xf32>\n"
		"\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
		"  \"func.func\"() <{arg_attrs = [{tf.x = 1 : i32}], function_type = (!t) -> !t, sym_name = \"f\"}> ({\n"
		"  ^bb0(%arg0: !t loc(\"x\")):\n"
		"    %0:2 = \"a.b\"(%arg0) <{p = #x.y<#map, 1>}> {q = #map} : (!t) -> (!t, !t) loc(#loc1)\n"
		"    \"func.return\"(%0#1) : (!t) -> () loc(callsite(\"g\" at \"h.py\":3:4))\n"
		"  }) : () -> () loc(#loc1)\n"
		"}) : () -> ()\n#loc = loc(\"f.py\":7:8)\n#loc1 = loc(fused[unknown, #loc])\n");
	const Op *op = m->main->body->first;
	assert_string_equal(m->main->name->s, "f");
	assert_int_equal(op->loc->line, 7);
	assert_string_equal(op_attr_named(op, str(c, "p"))->u.str->s, "#x.y<affine_map<(d0) -> (d0)>, 1>");
	assert_ptr_equal(m->main->body->last->operands[0].value, op->results[1]);
	assert_string_equal(m->main->arg_meta[0][0].name->s, "tf.x");
	round_trip(m, false);
	module_free(m);
	context_free(c);
}

/* ---- damage ---- */

static void expect_sound(const char *text, size_t len)
{
	Context *c = context_new();
	Module *m = parse_text(c, text, len);
	if (m) {
		assert_true(module_verify(m, &c->diags));
		Buf b = { 0 };
		mlir_print(m, &b, NULL);
		buf_free(&b);
		module_free(m);
	} else {
		assert_true(c->diags.status != HONE_OK);
		assert_int_not_equal(c->diags.list.data[0].loc.line, 0);
	}
	context_free(c);
}

static void test_damage(void **state)
{
	(void)state;
	static const char marks[] = "(){}[]<>,:=\"#!%@^-x0\n \xff";
	Rng r = { 5 };
	for (uint64_t seed = 1; seed <= 12; seed++) {
		Context *c = context_new();
		Module *m = random_module(c, seed * 1000);
		Buf text = { 0 };
		mlir_print(m, &text, &(WriteOptions){ .locations = true });
		for (int round = 0; round < 150; round++) {
			char *copy = malloc(text.len);
			assert_non_null(copy);
			memcpy(copy, text.data, text.len);
			for (int64_t n = 1 + rng_below(&r, 3); n > 0; n--)
				copy[rng_below(&r, (int64_t)text.len)] = marks[rng_below(&r, (int64_t)sizeof marks - 1)];
			expect_sound(copy, text.len);
			expect_sound(copy, (size_t)rng_below(&r, (int64_t)text.len));
			free(copy);
		}
		buf_free(&text);
		module_free(m);
		context_free(c);
	}
}

static void expect_error(const char *text, HoneStatus status, unsigned line, const char *part)
{
	Context *c = context_new();
	Module *m = parse_text(c, text, strlen(text));
	assert_null(m);
	assert_int_equal(c->diags.status, status);
	assert_int_equal(c->diags.list.data[0].loc.line, line);
	if (!strstr(c->diags.list.data[0].message, part))
		fail_msg("'%s' lacks '%s'", c->diags.list.data[0].message, part);
	context_free(c);
}

static char *repeated(const char *head, const char *part, size_t n, const char *tail)
{
	Buf b = { 0 };
	buf_puts(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_puts(&b, part);
	buf_puts(&b, tail);
	return b.data;
}

/* Each alias holds the one before. */
static void expect_alias_limit(const char *step, const char *first, int n)
{
	Buf text = { 0 };
	Context *c = context_new();
	buf_puts(&text, first);
	for (int i = 1; i < n; i++) {
		int number = i;
		for (const char *s = step; *s;) {
			size_t len = strcspn(s, "%");
			buf_put(&text, s, len);
			s += len;
			if (*s) {
				buf_printf(&text, "%d", number);
				number = i - 1;
				s += 2;
			}
		}
	}
	buf_puts(&text, "func.func @main() { return }");
	assert_null(parse_text(c, text.data, text.len));
	assert_int_equal(c->diags.status, HONE_LIMIT);
	context_free(c);
	buf_free(&text);
}

static void test_limits(void **state)
{
	(void)state;
	const char *head = "func.func @main() {\n\"a.b\"() {v = ";
	const char *parts[] = { "[", "{a = ", "tuple<", "!seq<", "#a.b<", "loc(fused[" };
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		char *deep = repeated(head, parts[i], 100000, "");
		expect_error(deep, HONE_LIMIT, 2, "deep");
		mem_free(deep);
	}
	char *regions = repeated("func.func @main() {\n", "\"a.b\"() ({", 100000, "");
	expect_error(regions, HONE_LIMIT, 2, "deep");
	mem_free(regions);
	char *locs = repeated("func.func @main() {\nreturn loc(", "fused[", 100000, "");
	expect_error(locs, HONE_LIMIT, 2, "deep");
	mem_free(locs);
	expect_alias_limit("#a%d = #x.y<#a%d, #a%d>\n", "#a0 = #x.y<0>\n", 40);
	expect_alias_limit("#a%d = [#a%d, #a%d]\n", "#a0 = 1\n", 40);
	expect_alias_limit("!a%d = tuple<!a%d, !a%d>\n", "!a0 = i1\n", 40);
	expect_alias_limit("#a%d = [1, #a%d]\n", "#a0 = 1\n", 100000);
	expect_error("func.func @main() {\n\"a.b\"() {v = dense<[1]> : tensor<9223372036854775807xi64>} : () -> ()", HONE_BAD_INPUT, 2, "known sizes");
	expect_error("func.func @main() {\n\"a.b\"() {v = dense<[1]> : tensor<999999999999xi8>} : () -> ()", HONE_BAD_INPUT, 2, "fewer elements");
	expect_error("func.func @main() {\n%a:999999999 = core.split(_)", HONE_LIMIT, 2, "without types");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_modules), cmocka_unit_test(test_locations), cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_foreign_text), cmocka_unit_test(test_damage), cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
