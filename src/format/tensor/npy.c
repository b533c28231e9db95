/* Elements of .npy files: byte order, Fortran order, and the evaluator's wider storage, a block at a time. */
#include "format/tensor/tensor_int.h"

#include <string.h>

enum { BLOCK_ELEMS = 1024, WIDEST = 16 /* bytes of the widest element, c16 */ };

/* Byte offsets of the elements of a column-major array in row-major order, one after the other. */
typedef struct Walk {
	int rank;
	const int64_t *dims;
	int64_t index[MAX_RANK], stride[MAX_RANK];
	int64_t offset;
} Walk;

static void walk_start(Walk *w, const NpyHeader *h, size_t elem)
{
	*w = (Walk){.rank = h->rank, .dims = h->dims};
	int64_t stride = (int64_t)elem;
	for (int i = 0; i < h->rank; i++) {
		w->stride[i] = stride;
		stride *= h->dims[i]; /* the element count was checked */
	}
}

static void walk_next(Walk *w)
{
	for (int i = w->rank; i-- > 0;) {
		w->offset += w->stride[i];
		if (++w->index[i] < w->dims[i])
			return;
		w->offset -= w->stride[i] * w->dims[i];
		w->index[i] = 0;
	}
}

/* Reverses each `width`-byte unit of a block. */
static void swap_units(uint8_t *block, size_t bytes, size_t width)
{
	for (size_t at = 0; at < bytes; at += width)
		for (size_t i = 0; i < width / 2; i++) {
			uint8_t low = block[at + i];
			block[at + i] = block[at + width - 1 - i];
			block[at + width - 1 - i] = low;
		}
}

/* Stores n elements of the tensor's logical type at index `at`. */
static void store_block(Tensor *t, int64_t at, int64_t n, uint8_t *block, size_t elem)
{
	if (t->dtype == DT_BOOL)
		for (int64_t i = 0; i < n; i++)
			block[i] = block[i] != 0;
	if (t->store == t->dtype)
		memcpy((uint8_t *)t->data + (size_t)at * elem, block, (size_t)n * elem);
	else if (t->dtype == DT_C64)
		dtype_load_f64(DT_F32, block, 2 * n, (double *)t->data + 2 * at);
	else
		dtype_load_f64(t->dtype, block, n, (double *)t->data + at);
}

static void read_elements(Tensor *t, const NpyHeader *h, const uint8_t *src)
{
	_Alignas(16) uint8_t block[BLOCK_ELEMS * WIDEST];
	size_t elem = dtype_size(h->dtype);
	size_t unit = dtype_class(h->dtype) == DC_COMPLEX ? elem / 2 : elem;
	bool reorder = h->fortran_order && h->rank > 1;
	Walk w;
	walk_start(&w, h, elem);
	for (int64_t at = 0; at < t->count; at += BLOCK_ELEMS) {
		int64_t n = t->count - at < BLOCK_ELEMS ? t->count - at : BLOCK_ELEMS;
		if (!reorder)
			memcpy(block, src + (size_t)at * elem, (size_t)n * elem);
		for (int64_t i = 0; reorder && i < n; i++) {
			memcpy(block + (size_t)i * elem, src + w.offset, elem);
			walk_next(&w);
		}
		if (h->big_endian)
			swap_units(block, (size_t)n * elem, unit);
		store_block(t, at, n, block, elem);
	}
}

Tensor *npy_parse(EvalCtx *e, Bytes b, const char *file)
{
	NpyHeader h;
	if (!npy_header_parse(b, file, &h, e->diags))
		return NULL;
	Loc loc = {.file = file, .offset = (int64_t)h.data_offset};
	int64_t count, need;
	if (!dims_count(h.dims, h.rank, &count) || !mul_ok(count, (int64_t)dtype_size(h.dtype), &need)) {
		diag_error(e->diags, HONE_BAD_INPUT, &loc, "npy: the number of elements overflows");
		return NULL;
	}
	uint64_t present = b.len - h.data_offset;
	if ((uint64_t)need != present) {
		diag_error(e->diags, HONE_BAD_INPUT, &loc, "npy: data needs %lld bytes, %llu present", (long long)need,
			(unsigned long long)present);
		return NULL;
	}
	Tensor *t = tensor_new(e, h.dtype, h.rank, h.dims);
	if (t != NULL)
		read_elements(t, &h, b.data + h.data_offset);
	return t;
}

Tensor *npy_read(EvalCtx *e, MappedFile *f)
{
	return npy_parse(e, (Bytes){f->data, f->len}, f->path);
}

/* The type that a tensor has in a .npy file: its own, or the narrowest one that holds all its values. */
static DType wire_dtype(DType d)
{
	if (npy_descr(d) != NULL)
		return d;
	switch (dtype_class(d)) {
	case DC_INT: return DT_I8;
	case DC_UINT: return DT_U8;
	case DC_FLOAT: return DT_F32;
	default: return DT_NONE;
	}
}

/* n elements from index `at` as .npy stores them. */
static void load_block(const Tensor *t, int64_t at, int64_t n, DType wire, uint8_t *block)
{
	double wide[2 * BLOCK_ELEMS];
	const uint8_t *src = (const uint8_t *)t->data + (size_t)at * dtype_size(t->store);
	bool integer = dtype_class(t->dtype) != DC_FLOAT && dtype_class(t->dtype) != DC_COMPLEX;
	if (t->store == t->dtype && (wire == t->dtype || integer)) {
		/* Unpacked elements of narrow integers already take a byte each. */
		memcpy(block, src, (size_t)n * dtype_size(wire));
	} else if (t->dtype == DT_C64) {
		dtype_store_f64(DT_F32, block, 2 * n, (const double *)t->data + 2 * at);
	} else {
		dtype_load_f64(t->store, src, n, wide);
		if (t->store != t->dtype) { /* round to the logical type first */
			dtype_store_f64(t->dtype, block, n, wide);
			dtype_load_f64(t->dtype, block, n, wide);
		}
		dtype_store_f64(wire, block, n, wide);
	}
}

/* Version 1.0; the dictionary is padded with blanks so that the data starts at a multiple of 64. */
void npy_header_format(DType wire, int rank, const int64_t *dims, Buf *out)
{
	Buf dict = {0};
	buf_printf(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (", npy_descr(wire));
	for (int i = 0; i < rank; i++)
		buf_printf(&dict, i + 1 < rank ? "%lld, " : rank == 1 ? "%lld," : "%lld", (long long)dims[i]);
	buf_puts(&dict, "), }");
	while ((10 + dict.len + 1) % 64 != 0)
		buf_puts(&dict, " ");
	buf_puts(&dict, "\n");
	buf_put(out, "\x93NUMPY\x01\x00", 8);
	uint8_t length[2] = {(uint8_t)dict.len, (uint8_t)(dict.len >> 8)};
	buf_put(out, length, 2);
	buf_put(out, dict.data, dict.len);
	buf_free(&dict);
}

bool npy_emit(const Tensor *t, NpySink *sink, void *arg, Diags *d)
{
	DType wire = t->kind == TYPE_TENSOR ? wire_dtype(t->dtype) : DT_NONE;
	if (wire == DT_NONE)
		return diag_error(d, HONE_UNSUPPORTED, NULL, "npy: %s cannot be stored in a .npy file",
			t->kind == TYPE_TENSOR ? dtype_friendly_name(t->dtype) : "a value that is no tensor");
	Buf header = {0};
	npy_header_format(wire, t->rank, t->dims, &header);
	bool going = sink(arg, header.data, header.len);
	buf_free(&header);
	_Alignas(16) uint8_t block[BLOCK_ELEMS * WIDEST];
	for (int64_t at = 0; going && at < t->count; at += BLOCK_ELEMS) {
		int64_t n = t->count - at < BLOCK_ELEMS ? t->count - at : BLOCK_ELEMS;
		load_block(t, at, n, wire, block);
		going = sink(arg, block, (size_t)n * dtype_size(wire));
	}
	return going;
}

static bool sink_to_file(void *arg, const void *p, size_t n)
{
	return out_write(arg, p, n);
}

bool npy_write(const Tensor *t, const char *path, Diags *d)
{
	OutFile *out = out_open(path, d);
	if (out == NULL)
		return false;
	size_t errors = d->list.len + d->dropped;
	if (!npy_emit(t, sink_to_file, out, d) && d->list.len + d->dropped > errors) {
		out_discard(out);
		return false;
	}
	return out_commit(out, d); /* reports a failed write */
}
