/* The tables of jax.export's `Exported`, field by field in the order of its schema (versions 1 to 12). */
#include "format/bundle/bundle.h"

#define NUMBER(name, bytes) {FLAT_NUMBER, bytes, NULL, name}
#define NUMBERS(name, bytes) {FLAT_NUMBERS, bytes, NULL, name}
#define STRING(name) {FLAT_STRING, 0, NULL, name}
#define STRINGS(name) {FLAT_STRINGS, 0, NULL, name}
#define TABLE(name, of) {FLAT_TABLE, 0, of, name}
#define TABLES(name, of) {FLAT_TABLES, 0, of, name}
#define END {FLAT_END, 0, NULL, NULL}

static const FlatField TREE[] = {
	NUMBER("kind", 1), TABLES("children", TREE), STRINGS("children_names"), STRING("custom_name"),
	NUMBERS("custom_auxdata", 1), END,
};
static const FlatField DEVICE[] = {STRING("device_kind"), NUMBER("num_cores", 4), STRING("platform"), END};
static const FlatField MESH[] = {
	NUMBERS("axis_sizes", 4), STRINGS("axis_names"), NUMBERS("axis_types", 1), TABLE("abstract_device", DEVICE), END,
};
static const FlatField AXIS[] = {STRINGS("axes"), END};
static const FlatField SPEC[] = {TABLES("partitions", AXIS), STRINGS("reduced"), STRINGS("unreduced"), END};
static const FlatField NAMED_SHARDING[] = {
	TABLE("mesh", MESH), TABLE("spec", SPEC), STRING("memory_kind"), NUMBER("abstract_mesh_idx", 4), END,
};
static const FlatField AVAL[] = {
	NUMBER("kind", 1), STRINGS("shape"), NUMBER("dtype", 1), NUMBER("memory_space", 1), END,
};
static const FlatField SHARDING[] = {
	NUMBER("kind", 1), NUMBERS("hlo_sharding_proto", 1), TABLE("named_sharding", NAMED_SHARDING), END,
};
static const FlatField EFFECT[] = {STRING("type_name"), END};
static const FlatField CHECK_OFF[] = {NUMBER("kind", 1), STRING("custom_call_target"), END};

const FlatField EXPORTED_SCHEMA[] = {
	NUMBER("serialization_version", 2), STRING("function_name"), TABLE("in_tree", TREE), TABLES("in_avals", AVAL),
	TABLE("out_tree", TREE), TABLES("out_avals", AVAL), NUMBER("nr_devices_short", 2), TABLES("in_shardings", SHARDING),
	TABLES("out_shardings", SHARDING), STRINGS("platforms"), TABLES("ordered_effects", EFFECT),
	TABLES("unordered_effects", EFFECT), TABLES("disabled_checks", CHECK_OFF), NUMBERS("mlir_module_serialized", 1),
	NUMBER("calling_convention_version", 2), NUMBERS("module_kept_var_idx", 2), NUMBER("uses_global_constants", 1),
	TABLE("vjp", EXPORTED_SCHEMA), NUMBER("nr_devices", 4), TABLES("unique_avals", AVAL),
	TABLES("unique_abstract_meshes", MESH), TABLES("unique_named_shardings", NAMED_SHARDING), NUMBERS("in_avals_idxs", 4),
	NUMBERS("out_avals_idxs", 4), NUMBERS("in_shardings_idxs", 4), NUMBERS("out_shardings_idxs", 4), STRING("jax_version"),
	END,
};
