/* onnxtext: the textual syntax of the ONNX specification (.onnxtxt). Private to src/format/onnxtext. */
#ifndef HONE_ONNXTEXT_H
#define HONE_ONNXTEXT_H

#include "format/format.h"

typedef struct Scope { /* names of one graph; those of enclosing graphs are visible too */
	struct Scope *outer;
	Map values;            /* Str -> Value */
	Map types;             /* Str -> Type declared between the signature and the body, and of outputs */
} Scope;

typedef struct Text {
	Context *c;
	Module *m;
	Arena *scratch;
	const char *file, *start, *p, *end;
	Func *func;
	bool in_function;      /* references to attributes are allowed */
	const char *data_dir;  /* of external data; NULL: none */
	bool anywhere;         /* external data may lie outside of it */
	Map externals;         /* Str -> MappedFile */
	Map summed;            /* MappedFile whose digest is right */
	int depth, max_depth;
	int64_t nodes, max_nodes;
} Text;

/* ---- lex.c ---- */

bool text_error(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_skip(Text *t);                               /* blanks and comments */
bool text_at(Text *t, const char *mark);               /* after blanks */
bool text_accept(Text *t, const char *mark);
bool text_expect(Text *t, const char *mark);
bool text_word_at(Text *t, const char *word);          /* a whole identifier */
bool text_at_name(Text *t);
bool text_name(Text *t, const Str **out);              /* an identifier, or a quoted one */
bool text_string(Text *t, const Str **out);
bool text_int(Text *t, int64_t *out);
/* A number as it is written; *is_float when it has a point, an exponent, or is inf or nan. */
bool text_number(Text *t, double *x, int64_t *i, bool *is_float);
bool text_is_reserved(const Str *s);                   /* a word that begins a type, or a number such as nan */
const char *text_dtype_name(DType d);                  /* "float", "int64"; NULL when ONNX has no such type */
bool text_at_type(Text *t);
const Type *text_type(Text *t);                        /* NULL + diagnostic */
const Attr *text_tensor_data(Text *t, const Type *type); /* at `{` */


/* ---- external.c ---- */

const Attr *text_external(Text *t, const Type *type, const Str *name); /* at `[`; NULL + diagnostic */
void text_close_files(Text *t);

/* ---- wire.c: AttributeProto messages ---- */

typedef struct WireAttr {
	const Str *name, *ref;
	uint64_t type;
	const Attr *value;     /* NULL: none, or of a kind that has no form here */
} WireAttr;
bool wire_read(Context *c, Arena *a, const Str *bytes, WireAttr *out); /* false: broken */
const char *wire_kind_name(uint64_t type);             /* "float"; NULL: no such type */
uint64_t wire_kind(const char *name);                  /* 0: no such type */
const Attr *wire_reference(Context *c, const Str *name, uint64_t type, const Str *ref);
const Attr *wire_empty(Context *c, const Str *name, uint64_t type); /* a list of that type without elements */
/* What the protobuf reader keeps of a tensor beside its data: the name. */
const Attr *wire_of_tensor_name(Context *c, const Str *name);
const Str *wire_tensor_name(Context *c, const Attr *kept); /* NULL: none */
const Attr *wire_value(Context *c, const Str *name, const Attr *v); /* NULL: neither numbers nor text */

#endif
