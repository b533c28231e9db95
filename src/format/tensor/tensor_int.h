/* tensor/: files that hold tensors. Private to this directory; the public half is format.h.
 * npy_header.c parses headers, npy.c moves elements, zip.c knows archives, npz.c joins them, safetensors.c is the other kind
 * of archive, tensor_file.c dispatches; weights.c gives all of them as attributes that stay in the mapped file. */
#ifndef HONE_TENSOR_INT_H
#define HONE_TENSOR_INT_H

#include "format/format.h"

/* ---- npy_header.c ---- */

typedef struct NpyHeader {
	DType dtype;
	bool big_endian;
	bool fortran_order;
	int rank;
	int64_t dims[MAX_RANK];
	size_t data_offset;       /* where the elements start */
} NpyHeader;
/* Reads the header at the start of b. `file` names the source in diagnostics. */
bool npy_header_parse(Bytes b, const char *file, NpyHeader *out, Diags *d);
/* numpy's spelling ("<f4") of an element type that .npy has, or NULL. */
const char *npy_descr(DType d);

/* ---- npy.c ---- */

/* A whole .npy file in memory. NULL + diagnostic. */
Tensor *npy_parse(EvalCtx *e, Bytes b, const char *file);
/* Gives the bytes of the .npy file of t to sink, in order; the sink returns false to stop. false + diagnostic when the
 * tensor has no .npy form, false alone when the sink stopped. */
typedef bool NpySink(void *arg, const void *p, size_t n);
/* The header for elements in row-major order; the type has a spelling (npy_descr). */
void npy_header_format(DType wire, int rank, const int64_t *dims, Buf *out);
bool npy_emit(const Tensor *t, NpySink *sink, void *arg, Diags *d);

/* ---- zip.c: the part of the zip format that .npz needs (stored and deflated entries, zip64, no encryption) ---- */

typedef struct ZipEntry {
	const Str *name;
	Bytes packed;             /* inside the archive */
	uint64_t size;            /* unpacked */
	uint32_t crc;
	bool deflated;
} ZipEntry;
/* Lists the archive's entries, checked to lie inside it. */
bool zip_entries(Context *c, Arena *a, Bytes b, const char *file, ZipEntry **out, size_t *n, Diags *d);
/* Unpacks an entry into `to` of entry->size bytes and checks its CRC. */
bool zip_inflate(const ZipEntry *entry, uint8_t *to, const char *file, Diags *d);
bool zip_check_crc(const ZipEntry *entry, const uint8_t *data, const char *file, Diags *d);

typedef struct ZipWriter {
	OutFile *out;
	Buf directory;
	uint64_t entries;
} ZipWriter;
/* Starts a stored entry of `size` bytes; the caller then writes exactly those to out. */
void zip_begin_entry(ZipWriter *w, const Str *name, uint64_t size, uint32_t crc);
/* Writes the central directory and frees w->directory. */
void zip_finish(ZipWriter *w);

/* ---- safetensors.c ---- */

bool safetensors_read(Context *c, MappedFile *f, Arena *a, NamedAttr **out, size_t *n); /* false + diagnostic */
bool safetensors_sniff(Bytes head);

/* ---- weights.c ---- */

bool npz_read_attrs(Context *c, MappedFile *f, Arena *a, NamedAttr **out, size_t *n);
/* Elements at `offset` of the file, which were checked to be there. */
const Attr *mapped_tensor(Context *c, MappedFile *f, size_t offset, DType dtype, int rank, const int64_t *dims);
/* Writes the elements of a tensor attribute, packed; a splat is spread. */
void put_elements(OutFile *out, const Attr *tensor);

#endif
