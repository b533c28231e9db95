/* text: characters of UTF-8. Private to src/ops. */
#ifndef HONE_OPS_TEXT_H
#define HONE_OPS_TEXT_H

#include "base/base.h"

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/* The character at s, of `left` bytes (1 or more); a byte that starts none stands for itself. *len: its bytes. */
uint32_t text_decode(const char *s, size_t left, size_t *len);
/* Its upper or lower case counterpart; c itself when it has none. Latin, Greek, Cyrillic, Armenian. */
uint32_t text_change_case(uint32_t c, bool upper);

/* regex.c: a compiled pattern. It keeps scratch of its own: one search at a time. */
typedef struct Regex Regex;
Regex *regex_compile(Arena *a, const char *pattern, size_t len, const char **why); /* NULL: *why says what is wrong */
/* Bytes of the longest match that begins at s + from; -1: none. Adds the characters that it looked at to *work. */
int64_t regex_longest(Regex *r, const char *s, size_t len, size_t from, int64_t *work);

#endif
