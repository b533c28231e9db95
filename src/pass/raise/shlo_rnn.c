#include "shlo_int.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Recurrent layers as core.scan over time, each direction for itself: the products with the input for all steps at once
 * before the loop, the rest inside. Gate orders are ONNX's: i o f c, z r h. */

typedef struct Layer {
	Lg *l;
	Block *b;                     /* where ops go: the body of the scan, or NULL for before the layer */
	int gates, dirs;
	int64_t hidden;
	const Sym *batch, *steps;
	DType d;
	bool batch_first;
	double clip;
} Layer;

typedef struct Act { const char *name; double alpha, beta; } Act;

static Value *emit(Layer *y, OpKind k, Value *const *in, size_t n, const RwAttr *attrs)
{
	Lg *l = y->l;
	NamedAttr named[6];
	size_t m = 0;
	if (!y->b)
		return sh_core(l, k, in, n, attrs);
	for (; attrs && attrs[m].name != A_NONE; m++)
		named[m] = (NamedAttr){ l->c->attr_names[attrs[m].name], attrs[m].value };
	OpSpec s = { .def = op_def(l->c, k), .operands = in, .noperands = n, .nresults = 1, .attrs = named, .nattrs = m,
		.loc = l->op->loc };
	Op *op = op_new(y->b, NULL, &s);
	op->made = true;
	infer_op(l->infer, op);
	return op->results[0];
}

static Value *un(Layer *y, OpKind k, Value *x)
{
	return emit(y, k, &x, 1, NULL);
}

static Value *bin(Layer *y, OpKind k, Value *a, Value *b)
{
	return emit(y, k, (Value *[]){ a, b }, 2, NULL);
}

static Value *num(Layer *y, OpKind k, Value *x, double v)
{
	return bin(y, k, x, lg_const_float(y->l, y->d, v));
}

static Value *cut(Layer *y, Value *x, int64_t axis, int64_t start, int64_t end)
{
	Lg *l = y->l;
	Value *in[3] = { x, lg_const_ints(l, &start, 1), lg_const_ints(l, &end, 1) };
	return emit(y, OP_slice, in, 3, sh_attr(l, A_axes, sh_ints(l, &axis, 1)));
}

/* Entry dir of the first dimension, which goes. */
static Value *of_direction(Layer *y, Value *x, int dir)
{
	int64_t first = 0;
	if (!x)
		return NULL;
	x = cut(y, x, 0, dir, dir + 1);
	return emit(y, OP_squeeze, &x, 1, sh_attr(y->l, A_axes, sh_ints(y->l, &first, 1)));
}

/* Size dim of the input as a vector of one number. */
static Value *input_size(Layer *y, int dim, const Sym *size)
{
	Lg *l = y->l;
	int64_t n;
	if (sym_const(size, &n))
		return lg_const_ints(l, &n, 1);
	return sh_core1(l, OP_shape, lg_in(l, 0), (RwAttr[]){ { A_start, lg_int(l, dim) }, { A_end, lg_int(l, dim + 1) }, { A_NONE, NULL } });
}

/* a times the transpose of b. */
static Value *times(Layer *y, Value *a, Value *b)
{
	int64_t last = a->type->rank - 1, one = 1;
	return emit(y, OP_dot_general, (Value *[]){ a, b }, 2, (RwAttr[]){
		{ A_lhs_contract, sh_ints(y->l, &last, 1) }, { A_rhs_contract, sh_ints(y->l, &one, 1) }, { A_NONE, NULL } });
}

static Value *activate(Layer *y, const Act *a, Value *x)
{
	static const struct { const char *name; OpKind kind; } plain[] = { { "Relu", OP_relu }, { "Tanh", OP_tanh },
		{ "Sigmoid", OP_sigmoid }, { "Softsign", OP_softsign }, { "Softplus", OP_softplus } };
	Lg *l = y->l;
	if (y->clip > 0)
		x = num(y, OP_min, num(y, OP_max, x, -y->clip), y->clip);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (!strcasecmp(plain[i].name, a->name))
			return un(y, plain[i].kind, x);
	RwAttr both[] = { { A_alpha, lg_float(l, a->alpha) }, { A_beta, lg_float(l, a->beta) }, { A_NONE, NULL } };
	RwAttr alpha[] = { { A_alpha, lg_float(l, a->alpha) }, { A_NONE, NULL } };
	if (!strcasecmp(a->name, "HardSigmoid"))
		return emit(y, OP_hard_sigmoid, &x, 1, both);
	if (!strcasecmp(a->name, "LeakyRelu"))
		return emit(y, OP_leaky_relu, &x, 1, alpha);
	if (!strcasecmp(a->name, "Elu"))
		return emit(y, OP_elu, &x, 1, alpha);
	if (!strcasecmp(a->name, "Affine"))
		return num(y, OP_add, num(y, OP_mul, x, a->alpha), a->beta);
	if (!strcasecmp(a->name, "ScaledTanh"))
		return num(y, OP_mul, un(y, OP_tanh, num(y, OP_mul, x, a->beta)), a->alpha);
	return NULL;
}

/* f, g, h of a direction; parameters are taken in order by those that have any. */
static bool read_acts(Layer *y, int each, int dir, Act *acts)
{
	static const Act known[] = { { "Relu", 0, 0 }, { "Tanh", 0, 0 }, { "Sigmoid", 0, 0 }, { "Softsign", 0, 0 },
		{ "Softplus", 0, 0 }, { "HardSigmoid", 0.2, 0.5 }, { "LeakyRelu", 0.01, 0 }, { "Elu", 1, 0 }, { "Affine", 1, 0 },
		{ "ScaledTanh", 1, 1 } };
	enum { FIRST_WITH_ALPHA = 5 };
	const Op *op = y->l->op;
	const Attr *names = op_attr(op, A_activations), *al = op_attr(op, A_activation_alpha),
		*be = op_attr(op, A_activation_beta);
	size_t na = 0, nb = 0;
	for (int i = 0; i < each * y->dirs; i++) {
		const char *name = each == 1 || i % each ? "Tanh" : "Sigmoid";
		if (names && names->kind == ATTR_STRS && (size_t)i < names->u.strs.n)
			name = names->u.strs.v[i]->s;
		size_t k = 0;
		while (k < ARRAY_LEN(known) && strcasecmp(known[k].name, name) != 0)
			k++;
		if (k == ARRAY_LEN(known))
			return rz_no(y->l, "of one of its activation functions");
		Act a = known[k];
		bool has_beta = !strcmp(a.name, "HardSigmoid") || !strcmp(a.name, "Affine") || !strcmp(a.name, "ScaledTanh");
		if (k >= FIRST_WITH_ALPHA && al && al->kind == ATTR_FLOATS && na < al->u.floats.n)
			a.alpha = al->u.floats.v[na++];
		if (has_beta && be && be->kind == ATTR_FLOATS && nb < be->u.floats.n)
			a.beta = be->u.floats.v[nb++];
		if (i / each == dir)
			acts[i % each] = a;
	}
	return true;
}

typedef struct Step {
	Value *h, *c, *x;             /* state; the part of the input for all gates */
	Value *r, *rb, *p;            /* recurrent weights; biases of the last gate of a gru; peepholes */
} Step;

static Value *gate(Layer *y, Value *x, int i)
{
	return cut(y, x, x->type->rank - 1, i * y->hidden, (i + 1) * y->hidden);
}

static bool lstm_step(Layer *y, const Act *f, Step *s)
{
	Value *g = bin(y, OP_add, s->x, times(y, s->h, s->r)), *in = gate(y, g, 0), *out = gate(y, g, 1);
	Value *forget = gate(y, g, 2), *cell = gate(y, g, 3);
	if (s->p) {
		in = bin(y, OP_add, in, bin(y, OP_mul, gate(y, s->p, 0), s->c));
		forget = bin(y, OP_add, forget, bin(y, OP_mul, gate(y, s->p, 2), s->c));
	}
	in = activate(y, &f[0], in);
	forget = in && op_int(y->l->op, A_input_forget) ?
		bin(y, OP_sub, lg_const_float(y->l, y->d, 1), in) : activate(y, &f[0], forget);
	cell = activate(y, &f[1], cell);
	if (!in || !forget || !cell)
		return false;
	Value *c = bin(y, OP_add, bin(y, OP_mul, forget, s->c), bin(y, OP_mul, in, cell));
	if (s->p)
		out = bin(y, OP_add, out, bin(y, OP_mul, gate(y, s->p, 1), c));
	out = activate(y, &f[0], out);
	Layer unclipped = *y;
	unclipped.clip = 0;
	Value *shown = activate(&unclipped, &f[2], c);
	if (!out || !shown)
		return false;
	s->h = bin(y, OP_mul, out, shown);
	s->c = c;
	return true;
}

static bool gru_step(Layer *y, const Act *f, Step *s)
{
	int64_t two = 2 * y->hidden, three = 3 * y->hidden;
	Value *zr_weights = cut(y, s->r, 0, 0, two), *h_weights = cut(y, s->r, 0, two, three);
	Value *zr = bin(y, OP_add, cut(y, s->x, 1, 0, two), times(y, s->h, zr_weights));
	Value *z = activate(y, &f[0], gate(y, zr, 0)), *r = activate(y, &f[0], gate(y, zr, 1));
	if (!z || !r)
		return false;
	Value *inner;
	if (op_int(y->l->op, A_linear_before_reset)) {
		inner = times(y, s->h, h_weights);
		inner = bin(y, OP_mul, r, s->rb ? bin(y, OP_add, inner, s->rb) : inner);
	} else {
		inner = times(y, bin(y, OP_mul, r, s->h), h_weights);
		inner = s->rb ? bin(y, OP_add, inner, s->rb) : inner;
	}
	Value *fresh = activate(y, &f[1], bin(y, OP_add, gate(y, s->x, 2), inner));
	if (!fresh)
		return false;
	Value *keep = bin(y, OP_mul, z, s->h);
	s->h = bin(y, OP_add, bin(y, OP_mul, bin(y, OP_sub, lg_const_float(y->l, y->d, 1), z), fresh), keep);
	return true;
}

static bool one_step(Layer *y, const Act *f, Step *s)
{
	if (y->gates == 4)
		return lstm_step(y, f, s);
	if (y->gates == 3)
		return gru_step(y, f, s);
	s->h = activate(y, &f[0], bin(y, OP_add, s->x, times(y, s->h, s->r)));
	return s->h != NULL;
}

/* Input times weights and what biases there are, for all steps: [T, B, gates H]. */
static Value *input_part(Layer *y, int dir, Step *s)
{
	Lg *l = y->l;
	Value *x = times(y, lg_in(l, 0), of_direction(y, lg_in(l, 1), dir)), *b = of_direction(y, lg_in(l, 3), dir);
	if (!b)
		return x;
	int64_t n = y->gates * y->hidden;
	Value *wb = cut(y, b, 0, 0, n), *rb = cut(y, b, 0, n, 2 * n);
	if (y->gates == 3) { /* the bias of the last gate stays with its product */
		s->rb = cut(y, rb, 0, 2 * y->hidden, n);
		int64_t pads[2] = { 0, y->hidden };
		rb = bin(y, OP_pad, cut(y, rb, 0, 0, 2 * y->hidden), lg_const_ints(l, pads, 2));
	}
	return bin(y, OP_add, x, bin(y, OP_add, wb, rb));
}

static Value *state_or_zero(Layer *y, size_t operand, int dir)
{
	Lg *l = y->l;
	Value *v = lg_in(l, operand);
	int64_t batch;
	if (v && y->batch_first)
		v = emit(y, OP_transpose, &v, 1, sh_attr(l, A_perm, sh_ints(l, (int64_t[]){ 1, 0, 2 }, 3)));
	if (v)
		return of_direction(y, v, dir);
	Value *dims = NULL;
	if (sym_const(y->batch, &batch))
		dims = lg_const_ints(l, (int64_t[]){ batch, y->hidden }, 2);
	else
		dims = sh_core(l, OP_concat, (Value *[]){ input_size(y, 1, y->batch), lg_const_ints(l, &y->hidden, 1) }, 2,
			sh_attr(l, A_axis, lg_int(l, 0)));
	return sh_core2(l, OP_expand, lg_const_float(l, y->d, 0), dims, NULL);
}

/* 0, 1, ... one for each step. */
static Value *step_numbers(Layer *y)
{
	Lg *l = y->l;
	int64_t steps, first = 0;
	Value *n = sym_const(y->steps, &steps) ? lg_const_int(l, steps) :
		sh_core1(l, OP_squeeze, input_size(y, 0, y->steps), sh_attr(l, A_axes, sh_ints(l, &first, 1)));
	return sh_core(l, OP_range, (Value *[]){ lg_const_int(l, 0), n, lg_const_int(l, 1) }, 3, NULL);
}

/* Rounds past the end of a sequence change nothing and show zeros. */
static void mask_step(Layer *y, Step *s, const Step *old, Value *t, Value *lens, Value **shown)
{
	int64_t column[2] = { -1, 1 };
	Value *valid = bin(y, OP_lt, t, emit(y, OP_cast, &lens, 1, sh_attr(y->l, A_to, attr_dtype(y->l->c, DT_I64))));
	valid = bin(y, OP_reshape, valid, lg_const_ints(y->l, column, 2));
	s->h = emit(y, OP_select, (Value *[]){ valid, s->h, old->h }, 3, NULL);
	if (s->c)
		s->c = emit(y, OP_select, (Value *[]){ valid, s->c, old->c }, 3, NULL);
	*shown = emit(y, OP_select, (Value *[]){ valid, s->h, lg_const_float(y->l, y->d, 0) }, 3, NULL);
}

/* One direction: y [T, B, H], the last h and c. */
static bool direction(Layer *y, int dir, bool back, Value **out)
{
	Lg *l = y->l;
	Act f[3];
	Step s = { 0 };
	bool lstm = y->gates == 4;
	Value *xs = input_part(y, dir, &s), *lens = lg_in(l, 4), *init[2] = { state_or_zero(y, 5, dir), NULL };
	init[1] = lstm ? state_or_zero(y, 6, dir) : NULL;
	s.r = of_direction(y, lg_in(l, 2), dir);
	s.p = lstm ? of_direction(y, lg_in(l, 7), dir) : NULL;
	if (!read_acts(y, lstm ? 3 : y->gates == 3 ? 2 : 1, dir, f) || !xs || !s.r || !init[0] || (lstm && !init[1]))
		return l->why ? false : sh_needs_shape(l);
	Value *times_of = step_numbers(y);
	Value *in[4];
	size_t nstate = lstm ? 2 : 1, n = 0;
	in[n++] = init[0];
	if (lstm)
		in[n++] = init[1];
	in[n++] = xs;
	in[n++] = times_of;
	Block *b = block_new(l->op->block->func, l->op);
	Layer inside = *y;
	inside.b = b;
	const Type *state = type_tensor(l->c, y->d, 2, (const Sym *[]){ y->batch, sym_int(l->c, y->hidden) });
	s.h = block_add_arg(b, state, NULL);
	s.c = lstm ? block_add_arg(b, state, NULL) : NULL;
	s.x = block_add_arg(b, type_tensor(l->c, y->d, 2, (const Sym *[]){ y->batch, sym_int(l->c, y->gates * y->hidden) }), NULL);
	Value *t = block_add_arg(b, sh_type(l, DT_I64, 0, NULL), NULL);
	Step old = s;
	if (!one_step(&inside, f, &s))
		return rz_no(l, "of one of its activation functions");
	Value *shown = s.h, *yield[3];
	if (lens)
		mask_step(&inside, &s, &old, t, lens, &shown);
	n = 0;
	yield[n++] = s.h;
	if (lstm)
		yield[n++] = s.c;
	yield[n++] = shown;
	op_new(b, NULL, &(OpSpec){ .def = op_def(l->c, OP_yield), .operands = yield, .noperands = n, .loc = l->op->loc });
	int64_t ways[2] = { back, back };
	NamedAttr attrs[] = { { l->c->attr_names[A_num_scan_inputs], lg_int(l, 2) },
		{ l->c->attr_names[A_scan_input_directions], sh_ints(l, ways, 2) },
		{ l->c->attr_names[A_scan_output_directions], sh_ints(l, ways, 1) } };
	OpSpec spec = { .def = op_def(l->c, OP_scan), .operands = in, .noperands = nstate + 2, .nresults = nstate + 1,
		.attrs = attrs, .nattrs = ARRAY_LEN(attrs), .nblocks = 1, .loc = l->op->loc };
	Op *scan = op_new(l->op->block, l->op, &spec);
	scan->made = true;
	op_set_block(scan, 0, b);
	infer_op(l->infer, scan);
	out[0] = scan->results[nstate];
	out[1] = scan->results[0];
	out[2] = lstm ? scan->results[1] : NULL;
	return true;
}

/* A new dimension for the direction, and the directions one after the other. */
static Value *join(Layer *y, Value *const *part, int axis)
{
	Value *all[2];
	for (int i = 0; i < y->dirs; i++)
		all[i] = sh_core1(y->l, OP_unsqueeze, part[i], sh_attr(y->l, A_axes, sh_ints(y->l, (int64_t[]){ axis }, 1)));
	if (y->dirs == 1)
		return all[0];
	return sh_core(y->l, OP_concat, all, 2, sh_attr(y->l, A_axis, lg_int(y->l, axis)));
}

bool sh_rnn(Lg *l, OpKind to)
{
	static const int64_t batch_first[] = { 1, 0, 2 }, y_first[] = { 2, 0, 1, 3 };
	Layer y = { .l = l, .gates = op_is(l->op, OP_lstm) ? 4 : op_is(l->op, OP_gru) ? 3 : 1 };
	Value *x = lg_in(l, 0), *r = lg_in(l, 2), *part[3][2] = { { NULL } };
	int64_t rd[MAX_RANK];
	int rank, rr;
	bool bidirectional = !strcmp(op_text(l->op, A_direction), "bidirectional");
	(void)to;
	if (!sh_ranked(x, &rank) || rank != 3 || !sh_dims(r, rd, &rr) || rr != 3)
		return rz_no(l, "its sizes are not known; bind them with --shape or --dim");
	y.batch_first = op_int(l->op, A_layout) != 0;
	y.steps = x->type->dims[y.batch_first];
	y.batch = x->type->dims[!y.batch_first];
	y.hidden = rd[2];
	y.d = x->type->dtype;
	y.dirs = bidirectional ? 2 : 1;
	y.clip = op_attr_float(l->op, A_clip, 0);
	if (y.batch_first) {
		x = sh_core1(l, OP_transpose, x, sh_attr(l, A_perm, sh_ints(l, batch_first, 3)));
		op_set_operand(l->op, 0, x);
	}
	for (int i = 0; i < y.dirs; i++) {
		Value *out[3] = { NULL };
		if (!direction(&y, i, bidirectional ? i == 1 : !strcmp(op_text(l->op, A_direction), "reverse"), out))
			return false;
		for (int k = 0; k < 3; k++)
			part[k][i] = out[k];
	}
	Value *all[3];
	for (size_t k = 0; k < l->op->nresults; k++) {
		all[k] = join(&y, part[k], k == 0 ? 1 : 0);
		if (y.batch_first)
			all[k] = sh_core1(l, OP_transpose, all[k], sh_attr(l, A_perm, sh_ints(l, k == 0 ? y_first : batch_first,
				k == 0 ? 4 : 3)));
	}
	return lg_replace(l, all, l->op->nresults);
}
