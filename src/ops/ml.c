/* Operators of ai.onnx.ml on tables and features. */
#include "ops/ml.h"
#include "ops/label.h"

#include <math.h>
#include <string.h>

/* ---- shared ---- */

Floats ml_floats(const Op *op, AttrName a)
{
	const Attr *v = op_attr(op, a);
	return v && v->kind == ATTR_FLOATS ? (Floats){v->u.floats.v, v->u.floats.n} : (Floats){NULL, 0};
}

Ints ml_ints(const Op *op, AttrName a)
{
	const Attr *v = op_attr(op, a);
	return v && v->kind == ATTR_INTS ? (Ints){v->u.ints.v, v->u.ints.n} : (Ints){NULL, 0};
}

Strs ml_strs(const Op *op, AttrName a)
{
	const Attr *v = op_attr(op, a);
	return v && v->kind == ATTR_STRS ? (Strs){v->u.strs.v, v->u.strs.n} : (Strs){NULL, 0};
}

const Attr *ml_tensor(const Op *op, AttrName a)
{
	const Attr *v = op_attr(op, a);
	return v && v->kind == ATTR_TENSOR ? v : NULL;
}

bool ml_rows(EvalCtx *e, const Op *op, Tensor *x, Rows *r)
{
	if (x->rank < 1 || x->rank > 2 || x->dtype == DT_STR || dtype_class(x->dtype) == DC_COMPLEX)
		return eval_error(e, op, "a vector or matrix of numbers is expected");
	if (!dense_load(e, x, DT_F64, &r->d))
		return false;
	r->v = r->d.data;
	r->n = x->rank == 2 ? x->dims[0] : 1;
	r->width = x->dims[x->rank - 1];
	return true;
}

bool ml_post_of(EvalCtx *e, const Op *op, Post *out)
{
	static const char *const NAMES[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
	const char *name = op_text(op, A_post_transform);
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (!strcmp(name, NAMES[i])) {
			*out = (Post)i;
			return true;
		}
	return eval_error(e, op, "post_transform \"%s\" does not exist", name);
}

/* Inverse of the normal distribution: sqrt(2) erfinv(2p - 1), with Winitzki's approximation of erfinv that is customary
 * for this transform. */
static double probit(double p)
{
	double x = 2 * p - 1, sign = x < 0 ? -1 : 1, log_term = log((1 - x) * (1 + x));
	double a = 0.147, half = 2 / (3.14159265358979323846 * a) + 0.5 * log_term;
	return 1.41421356237309504880 * sign * sqrt(sqrt(half * half - log_term / a) - half);
}

static void softmax(double *v, int64_t n, bool keep_zeros)
{
	double top = -INFINITY, sum = 0;
	for (int64_t i = 0; i < n; i++)
		top = fmax(top, v[i]);
	for (int64_t i = 0; i < n; i++) {
		v[i] = keep_zeros && fabs(v[i]) <= 1e-7 ? 0 : exp(v[i] - top);
		sum += v[i];
	}
	for (int64_t i = 0; i < n; i++)
		v[i] = sum == 0 ? v[i] : v[i] / sum;
}

void ml_post(Post p, double *v, int64_t n)
{
	if (p == POST_SOFTMAX || p == POST_SOFTMAX_ZERO)
		softmax(v, n, p == POST_SOFTMAX_ZERO);
	for (int64_t i = 0; i < n && p == POST_LOGISTIC; i++)
		v[i] = 1 / (1 + exp(-v[i]));
	for (int64_t i = 0; i < n && p == POST_PROBIT; i++)
		v[i] = probit(v[i]);
}

void ml_post_two(Post p, double *v)
{
	if (p != POST_SOFTMAX && p != POST_SOFTMAX_ZERO)
		ml_post(p, v, 2);
}

Labels ml_labels(const Op *op)
{
	Labels l = {.strs = ml_strs(op, A_classlabels_strings), .ints = ml_ints(op, A_classlabels_int64s)};
	if (!l.ints.n)
		l.ints = ml_ints(op, A_classlabels_ints);
	l.n = l.strs.n ? l.strs.n : l.ints.n;
	return l;
}

Tensor *ml_label_tensor(EvalCtx *e, const Labels *l, int64_t n)
{
	return tensor_new(e, l->strs.n ? DT_STR : DT_I64, 1, &n);
}

void ml_set_label(Tensor *t, int64_t i, const Labels *l, int64_t label)
{
	if (l->strs.n)
		((const Str **)t->data)[i] = l->strs.v[label];
	else
		tensor_set_i64(t, i, l->ints.v[label]);
}

bool ml_classifier_results(EvalCtx *e, const Labels *l, int64_t n, int64_t width, Tensor **out)
{
	out[0] = ml_label_tensor(e, l, n);
	out[1] = out[0] ? tensor_new(e, DT_F32, 2, (int64_t[]){n, width}) : NULL;
	return out[1] != NULL;
}

int64_t ml_best(const double *v, int64_t n)
{
	int64_t best = 0;
	for (int64_t i = 1; i < n; i++)
		best = v[i] > v[best] ? i : best;
	return best;
}

/* ---- inference ---- */

static bool infer_same_shape(InferCtx *x, Op *op, DType d)
{
	const Value *v = op_operand(op, 0);
	int rank = value_rank(v);
	return infer_tensor(x, op, 0, d, rank, rank < 0 ? NULL : v->type->dims);
}

bool infer_ml_floats(InferCtx *x, Op *op)
{
	return infer_same_shape(x, op, DT_F32);
}

/* Rows of operand 0; a vector is one row. */
static const Sym *row_count(InferCtx *x, const Op *op, size_t result)
{
	const Value *v = op_operand(op, 0);
	return value_rank(v) == 2 ? v->type->dims[0] : value_rank(v) == 1 ? sym_int(x->ctx, 1) : infer_unknown(x, op, result, 0);
}

bool infer_ml_classifier(InferCtx *x, Op *op)
{
	Labels l = ml_labels(op);
	const Sym *dims[2] = {row_count(x, op, 0), sym_int(x->ctx, (int64_t)l.n)};
	infer_tensor(x, op, 0, l.strs.n ? DT_STR : DT_I64, 1, dims);
	if (l.n < 2)
		dims[1] = infer_unknown(x, op, 1, 1);
	return infer_tensor(x, op, 1, DT_F32, 2, dims);
}

bool infer_ml_regressor(InferCtx *x, Op *op)
{
	int64_t n = op_is(op, OWN_TreeEnsembleRegressor) ? op_int(op, A_n_targets) : op_is(op, OWN_LinearRegressor) ?
			op_int(op, A_targets) : 1;
	const Sym *dims[2] = {row_count(x, op, 0), sym_int(x->ctx, n)};
	return infer_tensor(x, op, 0, DT_F32, 2, dims);
}

bool infer_category_mapper(InferCtx *x, Op *op)
{
	DType d = value_dtype(op_operand(op, 0));
	return infer_same_shape(x, op, d == DT_NONE ? DT_NONE : d == DT_STR ? DT_I64 : DT_STR);
}

bool infer_label_encoder(InferCtx *x, Op *op)
{
	const Attr *t = ml_tensor(op, A_values_tensor);
	DType from = value_dtype(op_operand(op, 0)), d = from == DT_NONE ? DT_NONE : from == DT_STR ? DT_I64 : DT_STR;
	if (ml_ints(op, A_values_int64s).n)
		d = DT_I64;
	else if (ml_floats(op, A_values_floats).n)
		d = DT_F32;
	else if (ml_strs(op, A_values_strings).n)
		d = DT_STR;
	return infer_same_shape(x, op, t ? t->u.tensor.type->dtype : d);
}

bool infer_one_hot_encoder(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	size_t n = ml_ints(op, A_cats_int64s).n + ml_strs(op, A_cats_strings).n;
	int rank = value_rank(v);
	const Sym *dims[MAX_RANK];
	if (rank < 0 || rank >= MAX_RANK)
		return infer_tensor(x, op, 0, DT_F32, RANK_UNKNOWN, NULL);
	for (int d = 0; d < rank; d++)
		dims[d] = v->type->dims[d];
	dims[rank] = sym_int(x->ctx, (int64_t)n);
	return infer_tensor(x, op, 0, DT_F32, rank + 1, dims);
}

bool infer_array_feature_extractor(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *picks = op_operand(op, 1);
	int rank = value_rank(v);
	const Sym *dims[MAX_RANK];
	if (rank < 1 || rank > MAX_RANK)
		return infer_tensor(x, op, 0, value_dtype(v), RANK_UNKNOWN, NULL);
	int to = rank == 1 ? 2 : rank;
	dims[0] = sym_int(x->ctx, 1);
	for (int d = 0; d < rank - 1; d++)
		dims[d] = v->type->dims[d];
	const Sym *n = sym_int(x->ctx, 1);
	for (int d = 0; d < value_rank(picks); d++)
		n = sym_mul(x->ctx, n, picks->type->dims[d]);
	dims[to - 1] = value_rank(picks) < 0 ? infer_unknown(x, op, 0, to - 1) : n;
	return infer_tensor(x, op, 0, value_dtype(v), to, dims);
}

bool infer_feature_vectorizer(InferCtx *x, Op *op)
{
	Ints widths = ml_ints(op, A_inputdimensions);
	int64_t sum = 0;
	for (size_t i = 0; i < widths.n; i++)
		if (widths.v[i] < 0 || !add_ok(sum, widths.v[i], &sum))
			return infer_error(x, op, "inputdimensions holds a negative or absurd size");
	const Sym *dims[2] = {row_count(x, op, 0), sym_int(x->ctx, sum)};
	return infer_tensor(x, op, 0, DT_F32, 2, dims);
}

bool infer_cast_map(InferCtx *x, Op *op)
{
	const char *to = op_text(op, A_cast_to);
	DType d = !strcmp(to, "TO_FLOAT") ? DT_F32 : !strcmp(to, "TO_INT64") ? DT_I64 : DT_STR;
	const Sym *dims[2] = {sym_int(x->ctx, 1), infer_unknown(x, op, 0, 1)};
	return infer_tensor(x, op, 0, d, 2, dims);
}

bool infer_dict_vectorizer(InferCtx *x, Op *op)
{
	size_t n = ml_ints(op, A_int64_vocabulary).n + ml_strs(op, A_string_vocabulary).n;
	const Type *map = op_operand(op, 0)->type;
	const Sym *dims[2] = {sym_int(x->ctx, 1), sym_int(x->ctx, (int64_t)n)};
	bool known = map->kind == TYPE_MAP && map->nelem == 1 && type_is_tensor(map->elem[0]);
	return infer_tensor(x, op, 0, known ? map->elem[0]->dtype : DT_NONE, 2, dims);
}

/* ---- elementwise ---- */

bool eval_binarizer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	double threshold = op_float(op, A_threshold);
	if (!dense_operands(e, op, in, false))
		return false;
	out[0] = tensor_like(e, in[0]);
	for (int64_t i = 0; out[0] && i < out[0]->count; i++)
		tensor_set_f64(out[0], i, tensor_get_f64(in[0], i) > threshold);
	return out[0] != NULL;
}

/* Column of element i for a list of one entry, or one a column; false when the list has another length. */
static bool fits_columns(EvalCtx *e, const Op *op, const Tensor *x, size_t n, const char *what)
{
	int64_t width = x->rank ? x->dims[x->rank - 1] : 1;
	return n == 1 || (int64_t)n == width || eval_error(e, op, "%zu entries of %s for %lld columns", n, what, (long long)width);
}

bool eval_imputer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	Floats f = ml_floats(op, A_imputed_value_floats);
	Ints n = ml_ints(op, A_imputed_value_int64s);
	bool ints = dtype_is_integer(x->dtype);
	double gone = op_float(op, A_replaced_value_float);
	if (!dense_operands(e, op, in, false) || !fits_columns(e, op, x, ints ? n.n : f.n, "imputed values"))
		return false;
	out[0] = tensor_like(e, x);
	for (int64_t i = 0; out[0] && i < x->count; i++) {
		size_t column = (ints ? n.n : f.n) == 1 ? 0 : (size_t)(i % x->dims[x->rank - 1]);
		if (ints) {
			int64_t v = tensor_get_i64(x, i);
			tensor_set_i64(out[0], i, v == op_int(op, A_replaced_value_int64) ? n.v[column] : v);
		} else {
			double v = tensor_get_f64(x, i);
			tensor_set_f64(out[0], i, v == gone || (isnan(v) && isnan(gone)) ? f.v[column] : v);
		}
	}
	return out[0] != NULL;
}

bool eval_scaler(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	Floats offset = ml_floats(op, A_offset), scale = ml_floats(op, A_scale);
	if (!dense_operands(e, op, in, false) || !fits_columns(e, op, x, offset.n, "offset") ||
		!fits_columns(e, op, x, scale.n, "scale"))
		return false;
	out[0] = tensor_new(e, DT_F32, x->rank, x->dims);
	for (int64_t i = 0; out[0] && i < x->count; i++) {
		size_t column = x->rank ? (size_t)(i % x->dims[x->rank - 1]) : 0;
		double v = tensor_get_f64(x, i) - offset.v[offset.n == 1 ? 0 : column];
		tensor_set_f64(out[0], i, v * scale.v[scale.n == 1 ? 0 : column]);
	}
	return out[0] != NULL;
}

/* Each row over its largest element, its sum of magnitudes or its length; a row whose divisor is zero stays. */
bool eval_normalizer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const char *norm = op_text(op, A_norm);
	bool l1 = !strcmp(norm, "L1"), l2 = !strcmp(norm, "L2");
	Rows r = {0};
	if (!l1 && !l2 && strcmp(norm, "MAX"))
		return eval_error(e, op, "norm \"%s\" is none of MAX, L1, L2", norm);
	if (!ml_rows(e, op, in[0], &r))
		return false;
	out[0] = tensor_new(e, DT_F32, in[0]->rank, in[0]->dims);
	for (int64_t i = 0; out[0] && i < r.n; i++) {
		const double *row = r.v + i * r.width;
		double by = l1 || l2 ? 0 : -INFINITY;
		for (int64_t k = 0; k < r.width; k++)
			by = l1 ? by + fabs(row[k]) : l2 ? by + row[k] * row[k] : fmax(by, row[k]);
		by = l2 ? sqrt(by) : by;
		for (int64_t k = 0; k < r.width; k++)
			tensor_set_f64(out[0], i * r.width + k, by == 0 ? row[k] : row[k] / by);
	}
	dense_release(&r.d);
	return out[0] != NULL;
}

/* ---- tables ---- */

/* Keys or values of a table: one of the lists, or a constant tensor. */
typedef struct Column {
	Floats floats;
	Ints ints;
	Strs strs;
	Tensor *tensor;
	size_t n;
} Column;

static bool column_read(EvalCtx *e, const Op *op, AttrName floats, AttrName ints, AttrName strs, AttrName tensor, Column *c)
{
	const Attr *t = tensor ? ml_tensor(op, tensor) : NULL;
	*c = (Column){.floats = ml_floats(op, floats), .ints = ml_ints(op, ints), .strs = ml_strs(op, strs)};
	c->n = c->floats.n ? c->floats.n : c->ints.n ? c->ints.n : c->strs.n;
	if (!t)
		return true;
	c->tensor = tensor_from_attr(e, t);
	c->n = c->tensor ? (size_t)c->tensor->count : 0;
	return c->tensor != NULL;
}

static const Str *string_at(const Tensor *t, int64_t i)
{
	return ((const Str *const *)t->data)[i];
}

static bool column_matches(const Column *c, size_t k, const Tensor *x, int64_t i)
{
	if (x->dtype == DT_STR)
		return (c->tensor ? string_at(c->tensor, (int64_t)k) : c->strs.v[k]) == string_at(x, i);
	if (dtype_is_integer(x->dtype))
		return (c->tensor ? tensor_get_i64(c->tensor, (int64_t)k) : c->ints.v[k]) == tensor_get_i64(x, i);
	double key = c->tensor ? tensor_get_f64(c->tensor, (int64_t)k) : c->floats.v[k], v = tensor_get_f64(x, i);
	return key == v || (isnan(key) && isnan(v));
}

static bool keys_fit(const Column *c, const Tensor *x)
{
	if (c->tensor)
		return (c->tensor->dtype == DT_STR) == (x->dtype == DT_STR);
	return x->dtype == DT_STR ? c->strs.n == c->n : dtype_is_integer(x->dtype) ? c->ints.n == c->n :
			dtype_is_float(x->dtype) && c->floats.n == c->n;
}

/* Element i of y from entry k of the column, or the default when k is beyond it. */
static void column_put(EvalCtx *e, const Op *op, const Column *c, size_t k, Tensor *y, int64_t i)
{
	bool found = k < c->n;
	const Attr *other = ml_tensor(op, A_default_tensor);
	if (y->dtype == DT_STR) {
		const Str *s = found ? (c->tensor ? string_at(c->tensor, (int64_t)k) : c->strs.v[k]) :
				str(e->ctx, op_text(op, A_default_string));
		((const Str **)y->data)[i] = s;
	} else if (found && c->tensor) {
		memcpy((char *)y->data + (size_t)i * tensor_elem_size(y),
			(const char *)c->tensor->data + k * tensor_elem_size(y), tensor_elem_size(y));
	} else if (!found && other) {
		Tensor *t = tensor_from_attr(e, other);
		if (t && t->count > 0 && t->dtype == y->dtype)
			memcpy((char *)y->data + (size_t)i * tensor_elem_size(y), t->data, tensor_elem_size(y));
		tensor_unref(t);
	} else if (dtype_is_integer(y->dtype)) {
		tensor_set_i64(y, i, found ? c->ints.v[k] : op_int(op, A_default_int64));
	} else {
		tensor_set_f64(y, i, found ? c->floats.v[k] : op_float(op, A_default_float));
	}
}

/* The last of equal keys counts. */
static bool look_up(EvalCtx *e, const Op *op, const Tensor *x, const Column *keys, const Column *values, Tensor **out)
{
	DType d = values->tensor ? values->tensor->dtype : values->floats.n ? DT_F32 : values->ints.n ? DT_I64 : DT_STR;
	if (keys->n != values->n || !keys_fit(keys, x))
		return eval_error(e, op, "%zu keys and %zu values, or keys of another type than the operand", keys->n, values->n);
	out[0] = tensor_new(e, d, x->rank, x->dims);
	for (int64_t i = 0; out[0] && i < x->count; i++) {
		size_t k = keys->n;
		while (k > 0 && !column_matches(keys, k - 1, x, i))
			k--;
		column_put(e, op, values, k ? k - 1 : values->n, out[0], i);
	}
	return out[0] != NULL;
}

/* Version 1 had one list of strings, mapped from and to their positions. */
bool eval_label_encoder(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Column keys, values;
	Strs classes = ml_strs(op, A_classes_strings);
	if (!column_read(e, op, A_keys_floats, A_keys_int64s, A_keys_strings, A_keys_tensor, &keys) ||
		!column_read(e, op, A_values_floats, A_values_int64s, A_values_strings, A_values_tensor, &values))
		return false;
	if (!classes.n) {
		bool found = look_up(e, op, in[0], &keys, &values, out);
		tensor_unref(keys.tensor);
		tensor_unref(values.tensor);
		return found;
	}
	int64_t *places = mem_alloc((classes.n + 1) * sizeof *places);
	for (size_t i = 0; i < classes.n; i++)
		places[i] = (int64_t)i;
	Column text = {.strs = classes, .n = classes.n}, numbers = {.ints = {places, classes.n}, .n = classes.n};
	bool from_text = in[0]->dtype == DT_STR;
	bool ok = look_up(e, op, in[0], from_text ? &text : &numbers, from_text ? &numbers : &text, out);
	mem_free(places);
	return ok;
}

bool eval_category_mapper(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Strs strs = ml_strs(op, A_cats_strings);
	Ints ints = ml_ints(op, A_cats_int64s);
	Column text = {.strs = strs, .n = strs.n}, numbers = {.ints = ints, .n = ints.n};
	bool from_text = in[0]->dtype == DT_STR;
	return look_up(e, op, in[0], from_text ? &text : &numbers, from_text ? &numbers : &text, out);
}

bool eval_one_hot_encoder(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	Strs strs = ml_strs(op, A_cats_strings);
	Ints ints = ml_ints(op, A_cats_int64s);
	int64_t dims[MAX_RANK], n = (int64_t)(x->dtype == DT_STR ? strs.n : ints.n);
	if (x->rank >= MAX_RANK || dtype_class(x->dtype) == DC_COMPLEX)
		return eval_error(e, op, "operand of rank %d or of complex numbers", x->rank);
	memcpy(dims, x->dims, sizeof dims);
	dims[x->rank] = n;
	out[0] = tensor_new(e, DT_F32, x->rank + 1, dims);
	for (int64_t i = 0; out[0] && i < x->count; i++) {
		int64_t k = 0;
		if (x->dtype == DT_STR)
			while (k < n && strs.v[k] != string_at(x, i))
				k++;
		else
			while (k < n && ints.v[k] != (dtype_is_float(x->dtype) ? saturate_int(DT_I64, tensor_get_f64(x, i)) :
					tensor_get_i64(x, i)))
				k++;
		if (k < n)
			tensor_set_f64(out[0], i * n + k, 1);
		else if (!op_int(op, A_zeros))
			return eval_error(e, op, "element %lld is no known category", (long long)i);
	}
	return out[0] != NULL;
}

/* ---- columns ---- */

bool eval_array_feature_extractor(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *picks = in[1];
	int64_t dims[MAX_RANK];
	if (x->rank < 1 || !dtype_is_integer(picks->dtype))
		return eval_error(e, op, "a tensor of rank 1 or more and integer positions are expected");
	int64_t width = x->dims[x->rank - 1], rows = 1;
	for (int d = 0; d < x->rank - 1; d++)
		rows *= x->dims[d];
	memcpy(dims, x->dims, sizeof dims);
	dims[x->rank == 1 ? 1 : x->rank - 1] = picks->count;
	if (x->rank == 1)
		dims[0] = 1;
	out[0] = tensor_new(e, x->dtype, x->rank == 1 ? 2 : x->rank, dims);
	if (!out[0])
		return false;
	size_t size = tensor_elem_size(x);
	for (int64_t k = 0; k < picks->count; k++) {
		int64_t from = tensor_get_i64(picks, k);
		if (from < 0 || from >= width)
			return eval_error(e, op, "position %lld of %lld columns", (long long)from, (long long)width);
		for (int64_t r = 0; r < rows; r++)
			memcpy((char *)out[0]->data + (size_t)(r * picks->count + k) * size,
				(const char *)x->data + (size_t)(r * width + from) * size, size);
	}
	return true;
}

/* Operands side by side, each cut or filled with zeros to its width. */
bool eval_feature_vectorizer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Ints widths = ml_ints(op, A_inputdimensions);
	int64_t total = 0, at = 0, rows = -1;
	if (widths.n != op->noperands)
		return eval_error(e, op, "%zu entries of inputdimensions for %u operands", widths.n, op->noperands);
	for (size_t i = 0; i < op->noperands; i++) {
		Tensor *x = in[i];
		int64_t n = x->rank == 2 ? x->dims[0] : 1;
		if (x->rank < 1 || x->rank > 2 || x->dtype == DT_STR || (rows >= 0 && n != rows) || widths.v[i] < 0 ||
			!add_ok(total, widths.v[i], &total))
			return eval_error(e, op, "%s is no matrix of as many rows as the others", op_operand_said(e, op, i));
		rows = n;
	}
	out[0] = tensor_new(e, DT_F32, 2, (int64_t[]){rows < 0 ? 0 : rows, total});
	for (size_t i = 0; out[0] && i < op->noperands; i++) {
		int64_t have = in[i]->dims[in[i]->rank - 1], n = have < widths.v[i] ? have : widths.v[i];
		for (int64_t r = 0; r < rows; r++)
			for (int64_t k = 0; k < n; k++)
				tensor_set_f64(out[0], r * total + at + k, tensor_get_f64(in[i], r * have + k));
		at += widths.v[i];
	}
	return out[0] != NULL;
}

/* ---- maps ---- */

static bool need_map(EvalCtx *e, const Op *op, const Tensor *m)
{
	bool ok = m->kind == TYPE_MAP && m->nitems == 2 && m->items[0]->kind == TYPE_TENSOR &&
		m->items[1]->kind == TYPE_TENSOR && m->items[0]->count == m->items[1]->count;
	return ok || eval_error(e, op, "a map is expected");
}

bool eval_dict_vectorizer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Strs strs = ml_strs(op, A_string_vocabulary);
	Ints ints = ml_ints(op, A_int64_vocabulary);
	if (!need_map(e, op, in[0]))
		return false;
	const Tensor *keys = in[0]->items[0], *values = in[0]->items[1];
	int64_t n = (int64_t)(keys->dtype == DT_STR ? strs.n : ints.n);
	out[0] = tensor_new(e, values->dtype, 2, (int64_t[]){1, n});
	if (!out[0])
		return false;
	size_t size = tensor_elem_size(out[0]);
	for (int64_t k = 0; k < n; k++)
		for (int64_t i = 0; i < keys->count; i++)
			if (keys->dtype == DT_STR ? string_at(keys, i) == strs.v[k] : tensor_get_i64(keys, i) == ints.v[k])
				memcpy((char *)out[0]->data + (size_t)k * size, (const char *)values->data + (size_t)i * size, size);
	return true;
}

static void cast_value(EvalCtx *e, const Tensor *from, int64_t i, Tensor *to, int64_t k)
{
	double v = 0;
	if (from->dtype == DT_STR) {
		const Str *s = string_at(from, i);
		(void)parse_double(s->s, s->len, &v);
	} else {
		v = tensor_get_f64(from, i);
	}
	if (to->dtype == DT_STR)
		((const Str **)to->data)[k] = from->dtype == DT_STR ? string_at(from, i) : str_fmt(e->ctx, "%.9g", v);
	else if (to->dtype == DT_I64)
		tensor_set_i64(to, k, saturate_int(DT_I64, v));
	else
		tensor_set_f64(to, k, v);
}

/* Values in the order of their keys; SPARSE: each at the place that its key says, of max_map. */
bool eval_cast_map(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const char *to = op_text(op, A_cast_to);
	bool sparse = !strcmp(op_text(op, A_map_form), "SPARSE");
	if (!need_map(e, op, in[0]))
		return false;
	const Tensor *keys = in[0]->items[0], *values = in[0]->items[1];
	int64_t n = sparse ? op_int(op, A_max_map) : keys->count;
	if (!dtype_is_integer(keys->dtype) || n < 0)
		return eval_error(e, op, "integer keys and a size that is not negative are expected");
	DType d = !strcmp(to, "TO_FLOAT") ? DT_F32 : !strcmp(to, "TO_INT64") ? DT_I64 : DT_STR;
	out[0] = tensor_new(e, d, 2, (int64_t[]){1, n});
	for (int64_t i = 0; out[0] && i < keys->count; i++) {
		int64_t key = tensor_get_i64(keys, i), at = 0;
		for (int64_t k = 0; k < keys->count; k++)
			at += tensor_get_i64(keys, k) < key;
		at = sparse ? key : at;
		if (at >= 0 && at < n)
			cast_value(e, values, i, out[0], at);
	}
	return out[0] != NULL;
}

/* A sequence of maps from label to score, one a row. */
bool eval_zip_map(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Labels l = ml_labels(op);
	Rows r = {0};
	int64_t n = (int64_t)l.n;
	if (!ml_rows(e, op, in[0], &r))
		return false;
	if (r.width != n) {
		dense_release(&r.d);
		return eval_error(e, op, "%lld labels for rows of %lld scores", (long long)n, (long long)r.width);
	}
	Tensor **maps = mem_zalloc((size_t)(r.n + 1) * sizeof *maps);
	bool ok = true;
	for (int64_t i = 0; ok && i < r.n; i++) {
		Tensor *pair[2] = {ml_label_tensor(e, &l, n), tensor_new(e, DT_F32, 1, &n)};
		ok = pair[0] && pair[1];
		for (int64_t k = 0; ok && k < n; k++) {
			ml_set_label(pair[0], k, &l, k);
			tensor_set_f64(pair[1], k, r.v[i * n + k]);
		}
		if (ok)
			maps[i] = tensor_sequence(e, TYPE_MAP, pair, 2);
		tensor_unref(pair[0]);
		tensor_unref(pair[1]);
	}
	if (ok)
		out[0] = tensor_sequence(e, TYPE_SEQUENCE, maps, r.n);
	for (int64_t i = 0; i < r.n; i++)
		tensor_unref(maps[i]);
	mem_free(maps);
	dense_release(&r.d);
	return ok;
}
