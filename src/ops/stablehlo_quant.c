/* Quantised element types of StableHLO. A quantised tensor is run as its stored integers; what they mean is in the type of
 * the value: real = (stored - zero point) * scale, one pair for all or one for each index of an axis. */
#include "stablehlo_int.h"
#include "ops/label.h"

#include <math.h>
#include <stdlib.h>

/* ---- the type: !quant.uniform<i8<-127:127>:f32:1, {0.5:3, 2.0}> ---- */

static const char *skip(const char *s, const char *word)
{
	while (*s == ' ')
		s++;
	size_t n = strlen(word);
	return !strncmp(s, word, n) ? s + n : NULL;
}

static bool number(const char **s, const char *stops, double *v)
{
	while (**s == ' ')
		++*s;
	size_t n = strcspn(*s, stops), text = n;
	while (text > 0 && (*s)[text - 1] == ' ')
		text--;
	bool ok = parse_double(*s, text, v);
	*s += n;
	return ok;
}

/* scale or scale:zero-point */
static bool pair(const char **s, double *scale, int64_t *zero)
{
	double z = 0;
	if (!number(s, ":,}> ", scale) || !(*scale > 0))
		return false;
	const char *colon = skip(*s, ":");
	if (colon) {
		*s = colon;
		if (!number(s, ",}> ", &z) || z != rint(z) || fabs(z) > 0x1p53)
			return false;
	}
	*zero = (int64_t)z;
	return true;
}

static DType storage(bool is_unsigned, double bits)
{
	static const DType names[2][5] = { { DT_I2, DT_I4, DT_I8, DT_I16, DT_I32 }, { DT_U2, DT_U4, DT_U8, DT_U16, DT_U32 } };
	for (int i = 0; i < 5; i++)
		if (bits == 2 << i)
			return names[is_unsigned][i];
	return DT_NONE;
}

/* i8, u8, ui8, then <min:max> when the range is not the whole one. */
static bool stored_form(const char **s, ShloQuant *q)
{
	const char *p = *s;
	bool is_unsigned = *p == 'u';
	double bits, lo, hi;
	p += is_unsigned && p[1] == 'i' ? 2 : 1;
	if (((*s)[0] != 'i' && !is_unsigned) || !number(&p, "<:,", &bits) || (q->storage = storage(is_unsigned, bits)) == DT_NONE)
		return false;
	q->min = dtype_int_min(q->storage);
	q->max = (int64_t)dtype_int_max(q->storage);
	if (*p == '<') {
		p++;
		if (!number(&p, ":", &lo) || *p++ != ':' || !number(&p, ">", &hi) || *p++ != '>' || lo < (double)q->min ||
			hi > (double)q->max || lo > hi)
			return false;
		q->min = (int64_t)lo;
		q->max = (int64_t)hi;
	}
	*s = p;
	return true;
}

static bool pairs(const char *s, ShloQuant *q, Arena *a)
{
	VEC(double) scales = { 0 };
	VEC(int64_t) zeros = { 0 };
	do {
		double scale;
		int64_t zero;
		if (!pair(&s, &scale, &zero))
			return false;
		VEC_PUSH(a, &scales, scale);
		VEC_PUSH(a, &zeros, zero);
	} while (skip(s, ",") && (s = skip(s, ",")));
	q->scales = scales.data;
	q->zeros = zeros.data;
	q->n = (int64_t)scales.len;
	return true;
}

bool shlo_quant_parse(const Type *t, Arena *a, ShloQuant *q)
{
	const char *s = t && t->kind == TYPE_TENSOR && t->dtype == DT_NONE && t->text ? skip(t->text->s, "!quant.uniform<") : NULL;
	double axis = -1;
	*q = (ShloQuant){ .axis = -1 };
	if (!s || !stored_form(&s, q) || *s++ != ':')
		return false;
	size_t n = strcspn(s, ":,>");
	if (!dtype_parse(s, n, &q->expressed) || !dtype_is_float(q->expressed))
		return false;
	s += n;
	if (*s == ':') {
		s++;
		if (!number(&s, ",", &axis) || axis < 0 || axis >= MAX_RANK || axis != rint(axis))
			return false;
	}
	q->axis = (int)axis;
	const char *values = *s == ',' ? s + 1 : NULL, *list = values ? skip(values, "{") : NULL;
	return values && (list != NULL) == (q->axis >= 0) && pairs(list ? list : values, q, a) && (list || q->n == 1);
}

bool shlo_type_is_quantised(const Type *t)
{
	static const char start[] = "!quant.uniform<";
	return t && t->kind == TYPE_TENSOR && t->dtype == DT_NONE && t->text && !strncmp(t->text->s, start, sizeof start - 1);
}

/* Bounds of a dynamic size, a layout: nothing that the numbers depend on. */
static bool type_is_encoded(const Type *t)
{
	return t && t->kind == TYPE_TENSOR && t->dtype != DT_NONE && t->text;
}

static bool any_type(const Op *op, bool (*is)(const Type *t))
{
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value && is(op->operands[i].value->type))
			return true;
	for (size_t i = 0; i < op->nresults; i++)
		if (is(op->results[i]->type))
			return true;
	return false;
}

bool shlo_is_quantised(const Op *op)
{
	return any_type(op, shlo_type_is_quantised) || any_type(op, type_is_encoded);
}

/* ---- conversions ---- */

static double rounded(DType d, double x)
{
	return d == DT_F32 ? (double)(float)x : d == DT_F64 ? x : dtype_decode_float(d, dtype_encode_float(d, x, false));
}

/* Elements that share a pair in a row, and how often the list of pairs is repeated. */
static bool quant_fits(EvalCtx *e, const Op *op, const Tensor *t, const ShloQuant *q, int64_t *inner)
{
	*inner = t->count ? t->count : 1;
	if (q->axis < 0)
		return true;
	if (q->axis >= t->rank || t->dims[q->axis] != q->n)
		return eval_error(e, op, "a type quantised along axis %d with %lld scales for shape %s", q->axis, (long long)q->n,
			tensor_shape_text(e, t));
	*inner = 1;
	for (int d = q->axis + 1; d < t->rank; d++)
		*inner *= t->dims[d];
	return true;
}

/* Products and quotients are rounded to the expressed type, except in oracle mode. */
static Tensor *dequantise(EvalCtx *e, const Op *op, const Tensor *t, const ShloQuant *q)
{
	int64_t inner;
	if (t->kind != TYPE_TENSOR || t->dtype != q->storage)
		return eval_error(e, op, "a quantised operand is stored as %s, its type says %s", dtype_name(t->dtype),
			dtype_name(q->storage)), NULL;
	Tensor *y = quant_fits(e, op, t, q, &inner) ? tensor_new(e, q->expressed, t->rank, t->dims) : NULL;
	for (int64_t i = 0; y && i < t->count; i++) {
		int64_t k = i / inner % q->n;
		double v = (double)(tensor_get_i64(t, i) - q->zeros[k]);
		tensor_set_f64(y, i, v * (e->oracle ? q->scales[k] : rounded(q->expressed, q->scales[k])));
	}
	return y;
}

static Tensor *quantise(EvalCtx *e, const Op *op, const Tensor *t, const ShloQuant *q)
{
	int64_t inner;
	if (t->kind != TYPE_TENSOR || !dtype_is_float(t->dtype))
		return eval_error(e, op, "%s cannot be quantised, only floats can", dtype_name(t->dtype)), NULL;
	Tensor *y = quant_fits(e, op, t, q, &inner) ? tensor_new(e, q->storage, t->rank, t->dims) : NULL;
	for (int64_t i = 0; y && i < t->count; i++) {
		int64_t k = i / inner % q->n;
		double scale = e->oracle ? q->scales[k] : rounded(q->expressed, q->scales[k]), v = tensor_get_f64(t, i) / scale;
		v = (e->oracle ? v : rounded(q->expressed, v)) + (double)q->zeros[k];
		v = e->oracle ? v : rounded(q->expressed, v);
		v = v != v ? 0 : v < (double)q->min ? (double)q->min : v > (double)q->max ? (double)q->max : nearbyint(v);
		tensor_set_i64(y, i, (int64_t)v);
	}
	return y;
}

/* ---- running ---- */

typedef enum Route {
	ROUTE_STORED, /* moves elements: the stored integers are moved */
	ROUTE_REAL    /* computes: dequantise, compute, quantise */
} Route;

/* Regions see stored integers, with the types of their arguments. */
static Route route_of(const Op *op)
{
	if (op->nblocks)
		return ROUTE_STORED;
	switch (op_kind(op)) {
	case SHLO_bitcast_convert: case SHLO_broadcast: case SHLO_broadcast_in_dim: case SHLO_dynamic_broadcast_in_dim:
	case SHLO_concatenate: case SHLO_reshape: case SHLO_dynamic_reshape: case SHLO_transpose: case SHLO_reverse:
	case SHLO_slice: case SHLO_dynamic_slice: case SHLO_dynamic_update_slice: case SHLO_real_dynamic_slice: case SHLO_pad:
	case SHLO_dynamic_pad: case SHLO_gather: case SHLO_dynamic_gather: case SHLO_torch_index_select:
	case SHLO_get_dimension_size: case SHLO_set_dimension_size: case SHLO_optimization_barrier: case SHLO_tuple:
	case SHLO_get_tuple_element: case SHLO_after_all: case SHLO_custom_call: case SHLO_composite: case SHLO_all_gather:
	case SHLO_all_to_all: case SHLO_collective_broadcast: case SHLO_collective_permute: case SHLO_return: case SHLO_constant:
		return ROUTE_STORED;
	default:
		return ROUTE_REAL;
	}
}

bool shlo_moves_stored(const Op *op)
{
	return route_of(op) == ROUTE_STORED;
}

/* The type that a value has on the route: its stored or its real numbers. */
static const Type *plain_type(EvalCtx *e, const Type *t, Route r, Arena *a)
{
	ShloQuant q = { 0 };
	if (!type_is_encoded(t) && !shlo_quant_parse(t, a, &q))
		return t;
	Type plain = *t;
	plain.text = NULL;
	if (type_is_encoded(t))
		return type_make(e->ctx, plain);
	plain.dtype = r == ROUTE_STORED ? q.storage : q.expressed;
	plain.text = NULL;
	return type_make(e->ctx, plain);
}

/* The op with plain types in a function of its own. */
static const Op *plain_op(EvalCtx *e, const Op *op, Route r, Module *m)
{
	Func *f = func_new(m, str(e->ctx, "main"));
	m->main = f;
	Value **in = NEW_ARRAY(m->arena, Value *, op->noperands + 1u);
	const Type **types = NEW_ARRAY(m->arena, const Type *, op->nresults + 1u);
	for (size_t i = 0; i < op->noperands; i++)
		in[i] = op->operands[i].value ? block_add_arg(f->body, plain_type(e, op->operands[i].value->type, r, m->arena), NULL) :
			NULL;
	for (size_t i = 0; i < op->nresults; i++)
		types[i] = plain_type(e, op->results[i]->type, r, m->arena);
	OpSpec s = { .def = op->def, .operands = in, .noperands = op->noperands, .types = types, .nresults = op->nresults,
		.attrs = op->attrs, .nattrs = op->nattrs, .loc = op->loc, .name = op->name };
	Op *plain = op_new(f->body, NULL, &s);
	OpSpec end = { .def = op_def(e->ctx, OP_return), .operands = plain->results, .noperands = plain->nresults };
	op_new(f->body, NULL, &end);
	return plain;
}

static bool real_operands(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **real, Arena *a)
{
	ShloQuant q;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op->operands[i].value;
		if (v && shlo_type_is_quantised(v->type) && !shlo_quant_parse(v->type, a, &q))
			return eval_unsupported(e, op, "the type of operand %zu is not understood: %s", i,
				quote(e->diags->arena, v->type->text->s, v->type->text->len));
		real[i] = v && shlo_type_is_quantised(v->type) ? dequantise(e, op, in[i], &q) : in[i] ? tensor_ref(in[i]) : NULL;
		if (v && !real[i])
			return false;
	}
	return true;
}

static bool quantise_results(EvalCtx *e, const Op *op, Tensor **out, Arena *a)
{
	ShloQuant q;
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *t = op->results[i]->type;
		if (!shlo_type_is_quantised(t) || !out[i])
			continue;
		if (!shlo_quant_parse(t, a, &q))
			return eval_unsupported(e, op, "the type of result %zu is not understood: %s", i,
				quote(e->diags->arena, t->text->s, t->text->len));
		Tensor *y = quantise(e, op, out[i], &q);
		tensor_unref(out[i]);
		if (!(out[i] = y))
			return false;
	}
	return true;
}

/* uniform_quantize and uniform_dequantize only go from one form to the other: nothing is computed between. */
static bool run_real(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, Module *m)
{
	Tensor **real = NEW_ARRAY(m->arena, Tensor *, op->noperands + 1u);
	bool ok = real_operands(e, op, in, real, m->arena);
	if (ok && (op_is(op, SHLO_uniform_quantize) || op_is(op, SHLO_uniform_dequantize)))
		out[0] = tensor_ref(real[0]);
	else if (ok)
		ok = eval_op(e, plain_op(e, op, ROUTE_REAL, m), real, out);
	for (size_t i = 0; i < op->noperands; i++)
		tensor_unref(real[i]);
	return ok && quantise_results(e, op, out, m->arena);
}

bool eval_shlo_quantised(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (op->nblocks || op_is(op, SHLO_composite) || op_is(op, SHLO_custom_call))
		return op->def->eval ? op->def->eval(e, op, in, out) : eval_cannot_run(e, op, in);
	Module *m = module_new(e->ctx);
	void (*watch)(void *, const Op *, Tensor *const *) = e->watch;
	bool keep = e->keep_constants;
	e->watch = NULL;
	e->keep_constants = false;
	bool ok = route_of(op) == ROUTE_REAL && any_type(op, shlo_type_is_quantised) ? run_real(e, op, in, out, m) :
		eval_op(e, plain_op(e, op, ROUTE_STORED, m), in, out);
	e->watch = watch;
	e->keep_constants = keep;
	module_free(m);
	return ok;
}
