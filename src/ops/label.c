/* Names of ops, and advice, as messages give them. */
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

void op_hint(Diags *d, HoneStatus status, const Op *op, bool running)
{
	const char *name, *domain = domain_of(d->arena, op, &name);
	int64_t version = version_of(op, domain);
	const char *set = !version ? "its operator set" : *domain ? arena_printf(d->arena, "%s %lld", domain, (long long)version)
		: arena_printf(d->arena, "opset %lld", (long long)version);
	if (status == HONE_LIMIT)
		diag_hint(d, "smaller sizes (--shape NAME=1,3,224,224) need less; the operator is of %s", set);
	else if (status == HONE_UNSUPPORTED)
		diag_hint(d, "hone does not run this form of the operator (%s); `hone opt` keeps it as it is", set);
	else if (running)
		diag_hint(d, "if the inputs of the run are right, the model breaks the rules of %s here: correct the node, or export it again",
			set);
	else
		diag_hint(d, "the model breaks the rules of %s here: correct the node, or export it again", set);
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
