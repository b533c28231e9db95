#include "onnx.h"

#include <inttypes.h>
#include <string.h>

/* ---- reading ---- */

static DType parse_dtype(int64_t code, TypeFault *fault)
{
	DType d = dtype_from_onnx(code);
	if (d == DT_NONE && code != 0)
		fault->bad_code = code;
	return d;
}

/* A name that starts with "?" would read as one of hone's own unknowns. */
static const Sym *parse_dim(Context *c, Bytes msg, TypeFault *fault)
{
	Cursor cur = cursor_of(msg);
	Field f;
	const Sym *s = NULL;
	while (field_next(&cur, &f)) {
		if (f.number == 1 && field_int(&f) >= 0) {
			s = sym_int(c, field_int(&f));
		} else if (f.number == 1) {
			s = NULL;
			fault->negative_dim = true;
		} else if (f.number == 2) {
			bool named = f.bytes.len && f.bytes.data[0] != '?';
			s = named ? sym_symbol(c, str_n(c, (const char *)f.bytes.data, f.bytes.len)) : NULL;
		}
	}
	return s ? s : sym_unknown(c);
}

typedef struct Shape {
	VEC(const Sym *) dims;
	int rank;
} Shape;

static void parse_shape(Context *c, Bytes msg, Shape *s, TypeFault *fault)
{
	Cursor cur = cursor_of(msg);
	Field f;
	s->rank = 0;
	while (field_next(&cur, &f))
		if (f.number == 1 && s->rank < INT16_MAX) {
			VEC_PUSH(c->arena, &s->dims, parse_dim(c, f.bytes, fault));
			s->rank++;
		}
}

static const Type *parse_tensor(Context *c, TypeKind kind, Bytes msg, TypeFault *fault)
{
	Cursor cur = cursor_of(msg);
	Field f;
	Type t = { .kind = kind, .rank = RANK_UNKNOWN };
	Shape shape = { .rank = RANK_UNKNOWN };
	while (field_next(&cur, &f)) {
		if (f.number == 1)
			t.dtype = parse_dtype(field_int(&f), fault);
		else if (f.number == 2)
			parse_shape(c, f.bytes, &shape, fault);
	}
	t.rank = shape.rank;
	t.dims = shape.dims.data;
	return type_make(c, t);
}

/* Sequence, optional and map: an element type in field 1 or 2. */
static const Type *parse_container(Context *c, TypeKind kind, Bytes msg, TypeFault *fault)
{
	Cursor cur = cursor_of(msg);
	Field f;
	const Type *elem = type_unknown(c);
	Type t = { .kind = kind, .rank = RANK_UNKNOWN, .elem = &elem, .nelem = 1 };
	uint32_t elem_field = kind == TYPE_MAP ? 2 : 1;
	while (field_next(&cur, &f)) {
		if (f.number == elem_field)
			elem = type_msg_parse(c, f.bytes, fault);
		else if (kind == TYPE_MAP && f.number == 1)
			t.dtype = parse_dtype(field_int(&f), fault);
	}
	return type_make(c, t);
}

/* The text of an opaque type is "domain::name". */
static const Type *parse_opaque(Context *c, Bytes msg)
{
	Cursor cur = cursor_of(msg);
	Field f;
	Bytes domain = { 0 }, name = { 0 };
	while (field_next(&cur, &f)) {
		if (f.number == 1)
			domain = f.bytes;
		else if (f.number == 2)
			name = f.bytes;
	}
	Buf b = { 0 };
	buf_put(&b, domain.data, domain.len);
	buf_puts(&b, "::");
	buf_put(&b, name.data, name.len);
	const Str *text = str_n(c, b.data, b.len);
	buf_free(&b);
	return type_make(c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = text });
}

const Type *type_msg_parse(Context *c, Bytes msg, TypeFault *fault)
{
	Cursor cur = cursor_of(msg);
	Field f;
	const Type *t = type_unknown(c);
	while (field_next(&cur, &f)) {
		switch (f.number) {
		case TYPE_tensor:
			t = parse_tensor(c, TYPE_TENSOR, f.bytes, fault);
			break;
		case TYPE_sparse:
			t = parse_tensor(c, TYPE_SPARSE, f.bytes, fault);
			break;
		case TYPE_sequence:
			t = parse_container(c, TYPE_SEQUENCE, f.bytes, fault);
			break;
		case TYPE_optional:
			t = parse_container(c, TYPE_OPTIONAL, f.bytes, fault);
			break;
		case TYPE_map:
			t = parse_container(c, TYPE_MAP, f.bytes, fault);
			break;
		case TYPE_opaque:
			t = parse_opaque(c, f.bytes);
			break;
		default:
			break;
		}
	}
	return t;
}

bool type_msg_read(Reader *r, Bytes msg, const char *what, const Type **out)
{
	TypeFault fault = { 0 };
	*out = type_msg_parse(r->c, msg, &fault);
	if (fault.bad_code)
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "element type %" PRId64 " does not exist in ONNX",
			fault.bad_code);
	if (fault.negative_dim && !r->warned_negative_dim) {
		Loc loc = reader_loc(r, msg.data, what);
		diag_warn(r->d, &loc, "negative dimension, taken as unknown");
		r->warned_negative_dim = true;
	}
	return true;
}

bool info_msg_read(Reader *r, Bytes msg, const char *what, InfoMsg *out)
{
	Cursor c = cursor_of(msg);
	Field f;
	*out = (InfoMsg){ .name = r->c->empty, .type = type_unknown(r->c), .msg = msg };
	while (field_next(&c, &f)) {
		if (f.number == INFO_name)
			out->name = reader_str(r, f.bytes);
		else if (f.number == INFO_type && !type_msg_read(r, f.bytes, what, &out->type))
			return false;
	}
	return true;
}

/* ---- comparing ---- */

static bool dim_same(const Sym *a, const Sym *b)
{
	return a == b || (sym_is_unknown(a) && sym_is_unknown(b));
}

bool type_same(const Type *a, const Type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->dtype != b->dtype || a->rank != b->rank || a->nelem != b->nelem || a->text != b->text)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (!dim_same(a->dims[i], b->dims[i]))
			return false;
	for (int i = 0; i < a->nelem; i++)
		if (!type_same(a->elem[i], b->elem[i]))
			return false;
	return true;
}

/* ---- writing ---- */

bool type_has_onnx(const Type *t)
{
	switch (t->kind) {
	case TYPE_TENSOR:
	case TYPE_SPARSE:
		return dtype_onnx(t->dtype) != 0;
	case TYPE_SEQUENCE:
	case TYPE_OPTIONAL:
		return t->nelem == 1 && type_has_onnx(t->elem[0]);
	case TYPE_MAP:
		return t->nelem == 1 && dtype_onnx(t->dtype) != 0 && type_has_onnx(t->elem[0]);
	case TYPE_OPAQUE:
		return t->text != NULL;
	default:
		return false;
	}
}

/* First field of that number in a message, or nothing. */
static Bytes find_field(Bytes msg, uint32_t number)
{
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f))
		if (f.number == number && f.wire == WIRE_BYTES)
			return f.bytes;
	return (Bytes){ 0 };
}

static void put_others(Wire *w, Bytes msg, const uint32_t *written, size_t n)
{
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		bool done = false;
		for (size_t i = 0; i < n; i++)
			done = done || f.number == written[i];
		if (!done)
			wire_put(w, f.whole.data, f.whole.len);
	}
}

static void put_dim(Wire *shape, const Sym *dim, Bytes old)
{
	Wire *w = wire_new(shape->arena);
	int64_t v;
	if (sym_const(dim, &v)) {
		wire_int(w, 1, v);
	} else if (!sym_is_unknown(dim)) {
		Buf b = { 0 };
		if (sym_kind(dim) == SYM_SYMBOL)
			wire_str(w, 2, sym_name(dim));
		else {
			sym_print(dim, &b);
			if (!strchr(b.data, '?')) /* part of it is unknown: so is the whole */
				wire_text(w, 2, b.data);
			buf_free(&b);
		}
	}
	put_others(w, old, (const uint32_t[]){ 1, 2 }, 2);
	wire_message(shape, 1, w);
}

static void put_tensor_type(Wire *parent, uint32_t number, const Type *t, Bytes old)
{
	Wire *w = wire_new(parent->arena);
	wire_int(w, 1, dtype_onnx(t->dtype));
	if (t->rank >= 0) {
		Bytes old_shape = find_field(old, 2);
		Cursor c = cursor_of(old_shape);
		int old_rank = 0;
		Field f;
		while (field_next(&c, &f))
			old_rank += f.number == 1;
		if (old_rank != t->rank)
			old_shape = (Bytes){ 0 };
		c = cursor_of(old_shape);
		Wire *shape = wire_new(w->arena);
		for (int i = 0; i < t->rank; i++) {
			Bytes old_dim = { 0 };
			while (field_next(&c, &f))
				if (f.number == 1) {
					old_dim = f.bytes;
					break;
				}
			put_dim(shape, t->dims[i], old_dim);
		}
		wire_message(w, 2, shape);
	}
	put_others(w, old, (const uint32_t[]){ 1, 2 }, 2);
	wire_message(parent, number, w);
}

static void put_container(Wire *parent, uint32_t number, const Type *t, Bytes old)
{
	Wire *w = wire_new(parent->arena), *elem = wire_new(parent->arena);
	uint32_t elem_field = t->kind == TYPE_MAP ? 2 : 1;
	if (t->kind == TYPE_MAP)
		wire_int(w, 1, dtype_onnx(t->dtype));
	type_msg_write(elem, t->elem[0], find_field(old, elem_field));
	wire_message(w, elem_field, elem);
	wire_message(parent, number, w);
}

static void put_opaque(Wire *parent, const Type *t)
{
	Wire *w = wire_new(parent->arena);
	const char *sep = strstr(t->text->s, "::");
	size_t n = sep ? (size_t)(sep - t->text->s) : 0;
	const char *name = sep ? sep + 2 : t->text->s;
	if (n)
		wire_bytes(w, 1, t->text->s, n);
	wire_bytes(w, 2, name, (size_t)(t->text->s + t->text->len - name));
	wire_message(parent, TYPE_opaque, w);
}

void type_msg_write(Wire *w, const Type *t, Bytes old)
{
	static const uint32_t numbers[] = {
		[TYPE_TENSOR] = TYPE_tensor, [TYPE_SPARSE] = TYPE_sparse, [TYPE_SEQUENCE] = TYPE_sequence,
		[TYPE_OPTIONAL] = TYPE_optional, [TYPE_MAP] = TYPE_map, [TYPE_OPAQUE] = TYPE_opaque
	};
	uint32_t number = t->kind < ARRAY_LEN(numbers) ? numbers[t->kind] : 0;
	if (t->kind == TYPE_OPAQUE && t->text)
		put_opaque(w, t);
	else if (t->kind == TYPE_TENSOR || t->kind == TYPE_SPARSE)
		put_tensor_type(w, number, t, find_field(old, number));
	else if (number && t->nelem == 1)
		put_container(w, number, t, find_field(old, number));
	put_others(w, old, numbers, ARRAY_LEN(numbers));
}

void info_msg_write(Context *c, Wire *w, const Str *name, const Type *t, Bytes old)
{
	Bytes old_type = find_field(old, INFO_type), old_name = find_field(old, INFO_name);
	bool same_name = old_name.len == name->len && (name->len == 0 || memcmp(old_name.data, name->s, name->len) == 0);
	if (!same_name) /* the outputs of a nested graph moved: that was another value */
		old = old_type = (Bytes){ 0 };
	if (old_type.data) {
		TypeFault fault = { 0 };
		bool conflict = false;
		const Type *was = type_msg_parse(c, old_type, &fault);
		t = type_refine(c, t, was, &conflict);
		if (same_name && type_same(t, was)) {
			wire_put(w, old.data, old.len);
			return;
		}
	}
	wire_str(w, INFO_name, name);
	if (type_has_onnx(t)) {
		Wire *type = wire_new(w->arena);
		type_msg_write(type, t, old_type);
		wire_message(w, INFO_type, type);
	}
	put_others(w, old, (const uint32_t[]){ INFO_name, INFO_type }, 2);
}
