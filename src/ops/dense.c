/* Operands and results of heavy loops as plain float or double arrays. */
#include "ops/gemm.h"

#include <string.h>

enum { LOAD_BLOCK = 1024 };

int dense_threads(const EvalCtx *e, double work)
{
	const double worth_a_thread = 1e6; /* about 0.1 ms of arithmetic; starting a thread costs a fraction of that */
	return work < worth_a_thread ? 1 : e->threads;
}

DType dense_type(Tensor *const *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (t[i] && t[i]->store != DT_F32)
			return DT_F64;
	return DT_F32;
}

bool dense_scratch(EvalCtx *e, DType type, int64_t n, Dense *out)
{
	out->held = tensor_new(e, type, 1, &n);
	out->data = out->held ? out->held->data : NULL;
	return out->held != NULL;
}

static void load_float(const Tensor *t, float *dst)
{
	double block[LOAD_BLOCK];
	for (int64_t i = 0; i < t->count; i += LOAD_BLOCK) {
		int64_t n = t->count - i < LOAD_BLOCK ? t->count - i : LOAD_BLOCK;
		tensor_load_f64(t, i, n, block);
		for (int64_t j = 0; j < n; j++)
			dst[i + j] = (float)block[j];
	}
}

bool dense_load(EvalCtx *e, Tensor *t, DType type, Dense *out)
{
	*out = (Dense){0};
	if (!t)
		return true;
	if (t->store == type) {
		*out = (Dense){.data = t->data, .held = tensor_ref(t)};
		return true;
	}
	if (!dense_scratch(e, type, t->count, out))
		return false;
	/* In oracle mode the scratch tensor itself is stored as double, whatever type was asked for. */
	if (type == DT_F64)
		tensor_load_f64(t, 0, t->count, out->data);
	else
		load_float(t, out->data);
	return true;
}

bool dense_result(EvalCtx *e, Tensor *t, DType type, Dense *out)
{
	if (t->store != type)
		return dense_scratch(e, type, t->count, out);
	*out = (Dense){.data = t->data, .held = tensor_ref(t)};
	return true;
}

void dense_release(Dense *d)
{
	tensor_unref(d->held);
	*d = (Dense){0};
}

void dense_store(Tensor *t, DType type, Dense *d)
{
	if (d->data != t->data) {
		if (type == DT_F64)
			tensor_store_f64(t, 0, t->count, d->data);
		else
			for (int64_t i = 0; i < t->count; i++)
				tensor_set_f64(t, i, ((const float *)d->data)[i]);
	}
	dense_release(d);
}
