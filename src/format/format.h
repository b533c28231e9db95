/* format: readers and writers. Syntax only: dialect ops one to one, names, metadata and unknown things kept.
 * Formats never include each other; the table in format.c is what the command line and library use. */
#ifndef HONE_FORMAT_H
#define HONE_FORMAT_H

#include "ops/ops.h"

typedef struct ReadOptions {
	const char *data_dir;         /* where external data is looked up; NULL: the model's directory; none for stdin */
	bool allow_external_dir;      /* lift the containment of external data */
	int max_depth;                /* nesting of graphs, messages, attributes (0: 100) */
	int64_t max_nodes;            /* 0: 5 million */
	const char *const *parameters; /* MLIR: parameter files, "path" or "scope=path"; none: looked for beside the text */
	size_t nparameters;
	const char *const *weights;   /* files or folders of tensors; arguments of main with their names become constants */
	size_t nweights;
	bool weights_elsewhere;       /* a file of weights may be meant for another model: no error when no name fits */
	const char *const *binds;     /* "ARG=@FILE", "ARG=@FILE:ENTRY", "ARG=NUMBER": one argument each */
	size_t nbinds;
	bool extra_weights;           /* binds may also name what is no argument: it comes along in Module.weights */
} ReadOptions;

typedef struct WriteOptions {
	bool external_data;           /* ONNX: weights of >= external_threshold bytes go to <output>.data */
	int64_t external_threshold;   /* 0: 1024 */
	bool keep_value_info;         /* ONNX: write inferred types of inner values (default: those that were there) */
	bool locations;               /* MLIR text: print loc(...) */
	bool keep_arguments;          /* weights become arguments of main again, in files beside the model */
	bool generic;                 /* MLIR text: every op in the generic form */
	const char *stablehlo_version; /* bytecode: "1.4.0"; NULL: 1.0.0, or the first later one that has all of the module */
	bool plain;                   /* torch-onnx: the importers' text and no more: without names of inputs and outputs */
	bool no_infer;                /* torch-onnx: types of inner values as they are */
	const char *params_path;      /* torch-onnx: large initializers become parameters, written to this file; "" only named */
	int64_t params_threshold;     /* ... of at least so many elements (0: 100) */
	const char *params_scope;     /* NULL: "model" */
	int64_t params_inputs;        /* inputs from this one on become parameters too; 0 or less: none (1-based: 1 = all) */
} WriteOptions;

typedef struct Format {
	const char *name;             /* "onnx", "mlir" */
	const char *extensions;       /* ".onnx .ort" */
	const char *help;
	/* How sure the format is that these bytes are its own: 0 no .. 100 certain. */
	int (*sniff)(Bytes head, const char *path);
	Module *(*read)(Context *c, MappedFile *f, const ReadOptions *o); /* NULL + diagnostics */
	bool (*write)(Module *m, const char *path, const WriteOptions *o); /* atomic; false + diagnostics */
} Format;
const Format *format_table(size_t *n);
const Format *format_find(const char *name);             /* by name or extension of a path */
/* Reads any format (magic bytes first, then the extension; a directory of torch_xla) and binds the weights that the options
 * give. "-" is stdin. NULL + diagnostics in c->diags. */
Module *model_read(Context *c, const char *path, const ReadOptions *o);
/* The format that a path asks for: by its extension; a directory is torch_xla's, and a path without extension is what the
 * bundle was that the model came in. NULL: it asks for none. */
const Format *format_for_output(const Module *m, const char *path);
/* Whether the named format, or the one of the path, holds bytecode, which has StableHLO ops and no chlo. */
bool output_is_portable(const Module *m, const char *path, const char *format);
/* Writes in the named format, or the one of the path's extension, or the module's own. */
bool model_write(Module *m, const char *path, const char *format, const WriteOptions *o);

/* The first of n interned names that stands among them a second time, or NULL. */
const Str *name_given_twice(const Str *const *names, size_t n, Arena *scratch);

/* (T, U) -> V; the brackets around one result go, unless it is a function type itself. */
void function_type_print(const Type *const *in, size_t nin, const Type *const *out, size_t nout, Buf *b);

void print_bytes(Buf *out, const char *s, size_t len); /* quoted, with the escapes of MLIR */
/* What main is unless a text says otherwise: the function called so, else the first public one, else, where all are private,
 * the first that no other function names. NULL: there is none. entry.c */
Func *module_default_main(const Module *m);
bool module_needs_main(const Module *m); /* whether there is one; false + diagnostic: nothing can be run */

/* Whether two modules of one context have the same functions, ops, types and attributes. Names of values and locations do
 * not count, nor do attributes that only say a default; sizes that are not known are alike. *why says what differs. alike.c */
bool modules_alike(const Module *a, const Module *b, Arena *arena, const char **why);

bool is_visibility(const Attr *a);                /* "public", "private" or "nested" */
/* Whether the text of a type can be the element of a tensor or buffer: anything but what holds other values, or none. */
bool is_element_type(const char *s, size_t len);
bool is_complex_part(const char *s, size_t len); /* f32 or f64, as StableHLO has it */

/* onnx/ */
Module *onnx_read(Context *c, MappedFile *f, const ReadOptions *o);
bool onnx_write(Module *m, const char *path, const WriteOptions *o);
int onnx_sniff(Bytes head, const char *path);
Tensor *onnx_tensor_read(EvalCtx *e, MappedFile *f, const Str **name); /* a .pb TensorProto, SequenceProto or OptionalProto file; NULL + diagnostics */
bool onnx_tensor_write(const Tensor *t, const char *name, const char *path, Diags *d);

/* mlir/: text form */
Module *mlir_read(Context *c, MappedFile *f, const ReadOptions *o);
bool mlir_write(Module *m, const char *path, const WriteOptions *o);
int mlir_sniff(Bytes head, const char *path);
void mlir_print(const Module *m, Buf *out, const WriteOptions *o);
Module *mlir_parse(Context *c, const char *name, Bytes text);

/* mlir/: ONNX nodes in MLIR text, as the importers of IREE and torch-mlir write them; read by mlir_read */
int torch_onnx_sniff(Bytes head, const char *path);
bool torch_onnx_write(Module *m, const char *path, const WriteOptions *o);
bool torch_onnx_print(Module *m, Buf *out, const WriteOptions *o); /* the text alone */

/* onnxtext/: the textual syntax of the ONNX specification */
Module *onnxtext_read(Context *c, MappedFile *f, const ReadOptions *o);
bool onnxtext_write(Module *m, const char *path, const WriteOptions *o);
int onnxtext_sniff(Bytes head, const char *path);

/* irpa/: parameter archives of IREE, tensors by name without types */
typedef struct Param {
	const Str *name;
	size_t offset;                /* in the file */
	uint64_t len;                 /* bytes */
	uint8_t unit[16], unit_len;   /* a repeated value when unit_len is not 0 */
} Param;
bool irpa_index(Context *c, MappedFile *f, Arena *a, Map *out); /* Str -> Param; false + diagnostic */
/* NULL when the parameter's size is not that of the type. */
const Attr *param_tensor(Context *c, MappedFile *f, const Param *p, const Type *t);
bool irpa_write(const NamedAttr *params, size_t n, const char *path, Diags *d); /* tensors */

/* mlirbc/: MLIR bytecode, portable StableHLO artifacts */
Module *mlirbc_read(Context *c, MappedFile *f, const ReadOptions *o);
/* The bytes that mlirbc_write would write; diagnostics go to d. */
bool mlirbc_encode(Module *m, Buf *out, const WriteOptions *o, Diags *d);
bool mlirbc_write(Module *m, const char *path, const WriteOptions *o);
int mlirbc_sniff(Bytes head, const char *path);

/* compiled/: the form that hone compile writes: core ops, weights as they are used; Module.compiled is set */
Module *compiled_read(Context *c, MappedFile *f, const ReadOptions *o);
bool compiled_write(Module *m, const char *path, const WriteOptions *o);
int compiled_sniff(Bytes head, const char *path);

/* bundle/: directories of torch_xla, files of jax.export, weights that the user gives */
Module *torch_xla_read(Context *c, MappedFile *f, const ReadOptions *o); /* f: functions/NAME.meta */
Module *torch_xla_read_directory(Context *c, const char *path, const ReadOptions *o);
bool torch_xla_is_directory(const char *path, Arena *a);
bool torch_xla_write(Module *m, const char *path, const WriteOptions *o);
int torch_xla_sniff(Bytes head, const char *path);
Module *exported_read(Context *c, MappedFile *f, const ReadOptions *o);
bool exported_write(Module *m, const char *path, const WriteOptions *o);
int exported_sniff(Bytes head, const char *path);
bool bind_user_weights(Module *m, const ReadOptions *o); /* false + diagnostics */
/* A model in any format with its weights in PATH.safetensors, as arguments of main. */
bool write_with_arguments(Module *m, const char *path, const Format *f, const WriteOptions *o);

/* tensor/: npy, npz, safetensors */
Tensor *npy_read(EvalCtx *e, MappedFile *f);
bool npy_write(const Tensor *t, const char *path, Diags *d);
typedef struct NamedTensor { const Str *name; Tensor *tensor; } NamedTensor;
bool npz_read(EvalCtx *e, MappedFile *f, Arena *a, NamedTensor **out, size_t *n);
bool npz_write(const NamedTensor *t, size_t n, const char *path, Diags *d);
/* Any tensor file by magic bytes: .npy, .pb; a single-entry .npz. */
Tensor *tensor_read(EvalCtx *e, const char *path, const Str **name);
/* By the path's extension: .npy, .npz (one entry), .pb; anything else, "-" included, is .npy. .npy has no form for narrow
 * floats and sub-byte integers: they are widened to the nearest type that holds every value. False + diagnostic. */
bool tensor_write(const Tensor *t, const char *name, const char *path, Diags *d);
/* Every tensor of a .npy, .npz or .safetensors file or of a folder of these, as tensor attributes; the elements stay in the
 * mapped file where its form allows. A .npy file is called as it is, without extension. False + diagnostic. */
bool weights_read(Context *c, const char *path, Arena *a, NamedAttr **out, size_t *n);
const Attr *npy_read_attr(Context *c, MappedFile *f);     /* NULL + diagnostic */
bool npy_write_attr(const Attr *tensor, const char *path, Diags *d);
bool npy_can_hold(DType d);
bool safetensors_write(const NamedAttr *w, size_t n, const char *path, Diags *d);
/* Names in a folder, sorted; hidden ones are left out. */
bool folder_list(const char *path, Arena *a, const char ***out, size_t *n, Diags *d);

#endif
