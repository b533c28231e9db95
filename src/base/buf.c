/* Growable text buffer on the heap. */
#include "base.h"

#include <stdio.h>
#include <string.h>

static void reserve(Buf *b, size_t more)
{
	if (more > SIZE_MAX / 2 - b->len - 1)
		mem_fail();
	size_t want = b->len + more + 1;
	if (want <= b->cap)
		return;
	size_t cap = b->cap * 2 > want ? b->cap * 2 : want;
	if (cap < 64)
		cap = 64;
	b->data = mem_realloc(b->data, cap);
	b->cap = cap;
}

void buf_put(Buf *b, const void *p, size_t n)
{
	reserve(b, n);
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_puts(Buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

/* Prints into the free room first; only text that does not fit is formatted twice. */
void buf_printf(Buf *b, const char *fmt, ...)
{
	reserve(b, 64);
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->data[b->len] = '\0';
		return;
	}
	if ((size_t)n >= b->cap - b->len) {
		reserve(b, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

void buf_free(Buf *b)
{
	mem_free(b->data);
	*b = (Buf){0};
}
