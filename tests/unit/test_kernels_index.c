/* Kernels along one axis and by index, on every instruction set, against plain definitions. */
#include "kernel_case.h"

#define FOR_EACH_SET(set) \
	for (int isa_ = 0; isa_ < ISA_COUNT; isa_++) \
		for (const KernelSet *set = kernels_for((Isa)isa_); set; set = NULL)

static const int64_t SHAPES[][3] = {{1, 1, 1}, {3, 7, 1}, {2, 100, 1}, {2, 5, 3}, {1, 33, 70}, {4, 300, 2}, {1, 5000, 1}};

/* Small whole numbers, so that there are equal ones; now and then a NaN, infinities, -0. */
static void fill(Rng *r, uint8_t dtype, void *x, int64_t n)
{
	static const float SPECIAL[] = {NAN, INFINITY, -INFINITY, -0.0f};
	for (int64_t i = 0; i < n; i++) {
		int64_t v = rng_below(r, 9) - (dtype == DT_BOOL || dtype == DT_U8 ? 0 : 4);
		bool special = rng_below(r, 200) == 0;
		if (dtype == DT_F32)
			((float *)x)[i] = special ? SPECIAL[rng_below(r, 4)] : (float)v;
		else if (dtype == DT_F64)
			((double *)x)[i] = special ? (double)SPECIAL[rng_below(r, 4)] : (double)v;
		else
			dtype_store_i64((DType)dtype, (char *)x + i * (int64_t)dtype_size((DType)dtype), 1, &v);
	}
}

static double number_at(uint8_t dtype, const void *x, int64_t i)
{
	double v;
	dtype_load_f64((DType)dtype, (const char *)x + i * (int64_t)dtype_size((DType)dtype), 1, &v);
	return v;
}

/* a is to be taken before b. NaN before all. */
static bool better(const LaneParam *p, double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && !isnan(b);
	return p->smallest ? a < b : a > b;
}

static int64_t lane_element(const LaneParam *p, int64_t lane, int64_t row)
{
	return (lane / p->inner * p->size + row) * p->inner + lane % p->inner;
}

static void check_arg(const LaneParam *p, const void *x, const int64_t *y)
{
	for (int64_t lane = 0; lane < p->outer * p->inner; lane++) {
		int64_t best = 0;
		for (int64_t row = 1; row < p->size; row++) {
			double v = number_at(p->dtype, x, lane_element(p, lane, row)), b = number_at(p->dtype, x, lane_element(p, lane, best));
			if (better(p, v, b) || (p->last && !better(p, b, v)))
				best = row;
		}
		assert_int_equal(y[lane], best);
	}
}

static void extremes_are_found(void **state)
{
	static const uint8_t TYPES[] = {DT_F32, DT_F64, DT_I64, DT_I32, DT_I16, DT_I8, DT_U8, DT_U16, DT_U32, DT_U64, DT_BOOL};
	Rng r = {31};
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(SHAPES); s++)
		for (size_t d = 0; d < ARRAY_LEN(TYPES); d++) {
			int64_t n = SHAPES[s][0] * SHAPES[s][1] * SHAPES[s][2];
			void *x = malloc((size_t)n * dtype_size((DType)TYPES[d]));
			int64_t *y = malloc((size_t)n * sizeof(*y));
			bool is_unsigned = TYPES[d] == DT_U16 || TYPES[d] == DT_U32 || TYPES[d] == DT_U64;
			for (int mode = 0; mode < 4; mode++) {
				LaneParam p = {.kind = LANE_ARG, .dtype = TYPES[d], .outer = SHAPES[s][0], .size = SHAPES[s][1], .inner = SHAPES[s][2],
					.smallest = mode & 1, .last = mode >> 1};
				fill(&r, is_unsigned ? DT_U8 : TYPES[d], x, n);
				for (int64_t i = n; is_unsigned && i-- > 0;) { /* widened in place, from the end */
					int64_t v = ((uint8_t *)x)[i];
					dtype_store_i64((DType)TYPES[d], (char *)x + i * (int64_t)dtype_size((DType)TYPES[d]), 1, &v);
				}
				FOR_EACH_SET(set) {
					kernel_run(set->lanes, &p, (void *[]){y, x}, &r);
					check_arg(&p, x, y);
				}
			}
			free(x);
			free(y);
		}
}

/* Each result is no worse than the next, ties in order, and nothing that was left out is better than the last. */
static void check_top(const LaneParam *p, const float *x, const float *values, const int64_t *indices)
{
	char *taken = malloc((size_t)p->size);
	for (int64_t lane = 0; lane < p->outer * p->inner; lane++) {
		memset(taken, 0, (size_t)p->size);
		for (int64_t i = 0; i < p->k; i++) {
			int64_t to = (lane / p->inner * p->k + i) * p->inner + lane % p->inner, at = indices[to], best = -1;
			for (int64_t row = 0; row < p->size; row++)
				if (!taken[row] && (best < 0 || better(p, (double)x[lane_element(p, lane, row)], (double)x[lane_element(p, lane, best)])))
					best = row;
			assert_int_equal(at, best);
			assert_memory_equal(&values[to], &x[lane_element(p, lane, at)], sizeof(float));
			taken[at] = 1;
		}
	}
	free(taken);
}

static void the_best_come_first(void **state)
{
	Rng r = {32};
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(SHAPES); s++)
		for (int mode = 0; mode < 6; mode++) {
			int64_t n = SHAPES[s][0] * SHAPES[s][1] * SHAPES[s][2], size = SHAPES[s][1];
			LaneParam p = {.kind = LANE_TOP, .dtype = DT_F32, .outer = SHAPES[s][0], .size = size, .inner = SHAPES[s][2],
				.smallest = mode & 1, .k = mode < 2 ? 1 : mode < 4 ? (size < 7 ? size : 7) : size < 300 ? size : 20};
			float *x = floats_new((size_t)n), *values = floats_new((size_t)n);
			int64_t *indices = malloc((size_t)n * sizeof(*indices));
			fill(&r, DT_F32, x, n);
			FOR_EACH_SET(set) {
				kernel_run(set->lanes, &p, (void *[]){values, indices, x}, &r);
				check_top(&p, x, values, indices);
			}
			free(x);
			free(values);
			free(indices);
		}
}

static void sums_run(void **state)
{
	Rng r = {33};
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(SHAPES); s++)
		for (int mode = 0; mode < 8; mode++) {
			int64_t n = SHAPES[s][0] * SHAPES[s][1] * SHAPES[s][2];
			LaneParam p = {.kind = mode & 4 ? LANE_PRODUCT : LANE_SUM, .dtype = DT_I64, .outer = SHAPES[s][0], .size = SHAPES[s][1],
				.inner = SHAPES[s][2], .exclusive = mode & 1, .reverse = mode & 2};
			int64_t *x = malloc((size_t)n * sizeof(*x)), *y = malloc((size_t)n * sizeof(*y));
			float *fx = floats_new((size_t)n), *fy = floats_new((size_t)n);
			fill(&r, DT_I64, x, n);
			for (int64_t i = 0; i < n; i++)
				fx[i] = (float)x[i] * 0.3f;
			FOR_EACH_SET(set) {
				kernel_run(set->lanes, &p, (void *[]){y, x}, &r);
				LaneParam f = p;
				f.dtype = DT_F32;
				kernel_run(set->lanes, &f, (void *[]){fy, fx}, &r);
				for (int64_t lane = 0; lane < p.outer * p.inner; lane++) {
					uint64_t acc = p.kind == LANE_PRODUCT;
					double facc = p.kind == LANE_PRODUCT;
					for (int64_t row = 0; row < p.size; row++) {
						int64_t at = lane_element(&p, lane, p.reverse ? p.size - 1 - row : row);
						uint64_t next = p.kind == LANE_PRODUCT ? acc * (uint64_t)x[at] : acc + (uint64_t)x[at];
						double fnext = p.kind == LANE_PRODUCT ? facc * (double)fx[at] : facc + (double)fx[at];
						assert_true((uint64_t)y[at] == (p.exclusive ? acc : next));
						float want = (float)(p.exclusive ? facc : fnext);
						assert_true(fy[at] == want || (isnan(want) && isnan(fy[at])));
						acc = next;
						facc = fnext;
					}
				}
			}
			free(x);
			free(y);
			free(fx);
			free(fy);
		}
}

/* ---- by index ---- */

/* y[i][j] = x[index[i][j]][j], and back by scattering. */
static void elements_by_index(void **state)
{
	enum { ROWS = 9, COLS = 5, N = 7 };
	Rng r = {34};
	(void)state;
	FOR_EACH_SET(set)
		for (int wide = 0; wide < 2; wide++) {
			float x[ROWS * COLS], y[N * COLS], z[ROWS * COLS], want[ROWS * COLS];
			int64_t index[N * COLS], fault = 0;
			int32_t narrow[N * COLS];
			for (int i = 0; i < ROWS * COLS; i++) {
				x[i] = (float)i;
				z[i] = want[i] = 1;
			}
			for (int i = 0; i < N * COLS; i++)
				narrow[i] = (int32_t)(index[i] = rng_below(&r, 2 * ROWS) - ROWS);
			IndexParam p = {.index64 = wide, .dtype = DT_F32, .rank = 2, .depth = 1, .rows = N * COLS, .inner = 1, .elem = 4,
				.at = {N, COLS}, .stride = {0, 1}, .index_size = {ROWS}, .index_stride = {COLS}};
			void *from = wide ? (void *)index : (void *)narrow;
			kernel_run(set->index, &p, (void *[]){y, x, from, &fault}, &r);
			for (int i = 0; i < N * COLS; i++)
				assert_true(y[i] == (float)((index[i] < 0 ? index[i] + ROWS : index[i]) * COLS + i % COLS));
			for (int c = SCATTER_SET; c <= SCATTER_MAX; c++) {
				p.scatter = true;
				p.combine = (Scatter)c;
				for (int i = 0; i < ROWS * COLS; i++)
					z[i] = want[i] = 30;
				for (int i = 0; i < N * COLS; i++) {
					float *w = &want[(int)y[i]], u = (float)i - 10;
					*w = c == SCATTER_SET ? u : c == SCATTER_ADD ? *w + u : c == SCATTER_MUL ? *w * u : c == SCATTER_MIN ? fminf(*w, u)
						: fmaxf(*w, u);
				}
				float u[N * COLS];
				for (int i = 0; i < N * COLS; i++)
					u[i] = (float)i - 10;
				kernel_run(set->index, &p, (void *[]){z, u, from, &fault}, &r);
				assert_memory_equal(z, want, sizeof(z));
			}
			assert_true(fault == 0);
		}
}

static void tuples_and_faults(void **state)
{
	Rng r = {35};
	(void)state;
	FOR_EACH_SET(set) {
		uint16_t x[2][3][4], y[4][4];
		int64_t index[4][2] = {{0, 0}, {1, -1}, {-2, 1}, {1, 3}}, fault = 0;
		for (int i = 0; i < 24; i++)
			((uint16_t *)x)[i] = (uint16_t)i;
		IndexParam p = {.index64 = true, .dtype = DT_U16, .depth = 2, .rows = 3, .inner = 4, .elem = 2, .rank = 1, .at = {4},
			.index_size = {2, 3}, .index_stride = {12, 4}};
		kernel_run(set->index, &p, (void *[]){y, x, index, &fault}, &r);
		assert_true(fault == 0 && y[0][0] == 0 && y[1][3] == 23 && y[2][1] == 5);
		p.rows = 4;
		kernel_run(set->index, &p, (void *[]){y, x, index, &fault}, &r);
		assert_true(fault == 4 && y[3][0] == 0 && y[1][3] == 23);
	}
}

/* ---- what is found ---- */

/* Best first by repeated search; boxes are given by corners in any order. */
static int64_t plain_nms(const NmsParam *p, const float *boxes, const float *scores, double share, double least, int64_t most,
	int64_t *out)
{
	char *done = calloc((size_t)p->boxes + 1, 1);
	int64_t kept = 0;
	while (kept < most) {
		int64_t best = -1;
		for (int64_t i = 0; i < p->boxes; i++)
			if (!done[i] && !isnan(scores[i]) && (!p->has_score || (double)scores[i] > least) && (best < 0 || scores[i] > scores[best]))
				best = i;
		if (best < 0)
			break;
		done[best] = 1;
		bool taken = true;
		for (int64_t k = 0; k < kept && taken; k++) {
			double lo[2][2], hi[2][2], area[2];
			for (int b = 0; b < 2; b++) {
				const float *v = boxes + (b ? out[k] : best) * 4;
				for (int d = 0; d < 2; d++) {
					double from = p->centre ? (double)v[d] - (double)v[d + 2] / 2 : fmin((double)v[d], (double)v[d + 2]);
					lo[b][d] = from;
					hi[b][d] = p->centre ? (double)v[d] + (double)v[d + 2] / 2 : fmax((double)v[d], (double)v[d + 2]);
				}
				area[b] = (hi[b][0] - lo[b][0]) * (hi[b][1] - lo[b][1]);
			}
			double h = fmin(hi[0][0], hi[1][0]) - fmax(lo[0][0], lo[1][0]), w = fmin(hi[0][1], hi[1][1]) - fmax(lo[0][1], lo[1][1]);
			taken = !(w > 0 && h > 0 && area[0] > 0 && area[1] > 0 && w * h / (area[0] + area[1] - w * h) > share);
		}
		if (taken)
			out[kept++] = best;
	}
	free(done);
	return kept;
}

static void boxes_are_chosen(void **state)
{
	static const int64_t SIZES[][4] = {{1, 1, 1, 1}, {1, 1, 40, 5}, {2, 3, 150, 150}, {1, 2, 70, 33}, {3, 1, 0, 0}, {1, 1, 300, 64}};
	Rng r = {91};
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(SIZES); s++)
		for (int mode = 0; mode < 8; mode++) {
			NmsParam p = {.batches = SIZES[s][0], .classes = SIZES[s][1], .boxes = SIZES[s][2], .most = SIZES[s][3], .centre = mode & 1,
				.has_iou = mode & 2, .has_score = mode & 4};
			int64_t classes = p.batches * p.classes, limit = mode == 3 ? 2 : mode == 5 ? -1 : 1000, want[300];
			float *boxes = floats_random(&r, (size_t)(p.batches * p.boxes * 4)), *scores = floats_random(&r, (size_t)(classes * p.boxes));
			float share = 0.3f, least = -0.5f;
			int64_t *got = malloc((size_t)(classes * p.most * 3) * sizeof(*got) + 8), *count = malloc((size_t)classes * sizeof(*count));
			for (int64_t i = 0; i < classes * p.boxes; i++)
				scores[i] = i % 13 == 5 ? NAN : i % 7 == 2 ? 0.25f : i % 29 == 3 ? INFINITY : scores[i];
			for (int64_t i = 0; i < p.batches * p.boxes * 4; i++)
				boxes[i] = i % 31 == 4 ? NAN : fabsf(boxes[i]) * 10;
			FOR_EACH_SET(set) {
				kernel_run(set->nms, &p, (void *[]){got, count, boxes, scores, &limit, &share, &least}, &r);
				for (int64_t c = 0; c < classes; c++) {
					int64_t batch = c / p.classes, most = limit < 0 ? 0 : limit < p.most ? limit : p.most;
					int64_t n = plain_nms(&p, boxes + batch * p.boxes * 4, scores + c * p.boxes, p.has_iou ? (double)share : 0, (double)least,
						most, want);
					assert_int_equal(count[c], n);
					for (int64_t i = 0; i < n; i++) {
						const int64_t *row = got + (c * p.most + i) * 3;
						assert_true(row[0] == batch && row[1] == c % p.classes && row[2] == want[i]);
					}
				}
			}
			free(boxes);
			free(scores);
			free(got);
			free(count);
		}
}

static void places_of_nonzero(void **state)
{
	static const uint8_t TYPES[] = {DT_F32, DT_F64, DT_I64, DT_I32, DT_I16, DT_I8, DT_U8, DT_BOOL, DT_F16};
	static const int64_t COUNTS[] = {1, 5, 64, 1000, 1025};
	Rng r = {92};
	(void)state;
	for (size_t d = 0; d < ARRAY_LEN(TYPES); d++)
		for (size_t k = 0; k < ARRAY_LEN(COUNTS); k++) {
			int64_t n = COUNTS[k], elem = (int64_t)dtype_size((DType)TYPES[d]);
			bool floats = dtype_is_float((DType)TYPES[d]);
			NonzeroParam p = {.n = n, .part = k % 2 ? 100 : 2000, .elem = elem, .sign = floats};
			char *x = malloc((size_t)(n * elem));
			int64_t *got = malloc((size_t)n * sizeof(*got)), count[16];
			for (int64_t i = 0; i < n; i++) {
				double v = (double)rng_below(&r, 3) - (TYPES[d] == DT_U8 || TYPES[d] == DT_BOOL ? 0 : 1);
				v = floats && v == 0 && i % 2 ? -0.0 : floats && i % 11 == 3 ? (double)NAN : v;
				int64_t w = (int64_t)(v == v ? v : 1);
				if (floats)
					dtype_store_f64((DType)TYPES[d], x + i * elem, 1, &v);
				else
					dtype_store_i64((DType)TYPES[d], x + i * elem, 1, &w);
			}
			FOR_EACH_SET(set) {
				kernel_run(set->nonzero, &p, (void *[]){got, count, x}, &r);
				for (int64_t i = 0, at = 0; i < n; i++) {
					at = i % p.part ? at : 0;
					if (number_at(TYPES[d], x, i) != 0)
						assert_true(at < count[i / p.part] && got[i / p.part * p.part + at++] == i);
					if (i + 1 == n || (i + 1) % p.part == 0)
						assert_int_equal(at, count[i / p.part]);
				}
			}
			free(x);
			free(got);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(extremes_are_found), cmocka_unit_test(the_best_come_first),
		cmocka_unit_test(sums_run), cmocka_unit_test(elements_by_index), cmocka_unit_test(tuples_and_faults),
		cmocka_unit_test(boxes_are_chosen), cmocka_unit_test(places_of_nonzero)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
