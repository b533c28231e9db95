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

static int64_t direct_tiles(const ConvParam *p, int64_t rows)
{
	return product_tiles(rows, direct_depth(p));
}

enum { PAIR_DEPTH = 16 }; /* sums of fewer terms take longer to add up in pairs than they save */
enum { FEW_ROWS = 3, AHEAD = 2048 }; /* rows of a product that is a stream of weights; floats fetched ahead of it */

/* plan[]: a dense layer of few rows; of one row, with weights that stay in the cache nearest to the processor. */
enum { PLAN_FEW };
enum { FEW_SOME = 1, FEW_ONE, FEW_ONE_BYTES = 32 << 10 };

/* Last columns that leave half of a vector empty, or are one vector only, which loads limit. Sums are in one part, and the terms
 * of a run are even. */
static bool pairs_pay(const ConvParam *p)
{
	int64_t last = p->oc % PANEL, depth = direct_depth(p);
	return PAIRS && !p->plan[PLAN_FEW] && last > 0 && last <= MOST_PAIR_COLS && p->ic % 2 == 0 && depth <= K(whole_depth)() &&
		depth >= PAIR_DEPTH;
}

bool K(direct_plan)(ConvParam *p, int threads)
{
	p->plan[PLAN_FEW] = direct_rows(p) <= FEW_ROWS;
	for (int d = 0; d < 3; d++)
		p->plan[PLAN_FEW] &= p->kernel[d] == 1 && p->pad[d] == 0 && p->in[d] > (p->out[d] - 1) * p->stride[d];
	if (p->plan[PLAN_FEW] && direct_rows(p) == 1 && direct_depth(p) * p->oc * (int64_t)sizeof(float) <= FEW_ONE_BYTES)
		p->plan[PLAN_FEW] = FEW_ONE;
	p->paired = pairs_pay(p);
	double rows = (double)direct_rows(p), depth = (double)direct_depth(p), cols = (double)p->oc;
	/* A cut through the rows reads the weights again, one through the columns the input: costs as parts of the time
	 * of the products, taking a float from memory to cost as much as 16 multiply-adds of a vector lane each. */
	K(split_work)(p->groups, direct_tiles(p, direct_rows(p)), panels_of(p->oc), 16 / rows, 16 / cols,
		2 * rows * depth * cols * (double)p->groups, threads, &p->task_rows, &p->task_cols);
	if (p->plan[PLAN_FEW] == FEW_ONE)
		p->task_cols = ceil_div(p->task_cols, 2) * 2; /* the same panels are taken two at once, whoever does the tasks */
	return true;
}

size_t K(direct_pack_bytes)(const ConvParam *p)
{
	Phase f = K(conv_phase)(p);
	return align64(((size_t)K(phase_floats)(p, &f) + (size_t)(p->kernel[2] * p->ic)) * sizeof(float));
}

void K(direct_pack)(const ConvParam *p, const FloatAny *w, const int64_t stride[5], void *dst)
{
	Phase f = K(conv_phase)(p);
	K(phase_pack)(p, &f, w, p->oc * stride[0], stride, dst);
	memset((float *)dst + K(phase_floats)(p, &f), 0, (size_t)(p->kernel[2] * p->ic) * sizeof(float));
}

static int64_t direct_tasks(const void *param)
{
	const ConvParam *p = param;
	return p->groups * ceil_div(direct_tiles(p, direct_rows(p)), p->task_rows) * ceil_div(panels_of(p->oc), p->task_cols);
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

/* One for each turn of the inner loop of a task; in the first tile of pixels, weights that are not there yet are fetched. */
int64_t K(direct_ahead)(const ConvParam *p, bool ready)
{
	int64_t panels = panels_of(p->oc), tiles = min_i64(p->task_rows, direct_tiles(p, direct_rows(p)));
	int64_t most = min_i64(tiles, post_tiles(p, min_i64(p->task_cols * PANEL, p->oc)));
	if (p->plan[PLAN_FEW] || p->groups != 1 || !K(direct_whole)(p) || most < 2)
		return 0;
	return (most - !ready) * min_i64(p->task_cols, panels) * direct_depth(p);
}

int64_t K(conv_rows)(const ConvParam *p, void *const *ptr, int64_t group, const float **x, const float **residual,
	float **y)
{
	int64_t rows = 0, at[4];
	for (at[0] = 0; at[0] < p->batch; at[0]++)
		for (at[1] = 0; at[1] < p->out[0]; at[1]++)
			for (at[2] = 0; at[2] < p->out[1]; at[2]++)
				for (at[3] = 0; at[3] < p->out[2]; at[3]++, rows++) {
					int64_t to_x = p->x_offset + group * p->ic, to_y = p->y_offset + group * p->oc;
					int64_t to_r = p->r_offset + group * p->oc;
					for (int d = 0; d < 4; d++) {
						to_x += at[d] * (d ? p->stride[d - 1] : 1) * p->x_stride[d];
						to_y += at[d] * p->y_stride[d];
						to_r += at[d] * p->r_stride[d];
					}
					x[rows] = (const float *)ptr[1] + to_x;
					y[rows] = (float *)ptr[0] + to_y;
					residual[rows] = p->has_residual ? (const float *)ptr[2] + to_r : NULL;
				}
	return rows;
}

/* The only row of a product: no loops over dims. */
static int64_t only_row(const ConvParam *p, void *const *ptr, int64_t group, const float **x, const float **residual, float **y)
{
	*x = (const float *)ptr[1] + p->x_offset + group * p->ic;
	*y = (float *)ptr[0] + p->y_offset + group * p->oc;
	*residual = p->has_residual ? (const float *)ptr[2] + p->r_offset + group * p->oc : NULL;
	return 1;
}

/* Few rows, one tap: no tables are needed, only the rows. One row whose weights stay in cache takes two panels at once. Backward,
 * what is fetched ahead is the panel that comes next, as a whole. */
static void few_panels(const ConvParam *p, void *const *ptr, void *scratch, int64_t group, int64_t panel, int64_t last)
{
	const float *x[FEW_ROWS], *residual[FEW_ROWS];
	float *y[FEW_ROWS];
	int64_t rows = (p->plan[PLAN_FEW] == FEW_ONE ? only_row : K(conv_rows))(p, ptr, group, x, residual, y);
	const float *weights = (const float *)p->weights + (group * packed_cols(p->oc) + panel * PANEL) * p->ic;
	const float *bias = p->bias ? p->bias + group * p->oc : NULL;
	Micro m = {.a = x, .runs = 1, .len = p->ic, .y = y, .residual = p->has_residual ? residual : NULL, .alpha = 1,
		.lo = p->lo, .hi = p->hi, .hard_swish = p->hard_swish, .ahead_step = PANEL};
	int64_t first = panel * PANEL, col_end = min_i64(last * PANEL, p->oc);
	bool resident = p->plan[PLAN_FEW] == FEW_ONE, back = p->backward && !resident;
	for (int64_t c = first, cols; c < col_end; c += cols) {
		bool twin = resident && c + 2 * PANEL <= col_end;
		int64_t col = back ? first + (panels_of(col_end - c) - 1) * PANEL : c;
		cols = twin ? 2 * PANEL : min_i64(PANEL, p->oc - col);
		const float *w = weights + (col - first) * p->ic;
		m.w_step = min_i64(PANEL, packed_cols(cols));
		m.ahead = !back ? w + AHEAD : col > first ? w - PANEL * p->ic : w;
		(resident ? K(micro_resident)(cols) : K(micro_for)(rows, cols, true))(&m, w, bias, col, cols);
		if (back)
			cols = PANEL;
	}
	if (p->post)
		K(conv_post)(p, ptr, 0, rows, group * p->oc + first, group * p->oc + col_end, scratch);
}

static void few_run(const ConvParam *p, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	int64_t panels = panels_of(p->oc);
	if (p->groups == 1) {
		few_panels(p, ptr, scratch, 0, begin * p->task_cols, min_i64(end * p->task_cols, panels));
		return;
	}
	int64_t blocks = ceil_div(panels, p->task_cols);
	for (int64_t task = begin; task < end; task++) {
		int64_t panel = task % blocks * p->task_cols;
		few_panels(p, ptr, scratch, task / blocks, panel, min_i64(panel + p->task_cols, panels));
	}
}

static PhaseTask task_new(const ConvParam *p, const Phase *f)
{
	return (PhaseTask){.p = p, .f = f, .hi = {p->batch, p->out[0], p->out[1], p->out[2]}, .panel_end = panels_of(p->oc),
		.zero = (const float *)p->weights + K(phase_floats)(p, f)};
}

static void task_group(PhaseTask *t, int64_t group)
{
	t->group = group;
	t->weights = (const float *)t->p->weights + K(phase_floats)(t->p, t->f) / t->p->groups * group;
}

/* Tiles [first, last) of the box's `rows` rows, the first of which is row `from` of the result. */
static void tiles_finish(PhaseTask *t, void *const *ptr, int64_t first, int64_t last, int64_t rows, int64_t from,
	void *scratch)
{
	const ConvParam *p = t->p;
	int64_t tiles = direct_tiles(p, rows), col = t->panel * PANEL, col_end = min_i64(t->panel_end * PANEL, p->oc);
	int64_t step = p->post ? post_tiles(p, col_end - col) : last - first;
	char *post = p->post ? (char *)scratch + K(phase_scratch)(p, t->f) - K(conv_post_scratch)(p->post) : NULL;
	for (t->tile = first; t->tile < last; t->tile = t->tile_end) {
		t->tile_end = min_i64(t->tile + step, last);
		K(phase_run)(t, ptr, scratch);
		if (p->post)
			K(conv_post)(p, ptr, from + rows * t->tile / tiles, from + rows * t->tile_end / tiles,
				t->group * p->oc + col, t->group * p->oc + col_end, post);
	}
}

/* Tasks: blocks of tiles outermost, then groups, then blocks of panels. */
static void direct_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	if (p->plan[PLAN_FEW]) {
		few_run(p, ptr, scratch, begin, end);
		return;
	}
	Phase f = K(conv_phase)(p);
	int64_t rows = direct_rows(p), panels = panels_of(p->oc), blocks = ceil_div(panels, p->task_cols);
	PhaseTask t = task_new(p, &f);
	t.few = rows <= FEW_ROWS;
	for (int64_t task = begin; task < end; task++) {
		task_group(&t, task / blocks % p->groups);
		t.panel = task % blocks * p->task_cols;
		t.panel_end = min_i64(t.panel + p->task_cols, panels);
		int64_t first = task / (blocks * p->groups) * p->task_rows;
		tiles_finish(&t, ptr, first, min_i64(first + p->task_rows, direct_tiles(p, rows)), rows, 0, scratch);
	}
}

void K(direct_lines)(const ConvParam *p, void *const *ptr, int64_t image, int64_t first, int64_t last, void *scratch)
{
	Phase f = K(conv_phase)(p);
	int64_t rows = (last - first) * p->out[2];
	PhaseTask t = task_new(p, &f);
	t.lo[0] = image;
	t.hi[0] = image + 1;
	t.lo[2] = first;
	t.hi[2] = last;
	for (int64_t g = 0; g < p->groups; g++) {
		task_group(&t, g);
		tiles_finish(&t, ptr, 0, direct_tiles(p, rows), rows, (image * p->out[1] + first) * p->out[2], scratch);
	}
}

bool K(direct_few)(const ConvParam *p)
{
	return direct_rows(p) <= FEW_ROWS;
}

const Kernel K(kernel_direct) = {direct_tasks, direct_run, direct_scratch};
