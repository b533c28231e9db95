/* Chains of convolutions. The result of each stage but the last is kept as a window of lines that moves down the image:
 * what is asked for next is computed at its end, and when it is full, the lines that are still needed go to the front.
 * Stages see their results where the whole image would lie, by a pointer that stands before the window. */
#include "conv.h"

enum {
	WINDOW_BYTES = 640 << 10, /* of all windows of a chain: they and the weights have to stay in second-level cache */
	MOST_LINES = 16,
	LEAST_ROWS = 2 * MICRO_ROWS, /* pixels of a band, for the products to be worth their while */
};

static const ConvParam *last_stage(const ChainParam *p)
{
	return p->stage[p->nstages - 1];
}

/* Lines of the input, clipped, that lines [first, last) of the result take. */
static void lines_taken(const ConvParam *p, int64_t first, int64_t last, int64_t *begin, int64_t *end)
{
	int64_t reach = (p->kernel[1] - 1) * p->dilation[1] + 1;
	*begin = min_i64(max_i64(first * p->stride[1] - p->pad[1], 0), p->in[1]);
	*end = max_i64(*begin, min_i64((last - 1) * p->stride[1] - p->pad[1] + reach, p->in[1]));
}

/* Lines of each window for bands of p->lines; the bytes of all. */
static int64_t make_room(ChainParam *p)
{
	int64_t bytes = 0, lines = p->lines;
	for (int i = p->nstages - 1; i > 0; i--) {
		const ConvParam *c = p->stage[i];
		int64_t need = (lines - 1) * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] + 1;
		/* Twice as many where lines are kept for the next band, so that they are seldom moved. */
		bool kept = need > lines * c->stride[1];
		p->room[i - 1] = min_i64(c->in[1], need + (kept ? lines * c->stride[1] : 0));
		bytes += p->room[i - 1] * c->x_stride[2] * (int64_t)sizeof(float);
		lines = min_i64(need, c->in[1]);
	}
	return bytes;
}

static bool stage_fits(const ChainParam *p, int i)
{
	const ConvParam *c = p->stage[i], *before = i ? p->stage[i - 1] : NULL;
	if (c->in[0] != 1 || c->out[0] != 1 || c->kernel[0] != 1 || c->pad[0] != 0 || c->out[1] < 1 || c->out[2] < 1)
		return false;
	if (p->kind[i] == CONV_PLANES)
		return i == 0;
	if (p->kind[i] != CONV_DEPTHWISE && (p->kind[i] != CONV_DIRECT || K(direct_few)(c) || !K(direct_whole)(c)))
		return false;
	int64_t channels = c->groups * c->ic;
	return !before || (before->batch == c->batch && before->out[1] == c->in[1] && before->out[2] == c->in[2] &&
		before->groups * before->oc == channels && before->y_offset == c->x_offset &&
		!memcmp(before->y_stride, c->x_stride, sizeof(c->x_stride)) && c->x_stride[3] == channels &&
		c->x_stride[2] == c->in[2] * channels);
}

/* The largest band whose windows fit; where a gain is asked for, not less than products are worth their while. */
bool K(chain_plan)(ChainParam *p, int threads)
{
	if (p->nstages < 2)
		return false;
	for (int i = 0; i < p->nstages; i++) {
		if (!stage_fits(p, i))
			return false;
		if (i && p->stage[i]->in[1] * p->stage[i]->x_stride[2] * (int64_t)sizeof(float) < p->worth)
			return false;
	}
	const ConvParam *c = last_stage(p);
	int64_t most = min_i64(MOST_LINES, ceil_div(c->out[1] * c->batch, threads > 1 ? 4 * threads : 1));
	for (p->lines = max_i64(p->lines ? min_i64(p->lines, most) : most, 1); p->lines > 1 && make_room(p) > WINDOW_BYTES;)
		p->lines--;
	return make_room(p) <= WINDOW_BYTES && (!p->worth || p->lines * c->out[2] >= LEAST_ROWS);
}

static int64_t bands_of(const ChainParam *p)
{
	return ceil_div(last_stage(p)->out[1], p->lines);
}

static int64_t chain_tasks(const void *param)
{
	const ChainParam *p = param;
	return last_stage(p)->batch * bands_of(p);
}

static size_t stage_scratch(const ChainParam *p, int i)
{
	const Kernel *k = p->kind[i] == CONV_PLANES ? &K(kernel_planes) : p->kind[i] == CONV_DEPTHWISE ? &K(kernel_depthwise) :
		&K(kernel_direct);
	return align64(k->scratch_bytes(p->stage[i]));
}

static size_t window_bytes(const ChainParam *p, int i)
{
	return align64((size_t)(p->room[i] * p->stage[i]->y_stride[2]) * sizeof(float));
}

static size_t chain_scratch(const void *param)
{
	const ChainParam *p = param;
	size_t most = 0, windows = 0;
	for (int i = 0; i < p->nstages; i++) {
		size_t n = stage_scratch(p, i);
		most = n > most ? n : most;
		if (i + 1 < p->nstages)
			windows += window_bytes(p, i);
	}
	return most + windows;
}

/* Lines [base, end) of the result of a stage are there. */
typedef struct Window {
	float *lines;
	int64_t base, end;
} Window;

typedef struct Chain {
	const ChainParam *p;
	void *const *ptr;
	void *scratch;             /* of the stages */
	int64_t image;
	Window window[CHAIN_STAGES];
} Chain;

/* Where line 0 of the image would lie. */
static void *window_origin(const Chain *c, int i)
{
	const ConvParam *s = c->p->stage[i];
	int64_t before = c->image * s->y_stride[0] + c->window[i].base * s->y_stride[2] + s->y_offset;
	return (void *)((uintptr_t)c->window[i].lines - (uintptr_t)before * sizeof(float));
}

static void stage_lines(Chain *c, int i, int64_t first, int64_t last)
{
	const ChainParam *p = c->p;
	void *ptr[CHAIN_PTRS];
	ptr[0] = i + 1 < p->nstages ? window_origin(c, i) : c->ptr[0];
	ptr[1] = i ? window_origin(c, i - 1) : c->ptr[1];
	for (int k = 0; k < p->nrest[i]; k++)
		ptr[2 + k] = c->ptr[p->rest_ptr[i] + k];
	if (p->kind[i] == CONV_DEPTHWISE)
		K(depthwise_lines)(p->stage[i], ptr, c->image, first, last, c->scratch);
	else if (p->kind[i] == CONV_PLANES)
		K(planes_lines)(p->stage[i], ptr, c->image, first, last, c->scratch);
	else
		K(direct_lines)(p->stage[i], ptr, c->image, first, last, c->scratch);
}

/* Makes room for lines [first, last) of the result of stage i; the first that is to be computed. */
static int64_t window_advance(Chain *c, int i, int64_t first, int64_t last)
{
	Window *w = &c->window[i];
	int64_t line = c->p->stage[i]->y_stride[2];
	if (w->end <= first) {
		w->base = w->end = first;
	} else if (last - w->base > c->p->room[i]) {
		memmove(w->lines, w->lines + (first - w->base) * line, (size_t)((w->end - first) * line) * sizeof(float));
		w->base = first;
	}
	return w->end;
}

/* Lines [first, last) of the last stage: from[i], to[i] are the lines that stage i computes. What a stage lacks is known
 * once the one after it is, so the list is made from the last to the first, and run the other way. */
static void band_run(Chain *c, int64_t first, int64_t last)
{
	int64_t from[CHAIN_STAGES], to[CHAIN_STAGES];
	int n = c->p->nstages;
	from[n - 1] = first;
	to[n - 1] = last;
	for (int i = n - 1; i > 0; i--) {
		int64_t begin, end;
		from[i - 1] = to[i - 1] = c->window[i - 1].end;
		if (from[i] >= to[i])
			continue;
		lines_taken(c->p->stage[i], from[i], to[i], &begin, &end);
		from[i - 1] = window_advance(c, i - 1, begin, end);
		to[i - 1] = end;
	}
	for (int i = 0; i < n; i++) {
		if (from[i] >= to[i])
			continue;
		stage_lines(c, i, from[i], to[i]);
		if (i + 1 < n)
			c->window[i].end = to[i];
	}
}

/* Tasks: bands of the images. Windows go on from one task to the next of the same image. */
static void chain_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ChainParam *p = param;
	int64_t bands = bands_of(p), lines = last_stage(p)->out[1];
	Chain c = {.p = p, .ptr = ptr, .image = -1};
	char *at = scratch;
	for (int i = 0; i + 1 < p->nstages; i++) {
		c.window[i].lines = (float *)at;
		at += window_bytes(p, i);
	}
	c.scratch = at;
	for (int64_t task = begin; task < end; task++) {
		if (task / bands != c.image) {
			c.image = task / bands;
			for (int i = 0; i + 1 < p->nstages; i++)
				c.window[i].base = c.window[i].end = 0;
		}
		int64_t first = task % bands * p->lines;
		band_run(&c, first, min_i64(first + p->lines, lines));
	}
}

const Kernel K(kernel_chain) = {chain_tasks, chain_run, chain_scratch};
