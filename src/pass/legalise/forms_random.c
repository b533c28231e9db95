#include "special_int.h"

#include <math.h>

/* Random numbers as ONNX has them. rng: others of the same distribution. rng_bit_generator: the bits, computed. */

/* ---- rng ---- */

/* Draws from [low, high), or normal numbers of that mean and deviation. */
typedef struct Draw {
	bool normal;
	DType dtype;
	double low, high;
} Draw;

/* The op's shape; runtimes draw no scalars, so that these are vectors of one. */
static Value *drawn_shape(Lg *l)
{
	const int64_t one = 1;
	return lg_rank(l->op->results[0]) == 0 ? lg_const_ints(l, &one, 1) : fm_cast(l, lg_in(l, 2), DT_I64);
}

static OpKind draw_form(Lg *l, const Draw *d, RwAttr attrs[static 4])
{
	attrs[0] = (RwAttr){ d->normal ? A_mean : A_low, lg_float(l, d->low) };
	attrs[1] = (RwAttr){ d->normal ? A_scale : A_high, lg_float(l, d->high) };
	attrs[2] = (RwAttr){ A_to, attr_dtype(l->c, d->dtype) };
	attrs[3] = (RwAttr){ A_NONE, NULL };
	return d->normal ? OP_random_normal : OP_random_uniform;
}

static Value *drawn(Lg *l, const Draw *d)
{
	RwAttr attrs[4];
	OpKind k = draw_form(l, d, attrs);
	Value *y = fm_op1(l, k, drawn_shape(l), attrs);
	return lg_rank(l->op->results[0]) == 0 ? fm_reshape(l, y, NULL, 0) : y;
}

static Value *pick(Lg *l, Value *cond, Value *a, Value *b)
{
	return fm_op(l, OP_select, (Value *[]){ cond, a, b }, 3, NULL);
}

/* Bounds that ONNX can have as attributes. */
static bool fixed_bounds(const Lg *l, Draw *d)
{
	if (!constant_float(lg_in(l, 0), &d->low) || !constant_float(lg_in(l, 1), &d->high))
		return false;
	bool fit = (double)(float)d->low == d->low && (double)(float)d->high == d->high;
	return fit && isfinite((float)(d->high - d->low)) && (d->normal ? d->high > 0 : d->high > d->low);
}

/* Floats. Those that runtimes do not draw come from f32. What rounds up to the upper bound becomes the lower one. */
static bool draw_floats(Lg *l, Draw *d, DType own)
{
	bool scalar = lg_rank(l->op->results[0]) == 0, same = own == d->dtype;
	RwAttr attrs[4], to[] = { { A_to, attr_dtype(l->c, own) }, { A_NONE, NULL } };
	if (same && fixed_bounds(l, d)) {
		if (scalar)
			return lg_become(l, OP_reshape, (Value *[]){ drawn(l, d), lg_const_ints(l, NULL, 0) }, 2,
				fm_attr(l, A_allowzero, lg_int(l, 1)));
		Value *shape = drawn_shape(l);
		OpKind k = draw_form(l, d, attrs);
		return lg_become(l, k, &shape, 1, attrs);
	}
	d->low = 0;
	d->high = 1;
	Value *a = fm_cast(l, lg_in(l, 0), d->dtype), *b = fm_cast(l, lg_in(l, 1), d->dtype);
	Value *width = d->normal ? b : fm_op2(l, OP_sub, b, a, NULL), *y = fm_op2(l, OP_mul, drawn(l, d), width, NULL);
	if (d->normal && same)
		return lg_become(l, OP_add, (Value *[]){ y, a }, 2, NULL);
	y = fm_op2(l, OP_add, y, a, NULL);
	if (d->normal)
		return lg_become(l, OP_cast, &y, 1, to);
	if (!same)
		y = fm_cast(l, fm_cast(l, y, own), d->dtype);
	Value *at_end = fm_op2(l, OP_eq, y, b, NULL);
	if (same)
		return lg_become(l, OP_select, (Value *[]){ at_end, a, y }, 3, NULL);
	y = pick(l, at_end, a, y);
	return lg_become(l, OP_cast, &y, 1, to);
}

/* Bounds that doubles hold, and so few numbers between them that doubles from [0, 1) hit all equally often. */
static bool few_whole(const Lg *l)
{
	const int64_t wide = INT64_C(1) << 52, few = INT64_C(1) << 40;
	int64_t a, b;
	return constant_int(lg_in(l, 0), &a) && constant_int(lg_in(l, 1), &b) && a > -wide && b < wide && a < b && b - a <= few;
}

/* Whole numbers up to 32 bits: doubles rounded down. An empty range gives its lower bound. */
static bool draw_whole(Lg *l, DType own)
{
	const Draw d = { .dtype = DT_F64, .high = 1 };
	Value *a = fm_cast(l, lg_in(l, 0), DT_F64), *b = fm_cast(l, lg_in(l, 1), DT_F64), *none = lg_const_float(l, DT_F64, 0);
	Value *width = fm_op2(l, OP_max, fm_op2(l, OP_sub, b, a, NULL), none, NULL);
	Value *y = fm_op1(l, OP_floor, fm_op2(l, OP_mul, drawn(l, &d), width, NULL), NULL);
	y = pick(l, fm_op2(l, OP_eq, y, width, NULL), none, y); /* a runtime without doubles may round up to 1 */
	y = fm_op2(l, OP_add, y, a, NULL);
	return lg_become(l, OP_cast, &y, 1, fm_attr(l, A_to, attr_dtype(l->c, own)));
}

/* 64 bits: two words, and what is left of them when the width is taken out, as XLA does it. */
static bool draw_wide(Lg *l, DType own)
{
	const Draw d = { .dtype = DT_F64, .high = 0x1p32 };
	Value *a = fm_cast(l, lg_in(l, 0), DT_I64), *b = fm_cast(l, lg_in(l, 1), DT_I64), *word[2], *one = lg_const_int(l, 1);
	Value *shift = lg_const_int(l, own == DT_U64 ? INT64_MIN : 0); /* compared as signed */
	Value *some = fm_op2(l, OP_lt, fm_op2(l, OP_add, a, shift, NULL), fm_op2(l, OP_add, b, shift, NULL), NULL);
	Value *width = fm_cast(l, pick(l, some, fm_op2(l, OP_sub, b, a, NULL), one), DT_U64);
	for (int i = 0; i < 2; i++)
		word[i] = fm_cast(l, fm_op1(l, OP_floor, drawn(l, &d), NULL), DT_I64);
	Value *bits = fm_op2(l, OP_add, fm_op2(l, OP_mul, word[0], lg_const_int(l, INT64_C(1) << 32), NULL), word[1], NULL);
	Value *rest = fm_cast(l, fm_op2(l, OP_mod, fm_cast(l, bits, DT_U64), width, NULL), DT_I64);
	if (own == DT_I64)
		return lg_become(l, OP_add, (Value *[]){ rest, a }, 2, NULL);
	Value *y = fm_op2(l, OP_add, rest, a, NULL);
	return lg_become(l, OP_cast, &y, 1, fm_attr(l, A_to, attr_dtype(l->c, own)));
}

/* In place, so that the proof knows which value was drawn. */
bool form_rng(Lg *l, OpKind core)
{
	DType own = lg_dtype(lg_in(l, 0));
	Draw d = { .normal = op_attr_is(l->op, A_rng_distribution, "NORMAL"), .dtype = own == DT_F64 ? DT_F64 : DT_F32 };
	bool done;
	(void)core;
	if (lg_rank(lg_in(l, 0)) != 0 || lg_rank(lg_in(l, 1)) != 0 || lg_dtype(lg_in(l, 1)) != own ||
			lg_rank(l->op->results[0]) < 0)
		return false;
	if (dtype_is_float(own))
		done = draw_floats(l, &d, own);
	else if (d.normal)
		return fm_no(l, "normal numbers are floats");
	else if (own == DT_BOOL) /* from false to below true */
		done = lg_become(l, OP_expand, (Value *[]){ lg_in(l, 0), fm_cast(l, lg_in(l, 2), DT_I64) }, 2, NULL);
	else if (dtype_is_integer(own))
		done = dtype_bits(own) == 64 && !few_whole(l) ? draw_wide(l, own) : draw_whole(l, own);
	else
		return fm_no(l, "random numbers are real");
	if (done && own != DT_BOOL)
		diag_note(l->d, l->op->loc, "stablehlo.rng becomes %s: a runtime draws other numbers of the same distribution",
			d.normal ? "RandomNormal" : "RandomUniform");
	return done;
}

/* ---- rng_bit_generator: words of 32 bits as whole numbers of 64, which runtimes add and multiply; shifts are unsigned ---- */

#define WORD INT64_C(0xFFFFFFFF)

static Value *bin(Lg *l, OpKind k, Value *x, Value *y)
{
	return fm_op2(l, k, x, y, NULL);
}

static Value *plus(Lg *l, Value *x, Value *y)
{
	return bin(l, OP_add, x, y);
}

/* The lower 32 bits. */
static Value *word(Lg *l, Value *x)
{
	return bin(l, OP_bit_and, x, lg_const_int(l, WORD));
}

static Value *shifted(Lg *l, OpKind k, Value *x, int64_t by)
{
	Value *n = constant_from_ints(l->op->block, l->op, DT_U64, 0, NULL, &by);
	return fm_cast(l, bin(l, k, fm_cast(l, x, DT_U64), n), DT_I64);
}

static Value *high(Lg *l, Value *x)
{
	return shifted(l, OP_shift_right, x, 32);
}

static Value *rotated(Lg *l, Value *x, int by)
{
	return word(l, bin(l, OP_bit_or, shifted(l, OP_shift_left, x, by), shifted(l, OP_shift_right, x, 32 - by)));
}

typedef struct Stream {
	Value *key, *counter[2];  /* scalars of 64 bits */
	size_t words;             /* of the state */
	bool threefry;
} Stream;

/* Threefry 2x32, 20 rounds: x[0], x[1] for each counter. */
static void threefry(Lg *l, const Stream *s, Value *counter, Value **x)
{
	static const int rotations[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
	Value *k[3] = { word(l, s->key), high(l, s->key), NULL };
	k[2] = bin(l, OP_bit_xor, bin(l, OP_bit_xor, k[0], k[1]), lg_const_int(l, 0x1BD11BDA));
	x[0] = word(l, plus(l, word(l, counter), k[0]));
	x[1] = word(l, plus(l, high(l, counter), k[1]));
	for (int group = 0; group < 5; group++) {
		for (int r = 0; r < 4; r++) {
			x[0] = word(l, plus(l, x[0], x[1]));
			x[1] = bin(l, OP_bit_xor, rotated(l, x[1], rotations[group % 2][r]), x[0]);
		}
		x[0] = word(l, plus(l, x[0], k[(group + 1) % 3]));
		x[1] = word(l, plus(l, x[1], plus(l, k[(group + 2) % 3], lg_const_int(l, group + 1))));
	}
}

/* Philox 4x32, 10 rounds: x[0] to x[3] for each pair of counters. */
static void philox(Lg *l, const Stream *s, Value *low, Value *above, Value **x)
{
	Value *k[2] = { word(l, s->key), high(l, s->key) };
	x[0] = word(l, low);
	x[1] = high(l, low);
	x[2] = word(l, above);
	x[3] = high(l, above);
	for (int round = 0; round < 10; round++) {
		Value *p = bin(l, OP_mul, x[0], lg_const_int(l, 0xD2511F53)), *q = bin(l, OP_mul, x[2], lg_const_int(l, 0xCD9E8D57));
		Value *a = bin(l, OP_bit_xor, bin(l, OP_bit_xor, high(l, q), x[1]), k[0]);
		Value *c = bin(l, OP_bit_xor, bin(l, OP_bit_xor, high(l, p), x[3]), k[1]);
		x[0] = a;
		x[1] = word(l, q);
		x[2] = c;
		x[3] = word(l, p);
		k[0] = word(l, plus(l, k[0], lg_const_int(l, 0x9E3779B9)));
		k[1] = word(l, plus(l, k[1], lg_const_int(l, 0xBB67AE85)));
	}
}

static Value *count_up(Lg *l, int64_t n)
{
	return fm_op(l, OP_range, (Value *[]){ lg_const_int(l, 0), lg_const_int(l, n), lg_const_int(l, 1) }, 3, NULL);
}

/* Two words as one of 64 bits. */
static Value *joined(Lg *l, Value *low, Value *above)
{
	return bin(l, OP_bit_or, shifted(l, OP_shift_left, above, 32), low);
}

/* n lists of `count` numbers side by side: the first of each, the second of each ... */
static Value *woven(Lg *l, Value **v, size_t n, int64_t count)
{
	int64_t dims[2] = { count, 1 };
	for (size_t i = 0; i < n; i++)
		v[i] = fm_reshape(l, v[i], dims, 2);
	return fm_op(l, OP_concat, v, n, fm_attr(l, A_axis, lg_int(l, 1)));
}

static Value *part_of(Lg *l, Value *x, int64_t start, int64_t end, int64_t axis)
{
	return fm_op(l, OP_slice, (Value *[]){ x, lg_const_ints(l, &start, 1), lg_const_ints(l, &end, 1) }, 3,
		fm_attr(l, A_axes, lg_ints_attr(l, &axis, 1)));
}

/* The dimension along which neighbours share a count: the first even one, else the longest. */
static int split_of(const int64_t *dims, int rank)
{
	int longest = -1;
	for (int d = 0; d < rank; d++) {
		if (dims[d] % 2 == 0)
			return d;
		if (longest < 0 || dims[d] > dims[longest])
			longest = d;
	}
	return longest;
}

static Value *threefry_bits(Lg *l, Stream *s, const int64_t *dims, int rank, int64_t n, bool wide)
{
	Value *x[2];
	int at = split_of(dims, rank);
	int64_t half[MAX_RANK + 1], whole[MAX_RANK], count = n;
	for (int d = 0; d < rank; d++)
		half[d + (d > at)] = whole[d] = dims[d];
	if (!wide && at >= 0) {
		half[at] = dims[at] / 2 + dims[at] % 2;
		count = n / (dims[at] ? dims[at] : 1) * half[at];
		whole[at] = 2 * half[at];
		half[at + 1] = 1;
	}
	threefry(l, s, plus(l, s->counter[0], count_up(l, count)), x);
	s->counter[0] = plus(l, s->counter[0], lg_const_int(l, count));
	if (wide || at < 0)
		return fm_reshape(l, wide ? joined(l, x[0], x[1]) : x[0], dims, (size_t)rank);
	for (int i = 0; i < 2; i++)
		x[i] = fm_reshape(l, x[i], half, (size_t)rank + 1);
	Value *y = fm_op(l, OP_concat, x, 2, fm_attr(l, A_axis, lg_int(l, at + 1)));
	y = fm_reshape(l, y, whole, (size_t)rank);
	return whole[at] > dims[at] ? part_of(l, y, 0, dims[at], at) : y;
}

/* The lower number of the counter plus n; what it carries goes to the upper one. Compared as unsigned. */
static void add_counts(Lg *l, const Stream *s, Value *n, Value **low, Value **above)
{
	Value *top = lg_const_int(l, INT64_MIN);
	*low = plus(l, s->counter[0], n);
	Value *carry = bin(l, OP_lt, bin(l, OP_bit_xor, *low, top), bin(l, OP_bit_xor, s->counter[0], top));
	*above = plus(l, s->counter[1], fm_cast(l, carry, DT_I64));
}

static Value *philox_bits(Lg *l, Stream *s, const int64_t *dims, int rank, int64_t n, bool wide)
{
	Value *x[4], *low, *above;
	int64_t each = wide ? 2 : 4, count = n / each + (n % each != 0), flat = count * each;
	add_counts(l, s, count_up(l, count), &low, &above);
	philox(l, s, low, above, x);
	if (wide) {
		x[0] = joined(l, x[0], x[1]);
		x[1] = joined(l, x[2], x[3]);
	}
	Value *y = fm_reshape(l, woven(l, x, (size_t)each, count), &flat, 1);
	add_counts(l, s, lg_const_int(l, count), &low, &above);
	s->counter[0] = low;
	s->counter[1] = above;
	return fm_reshape(l, flat > n ? part_of(l, y, 0, n, 0) : y, dims, (size_t)rank);
}

static Value *number_of(Lg *l, Value *state, int64_t i)
{
	return fm_reshape(l, part_of(l, state, i, i + 1, 0), NULL, 0);
}

/* The state is a key and a counter of two numbers; of one, and the key is the other. */
bool form_rng_bits(Lg *l, OpKind core)
{
	Value *state = lg_in(l, 0), *out[2];
	const Type *t = l->op->results[1]->type;
	int64_t dims[MAX_RANK], n, words;
	(void)core;
	if (lg_dtype(state) != DT_U64 || lg_rank(state) != 1 || !sym_const(state->type->dims[0], &words) || words < 2 || words > 3)
		return fm_no(l, "its state is not two or three ui64");
	if (!type_static_dims(t, dims) || !type_static_numel(t, &n) || n > INT32_MAX || t->rank == MAX_RANK)
		return fm_no(l, "the shape of its bits is not known; --dim and --shape bind sizes");
	if (!dtype_is_integer(t->dtype) || dtype_bits(t->dtype) < 8)
		return fm_no(l, "its bits are not whole numbers of 8 to 64 bits");
	Value *in = fm_cast(l, state, DT_I64);
	Stream s = { .words = (size_t)words, .threefry = op_attr_is(l->op, A_rng_algorithm, "THREE_FRY") };
	s.key = number_of(l, in, 0);
	s.counter[0] = number_of(l, in, 1);
	s.counter[1] = words > 2 ? number_of(l, in, 2) : s.key;
	Value *key = s.key, *old = s.counter[1];
	bool wide = dtype_bits(t->dtype) == 64;
	Value *y = s.threefry ? threefry_bits(l, &s, dims, t->rank, n, wide) : philox_bits(l, &s, dims, t->rank, n, wide);
	Value *parts[3] = { key, s.counter[0], s.threefry ? old : s.counter[1] };
	int64_t one = 1;
	for (int64_t i = 0; i < words; i++)
		parts[i] = fm_reshape(l, parts[i], &one, 1);
	out[0] = fm_cast(l, fm_op(l, OP_concat, parts, (size_t)words, fm_attr(l, A_axis, lg_int(l, 0))), DT_U64);
	out[1] = fm_cast(l, y, t->dtype);
	return lg_replace(l, out, 2);
}

const LegaliseRow random_rows[] = { { SHLO_rng, OP_random_uniform, form_rng } };
const size_t random_nrows = ARRAY_LEN(random_rows);
