/* Rules of the decompose topic: composite ops in terms of ops that every backend has. No level runs them by itself; the pass
 * `decompose` does, for models that are written for a compiler. */
#include "rewrite/rules.h"
#include "decompose_int.h"

enum { ON_REQUEST = 4 };  /* above every level */
#define ROUNDED 2e-7     /* constants that the op has in double are held in single precision */

static const Rule RULES[] = {
	{ "decompose-resize", "resize of known sizes", "gathers, or products with constant matrices, axis by axis", OP_resize,
		CLASS_ROUNDING, ON_REQUEST, dc_resize, ROUNDED },
	{ "decompose-grid-sample", "grid_sample", "gathers of the neighbours of each point, weighted", OP_grid_sample,
		CLASS_ROUNDING, ON_REQUEST, dc_grid_sample, ROUNDED },
	{ "decompose-deform-conv", "deform_conv", "matmul(w, gathers of the neighbours of each point, weighted)", OP_deform_conv,
		CLASS_ROUNDING, ON_REQUEST, dc_deform_conv, ROUNDED },
	{ "decompose-roi-align", "roi_align with a sampling_ratio", "gathers of the neighbours of each sample, weighted, their mean", OP_roi_align,
		CLASS_ROUNDING, ON_REQUEST, dc_roi_align, ROUNDED },
	{ "decompose-quantize", "quantize in blocks or to 4 or 16 bits", "cast(clamp(round(x / scale) + zero))", OP_quantize,
		CLASS_ROUNDING, ON_REQUEST, dc_quantize, 0 },
	{ "decompose-dequantize", "dequantize in blocks or from 4 or 16 bits", "(x - zero) * scale", OP_dequantize,
		CLASS_ROUNDING, ON_REQUEST, dc_dequantize, 0 },
	{ "decompose-quantized-matmul", "quantized_matmul", "matmul_integer, scaled and rounded", OP_quantized_matmul,
		CLASS_ROUNDING, ON_REQUEST, dc_quantized_matmul, 0 },
	{ "decompose-quantized-conv", "quantized_conv", "conv_integer, scaled and rounded", OP_quantized_conv, CLASS_ROUNDING,
		ON_REQUEST, dc_quantized_conv, 0 },
	{ "decompose-dft", "dft of known length", "products with matrices of cosines and sines", OP_dft, CLASS_ROUNDING,
		ON_REQUEST, dc_dft, ROUNDED },
	{ "decompose-affine-grid", "affine_grid of known size", "matmul(points, transpose(theta))", OP_affine_grid,
		CLASS_ROUNDING, ON_REQUEST, dc_affine_grid, ROUNDED },
	{ "decompose-col2im", "col2im of known sizes", "conv_transpose with a kernel of ones and zeros", OP_col2im,
		CLASS_DOMAIN, ON_REQUEST, dc_col2im, 0 },
	{ "decompose-conv-transpose", "conv_transpose of several groups", "concat of one for each group", OP_conv_transpose,
		CLASS_EXACT, ON_REQUEST, dc_conv_transpose, 0 },
	{ "decompose-lp-pool", "lp_pool(x)", "conv(|x|^p, ones)^(1/p)", OP_lp_pool, CLASS_ROUNDING, ON_REQUEST,
		dc_lp_pool, ROUNDED },
	{ "decompose-max-unpool", "max_unpool(x, places)", "scatter_elements(zeros, places, x)", OP_max_unpool, CLASS_EXACT,
		ON_REQUEST, dc_max_unpool, 0 },
	{ "decompose-scatter-elements", "scatter_elements that adds, multiplies ...", "scatter_nd with all coordinates",
		OP_scatter_elements, CLASS_EXACT, ON_REQUEST, dc_scatter_elements, 0 },
	{ "decompose-loop", "loop of a few iterations", "its body, as many times", OP_loop, CLASS_EXACT, ON_REQUEST, dc_loop, 0 },
};

const RuleSet RULES_DECOMPOSE = { "decompose", RULES, ARRAY_LEN(RULES) };

/* Forms that compilers have not, although they are the better ones: after everything else, since other rules make them. */
static const Rule LAST[] = {
	{ "backend-slice", "slice that goes backwards", "gather of constant places", OP_slice, CLASS_EXACT, ON_REQUEST,
		dc_slice_back, 0 },
	{ "backend-pad", "pad by reflection, edge or wrapping", "gather of constant places", OP_pad, CLASS_EXACT, ON_REQUEST,
		dc_pad, 0 },
	{ "backend-conv", "conv whose last window ends early", "conv of what it reaches", OP_conv, CLASS_EXACT, ON_REQUEST,
		dc_conv, 0 },
	{ "backend-reverse", "reverse(x)", "gather of constant places", OP_reverse, CLASS_EXACT, ON_REQUEST, dc_reverse, 0 },
	{ "backend-max-pool", "max_pool with uneven pads", "max_pool(pad(x, -inf))", OP_max_pool, CLASS_EXACT, ON_REQUEST,
		dc_max_pool, 0 },
};

const RuleSet RULES_BACKEND = { "backend", LAST, ARRAY_LEN(LAST) };
