#include "shlo_int.h"
#include "pass/legalise/special_int.h"
#include "ops/label.h"

#include <string.h>

/* Core ops to StableHLO, in program order, blocks inside first. A function may make simpler core ops, which are raised in
 * turn. Constants come last, since starts, axes and the like are read from them. */

typedef struct Raiser {
	Context *c;
	Module *m;
	Arena *scratch;
	InferCtx *infer;
	ShSizes sizes;
	const ShloRow *rows[OP_KIND_COUNT];
	bool constants; /* the second walk: others read them as long as they are core's */
	bool portable;  /* chlo ops only */
	bool changed;
} Raiser;

static void raise_tree(Raiser *r, Op *op);

static void fail(Raiser *r, const Op *op, const char *why)
{
	Diags *d = &r->c->diags;
	diag_error(d, HONE_UNSUPPORTED, op->loc, "%scannot be written as %s: %s", op_label(d->arena, op),
		r->portable ? "portable bytecode" : "StableHLO",
		why ? why : arena_printf(d->arena, "it has no op for %s", op_said_name(d->arena, op)));
	diag_hint(d, "%s%s%s", op_unknown_advice(op) ? op_unknown_advice(op) : "", op_unknown_advice(op) ? "; " : "",
		r->portable ? "text can hold the model (-t stablehlo)" : "ONNX and torch-onnx can hold the model (-t onnx, -t torch-onnx)");
}

/* The first helper of op: ops made since `mark` stand right before it. */
static Op *first_helper(Op *op, uint32_t mark)
{
	Op *first = op;
	while (first->prev && first->prev->id >= mark)
		first = first->prev;
	return first;
}

static bool stays(const Raiser *r, const Op *op)
{
	if (r->portable)
		return !r->rows[op_kind(op)];
	return !op_is_core(op) || op_is(op, OP_return) || op_is(op, OP_call) || op_is(op, OP_constant) != r->constants;
}

/* Why other readers of StableHLO could not read the op; NULL when they can. */
static const char *unreadable(Arena *a, const Op *op)
{
	const char *fault = op_fault(a, op);
	if (*fault)
		return fault;
	if (!strncmp(op->def->name->s, "onnx.", 5))
		return arena_printf(a, "hone has no simpler operators for it%s", op_is(op, OP_UNKNOWN) ? "" : op_form(a, op));
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *t = op->results[i]->type;
		if (t->kind == TYPE_UNKNOWN || (t->kind == TYPE_TENSOR && t->rank < 0))
			return arena_printf(a, "the rank of its result is not known%s", op_form(a, op));
	}
	return NULL;
}

static void raise_op(Raiser *r, Op *op)
{
	const char *why = r->constants ? NULL : unreadable(r->scratch, op);
	if (why) {
		fail(r, op, why);
		return;
	}
	if (stays(r, op))
		return;
	const ShloRow *row = r->rows[op_kind(op)];
	uint32_t mark = r->m->next_op;
	Lg l = { .c = r->c, .m = r->m, .op = op, .d = &r->c->diags, .a = r->scratch, .infer = r->infer, .sizes = &r->sizes };
	Value *sizes = r->portable ? NULL : sh_known_sizes(&l);
	bool ok = sizes ? lg_replace(&l, &sizes, 1) : row && operands_known(op) && (row->fn ? row->fn(&l, row->to) : lg_become_same(&l, row->to, NULL));
	if (!ok) {
		fail(r, op, l.why);
		return;
	}
	r->changed = true;
	for (Op *o = first_helper(op, mark), *next; o != op; o = next) {
		next = o->next;
		raise_tree(r, o);
	}
	if (l.gone)
		op_erase(op);
	else if (op_is_core(op))
		raise_op(r, op);
}

static void raise_block(Raiser *r, Block *b)
{
	size_t known = r->sizes.known.len;
	for (size_t i = 0; i < b->nargs; i++)
		sizes_note(&r->sizes, b->args[i]);
	FOR_EACH_OP(op, b) {
		Op *last = op->prev;
		raise_tree(r, op);
		arena_reset(r->scratch);
		for (Op *o = last ? last->next : b->first; o && o != op_next; o = o->next)
			for (size_t i = 0; i < o->nresults; i++)
				sizes_note(&r->sizes, o->results[i]);
	}
	r->sizes.known.len = known;
}

static void raise_tree(Raiser *r, Op *op)
{
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i])
			raise_block(r, op->blocks[i]);
	raise_op(r, op);
}

/* ---- what only the other format knows ---- */

static bool is_plain_name(const Str *s)
{
	for (const char *c = s->s; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9' && c > s->s) || *c == '_'))
			return false;
	return *s->s != 0;
}

static bool forget_op(void *arg, Op *op)
{
	(void)arg;
	op->name = NULL;
	op->meta = NULL;
	op->nmeta = 0;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->name && !is_plain_name(op->results[i]->name) && !value_is_output(op->results[i]))
			value_set_name(op->results[i], NULL);
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i]) {
			op->blocks[i]->name = NULL;
			op->blocks[i]->nmeta = 0;
		}
	return true;
}

/* Versions, operator sets, documentation and node names of an ONNX model have no place in a StableHLO module; names of
 * inputs and outputs stay. */
static void forget_format(Module *m)
{
	while (m->nattrs)
		module_set_attr(m, m->attrs[m->nattrs - 1].name->s, NULL);
	for (Func *f = m->funcs; f; f = f->next) {
		f->arg_meta = f->result_meta = NULL;
		f->nattrs = 0;
		f->body->name = NULL;
		f->body->nmeta = 0;
	}
	module_walk(m, forget_op, NULL);
}

static Raiser *raiser_new(Module *m, PassCtx *p, const ShloRow *rows, size_t n)
{
	Raiser *r = NEW(p->arena, Raiser);
	r->c = m->ctx;
	r->m = m;
	r->scratch = arena_new();
	r->infer = p->infer;
	r->sizes.arena = p->arena;
	for (size_t i = 0; i < n; i++)
		r->rows[rows[i].core] = &rows[i];
	return r;
}

enum { A_NUMBER = 16 }; /* bytes */

static bool is_of_source(void *arg, Op *op)
{
	(void)arg;
	op->made = false;
	return true;
}

/* What took several ops of constants (reshapes, broadcasts, conversions) is computed where the module does not grow. */
static void fold_raised(Module *m, const PassCtx *p)
{
	PassCtx fold = *p;
	fold.max_fold_bytes = A_NUMBER;
	module_walk(m, is_of_source, NULL);
	pass_cse(m, &fold);
	if (pass_fold(m, &fold))
		pass_dce(m, &fold);
}

bool pass_raise_stablehlo(Module *m, PassCtx *p)
{
	Raiser *r = raiser_new(m, p, shlo_raise_rows, shlo_raise_nrows);
	if (!m->format || strcmp(m->format->s, "stablehlo"))
		forget_format(m);
	shape_infer(p->infer, m);
	for (Func *f = m->funcs; f; f = f->next)
		raise_block(r, f->body);
	pass_dce(m, p);
	fold_raised(m, p);
	r->constants = true;
	for (Func *f = m->funcs; f; f = f->next)
		raise_block(r, f->body);
	arena_free(r->scratch);
	pass_cse(m, p);
	m->format = str(m->ctx, "stablehlo");
	module_set_attr(m, "opset_imports", NULL); /* of the format that was; upstream reads no empty name */
	module_set_attr(m, "ir_version", NULL);
	return r->changed;
}

/* Functions that have no ops are core ops first, which are raised; of some of those there are chlo ops again. */
bool pass_portable(Module *m, PassCtx *p)
{
	bool changed = chlo_forms(m, p) && pass_raise_stablehlo(m, p);
	Raiser *r = raiser_new(m, p, shlo_portable_rows, shlo_portable_nrows);
	r->portable = true;
	for (Func *f = m->funcs; f; f = f->next)
		raise_block(r, f->body);
	arena_free(r->scratch);
	if (r->changed)
		pass_cse(m, p);
	return changed || r->changed;
}

/* ---- the table ---- */

#define UNARY(core, to) { OP_##core, to, NULL }
#define BINARY(core, to) { OP_##core, to, sh_binary }
#define COMPARE(core) { OP_##core, SHLO_compare, sh_compare }

const ShloRow shlo_raise_rows[] = {
	{ OP_constant, SHLO_constant, sh_constant }, { OP_identity, OP_identity, sh_identity },
	UNARY(abs, SHLO_abs), UNARY(neg, SHLO_negate), UNARY(sign, SHLO_sign), UNARY(ceil, SHLO_ceil), UNARY(floor,
		SHLO_floor),
	UNARY(round, SHLO_round_nearest_even), UNARY(round_away, SHLO_round_nearest_afz), UNARY(sqrt, SHLO_sqrt),
	UNARY(rsqrt, SHLO_rsqrt), UNARY(cbrt, SHLO_cbrt), { OP_reciprocal, SHLO_divide, sh_reciprocal }, UNARY(exp,
		SHLO_exponential),
	UNARY(expm1, SHLO_exponential_minus_one), UNARY(log, SHLO_log), UNARY(log1p, SHLO_log_plus_one), UNARY(sin,
		SHLO_sine),
	UNARY(cos, SHLO_cosine), UNARY(tan, SHLO_tan), UNARY(asin, CHLO_asin), UNARY(acos, CHLO_acos), UNARY(atan,
		CHLO_atan),
	UNARY(sinh, CHLO_sinh), UNARY(cosh, CHLO_cosh), UNARY(tanh, SHLO_tanh), UNARY(asinh, CHLO_asinh),
	UNARY(acosh, CHLO_acosh), UNARY(atanh, CHLO_atanh), UNARY(erf, CHLO_erf), UNARY(sigmoid, SHLO_logistic),
	{ OP_relu, SHLO_maximum, sh_relu }, { OP_swish, SHLO_multiply, sh_swish }, { OP_gelu, SHLO_multiply, sh_gelu },
	{ OP_leaky_relu, SHLO_select, sh_leaky_relu },
	UNARY(not, SHLO_not), UNARY(bit_not, SHLO_not), UNARY(popcnt, SHLO_popcnt),
	UNARY(count_leading_zeros, SHLO_count_leading_zeros), UNARY(isfinite, SHLO_is_finite),
	{ OP_isnan, SHLO_compare, sh_isnan }, { OP_cast, SHLO_convert, sh_cast },
	BINARY(add, SHLO_add), BINARY(sub, SHLO_subtract), BINARY(mul, SHLO_multiply), BINARY(div, SHLO_divide),
	BINARY(fmod, SHLO_remainder), BINARY(min, SHLO_minimum), BINARY(max, SHLO_maximum),
	BINARY(atan2, SHLO_atan2), BINARY(and, SHLO_and), BINARY(or, SHLO_or), BINARY(xor, SHLO_xor), BINARY(bit_and,
		SHLO_and),
	BINARY(bit_or, SHLO_or), BINARY(bit_xor, SHLO_xor), BINARY(shift_left, SHLO_shift_left),
	BINARY(shift_right_logical, SHLO_shift_right_logical), BINARY(shift_right, SHLO_shift_right_arithmetic),
	COMPARE(eq), COMPARE(ne), COMPARE(lt), COMPARE(le), COMPARE(gt), COMPARE(ge),
	{ OP_add_n, SHLO_add, sh_nary }, { OP_max_n, SHLO_maximum, sh_nary }, { OP_min_n, SHLO_minimum, sh_nary },
	{ OP_select, SHLO_select, sh_select }, { OP_clamp, SHLO_clamp, sh_clamp },
	{ OP_matmul, SHLO_dot_general, sh_matmul }, { OP_dot_general, SHLO_dot_general, sh_dot_general },
	{ OP_gemm, SHLO_dot_general, sh_gemm }, { OP_conv, SHLO_convolution, sh_conv },
	{ OP_max_pool, SHLO_reduce_window, sh_pool }, { OP_avg_pool, SHLO_reduce_window, sh_pool },
	{ OP_global_avg_pool, SHLO_reduce, sh_global_pool }, { OP_global_max_pool, SHLO_reduce, sh_global_pool },
	{ OP_reduce, SHLO_reduce, sh_reduce_op }, { OP_softmax, SHLO_divide, sh_softmax },
	{ OP_log_softmax, SHLO_subtract, sh_softmax }, { OP_layer_norm, SHLO_add, sh_layer_norm },
	{ OP_batch_norm, SHLO_batch_norm_inference, sh_batch_norm },
	{ OP_range, SHLO_iota, sh_range }, { OP_fill, SHLO_constant, sh_fill }, { OP_expand, SHLO_broadcast_in_dim,
		sh_expand },
	{ OP_reshape, SHLO_reshape, sh_reshape_op }, { OP_flatten, SHLO_reshape, sh_reshape_op },
	{ OP_squeeze, SHLO_reshape, sh_reshape_op }, { OP_unsqueeze, SHLO_reshape, sh_reshape_op },
	{ OP_transpose, SHLO_transpose, sh_transpose }, { OP_concat, SHLO_concatenate, sh_concat },
	{ OP_slice, SHLO_slice, sh_slice }, { OP_split, SHLO_slice, sh_split }, { OP_pad, SHLO_pad, sh_pad },
	{ OP_reverse, SHLO_reverse, sh_reverse }, { OP_gather, SHLO_gather, sh_gather },
	{ OP_if, SHLO_if, sh_if }, { OP_while, SHLO_while, sh_while }, { OP_yield, SHLO_return, sh_yield },
	{ OP_pow, SHLO_power, sh_power }, { OP_bitcast, SHLO_bitcast_convert, sh_bitcast },
	{ OP_isinf, SHLO_compare, sh_isinf }, { OP_elu, OP_UNKNOWN, sx_elu }, { OP_selu, OP_UNKNOWN, sx_selu },
	{ OP_celu, OP_UNKNOWN, sx_celu }, { OP_softplus, OP_UNKNOWN, sx_softplus },
	{ OP_softsign, OP_UNKNOWN, sx_softsign }, { OP_thresholded_relu, OP_UNKNOWN, sx_thresholded },
	{ OP_hard_sigmoid, OP_UNKNOWN, sx_hard_sigmoid }, { OP_hard_swish, OP_UNKNOWN, sx_hard_swish },
	{ OP_mish, OP_UNKNOWN, sx_mish }, { OP_shrink, OP_UNKNOWN, sx_shrink }, { OP_prelu, OP_UNKNOWN, sx_prelu },
	{ OP_mean_n, OP_UNKNOWN, sh_nary }, { OP_mod, OP_UNKNOWN, sx_mod }, { OP_dropout, OP_UNKNOWN, sx_dropout },
	{ OP_random_uniform, SHLO_rng, sh_random }, { OP_random_normal, SHLO_rng, sh_random },
	{ OP_bernoulli, OP_UNKNOWN, sx_bernoulli },
	{ OP_matmul_integer, OP_UNKNOWN, sx_matmul_integer }, { OP_quantized_matmul, OP_UNKNOWN, sx_quantized_matmul },
	{ OP_conv_integer, OP_UNKNOWN, sh_conv_integer }, { OP_quantized_conv, OP_UNKNOWN, sx_quantized_conv },
	{ OP_conv_transpose, SHLO_convolution, sh_conv_transpose }, { OP_lp_pool, OP_UNKNOWN, sh_pool },
	{ OP_global_lp_pool, OP_UNKNOWN, sh_global_pool }, { OP_quantize, OP_UNKNOWN, sx_quantize },
	{ OP_dequantize, OP_UNKNOWN, sx_dequantize }, { OP_dynamic_quantize, OP_UNKNOWN, sx_dynamic_quantize },
	{ OP_size, OP_UNKNOWN, sx_size }, { OP_shape, OP_UNKNOWN, sh_shape_op }, { OP_tile, OP_UNKNOWN, sx_tile },
	{ OP_depth_to_space, OP_UNKNOWN, sx_depth_to_space }, { OP_space_to_depth, OP_UNKNOWN, sx_space_to_depth },
	{ OP_rms_norm, OP_UNKNOWN, sx_rms_norm }, { OP_instance_norm, OP_UNKNOWN, sx_instance_norm },
	{ OP_group_norm, OP_UNKNOWN, sx_group_norm }, { OP_lrn, OP_UNKNOWN, sx_lrn },
	{ OP_lp_norm, OP_UNKNOWN, sx_lp_norm }, { OP_mean_variance_norm, OP_UNKNOWN, sx_mvn },
	{ OP_hardmax, OP_UNKNOWN, sx_hardmax }, { OP_batch_norm_training, OP_UNKNOWN, sh_batch_norm_training },
	{ OP_argmax, SHLO_reduce, sh_arg }, { OP_argmin, SHLO_reduce, sh_arg }, { OP_topk, SHLO_sort, sh_topk },
	{ OP_cumsum, SHLO_reduce_window, sh_cumulate }, { OP_cumprod, SHLO_reduce_window, sh_cumulate },
	{ OP_gather_elements, SHLO_gather, sh_gather_elements }, { OP_gather_nd, SHLO_gather, sh_gather_nd },
	{ OP_scatter_elements, SHLO_scatter, sh_scatter_elements }, { OP_scatter_nd, SHLO_scatter, sh_scatter_nd },
	{ OP_one_hot, OP_UNKNOWN, sh_one_hot }, { OP_trilu, OP_UNKNOWN, sh_trilu }, { OP_eye_like, OP_UNKNOWN, sh_eye_like },
	{ OP_resize, OP_UNKNOWN, sh_resize }, { OP_einsum, SHLO_dot_general, sh_einsum },
	{ OP_loop, SHLO_while, sh_loop }, { OP_scan, SHLO_while, sh_scan },
	{ OP_lstm, SHLO_while, sh_rnn }, { OP_gru, SHLO_while, sh_rnn }, { OP_rnn, SHLO_while, sh_rnn },
};
const size_t shlo_raise_nrows = ARRAY_LEN(shlo_raise_rows);
