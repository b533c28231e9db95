/* bundle: models that are more than one module text: torch_xla's save directories, jax.export files, and modules whose
 * weights the user gives beside them. Private to this directory; the public half is format.h.
 *
 * bind.c turns arguments into constants, names.c finds the argument that a name means, lift.c turns constants back into
 * arguments; user.c reads the options for these, keep.c writes weights beside any format. torch_xla.c and torch_xla_write.c
 * know the directories; flat.c knows FlatBuffers in general, schema.c, exported.c and exported_write.c those of jax.export. */
#ifndef HONE_BUNDLE_H
#define HONE_BUNDLE_H

#include "format/format.h"

/* ---- bind.c ---- */

/* What becomes of the arguments of main; by position, NULL: stays an argument. */
typedef struct Binding {
	const Attr **value;       /* tensors */
	const Str **name;         /* of the weight, for writing it back; NULL: none */
	const char **from;        /* for messages: file or option */
	uint32_t n;
} Binding;
void binding_init(Binding *b, const Module *m, Arena *a);
/* Takes note that argument i is to be `value`; false + diagnostic when type or shape say no. what: "parameter conv.weight". */
bool binding_set(Binding *b, Module *m, uint32_t i, const Attr *value, const Str *name, const char *from);
/* Makes constants of the arguments; sizes that the weights decide become known. */
void binding_apply(Module *m, const Binding *b);
/* Appends to m->weights: tensors by name that came with the model. */
void module_add_weight(Module *m, const Str *name, const Attr *value);

/* ---- names.c ---- */

typedef struct ArgNames {
	Arena *arena;
	uint32_t n;
	const char **raw, **plain; /* as the model has it; steps joined by dots: v['params']['w'] is v.params.w */
} ArgNames;
void arg_names_init(ArgNames *names, const Module *m, Arena *a);
enum { ARG_NONE = -1, ARG_SEVERAL = -2 };
/* The argument that `name` means: its name, %name, argN or a number, the same steps, or the only one whose steps end with
 * those of the name or are an end of them. position: numbers count. */
int64_t arg_names_find(const ArgNames *names, const char *name, bool position);
/* "did you mean" text, or NULL. */
const char *arg_names_near(const ArgNames *names, const char *name);

/* ---- lift.c ---- */

/* Weights of main, its constants, become arguments: those that came from a file of weights, and other float data of more
 * than one element. order: what the arguments are to be, in turn: NULL is the next one that there was, a name the weight of
 * that name; what it leaves out comes last. *out: for each argument its tensor, NULL for those that there were; weights are
 * called by distinct names. can_hold: element types that the files to come have a form for; NULL: all. */
void lift_weights(Module *m, const Str *const *order, size_t norder, bool (*can_hold)(DType d), Arena *a, const Attr ***out);

/* ---- torch_xla.c ---- */

/* Gives the tensor of a file in a folder of the directory; NULL + diagnostic. */
typedef const Attr *TensorSource(void *arg, const char *folder, const char *name);
/* What metadata says about the arguments of a module that was read already. False + diagnostic. */
bool torch_xla_bind(Module *m, Bytes text, const char *file, TensorSource *source);

/* ---- torch_xla_write.c ---- */

const char *torch_dtype_name(DType d);  /* as torch calls it, without its "torch." */

/* ---- flat.c ---- */

/* A table or vector of a FlatBuffer, by its schema; see flat.c for the format. */
typedef enum FlatKind { FLAT_END, FLAT_NUMBER, FLAT_STRING, FLAT_NUMBERS, FLAT_STRINGS, FLAT_TABLE, FLAT_TABLES } FlatKind;
typedef struct FlatField {
	FlatKind kind;
	uint8_t bytes;                /* of a number or of an element of FLAT_NUMBERS */
	const struct FlatField *of;   /* fields of the table(s) */
	const char *name;
} FlatField;                      /* a list ends with FLAT_END */
typedef struct FlatTable {
	const FlatField *fields;
	size_t nfields;
	struct FlatValue *values;     /* one a field */
} FlatTable;
typedef struct FlatValue {
	bool present;
	uint64_t number;
	Bytes bytes;                  /* FLAT_STRING, FLAT_NUMBERS: in the file */
	const Bytes *strings;         /* FLAT_STRINGS */
	FlatTable **tables;           /* FLAT_TABLES; FLAT_TABLE has one */
	size_t n;                     /* elements */
} FlatValue;
/* Reads the root table, everything in it checked to lie inside the buffer. NULL + diagnostic. */
FlatTable *flat_read(Bytes b, const FlatField *schema, const char *file, Arena *a, Diags *d);
/* The buffer of a table: the inverse. Equal tables give equal bytes. False: it would be larger than 2 GiB. */
bool flat_write(const FlatTable *t, Buf *out);
static inline const FlatValue *flat_get(const FlatTable *t, size_t field) { return &t->values[field]; }

/* ---- exported.c ---- */

/* Fields of Exported that hone looks at, by their number in the schema. */
enum {
	EXP_VERSION = 0, EXP_NAME = 1, EXP_IN_TREE = 2, EXP_IN_AVALS = 3, EXP_OUT_AVALS = 5, EXP_PLATFORMS = 9,
	EXP_MODULE = 13, EXP_CONVENTION = 14, EXP_KEPT = 15, EXP_VJP = 17, EXP_UNIQUE_AVALS = 19, EXP_IN_AVALS_IDXS = 22,
	EXP_OUT_AVALS_IDXS = 23
};
extern const FlatField EXPORTED_SCHEMA[];

/* ---- exported_write.c ---- */

bool exported_is(const Module *m); /* read from a jax.export file */
/* Arguments of main that become constants are no longer kept inputs. Before they go. */
void exported_drop_inputs(Module *m, const Binding *b);

#endif
