/* rank: elements in the order of their values, and the k best of many. Shared by the evaluator and the kernels. */
#ifndef HONE_RANK_H
#define HONE_RANK_H

#include "base/base.h"

#include <string.h>

/* The bits of a double, turned so that they compare like the number: both zeros are equal, NaN is above all. */
static inline int64_t double_rank(double x)
{
	int64_t bits;
	if (x != x)
		return INT64_MAX;
	x += 0.0;
	memcpy(&bits, &x, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

typedef struct Ranked {
	int64_t key, index;
} Ranked;

/* Ties go to the lower index. */
static inline bool ranks_below(Ranked a, Ranked b)
{
	return a.key < b.key || (a.key == b.key && a.index > b.index);
}

/* heap[0] is the lowest of n; the entry at i may be too high for its place. */
static inline void heap_sift_down(Ranked *heap, int64_t n, int64_t i)
{
	Ranked moving = heap[i];
	for (int64_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && ranks_below(heap[child + 1], heap[child]))
			child++;
		if (!ranks_below(heap[child], moving))
			break;
		heap[i] = heap[child];
	}
	heap[i] = moving;
}

/* Offers element r.index of a sequence, from 0 on, to the heap of the k best. */
static inline void heap_offer(Ranked *heap, int64_t k, Ranked r)
{
	if (r.index < k) {
		heap[r.index] = r;
		for (int64_t j = r.index == k - 1 ? k / 2 : 0; j-- > 0;)
			heap_sift_down(heap, k, j);
	} else if (k > 0 && ranks_below(heap[0], r)) {
		heap[0] = r;
		heap_sift_down(heap, k, 0);
	}
}

/* The k best, best first. */
static inline void heap_finish(Ranked *heap, int64_t k)
{
	for (int64_t left = k - 1; left > 0; left--) {
		Ranked lowest = heap[0];
		heap[0] = heap[left];
		heap[left] = lowest;
		heap_sift_down(heap, left, 0);
	}
}

#endif
