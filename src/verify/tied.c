/* Whether an integer input says sizes: exporters pass the values of named dims so, and give the other inputs dims that bear
 * no name. One backward walk: operands that are shapes, and what integers they are computed from. */
#include "verify/pull.h"

static bool says_size(const Op *op, size_t operand)
{
	switch (op_kind(op)) {
	case OP_expand: case OP_reshape: case OP_tile: case SHLO_dynamic_broadcast_in_dim: case SHLO_dynamic_reshape:
	case SHLO_set_dimension_size:
		return operand == 1;
	case OP_fill: case SHLO_dynamic_iota:
		return operand == 0;
	case OP_range: case OP_slice: case OP_pad: case SHLO_real_dynamic_slice: case SHLO_dynamic_pad: case SHLO_dynamic_gather:
	case SHLO_dynamic_conv:
		return operand >= 1;
	default:
		return false;
	}
}

static void walk(const Block *b, uint8_t *says)
{
	for (const Op *op = b->last; op; op = op->prev) {
		bool passes = false;
		for (size_t i = 0; i < op->nresults; i++)
			passes |= says[op->results[i]->id];
		for (size_t i = 0; i < op->noperands; i++) {
			const Value *v = op->operands[i].value;
			if (v && type_is_tensor(v->type) && dtype_is_integer(v->type->dtype) &&
				(says_size(op, i) || (passes && op->nblocks == 0)))
				says[v->id] = 1;
		}
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				walk(op->blocks[i], says);
	}
}

bool sizes_are_inputs(const Module *m, Arena *a)
{
	uint8_t *says = NEW_ARRAY(a, uint8_t, m->next_value + 1u);
	if (!m->main)
		return false;
	walk(m->main->body, says);
	for (uint32_t i = 0; i < m->main->body->nargs; i++) {
		const Value *v = m->main->body->args[i];
		if (says[v->id] && type_has_rank(v->type) && v->type->rank == 0)
			return true;
	}
	return false;
}
