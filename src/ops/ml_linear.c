/* Linear models and support vector machines of ai.onnx.ml. */
#include "ops/ml.h"

#include <math.h>
#include <string.h>

/* ---- linear models ---- */

/* row . coefficients[k] + intercept[k] for `n` targets. */
static void linear_scores(const double *row, int64_t width, Floats c, Floats b, int64_t n, double *scores)
{
	for (int64_t k = 0; k < n; k++) {
		double sum = b.n ? b.v[k] : 0;
		for (int64_t i = 0; i < width; i++)
			sum += row[i] * c.v[k * width + i];
		scores[k] = sum;
	}
}

static bool linear_fits(EvalCtx *e, const Op *op, const Rows *r, Floats c, Floats b, int64_t n)
{
	int64_t want;
	return (n > 0 && n < INT32_MAX && mul_ok(n, r->width, &want) && (int64_t)c.n == want && (!b.n || (int64_t)b.n >= n)) ||
		eval_error(e, op, "%zu coefficients and %zu intercepts for %lld targets of %lld columns", c.n, b.n, (long long)n,
			(long long)r->width);
}

bool eval_linear_regressor(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Rows r = {0};
	Post post;
	Floats c = ml_floats(op, A_coefficients), b = ml_floats(op, A_intercepts);
	int64_t n = op_int(op, A_targets);
	if (!ml_post_of(e, op, &post) || !ml_rows(e, op, in[0], &r))
		return false;
	bool ok = linear_fits(e, op, &r, c, b, n) && (out[0] = tensor_new(e, DT_F32, 2, (int64_t[]){r.n, n}));
	double *scores = ok ? mem_alloc((size_t)n * sizeof *scores) : NULL;
	for (int64_t i = 0; ok && i < r.n; i++) {
		linear_scores(r.v + i * r.width, r.width, c, b, n, scores);
		ml_post(post, scores, n);
		tensor_store_f64(out[0], i * n, n, scores);
	}
	mem_free(scores);
	dense_release(&r.d);
	return ok;
}

/* One score and two labels: the score stands for the second, and its sign decides. */
static void split_score(Post post, double *scores)
{
	double s = scores[0];
	scores[0] = post == POST_LOGISTIC ? -s : 1 - s;
	scores[1] = s;
	ml_post_two(post, scores);
}

bool eval_linear_classifier(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Rows r = {0};
	Post post;
	Labels l = ml_labels(op);
	Floats c = ml_floats(op, A_coefficients), b = ml_floats(op, A_intercepts);
	if (!ml_post_of(e, op, &post) || !ml_rows(e, op, in[0], &r))
		return false;
	int64_t n = r.width > 0 ? (int64_t)c.n / r.width : 0, width = n == 1 && l.n == 2 ? 2 : n;
	bool ok = linear_fits(e, op, &r, c, b, n) &&
		((int64_t)l.n >= n || eval_error(e, op, "%zu labels for %lld classes", l.n, (long long)n)) &&
		ml_classifier_results(e, &l, r.n, width, out);
	double *scores = ok ? mem_alloc((size_t)(width + 1) * sizeof *scores) : NULL;
	for (int64_t i = 0; ok && i < r.n; i++) {
		linear_scores(r.v + i * r.width, r.width, c, b, n, scores);
		int64_t label = n == 1 ? (l.n == 2 && scores[0] > 0) : ml_best(scores, n);
		if (width != n)
			split_score(post, scores);
		else
			ml_post(post, scores, width);
		ml_set_label(out[0], i, &l, label);
		tensor_store_f64(out[1], i * width, width, scores);
	}
	mem_free(scores);
	dense_release(&r.d);
	return ok;
}

/* ---- support vectors ---- */

typedef enum Kernel { KERNEL_LINEAR, KERNEL_POLY, KERNEL_RBF, KERNEL_SIGMOID } Kernel;

typedef struct Svm {
	Kernel kernel;
	double gamma, offset, degree;
	Floats vectors, c, rho;
	int64_t n, width;          /* support vectors and their length */
} Svm;

static bool svm_read(EvalCtx *e, const Op *op, int64_t n, int64_t width, Svm *s)
{
	static const char *const NAMES[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
	Floats p = ml_floats(op, A_kernel_params);
	const char *name = op_text(op, A_kernel_type);
	size_t k = 0;
	while (k < ARRAY_LEN(NAMES) && strcmp(name, NAMES[k]))
		k++;
	if (k == ARRAY_LEN(NAMES))
		return eval_error(e, op, "kernel_type \"%s\" does not exist", name);
	*s = (Svm){.kernel = (Kernel)k, .vectors = ml_floats(op, A_support_vectors), .c = ml_floats(op, A_coefficients),
		.rho = ml_floats(op, A_rho), .n = n, .width = width};
	s->gamma = p.n > 0 ? p.v[0] : 0;
	s->offset = p.n > 1 ? p.v[1] : 0;
	s->degree = p.n > 2 ? p.v[2] : 0;
	int64_t want;
	return (n >= 0 && mul_ok(n, width, &want) && (int64_t)s->vectors.n == want && s->rho.n > 0) ||
		eval_error(e, op, "%zu numbers for %lld support vectors of %lld columns", s->vectors.n, (long long)n,
			(long long)width);
}

static double kernel_of(const Svm *s, const double *x, const double *v)
{
	double sum = 0;
	for (int64_t i = 0; i < s->width; i++)
		sum += s->kernel == KERNEL_RBF ? (x[i] - v[i]) * (x[i] - v[i]) : x[i] * v[i];
	switch (s->kernel) {
	case KERNEL_POLY: return pow(s->gamma * sum + s->offset, s->degree);
	case KERNEL_RBF: return exp(-s->gamma * sum);
	case KERNEL_SIGMOID: return tanh(s->gamma * sum + s->offset);
	default: return sum;
	}
}

bool eval_svm_regressor(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Rows r = {0};
	Post post;
	Svm s;
	int64_t n = op_int(op, A_n_supports);
	if (!ml_post_of(e, op, &post) || !ml_rows(e, op, in[0], &r))
		return false;
	bool ok = svm_read(e, op, n, r.width, &s) &&
		((int64_t)s.c.n == (n ? n : r.width) || eval_error(e, op, "%zu coefficients", s.c.n)) &&
		(out[0] = tensor_new(e, DT_F32, 2, (int64_t[]){r.n, 1}));
	for (int64_t i = 0; ok && i < r.n; i++) {
		const double *row = r.v + i * r.width;
		double y = n ? s.rho.v[0] : kernel_of(&s, row, s.c.v) + s.rho.v[0];
		for (int64_t k = 0; k < n; k++)
			y += s.c.v[k] * kernel_of(&s, row, s.vectors.v + k * r.width);
		if (op_int(op, A_one_class))
			y = y > 0 ? 1 : -1;
		ml_post(post, &y, 1);
		tensor_set_f64(out[0], i, y);
	}
	dense_release(&r.d);
	return ok;
}

/* A classifier of k classes without its linear form: one decision for each pair of classes. */
typedef struct Votes {
	int64_t classes, pairs;
	Ints sizes;                /* support vectors a class, in order */
	Floats a, b;               /* of the logistic fit, one a pair; empty: decisions are the scores */
	double *kernels, *decisions, *pair_p, *p, *slope;
	int64_t *votes;
} Votes;

/* The decision between classes i and j: coefficients of i's vectors against j are in row j - 1, of j's against i in row i. */
static double decide(const Svm *s, const Votes *v, int64_t i, int64_t j, int64_t pair)
{
	double sum = s->rho.v[pair];
	int64_t at = 0;
	for (int64_t c = 0; c < v->classes; c++) {
		for (int64_t k = 0; k < v->sizes.v[c]; k++, at++)
			if (c == i || c == j)
				sum += s->c.v[(c == i ? j - 1 : i) * s->n + at] * v->kernels[at];
	}
	return sum;
}

/* Entry (t, j) of the quadratic form whose minimum gives the class probabilities. */
static double form_at(const Votes *v, int64_t t, int64_t j)
{
	double sum = 0;
	if (j != t)
		return -v->pair_p[j * v->classes + t] * v->pair_p[t * v->classes + j];
	for (int64_t k = 0; k < v->classes; k++)
		sum += k == t ? 0 : v->pair_p[k * v->classes + t] * v->pair_p[k * v->classes + t];
	return sum;
}

/* Class probabilities from those of the pairs (Wu, Lin and Weng 2004, second method): coordinate descent, stopped as early
 * as is customary, since results are compared with those of other implementations. */
static void couple(const Votes *v)
{
	int64_t k = v->classes;
	double stop = 0.005 / (double)k;
	for (int64_t i = 0; i < k; i++)
		v->p[i] = 1.0 / (double)k;
	for (int round = 0; round < 100; round++) {
		double whole = 0, most = 0;
		for (int64_t t = 0; t < k; t++) {
			v->slope[t] = 0;
			for (int64_t j = 0; j < k; j++)
				v->slope[t] += form_at(v, t, j) * v->p[j];
			whole += v->p[t] * v->slope[t];
		}
		for (int64_t t = 0; t < k; t++)
			most = fmax(most, fabs(v->slope[t] - whole));
		if (most < stop)
			break;
		for (int64_t t = 0; t < k; t++) {
			double own = form_at(v, t, t), step = (whole - v->slope[t]) / own;
			v->p[t] += step;
			whole = (whole + step * (step * own + 2 * v->slope[t])) / ((1 + step) * (1 + step));
			for (int64_t j = 0; j < k; j++) {
				v->slope[j] = (v->slope[j] + step * form_at(v, t, j)) / (1 + step);
				v->p[j] /= 1 + step;
			}
		}
	}
}

static void decide_all(const Svm *s, const Votes *v, const double *row)
{
	int64_t pair = 0, k = v->classes;
	for (int64_t i = 0; i < s->n; i++)
		v->kernels[i] = kernel_of(s, row, s->vectors.v + i * s->width);
	memset(v->votes, 0, (size_t)k * sizeof *v->votes);
	for (int64_t i = 0; i < k; i++)
		for (int64_t j = i + 1; j < k; j++, pair++) {
			double d = v->decisions[pair] = decide(s, v, i, j, pair);
			v->votes[d > 0 ? i : j]++;
			if (!v->a.n)
				continue;
			double p = 1 / (1 + exp(v->a.v[pair] * d + v->b.v[pair]));
			p = fmin(fmax(p, 1e-7), 1 - 1e-7);
			v->pair_p[i * k + j] = p;
			v->pair_p[j * k + i] = 1 - p;
		}
}

/* One row of `width` scores; the label's index. */
static int64_t classify(const Svm *s, const Votes *v, const double *row, Post post, double *scores)
{
	int64_t k = v->classes, best = 0;
	decide_all(s, v, row);
	for (int64_t i = 1; i < k; i++)
		best = v->votes[i] > v->votes[best] ? i : best;
	if (v->a.n) {
		couple(v);
		memcpy(scores, v->p, (size_t)k * sizeof *scores);
	} else if (k == 2) {
		scores[0] = (post == POST_SOFTMAX || post == POST_SOFTMAX_ZERO) - v->decisions[0];
		scores[1] = v->decisions[0];
		ml_post_two(post, scores);
		return best;
	} else {
		memcpy(scores, v->decisions, (size_t)v->pairs * sizeof *scores);
	}
	ml_post(post, scores, v->a.n ? k : v->pairs);
	return best;
}

static bool votes_read(EvalCtx *e, const Op *op, const Labels *l, const Svm *s, Votes *v)
{
	int64_t sum = 0, k = v->classes, want;
	for (size_t i = 0; i < v->sizes.n; i++)
		if (v->sizes.v[i] < 0 || !add_ok(sum, v->sizes.v[i], &sum))
			return eval_error(e, op, "vectors_per_class holds a negative size");
	v->pairs = k * (k - 1) / 2;
	v->a = ml_floats(op, A_prob_a);
	v->b = ml_floats(op, A_prob_b);
	if ((int64_t)l->n != k || sum != s->n || !mul_ok(k - 1, s->n, &want) || (int64_t)s->c.n != want ||
		(int64_t)s->rho.n < v->pairs || v->a.n != v->b.n || (v->a.n && (int64_t)v->a.n < v->pairs))
		return eval_error(e, op, "the lists do not fit %lld classes and %lld support vectors", (long long)k,
			(long long)s->n);
	return true;
}

bool eval_svm_classifier(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Rows r = {0};
	Post post;
	Svm s;
	Labels l = ml_labels(op);
	Votes v = {.sizes = ml_ints(op, A_vectors_per_class)};
	v.classes = (int64_t)v.sizes.n;
	if (v.classes < 2 || v.classes > INT16_MAX)
		return eval_unsupported(e, op, "a classifier without support vectors of two classes or more");
	if (!ml_post_of(e, op, &post) || !ml_rows(e, op, in[0], &r))
		return false;
	int64_t n = r.width > 0 ? (int64_t)(ml_floats(op, A_support_vectors).n / (size_t)r.width) : 0;
	Arena *a = arena_new();
	bool ok = svm_read(e, op, n, r.width, &s) && votes_read(e, op, &l, &s, &v);
	int64_t k = v.classes, width = v.a.n || k == 2 ? k : v.pairs;
	ok = ok && ml_classifier_results(e, &l, r.n, width, out);
	if (ok) {
		v.kernels = NEW_ARRAY(a, double, n + 1);
		v.decisions = NEW_ARRAY(a, double, v.pairs);
		v.pair_p = NEW_ARRAY(a, double, k * k);
		v.p = NEW_ARRAY(a, double, k);
		v.slope = NEW_ARRAY(a, double, k);
		v.votes = NEW_ARRAY(a, int64_t, k);
	}
	double *scores = NEW_ARRAY(a, double, width + k);
	for (int64_t i = 0; ok && i < r.n; i++) {
		ml_set_label(out[0], i, &l, classify(&s, &v, r.v + i * r.width, post, scores));
		tensor_store_f64(out[1], i * width, width, scores);
	}
	arena_free(a);
	dense_release(&r.d);
	return ok;
}
