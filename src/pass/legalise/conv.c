#include "legalise_int.h"

#include <string.h>

#define MAX_SPATIAL (MAX_RANK - 2)

/* Window geometry of a convolution or pool; lists are of length `spatial`. */
typedef struct Window {
	int spatial;
	int64_t kernel[MAX_SPATIAL], stride[MAX_SPATIAL], dilation[MAX_SPATIAL], in[MAX_SPATIAL];
	bool in_static;
} Window;

/* A list attribute, or ones; false when its length is wrong. */
static bool window_list(const Op *op, AttrName a, int n, int64_t *out)
{
	const int64_t *v;
	size_t len = op_attr_ints(op, a, &v);
	if (len == 0) {
		for (int i = 0; i < n; i++)
			out[i] = 1;
		return true;
	}
	if (len != (size_t)n)
		return false;
	memcpy(out, v, len * sizeof *v);
	return true;
}

/* Geometry from x, and the kernel from the attribute or else the weight. False when ranks or kernel are not known. */
static bool window_of(const Op *op, const Value *x, const Value *w, Window *out)
{
	const int64_t *kernel;
	size_t n = op_attr_ints(op, A_kernel_shape, &kernel);
	int rank = lg_rank(x);
	if (rank < 2 || rank > MAX_RANK)
		return false;
	out->spatial = rank - 2;
	if (n == (size_t)out->spatial && n > 0) {
		memcpy(out->kernel, kernel, n * sizeof *kernel);
	} else {
		if (!w || lg_rank(w) != rank)
			return false;
		for (int i = 0; i < out->spatial; i++)
			if (!sym_const(w->type->dims[i + 2], &out->kernel[i]))
				return false;
	}
	out->in_static = true;
	for (int i = 0; i < out->spatial; i++)
		out->in_static &= sym_const(x->type->dims[i + 2], &out->in[i]);
	return window_list(op, A_strides, out->spatial, out->stride) && window_list(op, A_dilations, out->spatial, out->dilation);
}

/* dilation*(kernel-1)+1; false on nonsense sizes. */
static bool window_extent(const Window *w, int i, int64_t *out)
{
	return w->kernel[i] > 0 && w->stride[i] > 0 && w->dilation[i] > 0 && mul_ok(w->kernel[i] - 1, w->dilation[i], out) &&
			add_ok(*out, 1, out);
}

/* Pads that give ceil(in/stride) windows; the odd one goes to the end for SAME_UPPER, to the begin for SAME_LOWER. */
static bool same_pads(const Window *w, bool upper, int64_t *pads)
{
	for (int i = 0; i < w->spatial; i++) {
		int64_t extent, span;
		if (!window_extent(w, i, &extent))
			return false;
		int64_t out = w->in[i] / w->stride[i] + (w->in[i] % w->stride[i] != 0);
		if (out < 1)
			out = 1;
		if (!mul_ok(out - 1, w->stride[i], &span) || !add_ok(span, extent, &span))
			return false;
		int64_t total = span > w->in[i] ? span - w->in[i] : 0;
		pads[i] = upper ? total / 2 : total - total / 2;
		pads[i + w->spatial] = total - pads[i];
	}
	return true;
}

/* How the op wants its pads: *pads and *auto_pad get the core attributes (NULL: absent). */
static bool resolve_pads(Lg *l, const Window *w, bool window_known, const Attr **pads, const Attr **auto_pad)
{
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	*pads = *auto_pad = NULL;
	if (!mode || mode->len == 0 || !strcmp(mode->s, "NOTSET")) {
		*pads = lg_attr(l, A_pads);
		return true;
	}
	if (!strcmp(mode->s, "VALID"))
		return true;
	bool upper = !strcmp(mode->s, "SAME_UPPER");
	if (!upper && strcmp(mode->s, "SAME_LOWER"))
		return false;
	int64_t v[2 * MAX_SPATIAL];
	if (window_known && w->in_static) {
		if (!same_pads(w, upper, v))
			return false;
		*pads = lg_ints_attr(l, v, 2 * (size_t)w->spatial);
	} else {
		*auto_pad = lg_text(l, upper ? "same_upper" : "same_lower");
	}
	return true;
}

/* A kernel_shape that contradicts the weight is not for us to interpret. */
static bool kernel_agrees(Lg *l, const Value *w)
{
	const int64_t *kernel;
	size_t n = op_attr_ints(l->op, A_kernel_shape, &kernel);
	int rank = lg_rank(w);
	if (n == 0 || rank < 0)
		return true;
	if ((size_t)rank != n + 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t dim;
		if (sym_const(w->type->dims[i + 2], &dim) && dim != kernel[i])
			return false;
	}
	return true;
}

/* Conv, ConvInteger (w is operand 1), QLinearConv (operand 3), DeformConv (no auto_pad). */
bool lg_conv(Lg *l, OpKind core)
{
	Value *w = lg_in(l, core == OP_quantized_conv ? 3 : 1);
	Window win;
	const Attr *pads, *auto_pad;
	bool known = window_of(l->op, lg_in(l, 0), w, &win);
	if (!w || !kernel_agrees(l, w) || !resolve_pads(l, &win, known, &pads, &auto_pad))
		return false;
	RwAttr attrs[] = {
		{ A_strides, lg_attr(l, A_strides) }, { A_pads, pads }, { A_dilations, lg_attr(l, A_dilations) },
		{ A_groups, lg_attr(l, A_group) }, { A_auto_pad, auto_pad },
		{ A_offset_group, core == OP_deform_conv ? lg_attr(l, A_offset_group) : NULL }, { A_NONE, NULL },
	};
	return lg_become_same(l, core, attrs);
}

/* Pads that make the result output_shape (or in*stride for SAME); false when they would be negative. */
static bool transpose_pads(Lg *l, const Window *w, const int64_t *want, bool upper, int64_t *pads)
{
	int64_t extra[MAX_SPATIAL];
	const int64_t *v;
	size_t n = op_attr_ints(l->op, A_output_padding, &v);
	if (n != 0 && n != (size_t)w->spatial)
		return false;
	for (int i = 0; i < w->spatial; i++) {
		int64_t extent, total, size;
		extra[i] = n ? v[i] : 0;
		if (!window_extent(w, i, &extent) || !mul_ok(w->stride[i], w->in[i] - 1, &total) ||
				!add_ok(total, extra[i], &total) || !add_ok(total, extent, &total))
			return false;
		if (want)
			size = want[i];
		else if (!mul_ok(w->in[i], w->stride[i], &size))
			return false;
		if (!sub_ok(total, size, &total) || total < 0)
			return false;
		pads[i] = upper ? total / 2 : total - total / 2;
		pads[i + w->spatial] = total - pads[i];
	}
	return true;
}

/* output_shape and SAME become pads when the spatial sizes are known; else core keeps them. */
bool lg_conv_transpose(Lg *l, OpKind core)
{
	Value *w = lg_in(l, 1);
	Window win;
	const Attr *pads = NULL, *auto_pad = NULL, *output_shape = NULL;
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	const int64_t *want;
	size_t nwant = op_attr_ints(l->op, A_output_shape, &want);
	bool upper = mode && !strcmp(mode->s, "SAME_UPPER"), lower = mode && !strcmp(mode->s, "SAME_LOWER");
	if (!w || !kernel_agrees(l, w))
		return false;
	bool known = window_of(l->op, lg_in(l, 0), w, &win) && win.in_static;
	if (nwant && known && nwant == (size_t)win.spatial + 2) { /* some exporters give the whole shape */
		want += 2;
		nwant -= 2;
	}
	if (nwant || upper || lower) {
		int64_t v[2 * MAX_SPATIAL];
		bool fits = known && (!nwant || nwant == (size_t)win.spatial);
		if (fits && transpose_pads(l, &win, nwant ? want : NULL, upper, v)) {
			pads = lg_ints_attr(l, v, 2 * (size_t)win.spatial);
		} else {
			output_shape = nwant ? lg_ints_attr(l, want, nwant) : NULL;
			auto_pad = upper || lower ? lg_text(l, upper ? "same_upper" : "same_lower") : NULL;
			pads = auto_pad ? NULL : lg_attr(l, A_pads);
		}
	} else if (!resolve_pads(l, &win, false, &pads, &auto_pad)) {
		return false;
	}
	RwAttr attrs[] = {
		{ A_strides, lg_attr(l, A_strides) }, { A_pads, pads }, { A_dilations, lg_attr(l, A_dilations) },
		{ A_groups, lg_attr(l, A_group) }, { A_output_padding, lg_attr(l, A_output_padding) },
		{ A_output_shape, output_shape }, { A_auto_pad, auto_pad }, { A_NONE, NULL },
	};
	return lg_become_same(l, core, attrs);
}

/* `p` was a float in opset 1; core has whole numbers. */
static bool norm_order(Lg *l, const Attr **out)
{
	const Attr *p = lg_attr(l, A_p);
	if (p && p->kind == ATTR_FLOAT) {
		if (!(p->u.f >= 1 && p->u.f < 1024) || p->u.f != (double)(int64_t)p->u.f)
			return false;
		p = lg_int(l, (int64_t)p->u.f);
	}
	*out = p;
	return true;
}

/* MaxPool, AveragePool, LpPool. Rounding up plays no part once the number of windows is fixed by auto_pad. */
bool lg_pool(Lg *l, OpKind core)
{
	Window win;
	const Attr *pads, *auto_pad, *p = NULL;
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	bool notset = !mode || mode->len == 0 || !strcmp(mode->s, "NOTSET");
	bool known = window_of(l->op, lg_in(l, 0), NULL, &win);
	if (!op_attr(l->op, A_kernel_shape) || !resolve_pads(l, &win, known, &pads, &auto_pad))
		return false;
	if (core == OP_lp_pool && !norm_order(l, &p))
		return false;
	if (core == OP_max_pool && l->op->nresults == 2 && !value_has_uses(l->op->results[1]) && !l->op->results[1]->name)
		op_drop_results(l->op, 1);
	RwAttr attrs[] = {
		{ A_kernel, lg_attr(l, A_kernel_shape) }, { A_strides, lg_attr(l, A_strides) }, { A_pads, pads },
		{ A_dilations, lg_attr(l, A_dilations) }, { A_ceil_mode, notset ? lg_attr(l, A_ceil_mode) : NULL },
		{ A_auto_pad, auto_pad }, { A_storage_order, core == OP_max_pool ? lg_attr(l, A_storage_order) : NULL },
		{ A_count_include_pad, core == OP_avg_pool ? lg_attr(l, A_count_include_pad) : NULL }, { A_p, p }, { A_NONE, NULL },
	};
	return lg_become_same(l, core, attrs);
}

bool lg_global_lp_pool(Lg *l, OpKind core)
{
	const Attr *p;
	return norm_order(l, &p) && lg_become_same(l, core, (RwAttr[]){ { A_p, p }, { A_NONE, NULL } });
}

bool lg_max_unpool(Lg *l, OpKind core)
{
	if (!op_attr(l->op, A_kernel_shape))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_kernel, lg_attr(l, A_kernel_shape) },
			{ A_strides, lg_attr(l, A_strides) }, { A_pads, lg_attr(l, A_pads) }, { A_NONE, NULL } });
}
