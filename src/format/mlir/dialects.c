#include "shlo.h"

#include <string.h>

/* Dialects whose own syntax is read, by the beginnings of their names. */
static const DialectSyntax TORCH[] = {
	{ "torch.", parse_torch_op }, { "torch_c.", parse_torch_op }, { "util.global.load", parse_torch_op },
	{ "flow.tensor.constant", parse_torch_op }, { "call", parse_torch_op }, { "func.call", parse_torch_op },
};

static const DialectSyntax ALWAYS[] = {
	{ "check.expect_serialized_eq", parse_foreign_op },
	{ "stablehlo.", shlo_parse_op }, { "chlo.", shlo_parse_op }, { "check.", shlo_parse_op },
	{ "call", shlo_parse_call }, { "func.call", shlo_parse_call },
	{ "arith.", parse_foreign_op }, { "interpreter.", parse_foreign_op }, { "sdy.", parse_foreign_op },
	{ "scf.", parse_foreign_op }, { "shape.", parse_foreign_op }, { "tensor.", parse_foreign_op },
};

static const DialectSyntax *find(const DialectSyntax *rows, size_t n, const Token *name)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(rows[i].prefix);
		bool whole = rows[i].prefix[len - 1] != '.';
		if (name->len >= len && !memcmp(name->s, rows[i].prefix, len) && (!whole || name->len == len))
			return &rows[i];
	}
	return NULL;
}

const DialectSyntax *dialect_syntax(const Parser *p, const Token *name)
{
	const DialectSyntax *torch = p->torch ? find(TORCH, ARRAY_LEN(TORCH), name) : NULL;
	return torch ? torch : find(ALWAYS, ARRAY_LEN(ALWAYS), name);
}
