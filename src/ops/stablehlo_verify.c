/* What the specification of StableHLO asks of an op and no reader or inference sees to: types of regions, places
 * within the operand, dimensions that belong together. Checked once, after reading, where sizes and types are known;
 * what is unknown passes. An error says where, what was found and what was expected. */
#include "stablehlo.h"
#include "label.h"

#include <stdarg.h>
#include <string.h>

typedef struct Check {
	Context *c;
	Arena *arena;  /* of the texts in messages */
	const Op *op;
	bool quiet;    /* no messages */
	bool failed;
} Check;

static bool wrong(Check *c, const char *hint, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool wrong(Check *c, const char *hint, const char *fmt, ...)
{
	va_list ap;
	if (c->quiet)
		return false;
	va_start(ap, fmt);
	const char *said = arena_vprintf(c->arena, fmt, ap);
	va_end(ap);
	diag_error(&c->c->diags, HONE_BAD_INPUT, c->op->loc, "%s%s", op_label(c->arena, c->op), said);
	if (hint)
		diag_hint(&c->c->diags, "%s", hint);
	else
		op_hint(&c->c->diags, HONE_BAD_INPUT, c->op, false);
	return false;
}

/* ---- what is known ---- */

static const Type *type_of(const Value *v)
{
	return v && v->type && v->type->kind == TYPE_TENSOR ? v->type : NULL;
}

static const Type *operand_of(const Op *op, size_t i)
{
	return type_of(op_operand(op, i));
}

static int rank_of(const Type *t)
{
	return t && type_has_rank(t) && t->rank <= MAX_RANK ? t->rank : -1;
}

static int64_t dim_of(const Type *t, int64_t d)
{
	int64_t n;
	return rank_of(t) > d && d >= 0 && sym_const(t->dims[d], &n) ? n : -1;
}

static const char *text_of(Check *c, const Type *t)
{
	Buf b = { 0 };
	type_print(t, &b);
	const char *s = arena_printf(c->arena, "%s", b.data ? b.data : "");
	buf_free(&b);
	return s;
}

/* Two types that cannot be those of one value. */
static bool clash(const Type *a, const Type *b)
{
	if (!a || !b)
		return false;
	if (a->dtype != b->dtype && a->dtype != DT_NONE && b->dtype != DT_NONE)
		return true;
	if (rank_of(a) < 0 || rank_of(b) < 0)
		return false;
	if (a->rank != b->rank)
		return true;
	for (int d = 0; d < a->rank; d++)
		if (dim_of(a, d) >= 0 && dim_of(b, d) >= 0 && dim_of(a, d) != dim_of(b, d))
			return true;
	return false;
}

/* ---- regions ---- */

static const char PREDICATE[] = "make it give one i1, as stablehlo.compare does";

static const Op *end_of(const Block *b)
{
	return b && b->last && b->last->def->traits & TRAIT_TERMINATOR ? b->last : NULL;
}

static bool gives_predicate(Check *c, const Block *b, const char *what)
{
	const Op *end = end_of(b);
	if (!end)
		return true;
	if (end->noperands != 1)
		return wrong(c, PREDICATE, "the %s gives %u values, expected one", what, end->noperands);
	const Type *t = operand_of(end, 0);
	if (t && ((t->dtype != DT_BOOL && t->dtype != DT_NONE) || rank_of(t) > 0))
		return wrong(c, PREDICATE, "the %s gives %s, expected tensor<i1>", what, text_of(c, t));
	return true;
}

/* The block gives what the op's results are, or its operands: states of a loop. */
static bool gives_values(Check *c, const Block *b, const char *what, bool states)
{
	size_t n = states ? c->op->noperands : c->op->nresults;
	const Op *end = end_of(b);
	if (!end)
		return true;
	if (end->noperands != n)
		return wrong(c, "return one value for each result", "the %s gives %u values, expected %zu", what,
			end->noperands, n);
	for (size_t i = 0; i < n; i++) {
		const Type *have = operand_of(end, i), *want = states ? operand_of(c->op, i) : type_of(c->op->results[i]);
		if (clash(have, want))
			return wrong(c, "convert or reshape it before it is returned", "value %zu of the %s is %s, expected %s",
				i, what, text_of(c, have), text_of(c, want));
	}
	return true;
}

static bool check_while(Check *c)
{
	const Op *op = c->op;
	if (op->nblocks != 2)
		return true;
	for (size_t k = 0; k < 2; k++) {
		const Block *b = op->blocks[k];
		for (uint32_t i = 0; b && i < b->nargs && i < op->noperands; i++)
			if (clash(type_of(b->args[i]), operand_of(op, i)))
				return wrong(c, "the types of states do not change in a loop",
					"argument %u of the %s is %s, its initial value %s", i,
					k ? "body" : "condition", text_of(c, b->args[i]->type), text_of(c, operand_of(op, i)));
	}
	return gives_predicate(c, op->blocks[0], "condition") && gives_values(c, op->blocks[1], "body", true);
}

static bool check_branches(Check *c)
{
	const Op *op = c->op;
	bool is_if = op_is(op, SHLO_if);
	const Type *t = operand_of(op, 0);
	DType want = is_if ? DT_BOOL : DT_I32;
	if (t && ((t->dtype != want && t->dtype != DT_NONE) || rank_of(t) > 0))
		return wrong(c, is_if ? PREDICATE : "convert the index to i32", "its %s is %s, expected tensor<%s>",
			is_if ? "condition" : "index",
			text_of(c, t), is_if ? "i1" : "i32");
	for (size_t k = 0; k < op->nblocks; k++)
		if (op->blocks[k] && !gives_values(c, op->blocks[k], is_if ? k ? "false branch" : "true branch" : "branch", false))
			return false;
	return true;
}

/* Kinds of elements of which one may be widened to the other in the body of a reduction. */
static bool same_class(DType a, DType b)
{
	return a == DT_NONE || b == DT_NONE || dtype_class(a) == dtype_class(b);
}

static bool is_plain(const Type *t)
{
	return t && !t->text && t->dtype != DT_NONE;
}

/* The body may be of a wider type than the operands; the results are of its type. one: of one operand, for each of them. */
static bool promotes(Check *c, const Block *b, size_t n, bool one)
{
	for (size_t i = 0; i < n; i++) {
		const Type *body = type_of(b->args[one ? 0 : i]), *in = operand_of(c->op, i), *out = type_of(c->op->results[i]);
		if (is_plain(body) && is_plain(in) && dtype_bits(in->dtype) > dtype_bits(body->dtype))
			return wrong(c, "give the body the operand's type, or a wider one", "its body computes in %s, which is narrower than operand %zu, %s",
				dtype_name(body->dtype), i, text_of(c, in));
		if (is_plain(body) && is_plain(out) && out->dtype != body->dtype)
			return wrong(c, "the result has the type that the body computes in; convert it afterwards", "result %zu is %s, but its body computes in %s",
				i, text_of(c, out), dtype_name(body->dtype));
	}
	return true;
}

/* The body works on single elements of the operands: `twice` arguments an operand, of its kind of element. */
static bool check_elements(Check *c, size_t n, size_t gives, bool pairs)
{
	const Op *op = c->op;
	const Block *b = op->nblocks ? op->blocks[0] : NULL;
	const Op *end = end_of(b);
	if (!end || !n)
		return true;
	if (b->nargs != 2 * n || end->noperands != gives)
		return wrong(c, "the body takes two elements of each operand",
			"its body has %u arguments and gives %u values, expected %zu and %zu",
			b->nargs, end->noperands, 2 * n, gives);
	for (uint32_t i = 0; i < b->nargs; i++) {
		const Type *have = type_of(b->args[i]), *of = operand_of(op, pairs ? i / 2 : i % n);
		if (have && (rank_of(have) > 0 || (of && !same_class(have->dtype, of->dtype))))
			return wrong(c, "arguments of the body are single elements of the operand's type",
				"argument %u of its body is %s, for an operand %s",
				i, text_of(c, have), of ? text_of(c, of) : "of unknown type");
	}
	for (size_t i = 0; !pairs && i < gives; i++) {
		const Type *have = operand_of(end, i), *as = type_of(b->args[i]);
		if (have && as && (rank_of(have) > 0 || clash(have, as)))
			return wrong(c, "the body gives what it takes", "value %zu of its body is %s, expected %s", i,
				text_of(c, have), text_of(c, as));
	}
	return pairs || promotes(c, b, n, false);
}

static bool dims_within(Check *c, const char *what, AttrName a, int rank)
{
	const int64_t *v;
	size_t n = op_attr_ints(c->op, a, &v);
	uint64_t seen = 0;
	for (size_t i = 0; rank >= 0 && i < n; i++) {
		if (v[i] < 0 || v[i] >= rank)
			return wrong(c, NULL, "%s %lld is not in 0 .. %d", what, (long long)v[i], rank - 1);
		if (seen >> v[i] & 1)
			return wrong(c, NULL, "%s %lld is named twice", what, (long long)v[i]);
		seen |= (uint64_t)1 << v[i];
	}
	return true;
}

static bool check_reduce(Check *c)
{
	return check_elements(c, c->op->nresults, c->op->nresults, false) &&
		dims_within(c, "dimension", A_dimensions, rank_of(operand_of(c->op, 0)));
}

static bool check_combine(Check *c)
{
	return check_elements(c, c->op->nresults, c->op->nresults, false);
}

/* The body stands for every operand. */
static bool check_collective(Check *c)
{
	const Op *op = c->op;
	if (op->nblocks != 1 || !end_of(op->blocks[0]) || op->nresults != op->noperands)
		return true;
	return check_elements(c, 1, 1, false) && promotes(c, op->blocks[0], op->nresults, true);
}

static bool check_sort(Check *c)
{
	int rank = rank_of(operand_of(c->op, 0));
	int64_t d = op_attr_int(c->op, A_dimension, -1);
	if (c->op->nblocks == 1 && !(check_elements(c, c->op->noperands, 1, true) && gives_predicate(c,
			c->op->blocks[0], "comparison")))
		return false;
	if (rank > 0 && (d < -rank || d >= rank))
		return wrong(c, NULL, "dimension %lld is not in %d .. %d", (long long)d, -rank, rank - 1);
	return true;
}

/* ---- places within the operand ---- */

static bool list_length(Check *c, const char *what, AttrName a, int rank)
{
	const int64_t *v;
	size_t n = op_attr_ints(c->op, a, &v);
	if (rank < 0 || !op_attr(c->op, a) || n == (size_t)rank)
		return true;
	return wrong(c, NULL, "%s has %zu entries, the operand %d dimensions", what, n, rank);
}

static bool check_slice(Check *c)
{
	const Type *x = operand_of(c->op, 0);
	const int64_t *from, *to, *step;
	int rank = rank_of(x);
	if (rank < 0)
		return true;
	if (!list_length(c, "start_indices", A_start_indices, rank) || !list_length(c, "limit_indices", A_limit_indices,
			rank) ||
			!list_length(c, "strides", A_strides, rank))
		return false;
	if (op_attr_ints(c->op, A_start_indices, &from) != (size_t)rank || op_attr_ints(c->op, A_limit_indices,
			&to) != (size_t)rank)
		return true;
	bool stepped = op_attr_ints(c->op, A_strides, &step) == (size_t)rank;
	for (int d = 0; d < rank; d++) {
		if (from[d] < 0 || from[d] > to[d] || (dim_of(x, d) >= 0 && to[d] > dim_of(x, d)))
			return wrong(c, "0 <= start <= limit <= size must hold",
				"takes %lld to %lld of dimension %d, which has %lld elements",
				(long long)from[d], (long long)to[d], d, (long long)dim_of(x, d));
		if (stepped && step[d] < 1)
			return wrong(c, "stablehlo.reverse runs backwards",
				"has stride %lld in dimension %d, expected at least 1", (long long)step[d], d);
	}
	return true;
}

static bool check_dynamic_slice(Check *c)
{
	const Type *x = operand_of(c->op, 0);
	const int64_t *size;
	int rank = rank_of(x);
	if (rank < 0)
		return true;
	if (c->op->noperands != (size_t)rank + 1)
		return wrong(c, NULL, "has %u start indices, the operand %d dimensions", c->op->noperands - 1u, rank);
	if (!list_length(c, "slice_sizes", A_slice_sizes, rank))
		return false;
	if (op_attr_ints(c->op, A_slice_sizes, &size) != (size_t)rank)
		return true;
	for (int d = 0; d < rank; d++)
		if (size[d] < 0 || (dim_of(x, d) >= 0 && size[d] > dim_of(x, d)))
			return wrong(c, "a slice is at most as large as its operand",
				"takes %lld of the %lld elements of dimension %d",
				(long long)size[d], (long long)dim_of(x, d), d);
	return true;
}

static bool check_update_slice(Check *c)
{
	const Type *x = operand_of(c->op, 0), *u = operand_of(c->op, 1);
	if (rank_of(x) < 0 || rank_of(u) < 0)
		return true;
	if (rank_of(x) != rank_of(u) || !same_class(x->dtype, u->dtype))
		return wrong(c, NULL, "the update is %s, the operand %s", text_of(c, u), text_of(c, x));
	for (int d = 0; d < rank_of(x); d++)
		if (dim_of(x, d) >= 0 && dim_of(u, d) > dim_of(x, d))
			return wrong(c, "an update is at most as large as its operand",
				"the update has %lld elements in dimension %d, the operand %lld",
				(long long)dim_of(u, d), d, (long long)dim_of(x, d));
	return true;
}

static bool check_transpose(Check *c)
{
	int rank = rank_of(operand_of(c->op, 0));
	return list_length(c, "permutation", A_permutation, rank) && dims_within(c, "dimension", A_permutation, rank);
}

static bool check_reverse(Check *c)
{
	return dims_within(c, "dimension", A_dimensions, rank_of(operand_of(c->op, 0)));
}

static bool check_broadcast(Check *c)
{
	const Type *x = operand_of(c->op, 0), *y = c->op->nresults ? type_of(c->op->results[0]) : NULL;
	const int64_t *to;
	int rank = rank_of(x);
	size_t n = op_attr_ints(c->op, A_broadcast_dimensions, &to);
	if (rank < 0 || rank_of(y) < 0)
		return true;
	if (!list_length(c, "broadcast_dimensions", A_broadcast_dimensions, rank) ||
			!dims_within(c, "dimension", A_broadcast_dimensions, rank_of(y)))
		return false;
	for (size_t i = 0; i < n && i < (size_t)rank; i++) {
		int64_t in = dim_of(x, (int64_t)i), out = dim_of(y, to[i]);
		if (in >= 0 && out >= 0 && in != out && in != 1)
			return wrong(c, "only sizes of 1 are repeated", "lays the %lld elements of dimension %zu along %lld",
				(long long)in, i,
				(long long)out);
	}
	return true;
}

static bool check_concatenate(Check *c)
{
	const Type *first = operand_of(c->op, 0);
	int rank = rank_of(first);
	int64_t at = op_attr_int(c->op, A_dimension, 0);
	if (rank < 0)
		return true;
	if (at < 0 || at >= rank)
		return wrong(c, NULL, "dimension %lld is not in 0 .. %d", (long long)at, rank - 1);
	for (size_t i = 1; i < c->op->noperands; i++) {
		const Type *t = operand_of(c->op, i);
		if (rank_of(t) < 0)
			continue;
		bool fits = rank_of(t) == rank && (t->dtype == first->dtype || t->dtype == DT_NONE ||
			first->dtype == DT_NONE);
		for (int d = 0; fits && d < rank; d++)
			fits = d == at || dim_of(t, d) < 0 || dim_of(first, d) < 0 || dim_of(t, d) == dim_of(first, d);
		if (!fits)
			return wrong(c, "all but the joined dimension must agree", "operand %zu is %s, the first is %s", i,
				text_of(c, t),
				text_of(c, first));
	}
	return true;
}

static bool check_reshape(Check *c)
{
	int64_t in, out;
	const Type *x = operand_of(c->op, 0), *y = c->op->nresults ? type_of(c->op->results[0]) : NULL;
	if (!x || !y || !type_is_static(x) || !type_is_static(y) || !type_static_numel(x, &in) || !type_static_numel(y,
			&out) || in == out)
		return true;
	return wrong(c, "a reshape keeps the number of elements", "makes %s (%lld elements) of %s (%lld)", text_of(c,
		y), (long long)out,
		text_of(c, x), (long long)in);
}

/* ---- contraction ---- */

static bool dot_side(Check *c, const char *side, const Type *t, const Attr *batch, const Attr *contract)
{
	uint64_t seen = 0;
	for (int k = 0; rank_of(t) >= 0 && k < 2; k++) {
		const Attr *list = k ? contract : batch;
		for (size_t i = 0; i < list->u.ints.n; i++) {
			int64_t d = list->u.ints.v[i];
			if (d < 0 || d >= rank_of(t))
				return wrong(c, NULL, "%s dimension %lld of the %s is not in 0 .. %d",
					k ? "contracting" : "batching", (long long)d, side,
					rank_of(t) - 1);
			if (seen >> d & 1)
				return wrong(c, NULL, "dimension %lld of the %s is named twice", (long long)d, side);
			seen |= (uint64_t)1 << d;
		}
	}
	return true;
}

static bool check_dot_general(Check *c)
{
	const Attr *n = op_attr(c->op, A_dot_dimension_numbers), *f[4];
	const Type *a = operand_of(c->op, 0), *b = operand_of(c->op, 1);
	if (!n || n->kind != ATTR_DICT || n->u.list.n != 4)
		return true;
	for (int i = 0; i < 4; i++)
		if ((f[i] = n->u.list.v[i])->kind != ATTR_INTS)
			return true;
	if (f[0]->u.ints.n != f[1]->u.ints.n || f[2]->u.ints.n != f[3]->u.ints.n)
		return wrong(c, "each dimension of the lhs needs its fellow of the rhs",
			"names %zu and %zu batching, %zu and %zu contracting dimensions",
			f[0]->u.ints.n, f[1]->u.ints.n, f[2]->u.ints.n, f[3]->u.ints.n);
	if (!dot_side(c, "lhs", a, f[0], f[2]) || !dot_side(c, "rhs", b, f[1], f[3]))
		return false;
	for (int k = 0; k < 4; k += 2)
		for (size_t i = 0; i < f[k]->u.ints.n; i++) {
			int64_t x = f[k]->u.ints.v[i], y = f[k + 1]->u.ints.v[i];
			if (dim_of(a, x) >= 0 && dim_of(b, y) >= 0 && dim_of(a, x) != dim_of(b, y))
				return wrong(c, "dimensions that belong together have the same size",
					"%s dimension %lld of the lhs has %lld elements, dimension %lld of the rhs %lld",
						k ? "contracting" : "batching",
					(long long)x, (long long)dim_of(a, x), (long long)y, (long long)dim_of(b, y));
		}
	return true;
}

/* ---- the table ---- */

static bool (*const CHECKS[])(Check *) = { /* by kind, from the first of StableHLO on */
#define CHECK_OF(kind, check) [SHLO_##kind - SHLO_abs] = check
	CHECK_OF(while, check_while), CHECK_OF(if, check_branches), CHECK_OF(case, check_branches),
	CHECK_OF(reduce, check_reduce), CHECK_OF(reduce_window, check_combine), CHECK_OF(scatter, check_combine), CHECK_OF(all_reduce, check_collective),
	CHECK_OF(reduce_scatter, check_collective),
	CHECK_OF(sort, check_sort), CHECK_OF(slice, check_slice), CHECK_OF(dynamic_slice, check_dynamic_slice),
	CHECK_OF(dynamic_update_slice, check_update_slice), CHECK_OF(transpose, check_transpose),
	CHECK_OF(reverse, check_reverse), CHECK_OF(broadcast_in_dim, check_broadcast),
	CHECK_OF(concatenate, check_concatenate), CHECK_OF(reshape, check_reshape), CHECK_OF(dot_general, check_dot_general),
#undef CHECK_OF
};

static bool fits(Check *c, const Op *op)
{
	size_t k = op_is_shlo(op) ? (size_t)(op->def->kind - SHLO_abs) : ARRAY_LEN(CHECKS);
	c->op = op;
	return k >= ARRAY_LEN(CHECKS) || !CHECKS[k] || CHECKS[k](c);
}

static bool visit(void *arg, Op *op)
{
	Check *c = arg;
	c->failed |= !fits(c, op);
	return true;
}

bool shlo_op_fits(const Op *op)
{
	Context *context = op->block->func->module->ctx;
	return fits(&(Check){ .c = context, .arena = context->arena, .quiet = true }, op);
}

bool shlo_verify(Module *m)
{
	Check c = { .c = m->ctx, .arena = arena_new() };
	module_walk(m, visit, &c);
	arena_free(c.arena);
	return !c.failed;
}
