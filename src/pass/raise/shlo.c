#include "shlo_int.h"

#include <string.h>

/* Core ops to StableHLO, in program order, blocks inside first: helpers that a function makes are StableHLO already.
 * Constants come last, since starts, axes and the like are read from them. */

/* ---- building ---- */

Value *sh_new(Lg *l, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs)
{
	Value *v = lg_new(l, k, in, n, attrs);
	value_set_type(v, t);
	return v;
}

Value *sh_new1(Lg *l, OpKind k, Value *x)
{
	return sh_new(l, k, &x, 1, x->type, NULL);
}

Value *sh_new2(Lg *l, OpKind k, Value *x, Value *y)
{
	return sh_new(l, k, (Value *[]){ x, y }, 2, x->type, NULL);
}

bool sh_become(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs)
{
	return lg_become(l, k, in, n, attrs);
}

const Type *sh_type(Lg *l, DType d, int rank, const int64_t *dims)
{
	return type_tensor_of(l->c, d, rank, dims);
}

bool sh_dims(const Value *v, int64_t *dims, int *rank)
{
	*rank = v && type_has_rank(v->type) ? v->type->rank : 0;
	return v && type_has_rank(v->type) && v->type->rank <= MAX_RANK && v->type->dtype != DT_NONE &&
		type_static_dims(v->type, dims);
}

const Attr *sh_ints(Lg *l, const int64_t *v, size_t n)
{
	return attr_ints(l->c, v, n);
}

static Value *constant_of(Lg *l, const Type *t, double v)
{
	uint64_t element[2] = { 0, 0 };
	int64_t i = (int64_t)v;
	if (dtype_is_integer(t->dtype) || t->dtype == DT_BOOL)
		dtype_store_i64(t->dtype, element, 1, &i);
	else
		dtype_store_f64(t->dtype, element, 1, &v);
	const Attr *a = attr_tensor(l->c, t, blob_splat(l->c, t->dtype, element));
	return sh_new(l, SHLO_constant, NULL, 0, t, (RwAttr[]){ { A_value, a }, { A_NONE, NULL } });
}

Value *sh_number(Lg *l, DType d, double v)
{
	return constant_of(l, sh_type(l, d, 0, NULL), v);
}

Value *sh_full(Lg *l, const Type *t, double v)
{
	return constant_of(l, t, v);
}

Value *sh_broadcast(Lg *l, Value *x, const Type *t, const int64_t *at)
{
	size_t n = (size_t)x->type->rank;
	const Type *to = type_with_dtype(l->c, t, x->type->dtype);
	return sh_new(l, SHLO_broadcast_in_dim, &x, 1, to, (RwAttr[]){ { A_broadcast_dimensions, sh_ints(l, at, n) },
		{ A_NONE, NULL } });
}

static bool same_dims(const Type *a, const Type *b)
{
	if (a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	return true;
}

Value *sh_fit(Lg *l, Value *x, const Type *like)
{
	int64_t at[MAX_RANK], dims[MAX_RANK];
	int rank;
	if (x && type_has_rank(x->type) && type_has_rank(like) && same_dims(x->type, like))
		return x;
	if (!sh_dims(x, dims, &rank) || !type_has_rank(like) || like->rank > MAX_RANK || !type_is_static(like) ||
		rank > like->rank)
		return NULL;
	for (int i = 0; i < rank; i++)
		at[i] = like->rank - rank + i;
	return sh_broadcast(l, x, like, at);
}

Value *sh_reshape(Lg *l, Value *x, int rank, const int64_t *dims)
{
	const Type *t = sh_type(l, x->type->dtype, rank, dims);
	return t == x->type ? x : sh_new(l, SHLO_reshape, &x, 1, t, NULL);
}

const Attr *sh_struct(Lg *l, const ShField *f, size_t n)
{
	const Str **names = NEW_ARRAY(l->a, const Str *, n);
	const Attr **values = NEW_ARRAY(l->a, const Attr *, n);
	for (size_t i = 0; i < n; i++) {
		names[i] = str(l->c, f[i].name);
		values[i] = f[i].list ? attr_ints(l->c, f[i].v, f[i].n) : attr_int(l->c, f[i].v[0]);
	}
	return attr_make(l->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, n } });
}

/* stablehlo.reduce with the body `return op(lhs, rhs)`. */
Value *sh_reduce(Lg *l, Value *x, OpKind body, double start, const int64_t *axes, size_t n, bool keep)
{
	int64_t dims[MAX_RANK], kept[MAX_RANK], ones[MAX_RANK];
	int rank, m = 0;
	DType d = x->type->dtype;
	if (!sh_dims(x, dims, &rank))
		return NULL;
	for (int i = 0; i < rank; i++) {
		bool gone = false;
		for (size_t k = 0; k < n; k++)
			gone |= axes[k] == i;
		ones[i] = gone ? 1 : dims[i];
		if (!gone)
			kept[m++] = dims[i];
	}
	const Type *scalar = sh_type(l, d, 0, NULL), *t = sh_type(l, d, m, kept);
	Value *in[2] = { x, sh_number(l, d, start) };
	NamedAttr a = { l->c->attr_names[A_dimensions], sh_ints(l, axes, n) };
	OpSpec s = { .def = op_def(l->c, SHLO_reduce), .operands = in, .noperands = 2, .types = &t, .nresults = 1,
		.attrs = &a,
		.nattrs = 1, .nblocks = 1, .loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	Block *b = block_new(l->op->block->func, op);
	Value *args[2] = { block_add_arg(b, scalar, NULL), block_add_arg(b, scalar, NULL) };
	OpSpec inner = { .def = op_def(l->c, body), .operands = args, .noperands = 2, .types = &scalar, .nresults = 1,
		.loc = l->op->loc };
	Op *sum = op_new(b, NULL, &inner);
	op_new(b, NULL, &(OpSpec){ .def = op_def(l->c, SHLO_return), .operands = sum->results, .noperands = 1,
		.loc = l->op->loc });
	op_set_block(op, 0, b);
	return keep ? sh_reshape(l, op->results[0], rank, ones) : op->results[0];
}

/* ---- the pass ---- */

typedef struct Raiser {
	Context *c;
	Module *m;
	Arena *scratch;
	const ShloRow *rows[OP_CORE_END];
	bool constants; /* the second walk: others read them as long as they are core's */
	bool changed;
} Raiser;

static void raise_op(Raiser *r, Op *op)
{
	const ShloRow *row = op_is_core(op) ? r->rows[op_kind(op)] : NULL;
	bool stays = !op_is_core(op) || op_is(op, OP_return) || op_is(op, OP_call);
	Lg l = { .c = r->c, .m = r->m, .op = op, .d = &r->c->diags, .a = r->scratch };
	if (stays || op_is(op, OP_constant) != r->constants)
		return;
	bool ok = row && operands_known(op) && (row->fn ? row->fn(&l, row->to) : lg_become_same(&l, row->to, NULL));
	if (!ok) {
		diag_error(&r->c->diags, HONE_UNSUPPORTED, op->loc, "%s%s%s cannot be written as StableHLO%s%s",
			op->def->name->s,
			op->name ? " " : "", op->name ? op->name->s : "", l.why ? ": " : "", l.why ? l.why : "");
		return;
	}
	r->changed = true;
	if (l.gone)
		op_erase(op);
}

static void raise_block(Raiser *r, Block *b)
{
	FOR_EACH_OP(op, b) {
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				raise_block(r, op->blocks[i]);
		raise_op(r, op);
	}
	arena_reset(r->scratch);
}

bool pass_raise_stablehlo(Module *m, PassCtx *p)
{
	Raiser *r = NEW(p->arena, Raiser);
	r->c = m->ctx;
	r->m = m;
	r->scratch = arena_new();
	for (size_t i = 0; i < shlo_raise_nrows; i++)
		r->rows[shlo_raise_rows[i].core] = &shlo_raise_rows[i];
	for (Func *f = m->funcs; f; f = f->next)
		raise_block(r, f->body);
	pass_dce(m, p);
	r->constants = true;
	for (Func *f = m->funcs; f; f = f->next)
		raise_block(r, f->body);
	arena_free(r->scratch);
	m->format = str(m->ctx, "stablehlo");
	return r->changed;
}

/* ---- the table ---- */

#define UNARY(core, to) { OP_##core, to, NULL }
#define BINARY(core, to) { OP_##core, to, sh_binary }
#define COMPARE(core) { OP_##core, SHLO_compare, sh_compare }

const ShloRow shlo_raise_rows[] = {
	{ OP_constant, SHLO_constant, sh_constant }, { OP_identity, OP_identity, sh_identity },
	UNARY(abs, SHLO_abs), UNARY(neg, SHLO_negate), UNARY(sign, SHLO_sign), UNARY(ceil, SHLO_ceil), UNARY(floor,
		SHLO_floor),
	UNARY(round, SHLO_round_nearest_even), UNARY(round_away, SHLO_round_nearest_afz), UNARY(sqrt, SHLO_sqrt),
	UNARY(rsqrt, SHLO_rsqrt), UNARY(cbrt, SHLO_cbrt), { OP_reciprocal, SHLO_divide, sh_reciprocal }, UNARY(exp,
		SHLO_exponential),
	UNARY(expm1, SHLO_exponential_minus_one), UNARY(log, SHLO_log), UNARY(log1p, SHLO_log_plus_one), UNARY(sin,
		SHLO_sine),
	UNARY(cos, SHLO_cosine), UNARY(tan, SHLO_tan), UNARY(asin, CHLO_asin), UNARY(acos, CHLO_acos), UNARY(atan,
		CHLO_atan),
	UNARY(sinh, CHLO_sinh), UNARY(cosh, CHLO_cosh), UNARY(tanh, SHLO_tanh), UNARY(asinh, CHLO_asinh),
	UNARY(acosh, CHLO_acosh), UNARY(atanh, CHLO_atanh), UNARY(erf, CHLO_erf), UNARY(sigmoid, SHLO_logistic),
	{ OP_relu, SHLO_maximum, sh_relu }, { OP_swish, SHLO_multiply, sh_swish }, { OP_gelu, SHLO_multiply, sh_gelu },
	{ OP_leaky_relu, SHLO_select, sh_leaky_relu },
	UNARY(not, SHLO_not), UNARY(bit_not, SHLO_not), UNARY(popcnt, SHLO_popcnt),
	UNARY(count_leading_zeros, SHLO_count_leading_zeros), UNARY(isfinite, SHLO_is_finite),
	{ OP_isnan, SHLO_compare, sh_isnan }, { OP_cast, SHLO_convert, sh_cast },
	BINARY(add, SHLO_add), BINARY(sub, SHLO_subtract), BINARY(mul, SHLO_multiply), BINARY(div, SHLO_divide),
	BINARY(fmod, SHLO_remainder), BINARY(pow, SHLO_power), BINARY(min, SHLO_minimum), BINARY(max, SHLO_maximum),
	BINARY(atan2, SHLO_atan2), BINARY(and, SHLO_and), BINARY(or, SHLO_or), BINARY(xor, SHLO_xor), BINARY(bit_and,
		SHLO_and),
	BINARY(bit_or, SHLO_or), BINARY(bit_xor, SHLO_xor), BINARY(shift_left, SHLO_shift_left),
	BINARY(shift_right_logical, SHLO_shift_right_logical), BINARY(shift_right, SHLO_shift_right_arithmetic),
	COMPARE(eq), COMPARE(ne), COMPARE(lt), COMPARE(le), COMPARE(gt), COMPARE(ge),
	{ OP_add_n, SHLO_add, sh_nary }, { OP_max_n, SHLO_maximum, sh_nary }, { OP_min_n, SHLO_minimum, sh_nary },
	{ OP_select, SHLO_select, sh_select }, { OP_clamp, SHLO_clamp, sh_clamp },
	{ OP_matmul, SHLO_dot_general, sh_matmul }, { OP_dot_general, SHLO_dot_general, sh_dot_general },
	{ OP_gemm, SHLO_dot_general, sh_gemm }, { OP_conv, SHLO_convolution, sh_conv },
	{ OP_max_pool, SHLO_reduce_window, sh_pool }, { OP_avg_pool, SHLO_reduce_window, sh_pool },
	{ OP_global_avg_pool, SHLO_reduce, sh_global_pool }, { OP_global_max_pool, SHLO_reduce, sh_global_pool },
	{ OP_reduce, SHLO_reduce, sh_reduce_op }, { OP_softmax, SHLO_divide, sh_softmax },
	{ OP_log_softmax, SHLO_subtract, sh_softmax }, { OP_layer_norm, SHLO_add, sh_layer_norm },
	{ OP_batch_norm, SHLO_batch_norm_inference, sh_batch_norm },
	{ OP_range, SHLO_iota, sh_range }, { OP_fill, SHLO_constant, sh_fill }, { OP_expand, SHLO_broadcast_in_dim,
		sh_expand },
	{ OP_reshape, SHLO_reshape, sh_reshape_op }, { OP_flatten, SHLO_reshape, sh_reshape_op },
	{ OP_squeeze, SHLO_reshape, sh_reshape_op }, { OP_unsqueeze, SHLO_reshape, sh_reshape_op },
	{ OP_transpose, SHLO_transpose, sh_transpose }, { OP_concat, SHLO_concatenate, sh_concat },
	{ OP_slice, SHLO_slice, sh_slice }, { OP_split, SHLO_slice, sh_split }, { OP_pad, SHLO_pad, sh_pad },
	{ OP_reverse, SHLO_reverse, sh_reverse }, { OP_gather, SHLO_gather, sh_gather },
	{ OP_if, SHLO_if, sh_control }, { OP_while, SHLO_while, sh_control }, { OP_yield, SHLO_return, sh_yield },
};
const size_t shlo_raise_nrows = ARRAY_LEN(shlo_raise_rows);
