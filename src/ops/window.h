/* window: where sliding windows lie, for convolutions and pools of any number of spatial dims.  Private to the op families.
 * Attributes: strides, dilations (default 1), pads (begins then ends, default 0), auto_pad, ceil_mode. */
#ifndef HONE_WINDOW_H
#define HONE_WINDOW_H

#include "ops/ops.h"

typedef enum AutoPad { PAD_EXPLICIT, PAD_VALID, PAD_SAME_UPPER, PAD_SAME_LOWER } AutoPad;

/* Input index of kernel element k in output element o of a dim: o * stride - begin + k * dilation. */
typedef struct Window {
	int rank; /* spatial dims */
	int64_t in[MAX_RANK], kernel[MAX_RANK], out[MAX_RANK];
	int64_t stride[MAX_RANK], dilation[MAX_RANK], begin[MAX_RANK], end[MAX_RANK];
	AutoPad auto_pad;
	int64_t in_size, kernel_size, out_size; /* products */
} Window;

/* Reads the attributes for `rank` spatial dims. NULL, or what is wrong. */
const char *window_attrs(const Op *op, int rank, Window *w);
/* Reads the attributes and works out pads and output sizes for input x (N C spatial) and a kernel of x->rank - 2 dims.
 * False + diagnostic on malformed attributes, a window that fits nowhere or sizes that overflow. */
bool window_init(EvalCtx *e, const Op *op, const Tensor *x, const int64_t *kernel, bool ceil_mode, Window *w);
/* Product of sizes with check; false on overflow. */
bool window_sizes(Window *w);
/* Symbolic output size of spatial dim d; kernel may be NULL (unknown): then a fresh unknown is the caller's business and
 * NULL is returned. Also NULL, with *wrong set, when no window fits. */
const Sym *window_infer_dim(InferCtx *x, const Window *w, int d, const Sym *in, const Sym *kernel, bool ceil_mode, bool *wrong);

/* ---- stepping through them ---- */

/* Steps idx through dims[0..n), last fastest; true when it wrapped around to the start. */
static inline bool next_index(int64_t *idx, const int64_t *dims, int n)
{
	for (int d = n; d-- > 0;) {
		if (++idx[d] < dims[d])
			return false;
		idx[d] = 0;
	}
	return true;
}

static inline void index_of(int64_t flat, const int64_t *dims, int n, int64_t *idx)
{
	for (int d = n; d-- > 0;) {
		idx[d] = flat % dims[d];
		flat /= dims[d];
	}
}

/* The i in [0, n) with 0 <= first + i * stride < size are [lo, hi). */
static inline void valid_range(int64_t first, int64_t stride, int64_t size, int64_t n, int64_t *lo, int64_t *hi)
{
	int64_t a = first >= 0 ? 0 : stride == 1 ? -first : (-first + stride - 1) / stride;
	int64_t b = first >= size ? 0 : stride == 1 ? size - first : (size - first + stride - 1) / stride;
	*lo = a < n ? a : n;
	*hi = b < *lo ? *lo : b < n ? b : n;
}

#endif
