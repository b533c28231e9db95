/* Bodies of control flow: the evaluator decides what runs how often, each body is a program of its own. */
#include "plan/plan_int.h"
#include "ops/label.h"

#include <string.h>

typedef struct Body {
	Program *program;          /* NULL: left to the evaluator */
	ValueList outer;           /* inputs after the block's arguments */
} Body;

typedef struct Outside {
	const Block *block;
	Arena *arena;
	Map seen;
	VEC(const Value *) values;
} Outside;

static bool is_inside(const Value *v, const Block *b)
{
	return block_is_ancestor(b, v->def ? v->def->block : v->block);
}

static bool collect_outer(void *arg, Op *op)
{
	Outside *o = arg;
	for (uint32_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (!v || is_inside(v, o->block) || map_has(&o->seen, v->id))
			continue;
		map_put(&o->seen, v->id, o);
		VEC_PUSH(o->arena, &o->values, v);
	}
	return true;
}

Program *program_of_block(Program *p, const Block *b, const Attr *(*known)(void *arg, const Value *v), void *arg, ValueList *outer)
{
	Context *c = p->module->ctx;
	Module *m = module_new(c);
	Func *f = func_new(m, str(c, "body"));
	Outside o = { .block = b, .arena = p->arena };
	Map map;
	map_init(&map, p->arena);
	map_init(&o.seen, p->arena);
	block_walk((Block *)(uintptr_t)b, collect_outer, &o);
	m->main = f;
	m->format = p->module->format;
	m->attrs = p->module->attrs;
	m->nattrs = p->module->nattrs;
	for (uint32_t i = 0; i < b->nargs; i++)
		map_put(&map, MAP_PTR(b->args[i]), block_add_arg(f->body, b->args[i]->type, b->args[i]->name));
	for (size_t i = 0; i < o.values.len; i++) {
		const Value *v = o.values.data[i];
		const Attr *a = v->def ? op_constant_attr(v->def) : NULL;
		if (a || (known && (a = known(arg, v)))) {
			map_put(&map, MAP_PTR(v), constant_from_attr(f->body, NULL, a));
			continue;
		}
		map_put(&map, MAP_PTR(v), block_add_arg(f->body, v->type, v->name));
		VEC_PUSH(p->arena, outer, v);
	}
	block_clone_into(b, f->body, NULL, &map, true);
	ProgramOptions options = p->options;
	options.lock = NULL; /* the caller holds the lock of the context */
	return program_new(m, &options);
}

void program_free_block(Program *p)
{
	Module *m = p->module;
	program_free(p);
	m->attrs = NULL; /* the outer module's */
	m->nattrs = 0;
	module_free(m);
}

static Body *body_of(Program *p, const Block *b)
{
	void **slot = map_slot(&p->bodies, MAP_PTR(b));
	if (*slot)
		return *slot;
	Body *body = NEW(p->arena, Body);
	*slot = body;
	body->program = program_of_block(p, b, NULL, NULL, &body->outer);
	*map_slot(&p->bodies, MAP_PTR(b)) = body;
	return body;
}

void program_free_bodies(Program *p)
{
	for (uint32_t i = 0; i < p->bodies.len; i++)
		program_free_block(((const Body *)p->bodies.entries[i].value)->program);
}

/* Results are copied: they outlive the next run of the body. */
static Tensor *tensor_of(EvalCtx *e, const ExecArray *a)
{
	if (a->tensor && a->tensor->kind == TYPE_TENSOR) {
		Tensor *t = tensor_new(e, a->tensor->dtype, a->tensor->rank, a->tensor->dims);
		if (t && t->count)
			memcpy(t->data, a->tensor->data, (size_t)t->count * dtype_size(t->dtype));
		return t;
	}
	if (a->tensor) {
		Tensor **items = mem_zalloc((size_t)(a->tensor->nitems + 1) * sizeof(*items));
		bool ok = true;
		for (int64_t i = 0; i < a->tensor->nitems && ok; i++) {
			ExecArray item;
			exec_array(a->tensor->items[i], &item);
			ok = (items[i] = tensor_of(e, &item)) != NULL;
		}
		Tensor *t = ok ? tensor_sequence(e, a->tensor->kind, items, a->tensor->nitems) : NULL;
		for (int64_t i = 0; i < a->tensor->nitems; i++)
			tensor_unref(items[i]);
		mem_free(items);
		return t;
	}
	Tensor *t = tensor_new(e, a->dtype, a->rank, a->dims);
	if (t && t->count)
		memcpy(t->data, a->data, (size_t)t->count * dtype_size(t->dtype));
	return t;
}

static bool run_body(EvalCtx *e, Exec *x, const Body *body, Tensor *const *args, size_t nargs, Tensor **outs, size_t nouts,
		bool *done)
{
	size_t nin = nargs + body->outer.len;
	ExecArray *all = mem_zalloc((nin + nouts + 1) * sizeof(*all));
	bool ok = true, have = true;
	for (size_t i = 0; i < nin && have; i++) {
		const Tensor *t = i < nargs ? args[i] : eval_lookup(e, body->outer.data[i - nargs]);
		have = t != NULL;
		if (have)
			exec_array(t, &all[i]);
	}
	*done = have; /* an absent value is the evaluator's business */
	if (have) {
		ok = exec_run(x, all, nin, all + nin, nouts);
		for (size_t i = 0; i < nouts && ok; i++)
			ok = (outs[i] = tensor_of(e, &all[nin + i])) != NULL;
		if (!ok)
			diags_copy_errors(e->diags, exec_diags(x));
	}
	mem_free(all);
	return ok;
}

bool exec_run_block(EvalCtx *e, const Block *b, Tensor *const *args, size_t nargs, Tensor **outs, size_t nouts, bool *done)
{
	Exec *x = e->run_block_arg;
	Program *p = exec_program(x);
	*done = false;
	if (b->func != p->module->main)
		return true; /* of a module that the evaluator made */
	Body *body = body_of(p, b);
	Exec *inner = exec_inner(x, b, body->program);
	return run_body(e, inner, body, args, nargs, outs, nouts, done);
}
