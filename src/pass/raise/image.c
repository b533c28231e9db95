#include "raise_int.h"

#include <string.h>

static bool text_is(const Op *op, AttrName a, const char *s)
{
	return !strcmp(op_text(op, a), s);
}

/* The scales, computed from sizes when both shapes are known. */
static Value *scales_of(Lg *l)
{
	Value *x = lg_in(l, 0), *y = l->op->results[0];
	int64_t in[MAX_RANK], out[MAX_RANK];
	double s[MAX_RANK];
	if (lg_in(l, 2))
		return lg_in(l, 2);
	if (!type_static_dims(x->type, NULL) || !type_static_dims(y->type, NULL) || x->type->rank != y->type->rank ||
			x->type->rank > MAX_RANK)
		return NULL;
	type_static_dims(x->type, in);
	type_static_dims(y->type, out);
	for (int i = 0; i < x->type->rank; i++) {
		if (in[i] <= 0)
			return NULL;
		s[i] = (double)(float)((double)out[i] / (double)in[i]);
		if ((int64_t)((float)in[i] * (float)s[i]) != out[i])
			return NULL;
	}
	int64_t n = x->type->rank;
	return rz_floats(l, DT_F32, 1, &n, s);
}

/* Scales on the side of 1 on which the old operators round the way this op does. */
static bool rounding_fits(Lg *l, Value *scales, bool *all_up)
{
	size_t n;
	const double *v = constant_floats(l->a, scales, MAX_RANK, &n);
	bool up = true, down = true;
	for (size_t i = 0; v && i < n; i++) {
		up &= v[i] >= 1;
		down &= v[i] <= 1;
	}
	*all_up = v && up;
	if (text_is(l->op, A_mode, "linear"))
		return true;
	if (text_is(l->op, A_nearest_mode, "floor"))
		return l->opset < 10 || (v && up);
	return l->opset == 10 && text_is(l->op, A_nearest_mode, "ceil") && v && down;
}

/* Resize of opset 10, and Upsample before: scales only, from out(i) = in(i/scale). */
static bool old_resize(Lg *l)
{
	bool up;
	const double *v;
	size_t n;
	const Op *op = l->op;
	Value *x = lg_in(l, 0), *scales = scales_of(l);
	bool plain = text_is(op, A_coordinate_transformation_mode, "asymmetric") && !text_is(op, A_mode, "cubic") &&
			!op_int(op, A_exclude_outside) && !op_int(op, A_antialias) && !op_attr(op, A_axes) && !lg_in(l, 1);
	if (!plain || !scales || !rounding_fits(l, scales, &up))
		return rz_no(l, "that opset takes input 'scales' and coordinate_transformation_mode 'asymmetric' only");
	const Attr *mode = lg_text(l, op_text(op, A_mode));
	if (l->opset >= 9)
		return lg_become(l, l->opset >= 10 ? ONNX_Resize : ONNX_Upsample, (Value *[]){ x, scales }, 2,
				(RwAttr[]){ { A_mode, mode }, { A_NONE, NULL } });
	v = constant_floats(l->a, scales, MAX_RANK, &n);
	if (!v)
		return rz_no(l, "input 'scales' is an attribute in that opset and must be constant");
	if (l->opset >= 7)
		return lg_become(l, ONNX_Upsample, &x, 1, (RwAttr[]){ { A_mode, mode },
				{ A_scales, attr_floats(l->c, v, n) }, { A_NONE, NULL } });
	if (n != 4 || v[0] != 1 || v[1] != 1)
		return rz_no(l, "that opset resizes height and width only, its input 'scales' (or 'sizes') more");
	return lg_become(l, ONNX_Upsample, &x, 1, (RwAttr[]){
			{ A_mode, text_is(op, A_mode, "linear") ? lg_text(l, "bilinear") : mode },
			{ A_height_scale, lg_float(l, v[2]) }, { A_width_scale, lg_float(l, v[3]) }, { A_NONE, NULL } });
}

/* Operands that were required until opset 12 are empty tensors when they say nothing. */
bool rz_resize(Lg *l, OpKind onnx)
{
	static const AttrName kept[] = { A_mode, A_coordinate_transformation_mode, A_nearest_mode, A_cubic_coeff_a,
		A_exclude_outside, A_extrapolation_value, A_antialias, A_axes, A_keep_aspect_ratio_policy };
	Value *in[4] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2), lg_in(l, 3) };
	if (l->opset < 11)
		return old_resize(l);
	if (l->opset < 18 && (op_int(l->op, A_antialias) || op_attr(l->op, A_axes) ||
			!text_is(l->op, A_keep_aspect_ratio_policy, "stretch")))
		return rz_no(l, "that opset lacks attributes 'antialias', 'axes' and 'keep_aspect_ratio_policy', one of which it needs");
	if (l->opset < 19 && text_is(l->op, A_coordinate_transformation_mode, "half_pixel_symmetric"))
		return rz_no(l, "attribute 'coordinate_transformation_mode' has a value that came later");
	int64_t none = 0;
	for (int i = 1; l->opset < 13 && i <= 2; i++)
		if (!in[i])
			in[i] = rz_floats(l, DT_F32, 1, &none, NULL);
	RwAttr attrs[ARRAY_LEN(kept) + 1] = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		bool newer = kept[i] == A_antialias || kept[i] == A_axes || kept[i] == A_keep_aspect_ratio_policy;
		attrs[i] = (RwAttr){ kept[i], newer && l->opset < 18 ? NULL : op_attr(l->op, kept[i]) };
	}
	attrs[ARRAY_LEN(kept)] = (RwAttr){ A_NONE, NULL };
	return lg_become(l, onnx, in, 4, attrs);
}

/* Images had their own names for the modes before opset 20. */
bool rz_grid_sample(Lg *l, OpKind onnx)
{
	const Attr *mode = lg_attr(l, A_mode);
	const char *text = op_text(l->op, A_mode);
	if (l->opset < 20 && strcmp(text, "nearest"))
		mode = mode ? lg_text(l, !strcmp(text, "cubic") ? "bicubic" : "bilinear") : NULL;
	return lg_become_same(l, onnx, (RwAttr[]){ { A_mode, mode }, { A_padding_mode, lg_attr(l, A_padding_mode) },
			{ A_align_corners, lg_attr(l, A_align_corners) }, { A_NONE, NULL } });
}

bool rz_roi_align(Lg *l, OpKind onnx)
{
	if (l->opset < 16) {
		if (!text_is(l->op, A_coordinate_transformation_mode, "output_half_pixel"))
			return rz_no(l, "that opset lacks attribute 'coordinate_transformation_mode' and does not shift coordinates by half a pixel");
		op_set_attr(l->op, l->c->attr_names[A_coordinate_transformation_mode], NULL);
	}
	return lg_copy(l, onnx);
}
