#include "onnx.h"

#include <inttypes.h>
#include <string.h>

/* Files of test data hold one TensorProto, SequenceProto or OptionalProto and do not say which. A file that is a complete
 * tensor is one: its data must fit its shape exactly, which the other two cannot fake. An optional with a value looks like
 * a sequence of one element; it is read as a sequence, and whoever knows the type takes the element. */

#define MAX_DEPTH 64

typedef struct Guess {
	int64_t type;
	int64_t count;          /* product of the dims, -1 when they make no sense */
	int64_t entries;        /* of integer data fields, which a sequence has under the same numbers */
	bool data, strange;
} Guess;

static void guess_dim(Guess *g, uint64_t v)
{
	if (g->count >= 0 && ((int64_t)v < 0 || !mul_ok(g->count, (int64_t)v, &g->count)))
		g->count = -1;
}

static void guess_field(Guess *g, const Field *f)
{
	Cursor inner = cursor_of(f->bytes);
	uint64_t v;
	const FieldDef *d = field_def(MSG_TENSOR, f->number);
	bool bytes = d && (d->kind == FIELD_BYTES || d->kind == FIELD_MESSAGE);
	if (!d || f->number == TENSOR_segment || (bytes && f->wire != WIRE_BYTES) ||
		(d->kind == FIELD_INT && f->wire != WIRE_VARINT))
		g->strange = true;
	else if (f->number == TENSOR_data_type)
		g->type = field_int(f);
	else if (f->number == TENSOR_dims && f->wire == WIRE_VARINT)
		guess_dim(g, f->value);
	else if (f->number == TENSOR_dims)
		while (varint_next(&inner, &v))
			guess_dim(g, v);
	else if (f->number == TENSOR_int32_data || f->number == TENSOR_int64_data)
		g->entries += f->wire == WIRE_VARINT ? 1 : (int64_t)varint_count(f->bytes);
	else if (f->number != TENSOR_name && f->number != TENSOR_doc_string)
		g->data = true;
}

/* Integer entries may hold two or four elements each. */
static bool looks_like_tensor(Bytes msg)
{
	Cursor c = cursor_of(msg);
	Field f;
	Guess g = { .count = 1 };
	while (c.at != c.end) {
		if (field_read(&c, &f, 0) != WIRE_OK)
			return false;
		guess_field(&g, &f);
	}
	if (g.strange || dtype_from_onnx(g.type) == DT_NONE)
		return false;
	if (g.data || g.count == 0)
		return true;
	int64_t half = g.count / 2 + g.count % 2, quarter = g.count / 4 + (g.count % 4 != 0);
	return g.entries > 0 && (g.entries == g.count || g.entries == half || g.entries == quarter);
}

typedef struct DataReader {
	Reader r;
	EvalCtx *e;
} DataReader;

static Tensor *read_tensor(DataReader *k, Bytes msg, const Str **name)
{
	TensorMsg t;
	if (!tensor_msg_read(&k->r, msg, "tensor", &t))
		return NULL;
	if (name)
		*name = t.name;
	return tensor_from_attr(k->e, t.value);
}

static Tensor *read_sequence(DataReader *k, Bytes msg, const Str **name, int depth);

/* Element of a sequence or optional by its field number; NULL + diagnostic for kinds that have no form here. */
static Tensor *read_item(DataReader *k, const Field *f, int depth)
{
	if (f->number == SEQUENCE_tensors)
		return read_tensor(k, f->bytes, NULL);
	if (f->number == SEQUENCE_sequences || f->number == SEQUENCE_optionals)
		return read_sequence(k, f->bytes, NULL, depth + 1);
	reader_error(&k->r, HONE_UNSUPPORTED, f->whole.data, NULL, "%s in test data",
		f->number == 4 ? "a sparse tensor" : "a map");
	return NULL;
}

static Tensor *read_sequence(DataReader *k, Bytes msg, const Str **name, int depth)
{
	Cursor c = cursor_of(msg);
	Field f;
	VEC(Tensor *) items = { 0 };
	int64_t elem_type = 0;
	bool ok = true;
	if (depth > MAX_DEPTH) {
		reader_error(&k->r, HONE_LIMIT, msg.data, NULL, "nesting deeper than %d", MAX_DEPTH);
		return NULL;
	}
	while (ok && field_next(&c, &f)) {
		if (f.number == SEQUENCE_name && name)
			*name = reader_str(&k->r, f.bytes);
		if (f.number == SEQUENCE_elem_type)
			elem_type = field_int(&f);
		if (f.number < SEQUENCE_tensors || f.number > SEQUENCE_optionals)
			continue;
		Tensor *t = read_item(k, &f, depth);
		ok = t != NULL;
		if (t)
			VEC_PUSH(k->r.scratch, &items, t);
	}
	/* Nothing inside and no element type: an optional without a value. */
	TypeKind kind = items.len == 0 && elem_type == 0 ? TYPE_OPTIONAL : TYPE_SEQUENCE;
	Tensor *s = ok ? tensor_sequence(k->e, kind, items.data, (int64_t)items.len) : NULL;
	for (size_t i = 0; i < items.len; i++)
		tensor_unref(items.data[i]);
	return s;
}

Tensor *onnx_tensor_read(EvalCtx *e, MappedFile *f, const Str **name)
{
	static const ReadOptions options = { 0 };
	DataReader *k = NEW(e->ctx->arena, DataReader);
	Reader *r = &k->r;
	const Str *found = NULL;
	Bytes msg = { f->data, f->len };
	k->e = e;
	*r = (Reader){ .c = e->ctx, .d = e->diags, .file = f, .o = &options, .scratch = arena_new() };
	r->path = str(e->ctx, f->path)->s;
	map_init(&r->externals, r->scratch);
	if (f->fd >= 0)
		r->data_dir = path_dir(r->scratch, f->path);
	MemGuard guard;
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		mem_guard_pop(&guard);
		arena_free(r->scratch);
		mem_fail();
	}
	bool tensor = looks_like_tensor(msg);
	Tensor *t = NULL;
	if (wire_check(r->d, f, tensor ? MSG_TENSOR : MSG_SEQUENCE, msg, MAX_DEPTH))
		t = tensor ? read_tensor(k, msg, &found) : read_sequence(k, msg, &found, 0);
	mem_guard_pop(&guard);
	for (uint32_t i = 0; i < r->externals.len; i++)
		file_unref(r->externals.entries[i].value);
	arena_free(r->scratch);
	if (name)
		*name = found ? found : e->ctx->empty;
	return t;
}

/* ---- writing ---- */

enum { ELEM_TENSOR = 1, ELEM_SEQUENCE = 3, ELEM_OPTIONAL = 5 }; /* SequenceProto.DataType */

static bool value_write(Diags *d, Context *c, Wire *w, const Tensor *t, const Str *name)
{
	if (t->kind == TYPE_TENSOR) {
		TensorOut how = { .name = name && name->len ? name : NULL };
		const Attr *a = tensor_to_attr(c, t);
		return a && tensor_msg_write(d, w, a, &how);
	}
	if (t->kind != TYPE_SEQUENCE && t->kind != TYPE_OPTIONAL)
		return diag_error(d, HONE_UNSUPPORTED, NULL, "a map cannot be written as test data");
	if (name && name->len)
		wire_str(w, SEQUENCE_name, name);
	TypeKind inner = t->nitems ? t->items[0]->kind : TYPE_TENSOR;
	bool none = t->kind == TYPE_OPTIONAL && t->nitems == 0;
	bool flat = inner == TYPE_TENSOR, nested = inner == TYPE_SEQUENCE;
	uint32_t number = flat ? SEQUENCE_tensors : nested ? SEQUENCE_sequences : SEQUENCE_optionals;
	if (!none)
		wire_int(w, SEQUENCE_elem_type, flat ? ELEM_TENSOR : nested ? ELEM_SEQUENCE : ELEM_OPTIONAL);
	for (int64_t i = 0; i < t->nitems; i++) {
		Wire *item = wire_new(w->arena);
		if (!value_write(d, c, item, t->items[i], NULL))
			return false;
		wire_message(w, number, item);
	}
	return true;
}

bool onnx_tensor_write(const Tensor *t, const char *name, const char *path, Diags *d)
{
	Context *c = t->owner->ctx;
	Arena *a = arena_new();
	MemGuard guard;
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		mem_guard_pop(&guard);
		arena_free(a);
		mem_fail();
	}
	Wire *w = wire_new(a);
	bool ok = value_write(d, c, w, t, name ? str(c, name) : NULL);
	OutFile *o = ok ? out_open(path, d) : NULL;
	if (o)
		(void)wire_write(w, o);
	ok = o && out_commit(o, d);
	mem_guard_pop(&guard);
	arena_free(a);
	return ok;
}
