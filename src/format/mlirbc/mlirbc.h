/* mlirbc: MLIR bytecode, versions 0 to 6, and in it the VHLO dialect of portable StableHLO artifacts. Private to
 * src/format/mlirbc; docs/formats.md has the form that ops get.
 *
 * A file is a magic number, a version, the producer and a list of sections. Attributes and types stand in one table
 * and refer to each other by number; ops refer to them, to strings and to earlier values by number. Nothing in it is
 * trusted: each number is checked against what is there, each count against the bytes that remain, nesting is walked with
 * stacks of our own, and what is built of an entry is bounded by the limits below. */
#ifndef HONE_MLIRBC_H
#define HONE_MLIRBC_H

#include "format/format.h"

#include <string.h>

enum {
	BC_MAX_VERSION = 6,
	BC_MAX_DEPTH = 256,           /* types and attributes in each other */
	BC_MAX_WEIGHT = 1 << 22,      /* entries that one attribute stands for when written out */
	BC_MAX_TYPE_WEIGHT = 1 << 14, /* the same for a type */
	BC_MAX_INTS = 1 << 22,        /* elements of a list of integers that stands as a splat */
	BC_MAX_REGIONS = 1 << 10,     /* of one op */
	BC_MAX_NESTING = 256          /* regions in each other */
};

#define BC_RESULT_NAME "hone.name" /* attribute of a function's result: what the output is called */

typedef enum BcSection {
	SEC_STRING, SEC_DIALECT, SEC_ENTRIES, SEC_OFFSETS, SEC_IR, SEC_RESOURCE, SEC_RESOURCE_OFFSETS, SEC_DIALECT_VERSIONS,
	SEC_PROPERTIES, SEC_COUNT
} BcSection;

typedef struct BcReader BcReader;

/* A place in the file and the end of what may be read. */
typedef struct Cursor {
	BcReader *r;
	const uint8_t *p, *end;
} Cursor;

typedef enum BcDialect { D_OTHER, D_BUILTIN, D_VHLO, D_FUNC, D_SDY, D_SHLO, D_CHLO } BcDialect;

typedef struct DialectName {
	const Str *name;
	BcDialect kind;
} DialectName;

typedef struct OpName {
	uint32_t dialect;
	const Str *name;              /* without the dialect */
	const Str *full;              /* "vhlo.add_v1"; NULL: not asked for yet, as those below */
	const struct VhloOp *vhlo;    /* its row when it is an op of VHLO */
	const OpDef *def;             /* the op that it is; of VHLO's, the one of StableHLO */
	const Str *base;              /* "add" */
	bool registered;              /* the writer knew the op, so that its properties are in a form of their own */
	bool is_func, is_call, is_return; /* of VHLO or func */
	bool is_cast;                 /* builtin.unrealized_conversion_cast */
} OpName;

enum { KNOWN_TYPES = 4 };

/* What an op of a name with these properties and attributes became: most ops of a file are like one before. */
typedef struct KnownOp {
	const OpName *name;
	const Attr *dict;
	struct KnownOp *next;         /* with the same properties; without any, with the same dictionary */
	const NamedAttr *attrs;
	size_t nattrs;
	const Type *types[KNOWN_TYPES]; /* of the operands, then of the one result, of the last such op that was sound */
	size_t ntypes;                /* 0: there was none */
} KnownOp;

typedef struct Properties {
	size_t offset;                /* in the section: a length and so many bytes */
	KnownOp *known;
} Properties;

/* An entry of the table of attributes and types. What it means is found when it is first asked for. */
typedef enum EntryState { ENTRY_NEW, ENTRY_OPEN, ENTRY_DONE } EntryState;
typedef struct FunctionParts {
	const Type **inputs, **results;
	size_t ninputs, nresults;
} FunctionParts;

typedef struct Entry { /* there is one for each place in the source, so it is small */
	const uint8_t *data;          /* up to the data of the next one; there is one more than there are attributes and types */
	uint32_t weight : 24;
	uint32_t state : 2;
	uint32_t custom : 1;          /* bytes of the dialect's own, else text that ends with NUL */
	uint32_t is_type : 1;
	uint32_t dynamic : 1;         /* the type holds sizes that are not known: fresh ones for each value */
	uint16_t dialect;
	uint16_t depth;
	union {
		const Attr *attr;             /* of an attribute */
		const Type *type;             /* of a type; scalars are opaque, their text is the element type's name */
	};
	union {
		const Loc *loc;               /* of an attribute that is a location */
		const FunctionParts *function; /* of a function type */
	};
} Entry;

typedef struct Resource {
	const Str *key;
	uint8_t kind;
	Bytes data;
	bool found;
} Resource;

struct BcReader {
	Context *c;
	Diags *d;
	MappedFile *file;
	const uint8_t *last_wide;     /* the last place in the file where eight bytes can be read; NULL: none */
	const ReadOptions *options;
	Arena *scratch;
	Module *m;
	uint64_t version;
	const char *producer;
	Bytes sections[SEC_COUNT];
	bool have[SEC_COUNT];
	const Str **strings;
	size_t nstrings;
	DialectName *dialects;
	size_t ndialects;
	VEC(OpName) ops;
	Entry *entries;               /* attributes, then types */
	size_t nattrs, ntypes;
	VEC(uint32_t) pending;        /* entries that wait for others: entries.c */
	Properties *properties;
	size_t nproperties;
	VEC(Resource) resources;
	int64_t nops, max_ops;
	uint32_t nsound;              /* ops that StableHLO's rules leave nothing to say about */
	Map funcs;                    /* by name */
	Map signatures;               /* attribute that is a function type -> Entry of the type */
	Map known;                    /* dictionary of an op without properties -> KnownOp */
	const Attr *loc_text;         /* locations as attributes; NULL before the first */
	Loc *locs, *locs_end;         /* room for the next ones */
};

/* ---- cursor.c ---- */

/* Both return false. `at` is the byte of the file that is wrong; NULL: no place. */
bool bc_error(BcReader *r, const uint8_t *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool bc_fail(BcReader *r, HoneStatus status, const uint8_t *at, const char *fmt, ...) PRINTF_LIKE(4, 5);
void cur_no_byte(Cursor *c);                    /* the error at the end of the data */
void cur_bad_index(Cursor *c, const uint8_t *at, const char *what, size_t n, uint64_t v);
bool cur_long_varint(Cursor *c, uint64_t *out); /* of any length, anywhere */
bool cur_peek(Cursor *c, uint64_t *out); /* the same without a diagnostic */
bool cur_signed(Cursor *c, int64_t *out);
bool cur_bytes(Cursor *c, uint64_t n, Bytes *out);
bool cur_blob(Cursor *c, Bytes *out);                         /* a length and so many bytes */
void cur_bad_count(Cursor *c, const uint8_t *at, const char *what, uint64_t n);
bool cur_string(Cursor *c, const Str **out);                  /* a number of the table of strings */
bool cur_ints(Cursor *c, int64_t **out, size_t *n);           /* a count and signed varints */
bool cur_end(Cursor *c, const char *what);                    /* an error when bytes are left */
static inline size_t cur_left(const Cursor *c) { return (size_t)(c->end - c->p); }
static inline Cursor cur_of(BcReader *r, Bytes b) { return (Cursor){ r, b.data, b.data + b.len }; }

static inline bool cur_byte(Cursor *c, uint8_t *out)
{
	if (c->p == c->end)
		return cur_no_byte(c), false;
	*out = *c->p++;
	return true;
}

/* A number of up to eight bytes where eight can be read, whose first one is not 0; gives its length. The number of zero bits
 * at the low end of the first byte says how many bytes follow; none set: eight. */
static inline unsigned wide_varint(const uint8_t *p, uint64_t *out)
{
	static const uint64_t bits[] = { /* of the number, by the length */
		0, 0x7F, 0x3FFF, 0x1FFFFF, 0xFFFFFFF, 0x7FFFFFFFF, 0x3FFFFFFFFFF, 0x1FFFFFFFFFFFF, 0xFFFFFFFFFFFFFF
	};
	unsigned len = (unsigned)__builtin_ctz(*p) + 1;
	uint64_t v;
	memcpy(&v, p, sizeof v);
	*out = v >> len & bits[len];
	return len;
}

static inline bool cur_varint(Cursor *c, uint64_t *out)
{
	const uint8_t *p = c->p;
	if (p >= c->end || p > c->r->last_wide || !*p)
		return cur_long_varint(c, out);
	unsigned len = wide_varint(p, out);
	if (len > cur_left(c))
		return cur_long_varint(c, out);
	c->p = p + len;
	return true;
}

/* The lowest bit is a flag. */
static inline bool cur_flagged(Cursor *c, uint64_t *out, bool *flag)
{
	uint64_t v = 0;
	if (!cur_varint(c, &v))
		return false;
	*flag = v & 1;
	*out = v >> 1;
	return true;
}

/* A count of things that take at least one byte each. */
static inline bool cur_count(Cursor *c, const char *what, size_t *out)
{
	const uint8_t *at = c->p;
	uint64_t n = 0;
	if (!cur_varint(c, &n))
		return false;
	if (n > cur_left(c))
		return cur_bad_count(c, at, what, n), false;
	*out = (size_t)n;
	return true;
}

/* A number below n of the table of `what`. */
static inline bool cur_index(Cursor *c, const char *what, size_t n, size_t *out)
{
	const uint8_t *at = c->p;
	uint64_t v;
	if (!cur_varint(c, &v))
		return false;
	if (v >= n)
		return cur_bad_index(c, at, what, n, v), false;
	*out = (size_t)v;
	return true;
}

/* ---- container.c: sections, strings, dialects, tables, resources ---- */

bool container_read(BcReader *r);
Properties *properties_at(BcReader *r, const uint8_t *at, uint64_t index); /* NULL + diagnostic */
Bytes properties_bytes(BcReader *r, const Properties *p);

/* ---- entries.c: attributes and types on demand ---- */

static inline Bytes entry_bytes(const Entry *e) { return (Bytes){ e->data, (size_t)(e[1].data - e->data) }; }

/* The state of decoding one entry. Children that are not there yet are put on the list of what is to be done and give
 * NULL: `missing` says so, and the decoder must then give up without an error. */
typedef struct Decoder {
	Cursor c;
	Entry *self;
	bool missing;
} Decoder;
bool ref_attr(Decoder *d, const Attr **out);                  /* locations too: unit */
bool ref_type(Decoder *d, const Type **out);
bool ref_entry(Decoder *d, bool is_type, const Entry **out);  /* NULL and true: missing */
/* The same of a number that is in range and stands at `at`. */
bool ref_number(Decoder *d, bool is_type, size_t i, const uint8_t *at, const Entry **out);
bool ref_str(Decoder *d, const Str **out);                    /* an attribute that is a string */
bool ref_attrs(Decoder *d, const Attr ***out, size_t *n);     /* a count and attributes */
bool ref_types(Decoder *d, const Type ***out, size_t *n);
/* Of ops: the entry with that number, decoded. NULL + diagnostic. */
const Entry *entry_at(Cursor *c, bool is_type);
const Attr *attr_at(Cursor *c);
const Entry *entry_of(BcReader *r, bool is_type, size_t i);   /* the same of a number that is in range */
const Entry *loc_at(Cursor *c);                               /* entry_at, faster for a line of a file that is new */
const Type *value_type(BcReader *r, const Entry *e);          /* with unknown sizes of its own */
const Type *value_of_type(BcReader *r, const Entry *e, const Type *part); /* the same for a part of e */

/* ---- builtin.c: the builtin dialect, and what other dialects share with it ---- */

bool builtin_decode(Decoder *d);
bool builtin_file_loc(BcReader *r, Entry *e);                 /* decodes a line of a file; false: nothing was done */
const Type *scalar_type(BcReader *r, const char *text);
/* Element type of a scalar type; DT_NONE when hone has none. */
DType scalar_dtype(const Type *t);
bool read_dims(Decoder *d, int64_t **out, size_t *rank);
const Type *make_tensor(Decoder *d, size_t rank, const int64_t *dims, const Type *elem, const Str *encoding);
/* Elements as MLIR keeps them: sub-byte types one a byte, i1 eight a byte; one element stands for all. */
const Attr *make_elements(Decoder *d, const Type *t, Bytes raw);
bool read_bits(Cursor *c, int width, uint64_t *out);
const Attr *make_int(BcReader *r, const Type *t, uint64_t bits);
const Attr *make_index(BcReader *r, int64_t v);        /* its text: IR has no numbers of type index */
const Attr *make_float(BcReader *r, DType t, uint64_t bits);
const Attr *make_text(BcReader *r, const Str *text);
/* Entries that builtin and VHLO write alike. */
bool decode_list(Decoder *d);
bool decode_dict(Decoder *d);
bool decode_elements(Decoder *d);
bool decode_function_type(Decoder *d);
bool decode_tuple(Decoder *d);
bool decode_complex(Decoder *d);
bool decode_unranked(Decoder *d);
bool is_element(const Type *t);                 /* what can be the element of a tensor or buffer */
bool set_type_attr(Decoder *d, const Entry *e); /* the attribute that is that type */
const Attr *make_list(BcReader *r, const Attr *const *v, size_t n); /* strings alone make a list of strings */
/* Whether the text form can hold it as it is: ASCII and blanks outside of strings, strings that end. */
bool is_plain_text(const char *s, size_t len);
void put_symbol(Buf *b, const Str *name); /* @name; one that is no word stands in quotes */
const Attr *make_dict(BcReader *r, const Str *const *names, const Attr *const *v, size_t n);
bool set_function_type(Decoder *d, const Type **in, size_t nin, const Type **out, size_t nout);
/* The text of an entry, or bytes that only their dialect knows as text. */
const Attr *opaque_text(BcReader *r, Bytes b, uint32_t dialect, bool custom, bool is_type);
const Attr *opaque_entry(BcReader *r, const Entry *e);

/* ---- sdy.c: attributes of Shardy, as text ---- */

bool sdy_knows(const Entry *e);                               /* else it is kept as bytes */
bool sdy_decode(Decoder *d);

/* ---- vhlo.c: attributes and types of VHLO ---- */

enum {
	VA_ARRAY = 1, VA_BOOL, VA_DIRECTION, VA_COMPARE_TYPE, VA_API_VERSION, VA_DICT, VA_FFT, VA_FLOAT, VA_INTEGER, VA_ALIAS,
	VA_PRECISION, VA_RNG_ALGORITHM, VA_RNG_DISTRIBUTION, VA_STRING, VA_TENSOR, VA_TRANSPOSE, VA_TYPE, VA_EXTENSIONS,
	VA_ACCURACY_MODE, VA_ACCURACY, VA_SUB_AXIS, VA_AXIS, VA_MESH_AXES, VA_MESH_AXIS, VA_MESH
};
enum {
	VT_BOOL = 0, VT_COMPLEX, VT_FUNCTION = 8, VT_RANKED = 20, VT_RANKED_ENCODED, VT_TOKEN, VT_TUPLE, VT_QUANT, VT_UNRANKED,
	VT_WITNESS, VT_QUANT_AXIS = 30, VT_NONE = 33, VT_BUFFER = 41, VT_FUTURE
};

bool vhlo_decode(Decoder *d);
bool vhlo_decode_attr(Decoder *d, uint64_t code); /* behind its code, one of VA_* */
bool vhlo_decode_future(Decoder *d);
void put_int_list(Buf *b, const int64_t *v, size_t n);            /* [1, ?] */
bool quant_scale_legal(double scale); /* as MLIR has it: finite and above 0 */
/* Code of the type that MLIR calls `text`, such as i32; -1: none. */
int vhlo_scalar(const char *text, size_t len);
/* Code of the attribute and number of `word` in the enum `name`; false: there is no such word. */
bool vhlo_enum(const char *name, const char *word, size_t len, uint64_t *code, uint64_t *number);
/* #stablehlo<fft_type RFFT> to the string RFFT, also in a list; others as they are. */
const Attr *enum_words(BcReader *r, const Attr *a);

/* ---- schema.c: ops of VHLO ---- */

typedef struct VhloOp {
	const char *name;             /* "dot_general_v2" */
	const char *attrs;            /* their names in the order of the file, which is that of the alphabet */
	int since, until;             /* versions that have it, major * 1000 + minor; until 0: all later ones */
} VhloOp;
const VhloOp *vhlo_op(const char *name);
/* The op called `name` (without "_v1") in the version `target`; the first one when it came later; NULL: there is none. */
const VhloOp *vhlo_op_at(const char *name, size_t len, int target);

/* ---- translate.c: VHLO ops to stablehlo's ---- */

typedef VEC(NamedAttr) AttrList;
const Attr *list_take(AttrList *l, const char *name);         /* removes it; NULL when it is not there */
void list_put(BcReader *r, AttrList *l, const char *name, const Attr *v);
/* The struct attribute of `op` that has the field, NULL: none does. list: whether the field is a list. */
const char *vhlo_struct(const char *op, const char *field, size_t len, bool *list);
const char *vhlo_struct_fields(const char *op);               /* "x" a number, "x*" a list; NULL: it has no struct */
bool attr_holds_integers(const Attr *a);                      /* a tensor of integers or booleans */
/* Its elements row by row; NULL + diagnostic when a splat stands for too many. */
const Attr *ints_of_tensor(BcReader *r, const uint8_t *at, const Attr *a);
/* Attributes of VHLO to those of stablehlo: structs are put together, defaults go. own: the op's attributes. */
bool vhlo_translate(BcReader *r, const uint8_t *at, const Str *op, const char *own, AttrList *attrs);

/* ---- plain.c: ops of stablehlo and chlo in the form of these dialects ---- */

/* Names of the attributes that n properties of the op are (see PlainRow); NULL: there is no such form. */
const char *plain_properties(BcDialect dialect, const Str *op, size_t n);
bool plain_segments(Cursor *c, const Attr **out);             /* operandSegmentSizes and the like, of two groups */
bool plain_decode(Decoder *d);
/* Attributes as the op's row has them. */
bool plain_translate(BcReader *r, const uint8_t *at, const OpDef *def, AttrList *attrs);

/* ---- ops.c: the op that is read, func.c: functions; ir.c: the walk over the regions ---- */

typedef struct OpHeader {
	const uint8_t *at;
	OpName *name;
	BcDialect dialect;
	const Str *full;              /* "vhlo.add_v1" */
	const Loc *loc;
	AttrList attrs;
	Properties *properties;       /* NULL: none */
	const Attr *dict;             /* further attributes; may be NULL */
	KnownOp *like;                /* what is noted of such ops; may be NULL */
	bool known;                   /* attrs are those of an op that was built before, and shared with it */
	const Type **types;           /* these and the operands stand in lists of the walk that the next op takes over */
	size_t nresults;
	Value **operands;
	size_t noperands;
	size_t nregions;
	const Attr *signature;        /* of a function */
	bool isolated;
	size_t first_result;          /* value number */
} OpHeader;

/* Everything of an op's attributes, in the file's dictionary and properties. */
bool op_attributes(BcReader *r, OpHeader *h, const Attr *dict, Properties *properties);
bool func_begin(BcReader *r, OpHeader *h, Func **out);
bool func_end(BcReader *r, OpHeader *h, Func *f);
bool func_end_declaration(BcReader *r, OpHeader *h, Func *f); /* without a body */
bool op_build(BcReader *r, OpHeader *h, Block *b, Block *const *blocks, Op **out);
bool ir_read(BcReader *r);

#endif
