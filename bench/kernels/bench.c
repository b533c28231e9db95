/* Times the kernels of one instruction set on the shapes of shapes.def, one thread: the least of many runs, in
 * processor time, so that a busy machine does little harm. usage: bench-kernels [v2|v3|v4] [text that names must
 * hold] [threads to plan for] */
#include "kernels/kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef struct Row {
	const char *name;
	char kind; /* 'c'onv, 'm'atmul, 'p'ool */
	ConvKind conv;
	int64_t v[10];
} Row;

static const Row ROWS[] = {
#define CONV(kind, name, ...) {name, 'c', CONV_##kind, {__VA_ARGS__}},
#define MATMUL(name, ...) {name, 'm', CONV_KINDS, {__VA_ARGS__}},
#define POOL(name, ...) {name, 'p', CONV_KINDS, {__VA_ARGS__}},
#include "shapes.def"
};

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the peak: independent multiply-adds in registers ---- */

#if defined(__x86_64__)
#define PEAK(name, isa, bytes) \
	typedef float name##Vec __attribute__((vector_size(bytes))); \
	__attribute__((target(isa), noinline)) static double name(int64_t n) \
	{ \
		name##Vec a[12] = {0}, x = a[0] + 1.0f, y = a[0] + 1e-9f; \
		for (int64_t i = 0; i < n; i++) { \
			_Pragma("GCC unroll 12") for (int j = 0; j < 12; j++) a[j] = a[j] * x + y; \
			__asm__ volatile("" : "+x"(x), "+x"(y)); \
		} \
		double s = 0; \
		for (int j = 0; j < 12; j++) \
			s += (double)a[j][0]; \
		return s; \
	}
PEAK(peak_v4, "avx512f,fma", 64)
PEAK(peak_v3, "avx2,fma", 32)
PEAK(peak_v2, "sse4.2", 16)

static double peak_gflops(Isa isa)
{
	double best = 1e9, sum = 0;
	int64_t n = 50000, lanes = isa == ISA_V4 ? 16 : isa == ISA_V3 ? 8 : 4;
	for (int i = 0; i < 10; i++) {
		double t = cpu_seconds();
		sum += isa == ISA_V4 ? peak_v4(n) : isa == ISA_V3 ? peak_v3(n) : peak_v2(n);
		t = cpu_seconds() - t;
		best = t < best ? t : best;
	}
	return sum > 0 ? 2e-9 * 12 * (double)n * (double)lanes / best : 0;
}
#else
static double peak_gflops(Isa isa)
{
	(void)isa;
	return 0;
}
#endif

/* ---- rows ---- */

enum { HUGE_PAGE = 2 << 20 };

static void *buffer(size_t bytes)
{
	bool huge = bytes >= HUGE_PAGE && !getenv("BENCH_SMALL_PAGES");
	size_t unit = huge ? HUGE_PAGE : 64;
	float *p = aligned_alloc(unit, (bytes + 64 + unit) / unit * unit);
	if (!p)
		abort();
	if (huge)
		madvise(p, (bytes + 64 + unit) / unit * unit, MADV_HUGEPAGE);
	for (size_t i = 0; i < bytes / sizeof(float); i++)
		p[i] = (float)(i * 2654435761u % 1000) * 0.002f - 1;
	return p;
}

/* Least seconds of a run. */
static double time_kernel(const Kernel *k, const void *param, void *const *ptr)
{
	void *scratch = buffer(k->scratch_bytes ? k->scratch_bytes(param) : 64);
	int64_t tasks = k->tasks(param), repeat = 1;
	double best = 1e9, start = cpu_seconds();
	while (cpu_seconds() - start < 0.25) {
		double t = cpu_seconds();
		for (int64_t i = 0; i < repeat; i++)
			k->run(param, ptr, scratch, 0, tasks);
		t = (cpu_seconds() - t) / (double)repeat;
		if (t * (double)repeat < 20e-6)
			repeat *= 4;
		else
			best = t < best ? t : best;
	}
	free(scratch);
	return best;
}

static void report(const char *name, double seconds, double flops, double bytes, double peak)
{
	printf("%-36s %10.1f us %8.1f GFLOP/s %6.1f %%  %7.1f GB/s\n", name, seconds * 1e6, flops / seconds * 1e-9,
		100 * flops / seconds * 1e-9 / peak, bytes / seconds * 1e-9);
	fflush(stdout);
}

static void time_conv(const KernelSet *set, const Row *row, int threads, double peak)
{
	const int64_t *v = row->v;
	ConvParam p = {.batch = v[0], .groups = v[1], .ic = v[2], .oc = v[3], .in = {1, v[4], v[5]}, .lo = 0,
		.hi = INFINITY};
	int64_t in = p.groups * p.ic, out = p.groups * p.oc, weights = 1;
	for (int d = 0; d < 3; d++) {
		bool used = d && p.in[d] > 1;
		p.kernel[d] = used ? v[6] : 1;
		p.stride[d] = used ? v[7] : 1;
		p.pad[d] = used ? v[8] : 0;
		p.dilation[d] = 1;
		p.out[d] = row->conv == CONV_TRANSPOSE ? (p.in[d] - 1) * p.stride[d] + p.kernel[d] - 2 * p.pad[d] :
			(p.in[d] + 2 * p.pad[d] - p.kernel[d]) / p.stride[d] + 1;
		weights *= p.kernel[d];
	}
	p.x_stride[3] = in;
	p.y_stride[3] = out;
	for (int d = 2; d >= 0; d--) {
		p.x_stride[d] = p.x_stride[d + 1] * p.in[d];
		p.y_stride[d] = p.y_stride[d + 1] * p.out[d];
	}
	if (row->conv == CONV_PLANES) {
		p.x_stride[3] = 1;
		p.x_stride[2] = p.in[2];
		p.x_channel = p.in[1] * p.in[2];
	}
	if (!set->conv[row->conv] || !set->conv_plan[row->conv](&p, threads)) {
		printf("%-36s not for this kernel\n", row->name);
		return;
	}
	int64_t s[5] = {p.ic * weights, weights, p.kernel[1] * p.kernel[2], p.kernel[2], 1};
	if (row->conv == CONV_TRANSPOSE)
		s[0] = p.oc * weights;
	size_t nx = (size_t)(p.batch * p.x_stride[0]), ny = (size_t)(p.batch * p.y_stride[0]),
		nw = (size_t)(in * p.oc * weights);
	float *w = buffer(nw * sizeof(float)), *bias = buffer((size_t)out * sizeof(float));
	void *packed = buffer(set->conv_pack_bytes[row->conv](&p)), *ptr[] = {buffer(ny * sizeof(float)),
		buffer(nx * sizeof(float))};
	double pack = cpu_seconds();
	set->conv_pack[row->conv](&p, w, s, packed);
	pack = cpu_seconds() - pack;
	p.weights = packed;
	p.bias = bias;
	double pixels = (double)p.batch * (double)p.out[1] * (double)p.out[2],
		each = 2 * (double)(p.ic * weights) * (double)out;
	if (row->conv == CONV_TRANSPOSE)
		pixels = (double)p.batch * (double)p.in[1] * (double)p.in[2];
	double seconds = time_kernel(set->conv[row->conv], &p, ptr);
	report(row->name, seconds, pixels * each, 4 * (double)(nx + ny + nw), peak);
	if (getenv("BENCH_PACK"))
		printf("    packed in %.1f us, %.2f ns a weight\n", pack * 1e6, pack * 1e9 / (double)nw);
	free(w);
	free(bias);
	free(packed);
	free(ptr[0]);
	free(ptr[1]);
}

static void time_matmul(const KernelSet *set, const Row *row, int threads, double peak)
{
	const int64_t *v = row->v;
	MatmulParam p = {.batch = {1, 1, v[0]}, .m = v[1], .n = v[2], .k = v[3], .alpha = 1, .a_row = v[3], .a_col = 1,
		.c_row = v[2]};
	p.a_batch[2] = p.m * p.k;
	p.b_batch[2] = p.k * p.n;
	p.c_batch[2] = p.m * p.n;
	p.b_row = v[4] ? 1 : p.n;
	p.b_col = v[4] ? p.k : 1;
	if (!set->matmul_plan(&p, threads))
		return;
	size_t na = (size_t)(v[0] * p.a_batch[2]), nb = (size_t)(v[0] * p.b_batch[2]), nc = (size_t)(v[0] * p.c_batch[2]);
	void *ptr[] = {buffer(nc * sizeof(float)), buffer(na * sizeof(float)), buffer(nb * sizeof(float))};
	double seconds = time_kernel(set->matmul, &p, ptr);
	report(row->name, seconds, 2 * (double)v[0] * (double)p.m * (double)p.n * (double)p.k, 4 * (double)(na + nb + nc),
		peak);
	for (int i = 0; i < 3; i++)
		free(ptr[i]);
}

static void time_pool(const KernelSet *set, const Row *row, double peak)
{
	const int64_t *v = row->v;
	PoolParam p = {.batch = 1, .channels = v[0], .in = {1, v[1], v[1]}, .kernel = {1, v[2], v[2]},
		.stride = {1, v[3], v[3]},
		.dilation = {1, 1, 1}, .pad = {0, v[4], v[4]}, .pad_end = {0, v[4], v[4]}, .average = v[5] != 0};
	int64_t out = (v[1] + 2 * v[4] - v[2]) / v[3] + 1;
	p.out[0] = 1;
	p.out[1] = p.out[2] = out;
	p.x_stride[3] = p.y_stride[3] = v[0];
	p.x_stride[2] = v[0] * v[1];
	p.y_stride[2] = v[0] * out;
	size_t nx = (size_t)(v[0] * v[1] * v[1]), ny = (size_t)(v[0] * out * out);
	void *ptr[] = {buffer(ny * sizeof(float)), buffer(nx * sizeof(float))};
	double seconds = time_kernel(set->pool, &p, ptr);
	report(row->name, seconds, (double)ny * (double)(v[2] * v[2]), 4 * (double)(nx + ny), peak);
	free(ptr[0]);
	free(ptr[1]);
}

int main(int argc, char **argv)
{
	Isa isa = isa_best();
	if (argc > 1 && (!isa_parse(argv[1], &isa) || !kernels_for(isa))) {
		fprintf(stderr, "no such instruction set here: %s\n", argv[1]);
		return 2;
	}
	const KernelSet *set = kernels_for(isa);
	const char *only = argc > 2 ? argv[2] : "";
	int threads = argc > 3 ? atoi(argv[3]) : 1;
	double peak = peak_gflops(isa);
	printf("%s: peak %.1f GFLOP/s\n", isa_name(isa), peak);
	for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
		const Row *row = &ROWS[i];
		if (!strstr(row->name, only))
			continue;
		double now = peak_gflops(isa); /* the clock may move */
		peak = now > peak ? now : peak;
		if (row->kind == 'c')
			time_conv(set, row, threads, peak);
		else if (row->kind == 'm')
			time_matmul(set, row, threads, peak);
		else
			time_pool(set, row, peak);
	}
	return 0;
}
