#include "write.h"

#include <math.h>
#include <string.h>

Scan scan_of(const Str *s)
{
	return (Scan){ s->s, s->s + s->len };
}

static void skip_blanks(Scan *s)
{
	while (s->s < s->end && (*s->s == ' ' || *s->s == '\n' || *s->s == '\t' || *s->s == '\r'))
		s->s++;
}

bool scan_is(Scan *s, const char *text)
{
	size_t n = strlen(text);
	skip_blanks(s);
	if ((size_t)(s->end - s->s) < n || memcmp(s->s, text, n) != 0)
		return false;
	s->s += n;
	return true;
}

bool scan_end(Scan *s)
{
	skip_blanks(s);
	return s->s == s->end;
}

static bool is_word_char(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '.';
}

bool scan_word(Scan *s, const char **word, size_t *len)
{
	skip_blanks(s);
	*word = s->s;
	while (s->s < s->end && is_word_char(*s->s))
		s->s++;
	*len = (size_t)(s->s - *word);
	return *len > 0;
}

bool scan_int(Scan *s, int64_t *out)
{
	if (scan_is(s, "?")) {
		*out = INT64_MIN;
		return true;
	}
	const char *start = s->s;
	if (s->s < s->end && *s->s == '-')
		s->s++;
	while (s->s < s->end && *s->s >= '0' && *s->s <= '9')
		s->s++;
	return parse_int64(start, (size_t)(s->s - start), out);
}

bool scan_double(Scan *s, double *out)
{
	skip_blanks(s);
	const char *start = s->s;
	while (s->s < s->end && (is_word_char(*s->s) || *s->s == '-' || *s->s == '+'))
		s->s++;
	return parse_double(start, (size_t)(s->s - start), out) && isfinite(*out);
}

bool scan_ints(Scan *s, Arena *a, int64_t **out, size_t *n)
{
	VEC(int64_t) v = { 0 };
	if (!scan_is(s, "["))
		return false;
	while (!scan_is(s, "]")) {
		int64_t x;
		if ((v.len && !scan_is(s, ",")) || !scan_int(s, &x))
			return false;
		VEC_PUSH(a, &v, x);
	}
	*out = v.data;
	*n = v.len;
	return true;
}

static int hex_digit(char ch)
{
	return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* A character of a string at s->s, which is no quote; escapes are \n, \t, \", \\ and two hexadecimal digits. */
static bool string_char(Scan *s, char *out)
{
	*out = *s->s++;
	if (*out != '\\')
		return true;
	if (s->s == s->end)
		return false;
	if (s->end - s->s >= 2 && hex_digit(s->s[0]) >= 0 && hex_digit(s->s[1]) >= 0) {
		*out = (char)(hex_digit(s->s[0]) * 16 + hex_digit(s->s[1]));
		s->s += 2;
		return true;
	}
	*out = *s->s == 'n' ? '\n' : *s->s == 't' ? '\t' : *s->s;
	s->s++;
	return true;
}

bool scan_string(Scan *s, Arena *a, const char **out, size_t *len)
{
	VEC(char) v = { 0 };
	if (!scan_is(s, "\""))
		return false;
	while (s->s < s->end && *s->s != '"') {
		char ch;
		if (!string_char(s, &ch))
			return false;
		VEC_PUSH(a, &v, ch);
	}
	*out = v.len ? v.data : "";
	*len = v.len;
	return scan_is(s, "\"");
}

bool scan_until(Scan *s, const char *stops, Scan *out)
{
	size_t depth = 0;
	char ch;
	skip_blanks(s);
	out->s = s->s;
	while (s->s < s->end && (depth || !strchr(stops, *s->s))) {
		bool arrow = *s->s == '-' && s->s + 1 < s->end && s->s[1] == '>';
		if (*s->s == '"') {
			s->s++;
			while (s->s < s->end && *s->s != '"')
				if (!string_char(s, &ch))
					return false;
		} else if (!arrow && strchr("<([{", *s->s)) {
			depth++;
		} else if (strchr(">)]}", *s->s)) {
			if (depth == 0)
				break;
			depth--;
		}
		if (s->s < s->end)
			s->s += arrow ? 2 : 1;
	}
	out->end = s->s;
	return depth == 0;
}

bool is_plain_text(const char *s, size_t len)
{
	bool quoted = false;
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (quoted ? ch == 0 || ch == '\n' : (ch < ' ' || ch > '~') && ch != '\n' && ch != '\t' && ch != '\r')
			return false;
		if (ch == '"')
			quoted = !quoted;
		else if (quoted && ch == '\\')
			i++;
	}
	return !quoted;
}
