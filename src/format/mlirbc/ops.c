#include "mlirbc.h"
#include "ops/stablehlo.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ATTRS 4096 /* of one op */

/* ---- attributes ---- */

static bool add_dict(BcReader *r, OpHeader *h, const Attr *dict)
{
	if (!dict)
		return true;
	if (dict->kind != ATTR_DICT)
		return bc_error(r, h->at, "the attributes of %s are no dictionary", h->full->s);
	if (dict->u.list.n > MAX_ATTRS)
		return bc_fail(r, HONE_LIMIT, h->at, "%s has %zu attributes, at most %d are supported", h->full->s,
			dict->u.list.n, MAX_ATTRS);
	size_t n = h->attrs.len, total = n + dict->u.list.n;
	NamedAttr *v = NEW_ARRAY(r->scratch, NamedAttr, total);
	if (n)
		memcpy(v, h->attrs.data, n * sizeof *v);
	for (size_t i = 0; n + i < total; i++)
		v[n + i] = (NamedAttr){ dict->u.list.names[i], dict->u.list.v[i] };
	h->attrs = (AttrList){ .data = v, .len = total, .cap = total };
	return true;
}

/* Properties of VHLO's ops: the number of an attribute for each name, in the order of the names. */
static bool vhlo_properties(BcReader *r, OpHeader *h, const char *names, Bytes b)
{
	Cursor c = cur_of(r, b);
	while (*names) {
		size_t len = strcspn(names, " ");
		NamedAttr e = { str_n(r->c, names, len), attr_at(&c) };
		if (!e.value)
			return false;
		VEC_PUSH(r->scratch, &h->attrs, e);
		names += len;
		names += strspn(names, " ");
	}
	return cur_end(&c, "the properties of an op");
}

/* Properties that may be absent: the number's lowest bit says whether they are there. "x!" must be there, "#x" are counts. */
static bool optional_properties(BcReader *r, OpHeader *h, const char *names, Bytes b)
{
	Cursor c = cur_of(r, b);
	while (*names) {
		size_t len = strcspn(names, " ");
		bool there = names[len - 1] == '!', counts = *names == '#';
		NamedAttr e = { str_n(r->c, names + counts, len - there - counts), NULL };
		if (counts) {
			if (!plain_segments(&c, &e.value))
				return false;
		} else if (!there) {
			Cursor peek = c;
			uint64_t v;
			if (!cur_flagged(&peek, &v, &there))
				return false;
			if (there && v >= r->nattrs)
				return bc_error(r, c.p, "number %llu of an attribute is out of range", (unsigned long long)v);
			c = peek;
			const Entry *entry = there ? entry_of(r, false, (size_t)v) : NULL;
			if (there && !entry)
				return false;
			e.value = entry ? entry->attr : NULL;
		} else if (!(e.value = attr_at(&c))) {
			return false;
		}
		if (e.value)
			VEC_PUSH(r->scratch, &h->attrs, e);
		names += len;
		names += strspn(names, " ");
	}
	return cur_end(&c, "the properties of an op");
}

/* What an op that is not known has, as it is. */
static void keep_properties(BcReader *r, OpHeader *h, Bytes b)
{
	list_put(r, &h->attrs, "bytecode.properties", opaque_text(r, b, h->name->dialect, true, false));
}

static size_t count_words(const char *s)
{
	size_t n = *s != 0;
	for (; *s; s++)
		n += *s == ' ';
	return n;
}

/* How many numbers the properties are; 0 when they are no numbers. */
static size_t count_numbers(BcReader *r, Bytes b)
{
	size_t n = 0;
	uint64_t v;
	for (Cursor c = cur_of(r, b); c.p < c.end; n++)
		if (!cur_peek(&c, &v))
			return 0;
	return n;
}

/* An op whose properties changed has a row for each form; they are told apart by their number. */
static const char *known_properties(BcReader *r, const OpHeader *h, Bytes b)
{
	static const struct { const char *name, *attrs; } known[] = {
		{ "builtin.module", "sym_name sym_visibility" },
		{ "func.func", "arg_attrs function_type! res_attrs sym_name! sym_visibility" },
		{ "func.func", "arg_attrs function_type! no_inline res_attrs sym_name! sym_visibility" },
		{ "func.call", "callee!" },
		{ "func.call", "arg_attrs callee! res_attrs" },
		{ "func.call", "arg_attrs callee! no_inline res_attrs" },
		{ "func.return", "" },
		{ "arith.constant", "value!" },
		{ "sdy.mesh", "mesh! sym_name!" },
		{ "sdy.sharding_constraint", "sharding!" },
		{ "sdy.manual_computation", "in_shardings! manual_axes! out_shardings!" },
	};
	const char *first = NULL;
	if (h->dialect == D_SHLO || h->dialect == D_CHLO)
		return plain_properties(h->dialect, h->name->name, count_numbers(r, b));
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strcmp(known[i].name, h->full->s))
			continue;
		if (count_words(known[i].attrs) == count_numbers(r, b))
			return known[i].attrs;
		first = first ? first : known[i].attrs;
	}
	return first;
}

/* An op that the writer did not know has its attributes as one dictionary. */
static const Attr *unregistered_properties(BcReader *r, const OpHeader *h, Bytes b)
{
	Cursor c = cur_of(r, b);
	uint64_t v;
	if (h->name->registered || h->dialect == D_VHLO || count_numbers(r, b) != 1 || !cur_peek(&c, &v) || v >= r->nattrs)
		return NULL;
	c = cur_of(r, b);
	const Attr *dict = attr_at(&c);
	return dict && dict->kind == ATTR_DICT ? dict : NULL;
}

static bool unknown_vhlo(BcReader *r, const OpHeader *h)
{
	bc_fail(r, HONE_UNSUPPORTED, h->at, "unknown op %s in a file of %s", quote(r->scratch, h->full->s, h->full->len),
		r->producer);
	diag_hint(r->d, "ops of VHLO up to version 1.20 are known");
	return false;
}

/* Where ops like this one are noted; NULL: nowhere, as it has no attributes, or as those of functions change. */
static KnownOp **known_ops(BcReader *r, const OpHeader *h)
{
	if (h->name->is_func)
		return NULL;
	if (h->properties)
		return &h->properties->known;
	return h->dict ? (KnownOp **)map_slot(&r->known, MAP_PTR(h->dict)) : NULL;
}

/* Attributes of an op like this one, as they were when it was built. */
static bool take_known(BcReader *r, OpHeader *h)
{
	KnownOp **slot = known_ops(r, h), *k = slot ? *slot : NULL;
	while (k && (k->name != h->name || k->dict != h->dict))
		k = k->next;
	if (!k)
		return false;
	h->attrs.data = (NamedAttr *)k->attrs; /* nothing changes the list of a known op */
	h->attrs.len = h->attrs.cap = k->nattrs;
	h->like = k;
	h->known = true;
	return true;
}

/* A few of those that share properties: a long list would cost more than it saves. */
static void note_known(BcReader *r, OpHeader *h)
{
	enum { MANY = 16 };
	KnownOp **slot = known_ops(r, h);
	size_t n = 0;
	for (const KnownOp *k = slot ? *slot : NULL; k; k = k->next)
		n++;
	if (!slot || n == MANY)
		return;
	KnownOp *made = NEW(r->scratch, KnownOp);
	*made = (KnownOp){ .name = h->name, .dict = h->dict, .next = *slot, .attrs = h->attrs.data, .nattrs = h->attrs.len };
	*slot = h->like = made;
}

static bool add_properties(BcReader *r, OpHeader *h, Bytes b)
{
	const VhloOp *v = h->name->vhlo;
	if (v)
		return vhlo_properties(r, h, v->attrs, b);
	const Attr *all = unregistered_properties(r, h, b);
	if (all)
		return add_dict(r, h, all);
	const char *names = known_properties(r, h, b);
	if (names && b.len)
		return optional_properties(r, h, names, b);
	if (b.len)
		keep_properties(r, h, b);
	return true;
}

bool op_attributes(BcReader *r, OpHeader *h, const Attr *dict, Properties *properties)
{
	OpName *name = h->name;
	if (h->dialect == D_VHLO && !name->vhlo && !(name->vhlo = vhlo_op(name->name->s)))
		return unknown_vhlo(r, h);
	h->dict = dict;
	h->properties = properties;
	return take_known(r, h) || ((!properties || add_properties(r, h, properties_bytes(r, properties))) && add_dict(r, h, dict));
}

static int by_name(const void *a, const void *b)
{
	const Str *x = ((const NamedAttr *)a)->name, *y = ((const NamedAttr *)b)->name;
	size_t n = x->len < y->len ? x->len : y->len;
	int d = memcmp(x->s, y->s, n);
	return d ? d : (x->len > y->len) - (x->len < y->len);
}

/* Two entries of one name would say different things. */
static bool check_names(BcReader *r, const OpHeader *h)
{
	const AttrList *l = &h->attrs;
	if (l->len < 2)
		return true;
	NamedAttr *copy = arena_dup(r->scratch, l->data, l->len * sizeof *l->data);
	qsort(copy, l->len, sizeof *copy, by_name);
	for (size_t i = 1; i < l->len; i++)
		if (copy[i - 1].name == copy[i].name)
			return bc_error(r, h->at, "attribute %s of %s is there twice",
				quote(r->scratch, copy[i].name->s, copy[i].name->len), h->full->s);
	return true;
}

/* ---- functions ---- */

static NamedAttr *terminated(BcReader *r, const Attr *dict)
{
	size_t n = dict->u.list.n;
	NamedAttr *v = NEW_ARRAY(r->m->arena, NamedAttr, n + 1);
	for (size_t i = 0; i < n; i++)
		v[i] = (NamedAttr){ dict->u.list.names[i], dict->u.list.v[i] };
	return v;
}

/* One dictionary for each of n arguments or results; NULL when all are empty. */
static bool split_attrs(BcReader *r, const OpHeader *h, const Attr *list, size_t n, NamedAttr ***out)
{
	*out = NULL;
	if (!list || (list->kind == ATTR_LIST && list->u.list.n == 0))
		return true;
	if (list->kind != ATTR_LIST || list->u.list.n != n)
		return bc_error(r, h->at, "a function with %zu arguments or results has attributes for another number", n);
	for (size_t i = 0; i < n; i++) {
		const Attr *dict = list->u.list.v[i];
		if (dict->kind != ATTR_DICT || dict->u.list.n > MAX_ATTRS)
			return bc_error(r, h->at, "the attributes of an argument or result are no dictionary");
		if (dict->u.list.n == 0)
			continue;
		if (!*out)
			*out = NEW_ARRAY(r->m->arena, NamedAttr *, n);
		(*out)[i] = terminated(r, dict);
	}
	return true;
}

bool func_begin(BcReader *r, OpHeader *h, Func **out)
{
	const Attr *name = list_take(&h->attrs, "sym_name");
	if (!name || name->kind != ATTR_STR || name->u.str->len == 0)
		return bc_error(r, h->at, "a function has no name");
	if (map_has(&r->funcs, MAP_PTR(name->u.str)))
		return bc_error(r, h->at, "function %s is there twice", quote(r->scratch, name->u.str->s, name->u.str->len));
	h->signature = list_take(&h->attrs, "function_type");
	*out = func_new(r->m, name->u.str);
	map_put(&r->funcs, MAP_PTR(name->u.str), *out);
	return true;
}

static NamedAttr *keep(BcReader *r, AttrList *l, uint16_t *n)
{
	if (l->len)
		qsort(l->data, l->len, sizeof *l->data, by_name);
	*n = (uint16_t)l->len;
	return l->len ? arena_dup(r->m->arena, l->data, l->len * sizeof *l->data) : NULL;
}

/* The names of results that the writer put among their attributes. */
static void take_result_names(BcReader *r, Func *f, size_t n)
{
	bool left = false;
	for (size_t i = 0; f->result_meta && i < n; i++) {
		NamedAttr *list = f->result_meta[i];
		size_t count = named_attr_count(list), kept = 0;
		for (size_t k = 0; k < count; k++) {
			if (strcmp(list[k].name->s, BC_RESULT_NAME) || list[k].value->kind != ATTR_STR) {
				list[kept++] = list[k];
				continue;
			}
			if (!f->result_names)
				f->result_names = NEW_ARRAY(r->m->arena, const Str *, n);
			f->result_names[i] = list[k].value->u.str;
		}
		if (kept < count)
			list[kept] = (NamedAttr){ NULL, NULL };
		f->result_meta[i] = kept ? list : NULL;
		left |= kept > 0;
	}
	if (!left)
		f->result_meta = NULL;
}

static bool finish_func(BcReader *r, OpHeader *h, Func *f, size_t nresults)
{
	const Attr *args = list_take(&h->attrs, "arg_attrs"), *results = list_take(&h->attrs, "res_attrs");
	const Attr *visibility = list_take(&h->attrs, "sym_visibility");
	bool given = visibility && (visibility->kind != ATTR_STR || visibility->u.str->len);
	if (given && !is_visibility(visibility))
		return bc_error(r, h->at, "the visibility of function %s is none of \"public\", \"private\" and \"nested\"",
			quote(r->scratch, f->name->s, f->name->len));
	if (given)
		list_put(r, &h->attrs, "sym_visibility", visibility);
	if (!split_attrs(r, h, args, f->body->nargs, &f->arg_meta) ||
		!split_attrs(r, h, results, nresults, &f->result_meta) || !check_names(r, h))
		return false;
	take_result_names(r, f, nresults);
	f->attrs = keep(r, &h->attrs, &f->nattrs);
	return true;
}

bool func_end(BcReader *r, OpHeader *h, Func *f)
{
	const Op *ret = f->body->last;
	if (!op_is(ret, OP_return))
		return bc_error(r, h->at, "function %s does not end with a return",
			quote(r->scratch, f->name->s, f->name->len));
	return finish_func(r, h, f, ret->noperands);
}

bool func_end_declaration(BcReader *r, OpHeader *h, Func *f)
{
	size_t index = h->signature ? (size_t)(uintptr_t)map_get(&r->signatures, MAP_PTR(h->signature)) : 0;
	if (!index)
		return bc_error(r, h->at, "function %s has no type", quote(r->scratch, f->name->s, f->name->len));
	const Entry *e = &r->entries[index - 1];
	const FunctionParts *parts = e->function;
	const Type **results = NEW_ARRAY(r->scratch, const Type *, parts->nresults);
	for (size_t i = 0; i < parts->ninputs; i++)
		block_add_arg(f->body, value_of_type(r, e, parts->inputs[i]), str_arg(r->c, i));
	for (size_t i = 0; i < parts->nresults; i++)
		results[i] = value_of_type(r, e, parts->results[i]);
	if (!finish_func(r, h, f, parts->nresults))
		return false;
	func_declare(f, results, (uint32_t)parts->nresults);
	return true;
}

/* ---- ops ---- */

/* "add" of "add_v1". */
static const Str *without_version(BcReader *r, const Str *name)
{
	const char *v = strrchr(name->s, '_');
	return v ? str_n(r->c, name->s, (size_t)(v - name->s)) : name;
}

static bool check_counts(BcReader *r, const OpHeader *h, const OpDef *d, size_t nblocks)
{
	if (h->noperands < d->min_operands || (d->max_operands != UINT16_MAX && h->noperands > d->max_operands))
		return bc_error(r, h->at, "%s has %zu operands", h->full->s, h->noperands);
	if (h->nresults < d->min_results || (d->max_results != UINT16_MAX && h->nresults > d->max_results))
		return bc_error(r, h->at, "%s has %zu results", h->full->s, h->nresults);
	if ((d->traits & TRAIT_TERMINATOR) && h->nresults)
		return bc_error(r, h->at, "%s has results", h->full->s);
	bool may = (d->traits & TRAIT_REGIONS) || d->kind == OP_UNKNOWN || d->kind == SHLO_custom_call || d->kind == SHLO_composite;
	if (nblocks && !may)
		return bc_error(r, h->at, "%s has regions", h->full->s);
	return true;
}

/* The name of the function that is called is a string in the IR. */
static const OpDef *find_call(BcReader *r, OpHeader *h)
{
	if (h->known)
		return h->name->def;
	const Attr *callee = list_take(&h->attrs, "callee");
	if (callee && callee->kind == ATTR_SYMREF)
		callee = attr_str(r->c, callee->u.str);
	if (!callee || callee->kind != ATTR_STR) {
		bc_error(r, h->at, "a call without the name of a function");
		return NULL;
	}
	list_put(r, &h->attrs, "callee", callee);
	return h->name->def = op_def(r->c, OP_call);
}

/* What the op is in the IR; a return ends functions and, in VHLO, regions. */
static const OpDef *find_def(BcReader *r, OpHeader *h, const Block *b)
{
	if (h->name->is_call)
		return find_call(r, h);
	if (h->name->is_return && b == b->func->body)
		return op_def(r->c, OP_return);
	OpName *name = h->name;
	if (h->dialect != D_VHLO) {
		name->def = name->def ? name->def : op_def_find(r->c, h->full->s, h->full->len);
		bool plain = !h->known && name->def->kind >= SHLO_abs;
		return !plain || plain_translate(r, h->at, name->def, &h->attrs) ? name->def : NULL;
	}
	if (!name->def) {
		name->base = without_version(r, name->name);
		const Str *full = str_fmt(r->c, "stablehlo.%s", name->base->s);
		name->def = op_def_find(r->c, full->s, full->len);
	}
	if (!h->known && !vhlo_translate(r, h->at, name->base, name->vhlo->attrs, &h->attrs))
		return NULL;
	return name->def;
}

/* Whether StableHLO's rules leave nothing to say about the op. Of ops without regions, which have the same attributes, that
 * depends on the types alone, and most of them are as they were before. */
static bool is_sound(OpHeader *h, const Op *op)
{
	KnownOp *k = h->like;
	size_t n = op->noperands;
	if (!k || op->nblocks || op->nresults != 1 || n >= KNOWN_TYPES)
		return shlo_op_fits(op);
	bool same = k->ntypes == n + 1 && k->types[n] == op->results[0]->type;
	for (size_t i = 0; i < n && same; i++)
		same = k->types[i] == op->operands[i].value->type;
	if (same)
		return true;
	if (!shlo_op_fits(op))
		return false;
	for (size_t i = 0; i < n; i++)
		k->types[i] = op->operands[i].value->type;
	k->types[n] = op->results[0]->type;
	k->ntypes = n + 1;
	return true;
}

bool op_build(BcReader *r, OpHeader *h, Block *b, Block *const *blocks, Op **out)
{
	const OpDef *def = find_def(r, h, b);
	if (!def || !check_counts(r, h, def, h->nregions) || (!h->known && !check_names(r, h)))
		return false;
	if (!h->known && def == h->name->def)
		note_known(r, h);
	if (b->last && (b->last->def->traits & TRAIT_TERMINATOR))
		return bc_error(r, h->at, "%s follows the %s that ends its block", h->full->s, b->last->def->name->s);
	OpSpec s = { .def = def, .operands = h->operands, .noperands = h->noperands, .types = h->types,
		.nresults = h->nresults, .attrs = h->attrs.data, .nattrs = h->attrs.len, .nblocks = h->nregions,
		.loc = h->loc };
	Op *op = op_new(b, NULL, &s);
	for (size_t i = 0; i < h->nregions; i++)
		op_set_block(op, i, blocks[i]);
	r->nsound += is_sound(h, op);
	*out = op;
	return true;
}
