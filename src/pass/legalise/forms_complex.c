#include "legalise_int.h"

#include <string.h>

/* Complex numbers as pairs of real ones, since no ONNX operator takes them: what computes with them becomes the same of the parts,
 * put together by stablehlo.complex, which goes when the parts are taken again. Fourier transforms are DFT ops on tensors whose
 * last dimension holds the parts. */

static bool is_complex(const Value *v)
{
	return dtype_class(lg_dtype(v)) == DC_COMPLEX;
}

/* Every second number of the constant. */
static Value *constant_part(Lg *l, const Attr *v, bool im)
{
	const Type *t = v->u.tensor.type;
	const Blob *b = v->u.tensor.blob;
	DType d = t->dtype == DT_C64 ? DT_F32 : DT_F64;
	size_t width = t->dtype == DT_C64 ? 4 : 8, n = b->len / (2 * width);
	unsigned char *part = NEW_ARRAY(l->a, unsigned char, n * width + 1);
	for (size_t i = 0; i < n; i++)
		memcpy(part + i * width, (const unsigned char *)b->data + (2 * i + im) * width, width);
	Blob *half = b->splat ? blob_splat(l->c, d, part) : blob_copy(l->c, part, n * width);
	Value *y = constant_from_attr(l->op->block, l->op, attr_tensor(l->c, type_with_dtype(l->c, t, d), half));
	y->def->made = true;
	return y;
}

static Value *part_of(Lg *l, Value *v, OpKind part)
{
	Op *whole = def_of(v, SHLO_complex);
	const Attr *known = value_constant(v);
	if (known)
		return constant_part(l, known, part == SHLO_imag);
	return whole ? op_operand(whole, part == SHLO_imag) : fm_op1(l, part, v, NULL);
}

static bool put_together(Lg *l, Value *re, Value *im)
{
	return lg_become(l, SHLO_complex, (Value *[]){ re, im }, 2, NULL);
}

typedef struct Parts {
	Value *re, *im;
} Parts;

static Parts parts_of(Lg *l, Value *v)
{
	return (Parts){ part_of(l, v, SHLO_real), part_of(l, v, SHLO_imag) };
}

/* ---- elementwise ---- */

static Value *mul(Lg *l, Value *x, Value *y)
{
	return fm_op2(l, OP_mul, x, y, NULL);
}

/* The quotient by the square of the divisor's size; where that overflows the evaluator's own quotient does too. */
bool form_complex_binary(Lg *l, OpKind core)
{
	OpKind kind = op_kind(l->op);
	(void)core;
	if (!is_complex(lg_in(l, 0)) || !is_complex(lg_in(l, 1)))
		return false;
	Parts a = parts_of(l, lg_in(l, 0)), b = parts_of(l, lg_in(l, 1));
	if (kind == OP_add || kind == OP_sub)
		return put_together(l, fm_op2(l, kind, a.re, b.re, NULL), fm_op2(l, kind, a.im, b.im, NULL));
	bool product = kind == OP_mul;
	Value *re = fm_op2(l, product ? OP_sub : OP_add, mul(l, a.re, b.re), mul(l, a.im, b.im), NULL);
	Value *im = fm_op2(l, product ? OP_add : OP_sub, mul(l, a.im, b.re), mul(l, a.re, b.im), NULL);
	if (!product) {
		Value *norm = fm_op2(l, OP_add, mul(l, b.re, b.re), mul(l, b.im, b.im), NULL);
		re = fm_op2(l, OP_div, re, norm, NULL);
		im = fm_op2(l, OP_div, im, norm, NULL);
	}
	return put_together(l, re, im);
}

bool form_complex_unary(Lg *l, OpKind core)
{
	(void)core;
	if (!is_complex(lg_in(l, 0)))
		return false;
	Parts x = parts_of(l, lg_in(l, 0));
	if (op_is(l->op, OP_neg))
		return put_together(l, fm_op1(l, OP_neg, x.re, NULL), fm_op1(l, OP_neg, x.im, NULL));
	if (op_is(l->op, OP_exp)) {
		Value *size = fm_op1(l, OP_exp, x.re, NULL);
		return put_together(l, mul(l, size, fm_op1(l, OP_cos, x.im, NULL)), mul(l, size, fm_op1(l, OP_sin, x.im, NULL)));
	}
	/* the larger part is taken out of the root, so that nothing overflows before the result does */
	Value *a = fm_op1(l, OP_abs, x.re, NULL), *b = fm_op1(l, OP_abs, x.im, NULL), *most = fm_op2(l, OP_max, a, b, NULL);
	Value *zero = lg_const_float(l, lg_dtype(a), 0), *one = lg_const_float(l, lg_dtype(a), 1);
	Value *none = fm_op2(l, OP_eq, most, zero, NULL);
	Value *ratio = fm_op2(l, OP_div, fm_op2(l, OP_min, a, b, NULL), fm_op(l, OP_select, (Value *[]){ none, one, most }, 3, NULL), NULL);
	Value *root = fm_op1(l, OP_sqrt, fm_op2(l, OP_add, mul(l, ratio, ratio), one, NULL), NULL);
	return lg_become(l, OP_mul, (Value *[]){ most, root }, 2, NULL);
}

/* Ops that only move elements, or choose among them: each part by itself. */
bool form_complex_moved(Lg *l, OpKind core)
{
	Op *op = l->op;
	Value *y[2], **in = NEW_ARRAY(l->a, Value *, op->noperands + 1u);
	RwAttr *attrs = NEW_ARRAY(l->a, RwAttr, op->nattrs + 1u);
	size_t n = 0;
	(void)core;
	if (op->nresults != 1 || !is_complex(op->results[0]))
		return false;
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known)
			attrs[n++] = (RwAttr){ (AttrName)op->attrs[i].name->known, op->attrs[i].value };
	attrs[n] = (RwAttr){ A_NONE, NULL };
	for (int im = 0; im < 2; im++) {
		for (size_t i = 0; i < op->noperands; i++)
			in[i] = is_complex(lg_in(l, i)) ? part_of(l, lg_in(l, i), im ? SHLO_imag : SHLO_real) : lg_in(l, i);
		y[im] = fm_op(l, op_kind(op), in, op->noperands, attrs);
	}
	return put_together(l, y[0], y[1]);
}

/* ---- Fourier transforms: tensors of rank + 1, parts last ---- */

static Value *dft(Lg *l, Value *x, int64_t axis, bool inverse, bool onesided)
{
	RwAttr attrs[] = { { A_inverse, inverse ? lg_int(l, 1) : NULL }, { A_onesided, onesided ? lg_int(l, 1) : NULL },
		{ A_NONE, NULL } };
	return fm_op(l, OP_dft, (Value *[]){ x, NULL, lg_const_int(l, axis) }, 3, attrs);
}

static Value *cut(Lg *l, Value *x, int64_t axis, int64_t start, int64_t end, int64_t step)
{
	Value *in[4] = { x, lg_const_ints(l, &start, 1), lg_const_ints(l, &end, 1), lg_const_ints(l, &step, 1) };
	return fm_op(l, OP_slice, in, 4, fm_attr(l, A_axes, lg_ints_attr(l, &axis, 1)));
}

static Value *joined(Lg *l, Value *x, Value *y, int64_t axis)
{
	return fm_op2(l, OP_concat, x, y, fm_attr(l, A_axis, lg_int(l, axis)));
}

/* The other half of a spectrum of n is the conjugate of the first, backwards. */
static Value *mirrored(Lg *l, Value *x, int64_t axis, int64_t n)
{
	int64_t last = (n - 1) / 2; /* places last ... 1 */
	if (last < 1)
		return x;
	Value *other = cut(l, x, axis, last, 0, -1);
	Value *im = fm_op1(l, OP_neg, cut(l, other, axis + 1, 1, 2, 1), NULL);
	return joined(l, x, joined(l, cut(l, other, axis + 1, 0, 1, 1), im, axis + 1), axis);
}

bool form_fft(Lg *l, OpKind core)
{
	const Str *type = op_attr_str(l->op, A_fft_type);
	const int64_t *length;
	size_t n = op_attr_ints(l->op, A_fft_length, &length);
	Value *in = lg_in(l, 0);
	int64_t rank = lg_rank(in), size;
	(void)core;
	if (!type || n < 1 || rank < (int64_t)n || rank >= MAX_RANK - 1)
		return false;
	bool real = !strcmp(type->s, "RFFT"), whole = !strcmp(type->s, "IRFFT"), inverse = whole || !strcmp(type->s, "IFFT");
	int64_t first = rank - (int64_t)n, shift = rank == 1; /* DFT wants a batch before the axis */
	for (size_t i = 0; i < n; i++)
		if (!sym_const(in->type->dims[first + (int64_t)i], &size) || size < 1 || length[i] < 1)
			return fm_no(l, "a transformed size is 0 or not known");
	if (real == is_complex(in))
		return false;
	RwAttr *last = fm_attr(l, A_axes, lg_ints_attr(l, &rank, 1));
	Value *x = real ? fm_op1(l, OP_unsqueeze, in, last) : NULL;
	if (!real) {
		Parts p = parts_of(l, in);
		x = joined(l, fm_op1(l, OP_unsqueeze, p.re, last), fm_op1(l, OP_unsqueeze, p.im, last), rank);
	}
	RwAttr *front = fm_attr(l, A_axes, lg_ints_attr(l, (int64_t[]){ 0 }, 1));
	x = shift ? fm_op1(l, OP_unsqueeze, x, front) : x;
	if (real)
		x = dft(l, x, rank - 1 + shift, false, true);
	for (int64_t d = first; d < rank - (real || whole); d++)
		x = dft(l, x, d + shift, inverse, false);
	if (whole)
		x = dft(l, mirrored(l, x, rank - 1 + shift, length[n - 1]), rank - 1 + shift, true, false);
	Value *part[2] = { 0 };
	for (int i = 0; i < 2 - whole; i++) {
		part[i] = fm_op2(l, OP_gather, x, lg_const_int(l, i), fm_attr(l, A_axis, lg_int(l, rank + shift)));
		part[i] = shift ? fm_op1(l, OP_squeeze, part[i], front) : part[i];
	}
	return whole ? lg_replace(l, part, 1) : put_together(l, part[0], part[1]);
}
