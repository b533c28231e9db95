/* ml: what the operators of ai.onnx.ml share. Private to src/ops. */
#ifndef HONE_OPS_ML_H
#define HONE_OPS_ML_H

#include "eval_int.h"
#include "ops/gemm.h"

/* Attribute lists; empty when absent or of another kind. */
typedef struct Floats {
	const double *v;
	size_t n;
} Floats;
typedef struct Ints {
	const int64_t *v;
	size_t n;
} Ints;
typedef struct Strs {
	const Str *const *v;
	size_t n;
} Strs;
Floats ml_floats(const Op *op, AttrName a);
Ints ml_ints(const Op *op, AttrName a);
Strs ml_strs(const Op *op, AttrName a);
const Attr *ml_tensor(const Op *op, AttrName a); /* NULL when absent or of another kind */

/* Operand 0 as n rows of `width` numbers (a vector is one row); false + diagnostic when it is something else. */
typedef struct Rows {
	Dense d;
	const double *v;
	int64_t n, width;
} Rows;
bool ml_rows(EvalCtx *e, const Op *op, Tensor *x, Rows *r);

typedef enum Post { POST_NONE, POST_SOFTMAX, POST_LOGISTIC, POST_SOFTMAX_ZERO, POST_PROBIT } Post;
bool ml_post_of(EvalCtx *e, const Op *op, Post *out); /* of the string attribute post_transform */
void ml_post(Post p, double *v, int64_t n);           /* one row of scores, in place */
/* The two scores that stand for one: other implementations do not normalise these, so neither does this one. */
void ml_post_two(Post p, double *v);

/* The labels of a classifier: the attributes' strings or integers. */
typedef struct Labels {
	Strs strs;
	Ints ints;
	size_t n;
} Labels;
Labels ml_labels(const Op *op);
Tensor *ml_label_tensor(EvalCtx *e, const Labels *l, int64_t n); /* a vector of n labels to be set */
void ml_set_label(Tensor *t, int64_t i, const Labels *l, int64_t label);
/* Results of a classifier with n rows; out[0] labels, out[1] scores of `width`. */
bool ml_classifier_results(EvalCtx *e, const Labels *l, int64_t n, int64_t width, Tensor **out);
int64_t ml_best(const double *v, int64_t n);          /* first of the largest */

#endif
