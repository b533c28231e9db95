/* Views: elements of a buffer by strides. Most data movement is a change of the view and moves nothing. */
#include "plan/plan_int.h"

#include <string.h>

bool view_plain(const View *v)
{
	int64_t step = 1;
	for (int i = v->rank; i-- > 0;) {
		if (v->dims[i] == 0)
			return true;
		if (v->dims[i] != 1 && v->stride[i] != step)
			return false;
		step *= v->dims[i];
	}
	return true;
}

View view_dense(DType d, int rank, const int64_t *dims)
{
	View v = { .buffer = -1, .dtype = d, .rank = rank };
	if (rank)
		memcpy(v.dims, dims, (size_t)rank * sizeof(*dims));
	view_order(&v, NULL);
	return v;
}

void view_order(View *v, const int *order)
{
	int64_t step = 1;
	for (int i = v->rank; i-- > 0;) {
		int d = order ? order[i] : i;
		v->stride[d] = step;
		step *= v->dims[d] ? v->dims[d] : 1;
	}
}

int64_t view_count(const View *v)
{
	int64_t n = 1;
	for (int i = 0; i < v->rank; i++)
		n *= v->dims[i];
	return n;
}

bool view_same(const View *a, const View *b)
{
	if (a->buffer != b->buffer || a->dtype != b->dtype || a->offset != b->offset || a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i] || (a->dims[i] != 1 && a->stride[i] != b->stride[i]))
			return false;
	return true;
}

/* Walks both shapes from the front: a run of old dims whose product is that of a run of new ones must be one line in memory,
 * then the new dims split it. */
bool view_reshape(const View *v, int rank, const int64_t *dims, View *out)
{
	View r = *v;
	int i = 0, k = 0;
	if (rank > VIEW_RANK)
		return false;
	r.rank = rank;
	if (rank)
		memcpy(r.dims, dims, (size_t)rank * sizeof(*dims));
	if (view_count(v) == 0) {
		view_order(&r, NULL);
		*out = r;
		return true;
	}
	while (i < v->rank || k < rank) {
		while (i < v->rank && v->dims[i] == 1)
			i++;
		while (k < rank && dims[k] == 1)
			r.stride[k++] = 1;
		if (i == v->rank || k == rank)
			break;
		int i0 = i, k0 = k;
		int64_t old = v->dims[i++], now = dims[k++];
		while (old != now) {
			if (old < now) {
				if (i == v->rank)
					return false;
				old *= v->dims[i++];
			} else {
				if (k == rank)
					return false;
				now *= dims[k++];
			}
		}
		int64_t step = 0;
		bool first = true;
		for (int j = i; j-- > i0;) {
			if (v->dims[j] == 1)
				continue;
			if (first)
				step = v->stride[j];
			else if (v->stride[j] != step)
				return false;
			first = false;
			step = v->stride[j] * v->dims[j];
		}
		int last = i - 1;
		while (last > i0 && v->dims[last] == 1)
			last--;
		step = v->stride[last];
		for (int j = k; j-- > k0;) {
			r.stride[j] = step;
			step *= dims[j];
		}
	}
	while (k < rank)
		r.stride[k++] = 1;
	*out = r;
	return true;
}

View view_broadcast(const View *v, int rank, const int64_t *dims)
{
	View r = *v;
	r.rank = rank;
	for (int i = rank; i-- > 0;) {
		int j = i - (rank - v->rank);
		bool own = j >= 0 && v->dims[j] == dims[i];
		r.dims[i] = dims[i];
		r.stride[i] = own ? v->stride[j] : 0;
	}
	return r;
}

/* Insertion sort by falling stride; broadcast dims and those of size 1 keep their logical place as far as they can. */
void view_memory_order(const View *v, int *order)
{
	for (int i = 0; i < v->rank; i++) {
		int k = i;
		while (k > 0) {
			int o = order[k - 1];
			if (v->dims[i] == 1 || v->dims[o] == 1 || v->stride[o] >= v->stride[i])
				break;
			order[k] = o;
			k--;
		}
		order[k] = i;
	}
}
