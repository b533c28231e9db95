#include "shlo.h"

#include <string.h>

void printer_flush(Printer *w, size_t limit)
{
	if (!w->file || w->out->len <= limit)
		return;
	w->failed |= !out_write(w->file, w->out->data, w->out->len);
	w->out->len = 0;
}

void print_indent(Printer *w, int depth)
{
	static const char blanks[] = "                                ";
	for (int n = 2 * depth; n > 0; n -= (int)sizeof blanks - 1)
		buf_put(w->out, blanks, n < (int)sizeof blanks - 1 ? (size_t)n : sizeof blanks - 1);
}

/* ---- names ---- */

static void name_value(Printer *w, const Value *v)
{
	if (v->id >= w->nvalues)
		return;
	const Str *s = v->name;
	if (s && is_value_name(s->s, s->len) && !map_has(&w->used, MAP_PTR(s))) {
		map_put(&w->used, MAP_PTR(s), w);
		w->names[v->id] = s;
		w->numbers[v->id] = 0;
	} else {
		w->numbers[v->id] = w->next_number++;
	}
}

void op_print_value(Printer *w, const Value *v)
{
	const Str *s = v && v->id < w->nvalues ? w->names[v->id] : NULL;
	if (!v)
		buf_puts(w->out, "_");
	else if (s)
		buf_printf(w->out, "%%%s", s->s);
	else if (v->id < w->nvalues && w->numbers[v->id] != NO_NUMBER)
		buf_printf(w->out, "%%%u", (unsigned)w->numbers[v->id]);
	else
		buf_printf(w->out, "%%undefined-%u", (unsigned)v->id);
}

/* The name of a value that its SSA name does not show. */
static const Str *hidden_name(const Printer *w, const Value *v)
{
	return v->name && v->id < w->nvalues && w->names[v->id] == NULL ? v->name : NULL;
}

static const Attr *unit_attr(Context *c)
{
	return attr_make(c, (Attr){ .kind = ATTR_UNIT });
}

/* Hidden names of a list of values, unit for those that are not hidden; NULL when none is. */
static const Attr *hidden_names(Printer *w, Value *const *v, size_t n)
{
	size_t len = 0;
	for (size_t i = 0; i < n; i++)
		if (hidden_name(w, v[i]))
			len = i + 1;
	if (len == 0)
		return NULL;
	const Attr **list = NEW_ARRAY(w->arena, const Attr *, len);
	bool all = true;
	for (size_t i = 0; i < len; i++) {
		const Str *s = hidden_name(w, v[i]);
		all &= s != NULL;
		list[i] = s ? attr_str(w->c, s) : unit_attr(w->c);
	}
	if (!all)
		return attr_make(w->c, (Attr){ .kind = ATTR_LIST, .u.list = { list, NULL, len } });
	const Str **strs = NEW_ARRAY(w->arena, const Str *, len);
	for (size_t i = 0; i < len; i++)
		strs[i] = list[i]->u.str;
	return attr_strs(w->c, strs, len);
}

/* ---- attribute lists ---- */

static bool is_reserved(const Str *s)
{
	return s->len >= strlen(RESERVED_PREFIX) && !memcmp(s->s, RESERVED_PREFIX, strlen(RESERVED_PREFIX));
}

/* Entries of a model: names that look like ours are escaped. `name` is left out when not NULL. */
static void print_entries(Printer *w, const NamedAttr *v, size_t n, const OpDef *def, const char *without, bool *first)
{
	for (size_t i = 0; i < n; i++) {
		const Str *name = v[i].name;
		if ((without && !strcmp(name->s, without)) || !strcmp(name->s, MODULE_ITEMS))
			continue;
		const AttrDef *hint = def && name->known ? op_attr_def(def, (AttrName)name->known) : NULL;
		if (is_reserved(name)) {
			Buf b = { 0 };
			buf_puts(&b, ESCAPED_PREFIX);
			buf_put(&b, name->s, name->len);
			name = str_n(w->c, b.data, b.len);
			buf_free(&b);
		}
		print_entry(w, name, v[i].value, hint, first);
	}
}

static void print_own(Printer *w, const char *key, const Attr *a, bool *first)
{
	if (a)
		print_entry(w, str(w->c, key), a, NULL, first);
}

static const Attr *dict_of(Printer *w, const NamedAttr *v, size_t n)
{
	if (n == 0)
		return NULL;
	const Str **names = NEW_ARRAY(w->arena, const Str *, n);
	const Attr **values = NEW_ARRAY(w->arena, const Attr *, n);
	for (size_t i = 0; i < n; i++) {
		names[i] = v[i].name;
		values[i] = v[i].value;
	}
	return attr_make(w->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, n } });
}

static const Attr *str_or_null(Printer *w, const Str *s)
{
	return s ? attr_str(w->c, s) : NULL;
}

/* ---- ops ---- */

void print_block_args(Printer *w, const Block *b)
{
	for (uint32_t i = 0; i < b->nargs; i++) {
		buf_puts(w->out, i ? ", " : "");
		name_value(w, b->args[i]);
		op_print_value(w, b->args[i]);
		buf_puts(w->out, ": ");
		print_type_of(w, b->args[i]->type);
	}
}

void op_print_region(Printer *w, const Block *b, int depth)
{
	buf_puts(w->out, "{\n");
	if (b && b->nargs) {
		print_indent(w, depth);
		buf_puts(w->out, "^bb0(");
		print_block_args(w, b);
		buf_puts(w->out, "):\n");
	}
	if (b)
		print_ops(w, b, depth + 1);
	print_indent(w, depth);
	buf_puts(w->out, "}");
}

static void print_regions(Printer *w, const Op *op, int depth)
{
	for (size_t i = 0; i < op->nblocks; i++) {
		buf_puts(w->out, i ? ", " : " (");
		op_print_region(w, op->blocks[i], depth);
	}
	if (op->nblocks)
		buf_puts(w->out, ")");
}

/* {args = [...], meta = {...}, name = "..."} of each block, unit for those that have none of it. */
static const Attr *block_infos(Printer *w, const Op *op)
{
	bool any = false;
	const Attr **list = NEW_ARRAY(w->arena, const Attr *, op->nblocks);
	for (size_t i = 0; i < op->nblocks; i++) {
		const Block *b = op->blocks[i];
		NamedAttr v[3];
		size_t n = 0;
		const Attr *names = b && !w->plain_sizes ? hidden_names(w, b->args, b->nargs) : NULL;
		if (names)
			v[n++] = (NamedAttr){ str(w->c, "args"), names };
		if (b && b->nmeta)
			v[n++] = (NamedAttr){ str(w->c, "meta"), dict_of(w, b->meta, b->nmeta) };
		if (b && b->name)
			v[n++] = (NamedAttr){ str(w->c, "name"), attr_str(w->c, b->name) };
		any |= n > 0;
		list[i] = n ? dict_of(w, v, n) : unit_attr(w->c);
	}
	return any ? attr_make(w->c, (Attr){ .kind = ATTR_LIST, .u.list = { list, NULL, op->nblocks } }) : NULL;
}

/* An attribute of the op, in upstream's syntax where it has its own. */
static void print_op_attr(Printer *w, const Op *op, const NamedAttr *e, bool *first)
{
	size_t before = w->out->len;
	if (w->generic && op_is(op, OP_call) && e->name->known == A_callee && e->value->kind == ATTR_STR) {
		print_entry(w, e->name, attr_make(w->c, (Attr){ .kind = ATTR_SYMREF, .u.str = e->value->u.str }), NULL, first);
		return;
	}
	if (op_is_shlo(op) && e->value->kind != ATTR_UNIT) {
		buf_puts(w->out, *first ? "{" : ", ");
		print_key(w->out, e->name);
		buf_puts(w->out, " = ");
		if (shlo_print_attr(w, op, e)) {
			*first = false;
			return;
		}
		w->out->len = before;
	}
	print_entries(w, e, 1, op->def, NULL, first);
}

static bool ends_with(const Str *s, const char *end)
{
	size_t n = strlen(end);
	return s->len >= n && !memcmp(s->s + s->len - n, end, n);
}

void op_print_attrs_but(Printer *w, const Op *op, const AttrName *shown, size_t n, const char *ending)
{
	bool first = true;
	buf_puts(w->out, " ");
	size_t before = w->out->len;
	for (size_t i = 0; i < op->nattrs; i++) {
		bool hide = ending && ends_with(op->attrs[i].name, ending);
		for (size_t k = 0; k < n; k++)
			hide |= shown[k] == (AttrName)op->attrs[i].name->known;
		if (!hide)
			print_op_attr(w, op, &op->attrs[i], &first);
	}
	if (op->nblocks)
		print_own(w, "hone.blocks", block_infos(w, op), &first);
	print_own(w, "hone.meta", dict_of(w, op->meta, op->nmeta), &first);
	print_own(w, "hone.names", hidden_names(w, op->results, op->nresults), &first);
	print_own(w, "hone.node", str_or_null(w, op->name), &first);
	if (first)
		w->out->len = before - 1;
	else
		buf_puts(w->out, "}");
}

void op_print_attrs(Printer *w, const Op *op, const AttrName *shown, size_t n)
{
	op_print_attrs_but(w, op, shown, n, NULL);
}

void op_print_operand_types(Printer *w, const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op->operands[i].value;
		buf_puts(w->out, i ? ", " : "");
		if (v)
			print_type_of(w, v->type);
		else
			buf_puts(w->out, "none");
	}
}

void op_print_types(Printer *w, const Op *op)
{
	buf_puts(w->out, " : (");
	op_print_operand_types(w, op);
	buf_puts(w->out, ") -> ");
	const Type *first = op->nresults == 1 ? op->results[0]->type : NULL;
	bool function = first && first->kind == TYPE_OPAQUE && first->text && first->text->s[0] == '(';
	bool one = first && !function; /* a type that begins with a parenthesis needs one around it */
	buf_puts(w->out, one ? "" : "(");
	for (size_t i = 0; i < op->nresults; i++) {
		buf_puts(w->out, i ? ", " : "");
		print_type_of(w, op->results[i]->type);
	}
	buf_puts(w->out, one ? "" : ")");
}

void op_print_operands(Printer *w, const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++) {
		buf_puts(w->out, i ? ", " : "");
		op_print_value(w, op->operands[i].value);
	}
}

/* `return %a : t`: the plain end of a function. */
static bool is_plain_return(const Printer *w, const Op *op)
{
	if (w->generic || !op_is(op, OP_return) || op->nattrs || op->nmeta || op->name || op->nresults || op->nblocks || !op->block ||
		op->block->parent)
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		if (!op->operands[i].value)
			return false;
	return true;
}

static void print_op_name(Printer *w, const Op *op)
{
	const Str *name = op->def->name;
	if (w->generic && op_is(op, OP_call))
		buf_puts(w->out, "\"func.call\"");
	else if (w->generic && op_is(op, OP_return) && op->block && !op->block->parent)
		buf_puts(w->out, "\"func.return\"");
	else if (!w->generic && op->def->kind != OP_UNKNOWN && !op_is_shlo(op) && is_word(name->s, name->len))
		buf_put(w->out, name->s, name->len);
	else
		print_string(w->out, name);
}

static void print_op(Printer *w, const Op *op, int depth)
{
	print_indent(w, depth);
	for (size_t i = 0; i < op->nresults; i++) {
		buf_puts(w->out, i ? ", " : "");
		name_value(w, op->results[i]);
		op_print_value(w, op->results[i]);
	}
	buf_puts(w->out, op->nresults ? " = " : "");
	if (is_plain_return(w, op)) {
		buf_puts(w->out, op->noperands ? "return " : "return");
		op_print_operands(w, op);
		buf_puts(w->out, op->noperands ? " : " : "");
		op_print_operand_types(w, op);
	} else if (w->generic || !shlo_print_op(w, op, depth)) {
		print_op_name(w, op);
		buf_puts(w->out, "(");
		op_print_operands(w, op);
		buf_puts(w->out, ")");
		print_regions(w, op, depth);
		op_print_attrs(w, op, NULL, 0);
		op_print_types(w, op);
	}
	if (w->locations && op->loc) {
		buf_puts(w->out, " ");
		print_loc(op->loc, w->out);
	}
	buf_puts(w->out, "\n");
	printer_flush(w, (size_t)1 << 20);
}

void print_ops(Printer *w, const Block *b, int depth)
{
	for (const Op *op = b->first; op; op = op->next)
		print_op(w, op, depth);
}

/* ---- functions ---- */

/* The symbolic sizes of an argument, "" for others; NULL when there is none. */
static const Attr *sizes(Printer *w, const Type *t)
{
	bool any = false;
	if (!w->plain_sizes || !type_has_rank(t) || t->text || t->rank == 0)
		return NULL;
	const Str **v = NEW_ARRAY(w->arena, const Str *, t->rank);
	for (int i = 0; i < t->rank; i++) {
		Buf b = { 0 };
		if (sym_kind(t->dims[i]) != SYM_CONST && !sym_is_unknown(t->dims[i])) {
			sym_print(t->dims[i], &b);
			any = true;
		}
		v[i] = str_n(w->c, b.len ? b.data : "", b.len);
		buf_free(&b);
	}
	return any ? attr_strs(w->c, v, (size_t)t->rank) : NULL;
}

void print_arg_attrs(Printer *w, const Func *f, uint32_t i, bool *first)
{
	const NamedAttr *meta = f->arg_meta ? f->arg_meta[i] : NULL;
	print_entries(w, meta, named_attr_count(meta), NULL, NULL, first);
	print_own(w, "hone.default", f->arg_default ? f->arg_default[i] : NULL, first);
	print_own(w, "hone.dims", f->is_declaration ? NULL : sizes(w, f->body->args[i]->type), first);
	if (!f->is_declaration && !w->names_as_locs)
		print_own(w, "hone.name", str_or_null(w, hidden_name(w, f->body->args[i])), first);
}

/* Other readers of StableHLO know no attributes of ours; JAX tells names of arguments by locations too. */
static void print_name_loc(Printer *w, const Value *arg)
{
	const Str *name = hidden_name(w, arg);
	if (!name)
		return;
	buf_puts(w->out, " loc(");
	print_string(w->out, name);
	buf_puts(w->out, ")");
}

void print_result_attrs(Printer *w, const Func *f, size_t i, const Value *v, bool *first)
{
	const NamedAttr *meta = f->result_meta ? f->result_meta[i] : NULL;
	const Type *declared = f->result_types ? f->result_types[i] : NULL;
	bool tells = !f->is_declaration && declared && v && declared != v->type &&
		!types_print_alike(w, declared, v->type); /* they may differ in names of sizes, which StableHLO has not */
	print_entries(w, meta, named_attr_count(meta), NULL, NULL, first);
	print_own(w, "hone.declared", tells ? attr_type(w->c, declared) : NULL, first);
	print_own(w, "hone.name", f->result_names ? str_or_null(w, f->result_names[i]) : NULL, first);
}

/* Closes a dictionary of attributes; one without entries is taken back, with what stands before it. */
static void end_dict(Printer *w, size_t start, bool empty)
{
	if (empty)
		w->out->len = start;
	else
		buf_puts(w->out, "}");
}

static void print_func_args(Printer *w, const Func *f)
{
	const Block *b = f->body;
	for (uint32_t i = 0; i < b->nargs; i++) {
		bool first = true;
		buf_puts(w->out, i ? ", " : "");
		if (!f->is_declaration) {
			name_value(w, b->args[i]);
			op_print_value(w, b->args[i]);
			buf_puts(w->out, ": ");
		}
		print_type_of(w, b->args[i]->type);
		size_t start = w->out->len;
		buf_puts(w->out, " ");
		w->names_as_locs = f->module->format && !strcmp(f->module->format->s, "stablehlo");
		print_arg_attrs(w, f, i, &first);
		end_dict(w, start, first);
		if (w->names_as_locs && !f->is_declaration)
			print_name_loc(w, b->args[i]);
		w->names_as_locs = false;
	}
}

static void print_func_results(Printer *w, const Func *f)
{
	const Op *ret = f->body->last;
	size_t n = f->is_declaration ? f->nresults : ret && (ret->def->traits & TRAIT_TERMINATOR) ? ret->noperands : 0;
	if (n == 0)
		return;
	buf_puts(w->out, " -> (");
	for (size_t i = 0; i < n; i++) {
		const Value *v = f->is_declaration ? NULL : ret->operands[i].value;
		bool first = true;
		buf_puts(w->out, i ? ", " : "");
		if (v || f->is_declaration)
			print_type_of(w, v ? v->type : f->result_types[i]);
		else
			buf_puts(w->out, "none");
		size_t start = w->out->len;
		buf_puts(w->out, " ");
		print_result_attrs(w, f, i, v, &first);
		end_dict(w, start, first);
	}
	buf_puts(w->out, ")");
}

static const char *visibility(const Func *f)
{
	for (size_t i = 0; i < f->nattrs; i++) {
		const Attr *a = f->attrs[i].value;
		if (strcmp(f->attrs[i].name->s, "sym_visibility") != 0 || a->kind != ATTR_STR)
			continue;
		if (!strcmp(a->u.str->s, "private") || !strcmp(a->u.str->s, "public") || !strcmp(a->u.str->s, "nested"))
			return a->u.str->s;
	}
	return NULL;
}

void print_func_entries(Printer *w, const Func *f, const char *without, bool *first)
{
	const Module *m = f->module;
	print_entries(w, f->attrs, f->nattrs, NULL, without, first);
	print_own(w, "hone.block", str_or_null(w, f->body->name), first);
	print_own(w, "hone.block_meta", dict_of(w, f->body->meta, f->body->nmeta), first);
	print_own(w, "hone.library", f->is_library ? unit_attr(w->c) : NULL, first);
	print_own(w, "hone.main", m->main == f && module_default_main(m) != f ? unit_attr(w->c) : NULL, first);
}

static void print_func_attrs(Printer *w, const Func *f, const char *vis)
{
	bool first = true;
	size_t start = w->out->len;
	buf_puts(w->out, " attributes ");
	print_func_entries(w, f, vis ? "sym_visibility" : NULL, &first);
	end_dict(w, start, first);
}

static void print_func(Printer *w, const Func *f)
{
	const char *vis = visibility(f);
	map_init(&w->used, w->arena);
	w->next_number = 0;
	buf_printf(w->out, "  func.func %s%s", vis ? vis : "", vis ? " " : "");
	print_symbol(w->out, f->name);
	buf_puts(w->out, "(");
	print_func_args(w, f);
	buf_puts(w->out, ")");
	print_func_results(w, f);
	print_func_attrs(w, f, vis);
	if (f->is_declaration) {
		buf_puts(w->out, "\n");
		return;
	}
	buf_puts(w->out, " {\n");
	print_ops(w, f->body, 2);
	buf_puts(w->out, "  }\n");
}

static bool find_shlo(void *arg, Op *op)
{
	*(bool *)arg |= op_is_shlo(op);
	return !*(bool *)arg;
}

/* The reader takes a module with such ops for one of StableHLO. */
static bool has_shlo(const Module *m)
{
	bool found = false;
	module_walk((Module *)m, find_shlo, &found);
	return found;
}

void print_module_entries(Printer *w, const Module *m, const char *without, bool *first)
{
	bool own = m->format && strcmp(m->format->s, has_shlo(m) ? "stablehlo" : "mlir") != 0;
	print_entries(w, m->attrs, m->nattrs, NULL, without, first);
	print_own(w, "hone.format", own ? attr_str(w->c, m->format) : NULL, first);
	print_own(w, "hone.no_main", !m->main && module_default_main(m) ? unit_attr(w->c) : NULL, first);
}

static void print_module_head(Printer *w, const Module *m)
{
	bool first = true;
	buf_puts(w->out, "module");
	const Attr *name = named_attr(m->attrs, m->nattrs, str(w->c, "sym_name"));
	if (name && name->kind == ATTR_STR) {
		buf_puts(w->out, " ");
		print_symbol(w->out, name->u.str);
	} else {
		name = NULL;
	}
	size_t start = w->out->len;
	buf_puts(w->out, " attributes ");
	print_module_entries(w, m, name ? "sym_name" : NULL, &first);
	end_dict(w, start, first);
	buf_puts(w->out, " {\n");
}

static void print_module(Printer *w, const Module *m)
{
	w->in_place = m->format && !strcmp(m->format->s, "stablehlo");
	w->nvalues = m->next_value;
	w->names = NEW_ARRAY(w->arena, const Str *, w->nvalues);
	w->numbers = NEW_ARRAY(w->arena, uint32_t, w->nvalues);
	memset(w->numbers, 0xff, w->nvalues * sizeof *w->numbers);
	map_init(&w->resources, w->arena);
	w->plain_sizes = has_shlo(m);
	if (w->generic) {
		print_module_generic(w, m);
		print_resources(w);
		return;
	}
	print_module_head(w, m);
	print_items(w, m);
	for (const Func *f = m->decls; f; f = f->next)
		print_func(w, f);
	for (const Func *f = m->funcs; f; f = f->next)
		print_func(w, f);
	buf_puts(w->out, "}\n");
	print_resources(w);
}

void mlir_print(const Module *m, Buf *out, const WriteOptions *o)
{
	Printer w = { .c = m->ctx, .arena = arena_new(), .out = out, .locations = o && o->locations,
		.generic = o && o->generic };
	print_module(&w, m);
	arena_free(w.arena);
}

bool mlir_write(Module *m, const char *path, const WriteOptions *o)
{
	Buf b = { 0 };
	OutFile *file = out_open(path, &m->ctx->diags);
	if (!file)
		return false;
	Printer w = { .c = m->ctx, .arena = arena_new(), .out = &b, .file = file, .locations = o && o->locations,
		.generic = o && o->generic };
	print_module(&w, m);
	printer_flush(&w, 0);
	buf_free(&b);
	arena_free(w.arena);
	return out_commit(file, &m->ctx->diags);
}
