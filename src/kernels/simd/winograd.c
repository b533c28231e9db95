/* Winograd's F(4x4, 3x3): a tile of 4x4 outputs from 6x6 inputs takes 36 multiplications a pair of channels, not 144.
 *   Y = A' [ (G g G') . (B' d B) ] A,  interpolation points 0, 1, -1, 2, -2, infinity
 * A block of tiles is transformed to V[36][tiles][ic]; for a few panels of output channels, 36 products with the
 * transformed weights U[36][ic][PANEL] of each give M[36][tiles][panels][PANEL], which is transformed back from cache.
 * Error against double, normal inputs, outputs of root mean square 0.48: root mean square 7e-7 at 64 channels, 1.0e-6 at
 * 128, 1.4e-6 at 256, 2.0e-6 at 512 (largest of 6272: 8e-6, 1.2e-5, 2.0e-5, 4.0e-5), 3.6 times that of the direct
 * kernel. */
#include "conv.h"

enum {
	IN = 6, OUT = 4, POINTS = IN * IN, LEAST_CHANNELS = 32, LEAST_SIDE = 12, ROW_PAD = 16,
	V_BYTES = 512 << 10,          /* of V where it stays in second-level cache while the panels pass */
	WIDE_CHANNELS = 288,          /* from here on V is too large for that: points are outermost, M holds all panels */
	WIDE_TILES = 4 * DEEP_ROWS,
	PAGE_FLOATS = 1024, MOST_STREAMS = 8,
};

/* plan[]: tiles of a block; panels that M holds. */
enum { PLAN_BLOCK, PLAN_HELD };

static int64_t tiles_down(const ConvParam *p)
{
	return ceil_div(p->out[1], OUT);
}

static int64_t tiles_across(const ConvParam *p)
{
	return ceil_div(p->out[2], OUT);
}

static int64_t tiles_of(const ConvParam *p)
{
	return p->batch * tiles_down(p) * tiles_across(p);
}

static int64_t v_row(const ConvParam *p)
{
	return packed_cols(p->ic) + ROW_PAD;
}

/* Floats from one of the 36 matrices to the next: one line more, so that the 36 places that a transform writes do not
 * fall into one set of the cache. */
static int64_t v_matrix(const ConvParam *p)
{
	return p->plan[PLAN_BLOCK] * v_row(p) + ROW_PAD;
}

static int64_t m_matrix(const ConvParam *p)
{
	return p->plan[PLAN_BLOCK] * p->plan[PLAN_HELD] * PANEL + ROW_PAD;
}

/* Blocks of tiles are cut evenly. */
static int64_t blocks_of(const ConvParam *p)
{
	return ceil_div(tiles_of(p), p->plan[PLAN_BLOCK]);
}

static bool is_wide(const ConvParam *p)
{
	return p->ic >= WIDE_CHANNELS;
}

bool K(winograd_plan)(ConvParam *p, int threads)
{
	for (int d = 0; d < 3; d++)
		if (p->kernel[d] != (d ? 3 : 1) || p->stride[d] != 1 || p->dilation[d] != 1 ||
			(d == 0 && (p->in[0] != 1 || p->out[0] != 1)))
			return false;
	if (p->groups != 1 || p->ic < LEAST_CHANNELS || p->oc < LEAST_CHANNELS || p->out[1] < LEAST_SIDE ||
		p->out[2] < LEAST_SIDE)
		return false;
	int64_t tiles = tiles_of(p), fit = V_BYTES / (POINTS * v_row(p) * (int64_t)sizeof(float)) / DEEP_ROWS * DEEP_ROWS;
	bool wide = is_wide(p);
	int64_t most = wide ? WIDE_TILES : max_i64(2 * DEEP_ROWS, fit), blocks = ceil_div(tiles, most);
	double flops = 2.0 * POINTS * (double)tiles * (double)p->ic * (double)p->oc;
	if (threads > 1 && flops > 1e7 && blocks % threads && tiles / (blocks + threads) >= DEEP_ROWS)
		blocks += threads - blocks % threads;
	p->plan[PLAN_BLOCK] = ceil_div(tiles, blocks);
	/* A cut through the panels transforms the input again. */
	K(split_work)(1, blocks_of(p), panels_of(p->oc), 0.001, 6.0 / (double)p->oc, flops, threads, &p->task_rows,
		&p->task_cols);
	p->plan[PLAN_HELD] = wide ? p->task_cols : 1;
	return true;
}

/* ---- weights ---- */

/* Floats from the weights of a point to those of the next. Weights lie in the order in which they are used, as a stream
 * that jumps comes from memory a third slower: [panel][36][ic][PANEL], wide ones [36][panel][ic][PANEL]. */
static int64_t u_matrix(const ConvParam *p, int64_t panel)
{
	return p->ic * packed_cols(is_wide(p) ? p->oc : min_i64(PANEL, p->oc - panel * PANEL));
}

/* Where the weights of a panel begin. */
static int64_t u_panel(const ConvParam *p, int64_t panel)
{
	return panel * PANEL * p->ic * (is_wide(p) ? 1 : POINTS);
}

size_t K(winograd_pack_bytes)(const ConvParam *p)
{
	return align64((size_t)(POINTS * p->ic * packed_cols(p->oc)) * sizeof(float));
}

typedef double Double __attribute__((vector_size(4 * LANES))); /* half as many lanes */
typedef float Half __attribute__((vector_size(2 * LANES)));
enum { HALF = LANES / 2, INPUTS = 8 };

/* G times a column of 3. */
static inline __attribute__((always_inline)) void weight_transform(const Double g[3], Double u[IN])
{
	Double even = g[0] + g[2], far = g[0] * (1.0 / 24) + g[2] * (1.0 / 6);
	u[0] = g[0] * 0.25;
	u[1] = (even + g[1]) * (-1.0 / 6);
	u[2] = (even - g[1]) * (-1.0 / 6);
	u[3] = far + g[1] * (1.0 / 12);
	u[4] = far - g[1] * (1.0 / 12);
	u[5] = g[2];
}

/* HALF columns of one input channel: g[y][x], to point n at to[n * matrix]. In double; rounded once. */
static void weight_tile(double g[3][3][HALF], float *to, int64_t matrix)
{
	Double rows[IN][3];
	for (int x = 0; x < 3; x++) {
		Double in[3], col[IN];
		for (int y = 0; y < 3; y++)
			memcpy(&in[y], g[y][x], sizeof in[y]);
		weight_transform(in, col);
		for (int i = 0; i < IN; i++)
			rows[i][x] = col[i];
	}
	for (int i = 0; i < IN; i++) {
		Double u[IN];
		weight_transform(rows[i], u);
		for (int x = 0; x < IN; x++) {
			Half h = __builtin_convertvector(u[x], Half);
			memcpy(to + (i * IN + x) * matrix, &h, sizeof h);
		}
	}
}

/* Input channels [0, n) of columns [0, cols) to buffer[36][n][width]. */
static void pack_inputs(const FloatAny *w, const int64_t s[5], int64_t n, int64_t cols, int64_t width, float *buffer)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t c = 0; c < width; c += HALF) {
			double g[3][3][HALF] = {{{0}}};
			for (int64_t j = 0; j < HALF && c + j < cols; j++)
				for (int y = 0; y < 3; y++)
					for (int x = 0; x < 3; x++)
						g[y][x][j] = (double)w[(c + j) * s[0] + i * s[1] + y * s[3] + x * s[4]];
			weight_tile(g, buffer + i * width + c, n * width);
		}
}

/* A few input channels at a time, so that each of the 36 matrices is written in pieces of several lines. */
void K(winograd_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst)
{
	float buffer[POINTS * INPUTS * PANEL];
	for (int64_t col = 0; col < p->oc; col += PANEL) {
		int64_t cols = min_i64(PANEL, p->oc - col), width = packed_cols(cols), matrix = u_matrix(p, col / PANEL);
		float *to = (float *)dst + u_panel(p, col / PANEL);
		for (int64_t i = 0, n; i < p->ic; i += n) {
			n = min_i64(INPUTS, p->ic - i);
			pack_inputs(w + col * s[0] + i * s[1], s, n, cols, width, buffer);
			for (int at = 0; at < POINTS; at++)
				memcpy(to + at * matrix + i * width, buffer + at * n * width, (size_t)(n * width) * sizeof(float));
		}
	}
}

/* ---- input and output ---- */

/* B' times a column of 6. */
static inline __attribute__((always_inline)) void input_transform(const Vec d[IN], Vec v[IN])
{
	Vec a = d[4] - 4 * d[2], b = d[3] - 4 * d[1], c = d[4] - d[2], e = 2 * (d[3] - d[1]);
	v[0] = 4 * d[0] - 5 * d[2] + d[4];
	v[1] = a + b;
	v[2] = a - b;
	v[3] = c + e;
	v[4] = c - e;
	v[5] = 4 * d[1] - 5 * d[3] + d[5];
}

/* A' times a column of 6. */
static inline __attribute__((always_inline)) void output_transform(const Vec m[IN], Vec y[OUT])
{
	Vec a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4];
	y[0] = m[0] + a + c;
	y[1] = b + 2 * d;
	y[2] = a + 4 * c;
	y[3] = b + 8 * d + m[5];
}

/* A tile of inputs whose first pixel is x, rows [top, bottom) and columns [left, right) of it inside; LANES
 * channels. */
typedef struct InTile {
	const float *x;
	int64_t down, across;
	int top, bottom, left, right;
} InTile;

/* v: where the first of the 36 goes; matrix: distance to the next. part: only `channels` < LANES channels. */
static inline __attribute__((always_inline)) void tile_in(const InTile *t, float *v, int64_t matrix, int64_t channels,
	const bool whole, const bool part)
{
	Vec rows[IN][IN];
	for (int x = 0; x < IN; x++) {
		Vec d[IN], col[IN];
#pragma GCC unroll 6
		for (int y = 0; y < IN; y++) {
			const float *from = t->x + y * t->down + x * t->across;
			if (!whole && (y < t->top || y >= t->bottom || x < t->left || x >= t->right))
				d[y] = (Vec){0};
			else
				d[y] = part ? vec_load_part(from, channels) : vec_load(from);
		}
		input_transform(d, col);
#pragma GCC unroll 6
		for (int y = 0; y < IN; y++)
			rows[y][x] = col[y];
	}
	for (int y = 0; y < IN; y++) {
		Vec u[IN];
		input_transform(rows[y], u);
#pragma GCC unroll 6
		for (int x = 0; x < IN; x++)
			vec_store(v + (y * IN + x) * matrix, u[x]);
	}
}

static void tile_in_any(const InTile *t, float *v, int64_t matrix, int64_t ic)
{
	bool whole = t->top == 0 && t->left == 0 && t->bottom == IN && t->right == IN;
	InTile at = *t;
	int64_t c = 0;
	for (; c + LANES <= ic; c += LANES, at.x += LANES)
		if (whole)
			tile_in(&at, v + c, matrix, LANES, true, false);
		else
			tile_in(&at, v + c, matrix, LANES, false, false);
	if (c < ic)
		tile_in(&at, v + c, matrix, ic - c, false, true);
}

/* A finished tile: `down` x `across` of its pixels lie in the output. */
typedef struct OutTile {
	const ConvParam *p;
	float *y;
	const float *residual;
	int64_t down, across;
} OutTile;

/* Channels [c, c + n), n <= LANES. */
static inline __attribute__((always_inline)) void tile_out(const OutTile *t, const float *m, int64_t matrix,
	int64_t c, int64_t n, const bool part)
{
	const ConvParam *p = t->p;
	Vec rows[OUT][IN], lo = vec_set(p->lo), hi = vec_set(p->hi);
	Vec bias = p->bias ? vec_load_part(p->bias + c, n) : (Vec){0};
	for (int x = 0; x < IN; x++) {
		Vec col[IN], y[OUT];
#pragma GCC unroll 6
		for (int i = 0; i < IN; i++)
			col[i] = vec_load(m + (i * IN + x) * matrix);
		output_transform(col, y);
#pragma GCC unroll 4
		for (int i = 0; i < OUT; i++)
			rows[i][x] = y[i];
	}
	for (int i = 0; i < OUT && i < t->down; i++) {
		Vec out[OUT];
		output_transform(rows[i], out);
#pragma GCC unroll 4
		for (int x = 0; x < OUT; x++) {
			if (x >= t->across)
				break;
			Vec v = out[x] + bias;
			if (t->residual) {
				const float *r = t->residual + i * p->r_stride[2] + x * p->r_stride[3] + c;
				v += part ? vec_load_part(r, n) : vec_load(r);
			}
			v = vec_min(hi, vec_max(lo, v));
			float *to = t->y + i * p->y_stride[2] + x * p->y_stride[3] + c;
			if (part)
				vec_store_part(to, v, n);
			else
				vec_store(to, v);
		}
	}
}

/* ---- tasks ---- */

typedef struct Areas {
	float *v, *m;
	const float **a;
	float **y;
	void *post;
} Areas;

static size_t areas_of(const ConvParam *p, void *scratch, Areas *s)
{
	size_t v = align64((size_t)(POINTS * v_matrix(p)) * sizeof(float)),
		m = align64((size_t)(POINTS * m_matrix(p)) * sizeof(float));
	size_t pointers = align64(MICRO_ROWS * sizeof(void *));
	if (s) {
		char *at = scratch;
		*s = (Areas){(float *)at, (float *)(at + v), (const float **)(at + v + m), (float **)(at + v + m + pointers),
			at + v + m + 2 * pointers};
	}
	return v + m + 2 * pointers + K(conv_post_scratch)(p->post);
}

static size_t winograd_scratch(const void *param)
{
	return areas_of(param, NULL, NULL);
}

static int64_t winograd_tasks(const void *param)
{
	const ConvParam *p = param;
	return ceil_div(blocks_of(p), p->task_rows) * ceil_div(panels_of(p->oc), p->task_cols);
}

/* Where a tile lies: batch, and its first output. */
static void tile_place(const ConvParam *p, int64_t tile, int64_t *n, int64_t *h, int64_t *w)
{
	*w = tile % tiles_across(p) * OUT;
	tile /= tiles_across(p);
	*h = tile % tiles_down(p) * OUT;
	*n = tile / tiles_down(p);
}

static void block_in(const ConvParam *p, const Areas *s, const float *x, int64_t begin, int64_t end)
{
	for (int64_t tile = begin; tile < end; tile++) {
		int64_t n, h, w;
		tile_place(p, tile, &n, &h, &w);
		h -= p->pad[1];
		w -= p->pad[2];
		InTile t = {x + n * p->x_stride[0] + h * p->x_stride[2] + w * p->x_stride[3], p->x_stride[2], p->x_stride[3],
			(int)max_i64(0, -h), (int)min_i64(IN, p->in[1] - h), (int)max_i64(0, -w), (int)min_i64(IN, p->in[2] - w)};
		tile_in_any(&t, s->v + (tile - begin) * v_row(p), v_matrix(p), p->ic);
	}
}

/* Weights of a panel at a point. */
static const float *u_at(const ConvParam *p, int64_t panel, int point)
{
	return (const float *)p->weights + u_panel(p, panel) + point * u_matrix(p, panel);
}

/* The function for a tile that fetches `floats` from `from` on: several pages in turns, a line at a time, as several streams
 * come from memory faster than one. */
static MicroRun *fetching(Micro *m, int64_t rows, const float *from, int64_t floats)
{
	int64_t streams = m->w_step > LANES ? min_i64(floats / PAGE_FLOATS, MOST_STREAMS) : 1;
	m->ahead = from;
	m->ahead_step = floats / m->len;
	if (streams <= 1)
		return K(micro_for)(rows, m->w_step, false);
	m->ahead_step = (m->ahead_step + floats) / streams;
	m->ahead_end = from + floats;
	m->ahead_back = floats;
	return K(micro_paged)(rows);
}

/* The 36 products of panels [begin, end). */
static void block_products(const ConvParam *p, const Areas *s, int64_t tiles, int64_t begin, int64_t end)
{
	int64_t blocks = product_tiles(tiles, p->ic), m_row = p->plan[PLAN_HELD] * PANEL;
	Micro m = {.a = s->a, .runs = 1, .len = p->ic, .y = s->y, .alpha = 1, .lo = -INFINITY, .hi = INFINITY};
	for (int n = 0; n < POINTS; n++)
		for (int64_t panel = begin; panel < end; panel++) {
			bool last = panel + 1 == end;
			int64_t next = !last ? panel + 1 : n + 1 == POINTS ? min_i64(end, panels_of(p->oc) - 1) : begin;
			const float *ahead = u_at(p, next, last ? (n + 1) % POINTS : n), *u = u_at(p, panel, n);
			m.w_step = packed_cols(min_i64(PANEL, p->oc - panel * PANEL));
			for (int64_t b = 0; b < blocks; b++) {
				int64_t first = tiles * b / blocks, rows = tiles * (b + 1) / blocks - first;
				for (int64_t i = 0; i < rows; i++) {
					s->a[i] = s->v + n * v_matrix(p) + (first + i) * v_row(p);
					s->y[i] = s->m + n * m_matrix(p) + (first + i) * m_row + (panel - begin) * PANEL;
				}
				MicroRun *run = fetching(&m, rows, ahead + p->ic * PANEL * b / blocks, p->ic * ceil_div(PANEL, blocks));
				run(&m, u, NULL, 0, m.w_step);
			}
		}
}

/* m: of the panel's columns. */
static void block_out(const ConvParam *p, const float *m_panel, void *const *ptr, int64_t begin, int64_t end,
	int64_t panel)
{
	for (int64_t tile = begin; tile < end; tile++) {
		int64_t n, h, w, last = min_i64(p->oc, (panel + 1) * PANEL);
		tile_place(p, tile, &n, &h, &w);
		OutTile t = {.p = p, .down = p->out[1] - h, .across = p->out[2] - w};
		t.y = (float *)ptr[0] + p->y_offset + n * p->y_stride[0] + h * p->y_stride[2] + w * p->y_stride[3];
		if (p->has_residual)
			t.residual = (const float *)ptr[2] + p->r_offset + n * p->r_stride[0] + h * p->r_stride[2] +
				w * p->r_stride[3];
		const float *m = m_panel + (tile - begin) * p->plan[PLAN_HELD] * PANEL;
		for (int64_t c = panel * PANEL; c < last; c += LANES, m += LANES)
			if (c + LANES <= last)
				tile_out(&t, m, m_matrix(p), c, LANES, false);
			else
				tile_out(&t, m, m_matrix(p), c, last - c, true);
	}
}

/* The post program over tiles [begin, end), which may start and end within a row of tiles. */
static void block_post(const ConvParam *p, void *const *ptr, int64_t begin, int64_t end, int64_t col, int64_t col_end,
	void *scratch)
{
	int64_t across = tiles_across(p);
	while (begin < end) {
		int64_t n, h, w, first = begin % across, rows = first ? 0 : (end - begin) / across;
		tile_place(p, begin, &n, &h, &w);
		rows = min_i64(rows, tiles_down(p) - h / OUT);
		int64_t count = rows ? rows * across : min_i64(across - first, end - begin);
		int64_t last = rows ? across : first + count;
		int64_t lo[5] = {n, 0, h, w, col};
		int64_t hi[5] = {n + 1, 1, min_i64(h + max_i64(rows, 1) * OUT, p->out[1]), min_i64(last * OUT, p->out[2]),
			col_end};
		K(tile_box)(p->post, ptr, lo, hi, scratch);
		begin += count;
	}
}

/* Tasks: groups of blocks outermost, then groups of panels; tasks that follow each other on one block share V. */
static void winograd_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	int64_t panels = panels_of(p->oc), cuts = ceil_div(panels, p->task_cols), tiles = tiles_of(p),
		blocks = blocks_of(p), ready = -1;
	const float *x = (const float *)ptr[1] + p->x_offset;
	Areas s;
	areas_of(p, scratch, &s);
	for (int64_t task = begin; task < end; task++) {
		int64_t block = task / cuts * p->task_rows, block_end = min_i64(block + p->task_rows, blocks);
		int64_t panel = task % cuts * p->task_cols, panel_end = min_i64(panel + p->task_cols, panels);
		for (; block < block_end; block++) {
			int64_t first = tiles * block / blocks, last = tiles * (block + 1) / blocks;
			if (block != ready)
				block_in(p, &s, x, first, last);
			ready = block;
			for (int64_t i = panel, next; i < panel_end; i = next) {
				next = min_i64(i + p->plan[PLAN_HELD], panel_end);
				block_products(p, &s, last - first, i, next);
				for (int64_t at = i; at < next; at++)
					block_out(p, s.m + (at - i) * PANEL, ptr, first, last, at);
			}
			if (p->post)
				block_post(p, ptr, first, last, panel * PANEL, min_i64(panel_end * PANEL, p->oc), s.post);
		}
	}
}

const Kernel K(kernel_winograd) = {winograd_tasks, winograd_run, winograd_scratch};
