/* Normalisation. Statistics and the normalised value are computed in double and rounded once. */
#include "eval_int.h"

#include <math.h>
#include <string.h>

static bool need_float(EvalCtx *e, const Op *op, const Tensor *x)
{
	return dtype_is_float(x->dtype) || eval_error(e, op, "floats are expected, not %s", dtype_friendly_name(x->dtype));
}

/* ---- moments over any axes ---- */

typedef struct Moments {
	Walk walk;       /* operand in the order [kept, reduced] */
	int64_t reduced;
	bool uncentred;  /* mean of squares instead of the variance */
	double *mean, *var;
} Moments;

static void run_moments(void *arg, int64_t begin, int64_t end)
{
	const Moments *m = arg;
	double buf[BLOCK];
	for (int64_t k = begin; k < end; k++) {
		double mean = 0, sum = 0;
		for (int pass = m->uncentred; pass < 2; pass++) {
			sum = 0;
			for (int64_t at = 0; at < m->reduced; at += BLOCK) {
				int64_t n = m->reduced - at < BLOCK ? m->reduced - at : BLOCK;
				const double *v = walk_f64(&m->walk, k * m->reduced + at, n, buf);
				for (int64_t i = 0; i < n; i++)
					sum += pass == 0 ? v[i] : (v[i] - mean) * (v[i] - mean);
			}
			if (pass == 0)
				mean = sum / (double)m->reduced;
		}
		m->mean[k] = mean;
		m->var[k] = sum / (double)m->reduced;
	}
}

/* Mean and (biased) variance over the marked axes, as tensors of doubles with these axes of size 1. */
static bool moments(EvalCtx *e, const Tensor *x, const bool *reduced, bool uncentred, Tensor **mean, Tensor **var)
{
	enum { COST = 3 };
	Moments m = {.reduced = 1, .uncentred = uncentred};
	int64_t strides[MAX_RANK], dims[MAX_RANK], step[MAX_RANK], kept[MAX_RANK];
	int n = 0;
	strides_of(x->rank, x->dims, strides);
	for (int pass = 0; pass < 2; pass++) {
		for (int d = 0; d < x->rank; d++) {
			kept[d] = reduced[d] ? 1 : x->dims[d];
			if (reduced[d] != (pass == 1))
				continue;
			if (pass == 1)
				m.reduced = (int64_t)((uint64_t)m.reduced * (uint64_t)x->dims[d]);
			dims[n] = x->dims[d];
			step[n++] = strides[d];
		}
	}
	walk_init_strided(&m.walk, x, n, dims, step);
	*mean = tensor_new_f64(e, x->rank, kept);
	*var = *mean ? tensor_new_f64(e, x->rank, kept) : NULL;
	if (!*var) {
		tensor_unref(*mean);
		*mean = NULL;
		return false;
	}
	m.mean = (*mean)->data;
	m.var = (*var)->data;
	eval_ranges(e, (*mean)->count, COST * m.reduced, run_moments, &m);
	return true;
}

static void invert_deviation(Tensor *var, double epsilon)
{
	double *v = var->data;
	for (int64_t i = 0; i < var->count; i++)
		v[i] = 1 / sqrt(v[i] + epsilon);
}

/* ---- y = (x - mean) * inv * scale + bias, every part but x optional ---- */

typedef struct Affine {
	const Tensor *x;
	Tensor *y;
	Walk mean, inv, scale, bias; /* t == NULL: absent */
} Affine;

static void run_affine(void *arg, int64_t begin, int64_t end)
{
	const Affine *r = arg;
	double v[BLOCK], buf[BLOCK];
	const Walk *factors[] = {&r->inv, &r->scale};
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_f64(r->x, at, n, v);
		if (r->mean.t) {
			const double *p = walk_f64(&r->mean, at, n, buf);
			for (int64_t i = 0; i < n; i++)
				v[i] -= p[i];
		}
		for (size_t k = 0; k < ARRAY_LEN(factors); k++) {
			if (!factors[k]->t)
				continue;
			const double *p = walk_f64(factors[k], at, n, buf);
			for (int64_t i = 0; i < n; i++)
				v[i] *= p[i];
		}
		if (r->bias.t) {
			const double *p = walk_f64(&r->bias, at, n, buf);
			for (int64_t i = 0; i < n; i++)
				v[i] += p[i];
		}
		tensor_store_f64(r->y, at, n, v);
	}
}

static void affine_run(EvalCtx *e, const Affine *r)
{
	enum { COST = 5 };
	eval_ranges(e, r->y->count, COST, run_affine, (void *)r);
}

/* One value for each channel (axis 1) of x. A tensor of rank 1 has a single channel. */
static bool channel_walk(EvalCtx *e, const Op *op, const Tensor *x, const Tensor *p, const char *what, Walk *w)
{
	int64_t channels = x->rank > 1 ? x->dims[1] : 1, spatial = 1;
	if (p->count != channels)
		return eval_error(e, op, "%s has %lld elements for %lld channels", what, (long long)p->count, (long long)channels);
	if (!need_float(e, op, p))
		return false;
	for (int d = 2; d < x->rank; d++)
		spatial = (int64_t)((uint64_t)spatial * (uint64_t)x->dims[d]);
	int64_t dims[3] = {x->rank ? x->dims[0] : 1, channels, spatial}, step[3] = {0, 1, 0};
	walk_init_strided(w, p, 3, dims, step);
	return true;
}

/* ---- batch norm ---- */

/* 1 / sqrt(var + epsilon) of each channel, as doubles. */
static Tensor *inverse_deviation(EvalCtx *e, const Tensor *var, double epsilon)
{
	Tensor *inv = tensor_new_f64(e, var->rank, var->dims);
	if (inv) {
		tensor_load_f64(var, 0, var->count, inv->data);
		invert_deviation(inv, epsilon);
	}
	return inv;
}

bool eval_batch_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0];
	Affine r = {.x = x};
	if (!need_float(e, op, x) || !need_float(e, op, in[4]))
		return false;
	Tensor *inv = inverse_deviation(e, in[4], op_float(op, A_epsilon));
	bool ok = inv && channel_walk(e, op, x, in[1], "scale", &r.scale) && channel_walk(e, op, x, in[2], "bias", &r.bias) &&
		channel_walk(e, op, x, in[3], "mean", &r.mean) && channel_walk(e, op, x, inv, "var", &r.inv);
	if (ok) {
		r.y = tensor_over(e, x);
		ok = r.y != NULL;
	}
	if (ok) {
		affine_run(e, &r);
		out[0] = r.y;
	}
	tensor_unref(inv);
	return ok;
}

/* old * momentum + new * (1 - momentum) */
static Tensor *running_value(EvalCtx *e, const Tensor *old, const Tensor *fresh, double momentum)
{
	Tensor *t = tensor_like(e, old);
	for (int64_t i = 0; t && i < t->count; i++)
		tensor_set_f64(t, i, tensor_get_f64(old, i) * momentum + ((const double *)fresh->data)[i] * (1 - momentum));
	return t;
}

static bool training_results(EvalCtx *e, const Op *op, Tensor *const *in, Tensor *mean, Tensor *var, Tensor **out)
{
	Affine r = {.x = in[0]};
	double momentum = op_float(op, A_momentum);
	if (in[3]->count != mean->count || in[4]->count != var->count)
		return eval_error(e, op, "mean and var have %lld and %lld elements for %lld channels", (long long)in[3]->count,
			(long long)in[4]->count, (long long)mean->count);
	if (op->nresults > 1 && !(out[1] = running_value(e, in[3], mean, momentum)))
		return false;
	if (op->nresults > 2 && !(out[2] = running_value(e, in[4], var, momentum)))
		return false;
	invert_deviation(var, op_float(op, A_epsilon));
	if (!channel_walk(e, op, r.x, in[1], "scale", &r.scale) || !channel_walk(e, op, r.x, in[2], "bias", &r.bias) ||
		!channel_walk(e, op, r.x, mean, "mean", &r.mean) || !channel_walk(e, op, r.x, var, "var", &r.inv))
		return false;
	r.y = out[0] = tensor_like(e, r.x);
	if (!r.y)
		return false;
	affine_run(e, &r);
	return true;
}

bool eval_batch_norm_training(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	bool reduced[MAX_RANK];
	Tensor *mean, *var;
	if (!need_float(e, op, x) || !need_float(e, op, in[3]) || !need_float(e, op, in[4]))
		return false;
	for (int d = 0; d < x->rank; d++)
		reduced[d] = d != 1;
	if (!moments(e, x, reduced, false, &mean, &var))
		return false;
	bool ok = training_results(e, op, in, mean, var, out);
	tensor_unref(mean);
	tensor_unref(var);
	return ok;
}

bool infer_batch_norm_training(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	if (v)
		infer_result(x, op, 0, v->type);
	for (size_t i = 1; i < 3; i++)
		if (op_operand(op, i + 2))
			infer_result(x, op, i, op_operand(op, i + 2)->type);
	return true;
}

/* ---- instance, group, layer and RMS norm ---- */

bool eval_instance_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0];
	bool reduced[MAX_RANK];
	Tensor *mean, *var;
	Affine r = {.x = x};
	if (!need_float(e, op, x))
		return false;
	if (x->rank < 2)
		return eval_error(e, op, "an operand of rank %d, at least 2 is expected", x->rank);
	if (!channel_walk(e, op, x, in[1], "scale", &r.scale) || !channel_walk(e, op, x, in[2], "bias", &r.bias))
		return false;
	for (int d = 0; d < x->rank; d++)
		reduced[d] = d >= 2;
	if (!moments(e, x, reduced, false, &mean, &var))
		return false;
	invert_deviation(var, op_float(op, A_epsilon));
	walk_init(&r.mean, mean, x->rank, x->dims);
	walk_init(&r.inv, var, x->rank, x->dims);
	r.y = out[0] = tensor_over(e, x);
	if (r.y)
		affine_run(e, &r);
	tensor_unref(mean);
	tensor_unref(var);
	return out[0] != NULL;
}

/* Scale and bias go by channel, or by group in the form that old models have. */
static bool group_walk(EvalCtx *e, const Op *op, const Tensor *x, int64_t groups, const Tensor *p, const char *what,
	Walk *w)
{
	if (p->count != groups || p->count == x->dims[1])
		return channel_walk(e, op, x, p, what, w);
	int64_t dims[3] = {x->dims[0], groups, 1}, step[3] = {0, 1, 0};
	dims[2] = groups ? x->count / (x->dims[0] && groups ? x->dims[0] * groups : 1) : 1;
	walk_init_strided(w, p, 3, dims, step);
	return need_float(e, op, p);
}

bool eval_group_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0];
	int64_t groups = op_int(op, A_num_groups);
	static const bool reduced[3] = {false, false, true};
	Tensor *mean, *var;
	Affine r = {.x = x};
	if (!need_float(e, op, x))
		return false;
	if (x->rank < 2 || groups <= 0 || x->dims[1] % groups)
		return eval_error(e, op, "an operand of shape %s does not split into %lld groups", tensor_shape_text(e, x),
			(long long)groups);
	if (!group_walk(e, op, x, groups, in[1], "scale", &r.scale) || !group_walk(e, op, x, groups, in[2], "bias", &r.bias))
		return false;
	int64_t dims[3] = {x->dims[0], groups, x->dims[1] / groups};
	for (int d = 2; d < x->rank; d++)
		dims[2] = (int64_t)((uint64_t)dims[2] * (uint64_t)x->dims[d]);
	Tensor *grouped = tensor_view(e, x, 3, dims);
	if (!grouped || !moments(e, grouped, reduced, false, &mean, &var)) {
		tensor_unref(grouped);
		return false;
	}
	invert_deviation(var, op_float(op, A_epsilon));
	walk_init(&r.mean, mean, 3, dims);
	walk_init(&r.inv, var, 3, dims);
	r.y = out[0] = tensor_over(e, x);
	if (r.y)
		affine_run(e, &r);
	tensor_unref(mean);
	tensor_unref(var);
	tensor_unref(grouped);
	return out[0] != NULL;
}

/* p must broadcast to x without growing it. */
static bool operand_walk(EvalCtx *e, const Op *op, Tensor *x, Tensor *p, const char *what, Walk *w)
{
	Tensor *both[2] = {x, p};
	int rank;
	int64_t dims[MAX_RANK];
	if (!broadcast_dims(both, 2, &rank, dims) || rank != x->rank ||
		memcmp(dims, x->dims, (size_t)rank * sizeof(*dims)) != 0)
		return eval_error(e, op, "%s of shape %s does not broadcast to %s", what, tensor_shape_text(e, p),
			tensor_shape_text(e, x));
	if (!need_float(e, op, p))
		return false;
	walk_init(w, p, rank, dims);
	return true;
}

static DType stash_dtype(const Op *op)
{
	DType d = dtype_from_onnx(op_int(op, A_stash_type));
	return dtype_is_float(d) ? d : DT_F32;
}

static Tensor *converted(EvalCtx *e, const Tensor *from, DType d)
{
	Tensor *t = tensor_new(e, d, from->rank, from->dims);
	if (t)
		tensor_store_f64(t, 0, t->count, from->data);
	return t;
}

/* Shared by layer norm (mean, scale, bias) and RMS norm (mean of squares, scale). */
static bool norm_from_axis(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, bool rms)
{
	Tensor *x = in[0], *mean, *var;
	bool reduced[MAX_RANK];
	int axis;
	Affine r = {.x = x};
	if (!need_float(e, op, x))
		return false;
	if (!axis_norm(op_int(op, A_axis), x->rank, &axis))
		return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), x->rank);
	if (!operand_walk(e, op, x, in[1], "scale", &r.scale) ||
		(!rms && op->noperands > 2 && in[2] && !operand_walk(e, op, x, in[2], "bias", &r.bias)))
		return false;
	for (int d = 0; d < x->rank; d++)
		reduced[d] = d >= axis;
	if (!moments(e, x, reduced, rms, &mean, &var))
		return false;
	invert_deviation(var, op_float(op, A_epsilon));
	if (!rms)
		walk_init(&r.mean, mean, x->rank, x->dims);
	walk_init(&r.inv, var, x->rank, x->dims);
	r.y = out[0] = tensor_over(e, x);
	if (r.y)
		affine_run(e, &r);
	bool ok = out[0] != NULL;
	if (ok && !rms && op->nresults > 1)
		ok = (out[1] = converted(e, mean, stash_dtype(op))) != NULL;
	if (ok && !rms && op->nresults > 2)
		ok = (out[2] = converted(e, var, stash_dtype(op))) != NULL;
	tensor_unref(mean);
	tensor_unref(var);
	return ok;
}

bool eval_layer_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return norm_from_axis(e, op, in, out, false);
}

bool eval_rms_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return norm_from_axis(e, op, in, out, true);
}

bool infer_layer_norm(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	if (!type_is_tensor(t))
		return true;
	infer_result(x, op, 0, t);
	DType d = stash_dtype(op);
	if (!type_has_rank(t)) {
		infer_result(x, op, 1, type_unranked(x->ctx, d));
		infer_result(x, op, 2, type_unranked(x->ctx, d));
		return true;
	}
	int axis;
	if (!axis_norm(op_int(op, A_axis), t->rank, &axis))
		return infer_error(x, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), t->rank);
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 1);
	for (int i = 0; i < t->rank; i++)
		dims[i] = i < axis ? t->dims[i] : sym_int(x->ctx, 1);
	const Type *stats = type_tensor(x->ctx, d, t->rank, dims);
	infer_result(x, op, 1, stats);
	infer_result(x, op, 2, stats);
	return true;
}

/* ---- mean_variance_norm: (x - mean) / (sqrt(var) + 1e-9) ---- */

bool eval_mean_variance_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const int64_t default_axes[] = {0, 2, 3};
	const double epsilon = 1e-9;
	const Tensor *x = in[0];
	bool reduced[MAX_RANK] = {false};
	const int64_t *axes = default_axes;
	size_t n = ARRAY_LEN(default_axes);
	Tensor *mean, *var;
	if (!need_float(e, op, x))
		return false;
	if (op_attr(op, A_axes))
		n = op_attr_ints(op, A_axes, &axes);
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!axis_norm(axes[i], x->rank, &d))
			return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)axes[i], x->rank);
		reduced[d] = true;
	}
	if (!moments(e, x, reduced, false, &mean, &var))
		return false;
	for (int64_t i = 0; i < var->count; i++)
		((double *)var->data)[i] = 1 / (sqrt(((double *)var->data)[i]) + epsilon);
	Affine r = {.x = x, .y = tensor_like(e, x)};
	walk_init(&r.mean, mean, x->rank, x->dims);
	walk_init(&r.inv, var, x->rank, x->dims);
	if (r.y)
		affine_run(e, &r);
	out[0] = r.y;
	tensor_unref(mean);
	tensor_unref(var);
	return r.y != NULL;
}

/* ---- lp_norm: x / |x|_p along an axis, zero where the norm is zero ---- */

bool eval_lp_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t p = op_int(op, A_p), outer = 1, inner = 1;
	int axis;
	if (!need_float(e, op, x))
		return false;
	if (!axis_norm(op_int(op, A_axis), x->rank, &axis) || (p != 1 && p != 2))
		return eval_error(e, op, "axis %lld, p %lld for rank %d", (long long)op_int(op, A_axis), (long long)p, x->rank);
	Tensor *y = out[0] = tensor_like(e, x);
	if (!y || y->count == 0)
		return y != NULL;
	int64_t size = x->dims[axis];
	for (int d = 0; d < x->rank; d++)
		*(d < axis ? &outer : &inner) *= d == axis ? 1 : x->dims[d];
	for (int64_t lane = 0; lane < outer * inner; lane++) {
		int64_t first = lane / inner * size * inner + lane % inner;
		double sum = 0;
		for (int64_t i = 0; i < size; i++) {
			double v = tensor_get_f64(x, first + i * inner);
			sum += p == 1 ? fabs(v) : v * v;
		}
		double norm = p == 1 ? sum : sqrt(sum);
		for (int64_t i = 0; i < size; i++)
			tensor_set_f64(y, first + i * inner, norm == 0 ? 0 : tensor_get_f64(x, first + i * inner) / norm);
	}
	return true;
}

/* ---- lrn: x / (bias + alpha / size * sum of squares over neighbouring channels)^beta ---- */

typedef struct LrnRun {
	const Tensor *x;
	Tensor *y;
	int64_t channels, spatial, before, after;
	double alpha, beta, bias; /* alpha already divided by size */
} LrnRun;

static void run_lrn(void *arg, int64_t begin, int64_t end)
{
	const LrnRun *r = arg;
	double sum[BLOCK], v[BLOCK];
	for (int64_t plane = begin; plane < end; plane++) {
		int64_t image = plane / r->channels, c = plane % r->channels;
		int64_t low = c > r->before ? c - r->before : 0, left = r->channels - 1 - c;
		int64_t high = c + (left > r->after ? r->after : left);
		for (int64_t s = 0; s < r->spatial; s += BLOCK) {
			int64_t n = r->spatial - s < BLOCK ? r->spatial - s : BLOCK;
			memset(sum, 0, sizeof(sum));
			for (int64_t k = low; k <= high; k++) {
				tensor_load_f64(r->x, (image * r->channels + k) * r->spatial + s, n, v);
				for (int64_t i = 0; i < n; i++)
					sum[i] += v[i] * v[i];
			}
			tensor_load_f64(r->x, plane * r->spatial + s, n, v);
			for (int64_t i = 0; i < n; i++)
				v[i] /= pow(r->bias + r->alpha * sum[i], r->beta);
			tensor_store_f64(r->y, plane * r->spatial + s, n, v);
		}
	}
}

bool eval_lrn(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 30 };
	const Tensor *x = in[0];
	int64_t size = op_int(op, A_size);
	if (!need_float(e, op, x))
		return false;
	if (x->rank < 2 || size < 1)
		return eval_error(e, op, "an operand of rank %d and size %lld", x->rank, (long long)size);
	LrnRun r = {.x = x, .channels = x->dims[1], .spatial = 1, .before = (size - 1) / 2, .after = size / 2,
		.alpha = op_float(op, A_alpha) / (double)size, .beta = op_float(op, A_beta), .bias = op_float(op, A_bias)};
	r.y = out[0] = tensor_like(e, x);
	if (!r.y || r.y->count == 0)
		return r.y != NULL;
	for (int d = 2; d < x->rank; d++)
		r.spatial *= x->dims[d];
	eval_ranges(e, x->dims[0] * r.channels, COST * r.spatial, run_lrn, &r);
	return true;
}
