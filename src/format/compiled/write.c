/* Writes the compiled form. */
#include "format/compiled/compiled.h"

#include <string.h>
#include <zlib.h>

typedef struct Tables {
	Context *c;
	Arena *a;
	Buf strings, types, tensors, attrs, body;
	Map string_ids, type_ids, tensor_ids, attr_ids; /* pointer -> number + 1 */
	Map value_ids;                                  /* value id -> number + 1 */
	Map places;                                     /* Blob -> where it lies + 1 */
	VEC(const Blob *) blobs;
	VEC(uint64_t) offsets;
	uint64_t end;                                   /* of the tensors so far */
	uint32_t nvalues;
	bool ok;
} Tables;

static void put_u(Buf *b, uint64_t v)
{
	uint8_t byte;
	do {
		byte = (uint8_t)(v & 0x7f);
		v >>= 7;
		byte |= v ? 0x80 : 0;
		buf_put(b, &byte, 1);
	} while (v);
}

static void put_i(Buf *b, int64_t v)
{
	put_u(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static void put_f(Buf *b, double v)
{
	buf_put(b, &v, sizeof(v));
}

static uint64_t fresh(Map *m, const void *key)
{
	uint64_t n = m->len;
	map_put(m, MAP_PTR(key), (void *)(uintptr_t)(n + 1));
	return n;
}

/* 0: none. */
static uint64_t string_ref(Tables *t, const Str *s)
{
	if (!s)
		return 0;
	uintptr_t known = (uintptr_t)map_get(&t->string_ids, MAP_PTR(s));
	if (known)
		return known;
	put_u(&t->strings, s->len);
	buf_put(&t->strings, s->s, s->len);
	return fresh(&t->string_ids, s) + 1;
}

static uint64_t type_ref(Tables *t, const Type *y)
{
	uint64_t elems[64];
	uintptr_t known = (uintptr_t)map_get(&t->type_ids, MAP_PTR(y));
	if (known)
		return known;
	if (y->nelem > (int)ARRAY_LEN(elems))
		return t->ok = diag_error(&t->c->diags, HONE_UNSUPPORTED, NULL, "a tuple of %d elements", y->nelem), 0;
	for (int i = 0; i < y->nelem; i++)
		elems[i] = type_ref(t, y->elem[i]);
	uint64_t text = string_ref(t, y->text);
	put_u(&t->types, y->kind);
	put_u(&t->types, y->dtype);
	put_i(&t->types, y->kind == TYPE_TENSOR || y->kind == TYPE_SPARSE ? y->rank : 0);
	for (int i = 0; (y->kind == TYPE_TENSOR || y->kind == TYPE_SPARSE) && i < y->rank; i++) {
		int64_t n;
		bool number = sym_const(y->dims[i], &n);
		put_u(&t->types, number);
		if (number) {
			put_i(&t->types, n);
			continue;
		}
		Buf s = { 0 };
		sym_print(y->dims[i], &s);
		put_u(&t->types, s.len);
		buf_put(&t->types, s.data, s.len);
		buf_free(&s);
	}
	put_u(&t->types, (uint64_t)y->nelem);
	for (int i = 0; i < y->nelem; i++)
		put_u(&t->types, elems[i]);
	put_u(&t->types, text);
	return fresh(&t->type_ids, y) + 1;
}

static uint64_t place_of(Tables *t, const Blob *b)
{
	void **slot = map_slot(&t->places, MAP_PTR(b));
	if (!*slot) {
		*slot = (void *)(uintptr_t)(t->end + 1);
		VEC_PUSH(t->a, &t->blobs, b);
		VEC_PUSH(t->a, &t->offsets, t->end);
		t->end += (b->len + COMPILED_ALIGN - 1) / COMPILED_ALIGN * COMPILED_ALIGN;
	}
	return (uintptr_t)*slot - 1;
}

static void place_tensors(Tables *t, const Attr *a)
{
	if (a->kind == ATTR_TENSOR && a->u.tensor.type->dtype != DT_STR)
		place_of(t, a->u.tensor.blob);
	for (size_t i = 0; (a->kind == ATTR_LIST || a->kind == ATTR_DICT) && i < a->u.list.n; i++)
		place_tensors(t, a->u.list.v[i]);
}

/* A run reads what weights were packed into, and constants that were not; those are together and the weights themselves come
 * last: the system maps files in large pieces, and a piece with some of each would take memory for both. */
static void place_weights(Tables *t, const Module *m)
{
	const Str *packed = str(t->c, "packed");
	for (int turn = 0; turn < 3; turn++)
		FOR_EACH_OP(op, m->main->body) {
			const Attr *list = op_is(op, OP_constant) ? op_attr_named(op, packed) : NULL, *own = op_constant_attr(op);
			if (list && turn == 0)
				place_tensors(t, list);
			else if (own && turn == (list ? 2 : 1))
				place_tensors(t, own);
		}
}

/* Strings lie in the description, all else at the end of the file. */
static uint64_t tensor_ref_number(Tables *t, const Type *y, const Blob *b)
{
	int64_t count = 0;
	uintptr_t known = (uintptr_t)map_get(&t->tensor_ids, MAP_PTR(b));
	if (known)
		return known;
	bool text = y->dtype == DT_STR;
	put_u(&t->tensors, text ? 2 : b->splat);
	if (text) {
		type_static_numel(y, &count);
		int64_t n = b->splat ? 1 : count;
		put_u(&t->tensors, b->splat);
		put_u(&t->tensors, (uint64_t)n);
		for (int64_t i = 0; i < n; i++)
			put_u(&t->tensors, string_ref(t, ((const Str *const *)b->data)[i]));
		return fresh(&t->tensor_ids, b) + 1;
	}
	put_u(&t->tensors, place_of(t, b));
	put_u(&t->tensors, b->len);
	return fresh(&t->tensor_ids, b) + 1;
}

static uint64_t attr_ref(Tables *t, const Attr *a, int depth);

/* Entries that a list refers to come before it. */
static uint64_t *list_refs(Tables *t, const Attr *a, int depth)
{
	uint64_t *refs = NEW_ARRAY(t->a, uint64_t, a->u.list.n + 1);
	for (size_t i = 0; i < a->u.list.n; i++)
		refs[i] = attr_ref(t, a->u.list.v[i], depth + 1);
	return refs;
}

static void put_numbers(Tables *t, const Attr *a)
{
	Buf *b = &t->attrs;
	switch (a->kind) {
	case ATTR_INT: case ATTR_BOOL:
		put_i(b, a->u.i);
		break;
	case ATTR_FLOAT:
		put_f(b, a->u.f);
		break;
	case ATTR_INTS:
		put_u(b, a->u.ints.n);
		for (size_t i = 0; i < a->u.ints.n; i++)
			put_i(b, a->u.ints.v[i]);
		break;
	case ATTR_FLOATS:
		put_u(b, a->u.floats.n);
		for (size_t i = 0; i < a->u.floats.n; i++)
			put_f(b, a->u.floats.v[i]);
		break;
	default:
		break;
	}
}

static uint64_t attr_ref(Tables *t, const Attr *a, int depth)
{
	uintptr_t known = (uintptr_t)map_get(&t->attr_ids, MAP_PTR(a));
	if (known)
		return known;
	if (depth > COMPILED_DEPTH)
		return t->ok = diag_error(&t->c->diags, HONE_UNSUPPORTED, NULL, "attributes nested too deeply"), 0;
	bool list = a->kind == ATTR_LIST || a->kind == ATTR_DICT;
	uint64_t *refs = list ? list_refs(t, a, depth) : NULL, type = 0, tensor = 0;
	if (a->kind == ATTR_TENSOR) {
		type = type_ref(t, a->u.tensor.type);
		tensor = tensor_ref_number(t, a->u.tensor.type, a->u.tensor.blob);
	} else if (a->kind == ATTR_TYPE) {
		type = type_ref(t, a->u.type);
	}
	put_u(&t->attrs, a->kind);
	put_u(&t->attrs, a->width);
	put_numbers(t, a);
	switch (a->kind) {
	case ATTR_STR: case ATTR_SYMREF: case ATTR_TEXT: case ATTR_WIRE:
		put_u(&t->attrs, string_ref(t, a->u.str));
		break;
	case ATTR_STRS:
		put_u(&t->attrs, a->u.strs.n);
		for (size_t i = 0; i < a->u.strs.n; i++)
			put_u(&t->attrs, string_ref(t, a->u.strs.v[i]));
		break;
	case ATTR_TENSOR:
		put_u(&t->attrs, type);
		put_u(&t->attrs, tensor);
		break;
	case ATTR_TYPE:
		put_u(&t->attrs, type);
		break;
	case ATTR_LIST: case ATTR_DICT:
		put_u(&t->attrs, a->u.list.n);
		for (size_t i = 0; i < a->u.list.n; i++) {
			if (a->kind == ATTR_DICT)
				put_u(&t->attrs, string_ref(t, a->u.list.names[i]));
			put_u(&t->attrs, refs[i]);
		}
		break;
	default:
		break;
	}
	return fresh(&t->attr_ids, a) + 1;
}

static void put_attrs(Tables *t, const NamedAttr *v, size_t n)
{
	put_u(&t->body, n);
	for (size_t i = 0; i < n; i++) {
		put_u(&t->body, string_ref(t, v[i].name));
		put_u(&t->body, attr_ref(t, v[i].value, 0));
	}
}

static void put_value(Tables *t, const Value *v)
{
	put_u(&t->body, type_ref(t, v->type));
	put_u(&t->body, string_ref(t, v->name));
	map_put(&t->value_ids, v->id, (void *)(uintptr_t)(++t->nvalues));
}

static void put_block(Tables *t, const Block *b, int depth);

static void put_op(Tables *t, const Op *op, int depth)
{
	put_u(&t->body, string_ref(t, op->def->name));
	put_u(&t->body, string_ref(t, op->name));
	put_u(&t->body, op->noperands);
	for (uint32_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		put_u(&t->body, v ? (uintptr_t)map_get(&t->value_ids, v->id) : 0);
	}
	put_attrs(t, op->attrs, op->nattrs);
	put_attrs(t, op->meta, op->nmeta);
	put_u(&t->body, op->nblocks);
	for (uint16_t i = 0; i < op->nblocks; i++) {
		put_u(&t->body, op->blocks[i] != NULL);
		if (op->blocks[i])
			put_block(t, op->blocks[i], depth + 1);
	}
	put_u(&t->body, op->nresults);
	for (uint32_t i = 0; i < op->nresults; i++)
		put_value(t, op->results[i]);
}

static void put_block(Tables *t, const Block *b, int depth)
{
	uint64_t n = 0;
	if (depth > COMPILED_DEPTH) {
		t->ok = diag_error(&t->c->diags, HONE_UNSUPPORTED, NULL, "graphs nested too deeply");
		return;
	}
	put_u(&t->body, string_ref(t, b->name));
	put_u(&t->body, b->nargs);
	for (uint32_t i = 0; i < b->nargs; i++)
		put_value(t, b->args[i]);
	FOR_EACH_OP(op, b)
		n++;
	put_u(&t->body, n);
	FOR_EACH_OP(op, b)
		put_op(t, op, depth);
}

static void put_func(Tables *t, const Func *f)
{
	const Op *ret = block_terminator(f->body);
	put_u(&t->body, string_ref(t, f->name));
	put_u(&t->body, f->is_library);
	put_attrs(t, f->attrs, f->nattrs);
	put_block(t, f->body, 0);
	for (uint32_t i = 0; i < f->body->nargs; i++)
		put_u(&t->body, f->arg_default && f->arg_default[i] ? attr_ref(t, f->arg_default[i], 0) : 0);
	uint32_t n = ret ? ret->noperands : 0;
	for (uint32_t i = 0; i < n; i++) {
		put_u(&t->body, f->result_names ? string_ref(t, f->result_names[i]) : 0);
		put_u(&t->body, f->result_types && f->result_types[i] ? type_ref(t, f->result_types[i]) : 0);
	}
}

static void put_table(Buf *out, uint32_t n, const Buf *b)
{
	put_u(out, n);
	buf_put(out, b->data ? b->data : "", b->len);
}

static void describe(Tables *t, const Module *m, Buf *out)
{
	uint64_t n = 0, main = 0;
	put_u(&t->body, string_ref(t, m->format));
	put_attrs(t, m->attrs, m->nattrs);
	for (const Func *f = m->funcs; f; f = f->next) {
		if (f == m->main)
			main = n + 1;
		n++;
	}
	put_u(&t->body, n);
	put_u(&t->body, main);
	for (const Func *f = m->funcs; f; f = f->next)
		put_func(t, f);
	put_table(out, t->string_ids.len, &t->strings);
	put_table(out, t->type_ids.len, &t->types);
	put_table(out, t->tensor_ids.len, &t->tensors);
	put_table(out, t->attr_ids.len, &t->attrs);
	buf_put(out, t->body.data, t->body.len);
}

static void put_le(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static bool write_padding(OutFile *o, uint64_t to)
{
	static const uint8_t ZERO[COMPILED_ALIGN];
	while (out_offset(o) < to) {
		uint64_t n = to - out_offset(o);
		if (!out_write(o, ZERO, n < sizeof(ZERO) ? (size_t)n : sizeof(ZERO)))
			return false;
	}
	return true;
}

static bool write_file(Tables *t, const char *path, const Buf *text)
{
	uint8_t head[COMPILED_HEADER] = { 0 };
	uint64_t tensors = (COMPILED_HEADER + text->len + COMPILED_ALIGN - 1) / COMPILED_ALIGN * COMPILED_ALIGN;
	OutFile *o = out_open(path, &t->c->diags);
	if (!o)
		return false;
	memcpy(head, COMPILED_MAGIC, sizeof(COMPILED_MAGIC));
	put_le(head + 8, COMPILED_VERSION, 4);
	put_le(head + 12, crc32_z(0, (const uint8_t *)text->data, text->len), 4);
	put_le(head + 16, COMPILED_HEADER, 8);
	put_le(head + 24, text->len, 8);
	put_le(head + 32, tensors, 8);
	put_le(head + 40, t->end, 8);
	bool ok = out_write(o, head, sizeof(head)) && out_write(o, text->data, text->len);
	for (size_t i = 0; i < t->blobs.len && ok; i++) {
		const Blob *b = t->blobs.data[i];
		ok = write_padding(o, tensors + t->offsets.data[i]) && out_write(o, b->data, b->len);
		blob_forget_pages(b);
	}
	ok = ok && write_padding(o, tensors + t->end);
	return out_commit(o, &t->c->diags) && ok;
}

bool compiled_write(Module *m, const char *path, const WriteOptions *o)
{
	(void)o;
	Tables t = { .c = m->ctx, .a = arena_new(), .ok = true };
	Buf text = { 0 };
	map_init(&t.string_ids, t.a);
	map_init(&t.type_ids, t.a);
	map_init(&t.tensor_ids, t.a);
	map_init(&t.attr_ids, t.a);
	map_init(&t.value_ids, t.a);
	map_init(&t.places, t.a);
	place_weights(&t, m);
	describe(&t, m, &text);
	bool ok = t.ok && write_file(&t, path, &text);
	buf_free(&t.strings);
	buf_free(&t.types);
	buf_free(&t.tensors);
	buf_free(&t.attrs);
	buf_free(&t.body);
	buf_free(&text);
	arena_free(t.a);
	return ok;
}
