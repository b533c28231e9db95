#include "mlir.h"

#include <string.h>

/* What a character may be part of. */
enum { C_LETTER = 1, C_DIGIT = 2, C_WORD = 4 /* of a word, behind its first */, C_NAME = 8 /* of a value's name */, C_BLANK = 16 };

static const uint8_t classes[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 0, 0, 16, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	16, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 8, 12, 0,
	14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 0, 0, 0, 0, 0, 0,
	0, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13,
	13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 0, 0, 0, 0, 13,
	0, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13,
	13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 0, 0, 0, 0, 0,
};

/* Tokens of one character that begins no longer one; 0: not one of them. */
static const uint8_t single[256] = {
	['('] = T_LPAREN, [')'] = T_RPAREN, ['}'] = T_RBRACE, ['['] = T_LBRACKET, [']'] = T_RBRACKET, ['<'] = T_LESS,
	['>'] = T_GREATER, [','] = T_COMMA, ['='] = T_EQUAL,
};

static bool is(char ch, int mask)
{
	return (classes[(uint8_t)ch] & mask) != 0;
}

static bool is_letter(char ch)
{
	return is(ch, C_LETTER);
}

static bool is_digit(char ch)
{
	return is(ch, C_DIGIT);
}

static bool is_word_char(char ch)
{
	return is(ch, C_WORD);
}

bool is_word(const char *s, size_t len)
{
	bool ok = len > 0 && is_letter(s[0]);
	for (size_t i = 1; i < len && ok; i++)
		ok = is_word_char(s[i]);
	return ok;
}

bool is_value_name(const char *s, size_t len)
{
	bool ok = len > 0 && is_letter(s[0]);
	for (size_t i = 1; i < len && ok; i++)
		ok = is_word_char(s[i]) || s[i] == '-';
	return ok;
}

int hex_value(char ch)
{
	return is_digit(ch) ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* Blanks, line ends and comments. */
static __attribute__((noinline)) void skip_blank(Lexer *l)
{
	const char *p = l->p, *end = l->end;
	while (p < end) {
		char ch = *p;
		if (is(ch, C_BLANK)) {
			p++;
			if (ch == '\n') {
				l->line++;
				l->line_start = p;
			}
		} else if (ch == '/' && p + 1 < end && p[1] == '/') {
			const char *eol = memchr(p, '\n', (size_t)(end - p));
			p = eol ? eol : end;
		} else {
			break;
		}
	}
	l->p = p;
}

/* Behind the characters of one class. */
static void skip(Lexer *l, int mask)
{
	const char *p = l->p, *end = l->end;
	while (p < end && is(*p, mask))
		p++;
	l->p = p;
}

static TokenKind bad(Lexer *l, const char *why)
{
	l->bad = why;
	return T_BAD;
}

/* At the opening quote. */
static TokenKind lex_string(Lexer *l)
{
	for (l->p++; (l->p = string_stop(l)) < l->end; l->p++) {
		if (*l->p == '"') {
			l->p++;
			return T_STRING;
		}
		if (*l->p == '\n')
			break;
		if (l->p + 1 < l->end && l->p[1] != '\n')
			l->p++;
	}
	return bad(l, "string is not closed on its line");
}

static void skip_digits(Lexer *l)
{
	skip(l, C_DIGIT);
}

/* A point makes it a float; an exponent counts only behind one. */
static TokenKind lex_number(Lexer *l)
{
	if (l->end - l->p > 2 && l->p[0] == '0' && l->p[1] == 'x' && hex_value(l->p[2]) >= 0) {
		l->p += 2;
		while (l->p < l->end && hex_value(*l->p) >= 0)
			l->p++;
		return T_INT;
	}
	skip_digits(l);
	if (l->p >= l->end || *l->p != '.')
		return T_INT;
	l->p++;
	skip_digits(l);
	if (l->p < l->end && (*l->p == 'e' || *l->p == 'E')) {
		const char *q = l->p + 1;
		q += q < l->end && (*q == '+' || *q == '-');
		if (q < l->end && is_digit(*q)) {
			l->p = q;
			skip_digits(l);
		}
	}
	return T_FLOAT;
}

/* Behind a sigil: a number, or letters, digits, "$", ".", "_" and "-". */
static bool lex_suffix(Lexer *l)
{
	const char *start = l->p;
	if (l->p < l->end && is_digit(*l->p)) {
		skip_digits(l);
		return true;
	}
	const char *p = start, *end = l->end;
	while (p < end && is(*p, C_NAME) && !(*p == '-' && p + 1 < end && p[1] == '>'))
		p++;
	l->p = p;
	return p > start;
}

static TokenKind lex_sigil(Lexer *l, TokenKind kind, const char *why)
{
	l->p++;
	return lex_suffix(l) ? kind : bad(l, why);
}

static TokenKind lex_symbol(Lexer *l)
{
	l->p++;
	if (l->p < l->end && *l->p == '"')
		return lex_string(l) == T_STRING ? T_SYMBOL : T_BAD;
	if (l->p >= l->end || !is_letter(*l->p))
		return bad(l, "@ without a name");
	skip(l, C_WORD);
	return T_SYMBOL;
}

static bool starts(const Lexer *l, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(l->end - l->p) >= n && memcmp(l->p, text, n) == 0;
}

static TokenKind take(Lexer *l, size_t n, TokenKind kind)
{
	l->p += n;
	return kind;
}

static TokenKind lex_punctuation(Lexer *l)
{
	char next = l->p + 1 < l->end ? l->p[1] : '\0';
	switch (*l->p) {
	case '{': return starts(l, "{-#") ? take(l, 3, T_META_BEGIN) : take(l, 1, T_LBRACE);
	case ':': return next == ':' ? take(l, 2, T_DCOLON) : take(l, 1, T_COLON);
	case '-': return next == '>' ? take(l, 2, T_ARROW) : take(l, 1, T_MINUS);
	case '#': return starts(l, "#-}") ? take(l, 3, T_META_END) : take(l, 1, T_OTHER);
	default:
		l->p++;
		return l->p[-1] > ' ' && l->p[-1] < 0x7f ? T_OTHER : bad(l, "unexpected character");
	}
}

/* Any but a single character. */
static __attribute__((noinline)) TokenKind lex_kind(Lexer *l)
{
	char ch = *l->p;
	if (is_letter(ch)) {
		skip(l, C_WORD);
		return T_WORD;
	}
	if (is_digit(ch))
		return lex_number(l);
	switch (ch) {
	case '"':
		return lex_string(l);
	case '%':
		return lex_sigil(l, T_VALUE, "% without a name");
	case '^':
		return lex_sigil(l, T_BLOCK, "^ without a name");
	case '!':
		return lex_sigil(l, T_BANG, "! without a name");
	case '@':
		return lex_symbol(l);
	case '#':
		if (!starts(l, "#-}"))
			return lex_sigil(l, T_HASH, "# without a name");
		break;
	default:
		break;
	}
	return lex_punctuation(l);
}

Token lex_next(Lexer *l)
{
	if (l->p < l->end && *l->p == ' ')
		l->p++;
	if (l->p < l->end && (is(*l->p, C_BLANK) || *l->p == '/'))
		skip_blank(l);
	Token t = { .s = l->p, .len = 1, .line = l->line, .col = (uint32_t)(l->p - l->line_start) + 1 };
	uint8_t one = l->p < l->end ? single[(uint8_t)*l->p] : T_END;
	if (one) {
		t.kind = one;
		l->p++;
		return t;
	}
	t.kind = l->p < l->end ? lex_kind(l) : T_END;
	t.len = (size_t)(l->p - t.s);
	return t;
}
