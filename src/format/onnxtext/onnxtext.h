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
const char *text_dtype_name(DType d);                  /* "float", "int64"; NULL when ONNX has no such type */
bool text_at_type(Text *t);
const Type *text_type(Text *t);                        /* NULL + diagnostic */
const Attr *text_tensor_data(Text *t, const Type *type); /* at `{` */

#endif
