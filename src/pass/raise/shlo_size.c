#include "shlo_int.h"

/* Sizes that only the run knows, as values: get_dimension_size of a value that has the size as a dimension, and arithmetic
 * of such. Equal ones are shared afterwards. */

void sizes_note(ShSizes *s, Value *v)
{
	int64_t n;
	if (!type_has_rank(v->type))
		return;
	for (int d = 0; d < v->type->rank; d++) {
		const Sym *size = v->type->dims[d];
		bool have = sym_const(size, &n);
		for (size_t i = 0; i < s->known.len && !have; i++)
			have = s->known.data[i].size == size;
		SizeSource at = { size, v, d };
		if (!have)
			VEC_PUSH(s->arena, &s->known, at);
	}
}

static Value *size_as(Lg *l, const Sym *size, DType type);

typedef struct Sizing {
	Lg *l;
	DType type; /* of the arithmetic: i32 or i64 */
} Sizing;

static void *size_number(void *arg, int64_t v)
{
	const Sizing *s = arg;
	return s->type == DT_I64 || (v >= INT32_MIN && v <= INT32_MAX) ? sh_int(s->l, s->type, v) : NULL;
}

static Value *read_size(const Sizing *s, Value *v, int dim)
{
	Lg *l = s->l;
	Value *n = sh_new(l, SHLO_get_dimension_size, &v, 1, sh_type(l, DT_I32, 0, NULL), sh_attr(l, A_dimension, lg_int(l, dim)));
	return sh_convert(l, n, s->type);
}

/* Where it was first seen, so that one reading serves all; else of an operand. */
static void *size_seen(void *arg, const Sym *size)
{
	const Sizing *s = arg;
	Lg *l = s->l;
	for (size_t i = 0; i < l->sizes->known.len; i++) {
		const SizeSource *at = &l->sizes->known.data[i];
		if (at->size == size && value_dominates(at->v, l->op))
			return read_size(s, at->v, at->dim);
	}
	for (size_t i = 0; i < l->op->noperands; i++) {
		Value *v = lg_in(l, i);
		for (int d = 0; v && type_has_rank(v->type) && d < v->type->rank; d++)
			if (v->type->dims[d] == size)
				return read_size(s, v, d);
	}
	return NULL;
}

/* A broadcast of two sizes is the other one where one is 1. */
static void *size_known(void *arg, const Sym *size)
{
	const Sizing *s = arg;
	Lg *l = s->l;
	Value *v = size_seen(arg, size);
	const Sym *const *part = v ? NULL : infer_broadcast_parts(l->infer, size);
	if (!part)
		return v;
	Value *a = size_as(l, part[0], s->type), *b = a ? size_as(l, part[1], s->type) : NULL;
	return b ? sh_select_of(l, sh_compare_to(l, a, sh_int(l, s->type, 1), "EQ"), b, a) : NULL;
}

/* Rounded down; StableHLO's division goes toward zero. The divisor is positive wherever sizes divide. */
static Value *floor_div(Lg *l, Value *a, Value *b)
{
	DType type = a->type->dtype;
	Value *q = sh_new2(l, SHLO_divide, a, b), *rest = sh_new2(l, SHLO_remainder, a, b);
	Value *below = sh_compare_to(l, rest, sh_int(l, type, 0), "LT");
	return sh_new2(l, SHLO_subtract, q, sh_convert(l, below, type));
}

static void *size_binary(void *arg, SymOp op, void *a, void *b)
{
	Lg *l = ((const Sizing *)arg)->l;
	switch (op) {
	case SYM_OP_ADD: return sh_new2(l, SHLO_add, a, b);
	case SYM_OP_MUL: return sh_new2(l, SHLO_multiply, a, b);
	case SYM_OP_MIN: return sh_new2(l, SHLO_minimum, a, b);
	case SYM_OP_MAX: return sh_new2(l, SHLO_maximum, a, b);
	case SYM_OP_FLOORDIV: return floor_div(l, a, b);
	case SYM_OP_MOD: return sh_new2(l, SHLO_subtract, a, sh_new2(l, SHLO_multiply, floor_div(l, a, b), b));
	}
	return NULL;
}

static Value *size_as(Lg *l, const Sym *size, DType type)
{
	Sizing s = { l, type };
	SymFold f = { .number = size_number, .known = size_known, .binary = size_binary, .arg = &s };
	return sym_fold(size, &f);
}

Value *sh_size(Lg *l, const Sym *size)
{
	return size_as(l, size, DT_I32);
}

/* Sizes in a vector of that type; NULL: one of them cannot be read. */
static Value *size_vector(Lg *l, const Sym *const *sizes, int64_t n, DType type)
{
	Value *part[MAX_RANK];
	int64_t one = 1, number;
	for (int64_t i = 0; i < n; i++) {
		bool constant = sym_const(sizes[i], &number) && (type == DT_I64 || number <= INT32_MAX);
		Value *v = constant ? NULL : size_as(l, sizes[i], type);
		if (!constant && !v)
			return NULL;
		part[i] = v ? sh_reshape(l, v, 1, &one) : sh_ints_value(l, type, &number, 1);
	}
	return n == 1 ? part[0] : sh_new(l, SHLO_concatenate, part, (size_t)n, sh_type(l, type, 1, &n),
		sh_attr(l, A_dimension, lg_int(l, 0)));
}

Value *sh_shape(Lg *l, const Type *t)
{
	int64_t dims[MAX_RANK];
	if (!type_has_rank(t) || t->rank > MAX_RANK)
		return NULL;
	if (type_static_dims(t, dims))
		return sh_ints_value(l, DT_I32, dims, (size_t)t->rank);
	return size_vector(l, t->dims, t->rank, DT_I32);
}

/* Ops that shape refinement elsewhere computes: what they make of sizes needs no other form. */
static bool is_folded_elsewhere(OpKind k)
{
	return k == OP_add || k == OP_sub || k == OP_mul || k == OP_cast || k == OP_reshape || k == OP_squeeze || k == OP_unsqueeze ||
		k == OP_concat || k == OP_identity || k == OP_constant;
}

Value *sh_known_sizes(Lg *l)
{
	Op *op = l->op;
	const Value *y = op->nresults == 1 ? op->results[0] : NULL;
	DType type = y ? lg_dtype(y) : DT_NONE;
	if ((type != DT_I32 && type != DT_I64) || is_folded_elsewhere(op_kind(op)) || op->constant || op->nblocks)
		return NULL;
	const Elems *e = infer_elems(l->infer, y);
	int64_t dims[MAX_RANK];
	int rank;
	if (!e || e->n < 1 || e->n > MAX_RANK || elems_are_numbers(e) || !sh_dims(y, dims, &rank))
		return NULL;
	Value *v = rank == 0 ? size_as(l, e->v[0], type) : size_vector(l, e->v, e->n, type);
	return v && rank > 1 ? sh_reshape(l, v, rank, dims) : v;
}
