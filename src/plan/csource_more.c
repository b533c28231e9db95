/* Steps as C: rows, reductions, movement, attention, recurrent layers, ops along one axis, by index, and samples of images. */
#include "plan/csource_int.h"

#include <math.h>

/* ---- rows, reductions ---- */

bool cs_row(CSource *c, const void *param)
{
	const RowParam *p = param;
	Buf *o = &c->body;
	int next = 2;
	bool norm = p->kind == ROW_LAYER_NORM || p->kind == ROW_RMS_NORM;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	if (p->has_scale)
		cs_declare(c, "s", next++, "float", p->scale_offset, true);
	if (p->has_bias)
		cs_declare(c, "b", next++, "float", p->bias_offset, true);
	cs_loops(c, 1, "q", 0, 4, p->outer);
	buf_puts(o, "\t{\n\t\tconst float *xi = x");
	cs_index(c, o, "q", 4, p->x_outer);
	buf_puts(o, ";\n\t\tfloat *yi = y");
	cs_index(c, o, "q", 4, p->y_outer);
	buf_puts(o, ";\n");
	char *each = arena_printf(c->arena, "\t\tfor (long i = 0; i < %lld; i++)\n\t\t\t", (long long)p->n);
	char *xv = arena_printf(c->arena, "xi[i * %lld]", (long long)p->x_stride), *yv = arena_printf(c->arena, "yi[i * %lld]",
		(long long)p->y_stride);
	if (norm) {
		buf_puts(o, "\t\tfloat mean = 0, var = 0;\n");
		if (p->kind == ROW_LAYER_NORM)
			buf_printf(o, "%smean += %s;\n\t\tmean /= %lld;\n", each, xv, (long long)p->n);
		buf_printf(o, "%svar += (%s - mean) * (%s - mean);\n\t\tconst float inv = 1.0f / sqrtf(var / %lld + ", each,
			xv, xv, (long long)p->n);
		cs_float(c, o, p->epsilon);
		buf_printf(o, ");\n%s%s = (%s - mean) * inv%s%s;\n\t}\n", each, yv, xv, p->has_scale ? " * s[i]" : "",
			p->has_bias ? " + b[i]" : "");
		return true;
	}
	buf_printf(o, "\t\tfloat max = -INFINITY, sum = 0;\n%smax = %s > max || %s != %s ? %s : max;\n", each, xv, xv, xv, xv);
	buf_printf(o, "%ssum += expf(%s - max);\n", each, xv);
	if (p->kind == ROW_SOFTMAX)
		buf_printf(o, "%s%s = expf(%s - max) / sum;\n\t}\n", each, yv, xv);
	else
		buf_printf(o, "\t\tconst float l = logf(sum);\n%s%s = %s - max - l;\n\t}\n", each, yv, xv);
	return true;
}

bool cs_reduce(CSource *c, const void *param)
{
	const ReduceParam *p = param;
	static const char *const START[] = { "0", "-INFINITY", "INFINITY", "1", "0", "0" };
	static const char *const EACH[] = { "acc + v", "v > acc || v != v ? v : acc", "v < acc || v != v ? v : acc",
		"acc * v", "acc + v * v",
		"acc + fabsf(v)" };
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	cs_loops(c, 1, "q", 0, p->nkept, p->kept);
	buf_printf(o, "\t{\n\t\tfloat acc = %s;\n", START[p->combine]);
	cs_loops(c, 2, "p", 0, p->nreduced, p->reduced);
	buf_puts(o, "\t\t{\n\t\t\tconst float v = x[0");
	cs_index(c, o, "q", p->nkept, p->x_kept);
	cs_index(c, o, "p", p->nreduced, p->x_reduced);
	buf_printf(o, "];\n\t\t\tacc = %s;\n\t\t}\n\t\ty[0", EACH[p->combine]);
	cs_index(c, o, "q", p->nkept, p->y_kept);
	int64_t count = 1;
	for (int d = 0; d < p->nreduced; d++)
		count *= p->reduced[d];
	buf_puts(o, "] = acc * ");
	if (p->scale != 1.0f && p->scale == 1.0f / (float)count)
		buf_printf(o, "(1.0f / %lld)", (long long)count);
	else
		cs_float(c, o, p->scale);
	buf_puts(o, ";\n\t}\n");
	return true;
}

/* ---- movement ---- */

static const char *size_type(int bytes)
{
	return bytes == 1 ? "uint8_t" : bytes == 2 ? "uint16_t" : bytes == 4 ? "uint32_t" : "uint64_t";
}

bool cs_copy(CSource *c, const void *param)
{
	const CopyParam *p = param;
	if (p->elem > 8)
		return cs_refuse(c, "complex elements");
	Buf *o = &c->body;
	const char *type = size_type(p->elem);
	cs_declare(c, "y", 0, type, p->y_offset, false);
	cs_declare(c, "x", 1, type, p->x_offset, true);
	cs_loops(c, 1, "q", 0, p->rank, p->dims);
	buf_puts(o, "\t\ty[0");
	cs_index(c, o, "q", p->rank, p->y_stride);
	buf_puts(o, "] = x[0");
	cs_index(c, o, "q", p->rank, p->x_stride);
	buf_puts(o, "];\n");
	return true;
}

bool cs_gather(CSource *c, const void *param)
{
	const GatherParam *p = param;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "uint8_t", 0, false);
	cs_declare(c, "x", 1, "uint8_t", 0, true);
	cs_declare(c, "index", 2, p->index64 ? "int64_t" : "int32_t", 0, true);
	cs_loop(c, 1, "q", p->outer);
	cs_loop(c, 1, "i", p->n);
	buf_printf(o, "\t{\n\t\tint64_t at = index[i] < 0 ? index[i] + %lld : index[i];\n", (long long)p->rows);
	buf_printf(o, "\t\tif (at < 0 || at >= %lld) {\n\t\t\tfault = 1;\n\t\t\tat = 0;\n\t\t}\n", (long long)p->rows);
	buf_printf(o, "\t\tmemcpy(y + q * %lld + i * %lld, x + q * %lld + at * %lld, %lld);\n\t}\n", (long long)p->y_outer,
		(long long)p->inner, (long long)p->x_outer, (long long)p->inner, (long long)p->inner);
	return true;
}

/* ---- attention ---- */

/* "float *NAME = FROM + i0 * .. + i1 * .. + i2 * .." for the batch dims. */
static void batch_pointer(CSource *c, const char *name, const char *from, const int64_t *stride, const char *more)
{
	buf_printf(&c->body, "\t\t%sfloat *%s = %s", *name == 'y' ? "" : "const ", name, from);
	cs_index(c, &c->body, "i", MATMUL_BATCH, stride);
	buf_printf(&c->body, "%s;\n", more);
}

static char *times(CSource *c, const char *var, int64_t n)
{
	return arena_printf(c->arena, " + %s * %lld", var, (long long)n);
}

/* The row of scores becomes exponentials. */
static void attention_softmax(CSource *c, const AttentionParam *p)
{
	Buf *o = &c->body;
	buf_printf(o, "\t\tfor (long t = 0; t < %lld; t++) {\n", (long long)p->n);
	if (p->has_bias)
		buf_printf(o, "\t\t\ts[t] += bi[t * %lld];\n", (long long)p->bias_col);
	if (p->first_key != INT64_MIN)
		buf_printf(o, "\t\t\tif (t < i3 + %lld)\n\t\t\t\ts[t] -= INFINITY;\n", (long long)p->first_key);
	if (p->last_key != INT64_MAX)
		buf_printf(o, "\t\t\tif (t > i3 + %lld)\n\t\t\t\ts[t] -= INFINITY;\n", (long long)p->last_key);
	buf_puts(o, "\t\t\tmax = s[t] > max || s[t] != s[t] ? s[t] : max;\n\t\t}\n\t\tif (max == -INFINITY)\n\t\t\tmax = 0;\n");
	buf_printf(o, "\t\tfor (long t = 0; t < %lld; t++)\n\t\t\tsum += s[t] = expf(s[t] - max);\n", (long long)p->n);
	buf_printf(o, "\t\tconst float f = sum == 0 ? %s : 1.0f / sum;\n", p->zero_masked ? "0.0f" : "NAN");
}

/* One row of scores at a time. */
bool cs_attention(CSource *c, const void *param)
{
	const AttentionParam *p = param;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "q", 1, "float", p->q_offset, true);
	cs_declare(c, "k", 2, "float", p->k_offset, true);
	cs_declare(c, "v", 3, "float", p->v_offset, true);
	if (p->has_bias)
		cs_declare(c, "b", 4, "float", p->bias_offset, true);
	cs_loops(c, 1, "i", 0, MATMUL_BATCH, p->batch);
	cs_loop(c, 1, "i3", p->m);
	buf_printf(o, "\t{\n\t\tstatic float s[" CS_ROOM "%lld];\n\t\tfloat max = -INFINITY, sum = 0;\n", (long long)p->n);
	batch_pointer(c, "qi", "q", p->q_batch, times(c, "i3", p->q_row));
	batch_pointer(c, "ki", "k", p->k_batch, "");
	batch_pointer(c, "vi", "v", p->v_batch, "");
	batch_pointer(c, "yi", "y", p->y_batch, times(c, "i3", p->y_row));
	if (p->has_bias)
		batch_pointer(c, "bi", "b", p->bias_batch, times(c, "i3", p->bias_row));
	buf_printf(o, "\t\tfor (long t = 0; t < %lld; t++) {\n\t\t\tfloat a = 0;\n\t\t\tfor (long e = 0; e < %lld; e++)\n", (long long)p->n,
		(long long)p->size);
	buf_printf(o, "\t\t\t\ta += qi[e * %lld] * ki[t * %lld + e * %lld];\n\t\t\ts[t] = a * ", (long long)p->q_col,
		(long long)p->k_row, (long long)p->k_col);
	cs_float(c, o, p->scale);
	buf_puts(o, ";\n\t\t}\n");
	c->row = "s";
	bool ok = !p->post || cs_tile(c, p->post, p->post->rank - 1);
	c->row = NULL;
	attention_softmax(c, p);
	buf_printf(o, "\t\tfor (long e = 0; e < %lld; e++)\n\t\t\tyi[e] = 0;\n", (long long)p->value_size);
	buf_printf(o, "\t\tfor (long t = 0; t < %lld; t++)\n\t\t\tfor (long e = 0; e < %lld; e++)\n", (long long)p->n,
		(long long)p->value_size);
	buf_printf(o, "\t\t\t\tyi[e] += s[t] * vi[t * %lld + e * %lld];\n", (long long)p->v_row, (long long)p->v_col);
	buf_printf(o, "\t\tfor (long e = 0; e < %lld; e++)\n\t\t\tyi[e] *= f;\n\t}\n", (long long)p->value_size);
	return ok;
}

/* ---- recurrent layers ---- */

/* y rows of `pitch` floats from `offset` on: [bias] + x W. */
static void emit_product(CSource *c, const ConvParam *p, const char *y, int64_t offset, int64_t pitch, const char *x)
{
	Buf *o = &c->body;
	int w = cs_weights(c, p, false), b = p->bias ? cs_numbers(c, DT_F32, p->bias, p->oc) : -1;
	buf_printf(o, "\t\tfor (long q = 0; q < %lld; q++) {\n\t\t\tfloat *yi = %s + q * %lld + %lld;\n", (long long)p->batch * p->in[0] *
		p->in[1] * p->in[2], y, (long long)pitch, (long long)offset);
	buf_printf(o, "\t\t\tfor (long k = 0; k < %lld; k++)\n\t\t\t\tyi[k] = ", (long long)p->oc);
	buf_printf(o, b >= 0 ? "w%d[k];\n" : "0;\n", b);
	buf_printf(o, "\t\t\tfor (long i = 0; i < %lld; i++)\n\t\t\t\tfor (long k = 0; k < %lld; k++)\n", (long long)p->ic, (long long)p->oc);
	buf_printf(o, "\t\t\t\t\tyi[k] += %s[q * %lld + i] * w%d[i * %lld + k];\n\t\t}\n", x, (long long)p->ic, w, (long long)p->oc);
}

static const char CELL_LSTM[] =
	"\t\t\tconst float fi = 1.0f / (1.0f + expf(-(gi[k] + zi[k]))), fo = 1.0f / (1.0f + expf(-(gi[n + k] + zi[n + k])));\n"
	"\t\t\tconst float ff = 1.0f / (1.0f + expf(-(gi[2 * n + k] + zi[2 * n + k])));\n"
	"\t\t\tci[k] = ff * ci[k] + fi * tanhf(gi[3 * n + k] + zi[3 * n + k]);\n"
	"\t\t\thi[k] = fo * tanhf(ci[k]);\n";
static const char CELL_GRU_LINEAR[] =
	"\t\t\tconst float fz = 1.0f / (1.0f + expf(-(gi[k] + zi[k]))), fr = 1.0f / (1.0f + expf(-(gi[n + k] + zi[n + k])));\n"
	"\t\t\thi[k] = (1.0f - fz) * tanhf(zi[2 * n + k] + fr * gi[2 * n + k]) + fz * hi[k];\n";
static const char CELL_GRU_GATES[] =
	"\t\t\tgi[k] = 1.0f / (1.0f + expf(-(gi[k] + zi[k])));\n"
	"\t\t\tri[k] = hi[k] / (1.0f + expf(-(gi[n + k] + zi[n + k])));\n";
static const char CELL_GRU[] =
	"\t\t\thi[k] = (1.0f - gi[k]) * tanhf(gi[2 * n + k] + zi[2 * n + k]) + gi[k] * hi[k];\n";
static const char CELL_TANH[] = "\t\t\thi[k] = tanhf(gi[k] + zi[k]);\n";
static const char CELL_RELU[] = "\t\t\thi[k] = gi[k] + zi[k] < 0 ? 0 : gi[k] + zi[k];\n";

/* For each batch entry and unit. */
static void emit_cells(CSource *c, const RnnParam *p, const char *text)
{
	int64_t gates = p->kind == RNN_LSTM ? 4 : p->kind == RNN_GRU ? 3 : 1;
	buf_printf(&c->body, "\t\tfor (long b = 0; b < %lld; b++) {\n\t\t\tfloat *hi = h + b * n, *gi = g + b * n * %lld, *ci = s + b * n, *ri = r + b * n;\n",
		(long long)p->batch, (long long)gates);
	buf_printf(&c->body, "\t\t\tconst float *zi = z + t * %lld + b * %lld;\n\t\t\t(void)ci;\n\t\t\t(void)ri;\n\t\t\t(void)zi;\n",
		(long long)p->z_step, (long long)p->z_batch);
	buf_printf(&c->body, "\t\t\tfor (long k = 0; k < n; k++) {\n%s\t\t\t}\n\t\t}\n", text);
}

static void copy_state(CSource *c, const RnnParam *p, const char *to, int64_t to_step, const char *from, int64_t from_step)
{
	buf_printf(&c->body, "\tfor (long b = 0; b < %lld; b++)\n\t\tfor (long k = 0; k < n; k++)\n\t\t\t%s[b * %lld + k] = ",
		(long long)p->batch, to, (long long)to_step);
	if (from)
		buf_printf(&c->body, "%s[b * %lld + k];\n", from, (long long)from_step);
	else
		buf_puts(&c->body, "0;\n");
}

bool cs_rnn(CSource *c, const void *param)
{
	const RnnParam *p = param;
	Buf *o = &c->body;
	int64_t gates = p->kind == RNN_LSTM ? 4 : p->kind == RNN_GRU ? 3 : 1, n = p->hidden;
	if (p->cell_only)
		return cs_refuse(c, "a layer that was cut into its steps");
	buf_printf(o, "\tconst long n = %lld;\n\tstatic float h[" CS_ROOM "%lld], s[" CS_ROOM "%lld], r[" CS_ROOM "%lld], g[" CS_ROOM "%lld];\n", (long long)n, (long long)(p->batch * n),
		(long long)(p->batch * n), (long long)(p->batch * n), (long long)(p->batch * n * gates));
	cs_declare(c, "z", 1, "float", p->z_offset, true);
	if (p->has_y)
		cs_declare(c, "y", 0, "float", p->y_offset, false);
	if (p->has_h0)
		cs_declare(c, "h0", 2, "float", p->h0_offset, true);
	if (p->has_c0)
		cs_declare(c, "c0", 3, "float", p->c0_offset, true);
	copy_state(c, p, "h", n, p->has_h0 ? "h0" : NULL, p->h0_batch);
	copy_state(c, p, "s", n, p->has_c0 ? "c0" : NULL, p->c0_batch);
	buf_printf(o, "\tfor (long step = 0; step < %lld; step++) {\n\t\tconst long t = %s;\n", (long long)p->steps,
		p->reverse ? arena_printf(c->arena, "%lld - step", (long long)p->steps - 1) : "step");
	emit_product(c, &p->product, "g", 0, gates * n, "h");
	if (p->kind == RNN_GRU && !p->linear_before_reset) {
		emit_cells(c, p, CELL_GRU_GATES);
		emit_product(c, &p->reset_product, "g", 2 * n, gates * n, "r");
		emit_cells(c, p, CELL_GRU);
	} else {
		emit_cells(c, p, p->kind == RNN_LSTM ? CELL_LSTM : p->kind == RNN_GRU ? CELL_GRU_LINEAR : p->relu ? CELL_RELU : CELL_TANH);
	}
	if (p->has_y)
		copy_state(c, p, arena_printf(c->arena, "(y + t * %lld)", (long long)p->y_step), p->y_batch, "h", n);
	buf_puts(o, "\t}\n");
	if (p->has_y_h) {
		cs_declare(c, "yh", 4, "float", p->h_offset, false);
		copy_state(c, p, "yh", p->h_batch, "h", n);
	}
	if (p->has_y_c) {
		cs_declare(c, "yc", 5, "float", p->c_offset, false);
		copy_state(c, p, "yc", p->c_batch, "s", n);
	}
	return true;
}

/* ---- along one axis ---- */

/* "a before b": whether element a is to be taken rather than b. */
static char *better_text(CSource *c, const LaneParam *p, const char *a, const char *b)
{
	const char *sign = p->smallest ? "<" : ">";
	if (!dtype_is_float((DType)p->dtype))
		return arena_printf(c->arena, "%s %s %s", a, sign, b);
	return arena_printf(c->arena, "%s %s %s || (%s != %s && %s == %s)", a, sign, b, a, a, b, b);
}

static void emit_extreme(CSource *c, const LaneParam *p)
{
	buf_printf(&c->body, "\t\tlong best = 0;\n\t\tfor (long i = 1; i < %lld; i++) {\n\t\t\tconst %s v = xi[i * %lld], w = xi[best * %lld];\n",
		(long long)p->size, cs_type((DType)p->dtype), (long long)p->inner, (long long)p->inner);
	if (p->last)
		buf_printf(&c->body, "\t\t\tif (!(%s))\n\t\t\t\tbest = i;\n\t\t}\n", better_text(c, p, "w", "v"));
	else
		buf_printf(&c->body, "\t\t\tif (%s)\n\t\t\t\tbest = i;\n\t\t}\n", better_text(c, p, "v", "w"));
	buf_printf(&c->body, "\t\ty[o * %lld + j] = best;\n", (long long)p->inner);
}

/* Insertion into the list of the best so far; equal elements stay in order. */
static void emit_top(CSource *c, const LaneParam *p)
{
	Buf *o = &c->body;
	buf_printf(o, "\t\tstatic long at[" CS_ROOM "%lld];\n\t\tlong have = 0;\n\t\tfor (long i = 0; i < %lld; i++) {\n\t\t\tconst %s v = xi[i * %lld];\n",
		(long long)p->k, (long long)p->size, cs_type((DType)p->dtype), (long long)p->inner);
	buf_printf(o, "\t\t\tlong q = have;\n\t\t\twhile (q > 0) {\n\t\t\t\tconst %s w = xi[at[q - 1] * %lld];\n", cs_type((DType)p->dtype),
		(long long)p->inner);
	buf_printf(o, "\t\t\t\tif (!(%s))\n\t\t\t\t\tbreak;\n\t\t\t\tif (q < %lld)\n\t\t\t\t\tat[q] = at[q - 1];\n\t\t\t\tq--;\n\t\t\t}\n",
		better_text(c, p, "v", "w"), (long long)p->k);
	buf_printf(o, "\t\t\tif (q < %lld)\n\t\t\t\tat[q] = i;\n\t\t\tif (have < %lld)\n\t\t\t\thave++;\n\t\t}\n", (long long)p->k, (long long)p->k);
	buf_printf(o, "\t\tfor (long i = 0; i < %lld; i++) {\n\t\t\ty[(o * %lld + i) * %lld + j] = xi[at[i] * %lld];\n", (long long)p->k,
		(long long)p->k, (long long)p->inner, (long long)p->inner);
	buf_printf(o, "\t\t\twhere[(o * %lld + i) * %lld + j] = at[i];\n\t\t}\n", (long long)p->k, (long long)p->inner);
}

static void emit_running(CSource *c, const LaneParam *p)
{
	const char *type = cs_type((DType)p->dtype), *wide = p->dtype == DT_F32 ? "double" : "uint64_t";
	buf_printf(&c->body, "\t\t%s sum = %d;\n\t\tfor (long i = 0; i < %lld; i++) {\n", wide, p->kind == LANE_PRODUCT, (long long)p->size);
	buf_printf(&c->body, "\t\t\tconst long at = (o * %lld + %s) * %lld + j;\n", (long long)p->size,
		p->reverse ? arena_printf(c->arena, "%lld - i", (long long)p->size - 1) : "i", (long long)p->inner);
	buf_printf(&c->body, "\t\t\tconst %s next = sum %c (%s)x[at];\n\t\t\ty[at] = (%s)%s;\n\t\t\tsum = next;\n\t\t}\n", wide,
		p->kind == LANE_PRODUCT ? '*' : '+', wide, type, p->exclusive ? "sum" : "next");
}

bool cs_lanes(CSource *c, const void *param)
{
	const LaneParam *p = param;
	const char *type = cs_type((DType)p->dtype);
	bool top = p->kind == LANE_TOP;
	cs_declare(c, "y", 0, p->kind == LANE_ARG ? "int64_t" : type, 0, false);
	if (top)
		cs_declare(c, "where", 1, "int64_t", 0, false);
	cs_declare(c, "x", top ? 2 : 1, type, 0, true);
	cs_loop(c, 1, "o", p->outer);
	cs_loop(c, 1, "j", p->inner);
	buf_puts(&c->body, "\t{\n");
	if (p->kind == LANE_ARG || top)
		buf_printf(&c->body, "\t\tconst %s *xi = x + o * %lld + j;\n", type, (long long)(p->size * p->inner));
	if (p->kind == LANE_ARG)
		emit_extreme(c, p);
	else if (top)
		emit_top(c, p);
	else
		emit_running(c, p);
	buf_puts(&c->body, "\t}\n");
	return true;
}

/* ---- by index ---- */

bool cs_index_step(CSource *c, const void *param)
{
	const IndexParam *p = param;
	static const char *const COMBINE[] = { "u[k]", "v[k] + u[k]", "v[k] * u[k]", "v[k] != v[k] ? v[k] : u[k] < v[k] || u[k] != u[k] ? u[k] : v[k]",
		"v[k] != v[k] ? v[k] : u[k] > v[k] || u[k] != u[k] ? u[k] : v[k]" };
	Buf *o = &c->body;
	const char *type = p->combine == SCATTER_SET ? p->elem == 1 ? "uint8_t" : p->elem == 2 ? "uint16_t" : p->elem == 4 ? "uint32_t"
		: p->elem == 8 ? "uint64_t" : NULL : cs_type((DType)p->dtype);
	if (!type)
		return cs_refuse(c, "elements of this type");
	cs_declare(c, "y", 0, type, 0, false);
	cs_declare(c, "x", 1, type, 0, true);
	cs_declare(c, "index", 2, p->index64 ? "int64_t" : "int32_t", 0, true);
	cs_loop(c, 1, "r", p->rows);
	buf_puts(o, "\t{\n\t\tint64_t at = 0, ok = 1;\n");
	int64_t step = 1;
	for (int d = p->rank - 1; d >= 0; d--) {
		if (p->stride[d])
			buf_printf(o, "\t\tat += r / %lld %% %lld * %lld;\n", (long long)step, (long long)p->at[d], (long long)p->stride[d]);
		step *= p->at[d];
	}
	for (int d = 0; d < p->depth; d++)
		buf_printf(o, "\t\t{\n\t\t\tint64_t i = index[r * %d + %d];\n\t\t\ti += i < 0 ? %lld : 0;\n\t\t\tok &= i >= 0 && i < %lld;\n\t\t\tat += i * %lld;\n\t\t}\n",
			p->depth, d, (long long)p->index_size[d], (long long)p->index_size[d], (long long)p->index_stride[d]);
	buf_puts(o, "\t\tif (!ok) {\n\t\t\tfault = 1;\n\t\t\tcontinue;\n\t\t}\n");
	if (p->scatter)
		buf_printf(o, "\t\t%s *v = y + at;\n\t\tconst %s *u = x + r * %lld;\n", type, type, (long long)p->inner);
	else
		buf_printf(o, "\t\t%s *v = y + r * %lld;\n\t\tconst %s *u = x + at;\n", type, (long long)p->inner, type);
	buf_printf(o, "\t\tfor (long k = 0; k < %lld; k++)\n\t\t\tv[k] = %s;\n\t}\n", (long long)p->inner, COMBINE[p->combine]);
	return true;
}

/* ---- samples ---- */

static const char GRID_DIM[] =
	"static double fold(double x, double low, double high)\n{\n"
	"\tconst double range = high - low, away = x < low ? low - x : x - high;\n"
	"\tif (!(range > 0))\n\t\treturn low;\n"
	"\tif (x >= low && x <= high)\n\t\treturn x;\n"
	"\tconst double rest = fmod(away, range);\n"
	"\treturn (x < low) == (fmod(floor(away / range), 2) == 0) ? low + rest : high - rest;\n}\n\n"
	"static long tap(double i, double n, int pad, int align)\n{\n"
	"\tif (pad == 2)\n\t\ti = trunc(fold(i, align ? 0 : -0.5, align ? n - 1 : n - 0.5));\n"
	"\telse if (pad == 0 && !(i >= 0 && i <= n - 1))\n\t\treturn -1;\n"
	"\treturn i > 0 ? i < n - 1 ? (long)i : (long)n - 1 : 0;\n}\n\n"
	"static void taps(double v, double n, int mode, int pad, int align, long *index, double *weight)\n{\n"
	"\tconst double low = align ? 0 : -0.5, high = align ? n - 1 : n - 0.5, a = -0.75;\n"
	"\tdouble x = align ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;\n"
	"\tif (mode == 0)\n\t\tx = rint(x);\n"
	"\tif (x < low || x > high) {\n"
	"\t\tif (pad == 1)\n\t\t\tx = x < 0 ? 0 : x > n - 1 ? n - 1 : x;\n"
	"\t\telse if (pad == 2)\n\t\t\tx = fold(x, low, high);\n\t}\n"
	"\tconst double base = mode == 0 ? trunc(x) : floor(x), f = mode == 0 ? 0 : x - base;\n"
	"\tif (mode < 2) {\n"
	"\t\tindex[0] = tap(base, n, pad, align);\n\t\tweight[0] = 1 - f;\n"
	"\t\tindex[1] = mode == 0 ? -1 : tap(base + 1, n, pad, align);\n\t\tweight[1] = f;\n\t\treturn;\n\t}\n"
	"\tweight[0] = ((a * (f + 1) - 5 * a) * (f + 1) + 8 * a) * (f + 1) - 4 * a;\n"
	"\tweight[1] = ((a + 2) * f - (a + 3)) * f * f + 1;\n"
	"\tweight[2] = ((a + 2) * (1 - f) - (a + 3)) * (1 - f) * (1 - f) + 1;\n"
	"\tweight[3] = ((a * (2 - f) - 5 * a) * (2 - f) + 8 * a) * (2 - f) - 4 * a;\n"
	"\tfor (int i = 0; i < 4; i++)\n\t\tindex[i] = tap(base - 1 + i, n, pad, align);\n}\n";

bool cs_grid(CSource *c, const void *param)
{
	const GridParam *p = param;
	Buf *o = &c->body;
	int count = p->form.mode == 0 ? 1 : p->form.mode == 1 ? 2 : 4;
	int64_t size = 1;
	for (int d = 0; d < p->rank; d++)
		size *= p->in[d];
	if (!c->has_grid)
		buf_puts(&c->data, GRID_DIM);
	c->has_grid = true;
	cs_declare(c, "y", 0, "float", 0, false);
	cs_declare(c, "x", 1, "float", 0, true);
	cs_declare(c, "grid", 2, "float", 0, true);
	cs_loop(c, 1, "n", p->batch);
	cs_loop(c, 1, "q", p->points);
	buf_printf(o, "\t{\n\t\tconst float *v = grid + (n * %lld + q) * %d;\n\t\tlong index[3][4] = {{0}};\n\t\tdouble weight[3][4] = {{1}, {1}, {1}};\n",
		(long long)p->points, p->rank);
	for (int d = 0; d < p->rank; d++)
		buf_printf(o, "\t\ttaps(v[%d], %lld, %d, %d, %d, index[%d], weight[%d]);\n", p->rank - 1 - d, (long long)p->in[d], p->form.mode,
			p->form.pad, p->form.align, d, d);
	cs_loop(c, 2, "j", p->channels);
	buf_printf(o, "\t\t{\n\t\t\tconst float *xi = x + (n * %lld + j) * %lld;\n\t\t\tdouble sum = 0;\n", (long long)p->channels, (long long)size);
	for (int d = 0; d < 3; d++)
		cs_loop(c, 3, (const char *[]){ "a", "b", "e" }[d], d < p->rank ? count : 1);
	buf_printf(o, "\t\t\t\tif (index[0][a] >= 0 && index[1][b] >= 0 && index[2][e] >= 0)\n\t\t\t\t\tsum += weight[0][a] * weight[1][b] * weight[2][e] *\n"
		"\t\t\t\t\t\txi[(index[0][a] * %lld + index[1][b]) * %lld + index[2][e]];\n", (long long)(p->rank > 1 ? p->in[1] : 1),
		(long long)(p->rank > 2 ? p->in[2] : 1));
	buf_printf(o, "\t\t\ty[(n * %lld + j) * %lld + q] = (float)sum;\n\t\t}\n\t}\n", (long long)p->channels, (long long)p->points);
	return true;
}

static const char ROI_SAMPLE[] =
	"\t\t\tif (!(yy >= -1 && yy <= H && xx >= -1 && xx <= W))\n\t\t\t\tf = 0;\n"
	"\t\t\tyy = f == 0 || yy < 0 ? 0 : yy;\n\t\t\txx = f == 0 || xx < 0 ? 0 : xx;\n"
	"\t\t\tlong y0 = (long)yy, x0 = (long)xx, y1 = y0 + 1, x1 = x0 + 1;\n"
	"\t\t\tif (y0 >= H - 1) {\n\t\t\t\ty0 = y1 = H - 1;\n\t\t\t\tyy = (double)y0;\n\t\t\t}\n"
	"\t\t\tif (x0 >= W - 1) {\n\t\t\t\tx0 = x1 = W - 1;\n\t\t\t\txx = (double)x0;\n\t\t\t}\n"
	"\t\t\tconst double fy = yy - (double)y0, fx = xx - (double)x0;\n"
	"\t\t\tconst double a = f * (1 - fy) * (1 - fx) * xi[y0 * W + x0], b = f * (1 - fy) * fx * xi[y0 * W + x1];\n"
	"\t\t\tconst double d = f * fy * (1 - fx) * xi[y1 * W + x0], e = f * fy * fx * xi[y1 * W + x1];\n";

bool cs_roi(CSource *c, const void *param)
{
	const RoiParam *p = param;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", 0, false);
	cs_declare(c, "x", 1, "float", 0, true);
	cs_declare(c, "rois", 2, "float", 0, true);
	cs_declare(c, "batch", 3, p->index64 ? "int64_t" : "int32_t", 0, true);
	buf_printf(o, "\tconst long H = %lld, W = %lld, OH = %lld, OW = %lld;\n\tconst double scale = %.9g, shift = %s;\n", (long long)p->form.h,
		(long long)p->form.w, (long long)p->form.out_h, (long long)p->form.out_w, (double)p->form.scale, p->form.half_pixel ? "0.5" : "0");
	cs_loop(c, 1, "r", p->rois);
	buf_printf(o, "\t{\n\t\tif (batch[r] < 0 || batch[r] >= %lld) {\n\t\t\tfault = 1;\n\t\t\tcontinue;\n\t\t}\n", (long long)p->batch);
	buf_puts(o, "\t\tconst double left = rois[r * 4] * scale - shift, top = rois[r * 4 + 1] * scale - shift;\n"
		"\t\tdouble w = rois[r * 4 + 2] * scale - shift - left, h = rois[r * 4 + 3] * scale - shift - top;\n");
	if (!p->form.half_pixel)
		buf_puts(o, "\t\tw = fmax(w, 1);\n\t\th = fmax(h, 1);\n");
	buf_puts(o, "\t\tconst double bh = h / OH, bw = w / OW;\n");
	if (p->form.ratio)
		buf_printf(o, "\t\tconst long rows = %lld, cols = %lld;\n", (long long)p->form.ratio, (long long)p->form.ratio);
	else
		buf_puts(o, "\t\tconst long rows = (long)fmax(fmin(ceil(bh), 1048576), 0), cols = (long)fmax(fmin(ceil(bw), 1048576), 0);\n");
	cs_loop(c, 2, "j", p->channels);
	cs_loop(c, 2, "q", p->form.out_h * p->form.out_w);
	buf_printf(o, "\t\t{\n\t\t\tconst float *xi = x + (batch[r] * %lld + j) * (H * W);\n\t\t\tdouble acc = %s;\n", (long long)p->channels,
		p->form.max ? "rows * cols > 0 ? -INFINITY : 0" : "0");
	buf_puts(o, "\t\t\tfor (long s = 0; s < rows * cols; s++) {\n\t\t\tdouble f = 1, yy = top + (double)(q / OW) * bh + ((double)(s / cols) + 0.5) * bh / (double)rows;\n"
		"\t\t\tdouble xx = left + (double)(q % OW) * bw + ((double)(s % cols) + 0.5) * bw / (double)cols;\n");
	buf_puts(o, ROI_SAMPLE);
	buf_puts(o, p->form.max ? "\t\t\tacc = fmax(acc, fmax(fmax(a, b), fmax(d, e)));\n\t\t\t}\n" : "\t\t\tacc += a + b + d + e;\n\t\t\t}\n");
	buf_printf(o, "\t\t\ty[(r * %lld + j) * (OH * OW) + q] = (float)(%s);\n\t\t}\n\t}\n", (long long)p->channels,
		p->form.max ? "acc" : "rows * cols > 0 ? acc / (double)(rows * cols) : acc");
	return true;
}
