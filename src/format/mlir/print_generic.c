#include "mlir.h"

#include <string.h>

/* The module and its functions in the generic form. What they hold is printed as elsewhere: print.c. */

/* [{...}, {}, ...], one dictionary for each argument or result; nothing when all are empty. */
static void print_lists(Printer *w, const Func *f, bool results, size_t n, bool *first)
{
	const Op *ret = f->body->last;
	size_t start = w->out->len;
	bool any = false;
	buf_puts(w->out, *first ? "" : ", ");
	buf_puts(w->out, results ? "res_attrs = [" : "arg_attrs = [");
	for (size_t i = 0; i < n; i++) {
		bool empty = true;
		buf_puts(w->out, i ? ", " : "");
		if (results)
			print_result_attrs(w, f, i, f->is_declaration ? NULL : ret->operands[i].value, &empty);
		else
			print_arg_attrs(w, f, (uint32_t)i, &empty);
		buf_puts(w->out, empty ? "{}" : "}");
		any |= !empty;
	}
	buf_puts(w->out, "]");
	if (any)
		*first = false;
	else
		w->out->len = start;
}

static void print_types(Printer *w, const Func *f, size_t nresults)
{
	const Op *ret = f->body->last;
	buf_puts(w->out, "function_type = (");
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		buf_puts(w->out, i ? ", " : "");
		print_type_of(w, f->body->args[i]->type);
	}
	buf_puts(w->out, ") -> (");
	for (size_t i = 0; i < nresults; i++) {
		const Value *v = f->is_declaration ? NULL : ret->operands[i].value;
		buf_puts(w->out, i ? ", " : "");
		if (v || f->is_declaration)
			print_type_of(w, v ? v->type : f->result_types[i]);
		else
			buf_puts(w->out, "none");
	}
	buf_puts(w->out, ")");
}

static const Attr *visibility(const Func *f)
{
	for (size_t i = 0; i < f->nattrs; i++)
		if (!strcmp(f->attrs[i].name->s, "sym_visibility") && f->attrs[i].value->kind == ATTR_STR)
			return f->attrs[i].value;
	return NULL;
}

/* Names of arguments that no SSA name shows are known only after the body's head: that comes first, aside. */
static void print_func(Printer *w, const Func *f)
{
	const Op *ret = f->body->last;
	size_t n = f->is_declaration ? f->nresults : ret && (ret->def->traits & TRAIT_TERMINATOR) ? ret->noperands : 0;
	const Attr *vis = visibility(f);
	Buf head = { 0 }, *out = w->out;
	bool first = true;
	map_init(&w->used, w->arena);
	w->next_number = 0;
	w->out = &head;
	if (!f->is_declaration && f->body->nargs) {
		buf_puts(&head, "  ^bb0(");
		print_block_args(w, f->body);
		buf_puts(&head, "):\n");
	}
	w->out = out;
	buf_puts(out, "  \"func.func\"() <{");
	print_lists(w, f, false, f->body->nargs, &first);
	buf_puts(out, first ? "" : ", ");
	print_types(w, f, n);
	first = false;
	print_lists(w, f, true, n, &first);
	buf_puts(out, ", sym_name = ");
	print_string(out, f->name);
	if (vis) {
		buf_puts(out, ", sym_visibility = ");
		print_string(out, vis->u.str);
	}
	buf_puts(out, f->is_declaration ? "}> ({" : "}> ({\n");
	if (head.len)
		buf_put(out, head.data, head.len);
	buf_free(&head);
	if (!f->is_declaration) {
		print_ops(w, f->body, 2);
		print_indent(w, 1);
	}
	buf_puts(out, "}) ");
	first = true;
	print_func_entries(w, f, vis ? "sym_visibility" : NULL, &first);
	buf_puts(out, first ? ": () -> ()\n" : "} : () -> ()\n");
}

void print_module_generic(Printer *w, const Module *m)
{
	bool first = true;
	buf_puts(w->out, "\"builtin.module\"() ({\n");
	print_items(w, m);
	for (const Func *f = m->decls; f; f = f->next)
		print_func(w, f);
	for (const Func *f = m->funcs; f; f = f->next)
		print_func(w, f);
	buf_puts(w->out, "}) ");
	print_module_entries(w, m, NULL, &first);
	buf_puts(w->out, first ? ": () -> ()\n" : "} : () -> ()\n");
}
