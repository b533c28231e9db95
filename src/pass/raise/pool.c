#include "raise_int.h"

#include <string.h>

#define POOL_MAX_BYTES 512 /* bigger constants are not looked for */

static bool worth_knowing(const Attr *t)
{
	int64_t n;
	return type_static_numel(t->u.tensor.type, &n) && t->u.tensor.blob->len <= POOL_MAX_BYTES &&
			t->u.tensor.type->dtype != DT_STR;
}

void pool_init(Pool *p, Func *f, Arena *a)
{
	memset(p, 0, sizeof *p);
	p->f = f;
	p->a = a;
	FOR_EACH_OP(op, f->body) {
		const Attr *t = op_constant_attr(op);
		if (t && worth_knowing(t))
			VEC_PUSH(a, &p->known, op->results[0]);
	}
}

/* The known constant equal to v, made to dominate everything, with v erased; else v itself. */
static Value *pool_share(Pool *p, Value *v)
{
	const Attr *mine = value_constant(v);
	for (size_t i = 0; i < p->known.len; i++) {
		Value *k = p->known.data[i];
		if (k == v || !k->def || k->def->erased)
			continue;
		if (value_constant(k) && attr_equal(value_constant(k), mine)) {
			op_erase(v->def);
			if (k->def != p->f->body->first)
				op_move_before(k->def, p->f->body->first);
			return k;
		}
	}
	if (worth_knowing(mine))
		VEC_PUSH(p->a, &p->known, v);
	v->def->made = true;
	return v;
}

Value *rz_ints_of(Lg *l, DType d, int rank, const int64_t *dims, const int64_t *v)
{
	return pool_share(l->pool, constant_from_ints(l->pool->f->body, NULL, d, rank, dims, v));
}

Value *rz_ints(Lg *l, const int64_t *v, size_t n)
{
	int64_t dim = (int64_t)n;
	return rz_ints_of(l, DT_I64, 1, &dim, v);
}

Value *rz_floats(Lg *l, DType d, int rank, const int64_t *dims, const double *v)
{
	return pool_share(l->pool, constant_from_floats(l->pool->f->body, NULL, d, rank, dims, v));
}

Value *rz_float(Lg *l, DType d, double v)
{
	return rz_floats(l, d, 0, NULL, &v);
}

Value *rz_with_dims(Lg *l, Value *v, int rank, const int64_t *dims)
{
	const Attr *t = value_constant(v);
	if (t) {
		const Type *type = type_tensor_of(l->c, t->u.tensor.type->dtype, rank, dims);
		const Attr *same = attr_tensor(l->c, type, blob_ref(t->u.tensor.blob));
		return pool_share(l->pool, constant_from_attr(l->pool->f->body, NULL, same));
	}
	if (op_is(v->def, OP_unsqueeze) || op_is(v->def, ONNX_Unsqueeze)) { /* what it was made of may have these dims */
		Value *x = op_operand(v->def, 0);
		bool same = lg_rank(x) == rank;
		for (int i = 0; same && i < rank; i++)
			same = sym_is(x->type->dims[i], dims[i]);
		if (same)
			return x;
	}
	Value *y = lg_new2(l, OP_reshape, v, rz_ints(l, dims, (size_t)rank), NULL);
	if (type_is_tensor(v->type))
		value_set_type(y, type_tensor_of(l->c, v->type->dtype, rank, dims));
	return y;
}
