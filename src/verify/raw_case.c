/* Cases in the layout of IREE's test suites: model.mlir, tensors as bare bytes, and run_module_io_flags.txt with lines such
 * as --input=2x3xf32=@input_0.bin and --expected_output=i64=@output_0.bin. The types there have no sign, the model's do. */
#include "verify/raw_case.h"

#include <string.h>

#define FLAGS "run_module_io_flags.txt"

char *raw_case_flags(Arena *a, const char *prefix)
{
	return arena_printf(a, "%s%s", prefix, FLAGS);
}

/* "2x3xf32": sizes, then the element type. */
static bool parse_type_text(const char *s, size_t len, DType *d, int *rank, int64_t *dims)
{
	for (*rank = 0; len && *s >= '0' && *s <= '9';) {
		size_t n = 0;
		while (n < len && s[n] >= '0' && s[n] <= '9')
			n++;
		if (n == len || s[n] != 'x' || *rank == MAX_RANK || !parse_int64(s, n, &dims[(*rank)++]))
			return false;
		s += n + 1;
		len -= n + 1;
	}
	return dtype_parse(s, len, d) && *d != DT_STR && *d != DT_NONE;
}

static Tensor *read_bytes(EvalCtx *e, const char *path, DType d, int rank, const int64_t *dims)
{
	MappedFile *f = file_map(path, e->diags);
	Tensor *t = f ? tensor_new(e, d, rank, dims) : NULL;
	if (t && f->len != (size_t)t->count * tensor_elem_size(t)) {
		diag_error(e->diags, HONE_BAD_INPUT, NULL, "%s has %zu bytes, its type takes %zu", path, f->len,
			(size_t)t->count * tensor_elem_size(t));
		t = NULL;
	}
	if (t && t->count)
		memcpy(t->data, f->data, f->len);
	file_unref(f);
	return t;
}

/* What follows "--input=" or "--expected_output=". */
static Tensor *read_flag(EvalCtx *e, Arena *a, const char *prefix, const char *s, size_t len, const Type *want)
{
	const char *at = memchr(s, '=', len);
	int64_t dims[MAX_RANK];
	DType d;
	int rank;
	if (!at || len - (size_t)(at - s) < 3 || at[1] != '@' || memchr(at, '/', len - (size_t)(at - s)) ||
		!parse_type_text(s, (size_t)(at - s), &d, &rank, dims)) {
		diag_error(e->diags, HONE_BAD_INPUT, NULL, "%s" FLAGS ": expected TYPE=@FILE, found %s", prefix, quote(a, s, len));
		return NULL;
	}
	bool sign_only = type_is_tensor(want) && dtype_is_integer(d) && dtype_is_integer(want->dtype) &&
		dtype_bits(d) == dtype_bits(want->dtype);
	int name = (int)(len - (size_t)(at - s) - 2);
	return read_bytes(e, arena_printf(a, "%s%.*s", prefix, name, at + 2), sign_only ? want->dtype : d, rank, dims);
}

bool raw_case_load(EvalCtx *e, Arena *a, const Func *f, const char *prefix, bool outputs, NamedTensor *out, size_t max,
		size_t *n)
{
	const char *key = outputs ? "--expected_output=" : "--input=";
	MappedFile *file = file_map(raw_case_flags(a, prefix), e->diags);
	const Op *ret = block_terminator(f->body);
	bool ok = file != NULL;
	*n = 0;
	const char *s = file ? (const char *)file->data : NULL, *end = s ? s + file->len : NULL;
	while (ok && s < end) {
		const char *eol = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((eol ? eol : end) - s), k = strlen(key);
		if (len > k && !memcmp(s, key, k)) {
			size_t i = *n, have = outputs ? ret ? ret->noperands : 0 : f->body->nargs;
			const Value *v = i >= have ? NULL : outputs ? ret->operands[i].value : f->body->args[i];
			ok = i < max && (out[i].tensor = read_flag(e, a, prefix, s + k, len - k, v ? v->type : NULL)) != NULL;
			out[i < max ? i : 0].name = NULL;
			*n += ok;
		}
		s += len + 1;
	}
	file_unref(file);
	return ok;
}
