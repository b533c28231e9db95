/* Interned strings, quoting for messages, spelling suggestions. */
#include "base.h"

#include <string.h>

enum {
	QUOTE_LIMIT = 120, /* bytes of the original text that a message shows */
	NAME_LIMIT = 64    /* longer names get no spelling suggestion */
};

/* The hash stands beside the pointer: most probes of a large table need not look at the string. */
typedef struct StrSlot {
	Str *str; /* NULL: free */
	uint32_t hash;
} StrSlot;

struct StrTable {
	Arena *arena;
	const FixedStrs *fixed; /* may be NULL */
	StrSlot *slots; /* open addressing, a power of two, at most three quarters full */
	size_t nslots, len;
};

StrTable *str_table_new(Arena *a, const FixedStrs *fixed)
{
	StrTable *t = NEW(a, StrTable);
	t->arena = a;
	t->fixed = fixed;
	t->nslots = 256;
	t->slots = NEW_ARRAY(a, StrSlot, t->nslots);
	return t;
}

static void grow(StrTable *t)
{
	size_t nslots = t->nslots * 2;
	StrSlot *slots = NEW_ARRAY(t->arena, StrSlot, nslots);
	for (size_t i = 0; i < t->nslots; i++) {
		StrSlot s = t->slots[i];
		if (!s.str)
			continue;
		size_t at = s.hash & (nslots - 1);
		while (slots[at].str)
			at = (at + 1) & (nslots - 1);
		slots[at] = s;
	}
	t->slots = slots;
	t->nslots = nslots;
}

static bool is_text(const Str *have, const char *s, size_t len)
{
	return have->len == len && (!len || !memcmp(have->s, s, len));
}

static Str *find_fixed(const FixedStrs *f, uint32_t hash, const char *s, size_t len)
{
	for (size_t at = hash & (f->nslots - 1); f->slots[at]; at = (at + 1) & (f->nslots - 1)) {
		Str *found = f->strs[f->slots[at] - 1];
		if (found->hash == hash && is_text(found, s, len))
			return found;
	}
	return NULL;
}

Str *str_intern(StrTable *t, const char *s, size_t len)
{
	if (len > UINT32_MAX)
		mem_fail();
	uint32_t hash = (uint32_t)hash_bytes(s, len, 0);
	Str *fixed = t->fixed ? find_fixed(t->fixed, hash, s, len) : NULL;
	if (fixed)
		return fixed;
	size_t at = hash & (t->nslots - 1);
	for (; t->slots[at].str; at = (at + 1) & (t->nslots - 1))
		if (t->slots[at].hash == hash && is_text(t->slots[at].str, s, len))
			return t->slots[at].str;
	Str *made = arena_alloc(t->arena, sizeof(Str) + len + 1);
	made->len = (uint32_t)len;
	made->hash = hash;
	if (len)
		memcpy(made->s, s, len);
	t->slots[at] = (StrSlot){ made, hash };
	if (++t->len > t->nslots / 4 * 3)
		grow(t);
	return made;
}

size_t utf8_length(const uint8_t *s, size_t len)
{
	if (s[0] < 0x80)
		return 1;
	size_t n = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : s[0] >= 0xE0 && s[0] <= 0xEF ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
	if (n == 0 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
	    (s[0] == 0xF4 && s[1] > 0x8F))
		return 0;
	return n;
}

/* Writes one character (or one bad byte) escaped to out; returns the bytes written (at most 4). */
static size_t put_escaped(char *out, const uint8_t *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	/* C1 controls (U+0080..U+009F) can drive terminals too */
	bool control = n == 0 || s[0] < 0x20 || s[0] == 0x7F || (s[0] == 0xC2 && s[1] < 0xA0);
	if (!control && s[0] != '"' && s[0] != '\\') {
		memcpy(out, s, n);
		return n;
	}
	out[0] = '\\';
	switch (s[0]) {
	case '"': case '\\': out[1] = (char)s[0]; return 2;
	case '\n': out[1] = 'n'; return 2;
	case '\t': out[1] = 't'; return 2;
	case '\r': out[1] = 'r'; return 2;
	default: break;
	}
	out[1] = 'x';
	out[2] = hex[s[0] >> 4];
	out[3] = hex[s[0] & 15];
	return 4;
}

/* Characters that are not seen, but turn the text around them: U+200B to U+200F, U+2028 to U+202E, U+2066 to U+2069, BOM. */
static bool is_direction_mark(const uint8_t *p)
{
	if (p[0] == 0xE2 && p[1] == 0x80)
		return (p[2] >= 0x8B && p[2] <= 0x8F) || (p[2] >= 0xA8 && p[2] <= 0xAE);
	return (p[0] == 0xE2 && p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9) || (p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF);
}

const char *quote(Arena *a, const char *s, size_t len)
{
	char out[QUOTE_LIMIT * 4 + 8];
	const uint8_t *p = (const uint8_t *)s;
	size_t n = 0, i = 0;
	out[n++] = '"';
	while (i < len) {
		size_t step = utf8_length(p + i, len - i);
		if (i + (step ? step : 1) > QUOTE_LIMIT)
			break;
		if (step == 2 && p[i] == 0xC2 && p[i + 1] < 0xA0)
			step = 0; /* a C1 control: byte by byte */
		if (step == 3 && is_direction_mark(p + i))
			step = 0;
		n += put_escaped(out + n, p + i, step);
		i += step ? step : 1;
	}
	out[n++] = '"';
	if (i < len) {
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n++] = '\0';
	return arena_dup(a, out, n);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned min2(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edit distance with swaps of neighbours, three rows of the usual table; case is ignored. Anything above `limit` when it is
 * above: no way through the table leads past two rows that are. */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit)
{
	unsigned rows[3][NAME_LIMIT + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2], least_before = 0;
	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned least = (unsigned)i;
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);
			row[j] = min2(last[j - 1] + !same, min2(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = min2(row[j], before[j - 2] + 1);
			least = min2(least, row[j]);
		}
		if (least > limit && least_before > limit)
			return limit + 1;
		least_before = least;
		unsigned *spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[nb];
}

/* One bit for each letter that is there; upper and lower case alike. */
static uint32_t letters(const char *s, size_t len)
{
	uint32_t set = 0;
	for (size_t i = 0; i < len; i++)
		set |= UINT32_C(1) << (s[i] & 31);
	return set;
}

/* Near: at most a third of the letters differ. Most names are far, and seen to be so by their length or their letters: each
 * change adds or removes one letter at most. */
const char *nearest_name(const char *s, const char *const *names, size_t n)
{
	size_t len = strlen(s);
	uint32_t have = letters(s, len);
	const char *best = NULL;
	unsigned limit = (unsigned)(len + 2) / 3;
	if (len == 0 || len > NAME_LIMIT)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = names[i] ? strlen(names[i]) : 0;
		if (other == 0 || other > NAME_LIMIT || other > len + limit || len > other + limit)
			continue;
		uint32_t there = letters(names[i], other);
		if ((unsigned)__builtin_popcount(have & ~there) > limit || (unsigned)__builtin_popcount(there & ~have) > limit)
			continue;
		unsigned dist = edit_distance(s, len, names[i], other, limit);
		if (dist <= limit && dist < other) {
			best = names[i];
			if (dist == 0)
				break;
			limit = dist - 1; /* of equals the first wins */
		}
	}
	return best;
}
