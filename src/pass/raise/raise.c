#include "raise_int.h"
#include "ops/label.h"

#include <string.h>

/* Outline: ops are raised in program order, outer ones before the blocks inside. An op is replaced in place; helpers that
 * its function put before it are raised next, then the op again while it is core (expansions give core ops). Constants
 * come last: they are shared and re-read until everything else is ONNX. */

#define IR_FOR_OTHERS 10

typedef struct Raiser {
	Context *c;
	Module *m;
	Arena *scratch, *pool_arena;
	const RaiseRow *rows[OP_CORE_END];
	Pool pool;
	int64_t opset, ir_version;
	int64_t compact_above;     /* constants of one repeated number with more bytes become ConstantOfShape; -1: none */
	bool changed, failed;
} Raiser;

static void raise_op(Raiser *r, Op *op);

static bool stays(const Op *op)
{
	return !op_is_core(op) || op_is(op, OP_constant) || (op->def->traits & TRAIT_TERMINATOR);
}

/* Same attributes, but for those that the ONNX row lacks and that say nothing beyond the default. */
static bool raise_simple(Lg *l, OpKind onnx)
{
	const OpDef *d = op_def(l->c, onnx);
	for (size_t i = 0; i < l->op->nattrs; i++) {
		AttrName a = (AttrName)l->op->attrs[i].name->known;
		const AttrDef *own = op_attr_def(l->op->def, a);
		if (!op_attr_def(d, a) && !(own && own->fallback == l->op->attrs[i].value))
			return rz_no(l, "ONNX lacks one of its attributes");
	}
	return lg_copy(l, onnx);
}

/* The first later opset whose form works; 0: none. It leaves the op in any state: the module is given up. */
static int64_t later_opset(Raiser *r, Op *op, const RaiseRow *row)
{
	Lg l = { .c = r->c, .m = r->m, .op = op, .d = &r->c->diags, .a = r->scratch, .pool = &r->pool };
	for (int64_t s = r->opset + 1; s <= ONNX_NEWEST_OPSET; s++) {
		l.opset = s;
		if (s >= row->since && (row->direct ? row->direct(&l, row->onnx) : raise_simple(&l, row->onnx)))
			return s;
	}
	return 0;
}

/* The op's location names the node that it came from. */
static void fail(Raiser *r, Op *op, const RaiseRow *row, const char *why)
{
	bool named = row && row->onnx != OP_UNKNOWN;
	const char *kind = named ? op_def(r->c, row->onnx)->name->s + strlen("onnx.") : op->def->name->s + strlen("core.");
	Diags *d = &r->c->diags;
	const char *text = arena_printf(d->arena, "%s%s cannot be written for ONNX opset %lld", op_label(d->arena, op), kind,
			(long long)r->opset);
	r->failed = true;
	if (why)
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: %s", text, why);
	else if (named && row->since < NEVER && r->opset < row->since)
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: the operator came with opset %d", text, row->since);
	else
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: ONNX has no operator for it", text);
	int64_t later = row && operands_known(op) ? later_opset(r, op, row) : 0;
	if (later)
		diag_hint(d, "write the model for opset %lld or later (--opset %lld)", (long long)later, (long long)later);
	else
		diag_hint(d, "no opset has a form for it; -t mlir keeps the operator as it is");
}

/* What raising made needless: constants, and what is pure and was made by a pass, without users. */
static void erase_needless(Value *v)
{
	Op *op = v ? v->def : NULL;
	if (!op || op->erased || (!op->made && !op_is(op, OP_constant)) || !op_is_pure(op) || op->nblocks || op->noperands > MAX_RANK)
		return;
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			return;
	Value *in[MAX_RANK];
	size_t n = op->noperands;
	for (size_t i = 0; i < n; i++)
		in[i] = op_operand(op, i);
	op_erase(op);
	for (size_t i = 0; i < n; i++)
		erase_needless(in[i]);
}

/* The first helper of op: ops made since `mark` stand right before it. */
static Op *first_helper(Op *op, uint32_t mark)
{
	Op *first = op;
	while (first->prev && first->prev->id >= mark)
		first = first->prev;
	return first;
}

static bool raise_once(Raiser *r, Op *op, const RaiseRow *row)
{
	Lg l = { .c = r->c, .m = r->m, .op = op, .opset = r->opset, .d = &r->c->diags, .a = r->scratch, .pool = &r->pool };
	size_t n = op->noperands;
	Value **in = NEW_ARRAY(r->pool_arena, Value *, n + 1);
	for (size_t i = 0; i < n; i++)
		in[i] = op_operand(op, i);
	bool ok = operands_known(op) && !lg_text_in_numbers(op, op->def);
	bool has = r->opset >= row->since || (row->onnx != OP_UNKNOWN && is_early_op(r->m, row->onnx));
	if (!ok)
		l.why = "its operands are not as they should be";
	else if (has)
		ok = row->direct ? row->direct(&l, row->onnx) : raise_simple(&l, row->onnx);
	else
		ok = row->expand && row->expand(&l, row->onnx);
	if (!ok) {
		fail(r, op, row, l.why);
		return false;
	}
	r->changed = true;
	for (size_t i = 0; i < n; i++)
		erase_needless(in[i]);
	return true;
}

static void raise_op(Raiser *r, Op *op)
{
	if (stays(op))
		return;
	const RaiseRow *row = r->rows[op_kind(op)];
	if (!row) {
		fail(r, op, NULL, NULL);
		return;
	}
	uint32_t mark = r->m->next_op;
	if (!raise_once(r, op, row))
		return;
	for (Op *o = first_helper(op, mark); o != op; o = o->next)
		raise_op(r, o);
	if (op_is_core(op))
		raise_op(r, op);
}

static void raise_block(Raiser *r, Block *b)
{
	FOR_EACH_OP(op, b) {
		raise_op(r, op);
		if (op->erased)
			continue;
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				raise_block(r, op->blocks[i]);
	}
	arena_reset(r->scratch);
}

static bool is_number(DType d)
{
	return dtype_bits(d) >= 8 && (d == DT_BOOL || dtype_is_float(d) || dtype_is_integer(d));
}

/* A large constant of one repeated number: ConstantOfShape says it in a few bytes. */
static bool raise_repeated(Raiser *r, Op *op)
{
	const Attr *a = op_constant_attr(op);
	const Type *t = a->u.tensor.type;
	int64_t dims[MAX_RANK], n, one = 1, rank = t->rank;
	size_t bytes;
	if (r->compact_above < 0 || !a->u.tensor.blob->splat || !is_number(t->dtype) || !writes_repeated(r->m, t->dtype) || rank < 1 ||
			rank > MAX_RANK || !type_static_dims(t, dims) || !dims_count(dims, t->rank, &n) ||
			!dtype_packed_bytes(t->dtype, n, &bytes) || (int64_t)bytes <= r->compact_above)
		return false;
	Value *shape = constant_from_ints(op->block, op, DT_I64, 1, &rank, dims);
	Blob *b = blob_copy(r->c, a->u.tensor.blob->data, dtype_size(t->dtype));
	NamedAttr value = { r->c->attr_names[A_value], attr_tensor(r->c, type_tensor_of(r->c, t->dtype, 1, &one), b) };
	OpSpec s = { .def = op_def(r->c, ONNX_ConstantOfShape), .operands = &shape, .noperands = 1, .types = &t, .nresults = 1,
		.attrs = &value, .nattrs = 1, .loc = op->loc };
	Value *y = op_new(op->block, op, &s)->results[0];
	op_set_def(shape->def, op_def(r->c, ONNX_initializer));
	value_set_name(y, op->results[0]->name);
	value_replace_uses(op->results[0], y);
	op_erase(op);
	return true;
}

/* Library functions have no initializers; nor, before IR version 4, had nested graphs any that are not inputs. */
static void raise_constants(Raiser *r, Block *b, bool as_nodes)
{
	FOR_EACH_OP(op, b) {
		if (op_constant_attr(op)) {
			if (op->made && !value_has_uses(op->results[0])) {
				op_erase(op);
				continue;
			}
			if (!as_nodes && raise_repeated(r, op)) {
				r->changed = true;
				continue;
			}
			op_set_def(op, op_def(r->c, as_nodes ? ONNX_Constant : ONNX_initializer));
			r->changed = true;
		}
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				raise_constants(r, op->blocks[i], as_nodes || r->ir_version < 4);
	}
}

/* A nested graph must produce its outputs itself. Where one is a constant from outside, a copy inside (sharing the data)
 * does it without a node. */
static void own_constant_outputs(Block *b)
{
	FOR_EACH_OP(op, b) {
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				own_constant_outputs(op->blocks[i]);
	}
	Op *yield = b->parent ? block_terminator(b) : NULL;
	for (size_t i = 0; yield && i < yield->noperands; i++) {
		Value *v = yield->operands[i].value;
		const Attr *data = v && v->def ? op_constant_attr(v->def) : NULL;
		if (data && v->def->block != b)
			op_set_operand(yield, i, constant_from_attr(b, NULL, data));
	}
}

static void raise_func(Raiser *r, Func *f)
{
	r->opset = func_onnx_opset(f);
	if (r->opset > ONNX_NEWEST_OPSET)
		r->opset = ONNX_NEWEST_OPSET;
	pool_init(&r->pool, f, r->pool_arena);
	raise_block(r, f->body);
	own_constant_outputs(f->body);
	raise_constants(r, f->body, f->is_library);
}

/* A model of another format gets an import; that of a model read from ONNX is never changed. */
static void ensure_import(Module *m)
{
	Context *c = m->ctx;
	if (m->format && !strcmp(m->format->s, "onnx"))
		return;
	if (onnx_opset(m, NULL) > 0)
		return;
	const Str *name = c->empty;
	const Attr *version = attr_int(c, ONNX_FOR_OTHERS);
	module_set_attr(m, "opset_imports", attr_make(c, (Attr){ .kind = ATTR_DICT, .u.list = { &version, &name, 1 } }));
	if (!module_attr(m, "ir_version"))
		module_set_attr(m, "ir_version", attr_int(c, IR_FOR_OTHERS));
}

bool pass_raise_onnx(Module *m, PassCtx *p)
{
	Raiser *r = NEW(p->arena, Raiser);
	ensure_import(m);
	const Attr *ir = module_attr(m, "ir_version");
	r->c = m->ctx;
	r->m = m;
	r->ir_version = ir && ir->kind == ATTR_INT ? ir->u.i : IR_FOR_OTHERS;
	r->compact_above = p->expand_constants ? -1 : p->max_fold_bytes;
	r->scratch = arena_new();
	r->pool_arena = arena_new();
	for (size_t i = 0; i < raise_nrows; i++)
		r->rows[raise_rows[i].core] = &raise_rows[i];
	for (Func *f = m->funcs; f; f = f->next)
		raise_func(r, f);
	arena_free(r->scratch);
	arena_free(r->pool_arena);
	return r->changed;
}
