#include "pass/raise/versions.h"

#include "raise_int.h"

#include "ops/label.h"

#include <string.h>

/* The model moves to another opset of the ai.onnx domain.
 *
 * Outline: a node whose operator has the same version at both opsets stays as it is. The others go through core, where all
 * versions meet (legalise is the upgrade table, raise the downgrade table, expansions included). Then every node is held
 * against the facts of versions.def. Where only an element type is not taken yet and a wider one gives the same values, the
 * node computes in that one, between casts. What is left is an error that says what is wanted and since when it exists. */

typedef struct Change {
	Context *c;
	Module *m;
	PassCtx *p;
	Arena *a, *facts;
	int64_t from, to;
	InferCtx infer;
	Diags quiet;
	bool recast, failed;
} Change;

/* ---- types ---- */

static bool infer_core(void *arg, Op *op)
{
	Change *x = arg;
	if (op_is_core(op) && op->def->infer)
		infer_op(&x->infer, op);
	return true;
}

/* The types that shape analysis finds on a legalised copy. */
static bool learn_types(Change *x)
{
	Map map;
	PassCtx p = *x->p;
	map_init(&map, x->a);
	Module *copy = module_clone(x->m, &map);
	p.module = copy;
	p.arena = x->a;
	p.infer = NEW(x->a, InferCtx);
	p.log = NEW(x->a, RewriteLog);
	rewrite_log_init(p.log, x->a);
	infer_init(p.infer, copy, x->a, &x->c->diags);
	bool ok = pipeline_run("legalise,forget-hints,shapes", copy, &p);
	for (uint32_t i = 0; ok && i < map.len; i++) {
		Value *old = (Value *)(uintptr_t)map.entries[i].key;
		const Value *new = map.entries[i].value;
		bool conflict = false;
		value_set_type(old, type_refine(x->c, new->type, old->type, &conflict)); /* what was declared fills gaps */
	}
	module_free(copy);
	return ok;
}

/* ---- nodes that differ go to core ---- */

static bool has_main_row(OpKind k)
{
	for (size_t i = 0; i < legalise_nrows; i++)
		if (legalise_rows[i].onnx == k)
			return true;
	return false;
}

static bool wants_change(const Change *x, const Op *op)
{
	if (op_is(op, ONNX_initializer) || op_is(op, ONNX_Constant))
		return true;
	const char *name = version_op_name(op);
	if (!name)
		return false;
	const OpVersion *old = version_at(name, x->from), *new = version_at(name, x->to);
	if (old && old == new)
		return false;
	return has_main_row(op_kind(op)) || !new || version_misfit(new, op, x->a).kind != FITS;
}

static void lower_block(Change *x, Block *b)
{
	FOR_EACH_OP(op, b) {
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				lower_block(x, op->blocks[i]);
		Op *before = op->prev, *after = op->next;
		if (!wants_change(x, op) || !legalise_onnx_op(op, x->from, &x->quiet))
			continue;
		for (Op *o = before ? before->next : b->first; o && o != after; o = o->next)
			infer_core(x, o);
	}
}

/* ---- the check ---- */

/* "opset N or later takes it", or the last opset that does. */
static void hint_range(Change *x, const Op *op, const char *name)
{
	const OpVersion *v;
	int first = 0, last = 0;
	for (int s = 1; s <= ONNX_NEWEST_OPSET; s++) {
		v = version_at(name, s);
		if (!v || version_misfit(v, op, x->a).kind != FITS)
			continue;
		first = first ? first : s;
		last = s;
	}
	if (!first) {
		diag_hint(&x->c->diags, "no opset takes it so: correct the node, or export it again%s", op_form(x->a, op));
		return;
	}
	if (last == ONNX_NEWEST_OPSET)
		diag_hint(&x->c->diags, "write the model for opset %d or later (--opset %d)", first, first);
	else
		diag_hint(&x->c->diags, "opsets %d to %d can hold it", first, last);
}

/* More operands than the version has: the first one too many is named after the version that the node was read with. */
static void complain_count(Change *x, const Op *op, const char *name, const OpVersion *v, const Misfit *f, const char *node)
{
	const OpVersion *own = version_at(name, x->from);
	Diags *d = &x->c->diags;
	size_t most = (size_t)v->max_operands;
	const char *extra = own && own != v && op->noperands > most ? version_operand_name(own, most, x->a) : "";
	if (!*extra)
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: it has %s by %s-%d", node, f->what, name, v->since);
	else if (version_has_attr(v, extra))
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: input '%s' is an attribute in %s-%d and must be constant", node, extra,
				name, v->since);
	else
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: %s-%d lacks input '%s'", node, name, v->since, extra);
}

static void complain(Change *x, const Op *op, const char *name, const OpVersion *v, const Misfit *f)
{
	Diags *d = &x->c->diags;
	const char *node = arena_printf(x->a, "%s cannot be written for ONNX opset %lld", name, (long long)x->to);
	x->failed = true;
	if (!v)
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: the operator is not in it", node);
	else if (f->kind == MISFIT_WITHDRAWN)
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: the operator was withdrawn in %d", node, -v->since);
	else if (f->kind == MISFIT_ATTR)
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: %s-%d lacks the %s that it has", node, name,
				v->since, f->what);
	else if (f->kind == MISFIT_COUNT)
		complain_count(x, op, name, v, f, node);
	else
		diag_error(d, HONE_UNSUPPORTED, op->loc, "%s: %s-%d does not take its %s", node, name, v->since,
				f->what);
	hint_range(x, op, name);
}

/* ---- wider types ---- */

/* Types that hold every value of d, nearest first; DT_NONE ends. */
static const DType *wider_types(DType d)
{
	static const DType OF_BOOL[] = { DT_U8, DT_I32, DT_I64, DT_F32, DT_NONE }, OF_FLOAT[] = { DT_F32, DT_F64, DT_NONE },
			OF_F32[] = { DT_F64, DT_NONE }, OF_SMALL[] = { DT_I32, DT_I64, DT_F32, DT_F64, DT_NONE },
			OF_I32[] = { DT_I64, DT_F64, DT_NONE }, NONE[] = { DT_NONE };
	int bits = dtype_bits(d);
	if (d == DT_BOOL)
		return OF_BOOL;
	if (dtype_is_float(d))
		return bits < 32 ? OF_FLOAT : d == DT_F32 ? OF_F32 : NONE;
	if (dtype_is_integer(d))
		return bits < 32 ? OF_SMALL : bits == 32 ? OF_I32 : NONE;
	return NONE;
}

/* Operators that copy or compare elements: any wider type does. */
static bool only_moves(OpKind k)
{
	static const OpKind KINDS[] = { ONNX_Reshape, ONNX_Flatten, ONNX_Squeeze, ONNX_Unsqueeze, ONNX_Transpose, ONNX_Expand,
		ONNX_Concat, ONNX_Split, ONNX_Slice, ONNX_Pad, ONNX_Tile, ONNX_DepthToSpace, ONNX_SpaceToDepth, ONNX_Trilu,
		ONNX_Gather, ONNX_GatherElements, ONNX_GatherND, ONNX_Scatter, ONNX_ScatterElements, ONNX_ScatterND, ONNX_Compress,
		ONNX_Unique, ONNX_NonZero, ONNX_OneHot, ONNX_Where, ONNX_Identity, ONNX_Equal, ONNX_Less, ONNX_Greater,
		ONNX_LessOrEqual, ONNX_GreaterOrEqual, ONNX_Min, ONNX_Max, ONNX_ReduceMax, ONNX_ReduceMin, ONNX_ArgMax, ONNX_ArgMin,
		ONNX_TopK, ONNX_MaxPool, ONNX_Relu, ONNX_Clip, ONNX_ReverseSequence, ONNX_Col2Im, ONNX_Sign, ONNX_Hardmax };
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (KINDS[i] == k)
			return true;
	return false;
}

/* Integers that wrap around alike once the result is cast back. */
static bool wraps_alike(OpKind k)
{
	return k == ONNX_Add || k == ONNX_Sub || k == ONNX_Mul || k == ONNX_Neg || k == ONNX_Abs || k == ONNX_Sum ||
		k == ONNX_ReduceSum || k == ONNX_ReduceProd || k == ONNX_MatMul || k == ONNX_Gemm || k == ONNX_CumSum;
}

static bool may_widen(const Op *op, DType d, DType to)
{
	OpKind k = op_kind(op);
	if (op->nblocks || op_is(op, ONNX_Cast) || op_is(op, ONNX_CastLike) || op_is(op, ONNX_BitCast) ||
		op_is(op, ONNX_QuantizeLinear) || op_is(op, ONNX_DequantizeLinear) || (op->def->traits & TRAIT_RANDOM))
		return false;
	if (dtype_is_float(d) || only_moves(k))
		return true;
	return d != DT_BOOL && wraps_alike(k) && dtype_is_integer(to);
}

static bool can_cast(const Change *x, DType a, DType b)
{
	const OpVersion *cast = version_at("Cast", x->to);
	uint64_t both = UINT64_C(1) << a | UINT64_C(1) << b;
	return cast && (version_types(cast, false, 0) & both) == both && (version_types(cast, true, 0) & both) == both;
}

static Value *cast_value(Change *x, Op *at, Value *v, DType to)
{
	NamedAttr attr = { x->c->attr_names[A_to], attr_dtype(x->c, to) };
	const Type *t = type_with_dtype(x->c, v->type, to);
	OpSpec s = { .def = op_def(x->c, OP_cast), .operands = &v, .noperands = 1, .types = &t, .nresults = 1, .attrs = &attr,
		.nattrs = 1, .loc = at->loc };
	Op *op = op_new(at->block, at, &s);
	op->made = true;
	return op->results[0];
}

/* Operands and results of type d that share the letter at fault change to the wider type. */
static void widen(Change *x, Op *op, const OpVersion *v, const char *param, DType d, DType to)
{
	Op *after = op->next;
	for (size_t i = 0; i < op->noperands; i++) {
		Value *in = op->operands[i].value;
		if (in && type_is_tensor(in->type) && in->type->dtype == d && !strcmp(version_param(v, false, i, x->a), param))
			op_set_operand(op, i, cast_value(x, op, in, to));
	}
	for (size_t i = 0; i < op->nresults; i++) {
		Value *y = op->results[i];
		if (!type_is_tensor(y->type) || y->type->dtype != d || strcmp(version_param(v, true, i, x->a), param))
			continue;
		value_set_type(y, type_with_dtype(x->c, y->type, to));
		Value *back = cast_value(x, after, y, d);
		const Str *name = y->name;
		value_replace_uses(y, back);
		op_set_operand(back->def, 0, y);
		value_set_name(y, NULL);
		value_set_name(back, name);
	}
	x->recast = true;
}

static bool try_widen(Change *x, Op *op, const OpVersion *v, const Misfit *f)
{
	const Value *bad = f->kind == MISFIT_OPERAND ? op->operands[f->index].value : op->results[f->index];
	if (!type_is_tensor(bad->type))
		return false;
	DType d = bad->type->dtype;
	for (const DType *to = wider_types(d); *to != DT_NONE; to++)
		if ((f->allowed >> *to & 1) && may_widen(op, d, *to) && can_cast(x, d, *to)) {
			widen(x, op, v, f->param, d, *to);
			return true;
		}
	return false;
}

/* ---- the walk ---- */

static bool check_node(void *arg, Op *op)
{
	Change *x = arg;
	const char *name = version_op_name(op);
	if (!name || op_is(op, ONNX_initializer))
		return true;
	const OpVersion *v = version_at(name, x->to);
	Misfit f = v ? version_misfit(v, op, x->a) : (Misfit){ .kind = MISFIT_WITHDRAWN };
	for (int tries = 0; (f.kind == MISFIT_OPERAND || f.kind == MISFIT_RESULT) && tries < 4 && try_widen(x, op, v, &f); tries++)
		f = version_misfit(v, op, x->a);
	if (f.kind != FITS)
		complain(x, op, name, v, &f);
	return true;
}

/* ---- the module's numbers ---- */

static void set_import(Module *m, int64_t to)
{
	Context *c = m->ctx;
	const Attr *old = module_attr(m, "opset_imports"), *version = attr_int(c, to);
	size_t n = old && old->kind == ATTR_DICT ? old->u.list.n : 0;
	const Attr **values = NEW_ARRAY(m->arena, const Attr *, n + 1);
	const Str **names = NEW_ARRAY(m->arena, const Str *, n + 1);
	bool found = false;
	for (size_t i = 0; i < n; i++) {
		names[i] = old->u.list.names[i];
		bool standard = !names[i]->len || !strcmp(names[i]->s, "ai.onnx");
		values[i] = standard ? version : old->u.list.v[i];
		found |= standard;
	}
	if (!found) {
		names[n] = c->empty;
		values[n++] = version;
	}
	module_set_attr(m, "opset_imports", attr_make(c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, n } }));
	module_set_attr(m, "onnx_early_ops", NULL);
}

/* IR version that the release with this opset had, but not one that has no initializers of its own. */
static int64_t ir_for_opset(int64_t opset)
{
	static const struct { int64_t opset, ir; } SINCE[] = { { 26, 13 }, { 25, 13 }, { 24, 12 }, { 23, 11 }, { 21, 10 },
		{ 19, 9 }, { 15, 8 }, { 12, 7 }, { 11, 6 }, { 10, 5 } };
	for (size_t i = 0; i < ARRAY_LEN(SINCE); i++)
		if (opset >= SINCE[i].opset)
			return SINCE[i].ir;
	return 4;
}

/* IR version that brought the element type. */
static int64_t ir_for_dtype(DType d)
{
	switch (d) {
	case DT_F8E4M3FN: case DT_F8E4M3FNUZ: case DT_F8E5M2: case DT_F8E5M2FNUZ: return 9;
	case DT_I4: case DT_U4: return 10;
	case DT_F4E2M1: return 11;
	case DT_F8E8M0: return 12;
	case DT_I2: case DT_U2: return 13;
	default: return 0;
	}
}

static bool raise_ir(void *arg, Op *op)
{
	int64_t *ir = arg;
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *t = op->results[i]->type;
		int64_t need = type_is_tensor(t) ? ir_for_dtype(t->dtype) : 0;
		*ir = need > *ir ? need : *ir;
	}
	return true;
}

/* Up with the opset; down as far as the model's element types and functions allow. A model whose initializers are all
 * inputs (IR version 3) stays one where its opset may be that old. */
static void set_ir_version(Module *m, int64_t to)
{
	const Attr *old = module_attr(m, "ir_version");
	int64_t ir = ir_for_opset(to), now = old && old->kind == ATTR_INT ? old->u.i : 0;
	module_walk(m, raise_ir, &ir);
	for (const Func *f = m->funcs; f; f = f->next)
		if (f->is_library && ir < 8)
			ir = 8;
	if (now && now < 4 && ir == 4)
		ir = now;
	module_set_attr(m, "ir_version", attr_int(m->ctx, ir));
}

static void clear(Change *x)
{
	arena_free(x->facts);
	arena_free(x->a);
}

static bool whole_module(Change *x)
{
	for (Func *f = x->m->funcs; x->from && f; f = f->next)
		lower_block(x, f->body);
	set_import(x->m, x->to);
	pass_raise_onnx(x->m, x->p);
	if (x->c->diags.status != HONE_OK)
		return false;
	module_walk(x->m, check_node, x);
	if (!x->failed && x->recast)
		pass_raise_onnx(x->m, x->p);
	return !x->failed && x->c->diags.status == HONE_OK;
}

bool opset_change(Module *m, PassCtx *p, int64_t to, bool as_read)
{
	Change *x = NEW(p->arena, Change);
	if (to < 1 || to > ONNX_NEWEST_OPSET)
		return diag_error(&m->ctx->diags, HONE_USAGE, NULL, "opset %lld is not one that hone knows: 1 to %d", (long long)to,
				ONNX_NEWEST_OPSET);
	x->c = m->ctx;
	x->m = m;
	x->p = p;
	x->a = arena_new();
	x->facts = arena_new();
	x->from = onnx_opset(m, NULL);
	x->to = to;
	diags_init(&x->quiet, x->facts);
	infer_init(&x->infer, m, x->facts, &x->quiet);
	bool ok = (!as_read || (pipeline_run("inline,freeze", m, p) && learn_types(x))) && whole_module(x);
	if (ok)
		set_ir_version(m, to);
	clear(x);
	return ok;
}
