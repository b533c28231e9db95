/* Custom calls whose meaning is public. What a call is, its target's name says: the table at the end. */
#include "stablehlo_int.h"

static bool is_target(const Op *op, const char *name)
{
	const Str *s = op_attr_str(op, A_call_target_name);
	return s && !strcmp(s->s, name);
}

static bool target_begins(const Op *op, const char *prefix)
{
	const Str *s = op_attr_str(op, A_call_target_name);
	return s && !strncmp(s->s, prefix, strlen(prefix));
}

/* ---- another op in its place ---- */

static const Type *type_of(EvalCtx *e, const Tensor *t)
{
	return t->kind == TYPE_TENSOR ? type_tensor_of(e->ctx, t->dtype, t->rank, t->dims) : type_unknown(e->ctx);
}

bool shlo_run_as(EvalCtx *e, const Op *op, OpKind kind, Tensor *const *in, size_t n, const Type *const *types,
	size_t nresults, const NamedAttr *attrs, size_t nattrs, Tensor **out)
{
	Module *m = module_new(e->ctx);
	Func *f = func_new(m, str(e->ctx, "main"));
	Value **args = NEW_ARRAY(m->arena, Value *, n + 1);
	m->main = f;
	for (size_t i = 0; i < n; i++)
		args[i] = block_add_arg(f->body, type_of(e, in[i]), NULL);
	OpSpec s = { .def = op_def(e->ctx, kind), .operands = args, .noperands = n, .types = types, .nresults = nresults,
		.attrs = attrs, .nattrs = nattrs, .loc = op->loc, .name = op->name };
	Op *copy = op_new(f->body, NULL, &s);
	OpSpec end = { .def = op_def(e->ctx, OP_return), .operands = copy->results, .noperands = copy->nresults };
	op_new(f->body, NULL, &end);
	bool keep = e->keep_constants;
	e->keep_constants = false;
	bool ok = eval_op(e, copy, in, out);
	e->keep_constants = keep;
	module_free(m);
	return ok;
}

/* ---- assertions ---- */

/* check.eq gives a bool: integers exactly, floats nearly. Where nobody looks at the bool it asserts. */
static bool check_eq(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	ShloTolerance t = { .relative = true, .tolerance = 1e-4 };
	int64_t i;
	if (!value_has_uses(op->results[0]) && !shlo_expect(e, op, in[0], in[1], &t))
		return false;
	int r = shlo_tensors_match(e, op, in[0], in[1], &t, &i);
	if (r < 0 || !(out[0] = tensor_new(e, DT_BOOL, 0, NULL)))
		return false;
	tensor_set_i64(out[0], 0, r);
	return true;
}

static bool expect_eq(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)out;
	return shlo_expect(e, op, in[0], in[1], &(ShloTolerance){ .exact = true });
}

static bool expect_close(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)out;
	return shlo_expect(e, op, in[0], in[1], &(ShloTolerance){ .max_ulp = 3 });
}

static bool expect_almost_eq(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)out;
	return shlo_expect(e, op, in[0], in[1], &(ShloTolerance){ .relative = true, .tolerance = 0.001 });
}

/* The message holds {0}, {1} ... for the operands after the condition. */
static bool shape_assertion(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Attr *a = op_attr_named(op, str(e->ctx, "error_message"));
	const char *text = a && a->kind == ATTR_STR ? a->u.str->s : "a shape assertion does not hold";
	Buf b = { 0 };
	(void)out;
	if (in[0]->kind != TYPE_TENSOR || in[0]->count != 1 || in[0]->dtype != DT_BOOL)
		return eval_error(e, op, "its condition is not one bool");
	if (tensor_get_i64(in[0], 0))
		return true;
	for (; *text; text++) {
		size_t k = (size_t)(text[1] - '0');
		if (text[0] == '{' && text[1] >= '0' && text[1] <= '9' && text[2] == '}' && k + 1 < op->noperands &&
			in[k + 1]->count == 1 && dtype_is_integer(in[k + 1]->dtype)) {
			buf_printf(&b, "%lld", (long long)tensor_get_i64(in[k + 1], 0));
			text += 2;
		} else {
			buf_put(&b, text, 1);
		}
	}
	eval_error(e, op, "%.*s", (int)b.len, (const char *)b.data);
	buf_free(&b);
	return false;
}

/* ---- marks ---- */

bool shlo_marks_only(const Op *op)
{
	static const char *const names[] = { "Sharding", "annotate_device_placement", "SPMDFullToShardShape",
		"SPMDShardToFullShape", "stablehlo.shape_refinement_operand_wrapper" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (is_target(op, names[i]))
			return true;
	return target_begins(op, "xla.sdy.");
}

static bool mark(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (op->noperands < op->nresults)
		return eval_error(e, op, "%u operands for %u results", op->noperands, op->nresults);
	for (size_t i = 0; i < op->nresults; i++)
		out[i] = tensor_ref(in[i]);
	return true;
}

/* ---- random numbers, permutations ---- */

/* Two results, or one tuple of them. */
static bool threefry(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	Tensor *y[2] = { NULL };
	for (int i = 0; i < 4; i++)
		if (in[i]->dtype != DT_U32 || !tensor_same_shape(in[i], x))
			return eval_error(e, op, "operands that are not ui32 of one shape");
	bool ok = (y[0] = tensor_like(e, x)) && (y[1] = tensor_like(e, x));
	for (int64_t i = 0; ok && i < x->count; i++) {
		uint32_t v[4], r[2];
		for (int k = 0; k < 4; k++)
			v[k] = (uint32_t)tensor_get_i64(in[k], i);
		shlo_threefry(v, v + 2, r);
		tensor_set_i64(y[0], i, r[0]);
		tensor_set_i64(y[1], i, r[1]);
	}
	if (ok && op->nresults == 1)
		out[0] = tensor_sequence(e, TYPE_SEQUENCE, y, 2);
	for (int i = 0; i < 2; i++) {
		if (ok && op->nresults > 1)
			out[i] = tensor_ref(y[i]);
		tensor_unref(y[i]);
	}
	return ok && out[0];
}

/* Exchanges of rows, from 0, as the permutation that they make; a row that is not there is not exchanged. */
static bool pivots_to_permutation(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *p = in[0];
	Tensor *y = out[0] = shlo_new_result(e, op, 0);
	int64_t k = p->rank ? p->dims[p->rank - 1] : 0, n = y && y->rank ? y->dims[y->rank - 1] : 0;
	bool fits = y && p->dtype == DT_I32 && y->dtype == DT_I32 && p->rank >= 1 && y->rank == p->rank && k <= n;
	if (!fits || (k && n && y->count / n != p->count / k))
		return y ? eval_error(e, op, "operands whose shapes do not go together") : false;
	for (int64_t b = 0; n && b < y->count / n; b++) {
		for (int64_t i = 0; i < n; i++)
			tensor_set_i64(y, b * n + i, i);
		for (int64_t i = 0; i < k; i++) {
			int64_t j = tensor_get_i64(p, b * k + i), a = tensor_get_i64(y, b * n + i);
			if (j < 0 || j >= n)
				continue;
			tensor_set_i64(y, b * n + i, tensor_get_i64(y, b * n + j));
			tensor_set_i64(y, b * n + j, a);
		}
	}
	return true;
}

/* ---- ops of run-time shape ---- */

static bool dynamic_rng_bits(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK], rank = tensor_ints(in[1], dims, MAX_RANK);
	DType d = shlo_result_dtype(op, 1, DT_U32);
	if (rank < 0)
		return eval_error(e, op, "its shape is not a list of integers");
	const Type *types[2] = { type_of(e, in[0]), type_tensor_of(e->ctx, d, (int)rank, dims) };
	NamedAttr alg = { e->ctx->attr_names[A_rng_algorithm], op_attr(op, A_rng_algorithm) };
	return shlo_run_as(e, op, SHLO_rng_bit_generator, in, 1, types, 2, &alg, alg.value != NULL, out);
}

static bool dynamic_top_k(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t k;
	if (tensor_ints(in[1], &k, 1) != 1)
		return eval_error(e, op, "k is not one integer");
	const Type *types[2] = { type_unknown(e->ctx), type_unknown(e->ctx) };
	NamedAttr attr = { e->ctx->attr_names[A_k], attr_int(e->ctx, k) };
	return shlo_run_as(e, op, CHLO_top_k, in, 1, types, 2, &attr, 1, out);
}

/* ---- ApproxTopK: the exact one, by the comparator that it names ---- */

typedef struct Ranking {
	EvalCtx *e;
	const Op *op;
	const Func *less;
	Tensor *const *in;
	size_t n;               /* operands that move together */
	int64_t base, step;
} Ranking;

static const Attr *config(const Op *op, const char *name)
{
	for (size_t i = 0; i < op->nattrs; i++) {
		const Attr *d = op->attrs[i].value;
		for (size_t k = 0; d->kind == ATTR_DICT && k < d->u.list.n; k++)
			if (!strcmp(d->u.list.names[k]->s, name))
				return d->u.list.v[k];
	}
	return NULL;
}

static const Func *called(const Op *op)
{
	const Attr *a = op_attr(op, A_called_computations);
	const Attr *one = a && a->kind == ATTR_LIST && a->u.list.n ? a->u.list.v[0] : a;
	for (const Func *f = op_func(op)->module->funcs; one && one->kind == ATTR_SYMREF && f; f = f->next)
		if (f->name == one->u.str)
			return f;
	return NULL;
}

/* 1: element i goes before k, 0: not, -1: error. */
static int goes_before(const Ranking *r, int64_t i, int64_t k)
{
	enum { MOST = 16 };
	Tensor *args[2 * MOST] = { NULL }, *got = NULL;
	bool ok = r->n <= MOST && r->less->body->nargs == 2 * r->n;
	for (size_t j = 0; ok && j < r->n; j++) {
		args[2 * j] = shlo_scalar(r->e, r->in[j], r->base + i * r->step);
		args[2 * j + 1] = shlo_scalar(r->e, r->in[j], r->base + k * r->step);
		ok = args[2 * j] && args[2 * j + 1];
	}
	if (!ok)
		eval_error(r->e, r->op, "its comparator takes %u values", r->less->body->nargs);
	ok = ok && eval_func(r->e, r->less, args, 2 * r->n, &got, 1);
	int result = ok ? tensor_get_i64(got, 0) != 0 : -1;
	for (size_t j = 0; j < 2 * r->n && j < 2 * MOST; j++)
		tensor_unref(args[j]);
	tensor_unref(got);
	return result;
}

/* The best `want` of `have` places, in order, into best. */
static bool rank_best(const Ranking *r, int64_t have, int64_t want, int64_t *best)
{
	int64_t n = 0;
	for (int64_t i = 0; i < have; i++) {
		int64_t at = n;
		for (; at > 0; at--) {
			int before = goes_before(r, i, best[at - 1]);
			if (before < 0)
				return false;
			if (!before)
				break;
		}
		if (at >= want)
			continue;
		n += n < want;
		memmove(best + at + 1, best + at, (size_t)(n - at - 1) * sizeof *best);
		best[at] = i;
	}
	return true;
}

static bool approx_top_k(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Attr *k = config(op, "top_k"), *dim = config(op, "reduction_dim"), *all = config(op, "aggregate_to_topk");
	Ranking r = { .e = e, .op = op, .less = called(op), .in = in, .n = op->noperands / 2 };
	const Tensor *x = in[0];
	if (!r.less || !k || !dim || k->kind != ATTR_INT || dim->kind != ATTR_INT || (all && !all->u.i) ||
		op->nresults != r.n || dim->u.i < 0 || dim->u.i >= x->rank || k->u.i < 0 || k->u.i > x->dims[dim->u.i])
		return eval_unsupported(e, op, "a form of ApproxTopK other than the largest of one dimension by a comparator");
	int64_t dims[MAX_RANK], inner = 1, outer = 1, have = x->dims[dim->u.i], want = k->u.i;
	memcpy(dims, x->dims, sizeof dims);
	dims[dim->u.i] = want;
	for (int d = 0; d < x->rank; d++) {
		inner *= d > dim->u.i ? x->dims[d] : 1;
		outer *= d < dim->u.i ? x->dims[d] : 1;
	}
	for (size_t j = 0; j < r.n; j++)
		if (!tensor_same_shape(in[j], x) || !(out[j] = tensor_new(e, in[j]->dtype, x->rank, dims)))
			return eval_error(e, op, "operands of different shapes");
	Arena *a = arena_new();
	int64_t *best = NEW_ARRAY(a, int64_t, (size_t)want + 2);
	bool ok = true;
	for (int64_t o = 0; o < outer && ok; o++)
		for (int64_t i = 0; i < inner && ok; i++) {
			r.base = o * have * inner + i;
			r.step = inner;
			ok = rank_best(&r, have, want, best);
			for (int64_t q = 0; ok && q < want; q++)
				for (size_t j = 0; j < r.n; j++)
					shlo_copy_element(out[j], (o * want + q) * inner + i, in[j], r.base + best[q] * inner);
		}
	arena_free(a);
	return ok;
}

/* ---- factorisations by XLA's own names: a tuple, or the one result ---- */

static bool xla_factor(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const struct { const char *target, *routine; } names[] = { { "Qr", "lapack_zgeqrf_ffi" },
		{ "LuDecomposition", "lapack_zgetrf_ffi" }, { "Eigh", "lapack_zheevd_ffi" },
		{ "ProductOfElementaryHouseholderReflectors", "lapack_zungqr_ffi" } };
	const Tensor *x = in[0];
	const char *routine = NULL;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (is_target(op, names[i].target))
			routine = names[i].routine;
	if (x->kind != TYPE_TENSOR || x->rank < 2 || !routine)
		return eval_error(e, op, "its operand is not a matrix");
	int64_t dims[MAX_RANK], rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
	memcpy(dims, x->dims, sizeof dims);
	dims[x->rank - 2] = rows < cols ? rows : cols;
	DType real = x->dtype == DT_C64 ? DT_F32 : x->dtype == DT_C128 ? DT_F64 : x->dtype;
	bool lu = is_target(op, "LuDecomposition"), eigh = is_target(op, "Eigh"), one = op->nresults == 1 && op->noperands == 2;
	const Type *types[2] = { type_of(e, x), type_tensor_of(e->ctx, lu ? DT_I32 : eigh ? real : x->dtype, x->rank - 1, dims) };
	NamedAttr target = { e->ctx->attr_names[A_call_target_name], attr_str(e->ctx, str(e->ctx, routine)) };
	Tensor *got[3] = { NULL };
	if (!shlo_run_as(e, op, SHLO_custom_call, in, op->noperands, types, one ? 1 : 2, &target, 1, got))
		return false;
	bool ok = true;
	if (lu) {
		for (int64_t i = 0; i < got[1]->count; i++)
			tensor_set_i64(got[1], i, tensor_get_i64(got[1], i) - 1);
		dims[x->rank - 2] = rows;
		const Type *all = type_tensor_of(e->ctx, DT_I32, x->rank - 1, dims);
		target.value = attr_str(e->ctx, str(e->ctx, "cu_lu_pivots_to_permutation"));
		ok = shlo_run_as(e, op, SHLO_custom_call, &got[1], 1, &all, 1, &target, 1, &got[2]);
	}
	if (ok && op->nresults == 1)
		out[0] = one ? tensor_ref(got[0]) : tensor_sequence(e, TYPE_SEQUENCE, got, lu ? 3 : 2);
	for (size_t i = 0; ok && op->nresults > 1 && i < op->nresults && i < 3; i++)
		out[i] = got[i] ? tensor_ref(got[i]) : NULL;
	for (int i = 0; i < 3; i++)
		tensor_unref(got[i]);
	return ok && (op->nresults != 1 || out[0]);
}

/* ---- the table ---- */

typedef struct Call {
	const char *name;
	size_t noperands, nresults; /* at least */
	EvalFn *run;
} Call;

static const Call calls[] = {
	{ "check.expect_eq", 2, 0, expect_eq }, { "check.expect_close", 2, 0, expect_close },
	{ "check.expect_almost_eq", 2, 0, expect_almost_eq }, { "check.eq", 2, 1, check_eq },
	{ "shape_assertion", 1, 0, shape_assertion }, { "cu_threefry2x32", 4, 1, threefry }, { "cu_threefry2x32_ffi", 4, 1, threefry },
	{ "hip_threefry2x32", 4, 1, threefry }, { "hip_threefry2x32_ffi", 4, 1, threefry },
	{ "cu_lu_pivots_to_permutation", 1, 1, pivots_to_permutation },
	{ "hip_lu_pivots_to_permutation", 1, 1, pivots_to_permutation },
	{ "stablehlo.dynamic_rng_bit_generator", 2, 2, dynamic_rng_bits }, { "stablehlo.dynamic_top_k", 2, 2, dynamic_top_k },
	{ "ApproxTopK", 2, 1, approx_top_k }, { "stablehlo.dynamic_approx_top_k", 2, 1, approx_top_k }, { "Qr", 1, 1, xla_factor },
	{ "LuDecomposition", 1, 1, xla_factor }, { "Eigh", 1, 1, xla_factor },
	{ "ProductOfElementaryHouseholderReflectors", 2, 1, xla_factor }, { "pocketfft", 2, 1, shlo_ducc_fft },
	{ "ducc_fft", 2, 1, shlo_ducc_fft }, { "dynamic_ducc_fft", 2, 1, shlo_ducc_fft },
};

/* What is not known, and why. */
static bool unknown_call(EvalCtx *e, const Op *op)
{
	static const char *const device[] = { "tpu_custom_call", "mosaic", "__gpu$", "triton", "AllocateBuffer" },
		*const host[] = { "xla_python", "xla_ffi_python", "xla_ffi_partitioned_python", "tf.call_tf_function" };
	const Str *name = op_attr_str(op, A_call_target_name);
	const char *what = name ? quote(e->diags->arena, name->s, name->len) : "without a target";
	for (size_t i = 0; i < ARRAY_LEN(device); i++)
		if (target_begins(op, device[i]))
			return eval_unsupported(e, op, "custom call %s holds code for a device, which cannot be run here", what);
	for (size_t i = 0; i < ARRAY_LEN(host); i++)
		if (target_begins(op, host[i]))
			return eval_unsupported(e, op, "custom call %s calls back into the program that exported it", what);
	return eval_unsupported(e, op, "custom call %s is not known: replace it by ops before the export, or run the parts "
		"around it", what);
}

bool eval_shlo_custom_call(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (is_target(op, calls[i].name)) {
			if (op->noperands < calls[i].noperands || op->nresults < calls[i].nresults)
				return eval_error(e, op, "%u operands and %u results for %s", op->noperands, op->nresults, calls[i].name);
			return calls[i].run(e, op, in, out);
		}
	if (shlo_marks_only(op))
		return mark(e, op, in, out);
	if (shlo_is_old_lapack(op))
		return shlo_old_lapack(e, op, in, out);
	return shlo_is_lapack(op) ? shlo_lapack(e, op, in, out) : unknown_call(e, op);
}
