/* What is found in data, so that nobody knows before how much: boxes that overlap no better one, elements that are not zero.
 * Each task has room for the most that it may find, and says how much it did. */
#include "base/rank.h"
#include "simd.h"

/* ---- boxes ---- */

static int64_t nms_tasks(const void *param)
{
	const NmsParam *p = param;
	return max_i64(1, p->batches * p->classes);
}

enum { BOX_Y0, BOX_X0, BOX_Y1, BOX_X1, BOX_AREA, BOX_PARTS, CHUNK = 32 };

static size_t nms_scratch(const void *param)
{
	const NmsParam *p = param;
	return (size_t)p->boxes * sizeof(Ranked) + (size_t)(p->most + CHUNK) * BOX_PARTS * sizeof(double);
}

static void box_load(const NmsParam *p, const float *v, double *b)
{
	double a = v[0], c = v[1], d = v[2], e = v[3];
	b[BOX_Y0] = p->centre ? c - e / 2 : d < a ? d : a;
	b[BOX_Y1] = p->centre ? c + e / 2 : d > a ? d : a;
	b[BOX_X0] = p->centre ? a - d / 2 : e < c ? e : c;
	b[BOX_X1] = p->centre ? a + d / 2 : e > c ? e : c;
	b[BOX_AREA] = (b[BOX_Y1] - b[BOX_Y0]) * (b[BOX_X1] - b[BOX_X0]);
}

/* kept: BOX_PARTS lists of `room` numbers, n of them set. */
static bool overlaps(const double *restrict b, const double *restrict kept, int64_t room, int64_t n, double threshold)
{
	const double *y0 = kept, *x0 = y0 + room, *y1 = x0 + room, *x1 = y1 + room, *area = x1 + room;
	for (int64_t at = 0; at < n; at += CHUNK) {
		int64_t end = min_i64(at + CHUNK, n);
		int any = 0;
		for (int64_t i = at; i < end; i++) {
			double left = x0[i] > b[BOX_X0] ? x0[i] : b[BOX_X0], right = x1[i] < b[BOX_X1] ? x1[i] : b[BOX_X1];
			double top = y0[i] > b[BOX_Y0] ? y0[i] : b[BOX_Y0], bottom = y1[i] < b[BOX_Y1] ? y1[i] : b[BOX_Y1];
			double w = right - left, h = bottom - top, both = w * h, all = area[i] + b[BOX_AREA] - both;
			any |= (w > 0) & (h > 0) & (area[i] > 0) & (b[BOX_AREA] > 0) & (all > 0) & (both / all > threshold);
		}
		if (any)
			return true;
	}
	return false;
}

/* Scores that count, best first; returns how many. */
static int64_t sorted_scores(const NmsParam *p, const float *scores, const float *least, Ranked *order)
{
	int64_t n = 0;
	for (int64_t i = 0; i < p->boxes; i++)
		if (scores[i] == scores[i] && (!least || scores[i] > *least))
			order[n++] = (Ranked){ double_rank(scores[i]), i };
	for (int64_t i = n / 2; i-- > 0;)
		heap_sift_down(order, n, i);
	heap_finish(order, n);
	return n;
}

static int64_t nms_class(const NmsParam *p, void *const *ptr, void *scratch, int64_t task)
{
	int64_t batch = task / p->classes, room = p->most + CHUNK, kept = 0, most = p->most;
	int64_t *out = (int64_t *)ptr[0] + task * p->most * 3;
	const float *boxes = (const float *)ptr[2] + batch * p->boxes * 4, *scores = (const float *)ptr[3] + task * p->boxes;
	double threshold = p->has_iou ? *(const float *)ptr[5] : 0, *list = (double *)((Ranked *)scratch + p->boxes);
	Ranked *order = scratch;
	most = min_i64(most, max_i64(*(const int64_t *)ptr[4], 0));
	int64_t n = most ? sorted_scores(p, scores, p->has_score ? ptr[6] : NULL, order) : 0;
	for (int64_t i = 0; i < n && kept < most; i++) {
		double b[BOX_PARTS];
		box_load(p, boxes + order[i].index * 4, b);
		if (overlaps(b, list, room, kept, threshold))
			continue;
		for (int k = 0; k < BOX_PARTS; k++)
			list[k * room + kept] = b[k];
		out[3 * kept] = batch;
		out[3 * kept + 1] = task % p->classes;
		out[3 * kept++ + 2] = order[i].index;
	}
	return kept;
}

static void nms_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const NmsParam *p = param;
	for (int64_t task = begin; task < min_i64(end, p->batches * p->classes); task++)
		((int64_t *)ptr[1])[task] = nms_class(p, ptr, scratch, task);
}

const Kernel K(kernel_nms) = { nms_tasks, nms_run, nms_scratch };

/* ---- elements that are not zero ---- */

static int64_t nonzero_tasks(const void *param)
{
	const NonzeroParam *p = param;
	return ceil_div(p->n, p->part);
}

/* The place is written in any case, and kept when the element is not zero. */
#define PLACES(type, test) \
	for (int64_t i = first; i < last; i++) { \
		type v = ((const type *)x)[i]; \
		out[n] = i; \
		n += (test) != 0; \
	} \
	break;

static int64_t places(const NonzeroParam *p, const void *x, int64_t first, int64_t last, int64_t *out)
{
	int64_t n = 0;
	switch (p->elem) {
	case 1: PLACES(uint8_t, v)
	case 2: PLACES(uint16_t, (uint16_t)(v << p->sign))
	case 4: PLACES(uint32_t, v << p->sign)
	default: PLACES(uint64_t, v << p->sign)
	}
	return n;
}

static void nonzero_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const NonzeroParam *p = param;
	(void)scratch;
	for (int64_t task = begin; task < end; task++) {
		int64_t first = task * p->part, last = min_i64(first + p->part, p->n);
		((int64_t *)ptr[1])[task] = places(p, ptr[2], first, last, (int64_t *)ptr[0] + first);
	}
}

const Kernel K(kernel_nonzero) = { nonzero_tasks, nonzero_run, NULL };
