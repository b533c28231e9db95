/* Control flow as C: each body is a run of its own, whose parts are written before the function that calls them. Its memory follows
 * that of the part around it; what iterations hand on has memory of its own. */
#include "plan/csource_int.h"
#include "ops/label.h"

#include <string.h>

/* ---- operands ---- */

static const char *operand_text(CSource *c, const EvalOperand *o)
{
	if (o->kind == OPERAND_KNOWN)
		return arena_printf(c->arena, "w%d", cs_numbers(c, o->tensor->dtype, o->tensor->data, o->tensor->count));
	return cs_address(c, c->plan->table.data[o->ptr], o->view.offset * (int64_t)dtype_size(o->view.dtype));
}

/* NULL: not a tensor of numbers. */
static const Shape *operand_shape(CSource *c, const EvalOperand *o)
{
	if (o->kind == OPERAND_BUFFER)
		return o->shape;
	const Tensor *t = o->kind == OPERAND_KNOWN ? o->tensor : NULL;
	if (!t || t->kind != TYPE_TENSOR || t->dtype == DT_STR || t->store != t->dtype)
		return NULL;
	Shape *s = arena_alloc(c->arena, sizeof(*s) + (size_t)t->rank * sizeof(*s->dims));
	*s = (Shape){ .dtype = t->dtype, .rank = t->rank, .count = t->count };
	memcpy(s->dims, t->dims, (size_t)t->rank * sizeof(*s->dims));
	return s;
}

/* "*(const T *)address" of the single element of an operand. */
static const char *scalar_text(CSource *c, const EvalOperand *o)
{
	const Shape *s = operand_shape(c, o);
	const char *type = s ? cs_type(s->dtype) : NULL;
	return type && s->count == 1 ? arena_printf(c->arena, "*(const %s *)(const void *)%s", type, operand_text(c, o)) : NULL;
}

static int64_t shape_bytes(const Shape *s)
{
	return s->count * (int64_t)dtype_size(s->dtype);
}

static bool same_shape(const Shape *a, const Shape *b)
{
	return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof(*a->dims));
}

/* ---- memory of its own ---- */

static void declare_memory(Buf *out, const char *name, int64_t bytes)
{
	buf_printf(out, "static union {\n\tdouble align;\n\tunsigned char bytes[" CS_ROOM "%lld];\n} %s;\n", (long long)(bytes > 0 ? bytes : 1), name);
}

static const char *bytes_of(CSource *c, const char *name)
{
	return arena_printf(c->arena, "%s.bytes", name);
}

static void copy_text(CSource *c, const char *to, const char *from, int64_t bytes)
{
	if (bytes)
		buf_printf(&c->body, "\tmemcpy(%s, %s, %lld);\n", to, from, (long long)bytes);
}

/* ---- bodies ---- */

/* A block as a run: what goes in and comes out. */
typedef struct Body {
	const EvalStep *step;
	size_t block;
	size_t nargs;
	const Shape **arg;      /* of the block's arguments */
	const char **arg_text, **out_text;
	const char *end;        /* as in CRun */
	ShapeLists ends;
	Buf calls;              /* what runs it */
} Body;

static const EvalOperand *captured(const EvalStep *s, const Value *v)
{
	for (size_t i = 0; i < s->ncaptured; i++)
		if (s->captured[i].value == v)
			return &s->captured[i];
	return NULL;
}

typedef struct Known {
	const EvalStep *step;
	Context *ctx;
} Known;

static const Attr *known_value(void *arg, const Value *v)
{
	const Known *k = arg;
	const EvalOperand *o = captured(k->step, v);
	return o && o->kind == OPERAND_KNOWN && o->tensor && o->tensor->kind == TYPE_TENSOR ? tensor_to_attr(k->ctx, o->tensor) : NULL;
}

static void set_input(CRun *r, ExecArray *in, size_t i, const Shape *s, const char *text)
{
	in[i] = (ExecArray){ .dtype = s->dtype, .rank = s->rank, .data = (void *)(uintptr_t)s /* not looked at */, .bytes = (size_t)shape_bytes(s) };
	memcpy(in[i].dims, s->dims, (size_t)s->rank * sizeof(*s->dims));
	r->in_text[i] = text;
}

/* Arguments, then outer values. */
static bool body_inputs(CSource *c, const Body *b, const ValueList *outer, CRun *r)
{
	ExecArray *in = NEW_ARRAY(c->arena, ExecArray, b->nargs + outer->len + 1);
	r->in = in;
	r->nin = b->nargs + outer->len;
	r->in_text = NEW_ARRAY(c->arena, const char *, r->nin + 1);
	for (size_t i = 0; i < b->nargs; i++)
		set_input(r, in, i, b->arg[i], b->arg_text[i]);
	for (size_t i = 0; i < outer->len; i++) {
		const EvalOperand *o = captured(b->step, outer->data[i]);
		const Shape *s = o ? operand_shape(c, o) : NULL;
		if (!s)
			return cs_refuse_op(c, b->step->op, "a value that it uses is no tensor of numbers");
		set_input(r, in, b->nargs + i, s, operand_text(c, o));
	}
	return true;
}

/* The functions go to c->functions. */
static bool emit_body(CSource *c, Body *b)
{
	Program *p = exec_program(c->run->x);
	Known k = { b->step, p->module->ctx };
	ValueList outer = { 0 };
	Program *inner = program_of_block(p, b->step->op->blocks[b->block], known_value, &k, &outer);
	CRun r = { .x = exec_body(c->run->x, inner), .out_text = b->out_text, .end = b->end, .ends = b->ends };
	r.left = NEW_ARRAY(c->arena, const char *, inner->module->next_value + 1);
	Buf calls = c->calls;
	c->calls = (Buf){ 0 };
	bool ok = body_inputs(c, b, &outer, &r) && cs_part(c, &r, c->base + c->layout.bytes);
	b->ends = r.ends;
	b->calls = c->calls;
	c->calls = calls;
	exec_free(r.x);
	program_free_block(inner);
	return ok;
}

static void put_calls(CSource *c, Body *b)
{
	buf_put(&c->body, b->calls.data ? b->calls.data : "", b->calls.len);
	buf_free(&b->calls);
}

/* ---- results ---- */

/* Memory for the results of a part's last op, whose sizes only the run tells. */
static void found_memory(CSource *c, const Op *op, const char **name)
{
	c->found->address = NEW_ARRAY(c->arena, const char *, op->nresults + 1u);
	for (size_t i = 0; i < op->nresults; i++) {
		name[i] = cs_unique(c, "found");
		c->found->address[i] = bytes_of(c, name[i]);
	}
	c->found->variable = cs_unique(c, "size");
}

/* Declarations of them, room for the largest, before what uses them. */
static void found_declare(CSource *c, const Op *op, const char *const *name, Buf *out)
{
	buf_printf(out, "\nstatic long %s;\n", c->found->variable);
	for (size_t i = 0; i < op->nresults; i++) {
		int64_t most = 0;
		for (size_t k = 0; k < c->found->sizes.len; k++)
			most = shape_bytes(c->found->sizes.data[k][i]) > most ? shape_bytes(c->found->sizes.data[k][i]) : most;
		declare_memory(out, name[i], most);
	}
}

/* What a body of known result sizes gives has these sizes at every end. */
static bool ends_fit(CSource *c, const EvalStep *s, const ShapeLists *ends, size_t first, const EvalOperand *out, size_t n)
{
	for (size_t e = 0; e < ends->len; e++)
		for (size_t i = 0; i < n; i++)
			if (ends->data[e][first + i]->dtype != out[i].view.dtype || ends->data[e][first + i]->count != out[i].shape->count)
				return cs_refuse_op(c, s->op, "a body gives a result of another size than the operator has");
	return true;
}

/* Every result is a tensor of known sizes; or none is, at the end of a part. */
static bool check_results(CSource *c, const EvalStep *s, bool *open)
{
	*open = c->found && s->op == c->plan->boundary;
	for (size_t i = 0; i < s->nout; i++)
		if ((s->out[i].kind == OPERAND_BUFFER) == *open)
			return cs_refuse_op(c, s->op, "a result is no tensor of numbers");
	return true;
}

/* Functions of bodies come after the declarations `before` them. */
static void put_functions(CSource *c, Buf functions, const Buf *before)
{
	Buf bodies = c->functions;
	c->functions = functions;
	buf_put(&c->functions, before->data ? before->data : "", before->len);
	buf_put(&c->functions, bodies.data ? bodies.data : "", bodies.len);
	buf_free(&bodies);
}

/* ---- if ---- */

static bool emit_branch(CSource *c, void *arg, int64_t i)
{
	Body *b = arg;
	b->block = (size_t)i;
	size_t ends = b->ends.len;
	bool ok = emit_body(c, b);
	if (!ok)
		b->ends.len = ends;
	return ok;
}

/* One branch may be left out: what the model does for one kind of inputs need not be possible for these sizes. */
static bool emit_branches(CSource *c, Body *b, Buf calls[2])
{
	bool missing = c->has_missing;
	for (int64_t i = 0; i < 2; i++) {
		Buf outer = c->calls;
		c->calls = (Buf){ 0 };
		c->has_missing = false;
		bool ok = cs_attempt(c, emit_branch, b, i, i ? "the else branch of an if" : "the then branch of an if");
		missing |= c->has_missing;
		calls[i] = b->calls;
		b->calls = (Buf){ 0 };
		if (c->calls.len) { /* the note that it is missing */
			buf_free(&calls[i]);
			calls[i] = c->calls;
			c->calls = (Buf){ 0 };
		}
		c->calls = outer;
		if (!ok)
			return false;
	}
	c->has_missing = missing;
	return b->ends.len > 0 || cs_refuse_op(c, b->step->op, "neither branch has one");
}

static bool emit_if(CSource *c, const EvalStep *s)
{
	bool open;
	const char *cond = scalar_text(c, &s->in[0]), **name = NEW_ARRAY(c->arena, const char *, s->nout + 1);
	if (!cond || s->op->nblocks != 2 || !s->op->blocks[0] || !s->op->blocks[1])
		return cs_refuse_op(c, s->op, "its condition is no single number");
	if (!check_results(c, s, &open))
		return false;
	Body b = { .step = s, .out_text = NEW_ARRAY(c->arena, const char *, s->nout + 1) };
	if (open)
		found_memory(c, s->op, name);
	for (size_t i = 0; i < s->nout; i++)
		b.out_text[i] = open ? c->found->address[i] : operand_text(c, &s->out[i]);
	b.end = open ? c->found->variable : NULL;
	Buf functions = c->functions, calls[2] = { { 0 }, { 0 } }, before = { 0 };
	c->functions = (Buf){ 0 };
	bool ok = emit_branches(c, &b, calls) && (open || ends_fit(c, s, &b.ends, 0, s->out, s->nout));
	if (ok && open) {
		c->found->sizes = b.ends;
		found_declare(c, s->op, name, &before);
	}
	put_functions(c, functions, &before);
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			buf_printf(&c->body, "\tif (%s) {\n", cond);
		else
			buf_puts(&c->body, "\t} else {\n");
		buf_put(&c->body, calls[i].data ? calls[i].data : "", calls[i].len);
		buf_free(&calls[i]);
	}
	buf_puts(&c->body, "\t}\n");
	buf_free(&before);
	return ok;
}

/* ---- loops ---- */

typedef struct Loop {
	const EvalStep *step;
	size_t first;           /* operand that is state 0 */
	size_t nstate;
	const Shape **state;
	const char **now, **next; /* memory of states: the iteration's, what it gives */
	Buf before;             /* declarations */
} Loop;

static const char *loop_memory(CSource *c, Loop *l, int64_t bytes)
{
	const char *name = cs_unique(c, "state");
	declare_memory(&l->before, name, bytes);
	return bytes_of(c, name);
}

static bool loop_begin(CSource *c, Loop *l, const EvalStep *s, size_t first, size_t n)
{
	*l = (Loop){ .step = s, .first = first, .nstate = n, .state = NEW_ARRAY(c->arena, const Shape *, n + 1),
		.now = NEW_ARRAY(c->arena, const char *, n + 1), .next = NEW_ARRAY(c->arena, const char *, n + 1) };
	for (size_t i = 0; i < n; i++) {
		l->state[i] = operand_shape(c, &s->in[first + i]);
		if (!l->state[i])
			return cs_refuse_op(c, s->op, "a carried value is no tensor of numbers");
		l->now[i] = loop_memory(c, l, shape_bytes(l->state[i]));
		l->next[i] = loop_memory(c, l, shape_bytes(l->state[i]));
	}
	return true;
}

/* The states that an end of the body gives are those that it takes. */
static bool states_fit(CSource *c, const Loop *l, const Body *b, size_t first)
{
	if (b->ends.len != 1)
		return cs_refuse_op(c, l->step->op, "sizes within its body depend on data");
	for (size_t i = 0; i < l->nstate; i++)
		if (!same_shape(b->ends.data[0][first + i], l->state[i]))
			return cs_refuse_op(c, l->step->op, arena_printf(c->arena, "the size of carried value %zu changes, without a bound", i));
	return true;
}

static void states_in(CSource *c, const Loop *l)
{
	for (size_t i = 0; i < l->nstate; i++)
		copy_text(c, l->now[i], operand_text(c, &l->step->in[l->first + i]), shape_bytes(l->state[i]));
}

static void states_on(CSource *c, const Loop *l)
{
	for (size_t i = 0; i < l->nstate; i++)
		copy_text(c, l->now[i], l->next[i], shape_bytes(l->state[i]));
}

/* ONNX's loop: takes an iteration's number and a condition before the states, gives a condition, states and what is stacked. */
typedef struct Counted {
	Loop loop;
	const char *number, *cond, *again; /* memory of block arguments, and of the condition that comes out */
	size_t nstack;
	const char **item;      /* memory of what an iteration adds to each stack */
	const Shape **item_shape;
	int64_t most;           /* iterations that there is room for; stacks of known sizes have that many */
} Counted;

static const Shape *scalar_shape(CSource *c, DType d)
{
	Shape *s = NEW(c->arena, Shape);
	*s = (Shape){ .dtype = d, .count = 1 };
	return s;
}

/* How often it runs at most, for results whose length only the run tells. */
static bool counted_bound(CSource *c, const EvalStep *s, bool open, Counted *k)
{
	k->most = INT64_MAX;
	for (size_t i = 0; i < k->nstack && !open; i++) {
		const Shape *shape = s->out[k->loop.nstate + i].shape;
		if (!shape->rank)
			return cs_refuse_op(c, s->op, "a stacked result has no dims");
		k->most = shape->dims[0];
	}
	if (!open)
		return true;
	const EvalOperand *trips = &s->in[0];
	if (trips->kind != OPERAND_KNOWN || tensor_ints(trips->tensor, &k->most, 1) != 1)
		return cs_refuse_op(c, s->op, "nothing tells before the run how often it runs at most");
	k->most = k->most > 0 ? k->most : 0;
	return true;
}

static bool counted_body(CSource *c, Counted *k, Body *b)
{
	Loop *l = &k->loop;
	size_t nargs = 2 + l->nstate, nouts = 1 + l->nstate + k->nstack;
	*b = (Body){ .step = l->step, .nargs = nargs, .arg = NEW_ARRAY(c->arena, const Shape *, nargs),
		.arg_text = NEW_ARRAY(c->arena, const char *, nargs), .out_text = NEW_ARRAY(c->arena, const char *, nouts) };
	b->arg[0] = scalar_shape(c, DT_I64);
	b->arg[1] = scalar_shape(c, DT_BOOL);
	b->arg_text[0] = k->number = loop_memory(c, l, 8);
	b->arg_text[1] = k->cond = loop_memory(c, l, 1);
	b->out_text[0] = k->again = loop_memory(c, l, 1);
	for (size_t i = 0; i < l->nstate; i++) {
		b->arg[2 + i] = l->state[i];
		b->arg_text[2 + i] = l->now[i];
		b->out_text[1 + i] = l->next[i];
	}
	const char **name = NEW_ARRAY(c->arena, const char *, k->nstack + 1);
	for (size_t i = 0; i < k->nstack; i++) {
		name[i] = cs_unique(c, "item");
		b->out_text[1 + l->nstate + i] = k->item[i] = bytes_of(c, name[i]);
	}
	bool ok = emit_body(c, b) && states_fit(c, l, b, 1);
	if (ok && (b->ends.data[0][0]->dtype != DT_BOOL || b->ends.data[0][0]->count != 1))
		ok = cs_refuse_op(c, l->step->op, "its condition is no single bool");
	for (size_t i = 0; ok && i < k->nstack; i++) {
		k->item_shape[i] = b->ends.data[0][1 + l->nstate + i];
		declare_memory(&l->before, name[i], shape_bytes(k->item_shape[i]));
	}
	return ok;
}

/* Stacks of each number of iterations. */
static bool counted_found(CSource *c, Counted *k, const char **name)
{
	enum { MOST = 4096 };
	const Loop *l = &k->loop;
	if (k->most > MOST)
		return cs_refuse_op(c, l->step->op, "results of more than 4096 different lengths");
	for (int64_t t = 0; t <= k->most; t++) {
		const Shape **list = NEW_ARRAY(c->arena, const Shape *, l->step->nout + 1);
		for (size_t i = 0; i < l->nstate; i++)
			list[i] = l->state[i];
		for (size_t i = 0; i < k->nstack; i++) {
			const Shape *item = k->item_shape[i];
			Shape *s = arena_alloc(c->arena, sizeof(*s) + (size_t)(item->rank + 1) * sizeof(*s->dims));
			*s = (Shape){ .dtype = item->dtype, .rank = item->rank + 1, .count = t * item->count };
			s->dims[0] = t;
			memcpy(s->dims + 1, item->dims, (size_t)item->rank * sizeof(*s->dims));
			if (s->rank > MAX_RANK)
				return cs_refuse_op(c, l->step->op, "a stacked result has too many dims");
			list[l->nstate + i] = s;
		}
		VEC_PUSH(c->arena, &c->found->sizes, list);
	}
	found_declare(c, l->step->op, name, &k->loop.before);
	return true;
}

static void counted_text(CSource *c, const Counted *k, Body *b, const char *const *out, bool open)
{
	const Loop *l = &k->loop;
	const EvalStep *s = l->step;
	Buf *o = &c->body;
	const char *trips = s->in[0].kind == OPERAND_ABSENT ? "INT64_MAX" : scalar_text(c, &s->in[0]);
	const char *cond = s->nin < 2 || s->in[1].kind == OPERAND_ABSENT ? "1" : scalar_text(c, &s->in[1]);
	buf_printf(o, "\tint64_t at = 0;\n\tconst int64_t trips = %s;\n\tuint8_t more = %s;\n", trips, cond);
	states_in(c, l);
	buf_printf(o, "\tBARRIER\n\twhile (at < trips && more) {\n\tmemcpy(%s, &at, sizeof(at));\n\t*%s = more;\n\tBARRIER\n", k->number, k->cond);
	put_calls(c, b);
	buf_printf(o, "\tmore = *%s;\n", k->again);
	states_on(c, l);
	for (size_t i = 0; i < k->nstack; i++) {
		long long bytes = (long long)shape_bytes(k->item_shape[i]);
		if (bytes)
			buf_printf(o, "\tif (at < %lld)\n\t\tmemcpy((unsigned char *)%s + at * %lld, %s, %lld);\n", (long long)k->most, out[l->nstate + i], bytes,
				k->item[i], bytes);
	}
	buf_puts(o, "\tat++;\n\tBARRIER\n\t}\n");
	for (size_t i = 0; i < l->nstate; i++)
		copy_text(c, out[i], l->now[i], shape_bytes(l->state[i]));
	if (open)
		buf_printf(o, "\t%s = (long)at;\n", c->found->variable);
	else if (k->nstack)
		buf_printf(o, "\tif (at != %lld)\n\t\tfault = 1;\n", (long long)k->most);
}

static bool emit_loop(CSource *c, const EvalStep *s)
{
	Counted k = { 0 };
	Body b = { 0 };
	bool open;
	const char **name = NEW_ARRAY(c->arena, const char *, s->nout + 1), **out = NEW_ARRAY(c->arena, const char *, s->nout + 1);
	if (!check_results(c, s, &open))
		return false;
	for (size_t i = 0; i < s->nin && i < 2; i++)
		if (s->in[i].kind != OPERAND_ABSENT && !scalar_text(c, &s->in[i]))
			return cs_refuse_op(c, s->op, "its trip count or condition is no single number");
	size_t nstate = s->nin > 2 ? s->nin - 2 : 0;
	if (s->nout < nstate || s->op->nblocks != 1)
		return cs_refuse_op(c, s->op, "it has fewer results than carried values");
	k.nstack = s->nout - nstate;
	k.item = NEW_ARRAY(c->arena, const char *, k.nstack + 1);
	k.item_shape = NEW_ARRAY(c->arena, const Shape *, k.nstack + 1);
	Buf functions = c->functions;
	c->functions = (Buf){ 0 };
	if (open)
		found_memory(c, s->op, name);
	for (size_t i = 0; i < s->nout; i++)
		out[i] = open ? c->found->address[i] : operand_text(c, &s->out[i]);
	bool ok = loop_begin(c, &k.loop, s, s->nin - nstate, nstate) && counted_bound(c, s, open, &k) && counted_body(c, &k, &b) &&
		(open ? counted_found(c, &k, name) : ends_fit(c, s, &b.ends, 1, s->out, nstate));
	for (size_t i = 0; ok && !open && i < k.nstack; i++)
		if (k.most * k.item_shape[i]->count != s->out[nstate + i].shape->count || k.item_shape[i]->dtype != s->out[nstate + i].view.dtype)
			ok = cs_refuse_op(c, s->op, "a stacked result has another size than the operator says");
	if (ok)
		counted_text(c, &k, &b, out, open);
	put_functions(c, functions, &k.loop.before);
	buf_free(&k.loop.before);
	buf_free(&b.calls);
	return ok;
}

/* A body that takes the states and gives `nout` values. */
static Body state_body(CSource *c, const Loop *l, size_t block, const char **out_text)
{
	(void)c;
	return (Body){ .step = l->step, .block = block, .nargs = l->nstate, .arg = l->state, .arg_text = l->now, .out_text = out_text };
}

static bool emit_while(CSource *c, const EvalStep *s)
{
	Loop l;
	bool open;
	if (!check_results(c, s, &open))
		return false;
	if (open)
		return cs_refuse_op(c, s->op, "the sizes of what it carries change, without a bound");
	if (s->nout != s->nin || s->op->nblocks != 2)
		return cs_refuse_op(c, s->op, "it has another number of results than of carried values");
	Buf functions = c->functions;
	c->functions = (Buf){ 0 };
	bool ok = loop_begin(c, &l, s, 0, s->nin);
	const char **cond = NEW_ARRAY(c->arena, const char *, 1);
	cond[0] = ok ? loop_memory(c, &l, 1) : NULL;
	Body test = state_body(c, &l, 0, cond), body = state_body(c, &l, 1, l.next);
	ok = ok && emit_body(c, &test) && emit_body(c, &body) && states_fit(c, &l, &body, 0) && ends_fit(c, s, &body.ends, 0, s->out, s->nout);
	if (ok && (test.ends.len != 1 || test.ends.data[0][0]->dtype != DT_BOOL || test.ends.data[0][0]->count != 1))
		ok = cs_refuse_op(c, s->op, "its condition is no single bool");
	if (ok) {
		states_in(c, &l);
		buf_puts(&c->body, "\tBARRIER\n\tfor (;;) {\n");
		put_calls(c, &test);
		buf_printf(&c->body, "\tif (!*%s)\n\t\tbreak;\n", cond[0]);
		put_calls(c, &body);
		states_on(c, &l);
		buf_puts(&c->body, "\tBARRIER\n\t}\n");
		for (size_t i = 0; i < l.nstate; i++)
			copy_text(c, operand_text(c, &s->out[i]), l.now[i], shape_bytes(l.state[i]));
	}
	put_functions(c, functions, &l.before);
	buf_free(&l.before);
	buf_free(&test.calls);
	buf_free(&body.calls);
	return ok;
}

/* ---- scan ---- */

/* A tensor of which each step has a slice along one dim: so many runs of bytes. */
typedef struct Sliced {
	int64_t n, runs, bytes;
	bool reverse;
	const Shape *slice;
	const char *whole, *item; /* memory */
} Sliced;

static bool slice_along(CSource *c, const Op *op, const Shape *s, int64_t axis, bool reverse, Sliced *out)
{
	int at;
	if (!s || !axis_norm(axis, s->rank, &at))
		return cs_refuse_op(c, op, "what it cuts or stacks is no tensor of numbers with that axis");
	Shape *slice = arena_alloc(c->arena, sizeof(*slice) + (size_t)s->rank * sizeof(*slice->dims));
	*slice = (Shape){ .dtype = s->dtype, .rank = s->rank - 1, .count = 1 };
	*out = (Sliced){ .n = s->dims[at], .runs = 1, .bytes = (int64_t)dtype_size(s->dtype), .reverse = reverse, .slice = slice };
	for (int d = 0, k = 0; d < s->rank; d++) {
		if (d == at)
			continue;
		*(d < at ? &out->runs : &out->bytes) *= s->dims[d];
		slice->count *= s->dims[d];
		slice->dims[k++] = s->dims[d];
	}
	return true;
}

/* The slice of step `at` comes from the whole, or goes to it. */
static void slice_text(CSource *c, const Sliced *t, bool in)
{
	if (!t->slice->count)
		return;
	const char *step = t->reverse ? arena_printf(c->arena, "%lld - at", (long long)t->n - 1) : "at";
	const char *item = arena_printf(c->arena, "(%sunsigned char *)(%svoid *)%s + run * %lld", in ? "" : "const ", in ? "" : "const ", t->item,
		(long long)t->bytes);
	const char *whole = arena_printf(c->arena, "(%sunsigned char *)(%svoid *)%s + (run * %lld + %s) * %lld", in ? "const " : "",
		in ? "const " : "", t->whole, (long long)t->n, step, (long long)t->bytes);
	buf_printf(&c->body, "\tfor (int64_t run = 0; run < %lld; run++)\n\t\tmemcpy(%s, %s, %lld);\n", (long long)t->runs, in ? item : whole,
		in ? whole : item, (long long)t->bytes);
}

typedef struct Scanned {
	Loop loop;
	size_t nin, nout;       /* tensors that are cut, that are stacked */
	Sliced *in, *out;
} Scanned;

/* The slices of a step, the results that they are stacked to. */
static bool scan_slices(CSource *c, Scanned *k)
{
	Loop *l = &k->loop;
	const EvalStep *s = l->step;
	for (size_t i = 0; i < k->nin; i++) {
		const EvalOperand *o = &s->in[l->nstate + i];
		if (!slice_along(c, s->op, operand_shape(c, o), op_list_entry(s->op, A_scan_input_axes, i, 0),
				op_list_entry(s->op, A_scan_input_directions, i, 0) != 0, &k->in[i]))
			return false;
		if (k->in[i].n != k->in[0].n)
			return cs_refuse_op(c, s->op, "what it cuts has different lengths");
		k->in[i].whole = operand_text(c, o);
		k->in[i].item = loop_memory(c, l, shape_bytes(k->in[i].slice));
	}
	for (size_t i = 0; i < k->nout; i++) {
		const EvalOperand *o = &s->out[l->nstate + i];
		if (!slice_along(c, s->op, o->shape, op_list_entry(s->op, A_scan_output_axes, i, 0),
				op_list_entry(s->op, A_scan_output_directions, i, 0) != 0, &k->out[i]))
			return false;
		if (k->out[i].n != k->in[0].n)
			return cs_refuse_op(c, s->op, "a stacked result has another length than what is cut");
		k->out[i].whole = operand_text(c, o);
		k->out[i].item = loop_memory(c, l, shape_bytes(k->out[i].slice));
	}
	return true;
}

static bool scan_body(CSource *c, Scanned *k, Body *b)
{
	const Loop *l = &k->loop;
	size_t nargs = l->nstate + k->nin;
	*b = (Body){ .step = l->step, .nargs = nargs, .arg = NEW_ARRAY(c->arena, const Shape *, nargs + 1),
		.arg_text = NEW_ARRAY(c->arena, const char *, nargs + 1), .out_text = NEW_ARRAY(c->arena, const char *, l->nstate + k->nout + 1) };
	for (size_t i = 0; i < nargs; i++) {
		b->arg[i] = i < l->nstate ? l->state[i] : k->in[i - l->nstate].slice;
		b->arg_text[i] = i < l->nstate ? l->now[i] : k->in[i - l->nstate].item;
	}
	for (size_t i = 0; i < l->nstate + k->nout; i++)
		b->out_text[i] = i < l->nstate ? l->next[i] : k->out[i - l->nstate].item;
	if (!emit_body(c, b) || !states_fit(c, l, b, 0))
		return false;
	for (size_t i = 0; i < k->nout; i++)
		if (!same_shape(b->ends.data[0][l->nstate + i], k->out[i].slice))
			return cs_refuse_op(c, l->step->op, "a stacked result has another size than the operator says");
	return true;
}

static void scan_text(CSource *c, const Scanned *k, Body *b)
{
	const Loop *l = &k->loop;
	states_in(c, l);
	buf_printf(&c->body, "\tBARRIER\n\tfor (int64_t at = 0; at < %lld; at++) {\n", (long long)k->in[0].n);
	for (size_t i = 0; i < k->nin; i++)
		slice_text(c, &k->in[i], true);
	buf_puts(&c->body, "\tBARRIER\n");
	put_calls(c, b);
	for (size_t i = 0; i < k->nout; i++)
		slice_text(c, &k->out[i], false);
	states_on(c, l);
	buf_puts(&c->body, "\tBARRIER\n\t}\n");
	for (size_t i = 0; i < l->nstate; i++)
		copy_text(c, operand_text(c, &l->step->out[i]), l->now[i], shape_bytes(l->state[i]));
}

static bool emit_scan(CSource *c, const EvalStep *s)
{
	int64_t nscan = op_int(s->op, A_num_scan_inputs);
	bool open;
	if (!check_results(c, s, &open))
		return false;
	if (open)
		return cs_refuse_op(c, s->op, "the sizes of its results depend on data");
	if (nscan < 1 || nscan > (int64_t)s->nin || s->nout < s->nin - (size_t)nscan || s->op->nblocks != 1)
		return cs_refuse_op(c, s->op, "its operands do not fit its results");
	size_t nstate = s->nin - (size_t)nscan;
	Scanned k = { .nin = (size_t)nscan, .nout = s->nout - nstate };
	Body b = { 0 };
	k.in = NEW_ARRAY(c->arena, Sliced, k.nin);
	k.out = NEW_ARRAY(c->arena, Sliced, k.nout + 1);
	Buf functions = c->functions;
	c->functions = (Buf){ 0 };
	bool ok = loop_begin(c, &k.loop, s, 0, nstate) && scan_slices(c, &k) && scan_body(c, &k, &b) && ends_fit(c, s, &b.ends, 0, s->out, nstate);
	if (ok)
		scan_text(c, &k, &b);
	put_functions(c, functions, &k.loop.before);
	buf_free(&k.loop.before);
	buf_free(&b.calls);
	return ok;
}

/* A result that stays without memory although its sizes are known: of a type that C has not. */
static const char *odd_result(CSource *c, const Op *op)
{
	for (uint32_t i = 0; i < op->nresults; i++) {
		const Type *t = op->results[i]->type;
		if (type_is_static(t) && t->dtype == DT_NONE && t->text)
			return arena_printf(c->arena, "it gives elements of type %s", t->text->s);
		if (t->kind != TYPE_TENSOR && t->kind != TYPE_UNKNOWN)
			return "it gives something other than a tensor";
	}
	return NULL;
}

bool cs_control(CSource *c, const EvalStep *s)
{
	switch (op_kind(s->op)) {
	case OP_if: return emit_if(c, s);
	case OP_loop: return emit_loop(c, s);
	case OP_while: return emit_while(c, s);
	case OP_scan: return emit_scan(c, s);
	default: break;
	}
	const char *odd = odd_result(c, s->op);
	if (odd)
		return cs_refuse_op(c, s->op, odd);
	if (c->found && s->op == c->plan->boundary) {
		diag_error(c->diags, HONE_UNSUPPORTED, s->op->loc, "%sthe sizes of its results depend on data, and nothing bounds them, which C "
			"sources with static memory cannot have", op_label(c->diags->arena, s->op));
		diag_hint(c->diags, "write a .hone file instead, or export the part of the model before this operator");
		return false;
	}
	return cs_refuse_op(c, s->op, "it is run by the evaluator");
}
