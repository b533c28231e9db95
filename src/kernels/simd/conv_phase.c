/* Convolution as a product of matrices whose left factor is never written down: a table of pointers says where each
 * tap of each output pixel of a tile lies in the input. Taps in the padding point to zeros. */
#include "conv.h"

/* ---- phases ---- */

Phase K(conv_phase)(const ConvParam *p)
{
	Phase f;
	for (int d = 0; d < 3; d++) {
		f.pixels[d] = p->out[d];
		f.first_out[d] = 0;
		f.step_out[d] = 1;
		f.step_in[d] = p->stride[d];
		f.first[d] = -p->pad[d];
		f.step[d] = p->dilation[d];
		f.taps[d] = p->kernel[d];
		f.k_first[d] = 0;
		f.k_step[d] = 1;
	}
	return f;
}

/* Along one dim, output o = i * stride - pad + k * dilation, so the outputs o = at + q * stride see the taps k with
 * (at + pad - k * dilation) divisible by the stride, at input q + (at + pad - k * dilation) / stride. Taps are listed
 * in the order of rising input. */
static void transposed_dim(const ConvParam *p, int d, int64_t at, Phase *f)
{
	int64_t s = p->stride[d], period = s, k = 0;
	for (int64_t a = s, b = p->dilation[d]; b;) { /* period: s / gcd */
		int64_t rest = a % b;
		a = b;
		b = rest;
		period = s / a;
	}
	while (k < period && (at + p->pad[d] - k * p->dilation[d]) % s != 0)
		k++;
	f->pixels[d] = at < p->out[d] ? ceil_div(p->out[d] - at, s) : 0;
	f->first_out[d] = at;
	f->step_out[d] = s;
	f->step_in[d] = 1;
	f->taps[d] = k < period && k < p->kernel[d] ? (p->kernel[d] - 1 - k) / period + 1 : 0;
	f->k_first[d] = k + (f->taps[d] - 1) * period;
	f->k_step[d] = -period;
	f->first[d] = f->taps[d] ? (at + p->pad[d] - f->k_first[d] * p->dilation[d]) / s : 0;
	f->step[d] = period * p->dilation[d] / s;
}

Phase K(transposed_phase)(const ConvParam *p, int64_t i)
{
	Phase f;
	for (int d = 2; d >= 0; d--) {
		transposed_dim(p, d, i % p->stride[d], &f);
		i /= p->stride[d];
	}
	return f;
}

static int64_t phase_taps(const Phase *f)
{
	return f->taps[0] * f->taps[1] * f->taps[2];
}

/* ---- packing ---- */

int64_t K(phase_floats)(const ConvParam *p, const Phase *f)
{
	int64_t whole = p->oc / PANEL * PANEL;
	return p->groups * phase_taps(f) * p->ic * (whole + panel_width(p, p->oc - whole));
}

/* Columns [0, width) of one tap, all input channels: dst[ic][width]; columns from `cols` on are zero. */
static void pack_tap(const FloatAny *w, int64_t in_stride, int64_t out_stride, int64_t ic, int64_t cols, int64_t width,
	float *dst)
{
	for (int64_t i = 0; i < ic; i++, dst += width) {
		const FloatAny *from = w + i * in_stride;
		if (out_stride == 1)
			memcpy(dst, from, (size_t)cols * sizeof(float));
		else
			for (int64_t c = 0; c < cols; c++)
				dst[c] = from[c * out_stride];
		for (int64_t c = cols; c < width; c++)
			dst[c] = 0;
	}
}

/* The same for all taps where each column is a row of ic x taps floats in w: squares are transposed in registers. */
static void pack_columns(const FloatAny *w, int64_t out_stride, int64_t ic, int64_t taps, int64_t cols, int64_t width,
	float *dst)
{
	for (int64_t at = 0; at < ic * taps; at += LANES)
		for (int64_t c = 0; c < width; c += LANES) {
			Vec r[LANES];
			int64_t depth = min_i64(LANES, ic * taps - at);
			for (int64_t j = 0; j < LANES; j++) {
				const FloatAny *from = w + (c + j) * out_stride + at;
				r[j] = c + j >= cols ? (Vec){0} : depth == LANES ? vec_load_any(from) : vec_load_part(from, depth);
			}
			vec_transpose(r);
			int64_t tap = at % taps, i = at / taps;
			for (int64_t j = 0; j < depth; j++) {
				vec_store(dst + (tap * ic + i) * width + c, r[j]);
				if (++tap == taps) {
					tap = 0;
					i++;
				}
			}
		}
}

/* All of a direct convolution's panel in pairs of input channels. Returns the end. */
static float *pack_pairs(const ConvParam *p, const FloatAny *w, const int64_t s[5], int64_t cols, float *dst)
{
	for (int64_t d = 0; d < p->kernel[0]; d++)
		for (int64_t h = 0; h < p->kernel[1]; h++)
			for (int64_t x = 0; x < p->kernel[2]; x++)
				for (int64_t i = 0; i < p->ic; i += 2) {
					const FloatAny *from = w + d * s[2] + h * s[3] + x * s[4] + i * s[1];
					for (int64_t c = 0; c < ceil_div(cols, PAIR_COLS) * PAIR_COLS; c++)
						for (int64_t q = 0; q < 2; q++)
							*dst++ = c < cols ? from[c * s[0] + q * s[1]] : 0;
				}
	return dst;
}

void K(phase_pack)(const ConvParam *p, const Phase *f, const FloatAny *w, int64_t group_stride, const int64_t s[5],
	float *dst)
{
	int64_t taps = phase_taps(f);
	bool rows = f->k_step[0] == 1 && f->k_step[1] == 1 && f->k_step[2] == 1 && (f->taps[2] == 1 || s[4] == 1) &&
		(f->taps[1] == 1 || s[3] == f->taps[2]) && (f->taps[0] == 1 || s[2] == f->taps[1] * f->taps[2]) && s[1] == taps;
	for (int64_t g = 0; g < p->groups; g++)
		for (int64_t col = 0; col < p->oc; col += PANEL) {
			int64_t cols = min_i64(PANEL, p->oc - col), width = packed_cols(cols);
			const FloatAny *from = w + g * group_stride + col * s[0];
			if (panel_paired(p, cols)) {
				dst = pack_pairs(p, from, s, cols, dst);
				continue;
			}
			if (rows) {
				pack_columns(from, s[0], p->ic, taps, cols, width, dst);
				dst += taps * p->ic * width;
				continue;
			}
			for (int64_t d = 0; d < f->taps[0]; d++)
				for (int64_t h = 0; h < f->taps[1]; h++)
					for (int64_t x = 0; x < f->taps[2]; x++, dst += p->ic * width)
						pack_tap(from + (f->k_first[0] + d * f->k_step[0]) * s[2] +
								(f->k_first[1] + h * f->k_step[1]) * s[3] + (f->k_first[2] + x * f->k_step[2]) * s[4],
							s[1], s[0], p->ic, cols, width, dst);
		}
}

/* ---- tiles ---- */

/* How the taps of a phase are read: a run is what lies side by side in the input, one tap or a whole row of the
 * kernel. */
typedef struct Runs {
	int64_t count, len;
	bool merged;      /* a run is a row of the kernel; pixels at the border are copied, with zeros for the padding */
	bool copied;      /* all rows are copied: their distance in memory would put them all into one set of the cache */
	int64_t row;      /* floats of a copied row of a tile */
	int64_t slots;    /* tiles that copies are kept of, for all chunks of weights; 1: of none */
	int64_t inner, inner_end; /* pixels of a line whose taps are all inside along the width */
} Runs;

enum {
	CHUNK_BYTES = 200 << 10, /* of packed weights that are used for one tile after the other, from second-level cache */
	WHOLE_BYTES = 640 << 10, /* up to this all are one chunk */
	DEPTH = 640,             /* of a part of the sum, roughly: rows of a tile stay in first-level cache */
	INPUT_BYTES = 640 << 10, /* of the input that a block of tiles reads while several chunks of weights pass */
	LEAST_TILES = 10,
	KEPT_FLOATS = 8192, /* longest rows that are copied for a whole block of tiles */
	LINE_FLOATS = 16,        /* of a cache line */
	AHEAD = 2048,            /* floats that a stream of weights used once is fetched ahead */
};

enum { CACHE_ALIAS = 4096, COPY_PAD = 16 };

static Runs runs_of(const ConvParam *p, const Phase *f)
{
	int64_t taps = phase_taps(f);
	Runs r = {.count = taps, .len = p->ic};
	r.merged = f->taps[2] > 1 && f->step[2] == 1 && p->x_stride[3] == p->ic;
	if (r.merged) {
		r.count = taps / f->taps[2];
		r.len *= f->taps[2];
	}
	r.copied = taps > 0 && f->pixels[2] > 1 && p->oc > 2 * PANEL && MICRO_ROWS > 12 &&
		p->x_stride[3] * f->step_in[2] * (int64_t)sizeof(float) % CACHE_ALIAS == 0;
	int64_t step = f->step_in[2], room = p->in[2] - 1 - (f->taps[2] - 1) * f->step[2] - f->first[2];
	r.inner = f->first[2] < 0 ? ceil_div(-f->first[2], step) : 0;
	r.inner_end = room < 0 ? 0 : room / step + 1;
	r.row = r.count * r.len + COPY_PAD;
	r.slots = 1;
	if (r.copied && r.count == 1 && r.len <= KEPT_FLOATS) {
		int64_t fit = INPUT_BYTES / (MICRO_ROWS * min_i64(r.len, DEPTH) * (int64_t)sizeof(float));
		int64_t tiles = phase_tiles(p, f, p->batch * f->pixels[0] * f->pixels[1] * f->pixels[2]);
		r.slots = max_i64(1, min_i64(max_i64(LEAST_TILES, fit), tiles));
	}
	return r;
}

enum { EVEN_ROWS = (MICRO_ROWS + 7) / 8 * 8 }; /* that a table of pointers has room for */

/* Areas of the scratch. */
typedef struct Tile {
	const float **a;          /* [runs][rows] */
	float **y;                /* [rows] */
	const float **residual;   /* [rows] */
	int64_t *offset;          /* [runs]: of each run from the first tap */
	float *copy;              /* [slots][rows][runs.row] */
	bool filled;              /* the copies of the tile are there already */
} Tile;

static size_t tile_areas(const ConvParam *p, const Runs *r, void *scratch, Tile *t)
{
	size_t pointers = (size_t)EVEN_ROWS * sizeof(void *), n = (size_t)r->count;
	size_t copy = r->merged || r->copied ? align64((size_t)(r->slots * MICRO_ROWS * r->row) * sizeof(float)) : 0;
	if (t) {
		char *s = scratch;
		t->y = (float **)s;
		t->residual = (const float **)(s + align64(pointers));
		t->a = (const float **)(s + 2 * align64(pointers));
		s += 2 * align64(pointers) + align64(n * pointers);
		t->offset = (int64_t *)s;
		t->copy = (float *)(s + align64(n * sizeof(int64_t)));
	}
	return 2 * align64(pointers) + align64(n * pointers) + align64(n * sizeof(int64_t)) + copy +
		K(conv_post_scratch)(p->post);
}

size_t K(phase_scratch)(const ConvParam *p, const Phase *f)
{
	Runs r = runs_of(p, f);
	return tile_areas(p, &r, NULL, NULL);
}

static void run_offsets(const ConvParam *p, const Phase *f, const Runs *r, int64_t *offset)
{
	int64_t last = r->merged ? 1 : f->taps[2], n = 0;
	for (int64_t d = 0; d < f->taps[0]; d++)
		for (int64_t h = 0; h < f->taps[1]; h++)
			for (int64_t w = 0; w < last; w++)
				offset[n++] = d * f->step[0] * p->x_stride[1] + h * f->step[1] * p->x_stride[2] +
					w * f->step[2] * p->x_stride[3];
}

/* One run of a row at the border of the input: at[] is the input of its first tap. Returns where it lies. */
static const float *border_run(const PhaseTask *t, const Runs *r, const float *x, const int64_t at[3], float *copy)
{
	const ConvParam *p = t->p;
	if (at[0] < 0 || at[0] >= p->in[0] || at[1] < 0 || at[1] >= p->in[1])
		return t->zero;
	if (!r->merged)
		return at[2] < 0 || at[2] >= p->in[2] ? t->zero : x;
	int64_t begin = min_i64(max_i64(-at[2], 0), t->f->taps[2]);
	int64_t end = max_i64(begin, min_i64(p->in[2] - at[2], t->f->taps[2]));
	if (begin == 0 && end == t->f->taps[2])
		return x;
	memset(copy, 0, (size_t)(begin * p->ic) * sizeof(float));
	memcpy(copy + begin * p->ic, x + begin * p->ic, (size_t)((end - begin) * p->ic) * sizeof(float));
	memset(copy + end * p->ic, 0, (size_t)((t->f->taps[2] - end) * p->ic) * sizeof(float));
	return copy;
}

/* A part of the sum: runs [run, run_end), of each the floats [at, at + len). */
typedef struct Depth {
	int64_t run, run_end, at, len;
} Depth;

/* Pixels of one line of the output that are rows of a tile from `row` on. */
typedef struct Segment {
	int64_t row, rows, count;  /* rows: of the tile */
	int64_t at[3];             /* the input of the first pixel's first tap */
	const float *x;            /* there; not to be read when it lies outside */
} Segment;

/* The pointers of a segment. inner: along the width all taps of its pixels are inside. */
static void segment_pointers(const PhaseTask *t, const Runs *r, const Depth *k, const Tile *s, const Segment *g,
	bool inner)
{
	const ConvParam *p = t->p;
	const Phase *f = t->f;
	const float **a = s->a + g->row;
	int64_t last = r->merged ? 1 : f->taps[2], step = f->step_in[2] * p->x_stride[3];
	if (k->run == k->run_end)
		return; /* a phase without taps */
	int64_t w = 0, h = 0, d = 0;
	if (k->run) {
		w = k->run % last;
		h = k->run / last % f->taps[1];
		d = k->run / (last * f->taps[1]);
	}
	for (int64_t n = k->run; n < k->run_end; n++, a += g->rows) {
		const float *x = g->x + s->offset[n];
		int64_t tap[3] = {g->at[0] + d * f->step[0], g->at[1] + h * f->step[1], g->at[2] + w * f->step[2]};
		if (!inner)
			for (int64_t i = 0; i < g->count; i++, tap[2] += f->step_in[2])
				a[i] = k->at + border_run(t, r, x + i * step, tap,
					s->copy + (r->merged ? (g->row + i) * r->row + n * r->len : 0));
		else if (tap[0] < 0 || tap[0] >= p->in[0] || tap[1] < 0 || tap[1] >= p->in[1])
			for (int64_t i = 0; i < g->count; i++)
				a[i] = t->zero;
		else
			for (int64_t i = 0; i < g->count; i++)
				a[i] = x + i * step + k->at;
		if (++w == last) {
			w = 0;
			if (++h == f->taps[1]) {
				h = 0;
				d++;
			}
		}
	}
}

static void copy_rows(const Runs *r, const Depth *k, const Tile *s, int64_t rows)
{
	const float **a = s->a;
	for (int64_t n = k->run; n < k->run_end; n++)
		for (int64_t i = 0; i < rows; i++, a++) {
			float *to = s->copy + i * r->row + n * r->len + k->at;
			if (*a != to && !s->filled)
				memcpy(to, *a, (size_t)k->len * sizeof(float));
			*a = to;
		}
}

/* Pixels of the task in order. */
typedef struct Cursor {
	int64_t at[4]; /* batch, pixels of the phase */
} Cursor;

static Cursor cursor_at(const PhaseTask *t, int64_t row)
{
	Cursor c;
	for (int d = 3; d >= 0; d--) {
		int64_t n = t->hi[d] - t->lo[d];
		c.at[d] = t->lo[d] + row % n;
		row /= n;
	}
	return c;
}

/* The first pixel of the next line. */
static void cursor_line(const PhaseTask *t, Cursor *c)
{
	c->at[3] = t->lo[3];
	for (int d = 2; d > 0; d--) {
		if (++c->at[d] < t->hi[d])
			return;
		c->at[d] = t->lo[d];
	}
	c->at[0]++;
}

/* Rows of a product without taps that all lie the same distance apart, as pixels of whole lines do: no cursor is needed. */
typedef struct Even {
	bool is, has_residual;
	uintptr_t x, y, residual;                  /* of the first row */
	int64_t step_x, step_y, step_r;            /* bytes */
	int64_t to_x[EVEN_ROWS], to_y[EVEN_ROWS], to_r[EVEN_ROWS]; /* from the first row of a tile to the others */
} Even;

/* Whether dims of the box are apart as its rows are: stride[] of batch, depth, height, width. */
static bool even_dims(const PhaseTask *t, const int64_t stride[4])
{
	int64_t apart = stride[3] * (t->hi[3] - t->lo[3]);
	for (int d = 2; d >= 0; d--) {
		if (t->hi[d] - t->lo[d] == 1)
			continue;
		if (stride[d] != apart)
			return false;
		apart = stride[d] * (t->hi[d] - t->lo[d]);
	}
	return true;
}

static void even_of(const PhaseTask *t, const Runs *r, void *const *ptr, Even *e)
{
	const ConvParam *p = t->p;
	const Phase *f = t->f;
	int64_t x[4] = {p->x_stride[0]}, y[4] = {p->y_stride[0]}, rs[4] = {p->r_stride[0]};
	int64_t at_x = p->x_offset + t->group * p->ic, at_y = p->y_offset + t->group * p->oc, at_r = p->r_offset + t->group * p->oc;
	*e = (Even){.is = phase_taps(f) == 1 && !r->merged && !r->copied, .has_residual = p->has_residual};
	for (int d = 0; d < 3; d++) {
		int64_t last = (t->hi[d + 1] - 1) * f->step_in[d] + f->first[d];
		e->is &= t->lo[d + 1] * f->step_in[d] + f->first[d] >= 0 && last < p->in[d];
		x[d + 1] = f->step_in[d] * p->x_stride[d + 1];
		y[d + 1] = f->step_out[d] * p->y_stride[d + 1];
		rs[d + 1] = f->step_out[d] * p->r_stride[d + 1];
		at_x += f->first[d] * p->x_stride[d + 1];
		at_y += f->first_out[d] * p->y_stride[d + 1];
		at_r += f->first_out[d] * p->r_stride[d + 1];
	}
	e->is = e->is && even_dims(t, x) && even_dims(t, y) && (!p->has_residual || even_dims(t, rs));
	if (!e->is)
		return;
	for (int d = 0; d < 4; d++) {
		at_x += t->lo[d] * x[d];
		at_y += t->lo[d] * y[d];
		at_r += t->lo[d] * rs[d];
	}
	e->x = (uintptr_t)((const float *)ptr[1] + at_x);
	e->y = (uintptr_t)((float *)ptr[0] + at_y);
	e->residual = p->has_residual ? (uintptr_t)((const float *)ptr[2] + at_r) : 0;
	e->step_x = x[3] * (int64_t)sizeof(float);
	e->step_y = y[3] * (int64_t)sizeof(float);
	e->step_r = rs[3] * (int64_t)sizeof(float);
	for (int64_t i = 0; i < EVEN_ROWS; i++) {
		e->to_x[i] = i * e->step_x;
		e->to_y[i] = i * e->step_y;
		e->to_r[i] = i * e->step_r;
	}
}

/* Rows of the box from `row` on: as many as a table has room for. */
static void even_fill(const Even *e, const Depth *k, const Tile *s, int64_t row)
{
	uintptr_t x = e->x + (uintptr_t)(k->at * (int64_t)sizeof(float) + row * e->step_x), y = e->y + (uintptr_t)(row * e->step_y);
	uintptr_t r = e->residual + (uintptr_t)(row * e->step_r);
	for (int i = 0; i < EVEN_ROWS; i++)
		s->a[i] = (const float *)(x + (uintptr_t)e->to_x[i]);
	for (int i = 0; i < EVEN_ROWS; i++)
		s->y[i] = (float *)(y + (uintptr_t)e->to_y[i]);
	if (e->has_residual)
		for (int i = 0; i < EVEN_ROWS; i++)
			s->residual[i] = (const float *)(r + (uintptr_t)e->to_r[i]);
}

/* Fills the tables of a tile with `rows` pixels from the cursor on, line by line; in a line, the pixels at the
 * borders apart. The cursor moves behind them. */
static void tile_fill(const PhaseTask *t, const Runs *r, const Depth *k, const Tile *s, void *const *ptr, Cursor *c,
	int64_t rows)
{
	const ConvParam *p = t->p;
	const Phase *f = t->f;
	int64_t step = f->step_in[2], inner = r->inner, inner_end = r->inner_end;
	int64_t step_y = f->step_out[2] * p->y_stride[3], step_r = f->step_out[2] * p->r_stride[3];
	Segment g = {.rows = rows};
	while (g.row < rows) {
		const float *residual = NULL;
		if (p->has_residual)
			residual = (const float *)ptr[2] + p->r_offset + t->group * p->oc + c->at[0] * p->r_stride[0];
		float *y = (float *)ptr[0] + p->y_offset + t->group * p->oc + c->at[0] * p->y_stride[0];
		g.x = (const float *)ptr[1] + p->x_offset + t->group * p->ic + c->at[0] * p->x_stride[0];
		for (int d = 0; d < 3; d++) {
			int64_t out = f->first_out[d] + c->at[d + 1] * f->step_out[d];
			g.at[d] = c->at[d + 1] * f->step_in[d] + f->first[d];
			g.x += g.at[d] * p->x_stride[d + 1];
			y += out * p->y_stride[d + 1];
			residual += residual ? out * p->r_stride[d + 1] : 0;
		}
		int64_t end = min_i64(t->hi[3], c->at[3] + rows - g.row), first = g.row;
		for (int64_t i = 0; i < end - c->at[3]; i++)
			s->y[first + i] = y + i * step_y;
		for (int64_t i = 0; residual && i < end - c->at[3]; i++)
			s->residual[first + i] = residual + i * step_r;
		for (int64_t at = c->at[3], next; at < end; at = next) {
			bool in = at >= inner && at < inner_end;
			next = in ? min_i64(end, inner_end) : at < inner ? min_i64(end, inner) : end;
			g.count = next - at;
			if (!s->filled)
				segment_pointers(t, r, k, s, &g, in);
			g.row += g.count;
			g.at[2] += g.count * step;
			g.x += g.count * step * p->x_stride[3];
		}
		c->at[3] = end;
		if (end == t->hi[3])
			cursor_line(t, c);
	}
	if (r->copied)
		copy_rows(r, k, s, rows);
}

/* How a task walks through its weights: chunks of panels, parts of the sum; blocks in the order they are used. Chunks are of
 * equal numbers of panels, because each panel of one fetches a panel of the next. */
typedef struct Walk {
	int64_t panel, panels, chunks, parts; /* parts of the sum */
	int64_t each;                         /* panels of a chunk; the last may have fewer */
	Runs runs;
} Walk;

static Walk walk_of(const PhaseTask *t, const Runs *r)
{
	Walk w = {.panel = t->panel, .panels = t->panel_end - t->panel, .runs = *r, .chunks = 1, .parts = 1,
		.each = t->panel_end - t->panel};
	int64_t depth = r->count * r->len, row = PANEL * (int64_t)sizeof(float);
	if (t->tile_end - t->tile < 2 || w.panels * depth * row <= WHOLE_BYTES)
		return w;
	if (depth > K(whole_depth)())
		w.parts = min_i64(r->count > 1 ? r->count : depth / DEPTH, ceil_div(depth, DEPTH));
	w.each = max_i64(1, CHUNK_BYTES / (depth / w.parts * row));
	w.chunks = ceil_div(w.panels, w.each);
	w.each = ceil_div(w.panels, w.chunks);
	return w;
}

int64_t K(whole_depth)(void)
{
	return 3 * DEPTH / 2;
}

bool K(direct_whole)(const ConvParam *p)
{
	return panels_of(p->oc) * p->kernel[0] * p->kernel[1] * p->kernel[2] * p->ic * PANEL * (int64_t)sizeof(float) <=
		WHOLE_BYTES;
}

static Depth walk_depth(const Walk *w, int64_t part)
{
	const Runs *r = &w->runs;
	if (r->count == 1)
		return (Depth){0, 1, r->len * part / w->parts, r->len * (part + 1) / w->parts - r->len * part / w->parts};
	return (Depth){r->count * part / w->parts, r->count * (part + 1) / w->parts, 0, r->len};
}

static int64_t walk_panel(const Walk *w, int64_t chunk)
{
	return w->panel + min_i64(w->each * chunk, w->panels);
}

/* Where the weights of a panel begin for a part of the sum. */
static const float *panel_weights(const PhaseTask *t, const Walk *w, const Depth *k, int64_t panel)
{
	int64_t cols = panel_width(t->p, min_i64(PANEL, t->p->oc - panel * PANEL));
	return t->weights + panel * PANEL * w->runs.count * w->runs.len + (k->run * w->runs.len + k->at) * cols;
}

/* Line number `line` of what the steps after this one read; NULL: past the end. */
static const float *line_ahead(const ConvParam *p, int64_t line)
{
	for (int i = 0; p->ahead && i < p->ahead->n; i++) {
		int64_t lines = p->ahead->part[i].lines;
		if (line < lines)
			return (const float *)*p->ahead->part[i].at + (p->ahead->part[i].first + line) * LINE_FLOATS;
		line -= lines;
	}
	return NULL;
}

/* Fetches the input that follows the last tap of the tile: the share of panel i, `step` floats for each k. */
static void fetch_input(const PhaseTask *t, Micro *m, int64_t rows, int64_t i, int64_t len, int64_t step)
{
	m->ahead = m->a[m->runs * rows - 1] + t->f->step_in[2] * t->p->x_stride[3] + m->runs * len * step * i;
	m->ahead_step = step;
}

/* One tile: panels of a chunk. `next`: the chunk and part that come after; each tile fetches its share of their
 * weights. */
static void tile_run(const PhaseTask *t, const Walk *w, const Depth *k, Micro *m, int64_t rows, int64_t chunk,
	int64_t tile, const Depth *next, int64_t next_chunk, int64_t input_step)
{
	const ConvParam *p = t->p;
	const float *bias = p->bias && !k->run && !k->at ? p->bias + t->group * p->oc : NULL;
	int64_t first = walk_panel(w, chunk), last = walk_panel(w, chunk + 1), tiles = t->tile_end - t->tile;
	int64_t next_first = next ? walk_panel(w, next_chunk) : 0;
	int64_t next_count = next ? walk_panel(w, next_chunk + 1) - next_first : 0;
	MicroRun *wide = K(micro_for)(rows, PANEL, t->few);
	bool ready = p->ahead && p->ahead->ready;
	for (int64_t panel = first; panel < last; panel++) {
		int64_t col = panel * PANEL, cols = min_i64(PANEL, p->oc - col);
		const float *weights = panel_weights(t, w, k, panel);
		m->w_step = panel_width(p, cols);
		m->ahead = weights;
		m->ahead_step = 0;
		if (tiles == 1) {
			m->ahead = weights + AHEAD;
			m->ahead_step = PANEL;
		} else if (panel - first < next_count) {
			int64_t floats = (next->run_end - next->run) * next->len * PANEL;
			m->ahead = panel_weights(t, w, next, next_first + panel - first) + floats * (tile - t->tile) / tiles;
			m->ahead_step = ceil_div(PANEL, tiles);
		} else if (w->chunks * w->parts == 1 && tile == t->tile && !ready) {
			m->ahead = weights + m->runs * k->len * m->w_step;
			m->ahead_step = PANEL;
		} else if (w->chunks * w->parts == 1 && m->runs) {
			int64_t slot = ((tile - t->tile - !ready) * (last - first) + panel - first) * m->runs * k->len;
			const float *later = line_ahead(p, slot);
			if (later) {
				m->ahead = later;
				m->ahead_step = LINE_FLOATS;
			} else
				fetch_input(t, m, rows, panel - first, k->len, input_step);
		}
		if (panel_paired(p, cols))
			K(micro_pairs)(m, rows, weights, bias, col, cols);
		else
			(m->w_step == PANEL ? wide : K(micro_for)(rows, cols, t->few))(m, weights, bias, col, cols);
	}
}

/* Tiles of the task: parts of the sum outermost, then chunks of panels, then tiles, then the panels of the chunk.
 * again: the same weights are used after this. */
static void tiles_run(const PhaseTask *t, const Walk *w, const Tile *s, const Even *even, void *const *ptr, int64_t rows, bool again)
{
	const ConvParam *p = t->p;
	int64_t tiles = phase_tiles(p, t->f, rows), blocks = w->chunks * w->parts;
	for (int64_t block = 0; block < blocks; block++) {
		int64_t part = block / w->chunks, chunk = block % w->chunks, after = (block + 1) % blocks;
		bool first = part == 0, last = part == w->parts - 1, more = blocks > 1 && (block + 1 < blocks || again);
		Depth k = walk_depth(w, part), next = walk_depth(w, after / w->chunks);
		Micro m = {.a = s->a, .runs = k.run_end - k.run, .len = k.len, .y = s->y, .alpha = 1,
			.lo = last ? p->lo : -INFINITY, .hi = last ? p->hi : INFINITY, .hard_swish = last && p->hard_swish,
			.residual = !first ? (const float *const *)s->y : p->has_residual ? s->residual : NULL};
		/* Divisions only here: a tile of a light layer takes little longer than a few of them. Tile i has the rows from
		 * rows * i / tiles on. */
		int64_t least = rows / tiles, more_rows = rows % tiles, part_row = more_rows * t->tile % tiles;
		int64_t work = m.runs * k.len * (walk_panel(w, chunk + 1) - walk_panel(w, chunk));
		int64_t input_step = work ? ceil_div(MICRO_ROWS * t->f->step_in[2] * p->x_stride[3], work) : 0;
		int64_t row = rows * t->tile / tiles;
		Cursor cursor = cursor_at(t, row);
		for (int64_t tile = t->tile; tile < t->tile_end; tile++) {
			int64_t n = least;
			if ((part_row += more_rows) >= tiles) {
				part_row -= tiles;
				n++;
			}
			Tile slot = *s;
			if (w->runs.slots > 1) {
				slot.copy += (tile - t->tile) % w->runs.slots * MICRO_ROWS * w->runs.row;
				slot.filled = chunk > 0;
			}
			if (even->is)
				even_fill(even, &k, s, row);
			else
				tile_fill(t, &w->runs, &k, &slot, ptr, &cursor, n);
			row += n;
			tile_run(t, w, &k, &m, n, chunk, tile, more ? &next : NULL, after % w->chunks, input_step);
		}
	}
}

/* Blocks of tiles outermost, so that what they read of the input stays in second-level cache while the weights pass. */
void K(phase_run)(const PhaseTask *t, void *const *ptr, void *scratch)
{
	const ConvParam *p = t->p;
	Runs r = runs_of(p, t->f);
	Walk w = walk_of(t, &r);
	Tile s;
	int64_t rows = 1, input = r.count > 1 ? p->ic * t->f->step_in[2] : r.len / w.parts; /* floats a row */
	for (int d = 0; d < 4; d++)
		rows *= t->hi[d] - t->lo[d];
	tile_areas(p, &r, scratch, &s);
	s.filled = false;
	run_offsets(p, t->f, &r, s.offset);
	Even even;
	even_of(t, &r, ptr, &even);
	int64_t block = max_i64(LEAST_TILES, INPUT_BYTES / (MICRO_ROWS * input * (int64_t)sizeof(float)));
	if (w.chunks * w.parts == 1)
		block = INT64_MAX;
	else if (r.slots > 1)
		block = min_i64(block, r.slots);
	int64_t count = t->tile_end - t->tile, blocks = ceil_div(count, min_i64(block, count));
	for (int64_t i = 0; i < blocks; i++) {
		PhaseTask sub = *t;
		sub.tile = t->tile + count * i / blocks;
		sub.tile_end = t->tile + count * (i + 1) / blocks;
		tiles_run(&sub, &w, &s, &even, ptr, rows, i + 1 < blocks);
	}
}

/* ---- post programs ---- */

size_t K(conv_post_scratch)(const TileProgram *post)
{
	return post && K(kernel_tile).scratch_bytes ? align64(K(kernel_tile).scratch_bytes(post)) : 0;
}

/* Cuts the range into boxes, each as large as alignment and the rest of the range allow. */
void K(conv_post)(const ConvParam *p, void *const *ptr, int64_t begin, int64_t end, int64_t col, int64_t col_end,
	void *scratch)
{
	int64_t dims[4] = {p->batch, p->out[0], p->out[1], p->out[2]}, inner[4] = {1, 1, 1, 1};
	for (int d = 2; d >= 0; d--)
		inner[d] = inner[d + 1] * dims[d + 1];
	while (begin < end) {
		int d = 0;
		while (begin % inner[d] || end - begin < inner[d])
			d++;
		int64_t lo[5], hi[5], at = begin, n = min_i64((end - begin) / inner[d], dims[d] - begin / inner[d] % dims[d]);
		for (int i = 0; i < 4; i++) {
			lo[i] = i <= d ? at / inner[i] : 0;
			hi[i] = i < d ? lo[i] + 1 : i == d ? lo[i] + n : dims[i];
			at %= inner[i];
		}
		lo[4] = col;
		hi[4] = col_end;
		K(tile_box)(p->post, ptr, lo, hi, scratch);
		begin += n * inner[d];
	}
}

/* ---- tasks ---- */

enum { CUTS = 8, TASK_FLOPS = 4 << 20 }; /* blocks a thread at most, and work that a task should have */

void K(split_work)(int64_t groups, int64_t rows, int64_t cols, double row_cost, double col_cost, double flops,
	int threads, int64_t *task_rows, int64_t *task_cols)
{
	int64_t most = threads > 1 ? max_i64(threads, min_i64((int64_t)CUTS * threads, (int64_t)(flops / TASK_FLOPS))) : 1;
	double best = INFINITY;
	*task_rows = max_i64(rows, 1);
	*task_cols = max_i64(cols, 1);
	for (int64_t r = 1; r <= min_i64(rows, most); r++)
		for (int64_t c = 1; c <= min_i64(cols, most) && (c == 1 || r * c <= most); c++) {
			int64_t br = ceil_div(rows, r), bc = ceil_div(cols, c);
			int64_t tasks = groups * ceil_div(rows, br) * ceil_div(cols, bc);
			double part = (double)br * (double)bc / ((double)rows * (double)cols * (double)groups);
			double cuts = row_cost * (double)(r - 1) + col_cost * (double)(c - 1);
			double time = (double)ceil_div(tasks, threads) * part * (1 + cuts);
			if (time < best * 0.98) {
				best = time;
				*task_rows = br;
				*task_cols = bc;
			}
		}
}
