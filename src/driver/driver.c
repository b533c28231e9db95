/* The main job: see driver.h. */
#include "driver/driver_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define INLINE "inline,"
static const char FRONT[] = INLINE "freeze,legalise,forget-hints,shapes";

static const char *front(const OptimiseOptions *o)
{
	return FRONT + (o->keep_calls ? sizeof INLINE - 1 : 0);
}

static const char BACK[] = "materialise,cse,dce";

void optimise_options_init(OptimiseOptions *o)
{
	*o = (OptimiseOptions){ .rewrite = { .level = 2, .limit = -1 }, .max_growth = 4096, .verify = true,
		.verify_seconds = 60 };
}

/* What getrusage tells begins with the peak of the process that started this one. */
int64_t peak_memory(void)
{
	char line[256];
	long long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && kb == 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lld kB", &kb) != 1)
			kb = 0;
	if (f)
		fclose(f);
	struct rusage u;
	return kb ? (int64_t)kb * 1024 : getrusage(RUSAGE_SELF, &u) == 0 ? (int64_t)u.ru_maxrss * 1024 : 0;
}

/* ---- figures ---- */

static double dim_or_one(const Type *t, int i, bool *symbolic)
{
	int64_t v;
	if (type_has_rank(t) && i >= 0 && i < t->rank && sym_const(t->dims[i], &v))
		return (double)v;
	*symbolic = true;
	return 1;
}

static double numel_or_one(const Type *t, bool *symbolic)
{
	double n = 1;
	if (!type_has_rank(t))
		*symbolic = true;
	for (int i = 0; type_has_rank(t) && i < t->rank; i++)
		n *= dim_or_one(t, i, symbolic);
	return n;
}

/* Multiply-adds: each output element costs the elements of the weight that one output channel or column uses. */
static double op_macs(const Op *op, bool *symbolic)
{
	const Type *y = op->nresults ? op->results[0]->type : NULL;
	const Value *a = op_operand(op, 0), *w = op_operand(op, 1);
	if (!a || !w || !y)
		return 0;
	switch (op_kind(op)) {
	case OP_conv: case OP_conv_integer: case ONNX_Conv: case ONNX_ConvInteger:
		return numel_or_one(y, symbolic) * numel_or_one(w->type, symbolic) / dim_or_one(w->type, 0, symbolic);
	case OP_conv_transpose: case ONNX_ConvTranspose:
		return numel_or_one(a->type, symbolic) * numel_or_one(w->type, symbolic) / dim_or_one(w->type, 0, symbolic);
	case OP_matmul: case OP_matmul_integer: case ONNX_MatMul: case ONNX_MatMulInteger:
		return numel_or_one(y, symbolic) * dim_or_one(a->type, a->type->rank - 1, symbolic);
	case OP_gemm: case ONNX_Gemm:
		return numel_or_one(y, symbolic) *
			dim_or_one(a->type, op_attr_int(op, op_is_core(op) ? A_trans_a : A_transA, 0) ? 0 : 1, symbolic);
	default:
		return 0;
	}
}

static bool is_constant_node(const Op *op)
{
	return op_is(op, OP_constant) || op_is(op, ONNX_initializer) || op_is(op, ONNX_Constant) || op_is(op, SHLO_constant);
}

static bool figure_op(void *arg, Op *op)
{
	ModelFigures *f = arg;
	const Attr *t = op_attr(op, A_value);
	int64_t n;
	if (op->def->traits & TRAIT_TERMINATOR)
		return true;
	if (!is_constant_node(op)) {
		f->nodes++;
		f->macs += op_macs(op, &f->macs_symbolic);
		return true;
	}
	f->constants++;
	if (!t || t->kind != ATTR_TENSOR || !type_static_numel(t->u.tensor.type, &n))
		return true;
	f->weight_bytes += (int64_t)t->u.tensor.blob->len;
	if (dtype_is_float(t->u.tensor.type->dtype))
		f->parameters += n;
	return true;
}

void model_figures(const Module *m, ModelFigures *f)
{
	memset(f, 0, sizeof(*f));
	module_walk((Module *)m, figure_op, f);
}

typedef struct Counting {
	Arena *arena;
	OptimiseReport *r;
	bool after;
} Counting;

static const char *short_name(const Op *op)
{
	const char *dot = strchr(op->def->name->s, '.');
	return dot ? dot + 1 : op->def->name->s;
}

static bool count_kind(void *arg, Op *op)
{
	Counting *c = arg;
	if (op->def->traits & TRAIT_TERMINATOR || is_constant_node(op))
		return true;
	const char *name = short_name(op);
	KindCount *k = NULL;
	for (size_t i = 0; i < c->r->kinds.len && !k; i++)
		if (!strcmp(c->r->kinds.data[i].name, name))
			k = &c->r->kinds.data[i];
	if (!k) {
		KindCount fresh = { .name = arena_strdup(c->arena, name) };
		VEC_PUSH(c->arena, &c->r->kinds, fresh);
		k = &c->r->kinds.data[c->r->kinds.len - 1];
	}
	if (c->after)
		k->after++;
	else
		k->before++;
	return true;
}

static int kind_order(const void *a, const void *b)
{
	return strcmp(((const KindCount *)a)->name, ((const KindCount *)b)->name);
}

void count_kinds(Module *m, Arena *a, OptimiseReport *r, bool after)
{
	Counting c = { .arena = a, .r = r, .after = after };
	module_walk(m, count_kind, &c);
	if (r->kinds.len)
		qsort(r->kinds.data, r->kinds.len, sizeof(*r->kinds.data), kind_order);
}

/* ---- a reference copy, and the proof against it ---- */

typedef struct Reference {
	Module *module;
	Value **to_copy; /* by value id of the original */
	uint32_t n;
} Reference;

static Reference reference_take(const Module *m, Arena *a)
{
	Map map;
	Reference r = { .n = m->next_value };
	map_init(&map, a);
	r.module = module_clone(m, &map);
	r.to_copy = NEW_ARRAY(a, Value *, r.n + 1u);
	for (uint32_t i = 0; i < map.len; i++) {
		const Value *old = (const Value *)(uintptr_t)map.entries[i].key;
		if (old->id < r.n)
			r.to_copy[old->id] = map.entries[i].value;
	}
	return r;
}

static bool prove(const Reference *ref, Module *m, const OptimiseOptions *o, const RewriteLog *log, Arena *a,
		LocalReport *out)
{
	LocalOptions lo = { .seed = o->seed, .seconds = o->verify_seconds };
	return verify_local(ref->module, ref->to_copy, ref->n, m, log, &lo, a, out);
}

static bool report_failures(Context *c, const LocalReport *p)
{
	for (size_t i = 0; i < p->failures.len && i < 5; i++) {
		const LocalFailure *f = &p->failures.data[i];
		diag_error(&c->diags, HONE_VERIFY_FAILED, NULL, "%s of %s changed: %.9g, was %.9g (%s)", f->value, f->op, f->got,
				f->want, f->detail ? f->detail : "");
		if (*f->rule)
			diag_hint(&c->diags, "last rewrite there: %s, number %lld; run again with --disable=%s, and please report the model",
					f->rule, (long long)f->rewrite, f->rule);
	}
	return p->failed == 0;
}

typedef struct EachCheck {
	const Reference *ref;
	const OptimiseOptions *o;
	Arena *arena;
	OptimiseReport *r;
} EachCheck;

static bool check_pass(void *arg, const char *pass, Module *m)
{
	EachCheck *e = arg;
	LocalReport report;
	if (prove(e->ref, m, e->o, &e->r->log, e->arena, &report))
		return true;
	e->r->check_each_pass = pass;
	diag_error(&m->ctx->diags, HONE_VERIFY_FAILED, NULL, "pass %s changed results", pass);
	return report_failures(m->ctx, &report);
}

/* ---- the job ---- */

static void pass_ctx_init(PassCtx *p, Module *m, const OptimiseOptions *o, Arena *a, RewriteLog *log)
{
	*p = (PassCtx){ .ctx = m->ctx, .module = m, .arena = a, .rewrite = o->rewrite, .log = log, .explain = o->explain,
		.threads = o->threads, .max_fold_bytes = o->max_growth,
		.freeze_batch_norm = o->freeze_batch_norm, .freeze_inputs = o->freeze_inputs, .expand_constants = o->expand_constants, .verify_each = o->verify_structure,
		.print_after = o->print_after, .print = o->print, .print_arg = o->print_arg };
	p->infer = NEW(a, InferCtx);
	infer_init(p->infer, m, a, &m->ctx->diags);
}

static bool is_no_expression(void *arg, Op *op)
{
	(void)arg;
	return !op->constant || is_constant_node(op);
}

static bool materialise(Module *m, PassCtx *p, const OptimiseOptions *o, Arena *a, OptimiseReport *r)
{
	RewriteLog log, *all = p->log;
	bool nothing = module_walk(m, is_no_expression, NULL);
	if (!o->verify || nothing)
		return pipeline_run(BACK, m, p);
	Reference ref = reference_take(m, a);
	rewrite_log_init(&log, a);
	p->log = &log;
	bool ok = pipeline_run("materialise", m, p);
	p->log = all;
	ok = ok && (prove(&ref, m, o, &log, a, &r->constants) || report_failures(m->ctx, &r->constants));
	module_free(ref.module);
	return ok && pipeline_run("cse,dce", m, p);
}

static bool is_no_rng(void *arg, Op *op)
{
	(void)arg;
	return !op_is(op, SHLO_rng);
}

/* ONNX draws random numbers by other ops. A proof of its own: the one that follows finds the same ops that draw on both sides. */
static bool random_forms(Module *m, PassCtx *p, const OptimiseOptions *o, EachCheck *each, OptimiseReport *r)
{
	Reference ref = { 0 };
	if (o->verify || o->check_each)
		ref = reference_take(m, each->arena);
	each->ref = &ref;
	bool ok = pipeline_run("fix(shapes,fold,legalise,rules,cse,dce),random-forms,shapes", m, p);
	if (ok && o->verify)
		ok = prove(&ref, m, o, p->log, each->arena, &r->draws) || report_failures(m->ctx, &r->draws);
	module_free(ref.module);
	return ok;
}

static bool middle(Module *m, PassCtx *p, const OptimiseOptions *o, Arena *a, OptimiseReport *r)
{
	Reference ref = { 0 };
	EachCheck each = { .o = o, .arena = a, .r = r };
	if (o->check_each) {
		p->check = check_pass;
		p->check_arg = &each;
	}
	bool forms = o->to_onnx && m->format && !strcmp(m->format->s, "stablehlo");
	if (forms && !o->passes && !module_walk(m, is_no_rng, NULL) && !random_forms(m, p, o, &each, r))
		return false;
	if (o->verify || o->check_each)
		ref = reference_take(m, a);
	each.ref = &ref;
	bool ok = pipeline_run(o->passes ? o->passes : forms ? "stablehlo-to-onnx" : "default", m, p);
	p->check = NULL;
	r->rounds = p->rounds;
	if (ok && o->verify) {
		ok = prove(&ref, m, o, p->log, a, &r->proof) || report_failures(m->ctx, &r->proof);
		r->proved = true;
		r->proof_seconds = r->proof.seconds;
	}
	module_free(ref.module);
	return ok;
}

/* Multiply-adds need sizes, which the source may not declare: counted after shape analysis. */
static bool count_macs(const Module *m, ModelFigures *f)
{
	ModelFigures now;
	model_figures(m, &now);
	f->macs = now.macs;
	f->macs_symbolic = now.macs_symbolic;
	return true;
}

static bool run_front(Module *m, PassCtx *p, const OptimiseOptions *o, Arena *a)
{
	int64_t size = 0;
	const Sym *batch = o->open_batch ? batch_open(m, &size) : NULL;
	if (batch) { /* the same, with sizes opened before they are analysed */
		if (!pipeline_run(o->keep_calls ? "freeze,legalise,forget-hints" : "inline,freeze,legalise,forget-hints", m, p))
			return false;
		batch_open_sizes(m, batch, size);
	}
	return pipeline_run(batch ? "shapes" : front(o), m, p) && pipeline_run("batch-statistics,legalise,shapes", m, p) &&
		(!batch || batch_is_open(m, batch, a));
}

bool optimise(Module *m, const OptimiseOptions *o, Arena *a, OptimiseReport *r)
{
	double start = clock_seconds();
	PassCtx *p = NEW(a, PassCtx);
	memset(r, 0, sizeof(*r));
	rewrite_log_init(&r->log, a);
	pass_ctx_init(p, m, o, a, &r->log);
	model_figures(m, &r->before);
	count_kinds(m, a, r, false);
	if (o->nbind && !shape_bind(m, o->bind, o->nbind))
		return false;
	bool ok = run_front(m, p, o, a) && count_macs(m, &r->before) && middle(m, p, o, a, r) && materialise(m, p, o, a, r);
	if (ok && o->rewrite.planned && widen_halves(m, a, o->rewrite.level < 2))
		ok = pipeline_run("cse,dce", m, p);
	memcpy(&r->passes, &p->stats, sizeof(r->passes));
	m->nweights = 0; /* what nothing uses by now is not written */
	r->seconds = clock_seconds() - start;
	return ok;
}

/* An operand left out at the end of a list need not be named: torch-mlir refuses a Conv that does. */
static void trim_operands(Block *b, Arena *a)
{
	for (Op *op = b->first; op; op = op->next) {
		uint32_t n = op->noperands;
		while (n > 0 && !op->operands[n - 1].value && !strncmp(op->def->name->s, "onnx.", 5))
			n--;
		if (n < op->noperands) {
			Value **v = NEW_ARRAY(a, Value *, n + 1);
			for (uint32_t i = 0; i < n; i++)
				v[i] = op->operands[i].value;
			op_set_operands(op, v, n);
		}
		for (size_t i = 0; i < op->nblocks; i++)
			trim_operands(op->blocks[i], a);
	}
}

bool optimise_raise(Module *m, const OptimiseOptions *o, Arena *a, OptimiseReport *r)
{
	RewriteLog log;
	PassCtx *p = NEW(a, PassCtx);
	rewrite_log_init(&log, a);
	pass_ctx_init(p, m, o, a, &log);
	bool of_others = onnx_opset(m, NULL) == 0;
	model_figures(m, r ? &r->after : &(ModelFigures){ 0 });
	ModelFigures core = r ? r->after : (ModelFigures){ 0 };
	if (!pipeline_run(o->to_stablehlo ? "raise-stablehlo" : o->opset ? "declared-outputs" : "declared-outputs,raise-onnx", m, p))
		return false;
	if (o->to_stablehlo && o->portable && !pipeline_run("portable", m, p))
		return false;
	int64_t opset = o->opset ? o->opset : of_others ? ONNX_FOR_OTHERS : 0; /* which element types its operators take */
	if (opset && !o->to_stablehlo && !opset_change(m, p, opset, false))
		return false;
	for (Func *f = o->to_stablehlo ? NULL : m->funcs; f; f = f->next)
		trim_operands(f->body, a);
	if (r) {
		model_figures(m, &r->after);
		r->after.macs = core.macs;
		r->after.macs_symbolic = core.macs_symbolic;
		count_kinds(m, a, r, true);
	}
	return true;
}

/* With default options. */
static PassCtx *plain_ctx(Module *m, Arena *a)
{
	RewriteLog *log = NEW(a, RewriteLog);
	OptimiseOptions o;
	PassCtx *p = NEW(a, PassCtx);
	optimise_options_init(&o);
	rewrite_log_init(log, a);
	pass_ctx_init(p, m, &o, a, log);
	return p;
}

bool convert_opset(Module *m, int64_t opset, Arena *a)
{
	return opset_change(m, plain_ctx(m, a), opset, true);
}

bool make_portable(Module *m, Arena *a)
{
	return pipeline_run("portable", m, plain_ctx(m, a));
}

bool prepare_to_run(Module *m, Arena *a)
{
	return module_needs_main(m) && pipeline_run(FRONT, m, plain_ctx(m, a));
}
