/* Contractions with free roles of dims: dot_general and einsum, on one machinery of labelled views. */
#include "ops/gemm.h"

#include <string.h>

/* A label names an index of the sum. Letters come first; ellipsis dims get the last ones, aligned to the right. */
enum { LETTERS = 52, MAX_LABELS = LETTERS + MAX_RANK };

typedef struct Term { /* labels of one operand's (or the result's) dims */
	int n;
	int label[MAX_RANK];
} Term;

/* ---- equations ---- */

static int letter_label(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A'; /* upper case sorts first */
	return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

typedef struct Equation {
	const char *left, *left_end;
	const char *right, *right_end; /* NULL: implicit result */
} Equation;

static Equation equation_split(const Str *text)
{
	Equation q = {.left = text->s, .left_end = text->s + text->len};
	for (const char *p = q.left; p + 1 < q.left_end; p++)
		if (p[0] == '-' && p[1] == '>') {
			q.right = p + 2;
			q.right_end = q.left_end;
			q.left_end = p;
			break;
		}
	return q;
}

static size_t equation_terms(const Equation *q)
{
	size_t n = 1;
	for (const char *p = q->left; p < q->left_end; p++)
		n += *p == ',';
	return n;
}

/* Text of the i-th operand's term. */
static void equation_term(const Equation *q, size_t i, const char **s, const char **end)
{
	*s = q->left;
	for (const char *p = q->left; p < q->left_end && i > 0; p++)
		if (*p == ',') {
			*s = p + 1;
			i--;
		}
	for (*end = *s; *end < q->left_end && **end != ','; ++*end)
		;
}

/* Labels of a term for an operand of this rank (RANK_UNKNOWN: as many as there are letters; with an ellipsis then *open
 * is set and the term is unusable). NULL, or what is wrong. For the result pass the ellipsis size as `dots` and rank
 * -1. */
static const char *term_parse(const char *s, const char *end, int rank, int dots, Term *t, bool *open)
{
	int letters = 0;
	*open = false;
	for (const char *p = s; p < end; p++)
		letters += letter_label(*p) >= 0;
	if (dots < 0 && rank >= 0)
		dots = rank - letters;
	bool seen = false;
	t->n = 0;
	for (const char *p = s; p < end; p++) {
		if (*p == ' ')
			continue;
		int label = letter_label(*p);
		if (label >= 0) {
			if (t->n == MAX_RANK)
				return "a term of the equation is too long";
			t->label[t->n++] = label;
			continue;
		}
		if (end - p < 3 || strncmp(p, "...", 3) != 0 || seen)
			return "the equation has an unexpected character or a second ellipsis in a term";
		seen = true;
		p += 2;
		if (dots < 0 && rank < 0) {
			*open = true;
			continue;
		}
		if (dots < 0)
			return "a term of the equation has more letters than its operand has dimensions";
		for (int i = 0; i < dots; i++) {
			if (t->n == MAX_RANK)
				return "a term of the equation is too long";
			t->label[t->n++] = LETTERS + MAX_RANK - dots + i;
		}
	}
	if (rank >= 0 && t->n != rank)
		return "a term of the equation does not have as many letters as its operand has dimensions";
	return NULL;
}

static bool term_has(const Term *t, int label)
{
	for (int i = 0; i < t->n; i++)
		if (t->label[i] == label)
			return true;
	return false;
}

/* Result labels. count: how often each label occurs among the operands; dots: size of the widest ellipsis. */
static const char *result_term(const Equation *q, const int *count, int dots, Term *out)
{
	bool open;
	out->n = 0;
	if (q->right) {
		const char *wrong = term_parse(q->right, q->right_end, RANK_UNKNOWN, dots, out, &open);
		if (wrong)
			return wrong;
		for (int i = 0; i < out->n; i++) {
			if (!count[out->label[i]])
				return "a label of the result occurs in no operand";
			for (int j = 0; j < i; j++)
				if (out->label[j] == out->label[i])
					return "a label occurs twice in the result";
		}
		return NULL;
	}
	for (int l = LETTERS; l < MAX_LABELS; l++)
		if (count[l])
			out->label[out->n++] = l;
	for (int l = 0; l < LETTERS; l++)
		if (count[l] == 1) {
			if (out->n == MAX_RANK)
				return "the result has too many dimensions";
			out->label[out->n++] = l;
		}
	return NULL;
}

static int term_dots(const Term *t)
{
	int n = 0;
	for (int i = 0; i < t->n; i++)
		n += t->label[i] >= LETTERS;
	return n;
}

/* ---- inference ---- */

/* Adds the dims of operand i to the size of each label. */
static bool infer_labels(InferCtx *x, const Op *op, const Value *v, const Term *t, const Sym **size, int *count)
{
	for (int d = 0; d < t->n; d++) {
		int l = t->label[d];
		const Sym *s = value_rank(v) < 0 ? NULL : v->type->dims[d];
		bool ok = true;
		count[l]++;
		if (!s)
			continue;
		size[l] = size[l] ? infer_broadcast_dim(x, op, size[l], s, &ok) : s;
		if (!ok)
			return infer_error(x, op, "a label of the equation stands for dimensions of different sizes");
	}
	return true;
}

bool infer_einsum(InferCtx *x, Op *op)
{
	const Str *text = op_attr_str(op, A_equation);
	const Sym *size[MAX_LABELS] = {0};
	int count[MAX_LABELS] = {0}, dots = 0;
	bool partly_unknown[MAX_LABELS] = {0}, open_any = false;
	DType dtype = DT_NONE;
	if (!text)
		return infer_error(x, op, "an einsum needs an equation");
	Equation q = equation_split(text);
	if (equation_terms(&q) != op->noperands)
		return infer_error(
			x, op, "the equation has %zu terms for %u operands", equation_terms(&q), (unsigned)op->noperands);
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		const char *s, *end;
		Term t;
		bool open;
		equation_term(&q, i, &s, &end);
		if (value_rank(v) > MAX_RANK)
			return true;
		const char *wrong = term_parse(s, end, value_rank(v), -1, &t, &open);
		if (wrong)
			return infer_error(x, op, "%s", wrong);
		if (dtype == DT_NONE)
			dtype = value_dtype(v);
		open_any = open_any || open;
		if (value_rank(v) < 0)
			for (int d = 0; d < t.n; d++)
				partly_unknown[t.label[d]] = true;
		if (!infer_labels(x, op, v, &t, size, count))
			return false;
		if (term_dots(&t) > dots)
			dots = term_dots(&t);
	}
	if (open_any)
		return infer_tensor(x, op, 0, dtype, RANK_UNKNOWN, NULL);
	Term out;
	const char *wrong = result_term(&q, count, dots, &out);
	if (wrong)
		return infer_error(x, op, "%s", wrong);
	const Sym *dims[MAX_RANK];
	for (int d = 0; d < out.n; d++) {
		dims[d] = size[out.label[d]];
		/* A size of 1 may still be stretched by the operand that is not known. */
		if (!dims[d] || (partly_unknown[out.label[d]] && sym_lower(dims[d]) <= 1))
			dims[d] = infer_unknown(x, op, 0, d);
	}
	return infer_tensor(x, op, 0, dtype, out.n, dims);
}

/* Labels of both operands of a dot_general: batch dims 0.., contracted ones after them, free ones last. */
static const char *dot_terms(const Op *op, int ra, int rb, Term *a, Term *b, Term *out)
{
	const int64_t *list[4];
	const AttrName names[4] = {A_lhs_batch, A_rhs_batch, A_lhs_contract, A_rhs_contract};
	size_t n[4];
	Term *terms[2] = {a, b};
	int ranks[2] = {ra, rb}, next = 0;
	a->n = ra, b->n = rb, out->n = 0;
	for (int i = 0; i < 4; i++)
		n[i] = op_attr_ints(op, names[i], &list[i]);
	if (n[0] != n[1] || n[2] != n[3])
		return "batch and contracting dimensions must come in pairs";
	for (int i = 0; i < MAX_RANK; i++)
		a->label[i] = b->label[i] = -1;
	for (int i = 0; i < 4; i++)
		for (size_t j = 0; j < n[i]; j++) {
			int side = i & 1, d;
			if (!axis_norm(list[i][j], ranks[side], &d) || terms[side]->label[d] >= 0)
				return "a batch or contracting dimension is out of range or given twice";
			terms[side]->label[d] = (i < 2 ? 0 : (int)n[0]) + (int)j;
		}
	for (size_t j = 0; j < n[0]; j++)
		out->label[out->n++] = (int)j;
	next = (int)(n[0] + n[2]);
	for (int side = 0; side < 2; side++)
		for (int d = 0; d < ranks[side]; d++)
			if (terms[side]->label[d] < 0) {
				if (out->n == MAX_RANK)
					return "the result has too many dimensions";
				out->label[out->n++] = terms[side]->label[d] = next++;
			}
	return NULL;
}

bool infer_dot_general(InferCtx *x, Op *op)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	DType dtype = value_dtype(op_result(op, 0));
	if (dtype == DT_NONE)
		dtype = value_dtype(a) != DT_NONE ? value_dtype(a) : value_dtype(b);
	int ra = value_rank(a), rb = value_rank(b);
	if (ra < 0 || rb < 0 || ra > MAX_RANK || rb > MAX_RANK)
		return infer_tensor(x, op, 0, dtype, RANK_UNKNOWN, NULL);
	Term ta, tb, out;
	const char *wrong = dot_terms(op, ra, rb, &ta, &tb, &out);
	if (wrong)
		return infer_error(x, op, "%s", wrong);
	const Sym *size[MAX_LABELS] = {0}, *dims[MAX_RANK];
	for (int i = 0; i < ra; i++)
		size[ta.label[i]] = a->type->dims[i];
	for (int i = 0; i < rb; i++) {
		const Sym **s = &size[tb.label[i]], *d = b->type->dims[i];
		int64_t n;
		if (*s && sym_known_ne(x->ctx, *s, d))
			return infer_error(x, op, "paired dimensions of the operands differ");
		if (!*s || sym_const(d, &n) || (sym_is_unknown(*s) && !sym_is_unknown(d)))
			*s = d;
	}
	for (int i = 0; i < out.n; i++)
		dims[i] = size[out.label[i]];
	return infer_tensor(x, op, 0, dtype, out.n, dims);
}

/* ---- labelled views ---- */

/* An operand or intermediate result: strided elements, each dim with its label; no label twice. */
typedef struct View {
	int n;
	int label[MAX_LABELS];
	int64_t dim[MAX_LABELS], stride[MAX_LABELS];
	Dense data;
} View;

static int view_find(const View *v, int label)
{
	for (int i = 0; i < v->n; i++)
		if (v->label[i] == label)
			return i;
	return -1;
}

/* A repeated label walks the diagonal; a dim of size 1 under a larger label is broadcast, which needs no dim at all. */
static bool view_init(EvalCtx *e, Tensor *t, const Term *term, const int64_t *size, DType kind, View *v)
{
	int64_t strides[MAX_RANK];
	v->n = 0;
	strides_of(t->rank, t->dims, strides);
	for (int d = 0; d < t->rank; d++) {
		int l = term->label[d], at = view_find(v, l);
		if (at >= 0) {
			v->stride[at] += strides[d];
		} else if (t->dims[d] == size[l]) {
			v->label[v->n] = l;
			v->dim[v->n] = t->dims[d];
			v->stride[v->n++] = strides[d];
		}
	}
	return dense_load(e, t, kind, &v->data);
}

typedef struct Order { /* dims of a view, in the order wanted */
	int n;
	int dim[MAX_LABELS];
} Order;

static void copy_row(size_t size, void *dst, const void *src, int64_t n, int64_t stride)
{
	if (stride == 1) {
		memcpy(dst, src, (size_t)n * size);
	} else if (size == sizeof(float)) {
		for (int64_t i = 0; i < n; i++)
			((float *)dst)[i] = ((const float *)src)[i * stride];
	} else if (size == sizeof(double)) {
		for (int64_t i = 0; i < n; i++)
			((double *)dst)[i] = ((const double *)src)[i * stride];
	} else {
		for (int64_t i = 0; i < n; i++)
			memcpy((char *)dst + (size_t)i * size, (const char *)src + (size_t)(i * stride) * size, size);
	}
}

/* Copies the elements to dst in row-major order of the dims listed. */
static void view_copy(const View *v, const Order *o, DType kind, void *dst)
{
	int64_t at[MAX_LABELS] = {0}, from = 0, inner = 1, stride = 1;
	int outer = o->n;
	for (int i = 0; i < o->n; i++)
		if (v->dim[o->dim[i]] == 0)
			return;
	if (outer > 0) {
		outer--;
		inner = v->dim[o->dim[outer]];
		stride = v->stride[o->dim[outer]];
	}
	for (char *p = dst;;) {
		copy_row(dense_size(kind), p, dense_at(kind, v->data.data, from), inner, stride);
		p += (size_t)inner * dense_size(kind);
		int d = outer;
		for (; d-- > 0;) {
			int k = o->dim[d];
			from += v->stride[k];
			if (++at[d] < v->dim[k])
				break;
			from -= v->stride[k] * v->dim[k];
			at[d] = 0;
		}
		if (d < 0)
			return;
	}
}

static bool order_is_contiguous(const View *v, const Order *o)
{
	int64_t want = 1;
	for (int i = o->n; i-- > 0;) {
		if (v->dim[o->dim[i]] != 1 && v->stride[o->dim[i]] != want)
			return false;
		want = (int64_t)((uint64_t)want * (uint64_t)v->dim[o->dim[i]]);
	}
	return true;
}

static int64_t order_count(const View *v, const Order *o, int from, int to)
{
	uint64_t n = 1;
	for (int i = from; i < to; i++)
		n *= (uint64_t)v->dim[o->dim[i]];
	return (int64_t)n;
}

/* Replaces the view by a contiguous one with the dims listed, in that order. */
static bool view_arrange(EvalCtx *e, View *v, const Order *o, DType kind)
{
	View w = {.n = o->n};
	int64_t dims[MAX_LABELS] = {0}, count;
	bool in_place = order_is_contiguous(v, o);
	for (int i = 0; i < o->n; i++) {
		w.label[i] = v->label[o->dim[i]];
		w.dim[i] = dims[i] = v->dim[o->dim[i]];
	}
	if (!dims_count(dims, o->n, &count))
		return diag_error(e->diags, HONE_LIMIT, NULL, "an intermediate result of too many elements");
	strides_of(w.n, w.dim, w.stride);
	if (in_place) {
		w.data = v->data;
	} else {
		if (!dense_scratch(e, kind, count, &w.data))
			return false;
		view_copy(v, o, kind, w.data.data);
		dense_release(&v->data);
	}
	*v = w;
	return true;
}

/* Sums runs of `inner` consecutive elements. */
static void sum_runs(DType kind, const void *src, int64_t n, int64_t inner, void *dst)
{
	for (int64_t i = 0; i < n; i++) {
		double re = 0, im = 0;
		uint64_t whole = 0;
		for (int64_t j = i * inner; j < (i + 1) * inner; j++)
			if (kind == DT_F32)
				re += ((const float *)src)[j];
			else if (kind == DT_F64)
				re += ((const double *)src)[j];
			else if (kind == DT_I64)
				whole += ((const uint64_t *)src)[j];
			else
				re += ((const double *)src)[2 * j], im += ((const double *)src)[2 * j + 1];
		if (kind == DT_F32)
			((float *)dst)[i] = (float)re;
		else if (kind == DT_F64)
			((double *)dst)[i] = re;
		else if (kind == DT_I64)
			((uint64_t *)dst)[i] = whole;
		else
			((double *)dst)[2 * i] = re, ((double *)dst)[2 * i + 1] = im;
	}
}

/* Sums over the labels that neither `other` (may be NULL) has nor needed[] says. */
static bool view_sum_out(EvalCtx *e, View *v, const View *other, const int *needed, DType kind)
{
	Order o = {0};
	for (int i = 0; i < v->n; i++)
		if (needed[v->label[i]] || (other && view_find(other, v->label[i]) >= 0))
			o.dim[o.n++] = i;
	int keep = o.n;
	if (keep == v->n)
		return true;
	for (int i = 0; i < v->n; i++)
		if (!(needed[v->label[i]] || (other && view_find(other, v->label[i]) >= 0)))
			o.dim[o.n++] = i;
	int64_t n = order_count(v, &o, 0, keep), inner = order_count(v, &o, keep, o.n);
	Dense sums;
	if (!view_arrange(e, v, &o, kind) || !dense_scratch(e, kind, n, &sums))
		return false;
	sum_runs(kind, v->data.data, n, inner, sums.data);
	dense_release(&v->data);
	v->data = sums;
	v->n = keep;
	strides_of(v->n, v->dim, v->stride);
	return true;
}

/* a = contraction of a and b; labels that are not needed any more and in both are summed over. Dims of the result:
 * shared ones, those of a, those of b. */
static bool view_contract(EvalCtx *e, View *a, View *b, const int *needed, DType kind)
{
	if (!view_sum_out(e, a, b, needed, kind) || !view_sum_out(e, b, a, needed, kind))
		return false;
	Order oa = {0}, ob = {0};
	View y = {0};
	int nbatch = 0, nfree_a = 0;
	for (int i = 0; i < a->n; i++)
		if (needed[a->label[i]] && view_find(b, a->label[i]) >= 0) {
			oa.dim[oa.n++] = i;
			ob.dim[ob.n++] = view_find(b, a->label[i]);
			nbatch++;
		}
	for (int i = 0; i < a->n; i++)
		if (view_find(b, a->label[i]) < 0) {
			oa.dim[oa.n++] = i;
			nfree_a++;
		}
	for (int i = 0; i < a->n; i++)
		if (!needed[a->label[i]] && view_find(b, a->label[i]) >= 0) {
			oa.dim[oa.n++] = i;
			ob.dim[ob.n++] = view_find(b, a->label[i]);
		}
	int shared = ob.n;
	for (int i = 0; i < b->n; i++)
		if (view_find(a, b->label[i]) < 0)
			ob.dim[ob.n++] = i;
	for (int i = 0; i < nbatch + nfree_a; i++)
		y.label[y.n] = a->label[oa.dim[i]], y.dim[y.n++] = a->dim[oa.dim[i]];
	for (int i = shared; i < ob.n; i++)
		y.label[y.n] = b->label[ob.dim[i]], y.dim[y.n++] = b->dim[ob.dim[i]];
	Product p = {.kind = kind, .nbatch = 1};
	p.batch[0] = order_count(a, &oa, 0, nbatch);
	p.m = order_count(a, &oa, nbatch, nbatch + nfree_a);
	p.k = order_count(a, &oa, nbatch + nfree_a, oa.n);
	p.n = order_count(b, &ob, shared, ob.n);
	p.a_row = p.k, p.a_col = 1, p.b_row = p.n, p.b_col = 1;
	p.a_step[0] = (int64_t)((uint64_t)p.m * (uint64_t)p.k), p.b_step[0] = (int64_t)((uint64_t)p.k * (uint64_t)p.n);
	int64_t count;
	if (!dims_count(y.dim, y.n, &count))
		return diag_error(e->diags, HONE_LIMIT, NULL, "an intermediate result of too many elements");
	strides_of(y.n, y.dim, y.stride);
	if (!view_arrange(e, a, &oa, kind) || !view_arrange(e, b, &ob, kind) || !dense_scratch(e, kind, count, &y.data))
		return false;
	p.a = a->data.data, p.b = b->data.data, p.c = y.data.data;
	bool ok = product_run(e, &p);
	dense_release(&a->data);
	dense_release(&b->data);
	*a = y;
	return ok;
}

/* The view as the result tensor with dims in the order of `out`. */
static bool view_result(EvalCtx *e, View *v, const Term *out, const int64_t *size, DType kind, DType dtype, Tensor **y)
{
	int64_t dims[MAX_RANK];
	Order o = {0};
	for (int i = 0; i < out->n; i++) {
		dims[i] = size[out->label[i]];
		o.dim[o.n++] = view_find(v, out->label[i]);
		CHECK(o.dim[i] >= 0);
	}
	*y = tensor_new(e, dtype, out->n, dims);
	Dense d;
	if (!*y || !view_arrange(e, v, &o, kind) || !dense_result(e, *y, kind, &d))
		return false;
	memcpy(d.data, v->data.data, (size_t)(*y)->count * dense_size(kind));
	dense_store(*y, kind, &d);
	return true;
}

/* ---- evaluation ---- */

/* Parses all terms, sets the sizes of labels and how many operands have each (needed), and the result's term. */
static bool einsum_plan(
	EvalCtx *e, const Op *op, const Equation *q, Tensor *const *in, int64_t *size, int *needed, Term *out)
{
	int count[MAX_LABELS] = {0}, dots = 0;
	for (int l = 0; l < MAX_LABELS; l++)
		size[l] = 1, needed[l] = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		const char *s, *end;
		bool open, seen[MAX_LABELS] = {0};
		int64_t dim[MAX_LABELS];
		Term t;
		equation_term(q, i, &s, &end);
		const char *wrong = term_parse(s, end, in[i]->rank, -1, &t, &open);
		if (wrong)
			return eval_error(e, op, "%s", wrong);
		for (int d = 0; d < t.n; d++) {
			int l = t.label[d];
			int64_t n = in[i]->dims[d];
			if ((seen[l] && dim[l] != n) || (size[l] != 1 && n != 1 && size[l] != n))
				return eval_error(e, op, "a label of the equation stands for dimensions %lld and %lld",
					(long long)size[l], (long long)n);
			needed[l] += !seen[l];
			seen[l] = true;
			dim[l] = n;
			count[l]++;
			if (n != 1)
				size[l] = n;
		}
		if (term_dots(&t) > dots)
			dots = term_dots(&t);
	}
	const char *wrong = result_term(q, count, dots, out);
	if (wrong)
		return eval_error(e, op, "%s", wrong);
	for (int i = 0; i < out->n; i++)
		needed[out->label[i]]++;
	return true;
}

/* Operands are folded in from left to right; after each, what no later operand and not the result has is summed over.
 */
bool eval_einsum(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Str *text = op_attr_str(op, A_equation);
	int64_t size[MAX_LABELS];
	int needed[MAX_LABELS];
	Term result, t;
	if (!dense_operands(e, op, in, true))
		return false;
	if (!text)
		return eval_error(e, op, "an einsum needs an equation");
	Equation q = equation_split(text);
	if (equation_terms(&q) != op->noperands || op->noperands == 0)
		return eval_error(
			e, op, "the equation has %zu terms for %u operands", equation_terms(&q), (unsigned)op->noperands);
	if (!einsum_plan(e, op, &q, in, size, needed, &result))
		return false;
	DType kind = dense_kind(in, op->noperands);
	View acc = {0};
	for (size_t i = 0; i < op->noperands; i++) {
		const char *s, *end;
		bool open;
		View v = {0};
		equation_term(&q, i, &s, &end);
		if (term_parse(s, end, in[i]->rank, -1, &t, &open))
			return false;
		for (int l = 0; l < MAX_LABELS; l++)
			needed[l] -= term_has(&t, l);
		if (!view_init(e, in[i], &t, size, kind, &v))
			return false;
		if (i == 0)
			acc = v;
		if (i == 0 ? !view_sum_out(e, &acc, NULL, needed, kind) : !view_contract(e, &acc, &v, needed, kind))
			return false;
	}
	bool ok =
		view_sum_out(e, &acc, NULL, needed, kind) && view_result(e, &acc, &result, size, kind, in[0]->dtype, &out[0]);
	dense_release(&acc.data);
	return ok;
}

bool eval_dot_general(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t size[MAX_LABELS];
	int needed[MAX_LABELS] = {0};
	Term ta, tb, result;
	if (!dense_operands(e, op, in, true))
		return false;
	const char *wrong = dot_terms(op, in[0]->rank, in[1]->rank, &ta, &tb, &result);
	if (wrong)
		return eval_error(e, op, "%s", wrong);
	for (int l = 0; l < MAX_LABELS; l++)
		size[l] = -1;
	for (int d = 0; d < ta.n; d++)
		size[ta.label[d]] = in[0]->dims[d];
	for (int d = 0; d < tb.n; d++) {
		if (size[tb.label[d]] >= 0 && size[tb.label[d]] != in[1]->dims[d])
			return eval_error(e, op, "paired dimensions differ: %lld and %lld", (long long)size[tb.label[d]],
				(long long)in[1]->dims[d]);
		size[tb.label[d]] = in[1]->dims[d];
	}
	for (int i = 0; i < result.n; i++)
		needed[result.label[i]] = 1;
	DType kind = dense_kind(in, 2), dtype = value_dtype(op_result(op, 0));
	if (dtype == DT_NONE)
		dtype = in[0]->dtype;
	View a = {0}, b = {0};
	if (!view_init(e, in[0], &ta, size, kind, &a) || !view_init(e, in[1], &tb, size, kind, &b))
		return false;
	bool ok = view_contract(e, &a, &b, needed, kind) && view_result(e, &a, &result, size, kind, dtype, &out[0]);
	dense_release(&a.data);
	return ok;
}
