#include "onnx.h"

#include <inttypes.h>

#define INT(number, name) { #name, number, FIELD_INT, MSG_NONE }
#define INTS(number, name) { #name, number, FIELD_INTS, MSG_NONE }
#define FLOAT(number, name) { #name, number, FIELD_FLOAT, MSG_NONE }
#define FLOATS(number, name) { #name, number, FIELD_FLOATS, MSG_NONE }
#define DOUBLES(number, name) { #name, number, FIELD_DOUBLES, MSG_NONE }
#define TEXT(number, name) { #name, number, FIELD_BYTES, MSG_NONE }
#define SUB(number, name, kind) { #name, number, FIELD_MESSAGE, kind }
#define END { NULL, 0, FIELD_INT, MSG_NONE }

static const FieldDef model_fields[] = {
	INT(1, ir_version), TEXT(2, producer_name), TEXT(3, producer_version), TEXT(4, domain), INT(5, model_version),
	TEXT(6, doc_string), SUB(7, graph, MSG_GRAPH), SUB(8, opset_import, MSG_OPSET),
	SUB(14, metadata_props, MSG_STRING_PAIR), SUB(20, training_info, MSG_TRAINING), SUB(25, functions, MSG_FUNCTION),
	SUB(26, configuration, MSG_DEVICE), END
};
static const FieldDef graph_fields[] = {
	SUB(1, node, MSG_NODE), TEXT(2, name), SUB(5, initializer, MSG_TENSOR), TEXT(10, doc_string),
	SUB(11, input, MSG_VALUE_INFO), SUB(12, output, MSG_VALUE_INFO), SUB(13, value_info, MSG_VALUE_INFO),
	SUB(14, quantization_annotation, MSG_ANNOTATION), SUB(15, sparse_initializer, MSG_SPARSE_TENSOR),
	SUB(16, metadata_props, MSG_STRING_PAIR), END
};
static const FieldDef node_fields[] = {
	TEXT(1, input), TEXT(2, output), TEXT(3, name), TEXT(4, op_type), SUB(5, attribute, MSG_ATTRIBUTE),
	TEXT(6, doc_string), TEXT(7, domain), TEXT(8, overload), SUB(9, metadata_props, MSG_STRING_PAIR),
	SUB(10, device_configurations, MSG_NODE_DEVICE), END
};
static const FieldDef attribute_fields[] = {
	TEXT(1, name), FLOAT(2, f), INT(3, i), TEXT(4, s), SUB(5, t, MSG_TENSOR), SUB(6, g, MSG_GRAPH), FLOATS(7, floats),
	INTS(8, ints), TEXT(9, strings), SUB(10, tensors, MSG_TENSOR), SUB(11, graphs, MSG_GRAPH), TEXT(13, doc_string),
	SUB(14, tp, MSG_TYPE), SUB(15, type_protos, MSG_TYPE), INT(20, type), TEXT(21, ref_attr_name),
	SUB(22, sparse_tensor, MSG_SPARSE_TENSOR), SUB(23, sparse_tensors, MSG_SPARSE_TENSOR), END
};
static const FieldDef tensor_fields[] = {
	INTS(1, dims), INT(2, data_type), SUB(3, segment, MSG_SEGMENT), FLOATS(4, float_data), INTS(5, int32_data),
	TEXT(6, string_data), INTS(7, int64_data), TEXT(8, name), TEXT(9, raw_data), DOUBLES(10, double_data),
	INTS(11, uint64_data), TEXT(12, doc_string), SUB(13, external_data, MSG_STRING_PAIR), INT(14, data_location),
	SUB(16, metadata_props, MSG_STRING_PAIR), END
};
static const FieldDef sparse_fields[] = {
	SUB(1, values, MSG_TENSOR), SUB(2, indices, MSG_TENSOR), INTS(3, dims), END
};
static const FieldDef segment_fields[] = { INT(1, begin), INT(2, end), END };
static const FieldDef value_info_fields[] = {
	TEXT(1, name), SUB(2, type, MSG_TYPE), TEXT(3, doc_string), SUB(4, metadata_props, MSG_STRING_PAIR), END
};
static const FieldDef type_fields[] = {
	SUB(1, tensor_type, MSG_TENSOR_TYPE), SUB(4, sequence_type, MSG_SEQUENCE_TYPE), SUB(5, map_type, MSG_MAP_TYPE),
	TEXT(6, denotation), SUB(7, opaque_type, MSG_OPAQUE_TYPE), SUB(8, sparse_tensor_type, MSG_TENSOR_TYPE),
	SUB(9, optional_type, MSG_OPTIONAL_TYPE), END
};
static const FieldDef tensor_type_fields[] = { INT(1, elem_type), SUB(2, shape, MSG_SHAPE), END };
static const FieldDef sequence_type_fields[] = { SUB(1, elem_type, MSG_TYPE), END };
static const FieldDef map_type_fields[] = { INT(1, key_type), SUB(2, value_type, MSG_TYPE), END };
static const FieldDef opaque_type_fields[] = { TEXT(1, domain), TEXT(2, name), END };
static const FieldDef shape_fields[] = { SUB(1, dim, MSG_DIM), END };
static const FieldDef dim_fields[] = { INT(1, dim_value), TEXT(2, dim_param), TEXT(3, denotation), END };
static const FieldDef opset_fields[] = { TEXT(1, domain), INT(2, version), END };
static const FieldDef pair_fields[] = { TEXT(1, key), TEXT(2, value), END };
static const FieldDef function_fields[] = {
	TEXT(1, name), TEXT(4, input), TEXT(5, output), TEXT(6, attribute), SUB(7, node, MSG_NODE), TEXT(8, doc_string),
	SUB(9, opset_import, MSG_OPSET), TEXT(10, domain), SUB(11, attribute_proto, MSG_ATTRIBUTE),
	SUB(12, value_info, MSG_VALUE_INFO), TEXT(13, overload), SUB(14, metadata_props, MSG_STRING_PAIR), END
};
static const FieldDef training_fields[] = {
	SUB(1, initialization, MSG_GRAPH), SUB(2, algorithm, MSG_GRAPH), SUB(3, initialization_binding, MSG_STRING_PAIR),
	SUB(4, update_binding, MSG_STRING_PAIR), END
};
static const FieldDef annotation_fields[] = {
	TEXT(1, tensor_name), SUB(2, quant_parameter_tensor_names, MSG_STRING_PAIR), END
};
static const FieldDef device_fields[] = { TEXT(1, name), INT(2, num_devices), TEXT(3, device), END };
static const FieldDef node_device_fields[] = {
	TEXT(1, configuration_id), SUB(2, sharding_spec, MSG_SHARDING), INT(3, pipeline_stage), END
};
static const FieldDef sharding_fields[] = {
	TEXT(1, tensor_name), INTS(2, device), SUB(3, index_to_device_group_map, MSG_INT_LIST),
	SUB(4, sharded_dim, MSG_SHARDED_DIM), END
};
static const FieldDef int_list_fields[] = { INT(1, key), INTS(2, value), END };
static const FieldDef sharded_dim_fields[] = { INT(1, axis), SUB(2, simple_sharding, MSG_SIMPLE_SHARD), END };
static const FieldDef simple_shard_fields[] = { INT(1, dim_value), TEXT(2, dim_param), INT(3, num_shards), END };
static const FieldDef sequence_fields[] = {
	TEXT(1, name), INT(2, elem_type), SUB(3, tensor_values, MSG_TENSOR), SUB(4, sparse_tensor_values, MSG_SPARSE_TENSOR),
	SUB(5, sequence_values, MSG_SEQUENCE), SUB(6, map_values, MSG_MAP), SUB(7, optional_values, MSG_OPTIONAL), END
};
static const FieldDef map_fields[] = {
	TEXT(1, name), INT(2, key_type), INTS(3, keys), TEXT(4, string_keys), SUB(5, values, MSG_SEQUENCE), END
};

static const MessageDef messages[MSG_COUNT] = {
	[MSG_MODEL] = { "model", model_fields },
	[MSG_GRAPH] = { "graph", graph_fields },
	[MSG_NODE] = { "node", node_fields },
	[MSG_ATTRIBUTE] = { "attribute", attribute_fields },
	[MSG_TENSOR] = { "tensor", tensor_fields },
	[MSG_SPARSE_TENSOR] = { "sparse_tensor", sparse_fields },
	[MSG_SEGMENT] = { "segment", segment_fields },
	[MSG_VALUE_INFO] = { "value_info", value_info_fields },
	[MSG_TYPE] = { "type", type_fields },
	[MSG_TENSOR_TYPE] = { "tensor_type", tensor_type_fields },
	[MSG_SEQUENCE_TYPE] = { "sequence_type", sequence_type_fields },
	[MSG_MAP_TYPE] = { "map_type", map_type_fields },
	[MSG_OPTIONAL_TYPE] = { "optional_type", sequence_type_fields },
	[MSG_OPAQUE_TYPE] = { "opaque_type", opaque_type_fields },
	[MSG_SHAPE] = { "shape", shape_fields },
	[MSG_DIM] = { "dim", dim_fields },
	[MSG_OPSET] = { "opset_import", opset_fields },
	[MSG_STRING_PAIR] = { "entry", pair_fields },
	[MSG_FUNCTION] = { "function", function_fields },
	[MSG_TRAINING] = { "training_info", training_fields },
	[MSG_ANNOTATION] = { "annotation", annotation_fields },
	[MSG_DEVICE] = { "configuration", device_fields },
	[MSG_NODE_DEVICE] = { "device_configuration", node_device_fields },
	[MSG_SHARDING] = { "sharding_spec", sharding_fields },
	[MSG_INT_LIST] = { "device_group", int_list_fields },
	[MSG_SHARDED_DIM] = { "sharded_dim", sharded_dim_fields },
	[MSG_SIMPLE_SHARD] = { "simple_sharding", simple_shard_fields },
	[MSG_SEQUENCE] = { "sequence", sequence_fields },
	[MSG_OPTIONAL] = { "optional", sequence_fields },
	[MSG_MAP] = { "map", map_fields },
};

const MessageDef *message_def(MessageKind k)
{
	return &messages[k];
}

const FieldDef *field_def(MessageKind k, uint32_t number)
{
	for (const FieldDef *f = messages[k].fields; f && f->name; f++)
		if (f->number == number)
			return f;
	return NULL;
}

/* ---- validation ---- */

/* No real model comes near; it bounds the time that a file of empty fields can take. */
#define MAX_FIELDS ((uint64_t)1 << 28)

typedef struct Check {
	Diags *diags;
	const char *path;
	const uint8_t *base;
	uint64_t fields;
	int max_depth;
} Check;

static Loc check_loc(const Check *k, const uint8_t *at)
{
	return (Loc){ .file = arena_strdup(k->diags->arena, k->path), .offset = (int64_t)(at - k->base) };
}

static bool report_fault(Check *k, MessageKind kind, WireFault fault, const uint8_t *start, const Cursor *c,
	const Field *f)
{
	Loc loc = check_loc(k, start);
	const char *in = messages[kind].name;
	switch (fault) {
	case WIRE_LONG_VARINT:
		return diag_error(k->diags, HONE_BAD_INPUT, &loc,
			"%s: varint longer than 10 bytes or 64 bits, or a field number out of range", in);
	case WIRE_FIELD_ZERO:
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s: field number 0, expected 1 or more", in);
	case WIRE_BAD_TYPE:
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s: bad tag: wire type %d does not exist", in, (int)f->wire);
	case WIRE_STRAY_END:
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s: end of a group that was not opened", in);
	case WIRE_DEEP:
		return diag_error(k->diags, HONE_LIMIT, &loc, "%s: nesting deeper than %d", in, k->max_depth);
	case WIRE_LONG_FIELD: {
		const FieldDef *d = field_def(kind, f->number);
		return diag_error(k->diags, HONE_BAD_INPUT, &loc,
			"%s: field %s (%" PRIu32 ") needs %" PRIu64 " bytes, %td remain: the file is cut or damaged", in,
			d ? d->name : "unknown", f->number, f->value, c->end - c->at);
	}
	default:
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s: ends inside a field: the file is cut or damaged", in);
	}
}

static bool packed_varints_ok(Bytes b)
{
	Cursor c = cursor_of(b);
	uint64_t v;
	while (c.at != c.end)
		if (!varint_next(&c, &v))
			return false;
	return true;
}

/* The field is one that the schema has: its wire type, and the parts of a packed list. */
static bool check_known(Check *k, MessageKind kind, const FieldDef *d, const Field *f)
{
	static const WireType expected[] = {
		[FIELD_INT] = WIRE_VARINT, [FIELD_INTS] = WIRE_VARINT, [FIELD_FLOAT] = WIRE_FIXED32,
		[FIELD_FLOATS] = WIRE_FIXED32, [FIELD_DOUBLES] = WIRE_FIXED64, [FIELD_BYTES] = WIRE_BYTES,
		[FIELD_MESSAGE] = WIRE_BYTES
	};
	bool list = d->kind == FIELD_INTS || d->kind == FIELD_FLOATS || d->kind == FIELD_DOUBLES;
	bool packed = list && f->wire == WIRE_BYTES;
	size_t unit = d->kind == FIELD_FLOATS ? 4 : d->kind == FIELD_DOUBLES ? 8 : 1;
	const char *in = messages[kind].name;
	if (f->wire != expected[d->kind] && !packed) {
		Loc loc = check_loc(k, f->whole.data);
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s.%s: wire type %d, expected %d", in, d->name, (int)f->wire,
			(int)expected[d->kind]);
	}
	if (packed && f->bytes.len % unit) {
		Loc loc = check_loc(k, f->whole.data);
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s.%s: %zu bytes, expected a multiple of %zu", in, d->name,
			f->bytes.len, unit);
	}
	if (packed && d->kind == FIELD_INTS && !packed_varints_ok(f->bytes)) {
		Loc loc = check_loc(k, f->whole.data);
		return diag_error(k->diags, HONE_BAD_INPUT, &loc, "%s.%s: broken varint in a packed list", in, d->name);
	}
	return true;
}

static bool check_message(Check *k, MessageKind kind, Bytes msg, int depth)
{
	Cursor c = cursor_of(msg);
	if (depth > k->max_depth) {
		Loc loc = check_loc(k, msg.data);
		return diag_error(k->diags, HONE_LIMIT, &loc, "%s: nesting deeper than %d", messages[kind].name, k->max_depth);
	}
	for (;;) {
		const uint8_t *start = c.at;
		Field f = { 0 };
		WireFault fault = field_read(&c, &f, k->max_depth - depth);
		if (fault == WIRE_END)
			return true;
		if (fault)
			return report_fault(k, kind, fault, start, &c, &f);
		if (++k->fields > MAX_FIELDS) {
			Loc loc = check_loc(k, start);
			return diag_error(k->diags, HONE_LIMIT, &loc, "more than %" PRIu64 " fields", MAX_FIELDS);
		}
		const FieldDef *d = field_def(kind, f.number);
		if (!d)
			continue;
		if (!check_known(k, kind, d, &f))
			return false;
		if (d->kind == FIELD_MESSAGE && !check_message(k, d->message, f.bytes, depth + 1))
			return false;
	}
}

bool wire_check(Diags *d, const MappedFile *file, MessageKind k, Bytes msg, int max_depth)
{
	Check check = { .diags = d, .path = file->path, .base = file->data, .max_depth = max_depth };
	return check_message(&check, k, msg, 0);
}
