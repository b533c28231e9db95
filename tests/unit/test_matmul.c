/* Matrix products and contractions against the plain loops of their definitions. */
#include "op_case.h"

static int64_t between(Rng *r, int64_t lo, int64_t hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

/* Element of a broadcast batch: index into t for batch index idx over `rank` result batch dims, then row and column. */
static int64_t matrix_at(const Tensor *t, const int64_t *idx, int rank, int64_t row, int64_t col)
{
	if (t->rank == 1)
		return row + col; /* one of them is 0 */
	int64_t at = 0;
	for (int d = 0; d < t->rank - 2; d++) {
		int64_t i = idx[rank - (t->rank - 2) + d];
		at = at * t->dims[d] + (t->dims[d] == 1 ? 0 : i);
	}
	return (at * t->dims[t->rank - 2] + row) * t->dims[t->rank - 1] + col;
}

/* NumPy matmul of the first two operands; zero points are subtracted. */
static double *plain_matmul(OpCase *c, const Tensor *y, double a_zero, double b_zero)
{
	const Tensor *a = c->in[0], *b = c->in[1];
	int batch = y->rank - (a->rank > 1) - (b->rank > 1);
	int64_t m = a->rank > 1 ? a->dims[a->rank - 2] : 1, k = a->dims[a->rank - 1],
			n = b->rank > 1 ? b->dims[b->rank - 1] : 1;
	int64_t idx[MAX_RANK] = {0}, at = 0;
	double *want = NEW_ARRAY(c->b->arena, double, y->count + 1);
	for (; at < y->count; case_next(idx, y->dims, batch))
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < n; j++, at++)
				for (int64_t q = 0; q < k; q++)
					want[at] += (tensor_get_f64(a, matrix_at(a, idx, batch, i, q)) - a_zero) *
						(tensor_get_f64(b, matrix_at(b, idx, batch, q, j)) - b_zero);
	return want;
}

static int random_batch(Rng *r, int rank, int64_t *a, int64_t *b)
{
	for (int d = 0; d < rank; d++) {
		int64_t n = between(r, 1, 3);
		a[d] = rng_below(r, 3) == 0 ? 1 : n;
		b[d] = rng_below(r, 3) == 0 ? 1 : n;
	}
	return rank;
}

static void matmul_matches(void **state)
{
	static const DType types[] = {DT_F32, DT_F64, DT_F32, DT_BF16, DT_F16};
	(void)state;
	for (int trial = 0; trial < 120; trial++) {
		OpCase c;
		bool oracle = trial % 2;
		DType d = types[trial % 5];
		case_begin(&c, oracle, (uint64_t)trial + 1);
		Rng *r = &c.b->rng;
		int64_t a[6], b[6], k = between(r, 0, trial % 4 ? 20 : 600);
		int batch = random_batch(r, trial % 4, a, b), drop = (int)rng_below(r, batch + 1);
		a[batch] = between(r, trial % 10 == 9 ? 0 : 1, 23), a[batch + 1] = k;
		b[batch] = k, b[batch + 1] = between(r, 1, 40);
		if (trial % 11 == 10)
			case_tensor(&c, d, 1, &k, 0, 0);
		else
			case_tensor(&c, d, batch + 2, a, 0, 0);
		if (trial % 13 == 12)
			case_tensor(&c, d, 1, &k, 0, 0);
		else
			case_tensor(&c, d, batch + 2 - drop, b + drop, 0, 0); /* fewer batch dims on the right */
		case_run(&c, OP_matmul, "", 1);
		case_near(c.out[0], plain_matmul(&c, c.out[0], 0, 0), case_tolerance(d, oracle), "matmul");
		case_end(&c);
	}
}

/* Sizes around the borders of register tiles and cache blocks. */
static void big_products_match(void **state)
{
	static const int64_t sizes[][3] = {
		{6, 512, 257}, {7, 33, 1000}, {193, 300, 511}, {1, 2050, 513}, {4100, 1, 31}, {5, 7, 4200}, {385, 31, 3}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (int flags = 0; flags < 8; flags++) {
			OpCase c;
			char text[64];
			bool ta = flags & 1, tb = flags & 2, oracle = flags & 4;
			int64_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
			case_begin(&c, oracle, i + 1);
			Tensor *a = case_tensor(&c, DT_F32, 2, ta ? (int64_t[]){k, m} : (int64_t[]){m, k}, 0, 0);
			Tensor *b = case_tensor(&c, DT_F32, 2, tb ? (int64_t[]){n, k} : (int64_t[]){k, n}, 0, 0);
			snprintf(text, sizeof(text), "trans_a=%d trans_b=%d", ta, tb);
			case_run(&c, OP_gemm, text, 1);
			for (int probe = 0; probe < 200; probe++) {
				int64_t row = rng_below(&c.b->rng, m), col = rng_below(&c.b->rng, n);
				double want = 0, size = 1;
				for (int64_t q = 0; q < k; q++) {
					double v = tensor_get_f64(a, ta ? q * m + row : row * k + q) *
						tensor_get_f64(b, tb ? col * k + q : q * n + col);
					want += v, size += fabs(v);
				}
				double got = tensor_get_f64(c.out[0], row * n + col);
				if (!(fabs(got - want) <= (oracle ? 1e-13 : 2e-6) * size))
					fail_msg(
						"%s %lldx%lldx%lld: %.9g, not %.9g", text, (long long)m, (long long)n, (long long)k, got, want);
			}
			case_end(&c);
		}
}

/* The number of threads changes no bit. */
static void threads_do_not_matter(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 9);
	case_tensor(&c, DT_F32, 2, (int64_t[]){300, 700}, 0, 0);
	case_tensor(&c, DT_F32, 2, (int64_t[]){700, 333}, 0, 0);
	c.e.threads = 1;
	case_run(&c, OP_matmul, "", 1);
	Tensor *one = c.out[0];
	c.e.threads = 3;
	case_run(&c, OP_matmul, "", 1);
	assert_memory_equal(one->data, c.out[0]->data, (size_t)one->count * sizeof(float));
	case_end(&c);
}

static void gemm_matches(void **state)
{
	static const int64_t addends[][3] = {{2, 5, 7}, {2, 1, 7}, {2, 5, 1}, {1, 7, 0}, {1, 1, 0}, {0, 0, 0}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(addends); i++)
		for (int oracle = 0; oracle < 2; oracle++) {
			OpCase c;
			case_begin(&c, oracle, i + 1);
			case_tensor(&c, DT_F32, 2, (int64_t[]){5, 4}, 0, 0);
			case_tensor(&c, DT_F32, 2, (int64_t[]){4, 7}, 0, 0);
			Tensor *add = case_tensor(&c, DT_F32, (int)addends[i][0], &addends[i][1], 0, 0);
			case_run(&c, OP_gemm, "alpha=0.5 beta=-2", 1);
			double *want = plain_matmul(&c, c.out[0], 0, 0);
			for (int64_t j = 0; j < 35; j++) {
				int64_t rows = add->rank == 2 ? add->dims[0] : 1, cols = add->rank ? add->dims[add->rank - 1] : 1;
				int64_t at = (rows == 1 ? 0 : j / 7) * cols + (cols == 1 ? 0 : j % 7);
				want[j] = 0.5 * want[j] - 2 * tensor_get_f64(add, at);
			}
			case_near(c.out[0], want, case_tolerance(DT_F32, oracle), "gemm");
			case_end(&c);
		}
}

static void integers_wrap(void **state)
{
	static const DType types[] = {DT_I8, DT_U8, DT_I16, DT_I32, DT_U32, DT_I64};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		OpCase c;
		case_begin(&c, i % 2, i + 1);
		int64_t lo = dtype_int_min(types[i]) / 4, hi = (int64_t)(dtype_int_max(types[i]) / 4);
		case_tensor(&c, types[i], 2, (int64_t[]){3, 9}, lo, hi);
		case_tensor(&c, types[i], 2, (int64_t[]){9, 5}, lo, hi);
		case_run(&c, OP_matmul, "", 1);
		Tensor *want = tensor_like(&c.e, c.out[0]);
		for (int64_t at = 0; at < 15; at++) {
			uint64_t sum = 0;
			for (int64_t k = 0; k < 9; k++)
				sum += (uint64_t)tensor_get_i64(c.in[0], at / 5 * 9 + k) *
					(uint64_t)tensor_get_i64(c.in[1], k * 5 + at % 5);
			tensor_set_i64(want, at, (int64_t)sum);
			assert_int_equal(tensor_get_i64(want, at), tensor_get_i64(c.out[0], at));
		}
		case_end(&c);
	}
}

static void matmul_integer_is_exact(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 4);
	case_tensor(&c, DT_U8, 3, (int64_t[]){2, 4, 300}, 0, 255);
	case_tensor(&c, DT_I8, 2, (int64_t[]){300, 6}, -128, 127);
	case_tensor(&c, DT_U8, 0, NULL, 0, 255);
	case_tensor(&c, DT_I8, 0, NULL, -128, 127);
	case_run(&c, OP_matmul_integer, "", 1);
	case_near(c.out[0], plain_matmul(&c, c.out[0], tensor_get_f64(c.in[2], 0), tensor_get_f64(c.in[3], 0)), 0,
		"one zero point");
	c.nin = 2;
	Tensor *rows = case_tensor(&c, DT_U8, 1, (int64_t[]){4}, 0, 255),
		   *cols = case_tensor(&c, DT_I8, 1, (int64_t[]){6}, -128, 127);
	case_run(&c, OP_matmul_integer, "", 1);
	for (int64_t i = 0; i < c.out[0]->count; i++) {
		int64_t sum = 0, row = i / 6, col = i % 6;
		for (int64_t k = 0; k < 300; k++)
			sum += (tensor_get_i64(c.in[0], row * 300 + k) - tensor_get_i64(rows, row % 4)) *
				(tensor_get_i64(c.in[1], k * 6 + col) - tensor_get_i64(cols, col));
		assert_int_equal(tensor_get_i64(c.out[0], i), sum);
	}
	case_end(&c);
}

/* ---- einsum ---- */

/* The sum over all values of all letters; `terms` hold one letter a dim, the last is the result's. */
static double *plain_einsum(OpCase *c, const char *const *terms, const int64_t *size, int64_t count)
{
	const char *letters = "abcdefgh";
	int64_t dims[8], idx[8] = {0};
	double *want = NEW_ARRAY(c->b->arena, double, count + 1);
	for (int i = 0; i < 8; i++) {
		dims[i] = 1;
		for (size_t t = 0; t < c->nin; t++)
			if (strchr(terms[t], letters[i]))
				dims[i] = size[i];
	}
	do {
		double v = 1;
		int64_t to = 0;
		for (size_t t = 0; t <= c->nin; t++) {
			int64_t at = 0;
			for (size_t i = 0; terms[t][i]; i++) {
				int l = (int)(strchr(letters, terms[t][i]) - letters);
				int64_t n = t < c->nin ? c->in[t]->dims[i] : dims[l];
				at = at * n + (n == 1 ? 0 : idx[l]);
			}
			if (t < c->nin)
				v *= tensor_get_f64(c->in[t], at);
			else
				to = at;
		}
		want[to] += v;
	} while (case_next(idx, dims, 8));
	return want;
}

static void einsum_matches(void **state)
{
	static const struct {
		const char *equation, *terms[4];
	} rows[] = {
		{"ab,bc->ac", {"ab", "bc", "ac"}},
		{"abc , acd -> abd", {"abc", "acd", "abd"}},
		{"abcd,aecd->acbe", {"abcd", "aecd", "acbe"}},
		{"aab->ba", {"aab", "ba"}},
		{"abb->", {"abb", ""}},
		{"ba", {"ba", "ab"}},
		{"ab,ab->ab", {"ab", "ab", "ab"}},
		{"a,b,c->cab", {"a", "b", "c", "cab"}},
		{"ab,bc,cd->da", {"ab", "bc", "cd", "da"}},
		{"abc,d->bd", {"abc", "d", "bd"}},
		{"...b,bc->...c", {"adb", "bc", "adc"}},
		{"...ab,...bc", {"dab", "dbc", "dac"}},
		{"a...,a...->...", {"abc", "abc", "bc"}},
	};
	const int64_t size[8] = {3, 4, 5, 2, 6, 0, 0, 0};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int mode = 0; mode < 3; mode++) {
			OpCase c;
			case_begin(&c, mode == 1, i + 1);
			DType d = mode == 2 ? DT_I32 : DT_F32;
			size_t n = 0;
			while (n < 3 && rows[i].terms[n + 1])
				n++;
			for (size_t t = 0; t < n; t++) {
				int64_t dims[8];
				int rank = (int)strlen(rows[i].terms[t]);
				for (int k = 0; k < rank; k++)
					dims[k] = size[rows[i].terms[t][k] - 'a'];
				if (i == 0 && t == 1 && mode == 0)
					dims[0] = 1; /* a size of 1 broadcasts */
				case_tensor(&c, d, rank, dims, -9, 9);
			}
			/* attributes are split at blanks, so the equation is set by hand */
			CaseSymbols symbols;
			Op *op = case_op(&c, OP_einsum, "equation=x", 1, false, &symbols);
			op_set_attr(op, c.b->ctx->attr_names[A_equation], attr_str(c.b->ctx, str(c.b->ctx, rows[i].equation)));
			InferCtx x;
			infer_init(&x, c.b->module, c.b->arena, &c.b->ctx->diags);
			assert_true(infer_op(&x, op));
			if (!eval_op(&c.e, op, c.in, c.out))
				fail_msg("%s", rows[i].equation);
			case_check_type(op_result(op, 0)->type, c.out[0], &symbols, true);
			case_near(c.out[0], plain_einsum(&c, rows[i].terms, size, c.out[0]->count), mode == 0 ? 1e-5 : 1e-13,
				rows[i].equation);
			case_end(&c);
		}
}

static void dot_general_matches(void **state)
{
	(void)state;
	for (int mode = 0; mode < 3; mode++) {
		OpCase c;
		case_begin(&c, mode == 1, 8);
		DType d = mode == 2 ? DT_C64 : DT_F32;
		/* a: m k1 batch k2; b: batch n k2 k1 */
		const int64_t da[4] = {3, 4, 2, 5}, db[4] = {2, 6, 5, 4};
		Tensor *a = tensor_new(&c.e, d, 4, da), *b = tensor_new(&c.e, d, 4, db);
		c.in[0] = a, c.in[1] = b, c.nin = 2;
		int parts = mode == 2 ? 2 : 1;
		for (int64_t i = 0; i < 120 * parts; i++)
			if (mode == 1)
				((double *)a->data)[i] = rng_normal(&c.b->rng);
			else
				((float *)a->data)[i] = (float)rng_normal(&c.b->rng);
		for (int64_t i = 0; i < 240 * parts; i++)
			if (mode == 1)
				((double *)b->data)[i] = rng_normal(&c.b->rng);
			else
				((float *)b->data)[i] = (float)rng_normal(&c.b->rng);
		case_run(&c, OP_dot_general, "lhs_batch=2 rhs_batch=0 lhs_contract=1,3 rhs_contract=3,2", 1);
		assert_int_equal(c.out[0]->rank, 3);
		for (int64_t at = 0; at < 36; at++) {
			int64_t batch = at / 18, m = at / 6 % 3, n = at % 6;
			double re = 0, im = 0;
			for (int64_t k = 0; k < 20; k++) {
				int64_t ia = ((m * 4 + k / 5) * 2 + batch) * 5 + k % 5, ib = ((batch * 6 + n) * 5 + k % 5) * 4 + k / 5;
				if (mode == 2) {
					const float *p = (const float *)a->data + 2 * ia, *q = (const float *)b->data + 2 * ib;
					re += (double)p[0] * q[0] - (double)p[1] * q[1];
					im += (double)p[0] * q[1] + (double)p[1] * q[0];
				} else {
					re += tensor_get_f64(a, ia) * tensor_get_f64(b, ib);
				}
			}
			if (mode == 2) {
				const float *y = (const float *)c.out[0]->data + 2 * at;
				assert_true(fabs(y[0] - re) < 1e-4 && fabs(y[1] - im) < 1e-4);
			} else {
				assert_true(fabs(tensor_get_f64(c.out[0], at) - re) < (mode == 1 ? 1e-12 : 1e-4));
			}
		}
		case_end(&c);
	}
}

static void determinants(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 2);
	Tensor *x = case_tensor(&c, DT_F64, 3, (int64_t[]){3, 3, 3}, 0, 0);
	const double v[27] = {
		0, 2, 1, 1, 0, 3, 4, 1, 0, /* singular */ 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 0, 0, 0, 3, 0, 0, 0, 4};
	tensor_store_f64(x, 0, 27, v);
	case_run(&c, OP_det, "", 1);
	assert_true(fabs(tensor_get_f64(c.out[0], 0) - 25) < 1e-12);
	assert_true(fabs(tensor_get_f64(c.out[0], 1)) < 1e-12);
	assert_true(fabs(tensor_get_f64(c.out[0], 2) - 24) < 1e-12);
	case_end(&c);
	case_begin(&c, false, 2);
	case_tensor(&c, DT_F32, 3, (int64_t[]){2, 0, 0}, 0, 0);
	case_run(&c, OP_det, "", 1);
	assert_true(tensor_get_f64(c.out[0], 1) == 1);
	case_end(&c);
}

static void malformed_is_refused(void **state)
{
	static const struct {
		OpKind op;
		const char *attrs;
		int64_t a[3], b[3];
	} rows[] = {
		{OP_matmul, "", {2, 3, 4}, {2, 3, 4}},
		{OP_matmul, "", {2, 3, 4}, {3, 4, 5}},
		{OP_einsum, "equation=abc,abd->e", {2, 3, 4}, {2, 3, 4}},
		{OP_einsum, "equation=abc->a", {2, 3, 4}, {2, 3, 4}},
		{OP_einsum, "equation=abcd,abc->a", {2, 3, 4}, {2, 3, 4}},
		{OP_einsum, "equation=a1c,abc->a", {2, 3, 4}, {2, 3, 4}},
		{OP_einsum, "equation=abc,cab->a", {2, 3, 4}, {2, 3, 4}},
		{OP_dot_general, "lhs_contract=2 rhs_contract=0", {2, 3, 4}, {2, 3, 4}},
		{OP_dot_general, "lhs_contract=5 rhs_contract=0", {2, 3, 4}, {2, 3, 4}},
		{OP_dot_general, "lhs_contract=0,0 rhs_contract=0,1", {2, 2, 4}, {2, 2, 4}},
		{OP_gemm, "", {2, 3, 4}, {2, 3, 4}},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		OpCase c;
		case_begin(&c, false, 1);
		case_tensor(&c, DT_F32, 3, rows[i].a, 0, 0);
		case_tensor(&c, DT_F32, 3, rows[i].b, 0, 0);
		case_refused(&c, rows[i].op, rows[i].attrs);
		case_contradiction(&c, rows[i].op, rows[i].attrs);
		case_end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matmul_matches), cmocka_unit_test(big_products_match), cmocka_unit_test(threads_do_not_matter),
		cmocka_unit_test(gemm_matches), cmocka_unit_test(integers_wrap), cmocka_unit_test(matmul_integer_is_exact),
		cmocka_unit_test(einsum_matches), cmocka_unit_test(dot_general_matches), cmocka_unit_test(determinants),
		cmocka_unit_test(malformed_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
