/* Rules of the slice topic for gather, pad, scatter, reverse, space to depth and resize. */
#include "rewrite/rules_slice.h"
#include "rewrite/move_int.h"

#include <string.h>

static Value *data_of(const Op *op)
{
	return op_operand(op, 0);
}

/* ---- gather ---- */

/* Non-negative index of an axis of n elements (n < 0: unknown). */
static bool plain_index(int64_t i, int64_t n, int64_t *out)
{
	*out = i < 0 && n >= 0 ? i + n : i;
	return *out >= 0 && (n < 0 || *out < n);
}

bool gather_whole(Rw *rw, Op *root)
{
	Value *x = data_of(root), *indices = op_operand(root, 1);
	int axis;
	size_t n;
	if (!axis_norm(op_int(root, A_axis), value_rank(x), &axis) || value_rank(indices) != 1)
		return rw_no(rw, "it takes no list of positions");
	const int64_t *v = fact_ints(rw, indices, &n);
	if (!v || (int64_t)n != value_dim(x, axis))
		return rw_no(rw, "it takes not as many positions as there are, or they are not known");
	for (size_t i = 0; i < n; i++) {
		int64_t at;
		if (!plain_index(v[i], (int64_t)n, &at) || at != (int64_t)i)
			return rw_no(rw, "position %zu is taken from elsewhere", i);
	}
	return replace_by_existing(rw, root->results[0], x);
}

/* Both take lists along the same axis: one list will do. */
bool gather_gather(Rw *rw, Op *root)
{
	Op *inner = live_def(data_of(root), OP_gather);
	if (!inner)
		return rw_no(rw, "the operand is no gather");
	Value *x = data_of(inner), *first = op_operand(inner, 1), *second = op_operand(root, 1);
	int a, b;
	size_t n, m;
	if (!axis_norm(op_int(inner, A_axis), value_rank(x), &a) ||
		!axis_norm(op_int(root, A_axis), value_rank(data_of(root)), &b) || a != b || value_rank(first) != 1)
		return rw_no(rw, "the gathers take from different axes");
	const int64_t *v = fact_ints(rw, first, &n), *w = fact_ints(rw, second, &m);
	int64_t dims[MAX_RANK], *both = NEW_ARRAY(rw->scratch, int64_t, (w ? m : 0) + 1);
	if (!v || !w || !rw_static_shape(rw, second, dims))
		return rw_no(rw, "the positions are not known");
	for (size_t i = 0; i < m; i++) {
		int64_t at;
		if (!plain_index(w[i], (int64_t)n, &at))
			return rw_no(rw, "a position is out of range");
		both[i] = v[at];
	}
	Value *indices = rw_constant_ints(rw, DT_I64, value_rank(second), dims, both);
	return rw_replace(rw, root->results[0], rw_op2(rw, OP_gather, x, indices,
			(RwAttr[]){ { A_axis, attr_int(rw->ctx, a) }, { A_NONE, NULL } }));
}

/* unsqueeze(gather(x, i), axis) of a scalar i along the same axis -> slice(x, i, i + 1) */
bool gather_unsqueeze(Rw *rw, Op *root)
{
	Op *gather = live_def(data_of(root), OP_gather);
	const int64_t *axes;
	int axis, at;
	int64_t i;
	if (!gather || value_rank(op_operand(gather, 1)) != 0)
		return rw_no(rw, "the operand is no gather of one position");
	Value *x = data_of(gather);
	if (!axis_norm(op_int(gather, A_axis), value_rank(x), &axis) || op_attr_ints(root, A_axes, &axes) != 1 ||
			!axis_norm(axes[0], value_rank(x), &at) || at != axis || value_rank(x) > MAX_RANK)
		return rw_no(rw, "the axis comes back elsewhere");
	if (!fact_int(rw, op_operand(gather, 1), &i) || !rw_may_rebuild(rw, data_of(root)))
		return rw_no(rw, "the position is not known, or the gather has other users");
	Span s = { .rank = value_rank(x) };
	s.on[axis] = true;
	s.start[axis] = i;
	s.end[axis] = i == -1 ? SPAN_END : i + 1;
	s.step[axis] = 1;
	return rw_replace(rw, root->results[0], rw_slice(rw, x, &s));
}

/* squeeze(slice(x, i, i + 1), axis) -> gather(x, i) */
bool slice_squeeze(Rw *rw, Op *root)
{
	Op *slice = live_def(data_of(root), OP_slice);
	const int64_t *axes;
	Span s;
	int axis;
	if (!slice)
		return rw_no(rw, "the operand is no slice");
	size_t n = op_attr_ints(root, A_axes, &axes);
	if (!slice_span(rw, slice, &s))
		return false;
	int only = span_axis(&s);
	if (only < 0 || n != 1 || !axis_norm(axes[0], s.rank, &axis) || axis != only)
		return rw_no(rw, "other axes are dropped than were cut");
	if (value_dim(slice->results[0], axis) != 1 || !rw_may_rebuild(rw, data_of(root)))
		return rw_no(rw, "the slice is not certainly one element long, or has other users");
	int64_t size = value_dim(data_of(slice), axis), i = s.start[axis];
	if (size >= 0)
		i = i < 0 ? (i < -size ? 0 : i + size) : i;
	if (i < 0 || (size >= 0 && i >= size))
		return rw_no(rw, "where it cuts is not known");
	return rw_replace(rw, root->results[0],
		rw_op2(rw, OP_gather, data_of(slice), rw_constant_ints(rw, DT_I64, 0, NULL, &i),
			(RwAttr[]){{A_axis, attr_int(rw->ctx, axis)}, {A_NONE, NULL}}));
}

/* ---- pad ---- */

bool pad_zero(Rw *rw, Op *root)
{
	size_t n;
	const int64_t *v = fact_ints(rw, op_operand(root, 1), &n);
	if (!v)
		return rw_no(rw, "the pads are not known");
	for (size_t i = 0; i < n; i++)
		if (v[i])
			return rw_no(rw, "it pads");
	return replace_by_existing(rw, root->results[0], data_of(root));
}

/* Pads by axis of the operand: begins then ends. */
static bool pads_of(Rw *rw, const Op *pad, int64_t *begin, int64_t *end)
{
	int rank = value_rank(data_of(pad));
	size_t n;
	const int64_t *v = fact_ints(rw, op_operand(pad, 1), &n), *axes;
	size_t na = op_attr_ints(pad, A_axes, &axes);
	bool listed = op_attr(pad, A_axes) != NULL;
	if (!v || rank < 0 || rank > MAX_RANK || n != 2 * (listed ? na : (size_t)rank))
		return rw_no(rw, "the pads or the rank are not known");
	memset(begin, 0, sizeof(*begin) * MAX_RANK);
	memset(end, 0, sizeof(*end) * MAX_RANK);
	for (size_t i = 0; i < n / 2; i++) {
		int axis;
		if (!axis_norm(listed ? axes[i] : (int64_t)i, rank, &axis))
			return rw_no(rw, "an axis is out of range");
		begin[axis] = v[i];
		end[axis] = v[n / 2 + i];
	}
	return true;
}

static bool same_constant(const Value *a, const Value *b)
{
	if (a == b)
		return true;
	const Attr *x = value_constant(a), *y = value_constant(b);
	return a && b && x && y && attr_equal(x, y);
}

/* A missing value is zero. */
static bool same_pad_value(const Op *a, const Op *b)
{
	Value *p = op_operand(a, 2), *q = op_operand(b, 2);
	if (p && q)
		return same_constant(p, q);
	return (!p || constant_all(p, 0)) && (!q || constant_all(q, 0));
}

bool pad_pad(Rw *rw, Op *root)
{
	Op *inner = live_def(data_of(root), OP_pad);
	int64_t b1[MAX_RANK], e1[MAX_RANK], b2[MAX_RANK], e2[MAX_RANK], both[2 * MAX_RANK];
	if (!inner)
		return rw_no(rw, "the operand is no pad");
	const char *mode = op_text(root, A_mode);
	bool edge = !strcmp(mode, "edge");
	if (strcmp(mode, op_text(inner, A_mode)) || (!edge && (strcmp(mode, "constant") || !same_pad_value(root, inner))))
		return rw_no(rw, "the pads fill in differently");
	if (!pads_of(rw, inner, b1, e1) || !pads_of(rw, root, b2, e2))
		return false;
	int rank = value_rank(data_of(root));
	for (int i = 0; i < rank; i++) {
		if (b1[i] < 0 || e1[i] < 0 || b2[i] < 0 || e2[i] < 0 || !add_ok(b1[i], b2[i], &both[i]) ||
				!add_ok(e1[i], e2[i], &both[rank + i]))
			return rw_no(rw, "a pad crops");
		if (edge && sym_lower(data_of(inner)->type->dims[i]) < 1)
			return rw_no(rw, "an axis may be empty");
	}
	Value *in[3] = {data_of(inner), rw_ints(rw, both, 2 * (size_t)rank),
		op_operand(root, 2) ? op_operand(root, 2) : op_operand(inner, 2)};
	return rw_replace(rw, root->results[0], rw_op(rw, OP_pad, in, edge || !in[2] ? 2 : 3,
			(RwAttr[]){ { A_mode, op_attr(root, A_mode) }, { A_NONE, NULL } }));
}

/* On padded axes the slice stays inside of what was there before. */
bool slice_of_pad(Rw *rw, Op *root)
{
	Op *pad = live_def(data_of(root), OP_pad);
	int64_t begin[MAX_RANK], end[MAX_RANK];
	Span s;
	if (!pad)
		return rw_no(rw, "the operand is no pad");
	if (!pads_of(rw, pad, begin, end) || !slice_span(rw, root, &s))
		return false;
	bool whole = true;
	for (int i = 0; i < s.rank; i++) {
		int64_t size = value_dim(data_of(pad), i), from, to;
		if (begin[i] == 0 && end[i] == 0) {
			whole &= !s.on[i];
			continue;
		}
		if (begin[i] < 0 || end[i] < 0 || size < 0 || !s.on[i] || s.step[i] < 1)
			return rw_no(rw, "the padded axis %d is not cut back", i);
		span_clamp(&s, i, size + begin[i] + end[i], &from, &to);
		if (from < begin[i] || to > begin[i] + size || to <= from)
			return rw_no(rw, "it sees some of the padding of axis %d", i);
		s.start[i] = from - begin[i];
		s.end[i] = to - begin[i];
		s.on[i] = s.start[i] != 0 || s.end[i] != size || s.step[i] != 1;
		whole &= !s.on[i];
	}
	if (whole)
		return replace_by_existing(rw, root->results[0], data_of(pad));
	return rw_replace(rw, root->results[0], rw_slice(rw, data_of(pad), &s));
}

/* ---- scatter ---- */

/* All positions in order along the leading axes that the indices name. */
static bool names_all(const int64_t *v, size_t n, int depth, const Type *x)
{
	int64_t dims[MAX_RANK], at[MAX_RANK] = { 0 }, count = 1;
	for (int i = 0; i < depth; i++)
		if (!sym_const(x->dims[i], &dims[i]) || !mul_ok(count, dims[i], &count))
			return false;
	if (count < 1 || (size_t)count * (size_t)depth != n)
		return false;
	for (int64_t k = 0; k < count; k++) {
		for (int i = 0; i < depth; i++)
			if ((v[k * depth + i] < 0 ? v[k * depth + i] + dims[i] : v[k * depth + i]) != at[i])
				return false;
		for (int i = depth - 1; i >= 0 && ++at[i] == dims[i]; i--)
			at[i] = 0;
	}
	return true;
}

bool scatter_all(Rw *rw, Op *root)
{
	Value *x = data_of(root), *indices = op_operand(root, 1), *updates = op_operand(root, 2);
	if (strcmp(op_text(root, A_reduction), "none"))
		return rw_no(rw, "it combines old and new elements");
	int rank = value_rank(indices);
	int64_t depth = value_dim(indices, rank - 1);
	size_t n;
	const int64_t *v = value_count(indices) <= 65536 ? fact_ints(rw, indices, &n) : NULL;
	if (!v && value_is_constant(indices))
		v = rw_const_ints(rw, indices, &n);
	if (!v || value_rank(x) < 0 || depth < 1 || depth > value_rank(x) || depth > MAX_RANK)
		return rw_no(rw, "the positions are not known");
	if (!names_all(v, n, (int)depth, x->type))
		return rw_no(rw, "some elements stay, or are written in another order");
	if (!rw_same_type(rw, x, updates))
		return false;
	return replace_by_existing(rw, root->results[0], updates);
}

/* ---- pairs that undo each other ---- */

static bool axes_set(const Op *op, int rank, uint32_t *set)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, A_axes, &v);
	*set = 0;
	for (size_t i = 0; i < n; i++) {
		int axis;
		if (!axis_norm(v[i], rank, &axis) || axis >= 32)
			return false;
		*set ^= 1u << axis;
	}
	return true;
}

/* Axes that both reverse are as before. */
bool reverse_reverse(Rw *rw, Op *root)
{
	Op *inner = live_def(data_of(root), OP_reverse);
	uint32_t a, b;
	if (!inner)
		return rw_no(rw, "the operand is no reverse");
	int rank = value_rank(data_of(root));
	if (!axes_set(root, rank, &a) || !axes_set(inner, rank, &b))
		return rw_no(rw, "the rank is unknown");
	int64_t axes[32];
	size_t n = 0;
	for (int i = 0; i < 32; i++)
		if ((a ^ b) >> i & 1)
			axes[n++] = i;
	if (n == 0)
		return replace_by_existing(rw, root->results[0], data_of(inner));
	return rw_replace(rw, root->results[0], rw_op1(rw, OP_reverse, data_of(inner),
			(RwAttr[]){ { A_axes, attr_ints(rw->ctx, axes, n) }, { A_NONE, NULL } }));
}

/* Axes of one element, or none, are the same in reverse. */
bool reverse_unit(Rw *rw, Op *root)
{
	Value *x = data_of(root);
	uint32_t set;
	if (!axes_set(root, value_rank(x), &set))
		return rw_no(rw, "the rank is unknown");
	int64_t axes[32];
	size_t n = 0, all = 0;
	for (int i = 0; i < 32; i++) {
		if (!(set >> i & 1))
			continue;
		int64_t size = value_dim(x, i);
		all++;
		if (size != 0 && size != 1)
			axes[n++] = i;
	}
	if (n == all && n > 0)
		return rw_no(rw, "no axis that it reverses is known to have one element");
	if (n == 0)
		return replace_by_existing(rw, root->results[0], x);
	return rw_replace(rw, root->results[0], rw_op1(rw, OP_reverse, x,
			(RwAttr[]){ { A_axes, attr_ints(rw->ctx, axes, n) }, { A_NONE, NULL } }));
}

bool space_depth_pair(Rw *rw, Op *root)
{
	bool to_space = op_is(root, OP_depth_to_space);
	Op *inner = live_def(data_of(root), to_space ? OP_space_to_depth : OP_depth_to_space);
	if (!inner)
		return rw_no(rw, "the operand is not its inverse");
	const Op *space = to_space ? root : inner;
	if (op_int(root, A_blocksize) != op_int(inner, A_blocksize) || strcmp(op_text(space, A_mode), "DCR"))
		return rw_no(rw, "the blocks differ");
	return rw_same_type(rw, data_of(inner), root->results[0]) &&
		   replace_by_existing(rw, root->results[0], data_of(inner));
}

/* ---- resize ---- */

/* Every sampled position is a position of the operand itself. */
static bool samples_itself(Rw *rw, const Op *op)
{
	Value *scales = op_operand(op, 2), *sizes = op_operand(op, 3);
	const char *how = op_text(op, A_coordinate_transformation_mode);
	if (!rw_same_type(rw, data_of(op), op->results[0]))
		return false;
	if (!strcmp(how, "tf_crop_and_resize") || !strcmp(how, "tf_half_pixel_for_nn"))
		return rw_no(rw, "%s moves the samples", how);
	if (sizes && strcmp(op_text(op, A_keep_aspect_ratio_policy), "stretch"))
		return rw_no(rw, "the scales follow from the aspect ratio");
	if (!sizes && !(scales && value_is_constant(scales) && constant_all(scales, 1)))
		return rw_no(rw, "the scales are not certainly 1");
	return true;
}

bool resize_unit(Rw *rw, Op *root)
{
	if (strcmp(op_text(root, A_mode), "nearest"))
		return rw_no(rw, "it interpolates");
	return samples_itself(rw, root) && replace_by_existing(rw, root->results[0], data_of(root));
}

/* Neighbours enter with weight zero: only an infinite one would show. */
bool resize_unit_smooth(Rw *rw, Op *root)
{
	if (!strcmp(op_text(root, A_mode), "nearest"))
		return false;
	return samples_itself(rw, root) && replace_by_existing(rw, root->results[0], data_of(root));
}

/* ---- focus: the start of YOLO networks ---- */

/* Offsets (row, column) of a part x[:, :, row::n, column::n]. */
static bool strided_part(Rw *rw, Value *v, int64_t n, Value **x, int64_t *row, int64_t *column)
{
	Op *slice = live_def(v, OP_slice);
	Span s;
	if (!slice || !slice_span(rw, slice, &s) || s.rank != 4 || s.on[0] || s.on[1] || !s.on[2] || !s.on[3] ||
			s.step[2] != n || s.step[3] != n)
		return false;
	int64_t h = value_dim(data_of(slice), 2), w = value_dim(data_of(slice), 3), end_h, end_w;
	if (h < 0 || w < 0 || h % n || w % n)
		return false;
	span_clamp(&s, 2, h, row, &end_h);
	span_clamp(&s, 3, w, column, &end_w);
	*x = data_of(slice);
	return *row < n && *column < n && end_h > h - n + *row && end_w > w - n + *column;
}

/* The blocks of space_to_depth are ordered by row, then column; another order is one gather of channels. */
bool focus(Rw *rw, Op *root)
{
	int64_t n = 2, order[16], row, column;
	int axis;
	Value *x = NULL, *y;
	while (n * n < root->noperands)
		n++;
	if (n > 4 || n * n != root->noperands || !axis_norm(op_int(root, A_axis), value_rank(root->results[0]), &axis) ||
		axis != 1)
		return rw_no(rw, "it joins no square number of parts along axis 1");
	bool plain = true;
	int seen = 0;
	for (int64_t i = 0; i < n * n; i++) {
		if (!strided_part(rw, op_operand(root, (size_t)i), n, &y, &row, &column) || (x && x != y))
			return rw_no(rw, "part %lld is no strided slice of the same value", (long long)i);
		x = y;
		order[i] = row * n + column;
		plain &= order[i] == i;
		seen |= 1 << order[i];
	}
	int64_t channels = value_dim(x, 1);
	DType d = value_dtype(x);
	if (d != DT_F32 && d != DT_F64)
		return rw_no(rw, "runtimes know space_to_depth for float32 and float64 only");
	if (!plain && !value_has_one_use(data_of(root)))
		return rw_no(rw, "the parts have other users");
	if (seen != (1 << (n * n)) - 1 || channels < 1 || channels > 4096)
		return rw_no(rw, "the parts do not cover the image once, or the channels are unknown");
	y = rw_op1(rw, OP_space_to_depth, x, (RwAttr[]){ { A_blocksize, attr_int(rw->ctx, n) }, { A_NONE, NULL } });
	if (!plain) {
		int64_t *perm = NEW_ARRAY(rw->scratch, int64_t, n * n * channels);
		for (int64_t i = 0; i < n * n * channels; i++)
			perm[i] = order[i / channels] * channels + i % channels;
		y = rw_op2(rw, OP_gather, y, rw_ints(rw, perm, (size_t)(n * n * channels)),
				(RwAttr[]){ { A_axis, attr_int(rw->ctx, 1) }, { A_NONE, NULL } });
	}
	return rw_replace(rw, root->results[0], y);
}
