/* mlir_mutator: how libFuzzer changes MLIR text: by words and by groups in brackets, so that most changes get past the lexer.
 * For the one source file of a fuzz target. */
#ifndef HONE_MLIR_MUTATOR_H
#define HONE_MLIR_MUTATOR_H

#include "base/base.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

typedef struct Span {
	size_t at, len;
} Span;

static bool is_token_char(uint8_t ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '.' ||
		ch == '%' || ch == '@' || ch == '#' || ch == '!' || ch == '^';
}

/* The token that holds or follows the place. */
static Span token_near(const uint8_t *s, size_t n, size_t at)
{
	size_t end;
	while (at < n && (s[at] == ' ' || s[at] == '\n'))
		at++;
	while (at > 0 && at < n && is_token_char(s[at]) && is_token_char(s[at - 1]))
		at--;
	for (end = at; end < n && is_token_char(s[end]);)
		end++;
	if (end == at && end < n)
		end++;
	return (Span){ at, end - at };
}

/* The bracketed group that begins at or after the place; empty when there is none. */
static Span group_near(const uint8_t *s, size_t n, size_t at)
{
	size_t depth = 0, start;
	while (at < n && !strchr("([{<", s[at] ? s[at] : ' '))
		at++;
	for (start = at; at < n; at++) {
		if (s[at] && strchr("([{<", s[at]))
			depth++;
		else if (s[at] && strchr(")]}>", s[at]) && --depth == 0)
			return (Span){ start, at + 1 - start };
	}
	return (Span){ start, 0 };
}

static Span line_near(const uint8_t *s, size_t n, size_t at)
{
	size_t end = at;
	while (at > 0 && s[at - 1] != '\n')
		at--;
	while (end < n && s[end] != '\n')
		end++;
	return (Span){ at, end - at + (end < n) };
}

static const char *new_word(Rng *r)
{
	static const char *const words[] = { "stablehlo.add", "stablehlo.constant", "stablehlo.while", "stablehlo.reduce", "chlo.erf",
		"func.func", "private", "module", "call", "return", "core.yield", "stablehlo.return", "arith.constant", "scf.for", "to",
		"step", "tensor.dim", "shape.shape_of", "sdy.mesh", "sdy.manual_computation", "dense<1>", "dense<\"0x00FF\">", "dense<[]>",
		"dense_resource<blob0>", "tensor<2xf32>", "tensor<?x4xi8>", "tensor<*xi1>", "tensor<0xf32>", "tensor<2x!quant.uniform<i8:f32, 0.5>>",
		"tensor<?xf32, #stablehlo.bounds<4>>", "tuple<tensor<f32>>", "!stablehlo.token", "none", "index", "i1", "f8E4M3FN",
		"complex<f32>", "array<i64: 1, 2>", "array<i1>", "loc(unknown)", "loc(\"a\":1:2)", "attributes", "{a = 1 : i32}", "<{}>",
		"#stablehlo<precision HIGH>", "#stablehlo.gather<offset_dims = [0]>", "[b, f, 0]x[o, i, 0]->[b, f, 0]", "-1", "0",
		"9223372036854775807", "18446744073709551616", "0x7FC00000", "1.0e+308", "true", "unit", "_", ",", ":", "->", "=", "x",
		"applies", "across dimensions = [0]", "reducer(", "cond {", "do {", "\"func.func\"", "^bb0(", "%0", "%0#1", "%arg0", "@main",
		"{-# dialect_resources: { builtin: { blob0: \"0x04000000\" } } #-}", "#map", "!t", "#loc", "// -----\n" };
	return words[rng_below(r, (int64_t)ARRAY_LEN(words))];
}

/* Replaces the span by n bytes; the text stays within max. */
static size_t splice(uint8_t *s, size_t size, size_t max, Span at, const uint8_t *with, size_t n)
{
	uint8_t copy[512];
	if (n > sizeof copy || size - at.len + n > max)
		return size;
	if (n)
		memcpy(copy, with, n);
	memmove(s + at.at + n, s + at.at + at.len, size - at.at - at.len);
	if (n)
		memcpy(s + at.at, copy, n);
	return size - at.len + n;
}

static size_t change_text(uint8_t *s, size_t size, size_t max, Rng *r)
{
	size_t at = size ? (size_t)rng_below(r, (int64_t)size) : 0, from = size ? (size_t)rng_below(r, (int64_t)size) : 0;
	Span here = token_near(s, size, at), other = token_near(s, size, from);
	const char *word = new_word(r);
	switch (rng_below(r, 8)) {
	case 0: return splice(s, size, max, here, (const uint8_t *)word, strlen(word));
	case 1: return splice(s, size, max, (Span){ here.at, 0 }, (const uint8_t *)word, strlen(word));
	case 2: return splice(s, size, max, here, NULL, 0);
	case 3: return splice(s, size, max, here, s + other.at, other.len);
	case 4: here = group_near(s, size, at); other = group_near(s, size, from);
		return splice(s, size, max, here, s + other.at, other.len);
	case 5: here = line_near(s, size, at); other = line_near(s, size, from);
		return splice(s, size, max, (Span){ here.at, 0 }, s + other.at, other.len);
	case 6: return splice(s, size, max, line_near(s, size, at), NULL, 0);
	default: return splice(s, size, max, group_near(s, size, at), NULL, 0);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	Rng r = { seed };
	if (rng_below(&r, 4) == 0 && LLVMFuzzerMutate)
		return LLVMFuzzerMutate(data, size, max_size);
	for (int64_t n = 1 + rng_below(&r, 3); n > 0; n--)
		size = change_text(data, size, max_size, &r);
	return size;
}

#endif
