/* Along one axis: where the extremes are, the k best, running sums and products.  Elements compare as integers in the order of
 * their values, NaN above all. */
#include "base/rank.h"
#include "simd.h"

enum { TASK_ELEMENTS = 16384, BLOCK = 64 };

static bool is_running(const LaneParam *p)
{
	return p->kind == LANE_SUM || p->kind == LANE_PRODUCT;
}

/* Units that are independent: blocks of columns of an outer group. */
static int64_t unit_width(const LaneParam *p)
{
	return p->kind == LANE_TOP ? 1 : min_i64(BLOCK, max_i64(1, p->inner));
}

static int64_t unit_count(const LaneParam *p)
{
	return p->outer * ceil_div(p->inner, unit_width(p));
}

static int64_t lane_tasks(const void *param)
{
	const LaneParam *p = param;
	int64_t unit = max_i64(1, p->size * unit_width(p));
	return max_i64(1, ceil_div(unit_count(p), max_i64(1, TASK_ELEMENTS / unit)));
}

/* ---- keys ---- */

/* smallest: reversed, but for NaN. */
static int64_t key_of(const LaneParam *p, const void *x, int64_t i)
{
	int64_t k;
	switch (p->dtype) {
	case DT_F32: k = double_rank(((const float *)x)[i]); break;
	case DT_F64: k = double_rank(((const double *)x)[i]); break;
	case DT_I64: k = ((const int64_t *)x)[i]; return p->smallest ? ~k : k;
	case DT_U64: k = (int64_t)(((const uint64_t *)x)[i] ^ UINT64_C(1) << 63); return p->smallest ? ~k : k;
	case DT_I32: k = ((const int32_t *)x)[i]; break;
	case DT_U32: k = ((const uint32_t *)x)[i]; break;
	case DT_I16: k = ((const int16_t *)x)[i]; break;
	case DT_U16: k = ((const uint16_t *)x)[i]; break;
	case DT_I8: k = ((const int8_t *)x)[i]; break;
	default: k = ((const uint8_t *)x)[i]; break;
	}
	return p->smallest && k != INT64_MAX ? ~k : k;
}

/* ---- where the largest is ---- */

/* Floats that are neighbours: the extreme by vectors, then its place. */
static int64_t arg_floats(const LaneParam *p, const float *x)
{
	float m = p->smallest ? INFINITY : -INFINITY;
	int nan = 0;
	for (int64_t i = 0; i < p->size; i++)
		nan |= x[i] != x[i];
	float lane[4 * LANES];
	int64_t i = 0, found = 0;
	for (int k = 0; k < 4 * LANES; k++)
		lane[k] = m;
	for (; i + 4 * LANES <= p->size; i += 4 * LANES)
		for (int k = 0; k < 4 * LANES; k++) {
			bool take = p->smallest ? x[i + k] < lane[k] : x[i + k] > lane[k];
			lane[k] = take ? x[i + k] : lane[k];
		}
	for (int k = 0; k < 4 * LANES; k++)
		m = (p->smallest ? lane[k] < m : lane[k] > m) ? lane[k] : m;
	for (; i < p->size; i++)
		m = (p->smallest ? x[i] < m : x[i] > m) ? x[i] : m;
	for (i = 0; i < p->size; i++)
		if (nan ? x[i] != x[i] : x[i] == m) {
			found = i;
			if (!p->last)
				break;
		}
	return found;
}

static void arg_unit(const LaneParam *p, int64_t *y, const void *x, int64_t outer, int64_t col, int64_t n)
{
	int64_t best[BLOCK], *where = y + outer * p->inner + col;
	if (p->inner == 1 && p->dtype == DT_F32) {
		*where = arg_floats(p, (const float *)x + outer * p->size);
		return;
	}
	for (int64_t row = 0; row < p->size; row++)
		for (int64_t i = 0; i < n; i++) {
			int64_t key = key_of(p, x, (outer * p->size + row) * p->inner + col + i);
			if (row == 0 || key > best[i] || (p->last && key == best[i])) {
				best[i] = key;
				where[i] = row;
			}
		}
}

/* ---- the k best ---- */

static void top_unit(const LaneParam *p, void *values, int64_t *indices, const void *x, int64_t outer, int64_t col,
	Ranked *heap)
{
	int64_t first = outer * p->size * p->inner + col, k = p->k, elem = (int64_t)dtype_size((DType)p->dtype);
	for (int64_t i = 0; i < p->size && k; i++)
		heap_offer(heap, k, (Ranked){key_of(p, x, first + i * p->inner), i});
	heap_finish(heap, k);
	for (int64_t i = 0; i < k; i++) {
		int64_t to = (outer * k + i) * p->inner + col;
		memcpy((char *)values + to * elem, (const char *)x + (first + heap[i].index * p->inner) * elem, (size_t)elem);
		indices[to] = heap[i].index;
	}
}

/* ---- running sums ---- */

#define RUNNING(name, type, sum_type) \
	static void name(const LaneParam *p, type *y, const type *x, int64_t outer, int64_t col, int64_t n) \
	{ \
		sum_type acc[BLOCK]; \
		for (int64_t i = 0; i < n; i++) \
			acc[i] = p->kind == LANE_PRODUCT; \
		for (int64_t k = 0; k < p->size; k++) { \
			int64_t row = p->reverse ? p->size - 1 - k : k, at = (outer * p->size + row) * p->inner + col; \
			for (int64_t i = 0; i < n; i++) { \
				sum_type v = (sum_type)x[at + i]; \
				sum_type next = p->kind == LANE_PRODUCT ? acc[i] * v : acc[i] + v; \
				y[at + i] = (type)(p->exclusive ? acc[i] : next); \
				acc[i] = next; \
			} \
		} \
	}
RUNNING(running_f32, float, double)
RUNNING(running_i32, int32_t, uint64_t)
RUNNING(running_i64, int64_t, uint64_t)

static void running_unit(const LaneParam *p, void *y, const void *x, int64_t outer, int64_t col, int64_t n)
{
	if (p->dtype == DT_F32)
		running_f32(p, y, x, outer, col, n);
	else if (p->dtype == DT_I32)
		running_i32(p, y, x, outer, col, n);
	else
		running_i64(p, y, x, outer, col, n);
}

/* ---- the kernel ---- */

static size_t lane_scratch(const void *param)
{
	const LaneParam *p = param;
	return p->kind == LANE_TOP ? (size_t)p->k * sizeof(Ranked) : 0;
}

static void lane_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const LaneParam *p = param;
	int64_t tasks = lane_tasks(param), units = unit_count(p), width = unit_width(p), blocks = ceil_div(p->inner, width);
	for (int64_t u = units * begin / tasks; u < units * end / tasks; u++) {
		int64_t outer = u / blocks, col = u % blocks * width, n = min_i64(width, p->inner - col);
		if (p->kind == LANE_ARG)
			arg_unit(p, ptr[0], ptr[1], outer, col, n);
		else if (p->kind == LANE_TOP)
			top_unit(p, ptr[0], ptr[1], ptr[2], outer, col, scratch);
		else if (is_running(p))
			running_unit(p, ptr[0], ptr[1], outer, col, n);
	}
}

const Kernel K(kernel_lanes) = {lane_tasks, lane_run, lane_scratch};
