#include "mlirbc.h"

#include <string.h>

/* Attributes of Shardy (sdy), which JAX writes beside StableHLO: their bytes refer to other entries of the file, so that they
 * are kept as the text that Shardy prints. A part that only stands in others has a text of the same kind. */

enum {
	SDY_MANUAL_AXES, SDY_MESH_AXIS, SDY_MESH, SDY_SUB_AXIS, SDY_AXIS, SDY_DIMENSION, SDY_SHARDING, SDY_PER_VALUE, SDY_DIM_MAPPING,
	SDY_TENSOR_MAPPING, SDY_RULE, SDY_SHARDING_UNREDUCED = 15, SDY_PER_VALUE_UNREDUCED
};

/* The text between the outer brackets: of "#sdy.mesh<["a"=2]>" it is `["a"=2]`. False: another attribute. */
static bool inner(const Attr *a, Bytes *out)
{
	const char *open = a->kind == ATTR_TEXT ? strchr(a->u.str->s, '<') : NULL;
	if (!open || strncmp(a->u.str->s, "#sdy", 4))
		return false;
	*out = (Bytes){ (const uint8_t *)open + 1, a->u.str->len - (size_t)(open - a->u.str->s) - 2 };
	return true;
}

static bool put_inner(Decoder *d, Buf *b, const Attr *a)
{
	Bytes text;
	if (!inner(a, &text))
		return bc_error(d->c.r, d->c.p, "found another attribute, expected one of sdy");
	buf_put(b, text.data, text.len);
	return true;
}

/* A list of parts, in brackets; each between `before` and `after`. */
static bool put_parts(Decoder *d, Buf *b, const char *open, const char *before, const char *after, const char *close)
{
	const Attr **v;
	size_t n;
	if (!ref_attrs(d, &v, &n))
		return false;
	buf_puts(b, open);
	for (size_t i = 0; i < n && !d->missing; i++) {
		buf_puts(b, i ? ", " : "");
		buf_puts(b, before);
		if (!put_inner(d, b, v[i]))
			return false;
		buf_puts(b, after);
	}
	buf_puts(b, close);
	return true;
}

static bool put_ints(Decoder *d, Buf *b, const char *open)
{
	int64_t *v;
	size_t n;
	if (!cur_ints(&d->c, &v, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%lld", i ? ", " : open, (long long)v[i]);
	if (n)
		buf_puts(b, "]");
	return true;
}

static bool put_manual_axes(Decoder *d, Buf *b)
{
	const Attr **v;
	size_t n;
	if (!ref_attrs(d, &v, &n))
		return false;
	buf_puts(b, "#sdy<manual_axes{");
	for (size_t i = 0; i < n && !d->missing; i++) {
		if (v[i]->kind != ATTR_STR)
			return bc_error(d->c.r, d->c.p, "found another attribute, expected a string");
		buf_puts(b, i ? ", " : "");
		print_bytes(b, v[i]->u.str->s, v[i]->u.str->len);
	}
	buf_puts(b, "}>");
	return true;
}

static bool put_mesh_axis(Decoder *d, Buf *b)
{
	const Str *name;
	int64_t size;
	if (!cur_string(&d->c, &name) || !cur_signed(&d->c, &size))
		return false;
	buf_puts(b, "#sdy.mesh_axis<");
	print_bytes(b, name->s, name->len);
	buf_printf(b, "=%lld>", (long long)size);
	return true;
}

static bool put_mesh(Decoder *d, Buf *b)
{
	if (!put_parts(d, b, "#sdy.mesh<[", "", "", "]") || !put_ints(d, b, ", device_ids=["))
		return false;
	buf_puts(b, ">");
	return true;
}

static bool put_sub_axis(Decoder *d, Buf *b)
{
	int64_t before, size;
	if (!cur_signed(&d->c, &before) || !cur_signed(&d->c, &size))
		return false;
	buf_printf(b, "#sdy.sub_axis_info<(%lld)%lld>", (long long)before, (long long)size);
	return true;
}

static bool put_axis(Decoder *d, Buf *b)
{
	const Str *name;
	Cursor peek;
	uint64_t part;
	bool there;
	if (!cur_string(&d->c, &name))
		return false;
	peek = d->c;
	if (!cur_flagged(&peek, &part, &there))
		return false;
	buf_puts(b, "#sdy.axis_ref<");
	print_bytes(b, name->s, name->len);
	if (there) {
		const Entry *sub;
		if (part >= d->c.r->nattrs)
			return bc_error(d->c.r, d->c.p, "number %llu of an attribute is out of range", (unsigned long long)part);
		if (!ref_number(d, false, (size_t)part, d->c.p, &sub))
			return false;
		buf_puts(b, ":");
		if (sub && !put_inner(d, b, sub->attr))
			return false;
	}
	d->c.p = peek.p;
	buf_puts(b, ">");
	return true;
}

static bool put_dimension(Decoder *d, Buf *b)
{
	uint8_t closed;
	uint64_t priority;
	bool there;
	size_t empty;
	buf_puts(b, "#sdy.dimension_sharding<");
	empty = b->len + 1;
	if (!put_parts(d, b, "{", "", "", "") || !cur_byte(&d->c, &closed) || !cur_flagged(&d->c, &priority, &there))
		return false;
	if (!closed)
		buf_puts(b, b->len == empty ? "?" : ", ?");
	buf_puts(b, "}");
	if (there)
		buf_printf(b, "p%llu", (unsigned long long)priority);
	buf_puts(b, ">");
	return true;
}

/* `, name={...}` when there are such axes. */
static bool put_axes(Decoder *d, Buf *b, const char *name)
{
	Cursor peek = d->c;
	uint64_t n;
	if (!cur_varint(&peek, &n))
		return false;
	if (n)
		buf_printf(b, ", %s=", name);
	return n ? put_parts(d, b, "{", "", "", "}") : put_parts(d, b, "", "", "", "");
}

static bool put_sharding(Decoder *d, Buf *b, bool unreduced)
{
	const Attr *mesh;
	if (!ref_attr(d, &mesh))
		return false;
	buf_puts(b, "#sdy.sharding<");
	if (mesh && mesh->kind == ATTR_SYMREF) {
		put_symbol(b, mesh->u.str);
	} else if (mesh) {
		buf_puts(b, "mesh<");
		if (!put_inner(d, b, mesh))
			return false;
		buf_puts(b, ">");
	}
	if (!put_parts(d, b, ", [", "", "", "]") || !put_axes(d, b, "replicated") || (unreduced && !put_axes(d, b, "unreduced")))
		return false;
	buf_puts(b, ">");
	return true;
}

/* ---- rules: factors have the letters i to z, then z_1, z_2 ... ---- */

static void put_factor(Buf *b, int64_t factor)
{
	enum { LETTERS = 'z' - 'i' + 1 };
	if (factor < LETTERS)
		buf_printf(b, "%c", (char)('i' + factor));
	else
		buf_printf(b, "z_%lld", (long long)(factor - LETTERS + 1));
}

static bool put_dim_mapping(Decoder *d, Buf *b)
{
	int64_t *v;
	size_t n;
	if (!cur_ints(&d->c, &v, &n))
		return false;
	buf_puts(b, "#sdy.dim_mapping<");
	for (size_t i = 0; i < n; i++) {
		if (v[i] < 0)
			return bc_error(d->c.r, d->c.p, "a factor has the number %lld", (long long)v[i]);
		put_factor(b, v[i]);
	}
	buf_puts(b, ">");
	return true;
}

static bool put_factor_set(Decoder *d, Buf *b, const char *name)
{
	int64_t *v;
	size_t n;
	if (!cur_ints(&d->c, &v, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (v[i] < 0)
			return bc_error(d->c.r, d->c.p, "a factor has the number %lld", (long long)v[i]);
		buf_puts(b, i ? ", " : name);
		put_factor(b, v[i]);
	}
	buf_puts(b, n ? "}" : "");
	return true;
}

static bool put_rule(Decoder *d, Buf *b)
{
	int64_t *size;
	size_t n;
	uint8_t custom;
	if (!cur_ints(&d->c, &size, &n) || !put_parts(d, b, "#sdy.op_sharding_rule<(", "[", "]", ")->") ||
		!put_parts(d, b, "(", "[", "]", ") {"))
		return false;
	for (size_t i = 0; i < n; i++) {
		buf_puts(b, i ? ", " : "");
		put_factor(b, (int64_t)i);
		buf_printf(b, "=%lld", (long long)size[i]);
	}
	buf_puts(b, "}");
	if (!put_factor_set(d, b, " reduction={") || !put_factor_set(d, b, " need_replication={") ||
		!put_factor_set(d, b, " permutation={") || !put_factor_set(d, b, " blocked_propagation={") || !cur_byte(&d->c, &custom))
		return false;
	buf_puts(b, custom ? ", custom>" : ">");
	return true;
}

/* ---- the table ---- */

static bool put_attr(Decoder *d, Buf *b, uint64_t code)
{
	switch (code) {
	case SDY_MANUAL_AXES: return put_manual_axes(d, b);
	case SDY_MESH_AXIS: return put_mesh_axis(d, b);
	case SDY_MESH: return put_mesh(d, b);
	case SDY_SUB_AXIS: return put_sub_axis(d, b);
	case SDY_AXIS: return put_axis(d, b);
	case SDY_DIMENSION: return put_dimension(d, b);
	case SDY_SHARDING: return put_sharding(d, b, false);
	case SDY_SHARDING_UNREDUCED: return put_sharding(d, b, true);
	case SDY_PER_VALUE:
	case SDY_PER_VALUE_UNREDUCED: return put_parts(d, b, "#sdy.sharding_per_value<[", "<", ">", "]>");
	case SDY_DIM_MAPPING: return put_dim_mapping(d, b);
	case SDY_TENSOR_MAPPING: return put_parts(d, b, "#sdy.tensor_mapping<", "", "", ">");
	case SDY_RULE: return put_rule(d, b);
	default: return false;
	}
}

bool sdy_knows(const Entry *e)
{
	size_t len = entry_bytes(e).len;
	uint64_t code = len ? e->data[0] >> 1 : UINT64_MAX; /* one byte: its lowest bit is set */
	return !e->is_type && len && (e->data[0] & 1) && (code <= SDY_RULE || code == SDY_SHARDING_UNREDUCED ||
		code == SDY_PER_VALUE_UNREDUCED);
}

bool sdy_decode(Decoder *d)
{
	Buf b = { 0 };
	uint64_t code;
	bool ok = cur_varint(&d->c, &code) && put_attr(d, &b, code);
	if (ok && !d->missing)
		d->self->attr = make_text(d->c.r, str_n(d->c.r->c, b.data, b.len));
	buf_free(&b);
	return ok;
}
