#include "mlir.h"

#include <string.h>

/* Types, attributes and names of ops that were read, by their texts: a module has few different ones. Only texts that mean the
 * same wherever they stand are kept: without aliases, and without "?", each of which is another unknown size. They are short,
 * lie on one line, and hold few brackets, so that taking one as a whole passes no limit of nesting that reading it would meet.
 * A slot holds the last text that belongs there. */

enum { LONGEST = 240, DEEPEST = 4, MOST_SLOTS = 1024, FEWEST_SLOTS = 16, BYTES_A_SLOT = 32 };

struct SeenText {
	const char *s;         /* in the text that is read */
	uint32_t len;
	SeenKind kind;
	const void *what;
};

static uint64_t word_at(const char *s)
{
	uint64_t v;
	memcpy(&v, s, sizeof v);
	return v;
}

/* Four words of the text will do: texts that share a slot cost a miss, nothing more. */
static SeenText *slot_of(const Parser *p, SeenKind kind, const char *s, size_t len)
{
	const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
	if (len < sizeof(uint64_t))
		return &p->seen[hash_bytes(s, len, kind) & (p->nseen - 1)];
	size_t last = len - sizeof(uint64_t), third = last / 3;
	uint64_t h = (word_at(s) ^ len << 8 ^ kind) * odd;
	h = (h ^ h >> 32 ^ word_at(s + third)) * odd;
	h = (h ^ h >> 32 ^ word_at(s + 2 * third)) * odd;
	h = (h ^ h >> 32 ^ word_at(s + last)) * odd;
	return &p->seen[h >> 32 & (p->nseen - 1)];
}

const void *seen_find(const Parser *p, SeenKind kind, const char *s, size_t len)
{
	if (!p->seen || len == 0)
		return NULL;
	const SeenText *t = slot_of(p, kind, s, len);
	return t->what && t->kind == kind && t->len == len && !memcmp(t->s, s, len) ? t->what : NULL;
}

void seen_put(Parser *p, SeenKind kind, const char *s, size_t len, const void *what)
{
	if (!p->seen) {
		size_t want = (size_t)(p->lex.end - p->lex.start) / BYTES_A_SLOT;
		for (p->nseen = FEWEST_SLOTS; p->nseen < want && p->nseen < MOST_SLOTS;)
			p->nseen *= 2;
		p->seen = NEW_ARRAY(p->scratch, SeenText, p->nseen);
	}
	*slot_of(p, kind, s, len) = (SeenText){ s, (uint32_t)len, kind, what };
}

void seen_forget(Parser *p)
{
	if (p->seen)
		memset(p->seen, 0, p->nseen * sizeof *p->seen);
}

void seen_take(Parser *p, size_t len)
{
	p->lex.p = p->last_end = p->tok.s + len;
	p->tok = lex_next(&p->lex);
}

/* 2: letters and digits, 1: others that plain texts hold: _ . $ blank , : = + - [ ] < > */
static const uint8_t plain[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0, 1, 1, 1, 0,
	0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0, 1, 0, 1,
	0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0,
};

/* From "<" behind the ">" that closes it; NULL when the group is not plain. */
static const char *plain_group(const char *s, const char *end)
{
	int depth = 0;
	if (end - s > LONGEST)
		end = s + LONGEST;
	for (; s < end && plain[(uint8_t)*s]; s++) {
		if (plain[(uint8_t)*s] == 2)
			continue;
		bool comparison = s + 1 < end && s[1] == '=';
		if (*s == '-' && s + 1 < end && s[1] == '>')
			s++;
		else if ((*s == '<' || *s == '>') && comparison)
			return NULL;
		else if ((*s == '<' || *s == '[') && ++depth > DEEPEST)
			return NULL;
		else if ((*s == '>' || *s == ']') && --depth == 0)
			return *s == '>' ? s + 1 : NULL;
	}
	return NULL;
}

/* The same of a tensor type at s. */
static const char *plain_tensor(const char *s, const char *end)
{
	static const char head[] = "tensor<";
	size_t n = sizeof head - 1;
	if ((size_t)(end - s) <= n || memcmp(s, head, n))
		return NULL;
	if (end - s > LONGEST)
		end = s + LONGEST;
	for (s += n; s < end && plain[(uint8_t)*s] == 2;)
		s++;
	return s < end && *s == '>' ? s + 1 : NULL;
}

static bool deep(const Parser *p)
{
	return p->depth + 2 * DEEPEST >= p->max_depth;
}

static bool has_group(const Parser *p)
{
	return p->lex.p < p->lex.end && *p->lex.p == '<';
}

size_t seen_type_text(const Parser *p)
{
	const char *end = NULL, *s = p->tok.s;
	if (deep(p))
		return 0;
	if (at(p, T_WORD))
		end = !has_group(p) ? p->lex.p : *s == 't' ? plain_tensor(s, p->lex.end) : NULL;
	else if (at(p, T_BANG) && has_group(p) && memchr(s, '.', p->tok.len))
		end = plain_group(p->lex.p, p->lex.end);
	return end ? (size_t)(end - s) : 0;
}

size_t seen_attr_text(const Parser *p)
{
	const char *s = p->tok.s, *limit = p->lex.end;
	bool dense = at(p, T_WORD) && token_is(&p->tok, "dense");
	if (deep(p) || !has_group(p) || !(dense || (at(p, T_WORD) && token_is(&p->tok, "array")) || at(p, T_HASH)))
		return 0;
	const char *end = plain_group(p->lex.p, limit);
	if (end && dense) {
		while (end < limit && (*end == ' ' || *end == ':'))
			end++;
		end = plain_tensor(end, limit);
	}
	return end ? (size_t)(end - s) : 0;
}
