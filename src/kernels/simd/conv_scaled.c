/* A 1x1 convolution whose input is scaled by channel: its packed weights are scaled instead, into the scratch. */
#include "conv.h"

static int64_t scaled_tasks(const void *param)
{
	const ScaledParam *p = param;
	return K(kernel_direct).tasks(p->conv);
}

static size_t weight_bytes(const ConvParam *c)
{
	int64_t whole = c->oc / PANEL * PANEL;
	return align64((size_t)((whole + panel_width(c, c->oc - whole)) * c->ic) * sizeof(float));
}

static size_t scaled_scratch(const void *param)
{
	const ScaledParam *p = param;
	return weight_bytes(p->conv) + K(kernel_direct).scratch_bytes(p->conv);
}

/* Panels [first, last): of each channel, a row of the panel. */
static void scale_panels(const ConvParam *c, const float *scale, float *to, int64_t first, int64_t last)
{
	for (int64_t panel = first; panel < last; panel++) {
		int64_t cols = min_i64(PANEL, c->oc - panel * PANEL), width = panel_width(c, cols), at = panel * PANEL * c->ic;
		const float *from = (const float *)c->weights + at;
		if (panel_paired(c, cols)) {
			for (int64_t k = 0; k < c->ic; k += 2)
				for (int64_t j = 0; j < 2 * width; j += LANES)
					vec_store(to + at + k * width + j, vec_load(from + k * width + j) * vec_pair(scale + k));
			continue;
		}
		for (int64_t k = 0; k < c->ic; k++)
			for (int64_t j = 0; j < width; j += LANES)
				vec_store(to + at + k * width + j, vec_load(from + k * width + j) * vec_set(scale[k]));
	}
}

/* Tasks are those of the convolution: blocks of tiles outermost, then blocks of panels. */
static void scaled_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ScaledParam *p = param;
	ConvParam c = *p->conv;
	const float *scale = (const float *)ptr[p->scale_ptr] + p->scale_offset;
	int64_t panels = panels_of(c.oc), blocks = ceil_div(panels, c.task_cols);
	if (end - begin >= blocks)
		scale_panels(&c, scale, scratch, 0, panels);
	else
		for (int64_t task = begin; task < end; task++) {
			int64_t first = task % blocks * c.task_cols;
			scale_panels(&c, scale, scratch, first, min_i64(first + c.task_cols, panels));
		}
	c.weights = scratch;
	c.x_offset += p->x_offset;
	K(kernel_direct).run(&c, ptr, (char *)scratch + weight_bytes(&c), begin, end);
}

const Kernel K(kernel_scaled) = {scaled_tasks, scaled_run, scaled_scratch};
