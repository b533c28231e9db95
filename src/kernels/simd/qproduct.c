/* Convolution of 8-bit integers as a product of matrices. Rows of the left factor (the taps of an output pixel) are gathered into
 * a block, padding and all, unless they lie in memory as they are needed; the right one is packed into panels of columns whose
 * 32-bit elements hold the weights of neighbouring depths.
 *
 * With `dot` an element is four bytes, unsigned of the row and signed of the weights: signed rows and unsigned weights are
 * shifted by 128, and their zero points with them. The sum of (x - zx)(w - zw) is then that of x w, less zx times the sum of the
 * column, less zw times the sum of the row, plus K zx zw. Else an element is two 16-bit differences from the zero points. */
#include "qconv.h"

typedef void QMicroRun(const char *const *a, int64_t steps, const int32_t *w, int64_t w_step, int32_t *out);

static inline __attribute__((always_inline)) VecInt row_part(const char *p)
{
	int32_t x;
	memcpy(&x, p, sizeof(x));
	return x - (VecInt){ 0 };
}

static inline __attribute__((always_inline)) VecInt add_pairs(VecInt sum, VecInt x, VecInt w)
{
#if ISA_LEVEL == 4
	return sum + (VecInt)_mm512_madd_epi16((__m512i)x, (__m512i)w);
#elif ISA_LEVEL == 3
	return sum + (VecInt)_mm256_madd_epi16((__m256i)x, (__m256i)w);
#elif defined(__SSE2__)
	return sum + (VecInt)_mm_madd_epi16((__m128i)x, (__m128i)w);
#else
	return sum + (x << 16 >> 16) * (w << 16 >> 16) + (x >> 16) * (w >> 16);
#endif
}

#define QNAME(x) x##_pair
#define QTARGET
#define QDOT(sum, x, w) add_pairs(sum, x, w)
#include "qmicro.inc"
#undef QNAME
#undef QTARGET
#undef QDOT

#if ISA_LEVEL == 4
#define QNAME(x) x##_dot
#define QTARGET __attribute__((target("avx512vnni")))
#define QDOT(sum, x, w) (VecInt)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(x), (__m512i)(w))
#include "qmicro.inc"
#endif

bool K(has_dot)(void)
{
#if ISA_LEVEL == 4
	return __builtin_cpu_supports("avx512vnni");
#else
	return false;
#endif
}

static QMicroRun *micro_for(const QConvParam *p, int64_t rows, int64_t cols)
{
#if ISA_LEVEL == 4
	if (p->dot)
		return QMICRO_dot[rows - 1][cols > LANES];
#endif
	(void)p;
	return QMICRO_pair[rows - 1][cols > LANES];
}

/* ---- sizes ---- */

static int64_t rows_of(const ConvParam *c)
{
	return c->batch * c->out[0] * c->out[1] * c->out[2];
}

static int64_t depth_of(const ConvParam *c)
{
	return c->kernel[0] * c->kernel[1] * c->kernel[2] * c->ic;
}

/* 32-bit elements of a row. */
static int64_t steps_of(const QConvParam *p)
{
	return ceil_div(depth_of(&p->c), p->dot ? 4 : 2);
}

enum { LARGEST = 255 * 255 };

/* Rows are read where they lie: one tap, nothing to convert or to add up. */
static bool reads_in_place(const QConvParam *p)
{
	const ConvParam *c = &p->c;
	bool one = p->dot && !p->x_signed && !p->w_zeros && c->ic % 4 == 0;
	for (int d = 0; d < 3; d++)
		one = one && c->kernel[d] == 1 && c->pad[d] == 0 && c->in[d] > (c->out[d] - 1) * c->stride[d];
	return one;
}

bool K(qproduct_plan)(QConvParam *p, int threads)
{
	ConvParam *c = &p->c;
	int64_t depth = depth_of(c);
	/* Sums that are scaled must not wrap around. */
	if (p->finish != QFINISH_INT && depth > INT32_MAX / LARGEST)
		return false;
	double rows = (double)rows_of(c), cols = (double)c->oc;
	K(split_work)(c->groups, rows_tiles(rows_of(c)), panels_of(c->oc), 16 / rows, 16 / cols,
		2 * rows * (double)depth * cols * (double)c->groups / 3, threads, &c->task_rows, &c->task_cols);
	p->pitch = min_i64(c->oc, c->task_cols * PANEL);
	return true;
}

/* ---- packing: for each group and panel [steps][columns] elements, then of each channel the sum of its weights and its zero
 * point ---- */

static size_t panel_bytes(const QConvParam *p)
{
	return align64((size_t)(p->c.groups * steps_of(p) * packed_cols(p->c.oc)) * 4);
}

size_t K(qproduct_pack_bytes)(const QConvParam *p)
{
	return panel_bytes(p) + align64((size_t)(p->c.groups * p->c.oc) * 8);
}

static int32_t weight_at(const QWeights *w, int64_t i)
{
	return w->is_signed ? ((const int8_t *)w->data)[i] : ((const uint8_t *)w->data)[i];
}

/* One column; returns the sum of what dot products see. */
static int32_t pack_column(const QConvParam *p, const QWeights *w, int64_t at, int32_t zero, int64_t width, char *dst)
{
	const ConvParam *c = &p->c;
	int64_t n = 0, each = p->dot ? 4 : 2;
	int32_t sum = 0;
	for (int64_t d = 0; d < c->kernel[0]; d++)
		for (int64_t h = 0; h < c->kernel[1]; h++)
			for (int64_t x = 0; x < c->kernel[2]; x++)
				for (int64_t i = 0; i < c->ic; i++, n++) {
					int32_t v = weight_at(w, at + i * w->stride[1] + d * w->stride[2] + h * w->stride[3] + x * w->stride[4]);
					char *to = dst + n / each * width * 4;
					v -= p->dot ? (w->is_signed ? 0 : 128) : zero;
					sum += v;
					if (p->dot)
						((int8_t *)to)[n % 4] = (int8_t)v;
					else
						((int16_t *)to)[n % 2] = (int16_t)v;
				}
	return sum;
}

void K(qproduct_pack)(const QConvParam *p, const QWeights *w, void *dst)
{
	const ConvParam *c = &p->c;
	char *panel = dst;
	int32_t *sum = (int32_t *)((char *)dst + panel_bytes(p)), *zero = sum + c->groups * c->oc;
	memset(dst, 0, panel_bytes(p));
	for (int64_t g = 0; g < c->groups; g++)
		for (int64_t col = 0; col < c->oc; col += PANEL) {
			int64_t cols = min_i64(PANEL, c->oc - col), width = packed_cols(cols);
			for (int64_t k = 0; k < cols; k++) {
				int64_t o = g * c->oc + col + k;
				zero[o] = w->zero[o] - (w->is_signed ? 0 : 128);
				sum[o] = pack_column(p, w, o * w->stride[0], w->zero[o], width, panel + k * 4);
			}
			panel += steps_of(p) * width * 4;
		}
}

/* ---- rows ---- */

enum { BLOCK_BYTES = 192 << 10, POST_ROWS_BYTES = 128 << 10, BLOCK_ROWS = 1024 };

/* Areas of the scratch. */
typedef struct Areas {
	int64_t rows;             /* of a block at most */
	const char **a;           /* [rows] */
	int64_t *y;               /* [rows] */
	int32_t *row_sum;         /* [rows] */
	char *block;              /* [rows][steps][4]: gathered rows */
	char *post;               /* [rows][pitch] finished sums */
	void *post_scratch;
} Areas;

static size_t areas_of(const QConvParam *p, char *s, Areas *a)
{
	bool in_place = reads_in_place(p);
	int64_t row = steps_of(p) * 4, rows = rows_of(&p->c);
	int64_t most = min_i64(BLOCK_ROWS, BLOCK_BYTES / max_i64(row, 1));
	if (p->c.post)
		most = min_i64(most, POST_ROWS_BYTES / (p->pitch * 4));
	a->rows = min_i64(max_i64(most / MICRO_ROWS, 2) * MICRO_ROWS, max_i64(rows, 1));
	size_t n = (size_t)a->rows, at = 0;
	a->a = (const char **)s;
	at += align64(n * sizeof(void *));
	a->y = (int64_t *)(s + at);
	at += align64(n * sizeof(int64_t));
	a->row_sum = (int32_t *)(s + at);
	at += align64(n * sizeof(int32_t));
	a->block = s + at;
	at += in_place ? 0 : align64(n * (size_t)row);
	a->post = s + at;
	at += p->c.post ? align64(n * (size_t)p->pitch * 4) : 0;
	a->post_scratch = s + at;
	return at + K(conv_post_scratch)(p->c.post);
}

static size_t product_scratch(const void *param)
{
	Areas a;
	return areas_of(param, NULL, &a);
}

/* n bytes of the input as elements of a row. */
static void copy_part(const QConvParam *p, const uint8_t *from, int64_t n, int32_t zero, char *to)
{
	if (p->dot) {
		uint8_t flip = p->x_signed ? 0x80 : 0, *d = (uint8_t *)to;
		if (!flip)
			memcpy(d, from, (size_t)n);
		else
			for (int64_t i = 0; i < n; i++)
				d[i] = from[i] ^ flip;
		return;
	}
	int16_t *d = (int16_t *)to;
	if (p->x_signed)
		for (int64_t i = 0; i < n; i++)
			d[i] = (int16_t)((int8_t)from[i] - zero);
	else
		for (int64_t i = 0; i < n; i++)
			d[i] = (int16_t)(from[i] - zero);
}

/* What stands for the zero point, as dot products see it or as a difference. */
static void fill_part(const QConvParam *p, int64_t n, int32_t zero, char *to)
{
	memset(to, p->dot ? (p->x_signed ? zero + 128 : zero) : 0, (size_t)n * (p->dot ? 1 : 2));
}

/* A row of taps along the width: x is at the first, which may lie outside. */
static void gather_line(const QConvParam *p, const uint8_t *x, int64_t at, int32_t zero, char *to)
{
	const ConvParam *c = &p->c;
	int64_t size = p->dot ? 1 : 2, ic = c->ic, taps = c->kernel[2];
	if (c->dilation[2] == 1 && c->x_stride[3] == ic) {
		int64_t begin = min_i64(max_i64(-at, 0), taps), end = max_i64(begin, min_i64(c->in[2] - at, taps));
		fill_part(p, begin * ic, zero, to);
		if (end > begin)
			copy_part(p, x + begin * ic, (end - begin) * ic, zero, to + begin * ic * size);
		fill_part(p, (taps - end) * ic, zero, to + end * ic * size);
		return;
	}
	for (int64_t k = 0; k < taps; k++, at += c->dilation[2], to += ic * size) {
		if (at < 0 || at >= c->in[2])
			fill_part(p, ic, zero, to);
		else
			copy_part(p, x + k * c->dilation[2] * c->x_stride[3], ic, zero, to);
	}
}

static void gather_row(const QConvParam *p, const uint8_t *x, const int64_t at[3], int32_t zero, char *to)
{
	const ConvParam *c = &p->c;
	int64_t line = c->kernel[2] * c->ic * (p->dot ? 1 : 2);
	char *start = to;
	for (int64_t d = 0; d < c->kernel[0]; d++)
		for (int64_t h = 0; h < c->kernel[1]; h++, to += line) {
			int64_t i0 = at[0] + d * c->dilation[0], i1 = at[1] + h * c->dilation[1];
			if (i0 < 0 || i0 >= c->in[0] || i1 < 0 || i1 >= c->in[1])
				fill_part(p, c->kernel[2] * c->ic, zero, to);
			else
				gather_line(p, x + d * c->dilation[0] * c->x_stride[1] + h * c->dilation[1] * c->x_stride[2], at[2], zero, to);
		}
	memset(to, 0, (size_t)(steps_of(p) * 4 - (to - start)));
}

static int32_t sum_bytes(const uint8_t *x, int64_t n)
{
	int32_t sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* A row: batch and output pixel. */
typedef struct Pixel {
	int64_t at[4];
} Pixel;

static Pixel pixel_at(const ConvParam *c, int64_t row)
{
	Pixel o;
	for (int d = 3; d > 0; d--) {
		o.at[d] = row % c->out[d - 1];
		row /= c->out[d - 1];
	}
	o.at[0] = row;
	return o;
}

static void pixel_next(const ConvParam *c, Pixel *o)
{
	for (int d = 3; d > 0; d--) {
		if (++o->at[d] < c->out[d - 1])
			return;
		o->at[d] = 0;
	}
	o->at[0]++;
}

/* Rows [begin, end) of a group: where they lie, gathered if need be. */
static void fill_rows(const QConvParam *p, const Areas *a, void *const *ptr, int64_t group, int64_t begin, int64_t end,
	int32_t zero)
{
	const ConvParam *c = &p->c;
	bool in_place = reads_in_place(p);
	int64_t row = steps_of(p) * 4, depth = depth_of(c);
	Pixel o = pixel_at(c, begin);
	for (int64_t r = begin; r < end; r++, pixel_next(c, &o)) {
		int64_t at[3];
		for (int d = 0; d < 3; d++)
			at[d] = o.at[d + 1] * c->stride[d] - c->pad[d];
		const uint8_t *x = (const uint8_t *)ptr[1] + c->x_offset + group * c->ic + o.at[0] * c->x_stride[0] +
			at[0] * c->x_stride[1] + at[1] * c->x_stride[2] + at[2] * c->x_stride[3];
		char *to = a->block + (r - begin) * row;
		if (!in_place)
			gather_row(p, x, at, zero, to);
		a->a[r - begin] = in_place ? (const char *)x : to;
		a->row_sum[r - begin] = p->w_zeros ? sum_bytes((const uint8_t *)to, depth) : 0;
	}
}

void K(q_rows)(const ConvParam *c, int64_t begin, int64_t end, int64_t *y)
{
	Pixel o = pixel_at(c, begin);
	for (int64_t r = begin; r < end; r++, pixel_next(c, &o))
		y[r - begin] = c->y_offset + o.at[0] * c->y_stride[0] + o.at[1] * c->y_stride[1] + o.at[2] * c->y_stride[2] +
			o.at[3] * c->y_stride[3];
}

void K(q_post)(const QConvParam *p, void *const *ptr, void *block, int64_t begin, int64_t end, int64_t col, int64_t col_end,
	void *scratch)
{
	void *own[TILE_OPERANDS + 8];
	int most = 0;
	for (int k = 0; k < p->c.post->noperands; k++)
		most = p->c.post->operands[k].ptr > most ? p->c.post->operands[k].ptr : most;
	memcpy(own, ptr, (size_t)(most + 1) * sizeof(*own));
	own[1] = (void *)((intptr_t)block - (intptr_t)((begin * p->pitch + col) * 4));
	K(conv_post)(&p->c, own, begin, end, col, col_end, scratch);
}

/* ---- sums to results ---- */

/* Rounded half to even. */
static inline VecInt round_vec(Vec v)
{
#if ISA_LEVEL == 4
	return (VecInt)_mm512_cvtps_epi32((__m512)v);
#elif ISA_LEVEL == 3
	return (VecInt)_mm256_cvtps_epi32((__m256)v);
#elif defined(__SSE2__)
	return (VecInt)_mm_cvtps_epi32((__m128)v);
#else
	VecInt q;
	for (int i = 0; i < LANES; i++)
		q[i] = (int32_t)__builtin_rintf(v[i]);
	return q;
#endif
}

/* The low bytes of n <= LANES elements, which lie between -128 and 255. */
static inline void store_bytes(uint8_t *y, VecInt q, int64_t n)
{
	uint8_t all[LANES];
	uint8_t *to = n == LANES ? y : all;
#if ISA_LEVEL == 4
	_mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8((__m512i)q));
#elif ISA_LEVEL == 3
	__m128i w = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)q), _mm256_extracti128_si256((__m256i)q, 1));
	w = _mm_packus_epi16(_mm_and_si128(w, _mm_set1_epi16(255)), w);
	memcpy(to, &w, LANES);
#elif defined(__SSE2__)
	__m128i w = _mm_packs_epi32((__m128i)q, (__m128i)q);
	w = _mm_packus_epi16(_mm_and_si128(w, _mm_set1_epi16(255)), w);
	memcpy(to, &w, LANES);
#else
	for (int i = 0; i < LANES; i++)
		to[i] = (uint8_t)q[i];
#endif
	if (to == all)
		memcpy(y, all, (size_t)n);
}

static void finish_exact(const QConvParam *p, const int32_t *restrict sum, const float *restrict scale,
	const int32_t *restrict bias, int64_t n, uint8_t *y)
{
	VecInt q;
	double s[LANES];
	const double lo = p->y_signed ? -128 : 0, hi = p->y_signed ? 127 : 255, zero = p->y_zero;
	for (int64_t i = 0; i < n; i++)
		s[i] = (double)sum[i];
	for (int64_t i = 0; bias && i < n; i++)
		s[i] += (double)bias[i];
	int32_t out[LANES] = { 0 };
	for (int64_t i = 0; i < n; i++) {
		double v = __builtin_rint(s[i] * (double)scale[i]) + zero;
		v = v > lo ? v : lo;
		out[i] = (int32_t)(v < hi ? v : hi);
	}
	memcpy(&q, out, sizeof(q));
	store_bytes(y, q, n);
}

void K(q_finish)(const QConvParam *p, const int32_t *sum, int64_t channel, int64_t n, void *to)
{
	const float *scale = p->scale ? p->scale + channel : NULL, *add = p->add ? p->add + channel : NULL;
	const Vec lo = vec_set(p->lo), hi = vec_set(p->hi);
	const VecInt zero = p->y_zero - (VecInt){ 0 };
	if (p->finish == QFINISH_INT) {
		memcpy(to, sum, (size_t)n * sizeof(*sum));
		return;
	}
	for (int64_t i = 0; i < n; i += LANES) {
		int64_t part = min_i64(LANES, n - i);
		bool whole = part == LANES;
		if (p->finish == QFINISH_EXACT) {
			finish_exact(p, sum + i, scale + i, p->bias ? p->bias + channel + i : NULL, part, (uint8_t *)to + i);
			continue;
		}
		VecInt s = { 0 };
		memcpy(&s, sum + i, whole ? sizeof(s) : (size_t)part * sizeof(*sum));
		Vec v = __builtin_convertvector(s, Vec) * (whole ? vec_load(scale + i) : vec_load_part(scale + i, part));
		if (add)
			v += whole ? vec_load(add + i) : vec_load_part(add + i, part);
		v = vec_min(hi, vec_max(lo, v));
		if (p->finish == QFINISH_NARROW)
			store_bytes((uint8_t *)to + i, round_vec(v) + zero, part);
		else if (whole)
			vec_store((float *)to + i, v);
		else
			vec_store_part((float *)to + i, v, part);
	}
}

/* Columns [col, col + cols) of a group for a tile of rows of the block. */
typedef struct TileArgs {
	const QConvParam *p;
	const Areas *a;
	void *const *ptr;
	int64_t group, panel_col, cols, task_col;
	const int32_t *weights;
	int32_t zero;            /* of x as dot products see it */
	int32_t corr[PANEL];
} TileArgs;

static void run_tile(const TileArgs *t, int64_t row, int64_t rows)
{
	_Alignas(64) int32_t sum[MICRO_ROWS * PANEL];
	const QConvParam *p = t->p;
	int64_t channel = t->group * p->c.oc + t->panel_col;
	const int32_t *w_zero = (const int32_t *)((const char *)p->c.weights + panel_bytes(p)) + p->c.groups * p->c.oc + channel;
	micro_for(p, rows, t->cols)(t->a->a + row, steps_of(p), t->weights, packed_cols(t->cols), sum);
	for (int64_t i = 0; i < rows; i++) {
		int32_t *s = sum + i * PANEL;
		uint32_t row_sum = (uint32_t)t->a->row_sum[row + i];
		if (p->dot)
			for (int64_t c = 0; c < t->cols; c++)
				s[c] = (int32_t)((uint32_t)s[c] + (uint32_t)t->corr[c]);
		if (p->dot && p->w_zeros)
			for (int64_t c = 0; c < t->cols; c++)
				s[c] = (int32_t)((uint32_t)s[c] - (uint32_t)w_zero[c] * row_sum);
		char *y = p->c.post ? t->a->post + ((row + i) * p->pitch + t->panel_col - t->task_col) * 4
			: (char *)t->ptr[0] + (t->a->y[row + i] + channel) * (int64_t)q_out_size(p);
		K(q_finish)(p, s, channel, t->cols, y);
	}
}

/* What every row of a column gets: K zx zw - zx times its sum. */
static void corrections(TileArgs *t)
{
	const QConvParam *p = t->p;
	const int32_t *sum = (const int32_t *)((const char *)p->c.weights + panel_bytes(p)), *zero = sum + p->c.groups * p->c.oc;
	int64_t channel = t->group * p->c.oc + t->panel_col;
	uint32_t depth = (uint32_t)depth_of(&p->c), zx = (uint32_t)t->zero;
	for (int64_t c = 0; c < t->cols; c++)
		t->corr[c] = (int32_t)(zx * (depth * (uint32_t)zero[channel + c] - (uint32_t)sum[channel + c]));
}

/* Rows [begin, end) of the block, which are filled, with panels [panel, last). */
static void run_block(TileArgs *t, int64_t n, int64_t panel, int64_t last)
{
	const ConvParam *c = &t->p->c;
	int64_t steps = steps_of(t->p), tiles = rows_tiles(n);
	const int32_t *weights = (const int32_t *)c->weights + t->group * steps * packed_cols(c->oc);
	for (int64_t k = panel; k < last; k++) {
		t->panel_col = k * PANEL;
		t->cols = min_i64(PANEL, c->oc - t->panel_col);
		t->weights = weights + steps * t->panel_col;
		corrections(t);
		for (int64_t i = 0; i < tiles; i++)
			run_tile(t, n * i / tiles, n * (i + 1) / tiles - n * i / tiles);
	}
}

static int64_t product_tasks(const void *param)
{
	const ConvParam *c = &((const QConvParam *)param)->c;
	return c->groups * ceil_div(rows_tiles(rows_of(c)), c->task_rows) * ceil_div(panels_of(c->oc), c->task_cols);
}

/* Tasks: blocks of tiles outermost, then groups, then blocks of panels. */
static void product_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const QConvParam *p = param;
	const ConvParam *c = &p->c;
	Areas a;
	areas_of(p, scratch, &a);
	int64_t rows = rows_of(c), tiles = rows_tiles(rows), panels = panels_of(c->oc), blocks = ceil_div(panels, c->task_cols);
	int32_t zero = q_x_zero(p, ptr);
	TileArgs t = { .p = p, .a = &a, .ptr = ptr, .zero = p->dot && p->x_signed ? zero + 128 : zero };
	for (int64_t task = begin; task < end; task++) {
		t.group = task / blocks % c->groups;
		int64_t panel = task % blocks * c->task_cols, last = min_i64(panel + c->task_cols, panels);
		int64_t tile = task / (blocks * c->groups) * c->task_rows, tile_end = min_i64(tile + c->task_rows, tiles);
		int64_t row_end = rows * tile_end / tiles, col = t.group * c->oc + panel * PANEL;
		t.task_col = panel * PANEL;
		for (int64_t r = rows * tile / tiles; r < row_end;) {
			int64_t n = min_i64(a.rows, row_end - r);
			fill_rows(p, &a, ptr, t.group, r, r + n, zero);
			K(q_rows)(c, r, r + n, a.y);
			run_block(&t, n, panel, last);
			if (c->post)
				K(q_post)(p, ptr, a.post, r, r + n, col, t.group * c->oc + min_i64(last * PANEL, c->oc), a.post_scratch);
			r += n;
		}
	}
}

const Kernel K(kernel_qproduct) = { product_tasks, product_run, product_scratch };
