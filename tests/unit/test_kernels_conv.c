/* Convolution kernels of every instruction set against the plain loops of their definition in double, on random
 * shapes. */
#include "kernel_case.h"

typedef struct Case {
	ConvKind kind;
	ConvParam p;
	float *x, *y, *residual, *bias;
	FloatAny *w;       /* at any byte of w_memory */
	char *w_memory;
	size_t y_floats;
	int64_t w_stride[5];
	bool in_place;     /* the residual is what the result overwrites */
	TileProgram post;  /* y *= POST_FACTOR: a box that is left out, or done twice, shows */
	double scale;      /* of the error allowed */
} Case;

static const float POST_FACTOR = -3;

static int64_t dense_strides(const int64_t *dims, int64_t channels, int64_t batch, Rng *r, int64_t *stride,
	int64_t *offset)
{
	int64_t extra = rng_below(r, 3) ? 0 : between(r, 1, 9);
	stride[3] = channels + extra;
	*offset = extra ? rng_below(r, extra + 1) : 0;
	stride[2] = dims[2] * stride[3] + (rng_below(r, 4) ? 0 : stride[3]);
	stride[1] = dims[1] * stride[2];
	stride[0] = dims[0] * stride[1] + (rng_below(r, 4) ? 0 : 3);
	int64_t last = *offset + (batch - 1) * stride[0] + (dims[0] - 1) * stride[1] + (dims[1] - 1) * stride[2] +
		(dims[2] - 1) * stride[3];
	return last + channels; /* floats up to the last one used */
}

static void random_window(Rng *r, ConvParam *p, int rank, int64_t largest)
{
	for (int d = 0; d < 3; d++) {
		bool used = d >= 3 - rank;
		p->kernel[d] = used ? between(r, 1, rank == 1 ? 9 : 4) : 1;
		p->stride[d] = used ? between(r, 1, 3) : 1;
		p->dilation[d] = used && !rng_below(r, 3) ? between(r, 1, 3) : 1;
		p->pad[d] = used ? rng_below(r, p->kernel[d] + 1) : 0;
		p->in[d] = used ? between(r, 1, largest) : 1;
	}
}

/* Output sizes: what the window gives, with some padding at the end; false when nothing comes out. */
static bool output_sizes(Rng *r, Case *c, int rank)
{
	ConvParam *p = &c->p;
	for (int d = 0; d < 3; d++) {
		int64_t reach = (p->kernel[d] - 1) * p->dilation[d], end = d >= 3 - rank ? rng_below(r, 3) : 0;
		if (c->kind == CONV_TRANSPOSE)
			p->out[d] = (p->in[d] - 1) * p->stride[d] + reach + 1 - p->pad[d] - end +
				(d >= 3 - rank ? rng_below(r, p->stride[d]) : 0);
		else if (p->in[d] + p->pad[d] + end < reach + 1)
			return false;
		else
			p->out[d] = (p->in[d] + p->pad[d] + end - reach - 1) / p->stride[d] + 1;
		if (p->out[d] < 1)
			return false;
	}
	return true;
}

static FloatAny *any_floats(Rng *r, size_t n, char **memory)
{
	float *v = floats_random(r, n);
	size_t at = rng_below(r, 2) ? 0 : (size_t)between(r, 1, 3);
	*memory = malloc(n * sizeof(float) + at + 1);
	assert_non_null(*memory);
	memcpy(*memory + at, v, n * sizeof(float));
	free(v);
	return (FloatAny *)(*memory + at);
}

static void case_buffers(Rng *r, Case *c)
{
	ConvParam *p = &c->p;
	int64_t in = p->groups * p->ic, out = p->groups * p->oc, taps = p->kernel[0] * p->kernel[1] * p->kernel[2];
	c->x = floats_random(r, (size_t)dense_strides(p->in, in, p->batch, r, p->x_stride, &p->x_offset));
	c->y_floats = (size_t)dense_strides(p->out, out, p->batch, r, p->y_stride, &p->y_offset);
	c->y = floats_new(c->y_floats);
	p->has_residual = !rng_below(r, 3);
	c->in_place = p->has_residual && rng_below(r, 2);
	if (c->in_place) {
		memcpy(p->r_stride, p->y_stride, sizeof p->r_stride);
		p->r_offset = p->y_offset;
		c->residual = floats_random(r, c->y_floats);
	} else if (p->has_residual)
		c->residual = floats_random(r, (size_t)dense_strides(p->out, out, p->batch, r, p->r_stride, &p->r_offset));
	if (rng_below(r, 3))
		p->bias = c->bias = floats_random(r, (size_t)out);
	p->lo = rng_below(r, 3) ? -INFINITY : rng_below(r, 2) ? 0 : -1;
	p->hi = rng_below(r, 4) ? INFINITY : 1.5f;
	if (c->kind == CONV_DIRECT || c->kind == CONV_DEPTHWISE || c->kind == CONV_PLANES)
		p->hard_swish = !rng_below(r, 4);
	int64_t first = c->kind == CONV_TRANSPOSE ? in : out, second = c->kind == CONV_TRANSPOSE ? p->oc : p->ic;
	c->w = any_floats(r, (size_t)(first * second * taps), &c->w_memory);
	int64_t dims[5] = {first, second, p->kernel[0], p->kernel[1], p->kernel[2]};
	bool swapped = !rng_below(r, 4); /* weights with the spatial dims outermost */
	int64_t at = 1;
	for (int i = 4; i >= 0; i--) {
		int d = swapped ? (i + 2) % 5 : i;
		c->w_stride[d] = at;
		at *= dims[d];
	}
}

/* Adds the post program, over the whole result. */
static void add_post(Case *c)
{
	ConvParam *p = &c->p;
	c->post = (TileProgram){.rank = 5, .dims = {p->batch, p->out[0], p->out[1], p->out[2], p->groups * p->oc},
		.ncode = 4,
		.code = {{.op = TILE_LOAD, .dtype = DT_F32, .dst = 0},
			{.op = TILE_CONST, .dtype = DT_F32, .dst = 1, .f0 = POST_FACTOR},
			{.op = TILE_MUL, .dtype = DT_F32, .dst = 0, .a = 0, .b = 1}, {.op = TILE_STORE, .dtype = DT_F32, .a = 0}},
		.noperands = 1, .operands = {{.dtype = DT_F32, .offset = p->y_offset,
			.stride = {p->y_stride[0], p->y_stride[1], p->y_stride[2], p->y_stride[3], 1}}}};
	p->post = &c->post;
	p->post_ptr = 2 + p->has_residual;
}

static void case_free(Case *c)
{
	free(c->x);
	free(c->y);
	free(c->residual);
	free(c->w_memory);
	free(c->bias);
}

/* Sum of the products of one output, and of their magnitudes. */
static double sum_of(const Case *c, int64_t n, const int64_t *out, int64_t channel, double *size)
{
	const ConvParam *p = &c->p;
	int64_t g = channel / p->oc, o = channel % p->oc;
	double sum = 0;
	for (int64_t k = 0; k < p->kernel[0] * p->kernel[1] * p->kernel[2]; k++) {
		int64_t tap[3] = {k / (p->kernel[2] * p->kernel[1]), k / p->kernel[2] % p->kernel[1], k % p->kernel[2]};
		int64_t x_at = p->x_offset + n * p->x_stride[0] + g * p->ic, w_at = 0;
		bool inside = true;
		for (int d = 0; d < 3; d++) {
			int64_t i = out[d] * p->stride[d] + tap[d] * p->dilation[d] - p->pad[d];
			if (c->kind == CONV_TRANSPOSE) {
				i = out[d] + p->pad[d] - tap[d] * p->dilation[d];
				inside &= i % p->stride[d] == 0;
				i /= p->stride[d];
			}
			inside &= i >= 0 && i < p->in[d];
			x_at += i * p->x_stride[d + 1];
			w_at += tap[d] * c->w_stride[d + 2];
		}
		for (int64_t i = 0; inside && i < p->ic; i++) {
			bool swap = c->kind == CONV_TRANSPOSE;
			int64_t first = swap ? g * p->ic + i : channel, second = swap ? o : i;
			double v = (double)c->x[x_at + i * (c->kind == CONV_PLANES ? p->x_channel : 1)] * (double)c->w[w_at + first * c->w_stride[0] + second * c->w_stride[1]];
			sum += v;
			*size += fabs(v);
		}
	}
	return sum;
}

static const char *case_text(const Case *c)
{
	static char text[300];
	const ConvParam *p = &c->p;
	int n = snprintf(text, sizeof text, "kind %d, batch %d, groups %d, ic %d, oc %d", (int)c->kind, (int)p->batch,
		(int)p->groups,
		(int)p->ic, (int)p->oc);
	const struct {
		const char *name;
		const int64_t *v;
	} lists[] = {{"in", p->in}, {"out", p->out}, {"kernel", p->kernel}, {"stride", p->stride},
		{"dilation", p->dilation},
		{"pad", p->pad}};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, ", %s %d %d %d", lists[i].name, (int)lists[i].v[0],
			(int)lists[i].v[1], (int)lists[i].v[2]);
	return text;
}

static void check_results(const Case *c, const char *isa)
{
	const ConvParam *p = &c->p;
	char *seen = calloc(c->y_floats, 1);
	assert_non_null(seen);
	double terms = (double)(p->ic * p->kernel[0] * p->kernel[1] * p->kernel[2]);
	for (int64_t n = 0; n < p->batch; n++)
		for (int64_t i = 0; i < p->out[0] * p->out[1] * p->out[2]; i++)
			for (int64_t ch = 0; ch < p->groups * p->oc; ch++) {
				int64_t out[3] = {i / (p->out[2] * p->out[1]), i / p->out[2] % p->out[1], i % p->out[2]};
				int64_t at = p->y_offset + n * p->y_stride[0] + ch, r_at = p->r_offset + n * p->r_stride[0] + ch;
				for (int d = 0; d < 3; d++) {
					at += out[d] * p->y_stride[d + 1];
					r_at += out[d] * p->r_stride[d + 1];
				}
				double bias = p->bias ? (double)p->bias[ch] : 0, add = p->has_residual ? (double)c->residual[r_at] : 0;
				double size = fabs(bias) + fabs(add), v = sum_of(c, n, out, ch, &size) + bias + add;
				v = v < (double)p->lo ? (double)p->lo : v > (double)p->hi ? (double)p->hi : v;
				if (p->hard_swish) {
					v *= v < -3 ? 0 : v > 3 ? 1 : v / 6 + 0.5;
					size *= 1.5;
				}
				if (p->post) {
					v *= (double)POST_FACTOR;
					size *= fabs((double)POST_FACTOR);
				}
				if (!float_near(c->y[at], v, terms * c->scale, size))
					fail_msg("%s: output (%d %d %d) channel %d is %.9g, not %.9g (size %g); %s", isa, (int)out[0],
						(int)out[1], (int)out[2], (int)ch, (double)c->y[at], v, size, case_text(c));
				seen[at] = 1;
			}
	for (size_t i = 0; i < c->y_floats; i++)
		if (!seen[i] && !guard_intact(c->y[i]))
			fail_msg("%s: a stray write at %zu", isa, i);
	free(seen);
}

/* Copies the elements of the residual into the result; nothing between them. */
static void start_in_place(const Case *c)
{
	const ConvParam *p = &c->p;
	for (int64_t i = 0; i < p->batch * p->out[0] * p->out[1] * p->out[2]; i++) {
		int64_t w = i % p->out[2], h = i / p->out[2] % p->out[1], d = i / (p->out[2] * p->out[1]) % p->out[0];
		int64_t n = i / (p->out[2] * p->out[1] * p->out[0]);
		int64_t at = p->y_offset + n * p->y_stride[0] + d * p->y_stride[1] + h * p->y_stride[2] + w * p->y_stride[3];
		memcpy(c->y + at, c->residual + at, (size_t)(p->groups * p->oc) * sizeof(float));
	}
}

/* Runs a case on every instruction set. Returns how many have the kernel. */
static int run_case(Rng *r, Case *c)
{
	int ran = 0;
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		if (!set || !set->conv_plan[c->kind] || !set->conv_plan[c->kind](&c->p, (int)between(r, 1, 4)))
			continue;
		size_t bytes = c->kind == CONV_STREAM ? 1 : set->conv_pack_bytes[c->kind](&c->p);
		void *packed = aligned_new(bytes);
		if (c->kind != CONV_STREAM)
			set->conv_pack[c->kind](&c->p, c->w, c->w_stride, packed);
		c->p.weights = packed;
		guard_fill(c->y, c->y_floats * sizeof(float));
		const void *later[] = {c->w, packed};
		const ConvAhead ahead = {rng_below(r, 2) != 0, 3, {{&later[0], 0, 3}, {&later[1], 1, 0}, {&later[1], 1, (int64_t)bytes / 64}}};
		c->p.ahead = rng_below(r, 2) ? &ahead : NULL; /* changes no result */
		void *ptr[] = {c->y, c->x, c->in_place ? c->y : c->residual};
		if (c->in_place)
			start_in_place(c);
		kernel_run(set->conv[c->kind], &c->p, ptr, r);
		check_results(c, isa_name((Isa)isa));
		free(packed);
		ran++;
	}
	return ran;
}

/* Floats of the input up to the last one used. */
static int64_t input_floats(const ConvParam *p)
{
	int64_t last = p->x_offset + (p->batch - 1) * p->x_stride[0] + p->groups * p->ic;
	for (int d = 0; d < 3; d++)
		last += (p->in[d] - 1) * p->x_stride[d + 1];
	return last;
}

static void random_case(Rng *r, ConvKind kind, int trial)
{
	Case c = {.kind = kind, .scale = 1};
	int rank = 1 + trial % 3;
	do
		random_window(r, &c.p, rank, rank == 1 ? 70 : rank == 2 ? 19 : 7);
	while (!output_sizes(r, &c, rank));
	c.p.batch = between(r, 1, 2);
	c.p.groups = kind == CONV_DEPTHWISE ? between(r, 1, 75) : rng_below(r, 3) ? 1 : between(r, 2, 3);
	c.p.ic = kind == CONV_DEPTHWISE ? 1 : trial % 4 == 0 ? between(r, 1, 3) : between(r, 1, 20);
	c.p.oc = kind == CONV_DEPTHWISE ? 1 : trial % 5 == 0 ? between(r, 30, 70) : between(r, 1, 20);
	case_buffers(r, &c);
	if (trial % 4 == 1)
		add_post(&c);
	if (trial % 16 == 7) /* NaN and infinities go where the definition says, no further */
		for (int64_t i = input_floats(&c.p); i > 0; i -= 5)
			c.x[i - 1] = (float[]){NAN, INFINITY, -INFINITY}[rng_below(r, 3)];
	if (trial % 16 == 11 && kind == CONV_DEPTHWISE) /* taps in the padding are passed over */
		c.w[0] = trial % 32 == 11 ? INFINITY : NAN;
	assert_true(run_case(r, &c) > 0);
	case_free(&c);
}

static void test_direct(void **state)
{
	(void)state;
	Rng r = {11};
	for (int i = 0; i < 300; i++)
		random_case(&r, CONV_DIRECT, i);
}

/* Every number of last columns that may be packed in pairs of terms, alone and beside whole panels, and every number of rows. */
static void test_pairs(void **state)
{
	(void)state;
	Rng r = {19};
	for (int i = 0; i < 144; i++) {
		Case c = {.kind = CONV_DIRECT, .scale = 1};
		ConvParam *p = &c.p;
		int64_t size = i % 6 ? 1 : 3;
		*p = (ConvParam){.batch = 1, .groups = i % 5 ? 1 : 2, .ic = 2 * between(&r, 8, i % 12 ? 40 : 160), .oc = 1 + i % 24 + 32 * (i / 72),
			.in = {1, size == 1 ? 1 : between(&r, 2, 5), 4 + i % 43}, .kernel = {1, size, size}, .pad = {0, size / 2, size / 2},
			.stride = {1, 1, 1}, .dilation = {1, 1, 1}};
		memcpy(p->out, p->in, sizeof p->out);
		case_buffers(&r, &c);
		if (i % 7 == 3)
			add_post(&c);
		assert_true(run_case(&r, &c) > 0);
		const KernelSet *wide = kernels_for(ISA_V4);
		if (wide && wide->conv_plan[CONV_DIRECT](p, 1))
			assert_int_equal(p->paired, p->ic * size * size <= 960);
		case_free(&c);
	}
}

/* Weights that exceed the caches: chunks of columns, parts of the sum, rows that fall into one set of the cache; few
 * rows. */
static void test_large(void **state)
{
	(void)state;
	static const int64_t SIZES[][5] = { /* ic, oc, width, height, kernel */
		{1024, 170, 190, 1, 1}, {2048, 100, 31, 1, 1}, {3072, 131, 20, 1, 1}, {2200, 100, 3, 10, 1},
		{300, 140, 7, 7, 3}, {520, 70, 9, 4, 3}, {900, 300, 1, 1, 1}, {1030, 70, 2, 1, 1}, {777, 65, 3, 1, 1},
	};
	Rng r = {15};
	for (size_t i = 0; i < 2 * sizeof SIZES / sizeof *SIZES; i++) {
		const int64_t *v = SIZES[i / 2];
		Case c = {.kind = CONV_DIRECT, .scale = 1};
		ConvParam *p = &c.p;
		*p = (ConvParam){.batch = 1, .groups = 1, .ic = v[0], .oc = v[1], .backward = i % 2, .in = {1, v[3], v[2]},
			.kernel = {1, v[4], v[4]},
			.stride = {1, 1, 1}, .dilation = {1, 1, 1}, .pad = {0, v[4] / 2, v[4] / 2}, .out = {1, v[3], v[2]}};
		case_buffers(&r, &c);
		if (i % 2)
			add_post(&c);
		assert_true(run_case(&r, &c) > 0);
		case_free(&c);
	}
}

/* Dense layers of few rows. */
static void test_few_rows(void **state)
{
	(void)state;
	Rng r = {16};
	for (int i = 0; i < 120; i++) {
		Case c = {.kind = CONV_DIRECT, .scale = 1};
		ConvParam *p = &c.p;
		bool one = i >= 60; /* one row, weights that stay in cache */
		*p = (ConvParam){.batch = between(&r, 1, one ? 1 : 3), .groups = between(&r, 1, 3), .ic = between(&r, 1, one ? 40 : 90),
			.oc = between(&r, 1, 150), .backward = i % 2, .in = {1, 1, 1}, .kernel = {1, 1, 1}, .stride = {1, 1, between(&r, 1, 2)},
			.dilation = {1, 1, 1}};
		p->in[2] = p->batch == 1 && !one ? between(&r, 1, 5) : 1;
		for (int d = 0; d < 3; d++)
			p->out[d] = (p->in[d] - 1) / p->stride[d] + 1;
		case_buffers(&r, &c);
		if (i % 3 == 1)
			add_post(&c);
		assert_true(run_case(&r, &c) > 0);
		case_free(&c);
	}
}

/* Dense layers of few rows whose weights are read where they lie. A kernel that packs is not asked. */
static void test_stream(void **state)
{
	(void)state;
	Rng r = {17};
	for (int i = 0; i < 160; i++) {
		Case c = {.kind = CONV_STREAM, .scale = 1};
		ConvParam *p = &c.p;
		*p = (ConvParam){.batch = between(&r, 1, 4), .groups = 1, .ic = between(&r, 1, i % 8 ? 90 : 1500),
			.oc = between(&r, 1, i % 7 ? 150 : 2500), .in = {1, 1, 1}, .kernel = {1, 1, 1}, .stride = {1, 1, between(&r, 1, 2)},
			.dilation = {1, 1, 1}};
		p->in[2] = p->batch == 1 ? between(&r, 1, 4) : 1;
		for (int d = 0; d < 3; d++)
			p->out[d] = (p->in[d] - 1) / p->stride[d] + 1;
		case_buffers(&r, &c);
		int64_t gap = rng_below(&r, 3) ? 0 : between(&r, 1, 5); /* rows of weights that lie apart */
		bool inputs = i % 2;
		free(c.w_memory);
		c.w = any_floats(&r, (size_t)((p->ic + gap) * (p->oc + gap)), &c.w_memory);
		c.w_stride[0] = inputs ? 1 : p->ic + gap;
		c.w_stride[1] = inputs ? p->oc + gap : 1;
		p->source = c.w;
		memcpy(p->source_stride, c.w_stride, sizeof p->source_stride);
		p->factor = 1;
		if (i % 3 == 1)
			add_post(&c);
		assert_true(run_case(&r, &c) > 0);
		case_free(&c);
	}
}

/* More rows than it takes, weights without contiguous rows, windows. */
static void test_stream_refuses(void **state)
{
	(void)state;
	const ConvParam fits = {.batch = 1, .groups = 1, .ic = 8, .oc = 8, .in = {1, 1, 1}, .out = {1, 1, 1},
		.kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {1, 1, 1}, .source_stride = {8, 1}};
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		ConvParam rows = fits, apart = fits, window = fits, plain = fits;
		rows.batch = 5;
		apart.source_stride[0] = 16;
		apart.source_stride[1] = 2;
		window.kernel[2] = 2;
		if (!set)
			continue;
		assert_true(set->conv_plan[CONV_STREAM](&plain, 1));
		assert_false(set->conv_plan[CONV_STREAM](&rows, 1));
		assert_false(set->conv_plan[CONV_STREAM](&apart, 1));
		assert_false(set->conv_plan[CONV_STREAM](&window, 1));
	}
}

/* Few channels in planes; lines and planes may lie apart. */
static void planes_case(Rng *r, int trial)
{
	Case c = {.kind = CONV_PLANES, .scale = 1};
	ConvParam *p = &c.p;
	int rank = 1 + trial % 2;
	do {
		random_window(r, p, rank, trial % 3 ? 40 : 130);
		for (int d = 1; d < 3; d++)
			p->stride[d] = p->stride[d] == 3 ? 4 : p->stride[d];
	} while (!output_sizes(r, &c, rank) || 2 * p->out[2] < 14);
	p->batch = between(r, 1, 3);
	p->groups = 1;
	p->ic = between(r, 1, 4);
	p->oc = between(r, 8, 80);
	case_buffers(r, &c);
	free(c.x);
	p->x_stride[3] = 1;
	p->x_stride[2] = p->in[2] + (rng_below(r, 2) ? 0 : 3);
	p->x_channel = p->in[1] * p->x_stride[2] + (rng_below(r, 2) ? 0 : 5);
	p->x_stride[1] = p->x_stride[0] = p->ic * p->x_channel;
	p->x_offset = rng_below(r, 3);
	int64_t n = p->x_offset + (p->batch - 1) * p->x_stride[0] + (p->ic - 1) * p->x_channel + (p->in[1] - 1) * p->x_stride[2] +
		p->in[2];
	c.x = floats_random(r, (size_t)n); /* no element beyond the last: a sanitizer sees reads there */
	if (trial % 3 == 1)
		add_post(&c);
	if (trial % 16 == 7)
		for (int64_t i = n; i > 0; i -= 5)
			c.x[i - 1] = (float[]){NAN, INFINITY, -INFINITY}[rng_below(r, 3)];
	assert_true(run_case(r, &c) > 0);
	case_free(&c);
}

static void test_planes(void **state)
{
	(void)state;
	Rng r = {23};
	for (int i = 0; i < 200; i++)
		planes_case(&r, i);
}

/* Channels side by side, many of them, groups, other strides: left to other kernels. */
static void test_planes_refuses(void **state)
{
	(void)state;
	const ConvParam fits = {.batch = 1, .groups = 1, .ic = 3, .oc = 16, .in = {1, 32, 32}, .out = {1, 32, 32},
		.kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {1, 1, 1}, .x_stride = {3072, 0, 32, 1}, .x_channel = 1024};
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		ConvParam plain = fits, last = fits, many = fits, groups = fits, stride = fits, deep = fits;
		last.x_stride[3] = 3;
		many.ic = 5;
		groups.groups = 3;
		stride.stride[2] = 3;
		deep.in[0] = 2;
		if (!set)
			continue;
		assert_true(set->conv_plan[CONV_PLANES](&plain, 1));
		assert_false(set->conv_plan[CONV_PLANES](&last, 1));
		assert_false(set->conv_plan[CONV_PLANES](&many, 1));
		assert_false(set->conv_plan[CONV_PLANES](&groups, 1));
		assert_false(set->conv_plan[CONV_PLANES](&stride, 1));
		assert_false(set->conv_plan[CONV_PLANES](&deep, 1));
	}
}

/* Many small groups, of sizes that divide a vector. */
static void test_grouped(void **state)
{
	(void)state;
	static const int64_t CHANNELS[] = {2, 4, 8, 16};
	Rng r = {17};
	int ran = 0;
	for (int i = 0; i < 200; i++) {
		Case c = {.kind = CONV_GROUPED, .scale = 1};
		int rank = 1 + i % 3;
		do
			random_window(&r, &c.p, rank, rank == 1 ? 70 : rank == 2 ? 24 : 7);
		while (!output_sizes(&r, &c, rank));
		c.p.batch = between(&r, 1, 2);
		c.p.groups = between(&r, 2, 17);
		c.p.ic = c.p.oc = CHANNELS[i % 4];
		case_buffers(&r, &c);
		if (i % 5 == 1)
			add_post(&c);
		ran += run_case(&r, &c);
		case_free(&c);
	}
	assert_true(ran >= 100); /* each instruction set has two of the sizes or more */
}

static void test_depthwise(void **state)
{
	(void)state;
	Rng r = {12};
	for (int i = 0; i < 300; i++)
		random_case(&r, CONV_DEPTHWISE, i);
}

static void test_transposed(void **state)
{
	(void)state;
	Rng r = {13};
	for (int i = 0; i < 300; i++)
		random_case(&r, CONV_TRANSPOSE, i);
}

/* Winograd's sums cancel: an element's error is that of the transforms, some tens of roundings of the sum of
 * magnitudes. */
static void test_winograd(void **state)
{
	(void)state;
	Rng r = {14};
	int ran = 0;
	for (int i = 0; i < 24; i++) {
		Case c = {.kind = CONV_WINOGRAD, .scale = 1};
		ConvParam *p = &c.p;
		*p = (ConvParam){.batch = between(&r, 1, 2), .groups = 1, .ic = between(&r, 32, 70), .oc = between(&r, 32, 70)};
		if (i % 4 == 3) /* so many that weights are in another order, and fetched ahead in several streams */
			p->ic = between(&r, 288, 400);
		for (int d = 0; d < 3; d++) {
			p->kernel[d] = d ? 3 : 1;
			p->stride[d] = p->dilation[d] = 1;
			p->pad[d] = d ? rng_below(&r, 3) : 0;
			p->in[d] = d ? between(&r, 14, 24) : 1;
			p->out[d] = d ? p->in[d] + p->pad[d] - 2 + rng_below(&r, 2) : 1;
		}
		case_buffers(&r, &c);
		if (i % 3 == 1)
			add_post(&c);
		ran += run_case(&r, &c);
		case_free(&c);
	}
	assert_true(ran > 0);
}

/* The input of a case with its channels times numbers. */
static float *scaled_input(const Case *c, const float *scale)
{
	const ConvParam *p = &c->p;
	float *x = memcpy(malloc((size_t)input_floats(p) * sizeof(*x)), c->x, (size_t)input_floats(p) * sizeof(*x));
	for (int64_t i = 0; i < p->in[0] * p->in[1] * p->in[2]; i++) {
		int64_t w = i % p->in[2], h = i / p->in[2] % p->in[1], d = i / (p->in[2] * p->in[1]);
		for (int64_t k = 0; k < p->ic; k++)
			x[p->x_offset + d * p->x_stride[1] + h * p->x_stride[2] + w * p->x_stride[3] + k] *= scale[k];
	}
	return x;
}

/* Scaled weights give what a scaled input does; by powers of two, to the last bit. */
static void test_scaled(void **state)
{
	(void)state;
	Rng r = {18};
	for (int i = 0; i < 120; i++) {
		Case c = {.kind = CONV_DIRECT, .scale = 1};
		ConvParam *p = &c.p;
		*p = (ConvParam){.batch = 1, .groups = 1, .ic = between(&r, 1, i % 8 ? 70 : 700), .oc = between(&r, 1, i % 5 ? 60 : 200),
			.in = {1, between(&r, 1, 12), between(&r, 1, 12)}, .kernel = {1, 1, 1}, .dilation = {1, 1, 1},
			.stride = {1, between(&r, 1, 2), 1}};
		for (int d = 0; d < 3; d++)
			p->out[d] = (p->in[d] - 1) / p->stride[d] + 1;
		case_buffers(&r, &c);
		float *scale = malloc((size_t)p->ic * sizeof(*scale)), *want = malloc(c.y_floats * sizeof(*want));
		for (int64_t k = 0; k < p->ic; k++)
			scale[k] = (float[]){0.5f, -2, 1, 0, 0.125f}[rng_below(&r, 5)];
		float *x = scaled_input(&c, scale);
		for (int isa = 0; isa < ISA_COUNT; isa++) {
			const KernelSet *set = kernels_for((Isa)isa);
			if (!set || !set->conv_plan[CONV_DIRECT](p, (int)between(&r, 1, 4)))
				continue;
			void *packed = aligned_new(set->conv_pack_bytes[CONV_DIRECT](p));
			set->conv_pack[CONV_DIRECT](p, c.w, c.w_stride, packed);
			p->weights = packed;
			const ScaledParam s = {.conv = p, .x_offset = 3, .scale_ptr = 3, .scale_offset = 0};
			guard_fill(c.y, c.y_floats * sizeof(float));
			kernel_run(set->conv[CONV_DIRECT], p, (void *[]){c.y, x, c.residual}, &r);
			memcpy(want, c.y, c.y_floats * sizeof(float));
			guard_fill(c.y, c.y_floats * sizeof(float));
			kernel_run(set->scaled, &s, (void *[]){c.y, c.x - 3, c.residual, scale}, &r);
			assert_memory_equal(c.y, want, c.y_floats * sizeof(float));
			free(packed);
		}
		free(x);
		free(scale);
		free(want);
		case_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct), cmocka_unit_test(test_scaled), cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_few_rows),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stream_refuses),
		cmocka_unit_test(test_planes), cmocka_unit_test(test_planes_refuses),
		cmocka_unit_test(test_grouped),
		cmocka_unit_test(test_depthwise),
		cmocka_unit_test(test_transposed),
		cmocka_unit_test(test_winograd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
