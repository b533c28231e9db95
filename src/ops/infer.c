#include "eval_int.h"
#include "move.h"
#include "ops/label.h"

#include <math.h>
#include <string.h>

#define DEFAULT_MAX_ELEMS 4096
#define MAX_FLOAT_ELEMS 64       /* float tensors with facts are scales and sizes, never weights */
#define MAX_HINTS 3              /* a model with one stale shape often has hundreds */
#define EXACT_F32 16777216.0     /* integers up to 2^24 are exact in f32 */

enum {
	MARK_COMPUTED = 1, /* the type comes from inference, not from a declaration */
	MARK_WARNED = 2
};

void infer_init(InferCtx *x, Module *m, Arena *a, Diags *d)
{
	*x = (InferCtx){ .ctx = m->ctx, .module = m, .arena = a, .diags = d, .hints = d, .max_elems = DEFAULT_MAX_ELEMS };
	map_init(&x->broadcasts, a);
	map_init(&x->broadcast_parts, a);
}

static void *grow(Arena *a, const void *old, uint32_t have, uint32_t want, size_t elem)
{
	void *fresh = arena_alloc_array(a, elem, want);
	if (have)
		memcpy(fresh, old, have * elem);
	return fresh;
}

/* Makes the side arrays cover value id `id`; ids grow while rewriting. */
static void cover_value(InferCtx *x, uint32_t id)
{
	if (id < x->nelems)
		return;
	uint32_t want = x->module->next_value > id ? x->module->next_value : id + 1;
	want += want / 2 + 64;
	x->elems = grow(x->arena, x->elems, x->nelems, want, sizeof(*x->elems));
	x->value_marks = grow(x->arena, x->value_marks, x->nelems, want, 1);
	x->nelems = want;
}

static void cover_op(InferCtx *x, uint32_t id)
{
	if (id < x->nop_marks)
		return;
	uint32_t want = x->module->next_op > id ? x->module->next_op : id + 1;
	want += want / 2 + 64;
	x->op_marks = grow(x->arena, x->op_marks, x->nop_marks, want, 1);
	x->nop_marks = want;
}

uint8_t *infer_op_mark(InferCtx *x, const Op *op)
{
	cover_op(x, op->id);
	return &x->op_marks[op->id];
}

/* ---- messages ---- */

bool infer_error(InferCtx *x, const Op *op, const char *fmt, ...)
{
	cover_op(x, op->id);
	if (x->op_marks[op->id] & MARK_WARNED) /* an op is inferred often: one complaint is enough */
		return false;
	x->op_marks[op->id] |= MARK_WARNED;
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(x->arena, fmt, ap);
	va_end(ap);
	if (x->strict && !x->maybe) {
		diag_error(x->diags, HONE_BAD_INPUT, op->loc, "%s%s", op_label(x->arena, op), text);
		op_hint(x->diags, HONE_BAD_INPUT, op, false);
		return false;
	}
	diag_warn(x->diags, op->loc, "%s%s", op_label(x->arena, op), text);
	return false;
}

static void warn_conflict(InferCtx *x, const Op *op, const Value *v, const Type *computed)
{
	if ((x->value_marks[v->id] & MARK_WARNED) || x->nhints >= MAX_HINTS)
		return;
	x->value_marks[v->id] |= MARK_WARNED;
	x->nhints++;
	Buf said = { 0 }, is = { 0 };
	type_print(v->type, &said);
	type_print(computed, &is);
	const char *name = v->name ? quote(x->arena, v->name->s, v->name->len) : "a result";
	diag_warn(x->hints, op->loc, "%s%s is declared as %s but is %s", op_label(x->arena, op), name, said.data, is.data);
	buf_free(&said);
	buf_free(&is);
}

/* ---- types ---- */

static void note_vague(void *arg, const Sym *symbol)
{
	if (sym_is_unknown(symbol))
		*(bool *)arg = true;
}

bool infer_is_vague(const Sym *s)
{
	bool vague = false;
	int64_t v;
	if (!sym_const(s, &v))
		sym_symbols(s, note_vague, &vague);
	return vague;
}

/* The size to believe when inference says t and the model declared d. */
static const Sym *settle_dim(const Sym *t, const Sym *d, bool *conflict)
{
	int64_t a, b;
	if (t == d)
		return t;
	if (sym_const(t, &a)) {
		if (sym_const(d, &b))
			*conflict = true;
		return t;
	}
	return infer_is_vague(t) && !infer_is_vague(d) ? d : t;
}

/* A declaration is a hint: it fills in what inference leaves open, and loses against what is certain. */
static const Type *settle(InferCtx *x, const Type *t, const Type *declared, bool *conflict)
{
	if (declared->kind == TYPE_UNKNOWN || t == declared)
		return t;
	if (t->kind != TYPE_TENSOR || declared->kind != TYPE_TENSOR)
		return type_refine(x->ctx, t, declared, conflict);
	Type r = *t;
	if (r.dtype == DT_NONE)
		r.dtype = declared->dtype;
	else if (declared->dtype != DT_NONE && declared->dtype != r.dtype)
		*conflict = true;
	if (!r.text && r.dtype == declared->dtype)
		r.text = declared->text;
	if (r.rank < 0) {
		r.rank = declared->rank;
		r.dims = declared->dims;
	} else if (declared->rank >= 0 && declared->rank != r.rank) {
		*conflict = true;
	} else if (declared->rank > 0) {
		const Sym **dims = NEW_ARRAY(x->arena, const Sym *, r.rank);
		for (int i = 0; i < r.rank; i++)
			dims[i] = settle_dim(t->dims[i], declared->dims[i], conflict);
		r.dims = dims;
	}
	return type_make(x->ctx, r);
}

static const Type *combine(InferCtx *x, const Op *op, Value *v, const Type *t)
{
	bool conflict = false;
	const Type *n;
	if (x->value_marks[v->id] & MARK_COMPUTED) {
		n = type_refine(x->ctx, v->type, t, &conflict);
		if (conflict)
			n = type_refine(x->ctx, t, v->type, &conflict);
	} else {
		n = settle(x, t, v->type, &conflict);
		x->value_marks[v->id] |= MARK_COMPUTED;
	}
	if (conflict && op)
		warn_conflict(x, op, v, t);
	return n;
}

static void refine_value(InferCtx *x, const Op *op, Value *v, const Type *t)
{
	if (!t || t->kind == TYPE_UNKNOWN)
		return;
	if (t->kind == TYPE_TENSOR && t->rank > MAX_RANK) /* as readers refuse it; whoever has to run it will say so */
		t = type_tensor(x->ctx, t->dtype, RANK_UNKNOWN, NULL);
	cover_value(x, v->id);
	if (v->type == t) {
		x->value_marks[v->id] |= MARK_COMPUTED;
		return;
	}
	const Type *n = combine(x, op, v, t);
	if (n != v->type) {
		value_set_type(v, n);
		x->changed = true;
	}
}

void infer_result(InferCtx *x, Op *op, size_t i, const Type *t)
{
	Value *v = op_result(op, i);
	if (v)
		refine_value(x, op, v, t);
}

void infer_set_arg(InferCtx *x, Value *arg, const Type *t)
{
	refine_value(x, NULL, arg, t);
}

void infer_forget(InferCtx *x, const Value *v)
{
	if (v->id >= x->nelems)
		return;
	x->elems[v->id] = NULL;
	x->value_marks[v->id] &= (uint8_t)~MARK_COMPUTED;
}

const Sym *infer_unknown(InferCtx *x, const Op *op, size_t i, int d)
{
	const Value *v = op_result(op, i);
	if (v && type_has_rank(v->type) && d < v->type->rank)
		return v->type->dims[d];
	return sym_unknown(x->ctx);
}

bool infer_static_dims(const Type *t, int64_t *dims)
{
	return type_has_rank(t) && t->rank <= MAX_RANK && type_static_dims(t, dims);
}

/* ---- broadcasting ---- */

const Sym *const *infer_broadcast_parts(const InferCtx *x, const Sym *s)
{
	return (const Sym *const *)map_get(&x->broadcast_parts, MAP_PTR(s));
}

/* s = broadcast(part, ...): a broadcast of both is s. */
static bool is_part_of(const InferCtx *x, const Sym *part, const Sym *s)
{
	const Sym *const *p = infer_broadcast_parts(x, s);
	return p && (p[0] == part || p[1] == part);
}

/* A size that is a function of a and b but cannot be written down: one symbol for each pair, so that equal broadcasts
 * stay equal. */
static const Sym *broadcast_symbol(InferCtx *x, const Sym *a, const Sym *b)
{
	if (MAP_PTR(a) > MAP_PTR(b)) {
		const Sym *t = a;
		a = b;
		b = t;
	}
	Map **inner = (Map **)map_slot(&x->broadcasts, MAP_PTR(a));
	if (!*inner) {
		*inner = NEW(x->arena, Map);
		map_init(*inner, x->arena);
	}
	const Sym **s = (const Sym **)map_slot(*inner, MAP_PTR(b));
	if (!*s) {
		const Sym **parts = NEW_ARRAY(x->arena, const Sym *, 2);
		*s = sym_unknown(x->ctx);
		parts[0] = a;
		parts[1] = b;
		map_put(&x->broadcast_parts, MAP_PTR(*s), parts);
	}
	return *s;
}

/* b = min(a, n) with n >= 2, as slices of position tables have it: b is 1 only where a is, so that a valid broadcast of
 * both is a. */
static bool is_cut_of(Context *c, const Sym *b, const Sym *a)
{
	int64_t n = sym_upper(b);
	return n >= 2 && n < INT64_MAX && sym_min(c, a, sym_int(c, n)) == b;
}

/* Either size is 1 or both agree: a size that cannot be 1 is the result. */
const Sym *infer_broadcast_dim(InferCtx *x, const Op *op, const Sym *a, const Sym *b, bool *ok)
{
	int64_t ca, cb;
	bool ka = sym_const(a, &ca), kb = sym_const(b, &cb);
	(void)op;
	if (a == b || (kb && cb == 1))
		return a;
	if (ka && ca == 1)
		return b;
	if (ka && kb) {
		*ok = false;
		return a;
	}
	if (ka)
		return a;
	if (kb)
		return b;
	const Sym *one = sym_int(x->ctx, 1);
	if (sym_known_ne(x->ctx, a, one))
		return a;
	if (sym_known_ne(x->ctx, b, one))
		return b;
	if (is_cut_of(x->ctx, b, a))
		return a;
	if (is_cut_of(x->ctx, a, b))
		return b;
	if (is_part_of(x, a, b))
		return b;
	if (is_part_of(x, b, a))
		return a;
	return broadcast_symbol(x, a, b);
}

const Type *infer_broadcast(InferCtx *x, const Op *op, DType dtype, const Type *const *types, size_t n, bool *ok)
{
	int rank = 0;
	*ok = true;
	for (size_t i = 0; i < n; i++) {
		if (!type_has_rank(types[i]))
			return NULL;
		if (types[i]->rank > rank)
			rank = types[i]->rank;
	}
	if (n == 1)
		return type_with_dtype(x->ctx, types[0], dtype);
	const Sym *small[MAX_RANK];
	const Sym **dims = rank <= MAX_RANK ? small : NEW_ARRAY(x->arena, const Sym *, rank);
	for (int d = 0; d < rank; d++)
		dims[d] = sym_int(x->ctx, 1);
	for (size_t i = 0; i < n; i++)
		for (int d = 0, at = rank - types[i]->rank; d < types[i]->rank; d++)
			dims[at + d] = infer_broadcast_dim(x, op, dims[at + d], types[i]->dims[d], ok);
	return type_tensor(x->ctx, dtype, rank, dims);
}

/* ---- element facts: storage ---- */

/* How much is known of an element; facts only move up. */
static int sym_level(const Sym *s)
{
	int64_t v;
	if (sym_const(s, &v))
		return 3;
	if (sym_is_unknown(s))
		return 0;
	return infer_is_vague(s) ? 1 : 2;
}

static const Elems *elems_of_ints(InferCtx *x, const int64_t *v, size_t n, DType d)
{
	const Sym **s = NEW_ARRAY(x->arena, const Sym *, n + 1);
	for (size_t i = 0; i < n; i++)
		s[i] = d == DT_U64 && v[i] < 0 ? sym_unknown_int(x->ctx) : sym_int(x->ctx, v[i]);
	Elems *e = NEW(x->arena, Elems);
	*e = (Elems){ (int64_t)n, s };
	return e;
}

bool infer_float_fact(double f)
{
	return f >= -EXACT_F32 && f <= EXACT_F32 && f == (double)(int64_t)f && !(f == 0 && signbit(f));
}

static const Elems *elems_of_constant(InferCtx *x, const Value *v)
{
	const Attr *t = value_constant(v);
	int64_t count;
	size_t n;
	if (!t || t->kind != ATTR_TENSOR || !type_static_numel(t->u.tensor.type, &count))
		return NULL;
	DType d = t->u.tensor.type->dtype;
	if (d == DT_BOOL || dtype_is_integer(d)) {
		if (count > x->max_elems)
			return NULL;
		const int64_t *ints = constant_ints(x->arena, v, (size_t)x->max_elems + 1, &n);
		return ints ? elems_of_ints(x, ints, n, d) : NULL;
	}
	if ((d != DT_F32 && d != DT_F64) || count > MAX_FLOAT_ELEMS)
		return NULL;
	const double *f = constant_floats(x->arena, v, MAX_FLOAT_ELEMS, &n);
	int64_t ints[MAX_FLOAT_ELEMS];
	for (size_t i = 0; f && i < n; i++) {
		if (!infer_float_fact(f[i]))
			return NULL;
		ints[i] = (int64_t)f[i];
	}
	return f ? elems_of_ints(x, ints, n, d) : NULL;
}

const Elems *infer_elems(InferCtx *x, const Value *v)
{
	if (!v)
		return NULL;
	if (v->id < x->nelems && x->elems[v->id])
		return x->elems[v->id];
	if (!value_is_constant(v))
		return NULL;
	const Elems *e = elems_of_constant(x, v);
	if (e) {
		cover_value(x, v->id);
		x->elems[v->id] = e;
	}
	return e;
}

static bool any_unknown(const Elems *e)
{
	for (int64_t i = 0; i < e->n; i++)
		if (sym_is_unknown(e->v[i]))
			return true;
	return false;
}

/* Facts only improve: of two facts about an element the better one stays, and of equally good ones the older, so that
 * repeated inference comes to rest. */
void infer_set_elems(InferCtx *x, Value *v, const Elems *e)
{
	if (!e || (dtype_is_float(v->type->dtype) && any_unknown(e))) /* a float that is not known need not be an integer */
		return;
	cover_value(x, v->id);
	const Elems *old = x->elems[v->id];
	if (old == e)
		return;
	if (!old || old->n != e->n) {
		x->elems[v->id] = e;
		x->changed = true;
		return;
	}
	const Sym **merged = NULL;
	for (int64_t i = 0; i < e->n; i++) {
		if (old->v[i] == e->v[i] || sym_level(e->v[i]) <= sym_level(old->v[i]))
			continue;
		if (!merged)
			merged = arena_dup(x->arena, old->v, (size_t)e->n * sizeof(*merged));
		merged[i] = e->v[i];
	}
	if (!merged)
		return;
	Elems *m = NEW(x->arena, Elems);
	*m = (Elems){ e->n, merged };
	x->elems[v->id] = m;
	x->changed = true;
}

const int64_t *infer_ints(InferCtx *x, const Value *v, int64_t *n)
{
	const Elems *e = infer_elems(x, v);
	if (!e)
		return NULL;
	int64_t *ints = NEW_ARRAY(x->arena, int64_t, e->n + 1);
	for (int64_t i = 0; i < e->n; i++)
		if (!sym_const(e->v[i], &ints[i]))
			return NULL;
	*n = e->n;
	return ints;
}

/* ---- ops ---- */

/* The infer functions of control flow look after their blocks themselves; blocks of other ops are inferred as they stand. */
bool infer_op(InferCtx *x, Op *op)
{
	if (op->def->infer) {
		if (!op->def->infer(x, op))
			return false;
		if (!(op->def->traits & TRAIT_REGIONS) && !op_is(op, OP_call))
			infer_facts(x, op);
		return true;
	}
	size_t a, b;
	if (!onnx_types_agree(op, &a, &b))
		return infer_error(x, op, "operands %zu and %zu have the types %s and %s, expected the same", a, b,
			dtype_friendly_name(op_operand(op, a)->type->dtype), dtype_friendly_name(op_operand(op, b)->type->dtype));
	bool ok = true;
	for (size_t i = 0; i < op->nblocks; i++)
		ok &= infer_block(x, op->blocks[i]);
	return ok;
}

/* What has the type of its first operand and axes that must exist there. A scalar counts as one axis. */
bool infer_along_axis(InferCtx *x, Op *op)
{
	static const AttrName names[] = { A_axis, A_batch_axis, A_time_axis };
	int rank = value_rank(op_operand(op, 0)), d;
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	if (rank < 0)
		return infer_identity(x, op);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!infer_axis(x, op, op_int(op, names[i]), rank ? rank : 1, &d))
			return false;
	for (size_t i = 0; i < n; i++)
		if (!infer_axis(x, op, axes[i], rank ? rank : 1, &d))
			return false;
	return infer_identity(x, op);
}

bool infer_identity(InferCtx *x, Op *op)
{
	Value *v = op_operand(op, 0);
	if (v)
		infer_result(x, op, 0, v->type);
	return true;
}
