/* write: portable StableHLO artifacts, the inverse of the reader. Private to src/format/mlirbc.
 *
 * Entries (attributes and types) are encoded when they are first asked for, parts before the whole, and get the next
 * number; equal bytes are one entry. What an entry, an op or one of its attributes needs raises `need`, the lowest version
 * of StableHLO that can hold the module; mlirbc_write begins again with that one when the user named none. */
#ifndef HONE_MLIRBC_WRITE_H
#define HONE_MLIRBC_WRITE_H

#include "mlirbc.h"

enum {
	STABLEHLO_FIRST = 9, STABLEHLO_DEFAULT = 1000, STABLEHLO_LAST = 1020, /* major * 1000 + minor */
	STABLEHLO_MIXED = 1011        /* from here on attributes and types of other dialects may stand in a module */
};

/* An entry as it will stand in the file: bytes, then the elements of a tensor where they are not among the bytes. */
typedef struct BcEntry {
	const Str *bytes;
	const Attr *tensor;           /* its blob follows; NULL: nothing does */
	uint64_t len;                 /* of all */
	uint32_t dialect;
	bool custom;                  /* see Entry in mlirbc.h */
} BcEntry;

typedef struct BcOpName {
	uint32_t dialect;
	uint64_t name;                /* number of a string */
} BcOpName;

/* Numbers by what they stand for: Str, Attr or Type -> number + 1. */
typedef struct BcTable {
	VEC(BcEntry) list;
	Map by_bytes[4];              /* by dialect and whether custom */
	Map vhlo, builtin;            /* Attr or Type, in the form that the dialect has for it */
	Map tensors;
} BcTable;

typedef struct BcWriter {
	Context *c;
	Diags *d;
	Arena *scratch;
	Module *m;
	int target, patch;            /* version of StableHLO */
	int need;
	bool chosen;                  /* by the user: a feature that is missing is an error */
	int version;                  /* of the container */
	const Op *op;                 /* that is written, for diagnostics; may be NULL */
	const Func *func;
	int depth;                    /* nested attributes, types and regions */
	VEC(const Str *) strings;
	Map string_ids;
	VEC(const Str *) dialects;
	Map dialect_ids;
	VEC(BcOpName) ops;
	Map op_ids;
	BcTable attrs, types;
	VEC(const Str *) properties;
	Map property_ids;
	uint32_t *values;             /* number by value id */
} BcWriter;

/* ---- put.c: numbers, tables ---- */

void put_byte(Buf *b, uint8_t v);
void put_varint(Buf *b, uint64_t v);
void put_signed(Buf *b, int64_t v);
void put_flagged(Buf *b, uint64_t v, bool flag);
void put_bits(Buf *b, int width, uint64_t v); /* an integer whose width is known: see read_bits */
void put_double(Buf *b, double v);
void put_signed_list(Buf *b, const int64_t *v, size_t n);
uint64_t string_number(BcWriter *w, const Str *s);
uint32_t dialect_number(BcWriter *w, const char *name, size_t len);
uint64_t op_name_number(BcWriter *w, const char *dialect, const char *name);
uint64_t properties_number(BcWriter *w, const Buf *b);
/* Takes over the bytes and empties b. */
uint64_t entry_number(BcWriter *w, BcTable *t, const char *dialect, bool custom, Buf *b);
/* The same for a tensor of which b is the head and `len` bytes of elements follow. */
uint64_t tensor_number(BcWriter *w, const Attr *a, uint64_t len, Buf *b);
bool write_error(BcWriter *w, const char *fmt, ...) PRINTF_LIKE(2, 3); /* HONE_UNSUPPORTED, at the op; false */
/* What follows needs that version: an error when the target is an earlier one that the user chose. */
bool write_needs(BcWriter *w, int version, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool write_enter(BcWriter *w);                /* one level deeper; write_leave undoes it */
void write_leave(BcWriter *w);

/* ---- scan.c: texts of attributes and types that the IR keeps as they are ---- */

typedef struct Scan {
	const char *s, *end;
} Scan;
Scan scan_of(const Str *s);
bool scan_is(Scan *s, const char *text);      /* after blanks; consumes it when it is there */
bool scan_end(Scan *s);
bool scan_word(Scan *s, const char **word, size_t *len); /* letters, digits, _ and . */
bool scan_int(Scan *s, int64_t *out);         /* ? is INT64_MIN */
bool scan_double(Scan *s, double *out);
bool scan_ints(Scan *s, Arena *a, int64_t **out, size_t *n); /* [1, ?] */
bool scan_string(Scan *s, Arena *a, const char **out, size_t *len);
/* Up to one of the characters in `stops` that stands outside of all brackets and strings. */
bool scan_until(Scan *s, const char *stops, Scan *out);

/* ---- write_type.c, write_attr.c, write_builtin.c ---- */

bool type_number(BcWriter *w, const Type *t, uint64_t *out);                 /* of VHLO */
bool type_text_number(BcWriter *w, Scan *s, uint64_t *out);
bool function_type_number(BcWriter *w, const Type *const *in, size_t nin, const Type *const *out, size_t nout,
	uint64_t *number);
bool tensor_type_number(BcWriter *w, const int64_t *dims, size_t rank, const char *elem, uint64_t *out);
bool attr_number(BcWriter *w, const Attr *a, uint64_t *out);                 /* of VHLO, whatever attribute it is */
bool ints_number(BcWriter *w, const int64_t *v, size_t n, bool pairs, bool bools, uint64_t *out);
uint64_t vhlo_string_number(BcWriter *w, const Str *s);
bool vhlo_enum_number(BcWriter *w, const char *name, const char *word, size_t len, uint64_t *out);
bool vhlo_int_number(BcWriter *w, DType d, int64_t v, uint64_t *out);
uint64_t vhlo_bool_number(BcWriter *w, bool v);
bool vhlo_list_number(BcWriter *w, const uint64_t *v, size_t n, uint64_t *out);
uint64_t vhlo_none_number(BcWriter *w);       /* the attribute that holds the type none */
/* Bytes of a tensor's elements as the file has them; a blob that can be copied from where it is: *len only. */
bool tensor_bytes(BcWriter *w, const Attr *a, Buf *b, bool *inline_bytes, uint64_t *len);
void put_bools(Buf *b, const uint8_t *v, int64_t n);                         /* eight a byte */
void narrow_bytes(DType d, const void *packed, int64_t n, uint8_t *out);     /* elements below 8 bits, one a byte */
bool builtin_attr_number(BcWriter *w, const Attr *a, uint64_t *out);
uint64_t builtin_string_number(BcWriter *w, const Str *s);
/* Of a dictionary with these values: attributes of VHLO or builtin ones. Sorted by name. */
bool builtin_dict_number(BcWriter *w, const NamedAttr *v, size_t n, bool vhlo, uint64_t *out);
uint64_t loc_number(BcWriter *w, const Loc *l, const Str *name);
bool loc_is_unknown(BcWriter *w, const Loc *l);

/* ---- lower.c: ops ---- */

typedef struct LoweredAttr {
	const Str *name;
	uint64_t number;
} LoweredAttr;
typedef struct LoweredOp {
	const VhloOp *vhlo;
	VEC(LoweredAttr) own;         /* in the order of the table */
	VEC(NamedAttr) other;         /* attributes that the op of VHLO does not have */
} LoweredOp;
bool op_lower(BcWriter *w, const Op *op, LoweredOp *out);

/* ---- write_ir.c ---- */

bool ir_write(BcWriter *w, Buf *out);

#endif
