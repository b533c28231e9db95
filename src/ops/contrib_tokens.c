/* Operators of com.microsoft over tokens and images that core ops cannot say: hashes, repeated n-grams, time warping, crops,
 * padding of sequences. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/label.h"

#include <math.h>
#include <string.h>

/* ---- MurmurHash3: the 32-bit function of its author, public domain ---- */

static uint32_t turn(uint32_t x, int by)
{
	return x << by | x >> (32 - by);
}

static uint32_t murmur(const uint8_t *p, size_t n, uint32_t seed)
{
	uint32_t h = seed, k;
	size_t i;
	for (i = 0; i + 4 <= n; i += 4) {
		k = (uint32_t)p[i] | (uint32_t)p[i + 1] << 8 | (uint32_t)p[i + 2] << 16 | (uint32_t)p[i + 3] << 24;
		h ^= turn(k * 0xcc9e2d51u, 15) * 0x1b873593u;
		h = turn(h, 13) * 5 + 0xe6546b64u;
	}
	k = 0;
	for (size_t j = n; j-- > i;)
		k = k << 8 | p[j];
	if (i < n)
		h ^= turn(k * 0xcc9e2d51u, 15) * 0x1b873593u;
	h ^= (uint32_t)n;
	h = (h ^ h >> 16) * 0x85ebca6bu;
	h = (h ^ h >> 13) * 0xc2b2ae35u;
	return h ^ h >> 16;
}

/* The bytes of element i as its type has them. */
static size_t element_bytes(const Tensor *x, int64_t i, uint8_t *out)
{
	size_t size = dtype_size(x->dtype);
	if (dtype_is_float(x->dtype)) {
		double v = tensor_get_f64(x, i);
		dtype_store_f64(x->dtype, out, 1, &v);
	} else {
		int64_t v = tensor_get_i64(x, i);
		dtype_store_i64(x->dtype, out, 1, &v);
	}
	return size;
}

bool eval_ms_murmur(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	uint32_t seed = (uint32_t)op_attr_int(op, A_seed, 0);
	uint8_t bytes[16];
	if (x->kind != TYPE_TENSOR || dtype_class(x->dtype) == DC_COMPLEX)
		return eval_error(e, op, "numbers or strings are expected");
	out[0] = tensor_new(e, op_attr_int(op, A_positive, 1) ? DT_U32 : DT_I32, x->rank, x->dims);
	for (int64_t i = 0; out[0] && i < x->count; i++) {
		const Str *s = x->dtype == DT_STR ? ((const Str *const *)x->data)[i] : NULL;
		size_t n = x->dtype == DT_STR ? (s ? s->len : 0) : element_bytes(x, i, bytes);
		uint32_t h = murmur(x->dtype == DT_STR ? (s ? (const uint8_t *)s->s : bytes) : bytes, n, seed);
		tensor_set_i64(out[0], i, out[0]->dtype == DT_U32 ? (int64_t)h : (int64_t)(int32_t)h);
	}
	return out[0] != NULL;
}

bool infer_ms_murmur(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	int rank = value_rank(v);
	return infer_tensor(x, op, 0, op_attr_int(op, A_positive, 1) ? DT_U32 : DT_I32, rank, rank < 0 ? NULL : v->type->dims);
}

/* ---- NGramRepeatBlock ---- */

/* Scores of tokens that would end an n-gram that the sequence has already become -inf. */
bool eval_ms_ngram_block(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *ids = in[0], *scores = in[1];
	int64_t n = op_attr_int(op, A_ngram_size, 0);
	if (ids->kind != TYPE_TENSOR || scores->kind != TYPE_TENSOR || !dtype_is_integer(ids->dtype) || !dtype_is_float(scores->dtype) ||
			ids->rank != 2 || scores->rank != 2 || ids->dims[0] != scores->dims[0] || n < 1)
		return eval_error(e, op, "ids of shape %s, scores of shape %s, ngram_size %lld do not go together", tensor_shape_text(e, ids),
			tensor_shape_text(e, scores), (long long)n);
	int64_t length = ids->dims[1], words = scores->dims[1];
	out[0] = tensor_like(e, scores);
	for (int64_t i = 0; out[0] && i < scores->count; i++)
		tensor_set_f64(out[0], i, tensor_get_f64(scores, i));
	for (int64_t b = 0; out[0] && b < ids->dims[0]; b++)
		for (int64_t i = 0; i + n <= length; i++) {
			bool same = true;
			for (int64_t k = 0; k < n - 1 && same; k++)
				same = tensor_get_i64(ids, b * length + i + k) == tensor_get_i64(ids, b * length + length - (n - 1) + k);
			int64_t word = tensor_get_i64(ids, b * length + i + n - 1);
			if (same && (word < 0 || word >= words))
				return eval_error(e, op, "token %lld of %lld", (long long)word, (long long)words);
			if (same)
				tensor_set_f64(out[0], b * words + word, -INFINITY);
		}
	return out[0] != NULL;
}

bool infer_ms_like_second(InferCtx *x, Op *op)
{
	infer_result(x, op, 0, op_operand(op, 1)->type);
	return true;
}

/* ---- DynamicTimeWarping ---- */

enum { DIAGONAL, UP, LEFT };

/* Least costs of the ways to each point, and from which side the way comes; rows + 1 times columns + 1. */
static void warp(const double *x, int64_t rows, int64_t columns, double *cost, uint8_t *from)
{
	int64_t width = columns + 1;
	for (int64_t i = 0; i <= rows; i++)
		for (int64_t j = 0; j <= columns; j++) {
			int64_t at = i * width + j;
			if (i == 0 || j == 0) {
				cost[at] = i == j ? 0 : INFINITY;
				from[at] = i == 0 ? LEFT : UP;
				continue;
			}
			double diagonal = cost[at - width - 1], up = cost[at - width], left = cost[at - 1];
			from[at] = diagonal < up && diagonal < left ? DIAGONAL : up < diagonal && up < left ? UP : LEFT;
			cost[at] = x[(i - 1) * columns + j - 1] + (from[at] == DIAGONAL ? diagonal : from[at] == UP ? up : left);
		}
}

bool eval_ms_warp(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	Dense cost = { 0 }, path = { 0 }, data = { 0 };
	if (!dense_operands(e, op, in, false))
		return false;
	int rank = x->rank;
	if ((rank != 2 && rank != 3) || (rank == 3 && x->dims[0] != 1) || x->count == 0)
		return eval_error(e, op, "a matrix of costs is expected, not shape %s", tensor_shape_text(e, x));
	int64_t rows = x->dims[rank - 2], columns = x->dims[rank - 1], cells = (rows + 1) * (columns + 1), n = 0;
	bool ok = dense_load(e, in[0], DT_F64, &data) && dense_scratch(e, DT_F64, cells, &cost) &&
		dense_scratch(e, DT_F64, cells / 8 + 1 + 2 * (rows + columns), &path);
	if (ok) {
		double *way = path.data;
		uint8_t *from = (uint8_t *)(way + 2 * (rows + columns));
		warp(data.data, rows, columns, cost.data, from);
		for (int64_t i = rows, j = columns; i > 0 || j > 0; n++) {
			way[2 * n] = (double)(i - 1);
			way[2 * n + 1] = (double)(j - 1);
			uint8_t side = from[i * (columns + 1) + j];
			i -= side != LEFT;
			j -= side != UP;
		}
		out[0] = tensor_new(e, DT_I32, 2, (int64_t[]){ 2, n });
		for (int64_t k = 0; out[0] && k < 2 * n; k++)
			tensor_set_i64(out[0], k, (int64_t)way[2 * (n - 1 - k % n) + k / n]);
	}
	dense_release(&data);
	dense_release(&cost);
	dense_release(&path);
	return ok && out[0];
}

bool infer_ms_warp(InferCtx *x, Op *op)
{
	return infer_tensor(x, op, 0, DT_I32, 2, (const Sym *[]){ sym_int(x->ctx, 2), infer_unknown(x, op, 0, 1) });
}

/* ---- CropAndResize ---- */

/* The point of the image for place i of n along an axis of `size`, between first and last as parts of the axis. */
static double crop_point(double first, double last, int64_t size, int64_t i, int64_t n)
{
	double most = (double)(size - 1);
	return n > 1 ? first * most + (double)i * ((last - first) * most / (double)(n - 1)) : 0.5 * (first + last) * most;
}

static double crop_sample(const Tensor *x, int64_t plane, double y, double xx, bool nearest)
{
	int64_t height = x->dims[2], width = x->dims[3], base = plane * height * width;
	if (nearest)
		return tensor_get_f64(x, base + (int64_t)round(y) * width + (int64_t)round(xx));
	int64_t top = (int64_t)floor(y), bottom = (int64_t)ceil(y), left = (int64_t)floor(xx), right = (int64_t)ceil(xx);
	double dy = y - (double)top, dx = xx - (double)left;
	double a = tensor_get_f64(x, base + top * width + left), b = tensor_get_f64(x, base + top * width + right);
	double c = tensor_get_f64(x, base + bottom * width + left), d = tensor_get_f64(x, base + bottom * width + right);
	double upper = a + (b - a) * dx, lower = c + (d - c) * dx;
	return upper + (lower - upper) * dy;
}

static bool crop_shapes(EvalCtx *e, const Op *op, Tensor *const *in, int64_t size[2])
{
	const Tensor *x = in[0], *boxes = in[1], *which = in[2], *want = in[3];
	for (size_t i = 0; i < 4; i++)
		if (in[i]->kind != TYPE_TENSOR || in[i]->dtype == DT_STR)
			return eval_error(e, op, "%s is not a tensor of numbers", op_operand_said(e, op, i));
	if (x->rank != 4 || boxes->rank != 2 || boxes->dims[1] != 4 || which->count != boxes->dims[0] || want->count != 2 ||
			!dtype_is_integer(which->dtype) || !dtype_is_integer(want->dtype) || !dtype_is_float(x->dtype) || x->count == 0)
		return eval_error(e, op, "an image of shape %s, boxes of shape %s and their batch indices do not go together",
			tensor_shape_text(e, x), tensor_shape_text(e, boxes));
	for (int i = 0; i < 2; i++)
		size[i] = tensor_get_i64(want, i);
	return (size[0] > 0 && size[1] > 0) || eval_error(e, op, "crop_size must hold two positive numbers");
}

bool eval_ms_crop(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t size[2] = { 0 };
	if (!crop_shapes(e, op, in, size))
		return false;
	const Tensor *x = in[0], *boxes = in[1];
	bool nearest = op_attr_is(op, A_mode, "nearest");
	double outside = op_attr_float(op, A_extrapolation_value, 0), top = (double)(x->dims[2] - 1), side = (double)(x->dims[3] - 1);
	out[0] = tensor_new(e, x->dtype, 4, (int64_t[]){ boxes->dims[0], x->dims[1], size[0], size[1] });
	for (int64_t r = 0, at = 0; out[0] && r < boxes->dims[0]; r++) {
		int64_t image = tensor_get_i64(in[2], r);
		double box[4];
		tensor_load_f64(boxes, 4 * r, 4, box);
		if (image < 0 || image >= x->dims[0])
			return eval_error(e, op, "a box of batch entry %lld, but there are %lld", (long long)image, (long long)x->dims[0]);
		for (int64_t c = 0; c < x->dims[1]; c++)
			for (int64_t i = 0; i < size[0] * size[1]; i++, at++) {
				double y = crop_point(box[0], box[2], x->dims[2], i / size[1], size[0]);
				double xx = crop_point(box[1], box[3], x->dims[3], i % size[1], size[1]);
				bool inside = y >= 0 && y <= top && xx >= 0 && xx <= side;
				tensor_set_f64(out[0], at, inside ? crop_sample(x, image * x->dims[1] + c, y, xx, nearest) : outside);
			}
	}
	return out[0] != NULL;
}

bool infer_ms_crop(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *boxes = op_operand(op, 1);
	const Sym *n = value_rank(boxes) == 2 ? boxes->type->dims[0] : infer_unknown(x, op, 0, 0);
	const Sym *c = value_rank(v) == 4 ? v->type->dims[1] : infer_unknown(x, op, 0, 1);
	return infer_tensor(x, op, 0, value_dtype(v), 4, (const Sym *[]){ n, c, infer_unknown(x, op, 0, 2), infer_unknown(x, op, 0, 3) });
}

/* ---- padding of sequences ---- */

static bool copy_rows(const Tensor *x, int64_t from, Tensor *y, int64_t to, int64_t width)
{
	for (int64_t i = 0; i < width; i++)
		tensor_set_f64(y, to * width + i, tensor_get_f64(x, from * width + i));
	return true;
}

/* The tokens of all sequences one after another; where they were, those of the padding last; sums of the lengths; the most. */
bool eval_ms_remove_padding(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *counts = in[1];
	if (!dense_operands(e, op, in, false))
		return false;
	if (x->rank != 3 || counts->rank != 1 || counts->count != x->dims[0] || !dtype_is_integer(counts->dtype))
		return eval_error(e, op, "an input of shape %s and counts of shape %s do not go together", tensor_shape_text(e, x),
			tensor_shape_text(e, counts));
	int64_t batch = x->dims[0], length = x->dims[1], total = 0, most = 0;
	for (int64_t b = 0; b < batch; b++) {
		int64_t n = tensor_get_i64(counts, b);
		if (n < 0 || n > length)
			return eval_error(e, op, "%lld tokens of %lld in sequence %lld", (long long)n, (long long)length, (long long)b);
		total += n;
		most = n > most ? n : most;
	}
	out[0] = tensor_new(e, x->dtype, 2, (int64_t[]){ total, x->dims[2] });
	out[1] = tensor_new(e, DT_I32, 2, (int64_t[]){ batch, length });
	out[2] = tensor_new(e, DT_I32, 1, (int64_t[]){ batch + 1 });
	out[3] = tensor_new(e, DT_I32, 1, (int64_t[]){ 1 });
	if (!out[0] || !out[1] || !out[2] || !out[3])
		return false;
	int64_t token = 0, pad = total, sum = 0;
	for (int64_t b = 0; b < batch; b++) {
		int64_t n = tensor_get_i64(counts, b);
		tensor_set_i64(out[2], b + 1, sum += n);
		for (int64_t i = 0; i < length; i++) {
			if (i < n)
				copy_rows(x, b * length + i, out[0], token, x->dims[2]);
			tensor_set_i64(out[1], i < n ? token++ : pad++, b * length + i);
		}
	}
	tensor_set_i64(out[3], 0, most);
	return true;
}

bool eval_ms_restore_padding(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *places = in[1];
	if (!dense_operands(e, op, in, false))
		return false;
	if (x->rank != 2 || places->rank != 2 || !dtype_is_integer(places->dtype) || x->dims[0] > places->count)
		return eval_error(e, op, "tokens of shape %s do not fit offsets of shape %s", tensor_shape_text(e, x), tensor_shape_text(e, places));
	out[0] = tensor_new(e, x->dtype, 3, (int64_t[]){ places->dims[0], places->dims[1], x->dims[1] });
	for (int64_t i = 0; out[0] && i < x->dims[0]; i++) {
		int64_t to = tensor_get_i64(places, i);
		if (to < 0 || to >= places->count)
			return eval_error(e, op, "offset %lld of %lld places", (long long)to, (long long)places->count);
		copy_rows(x, i, out[0], to, x->dims[1]);
	}
	return out[0] != NULL;
}

bool infer_ms_padding(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *second = op_operand(op, 1);
	if (op_is(op, OWN_MS_RestorePadding)) {
		if (value_rank(v) != 2 || value_rank(second) != 2)
			return infer_tensor(x, op, 0, value_dtype(v), RANK_UNKNOWN, NULL);
		return infer_tensor(x, op, 0, value_dtype(v), 3,
			(const Sym *[]){ second->type->dims[0], second->type->dims[1], v->type->dims[1] });
	}
	if (value_rank(v) != 3)
		return infer_tensor(x, op, 0, value_dtype(v), RANK_UNKNOWN, NULL);
	const Sym *const *dims = v->type->dims, *one = sym_int(x->ctx, 1);
	infer_tensor(x, op, 0, value_dtype(v), 2, (const Sym *[]){ infer_unknown(x, op, 0, 0), dims[2] });
	for (size_t i = 1; i < op->nresults; i++) {
		const Sym *sums = sym_add(x->ctx, dims[0], one);
		if (i == 1)
			infer_tensor(x, op, i, DT_I32, 2, (const Sym *[]){ dims[0], dims[1] });
		else
			infer_tensor(x, op, i, DT_I32, 1, (const Sym *[]){ i == 2 ? sums : one });
	}
	return true;
}

/* ---- IsAllFinite ---- */

bool eval_ms_all_finite(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	bool only_nan = op_attr_int(op, A_isnan_only, 0) != 0, only_inf = op_attr_int(op, A_isinf_only, 0) != 0, fine = true;
	if (!dense_operands(e, op, in, false))
		return false;
	if (only_nan && only_inf)
		return eval_error(e, op, "isinf_only and isnan_only exclude each other");
	for (size_t k = 0; k < op->noperands; k++)
		for (int64_t i = 0; in[k] && i < in[k]->count && fine; i++) {
			double x = tensor_get_f64(in[k], i);
			fine = !((isnan(x) && !only_inf) || (isinf(x) && !only_nan));
		}
	out[0] = tensor_new(e, DT_BOOL, 0, NULL);
	if (out[0])
		tensor_set_i64(out[0], 0, fine);
	return out[0] != NULL;
}

bool infer_ms_all_finite(InferCtx *x, Op *op)
{
	return infer_tensor(x, op, 0, DT_BOOL, 0, NULL);
}
