/* The op tables: every row is complete and agrees with itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ops/ops.h"

static bool is_row(int kind)
{
	return kind != OP_UNKNOWN && kind != OP_CORE_END;
}

static void names_are_unique(void **state)
{
	(void)state;
	Context *c = context_new();
	for (int k = 0; k < OP_KIND_COUNT; k++) {
		if (!is_row(k))
			continue;
		const OpDef *d = op_def(c, (OpKind)k);
		assert_int_equal(d->kind, k);
		assert_ptr_equal(op_def_find(c, d->name->s, d->name->len), d);
		if (k < SHLO_abs)
			assert_int_equal(strncmp(d->name->s, k < OP_CORE_END ? "core." : "onnx.", 5), 0);
	}
	context_free(c);
}

/* Tokens of "x w b?" or "xs*": optional ones come last except where a later one is required, a variadic one is the last. */
static void check_names(const char *row, const char *text, uint16_t min, uint16_t max)
{
	char copy[512];
	assert_true(strlen(text) < sizeof copy);
	strcpy(copy, text);
	int n = 0, required = 0;
	bool variadic = false;
	for (char *s = strtok(copy, " "); s; s = strtok(NULL, " ")) {
		size_t len = strlen(s);
		if (variadic)
			fail_msg("%s: \"%s\" follows a variadic name", row, s);
		variadic = s[len - 1] == '*';
		bool optional = s[len - 1] == '?';
		size_t body = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
		if (body + (variadic || optional) != len)
			fail_msg("%s: \"%s\" is no name", row, s);
		n++;
		if (!optional && !variadic)
			required = n;
	}
	assert_int_equal(min, required);
	assert_int_equal(max, variadic ? UINT16_MAX : n);
}

static void arities_follow_from_the_text(void **state)
{
	(void)state;
	Context *c = context_new();
	for (int k = 0; k < OP_KIND_COUNT; k++) {
		if (!is_row(k))
			continue;
		const OpDef *d = op_def(c, (OpKind)k);
		check_names(d->name->s, d->operands, d->min_operands, d->max_operands);
		check_names(d->name->s, d->results, d->min_results, d->max_results);
	}
	const OpDef *lstm = op_def(c, OP_lstm), *loop = op_def(c, OP_loop);
	assert_int_equal(lstm->min_operands, 3);
	assert_int_equal(lstm->max_operands, 8);
	assert_int_equal(lstm->min_results, 0);
	assert_int_equal(loop->min_operands, 0);
	assert_int_equal(loop->max_operands, UINT16_MAX);
	context_free(c);
}

static void attributes_are_known(void **state)
{
	(void)state;
	Context *c = context_new();
	for (int k = 0; k < OP_KIND_COUNT; k++) {
		if (!is_row(k))
			continue;
		const OpDef *d = op_def(c, (OpKind)k);
		size_t n = 0;
		for (const char *s = d->attr_text; *s; s++)
			n += *s == ':';
		assert_int_equal(d->nattrs, n);
		for (size_t i = 0; i < d->nattrs; i++) {
			const AttrDef *a = &d->attrs[i];
			if (a->name == A_NONE)
				fail_msg("%s: attribute %zu of \"%s\" is not in attrs.def", d->name->s, i, d->attr_text);
			assert_ptr_equal(op_attr_def(d, a->name), a); /* no name twice */
			if (a->fallback)
				assert_int_equal(a->fallback->kind, a->kind);
		}
	}
	const AttrDef *alpha = op_attr_def(op_def(c, OP_leaky_relu), A_alpha);
	assert_non_null(alpha);
	assert_true(alpha->fallback->u.f == (double)0.01f);
	assert_true(op_attr_def(op_def(c, OP_conv), A_strides)->optional);
	assert_null(op_attr_def(op_def(c, OP_conv), A_alpha));
	context_free(c);
}

static void traits_are_consistent(void **state)
{
	(void)state;
	Context *c = context_new();
	for (int k = 0; k < OP_KIND_COUNT; k++) {
		if (!is_row(k))
			continue;
		const OpDef *d = op_def(c, (OpKind)k);
		uint32_t needs_pure = TRAIT_ELTWISE | TRAIT_COMMUTES | TRAIT_ASSOCIATES | TRAIT_IDEMPOTENT | TRAIT_INVOLUTION |
			TRAIT_MOVES | TRAIT_TO_BOOL;
		if ((d->traits & needs_pure) && !(d->traits & TRAIT_PURE))
			fail_msg("%s: promises that only a pure op can keep", d->name->s);
		if ((d->traits & TRAIT_PURE) && (d->traits & TRAIT_RANDOM))
			fail_msg("%s: pure and random", d->name->s);
		if ((d->traits & TRAIT_INVOLUTION) && d->max_operands != 1)
			fail_msg("%s: an involution of several operands", d->name->s);
		if ((d->traits & TRAIT_COMMUTES) && d->min_operands != d->max_operands && d->max_operands != UINT16_MAX)
			fail_msg("%s: commutes with optional operands", d->name->s);
		if ((d->traits & TRAIT_TERMINATOR) && d->max_results != 0)
			fail_msg("%s: a terminator with results", d->name->s);
	}
	context_free(c);
}

static void onnx_names(void **state)
{
	(void)state;
	Context *c = context_new();
	const Str *conv = str(c, "Conv"), *gelu = str(c, "Gelu");
	const OpDef *d = op_def_onnx(c, NULL, conv);
	assert_int_equal(d->kind, ONNX_Conv);
	assert_ptr_equal(op_def_onnx(c, c->empty, conv), d);
	assert_ptr_equal(op_def_onnx(c, str(c, "ai.onnx"), conv), d);
	const OpDef *custom = op_def_onnx(c, str(c, "my.domain"), gelu);
	assert_int_equal(custom->kind, OP_UNKNOWN);
	assert_string_equal(custom->name->s, "onnx.my.domain::Gelu");
	assert_ptr_equal(op_def_find(c, "onnx.my.domain::Gelu", 20), custom);
	assert_int_equal(custom->min_operands, 0);
	assert_int_equal(custom->max_operands, UINT16_MAX);
	assert_int_equal(custom->traits, 0);
	assert_int_equal(op_def_onnx(c, NULL, gelu)->kind, ONNX_Gelu);
	assert_int_equal(op_def_onnx(c, NULL, str(c, "NoSuchOp"))->kind, OP_UNKNOWN);
	context_free(c);
}

/* What a new op must bring: core rows without semantics. */
static void rows_are_complete(void **state)
{
	(void)state;
	Context *c = context_new();
	int missing = 0;
	for (int k = 0; k < OP_CORE_END; k++) {
		if (!is_row(k))
			continue;
		const OpDef *d = op_def(c, (OpKind)k);
		if (d->traits & TRAIT_TERMINATOR)
			continue;
		if (!d->infer || !d->eval) {
			print_message("%s lacks%s%s\n", d->name->s, d->infer ? "" : " infer", d->eval ? "" : " eval");
			missing++;
		}
	}
	context_free(c);
	assert_int_equal(missing, 0);
}

static void axes(void **state)
{
	(void)state;
	int a;
	assert_true(axis_norm(-1, 3, &a));
	assert_int_equal(a, 2);
	assert_true(axis_norm(2, 3, &a));
	assert_false(axis_norm(3, 3, &a));
	assert_false(axis_norm(-4, 3, &a));
	assert_false(axis_norm(0, 0, &a));
	assert_false(axis_norm(INT64_MIN, 3, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(arities_follow_from_the_text),
		cmocka_unit_test(attributes_are_known),
		cmocka_unit_test(traits_are_consistent),
		cmocka_unit_test(onnx_names),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(axes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
