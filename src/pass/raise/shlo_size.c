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

static const Type *i32_scalar(Lg *l)
{
	return sh_type(l, DT_I32, 0, NULL);
}

static void *size_number(void *arg, int64_t v)
{
	Lg *l = arg;
	return v >= INT32_MIN && v <= INT32_MAX ? sh_int(l, DT_I32, v) : NULL;
}

static Value *read_size(Lg *l, Value *v, int dim)
{
	return sh_new(l, SHLO_get_dimension_size, &v, 1, i32_scalar(l), sh_attr(l, A_dimension, lg_int(l, dim)));
}

static void *size_known(void *arg, const Sym *s)
{
	Lg *l = arg;
	for (size_t i = 0; i < l->op->noperands; i++) {
		Value *v = lg_in(l, i);
		for (int d = 0; v && type_has_rank(v->type) && d < v->type->rank; d++)
			if (v->type->dims[d] == s)
				return read_size(l, v, d);
	}
	for (size_t i = 0; i < l->sizes->known.len; i++) {
		const SizeSource *at = &l->sizes->known.data[i];
		if (at->size == s && value_dominates(at->v, l->op))
			return read_size(l, at->v, at->dim);
	}
	return NULL;
}

/* Rounded down; StableHLO's division goes toward zero. The divisor is positive wherever sizes divide. */
static Value *floor_div(Lg *l, Value *a, Value *b)
{
	Value *q = sh_new2(l, SHLO_divide, a, b), *rest = sh_new2(l, SHLO_remainder, a, b);
	Value *below = sh_compare_to(l, rest, sh_int(l, DT_I32, 0), "LT");
	return sh_new2(l, SHLO_subtract, q, sh_convert(l, below, DT_I32));
}

static void *size_binary(void *arg, SymOp op, void *a, void *b)
{
	Lg *l = arg;
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

Value *sh_size(Lg *l, const Sym *size)
{
	SymFold f = { .number = size_number, .known = size_known, .binary = size_binary, .arg = l };
	return sym_fold(size, &f);
}

Value *sh_shape(Lg *l, const Type *t)
{
	int64_t dims[MAX_RANK], one = 1;
	Value *part[MAX_RANK];
	if (!type_has_rank(t) || t->rank > MAX_RANK)
		return NULL;
	if (type_static_dims(t, dims))
		return sh_ints_value(l, DT_I32, dims, (size_t)t->rank);
	for (int i = 0; i < t->rank; i++) {
		Value *v = sh_size(l, t->dims[i]);
		if (!v)
			return NULL;
		part[i] = sh_reshape(l, v, 1, &one);
	}
	int64_t rank = t->rank;
	if (rank == 1)
		return part[0];
	return sh_new(l, SHLO_concatenate, part, (size_t)rank, sh_type(l, DT_I32, 1, &rank),
		sh_attr(l, A_dimension, lg_int(l, 0)));
}
