#include "legalise_int.h"

#include <math.h>

/* Sorts, and places of the largest or smallest. What a body decides is found by running it: a body of comparisons, logic and
 * selections alone depends on the order of its arguments and on nothing else, so that a few numbers in every order tell. */

/* ---- a body run on numbers ---- */

typedef struct Run {
	const Block *b;
	const double *args;
	bool ok; /* cleared by anything but comparisons, logic, selections */
} Run;

static double run_value(Run *r, const Value *v, int depth);

static bool total_less(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? signbit(a) && !(isnan(b) && signbit(b)) : !signbit(b);
	return a < b || (a == b && signbit(a) && !signbit(b));
}

static double total_order(const Op *op, double a, double b)
{
	const char *d = op_attr_str(op, A_comparison_direction) ? op_attr_str(op, A_comparison_direction)->s : "";
	bool less = total_less(a, b), more = total_less(b, a);
	switch (d[0] == 'L' || d[0] == 'G' ? d[0] + d[1] : d[0]) {
	case 'L' + 'T': return less;
	case 'L' + 'E': return !more;
	case 'G' + 'T': return more;
	case 'G' + 'E': return !less;
	case 'E': return !less && !more;
	default: return less || more;
	}
}

static double run_op(Run *r, const Op *op, const double *x)
{
	switch (op_kind(op)) {
	case OP_lt: return x[0] < x[1];
	case OP_le: return x[0] <= x[1];
	case OP_gt: return x[0] > x[1];
	case OP_ge: return x[0] >= x[1];
	case OP_eq: return x[0] == x[1];
	case OP_ne: return x[0] != x[1];
	case OP_and: return x[0] != 0 && x[1] != 0;
	case OP_or: return x[0] != 0 || x[1] != 0;
	case OP_xor: return (x[0] != 0) != (x[1] != 0);
	case OP_not: return x[0] == 0;
	case OP_select: return x[0] != 0 ? x[1] : x[2];
	case OP_isnan: return isnan(x[0]);
	case OP_min: return isnan(x[0]) || isnan(x[1]) ? NAN : x[0] < x[1] ? x[0] : x[1];
	case OP_max: return isnan(x[0]) || isnan(x[1]) ? NAN : x[0] > x[1] ? x[0] : x[1];
	case OP_identity: return x[0];
	case SHLO_compare:
		if (op_attr_is(op, A_compare_type, "TOTALORDER"))
			return total_order(op, x[0], x[1]);
		break;
	default:
		break;
	}
	r->ok = false;
	return 0;
}

static double run_value(Run *r, const Value *v, int depth)
{
	enum { MOST = 32 }; /* nested ops; bodies of exporters have a few */
	double x[3] = { 0 }, number;
	for (uint32_t i = 0; i < r->b->nargs; i++)
		if (r->b->args[i] == v)
			return r->args[i];
	if (constant_float(v, &number) || !v->def || depth > MOST || v->def->noperands > 3) {
		int64_t whole;
		if (constant_int(v, &whole))
			number = (double)whole;
		else if (!constant_float(v, &number) || (number != 0 && !isnan(number)))
			r->ok = false; /* a number that arguments may lie on both sides of */
		return r->ok ? number : 0;
	}
	for (size_t i = 0; i < v->def->noperands && r->ok; i++)
		x[i] = op_operand(v->def, i) ? run_value(r, op_operand(v->def, i), depth + 1) : 0;
	return r->ok ? run_op(r, v->def, x) : 0;
}

/* Result i of the body; false: it does something else than choose. */
static bool run_body(const Block *b, size_t i, const double *args, double *y)
{
	Run r = { b, args, true };
	*y = run_value(&r, op_operand(b->last, i), 0);
	return r.ok;
}

/* Numbers of which a type that is only compared shows all that matters; those of unsigned types begin at 0. */
static const double samples[] = { 0, 1, 2, 3, -1, -2, -INFINITY, INFINITY };

static size_t sample_count(DType d)
{
	return dtype_is_float(d) ? ARRAY_LEN(samples) : dtype_class(d) == DC_INT ? 6 : dtype_class(d) == DC_UINT ? 4 : 2;
}

/* ---- sort ---- */

/* 1: the comparator is `a < b` of the first operand, -1: `a > b`, 0: something else. */
static int sort_order(const Op *op)
{
	const Block *b = op->blocks[0];
	double args[2 * MAX_RANK] = { 0 }, y;
	size_t n = sample_count(lg_dtype(op_operand(op, 0)));
	bool up = true, down = true;
	for (size_t i = 0; i < n * n * 2; i++) {
		double p = samples[i / 2 / n], q = samples[i / 2 % n];
		for (uint32_t k = 2; k < b->nargs; k++)
			args[k] = (double)((i + k) % 2);
		args[0] = p;
		args[1] = q;
		if (!run_body(b, 0, args, &y))
			return 0;
		up &= (y != 0) == (p < q);
		down &= (y != 0) == (p > q);
	}
	return up ? 1 : down ? -1 : 0;
}

/* A type that TopK takes and that holds all elements in their order. */
static DType key_type(DType d)
{
	if (d == DT_F32 || d == DT_F64 || d == DT_I64 || d == DT_I32)
		return d;
	if (dtype_is_float(d))
		return DT_F32;
	return d == DT_U64 ? DT_NONE : d == DT_U32 ? DT_I64 : DT_I32;
}

/* values and places of the k first in an order; k: vector of one. */
static bool top_of(Lg *l, Value *x, Value *k, int64_t axis, bool largest, Value *out[2])
{
	DType d = lg_dtype(x), key = dtype_class(d) == DC_COMPLEX ? DT_NONE : key_type(d);
	if (key == DT_NONE)
		return false;
	Value *in[2] = { fm_cast(l, x, key), k };
	NamedAttr attrs[] = { { l->c->attr_names[A_axis], lg_int(l, axis) }, { l->c->attr_names[A_largest], lg_int(l, largest) } };
	OpSpec s = { .def = op_def(l->c, OP_topk), .operands = in, .noperands = 2, .nresults = 2, .attrs = attrs, .nattrs = 2,
		.loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	op->made = true;
	infer_op(l->facts, op);
	out[0] = fm_cast(l, op->results[0], d);
	out[1] = op->results[1];
	return true;
}

/* ---- sort by several keys, or by one that is not the first operand ---- */

enum { MOST_KEYS = 4 };
typedef struct Key {
	uint32_t operand;
	bool down;
	int nan;    /* 1: last, -1: first, 0: the comparator gives it no place */
	size_t wins; /* keys that it goes before */
} Key;

/* What the comparator says of elements that are alike but for operand i. */
static bool compare_one(const Op *op, uint32_t i, double p, double q, bool *before)
{
	double args[2 * MAX_RANK] = { 0 }, y;
	args[2 * i] = p;
	args[2 * i + 1] = q;
	bool ok = run_body(op->blocks[0], 0, args, &y);
	*before = ok && y != 0;
	return ok;
}

/* 1: operand i is a key, 0: it is none, -1: neither. */
static int key_of(const Op *op, uint32_t i, Key *k)
{
	bool less, more, same, first, last, both;
	if (!compare_one(op, i, 0, 1, &less) || !compare_one(op, i, 1, 0, &more) || !compare_one(op, i, 1, 1, &same) || same ||
		(less && more))
		return -1;
	*k = (Key){ .operand = i, .down = more };
	if (!less && !more)
		return 0;
	if (!dtype_is_float(lg_dtype(op_operand(op, i))))
		return 1;
	if (!compare_one(op, i, NAN, 1, &first) || !compare_one(op, i, 1, NAN, &last) || !compare_one(op, i, NAN, NAN, &both) || both ||
		(first && last))
		return -1;
	k->nan = last - first;
	return 1;
}

static int key_order(const Key *k, double p, double q)
{
	if (isnan(p) || isnan(q))
		return isnan(p) && isnan(q) ? 0 : isnan(p) == (k->nan < 0) ? -1 : 1;
	return p == q ? 0 : (p < q) != k->down ? -1 : 1;
}

/* Whether the comparator is the order by these keys in turn: asked for every pair of a few values of each. */
static bool keys_fit(const Op *op, const Key *keys, size_t n)
{
	static const double some[] = { 0, 1, 2 }, more[] = { 0, 1, -1, NAN };
	size_t count = 1, radix[MOST_KEYS];
	for (size_t i = 0; i < n; i++) {
		DType d = lg_dtype(op_operand(op, keys[i].operand));
		radix[i] = d == DT_BOOL ? 2 : keys[i].nan ? 4 : 3;
		count *= radix[i] * radix[i];
	}
	for (size_t at = 0; at < count; at++) {
		double args[2 * MAX_RANK], y;
		int order = 0;
		size_t rest = at;
		for (uint32_t i = 0; i < op->blocks[0]->nargs; i++)
			args[i] = (double)((at + i) % 2);
		for (size_t i = 0; i < n; i++) {
			DType d = lg_dtype(op_operand(op, keys[i].operand));
			const double *values = dtype_is_float(d) || dtype_class(d) == DC_INT ? more : some;
			double p = values[rest % radix[i]], q = values[rest / radix[i] % radix[i]];
			rest /= radix[i] * radix[i];
			args[2 * keys[i].operand] = p;
			args[2 * keys[i].operand + 1] = q;
			order = order ? order : key_order(&keys[i], p, q);
		}
		if (!run_body(op->blocks[0], 0, args, &y) || (y != 0) != (order < 0))
			return false;
	}
	return true;
}

/* The keys of the comparator, the one that decides first; 0: it is something else. */
static size_t sort_keys(Lg *l, Key keys[MOST_KEYS])
{
	const Op *op = l->op;
	size_t n = 0;
	for (uint32_t i = 0; i < op->noperands; i++) {
		Key k;
		int is = key_of(op, i, &k);
		if (is < 0 || (is && n == MOST_KEYS)) {
			fm_no(l, is < 0 ? "its comparator does more than compare elements by keys in turn" : "it has more than 4 keys");
			return 0;
		}
		if (is)
			keys[n++] = k;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double args[2 * MAX_RANK] = { 0 }, y;
			args[2 * keys[i].operand + !keys[i].down] = 1;
			args[2 * keys[j].operand + keys[j].down] = 1;
			keys[i].wins += i != j && run_body(op->blocks[0], 0, args, &y) && y != 0;
		}
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && keys[j].wins > keys[j - 1].wins; j--) {
			Key k = keys[j];
			keys[j] = keys[j - 1];
			keys[j - 1] = k;
		}
	if (n && keys_fit(op, keys, n))
		return n;
	fm_no(l, "its comparator is not the order by keys in turn");
	return 0;
}

/* One stable pass: *places, NULL at first, becomes the order by v of what was in the order of *places. */
static bool sort_pass(Lg *l, Value *v, Value *k, int64_t axis, bool down, Value **places)
{
	Value *top[2];
	RwAttr *along = fm_attr(l, A_axis, lg_int(l, axis));
	if (!top_of(l, *places ? fm_op2(l, OP_gather_elements, v, *places, along) : v, k, axis, down, top))
		return fm_no(l, "ONNX sorts no keys of that element type");
	*places = *places ? fm_op2(l, OP_gather_elements, *places, top[1], along) : top[1];
	return true;
}

/* Stable sorts by each key, the one that decides last first. NaN, where the comparator gives it a place, is a key of its own. */
static bool sort_by_keys(Lg *l, Value *k, int64_t axis, Value **places)
{
	Key keys[MOST_KEYS];
	for (size_t i = sort_keys(l, keys); i-- > 0;) {
		Value *x = lg_in(l, keys[i].operand), *nan = NULL;
		if (keys[i].nan) {
			nan = fm_op1(l, OP_isnan, x, NULL);
			x = fm_op(l, OP_select, (Value *[]){ nan, lg_const_float(l, lg_dtype(x), 0), x }, 3, NULL);
		}
		if (!sort_pass(l, x, k, axis, keys[i].down, places) ||
			(nan && !sort_pass(l, fm_cast(l, nan, DT_I32), k, axis, keys[i].nan < 0, places)))
			return false;
	}
	return *places != NULL;
}

/* Others than the first operand follow by the places of its elements. */
bool form_sort(Lg *l, OpKind core)
{
	Op *op = l->op;
	int64_t axis = op_attr_int(op, A_dimension, -1);
	int at, order;
	Value *top[2] = { 0 }, **y = NEW_ARRAY(l->a, Value *, op->noperands + 1u), *x = lg_in(l, 0);
	(void)core;
	if (op->nblocks != 1 || !op->blocks[0]->last || op->nresults != op->noperands || op->noperands > MAX_RANK ||
		op->blocks[0]->nargs != 2u * op->noperands || lg_rank(x) < 1 || !axis_norm(axis, lg_rank(x), &at))
		return false;
	Value *k = fm_op1(l, OP_shape, x, (RwAttr[]){ { A_start, lg_int(l, at) }, { A_end, lg_int(l, at + 1) }, { A_NONE, NULL } });
	order = sort_order(op);
	if (order ? !top_of(l, x, k, at, order < 0, top) : !sort_by_keys(l, k, at, &top[1]))
		return order ? fm_no(l, "ONNX sorts no keys of that element type") : false;
	for (size_t i = 0; i < op->noperands; i++)
		y[i] = i == 0 && order ? top[0] : fm_op2(l, OP_gather_elements, lg_in(l, i), top[1], fm_attr(l, A_axis, lg_int(l, at)));
	return lg_replace(l, y, op->nresults);
}

bool form_top_k(Lg *l, OpKind core)
{
	int64_t k = op_attr_int(l->op, A_k, -1);
	int rank = lg_rank(lg_in(l, 0));
	Value *top[2];
	(void)core;
	if (k < 0 || rank < 1 || l->op->nresults != 2 || !top_of(l, lg_in(l, 0), lg_const_ints(l, &k, 1), rank - 1, true, top))
		return false;
	top[1] = fm_cast(l, top[1], DT_I32);
	return lg_replace(l, top, 2);
}

/* 1: the body says whether the first argument is the larger or equal, -1: the smaller or equal, 0: something else. */
int fm_choice(const Block *b, DType d)
{
	size_t n = sample_count(d);
	bool up = true, down = true;
	for (size_t i = 0; i < n * n; i++) {
		double args[2] = { samples[i / n], samples[i % n] }, y;
		if (!run_body(b, 0, args, &y))
			return 0;
		up &= (y != 0) == (args[0] >= args[1]);
		down &= (y != 0) == (args[0] <= args[1]);
	}
	return up ? 1 : down ? -1 : 0;
}

/* ---- places of the largest ---- */

typedef struct ArgKind {
	bool max, last;
} ArgKind;

/* Whether the body keeps the better value and its place, of equal values the place that comes first (or last). Places come
 * in order: that of the left argument is the smaller one. */
static bool arg_fits(const Op *op, ArgKind k)
{
	size_t n = sample_count(lg_dtype(op_operand(op, 0)));
	for (size_t i = 0; i < n * n; i++) {
		double p = samples[i / n], q = samples[i % n], args[4] = { p, 3, q, 5 }, value, place;
		if (!run_body(op->blocks[0], 0, args, &value) || !run_body(op->blocks[0], 1, args, &place))
			return false;
		bool left = p == q ? !k.last : (p > q) == k.max;
		if (value != (left ? p : q) || place != (left ? 3 : 5))
			return false;
	}
	return true;
}

/* What was repeated along other axes than this one. */
static Value *before_repeats(Value *v, int axis)
{
	for (Op *op = def_of(v, OP_expand); op; op = def_of(v, OP_expand)) {
		Value *x = op_operand(op, 0);
		if (lg_rank(x) != lg_rank(v) || axis >= lg_rank(v) || !sym_known_eq(x->type->dims[axis], v->type->dims[axis]))
			break;
		v = x;
	}
	return v;
}

/* 0, 1, 2 ... along the axis. */
static bool is_iota(Lg *l, Value *v, int axis)
{
	int64_t dims[MAX_RANK], inner = 1;
	size_t n;
	int rank = lg_rank(v);
	v = before_repeats(v, axis);
	if (!type_static_dims(v->type, dims))
		return false;
	const int64_t *x = constant_ints(l->a, v, (size_t)1 << 24, &n);
	for (int d = axis + 1; d < rank; d++)
		inner *= dims[d];
	for (size_t i = 0; x && i < n; i++)
		if (x[i] != (int64_t)i / inner % dims[axis])
			return false;
	return x != NULL;
}

static bool starts_at_worst(const Value *init, DType d, bool max)
{
	double v;
	if (!constant_float(init, &v))
		return false;
	if (dtype_is_float(d))
		return v == (max ? -INFINITY : INFINITY);
	return d == DT_BOOL ? v == !max : v == (max ? (double)dtype_int_min(d) : (double)dtype_int_max(d));
}

/* reduce(x, 0 1 2 ...) with such a body. */
bool form_arg(Lg *l, OpKind core)
{
	static const ArgKind kinds[] = { { true, false }, { true, true }, { false, false }, { false, true } };
	Op *op = l->op;
	Value *x = lg_in(l, 0);
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_dimensions, &axes), k = 0;
	int64_t zero;
	DType d = lg_dtype(x);
	(void)core;
	if (op->noperands != 4 || op->nresults != 2 || op->nblocks != 1 || op->blocks[0]->nargs != 4 || !op->blocks[0]->last ||
		op->blocks[0]->last->noperands != 2 || n != 1 || lg_rank(x) < 1 || axes[0] < 0 || axes[0] >= lg_rank(x) ||
		dtype_class(d) == DC_COMPLEX || sym_is(x->type->dims[axes[0]], 0))
		return false;
	while (k < ARRAY_LEN(kinds) && !arg_fits(op, kinds[k]))
		k++;
	if (k == ARRAY_LEN(kinds) || !starts_at_worst(lg_in(l, 2), d, kinds[k].max) || !constant_int(lg_in(l, 3), &zero) || zero != 0 ||
		!is_iota(l, lg_in(l, 1), (int)axes[0]))
		return false;
	RwAttr attrs[] = { { A_axis, lg_int(l, axes[0]) }, { A_keepdims, lg_int(l, 0) },
		{ A_select_last_index, kinds[k].last ? lg_int(l, 1) : NULL }, { A_NONE, NULL } };
	Value *place = fm_op1(l, kinds[k].max ? OP_argmax : OP_argmin, x, attrs);
	RwAttr best[] = { { A_kind, lg_text(l, kinds[k].max ? "max" : "min") }, { A_axes, lg_ints_attr(l, axes, 1) },
		{ A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } };
	Value *y[2] = { fm_op1(l, OP_reduce, x, best), fm_cast(l, place, lg_dtype(lg_in(l, 1))) };
	return lg_replace(l, y, 2);
}
