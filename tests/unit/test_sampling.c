/* Transforms, interpolation, recurrent layers and attention against their definitions and laws. */
#include "op_case.h"

static const double PI = 3.14159265358979323846;

/* ---- Fourier ---- */

static Tensor *int_scalar(OpCase *c, int64_t v)
{
	Tensor *t = tensor_scalar_i64(&c->e, v);
	assert_non_null(t);
	c->in[c->nin++] = t;
	return t;
}

static void dft_is_the_sum(void **state)
{
	static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 64, 97, 100};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
		for (int onesided = 0; onesided < 2; onesided++) {
			OpCase c;
			char text[32];
			int64_t n = lengths[i], parts = onesided ? 1 : 2, bins = onesided ? n / 2 + 1 : n;
			case_begin(&c, true, i + 1);
			Tensor *x = case_tensor(&c, DT_F32, 4, (int64_t[]){2, n, 3, parts}, 0, 0);
			c.in[c.nin++] = NULL;
			int_scalar(&c, 1);
			snprintf(text, sizeof(text), "onesided=%d", onesided);
			case_run(&c, OP_dft, text, 1);
			double *want = NEW_ARRAY(c.b->arena, double, c.out[0]->count);
			for (int64_t at = 0; at < 2 * bins * 3; at++) {
				int64_t o = at / (bins * 3), k = at / 3 % bins, j = at % 3;
				for (int64_t t = 0; t < n; t++) {
					int64_t from = ((o * n + t) * 3 + j) * parts;
					double re = tensor_get_f64(x, from), im = parts == 2 ? tensor_get_f64(x, from + 1) : 0;
					double angle = -2 * PI * (double)(k * t % n) / (double)n;
					want[2 * at] += re * cos(angle) - im * sin(angle);
					want[2 * at + 1] += re * sin(angle) + im * cos(angle);
				}
			}
			case_near(c.out[0], want, 1e-12, "dft");
			/* and back */
			c.in[0] = c.out[0];
			if (onesided)
				c.in[1] = tensor_scalar_i64(&c.e, n);
			snprintf(text, sizeof(text), "inverse=1 onesided=%d", onesided);
			case_run(&c, OP_dft, text, 1);
			assert_int_equal(c.out[0]->count, x->count);
			double *back = NEW_ARRAY(c.b->arena, double, x->count);
			tensor_load_f64(x, 0, x->count, back);
			case_near(c.out[0], back, 1e-12, "inverse dft");
			case_end(&c);
		}
}

/* ---- interpolation ---- */

static Tensor *float_vector(OpCase *c, DType d, int64_t n, const double *v)
{
	Tensor *t = tensor_new(&c->e, d, 1, &n);
	assert_non_null(t);
	for (int64_t i = 0; i < n; i++)
		if (dtype_is_float(d))
			tensor_set_f64(t, i, v[i]);
		else
			tensor_set_i64(t, i, (int64_t)v[i]);
	c->in[c->nin++] = t;
	return t;
}

/* All methods reproduce a constant; without antialiasing, where the window does not leave the input, also a ramp. */
static void resize_keeps_ramps(void **state)
{
	static const char *const modes[] = {"linear", "cubic"},
							 *const coords[] = {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"};
	static const int64_t sizes[] = {5, 11, 17, 40};
	(void)state;
	for (int trial = 0; trial < 2 * 4 * 4 * 2; trial++) {
		OpCase c;
		char text[160];
		const char *coord = coords[trial / 2 % 4];
		int64_t in = 11, out = sizes[trial / 8 % 4];
		bool antialias = trial / 32;
		case_begin(&c, true, 1);
		Tensor *x = case_tensor(&c, DT_F32, 2, (int64_t[]){2, in}, 0, 0);
		for (int64_t i = 0; i < in; i++) {
			tensor_set_f64(x, i, 3);
			tensor_set_f64(x, in + i, (double)i);
		}
		c.in[c.nin++] = NULL;
		c.in[c.nin++] = NULL;
		float_vector(&c, DT_I64, 1, (double[]){(double)out});
		snprintf(text, sizeof(text), "mode=%s coordinate_transformation_mode=%s axes=1 antialias=%d cubic_coeff_a=-0.5",
			modes[trial % 2], coord, antialias);
		case_run(&c, OP_resize, text, 1);
		assert_int_equal(c.out[0]->dims[1], out);
		for (int64_t o = 0; o < out; o++) {
			double scale = (double)out / (double)in, at = ((double)o + 0.5) / scale - 0.5;
			if (!strcmp(coord, "asymmetric"))
				at = (double)o / scale;
			else if (!strcmp(coord, "align_corners"))
				at = (double)(o * (in - 1)) / (double)(out - 1);
			assert_true(fabs(tensor_get_f64(c.out[0], o) - 3) < 1e-12);
			if (!antialias && at >= 1 && at <= (double)in - 2 && fabs(tensor_get_f64(c.out[0], out + o) - at) > 1e-12)
				fail_msg(
					"%s: output %lld is %.17g, not %.17g", text, (long long)o, tensor_get_f64(c.out[0], out + o), at);
		}
		case_end(&c);
	}
}

static void nearest_copies_any_type(void **state)
{
	static const DType types[] = {DT_F32, DT_I8, DT_BOOL, DT_C64, DT_F16, DT_I64};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		OpCase c;
		case_begin(&c, false, i + 1);
		Tensor *x = tensor_new(&c.e, types[i], 2, (int64_t[]){2, 3});
		unsigned char *p = x->data;
		size_t size = tensor_elem_size(x);
		for (size_t k = 0; k < 6 * size; k++)
			p[k] = types[i] == DT_BOOL ? k & 1 : (unsigned char)(k * 37);
		c.in[c.nin++] = x;
		c.in[c.nin++] = NULL;
		float_vector(&c, DT_F32, 2, (double[]){2, 3});
		CaseSymbols symbols;
		Op *op = case_op(&c, OP_resize, "mode=nearest coordinate_transformation_mode=asymmetric nearest_mode=floor", 1,
			false, &symbols);
		assert_true(eval_op(&c.e, op, c.in, c.out));
		assert_true(c.out[0]->dims[0] == 4 && c.out[0]->dims[1] == 9);
		for (size_t k = 0; k < 36; k++)
			assert_memory_equal((unsigned char *)c.out[0]->data + k * size, p + (k / 18 * 3 + k % 9 / 3) * size, size);
		case_end(&c);
	}
}

static void identity_grid_gives_the_image(void **state)
{
	(void)state;
	for (int trial = 0; trial < 12; trial++) {
		static const char *const modes[] = {"nearest", "linear", "cubic"};
		OpCase c;
		char text[64];
		int align = trial % 2, rank = trial / 6 ? 3 : 2;
		case_begin(&c, true, 3);
		const int64_t size[5] = {2, 3, 4, 5, 6};
		Tensor *theta = case_tensor(&c, DT_F32, 3, (int64_t[]){2, rank, rank + 1}, 0, 0);
		for (int64_t i = 0; i < theta->count; i++)
			tensor_set_f64(theta, i, i / (rank + 1) % rank == i % (rank + 1));
		Tensor *shape = tensor_new(&c.e, DT_I64, 1, (int64_t[]){rank + 2});
		for (int64_t i = 0; i < rank + 2; i++)
			tensor_set_i64(shape, i, size[i]);
		c.in[c.nin++] = shape;
		snprintf(text, sizeof(text), "align_corners=%d", align);
		case_run(&c, OP_affine_grid, text, 1);
		c.nin = 0;
		Tensor *x = case_tensor(&c, DT_F32, rank + 2, size, 0, 0);
		c.in[c.nin++] = c.out[0];
		snprintf(text, sizeof(text), "align_corners=%d mode=%s padding_mode=border", align, modes[trial / 2 % 3]);
		case_run(&c, OP_grid_sample, text, 1);
		double *want = NEW_ARRAY(c.b->arena, double, x->count);
		tensor_load_f64(x, 0, x->count, want);
		case_near(c.out[0], want, 1e-12, text);
		case_end(&c);
	}
}

static void nms_keeps_the_best(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 1);
	c.data_dependent = true;
	Tensor *boxes = case_tensor(&c, DT_F32, 3, (int64_t[]){1, 4, 4}, 0, 0),
		   *scores = case_tensor(&c, DT_F32, 3, (int64_t[]){1, 1, 4}, 0, 0);
	/* the second is a copy of the first with corners exchanged; the third overlaps by 1/3; the last is apart */
	const double b[16] = {0, 0, 2, 2, 2, 2, 0, 0, 0, 1, 2, 3, 9, 9, 10, 10}, s[4] = {0.5, 0.9, 0.7, 0.1};
	tensor_store_f64(boxes, 0, 16, b);
	tensor_store_f64(scores, 0, 4, s);
	int_scalar(&c, 10);
	float_vector(&c, DT_F32, 1, (double[]){0.4});
	case_run(&c, OP_nms, "", 1);
	const int64_t want[9] = {0, 0, 1, 0, 0, 2, 0, 0, 3};
	assert_int_equal(c.out[0]->count, 9);
	assert_memory_equal(c.out[0]->data, want, sizeof(want));
	tensor_set_f64(c.in[3], 0, 0.3); /* now the third goes too */
	float_vector(&c, DT_F32, 1, (double[]){0.2});
	case_run(&c, OP_nms, "", 1);
	assert_int_equal(c.out[0]->count, 3);
	assert_memory_equal(c.out[0]->data, want, 3 * sizeof(*want));
	case_end(&c);
}

/* ---- recurrent ---- */

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

typedef struct PlainLayer {
	OpCase *c;
	OpKind kind;
	int gates;
	bool reset_after;
	int64_t seq, batch, input, hidden;
} PlainLayer;

/* Pre-activation of gate g, unit j: input and recurrent part with their biases. */
static void plain_gate(const PlainLayer *l, int dir, int64_t t, int64_t b, const double *h, int g, int64_t j,
	double *x_part, double *h_part)
{
	const OpCase *c = l->c;
	int64_t wide = l->gates * l->hidden, row = dir * wide + g * l->hidden + j;
	*x_part = tensor_get_f64(c->in[3], dir * 2 * wide + g * l->hidden + j);
	*h_part = tensor_get_f64(c->in[3], dir * 2 * wide + wide + g * l->hidden + j);
	for (int64_t k = 0; k < l->input; k++)
		*x_part +=
			tensor_get_f64(c->in[0], (t * l->batch + b) * l->input + k) * tensor_get_f64(c->in[1], row * l->input + k);
	for (int64_t k = 0; k < l->hidden; k++)
		*h_part += h[k] * tensor_get_f64(c->in[2], row * l->hidden + k);
}

/* One step of one batch entry. */
static void plain_step(const PlainLayer *l, int dir, int64_t t, int64_t b, double *h, double *cell)
{
	double next[8], x[4], r[4], reset[8];
	assert_true(l->hidden <= 8);
	for (int64_t j = 0; j < l->hidden && l->kind == OP_gru; j++) {
		plain_gate(l, dir, t, b, h, 1, j, &x[1], &r[1]);
		reset[j] = sigmoid(x[1] + r[1]);
	}
	for (int64_t j = 0; j < l->hidden; j++) {
		for (int g = 0; g < l->gates; g++)
			plain_gate(l, dir, t, b, h, g, j, &x[g], &r[g]);
		if (l->kind == OP_lstm) {
			double i = sigmoid(x[0] + r[0]), o = sigmoid(x[1] + r[1]), f = sigmoid(x[2] + r[2]);
			cell[j] = f * cell[j] + i * tanh(x[3] + r[3]);
			next[j] = o * tanh(cell[j]);
		} else if (l->kind == OP_gru) {
			double z = sigmoid(x[0] + r[0]), again = reset[j] * r[2];
			if (!l->reset_after) {
				double rh[8], ignored;
				for (int64_t k = 0; k < l->hidden; k++)
					rh[k] = reset[k] * h[k];
				plain_gate(l, dir, t, b, rh, 2, j, &ignored, &again);
			}
			next[j] = (1 - z) * tanh(x[2] + again) + z * h[j];
		} else {
			next[j] = tanh(x[0] + r[0]);
		}
	}
	memcpy(h, next, (size_t)l->hidden * sizeof(*h));
}

static void recurrent_layers_match(void **state)
{
	static const OpKind kinds[] = {OP_lstm, OP_gru, OP_gru, OP_rnn};
	(void)state;
	for (int trial = 0; trial < 8; trial++) {
		OpCase c;
		OpKind kind = kinds[trial % 4];
		bool oracle = trial / 4;
		case_begin(&c, oracle, (uint64_t)trial + 1);
		PlainLayer l = {&c, kind, kind == OP_lstm ? 4 : kind == OP_gru ? 3 : 1, trial % 4 == 2, 5, 3, 4, 6};
		int64_t wide = l.gates * l.hidden;
		case_tensor(&c, DT_F32, 3, (int64_t[]){l.seq, l.batch, l.input}, 0, 0);
		case_tensor(&c, DT_F32, 3, (int64_t[]){2, wide, l.input}, 0, 0);
		case_tensor(&c, DT_F32, 3, (int64_t[]){2, wide, l.hidden}, 0, 0);
		case_tensor(&c, DT_F32, 2, (int64_t[]){2, 2 * wide}, 0, 0);
		case_tensor(&c, DT_I32, 1, &l.batch, 1, l.seq);
		char text[64];
		snprintf(text, sizeof(text), "direction=bidirectional%s", l.reset_after ? " linear_before_reset=1" : "");
		case_run(&c, kind, text, 2);
		double *y = NEW_ARRAY(c.b->arena, double, c.out[0]->count),
			   *yh = NEW_ARRAY(c.b->arena, double, c.out[1]->count);
		for (int dir = 0; dir < 2; dir++)
			for (int64_t b = 0; b < l.batch; b++) {
				double h[8] = {0}, cell[8] = {0};
				int64_t len = tensor_get_i64(c.in[4], b);
				for (int64_t s = 0; s < len; s++) {
					int64_t t = dir ? len - 1 - s : s;
					plain_step(&l, dir, t, b, h, cell);
					memcpy(y + ((t * 2 + dir) * l.batch + b) * l.hidden, h, (size_t)l.hidden * sizeof(*h));
				}
				memcpy(yh + (dir * l.batch + b) * l.hidden, h, (size_t)l.hidden * sizeof(*h));
			}
		case_near(c.out[0], y, oracle ? 1e-13 : 1e-6, text);
		case_near(c.out[1], yh, oracle ? 1e-13 : 1e-6, text);
		case_end(&c);
	}
}

/* ---- attention ---- */

/* Grouped heads, a past, a float mask, the causal rule: each row by its definition. */
static void attention_matches(void **state)
{
	(void)state;
	for (int trial = 0; trial < 4; trial++) {
		enum { B = 2, H = 4, KV = 2, Q = 3, NEW_KEYS = 3, PAST = 2, T = NEW_KEYS + PAST, D = 5, DV = 6 };
		OpCase c;
		bool oracle = trial % 2, causal = trial / 2;
		case_begin(&c, oracle, (uint64_t)trial + 1);
		Tensor *q = case_tensor(&c, DT_F32, 4, (int64_t[]){B, H, Q, D}, 0, 0),
			   *k = case_tensor(&c, DT_F32, 4, (int64_t[]){B, KV, NEW_KEYS, D}, 0, 0);
		Tensor *v = case_tensor(&c, DT_F32, 4, (int64_t[]){B, KV, NEW_KEYS, DV}, 0, 0),
			   *mask = case_tensor(&c, DT_F32, 2, (int64_t[]){Q, T}, 0, 0);
		Tensor *pk = case_tensor(&c, DT_F32, 4, (int64_t[]){B, KV, PAST, D}, 0, 0),
			   *pv = case_tensor(&c, DT_F32, 4, (int64_t[]){B, KV, PAST, DV}, 0, 0);
		tensor_set_f64(mask, 1, -INFINITY);
		case_run(&c, OP_attention, causal ? "is_causal=1" : "", 3);
		double *want = NEW_ARRAY(c.b->arena, double, c.out[0]->count);
		for (int64_t row = 0; row < B * H * Q; row++) {
			int64_t i = row % Q, head = row / Q, kv = head / H * KV + head % H / (H / KV);
			double p[T], sum = 0;
			for (int64_t t = 0; t < T; t++) {
				double s = 0;
				for (int64_t d = 0; d < D; d++)
					s += tensor_get_f64(q, row * D + d) *
						(t < PAST ? tensor_get_f64(pk, (kv * PAST + t) * D + d)
								  : tensor_get_f64(k, (kv * NEW_KEYS + t - PAST) * D + d));
				p[t] = causal && t > i + PAST ? 0 : exp(s / sqrt(D) + tensor_get_f64(mask, i * T + t));
				sum += p[t];
			}
			for (int64_t t = 0; t < T; t++)
				for (int64_t d = 0; d < DV; d++)
					want[row * DV + d] += p[t] / sum *
						(t < PAST ? tensor_get_f64(pv, (kv * PAST + t) * DV + d)
								  : tensor_get_f64(v, (kv * NEW_KEYS + t - PAST) * DV + d));
		}
		case_near(c.out[0], want, oracle ? 1e-13 : 1e-5, "attention");
		assert_int_equal(c.out[1]->dims[2], T);
		assert_true(tensor_get_f64(c.out[2], PAST * DV) == tensor_get_f64(v, 0));
		case_end(&c);
	}
}

/* A row whose every key is forbidden gives zeros, not NaN. */
static void masked_rows_are_zero(void **state)
{
	(void)state;
	OpCase c;
	case_begin(&c, false, 1);
	for (int i = 0; i < 3; i++)
		case_tensor(&c, DT_F32, 4, (int64_t[]){1, 1, 2, 3}, 0, 0);
	Tensor *mask = case_tensor(&c, DT_BOOL, 2, (int64_t[]){2, 2}, 0, 0);
	tensor_set_i64(mask, 3, 1); /* only the last key, only for the last query */
	case_run(&c, OP_attention, "", 1);
	for (int64_t i = 0; i < 3; i++) {
		assert_true(tensor_get_f64(c.out[0], i) == 0);
		assert_true(fabs(tensor_get_f64(c.out[0], 3 + i) - tensor_get_f64(c.in[2], 3 + i)) < 1e-6);
	}
	case_end(&c);
}

/* A rotation keeps lengths, and position 0 (angle 0) keeps the vector. */
static void rotary_embedding_rotates(void **state)
{
	(void)state;
	for (int interleaved = 0; interleaved < 2; interleaved++) {
		OpCase c;
		char text[32];
		case_begin(&c, true, 1);
		Tensor *x = case_tensor(&c, DT_F32, 4, (int64_t[]){1, 2, 3, 8}, 0, 0);
		Tensor *cosine = case_tensor(&c, DT_F32, 2, (int64_t[]){5, 4}, 0, 0),
			   *sine = case_tensor(&c, DT_F32, 2, (int64_t[]){5, 4}, 0, 0);
		for (int64_t i = 0; i < 20; i++) {
			double angle = (double)(i / 4) * (1 + (double)(i % 4));
			tensor_set_f64(cosine, i, cos(angle));
			tensor_set_f64(sine, i, sin(angle));
		}
		Tensor *position = case_tensor(&c, DT_I64, 2, (int64_t[]){1, 3}, 0, 0);
		tensor_set_i64(position, 1, 4);
		snprintf(text, sizeof(text), "interleaved=%d", interleaved);
		case_run(&c, OP_rotary_embedding, text, 1);
		for (int64_t row = 0; row < 6; row++) {
			double before = 0, after = 0, moved = 0;
			for (int64_t i = row * 8; i < row * 8 + 8; i++) {
				double a = tensor_get_f64(x, i), b = tensor_get_f64(c.out[0], i);
				before += a * a, after += b * b, moved += fabs(a - b);
			}
			assert_true(fabs(before - after) < 1e-12);
			assert_int_equal(moved > 1e-3, row % 3 == 1);
		}
		case_end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dft_is_the_sum),
		cmocka_unit_test(resize_keeps_ramps),
		cmocka_unit_test(nearest_copies_any_type),
		cmocka_unit_test(identity_grid_gives_the_image),
		cmocka_unit_test(nms_keeps_the_best),
		cmocka_unit_test(recurrent_layers_match),
		cmocka_unit_test(attention_matches),
		cmocka_unit_test(masked_rows_are_zero),
		cmocka_unit_test(rotary_embedding_rotates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
