/* The list of rule sets: one a topic file. A set is tried in this order for each op. */
#include "rewrite/rules.h"

#include <string.h>

static const RuleSet *const SETS[] = {
	&RULES_ALGEBRA, &RULES_CAST, &RULES_RESHAPE, &RULES_TRANSPOSE, &RULES_SLICE, &RULES_SHAPE, &RULES_CONTROL,
	&RULES_NORM, &RULES_CONV, &RULES_MATMUL, &RULES_FUSE, &RULES_STABLEHLO, &RULES_DECOMPOSE,
	&RULES_BACKEND,
};

size_t rule_set_count(void)
{
	return ARRAY_LEN(SETS);
}

const RuleSet *rule_set_at(size_t i)
{
	return SETS[i];
}

const Rule *rule_find(const char *name)
{
	for (size_t s = 0; s < ARRAY_LEN(SETS); s++)
		for (size_t i = 0; i < SETS[s]->n; i++)
			if (!strcmp(SETS[s]->rules[i].name, name))
				return &SETS[s]->rules[i];
	return NULL;
}
