/* Index maps and contractions for pull: which elements of the operands an element of the result depends on. */
#include "verify/pull.h"

#include <math.h>
#include <string.h>

static void unflatten(int64_t flat, int rank, const int64_t *dims, int64_t *at)
{
	for (int d = rank - 1; d >= 0; d--) {
		at[d] = dims[d] ? flat % dims[d] : 0;
		flat = dims[d] ? flat / dims[d] : 0;
	}
}

static int64_t flatten(int rank, const int64_t *dims, const int64_t *at)
{
	int64_t flat = 0;
	for (int d = 0; d < rank; d++)
		flat = flat * dims[d] + at[d];
	return flat;
}

/* Shapes of operand 0 and of the result. */
typedef struct Shapes {
	int xrank, yrank;
	int64_t x[MAX_RANK], y[MAX_RANK];
} Shapes;

static bool shapes_of(Pull *p, const Op *op, size_t result, Shapes *s)
{
	return pull_dims(p, op_operand(op, 0), &s->xrank, s->x) && pull_dims(p, op->results[result], &s->yrank, s->y);
}

static bool norm_axis(Pull *p, int64_t axis, int rank, int *out)
{
	return axis_norm(axis, rank, out) || pull_no(p, "an axis out of range");
}

/* ---- moves of elements ---- */

static bool pull_same_order(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	(void)result;
	return pull(p, op_operand(op, 0), idx, n, out);
}

static bool pull_transpose(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	int perm[MAX_RANK];
	int64_t at[MAX_RANK], from[MAX_RANK], *map = NEW_ARRAY(p->arena, int64_t, n);
	(void)result;
	if (!pull_dims(p, op_operand(op, 0), &s.xrank, s.x))
		return false;
	if (!op_perm(op, s.xrank, perm))
		return pull_no(p, "a malformed permutation");
	for (int d = 0; d < s.xrank; d++)
		s.y[d] = s.x[perm[d]];
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.xrank, s.y, at);
		for (int d = 0; d < s.xrank; d++)
			from[perm[d]] = at[d];
		map[i] = flatten(s.xrank, s.x, from);
	}
	return pull(p, op_operand(op, 0), map, n, out);
}

static bool pull_expand(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	int64_t at[MAX_RANK], *map = NEW_ARRAY(p->arena, int64_t, n);
	if (!shapes_of(p, op, result, &s))
		return false;
	if (s.yrank < s.xrank)
		return pull_no(p, "shapes that do not broadcast");
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.yrank, s.y, at);
		int64_t *tail = at + (s.yrank - s.xrank);
		for (int d = 0; d < s.xrank; d++)
			if (s.x[d] == 1)
				tail[d] = 0;
		map[i] = flatten(s.xrank, s.x, tail);
	}
	return pull(p, op_operand(op, 0), map, n, out);
}

static bool pull_tile(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	int64_t at[MAX_RANK], *map = NEW_ARRAY(p->arena, int64_t, n);
	if (!shapes_of(p, op, result, &s))
		return false;
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.yrank, s.y, at);
		for (int d = 0; d < s.xrank; d++)
			at[d] %= s.x[d] ? s.x[d] : 1;
		map[i] = flatten(s.xrank, s.x, at);
	}
	return pull(p, op_operand(op, 0), map, n, out);
}

/* Start and step of each axis of a slice. */
static bool slice_steps(Pull *p, const Op *op, const Shapes *s, int64_t *start, int64_t *step)
{
	int64_t starts[MAX_RANK], steps[MAX_RANK], n, m = 0;
	const int64_t *axes;
	size_t naxes = op_attr_ints(op, A_axes, &axes);
	if (!pull_ints(p, op_operand(op, 1), starts, MAX_RANK, &n))
		return false;
	if (op_operand(op, 3) && !pull_ints(p, op_operand(op, 3), steps, MAX_RANK, &m))
		return false;
	for (int d = 0; d < s->xrank; d++) {
		start[d] = 0;
		step[d] = 1;
	}
	for (int64_t k = 0; k < n; k++) {
		int d;
		if (!norm_axis(p, naxes ? axes[k] : k, s->xrank, &d))
			return false;
		int64_t by = m ? steps[k] : 1, b = starts[k] < 0 ? starts[k] + s->x[d] : starts[k];
		int64_t top = by < 0 ? s->x[d] - 1 : s->x[d];
		start[d] = b < 0 ? 0 : b > top ? top : b;
		step[d] = by;
	}
	return true;
}

static bool pull_slice(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	int64_t start[MAX_RANK], step[MAX_RANK], at[MAX_RANK], *map = NEW_ARRAY(p->arena, int64_t, n);
	if (!shapes_of(p, op, result, &s) || !slice_steps(p, op, &s, start, step))
		return false;
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.yrank, s.y, at);
		for (int d = 0; d < s.xrank; d++) {
			at[d] = start[d] + at[d] * step[d];
			if (at[d] < 0 || at[d] >= s.x[d])
				return pull_no(p, "a slice outside its operand");
		}
		map[i] = flatten(s.xrank, s.x, at);
	}
	return pull(p, op_operand(op, 0), map, n, out);
}

static bool pull_concat(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	int rank, axis, r;
	int64_t y[MAX_RANK], x[MAX_RANK], at[MAX_RANK], base = 0, found = 0;
	int64_t *map = NEW_ARRAY(p->arena, int64_t, n), *slot = NEW_ARRAY(p->arena, int64_t, n);
	double *part = NEW_ARRAY(p->arena, double, n);
	if (!pull_dims(p, op->results[result], &rank, y) || !norm_axis(p, op_int(op, A_axis), rank, &axis))
		return false;
	for (size_t k = 0; k < op->noperands; k++) {
		int64_t m = 0;
		if (!pull_dims(p, op_operand(op, k), &r, x))
			return false;
		if (r != rank)
			return pull_no(p, "operands of different rank");
		for (int64_t i = 0; i < n; i++) {
			unflatten(idx[i], rank, y, at);
			if (at[axis] < base || at[axis] >= base + x[axis])
				continue;
			at[axis] -= base;
			map[m] = flatten(rank, x, at);
			slot[m++] = i;
		}
		base += x[axis];
		if (m && !pull(p, op_operand(op, k), map, m, part))
			return false;
		for (int64_t i = 0; i < m; i++)
			out[slot[i]] = part[i];
		found += m;
	}
	if (base != y[axis])
		return pull_no(p, "seeded sizes that do not go together");
	return found == n || pull_no(p, "shapes of both sides differ");
}

static bool pull_split(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	int axis, r;
	int64_t base = 0, part[MAX_RANK], at[MAX_RANK], *map = NEW_ARRAY(p->arena, int64_t, n);
	if (!shapes_of(p, op, result, &s) || !norm_axis(p, op_int(op, A_axis), s.xrank, &axis))
		return false;
	for (size_t k = 0; k < result; k++) {
		if (!pull_dims(p, op->results[k], &r, part))
			return false;
		base += part[axis];
	}
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.yrank, s.y, at);
		at[axis] += base;
		map[i] = flatten(s.xrank, s.x, at);
	}
	return pull(p, op_operand(op, 0), map, n, out);
}

static bool pull_pad(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	const int64_t *axes;
	size_t naxes = op_attr_ints(op, A_axes, &axes);
	int64_t pads[2 * MAX_RANK], begin[MAX_RANK] = { 0 }, np, at[MAX_RANK], m = 0;
	int64_t *map = NEW_ARRAY(p->arena, int64_t, n), *slot = NEW_ARRAY(p->arena, int64_t, n);
	double value = 0, *inner = NEW_ARRAY(p->arena, double, n);
	if (strcmp(op_text(op, A_mode), "constant"))
		return pull_as_whole(p);
	if (!shapes_of(p, op, result, &s) || !pull_ints(p, op_operand(op, 1), pads, 2 * MAX_RANK, &np))
		return false;
	if (op_operand(op, 2) && !pull(p, op_operand(op, 2), &m, 1, &value))
		return false;
	for (int64_t k = 0; k < np / 2; k++) {
		int d;
		if (!norm_axis(p, naxes ? axes[k] : k, s.xrank, &d))
			return false;
		begin[d] = pads[k];
	}
	for (int64_t i = 0; i < n; i++) {
		bool inside = true;
		unflatten(idx[i], s.yrank, s.y, at);
		for (int d = 0; d < s.xrank; d++) {
			at[d] -= begin[d];
			inside &= at[d] >= 0 && at[d] < s.x[d];
		}
		out[i] = value;
		if (inside) {
			map[m] = flatten(s.xrank, s.x, at);
			slot[m++] = i;
		}
	}
	if (m && !pull(p, op_operand(op, 0), map, m, inner))
		return false;
	for (int64_t i = 0; i < m; i++)
		out[slot[i]] = inner[i];
	return true;
}

static bool pull_gather(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	int axis, irank;
	int64_t idims[MAX_RANK], at[MAX_RANK], from[MAX_RANK];
	int64_t *map = NEW_ARRAY(p->arena, int64_t, n), *which = NEW_ARRAY(p->arena, int64_t, n);
	double *index = NEW_ARRAY(p->arena, double, n);
	if (!shapes_of(p, op, result, &s) || !pull_dims(p, op_operand(op, 1), &irank, idims) ||
			!norm_axis(p, op_int(op, A_axis), s.xrank, &axis))
		return false;
	if (s.yrank != s.xrank - 1 + irank)
		return pull_no(p, "shapes of both sides differ");
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.yrank, s.y, at);
		which[i] = flatten(irank, idims, at + axis);
	}
	if (!pull(p, op_operand(op, 1), which, n, index))
		return false;
	for (int64_t i = 0; i < n; i++) {
		int64_t k = (int64_t)index[i];
		k += k < 0 ? s.x[axis] : 0;
		if (k < 0 || k >= s.x[axis])
			return pull_no(p, "a seeded index out of range");
		unflatten(idx[i], s.yrank, s.y, at);
		memcpy(from, at, sizeof(*at) * (size_t)axis);
		from[axis] = k;
		memcpy(from + axis + 1, at + axis + irank, sizeof(*at) * (size_t)(s.xrank - axis - 1));
		map[i] = flatten(s.xrank, s.x, from);
	}
	return pull(p, op_operand(op, 0), map, n, out);
}

static bool pull_fill(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	const Attr *a = op_attr(op, A_value);
	double x = 0;
	(void)result, (void)idx;
	if (a) {
		const Type *one = type_tensor_of(p->ctx, a->u.tensor.type->dtype, 0, NULL);
		Tensor *t = tensor_from_attr(&p->native, attr_tensor(p->ctx, one, blob_ref(a->u.tensor.blob)));
		if (!t)
			return pull_no(p, "a constant that cannot be read");
		x = tensor_get_f64(t, 0);
		tensor_unref(t);
	}
	for (int64_t i = 0; i < n; i++)
		out[i] = x;
	return true;
}

static bool pull_shape(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	int rank;
	int64_t dims[MAX_RANK];
	(void)result;
	if (!pull_dims(p, op_operand(op, 0), &rank, dims))
		return false;
	int64_t start = op_int(op, A_start);
	start += start < 0 ? rank : 0;
	start = start < 0 ? 0 : start;
	for (int64_t i = 0; i < n; i++) {
		if (start + idx[i] >= rank)
			return pull_no(p, "shapes of both sides differ");
		out[i] = (double)dims[start + idx[i]];
	}
	return true;
}

/* ---- control flow: a choice is made by the condition on both sides ---- */

static bool pull_if(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	double cond;
	int64_t zero = 0;
	if (!pull(p, op_operand(op, 0), &zero, 1, &cond))
		return false;
	const Op *yield = block_terminator(op->blocks[cond != 0 ? 0 : 1]);
	if (!yield || result >= yield->noperands || !yield->operands[result].value)
		return pull_no(p, "a branch without that result");
	return pull(p, yield->operands[result].value, idx, n, out);
}

/* ---- contractions: sum over k of a[i,k] * b[k,j] ---- */

/* The terms of all wanted elements, pulled at once: term t of output i multiplies elements a[t] and b[t]. */
typedef struct Terms {
	int64_t *a, *b, *end; /* end[i]: one past the last term of output i */
	int64_t n, most;
} Terms;

static bool terms_init(Pull *p, Terms *t, int64_t outputs, int64_t each)
{
	if (!mul_ok(outputs, each, &t->most) || t->most > p->work_limit)
		return pull_no(p, "the region costs too much");
	t->a = NEW_ARRAY(p->arena, int64_t, t->most + 1);
	t->b = NEW_ARRAY(p->arena, int64_t, t->most + 1);
	t->end = NEW_ARRAY(p->arena, int64_t, outputs + 1);
	t->n = 0;
	return true;
}

/* Dot products in double, compensated: order and cancellation do not matter at 1e-10. */
static bool terms_sum(Pull *p, const Terms *t, const Value *a, const Value *b, int64_t outputs, double *out)
{
	double *x = NEW_ARRAY(p->arena, double, t->n + 1), *y = NEW_ARRAY(p->arena, double, t->n + 1);
	if (t->n && (!pull(p, a, t->a, t->n, x) || !pull(p, b, t->b, t->n, y)))
		return false;
	for (int64_t i = 0, k = 0; i < outputs; i++) {
		double sum = 0, lost = 0;
		for (; k < t->end[i]; k++) {
			double term = x[k] * y[k], next = sum + term;
			lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
			sum = next;
		}
		out[i] = isfinite(sum) ? sum + lost : sum;
	}
	return true;
}

static int64_t clamp_batch(int64_t at, int64_t size)
{
	return size == 1 ? 0 : at;
}

static bool pull_matmul(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	int ra, rb, ry;
	int64_t a[MAX_RANK], b[MAX_RANK], y[MAX_RANK], at[MAX_RANK + 2];
	const Value *va = op_operand(op, 0), *vb = op_operand(op, 1);
	if (!pull_dims(p, va, &ra, a) || !pull_dims(p, vb, &rb, b) || !pull_dims(p, op->results[result], &ry, y))
		return false;
	if (ra < 2 || rb < 2 || ry < 2 || a[ra - 1] != b[rb - 2])
		return pull_as_whole(p);
	Terms t;
	int64_t k = a[ra - 1];
	if (!terms_init(p, &t, n, k))
		return false;
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], ry, y, at);
		int64_t base_a = 0, base_b = 0;
		for (int d = 0; d < ra - 2; d++)
			base_a = base_a * a[d] + clamp_batch(at[d + ry - ra], a[d]);
		for (int d = 0; d < rb - 2; d++)
			base_b = base_b * b[d] + clamp_batch(at[d + ry - rb], b[d]);
		for (int64_t j = 0; j < k; j++) {
			t.a[t.n] = (base_a * a[ra - 2] + at[ry - 2]) * k + j;
			t.b[t.n++] = (base_b * k + j) * b[rb - 1] + at[ry - 1];
		}
		t.end[i] = t.n;
	}
	return terms_sum(p, &t, va, vb, n, out);
}

static bool pull_gemm(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	int ra, rb, rc = 0;
	int64_t a[MAX_RANK], b[MAX_RANK], c[MAX_RANK];
	const Value *va = op_operand(op, 0), *vb = op_operand(op, 1), *vc = op_operand(op, 2);
	bool ta = op_int(op, A_trans_a), tb = op_int(op, A_trans_b);
	double alpha = op_float(op, A_alpha), beta = op_float(op, A_beta);
	(void)result;
	if (!pull_dims(p, va, &ra, a) || !pull_dims(p, vb, &rb, b) || (vc && !pull_dims(p, vc, &rc, c)))
		return false;
	if (ra != 2 || rb != 2 || rc > 2)
		return pull_no(p, "a malformed gemm");
	Terms t;
	int64_t k = ta ? a[0] : a[1], cols = tb ? b[0] : b[1], *ic = NEW_ARRAY(p->arena, int64_t, n);
	int64_t wide = rc ? c[rc - 1] : 1, tall = rc > 1 ? c[0] : 1;
	double *bias = NEW_ARRAY(p->arena, double, n);
	if (!terms_init(p, &t, n, k))
		return false;
	for (int64_t i = 0; i < n; i++) {
		int64_t row = cols ? idx[i] / cols : 0, col = cols ? idx[i] % cols : 0;
		for (int64_t j = 0; j < k; j++) {
			t.a[t.n] = ta ? j * a[1] + row : row * a[1] + j;
			t.b[t.n++] = tb ? col * b[1] + j : j * b[1] + col;
		}
		t.end[i] = t.n;
		ic[i] = clamp_batch(row, tall) * (rc > 1 ? wide : 0) + clamp_batch(col, wide);
	}
	if (!terms_sum(p, &t, va, vb, n, out) || (vc && !pull(p, vc, ic, n, bias)))
		return false;
	for (int64_t i = 0; i < n; i++)
		out[i] = alpha * out[i] + (vc ? beta * bias[i] : 0);
	return true;
}

typedef double Combine(const double *x, int64_t n);

static double combine_sum(const double *x, int64_t n)
{
	double s = 0;
	for (int64_t i = 0; i < n; i++)
		s += x[i];
	return s;
}

static double combine_mean(const double *x, int64_t n)
{
	return combine_sum(x, n) / (double)n;
}

static double combine_max(const double *x, int64_t n)
{
	double m = -INFINITY;
	for (int64_t i = 0; i < n; i++)
		m = x[i] > m || isnan(x[i]) ? x[i] : m;
	return m;
}

static double combine_min(const double *x, int64_t n)
{
	double m = INFINITY;
	for (int64_t i = 0; i < n; i++)
		m = x[i] < m || isnan(x[i]) ? x[i] : m;
	return m;
}

/* ---- windows: convolutions and pools ---- */

typedef struct Window {
	int spatial;
	int64_t kernel[MAX_RANK], stride[MAX_RANK], begin[MAX_RANK], dilation[MAX_RANK], count; /* count = product of kernel */
} Window;

static int64_t list_at(const int64_t *v, size_t n, int i, int64_t fallback)
{
	return (size_t)i < n ? v[i] : fallback;
}

/* kernel[] is set by the caller. Automatic padding needs both spatial sizes. */
static void window_of(const Op *op, Window *w, const int64_t *in, const int64_t *out_dims)
{
	const int64_t *strides, *pads, *dilations;
	size_t ns = op_attr_ints(op, A_strides, &strides), np = op_attr_ints(op, A_pads, &pads);
	size_t nd = op_attr_ints(op, A_dilations, &dilations);
	const Str *automatic = op_attr_str(op, A_auto_pad);
	w->count = 1;
	for (int d = 0; d < w->spatial; d++) {
		w->stride[d] = list_at(strides, ns, d, 1);
		w->dilation[d] = list_at(dilations, nd, d, 1);
		w->begin[d] = list_at(pads, np, d, 0);
		w->count *= w->kernel[d];
		if (automatic && !strncmp(automatic->s, "same", 4)) {
			int64_t total = (out_dims[d] - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1 - in[d];
			total = total < 0 ? 0 : total;
			w->begin[d] = automatic->s[5] == 'l' ? (total + 1) / 2 : total / 2;
		}
	}
}

/* Input position of kernel tap t for output position o; false in the padding. */
static bool window_tap(const Window *w, int64_t t, const int64_t *o, const int64_t *in, int64_t *at)
{
	bool inside = true;
	for (int d = w->spatial - 1; d >= 0; d--) {
		at[d] = o[d] * w->stride[d] - w->begin[d] + t % w->kernel[d] * w->dilation[d];
		t /= w->kernel[d];
		inside &= at[d] >= 0 && at[d] < in[d];
	}
	return inside;
}

/* The same for a transposed convolution: which input position reaches output o through tap t. */
static bool window_tap_transposed(const Window *w, int64_t t, const int64_t *o, const int64_t *in, int64_t *at)
{
	bool inside = true;
	for (int d = w->spatial - 1; d >= 0; d--) {
		int64_t from = o[d] + w->begin[d] - t % w->kernel[d] * w->dilation[d];
		t /= w->kernel[d];
		at[d] = from / w->stride[d];
		inside &= from >= 0 && from % w->stride[d] == 0 && at[d] < in[d];
	}
	return inside;
}

static bool pull_conv(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	Window w;
	int wr;
	int64_t wd[MAX_RANK], o[MAX_RANK], at[MAX_RANK];
	bool transposed = op_is(op, OP_conv_transpose);
	const Value *x = op_operand(op, 0), *weight = op_operand(op, 1);
	if (!shapes_of(p, op, result, &s) || !pull_dims(p, weight, &wr, wd))
		return false;
	int64_t groups = op_int(op, A_groups);
	if (s.xrank < 2 || wr != s.xrank || s.yrank != s.xrank || groups < 1 || s.y[1] % groups || s.x[1] % groups)
		return pull_no(p, "a malformed convolution");
	if (transposed && (op_attr(op, A_auto_pad) || op_attr(op, A_output_shape)))
		return pull_as_whole(p);
	w.spatial = s.xrank - 2;
	memcpy(w.kernel, wd + 2, sizeof(*wd) * (size_t)w.spatial);
	window_of(op, &w, s.x + 2, s.y + 2);
	Terms t;
	const Value *bias = op_operand(op, 2);
	int64_t cin = s.x[1] / groups, cout = s.y[1] / groups, *channel = NEW_ARRAY(p->arena, int64_t, n);
	double *shift = NEW_ARRAY(p->arena, double, n);
	if (!terms_init(p, &t, n, cin * w.count))
		return false;
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], s.yrank, s.y, o);
		channel[i] = o[1];
		for (int64_t j = 0; j < cin * w.count; j++) {
			int64_t c = j / w.count, tap = j % w.count;
			at[0] = o[0];
			at[1] = o[1] / cout * cin + c;
			if (!(transposed ? window_tap_transposed(&w, tap, o + 2, s.x + 2, at + 2)
					: window_tap(&w, tap, o + 2, s.x + 2, at + 2)))
				continue;
			t.a[t.n] = flatten(s.xrank, s.x, at);
			t.b[t.n++] = transposed ? (at[1] * cout + o[1] % cout) * w.count + tap : (o[1] * cin + c) * w.count + tap;
		}
		t.end[i] = t.n;
	}
	if (!terms_sum(p, &t, x, weight, n, out) || (bias && !pull(p, bias, channel, n, shift)))
		return false;
	for (int64_t i = 0; i < n; i++)
		out[i] += shift[i];
	return true;
}

/* Windows that lie partly beyond the padded operand (ceil mode) count only what is inside of it. */
static int64_t padded_taps(const Op *op, const Window *w, const int64_t *o, const int64_t *in)
{
	const int64_t *pads;
	size_t np = op_attr_ints(op, A_pads, &pads);
	int64_t taps = 1;
	for (int d = 0; d < w->spatial; d++) {
		int64_t end = in[d] + list_at(pads, np, w->spatial + d, 0), inside = 0;
		for (int64_t t = 0; t < w->kernel[d]; t++)
			inside += o[d] * w->stride[d] - w->begin[d] + t * w->dilation[d] < end;
		taps *= inside;
	}
	return taps;
}

static bool pull_pool(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	Shapes s;
	Window w;
	const int64_t *kernel;
	int64_t o[MAX_RANK], at[MAX_RANK];
	bool is_max = op_is(op, OP_max_pool), with_pad = !is_max && op_int(op, A_count_include_pad);
	size_t nk = op_attr_ints(op, A_kernel, &kernel);
	if (result != 0)
		return pull_as_whole(p);
	if (!shapes_of(p, op, result, &s))
		return false;
	w.spatial = s.xrank - 2;
	if (w.spatial < 1 || nk != (size_t)w.spatial || (with_pad && op_attr(op, A_auto_pad)))
		return pull_as_whole(p);
	memcpy(w.kernel, kernel, sizeof(*kernel) * nk);
	window_of(op, &w, s.x + 2, s.y + 2);
	Terms t;
	if (!terms_init(p, &t, n, w.count))
		return false;
	for (int64_t i = 0; i < n; i++) {
		int64_t first = t.n;
		unflatten(idx[i], s.yrank, s.y, o);
		for (int64_t tap = 0; tap < w.count; tap++) {
			at[0] = o[0];
			at[1] = o[1];
			if (window_tap(&w, tap, o + 2, s.x + 2, at + 2))
				t.a[t.n++] = flatten(s.xrank, s.x, at);
		}
		if (t.n == first)
			return pull_no(p, "a window wholly in the padding");
		t.end[i] = t.n;
	}
	double *x = NEW_ARRAY(p->arena, double, t.n + 1);
	if (!pull(p, op_operand(op, 0), t.a, t.n, x))
		return false;
	for (int64_t i = 0, k = 0; i < n; k = t.end[i++]) {
		int64_t count = t.end[i] - k;
		out[i] = is_max ? combine_max(x + k, count) : combine_sum(x + k, count);
		if (is_max)
			continue;
		unflatten(idx[i], s.yrank, s.y, o);
		out[i] /= (double)(with_pad ? padded_taps(op, &w, o + 2, s.x + 2) : count);
	}
	return true;
}

/* ---- per-channel normalisation and reductions ---- */

static bool pull_batch_norm(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	int rank;
	int64_t dims[MAX_RANK], at[MAX_RANK], *c = NEW_ARRAY(p->arena, int64_t, n);
	double *v[5], eps = op_float(op, A_epsilon);
	(void)result;
	if (!pull_dims(p, op_operand(op, 0), &rank, dims))
		return false;
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], rank, dims, at);
		c[i] = rank > 1 ? at[1] : 0;
	}
	for (int k = 0; k < 5; k++) {
		v[k] = NEW_ARRAY(p->arena, double, n);
		if (!pull(p, op_operand(op, (size_t)k), k ? c : idx, n, v[k]))
			return false;
	}
	for (int64_t i = 0; i < n; i++)
		out[i] = (v[0][i] - v[3][i]) / sqrt(v[4][i] + eps) * v[1][i] + v[2][i];
	return true;
}

/* Elements of the reduced axes for each wanted result; drop[d] marks them; kept axes in order make the result. */
static bool reduce_over(Pull *p, const Value *x, int rank, const int64_t *dims, const bool *drop, const int64_t *idx,
		int64_t n, Combine *combine, double *out)
{
	int64_t kept[MAX_RANK], at[MAX_RANK], inner[MAX_RANK], count = 1;
	int nk = 0;
	for (int d = 0; d < rank; d++) {
		if (drop[d])
			count *= dims[d];
		else
			kept[nk++] = dims[d];
	}
	Terms t;
	if (!terms_init(p, &t, n, count))
		return false;
	for (int64_t i = 0; i < n; i++) {
		unflatten(idx[i], nk, kept, at);
		for (int64_t j = 0; j < count; j++) {
			int64_t rest = j;
			int k = nk;
			for (int d = rank - 1; d >= 0; d--) {
				inner[d] = drop[d] ? rest % dims[d] : at[--k];
				rest = drop[d] ? rest / dims[d] : rest;
			}
			t.a[t.n++] = flatten(rank, dims, inner);
		}
	}
	double *v = NEW_ARRAY(p->arena, double, t.n + 1);
	if (t.n && !pull(p, x, t.a, t.n, v))
		return false;
	for (int64_t i = 0; i < n; i++)
		out[i] = combine(v + i * count, count);
	return true;
}

static bool pull_reduce(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	static const struct { const char *kind; Combine *fn; } KINDS[] = {
		{ "sum", combine_sum }, { "mean", combine_mean }, { "max", combine_max }, { "min", combine_min },
	};
	int rank;
	int64_t dims[MAX_RANK];
	const int64_t *axes;
	bool drop[MAX_RANK] = { false };
	size_t na = op_attr_ints(op, A_axes, &axes);
	Combine *fn = NULL;
	(void)result;
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (!strcmp(op_text(op, A_kind), KINDS[i].kind))
			fn = KINDS[i].fn;
	if (!pull_dims(p, op_operand(op, 0), &rank, dims))
		return false;
	if (!fn || !dtype_is_float(p->type(p->arg, op_operand(op, 0))->dtype))
		return pull_as_whole(p);
	for (int d = 0; d < rank; d++)
		drop[d] = !op_attr(op, A_axes);
	for (size_t i = 0; i < na; i++) {
		int d;
		if (!norm_axis(p, axes[i], rank, &d))
			return false;
		drop[d] = true;
	}
	return reduce_over(p, op_operand(op, 0), rank, dims, drop, idx, n, fn, out);
}

static bool pull_global_pool(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out)
{
	int rank;
	int64_t dims[MAX_RANK];
	bool drop[MAX_RANK];
	(void)result;
	if (!pull_dims(p, op_operand(op, 0), &rank, dims))
		return false;
	for (int d = 0; d < rank; d++)
		drop[d] = d >= 2;
	return reduce_over(p, op_operand(op, 0), rank, dims, drop, idx, n,
			op_is(op, OP_global_max_pool) ? combine_max : combine_mean, out);
}

PullFn *pull_function(const Op *op)
{
	static const struct { OpKind kind; PullFn *fn; } TABLE[] = {
		{ OP_identity, pull_same_order }, { OP_reshape, pull_same_order }, { OP_flatten, pull_same_order },
		{ OP_squeeze, pull_same_order }, { OP_unsqueeze, pull_same_order }, { OP_transpose, pull_transpose },
		{ OP_expand, pull_expand }, { OP_tile, pull_tile }, { OP_slice, pull_slice }, { OP_concat, pull_concat },
		{ OP_split, pull_split }, { OP_pad, pull_pad }, { OP_gather, pull_gather }, { OP_fill, pull_fill },
		{ OP_shape, pull_shape }, { OP_if, pull_if }, { OP_matmul, pull_matmul }, { OP_gemm, pull_gemm },
		{ OP_conv, pull_conv }, { OP_conv_transpose, pull_conv }, { OP_max_pool, pull_pool },
		{ OP_avg_pool, pull_pool }, { OP_batch_norm, pull_batch_norm }, { OP_reduce, pull_reduce },
		{ OP_global_avg_pool, pull_global_pool }, { OP_global_max_pool, pull_global_pool },
	};
	for (size_t i = 0; i < ARRAY_LEN(TABLE); i++)
		if (TABLE[i].kind == op_kind(op))
			return TABLE[i].fn;
	return NULL;
}
