/* Arguments of the main function become constants. The constants keep the bytes of the file that they came from: nothing
 * is copied until something changes. */
#include "format/bundle/bundle.h"

#include <string.h>

void binding_init(Binding *b, const Module *m, Arena *a)
{
	uint32_t n = m->main ? m->main->body->nargs : 0;
	*b = (Binding){.n = n};
	b->value = NEW_ARRAY(a, const Attr *, n + 1u);
	b->name = NEW_ARRAY(a, const Str *, n + 1u);
	b->from = NEW_ARRAY(a, const char *, n + 1u);
}

static const char *type_words(Arena *a, const Type *t)
{
	Buf b = {0};
	type_print(t, &b);
	char *s = arena_strdup(a, b.data ? b.data : "");
	buf_free(&b);
	return s;
}

/* Whether the sizes can be the same: numbers must be equal, symbols and unknown sizes take any. */
static bool sizes_agree(const Type *want, const Type *have)
{
	if (want->rank == RANK_UNKNOWN)
		return true;
	if (want->rank != have->rank)
		return false;
	for (int i = 0; i < want->rank; i++) {
		int64_t x, y;
		if (sym_const(want->dims[i], &x) && sym_const(have->dims[i], &y) && x != y)
			return false;
	}
	return true;
}

bool binding_set(Binding *b, Module *m, uint32_t i, const Attr *value, const Str *name, const char *from)
{
	Diags *d = &m->ctx->diags;
	const Value *arg = m->main->body->args[i];
	const Type *want = arg->type, *have = value->u.tensor.type;
	const char *label = arg->name ? quote(d->arena, arg->name->s, arg->name->len) : "without a name";
	if (b->value[i])
		return diag_error(d, HONE_USAGE, NULL, "argument %u (%s) is given twice: by %s and by %s", i, label, b->from[i], from);
	if (!type_is_tensor(want) && want->kind != TYPE_UNKNOWN)
		return diag_error(d, HONE_USAGE, NULL, "argument %u (%s) is no tensor: %s cannot be bound to it", i, label, from);
	bool dtype = !type_is_tensor(want) || want->dtype == DT_NONE || (want->dtype == have->dtype && !want->text);
	if (!dtype || (type_is_tensor(want) && !sizes_agree(want, have))) {
		diag_error(d, HONE_BAD_INPUT, NULL, "%s is %s, but argument %u (%s) is %s", from, type_words(d->arena, have), i, label,
			type_words(d->arena, want));
		diag_hint(d, dtype ? "the file belongs to another model, or the name means another argument"
			: "convert the data to the element type of the argument; nothing is rounded silently");
		return false;
	}
	b->value[i] = value;
	b->name[i] = name;
	b->from[i] = from;
	return true;
}

/* The constant op of the dialect that the module is written in. */
static const OpDef *constant_def(const Module *m)
{
	const char *format = m->format ? m->format->s : "";
	return op_def(m->ctx, !strcmp(format, "stablehlo") ? SHLO_constant : !strcmp(format, "onnx") ||
		!strcmp(format, "onnxtxt") ? ONNX_initializer : OP_constant);
}

static Value *make_constant(Module *m, Op *at, const Value *arg, const Attr *value)
{
	NamedAttr attr = {m->ctx->attr_names[A_value], value};
	OpSpec s = {.def = constant_def(m), .types = &value->u.tensor.type, .nresults = 1, .attrs = &attr, .nattrs = 1,
		.loc = loc_new(m->ctx, (Loc){.file = m->path, .offset = -1,
			.what = arg->name ? str_fmt(m->ctx, "weight %s", arg->name->s)->s : NULL})};
	Value *v = op_new(m->main->body, at, &s)->results[0];
	if (!op_is(v->def, SHLO_constant)) /* there a name is nothing but a number for the printer */
		value_set_name(v, arg->name);
	return v;
}

void binding_apply(Module *m, const Binding *b)
{
	Block *body = m->main ? m->main->body : NULL;
	Op *at = body ? body->first : NULL;
	for (uint32_t i = 0; i < b->n; i++) {
		if (!b->value[i])
			continue;
		Blob *blob = b->value[i]->u.tensor.blob;
		if (b->name[i] && !blob->weight)
			blob->weight = b->name[i];
		Value *arg = body->args[i];
		value_replace_uses(arg, make_constant(m, at, arg, b->value[i]));
	}
	for (uint32_t i = b->n; i-- > 0;)
		if (b->value[i])
			block_erase_arg(body, i);
	if (exported_is(m))
		exported_drop_inputs(m, b);
}

void module_add_weight(Module *m, const Str *name, const Attr *value)
{
	if ((m->nweights & (m->nweights - 1)) == 0) { /* full: room is for a power of two */
		NamedAttr *grown = NEW_ARRAY(m->arena, NamedAttr, m->nweights ? 2 * m->nweights : 1);
		if (m->nweights)
			memcpy(grown, m->weights, m->nweights * sizeof(*grown));
		m->weights = grown;
	}
	m->weights[m->nweights++] = (NamedAttr){name, value};
}
