/* Steps over windows of images, and products, as C: convolutions of floats and of 8-bit integers, chains, pools, resampling. */
#include "plan/csource_int.h"

#include <math.h>
#include <string.h>

/* ---- the shapes of these loops ---- */

/* For each batch entry n and position od, oh, ow of the result. */
static void pixel_loops(CSource *c, int64_t batch, const int64_t out[3])
{
	cs_loop(c, 1, "n", batch);
	cs_loop(c, 1, "od", out[0]);
	cs_loop(c, 1, "oh", out[1]);
	cs_loop(c, 1, "ow", out[2]);
	buf_puts(&c->body, "\t{\n");
}

/* "x + n * .. + id * .." */
static void pixel_at(CSource *c, const char *var, const int64_t stride[4], const char *index)
{
	buf_printf(&c->body, "%s + n * %lld", var, (long long)stride[0]);
	for (int d = 0; d < 3; d++)
		if (stride[d + 1])
			buf_printf(&c->body, " + %s%c * %lld", index, "dhw"[d], (long long)stride[d + 1]);
}

typedef struct Window {
	const int64_t *kernel, *stride, *dilation, *pad;
	int64_t low[3], high[3]; /* positions of the input that count */
	bool transposed;         /* only those from which a whole number of strides leads to the position */
} Window;

/* Loops kd, kh, kw over the taps of a window, with the position id, ih, iw of each; three blocks are open then. */
static void tap_loops(CSource *c, const Window *w)
{
	for (int d = 0; d < 3; d++) {
		char o = "dhw"[d];
		long long stride = w->stride[d], dilation = w->dilation[d], pad = w->pad[d];
		cs_loop(c, 2, arena_printf(c->arena, "k%c", o), w->kernel[d]);
		if (w->transposed)
			buf_printf(&c->body, "\t\t{\n\t\tconst long u%c = o%c + %lld - k%c * %lld, i%c = u%c / %lld;\n"
				"\t\tif (u%c < 0 || u%c %% %lld || i%c >= %lld)\n\t\t\tcontinue;\n", o, o, pad, o, dilation, o, o, stride, o, o, stride,
				o, (long long)w->high[d]);
		else
			buf_printf(&c->body, "\t\t{\n\t\tconst long i%c = o%c * %lld + k%c * %lld - %lld;\n"
				"\t\tif (i%c < %lld || i%c >= %lld)\n\t\t\tcontinue;\n", o, o, stride, o, dilation, pad, o, (long long)w->low[d], o,
				(long long)w->high[d]);
	}
}

static const char TAPS_END[] = "\t\t}\n\t\t}\n\t\t}\n";

static void conv_taps(CSource *c, const ConvParam *p, bool transposed)
{
	tap_loops(c, &(Window){ .kernel = p->kernel, .stride = p->stride, .dilation = p->dilation, .pad = p->pad,
		.high = { p->in[0], p->in[1], p->in[2] }, .transposed = transposed });
}

/* Where the weights of the tap begin, in an array as cs_weights makes it. */
static void tap_weights(CSource *c, const ConvParam *p, const char *type, int w)
{
	buf_printf(&c->body, "\t\tconst %s *wi = w%d + (((g * %lld + kd) * %lld + kh) * %lld + kw) * %lld;\n", type, w,
		(long long)p->kernel[0], (long long)p->kernel[1], (long long)p->kernel[2], (long long)(p->ic * p->oc));
}

/* ---- weights ---- */

static int64_t weight_count(const ConvParam *p)
{
	return p->groups * p->ic * p->oc * p->kernel[0] * p->kernel[1] * p->kernel[2];
}

/* Places of the weights by strides s, one after the other as [group][kernel][input channel][output channel], so that the
 * innermost loop runs along the result; channel (may be NULL): of the result. The caller
 * frees them. */
static int64_t *weight_places(const ConvParam *p, const int64_t s[5], bool transposed, int64_t *channel)
{
	int64_t *place = mem_alloc((size_t)(weight_count(p) + 1) * sizeof(*place)), at = 0;
	for (int64_t g = 0; g < p->groups; g++)
		for (int64_t a = 0; a < p->kernel[0]; a++)
			for (int64_t b = 0; b < p->kernel[1]; b++)
				for (int64_t e = 0; e < p->kernel[2]; e++)
					for (int64_t i = 0; i < p->ic; i++)
						for (int64_t o = 0; o < p->oc; o++) {
							int64_t first = transposed ? (g * p->ic + i) * s[0] + o * s[1] : (g * p->oc + o) * s[0] + i * s[1];
							if (channel)
								channel[at] = g * p->oc + o;
							place[at++] = first + a * s[2] + b * s[3] + e * s[4];
						}
	return place;
}

int cs_weights(CSource *c, const ConvParam *p, bool transposed)
{
	int64_t n = weight_count(p), *place = weight_places(p, p->source_stride, transposed, NULL);
	float *w = mem_alloc((size_t)(n + 1) * sizeof(*w));
	for (int64_t i = 0; i < n; i++)
		w[i] = p->source[place[i]] * p->factor;
	int id = cs_numbers(c, DT_F32, w, n);
	mem_free(w);
	mem_free(place);
	return id;
}

/* ---- convolutions ---- */

/* Bounds, and what follows them. */
static void clamp_text(CSource *c, float lo, float hi, bool hard_swish)
{
	for (int side = 0; side < 2; side++) {
		if (!isfinite(side ? hi : lo))
			continue;
		buf_printf(&c->body, "\t\t\tif (v %c ", side ? '>' : '<');
		cs_float(c, &c->body, side ? hi : lo);
		buf_puts(&c->body, ")\n\t\t\t\tv = ");
		cs_float(c, &c->body, side ? hi : lo);
		buf_puts(&c->body, ";\n");
	}
	if (hard_swish)
		buf_puts(&c->body, "\t\t\tv *= v < -3 ? 0 : v > 3 ? 1 : v * (1.0f / 6.0f) + 0.5f;\n");
}

static bool conv_text(CSource *c, const ConvParam *p, bool transposed)
{
	int w = cs_weights(c, p, transposed), b = p->bias ? cs_numbers(c, DT_F32, p->bias, p->groups * p->oc) : -1;
	long long oc = p->oc;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	if (p->has_residual)
		cs_declare(c, "r", 2, "float", p->r_offset, true);
	cs_loop(c, 1, "g", p->groups);
	pixel_loops(c, p->batch, p->out);
	buf_printf(o, "\t\tfloat acc[" CS_ROOM "%lld];\n\t\tfor (long o = 0; o < %lld; o++)\n\t\t\tacc[o] = ", oc, oc);
	buf_printf(o, b >= 0 ? "w%d[g * %lld + o];\n" : "0;\n", b, oc);
	conv_taps(c, p, transposed);
	buf_puts(o, "\t\tconst float *xi = ");
	pixel_at(c, "x", p->x_stride, "i");
	buf_printf(o, " + g * %lld;\n", (long long)p->ic);
	tap_weights(c, p, "float", w);
	buf_printf(o, "\t\tfor (long i = 0; i < %lld; i++)\n\t\t\tfor (long o = 0; o < %lld; o++)\n", (long long)p->ic, oc);
	buf_printf(o, "\t\t\t\tacc[o] += xi[i * %lld] * wi[i * %lld + o];\n%s", (long long)(p->x_channel ? p->x_channel : 1), oc,
		TAPS_END);
	buf_printf(o, "\t\tfor (long o = 0; o < %lld; o++) {\n\t\t\tfloat v = acc[o];\n", oc);
	if (p->has_residual) {
		buf_puts(o, "\t\t\tv += (");
		pixel_at(c, "r", p->r_stride, "o");
		buf_printf(o, ")[g * %lld + o];\n", oc);
	}
	clamp_text(c, p->lo, p->hi, p->hard_swish);
	buf_puts(o, "\t\t\t(");
	pixel_at(c, "y", p->y_stride, "o");
	buf_printf(o, ")[g * %lld + o] = v;\n\t\t}\n\t}\n", oc);
	return !p->post || cs_tile(c, p->post, 0);
}

bool cs_conv(CSource *c, const void *param)
{
	return conv_text(c, param, false);
}

bool cs_conv_transposed(CSource *c, const void *param)
{
	return conv_text(c, param, true);
}

/* One stage after the other. */
bool cs_chain(CSource *c, const void *param)
{
	bool ok = true;
	c->chain = param;
	for (c->stage = 0; ok && c->stage < c->chain->nstages; c->stage++) {
		buf_puts(&c->body, "\t{\n");
		ok = conv_text(c, c->chain->stage[c->stage], false);
		buf_puts(&c->body, "\t}\n\tBARRIER\n");
	}
	c->chain = NULL;
	return ok;
}

/* ---- weights of few bits ---- */

bool cs_blocks(CSource *c, const void *param)
{
	const ConvParam *p = param;
	const BlockWeights *w = NULL;
	for (size_t i = 0; i < c->plan->blocks.len; i++)
		if (c->plan->blocks.data[i].param == p)
			w = &c->plan->blocks.data[i].weights;
	if (!w)
		return cs_refuse(c, "its weights are packed only");
	long long bits = p->plan[0], block = p->plan[1], blocks = (p->ic - 1) / block + 1, column = blocks * block * bits / 8;
	int data = cs_numbers(c, DT_U8, w->data, p->oc * column), scale = cs_numbers(c, DT_F32, w->scale, p->oc * blocks);
	int zero = w->zero ? cs_numbers(c, DT_F32, w->zero, p->oc * blocks) : -1, bias = p->bias ? cs_numbers(c, DT_F32, p->bias, p->oc) : -1;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	if (p->has_residual)
		cs_declare(c, "r", 2, "float", p->r_offset, true);
	pixel_loops(c, p->batch, p->out);
	buf_puts(o, "\t\tconst float *xi = ");
	pixel_at(c, "x", p->x_stride, "o");
	buf_printf(o, ";\n\t\tfor (long o = 0; o < %lld; o++) {\n\t\t\tfloat v = ", (long long)p->oc);
	buf_printf(o, bias >= 0 ? "w%d[o];\n" : "0;\n", bias);
	buf_printf(o, "\t\t\tfor (long b = 0; b < %lld; b++) {\n\t\t\t\tconst uint8_t *q = w%d + o * %lld + b * %lld;\n", blocks, data, column,
		block * bits / 8);
	buf_printf(o, zero >= 0 ? "\t\t\t\tconst float zero = w%d[o * %lld + b];\n" : "\t\t\t\tconst float zero = %d;\n", zero >= 0 ? zero : 1 << (bits - 1), blocks);
	buf_printf(o, "\t\t\t\tfloat sum = 0;\n\t\t\t\tfor (long i = 0; i < %lld && b * %lld + i < %lld; i++)\n", block, block, (long long)p->ic);
	buf_printf(o, "\t\t\t\t\tsum += xi[b * %lld + i] * ((float)(%s) - zero);\n\t\t\t\tv += sum * w%d[o * %lld + b];\n\t\t\t}\n", block,
		bits == 4 ? "q[i / 2] >> i % 2 * 4 & 15" : "q[i]", scale, blocks);
	if (p->has_residual) {
		buf_puts(o, "\t\t\tv += (");
		pixel_at(c, "r", p->r_stride, "o");
		buf_puts(o, ")[o];\n");
	}
	clamp_text(c, p->lo, p->hi, false);
	buf_puts(o, "\t\t\t(");
	pixel_at(c, "y", p->y_stride, "o");
	buf_puts(o, ")[o] = v;\n\t\t}\n\t}\n");
	return !p->post || cs_tile(c, p->post, 0);
}

/* ---- convolutions of integers ---- */

static const CodeSource *integer_source(const CSource *c, const QConvParam *p)
{
	for (size_t i = 0; i < c->plan->code.len; i++)
		if (c->plan->code.data[i].param == p)
			return &c->plan->code.data[i];
	return NULL;
}

/* Differences from the zero points. */
static int integer_weights(CSource *c, const QConvParam *p, const QWeights *w)
{
	int64_t n = weight_count(&p->c), *channel = mem_alloc((size_t)(n + 1) * sizeof(*channel));
	int64_t *place = weight_places(&p->c, w->stride, false, channel);
	int16_t *v = mem_alloc((size_t)(n + 1) * sizeof(*v));
	for (int64_t i = 0; i < n; i++)
		v[i] = (int16_t)((w->is_signed ? ((const int8_t *)w->data)[place[i]] : ((const uint8_t *)w->data)[place[i]]) -
			w->zero[channel[i]]);
	int id = cs_numbers(c, DT_I16, v, n);
	mem_free(v);
	mem_free(place);
	mem_free(channel);
	return id;
}

/* acc[o], 32 bits, becomes the element of channel g * oc + o. */
static void finish_text(CSource *c, const QConvParam *p, const char *type)
{
	int64_t channels = p->c.groups * p->c.oc;
	long long oc = p->c.oc;
	int scale = p->scale ? cs_numbers(c, DT_F32, p->scale, channels) : -1, add = -1;
	if (p->finish == QFINISH_EXACT && p->bias)
		add = cs_numbers(c, DT_I32, p->bias, channels);
	else if (p->finish != QFINISH_EXACT && p->add)
		add = cs_numbers(c, DT_F32, p->add, channels);
	Buf *o = &c->body;
	buf_printf(o, "\t\tfor (long o = 0; o < %lld; o++) {\n", oc);
	const char *value = "(int32_t)acc[o]";
	if (p->finish == QFINISH_EXACT) {
		buf_puts(o, "\t\t\tdouble v = rint(((double)(int32_t)acc[o]");
		if (add >= 0)
			buf_printf(o, " + (double)w%d[g * %lld + o]", add, oc);
		buf_printf(o, ") * (double)w%d[g * %lld + o]) + %d;\n", scale, oc, p->y_zero);
		buf_printf(o, "\t\t\tv = v > %d ? v : %d;\n\t\t\tv = v < %d ? v : %d;\n", p->y_signed ? -128 : 0, p->y_signed ? -128 : 0,
			p->y_signed ? 127 : 255, p->y_signed ? 127 : 255);
		value = arena_printf(c->arena, "(%s)v", type);
	} else if (p->finish != QFINISH_INT) {
		buf_printf(o, "\t\t\tfloat v = (float)(int32_t)acc[o] * w%d[g * %lld + o]", scale, oc);
		buf_printf(o, add >= 0 ? " + w%d[g * %lld + o];\n" : ";\n", add, oc);
		clamp_text(c, p->lo, p->hi, false);
		value = p->finish == QFINISH_FLOAT ? "v" : arena_printf(c->arena, "(%s)((int)rintf(v) + %d)", type, p->y_zero);
	}
	if (p->c.post) {
		buf_printf(o, "\t\t\ty[(((n * %lld + od) * %lld + oh) * %lld + ow) * %lld + g * %lld + o] = %s;\n\t\t}\n\t}\n",
			(long long)p->c.out[0], (long long)p->c.out[1], (long long)p->c.out[2], (long long)channels, oc, value);
		return;
	}
	buf_puts(o, "\t\t\t(");
	pixel_at(c, "y", p->c.y_stride, "o");
	buf_printf(o, ")[g * %lld + o] = %s;\n\t\t}\n\t}\n", oc, value);
}

/* The program over sums that lie together: rows of all channels, where the kernel has rows of `pitch`. */
static bool integer_post(CSource *c, const QConvParam *p, const char *type, int64_t bytes)
{
	TileProgram *t = arena_dup(c->arena, p->c.post, sizeof(*t));
	for (int k = 0; k < t->noperands; k++)
		for (int d = 0; d + 1 < t->rank && t->operands[k].ptr == 1; d++)
			t->operands[k].stride[d] = t->operands[k].stride[d] / p->pitch * (p->c.groups * p->c.oc);
	c->sums = cs_between(c, type, true, 0, bytes);
	buf_puts(&c->body, "\tBARRIER\n");
	bool ok = cs_tile(c, t, 0);
	c->sums = NULL;
	return ok;
}

bool cs_integers(CSource *c, const void *param)
{
	const QConvParam *p = param;
	const CodeSource *s = integer_source(c, p);
	Buf *o = &c->body;
	long long oc = p->c.oc;
	if (!s)
		return cs_refuse(c, "its weights are packed only");
	const char *x_type = p->x_signed ? "int8_t" : "uint8_t";
	const char *y_type = p->finish == QFINISH_INT ? "int32_t" : p->finish == QFINISH_FLOAT ? "float" : p->y_signed ? "int8_t" : "uint8_t";
	int64_t bytes = p->c.batch * p->c.out[0] * p->c.out[1] * p->c.out[2] * p->c.groups * p->c.oc * 4;
	int w = integer_weights(c, p, &s->integers);
	if (p->c.post)
		buf_printf(o, "\t%s *y = %s;\n", y_type, cs_between(c, y_type, false, 0, bytes));
	else
		cs_declare(c, "y", 0, y_type, p->c.y_offset, false);
	cs_declare(c, "x", 1, x_type, p->c.x_offset, true);
	if (p->zero_ptr > 0)
		buf_printf(o, "\tconst int zero = *(%s);\n", cs_pointer(c, p->zero_ptr, x_type, true));
	else
		buf_printf(o, "\tconst int zero = %d;\n", p->x_zero);
	cs_loop(c, 1, "g", p->c.groups);
	pixel_loops(c, p->c.batch, p->c.out);
	buf_printf(o, "\t\tuint32_t acc[" CS_ROOM "%lld] = {0};\n", oc);
	conv_taps(c, &p->c, false);
	buf_printf(o, "\t\tconst %s *xi = ", x_type);
	pixel_at(c, "x", p->c.x_stride, "i");
	buf_printf(o, " + g * %lld;\n", (long long)p->c.ic);
	tap_weights(c, &p->c, "int16_t", w);
	buf_printf(o, "\t\tfor (long i = 0; i < %lld; i++)\n\t\t\tfor (long o = 0; o < %lld; o++)\n", (long long)p->c.ic, oc);
	buf_printf(o, "\t\t\t\tacc[o] += (uint32_t)((xi[i] - zero) * wi[i * %lld + o]);\n%s", oc, TAPS_END);
	finish_text(c, p, y_type);
	return !p->c.post || integer_post(c, p, y_type, bytes);
}

bool cs_range(CSource *c, const void *param)
{
	const RangeParam *p = param;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", 0, false);
	cs_declare(c, "z", 1, "uint8_t", 0, false);
	cs_declare(c, "x", 2, "float", p->x_offset, true);
	buf_puts(o, "\tfloat lo = 0, hi = 0;\n");
	cs_loop(c, 1, "i", p->n);
	buf_puts(o, "\t{\n\t\tlo = x[i] < lo ? x[i] : lo;\n\t\thi = x[i] > hi ? x[i] : hi;\n\t}\n"
		"\tconst float range = (float)((double)hi - (double)lo) / 255.0f, scale = range == 0 ? 1 : range;\n"
		"\tconst float zero = rintf((float)(-(double)lo / (double)scale));\n"
		"\t*y = scale;\n\t*z = (uint8_t)(zero > 0 ? zero < 255 ? zero : 255 : 0);\n");
	return true;
}

/* ---- products ---- */

static bool matmul_text(CSource *c, const MatmulParam *p, const char *type)
{
	Buf *o = &c->body;
	cs_declare(c, "y", 0, type, p->c_offset, false);
	cs_declare(c, "a", 1, type, p->a_offset, true);
	cs_declare(c, "b", 2, type, p->b_offset, true);
	cs_loops(c, 1, "b", 0, MATMUL_BATCH, p->batch);
	cs_loop(c, 1, "i", p->m);
	buf_printf(o, "\t{\n\t\t%s *yi = y", type);
	cs_index(c, o, "b", MATMUL_BATCH, p->c_batch);
	buf_printf(o, " + i * %lld;\n\t\tconst %s *ai = a", (long long)p->c_row, type);
	cs_index(c, o, "b", MATMUL_BATCH, p->a_batch);
	buf_printf(o, " + i * %lld;\n\t\tconst %s *bi = b", (long long)p->a_row, type);
	cs_index(c, o, "b", MATMUL_BATCH, p->b_batch);
	buf_printf(o, ";\n\t\t%s acc[" CS_ROOM "%lld] = {0};\n\t\tfor (long k = 0; k < %lld; k++)\n\t\t\tfor (long j = 0; j < %lld; j++)\n",
		type, (long long)p->n, (long long)p->k, (long long)p->n);
	buf_printf(o, "\t\t\t\tacc[j] += ai[k * %lld] * bi[k * %lld + j * %lld];\n", (long long)p->a_col, (long long)p->b_row,
		(long long)p->b_col);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tyi[j] = acc[j] * ", (long long)p->n);
	cs_float(c, o, p->alpha);
	buf_puts(o, ";\n\t}\n");
	return !p->post || cs_tile(c, p->post, 0);
}

bool cs_matmul(CSource *c, const void *param)
{
	return matmul_text(c, param, "float");
}

bool cs_matmul64(CSource *c, const void *param)
{
	return matmul_text(c, param, "double");
}

/* ---- pools, resampling ---- */

bool cs_pool(CSource *c, const void *param)
{
	const PoolParam *p = param;
	Buf *o = &c->body;
	Window w = { .kernel = p->kernel, .stride = p->stride, .dilation = p->dilation, .pad = p->pad };
	for (int d = 0; d < 3; d++) {
		w.low[d] = p->count_padding ? -p->pad[d] : 0;
		w.high[d] = p->in[d] + (p->count_padding ? p->pad_end[d] : 0);
	}
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	pixel_loops(c, p->batch, p->out);
	buf_printf(o, "\t\tfloat acc[" CS_ROOM "%lld];\n\t\tlong count = 0;\n", (long long)p->channels);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tacc[j] = %s;\n", (long long)p->channels,
		p->average ? "0" : "-INFINITY");
	tap_loops(c, &w);
	buf_puts(o, "\t\tcount++;\n");
	if (p->count_padding)
		buf_printf(o, "\t\tif (id < 0 || id >= %lld || ih < 0 || ih >= %lld || iw < 0 || iw >= %lld)\n\t\t\tcontinue;\n",
			(long long)p->in[0], (long long)p->in[1], (long long)p->in[2]);
	buf_puts(o, "\t\tconst float *xi = ");
	pixel_at(c, "x", p->x_stride, "i");
	buf_printf(o, ";\n\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tacc[j] = %s;\n%s", (long long)p->channels,
		p->average ? "acc[j] + xi[j]" : "xi[j] > acc[j] || xi[j] != xi[j] ? xi[j] : acc[j]", TAPS_END);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\t(", (long long)p->channels);
	pixel_at(c, "y", p->y_stride, "o");
	buf_printf(o, ")[j] = acc[j]%s;\n\t\t(void)count;\n\t}\n", p->average ? " / (float)count" : "");
	return true;
}

/* Arrays of the taps of each output position. */
static void resize_tables(CSource *c, const ResizeParam *p)
{
	Buf *o = &c->body;
	for (int d = 0; d < 3; d++) {
		int64_t n = p->out[d] * p->taps[d];
		buf_printf(o, "\tstatic const long i%c_of[%lld] = {", "dhw"[d], (long long)n);
		for (int64_t i = 0; i < n; i++)
			buf_printf(o, "%s%d", i ? "," : "", p->index[d][i]);
		buf_printf(o, "};\n\tstatic const float f%c_of[%lld] = {", "dhw"[d], (long long)n);
		for (int64_t i = 0; i < n; i++) {
			buf_puts(o, i ? "," : "");
			cs_float(c, o, p->weight[d][i]);
		}
		buf_puts(o, "};\n");
	}
}

bool cs_resize(CSource *c, const void *param)
{
	const ResizeParam *p = param;
	Buf *o = &c->body;
	resize_tables(c, p);
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	pixel_loops(c, p->batch, p->out);
	buf_printf(o, "\t\tfloat acc[" CS_ROOM "%lld] = {0};\n", (long long)p->channels);
	for (int d = 0; d < 3; d++)
		cs_loop(c, 2, arena_printf(c->arena, "k%c", "dhw"[d]), p->taps[d]);
	buf_printf(o, "\t\t{\n\t\tconst long id = id_of[od * %d + kd], ih = ih_of[oh * %d + kh], iw = iw_of[ow * %d + kw];\n", p->taps[0],
		p->taps[1], p->taps[2]);
	buf_printf(o, "\t\tconst float f = fd_of[od * %d + kd] * fh_of[oh * %d + kh] * fw_of[ow * %d + kw];\n\t\tconst float *xi = ",
		p->taps[0], p->taps[1], p->taps[2]);
	pixel_at(c, "x", p->x_stride, "i");
	buf_printf(o, ";\n\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tacc[j] += f * xi[j];\n\t\t(void)id;\n\t\t(void)ih;\n\t\t}\n",
		(long long)p->channels);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\t(", (long long)p->channels);
	pixel_at(c, "y", p->y_stride, "o");
	buf_puts(o, ")[j] = acc[j];\n\t}\n");
	return true;
}
