/* Seeded inputs for a function, by use. */
#include "verify/verify.h"

#include <math.h>
#include <string.h>

/* Follows an integer input to the ops that select by it; the smallest number of choices, or 0 when it selects nothing. */
static int64_t choices(const Value *v, int depth)
{
	int64_t best = 0;
	for (const Use *u = v->uses; u && depth < 8; u = u->next) {
		const Op *op = u->user;
		size_t slot = (size_t)(u - op->operands);
		int64_t n = 0;
		int axis;
		const Type *x = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
		bool gathers = op_is(op, OP_gather) || op_is(op, OP_gather_elements) || op_is(op, OP_scatter_elements);
		if (gathers && slot == 1 && type_has_rank(x) && axis_norm(op_int(op, A_axis), x->rank, &axis))
			n = sym_const(x->dims[axis], &n) ? n : 1;
		else if ((op_is(op, OP_gather_nd) || op_is(op, OP_scatter_nd)) && slot == 1)
			n = 1;
		else if (op_is(op, OP_one_hot) && slot == 0)
			n = 2;
		else if (op->def->traits & TRAIT_MOVES || op_is(op, OP_cast))
			n = slot == 0 ? choices(op->results[0], depth + 1) : 0;
		if (n > 0 && (!best || n < best))
			best = n;
	}
	return best;
}

static double random_float(Rng *r, int round)
{
	switch (round % 3) {
	case 0:
		return rng_normal(r);
	case 1: { /* wide: twelve decades, both signs */
		double x = pow(10.0, 6 * rng_unit(r) - 4);
		return rng_u64(r) & 1 ? x : -x;
	}
	default:
		return (double)(rng_u64(r) & 1);
	}
}

static void fill_complex(Tensor *t, int64_t i, double re, double im)
{
	if (t->store == DT_C64) {
		((float *)t->data)[2 * i] = (float)re;
		((float *)t->data)[2 * i + 1] = (float)im;
	} else {
		((double *)t->data)[2 * i] = re;
		((double *)t->data)[2 * i + 1] = im;
	}
}

static void fill(Tensor *t, Rng *r, int round, int64_t select)
{
	for (int64_t i = 0; i < t->count; i++) {
		switch (dtype_class(t->dtype)) {
		case DC_FLOAT:
			tensor_set_f64(t, i, random_float(r, round));
			break;
		case DC_BOOL:
			tensor_set_i64(t, i, (int64_t)(rng_u64(r) & 1));
			break;
		case DC_INT: case DC_UINT:
			tensor_set_i64(t, i, select ? rng_below(r, select) : rng_below(r, dtype_bits(t->dtype) < 8 ? 4 : 100));
			break;
		case DC_COMPLEX:
			fill_complex(t, i, random_float(r, round), random_float(r, round));
			break;
		default: /* strings are set by the caller */
			break;
		}
	}
}

/* The same symbol gets the same size everywhere; different ones differ where that costs nothing. */
static bool symbol_size(void *arg, const Sym *symbol, int64_t *out)
{
	int64_t base = *(const int64_t *)arg;
	const Str *name = sym_name(symbol);
	bool vary = base > 1 && base < 16 && !sym_is_unknown(symbol);
	*out = base + (vary ? (int64_t)(hash_bytes(name->s, name->len, 1) % 3) : 0);
	return true;
}

static bool input_dims(const Value *v, int64_t dim_size, int64_t *dims)
{
	for (int i = 0; i < v->type->rank; i++)
		if (!sym_eval(v->type->dims[i], symbol_size, &dim_size, &dims[i]) || dims[i] < 0)
			return false;
	return true;
}

bool make_inputs(EvalCtx *e, const Func *f, uint64_t seed, int round, int64_t dim_size, Tensor *const *given, Tensor **in)
{
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		const Value *v = f->body->args[i];
		int64_t dims[MAX_RANK];
		Rng r = { .state = seed * 1000003 + (uint64_t)round * 101 + i };
		if (given && given[i]) {
			in[i] = tensor_ref(given[i]);
			continue;
		}
		in[i] = NULL;
		if (f->arg_default && f->arg_default[i]) { /* a weight listed as an input: what it is when nobody gives it */
			in[i] = tensor_from_attr(e, f->arg_default[i]);
			if (!in[i])
				return false;
			continue;
		}
		const char *name = v->name ? v->name->s : "";
		if (!type_has_rank(v->type) || v->type->dtype == DT_NONE || v->type->rank > MAX_RANK)
			return diag_error(e->diags, HONE_UNSUPPORTED, NULL,
					"input %u (%s) is not a tensor of known rank: give it with --input", i, name);
		if (dtype_class(v->type->dtype) == DC_STRING)
			return diag_error(e->diags, HONE_UNSUPPORTED, NULL, "input %u (%s) holds strings: give it with --input", i, name);
		if (!input_dims(v, dim_size, dims))
			return diag_error(e->diags, HONE_UNSUPPORTED, NULL, "no size fits input %u (%s): give its shape with --shape", i, name);
		in[i] = tensor_new(e, v->type->dtype, v->type->rank, dims);
		if (!in[i])
			return false;
		fill(in[i], &r, round, choices(v, 0));
	}
	return true;
}
