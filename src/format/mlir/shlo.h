/* shlo: StableHLO's own syntax (stablehlo, chlo and check ops), driven by the column `form` of ops/stablehlo.def. Private to
 * src/format/mlir. */
#ifndef HONE_MLIR_SHLO_H
#define HONE_MLIR_SHLO_H

#include "mlir.h"

/* ---- shlo_attr.c: attributes, see docs/formats.md ---- */

/* Dialect attributes and tensors become the kinds that the row says: structs dictionaries, enums strings, tensors lists. What
 * cannot be read so stays. A call's symbol becomes text. The module is one of StableHLO from now on. */
void shlo_normalise(Parser *p, OpText *o);
/* A struct attribute in braces or as #stablehlo.x<...> text gets all its fields, in upstream's order. NULL: malformed. */
const Attr *shlo_struct(Parser *p, const Str *name, const OpDef *def, const Attr *a);
/* `[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]`; NULL + diagnostic. */
const Attr *shlo_conv_dims(Parser *p);
/* The attribute in upstream's generic syntax; false: nothing special about it. */
bool shlo_print_attr(Printer *w, const Op *op, const NamedAttr *e);
void shlo_print_conv_dims(Buf *out, const Attr *dims);

const Attr *dict_get(const Attr *dict, const char *key); /* NULL when absent or no dictionary */
void shlo_set(Parser *p, OpText *o, AttrName name, const Attr *v);

/* ---- shlo_parse.c ---- */

bool shlo_parse_op(Parser *p, Block *b, OpText *o);
bool shlo_parse_call(Parser *p, Block *b, OpText *o);

/* ---- shlo_region.c: while, reduce, scan, convolution, custom_call ---- */

bool shlo_parse_while(Parser *p, Block *b, OpText *o);
bool shlo_parse_reduce(Parser *p, Block *b, OpText *o);
bool shlo_parse_conv(Parser *p, OpText *o);
bool shlo_parse_scan(Parser *p, Block *b, OpText *o); /* behind the first operands and the word inits */
bool shlo_parse_custom_call(Parser *p, OpText *o);
bool shlo_parse_types(Parser *p, OpText *o); /* `: types` of pretty ops */

/* ---- shlo_print.c ---- */

/* The op in upstream's pretty syntax; false, and nothing printed: it has none, or is not as that wants it. */
bool shlo_print_op(Printer *w, const Op *op, int depth);

#endif
