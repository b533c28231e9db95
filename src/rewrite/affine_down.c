#include "affine_int.h"

#include <math.h>
#include <string.h>

#define SMALLEST_SCALE 1e-20 /* a shift divided by it is far from overflow in f32 */

/* Outline: from an operand of a convolution or product upwards through ops that pass a map on, to the map's op. The map is
 * carried down again axis by axis, the consumer decides whether its weights can take it, and the ops between are rebuilt
 * on the map's own operand. */

enum { MAX_BETWEEN = 8 };

typedef struct Chain {
	Op *consumer;
	size_t operand;
	Op *between[MAX_BETWEEN]; /* from the consumer up */
	int n;
	Op *source;
	Value *x;                 /* operand of the source */
} Chain;

static const struct { OpKind kind; AffineOperandFn *fn; } CONSUMERS[] = {
	{ OP_conv, affine_conv_operand }, { OP_conv_transpose, affine_conv_transpose_operand },
	{ OP_gemm, affine_gemm_operand }, { OP_matmul, affine_matmul_operand },
};

static AffineOperandFn *consumer_fn(const Op *op)
{
	for (size_t i = 0; i < ARRAY_LEN(CONSUMERS); i++)
		if (op_is(op, CONSUMERS[i].kind))
			return CONSUMERS[i].fn;
	return NULL;
}

/* ---- ops between: the map on operand 0 as a map on the result ---- */

typedef bool DownFn(Rw *rw, Op *op, Affine *a);

static bool down_same(Rw *rw, Op *op, Affine *a)
{
	(void)op;
	if (a->axis > 1)
		return rw_no(rw, "the scale is along a pooled axis");
	return true;
}

static bool down_pool(Rw *rw, Op *op, Affine *a)
{
	if (!down_same(rw, op, a))
		return false;
	if ((op_is(op, OP_max_pool) || op_is(op, OP_global_max_pool)) && a->has_scale && !a->positive)
		return rw_no(rw, "only a positive scale may pass a maximum");
	bool counts = op_is(op, OP_avg_pool) && op_int(op, A_count_include_pad);
	if (counts && a->has_shift && (!has_no_pads(op) || op_int(op, A_ceil_mode)))
		return rw_no(rw, "the average counts padding, which a shift would have to reach");
	return true;
}

static bool down_homogeneous(Rw *rw, Op *op, Affine *a)
{
	(void)op;
	if (a->has_shift || !a->positive)
		return rw_no(rw, "only a positive scale may pass an activation");
	return true;
}

static bool down_transpose(Rw *rw, Op *op, Affine *a)
{
	int perm[MAX_RANK], rank = value_rank(op->results[0]);
	if (a->axis < 0)
		return true;
	if (rank < 0 || !op_perm(op, rank, perm))
		return rw_no(rw, "the permutation is not known");
	for (int i = 0; i < rank; i++)
		if (perm[i] == a->axis) {
			a->axis = i;
			return true;
		}
	return false;
}

static bool down_reshape(Rw *rw, Op *op, Affine *a)
{
	int64_t before, after;
	if (a->axis < 0)
		return true;
	if (!affine_merged_axis(rw, op_operand(op, 0)->type, a->axis, op->results[0]->type, &a->axis, &before, &after))
		return rw_no(rw, "the channels are not one axis after the reshape");
	if (before < 1 || after < 1 || before > 65536 || after > 65536)
		return rw_no(rw, "the channels repeat too often");
	affine_repeat(rw, a, before, after);
	return true;
}

static bool down_reduce(Rw *rw, Op *op, Affine *a)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	int rank = value_rank(op_operand(op, 0)), axis, below = 0;
	const char *kind = op_text(op, A_kind);
	if (strcmp(kind, "mean") && (strcmp(kind, "sum") || a->has_shift))
		return rw_no(rw, "the reduction does not commute with it");
	if (a->axis < 0)
		return true;
	if (rank < 0 || n == 0)
		return rw_no(rw, "the scale is along a reduced axis");
	for (size_t i = 0; i < n; i++) {
		if (!axis_norm(axes[i], rank, &axis) || axis == a->axis)
			return rw_no(rw, "the scale is along a reduced axis");
		below += axis < a->axis;
	}
	if (!op_int(op, A_keepdims))
		a->axis -= below;
	return true;
}

static const struct { OpKind kind; DownFn *fn; } BETWEEN[] = {
	{ OP_relu, down_homogeneous }, { OP_leaky_relu, down_homogeneous }, { OP_abs, down_homogeneous },
	{ OP_max_pool, down_pool }, { OP_avg_pool, down_pool }, { OP_global_avg_pool, down_pool },
	{ OP_global_max_pool, down_pool }, { OP_reduce, down_reduce }, { OP_transpose, down_transpose },
	{ OP_reshape, down_reshape }, { OP_flatten, down_reshape }, { OP_squeeze, down_reshape },
	{ OP_unsqueeze, down_reshape },
};

static DownFn *between_fn(const Op *op)
{
	for (size_t i = 0; i < ARRAY_LEN(BETWEEN); i++)
		if (op_is(op, BETWEEN[i].kind))
			return BETWEEN[i].fn;
	return NULL;
}

/* ---- finding the map ---- */

/* Every user of v would take the map itself, so that v's op goes away in the end. */
static bool all_users_take(Rw *rw, const Value *v, Affine a, Value *x)
{
	enum { MANY = 64 }; /* the question is asked for each user */
	if (v->nuses > MANY)
		return rw_no(rw, "the value has too many users");
	for (const Use *u = v->uses; u; u = u->next) {
		AffineOperandFn *fn = consumer_fn(u->user);
		if (!fn || u->user->block != rw->root->block || !fn(rw, u->user, (size_t)(u - u->user->operands), x, a, true))
			return rw_no(rw, "another user cannot take it");
	}
	return true;
}

static bool find_source(Rw *rw, Chain *c, Affine *a)
{
	Value *v = op_operand(c->consumer, c->operand);
	for (c->n = 0;; v = op_operand(v->def, 0)) {
		if (!v || !v->def || v->def->block != rw->root->block || v->def->constant)
			return false;
		if (affine_of(rw, v->def, a, &c->x))
			break;
		if (!between_fn(v->def) || c->n == MAX_BETWEEN || v->index != 0 || !rw_may_rebuild(rw, v))
			return false;
		for (size_t i = 1; i < v->def->nresults; i++)
			if (value_has_uses(v->def->results[i]))
				return false;
		c->between[c->n++] = v->def;
	}
	c->source = v->def;
	if (value_has_one_use(v) || c->n > 0)
		return rw_single_use(rw, v);
	return all_users_take(rw, v, *a, c->x);
}

static bool carry_down(Rw *rw, const Chain *c, Affine *a)
{
	for (int i = c->n; i-- > 0;)
		if (!between_fn(c->between[i])(rw, c->between[i], a))
			return false;
	return true;
}

/* The consumer's operand without the map. */
static Value *rebuild_between(Rw *rw, const Chain *c)
{
	Value *v = c->x;
	for (int i = c->n; i-- > 0;)
		v = rw_copy_with(rw, c->between[i], 0, v);
	return v;
}

static bool fold_operand(Rw *rw, Op *consumer, size_t operand)
{
	Chain c = { .consumer = consumer, .operand = operand };
	AffineOperandFn *fn = consumer_fn(consumer);
	Affine a, dry;
	if (!value_is_constant(op_operand(consumer, 1 - operand)) || !find_source(rw, &c, &a))
		return false;
	/* Only a value with the axes of the source's result may take its place. */
	if (!type_dims_equal(c.x->type, c.source->results[0]->type))
		return rw_no(rw, "a shape is unknown");
	dry = a;
	if (!carry_down(rw, &c, &dry) || !fn(rw, consumer, operand, op_operand(consumer, operand), dry, true))
		return false;
	affine_build(rw, c.source, &a);
	CHECK(carry_down(rw, &c, &a));
	return rw_replace_op(rw, consumer, fn(rw, consumer, operand, rebuild_between(rw, &c), a, false));
}

bool affine_fold_down(Rw *rw, Op *consumer)
{
	if (fold_operand(rw, consumer, 0))
		return true;
	bool product = op_is(consumer, OP_gemm) || op_is(consumer, OP_matmul);
	return product && fold_operand(rw, consumer, 1);
}

bool affine_fold_scale_down(Rw *rw, Op *consumer)
{
	Value *v = op_operand(consumer, 0), *x;
	Op *bn = live_def(v, OP_batch_norm);
	AffineOperandFn *fn = consumer_fn(consumer);
	Affine a;
	if (!bn || !affine_of(rw, bn, &a, &x) || !rw_may_rebuild(rw, v))
		return false;
	int rank = value_rank(v);
	if (rank < 0 || value_rank(x) != rank)
		return rw_no(rw, "the rank of the data is unknown");
	if (!fn(rw, consumer, 0, v, affine_scale_only(a), true))
		return false;
	/* s * x + t = s * (x + t / s), and s goes on into the weights. */
	size_t n;
	const double *gamma = constant_floats(rw->scratch, op_operand(bn, 1), 0, &n);
	if (!gamma || dtype_bits(value_dtype(x)) < 32)
		return rw_no(rw, "the shift divided by the scale might overflow");
	for (size_t i = 0; i < n; i++)
		if (!(fabs(gamma[i]) > SMALLEST_SCALE))
			return rw_no(rw, "a scale is zero or tiny");
	affine_build(rw, bn, &a);
	Value *shift = rw_op2(rw, OP_div, a.shift, a.scale, NULL);
	Value *moved = rw_op2(rw, OP_add, x, affine_spread(rw, shift, rank - a.axis, 0), NULL);
	rw_take_name(moved, bn);
	return rw_replace_op(rw, consumer, fn(rw, consumer, 0, moved, affine_scale_only(a), false));
}
