/* Regular expressions in the syntax of RE2, matched from a given place in time proportional to the length of what matches.
 *
 * A pattern is compiled to a small program of character tests and jumps; a run keeps the set of places where the program
 * may be after each character (Thompson's construction). Groups do not capture: only whether the string matches counts. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 500, MAX_PROGRAM = 100000, MAX_REPEAT = 1000, NO_CHAR = 0x110000 };

typedef struct Range {
	uint32_t first, last;
} Range;

/* Characters: those in the ranges, or with `negated` all others. */
typedef struct Set {
	VEC(Range) ranges;
	bool negated, any_case;
} Set;

typedef enum InsnKind { I_SET, I_SPLIT, I_JUMP, I_BEGIN, I_END, I_WORD, I_NOT_WORD, I_MATCH } InsnKind;

/* SPLIT goes on at both offsets, JUMP at a; offsets count from the instruction itself. */
typedef struct Insn {
	InsnKind kind;
	bool lines;         /* BEGIN, END: also at line breaks */
	int32_t a, b;
	const Set *set;
} Insn;

typedef struct Compiler {
	Arena *arena;
	const char *at, *end;
	VEC(Insn) code;
	bool any_case, dot_all, lines;
	int depth;
	char why[120];
} Compiler;

static bool refuse(Compiler *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool refuse(Compiler *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (!c->why[0])
		vsnprintf(c->why, sizeof c->why, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- characters and classes ---- */

static const Range DIGITS[] = {{'0', '9'}};
static const Range SPACES[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
static const Range WORDS[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};

typedef struct NamedClass {
	const char *name;
	Range ranges[4];
} NamedClass;
static const NamedClass POSIX_CLASSES[] = {
	{"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}}, {"alpha", {{'A', 'Z'}, {'a', 'z'}}}, {"ascii", {{0, 0x7f}}},
	{"blank", {{'\t', '\t'}, {' ', ' '}}}, {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}}, {"digit", {{'0', '9'}}},
	{"graph", {{'!', '~'}}}, {"lower", {{'a', 'z'}}}, {"print", {{' ', '~'}}},
	{"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}}, {"space", {{'\t', '\r'}, {' ', ' '}}},
	{"upper", {{'A', 'Z'}}}, {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
	{"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

static void set_add(Compiler *c, Set *s, uint32_t first, uint32_t last)
{
	VEC_PUSH(c->arena, &s->ranges, ((Range){first, last}));
}

/* The ranges, ascending, or what they leave out. */
static void set_add_all(Compiler *c, Set *s, const Range *r, size_t n, bool negated)
{
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++) {
		if (!negated)
			set_add(c, s, r[i].first, r[i].last);
		else if (r[i].first > next)
			set_add(c, s, next, r[i].first - 1);
		next = r[i].last + 1;
	}
	if (negated)
		set_add(c, s, next, NO_CHAR - 1);
}

static bool in_ranges(const Set *s, uint32_t ch)
{
	for (size_t i = 0; i < s->ranges.len; i++)
		if (ch >= s->ranges.data[i].first && ch <= s->ranges.data[i].last)
			return true;
	return false;
}

static bool set_has(const Set *s, uint32_t ch)
{
	bool in = in_ranges(s, ch);
	if (!in && s->any_case)
		in = in_ranges(s, text_change_case(ch, true)) || in_ranges(s, text_change_case(ch, false));
	return in != s->negated;
}

/* \d and its like into the set; false when the letter names no class. */
static bool add_letter_class(Compiler *c, Set *s, char letter)
{
	bool negated = letter >= 'A' && letter <= 'Z';
	switch (letter) {
	case 'd': case 'D': set_add_all(c, s, DIGITS, ARRAY_LEN(DIGITS), negated); return true;
	case 's': case 'S': set_add_all(c, s, SPACES, ARRAY_LEN(SPACES), negated); return true;
	case 'w': case 'W': set_add_all(c, s, WORDS, ARRAY_LEN(WORDS), negated); return true;
	default: return false;
	}
}

static uint32_t take(Compiler *c)
{
	size_t n;
	uint32_t ch = text_decode(c->at, (size_t)(c->end - c->at), &n);
	c->at += n;
	return ch;
}

static bool accept(Compiler *c, const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n))
		return false;
	c->at += n;
	return true;
}

static int hex_digit(char ch)
{
	return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 :
			ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

static bool hex_escape(Compiler *c, uint32_t *out)
{
	bool braces = accept(c, "{");
	int n = 0;
	*out = 0;
	for (; c->at < c->end && hex_digit(*c->at) >= 0 && n < (braces ? 6 : 2); n++)
		*out = *out * 16 + (uint32_t)hex_digit(*c->at++);
	if (n == 0 || (!braces && n < 2) || (braces && !accept(c, "}")) || *out >= NO_CHAR)
		return refuse(c, "a bad \\x");
	return true;
}

/* The character that an escape stands for; the backslash is taken already. */
static bool escaped_char(Compiler *c, uint32_t *out)
{
	static const char LETTERS[] = "aftnrv", CHARS[] = "\a\f\t\n\r\v";
	if (c->at == c->end)
		return refuse(c, "a backslash at the end");
	if (accept(c, "x"))
		return hex_escape(c, out);
	const char *letter = strchr(LETTERS, *c->at);
	if (letter && *letter) {
		*out = (uint32_t)CHARS[letter - LETTERS];
		c->at++;
		return true;
	}
	unsigned char ch = (unsigned char)*c->at;
	bool word = (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z');
	if (word && ch != '0')
		return refuse(c, "the escape \\%c is not supported", ch);
	*out = word ? 0 : take(c);
	c->at += word;
	return true;
}

static bool posix_class(Compiler *c, Set *s)
{
	bool negated = accept(c, "^");
	for (size_t i = 0; i < ARRAY_LEN(POSIX_CLASSES); i++) {
		const NamedClass *k = &POSIX_CLASSES[i];
		size_t n = 0;
		while (n < ARRAY_LEN(k->ranges) && k->ranges[n].last)
			n++;
		size_t len = strlen(k->name);
		if ((size_t)(c->end - c->at) < len + 2 || memcmp(c->at, k->name, len) || memcmp(c->at + len, ":]", 2))
			continue;
		c->at += len + 2;
		set_add_all(c, s, k->ranges, n, negated);
		return true;
	}
	return refuse(c, "an unknown class in [: :]");
}

/* One item of [...]: a class, a character or a range. */
static bool class_item(Compiler *c, Set *s)
{
	uint32_t first, last;
	if (accept(c, "[:"))
		return posix_class(c, s);
	if (accept(c, "\\")) {
		if (c->at < c->end && add_letter_class(c, s, *c->at)) {
			c->at++;
			return true;
		}
		if (!escaped_char(c, &first))
			return false;
	} else {
		first = take(c);
	}
	last = first;
	if (c->end - c->at >= 2 && c->at[0] == '-' && c->at[1] != ']') {
		c->at++;
		if (!accept(c, "\\"))
			last = take(c);
		else if (!escaped_char(c, &last))
			return false;
	}
	if (last < first)
		return refuse(c, "a range that runs backwards");
	set_add(c, s, first, last);
	return true;
}

static bool bracket(Compiler *c, Set *s)
{
	s->negated = accept(c, "^");
	for (bool first = true; first || c->at == c->end || *c->at != ']'; first = false) {
		if (c->at == c->end)
			return refuse(c, "a [ without ]");
		if (!class_item(c, s))
			return false;
	}
	c->at++;
	return true;
}

/* ---- the program ---- */

static bool emit(Compiler *c, Insn i)
{
	if (c->code.len >= MAX_PROGRAM)
		return refuse(c, "the expression is too large");
	VEC_PUSH(c->arena, &c->code, i);
	return true;
}

/* Before what has been emitted since `start`, which moves as a whole. */
static bool emit_before(Compiler *c, size_t start, Insn i)
{
	if (!emit(c, i))
		return false;
	Insn *p = c->code.data + start;
	memmove(p + 1, p, (c->code.len - 1 - start) * sizeof *p);
	*p = i;
	return true;
}

static bool emit_set(Compiler *c, Set *s)
{
	s->any_case = c->any_case;
	return emit(c, (Insn){.kind = I_SET, .set = s});
}

static bool emit_char(Compiler *c, uint32_t ch)
{
	Set *s = NEW(c->arena, Set);
	set_add(c, s, ch, ch);
	return emit_set(c, s);
}

static bool alternatives(Compiler *c);

/* Flags such as (?i-s); *group: a group follows instead of the closing parenthesis. */
static bool flags(Compiler *c, bool *group)
{
	bool on = true;
	*group = false;
	for (; c->at < c->end; c->at++) {
		switch (*c->at) {
		case 'i': c->any_case = on; break;
		case 's': c->dot_all = on; break;
		case 'm': c->lines = on; break;
		case 'U': break; /* greed does not matter */
		case '-': on = false; break;
		case ':': *group = true; c->at++; return true;
		case ')': c->at++; return true;
		default: return refuse(c, "the group (?%c is not supported", *c->at);
		}
	}
	return refuse(c, "a ( without )");
}

static bool group_name(Compiler *c)
{
	while (c->at < c->end && *c->at != '>')
		c->at++;
	return accept(c, ">") || refuse(c, "a group name without >");
}

/* What follows "(". Flags end with the group that they are in. */
static bool group(Compiler *c)
{
	bool any_case = c->any_case, dot_all = c->dot_all, lines = c->lines, inner = true;
	if (accept(c, "?P<") || accept(c, "?<")) {
		if (!group_name(c))
			return false;
	} else if (accept(c, "?") && !flags(c, &inner)) {
		return false;
	}
	if (!inner)
		return true;
	if (!alternatives(c))
		return false;
	c->any_case = any_case;
	c->dot_all = dot_all;
	c->lines = lines;
	return accept(c, ")") || refuse(c, "a ( without )");
}

/* What follows a backslash. */
static bool escape(Compiler *c)
{
	Set *s = NEW(c->arena, Set);
	uint32_t ch;
	if (c->at < c->end && add_letter_class(c, s, *c->at)) {
		c->at++;
		return emit_set(c, s);
	}
	if (accept(c, "b"))
		return emit(c, (Insn){.kind = I_WORD});
	if (accept(c, "B"))
		return emit(c, (Insn){.kind = I_NOT_WORD});
	if (accept(c, "A"))
		return emit(c, (Insn){.kind = I_BEGIN});
	if (accept(c, "z"))
		return emit(c, (Insn){.kind = I_END});
	if (accept(c, "C"))
		return refuse(c, "\\C is not supported");
	if (accept(c, "Q")) {
		while (c->at < c->end && !accept(c, "\\E"))
			if (!emit_char(c, take(c)))
				return false;
		return true;
	}
	return escaped_char(c, &ch) && emit_char(c, ch);
}

static bool atom(Compiler *c)
{
	Set *s = NEW(c->arena, Set);
	switch (*c->at) {
	case '(': c->at++; return group(c);
	case '[': c->at++; return bracket(c, s) && emit_set(c, s);
	case '\\': c->at++; return escape(c);
	case '^': c->at++; return emit(c, (Insn){.kind = I_BEGIN, .lines = c->lines});
	case '$': c->at++; return emit(c, (Insn){.kind = I_END, .lines = c->lines});
	case '*': case '+': case '?': return refuse(c, "%c without anything to repeat", *c->at);
	case '.':
		c->at++;
		s->negated = true;
		if (!c->dot_all)
			set_add(c, s, '\n', '\n');
		return emit(c, (Insn){.kind = I_SET, .set = s});
	default:
		return emit_char(c, take(c));
	}
}

/* {n}, {n,} or {n,m} (most: -1 for no limit); anything else is text. */
static bool counts(Compiler *c, int *least, int *most)
{
	const char *p = c->at + 1;
	int v[2] = {0, -1}, n = 0;
	for (; n < 2 && p < c->end && *p >= '0' && *p <= '9'; n++) {
		v[n] = 0;
		for (; p < c->end && *p >= '0' && *p <= '9'; p++)
			v[n] = v[n] > MAX_REPEAT ? v[n] : v[n] * 10 + (*p - '0');
		if (n == 0 && p < c->end && *p == ',')
			p++;
		else
			break;
	}
	if (p == c->end || *p != '}' || p == c->at + 1)
		return false;
	*least = v[0];
	*most = p[-1] == ',' || n > 0 ? v[1] : v[0];
	c->at = p + 1;
	return true;
}

/* The atom at `from`, already emitted once since `start`, least to most times in all. */
static bool repeat(Compiler *c, const char *from, size_t start, int least, int most)
{
	const char *after = c->at;
	if (least > MAX_REPEAT || most > MAX_REPEAT || (most >= 0 && most < least))
		return refuse(c, "a bad count in { }");
	c->code.len = start;
	for (int i = 0; i < (most < 0 ? least + 1 : most); i++) {
		size_t at = c->code.len;
		c->at = from;
		if (!atom(c))
			return false;
		int32_t n = (int32_t)(c->code.len - at);
		bool loop = most < 0 && i == least;
		if (i >= least && !emit_before(c, at, (Insn){.kind = I_SPLIT, .a = 1, .b = n + 1 + loop}))
			return false;
		if (loop && !emit(c, (Insn){.kind = I_JUMP, .a = -(n + 1)}))
			return false;
	}
	c->at = after;
	return true;
}

static bool repeated_atom(Compiler *c)
{
	const char *from = c->at;
	size_t start = c->code.len;
	if (!atom(c))
		return false;
	while (c->at < c->end) {
		int least = 0, most = -1;
		int32_t n = (int32_t)(c->code.len - start);
		bool ok = true;
		if (accept(c, "*"))
			ok = emit_before(c, start, (Insn){.kind = I_SPLIT, .a = 1, .b = n + 2}) &&
				emit(c, (Insn){.kind = I_JUMP, .a = -(n + 1)});
		else if (accept(c, "+"))
			ok = emit(c, (Insn){.kind = I_SPLIT, .a = -n, .b = 1});
		else if (accept(c, "?"))
			ok = emit_before(c, start, (Insn){.kind = I_SPLIT, .a = 1, .b = n + 1});
		else if (*c->at == '{' && counts(c, &least, &most))
			ok = repeat(c, from, start, least, most);
		else
			return true;
		if (!ok)
			return false;
		(void)accept(c, "?"); /* as little as possible: the same strings match */
	}
	return true;
}

static bool alternatives(Compiler *c)
{
	size_t start = c->code.len;
	if (++c->depth > MAX_NESTING)
		return refuse(c, "the expression is nested too deeply");
	while (c->at < c->end && *c->at != '|' && *c->at != ')')
		if (!repeated_atom(c))
			return false;
	if (accept(c, "|")) {
		int32_t n = (int32_t)(c->code.len - start);
		if (!emit_before(c, start, (Insn){.kind = I_SPLIT, .a = 1, .b = n + 2}) || !emit(c, (Insn){.kind = I_JUMP}))
			return false;
		size_t jump = c->code.len - 1;
		if (!alternatives(c))
			return false;
		c->code.data[jump].a = (int32_t)(c->code.len - jump);
	}
	c->depth--;
	return true;
}

static bool compile(Compiler *c)
{
	if (!alternatives(c))
		return false;
	if (c->at < c->end)
		return refuse(c, "a ) without (");
	return emit(c, (Insn){.kind = I_MATCH});
}

/* ---- matching ---- */

typedef struct Places {
	uint32_t *list;
	size_t n;
} Places;

typedef struct Run {
	const Insn *code;
	uint32_t *seen, *stack; /* seen: round in which an instruction was added last */
	uint32_t round;
	uint32_t before, after; /* characters around the place; NO_CHAR at the ends */
} Run;

static bool is_word(uint32_t ch)
{
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
		if (ch >= WORDS[i].first && ch <= WORDS[i].last)
			return true;
	return false;
}

/* Adds the instruction and all that it leads to without a character. */
static void add_place(Run *r, Places *p, uint32_t at)
{
	size_t n = 0;
	r->stack[n++] = at;
	while (n > 0) {
		at = r->stack[--n];
		if (r->seen[at] == r->round)
			continue;
		r->seen[at] = r->round;
		const Insn *i = &r->code[at];
		bool go = false;
		switch (i->kind) {
		case I_SPLIT:
			r->stack[n++] = (uint32_t)((int64_t)at + i->a);
			r->stack[n++] = (uint32_t)((int64_t)at + i->b);
			break;
		case I_JUMP:
			r->stack[n++] = (uint32_t)((int64_t)at + i->a);
			break;
		case I_BEGIN: go = r->before == NO_CHAR || (i->lines && r->before == '\n'); break;
		case I_END: go = r->after == NO_CHAR || (i->lines && r->after == '\n'); break;
		case I_WORD: go = is_word(r->before) != is_word(r->after); break;
		case I_NOT_WORD: go = is_word(r->before) == is_word(r->after); break;
		default: p->list[p->n++] = at;
		}
		if (go)
			r->stack[n++] = at + 1;
	}
}

struct Regex {
	Run run;
	Places now, next;
};

/* What follows the byte at `at`: the character before it tells \b, ^ and $. */
static uint32_t char_before(const char *s, size_t at)
{
	size_t n, i = at;
	while (i > 0 && at - i < 4 && ((uint8_t)s[--i] & 0xc0) == 0x80)
		;
	return at == 0 ? NO_CHAR : text_decode(s + i, at - i, &n);
}

int64_t regex_longest(Regex *x, const char *s, size_t len, size_t from, int64_t *work)
{
	Run *r = &x->run;
	Places now = x->now, next = x->next;
	size_t at = from, n = 0;
	int64_t longest = -1;
	r->before = char_before(s, from);
	r->after = at < len ? text_decode(s + at, len - at, &n) : NO_CHAR;
	now.n = 0;
	r->round++;
	add_place(r, &now, 0);
	for (;;) {
		for (size_t i = 0; i < now.n; i++)
			if (r->code[now.list[i]].kind == I_MATCH)
				longest = (int64_t)(at - from);
		*work += 1 + (int64_t)now.n;
		if (at == len || now.n == 0)
			return longest;
		uint32_t ch = r->after;
		at += n;
		r->before = ch;
		r->after = at < len ? text_decode(s + at, len - at, &n) : NO_CHAR;
		r->round++;
		next.n = 0;
		for (size_t i = 0; i < now.n; i++) {
			const Insn *insn = &r->code[now.list[i]];
			if (insn->kind == I_SET && set_has(insn->set, ch))
				add_place(r, &next, now.list[i] + 1);
		}
		Places other = now;
		now = next;
		next = other;
	}
}

Regex *regex_compile(Arena *a, const char *pattern, size_t len, const char **why)
{
	Compiler c = {.arena = a, .at = pattern, .end = pattern + len};
	if (!compile(&c)) {
		*why = arena_strdup(a, c.why);
		return NULL;
	}
	size_t n = c.code.len + 1;
	Regex *x = NEW(a, Regex);
	/* a place is pushed once for each way to it: two at most from each instruction */
	x->run = (Run){c.code.data, NEW_ARRAY(a, uint32_t, n), NEW_ARRAY(a, uint32_t, 2 * n + 2), 0, 0, 0};
	x->now.list = NEW_ARRAY(a, uint32_t, n);
	x->next.list = NEW_ARRAY(a, uint32_t, n);
	return x;
}

bool infer_regex_full_match(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	int rank = value_rank(v);
	return infer_tensor(x, op, 0, DT_BOOL, rank, rank < 0 ? NULL : v->type->dims);
}

bool eval_regex_full_match(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	const Str *pattern = op_attr_str(op, A_pattern);
	if (x->dtype != DT_STR || !pattern)
		return eval_error(e, op, "strings and a pattern are expected");
	Arena *a = arena_new();
	const char *why = "";
	int64_t work = 0;
	Regex *r = regex_compile(a, pattern->s, pattern->len, &why);
	if (!r)
		eval_unsupported(e, op, "pattern \"%s\": %s", pattern->s, why);
	out[0] = r ? tensor_new(e, DT_BOOL, x->rank, x->dims) : NULL;
	for (int64_t i = 0; out[0] && i < x->count; i++) {
		const Str *s = ((const Str *const *)x->data)[i];
		tensor_set_i64(out[0], i, regex_longest(r, s->s, s->len, 0, &work) == (int64_t)s->len);
	}
	arena_free(a);
	return out[0] != NULL;
}
