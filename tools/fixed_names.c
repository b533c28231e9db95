/* Writes the source of the strings that every context knows: names of attributes, of the ops of the tables, and what printers
 * call the arguments of functions, with a hash table of them. A context then begins with them at no cost. Run by the build; takes no arguments. */
#include "ops/ops.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS = 4096, MOST = SLOTS / 2, ARGUMENTS = 256 };

typedef struct Name {
	const char *text;
	uint32_t hash;
	unsigned known, op;
} Name;

static const char *const attr_texts[A_COUNT] = {
	[A_NONE] = "",
#define ATTR_NAME(id, text) [A_##id] = text,
#include "ir/attrs.def"
#undef ATTR_NAME
};

static const char *const op_texts[OP_KIND_COUNT] = {
#define CORE(id, ...) [OP_##id] = "core." #id,
#include "ops/core.def"
#undef CORE
#define ONNX(id, ...) [ONNX_##id] = "onnx." #id,
#include "ops/onnx.def"
#undef ONNX
#define OWN(id, name, ...) [OWN_##id] = "onnx." name,
#include "ops/own.def"
#undef OWN
#define SHLO(id, ...) [SHLO_##id] = "stablehlo." #id,
#define CHLO(id, ...) [CHLO_##id] = "chlo." #id,
#define CHK(id, ...) [CHK_##id] = "check." #id,
#include "ops/stablehlo.def"
#undef SHLO
#undef CHLO
#undef CHK
};

/* The number of the name; a new one goes to the end and into its slot. */
static size_t place(Name *names, size_t *n, uint16_t *slots, const char *text)
{
	uint32_t hash = (uint32_t)hash_bytes(text, strlen(text), 0); /* as str_intern has it */
	size_t at = hash % SLOTS;
	for (; slots[at]; at = (at + 1) % SLOTS)
		if (!strcmp(names[slots[at] - 1].text, text))
			return slots[at] - 1u;
	if (*n == MOST)
		return MOST;
	names[*n] = (Name){ text, hash, 0, 0 };
	slots[at] = (uint16_t)(*n + 1);
	return (*n)++;
}

static void print_names(const Name *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("__extension__ static const Str s%zu = { %zu, 0x%08xu, %u, %u, \"%s\" };\n", i, strlen(names[i].text),
			(unsigned)names[i].hash, names[i].known, names[i].op, names[i].text);
	printf("static Str *const strs[] = {\n");
	for (size_t i = 0; i < n; i++)
		printf("\t(Str *)&s%zu,\n", i);
	printf("};\n");
}

int main(void)
{
	static Name names[MOST + 1];
	static uint16_t slots[SLOTS];
	static size_t attrs[A_COUNT];
	size_t n = 0;
	for (unsigned i = 0; i < A_COUNT; i++) {
		attrs[i] = place(names, &n, slots, attr_texts[i]);
		names[attrs[i]].known = i;
	}
	for (unsigned k = 0; k < OP_KIND_COUNT; k++)
		if (op_texts[k])
			names[place(names, &n, slots, op_texts[k])].op = k;
	size_t first_arg = n; /* of names that nothing above has: they follow each other */
	for (int i = 0; i < ARGUMENTS; i++) {
		static char texts[ARGUMENTS][8];
		snprintf(texts[i], sizeof texts[i], "arg%d", i);
		place(names, &n, slots, texts[i]);
	}
	if (n == MOST || n != first_arg + ARGUMENTS) {
		fprintf(stderr, "fixed_names: more names than half of the slots (make SLOTS larger), or one of argI's is there twice\n");
		return 1;
	}
	printf("/* Made by tools/fixed_names.c. */\n#include \"ir/intern.h\"\n\n");
	print_names(names, n);
	printf("static const uint16_t slots[] = {\n");
	for (size_t i = 0; i < SLOTS; i++)
		printf("%u,%s", slots[i], i % 16 == 15 ? "\n" : "");
	printf("};\nconst FixedStrs fixed_names = { slots, %d, strs };\nStr *const fixed_attr_names[] = {\n", SLOTS);
	for (size_t i = 0; i < A_COUNT; i++)
		printf("\t(Str *)&s%zu,\n", attrs[i]);
	printf("};\nStr *const *const fixed_arg_names = &strs[%zu];\nconst size_t fixed_args = %d;\n", first_arg, ARGUMENTS);
	return 0;
}
