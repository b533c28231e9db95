/* Sums of products by letters: operands as views with the letters in the order that a product of matrices has. */
#include "plan/plan_int.h"

#include <string.h>

typedef struct Equation {
	char in[2][VIEW_RANK + 1], out[VIEW_RANK + 1];
	int n;                  /* operands */
} Equation;

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Terms of letters without ellipsis; an implicit result has the letters that occur once, in order. */
static bool parse(const char *s, Equation *e)
{
	char *to = e->in[0];
	size_t at = 0;
	bool given = false;
	memset(e, 0, sizeof(*e));
	e->n = 1;
	for (; *s; s++) {
		if (*s == ' ')
			continue;
		if (*s == ',' && !given && e->n < 2) {
			to = e->in[e->n++];
			at = 0;
		} else if (*s == '-' && s[1] == '>' && !given) {
			given = true;
			to = e->out;
			at = 0;
			s++;
		} else if (is_letter(*s) && at < VIEW_RANK && !(given && strchr(e->out, *s))) {
			to[at++] = *s;
		} else {
			return false;
		}
	}
	size_t n = 0;
	for (char c = 'A'; c <= 'z' && !given; c++) {
		int count = 0;
		for (int k = 0; k < 2; k++)
			for (const char *p = e->in[k]; *p; p++)
				count += *p == c;
		if (is_letter(c) && count == 1 && n < VIEW_RANK)
			e->out[n++] = c;
	}
	return true;
}

/* A letter that occurs twice in a term walks the diagonal: its strides add up. */
static bool term_view(Planner *p, const Value *v, char *letters, View *out)
{
	View x = pl_view(p, v);
	int n = 0;
	char seen[VIEW_RANK + 1] = "";
	if ((size_t)x.rank != strlen(letters))
		return false;
	*out = x;
	for (int d = 0; d < x.rank; d++) {
		const char *before = strchr(seen, letters[d]);
		if (before) {
			if (out->dims[before - seen] != x.dims[d])
				return false;
			out->stride[before - seen] += x.stride[d];
			continue;
		}
		seen[n] = letters[d];
		out->dims[n] = x.dims[d];
		out->stride[n++] = x.stride[d];
	}
	out->rank = n;
	memset(letters, 0, VIEW_RANK + 1);
	memcpy(letters, seen, (size_t)n);
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
	char all[VIEW_RANK + 1];
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

static bool one_term(Planner *p, const Op *op, Equation *e)
{
	View x;
	if (!term_view(p, op_operand(op, 0), e->in[0], &x) || strlen(e->in[0]) != strlen(e->out))
		return false; /* it sums */
	for (const char *c = e->out; *c; c++)
		if (!strchr(e->in[0], *c))
			return false;
	return pl_settle(p, op->results[0], ordered(&x, e->in[0], e->out));
}

static bool two_terms(Planner *p, const Op *op, Equation *e)
{
	View a, b, y, seen;
	char batch[VIEW_RANK + 1], rows[VIEW_RANK + 1], cols[VIEW_RANK + 1], inner[VIEW_RANK + 1], all[VIEW_RANK + 1];
	const Value *v = op->results[0];
	const Shape *s = pl_shape(p, v);
	if (!term_view(p, op_operand(op, 0), e->in[0], &a) || !term_view(p, op_operand(op, 1), e->in[1], &b))
		return false;
	pick(e->in[0], e->in[1], true, e->out, true, batch);
	pick(e->in[0], e->in[1], false, e->out, true, rows);
	pick(e->in[1], e->in[0], false, e->out, true, cols);
	pick(e->in[0], e->in[1], true, e->out, false, inner);
	int nb = (int)strlen(batch);
	/* A letter of one term alone that is summed, or one of the result alone: left out. */
	if (strlen(batch) + strlen(rows) + strlen(inner) != strlen(e->in[0]) ||
			strlen(batch) + strlen(cols) + strlen(inner) != strlen(e->in[1]) ||
			strlen(batch) + strlen(rows) + strlen(cols) != strlen(e->out) || nb + 2 > VIEW_RANK)
		return false;
	View am = matrices(p, &a, e->in[0], batch, rows, inner), bm = matrices(p, &b, e->in[1], batch, inner, cols);
	for (int d = 0; d < nb; d++)
		if (am.dims[d] != bm.dims[d])
			return false; /* one of them broadcasts */
	if (am.dims[nb + 1] != bm.dims[nb] || !view_count(&am) || !view_count(&bm))
		return false;
	int64_t dims[VIEW_RANK];
	memcpy(dims, am.dims, sizeof(dims));
	dims[nb + 1] = bm.dims[nb + 1];
	y = view_dense(DT_F32, nb + 2, dims);
	if (view_count(&y) != s->count)
		return false;
	MatmulParam *m = NEW(p->arena, MatmulParam);
	*m = (MatmulParam){ .m = dims[nb], .n = dims[nb + 1], .k = am.dims[nb + 1], .alpha = 1, .a_row = am.stride[nb],
		.a_col = am.stride[nb + 1], .a_offset = am.offset, .b_row = bm.stride[nb], .b_col = bm.stride[nb + 1],
		.b_offset = bm.offset, .c_row = y.stride[nb] };
	if (!pl_matmul_batch(&am, &bm, &y, m) || !p->prog->kernels->matmul_plan(m, p->threads))
		return false;
	y.buffer = pl_buffer(p, s->count * (int64_t)sizeof(float));
	pl_step(p, "matmul", p->prog->kernels->matmul, m, arena_printf(p->arena, "einsum %s", op_text(op, A_equation)));
	pl_ptr(p, y.buffer);
	pl_ptr(p, am.buffer);
	pl_ptr(p, bm.buffer);
	pl_work(p, 2 * (double)view_count(&y) * (double)m->k, 4 * (double)(view_count(&am) + view_count(&bm) + view_count(&y)));
	/* The result's letters apart again, then in its order. */
	strcpy(all, batch);
	strcat(all, rows);
	strcat(all, cols);
	int64_t parts[VIEW_RANK];
	for (int d = 0; d < s->rank; d++)
		parts[d] = s->dims[strchr(e->out, all[d]) - e->out];
	return view_reshape(&y, s->rank, parts, &seen) && pl_settle(p, v, ordered(&seen, all, e->out));
}

bool plan_einsum(Planner *p, const Op *op)
{
	Equation e;
	if (pl_shape(p, op->results[0])->dtype != DT_F32 || op->noperands < 1 || op->noperands > 2 || !parse(op_text(op, A_equation), &e) ||
			(size_t)e.n != op->noperands)
		return false;
	return e.n == 1 ? one_term(p, op, &e) : two_terms(p, op, &e);
}
