/* Tensors of the evaluator: storage, views, conversion from and to constant attributes, element access. */
#include "eval_int.h"

#include <stdlib.h>
#include <string.h>

/* Bytes with a count. Either memory of our own or the bytes of a blob that something else may share (then immutable). */
struct TensorBuf {
	int refs;
	int64_t bytes; /* counted in live_bytes; 0 for a blob's bytes */
	void *data;
	Blob *blob;
	bool foreign; /* the caller's bytes */
};

static DType store_type(const EvalCtx *e, DType d)
{
	if (!e->oracle)
		return d;
	switch (dtype_class(d)) {
	case DC_FLOAT: return DT_F64;
	case DC_COMPLEX: return DT_C128;
	default: return d;
	}
}

size_t tensor_elem_size(const Tensor *t)
{
	return dtype_size(t->store);
}

/* ---- life ---- */

static Tensor *tensor_shell(EvalCtx *e, TypeKind kind)
{
	Tensor *t = mem_zalloc(sizeof(*t));
	t->kind = kind;
	t->refs = 1;
	t->owner = e;
	t->next_live = e->live;
	t->link_live = &e->live;
	if (e->live)
		e->live->link_live = &t->next_live;
	e->live = t;
	return t;
}

static void buf_unref(EvalCtx *e, TensorBuf *b)
{
	if (!b || --b->refs > 0)
		return;
	e->live_bytes -= b->bytes;
	if (b->blob) {
		blob_forget_pages(b->blob);
		blob_unref(b->blob);
	} else if (!b->foreign) {
		mem_free(b->data);
	}
	mem_free(b);
}

/* Frees t itself; what its items hold is the caller's business. */
static void tensor_destroy(Tensor *t)
{
	*t->link_live = t->next_live;
	if (t->next_live)
		t->next_live->link_live = t->link_live;
	buf_unref(t->owner, t->buf);
	mem_free(t->items);
	mem_free(t);
}

Tensor *tensor_ref(Tensor *t)
{
	if (t)
		t->refs++;
	return t;
}

void tensor_unref(Tensor *t)
{
	if (!t || --t->refs > 0)
		return;
	for (int64_t i = 0; i < t->nitems; i++)
		tensor_unref(t->items[i]);
	tensor_destroy(t);
}

/* Everything goes, so the items of sequences need no counting. */
void tensor_release_all(EvalCtx *e)
{
	while (e->live)
		tensor_destroy(e->live);
}

/* A buffer of n elements, counted against the limit. False + diagnostic when it does not fit. */
static bool tensor_alloc(EvalCtx *e, Tensor *t, bool zero)
{
	size_t size = dtype_size(t->store);
	int64_t bytes, total;
	if (!mul_ok(t->count, (int64_t)size, &bytes) || !add_ok(e->live_bytes, bytes, &total) ||
		(e->max_bytes > 0 && total > e->max_bytes))
		return diag_error(e->diags, HONE_LIMIT, NULL,
			"a tensor of %lld elements of %s exceeds the memory limit of %lld bytes (%lld in use)", (long long)t->count,
			dtype_friendly_name(t->dtype), (long long)e->max_bytes, (long long)e->live_bytes);
	TensorBuf *b = mem_zalloc(sizeof(*b));
	b->refs = 1;
	t->buf = b;
	b->data = zero ? calloc(1, bytes ? (size_t)bytes : 1) : malloc(bytes ? (size_t)bytes : 1);
	if (!b->data)
		return diag_error(e->diags, HONE_LIMIT, NULL, "out of memory: no %lld bytes for a tensor", (long long)bytes);
	b->bytes = bytes;
	t->data = b->data;
	e->live_bytes = total;
	if (total > e->peak_bytes)
		e->peak_bytes = total;
	return true;
}

/* A tensor without elements yet. NULL + diagnostic on a bad shape. */
static Tensor *tensor_frame(EvalCtx *e, DType dtype, DType store, int rank, const int64_t *dims)
{
	int64_t count;
	if (rank < 0 || rank > MAX_RANK) {
		diag_error(e->diags, HONE_UNSUPPORTED, NULL, "a tensor of rank %d: at most %d is supported", rank, MAX_RANK);
		return NULL;
	}
	if (!dims_count(dims, rank, &count)) {
		diag_error(e->diags, HONE_BAD_INPUT, NULL, "a tensor with a negative dimension or too many elements");
		return NULL;
	}
	if (dtype <= DT_NONE || dtype >= DT_COUNT) {
		diag_error(e->diags, HONE_BAD_INPUT, NULL, "a tensor without an element type");
		return NULL;
	}
	Tensor *t = tensor_shell(e, TYPE_TENSOR);
	t->dtype = dtype;
	t->store = store;
	t->rank = rank;
	if (rank)
		memcpy(t->dims, dims, (size_t)rank * sizeof(*dims));
	t->count = count;
	return t;
}

static Tensor *tensor_new_stored(EvalCtx *e, DType dtype, DType store, int rank, const int64_t *dims, bool zero)
{
	Tensor *t = tensor_frame(e, dtype, store, rank, dims);
	if (!t)
		return NULL;
	if (!tensor_alloc(e, t, zero)) {
		tensor_unref(t);
		return NULL;
	}
	if (store == DT_STR)
		for (int64_t i = 0; i < t->count; i++)
			((const Str **)t->data)[i] = e->ctx->empty;
	return t;
}

Tensor *tensor_new(EvalCtx *e, DType dtype, int rank, const int64_t *dims)
{
	return tensor_new_stored(e, dtype, store_type(e, dtype), rank, dims, true);
}

Tensor *tensor_raw(EvalCtx *e, DType dtype, int rank, const int64_t *dims)
{
	return tensor_new_stored(e, dtype, store_type(e, dtype), rank, dims, false);
}

Tensor *tensor_over(EvalCtx *e, Tensor *t)
{
	if (t->spent && t->refs == 1 && t->buf->refs == 1 && !t->buf->blob)
		return tensor_view(e, t, t->rank, t->dims);
	return tensor_new_stored(e, t->dtype, t->store, t->rank, t->dims, false);
}

Tensor *tensor_new_f64(EvalCtx *e, int rank, const int64_t *dims)
{
	return tensor_new_stored(e, DT_F64, DT_F64, rank, dims, true);
}

Tensor *tensor_like(EvalCtx *e, const Tensor *t)
{
	return tensor_new_stored(e, t->dtype, t->store, t->rank, t->dims, true);
}

Tensor *tensor_view(EvalCtx *e, Tensor *t, int rank, const int64_t *dims)
{
	Tensor *v = tensor_frame(e, t->dtype, t->store, rank, dims);
	if (!v)
		return NULL;
	if (v->count != t->count) {
		diag_error(e->diags, HONE_BAD_INPUT, NULL, "a shape of %lld elements for a tensor of %lld", (long long)v->count,
			(long long)t->count);
		tensor_unref(v);
		return NULL;
	}
	v->data = t->data;
	v->buf = t->buf;
	v->buf->refs++;
	return v;
}

Tensor *tensor_borrowed(EvalCtx *e, DType dtype, int rank, const int64_t *dims, void *data)
{
	Tensor *t = tensor_frame(e, dtype, dtype, rank, dims);
	if (!t)
		return NULL;
	t->buf = mem_zalloc(sizeof(*t->buf));
	*t->buf = (TensorBuf){ .refs = 1, .data = data, .foreign = true };
	t->data = data;
	return t;
}

Tensor *tensor_scalar_i64(EvalCtx *e, int64_t v)
{
	Tensor *t = tensor_new(e, DT_I64, 0, NULL);
	if (t)
		memcpy(t->data, &v, sizeof(v));
	return t;
}

Tensor *tensor_sequence(EvalCtx *e, TypeKind kind, Tensor *const *items, int64_t n)
{
	Tensor *t = tensor_shell(e, kind);
	t->items = mem_zalloc((size_t)n * sizeof(*t->items));
	t->nitems = n;
	t->dtype = t->store = n ? items[0]->dtype : DT_NONE;
	for (int64_t i = 0; i < n; i++)
		t->items[i] = tensor_ref(items[i]);
	return t;
}

bool tensor_same_shape(const Tensor *a, const Tensor *b)
{
	if (a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	return true;
}

const char *tensor_shape_text(EvalCtx *e, const Tensor *t)
{
	if (t->kind != TYPE_TENSOR)
		return "(not a tensor)";
	if (t->rank == 0)
		return "[]";
	char *text = arena_strdup(e->diags->arena, "[");
	for (int i = 0; i < t->rank; i++)
		text = arena_printf(e->diags->arena, "%s%lld%s", text, (long long)t->dims[i], i + 1 < t->rank ? "," : "]");
	return text;
}

/* ---- constant attributes ---- */

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* Fills t with one element, doubling the filled part. */
static void fill_splat(Tensor *t, const void *element)
{
	size_t size = tensor_elem_size(t), total = (size_t)t->count * size;
	uint8_t *p = t->data;
	if (total == 0 || (t->store != DT_STR && all_zero(element, size)))
		return;
	memcpy(p, element, size);
	for (size_t done = size; done < total;) {
		size_t n = done < total - done ? done : total - done;
		memcpy(p + done, p, n);
		done += n;
	}
}

static void convert_elements(DType from, const void *src, DType to, void *dst, int64_t n)
{
	if (from == DT_C64 && to == DT_C128) {
		for (int64_t i = 0; i < 2 * n; i++) {
			float x;
			memcpy(&x, (const char *)src + (size_t)i * sizeof(x), sizeof(x));
			((double *)dst)[i] = x;
		}
	} else {
		CHECK(to == DT_F64);
		dtype_load_f64(from, src, n, dst);
	}
}

static Tensor *share_blob(EvalCtx *e, const Attr *a, int rank, const int64_t *dims)
{
	Tensor *t = tensor_frame(e, a->u.tensor.type->dtype, a->u.tensor.type->dtype, rank, dims);
	if (!t)
		return NULL;
	TensorBuf *b = mem_zalloc(sizeof(*b));
	b->refs = 1;
	t->buf = b;
	b->blob = blob_ref(a->u.tensor.blob);
	b->data = t->data = (void *)b->blob->data;
	return t;
}

/* The blob's bytes serve as they are unless they are packed, a splat, stored otherwise (oracle) or badly aligned, which a
 * mapped file may have. */
Tensor *tensor_from_attr(EvalCtx *e, const Attr *a)
{
	int64_t dims[MAX_RANK], count;
	if (a->kind != ATTR_TENSOR || !type_has_rank(a->u.tensor.type) || a->u.tensor.type->rank > MAX_RANK ||
		!type_static_dims(a->u.tensor.type, dims)) {
		diag_error(e->diags, HONE_UNSUPPORTED, NULL, "a constant that is not a tensor of rank up to %d", MAX_RANK);
		return NULL;
	}
	DType d = a->u.tensor.type->dtype, store = store_type(e, d);
	Blob *b = a->u.tensor.blob;
	int rank = a->u.tensor.type->rank;
	size_t want;
	if (d == DT_NONE || !dims_count(dims, rank, &count) || !dtype_packed_bytes(d, count, &want) ||
		b->len < (b->splat ? dtype_size(d) : want)) {
		diag_error(e->diags, HONE_BAD_INPUT, NULL, "a constant has fewer bytes than its type says");
		return NULL;
	}
	bool packed = dtype_bits(d) < 8 && d != DT_STR && !b->splat;
	size_t align = d == DT_C64 ? 4 : d == DT_C128 ? 8 : dtype_size(d);
	if (store == d && !packed && (!b->splat || count == 1) && (uintptr_t)b->data % align == 0 && b->data)
		return share_blob(e, a, rank, dims);
	Tensor *t = tensor_new_stored(e, d, store, rank, dims, true);
	if (!t || count == 0)
		return t;
	if (b->splat) {
		double element[2];
		if (store == d)
			memcpy(element, b->data, dtype_size(d));
		else
			convert_elements(d, b->data, store, element, 1);
		fill_splat(t, element);
	} else if (store == d) {
		dtype_unpack(d, b->data, count, t->data);
	} else if (packed) {
		dtype_unpack(d, b->data, count, t->data); /* into the front, then widened from the back */
		for (int64_t i = count; i-- > 0;) {
			double v = dtype_decode_float(d, ((const uint8_t *)t->data)[i]);
			((double *)t->data)[i] = v;
		}
	} else {
		convert_elements(d, b->data, store, t->data, count);
	}
	blob_forget_pages(b);
	return t;
}

static bool is_splat(const void *data, int64_t n, size_t size)
{
	return n > 1 && memcmp(data, (const char *)data + size, ((size_t)n - 1) * size) == 0;
}

/* Elements in the logical type, unpacked: t's own data or a converted copy in *made. */
static const void *logical_elements(const Tensor *t, void **made)
{
	*made = NULL;
	if (t->store == t->dtype)
		return t->data;
	*made = mem_alloc((size_t)t->count * dtype_size(t->dtype));
	if (t->dtype == DT_C64) {
		for (int64_t i = 0; i < 2 * t->count; i++)
			((float *)*made)[i] = (float)((const double *)t->data)[i];
	} else {
		dtype_store_f64(t->dtype, *made, t->count, t->data);
	}
	return *made;
}

/* Big buffers of our own become the blob's instead of being copied: the tensor then only shares them. */
const Attr *tensor_to_attr(Context *c, const Tensor *t)
{
	enum { COPY_UP_TO = 4096 };
	if (t->kind != TYPE_TENSOR)
		return NULL;
	const Type *type = type_tensor_of(c, t->dtype, t->rank, t->dims);
	TensorBuf *buf = t->buf;
	size_t size = dtype_size(t->dtype), packed;
	bool sub_byte = dtype_bits(t->dtype) < 8 && t->dtype != DT_STR;
	if (!dtype_packed_bytes(t->dtype, t->count, &packed))
		return NULL;
	if (buf->blob && !buf->blob->splat && t->store == t->dtype && t->data == buf->data && buf->blob->len == packed &&
		!sub_byte)
		return attr_tensor(c, type, blob_ref(buf->blob));
	void *made;
	const void *elements = logical_elements(t, &made);
	Blob *b;
	if (is_splat(elements, t->count, size)) {
		b = blob_splat(c, t->dtype, elements);
	} else if (sub_byte) { /* a few 6-bit elements take as many bytes packed as not */
		void *p = mem_alloc(packed);
		dtype_pack(t->dtype, elements, t->count, p);
		b = blob_heap(c, p, packed);
	} else if (made) {
		b = blob_heap(c, made, packed);
		made = NULL;
	} else if (!buf->blob && t->data == buf->data && (int64_t)packed == buf->bytes && packed > COPY_UP_TO) {
		b = blob_heap(c, buf->data, packed);
		buf->blob = blob_ref(b);
	} else {
		b = blob_copy(c, elements, packed);
	}
	mem_free(made);
	return attr_tensor(c, type, b);
}

/* ---- elements ---- */

static inline void *element(const Tensor *t, int64_t i)
{
	return (char *)t->data + (size_t)i * dtype_size(t->store);
}

void tensor_load_f64(const Tensor *t, int64_t at, int64_t n, double *dst)
{
	dtype_load_f64(t->store, element(t, at), n, dst);
}

void tensor_store_f64(Tensor *t, int64_t at, int64_t n, const double *src)
{
	dtype_store_f64(t->store, element(t, at), n, src);
}

void tensor_load_i64(const Tensor *t, int64_t at, int64_t n, int64_t *dst)
{
	dtype_load_i64(t->store, element(t, at), n, dst);
}

void tensor_store_i64(Tensor *t, int64_t at, int64_t n, const int64_t *src)
{
	dtype_store_i64(t->store, element(t, at), n, src);
}

double tensor_get_f64(const Tensor *t, int64_t i)
{
	double v;
	tensor_load_f64(t, i, 1, &v);
	return v;
}

int64_t tensor_get_i64(const Tensor *t, int64_t i)
{
	int64_t v;
	tensor_load_i64(t, i, 1, &v);
	return v;
}

void tensor_set_f64(Tensor *t, int64_t i, double v)
{
	tensor_store_f64(t, i, 1, &v);
}

void tensor_set_i64(Tensor *t, int64_t i, int64_t v)
{
	tensor_store_i64(t, i, 1, &v);
}

int64_t tensor_ints(const Tensor *t, int64_t *dst, int64_t max)
{
	if (!t || t->kind != TYPE_TENSOR || !(dtype_is_integer(t->dtype) || t->dtype == DT_BOOL) || t->count > max)
		return -1;
	tensor_load_i64(t, 0, t->count, dst);
	return t->count;
}

/* Unsigned products: next to a dimension of size zero the others may be anything. */
void strides_of(int rank, const int64_t *dims, int64_t *strides)
{
	uint64_t s = 1;
	for (int i = rank; i-- > 0;) {
		strides[i] = (int64_t)s;
		s *= (uint64_t)dims[i];
	}
}
