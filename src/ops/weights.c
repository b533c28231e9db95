/* Expressions of float arithmetic on weights. v is taken apart into nodes: arithmetic, and leaves that are read with strides
 * (0 where they are broadcast). Neighbouring dims that all leaves walk as one are merged; then lines of the last dim are computed
 * in pieces, node by node, in double. */
#include "ops/weights.h"

#include <math.h>
#include <string.h>

enum { NODES = 24, PIECE = 256, SMALL = 1 << 16, BLOCK = 1 << 18 };

typedef float AnyFloat __attribute__((aligned(1), may_alias)); /* files have them at any address */

typedef enum NodeKind { NODE_LEAF, NODE_ADD, NODE_SUB, NODE_MUL, NODE_DIV, NODE_NEG, NODE_RECIPROCAL } NodeKind;
typedef struct Node {
	NodeKind kind;
	int a, b;                  /* nodes before it */
	const AnyFloat *narrow;    /* LEAF: one of the two */
	const double *wide;
	const Blob *blob;          /* LEAF: that narrow lies in */
	int64_t stride[MAX_RANK];
} Node;

struct WeightExpr {
	Node nodes[NODES];
	int n, rank;
	int64_t dims[MAX_RANK], count;
};

static bool node_kind(const Op *op, NodeKind *out)
{
	switch (op_kind(op)) {
	case OP_add: *out = NODE_ADD; return true;
	case OP_sub: *out = NODE_SUB; return true;
	case OP_mul: *out = NODE_MUL; return true;
	case OP_div: *out = NODE_DIV; return true;
	case OP_neg: *out = NODE_NEG; return true;
	case OP_reciprocal: *out = NODE_RECIPROCAL; return true;
	default: return false;
	}
}

/* f32 of known sizes. */
static bool is_floats(const Value *v, int64_t *dims, int64_t *count)
{
	return v && type_is_tensor(v->type) && v->type->dtype == DT_F32 && type_has_rank(v->type) && v->type->rank <= MAX_RANK &&
		type_static_dims(v->type, dims) && dims_count(dims, v->type->rank, count) && *count > 0;
}

static bool is_whole(const Attr *a, int64_t count)
{
	return a && a->kind == ATTR_TENSOR && a->u.tensor.type->dtype == DT_F32 &&
		a->u.tensor.blob->len >= (a->u.tensor.blob->splat ? 1 : (size_t)count) * sizeof(float);
}

/* *left: nodes that there is room for. */
static bool is_form(const Value *v, int *left)
{
	int64_t dims[MAX_RANK], count;
	NodeKind kind;
	if (!is_floats(v, dims, &count) || !value_is_constant(v) || --*left < 0)
		return false;
	if (is_whole(value_constant(v), count) || count <= SMALL)
		return true;
	if (!node_kind(v->def, &kind) || v->def->nresults != 1)
		return false;
	for (size_t i = 0; i < v->def->noperands; i++)
		if (!is_form(op_operand(v->def, i), left))
			return false;
	return true;
}

bool is_weight_expr(const Value *v)
{
	int left = NODES;
	int64_t dims[MAX_RANK], count;
	NodeKind kind;
	if (!is_floats(v, dims, &count) || count < WEIGHT_EXPR_LEAST || !value_is_constant(v) || value_constant(v) ||
			!node_kind(v->def, &kind))
		return false;
	left--;
	for (size_t i = 0; i < v->def->noperands; i++)
		if (!is_form(op_operand(v->def, i), &left))
			return false;
	return true;
}

/* ---- from values to nodes ---- */

typedef struct Builder {
	EvalCtx *e;
	Arena *a;
	WeightExpr *w;
} Builder;

static void leaf_strides(const WeightExpr *w, const int64_t *dims, int rank, bool splat, int64_t *stride)
{
	int64_t step = 1;
	memset(stride, 0, MAX_RANK * sizeof(*stride));
	for (int i = rank - 1; i >= 0 && !splat; i--) {
		stride[w->rank - rank + i] = dims[i] == 1 ? 0 : step;
		step *= dims[i];
	}
}

static bool small_leaf(Builder *b, const Value *v, Node *n, int64_t count)
{
	Tensor *t = eval_constant_value(b->e, v);
	bool ok = t && t->kind == TYPE_TENSOR && t->store == DT_F64 && t->count == count;
	if (ok) {
		double *x = NEW_ARRAY(b->a, double, count);
		memcpy(x, t->data, (size_t)count * sizeof(*x));
		n->wide = x;
	}
	tensor_unref(t);
	return ok;
}

/* The number of v's node, -1: it has none. */
static int add_node(Builder *b, const Value *v, bool root)
{
	WeightExpr *w = b->w;
	Node n = { .kind = NODE_LEAF };
	int64_t dims[MAX_RANK], count;
	if (!is_floats(v, dims, &count) || v->type->rank > w->rank)
		return -1;
	const Attr *a = value_constant(v);
	if (is_whole(a, count)) {
		n.narrow = (const AnyFloat *)a->u.tensor.blob->data;
		n.blob = a->u.tensor.blob;
		leaf_strides(w, dims, v->type->rank, n.blob->splat, n.stride);
	} else if (count <= SMALL && !root) {
		if (!small_leaf(b, v, &n, count))
			return -1;
		leaf_strides(w, dims, v->type->rank, false, n.stride);
	} else {
		int *in[] = { &n.a, &n.b };
		if (!v->def || !node_kind(v->def, &n.kind) || v->def->noperands > ARRAY_LEN(in))
			return -1;
		for (size_t i = 0; i < v->def->noperands; i++)
			if ((*in[i] = add_node(b, op_operand(v->def, i), false)) < 0)
				return -1;
	}
	if (w->n == NODES)
		return -1;
	w->nodes[w->n] = n;
	return w->n++;
}

static bool can_merge(const WeightExpr *w, int d)
{
	for (int i = 0; i < w->n; i++)
		if (w->nodes[i].kind == NODE_LEAF && w->nodes[i].stride[d] != w->nodes[i].stride[d + 1] * w->dims[d + 1])
			return false;
	return true;
}

static void remove_dim(WeightExpr *w, int d)
{
	size_t after = (size_t)(w->rank - d - 1) * sizeof(int64_t);
	memmove(&w->dims[d], &w->dims[d + 1], after);
	for (int i = 0; i < w->n; i++)
		memmove(&w->nodes[i].stride[d], &w->nodes[i].stride[d + 1], after);
	w->rank--;
}

static void merge_dims(WeightExpr *w)
{
	for (int d = w->rank - 1; d >= 0 && w->rank > 1; d--) {
		if (w->dims[d] == 1) {
			remove_dim(w, d);
		} else if (d + 1 < w->rank && can_merge(w, d)) {
			w->dims[d + 1] *= w->dims[d];
			remove_dim(w, d);
		}
	}
}

WeightExpr *weight_expr_new(EvalCtx *e, const Value *v, Arena *a)
{
	if (!is_weight_expr(v))
		return NULL;
	WeightExpr *w = NEW(a, WeightExpr);
	Builder b = { e, a, w };
	*w = (WeightExpr){ .rank = v->type->rank };
	if (!is_floats(v, w->dims, &w->count) || add_node(&b, v, true) < 0)
		return NULL;
	merge_dims(w);
	return w;
}

int64_t weight_expr_count(const WeightExpr *w)
{
	return w->count;
}

/* ---- computing ---- */

static void load_leaf(const Node *l, int64_t at, int64_t step, int64_t n, double *out)
{
	if (l->wide) {
		for (int64_t i = 0; i < n; i++)
			out[i] = l->wide[at + i * step];
	} else if (step == 1) {
		for (int64_t i = 0; i < n; i++)
			out[i] = l->narrow[at + i];
	} else {
		for (int64_t i = 0; i < n; i++)
			out[i] = l->narrow[at + i * step];
	}
}

static void compute_node(NodeKind kind, int64_t n, const double *a, const double *b, double *out)
{
	switch (kind) {
	case NODE_ADD:
		for (int64_t i = 0; i < n; i++)
			out[i] = a[i] + b[i];
		break;
	case NODE_SUB:
		for (int64_t i = 0; i < n; i++)
			out[i] = a[i] - b[i];
		break;
	case NODE_MUL:
		for (int64_t i = 0; i < n; i++)
			out[i] = a[i] * b[i];
		break;
	case NODE_DIV:
		for (int64_t i = 0; i < n; i++)
			out[i] = a[i] / b[i];
		break;
	case NODE_NEG:
		for (int64_t i = 0; i < n; i++)
			out[i] = -a[i];
		break;
	default:
		for (int64_t i = 0; i < n; i++)
			out[i] = 1.0 / a[i];
		break;
	}
}

/* n elements of one line; index: of their first. */
static const double *compute_piece(const WeightExpr *w, const int64_t *index, int64_t n, double values[NODES][PIECE])
{
	int last = w->rank - 1;
	for (int k = 0; k < w->n; k++) {
		const Node *node = &w->nodes[k];
		if (node->kind != NODE_LEAF) {
			compute_node(node->kind, n, values[node->a], values[node->b], values[k]);
			continue;
		}
		int64_t at = 0;
		for (int d = 0; d < w->rank; d++)
			at += index[d] * node->stride[d];
		load_leaf(node, at, w->rank ? node->stride[last] : 0, n, values[k]);
	}
	return values[w->n - 1];
}

void weight_expr_part(const WeightExpr *w, int64_t begin, int64_t end, float *out)
{
	double values[NODES][PIECE];
	int last = w->rank - 1;
	int64_t index[MAX_RANK + 1] = { 0 }, rest = begin;
	for (int d = last; d >= 0; d--) {
		index[d] = rest % w->dims[d];
		rest /= w->dims[d];
	}
	while (begin < end) {
		int64_t n = w->rank ? w->dims[last] - index[last] : 1;
		n = n < end - begin ? n : end - begin;
		n = n < PIECE ? n : PIECE;
		const double *x = compute_piece(w, index, n, values);
		for (int64_t i = 0; i < n; i++)
			out[i] = (float)x[i];
		out += n;
		begin += n;
		for (int d = last; d >= 0 && (index[d] += n) >= w->dims[d]; d--) {
			index[d] = 0;
			n = 1;
		}
	}
}

typedef struct Work {
	const WeightExpr *w;
	float *out;          /* NULL: only looked at */
	float factor;
	bool *finite;        /* one a block */
} Work;

static void one_block(void *arg, int64_t i)
{
	const Work *k = arg;
	int64_t begin = i * BLOCK, end = begin + BLOCK < k->w->count ? begin + BLOCK : k->w->count;
	float piece[1024];
	if (k->out) {
		weight_expr_part(k->w, begin, end, k->out + begin);
		for (int64_t j = begin; j < end && k->factor != 1.0f; j++)
			k->out[j] *= k->factor;
		return;
	}
	bool ok = true;
	for (int64_t at = begin; at < end && ok; at += (int64_t)ARRAY_LEN(piece)) {
		int64_t n = end - at < (int64_t)ARRAY_LEN(piece) ? end - at : (int64_t)ARRAY_LEN(piece);
		weight_expr_part(k->w, at, at + n, piece);
		for (int64_t j = 0; j < n; j++)
			ok &= isfinite(piece[j]) != 0;
	}
	k->finite[i] = ok;
}

static void forget_leaves(const WeightExpr *w)
{
	for (int i = 0; i < w->n; i++)
		if (w->nodes[i].blob)
			blob_forget_pages(w->nodes[i].blob);
}

void weight_expr_all(const WeightExpr *w, int threads, float factor, float *out)
{
	Work k = { .w = w, .out = out, .factor = factor };
	parallel_for(threads, (w->count + BLOCK - 1) / BLOCK, one_block, &k);
	forget_leaves(w);
}

bool weight_expr_finite(const WeightExpr *w, int threads)
{
	int64_t blocks = (w->count + BLOCK - 1) / BLOCK;
	Work k = { .w = w, .finite = mem_zalloc((size_t)blocks * sizeof(bool)) };
	parallel_for(threads, blocks, one_block, &k);
	bool ok = true;
	for (int64_t i = 0; i < blocks; i++)
		ok &= k.finite[i];
	mem_free(k.finite);
	return ok;
}
