/* A small portable artifact in pieces that tests may change before they are put together. */
#ifndef HONE_TEST_MLIRBC_BYTES_H
#define HONE_TEST_MLIRBC_BYTES_H

#include <stdarg.h>
#include <string.h>

#include "format/format.h"

/* func main(%0: tensor<2xf32>) { %1 = add %0, %0 {x = attribute 7}; return %1 }
 *   attributes  builtin: 0 location, 1 "x", 2 {x = 7}; vhlo: 3 [], 4 type 2, 5 "main", 6 "", 7 and on: `extra`
 *   types       0 f32, 1 tensor<2xf32>, 2 (1) -> (1), 3 and on: `types`
 *   strings     0 builtin, 1 vhlo, 2 module, 3 func_v1, 4 return_v1, 5 add_v1, 6 main, 7 "", 8 x */
typedef struct Piece {
	uint8_t data[512];
	size_t len;
} Piece;

typedef struct Artifact {
	uint8_t version;
	const char *producer;
	Piece extra[8], types[8];
	size_t nextra, ntypes;
	Piece add_end;              /* bytes after the add op */
	Piece sections[9];          /* made by artifact_sections, by number */
	bool omit[9];
} Artifact;

static inline void put(Piece *p, int byte)
{
	p->data[p->len++] = (uint8_t)byte;
}

/* Numbers below 64 are one byte, those below 2^14 two. */
static inline void num(Piece *p, uint64_t v)
{
	if (v < 128) {
		put(p, (int)(v << 1 | 1));
	} else if (v < 1 << 14) {
		put(p, (int)(v << 2 & 0xFF) | 2);
		put(p, (int)(v >> 6));
	} else {
		put(p, 0);
		for (int i = 0; i < 8; i++)
			put(p, (int)(v >> 8 * i & 0xFF));
	}
}

static inline void nums(Piece *p, int n, ...)
{
	va_list ap;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		num(p, (uint64_t)va_arg(ap, int));
	va_end(ap);
}

static inline void append(Piece *p, const Piece *other)
{
	memcpy(p->data + p->len, other->data, other->len);
	p->len += other->len;
}

static inline Piece piece(int n, ...)
{
	Piece p = { .len = 0 };
	va_list ap;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		num(&p, (uint64_t)va_arg(ap, int));
	va_end(ap);
	return p;
}

/* Section number, length, data. */
static inline void put_section(Piece *out, int id, const Piece *p)
{
	put(out, id);
	num(out, p->len);
	append(out, p);
}

static inline Artifact artifact(void)
{
	Artifact a = { .version = 6, .producer = "StableHLO_v1.9.0", .nextra = 1 };
	a.extra[0] = piece(2, 2, 1); /* true */
	return a;
}

static inline void make_strings(Artifact *a)
{
	static const char *const names[] = { "builtin", "vhlo", "module", "func_v1", "return_v1", "add_v1", "main", "",
		"x" };
	Piece *s = &a->sections[0];
	num(s, 9);
	for (int i = 8; i >= 0; i--)
		num(s, strlen(names[i]) + 1);
	for (int i = 0; i < 9; i++)
		for (size_t k = 0; k <= strlen(names[i]); k++)
			put(s, names[i][k]);
	nums(&a->sections[1], 3, 2, 0 << 1, 1 << 1);       /* dialects */
	nums(&a->sections[1], 1, 4);                       /* ops in all */
	nums(&a->sections[1], 3, 0, 1, 2 << 1 | 1);        /* builtin.module */
	nums(&a->sections[1], 5, 1, 3, 3 << 1 | 1, 4 << 1 | 1, 5 << 1 | 1);
}

static inline void put_entry(Artifact *a, const Piece *e)
{
	append(&a->sections[2], e);
	num(&a->sections[3], e->len << 1 | 1);
}

static inline void make_entries(Artifact *a)
{
	const Piece attrs[] = { piece(1, 15), piece(2, 2, 8), piece(4, 1, 1, 1, 7), piece(2, 1, 0), piece(2, 17, 2),
		piece(2, 14, 6), piece(2, 14, 7) };
	const Piece types[] = { piece(1, 4), piece(4, 20, 1, 4, 0), piece(5, 8, 1, 1, 1, 1) };
	nums(&a->sections[3], 2, (int)(7 + a->nextra), (int)(3 + a->ntypes));
	nums(&a->sections[3], 2, 0, 3);
	for (int i = 0; i < 3; i++)
		put_entry(a, &attrs[i]);
	nums(&a->sections[3], 2, 1, (int)(4 + a->nextra));
	for (int i = 3; i < 7; i++)
		put_entry(a, &attrs[i]);
	for (size_t i = 0; i < a->nextra; i++)
		put_entry(a, &a->extra[i]);
	nums(&a->sections[3], 2, 1, (int)(3 + a->ntypes));
	for (int i = 0; i < 3; i++)
		put_entry(a, &types[i]);
	for (size_t i = 0; i < a->ntypes; i++)
		put_entry(a, &a->types[i]);
}

static inline void make_ops(Artifact *a)
{
	Piece body = { .len = 0 }, module = { .len = 0 }, *ir = &a->sections[4];
	nums(&body, 5, 1, 2, 2 << 1 | 1, 1, 1 << 1); /* blocks, values, ops, arguments, type */
	put(&body, 0);                               /* no orders of uses */
	num(&body, 3);                               /* add */
	put(&body, 1 | 2 | 4);
	nums(&body, 7, 0, 2, 1, 1, 2, 0, 0);         /* location, attributes, results, type, operands */
	append(&body, &a->add_end);
	num(&body, 2);                               /* return */
	put(&body, 4);
	nums(&body, 3, 0, 1, 1);
	nums(&module, 3, 1, 0, 1 << 1);              /* blocks, values, ops */
	num(&module, 1);                             /* func */
	put(&module, 16 | 64);
	nums(&module, 3, 0, 0, 1 << 1 | 1);          /* location, properties, regions */
	put_section(&module, 4, &body);
	num(ir, 1 << 1);
	num(ir, 0);                                  /* module */
	put(ir, 16);
	nums(ir, 2, 0, 1 << 1 | 1);
	put_section(ir, 4, &module);
	nums(&a->sections[8], 7, 1, 5, 3, 4, 3, 5, 6);
}

static inline void artifact_sections(Artifact *a)
{
	make_strings(a);
	make_entries(a);
	make_ops(a);
	a->omit[5] = a->omit[6] = a->omit[7] = true;
}

/* What stands before the sections. */
static inline void artifact_head(const Artifact *a, Buf *out)
{
	buf_put(out, "ML\xefR", 4);
	uint8_t version = (uint8_t)(a->version << 1 | 1);
	buf_put(out, &version, 1);
	buf_put(out, a->producer, strlen(a->producer) + 1);
}

/* The file. Sections that are not wanted are in `omit`. */
static inline void artifact_bytes(const Artifact *a, Buf *out)
{
	artifact_head(a, out);
	for (int i = 0; i < 9; i++) {
		Piece p = { .len = 0 };
		if (a->omit[i])
			continue;
		put(&p, i);
		num(&p, a->sections[i].len);
		buf_put(out, p.data, p.len);
		buf_put(out, a->sections[i].data, a->sections[i].len);
	}
}

#endif
