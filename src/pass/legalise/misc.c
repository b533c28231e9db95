#include "legalise_int.h"

#include <string.h>

/* ---- quantisation ---- */

static const Attr *dtype_attr_or_null(Lg *l, DType d)
{
	return d != DT_NONE ? attr_dtype(l->c, d) : NULL;
}

/* output_dtype 0 means: as the zero point. `precision` only has a core meaning when it is left to the operator. */
static bool quantised_type(Lg *l, DType *out)
{
	*out = DT_NONE;
	return op_attr_int(l->op, A_output_dtype, 0) == 0 || lg_type_attr(l, A_output_dtype, DT_NONE, out);
}

bool lg_quantize(Lg *l, OpKind core)
{
	DType to;
	if (!quantised_type(l, &to) || op_attr_int(l->op, A_precision, 0))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_block_size, lg_attr(l, A_block_size) },
			{ A_saturate, lg_attr(l, A_saturate) }, { A_to, dtype_attr_or_null(l, to) }, { A_NONE, NULL } });
}

bool lg_dequantize(Lg *l, OpKind core)
{
	DType to;
	if (!quantised_type(l, &to))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_block_size, lg_attr(l, A_block_size) },
			{ A_to, dtype_attr_or_null(l, to) }, { A_NONE, NULL } });
}

/* ---- recurrent: output_sequence (opset 1) only says which results exist ---- */

bool lg_rnn(Lg *l, OpKind core)
{
	const Str *dir = op_attr_str(l->op, A_direction);
	if (dir && strcmp(dir->s, "forward") && strcmp(dir->s, "reverse") && strcmp(dir->s, "bidirectional"))
		return false;
	return lg_copy(l, core);
}

/* ---- signal ---- */

/* The axis was an attribute, 1 by default, and became an operand with opset 20. */
bool lg_dft(Lg *l, OpKind core)
{
	Value *axis = lg_in(l, 2);
	if (l->opset < 20)
		axis = lg_const_int(l, op_attr_int(l->op, A_axis, 1));
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 1), axis }, 3,
			(RwAttr[]){ { A_inverse, lg_attr(l, A_inverse) }, { A_onesided, lg_attr(l, A_onesided) }, { A_NONE, NULL } });
}

bool lg_window(Lg *l, OpKind core)
{
	OpKind k = op_kind(l->op);
	const char *kind = k == ONNX_HannWindow ? "hann" : k == ONNX_HammingWindow ? "hamming" : "blackman";
	DType to;
	if (!lg_type_attr(l, A_output_datatype, DT_F32, &to))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_kind, lg_text(l, kind) }, { A_periodic, lg_attr(l, A_periodic) },
			{ A_to, attr_dtype(l->c, to) }, { A_NONE, NULL } });
}

bool lg_mel(Lg *l, OpKind core)
{
	DType to;
	if (!lg_type_attr(l, A_output_datatype, DT_F32, &to))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_to, attr_dtype(l->c, to) }, { A_NONE, NULL } });
}

/* ---- random numbers ---- */

static bool become_random(Lg *l, OpKind core, Value *shape, DType to)
{
	bool normal = core == OP_random_normal;
	return lg_become(l, core, &shape, 1, (RwAttr[]){ { A_mean, normal ? lg_attr(l, A_mean) : NULL },
			{ A_scale, normal ? lg_attr(l, A_scale) : NULL }, { A_low, normal ? NULL : lg_attr(l, A_low) },
			{ A_high, normal ? NULL : lg_attr(l, A_high) }, { A_seed, lg_attr(l, A_seed) },
			{ A_to, attr_dtype(l->c, to) }, { A_NONE, NULL } });
}

bool lg_random(Lg *l, OpKind core)
{
	DType to;
	const int64_t *shape;
	if (!lg_type_attr(l, A_dtype, DT_F32, &to) || !op_attr(l->op, A_shape))
		return false;
	size_t n = op_attr_ints(l->op, A_shape, &shape);
	return become_random(l, core, lg_const_ints(l, shape, n), to);
}

bool lg_random_like(Lg *l, OpKind core)
{
	DType to;
	if (!lg_type_attr(l, A_dtype, lg_dtype(lg_in(l, 0)), &to) || to == DT_NONE)
		return false;
	return become_random(l, core, lg_new1(l, OP_shape, lg_in(l, 0), NULL), to);
}

bool lg_bernoulli(Lg *l, OpKind core)
{
	DType to;
	bool multinomial = core == OP_multinomial;
	if (!lg_type_attr(l, A_dtype, multinomial ? DT_I32 : DT_NONE, &to))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_seed, lg_attr(l, A_seed) }, { A_to, dtype_attr_or_null(l, to) },
			{ A_sample_size, multinomial ? lg_attr(l, A_sample_size) : NULL }, { A_NONE, NULL } });
}
