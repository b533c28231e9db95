#include "stablehlo_int.h"

bool shlo_ints(EvalCtx *e, const Op *op, AttrName a, int n, int64_t fallback, int64_t *out)
{
	const int64_t *v;
	size_t have = op_attr_ints(op, a, &v);
	if (!have && !op_attr(op, a)) {
		for (int i = 0; i < n; i++)
			out[i] = fallback;
		return true;
	}
	if (have != (size_t)n)
		return eval_error(e, op, "%s has %zu entries, expected %d", e->ctx->attr_names[a]->s, have, n);
	if (n > 0)
		memcpy(out, v, (size_t)n * sizeof *out);
	return true;
}

static const Attr *field(const Op *op, AttrName a, const char *name)
{
	const Attr *d = op_attr(op, a);
	for (size_t i = 0; d && d->kind == ATTR_DICT && i < d->u.list.n; i++)
		if (!strcmp(d->u.list.names[i]->s, name))
			return d->u.list.v[i];
	return NULL;
}

size_t shlo_field_ints(const Op *op, AttrName a, const char *name, const int64_t **v)
{
	const Attr *f = field(op, a, name);
	*v = f && f->kind == ATTR_INTS ? f->u.ints.v : NULL;
	return *v ? f->u.ints.n : 0;
}

int64_t shlo_field_int(const Op *op, AttrName a, const char *name)
{
	const Attr *f = field(op, a, name);
	return f && f->kind == ATTR_INT ? f->u.i : 0;
}

bool shlo_is_one_of(const int64_t *list, size_t n, int64_t v)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

bool shlo_result_dims(EvalCtx *e, const Op *op, size_t i, int *rank, int64_t *dims, DType *d)
{
	const Type *t = i < op->nresults ? op->results[i]->type : NULL;
	if (!type_has_rank(t) || t->dtype == DT_NONE || t->rank > MAX_RANK || !type_static_dims(t, dims))
		return eval_unsupported(e, op, "the type of result %zu is not static", i);
	*rank = t->rank;
	*d = t->dtype;
	return true;
}

Tensor *shlo_new_result(EvalCtx *e, const Op *op, size_t i)
{
	int rank = 0;
	int64_t dims[MAX_RANK];
	DType d = DT_NONE;
	return shlo_result_dims(e, op, i, &rank, dims, &d) ? tensor_new(e, d, rank, dims) : NULL;
}

DType shlo_result_dtype(const Op *op, size_t i, DType otherwise)
{
	const Type *t = i < op->nresults ? op->results[i]->type : NULL;
	return type_is_tensor(t) && t->dtype != DT_NONE ? t->dtype : otherwise;
}

void shlo_copy_element(Tensor *dst, int64_t to, const Tensor *src, int64_t from)
{
	size_t n = tensor_elem_size(src);
	memcpy((char *)dst->data + (size_t)to * n, (const char *)src->data + (size_t)from * n, n);
}

bool shlo_next(int rank, const int64_t *dims, int64_t *index)
{
	for (int d = rank - 1; d >= 0; d--) {
		if (++index[d] < dims[d])
			return true;
		index[d] = 0;
	}
	return false;
}

int64_t shlo_flat(int rank, const int64_t *dims, const int64_t *index)
{
	int64_t at = 0;
	for (int d = 0; d < rank; d++)
		at = at * dims[d] + index[d];
	return at;
}

void shlo_load_complex(const Tensor *t, int64_t i, double v[2])
{
	v[1] = 0;
	if (t->store == DT_C64) {
		v[0] = (double)((const float *)t->data)[2 * i];
		v[1] = (double)((const float *)t->data)[2 * i + 1];
	} else if (t->store == DT_C128) {
		v[0] = ((const double *)t->data)[2 * i];
		v[1] = ((const double *)t->data)[2 * i + 1];
	} else {
		v[0] = tensor_get_f64(t, i);
	}
}

void shlo_store_complex(Tensor *t, int64_t i, const double v[2])
{
	if (t->store == DT_C64) {
		((float *)t->data)[2 * i] = (float)v[0];
		((float *)t->data)[2 * i + 1] = (float)v[1];
	} else if (t->store == DT_C128) {
		((double *)t->data)[2 * i] = v[0];
		((double *)t->data)[2 * i + 1] = v[1];
	} else {
		tensor_set_f64(t, i, v[0]);
	}
}

/* ---- combining regions ---- */

static bool is_combining(OpKind k)
{
	switch (k) {
	case OP_add: case OP_mul: case OP_max: case OP_min: case OP_and: case OP_or: case OP_bit_and: case OP_bit_or:
	case OP_xor: case OP_bit_xor:
		return true;
	default:
		return false;
	}
}

/* The body is `return k(arg0, arg1)`: order matters only for what a NaN or a zero of the other sign gives. */
static OpKind simple_body(const Block *b)
{
	const Op *op = b->first, *end = block_terminator(b);
	if (!op || op == end || op->next != end || b->nargs != 2 || end->noperands != 1 || op->noperands != 2 ||
		op_operand(end, 0) != op->results[0] || !is_combining(op_kind(op)))
		return OP_UNKNOWN;
	const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
	bool straight = x == b->args[0] && y == b->args[1], swapped = x == b->args[1] && y == b->args[0];
	return straight || swapped ? op_kind(op) : OP_UNKNOWN;
}

bool combiner_init(Combiner *c, EvalCtx *e, const Op *op, const Block *body, size_t n)
{
	*c = (Combiner){ .e = e, .op = op, .body = body, .n = n };
	if (!body || !body->last)
		return eval_error(e, op, "its region is missing");
	if (body->nargs != 2 * n)
		return eval_error(e, op, "its region takes %u values, expected %zu", body->nargs, 2 * n);
	c->simple = n == 1 ? simple_body(body) : OP_UNKNOWN;
	return true;
}

Tensor *shlo_scalar(EvalCtx *e, const Tensor *t, int64_t i)
{
	Tensor *s = tensor_new(e, t->dtype, 0, NULL);
	if (s)
		shlo_copy_element(s, 0, t, i);
	return s;
}

static double combine_f64(OpKind k, double a, double b)
{
	switch (k) {
	case OP_add: return a + b;
	case OP_mul: return a * b;
	case OP_max: return a != a || a >= b ? a : b;
	case OP_min: return a != a || a <= b ? a : b;
	default: return 0;
	}
}

static int64_t combine_i64(OpKind k, int64_t a, int64_t b, bool is_unsigned)
{
	bool less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
	switch (k) {
	case OP_add: return (int64_t)((uint64_t)a + (uint64_t)b);
	case OP_mul: return (int64_t)((uint64_t)a * (uint64_t)b);
	case OP_max: return less ? b : a;
	case OP_min: return less ? a : b;
	case OP_and: case OP_bit_and: return a & b;
	case OP_or: case OP_bit_or: return a | b;
	default: return a ^ b;
	}
}

static bool apply_simple(Combiner *c, Tensor *acc, int64_t at, const Tensor *v, int64_t from)
{
	DType d = acc->dtype;
	if (dtype_is_float(d) && (c->simple == OP_add || c->simple == OP_mul || c->simple == OP_max ||
		c->simple == OP_min))
		tensor_set_f64(acc, at, combine_f64(c->simple, tensor_get_f64(acc, at), tensor_get_f64(v, from)));
	else if (dtype_is_integer(d) || d == DT_BOOL)
		tensor_set_i64(acc, at, combine_i64(c->simple, tensor_get_i64(acc, at), tensor_get_i64(v, from),
			dtype_class(d) == DC_UINT));
	else
		return false;
	return true;
}

enum { MAX_COMBINED = 64 };

bool combiner_apply(Combiner *c, Tensor **acc, int64_t at, Tensor *const *value, int64_t from)
{
	Tensor *args[2 * MAX_COMBINED] = { NULL }, *got[MAX_COMBINED] = { NULL };
	if (c->simple != OP_UNKNOWN && apply_simple(c, acc[0], at, value[0], from))
		return true;
	if (c->n > MAX_COMBINED)
		return eval_unsupported(c->e, c->op, "more than %d operands", MAX_COMBINED);
	bool ok = eval_step(c->e, c->op);
	for (size_t k = 0; ok && k < c->n; k++) {
		args[k] = shlo_scalar(c->e, acc[k], at);
		args[c->n + k] = shlo_scalar(c->e, value[k], from);
		ok = args[k] && args[c->n + k];
	}
	ok = ok && eval_block(c->e, c->body, args, 2 * c->n, got, c->n);
	for (size_t k = 0; ok && k < c->n; k++) {
		if (got[k]->dtype != acc[k]->dtype || got[k]->count != 1)
			ok = eval_error(c->e, c->op, "its region gives a value of another type");
		else
			shlo_copy_element(acc[k], at, got[k], 0);
	}
	for (size_t k = 0; k < c->n; k++) {
		tensor_unref(args[k]);
		tensor_unref(args[c->n + k]);
		tensor_unref(got[k]);
	}
	return ok;
}

/* ---- windows ---- */

static int64_t spread(int64_t n, int64_t dilation)
{
	return n == 0 ? 0 : (n - 1) * dilation + 1;
}

bool shlo_window(EvalCtx *e, const Op *op, const Tensor *x, ShloWindow *w)
{
	int64_t pad[2 * MAX_RANK];
	int n = w->rank = x->rank;
	if (!shlo_ints(e, op, A_window_dimensions, n, 1, w->size) || !shlo_ints(e, op, A_window_strides, n, 1, w->stride) ||
		!shlo_ints(e, op, A_base_dilations, n, 1, w->base_dilation) ||
		!shlo_ints(e, op, A_window_dilations, n, 1, w->dilation) || !shlo_ints(e, op, A_padding, 2 * n, 0, pad))
		return false;
	for (int d = 0; d < n; d++) {
		const int64_t limit = (int64_t)1 << 31;
		w->in[d] = x->dims[d];
		w->low[d] = pad[2 * d];
		w->high[d] = pad[2 * d + 1];
		if (w->size[d] < 1 || w->stride[d] < 1 || w->base_dilation[d] < 1 || w->dilation[d] < 1 || w->size[d] > limit ||
			w->dilation[d] > limit || w->base_dilation[d] > limit || w->low[d] > limit || w->high[d] > limit ||
			w->low[d] < -limit || w->high[d] < -limit || w->in[d] > limit)
			return eval_error(e, op, "malformed window");
		int64_t total = spread(w->in[d], w->base_dilation[d]) + w->low[d] + w->high[d], k = spread(w->size[d],
			w->dilation[d]);
		w->out[d] = total < k ? 0 : (total - k) / w->stride[d] + 1;
	}
	return true;
}

int64_t shlo_window_at(const ShloWindow *w, const int64_t *o, const int64_t *k)
{
	int64_t at = 0;
	for (int d = 0; d < w->rank; d++) {
		int64_t i = o[d] * w->stride[d] + k[d] * w->dilation[d] - w->low[d];
		if (i < 0 || i % w->base_dilation[d])
			return -1;
		i /= w->base_dilation[d];
		if (i >= w->in[d])
			return -1;
		at = at * w->in[d] + i;
	}
	return at;
}
