/* Convolutions with windows pulled apart and regions of images, in simpler ops: the same numbers before and after. */
#include "build.h"

#include <stdio.h>
#include <string.h>

static const char *const DEFORM[] = { "decompose-deform-conv", NULL };
static const char *const ROI[] = { "decompose-roi-align", NULL };

static Build *start(const char *const *rule)
{
	Build *b = build_new(19);
	b->only = rule;
	b->native_tolerance = 2e-3; /* places are worked out in single precision */
	return b;
}

static void finish(Build *b, Value *y, bool fires)
{
	const char *rule = b->only[0];
	b_output(b, y);
	b_optimise(b);
	assert_int_equal(b_fired(b, rule), fires);
	build_free(b);
}

/* ---- deform_conv ---- */

typedef struct DeformCase {
	const char *x, *w, *offset, *bias, *mask, *attrs;
	bool fires;
} DeformCase;

static void run_deform(const DeformCase *c, DType d)
{
	Build *b = start(DEFORM);
	Value *in[5] = { b_input(b, d, c->x), b_input(b, d, c->w), b_input(b, d, c->offset), c->bias ? b_random(b, d, c->bias) : NULL,
		c->mask ? b_input(b, d, c->mask) : NULL };
	finish(b, b_op(b, OP_deform_conv, c->attrs, c->mask ? 5 : c->bias ? 4 : 3, in), c->fires);
}

static void deform_conv(void **state)
{
	(void)state;
	static const DeformCase cases[] = {
		{ "2,3,6,5", "4,3,3,3", "2,18,4,3", NULL, NULL, "", true },
		{ "2,3,6,5", "4,3,3,3", "2,18,4,3", "4", "2,9,4,3", "", true },
		{ "1,4,7,6", "6,2,2,3", "1,24,4,3", "6", "1,12,4,3", "groups=2 offset_group=2 strides=2,2 pads=1,1,1,1", true },
		{ "2,4,8,8", "4,1,3,2", "2,48,4,7", "4", NULL, "groups=4 offset_group=4 dilations=2,1", true },
		{ "1,2,9", "3,2,2", "1,2,5", NULL, "1,2,5", "strides=2 pads=1,0", true },
		{ "1,2,4,3,5", "2,2,2,2,2", "1,24,3,2,4", NULL, NULL, "", true },
		{ "1,1,1,1", "1,1,1,1", "1,2,1,1", NULL, NULL, "", true },
		{ "n,3,6,5", "4,3,3,3", "n,18,4,3", "4", "n,9,4,3", "", true },
		{ "0,3,6,5", "4,3,3,3", "0,18,4,3", NULL, NULL, "", false },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		run_deform(&cases[i], DT_F32);
		run_deform(&cases[i], DT_F64);
	}
}

/* Places of halves would be too coarse. */
static void deform_conv_of_halves(void **state)
{
	(void)state;
	Build *b = start(DEFORM);
	Value *in[3] = { b_input(b, DT_F16, "1,2,5,5"), b_random(b, DT_F16, "2,2,2,2"), b_input(b, DT_F16, "1,8,4,4") };
	finish(b, b_op(b, OP_deform_conv, "", 3, in), false);
}

/* ---- roi_align ---- */

typedef struct RoiCase {
	const char *x, *rois, *attrs;
	bool fires;
} RoiCase;

static void roi_align(void **state)
{
	(void)state;
	static const RoiCase cases[] = {
		{ "2,3,6,5", "3,4", "output_height=2 output_width=3 sampling_ratio=2", true },
		{ "2,3,6,5", "3,4", "output_height=2 output_width=3 sampling_ratio=3 mode=max", true },
		{ "2,3,9,8", "3,4", "output_height=3 output_width=1 sampling_ratio=2 coordinate_transformation_mode=output_half_pixel spatial_scale=2.5", true },
		{ "2,1,1,1", "3,4", "output_height=1 output_width=1 sampling_ratio=1", true },
		{ "2,3,6,5", "3,4", "output_height=2 output_width=2", false },
		{ "2,3,6,5", "0,4", "output_height=2 output_width=2 sampling_ratio=2", false },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int t = 0; t < 2; t++) {
			DType d = t ? DT_F64 : DT_F32;
			Build *b = start(ROI);
			Value *batch = cases[i].rois[0] == '0' ? b_input(b, DT_I64, "0") : B_INTS(b, 1, 0, 1);
			/* from outside of the image to its inside */
			Value *rois = B_OP(b, OP_mul, "", b_input(b, d, cases[i].rois), b_fill(b, d, "", 4));
			finish(b, B_OP(b, OP_roi_align, cases[i].attrs, b_input(b, d, cases[i].x), rois, batch), cases[i].fires);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(deform_conv), cmocka_unit_test(deform_conv_of_halves), cmocka_unit_test(roi_align) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
