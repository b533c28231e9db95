/* Operators of com.microsoft on words: strings cut into tokens, words embedded by their letters. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/text.h"

#include <math.h>
#include <string.h>

/* ---- Tokenizer ---- */

enum { START_OF_TEXT = 2, END_OF_TEXT = 3 };

static const int64_t MOST_WORK = (int64_t)1 << 33; /* characters that expressions may look at */

/* Parts of a string: bytes [from, to) of it. */
typedef struct Part {
	size_t from, to;
} Part;
typedef VEC(Part) Parts;

typedef struct Tokens {
	EvalCtx *e;
	const Op *op;
	Arena *arena;
	Regex **cut;           /* separators, or the one token expression */
	size_t ncut;
	bool letters, whole;   /* each character is a token; the expression is the token */
	size_t least;          /* characters of a token */
	int64_t work;
} Tokens;

static bool tokens_patterns(Tokens *t, const Str *const *v, size_t n)
{
	const char *why;
	t->cut = NEW_ARRAY(t->arena, Regex *, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (v[i]->len == 0)
			return eval_error(t->e, t->op, "separator %zu is empty: only one alone may be, and means single characters", i);
		t->cut[i] = regex_compile(t->arena, v[i]->s, v[i]->len, &why);
		if (!t->cut[i])
			return eval_unsupported(t->e, t->op, "expression %s: %s", quote(t->arena, v[i]->s, v[i]->len), why);
	}
	t->ncut = n;
	return true;
}

static bool tokens_init(Tokens *t)
{
	const Attr *separators = op_attr(t->op, A_separators);
	const Str *expression = op_attr_str(t->op, A_tokenexp);
	int64_t least = op_attr_int(t->op, A_mincharnum, 0);
	size_t n = separators && separators->kind == ATTR_STRS ? separators->u.strs.n : 0;
	bool some = expression && expression->len;
	if ((n > 0) == some)
		return eval_error(t->e, t->op, "one of separators and tokenexp must be given");
	if (!op_attr_str(t->op, A_pad_value) || least < 0)
		return eval_error(t->e, t->op, "pad_value and a mincharnum of at least 0 must be given");
	t->least = (size_t)least;
	t->letters = some ? !strcmp(expression->s, ".") : n == 1 && separators->u.strs.v[0]->len == 0;
	t->whole = some;
	if (t->letters)
		return least < 2 || eval_error(t->e, t->op, "mincharnum %lld where each character is a token", (long long)least);
	return some ? tokens_patterns(t, &expression, 1) : tokens_patterns(t, (const Str *const *)separators->u.strs.v, n);
}

static size_t characters(const char *s, Part p)
{
	size_t n = 0, len;
	for (size_t i = p.from; i < p.to; i += len, n++)
		text_decode(s + i, p.to - i, &len);
	return n;
}

static void add_token(Tokens *t, Parts *parts, const char *s, size_t from, size_t to)
{
	Part p = { from, to };
	if (from < to && characters(s, p) >= t->least)
		VEC_PUSH(t->arena, parts, p);
}

/* Matches of r in the part, leftmost and longest first: they are the tokens, or what lies between tokens. */
static bool cut_part(Tokens *t, Regex *r, const char *s, Part p, Parts *out)
{
	const char *text = s + p.from;
	size_t len = p.to - p.from, start = 0, step;
	for (size_t at = 0; at < len;) {
		int64_t n = regex_longest(r, text, len, at, &t->work);
		if (t->work > MOST_WORK)
			return eval_limit(t->e, t->op, "expressions look at more than %lld characters: use shorter strings or simpler expressions", (long long)MOST_WORK);
		text_decode(text + at, len - at, &step);
		if (n < 1) {
			at += step;
			continue;
		}
		if (t->whole)
			add_token(t, out, s, p.from + at, p.from + at + (size_t)n);
		else
			add_token(t, out, s, p.from + start, p.from + at);
		at += (size_t)n;
		start = at;
	}
	if (!t->whole)
		add_token(t, out, s, p.from + start, p.to);
	return true;
}

static bool cut_string(Tokens *t, const Str *s, Parts *out)
{
	size_t step;
	if (t->letters) {
		for (size_t at = 0; at < s->len; at += step) {
			text_decode(s->s + at, s->len - at, &step);
			VEC_PUSH(t->arena, out, ((Part){ at, at + step }));
		}
		return true;
	}
	Parts now = { 0 };
	VEC_PUSH(t->arena, &now, ((Part){ 0, s->len }));
	for (size_t i = 0; i < t->ncut; i++) {
		Parts next = { 0 };
		for (size_t k = 0; k < now.len; k++)
			if (!cut_part(t, t->cut[i], s->s, now.data[k], &next))
				return false;
		now = next;
	}
	*out = now;
	return true;
}

static bool tokens_run(Tokens *t, const Tensor *x, Tensor **out)
{
	Parts *rows = NEW_ARRAY(t->arena, Parts, x->count + 1);
	const Str *const *text = x->data;
	const Str *pad = op_attr_str(t->op, A_pad_value);
	bool mark = op_attr_int(t->op, A_mark, 0) != 0;
	int64_t most = 0, dims[3] = { x->dims[0], x->dims[1] };
	for (int64_t i = 0; i < x->count; i++) {
		if (!cut_string(t, text[i], &rows[i]))
			return false;
		most = (int64_t)rows[i].len > most ? (int64_t)rows[i].len : most;
	}
	most += most && mark ? 2 : 0;
	dims[x->rank] = most;
	out[0] = tensor_new(t->e, DT_STR, x->rank + 1, dims);
	if (!out[0])
		return false;
	const Str **y = out[0]->data;
	char first = START_OF_TEXT, last = END_OF_TEXT;
	for (int64_t i = 0; most && i < x->count; i++) {
		int64_t n = 0;
		if (mark)
			y[i * most + n++] = str_n(t->e->ctx, &first, 1);
		for (size_t k = 0; k < rows[i].len; k++) {
			Part p = rows[i].data[k];
			y[i * most + n++] = str_n(t->e->ctx, text[i]->s + p.from, p.to - p.from);
		}
		if (mark)
			y[i * most + n++] = str_n(t->e->ctx, &last, 1);
		while (n < most)
			y[i * most + n++] = pad;
	}
	return true;
}

bool eval_ms_tokenizer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	if (x->kind != TYPE_TENSOR || x->dtype != DT_STR || (x->rank != 1 && x->rank != 2))
		return eval_error(e, op, "strings of rank 1 or 2 are expected");
	Tokens t = { .e = e, .op = op, .arena = arena_new() };
	bool ok = tokens_init(&t) && tokens_run(&t, x, out);
	arena_free(t.arena);
	return ok;
}

bool infer_ms_tokenizer(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	int rank = value_rank(v);
	if (rank != 1 && rank != 2)
		return infer_tensor(x, op, 0, DT_STR, RANK_UNKNOWN, NULL);
	const Sym *dims[3] = { v->type->dims[0], rank == 2 ? v->type->dims[1] : NULL };
	dims[rank] = infer_unknown(x, op, 0, rank);
	return infer_tensor(x, op, 0, DT_STR, rank + 1, dims);
}

/* ---- WordConvEmbedding ---- */

/* A word is a row of numbers of letters, 0 where it has ended. Windows of `width` letters, embedded, go through filters and a
 * tanh; the largest of each filter is the word's. */
typedef struct Word {
	int64_t letters, width, size, filters, table;
	const double *w, *bias, *c;
} Word;

static bool word_shapes(EvalCtx *e, const Op *op, Tensor *const *in, Word *d)
{
	const Tensor *x = in[0], *w = in[1], *bias = in[2], *c = in[3];
	if (x->rank != 2 || !dtype_is_integer(x->dtype) || w->rank != 4 || w->dims[1] != 1 || c->rank != 2 || bias->count != w->dims[0] ||
			c->dims[1] != w->dims[3])
		return eval_error(e, op, "letters %s, weights %s, bias %s and embeddings %s do not go together", tensor_shape_text(e, x),
			tensor_shape_text(e, w), tensor_shape_text(e, bias), tensor_shape_text(e, c));
	*d = (Word){ .letters = x->dims[1], .width = w->dims[2], .size = w->dims[3], .filters = w->dims[0], .table = c->dims[0] };
	if (op_attr_int(op, A_embedding_size, d->filters) != d->filters || op_attr_int(op, A_conv_window_size, d->width) != d->width ||
			op_attr_int(op, A_char_embedding_size, d->size) != d->size || d->width < 1 || d->width > d->letters)
		return eval_error(e, op, "weights of shape %s do not fit the sizes that the attributes give, or words of %lld letters",
			tensor_shape_text(e, w), (long long)d->letters);
	for (int64_t i = 0; i < x->count; i++) {
		int64_t letter = tensor_get_i64(x, i);
		if (letter < 0 || letter >= d->table)
			return eval_error(e, op, "letter %lld of %lld", (long long)letter, (long long)d->table);
	}
	return true;
}

static double window_sum(const Word *d, const Tensor *x, int64_t word, int64_t at, int64_t filter, int64_t known)
{
	double sum = d->bias[filter];
	for (int64_t k = 0; k < d->width; k++) {
		if (at + k >= known)
			break;
		const double *c = d->c + tensor_get_i64(x, word * d->letters + at + k) * d->size;
		const double *w = d->w + (filter * d->width + k) * d->size;
		for (int64_t i = 0; i < d->size; i++)
			sum += c[i] * w[i];
	}
	return sum;
}

bool eval_ms_word_conv(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Word d = { 0 };
	Dense part[3] = { 0 };
	if (!dense_operands(e, op, in, false) || !word_shapes(e, op, in, &d))
		return false;
	const Tensor *x = in[0];
	out[0] = tensor_new(e, in[1]->dtype, 2, (int64_t[]){ x->dims[0], d.filters });
	bool ok = out[0] != NULL;
	for (size_t i = 0; ok && i < 3; i++)
		ok = dense_load(e, in[1 + i], DT_F64, &part[i]);
	d.w = part[0].data, d.bias = part[1].data, d.c = part[2].data;
	for (int64_t word = 0; ok && word < x->dims[0]; word++) {
		int64_t known = 0;
		for (int64_t i = 0; tensor_get_i64(x, word * d.letters) > 0 && i < d.letters; i++)
			known += tensor_get_i64(x, word * d.letters + i) > 0;
		int64_t used = known > d.width ? known : d.width;
		for (int64_t f = 0; known && f < d.filters; f++) {
			double most = -1;
			for (int64_t at = 0; at + d.width <= used; at++)
				most = fmax(most, tanh(window_sum(&d, x, word, at, f, used)));
			tensor_set_f64(out[0], word * d.filters + f, most);
		}
	}
	for (size_t i = 0; i < 3; i++)
		dense_release(&part[i]);
	return ok;
}

bool infer_ms_word_conv(InferCtx *x, Op *op)
{
	const Value *words = op_operand(op, 0), *w = op_operand(op, 1);
	if (value_rank(words) != 2 || value_rank(w) != 4)
		return infer_tensor(x, op, 0, value_dtype(w), RANK_UNKNOWN, NULL);
	return infer_tensor(x, op, 0, value_dtype(w), 2, (const Sym *[]){ words->type->dims[0], w->type->dims[0] });
}
