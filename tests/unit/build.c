#include "build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 512 };

Build *build_new(int64_t opset)
{
	Build *b = calloc(1, sizeof *b);
	b->ctx = context_new();
	b->arena = arena_new();
	b->module = module_new(b->ctx);
	b->module->format = str(b->ctx, "onnx");
	b->func = func_new(b->module, str(b->ctx, "main"));
	b->module->main = b->func;
	b->rng.state = 42;
	b->oracle_tolerance = 1e-9;
	b->native_tolerance = 1e-4;
	const Attr *version = attr_int(b->ctx, opset);
	const Str *domain = b->ctx->empty;
	Attr imports = { .kind = ATTR_DICT, .u.list = { .v = &version, .names = &domain, .n = 1 } };
	module_set_attr(b->module, "opset_imports", attr_make(b->ctx, imports));
	return b;
}

void build_free(Build *b)
{
	if (b->before)
		module_free(b->before);
	module_free(b->module);
	arena_free(b->arena);
	context_free(b->ctx);
	free(b);
}

/* ---- values ---- */

static const Type *parse_type(Build *b, DType d, const char *dims)
{
	if (!dims)
		return type_unranked(b->ctx, d);
	const Sym *syms[MAX_RANK];
	int rank = 0;
	while (*dims) {
		size_t len = strcspn(dims, ","), used;
		assert_true(rank < MAX_RANK);
		syms[rank++] = *dims == '?' ? sym_unknown(b->ctx) : sym_parse(b->ctx, dims, len, &used);
		assert_non_null(syms[rank - 1]);
		dims += len + (dims[len] == ',');
	}
	return type_tensor(b->ctx, d, rank, syms);
}

Value *b_input(Build *b, DType d, const char *dims)
{
	return block_add_arg(b->func->body, parse_type(b, d, dims), str_fmt(b->ctx, "in%u", b->func->body->nargs));
}

static int64_t shape_of(Build *b, const char *dims, int *rank, int64_t *out)
{
	const Type *t = parse_type(b, DT_F32, dims);
	int64_t n = 0;
	*rank = t->rank;
	assert_true(type_static_dims(t, out) && type_static_numel(t, &n));
	return n;
}

static Value *constant(Build *b, DType d, const char *dims, double (*next)(Build *b))
{
	int rank;
	int64_t shape[MAX_RANK], n = shape_of(b, dims, &rank, shape);
	if (dtype_is_float(d)) {
		double *v = NEW_ARRAY(b->arena, double, n + 1);
		for (int64_t i = 0; i < n; i++)
			v[i] = next(b);
		return constant_from_floats(b->func->body, NULL, d, rank, shape, v);
	}
	int64_t *v = NEW_ARRAY(b->arena, int64_t, n + 1);
	for (int64_t i = 0; i < n; i++)
		v[i] = 1 + rng_below(&b->rng, 5);
	return constant_from_ints(b->func->body, NULL, d, rank, shape, v);
}

static double next_normal(Build *b)
{
	return rng_normal(&b->rng);
}

static double next_positive(Build *b)
{
	return 0.5 + rng_unit(&b->rng);
}

Value *b_random(Build *b, DType d, const char *dims)
{
	return constant(b, d, dims, next_normal);
}

Value *b_positive(Build *b, DType d, const char *dims)
{
	return constant(b, d, dims, next_positive);
}

Value *b_floats(Build *b, DType d, const char *dims, const double *v)
{
	int rank;
	int64_t shape[MAX_RANK], n = shape_of(b, dims, &rank, shape);
	if (dtype_is_float(d))
		return constant_from_floats(b->func->body, NULL, d, rank, shape, v);
	int64_t *whole = NEW_ARRAY(b->arena, int64_t, n + 1);
	for (int64_t i = 0; i < n; i++)
		whole[i] = (int64_t)v[i];
	return constant_from_ints(b->func->body, NULL, d, rank, shape, whole);
}

Value *b_fill(Build *b, DType d, const char *dims, double v)
{
	int rank;
	int64_t shape[MAX_RANK], n = shape_of(b, dims, &rank, shape);
	double *all = NEW_ARRAY(b->arena, double, n + 1);
	for (int64_t i = 0; i < n; i++)
		all[i] = v;
	return b_floats(b, d, dims, all);
}

Value *b_ints(Build *b, size_t n, const int64_t *v)
{
	int64_t dims[1] = { (int64_t)n };
	return constant_from_ints(b->func->body, NULL, DT_I64, 1, dims, v);
}

/* ---- ops ---- */

static const Attr *parse_attr(Build *b, AttrKind kind, const char *text)
{
	int64_t ints[64];
	double floats[64];
	size_t n = 0;
	if (kind == ATTR_STR)
		return attr_str(b->ctx, str(b->ctx, text));
	for (const char *p = text; *p && n < 64; n++) {
		char *end;
		floats[n] = strtod(p, &end);
		ints[n] = strtoll(p, NULL, 10);
		assert_true(end != p);
		p = *end == ',' ? end + 1 : end;
	}
	if (kind == ATTR_INTS)
		return attr_ints(b->ctx, ints, n);
	if (kind == ATTR_FLOATS)
		return attr_floats(b->ctx, floats, n);
	assert_int_equal(n, 1);
	return kind == ATTR_FLOAT ? attr_float(b->ctx, floats[0]) : attr_int(b->ctx, ints[0]);
}

static size_t parse_attrs(Build *b, const OpDef *def, const char *text, NamedAttr *out, size_t max)
{
	char copy[MAX_TEXT];
	size_t n = 0;
	snprintf(copy, sizeof copy, "%s", text);
	char *rest = NULL;
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');
		assert_non_null(value);
		*value++ = 0;
		const Str *name = str(b->ctx, word);
		const AttrDef *row = op_attr_def(def, (AttrName)name->known);
		if (!row || n == max)
			fail_msg("%s has no attribute %s", def->name->s, word);
		out[n++] = (NamedAttr){ name, parse_attr(b, row->kind, value) };
	}
	return n;
}

Op *b_op_multi(Build *b, OpKind k, const char *attrs, size_t n, Value *const *operands, size_t nresults)
{
	NamedAttr list[16];
	const OpDef *def = op_def(b->ctx, k);
	OpSpec s = { .def = def, .operands = operands, .noperands = n, .nresults = nresults, .attrs = list,
		.nattrs = parse_attrs(b, def, attrs, list, ARRAY_LEN(list)) };
	Op *op = op_new(b->func->body, NULL, &s);
	InferCtx x;
	Diags quiet;
	diags_init(&quiet, b->arena);
	infer_init(&x, b->module, b->arena, &quiet);
	infer_op(&x, op);
	return op;
}

Value *b_op(Build *b, OpKind k, const char *attrs, size_t n, Value *const *operands)
{
	return b_op_multi(b, k, attrs, n, operands, 1)->results[0];
}

void b_output(Build *b, Value *v)
{
	assert_true(b->nout < ARRAY_LEN(b->out));
	b->out[b->nout++] = v;
}

Value *b_batch_norm(Build *b, Value *x, const char *channels)
{
	DType d = x->type->dtype;
	return B_OP(b, OP_batch_norm, "epsilon=0.001", x, b_positive(b, d, channels), b_random(b, d, channels),
			b_random(b, d, channels), b_positive(b, d, channels));
}

/* ---- running ---- */

static void fail_on_diags(Build *b, const char *what)
{
	Diags *d = &b->ctx->diags;
	if (d->status != HONE_OK)
		fail_msg("%s: %s", what, d->list.len ? d->list.data[0].message : "failed");
}

static bool symbol_value(void *arg, const Sym *s, int64_t *out)
{
	const char *name = sym_name(s)->s;
	(void)arg;
	*out = 2 + (int64_t)(hash_bytes(name, strlen(name), 0) % 3);
	return true;
}

static void make_input(Build *b, EvalCtx *e, const Type *t, Tensor **out)
{
	int64_t dims[MAX_RANK] = { 0 };
	assert_true(type_has_rank(t));
	for (int i = 0; i < t->rank; i++)
		assert_true(sym_eval(t->dims[i], symbol_value, NULL, &dims[i]));
	*out = tensor_new(e, t->dtype, t->rank, dims);
	assert_non_null(*out);
	for (int64_t i = 0; i < (*out)->count; i++) {
		double v = b->lo < b->hi ? b->lo + (b->hi - b->lo) * rng_unit(&b->rng) : rng_normal(&b->rng);
		if (!dtype_is_float(t->dtype))
			v = (double)rng_below(&b->rng, t->dtype == DT_BOOL ? 2 : 5);
		tensor_set_f64(*out, i, (double)(float)v);
	}
}

static void compare_tensors(const Tensor *got, const Tensor *want, double tolerance, const char *what, size_t index)
{
	if (got->dtype != want->dtype || !tensor_same_shape(got, want))
		fail_msg("%s: type or shape of output %zu differs", what, index);
	double top = 0;
	for (int64_t i = 0; i < want->count; i++)
		if (isfinite(tensor_get_f64(want, i)))
			top = fmax(top, fabs(tensor_get_f64(want, i)));
	for (int64_t i = 0; i < want->count; i++) {
		double g = tensor_get_f64(got, i), w = tensor_get_f64(want, i);
		bool same = (isnan(g) && isnan(w)) || g == w || fabs(g - w) <= tolerance * fmax(top, 1e-30);
		if (!same)
			fail_msg("%s: output %zu, element %lld: got %.17g, want %.17g", what, index, (long long)i, g, w);
	}
}

/* Both functions on the same seeded inputs. */
static void compare_functions(Build *b, bool oracle, const char *what)
{
	EvalCtx e;
	Tensor *in[16], *got[16] = { 0 }, *want[16] = { 0 };
	size_t nin = b->func->body->nargs, nout = b->nout;
	eval_init(&e, b->ctx, &b->ctx->diags);
	e.oracle = oracle;
	assert_true(nin <= ARRAY_LEN(in));
	for (size_t i = 0; i < nin; i++)
		make_input(b, &e, b->before->main->body->args[i]->type, &in[i]);
	eval_func(&e, b->before->main, in, nin, want, nout);
	fail_on_diags(b, "running the function as built");
	eval_func(&e, b->func, in, nin, got, nout);
	fail_on_diags(b, "running the function as optimised");
	for (size_t i = 0; i < nout; i++)
		compare_tensors(got[i], want[i], oracle ? b->oracle_tolerance : b->native_tolerance, what, i);
	eval_release(&e);
}

static void finish_function(Build *b)
{
	OpSpec s = { .def = op_def(b->ctx, OP_return), .operands = b->out, .noperands = b->nout };
	op_new(b->func->body, NULL, &s);
	b->func->result_names = NEW_ARRAY(b->module->arena, const Str *, b->nout + 1);
	for (size_t i = 0; i < b->nout; i++)
		b->func->result_names[i] = str_fmt(b->ctx, "out%zu", i);
}

void b_optimise(Build *b)
{
	finish_function(b);
	b->before = module_clone(b->module, NULL);
	InferCtx x;
	infer_init(&x, b->module, b->arena, &b->ctx->diags);
	rewrite_log_init(&b->log, b->arena);
	PassCtx p = { .ctx = b->ctx, .module = b->module, .arena = b->arena, .infer = &x, .log = &b->log, .threads = 1,
		.rewrite = { .level = b->level ? b->level : 2, .limit = -1, .only = b->only },
		.max_fold_bytes = 4096, .verify_each = true };
	pipeline_run("fix(shapes,fold,rules,cse,dce)", b->module, &p);
	fail_on_diags(b, "optimising");
	compare_functions(b, true, "in double");
	pipeline_run("materialise,dce", b->module, &p);
	fail_on_diags(b, "materialising");
	compare_functions(b, false, "in the element types");
}

const char *b_kinds(Build *b)
{
	Buf text = { 0 };
	buf_puts(&text, "");
	FOR_EACH_OP(op, b->func->body) {
		if (op->constant || op_is(op, OP_return))
			continue;
		const char *dot = strchr(op->def->name->s, '.');
		buf_printf(&text, "%s%s", text.len ? " " : "", dot ? dot + 1 : op->def->name->s);
	}
	char *out = arena_strdup(b->arena, text.data ? text.data : "");
	buf_free(&text);
	return out;
}

void b_expect(Build *b, const char *kinds)
{
	b_optimise(b);
	assert_string_equal(b_kinds(b), kinds);
}

bool b_fired(const Build *b, const char *rule)
{
	for (size_t i = 0; i < b->log.names.len; i++)
		if (!strcmp(b->log.names.data[i], rule))
			return b->log.counts.data[i] > 0;
	return false;
}

Op *b_find(Build *b, OpKind k)
{
	FOR_EACH_OP(op, b->func->body)
		if (op_is(op, k))
			return op;
	return NULL;
}
