/* conv: what the kinds of convolution share. */
#ifndef HONE_SIMD_CONV_H
#define HONE_SIMD_CONV_H

#include "micro.h"

/* A grid of output pixels whose taps lie alike: a convolution is one phase, a transposed convolution one for each
 * position within its stride. Pixel q of a spatial dim writes output first_out + q * step_out and reads, through tap
 * j < taps, input q * step_in + first + j * step. Tap j has the kernel index k_first + j * k_step. */
typedef struct Phase {
	int64_t pixels[3], first_out[3], step_out[3], step_in[3], first[3], step[3], taps[3], k_first[3], k_step[3];
} Phase;

Phase K(conv_phase)(const ConvParam *p);
/* Phase i < the product of the strides. */
Phase K(transposed_phase)(const ConvParam *p, int64_t i);

/* Of a product of few rows: where each row of x, the residual (NULL: none) and y begins, at the group's channel 0. Returns
 * the number of rows. */
int64_t K(conv_rows)(const ConvParam *p, void *const *ptr, int64_t group, const float **x, const float **residual,
	float **y);

/* Packed weights of a phase: for each group and panel of columns, rows (tap, input channel) of PANEL columns, or of
 * LANES when the last panel has no more. */
int64_t K(phase_floats)(const ConvParam *p, const Phase *f); /* of all groups */
/* s: element strides of the output channel (within all groups; for transposed: within one), the input channel
 * likewise, spatial. */
void K(phase_pack)(const ConvParam *p, const Phase *f, const FloatAny *w, int64_t group_stride, const int64_t s[5],
	float *dst);

/* Computes panels [panel, panel_end) of pixels in the box [lo, hi) (batch, then the pixels of the phase); of the
 * tiles of rows that the box falls into (phase_tiles), [tile, tile_end). */
typedef struct PhaseTask {
	const ConvParam *p;
	const Phase *f;
	int64_t group, lo[4], hi[4], tile, tile_end, panel, panel_end;
	const float *weights;          /* of the group, panel 0 */
	const float *zero;             /* at least taps[2] * ic zeros */
	bool few;                      /* the whole product has few rows */
} PhaseTask;
void K(phase_run)(const PhaseTask *t, void *const *ptr, void *scratch);
size_t K(phase_scratch)(const ConvParam *p, const Phase *f);
static inline int64_t rows_tiles(int64_t rows) { return ceil_div(rows, MICRO_ROWS); }
/* Of a product of floats of `depth` terms. */
static inline int64_t product_tiles(int64_t rows, int64_t depth)
{
	return ceil_div(rows, depth < DEEP || rows <= MICRO_ROWS ? MICRO_ROWS : DEEP_ROWS);
}
static inline int64_t phase_tiles(const ConvParam *p, const Phase *f, int64_t rows)
{
	return product_tiles(rows, f->taps[0] * f->taps[1] * f->taps[2] * p->ic);
}

/* The post program over output rows [begin, end) of the batch and pixels flattened, channels [col, col_end). */
void K(conv_post)(const ConvParam *p, void *const *ptr, int64_t begin, int64_t end, int64_t col, int64_t col_end,
	void *scratch);
size_t K(conv_post_scratch)(const TileProgram *post);

static inline int64_t panels_of(int64_t cols) { return ceil_div(cols, PANEL); }
/* Floats of a row of packed columns: whole panels, and a last one of half the width when that is enough. */
static inline int64_t packed_cols(int64_t cols) { return ceil_div(cols, LANES) * LANES; }
/* The same of the `cols` columns of one panel of p. */
static inline bool panel_paired(const ConvParam *p, int64_t cols) { return PAIRS && p->paired && cols <= MOST_PAIR_COLS; }
static inline int64_t panel_width(const ConvParam *p, int64_t cols)
{
	return panel_paired(p, cols) ? ceil_div(cols, PAIR_COLS) * PAIR_COLS : packed_cols(cols);
}
static inline size_t align64(size_t n) { return (n + 63) / 64 * 64; }

/* Splits rows x cols units of work in tasks: blocks of *task_rows x *task_cols. row_cost and col_cost: what a further
 * cut through the rows (columns) costs, as part of the whole work. */
void K(split_work)(int64_t groups, int64_t rows, int64_t cols, double row_cost, double col_cost, double flops,
	int threads, int64_t *task_rows, int64_t *task_cols);

/* Lines [first, last) of an image of the batch, all channels, post program included; one output depth. Not for a product
 * of few rows. scratch: that of the kernel. */
void K(direct_lines)(const ConvParam *p, void *const *ptr, int64_t image, int64_t first, int64_t last, void *scratch);
void K(planes_lines)(const ConvParam *p, void *const *ptr, int64_t image, int64_t first, int64_t last, void *scratch);
void K(depthwise_lines)(const ConvParam *p, void *const *ptr, int64_t image, int64_t first, int64_t last, void *scratch);
bool K(direct_few)(const ConvParam *p);
/* The sum of each output is taken in one go, however the rows are cut. */
int64_t K(whole_depth)(void); /* longer sums may be taken in parts */
bool K(direct_whole)(const ConvParam *p);

/* Rows of set.c. */
extern const Kernel K(kernel_chain), K(kernel_scaled);
bool K(chain_plan)(ChainParam *p, int threads);
extern const Kernel K(kernel_direct);
bool K(direct_plan)(ConvParam *p, int threads);
int64_t K(direct_ahead)(const ConvParam *p, bool ready);
size_t K(direct_pack_bytes)(const ConvParam *p);
void K(direct_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst);
extern const Kernel K(kernel_winograd);
bool K(winograd_plan)(ConvParam *p, int threads);
size_t K(winograd_pack_bytes)(const ConvParam *p);
void K(winograd_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst);
extern const Kernel K(kernel_depthwise);
bool K(depthwise_plan)(ConvParam *p, int threads);
size_t K(depthwise_pack_bytes)(const ConvParam *p);
void K(depthwise_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst);
extern const Kernel K(kernel_grouped);
bool K(grouped_plan)(ConvParam *p, int threads);
size_t K(grouped_pack_bytes)(const ConvParam *p);
void K(grouped_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst);
extern const Kernel K(kernel_transposed);
bool K(transposed_plan)(ConvParam *p, int threads);
size_t K(transposed_pack_bytes)(const ConvParam *p);
void K(transposed_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst);
extern const Kernel K(kernel_blocks);
bool K(blocks_plan)(ConvParam *p, int threads);
size_t K(blocks_pack_bytes)(const ConvParam *p);
void K(blocks_pack)(const ConvParam *p, const BlockWeights *w, void *dst);
extern const Kernel K(kernel_planes);
bool K(planes_plan)(ConvParam *p, int threads);
size_t K(planes_pack_bytes)(const ConvParam *p);
void K(planes_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst);
extern const Kernel K(kernel_stream);
bool K(stream_plan)(ConvParam *p, int threads);
extern const Kernel K(kernel_matmul), K(kernel_pool);
bool K(matmul_plan)(MatmulParam *p, int threads);
/* Columns [0, cols) of the right factor from b on, as k rows of a packed panel. Of p: b_row, b_col. */
void K(pack_panel)(const MatmulParam *p, const float *b, int64_t k, int64_t cols, float *dst);
/* c[m][cols] = alpha * rows of a times columns of b, both walked at stride 1. Of p: m <= DOT_ROWS, k, a_row, b_col, c_row. */
enum { DOT_ROWS = 4 };
void K(dot_rows)(const MatmulParam *p, const float *a, const float *b, float *c, int64_t cols);
extern const Kernel K(kernel_attention);
bool K(attention_plan)(AttentionParam *p, int threads);

#endif
