/* Names of ops, and advice, as messages give them. */
#include "eval_int.h"
#include "ops/label.h"

#include <string.h>

/* Name and domain as in a file: "onnx.com.microsoft::Gelu" is Gelu of com.microsoft, "core.conv" is conv. */
static const char *domain_of(Arena *a, const Op *op, const char **name)
{
	const char *s = op->def->name->s;
	if (!strncmp(s, "core.", 5) || !strncmp(s, "onnx.", 5))
		s += 5;
	const char *mark = strstr(s, "::");
	*name = mark ? mark + 2 : s;
	return mark ? arena_printf(a, "%.*s", (int)(mark - s), s) : "";
}

const char *op_said_name(Arena *a, const Op *op)
{
	const char *name, *domain = domain_of(a, op, &name);
	return *domain ? arena_printf(a, "%s of %s", name, domain) : name;
}

const char *op_operand_said(EvalCtx *e, const Op *op, size_t i)
{
	Arena *a = e->diags->arena;
	const char *s = op->def->operands;
	size_t len = 0;
	for (size_t k = 0; s && *s; k++, s += len + (s[len] == ' ')) {
		len = strcspn(s, " ");
		if (s[len - 1] == '*')
			break;
		if (k == i)
			return arena_printf(a, "operand %zu (%.*s)", i, (int)(len - (s[len - 1] == '?')), s);
	}
	return arena_printf(a, "operand %zu", i);
}

/* Locations that readers of ONNX make read: node "conv1" (Conv). */
static bool loc_names_node(const Loc *loc)
{
	return loc && loc->what && !strncmp(loc->what, "node ", 5);
}

const char *op_label(Arena *a, const Op *op)
{
	if (loc_names_node(op->loc))
		return "";
	const char *said = op_said_name(a, op);
	bool named = op->name && op->name->len && !(op->loc && op->loc->what && !strcmp(op->loc->what, op->name->s));
	return named ? arena_printf(a, "%s %s: ", said, quote(a, op->name->s, op->name->len)) : arena_printf(a, "%s: ", said);
}

/* Version of a domain by the function's own imports or the module's; 0 when there is none. */
static int64_t version_of(const Op *op, const char *domain)
{
	const Func *f = op_func(op);
	if (!f)
		return 0;
	const Attr *lists[] = { named_attr(f->attrs, f->nattrs, f->module->ctx->attr_names[A_opset_imports]),
		module_attr(f->module, "opset_imports") };
	for (size_t k = 0; k < ARRAY_LEN(lists); k++)
		for (size_t i = 0; lists[k] && lists[k]->kind == ATTR_DICT && i < lists[k]->u.list.n; i++) {
			const char *have = lists[k]->u.list.names[i]->s;
			bool same = !strcmp(have, domain) || (!*domain && !strcmp(have, "ai.onnx"));
			if (same && lists[k]->u.list.v[i]->kind == ATTR_INT)
				return lists[k]->u.list.v[i]->u.i;
		}
	return 0;
}

/* ---- operators that no other program than one can run, or that are not operators in truth ---- */

#define COMPILED "it holds a part of the model that was compiled for one kind of hardware: use the model from before that step"
#define GENERATION "it is a whole generation loop around models in its attributes: run those models by themselves and choose the tokens outside"
#define ONE_DEVICE "ONNX Runtime has it for one kind of hardware only: take the model from before the fusion that made it"
#define LAYOUT "ONNX Runtime's optimiser made it for the machine that it ran on: save the optimised model at level 'extended' or 'basic'"
#define EXTENSION "it belongs to a library of custom operators: do this step outside of the model, or give it a body as a model-local function"

typedef struct Advice {
	const char *domain, *name, *text;   /* name NULL: all of the domain */
} Advice;
static const Advice advices[] = {
	{ "com.microsoft", "EPContext", COMPILED }, { "com.microsoft", "Snpe", COMPILED }, { "com.microsoft", "BeamSearch", GENERATION },
	{ "com.microsoft", "WhisperBeamSearch", GENERATION }, { "com.microsoft", "GreedySearch", GENERATION },
	{ "com.microsoft", "Sampling", GENERATION }, { "com.microsoft", "LongformerAttention", ONE_DEVICE },
	{ "com.microsoft", "DecoderAttention", ONE_DEVICE }, { "com.microsoft", "QOrderedAttention", ONE_DEVICE },
	{ "com.microsoft", "QOrderedLongformerAttention", ONE_DEVICE }, { "com.microsoft", "MaxpoolWithMask", ONE_DEVICE },
	{ "com.microsoft", "QuantizeBFP", "its block format is not documented: quantise with QuantizeLinear instead" },
	{ "com.microsoft", "DequantizeBFP", "its block format is not documented: store the weights as numbers, or with DequantizeLinear" },
	{ "com.microsoft.nchwc", NULL, LAYOUT }, { "com.ms.internal.nhwc", NULL, LAYOUT }, { "ai.onnx.contrib", NULL, EXTENSION },
	{ "com.microsoft.extensions", NULL, EXTENSION }, { "org.pytorch.aten", NULL, "it calls the library of PyTorch: export again without "
		"fallback to ATen operators" }, { "aten", NULL, "it calls the library of PyTorch: export again without fallback to ATen operators" },
};

const char *op_unknown_advice(const Op *op)
{
	if (!op_is(op, OP_UNKNOWN) || strncmp(op->def->name->s, "onnx.", 5))
		return NULL;
	const char *s = op->def->name->s + 5, *mark = strstr(s, "::");
	size_t len = mark ? (size_t)(mark - s) : 0;
	for (size_t i = 0; mark && i < ARRAY_LEN(advices); i++)
		if (strlen(advices[i].domain) == len && !strncmp(advices[i].domain, s, len) && (!advices[i].name || !strcmp(advices[i].name, mark + 2)))
			return advices[i].text;
	return NULL;
}

static void put_attr(Buf *b, const Attr *v)
{
	static const char *const kinds[] = { [ATTR_INTS] = "integers", [ATTR_FLOATS] = "numbers", [ATTR_STRS] = "texts", [ATTR_TENSOR] = "a tensor" };
	if (v->kind == ATTR_INT)
		buf_printf(b, "%lld", (long long)v->u.i);
	else if (v->kind == ATTR_FLOAT)
		buf_printf(b, "%g", v->u.f);
	else if (v->kind == ATTR_STR)
		buf_printf(b, "\"%.40s\"", v->u.str->s);
	else if (v->kind == ATTR_INTS && v->u.ints.n <= 8) {
		for (size_t i = 0; i < v->u.ints.n; i++)
			buf_printf(b, "%s%lld", i ? "," : "[", (long long)v->u.ints.v[i]);
		buf_puts(b, v->u.ints.n ? "]" : "[]");
	} else {
		buf_puts(b, (size_t)v->kind < ARRAY_LEN(kinds) && kinds[v->kind] ? kinds[v->kind] : "given");
	}
}

static void put_operand(Buf *b, EvalCtx *e, const Op *op, Tensor *const *in, size_t i)
{
	const Tensor *t = in ? in[i] : NULL;
	if (!op_operand(op, i) || (in && !t))
		buf_puts(b, "absent");
	else if (t && t->kind == TYPE_TENSOR)
		buf_printf(b, "%s%s", dtype_friendly_name(t->dtype), tensor_shape_text(e, t));
	else if (t)
		buf_puts(b, t->kind == TYPE_SEQUENCE ? "a sequence" : t->kind == TYPE_MAP ? "a map" : "an optional");
	else
		type_print(op_operand(op, i)->type, b);
}

const char *op_fault(Arena *a, const Op *op)
{
	static const char *const kinds[] = { [ATTR_INT] = "an integer", [ATTR_FLOAT] = "a number", [ATTR_STR] = "text", [ATTR_INTS] = "integers",
		[ATTR_FLOATS] = "numbers", [ATTR_STRS] = "texts", [ATTR_TENSOR] = "a tensor" };
	for (size_t i = 0; op_kind(op) > OP_CORE_END && !op_is_shlo(op) && i < op->nattrs; i++) {
		const AttrDef *want = op_attr_def(op->def, (AttrName)op->attrs[i].name->known);
		AttrKind have = op->attrs[i].value->kind;
		if (!op->attrs[i].name->known || !want || want->kind == have || (size_t)want->kind >= ARRAY_LEN(kinds) || !kinds[want->kind])
			continue;
		const char *found = (size_t)have < ARRAY_LEN(kinds) && kinds[have] ? kinds[have] : "of another kind";
		return arena_printf(a, "attribute %s is %s, expected %s", op->attrs[i].name->s, found, kinds[want->kind]);
	}
	return "";
}

bool eval_cannot_run(EvalCtx *e, const Op *op, Tensor *const *in)
{
	enum { MOST = 12 };
	Buf form = {0};
	if (op_is(op, OP_UNKNOWN))
		return eval_unsupported(e, op, "hone does not know this operator");
	const char *fault = op_fault(e->diags->arena, op);
	if (*fault)
		return eval_error(e, op, "%s", fault);
	for (size_t i = 0; i < op->noperands && i < MOST; i++) {
		buf_puts(&form, i ? ", " : "inputs ");
		put_operand(&form, e, op, in, i);
	}
	buf_puts(&form, op->noperands > MOST ? ", ..." : op->noperands ? "" : "no inputs");
	for (size_t i = 0; i < op->nattrs && i < MOST; i++) {
		buf_printf(&form, "%s%.40s = ", i ? ", " : "; attributes ", op->attrs[i].name->s);
		put_attr(&form, op->attrs[i].value);
	}
	eval_unsupported(e, op, "hone cannot run it in this form: %.400s", form.data);
	buf_free(&form);
	return false;
}

/* "[2,n,?]" of a type; "" for a scalar or an unknown rank. */
static void put_dims(Buf *b, const Type *t)
{
	int64_t n;
	for (int i = 0; type_has_rank(t) && i < t->rank; i++) {
		buf_puts(b, i ? "," : "[");
		if (sym_const(t->dims[i], &n))
			buf_printf(b, "%lld", (long long)n);
		else
			buf_puts(b, sym_kind(t->dims[i]) == SYM_SYMBOL && !sym_is_unknown(t->dims[i]) ? sym_name(t->dims[i])->s : "?");
	}
	buf_puts(b, type_has_rank(t) && t->rank ? "]" : "");
}

const char *op_form(Arena *a, const Op *op)
{
	enum { MOST = 8 };
	Buf b = {0};
	for (size_t i = 0; i < op->noperands && i < MOST; i++) {
		const Value *v = op_operand(op, i);
		buf_puts(&b, i ? ", " : "its inputs are ");
		if (!v)
			buf_puts(&b, "absent");
		else if (type_is_tensor(v->type) && v->type->dtype != DT_NONE)
			buf_puts(&b, dtype_friendly_name(v->type->dtype));
		else
			buf_puts(&b, type_is_tensor(v->type) ? "a tensor" : v->type->kind == TYPE_SEQUENCE ? "a sequence" : "of unknown type");
		if (v && type_is_tensor(v->type))
			put_dims(&b, v->type);
	}
	buf_puts(&b, op->noperands > MOST ? " ..." : "");
	/* those of core ops need not be called as in the file */
	for (size_t i = 0, n = 0; !op_is_core(op) && i < op->nattrs && n < MOST; i++) {
		if (op->attrs[i].name->known == A_graph_names || !strncmp(op->attrs[i].name->s, "hone.", 5))
			continue;
		buf_printf(&b, "%s%.40s = ", n++ ? ", " : b.len ? "; attributes " : "its attributes are ", op->attrs[i].name->s);
		put_attr(&b, op->attrs[i].value);
	}
	const char *s = b.len ? arena_printf(a, "; %s", b.data) : "";
	buf_free(&b);
	return s;
}

void op_hint(Diags *d, HoneStatus status, const Op *op, bool running)
{
	const char *name, *domain = domain_of(d->arena, op, &name);
	int64_t version = version_of(op, domain);
	const char *set = !version ? "its operator set" : *domain ? arena_printf(d->arena, "%s %lld", domain, (long long)version)
		: arena_printf(d->arena, "opset %lld", (long long)version);
	if (status == HONE_LIMIT)
		diag_hint(d, "smaller sizes (--shape NAME=1,3,224,224) need less; the operator is of %s", set);
	else if (status == HONE_UNSUPPORTED && op_unknown_advice(op))
		diag_hint(d, "%s; `hone opt` keeps it as it is (%s)", op_unknown_advice(op), set);
	else if (status == HONE_UNSUPPORTED && op_is(op, OP_UNKNOWN))
		diag_hint(d, "give it a body as a model-local function, or do this step outside of the model; `hone opt` keeps it as it is (%s)", set);
	else if (status == HONE_UNSUPPORTED)
		diag_hint(d, "hone does not run this form of the operator (%s); `hone opt` keeps it as it is", set);
	else if (running)
		diag_hint(d, "if the inputs of the run are right, the model breaks the rules of %s here: correct the node, or export it again%s",
			set, op_form(d->arena, op));
	else
		diag_hint(d, "the model breaks the rules of %s here: correct the node, or export it again%s", set, op_form(d->arena, op));
}

void diags_copy_errors(Diags *to, const Diags *from)
{
	for (size_t i = 0; i < from->list.len; i++) {
		const Diag *one = &from->list.data[i];
		if (one->severity != SEV_ERROR)
			continue;
		diag_error(to, one->status ? one->status : HONE_BAD_INPUT, &one->loc, "%s", one->message);
		if (one->hint)
			diag_hint(to, "%s", one->hint);
	}
}
