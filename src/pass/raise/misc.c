#include "raise_int.h"

#include <string.h>

/* ---- quantisation ---- */

/* One scale for the whole tensor, so that the axis says nothing. */
static bool scalar_scale(const Value *scale)
{
	int64_t n;
	return scale && type_static_numel(scale->type, &n) && n == 1;
}

static bool quant_fits(Lg *l)
{
	if (l->opset < 13 && !scalar_scale(lg_in(l, 1)))
		return rz_no(l, "its scale has an element for each index of attribute 'axis'; that opset quantises whole tensors only");
	if (l->opset < 21 && op_int(l->op, A_block_size))
		return rz_no(l, "that opset lacks attribute 'block_size'");
	return true;
}

/* The type of the result comes from the zero point; a zero of that type stands in where the opset has no output_dtype. */
bool rz_quantize(Lg *l, OpKind onnx)
{
	DType to = op_dtype(l->op, A_to);
	Value *zero = lg_in(l, 2);
	const Attr *code = NULL;
	if (!quant_fits(l))
		return false;
	if (to != DT_NONE && l->opset >= 21) {
		code = rz_type_code(l, to);
	} else if (to != DT_NONE && !zero) {
		if (!scalar_scale(lg_in(l, 1)))
			return rz_no(l, "that opset takes the type from input 'y_zero_point', which is absent");
		int64_t dims[MAX_RANK], none = 0;
		type_static_dims(lg_in(l, 1)->type, dims);
		zero = rz_ints_of(l, to, lg_rank(lg_in(l, 1)), dims, &none);
	}
	RwAttr attrs[] = { { A_axis, l->opset >= 13 ? lg_attr(l, A_axis) : NULL },
		{ A_block_size, l->opset >= 21 ? lg_attr(l, A_block_size) : NULL }, { A_output_dtype, code },
		{ A_saturate, l->opset >= 19 ? lg_attr(l, A_saturate) : NULL }, { A_NONE, NULL } };
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0), lg_in(l, 1), zero }, 3, attrs);
}

bool rz_dequantize(Lg *l, OpKind onnx)
{
	DType to = op_dtype(l->op, A_to);
	if (!quant_fits(l))
		return false;
	const Attr *axis = l->opset >= 13 ? lg_attr(l, A_axis) : NULL;
	const Attr *block = l->opset >= 21 ? lg_attr(l, A_block_size) : NULL;
	if (to != DT_NONE && l->opset < 23 && to != lg_dtype(lg_in(l, 1))) {
		Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
		RwAttr attrs[] = { { A_axis, axis }, { A_block_size, block }, { A_NONE, NULL } };
		Value *y = lg_new(l, onnx, in, in[2] ? 3 : 2, attrs);
		return lg_become(l, OP_cast, &y, 1, (RwAttr[]){ { A_to, attr_dtype(l->c, to) }, { A_NONE, NULL } });
	}
	return lg_become_same(l, onnx, (RwAttr[]){ { A_axis, axis }, { A_block_size, block },
			{ A_output_dtype, l->opset >= 23 ? rz_type_code(l, to) : NULL }, { A_NONE, NULL } });
}

/* ---- recurrent ---- */

bool rz_rnn(Lg *l, OpKind onnx)
{
	if (l->opset < 14 && op_int(l->op, A_layout) && !ex_batch_first(l))
		return false;
	if (l->opset < 3 && onnx == ONNX_GRU && op_int(l->op, A_linear_before_reset))
		return rz_no(l, "that opset lacks attribute 'linear_before_reset'");
	if (l->opset < 14)
		op_set_attr(l->op, l->c->attr_names[A_layout], NULL);
	return lg_copy(l, onnx);
}

/* Counts of valid keys came with opset 24, windows with 25: products say it before. */
bool rz_attention(Lg *l, OpKind onnx)
{
	if (l->opset < 24 && lg_in(l, 6))
		return ex_attention(l, onnx);
	static const AttrName windows[] = { A_left_window_size, A_right_window_size };
	for (size_t i = 0; l->opset < 25 && i < ARRAY_LEN(windows); i++) {
		if (op_int(l->op, windows[i]) != -1)
			return ex_attention(l, onnx);
		op_set_attr(l->op, l->c->attr_names[windows[i]], NULL);
	}
	return lg_copy(l, onnx);
}

/* ---- signal ---- */

bool rz_dft(Lg *l, OpKind onnx)
{
	int64_t axis = -2;
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	RwAttr attrs[] = { { A_inverse, lg_attr(l, A_inverse) }, { A_onesided, lg_attr(l, A_onesided) }, { A_axis, NULL },
		{ A_NONE, NULL } };
	if (l->opset < 20) {
		if (in[2] && !constant_int(in[2], &axis))
			return rz_no(l, "input 'axis' is an attribute in that opset and must be constant");
		attrs[2].value = lg_int(l, axis);
		in[2] = NULL;
	}
	return lg_become(l, onnx, in, 3, attrs);
}

bool rz_window(Lg *l, OpKind onnx)
{
	const char *kind = op_text(l->op, A_kind);
	onnx = !strcmp(kind, "hann") ? ONNX_HannWindow : !strcmp(kind, "hamming") ? ONNX_HammingWindow :
			!strcmp(kind, "blackman") ? ONNX_BlackmanWindow : OP_UNKNOWN;
	if (onnx == OP_UNKNOWN)
		return rz_no(l, "ONNX does not have that window");
	return lg_become_same(l, onnx, (RwAttr[]){ { A_output_datatype, rz_type_code(l, op_dtype(l->op, A_to)) },
			{ A_periodic, lg_attr(l, A_periodic) }, { A_NONE, NULL } });
}

bool rz_mel(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx,
			(RwAttr[]){ { A_output_datatype, rz_type_code(l, op_dtype(l->op, A_to)) }, { A_NONE, NULL } });
}

/* ---- random numbers ---- */

/* A constant shape is an attribute; the shape of a value needs the Like form; any other shape is made one. */
bool rz_random(Lg *l, OpKind onnx)
{
	bool normal = onnx == ONNX_RandomNormal;
	Value *shape = lg_in(l, 0), *like = NULL;
	size_t n;
	const int64_t *dims = constant_ints(l->a, shape, MAX_RANK, &n);
	if (!dims) {
		Op *def = shape->def;
		bool whole = def && (op_is(def, OP_shape) || op_is(def, ONNX_Shape)) && def->nattrs == 0;
		like = whole ? op_operand(def, 0) : lg_new1(l, OP_fill, shape, NULL);
		onnx = normal ? ONNX_RandomNormalLike : ONNX_RandomUniformLike;
	}
	RwAttr attrs[] = { { A_dtype, rz_type_code(l, op_dtype(l->op, A_to)) }, { A_seed, lg_attr(l, A_seed) },
		{ normal ? A_mean : A_low, lg_attr(l, normal ? A_mean : A_low) },
		{ normal ? A_scale : A_high, lg_attr(l, normal ? A_scale : A_high) },
		{ A_shape, dims ? lg_ints_attr(l, dims, n) : NULL }, { A_NONE, NULL } };
	return lg_become(l, onnx, &like, like ? 1 : 0, attrs);
}

bool rz_bernoulli(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx, (RwAttr[]){ { A_dtype, rz_type_code(l, op_dtype(l->op, A_to)) },
			{ A_seed, lg_attr(l, A_seed) }, { A_sample_size, onnx == ONNX_Multinomial ? lg_attr(l, A_sample_size) : NULL },
			{ A_NONE, NULL } });
}

/* Operands since opset 12; before, the ratio is an attribute and, until 6, is_test asks for inference. */
bool rz_dropout(Lg *l, OpKind onnx)
{
	int64_t training = 0;
	double ratio = 0.5;
	if (l->opset >= 12)
		return lg_become_same(l, onnx, (RwAttr[]){ { A_seed, lg_attr(l, A_seed) }, { A_NONE, NULL } });
	if ((lg_in(l, 2) && !constant_int(lg_in(l, 2), &training)) || (lg_in(l, 1) && !constant_float(lg_in(l, 1), &ratio)))
		return rz_no(l, "inputs 'ratio' and 'training_mode' are attributes in that opset and must be constant");
	if (training && l->opset >= 7)
		return rz_no(l, "that opset lacks input 'training_mode' and does not train");
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0) }, 1,
			(RwAttr[]){ { A_ratio, lg_in(l, 1) ? lg_float(l, ratio) : NULL },
			{ A_is_test, l->opset < 7 ? lg_int(l, !training) : NULL }, { A_NONE, NULL } });
}

/* ---- control flow, calls, sequences ---- */

/* Names of the nested graphs, in block order. */
static const Attr *graph_names(Lg *l, const char *first, const char *second)
{
	const Str *names[2] = { str(l->c, first), second ? str(l->c, second) : NULL };
	return attr_strs(l->c, names, second ? 2 : 1);
}

bool rz_control(Lg *l, OpKind onnx)
{
	bool is_if = onnx == ONNX_If;
	return lg_become_same(l, onnx, (RwAttr[]){
			{ A_graph_names, is_if ? graph_names(l, "then_branch", "else_branch") : graph_names(l, "body", NULL) },
			{ A_NONE, NULL } });
}

static bool all_zero(const Op *op, AttrName a)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, a, &v);
	for (size_t i = 0; i < n; i++)
		if (v[i] != 0)
			return false;
	return true;
}

/* The scan inside a scan over the batch, as legalise takes Scan of opset 8 apart; NULL for any other shape of op. */
static Op *batched_scan(const Op *op)
{
	const Block *b = op->blocks[0];
	Op *inner = b->first;
	if (!inner || inner->nblocks != 1 || inner->next != b->last || !b->last ||
			(!op_is(inner, OP_scan) && !op_is(inner, ONNX_Scan)))
		return NULL;
	bool fits = op_attr_int(op, A_num_scan_inputs, 0) == op->noperands && inner->noperands == b->nargs &&
			b->last->noperands == inner->nresults && all_zero(op, A_scan_input_axes) && all_zero(op, A_scan_output_axes) &&
			all_zero(op, A_scan_input_directions) && all_zero(op, A_scan_output_directions) &&
			all_zero(inner, A_scan_input_axes) && all_zero(inner, A_scan_output_axes) &&
			all_zero(inner, A_scan_output_directions);
	for (size_t i = 0; fits && i < inner->noperands; i++)
		fits = op_operand(inner, i) == b->args[i];
	for (size_t i = 0; fits && i < inner->nresults; i++)
		fits = op_operand(b->last, i) == inner->results[i];
	return fits ? inner : NULL;
}

static bool scan_8(Lg *l, OpKind onnx)
{
	Op *op = l->op, *inner = batched_scan(op);
	if (!inner)
		return rz_no(l, "its attribute 'num_scan_inputs' and its inputs have no batch, and that opset scans batches only");
	Value **in = NEW_ARRAY(l->a, Value *, op->noperands + 1u);
	for (size_t i = 0; i < op->noperands; i++)
		in[i + 1] = lg_in(l, i);
	const Attr *directions = op_attr(inner, A_scan_input_directions), *scans = op_attr(inner, A_num_scan_inputs);
	Block *outer = op->blocks[0], *body = inner->blocks[0];
	op_set_block(op, 0, body);
	inner->blocks[0] = block_new(op_func(op), inner);
	op_erase(outer->last);
	op_erase(inner);
	return lg_become(l, onnx, in, op->noperands + 1u, (RwAttr[]){ { A_directions, directions }, { A_num_scan_inputs, scans },
			{ A_graph_names, graph_names(l, "body", NULL) }, { A_NONE, NULL } });
}

bool rz_scan(Lg *l, OpKind onnx)
{
	if (l->op->nblocks != 1 || !l->op->blocks[0])
		return rz_no(l, "it has no body");
	if (l->opset < 9)
		return scan_8(l, onnx);
	op_set_attr(l->op, l->c->attr_names[A_graph_names], NULL);
	lg_copy(l, onnx);
	op_set_attr(l->op, l->c->attr_names[A_graph_names], graph_names(l, "body", NULL));
	return true;
}

/* A call of a library function is an op of the function's domain. */
bool rz_call(Lg *l, OpKind onnx)
{
	(void)onnx;
	const Str *callee = op_attr_str(l->op, A_callee);
	if (!callee || !strstr(callee->s, "::"))
		return rz_no(l, "the called function has no ONNX name");
	const Str *full = str_fmt(l->c, "onnx.%s", callee->s);
	op_set_def(l->op, op_def_find(l->c, full->s, full->len));
	op_set_attr(l->op, l->c->attr_names[A_callee], NULL);
	return true;
}

bool rz_seq_empty(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx,
			(RwAttr[]){ { A_dtype, rz_type_code(l, op_dtype(l->op, A_dtype)) }, { A_NONE, NULL } });
}

/* Without an element, the type attribute says of which type it would be. */
bool rz_optional(Lg *l, OpKind onnx)
{
	const Type *t = l->op->results[0]->type;
	const Attr *type = NULL;
	if (!lg_in(l, 0)) {
		if (t->kind != TYPE_OPTIONAL)
			return rz_no(l, "the type of the absent element is not known");
		type = attr_type(l->c, t->elem[0]);
	}
	return lg_become_same(l, onnx, (RwAttr[]){ { A_type, type }, { A_NONE, NULL } });
}
