/* Writing a directory of torch_xla: weights as files, the code with arguments for them, and the metadata that says which is
 * which. Everything is written beside the target and then takes its place, so that the directory is complete or as it was;
 * the one that was read may be the one that is written. */
#include "format/bundle/bundle.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORY_MODE = 0777, TRIES = 100 };
static const char *const FOLDERS[] = {"functions", "data", "constants"};

typedef struct Writer {
	Context *c;
	Arena *arena;
	Module *m;              /* a copy, with arguments for the weights */
	const WriteOptions *o;
	json_t *old, *meta;     /* as read, or NULL; as written */
	const char *dir;        /* while it is made */
	const Attr **values;    /* by argument */
	int64_t constants;      /* files in constants/ */
} Writer;

static bool io_fault(const Writer *w, const char *path, const char *what)
{
	Loc loc = {.file = str(w->c, path)->s, .offset = -1};
	return diag_error(&w->c->diags, HONE_IO, &loc, "cannot %s: %s", what, errno == EACCES ? "permission denied"
		: errno == ENOENT ? "the folder above does not exist" : errno == ENOSPC ? "no space left" : "the system refuses");
}

/* ---- metadata ---- */

const char *torch_dtype_name(DType d)
{
	switch (d) {
	case DT_BOOL: return "bool";
	case DT_F64: return "float64";
	case DT_F32: return "float32";
	case DT_F16: return "float16";
	case DT_BF16: return "bfloat16";
	case DT_C64: return "complex64";
	case DT_C128: return "complex128";
	default: return dtype_friendly_name(d);
	}
}

static json_t *signature(const Type *t)
{
	json_t *shape = json_array(), *dynamic = json_array();
	for (int i = 0; i < t->rank; i++) {
		int64_t v = -1;
		if (!sym_const(t->dims[i], &v))
			json_array_append_new(dynamic, json_integer(i));
		json_array_append_new(shape, json_integer((json_int_t)v));
	}
	return json_pack("{s:o s:s s:o}", "shape", shape, "dtype", torch_dtype_name(t->dtype), "dynamic_dims", dynamic);
}

/* Entries of input_locations that are inputs, in turn: `from` is where to look on. */
static const json_t *next_input(const json_t *locations, size_t *from)
{
	for (; *from < json_array_size(locations); ++*from) {
		const json_t *l = json_array_get(locations, *from);
		const char *type = json_string_value(json_object_get(l, "type_"));
		if (type && !strcmp(type, "input_arg"))
			return json_array_get(locations, (*from)++);
	}
	return NULL;
}

static bool is_constant_name(const Str *name, int64_t *at)
{
	static const char prefix[] = "constants/";
	size_t n = sizeof(prefix) - 1;
	return name->len > n && !memcmp(name->s, prefix, n) && parse_int64(name->s + n, name->len - n, at);
}

/* A name that is no file name would lead out of data/. */
static const char *file_name(const Writer *w, const Str *name)
{
	char *s = arena_strdup(w->arena, name->s);
	for (char *p = s; *p; p++)
		if (*p == '/' || (p == s && *p == '.'))
			*p = '_';
	return s;
}

static bool put_file(const Writer *w, const char *folder, const char *name, const Attr *tensor)
{
	return npy_write_attr(tensor, path_join(w->arena, w->dir, arena_printf(w->arena, "%s/%s", folder, name)), &w->c->diags);
}

/* Where argument i comes from; writes its file. */
static json_t *location(Writer *w, uint32_t i, size_t *from, int64_t *inputs)
{
	const Str *name = w->m->main->body->args[i]->name;
	int64_t at;
	if (!w->values[i]) {
		const json_t *was = next_input(json_object_get(w->old, "input_locations"), from);
		return was ? json_deep_copy(was) : json_pack("{s:s s:I s:s}", "type_", "input_arg", "position", (json_int_t)(*inputs)++,
			"name", "");
	}
	if (is_constant_name(name, &at)) {
		int64_t position = w->constants++;
		if (!put_file(w, "constants", arena_printf(w->arena, "%lld", (long long)position), w->values[i]))
			return NULL;
		return json_pack("{s:s s:I s:s}", "type_", "constant", "position", (json_int_t)position, "name", "");
	}
	const char *file = file_name(w, name);
	if (!put_file(w, "data", file, w->values[i]))
		return NULL;
	return json_pack("{s:s s:i s:s}", "type_", "parameter", "position", -1, "name", file);
}

static void copy_field(const Writer *w, const char *key, json_t *otherwise)
{
	json_t *was = json_object_get(w->old, key);
	json_object_set_new(w->meta, key, was ? json_deep_copy(was) : otherwise);
	if (was)
		json_decref(otherwise);
}

static bool make_meta(Writer *w)
{
	const Block *body = w->m->main->body;
	const Op *ret = block_terminator(body);
	json_t *in = json_array(), *out = json_array(), *where = json_array();
	size_t from = 0;
	int64_t inputs = 0;
	w->meta = json_object();
	copy_field(w, "name", json_string("forward"));
	copy_field(w, "stablehlo_version", json_string("0.0.0"));
	json_object_set_new(w->meta, "input_signature", in);
	json_object_set_new(w->meta, "output_signature", out);
	json_object_set_new(w->meta, "input_locations", where);
	copy_field(w, "unused_inputs", json_array());
	copy_field(w, "input_pytree_spec", json_null());
	copy_field(w, "output_pytree_spec", json_null());
	for (uint32_t i = 0; i < body->nargs; i++) {
		json_t *l = location(w, i, &from, &inputs);
		if (!l)
			return false;
		json_array_append_new(where, l);
		json_array_append_new(in, signature(body->args[i]->type));
	}
	for (size_t i = 0; i < ret->noperands; i++)
		json_array_append_new(out, signature(ret->operands[i].value->type));
	return true;
}

/* ---- files ---- */

static bool put_meta(const Writer *w, const char *name)
{
	char *text = json_dumps(w->meta, JSON_ENSURE_ASCII);
	OutFile *out = text ? out_open(path_join(w->arena, w->dir, arena_printf(w->arena, "functions/%s.meta", name)),
		&w->c->diags) : NULL;
	if (out)
		out_write(out, text, strlen(text));
	free(text);
	return out && out_commit(out, &w->c->diags);
}

/* What came along and nothing uses: a bundle that is only converted keeps it. */
static bool put_rest(const Writer *w)
{
	Map used;
	int64_t at;
	map_init(&used, w->arena);
	for (uint32_t i = 0; i < w->m->main->body->nargs; i++)
		if (w->values[i])
			map_put(&used, MAP_PTR(str(w->c, file_name(w, w->m->main->body->args[i]->name))), w->m);
	for (size_t i = 0; i < w->m->nweights; i++) {
		const NamedAttr *t = &w->m->weights[i];
		const char *file = file_name(w, t->name);
		if (is_constant_name(t->name, &at) || map_has(&used, MAP_PTR(str(w->c, file))) ||
				!npy_can_hold(t->value->u.tensor.type->dtype))
			continue;
		if (!put_file(w, "data", file, t->value))
			return false;
	}
	return true;
}

static bool put_code(const Writer *w, const char *name)
{
	const Format *binary = format_find("mlirbc"), *text = format_find("stablehlo");
	const char *stem = path_join(w->arena, w->dir, arena_printf(w->arena, "functions/%s", name));
	if (binary && binary->write && !binary->write(w->m, arena_printf(w->arena, "%s.bytecode", stem), w->o))
		return false;
	return text->write(w->m, arena_printf(w->arena, "%s.mlir", stem), w->o);
}

static bool fill_directory(Writer *w)
{
	const char *name = json_string_value(json_object_get(w->old, "name"));
	for (size_t i = 0; i < ARRAY_LEN(FOLDERS); i++) {
		const char *path = path_join(w->arena, w->dir, FOLDERS[i]);
		if (mkdir(path, DIRECTORY_MODE) != 0)
			return io_fault(w, path, "make the folder");
	}
	name = name && *name ? file_name(w, str(w->c, name)) : "forward";
	return make_meta(w) && put_meta(w, name) && put_rest(w) && put_code(w, name);
}

/* ---- the place of the directory ---- */

/* Removes what fill_directory made. */
static void remove_directory(Arena *a, const char *dir)
{
	Diags quiet;
	diags_init(&quiet, a);
	for (size_t i = 0; i < ARRAY_LEN(FOLDERS); i++) {
		const char **names, *folder = path_join(a, dir, FOLDERS[i]);
		size_t n = 0;
		if (folder_list(folder, a, &names, &n, &quiet))
			for (size_t k = 0; k < n; k++)
				unlink(path_join(a, folder, names[k]));
		rmdir(folder);
	}
	rmdir(dir);
}

static bool is_empty(Arena *a, const char *path)
{
	Diags quiet;
	const char **names;
	size_t n = 0;
	diags_init(&quiet, a);
	return folder_list(path, a, &names, &n, &quiet) && n == 0;
}

static bool make_temporary(Writer *w, const char *target)
{
	for (int i = 0; i < TRIES; i++) {
		w->dir = arena_printf(w->arena, "%s.%d.%d.tmp", target, (int)getpid(), i);
		if (mkdir(w->dir, DIRECTORY_MODE) == 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	return io_fault(w, target, "make the directory");
}

/* The new directory takes the place of the old one, which is then removed. */
static bool take_place(const Writer *w, const char *target)
{
	struct stat st;
	if (stat(target, &st) != 0)
		return rename(w->dir, target) == 0 || io_fault(w, target, "rename the directory");
	const char *aside = arena_printf(w->arena, "%s.old", w->dir);
	if (rename(target, aside) != 0)
		return io_fault(w, target, "replace the directory");
	if (rename(w->dir, target) != 0) {
		io_fault(w, target, "replace the directory");
		(void)!rename(aside, target);
		return false;
	}
	remove_directory(w->arena, aside);
	return true;
}

static bool target_ok(const Writer *w, const char *path)
{
	struct stat st;
	Loc loc = {.file = str(w->c, path)->s, .offset = -1};
	if (!strcmp(path, "-"))
		return diag_error(&w->c->diags, HONE_USAGE, NULL, "a bundle is a directory: it cannot go to stdout");
	if (stat(path, &st) != 0)
		return true;
	if (!S_ISDIR(st.st_mode))
		return diag_error(&w->c->diags, HONE_IO, &loc, "is a file; the bundle would be a directory");
	if (!is_empty(w->arena, path) && !torch_xla_is_directory(path, w->arena))
		return diag_error(&w->c->diags, HONE_IO, &loc, "is a directory that holds other things; it is not replaced");
	return true;
}

/* ---- the arguments ---- */

/* The order that the directory had. */
static void place_weights(Writer *w)
{
	const json_t *locations = json_object_get(w->old, "input_locations");
	size_t n = json_array_size(locations);
	const Str **order = NEW_ARRAY(w->arena, const Str *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const json_t *l = json_array_get(locations, i);
		const char *type = json_string_value(json_object_get(l, "type_")), *name = json_string_value(json_object_get(l, "name"));
		if (type && !strcmp(type, "constant"))
			order[i] = str_fmt(w->c, "constants/%lld", (long long)json_integer_value(json_object_get(l, "position")));
		else if (type && !strcmp(type, "parameter"))
			order[i] = str(w->c, name ? name : "");
	}
	lift_weights(w->m, order, n, npy_can_hold, w->arena, &w->values);
}

bool torch_xla_write(Module *m, const char *path, const WriteOptions *o)
{
	Context *c = m->ctx;
	if (!m->main || !m->format || strcmp(m->format->s, "stablehlo") != 0)
		return diag_error(&c->diags, HONE_UNSUPPORTED, NULL, "a torch_xla directory holds StableHLO, the model is %s",
			m->format ? m->format->s : "something else");
	Writer w = {.c = c, .arena = arena_new(), .m = module_clone(m, NULL), .o = o};
	size_t len = strlen(path);
	char *target = arena_strdup(w.arena, path);
	while (len > 1 && target[len - 1] == '/')
		target[--len] = '\0';
	if (m->bundle && m->bundle->len && m->bundle->s[0] == '{')
		w.old = json_loadb(m->bundle->s, m->bundle->len, 0, NULL);
	bool ok = target_ok(&w, target) && make_temporary(&w, target);
	if (ok) {
		place_weights(&w);
		ok = fill_directory(&w) && take_place(&w, target);
		if (!ok)
			remove_directory(w.arena, w.dir);
	}
	json_decref(w.old);
	json_decref(w.meta);
	module_free(w.m);
	arena_free(w.arena);
	return ok;
}
