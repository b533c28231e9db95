/* Counts of n-grams. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <string.h>

/* Where the n-grams of the pool are: those of n items start at counts[n - 1]; the k-th n-gram over all counts in slot[k]. */
typedef struct Grams {
	const int64_t *counts, *slots, *ints;
	size_t ncounts, nslots, nitems;
	const Str *const *strs;  /* instead of ints */
	int64_t least, most, skips, width;
} Grams;

static int64_t largest_plus_one(const int64_t *v, size_t n)
{
	int64_t top = -1;
	for (size_t i = 0; i < n; i++)
		top = v[i] > top ? v[i] : top;
	return top + 1;
}

bool infer_tfidf(InferCtx *x, Op *op)
{
	const int64_t *slots;
	size_t n = op_attr_ints(op, A_ngram_indexes, &slots);
	const Value *in = op_operand(op, 0);
	int rank = value_rank(in);
	if ((rank != 1 && rank != 2) || n == 0)
		return infer_tensor(x, op, 0, DT_F32, RANK_UNKNOWN, NULL);
	const Sym *dims[2] = {in->type->dims[0], NULL};
	dims[rank - 1] = sym_int(x->ctx, largest_plus_one(slots, n));
	return infer_tensor(x, op, 0, DT_F32, rank, dims);
}

static bool grams_read(EvalCtx *e, const Op *op, const Tensor *x, Grams *g)
{
	const Attr *strs = op_attr(op, A_pool_strings);
	*g = (Grams){.least = op_attr_int(op, A_min_gram_length, 1), .most = op_attr_int(op, A_max_gram_length, 1),
		.skips = op_attr_int(op, A_max_skip_count, 0)};
	g->ncounts = op_attr_ints(op, A_ngram_counts, &g->counts);
	g->nslots = op_attr_ints(op, A_ngram_indexes, &g->slots);
	g->nitems = op_attr_ints(op, A_pool_int64s, &g->ints);
	if (strs && strs->kind == ATTR_STRS) {
		g->strs = strs->u.strs.v;
		g->nitems = strs->u.strs.n;
	}
	if ((x->dtype == DT_STR) != (g->strs != NULL) || (x->dtype != DT_STR && !dtype_is_integer(x->dtype)))
		return eval_error(e, op, "the pool does not hold what the operand holds");
	if (g->least < 1 || g->most < g->least || (uint64_t)g->most > g->ncounts || g->skips < 0)
		return eval_error(e, op, "n-grams of %lld to %lld items with %zu entries of ngram_counts", (long long)g->least,
			(long long)g->most, g->ncounts);
	size_t grams = 0;
	for (size_t n = 0; n < g->ncounts; n++) {
		int64_t end = n + 1 < g->ncounts ? g->counts[n + 1] : (int64_t)g->nitems;
		if (g->counts[n] < 0 || end < g->counts[n] || end > (int64_t)g->nitems ||
			(end - g->counts[n]) % ((int64_t)n + 1))
			return eval_error(e, op, "ngram_counts does not cut the pool into n-grams");
		grams += (size_t)(end - g->counts[n]) / (n + 1);
	}
	for (size_t i = 0; i < g->nslots; i++)
		if (g->slots[i] < 0 || g->slots[i] > INT32_MAX)
			return eval_error(e, op, "an index of ngram_indexes is out of range");
	g->width = largest_plus_one(g->slots, g->nslots);
	return grams <= g->nslots || eval_error(e, op, "%zu n-grams with %zu indexes", grams, g->nslots);
}

static bool same_item(const Grams *g, size_t pool, const Tensor *x, int64_t i)
{
	return g->strs ? g->strs[pool] == ((const Str *const *)x->data)[i] : g->ints[pool] == tensor_get_i64(x, i);
}

/* Every n-gram of the pool with n items that starts at item i and takes every step-th one. */
static void count_at(const Grams *g, const Tensor *x, int64_t n, int64_t i, int64_t step, double *counts)
{
	size_t id = 0, end = (size_t)n < g->ncounts ? (size_t)g->counts[n] : g->nitems;
	for (int64_t k = 1; k < n; k++)
		id += (size_t)(g->counts[k] - g->counts[k - 1]) / (size_t)k;
	for (size_t at = (size_t)g->counts[n - 1]; at < end; at += (size_t)n, id++) {
		int64_t same = 0;
		while (same < n && same_item(g, at + (size_t)same, x, i + same * step))
			same++;
		counts[g->slots[id]] += same == n;
	}
}

static void count_row(const Grams *g, const Tensor *x, int64_t begin, int64_t end, double *counts)
{
	for (int64_t n = g->least; n <= g->most; n++)
		for (int64_t skip = 0; skip <= (n > 1 ? g->skips : 0) && skip < end - begin; skip++)
			for (int64_t i = begin; i < end && (n - 1) <= (end - 1 - i) / (skip + 1); i++)
				count_at(g, x, n, i, skip + 1, counts);
}

/* TF: counts; IDF: the weight of each n-gram that occurs; TFIDF: counts times weights. */
bool eval_tfidf(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	Grams g;
	const char *mode = op_text(op, A_mode);
	bool tf = !strcmp(mode, "TF"), idf = !strcmp(mode, "IDF");
	const Attr *weights = op_attr(op, A_weights);
	if (x->rank != 1 && x->rank != 2)
		return eval_error(e, op, "a vector or a matrix is expected");
	if (!tf && !idf && strcmp(mode, "TFIDF"))
		return eval_error(e, op, "mode \"%s\" is none of TF, IDF, TFIDF", mode);
	if (!grams_read(e, op, x, &g))
		return false;
	if (tf || !weights || weights->kind != ATTR_FLOATS)
		weights = NULL;
	if (weights && weights->u.floats.n < g.nslots)
		return eval_error(e, op, "%zu weights for %zu n-grams", weights->u.floats.n, g.nslots);
	int64_t rows = x->rank == 2 ? x->dims[0] : 1, row = x->dims[x->rank - 1], dims[2] = {rows, g.width};
	if (x->rank == 1)
		dims[0] = g.width;
	out[0] = tensor_new(e, DT_F32, x->rank, dims);
	double *counts = mem_zalloc((size_t)(g.width + 1) * 2 * sizeof *counts), *scale = counts + g.width;
	for (size_t i = 0; i < g.nslots; i++)
		scale[g.slots[i]] = weights ? weights->u.floats.v[i] : 1;
	for (int64_t r = 0; out[0] && r < rows; r++) {
		memset(counts, 0, (size_t)g.width * sizeof *counts);
		count_row(&g, x, r * row, (r + 1) * row, counts);
		for (int64_t i = 0; i < g.width; i++) {
			double n = idf ? counts[i] > 0 : counts[i];
			tensor_set_f64(out[0], r * g.width + i, n * scale[i]);
		}
	}
	mem_free(counts);
	return out[0] != NULL;
}
