/* Operators on text: joining, splitting and normalising strings. Strings are UTF-8. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/text.h"
#include "ops/label.h"

#include <string.h>

/* ---- inference ---- */

bool infer_string_concat(InferCtx *x, Op *op)
{
	const Type *types[2];
	bool ok;
	for (size_t i = 0; i < 2; i++) {
		const Value *v = op_operand(op, i);
		if (!v || !type_has_rank(v->type))
			return infer_tensor(x, op, 0, DT_STR, RANK_UNKNOWN, NULL);
		types[i] = v->type;
	}
	const Type *t = infer_broadcast(x, op, DT_STR, types, 2, &ok);
	if (!ok)
		return infer_error(x, op, "the operands' shapes do not broadcast");
	if (t)
		infer_result(x, op, 0, t);
	return true;
}

/* How many strings remain only the run time can tell. */
bool infer_string_normalizer(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0);
	int rank = value_rank(in);
	if (rank != 1 && rank != 2)
		return infer_tensor(x, op, 0, DT_STR, RANK_UNKNOWN, NULL);
	const Sym *dims[2] = {sym_int(x->ctx, 1), NULL};
	dims[rank - 1] = infer_unknown(x, op, 0, rank - 1);
	return infer_tensor(x, op, 0, DT_STR, rank, dims);
}

bool infer_string_split(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0);
	int rank = value_rank(in);
	const Sym *dims[MAX_RANK];
	if (rank < 0 || rank >= MAX_RANK)
		return infer_tensor(x, op, 0, DT_STR, RANK_UNKNOWN, NULL);
	for (int d = 0; d < rank; d++)
		dims[d] = in->type->dims[d];
	if (op->nresults > 1)
		infer_tensor(x, op, 1, DT_I64, rank, dims);
	dims[rank] = infer_unknown(x, op, 0, rank);
	return infer_tensor(x, op, 0, DT_STR, rank + 1, dims);
}

/* ---- joining and splitting ---- */

static bool need_strings(EvalCtx *e, const Op *op, Tensor *const *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (in[i]->dtype != DT_STR)
			return eval_error(e, op, "%s holds no strings", op_operand_said(e, op, i));
	return true;
}

bool eval_string_concat(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int rank;
	int64_t dims[MAX_RANK];
	const Str *abuf[1], *bbuf[1];
	Walk a, b;
	if (!need_strings(e, op, in, 2))
		return false;
	if (!broadcast_dims(in, 2, &rank, dims))
		return eval_error(e, op, "the operands' shapes do not broadcast");
	out[0] = tensor_new(e, DT_STR, rank, dims);
	if (!out[0])
		return false;
	walk_init(&a, in[0], rank, dims);
	walk_init(&b, in[1], rank, dims);
	const Str **y = out[0]->data;
	for (int64_t i = 0; i < out[0]->count; i++) {
		Buf joined = {0};
		const Str *s = *(const Str *const *)walk_raw(&a, i, 1, abuf), *t = *(const Str *const *)walk_raw(&b, i, 1, bbuf);
		buf_put(&joined, s->s, s->len);
		buf_put(&joined, t->s, t->len);
		y[i] = str_n(e->ctx, joined.data ? joined.data : "", joined.len);
		buf_free(&joined);
	}
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A string that is being cut: `rest` is what no piece has taken, NULL once nothing is left. */
typedef struct Cutter {
	const char *start, *rest, *end;
	const char *by;    /* NULL: runs of blanks */
	size_t by_len;
	int64_t cuts;      /* still allowed; negative: any number */
} Cutter;

/* The next piece; false at the end. */
static bool next_piece(Cutter *c, const char **piece, size_t *len)
{
	if (!c->by)
		while (c->rest && c->rest < c->end && is_blank(*c->rest))
			c->rest++;
	if (!c->rest || (c->rest == c->end && (!c->by || c->start == c->end)))
		return false;
	const char *at = c->rest, *stop = NULL;
	for (const char *p = at; c->cuts != 0 && p < c->end && !stop; p++)
		if (c->by ? (size_t)(c->end - p) >= c->by_len && !memcmp(p, c->by, c->by_len) : is_blank(*p))
			stop = p;
	*piece = at;
	*len = (size_t)((stop ? stop : c->end) - at);
	c->cuts -= stop && c->cuts > 0;
	c->rest = !stop ? NULL : stop + (c->by ? c->by_len : 1);
	return true;
}

static Cutter cutter_of(const Op *op, const Str *s)
{
	const Str *by = op_attr_str(op, A_delimiter);
	bool blanks = !by || by->len == 0;
	return (Cutter){s->s, s->s, s->s + s->len, blanks ? NULL : by->s, blanks ? 0 : by->len, op_attr_int(op, A_maxsplit, -1)};
}

bool eval_string_split(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK], most = 0;
	const Tensor *x = in[0];
	const char *piece;
	size_t len;
	if (!need_strings(e, op, in, 1))
		return false;
	if (x->rank >= MAX_RANK)
		return eval_unsupported(e, op, "operand of rank %d", x->rank);
	Tensor *counts = op->nresults > 1 ? out[1] = tensor_new(e, DT_I64, x->rank, x->dims) : NULL;
	if (op->nresults > 1 && !counts)
		return false;
	for (int64_t i = 0; i < x->count; i++) {
		int64_t n = 0;
		for (Cutter c = cutter_of(op, ((const Str *const *)x->data)[i]); next_piece(&c, &piece, &len);)
			n++;
		if (counts)
			tensor_set_i64(counts, i, n);
		most = n > most ? n : most;
	}
	memcpy(dims, x->dims, sizeof dims);
	dims[x->rank] = most;
	out[0] = tensor_new(e, DT_STR, x->rank + 1, dims);
	if (!out[0])
		return false;
	const Str **y = out[0]->data;
	for (int64_t i = 0; i < x->count; i++) {
		const Str **row = y + i * most;
		for (Cutter c = cutter_of(op, ((const Str *const *)x->data)[i]); next_piece(&c, &piece, &len);)
			*row++ = str_n(e->ctx, piece, len);
	}
	return true;
}

/* ---- normalising ---- */

uint32_t text_decode(const char *s, size_t left, size_t *len)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n = p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 1;
	*len = 1;
	if (n == 1 || p[0] >= 0xf8 || n > left)
		return p[0];
	uint32_t c = p[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return p[0];
		c = c << 6 | (p[i] & 0x3f);
	}
	*len = n;
	return c;
}

static void encode(Buf *b, uint32_t c)
{
	char s[3] = {(char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)), (char)(0x80 | (c & 0x3f))};
	if (c < 0x800)
		s[1] = (char)(0xc0 | c >> 6);
	if (c < 0x80)
		buf_put(b, &(char){(char)c}, 1);
	else
		buf_put(b, c < 0x800 ? s + 1 : s, c < 0x800 ? 2 : 3);
}

/* Letters with a counterpart at a fixed distance, lower = upper + distance; or neighbours, upper even (or odd). */
typedef struct CaseRange {
	uint32_t first, last; /* upper case */
	uint32_t distance;    /* 1: every second one is upper */
} CaseRange;
static const CaseRange CASES[] = {
	{'A', 'Z', 32}, {0xc0, 0xd6, 32}, {0xd8, 0xde, 32}, {0x100, 0x136, 1}, {0x139, 0x147, 1}, {0x14a, 0x176, 1},
	{0x179, 0x17d, 1}, {0x391, 0x3a1, 32}, {0x3a3, 0x3ab, 32}, {0x400, 0x40f, 80}, {0x410, 0x42f, 32},
	{0x460, 0x480, 1}, {0x48a, 0x4be, 1}, {0x4d0, 0x52e, 1}, {0x531, 0x556, 48}, {0x1e00, 0x1e94, 1}, {0x1ea0, 0x1efe, 1},
};

uint32_t text_change_case(uint32_t c, bool upper)
{
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		const CaseRange *r = &CASES[i];
		uint32_t base = upper ? r->first + r->distance : r->first;
		bool steps = r->distance == 1, dotted = c == 0x130 || c == 0x131; /* the two i of Turkish */
		if (c < base || c > base + (r->last - r->first) || dotted || (steps && (c - base) % 2))
			continue;
		return upper ? c - r->distance : c + r->distance;
	}
	return c;
}

static const Str *cased(Context *c, const Str *s, bool upper)
{
	Buf b = {0};
	for (size_t i = 0, n; i < s->len; i += n) {
		uint32_t old = text_decode(s->s + i, s->len - i, &n), new = text_change_case(old, upper);
		if (new == old)
			buf_put(&b, s->s + i, n);
		else
			encode(&b, new);
	}
	const Str *y = str_n(c, b.data ? b.data : "", b.len);
	buf_free(&b);
	return y;
}

static bool is_stopword(Context *c, const Attr *words, const Str *s, bool exact)
{
	for (size_t i = 0; words && words->kind == ATTR_STRS && i < words->u.strs.n; i++) {
		const Str *w = words->u.strs.v[i];
		if (w == s || (!exact && cased(c, w, false) == cased(c, s, false)))
			return true;
	}
	return false;
}

/* Stop words go, then the case changes; when nothing is left, one empty string remains. */
bool eval_string_normalizer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	const char *action = op_text(op, A_case_change_action);
	bool lower = !strcmp(action, "LOWER"), upper = !strcmp(action, "UPPER"), exact = op_int(op, A_is_case_sensitive) != 0;
	if (!need_strings(e, op, in, 1))
		return false;
	if ((x->rank != 1 && x->rank != 2) || (x->rank == 2 && x->dims[0] != 1))
		return eval_error(e, op, "a vector or a matrix of one row is expected");
	if (!lower && !upper && strcmp(action, "NONE"))
		return eval_error(e, op, "case_change_action \"%s\" is none of NONE, LOWER, UPPER", action);
	Arena *a = arena_new();
	const Str **kept = NEW_ARRAY(a, const Str *, x->count + 1);
	int64_t n = 0, dims[2] = {1, 1};
	for (int64_t i = 0; i < x->count; i++) {
		const Str *s = ((const Str *const *)x->data)[i];
		if (!is_stopword(e->ctx, op_attr(op, A_stopwords), s, exact))
			kept[n++] = lower || upper ? cased(e->ctx, s, upper) : s;
	}
	dims[x->rank - 1] = n ? n : 1;
	out[0] = tensor_new(e, DT_STR, x->rank, dims);
	if (out[0] && n)
		memcpy(out[0]->data, kept, (size_t)n * sizeof *kept);
	arena_free(a);
	return out[0] != NULL;
}
