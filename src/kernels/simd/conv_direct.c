/* Direct convolution: one phase. Rows are all output pixels of the batch, so that tiles do not end with the rows of
 * an image. */
#include "conv.h"

static int64_t direct_rows(const ConvParam *p)
{
	return p->batch * p->out[0] * p->out[1] * p->out[2];
}

static int64_t direct_depth(const ConvParam *p)
{
	return p->kernel[0] * p->kernel[1] * p->kernel[2] * p->ic;
}

bool K(direct_plan)(ConvParam *p, int threads)
{
	double rows = (double)direct_rows(p), depth = (double)direct_depth(p), cols = (double)p->oc;
	/* A cut through the rows reads the weights again, one through the columns the input: costs as parts of the time
	 * of the products, taking a float from memory to cost as much as 16 multiply-adds of a vector lane each. */
	K(split_work)(p->groups, rows_tiles(direct_rows(p)), panels_of(p->oc), 16 / rows, 16 / cols,
		2 * rows * depth * cols * (double)p->groups, threads, &p->task_rows, &p->task_cols);
	return true;
}

size_t K(direct_pack_bytes)(const ConvParam *p)
{
	Phase f = K(conv_phase)(p);
	return align64(((size_t)K(phase_floats)(p, &f) + (size_t)(p->kernel[2] * p->ic)) * sizeof(float));
}

void K(direct_pack)(const ConvParam *p, const float *w, const int64_t stride[5], void *dst)
{
	Phase f = K(conv_phase)(p);
	K(phase_pack)(p, &f, w, p->oc * stride[0], stride, dst);
	memset((float *)dst + K(phase_floats)(p, &f), 0, (size_t)(p->kernel[2] * p->ic) * sizeof(float));
}

static int64_t direct_tasks(const void *param)
{
	const ConvParam *p = param;
	return p->groups * ceil_div(rows_tiles(direct_rows(p)), p->task_rows) * ceil_div(panels_of(p->oc), p->task_cols);
}

static size_t direct_scratch(const void *param)
{
	Phase f = K(conv_phase)(param);
	return K(phase_scratch)(param, &f);
}

enum { POST_BYTES = 256 << 10, POST_TILES = 10 };

/* Tiles after which the post program runs: what it reads is still in cache then, and wide weights are read seldom. */
static int64_t post_tiles(const ConvParam *p, int64_t cols)
{
	if (!p->post)
		return p->task_rows;
	return max_i64(POST_TILES, POST_BYTES / (cols * (int64_t)sizeof(float) * MICRO_ROWS));
}

/* Tasks: blocks of tiles outermost, then groups, then blocks of panels. */
static void direct_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	Phase f = K(conv_phase)(p);
	int64_t rows = direct_rows(p), tiles = rows_tiles(rows);
	int64_t panels = panels_of(p->oc), blocks = ceil_div(panels, p->task_cols);
	int64_t floats = K(phase_floats)(p, &f);
	PhaseTask t = {.p = p, .f = &f, .hi = {p->batch, p->out[0], p->out[1], p->out[2]},
		.zero = (const float *)p->weights + floats, .few = rows <= 3};
	char *post = p->post ? (char *)scratch + K(phase_scratch)(p, &f) - K(conv_post_scratch)(p->post) : NULL;
	for (int64_t task = begin; task < end; task++) {
		t.group = task / blocks % p->groups;
		t.weights = (const float *)p->weights + floats / p->groups * t.group;
		t.panel = task % blocks * p->task_cols;
		t.panel_end = min_i64(t.panel + p->task_cols, panels);
		int64_t first = task / (blocks * p->groups) * p->task_rows, last = min_i64(first + p->task_rows, tiles);
		int64_t col = t.panel * PANEL, col_end = min_i64(t.panel_end * PANEL, p->oc);
		int64_t step = post_tiles(p, col_end - col);
		for (t.tile = first; t.tile < last; t.tile = t.tile_end) {
			t.tile_end = min_i64(t.tile + step, last);
			K(phase_run)(&t, ptr, scratch);
			if (p->post)
				K(conv_post)(p, ptr, rows * t.tile / tiles, rows * t.tile_end / tiles, t.group * p->oc + col,
					t.group * p->oc + col_end, post);
		}
	}
}

const Kernel K(kernel_direct) = {direct_tasks, direct_run, direct_scratch};
