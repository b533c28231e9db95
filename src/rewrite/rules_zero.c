/* Rules of the algebra topic for tensors of zeros whose shape only the run knows. */
#include "rewrite/rules_algebra.h"
#include "rewrite/help_int.h"

/* Every element is +0: data, a fill, or elements moved out of such values. */
static bool is_all_zero(const Value *v, int depth)
{
	if (!v || !v->def || depth > 8)
		return false;
	const Op *op = v->def;
	if (op->constant && constant_all(v, 0))
		return true;
	if (op_is(op, OP_fill)) {
		const Attr *value = op_attr(op, A_value);
		if (!value || value->kind != ATTR_TENSOR)
			return !value;
		const uint8_t *bytes = value->u.tensor.blob->data;
		for (size_t i = 0; i < value->u.tensor.blob->len; i++)
			if (bytes[i])
				return false;
		return dtype_class(value->u.tensor.type->dtype) != DC_STRING;
	}
	if (!(op->def->traits & TRAIT_MOVES) || op->noperands == 0)
		return false;
	size_t n = op_is(op, OP_concat) ? op->noperands : 1;
	for (size_t i = 0; i < n; i++)
		if (!is_all_zero(op_operand(op, i), depth + 1))
			return false;
	return true;
}

/* A recurrent op starts from zeros when it is given no initial state. */
bool rnn_zero_state(Rw *rw, Op *root)
{
	size_t last = op_is(root, OP_lstm) ? 6 : 5;
	for (size_t i = 5; i <= last; i++)
		if (is_all_zero(op_operand(root, i), 0))
			return rw_set_operand(rw, root, i, NULL);
	return rw_no(rw, "no initial state is known to be zero");
}
