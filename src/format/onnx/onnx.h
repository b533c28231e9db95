/* onnx: reader and writer of ONNX protobuf files, private to this directory.
 * The reader works on the mapped bytes: wire_check validates a whole message against the schema once, then everything
 * else walks it with a cursor. Nothing is copied but names and small data; weights stay in the mapping. The writer builds
 * messages bottom-up in memory, with the large tensors left out as splices that are streamed at the end.
 *
 * What has no form in the IR travels as ATTR_WIRE: verbatim protobuf fields (tags included) in the metadata entry "wire"
 * of the module, function, block or op they belong to. Other entries, by place:
 *   module     ir_version producer_name producer_version domain model_version doc_string metadata_props opset_imports
 *              default_domain (how "" was spelled in opset_import, when not as ""), free_initializers (initializers that
 *              are no inputs in spite of an old IR version)
 *   function   domain name overload doc_string metadata_props opset_imports default_domain attribute attribute_proto
 *   block      doc_string metadata_props, value_info (dictionary: name -> ValueInfoProto), input_info and output_info
 *              (nested graphs: a ValueInfoProto each), extra_info (ValueInfoProtos of names that nothing defines)
 *   arg_meta, result_meta   value_info (ValueInfoProto), tensor (leftovers of the default tensor)
 *   op         doc_string overload domain (when spelled "ai.onnx") metadata_props, attribute.NAME (leftovers of an
 *              attribute), tensor.NAME (leftovers of an attribute's tensor: its name, doc string ...) */
#ifndef HONE_ONNX_H
#define HONE_ONNX_H

#include "format/format.h"

/* ---- wire.c: protobuf wire format ---- */

typedef enum WireType {
	WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_GROUP = 3, WIRE_GROUP_END = 4, WIRE_FIXED32 = 5
} WireType;
typedef enum WireFault {
	WIRE_OK,
	WIRE_END,           /* no more fields */
	WIRE_LONG_VARINT,   /* more than 10 bytes or 64 bits */
	WIRE_CUT,           /* the message ends inside a field */
	WIRE_FIELD_ZERO,
	WIRE_BAD_TYPE,      /* wire type 6 or 7 */
	WIRE_LONG_FIELD,    /* a length that goes past the end of the message */
	WIRE_STRAY_END,     /* end of a group that was not opened */
	WIRE_DEEP           /* groups nested too deep */
} WireFault;
typedef struct Field {
	uint32_t number;
	WireType wire;
	uint64_t value;     /* VARINT, FIXED32, FIXED64; length of BYTES */
	Bytes bytes;        /* contents of BYTES */
	Bytes whole;        /* tag and contents, for keeping it verbatim */
} Field;
typedef struct Cursor {
	const uint8_t *at, *end;
} Cursor;
static inline Cursor cursor_of(Bytes b) { return (Cursor){ b.data, b.len ? b.data + b.len : b.data }; }
/* Next field with the reason when there is none; groups are stepped over as a whole, nested at most `depth` deep. */
WireFault field_read(Cursor *c, Field *f, int depth);
bool field_next(Cursor *c, Field *f);              /* false at the end or on a fault */
bool varint_next(Cursor *c, uint64_t *out);        /* of a packed field */
size_t varint_count(Bytes packed);
static inline int64_t field_int(const Field *f) { return (int64_t)f->value; }
float field_float(const Field *f);                 /* FIXED32 */

typedef enum SpliceKind { SPLICE_BYTES, SPLICE_SPLAT } SpliceKind;
typedef struct Splice { /* large data that belongs at position `at` of a message under construction */
	size_t at;
	SpliceKind kind;
	const Blob *blob;
	size_t len;         /* bytes in the file */
	uint8_t unit[16];   /* SPLAT: the repeated bytes */
	size_t unit_len;
} Splice;
typedef struct Wire { /* a message under construction */
	Arena *arena;
	VEC(uint8_t) bytes;
	VEC(Splice) splices;
	uint64_t spliced;   /* sum of the splices' lengths */
} Wire;
Wire *wire_new(Arena *a);
static inline uint64_t wire_size(const Wire *w) { return w->bytes.len + w->spliced; }
void wire_put(Wire *w, const void *p, size_t n);   /* bytes as they are */
void wire_varint(Wire *w, uint64_t v);
void wire_tag(Wire *w, uint32_t number, WireType t);
void wire_int(Wire *w, uint32_t number, int64_t v);
void wire_float(Wire *w, uint32_t number, float v);
void wire_bytes(Wire *w, uint32_t number, const void *p, size_t n);
void wire_str(Wire *w, uint32_t number, const Str *s);
void wire_text(Wire *w, uint32_t number, const char *s);
void wire_append(Wire *w, const Wire *child);       /* the child's fields; its splices move along */
void wire_message(Wire *w, uint32_t number, const Wire *child);
void wire_splice(Wire *w, uint32_t number, const Splice *s);    /* a bytes field whose contents are spliced */
bool wire_write(const Wire *w, OutFile *o);
bool splice_write(const Splice *s, OutFile *o);

/* ---- schema.c: messages and fields of onnx.proto ---- */

typedef enum MessageKind {
	MSG_NONE, MSG_MODEL, MSG_GRAPH, MSG_NODE, MSG_ATTRIBUTE, MSG_TENSOR, MSG_SPARSE_TENSOR, MSG_SEGMENT, MSG_VALUE_INFO,
	MSG_TYPE, MSG_TENSOR_TYPE, MSG_SEQUENCE_TYPE, MSG_MAP_TYPE, MSG_OPTIONAL_TYPE, MSG_OPAQUE_TYPE, MSG_SHAPE, MSG_DIM,
	MSG_OPSET, MSG_STRING_PAIR, MSG_FUNCTION, MSG_TRAINING, MSG_ANNOTATION, MSG_DEVICE, MSG_NODE_DEVICE, MSG_SHARDING,
	MSG_INT_LIST, MSG_SHARDED_DIM, MSG_SIMPLE_SHARD, MSG_SEQUENCE, MSG_OPTIONAL, MSG_MAP, MSG_COUNT
} MessageKind;
typedef enum FieldKind {
	FIELD_INT, FIELD_INTS, FIELD_FLOAT, FIELD_FLOATS, FIELD_DOUBLES, FIELD_BYTES, FIELD_MESSAGE
} FieldKind;
typedef struct FieldDef {
	const char *name;
	uint8_t number;
	FieldKind kind;
	MessageKind message; /* of FIELD_MESSAGE */
} FieldDef;
typedef struct MessageDef {
	const char *name;
	const FieldDef *fields; /* ends with a NULL name */
} MessageDef;
const MessageDef *message_def(MessageKind k);
const FieldDef *field_def(MessageKind k, uint32_t number); /* NULL: unknown field */
/* Checks tags, lengths, wire types and nesting of a whole message. file gives the path and the base of offsets. */
bool wire_check(Diags *d, const MappedFile *file, MessageKind k, Bytes msg, int max_depth);

enum { /* field numbers, by message */
	MODEL_ir_version = 1, MODEL_producer_name = 2, MODEL_producer_version = 3, MODEL_domain = 4, MODEL_model_version = 5,
	MODEL_doc_string = 6, MODEL_graph = 7, MODEL_opset_import = 8, MODEL_metadata_props = 14, MODEL_training_info = 20,
	MODEL_functions = 25,
	GRAPH_node = 1, GRAPH_name = 2, GRAPH_initializer = 5, GRAPH_doc_string = 10, GRAPH_input = 11, GRAPH_output = 12,
	GRAPH_value_info = 13, GRAPH_sparse_initializer = 15, GRAPH_metadata_props = 16,
	NODE_input = 1, NODE_output = 2, NODE_name = 3, NODE_op_type = 4, NODE_attribute = 5, NODE_doc_string = 6,
	NODE_domain = 7, NODE_overload = 8, NODE_metadata_props = 9,
	ATTRIBUTE_name = 1, ATTRIBUTE_f = 2, ATTRIBUTE_i = 3, ATTRIBUTE_s = 4, ATTRIBUTE_t = 5, ATTRIBUTE_g = 6,
	ATTRIBUTE_floats = 7, ATTRIBUTE_ints = 8, ATTRIBUTE_strings = 9, ATTRIBUTE_tensors = 10, ATTRIBUTE_graphs = 11,
	ATTRIBUTE_tp = 14, ATTRIBUTE_type_protos = 15, ATTRIBUTE_type = 20, ATTRIBUTE_ref_attr_name = 21,
	ATTRIBUTE_sparse_tensor = 22, ATTRIBUTE_sparse_tensors = 23,
	TENSOR_dims = 1, TENSOR_data_type = 2, TENSOR_segment = 3, TENSOR_float_data = 4, TENSOR_int32_data = 5,
	TENSOR_string_data = 6, TENSOR_int64_data = 7, TENSOR_name = 8, TENSOR_raw_data = 9, TENSOR_double_data = 10,
	TENSOR_uint64_data = 11, TENSOR_doc_string = 12, TENSOR_external_data = 13, TENSOR_data_location = 14,
	SPARSE_values = 1, SPARSE_indices = 2, SPARSE_dims = 3,
	INFO_name = 1, INFO_type = 2,
	TYPE_tensor = 1, TYPE_sequence = 4, TYPE_map = 5, TYPE_denotation = 6, TYPE_opaque = 7, TYPE_sparse = 8,
	TYPE_optional = 9,
	OPSET_domain = 1, OPSET_version = 2,
	PAIR_key = 1, PAIR_value = 2,
	FUNCTION_name = 1, FUNCTION_input = 4, FUNCTION_output = 5, FUNCTION_attribute = 6, FUNCTION_node = 7,
	FUNCTION_doc_string = 8, FUNCTION_opset_import = 9, FUNCTION_domain = 10, FUNCTION_attribute_proto = 11,
	FUNCTION_value_info = 12, FUNCTION_overload = 13, FUNCTION_metadata_props = 14,
	SEQUENCE_name = 1, SEQUENCE_elem_type = 2, SEQUENCE_tensors = 3, SEQUENCE_sequences = 5, SEQUENCE_optionals = 7
};
typedef enum OnnxAttrType { /* AttributeProto.AttributeType */
	AT_UNDEFINED, AT_FLOAT, AT_INT, AT_STRING, AT_TENSOR, AT_GRAPH, AT_FLOATS, AT_INTS, AT_STRINGS, AT_TENSORS, AT_GRAPHS,
	AT_SPARSE_TENSOR, AT_SPARSE_TENSORS, AT_TYPE_PROTO, AT_TYPE_PROTOS, AT_COUNT
} OnnxAttrType;

#define IR_OPSETS 3            /* IR version that brought opset_import */
#define IR_FREE_INITIALIZERS 4 /* ... that brought initializers which are no inputs */

/* ---- reader state ---- */

typedef struct Reader {
	Context *c;
	Diags *d;
	Module *m;
	Arena *scratch;         /* lives as long as the read */
	MappedFile *file;
	const char *path;       /* of the file, lives as long as the context: diagnostics outlive the reader */
	const ReadOptions *o;
	const char *data_dir;   /* NULL: external data is refused */
	Map externals;          /* location -> MappedFile */
	Map sums;               /* MappedFile -> its SHA1 digest as text */
	int64_t nodes, max_nodes;
	int64_t ir_version;
	int64_t opset;          /* of the default domain; 0 when not imported or not read yet */
	const Map *opsets;      /* of the model: domain ("" = ai.onnx) -> present */
	const Map *local_opsets;/* of the function being read, else NULL */
	Map warned_domains;
	bool free_initializers; /* main has some that are no inputs */
	bool in_function;       /* attribute references are allowed */
	bool warned_shadow, warned_negative_dim, warned_sort, warned_key, warned_branch, warned_sum;
} Reader;
/* Where a message lies, for diagnostics; `what` may be NULL and is copied. */
Loc reader_loc(const Reader *r, const void *at, const char *what);
bool reader_error(Reader *r, HoneStatus status, const void *at, const char *what, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
static inline const Str *reader_str(Reader *r, Bytes b) { return str_n(r->c, (const char *)b.data, b.len); }
const char *reader_quote(Reader *r, Bytes b);
/* Metadata under construction: named attributes, fields kept verbatim, key-value pairs. All live in scratch memory. */
typedef VEC(NamedAttr) MetaList;
typedef VEC(uint8_t) Left;
typedef VEC(int64_t) Ints;
typedef struct Pairs {
	VEC(const Str *) keys;
	VEC(const Attr *) values;
} Pairs;
void meta_put(Reader *r, MetaList *l, const char *name, const Attr *v);   /* nothing when v is NULL */
void meta_str(Reader *r, MetaList *l, const char *name, Bytes text);
void left_add(Reader *r, Left *l, Bytes field);
const Attr *left_attr(Reader *r, const Left *l);                          /* ATTR_WIRE; NULL when empty */
bool pairs_add(Reader *r, Pairs *p, Bytes entry);                         /* false: more than a key and a value in it */
const Attr *pairs_attr(Reader *r, const Pairs *p);                        /* dictionary of strings; NULL when empty */
void meta_finish(Reader *r, MetaList *l, NamedAttr **out, uint16_t *n);   /* sorted, in the module's arena */
NamedAttr *meta_terminated(Reader *r, MetaList *l);                       /* form of Func.arg_meta; NULL when empty */
void ints_add(Reader *r, Ints *v, const Field *f);                        /* a repeated integer field, packed or not */
const Attr *attr_wire(Context *c, Bytes b);
static inline Bytes str_bytes(const Str *s) { return s ? (Bytes){ (const uint8_t *)s->s, s->len } : (Bytes){ 0 }; }
static inline Bytes wire_attr_bytes(const Attr *a)
{
	return a && a->kind == ATTR_WIRE ? str_bytes(a->u.str) : (Bytes){ 0 };
}

/* ---- tensor.c: TensorProto and SparseTensorProto ---- */

typedef struct TensorMsg {
	const Str *name;        /* NULL when absent */
	const Attr *value;      /* ATTR_TENSOR */
	Left left;              /* doc_string, metadata_props, unknown fields */
} TensorMsg;
/* `what` names the tensor in messages: initializer "w". */
bool tensor_msg_read(Reader *r, Bytes msg, const char *what, TensorMsg *out);
/* Type of a sparse tensor after checking its parts; *dense gets the expansion, or NULL when that would be large. */
bool sparse_msg_read(Reader *r, Bytes msg, const char *what, const Str **name, const Type **type, const Attr **dense);
typedef struct TensorOut { /* how a tensor is written */
	const Str *name;        /* may be NULL */
	const char *location;   /* external data file, NULL: inline */
	uint64_t offset;        /* in that file */
	const Attr *wire;       /* leftovers, may be NULL */
} TensorOut;
/* False + diagnostic when ONNX lacks the element type. */
bool tensor_msg_write(Diags *d, Wire *w, const Attr *value, const TensorOut *how);
/* The bytes of a tensor as raw_data has them; false for strings and on overflow. */
bool tensor_splice(const Attr *value, Splice *out);

/* ---- external.c ---- */

typedef struct ExternalRef { /* the external_data entries of one tensor */
	bool used;
	const Str *location, *offset, *length, *checksum;
} ExternalRef;
bool external_entry(Reader *r, Bytes pair, const char *what, ExternalRef *x);
/* The bytes, which must be exactly `need` long. NULL + diagnostic. */
Blob *external_blob(Reader *r, const ExternalRef *x, size_t need, const char *what, const Loc *loc);

/* ---- type.c: TypeProto and ValueInfoProto ---- */

typedef struct TypeFault { /* what parsing a type found besides it */
	int64_t bad_code;       /* element type that does not exist; 0 = none */
	bool negative_dim;      /* taken as unknown */
} TypeFault;
/* Type of a TypeProto that wire_check accepted. An element type that does not exist gives no element type. */
const Type *type_msg_parse(Context *c, Bytes msg, TypeFault *fault);
bool type_msg_read(Reader *r, Bytes msg, const char *what, const Type **out);
typedef struct InfoMsg {
	const Str *name;        /* "" when absent */
	const Type *type;       /* unknown when absent */
	Bytes msg;
} InfoMsg;
bool info_msg_read(Reader *r, Bytes msg, const char *what, InfoMsg *out);
bool type_has_onnx(const Type *t); /* something can be written for it */
/* Equal but for the identity of unknown dimensions. */
bool type_same(const Type *a, const Type *b);
/* TypeProto. old: one whose denotations are kept (may be empty). */
void type_msg_write(Wire *w, const Type *t, Bytes old);
/* ValueInfoProto of a value. old: the one that was read (may be empty); it is written verbatim when its type says the
 * same, else its other fields are kept around the refined type. */
void info_msg_write(Context *c, Wire *w, const Str *name, const Type *t, Bytes old);

/* ---- attribute.c: AttributeProto ---- */

typedef struct GraphAttr {
	const Str *name;        /* attribute name; "name[3]" for the entries of a GRAPHS attribute */
	Bytes msg;
} GraphAttr;
typedef struct AttrList {
	VEC(NamedAttr) attrs;
	VEC(GraphAttr) graphs;
	MetaList meta;          /* attribute.NAME and tensor.NAME entries */
	VEC(const Str *) names; /* all that were seen */
} AttrList;
bool attribute_read(Reader *r, Bytes msg, const char *what, AttrList *out);

/* ---- graph.c: GraphProto and NodeProto ---- */

typedef struct Body {        /* fields of a graph or function body, unparsed */
	VEC(Bytes) nodes, initializers, sparse, inputs, outputs, infos;
} Body;
/* Fills f->body, the names of results and the metadata of both from a GraphProto. */
bool graph_read_main(Reader *r, Func *f, Bytes msg);
/* Nodes and value_info of a local function whose arguments are there already; the terminator returns `outputs`. */
bool graph_read_function(Reader *r, Func *f, const Body *p, const Str *const *outputs, size_t noutputs);

/* ---- node.c: NodeProto before it becomes an op ---- */

typedef struct Node {
	Bytes msg;
	const Str *name, *op_type, *domain, *overload; /* NULL when absent */
	VEC(const Str *) in, out;
	VEC(const Str *) captured; /* names that nested graphs take from outside */
	AttrList attrs;
	MetaList meta;
	size_t index;           /* in its graph */
	const char *what;       /* node "conv1" (Conv) */
} Node;
bool node_read(Reader *r, Bytes msg, size_t index, Node *out);
/* Puts nodes in an order in which every name is produced before it is used; producers: name -> index + 1. False and an
 * error that shows the cycle when there is none. */
bool nodes_sort(Reader *r, Node *nodes, size_t n, const Map *producers);

/* ---- names.c: names of values in a file ---- */

typedef struct Names {
	Context *c;
	Arena *arena;
	const Str **of;         /* by value id; NULL: written as "" */
	Map used;               /* all names of the function */
	Map counters;           /* prefix -> next number to try */
} Names;
/* Names all values of a function that need one: as they are where that is possible, interface names first. */
void names_assign(Names *n, Context *c, Arena *a, const Func *f);
/* A name that nothing in the function has: "prefix_0". */
const Str *names_fresh(Names *n, const char *prefix);

/* ---- write.c, node_write.c ---- */

typedef enum ExternalMode { EXTERNAL_NONE, EXTERNAL_KEEP /* what was external */, EXTERNAL_LARGE } ExternalMode;
typedef struct Writer {
	Module *m;
	Context *c;
	Diags *d;
	Arena *arena;
	const WriteOptions *o;
	ExternalMode external;
	const char *data_name;  /* file name in external_data entries */
	VEC(Splice) data;       /* contents of that file; `at` is the offset */
	uint64_t data_size;
	Map data_offsets;       /* Blob -> offset + 1 */
	Names names;            /* of the function being written */
	const Func *func;
	bool needs_default_opset; /* an Identity was added */
} Writer;
/* The whole file in memory, weights inside; what was added to `out` before an error is of no use. */
bool onnx_write_memory(Module *m, Buf *out);
bool node_write(Writer *w, Wire *parent, uint32_t number, const Op *op);
/* Nested graph or body of main: the fields of a GraphProto. */
bool graph_write(Writer *w, Wire *g, const Block *b);
bool is_initializer(const Op *op); /* onnx.initializer or core.constant */
void identity_write(Writer *w, Wire *parent, uint32_t number, const Str *from, const Str *to);
/* Names of a terminator's operands in the file; Identity nodes that they need are added to `parent`. */
const Str **outputs_write(Writer *w, Wire *parent, uint32_t number, const Block *b);
void value_infos_write(Writer *w, Wire *parent, uint32_t number, const Block *b);
void pairs_write(Wire *parent, uint32_t number, const Attr *dict);
const Attr *meta_get(Context *c, const NamedAttr *list, size_t n, const char *name);

#endif
