/* The interpreter: runs ops, blocks and functions on tensors, and keeps the values that are still needed. */
#include "eval_int.h"
#include "ops/label.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* uses counts the operand slots of a live value that have not been executed yet, nested ones included: at zero the tensor
 * is dropped. */
typedef struct Cell {
	Tensor *tensor;
	uint32_t uses;
	bool ran; /* computed, though it may be dropped already */
} Cell;

/* Values of one activation of a function; nested blocks use the frame of their function. */
struct EvalFrame {
	struct EvalFrame *outer;
	const Module *module;
	uint32_t nvalues;
	int depth;
	Cell *cells;       /* by value id */
	bool few;          /* a constant expression has few of the module's values: `places` says where in `cell_list` */
	Map places;        /* value id -> index + 1 */
	VEC(Cell) cell_list;
	const Value *want; /* kept though nothing uses it */
	VEC(Op *) stack; /* of eval_constant_value */
	VEC(Op *) done;
};

enum { MAX_DEPTH = 200 }; /* functions that call functions */
#define DEFAULT_STEPS INT64_C(1000000000)
#define DEFAULT_BYTES (INT64_C(16) << 30)
#define CACHED_CONSTANT (INT64_C(16) << 20) /* bigger converted constants are made anew for each run */

void eval_init(EvalCtx *e, Context *c, Diags *d)
{
	*e = (EvalCtx){.ctx = c, .diags = d, .max_bytes = DEFAULT_BYTES, .keep_constants = true};
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	if (pages > 0 && page > 0 && (int64_t)pages < DEFAULT_BYTES / page)
		e->max_bytes = (int64_t)pages * page;
}

int64_t eval_fair_memory(const Context *c)
{
	enum { TIMES = 16 }; /* the data in double, twice */
	int64_t bytes = 0;
	for (const Blob *b = c->blobs; b; b = b->next_live)
		bytes += (int64_t)(b->len >> 4);
	EvalCtx all;
	eval_init(&all, NULL, NULL);
	return bytes > (all.max_bytes - EVAL_FAIR_BYTES) / TIMES >> 4 ? all.max_bytes : EVAL_FAIR_BYTES + (bytes << 4) * TIMES;
}

void eval_release(EvalCtx *e)
{
	tensor_release_all(e);
	arena_free(e->arena);
	e->arena = NULL;
	e->draws = NULL;
	e->frame = e->spare = NULL;
	e->constants = NULL;
}

static Arena *eval_arena(EvalCtx *e)
{
	if (!e->arena)
		e->arena = arena_new();
	return e->arena;
}

static bool eval_vfail(EvalCtx *e, HoneStatus status, const Op *op, const char *fmt, va_list ap)
{
	char text[512];
	vsnprintf(text, sizeof(text), fmt, ap);
	if (!op)
		return diag_error(e->diags, status, NULL, "%s", text);
	diag_error(e->diags, status, op->loc, "%s%s", op_label(e->diags->arena, op), text);
	op_hint(e->diags, status, op, true);
	return false;
}

bool eval_error(EvalCtx *e, const Op *op, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	eval_vfail(e, HONE_BAD_INPUT, op, fmt, ap);
	va_end(ap);
	return false;
}

bool eval_unsupported(EvalCtx *e, const Op *op, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	eval_vfail(e, HONE_UNSUPPORTED, op, fmt, ap);
	va_end(ap);
	return false;
}

bool eval_limit(EvalCtx *e, const Op *op, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	eval_vfail(e, HONE_LIMIT, op, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- frames ---- */

/* Spare frames have all values NULL and no size promise: the module may have grown since. few: for a constant expression. */
static bool frame_push(EvalCtx *e, const Module *m, const Op *op, bool few)
{
	int depth = e->frame ? e->frame->depth + 1 : 0;
	if (depth >= MAX_DEPTH)
		return eval_limit(e, op, "functions call each other more than %d deep", MAX_DEPTH);
	struct EvalFrame *f = e->spare;
	if (f)
		e->spare = f->outer;
	else {
		f = NEW(eval_arena(e), struct EvalFrame);
		map_init(&f->places, e->arena);
	}
	if (!few && f->nvalues < m->next_value) {
		f->nvalues = m->next_value + m->next_value / 4;
		f->cells = NEW_ARRAY(e->arena, Cell, f->nvalues);
	}
	f->few = few;
	f->module = m;
	f->depth = depth;
	f->outer = e->frame;
	e->frame = f;
	return true;
}

static void frame_pop(EvalCtx *e)
{
	struct EvalFrame *f = e->frame;
	if (f->few)
		map_clear(&f->places);
	f->cell_list.len = 0;
	e->frame = f->outer;
	f->outer = e->spare;
	e->spare = f;
}

/* NULL: the frame has no place for v yet. */
static Cell *frame_cell(const struct EvalFrame *f, const Value *v)
{
	if (!f->few)
		return v->id < f->nvalues ? &f->cells[v->id] : NULL;
	uintptr_t at = (uintptr_t)map_get(&f->places, v->id);
	return at ? &f->cell_list.data[at - 1] : NULL;
}

static Cell *frame_place(EvalCtx *e, struct EvalFrame *f, const Value *v)
{
	Cell *c = frame_cell(f, v);
	if (c || !f->few)
		return c;
	VEC_PUSH(e->arena, &f->cell_list, (Cell){ 0 });
	map_put(&f->places, v->id, (void *)(uintptr_t)f->cell_list.len);
	return &f->cell_list.data[f->cell_list.len - 1];
}

static Tensor *frame_get(const struct EvalFrame *f, const Value *v)
{
	const Cell *c = frame_cell(f, v);
	return c ? c->tensor : NULL;
}

/* Takes over a reference to t. */
static void frame_set(EvalCtx *e, const Value *v, Tensor *t)
{
	struct EvalFrame *f = e->frame;
	Cell *c = frame_place(e, f, v);
	tensor_unref(c->tensor);
	c->tensor = NULL;
	if (v->nuses == 0 && v != f->want) {
		tensor_unref(t);
		return;
	}
	*c = (Cell){ t, v->nuses, true };
}

static void frame_drop(struct EvalFrame *f, const Value *v)
{
	Cell *c = frame_cell(f, v);
	if (!c)
		return;
	tensor_unref(c->tensor);
	c->tensor = NULL;
}

static const Block *value_home(const Value *v)
{
	return v->def ? v->def->block : v->block;
}

/* `op` of block b (or nested in one of its ops) has run: its operand slots need the values of b no more. */
static void frame_consume(struct EvalFrame *f, const Op *op, const Block *b)
{
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op->operands[i].value;
		Cell *c = v && value_home(v) == b ? frame_cell(f, v) : NULL;
		if (c && c->tensor && --c->uses == 0)
			frame_drop(f, v);
	}
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i])
			FOR_EACH_OP(inner, op->blocks[i])
				frame_consume(f, inner, b);
}

static void frame_clear_block(struct EvalFrame *f, const Block *b)
{
	for (uint32_t i = 0; i < b->nargs; i++)
		frame_drop(f, b->args[i]);
	FOR_EACH_OP(op, b)
		for (size_t i = 0; i < op->nresults; i++)
			frame_drop(f, op->results[i]);
}

Tensor *eval_lookup(EvalCtx *e, const Value *v)
{
	struct EvalFrame *f = e->frame;
	return v && f ? frame_get(f, v) : NULL;
}

/* ---- one op ---- */

/* Keeps the tensor of a constant when it shares the blob's bytes or is small. */
static Tensor *constant_tensor(EvalCtx *e, const Attr *a)
{
	Tensor *t = e->constants ? map_get(e->constants, MAP_PTR(a)) : NULL;
	if (t)
		return tensor_ref(t);
	int64_t before = e->live_bytes;
	t = tensor_from_attr(e, a);
	if (!t || !e->keep_constants || e->live_bytes - before > CACHED_CONSTANT)
		return t;
	if (!e->constants) {
		e->constants = NEW(eval_arena(e), Map);
		map_init(e->constants, e->arena);
	}
	map_put(e->constants, MAP_PTR(a), tensor_ref(t));
	return t;
}

bool eval_constant(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)in;
	const Attr *a = op_constant_attr(op);
	if (!a)
		return eval_error(e, op, "a constant without a tensor");
	out[0] = constant_tensor(e, a);
	return out[0] != NULL;
}

/* Ops that take sequences, optionals and maps. */
static bool takes_any_kind(OpKind k)
{
	switch (k) {
	case OP_identity: case OP_if: case OP_loop: case OP_while: case OP_scan: case OP_call: case OP_yield: case OP_return:
	case OP_seq_construct: case OP_seq_at: case OP_seq_insert: case OP_seq_erase: case OP_seq_length: case OP_seq_split:
	case OP_seq_concat: case OP_optional: case OP_optional_get: case OP_optional_has: case OWN_CastMap:
	case OWN_DictVectorizer:
		return true;
	default:
		return false;
	}
}

bool op_takes_strings(const OpDef *d)
{
	if (d->kind >= SHLO_abs) /* a dialect without text */
		return d->kind == SHLO_optimization_barrier || d->kind == SHLO_while || d->kind == SHLO_return;
	if (d->kind > OP_CORE_END || (d->traits & (TRAIT_MOVES | TRAIT_REGIONS)))
		return true;
	switch (d->kind) {
	case OP_constant: case OP_eq: case OP_ne: case OP_cast: case OP_select: case OP_pad: case OP_shape: case OP_size:
	case OP_one_hot: case OP_scatter_elements: case OP_scatter_nd: case OP_compress: case OP_unique: case OP_call:
	case OP_fill: case OP_tensor_scatter:
		return true;
	default:
		return takes_any_kind(d->kind);
	}
}

static bool above(uint32_t n, uint16_t max)
{
	return max != UINT16_MAX && n > max;
}

/* The row's operand list says which operands may be absent. The family functions rely on what is checked here. */
static bool check_operands(EvalCtx *e, const Op *op, Tensor *const *in)
{
	bool any_kind = op_is_shlo(op) || takes_any_kind(op_kind(op)), strings = op_takes_strings(op->def);
	if (op->noperands < op->def->min_operands || above(op->noperands, op->def->max_operands))
		return eval_error(e, op, "%u operands are too %s", op->noperands,
			op->noperands < op->def->min_operands ? "few" : "many");
	if (op->nresults < op->def->min_results || above(op->nresults, op->def->max_results))
		return eval_error(e, op, "%u results are too %s", op->nresults,
			op->nresults < op->def->min_results ? "few" : "many");
	for (size_t i = 0; i < op->nresults && op_is_shlo(op) && !strings; i++)
		if (type_is_tensor(op->results[i]->type) && op->results[i]->type->dtype == DT_STR)
			return eval_error(e, op, "result %zu holds strings", i);
	const char *spec = op->def->operands;
	for (size_t i = 0; i < op->noperands; i++) {
		size_t len = strcspn(spec, " ");
		char last = len ? spec[len - 1] : '*';
		if (!in[i] && last != '?' && !(last == '*' && (op->def->traits & TRAIT_REGIONS)))
			return eval_error(e, op, "%s is absent", op_operand_said(e, op, i));
		if (in[i] && !any_kind && in[i]->kind != TYPE_TENSOR)
			return eval_error(e, op, "%s is not a tensor", op_operand_said(e, op, i));
		if (in[i] && !strings && in[i]->dtype == DT_STR)
			return eval_error(e, op, "%s holds strings", op_operand_said(e, op, i));
		if (last != '*')
			spec += len + (spec[len] == ' ');
	}
	return true;
}

bool eval_step(EvalCtx *e, const Op *op)
{
	int64_t max_steps = e->max_steps > 0 ? e->max_steps : DEFAULT_STEPS;
	return ++e->steps <= max_steps ||
		eval_limit(e, op, "the limit of %lld executed operations is reached", (long long)max_steps);
}

static bool has_type(const Tensor *t, const Type *want)
{
	if (t->kind != TYPE_TENSOR || want->kind != TYPE_TENSOR || want->text)
		return true;
	if ((want->dtype != DT_NONE && want->dtype != t->dtype) || (want->rank >= 0 && want->rank != t->rank))
		return false;
	for (int i = 0; i < want->rank; i++) {
		int64_t n;
		if (sym_const(want->dims[i], &n) && n != t->dims[i])
			return false;
	}
	return true;
}

/* StableHLO states its result types, and ops of ONNX that have no core form have theirs from operands that may not be what
 * the operator wants: where the result is another one the op is wrong. */
static bool check_results(EvalCtx *e, const Op *op, Tensor *const *out)
{
	if (op_kind(op) < OWN_StringConcat || (!op_is_shlo(op) && !op->def->infer))
		return true;
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *want = op->results[i]->type;
		if (!out[i] || has_type(out[i], want))
			continue;
		Buf text = { 0 };
		type_print(want, &text);
		buf_put(&text, "", 1);
		const Type *got = type_tensor_of(e->ctx, out[i]->dtype, out[i]->rank, out[i]->dims);
		Buf other = { 0 };
		type_print(got, &other);
		buf_put(&other, "", 1);
		eval_error(e, op, "result %zu is %s, but its type is %s", i, other.data, text.data);
		buf_free(&text);
		buf_free(&other);
		return false;
	}
	return true;
}

/* Errors of helpers that do not know for which op they work. */
static void name_errors(EvalCtx *e, const Op *op, size_t first)
{
	for (size_t i = first; i < e->diags->list.len; i++) {
		Diag *d = &e->diags->list.data[i];
		if (d->severity != SEV_ERROR || d->loc.file || d->loc.line || d->loc.what)
			continue;
		if (op->loc)
			d->loc = *op->loc;
		d->message = arena_printf(e->diags->arena, "%s%s", op_label(e->diags->arena, op), d->message);
		if (!d->hint && i + 1 == e->diags->list.len)
			op_hint(e->diags, d->status, op, true);
	}
}

bool eval_op(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	size_t said = e->diags->list.len;
	for (size_t i = 0; i < op->nresults; i++)
		out[i] = NULL;
	if (!eval_step(e, op))
		return false;
	bool ok;
	if (op_constant_attr(op))
		ok = eval_constant(e, op, in, out);
	else if (op_is_shlo(op) && shlo_is_quantised(op))
		ok = eval_shlo_quantised(e, op, in, out);
	else if (op->def->eval)
		ok = check_operands(e, op, in) && op->def->eval(e, op, in, out);
	else if (e->fallback)
		ok = e->fallback(e, op, in, out);
	else
		ok = eval_cannot_run(e, op, in);
	for (size_t i = 0; ok && i < op->nresults; i++)
		if (!out[i] && value_has_uses(op->results[i]))
			ok = eval_unsupported(e, op, "result %zu is used but not computed", i);
	if (ok && check_results(e, op, out))
		return true;
	name_errors(e, op, said);
	for (size_t i = 0; i < op->nresults; i++) {
		tensor_unref(out[i]);
		out[i] = NULL;
	}
	return false;
}

/* ---- blocks and functions ---- */

enum { FEW = 16 };

/* An array of n tensor pointers: `few` when that is enough, else the bytes of a scratch tensor in *holder. */
static Tensor **pointer_array(EvalCtx *e, size_t n, Tensor **few, Tensor **holder)
{
	*holder = NULL;
	if (n <= FEW)
		return few;
	int64_t bytes = (int64_t)(n * sizeof(Tensor *));
	*holder = tensor_new(e, DT_U8, 1, &bytes);
	return *holder ? (*holder)->data : NULL;
}

/* Marks operands that op may write over: values of its own block that it is the last to use. Not when results are kept
 * for other users than the module has. */
static void mark_spent(struct EvalFrame *f, const Op *op, Tensor *const *in)
{
	if (op->nblocks || f->want || !op_is_core(op))
		return;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op->operands[i].value;
		const Cell *c = v && value_home(v) == op->block ? frame_cell(f, v) : NULL;
		if (c && c->uses == 1)
			in[i]->spent = true;
	}
}

static bool run_op_with(EvalCtx *e, const Op *op, Tensor **in, Tensor **out)
{
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op->operands[i].value;
		in[i] = v ? eval_lookup(e, v) : NULL;
		if (v && !in[i])
			return eval_error(e, op, "%s has no value here", op_operand_said(e, op, i));
	}
	mark_spent(e->frame, op, in);
	bool ok = eval_op(e, op, in, out);
	for (size_t i = 0; i < op->noperands; i++)
		if (in[i])
			in[i]->spent = false;
	if (!ok)
		return false;
	if (e->watch)
		e->watch(e->watch_arg, op, out);
	for (size_t i = 0; i < op->nresults; i++)
		frame_set(e, op->results[i], out[i]);
	return true;
}

/* Runs op on the values of the current frame and stores the results there. */
static bool run_op(EvalCtx *e, const Op *op)
{
	Tensor *few_in[FEW], *few_out[FEW], *in_holder, *out_holder = NULL;
	Tensor **in = pointer_array(e, op->noperands, few_in, &in_holder);
	Tensor **out = in ? pointer_array(e, op->nresults, few_out, &out_holder) : NULL;
	bool ok = in && out && run_op_with(e, op, in, out);
	tensor_unref(in_holder);
	tensor_unref(out_holder);
	return ok;
}

static bool run_block(EvalCtx *e, const Block *b, Tensor **outs, size_t nouts)
{
	const Op *end = block_terminator(b);
	if (!end || !(end->def->traits & TRAIT_TERMINATOR))
		return eval_error(e, b->parent, "a block without a terminator");
	if (end->noperands != nouts)
		return eval_error(e, b->parent ? b->parent : end, "a block gives %d values, %zu are expected", end->noperands,
			nouts);
	for (const Op *op = b->first; op != end; op = op->next) {
		if (!run_op(e, op))
			return false;
		frame_consume(e->frame, op, b);
	}
	for (size_t i = 0; i < nouts; i++) {
		const Value *v = end->operands[i].value;
		Tensor *t = v ? eval_lookup(e, v) : NULL;
		if (!t) {
			while (i-- > 0) {
				tensor_unref(outs[i]);
				outs[i] = NULL;
			}
			return eval_error(e, end, "a result has no value");
		}
		outs[i] = tensor_ref(t);
	}
	return true;
}

bool eval_block(EvalCtx *e, const Block *b, Tensor *const *args, size_t nargs, Tensor **outs, size_t nouts)
{
	for (size_t i = 0; i < nouts; i++)
		outs[i] = NULL;
	if (nargs != b->nargs)
		return eval_error(e, b->parent, "a block takes %u values, %zu are given", b->nargs, nargs);
	if (e->run_block) {
		bool done = false, ran = e->run_block(e, b, args, nargs, outs, nouts, &done);
		if (done)
			return ran;
	}
	bool own_frame = !e->frame || e->frame->module != b->func->module;
	if (own_frame && !frame_push(e, b->func->module, b->parent, false))
		return false;
	for (size_t i = 0; i < nargs; i++)
		frame_set(e, b->args[i], tensor_ref(args[i]));
	bool ok = run_block(e, b, outs, nouts);
	frame_clear_block(e->frame, b);
	if (own_frame)
		frame_pop(e);
	return ok;
}

bool eval_op_captured(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, const Value *const *outer,
		Tensor *const *captured, size_t n)
{
	if (!frame_push(e, op->block->func->module, op, false))
		return false;
	for (size_t i = 0; i < n; i++)
		frame_set(e, outer[i], tensor_ref(captured[i]));
	bool ok = eval_op(e, op, in, out);
	for (size_t i = 0; i < n; i++)
		frame_drop(e->frame, outer[i]);
	frame_pop(e);
	return ok;
}

/* The declared type of an input is a promise that optimisation relied on. */
static bool check_input(EvalCtx *e, const Func *f, size_t i, const Tensor *t)
{
	const Type *want = f->body->args[i]->type;
	const Str *name = f->body->args[i]->name ? f->body->args[i]->name : e->ctx->empty;
	if (want->kind != TYPE_TENSOR)
		return true;
	if (t->kind != TYPE_TENSOR)
		return eval_error(e, NULL, "input %zu %s: a tensor is expected", i, quote(e->diags->arena, name->s, name->len));
	if (want->dtype != DT_NONE && t->dtype != want->dtype)
		return eval_error(e, NULL, "input %zu %s: %s is expected, %s is given", i,
			quote(e->diags->arena, name->s, name->len), dtype_friendly_name(want->dtype), dtype_friendly_name(t->dtype));
	bool fits = want->rank < 0 || want->rank == t->rank;
	for (int d = 0; fits && d < want->rank; d++) {
		int64_t size;
		fits = !sym_const(want->dims[d], &size) || size == t->dims[d];
	}
	if (fits)
		return true;
	Buf b = {0};
	type_print(want, &b);
	eval_error(e, NULL, "input %zu %s: a tensor of shape %s does not fit %s", i,
		quote(e->diags->arena, name->s, name->len), tensor_shape_text(e, t), b.data ? b.data : "");
	buf_free(&b);
	return false;
}

static bool bind_inputs(EvalCtx *e, const Func *f, Tensor *const *in, size_t nin)
{
	const Block *b = f->body;
	if (nin > b->nargs)
		return eval_error(e, NULL, "%zu inputs are given, the function takes %u", nin, b->nargs);
	for (size_t i = 0; i < b->nargs; i++) {
		Tensor *t = i < nin ? tensor_ref(in[i]) : NULL;
		if (!t && f->arg_default && f->arg_default[i]) {
			t = tensor_from_attr(e, f->arg_default[i]);
			if (!t)
				return false;
		}
		if (!t && f->is_library)
			continue; /* absent; an op that needs it says so */
		const Str *name = b->args[i]->name ? b->args[i]->name : e->ctx->empty;
		if (!t)
			return eval_error(e, NULL, "input %zu %s is not given", i, quote(e->diags->arena, name->s, name->len));
		if (!check_input(e, f, i, t)) {
			tensor_unref(t);
			return false;
		}
		frame_set(e, b->args[i], t);
	}
	return true;
}

bool eval_func(EvalCtx *e, const Func *f, Tensor *const *in, size_t nin, Tensor **out, size_t nout)
{
	for (size_t i = 0; i < nout; i++)
		out[i] = NULL;
	if (!frame_push(e, f->module, NULL, false))
		return false;
	if (e->draws && !e->frame->outer)
		map_clear(e->draws);
	bool ok = bind_inputs(e, f, in, nin) && run_block(e, f->body, out, nout);
	frame_clear_block(e->frame, f->body);
	frame_pop(e);
	return ok;
}

/* ---- constant expressions ---- */

/* A value that needs no computing: a new reference, or NULL. */
static Tensor *known_part(EvalCtx *e, const Value *v)
{
	Tensor *t = e->known ? map_get(e->known, MAP_PTR(v)) : NULL;
	const Attr *a = e->numbers ? map_get(e->numbers, v->id) : NULL;
	return t ? tensor_ref(t) : a ? tensor_from_attr(e, a) : NULL;
}

/* Pushes the ops that compute what the frame does not have yet of op's operands and of the values that op's blocks (root:
 * the outermost op) capture. */
static bool push_missing(EvalCtx *e, struct EvalFrame *f, const Op *op, const Op *root)
{
	for (size_t i = op->noperands; i-- > 0;) {
		const Value *v = op->operands[i].value;
		if (!v || frame_get(f, v) || (op != root && !block_is_ancestor(value_home(v), root->block)))
			continue;
		if (!v->def || !v->def->constant)
			return eval_error(e, op, "not a constant expression");
		Tensor *known = known_part(e, v);
		if (!known) {
			VEC_PUSH(e->arena, &f->stack, v->def);
			continue;
		}
		frame_set(e, v, known);
		VEC_PUSH(e->arena, &f->done, v->def);
	}
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i])
			FOR_EACH_OP(inner, op->blocks[i])
				if (!push_missing(e, f, inner, root))
					return false;
	return true;
}

static bool has_run(const struct EvalFrame *f, const Op *op)
{
	bool any = false;
	for (size_t i = 0; i < op->nresults; i++) {
		if (!op->results[i]->nuses && op->results[i] != f->want)
			continue;
		const Cell *c = frame_cell(f, op->results[i]);
		if (!c || !c->ran)
			return false;
		any = true;
	}
	return any;
}

/* Depth first with a stack of our own. An op that several ops ask for is on the stack as often, and runs once. Values with
 * users outside of the expression stay until the end. */
static bool run_constants(EvalCtx *e, struct EvalFrame *f, const Value *v)
{
	VEC_PUSH(e->arena, &f->stack, v->def);
	while (f->stack.len) {
		size_t top = f->stack.len;
		Op *op = f->stack.data[top - 1];
		if (has_run(f, op)) {
			f->stack.len--;
			continue;
		}
		if (!push_missing(e, f, op, op))
			return false;
		if (f->stack.len > top)
			continue;
		f->stack.len--;
		VEC_PUSH(e->arena, &f->done, op);
		if (!run_op(e, op))
			return false;
		for (size_t i = 0; i < op->nresults; i++)
			if (!frame_get(f, op->results[i]) && value_has_uses(op->results[i]))
				return eval_error(e, op, "a result is not computed");
		frame_consume(f, op, op->block);
	}
	return true;
}

Tensor *eval_constant_value(EvalCtx *e, const Value *v)
{
	if (!value_is_constant(v)) {
		eval_error(e, v ? v->def : NULL, "not a constant expression");
		return NULL;
	}
	const Attr *a = value_constant(v);
	if (a)
		return constant_tensor(e, a);
	if (!frame_push(e, v->def->block->func->module, v->def, true))
		return NULL;
	struct EvalFrame *f = e->frame;
	f->stack.len = f->done.len = 0;
	f->want = v;
	Tensor *t = run_constants(e, f, v) ? tensor_ref(frame_get(f, v)) : NULL;
	f->want = NULL;
	for (size_t i = 0; i < f->done.len; i++)
		for (size_t k = 0; k < f->done.data[i]->nresults; k++)
			frame_drop(f, f->done.data[i]->results[k]);
	frame_pop(e);
	return t;
}
