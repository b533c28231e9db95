/* jax.export files: a FlatBuffer `Exported` around a portable StableHLO artifact.
 *
 * The code is read by the reader of bytecode, in place. What the buffer says besides is kept for writing it again. The flat
 * inputs of the JAX function have paths (its argument trees); those that XLA kept are the arguments of main, after the
 * index of the platform where the module serves several, and after tokens. Arguments without a name get the path. */
#include "format/bundle/bundle.h"

#include <stdlib.h>
#include <string.h>

enum { TREE_KIND = 0, TREE_CHILDREN = 1, TREE_NAMES = 2 };
enum { KIND_LEAF = 0, KIND_NONE = 1, KIND_DICT = 4 };
enum { NEWEST_CONVENTION = 10, NEWEST_SERIALIZATION = 12, PATH_LIMIT = 512 };

/* A vtable whose fields fit, and the right sizes of a few: other files begin otherwise. */
int exported_sniff(Bytes head, const char *path)
{
	(void)path;
	if (head.len < 16)
		return 0;
	uint32_t root = (uint32_t)(head.data[0] | head.data[1] << 8 | head.data[2] << 16 | (uint32_t)head.data[3] << 24);
	if (root < 4 || root > head.len - 4)
		return 0;
	const uint8_t *t = head.data + root;
	int64_t back = (int32_t)((uint32_t)t[0] | (uint32_t)t[1] << 8 | (uint32_t)t[2] << 16 | (uint32_t)t[3] << 24);
	int64_t vtable = (int64_t)root - back;
	if (vtable < 4 || vtable > (int64_t)head.len - 4)
		return 0;
	size_t slots = (size_t)(head.data[vtable] | head.data[vtable + 1] << 8);
	if (slots < 4 + 2 * (EXP_KEPT + 1) || slots > 128 || slots % 2 || (size_t)vtable + slots > head.len)
		return 0;
	size_t version = (size_t)(head.data[vtable + 4] | head.data[vtable + 5] << 8);
	size_t module = (size_t)(head.data[vtable + 4 + 2 * EXP_MODULE] | head.data[vtable + 5 + 2 * EXP_MODULE] << 8);
	if (!version || !module || root + version + 2 > head.len || root + module + 4 > head.len)
		return 0;
	return t[version] && t[version] < 64 && t[version + 1] == 0 ? 90 : 0;
}

static uint32_t number_at(const FlatValue *v, size_t i, size_t bytes)
{
	uint32_t x = 0;
	for (size_t k = bytes; k-- > 0;)
		x = x << 8 | v->bytes.data[i * bytes + k];
	return x;
}

/* ---- paths of the flat inputs ---- */

typedef struct Paths {
	Context *c;
	Arena *arena;
	VEC(const Str *) list;
	size_t limit;
} Paths;

/* The spelling of JAX: args[0]['params']['w']. */
static void walk_tree(Paths *p, const FlatTable *t, const char *path)
{
	uint64_t kind = flat_get(t, TREE_KIND)->number;
	if (kind == KIND_NONE || p->list.len >= p->limit)
		return;
	if (kind == KIND_LEAF) {
		VEC_PUSH(p->arena, &p->list, str(p->c, path));
		return;
	}
	const FlatValue *children = flat_get(t, TREE_CHILDREN), *names = flat_get(t, TREE_NAMES);
	for (size_t i = 0; i < children->n; i++) {
		bool named = kind == KIND_DICT && i < names->n;
		const char *step = named ? arena_printf(p->arena, "['%.*s']", (int)(names->strings[i].len < PATH_LIMIT
			? names->strings[i].len : PATH_LIMIT), (const char *)names->strings[i].data) : arena_printf(p->arena, "[%zu]", i);
		walk_tree(p, children->tables[i], strlen(path) > PATH_LIMIT ? path : arena_printf(p->arena, "%s%s", path, step));
	}
}

/* in_tree is the pair (args, kwargs). */
static void input_paths(Paths *p, const FlatTable *root)
{
	const FlatValue *tree = flat_get(root, EXP_IN_TREE);
	if (!tree->present)
		return;
	const FlatValue *pair = flat_get(tree->tables[0], TREE_CHILDREN);
	for (size_t i = 0; i < pair->n; i++)
		walk_tree(p, pair->tables[i], i == 0 ? "args" : "kwargs");
}

/* "argN" is what readers call an argument that has no name. */
static bool nameless(const Value *arg)
{
	int64_t n;
	return !arg->name || (!strncmp(arg->name->s, "arg", 3) && parse_int64(arg->name->s + 3, arg->name->len - 3, &n));
}

/* Kept inputs are the last arguments of main, in order. */
static void name_arguments(Module *m, const FlatTable *root, Arena *a)
{
	const FlatValue *kept = flat_get(root, EXP_KEPT);
	Block *body = m->main->body;
	Paths p = {.c = m->ctx, .arena = a, .limit = 1 << 16};
	input_paths(&p, root);
	if (kept->n > body->nargs)
		return;
	uint32_t first = body->nargs - (uint32_t)kept->n;
	for (size_t i = 0; i < kept->n; i++) {
		uint32_t at = number_at(kept, i, 2);
		Value *arg = body->args[first + i];
		if (at < p.list.len && nameless(arg))
			value_set_name(arg, p.list.data[at]);
	}
}

/* ---- several platforms ---- */

static bool is_platform_index(const Module *m, uint32_t i)
{
	const Func *f = m->main;
	const NamedAttr *list = f->arg_meta ? f->arg_meta[i] : NULL;
	for (; list && list->name; list++)
		if (!strcmp(list->name->s, "jax.global_constant") && (list->value->kind == ATTR_STR || list->value->kind == ATTR_TEXT))
			return !strcmp(list->value->u.str->s, "_platform_index");
	return f->body->args[i]->name && !strcmp(f->body->args[i]->name->s, "_platform_index");
}

/* A module for several platforms takes their index as its first argument, which no caller gives. hone is a CPU's. */
static bool choose_platform(Module *m, FlatTable *root, Arena *a)
{
	FlatValue *names = &root->values[EXP_PLATFORMS];
	const Value *arg = m->main->body->nargs ? m->main->body->args[0] : NULL;
	if (names->n < 2 || !arg || !is_platform_index(m, 0))
		return true;
	int64_t chosen = 0;
	for (size_t i = 0; i < names->n; i++)
		if (names->strings[i].len == 3 && !memcmp(names->strings[i].data, "cpu", 3))
			chosen = (int64_t)i;
	DType d = type_is_tensor(arg->type) ? arg->type->dtype : DT_NONE;
	if (!dtype_is_integer(d))
		return diag_error(&m->ctx->diags, HONE_BAD_INPUT, NULL, "the index of the platform is no integer");
	uint8_t element[8] = {0};
	dtype_store_i64(d, element, 1, &chosen);
	Binding b;
	binding_init(&b, m, a);
	const Attr *value = attr_tensor(m->ctx, type_tensor_of(m->ctx, d, 0, NULL), blob_copy(m->ctx, element, dtype_size(d)));
	if (!binding_set(&b, m, 0, value, NULL, "the platform"))
		return false;
	binding_apply(m, &b);
	diag_note(&m->ctx->diags, NULL, "the module serves %zu platforms; what stands for %.*s is taken", names->n,
		(int)names->strings[chosen].len, (const char *)names->strings[chosen].data);
	names->strings += chosen;
	names->n = 1;
	return true;
}

/* ---- the file ---- */

static bool check_versions(const FlatTable *root, const char *file, Diags *d)
{
	Loc loc = {.file = file, .offset = -1};
	uint64_t version = flat_get(root, EXP_VERSION)->number, convention = flat_get(root, EXP_CONVENTION)->number;
	if (!flat_get(root, EXP_MODULE)->present)
		return diag_error(d, HONE_BAD_INPUT, &loc, "jax.export: the file holds no module");
	if (version > NEWEST_SERIALIZATION)
		diag_warn(d, &loc, "jax.export: serialization version %llu is later than %d; fields that are not known are lost when "
			"it is written", (unsigned long long)version, NEWEST_SERIALIZATION);
	if (convention > NEWEST_CONVENTION)
		diag_warn(d, &loc, "jax.export: calling convention %llu is later than %d", (unsigned long long)convention,
			NEWEST_CONVENTION);
	return true;
}

/* The buffer without the code, which is written anew. */
static const Str *metadata(Context *c, FlatTable *root)
{
	Buf b = {0};
	FlatValue code = root->values[EXP_MODULE];
	root->values[EXP_MODULE].present = false;
	bool fits = flat_write(root, &b);
	root->values[EXP_MODULE] = code;
	const Str *s = fits ? str_n(c, b.data, b.len) : NULL;
	buf_free(&b);
	return s;
}

static Module *read_module(Context *c, MappedFile *f, const ReadOptions *o, Arena *a)
{
	const char *file = str(c, f->path)->s;
	FlatTable *root = flat_read((Bytes){f->data, f->len}, EXPORTED_SCHEMA, file, a, &c->diags);
	if (!root || !check_versions(root, file, &c->diags))
		return NULL;
	Bytes code = flat_get(root, EXP_MODULE)->bytes;
	MappedFile *part = file_part(f, (size_t)(code.data - f->data), code.len);
	Module *m = mlirbc_read(c, part, o);
	file_unref(part);
	if (!m)
		return NULL;
	if (m->main && !choose_platform(m, root, a))
		return NULL;
	if (m->main)
		name_arguments(m, root, a);
	m->bundle = metadata(c, root);
	return m;
}

Module *exported_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	Arena *a = arena_new();
	Module *m = read_module(c, f, o, a);
	arena_free(a);
	return m;
}
