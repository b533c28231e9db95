#include "mlir.h"

#include <string.h>

/* Names of values. Most are numbers: those index a table, in pieces that never move; other names are interned and looked up. A
 * name in a scope is the pointer of its text, or an odd number, 2n + 1. */

#define MAX_SUGGESTIONS 4096
#define PIECE 256

/* A number as printers write it, and not larger than the text, so that a few bytes cannot ask for much memory. */
static bool is_numbered(const Parser *p, const Token *t, size_t *out)
{
	size_t n = t->len - 1, v = 0;
	if (n > 9 || (n > 1 && t->s[1] == '0'))
		return false;
	for (size_t i = 1; i <= n; i++) {
		if (t->s[i] < '0' || t->s[i] > '9')
			return false;
		v = v * 10 + (size_t)(t->s[i] - '0');
	}
	*out = v;
	return v <= (size_t)(p->lex.end - p->lex.start);
}

const Str *value_key(Parser *p, const Token *t)
{
	return str_n(p->c, t->s + 1, t->len - 1);
}

static ValueDef *numbered(const Parser *p, size_t n)
{
	ValueDef *piece = n / PIECE < p->numbered.len ? p->numbered.data[n / PIECE] : NULL;
	return piece ? &piece[n % PIECE] : NULL;
}

static ValueDef *numbered_slot(Parser *p, size_t n)
{
	while (p->numbered.len <= n / PIECE)
		VEC_PUSH(p->scratch, &p->numbered, NULL);
	ValueDef **piece = &p->numbered.data[n / PIECE];
	if (!*piece)
		*piece = NEW_ARRAY(p->scratch, ValueDef, PIECE);
	return &(*piece)[n % PIECE];
}

static ValueDef *named_slot(Parser *p, const Str *key)
{
	void **slot = map_slot(&p->values, MAP_PTR(key));
	if (!*slot)
		*slot = NEW(p->scratch, ValueDef);
	return *slot;
}

size_t scope_mark(const Parser *p)
{
	return p->scope.len;
}

void scope_pop(Parser *p, size_t mark)
{
	while (p->scope.len > mark) {
		uint64_t key = p->scope.data[--p->scope.len];
		ValueDef *d = key % 2 ? numbered(p, (size_t)(key / 2)) : map_get(&p->values, key);
		d->values = NULL;
	}
}

bool define_value(Parser *p, const Token *name, Value **values, size_t n)
{
	size_t number = 0;
	const Str *key = is_numbered(p, name, &number) ? NULL : value_key(p, name);
	ValueDef *d = key ? named_slot(p, key) : numbered_slot(p, number);
	if (d->values) {
		parse_error(p, name, "value %.*s is already defined", (int)(name->len < 100 ? name->len : 100), name->s);
		Loc loc = token_loc(p, &d->at);
		diag_note(p->d, &loc, "the first definition is here");
		return false;
	}
	*d = (ValueDef){ values, n, *name };
	VEC_PUSH(p->scratch, &p->scope, key ? MAP_PTR(key) : 2 * (uint64_t)number + 1);
	if (key && n == 1 && values[0] && is_value_name(key->s, key->len))
		value_set_name(values[0], key);
	return true;
}

static bool undefined_value(Parser *p, const Token *t)
{
	VEC(const char *) names = { 0 };
	const Str *key = value_key(p, t);
	parse_error(p, t, "value %.*s is not defined", (int)(t->len < 100 ? t->len : 100), t->s);
	for (size_t i = p->scope.len; i > 0 && names.len < MAX_SUGGESTIONS; i--) {
		uint64_t known = p->scope.data[i - 1];
		VEC_PUSH(p->scratch, &names, known % 2 ? arena_printf(p->scratch, "%llu", (unsigned long long)(known / 2)) :
			((const Str *)(uintptr_t)known)->s);
	}
	const char *near = names.len ? nearest_name(key->s, names.data, names.len) : NULL;
	if (near)
		diag_hint(p->d, "did you mean %%%s?", near);
	return false;
}

static const ValueDef *find_value(Parser *p, const Token *t)
{
	size_t number;
	const ValueDef *d = is_numbered(p, t, &number) ? numbered(p, number) : map_get(&p->values, MAP_PTR(value_key(p, t)));
	return d && d->values ? d : NULL;
}

/* %x or %x#1. */
bool parse_use(Parser *p, Value **out)
{
	Token t = p->tok;
	int64_t index = 0;
	if (!at(p, T_VALUE))
		return tok_expected(p, "an operand such as %x");
	tok_next(p);
	const ValueDef *d = find_value(p, &t);
	if (!d)
		return undefined_value(p, &t);
	if (at(p, T_HASH) && tok_adjacent(p)) {
		if (!parse_int64(p->tok.s + 1, p->tok.len - 1, &index) || index < 0 || (uint64_t)index >= d->n)
			return parse_error(p, &p->tok, "%.*s has %zu results", (int)(t.len < 100 ? t.len : 100), t.s, d->n);
		tok_next(p);
	}
	*out = d->values[index];
	return true;
}
