#include "mlir.h"

#include <string.h>

/* Outline of dense<...> : type. The type decides how the literal is read and stands behind it, so the literal is skipped
 * first and read again once the type is known. */

typedef struct DensePlan {
	const Type *type;
	DType d;
	int64_t count;
	size_t size;     /* bytes of an unpacked element */
	uint8_t *data;   /* unpacked elements */
	int64_t next;
} DensePlan;

static bool dense_plan(Parser *p, const Type *t, const Token *where, DensePlan *plan)
{
	Buf b = { 0 };
	*plan = (DensePlan){ .type = t, .d = t->dtype };
	size_t bytes;
	if (t->kind == TYPE_TENSOR && type_static_numel(t, &plan->count) && t->dtype != DT_NONE &&
		dtype_packed_bytes(t->dtype, plan->count, &bytes)) {
		plan->size = dtype_size(t->dtype);
		return true;
	}
	print_type(p->c, t, &b);
	parse_error(p, where, "constant of type %s, expected a tensor type with known sizes", b.data);
	buf_free(&b);
	return false;
}

/* Takes unpacked elements over and gives them as a blob. */
static Blob *blob_of_elements(Parser *p, DType d, uint8_t *elements, int64_t count)
{
	size_t packed;
	if (d != DT_STR && dtype_bits(d) < 8) {
		dtype_packed_bytes(d, count, &packed);
		uint8_t *bytes = mem_alloc(packed ? packed : 1);
		dtype_pack(d, elements, count, bytes);
		mem_free(elements);
		return blob_heap(p->c, bytes, packed);
	}
	return blob_heap(p->c, elements, (size_t)count * dtype_size(d));
}

/* ---- nested lists ---- */

static bool shape_error(Parser *p, const DensePlan *plan, int dim, int64_t found)
{
	int64_t want = 0;
	sym_const(plan->type->dims[dim], &want);
	if (found >= want)
		return parse_error(p, &p->tok, "more than %lld elements along dimension %d", (long long)want, dim);
	return parse_error(p, &p->tok, "%lld elements along dimension %d, expected %lld", (long long)found, dim, (long long)want);
}

static bool parse_elements(Parser *p, DensePlan *plan, int dim)
{
	if (dim == plan->type->rank) {
		if (!parse_number(p, plan->d, plan->data + (size_t)plan->next * plan->size))
			return false;
		plan->next++;
		return true;
	}
	int64_t want = 0, n = 0;
	sym_const(plan->type->dims[dim], &want);
	if (!tok_expect(p, T_LBRACKET, "'['"))
		return false;
	for (; !at(p, T_RBRACKET); n++) {
		if (n && !tok_expect(p, T_COMMA, "',' or ']'"))
			return false;
		if (n == want)
			return shape_error(p, plan, dim, n);
		if (!parse_elements(p, plan, dim + 1))
			return false;
	}
	if (n != want)
		return shape_error(p, plan, dim, n);
	tok_next(p);
	return true;
}

/* Every element takes at least one character, so the text bounds what is allocated. */
static Blob *parse_list_blob(Parser *p, DensePlan *plan, const Token *where, size_t text)
{
	if ((uint64_t)plan->count > text)
		return parse_error(p, where, "fewer elements than the %lld of the type", (long long)plan->count), NULL;
	size_t bytes = (size_t)plan->count * plan->size;
	Blob *b = blob_heap(p->c, mem_zalloc(bytes ? bytes : 1), bytes);
	plan->data = (uint8_t *)b->data;
	if (plan->count > 0 || at(p, T_LBRACKET)) {
		if (!parse_elements(p, plan, 0)) {
			blob_unref(b);
			return NULL;
		}
	}
	if (plan->d == DT_STR || dtype_bits(plan->d) >= 8)
		return b;
	uint8_t *copy = mem_alloc(bytes ? bytes : 1);
	memcpy(copy, b->data, bytes);
	blob_unref(b);
	return blob_of_elements(p, plan->d, copy, plan->count);
}

static Blob *parse_splat(Parser *p, const DensePlan *plan)
{
	union {
		uint8_t bytes[16];
		const Str *str;
	} element = { { 0 } };
	return parse_number(p, plan->d, &element) ? blob_splat(p->c, plan->d, &element) : NULL;
}

/* ---- bytes ---- */

/* Sub-byte elements come one a byte or packed; i1 one a byte or eight. Takes `bytes` over. */
static Blob *blob_of_bytes(Parser *p, const DensePlan *plan, uint8_t *bytes, size_t n, const Token *where)
{
	size_t packed;
	dtype_packed_bytes(plan->d, plan->count, &packed);
	uint64_t count = (uint64_t)plan->count, unpacked = count * plan->size;
	if (plan->d != DT_STR && n == packed)
		return blob_heap(p->c, bytes, n);
	if (plan->d != DT_STR && n == unpacked)
		return blob_of_elements(p, plan->d, bytes, plan->count);
	if (plan->d == DT_BOOL && n == count / 8 + (count % 8 != 0)) {
		uint8_t *wide = mem_alloc(count ? (size_t)count : 1);
		for (size_t i = 0; i < count; i++)
			wide[i] = bytes[i / 8] >> (i % 8) & 1;
		mem_free(bytes);
		return blob_heap(p->c, wide, (size_t)count);
	}
	mem_free(bytes);
	if (plan->d == DT_STR)
		parse_error(p, where, "strings have no hexadecimal form");
	else
		parse_error(p, where, "%zu bytes, but the type takes %zu", n, packed);
	return NULL;
}

static Blob *parse_hex_blob(Parser *p, const DensePlan *plan)
{
	uint8_t *bytes;
	size_t n;
	Token t = p->tok;
	if (!parse_hex_string(p, &t, NULL, 0, &bytes, &n))
		return NULL;
	tok_next(p);
	return blob_of_bytes(p, plan, bytes, n, &t);
}

static bool at_hex_string(const Parser *p)
{
	return at(p, T_STRING) && p->tok.len >= 4 && p->tok.s[1] == '0' && p->tok.s[2] == 'x';
}

/* The literal between the angle brackets. */
static Blob *parse_literal_blob(Parser *p, DensePlan *plan, const Token *where, size_t text)
{
	if (at_hex_string(p) && plan->d != DT_STR)
		return parse_hex_blob(p, plan);
	if (at(p, T_LBRACKET) || (at(p, T_GREATER) && plan->count == 0) || plan->type->rank == 0)
		return parse_list_blob(p, plan, where, text);
	return parse_splat(p, plan);
}

/* The quick way for lists of plain numbers; NULL without a diagnostic when the literal is another one. inside: behind "<",
 * end: at the ">". */
static Blob *parse_plain_list(Parser *p, const DensePlan *plan, const Lexer *inside, const char *end)
{
	size_t text = (size_t)(end - inside->p), bytes = (size_t)plan->count * plan->size;
	if (plan->count == 0 || (uint64_t)plan->count > text || plan->d == DT_STR)
		return NULL;
	uint8_t *elements = mem_alloc(bytes);
	Lexer pass = p->lex;
	pass.resident = pass.resident ? inside->p : NULL;
	if (list_read(&pass, inside->p, end, plan->type, elements))
		return blob_of_elements(p, plan->d, elements, plan->count);
	mem_free(elements);
	return NULL;
}

/* The same token by token. */
static Blob *parse_any_literal(Parser *p, DensePlan *plan, const Token *open, const Lexer *inside, size_t text)
{
	Lexer lex = p->lex;
	Token tok = p->tok;
	const char *last_end = p->last_end;
	p->lex = *inside;
	tok_next(p);
	Blob *b = parse_literal_blob(p, plan, open, text);
	if (b && !at(p, T_GREATER)) {
		tok_expected(p, "'>'");
		blob_unref(b);
		return NULL;
	}
	p->lex = lex;
	p->tok = tok;
	p->last_end = last_end;
	return b;
}

/* From the "<" behind the ">". *plain: between them are plain lists. */
static bool skip_literal(Parser *p, bool *plain)
{
	*plain = list_skip(&p->lex);
	if (!*plain)
		return parse_group_skip(p);
	p->last_end = p->lex.p;
	p->tok = lex_next(&p->lex);
	return true;
}

static const Attr *parse_dense_literal(Parser *p)
{
	Token start = p->tok;
	bool plain;
	tok_next(p);
	if (!at(p, T_LESS))
		return tok_expected(p, "'<'"), NULL;
	Token open = p->tok;
	Lexer inside = p->lex;
	if (!skip_literal(p, &plain))
		return NULL;
	const char *end = p->last_end - 1;
	if (!tok_expect(p, T_COLON, "':' and the type"))
		return NULL;
	const Type *t = parse_type(p);
	if (!t)
		return NULL;
	if (t->kind == TYPE_OPAQUE || (t->kind == TYPE_TENSOR && t->text && t->dtype == DT_NONE))
		return attr_make(p->c, (Attr){ .kind = ATTR_TEXT, .u.str = source_text(p, start.s) });
	DensePlan plan;
	if (!dense_plan(p, t, &open, &plan))
		return NULL;
	Blob *b = plain ? parse_plain_list(p, &plan, &inside, end) : NULL;
	if (!b)
		b = parse_any_literal(p, &plan, &open, &inside, (size_t)(end - start.s) + 1);
	return b ? attr_tensor(p->c, t, b) : NULL;
}

/* ---- resources ---- */

/* The bytes come later: the attribute gets an empty blob that parse_resources fills. Uses of a key share it. */
static const Attr *parse_dense_resource(Parser *p)
{
	Token start = p->tok;
	const Str *key;
	tok_next(p);
	if (!tok_expect(p, T_LESS, "'<'"))
		return NULL;
	if (at(p, T_STRING)) {
		if (!parse_string(p, &key))
			return NULL;
	} else if (at(p, T_WORD)) {
		key = str_n(p->c, p->tok.s, p->tok.len);
		tok_next(p);
	} else {
		return tok_expected(p, "the name of a resource"), NULL;
	}
	if (!tok_expect(p, T_GREATER, "'>'") || !tok_expect(p, T_COLON, "':' and the type"))
		return NULL;
	const Type *t = parse_type(p);
	DensePlan plan;
	if (!t || !dense_plan(p, t, &start, &plan))
		return NULL;
	void **slot = map_slot(&p->resources, MAP_PTR(key));
	Resource *r = *slot;
	while (r && r->type != t)
		r = r->next;
	if (!r) {
		r = NEW(p->scratch, Resource);
		*r = (Resource){ .key = key, .type = t, .at = start, .next = *slot };
		r->blob = blob_heap(p->c, NULL, 0);
		*slot = r;
	}
	return attr_tensor(p->c, t, blob_ref(r->blob));
}

const Attr *parse_dense(Parser *p)
{
	return tok_at_word(p, "dense") ? parse_dense_literal(p) : parse_dense_resource(p);
}

static bool resource_fill(Parser *p, Resource *r, const Token *t)
{
	DensePlan plan;
	uint8_t *bytes, head[4] = { 0 };
	size_t n;
	if (r->found)
		return parse_error(p, t, "resource %s is given twice", quote(p->scratch, r->key->s, r->key->len));
	if (!dense_plan(p, r->type, t, &plan) || !parse_hex_string(p, t, head, sizeof head, &bytes, &n))
		return false;
	if (t->len < 4 + 2 * sizeof head) { /* with its quotes and 0x */
		mem_free(bytes);
		return parse_error(p, t, "a resource begins with 4 bytes of alignment");
	}
	uint32_t align = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
	if (align == 0 || (align & (align - 1)) != 0) {
		mem_free(bytes);
		return parse_error(p, t, "an alignment of %u, expected a power of 2", (unsigned)align);
	}
	Blob *b = blob_of_bytes(p, &plan, bytes, n, t);
	if (!b)
		return false;
	r->blob->data = b->data; /* nobody has looked at the empty blob yet */
	r->blob->len = b->len;
	b->data = NULL;
	b->len = 0;
	blob_unref(b);
	r->found = true;
	return true;
}

static bool parse_resource_key(Parser *p, const Str **key)
{
	if (at(p, T_STRING) && !parse_string(p, key))
		return false;
	if (at(p, T_WORD)) {
		*key = str_n(p->c, p->tok.s, p->tok.len);
		tok_next(p);
	}
	if (!*key)
		return tok_expected(p, "a name");
	return tok_expect(p, T_COLON, "':'");
}

/* `name: "0x...", ...` between braces. */
static bool parse_blobs(Parser *p)
{
	if (!tok_expect(p, T_LBRACE, "'{'"))
		return false;
	for (bool first = true; !tok_accept(p, T_RBRACE); first = false) {
		const Str *key = NULL;
		if ((!first && !tok_expect(p, T_COMMA, "',' or '}'")) || !parse_resource_key(p, &key))
			return false;
		Token t = p->tok;
		if (!at(p, T_STRING))
			return tok_expected(p, "a string \"0x...\"");
		for (Resource *r = map_get(&p->resources, MAP_PTR(key)); r; r = r->next)
			if (!resource_fill(p, r, &t))
				return false;
		tok_next(p);
	}
	return true;
}

/* {-# dialect_resources: { builtin: { ... } }, external_resources: { ... } #-}; other parts are skipped. */
bool parse_resources(Parser *p)
{
	tok_next(p);
	for (bool first = true; !tok_accept(p, T_META_END); first = false) {
		const Str *section = NULL, *dialect, *text;
		if ((!first && !tok_expect(p, T_COMMA, "',' or '#-}'")) || !parse_resource_key(p, &section))
			return false;
		if (strcmp(section->s, "dialect_resources") != 0) {
			if (!at(p, T_LBRACE))
				return tok_expected(p, "'{'");
			if (!parse_group_text(p, p->tok.s, &text))
				return false;
			continue;
		}
		if (!tok_expect(p, T_LBRACE, "'{'"))
			return false;
		for (bool start = true; !tok_accept(p, T_RBRACE); start = false) {
			dialect = NULL;
			if ((!start && !tok_expect(p, T_COMMA, "',' or '}'")) || !parse_resource_key(p, &dialect) || !parse_blobs(p))
				return false;
		}
	}
	return true;
}

bool resources_finish(Parser *p)
{
	for (uint32_t i = 0; i < p->resources.len; i++)
		for (Resource *r = p->resources.entries[i].value; r; r = r->next)
			if (!r->found) {
				parse_error(p, &r->at, "resource %s is not in the file", quote(p->scratch, r->key->s, r->key->len));
				diag_hint(p->d, "the text was printed with elided constants; print it in full");
				return false;
			}
	for (uint32_t i = 0; i < p->resources.len; i++)
		for (Resource *r = p->resources.entries[i].value; r; r = r->next)
			blob_unref(r->blob); /* the attributes hold their own references */
	return true;
}
