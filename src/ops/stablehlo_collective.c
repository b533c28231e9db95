/* Distribution on one device: what devices exchange is what the one has. More devices than one cannot be stood in for. */
#include "stablehlo_int.h"

#include <complex.h>

/* Devices that the module is made for; 1 when it does not say. */
static int64_t devices(const Op *op)
{
	static const char *const names[] = { "mhlo.num_replicas", "mhlo.num_partitions" };
	int64_t n = 1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const Attr *a = module_attr(op_func(op)->module, names[i]);
		n *= a && a->kind == ATTR_INT && a->u.i > 0 && a->u.i < INT32_MAX ? a->u.i : 1;
	}
	return n;
}

/* Size of the groups that the op names; 0 when it names none. */
static int64_t group_size(const Op *op)
{
	const Attr *g = op_attr(op, A_replica_groups);
	const Type *t = g && g->kind == ATTR_TENSOR ? g->u.tensor.type : NULL;
	int64_t n = 0;
	return t && t->rank == 2 && sym_const(t->dims[1], &n) ? n : 0;
}

bool shlo_is_alone(const Op *op)
{
	int64_t n = group_size(op);
	return n > 0 ? n == 1 : devices(op) == 1;
}

static bool same_sizes(const Tensor *t, const Type *declared)
{
	int64_t dims[MAX_RANK];
	if (!type_has_rank(declared) || declared->rank > MAX_RANK || !type_static_dims(declared, dims))
		return true;
	return declared->rank == t->rank && !memcmp(dims, t->dims, (size_t)t->rank * sizeof *dims);
}

/* A device that nothing is sent to gets zeros. */
static bool receives(const Op *op)
{
	const Attr *pairs = op_attr(op, A_source_target_pairs);
	int64_t n = 0;
	return !pairs || pairs->kind != ATTR_TENSOR || !type_static_numel(pairs->u.tensor.type, &n) || n > 0;
}

bool eval_shlo_collective(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!shlo_is_alone(op))
		return eval_unsupported(e, op, "it joins %lld devices, and there is one: run the module on as many as it was made for",
			(long long)(group_size(op) > 1 ? group_size(op) : devices(op)));
	if (op->noperands < op->nresults)
		return eval_error(e, op, "%u operands for %u results", op->noperands, op->nresults);
	for (size_t i = 0; i < op->nresults; i++) {
		if (in[i]->kind != TYPE_TENSOR || !same_sizes(in[i], op->results[i]->type))
			return eval_error(e, op, "on one device result %zu has the type of its operand", i);
		bool zero = op_is(op, SHLO_collective_permute) && !receives(op);
		if (!(out[i] = zero ? tensor_like(e, in[i]) : tensor_ref(in[i])))
			return false;
	}
	return true;
}

bool eval_shlo_host(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)in;
	(void)out;
	return eval_unsupported(e, op, "it exchanges data with %s, and none is there: make the data an input or a result of the "
		"function", op_is(op, SHLO_infeed) || op_is(op, SHLO_outfeed) ? "the host" : "another program");
}

/* Started work is done at once; the future is what it gave. */
bool eval_shlo_async_start(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { MOST = 64 };
	Tensor *got[MOST] = { NULL };
	const Op *end = op->nblocks && op->blocks[0] ? block_terminator(op->blocks[0]) : NULL;
	if (!end || end->noperands > MOST || op->blocks[0]->nargs != op->noperands)
		return eval_error(e, op, "its region does not fit its operands");
	if (!eval_block(e, op->blocks[0], in, op->noperands, got, end->noperands))
		return false;
	out[0] = tensor_sequence(e, TYPE_SEQUENCE, got, end->noperands);
	for (size_t i = 0; i < end->noperands; i++)
		tensor_unref(got[i]);
	return out[0] != NULL;
}

bool eval_shlo_async_done(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (op->noperands != 1 || in[0]->kind != TYPE_SEQUENCE || in[0]->nitems != (int64_t)op->nresults)
		return eval_error(e, op, "its operand is not a future of %u values", op->nresults);
	for (size_t i = 0; i < op->nresults; i++)
		out[i] = tensor_ref(in[0]->items[i]);
	return true;
}

/* ---- atan2 of complex numbers: -i log((x + i y) / sqrt(x^2 + y^2)) ---- */

bool eval_shlo_atan2(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (dtype_class(in[0]->dtype) != DC_COMPLEX || in[1]->dtype != in[0]->dtype || !tensor_same_shape(in[0], in[1]))
		return eval_error(e, op, "operands of different or other types");
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++) {
		double a[2], b[2];
		shlo_load_complex(in[0], i, a);
		shlo_load_complex(in[1], i, b);
		double complex y = a[0] + a[1] * I, x = b[0] + b[1] * I, r = -I * clog((x + I * y) / csqrt(x * x + y * y));
		shlo_store_complex(out[0], i, (double[2]){ creal(r), cimag(r) });
	}
	return true;
}
