#include "special_int.h"

#include <string.h>

/* What is left of StableHLO after all else, in forms that ONNX has: the pass core-forms runs before a module is written as
 * ONNX. Results are the same but for the order of NaN in sorts and maxima. An op that no row fits stays, and the writer names
 * it. */

Value *fm_op(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs)
{
	Value *v = lg_new(l, k, in, n, attrs);
	infer_op(l->facts, v->def);
	return v;
}

bool fm_no(Lg *l, const char *why)
{
	l->why = why;
	return false;
}

Value *fm_op1(Lg *l, OpKind k, Value *x, const RwAttr *attrs)
{
	return fm_op(l, k, &x, 1, attrs);
}

Value *fm_op2(Lg *l, OpKind k, Value *x, Value *y, const RwAttr *attrs)
{
	return fm_op(l, k, (Value *[]){ x, y }, 2, attrs);
}

RwAttr *fm_attr(Lg *l, AttrName a, const Attr *v)
{
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 2);
	list[0] = (RwAttr){ a, v };
	list[1] = (RwAttr){ A_NONE, NULL };
	return list;
}

Value *fm_cast(Lg *l, Value *x, DType d)
{
	return lg_dtype(x) == d ? x : fm_op1(l, OP_cast, x, fm_attr(l, A_to, attr_dtype(l->c, d)));
}

Value *fm_reshape(Lg *l, Value *x, const int64_t *dims, size_t n)
{
	return fm_op2(l, OP_reshape, x, lg_const_ints(l, dims, n), fm_attr(l, A_allowzero, lg_int(l, 1)));
}

/* ---- while: a loop whose test is computed before it and at the end of its body ---- */

static Value *mapped(const Map *map, Value *v)
{
	Value *copy = map_get(map, MAP_PTR(v));
	return copy ? copy : v;
}

void fm_copy_block(Lg *l, const Block *from, Value *const *args, Block *to, Op *at, Value **results)
{
	Map map;
	const Op *end = block_terminator(from);
	map_init(&map, l->a);
	for (uint32_t i = 0; i < from->nargs; i++)
		map_put(&map, MAP_PTR(from->args[i]), args[i]);
	block_clone_into(from, to, at, &map, false);
	for (size_t i = 0; i < end->noperands; i++)
		results[i] = mapped(&map, op_operand(end, i));
}

static int arg_index(const Block *b, const Value *v)
{
	for (uint32_t i = 0; v && i < b->nargs; i++)
		if (b->args[i] == v)
			return (int)i;
	return -1;
}

/* The value before the loop that the test sees as v; NULL: it may change. */
static Value *invariant(Lg *l, const Op *loop, Value *v)
{
	const Block *test = loop->blocks[0], *body = loop->blocks[1];
	int64_t n;
	int i = arg_index(test, v);
	if (i >= 0)
		return op_operand(body->last, (size_t)i) == body->args[i] ? op_operand(loop, (size_t)i) : NULL;
	if (value_dominates(v, loop))
		return v;
	return constant_int(v, &n) ? lg_const_int(l, n) : NULL;
}

/* The number of rounds of `i < limit` where each round adds 1 to i; NULL: it is no such loop. */
static Value *round_count(Lg *l, const Op *loop)
{
	const Block *body = loop->blocks[1];
	Value *go = op_operand(loop->blocks[0]->last, 0);
	const Op *test = go ? go->def : NULL;
	bool less = op_is(test, OP_lt), more = op_is(test, OP_gt);
	if (!less && !more)
		return NULL;
	int i = arg_index(loop->blocks[0], op_operand(test, less ? 0 : 1));
	const Op *step = i >= 0 ? def_of(op_operand(body->last, (size_t)i), OP_add) : NULL;
	int64_t by;
	if (!step || dtype_class(lg_dtype(body->args[i])) != DC_INT)
		return NULL;
	bool first = op_operand(step, 0) == body->args[i];
	if (op_operand(step, first ? 0 : 1) != body->args[i] || !constant_int(op_operand(step, first ? 1 : 0), &by) || by != 1)
		return NULL;
	Value *limit = invariant(l, loop, op_operand(test, less ? 1 : 0));
	if (!limit)
		return NULL;
	return fm_op2(l, OP_sub, fm_cast(l, limit, DT_I64), fm_cast(l, op_operand(loop, (size_t)i), DT_I64), NULL);
}

static bool plain_tensors(const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++)
		if (!op_operand(op, i) || lg_dtype(op_operand(op, i)) == DT_NONE)
			return false;
	return true;
}

static bool form_while(Lg *l, OpKind core)
{
	Op *op = l->op;
	size_t n = op->noperands;
	Block *test = op->blocks[0], *body = op->blocks[1];
	if (!plain_tensors(op) || !test->last || !body->last || body->last->noperands != n || op->nresults != n)
		return false;
	Value **in = NEW_ARRAY(l->a, Value *, n + 2), **out = NEW_ARRAY(l->a, Value *, n + 1), **state = NEW_ARRAY(l->a, Value *, n + 1);
	const Type **types = NEW_ARRAY(l->a, const Type *, n + 1);
	in[0] = round_count(l, op);
	for (size_t i = 0; i < n; i++)
		in[i + 2] = op_operand(op, i);
	if (!in[0])
		fm_copy_block(l, test, in + 2, op->block, op, &in[1]);
	for (size_t i = 0; i < n; i++)
		types[i] = op->results[i]->type;
	OpSpec s = { .def = op_def(l->c, core), .operands = in, .noperands = n + 2, .types = types, .nresults = n, .nblocks = 1,
		.loc = op->loc };
	Op *loop = op_new(op->block, op, &s);
	loop->made = true;
	Block *b = block_new(op_func(op), loop);
	block_add_arg(b, type_tensor(l->c, DT_I64, 0, NULL), NULL);
	out[0] = block_add_arg(b, type_tensor(l->c, DT_BOOL, 0, NULL), NULL);
	for (size_t i = 0; i < n; i++)
		state[i] = block_add_arg(b, body->args[i]->type, body->args[i]->name);
	fm_copy_block(l, body, state, b, NULL, out + 1);
	if (!in[0])
		fm_copy_block(l, test, out + 1, b, NULL, &out[0]);
	OpSpec end = { .def = op_def(l->c, OP_yield), .operands = out, .noperands = n + 1, .loc = op->loc };
	op_new(b, NULL, &end);
	op_set_block(loop, 0, b);
	return lg_replace(l, loop->results, n);
}

/* ---- case: ifs, each of which halves the branches ---- */

/* Branches [from, from + n) chosen by `index`, at the end of a block (at NULL) or before an op. */
static void choose(Lg *l, Value *index, int64_t from, int64_t n, Block *b, Op *at, Value **results)
{
	if (n == 1) {
		fm_copy_block(l, l->op->blocks[from], NULL, b, at, results);
		return;
	}
	size_t nresults = l->op->nresults;
	int64_t half = from + n / 2;
	const Type *flag = type_tensor(l->c, DT_BOOL, 0, NULL), **types = NEW_ARRAY(l->a, const Type *, nresults + 1);
	for (size_t i = 0; i < nresults; i++)
		types[i] = l->op->results[i]->type;
	Value *limit = constant_from_ints(b, at, DT_I32, 0, NULL, &half); /* before the if that uses it, not after it */
	OpSpec lower = { .def = op_def(l->c, OP_lt), .operands = (Value *[]){ index, limit }, .noperands = 2, .types = &flag,
		.nresults = 1, .loc = l->op->loc };
	Value *below = op_new(b, at, &lower)->results[0];
	OpSpec s = { .def = op_def(l->c, OP_if), .operands = &below, .noperands = 1, .types = types, .nresults = nresults,
		.nblocks = 2, .loc = l->op->loc };
	Op *branch = op_new(b, at, &s);
	branch->made = true;
	for (size_t side = 0; side < 2; side++) {
		Block *inner = block_new(op_func(l->op), branch);
		Value **out = NEW_ARRAY(l->a, Value *, nresults + 1);
		choose(l, index, side ? half : from, side ? from + n - half : n / 2, inner, NULL, out);
		OpSpec end = { .def = op_def(l->c, OP_yield), .operands = out, .noperands = nresults, .loc = l->op->loc };
		op_new(inner, NULL, &end);
		op_set_block(branch, side, inner);
	}
	for (size_t i = 0; i < nresults; i++)
		results[i] = branch->results[i];
}

/* An index outside chooses the last branch. */
static bool form_case(Lg *l, OpKind core)
{
	Op *op = l->op;
	int64_t n = op->nblocks;
	Value **results = NEW_ARRAY(l->a, Value *, op->nresults + 1), *index = lg_in(l, 0);
	(void)core;
	if (n == 0 || lg_dtype(index) != DT_I32)
		return false;
	for (int64_t i = 0; i < n; i++)
		if (!op->blocks[i] || !op->blocks[i]->last || op->blocks[i]->nargs || op->blocks[i]->last->noperands != op->nresults)
			return false;
	if (n > 1) {
		int64_t zero = 0, last = n - 1;
		Value *lowest = constant_from_ints(op->block, op, DT_I32, 0, NULL, &zero);
		Value *highest = constant_from_ints(op->block, op, DT_I32, 0, NULL, &last);
		Value *below = fm_op2(l, OP_lt, index, lowest, NULL);
		index = fm_op(l, OP_select, (Value *[]){ below, highest, index }, 3, NULL);
	}
	choose(l, index, 0, n, op->block, op, results);
	return lg_replace(l, results, op->nresults);
}

/* ---- others ---- */

/* What holds for the inputs is not said in ONNX. */
static bool form_custom_call(Lg *l, OpKind core)
{
	const Str *target = op_attr_str(l->op, A_call_target_name);
	(void)core;
	if (!target || strcmp(target->s, "shape_assertion") || l->op->nresults)
		return false;
	diag_note(l->d, l->op->loc, "a shape assertion has no ONNX form and is left out");
	l->gone = true;
	return true;
}

static bool form_barrier(Lg *l, OpKind core)
{
	Op *op = l->op;
	(void)core;
	if (op->noperands != op->nresults)
		return false;
	Value **v = NEW_ARRAY(l->a, Value *, op->noperands + 1u);
	for (size_t i = 0; i < op->noperands; i++)
		v[i] = lg_in(l, i);
	return lg_replace(l, v, op->nresults);
}

/* Its decomposition is called, and inlined afterwards. */
static bool form_composite(Lg *l, OpKind core)
{
	const Attr *f = op_attr(l->op, A_decomposition);
	if (!f || f->kind != ATTR_SYMREF)
		return false;
	return lg_become_same(l, core, fm_attr(l, A_callee, attr_str(l->c, f->u.str)));
}

static bool form_erfc(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	if (!dtype_is_float(lg_dtype(x)))
		return false;
	return lg_become(l, core, (Value *[]){ lg_const_float(l, lg_dtype(x), 1), fm_op1(l, OP_erf, x, NULL) }, 2, NULL);
}

/* Rounding to the precision of a type that there is. */
static bool form_reduce_precision(Lg *l, OpKind core)
{
	int64_t e = op_attr_int(l->op, A_exponent_bits, 0), m = op_attr_int(l->op, A_mantissa_bits, 0);
	DType own = lg_dtype(lg_in(l, 0)), d = e == 8 && m == 7 ? DT_BF16 : e == 5 && m == 10 ? DT_F16 : e == 8 && m == 23 ? DT_F32 : DT_NONE;
	if (d == DT_NONE || !dtype_is_float(own) || dtype_bits(own) < dtype_bits(d))
		return false;
	return lg_become(l, core, (Value *[]){ fm_cast(l, lg_in(l, 0), d) }, 1, fm_attr(l, A_to, attr_dtype(l->c, own)));
}

/* ---- the table ---- */

#define COMPLEX(how, name) { OP_##name, SHLO_complex, form_complex_##how }

const LegaliseRow form_rows[] = {
	{ OP_while, OP_loop, form_while }, { SHLO_case, OP_if, form_case }, { SHLO_custom_call, OP_identity, form_custom_call },
	{ SHLO_optimization_barrier, OP_identity, form_barrier }, { SHLO_composite, OP_call, form_composite },
	{ SHLO_gather, OP_gather_nd, form_gather }, { SHLO_scatter, OP_scatter_nd, form_scatter },
	{ SHLO_dynamic_slice, OP_slice, form_dynamic_slice }, { SHLO_dynamic_update_slice, OP_scatter_nd, form_update_slice },
	{ SHLO_pad, OP_pad, form_pad }, { SHLO_sort, OP_topk, form_sort }, { CHLO_top_k, OP_topk, form_top_k },
	{ SHLO_reduce, OP_argmax, form_arg }, { SHLO_reduce_window, OP_reduce, form_reduce_window },
	{ CHLO_erfc, OP_sub, form_erfc }, { SHLO_reduce_precision, OP_cast, form_reduce_precision },
	{ SHLO_select_and_scatter, OP_scatter_elements, form_select_and_scatter },
	{ SHLO_rng_bit_generator, OP_cast, form_rng_bits },
	{ SHLO_fft, OP_dft, form_fft }, COMPLEX(binary, add), COMPLEX(binary, sub), COMPLEX(binary, mul), COMPLEX(binary, div),
	COMPLEX(unary, neg), COMPLEX(unary, abs), COMPLEX(unary, exp), COMPLEX(moved, select), COMPLEX(moved, reshape),
	COMPLEX(moved, transpose), COMPLEX(moved, slice), COMPLEX(moved, concat), COMPLEX(moved, expand), COMPLEX(moved, squeeze),
	COMPLEX(moved, unsqueeze), COMPLEX(moved, gather), COMPLEX(moved, pad), COMPLEX(moved, reverse),
};
const size_t form_nrows = ARRAY_LEN(form_rows);
