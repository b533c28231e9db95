/* ir: one intermediate representation for every format.  Module > Func > Block > Op > Value.
 * Objects live in arenas and never move; each has a dense id, and a pass keeps its side data in arrays by id.
 * Types, attributes, strings and symbolic dimensions are interned in the Context: equal means the same pointer.
 * Only edit.c changes structure. */
#ifndef HONE_IR_H
#define HONE_IR_H

#include "base/base.h"

typedef struct Context Context;
typedef struct Sym Sym;
typedef struct Type Type;
typedef struct Attr Attr;
typedef struct Blob Blob;
typedef struct Module Module;
typedef struct Func Func;
typedef struct Block Block;
typedef struct Op Op;
typedef struct Value Value;
typedef struct Use Use;
typedef struct OpDef OpDef; /* a row of the op tables: ops/ops.h */

/* ---- attribute names that code knows: A_axes, A_perm, ... ---- */

typedef enum AttrName {
	A_NONE,
#define ATTR_NAME(id, text) A_##id,
#include "attrs.def"
#undef ATTR_NAME
	A_COUNT
} AttrName;

/* ---- context.c ---- */

/* Owns everything interned and the diagnostics. One context serves one thread at a time; modules of one context may
 * share types and attributes freely. */
struct Context {
	Arena *arena;
	StrTable *strs;
	Diags diags;
	struct Interner *types, *attrs, *syms, *locs;
	Str *const *attr_names;    /* by AttrName */
	Str *empty; /* "" */
	uint64_t next_unknown; /* serial of the next anonymous symbol */
	Blob *blobs;           /* all live blobs, released with the context */
	struct OpTable *ops;   /* rows of the op tables that were asked for: ops/table.c */
	struct Module *modules; /* all live modules, freed with the context */
};
Context *context_new(void);
void context_free(Context *c); /* frees its modules, all interned data, and unreferences blobs; NULL is fine */
Str *str(Context *c, const char *s);                 /* interns a C string */
Str *str_n(Context *c, const char *s, size_t len);
Str *str_fmt(Context *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
Str *str_arg(Context *c, size_t i); /* "argI": what printers call the arguments of functions */
const Loc *loc_new(Context *c, Loc l);               /* copies the strings */

/* ---- sym.c: symbolic dimensions and integers ----
 * A normal form: a sum of products of atoms with integer coefficients; an atom is a named symbol (a value >= 0 unknown
 * at compile time) or an uninterpreted function of normal forms (floordiv, mod, min, max). Interned: two expressions that
 * normalise alike are one pointer. Arithmetic that overflows int64 yields a fresh unknown. */

typedef enum SymKind { SYM_CONST, SYM_SYMBOL, SYM_SUM /* anything else */ } SymKind;
const Sym *sym_int(Context *c, int64_t v);
const Sym *sym_symbol(Context *c, const Str *name);  /* "batch": same name, same symbol */
const Sym *sym_unknown(Context *c);                  /* fresh, equal to nothing else; prints as ?1, ?2 ... */
const Sym *sym_unknown_int(Context *c);              /* likewise, but may be negative: no bounds are known */
bool sym_is_unknown(const Sym *s);                   /* a lone anonymous symbol */
bool sym_const(const Sym *s, int64_t *out);          /* true and the number when s is a constant */
static inline bool sym_is(const Sym *s, int64_t v) { int64_t x; return s && sym_const(s, &x) && x == v; }
SymKind sym_kind(const Sym *s);
const Str *sym_name(const Sym *s);                   /* of a SYM_SYMBOL; "?7" for unknown ones */
const Sym *sym_add(Context *c, const Sym *a, const Sym *b);
const Sym *sym_sub(Context *c, const Sym *a, const Sym *b);
const Sym *sym_mul(Context *c, const Sym *a, const Sym *b);
const Sym *sym_neg(Context *c, const Sym *a);
const Sym *sym_floordiv(Context *c, const Sym *a, const Sym *b); /* simplifies exact division, (4*n)/2, (n*m)/n; b==0: unknown */
const Sym *sym_ceildiv(Context *c, const Sym *a, const Sym *b);  /* -floordiv(-a, b) */
const Sym *sym_truncdiv(Context *c, const Sym *a, const Sym *b); /* C division; = floordiv when a >= 0 and b > 0 are known */
const Sym *sym_mod(Context *c, const Sym *a, const Sym *b);      /* sign of the divisor, a - b*floordiv(a,b) */
const Sym *sym_min(Context *c, const Sym *a, const Sym *b);
const Sym *sym_max(Context *c, const Sym *a, const Sym *b);
/* Bounds that hold for every value >= 0 of every symbol; INT64_MIN / INT64_MAX when none is known. */
int64_t sym_lower(const Sym *s);
int64_t sym_upper(const Sym *s);
static inline bool sym_nonneg(const Sym *s) { return sym_lower(s) >= 0; }
/* True when a == b, a != b, a <= b, a < b is certain for all symbol values. */
bool sym_known_eq(const Sym *a, const Sym *b);
bool sym_known_ne(Context *c, const Sym *a, const Sym *b);
bool sym_known_le(Context *c, const Sym *a, const Sym *b);
bool sym_known_lt(Context *c, const Sym *a, const Sym *b);
/* Product of n dims. */
const Sym *sym_product(Context *c, const Sym *const *dims, int n);
/* Replaces named symbols: find(arg, symbol) gives the replacement or NULL to keep it. */
const Sym *sym_substitute(Context *c, const Sym *s, const Sym *(*find)(void *arg, const Sym *symbol), void *arg);
/* Value under an assignment: lookup(arg, symbol, &v) gives each symbol's number; false when one is missing or on overflow. */
bool sym_eval(const Sym *s, bool (*lookup)(void *arg, const Sym *symbol, int64_t *out), void *arg, int64_t *out);
/* A size written as arithmetic by someone else, bottom up: `known` gives what is at hand for a (part of the) expression, or
 * NULL, and is asked before it is taken apart; `binary` joins. A NULL from `number` or `binary`, and a symbol that is not
 * known, give NULL in all. */
typedef enum SymOp { SYM_OP_ADD, SYM_OP_MUL, SYM_OP_FLOORDIV, SYM_OP_MOD, SYM_OP_MIN, SYM_OP_MAX } SymOp;
typedef struct SymFold {
	void *(*number)(void *arg, int64_t v);
	void *(*known)(void *arg, const Sym *s);
	void *(*binary)(void *arg, SymOp op, void *a, void *b);
	void *arg;
} SymFold;
void *sym_fold(const Sym *s, const SymFold *f);      /* sym_fold.c */
/* Calls fn for each distinct symbol inside. */
void sym_symbols(const Sym *s, void (*fn)(void *arg, const Sym *symbol), void *arg);
void sym_print(const Sym *s, Buf *out);              /* "batch", "seq+1", "floordiv(w-3,2)+1", "?3", "224" */
const Sym *sym_parse(Context *c, const char *s, size_t len, size_t *used); /* inverse of sym_print; NULL on bad syntax */

/* ---- type.c ---- */

typedef enum TypeKind {
	TYPE_UNKNOWN,  /* nothing is known */
	TYPE_TENSOR,
	TYPE_SPARSE,   /* sparse tensor; same fields as a tensor */
	TYPE_SEQUENCE, /* elem[0] = element */
	TYPE_OPTIONAL, /* elem[0] */
	TYPE_MAP,      /* dtype = key, elem[0] = value */
	TYPE_TUPLE,    /* elem[0..nelem) */
	TYPE_TOKEN,
	TYPE_NONE,
	TYPE_OPAQUE    /* text = spelling kept verbatim */
} TypeKind;
#define RANK_UNKNOWN (-1)
struct Type {
	TypeKind kind;
	DType dtype;              /* DT_NONE when unknown */
	int rank;                 /* RANK_UNKNOWN when unknown */
	const Sym *const *dims;   /* rank entries, none NULL; an unknown size is a fresh symbol */
	const Type *const *elem;
	int nelem;
	const Str *text;          /* TYPE_OPAQUE spelling; for tensors an encoding or quantised element type kept verbatim, else NULL */
};
const Type *type_unknown(Context *c);
const Type *type_tensor(Context *c, DType dtype, int rank, const Sym *const *dims);
const Type *type_tensor_of(Context *c, DType dtype, int rank, const int64_t *dims); /* negative: fresh unknown */
const Type *type_unranked(Context *c, DType dtype);
const Type *type_with_dtype(Context *c, const Type *t, DType dtype);
const Type *type_make(Context *c, Type t);           /* interns any kind */
static inline bool type_is_tensor(const Type *t) { return t && t->kind == TYPE_TENSOR; }
static inline bool type_has_rank(const Type *t) { return t && t->kind == TYPE_TENSOR && t->rank >= 0; }
bool type_dims_equal(const Type *a, const Type *b);      /* ranks are known and each size is certainly the other's */
bool type_static_dims(const Type *t, int64_t *dims_out);  /* all dims constant; dims_out may be NULL, else rank entries */
bool type_is_static(const Type *t);
const Sym *type_numel(Context *c, const Type *t);    /* NULL when the rank is unknown */
bool type_static_numel(const Type *t, int64_t *out); /* false when not static or on overflow */
/* The more precise of the two, dim by dim (constants over symbols, symbols over unknowns; on a conflict `a` wins and
 * *conflict is set). Used to refine monotonically. */
const Type *type_refine(Context *c, const Type *a, const Type *b, bool *conflict);
void type_print(const Type *t, Buf *out);            /* "tensor<1x?x224xf32>", symbols as in sym_print inside [] */
void type_print_plain(const Type *t, Buf *out);      /* as MLIR writes it: sizes that are not constant are ? */

/* ---- blob.c: constant bytes outside the arenas ---- */

typedef enum BlobKind { BLOB_HEAP, BLOB_MAPPED, BLOB_BORROWED } BlobKind;
/* Immutable once shared. Bytes are packed little-endian element data in row-major order (sub-byte types packed, low bits
 * first); for DT_STR an array of Str pointers. A splat holds one element that stands for all. */
struct Blob {
	BlobKind kind;
	int refs;             /* atomic */
	bool splat;
	const void *data;
	size_t len;           /* bytes at data (one unpacked element for a splat) */
	MappedFile *file;     /* BLOB_MAPPED */
	size_t file_offset;
	uint64_t hash;        /* 0 = not computed */
	const Str *external;  /* file name that an ONNX external tensor came from, else NULL */
	const Str *weight;    /* name under which the bytes were given beside the model, or of the weight they were computed from */
	Blob *next_live, **link_live; /* list of the context */
};
Blob *blob_heap(Context *c, void *malloced, size_t len);     /* takes ownership */
Blob *blob_copy(Context *c, const void *data, size_t len);
Blob *blob_mapped(Context *c, MappedFile *f, size_t offset, size_t len); /* adds a reference to f */
Blob *blob_borrowed(Context *c, const void *data, size_t len); /* the caller keeps the bytes alive as long as the context */
Blob *blob_splat(Context *c, DType d, const void *element);  /* one unpacked element */
Blob *blob_ref(Blob *b);
void blob_unref(Blob *b);
/* Bytes of a large mapped blob leave memory until they are read again: for readers that have seen all of them. */
void blob_forget_pages(const Blob *b);
void blob_forget_part(const Blob *b, const void *from, size_t bytes); /* the same of some of its bytes */
uint64_t blob_hash(Blob *b);                                 /* lazily computed */
bool blob_equal(const Blob *a, const Blob *b);               /* same bytes and splat-ness; cheap inequality first */

/* ---- attr.c ---- */

typedef enum AttrKind {
	ATTR_INT, ATTR_FLOAT, ATTR_STR, ATTR_BOOL,
	ATTR_INTS, ATTR_FLOATS, ATTR_STRS,
	ATTR_TENSOR,   /* type + blob */
	ATTR_TYPE,
	ATTR_LIST,     /* attributes */
	ATTR_DICT,     /* names + attributes */
	ATTR_SYMREF,   /* @name: str */
	ATTR_UNIT,
	ATTR_TEXT,     /* MLIR attribute of an unknown dialect, kept verbatim */
	ATTR_WIRE      /* protobuf bytes of an ONNX attribute that hone has no form for, kept verbatim: str */
} AttrKind;
struct Attr {
	AttrKind kind;
	DType width;           /* ATTR_INT/FLOAT: element type where the text form gives one (i64, f32 default) */
	union {
		int64_t i;         /* INT, BOOL */
		double f;          /* FLOAT (ONNX floats are f32 values) */
		const Str *str;    /* STR, SYMREF, TEXT, WIRE */
		const Type *type;  /* TYPE */
		struct { const int64_t *v; size_t n; } ints;
		struct { const double *v; size_t n; } floats;
		struct { const Str *const *v; size_t n; } strs;
		struct { const Type *type; Blob *blob; } tensor; /* type is static */
		struct { const Attr *const *v; const Str *const *names; size_t n; } list; /* LIST (names NULL) and DICT */
	} u;
};
const Attr *attr_int(Context *c, int64_t v);
const Attr *attr_bool(Context *c, bool v);
const Attr *attr_float(Context *c, double v);
const Attr *attr_str(Context *c, const Str *s);
const Attr *attr_ints(Context *c, const int64_t *v, size_t n);
const Attr *attr_floats(Context *c, const double *v, size_t n);
const Attr *attr_strs(Context *c, const Str *const *v, size_t n);
const Attr *attr_type(Context *c, const Type *t);
const Attr *attr_tensor(Context *c, const Type *t, Blob *b); /* takes over the caller's reference to b; interned by blob identity */
const Attr *attr_make(Context *c, Attr a);                   /* interns any kind */
bool attr_equal(const Attr *a, const Attr *b); /* pointer equality, or tensors with equal type and bytes */

/* ---- module.c, edit.c ---- */

typedef struct NamedAttr {
	const Str *name;
	const Attr *value;
} NamedAttr;

/* Most operands and most results of one op. */
#define MAX_OPERANDS (1u << 30)

/* One operand slot. Slots of one value form an intrusive list. */
struct Use {
	Op *user;
	Value *value;      /* NULL: optional operand that is absent */
	Use *next, **prev; /* list of value->uses */
};

struct Value {
	const Type *type;  /* never NULL */
	Use *uses;
	uint32_t nuses;    /* length of the list */
	uint32_t nyields;  /* how many of them are terminators' */
	Op *def;           /* NULL for a block argument */
	Block *block;      /* owner of a block argument, else NULL */
	uint32_t index;    /* result or argument number */
	uint32_t id;       /* dense in the module; never reused */
	const Str *name;   /* as in the source; NULL = none. Kept across rewrites for graph outputs. */
};

struct Op {
	const OpDef *def;        /* table row; rows of unknown ops are made per context (op_def_unknown) */
	uint32_t id;             /* dense in the module; never reused */
	uint32_t noperands, nresults;
	uint16_t nattrs, nblocks;
	Use *operands;           /* noperands slots */
	Value **results;
	NamedAttr *attrs;        /* sorted by name text */
	Block **blocks;          /* regions: each is one block (then, else, body, ...) */
	Block *block;            /* parent */
	Op *prev, *next;
	const Loc *loc;          /* never NULL when read from a file */
	const Str *name;         /* node name as in the source; NULL = none */
	NamedAttr *meta;         /* format metadata (doc_string, metadata_props, overload, ...), kept and not interpreted */
	uint16_t nmeta;
	bool erased;
	bool constant;           /* pure and all operands (and captured values) constant: maintained by edit.c */
	bool made;               /* created by a rewrite rather than read */
};

struct Block {
	Op *first, *last;        /* last is the terminator once complete */
	Value **args;
	uint32_t nargs;
	Op *parent;              /* op that owns the region; NULL for a function body */
	Func *func;
	const Str *name;         /* ONNX graph name */
	NamedAttr *meta;         /* graph doc string, metadata, value_info of unknown values ... */
	uint16_t nmeta;
};

struct Func {
	Module *module;
	const Str *name;         /* symbol name; for ONNX model-local functions "domain::name" or "domain::name:overload" */
	Block *body;             /* args = inputs; terminator func.return operands = outputs */
	const Attr **arg_default;/* body->nargs entries or NULL: default tensor of an overridable input (IR version >= 4) */
	NamedAttr *attrs;        /* function attributes: visibility, ONNX attribute defaults ... */
	uint16_t nattrs;
	const Type **result_types;/* types of the outputs as the source declares them, one a result; hints for writers; may be NULL */
	const Str **result_names;/* names of the outputs as the interface has them, one a result */
	NamedAttr **arg_meta, **result_meta; /* per input/output: doc_string, denotation ..., NULL-name-terminated lists; may be NULL */
	bool is_library;         /* ONNX model-local function */
	bool is_declaration;     /* no body but the arguments; result_types has all nresults results. In Module.decls */
	uint32_t nresults;       /* of a declaration */
	Func *next;
};

struct Module {
	Context *ctx;
	Arena *arena;
	Func *funcs, **last_func;
	Func *decls, **last_decl; /* functions that are only declared: no pass and no rule meets them */
	Func *main;
	uint32_t next_op, next_value; /* id bounds: side arrays have these sizes */
	uint64_t edits;               /* counts structural changes */
	uint64_t sound_at;            /* `edits` when a reader had seen that each op passes shlo_op_fits; 0: none has */
	Map *numbers;                 /* value id -> tensor attribute: small constant expressions that were asked for (ops/constant.c) */
	NamedAttr *attrs;             /* module attributes; ONNX: ir_version, producer_name, opset_imports (DICT), metadata_props (DICT) ... */
	uint16_t nattrs;
	const Str *format;            /* "onnx", "stablehlo", ...: what it was read from */
	const char *path;             /* may be NULL */
	bool compiled;                /* read from a compiled model: optimised already */
	const Str *bundle;            /* what its bundle says besides the code: JSON of torch_xla, or FlatBuffers; NULL: none */
	NamedAttr *weights;           /* tensors that came with the model by name, also those that nothing uses (running statistics) */
	size_t nweights;
	Module *next, **link;         /* list of the context */
};

/* module.c */
Module *module_new(Context *c);
void module_free(Module *m);                          /* before the context; what is left goes with it */
Func *func_new(Module *m, const Str *name);           /* appended, with an empty body block */
void func_declare(Func *f, const Type *const *results, uint32_t n); /* the last function, without ops, moves to Module.decls */
Block *block_new(Func *f, Op *parent);                /* for a region op: then op_set_block */
Value *block_add_arg(Block *b, const Type *t, const Str *name);
void block_erase_arg(Block *b, uint32_t index);       /* must be unused */
const Attr *module_attr(const Module *m, const char *name);
void module_set_attr(Module *m, const char *name, const Attr *v); /* NULL removes */
const Attr *named_attr(const NamedAttr *list, size_t n, const Str *name);
size_t named_attr_count(const NamedAttr *list);       /* of a list that ends with a NULL name; NULL is empty */
/* The ops and values may be walked while the current op is erased or replaced. */
#define FOR_EACH_OP(op, blk) \
	for (Op *op = (blk)->first, *op##_next; op && (op##_next = op->next, 1); op = op##_next)
/* Calls fn on every op of the block and of nested blocks, outer op first; fn returns false to stop. */
bool block_walk(Block *b, bool (*fn)(void *arg, Op *op), void *arg);
bool module_walk(Module *m, bool (*fn)(void *arg, Op *op), void *arg);
static inline Op *block_terminator(const Block *b) { return b->last; }
/* Copies a block's ops before `at` (NULL: at the end of dst). map: values of src block to use instead, by
 * MAP_PTR(old value) -> new value; extended with all copied values. The terminator is copied only when with_terminator. */
void block_clone_into(const Block *src, Block *dst, Op *at, Map *map, bool with_terminator);
Module *module_clone(const Module *m, Map *value_map /* old -> new, may be NULL */);

/* edit.c: the only code that changes structure */
typedef struct OpSpec {        /* what op_new needs; zero fields are fine */
	const OpDef *def;
	Value *const *operands;
	size_t noperands;
	const Type *const *types;  /* result types; NULL = unknown types */
	size_t nresults;
	const NamedAttr *attrs;
	size_t nattrs;
	size_t nblocks;            /* empty block slots, filled by op_set_block */
	const Loc *loc;
	const Str *name;
} OpSpec;
Op *op_new(Block *b, Op *before /* NULL: append */, const OpSpec *s);
void op_set_block(Op *op, size_t i, Block *b);        /* b->parent becomes op */
void op_set_operand(Op *op, size_t i, Value *v);      /* v may be NULL */
void op_set_operands(Op *op, Value *const *v, size_t n); /* replaces the whole list */
void op_set_attr(Op *op, const Str *name, const Attr *v); /* NULL removes */
void op_set_def(Op *op, const OpDef *def);            /* same operands and results, other meaning */
Value *op_add_result(Op *op, const Type *t);
void op_drop_results(Op *op, size_t n);               /* keeps the first n; the others must be unused */
void op_remove_result(Op *op, size_t i);              /* must be unused; later ones move down */
void op_erase(Op *op);                                /* results must be unused; nested ops are erased too */
void op_move_before(Op *op, Op *where);               /* may change block */
void op_move_to_end(Op *op, Block *b);
void value_replace_uses(Value *from, Value *to);      /* all uses, nested regions included */
void value_set_type(Value *v, const Type *t);
void value_set_name(Value *v, const Str *name);
/* Recomputes op->constant from op->def and operands; edit.c calls it for users when it changes. */
void op_update_constant(Op *op);

/* queries */
static inline Value *op_operand(const Op *op, size_t i) { return i < op->noperands ? op->operands[i].value : NULL; }
static inline Value *op_result(const Op *op, size_t i) { return i < op->nresults ? op->results[i] : NULL; }
const Attr *op_attr(const Op *op, AttrName a);        /* NULL when absent */
const Attr *op_attr_named(const Op *op, const Str *name);
bool op_attrs_equal(const Op *a, const Op *b);        /* the same names with attr_equal values */
int64_t op_attr_int(const Op *op, AttrName a, int64_t fallback);
double op_attr_float(const Op *op, AttrName a, double fallback);
const Str *op_attr_str(const Op *op, AttrName a);     /* NULL when absent or not a string */
bool op_attr_is(const Op *op, AttrName a, const char *text); /* string attribute equals text */
size_t op_attr_ints(const Op *op, AttrName a, const int64_t **out); /* count; 0 and NULL when absent */
int64_t op_list_entry(const Op *op, AttrName a, size_t i, int64_t fallback); /* fallback: the list is absent or shorter */
const Attr *op_constant_attr(const Op *op);           /* the tensor of a core.constant, else NULL */
static inline bool value_has_uses(const Value *v) { return v->uses != NULL; }
static inline bool value_has_one_use(const Value *v) { return v->nuses == 1; } /* exactly one operand slot */
static inline size_t value_num_uses(const Value *v) { return v->nuses; }
static inline bool value_is_constant(const Value *v) { return v && v->def && v->def->constant; }
const Attr *value_constant(const Value *v);           /* tensor attribute when defined by core.constant (or an ONNX constant), else NULL */
static inline bool value_is_output(const Value *v) { return v->nyields != 0; } /* used by a function's or region's terminator */
Func *op_func(const Op *op);
bool block_is_ancestor(const Block *outer, const Block *inner); /* inner is outer or nested in it */
bool value_dominates(const Value *v, const Op *op);   /* v may be used by op */
Op *op_ancestor_in(const Op *op, const Block *b);     /* the op of block b that is op or contains it, NULL when none */

/* verify.c: checks every invariant (use lists, dominance, terminators, ids, arity against the table); false + diagnostics */
bool module_verify(Module *m, Diags *d);

#endif
