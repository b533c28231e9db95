/* Geometry of sliding windows. */
#include "ops/window.h"

#include <strings.h>

static AutoPad auto_pad_of(const Op *op, bool *known)
{
	const Str *s = op_attr_str(op, A_auto_pad);
	*known = true;
	if (!s || s->len == 0 || !strcasecmp(s->s, "notset"))
		return PAD_EXPLICIT;
	if (!strcasecmp(s->s, "valid"))
		return PAD_VALID;
	if (!strcasecmp(s->s, "same_upper"))
		return PAD_SAME_UPPER;
	if (!strcasecmp(s->s, "same_lower"))
		return PAD_SAME_LOWER;
	*known = false;
	return PAD_EXPLICIT;
}

/* Fills dst from a list attribute of n entries, each at least `least`. */
static bool read_list(const Op *op, AttrName a, int n, int64_t fallback, int64_t least, int64_t *dst)
{
	const int64_t most = INT64_C(1) << 40; /* keeps sums and products of a few such numbers in range */
	const int64_t *v;
	size_t len = op_attr_ints(op, a, &v);
	if (len != 0 && len != (size_t)n)
		return false;
	for (int i = 0; i < n; i++) {
		dst[i] = len ? v[i] : fallback;
		if (dst[i] < least || dst[i] > most)
			return false;
	}
	return true;
}

const char *window_attrs(const Op *op, int rank, Window *w)
{
	int64_t pads[2 * MAX_RANK];
	bool known;
	if (rank < 0 || rank > MAX_RANK - 2)
		return "the input has too few or too many dimensions";
	*w = (Window){.rank = rank};
	w->auto_pad = auto_pad_of(op, &known);
	if (!known)
		return "auto_pad is not notset, valid, same_upper or same_lower";
	if (!read_list(op, A_strides, rank, 1, 1, w->stride))
		return "strides must hold a positive number for each spatial dimension";
	if (!read_list(op, A_dilations, rank, 1, 1, w->dilation))
		return "dilations must hold a positive number for each spatial dimension";
	if (w->auto_pad == PAD_EXPLICIT && !read_list(op, A_pads, 2 * rank, 0, 0, pads))
		return "pads must hold two non-negative numbers for each spatial dimension";
	for (int i = 0; i < rank && w->auto_pad == PAD_EXPLICIT; i++) {
		w->begin[i] = pads[i];
		w->end[i] = pads[rank + i];
	}
	return NULL;
}

static int64_t floordiv(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Size covered by one window; false on overflow. */
static bool window_reach(const Window *w, int d, int64_t *reach)
{
	int64_t span;
	return mul_ok(w->kernel[d] - 1, w->dilation[d], &span) && add_ok(span, 1, reach);
}

/* Output size and, with auto_pad, pads of one dim. */
static bool window_dim(Window *w, int d, bool ceil_mode)
{
	int64_t reach, padded, room;
	if (w->kernel[d] < 1 || !window_reach(w, d, &reach))
		return false;
	if (w->auto_pad >= PAD_SAME_UPPER) {
		w->out[d] = w->in[d] / w->stride[d] + (w->in[d] % w->stride[d] != 0);
		int64_t last = w->out[d] > 0 ? (w->out[d] - 1) * w->stride[d] : 0; /* < in */
		if (!add_ok(last - w->in[d], reach, &room))
			return false;
		int64_t total = room > 0 ? room : 0;
		w->begin[d] = w->auto_pad == PAD_SAME_UPPER ? total / 2 : total - total / 2;
		w->end[d] = total - w->begin[d];
		return true;
	}
	if (!add_ok(w->in[d], w->begin[d] + w->end[d], &padded) || !sub_ok(padded, reach, &room))
		return false;
	w->out[d] = floordiv(room, w->stride[d]) + 1;
	if (ceil_mode && w->auto_pad == PAD_EXPLICIT) {
		/* Windows that would start in the padding at the end are dropped. */
		int64_t last = floordiv(w->in[d] + w->begin[d] - 1, w->stride[d]), round_up = -floordiv(-room, w->stride[d]);
		w->out[d] = (round_up < last ? round_up : last) + 1;
	}
	return w->out[d] >= 0;
}

bool window_sizes(Window *w)
{
	return dims_count(w->in, w->rank, &w->in_size) && dims_count(w->kernel, w->rank, &w->kernel_size) &&
		dims_count(w->out, w->rank, &w->out_size);
}

bool window_init(EvalCtx *e, const Op *op, const Tensor *x, const int64_t *kernel, bool ceil_mode, Window *w)
{
	const char *wrong = window_attrs(op, x->rank - 2, w);
	if (wrong)
		return eval_error(e, op, "%s", wrong);
	for (int d = 0; d < w->rank; d++) {
		w->in[d] = x->dims[d + 2];
		w->kernel[d] = kernel[d];
		if (!window_dim(w, d, ceil_mode))
			return eval_error(e, op,
				"a window of %lld elements, dilation %lld, does not fit %lld elements with pads %lld and %lld",
				(long long)kernel[d], (long long)w->dilation[d], (long long)w->in[d], (long long)w->begin[d],
				(long long)w->end[d]);
	}
	const int64_t most = INT64_C(1) << 26; /* far beyond any use; keeps a hostile model from running for ever */
	if (!window_sizes(w) || w->kernel_size > most)
		return eval_error(e, op, "the window or the output has too many elements");
	return true;
}

const Sym *window_infer_dim(
	InferCtx *x, const Window *w, int d, const Sym *in, const Sym *kernel, bool ceil_mode, bool *wrong)
{
	Context *c = x->ctx;
	const Sym *one = sym_int(c, 1), *stride = sym_int(c, w->stride[d]);
	if (w->auto_pad >= PAD_SAME_UPPER)
		return sym_ceildiv(c, in, stride);
	if (!kernel)
		return NULL;
	const Sym *reach = sym_add(c, sym_mul(c, sym_sub(c, kernel, one), sym_int(c, w->dilation[d])), one);
	const Sym *room = sym_sub(c, sym_add(c, in, sym_int(c, w->begin[d] + w->end[d])), reach);
	const Sym *out = sym_add(c, sym_floordiv(c, room, stride), one);
	int64_t n;
	if (ceil_mode && w->auto_pad == PAD_EXPLICIT) {
		const Sym *round_up = sym_ceildiv(c, room, stride);
		/* The last window starts before the padding at the end whatever the size, when end + stride <= reach. */
		bool never_dropped = sym_known_le(c, sym_int(c, w->end[d] + w->stride[d]), reach);
		const Sym *last = sym_floordiv(c, sym_add(c, in, sym_int(c, w->begin[d] - 1)), stride);
		out = sym_add(c, never_dropped ? round_up : sym_min(c, round_up, last), one);
	}
	if ((sym_const(out, &n) && n < 0) || sym_upper(out) < 0) {
		*wrong = true;
		return NULL;
	}
	return out;
}
