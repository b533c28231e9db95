/* mlirbc_mutator: how libFuzzer changes MLIR bytecode: the bytes of one section, or of one attribute or type, with the lengths
 * around them put right, so that most changes get past the container. For the one source file of a fuzz target. */
#ifndef HONE_MLIRBC_MUTATOR_H
#define HONE_MLIRBC_MUTATOR_H

#include "base/base.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

enum { MAX_SECTIONS = 16, S_ENTRIES = 2, S_OFFSETS = 3 };

typedef struct Part {
	uint8_t id;
	const uint8_t *data;
	size_t len;
} Part;

static void fuzz_put(Buf *b, uint64_t v)
{
	uint8_t bytes[9] = { 0 };
	size_t n = 1;
	while (n < 9 && v >> (7 * n))
		n++;
	if (n == 9) {
		memcpy(bytes + 1, &v, sizeof v);
	} else {
		v = ((v << 1) | 1) << (n - 1);
		memcpy(bytes, &v, sizeof v);
	}
	buf_put(b, bytes, n);
}

static bool fuzz_get(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	if (*p == end)
		return false;
	size_t more = **p ? (size_t)__builtin_ctz(**p) : 8;
	uint64_t v = 0;
	if ((size_t)(end - *p) < more + 1)
		return false;
	memcpy(&v, *p, more < 8 ? more + 1 : 8);
	if (more == 8)
		memcpy(&v, *p + 1, 8);
	else
		v = (v >> (more + 1)) & ((UINT64_C(1) << (7 * (more + 1))) - 1);
	*p += more + 1;
	*out = v;
	return true;
}

/* The sections after the head, which ends at *start; 0: this is no file with sections. Aligned ones are not taken apart. */
static size_t take_apart(const uint8_t *data, size_t size, size_t *start, Part *out)
{
	const uint8_t *p = size > 5 ? memchr(data + 5, 0, size - 5) : NULL, *end = data + size;
	size_t n = 0;
	if (!p)
		return 0;
	p++;
	*start = (size_t)(p - data);
	while (p < end && n < MAX_SECTIONS) {
		uint64_t len;
		uint8_t id = *p++;
		if (id & 0x80 || !fuzz_get(&p, end, &len) || len > (size_t)(end - p))
			return 0;
		out[n++] = (Part){ id, p, (size_t)len };
		p += len;
	}
	return n;
}

/* Changes bytes by libFuzzer's means, or ours where it is absent. */
static size_t change_bytes(uint8_t *s, size_t n, size_t max, Rng *r)
{
	if (rng_below(r, 3) && LLVMFuzzerMutate)
		return LLVMFuzzerMutate(s, n, max);
	if (n == 0)
		return 0;
	size_t at = (size_t)rng_below(r, (int64_t)n);
	switch (rng_below(r, 3)) {
	case 0: s[at] = (uint8_t)(rng_below(r, 64) * 2 + 1); break; /* a small number */
	case 1: s[at] ^= (uint8_t)(1u << rng_below(r, 8)); break;
	default: s[at] = s[rng_below(r, (int64_t)n)]; break;
	}
	return n;
}

/* Sizes of entries, in order; the offsets of the sizes in their section are kept as they are written again. */
static bool change_entry(const Part *entries, const Part *offsets, Buf *new_entries, Buf *new_offsets, Rng *r)
{
	const uint8_t *p = offsets->data, *end = p + offsets->len, *at = entries->data;
	uint64_t nattrs, ntypes, done = 0;
	uint8_t copy[4096];
	if (!fuzz_get(&p, end, &nattrs) || !fuzz_get(&p, end, &ntypes) || nattrs + ntypes == 0 || nattrs + ntypes > 65536)
		return false;
	uint64_t target = (uint64_t)rng_below(r, (int64_t)(nattrs + ntypes));
	fuzz_put(new_offsets, nattrs);
	fuzz_put(new_offsets, ntypes);
	while (done < nattrs + ntypes) {
		uint64_t dialect, n, v;
		if (!fuzz_get(&p, end, &dialect) || !fuzz_get(&p, end, &n) || n == 0)
			return false;
		fuzz_put(new_offsets, dialect);
		fuzz_put(new_offsets, n);
		for (uint64_t i = 0; i < n; i++, done++) {
			if (!fuzz_get(&p, end, &v) || v >> 1 > (uint64_t)(entries->data + entries->len - at))
				return false;
			size_t len = (size_t)(v >> 1);
			if (done == target && len <= sizeof copy / 2) {
				memcpy(copy, at, len);
				size_t changed = change_bytes(copy, len, len + 16, r);
				buf_put(new_entries, copy, changed);
				fuzz_put(new_offsets, (uint64_t)changed << 1 | (v & 1));
			} else {
				buf_put(new_entries, at, len);
				fuzz_put(new_offsets, v);
			}
			at += len;
		}
	}
	return true;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	Rng r = { seed };
	Part parts[MAX_SECTIONS];
	size_t start = 0, n = take_apart(data, size, &start, parts), target = n ? (size_t)rng_below(&r, (int64_t)n) : 0;
	const Part *entries = NULL, *offsets = NULL;
	Buf out = { 0 }, new_entries = { 0 }, new_offsets = { 0 };
	if (n == 0 || rng_below(&r, 8) == 0)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
	for (size_t i = 0; i < n; i++) {
		entries = parts[i].id == S_ENTRIES ? &parts[i] : entries;
		offsets = parts[i].id == S_OFFSETS ? &parts[i] : offsets;
	}
	bool entry = entries && offsets && rng_below(&r, 2) && change_entry(entries, offsets, &new_entries, &new_offsets, &r);
	buf_put(&out, data, start);
	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = mem_alloc(parts[i].len + 64);
		size_t len = parts[i].len;
		memcpy(copy, parts[i].data, len);
		if (!entry && i == target)
			len = change_bytes(copy, len, len + 32, &r);
		const Buf *b = entry && &parts[i] == entries ? &new_entries : entry && &parts[i] == offsets ? &new_offsets : NULL;
		buf_put(&out, &parts[i].id, 1);
		fuzz_put(&out, b ? b->len : len);
		if (b ? b->len : len)
			buf_put(&out, b ? b->data : (const char *)copy, b ? b->len : len);
		mem_free(copy);
	}
	if (out.len <= max_size) {
		size = out.len;
		memcpy(data, out.data, size);
	}
	buf_free(&out);
	buf_free(&new_entries);
	buf_free(&new_offsets);
	return size;
}

#endif
