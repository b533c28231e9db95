#include "mlirbc.h"
#include "write.h"

#include <string.h>

/* Ops of stablehlo and chlo as MLIR writes them by itself, without VHLO: their properties, attributes and types have the form
 * of the dialect, which is of one version and no other. Attributes become what the text's readers make of them. */

/* ---- properties ---- */

typedef struct PlainRow {
	const char *attrs;            /* in the order of the alphabet; "x!" must be there, "#x" counts operands or results */
	const char *ops;              /* one that ends with * stands for all that begin so */
} PlainRow;

#define CONV "batch_group_count! dimension_numbers! feature_group_count! lhs_dilation "
#define CONV_END "precision_config rhs_dilation window_reversal window_strides"
#define CALL "api_version backend_config call_target_name! called_computations has_side_effect operand_layouts " \
	"output_operand_aliases result_layouts"
/* An op whose attributes changed has a row for each form; they are told apart by the number of properties. */
static const PlainRow stablehlo_rows[] = {
	{ "result_accuracy", "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh" },
	{ "all_gather_dim! channel_handle replica_groups! use_global_device_ids", "all_gather" },
	{ "channel_handle replica_groups! use_global_device_ids", "all_reduce" },
	{ "channel_handle concat_dimension! replica_groups! split_count! split_dimension!", "all_to_all" },
	{ "epsilon! feature_index!", "batch_norm_grad batch_norm_inference batch_norm_training" },
	{ "broadcast_sizes!", "broadcast" },
	{ "broadcast_dimensions!", "broadcast_in_dim" },
	{ "lower", "cholesky" },
	{ "channel_handle replica_groups!", "collective_broadcast" },
	{ "channel_handle has_dynamic_root replica_groups!", "collective_broadcast" },
	{ "channel_handle source_target_pairs!", "collective_permute" },
	{ "channel_handle has_dynamic_root replica_groups! use_global_device_ids", "collective_reduce" },
	{ "compare_type comparison_direction!", "compare" },
	{ "composite_attributes decomposition! name! version", "composite" },
	{ "dimension!", "concatenate get_dimension_size set_dimension_size" },
	{ "value!", "constant" },
	{ CONV "padding " CONV_END, "convolution dynamic_conv" },
	{ CONV CONV_END, "dynamic_conv" },
	{ "replica_groups!", "cross-replica-sum" },
	{ CALL, "custom_call" },
	{ CALL " result_tilings", "custom_call" },
	{ "precision_config", "dot" },
	{ "dot_dimension_numbers! precision_config", "dot_general" },
	{ "algorithm dot_dimension_numbers! precision_config", "dot_general" },
	{ "broadcast_dimensions! known_expanding_dimensions known_nonexpanding_dimensions", "dynamic_broadcast_in_dim" },
	{ "dimension_numbers! indices_are_sorted", "dynamic_gather" },
	{ "iota_dimension!", "iota dynamic_iota" },
	{ "slice_sizes!", "dynamic_slice" },
	{ "einsum_config!", "einsum unary_einsum" },
	{ "fft_length! fft_type!", "fft" },
	{ "dimension_numbers! indices_are_sorted slice_sizes!", "gather" },
	{ "index!", "get_tuple_element" },
	{ "infeed_config layout", "infeed" },
	{ "dimensions!", "map reduce reverse" },
	{ "outfeed_config", "outfeed" },
	{ "edge_padding_high! edge_padding_low! interior_padding!", "pad" },
	{ "channel_handle! is_host_transfer", "recv send" },
	{ "channel_handle! is_host_transfer source_target_pairs", "recv send" },
	{ "exponent_bits! mantissa_bits!", "reduce_precision" },
	{ "channel_handle replica_groups! scatter_dimension! use_global_device_ids", "reduce_scatter" },
	{ "base_dilations padding window_dilations window_dimensions! window_strides", "reduce_window" },
	{ "rng_distribution!", "rng" },
	{ "rng_algorithm!", "rng_bit_generator" },
	{ "indices_are_sorted scatter_dimension_numbers! unique_indices", "scatter" },
	{ "padding window_dimensions window_strides", "select_and_scatter" },
	{ "limit_indices! start_indices! strides!", "slice" },
	{ "dimension is_stable", "sort" },
	{ "batch_dims! dim!", "torch_index_select" },
	{ "permutation!", "transpose" },
	{ "left_side! lower! transpose_a! unit_diagonal!", "triangular_solve" },
};
static const PlainRow chlo_rows[] = {
	{ "broadcast_dimensions compare_type comparison_direction!", "broadcast_compare" },
	{ "broadcast_dimensions", "broadcast_*" },
	{ "value!", "constant constant_like" },
	{ "precision_config ragged_dot_dimension_numbers!", "ragged_dot" },
	{ "k!", "top_k" },
	{ "is_stable k!", "top_k" },
	{ "dimension! is_associative is_reverse scan_dim_size #operandSegmentSizes #resultSegmentSizes", "scan" },
};
#undef CONV
#undef CONV_END
#undef CALL

static bool names_op(const char *list, const Str *op)
{
	for (size_t n; *list; list += n + strspn(list + n, " ")) {
		n = strcspn(list, " ");
		bool prefix = list[n - 1] == '*';
		if ((prefix ? op->len >= n - 1 : op->len == n) && !memcmp(list, op->s, n - prefix))
			return true;
	}
	return false;
}

static size_t count_words(const char *s)
{
	size_t n = *s != 0;
	for (; *s; s++)
		n += *s == ' ';
	return n;
}

const char *plain_properties(BcDialect dialect, const Str *op, size_t n)
{
	bool chlo = dialect == D_CHLO;
	const PlainRow *rows = chlo ? chlo_rows : stablehlo_rows;
	for (size_t i = 0; i < (chlo ? ARRAY_LEN(chlo_rows) : ARRAY_LEN(stablehlo_rows)); i++)
		if (names_op(rows[i].ops, op) && (count_words(rows[i].attrs) == n || strchr(rows[i].attrs, '#')))
			return rows[i].attrs;
	return NULL;
}

/* A count of elements and a flag. Without it: so many numbers; with it: the bits of a place, and so many numbers with a place
 * each at their low end. */
bool plain_segments(Cursor *c, const Attr **out)
{
	int64_t v[2] = { 0 };
	uint64_t n, bits = 0, x;
	bool sparse;
	const uint8_t *at = c->p;
	if (!cur_flagged(c, &n, &sparse) || (sparse && n && !cur_varint(c, &bits)))
		return false;
	if (n > 2 || (!sparse && n != 2) || bits > 8)
		return bc_error(c->r, at, "counts of operands or results for another number of groups than two");
	for (uint64_t i = 0; i < n; i++) {
		if (!cur_varint(c, &x))
			return false;
		uint64_t place = sparse ? x & ((UINT64_C(1) << bits) - 1) : i, value = x >> bits;
		if (place > 1 || value > INT32_MAX)
			return bc_error(c->r, at, "counts of operands or results are out of range");
		v[place] = (int64_t)value;
	}
	*out = attr_make(c->r->c, (Attr){ .kind = ATTR_INTS, .width = DT_I32, .u.ints = { v, 2 } });
	return true;
}

/* ---- attributes of their own form ---- */

typedef struct PlainStruct {
	const char *prefix;           /* of its text */
	uint8_t code;                 /* 0: it is only written as text */
	const char *fields;           /* as of vhlo_struct_fields; NULL: those of that op */
	const char *like;
} PlainStruct;

static const PlainStruct structs[] = {
	{ "#stablehlo.channel_handle<", 1, "handle type", NULL }, { "#stablehlo.conv<raw ", 4, NULL, "convolution" },
	{ "#stablehlo.dot<", 5, NULL, "dot_general" }, { "#stablehlo.gather<", 7, NULL, "gather" },
	{ "#stablehlo.scatter<", 11, NULL, "scatter" },
	{ "#chlo.ragged_dot<", 0, "lhs_batching_dimensions* rhs_batching_dimensions* lhs_contracting_dimensions* "
		"rhs_contracting_dimensions* lhs_ragged_dimensions* rhs_group_dimensions*", NULL },
};

static const char *struct_fields(const PlainStruct *s)
{
	return s->fields ? s->fields : vhlo_struct_fields(s->like);
}

/* As text, as readers of text keep an attribute that no op has. */
static bool decode_struct(Decoder *d, const PlainStruct *s)
{
	BcReader *r = d->c.r;
	bool first = true, ok = true;
	Buf b = { 0 };
	buf_puts(&b, s->prefix);
	for (const char *f = struct_fields(s); ok && *f;) {
		size_t len = strcspn(f, " "), n = 0;
		int64_t *v = NULL, one = 0;
		bool list = f[len - 1] == '*';
		ok = list ? cur_ints(&d->c, &v, &n) : cur_signed(&d->c, &one);
		if (ok && (n || one || s->code == 1)) {
			buf_printf(&b, "%s%.*s = ", first ? "" : ", ", (int)(len - list), f);
			if (list)
				put_int_list(&b, v, n);
			else
				buf_printf(&b, "%lld", (long long)one);
			first = false;
		}
		f += len + strspn(f + len, " ");
	}
	buf_puts(&b, ">");
	if (ok)
		d->self->attr = make_text(r, str_n(r->c, b.data, b.len));
	buf_free(&b);
	return ok;
}

static bool decode_algorithm(Decoder *d)
{
	BcReader *r = d->c.r;
	const Type *t[3];
	int64_t n[3];
	uint8_t loose;
	for (int i = 0; i < 3; i++)
		if (!ref_type(d, &t[i]))
			return false;
	for (int i = 0; i < 3; i++)
		if (!cur_signed(&d->c, &n[i]))
			return false;
	if (!cur_byte(&d->c, &loose))
		return false;
	if (d->missing)
		return true;
	for (int i = 0; i < 3; i++)
		if (t[i]->kind != TYPE_OPAQUE)
			return bc_error(r, d->self->data, "a precision type of an algorithm is no number type");
	d->self->attr = make_text(r, str_fmt(r->c, "#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %s, "
		"accumulation_type = %s, lhs_component_count = %lld, rhs_component_count = %lld, num_primitive_operations = %lld, "
		"allow_imprecise_accumulation = %s>", t[0]->text->s, t[1]->text->s, t[2]->text->s, (long long)n[0], (long long)n[1],
		(long long)n[2], loose ? "true" : "false"));
	return true;
}

/* Attributes that VHLO has in the same form. */
static uint64_t vhlo_code(BcDialect dialect, uint64_t code)
{
	static const uint8_t codes[] = { [2] = VA_DIRECTION, [3] = VA_COMPARE_TYPE, [6] = VA_FFT, [8] = VA_PRECISION,
		[9] = VA_RNG_ALGORITHM, [10] = VA_RNG_DISTRIBUTION, [12] = VA_TRANSPOSE, [13] = VA_EXTENSIONS, [14] = VA_ALIAS,
		[16] = VA_ACCURACY_MODE, [17] = VA_ACCURACY, [19] = VA_SUB_AXIS };
	if (dialect == D_CHLO)
		return code == 0 ? VA_DIRECTION : code == 1 ? VA_COMPARE_TYPE : 0;
	return code < ARRAY_LEN(codes) ? codes[code] : 0;
}

static bool decode_attr(Decoder *d, BcDialect dialect, uint64_t code)
{
	uint64_t same = vhlo_code(dialect, code);
	if (same)
		return vhlo_decode_attr(d, same);
	for (size_t i = 0; dialect == D_SHLO && i < ARRAY_LEN(structs); i++)
		if (structs[i].code == code && code)
			return decode_struct(d, &structs[i]);
	if (dialect == D_SHLO && code == 15)
		return decode_algorithm(d);
	d->c.p = d->c.end; /* of a later version: its bytes */
	d->self->attr = opaque_entry(d->c.r, d->self);
	return true;
}

bool plain_decode(Decoder *d)
{
	BcReader *r = d->c.r;
	BcDialect dialect = r->dialects[d->self->dialect].kind;
	uint64_t code;
	if (!cur_varint(&d->c, &code))
		return false;
	if (!d->self->is_type)
		return decode_attr(d, dialect, code);
	if (dialect == D_SHLO && code == 0) {
		d->self->type = type_make(r->c, (Type){ .kind = TYPE_TOKEN, .rank = RANK_UNKNOWN });
		return true;
	}
	if (dialect == D_SHLO && code == 1)
		return vhlo_decode_future(d);
	return bc_fail(r, HONE_UNSUPPORTED, d->self->data, "type %llu of dialect %s is of a later version than is known",
		(unsigned long long)code, r->dialects[d->self->dialect].name->s);
}

/* ---- attributes of ops ---- */

/* One `name = value` of a struct into the place of its name; false: it is none. */
static bool struct_field(BcReader *r, Scan *s, const char *fields, const Attr **values)
{
	const char *word;
	size_t len, n, at = 0;
	int64_t *v, one;
	if (!scan_word(s, &word, &len) || !scan_is(s, "="))
		return false;
	for (const char *f = fields; *f; at++) {
		size_t flen = strcspn(f, " ");
		bool list = f[flen - 1] == '*';
		if (flen - list == len && !memcmp(f, word, len)) {
			if (list ? !scan_ints(s, r->scratch, &v, &n) : !scan_int(s, &one))
				return false;
			values[at] = list ? attr_ints(r->c, v, n) : attr_int(r->c, one);
			scan_is(s, ",");
			return true;
		}
		f += flen + strspn(f + flen, " ");
	}
	return false;
}

/* #stablehlo.dot<lhs_batching_dimensions = [0], ...> as a dictionary of all its fields; as it is when it is something else. */
static const Attr *struct_of_text(BcReader *r, const Attr *a)
{
	const Str *names[9];
	const Attr *values[9];
	size_t n = 0, i = 0;
	Scan s = scan_of(a->u.str);
	while (i < ARRAY_LEN(structs) && !scan_is(&s, structs[i].prefix))
		i++;
	if (i == ARRAY_LEN(structs))
		return a;
	const char *fields = struct_fields(&structs[i]);
	for (const char *f = fields; *f; n++) {
		size_t len = strcspn(f, " ");
		bool list = f[len - 1] == '*';
		names[n] = str_n(r->c, f, len - list);
		values[n] = list ? attr_ints(r->c, NULL, 0) : attr_int(r->c, 0);
		f += len + strspn(f + len, " ");
	}
	while (!scan_is(&s, ">"))
		if (!struct_field(r, &s, fields, values))
			return a;
	return make_dict(r, names, values, n);
}

static bool as_wanted(BcReader *r, const uint8_t *at, const AttrDef *want, NamedAttr *e)
{
	const Attr *a = e->value;
	switch (want->kind) {
	case ATTR_INTS:
		if (a->kind == ATTR_INTS && a->width != DT_NONE)
			e->value = attr_ints(r->c, a->u.ints.v, a->u.ints.n);
		else if (attr_holds_integers(a))
			return (e->value = ints_of_tensor(r, at, a)) != NULL;
		return true;
	case ATTR_STR:
		e->value = a->kind == ATTR_SYMREF ? attr_str(r->c, a->u.str) : enum_words(r, a);
		return true;
	case ATTR_STRS:
		e->value = a->kind == ATTR_LIST && a->u.list.n == 0 ? attr_strs(r->c, NULL, 0) : enum_words(r, a);
		return true;
	case ATTR_BOOL:
		e->value = a->kind == ATTR_UNIT ? attr_bool(r->c, true) : a;
		return true;
	case ATTR_DICT:
		e->value = a->kind == ATTR_TEXT ? struct_of_text(r, a) : a;
		return true;
	default:
		return true;
	}
}

bool plain_translate(BcReader *r, const uint8_t *at, const OpDef *def, AttrList *attrs)
{
	for (size_t i = 0; i < attrs->len; i++) {
		NamedAttr *e = &attrs->data[i];
		const AttrDef *want = e->name->known ? op_attr_def(def, (AttrName)e->name->known) : NULL;
		if (want && !as_wanted(r, at, want, e))
			return false;
	}
	return true;
}
