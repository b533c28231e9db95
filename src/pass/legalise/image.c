#include "legalise_int.h"

#include <string.h>

/* What Upsample and Resize of opset 10 do: out(i) comes from in(i/scale). */
static bool become_asymmetric(Lg *l, Value *x, Value *scales, const char *mode, const char *nearest)
{
	return lg_become(l, OP_resize, (Value *[]){ x, NULL, scales }, 3, (RwAttr[]){ { A_mode, lg_text(l, mode) },
			{ A_coordinate_transformation_mode, lg_text(l, "asymmetric") }, { A_nearest_mode, lg_text(l, nearest) },
			{ A_NONE, NULL } });
}

/* Opset 1 calls it bilinear. */
static const char *upsample_mode(const Op *op)
{
	const Str *mode = op_attr_str(op, A_mode);
	if (!mode || !strcmp(mode->s, "nearest"))
		return "nearest";
	return !strcmp(mode->s, "linear") || !strcmp(mode->s, "bilinear") ? "linear" : NULL;
}

/* Scales: height_scale and width_scale (opset 1), an attribute (7), an operand (9). */
bool lg_upsample(Lg *l, OpKind core)
{
	(void)core;
	const char *mode = upsample_mode(l->op);
	Value *scales = lg_in(l, 1);
	const Attr *list = lg_attr(l, A_scales);
	if (!mode)
		return false;
	if (!scales && list && list->kind == ATTR_FLOATS) {
		int64_t n = (int64_t)list->u.floats.n;
		scales = constant_from_floats(l->op->block, l->op, DT_F32, 1, &n, list->u.floats.v);
	} else if (!scales && lg_attr(l, A_height_scale) && lg_attr(l, A_width_scale)) {
		double v[4] = { 1, 1, op_attr_float(l->op, A_height_scale, 1), op_attr_float(l->op, A_width_scale, 1) };
		scales = constant_from_floats(l->op->block, l->op, DT_F32, 1, (int64_t[]){ 4 }, v);
	}
	return scales && become_asymmetric(l, lg_in(l, 0), scales, mode, "floor");
}

/* Resize of opset 10: nearest rounds down where an axis grows and up where it shrinks, hence two steps when both happen,
 * and no meaning in core while the scales are unknown. */
static bool resize_10(Lg *l)
{
	const char *mode = upsample_mode(l->op);
	Value *x = lg_in(l, 0), *scales = lg_in(l, 1);
	if (!mode || !scales)
		return false;
	if (!strcmp(mode, "linear"))
		return become_asymmetric(l, x, scales, mode, "floor");
	size_t n;
	const double *v = constant_floats(l->a, scales, MAX_RANK, &n);
	if (!v)
		return false;
	double up[MAX_RANK], down[MAX_RANK];
	bool grows = false, shrinks = false;
	for (size_t i = 0; i < n; i++) {
		up[i] = v[i] > 1 ? v[i] : 1;
		down[i] = v[i] < 1 ? v[i] : 1;
		grows |= v[i] > 1;
		shrinks |= v[i] < 1;
	}
	if (!shrinks || !grows)
		return become_asymmetric(l, x, scales, mode, shrinks ? "ceil" : "floor");
	int64_t dim = (int64_t)n;
	Value *first = constant_from_floats(l->op->block, l->op, DT_F32, 1, &dim, down);
	Value *second = constant_from_floats(l->op->block, l->op, DT_F32, 1, &dim, up);
	RwAttr attrs[] = { { A_mode, lg_text(l, mode) }, { A_coordinate_transformation_mode, lg_text(l, "asymmetric") },
		{ A_nearest_mode, lg_text(l, "ceil") }, { A_NONE, NULL } };
	Value *smaller = lg_new(l, OP_resize, (Value *[]){ x, NULL, first }, 3, attrs);
	return become_asymmetric(l, smaller, second, mode, "floor");
}

static const char *const resize_modes[] = { "nearest", "linear", "cubic", NULL };
static const char *const coordinate_modes[] = { "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
	"asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize", NULL };
static const char *const nearest_modes[] = { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL };
static const char *const aspect_modes[] = { "stretch", "not_larger", "not_smaller", NULL };

static bool text_in(const Op *op, AttrName a, const char *const *known)
{
	const Str *s = op_attr_str(op, a);
	if (!s)
		return !op_attr(op, a);
	while (*known && strcmp(*known, s->s))
		known++;
	return *known != NULL;
}

/* Empty tensors stand for absent operands; the region only counts for tf_crop_and_resize; sizes win over scales. */
bool lg_resize(Lg *l, OpKind core)
{
	if (l->opset < 11)
		return resize_10(l);
	const Op *op = l->op;
	if (!text_in(op, A_mode, resize_modes) || !text_in(op, A_coordinate_transformation_mode, coordinate_modes) ||
			!text_in(op, A_nearest_mode, nearest_modes) || !text_in(op, A_keep_aspect_ratio_policy, aspect_modes))
		return false;
	bool crop = op_attr_is(op, A_coordinate_transformation_mode, "tf_crop_and_resize");
	Value *in[4] = { lg_in(l, 0), crop ? lg_in(l, 1) : NULL, lg_in(l, 2), lg_in(l, 3) };
	if (lg_is_empty(in[3]))
		in[3] = NULL;
	if (in[3] || lg_is_empty(in[2]))
		in[2] = NULL;
	if (!in[2] && !in[3])
		return false;
	static const AttrName kept[] = { A_mode, A_coordinate_transformation_mode, A_nearest_mode, A_cubic_coeff_a,
		A_exclude_outside, A_extrapolation_value, A_antialias, A_axes, A_keep_aspect_ratio_policy };
	RwAttr attrs[ARRAY_LEN(kept) + 1] = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		attrs[i] = (RwAttr){ kept[i], op_attr(op, kept[i]) };
	attrs[ARRAY_LEN(kept)] = (RwAttr){ A_NONE, NULL };
	return lg_become(l, core, in, 4, attrs);
}

/* Opset 16 spoke of images (bilinear, bicubic), opset 20 of any rank (linear, cubic). */
bool lg_grid_sample(Lg *l, OpKind core)
{
	const Str *mode = op_attr_str(l->op, A_mode);
	const Attr *m = lg_attr(l, A_mode);
	if (mode && !strcmp(mode->s, "bilinear"))
		m = lg_text(l, "linear");
	else if (mode && !strcmp(mode->s, "bicubic"))
		m = lg_text(l, "cubic");
	else if (mode && strcmp(mode->s, "nearest") && strcmp(mode->s, "linear") && strcmp(mode->s, "cubic"))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_mode, m }, { A_padding_mode, lg_attr(l, A_padding_mode) },
			{ A_align_corners, lg_attr(l, A_align_corners) }, { A_NONE, NULL } });
}

/* Before opset 16 coordinates were not shifted by half a pixel. */
bool lg_roi_align(Lg *l, OpKind core)
{
	if (l->opset < 16)
		op_set_attr(l->op, l->c->attr_names[A_coordinate_transformation_mode], lg_text(l, "output_half_pixel"));
	return lg_copy(l, core);
}
