/* A plan as C: one function a step, plain loops over static memory, no library but that of mathematics.  The loops follow the
 * definitions of the kernels' parameters; compilers vectorise the innermost ones. */
#include "plan/csource_int.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Bytes of weights in the source: compilers need some hundred times as much. Beyond it they go to a file of their own. */
#define MOST_WEIGHTS (8 << 20)
enum { MOST_INLINE = 4096 }; /* of a constant, when there is such a file */

bool cs_refuse(CSource *c, const char *what)
{
	const PlanStepInfo *i = &c->plan->info.data[c->number];
	diag_error(c->diags, HONE_UNSUPPORTED, NULL, "step %zu (%s %s) has no form in C: %s", c->number, i->kernel,
		i->text ? i->text : "", what);
	diag_hint(c->diags, "write a .hone file instead, which holds every operator");
	return false;
}

/* ---- memory ---- */

const char *cs_type(DType d)
{
	switch (d) {
	case DT_F32: return "float";
	case DT_F64: return "double";
	case DT_I64: return "int64_t";
	case DT_I32: return "int32_t";
	case DT_I16: return "int16_t";
	case DT_I8: return "int8_t";
	case DT_U64: return "uint64_t";
	case DT_U32: return "uint32_t";
	case DT_U16: return "uint16_t";
	case DT_BOOL: case DT_U8: return "uint8_t";
	default: return NULL;
	}
}

static const char *size_type(int bytes)
{
	return bytes == 1 ? "uint8_t" : bytes == 2 ? "uint16_t" : bytes == 4 ? "uint32_t" : "uint64_t";
}

/* Bytes that the results of the first n stages of the chain take: here all of an image is kept. */
static int64_t bytes_between(const ChainParam *p, int n)
{
	int64_t bytes = 0;
	for (int i = 0; i < n; i++) {
		const ConvParam *s = p->stage[i];
		int64_t image = s->out[1] * s->y_stride[2], floats = s->y_offset + (s->batch - 1) * s->y_stride[0] + image;
		bytes += (floats * (int64_t)sizeof(float) + 63) / 64 * 64;
	}
	return bytes;
}

/* The i-th pointer of the step (of a stage of a chain), as a pointer to `type`. */
static const char *pointer(CSource *c, int i, const char *type, bool constant)
{
	if (c->chain && ((i == 0 && c->stage + 1 < c->chain->nstages) || (i == 1 && c->stage > 0)))
		return arena_printf(c->arena, "(%s%s *)(void *)(arena.bytes + %lld)", constant ? "const " : "", type,
			(long long)((int64_t)c->plan->arena_bytes + bytes_between(c->chain, c->stage - i)));
	if (c->chain && i > 1)
		i += c->chain->rest_ptr[c->stage] - 2;
	int buffer = c->plan->table.data[c->step->ptr + (uint32_t)i];
	const PlanBuffer *b = &c->plan->buffers.data[buffer];
	const char *k = constant ? "const " : "";
	switch (b->kind) {
	case BUFFER_ARENA: return arena_printf(c->arena, "(%s%s *)(void *)(arena.bytes + %lld)", k, type, (long long)b->offset);
	case BUFFER_CONST: return arena_printf(c->arena, "(const %s *)(const void *)k%d", type, buffer);
	case BUFFER_INPUT: return arena_printf(c->arena, "(%s%s *)in[%d]", k, type, b->index);
	case BUFFER_OUTPUT: return arena_printf(c->arena, "(%s%s *)out[%d]", k, type, b->index);
	default: return "&fault";
	}
}

void cs_declare(CSource *c, const char *var, int i, const char *type, int64_t offset, bool constant)
{
	buf_printf(&c->body, "\t%s%s *%s = %s + %lld;\n", constant ? "const " : "", type, var, pointer(c, i, type, constant),
		(long long)offset);
}

void cs_float(CSource *c, Buf *out, float v)
{
	char *s = isnan(v) ? "NAN" : isinf(v) ? v > 0 ? "INFINITY" : "-INFINITY" : arena_printf(c->arena, "%.9g", (double)v);
	bool plain = isdigit((unsigned char)s[*s == '-']) != 0;
	buf_printf(out, "%s%s%s", s, plain && !strpbrk(s, ".e") ? ".0" : "", plain ? "f" : "");
}

/* Where the bytes come to lie in the file of weights. */
static int64_t bin_add(CSource *c, const void *data, int64_t bytes)
{
	static const char ZEROS[64];
	int64_t at = (int64_t)out_offset(c->bin), gap = (64 - at % 64) % 64;
	out_write(c->bin, ZEROS, (size_t)gap); /* a failure shows when the file is closed */
	out_write(c->bin, data, (size_t)bytes);
	return at + gap;
}

/* A static array of floats; the same one is written once. */
int cs_floats(CSource *c, const float *v, int64_t n)
{
	for (size_t i = 0; i < c->weights.len; i++)
		if (c->weights.data[i] == v && c->counts.data[i] == n)
			return (int)i;
	int id = (int)c->weights.len;
	VEC_PUSH(c->arena, &c->weights, v);
	VEC_PUSH(c->arena, &c->counts, n);
	if (c->bin) {
		buf_printf(&c->data, "#define w%d ((const float *)(const void *)(weights + %lld))\n", id, (long long)bin_add(c, v, n * (int64_t)sizeof(*v)));
		return id;
	}
	buf_printf(&c->data, "static const float w%d[%lld] = {", id, (long long)(n ? n : 1));
	for (int64_t i = 0; i < n; i++) {
		buf_puts(&c->data, i % 8 ? ", " : i ? ",\n\t" : "\n\t");
		Arena *keep = c->arena;
		c->arena = arena_new();
		cs_float(c, &c->data, v[i]);
		arena_free(c->arena);
		c->arena = keep;
	}
	buf_puts(&c->data, n ? "\n};\n" : "0};\n");
	return id;
}

static bool constant_buffer(CSource *c, int id, const PlanBuffer *b)
{
	const char *type = cs_type(b->dtype);
	int64_t size = (int64_t)dtype_size(b->dtype), n = b->bytes / size;
	if (!type)
		return diag_error(c->diags, HONE_UNSUPPORTED, NULL, "constants of %s have no form in C",
			dtype_friendly_name(b->dtype));
	if (c->bin && b->bytes > MOST_INLINE) {
		buf_printf(&c->data, "#define k%d (weights + %lld)\n", id, (long long)bin_add(c, b->data, b->bytes));
		return true;
	}
	buf_printf(&c->data, "static const %s k%d[%lld] = {", type, id, (long long)(n ? n : 1));
	for (int64_t i = 0; i < n; i++) {
		union { float f32; double f64; int64_t i64; } x; /* the data may lie at any address */
		buf_puts(&c->data, i % 8 ? ", " : i ? ",\n\t" : "\n\t");
		memcpy(&x, (const char *)b->data + i * size, (size_t)size);
		if (b->dtype == DT_F32) {
			cs_float(c, &c->data, x.f32);
		} else if (b->dtype == DT_F64) {
			buf_printf(&c->data, "%.17g", x.f64);
		} else {
			int64_t v;
			dtype_load_i64(b->dtype, &x, 1, &v);
			if (v == INT64_MIN)
				buf_puts(&c->data, "INT64_MIN");
			else
				buf_printf(&c->data, size == 8 ? "INT64_C(%lld)" : "%lld", (long long)v);
		}
	}
	buf_puts(&c->data, n ? "\n};\n" : "0};\n");
	return true;
}

void cs_loop(CSource *c, int depth, const char *var, int64_t n)
{
	for (int i = 0; i < depth; i++)
		buf_puts(&c->body, "\t");
	buf_printf(&c->body, "for (long %s = 0; %s < %lld; %s++)\n", var, var, (long long)n, var);
}

/* ---- tile programs ---- */

#define NEAREST(x, lo, hi) x " != " x " ? 0.0f : " x " < " lo " ? " lo " : " x " > " hi " ? " hi " : " x
#define QUANTIZED(lo, hi) (in->op == TILE_QUANTIZE ? NEAREST("rintf(a / f0) + f1", lo, hi) : NEAREST("rintf(a / b) + c", lo, hi))

static const char *quantize_text(const TileInstr *in)
{
	switch (in->to) {
	case DT_U8: return QUANTIZED("0.0f", "255.0f");
	case DT_I8: return QUANTIZED("-128.0f", "127.0f");
	case DT_U16: return QUANTIZED("0.0f", "65535.0f");
	case DT_I16: return QUANTIZED("-32768.0f", "32767.0f");
	default: return NULL;
	}
}

static const char *tile_text(const TileInstr *in)
{
	switch ((TileOp)in->op) {
	case TILE_ADD: return "a + b";
	case TILE_SUB: return "a - b";
	case TILE_MUL: return "a * b";
	case TILE_DIV: return "a / b";
	case TILE_MIN: return in->dtype == DT_F32 ? "a < b || a != a ? a : b" : "a < b ? a : b";
	case TILE_MAX: return in->dtype == DT_F32 ? "a > b || a != a ? a : b" : "a > b ? a : b";
	case TILE_POW: return "powf(a, b)";
	case TILE_FMOD: return "fmodf(a, b)";
	case TILE_PRELU: return "a < 0 ? a * b : a";
	case TILE_SELECT: return "a ? b : c";
	case TILE_EQ: return "a == b";
	case TILE_NE: return "a != b";
	case TILE_LT: return "a < b";
	case TILE_LE: return "a <= b";
	case TILE_GT: return "a > b";
	case TILE_GE: return "a >= b";
	case TILE_AND: return "a & b";
	case TILE_OR: return "a | b";
	case TILE_XOR: return "a ^ b";
	case TILE_MUL_ADD: return "a * b + c";
	case TILE_NOT: return "!a";
	case TILE_NEG: return "-a";
	case TILE_ABS: return in->dtype == DT_F32 ? "fabsf(a)" : "a < 0 ? -a : a";
	case TILE_SIGN: return "a > 0 ? 1.0f : a < 0 ? -1.0f : a";
	case TILE_RELU: return "a < 0 ? 0 : a";
	case TILE_CLAMP: return "a < f0 ? f0 : a > f1 ? f1 : a";
	case TILE_LEAKY_RELU: return "a < 0 ? a * f0 : a";
	case TILE_ELU: return "a < 0 ? f0 * expm1f(a) : a";
	case TILE_SELU: return "f1 * (a <= 0 ? f0 * expm1f(a) : a)";
	case TILE_CELU: return "a < 0 ? f0 * expm1f(a / f0) : a";
	case TILE_HARD_SIGMOID: return "f0 * a + f1 < 0 ? 0.0f : f0 * a + f1 > 1 ? 1.0f : f0 * a + f1";
	case TILE_HARD_SWISH: return "a * (a < -3.0f ? 0.0f : a > 3.0f ? 1.0f : a / 6.0f + 0.5f)";
	case TILE_SIGMOID: return "1.0f / (1.0f + expf(-a))";
	case TILE_SWISH: return "a / (1.0f + expf(-f0 * a))";
	case TILE_TANH: return "tanhf(a)";
	case TILE_EXP: return "expf(a)";
	case TILE_LOG: return "logf(a)";
	case TILE_SQUARE: return "a * a";
	case TILE_SQRT: return "sqrtf(a)";
	case TILE_RSQRT: return "1.0f / sqrtf(a)";
	case TILE_RECIPROCAL: return "1.0f / a";
	case TILE_ERF: return "erff(a)";
	case TILE_GELU: return "0.5f * a * (1.0f + erff(a * 0.707106781f))";
	case TILE_GELU_TANH: return "0.5f * a * (1.0f + tanhf(0.797884561f * (a + 0.044715f * a * a * a)))";
	case TILE_MISH: return "a * tanhf(a > 20 ? a : log1pf(expf(a)))";
	case TILE_SOFTPLUS: return "a > 20 ? a : log1pf(expf(a))";
	case TILE_SOFTSIGN: return "a / (1.0f + fabsf(a))";
	case TILE_SIN: return "sinf(a)";
	case TILE_COS: return "cosf(a)";
	case TILE_FLOOR: return "floorf(a)";
	case TILE_CEIL: return "ceilf(a)";
	case TILE_ROUND: return "rintf(a)";
	case TILE_IS_NAN: return "a != a";
	case TILE_CONST: return "f0";
	case TILE_CAST: return "a";
	case TILE_QUANTIZE: case TILE_QUANTIZE_BY: return quantize_text(in);
	case TILE_DEQUANTIZE: return in->dtype == DT_I32 ? "((double)a - f1) * f0" : "((float)a - f1) * f0";
	case TILE_DEQUANTIZE_BY: return in->dtype == DT_I32 ? "((double)a - c) * b" : "((float)a - c) * b";
	default: return NULL;
	}
}

/* "a" in the text becomes the register, and so on. */
static void substitute(CSource *c, Buf *out, const char *text, const TileInstr *in)
{
	for (const char *s = text; *s;) {
		size_t n = 0;
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		if (!n) {
			buf_put(out, s++, 1);
			continue;
		}
		bool start = s == text || !(s[-1] == '.' || isdigit((unsigned char)s[-1]));
		if (n == 1 && start && strchr("abc", *s))
			buf_printf(out, "t%d", c->setter[*s == 'a' ? in->a : *s == 'b' ? in->b : in->c]);
		else if (n == 2 && start && s[0] == 'f' && (s[1] == '0' || s[1] == '1'))
			cs_float(c, out, s[1] == '0' ? in->f0 : in->f1);
		else
			buf_put(out, s, n);
		s += n;
	}
}

static DType result_type(const TileInstr *in)
{
	switch ((TileOp)in->op) {
	case TILE_EQ: case TILE_NE: case TILE_LT: case TILE_LE: case TILE_GT: case TILE_GE: case TILE_IS_NAN: case TILE_NOT:
		return DT_BOOL;
	case TILE_CAST: case TILE_QUANTIZE: case TILE_QUANTIZE_BY: return (DType)in->to;
	case TILE_DEQUANTIZE: case TILE_DEQUANTIZE_BY: return DT_F32;
	default: return (DType)in->dtype;
	}
}

static void operand_at(CSource *c, const TileProgram *p, int operand, const char *type, Buf *out)
{
	const TileOperand *o = &p->operands[operand];
	if (c->row && o->ptr == 0) {
		buf_printf(out, "%s[i%d]", c->row, p->rank - 1);
		return;
	}
	buf_printf(out, "(%s)[%lld", pointer(c, o->ptr, type, false), (long long)o->offset);
	for (int d = 0; d < p->rank; d++)
		if (o->stride[d])
			buf_printf(out, " + i%d * %lld", d, (long long)o->stride[d]);
	buf_puts(out, "]");
}

static void cast_instr(CSource *c, const TileInstr *in)
{
	int a = c->setter[in->a];
	if (in->dtype == DT_F32 && (in->to == DT_I32 || in->to == DT_I64)) {
		int bits = in->to == DT_I32 ? 31 : 63;
		buf_printf(&c->body, "t%d != t%d ? 0 : t%d < -0x1p%df ? INT%d_MIN : t%d >= 0x1p%df ? INT%d_MAX : (%s)t%d", a,
			a, a, bits,
			bits + 1, a, bits, bits + 1, cs_type((DType)in->to), a);
		return;
	}
	if (in->to == DT_BOOL)
		buf_printf(&c->body, "t%d != 0", a);
	else
		buf_printf(&c->body, "(%s)t%d", cs_type((DType)in->to), a);
}

/* Each instruction sets a variable of the innermost loop. from: the dims before it have their loops already. */
bool cs_tile(CSource *c, const TileProgram *p, int from)
{
	for (int d = from; d < p->rank; d++) {
		char var[8] = { 'i', (char)('0' + d) };
		cs_loop(c, d + 1, var, p->dims[d]);
	}
	for (int d = 0; d < p->rank; d++)
		buf_puts(&c->body, "\t");
	buf_puts(&c->body, "{\n");
	for (int k = 0; k < p->ncode; k++) {
		const TileInstr *in = &p->code[k];
		const char *type = cs_type(in->op == TILE_LOAD || in->op == TILE_STORE ? (DType)in->dtype : result_type(in));
		if (!type)
			return cs_refuse(c, "elements of this type");
		buf_puts(&c->body, "\t\t");
		if (in->op == TILE_STORE) {
			operand_at(c, p, in->operand, type, &c->body);
			buf_printf(&c->body, " = t%d;\n", c->setter[in->a]);
			continue;
		}
		buf_printf(&c->body, "const %s t%d = ", type, k);
		const char *text = tile_text(in);
		if (in->op == TILE_LOAD)
			operand_at(c, p, in->operand, type, &c->body);
		else if (in->op == TILE_CAST)
			cast_instr(c, in);
		else if (!text)
			return cs_refuse(c, "an instruction");
		else {
			buf_printf(&c->body, "(%s)(", type);
			substitute(c, &c->body, text, in);
			buf_puts(&c->body, ")");
		}
		buf_puts(&c->body, ";\n");
		c->setter[in->dst] = k;
	}
	for (int d = 0; d < p->rank; d++)
		buf_puts(&c->body, "\t");
	buf_puts(&c->body, "}\n");
	return true;
}

static bool emit_tile(CSource *c, const TileProgram *p)
{
	return cs_tile(c, p, 0);
}

/* ---- convolutions ---- */

static void offsets4(CSource *c, const char *var, const int64_t stride[4], const char *index)
{
	buf_printf(&c->body, "%s + n * %lld", var, (long long)stride[0]);
	for (int d = 0; d < 3; d++)
		if (stride[d + 1])
			buf_printf(&c->body, " + %s%c * %lld", index, "dhw"[d], (long long)stride[d + 1]);
}

/* Weights as [group][kernel][input channel][output channel], so that the innermost loop runs along the result. */
int cs_weights(CSource *c, const ConvParam *p, bool transposed)
{
	int64_t k = p->kernel[0] * p->kernel[1] * p->kernel[2], n = p->groups * k * p->ic * p->oc, at = 0;
	float *w = NEW_ARRAY(c->arena, float, n + 1);
	const int64_t *s = p->source_stride;
	for (int64_t g = 0; g < p->groups; g++)
		for (int64_t a = 0; a < p->kernel[0]; a++)
			for (int64_t b = 0; b < p->kernel[1]; b++)
				for (int64_t e = 0; e < p->kernel[2]; e++)
					for (int64_t i = 0; i < p->ic; i++)
						for (int64_t o = 0; o < p->oc; o++) {
							int64_t first = transposed ? (g * p->ic + i) * s[0] + o * s[1] : (g * p->oc + o) * s[0] + i * s[1];
							w[at++] = p->source[first + a * s[2] + b * s[3] + e * s[4]] * p->factor;
						}
	return cs_floats(c, w, n);
}

/* Bounds, and what follows them. */
static void clamp_text(CSource *c, const ConvParam *p)
{
	if (p->lo > -INFINITY) {
		buf_puts(&c->body, "\t\t\tif (v < ");
		cs_float(c, &c->body, p->lo);
		buf_puts(&c->body, ")\n\t\t\t\tv = ");
		cs_float(c, &c->body, p->lo);
		buf_puts(&c->body, ";\n");
	}
	if (p->hi < INFINITY) {
		buf_puts(&c->body, "\t\t\tif (v > ");
		cs_float(c, &c->body, p->hi);
		buf_puts(&c->body, ")\n\t\t\t\tv = ");
		cs_float(c, &c->body, p->hi);
		buf_puts(&c->body, ";\n");
	}
	if (p->hard_swish)
		buf_puts(&c->body, "\t\t\tv *= v < -3 ? 0 : v > 3 ? 1 : v * (1.0f / 6.0f) + 0.5f;\n");
}

/* Position of the input for a tap; transposed: only where the output position is reached by a whole number of strides. */
static void tap_text(CSource *c, const ConvParam *p, bool transposed)
{
	for (int d = 0; d < 3; d++) {
		char o = "dhw"[d];
		cs_loop(c, 2, arena_printf(c->arena, "k%c", o), p->kernel[d]);
		buf_puts(&c->body, "\t\t{\n");
		if (transposed) {
			buf_printf(&c->body, "\t\tconst long u%c = o%c + %lld - k%c * %lld, i%c = u%c / %lld;\n", o, o,
				(long long)p->pad[d], o,
				(long long)p->dilation[d], o, o, (long long)p->stride[d]);
			buf_printf(&c->body, "\t\tif (u%c < 0 || u%c %% %lld || i%c >= %lld)\n\t\t\tcontinue;\n", o, o,
				(long long)p->stride[d],
				o, (long long)p->in[d]);
		} else {
			buf_printf(&c->body, "\t\tconst long i%c = o%c * %lld + k%c * %lld - %lld;\n", o, o, (long long)p->stride[d], o,
				(long long)p->dilation[d], (long long)p->pad[d]);
			buf_printf(&c->body, "\t\tif (i%c < 0 || i%c >= %lld)\n\t\t\tcontinue;\n", o, o, (long long)p->in[d]);
		}
	}
}

static bool emit_conv(CSource *c, const ConvParam *p, bool transposed)
{
	int w = cs_weights(c, p, transposed), b = p->bias ? cs_floats(c, p->bias, p->groups * p->oc) : -1;
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	if (p->has_residual)
		cs_declare(c, "r", 2, "float", p->r_offset, true);
	cs_loop(c, 1, "n", p->batch);
	cs_loop(c, 1, "g", p->groups);
	cs_loop(c, 1, "od", p->out[0]);
	cs_loop(c, 1, "oh", p->out[1]);
	cs_loop(c, 1, "ow", p->out[2]);
	buf_printf(o, "\t{\n\t\tfloat acc[%lld];\n", (long long)p->oc);
	buf_printf(o, "\t\tfor (long o = 0; o < %lld; o++)\n\t\t\tacc[o] = ", (long long)p->oc);
	buf_printf(o, b >= 0 ? "w%d[g * %lld + o];\n" : "0;\n", b, (long long)p->oc);
	tap_text(c, p, transposed);
	buf_puts(o, "\t\tconst float *xi = ");
	offsets4(c, "x", p->x_stride, "i");
	buf_printf(o, " + g * %lld;\n", (long long)p->ic);
	buf_printf(o, "\t\tconst float *wi = w%d + (((g * %lld + kd) * %lld + kh) * %lld + kw) * %lld;\n", w,
		(long long)p->kernel[0],
		(long long)p->kernel[1], (long long)p->kernel[2], (long long)(p->ic * p->oc));
	buf_printf(o, "\t\tfor (long i = 0; i < %lld; i++)\n\t\t\tfor (long o = 0; o < %lld; o++)\n", (long long)p->ic,
		(long long)p->oc);
	buf_printf(o, "\t\t\t\tacc[o] += xi[i * %lld] * wi[i * %lld + o];\n\t\t}\n\t\t}\n\t\t}\n",
		(long long)(p->x_channel ? p->x_channel : 1), (long long)p->oc);
	buf_printf(o, "\t\tfor (long o = 0; o < %lld; o++) {\n\t\t\tfloat v = acc[o];\n", (long long)p->oc);
	if (p->has_residual) {
		buf_puts(o, "\t\t\tv += (");
		offsets4(c, "r", p->r_stride, "o");
		buf_printf(o, ")[g * %lld + o];\n", (long long)p->oc);
	}
	clamp_text(c, p);
	buf_puts(o, "\t\t\t(");
	offsets4(c, "y", p->y_stride, "o");
	buf_printf(o, ")[g * %lld + o] = v;\n\t\t}\n\t}\n", (long long)p->oc);
	return !p->post || emit_tile(c, p->post);
}

/* One stage after the other. */
static bool emit_chain(CSource *c, const ChainParam *p)
{
	bool ok = true;
	int64_t between = bytes_between(p, p->nstages - 1);
	c->between = between > c->between ? between : c->between;
	c->chain = p;
	for (c->stage = 0; ok && c->stage < p->nstages; c->stage++) {
		buf_puts(&c->body, "\t{\n");
		ok = emit_conv(c, p->stage[c->stage], false);
		buf_puts(&c->body, "\t}\n\tBARRIER\n");
	}
	c->chain = NULL;
	return ok;
}

static bool emit_matmul(CSource *c, const MatmulParam *p)
{
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->c_offset, false);
	cs_declare(c, "a", 1, "float", p->a_offset, true);
	cs_declare(c, "b", 2, "float", p->b_offset, true);
	cs_loop(c, 1, "b0", p->batch[0]);
	cs_loop(c, 1, "b1", p->batch[1]);
	cs_loop(c, 1, "b2", p->batch[2]);
	cs_loop(c, 1, "i", p->m);
	buf_printf(o, "\t{\n\t\tfloat *yi = y + b0 * %lld + b1 * %lld + b2 * %lld + i * %lld;\n", (long long)p->c_batch[0],
		(long long)p->c_batch[1], (long long)p->c_batch[2], (long long)p->c_row);
	buf_printf(o, "\t\tconst float *ai = a + b0 * %lld + b1 * %lld + b2 * %lld + i * %lld;\n", (long long)p->a_batch[0],
		(long long)p->a_batch[1], (long long)p->a_batch[2], (long long)p->a_row);
	buf_printf(o, "\t\tconst float *bi = b + b0 * %lld + b1 * %lld + b2 * %lld;\n", (long long)p->b_batch[0],
		(long long)p->b_batch[1], (long long)p->b_batch[2]);
	buf_printf(o, "\t\tfloat acc[%lld] = {0};\n\t\tfor (long k = 0; k < %lld; k++)\n\t\t\tfor (long j = 0; j < %lld; j++)\n",
		(long long)p->n, (long long)p->k, (long long)p->n);
	buf_printf(o, "\t\t\t\tacc[j] += ai[k * %lld] * bi[k * %lld + j * %lld];\n", (long long)p->a_col, (long long)p->b_row,
		(long long)p->b_col);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tyi[j] = acc[j] * ", (long long)p->n);
	cs_float(c, o, p->alpha);
	buf_puts(o, ";\n\t}\n");
	return !p->post || emit_tile(c, p->post);
}

/* ---- pools, rows, reductions ---- */

static bool emit_pool(CSource *c, const PoolParam *p)
{
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	cs_loop(c, 1, "n", p->batch);
	cs_loop(c, 1, "od", p->out[0]);
	cs_loop(c, 1, "oh", p->out[1]);
	cs_loop(c, 1, "ow", p->out[2]);
	buf_printf(o, "\t{\n\t\tfloat acc[%lld];\n\t\tlong count = 0;\n", (long long)p->channels);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tacc[j] = %s;\n", (long long)p->channels,
		p->average ? "0" : "-INFINITY");
	for (int d = 0; d < 3; d++) {
		char v = "dhw"[d];
		cs_loop(c, 2, arena_printf(c->arena, "k%c", v), p->kernel[d]);
		buf_printf(o, "\t\t{\n\t\tconst long i%c = o%c * %lld + k%c * %lld - %lld;\n", v, v, (long long)p->stride[d], v,
			(long long)p->dilation[d], (long long)p->pad[d]);
		buf_printf(o, "\t\tif (i%c < %lld || i%c >= %lld)\n\t\t\tcontinue;\n", v,
			p->count_padding ? (long long)-p->pad[d] : 0LL, v,
			(long long)(p->in[d] + (p->count_padding ? p->pad_end[d] : 0)));
	}
	buf_puts(o, "\t\tcount++;\n");
	if (p->count_padding)
		buf_printf(o, "\t\tif (id < 0 || id >= %lld || ih < 0 || ih >= %lld || iw < 0 || iw >= %lld)\n\t\t\tcontinue;\n",
			(long long)p->in[0], (long long)p->in[1], (long long)p->in[2]);
	buf_puts(o, "\t\tconst float *xi = ");
	offsets4(c, "x", p->x_stride, "i");
	buf_printf(o, ";\n\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tacc[j] = %s;\n\t\t}\n\t\t}\n\t\t}\n",
		(long long)p->channels,
		p->average ? "acc[j] + xi[j]" : "xi[j] > acc[j] || xi[j] != xi[j] ? xi[j] : acc[j]");
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\t(", (long long)p->channels);
	offsets4(c, "y", p->y_stride, "o");
	buf_printf(o, ")[j] = acc[j]%s;\n\t\t(void)count;\n\t}\n", p->average ? " / (float)count" : "");
	return true;
}

static bool emit_row(CSource *c, const RowParam *p)
{
	Buf *o = &c->body;
	int next = 2;
	bool norm = p->kind == ROW_LAYER_NORM || p->kind == ROW_RMS_NORM;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	if (p->has_scale)
		cs_declare(c, "s", next++, "float", p->scale_offset, true);
	if (p->has_bias)
		cs_declare(c, "b", next++, "float", p->bias_offset, true);
	for (int d = 0; d < 4; d++)
		cs_loop(c, 1, arena_printf(c->arena, "q%d", d), p->outer[d]);
	buf_printf(o, "\t{\n\t\tconst float *xi = x + q0 * %lld + q1 * %lld + q2 * %lld + q3 * %lld;\n",
		(long long)p->x_outer[0],
		(long long)p->x_outer[1], (long long)p->x_outer[2], (long long)p->x_outer[3]);
	buf_printf(o, "\t\tfloat *yi = y + q0 * %lld + q1 * %lld + q2 * %lld + q3 * %lld;\n", (long long)p->y_outer[0],
		(long long)p->y_outer[1], (long long)p->y_outer[2], (long long)p->y_outer[3]);
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

static bool emit_reduce(CSource *c, const ReduceParam *p)
{
	static const char *const START[] = { "0", "-INFINITY", "INFINITY", "1", "0", "0" };
	static const char *const EACH[] = { "acc + v", "v > acc || v != v ? v : acc", "v < acc || v != v ? v : acc",
		"acc * v", "acc + v * v",
		"acc + fabsf(v)" };
	Buf *o = &c->body;
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	for (int d = 0; d < p->nkept; d++)
		cs_loop(c, 1, arena_printf(c->arena, "q%d", d), p->kept[d]);
	buf_printf(o, "\t{\n\t\tfloat acc = %s;\n", START[p->combine]);
	for (int d = 0; d < p->nreduced; d++)
		cs_loop(c, 2, arena_printf(c->arena, "p%d", d), p->reduced[d]);
	buf_puts(o, "\t\t{\n\t\t\tconst float v = x[0");
	for (int d = 0; d < p->nkept; d++)
		buf_printf(o, " + q%d * %lld", d, (long long)p->x_kept[d]);
	for (int d = 0; d < p->nreduced; d++)
		buf_printf(o, " + p%d * %lld", d, (long long)p->x_reduced[d]);
	buf_printf(o, "];\n\t\t\tacc = %s;\n\t\t}\n\t\ty[0", EACH[p->combine]);
	for (int d = 0; d < p->nkept; d++)
		buf_printf(o, " + q%d * %lld", d, (long long)p->y_kept[d]);
	buf_puts(o, "] = acc * ");
	cs_float(c, o, p->scale);
	buf_puts(o, ";\n\t}\n");
	return true;
}

/* ---- movement ---- */

static bool emit_copy(CSource *c, const CopyParam *p)
{
	if (p->elem > 8)
		return cs_refuse(c, "complex elements");
	Buf *o = &c->body;
	const char *type = size_type(p->elem);
	cs_declare(c, "y", 0, type, p->y_offset, false);
	cs_declare(c, "x", 1, type, p->x_offset, true);
	for (int d = 0; d < p->rank; d++)
		cs_loop(c, 1, arena_printf(c->arena, "q%d", d), p->dims[d]);
	buf_puts(o, "\t\ty[0");
	for (int d = 0; d < p->rank; d++)
		buf_printf(o, " + q%d * %lld", d, (long long)p->y_stride[d]);
	buf_puts(o, "] = x[0");
	for (int d = 0; d < p->rank; d++)
		buf_printf(o, " + q%d * %lld", d, (long long)p->x_stride[d]);
	buf_puts(o, "];\n");
	return true;
}

static bool emit_gather(CSource *c, const GatherParam *p)
{
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

static bool emit_resize(CSource *c, const ResizeParam *p)
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
	cs_declare(c, "y", 0, "float", p->y_offset, false);
	cs_declare(c, "x", 1, "float", p->x_offset, true);
	cs_loop(c, 1, "n", p->batch);
	cs_loop(c, 1, "od", p->out[0]);
	cs_loop(c, 1, "oh", p->out[1]);
	cs_loop(c, 1, "ow", p->out[2]);
	buf_printf(o, "\t{\n\t\tfloat acc[%lld] = {0};\n", (long long)p->channels);
	for (int d = 0; d < 3; d++)
		cs_loop(c, 2, arena_printf(c->arena, "k%c", "dhw"[d]), p->taps[d]);
	buf_printf(o, "\t\t{\n\t\tconst long id = id_of[od * %d + kd], ih = ih_of[oh * %d + kh], iw = iw_of[ow * %d + kw];\n", p->taps[0],
		p->taps[1], p->taps[2]);
	buf_printf(o, "\t\tconst float f = fd_of[od * %d + kd] * fh_of[oh * %d + kh] * fw_of[ow * %d + kw];\n\t\tconst float *xi = ",
		p->taps[0], p->taps[1], p->taps[2]);
	offsets4(c, "x", p->x_stride, "i");
	buf_printf(o, ";\n\t\tfor (long j = 0; j < %lld; j++)\n\t\t\tacc[j] += f * xi[j];\n\t\t(void)id;\n\t\t(void)ih;\n\t\t}\n",
		(long long)p->channels);
	buf_printf(o, "\t\tfor (long j = 0; j < %lld; j++)\n\t\t\t(", (long long)p->channels);
	offsets4(c, "y", p->y_stride, "o");
	buf_puts(o, ")[j] = acc[j];\n\t}\n");
	return true;
}

/* ---- the file ---- */

static bool emit_step(CSource *c)
{
	const Step *s = c->step;
	const KernelSet *k = c->k;
	const void *p = s->param;
	for (int i = 0; i < CONV_KINDS && s->kernel; i++)
		if (s->kernel == k->conv[i])
			return i == CONV_BLOCKS ? cs_refuse(c, "weights of few bits") : emit_conv(c, p, i == CONV_TRANSPOSE);
	if (!s->kernel)
		return cs_refuse(c, "it is run by the evaluator");
	if (s->kernel == k->chain)
		return emit_chain(c, p);
	if (s->kernel == k->matmul)
		return emit_matmul(c, p);
	if (s->kernel == k->pool)
		return emit_pool(c, p);
	if (s->kernel == k->tile)
		return emit_tile(c, p);
	if (s->kernel == k->row)
		return emit_row(c, p);
	if (s->kernel == k->reduce)
		return emit_reduce(c, p);
	if (s->kernel == k->copy)
		return emit_copy(c, p);
	if (s->kernel == k->gather)
		return emit_gather(c, p);
	if (s->kernel == k->resize)
		return emit_resize(c, p);
	return cs_more(c, p);
}

static int64_t conv_bytes(const ConvParam *p)
{
	return p->groups * p->ic * p->oc * p->kernel[0] * p->kernel[1] * p->kernel[2] * (int64_t)sizeof(float);
}

static int64_t weight_bytes(const CSource *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < c->plan->steps.len; i++) {
		const Step *s = &c->plan->steps.data[i];
		for (int k = 0; k < CONV_KINDS && s->kernel; k++)
			n += s->kernel == c->k->conv[k] ? conv_bytes(s->param) : 0;
		const ChainParam *chain = s->kernel && s->kernel == c->k->chain ? s->param : NULL;
		for (int k = 0; chain && k < chain->nstages; k++)
			n += conv_bytes(chain->stage[k]);
		if (s->kernel == c->k->rnn)
			n += conv_bytes(&((const RnnParam *)s->param)->product);
	}
	for (size_t i = 0; i < c->plan->buffers.len; i++)
		if (c->plan->buffers.data[i].kind == BUFFER_CONST && c->plan->buffers.data[i].first >= 0)
			n += c->plan->buffers.data[i].bytes;
	return n;
}

static bool emit_steps(CSource *c)
{
	for (c->number = 0; c->number < c->plan->steps.len; c->number++) {
		c->step = &c->plan->steps.data[c->number];
		buf_printf(&c->body, "\n/* %s%s%s */\nstatic void step%zu(const void *const *in, void *const *out)\n{\n\t(void)in;\n\t(void)out;\n",
			c->plan->info.data[c->number].kernel, c->plan->info.data[c->number].text ? ": " : "",
			c->plan->info.data[c->number].text ? c->plan->info.data[c->number].text : "", c->number);
		if (!emit_step(c))
			return false;
		buf_puts(&c->body, "}\n");
		buf_printf(&c->calls, "\tstep%zu(in, out);\n\tBARRIER\n", c->number);
	}
	for (size_t i = 0; i < c->plan->buffers.len; i++) {
		const PlanBuffer *b = &c->plan->buffers.data[i];
		if (b->kind == BUFFER_CONST && b->first >= 0 && !constant_buffer(c, (int)i, b))
			return false;
	}
	return true;
}

static void interface_text(const CSource *c, Buf *out)
{
	const Func *f = exec_program(c->x)->module->main;
	const Op *ret = block_terminator(f->body);
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		Buf t = { 0 };
		type_print(f->body->args[i]->type, &t);
		buf_printf(out, " * in[%u]: %s, %s\n", i, f->body->args[i]->name ? f->body->args[i]->name->s : "",
			t.data ? t.data : "");
		buf_free(&t);
	}
	for (uint32_t i = 0; i < ret->noperands; i++) {
		const View *v = &c->plan->outputs[i];
		buf_printf(out, " * out[%u]: %s, %s[", i, f->result_names && f->result_names[i] ? f->result_names[i]->s : "",
			dtype_friendly_name(v->dtype));
		for (int d = 0; d < v->rank; d++)
			buf_printf(out, "%s%lld", d ? "," : "", (long long)v->dims[d]);
		buf_puts(out, "]\n");
	}
}

/* "*" and "/" of names must not end the comment. */
static void comment_safe(Buf *b, size_t from)
{
	for (size_t i = from; i + 1 < b->len; i++)
		if (b->data[i] == '*' && b->data[i + 1] == '/')
			b->data[i + 1] = '_';
}

static bool write_text(const char *path, const Buf *b, Diags *d)
{
	OutFile *o = out_open(path, d);
	if (!o)
		return false;
	bool ok = out_write(o, b->data, b->len);
	return out_commit(o, d) && ok;
}

/* Functions that give the weights. */
static void bin_text(const CSource *c, Buf *s)
{
	long long n = (long long)out_offset(c->bin);
	buf_printf(s, "#include <stdio.h>\n\nstatic const unsigned char *weights;\n\nvoid %s_weights(const void *data)\n{\n\tweights = (const unsigned char *)data;\n}\n\n",
		c->name);
	buf_printf(s, "int %s_load(const char *path)\n{\n\tstatic union {\n\t\tdouble align;\n\t\tunsigned char bytes[%lld];\n\t} memory;\n", c->name,
		n ? n : 1);
	buf_printf(s, "\tFILE *f = fopen(path, \"rb\");\n\tconst int ok = f && fread(memory.bytes, 1, %lld, f) == %lld;\n", n, n);
	buf_puts(s, "\tif (f)\n\t\tfclose(f);\n\tif (ok)\n\t\tweights = memory.bytes;\n\treturn ok ? 0 : 1;\n}\n\n");
}

static bool write_both(CSource *c, const char *path)
{
	Buf h = { 0 }, s = { 0 };
	char *header = arena_printf(c->arena, "%.*s.h", (int)(strlen(path) - 2), path);
	const char *slash = strrchr(header, '/');
	char *guard = arena_printf(c->arena, "%s_H", c->name);
	buf_printf(&h, "/* A neural network, compiled to C by hone. One call computes all outputs; not for two threads at once.\n *\n");
	size_t from = h.len;
	interface_text(c, &h);
	comment_safe(&h, from);
	buf_printf(&h, " *\n * Dense, row-major. 0: done; 1: an index in the data was out of range%s. */\n#ifndef %s\n#define %s\n\n"
		"int %s(const void *const *in, void *const *out);\n", c->bin ? "; 2: there are no weights yet" : "", guard, guard, c->name);
	if (c->bin)
		buf_printf(&h, "\n/* The weights: the contents of the .bin file, %lld bytes, which must stay (mapped, or linked in), 8-byte aligned; */\n"
			"void %s_weights(const void *data);\n/* or the file's name, to be read into static memory; 0: done. */\nint %s_load(const char *path);\n",
			(long long)out_offset(c->bin), c->name, c->name);
	buf_puts(&h, "\n#endif\n");
	buf_printf(&s, "/* Compiled by hone. Needs the mathematical library only (-lm). */\n#include \"%s\"\n\n#include <math.h>\n#include <stdint.h>\n"
		"#include <string.h>\n\n/* Memory is used for one type after the other: no access may move across the end of a step. */\n"
		"#if defined(__GNUC__)\n#define BARRIER __asm__ volatile(\"\" ::: \"memory\");\n#else\n#define BARRIER\n#endif\n\n"
		"static union {\n\tdouble align;\n\tunsigned char bytes[%zu];\n} arena;\nstatic int64_t fault;\n\n",
			slash ? slash + 1 : header,
		c->plan->arena_bytes + 64 + (size_t)c->between);
	if (c->bin)
		bin_text(c, &s);
	buf_put(&s, c->data.data ? c->data.data : "", c->data.len);
	buf_put(&s, c->body.data ? c->body.data : "", c->body.len);
	buf_printf(&s, "\nint %s(const void *const *in, void *const *out)\n{\n%s\tfault = 0;\n", c->name,
		c->bin ? "\tif (!weights)\n\t\treturn 2;\n" : "");
	buf_put(&s, c->calls.data ? c->calls.data : "", c->calls.len);
	buf_puts(&s, "\t(void)arena;\n\treturn fault != 0;\n}\n");
	bool ok = write_text(path, &s, c->diags) && write_text(header, &h, c->diags);
	buf_free(&h);
	buf_free(&s);
	return ok;
}

static void find_late_sources(Program *p, const Plan *plan)
{
	for (size_t i = 0; i < plan->late.len; i++) {
		const LateSource *l = &plan->late.data[i];
		Tensor *t = l->param->source ? NULL : program_constant(p, l->weights);
		if (t)
			l->param->source = (const float *)t->data + l->offset;
	}
}

bool exec_write_c(const Exec *x, const char *path, const char *name, Diags *d)
{
	const Plan *plan = exec_whole_plan(x);
	CSource c = { .x = x, .plan = plan, .k = exec_program(x)->kernels, .arena = arena_new(), .name = name, .diags = d };
	bool ok = plan ? true : diag_error(d, HONE_UNSUPPORTED, NULL, "sizes depend on data: this model has no form in C");
	for (size_t i = 0; ok && i < block_terminator(exec_program(x)->module->main->body)->noperands; i++)
		if (plan->output_slots[i])
			ok = diag_error(d, HONE_UNSUPPORTED, NULL, "output %zu is no tensor of numbers", i);
	if (ok)
		find_late_sources(exec_program(x), plan);
	if (ok && weight_bytes(&c) > MOST_WEIGHTS) {
		c.bin = out_open(arena_printf(c.arena, "%.*s.bin", (int)(strlen(path) - 2), path), d);
		ok = c.bin != NULL;
	}
	ok = ok && emit_steps(&c) && write_both(&c, path);
	if (c.bin && ok)
		ok = out_commit(c.bin, d);
	else
		out_discard(c.bin);
	buf_free(&c.data);
	buf_free(&c.body);
	buf_free(&c.calls);
	arena_free(c.arena);
	return ok;
}
