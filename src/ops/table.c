#include "ops.h"

#include <stdio.h>
#include <string.h>

/* A row as it is written in the .def files. */
typedef struct RowText {
	const char *name, *operands, *results, *attrs;
	uint32_t traits;
	InferFn *infer;
	EvalFn *eval;
	const char *form;
} RowText;

#define infer_NONE NULL
#define eval_NONE NULL
/* The trait names are bare in the rows. */
#define PURE TRAIT_PURE
#define ELTWISE TRAIT_ELTWISE
#define COMMUTES TRAIT_COMMUTES
#define ASSOCIATES TRAIT_ASSOCIATES
#define IDEMPOTENT TRAIT_IDEMPOTENT
#define INVOLUTION TRAIT_INVOLUTION
#define MOVES TRAIT_MOVES
#define TO_BOOL TRAIT_TO_BOOL
#define RANDOM TRAIT_RANDOM
#define REGIONS TRAIT_REGIONS
#define TERMINATOR TRAIT_TERMINATOR
#define SAME_SHAPE TRAIT_SAME_SHAPE

static const RowText row_texts[OP_KIND_COUNT] = {
#define CORE(id, operands, results, attrs, traits, infer, eval) \
	[OP_##id] = { "core." #id, operands, results, attrs, traits, infer_##infer, eval_##eval, NULL },
#include "core.def"
#undef CORE
#define ONNX(id, operands, results, attrs, traits) \
	[ONNX_##id] = { "onnx." #id, operands, results, attrs, traits, NULL, NULL, NULL },
#include "onnx.def"
#undef ONNX
#define OWN(id, name, operands, results, attrs, traits, infer, eval) \
	[OWN_##id] = { "onnx." name, operands, results, attrs, traits, infer_##infer, eval_##eval, NULL },
#include "own.def"
#undef OWN
#define ROW(kind, text, operands, results, attrs, traits, form, eval) \
	[kind] = { text, operands, results, attrs, traits, infer_shlo, eval_##eval, form },
#define SHLO(id, ...) ROW(SHLO_##id, "stablehlo." #id, __VA_ARGS__)
#define CHLO(id, ...) ROW(CHLO_##id, "chlo." #id, __VA_ARGS__)
#define CHK(id, ...) ROW(CHK_##id, "check." #id, __VA_ARGS__)
#include "stablehlo.def"
#undef SHLO
#undef CHLO
#undef CHK
#undef ROW
};

/* Rows that were asked for: of the tables by kind, of unknown ops by name. Most models use few. */
typedef struct OpTable {
	const OpDef *rows[OP_KIND_COUNT];
	Map unknown;               /* MAP_PTR(name) -> OpDef */
	Map by_onnx_type;          /* MAP_PTR(op_type) -> OpDef, default domain */
} OpTable;

static OpTable *table_of(const Context *c)
{
	if (c->ops)
		return c->ops;
	OpTable *t = NEW(c->arena, OpTable);
	map_init(&t->unknown, c->arena);
	map_init(&t->by_onnx_type, c->arena);
	((Context *)c)->ops = t; /* a cache: the context is the same to its users */
	return t;
}

/* Counts names such as "x w b?" or "xs*": the last required one decides the minimum. */
static void parse_arity(const char *text, uint16_t *min, uint16_t *max)
{
	uint16_t n = 0, required = 0;
	bool variadic = false;
	while (*text) {
		size_t len = strcspn(text, " ");
		char mark = text[len - 1];
		n++;
		if (mark == '*')
			variadic = true;
		else if (mark != '?')
			required = n;
		text += len;
		text += strspn(text, " ");
	}
	*min = required;
	*max = variadic ? UINT16_MAX : n;
}

typedef struct KindName {
	const char *text;
	AttrKind kind;
} KindName;

static const KindName kind_names[] = {
	{ "int", ATTR_INT }, { "float", ATTR_FLOAT }, { "str", ATTR_STR }, { "bool", ATTR_BOOL }, { "ints", ATTR_INTS },
	{ "floats", ATTR_FLOATS }, { "strs", ATTR_STRS }, { "tensor", ATTR_TENSOR }, { "type", ATTR_TYPE },
	{ "sparse", ATTR_WIRE }, { "dict", ATTR_DICT }, { "list", ATTR_LIST }, { "sym", ATTR_SYMREF },
};

static AttrKind parse_kind(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(kind_names); i++)
		if (strlen(kind_names[i].text) == len && !memcmp(kind_names[i].text, s, len))
			return kind_names[i].kind;
	BUG("unknown attribute kind '%.*s' in an op table", (int)len, s);
}

/* Default value of a row; floats are ONNX floats, hence f32 values. */
static const Attr *parse_default(Context *c, AttrKind kind, const char *s, size_t len)
{
	int64_t i;
	double f;
	switch (kind) {
	case ATTR_INT:
		CHECK(parse_int64(s, len, &i));
		return attr_int(c, i);
	case ATTR_BOOL:
		CHECK(parse_int64(s, len, &i));
		return attr_bool(c, i != 0);
	case ATTR_FLOAT:
		CHECK(parse_double(s, len, &f));
		return attr_float(c, (double)(float)f);
	case ATTR_STR:
		return attr_str(c, str_n(c, s, len));
	default:
		BUG("attribute default '%.*s' of a kind that takes none", (int)len, s);
	}
}

/* One attribute "name:kind", "name:kind?" or "name:kind=default". */
static AttrDef parse_attr(Context *c, const char *s, size_t len)
{
	AttrDef a = { 0 };
	const char *end = s + len, *colon = memchr(s, ':', len);
	CHECK(colon);
	Str *name = str_n(c, s, (size_t)(colon - s));
	a.name = (AttrName)name->known;
	const char *kind = colon + 1;
	const char *eq = memchr(kind, '=', (size_t)(end - kind));
	const char *kind_end = eq ? eq : end;
	if (kind_end > kind && kind_end[-1] == '?') {
		a.optional = true;
		kind_end--;
	}
	a.kind = parse_kind(kind, (size_t)(kind_end - kind));
	if (eq)
		a.fallback = parse_default(c, a.kind, eq + 1, (size_t)(end - eq - 1));
	return a;
}

static void parse_attrs(Context *c, OpDef *d)
{
	size_t n = 0;
	for (const char *s = d->attr_text; *s; s++)
		n += *s == ':';
	if (!n)
		return;
	AttrDef *attrs = NEW_ARRAY(c->arena, AttrDef, n);
	const char *s = d->attr_text;
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(s, " ");
		attrs[i] = parse_attr(c, s, len);
		/* Attributes of dialect ops have no default here: whether they may be absent depends on the opset. */
		if (d->kind > OP_CORE_END)
			attrs[i].optional = true;
		s += len;
		s += strspn(s, " ");
	}
	d->attrs = attrs;
	d->nattrs = n;
}

/* Parses a row's texts. */
static const OpDef *row_new(Context *c, OpKind kind)
{
	OpDef *d = NEW(c->arena, OpDef);
	const RowText *r = &row_texts[kind];
	d->kind = kind;
	d->name = str(c, r->name);
	d->operands = r->operands;
	d->results = r->results;
	d->attr_text = r->attrs;
	d->form = r->form;
	d->traits = r->traits;
	d->infer = r->infer;
	d->eval = r->eval;
	parse_arity(d->operands, &d->min_operands, &d->max_operands);
	parse_arity(d->results, &d->min_results, &d->max_results);
	parse_attrs(c, d);
	return d;
}

const OpDef *op_def(const Context *c, OpKind kind)
{
	CHECK(kind > OP_UNKNOWN && kind < OP_KIND_COUNT && row_texts[kind].name);
	const OpDef **row = &table_of(c)->rows[kind];
	return *row ? *row : (*row = row_new((Context *)c, kind));
}

static const OpDef *find_row(Context *c, const Str *name)
{
	if (name->op)
		return op_def(c, (OpKind)name->op);
	OpDef **slot = (OpDef **)map_slot(&table_of(c)->unknown, MAP_PTR(name));
	if (*slot)
		return *slot;
	OpDef *d = NEW(c->arena, OpDef);
	d->kind = OP_UNKNOWN;
	d->name = name;
	d->operands = "xs*";
	d->results = "ys*";
	d->attr_text = "";
	d->max_operands = d->max_results = UINT16_MAX;
	*slot = d;
	return d;
}

const OpDef *op_def_find(Context *c, const char *full_name, size_t len)
{
	return find_row(c, str_n(c, full_name, len));
}

const OpDef *op_def_onnx(Context *c, const Str *domain, const Str *op_type)
{
	bool standard = !domain || domain->len == 0 || (domain->len == 7 && !memcmp(domain->s, "ai.onnx", 7));
	if (!standard)
		return find_row(c, str_fmt(c, "onnx.%s::%s", domain->s, op_type->s));
	OpTable *t = table_of(c);
	const OpDef *d = map_get(&t->by_onnx_type, MAP_PTR(op_type));
	if (!d) {
		d = find_row(c, str_fmt(c, "onnx.%s", op_type->s));
		map_put(&t->by_onnx_type, MAP_PTR(op_type), (void *)d);
	}
	return d;
}

const AttrDef *op_attr_def(const OpDef *d, AttrName a)
{
	for (size_t i = 0; i < d->nattrs; i++)
		if (d->attrs[i].name == a)
			return &d->attrs[i];
	return NULL;
}

bool op_operand_optional(const OpDef *d, size_t i)
{
	const char *t = d->operands;
	if (d->kind == OP_UNKNOWN)
		return true;
	for (;; i--) {
		size_t len = strcspn(t, " ");
		char mark = len ? t[len - 1] : 0;
		if (i == 0 || mark == '*' || !t[len])
			return mark == '?';
		t += len + 1;
	}
}

/* The op's attribute, or the default of its row, or NULL. */
static const Attr *attr_or_default(const Op *op, AttrName a)
{
	const Attr *v = op_attr(op, a);
	if (v)
		return v;
	const AttrDef *d = op_attr_def(op->def, a);
	return d ? d->fallback : NULL;
}

static bool types_agree(const Type *a, const Type *b)
{
	if (a == b || a->kind == TYPE_UNKNOWN || b->kind == TYPE_UNKNOWN)
		return true;
	if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR || a->dtype != b->dtype || a->text != b->text || a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++) {
		int64_t x, y;
		if (sym_const(a->dims[d], &x) && sym_const(b->dims[d], &y) && x != y)
			return false;
	}
	return true;
}

bool op_types_agree(const Op *a, const Op *b)
{
	if (!op_is_shlo(a) || a->nresults != b->nresults)
		return !op_is_shlo(a);
	for (size_t i = 0; i < a->nresults; i++)
		if (!types_agree(a->results[i]->type, b->results[i]->type))
			return false;
	return true;
}

int64_t op_int(const Op *op, AttrName a)
{
	const Attr *v = attr_or_default(op, a);
	return v && (v->kind == ATTR_INT || v->kind == ATTR_BOOL) ? v->u.i : 0;
}

double op_float(const Op *op, AttrName a)
{
	const Attr *v = attr_or_default(op, a);
	if (v && v->kind == ATTR_FLOAT)
		return v->u.f;
	return v && v->kind == ATTR_INT ? (double)v->u.i : 0;
}

const char *op_text(const Op *op, AttrName a)
{
	const Attr *v = attr_or_default(op, a);
	return v && v->kind == ATTR_STR ? v->u.str->s : "";
}

DType op_dtype(const Op *op, AttrName a)
{
	const Attr *v = attr_or_default(op, a);
	DType d;
	if (v && v->kind == ATTR_STR && dtype_parse(v->u.str->s, v->u.str->len, &d))
		return d;
	return DT_NONE;
}

const Attr *attr_dtype(Context *c, DType d)
{
	return attr_str(c, str(c, dtype_name(d)));
}

bool axis_norm(int64_t axis, int rank, int *out)
{
	if (axis < -(int64_t)rank || axis >= rank)
		return false;
	*out = (int)(axis < 0 ? axis + rank : axis);
	return true;
}

bool op_perm(const Op *op, int rank, int *perm)
{
	const int64_t *v;
	if (!op_attr(op, A_perm)) {
		for (int i = 0; i < rank; i++)
			perm[i] = rank - 1 - i;
		return true;
	}
	size_t n = op_attr_ints(op, A_perm, &v);
	bool seen[MAX_RANK] = { false };
	if (rank < 0 || rank > MAX_RANK || n != (size_t)rank)
		return false;
	for (int i = 0; i < rank; i++) {
		if (!axis_norm(v[i], rank, &perm[i]) || seen[perm[i]])
			return false;
		seen[perm[i]] = true;
	}
	return true;
}
