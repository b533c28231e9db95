/* mlir: the text form of modules (docs/formats.md has the syntax). Private to src/format/mlir.
 *
 * Everything in a module has one spelling: the printer walks a function in order, so equal modules give equal bytes, and
 * the parser gives back what was printed. Attributes that begin with "hone." carry what MLIR has no place for (names that
 * are no SSA names, metadata, block names); an attribute of a model that begins so is printed as "hone.attr." + its name. */
#ifndef HONE_MLIR_H
#define HONE_MLIR_H

#include "format/format.h"

/* ---- lex.c: tokens ---- */

typedef enum TokenKind {
	T_END, T_BAD,
	T_WORD,      /* conv, core.conv, tensor */
	T_INT,       /* 12, 0x1F */
	T_FLOAT,     /* 1.5, 1.0e+10 */
	T_STRING,    /* with its quotes, still escaped */
	T_VALUE,     /* %x */
	T_SYMBOL,    /* @x, @"x y" */
	T_BLOCK,     /* ^bb0 */
	T_HASH,      /* #map, #foo.bar */
	T_BANG,      /* !t, !foo.bar */
	T_LPAREN, T_RPAREN, T_LBRACE, T_RBRACE, T_LBRACKET, T_RBRACKET, T_LESS, T_GREATER,
	T_COMMA, T_COLON, T_DCOLON, T_EQUAL, T_ARROW, T_MINUS,
	T_META_BEGIN, /* {-# */
	T_META_END,   /* #-} */
	T_OTHER       /* a character that only verbatim text may hold */
} TokenKind;

typedef struct Token {
	TokenKind kind;
	const char *s;
	size_t len;
	uint32_t line, col; /* 1-based; columns count bytes */
} Token;

typedef struct Lexer {
	const char *start, *p, *end, *line_start;
	uint32_t line;
	const char *bad;    /* why the last token is T_BAD */
	const char *resident; /* pages before it have left memory; NULL: the text is no mapped file */
} Lexer;

Token lex_next(Lexer *l);
bool is_word(const char *s, size_t len);      /* [A-Za-z_][A-Za-z0-9_$.]* */
bool is_value_name(const char *s, size_t len); /* the same with "-": an SSA name that is not a number */
int hex_value(char ch);                        /* -1 when it is no hexadecimal digit */

/* ---- text.c: passes over many bytes ---- */

struct Parser;
/* Lets go of the pages of a mapped text before p, except for the last few megabytes. */
void text_passed(Lexer *l, const char *p);
const char *string_stop(Lexer *l);             /* the next quote, backslash or line end, or the end */
/* False + error when the text is no UTF-8 or holds a NUL. Finds out whether it is torch-onnx. */
bool text_scan(struct Parser *p);
/* Bytes of 2n hexadecimal digits; how many there are before the first pair that is malformed. */
size_t hex_decode(Lexer *l, const char *s, size_t n, uint8_t *out);

/* ---- parser state and helpers: parser.c ---- */

typedef struct Alias {
	const Str *text;      /* its printed form, which replaces it in verbatim text; made by alias_text */
	const Attr *attr;
	const Type *type;
	const Loc *loc;
	size_t weight;        /* bytes of its definition with the aliases inside replaced */
	int depth;            /* levels of nesting inside */
} Alias;

typedef struct ValueDef { /* what %name stands for */
	Value **values;
	size_t n;             /* %name:n */
	Token at;
} ValueDef;

typedef struct LocFixup { /* an op whose location alias stands further down */
	Op *op;
	const Str *alias;
	Token at;
} LocFixup;

typedef struct Resource { /* a blob whose bytes stand at the end of the file */
	const Str *key;
	const Type *type;
	Blob *blob;
	Token at;
	struct Resource *next; /* of the same key */
	bool found;
} Resource;

typedef VEC(NamedAttr) AttrVec;
typedef VEC(const Type *) TypeVec;

/* The module's attribute that holds ops beside functions: items.c. */
#define MODULE_ITEMS "hone.items"

/* ---- seen.c: what was read before, by its text ---- */

typedef struct SeenText SeenText;
typedef enum SeenKind { SEEN_TYPE, SEEN_ATTR, SEEN_OP } SeenKind;

typedef struct Parser {
	Context *c;
	Diags *d;
	Module *m;            /* NULL while only an attribute or type is parsed */
	Arena *scratch;
	const char *file;
	Lexer lex;
	Token tok;            /* the next one, not consumed */
	const char *last_end; /* end of the last consumed token */
	int depth, max_depth;
	int deepest;          /* largest depth since it was last reset */
	int64_t nops, max_ops;
	uint32_t nsound;      /* ops that StableHLO's rules leave nothing to say about, while no type changed behind one */
	bool torch;           /* the text holds torch-onnx: si64 is i64, and the like */
	const ReadOptions *options; /* may be NULL */
	Map globals;          /* Str -> Attr: tensors that functions load by name */
	struct ParamFile *params; /* parameter files that are open */
	size_t expanded;      /* weight of all aliases used so far */
	Func *func;
	Map values;           /* Str -> ValueDef, of names that are no numbers; its values are NULL once out of scope */
	VEC(ValueDef *) numbered; /* the same of numbers: values.c */
	VEC(uint64_t) scope;  /* names in the order of their definitions */
	Map aliases;          /* Str with its # or ! -> Alias */
	Map funcs;            /* Str -> Func */
	Map resources;        /* Str -> first Resource */
	SeenText *seen;       /* nseen slots, made on first use */
	uint32_t nseen;
	struct OpText *spare; /* texts of ops that are done: their lists keep their memory */
	VEC(LocFixup) fixups;
	VEC(const Attr *) items; /* ops beside functions */
} Parser;

void parser_init(Parser *p, Context *c, Diags *d, Arena *scratch, const char *file, Bytes text);
void tok_next(Parser *p);
Loc token_loc(const Parser *p, const Token *t);
bool parse_error(Parser *p, const Token *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool parse_limit(Parser *p, const Token *at, const char *fmt, ...) PRINTF_LIKE(3, 4);       /* the same with HONE_LIMIT */
bool parse_unsupported(Parser *p, const Token *at, const char *fmt, ...) PRINTF_LIKE(3, 4); /* HONE_UNSUPPORTED */
bool tok_expected(Parser *p, const char *what);              /* error: found the current token, expected `what` */
bool tok_expect(Parser *p, TokenKind kind, const char *what); /* consumes it or fails */
static inline bool at(const Parser *p, TokenKind kind) { return p->tok.kind == kind; }
static inline bool tok_accept(Parser *p, TokenKind kind) { return p->tok.kind == kind && (tok_next(p), true); } /* consumes it when it is there */
bool tok_at_word(const Parser *p, const char *word);
bool tok_accept_word(Parser *p, const char *word);
bool token_is(const Token *t, const char *text);
bool tok_adjacent(const Parser *p);                          /* no blank before the current token */
bool parser_enter(Parser *p);                                   /* one level deeper, or an error; parser_leave() undoes it */
void parser_leave(Parser *p);
bool parse_string(Parser *p, const Str **out);           /* a string token, unescaped */
bool parse_size(Parser *p, int64_t *out);                /* a decimal integer >= 0 */
bool parse_symbol(Parser *p, const Str **out);           /* @x or @"x y" */
/* Source text from `start` to the end of the current balanced group (the current token is its opening bracket), with
 * aliases replaced. */
bool parse_group_text(Parser *p, const char *start, const Str **out);
bool parse_group_skip(Parser *p);                        /* the same without the text */
/* The same up to, and without, the bracket that closes the surrounding group. */
bool parse_rest_text(Parser *p, const Str **out);
/* The same up to the end of the line, or of the line on which an open bracket is closed; stops before a location. */
bool parse_line_text(Parser *p, const Str **out);
const Str *source_text(Parser *p, const char *start);    /* from start to the last consumed token */
Alias *alias_find(const Parser *p, const Token *t);
/* Consumes the alias at the current token. Aliases that nest or double at each step must not make small texts into
 * modules that nobody can walk or print: an error beyond the limits. */
bool alias_use(Parser *p, const Alias *a);
const Str *alias_text(Parser *p, Alias *a);              /* NULL for a location */

/* ---- dense_list.c: plain lists of numbers ---- */

/* Behind the "<" of a literal: moves the lexer behind its ">" when only numbers, words, brackets that match, commas and blanks
 * stand in between. */
bool list_skip(Lexer *l);
/* The elements of nested lists as the type has them, unpacked; false, without a diagnostic, when the text is something else.
 * pass: lets go of pages behind the place that is read. */
bool list_read(Lexer *pass, const char *s, const char *end, const Type *t, uint8_t *out);

const void *seen_find(const Parser *p, SeenKind kind, const char *s, size_t len); /* NULL: not there */
void seen_put(Parser *p, SeenKind kind, const char *s, size_t len, const void *what); /* what: not NULL */
void seen_forget(Parser *p);                             /* an alias may give texts another meaning */
void seen_take(Parser *p, size_t len);                   /* consumes len bytes from the current token on */
/* Bytes of the type or attribute at the current token, when its text may be kept; 0: not. */
size_t seen_type_text(const Parser *p);
size_t seen_attr_text(const Parser *p);

/* ---- types.c, attrs.c, dense.c, locs.c: parsing ---- */

const Type *parse_type(Parser *p);
bool type_scalar_dtype(const Type *t, DType *out);       /* the element type that a scalar type such as i32 names */
const Attr *parse_attr(Parser *p, const AttrDef *hint);  /* hint: the row's, for literals without a type; may be NULL */
/* `{a = 1, b}`; the brace is the current token. def: row that knows the kinds, may be NULL. */
bool parse_dict(Parser *p, const OpDef *def, AttrVec *out);
/* "0xAB..", without its first `skip` bytes, which go to `head`; malloc'ed. */
bool parse_hex_string(Parser *p, const Token *t, uint8_t *head, size_t skip, uint8_t **out, size_t *n);
const Attr *parse_dense(Parser *p);                      /* at `dense` or `dense_resource` */
bool parse_resources(Parser *p);                         /* at {-# */
bool resources_finish(Parser *p);                        /* every one that was named must have come */
bool parse_number(Parser *p, DType d, void *element);    /* one unpacked element, a leading minus included */
bool parse_loc(Parser *p, const Loc **out, const Str **alias); /* at `loc`; an alias that is not known yet goes to *alias */
bool bits_to_double(DType d, uint64_t bits, double *out); /* false when d is no float */
uint64_t double_to_bits(DType d, double x);

/* ---- ops.c, parse.c: parsing ---- */

/* An op while it is read. Its blocks are read before it exists: they are attached once results and attributes are known. */
typedef struct OpText {
	Token at;                /* its name */
	const OpDef *def;
	bool quoted;
	VEC(Token) names;        /* %a, %b:2 */
	VEC(uint32_t) counts;
	size_t nresults;         /* that have names */
	VEC(Value *) operands;   /* NULL: absent */
	VEC(Token) operand_at;
	VEC(Block *) blocks;
	VEC(const Type *) types;
	bool typed;
	AttrVec attrs;
	const Loc *loc;
	const Str *loc_alias;
	struct OpText *next;     /* spare ones */
} OpText;

/* Syntax of a dialect: words that begin with `prefix` at the place of an op's name. The results before the `=` are in o,
 * the name is the current token. */
typedef struct DialectSyntax {
	const char *prefix;       /* "torch." */
	bool (*parse)(Parser *p, Block *b, OpText *o);
} DialectSyntax;
const DialectSyntax *dialect_syntax(const Parser *p, const Token *name); /* NULL: hone's own and the generic form */
bool parse_use(Parser *p, Value **out);                  /* %x or %x#1; NULL for a value that stands for none */
bool parse_operand(Parser *p, OpText *o);
bool parse_operands(Parser *p, OpText *o);               /* (%a, %b) */
bool parse_operand_types(Parser *p, OpText *o, TokenKind end); /* separated by commas, then `end` unless T_END */
bool parse_result_types(Parser *p, OpText *o);
bool parse_op_attrs(Parser *p, OpText *o);                /* <{...}>, regions, {...} */
bool unknown_op(Parser *p, const Token *t);              /* the error */
bool parse_trailing_loc(Parser *p, OpText *o);
bool build_op(Parser *p, Block *b, OpText *o);           /* o->def, typed, loc and the rest are there */
bool parse_op(Parser *p, Block *b);
/* Texts of types leave open which unknown size is which: unknown sizes and types fit any. */
bool type_fits(const Type *a, const Type *b);
const char *type_name(Parser *p, const Type *t);
bool parse_block(Parser *p, Block *b);                   /* ops up to the closing brace, which stays */
bool parse_region(Parser *p, Block *b);                  /* `{ ^bb0(...): ops }` */
bool define_value(Parser *p, const Token *name, Value **values, size_t n);
const Str *value_key(Parser *p, const Token *t);         /* "x" of %x */
size_t scope_mark(const Parser *p);
void scope_pop(Parser *p, size_t mark);
/* Reserved attributes: taken out of the list, *out NULL when absent; another kind is an error (ATTR_STRS takes lists too). */
bool take_reserved(Parser *p, AttrVec *attrs, const char *name, AttrKind kind, const Attr **out);
bool attrs_finish(Parser *p, AttrVec *attrs, const Token *at); /* "hone.attr." goes, other "hone." names are errors */
NamedAttr *dict_entries(Module *m, const Attr *dict, uint16_t *n);
bool op_check(Parser *p, const Op *op, const Token *at); /* operands, attributes and blocks against the row: check.c */

bool parse_generic_head(Parser *p, AttrVec *attrs);      /* `() <{...}>` */
bool parse_generic_tail(Parser *p, AttrVec *attrs);      /* `{...} : () -> ()` */

bool parse_block_args(Parser *p, Block *b);              /* `(%x: T, ...)` */

/* ---- foreign.c: arith, tensor, shape, sdy and the interpreter's ops ---- */

bool parse_foreign_op(Parser *p, Block *b, OpText *o);

/* ---- items.c: ops beside functions ---- */

bool parse_generic_item(Parser *p);
bool at_line_item(const Parser *p);
bool parse_line_item(Parser *p);
void set_items(Parser *p, AttrVec *v);                   /* puts them among the module's attributes */
bool parse_signature(Parser *p, const Token *at, const Str *text, TypeVec *in, TypeVec *out);

/* ---- torch.c: torch-onnx, parsing ---- */

#define TORCH_MARK 16                                    /* bytes of the longest text by which it is known */
bool torch_sniff(Bytes text);                            /* whether the text holds that dialect */
bool parse_torch_op(Parser *p, Block *b, OpText *o);
/* Ops of the dialect in the generic form, read as any other: true when o was one; *ok: it was built. */
bool build_torch_generic(Parser *p, Block *b, OpText *o, bool *ok);
const Type *parse_torch_type(Parser *p);                 /* at !torch.x; NULL and no error when it is another type */
bool torch_dtype(const char *s, size_t len, DType *out); /* dtype_parse that also takes si64 */
const Attr *parse_torch_constant(Parser *p);             /* a tensor in the text or in a parameter file, and its type */
bool torch_dims(Parser *p, AttrVec *attrs, Value *v);    /* takes hone.dims: symbolic sizes of v, which may be NULL */
void torch_params_close(Parser *p);
bool parse_torch_global(Parser *p);                      /* at util.global */
bool torch_finish(Parser *p, AttrVec *module);           /* attributes go to their places, once everything was read */

/* ---- printing: print.c, print_attr.c ---- */

typedef struct Printer {
	Context *c;
	Arena *arena;
	Buf *out;
	OutFile *file;        /* where full buffers go; NULL: all stays in out */
	bool locations, generic;
	bool plain_sizes;     /* StableHLO: symbolic sizes are ? in types, and attributes of arguments */
	bool in_place;        /* tensors stand where they are used: XLA reads neither resources nor i1 as hexadecimal text */
	bool names_as_locs;   /* of the arguments that are printed */
	bool failed;          /* the file could not be written */
	const Str **names;    /* by value id: SSA name; NULL: numbered */
	uint32_t *numbers;    /* by value id; NO_NUMBER: not defined yet */
	uint32_t nvalues, next_number;
	Map used;             /* SSA names of the function */
	Map resources;        /* Blob and element type -> number + 1 */
	VEC(const Attr *) blobs; /* tensors printed as resources, by number */
} Printer;

#define NO_NUMBER UINT32_MAX
#define BLOB_INLINE_ELEMENTS 64  /* more are printed as a hexadecimal string */
#define BLOB_INLINE_BYTES 4096   /* more go to the end of the file */
#define RESERVED_PREFIX "hone."
#define ESCAPED_PREFIX "hone.attr."

void printer_flush(Printer *w, size_t limit);            /* hands the buffer to the file when it holds more than limit */
void print_string(Buf *out, const Str *s);
void print_symbol(Buf *out, const Str *s);
void print_key(Buf *out, const Str *s);
void print_type(Context *c, const Type *t, Buf *out);
void print_type_of(Printer *w, const Type *t);           /* the same; symbolic sizes are ? where MLIR's own tools read it */
bool types_print_alike(const Printer *w, const Type *a, const Type *b);
void print_attr(Printer *w, const Attr *a, const AttrDef *hint);
/* One entry of a dictionary; `first` says whether a comma is needed and is cleared. */
void print_entry(Printer *w, const Str *key, const Attr *a, const AttrDef *hint, bool *first);
/* Parts of an op; attributes that are in `shown` are left out. */
void op_print_operands(Printer *w, const Op *op);
void op_print_attrs(Printer *w, const Op *op, const AttrName *shown, size_t n);
/* Without those whose name has this ending too; NULL: no ending. */
void op_print_attrs_but(Printer *w, const Op *op, const AttrName *shown, size_t n, const char *ending);
void op_print_operand_types(Printer *w, const Op *op);
void op_print_types(Printer *w, const Op *op);           /* ` : (types) -> types` */
void print_dense(Printer *w, const Attr *a);
void print_resources(Printer *w);
void print_indent(Printer *w, int depth);
void op_print_value(Printer *w, const Value *v);
void op_print_region(Printer *w, const Block *b, int depth); /* `{ ^bb0(...): ops }`; NULL: empty */
void print_ops(Printer *w, const Block *b, int depth);
void print_block_args(Printer *w, const Block *b);
/* Attributes of a function's argument, of its result, and of the function itself without those in `without`. */
void print_arg_attrs(Printer *w, const Func *f, uint32_t i, bool *first);
void print_result_attrs(Printer *w, const Func *f, size_t i, const Value *v, bool *first);
void print_func_entries(Printer *w, const Func *f, const char *without, bool *first);
void print_module_entries(Printer *w, const Module *m, const char *without, bool *first);
void print_module_generic(Printer *w, const Module *m);  /* print_generic.c */
void print_loc(const Loc *l, Buf *out);
void print_items(Printer *w, const Module *m);           /* items.c */
/* The printed form of an attribute or type on its own. */
const Str *attr_spelling(Context *c, const Attr *a);
const Str *type_spelling(Context *c, const Type *t);

#endif
