#include "mlirbc.h"

#include <string.h>

/* VHLO writes every attribute, flat and with its default; StableHLO's ops have structs and leave defaults out. */

const Attr *list_take(AttrList *l, const char *name)
{
	for (size_t i = 0; i < l->len; i++) {
		if (strcmp(l->data[i].name->s, name) != 0)
			continue;
		const Attr *a = l->data[i].value;
		memmove(&l->data[i], &l->data[i + 1], (l->len - i - 1) * sizeof l->data[0]);
		l->len--;
		return a;
	}
	return NULL;
}

void list_put(BcReader *r, AttrList *l, const char *name, const Attr *v)
{
	if (v)
		VEC_PUSH(r->scratch, l, ((NamedAttr){ str(r->c, name), v }));
}

/* ---- lists of integers ---- */

bool attr_holds_integers(const Attr *a)
{
	if (a->kind != ATTR_TENSOR)
		return false;
	DTypeClass k = dtype_class(a->u.tensor.type->dtype);
	return k == DC_INT || k == DC_UINT || k == DC_BOOL;
}

const Attr *ints_of_tensor(BcReader *r, const uint8_t *at, const Attr *a)
{
	const Type *t = a->u.tensor.type;
	const Blob *b = a->u.tensor.blob;
	int64_t n;
	if (!type_static_numel(t, &n) || n > BC_MAX_INTS) {
		bc_fail(r, HONE_LIMIT, at, "an attribute of more than %d integers", BC_MAX_INTS);
		return NULL;
	}
	int64_t *v = NEW_ARRAY(r->scratch, int64_t, n), one = 0;
	if (b->splat) {
		dtype_load_i64(t->dtype, b->data, 1, &one);
		for (int64_t i = 0; i < n; i++)
			v[i] = one;
	} else {
		void *flat = arena_alloc(r->scratch, (size_t)n * dtype_size(t->dtype) + 1);
		dtype_unpack(t->dtype, b->data, n, flat);
		dtype_load_i64(t->dtype, flat, n, v);
	}
	return attr_ints(r->c, v, (size_t)n);
}

/* Tensors that are values stay; groups of devices have two dimensions that matter. */
static bool stays_tensor(const Str *name)
{
	static const char *const names[] = { "value", "replica_groups", "source_target_pairs" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], name->s))
			return true;
	return false;
}

static bool has_word(const char *list, const Str *s)
{
	while (*list) {
		size_t len = strcspn(list, " ");
		if (len == s->len && !memcmp(list, s->s, len))
			return true;
		list += len;
		list += strspn(list, " ");
	}
	return false;
}

static bool lists_of_ints(BcReader *r, const uint8_t *at, const char *own, AttrList *l)
{
	for (size_t i = 0; i < l->len; i++) {
		NamedAttr *e = &l->data[i];
		if (has_word(own, e->name) && attr_holds_integers(e->value) && !stays_tensor(e->name) &&
			!(e->value = ints_of_tensor(r, at, e->value)))
			return false;
	}
	return true;
}

static void drop_defaults(AttrList *l, const char *op)
{
	for (size_t i = 0; i < l->len;)
		if (!shlo_attr_is_default(op, l->data[i].name->s, l->data[i].value) || !list_take(l, l->data[i].name->s))
			i++;
}

/* ---- structs ---- */

typedef struct Struct {
	const char *op, *attr;
	const char *fields; /* "x" a number, "x*" a list; in the order that the dialect writes them in */
} Struct;

#define CONV "input_batch_dimension input_feature_dimension input_spatial_dimensions* " \
	"kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions* " \
	"output_batch_dimension output_feature_dimension output_spatial_dimensions*"
#define GATHER "offset_dims* collapsed_slice_dims* operand_batching_dims* start_indices_batching_dims* " \
	"start_index_map* index_vector_dim"
static const Struct structs[] = {
	{ "convolution", "dimension_numbers", CONV },
	{ "dynamic_conv", "dimension_numbers", CONV },
	{ "gather", "dimension_numbers", GATHER },
	{ "dynamic_gather", "dimension_numbers", GATHER },
	{ "scatter", "scatter_dimension_numbers", "update_window_dims* inserted_window_dims* input_batching_dims* "
		"scatter_indices_batching_dims* scatter_dims_to_operand_dims* index_vector_dim" },
	{ "dot_general", "dot_dimension_numbers", "lhs_batching_dimensions* rhs_batching_dimensions* "
		"lhs_contracting_dimensions* rhs_contracting_dimensions*" },
};
#undef CONV
#undef GATHER

const char *vhlo_struct(const char *op, const char *field, size_t len, bool *list)
{
	for (size_t i = 0; i < ARRAY_LEN(structs); i++) {
		const char *f = !strcmp(structs[i].op, op) ? structs[i].fields : "";
		for (size_t n; *f; f += n + strspn(f + n, " ")) {
			n = strcspn(f, " ");
			*list = f[n - 1] == '*';
			if (n - *list == len && !memcmp(f, field, len))
				return structs[i].attr;
		}
	}
	return NULL;
}

const char *vhlo_struct_fields(const char *op)
{
	for (size_t i = 0; i < ARRAY_LEN(structs); i++)
		if (!strcmp(structs[i].op, op))
			return structs[i].fields;
	return NULL;
}

/* Fields that are not there (of earlier versions) are empty or 0. */
static bool gather_struct(BcReader *r, const uint8_t *at, const Struct *s, AttrList *l)
{
	const Str *names[9];
	const Attr *values[9];
	size_t n = 0;
	for (const char *f = s->fields; *f; n++) {
		size_t len = strcspn(f, " ");
		bool list = f[len - 1] == '*';
		names[n] = str_n(r->c, f, len - list);
		const Attr *a = list_take(l, names[n]->s);
		if (!a)
			a = list ? attr_ints(r->c, NULL, 0) : attr_int(r->c, 0);
		if (a->kind != (list ? ATTR_INTS : ATTR_INT))
			return bc_error(r, at, "attribute %s of %s is no %s", names[n]->s, s->op,
				list ? "list of integers" : "integer");
		values[n] = list ? a : attr_int(r->c, a->u.i);
		f += len;
		f += strspn(f, " ");
	}
	list_put(r, l, s->attr, make_dict(r, names, values, n));
	return true;
}

static void gather_channel(BcReader *r, AttrList *l)
{
	const Attr *id = list_take(l, "channel_id"), *type = list_take(l, "channel_type");
	if (!id && !type)
		return;
	const Str *const names[] = { str(r->c, "handle"), str(r->c, "type") };
	const Attr *const v[] = { attr_int(r->c, id && id->kind == ATTR_INT ? id->u.i : 0),
		attr_int(r->c, type && type->kind == ATTR_INT ? type->u.i : 0) };
	list_put(r, l, "channel_handle", make_dict(r, names, v, 2));
}

static const char *type_word(const Attr *a)
{
	return a && a->kind == ATTR_TYPE && a->u.type->kind == TYPE_OPAQUE ? a->u.type->text->s : NULL;
}

static long long int_of(const Attr *a)
{
	return a && a->kind == ATTR_INT ? (long long)a->u.i : 0;
}

/* The algorithm of a dot: its types are none when there is none. */
static void gather_algorithm(BcReader *r, AttrList *l)
{
	const Attr *lhs = list_take(l, "lhs_precision_type"), *rhs = list_take(l, "rhs_precision_type"),
		*sum = list_take(l, "accumulation_type"), *lhs_n = list_take(l, "lhs_component_count"),
		*rhs_n = list_take(l, "rhs_component_count"), *n = list_take(l, "num_primitive_operations"),
		*loose = list_take(l, "allow_imprecise_accumulation");
	if (!type_word(lhs) || !type_word(rhs) || !type_word(sum))
		return;
	list_put(r, l, "algorithm", make_text(r, str_fmt(r->c, "#stablehlo.dot_algorithm<lhs_precision_type = %s, "
		"rhs_precision_type = %s, accumulation_type = %s, lhs_component_count = %lld, rhs_component_count = %lld, "
		"num_primitive_operations = %lld, allow_imprecise_accumulation = %s>", type_word(lhs), type_word(rhs),
		type_word(sum), int_of(lhs_n), int_of(rhs_n), int_of(n),
		loose && loose->kind == ATTR_BOOL && loose->u.i ? "true" : "false")));
}

/* ---- names of functions ---- */

static const Attr *symbol_of(BcReader *r, const Str *name)
{
	return attr_make(r->c, (Attr){ .kind = ATTR_SYMREF, .u.str = name });
}

static void symbols(BcReader *r, AttrList *l)
{
	const Attr *a = list_take(l, "decomposition");
	list_put(r, l, "decomposition", a && a->kind == ATTR_STR ? symbol_of(r, a->u.str) : a);
	a = list_take(l, "called_computations");
	if (a && a->kind == ATTR_STRS) {
		const Attr **v = NEW_ARRAY(r->scratch, const Attr *, a->u.strs.n);
		for (size_t i = 0; i < a->u.strs.n; i++)
			v[i] = symbol_of(r, a->u.strs.v[i]);
		a = make_list(r, v, a->u.strs.n);
	}
	list_put(r, l, "called_computations", a);
}

/* Enums of the op's own attributes are strings. */
static void words(BcReader *r, const char *own, AttrList *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (has_word(own, l->data[i].name))
			l->data[i].value = enum_words(r, l->data[i].value);
}

bool vhlo_translate(BcReader *r, const uint8_t *at, const Str *op, const char *own, AttrList *attrs)
{
	bool sends = !strcmp(op->s, "send") || !strcmp(op->s, "recv");
	words(r, own, attrs);
	if (!lists_of_ints(r, at, own, attrs))
		return false;
	if (sends) /* their channel 0 counts */
		gather_channel(r, attrs);
	drop_defaults(attrs, op->s);
	gather_channel(r, attrs);
	if (!strcmp(op->s, "dynamic_conv")) /* an operand since the first version; the attribute said nothing */
		list_take(attrs, "padding");
	if (!strcmp(op->s, "dot_general"))
		gather_algorithm(r, attrs);
	symbols(r, attrs);
	for (size_t i = 0; i < ARRAY_LEN(structs); i++)
		if (!strcmp(structs[i].op, op->s) && !gather_struct(r, at, &structs[i], attrs))
			return false;
	return true;
}
