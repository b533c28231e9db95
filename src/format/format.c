#include "format.h"
#include "ops/stablehlo.h"

#include <string.h>
#include <sys/stat.h>

/* A build without the MLIR sources leaves these out. */
Module *mlir_read(Context *c, MappedFile *f, const ReadOptions *o) __attribute__((weak));
bool mlir_write(Module *m, const char *path, const WriteOptions *o) __attribute__((weak));
int mlir_sniff(Bytes head, const char *path) __attribute__((weak));

static const Format formats[] = {
	{ "onnx", ".onnx", "ONNX protobuf file, weights inside or in data files beside it", onnx_sniff, onnx_read,
	  onnx_write },
	{ "onnxtxt", ".onnxtxt", "ONNX in the textual syntax of its specification", onnxtext_sniff, onnxtext_read, onnxtext_write },
	{ "torch-onnx", "", "ONNX nodes in MLIR text, as iree-import-onnx and torch-mlir write them", torch_onnx_sniff, mlir_read,
	  torch_onnx_write },
	{ "stablehlo", "", "StableHLO in MLIR text", NULL, mlir_read, mlir_write },
	{ "mlir", ".mlir", "MLIR text: StableHLO, torch-onnx, or hone's own operators", mlir_sniff, mlir_read, mlir_write },
	{ "mlirbc", ".mlirbc .bc", "MLIR bytecode: portable StableHLO artifacts", mlirbc_sniff, mlirbc_read, mlirbc_write },
	{ "torch-xla", ".meta", "directory saved by torch_xla: code, weights, metadata", torch_xla_sniff, torch_xla_read,
	  torch_xla_write },
	{ "hone", ".hone", "compiled model: mapped and run without further work", compiled_sniff, compiled_read, compiled_write },
	{ "jax-export", ".jaxexp", "file of jax.export: code, argument trees", exported_sniff, exported_read, exported_write },
};

const Format *format_table(size_t *n)
{
	*n = ARRAY_LEN(formats);
	return formats;
}

/* True when `list`, words with a space between, holds the n bytes at s. */
static bool has_word(const char *list, const char *s, size_t n)
{
	while (*list) {
		size_t len = strcspn(list, " ");
		if (len == n && memcmp(list, s, n) == 0)
			return true;
		list += len;
		list += strspn(list, " ");
	}
	return false;
}

static const char *extension_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');
	return dot ? dot : "";
}

const Format *format_find(const char *name)
{
	const char *ext = extension_of(name);
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (*ext && has_word(formats[i].extensions, ext, strlen(ext)))
			return &formats[i];
	return NULL;
}

static const char *format_names(Arena *a)
{
	const char *text = formats[0].name;
	for (size_t i = 1; i < ARRAY_LEN(formats); i++)
		text = arena_printf(a, "%s%s%s", text, i + 1 < ARRAY_LEN(formats) ? ", " : " or ", formats[i].name);
	return text;
}

/* Bytes that sniffing looks at, and the largest score that it gives. */
#define HEAD 4096
#define SURE 100

/* The surest format. The extension decides between equals and when no format knows the bytes: its reader explains best
 * what is wrong with them. */
static const Format *guess(const MappedFile *f)
{
	Bytes head = { f->data, f->len < HEAD ? f->len : HEAD };
	const Format *by_name = format_find(f->path), *best = NULL;
	int best_score = 0;
	if (f->len && by_name && by_name->sniff && by_name->sniff(head, f->path) == SURE)
		return by_name;
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		int score = f->len && formats[i].sniff ? formats[i].sniff(head, f->path) : 0;
		if (score > best_score || (score == best_score && score > 0 && &formats[i] == by_name)) {
			best = &formats[i];
			best_score = score;
		}
	}
	return best ? best : by_name;
}

static bool is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static Module *read_any(Context *c, const char *path, const ReadOptions *o)
{
	if (is_directory(path))
		return torch_xla_read_directory(c, path, o);
	MappedFile *f = file_map(path, &c->diags);
	if (!f)
		return NULL;
	const Format *format = guess(f);
	Module *m = NULL;
	if (format && format->read) {
		m = format->read(c, f, o);
	} else {
		Loc loc = { .file = str(c, f->path)->s, .offset = -1 };
		if (f->len == 0)
			diag_error(&c->diags, HONE_BAD_INPUT, &loc, "file is empty");
		else
			diag_error(&c->diags, HONE_BAD_INPUT, &loc, "not a model in a known format, expected %s",
				format_names(c->arena));
	}
	file_unref(f);
	return m;
}

Module *model_read(Context *c, const char *path, const ReadOptions *o)
{
	static const ReadOptions defaults = { 0 };
	o = o ? o : &defaults;
	Module *m = read_any(c, path, o);
	if (m && m->format && !strcmp(m->format->s, "stablehlo") && m->sound_at != m->edits && !shlo_verify(m))
		return NULL;
	return m && bind_user_weights(m, o) ? m : NULL;
}

const Format *format_for_output(const Module *m, const char *path)
{
	size_t len = strlen(path);
	const Format *f = format_find(path);
	if ((len && path[len - 1] == '/') || is_directory(path))
		return format_find("torch-xla");
	if (f || strchr(strrchr(path, '/') ? strrchr(path, '/') : path, '.') || !strcmp(path, "-") || !m->bundle)
		return f;
	return format_find(m->bundle->s[0] == '{' ? "torch-xla" : "jax-export"); /* no extension: as it came */
}

bool output_is_portable(const Module *m, const char *path, const char *format)
{
	const Format *f = format ? format_find(format) : path ? format_for_output(m, path) : NULL;
	return f && (f->write == mlirbc_write || f->write == torch_xla_write || f->write == exported_write);
}

bool model_write(Module *m, const char *path, const char *format, const WriteOptions *o)
{
	static const WriteOptions defaults = { 0 };
	Diags *d = &m->ctx->diags;
	const Format *f = format ? format_find(format) : format_for_output(m, path);
	if (!f && !format && m->format)
		f = format_find(m->format->s);
	if (!f && !format) /* StableHLO and the like are MLIR texts */
		f = format_find("mlir");
	if (!f) {
		diag_error(d, HONE_USAGE, NULL, "unknown format '%s', expected %s", format, format_names(m->ctx->arena));
		const char *names[ARRAY_LEN(formats)];
		for (size_t i = 0; i < ARRAY_LEN(formats); i++)
			names[i] = formats[i].name;
		const char *near = nearest_name(format, names, ARRAY_LEN(formats));
		if (near)
			diag_hint(d, "did you mean %s?", near);
		return false;
	}
	if (!f->write)
		return diag_error(d, HONE_UNSUPPORTED, NULL, "this build has no writer for %s", f->name);
	if (f->write != mlir_write && f->write != mlirbc_write && !module_needs_main(m)) /* these hold any functions */
		return false;
	o = o ? o : &defaults;
	if (o->keep_arguments && f->write != torch_xla_write) /* which has them in files anyway */
		return write_with_arguments(m, path, f, o);
	return f->write(m, path, o);
}

/* Few names are compared with one another, many through a map. */
const Str *name_given_twice(const Str *const *names, size_t n, Arena *scratch)
{
	enum { FEW = 16 };
	Map seen;
	map_init(&seen, scratch);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i && n <= FEW; k++)
			if (names[k] == names[i])
				return names[i];
		if (n > FEW && map_has(&seen, MAP_PTR(names[i])))
			return names[i];
		if (n > FEW)
			map_put(&seen, MAP_PTR(names[i]), scratch);
	}
	return NULL;
}

static void types_print(const Type *const *v, size_t n, Buf *b)
{
	for (size_t i = 0; i < n; i++) {
		buf_puts(b, i ? ", " : "");
		type_print_plain(v[i], b);
	}
}

void function_type_print(const Type *const *in, size_t nin, const Type *const *out, size_t nout, Buf *b)
{
	bool bare = nout == 1 && !(out[0]->kind == TYPE_OPAQUE && out[0]->text->s[0] == '(');
	buf_puts(b, "(");
	types_print(in, nin, b);
	buf_puts(b, bare ? ") -> " : ") -> (");
	types_print(out, nout, b);
	buf_puts(b, bare ? "" : ")");
}

static void print_escaped(Buf *out, const char *s, size_t len)
{
	size_t from = 0, i = 0;
	while (i < len) {
		unsigned char ch = (unsigned char)s[i];
		size_t step = utf8_length((const uint8_t *)s + i, len - i);
		if (step && ch >= 0x20 && ch != '"' && ch != '\\' && ch != 0x7f) {
			i += step;
			continue;
		}
		buf_put(out, s + from, i - from);
		if (ch == '"' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else
			buf_printf(out, "\\%02X", ch);
		from = ++i;
	}
	buf_put(out, s + from, len - from);
}

void print_bytes(Buf *out, const char *s, size_t len)
{
	buf_puts(out, "\"");
	print_escaped(out, s, len);
	buf_puts(out, "\"");
}

bool is_complex_part(const char *s, size_t len)
{
	return len == 3 && (!memcmp(s, "f32", 3) || !memcmp(s, "f64", 3));
}

bool is_element_type(const char *s, size_t len)
{
	static const char *const others[] = { "(", "tensor<", "tuple<", "memref<", "!token", "!stablehlo.token", "!stablehlo.future<" };
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (len >= strlen(others[i]) && !memcmp(s, others[i], strlen(others[i])))
			return false;
	bool named = len > 0 && ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_' || *s == '!');
	return named && !(len == 4 && !memcmp(s, "none", 4));
}

bool is_visibility(const Attr *a)
{
	static const char *const names[] = { "public", "private", "nested" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (a->kind == ATTR_STR && !strcmp(a->u.str->s, names[i]) && a->u.str->len == strlen(names[i]))
			return true;
	return false;
}
