/* One run after the other: picks (or makes) the plan for the sizes at hand, gives it memory, runs its steps; where sizes
 * depend on data, the next part is planned once they are known. */
#include "plan/plan_int.h"
#include "ops/label.h"

#include <string.h>

enum { MAX_PLANS = 16 }; /* kept for each part; the one unused for longest goes */

/* A plan with memory. */
typedef struct Instance {
	Plan *plan;
	char *memory, *scratch;
	size_t scratch_bytes;   /* of one thread */
	int64_t *faults;
	void **table;
	uint32_t *moving;       /* entries of the table that each run sets anew */
	size_t nmoving;
	double *profile;
	uint64_t used;          /* number of the run that used it last; 0: none */
	struct Instance *next;
} Instance;

typedef struct Outer {
	const Shape *shape;
	void *data;
} Outer;

struct Exec {
	Program *prog;
	Arena *arena;
	Diags diags;
	Pool *pool;
	int threads;
	EvalCtx eval;
	Instance *instances;    /* of all parts */
	VEC(Instance *) parts;  /* of the current run */
	Map symbols;            /* Sym -> number + 1 */
	Map slots;              /* value id -> Tensor */
	Map inner;              /* Block -> Exec */
	Exec *outside;          /* whose op runs this body: its sizes hold here too; NULL: none */
	Outer *outer;           /* by value id; made when a model has several parts */
	const ExecArray *in;
	ExecArray *out;
	size_t nin, nout;
	ExecArray *defaults;    /* inputs as run, defaults filled in */
	void **own;             /* memory of outputs that the caller gives none for */
	size_t *own_bytes;
	VEC(int64_t) keys;      /* sizes that told so far in this run */
	const int64_t *key;
	size_t nkey;
	bool again;             /* the last run was of one plan, and inputs of the same form need no checks: see run_again */
	bool profile;
	uint64_t runs;
};

/* ---- what the planner asks ---- */

bool exec_symbol(void *exec, const Sym *symbol, int64_t *out)
{
	const Exec *x = exec;
	uintptr_t v = (uintptr_t)map_get(&x->symbols, MAP_PTR(symbol));
	if (!v && x->outside)
		return exec_symbol(x->outside, symbol, out);
	*out = (int64_t)v - 1;
	return v != 0;
}

const Shape *exec_input_shape(const Exec *x, size_t i, Arena *a)
{
	const ExecArray *in = &x->in[i];
	if (in->tensor || !in->data)
		return NULL;
	Shape *s = arena_alloc(a, sizeof(*s) + (size_t)in->rank * sizeof(*s->dims));
	s->dtype = in->dtype;
	s->rank = in->rank;
	if (in->rank)
		memcpy(s->dims, in->dims, (size_t)in->rank * sizeof(*s->dims));
	return dims_count(in->dims, in->rank, &s->count) ? s : NULL;
}

const Shape *exec_outer_shape(const Exec *x, const Value *v)
{
	return x->outer ? x->outer[v->id].shape : NULL;
}

Tensor *exec_slot(const Exec *x, const Value *v)
{
	return map_get(&x->slots, v->id);
}

void exec_set_slot(Exec *x, const Value *v, Tensor *t)
{
	void **slot = map_slot(&x->slots, v->id);
	tensor_unref(*slot);
	*slot = t;
}

Tensor *exec_slot_new(Exec *x, const Value *v, DType d, const int64_t dims[2])
{
	pthread_mutex_lock(x->prog->lock);
	Tensor *t = tensor_new(&x->eval, d, 2, dims);
	pthread_mutex_unlock(x->prog->lock);
	exec_set_slot(x, v, t);
	return t;
}

Program *exec_program(const Exec *x)
{
	return x->prog;
}

/* One thread: those of x wait for the op that runs the body. */
Exec *exec_body(Exec *x, Program *p)
{
	Exec *inner = exec_new(p, 1);
	inner->outside = x;
	return inner;
}

Exec *exec_inner(Exec *x, const Block *b, Program *p)
{
	Exec *inner = map_get(&x->inner, MAP_PTR(b));
	if (!inner) {
		inner = exec_body(x, p);
		map_put(&x->inner, MAP_PTR(b), inner);
	}
	return inner;
}

Diags *exec_diags(Exec *x)
{
	return &x->diags;
}

/* ---- ops that the evaluator runs ---- */

static char *operand_bytes(const Run *r, const EvalOperand *o)
{
	return (char *)r->table[o->ptr] + o->view.offset * (int64_t)dtype_size(o->view.dtype);
}

static Tensor *operand_tensor(Exec *x, const Run *r, const EvalOperand *o)
{
	switch (o->kind) {
	case OPERAND_KNOWN: return tensor_ref(o->tensor);
	case OPERAND_SLOT: return tensor_ref(exec_slot(x, o->value));
	case OPERAND_BUFFER:
		return tensor_borrowed(&x->eval, o->view.dtype, o->shape->rank, o->shape->dims, operand_bytes(r, o));
	default: return NULL;
	}
}

static bool store_result(Exec *x, const Run *r, const Op *op, const EvalOperand *o, Tensor *t)
{
	if (o->kind != OPERAND_BUFFER) {
		exec_set_slot(x, o->value, t);
		return true;
	}
	int64_t count = view_count(&o->view);
	bool fits = t && t->kind == TYPE_TENSOR && t->count == count && t->dtype == o->view.dtype;
	if (fits && count)
		memcpy(operand_bytes(r, o), t->data, (size_t)count * dtype_size(t->dtype));
	else if (!fits && t)
		eval_error(&x->eval, op, "a result of %lld elements of %s, %lld of %s are expected", (long long)t->count,
			dtype_friendly_name(t->dtype), (long long)count, dtype_friendly_name(o->view.dtype));
	tensor_unref(t);
	return fits || !t;
}

static bool call_locked(Exec *x, const Run *r, const EvalStep *s)
{
	size_t total = s->nin + s->ncaptured + s->nout;
	Tensor **all = mem_zalloc((total + 1) * sizeof(*all));
	Tensor **captured = all + s->nin, **out = captured + s->ncaptured;
	const Value **outer = mem_zalloc((s->ncaptured + 1) * sizeof(*outer));
	for (size_t i = 0; i < s->nin; i++)
		all[i] = operand_tensor(x, r, &s->in[i]);
	for (size_t i = 0; i < s->ncaptured; i++) {
		outer[i] = s->captured[i].value;
		captured[i] = operand_tensor(x, r, &s->captured[i]);
	}
	bool ok = x->diags.status == HONE_OK && (s->op->nblocks ? eval_op_captured(&x->eval, s->op, all, out, outer, captured,
		s->ncaptured) : eval_op(&x->eval, s->op, all, out));
	for (size_t i = 0; i < s->nout && ok; i++) {
		Tensor *t = out[i];
		out[i] = NULL;
		ok = store_result(x, r, s->op, &s->out[i], t);
	}
	for (size_t i = 0; i < total; i++)
		tensor_unref(all[i]);
	mem_free(outer);
	mem_free(all);
	return ok;
}

bool exec_call_op(void *step, Run *r)
{
	Exec *x = r->user;
	pthread_mutex_lock(x->prog->lock);
	bool ok = call_locked(x, r, step);
	pthread_mutex_unlock(x->prog->lock);
	return ok;
}

/* ---- instances ---- */

static void *buffer_pointer(const Exec *x, const Instance *n, const PlanBuffer *b)
{
	switch (b->kind) {
	case BUFFER_ARENA: return n->memory + b->offset;
	case BUFFER_CONST: return (void *)(uintptr_t)b->data;
	case BUFFER_INPUT: return x->in[b->index].data;
	case BUFFER_OUTPUT: return x->out[b->index].data;
	case BUFFER_FAULT: return &n->faults[b->index];
	default: return x->outer[b->value->id].data;
	}
}

static void instance_free(const Exec *x, Instance *n)
{
	if (!n)
		return;
	pages_free(n->memory, n->plan->arena_bytes + 64);
	pages_free(n->scratch, n->scratch_bytes * (size_t)x->threads);
	mem_free(n->table);
	mem_free(n->moving);
	mem_free(n->faults);
	mem_free(n->profile);
	plan_free(n->plan);
	mem_free(n);
}

static bool out_of_memory(Exec *x, size_t bytes)
{
	return diag_error(&x->diags, HONE_LIMIT, NULL, "out of memory: a run needs %zu bytes", bytes);
}

static Instance *instance_new(Exec *x, Plan *plan)
{
	Instance *n = mem_zalloc(sizeof(*n));
	n->plan = plan;
	n->scratch_bytes = (plan->scratch_bytes + 63) / 64 * 64;
	n->memory = pages_new(plan->arena_bytes + 64);
	n->scratch = n->scratch_bytes ? pages_new(n->scratch_bytes * (size_t)x->threads) : NULL;
	n->table = mem_zalloc((plan->table.len + 1) * sizeof(*n->table));
	n->faults = mem_zalloc((plan->faults.len + 1) * sizeof(*n->faults));
	n->moving = mem_zalloc((plan->table.len + 1) * sizeof(*n->moving));
	if (!n->memory || (n->scratch_bytes && !n->scratch)) {
		out_of_memory(x, plan->arena_bytes);
		instance_free(x, n);
		return NULL;
	}
	for (size_t i = 0; i < plan->table.len; i++) {
		const PlanBuffer *b = &plan->buffers.data[plan->table.data[i]];
		if (b->kind == BUFFER_ARENA || b->kind == BUFFER_CONST || b->kind == BUFFER_FAULT)
			n->table[i] = buffer_pointer(x, n, b);
		else
			n->moving[n->nmoving++] = (uint32_t)i;
	}
	n->next = x->instances;
	x->instances = n;
	return n;
}

static Instance *instance_find(const Exec *x, size_t begin)
{
	for (Instance *n = x->instances; n; n = n->next)
		if (n->plan->begin == begin && n->plan->nkey == x->nkey && (!x->nkey || !memcmp(n->plan->key, x->key,
			x->nkey * sizeof(*x->key))))
			return n;
	return NULL;
}

static void drop_oldest(Exec *x, size_t begin)
{
	Instance **oldest = NULL;
	size_t n = 0;
	for (Instance **at = &x->instances; *at; at = &(*at)->next) {
		if ((*at)->plan->begin != begin)
			continue;
		n++;
		if (!oldest || (*at)->used < (*oldest)->used)
			oldest = at;
	}
	if (n < MAX_PLANS || !oldest)
		return;
	Instance *gone = *oldest;
	*oldest = gone->next;
	instance_free(x, gone);
}

/* What went wrong with constants. */
static void take_diags(Exec *x)
{
	Diags *d = &x->prog->diags;
	diags_copy_errors(&x->diags, d);
	d->list.len = 0;
	d->status = HONE_OK;
}

static Instance *instance_get(Exec *x, size_t begin)
{
	Instance *n = instance_find(x, begin);
	if (n)
		return n;
	drop_oldest(x, begin);
	pthread_mutex_lock(x->prog->lock);
	Plan *plan = plan_make(x->prog, x, begin, x->threads, x->key, x->nkey);
	take_diags(x);
	pthread_mutex_unlock(x->prog->lock);
	return plan ? instance_new(x, plan) : NULL;
}

/* ---- inputs and outputs ---- */

static const char *input_name(const Exec *x, size_t i)
{
	const Value *v = x->prog->module->main->body->args[i];
	return v->name ? quote(x->diags.arena, v->name->s, v->name->len) : "";
}

static bool bind_symbol(Exec *x, const Sym *s, int64_t n, size_t input, int dim)
{
	if (sym_kind(s) == SYM_CONST)
		return sym_is(s, n) || diag_error(&x->diags, HONE_BAD_INPUT, NULL,
			"input %zu %s: dim %d is %lld, the model's is fixed",
			input, input_name(x, input), dim, (long long)n);
	if (sym_kind(s) != SYM_SYMBOL)
		return true;
	void **slot = map_slot(&x->symbols, MAP_PTR(s));
	if (*slot && (int64_t)(uintptr_t)*slot - 1 != n) {
		const Str *name = sym_name(s);
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "input %zu %s: dim %d is %lld, but %s is %lld elsewhere", input,
			input_name(x, input), dim, (long long)n, name->s, (long long)((int64_t)(uintptr_t)*slot - 1));
	}
	*slot = (void *)(uintptr_t)(n + 1);
	return true;
}

static bool check_array(Exec *x, size_t i, const ExecArray *a)
{
	const Type *t = x->prog->module->main->body->args[i]->type;
	int64_t count;
	if (a->tensor || t->kind != TYPE_TENSOR)
		return true;
	if (!a->data)
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "input %zu %s is not given", i, input_name(x, i));
	if (t->dtype != DT_NONE && t->dtype != a->dtype)
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "input %zu %s: %s is expected, %s is given", i, input_name(x, i),
			dtype_friendly_name(t->dtype), dtype_friendly_name(a->dtype));
	if (t->rank >= 0 && t->rank != a->rank)
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "input %zu %s: rank %d is expected, %d is given", i,
			input_name(x, i), t->rank, a->rank);
	if (!dims_count(a->dims, a->rank, &count) || (uint64_t)count > a->bytes / dtype_size(a->dtype))
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "input %zu %s: %zu bytes are fewer than its dims say", i,
			input_name(x, i), a->bytes);
	for (int d = 0; d < t->rank; d++)
		if (!bind_symbol(x, t->dims[d], a->dims[d], i, d))
			return false;
	return true;
}

static void key_push(Exec *x, int64_t n)
{
	VEC_PUSH(x->arena, &x->keys, n);
	x->key = x->keys.data;
	x->nkey = x->keys.len;
}

/* The sizes of the inputs are the key of the first part. */
static bool take_inputs(Exec *x, const ExecArray *in, size_t nin)
{
	const Func *f = x->prog->module->main;
	if (nin > f->body->nargs)
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "%zu inputs are given, the model takes %u", nin, f->body->nargs);
	x->keys.len = x->nkey = 0;
	for (size_t i = 0; i < f->body->nargs; i++) {
		ExecArray *a = &x->defaults[i];
		if (i < nin && (in[i].data || in[i].tensor))
			*a = in[i];
		else if (!a->data || i < nin)
			*a = (ExecArray){ 0 };
		if (!a->data && !a->tensor && f->arg_default && f->arg_default[i])
			a->tensor = map_get(&x->prog->constants, MAP_PTR(f->body->args[i]));
		if (a->tensor && a->tensor->kind == TYPE_TENSOR && a->tensor->dtype != DT_STR) {
			Tensor *t = a->tensor;
			*a = (ExecArray){ .dtype = t->dtype, .rank = t->rank, .data = t->data,
				.bytes = (size_t)t->count * dtype_size(t->dtype) };
			memcpy(a->dims, t->dims, sizeof(a->dims));
		}
		if (!check_array(x, i, a))
			return false;
		if (a->tensor)
			exec_set_slot(x, f->body->args[i], tensor_ref(a->tensor));
		key_push(x, a->rank);
		for (int d = 0; d < a->rank; d++)
			key_push(x, a->dims[d]);
	}
	x->in = x->defaults;
	for (const Exec *o = x->outside; o; o = o->outside)
		for (uint32_t i = 0; i < o->symbols.len; i++)
			key_push(x, (int64_t)(uintptr_t)o->symbols.entries[i].value);
	return true;
}

static bool give_output(Exec *x, size_t i, const View *v, const Shape *s)
{
	ExecArray *o = &x->out[i];
	size_t bytes = (size_t)s->count * dtype_size(v->dtype);
	o->dtype = v->dtype;
	o->rank = s->rank;
	memcpy(o->dims, s->dims, (size_t)s->rank * sizeof(*s->dims));
	if (o->data && o->bytes < bytes)
		return diag_error(&x->diags, HONE_BAD_INPUT, NULL, "output %zu needs %zu bytes, %zu are given", i, bytes, o->bytes);
	if (o->data)
		return true;
	if (x->own_bytes[i] < bytes || !x->own[i]) {
		pages_free(x->own[i], x->own_bytes[i]);
		x->own_bytes[i] = bytes;
		x->own[i] = pages_new(bytes);
		if (!x->own[i])
			return out_of_memory(x, bytes);
	}
	o->data = x->own[i];
	o->bytes = bytes;
	return true;
}

static const Value *output_value(const Exec *x, size_t i)
{
	return op_operand(block_terminator(x->prog->module->main->body), i);
}

static bool give_outputs(Exec *x, const Plan *plan)
{
	for (size_t i = 0; i < x->nout; i++)
		if (!plan->output_slots[i] && !give_output(x, i, &plan->outputs[i], plan->shapes[output_value(x, i)->id]))
			return false;
	return true;
}

/* ---- runs ---- */

static bool check_faults(Exec *x, Instance *n)
{
	bool ok = true;
	for (size_t i = 0; i < n->plan->faults.len; i++) {
		int64_t at = n->faults[i];
		n->faults[i] = 0; /* all of them: the next run begins without */
		if (at && ok)
			ok = eval_error(&x->eval, n->plan->faults.data[i], "index number %lld is out of range", (long long)at - 1);
	}
	return ok;
}

static bool run_part(Exec *x, Instance *n)
{
	if (n->used && n->plan->loans.len) {
		pthread_mutex_lock(x->prog->lock);
		plan_settle(x->prog, n->plan, x->threads);
		pthread_mutex_unlock(x->prog->lock);
	}
	n->used = ++x->runs;
	if (!n->plan->boundary && !give_outputs(x, n->plan))
		return false;
	for (size_t i = 0; i < n->nmoving; i++)
		n->table[n->moving[i]] = buffer_pointer(x, n, &n->plan->buffers.data[n->plan->table.data[n->moving[i]]]);
	if (x->profile && !n->profile)
		n->profile = mem_zalloc((n->plan->steps.len + 1) * sizeof(*n->profile));
	Run r = { .steps = n->plan->steps.data, .nsteps = n->plan->steps.len, .table = n->table, .scratch = n->scratch,
		.scratch_bytes = n->scratch_bytes, .pool = n->plan->shared ? x->pool : NULL, .profile = x->profile ? n->profile : NULL, .user = x };
	return steps_run(&r) && check_faults(x, n);
}

/* What the last op of a part gave; s NULL: no tensor of numbers. Sizes that the run told are bound to their symbols: those of later
 * values may follow from any of them, so each part's key goes on from the last one's. */
static void leave_result(Exec *x, const Value *v, const Shape *s, void *data)
{
	x->outer[v->id] = (Outer){ s, data };
	if (!s)
		return;
	key_push(x, s->rank);
	for (int d = 0; d < s->rank; d++) {
		key_push(x, s->dims[d]);
		if (type_has_rank(v->type) && v->type->rank == s->rank && sym_kind(v->type->dims[d]) == SYM_SYMBOL)
			map_put(&x->symbols, MAP_PTR(v->type->dims[d]), (void *)(uintptr_t)(s->dims[d] + 1));
	}
}

static const Shape *tensor_shape(Arena *a, const Tensor *t)
{
	if (!t || t->kind != TYPE_TENSOR || t->dtype == DT_STR)
		return NULL;
	Shape *s = arena_alloc(a, sizeof(*s) + (size_t)t->rank * sizeof(*s->dims));
	s->dtype = t->dtype;
	s->rank = t->rank;
	s->count = t->count;
	memcpy(s->dims, t->dims, (size_t)t->rank * sizeof(*s->dims));
	return s;
}

static void make_outer(Exec *x)
{
	if (!x->outer)
		x->outer = NEW_ARRAY(x->arena, Outer, x->prog->module->next_value + 1);
}

/* What a part leaves: where values lie, and what its last op gave. */
static void take_left(Exec *x, Instance *n)
{
	const Plan *plan = n->plan;
	make_outer(x);
	for (uint32_t i = 0; i < x->prog->module->next_value; i++)
		if (plan->left[i]) {
			const View *v = plan->views[i];
			char *data = buffer_pointer(x, n, &plan->buffers.data[v->buffer]);
			x->outer[i] = (Outer){ plan->left[i], data + v->offset * (int64_t)dtype_size(v->dtype) };
		}
	for (size_t i = 0; i < plan->boundary->nresults; i++) {
		const Value *v = plan->boundary->results[i];
		Tensor *t = exec_slot(x, v);
		leave_result(x, v, tensor_shape(x->arena, t), t ? t->data : NULL);
	}
}

static void forget_run(Exec *x)
{
	if (x->symbols.len)
		map_clear(&x->symbols);
	for (size_t i = 0; i < x->slots.len; i++) {
		tensor_unref(x->slots.entries[i].value);
		x->slots.entries[i].value = NULL;
	}
	x->parts.len = 0;
	x->diags.list.len = 0;
	x->diags.status = HONE_OK;
	x->eval.steps = 0;
}

/* A sequence or text; one that is constant is made on the way. */
static Tensor *output_slot(Exec *x, const Value *v)
{
	if (!exec_slot(x, v) && value_is_constant(v))
		exec_set_slot(x, v, eval_constant_value(&x->eval, v));
	return exec_slot(x, v);
}

/* What the last run left can serve the next one: one plan, tensors only, nothing that depends on another Exec. */
static bool can_run_again(const Exec *x, size_t nin)
{
	bool ok = x->parts.len == 1 && !x->slots.len && !x->outside && nin == x->prog->module->main->body->nargs;
	const Instance *n = x->parts.len ? x->parts.data[0] : NULL;
	for (size_t i = 0; ok && i < x->nout; i++)
		ok = !n->plan->output_slots[i];
	for (size_t i = 0; ok && i < nin; i++)
		ok = x->defaults[i].data && !x->defaults[i].tensor;
	return ok;
}

/* A run whose inputs have the types and sizes of the last run's, which were checked then: the plan and its key stay. */
static bool same_inputs(Exec *x, const ExecArray *in, size_t nin)
{
	if (!x->again || nin != x->prog->module->main->body->nargs)
		return false;
	for (size_t i = 0; i < nin; i++) {
		const ExecArray *a = &in[i], *b = &x->defaults[i];
		if (!a->data || a->tensor || a->dtype != b->dtype || a->rank != b->rank || a->bytes < b->bytes)
			return false;
		for (int d = 0; d < a->rank; d++)
			if (a->dims[d] != b->dims[d])
				return false;
	}
	for (size_t i = 0; i < nin; i++)
		x->defaults[i].data = in[i].data;
	return true;
}

static bool run_again(Exec *x, ExecArray *out)
{
	x->out = out;
	x->diags.list.len = 0;
	x->diags.status = HONE_OK;
	x->eval.steps = 0;
	return run_part(x, x->parts.data[0]);
}

bool exec_run(Exec *x, const ExecArray *in, size_t nin, ExecArray *out, size_t nout)
{
	const Op *ret = block_terminator(x->prog->module->main->body);
	if (nout == x->nout && same_inputs(x, in, nin))
		return run_again(x, out);
	x->again = false;
	forget_run(x);
	x->out = out;
	x->nout = nout;
	if (nout != ret->noperands)
		return diag_error(&x->diags, HONE_USAGE, NULL, "the model has %u outputs, room is given for %zu",
			ret->noperands, nout);
	if (!take_inputs(x, in, nin))
		return false;
	for (size_t begin = 0;;) {
		Instance *n = instance_get(x, begin);
		if (!n)
			return diag_error(&x->diags, x->diags.status ? x->diags.status : HONE_INTERNAL, NULL, "the model cannot be run");
		VEC_PUSH(x->arena, &x->parts, n);
		if (!run_part(x, n))
			return false;
		if (!n->plan->boundary)
			break;
		take_left(x, n);
		begin = n->plan->end;
	}
	const Plan *last = x->parts.data[x->parts.len - 1]->plan;
	for (size_t i = 0; i < nout; i++)
		if (last->output_slots[i]) {
			Tensor *t = output_slot(x, output_value(x, i));
			if (!t && x->diags.status)
				return false;
			out[i] = (ExecArray){ .tensor = t, .dtype = t ? t->dtype : DT_NONE };
		}
	x->again = can_run_again(x, nin);
	return true;
}

/* ---- plans without a run ---- */

static void replay(Exec *x, const Told *t)
{
	for (uint32_t i = 0; i < x->prog->module->next_value; i++)
		if (t->plan->left[i])
			x->outer[i] = (Outer){ t->plan->left[i], NULL };
	for (size_t i = 0; i < t->plan->boundary->nresults; i++)
		leave_result(x, t->plan->boundary->results[i], t->results[i], NULL);
}

Plan *exec_source_plan(Exec *x, const ExecArray *in, size_t nin, const Told *told, size_t ntold)
{
	x->again = false;
	forget_run(x);
	if (!take_inputs(x, in, nin))
		return NULL;
	make_outer(x);
	memset(x->outer, 0, x->prog->module->next_value * sizeof(*x->outer));
	for (size_t i = 0; i < ntold; i++)
		replay(x, &told[i]);
	pthread_mutex_lock(x->prog->lock);
	x->prog->separate = true;
	Plan *plan = plan_make(x->prog, x, ntold ? told[ntold - 1].plan->end : 0, 1, NULL, 0);
	x->prog->separate = false;
	take_diags(x);
	pthread_mutex_unlock(x->prog->lock);
	return plan;
}

void exec_array(const Tensor *t, ExecArray *out)
{
	*out = (ExecArray){ .dtype = t->dtype, .rank = t->rank };
	if (t->kind != TYPE_TENSOR || t->dtype == DT_STR) {
		out->tensor = (Tensor *)(uintptr_t)t;
		return;
	}
	if (t->rank)
		memcpy(out->dims, t->dims, (size_t)t->rank * sizeof(*t->dims));
	out->data = t->data;
	out->bytes = (size_t)t->count * dtype_size(t->dtype);
}

/* ---- life ---- */

Exec *exec_new(Program *p, int threads)
{
	const Func *f = p->module->main;
	size_t nout = block_terminator(f->body)->noperands;
	Arena *a = arena_new();
	Exec *x = NEW(a, Exec);
	*x = (Exec){ .prog = p, .arena = a, .threads = threads > 0 ? threads : cpu_count() };
	diags_init(&x->diags, a);
	eval_init(&x->eval, p->module->ctx, &x->diags);
	x->eval.threads = x->threads;
	x->eval.seed = p->options.seed;
	if (p->options.enable)
		p->options.enable(&x->eval, p->module);
	map_init(&x->symbols, a);
	map_init(&x->slots, a);
	map_init(&x->inner, a);
	if (!p->options.reference) {
		x->eval.run_block = exec_run_block;
		x->eval.run_block_arg = x;
	}
	x->pool = pool_new(x->threads);
	x->threads = pool_threads(x->pool);
	x->defaults = NEW_ARRAY(a, ExecArray, f->body->nargs + 1);
	x->own = NEW_ARRAY(a, void *, nout + 1);
	x->own_bytes = NEW_ARRAY(a, size_t, nout + 1);
	return x;
}

void exec_free(Exec *x)
{
	if (!x)
		return;
	pool_free(x->pool);
	while (x->instances) {
		Instance *n = x->instances;
		x->instances = n->next;
		instance_free(x, n);
	}
	for (size_t i = 0; i < block_terminator(x->prog->module->main->body)->noperands; i++)
		pages_free(x->own[i], x->own_bytes[i]);
	for (uint32_t i = 0; i < x->inner.len; i++)
		exec_free(x->inner.entries[i].value);
	eval_release(&x->eval);
	arena_free(x->arena);
}

size_t exec_memory(const Exec *x)
{
	size_t n = 0;
	for (const Instance *i = x->instances; i; i = i->next)
		n += i->plan->arena_bytes + i->scratch_bytes * (size_t)x->threads;
	return n;
}

void exec_profile(Exec *x, bool on)
{
	x->profile = on;
}

size_t exec_steps(const Exec *x, Arena *a, PlanStepInfo **out)
{
	size_t n = 0, at = 0;
	for (size_t i = 0; i < x->parts.len; i++)
		n += x->parts.data[i]->plan->steps.len;
	*out = NEW_ARRAY(a, PlanStepInfo, n + 1);
	for (size_t i = 0; i < x->parts.len; i++) {
		const Instance *p = x->parts.data[i];
		for (size_t k = 0; k < p->plan->steps.len; k++) {
			(*out)[at] = p->plan->info.data[k];
			(*out)[at++].seconds = p->profile ? p->profile[k] : 0;
		}
	}
	return n;
}
