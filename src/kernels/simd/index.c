/* Elements and rows at positions that indices tell: read, or written in order. */
#include "simd.h"

enum { TASK_BYTES = 65536 };

static int64_t index_tasks(const void *param)
{
	const IndexParam *p = param;
	if (p->scatter) /* later rows win */
		return 1;
	return max_i64(1, min_i64(p->rows, p->rows * max_i64(16, p->inner * p->elem) / TASK_BYTES));
}

/* Element that row r is at; -1: an index is out of range. */
static int64_t position(const IndexParam *p, const void *index, int64_t r)
{
	int64_t at = 0, rest = r;
	for (int d = p->rank - 1; d >= 0; d--) {
		at += rest % p->at[d] * p->stride[d];
		rest /= p->at[d];
	}
	for (int j = 0; j < p->depth; j++) {
		int64_t i = r * p->depth + j, v = p->index64 ? ((const int64_t *)index)[i] : ((const int32_t *)index)[i];
		if (v < 0)
			v += p->index_size[j];
		if (v < 0 || v >= p->index_size[j])
			return -1;
		at += v * p->index_stride[j];
	}
	return at;
}

static void move(char *y, const char *x, int64_t bytes)
{
	if (bytes == 4)
		memcpy(y, x, 4);
	else if (bytes == 8)
		memcpy(y, x, 8);
	else
		memcpy(y, x, (size_t)bytes);
}

/* a combined with b; in MIN and MAX a NaN wins. */
#define COMBINE(name, type, wide) \
	static void name(Scatter c, type *y, const type *x, int64_t n) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			type a = y[i], b = x[i]; \
			switch (c) { \
			case SCATTER_ADD: y[i] = (type)((wide)a + (wide)b); break; \
			case SCATTER_MUL: y[i] = (type)((wide)a * (wide)b); break; \
			case SCATTER_MIN: y[i] = a != a ? a : b < a || b != b ? b : a; break; \
			default: y[i] = a != a ? a : b > a || b != b ? b : a; break; \
			} \
		} \
	}
COMBINE(combine_f32, float, float)
COMBINE(combine_f64, double, double)
COMBINE(combine_i32, int32_t, uint32_t)
COMBINE(combine_i64, int64_t, uint64_t)

static void combine(const IndexParam *p, char *y, const char *x)
{
	if (p->combine == SCATTER_SET)
		move(y, x, p->inner * p->elem);
	else if (p->dtype == DT_F32)
		combine_f32(p->combine, (float *)y, (const float *)x, p->inner);
	else if (p->dtype == DT_F64)
		combine_f64(p->combine, (double *)y, (const double *)x, p->inner);
	else if (p->dtype == DT_I32)
		combine_i32(p->combine, (int32_t *)y, (const int32_t *)x, p->inner);
	else
		combine_i64(p->combine, (int64_t *)y, (const int64_t *)x, p->inner);
}

static void index_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const IndexParam *p = param;
	int64_t tasks = index_tasks(param), bytes = p->inner * p->elem;
	(void)scratch;
	for (int64_t r = p->rows * begin / tasks; r < p->rows * end / tasks; r++) {
		int64_t at = position(p, ptr[2], r);
		if (at < 0)
			__atomic_store_n((int64_t *)ptr[3], r + 1, __ATOMIC_RELAXED);
		if (p->scatter && at >= 0)
			combine(p, (char *)ptr[0] + at * p->elem, (const char *)ptr[1] + r * bytes);
		else if (!p->scatter && at >= 0)
			move((char *)ptr[0] + r * bytes, (const char *)ptr[1] + at * p->elem, bytes);
		else if (!p->scatter)
			memset((char *)ptr[0] + r * bytes, 0, (size_t)bytes);
	}
}

const Kernel K(kernel_index) = {index_tasks, index_run, NULL};
