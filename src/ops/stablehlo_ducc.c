/* Fourier transforms as JAX wrote them on CPUs up to 2023: calls of DUCC and, before it, pocketfft. The first operand is a
 * FlatBuffers table that says what is computed, the second the data; the dynamic form has sizes, strides, scale and the shape of
 * the result as operands. Strides are in bytes at first, in elements later. They are run as stablehlo.fft: data in row-major order, the last axes.
 *
 * Fields of the table:    0      1        2     3          4           5    6       7
 *   static                dtype  fft_type shape strides_in strides_out axes forward scale
 *   dynamic               ndims  dtype    fft_type  axes   forward
 * with dtype 0 complex64, 1 complex128; fft_type 0 complex, 1 complex to real, 2 real to complex. */
#include "stablehlo_int.h"

typedef struct Table {
	const uint8_t *data;
	size_t size, at;       /* at: of the table */
	size_t fields, nfield; /* offset of the offsets of fields, count */
} Table;

enum { C2C, C2R, R2C };

typedef struct Transform {
	uint64_t wide, type, forward;
	int64_t rank, naxes, axes[MAX_RANK];
	int64_t full[MAX_RANK], in[MAX_RANK], out[MAX_RANK];
	int64_t from[MAX_RANK], to[MAX_RANK]; /* strides of operand and result */
	double scale;
} Transform;

/* Little-endian number of n bytes; false: outside. */
static bool number(const Table *t, size_t at, size_t n, uint64_t *v)
{
	if (at > t->size || t->size - at < n)
		return false;
	*v = 0;
	for (size_t i = 0; i < n; i++)
		*v |= (uint64_t)t->data[at + i] << (8 * i);
	return true;
}

static bool table_open(Table *t, const Tensor *bytes)
{
	uint64_t root, back, size;
	*t = (Table){ .data = bytes->data, .size = (size_t)bytes->count };
	if (bytes->kind != TYPE_TENSOR || (bytes->dtype != DT_U8 && bytes->dtype != DT_I8) || !number(t, 0, 4, &root) ||
		!number(t, (size_t)root, 4, &back))
		return false;
	int64_t fields = (int64_t)root - (int32_t)(uint32_t)back;
	if (fields < 0 || !number(t, (size_t)fields, 2, &size) || size < 4 || size % 2 || size > t->size - (size_t)fields)
		return false;
	t->at = (size_t)root;
	t->fields = (size_t)fields + 4;
	t->nfield = (size_t)size / 2 - 2;
	return true;
}

/* Where field k stands, 0: it is left out. */
static size_t field(const Table *t, size_t k)
{
	uint64_t at;
	return k < t->nfield && number(t, t->fields + 2 * k, 2, &at) && at ? t->at + (size_t)at : 0;
}

/* What is left out is 0. */
static bool scalar(const Table *t, size_t k, size_t bytes, uint64_t *v)
{
	size_t at = field(t, k);
	*v = 0;
	return !at || number(t, at, bytes, v);
}

/* List of numbers of some bytes each; its length, -1: there is no such list. */
static int64_t list(const Table *t, size_t k, size_t bytes, int64_t *v)
{
	size_t at = field(t, k);
	uint64_t to, n, x;
	if (!at || !number(t, at, 4, &to) || !number(t, at + (size_t)to, 4, &n) || n > MAX_RANK)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!number(t, at + (size_t)to + 4 + i * bytes, bytes, &x) || x > INT64_MAX)
			return -1;
		v[i] = (int64_t)x;
	}
	return (int64_t)n;
}

/* Are these the strides of a row-major array, in elements or in bytes? */
static bool is_row_major(int64_t n, const int64_t *dims, int64_t bytes, const int64_t *strides)
{
	int64_t step = strides[n - 1] == 1 ? 1 : bytes;
	for (int64_t d = n - 1; d >= 0; d--) {
		if (strides[d] != step || (dims[d] && step > INT64_MAX / dims[d]))
			return false;
		step *= dims[d];
	}
	return true;
}

/* Sizes of the operand and of the result from the full ones: one of them lacks the conjugates of its last axis. */
static bool set_dims(Transform *f)
{
	if (f->type > R2C || f->rank < 1 || f->naxes < 1 || f->naxes > f->rank)
		return false;
	memcpy(f->in, f->full, sizeof f->in);
	memcpy(f->out, f->full, sizeof f->out);
	int64_t *half = f->type == C2R ? f->in : f->type == R2C ? f->out : NULL;
	if (half)
		half[f->rank - 1] = f->full[f->rank - 1] / 2 + 1;
	return true;
}

static bool is_plain(const Transform *f)
{
	int64_t size = f->wide ? 8 : 4;
	for (int64_t i = 0; i < f->naxes; i++)
		if (f->axes[i] != f->rank - f->naxes + i)
			return false;
	return is_row_major(f->rank, f->in, f->type == R2C ? size : 2 * size, f->from) &&
		is_row_major(f->rank, f->out, f->type == C2R ? size : 2 * size, f->to);
}

static bool read_static(const Table *t, Transform *f)
{
	uint64_t scale;
	f->rank = list(t, 2, 8, f->full);
	f->naxes = list(t, 5, 4, f->axes);
	if (list(t, 3, 8, f->from) != f->rank || list(t, 4, 8, f->to) != f->rank || !scalar(t, 0, 1, &f->wide) ||
		!scalar(t, 1, 1, &f->type) || !scalar(t, 6, 1, &f->forward) || !scalar(t, 7, 8, &scale))
		return false;
	memcpy(&f->scale, &scale, sizeof f->scale);
	return set_dims(f);
}

static bool read_dynamic(const Op *op, const Table *t, Tensor *const *in, Transform *f)
{
	uint64_t rank;
	if (op->noperands < 6 || !scalar(t, 0, 4, &rank) || rank > MAX_RANK || !scalar(t, 1, 1, &f->wide) ||
		!scalar(t, 2, 1, &f->type) || !scalar(t, 4, 1, &f->forward))
		return false;
	f->rank = (int64_t)rank;
	f->naxes = list(t, 3, 4, f->axes);
	if (tensor_ints(in[2], f->full, MAX_RANK) != f->rank || tensor_ints(in[3], f->from, MAX_RANK) != f->rank ||
		tensor_ints(in[4], f->to, MAX_RANK) != f->rank || in[5]->kind != TYPE_TENSOR || in[5]->count != 1 ||
		!dtype_is_float(in[5]->dtype))
		return false;
	f->scale = tensor_get_f64(in[5], 0);
	return set_dims(f);
}

/* DUCC divides by nothing, stablehlo.fft by the count of elements on the way back. */
static void rescale(const Transform *f, Tensor *y)
{
	double scale = f->scale, v[2];
	for (int64_t d = f->rank - f->naxes; !f->forward && d < f->rank; d++)
		scale *= (double)f->full[d];
	for (int64_t i = 0; scale != 1 && i < y->count; i++) {
		shlo_load_complex(y, i, v);
		v[0] *= scale;
		v[1] *= scale;
		shlo_store_complex(y, i, v);
	}
}

static DType result_dtype(const Transform *f, DType d)
{
	bool wide = d == DT_F64 || d == DT_C128;
	return f->type == C2R ? (wide ? DT_F64 : DT_F32) : wide ? DT_C128 : DT_C64;
}

bool shlo_ducc_fft(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const char *const names[3][2] = { { "IFFT", "FFT" }, { "IRFFT", NULL }, { NULL, "RFFT" } };
	const Tensor *x = in[1];
	Transform f = { 0 };
	Table t;
	if (!table_open(&t, in[0]) ||
		!(op_attr_is(op, A_call_target_name, "dynamic_ducc_fft") ? read_dynamic(op, &t, in, &f) : read_static(&t, &f)))
		return eval_error(e, op, "its description of a Fourier transform is damaged or of another kind");
	if (!is_plain(&f))
		return eval_unsupported(e, op, "a Fourier transform other than one over the last axes of row-major arrays");
	const char *name = names[f.type][f.forward != 0];
	if (!name)
		return eval_unsupported(e, op, "a transform of real numbers whose exponents have the other sign");
	bool fits = x->kind == TYPE_TENSOR && x->rank == f.rank;
	for (int d = 0; fits && d < x->rank; d++)
		fits = x->dims[d] == f.in[d];
	if (!fits)
		return eval_error(e, op, "operand 1 has not the sizes that the description of the transform gives");
	const Type *type = type_tensor_of(e->ctx, result_dtype(&f, x->dtype), x->rank, f.out);
	const NamedAttr attrs[] = { { e->ctx->attr_names[A_fft_type], attr_str(e->ctx, str(e->ctx, name)) },
		{ e->ctx->attr_names[A_fft_length], attr_ints(e->ctx, f.full + f.rank - f.naxes, (size_t)f.naxes) } };
	if (!shlo_run_as(e, op, SHLO_fft, &in[1], 1, &type, 1, attrs, ARRAY_LEN(attrs), out))
		return false;
	rescale(&f, out[0]);
	return true;
}
