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

static bool input_dims(const Type *t, int64_t dim_size, int64_t *dims)
{
	for (int i = 0; i < t->rank; i++)
		if (!sym_eval(t->dims[i], symbol_size, &dim_size, &dims[i]) || dims[i] < 0)
			return false;
	return true;
}

typedef struct Drawing {
	EvalCtx *e;
	Rng rng;
	int round;
	int64_t dim_size;
	uint32_t index;     /* of the input, for messages */
	const char *name;
} Drawing;

static Tensor *draw(Drawing *d, const Type *t, int64_t select);

/* What is in a tuple; a token is an empty sequence to the evaluator. */
static Tensor *draw_items(Drawing *d, const Type *t)
{
	Arena *a = arena_new();
	Tensor **items = NEW_ARRAY(a, Tensor *, (size_t)t->nelem + 1), *whole = NULL;
	bool ok = true;
	for (int i = 0; i < t->nelem && ok; i++)
		ok = (items[i] = draw(d, t->elem[i], 0)) != NULL;
	if (ok)
		whole = tensor_sequence(d->e, TYPE_SEQUENCE, items, t->nelem);
	for (int i = 0; i < t->nelem; i++)
		tensor_unref(items[i]);
	arena_free(a);
	return whole;
}

/* NULL: reported. */
static Tensor *draw(Drawing *d, const Type *t, int64_t select)
{
	int64_t dims[MAX_RANK];
	const char *why = NULL;
	if (t && (t->kind == TYPE_TUPLE || t->kind == TYPE_TOKEN))
		return draw_items(d, t);
	if (!type_has_rank(t) || t->dtype == DT_NONE || t->rank > MAX_RANK)
		why = "is not a tensor of known rank: give it with --input";
	else if (dtype_class(t->dtype) == DC_STRING)
		why = "holds strings: give it with --input";
	if (why)
		return (void)diag_error(d->e->diags, HONE_UNSUPPORTED, NULL, "input %u (%s) %s", d->index, d->name, why), NULL;
	if (!input_dims(t, d->dim_size, dims))
		return (void)diag_error(d->e->diags, HONE_UNSUPPORTED, NULL, "no size fits input %u (%s): give its shape with --shape", d->index,
			d->name), NULL;
	Tensor *made = tensor_new(d->e, t->dtype, t->rank, dims);
	if (made)
		fill(made, &d->rng, d->round, select);
	return made;
}

bool make_inputs(EvalCtx *e, const Func *f, uint64_t seed, int round, int64_t dim_size, Tensor *const *given, Tensor **in)
{
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		const Value *v = f->body->args[i];
		Drawing d = { .e = e, .rng = { .state = seed * 1000003 + (uint64_t)round * 101 + i }, .round = round,
			.dim_size = dim_size, .index = i, .name = v->name ? v->name->s : "" };
		if (given && given[i])
			in[i] = tensor_ref(given[i]);
		else if (f->arg_default && f->arg_default[i]) /* a weight listed as an input: what it is when nobody gives it */
			in[i] = tensor_from_attr(e, f->arg_default[i]);
		else
			in[i] = draw(&d, v->type, choices(v, 0));
		if (!in[i])
			return false;
	}
	return true;
}
