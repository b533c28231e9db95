/* Sums of products by letters: operands as views with the letters in the order that a product of matrices has. */
#include "plan/plan_int.h"

#include <string.h>

enum { TERMS = 8 };

/* Letters as they stand, '.' for an ellipsis; later a digit for each of its dims. */
typedef struct Equation {
	char in[TERMS][VIEW_RANK + 1], out[VIEW_RANK + 1];
	int n;                  /* operands */
	bool given;             /* the result's letters are */
} Equation;

typedef struct Term {
	View view;
	char letters[VIEW_RANK + 1]; /* one a dim */
} Term;

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool parse(const char *s, Equation *e)
{
	char *to = e->in[0];
	size_t at = 0;
	memset(e, 0, sizeof(*e));
	e->n = 1;
	for (; *s; s++) {
		bool dots = !strncmp(s, "...", 3);
		if (*s == ' ')
			continue;
		if (*s == ',' && !e->given && e->n < TERMS) {
			to = e->in[e->n++];
			at = 0;
		} else if (*s == '-' && s[1] == '>' && !e->given) {
			e->given = true;
			to = e->out;
			at = 0;
			s++;
		} else if ((is_letter(*s) || (dots && !strchr(to, '.'))) && at < VIEW_RANK && !(e->given && strchr(e->out, *s))) {
			to[at++] = *s;
			s += dots ? 2 : 0;
		} else {
			return false;
		}
	}
	return true;
}

/* The ellipsis becomes the last n of the digits: terms of different ranks are aligned to the right. */
static bool expand(char *letters, int n)
{
	char *dots = strchr(letters, '.'), rest[VIEW_RANK + 1];
	if (!dots)
		return n == 0;
	if (n < 0 || (int)strlen(letters) - 1 + n > VIEW_RANK)
		return false;
	strcpy(rest, dots + 1);
	for (int i = 0; i < n; i++)
		dots[i] = (char)('0' + VIEW_RANK - n + i);
	strcpy(dots + n, rest);
	return true;
}

/* An implicit result has the ellipsis and the letters that occur once, in order. */
static bool expand_all(Planner *p, const Op *op, Equation *e)
{
	int widest = 0, n = 0;
	for (int i = 0; i < e->n; i++) {
		int dims = pl_shape(p, op_operand(op, (uint32_t)i))->rank - (int)strlen(e->in[i]) + (strchr(e->in[i], '.') != NULL);
		if (!expand(e->in[i], dims))
			return false;
		widest = dims > widest ? dims : widest;
	}
	if (e->given)
		return strchr(e->out, '.') ? expand(e->out, widest) : true;
	for (int i = 0; i < widest; i++)
		e->out[n++] = (char)('0' + VIEW_RANK - widest + i);
	for (char c = 'A'; c <= 'z'; c++) {
		int count = 0;
		for (int k = 0; k < e->n; k++)
			for (const char *l = e->in[k]; *l; l++)
				count += *l == c;
		if (is_letter(c) && count == 1 && n < VIEW_RANK)
			e->out[n++] = c;
	}
	return true;
}

/* A letter that occurs twice in a term walks the diagonal: its strides add up. */
static bool term_of(Planner *p, const Value *v, const char *letters, Term *t)
{
	View x = pl_view(p, v);
	int n = 0;
	if ((size_t)x.rank != strlen(letters) || !view_count(&x))
		return false;
	*t = (Term){ .view = x };
	for (int d = 0; d < x.rank; d++) {
		const char *before = strchr(t->letters, letters[d]);
		if (before) {
			if (t->view.dims[before - t->letters] != x.dims[d])
				return false;
			t->view.stride[before - t->letters] += x.stride[d];
			continue;
		}
		t->letters[n] = letters[d];
		t->view.dims[n] = x.dims[d];
		t->view.stride[n++] = x.stride[d];
	}
	t->view.rank = n;
	return true;
}

/* Dims of v by letter, in the order of `letters`. */
static View ordered(const View *v, const char *of, const char *letters)
{
	View w = *v;
	w.rank = (int)strlen(letters);
	for (int d = 0; d < w.rank; d++) {
		long from = strchr(of, letters[d]) - of;
		w.dims[d] = v->dims[from];
		w.stride[d] = v->stride[from];
	}
	return w;
}

/* The letters of `from` that are (or are not) in a and in b. */
static void pick(const char *from, const char *a, bool in_a, const char *b, bool in_b, char *out)
{
	for (; *from; from++)
		if (!strchr(a, *from) == !in_a && !strchr(b, *from) == !in_b)
			*out++ = *from;
	*out = 0;
}

/* v with letters batch, rows, columns, the last two merged to a dim each. */
static View matrices(Planner *p, const View *v, const char *of, const char *batch, const char *rows, const char *cols)
{
	char all[3 * VIEW_RANK + 1];
	int nb = (int)strlen(batch), nr = (int)strlen(rows);
	int64_t dims[VIEW_RANK] = { 0 };
	strcpy(all, batch);
	strcat(all, rows);
	strcat(all, cols);
	View w = ordered(v, of, all), m;
	dims[nb] = dims[nb + 1] = 1;
	for (int d = 0; d < w.rank; d++)
		if (d < nb)
			dims[d] = w.dims[d];
		else
			dims[d < nb + nr ? nb : nb + 1] *= w.dims[d];
	if (!view_reshape(&w, nb + 2, dims, &m)) {
		w = pl_plain(p, w);
		view_reshape(&w, nb + 2, dims, &m);
	}
	return m;
}

/* Letters that stand neither in `keep` nor in `other` are summed. */
static bool sum_out(Planner *p, Term *t, const char *keep, const char *other)
{
	char kept[VIEW_RANK + 1], gone[VIEW_RANK + 1], all[2 * VIEW_RANK + 1], *to = kept, *away = gone;
	for (const char *c = t->letters; *c; c++)
		*(strchr(keep, *c) || strchr(other, *c) ? to++ : away++) = *c;
	*to = *away = 0;
	if (!*gone)
		return true;
	ReduceParam *r = NEW(p->arena, ReduceParam);
	*r = (ReduceParam){ .combine = COMBINE_SUM, .nkept = (int)strlen(kept), .nreduced = (int)strlen(gone), .scale = 1 };
	if (r->nkept > REDUCE_RANK || r->nreduced > REDUCE_RANK)
		return false;
	strcpy(all, kept);
	strcat(all, gone);
	View x = ordered(&t->view, t->letters, all), y = view_dense(DT_F32, r->nkept, x.dims);
	for (int d = 0; d < x.rank; d++) {
		bool k = d < r->nkept;
		int at = k ? d : d - r->nkept;
		(k ? r->kept : r->reduced)[at] = x.dims[d];
		(k ? r->x_kept : r->x_reduced)[at] = x.stride[d];
		if (k)
			r->y_kept[at] = y.stride[d];
	}
	r->x_offset = x.offset;
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	pl_step(p, "reduce", p->prog->kernels->reduce, r, "einsum");
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, (double)view_count(&x), 4 * (double)view_count(&x));
	t->view = y;
	strcpy(t->letters, kept);
	return true;
}

/* A dim of size 1 goes along with a larger one of the same letter. */
static bool stretch(Term *a, const Term *b)
{
	for (int d = 0; d < a->view.rank; d++) {
		const char *at = strchr(b->letters, a->letters[d]);
		int64_t n = at ? b->view.dims[at - b->letters] : 1;
		if (n == 1 || a->view.dims[d] == n)
			continue;
		if (a->view.dims[d] != 1)
			return false;
		a->view.dims[d] = n;
		a->view.stride[d] = 0;
	}
	return true;
}

/* a becomes the product of a and b, summed over what they share and `keep` has not. */
static bool contract(Planner *p, const Op *op, Term *a, Term *b, const char *keep)
{
	char batch[VIEW_RANK + 1], rows[VIEW_RANK + 1], cols[VIEW_RANK + 1], inner[VIEW_RANK + 1], all[3 * VIEW_RANK + 1];
	if (!sum_out(p, a, keep, b->letters) || !sum_out(p, b, keep, a->letters) || !stretch(a, b) || !stretch(b, a))
		return false;
	pick(a->letters, b->letters, true, keep, true, batch);
	pick(a->letters, b->letters, false, keep, true, rows);
	pick(b->letters, a->letters, false, keep, true, cols);
	pick(a->letters, b->letters, true, keep, false, inner);
	int nb = (int)strlen(batch), rank = nb + (int)strlen(rows) + (int)strlen(cols);
	if (nb + 2 > VIEW_RANK || rank > VIEW_RANK)
		return false;
	View am = matrices(p, &a->view, a->letters, batch, rows, inner), bm = matrices(p, &b->view, b->letters, batch, inner, cols);
	int64_t dims[VIEW_RANK], parts[VIEW_RANK];
	memcpy(dims, am.dims, sizeof(dims));
	dims[nb + 1] = bm.dims[nb + 1];
	View y = view_dense(DT_F32, nb + 2, dims);
	MatmulParam *m = NEW(p->arena, MatmulParam);
	*m = (MatmulParam){ .m = dims[nb], .n = dims[nb + 1], .k = am.dims[nb + 1], .alpha = 1, .a_row = am.stride[nb],
		.a_col = am.stride[nb + 1], .a_offset = am.offset, .b_row = bm.stride[nb], .b_col = bm.stride[nb + 1],
		.b_offset = bm.offset, .c_row = y.stride[nb] };
	if (!pl_matmul_batch(&am, &bm, &y, m) || !p->prog->kernels->matmul_plan(m, p->threads))
		return false;
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	pl_step(p, "matmul", p->prog->kernels->matmul, m, arena_printf(p->arena, "einsum %s", op_text(op, A_equation)));
	pl_ptr(p, y.buffer);
	pl_ptr(p, am.buffer);
	pl_ptr(p, bm.buffer);
	pl_work(p, 2 * (double)view_count(&y) * (double)m->k, 4 * (double)(view_count(&am) + view_count(&bm) + view_count(&y)));
	strcpy(all, batch);
	strcat(all, rows);
	strcat(all, cols);
	for (int d = 0; d < rank; d++) {
		const Term *from = strchr(a->letters, all[d]) ? a : b;
		parts[d] = from->view.dims[strchr(from->letters, all[d]) - from->letters];
	}
	strcpy(a->letters, all);
	return view_reshape(&y, rank, parts, &a->view);
}

/* Terms join the first one, one after the other. */
bool plan_einsum(Planner *p, const Op *op)
{
	Equation e;
	Term terms[TERMS];
	const Shape *s = pl_shape(p, op->results[0]);
	if (s->dtype != DT_F32 || op->noperands < 1 || op->noperands > TERMS || !parse(op_text(op, A_equation), &e) ||
			(size_t)e.n != op->noperands || !expand_all(p, op, &e) || (size_t)s->rank != strlen(e.out))
		return false;
	for (int i = 0; i < e.n; i++)
		if (!term_of(p, op_operand(op, (uint32_t)i), e.in[i], &terms[i]))
			return false;
	for (int i = 1; i < e.n; i++) {
		char keep[TERMS * VIEW_RANK + VIEW_RANK + 1];
		strcpy(keep, e.out);
		for (int k = i + 1; k < e.n; k++)
			strcat(keep, terms[k].letters);
		if (!contract(p, op, &terms[0], &terms[i], keep))
			return false;
	}
	if (!sum_out(p, &terms[0], e.out, ""))
		return false;
	for (const char *c = e.out; *c; c++)
		if (!strchr(terms[0].letters, *c))
			return false;
	View y = ordered(&terms[0].view, terms[0].letters, e.out);
	for (int d = 0; d < y.rank; d++)
		if (y.dims[d] != s->dims[d])
			return false;
	return pl_settle(p, op->results[0], y);
}
