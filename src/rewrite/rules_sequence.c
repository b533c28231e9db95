/* Rules of the control topic for sequences and optionals whose items are known while optimising. */
#include "rewrite/rules_control.h"
#include "rewrite/move_int.h"

/* Index into n items, normalised; absent: `last`. */
static bool item_index(Rw *rw, const Value *index, int64_t n, int64_t last, int64_t *out)
{
	*out = last;
	if (index && !fact_int(rw, index, out))
		return rw_no(rw, "the index is a runtime value");
	if (*out < 0)
		*out += n;
	return (*out >= 0 && *out <= last) || rw_no(rw, "the index is out of range");
}

/* Items of a seq_construct or an empty sequence. */
static bool items_of(Rw *rw, const Value *s, Op **items)
{
	*items = s && s->def ? s->def : NULL;
	return op_is(*items, OP_seq_construct) || op_is(*items, OP_seq_empty) ||
		rw_no(rw, "the items of the sequence are not known here");
}

bool seq_at_construct(Rw *rw, Op *root)
{
	Op *items;
	int64_t i;
	if (!items_of(rw, op_operand(root, 0), &items) || !item_index(rw, op_operand(root, 1), items->noperands,
				(int64_t)items->noperands - 1, &i))
		return false;
	return replace_by_existing(rw, root->results[0], op_operand(items, (size_t)i));
}

bool seq_length_known(Rw *rw, Op *root)
{
	Op *items, *split = def_of(op_operand(root, 0), OP_seq_split);
	int64_t n = 0, part = 1;
	if (split) {
		Value *x = op_operand(split, 0), *sizes = op_operand(split, 1);
		int axis;
		if (value_rank(x) < 0 || !axis_norm(op_int(split, A_axis), value_rank(x), &axis) || value_dim(x, axis) < 0)
			return rw_no(rw, "the size of the split axis is not known");
		if (sizes && value_rank(sizes) == 1 && value_count(sizes) >= 0) {
			n = value_count(sizes);
		} else {
			if (sizes && (value_rank(sizes) != 0 || !fact_int(rw, sizes, &part) || part < 1))
				return rw_no(rw, "the sizes of the parts are not known");
			n = value_dim(x, axis) / part + (value_dim(x, axis) % part != 0);
		}
	} else if (items_of(rw, op_operand(root, 0), &items)) {
		n = items->noperands;
	} else {
		return false;
	}
	return rw_replace(rw, root->results[0], rw_constant_ints(rw, DT_I64, 0, NULL, &n));
}

/* Part i of a split with equal parts or given sizes: a slice; without the axis when the split drops it: a gather. */
bool seq_at_split(Rw *rw, Op *root)
{
	Op *split = live_def(op_operand(root, 0), OP_seq_split);
	if (!split)
		return rw_no(rw, "the sequence is no split");
	Value *x = op_operand(split, 0), *sizes = op_operand(split, 1);
	int axis;
	int64_t i, n, part = 1;
	if (value_rank(x) < 0 || value_rank(x) > MAX_RANK || !axis_norm(op_int(split, A_axis), value_rank(x), &axis))
		return rw_no(rw, "the rank is unknown");
	if (!fact_int(rw, op_operand(root, 1), &i))
		return rw_no(rw, "the index is a runtime value");
	if (sizes && (value_rank(sizes) != 0 || !fact_int(rw, sizes, &part) || part < 1))
		return rw_no(rw, "the parts have no common size");
	n = value_dim(x, axis);
	if (n < 0)
		return rw_no(rw, "the size of the split axis is not known, and with it whether the part exists");
	int64_t count = n / part + (n % part != 0);
	i = i < 0 ? i + count : i;
	if (i < 0 || i >= count)
		return rw_no(rw, "the index is out of range");
	if (!sizes && !op_int(split, A_keepdims)) {
		const RwAttr attrs[] = { { A_axis, attr_int(rw->ctx, axis) }, { A_NONE, NULL } };
		return rw_replace(rw, root->results[0],
				rw_op2(rw, OP_gather, x, rw_constant_ints(rw, DT_I64, 0, NULL, &i), attrs));
	}
	Span s = { .rank = value_rank(x) };
	s.on[axis] = true;
	s.start[axis] = i * part;
	s.end[axis] = (i + 1) * part < n ? (i + 1) * part : n;
	s.step[axis] = 1;
	return rw_replace(rw, root->results[0], rw_slice(rw, x, &s));
}

bool seq_concat_construct(Rw *rw, Op *root)
{
	Op *items;
	if (!items_of(rw, op_operand(root, 0), &items))
		return false;
	size_t n = items->noperands;
	if (n == 0)
		return rw_no(rw, "the sequence is empty");
	Value **in = NEW_ARRAY(rw->scratch, Value *, n);
	for (size_t i = 0; i < n; i++)
		in[i] = op_operand(items, i);
	int64_t axis = op_int(root, A_axis);
	if (op_int(root, A_new_axis)) {
		if (n > 1)
			return rw_no(rw, "each of %zu items would need a new axis", n);
		return rw_replace(rw, root->results[0], rw_op1(rw, OP_unsqueeze, in[0],
				(RwAttr[]){ { A_axes, attr_ints(rw->ctx, &axis, 1) }, { A_NONE, NULL } }));
	}
	return rw_replace(rw, root->results[0], rw_op(rw, OP_concat, in, n,
			(RwAttr[]){ { A_axis, attr_int(rw->ctx, axis) }, { A_NONE, NULL } }));
}

/* Splitting and joining along the same axis. A new axis undoes a dropped one. */
bool seq_concat_split(Rw *rw, Op *root)
{
	Op *split = live_def(op_operand(root, 0), OP_seq_split);
	if (!split)
		return rw_no(rw, "the sequence is no split");
	Value *x = op_operand(split, 0);
	int a, b, rank = value_rank(x);
	bool dropped = !op_operand(split, 1) && !op_int(split, A_keepdims);
	if (rank < 0 || !axis_norm(op_int(split, A_axis), rank, &a) || !axis_norm(op_int(root, A_axis), rank, &b) || a != b)
		return rw_no(rw, "the axes of split and concat are not certainly the same");
	if (dropped != (op_int(root, A_new_axis) != 0) || value_dim(x, a) == 0)
		return rw_no(rw, "the concat does not undo the split");
	int64_t n = value_dim(x, a);
	if (n < 1 && sym_lower(x->type->dims[a]) < 1)
		return rw_no(rw, "the split may give no part at all");
	return replace_by_existing(rw, root->results[0], x);
}

bool seq_insert_construct(Rw *rw, Op *root)
{
	Op *items;
	int64_t at;
	if (!items_of(rw, op_operand(root, 0), &items))
		return false;
	size_t n = items->noperands;
	if (!item_index(rw, op_operand(root, 2), (int64_t)n, (int64_t)n, &at) || n >= UINT16_MAX)
		return false;
	Value **in = NEW_ARRAY(rw->scratch, Value *, n + 1);
	for (size_t i = 0; i <= n; i++)
		in[i] = (int64_t)i == at ? op_operand(root, 1) : op_operand(items, (int64_t)i < at ? i : i - 1);
	return rw_replace(rw, root->results[0], rw_op(rw, OP_seq_construct, in, n + 1, NULL));
}

bool seq_erase_construct(Rw *rw, Op *root)
{
	Op *items;
	int64_t at;
	if (!items_of(rw, op_operand(root, 0), &items))
		return false;
	size_t n = items->noperands;
	if (n < 2)
		return rw_no(rw, "no item would be left");
	if (!item_index(rw, op_operand(root, 1), (int64_t)n, (int64_t)n - 1, &at))
		return false;
	Value **in = NEW_ARRAY(rw->scratch, Value *, n - 1);
	for (size_t i = 0; i + 1 < n; i++)
		in[i] = op_operand(items, (int64_t)i < at ? i : i + 1);
	return rw_replace(rw, root->results[0], rw_op(rw, OP_seq_construct, in, n - 1, NULL));
}

bool optional_get_optional(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	Op *made = def_of(x, OP_optional);
	if (made && op_operand(made, 0))
		return replace_by_existing(rw, root->results[0], op_operand(made, 0));
	if (x && (x->type->kind == TYPE_TENSOR || x->type->kind == TYPE_SEQUENCE))
		return replace_by_existing(rw, root->results[0], x);
	return rw_no(rw, "whether the optional holds a value is known at run time only");
}

bool optional_has_known(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	Op *made = def_of(x, OP_optional);
	bool plain = x && (x->type->kind == TYPE_TENSOR || x->type->kind == TYPE_SEQUENCE);
	if (x && !made && !plain)
		return rw_no(rw, "whether the optional holds a value is known at run time only");
	int64_t has = x && (plain || op_operand(made, 0));
	return rw_replace(rw, root->results[0], rw_constant_ints(rw, DT_BOOL, 0, NULL, &has));
}
