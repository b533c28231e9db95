#include "shape.h"

#include <string.h>

#define MAX_ROUNDS 8 /* of functions calling functions; facts only improve, this bounds pathological modules */

/* ---- calls between functions ---- */

typedef struct Node { /* a function in the call graph */
	Func *f;
	VEC(struct Node *) callees;
	VEC(Op *) callers;
	bool visited;
} Node;
typedef struct Calls {
	Arena *arena;
	Map by_name;             /* function name -> Node */
	VEC(Node *) order;       /* callers before callees where there is no recursion */
	size_t ncalls;
} Calls;

static bool collect_call(void *arg, Op *op)
{
	Calls *c = arg;
	const Str *name = op_is(op, OP_call) ? op_attr_str(op, A_callee) : NULL;
	Node *to = name ? map_get(&c->by_name, MAP_PTR(name)) : NULL;
	if (to) {
		Node *from = map_get(&c->by_name, MAP_PTR(op_func(op)->name));
		VEC_PUSH(c->arena, &from->callees, to);
		VEC_PUSH(c->arena, &to->callers, op);
		c->ncalls++;
	}
	return true;
}

typedef struct Frame {
	Node *node;
	size_t next; /* callee to look at */
} Frame;

/* Post-order over the call graph, without recursion: a chain of calls may be long. */
static void visit(Calls *c, Node *root)
{
	VEC(Frame) stack = { 0 };
	if (root->visited)
		return;
	root->visited = true;
	VEC_PUSH(c->arena, &stack, ((Frame){ root, 0 }));
	while (stack.len) {
		Frame *top = &stack.data[stack.len - 1];
		if (top->next == top->node->callees.len) {
			VEC_PUSH(c->arena, &c->order, top->node);
			stack.len--;
			continue;
		}
		Node *next = top->node->callees.data[top->next++];
		if (next->visited)
			continue;
		next->visited = true;
		VEC_PUSH(c->arena, &stack, ((Frame){ next, 0 }));
	}
}

static void calls_init(Calls *c, InferCtx *x, Module *m)
{
	*c = (Calls){ .arena = x->arena };
	map_init(&c->by_name, c->arena);
	for (Func *f = m->funcs; f; f = f->next) {
		Node *n = NEW(c->arena, Node);
		n->f = f;
		map_put(&c->by_name, MAP_PTR(f->name), n);
	}
	module_walk(m, collect_call, c);
	for (Func *f = m->funcs; f; f = f->next)
		visit(c, map_get(&c->by_name, MAP_PTR(f->name)));
	for (size_t i = 0, k = c->order.len; i + 1 < k; i++, k--) { /* callers first */
		Node *t = c->order.data[i];
		c->order.data[i] = c->order.data[k - 1];
		c->order.data[k - 1] = t;
	}
}

/* Arguments of a library function are what all of its calls have in common. */
static void set_library_args(InferCtx *x, const Node *n)
{
	for (uint32_t i = 0; i < n->f->body->nargs && n->callers.len > 0; i++) {
		Value *arg = n->f->body->args[i];
		const Type *t = NULL;
		for (size_t k = 0; k < n->callers.len; k++) {
			const Value *v = op_operand(n->callers.data[k], i);
			const Type *own = v ? v->type : type_unknown(x->ctx);
			t = k ? infer_join(x, t, own, arg->type) : own;
		}
		infer_set_arg(x, arg, t);
		if (n->callers.len == 1)
			infer_set_elems(x, arg, infer_elems(x, op_operand(n->callers.data[0], i)));
	}
}

/* Within a function one pass in program order is the fixed point (loops settle by themselves, see region.c). Between
 * functions, argument types flow down in the first round, and result types flow back up in the next ones. */
bool shape_infer(InferCtx *x, Module *m)
{
	bool ok = true, improved = x->changed;
	if (!m->funcs)
		return true;
	if (!m->funcs->next) {
		ok = infer_block(x, m->funcs->body);
		return ok || !x->strict;
	}
	Calls c;
	calls_init(&c, x, m);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		x->changed = false;
		ok = true;
		for (size_t i = 0; i < c.order.len; i++) {
			const Node *n = c.order.data[i];
			if (n->f->is_library)
				set_library_args(x, n);
			ok &= infer_block(x, n->f->body);
		}
		improved |= x->changed;
		if (!x->changed || c.ncalls == 0)
			break;
	}
	x->changed = improved;
	return ok || !x->strict;
}

/* ---- after a rewrite ---- */

typedef VEC(Op *) OpQueue;

static void enqueue(InferCtx *x, Arena *a, OpQueue *q, Op *op)
{
	uint8_t *mark = infer_op_mark(x, op);
	if (op->erased || (*mark & INFER_MARK_QUEUED))
		return;
	*mark |= INFER_MARK_QUEUED;
	VEC_PUSH(a, q, op);
}

/* A terminator hands improvements on to the op that owns the block. */
static void enqueue_users(InferCtx *x, Arena *a, OpQueue *q, const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++) {
		for (Use *u = op->results[i]->uses; u; u = u->next) {
			Op *user = u->user;
			if (!(user->def->traits & TRAIT_TERMINATOR))
				enqueue(x, a, q, user);
			else if (user->block && user->block->parent)
				enqueue(x, a, q, user->block->parent);
		}
	}
}

void shape_update(InferCtx *x, Op *op, bool follow)
{
	bool before = x->changed;
	x->changed = false;
	infer_op(x, op);
	if (follow && x->changed) {
		Arena *a = arena_new();
		OpQueue q = { 0 };
		enqueue_users(x, a, &q, op);
		for (size_t i = 0; i < q.len; i++) {
			Op *next = q.data[i];
			*infer_op_mark(x, next) &= (uint8_t)~INFER_MARK_QUEUED;
			x->changed = false;
			infer_op(x, next);
			if (x->changed)
				enqueue_users(x, a, &q, next);
		}
		arena_free(a);
		x->changed = true;
	}
	x->changed |= before;
}
