#include "mlirbc.h"

#include <string.h>

/* Entries refer to each other, so one is decoded like this: a stack holds what is wanted; the top entry is decoded, and
 * the entries that it needs and that are not there yet are pushed while it says that it is not complete. When it is on
 * top again, all of them are there. An entry that is open (was tried once) and is needed by one above it is part of a
 * cycle. Each is decoded at most twice. */

bool ref_entry(Decoder *d, bool is_type, const Entry **out)
{
	BcReader *r = d->c.r;
	const uint8_t *at = d->c.p;
	size_t i, n = is_type ? r->ntypes : r->nattrs;
	*out = NULL;
	return cur_index(&d->c, is_type ? "type" : "attribute", n, &i) && ref_number(d, is_type, i, at, out);
}

bool ref_number(Decoder *d, bool is_type, size_t i, const uint8_t *at, const Entry **out)
{
	BcReader *r = d->c.r;
	*out = NULL;
	size_t index = i + (is_type ? r->nattrs : 0);
	Entry *e = &r->entries[index];
	if (e->state == ENTRY_OPEN)
		return bc_error(r, at, "%s %zu is part of itself", is_type ? "type" : "attribute", i);
	if (e->state == ENTRY_NEW) {
		d->missing = true;
		VEC_PUSH(r->scratch, &r->pending, (uint32_t)index);
		return true;
	}
	unsigned depth = e->depth + 1u;
	if (depth > BC_MAX_DEPTH)
		return bc_fail(r, HONE_LIMIT, at, "attributes or types are nested deeper than %d levels", BC_MAX_DEPTH);
	if (depth > d->self->depth)
		d->self->depth = (uint16_t)depth;
	d->self->weight += e->weight;
	if (d->self->weight > (d->self->is_type ? BC_MAX_TYPE_WEIGHT : BC_MAX_WEIGHT))
		return bc_fail(r, HONE_LIMIT, at, "an attribute or type stands for more than %d others",
			d->self->is_type ? BC_MAX_TYPE_WEIGHT : BC_MAX_WEIGHT);
	d->self->dynamic |= e->dynamic;
	*out = e;
	return true;
}

bool ref_attr(Decoder *d, const Attr **out)
{
	const Entry *e;
	*out = NULL;
	if (!ref_entry(d, false, &e))
		return false;
	if (e)
		*out = e->attr;
	return true;
}

bool ref_type(Decoder *d, const Type **out)
{
	const Entry *e;
	*out = NULL;
	if (!ref_entry(d, true, &e))
		return false;
	if (e)
		*out = e->type;
	return true;
}

bool ref_str(Decoder *d, const Str **out)
{
	const uint8_t *at = d->c.p;
	const Attr *a;
	*out = NULL;
	if (!ref_attr(d, &a))
		return false;
	if (a && a->kind != ATTR_STR)
		return bc_error(d->c.r, at, "found another attribute, expected a string");
	if (a)
		*out = a->u.str;
	return true;
}

bool ref_attrs(Decoder *d, const Attr ***out, size_t *n)
{
	if (!cur_count(&d->c, "attributes", n))
		return false;
	*out = NEW_ARRAY(d->c.r->scratch, const Attr *, *n);
	for (size_t i = 0; i < *n; i++)
		if (!ref_attr(d, &(*out)[i]))
			return false;
	return true;
}

bool ref_types(Decoder *d, const Type ***out, size_t *n)
{
	if (!cur_count(&d->c, "types", n))
		return false;
	*out = NEW_ARRAY(d->c.r->scratch, const Type *, *n);
	for (size_t i = 0; i < *n; i++)
		if (!ref_type(d, &(*out)[i]))
			return false;
	return true;
}

/* ---- decoding ---- */

/* Of a dialect that is not known, or as text: kept as it is. */
static bool decode_opaque(Decoder *d)
{
	Entry *e = d->self;
	BcReader *r = d->c.r;
	size_t len = entry_bytes(e).len;
	if (!e->custom && (len == 0 || e->data[len - 1] != 0 || memchr(e->data, 0, len - 1)))
		return bc_error(r, e->data, "the text of an attribute or type does not end with NUL");
	for (size_t i = 0; !e->custom && i + 1 < len;) {
		size_t step = utf8_length(e->data + i, len - 1 - i);
		if (step == 0)
			return bc_error(r, e->data + i, "invalid UTF-8 in the text of an attribute or type");
		i += step;
	}
	const Attr *text = opaque_entry(r, e);
	if (e->is_type)
		e->type = type_make(r->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = text->u.str });
	else
		e->attr = text;
	d->c.p = d->c.end;
	return true;
}

static bool decode(Decoder *d)
{
	switch (d->self->custom ? d->c.r->dialects[d->self->dialect].kind : D_OTHER) {
	case D_BUILTIN:
		return builtin_decode(d);
	case D_VHLO:
		return vhlo_decode(d);
	case D_SDY:
		return sdy_knows(d->self) ? sdy_decode(d) : decode_opaque(d);
	case D_SHLO:
	case D_CHLO:
		return plain_decode(d);
	default:
		return decode_opaque(d);
	}
}

static bool decode_one(BcReader *r, uint32_t index)
{
	Entry *e = &r->entries[index];
	Decoder d = { .c = cur_of(r, entry_bytes(e)), .self = e };
	size_t before = r->pending.len;
	e->depth = 0;
	e->weight = 1;
	e->dynamic = false;
	e->state = ENTRY_OPEN;
	if (!decode(&d))
		return false;
	if (d.missing)
		return true;
	CHECK(r->pending.len == before);
	if (!cur_end(&d.c, e->is_type ? "a type" : "an attribute"))
		return false;
	CHECK(e->is_type ? e->type != NULL : e->attr != NULL);
	e->state = ENTRY_DONE;
	r->pending.len--;
	return true;
}

static bool resolve_new(BcReader *r, size_t index)
{
	r->pending.len = 0;
	VEC_PUSH(r->scratch, &r->pending, (uint32_t)index);
	while (r->pending.len) {
		uint32_t top = r->pending.data[r->pending.len - 1];
		if (r->entries[top].state == ENTRY_DONE) /* pushed by two others */
			r->pending.len--;
		else if (!decode_one(r, top))
			return false;
	}
	return true;
}

static inline bool resolve(BcReader *r, size_t index)
{
	return r->entries[index].state == ENTRY_DONE || resolve_new(r, index);
}

const Entry *entry_at(Cursor *c, bool is_type)
{
	size_t i;
	BcReader *r = c->r;
	if (!cur_index(c, is_type ? "type" : "attribute", is_type ? r->ntypes : r->nattrs, &i))
		return NULL;
	return entry_of(r, is_type, i);
}

const Entry *entry_of(BcReader *r, bool is_type, size_t i)
{
	i += is_type ? r->nattrs : 0;
	return resolve(r, i) ? &r->entries[i] : NULL;
}

const Entry *loc_at(Cursor *c)
{
	size_t i;
	BcReader *r = c->r;
	if (!cur_index(c, "attribute", r->nattrs, &i))
		return NULL;
	Entry *e = &r->entries[i];
	bool plain = e->state == ENTRY_NEW && e->custom && r->dialects[e->dialect].kind == D_BUILTIN && builtin_file_loc(r, e);
	return plain || resolve(r, i) ? e : NULL;
}

const Attr *attr_at(Cursor *c)
{
	const Entry *e = entry_at(c, false);
	return e ? e->attr : NULL;
}

/* ---- types of values ---- */

/* Nesting is at most BC_MAX_DEPTH and the number of parts at most BC_MAX_TYPE_WEIGHT. */
static const Type *fresh(Context *c, Arena *a, const Type *t)
{
	Type copy = *t;
	if (t->nelem) {
		const Type **elem = NEW_ARRAY(a, const Type *, t->nelem);
		for (int i = 0; i < t->nelem; i++)
			elem[i] = fresh(c, a, t->elem[i]);
		copy.elem = elem;
	}
	if (t->rank > 0) {
		const Sym **dims = NEW_ARRAY(a, const Sym *, t->rank);
		for (int i = 0; i < t->rank; i++)
			dims[i] = sym_is_unknown(t->dims[i]) ? sym_unknown(c) : t->dims[i];
		copy.dims = dims;
	}
	return type_make(c, copy);
}

const Type *value_of_type(BcReader *r, const Entry *e, const Type *t)
{
	return e->dynamic ? fresh(r->c, r->scratch, t) : t;
}

const Type *value_type(BcReader *r, const Entry *e)
{
	return value_of_type(r, e, e->type);
}
