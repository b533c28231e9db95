/* Kernels of 8-bit integers on every instruction set, against plain loops: sums to the last bit, all endings, tasks in pieces;
 * and conversions between grids, halves and floats. */
#include "kernel_case.h"

typedef struct Shape {
	int64_t batch, groups, ic, oc, in[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
	int64_t x_more;           /* channels that lie beside each pixel's own */
} Shape;

static const Shape SHAPES[] = {
	{ 1, 1, 4, 16, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0 }, { 0 }, 0 },
	{ 3, 1, 37, 33, { 1, 1, 29 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0 }, { 0 }, 3 },
	{ 1, 1, 64, 70, { 1, 1, 131 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0 }, { 0 }, 0 },
	{ 2, 1, 3, 17, { 1, 9, 8 }, { 1, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0, 1, 1 }, 0 },
	{ 1, 1, 3, 40, { 1, 17, 19 }, { 1, 7, 7 }, { 1, 2, 2 }, { 1, 1, 1 }, { 0, 3, 3 }, { 0, 2, 3 }, 0 },
	{ 2, 3, 5, 9, { 1, 7, 6 }, { 1, 3, 2 }, { 1, 1, 2 }, { 1, 2, 1 }, { 0, 2, 0 }, { 0, 1, 1 }, 2 },
	{ 1, 2, 4, 33, { 3, 5, 4 }, { 2, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, 0 },
	{ 1, 1, 8, 8, { 1, 2, 3 }, { 1, 5, 7 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 2, 4 }, { 0, 2, 2 }, 1 },
	{ 2, 67, 1, 1, { 1, 9, 7 }, { 1, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0, 1, 1 }, 0 },
	{ 1, 130, 1, 1, { 1, 8, 11 }, { 1, 5, 5 }, { 1, 2, 2 }, { 1, 1, 2 }, { 0, 2, 3 }, { 0, 2, 1 }, 5 },
	{ 1, 16, 1, 1, { 4, 5, 6 }, { 3, 3, 3 }, { 1, 2, 1 }, { 2, 1, 1 }, { 2, 0, 1 }, { 1, 0, 1 }, 0 },
	{ 1, 1, 1500, 5, { 1, 1, 2 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0 }, { 0 }, 0 },
	{ 0, 1, 4, 4, { 1, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0 }, { 0 }, 0 },
};

typedef struct Case {
	const Shape *s;
	const KernelSet *k;
	QConvParam p;
	QConvKind kind;
	bool w_signed, extreme;
	uint8_t *x, *w;
	int32_t *zero, *want;      /* zero points of the weights; sums */
	int64_t xc, yc, count;
} Case;

static int32_t byte_value(bool is_signed, uint8_t b)
{
	return is_signed ? (int8_t)b : b;
}

static uint8_t *bytes_random(Rng *r, int64_t n, bool extreme, bool is_signed)
{
	uint8_t *p = malloc(n ? (size_t)n : 1);
	for (int64_t i = 0; i < n; i++)
		p[i] = extreme ? (uint8_t)(rng_below(r, 4) ? (is_signed ? 0x80 : 0xff) : (is_signed ? 0x7f : 0)) : (uint8_t)rng_u64(r);
	return p;
}

static void reference(Case *t)
{
	const ConvParam *c = &t->p.c;
	int64_t at = 0;
	for (int64_t n = 0; n < c->batch; n++)
		for (int64_t q = 0; q < c->out[0] * c->out[1] * c->out[2]; q++)
			for (int64_t o = 0; o < c->groups * c->oc; o++, at++) {
				uint32_t sum = 0;
				int64_t pos[3] = { q / (c->out[1] * c->out[2]), q / c->out[2] % c->out[1], q % c->out[2] };
				for (int64_t k = 0; k < c->kernel[0] * c->kernel[1] * c->kernel[2]; k++) {
					int64_t tap[3] = { k / (c->kernel[1] * c->kernel[2]), k / c->kernel[2] % c->kernel[1], k % c->kernel[2] };
					int64_t from = n;
					bool in = true;
					for (int d = 0; d < 3; d++) {
						int64_t i = pos[d] * c->stride[d] + tap[d] * c->dilation[d] - c->pad[d];
						in = in && i >= 0 && i < c->in[d];
						from = from * c->in[d] + i;
					}
					for (int64_t i = 0; in && i < c->ic; i++) {
						int32_t x = byte_value(t->p.x_signed, t->x[from * t->xc + o / c->oc * c->ic + i]) - t->p.x_zero;
						int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2];
						int32_t w = byte_value(t->w_signed, t->w[(o * c->ic + i) * taps + k]) - t->zero[o];
						sum += (uint32_t)(x * w);
					}
				}
				t->want[at] = (int32_t)sum;
			}
}

static void case_sizes(Case *t)
{
	const Shape *s = t->s;
	ConvParam *c = &t->p.c;
	*c = (ConvParam){ .batch = s->batch, .groups = s->groups, .ic = s->ic, .oc = s->oc };
	for (int d = 0; d < 3; d++) {
		c->in[d] = s->in[d];
		c->kernel[d] = s->kernel[d];
		c->stride[d] = s->stride[d];
		c->dilation[d] = s->dilation[d];
		c->pad[d] = s->pad[d];
		c->out[d] = (s->in[d] + s->pad[d] + s->pad_end[d] - (s->kernel[d] - 1) * s->dilation[d] - 1) / s->stride[d] + 1;
	}
	t->xc = s->groups * s->ic + s->x_more;
	t->yc = s->groups * s->oc + 2;
	int64_t x = t->xc, y = t->yc;
	for (int d = 2; d >= 0; d--) {
		c->x_stride[d + 1] = x;
		c->y_stride[d + 1] = y;
		x *= c->in[d];
		y *= c->out[d];
	}
	c->x_stride[0] = x;
	c->y_stride[0] = y;
	t->count = c->batch * c->out[0] * c->out[1] * c->out[2];
}

/* What the ending makes of a sum: the value, for 8 bits as stored. */
static double ended(const Case *t, int64_t row, int64_t o)
{
	const QConvParam *p = &t->p;
	int32_t s = t->want[row * p->c.groups * p->c.oc + o];
	double lo = p->y_signed ? -128 : 0, hi = p->y_signed ? 127 : 255;
	if (p->finish == QFINISH_INT)
		return s;
	if (p->finish == QFINISH_EXACT) {
		double v = rint(((double)s + p->bias[o]) * (double)p->scale[o]) + p->y_zero;
		return v < lo ? lo : v > hi ? hi : v;
	}
	double v = fmin(fmax((double)(float)s * (double)p->scale[o] + (double)p->add[o], (double)p->lo), (double)p->hi);
	return p->finish == QFINISH_FLOAT ? v : v + p->y_zero; /* NARROW: not rounded yet */
}

static void check_result(const Case *t, const void *y, const char *where)
{
	const QConvParam *p = &t->p;
	int64_t channels = p->c.groups * p->c.oc;
	bool wide = p->finish == QFINISH_INT || p->finish == QFINISH_FLOAT;
	for (int64_t i = 0; i < t->count * t->yc; i++) {
		int64_t o = i % t->yc;
		if (o >= channels) {
			bool intact = wide ? guard_intact(((const float *)y)[i]) : ((const uint8_t *)y)[i] == 0xa5;
			if (!intact)
				fail_msg("%s: element %lld beside the result was written", where, (long long)i);
			continue;
		}
		double want = ended(t, i / t->yc, o), got = p->finish == QFINISH_INT ? ((const int32_t *)y)[i]
			: p->finish == QFINISH_FLOAT ? (double)((const float *)y)[i] : byte_value(p->y_signed, ((const uint8_t *)y)[i]);
		double room = p->finish == QFINISH_NARROW ? 0.5 + 1e-3 : p->finish == QFINISH_FLOAT ? 1e-6 * (fabs(want) + 1) : 0;
		if (!(fabs(got - want) <= room))
			fail_msg("%s: element %lld is %g, expected %g", where, (long long)i, got, want);
	}
}

static void run_ending(Case *t, Rng *r, QFinish finish, int threads, const char *where)
{
	QConvParam *p = &t->p;
	int64_t channels = p->c.groups * p->c.oc;
	float *scale = floats_new((size_t)channels), *add = floats_new((size_t)channels);
	int32_t *bias = malloc((size_t)channels * 4);
	for (int64_t i = 0; i < channels; i++) {
		scale[i] = (float)(0.001 * (1 + rng_unit(r)));
		add[i] = (float)rng_normal(r);
		bias[i] = (int32_t)rng_below(r, 200001) - 100000;
	}
	p->finish = finish;
	p->y_signed = rng_below(r, 2);
	p->y_zero = (int32_t)rng_below(r, 256) - (p->y_signed ? 128 : 0);
	p->lo = finish == QFINISH_NARROW ? (float)((p->y_signed ? -128 : 0) - p->y_zero) : -3.0f;
	p->hi = finish == QFINISH_NARROW ? (float)((p->y_signed ? 127 : 255) - p->y_zero) : 1e30f;
	p->scale = scale;
	p->add = add;
	p->bias = bias;
	if (!t->k->qconv_plan[t->kind](p, threads))
		fail_msg("%s: not planned", where);
	int64_t taps = p->c.kernel[0] * p->c.kernel[1] * p->c.kernel[2];
	QWeights w = { .data = t->w, .is_signed = t->w_signed, .zero = t->zero, .stride = { p->c.ic * taps, taps,
		p->c.kernel[1] * p->c.kernel[2], p->c.kernel[2], 1 } };
	void *packed = aligned_new(t->k->qconv_pack_bytes[t->kind](p));
	t->k->qconv_pack[t->kind](p, &w, packed);
	p->c.weights = packed;
	bool wide = finish == QFINISH_INT || finish == QFINISH_FLOAT;
	size_t bytes = (size_t)(t->count * t->yc) * (wide ? 4 : 1);
	void *y = malloc(bytes + 1), *scratch = aligned_new(t->k->qconv[t->kind]->scratch_bytes(p));
	if (wide)
		guard_fill(y, bytes);
	else
		memset(y, 0xa5, bytes);
	uint8_t at_run = (uint8_t)p->x_zero;
	void *ptr[3] = { y, t->x, &at_run };
	int64_t tasks = t->k->qconv[t->kind]->tasks(p), cut = tasks / 2;
	t->k->qconv[t->kind]->run(p, ptr, scratch, cut, tasks);
	t->k->qconv[t->kind]->run(p, ptr, scratch, 0, cut);
	check_result(t, y, where);
	free(y);
	free(scratch);
	free(packed);
	free(scale);
	free(add);
	free(bias);
}

/* Signedness, zero points, order of weights: bits of `form`. */
static void run_case(const KernelSet *k, const Shape *s, QConvKind kind, bool dot, int form, Rng *r)
{
	Case t = { .s = s, .k = k, .kind = kind, .w_signed = form & 2, .extreme = form & 16 };
	t.p.x_signed = form & 1;
	t.p.dot = dot;
	case_sizes(&t);
	int64_t channels = s->groups * s->oc, taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
	t.p.x_zero = t.extreme ? (t.p.x_signed ? 127 : 0) : (int32_t)rng_below(r, 256) - (t.p.x_signed ? 128 : 0);
	t.p.zero_ptr = form & 8 ? 2 : 0;
	t.x = bytes_random(r, s->batch * s->in[0] * s->in[1] * s->in[2] * t.xc, t.extreme, t.p.x_signed);
	t.w = bytes_random(r, channels * s->ic * taps, t.extreme, t.w_signed);
	t.zero = malloc((size_t)channels * 4);
	for (int64_t i = 0; i < channels; i++)
		t.zero[i] = form & 4 ? (int32_t)rng_below(r, 256) - (t.w_signed ? 128 : 0) : t.w_signed ? 0 : 128;
	t.p.w_zeros = form & 4;
	t.want = malloc((size_t)(t.count * channels) * 4 + 4);
	reference(&t);
	for (QFinish f = QFINISH_INT; f <= QFINISH_EXACT; f++) {
		char where[128];
		snprintf(where, sizeof(where), "%s, shape %d, kind %d, dot %d, form %d, ending %d", isa_name(k->isa), (int)(s - SHAPES),
			(int)kind, dot, form, (int)f);
		run_ending(&t, r, f, 1 + (form & 1) * 2, where);
	}
	free(t.x);
	free(t.w);
	free(t.zero);
	free(t.want);
}

static void sums_are_exact(void **state)
{
	Rng r = { 5 };
	(void)state;
	for (int i = 0; i < ISA_COUNT; i++) {
		const KernelSet *k = kernels_for((Isa)i);
		for (size_t s = 0; k && s < ARRAY_LEN(SHAPES); s++)
			for (int form = 0; form < 32; form++) {
				run_case(k, &SHAPES[s], QCONV_PRODUCT, false, form, &r);
				if (k->has_dot())
					run_case(k, &SHAPES[s], QCONV_PRODUCT, true, form, &r);
				if (SHAPES[s].ic == 1 && SHAPES[s].oc == 1)
					run_case(k, &SHAPES[s], QCONV_DEPTHWISE, false, form, &r);
			}
	}
}

/* Sums that are scaled must fit in 32 bits. */
static void deep_sums_are_refused(void **state)
{
	(void)state;
	for (int i = 0; i < ISA_COUNT; i++) {
		const KernelSet *k = kernels_for((Isa)i);
		QConvParam p = { .finish = QFINISH_FLOAT };
		p.c = (ConvParam){ .batch = 1, .groups = 1, .ic = 33025, .oc = 4, .in = { 1, 1, 1 }, .out = { 1, 1, 1 }, .kernel = { 1, 1, 1 },
			.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 } };
		if (!k)
			continue;
		assert_true(k->qconv_plan[QCONV_PRODUCT](&p, 1));
		p.c.ic++;
		assert_false(k->qconv_plan[QCONV_PRODUCT](&p, 1));
		p.finish = QFINISH_INT;
		assert_true(k->qconv_plan[QCONV_PRODUCT](&p, 1));
	}
}

/* Quantisation of extreme and odd numbers: what the definition gives, in every position of a vector. */
static void grids_saturate(void **state)
{
	static const float ODD[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 127.5f, 128.5f, -128.5f, -129,
		255.5f, 256, 1e30f, -1e30f, 3e9f, -3e9f, 1e-40f };
	enum { N = 67 };
	(void)state;
	for (int i = 0; i < ISA_COUNT; i++) {
		const KernelSet *k = kernels_for((Isa)i);
		for (int form = 0; k && form < 4; form++) {
			float x[N], back[N];
			uint8_t q[N];
			bool is_signed = form & 1;
			float scale = form & 2 ? 0.37f : 1.0f, zero = is_signed ? -3 : 128;
			for (int n = 0; n < N; n++)
				x[n] = ODD[(size_t)(n * 5 + form) % ARRAY_LEN(ODD)];
			uint8_t type = is_signed ? DT_I8 : DT_U8;
			TileProgram t = { .rank = 1, .dims = { N }, .ncode = 5, .noperands = 3,
				.operands = { { .ptr = 2, .dtype = DT_F32, .stride = { 1 } }, { .ptr = 1, .dtype = type, .stride = { 1 } },
					{ .ptr = 0, .dtype = DT_F32, .stride = { 1 } } },
				.code = { { .op = TILE_LOAD, .dtype = DT_F32, .dst = 0, .operand = 0 },
					{ .op = TILE_QUANTIZE, .dtype = DT_F32, .to = type, .a = 0, .dst = 1, .f0 = scale, .f1 = zero },
					{ .op = TILE_STORE, .dtype = type, .a = 1, .operand = 1 },
					{ .op = TILE_DEQUANTIZE, .dtype = type, .to = DT_F32, .a = 1, .dst = 2, .f0 = scale, .f1 = zero },
					{ .op = TILE_STORE, .dtype = DT_F32, .a = 2, .operand = 2 } } };
			void *scratch = aligned_new(k->tile->scratch_bytes(&t)), *ptr[3] = { back, q, x };
			k->tile->run(&t, ptr, scratch, 0, k->tile->tasks(&t));
			for (int n = 0; n < N; n++) {
				double v = rint((double)(float)((double)x[n] / (double)scale)) + (double)zero, lo = is_signed ? -128 : 0;
				int want = isnan(v) ? 0 : (int)fmin(fmax(v, lo), lo + 255), got = byte_value(is_signed, q[n]);
				if (got != want || back[n] != (float)((want - (double)zero) * (double)scale))
					fail_msg("%s: %g is %d, expected %d; back %g", isa_name((Isa)i), (double)x[n], got, want, (double)back[n]);
			}
			free(scratch);
		}
	}
}

static void ranges_hold_zero(void **state)
{
	(void)state;
	for (int i = 0; i < ISA_COUNT; i++) {
		const KernelSet *k = kernels_for((Isa)i);
		for (int n = 0; k && n < 80; n += 7) {
			float *x = floats_new((size_t)n), scale = 0;
			uint8_t zero = 9;
			double low = 0, high = 0;
			Rng r = { (uint64_t)n };
			for (int j = 0; j < n; j++) {
				x[j] = j % 11 == 5 ? NAN : (float)(rng_normal(&r) + n % 3 * 5 - 5);
				low = x[j] < low ? (double)x[j] : low;
				high = x[j] > high ? (double)x[j] : high;
			}
			RangeParam p = { .n = n };
			void *ptr[3] = { &scale, &zero, x };
			k->range->run(&p, ptr, NULL, 0, 1);
			float want = (float)(high - low) / 255.0f;
			want = want == 0 ? 1 : want;
			assert_true(scale == want && zero == (uint8_t)rint(-low / (double)want));
			free(x);
		}
	}
}

static void cast_all(const KernelSet *k, uint8_t from, uint8_t to, const void *x, void *y, int64_t n)
{
	TileProgram t = { .rank = 1, .dims = { n }, .ncode = 3, .noperands = 2,
		.operands = { { .ptr = 1, .dtype = from, .stride = { 1 } }, { .ptr = 0, .dtype = to, .stride = { 1 } } },
		.code = { { .op = TILE_LOAD, .dtype = from, .dst = 0, .operand = 0 },
			{ .op = TILE_CAST, .dtype = from, .to = to, .dst = 1, .a = 0, .operand = 2 },
			{ .op = TILE_STORE, .dtype = to, .a = 1, .operand = 1 } } };
	void *scratch = aligned_new(k->tile->scratch_bytes(&t)), *ptr[2] = { y, (void *)(uintptr_t)x };
	k->tile->run(&t, ptr, scratch, 0, k->tile->tasks(&t));
	free(scratch);
}

/* Every half to f32 and back; floats around and between halves, and beyond them. */
static void halves_convert(void **state)
{
	enum { ALL = 1 << 16, NEAR = 7 };
	static const uint8_t TYPES[] = { DT_F16, DT_BF16 };
	(void)state;
	for (int i = 0; i < 2 * ISA_COUNT; i++) {
		const KernelSet *k = kernels_for((Isa)(i / 2));
		uint8_t d = TYPES[i % 2];
		if (!k)
			continue;
		uint16_t *h = malloc(ALL * 2), *back = malloc(ALL * 2);
		float *f = malloc(ALL * 4);
		for (int n = 0; n < ALL; n++)
			h[n] = (uint16_t)n;
		cast_all(k, d, DT_F32, h, f, ALL);
		for (int n = 0; n < ALL; n++) {
			double want = dtype_decode_float((DType)d, (uint64_t)n);
			if (!((double)f[n] == want || (f[n] != f[n] && want != want)) || (!!__builtin_signbit(f[n]) != n >> 15))
				fail_msg("%s: %04x is %g", isa_name(k->isa), (unsigned)n, (double)f[n]);
		}
		for (int near = -NEAR; near <= NEAR; near++) {
			float *x = malloc(ALL * 4);
			for (int n = 0; n < ALL; n++) { /* the place where halves are cut off is bit 13 or 16 */
				uint32_t bits;
				memcpy(&bits, &f[n], 4);
				bits += (uint32_t)(near * (d == DT_F16 ? 0x7ff : 0x3fff) + (near > 0));
				memcpy(&x[n], &bits, 4);
			}
			cast_all(k, DT_F32, d, x, back, ALL);
			for (int n = 0; n < ALL; n++) {
				uint16_t want = (uint16_t)dtype_encode_float((DType)d, (double)x[n], false);
				bool nan = x[n] != x[n];
				if (nan ? dtype_decode_float((DType)d, back[n]) == dtype_decode_float((DType)d, back[n]) : back[n] != want)
					fail_msg("%s: %a is %04x, expected %04x", isa_name(k->isa), (double)x[n], back[n], want);
			}
			free(x);
		}
		free(h);
		free(back);
		free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(deep_sums_are_refused),
		cmocka_unit_test(grids_saturate),
		cmocka_unit_test(ranges_hold_zero),
		cmocka_unit_test(halves_convert),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
