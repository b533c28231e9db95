/* Reading operands along a result: broadcasting and strided walks by blocks, and splitting of loops over threads. */
#include "eval_int.h"

#include <string.h>

bool broadcast_dims(Tensor *const *in, size_t n, int *rank, int64_t *dims)
{
	int r = 0;
	for (size_t k = 0; k < n; k++)
		if (in[k] && in[k]->rank > r)
			r = in[k]->rank;
	for (int d = 0; d < r; d++)
		dims[d] = 1;
	for (size_t k = 0; k < n; k++) {
		if (!in[k])
			continue;
		int shift = r - in[k]->rank;
		for (int d = 0; d < in[k]->rank; d++) {
			int64_t size = in[k]->dims[d];
			if (dims[d + shift] == 1)
				dims[d + shift] = size;
			else if (size != 1 && size != dims[d + shift])
				return false;
		}
	}
	*rank = r;
	return true;
}

/* From the outermost dim inwards: a dim joins the one before it when stepping over all of it equals one step there. */
void walk_init_strided(Walk *w, const Tensor *t, int rank, const int64_t *dims, const int64_t *step)
{
	*w = (Walk){.t = t};
	for (int d = 0; d < rank; d++) {
		if (dims[d] == 1)
			continue;
		int last = w->rank - 1;
		if (last >= 0 && w->step[last] == (int64_t)((uint64_t)step[d] * (uint64_t)dims[d])) {
			w->dims[last] *= dims[d];
			w->step[last] = step[d];
			continue;
		}
		w->dims[w->rank] = dims[d];
		w->step[w->rank++] = step[d];
	}
	w->plain = w->rank == 0 || (w->rank == 1 && w->step[0] == 1);
	w->scalar = w->rank == 0 || (w->rank == 1 && w->step[0] == 0);
}

void walk_init(Walk *w, const Tensor *t, int rank, const int64_t *dims)
{
	int64_t own[MAX_RANK], step[MAX_RANK];
	int shift = rank - t->rank;
	strides_of(t->rank, t->dims, own);
	for (int d = 0; d < rank; d++)
		step[d] = d < shift || (t->dims[d - shift] == 1 && dims[d] != 1) ? 0 : own[d - shift];
	walk_init_strided(w, t, rank, dims, step);
}

/* A position of a walk: coordinates and the operand's flat index. */
typedef struct Cursor {
	int64_t at[MAX_RANK];
	int64_t offset;
} Cursor;

static void cursor_seek(const Walk *w, Cursor *c, int64_t i)
{
	c->offset = 0;
	for (int d = w->rank; d-- > 0;) {
		c->at[d] = i % w->dims[d];
		i /= w->dims[d];
		c->offset += c->at[d] * w->step[d];
	}
}

/* The inner dim is at its end: on to the next row. */
static void cursor_next_row(const Walk *w, Cursor *c)
{
	for (int d = w->rank - 1; d >= 0; d--) {
		if (c->at[d] < w->dims[d])
			return;
		c->offset -= c->at[d] * w->step[d];
		c->at[d] = 0;
		if (d == 0)
			return;
		c->at[d - 1]++;
		c->offset += w->step[d - 1];
	}
}

/* Copies rows of elements as stored; size is a constant in each caller, so that the copies become moves. */
static inline void gather_rows(const Walk *w, int64_t at, int64_t n, char *dst, size_t size)
{
	Cursor c;
	const char *src = w->t->data;
	int inner = w->rank - 1;
	int64_t step = w->step[inner];
	cursor_seek(w, &c, at);
	while (n > 0) {
		int64_t m = w->dims[inner] - c.at[inner];
		if (m > n)
			m = n;
		const char *p = src + (size_t)c.offset * size;
		if (step == 1) {
			memcpy(dst, p, (size_t)m * size);
		} else {
			for (int64_t i = 0; i < m; i++)
				memcpy(dst + (size_t)i * size, p + (size_t)(i * step) * size, size);
		}
		dst += (size_t)m * size;
		n -= m;
		c.at[inner] += m;
		c.offset += m * step;
		cursor_next_row(w, &c);
	}
}

const void *walk_raw(const Walk *w, int64_t at, int64_t n, void *buf)
{
	size_t size = dtype_size(w->t->store);
	if (w->plain)
		return (const char *)w->t->data + (size_t)at * size;
	if (w->rank == 0) {
		for (int64_t i = 0; i < n; i++)
			memcpy((char *)buf + (size_t)i * size, w->t->data, size);
		return buf;
	}
	switch (size) {
	case 1: gather_rows(w, at, n, buf, 1); break;
	case 2: gather_rows(w, at, n, buf, 2); break;
	case 4: gather_rows(w, at, n, buf, 4); break;
	case 8: gather_rows(w, at, n, buf, 8); break;
	default: gather_rows(w, at, n, buf, size); break;
	}
	return buf;
}

const double *walk_f64(const Walk *w, int64_t at, int64_t n, double *buf)
{
	if (w->t->store == DT_F64)
		return walk_raw(w, at, n, buf);
	double raw[2 * BLOCK];
	dtype_load_f64(w->t->store, walk_raw(w, at, n, raw), n, buf);
	return buf;
}

const int64_t *walk_i64(const Walk *w, int64_t at, int64_t n, int64_t *buf)
{
	if (w->t->store == DT_I64 || w->t->store == DT_U64)
		return walk_raw(w, at, n, buf);
	double raw[2 * BLOCK];
	dtype_load_i64(w->t->store, walk_raw(w, at, n, raw), n, buf);
	return buf;
}

/* ---- threads ---- */

typedef struct Ranges {
	int64_t n, piece;
	void (*body)(void *arg, int64_t begin, int64_t end);
	void *arg;
} Ranges;

static void run_piece(void *p, int64_t i)
{
	const Ranges *r = p;
	int64_t begin = i * r->piece, end = begin + r->piece;
	r->body(r->arg, begin, end < r->n ? end : r->n);
}

/* Starting threads costs tens of microseconds: a piece should take about a hundred. */
void eval_ranges(EvalCtx *e, int64_t n, int64_t cost, void (*body)(void *arg, int64_t begin, int64_t end), void *arg)
{
	enum { PIECE_NS = 100000, PIECES_PER_THREAD = 4 };
	if (n <= 0)
		return;
	int64_t pieces = n / (PIECE_NS / (cost > 0 ? cost : 1) + 1);
	int64_t threads = pieces <= 1 ? 1 : e->threads > 0 ? e->threads : cpu_count();
	if (pieces > threads * PIECES_PER_THREAD)
		pieces = threads * PIECES_PER_THREAD;
	if (threads <= 1 || pieces <= 1) {
		body(arg, 0, n);
		return;
	}
	Ranges r = {.n = n, .piece = (n + pieces - 1) / pieces, .body = body, .arg = arg};
	parallel_for(e->threads, (n + r.piece - 1) / r.piece, run_piece, &r);
}
