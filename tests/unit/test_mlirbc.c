/* MLIR bytecode: what is read, what is refused and why; no change of a byte may do more than that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "format/format.h"
#include "mlirbc_bytes.h"

/* A copy of bytes as a file: tools see reads past its end, and constants that point into it keep it. */
static MappedFile *file_of(const void *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	memcpy(copy, data, len);
	return file_of_bytes("test.mlir.bc", copy, len);
}

static Module *read_bytes(Context *c, const Buf *b)
{
	MappedFile *f = file_of(b->data, b->len);
	Module *m = mlirbc_read(c, f, NULL);
	if (m)
		assert_true(module_verify(m, &c->diags));
	file_unref(f);
	return m;
}

/* The text of the module that the artifact holds. */
static void check_text(const Artifact *a, const char *want)
{
	Context *c = context_new();
	Buf bytes = { 0 }, text = { 0 };
	artifact_bytes(a, &bytes);
	Module *m = read_bytes(c, &bytes);
	if (!m)
		fail_msg("%s", c->diags.list.data[0].message);
	mlir_print(m, &text, &(WriteOptions){ 0 });
	if (!strstr(text.data, want))
		fail_msg("expected %s in\n%s", want, text.data);
	buf_free(&bytes);
	buf_free(&text);
	module_free(m);
	context_free(c);
}

static void check_bytes_refused(const Buf *bytes, const char *want)
{
	Context *c = context_new();
	Module *m = read_bytes(c, bytes);
	assert_null(m);
	assert_true(c->diags.list.len > 0 && c->diags.status != HONE_OK);
	if (!strstr(c->diags.list.data[0].message, want))
		fail_msg("expected '%s', got '%s'", want, c->diags.list.data[0].message);
	assert_true(c->diags.list.data[0].loc.offset >= 0 && c->diags.list.data[0].loc.offset <= (int64_t)bytes->len);
	context_free(c);
}

static void check_refused(const Artifact *a, const char *want)
{
	Buf bytes = { 0 };
	artifact_bytes(a, &bytes);
	check_bytes_refused(&bytes, want);
	buf_free(&bytes);
}

/* An artifact whose attribute x is this. */
static Artifact with_attr(Piece p)
{
	Artifact a = artifact();
	a.extra[0] = p;
	artifact_sections(&a);
	return a;
}

static void check_attr(Piece p, const char *want)
{
	Artifact a = with_attr(p);
	check_text(&a, want);
}

static void check_attr_refused(Piece p, const char *want)
{
	Artifact a = with_attr(p);
	check_refused(&a, want);
}

/* ---- what is read ---- */

static void test_plain(void **state)
{
	(void)state;
	Artifact a = artifact();
	artifact_sections(&a);
	check_text(&a, "func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {");
	check_text(&a, "stablehlo.add");
	check_text(&a, "{x = true}");
}

static void test_attributes(void **state)
{
	(void)state;
	check_attr(piece(2, 14, 6), "{x = \"main\"}");
	check_attr(piece(4, 1, 2, 5, 6), "{x = [\"main\", \"\"]}");
	check_attr(piece(2, 7, 2), "{x = #stablehlo<fft_type RFFT>}");
	check_attr(piece(2, 5, 3), "{x = 3 : i32}");
	check_attr(piece(2, 17, 1), "{x = tensor<2xf32>}");
	check_attr(piece(3, 8, 0, 0), "{x = 0.0 : f32}");
	check_attr(piece(4, 18, 2, 32, 8), "{x = #stablehlo.type_extensions<bounds = [16, 4]>}");
	check_attr(piece(5, 10, 1, 0, 2, 0),
		"{x = #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>}");
	check_attr(piece(3, 40, 1, 2), "{x = #bytecode.attr<\"vhlo\", \"0x510305\">}"); /* of a later version */
}

static void test_tensors(void **state)
{
	(void)state;
	Piece p = piece(3, 15, 1, 4); /* tensor<2xf32> of one element */
	for (int i = 0; i < 4; i++)
		put(&p, "\0\0\x80\x3f"[i]);
	check_attr(p, "{x = dense<1.0> : tensor<2xf32>}");
	Artifact a = artifact();
	a.types[0] = piece(1, 0);               /* i1 */
	a.types[1] = piece(4, 20, 1, 20, 3);    /* tensor<10xi1> */
	a.ntypes = 2;
	a.extra[0] = piece(3, 15, 4, 2);
	put(&a.extra[0], 0x05);
	put(&a.extra[0], 0x02);
	artifact_sections(&a);
	check_text(&a, "dense<[true, false, true, false, false, false, false, false, false, true]> : tensor<10xi1>");
}

static void test_quantised(void **state)
{
	(void)state;
	Artifact a = artifact();
	a.types[0] = piece(1, 11);              /* i8 */
	a.types[1] = piece(4, 24, 1, 3, 0);
	put(&a.types[1], 0);                    /* 0.5, zigzag */
	for (int i = 0; i < 8; i++)
		put(&a.types[1], "\0\0\0\0\0\0\xc0\x7f"[i]);
	nums(&a.types[1], 3, 3, 255, 254);      /* zero point -2, -128, 127 */
	a.types[2] = piece(4, 20, 1, 4, 4);
	a.ntypes = 3;
	a.extra[0] = piece(2, 17, 5);
	artifact_sections(&a);
	check_text(&a, "{x = tensor<2x!quant.uniform<i8:f32, 0.5:-2>>}");
}

/* Sizes that are not known differ from value to value though the type is one. */
static void test_dynamic(void **state)
{
	(void)state;
	Artifact a = artifact();
	a.ntypes = 1;
	a.types[0] = piece(2, 20, 1);
	num(&a.types[0], UINT64_MAX);           /* zigzag of the least integer */
	num(&a.types[0], 0);
	a.extra[0] = piece(2, 17, 3);
	artifact_sections(&a);
	check_text(&a, "{x = tensor<?xf32>}");
}

/* ---- the file ---- */

static void test_head(void **state)
{
	(void)state;
	Buf b = { 0 };
	buf_put(&b, "ML\xefR", 4);
	check_bytes_refused(&b, "expected a byte");
	buf_put(&b, "\x7f", 1);
	check_bytes_refused(&b, "bytecode version 63 is newer than 6");
	b.data[4] = 13;
	buf_put(&b, "StableHLO", 9);
	check_bytes_refused(&b, "the name of the producer does not end");
	b.data[0] = 'X';
	check_bytes_refused(&b, "magic number");
	buf_free(&b);
	Artifact a = artifact();
	a.producer = "StableHLO_v9.9.9";
	artifact_sections(&a);
	check_refused(&a, "needs a reader of \"StableHLO_v9.9.9\"");
}

static void test_sections(void **state)
{
	(void)state;
	Artifact a = artifact();
	artifact_sections(&a);
	Artifact b = a;
	b.omit[8] = true;
	check_refused(&b, "section properties is missing");
	b = a;
	b.omit[2] = true;
	check_refused(&b, "section attributes and types is missing");
	b = a;
	b.omit[5] = false;
	check_refused(&b, "section offsets of resources is missing");
	Buf bytes = { 0 };
	artifact_bytes(&a, &bytes);
	buf_put(&bytes, "\x04\x01", 2);
	check_bytes_refused(&bytes, "section ops is there twice");
	bytes.data[bytes.len - 2] = 15;
	check_bytes_refused(&bytes, "unknown section 15");
	bytes.data[bytes.len - 2] = 127;
	check_bytes_refused(&bytes, "unknown section 127");
	bytes.data[bytes.len - 2] = 7;
	bytes.data[bytes.len - 1] = 0;
	buf_put(&bytes, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	check_bytes_refused(&bytes, "section versions of dialects has 18446744073709551615 bytes, but only 0 remain");
	bytes.len -= 10;
	buf_put(&bytes, "\x87\x01\x07", 3);
	check_bytes_refused(&bytes, "alignment 3 is no power of two");
	bytes.data[bytes.len - 1] = 1;
	check_bytes_refused(&bytes, "alignment 0 is no power of two");
	bytes.data[bytes.len - 1] = (char)0x81;
	buf_put(&bytes, "\0\0\0\0\0\0\0\0\0", 9);
	check_bytes_refused(&bytes, "expected padding (0xCB)");
	buf_free(&bytes);
}

static void test_strings(void **state)
{
	(void)state;
	Artifact a = artifact();
	artifact_sections(&a);
	Artifact b = a;
	Piece huge = { .len = 0 };
	num(&huge, UINT64_C(1) << 62);
	b.sections[0] = huge;
	check_refused(&b, "4611686018427387904 strings cannot stand in the 0 bytes");
	b = a;
	b.sections[0].data[9] += 2; /* the first string's length */
	check_refused(&b, "the strings have 54 bytes, but 53 are there");
	b = a;
	b.sections[0].data[9] -= 2;
	check_refused(&b, "the strings have");
	b = a;
	b.sections[0].data[b.sections[0].len - 1] = 'y';
	check_refused(&b, "string 8 does not end with NUL");
	b = a;
	b.sections[1].data[1] = 99 << 1 | 1;
	check_refused(&b, "number 49 of a string is out of range, the file has 9");
	b = a;
	b.sections[1].data[4] = 9 << 1 | 1;
	check_refused(&b, "number 9 of a dialect is out of range, the file has 2");
}

static void test_offsets(void **state)
{
	(void)state;
	Artifact a = artifact();
	artifact_sections(&a);
	Artifact b = a;
	b.sections[3].data[b.sections[3].len - 1] += 16;
	check_refused(&b, "ends outside its section");
	b = artifact();
	b.extra[0] = piece(3, 2, 1, 0);
	artifact_sections(&b);
	check_refused(&b, "1 bytes follow the end of an attribute");
	b = a;
	b.sections[8].data[0] = 2 << 1 | 1;
	check_refused(&b, "expected a byte");
	b = a;
	b.sections[8].data[1]--;
	b.sections[8].data[1]--;
	check_refused(&b, "follow the end of the properties");
}

/* ---- attributes and types ---- */

static void test_bad_attributes(void **state)
{
	(void)state;
	check_attr_refused(piece(2, 14, 9), "number 9 of a string is out of range");
	check_attr_refused(piece(3, 1, 1, 8), "number 8 of a attribute is out of range");
	check_attr_refused(piece(2, 17, 3), "number 3 of a type is out of range");
	check_attr_refused(piece(2, 7, 4), "number 4 of an enum is out of range");
	check_attr_refused(piece(2, 2, 2), "a boolean is 2");
	check_attr_refused(piece(3, 8, 1, 0), "the type of a float is no float type");
	check_attr_refused(piece(3, 9, 0, 0), "the type of an integer is no integer type");
	check_attr_refused(piece(3, 15, 0, 0), "no tensor of known size");
	check_attr_refused(piece(4, 15, 1, 1, 0), "1 bytes for 2 elements of f32, expected 8");
	check_attr_refused(piece(4, 6, 1, 3, 3), "found another attribute, expected a string");
	Piece p = piece(2, 1, 0);
	p.data[1] = 0;
	for (int i = 0; i < 8; i++)
		put(&p, 0xFF);
	check_attr_refused(p, "attributes cannot stand in the 0 bytes");
}

static void test_bad_types(void **state)
{
	(void)state;
	static const struct { int n, v[6]; const char *want; } cases[] = {
		{ 1, { 50 }, "VHLO type 50 of a later version" },
		{ 4, { 20, 1, 1, 0 }, "size -1 of dimension 0 is negative" },
		{ 4, { 20, 1, 4, 1 }, "the element type of a tensor is no scalar type" },
		{ 2, { 1, 1 }, "the parts of a complex type are no numbers, expected f32 or f64" },
		{ 2, { 20, 1000 }, "1000 integers cannot stand in the 0 bytes" },
		{ 4, { 24, 1, 0, 0 }, "expected a byte" },
		{ 6, { 24, 1, 0, 0, 0, 0 }, "scale of a quantised type is 0, expected a number above 0" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Artifact a = artifact();
		a.types[0] = piece(0);
		for (int k = 0; k < cases[i].n; k++)
			num(&a.types[0], (uint64_t)cases[i].v[k]);
		a.ntypes = 1;
		a.extra[0] = piece(2, 17, 3);
		artifact_sections(&a);
		check_refused(&a, cases[i].want);
	}
	Artifact a = artifact();
	a.types[0] = piece(2, 20, 40);
	for (int i = 0; i < 40; i++)
		num(&a.types[0], 2);
	num(&a.types[0], 0);
	a.ntypes = 1;
	a.extra[0] = piece(2, 17, 3);
	artifact_sections(&a);
	check_refused(&a, "rank 40 is above 32");
}

static void test_cycles(void **state)
{
	(void)state;
	check_attr_refused(piece(3, 1, 1, 7), "attribute 7 is part of itself");
	Artifact a = artifact();
	a.nextra = 2;
	a.extra[0] = piece(3, 1, 1, 8);
	a.extra[1] = piece(3, 1, 1, 7);
	artifact_sections(&a);
	check_refused(&a, "attribute 7 is part of itself");
	a = artifact();
	a.ntypes = 1;
	a.types[0] = piece(3, 23, 1, 3);
	a.extra[0] = piece(2, 17, 3);
	artifact_sections(&a);
	check_refused(&a, "type 3 is part of itself");
}

/* Entries that hold the next one many times: 64 deep a few bytes stand for more than memory holds. */
static void test_expansion(void **state)
{
	(void)state;
	Artifact a = artifact();
	a.nextra = 8;
	for (int i = 0; i < 8; i++) {
		a.extra[i] = piece(2, 1, 20);
		for (int k = 0; k < 20; k++)
			num(&a.extra[i], i == 7 ? 6 : (uint64_t)(8 + i));
	}
	artifact_sections(&a);
	check_refused(&a, "an attribute or type stands for more than");
}

static void put_piece(Buf *b, const Piece *p)
{
	buf_put(b, p->data, p->len);
}

/* 100,000 lists of one, each in the one before: too deep, and found to be so without recursion. */
static void test_chain(void **state)
{
	(void)state;
	enum { LINKS = 100000 };
	Artifact a = artifact();
	Buf entries = { 0 }, offsets = { 0 }, file = { 0 };
	a.nextra = 0;
	artifact_sections(&a);
	Piece head = { .len = 0 };
	nums(&head, 2, 7 + LINKS, 3);
	nums(&head, 5, 0, 3, 1 << 1 | 1, 2 << 1 | 1, 4 << 1 | 1);
	nums(&head, 6, 1, 4 + LINKS, 2 << 1 | 1, 2 << 1 | 1, 2 << 1 | 1, 2 << 1 | 1);
	put_piece(&offsets, &head);
	const Piece *own = &a.sections[2];
	buf_put(&entries, own->data, 15); /* the attributes of the artifact */
	for (int i = 0; i < LINKS; i++) {
		Piece link = piece(3, 1, 1, i + 1 < LINKS ? 8 + i : 6), size = { .len = 0 };
		num(&size, link.len << 1 | 1);
		put_piece(&entries, &link);
		put_piece(&offsets, &size);
	}
	buf_put(&entries, own->data + 15, own->len - 15);
	Piece types = piece(5, 1, 3, 1 << 1 | 1, 4 << 1 | 1, 5 << 1 | 1);
	put_piece(&offsets, &types);
	artifact_head(&a, &file);
	for (int i = 0; i < 9; i++) {
		if (a.omit[i])
			continue;
		const Buf *large = i == 2 ? &entries : i == 3 ? &offsets : NULL;
		Piece p = { .len = 0 };
		put(&p, i);
		num(&p, large ? large->len : a.sections[i].len);
		put_piece(&file, &p);
		if (large)
			buf_put(&file, large->data, large->len);
		else
			put_piece(&file, &a.sections[i]);
	}
	check_bytes_refused(&file, "nested deeper than 256 levels");
	buf_free(&entries);
	buf_free(&offsets);
	buf_free(&file);
}

/* ---- ops ---- */

/* The place of the add op in the ops section. */
static uint8_t *add_op(Artifact *a)
{
	Piece *ir = &a->sections[4];
	static const uint8_t op[] = { 3 << 1 | 1, 7, 1 };
	for (size_t i = 0; i + sizeof op < ir->len; i++)
		if (!memcmp(ir->data + i, op, sizeof op))
			return ir->data + i;
	fail_msg("no add op");
	return NULL;
}

static void check_op_refused(int byte, int value, const char *want)
{
	Artifact a = artifact();
	artifact_sections(&a);
	add_op(&a)[byte] = (uint8_t)value;
	check_refused(&a, want);
}

static void test_bad_ops(void **state)
{
	(void)state;
	check_op_refused(0, 9 << 1 | 1, "number 9 of a name of an op is out of range, the file has 4");
	check_op_refused(1, 0x80, "unknown parts of an op (0x80)");
	check_op_refused(2, 1 << 1 | 1, "the location of an op is another attribute");
	check_op_refused(3, 3 << 1 | 1, "the attributes of vhlo.add_v1 are no dictionary");
	check_op_refused(4, 2 << 1 | 1, "the region has more values than it says");
	check_op_refused(5, 9 << 1 | 1, "number 9 of a type is out of range");
	check_op_refused(6, 1 << 1 | 1, "vhlo.add_v1 has 1 operands");
	check_op_refused(7, 1 << 1 | 1, "value 1 is used before its definition");
	check_op_refused(7, 2 << 1 | 1, "number 2 of a value is out of range, the file has 2");
	check_op_refused(-1, 4, "malformed order of 1 uses");
	check_op_refused(-4, 99 << 1 | 1, "a block of 49 ops in");
	Artifact a = artifact();
	put(&a.add_end, 2 << 1 | 1);
	put(&a.add_end, 8);
	nums(&a.add_end, 2, 0, 3);
	artifact_sections(&a);
	check_refused(&a, "ops with successor blocks are not supported");
	a = artifact();
	artifact_sections(&a);
	a.sections[8].data[5] = 99 << 1 | 1;
	check_refused(&a, "is out of range");
}

/* Counts that the bytes cannot hold, and references to what is no such thing. */
static void test_counts(void **state)
{
	(void)state;
	check_op_refused(4, 60 << 1 | 1, "60 results cannot stand in the");
	check_op_refused(6, 60 << 1 | 1, "60 operands cannot stand in the");
	check_attr_refused(piece(2, 17, 9), "number 9 of a type is out of range");
	check_attr_refused(piece(3, 8, 2, 0), "the type of a float is no float type");
	check_attr_refused(piece(3, 15, 1, 0), "0 bytes for 2 elements of f32, expected 8");
	check_attr_refused(piece(3, 15, 2, 0), "no tensor of known size");
}

static void test_unknown_op(void **state)
{
	(void)state;
	Artifact a = artifact();
	artifact_sections(&a);
	uint8_t *s = a.sections[0].data;
	for (size_t i = 0; i < a.sections[0].len; i++)
		if (!memcmp(s + i, "add_v1", 6))
			s[i + 5] = '9';
	check_refused(&a, "unknown op \"vhlo.add_v9\" in a file of \"StableHLO_v1.9.0\"");
}

/* ---- every cut and every changed bit ---- */

static void try_bytes(Context *c, const uint8_t *data, size_t len)
{
	MappedFile *f = file_of(data, len);
	diags_init(&c->diags, c->arena);
	Module *m = mlirbc_read(c, f, NULL);
	if (m) {
		Buf text = { 0 };
		assert_true(module_verify(m, &c->diags));
		mlir_print(m, &text, &(WriteOptions){ 0 });
		buf_free(&text);
		module_free(m);
	} else {
		assert_true(c->diags.status != HONE_OK);
	}
	file_unref(f);
}

static void damage(const Artifact *a)
{
	Buf bytes = { 0 };
	artifact_bytes(a, &bytes);
	Context *c = context_new();
	if (!read_bytes(c, &bytes))
		fail_msg("%s", c->diags.list.data[0].message);
	for (size_t i = 0; i < bytes.len; i++)
		try_bytes(c, (const uint8_t *)bytes.data, i);
	for (size_t i = 0; i < bytes.len * 8; i++) {
		bytes.data[i / 8] ^= (char)(1 << i % 8);
		try_bytes(c, (const uint8_t *)bytes.data, bytes.len);
		bytes.data[i / 8] ^= (char)(1 << i % 8);
	}
	context_free(c);
	buf_free(&bytes);
}

/* Attributes of several kinds, quantised and dynamic types, bits, an old version. */
static void test_damage(void **state)
{
	(void)state;
	Artifact a = artifact();
	a.nextra = 3;
	a.extra[0] = piece(4, 1, 2, 8, 9);
	a.extra[1] = piece(5, 15, 1, 2, 0, 0);
	a.extra[1].data[2] = 8 << 1 | 1;
	for (int i = 0; i < 6; i++)
		put(&a.extra[1], i);
	a.extra[2] = piece(4, 6, 1, 5, 4);
	artifact_sections(&a);
	damage(&a);
	a = artifact();
	a.ntypes = 3;
	a.types[0] = piece(1, 11);
	a.types[1] = piece(4, 24, 1, 3, 0);
	put(&a.types[1], 0);
	for (int i = 0; i < 8; i++)
		put(&a.types[1], "\0\0\0\0\0\0\xc0\x7f"[i]);
	nums(&a.types[1], 3, 3, 255, 254);
	a.types[2] = piece(4, 20, 1, 4, 4);
	a.extra[0] = piece(2, 17, 5);
	artifact_sections(&a);
	damage(&a);
	a = artifact();
	a.ntypes = 2;
	a.types[0] = piece(1, 0);
	a.types[1] = piece(4, 20, 1, 20, 3);
	a.extra[0] = piece(3, 15, 4, 2);
	put(&a.extra[0], 0x05);
	put(&a.extra[0], 0x02);
	artifact_sections(&a);
	damage(&a);
	a = with_attr(piece(4, 18, 2, 32, 8));
	damage(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_attributes), cmocka_unit_test(test_tensors),
		cmocka_unit_test(test_quantised), cmocka_unit_test(test_dynamic), cmocka_unit_test(test_head),
		cmocka_unit_test(test_sections), cmocka_unit_test(test_strings), cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_bad_attributes), cmocka_unit_test(test_bad_types), cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_expansion), cmocka_unit_test(test_chain), cmocka_unit_test(test_bad_ops), cmocka_unit_test(test_counts), cmocka_unit_test(test_unknown_op),
		cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
