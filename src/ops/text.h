/* text: characters of UTF-8. Private to src/ops. */
#ifndef HONE_OPS_TEXT_H
#define HONE_OPS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/* The character at s, of `left` bytes (1 or more); a byte that starts none stands for itself. *len: its bytes. */
uint32_t text_decode(const char *s, size_t left, size_t *len);
/* Its upper or lower case counterpart; c itself when it has none. Latin, Greek, Cyrillic, Armenian. */
uint32_t text_change_case(uint32_t c, bool upper);

#endif
