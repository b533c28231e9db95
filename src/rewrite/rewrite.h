/* rewrite: rules and the engine that runs them to a fixed point.
 * A rule is one row: root op, optional pattern, value class, one C action. The action looks, decides, and either
 * returns false having changed nothing, or builds the new ops before the root and replaces values through this interface,
 * so that the engine can log, undo nothing, keep types up to date and re-visit users. */
#ifndef HONE_REWRITE_H
#define HONE_REWRITE_H

#include "shape/shape.h"

/* How far results may differ (design: value classes). */
typedef enum ValueClass {
	CLASS_EXACT,       /* same bits for every input, NaN, -0 and Inf included */
	CLASS_ROUNDING,    /* may differ by rounding */
	CLASS_DOMAIN,      /* may differ on overflow, NaN, Inf, denormals; only by --allow */
	CLASS_STATISTICAL  /* only by --allow */
} ValueClass;

typedef struct Rw Rw;
typedef bool RuleFn(Rw *rw, Op *root);

typedef struct Rule {
	const char *name;         /* "transpose-transpose" */
	const char *before, *after; /* one-line picture for `hone passes` and docs: "transpose(transpose(x))" */
	OpKind root;              /* OP_UNKNOWN: tried on every op (generic, table-driven rules) */
	ValueClass class;
	int level;                /* smallest -O level that runs it: 1, 2, 3 */
	RuleFn *action;
	double slack;             /* relative difference that the rule grants: 0, or a few 1e-8 when it takes a literal that the
	                           * model holds rounded (0.70710677) for the number that it stands for (1/sqrt(2)) */
} Rule;

/* One array a topic file (rules_<topic>.c); rules.c lists the arrays. */
typedef struct RuleSet {
	const char *topic;
	const Rule *rules;
	size_t n;
} RuleSet;
size_t rule_set_count(void);
const RuleSet *rule_set_at(size_t i);   /* rules.h lists them */
const Rule *rule_find(const char *name);

typedef struct RewriteOptions {
	int level;                 /* -O1, -O2 (default), -O3 */
	uint32_t allow;            /* 1 << ValueClass for classes allowed by name */
	const char *const *disable; /* rule names or topics, NULL-terminated; may be NULL */
	const char *const *only;    /* when set: just these rules or topics */
	int64_t limit;             /* stop after so many rewrites; -1 = none (bisection) */
	bool planned;              /* the result is compiled, not written: every composite op is welcome */
	const Rule *extra;         /* rules of the caller's own, tried before the others whatever their class */
	size_t nextra;
} RewriteOptions;

/* Equal values before and after, as the rules claim: recorded by rw_replace for the proof (verify/). */
typedef struct RewriteEvent {
	uint32_t rule;             /* index into names[] of the log */
	uint32_t old_value, new_value; /* ids */
	int64_t serial;            /* number of the rewrite, 0-based */
} RewriteEvent;
typedef struct RewriteLog {
	Arena *arena;
	VEC(RewriteEvent) events;
	VEC(const char *) names;   /* rule and pass names */
	VEC(int64_t) counts;       /* times fired, one a name */
	int64_t rewrites;
} RewriteLog;
void rewrite_log_init(RewriteLog *log, Arena *a);
/* A pass that is no rule set (cse, fold ...) records its claims and counts under its own name. */
void rewrite_log_claim(RewriteLog *log, const char *name, const Value *old, const Value *new_);
void rewrite_log_count(RewriteLog *log, const char *name, int64_t n);
/* Before `old` is replaced by `new_`: names that the interface or the user knows move over. */
void rewrite_inherit_names(Value *old, Value *new_);

/* Why a rule did not fire on an op, for `hone explain`: the first condition that failed. */
typedef struct ExplainRow {
	const Op *op;
	const char *op_name, *rule;
	char *reason;
	bool fired;
} ExplainRow;
typedef struct Explain {
	Arena *arena;
	bool (*wants)(void *arg, const Op *op); /* ops of interest */
	void *arg;
	VEC(ExplainRow) rows;
} Explain;

struct Rw {
	Context *ctx;
	Module *module;
	InferCtx *infer;
	Arena *scratch;            /* reset between rules: temporaries of an action */
	const RewriteOptions *opt;
	RewriteLog *log;
	Explain *explain;          /* may be NULL */
	const Rule *rule;          /* being tried */
	Op *root;
	struct Worklist *work;
	bool fired;
};

/* Runs all enabled rules to the fixed point; true when something changed. Growth and cycles are bounded: a rule that keeps
 * firing is reported as a bug with the names in the cycle. */
bool rewrite_run(Module *m, InferCtx *x, const RewriteOptions *opt, RewriteLog *log, Explain *explain);

/* ---- for actions ---- */

/* Says why not; returns false: `return rw_no(rw, "the weight is not constant");` Costs nothing unless explaining. */
bool rw_no(Rw *rw, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* New op before the root (its loc and, for one replaced, its name are taken over), types inferred at once. attrs is a
 * NULL-terminated list of AttrName/const Attr* pairs, built by rw_attr. Returns its first result. */
typedef struct RwAttr { AttrName name; const Attr *value; } RwAttr; /* list ends with name A_NONE; NULL values are skipped */
Value *rw_op(Rw *rw, OpKind kind, Value *const *operands, size_t n, const RwAttr *attrs);
Value *rw_op1(Rw *rw, OpKind kind, Value *a, const RwAttr *attrs);
Value *rw_op2(Rw *rw, OpKind kind, Value *a, Value *b, const RwAttr *attrs);
Value *rw_op3(Rw *rw, OpKind kind, Value *a, Value *b, Value *c, const RwAttr *attrs);
Op *rw_op_multi(Rw *rw, OpKind kind, Value *const *operands, size_t n, size_t nresults, const RwAttr *attrs);
Value *rw_ints(Rw *rw, const int64_t *v, size_t n);   /* constant i64 vector */
Value *rw_float(Rw *rw, DType d, double v);           /* constant scalar */
Value *rw_reshape_to(Rw *rw, Value *v, int rank, const int64_t *dims); /* constant shape */
/* All uses of `old` become `new_` (types must agree; a name that the interface shows moves over); records the claim
 * old = new_; erases ops that became dead; queues users and the new ops. Returns true. */
bool rw_replace(Rw *rw, Value *old, Value *new_);
bool rw_replace_op(Rw *rw, Op *op, Value *new_);      /* its single result */
bool rw_set_operand(Rw *rw, Op *op, size_t i, Value *v); /* same value, other producer: claim op's results unchanged */
bool rw_set_attr(Rw *rw, Op *op, AttrName a, const Attr *v);
bool rw_erase_dead(Rw *rw, Op *op);                   /* and producers that become dead */
/* Common questions, each with its reason for rw_no inside. */
bool rw_single_use(Rw *rw, Value *v);                 /* exactly one use and not an output */
bool rw_is_constant(Rw *rw, Value *v, const char *what);
bool rw_static_shape(Rw *rw, Value *v, int64_t *dims);/* rank <= MAX_RANK entries */
bool rw_same_type(Rw *rw, const Value *a, const Value *b); /* dtype and every dim certainly equal */

#endif
