/* Rules of the slice topic that stand in other files. */
#ifndef HONE_RULES_SLICE_H
#define HONE_RULES_SLICE_H

#include "rewrite/rewrite.h"

/* rules_gather.c */
RuleFn gather_whole, gather_gather, gather_unsqueeze, slice_squeeze, pad_zero, pad_pad, slice_of_pad, scatter_all,
	reverse_reverse, reverse_unit, space_depth_pair, resize_unit, resize_unit_smooth, focus;

#define RULES_GATHER_ROWS \
	{ "gather-whole", "gather(x, [0 .. n-1])", "x", OP_gather, CLASS_EXACT, 1, gather_whole }, \
	{ "gather-gather", "gather(gather(x, a), b)", "gather(x, a[b])", OP_gather, CLASS_EXACT, 1, gather_gather }, \
	{ "gather-unsqueeze", "unsqueeze(gather(x, 2))", "slice(x, 2, 3)", OP_unsqueeze, CLASS_EXACT, 1, gather_unsqueeze }, \
	{ "slice-squeeze", "squeeze(slice(x, 2, 3))", "gather(x, 2)", OP_squeeze, CLASS_EXACT, 1, slice_squeeze }, \
	{ "pad-zero", "pad(x, [0, 0])", "x", OP_pad, CLASS_EXACT, 1, pad_zero }, \
	{ "pad-pad", "pad(pad(x, a), b)", "pad(x, a + b)", OP_pad, CLASS_EXACT, 1, pad_pad }, \
	{ "slice-of-pad", "slice(pad(x)) that sees no padding", "slice(x)", OP_slice, CLASS_EXACT, 1, slice_of_pad }, \
	{ "scatter-all", "scatter_nd(x, all positions, y)", "y", OP_scatter_nd, CLASS_EXACT, 1, scatter_all }, \
	{ "reverse-reverse", "reverse(reverse(x))", "x", OP_reverse, CLASS_EXACT, 1, reverse_reverse }, \
	{ "reverse-unit", "reverse(x) along axes of size 1", "x", OP_reverse, CLASS_EXACT, 1, reverse_unit }, \
	{ "space-depth-pair", "depth_to_space(space_to_depth(x))", "x", OP_depth_to_space, CLASS_EXACT, 1, space_depth_pair }, \
	{ "space-depth-pair", "space_to_depth(depth_to_space(x))", "x", OP_space_to_depth, CLASS_EXACT, 1, space_depth_pair }, \
	{ "resize-unit", "nearest resize by scales of 1", "x", OP_resize, CLASS_EXACT, 1, resize_unit }, \
	{ "resize-unit-smooth", "linear or cubic resize by scales of 1", "x", OP_resize, CLASS_ROUNDING, 2, \
		resize_unit_smooth }, \
	{ "focus", "concat of the n * n strided slices of x", "space_to_depth(x)", OP_concat, CLASS_EXACT, 1, focus },

#endif
