/* Control flow: if, loop, while, scan and calls. Their types are inferred in region.c. */
#include "eval_int.h"

#include <string.h>

static bool truth(EvalCtx *e, const Op *op, const Tensor *t, bool *out)
{
	if (t->kind != TYPE_TENSOR || t->dtype != DT_BOOL || t->count != 1)
		return eval_error(e, op, "the condition is not a single bool");
	*out = tensor_get_i64(t, 0) != 0;
	return true;
}

static const Block *block_of(EvalCtx *e, const Op *op, size_t i)
{
	if (i < op->nblocks && op->blocks[i])
		return op->blocks[i];
	eval_error(e, op, "block %zu is missing", i);
	return NULL;
}

bool eval_if(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	bool cond = false;
	if (!truth(e, op, in[0], &cond))
		return false;
	const Block *b = block_of(e, op, cond ? 0 : 1);
	return b && eval_block(e, b, NULL, 0, out, op->nresults);
}

bool eval_call(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Str *name = op_attr_str(op, A_callee);
	for (const Func *f = name ? op->block->func->module->funcs : NULL; f; f = f->next)
		if (f->name == name)
			return eval_func(e, f, in, op->noperands, out, op->nresults);
	return eval_error(e, op, "there is no function %s", name ? quote(e->diags->arena, name->s, name->len) : "");
}

/* ---- values that an iteration takes and gives ---- */

/* Slots of references in the bytes of a tensor, so that nothing is lost when an allocation fails. */
typedef struct Slots {
	Tensor *holder;
	Tensor **v;
	size_t n;
} Slots;

static bool slots_new(EvalCtx *e, Slots *s, size_t n)
{
	int64_t bytes = (int64_t)(n * sizeof(Tensor *));
	*s = (Slots){.holder = tensor_new(e, DT_U8, 1, &bytes), .n = n};
	s->v = s->holder ? s->holder->data : NULL;
	return s->holder != NULL;
}

static void slots_clear(Slots *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		tensor_unref(s->v[i]);
		s->v[i] = NULL;
	}
}

static void slots_free(Slots *s)
{
	if (!s->holder)
		return;
	slots_clear(s, 0, s->n);
	tensor_unref(s->holder);
}

/* What an iterating op keeps. args: block arguments of the next iteration; gives: what the last one yielded; stacks: a
 * sequence for each stacked result. */
typedef struct Iteration {
	EvalCtx *e;
	const Op *op;
	const Block *body;
	Slots args, gives, stacks;
} Iteration;

static bool iteration_init(Iteration *it, EvalCtx *e, const Op *op, const Block *body, size_t nargs, size_t ngives,
	size_t nstacks)
{
	*it = (Iteration){.e = e, .op = op, .body = body};
	if (!slots_new(e, &it->args, nargs) || !slots_new(e, &it->gives, ngives) || !slots_new(e, &it->stacks, nstacks))
		return false;
	for (size_t i = 0; i < nstacks; i++)
		it->stacks.v[i] = tensor_sequence(e, TYPE_SEQUENCE, NULL, 0);
	return true;
}

static void iteration_free(Iteration *it)
{
	slots_free(&it->args);
	slots_free(&it->gives);
	slots_free(&it->stacks);
}

static bool iteration_run(Iteration *it)
{
	return eval_step(it->e, it->op) &&
		eval_block(it->e, it->body, it->args.v, it->args.n, it->gives.v, it->gives.n);
}

/* Moves n yielded values from `from` into the arguments from `to` on. */
static void iteration_carry(Iteration *it, size_t from, size_t to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tensor_unref(it->args.v[to + i]);
		it->args.v[to + i] = it->gives.v[from + i];
		it->gives.v[from + i] = NULL;
	}
}

/* The yielded values from `from` on go to the stacks. */
static void iteration_stack(Iteration *it, size_t from)
{
	for (size_t i = 0; i < it->stacks.n; i++) {
		sequence_push(it->stacks.v[i], it->gives.v[from + i]);
		it->gives.v[from + i] = NULL;
	}
}

/* A stacked result of no iterations: its shape is known from the body's types as far as it is static. */
static Tensor *empty_stack(EvalCtx *e, const Op *op, const Value *yielded, int axis)
{
	int64_t dims[MAX_RANK], size;
	const Type *t = yielded ? yielded->type : NULL;
	if (!type_is_tensor(t) || t->dtype == DT_NONE || t->rank >= MAX_RANK) {
		eval_unsupported(e, op, "no iterations, and a stacked result of unknown type");
		return NULL;
	}
	int rank = t->rank < 0 ? 1 : t->rank + 1;
	for (int d = 0; d < rank; d++)
		dims[d] = d == axis || t->rank < 0 ? 0 : sym_const(t->dims[d - (d > axis)], &size) ? size : 0;
	return tensor_new(e, t->dtype, rank, dims);
}

/* Result of stack i; first: index of its first yielded operand. */
static Tensor *finish_stack(Iteration *it, size_t i, size_t first, int64_t axis, bool reverse)
{
	Tensor *s = it->stacks.v[i];
	const Op *yield = block_terminator(it->body);
	const Value *v = op_operand(yield, first + i);
	int at = 0, rank = s->nitems ? s->items[0]->rank : v && type_has_rank(v->type) ? v->type->rank : MAX_RANK - 1;
	if (!axis_norm(axis, rank + 1, &at)) {
		eval_error(it->e, it->op, "output axis %lld is out of range", (long long)axis);
		return NULL;
	}
	if (s->nitems == 0)
		return empty_stack(it->e, it->op, v, at);
	for (int64_t a = 0, b = s->nitems - 1; reverse && a < b; a++, b--) {
		Tensor *t = s->items[a];
		s->items[a] = s->items[b];
		s->items[b] = t;
	}
	return tensor_join(it->e, it->op, s->items, s->nitems, at, true);
}

/* ---- loop ---- */

static bool loop_iterations(Iteration *it, int64_t trips, bool cond, size_t nstate)
{
	for (int64_t i = 0; i < trips && cond; i++) {
		slots_clear(&it->args, 0, 2);
		it->args.v[0] = tensor_scalar_i64(it->e, i);
		it->args.v[1] = tensor_new(it->e, DT_BOOL, 0, NULL);
		if (!it->args.v[0] || !it->args.v[1])
			return false;
		tensor_set_i64(it->args.v[1], 0, cond);
		if (!iteration_run(it) || !truth(it->e, it->op, it->gives.v[0], &cond))
			return false;
		iteration_carry(it, 1, 2, nstate);
		iteration_stack(it, 1 + nstate);
		slots_clear(&it->gives, 0, 1);
	}
	return true;
}

bool eval_loop(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Block *body = block_of(e, op, 0);
	size_t nstate = op->noperands > 2 ? op->noperands - 2u : 0;
	int64_t trips = INT64_MAX;
	bool cond = true;
	Iteration it;
	if (!body)
		return false;
	if (op->noperands > 0 && in[0] && tensor_ints(in[0], &trips, 1) != 1)
		return eval_error(e, op, "the trip count is not a single integer");
	if (op->noperands > 1 && in[1] && !truth(e, op, in[1], &cond))
		return false;
	if (op->nresults < nstate)
		return eval_error(e, op, "%d results for %zu carried values", op->nresults, nstate);
	bool ok = iteration_init(&it, e, op, body, nstate + 2, 1u + op->nresults, op->nresults - nstate);
	for (size_t i = 0; ok && i < nstate; i++)
		it.args.v[2 + i] = tensor_ref(in[2 + i]);
	for (size_t i = 0; ok && i < nstate; i++)
		ok = in[2 + i] || eval_error(e, op, "carried value %zu is absent", i);
	ok = ok && loop_iterations(&it, trips, cond, nstate);
	for (size_t i = 0; ok && i < op->nresults; i++) {
		out[i] = i < nstate ? tensor_ref(it.args.v[2 + i]) : finish_stack(&it, i - nstate, 1 + nstate, 0, false);
		ok = out[i] != NULL;
	}
	iteration_free(&it);
	return ok;
}

/* ---- while ---- */

bool eval_while(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Block *test = block_of(e, op, 0), *body = test ? block_of(e, op, 1) : NULL;
	size_t n = op->noperands;
	Iteration it;
	if (!body)
		return false;
	if (op->nresults != n)
		return eval_error(e, op, "%d results for %zu carried values", op->nresults, n);
	bool ok = iteration_init(&it, e, op, body, n, n, 0);
	for (size_t i = 0; ok && i < n; i++) {
		it.args.v[i] = tensor_ref(in[i]);
		ok = in[i] || eval_error(e, op, "carried value %zu is absent", i);
	}
	for (bool cond = true; ok && cond;) {
		Tensor *t = NULL;
		ok = eval_block(e, test, it.args.v, n, &t, 1) && truth(e, op, t, &cond);
		tensor_unref(t);
		if (!ok || !cond)
			break;
		ok = iteration_run(&it);
		if (ok)
			iteration_carry(&it, 0, 0, n);
	}
	for (size_t i = 0; ok && i < n; i++)
		out[i] = tensor_ref(it.args.v[i]);
	iteration_free(&it);
	return ok;
}

/* ---- scan ---- */

/* Number of steps: the size of all scanned operands along their axes. */
static bool scan_length(EvalCtx *e, const Op *op, Tensor *const *in, size_t n, int64_t *length)
{
	for (size_t i = 0; i < n; i++) {
		int axis;
		if (!in[i] || in[i]->kind != TYPE_TENSOR)
			return eval_error(e, op, "scanned operand %zu is not a tensor", i);
		if (!axis_norm(op_list_entry(op, A_scan_input_axes, i, 0), in[i]->rank, &axis))
			return eval_error(e, op, "the axis of scanned operand %zu is out of range", i);
		if (i > 0 && in[i]->dims[axis] != *length)
			return eval_error(e, op, "scanned operands of lengths %lld and %lld", (long long)*length,
				(long long)in[i]->dims[axis]);
		*length = in[i]->dims[axis];
	}
	return true;
}

static bool scan_steps(Iteration *it, Tensor *const *scanned, size_t nstate, size_t nscan, int64_t length)
{
	for (int64_t step = 0; step < length; step++) {
		slots_clear(&it->args, nstate, nstate + nscan);
		for (size_t i = 0; i < nscan; i++) {
			int axis = 0;
			axis_norm(op_list_entry(it->op, A_scan_input_axes, i, 0), scanned[i]->rank, &axis);
			int64_t at = op_list_entry(it->op, A_scan_input_directions, i, 0) ? length - 1 - step : step;
			it->args.v[nstate + i] = tensor_cut(it->e, scanned[i], axis, at, at + 1, true);
			if (!it->args.v[nstate + i])
				return false;
		}
		if (!iteration_run(it))
			return false;
		iteration_carry(it, 0, 0, nstate);
		iteration_stack(it, nstate);
	}
	return true;
}

bool eval_scan(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Block *body = block_of(e, op, 0);
	int64_t scanned = op_int(op, A_num_scan_inputs), length = 0;
	Iteration it;
	if (!body)
		return false;
	if (scanned < 1 || scanned > op->noperands || op->nresults < op->noperands - scanned)
		return eval_error(e, op, "%lld scanned operands of %d", (long long)scanned, op->noperands);
	size_t nscan = (size_t)scanned, nstate = op->noperands - nscan;
	if (!scan_length(e, op, in + nstate, nscan, &length))
		return false;
	bool ok = iteration_init(&it, e, op, body, op->noperands, op->nresults, op->nresults - nstate);
	for (size_t i = 0; ok && i < nstate; i++) {
		it.args.v[i] = tensor_ref(in[i]);
		ok = in[i] || eval_error(e, op, "carried value %zu is absent", i);
	}
	ok = ok && scan_steps(&it, in + nstate, nstate, nscan, length);
	for (size_t i = 0; ok && i < op->nresults; i++) {
		out[i] = i < nstate ? tensor_ref(it.args.v[i]) :
			finish_stack(&it, i - nstate, nstate, op_list_entry(op, A_scan_output_axes, i - nstate, 0),
				op_list_entry(op, A_scan_output_directions, i - nstate, 0) != 0);
		ok = out[i] != NULL;
	}
	iteration_free(&it);
	return ok;
}
