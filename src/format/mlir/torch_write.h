/* torch_write: what the files of the torch-onnx writer share. */
#ifndef HONE_TORCH_WRITE_H
#define HONE_TORCH_WRITE_H

#include "mlir.h"

typedef struct TorchBlob { /* a constant whose bytes stand at the end of the file */
	const Str *key;
	const Attr *value;
} TorchBlob;

typedef struct TorchWriter {
	Module *m;
	Context *c;
	Diags *d;
	Arena *arena;
	const WriteOptions *o;
	Buf *out;
	OutFile *file;
	bool failed;              /* the file could not be written */
	const char **names;       /* by value id: %0, %1#2, %arg0 */
	uint32_t *numbers;        /* by op id */
	const Op *user;           /* the op being written, for messages */
	uint32_t next, next_arg;  /* numbers of the next result and argument */
	Map keys;                 /* taken keys of blobs */
	Map symbols;              /* taken names of globals */
	VEC(TorchBlob) blobs;
	VEC(NamedAttr) params;    /* initializers that become parameters */
	Map globals;              /* MAP_PTR of an initializer or overridable argument -> Str name of its global */
} TorchWriter;

/* ---- torch_text.c: types, attributes and names as MLIR prints them ---- */

void torch_escaped(Buf *out, const char *s, size_t len);  /* quoted; all but printable ASCII as two hexadecimal digits */
void torch_symbol(Buf *out, const Str *s);                /* @name */
/* !torch.vtensor<[2,?],f32>; false + diagnostic when the dialect has no such type. */
bool torch_type(TorchWriter *w, const Type *t);
void torch_builtin_type(TorchWriter *w, const Type *t, bool signless); /* tensor<2x3xsi64> */
bool torch_attr(TorchWriter *w, const Str *name, const Attr *a, const Str *key); /* key: wish for the name of a blob */
void torch_blobs(TorchWriter *w);                         /* {-# ... #-} when there are any */
/* "wish", made into a word and made unique among `taken`. */
const Str *torch_unique(TorchWriter *w, Map *taken, const char *wish);
bool torch_unsupported(TorchWriter *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void torch_flush(TorchWriter *w, size_t limit);

/* ---- torch_float.c ---- */

void torch_float(Buf *out, DType d, uint64_t bits);

/* ---- torch_ready.c ---- */

/* A copy of m made fit for writing: functions inlined, core ops turned into ONNX's, types of all values inferred. m itself
 * when nothing is to be done. NULL + diagnostics. */
Module *torch_ready(Module *m, bool infer, Arena *a);

#endif
