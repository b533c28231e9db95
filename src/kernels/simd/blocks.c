/* Dense layers whose weights are numbers of 4 or 8 bits with a scale and a zero point for each block: a part of a panel is unpacked
 * to floats in first-level cache, then multiplied with all rows.
 * Packed: for each panel [k] rows of PANEL numbers (4 bits: the first half of the columns in the low bits), then [blocks][PANEL]
 * scales and as many zero points. */
#include "conv.h"

enum { PLAN_BITS, PLAN_BLOCK, DEPTH = 128 };

static int64_t rows_of(const ConvParam *p)
{
	return p->batch * p->out[0] * p->out[1] * p->out[2];
}

static int64_t row_bytes(const ConvParam *p)
{
	return PANEL * p->plan[PLAN_BITS] / 8;
}

static int64_t blocks_of(const ConvParam *p)
{
	return ceil_div(p->ic, p->plan[PLAN_BLOCK]);
}

static size_t panel_bytes(const ConvParam *p)
{
	return align64((size_t)(p->ic * row_bytes(p))) + (size_t)blocks_of(p) * 2 * PANEL * sizeof(float);
}

bool K(blocks_plan)(ConvParam *p, int threads)
{
	double rows = (double)rows_of(p), cols = (double)p->oc;
	if (p->groups != 1 || (p->plan[PLAN_BITS] != 4 && p->plan[PLAN_BITS] != 8) || p->plan[PLAN_BLOCK] < 1)
		return false;
	K(split_work)(1, product_tiles(rows_of(p), p->ic), panels_of(p->oc), 8 / rows, 16 / cols, 2 * (rows + 4) * (double)p->ic * cols, threads,
		&p->task_rows, &p->task_cols);
	return true;
}

size_t K(blocks_pack_bytes)(const ConvParam *p)
{
	return (size_t)panels_of(p->oc) * panel_bytes(p);
}

void K(blocks_pack)(const ConvParam *p, const BlockWeights *w, void *dst)
{
	int64_t bits = p->plan[PLAN_BITS], size = p->plan[PLAN_BLOCK], blocks = blocks_of(p), column = blocks * size * bits / 8;
	for (int64_t n = 0; n < p->oc; n++) {
		char *panel = (char *)dst + (size_t)(n / PANEL) * panel_bytes(p);
		float *scale = (float *)(panel + align64((size_t)(p->ic * row_bytes(p)))), *zero = scale + blocks * PANEL;
		int64_t c = n % PANEL;
		if (c == 0)
			memset(panel, 0, panel_bytes(p));
		const uint8_t *from = w->data + n * column;
		for (int64_t k = 0; k < p->ic; k++) {
			uint8_t *to = (uint8_t *)panel + k * row_bytes(p) + (bits == 4 ? c % LANES : c);
			if (bits == 8)
				*to = from[k];
			else
				*to |= (uint8_t)((from[k / 2] >> (k % 2 * 4) & 15) << (c / LANES * 4));
		}
		for (int64_t b = 0; b < blocks; b++) {
			scale[b * PANEL + c] = w->scale[n * blocks + b];
			zero[b * PANEL + c] = w->zero ? w->zero[n * blocks + b] : (float)(1 << (bits - 1));
		}
	}
}

/* LANES bytes. */
static inline VecInt bytes_int(const uint8_t *x)
{
#if ISA_LEVEL == 4
	return (VecInt)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)x));
#elif ISA_LEVEL == 3
	return (VecInt)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)x));
#else
	VecInt v;
	for (int i = 0; i < LANES; i++)
		v[i] = x[i];
	return v;
#endif
}

/* Rows [k, end) of a panel, all of one block. */
static void unpack(const uint8_t *q, int64_t n, int64_t bits, const float *scale, const float *zero, float *to)
{
	const Vec s0 = vec_load(scale), s1 = vec_load(scale + LANES), z0 = vec_load(zero), z1 = vec_load(zero + LANES);
	for (int64_t k = 0; k < n; k++, to += PANEL, q += bits == 4 ? LANES : PANEL) {
		VecInt a = bytes_int(q), b = bits == 4 ? a >> 4 : bytes_int(q + LANES);
		a &= bits == 4 ? 15 : 255;
		vec_store(to, (__builtin_convertvector(a, Vec) - z0) * s0);
		vec_store(to + LANES, (__builtin_convertvector(b, Vec) - z1) * s1);
	}
}

static void unpack_part(const ConvParam *p, const char *panel, int64_t k, int64_t end, float *to)
{
	int64_t size = p->plan[PLAN_BLOCK];
	const float *scale = (const float *)(panel + align64((size_t)(p->ic * row_bytes(p)))), *zero = scale + blocks_of(p) * PANEL;
	while (k < end) {
		int64_t block = k / size, n = min_i64(end, (block + 1) * size) - k;
		unpack((const uint8_t *)panel + k * row_bytes(p), n, p->plan[PLAN_BITS], scale + block * PANEL, zero + block * PANEL, to);
		to += n * PANEL;
		k += n;
	}
}

/* Areas of the scratch. */
typedef struct Areas {
	const float **x, **residual;
	float **y;
	float *part;              /* [DEPTH][PANEL] */
	void *post;
} Areas;

static size_t areas_of(const ConvParam *p, char *s, Areas *a)
{
	size_t pointers = align64((size_t)rows_of(p) * sizeof(void *)), part = (size_t)DEPTH * PANEL * sizeof(float);
	a->x = (const float **)s;
	a->residual = (const float **)(s + pointers);
	a->y = (float **)(s + 2 * pointers);
	a->part = (float *)(s + 3 * pointers);
	a->post = s + 3 * pointers + part;
	return 3 * pointers + part + K(conv_post_scratch)(p->post);
}

static size_t blocks_scratch(const void *param)
{
	Areas a;
	return areas_of(param, NULL, &a);
}

static void fill_rows(const ConvParam *p, const Areas *a, void *const *ptr, int64_t begin, int64_t end)
{
	for (int64_t r = begin; r < end; r++) {
		int64_t rest = r, x = p->x_offset, y = p->y_offset, e = p->r_offset;
		for (int d = 3; d >= 0; d--) {
			int64_t size = d ? p->out[d - 1] : p->batch, at = rest % size;
			x += at * p->x_stride[d] * (d ? p->stride[d - 1] : 1);
			y += at * p->y_stride[d];
			e += at * p->r_stride[d];
			rest /= size;
		}
		a->x[r - begin] = (const float *)ptr[1] + x;
		a->y[r - begin] = (float *)ptr[0] + y;
		a->residual[r - begin] = p->has_residual ? (const float *)ptr[2] + e : NULL;
	}
}

/* One panel, all rows: parts of the sum one after the other. */
static void run_panel(const ConvParam *p, const Areas *a, int64_t rows, int64_t panel)
{
	const char *packed = (const char *)p->weights + (size_t)panel * panel_bytes(p);
	int64_t cols = min_i64(PANEL, p->oc - panel * PANEL), tiles = product_tiles(rows, p->ic);
	for (int64_t k = 0; k < p->ic; k += DEPTH) {
		int64_t n = min_i64(DEPTH, p->ic - k);
		bool first = k == 0, last = k + n == p->ic;
		unpack_part(p, packed, k, k + n, a->part);
		for (int64_t t = 0; t < tiles; t++) {
			const float *x[MICRO_ROWS];
			int64_t row = rows * t / tiles, count = rows * (t + 1) / tiles - row;
			for (int64_t i = 0; i < count; i++)
				x[i] = a->x[row + i] + k;
			Micro m = { .a = x, .runs = 1, .len = n, .w_step = PANEL, .y = a->y + row, .alpha = 1, .ahead = a->part,
				.residual = !first ? (const float *const *)a->y + row : p->has_residual ? a->residual + row : NULL,
				.lo = last ? p->lo : -INFINITY, .hi = last ? p->hi : INFINITY };
			K(micro_for)(count, cols, rows <= 3)(&m, a->part, first ? p->bias : NULL, panel * PANEL, cols);
		}
	}
}

static int64_t blocks_tasks(const void *param)
{
	const ConvParam *p = param;
	return ceil_div(product_tiles(rows_of(p), p->ic), p->task_rows) * ceil_div(panels_of(p->oc), p->task_cols);
}

/* Tasks: blocks of tiles outermost, then blocks of panels. */
static void blocks_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	Areas a;
	areas_of(p, scratch, &a);
	int64_t rows = rows_of(p), tiles = product_tiles(rows, p->ic), panels = panels_of(p->oc), cuts = ceil_div(panels, p->task_cols);
	for (int64_t task = begin; task < end; task++) {
		int64_t tile = task / cuts * p->task_rows, tile_end = min_i64(tile + p->task_rows, tiles);
		int64_t row = rows * tile / tiles, row_end = rows * tile_end / tiles;
		int64_t panel = task % cuts * p->task_cols, last = min_i64(panel + p->task_cols, panels);
		fill_rows(p, &a, ptr, row, row_end);
		for (int64_t k = panel; k < last; k++)
			run_panel(p, &a, row_end - row, k);
		if (p->post)
			K(conv_post)(p, ptr, row, row_end, panel * PANEL, min_i64(last * PANEL, p->oc), a.post);
	}
}

const Kernel K(kernel_blocks) = { blocks_tasks, blocks_run, blocks_scratch };
