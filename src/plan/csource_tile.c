/* Tile programs as C: each instruction sets a variable of the innermost loop. */
#include "plan/csource_int.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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

/* Of doubles, where it is not the text for floats. */
static const char *double_text(const TileInstr *in)
{
	switch ((TileOp)in->op) {
	case TILE_MIN: return "a < b || a != a ? a : b";
	case TILE_MAX: return "a > b || a != a ? a : b";
	case TILE_POW: return "pow(a, b)";
	case TILE_FMOD: return "fmod(a, b)";
	case TILE_ABS: return "fabs(a)";
	case TILE_SIGN: return "a > 0 ? 1.0 : a < 0 ? -1.0 : a";
	case TILE_SIGMOID: return "1.0 / (1.0 + exp(-a))";
	case TILE_TANH: return "tanh(a)";
	case TILE_EXP: return "exp(a)";
	case TILE_LOG: return "log(a)";
	case TILE_SQRT: return "sqrt(a)";
	case TILE_RSQRT: return "1.0 / sqrt(a)";
	case TILE_RECIPROCAL: return "1.0 / a";
	case TILE_ERF: return "erf(a)";
	case TILE_SIN: return "sin(a)";
	case TILE_COS: return "cos(a)";
	case TILE_FLOOR: return "floor(a)";
	case TILE_CEIL: return "ceil(a)";
	case TILE_ROUND: return "rint(a)";
	default: return NULL;
	}
}

static const char *tile_text(const TileInstr *in)
{
	if (in->dtype == DT_F64 && double_text(in))
		return double_text(in);
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
	bool sums = c->sums && o->ptr == 1;
	buf_printf(out, "(%s)[%lld", sums ? c->sums : cs_pointer(c, o->ptr, type, false), (long long)o->offset);
	cs_index(c, out, "i", p->rank, o->stride);
	buf_puts(out, "]");
}

static void cast_instr(CSource *c, const TileInstr *in)
{
	static const struct { DType to; const char *lo, *hi, *least, *most; } RANGES[] = {
		{ DT_I8, "-128.0f", "128.0f", "INT8_MIN", "INT8_MAX" }, { DT_U8, "0.0f", "256.0f", "0", "UINT8_MAX" },
		{ DT_I16, "-32768.0f", "32768.0f", "INT16_MIN", "INT16_MAX" }, { DT_U16, "0.0f", "65536.0f", "0", "UINT16_MAX" },
		{ DT_I32, "-0x1p31f", "0x1p31f", "INT32_MIN", "INT32_MAX" }, { DT_I64, "-0x1p63f", "0x1p63f", "INT64_MIN", "INT64_MAX" },
	};
	int a = c->setter[in->a];
	for (size_t i = 0; i < ARRAY_LEN(RANGES) && (in->dtype == DT_F32 || in->dtype == DT_F64); i++)
		if (RANGES[i].to == (DType)in->to) {
			buf_printf(&c->body, "t%d != t%d ? 0 : t%d < %s ? %s : t%d >= %s ? %s : (%s)t%d", a, a, a, RANGES[i].lo, RANGES[i].least,
				a, RANGES[i].hi, RANGES[i].most, cs_type((DType)in->to), a);
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
	cs_loops(c, 1, "i", from, p->rank, p->dims);
	buf_puts(&c->body, "\t{\n");
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
	buf_puts(&c->body, "\t}\n");
	return true;
}

bool cs_tile_step(CSource *c, const void *param)
{
	return cs_tile(c, param, 0);
}
