#include "raise_int.h"

#include <string.h>

static const Attr *auto_pad_attr(Lg *l, bool *ok)
{
	const Str *s = op_attr_str(l->op, A_auto_pad);
	*ok = true;
	if (!s)
		return NULL;
	if (!strcmp(s->s, "same_upper"))
		return lg_text(l, "SAME_UPPER");
	if (!strcmp(s->s, "same_lower"))
		return lg_text(l, "SAME_LOWER");
	*ok = rz_no(l, "attribute 'auto_pad' has an unknown value");
	return NULL;
}

/* Sizes of the kernel, from the weight when they are known. */
static const Attr *kernel_attr(Lg *l, const Value *w)
{
	int64_t v[MAX_RANK];
	int rank = lg_rank(w);
	if (rank < 3 || rank > MAX_RANK)
		return NULL;
	for (int i = 2; i < rank; i++)
		if (!sym_const(w->type->dims[i], &v[i - 2]))
			return NULL;
	return lg_ints_attr(l, v, (size_t)rank - 2);
}

/* Conv, ConvTranspose, ConvInteger, QLinearConv, DeformConv. */
bool rz_conv(Lg *l, OpKind onnx)
{
	bool ok;
	const Attr *auto_pad = auto_pad_attr(l, &ok);
	Value *w = lg_in(l, onnx == ONNX_QLinearConv ? 3 : 1);
	bool transposed = onnx == ONNX_ConvTranspose;
	if (!ok)
		return false;
	RwAttr attrs[] = {
		{ A_auto_pad, auto_pad }, { A_dilations, lg_attr(l, A_dilations) }, { A_group, lg_attr(l, A_groups) },
		{ A_kernel_shape, kernel_attr(l, w) }, { A_pads, lg_attr(l, A_pads) }, { A_strides, lg_attr(l, A_strides) },
		{ A_output_padding, transposed ? lg_attr(l, A_output_padding) : NULL },
		{ A_output_shape, transposed ? lg_attr(l, A_output_shape) : NULL },
		{ A_offset_group, onnx == ONNX_DeformConv ? lg_attr(l, A_offset_group) : NULL }, { A_NONE, NULL },
	};
	return lg_become_same(l, onnx, attrs);
}

static bool all_ones(const Op *op, AttrName a)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, a, &v);
	for (size_t i = 0; i < n; i++)
		if (v[i] != 1)
			return false;
	return true;
}

/* An attribute that came with opset `since`; false when it is needed before. */
static bool newer(Lg *l, AttrName a, int since, bool needed, const Attr **out)
{
	*out = l->opset >= since ? lg_attr(l, a) : NULL;
	return l->opset >= since || !needed || rz_lacks(l, a);
}

bool rz_pool(Lg *l, OpKind onnx)
{
	bool ok, max = onnx == ONNX_MaxPool, avg = onnx == ONNX_AveragePool, lp = onnx == ONNX_LpPool;
	const Attr *auto_pad = auto_pad_attr(l, &ok), *ceil, *dil, *pad_counts = NULL, *order = NULL, *p = NULL;
	if (!ok || !newer(l, A_ceil_mode, lp ? 18 : 10, op_int(l->op, A_ceil_mode), &ceil) ||
			!newer(l, A_dilations, max ? 10 : avg ? 19 : 18, !all_ones(l->op, A_dilations), &dil))
		return false;
	if (avg && !newer(l, A_count_include_pad, 7, op_int(l->op, A_count_include_pad), &pad_counts))
		return false;
	if (max && !newer(l, A_storage_order, 8, op_int(l->op, A_storage_order), &order))
		return false;
	if (lp && lg_attr(l, A_p))
		p = l->opset >= 2 ? lg_attr(l, A_p) : lg_float(l, (double)op_int(l->op, A_p));
	RwAttr attrs[] = {
		{ A_auto_pad, auto_pad }, { A_ceil_mode, ceil }, { A_count_include_pad, pad_counts }, { A_dilations, dil },
		{ A_kernel_shape, lg_attr(l, A_kernel) }, { A_p, p }, { A_pads, lg_attr(l, A_pads) },
		{ A_storage_order, order }, { A_strides, lg_attr(l, A_strides) }, { A_NONE, NULL },
	};
	return lg_become_same(l, onnx, attrs);
}

bool rz_global_lp_pool(Lg *l, OpKind onnx)
{
	const Attr *p = lg_attr(l, A_p);
	if (p && l->opset < 2)
		p = lg_float(l, (double)op_int(l->op, A_p));
	return lg_become_same(l, onnx, (RwAttr[]){ { A_p, p }, { A_NONE, NULL } });
}

bool rz_max_unpool(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx, (RwAttr[]){ { A_kernel_shape, lg_attr(l, A_kernel) }, { A_pads, lg_attr(l, A_pads) },
			{ A_strides, lg_attr(l, A_strides) }, { A_NONE, NULL } });
}
