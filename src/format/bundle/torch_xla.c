/* Directories that torch_xla saves:
 *
 *	functions/NAME.meta       JSON: signatures, and for each argument of main whether it is an input, a parameter or a constant
 *	functions/NAME.bytecode   the code, a portable artifact, which is what torch_xla loads; NAME.mlir the same as text
 *	data/PARAMETER            .npy content, called as the state_dict has it
 *	constants/N               .npy content
 *
 * Parameters and constants become constants of the module that point into these files. What data/ holds besides (running
 * statistics of a model in training mode, say) comes along by name. Files are looked up strictly inside the directory. */
#include "format/bundle/bundle.h"

#include <jansson.h>
#include <string.h>

enum { META_LIMIT = 256 << 20 };

typedef struct Dir {
	Context *c;
	Arena *arena;
	const char *root;      /* the directory */
	const char *meta_path;
	const ReadOptions *o;
	TensorSource *source;  /* where tensors come from: read_tensor, or a test */
	bool has_data;
	Module *m;
} Dir;

static bool fault(const Dir *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool fault(const Dir *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(r->c->arena, fmt, ap);
	va_end(ap);
	Loc loc = {.file = str(r->c, r->meta_path)->s, .offset = -1};
	return diag_error(&r->c->diags, HONE_BAD_INPUT, &loc, "torch_xla: %s", text);
}

static MappedFile *open_part(const Dir *r, const char *folder, const char *name, const char *extension)
{
	const char *rel = arena_printf(r->arena, "%s/%s%s", folder, name, extension);
	if (r->o->allow_external_dir)
		return file_map(path_join(r->arena, r->root, rel), &r->c->diags);
	return file_map_beneath(r->root, rel, &r->c->diags);
}

/* ---- the code ---- */

/* Names in a folder of the directory, or none; what is wrong with it shows when a file is opened. */
static void list_folder(const Dir *r, const char *folder, const char ***names, size_t *n)
{
	Diags quiet;
	diags_init(&quiet, r->arena);
	*n = 0;
	folder_list(path_join(r->arena, r->root, folder), r->arena, names, n, &quiet);
}

static bool in_folder(const Dir *r, const char *folder, const char *file)
{
	const char **names;
	size_t n;
	list_folder(r, folder, &names, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], file))
			return true;
	return false;
}

/* The text beside the code must say the same: somebody may have changed one of the two. What cannot be read says nothing. */
static void compare_text(const Dir *r, const char *name, const Module *code)
{
	Diags *d = &r->c->diags;
	size_t before = d->list.len;
	HoneStatus status = d->status;
	const char *why = NULL;
	MappedFile *f = open_part(r, "functions", name, ".mlir");
	Module *text = f ? mlir_read(r->c, f, r->o) : NULL;
	bool differs = text && !modules_alike(code, text, r->arena, &why), unread = !text;
	if (text)
		module_free(text);
	file_unref(f);
	d->list.len = before;
	d->status = status;
	if (!differs && !unread)
		return;
	Loc loc = {.file = str(r->c, path_join(r->arena, r->root, arena_printf(r->arena, "functions/%s.mlir", name)))->s, .offset = -1};
	if (unread) {
		diag_note(d, &loc, "torch_xla: the text cannot be read to compare it with functions/%s.bytecode, which is taken", name);
		return;
	}
	diag_warn(d, &loc, "torch_xla: the text differs from functions/%s.bytecode, which is taken, as torch_xla does: %s", name, why);
	diag_hint(d, "remove one of the two files, or write the directory again");
}

static Module *read_code(const Dir *r, const char *name)
{
	bool binary = in_folder(r, "functions", arena_printf(r->arena, "%s.bytecode", name));
	bool text = in_folder(r, "functions", arena_printf(r->arena, "%s.mlir", name));
	if (!binary && !text) {
		fault(r, "there is neither functions/%s.bytecode nor functions/%s.mlir", name, name);
		return NULL;
	}
	MappedFile *f = open_part(r, "functions", name, binary ? ".bytecode" : ".mlir");
	if (!f)
		return NULL;
	Module *m = binary ? mlirbc_read(r->c, f, r->o) : mlir_read(r->c, f, r->o);
	file_unref(f);
	if (m && binary && text)
		compare_text(r, name, m);
	return m;
}

/* ---- arguments ---- */

static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));
	return s ? s : "";
}

static const Attr *read_tensor(void *arg, const char *folder, const char *name)
{
	const Dir *r = arg;
	MappedFile *f = open_part(r, folder, name, "");
	const Attr *a = f ? npy_read_attr(r->c, f) : NULL;
	file_unref(f);
	return a;
}

/* One argument: an input stays, others are looked up. */
static bool bind_location(const Dir *r, Binding *b, uint32_t i, const json_t *loc)
{
	const char *type = text_of(loc, "type_"), *name = text_of(loc, "name"), *folder = "data";
	Value *arg = r->m->main->body->args[i];
	if (!strcmp(type, "input_arg"))
		return true;
	if (!strcmp(type, "constant")) {
		const json_t *at = json_object_get(loc, "position");
		if (!json_is_integer(at) || json_integer_value(at) < 0)
			return fault(r, "input_locations[%u] is a constant without position", i);
		folder = "constants";
		name = arena_printf(r->arena, "%lld", (long long)json_integer_value(at));
	} else if (strcmp(type, "parameter") != 0) {
		return fault(r, "input_locations[%u] has type_ %s; expected input_arg, parameter or constant", i,
			quote(r->c->arena, type, strlen(type)));
	} else if (!*name) {
		return fault(r, "input_locations[%u] is a parameter without name", i);
	}
	bool constant = folder[0] == 'c';
	const Str *full = constant ? str_fmt(r->c, "constants/%s", name) : str(r->c, name);
	value_set_name(arg, full);
	if (!constant && !r->has_data)
		return true; /* saved without weights */
	const Attr *value = r->source((void *)(uintptr_t)r, folder, name);
	return value && binding_set(b, r->m, i, value, full, arena_printf(r->c->arena, "%s/%s", folder, name));
}

/* Sizes are those of argument i of main as far as both are known; -1 and null are not. */
static bool check_shape(const Dir *r, uint32_t i, const json_t *shape)
{
	const Type *t = r->m->main->body->args[i]->type;
	if (type_has_rank(t) && json_array_size(shape) != (size_t)t->rank)
		return fault(r, "input_signature[%u] has %zu sizes, argument %u of main %d: the files belong to different models", i,
			json_array_size(shape), i, t->rank);
	for (size_t k = 0; k < json_array_size(shape); k++) {
		const json_t *v = json_array_get(shape, k);
		long long said = json_is_integer(v) ? (long long)json_integer_value(v) : -1;
		int64_t is;
		if (!json_is_integer(v) && !json_is_null(v) && !json_is_string(v)) /* dynamic sizes may have names */
			return fault(r, "size %zu of input_signature[%u] is no whole number", k, i);
		if (said >= 0 && type_has_rank(t) && sym_const(t->dims[k], &is) && is != said)
			return fault(r, "size %zu of input_signature[%u] is %lld, but that of argument %u of main is %lld: the files belong to "
				"different models", k, i, said, i, (long long)is);
	}
	return true;
}

/* The element type is that of argument i of main. A name that hone does not know says nothing. */
static bool check_dtype(const Dir *r, uint32_t i, const json_t *dtype)
{
	static const char prefix[] = "torch.";
	const Type *t = r->m->main->body->args[i]->type;
	const char *said = json_string_value(dtype), *is = type_is_tensor(t) && t->dtype != DT_NONE ? torch_dtype_name(t->dtype) : NULL;
	bool known = false;
	if (!said)
		return fault(r, "dtype of input_signature[%u] is no string", i);
	said += strncmp(said, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
	for (int d = DT_NONE + 1; d < DT_COUNT; d++)
		known |= !strcmp(torch_dtype_name((DType)d), said);
	if (known && is && strcmp(said, is) != 0)
		return fault(r, "input_signature[%u] has dtype %s, but argument %u of main %s: the files belong to different models", i, said, i,
			is);
	return true;
}

/* The signature must be that of the code: otherwise the files belong to different models. */
static bool check_signature(const Dir *r, const json_t *meta, size_t n)
{
	const json_t *list = json_object_get(meta, "input_signature");
	if (json_array_size(list) != n)
		return fault(r, "input_signature has %zu entries, input_locations %zu", json_array_size(list), n);
	uint32_t nargs = r->m->main ? r->m->main->body->nargs : 0;
	if (nargs != n)
		return fault(r, "main takes %u arguments, input_locations describes %zu: the files belong to different models", nargs, n);
	for (uint32_t i = 0; i < nargs; i++) {
		const json_t *entry = json_array_get(list, i), *shape = json_object_get(entry, "shape");
		const json_t *dtype = json_object_get(entry, "dtype");
		if (!json_is_object(entry) || (shape && !json_is_array(shape)))
			return fault(r, "input_signature[%u] is no object with a list called shape", i);
		if ((shape && !check_shape(r, i, shape)) || (dtype && !check_dtype(r, i, dtype)))
			return false;
	}
	return true;
}

/* Files of data/ that no argument names. One that cannot be read matters to nobody yet. */
static void take_rest(const Dir *r)
{
	const char **names;
	size_t n, errors = r->c->diags.list.len;
	HoneStatus status = r->c->diags.status;
	list_folder(r, "data", &names, &n);
	Map seen;
	map_init(&seen, r->arena);
	for (size_t i = 0; i < r->m->nweights; i++)
		map_put(&seen, MAP_PTR(r->m->weights[i].name), r->m);
	for (size_t i = 0; i < n; i++) {
		const Str *name = str(r->c, names[i]);
		const Attr *a = map_has(&seen, MAP_PTR(name)) ? NULL : read_tensor((void *)(uintptr_t)r, "data", names[i]);
		if (a && !a->u.tensor.blob->weight)
			a->u.tensor.blob->weight = name;
		if (a)
			module_add_weight(r->m, name, a);
	}
	r->c->diags.list.len = errors;
	r->c->diags.status = status;
}

static bool bind_weights(const Dir *r, const json_t *meta)
{
	const json_t *locations = json_object_get(meta, "input_locations");
	if (!json_is_array(locations))
		return fault(r, "no list called input_locations");
	if (!json_is_array(json_object_get(meta, "input_signature")))
		return fault(r, "no list called input_signature");
	if (!check_signature(r, meta, json_array_size(locations)))
		return false;
	if (!r->m->main)
		return true;
	Binding b;
	binding_init(&b, r->m, r->arena);
	for (uint32_t i = 0; i < b.n; i++)
		if (!bind_location(r, &b, i, json_array_get(locations, i)))
			return false;
	for (uint32_t i = 0; i < b.n; i++)
		if (b.value[i])
			module_add_weight(r->m, b.name[i], b.value[i]);
	binding_apply(r->m, &b);
	if (!r->has_data && b.n && !r->m->nweights) {
		diag_note(&r->c->diags, NULL, "the directory was saved without weights: parameters stay arguments");
		diag_hint(&r->c->diags, "--weights FILE binds them by name");
	}
	return true;
}

/* ---- the metadata ---- */

static json_t *parse_meta(const Dir *r, Bytes text)
{
	json_error_t e;
	if (text.len > META_LIMIT) {
		fault(r, "metadata of %zu bytes; the limit is %d", text.len, META_LIMIT);
		return NULL;
	}
	bool mark = text.len >= 3 && !memcmp(text.data, "\xEF\xBB\xBF", 3);
	if (mark)
		text = (Bytes){text.data + 3, text.len - 3};
	json_t *meta = json_loadb((const char *)text.data, text.len, JSON_REJECT_DUPLICATES, &e);
	if (!meta)
		fault(r, "metadata is no JSON: %s, at byte %d", e.text, e.position + (mark ? 3 : 0));
	if (meta && !json_is_object(meta)) {
		fault(r, "metadata is no JSON object");
		json_decref(meta);
		return NULL;
	}
	return meta;
}

static bool read_directory(Dir *r, const MappedFile *meta_file)
{
	json_t *meta = parse_meta(r, (Bytes){meta_file->data, meta_file->len});
	const char *name = text_of(meta, "name");
	bool ok = meta && (*name || fault(r, "metadata gives no name of the function"));
	r->m = ok ? read_code(r, name) : NULL;
	ok = r->m && bind_weights(r, meta);
	if (ok)
		take_rest(r);
	if (ok)
		r->m->bundle = str_n(r->c, (const char *)meta_file->data, meta_file->len);
	json_decref(meta);
	return ok;
}

bool torch_xla_bind(Module *m, Bytes text, const char *file, TensorSource *source)
{
	Dir r = {.c = m->ctx, .arena = arena_new(), .meta_path = file, .source = source, .has_data = true, .m = m};
	json_t *meta = parse_meta(&r, text);
	bool ok = meta && bind_weights(&r, meta);
	json_decref(meta);
	arena_free(r.arena);
	return ok;
}

static Module *read_meta(Context *c, const char *root, MappedFile *meta, const ReadOptions *o)
{
	Dir r = {.c = c, .arena = arena_new(), .root = o->data_dir ? o->data_dir : root, .meta_path = meta->path, .o = o,
		.source = read_tensor};
	const char **names;
	size_t n;
	list_folder(&r, ".", &names, &n);
	for (size_t i = 0; i < n; i++)
		r.has_data |= !strcmp(names[i], "data");
	Module *m = read_directory(&r, meta) ? r.m : NULL;
	arena_free(r.arena);
	return m;
}

/* DIR/functions/NAME.meta. */
Module *torch_xla_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	const char *functions = path_dir(c->arena, f->path);
	return read_meta(c, !strcmp(functions, ".") ? ".." : path_dir(c->arena, functions), f, o);
}

int torch_xla_sniff(Bytes head, const char *path)
{
	static const char key[] = "\"input_locations\"", name[] = "\"stablehlo_version\"";
	(void)path;
	if (!head.len || head.data[0] != '{')
		return 0;
	return memmem(head.data, head.len, key, sizeof(key) - 1) || memmem(head.data, head.len, name, sizeof(name) - 1) ? 90 : 0;
}

static bool is_meta(const char *name)
{
	size_t n = strlen(name);
	return n > 5 && !strcmp(name + n - 5, ".meta");
}

bool torch_xla_is_directory(const char *path, Arena *a)
{
	const char **names;
	size_t n;
	Diags quiet;
	diags_init(&quiet, a);
	if (!folder_list(path_join(a, path, "functions"), a, &names, &n, &quiet))
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_meta(names[i]))
			return true;
	return false;
}

/* The only function, or the one that torch_xla always saves. */
static const char *choose_function(Context *c, const char *path, const char **names, size_t n)
{
	const char *chosen = NULL, *all = "";
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_meta(names[i]))
			continue;
		all = count++ ? arena_printf(c->arena, "%s, %s", all, names[i]) : names[i];
		if (count == 1 || !strcmp(names[i], "forward.meta"))
			chosen = names[i];
	}
	Loc loc = {.file = str(c, path)->s, .offset = -1};
	if (count > 1 && strcmp(chosen, "forward.meta") != 0) {
		diag_error(&c->diags, HONE_USAGE, &loc, "the directory holds several functions: %s", all);
		diag_hint(&c->diags, "name one: %s/functions/%s", path, chosen);
		return NULL;
	}
	return chosen;
}

Module *torch_xla_read_directory(Context *c, const char *path, const ReadOptions *o)
{
	const char **names;
	size_t n;
	Arena *a = arena_new();
	Module *m = NULL;
	if (!torch_xla_is_directory(path, a)) {
		Loc loc = {.file = str(c, path)->s, .offset = -1};
		diag_error(&c->diags, HONE_BAD_INPUT, &loc, "a directory, but none that torch_xla saved: there is no functions/*.meta");
		diag_hint(&c->diags, "name the file of the model, or the directory that holds functions/, data/ and constants/");
	} else if (folder_list(path_join(a, path, "functions"), a, &names, &n, &c->diags)) {
		const char *chosen = choose_function(c, path, names, n);
		MappedFile *f = chosen ? file_map_beneath(path, path_join(a, "functions", chosen), &c->diags) : NULL;
		m = f ? read_meta(c, path, f, o) : NULL;
		file_unref(f);
	}
	arena_free(a);
	if (m)
		m->path = arena_strdup(m->arena, path);
	return m;
}
