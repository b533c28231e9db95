/* Ensembles of decision trees: the two old operators with their lists by tree and node, and TreeEnsemble with its lists by
 * position, both read into one form. */
#include "ops/ml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum NodeMode { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF } NodeMode;

typedef struct Vote {
	int64_t target;
	double weight;
} Vote;

typedef struct Node {
	NodeMode mode;
	int64_t feature;
	double split;
	bool missing_true;       /* NaN takes the branch of true */
	int64_t yes, no;         /* nodes */
	size_t first, last;      /* LEAF: votes; MEMBER: members */
} Node;

typedef enum Aggregate { AGGREGATE_AVERAGE, AGGREGATE_SUM, AGGREGATE_MIN, AGGREGATE_MAX } Aggregate;

typedef struct Trees {
	Arena *a;
	Node *nodes;
	size_t nnodes;
	Vote *votes;
	size_t nvotes;
	double *members;
	int64_t *roots;
	size_t nroots;
	int64_t ntargets, features; /* features: columns that the nodes read */
	Aggregate aggregate;
	Floats base;
} Trees;

/* ---- running ---- */

static bool takes_yes(const Trees *t, const Node *n, double x)
{
	if (isnan(x) && n->missing_true)
		return true;
	switch (n->mode) {
	case LEQ: return x <= n->split;
	case LT: return x < n->split;
	case GTE: return x >= n->split;
	case GT: return x > n->split;
	case EQ: return x == n->split;
	case NEQ: return x != n->split;
	default: break;
	}
	for (size_t i = n->first; i < n->last; i++)
		if (t->members[i] == x)
			return true;
	return false;
}

/* The leaf that a row reaches; NULL when the nodes form a circle. */
static const Node *find_leaf(const Trees *t, int64_t root, const double *row)
{
	const Node *n = &t->nodes[root];
	for (size_t steps = 0; n->mode != LEAF; steps++) {
		if (steps > t->nnodes)
			return NULL;
		n = &t->nodes[takes_yes(t, n, row[n->feature]) ? n->yes : n->no];
	}
	return n;
}

/* Scores of one row; hit[k]: some tree voted for target k. */
static bool score_row(const Trees *t, const double *row, double *scores, bool *hit)
{
	memset(scores, 0, (size_t)t->ntargets * sizeof *scores);
	memset(hit, 0, (size_t)t->ntargets * sizeof *hit);
	for (size_t r = 0; r < t->nroots; r++) {
		const Node *leaf = find_leaf(t, t->roots[r], row);
		if (!leaf)
			return false;
		for (size_t i = leaf->first; i < leaf->last; i++) {
			const Vote *v = &t->votes[i];
			double *s = &scores[v->target];
			if (t->aggregate == AGGREGATE_MIN)
				*s = hit[v->target] ? fmin(*s, v->weight) : v->weight;
			else if (t->aggregate == AGGREGATE_MAX)
				*s = hit[v->target] ? fmax(*s, v->weight) : v->weight;
			else
				*s += v->weight;
			hit[v->target] = true;
		}
	}
	for (int64_t k = 0; k < t->ntargets; k++) {
		if (t->aggregate == AGGREGATE_AVERAGE && t->nroots)
			scores[k] /= (double)t->nroots;
		if (t->base.n)
			scores[k] += t->base.v[t->base.n == 1 ? 0 : k];
	}
	return true;
}

static bool trees_check(EvalCtx *e, const Op *op, Trees *t)
{
	for (size_t i = 0; i < t->nnodes; i++) {
		const Node *n = &t->nodes[i];
		if (n->mode == LEAF)
			continue;
		if (n->feature < 0 || n->feature == INT64_MAX || n->yes < 0 || n->no < 0 || (uint64_t)n->yes >= t->nnodes ||
			(uint64_t)n->no >= t->nnodes)
			return eval_error(e, op, "node %zu names a feature or node that does not exist", i);
		t->features = n->feature >= t->features ? n->feature + 1 : t->features;
	}
	for (size_t i = 0; i < t->nvotes; i++)
		if (t->votes[i].target < 0 || t->votes[i].target >= t->ntargets)
			return eval_error(e, op, "a leaf votes for target %lld of %lld", (long long)t->votes[i].target,
				(long long)t->ntargets);
	return t->base.n <= 1 || (int64_t)t->base.n >= t->ntargets || eval_error(e, op, "%zu base values", t->base.n);
}

/* ---- lists by position: TreeEnsemble ---- */

/* Elements of a tensor attribute as numbers; *n = 0 when it is absent. */
static double *tensor_numbers(EvalCtx *e, Arena *a, const Op *op, AttrName name, size_t *n)
{
	const Attr *v = ml_tensor(op, name);
	Tensor *t = v ? tensor_from_attr(e, v) : NULL;
	*n = 0;
	if (!t || t->dtype == DT_STR || dtype_class(t->dtype) == DC_COMPLEX)
		return NULL;
	double *p = NEW_ARRAY(a, double, t->count + 1);
	tensor_load_f64(t, 0, t->count, p);
	*n = (size_t)t->count;
	tensor_unref(t);
	return p;
}

/* Inner nodes come first, then a node for each leaf. MEMBER nodes share the members in order, NaN between them. */
static bool read_ensemble(EvalCtx *e, const Op *op, Trees *t)
{
	Ints feature = ml_ints(op, A_nodes_featureids), yes = ml_ints(op, A_nodes_truenodeids),
		 no = ml_ints(op, A_nodes_falsenodeids), yes_leaf = ml_ints(op, A_nodes_trueleafs),
		 no_leaf = ml_ints(op, A_nodes_falseleafs), missing = ml_ints(op, A_nodes_missing_value_tracks_true),
		 target = ml_ints(op, A_leaf_targetids), roots = ml_ints(op, A_tree_roots);
	size_t nmodes, nsplits, nweights, nmembers, member = 0, n = feature.n;
	double *modes = tensor_numbers(e, t->a, op, A_nodes_modes, &nmodes);
	double *splits = tensor_numbers(e, t->a, op, A_nodes_splits, &nsplits);
	double *weights = tensor_numbers(e, t->a, op, A_leaf_weights, &nweights);
	t->members = tensor_numbers(e, t->a, op, A_membership_values, &nmembers);
	if (yes.n != n || no.n != n || yes_leaf.n != n || no_leaf.n != n || nmodes != n || nsplits != n ||
		nweights != target.n || (missing.n && missing.n != n))
		return eval_error(e, op, "the lists of nodes or leaves differ in length");
	t->nnodes = n + target.n;
	t->nvotes = target.n;
	t->nodes = NEW_ARRAY(t->a, Node, t->nnodes + 1);
	t->votes = NEW_ARRAY(t->a, Vote, t->nvotes + 1);
	for (size_t i = 0; i < n; i++) {
		bool known = modes[i] >= LEQ && modes[i] <= MEMBER;
		if (!known || yes.v[i] < 0 || no.v[i] < 0 || yes.v[i] > INT32_MAX || no.v[i] > INT32_MAX)
			return eval_error(e, op, "node %zu has an unknown mode or no successor", i);
		size_t first = member;
		while (modes[i] == MEMBER && member < nmembers && !isnan(t->members[member]))
			member++;
		t->nodes[i] = (Node){(NodeMode)modes[i], feature.v[i], splits[i], missing.n && missing.v[i],
			yes.v[i] + (yes_leaf.v[i] ? (int64_t)n : 0), no.v[i] + (no_leaf.v[i] ? (int64_t)n : 0), first, member};
		member += modes[i] == MEMBER;
	}
	for (size_t i = 0; i < target.n; i++) {
		t->nodes[n + i] = (Node){.mode = LEAF, .first = i, .last = i + 1};
		t->votes[i] = (Vote){target.v[i], weights[i]};
	}
	t->nroots = roots.n;
	t->roots = NEW_ARRAY(t->a, int64_t, roots.n + 1);
	for (size_t i = 0; i < roots.n; i++) {
		t->roots[i] = roots.v[i];
		if (roots.v[i] < 0 || (uint64_t)roots.v[i] >= t->nnodes)
			return eval_error(e, op, "root %lld of %zu nodes", (long long)roots.v[i], t->nnodes);
	}
	return true;
}

/* ---- lists by tree and node: the old operators ---- */

typedef struct NodeKey {
	int64_t tree, node;
	size_t at;
} NodeKey;

static int by_key(const void *a, const void *b)
{
	const NodeKey *x = a, *y = b;
	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int64_t key_find(const NodeKey *keys, size_t n, int64_t tree, int64_t node)
{
	NodeKey k = {tree, node, 0};
	const NodeKey *found = n ? bsearch(&k, keys, n, sizeof *keys, by_key) : NULL;
	return found ? (int64_t)found->at : -1;
}

static bool mode_of(const char *name, NodeMode *out)
{
	static const char *const NAMES[] = {
		"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (i != MEMBER && !strcmp(name, NAMES[i])) {
			*out = (NodeMode)i;
			return true;
		}
	return false;
}

/* List of floats, or the tensor that replaces it. */
static Floats either(EvalCtx *e, Trees *t, const Op *op, AttrName list, AttrName tensor)
{
	size_t n;
	const double *v = tensor_numbers(e, t->a, op, tensor, &n);
	return n ? (Floats){v, n} : ml_floats(op, list);
}

/* Which node each vote belongs to: votes are sorted by their node. */
static bool read_votes(EvalCtx *e, const Op *op, Trees *t, const NodeKey *keys, Ints tree, Ints node, Ints target, Floats w)
{
	size_t n = target.n, *count = NEW_ARRAY(t->a, size_t, t->nnodes + 2);
	int64_t *owner = NEW_ARRAY(t->a, int64_t, n + 1);
	if (tree.n != n || node.n != n || w.n != n)
		return eval_error(e, op, "the lists of votes differ in length");
	for (size_t i = 0; i < n; i++) {
		owner[i] = key_find(keys, t->nnodes, tree.v[i], node.v[i]);
		if (owner[i] < 0 || t->nodes[owner[i]].mode != LEAF)
			return eval_error(e, op, "a vote of tree %lld, node %lld, which is no leaf", (long long)tree.v[i],
				(long long)node.v[i]);
		count[owner[i] + 1]++;
	}
	for (size_t i = 0; i < t->nnodes; i++)
		count[i + 1] += count[i];
	for (size_t i = 0; i < t->nnodes; i++)
		if (t->nodes[i].mode == LEAF)
			t->nodes[i].first = t->nodes[i].last = count[i];
	t->votes = NEW_ARRAY(t->a, Vote, n + 1);
	t->nvotes = n;
	for (size_t i = 0; i < n; i++)
		t->votes[t->nodes[owner[i]].last++] = (Vote){target.v[i], w.v[i]};
	return true;
}

/* A tree's root is the first of its nodes in the lists. */
static bool read_old(EvalCtx *e, const Op *op, Trees *t, const NodeKey **out_keys)
{
	Ints tree = ml_ints(op, A_nodes_treeids), id = ml_ints(op, A_nodes_nodeids), feature = ml_ints(op, A_nodes_featureids),
		 yes = ml_ints(op, A_nodes_truenodeids), no = ml_ints(op, A_nodes_falsenodeids),
		 missing = ml_ints(op, A_nodes_missing_value_tracks_true);
	Strs modes = ml_strs(op, A_nodes_modes);
	Floats split = either(e, t, op, A_nodes_values, A_nodes_values_as_tensor);
	size_t n = tree.n;
	if (id.n != n || feature.n != n || yes.n != n || no.n != n || modes.n != n || split.n != n ||
		(missing.n && missing.n != n))
		return eval_error(e, op, "the lists of nodes differ in length");
	t->nnodes = n;
	t->nodes = NEW_ARRAY(t->a, Node, n + 1);
	t->roots = NEW_ARRAY(t->a, int64_t, n + 1);
	NodeKey *keys = NEW_ARRAY(t->a, NodeKey, n + 1);
	for (size_t i = 0; i < n; i++)
		keys[i] = (NodeKey){tree.v[i], id.v[i], i};
	if (n)
		qsort(keys, n, sizeof *keys, by_key);
	for (size_t i = 0; i < n; i++) {
		NodeMode mode;
		if (!mode_of(modes.v[i]->s, &mode))
			return eval_error(e, op, "node mode \"%s\" does not exist", modes.v[i]->s);
		t->nodes[i] = (Node){.mode = mode, .feature = feature.v[i], .split = split.v[i],
			.missing_true = missing.n && missing.v[i], .yes = key_find(keys, n, tree.v[i], yes.v[i]),
			.no = key_find(keys, n, tree.v[i], no.v[i])};
		if (i == 0 || tree.v[i] != tree.v[i - 1])
			t->roots[t->nroots++] = (int64_t)i;
	}
	*out_keys = keys;
	return true;
}

/* ---- the operators ---- */

bool infer_tree_ensemble(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Sym *dims[2] = {value_rank(v) == 2 ? v->type->dims[0] : infer_unknown(x, op, 0, 0),
		sym_int(x->ctx, op_int(op, A_n_targets))};
	return infer_tensor(x, op, 0, value_dtype(v), 2, dims);
}

/* Scores of all rows into a new result of n x targets. */
static bool run_regressor(EvalCtx *e, const Op *op, Tensor *x, Trees *t, Post post, DType d, Tensor **out)
{
	Rows r = {0};
	if (t->ntargets < 1 || t->ntargets > INT32_MAX)
		return eval_error(e, op, "%lld targets", (long long)t->ntargets);
	if (!trees_check(e, op, t) || !ml_rows(e, op, x, &r))
		return false;
	bool ok = r.width >= t->features || r.n == 0 ||
		eval_error(e, op, "the trees read %lld columns of %lld", (long long)t->features, (long long)r.width);
	out[0] = ok ? tensor_new(e, d, 2, (int64_t[]){r.n, t->ntargets}) : NULL;
	double *scores = NEW_ARRAY(t->a, double, t->ntargets);
	bool *hit = NEW_ARRAY(t->a, bool, t->ntargets);
	ok = out[0] != NULL;
	for (int64_t i = 0; ok && i < r.n; i++) {
		ok = score_row(t, r.v + i * r.width, scores, hit) || eval_error(e, op, "the nodes form a circle");
		if (ok)
			ml_post(post, scores, t->ntargets);
		if (ok)
			tensor_store_f64(out[0], i * t->ntargets, t->ntargets, scores);
	}
	dense_release(&r.d);
	return ok;
}

bool eval_tree_ensemble(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t aggregate = op_int(op, A_aggregate_function), post = op_int(op, A_post_transform);
	if (aggregate < 0 || aggregate > AGGREGATE_MAX || post < 0 || post > POST_PROBIT)
		return eval_error(e, op, "aggregate_function %lld or post_transform %lld does not exist", (long long)aggregate,
			(long long)post);
	Trees t = {.a = arena_new(), .ntargets = op_int(op, A_n_targets), .aggregate = (Aggregate)aggregate};
	bool ok = read_ensemble(e, op, &t) && run_regressor(e, op, in[0], &t, (Post)post, in[0]->dtype, out);
	arena_free(t.a);
	return ok;
}

static bool aggregate_of(EvalCtx *e, const Op *op, Aggregate *out)
{
	static const char *const NAMES[] = {"AVERAGE", "SUM", "MIN", "MAX"};
	const char *name = op_text(op, A_aggregate_function);
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (!strcmp(name, NAMES[i])) {
			*out = (Aggregate)i;
			return true;
		}
	return eval_error(e, op, "aggregate_function \"%s\" does not exist", name);
}

bool eval_tree_regressor(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Trees t = {.ntargets = op_int(op, A_n_targets)};
	const NodeKey *keys;
	Post post;
	if (!aggregate_of(e, op, &t.aggregate) || !ml_post_of(e, op, &post))
		return false;
	t.a = arena_new();
	t.base = either(e, &t, op, A_base_values, A_base_values_as_tensor);
	bool ok = read_old(e, op, &t, &keys) &&
		read_votes(e, op, &t, keys, ml_ints(op, A_target_treeids), ml_ints(op, A_target_nodeids),
			ml_ints(op, A_target_ids), either(e, &t, op, A_target_weights, A_target_weights_as_tensor)) &&
		run_regressor(e, op, in[0], &t, post, DT_F32, out);
	arena_free(t.a);
	return ok;
}

/* Two labels and votes for one class only: that class's score s stands for the second label, and what the first gets
 * depends on the transformation. */
static bool is_binary(const Trees *t, const Labels *l)
{
	for (size_t i = 1; i < t->nvotes; i++)
		if (t->votes[i].target != t->votes[0].target)
			return false;
	return l->n == 2;
}

/* Whether no weight is negative: then s is a probability, and the border is 1/2. */
static bool all_positive(const Trees *t)
{
	for (size_t i = 0; i < t->nvotes; i++)
		if (t->votes[i].weight < 0)
			return false;
	return true;
}

/* The label of a binary row; scores[0..2) get both scores. */
static int64_t binary_row(const Trees *t, Post post, double *scores)
{
	double s = scores[t->nvotes ? t->votes[0].target : 0];
	bool probability = all_positive(t);
	int64_t label = s > (probability ? 0.5 : 0);
	scores[0] = probability ? 1 - s : -s;
	scores[1] = s;
	if (post == POST_LOGISTIC)
		scores[0] = -s;
	ml_post_two(post, scores);
	return label;
}

static bool run_classifier(EvalCtx *e, const Op *op, Tensor *x, Trees *t, const Labels *l, Post post, Tensor **out)
{
	Rows r = {0};
	bool binary = is_binary(t, l);
	if (!trees_check(e, op, t) || !ml_rows(e, op, x, &r))
		return false;
	bool ok = r.width >= t->features || r.n == 0 ||
		eval_error(e, op, "the trees read %lld columns of %lld", (long long)t->features, (long long)r.width);
	ok = ok && ml_classifier_results(e, l, r.n, t->ntargets, out);
	double *scores = NEW_ARRAY(t->a, double, t->ntargets + 1);
	bool *hit = NEW_ARRAY(t->a, bool, t->ntargets + 1);
	for (int64_t i = 0; ok && i < r.n; i++) {
		ok = score_row(t, r.v + i * r.width, scores, hit) || eval_error(e, op, "the nodes form a circle");
		if (!ok)
			break;
		int64_t label = binary ? binary_row(t, post, scores) : ml_best(scores, t->ntargets);
		if (!binary)
			ml_post(post, scores, t->ntargets);
		ml_set_label(out[0], i, l, label);
		tensor_store_f64(out[1], i * t->ntargets, t->ntargets, scores);
	}
	dense_release(&r.d);
	return ok;
}

bool eval_tree_classifier(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Labels l = ml_labels(op);
	Trees t = {.ntargets = (int64_t)l.n, .aggregate = AGGREGATE_SUM};
	const NodeKey *keys;
	Post post;
	if (!ml_post_of(e, op, &post))
		return false;
	if (l.n == 0)
		return eval_error(e, op, "no labels");
	t.a = arena_new();
	t.base = either(e, &t, op, A_base_values, A_base_values_as_tensor);
	bool ok = read_old(e, op, &t, &keys) &&
		read_votes(e, op, &t, keys, ml_ints(op, A_class_treeids), ml_ints(op, A_class_nodeids), ml_ints(op, A_class_ids),
			either(e, &t, op, A_class_weights, A_class_weights_as_tensor)) &&
		run_classifier(e, op, in[0], &t, &l, post, out);
	arena_free(t.a);
	return ok;
}
