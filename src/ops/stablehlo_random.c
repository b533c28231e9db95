/* Random numbers, and what is left: the largest elements, high halves of products. */
#include "stablehlo_int.h"

#include <math.h>

/* ---- Threefry 2x32, 20 rounds (Salmon et al. 2011) ---- */

static uint32_t rotate(uint32_t x, int by)
{
	return (x << by) | (x >> (32 - by));
}

static uint64_t threefry(uint64_t key, uint64_t counter)
{
	static const int rotations[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
	const uint32_t parity = 0x1BD11BDA;
	uint32_t k[3] = { (uint32_t)key, (uint32_t)(key >> 32), 0 };
	uint32_t x = (uint32_t)counter, y = (uint32_t)(counter >> 32);
	k[2] = k[0] ^ k[1] ^ parity;
	x += k[0];
	y += k[1];
	for (uint32_t group = 0; group < 5; group++) {
		for (int r = 0; r < 4; r++) {
			x += y;
			y = rotate(y, rotations[group % 2][r]) ^ x;
		}
		x += k[(group + 1) % 3];
		y += k[(group + 2) % 3] + group + 1;
	}
	return (uint64_t)y << 32 | x;
}

void shlo_threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2])
{
	uint64_t r = threefry((uint64_t)key[1] << 32 | key[0], (uint64_t)counter[1] << 32 | counter[0]);
	out[0] = (uint32_t)r;
	out[1] = (uint32_t)(r >> 32);
}

/* ---- Philox 4x32, 10 rounds (the same) ---- */

static void philox(uint64_t key, const uint64_t counter[2], uint32_t x[4])
{
	uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
	for (int i = 0; i < 4; i++)
		x[i] = (uint32_t)(counter[i / 2] >> (i % 2 * 32));
	for (int round = 0; round < 10; round++) {
		uint64_t p = (uint64_t)0xD2511F53 * x[0], q = (uint64_t)0xCD9E8D57 * x[2];
		uint32_t a = (uint32_t)(q >> 32) ^ x[1] ^ k0, c = (uint32_t)(p >> 32) ^ x[3] ^ k1;
		x[0] = a;
		x[1] = (uint32_t)q;
		x[2] = c;
		x[3] = (uint32_t)p;
		k0 += 0x9E3779B9;
		k1 += 0xBB67AE85;
	}
}

/* ---- rng_bit_generator: how numbers of the generators become elements is XLA's ---- */

/* The dimension that is cut in halves: the first even one, else the longest. */
static int split_dim(const Tensor *t)
{
	int longest = -1;
	for (int d = 0; d < t->rank; d++) {
		if (t->dims[d] % 2 == 0)
			return d;
		if (longest < 0 || t->dims[d] > t->dims[longest])
			longest = d;
	}
	return longest;
}

/* 64 bits: one count an element. Fewer: one count gives the two elements that are neighbours along the split dimension. */
static uint64_t threefry_bits(Tensor *y, uint64_t key, uint64_t counter)
{
	int64_t dims[MAX_RANK], k[MAX_RANK] = { 0 }, half[MAX_RANK], at = split_dim(y), count = 1;
	if (dtype_bits(y->dtype) == 64) {
		for (int64_t i = 0; i < y->count; i++)
			tensor_set_i64(y, i, (int64_t)threefry(key, counter + (uint64_t)i));
		return (uint64_t)y->count;
	}
	for (int d = 0; d < y->rank; d++) {
		dims[d] = d == at ? y->dims[d] / 2 + y->dims[d] % 2 : y->dims[d];
		count *= dims[d];
	}
	for (int64_t i = 0; i < y->count; i++) {
		for (int d = 0; d < y->rank; d++)
			half[d] = d == at ? k[d] / 2 : k[d];
		uint64_t r = threefry(key, counter + (uint64_t)shlo_flat(y->rank, dims, half));
		tensor_set_i64(y, i, (int64_t)(uint32_t)(at >= 0 && k[at] % 2 ? r >> 32 : r));
		shlo_next(y->rank, y->dims, k);
	}
	return (uint64_t)count;
}

static void add_128(uint64_t v[2], uint64_t n)
{
	v[0] += n;
	v[1] += v[0] < n;
}

/* One count gives four elements of up to 32 bits, or two of 64. */
static void philox_bits(Tensor *y, uint64_t key, uint64_t counter[2])
{
	int64_t each = dtype_bits(y->dtype) == 64 ? 2 : 4;
	for (int64_t i = 0; i < y->count; i += each) {
		uint32_t x[4];
		philox(key, counter, x);
		add_128(counter, 1);
		for (int64_t j = 0; j < each && i + j < y->count; j++)
			tensor_set_i64(y, i + j, each == 4 ? (int64_t)x[j] : (int64_t)((uint64_t)x[2 * j + 1] << 32 | x[2 * j]));
	}
}

/* The state is a key and a counter of two numbers; of one, and the key is the other. The default algorithm is Philox. */
bool eval_shlo_rng_bit_generator(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *state = in[0];
	bool by_threefry = op_attr_is(op, A_rng_algorithm, "THREE_FRY");
	if (state->dtype != DT_U64 || state->count < 2 || state->count > 3)
		return eval_unsupported(e, op, "a state that is not two or three ui64");
	uint64_t key = (uint64_t)tensor_get_i64(state, 0), counter[2] = { (uint64_t)tensor_get_i64(state, 1),
		state->count > 2 ? (uint64_t)tensor_get_i64(state, 2) : key };
	Tensor *y = out[1] = shlo_new_result(e, op, 1);
	if (!y || !(out[0] = tensor_like(e, state)))
		return false;
	if (!dtype_is_integer(y->dtype) || dtype_bits(y->dtype) < 8)
		return eval_unsupported(e, op, "random bits of type %s", dtype_name(y->dtype));
	if (by_threefry)
		counter[0] += threefry_bits(y, key, counter[0]);
	else
		philox_bits(y, key, counter);
	memcpy(out[0]->data, state->data, (size_t)state->count * tensor_elem_size(state));
	tensor_set_i64(out[0], 1, (int64_t)counter[0]);
	if (state->count > 2)
		tensor_set_i64(out[0], 2, (int64_t)counter[1]);
	return true;
}

/* Uniform in [a, b); a where that is empty. */
static int64_t draw_integer(Rng *r, const Tensor *from, const Tensor *to)
{
	bool is_signed = dtype_class(from->dtype) == DC_INT;
	int64_t a = tensor_get_i64(from, 0), b = tensor_get_i64(to, 0);
	uint64_t width = (uint64_t)b - (uint64_t)a;
	if (is_signed ? b <= a : (uint64_t)b <= (uint64_t)a)
		return a;
	return (int64_t)((uint64_t)a + (width > INT64_MAX ? rng_u64(r) % width : (uint64_t)rng_below(r, (int64_t)width)));
}

/* rng: uniform in [a, b), or normal with mean a and deviation b. */
bool eval_shlo_rng(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK], rank = tensor_ints(in[2], dims, MAX_RANK);
	Rng r = random_stream(e, op);
	if (rank < 0 || in[0]->count != 1 || in[1]->count != 1)
		return eval_error(e, op, "its bounds or shape are malformed");
	bool normal = op_attr_is(op, A_rng_distribution, "NORMAL"), integer = !dtype_is_float(in[0]->dtype);
	if (in[1]->dtype != in[0]->dtype || dtype_class(in[0]->dtype) == DC_COMPLEX || (normal && integer))
		return eval_error(e, op, "its distribution is not one of numbers of that type");
	if (!(out[0] = tensor_new(e, in[0]->dtype, (int)rank, dims)))
		return false;
	for (int64_t i = 0; i < out[0]->count; i++) {
		if (integer) {
			tensor_set_i64(out[0], i, draw_integer(&r, in[0], in[1]));
			continue;
		}
		double a = tensor_get_f64(in[0], 0), b = tensor_get_f64(in[1], 0);
		tensor_set_f64(out[0], i, normal ? a + b * rng_normal(&r) : a + (b - a) * rng_unit(&r));
		if (!normal && tensor_get_f64(out[0], i) == b) /* rounded up */
			tensor_set_f64(out[0], i, a);
	}
	return true;
}

/* ---- top_k ---- */

/* Whether element i comes before k among the largest: NaN first, then by size, then by place. */
static bool larger(const Tensor *t, int64_t a, int64_t b)
{
	if (dtype_is_float(t->dtype)) {
		double x = tensor_get_f64(t, a), y = tensor_get_f64(t, b);
		if (x != x || y != y)
			return x != x && y == y;
		return x > y || (x == 0 && y == 0 && !signbit(x) && signbit(y));
	}
	int64_t x = tensor_get_i64(t, a), y = tensor_get_i64(t, b);
	return dtype_class(t->dtype) == DC_UINT ? (uint64_t)x > (uint64_t)y : x > y;
}

bool eval_shlo_top_k(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t dims[MAX_RANK], k = op_attr_int(op, A_k, -1);
	if (x->rank < 1 || k < 0 || k > x->dims[x->rank - 1] || dtype_class(x->dtype) == DC_COMPLEX)
		return eval_error(e, op, "k is out of range");
	int64_t n = x->dims[x->rank - 1];
	memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
	dims[x->rank - 1] = k;
	if (!(out[0] = tensor_new(e, x->dtype, x->rank, dims)) || !(out[1] = tensor_new(e, DT_I32, x->rank, dims)))
		return false;
	for (int64_t line = 0; n > 0 && line < x->count / n; line++) {
		int64_t last = -1; /* the one found before */
		for (int64_t j = 0; j < k; j++) {
			int64_t best = -1;
			for (int64_t i = 0; i < n; i++) {
				int64_t at = line * n + i;
				bool after = last < 0 || larger(x, last, at) || (!larger(x, at, last) && at > last);
				if (after && (best < 0 || larger(x, at, best)))
					best = at;
			}
			shlo_copy_element(out[0], line * k + j, x, best);
			tensor_set_i64(out[1], line * k + j, best - line * n);
			last = best;
		}
	}
	return true;
}

/* ---- mulhi ---- */

bool eval_shlo_mulhi(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dtype_is_integer(in[0]->dtype) || in[0]->dtype != in[1]->dtype || !tensor_same_shape(in[0], in[1]))
		return eval_error(e, op, "operands of different or other types");
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	int bits = dtype_bits(in[0]->dtype);
	bool is_unsigned = dtype_class(in[0]->dtype) == DC_UINT;
	for (int64_t i = 0; i < in[0]->count; i++) {
		int64_t a = tensor_get_i64(in[0], i), b = tensor_get_i64(in[1], i);
		__extension__ typedef unsigned __int128 Wide;
		__extension__ typedef __int128 WideSigned;
		Wide p = is_unsigned ? (Wide)(uint64_t)a * (uint64_t)b : (Wide)((WideSigned)a * b);
		tensor_set_i64(out[0], i, (int64_t)(uint64_t)(p >> bits));
	}
	return true;
}

/* The larger and smaller of complex numbers: by real part, then by imaginary part. */
bool eval_shlo_extremum(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	bool max = op_is(op, SHLO_maximum);
	if (dtype_class(in[0]->dtype) != DC_COMPLEX || in[0]->dtype != in[1]->dtype || !tensor_same_shape(in[0], in[1]))
		return eval_error(e, op, "operands of different or other types");
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++) {
		double a[2], b[2];
		shlo_load_complex(in[0], i, a);
		shlo_load_complex(in[1], i, b);
		bool first = a[0] != b[0] ? (a[0] > b[0]) == max : (a[1] >= b[1]) == max;
		shlo_copy_element(out[0], i, in[!first], i);
	}
	return true;
}
