/* text_mutator: how libFuzzer changes MLIR text: tokens and lines, not bytes, so that most results still lex and many parse.
 * For the one source file of a fuzz target. */
#ifndef HONE_TEXT_MUTATOR_H
#define HONE_TEXT_MUTATOR_H

#include "base/base.h"

#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

#define MAX_TOKENS 4096

typedef struct TextToken {
	size_t at, len;
	char kind; /* a: words, 0: numbers, s: strings, l: line ends, else the character */
} TextToken;

static bool word_char(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || (ch && strchr("_.$%@!#^", ch));
}

static size_t text_tokens(const char *s, size_t n, TextToken *t)
{
	size_t count = 0;
	for (size_t i = 0; i < n && count < MAX_TOKENS;) {
		size_t from = i;
		char kind = s[i];
		if (s[i] == ' ' || s[i] == '\t') {
			i++;
			continue;
		}
		if (s[i] == '"') {
			for (i++; i < n && s[i] != '"'; i++)
				i += s[i] == '\\';
			i = i < n ? i + 1 : n;
			kind = 's';
		} else if (word_char(s[i])) {
			kind = s[i] >= '0' && s[i] <= '9' ? '0' : 'a';
			while (i < n && word_char(s[i]))
				i++;
		} else {
			kind = s[i] == '\n' ? 'l' : s[i];
			i++;
		}
		t[count++] = (TextToken){ from, i - from, kind };
	}
	return count;
}

static const char *const text_words[] = {
	"!torch.vtensor<[],f32>", "!torch.vtensor<[?,2],si64>", "!torch.vtensor<*,f32>", "!torch.none", "!torch.list<vtensor<[2],f32>>",
	"!torch.optional<vtensor<[],i1>>", "!torch.str", "%none", "%arg0", "%0", "%0:2", "%1#1", "\"onnx.Constant\"", "\"onnx.If\"",
	"\"onnx.Loop\"", "\"onnx.Add\"", "torch.operator", "torch.operator_terminator", "torch.constant.none", "return", "func.func",
	"private", "call", "attributes", "{}", "()", "->", ": si64", ": f32", "dense<1>", "dense<>", "dense<\"0x00\">",
	"dense_resource<r>", "dense_resource<__elided__>", "tensor<2xf32>", "tensor<si64>", "0x7FC00000", "-1", "9223372036854775807",
	"18446744073709551616", "1.000000e+00", "loc(\"a\")", "loc(unknown)", "^bb0(", "torch_c.from_builtin_tensor", "util.global",
	"util.global.load", "#stream.parameter.named<\"model\"::\"w\">", "flow.tensor.constant", "torch.onnx_meta.opset_version = 17 : si64",
	"\"torch.operator\"", "<{name = \"onnx.Add\"}>", "torch.onnx.axis = 0 : si64", "[", "]", "}, {", "{-#", "#-}",
};

static size_t line_end(const char *s, size_t n, size_t at)
{
	const char *end = memchr(s + at, '\n', n - at);
	return end ? (size_t)(end - s) + 1 : n;
}

static size_t line_begin(const char *s, size_t at)
{
	while (at > 0 && s[at - 1] != '\n')
		at--;
	return at;
}

/* s[from, to) becomes `by`. */
static void splice(Buf *out, const char *s, size_t n, size_t from, size_t to, const char *by, size_t len)
{
	buf_put(out, s, from);
	buf_put(out, by, len);
	buf_put(out, s + to, n - to);
}

static void mutate_line(Buf *out, const char *s, size_t n, Rng *r)
{
	size_t at = line_begin(s, (size_t)rng_below(r, (int64_t)n)), end = line_end(s, n, at);
	size_t other = line_begin(s, (size_t)rng_below(r, (int64_t)n)), stop = line_end(s, n, other);
	switch (rng_below(r, 3)) {
	case 0: splice(out, s, n, at, end, "", 0); break;
	case 1: splice(out, s, n, at, at, s + other, stop - other); break;
	default: splice(out, s, n, at, end, s + other, stop - other);
	}
}

static void mutate_token(Buf *out, const char *s, size_t n, const TextToken *t, size_t count, Rng *r)
{
	const TextToken *a = &t[rng_below(r, (int64_t)count)], *b = &t[rng_below(r, (int64_t)count)];
	const char *word = text_words[rng_below(r, (int64_t)ARRAY_LEN(text_words))];
	for (int tries = 0; tries < 16 && b->kind != a->kind; tries++) /* one of its own kind most of the time */
		b = &t[rng_below(r, (int64_t)count)];
	char digits[24];
	switch (rng_below(r, 6)) {
	case 0: splice(out, s, n, a->at, a->at + a->len, "", 0); break;
	case 1: splice(out, s, n, a->at, a->at, s + a->at, a->len); break;
	case 2: splice(out, s, n, a->at, a->at + a->len, word, strlen(word)); break;
	case 3: splice(out, s, n, a->at, a->at, word, strlen(word)); break;
	case 4:
		if (a->kind == '0') {
			snprintf(digits, sizeof digits, "%lld", (long long)rng_below(r, rng_below(r, 4) ? 5 : INT64_MAX));
			splice(out, s, n, a->at, a->at + a->len, digits, strlen(digits));
			break;
		} /* fall through */
	default: splice(out, s, n, a->at, a->at + a->len, s + b->at, b->len);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const char start[] = "module {\n}\n";
	Rng r = { seed };
	Buf out = { 0 };
	if (size < 2) {
		size = sizeof start - 1 < max_size ? sizeof start - 1 : max_size;
		memcpy(data, start, size);
		return size;
	}
	if (LLVMFuzzerMutate && rng_below(&r, 8) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	TextToken *t = mem_alloc(MAX_TOKENS * sizeof *t);
	size_t count = text_tokens((const char *)data, size, t);
	if (count == 0 || rng_below(&r, 4) == 0)
		mutate_line(&out, (const char *)data, size, &r);
	else
		mutate_token(&out, (const char *)data, size, t, count, &r);
	mem_free(t);
	size_t n = out.len < max_size ? out.len : max_size;
	if (n)
		memcpy(data, out.data, n);
	buf_free(&out);
	return n;
}

#endif
