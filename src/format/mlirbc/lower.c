#include "write.h"

#include <string.h>

/* StableHLO's ops to VHLO's: structs are taken apart, and every attribute is written, with its default where the op has
 * none. An attribute that the op lacks in the target version must say what the default says. */

static const Attr *find(const Op *op, const char *name, size_t len)
{
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->len == len && !memcmp(op->attrs[i].name->s, name, len))
			return op->attrs[i].value;
	return NULL;
}

static const Attr *find_field(const Attr *dict, const char *name, size_t len)
{
	for (size_t i = 0; dict && dict->kind == ATTR_DICT && i < dict->u.list.n; i++)
		if (dict->u.list.names[i]->len == len && !memcmp(dict->u.list.names[i]->s, name, len))
			return dict->u.list.v[i];
	return NULL;
}

static const Attr *field(const Op *op, const char *attr, const char *name)
{
	return find_field(find(op, attr, strlen(attr)), name, strlen(name));
}

/* ---- enums ---- */

static const char *enum_of(const char *name)
{
	static const struct { const char *attr, *name; } enums[] = {
		{ "comparison_direction", "comparison_direction" }, { "compare_type", "comparison_type" }, { "fft_type", "fft_type" },
		{ "precision_config", "precision" }, { "rng_distribution", "rng_distribution" },
		{ "rng_algorithm", "rng_algorithm" }, { "transpose_a", "transpose" },
	};
	for (size_t i = 0; i < ARRAY_LEN(enums); i++)
		if (!strcmp(enums[i].attr, name))
			return enums[i].name;
	return NULL;
}

static bool words_number(BcWriter *w, const char *name, const Attr *a, uint64_t *out)
{
	uint64_t *v = NEW_ARRAY(w->scratch, uint64_t, a->u.strs.n);
	for (size_t i = 0; i < a->u.strs.n; i++)
		if (!vhlo_enum_number(w, name, a->u.strs.v[i]->s, a->u.strs.v[i]->len, &v[i]))
			return false;
	return vhlo_list_number(w, v, a->u.strs.n, out);
}

static bool api_version_number(BcWriter *w, int64_t v, uint64_t *out)
{
	Buf b = { 0 };
	if (v < 0 || v > 4)
		return write_error(w, "API version %lld is none that StableHLO has", (long long)v);
	put_varint(&b, VA_API_VERSION);
	put_varint(&b, (uint64_t)v);
	*out = entry_number(w, &w->attrs, "vhlo", true, &b);
	return true;
}

/* An attribute that the op has. */
static bool given_number(BcWriter *w, const char *name, const Attr *a, uint64_t *out)
{
	const char *words = enum_of(name);
	if (words && a->kind == ATTR_STR)
		return vhlo_enum_number(w, words, a->u.str->s, a->u.str->len, out);
	if (words && a->kind == ATTR_STRS)
		return words_number(w, words, a, out);
	if (!strcmp(name, "api_version") && a->kind == ATTR_INT)
		return api_version_number(w, a->u.i, out);
	if (a->kind == ATTR_INTS)
		return ints_number(w, a->u.ints.v, a->u.ints.n, !strcmp(name, "padding"), !strcmp(name, "window_reversal"), out);
	if (a->kind == ATTR_UNIT) {
		*out = vhlo_bool_number(w, true);
		return true;
	}
	return attr_number(w, a, out);
}

/* ---- defaults ---- */

typedef enum Default {
	MISSING, D_FALSE, D_ZERO, D_LAST, D_ORIGINAL, D_TEXT, D_LIST, D_DICT, D_NO_INTS, D_ONES, D_PAIRS, D_FALSES,
	D_NOTYPE, D_PRECISION, D_ACCURACY, D_NONE
} Default;

static Default default_of(const char *op, const char *name)
{
	static const struct { const char *op, *name; Default value; } defaults[] = {
		{ "sort", "dimension", D_LAST }, { "cholesky", "lower", D_FALSE }, { "collective_permute", "source_target_pairs", MISSING },
		{ NULL, "api_version", D_ORIGINAL }, { NULL, "backend_config", D_TEXT }, { NULL, "base_dilations", D_ONES },
		{ NULL, "called_computations", D_LIST }, { NULL, "channel_id", D_ZERO }, { NULL, "compare_type", D_NOTYPE },
		{ NULL, "composite_attributes", D_DICT }, { NULL, "has_dynamic_root", D_FALSE }, { NULL, "has_side_effect", D_FALSE },
		{ NULL, "indices_are_sorted", D_FALSE }, { NULL, "infeed_config", D_TEXT }, { NULL, "is_host_transfer", D_FALSE },
		{ NULL, "is_stable", D_FALSE }, { NULL, "known_expanding_dimensions", D_NO_INTS },
		{ NULL, "known_nonexpanding_dimensions", D_NO_INTS }, { NULL, "layout", D_LIST }, { NULL, "lhs_dilation", D_ONES },
		{ NULL, "operand_layouts", D_LIST }, { NULL, "outfeed_config", D_TEXT }, { NULL, "output_operand_aliases", D_LIST },
		{ NULL, "padding", D_PAIRS }, { NULL, "precision_config", D_PRECISION }, { NULL, "result_accuracy", D_ACCURACY },
		{ NULL, "result_layouts", D_LIST }, { NULL, "result_tilings", D_LIST }, { NULL, "rhs_dilation", D_ONES },
		{ NULL, "source_target_pairs", D_NO_INTS }, { NULL, "unique_indices", D_FALSE },
		{ NULL, "use_global_device_ids", D_FALSE }, { NULL, "version", D_ZERO }, { NULL, "window_dilations", D_ONES },
		{ NULL, "window_reversal", D_FALSES }, { NULL, "window_strides", D_ONES },
		{ NULL, "lhs_precision_type", D_NONE }, { NULL, "rhs_precision_type", D_NONE }, { NULL, "accumulation_type", D_NONE },
		{ NULL, "lhs_component_count", D_NONE }, { NULL, "rhs_component_count", D_NONE },
		{ NULL, "num_primitive_operations", D_NONE }, { NULL, "allow_imprecise_accumulation", D_NONE },
	};
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
		if ((!defaults[i].op || !strcmp(defaults[i].op, op)) && !strcmp(defaults[i].name, name))
			return defaults[i].value;
	return MISSING;
}

/* Number of dimensions that a window moves over. */
static size_t window_rank(const Op *op)
{
	const Attr *conv = field(op, "dimension_numbers", "input_spatial_dimensions");
	const Attr *window = find(op, "window_dimensions", strlen("window_dimensions"));
	const Attr *a = conv ? conv : window;
	return a && a->kind == ATTR_INTS ? a->u.ints.n : 0;
}

static bool repeated_number(BcWriter *w, const Op *op, int64_t v, bool pairs, bool bools, uint64_t *out)
{
	size_t n = window_rank(op) * (pairs ? 2 : 1);
	int64_t *list = NEW_ARRAY(w->scratch, int64_t, n);
	for (size_t i = 0; i < n; i++)
		list[i] = v;
	return ints_number(w, list, n, pairs, bools, out);
}

static bool accuracy_number(BcWriter *w, uint64_t *out)
{
	static const char text[] = "#stablehlo.result_accuracy<>";
	Attr a = { .kind = ATTR_TEXT, .u.str = str_n(w->c, text, sizeof text - 1) };
	return attr_number(w, attr_make(w->c, a), out);
}

static bool precision_number(BcWriter *w, uint64_t *out)
{
	uint64_t v[2];
	if (!vhlo_enum_number(w, "precision", "DEFAULT", 7, &v[0]))
		return false;
	v[1] = v[0];
	return vhlo_list_number(w, v, 2, out);
}

/* A custom call of the typed interface has an empty dictionary, others an empty string. */
static bool empty_text_number(BcWriter *w, const Op *op, const char *name, uint64_t *out)
{
	const Attr *api = find(op, "api_version", strlen("api_version"));
	if (strcmp(name, "backend_config") != 0 || !api || api->kind != ATTR_INT || api->u.i != 4) {
		*out = vhlo_string_number(w, w->c->empty);
		return true;
	}
	return attr_number(w, attr_make(w->c, (Attr){ .kind = ATTR_DICT }), out);
}

static bool default_number(BcWriter *w, const Op *op, const char *base, const char *name, uint64_t *out)
{
	switch (default_of(base, name)) {
	case D_FALSE: *out = vhlo_bool_number(w, false); return true;
	case D_ZERO: return vhlo_int_number(w, DT_I64, 0, out);
	case D_LAST: return vhlo_int_number(w, DT_I64, -1, out);
	case D_ORIGINAL: return api_version_number(w, 1, out);
	case D_TEXT: return empty_text_number(w, op, name, out);
	case D_LIST: return vhlo_list_number(w, NULL, 0, out);
	case D_DICT: return attr_number(w, attr_make(w->c, (Attr){ .kind = ATTR_DICT }), out);
	case D_NO_INTS: return ints_number(w, NULL, 0, false, false, out);
	case D_ONES: return repeated_number(w, op, 1, false, false, out);
	case D_PAIRS: return repeated_number(w, op, 0, true, false, out);
	case D_FALSES: return repeated_number(w, op, 0, false, true, out);
	case D_NOTYPE: return vhlo_enum_number(w, "comparison_type", "NOTYPE", 6, out);
	case D_PRECISION: return precision_number(w, out);
	case D_ACCURACY: return accuracy_number(w, out);
	case D_NONE: *out = vhlo_none_number(w); return true;
	case MISSING: break;
	}
	return write_error(w, "attribute %s is missing", name);
}

/* ---- the algorithm of a dot ---- */

static bool is_algorithm(const char *name, size_t len)
{
	static const char *const names[] = { "lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
		"rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	return false;
}

static bool algorithm_value(BcWriter *w, Scan s, uint64_t *out)
{
	int64_t v;
	uint64_t t;
	Buf b = { 0 };
	if (scan_is(&s, "true") || scan_is(&s, "false")) {
		*out = vhlo_bool_number(w, s.s[-2] == 'u');
		return true;
	}
	Scan number = s;
	if (scan_int(&number, &v) && scan_end(&number))
		return vhlo_int_number(w, DT_I64, v, out);
	if (!type_text_number(w, &s, &t))
		return false;
	put_varint(&b, VA_TYPE);
	put_varint(&b, t);
	*out = entry_number(w, &w->attrs, "vhlo", true, &b);
	return true;
}

/* The field `name` of #stablehlo.dot_algorithm<name = value, ...>. */
static bool algorithm_number(BcWriter *w, const Attr *a, const char *name, size_t len, uint64_t *out)
{
	Scan s = scan_of(a->u.str), value;
	const char *word;
	size_t n;
	bool ok = a->kind == ATTR_TEXT && scan_is(&s, "#stablehlo.dot_algorithm<");
	while (ok && !scan_is(&s, ">")) {
		ok = scan_word(&s, &word, &n) && scan_is(&s, "=") && scan_until(&s, ",", &value);
		if (ok && n == len && !memcmp(word, name, n))
			return algorithm_value(w, value, out);
		scan_is(&s, ",");
	}
	return write_error(w, "the algorithm has no %.*s", (int)len, name);
}

/* ---- one attribute ---- */

/* What the IR has for an attribute of VHLO; NULL: nothing. */
static const Attr *source(const Op *op, const char *base, const char *name, size_t len)
{
	bool list;
	const char *in = vhlo_struct(base, name, len, &list);
	if (in)
		return find_field(find(op, in, strlen(in)), name, len);
	if (len == strlen("channel_id") && !memcmp(name, "channel_id", len))
		return field(op, "channel_handle", "handle");
	if (len == strlen("channel_type") && !memcmp(name, "channel_type", len))
		return field(op, "channel_handle", "type");
	return find(op, name, len);
}

static bool own_number(BcWriter *w, const Op *op, const char *base, const char *name, uint64_t *out)
{
	size_t len = strlen(name);
	const Attr *algorithm = find(op, "algorithm", strlen("algorithm"));
	if (algorithm && is_algorithm(name, len))
		return algorithm_number(w, algorithm, name, len, out);
	const Attr *a = source(op, base, name, len);
	bool list;
	if (!a && vhlo_struct(base, name, len, &list))
		return list ? ints_number(w, NULL, 0, false, false, out) : vhlo_int_number(w, DT_I64, 0, out);
	if (!a && !strcmp(name, "channel_type"))
		return vhlo_int_number(w, DT_I64, 0, out);
	return a ? given_number(w, name, a, out) : default_number(w, op, base, name, out);
}

/* Whether an attribute of the IR is told by those of the op of VHLO. */
static bool is_own(const char *base, const VhloOp *v, const Str *name)
{
	bool list;
	if (!strcmp(name->s, "channel_handle"))
		return strstr(v->attrs, "channel_id") != NULL;
	if (!strcmp(name->s, "algorithm"))
		return !strcmp(base, "dot_general");
	for (const char *s = v->attrs; *s;) {
		size_t len = strcspn(s, " ");
		const char *in = vhlo_struct(base, s, len, &list);
		if ((in && !strcmp(in, name->s)) || (len == name->len && !memcmp(s, name->s, len)))
			return true;
		s += len;
		s += strspn(s, " ");
	}
	return false;
}

/* ---- versions ---- */

static bool has_attr(const char *list, const char *name, size_t len)
{
	for (; *list; list += strspn(list, " ")) {
		size_t n = strcspn(list, " ");
		if (n == len && !memcmp(list, name, n))
			return true;
		list += n;
	}
	return false;
}

/* Attributes that only a later version of the op has must say what an earlier one means without them. */
static bool check_later(BcWriter *w, const Op *op, const char *base, const VhloOp *v, const VhloOp *newest)
{
	for (const char *s = newest->attrs; v != newest && *s; s += strspn(s, " ")) {
		size_t len = strcspn(s, " ");
		const char *name = str_n(w->c, s, len)->s;
		uint64_t have, want;
		bool list, there = has_attr(v->attrs, s, len);
		s += len;
		if (there || is_algorithm(name, len))
			continue;
		if (!own_number(w, op, base, name, &have))
			return false;
		if (!(vhlo_struct(base, name, len, &list) ? ints_number(w, NULL, 0, false, false, &want) :
			default_number(w, op, base, name, &want)))
			return false;
		if (have != want && !write_needs(w, newest->since, "attribute %s", name))
			return false;
	}
	return true;
}

static const Str *elem_text(Context *c, const Type *t)
{
	return t->dtype != DT_NONE ? str(c, dtype_name(t->dtype)) : t->text;
}

/* Reductions to wider types came with 0.17. */
static bool check_widening(BcWriter *w, const Op *op, const char *base)
{
	static const char *const names[] = { "all_reduce", "reduce", "reduce_scatter", "reduce_window", "scatter",
		"select_and_scatter" };
	bool found = false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		found |= !strcmp(names[i], base);
	for (size_t i = 0; found && i < op->nresults && i < op->noperands; i++)
		if (elem_text(w->c, op->results[i]->type) != elem_text(w->c, op->operands[i].value->type))
			return write_needs(w, 17, "a result of another type than the operand");
	return true;
}

static bool check_custom_call(BcWriter *w, const Op *op)
{
	const Attr *config = find(op, "backend_config", strlen("backend_config"));
	const Attr *api = find(op, "api_version", strlen("api_version"));
	if (config && config->kind == ATTR_DICT && !write_needs(w, 1003, "backend_config as a dictionary"))
		return false;
	if (api && api->kind == ATTR_INT && api->u.i == 4 && !write_needs(w, 1003, "the typed interface of custom calls"))
		return false;
	for (size_t i = 0; i < op->noperands; i++) {
		const Type *t = op->operands[i].value->type;
		if (t->kind == TYPE_OPAQUE && !strncmp(t->text->s, "!stablehlo.future<", 18))
			return write_needs(w, 1017, "a future as operand");
	}
	return true;
}

/* What the table of attributes does not say about versions. */
static bool check_version(BcWriter *w, const Op *op, const char *base, const VhloOp *v)
{
	bool variadic = !strcmp(base, "all_gather") || !strcmp(base, "all_reduce") || !strcmp(base, "all_to_all");
	if (variadic && op->noperands != 1 && !write_needs(w, 1005, "more than one operand"))
		return false;
	if (!strcmp(base, "collective_broadcast") && op->noperands != 1 && !write_needs(w, 1020, "more than one operand"))
		return false;
	if (!strcmp(base, "composite") && op->nblocks && !write_needs(w, 1014, "a composite with regions"))
		return false;
	if (!strcmp(base, "dot_general") && find(op, "algorithm", 9) && !write_needs(w, 1006, "the algorithm of a dot"))
		return false;
	if (!strcmp(base, "custom_call") && !check_custom_call(w, op))
		return false;
	return check_widening(w, op, base) && check_later(w, op, base, v, vhlo_op_at(base, strlen(base), STABLEHLO_LAST));
}

/* ---- the op ---- */

/* "add" of stablehlo.add; NULL + diagnostic. */
static const char *base_name(BcWriter *w, const Op *op)
{
	static const char prefix[] = "stablehlo.";
	const char *name = op->def->name->s;
	if (op_is(op, OP_return))
		return "return";
	if (op_is(op, OP_call))
		return "call";
	if (!strcmp(name, "stablehlo.cross_replica_sum"))
		return "cross-replica-sum";
	if (strncmp(name, prefix, sizeof prefix - 1) == 0)
		return name + sizeof prefix - 1;
	write_error(w, "the op is none of StableHLO and has no portable form");
	diag_hint(w->d, "hone opt writes StableHLO for models that have a form in it");
	return NULL;
}

static bool check_values(BcWriter *w, const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++)
		if (!op->operands[i].value)
			return write_error(w, "operand %zu is absent", i);
	return true;
}

bool op_lower(BcWriter *w, const Op *op, LoweredOp *out)
{
	const char *base = base_name(w, op);
	const VhloOp *v = base ? vhlo_op_at(base, strlen(base), w->target) : NULL;
	*out = (LoweredOp){ .vhlo = v };
	if (!base || !check_values(w, op))
		return false;
	if (!v)
		return write_error(w, "the op is none of StableHLO");
	if (v->since > w->target && !write_needs(w, v->since, "the op"))
		return false;
	if (!check_version(w, op, base, v))
		return false;
	for (const char *s = v->attrs; *s; s += strspn(s, " ")) {
		size_t len = strcspn(s, " ");
		LoweredAttr a = { .name = str_n(w->c, s, len) };
		if (!own_number(w, op, base, a.name->s, &a.number))
			return false;
		VEC_PUSH(w->scratch, &out->own, a);
		s += len;
	}
	const VhloOp *oldest = vhlo_op_at(base, strlen(base), 0), *newest = vhlo_op_at(base, strlen(base), STABLEHLO_LAST);
	for (size_t i = 0; i < op->nattrs; i++) {
		const Str *name = op->attrs[i].name;
		if (!is_own(base, v, name) && !is_own(base, oldest, name) && !is_own(base, newest, name))
			VEC_PUSH(w->scratch, &out->other, op->attrs[i]);
	}
	return true;
}
