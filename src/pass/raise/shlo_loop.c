#include "shlo_int.h"

#include <string.h>

/* Control flow. Blocks inside are StableHLO already when their op is raised. What a loop stacks goes into a buffer of the
 * final size, which the loop carries, one update a round. */

bool sh_yield(Lg *l, OpKind to)
{
	return lg_become_same(l, to, NULL);
}

/* As text has them: sizes are numbers or not known. */
static bool same_written(const Type *a, const Type *b)
{
	int64_t x, y;
	if (!type_has_rank(a) || !type_has_rank(b) || a->rank != b->rank || a->dtype != b->dtype)
		return false;
	for (int i = 0; i < a->rank; i++) {
		bool fixed = sym_const(a->dims[i], &x);
		if (fixed != sym_const(b->dims[i], &y) || (fixed && x != y))
			return false;
	}
	return true;
}

/* The branches may know more of their values, and different things: what they give has the types of the results. */
static void give_types(Lg *l, Block *b, const Op *of)
{
	Op *end = block_terminator(b);
	for (size_t i = 0; end && i < end->noperands && i < of->nresults; i++) {
		Value *v = op_operand(end, i);
		const Type *t = of->results[i]->type;
		if (!v || same_written(v->type, t))
			continue;
		OpSpec s = { .def = op_def(l->c, SHLO_convert), .operands = &v, .noperands = 1, .types = &t, .nresults = 1, .loc = of->loc };
		op_set_operand(end, i, op_new(b, end, &s)->results[0]);
	}
}

bool sh_if(Lg *l, OpKind to)
{
	Value *cond = lg_in(l, 0);
	int rank;
	if (!sh_ranked(cond, &rank))
		return sh_needs_shape(l);
	for (size_t i = 0; i < l->op->nresults; i++)
		if (!type_is_tensor(l->op->results[i]->type) || !type_has_rank(l->op->results[i]->type))
			return rz_no(l, "its branches give values of different ranks, or no tensors");
	cond = sh_reshape(l, cond, 0, NULL);
	op_set_operand(l->op, 0, cond);
	for (size_t i = 0; i < l->op->nblocks; i++)
		give_types(l, l->op->blocks[i], l->op);
	return lg_become_same(l, to, NULL);
}

bool sh_while(Lg *l, OpKind to)
{
	return lg_become_same(l, to, NULL);
}

/* ---- a while loop from its parts ---- */

typedef struct Rounds {
	Value *in[3 * MAX_RANK];
	const Type *types[3 * MAX_RANK];
	size_t n;                     /* counter, condition (when has_cond), state, buffers */
	bool has_cond;
	Block *body;
	Op *end;                      /* terminator of the body */
} Rounds;

static bool carry(Rounds *r, Value *v, const Type *t)
{
	if (r->n >= ARRAY_LEN(r->in))
		return false;
	r->in[r->n] = v;
	r->types[r->n++] = t;
	return true;
}

/* An op before the end of the body. */
static Value *at_end(Lg *l, Rounds *r, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs)
{
	NamedAttr named[4];
	size_t m = 0;
	for (; attrs && attrs[m].name != A_NONE; m++)
		named[m] = (NamedAttr){ l->c->attr_names[attrs[m].name], attrs[m].value };
	OpSpec s = { .def = op_def(l->c, k), .operands = in, .noperands = n, .types = &t, .nresults = 1, .attrs = named,
		.nattrs = m, .loc = l->op->loc };
	return op_new(r->body, r->end, &s)->results[0];
}

static Value *number_at_end(Lg *l, Rounds *r, int64_t v)
{
	const Type *t = sh_type(l, DT_I64, 0, NULL);
	const Attr *a = attr_tensor(l->c, t, blob_splat(l->c, DT_I64, &v));
	return at_end(l, r, SHLO_constant, NULL, 0, t, sh_attr(l, A_value, a));
}

/* `part` written at place i along an axis of the buffer; NULL: sizes cannot be had. */
static Value *write_part(Lg *l, Rounds *r, Value *buffer, Value *part, Value *i, int axis)
{
	const Sym *dims[MAX_RANK];
	Value *in[MAX_RANK + 2] = { buffer, NULL };
	int rank = buffer->type->rank;
	for (int d = 0; d < rank; d++) {
		dims[d] = d == axis ? sym_int(l->c, 1) : buffer->type->dims[d];
		in[d + 2] = d == axis ? i : number_at_end(l, r, 0);
	}
	const Type *t = sh_type_of(l, buffer, rank, dims);
	Value *shape = type_is_static(t) ? NULL : sh_shape(l, t);
	if (!shape && !type_is_static(t))
		return NULL;
	in[1] = at_end(l, r, shape ? SHLO_dynamic_reshape : SHLO_reshape, (Value *[]){ part, shape }, shape ? 2 : 1, t, NULL);
	return at_end(l, r, SHLO_dynamic_update_slice, in, (size_t)rank + 2, buffer->type, NULL);
}

/* stablehlo.while with the test `counter < trips (and condition)`; its results. */
static Op *build_while(Lg *l, Rounds *r, Value *trips)
{
	OpSpec s = { .def = op_def(l->c, SHLO_while), .operands = r->in, .noperands = r->n, .types = r->types,
		.nresults = r->n, .nblocks = 2, .loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	op->made = true;
	Block *test = block_new(l->op->block->func, op);
	for (size_t i = 0; i < r->n; i++)
		block_add_arg(test, r->types[i], NULL);
	const Type *flag = sh_type(l, DT_BOOL, 0, NULL);
	RwAttr lt[] = { { A_comparison_direction, lg_text(l, "LT") }, { A_compare_type, lg_text(l, "SIGNED") },
		{ A_NONE, NULL } };
	Value *go = sh_in(l, test, SHLO_compare, (Value *[]){ test->args[0], trips }, 2, flag, lt);
	if (r->has_cond)
		go = sh_in(l, test, SHLO_and, (Value *[]){ go, test->args[1] }, 2, flag, NULL);
	sh_end(l, test, &go, 1);
	op_set_block(op, 0, test);
	op_set_block(op, 1, r->body);
	return op;
}

static Value *as_scalar(Lg *l, Value *v, DType d)
{
	v = v ? sh_reshape(l, v, 0, NULL) : NULL;
	return v ? sh_convert(l, v, d) : NULL;
}

/* The body leaves its op, which keeps an empty one. */
static Block *take_body(Lg *l)
{
	Block *b = l->op->blocks[0];
	op_set_block(l->op, 0, block_new(l->op->block->func, l->op));
	return b;
}

static bool all_ranked(Lg *l)
{
	for (size_t i = 0; i < l->op->nresults; i++)
		if (!type_has_rank(l->op->results[i]->type) || l->op->results[i]->type->dtype == DT_NONE)
			return rz_no(l, "it carries a value that is no tensor of known rank");
	return true;
}

/* The loop goes on until its rounds are used up: its condition is true before it, and each round hands on that or another true. */
static bool never_stops(const Lg *l)
{
	const Block *b = l->op->blocks[0];
	const Value *before = lg_in(l, 1), *next = op_operand(block_terminator(b), 0);
	int64_t v;
	if (before && (!constant_int(before, &v) || !v))
		return false;
	return next == b->args[1] || (constant_int(next, &v) && v);
}

/* The condition is no state any more: where the body asks, it is true. */
static void forget_condition(Lg *l, Block *b)
{
	if (value_has_uses(b->args[1]))
		value_replace_uses(b->args[1], sh_number(l, DT_BOOL, 1));
	block_erase_arg(b, 1);
}

/* core.loop: arguments counter, condition, state; yields condition, state, scanned parts. */
bool sh_loop(Lg *l, OpKind to)
{
	Op *op = l->op;
	Rounds r = { .has_cond = !never_stops(l) };
	size_t nstate = op->noperands - 2u, nscan = op->nresults - nstate, first = r.has_cond ? 2 : 1; /* where states begin */
	Value *trips = lg_in(l, 0) ? as_scalar(l, lg_in(l, 0), DT_I64) : sh_int(l, DT_I64, INT64_MAX);
	Value *cond = lg_in(l, 1) ? as_scalar(l, lg_in(l, 1), DT_BOOL) : sh_number(l, DT_BOOL, 1);
	(void)to;
	if (op->noperands < 2 || op->nresults < nstate || !trips || !cond || !all_ranked(l))
		return sh_needs_shape(l);
	bool ok = carry(&r, sh_int(l, DT_I64, 0), sh_type(l, DT_I64, 0, NULL)) && (!r.has_cond || carry(&r, cond, cond->type));
	for (size_t i = 0; ok && i < nstate; i++)
		ok = carry(&r, lg_in(l, i + 2), op->results[i]->type);
	for (size_t i = 0; ok && i < nscan; i++) {
		const Type *t = op->results[nstate + i]->type;
		Value *zeros = sh_full(l, t, 0);
		if (!zeros)
			return rz_no(l, "it stacks parts whose number is known only when it runs");
		ok = carry(&r, zeros, t);
	}
	if (!ok)
		return rz_no(l, "it carries too many values");
	r.body = take_body(l);
	r.end = block_terminator(r.body);
	Value *next = op_operand(r.end, 0);
	if (!r.has_cond)
		forget_condition(l, r.body);
	for (size_t i = 0; i < r.body->nargs; i++)
		value_set_type(r.body->args[i], r.types[i]);
	for (size_t i = 0; i < nscan; i++)
		block_add_arg(r.body, r.types[nstate + first + i], NULL);
	Value *i = r.body->args[0], **out = NEW_ARRAY(l->a, Value *, r.n);
	out[0] = at_end(l, &r, SHLO_add, (Value *[]){ i, number_at_end(l, &r, 1) }, 2, i->type, NULL);
	if (r.has_cond)
		out[1] = lg_rank(next) != 0 ? at_end(l, &r, SHLO_reshape, &next, 1, cond->type, NULL) : next;
	for (size_t k = 0; k < nstate; k++)
		out[first + k] = op_operand(r.end, 1 + k);
	for (size_t k = 0; k < nscan; k++) {
		Value *buffer = r.body->args[first + nstate + k];
		if (!(out[first + nstate + k] = write_part(l, &r, buffer, op_operand(r.end, 1 + nstate + k), i, 0)))
			return sh_needs_shape(l);
	}
	op_set_operands(r.end, out, r.n);
	Op *loop = build_while(l, &r, trips);
	return lg_replace(l, loop->results + first, op->nresults);
}

static int64_t entry(const Op *op, AttrName name, size_t i)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, name, &v);
	return i < n ? v[i] : 0;
}

/* The number of rounds of a scan: constant, or computed before the loop. */
typedef struct Length {
	int64_t n;       /* -1: only the run knows */
	Value *v, *last; /* scalars of i64; last: one less, when n is -1 */
} Length;

/* Counter of a side that runs backwards. */
static Value *place(Lg *l, Rounds *r, Value *i, const Length *length, bool back)
{
	if (!back)
		return i;
	Value *last = length->n < 0 ? length->last : number_at_end(l, r, length->n - 1);
	return at_end(l, r, SHLO_subtract, (Value *[]){ last, i }, 2, i->type, NULL);
}

/* The same by a gather, whose sizes may be an operand; sizes: of one part, computed before the loop. */
static Value *gather_part(Lg *l, Rounds *r, Value *x, Value *i, int axis, Value *sizes, const Type *part)
{
	int64_t offset[MAX_RANK], one = 1, at = axis, depth = 0;
	for (int d = 0; d < part->rank; d++)
		offset[d] = d;
	i = at_end(l, r, SHLO_reshape, &i, 1, sh_type(l, DT_I64, 1, &one), NULL);
	ShField f[] = { { "offset_dims", offset, (size_t)part->rank, true }, { "collapsed_slice_dims", &at, 1, true },
		{ "operand_batching_dims", NULL, 0, true }, { "start_indices_batching_dims", NULL, 0, true },
		{ "start_index_map", &at, 1, true }, { "index_vector_dim", &depth, 1, false } };
	return at_end(l, r, SHLO_dynamic_gather, (Value *[]){ x, i, sizes }, 3, part, (RwAttr[]){
		{ A_dimension_numbers, sh_struct(l, f, ARRAY_LEN(f)) }, { A_indices_are_sorted, attr_bool(l->c, false) }, { A_NONE, NULL } });
}

/* The part of a scanned operand at place i of an axis; NULL: sizes cannot be had. */
static Value *read_part(Lg *l, Rounds *r, Value *x, Value *i, int axis)
{
	const Sym *size[MAX_RANK], *rest[MAX_RANK];
	int64_t fixed[MAX_RANK];
	Value *in[MAX_RANK + 1] = { x };
	int rank = x->type->rank, m = 0;
	for (int d = 0; d < rank; d++) {
		size[d] = d == axis ? sym_int(l->c, 1) : x->type->dims[d];
		if (d != axis)
			rest[m++] = size[d];
	}
	const Type *cut = sh_type_of(l, x, rank, size), *part = sh_type_of(l, x, m, rest);
	if (!type_static_dims(cut, fixed)) {
		Value *sizes = sh_shape(l, cut);
		return sizes ? gather_part(l, r, x, i, axis, sh_convert(l, sizes, DT_I64), part) : NULL;
	}
	for (int d = 0; d < rank; d++)
		in[d + 1] = d == axis ? i : number_at_end(l, r, 0);
	Value *y = at_end(l, r, SHLO_dynamic_slice, in, (size_t)rank + 1, cut,
		sh_attr(l, A_slice_sizes, sh_ints(l, fixed, (size_t)rank)));
	return at_end(l, r, SHLO_reshape, &y, 1, part, NULL);
}

/* What the loop of a scan carries; its number of rounds. */
static bool scan_state(Lg *l, Rounds *r, size_t nstate, Length *length)
{
	Op *op = l->op;
	int at;
	for (size_t k = nstate; k < op->noperands; k++)
		if (!type_has_rank(lg_in(l, k)->type))
			return sh_needs_shape(l);
	const Type *first = lg_in(l, nstate)->type;
	if (!axis_norm(entry(op, A_scan_input_axes, 0), first->rank, &at))
		return sh_needs_shape(l);
	bool fixed = sym_const(first->dims[at], &length->n);
	Value *n = fixed ? NULL : sh_size(l, first->dims[at]);
	if (!fixed && !n)
		return rz_no(l, "the number of its rounds is known only when it runs");
	length->v = fixed ? sh_int(l, DT_I64, length->n) : sh_convert(l, n, DT_I64);
	if (!fixed) {
		length->n = -1;
		length->last = sh_new2(l, SHLO_subtract, length->v, sh_int(l, DT_I64, 1));
	}
	bool ok = carry(r, sh_int(l, DT_I64, 0), sh_type(l, DT_I64, 0, NULL));
	for (size_t i = 0; ok && i < nstate; i++)
		ok = carry(r, lg_in(l, i), op->results[i]->type);
	for (size_t i = nstate; ok && i < op->nresults; i++) {
		const Type *t = op->results[i]->type;
		Value *zeros = sh_full(l, t, 0);
		if (!zeros)
			return sh_needs_shape(l);
		ok = carry(r, zeros, t);
	}
	return ok || rz_no(l, "it carries too many values");
}

/* A body that cuts its parts out first, then does what the scan's did; NULL: sizes cannot be had. */
static Op *scan_body(Lg *l, Rounds *r, size_t nstate, const Length *length)
{
	Op *op = l->op;
	Block *own = take_body(l);
	int at = 0;
	r->body = block_new(op->block->func, op);
	r->end = NULL;
	for (size_t i = 0; i < r->n; i++)
		block_add_arg(r->body, r->types[i], NULL);
	for (size_t k = 0; k < nstate; k++)
		value_replace_uses(own->args[k], r->body->args[1 + k]);
	for (size_t k = 0; k < op->noperands - nstate; k++) {
		Value *x = lg_in(l, nstate + k);
		if (!axis_norm(entry(op, A_scan_input_axes, k), x->type->rank, &at))
			at = 0;
		Value *i = place(l, r, r->body->args[0], length, entry(op, A_scan_input_directions, k) != 0);
		Value *part = read_part(l, r, x, i, at);
		if (!part)
			return NULL;
		value_replace_uses(own->args[nstate + k], part);
	}
	Op *end = block_terminator(own);
	while (own->first)
		op_move_to_end(own->first, r->body);
	r->end = end;
	return end;
}

/* core.scan: arguments state, parts; yields state, parts. */
bool sh_scan(Lg *l, OpKind to)
{
	Op *op = l->op;
	Rounds r = { .has_cond = false };
	Length length = { 0 };
	int64_t scans = op_int(op, A_num_scan_inputs);
	int at;
	(void)to;
	if (scans < 1 || scans > op->noperands || op->nresults < op->noperands - scans || !all_ranked(l))
		return sh_needs_shape(l);
	size_t nstate = op->noperands - (size_t)scans, nout = op->nresults - nstate;
	if (!scan_state(l, &r, nstate, &length))
		return false;
	Op *end = scan_body(l, &r, nstate, &length);
	if (!end)
		return sh_needs_shape(l);
	Value **out = NEW_ARRAY(l->a, Value *, r.n), *i = r.body->args[0];
	out[0] = at_end(l, &r, SHLO_add, (Value *[]){ i, number_at_end(l, &r, 1) }, 2, i->type, NULL);
	for (size_t k = 0; k < nstate; k++)
		out[1 + k] = op_operand(end, k);
	for (size_t k = 0; k < nout; k++) {
		const Type *t = r.types[1 + nstate + k];
		if (!axis_norm(entry(op, A_scan_output_axes, k), t->rank, &at))
			at = 0;
		Value *p = place(l, &r, i, &length, entry(op, A_scan_output_directions, k) != 0);
		out[1 + nstate + k] = write_part(l, &r, r.body->args[1 + nstate + k], op_operand(end, nstate + k), p, at);
		if (!out[1 + nstate + k])
			return sh_needs_shape(l);
	}
	op_set_operands(end, out, r.n);
	Op *loop = build_while(l, &r, length.v);
	return lg_replace(l, loop->results + 1, op->nresults);
}
