#include "shlo.h"

#include <string.h>

const Attr *dict_get(const Attr *dict, const char *key)
{
	for (size_t i = 0; dict && dict->kind == ATTR_DICT && i < dict->u.list.n; i++)
		if (!strcmp(dict->u.list.names[i]->s, key))
			return dict->u.list.v[i];
	return NULL;
}

void shlo_set(Parser *p, OpText *o, AttrName name, const Attr *v)
{
	VEC_PUSH(p->scratch, &o->attrs, ((NamedAttr){ p->c->attr_names[name], v }));
}

/* ---- structs ---- */

typedef struct StructForm {
	AttrName attr;
	bool gather, conv;        /* dimension_numbers belongs to two kinds of ops */
	const char *prefix;       /* of the text */
	const char *fields;       /* "x" a number, "x*" a list */
} StructForm;

static const StructForm structs[] = {
	{ A_dot_dimension_numbers, false, false, "#stablehlo.dot",
		"lhs_batching_dimensions* rhs_batching_dimensions* lhs_contracting_dimensions* rhs_contracting_dimensions*" },
	{ A_dimension_numbers, false, true, "#stablehlo.conv",
		"input_batch_dimension input_feature_dimension input_spatial_dimensions* kernel_input_feature_dimension "
		"kernel_output_feature_dimension kernel_spatial_dimensions* output_batch_dimension output_feature_dimension "
		"output_spatial_dimensions*" },
	{ A_dimension_numbers, true, false, "#stablehlo.gather",
		"offset_dims* collapsed_slice_dims* operand_batching_dims* start_indices_batching_dims* start_index_map* "
		"index_vector_dim" },
	{ A_scatter_dimension_numbers, false, false, "#stablehlo.scatter",
		"update_window_dims* inserted_window_dims* input_batching_dims* scatter_indices_batching_dims* "
		"scatter_dims_to_operand_dims* index_vector_dim" },
	{ A_channel_handle, false, false, "#stablehlo.channel_handle", "handle type" },
	{ A_ragged_dot_dimension_numbers, false, false, "#chlo.ragged_dot",
		"lhs_batching_dimensions* rhs_batching_dimensions* lhs_contracting_dimensions* rhs_contracting_dimensions* "
		"lhs_ragged_dimensions* rhs_group_dimensions*" },
};

static bool is_gather(const OpDef *d)
{
	return d->kind == SHLO_gather || d->kind == SHLO_dynamic_gather;
}

static const StructForm *struct_form(AttrName a, const OpDef *d)
{
	for (size_t i = 0; i < ARRAY_LEN(structs); i++)
		if (structs[i].attr == a && (a != A_dimension_numbers || structs[i].gather == is_gather(d)))
			return &structs[i];
	return NULL;
}

enum { MAX_FIELDS = 9 };

/* A list or number of a struct: what stands there, or an empty list or 0. */
static const Attr *field_value(Context *c, const Attr *a, bool list)
{
	if (!a)
		return list ? attr_ints(c, NULL, 0) : attr_int(c, 0);
	if (!list)
		return a->kind == ATTR_INT ? attr_int(c, a->u.i) : NULL;
	if (a->kind == ATTR_LIST && a->u.list.n == 0)
		return attr_ints(c, NULL, 0);
	return a->kind == ATTR_INTS ? attr_ints(c, a->u.ints.v, a->u.ints.n) : NULL;
}

/* The dictionary with all fields of the form; NULL when a field is of another kind or unknown. */
static const Attr *complete(Parser *p, const StructForm *f, const Attr *dict)
{
	const Str *names[MAX_FIELDS];
	const Attr *values[MAX_FIELDS];
	size_t n = 0, found = 0;
	for (const char *s = f->fields; *s;) {
		size_t len = strcspn(s, " ");
		bool list = s[len - 1] == '*';
		names[n] = str_n(p->c, s, len - list);
		const Attr *a = dict_get(dict, names[n]->s);
		found += a != NULL;
		values[n] = field_value(p->c, a, list);
		if (!values[n++])
			return NULL;
		s += len;
		s += strspn(s, " ");
	}
	if (found != dict->u.list.n)
		return NULL;
	return attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, n } });
}

/* [0, 1] as integers. */
static const Attr *parse_ints(Parser *p)
{
	static const AttrDef hint = { .kind = ATTR_INTS };
	const Attr *a = parse_attr(p, &hint);
	if (a && a->kind != ATTR_INTS) {
		parse_error(p, &p->tok, "expected a list of integers");
		return NULL;
	}
	return a;
}

/* `key = value, ...` up to the closing angle bracket. */
static const Attr *parse_fields(Parser *p)
{
	VEC(const Str *) names = { 0 };
	VEC(const Attr *) values = { 0 };
	while (!at(p, T_GREATER)) {
		if (names.len && !tok_expect(p, T_COMMA, "','"))
			return NULL;
		if (!at(p, T_WORD))
			return tok_expected(p, "a field"), NULL;
		VEC_PUSH(p->scratch, &names, str_n(p->c, p->tok.s, p->tok.len));
		tok_next(p);
		if (!tok_expect(p, T_EQUAL, "'='"))
			return NULL;
		const Attr *v = at(p, T_LBRACKET) ? parse_ints(p) : parse_attr(p, NULL);
		if (!v)
			return NULL;
		VEC_PUSH(p->scratch, &values, v);
	}
	return attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { values.data, names.data, names.len } });
}

typedef struct ConvPart { /* one bracket of convolution dimension numbers */
	int64_t a, b;         /* the two letters' places */
	int64_t spatial[MAX_RANK];
	size_t n;
} ConvPart;

/* [b, f, 0, 1, ?]: letters and numbers, each the place of that dimension. */
static bool parse_conv_part(Parser *p, char a, char b, ConvPart *out)
{
	bool seen[MAX_RANK] = { false };
	int64_t where = 0;
	*out = (ConvPart){ .a = -1, .b = -1 };
	if (!tok_expect(p, T_LBRACKET, "'['"))
		return false;
	while (!at(p, T_RBRACKET)) {
		int64_t v;
		if (where && !tok_expect(p, T_COMMA, "','"))
			return false;
		if (where == MAX_RANK)
			return parse_limit(p, &p->tok, "too many dimensions");
		if (at(p, T_WORD) && p->tok.len == 1 && (*p->tok.s == a || *p->tok.s == b)) {
			*(*p->tok.s == a ? &out->a : &out->b) = where;
			tok_next(p);
		} else {
			if (!parse_size(p, &v))
				return false;
			if (v >= MAX_RANK || seen[v])
				return parse_error(p, &p->tok, "malformed dimension numbers");
			seen[v] = true;
			out->spatial[v] = where;
			out->n++;
		}
		where++;
	}
	tok_next(p);
	for (size_t i = 0; i < out->n; i++)
		if (!seen[i])
			return parse_error(p, &p->tok, "malformed dimension numbers");
	return (out->a >= 0 && out->b >= 0) || parse_error(p, &p->tok, "dimension numbers lack '%c' or '%c'", a, b);
}

static bool accept_x(Parser *p)
{
	if (at(p, T_WORD) && p->tok.len == 1 && *p->tok.s == 'x') {
		tok_next(p);
		return true;
	}
	return tok_expected(p, "'x'");
}

const Attr *shlo_conv_dims(Parser *p)
{
	static const char *const names[] = { "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
		"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions",
		"output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions" };
	ConvPart part[3];
	if (!parse_conv_part(p, 'b', 'f', &part[0]) || !accept_x(p) || !parse_conv_part(p, 'i', 'o', &part[1]) ||
		!tok_expect(p, T_ARROW, "'->'") || !parse_conv_part(p, 'b', 'f', &part[2]))
		return NULL;
	const Attr *values[MAX_FIELDS];
	const Str *keys[MAX_FIELDS];
	for (size_t i = 0; i < 3; i++) {
		values[3 * i] = attr_int(p->c, part[i].a);
		values[3 * i + 1] = attr_int(p->c, part[i].b);
		values[3 * i + 2] = attr_ints(p->c, part[i].spatial, part[i].n);
	}
	for (size_t i = 0; i < MAX_FIELDS; i++)
		keys[i] = str(p->c, names[i]);
	return attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, keys, MAX_FIELDS } });
}

/* A parser of a verbatim attribute: its diagnostics go nowhere. */
static void text_parser(Parser *sub, Parser *p, const Str *text, Diags *quiet)
{
	diags_init(quiet, p->scratch);
	parser_init(sub, p->c, quiet, p->scratch, p->file, (Bytes){ (const uint8_t *)text->s, text->len });
}

static const Attr *struct_of_text(Parser *p, const StructForm *f, const Str *text)
{
	Parser sub;
	Diags quiet;
	text_parser(&sub, p, text, &quiet);
	if (!at(&sub, T_HASH) || !token_is(&sub.tok, f->prefix))
		return NULL;
	tok_next(&sub);
	if (!tok_accept(&sub, T_LESS))
		return NULL;
	if (f->conv && at(&sub, T_LBRACKET))
		return shlo_conv_dims(&sub);
	tok_accept_word(&sub, "raw");
	return parse_fields(&sub);
}

const Attr *shlo_struct(Parser *p, const Str *name, const OpDef *def, const Attr *a)
{
	const StructForm *f = struct_form((AttrName)name->known, def);
	if (f && a->kind == ATTR_TEXT)
		a = struct_of_text(p, f, a->u.str);
	return f && a && a->kind == ATTR_DICT ? complete(p, f, a) : NULL;
}

/* ---- other kinds ---- */

/* LT of #stablehlo<comparison_direction LT> and #chlo.x<LT>. */
static const Str *enum_of_text(Parser *p, const Attr *a)
{
	Parser sub;
	Diags quiet;
	const Str *word = NULL;
	if (a->kind != ATTR_TEXT)
		return NULL;
	text_parser(&sub, p, a->u.str, &quiet);
	if (!at(&sub, T_HASH) || (memcmp(sub.tok.s, "#stablehlo", sub.tok.len < 10 ? sub.tok.len : 10) &&
		memcmp(sub.tok.s, "#chlo", sub.tok.len < 5 ? sub.tok.len : 5)))
		return NULL;
	tok_next(&sub);
	if (!tok_accept(&sub, T_LESS))
		return NULL;
	while (at(&sub, T_WORD)) {
		word = str_n(p->c, sub.tok.s, sub.tok.len);
		tok_next(&sub);
	}
	return at(&sub, T_GREATER) ? word : NULL;
}

static const Attr *as_strs(Parser *p, const Attr *a)
{
	if (a->kind != ATTR_LIST)
		return NULL;
	const Str **v = NEW_ARRAY(p->scratch, const Str *, a->u.list.n);
	for (size_t i = 0; i < a->u.list.n; i++)
		if (!(v[i] = enum_of_text(p, a->u.list.v[i])))
			return NULL;
	return attr_strs(p->c, v, a->u.list.n);
}

#define MAX_LIST 65536

/* A tensor of integers as a list, row by row. */
static const Attr *as_ints(Parser *p, const Attr *a)
{
	int64_t n;
	if (a->kind == ATTR_INTS && a->width != DT_NONE)
		return attr_ints(p->c, a->u.ints.v, a->u.ints.n);
	if (a->kind != ATTR_TENSOR || !type_static_numel(a->u.tensor.type, &n) || n > MAX_LIST)
		return NULL;
	DType d = a->u.tensor.type->dtype;
	const Blob *b = a->u.tensor.blob;
	if (!dtype_is_integer(d) && d != DT_BOOL)
		return NULL;
	int64_t *v = NEW_ARRAY(p->scratch, int64_t, n);
	uint8_t *unpacked = NEW_ARRAY(p->scratch, uint8_t, (size_t)(n + 1) * dtype_size(d));
	if (b->splat)
		for (int64_t i = 0; i < n; i++)
			dtype_load_i64(d, b->data, 1, &v[i]);
	else {
		dtype_unpack(d, b->data, n, unpacked);
		dtype_load_i64(d, unpacked, n, v);
	}
	return attr_ints(p->c, v, (size_t)n);
}

static const Attr *normal(Parser *p, const OpDef *def, const Str *name, const AttrDef *want, const Attr *a)
{
	const Str *word;
	switch (want->kind) {
	case ATTR_INTS:
		return as_ints(p, a);
	case ATTR_STR:
		word = a->kind == ATTR_SYMREF ? a->u.str : enum_of_text(p, a);
		return word ? attr_str(p->c, word) : NULL;
	case ATTR_STRS:
		return as_strs(p, a);
	case ATTR_DICT:
		return shlo_struct(p, name, def, a);
	case ATTR_BOOL:
		return a->kind == ATTR_UNIT ? attr_bool(p->c, true) : NULL;
	case ATTR_FLOAT:
		return NULL;
	default:
		return NULL;
	}
}

void shlo_normalise(Parser *p, OpText *o)
{
	static const char own[] = "stablehlo";
	if (o->def->kind >= SHLO_abs && p->m)
		p->m->format = str(p->c, own);
	for (size_t i = 0; i < o->attrs.len; i++) {
		NamedAttr *e = &o->attrs.data[i];
		const AttrDef *want = e->name->known ? op_attr_def(o->def, (AttrName)e->name->known) : NULL;
		const Attr *a = want ? normal(p, o->def, e->name, want, e->value) : NULL;
		if (a)
			e->value = a;
	}
}

/* ---- printing ---- */

static void print_int_list(Buf *out, const int64_t *v, size_t n)
{
	buf_puts(out, "[");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%lld", i ? ", " : "", (long long)v[i]);
	buf_puts(out, "]");
}

/* Places back to letters. */
static void print_conv_part(Buf *out, const Attr *const *v, const char *letters)
{
	size_t n = v[2]->u.ints.n + 2;
	buf_puts(out, "[");
	for (size_t i = 0; i < n; i++) {
		buf_puts(out, i ? ", " : "");
		if (v[0]->u.i == (int64_t)i)
			buf_printf(out, "%c", letters[0]);
		else if (v[1]->u.i == (int64_t)i)
			buf_printf(out, "%c", letters[1]);
		for (size_t k = 0; k < n - 2; k++)
			if (v[2]->u.ints.v[k] == (int64_t)i)
				buf_printf(out, "%zu", k);
	}
	buf_puts(out, "]");
}

/* The forms of the printer hold for dictionaries that shlo_struct made. */
static bool is_complete(const StructForm *f, const Attr *a)
{
	size_t n = 0;
	if (a->kind != ATTR_DICT)
		return false;
	for (const char *s = f->fields; *s; n++) {
		size_t len = strcspn(s, " ");
		bool list = s[len - 1] == '*';
		if (n >= a->u.list.n || a->u.list.names[n]->len != len - list || memcmp(a->u.list.names[n]->s, s, len - list) ||
			a->u.list.v[n]->kind != (list ? ATTR_INTS : ATTR_INT))
			return false;
		s += len;
		s += strspn(s, " ");
	}
	return n == a->u.list.n;
}

void shlo_print_conv_dims(Buf *out, const Attr *dims)
{
	print_conv_part(out, dims->u.list.v, "bf");
	buf_puts(out, "x");
	print_conv_part(out, dims->u.list.v + 3, "io");
	buf_puts(out, "->");
	print_conv_part(out, dims->u.list.v + 6, "bf");
}

static void print_struct(Buf *out, const StructForm *f, const Attr *a)
{
	buf_printf(out, "%s<", f->prefix);
	if (f->conv)
		shlo_print_conv_dims(out, a);
	bool first = true;
	for (size_t i = 0; !f->conv && i < a->u.list.n; i++) {
		const Attr *v = a->u.list.v[i];
		bool keep = v->kind == ATTR_INT ? v->u.i != 0 || f->attr == A_channel_handle : v->u.ints.n > 0;
		if (!keep)
			continue;
		buf_printf(out, "%s%s = ", first ? "" : ", ", a->u.list.names[i]->s);
		if (v->kind == ATTR_INT)
			buf_printf(out, "%lld", (long long)v->u.i);
		else
			print_int_list(out, v->u.ints.v, v->u.ints.n);
		first = false;
	}
	buf_puts(out, ">");
}

/* Attributes that are enums, and what upstream calls them. */
static const char *enum_name(AttrName a)
{
	static const struct { AttrName attr; const char *name; } enums[] = {
		{ A_comparison_direction, "comparison_direction" }, { A_compare_type, "comparison_type" },
		{ A_precision_config, "precision" }, { A_fft_type, "fft_type" }, { A_transpose_a, "transpose" },
		{ A_rng_distribution, "rng_distribution" }, { A_rng_algorithm, "rng_algorithm" },
	};
	for (size_t i = 0; i < ARRAY_LEN(enums); i++)
		if (enums[i].attr == a)
			return enums[i].name;
	return NULL;
}

static bool all_words(const Attr *a)
{
	for (size_t i = 0; i < a->u.strs.n; i++)
		if (!is_word(a->u.strs.v[i]->s, a->u.strs.v[i]->len))
			return false;
	return true;
}

bool shlo_print_attr(Printer *w, const Op *op, const NamedAttr *e)
{
	AttrName name = (AttrName)e->name->known;
	const Attr *a = e->value;
	const char *dialect = op_kind(op) >= CHLO_broadcast_add ? "chlo" : "stablehlo", *word = enum_name(name);
	const StructForm *f = struct_form(name, op->def);
	if (f && is_complete(f, a)) {
		print_struct(w->out, f, a);
	} else if (word && a->kind == ATTR_STR && is_word(a->u.str->s, a->u.str->len)) {
		buf_printf(w->out, "#%s<%s %s>", dialect, word, a->u.str->s);
	} else if (word && a->kind == ATTR_STRS && a->u.strs.n && all_words(a)) {
		buf_puts(w->out, "[");
		for (size_t i = 0; i < a->u.strs.n; i++)
			buf_printf(w->out, "%s#%s<%s %s>", i ? ", " : "", dialect, word, a->u.strs.v[i]->s);
		buf_puts(w->out, "]");
	} else if (name == A_padding && a->kind == ATTR_INTS && a->u.ints.n % 2 == 0) {
		buf_puts(w->out, "dense<[");
		for (size_t i = 0; i < a->u.ints.n; i += 2) {
			buf_puts(w->out, i ? ", " : "");
			print_int_list(w->out, a->u.ints.v + i, 2);
		}
		buf_printf(w->out, "]> : tensor<%zux2xi64>", a->u.ints.n / 2);
	} else if (name == A_window_reversal && a->kind == ATTR_INTS) {
		buf_puts(w->out, a->u.ints.n ? "array<i1: " : "array<i1");
		for (size_t i = 0; i < a->u.ints.n; i++)
			buf_printf(w->out, "%s%s", i ? ", " : "", a->u.ints.v[i] ? "true" : "false");
		buf_puts(w->out, ">");
	} else {
		return false;
	}
	return true;
}
