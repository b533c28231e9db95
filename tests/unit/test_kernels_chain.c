/* Chains of convolutions: to the bit what their stages give one after the other, which test_kernels_conv checks. */
#include "kernel_case.h"

typedef struct Link {
	ConvParam p;
	void *packed;
	float *w, *bias, *residual, *y;
	size_t floats;          /* of y */
	TileProgram post;       /* y *= -3 */
} Link;

typedef struct Case {
	ChainParam chain;
	Link links[CHAIN_STAGES];
	float *x;
} Case;

static void random_stage(Rng *r, const KernelSet *set, Case *c, int i, int threads)
{
	Link *l = &c->links[i];
	ConvParam *p = &l->p;
	const ConvParam *before = i ? &c->links[i - 1].p : NULL;
	int64_t channels = before ? before->groups * before->oc : between(r, 1, 40);
	bool planes = !before && rng_below(r, 2), depthwise = !planes && rng_below(r, 2);
	channels = planes ? between(r, 1, 4) : channels;
	c->chain.kind[i] = planes ? CONV_PLANES : depthwise ? CONV_DEPTHWISE : CONV_DIRECT;
	p->batch = before ? before->batch : between(r, 1, 3);
	p->groups = depthwise ? channels : !planes && channels % 2 == 0 && !rng_below(r, 4) ? 2 : 1;
	p->ic = channels / p->groups;
	p->oc = depthwise ? 1 : between(r, planes ? 8 : 1, 40);
	p->in[0] = p->out[0] = p->kernel[0] = p->stride[0] = p->dilation[0] = 1;
	for (int d = 1; d < 3; d++) {
		p->kernel[d] = rng_below(r, 2) ? 1 : between(r, 1, 5);
		p->stride[d] = rng_below(r, 2) ? 1 : between(r, 1, planes ? 2 : 3);
		p->dilation[d] = rng_below(r, 3) ? 1 : 2;
		p->in[d] = before ? before->out[d] : between(r, planes ? 32 : 4, 40);
		int64_t reach = (p->kernel[d] - 1) * p->dilation[d] + 1, end = rng_below(r, 3);
		p->pad[d] = rng_below(r, p->kernel[d] + 1);
		while (p->in[d] + p->pad[d] + end < reach)
			end++;
		p->out[d] = (p->in[d] + p->pad[d] + end - reach) / p->stride[d] + 1;
	}
	p->x_stride[3] = channels;
	p->x_stride[2] = p->in[2] * channels;
	p->x_stride[0] = p->x_stride[1] = p->in[1] * p->x_stride[2];
	if (planes) {
		p->x_stride[3] = 1;
		p->x_stride[2] = p->in[2];
		p->x_channel = p->in[1] * p->in[2];
	}
	p->y_stride[3] = p->groups * p->oc;
	p->y_stride[2] = p->out[2] * p->y_stride[3];
	p->y_stride[0] = p->y_stride[1] = p->out[1] * p->y_stride[2];
	l->floats = (size_t)(p->batch * p->y_stride[0]);
	l->y = floats_new(l->floats);
	p->lo = rng_below(r, 2) ? -1 : -INFINITY;
	p->hi = rng_below(r, 2) ? 1 : INFINITY;
	p->hard_swish = !rng_below(r, 3);
	l->bias = floats_random(r, (size_t)p->y_stride[3]);
	p->bias = rng_below(r, 3) ? l->bias : NULL;
	p->has_residual = !rng_below(r, 3);
	l->residual = floats_random(r, l->floats);
	memcpy(p->r_stride, p->y_stride, sizeof(p->r_stride));
	if (!rng_below(r, 3)) {
		l->post = (TileProgram){.rank = 5, .dims = {p->batch, 1, p->out[1], p->out[2], p->y_stride[3]}, .ncode = 4,
			.code = {{.op = TILE_LOAD, .dtype = DT_F32}, {.op = TILE_CONST, .dtype = DT_F32, .dst = 1, .f0 = -3},
				{.op = TILE_MUL, .dtype = DT_F32, .b = 1}, {.op = TILE_STORE, .dtype = DT_F32}},
			.noperands = 1, .operands = {{.dtype = DT_F32,
				.stride = {p->y_stride[0], p->y_stride[1], p->y_stride[2], p->y_stride[3], 1}}}};
		p->post = &l->post;
		p->post_ptr = 2 + p->has_residual;
	}
	int64_t taps = p->kernel[1] * p->kernel[2];
	int64_t stride[5] = {p->ic * taps, taps, taps, p->kernel[2], 1};
	l->w = floats_random(r, (size_t)(p->groups * p->oc * p->ic * taps));
	assert_true(set->conv_plan[c->chain.kind[i]](p, threads));
	l->packed = aligned_new(set->conv_pack_bytes[c->chain.kind[i]](p));
	set->conv_pack[c->chain.kind[i]](p, l->w, stride, l->packed);
	p->weights = l->packed;
	c->chain.stage[i] = p;
}

static void case_free(Case *c)
{
	for (int i = 0; i < c->chain.nstages; i++) {
		Link *l = &c->links[i];
		free(l->w);
		free(l->bias);
		free(l->residual);
		free(l->y);
		free(l->packed);
	}
	free(c->x);
}

static void run_stages(const KernelSet *set, Case *c)
{
	for (int i = 0; i < c->chain.nstages; i++) {
		Link *l = &c->links[i];
		const Kernel *k = set->conv[c->chain.kind[i]];
		void *ptr[] = {l->y, i ? c->links[i - 1].y : c->x, l->residual}, *scratch = aligned_new(k->scratch_bytes(&l->p));
		k->run(&l->p, ptr, scratch, 0, k->tasks(&l->p));
		free(scratch);
	}
}

/* True when the set takes the stages as a chain. */
static bool run_case(Rng *r, const KernelSet *set)
{
	Case c = {.chain.nstages = (int)between(r, 2, CHAIN_STAGES)};
	int threads = (int)between(r, 1, 4);
	for (int i = 0; i < c.chain.nstages; i++)
		random_stage(r, set, &c, i, threads);
	c.x = floats_random(r, (size_t)(c.links[0].p.batch * c.links[0].p.x_stride[0]));
	if (!rng_below(r, 6))
		for (int64_t i = 0; i < c.links[0].p.batch * c.links[0].p.x_stride[0]; i += 37)
			c.x[i] = (float[]){NAN, INFINITY, -INFINITY}[rng_below(r, 3)];
	c.chain.lines = rng_below(r, 5);
	bool taken = set->chain_plan(&c.chain, threads);
	if (taken) {
		const Link *last = &c.links[c.chain.nstages - 1];
		float *y = floats_new(last->floats);
		void *ptr[CHAIN_PTRS] = {y, c.x};
		int n = 2;
		for (int i = 0; i < c.chain.nstages; i++) {
			c.chain.rest_ptr[i] = n;
			c.chain.nrest[i] = c.links[i].p.has_residual;
			if (c.links[i].p.has_residual)
				ptr[n++] = c.links[i].residual;
		}
		run_stages(set, &c);
		kernel_run(set->chain, &c.chain, ptr, r);
		for (size_t i = 0; i < last->floats; i++)
			if (memcmp(&y[i], &last->y[i], sizeof(*y)) && !(isnan(y[i]) && isnan(last->y[i])))
				fail_msg("%s, %d stages, bands of %d lines: element %zu of %zu is %.9g, not %.9g", isa_name(set->isa),
					c.chain.nstages, (int)c.chain.lines, i, last->floats, (double)y[i], (double)last->y[i]);
		free(y);
	}
	case_free(&c);
	return taken;
}

static void chains_give_what_their_stages_give(void **state)
{
	(void)state;
	Rng r = {21};
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		int taken = 0;
		for (int i = 0; set && i < 300; i++)
			taken += run_case(&r, set);
		assert_true(!set || taken > 150);
	}
}

/* What a chain cannot do, or gains nothing by, is refused. */
static void chains_are_refused(void **state)
{
	(void)state;
	Rng r = {22};
	const KernelSet *set = kernels_for(isa_best());
	Case c = {.chain.nstages = 2};
	random_stage(&r, set, &c, 0, 1);
	random_stage(&r, set, &c, 1, 1);
	ChainParam small = c.chain, one = c.chain, gap = c.chain;
	ConvParam moved = c.links[1].p;
	small.worth = INT64_C(1) << 40;
	assert_false(set->chain_plan(&small, 1));
	one.nstages = 1;
	assert_false(set->chain_plan(&one, 1));
	moved.x_offset += 4;
	gap.stage[1] = &moved;
	assert_false(set->chain_plan(&gap, 1));
	moved = c.links[1].p;
	moved.in[1]++;
	assert_false(set->chain_plan(&gap, 1));
	moved = c.links[1].p;
	gap.kind[1] = CONV_WINOGRAD;
	assert_false(set->chain_plan(&gap, 1));
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_give_what_their_stages_give),
		cmocka_unit_test(chains_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
