/* Transposed convolution: each position of the output within the stride is a phase, a convolution with some of the
 * taps. A task is a band of all phases, so that the post program finds a finished box. */
#include "conv.h"

static int64_t phase_count(const ConvParam *p)
{
	return p->stride[0] * p->stride[1] * p->stride[2];
}

/* Strides of the output, rounded up, in dim d (batch, then spatial). */
static int64_t cells(const ConvParam *p, int d)
{
	return d ? ceil_div(p->out[d - 1], p->stride[d - 1]) : p->batch;
}

/* The innermost dim that bands cut: the last but one, or the last of lines that stand alone. */
static int band_dim(const ConvParam *p)
{
	return cells(p, 2) > 1 || cells(p, 1) > 1 || p->batch > 1 ? 2 : 3;
}

static int64_t band_units(const ConvParam *p)
{
	int64_t n = 1;
	for (int d = 0; d <= band_dim(p); d++)
		n *= cells(p, d);
	return n;
}

bool K(transposed_plan)(ConvParam *p, int threads)
{
	double flops = 2 * (double)p->batch * (double)p->groups * (double)p->oc * (double)p->ic;
	for (int d = 0; d < 3; d++)
		flops *= (double)p->in[d] * (double)p->kernel[d];
	double pixels = (double)p->batch * (double)p->out[0] * (double)p->out[1] * (double)p->out[2];
	K(split_work)(p->groups, band_units(p), panels_of(p->oc), 16 * (double)phase_count(p) / pixels,
		16 / (double)p->oc, flops, threads, &p->task_rows, &p->task_cols);
	return true;
}

static int64_t zero_floats(const ConvParam *p)
{
	return p->kernel[2] * p->ic;
}

static int64_t packed_floats(const ConvParam *p)
{
	int64_t n = 0;
	for (int64_t i = 0; i < phase_count(p); i++) {
		Phase f = K(transposed_phase)(p, i);
		n += K(phase_floats)(p, &f);
	}
	return n;
}

size_t K(transposed_pack_bytes)(const ConvParam *p)
{
	return align64((size_t)(packed_floats(p) + zero_floats(p)) * sizeof(float));
}

void K(transposed_pack)(const ConvParam *p, const FloatAny *w, const int64_t stride[5], void *dst)
{
	int64_t s[5] = {stride[1], stride[0], stride[2], stride[3], stride[4]};
	float *to = dst;
	for (int64_t i = 0; i < phase_count(p); i++) {
		Phase f = K(transposed_phase)(p, i);
		K(phase_pack)(p, &f, w, p->ic * stride[0], s, to);
		to += K(phase_floats)(p, &f);
	}
	memset(to, 0, (size_t)zero_floats(p) * sizeof(float));
}

static int64_t transposed_tasks(const void *param)
{
	const ConvParam *p = param;
	return p->groups * ceil_div(band_units(p), p->task_rows) * ceil_div(panels_of(p->oc), p->task_cols);
}

static size_t transposed_scratch(const void *param)
{
	const ConvParam *p = param;
	size_t most = 0;
	for (int64_t i = 0; i < phase_count(p); i++) {
		Phase f = K(transposed_phase)(p, i);
		size_t n = K(phase_scratch)(p, &f);
		most = n > most ? n : most;
	}
	return most;
}

/* One box of cells [lo, hi), all phases, panels [t->panel, t->panel_end); then the post program. */
static void run_box(PhaseTask *t, const int64_t lo[4], const int64_t hi[4], void *const *ptr, void *scratch)
{
	const ConvParam *p = t->p;
	const float *weights = p->weights;
	char *post = (char *)scratch + transposed_scratch(p) - K(conv_post_scratch)(p->post);
	for (int64_t i = 0; i < phase_count(p); i++) {
		Phase f = K(transposed_phase)(p, i);
		int64_t floats = K(phase_floats)(p, &f), rows = 1;
		t->f = &f;
		t->weights = weights + floats / p->groups * t->group;
		weights += floats;
		for (int d = 0; d < 4; d++) {
			t->lo[d] = lo[d];
			t->hi[d] = d ? min_i64(hi[d], f.pixels[d - 1]) : hi[d];
			rows *= max_i64(t->hi[d] - lo[d], 0);
		}
		t->tile = 0;
		t->tile_end = phase_tiles(p, &f, rows);
		if (rows)
			K(phase_run)(t, ptr, scratch);
	}
	if (!p->post)
		return;
	int64_t from[5] = {lo[0]}, to[5] = {hi[0]};
	for (int d = 0; d < 3; d++) {
		from[d + 1] = lo[d + 1] * p->stride[d];
		to[d + 1] = min_i64(hi[d + 1] * p->stride[d], p->out[d]);
	}
	from[4] = t->group * p->oc + t->panel * PANEL;
	to[4] = t->group * p->oc + min_i64(t->panel_end * PANEL, p->oc);
	K(tile_box)(p->post, ptr, from, to, post);
}

/* Tasks: bands outermost, then groups, then blocks of panels. A band is cut where an outer dim turns over. */
static void transposed_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	int64_t panels = panels_of(p->oc), blocks = ceil_div(panels, p->task_cols), units = band_units(p);
	int band = band_dim(p);
	PhaseTask t = {.p = p, .zero = (const float *)p->weights + packed_floats(p)};
	for (int64_t task = begin; task < end; task++) {
		t.group = task / blocks % p->groups;
		t.panel = task % blocks * p->task_cols;
		t.panel_end = min_i64(t.panel + p->task_cols, panels);
		int64_t unit = task / (blocks * p->groups) * p->task_rows, last = min_i64(unit + p->task_rows, units);
		while (unit < last) {
			int64_t lo[4] = {0}, hi[4], rest = unit;
			for (int d = 3; d > band; d--)
				hi[d] = cells(p, d);
			for (int d = band; d >= 0; d--) {
				lo[d] = rest % cells(p, d);
				rest /= cells(p, d);
				hi[d] = lo[d] + 1;
			}
			hi[band] = min_i64(cells(p, band), lo[band] + last - unit);
			unit += hi[band] - lo[band];
			run_box(&t, lo, hi, ptr, scratch);
		}
	}
}

const Kernel K(kernel_transposed) = {transposed_tasks, transposed_run, transposed_scratch};
