#include "special_int.h"

#include <string.h>

/* Outline: blocks are walked in program order, inner ones first, and each op's results are typed as soon as it is core,
 * so that the translation of later ops can ask for ranks, sizes and constants. */

int64_t onnx_opset(const Module *m, const Str *domain)
{
	const Attr *imports = module_attr(m, "opset_imports");
	bool standard = !domain || domain->len == 0 || !strcmp(domain->s, "ai.onnx");
	if (!imports || imports->kind != ATTR_DICT)
		return 0;
	for (size_t i = 0; i < imports->u.list.n; i++) {
		const char *name = imports->u.list.names[i]->s;
		bool same = standard ? !*name || !strcmp(name, "ai.onnx") : !strcmp(name, domain->s);
		if (same && imports->u.list.v[i]->kind == ATTR_INT)
			return imports->u.list.v[i]->u.i;
	}
	return 0;
}

int64_t func_onnx_opset(const Func *f)
{
	const Context *c = f->module->ctx;
	const Attr *own = named_attr(f->attrs, f->nattrs, c->attr_names[A_opset_imports]);
	if (own && own->kind == ATTR_DICT)
		for (size_t i = 0; i < own->u.list.n; i++)
			if (own->u.list.names[i]->len == 0 || !strcmp(own->u.list.names[i]->s, "ai.onnx"))
				return own->u.list.v[i]->u.i;
	int64_t v = onnx_opset(f->module, NULL);
	return v > 0 ? v : 1; /* a model without import is as old as opset 1 */
}

/* ---- early operators ---- */

#define EARLY_OPS "onnx_early_ops"

bool is_early_op(const Module *m, OpKind onnx)
{
	const Attr *list = module_attr(m, EARLY_OPS);
	const Str *name = op_def(m->ctx, onnx)->name;
	for (size_t i = 0; list && list->kind == ATTR_STRS && i < list->u.strs.n; i++)
		if (list->u.strs.v[i] == name)
			return true;
	return false;
}

bool writes_repeated(const Module *m, DType d)
{
	enum { SINCE = 9 }; /* opset of ConstantOfShape */
	if (!m->format || strcmp(m->format->s, "onnx"))
		return true;
	if (dtype_bits(d) < 8 || (onnx_opset(m, NULL) < SINCE && !is_early_op(m, ONNX_ConstantOfShape)))
		return false;
	return d == DT_F16 || d == DT_F32 || d == DT_F64 || d == DT_BOOL || dtype_is_integer(d);
}

void note_early_op(Module *m, OpKind onnx)
{
	if (is_early_op(m, onnx))
		return;
	const Attr *list = module_attr(m, EARLY_OPS);
	size_t n = list && list->kind == ATTR_STRS ? list->u.strs.n : 0;
	const Str **names = NEW_ARRAY(m->arena, const Str *, n + 1);
	for (size_t i = 0; i < n; i++)
		names[i] = list->u.strs.v[i];
	names[n] = op_def(m->ctx, onnx)->name;
	module_set_attr(m, EARLY_OPS, attr_strs(m->ctx, names, n + 1));
}

/* ---- one op ---- */

static const LegaliseRow *row_of(OpKind k)
{
	for (size_t i = 0; i < legalise_nrows; i++)
		if (legalise_rows[i].onnx == k)
			return &legalise_rows[i];
	for (size_t i = 0; i < evaluate_nrows; i++)
		if (evaluate_rows[i].onnx == k)
			return &evaluate_rows[i];
	for (size_t i = 0; i < contrib_nrows; i++)
		if (contrib_rows[i].onnx == k)
			return &contrib_rows[i];
	for (size_t i = 0; i < shlo_nrows; i++)
		if (shlo_rows[i].onnx == k)
			return &shlo_rows[i];
	return NULL;
}

/* Attributes whose kind changed over the versions; their functions look for themselves. */
static bool kind_varies(AttrName a)
{
	return a == A_to || a == A_p;
}

/* Every attribute is one that the operator has in some version, of the right kind. A reference to an attribute of an
 * enclosing function is of another kind, so that ops inside uninlined functions stay. */
static bool attrs_known(const Op *op)
{
	for (size_t i = 0; i < op->nattrs; i++) {
		const Str *name = op->attrs[i].name;
		const AttrDef *d = op_attr_def(op->def, (AttrName)name->known);
		AttrKind k = op->attrs[i].value->kind;
		if (name->known == A_graph_names || name->known == A_sparse_value)
			continue;
		if (!name->known || !d)
			return false;
		bool same = k == d->kind || kind_varies(d->name) || (k == ATTR_INT && d->kind == ATTR_BOOL);
		if (!same && d->kind != ATTR_TYPE)
			return false;
	}
	return true;
}

/* Counts as in the row, and nothing absent that it does not mark optional. */
bool operands_known(const Op *op)
{
	const OpDef *d = op->def;
	if (op->noperands < d->min_operands || (d->max_operands != UINT16_MAX && op->noperands > d->max_operands) ||
			op->nresults < d->min_results || (d->max_results != UINT16_MAX && op->nresults > d->max_results))
		return false;
	const char *name = d->operands;
	for (size_t i = 0; i < op->noperands; i++) {
		size_t len = strcspn(name, " ");
		char mark = len ? name[len - 1] : '*';
		if (!op->operands[i].value && mark != '?')
			return false;
		if (mark != '*') {
			name += len;
			name += strspn(name, " ");
		}
	}
	return true;
}

bool lg_text_in_numbers(const Op *op, const OpDef *core)
{
	if (op_takes_strings(core))
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		if (op_operand(op, i) && lg_dtype(op_operand(op, i)) == DT_STR)
			return true;
	return false;
}

/* A row without function: every attribute must mean something to core, or nothing to anyone. */
static bool legalise_simple(Lg *l, OpKind core)
{
	const OpDef *d = op_def(l->c, core);
	for (size_t i = 0; i < l->op->nattrs; i++) {
		AttrName a = (AttrName)l->op->attrs[i].name->known;
		if (!op_attr_def(d, a) && a != A_consumed_inputs)
			return false;
	}
	for (size_t i = 0; i < d->nattrs; i++)
		if (!d->attrs[i].optional && !d->attrs[i].fallback && !op_attr(l->op, d->attrs[i].name))
			return false;
	return lg_copy(l, core);
}

static void erase_between(Op *before, Op *op)
{
	while (op->prev && op->prev != before)
		op_erase(op->prev);
}

/* Absent operands at the end are written as if they were not there. */
static void trim_operands(Op *op, Arena *a)
{
	size_t n = op->noperands;
	while (n > 0 && !op->operands[n - 1].value)
		n--;
	if (n == op->noperands || n < op->def->min_operands)
		return;
	Value **in = NEW_ARRAY(a, Value *, n + 1);
	for (size_t i = 0; i < n; i++)
		in[i] = op->operands[i].value;
	op_set_operands(op, in, n);
}

/* Messages about what becomes of the op say node "conv1" (Conv): readers of text only know a place, or the node's name. */
static void describe_node(Op *op, Context *c, Arena *a)
{
	const char *type = op->def->name->s, *mark = strstr(type, "::");
	Loc l = op->loc ? *op->loc : (Loc){ .offset = -1 };
	if (strncmp(type, "onnx.", 5) || (l.what && (!op->name || strcmp(l.what, op->name->s))))
		return;
	const char *name = op->name && op->name->len ? quote(a, op->name->s, op->name->len) : "without a name";
	l.what = str_fmt(c, "node %s (%s)", name, mark ? mark + 2 : type + 5)->s;
	op->loc = loc_new(c, l);
}

static bool legalise_with(Op *op, const LegaliseRow *row, int64_t opset, InferCtx *facts, Diags *d, Arena *a)
{
	Module *m = op_func(op)->module;
	Lg l = { .c = m->ctx, .m = m, .op = op, .opset = opset, .d = d, .facts = facts, .a = a };
	bool shlo = op_is_shlo(op); /* attributes of other dialects may stand there */
	size_t x, y;
	if (!onnx_types_agree(op, &x, &y)) /* the shape analysis says so */
		return false;
	if (!(shlo ? shlo_types_known(op) : attrs_known(op)) || !operands_known(op) ||
			lg_text_in_numbers(op, op_def(m->ctx, row->core)))
		return false;
	Op *before = op->prev;
	if (!shlo)
		describe_node(op, m->ctx, a);
	if (row->fn ? row->fn(&l, row->core) : legalise_simple(&l, row->core)) {
		if (l.gone)
			op_erase(op);
		else
			trim_operands(op, a);
		if (!shlo && opset < onnx_since(row->onnx))
			note_early_op(m, row->onnx);
		return true;
	}
	if (l.why)
		diag_note(d, op->loc, "%s has no form of core ops: %s", op->def->name->s, l.why);
	erase_between(before, op);
	return false;
}

bool legalise_onnx_op(Op *op, int64_t opset, Diags *d)
{
	const LegaliseRow *row = row_of(op_kind(op));
	if (!row)
		return false;
	Arena *a = arena_new();
	bool done = legalise_with(op, row, opset, NULL, d, a);
	arena_free(a);
	return done;
}

/* ---- the pass ---- */

typedef struct Walk {
	PassCtx *p;
	const LegaliseRow *rows[OP_KIND_COUNT];
	InferCtx infer;
	Arena *scratch, *facts;
	int64_t opset;
	bool changed;
} Walk;

static void walk_block(Walk *w, Block *b);

/* Types of the op and of the helpers before it. A contradiction is for the shape analysis to report. */
static void infer_between(Walk *w, Op *first, Op *after)
{
	for (Op *o = first; o && o != after; o = o->next)
		if (op_is_core(o) || op_is_shlo(o))
			infer_op(&w->infer, o);
}

static void walk_op(Walk *w, Op *op)
{
	Op *before = op->prev, *after = op->next; /* the op itself may go */
	Block *b = op->block;
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i])
			walk_block(w, op->blocks[i]);
	const LegaliseRow *row = w->rows[op_kind(op)];
	if (row && legalise_with(op, row, w->opset, &w->infer, &w->p->ctx->diags, w->scratch))
		w->changed = true;
	infer_between(w, before ? before->next : b->first, after);
	arena_reset(w->scratch);
}

static void walk_block(Walk *w, Block *b)
{
	FOR_EACH_OP(op, b)
		walk_op(w, op);
}

static void note_new_opset(Func *f, int64_t opset, Context *c)
{
	if (opset > ONNX_NEWEST_OPSET && f == f->module->main)
		diag_note(&c->diags, NULL, "opset %lld is newer than %d, the newest that is known: operators are read as of %d",
				(long long)opset, ONNX_NEWEST_OPSET, ONNX_NEWEST_OPSET);
}

/* What rows are there for. */
static Walk *walk_new(PassCtx *p)
{
	Walk *w = NEW(p->arena, Walk);
	w->p = p;
	return w;
}

static void walk_rows(Walk *w, const LegaliseRow *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w->rows[rows[i].onnx] = &rows[i];
}

static bool walk_module(Walk *w, Module *m)
{
	Diags quiet;
	w->scratch = arena_new();
	w->facts = arena_new();
	diags_init(&quiet, w->facts);
	infer_init(&w->infer, m, w->facts, &quiet);
	w->infer.hints = &w->p->ctx->diags;
	for (Func *f = m->funcs; f; f = f->next) {
		w->opset = func_onnx_opset(f);
		walk_block(w, f->body);
		if (w->changed)
			note_new_opset(f, w->opset, m->ctx);
	}
	arena_free(w->scratch);
	arena_free(w->facts);
	return w->changed;
}

bool pass_legalise(Module *m, PassCtx *p)
{
	Walk *w = walk_new(p);
	walk_rows(w, legalise_rows, legalise_nrows);
	if (p->rewrite.planned) /* they need not be written again */
		walk_rows(w, contrib_rows, contrib_nrows);
	walk_rows(w, shlo_rows, shlo_nrows);
	return walk_module(w, m);
}

bool pass_core_forms(Module *m, PassCtx *p)
{
	Walk *w = walk_new(p);
	walk_rows(w, special_rows, special_nrows);
	walk_rows(w, form_rows, form_nrows);
	shape_infer(p->infer, m);
	return walk_module(w, m);
}

bool pass_random_forms(Module *m, PassCtx *p)
{
	Walk *w = walk_new(p);
	walk_rows(w, random_rows, random_nrows);
	shape_infer(p->infer, m);
	return walk_module(w, m);
}

bool chlo_forms(Module *m, PassCtx *p)
{
	Walk *w = walk_new(p);
	walk_rows(w, special_rows, special_nrows);
	shape_infer(p->infer, m);
	return walk_module(w, m);
}
