/* Replays files through a fuzz target where libFuzzer is absent: found inputs stay ordinary tests with any compiler.
 * A short mutation loop makes the driver useful on its own: -runs=N changes each file N times before giving it in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL)
		return NULL;
	size_t cap = 1 << 16;
	uint8_t *data = malloc(cap);
	*size = 0;
	for (size_t got; data != NULL && (got = fread(data + *size, 1, cap - *size, f)) > 0;) {
		*size += got;
		if (*size == cap) {
			uint8_t *bigger = realloc(data, cap *= 2);
			if (bigger == NULL)
				free(data);
			data = bigger;
		}
	}
	fclose(f);
	return data;
}

/* Gives `size` bytes in a block of exactly that size, so that a sanitizer sees a read one past the end. */
static void give(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size > 0 ? size : 1);
	if (exact == NULL)
		return;
	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

/* One to eight changes: a byte replaced, a bit flipped, an interesting value, a cut, a run copied elsewhere. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
	static const uint8_t interesting[] = {0, 1, 0x7f, 0x80, 0xff, '-', '9', '[', '"', '\n'};
	for (uint64_t n = 1 + next_random(state) % 8; n > 0 && size > 0; n--) {
		size_t at = next_random(state) % size, from = next_random(state) % size;
		size_t len = 1 + next_random(state) % 16;
		switch (next_random(state) % 5) {
		case 0: data[at] = (uint8_t)next_random(state); break;
		case 1: data[at] ^= (uint8_t)(1u << next_random(state) % 8); break;
		case 2: data[at] = interesting[next_random(state) % sizeof interesting]; break;
		case 3: size = n % 2 ? size : at; break;
		default:
			if (len <= size - at && len <= size - from)
				memmove(data + at, data + from, len);
		}
	}
	return size;
}

int main(int argc, char **argv)
{
	long runs = 0;
	uint64_t state = 1;
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "-runs=", 6) == 0) {
			runs = strtol(argv[i] + 6, NULL, 10);
			continue;
		}
		size_t size = 0;
		uint8_t *data = read_file(argv[i], &size);
		if (data == NULL) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 1;
		}
		give(data, size);
		uint8_t *copy = malloc(size > 0 ? size : 1);
		for (long r = 0; copy != NULL && r < runs; r++) {
			memcpy(copy, data, size);
			give(copy, mutate(copy, size, &state));
		}
		free(copy);
		free(data);
	}
	return 0;
}
