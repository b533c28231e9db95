/* Bindings of sizes as users write them. */
#include "shape/shape.h"

#include <string.h>

static bool bad_value(Context *c, const char *option, const char *value, const char *want)
{
	return diag_error(&c->diags, HONE_USAGE, NULL, "--%s %s: expected %s", option,
			quote(c->diags.arena, value, strlen(value)), want);
}

bool shape_parse_dim(Context *c, Arena *a, const char *s, ShapeBinding *b)
{
	const char *eq = strrchr(s, '=');
	int64_t v;
	if (!eq || eq == s || !parse_int64(eq + 1, strlen(eq + 1), &v) || v < 0)
		return bad_value(c, "dim", s, "NAME=SIZE with a size of 0 or more");
	const Sym **dim = NEW(a, const Sym *);
	*dim = sym_int(c, v);
	*b = (ShapeBinding){ .symbol = str_n(c, s, (size_t)(eq - s)), .dims = dim };
	return true;
}

bool shape_parse_shape(Context *c, Arena *a, const char *s, ShapeBinding *b)
{
	const char *eq = strrchr(s, '=');
	VEC(const Sym *) dims = { 0 };
	if (!eq || eq == s)
		return bad_value(c, "shape", s, "INPUT=D,D,... such as x=1,3,224,224");
	for (const char *p = eq + 1; *p;) {
		size_t len = strcspn(p, ",");
		int64_t v;
		if (!len || dims.len >= MAX_RANK)
			return bad_value(c, "shape", s, "INPUT=D,D,... with at most 32 sizes");
		if (parse_int64(p, len, &v)) {
			if (v < 0)
				return bad_value(c, "shape", s, "sizes of 0 or more");
			VEC_PUSH(a, &dims, sym_int(c, v));
		} else {
			size_t used = 0;
			const Sym *sym = sym_parse(c, p, len, &used);
			if (!sym || used != len)
				return bad_value(c, "shape", s, "numbers or names of sizes");
			VEC_PUSH(a, &dims, sym);
		}
		p += len + (p[len] == ',');
	}
	*b = (ShapeBinding){ .input = str_n(c, s, (size_t)(eq - s)), .rank = (int)dims.len, .dims = dims.data };
	return true;
}
