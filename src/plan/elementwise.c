/* Elementwise ops in groups: a group computes one result; every op inside is used by the group alone. It becomes one tile
 * program, run alone or by the convolution or product whose result it takes (its anchor). */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

enum { MAX_GROUP = 24, MAX_EXTERNAL = TILE_OPERANDS - 2, BROADCAST_REGS = 6 };

/* ---- one op as instructions ---- */

typedef struct Row {
	OpKind kind;
	TileOp op;
} Row;

static const Row ROWS[] = {
	{ OP_add, TILE_ADD }, { OP_sub, TILE_SUB }, { OP_mul, TILE_MUL }, { OP_div, TILE_DIV }, { OP_min, TILE_MIN },
	{ OP_max, TILE_MAX }, { OP_pow, TILE_POW }, { OP_fmod, TILE_FMOD }, { OP_prelu, TILE_PRELU }, { OP_select, TILE_SELECT },
	{ OP_eq, TILE_EQ }, { OP_ne, TILE_NE }, { OP_lt, TILE_LT }, { OP_le, TILE_LE }, { OP_gt, TILE_GT }, { OP_ge, TILE_GE },
	{ OP_and, TILE_AND }, { OP_or, TILE_OR }, { OP_xor, TILE_XOR }, { OP_not, TILE_NOT }, { OP_neg, TILE_NEG },
	{ OP_abs, TILE_ABS }, { OP_sign, TILE_SIGN }, { OP_relu, TILE_RELU }, { OP_clamp, TILE_CLAMP },
	{ OP_leaky_relu, TILE_LEAKY_RELU }, { OP_elu, TILE_ELU }, { OP_selu, TILE_SELU }, { OP_celu, TILE_CELU },
	{ OP_hard_sigmoid, TILE_HARD_SIGMOID }, { OP_hard_swish, TILE_HARD_SWISH }, { OP_sigmoid, TILE_SIGMOID },
	{ OP_swish, TILE_SWISH }, { OP_tanh, TILE_TANH }, { OP_exp, TILE_EXP }, { OP_log, TILE_LOG }, { OP_sqrt, TILE_SQRT },
	{ OP_rsqrt, TILE_RSQRT }, { OP_reciprocal, TILE_RECIPROCAL }, { OP_erf, TILE_ERF }, { OP_gelu, TILE_GELU },
	{ OP_mish, TILE_MISH }, { OP_softplus, TILE_SOFTPLUS }, { OP_softsign, TILE_SOFTSIGN }, { OP_sin, TILE_SIN },
	{ OP_cos, TILE_COS }, { OP_floor, TILE_FLOOR }, { OP_ceil, TILE_CEIL }, { OP_round, TILE_ROUND },
	{ OP_isnan, TILE_IS_NAN }, { OP_cast, TILE_CAST }, { OP_batch_norm, TILE_MUL_ADD }, { OP_quantize, TILE_QUANTIZE_BY },
	{ OP_dequantize, TILE_DEQUANTIZE_BY },
};

/* Rough nanoseconds an element, for the size of tasks. */
static double op_cost(TileOp op)
{
	switch (op) {
	case TILE_POW: case TILE_FMOD:
		return 8;
	case TILE_EXP: case TILE_LOG: case TILE_TANH: case TILE_ERF: case TILE_GELU: case TILE_GELU_TANH: case TILE_SIGMOID:
	case TILE_SWISH: case TILE_MISH: case TILE_SOFTPLUS: case TILE_SIN: case TILE_COS: case TILE_ELU: case TILE_SELU:
	case TILE_CELU:
		return 0.4;
	default:
		return 0.1;
	}
}

static bool find_row(OpKind k, TileOp *out)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		if (ROWS[i].kind == k) {
			*out = ROWS[i].op;
			return true;
		}
	return false;
}

static bool set_constants(Planner *p, const Op *op, TileInstr *in)
{
	if (pl_is_grid_op(op))
		return pl_grid_instr(p, op, in);
	switch (op_kind(op)) {
	case OP_leaky_relu: case OP_elu: case OP_celu: case OP_swish:
		in->f0 = (float)op_float(op, A_alpha);
		return true;
	case OP_selu:
		in->f0 = (float)op_float(op, A_alpha);
		in->f1 = (float)op_float(op, A_gamma);
		return true;
	case OP_hard_sigmoid:
		in->f0 = (float)op_float(op, A_alpha);
		in->f1 = (float)op_float(op, A_beta);
		return true;
	case OP_gelu:
		if (!strcmp(op_text(op, A_approximate), "tanh"))
			in->op = TILE_GELU_TANH;
		return true;
	case OP_cast:
		in->to = (uint8_t)op_dtype(op, A_to);
		return true;
	case OP_clamp:
		in->f0 = -INFINITY;
		in->f1 = INFINITY;
		return (!op_operand(op, 1) || pl_uniform(p, op_operand(op, 1), &in->f0)) &&
			(!op_operand(op, 2) || pl_uniform(p, op_operand(op, 2), &in->f1));
	default:
		return true;
	}
}

/* The instruction of an op, and how many operands it takes. */
static bool instruction(Planner *p, const Op *op, TileInstr *in, int *nargs)
{
	TileOp kind;
	if (!find_row(op_kind(op), &kind) || op->nresults != 1 || !op->noperands)
		return false;
	const Value *first = op_operand(op, op_is(op, OP_select) ? 1 : 0);
	*in = (TileInstr){ .op = (uint8_t)kind, .dtype = (uint8_t)(first && pl_shape(p, first) ? pl_shape(p, first)->dtype : DT_NONE) };
	*nargs = op_is(op, OP_clamp) || pl_is_grid_op(op) ? 1 : op_is(op, OP_batch_norm) ? 3 : (int)op->noperands;
	if (*nargs > 3 || !set_constants(p, op, in))
		return false;
	float power;
	if (op_is(op, OP_pow) && in->dtype == DT_F32 && pl_uniform(p, op_operand(op, 1), &power) && (power == 2.0f ||
		power == 0.5f)) {
		in->op = power == 2.0f ? TILE_SQUARE : TILE_SQRT;
		*nargs = 1;
	}
	if (op_is(op, OP_batch_norm)) {
		in->op = TILE_MUL_ADD;
		*nargs = 3;
	}
	/* A slope may be of another rank than x, but never larger. */
	return p->prog->kernels->tile_supports(in);
}

static bool same_dims(const Shape *a, const Shape *b)
{
	return a && b && a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof(*a->dims));
}

static bool operand_fits(Planner *p, const Value *v)
{
	TileInstr load = { .op = TILE_LOAD };
	if (!v || !pl_is_tensor(p, v) || pl_shape(p, v)->rank > TILE_RANK || (value_is_constant(v) && !pl_constant(p, v)))
		return false;
	load.dtype = (uint8_t)pl_shape(p, v)->dtype;
	return p->prog->kernels->tile_supports(&load);
}

/* A batch norm whose parameters are constants is one multiply-add a channel. */
static bool is_foldable_norm(Planner *p, const Op *op)
{
	if (!op_is(op, OP_batch_norm) || op->noperands != 5)
		return false;
	const Shape *x = pl_shape(p, op_operand(op, 0));
	for (size_t i = 1; i < 5; i++) {
		Tensor *t = value_is_constant(op_operand(op, i)) ? pl_constant(p, op_operand(op, i)) : NULL;
		if (!t || t->store != DT_F32 || !x || x->rank < 2 || t->count != x->dims[1])
			return false;
	}
	return x->dtype == DT_F32;
}

static bool eligible(Planner *p, const Op *op)
{
	TileInstr in;
	int n;
	if (op == p->plan->boundary || op->nresults != 1 || !((op->def->traits & TRAIT_ELTWISE) || pl_is_grid_op(op) ||
			is_foldable_norm(p, op)))
		return false;
	const Value *y = op->results[0];
	if (p->known[y->id] || !operand_fits(p, y) || pl_shape(p, y)->count == 0 || !instruction(p, op, &in, &n))
		return false;
	for (int i = 0; i < n; i++)
		if (!operand_fits(p, op_operand(op, (size_t)i)))
			return false;
	return true;
}

/* ---- groups ---- */

typedef struct Forming {
	Planner *p;
	Group **of;      /* by op id: group that an op is in */
	VEC(Group *) all;
} Forming;

/* The group that all users of v belong to, when its results have v's size. */
static Group *only_user(const Forming *f, const Value *v)
{
	Group *g = NULL;
	if (value_is_output(v) || !v->uses)
		return NULL;
	for (const Use *u = v->uses; u; u = u->next) {
		Group *other = f->of[u->user->id];
		if (!other || (g && g != other))
			return NULL;
		g = other;
	}
	return same_dims(pl_shape(f->p, v), pl_shape(f->p, g->root->results[0])) ? g : NULL;
}

static void take_op(Forming *f, const Op *op)
{
	Group *g = only_user(f, op->results[0]);
	if (!g && pl_is_cheap_grid(f->p, op)) {
		f->p->lazy[op->results[0]->id] = 1;
		return;
	}
	if (!g || g->n >= MAX_GROUP) {
		g = NEW(f->p->scratch, Group);
		g->ops = NEW_ARRAY(f->p->scratch, const Op *, MAX_GROUP);
		g->root = op;
		VEC_PUSH(f->p->scratch, &f->all, g);
	}
	g->ops[g->n++] = op; /* from the last to the first */
	f->of[op->id] = g;
}

static bool is_anchor(Planner *p, const Op *op)
{
	switch (op_kind(op)) {
	case OP_conv: case OP_conv_transpose:
		return value_is_constant(op_operand(op, 1)) && op->results[0]->type->dtype == DT_F32;
	case OP_matmul: case OP_gemm:
		return op->results[0]->type->dtype == DT_F32;
	case OWN_MS_MatMulNBits:
		return op->results[0]->type->dtype == DT_F32;
	case OP_conv_integer: case OP_matmul_integer:
		return value_is_constant(op_operand(op, 1));
	default:
		(void)p;
		return false;
	}
}

/* The last convolution or product that only this group uses. */
static void find_anchor(Forming *f, Group *g)
{
	Planner *p = f->p;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->ops[i]->noperands; k++) {
			const Value *v = op_operand(g->ops[i], k);
			if (!v || !pl_value_in_plan(p, v) || p->known[v->id] || v->index != 0 || f->of[v->def->id] == g ||
					v->def == p->plan->boundary || !is_anchor(p, v->def) || only_user(f, v) != g ||
						!plan_fn(op_kind(v->def)))
				continue;
			if (!g->anchor || g->anchor->id < v->def->id)
				g->anchor = v->def;
		}
	if (g->anchor)
		p->groups[g->anchor->id] = g;
}

void plan_groups(Planner *p)
{
	Forming f = { .p = p, .of = p->groups };
	for (size_t i = p->end; i-- > p->begin;)
		if (eligible(p, p->prog->ops[i]))
			take_op(&f, p->prog->ops[i]);
	for (size_t i = 0; i < f.all.len; i++) {
		Group *g = f.all.data[i];
		for (size_t a = 0, b = g->n - 1; a < b; a++, b--) {
			const Op *t = g->ops[a];
			g->ops[a] = g->ops[b];
			g->ops[b] = t;
		}
		find_anchor(&f, g);
	}
}

/* ---- a group as a program ---- */

typedef struct Coding {
	Planner *p;
	Group *g;
	TileProgram *out;
	IntList *buffers;
	const int *order;
	int rank, first_ptr;
	size_t begin;            /* ops before it are done elsewhere */
	const Shape *space;
	uint32_t free_regs;      /* bits */
	Map reg;                 /* value id -> register + 1 */
	Map last;                /* value id -> index of the last op of the group that reads it + 1 */
	int broadcasts;
} Coding;

static int take_reg(Coding *c)
{
	for (int r = 0; r < TILE_REGS; r++)
		if (c->free_regs & (1u << r)) {
			c->free_regs &= ~(1u << r);
			return r;
		}
	return -1;
}

static bool put(Coding *c, TileInstr in)
{
	if (c->out->ncode == TILE_CODE)
		return false;
	c->out->code[c->out->ncode++] = in;
	return true;
}

/* Adds an operand for a view that is broadcast to the space of the group. */
static int add_operand(Coding *c, const View *v, int ptr)
{
	if (c->out->noperands == TILE_OPERANDS)
		return -1;
	View w = view_broadcast(v, c->space->rank, c->space->dims);
	TileOperand *o = &c->out->operands[c->out->noperands];
	*o = (TileOperand){ .ptr = ptr, .dtype = (uint8_t)v->dtype, .offset = v->offset };
	for (int i = 0; i < c->rank; i++)
		o->stride[i] = c->order[i] < 0 ? 0 : w.stride[c->order[i]];
	return c->out->noperands++;
}

static int buffer_ptr(Coding *c, int buffer)
{
	for (size_t i = 0; i < c->buffers->len; i++)
		if (c->buffers->data[i] == buffer)
			return c->first_ptr + (int)i;
	VEC_PUSH(c->p->scratch, c->buffers, buffer);
	return c->first_ptr + (int)c->buffers->len - 1;
}

static int load(Coding *c, const Value *v, const View *view, int ptr)
{
	int operand = add_operand(c, view, ptr), r = operand < 0 ? -1 : take_reg(c);
	if (r < 0 || !put(c, (TileInstr){ .op = TILE_LOAD, .dtype = (uint8_t)view->dtype, .dst = (uint8_t)r,
			.operand = (uint16_t)operand }))
		return -1;
	map_put(&c->reg, v->id, (void *)(uintptr_t)(r + 1));
	/* One element for the whole tile keeps its register, so that it is spread out once. */
	if (c->out->operands[operand].stride[c->rank - 1] == 0 && c->broadcasts < BROADCAST_REGS) {
		c->broadcasts++;
		map_put(&c->last, v->id, (void *)(uintptr_t)UINT32_MAX);
	}
	return r;
}

static int lazy_reg(Coding *c, const Value *v);

static int reg_of(Coding *c, const Value *v)
{
	uintptr_t r = (uintptr_t)map_get(&c->reg, v->id);
	if (r)
		return (int)r - 1;
	if (c->p->lazy[v->id])
		return lazy_reg(c, v);
	View view = pl_view(c->p, v);
	return load(c, v, &view, buffer_ptr(c, view.buffer));
}

/* Scale and shift of a batch norm, computed in double: loaded like constants along the channel. */
static int norm_factor(Coding *c, const Op *op, bool shift)
{
	const Shape *x = pl_shape(c->p, op_operand(op, 0));
	int64_t n = x->dims[1];
	const float *scale = pl_constant(c->p, op_operand(op, 1))->data, *bias = pl_constant(c->p, op_operand(op, 2))->data;
	const float *mean = pl_constant(c->p, op_operand(op, 3))->data, *var = pl_constant(c->p, op_operand(op, 4))->data;
	float *v = NEW_ARRAY(c->p->arena, float, n);
	for (int64_t i = 0; i < n; i++) {
		double f = scale[i] / sqrt((double)var[i] + op_float(op, A_epsilon));
		v[i] = (float)(shift ? bias[i] - mean[i] * f : f);
	}
	View w = { .dtype = DT_F32, .rank = x->rank };
	for (int i = 0; i < x->rank; i++)
		w.dims[i] = 1;
	w.dims[1] = n;
	w.stride[1] = 1;
	w.buffer = pl_const_buffer(c->p, DT_F32, v, n * (int64_t)sizeof(*v));
	int operand = add_operand(c, &w, buffer_ptr(c, w.buffer)), r = operand < 0 ? -1 : take_reg(c);
	if (r < 0 || !put(c, (TileInstr){ .op = TILE_LOAD, .dtype = DT_F32, .dst = (uint8_t)r, .operand = (uint16_t)operand }))
		return -1;
	return r;
}

/* A scale or zero point as f32 in a register; `zero`: operand 2. */
static int grid_reg(Coding *c, const Op *op, bool zero)
{
	const Value *v = op_operand(op, zero ? 2 : 1);
	TileInstr in = { .op = TILE_CONST, .dtype = DT_F32, .to = DT_F32 };
	int r = take_reg(c);
	if (r < 0)
		return -1;
	in.dst = (uint8_t)r;
	if (!v)
		return put(c, in) ? r : -1;
	View w = pl_grid_view(c->p, op, zero);
	int operand = add_operand(c, &w, buffer_ptr(c, w.buffer));
	in = (TileInstr){ .op = TILE_LOAD, .dtype = (uint8_t)w.dtype, .dst = (uint8_t)r, .operand = (uint16_t)operand };
	if (operand < 0 || !put(c, in))
		return -1;
	in = (TileInstr){ .op = TILE_CAST, .dtype = (uint8_t)w.dtype, .to = DT_F32, .dst = (uint8_t)r, .a = (uint8_t)r };
	if (w.dtype == DT_F32)
		return r;
	int to = take_reg(c); /* wider */
	in.dst = (uint8_t)(to < 0 ? 0 : to);
	c->free_regs |= 1u << r;
	return to >= 0 && put(c, in) ? to : -1;
}

/* Results of dequantisation are cheaper to compute again than to keep. */
static int lazy_reg(Coding *c, const Value *v)
{
	TileInstr in;
	int nargs, r[3] = { 0 };
	const Op *op = v->def;
	View q = pl_view(c->p, op_operand(op, 0));
	if (!instruction(c->p, op, &in, &nargs))
		return -1;
	int operand = add_operand(c, &q, buffer_ptr(c, q.buffer));
	r[0] = operand < 0 ? -1 : take_reg(c);
	if (r[0] < 0 || !put(c, (TileInstr){ .op = TILE_LOAD, .dtype = (uint8_t)q.dtype, .dst = (uint8_t)r[0],
			.operand = (uint16_t)operand }))
		return -1;
	bool by = in.op == TILE_DEQUANTIZE_BY;
	for (int i = 1; i < 3 && by; i++)
		if ((r[i] = grid_reg(c, op, i == 2)) < 0)
			return -1;
	in.a = (uint8_t)r[0];
	in.b = (uint8_t)r[1];
	in.c = (uint8_t)r[2];
	int d = take_reg(c); /* the result is wider: not where the operand is */
	for (int i = 0; i < (by ? 3 : 1); i++)
		c->free_regs |= 1u << r[i];
	if (d < 0)
		return -1;
	in.dst = (uint8_t)d;
	map_put(&c->reg, v->id, (void *)(uintptr_t)(d + 1));
	return put(c, in) ? d : -1;
}

static void release(Coding *c, const Value *const *arg, int nargs, size_t at)
{
	for (int i = 0; i < nargs; i++) {
		const Value *v = arg[i];
		uintptr_t r = (uintptr_t)map_get(&c->reg, v->id);
		if (r && (uintptr_t)map_get(&c->last, v->id) == at + 1)
			c->free_regs |= 1u << (r - 1);
	}
}

/* The product that the sum `add` takes in: one that nothing else uses. NULL: none. */
static const Op *product_of(const Coding *c, const Op *add)
{
	if (!op_is(add, OP_add) || pl_shape(c->p, add->results[0])->dtype != DT_F32)
		return NULL;
	for (size_t k = 0; k < 2; k++) {
		const Value *v = op_operand(add, k);
		const Op *mul = v->def;
		if (!mul || !op_is(mul, OP_mul) || value_is_output(v) || !v->uses || v->uses->next)
			continue;
		for (size_t i = c->begin; i < c->g->n; i++)
			if (c->g->ops[i] == mul)
				return mul;
	}
	return NULL;
}

/* The sum that takes the product in; NULL: it is computed by itself. */
static const Op *sum_of(const Coding *c, const Op *mul)
{
	const Use *u = op_is(mul, OP_mul) && mul != c->g->root ? mul->results[0]->uses : NULL;
	return u && !u->next && product_of(c, u->user) == mul ? u->user : NULL;
}

/* Operands of the instruction of op; a sum with a product becomes one. */
static void find_args(const Coding *c, const Op *op, TileInstr *in, int *nargs, const Value **arg)
{
	const Op *mul = product_of(c, op);
	for (int i = 0; i < *nargs; i++)
		arg[i] = op_operand(op, (size_t)i);
	if (!mul)
		return;
	arg[2] = arg[arg[0] == mul->results[0]];
	arg[0] = op_operand(mul, 0);
	arg[1] = op_operand(mul, 1);
	in->op = TILE_MUL_ADD;
	*nargs = 3;
}

static bool code_op(Coding *c, const Op *op, size_t at)
{
	TileInstr in;
	int nargs, r[3] = { 0 };
	const Value *arg[3] = { NULL };
	if (sum_of(c, op))
		return true;
	if (!instruction(c->p, op, &in, &nargs))
		return false;
	find_args(c, op, &in, &nargs, arg);
	bool by = in.op == TILE_QUANTIZE_BY || in.op == TILE_DEQUANTIZE_BY;
	for (int i = 1; i < 3 && by; i++)
		if ((r[i] = grid_reg(c, op, i == 2)) < 0)
			return false;
	for (int i = 0; i < nargs; i++)
		if ((r[i] = op_is(op, OP_batch_norm) && i ? norm_factor(c, op, i == 2) : reg_of(c, arg[i])) < 0)
			return false;
	in.a = (uint8_t)r[0];
	in.b = (uint8_t)r[1];
	in.c = (uint8_t)r[2];
	/* Wider results would overwrite elements that were not read yet. */
	bool widens = false;
	for (int i = 0; i < nargs; i++)
		widens |= dtype_size(pl_shape(c->p, op->results[0])->dtype) > dtype_size(pl_shape(c->p, arg[i])->dtype);
	int d = widens ? take_reg(c) : -1;
	release(c, arg, op_is(op, OP_batch_norm) ? 1 : nargs, at);
	for (int i = 1; i < 3 && (by || op_is(op, OP_batch_norm)); i++)
		c->free_regs |= 1u << r[i];
	if (!widens)
		d = take_reg(c);
	if (d < 0)
		return false;
	in.dst = (uint8_t)d;
	map_put(&c->reg, op->results[0]->id, (void *)(uintptr_t)(d + 1));
	c->out->cost += op_cost(in.op);
	return put(c, in);
}

static void find_last_uses(Coding *c)
{
	for (size_t i = 0; i < c->g->n; i++) {
		const Op *op = c->g->ops[i], *sum = i < c->begin ? NULL : sum_of(c, op);
		size_t at = i;
		while (sum && c->g->ops[at] != sum)
			at++;
		for (size_t k = 0; k < op->noperands; k++) {
			const Value *v = op_operand(op, k);
			void **last = v ? map_slot(&c->last, v->id) : NULL;
			if (last && (uintptr_t)*last < at + 1)
				*last = (void *)(uintptr_t)(at + 1);
		}
	}
}

bool group_program(Planner *p, Group *g, size_t begin, const Value *anchor, const AnchorView *from, const View *y,
	const int *order, int rank, int first_ptr, TileProgram *out, IntList *buffers)
{
	Coding c = { .p = p, .g = g, .out = out, .buffers = buffers, .order = order, .rank = rank, .first_ptr = first_ptr, .begin = begin,
		.space = pl_shape(p, g->root->results[0]), .free_regs = (1u << TILE_REGS) - 1 };
	*out = (TileProgram){ .rank = rank, .cost = 0.2 };
	if (rank > TILE_RANK)
		return false;
	for (int i = 0; i < rank; i++)
		out->dims[i] = order[i] < 0 ? 1 : c.space->dims[order[i]];
	map_init(&c.reg, p->scratch);
	map_init(&c.last, p->scratch);
	find_last_uses(&c);
	if (anchor && load(&c, begin ? g->ops[begin - 1]->results[0] : anchor, from ? &from->view : y, from ? from->ptr : 0) < 0)
		return false;
	for (size_t i = begin; i < g->n; i++)
		if (!code_op(&c, g->ops[i], i))
			return false;
	int operand = add_operand(&c, y, 0);
	int r = reg_of(&c, g->root->results[0]);
	if (operand < 0 || r < 0)
		return false;
	out->code[out->ncode - 1].operand = (uint16_t)(operand + 1);
	return put(&c, (TileInstr){ .op = TILE_STORE, .dtype = (uint8_t)y->dtype, .a = (uint8_t)r,
		.operand = (uint16_t)operand });
}

static bool mergeable(const TileProgram *t, int d)
{
	for (int k = 0; k < t->noperands; k++)
		if (t->operands[k].stride[d] != t->operands[k].stride[d + 1] * t->dims[d + 1])
			return false;
	return true;
}

static void drop_dim(TileProgram *t, int d)
{
	for (int k = 0; k < t->noperands; k++)
		for (int e = d; e + 1 < t->rank; e++)
			t->operands[k].stride[e] = t->operands[k].stride[e + 1];
	for (int e = d; e + 1 < t->rank; e++)
		t->dims[e] = t->dims[e + 1];
	t->rank--;
}

void program_merge(TileProgram *t)
{
	for (int d = 0; d < t->rank && t->rank > 1;) {
		if (t->dims[d] == 1)
			drop_dim(t, d);
		else
			d++;
	}
	for (int d = 0; d + 1 < t->rank;) {
		if (!mergeable(t, d)) {
			d++;
			continue;
		}
		t->dims[d + 1] *= t->dims[d];
		drop_dim(t, d);
	}
}

bool program_rows(TileProgram *t)
{
	int rank = t->rank;
	while (t->rank > 2) {
		if (t->dims[0] != 1 && !mergeable(t, 0))
			return false;
		if (t->dims[0] != 1)
			t->dims[1] *= t->dims[0];
		drop_dim(t, 0);
	}
	int lead = rank - t->rank;
	for (int d = rank; d-- > 0;) {
		t->dims[d] = d < lead ? 1 : t->dims[d - lead];
		for (int k = 0; k < t->noperands; k++)
			t->operands[k].stride[d] = d < lead ? 0 : t->operands[k].stride[d - lead];
	}
	t->rank = rank;
	return true;
}

/* ---- a group of its own ---- */

static bool used_by_group_alone(const Planner *p, const Group *g, const Value *v)
{
	for (const Use *u = v->uses; u; u = u->next)
		if (p->groups[u->user->id] != g || g->anchor == u->user)
			return false;
	return true;
}

/* An operand whose memory the result may take over: the same layout, and nobody else's afterwards. */
static bool reuse_operand(Planner *p, const Group *g, View *y)
{
	const Shape *space = pl_shape(p, g->root->results[0]);
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->ops[i]->noperands; k++) {
			const Value *v = op_operand(g->ops[i], k);
			if (!v || !pl_value_in_plan(p, v) || !p->views[v->id] || !same_dims(pl_shape(p, v), space) ||
					!used_by_group_alone(p, g, v) || p->places[v->id].set || p->plan->boundary)
				continue;
			const View *w = p->views[v->id];
			const PlanBuffer *b = &p->plan->buffers.data[w->buffer];
			if (b->kind != BUFFER_ARENA || b->nvalues != 1 || w->offset || dtype_size(w->dtype) != dtype_size(y->dtype) ||
					b->bytes != space->count * (int64_t)dtype_size(w->dtype))
				continue;
			DType d = y->dtype;
			*y = *w;
			y->dtype = d;
			return true;
		}
	return false;
}

/* Where an operand is loaded from. */
static const Value *group_source(const Planner *p, const Value *v)
{
	return v && p->lazy[v->id] ? op_operand(v->def, 0) : v;
}

/* The layout of the largest operand, so that memory is read in order. */
static void result_order(Planner *p, const Group *g, int *order)
{
	const Value *y = g->root->results[0];
	pl_order(p, y, order);
	if (p->last_channel[y->id])
		return;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->ops[i]->noperands; k++) {
			const Value *v = group_source(p, op_operand(g->ops[i], k));
			if (!v || !p->views[v->id] || value_is_constant(v) || !same_dims(pl_shape(p, v), pl_shape(p, y)))
				continue;
			view_memory_order(p->views[v->id], order);
			return;
		}
}

bool plan_group(Planner *p, Group *g)
{
	const Value *v = g->root->results[0];
	TileProgram *t = NEW(p->arena, TileProgram);
	IntList buffers = { 0 };
	int order[VIEW_RANK], out_order[VIEW_RANK];
	View y = shape_view(pl_shape(p, v));
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->ops[i]->noperands; k++) { /* views of operands are needed for the layout */
			const Value *o = group_source(p, op_operand(g->ops[i], k));
			if (o && p->groups[g->ops[i]->id] == g && pl_is_tensor(p, o) &&
					!(o->def && p->groups[o->def->id] == g && o->def != g->anchor))
				pl_view(p, o);
		}
	if (p->places[v->id].set || !reuse_operand(p, g, &y)) {
		result_order(p, g, out_order);
		y = pl_result(p, v, out_order);
	}
	view_memory_order(&y, order);
	if (!y.rank) {
		order[0] = -1;
	}
	if (!group_program(p, g, 0, NULL, NULL, &y, order, y.rank ? y.rank : 1, 1, t, &buffers))
		return false;
	program_merge(t);
	pl_step(p, "tile", p->prog->kernels->tile, t, group_text(p, g));
	pl_ptr(p, y.buffer);
	double bytes = (double)view_count(&y) * (double)dtype_size(y.dtype);
	for (size_t i = 0; i < buffers.len; i++) {
		pl_ptr(p, buffers.data[i]);
		bytes += (double)view_count(&y) * 4;
	}
	pl_work(p, (double)view_count(&y) * (double)g->n, bytes);
	pl_set(p, v, y);
	return true;
}

char *group_text(Planner *p, const Group *g)
{
	char *text = arena_strdup(p->arena, "");
	for (size_t i = 0; i < g->n && i < 12; i++)
		text = arena_printf(p->arena, "%s%s%s", text, i ? " " : "", strchr(g->ops[i]->def->name->s, '.') + 1);
	return text;
}
