#include "shlo.h"

#include <string.h>

/* Upstream's pretty syntax where an op is as its row has it; else the generic form. */

static const char *word_at(const char *form, size_t *len)
{
	*len = strcspn(form, " ");
	return form;
}

static bool is_form(const OpDef *d, const char *name)
{
	size_t len;
	return d->form && word_at(d->form, &len) && strlen(name) == len && !memcmp(d->form, name, len);
}

/* Attributes that the syntax shows by itself: names in `shown`, n of them. */
typedef struct Shown {
	AttrName v[12];
	size_t n;
} Shown;

static const Attr *take(const Op *op, AttrName a, AttrKind kind, Shown *s)
{
	const Attr *v = op_attr(op, a);
	if (!v || v->kind != kind || s->n == ARRAY_LEN(s->v))
		return NULL;
	s->v[s->n++] = a;
	return v;
}

static void print_ints(Buf *out, const Attr *a)
{
	buf_puts(out, "[");
	for (size_t i = 0; i < a->u.ints.n; i++)
		buf_printf(out, "%s%lld", i ? ", " : "", (long long)a->u.ints.v[i]);
	buf_puts(out, "]");
}

static bool are_words(const Attr *a)
{
	for (size_t i = 0; i < a->u.strs.n; i++)
		if (!is_word(a->u.strs.v[i]->s, a->u.strs.v[i]->len))
			return false;
	return true;
}

static void print_words(Buf *out, const Attr *a)
{
	buf_puts(out, "[");
	for (size_t i = 0; i < a->u.strs.n; i++)
		buf_printf(out, "%s%s", i ? ", " : "", a->u.strs.v[i]->s);
	buf_puts(out, "]");
}

/* ---- keywords ---- */

static bool is_plain_word(const Str *s)
{
	return is_word(s->s, s->len);
}

/* `key = value` for one word of the form; false: the attribute has another kind. Absent ones are left out. */
static bool print_key_value(Printer *w, const Op *op, const char *key, size_t len, bool *comma, Shown *s)
{
	const char *eq = memchr(key, '=', len);
	const Str *name = str_n(w->c, eq + 1, len - (size_t)(eq + 1 - key));
	const AttrDef *want = op_attr_def(op->def, (AttrName)name->known);
	if (!op_attr(op, want->name))
		return true;
	const Attr *v = take(op, want->name, want->kind, s);
	if (!v || (v->kind == ATTR_STR && want->name != A_einsum_config && !is_plain_word(v->u.str)))
		return false;
	buf_printf(w->out, "%s%.*s = ", *comma ? ", " : " ", (int)(eq - key), key);
	*comma = true;
	switch (v->kind) {
	case ATTR_INT: buf_printf(w->out, "%lld", (long long)v->u.i); return v->width == DT_I64 && v->u.i >= 0;
	case ATTR_BOOL: buf_puts(w->out, v->u.i ? "true" : "false"); return true;
	case ATTR_INTS: print_ints(w->out, v); return v->width == DT_NONE;
	case ATTR_STRS: print_words(w->out, v); return are_words(v);
	case ATTR_STR:
		if (want->name == A_einsum_config)
			print_string(w->out, v->u.str);
		else
			buf_put(w->out, v->u.str->s, v->u.str->len);
		return true;
	default: return false;
	}
}

static bool print_keys(Printer *w, const Op *op, Shown *s)
{
	bool comma = op->noperands > 0;
	for (const char *f = op->def->form; *f;) {
		size_t len;
		if (!print_key_value(w, op, word_at(f, &len), strcspn(f, " "), &comma, s))
			return false;
		f += len;
		f += strspn(f, " ");
	}
	return true;
}

/* ---- forms of their own ---- */

static bool print_compare(Printer *w, const Op *op, Shown *s)
{
	const Attr *d = take(op, A_comparison_direction, ATTR_STR, s);
	bool typed = op_attr(op, A_compare_type) != NULL;
	const Attr *t = typed ? take(op, A_compare_type, ATTR_STR, s) : NULL;
	if (!d || !is_plain_word(d->u.str) || (typed && (!t || !is_plain_word(t->u.str))))
		return false;
	buf_printf(w->out, " %s, ", d->u.str->s);
	op_print_operands(w, op);
	if (t)
		buf_printf(w->out, ", %s", t->u.str->s);
	return true;
}

static bool print_slice(Printer *w, const Op *op, Shown *s)
{
	const Attr *v[3] = { take(op, A_start_indices, ATTR_INTS, s), take(op, A_limit_indices, ATTR_INTS, s),
		take(op, A_strides, ATTR_INTS, s) };
	for (int i = 0; i < 3; i++)
		if (!v[i] || v[i]->u.ints.n != v[0]->u.ints.n)
			return false;
	buf_puts(w->out, " ");
	op_print_operands(w, op);
	buf_puts(w->out, " [");
	for (size_t i = 0; i < v[0]->u.ints.n; i++) {
		if (v[0]->u.ints.v[i] < 0 || v[1]->u.ints.v[i] < 0 || v[2]->u.ints.v[i] < 0)
			return false;
		buf_printf(w->out, "%s%lld:%lld", i ? ", " : "", (long long)v[0]->u.ints.v[i], (long long)v[1]->u.ints.v[i]);
		if (v[2]->u.ints.v[i] != 1)
			buf_printf(w->out, ":%lld", (long long)v[2]->u.ints.v[i]);
	}
	buf_puts(w->out, "]");
	return true;
}

static bool print_index(Printer *w, const Op *op, Shown *s)
{
	const Attr *v = take(op, A_index, ATTR_INT, s);
	if (!v || v->width != DT_I32 || v->u.i < 0)
		return false;
	buf_puts(w->out, " ");
	op_print_operands(w, op);
	buf_printf(w->out, "[%lld]", (long long)v->u.i);
	return true;
}

static bool print_precision(Printer *w, const Op *op, Shown *s)
{
	const Attr *e = take(op, A_exponent_bits, ATTR_INT, s), *m = take(op, A_mantissa_bits, ATTR_INT, s);
	if (!e || !m || e->width != DT_I32 || m->width != DT_I32 || e->u.i < 0 || m->u.i < 0)
		return false;
	buf_puts(w->out, " ");
	op_print_operands(w, op);
	buf_printf(w->out, ", format = e%lldm%lld", (long long)e->u.i, (long long)m->u.i);
	return true;
}

/* A struct attribute with exactly these kinds of fields, as readers make it. */
static bool has_shape(const Attr *a, const char *kinds)
{
	size_t n = strlen(kinds);
	if (a->kind != ATTR_DICT || a->u.list.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (a->u.list.v[i]->kind != (kinds[i] == 'l' ? ATTR_INTS : ATTR_INT))
			return false;
	return true;
}

static bool print_dot(Printer *w, const Op *op, Shown *s)
{
	const Attr *d = take(op, A_dot_dimension_numbers, ATTR_DICT, s);
	const Attr *precision = op_attr(op, A_precision_config), *algorithm = op_attr(op, A_algorithm);
	static const char prefix[] = "#stablehlo.dot_algorithm<";
	if (!d || !has_shape(d, "llll") || (precision && !(take(op, A_precision_config, ATTR_STRS, s) &&
		are_words(precision))))
		return false;
	if (algorithm && (!take(op, A_algorithm, ATTR_TEXT, s) || strncmp(algorithm->u.str->s, prefix, sizeof prefix - 1)))
		return false;
	const Attr *const *v = d->u.list.v;
	buf_puts(w->out, " ");
	op_print_operands(w, op);
	if (v[0]->u.ints.n || v[1]->u.ints.n) {
		buf_puts(w->out, ", batching_dims = ");
		print_ints(w->out, v[0]);
		buf_puts(w->out, " x ");
		print_ints(w->out, v[1]);
	}
	buf_puts(w->out, ", contracting_dims = ");
	print_ints(w->out, v[2]);
	buf_puts(w->out, " x ");
	print_ints(w->out, v[3]);
	if (precision) {
		buf_puts(w->out, ", precision = ");
		print_words(w->out, precision);
	}
	if (algorithm)
		buf_printf(w->out, ", algorithm = %s", algorithm->u.str->s + sizeof prefix - 2);
	return true;
}

static void print_pairs(Buf *out, const Attr *a)
{
	buf_puts(out, "[");
	for (size_t i = 0; i + 1 < a->u.ints.n; i += 2)
		buf_printf(out, "%s[%lld, %lld]", i ? ", " : "", (long long)a->u.ints.v[i], (long long)a->u.ints.v[i + 1]);
	buf_puts(out, "]");
}

static bool print_conv(Printer *w, const Op *op, Shown *s)
{
	static const struct { const char *key; AttrName attr; } keys[] = { { "stride", A_window_strides }, { "pad",
		A_padding },
		{ "lhs_dilate", A_lhs_dilation }, { "rhs_dilate", A_rhs_dilation }, { "reverse", A_window_reversal } };
	const Attr *d = take(op, A_dimension_numbers, ATTR_DICT, s);
	bool first = true;
	if (!d || !has_shape(d, "iiliiliil"))
		return false;
	size_t n = d->u.list.v[2]->u.ints.n;
	if (d->u.list.v[5]->u.ints.n != n || d->u.list.v[8]->u.ints.n != n)
		return false;
	buf_puts(w->out, "(");
	op_print_operands(w, op);
	buf_puts(w->out, ") dim_numbers = ");
	shlo_print_conv_dims(w->out, d);
	buf_puts(w->out, ", window = {");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (!op_attr(op, keys[i].attr))
			continue;
		const Attr *v = take(op, keys[i].attr, ATTR_INTS, s);
		if (!v || v->width != DT_NONE || (keys[i].attr == A_padding && v->u.ints.n % 2))
			return false;
		buf_printf(w->out, "%s%s = ", first ? "" : ", ", keys[i].key);
		first = false;
		if (keys[i].attr == A_padding)
			print_pairs(w->out, v);
		else
			print_ints(w->out, v);
	}
	buf_puts(w->out, "}");
	return true;
}

/* ---- the op ---- */

static bool as_declared(const Op *op)
{
	const OpDef *d = op->def;
	if (op->nblocks || op->noperands < d->min_operands || op->noperands > d->max_operands ||
		op->nresults < d->min_results || op->nresults > d->max_results)
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		if (!op->operands[i].value || op->operands[i].value->type->kind == TYPE_UNKNOWN)
			return false;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->type->kind == TYPE_UNKNOWN)
			return false;
	return d->form && d->kind < CHLO_broadcast_add;
}

/* What stands between the name and the attributes; false: the op is not as its form wants. */
static bool print_head(Printer *w, const Op *op, Shown *s)
{
	const OpDef *d = op->def;
	if (is_form(d, "COMPARE"))
		return print_compare(w, op, s);
	if (is_form(d, "SLICE"))
		return print_slice(w, op, s);
	if (is_form(d, "INDEX"))
		return print_index(w, op, s);
	if (is_form(d, "PRECISION"))
		return print_precision(w, op, s);
	if (is_form(d, "DOT"))
		return print_dot(w, op, s);
	if (is_form(d, "CONV"))
		return print_conv(w, op, s);
	if (d->form[0] >= 'A' && d->form[0] <= 'Z')
		return false;
	buf_puts(w->out, op->noperands ? " " : "");
	op_print_operands(w, op);
	return print_keys(w, op, s);
}

static bool same_types(const Op *op)
{
	const Type *t = op->nresults == 1 ? op->results[0]->type : NULL;
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value->type != t)
			return false;
	return t != NULL;
}

static void print_list_types(Printer *w, Value *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_puts(w->out, i ? ", " : "");
		print_type_of(w, v[i]->type);
	}
}

/* Ops of which upstream takes no function type. */
static bool wants_result_type(const Op *op)
{
	switch (op_kind(op)) {
	case SHLO_iota: case SHLO_tuple: case SHLO_after_all: case SHLO_create_token: case SHLO_partition_id:
	case SHLO_replica_id: case SHLO_optimization_barrier:
		return true;
	default:
		return false;
	}
}

static void print_pretty_types(Printer *w, const Op *op)
{
	bool same = op->def->form[0] == '\0' && same_types(op);
	if (op->def->traits & TRAIT_TERMINATOR) {
		buf_puts(w->out, op->noperands ? " : " : "");
		op_print_operand_types(w, op);
	} else if (same || (wants_result_type(op) && op->nresults)) {
		buf_puts(w->out, " : ");
		print_list_types(w, op->results, op->nresults);
	} else {
		op_print_types(w, op);
	}
}

/* `stablehlo.constant dense<...> : T`, the type being the value's. */
static bool print_constant(Printer *w, const Op *op)
{
	const Attr *v = op_attr(op, A_value);
	if (!v || v->kind != ATTR_TENSOR || op->noperands || op->nresults != 1 ||
		op->results[0]->type != v->u.tensor.type ||
		op->def->kind != SHLO_constant || op->nblocks)
		return false;
	Shown s = { { A_value }, 1 };
	buf_puts(w->out, "stablehlo.constant");
	op_print_attrs(w, op, s.v, s.n);
	buf_puts(w->out, " ");
	print_attr(w, v, NULL);
	return true;
}

static bool print_pretty(Printer *w, const Op *op)
{
	size_t before = w->out->len;
	Shown s = { { A_NONE }, 0 };
	if (print_constant(w, op))
		return true;
	if (as_declared(op)) {
		buf_put(w->out, op->def->name->s, op->def->name->len);
		if (print_head(w, op, &s)) {
			op_print_attrs(w, op, s.v, s.n);
			print_pretty_types(w, op);
			return true;
		}
	}
	w->out->len = before;
	return false;
}

/* Two counts that make up n; false: the op does not say so. */
static bool segments(const Op *op, const char *name, size_t n, NamedAttr const **at)
{
	for (size_t i = 0; i < op->nattrs; i++) {
		const Attr *a = op->attrs[i].value;
		if (strcmp(op->attrs[i].name->s, name) != 0)
			continue;
		*at = &op->attrs[i];
		return a->kind == ATTR_INTS && a->width == DT_I32 && a->u.ints.n == 2 && a->u.ints.v[0] >= 0 && a->u.ints.v[1] >= 0 &&
			(uint64_t)a->u.ints.v[0] + (uint64_t)a->u.ints.v[1] == n;
	}
	return false;
}

static void print_some(Printer *w, const Op *op, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		buf_puts(w->out, i > from ? ", " : "");
		op_print_value(w, op->operands[i].value);
	}
}

/* Which names the body's arguments need is known when it has been printed, and stands before it: the body is printed aside. */
static void print_body_and_attrs(Printer *w, const Op *op, int depth)
{
	static const AttrName shown[] = { A_dimension };
	static const char word[] = " attributes";
	Buf body = { 0 }, *out = w->out;
	OutFile *file = w->file;
	w->out = &body;
	w->file = NULL;
	op_print_region(w, op->blocks[0], depth);
	w->out = out;
	w->file = file;
	buf_puts(out, word);
	size_t before = out->len;
	op_print_attrs_but(w, op, shown, ARRAY_LEN(shown), "SegmentSizes");
	if (out->len == before)
		out->len -= sizeof word - 1;
	buf_puts(out, " ");
	buf_put(out, body.data, body.len);
	buf_free(&body);
}

/* `chlo.scan(%x) inits (%c) dimension=0 attributes {...} { ... } : types`. */
static bool print_scan(Printer *w, const Op *op, int depth)
{
	const NamedAttr *in, *out;
	const Attr *dimension = op_attr(op, A_dimension);
	const Block *b = op->nblocks == 1 ? op->blocks[0] : NULL;
	if (!op_is(op, CHLO_scan) || !b || op->nmeta || op->name || !segments(op, "operandSegmentSizes", op->noperands, &in) ||
		!segments(op, "resultSegmentSizes", op->nresults, &out) || !dimension || dimension->kind != ATTR_INT ||
		dimension->width != DT_I64 || dimension->u.i < 0 || in->value->u.ints.v[1] != out->value->u.ints.v[1])
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		if (!op->operands[i].value)
			return false;
	size_t n = (size_t)in->value->u.ints.v[0];
	buf_puts(w->out, "chlo.scan(");
	print_some(w, op, 0, n);
	buf_puts(w->out, ") inits (");
	print_some(w, op, n, op->noperands);
	buf_printf(w->out, ") dimension=%lld", (long long)dimension->u.i);
	print_body_and_attrs(w, op, depth);
	op_print_types(w, op);
	return true;
}

/* `call @f(%a) : (T) -> R`. */
static bool print_call(Printer *w, const Op *op)
{
	const Attr *name = op_attr(op, A_callee);
	if (op->nblocks || !name || name->kind != ATTR_STR)
		return false;
	Shown s = { { A_callee }, 1 };
	buf_puts(w->out, "call ");
	print_symbol(w->out, name->u.str);
	buf_puts(w->out, "(");
	op_print_operands(w, op);
	buf_puts(w->out, ")");
	op_print_attrs(w, op, s.v, s.n);
	op_print_types(w, op);
	return true;
}

bool shlo_print_op(Printer *w, const Op *op, int depth)
{
	if (op_is(op, OP_call))
		return print_call(w, op);
	return op_is_shlo(op) && (print_scan(w, op, depth) || print_pretty(w, op));
}
