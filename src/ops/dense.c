/* Operands and results of heavy loops as arrays of plain numbers. */
#include "ops/gemm.h"
#include "ops/label.h"

#include <string.h>

enum { LOAD_BLOCK = 1024 };

int dense_threads(const EvalCtx *e, double work)
{
	const double worth_a_thread = 1e6; /* about 0.1 ms of arithmetic; starting a thread costs a fraction of that */
	return work < worth_a_thread ? 1 : e->threads;
}

DType dense_kind(Tensor *const *t, size_t n)
{
	bool integer = true, single = true;
	for (size_t i = 0; i < n; i++) {
		if (!t[i])
			continue;
		DTypeClass c = dtype_class(t[i]->dtype);
		if (c == DC_COMPLEX)
			return DT_C128;
		integer = integer && (c == DC_INT || c == DC_UINT || c == DC_BOOL);
		single = single && t[i]->store == DT_F32;
	}
	return integer ? DT_I64 : single ? DT_F32 : DT_F64;
}

bool dense_operands(EvalCtx *e, const Op *op, Tensor *const *in, bool complex_too)
{
	for (size_t i = 0; i < op->noperands; i++) {
		if (!in[i])
			continue;
		if (in[i]->kind != TYPE_TENSOR || in[i]->store == DT_STR)
			return eval_error(e, op, "%s is not a tensor of numbers", op_operand_said(e, op, i));
		if (!complex_too && dtype_class(in[i]->dtype) == DC_COMPLEX)
			return eval_unsupported(e, op, "complex numbers");
	}
	return true;
}

bool dense_scratch(EvalCtx *e, DType kind, int64_t n, Dense *out)
{
	CHECK(!(kind == DT_F32 && e->oracle));
	out->held = tensor_new(e, kind, 1, &n);
	out->data = out->held ? out->held->data : NULL;
	return out->held != NULL;
}

static void load_single(const Tensor *t, float *dst)
{
	double block[LOAD_BLOCK];
	for (int64_t i = 0; i < t->count; i += LOAD_BLOCK) {
		int64_t n = t->count - i < LOAD_BLOCK ? t->count - i : LOAD_BLOCK;
		tensor_load_f64(t, i, n, block);
		for (int64_t j = 0; j < n; j++)
			dst[i + j] = (float)block[j];
	}
}

/* Complex numbers from complex or real tensors. */
static void load_complex(const Tensor *t, double *dst)
{
	if (t->store == DT_C64) {
		for (int64_t i = 0; i < 2 * t->count; i++)
			dst[i] = ((const float *)t->data)[i];
	} else if (t->store == DT_C128) {
		memcpy(dst, t->data, (size_t)t->count * 2 * sizeof(double));
	} else {
		for (int64_t i = 0; i < t->count; i++)
			dst[2 * i] = tensor_get_f64(t, i), dst[2 * i + 1] = 0;
	}
}

bool dense_load(EvalCtx *e, Tensor *t, DType kind, Dense *out)
{
	*out = (Dense){0};
	if (!t)
		return true;
	if (t->kind != TYPE_TENSOR || t->store == DT_STR)
		return diag_error(e->diags, HONE_BAD_INPUT, NULL, "a tensor of numbers is expected here");
	if (t->store == kind) {
		*out = (Dense){.data = t->data, .held = tensor_ref(t)};
		return true;
	}
	if (!dense_scratch(e, kind, t->count, out))
		return false;
	if (kind == DT_C128)
		load_complex(t, out->data);
	else if (kind == DT_I64)
		tensor_load_i64(t, 0, t->count, out->data);
	else if (kind == DT_F64)
		tensor_load_f64(t, 0, t->count, out->data);
	else
		load_single(t, out->data);
	return true;
}

bool dense_result(EvalCtx *e, Tensor *t, DType kind, Dense *out)
{
	if (t->store != kind)
		return dense_scratch(e, kind, t->count, out);
	*out = (Dense){.data = t->data, .held = tensor_ref(t)};
	return true;
}

void dense_release(Dense *d)
{
	tensor_unref(d->held);
	*d = (Dense){0};
}

/* Real parts only, when a complex value lands in a real tensor. */
static void store_complex(Tensor *t, const double *src)
{
	if (t->store == DT_C64)
		for (int64_t i = 0; i < 2 * t->count; i++)
			((float *)t->data)[i] = (float)src[i];
	else
		for (int64_t i = 0; i < t->count; i++)
			tensor_set_f64(t, i, src[2 * i]);
}

void dense_store(Tensor *t, DType kind, Dense *d)
{
	if (d->data != t->data) {
		if (kind == DT_C128)
			store_complex(t, d->data);
		else if (kind == DT_I64 && t->dtype == DT_BOOL)
			for (int64_t i = 0; i < t->count; i++)
				((uint8_t *)t->data)[i] = ((const int64_t *)d->data)[i] != 0;
		else if (kind == DT_I64 && dtype_is_float(t->dtype))
			for (int64_t i = 0; i < t->count; i++)
				tensor_set_f64(t, i, (double)((const int64_t *)d->data)[i]);
		else if (kind == DT_I64)
			tensor_store_i64(t, 0, t->count, d->data);
		else if (kind == DT_F64)
			tensor_store_f64(t, 0, t->count, d->data);
		else
			for (int64_t i = 0; i < t->count; i++)
				tensor_set_f64(t, i, ((const float *)d->data)[i]);
	}
	dense_release(d);
}
