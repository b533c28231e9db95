#include "ops.h"

#include <string.h>

#define MAX_FLOAT_ELEMS 64 /* as in infer.c */

/* An operand with facts, seen through the broadcast to a result shape. */
typedef struct View {
	const Elems *e;
	int64_t step[MAX_RANK]; /* element step for each result dim; 0 where broadcast */
} View;

typedef struct Shape {
	int rank;
	int64_t n;
	int64_t dims[MAX_RANK];
} Shape;

static bool shape_of(const Type *t, Shape *s)
{
	if (!infer_static_dims(t, s->dims))
		return false;
	s->rank = t->rank;
	return dims_count(s->dims, s->rank, &s->n);
}

/* False when the operand has no facts or does not broadcast to r. */
static bool view_of(InferCtx *x, const Value *v, const Shape *r, View *w)
{
	Shape s;
	if (!v || !(w->e = infer_elems(x, v)) || !shape_of(v->type, &s) || s.rank > r->rank || s.n != w->e->n)
		return false;
	memset(w->step, 0, sizeof w->step);
	int64_t step = 1;
	for (int d = s.rank - 1, at = r->rank - 1; d >= 0; d--, at--) {
		if (s.dims[d] != r->dims[at] && s.dims[d] != 1)
			return false;
		w->step[at] = s.dims[d] == 1 ? 0 : step;
		step = s.n ? step * s.dims[d] : 0; /* of an empty one the other sizes may be any */
	}
	return true;
}

static const Sym *view_at(const View *w, const Shape *r, int64_t i)
{
	int64_t at = 0;
	for (int d = r->rank - 1; d >= 0; d--) {
		at += i % r->dims[d] * w->step[d];
		i /= r->dims[d];
	}
	return w->e->v[at];
}

static const Elems *elems_new(InferCtx *x, int64_t n, const Sym ***v)
{
	Elems *e = NEW(x->arena, Elems);
	*v = NEW_ARRAY(x->arena, const Sym *, n + 1);
	*e = (Elems){ n, *v };
	return e;
}

static bool is_float(DType d)
{
	return dtype_is_float(d);
}

/* ---- one element ---- */

/* A number as the type holds it: integers wrap. */
static int64_t wrap(DType d, int64_t v)
{
	uint8_t bytes[16];
	int64_t r;
	dtype_store_i64(d, bytes, 1, &v);
	dtype_load_i64(d, bytes, 1, &r);
	return r;
}

/* Whether expressions of this type may be written without regard to wrapping: sizes are far below 2^31. */
static bool is_wide(DType d)
{
	return d == DT_I32 || d == DT_I64 || d == DT_U32 || d == DT_U64 || d == DT_F32 || d == DT_F64;
}

/* Makes s a value of type d, or gives up. Float facts must stay exact integers. */
static const Sym *fit(Context *c, DType d, const Sym *s)
{
	int64_t v;
	if (!s)
		return sym_unknown_int(c);
	if (sym_const(s, &v)) {
		if (is_float(d)) {
			int64_t limit = d == DT_F64 ? (int64_t)1 << 53 : (int64_t)1 << 24;
			return v >= -limit && v <= limit ? s : sym_unknown_int(c);
		}
		if (d == DT_U64)
			return v >= 0 ? s : sym_unknown_int(c);
		int64_t w = wrap(d, v);
		return w == v ? s : sym_int(c, w);
	}
	if (d == DT_BOOL)
		return s;
	if (!is_wide(d) || (dtype_class(d) == DC_UINT && !sym_nonneg(s)))
		return sym_unknown_int(c);
	return s;
}

static const Sym *truth(Context *c, bool yes, bool no)
{
	return yes ? sym_int(c, 1) : no ? sym_int(c, 0) : sym_unknown(c);
}

static const Sym *elem_abs(Context *c, const Sym *a)
{
	if (sym_nonneg(a))
		return a;
	return sym_upper(a) <= 0 ? sym_neg(c, a) : sym_max(c, a, sym_neg(c, a));
}

static const Sym *elem_sign(Context *c, const Sym *a)
{
	if (sym_lower(a) > 0)
		return sym_int(c, 1);
	if (sym_upper(a) < 0)
		return sym_int(c, -1);
	return sym_is(a, 0) ? a : NULL;
}

/* NULL: unknown. */
static const Sym *elem_unary(Context *c, OpKind k, const Sym *a)
{
	int64_t v;
	switch (k) {
	case OP_abs: return elem_abs(c, a);
	case OP_neg: return sym_neg(c, a);
	case OP_sign: return elem_sign(c, a);
	case OP_ceil: case OP_floor: case OP_round: case OP_round_away: return a; /* facts are integers */
	case OP_relu: return sym_max(c, a, sym_int(c, 0));
	case OP_not: return sym_const(a, &v) ? sym_int(c, !v) : NULL;
	case OP_bit_not: return sym_sub(c, sym_int(c, -1), a);
	case OP_isnan: case OP_isinf: return sym_int(c, 0);
	case OP_isfinite: return sym_int(c, 1);
	default: return NULL;
	}
}

/* Truncating division of integers; of floats only where it is exact. */
static const Sym *elem_div(Context *c, DType d, const Sym *a, const Sym *b)
{
	if (sym_is(b, 0))
		return NULL;
	if (!is_float(d))
		return sym_truncdiv(c, a, b);
	const Sym *q = sym_floordiv(c, a, b);
	return sym_known_eq(sym_mul(c, q, b), a) ? q : NULL;
}

static const Sym *elem_logic(Context *c, OpKind k, const Sym *a, const Sym *b)
{
	int64_t v;
	if (a == b)
		return k == OP_xor ? sym_int(c, 0) : a;
	const Sym *known = sym_const(a, &v) ? a : b, *other = known == a ? b : a;
	if (!sym_const(known, &v))
		return NULL;
	if (k == OP_and)
		return v ? other : known;
	if (k == OP_or)
		return v ? known : other;
	if (!v)
		return other;
	return sym_const(other, &v) ? sym_int(c, !v) : NULL;
}

static const Sym *elem_pow(Context *c, const Sym *a, const Sym *b)
{
	int64_t n;
	if (!sym_const(b, &n) || n < 0 || n > 8)
		return NULL;
	const Sym *r = sym_int(c, 1);
	while (n-- > 0)
		r = sym_mul(c, r, a);
	return r;
}

static const Sym *elem_compare(Context *c, OpKind k, const Sym *a, const Sym *b)
{
	switch (k) {
	case OP_eq: return truth(c, sym_known_eq(a, b), sym_known_ne(c, a, b));
	case OP_ne: return truth(c, sym_known_ne(c, a, b), sym_known_eq(a, b));
	case OP_lt: return truth(c, sym_known_lt(c, a, b), sym_known_le(c, b, a));
	case OP_le: return truth(c, sym_known_le(c, a, b), sym_known_lt(c, b, a));
	case OP_gt: return truth(c, sym_known_lt(c, b, a), sym_known_le(c, a, b));
	case OP_ge: return truth(c, sym_known_le(c, b, a), sym_known_lt(c, a, b));
	default: return NULL;
	}
}

/* NULL: unknown. d is the operand type. */
static const Sym *elem_binary(Context *c, OpKind k, DType d, const Sym *a, const Sym *b)
{
	switch (k) {
	case OP_add: case OP_add_n: return sym_add(c, a, b);
	case OP_sub: return sym_sub(c, a, b);
	case OP_mul: return sym_mul(c, a, b);
	case OP_div: return elem_div(c, d, a, b);
	case OP_mod: return sym_is(b, 0) ? NULL : sym_mod(c, a, b);
	case OP_fmod: return sym_nonneg(a) && sym_lower(b) > 0 ? sym_mod(c, a, b) : NULL;
	case OP_pow: return elem_pow(c, a, b);
	case OP_min: case OP_min_n: return sym_min(c, a, b);
	case OP_max: case OP_max_n: return sym_max(c, a, b);
	case OP_and: case OP_or: case OP_xor: return elem_logic(c, k, a, b);
	default: return elem_compare(c, k, a, b);
	}
}

/* ---- whole ops through the evaluator ---- */

static Tensor *tensor_of_ints(EvalCtx *e, const Type *t, const int64_t *v, DType d)
{
	Shape s;
	if (!shape_of(t, &s))
		return NULL;
	Tensor *r = tensor_new(e, d, s.rank, s.dims);
	if (r)
		tensor_store_i64(r, 0, s.n, v);
	return r;
}

/* The operand as numbers: from facts, or from a small constant of any type. */
static Tensor *known_tensor(InferCtx *x, EvalCtx *e, const Value *v)
{
	int64_t n;
	const int64_t *ints = infer_ints(x, v, &n);
	if (ints)
		return tensor_of_ints(e, v->type, ints, v->type->dtype);
	const Attr *a = value_constant(v);
	if (a && a->kind == ATTR_TENSOR && type_static_numel(a->u.tensor.type, &n) && n <= x->max_elems)
		return tensor_from_attr(e, a);
	return NULL;
}

/* Runs the op on `in`; errors count as "not known". */
static bool run_quietly(InferCtx *x, EvalCtx *e, Op *op, Tensor *const *in, Tensor **out)
{
	Diags *keep = e->diags;
	Diags quiet;
	diags_init(&quiet, x->arena);
	e->diags = &quiet;
	bool ok = eval_op(e, op, in, out);
	e->diags = keep;
	return ok;
}

static const Elems *elems_of_tensor(InferCtx *x, const Tensor *t)
{
	if (t->kind != TYPE_TENSOR || t->count > x->max_elems || (is_float(t->dtype) && t->count > MAX_FLOAT_ELEMS))
		return NULL;
	const Sym **v;
	const Elems *e = elems_new(x, t->count, &v);
	for (int64_t i = 0; i < t->count; i++) {
		int64_t n = 0;
		if (is_float(t->dtype)) {
			double f = tensor_get_f64(t, i);
			if (!infer_float_fact(f))
				return NULL;
			n = (int64_t)f;
		} else {
			n = tensor_get_i64(t, i);
		}
		v[i] = t->dtype == DT_U64 && n < 0 ? sym_unknown_int(x->ctx) : sym_int(x->ctx, n);
	}
	return e;
}

static bool is_numeric(DType d)
{
	return d == DT_BOOL || dtype_is_integer(d) || is_float(d);
}

#define MAX_RUN_OPERANDS 64

static void run_init(InferCtx *x, EvalCtx *e)
{
	eval_init(e, x->ctx, x->diags);
	e->threads = 1;
}

/* All operands are numbers: any pure op is then computed, whatever it does. */
static void infer_by_value(InferCtx *x, Op *op)
{
	if (!op->def->eval || !op_is_pure(op) || op->nblocks || op->noperands > MAX_RUN_OPERANDS || op->noperands == 0 ||
			op->nresults > MAX_RUN_OPERANDS)
		return;
	for (size_t i = 0; i < op->noperands; i++) { /* cheap refusal first */
		const Value *v = op_operand(op, i);
		if (v && !infer_elems(x, v) && !value_constant(v))
			return;
	}
	EvalCtx e;
	run_init(x, &e);
	Tensor *in[MAX_RUN_OPERANDS] = { 0 }, *out[MAX_RUN_OPERANDS] = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < op->noperands; i++)
		if (op_operand(op, i))
			ok = (in[i] = known_tensor(x, &e, op_operand(op, i))) != NULL;
	if (ok && run_quietly(x, &e, op, in, out))
		for (size_t i = 0; i < op->nresults; i++)
			if (out[i] && is_numeric(out[i]->dtype) && out[i]->dtype == op->results[i]->type->dtype)
				infer_set_elems(x, op->results[i], elems_of_tensor(x, out[i]));
	eval_release(&e);
}

/* Bit mask of the operands whose elements an op moves around unread. */
static uint32_t moved_operands(const Op *op)
{
	switch (op_kind(op)) {
	case OP_concat: return UINT32_MAX;
	case OP_pad: return 1u | 1u << 2;
	case OP_scatter_elements: case OP_scatter_nd: return strcmp(op_text(op, A_reduction), "none") ? 0 : 1u | 1u << 2;
	case OP_tensor_scatter: return 1u | 1u << 1;
	case OP_compress: case OP_trilu: return 1u;
	default: return op->def->traits & TRAIT_MOVES ? 1u : 0;
	}
}

/* Symbols cannot pass through the evaluator, but their numbers can: elements are numbered from 1 on in a pool, the op moves
 * the numbers, and each result element tells which symbol it is; 0 is what padding fills in. */
static void infer_moves_elems(InferCtx *x, Op *op, uint32_t mask)
{
	if (op->noperands > MAX_RUN_OPERANDS || op->nresults > MAX_RUN_OPERANDS || !op->def->eval)
		return;
	VEC(const Sym *) pool = { 0 };
	VEC_PUSH(x->arena, &pool, sym_int(x->ctx, 0));
	EvalCtx e;
	run_init(x, &e);
	Tensor *in[MAX_RUN_OPERANDS] = { 0 }, *out[MAX_RUN_OPERANDS] = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (!v)
			continue;
		if (i >= 32 ? mask == UINT32_MAX : mask >> i & 1) {
			const Elems *f = infer_elems(x, v);
			int64_t *numbers = f ? NEW_ARRAY(x->arena, int64_t, f->n + 1) : NULL;
			for (int64_t k = 0; f && k < f->n; k++) {
				numbers[k] = (int64_t)pool.len;
				VEC_PUSH(x->arena, &pool, f->v[k]);
			}
			in[i] = f ? tensor_of_ints(&e, v->type, numbers, DT_I64) : NULL;
		} else {
			in[i] = known_tensor(x, &e, v);
		}
		ok = in[i] != NULL;
	}
	if (ok && run_quietly(x, &e, op, in, out)) {
		for (size_t r = 0; r < op->nresults; r++) {
			const Sym **v;
			const Elems *f = elems_new(x, out[r] ? out[r]->count : 0, &v);
			for (int64_t k = 0; k < f->n; k++)
				v[k] = pool.data[tensor_get_i64(out[r], k)];
			if (out[r])
				infer_set_elems(x, op->results[r], f);
		}
	}
	eval_release(&e);
}

/* ---- data movement that needs no evaluator ---- */

/* Where a single integer comes from, through ops that only give it another shape or a type that holds it. */
static Value *integer_root(Value *v)
{
	for (Op *op = v->def; op && op->noperands; op = v->def) {
		Value *from = op_operand(op, 0);
		int64_t n;
		bool same = op_is(op, OP_reshape) || op_is(op, OP_squeeze) || op_is(op, OP_unsqueeze) || op_is(op, OP_identity);
		bool wider = op_is(op, OP_cast) && from && dtype_class(from->type->dtype) == DC_INT &&
			dtype_class(v->type->dtype) == DC_INT && dtype_bits(from->type->dtype) <= dtype_bits(v->type->dtype);
		if ((!same && !wider) || !from || !type_static_numel(from->type, &n) || n != 1)
			break;
		v = from;
	}
	return v;
}

/* The facts of a single integer; where nothing is known a symbol is made, so that all who use the value see the same. */
static const Elems *one_element(InferCtx *x, Value *v)
{
	const Elems *e = infer_elems(x, v);
	if (e || !dtype_is_integer(v->type->dtype))
		return e;
	Value *root = integer_root(v);
	if (!infer_elems(x, root)) {
		const Sym **s;
		const Elems *fresh = elems_new(x, 1, &s);
		s[0] = sym_unknown_int(x->ctx);
		infer_set_elems(x, root, fresh);
	}
	infer_set_elems(x, v, infer_elems(x, root));
	return infer_elems(x, v);
}

/* Joins vectors (or any shapes, along axis 0); operands without facts give unknown elements. */
static bool concat_front(InferCtx *x, Op *op)
{
	int axis;
	const Type *t = op->results[0]->type;
	if (!axis_norm(op_int(op, A_axis), t->rank, &axis) || axis != 0)
		return false;
	int64_t n;
	if (!type_static_numel(t, &n))
		return false;
	const Sym **v;
	const Elems *e = elems_new(x, n, &v);
	int64_t at = 0;
	bool any = false;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *o = op_operand(op, i);
		int64_t count;
		if (!o || !type_static_numel(o->type, &count) || count > n - at)
			return true;
		const Elems *f = count == 1 ? one_element(x, op_operand(op, i)) : infer_elems(x, o);
		if (f && f->n != count)
			return true;
		for (int64_t k = 0; k < count; k++)
			v[at++] = f ? f->v[k] : sym_unknown_int(x->ctx);
		any |= f != NULL;
	}
	if (any && at == n)
		infer_set_elems(x, op->results[0], e);
	return true;
}

/* Picks from a vector by one known index, the most common of all. */
static bool gather_one(InferCtx *x, Op *op)
{
	const Elems *data = infer_elems(x, op_operand(op, 0)), *index = infer_elems(x, op_operand(op, 1));
	int64_t i;
	if (!data || op_operand(op, 0)->type->rank != 1 || !index || index->n != 1 || !sym_const(index->v[0], &i))
		return false;
	if (i < 0)
		i += data->n;
	if (i < 0 || i >= data->n)
		return true;
	const Sym **v;
	const Elems *e = elems_new(x, 1, &v);
	v[0] = data->v[i];
	infer_set_elems(x, op->results[0], e);
	return true;
}

static void infer_moves(InferCtx *x, Op *op, uint32_t mask)
{
	const Elems *f;
	switch (op_kind(op)) {
	case OP_identity: case OP_reshape: case OP_flatten: case OP_squeeze: case OP_unsqueeze:
		if ((f = infer_elems(x, op_operand(op, 0))) != NULL)
			infer_set_elems(x, op->results[0], f);
		return;
	case OP_concat:
		if (concat_front(x, op))
			return;
		break;
	case OP_gather:
		if (gather_one(x, op))
			return;
		break;
	default:
		break;
	}
	if (infer_elems(x, op_operand(op, 0)))
		infer_moves_elems(x, op, mask);
}

/* ---- elementwise ---- */

/* c = n / 2^m with small m: the quotient that exporters write as a multiplication. */
static bool as_fraction(double c, int64_t *num, int64_t *den)
{
	for (int m = 0; m <= 20; m++) {
		double scaled = c * (double)((int64_t)1 << m);
		if (scaled == (double)(int64_t)scaled && scaled > 0 && scaled < 1048576.0) {
			*num = (int64_t)scaled;
			*den = (int64_t)1 << m;
			return true;
		}
	}
	return false;
}

/* floor, ceil or truncation of a float quotient: a / b with b > 0 known, or a * (n / 2^m). Exact for a, b < 2^24: the
 * quotient is then either an integer or too far from one to be rounded to it. */
static const Elems *rounded_quotient(InferCtx *x, const Op *op, const Shape *r)
{
	const Value *v = op_operand(op, 0);
	Op *div = def_of(v, OP_div), *mul = def_of(v, OP_mul);
	const Op *src = div ? div : mul;
	View a, b = { 0 };
	int64_t num = 1, den = 1;
	double scale;
	if (!src || (v->type->dtype != DT_F32 && v->type->dtype != DT_F64))
		return NULL;
	if (div) {
		if (!view_of(x, op_operand(src, 0), r, &a) || !view_of(x, op_operand(src, 1), r, &b))
			return NULL;
	} else {
		int which = constant_float(op_operand(src, 1), &scale) ? 0 : 1;
		if (which == 1 && !constant_float(op_operand(src, 0), &scale))
			return NULL;
		if (!as_fraction(scale, &num, &den) || !view_of(x, op_operand(src, (size_t)which), r, &a))
			return NULL;
	}
	Context *c = x->ctx;
	const Sym **out;
	const Elems *e = elems_new(x, r->n, &out);
	for (int64_t i = 0; i < r->n; i++) {
		const Sym *n = sym_mul(c, view_at(&a, r, i), sym_int(c, num));
		const Sym *d = div ? view_at(&b, r, i) : sym_int(c, den);
		bool down = op_is(op, OP_floor) || sym_nonneg(n);
		if (sym_lower(d) <= 0 || (op_is(op, OP_cast) && !down))
			out[i] = sym_unknown_int(c);
		else
			out[i] = op_is(op, OP_ceil) ? sym_ceildiv(c, n, d) : sym_floordiv(c, n, d);
	}
	return e;
}

static const Elems *cast_elems(InferCtx *x, const Op *op, const Shape *r)
{
	DType to = op->results[0]->type->dtype, from = op_operand(op, 0)->type->dtype;
	View a;
	Context *c = x->ctx;
	if (!view_of(x, op_operand(op, 0), r, &a))
		return is_float(from) && dtype_is_integer(to) ? rounded_quotient(x, op, r) : NULL;
	if (is_float(to) && to != DT_F32 && to != DT_F64)
		return NULL;
	const Sym **out;
	const Elems *e = elems_new(x, r->n, &out);
	for (int64_t i = 0; i < r->n; i++) {
		const Sym *s = view_at(&a, r, i);
		if (to == DT_BOOL)
			out[i] = from == DT_BOOL ? s : elem_compare(c, OP_ne, s, sym_int(c, 0));
		else if (is_float(from) && dtype_is_integer(to)) /* out of range is undefined: leave it to the run */
			out[i] = fit(c, to, s) == s ? s : sym_unknown_int(c);
		else
			out[i] = fit(c, to, s);
	}
	return e;
}

/* Only the side that the condition picks needs to be known. */
static const Elems *select_elems(InferCtx *x, const Op *op, const Shape *r)
{
	View cond, a, b;
	bool know_a = view_of(x, op_operand(op, 1), r, &a), know_b = view_of(x, op_operand(op, 2), r, &b);
	bool know_cond = view_of(x, op_operand(op, 0), r, &cond);
	if (!know_a && !know_b)
		return NULL;
	const Sym **out;
	const Elems *e = elems_new(x, r->n, &out);
	bool any = false;
	for (int64_t i = 0; i < r->n; i++) {
		int64_t which = -1;
		if (know_cond)
			(void)sym_const(view_at(&cond, r, i), &which);
		const Sym *sa = know_a ? view_at(&a, r, i) : NULL, *sb = know_b ? view_at(&b, r, i) : NULL;
		out[i] = which > 0 ? sa : which == 0 ? sb : sa == sb ? sa : NULL;
		any |= out[i] != NULL;
		if (!out[i])
			out[i] = sym_unknown_int(x->ctx);
	}
	return any ? e : NULL;
}

static const Elems *fold_elems(InferCtx *x, const Op *op, const Shape *r)
{
	Context *c = x->ctx;
	DType from = op_operand(op, 0) ? op_operand(op, 0)->type->dtype : DT_NONE;
	DType to = op->results[0]->type->dtype;
	const Sym **out;
	const Elems *e = elems_new(x, r->n, &out);
	for (size_t k = 0; k < op->noperands; k++) {
		View v;
		if (!view_of(x, op_operand(op, k), r, &v))
			return NULL;
		for (int64_t i = 0; i < r->n; i++) {
			const Sym *s = view_at(&v, r, i);
			if (k == 0)
				out[i] = op->noperands == 1 ? elem_unary(c, op_kind(op), s) : s;
			else if (out[i])
				out[i] = elem_binary(c, op_kind(op), from, out[i], s);
		}
	}
	for (int64_t i = 0; i < r->n; i++)
		out[i] = fit(c, to, out[i]);
	return e;
}

static const Elems *clamp_elems(InferCtx *x, const Op *op, const Shape *r)
{
	Context *c = x->ctx;
	View v, lo, hi;
	const Value *min = op_operand(op, 1), *max = op_operand(op, 2);
	if (!view_of(x, op_operand(op, 0), r, &v) || (min && !view_of(x, min, r, &lo)) || (max && !view_of(x, max, r, &hi)))
		return NULL;
	const Sym **out;
	const Elems *e = elems_new(x, r->n, &out);
	for (int64_t i = 0; i < r->n; i++) {
		out[i] = view_at(&v, r, i);
		if (min)
			out[i] = sym_max(c, out[i], view_at(&lo, r, i));
		if (max)
			out[i] = sym_min(c, out[i], view_at(&hi, r, i));
		out[i] = fit(c, op->results[0]->type->dtype, out[i]);
	}
	return e;
}

static bool folds_symbolically(const Op *op)
{
	switch (op_kind(op)) {
	case OP_abs: case OP_neg: case OP_sign: case OP_ceil: case OP_floor: case OP_round: case OP_round_away: case OP_relu:
	case OP_not: case OP_bit_not: case OP_isnan: case OP_isinf: case OP_isfinite:
		return op->noperands == 1;
	case OP_add: case OP_sub: case OP_mul: case OP_div: case OP_mod: case OP_fmod: case OP_pow: case OP_min: case OP_max:
	case OP_and: case OP_or: case OP_xor: case OP_eq: case OP_ne: case OP_lt: case OP_le: case OP_gt: case OP_ge:
		return op->noperands == 2;
	case OP_add_n: case OP_min_n: case OP_max_n:
		return op->noperands > 0;
	default:
		return false;
	}
}

bool elems_are_numbers(const Elems *e)
{
	int64_t v;
	for (int64_t i = 0; i < e->n; i++)
		if (!sym_const(e->v[i], &v))
			return false;
	return true;
}

void infer_elementwise_elems(InferCtx *x, Op *op)
{
	Shape r;
	if (op->nresults != 1 || !shape_of(op->results[0]->type, &r) || r.n > x->max_elems)
		return;
	const Elems *e = NULL;
	if (op_is(op, OP_cast))
		e = cast_elems(x, op, &r);
	else if (op_is(op, OP_select))
		e = select_elems(x, op, &r);
	else if (op_is(op, OP_clamp))
		e = clamp_elems(x, op, &r);
	else if (folds_symbolically(op))
		e = fold_elems(x, op, &r);
	if (!e && (op_is(op, OP_floor) || op_is(op, OP_ceil)))
		e = rounded_quotient(x, op, &r);
	infer_set_elems(x, op->results[0], e);
	if (!e || !elems_are_numbers(e))
		infer_by_value(x, op);
}

/* ---- reductions ---- */

static bool reduced_axes(const Op *op, int rank, bool *reduced)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	for (int d = 0; d < rank; d++)
		reduced[d] = op_attr(op, A_axes) == NULL;
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!axis_norm(axes[i], rank, &d))
			return false;
		reduced[d] = true;
	}
	return true;
}

static OpKind reduce_step(const Op *op)
{
	const char *kind = op_text(op, A_kind);
	static const struct { const char *kind; OpKind step; } steps[] = {
		{ "sum", OP_add }, { "prod", OP_mul }, { "min", OP_min }, { "max", OP_max }, { "and", OP_and }, { "or", OP_or },
	};
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (!strcmp(kind, steps[i].kind))
			return steps[i].step;
	return OP_UNKNOWN;
}

/* Folds each element into the result element that it reduces to; an empty range has the value of the evaluator. */
void infer_reduce_elems(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Elems *in = infer_elems(x, v);
	Shape s, r;
	bool reduced[MAX_RANK];
	OpKind step = reduce_step(op);
	Value *y = op->results[0];
	if (!in || step == OP_UNKNOWN || !shape_of(v->type, &s) || s.n != in->n || !shape_of(y->type, &r) || r.n > x->max_elems ||
			s.n == 0 || !reduced_axes(op, s.rank, reduced)) {
		infer_by_value(x, op);
		return;
	}
	int64_t steps[MAX_RANK], at = 1;
	for (int d = s.rank - 1; d >= 0; d--) {
		steps[d] = reduced[d] ? 0 : at;
		at *= reduced[d] ? 1 : s.dims[d];
	}
	if (at != r.n)
		return;
	const Sym **out;
	const Elems *e = elems_new(x, r.n, &out);
	bool *seen = NEW_ARRAY(x->arena, bool, r.n + 1);
	for (int64_t i = 0; i < s.n; i++) {
		int64_t to = 0, rest = i;
		for (int d = s.rank - 1; d >= 0; d--) {
			to += rest % s.dims[d] * steps[d];
			rest /= s.dims[d];
		}
		if (!seen[to])
			out[to] = in->v[i];
		else if (out[to])
			out[to] = elem_binary(x->ctx, step, v->type->dtype, out[to], in->v[i]);
		seen[to] = true;
	}
	for (int64_t i = 0; i < r.n; i++)
		out[i] = fit(x->ctx, y->type->dtype, out[i]);
	infer_set_elems(x, y, e);
}

/* Running sum of a vector. */
static void infer_cumsum_elems(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Elems *in = infer_elems(x, v);
	if (!in || v->type->rank != 1) {
		infer_by_value(x, op);
		return;
	}
	bool exclusive = op_int(op, A_exclusive) != 0, reverse = op_int(op, A_reverse) != 0;
	const Sym **out;
	const Elems *e = elems_new(x, in->n, &out);
	const Sym *sum = sym_int(x->ctx, 0);
	for (int64_t k = 0; k < in->n; k++) {
		int64_t i = reverse ? in->n - 1 - k : k;
		const Sym *next = sym_add(x->ctx, sum, in->v[i]);
		out[i] = fit(x->ctx, v->type->dtype, exclusive ? sum : next);
		sum = next;
	}
	infer_set_elems(x, op->results[0], e);
}

/* ---- dispatch ---- */

static bool may_carry(const InferCtx *x, const Type *t)
{
	int64_t n;
	if (!type_has_rank(t) || !is_numeric(t->dtype) || !type_static_numel(t, &n))
		return false;
	return n <= (is_float(t->dtype) ? MAX_FLOAT_ELEMS : x->max_elems);
}

void infer_facts(InferCtx *x, Op *op)
{
	if (op->nresults == 0 || op->noperands == 0 || !may_carry(x, op->results[0]->type))
		return;
	const Elems *have = op->nresults == 1 ? infer_elems(x, op->results[0]) : NULL;
	if (have && elems_are_numbers(have))
		return; /* nothing can become better */
	const Value *first = op_operand(op, 0);
	if (is_float(op->results[0]->type->dtype) && first && is_float(first->type->dtype) && !infer_elems(x, first) &&
			!op_is(op, OP_floor) && !op_is(op, OP_ceil) && !op_is(op, OP_select))
		return;
	uint32_t mask = moved_operands(op);
	if (op->def->traits & TRAIT_ELTWISE)
		infer_elementwise_elems(x, op);
	else if (mask)
		infer_moves(x, op, mask);
	else if (op_is(op, OP_reduce))
		infer_reduce_elems(x, op);
	else if (op_is(op, OP_cumsum))
		infer_cumsum_elems(x, op);
	else
		infer_by_value(x, op);
}
