/* Symbolic dimensions: normal forms, simplification, bounds, text, and random expressions against plain arithmetic. */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static Context *c;

static int setup(void **state)
{
	(void)state;
	c = context_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	context_free(c);
	return 0;
}

static const Sym *parse(const char *s)
{
	const Sym *r = sym_parse(c, s, strlen(s), NULL);
	if (!r)
		fail_msg("cannot parse %s", s);
	return r;
}

static void expect_text(const Sym *s, const char *want)
{
	Buf b = { 0 };
	sym_print(s, &b);
	if (strcmp(b.data, want) != 0)
		fail_msg("got %s, expected %s", b.data, want);
	buf_free(&b);
}

/* Pairs that must become one pointer, and print as the second says. */
static void test_normal_forms(void **state)
{
	(void)state;
	static const char *const same[][2] = {
		{ "1+seq", "seq+1" },
		{ "b*a", "a*b" },
		{ "n+n", "2*n" },
		{ "n-n", "0" },
		{ "(a+b)*(a-b)", "a*a-b*b" },
		{ "(n+1)*(n+1)", "n*n+2*n+1" },
		{ "-(n-3)", "-n+3" },
		{ "0*n+4", "4" },
		{ "floordiv(4*n+8,4)", "n+2" },
		{ "floordiv(4*n+9,4)", "n+2" },
		{ "floordiv(5*n,4)", "n+floordiv(n,4)" },
		{ "floordiv(n*m,n)", "m" },
		{ "floordiv(6*n*m,2*n)", "3*m" },
		{ "floordiv(n*m+n,n)", "m+1" },
		{ "floordiv(n*m+3,n)", "m+floordiv(3,n)" },
		{ "floordiv(n*n-1,n-1)", "n+1" },
		{ "floordiv(a*c+b*c,a+b)", "c" },
		{ "floordiv(2*n,2*m)", "floordiv(n,m)" },
		{ "floordiv(floordiv(x,2),3)", "floordiv(x,6)" },
		{ "floordiv(floordiv(w-1,2)+1,2)", "floordiv(w+1,4)" },
		{ "floordiv(floordiv(x,y),z)", "floordiv(x,y*z)" },
		{ "floordiv(6*n+3,4)", "n+floordiv(n+1,2)" },
		{ "floordiv(4*n+3,6)", "floordiv(2*n+1,3)" },
		{ "-floordiv(-n,2)", "floordiv(n+1,2)" },
		{ "floordiv(n,-2)", "-floordiv(n+1,2)" },
		{ "floordiv(mod(n,4),4)", "0" },
		{ "floordiv(n,1)", "n" },
		{ "mod(n,1)", "0" },
		{ "mod(4*n,4)", "0" },
		{ "mod(5*n+6,4)", "mod(n+2,4)" },
		{ "mod(n*m,n)", "0" },
		{ "mod(2*n,4)", "2*mod(n,2)" },
		{ "mod(mod(n,8)+3,4)", "mod(n+3,4)" },
		{ "mod(mod(n,4),8)", "mod(n,4)" },
		{ "mod(-n,4)", "mod(3*n,4)" },
		{ "max(n,0)", "n" },
		{ "max(n+1,1)", "n+1" },
		{ "max(n,n+2)", "n+2" },
		{ "min(n,n+2)", "n" },
		{ "max(b,a,b)", "max(a,b)" },
		{ "max(max(a,3),max(b,5))", "max(a,b,5)" },
		{ "max(n-1,0)+1", "max(n,1)" },
		{ "min(n,n*n+n)", "n" },
		{ "max(mod(n,4),4)", "4" },
		{ "min(floordiv(n,2),n)", "floordiv(n,2)" },
		{ "n*floordiv(m,2)*2", "2*n*floordiv(m,2)" },
	};
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		expect_text(parse(same[i][0]), same[i][1]);
		assert_ptr_equal(parse(same[i][0]), parse(same[i][1]));
	}
}

static void test_rounding_variants(void **state)
{
	(void)state;
	const Sym *n = parse("n"), *two = sym_int(c, 2);
	expect_text(sym_ceildiv(c, n, two), "floordiv(n+1,2)");
	expect_text(sym_truncdiv(c, n, two), "floordiv(n,2)");
	assert_true(sym_is(sym_truncdiv(c, sym_int(c, -7), two), -3));
	assert_true(sym_is(sym_floordiv(c, sym_int(c, -7), two), -4));
	assert_true(sym_is(sym_ceildiv(c, sym_int(c, -7), two), -3));
	assert_true(sym_is(sym_mod(c, sym_int(c, -7), two), 1));
	assert_true(sym_is(sym_mod(c, sym_int(c, 7), sym_int(c, -2)), -1));
	assert_ptr_equal(sym_truncdiv(c, parse("2*n-4"), two), parse("n-2"));
	assert_ptr_equal(sym_truncdiv(c, parse("-n"), two), parse("-floordiv(n,2)"));
}

static void test_unknowns(void **state)
{
	(void)state;
	const Sym *a = sym_unknown(c), *b = sym_unknown(c), *z = sym_int(c, 0);
	assert_ptr_not_equal(a, b);
	assert_true(sym_is_unknown(a) && sym_nonneg(a));
	assert_int_equal(sym_kind(a), SYM_SYMBOL);
	assert_ptr_equal(sym_sub(c, a, a), z);
	assert_false(sym_known_eq(a, b) || sym_known_ne(c, a, b));
	assert_true(sym_is_unknown(sym_floordiv(c, a, z)));
	assert_false(sym_nonneg(sym_mod(c, a, z)));
	const Sym *big = sym_int(c, INT64_MAX);
	assert_true(sym_is_unknown(sym_add(c, big, sym_int(c, 1))));
	assert_true(sym_is_unknown(sym_mul(c, parse("3*n"), big)));
	assert_true(sym_is_unknown(sym_neg(c, sym_int(c, INT64_MIN))));
	assert_true(sym_is_unknown(sym_floordiv(c, sym_int(c, INT64_MIN), sym_int(c, -1))));
	assert_ptr_equal(parse("?1"), a);
	assert_ptr_equal(parse("?1+?2"), sym_add(c, b, a));
	assert_ptr_not_equal(parse("?"), parse("?"));
	const Sym *far = parse("?1000");
	assert_ptr_not_equal(sym_unknown(c), far);
	/* However great a serial of a text is, fresh ones are readable. */
	const Sym *greatest = parse("?9223372036854775806"), *fresh = sym_unknown(c);
	assert_ptr_not_equal(fresh, greatest);
	Buf text = { 0 };
	sym_print(fresh, &text);
	assert_ptr_equal(parse(text.data), fresh);
	buf_free(&text);
}

static void test_growth_is_bounded(void **state)
{
	(void)state;
	const Sym *sum = sym_int(c, 0), *power = parse("n"), *nest = parse("n");
	for (int i = 0; i < 200; i++) {
		sum = sym_add(c, sum, sym_symbol(c, str_fmt(c, "s%d", i)));
		power = sym_mul(c, power, parse("n"));
		nest = sym_max(c, sym_mul(c, sym_floordiv(c, nest, sym_int(c, 3)), sym_int(c, 2)), sym_symbol(c, str_fmt(c, "t%d", i)));
	}
	Buf b = { 0 };
	sym_print(sum, &b);
	sym_print(power, &b);
	sym_print(nest, &b);
	assert_true(b.len < 8000);
	buf_free(&b);
}

static void test_bounds(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		int64_t lo, hi;
	} cases[] = {
		{ "5", 5, 5 },
		{ "n", 0, INT64_MAX },
		{ "n+3", 3, INT64_MAX },
		{ "-n+3", INT64_MIN, 3 },
		{ "n-m", INT64_MIN, INT64_MAX },
		{ "mod(n,4)", 0, 3 },
		{ "2*mod(n,4)-1", -1, 5 },
		{ "floordiv(w-3,2)+1", -1, INT64_MAX },
		{ "floordiv(mod(n,100),7)", 0, 14 },
		{ "max(n,3)", 3, INT64_MAX },
		{ "min(n,3)", 0, 3 },
		{ "n-2*floordiv(n,2)", 0, 1 },
		{ "n-floordiv(n+3,4)", 0, INT64_MAX },
		{ "n-mod(n,4)", 0, INT64_MAX },
		{ "max(n,m)-n", 0, INT64_MAX },
		{ "n-min(n,m)", 0, INT64_MAX },
		{ "n*m+1", 1, INT64_MAX },
		{ "(n-5)*(n-5)", INT64_MIN, INT64_MAX },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const Sym *s = parse(cases[i].s);
		if (sym_lower(s) != cases[i].lo || sym_upper(s) != cases[i].hi)
			fail_msg("%s: [%lld, %lld]", cases[i].s, (long long)sym_lower(s), (long long)sym_upper(s));
	}
}

static void test_comparisons(void **state)
{
	(void)state;
	assert_true(sym_known_lt(c, parse("n"), parse("n+1")));
	assert_true(sym_known_le(c, parse("floordiv(n,2)"), parse("n")));
	assert_false(sym_known_lt(c, parse("floordiv(n,2)"), parse("n")));
	assert_true(sym_known_ne(c, parse("2*n+1"), parse("2*m")));
	assert_true(sym_known_ne(c, parse("n+1"), parse("0")));
	assert_false(sym_known_ne(c, parse("n"), parse("m")));
	assert_false(sym_known_eq(parse("n"), parse("m")));
	assert_true(sym_known_eq(parse("n"), parse("n")));
	assert_true(sym_known_lt(c, parse("mod(n,m+1)"), parse("m+1")));
}

static const Sym *replace_n(void *arg, const Sym *symbol)
{
	return strcmp(sym_name(symbol)->s, "n") == 0 ? arg : NULL;
}

static void count_symbol(void *arg, const Sym *symbol)
{
	(void)symbol;
	++*(int *)arg;
}

static void test_substitute(void **state)
{
	(void)state;
	const Sym *e = parse("floordiv(n*m+n,2)+max(n,m)");
	assert_ptr_equal(sym_substitute(c, e, replace_n, (void *)sym_int(c, 4)), parse("2*m+2+max(m,4)"));
	assert_ptr_equal(sym_substitute(c, parse("m*m+1"), replace_n, (void *)sym_int(c, 4)), parse("m*m+1"));
	int n = 0;
	sym_symbols(e, count_symbol, &n);
	assert_int_equal(n, 2);
	const Sym *dims[] = { parse("n"), sym_int(c, INT64_MAX), sym_int(c, 4), sym_int(c, 0) };
	assert_true(sym_is(sym_product(c, dims, 4), 0));
}

static void test_text(void **state)
{
	(void)state;
	static const char *const odd[] = { "", "batch size", "a+b", "7x", "?3", "quo\"te\\", "tab\there", "min" };
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		const Sym *s = sym_symbol(c, str(c, odd[i]));
		Buf b = { 0 };
		sym_print(sym_add(c, sym_mul(c, s, s), sym_int(c, -2)), &b);
		assert_ptr_equal(parse(b.data), sym_sub(c, sym_mul(c, s, s), sym_int(c, 2)));
		buf_free(&b);
	}
	static const char *const bad[] = { "", "+", "n+", "floordiv(n)", "floordiv(1,2,3)", "foo(n)", "(n", "\"n", "n]",
		                           "99999999999999999999", "min(n)", "n n", "\"\\q\"" };
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (sym_parse(c, bad[i], strlen(bad[i]), NULL))
			fail_msg("accepted %s", bad[i]);
	char deep[1000];
	memset(deep, '(', sizeof deep);
	assert_null(sym_parse(c, deep, sizeof deep, NULL));
	size_t used = 0;
	assert_ptr_equal(sym_parse(c, "n+1]x3", 6, &used), parse("n+1"));
	assert_int_equal(used, 3);
	expect_text(parse("-9223372036854775808"), "-9223372036854775808");
	expect_text(parse("n-9223372036854775808"), "n-9223372036854775808");
}

/* ---- random expressions: the symbolic result must give the number that plain arithmetic gives ---- */

#define NSYMS 3
typedef struct Sample {
	const Sym *expr;
	bool ok;       /* no division by zero, no overflow */
	int64_t value;
} Sample;

static int64_t values[NSYMS];

static bool lookup(void *arg, const Sym *symbol, int64_t *out)
{
	(void)arg;
	if (sym_is_unknown(symbol))
		return false;
	*out = values[sym_name(symbol)->s[0] - 'a'];
	return true;
}

static int64_t floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static Sample combine(int64_t op, Sample x, Sample y)
{
	Sample r = { NULL, x.ok && y.ok, 0 };
	bool divides = op >= 5 && op <= 8;
	r.ok = r.ok && !(divides && y.value == 0);
	switch (op) {
	case 0:
	case 1:
		r.expr = sym_add(c, x.expr, y.expr);
		r.value = x.value + y.value;
		break;
	case 2:
		r.expr = sym_sub(c, x.expr, y.expr);
		r.value = x.value - y.value;
		break;
	case 3:
		r.expr = sym_mul(c, x.expr, y.expr);
		r.ok = r.ok && mul_ok(x.value, y.value, &r.value) && r.value < 1000000000 && r.value > -1000000000;
		break;
	case 4:
		r.expr = sym_min(c, x.expr, y.expr);
		r.value = x.value < y.value ? x.value : y.value;
		break;
	case 5:
		r.expr = sym_floordiv(c, x.expr, y.expr);
		r.value = r.ok ? floor_of(x.value, y.value) : 0;
		break;
	case 6:
		r.expr = sym_mod(c, x.expr, y.expr);
		r.value = r.ok ? x.value - y.value * floor_of(x.value, y.value) : 0;
		break;
	case 7:
		r.expr = sym_truncdiv(c, x.expr, y.expr);
		r.value = r.ok ? x.value / y.value : 0;
		break;
	case 8:
		r.expr = sym_ceildiv(c, x.expr, y.expr);
		r.value = r.ok ? -floor_of(-x.value, y.value) : 0;
		break;
	default:
		r.expr = sym_max(c, x.expr, y.expr);
		r.value = x.value > y.value ? x.value : y.value;
	}
	return r;
}

static Sample random_sample(Rng *r, int depth)
{
	if (depth == 0 || rng_below(r, 6) == 0) {
		if (rng_below(r, 2)) {
			int64_t v = rng_below(r, 13) - 4;
			return (Sample){ sym_int(c, v), true, v };
		}
		int64_t i = rng_below(r, NSYMS);
		return (Sample){ sym_symbol(c, str_fmt(c, "%c", (int)('a' + i))), true, values[i] };
	}
	Sample x = random_sample(r, depth - 1), y = random_sample(r, depth - 1);
	return combine(rng_below(r, 10), x, y);
}

static void check_sample(const Sample *s, int *checked)
{
	int64_t got;
	Buf b = { 0 };
	sym_print(s->expr, &b);
	if (parse(b.data) != s->expr)
		fail_msg("does not read back: %s", b.data);
	/* A divisor that was cancelled may have hidden a zero: only what plain arithmetic can do counts. */
	if (s->ok && sym_eval(s->expr, lookup, NULL, &got)) {
		++*checked;
		if (got != s->value)
			fail_msg("%s with a=%lld b=%lld c=%lld: got %lld, expected %lld", b.data, (long long)values[0],
			         (long long)values[1], (long long)values[2], (long long)got, (long long)s->value);
		if (sym_lower(s->expr) > got || sym_upper(s->expr) < got)
			fail_msg("%s = %lld is outside [%lld, %lld]", b.data, (long long)got,
			         (long long)sym_lower(s->expr), (long long)sym_upper(s->expr));
	}
	buf_free(&b);
}

static void test_random(void **state)
{
	(void)state;
	Rng r = { 20240607 };
	int checked = 0;
	for (int i = 0; i < 20000; i++) {
		for (int k = 0; k < NSYMS; k++)
			values[k] = rng_below(&r, 4) ? rng_below(&r, 12) : rng_below(&r, 200);
		Sample x = random_sample(&r, 1 + (int)rng_below(&r, 4)), y = random_sample(&r, 1 + (int)rng_below(&r, 3));
		check_sample(&x, &checked);
		if (!x.ok || !y.ok)
			continue;
		bool wrong = (sym_known_le(c, x.expr, y.expr) && x.value > y.value) ||
		             (sym_known_lt(c, x.expr, y.expr) && x.value >= y.value) ||
		             (sym_known_eq(x.expr, y.expr) && x.value != y.value) ||
		             (sym_known_ne(c, x.expr, y.expr) && x.value == y.value);
		int64_t ignored;
		if (wrong && sym_eval(x.expr, lookup, NULL, &ignored) && sym_eval(y.expr, lookup, NULL, &ignored))
			fail_msg("comparison claims too much in sample %d", i);
	}
	assert_true(checked > 8000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_normal_forms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rounding_variants, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknowns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_growth_is_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_comparisons, setup, teardown),
		cmocka_unit_test_setup_teardown(test_substitute, setup, teardown),
		cmocka_unit_test_setup_teardown(test_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
