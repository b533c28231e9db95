/* Convolutions and pools against the plain loops of their definitions, on random shapes. */
#include "op_case.h"

enum { MAX_SPATIAL = 3 };

typedef struct Shape { /* of a random case */
	int rank;
	int64_t batch, groups, in_per_group, out_per_group;
	int64_t in[MAX_SPATIAL], kernel[MAX_SPATIAL], stride[MAX_SPATIAL], dilation[MAX_SPATIAL], begin[MAX_SPATIAL],
		end[MAX_SPATIAL];
} Shape;

static int64_t between(Rng *r, int64_t lo, int64_t hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

static Shape random_shape(Rng *r, int trial)
{
	Shape s = {.rank = 1 + trial % MAX_SPATIAL, .batch = trial % 17 == 16 ? 0 : between(r, 1, 2)};
	s.groups = between(r, 1, 3);
	s.in_per_group = trial % 5 == 0 ? 1 : between(r, 1, 5);
	s.out_per_group = trial % 7 == 0 ? 1 : between(r, 1, 9);
	for (int d = 0; d < s.rank; d++) {
		s.kernel[d] = between(r, 1, 4);
		s.stride[d] = between(r, 1, 3);
		s.dilation[d] = between(r, 1, 2);
		s.begin[d] = between(r, 0, 2);
		s.end[d] = between(r, 0, 2);
		s.in[d] = between(r, 0, s.rank == 1 ? 70 : s.rank == 2 ? 19 : 8);
		int64_t least = (s.kernel[d] - 1) * s.dilation[d] + 1 - s.begin[d] - s.end[d];
		if (s.in[d] < least)
			s.in[d] = least;
	}
	return s;
}

static size_t put_list(char *text, size_t size, const char *name, const int64_t *a, int na, const int64_t *b, int nb)
{
	size_t n = (size_t)snprintf(text, size, "%s=", name);
	for (int i = 0; i < na + nb; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%lld", i ? "," : "", (long long)(i < na ? a[i] : b[i - na]));
	return n + (size_t)snprintf(text + n, size - n, " ");
}

static void window_text(const Shape *s, char *text, size_t size)
{
	size_t n = put_list(text, size, "strides", s->stride, s->rank, NULL, 0);
	n += put_list(text + n, size - n, "dilations", s->dilation, s->rank, NULL, 0);
	put_list(text + n, size - n, "pads", s->begin, s->rank, s->end, s->rank);
}

/* Flat index of (outer, spatial position); -1 outside. */
static int64_t at(int64_t outer, const int64_t *i, const int64_t *dims, int rank)
{
	for (int d = 0; d < rank; d++) {
		if (i[d] < 0 || i[d] >= dims[d])
			return -1;
		outer = outer * dims[d] + i[d];
	}
	return outer;
}

/* Calls add(arg, output, input, weight) with flat indices for every product of the convolution. */
typedef void Product3(void *arg, int64_t y, int64_t x, int64_t w);
static void each_product(const Shape *s, const int64_t *out, Product3 *add, void *arg)
{
	int64_t top[4] = {s->batch, s->groups, s->out_per_group, s->in_per_group}, t[4] = {0};
	for (int d = 0; d < s->rank; d++)
		if (out[d] == 0)
			return;
	if (s->batch == 0)
		return;
	do {
		int64_t o[MAX_SPATIAL] = {0};
		do {
			int64_t k[MAX_SPATIAL] = {0}, i[MAX_SPATIAL];
			do {
				for (int d = 0; d < s->rank; d++)
					i[d] = o[d] * s->stride[d] - s->begin[d] + k[d] * s->dilation[d];
				int64_t x = at((t[0] * s->groups + t[1]) * s->in_per_group + t[3], i, s->in, s->rank);
				int64_t y = at((t[0] * s->groups + t[1]) * s->out_per_group + t[2], o, out, s->rank);
				int64_t w = at((t[1] * s->out_per_group + t[2]) * s->in_per_group + t[3], k, s->kernel, s->rank);
				if (x >= 0)
					add(arg, y, x, w);
			} while (case_next(k, s->kernel, s->rank));
		} while (case_next(o, out, s->rank));
	} while (case_next(t, top, 4));
}

typedef struct Plain {
	const Tensor *x, *w;
	double *y;
	double x_zero, w_zero;
	bool transposed; /* x and y change places */
} Plain;

static void add_product(void *arg, int64_t y, int64_t x, int64_t w)
{
	Plain *p = arg;
	if (p->transposed)
		p->y[x] += (tensor_get_f64(p->x, y) - p->x_zero) * (tensor_get_f64(p->w, w) - p->w_zero);
	else
		p->y[y] += (tensor_get_f64(p->x, x) - p->x_zero) * (tensor_get_f64(p->w, w) - p->w_zero);
}

static void fill_dims(const Shape *s, int64_t channels, const int64_t *spatial, int64_t *dims)
{
	dims[0] = s->batch, dims[1] = channels;
	memcpy(dims + 2, spatial, (size_t)s->rank * sizeof(*dims));
}

static void plain_bias(const Tensor *y, const Tensor *bias, double *want)
{
	int64_t plane = 1;
	for (int d = 2; d < y->rank; d++)
		plane *= y->dims[d];
	for (int64_t i = 0; i < y->count; i++)
		want[i] = bias ? tensor_get_f64(bias, i / plane % y->dims[1]) : 0;
}

static void conv_matches(void **state)
{
	static const DType types[] = {DT_F32, DT_F64, DT_F16, DT_F32, DT_BF16};
	(void)state;
	for (int trial = 0; trial < 90; trial++) {
		OpCase c;
		bool oracle = trial % 2;
		DType d = types[trial % 5];
		case_begin(&c, oracle, (uint64_t)trial + 1);
		Shape s = random_shape(&c.b->rng, trial);
		int64_t dims[5];
		char text[256];
		fill_dims(&s, s.groups * s.in_per_group, s.in, dims);
		case_tensor(&c, d, s.rank + 2, dims, 0, 0);
		dims[0] = s.groups * s.out_per_group, dims[1] = s.in_per_group;
		memcpy(dims + 2, s.kernel, sizeof(s.kernel));
		case_tensor(&c, d, s.rank + 2, dims, 0, 0);
		if (trial % 3)
			case_tensor(&c, d, 1, dims, 0, 0);
		window_text(&s, text, sizeof(text));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "groups=%lld", (long long)s.groups);
		case_run(&c, OP_conv, text, 1);
		double *want = NEW_ARRAY(c.b->arena, double, c.out[0]->count + 1);
		Plain p = {.x = c.in[0], .w = c.in[1], .y = want};
		plain_bias(c.out[0], c.in[2], want);
		each_product(&s, c.out[0]->dims + 2, add_product, &p);
		case_near(c.out[0], want, case_tolerance(d, oracle), text);
		case_end(&c);
	}
}

/* Many channels and columns, so that every border of the blocked product is crossed. */
static void big_conv_matches(void **state)
{
	(void)state;
	for (int trial = 0; trial < 4; trial++) {
		OpCase c;
		case_begin(&c, trial % 2, 77);
		Shape s = {.rank = 2,
			.batch = 1,
			.groups = 1,
			.in_per_group = 61,
			.out_per_group = 197,
			.in = {19, 17},
			.kernel = {3, 3},
			.stride = {1, 1 + trial / 2},
			.dilation = {1, 1},
			.begin = {1, 1},
			.end = {1, 0}};
		char text[256];
		case_tensor(&c, DT_F32, 4, (int64_t[]){1, 61, 19, 17}, 0, 0);
		case_tensor(&c, DT_F32, 4, (int64_t[]){197, 61, 3, 3}, 0, 0);
		window_text(&s, text, sizeof(text));
		case_run(&c, OP_conv, text, 1);
		double *want = NEW_ARRAY(c.b->arena, double, c.out[0]->count);
		Plain p = {.x = c.in[0], .w = c.in[1], .y = want};
		each_product(&s, c.out[0]->dims + 2, add_product, &p);
		case_near(c.out[0], want, case_tolerance(DT_F32, trial % 2), text);
		case_end(&c);
	}
}

/* The transposed one adds w * x[window] where the plain one reads: the same products, x and y exchanged. */
static void conv_transpose_matches(void **state)
{
	(void)state;
	for (int trial = 0; trial < 60; trial++) {
		OpCase c;
		bool oracle = trial % 2;
		case_begin(&c, oracle, (uint64_t)trial + 500);
		Shape s = random_shape(&c.b->rng, trial);
		int64_t dims[5], out[MAX_SPATIAL], windows[MAX_SPATIAL];
		bool usable = true;
		for (int d = 0; d < s.rank; d++) { /* s.in is the image, our result; windows the operand */
			windows[d] = between(&c.b->rng, 1, 6);
			out[d] = (windows[d] - 1) * s.stride[d] + (s.kernel[d] - 1) * s.dilation[d] + 1 - s.begin[d] - s.end[d];
			usable = usable && out[d] >= 0;
			s.in[d] = out[d];
		}
		if (usable) {
			char text[256];
			fill_dims(&s, s.groups * s.out_per_group, windows, dims);
			case_tensor(&c, DT_F32, s.rank + 2, dims, 0, 0);
			dims[0] = s.groups * s.out_per_group, dims[1] = s.in_per_group;
			memcpy(dims + 2, s.kernel, sizeof(s.kernel));
			case_tensor(&c, DT_F32, s.rank + 2, dims, 0, 0);
			dims[0] = s.groups * s.in_per_group;
			if (trial % 3)
				case_tensor(&c, DT_F32, 1, dims, 0, 0);
			window_text(&s, text, sizeof(text));
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "groups=%lld", (long long)s.groups);
			case_run(&c, OP_conv_transpose, text, 1);
			for (int d = 0; d < s.rank; d++)
				assert_int_equal(c.out[0]->dims[d + 2], out[d]);
			double *want = NEW_ARRAY(c.b->arena, double, c.out[0]->count + 1);
			Plain p = {.x = c.in[0], .w = c.in[1], .y = want, .transposed = true};
			plain_bias(c.out[0], c.in[2], want);
			each_product(&s, windows, add_product, &p);
			case_near(c.out[0], want, case_tolerance(DT_F32, oracle), text);
		}
		case_end(&c);
	}
}

static void conv_integer_is_exact(void **state)
{
	(void)state;
	for (int trial = 0; trial < 30; trial++) {
		OpCase c;
		case_begin(&c, trial % 2, (uint64_t)trial + 900);
		Shape s = random_shape(&c.b->rng, trial);
		int64_t dims[5], out_channels = s.groups * s.out_per_group;
		char text[256];
		fill_dims(&s, s.groups * s.in_per_group, s.in, dims);
		case_tensor(&c, DT_U8, s.rank + 2, dims, 0, 255);
		dims[0] = out_channels, dims[1] = s.in_per_group;
		memcpy(dims + 2, s.kernel, sizeof(s.kernel));
		case_tensor(&c, DT_I8, s.rank + 2, dims, -128, 127);
		case_tensor(&c, DT_U8, 0, NULL, 0, 255);
		case_tensor(&c, DT_I8, 0, NULL, -128, 127);
		window_text(&s, text, sizeof(text));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "groups=%lld", (long long)s.groups);
		case_run(&c, OP_conv_integer, text, 1);
		double *want = NEW_ARRAY(c.b->arena, double, c.out[0]->count + 1);
		Plain p = {.x = c.in[0],
			.w = c.in[1],
			.y = want,
			.x_zero = tensor_get_f64(c.in[2], 0),
			.w_zero = tensor_get_f64(c.in[3], 0)};
		each_product(&s, c.out[0]->dims + 2, add_product, &p);
		case_near(c.out[0], want, 0, text);
		case_end(&c);
	}
}

/* Integers of every width wrap around like their type. */
static void conv_wraps(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 3);
	case_tensor(&c, DT_I8, 3, (int64_t[]){1, 3, 9}, -128, 127);
	case_tensor(&c, DT_I8, 3, (int64_t[]){2, 3, 2}, -128, 127);
	case_run(&c, OP_conv, "", 1);
	for (int64_t i = 0; i < c.out[0]->count; i++) {
		int64_t sum = 0;
		for (int64_t k = 0; k < 6; k++)
			sum += tensor_get_i64(c.in[0], k / 2 * 9 + i % 8 + k % 2) * tensor_get_i64(c.in[1], i / 8 * 6 + k);
		assert_int_equal(tensor_get_i64(c.out[0], i), (int8_t)sum);
	}
	case_end(&c);
}

static void same_padding_is_explicit_padding(void **state)
{
	(void)state;
	for (int64_t in = 1; in < 12; in++)
		for (int64_t stride = 1; stride < 4; stride++)
			for (int lower = 0; lower < 2; lower++) {
				OpCase c;
				char text[128];
				int64_t out = (in + stride - 1) / stride,
						total = (out - 1) * stride + 5 - in; /* kernel 3, dilation 2 */
				total = total > 0 ? total : 0;
				int64_t begin = lower ? total - total / 2 : total / 2;
				case_begin(&c, false, (uint64_t)in);
				case_tensor(&c, DT_F32, 3, (int64_t[]){1, 2, in}, 0, 0);
				case_tensor(&c, DT_F32, 3, (int64_t[]){3, 2, 3}, 0, 0);
				snprintf(text, sizeof(text), "strides=%lld dilations=2 auto_pad=same_%s", (long long)stride,
					lower ? "lower" : "upper");
				case_run(&c, OP_conv, text, 1);
				Tensor *same = c.out[0];
				snprintf(text, sizeof(text), "strides=%lld dilations=2 pads=%lld,%lld", (long long)stride,
					(long long)begin, (long long)(total - begin));
				case_run(&c, OP_conv, text, 1);
				assert_int_equal(same->count, c.out[0]->count);
				assert_memory_equal(same->data, c.out[0]->data, (size_t)same->count * sizeof(float));
				case_end(&c);
			}
}

/* ---- pools ---- */

typedef struct PoolWant {
	double max, sum;
	int64_t valid, with_pads, place;
} PoolWant;

/* One window by the definition; place: index in the plane of the first maximum. */
static PoolWant plain_window(const Shape *s, const Tensor *x, int64_t plane, const int64_t *o)
{
	PoolWant w = {.max = -INFINITY, .place = -1};
	int64_t k[MAX_SPATIAL] = {0}, i[MAX_SPATIAL];
	do {
		bool padded = true;
		for (int d = 0; d < s->rank; d++) {
			i[d] = o[d] * s->stride[d] - s->begin[d] + k[d] * s->dilation[d];
			padded = padded && i[d] < s->in[d] + s->end[d];
		}
		int64_t place = at(0, i, s->in, s->rank), size = 1;
		for (int d = 0; d < s->rank; d++)
			size *= s->in[d];
		w.with_pads += padded;
		if (place < 0)
			continue;
		double v = tensor_get_f64(x, plane * size + place);
		w.valid++;
		w.sum += v;
		if (v > w.max) {
			w.max = v;
			w.place = plane * size + place;
		}
	} while (case_next(k, s->kernel, s->rank));
	return w;
}

/* Output size: windows that start in the padding at the end do not count. */
static int64_t plain_size(const Shape *s, int d, bool ceil_mode)
{
	int64_t n = 0, reach = (s->kernel[d] - 1) * s->dilation[d] + 1;
	for (int64_t start = -s->begin[d];; start += s->stride[d], n++) {
		bool fits = start + reach <= s->in[d] + s->end[d], begins = start < s->in[d];
		/* ceil mode takes one more window when the last full one leaves a remainder */
		bool reaches = n == 0 || start - s->stride[d] + reach < s->in[d] + s->end[d];
		if (!(fits || (ceil_mode && reaches && begins)))
			return n;
		if (ceil_mode && !begins)
			return n;
	}
}

static void pools_match(void **state)
{
	(void)state;
	for (int trial = 0; trial < 90; trial++) {
		bool ceil_mode = trial % 4 >= 2, include = trial % 3 == 1, oracle = trial % 2;
		OpCase c;
		case_begin(&c, oracle, (uint64_t)trial + 2000);
		Shape s = random_shape(&c.b->rng, trial);
		int64_t dims[5], o[MAX_SPATIAL] = {0};
		char text[256];
		for (int d = 0; d < s.rank; d++) { /* a window must meet the input */
			s.begin[d] = s.begin[d] < s.kernel[d] ? s.begin[d] : s.kernel[d] - 1;
			s.end[d] = s.end[d] < s.kernel[d] ? s.end[d] : s.kernel[d] - 1;
			s.in[d] += (s.kernel[d] - 1) * s.dilation[d] + 1;
		}
		fill_dims(&s, 3, s.in, dims);
		case_tensor(&c, trial % 5 == 4 ? DT_F16 : DT_F32, s.rank + 2, dims, 0, 0);
		window_text(&s, text, sizeof(text));
		put_list(text + strlen(text), sizeof(text) - strlen(text), "kernel", s.kernel, s.rank, NULL, 0);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "ceil_mode=%d", ceil_mode);
		case_run(&c, OP_max_pool, text, 2);
		Tensor *max = c.out[0], *places = c.out[1];
		case_run(&c, OP_max_pool, text, 1); /* the loop without places */
		Tensor *max_only = c.out[0];
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " count_include_pad=%d", include);
		case_run(&c, OP_avg_pool, text, 1);
		Tensor *mean = c.out[0];
		double *want = NEW_ARRAY(c.b->arena, double, mean->count + 1);
		for (int d = 0; d < s.rank; d++)
			assert_int_equal(mean->dims[d + 2], plain_size(&s, d, ceil_mode));
		for (int64_t i = 0, plane = s.batch ? mean->count / (s.batch * 3) : 0; i < mean->count; i++) {
			PoolWant w = plain_window(&s, c.in[0], i / plane, o);
			want[i] = w.sum / (double)(include ? w.with_pads : w.valid);
			if (w.valid > 0) {
				assert_true(tensor_get_f64(max, i) == w.max && tensor_get_f64(max_only, i) == w.max);
				assert_int_equal(tensor_get_i64(places, i), w.place);
			}
			case_next(o, mean->dims + 2, s.rank);
			if (w.valid == 0)
				want[i] = include ? 0 : NAN;
		}
		for (int64_t i = 0; i < mean->count; i++)
			if (isnan(want[i])) {
				assert_true(isnan(tensor_get_f64(mean, i)));
				tensor_set_f64(mean, i, want[i] = 0);
			}
		case_near(mean, want, case_tolerance(c.in[0]->dtype, oracle), text);
		case_end(&c);
	}
}

static void max_pool_passes_nan_on(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 5);
	Tensor *x = case_tensor(&c, DT_F32, 3, (int64_t[]){1, 1, 8}, 0, 0);
	tensor_set_f64(x, 3, NAN);
	case_run(&c, OP_max_pool, "kernel=3", 1);
	for (int64_t i = 0; i < 6; i++)
		assert_int_equal(isnan(tensor_get_f64(c.out[0], i)), i >= 1 && i <= 3);
	case_end(&c);
}

static void global_pools_match(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 6);
	Tensor *x = case_tensor(&c, DT_F32, 4, (int64_t[]){2, 3, 7, 5}, 0, 0);
	double mean[6], max[6], norm[6];
	for (int p = 0; p < 6; p++) {
		double sum = 0, square = 0;
		max[p] = -INFINITY;
		for (int i = 0; i < 35; i++) {
			double v = tensor_get_f64(x, p * 35 + i);
			sum += v, square += v * v, max[p] = fmax(max[p], v);
		}
		mean[p] = sum / 35, norm[p] = sqrt(square);
	}
	case_run(&c, OP_global_avg_pool, "", 1);
	case_near(c.out[0], mean, 1e-6, "mean");
	case_run(&c, OP_global_max_pool, "", 1);
	case_near(c.out[0], max, 0, "max");
	case_run(&c, OP_global_lp_pool, "", 1);
	case_near(c.out[0], norm, 1e-6, "norm");
	case_end(&c);
}

/* ---- bad input ---- */

static void malformed_is_refused(void **state)
{
	static const char *const attrs[] = {"pads=-1,0,0,0", "pads=1,1,1", "strides=0,1", "dilations=1", "groups=0",
		"groups=2", "auto_pad=maybe", "dilations=9,9"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
		OpCase c;
		case_begin(&c, false, 1);
		case_tensor(&c, DT_F32, 4, (int64_t[]){1, 3, 8, 8}, 0, 0);
		case_tensor(&c, DT_F32, 4, (int64_t[]){4, 3, 3, 3}, 0, 0);
		case_refused(&c, OP_conv, attrs[i]);
		case_contradiction(&c, OP_conv, attrs[i]);
		case_end(&c);
	}
	OpCase c;
	case_begin(&c, false, 1);
	case_tensor(&c, DT_F32, 4, (int64_t[]){1, 3, 8, 8}, 0, 0);
	case_tensor(&c, DT_F32, 4, (int64_t[]){4, 2, 3, 3}, 0, 0);
	case_refused(&c, OP_conv, "");
	case_contradiction(&c, OP_conv, "");
	c.nin = 1;
	case_refused(&c, OP_max_pool, "kernel=3");
	case_contradiction(&c, OP_max_pool, "kernel=3");
	case_refused(&c, OP_max_pool, "kernel=3,0");
	case_refused(&c, OP_avg_pool, "kernel=12,1");
	case_contradiction(&c, OP_avg_pool, "kernel=12,1");
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conv_matches),
		cmocka_unit_test(big_conv_matches),
		cmocka_unit_test(conv_transpose_matches),
		cmocka_unit_test(conv_integer_is_exact),
		cmocka_unit_test(conv_wraps),
		cmocka_unit_test(same_padding_is_explicit_padding),
		cmocka_unit_test(pools_match),
		cmocka_unit_test(max_pool_passes_nan_on),
		cmocka_unit_test(global_pools_match),
		cmocka_unit_test(malformed_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
