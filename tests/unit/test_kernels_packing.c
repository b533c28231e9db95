/* Packed weights are kept in compiled models: what packs them may not change while PACKING_VERSION stays. */
#include "kernel_case.h"

/* x86-64's; other architectures pack by the same code, in panels of their own width. */
static const uint32_t FLOAT_SUMS[ISA_COUNT] = { 0xc79c1a02, 0x9b123742, 0xacbff6ea },
	BYTE_SUMS[ISA_COUNT] = { 0x3862441d, 0xf8551191, 0xa46d98a5 },
	BLOCK_SUMS[ISA_COUNT] = { 0xe98e8092, 0xfdc182aa, 0xe8aab4f2 };
#ifdef __x86_64__
enum { KNOWN = true };
#else
enum { KNOWN = false };
#endif

enum { SIDE = 16, WEIGHTS = 1 << 18 };

static uint32_t sum_on(uint32_t sum, const void *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ ((const uint8_t *)data)[i]) * 16777619u;
	return sum;
}

/* Numbers that no library function rounds. */
static float *numbers(Rng *r)
{
	float *v = floats_new(WEIGHTS);
	for (int i = 0; i < WEIGHTS; i++)
		v[i] = (float)(rng_below(r, 4001) - 2000) / 512;
	return v;
}

/* Of every nine numbers one. Winograd's transform sums what it multiplies, and compilers may fuse the two: with one tap a filter
 * the bits are the same in any build. */
static float *single_taps(const float *w)
{
	float *v = floats_new(WEIGHTS);
	for (int i = 0; i < WEIGHTS; i++)
		v[i] = i % 9 == i / 9 % 9 ? w[i] : 0;
	return v;
}

static void check_sum(uint32_t sum, uint32_t known, int isa, const char *what)
{
	if (KNOWN && sum != known)
		fail_msg("packed %s of %s changed: raise PACKING_VERSION, so that compiled models pack again, and expect %#x here, not %#x",
			what, isa_name((Isa)isa), sum, known);
}

/* A square image, channels last. */
static ConvParam conv_of(ConvKind kind, int64_t groups, int64_t ic, int64_t oc, int64_t kernel, int64_t stride)
{
	ConvParam p = { .batch = 1, .groups = groups, .ic = ic, .oc = oc, .lo = -INFINITY, .hi = INFINITY };
	for (int d = 0; d < 3; d++) {
		p.kernel[d] = d ? kernel : 1;
		p.stride[d] = d ? stride : 1;
		p.dilation[d] = 1;
		p.pad[d] = p.kernel[d] / 2;
		p.in[d] = d ? SIDE : 1;
		p.out[d] = kind == CONV_TRANSPOSE ? (p.in[d] - 1) * p.stride[d] + p.kernel[d] - 2 * p.pad[d] :
			(p.in[d] + 2 * p.pad[d] - p.kernel[d]) / p.stride[d] + 1;
	}
	bool planes = kind == CONV_PLANES;
	p.x_channel = planes ? SIDE * SIDE : 1;
	p.x_stride[3] = planes ? 1 : groups * ic;
	p.y_stride[3] = groups * oc;
	for (int d = 2; d >= 0; d--) {
		p.x_stride[d] = p.x_stride[d + 1] * p.in[d > 0 ? d : 2];
		p.y_stride[d] = p.y_stride[d + 1] * p.out[d > 0 ? d : 2];
	}
	return p;
}

static void weight_strides(const ConvParam *p, int64_t second, int64_t stride[5])
{
	const int64_t s[5] = { second * p->kernel[1] * p->kernel[2], p->kernel[1] * p->kernel[2], p->kernel[1] * p->kernel[2],
		p->kernel[2], 1 };
	memcpy(stride, s, sizeof(s));
}

static void floats_stay(void **state)
{
	static const struct {
		ConvKind kind;
		int64_t groups, ic, oc, kernel, stride;
	} cases[] = { { CONV_DIRECT, 1, 17, 50, 1, 1 }, { CONV_DIRECT, 2, 5, 41, 3, 2 }, { CONV_DIRECT, 1, 200, 8, 3, 1 },
		{ CONV_WINOGRAD, 1, 35, 70, 3, 1 }, { CONV_WINOGRAD, 1, 300, 75, 3, 1 }, { CONV_DEPTHWISE, 37, 1, 1, 3, 1 },
		{ CONV_TRANSPOSE, 1, 7, 19, 3, 2 }, { CONV_GROUPED, 24, 4, 4, 3, 1 }, { CONV_PLANES, 1, 3, 24, 3, 2 } };
	(void)state;
	Rng r = { 5 };
	float *w = numbers(&r), *taps = single_taps(w);
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *k = kernels_for((Isa)isa);
		uint32_t sum = 0;
		for (size_t i = 0; k && i < ARRAY_LEN(cases); i++) {
			ConvParam p = conv_of(cases[i].kind, cases[i].groups, cases[i].ic, cases[i].oc, cases[i].kernel, cases[i].stride);
			int64_t stride[5];
			weight_strides(&p, cases[i].kind == CONV_TRANSPOSE ? p.oc : p.ic, stride);
			if (!k->conv_plan[cases[i].kind](&p, 1))
				fail_msg("case %d: not planned for %s", (int)i, isa_name((Isa)isa));
			size_t bytes = k->conv_pack_bytes[cases[i].kind](&p);
			void *packed = aligned_new(bytes);
			memset(packed, 0, bytes);
			k->conv_pack[cases[i].kind](&p, cases[i].kind == CONV_WINOGRAD ? taps : w, stride, packed);
			sum = sum_on(sum, packed, bytes);
			free(packed);
		}
		if (k)
			check_sum(sum, FLOAT_SUMS[isa], isa, "floats");
	}
	free(w);
	free(taps);
}

static void bytes_stay(void **state)
{
	static const struct {
		QConvKind kind;
		bool dot;
		int64_t groups, ic, oc, kernel;
	} cases[] = { { QCONV_PRODUCT, false, 1, 19, 50, 3 }, { QCONV_PRODUCT, true, 1, 19, 50, 3 }, { QCONV_PRODUCT, true, 2, 64, 16, 1 },
		{ QCONV_DEPTHWISE, false, 37, 1, 1, 3 } };
	(void)state;
	Rng r = { 6 };
	uint8_t *w = malloc(WEIGHTS);
	int32_t zero[128];
	for (int i = 0; i < WEIGHTS; i++)
		w[i] = (uint8_t)rng_below(&r, 256);
	for (size_t i = 0; i < ARRAY_LEN(zero); i++)
		zero[i] = (int32_t)rng_below(&r, 256) - 128;
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *k = kernels_for((Isa)isa);
		uint32_t sum = 0;
		for (size_t i = 0; k && i < ARRAY_LEN(cases); i++) {
			QConvParam p = { .c = conv_of(CONV_DIRECT, cases[i].groups, cases[i].ic, cases[i].oc, cases[i].kernel, 1),
				.dot = cases[i].dot, .w_zeros = true, .x_zero = 3 };
			QWeights q = { .data = w, .is_signed = true, .zero = zero };
			weight_strides(&p.c, p.c.ic, q.stride);
			if (!k->qconv_plan[cases[i].kind](&p, 1))
				fail_msg("case %d: not planned for %s", (int)i, isa_name((Isa)isa));
			size_t bytes = k->qconv_pack_bytes[cases[i].kind](&p);
			void *packed = aligned_new(bytes);
			memset(packed, 0, bytes);
			k->qconv_pack[cases[i].kind](&p, &q, packed);
			sum = sum_on(sum, packed, bytes);
			free(packed);
		}
		if (k)
			check_sum(sum, BYTE_SUMS[isa], isa, "bytes");
	}
	free(w);
}


static void blocks_stay(void **state)
{
	(void)state;
	Rng r = { 7 };
	uint8_t *w = malloc(WEIGHTS);
	float *scale = numbers(&r), *zero = numbers(&r);
	for (int i = 0; i < WEIGHTS; i++)
		w[i] = (uint8_t)rng_below(&r, 256);
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *k = kernels_for((Isa)isa);
		uint32_t sum = 0;
		for (int i = 0; k && i < 4; i++) {
			ConvParam p = conv_of(CONV_BLOCKS, 1, 200, 43, 1, 1);
			p.plan[0] = i & 1 ? 8 : 4;
			p.plan[1] = 32;
			if (!k->conv_plan[CONV_BLOCKS](&p, 1))
				fail_msg("case %d: not planned for %s", i, isa_name((Isa)isa));
			size_t bytes = k->conv_pack_bytes[CONV_BLOCKS](&p);
			void *packed = aligned_new(bytes);
			memset(packed, 0, bytes);
			k->blocks_pack(&p, &(BlockWeights){ .data = w, .scale = scale, .zero = i & 2 ? zero : NULL }, packed);
			sum = sum_on(sum, packed, bytes);
			free(packed);
		}
		if (k)
			check_sum(sum, BLOCK_SUMS[isa], isa, "blocks");
	}
	free(w);
	free(scale);
	free(zero);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(floats_stay), cmocka_unit_test(bytes_stay),
		cmocka_unit_test(blocks_stay) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
