#include "write.h"

#include <string.h>

/* The ops: see ir.c for the layout. Values are numbered when their region begins: its arguments, then the results of its
 * ops; the regions of an op take the numbers after those of the region that the op stands in. */

enum { HAS_ATTRS = 1, HAS_RESULTS = 2, HAS_OPERANDS = 4, HAS_REGIONS = 16, HAS_PROPERTIES = 64 };

static bool write_region(BcWriter *w, const Block *b, uint32_t first, Buf *out);

static void put_section(Buf *out, uint8_t id, const Buf *data)
{
	put_byte(out, id);
	put_varint(out, data->len);
	if (data->len)
		buf_put(out, data->data, data->len);
}

/* Name, mask, location, attributes and properties of an op. own: numbers of VHLO's attributes in the order of the table. */
static bool put_head(BcWriter *w, Buf *out, uint64_t name, unsigned parts, uint64_t loc, const NamedAttr *other, size_t nother,
	const LoweredAttr *own, size_t nown)
{
	uint64_t dict = 0;
	Buf b = { 0 };
	bool properties = w->version >= 5;
	if (properties && nother && !builtin_dict_number(w, other, nother, true, &dict))
		return false;
	if (!properties && nown + nother) { /* one dictionary of all */
		uint64_t *names = NEW_ARRAY(w->scratch, uint64_t, nown + nother), *values = NEW_ARRAY(w->scratch, uint64_t,
			nown + nother);
		for (size_t i = 0; i < nown + nother; i++) {
			names[i] = builtin_string_number(w, i < nown ? own[i].name : other[i - nown].name);
			if (i < nown)
				values[i] = own[i].number;
			else if (!attr_number(w, other[i - nown].value, &values[i]))
				return false;
		}
		put_varint(&b, 1); /* a dictionary */
		put_varint(&b, nown + nother);
		for (size_t i = 0; i < nown + nother; i++) {
			put_varint(&b, names[i]);
			put_varint(&b, values[i]);
		}
		dict = entry_number(w, &w->attrs, "builtin", true, &b);
	}
	bool has_dict = properties ? nother > 0 : nown + nother > 0;
	put_varint(out, name);
	put_byte(out, (uint8_t)(parts | (has_dict ? HAS_ATTRS : 0) | (properties && nown ? HAS_PROPERTIES : 0)));
	put_varint(out, loc);
	if (has_dict)
		put_varint(out, dict);
	if (properties && nown) {
		for (size_t i = 0; i < nown; i++)
			put_varint(&b, own[i].number);
		put_varint(out, properties_number(w, &b));
		buf_free(&b);
	}
	return true;
}

static bool put_values(BcWriter *w, const Op *op, Buf *out)
{
	if (op->nresults)
		put_varint(out, op->nresults);
	for (size_t i = 0; i < op->nresults; i++) {
		uint64_t t;
		if (!type_number(w, op->results[i]->type, &t))
			return false;
		put_varint(out, t);
	}
	if (op->noperands)
		put_varint(out, op->noperands);
	for (size_t i = 0; i < op->noperands; i++)
		put_varint(out, w->values[op->operands[i].value->id]);
	return true;
}

static bool write_op(BcWriter *w, const Op *op, uint32_t free, Buf *out)
{
	LoweredOp l;
	w->op = op;
	if (!op_lower(w, op, &l))
		return false;
	unsigned parts = (op->nresults ? HAS_RESULTS : 0) | (op->noperands ? HAS_OPERANDS : 0) | (op->nblocks ? HAS_REGIONS : 0);
	if (!put_head(w, out, op_name_number(w, "vhlo", l.vhlo->name), parts, loc_number(w, op->loc, NULL), l.other.data,
		l.other.len, l.own.data, l.own.len) || !put_values(w, op, out))
		return false;
	if (op->nblocks)
		put_flagged(out, op->nblocks, false);
	for (size_t i = 0; i < op->nblocks; i++)
		if (!write_region(w, op->blocks[i], free, out))
			return false;
	return true;
}

/* The name of an argument is its location's, unless it is what a reader calls one without a name. */
static const Str *arg_loc(BcWriter *w, const Block *b, uint32_t i)
{
	const Str *name = b->parent ? NULL : b->args[i]->name;
	return name && name != str_arg(w->c, (size_t)i) ? name : NULL;
}

static bool put_args(BcWriter *w, const Block *b, Buf *out)
{
	put_varint(out, b->nargs);
	for (uint32_t i = 0; i < b->nargs; i++) {
		const Str *name = arg_loc(w, b, i);
		uint64_t t;
		if (!type_number(w, b->args[i]->type, &t))
			return false;
		if (w->version >= 4)
			put_flagged(out, t, name != NULL);
		else
			put_varint(out, t);
		if (name || w->version < 4)
			put_varint(out, loc_number(w, NULL, name));
	}
	if (w->version >= 3) /* no order of uses */
		put_byte(out, 0);
	return true;
}

static uint32_t number_values(BcWriter *w, const Block *b, uint32_t next, size_t *nops)
{
	*nops = 0;
	for (uint32_t i = 0; i < b->nargs; i++)
		w->values[b->args[i]->id] = next++;
	for (const Op *op = b->first; op; op = op->next) {
		++*nops;
		for (uint32_t i = 0; i < op->nresults; i++)
			w->values[op->results[i]->id] = next++;
	}
	return next;
}

static bool write_block(BcWriter *w, const Block *b, uint32_t first, Buf *out)
{
	size_t nops;
	uint32_t end = number_values(w, b, first, &nops);
	put_varint(out, 1); /* block */
	put_varint(out, end - first);
	put_flagged(out, nops, b->nargs > 0);
	if (b->nargs && !put_args(w, b, out))
		return false;
	for (const Op *op = b->first; op; op = op->next)
		if (!write_op(w, op, end, out))
			return false;
	return true;
}

static bool write_region(BcWriter *w, const Block *b, uint32_t first, Buf *out)
{
	if (!b)
		return write_error(w, "a region is missing");
	if (!write_enter(w))
		return false;
	bool ok = write_block(w, b, first, out);
	write_leave(w);
	return ok;
}

/* ---- functions ---- */

/* A list with a dictionary for each of n arguments or results; an empty one when none has attributes. */
static bool attrs_number(BcWriter *w, NamedAttr *const *meta, size_t n, uint64_t *out)
{
	bool any = false;
	const Attr **v = NEW_ARRAY(w->scratch, const Attr *, n);
	for (size_t i = 0; i < n; i++) {
		size_t len = meta ? named_attr_count(meta[i]) : 0;
		const Str **names = NEW_ARRAY(w->scratch, const Str *, len);
		const Attr **values = NEW_ARRAY(w->scratch, const Attr *, len);
		for (size_t k = 0; k < len; k++) {
			names[k] = meta[i][k].name;
			values[k] = meta[i][k].value;
		}
		v[i] = attr_make(w->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, len } });
		any |= len > 0;
	}
	return attr_number(w, attr_make(w->c, (Attr){ .kind = ATTR_LIST, .u.list = { v, NULL, any ? n : 0 } }), out);
}

static bool function_type(BcWriter *w, const Func *f, uint64_t *out)
{
	uint64_t t;
	const Op *ret = f->body->last;
	size_t nin = f->body->nargs, nout = f->is_declaration ? f->nresults : ret->noperands;
	const Type **types = NEW_ARRAY(w->scratch, const Type *, nin + nout);
	Buf b = { 0 };
	for (size_t i = 0; i < nin; i++)
		types[i] = f->body->args[i]->type;
	for (size_t i = 0; i < nout; i++) {
		if (!f->is_declaration && !ret->operands[i].value)
			return write_error(w, "result %zu is absent", i);
		types[nin + i] = f->is_declaration ? f->result_types[i] : ret->operands[i].value->type;
	}
	if (!function_type_number(w, types, nin, types + nin, nout, &t))
		return false;
	put_varint(&b, VA_TYPE);
	put_varint(&b, t);
	*out = entry_number(w, &w->attrs, "vhlo", true, &b);
	return true;
}

/* Attributes of results, with their names among them. */
static NamedAttr **result_attrs(BcWriter *w, const Func *f, size_t n)
{
	if (!f->result_names)
		return f->result_meta;
	NamedAttr **all = NEW_ARRAY(w->scratch, NamedAttr *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const NamedAttr *old = f->result_meta ? f->result_meta[i] : NULL;
		const Str *name = f->result_names[i];
		size_t count = named_attr_count(old), at = 0;
		if (!name || !name->len) {
			all[i] = f->result_meta ? f->result_meta[i] : NULL;
			continue;
		}
		all[i] = NEW_ARRAY(w->scratch, NamedAttr, count + 2);
		while (at < count && strcmp(old[at].name->s, BC_RESULT_NAME) < 0)
			at++;
		for (size_t k = 0; k < count; k++)
			all[i][k < at ? k : k + 1] = old[k];
		all[i][at] = (NamedAttr){ str(w->c, BC_RESULT_NAME), attr_str(w->c, name) };
	}
	return all;
}

static bool func_attrs(BcWriter *w, const Func *f, LoweredAttr own[5], NamedAttr *other, size_t *nother)
{
	static const char *const names[] = { "arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility" };
	size_t nout = f->is_declaration ? f->nresults : f->body->last->noperands;
	const Str *visibility = w->c->empty;
	*nother = 0;
	for (size_t i = 0; i < f->nattrs; i++) {
		if (!strcmp(f->attrs[i].name->s, "sym_visibility") && f->attrs[i].value->kind == ATTR_STR)
			visibility = f->attrs[i].value->u.str;
		else
			other[(*nother)++] = f->attrs[i];
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		own[i].name = str(w->c, names[i]);
	own[3].number = vhlo_string_number(w, f->name);
	own[4].number = vhlo_string_number(w, visibility);
	return attrs_number(w, f->arg_meta, f->body->nargs, &own[0].number) && function_type(w, f, &own[1].number) &&
		attrs_number(w, result_attrs(w, f, nout), nout, &own[2].number);
}

static bool check_func(BcWriter *w, const Func *f)
{
	if (f->name->len == 0)
		return write_error(w, "a function without a name has no portable form");
	for (uint32_t i = 0; f->arg_default && i < f->body->nargs; i++)
		if (f->arg_default[i])
			return write_error(w, "input %u has a default value, which StableHLO has no form for", (unsigned)i);
	return f->is_declaration || op_is(f->body->last, OP_return) || write_error(w, "the function does not end with return");
}

static bool write_func(BcWriter *w, const Func *f, Buf *out)
{
	LoweredAttr own[5];
	NamedAttr *other = NEW_ARRAY(w->scratch, NamedAttr, f->nattrs + 1u);
	size_t nother;
	Buf body = { 0 };
	w->func = f;
	w->op = NULL;
	if (!check_func(w, f) || !func_attrs(w, f, own, other, &nother) ||
		!put_head(w, out, op_name_number(w, "vhlo", "func_v1"), HAS_REGIONS, loc_number(w, NULL, NULL), other, nother, own, 5))
		return false;
	put_flagged(out, 1, true);
	bool nested = w->version >= 2, ok = true;
	if (f->is_declaration)
		put_varint(nested ? &body : out, 0);
	else
		ok = write_region(w, f->body, 0, nested ? &body : out);
	if (ok && nested)
		put_section(out, SEC_IR, &body);
	buf_free(&body);
	return ok;
}

/* ---- the module ---- */

static void put_optional(BcWriter *w, Buf *b, const Attr *a)
{
	uint64_t n = a ? builtin_string_number(w, a->u.str) : 0;
	if (a)
		put_flagged(b, n, true);
	else
		put_varint(b, 0);
}

/* The module's name and visibility are properties of its op from version 5 on. */
static bool module_head(BcWriter *w, Buf *out)
{
	const Module *m = w->m;
	const Attr *name = module_attr(m, "sym_name"), *visibility = module_attr(m, "sym_visibility");
	NamedAttr *v = NEW_ARRAY(w->scratch, NamedAttr, m->nattrs + 1u);
	uint64_t dict = 0;
	size_t n = 0;
	Buf b = { 0 };
	bool properties = w->version >= 5;
	name = name && name->kind == ATTR_STR ? name : NULL;
	visibility = visibility && visibility->kind == ATTR_STR ? visibility : NULL;
	for (size_t i = 0; i < m->nattrs; i++)
		if (strcmp(m->attrs[i].name->s, "hone.items") != 0 && (!properties || (m->attrs[i].value != name && m->attrs[i].value != visibility)))
			v[n++] = m->attrs[i];
	if (n && !builtin_dict_number(w, v, n, false, &dict))
		return false;
	properties &= name || visibility;
	put_varint(out, op_name_number(w, "builtin", "module"));
	put_byte(out, (uint8_t)(HAS_REGIONS | (n ? HAS_ATTRS : 0) | (properties ? HAS_PROPERTIES : 0)));
	put_varint(out, loc_number(w, NULL, NULL));
	if (n)
		put_varint(out, dict);
	if (properties) {
		put_optional(w, &b, name);
		put_optional(w, &b, visibility);
		put_varint(out, properties_number(w, &b));
		buf_free(&b);
	}
	return true;
}

/* Beside functions only Shardy's meshes have a place: `sdy.mesh @mesh = <["x"=2]>`. */
static bool write_item(BcWriter *w, const Attr *item, Buf *out)
{
	Scan s = scan_of(item->kind == ATTR_TEXT ? item->u.str : w->c->empty);
	const char *name;
	size_t len;
	if (!scan_is(&s, "sdy.mesh @") || (!scan_string(&s, w->scratch, &name, &len) && !scan_word(&s, &name, &len)) ||
		!scan_is(&s, "=") || !scan_is(&s, "<"))
		return write_error(w, "the module has ops beside functions that have no portable form: all but sdy.mesh @name = <...>");
	const Str *mesh = str_fmt(w->c, "#sdy.mesh<%.*s", (int)(s.end - s.s), s.s);
	NamedAttr v[] = { { str(w->c, "mesh"), attr_make(w->c, (Attr){ .kind = ATTR_TEXT, .u.str = mesh }) },
		{ str(w->c, "sym_name"), attr_str(w->c, str_n(w->c, name, len)) } };
	uint64_t number;
	Buf b = { 0 };
	put_varint(out, op_name_number(w, "sdy", "mesh"));
	put_byte(out, w->version >= 5 ? HAS_PROPERTIES : HAS_ATTRS);
	put_varint(out, loc_number(w, NULL, NULL));
	bool ok = true;
	for (size_t i = 0; i < 2 && ok && w->version >= 5; i++)
		if ((ok = builtin_attr_number(w, v[i].value, &number)))
			put_varint(&b, number);
	if (ok && w->version >= 5)
		put_varint(out, properties_number(w, &b));
	else if (ok && (ok = builtin_dict_number(w, v, 2, false, &number)))
		put_varint(out, number);
	buf_free(&b);
	return ok;
}

static bool write_module_body(BcWriter *w, Buf *out)
{
	uint64_t n = 0;
	const Attr *items = module_attr(w->m, "hone.items");
	size_t nitems = items && items->kind == ATTR_LIST ? items->u.list.n : 0;
	for (const Func *f = w->m->decls; f; f = f->next)
		n++;
	for (const Func *f = w->m->funcs; f; f = f->next)
		n++;
	put_varint(out, 1); /* block */
	put_varint(out, 0); /* values */
	put_flagged(out, n + nitems, false);
	for (size_t i = 0; i < nitems; i++)
		if (!write_item(w, items->u.list.v[i], out))
			return false;
	for (const Func *f = w->m->decls; f; f = f->next)
		if (!write_func(w, f, out))
			return false;
	for (const Func *f = w->m->funcs; f; f = f->next)
		if (!write_func(w, f, out))
			return false;
	return true;
}

bool ir_write(BcWriter *w, Buf *out)
{
	Buf body = { 0 };
	put_flagged(out, 1, false);
	if (!module_head(w, out))
		return false;
	put_flagged(out, 1, true);
	bool nested = w->version >= 2, ok = write_module_body(w, nested ? &body : out);
	if (ok && nested)
		put_section(out, SEC_IR, &body);
	buf_free(&body);
	return ok;
}
