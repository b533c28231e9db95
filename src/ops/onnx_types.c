/* Operands of an ONNX operator that must have one element type, in every version of its schema. Core's elementwise ops see
 * to that themselves; what would otherwise take the type of one operand for all of them is listed here. */
#include "ops.h"

typedef struct SameType {
	OpKind op;
	uint16_t groups[3]; /* bit i: operand i */
	bool all;           /* any number of operands, of one type */
} SameType;

#define B(i) (uint16_t)(1 << (i))

static const SameType same_types[] = {
	{ ONNX_Attention, { B(0) | B(1) | B(4), B(2) | B(5) } },
	{ ONNX_BatchNormalization, { B(1) | B(2), B(3) | B(4) } },
	{ ONNX_CausalConvWithState, { B(0) | B(1) | B(2) | B(3) } },
	{ ONNX_Clip, { B(0) | B(1) | B(2) } },
	{ ONNX_Concat, { B(0) }, .all = true },
	{ ONNX_Conv, { B(0) | B(1) | B(2) } },
	{ ONNX_ConvInteger, { B(0) | B(2), B(1) | B(3) } },
	{ ONNX_ConvTranspose, { B(0) | B(1) | B(2) } },
	{ ONNX_DeformConv, { B(0) | B(1) | B(2) | B(3) | B(4) } },
	{ ONNX_DequantizeLinear, { B(0) | B(2) } },
	{ ONNX_Einsum, { B(0) }, .all = true },
	{ ONNX_GRU, { B(0) | B(1) | B(2) | B(3) | B(5) } },
	{ ONNX_Gemm, { B(0) | B(1) | B(2) } },
	{ ONNX_GroupNormalization, { B(0) | B(1) | B(2) } },
	{ ONNX_InstanceNormalization, { B(0) | B(1) | B(2) } },
	{ ONNX_LSTM, { B(0) | B(1) | B(2) | B(3) | B(5) | B(6) | B(7) } },
	{ ONNX_LayerNormalization, { B(0) | B(1) | B(2) } },
	{ ONNX_MatMul, { B(0) | B(1) } },
	{ ONNX_MatMulInteger, { B(0) | B(2), B(1) | B(3) } },
	{ ONNX_MaxRoiPool, { B(0) | B(1) } },
	{ ONNX_NegativeLogLikelihoodLoss, { B(0) | B(2) } },
	{ ONNX_Pad, { B(0) | B(2) } },
	{ ONNX_QLinearConv, { B(0) | B(2), B(1) | B(4) | B(6), B(3) | B(5) } },
	{ ONNX_QLinearMatMul, { B(0) | B(2), B(1) | B(4) | B(6), B(3) | B(5) } },
	{ ONNX_RNN, { B(0) | B(1) | B(2) | B(3) | B(5) } },
	{ ONNX_Range, { B(0) | B(1) | B(2) } },
	{ ONNX_RoiAlign, { B(0) | B(1) } },
	{ ONNX_RotaryEmbedding, { B(0) | B(1) | B(2) } },
	{ ONNX_STFT, { B(0) | B(2) } },
	{ ONNX_Scatter, { B(0) | B(2) } },
	{ ONNX_ScatterElements, { B(0) | B(2) } },
	{ ONNX_ScatterND, { B(0) | B(2) } },
	{ ONNX_SoftmaxCrossEntropyLoss, { B(0) | B(2) } },
	{ ONNX_SwiGLU, { B(0) | B(1) } },
	{ ONNX_TensorScatter, { B(0) | B(1) } },
	{ ONNX_Where, { B(1) | B(2) } },
};

#undef B

/* Whether the operands of a group agree; if not, *a and *b are two that do not. */
static bool group_agrees(const Op *op, uint16_t group, bool all, size_t *a, size_t *b)
{
	DType first = DT_NONE;
	for (size_t i = 0; i < op->noperands; i++) {
		bool member = all || (i < 16 && (group >> i & 1));
		DType t = member ? value_dtype(op_operand(op, i)) : DT_NONE;
		if (t == DT_NONE)
			continue;
		if (first == DT_NONE) {
			first = t;
			*a = i;
		} else if (t != first) {
			*b = i;
			return false;
		}
	}
	return true;
}

bool onnx_types_agree(const Op *op, size_t *a, size_t *b)
{
	for (size_t i = 0; i < ARRAY_LEN(same_types); i++) {
		const SameType *s = &same_types[i];
		if (s->op != op_kind(op))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(s->groups) && s->groups[k]; k++)
			if (!group_agrees(op, s->groups[k], s->all, a, b))
				return false;
	}
	return true;
}
