#include "mlir.h"

#include <string.h>

/* What later passes take for granted about an op of the tables. Types are not checked here: inference does. */

static const char *op_name(const Op *op)
{
	return op->def->name->s;
}

static bool check_counts(Parser *p, const Op *op, const Token *at)
{
	const OpDef *d = op->def;
	if (op->noperands < d->min_operands || (d->max_operands != UINT16_MAX && op->noperands > d->max_operands))
		return parse_error(p, at, "%s has %u operands, expected %s%u", op_name(op), op->noperands,
			op->noperands < d->min_operands ? d->min_operands == d->max_operands ? "" : "at least " : "at most ",
			op->noperands < d->min_operands ? d->min_operands : d->max_operands);
	if (op->nresults < d->min_results || (d->max_results != UINT16_MAX && op->nresults > d->max_results))
		return parse_error(p, at, "%s has %u results, expected %s%u", op_name(op), op->nresults,
			op->nresults < d->min_results ? d->min_results == d->max_results ? "" : "at least " : "at most ",
			op->nresults < d->min_results ? d->min_results : d->max_results);
	return true;
}

/* A row's operand text is a list of names: "b?" may be absent, "xs*" takes the rest. */
static bool check_absent(Parser *p, const Op *op, const Token *at)
{
	const char *t = op->def->operands;
	for (size_t i = 0; i < op->noperands; i++) {
		size_t len = strcspn(t, " ");
		char mark = len ? t[len - 1] : '*';
		if (!op->operands[i].value && mark != '?')
			return parse_error(p, at, "operand %zu of %s may not be absent", i, op_name(op));
		if (mark != '*' && t[len])
			t += len + 1;
	}
	return true;
}

static const char *kind_name(AttrKind k)
{
	static const char *const names[] = {
		[ATTR_INT] = "an integer", [ATTR_FLOAT] = "a float", [ATTR_STR] = "a string", [ATTR_BOOL] = "true or false",
		[ATTR_INTS] = "integers", [ATTR_FLOATS] = "floats", [ATTR_STRS] = "strings", [ATTR_TENSOR] = "a tensor",
		[ATTR_TYPE] = "a type", [ATTR_LIST] = "a list", [ATTR_DICT] = "a dictionary", [ATTR_SYMREF] = "a symbol",
		[ATTR_UNIT] = "no value", [ATTR_TEXT] = "a dialect attribute", [ATTR_WIRE] = "#hone.wire<...>",
	};
	return names[k];
}

static bool kind_fits(AttrKind have, AttrKind want)
{
	if (have == want)
		return true;
	return (want == ATTR_INT && have == ATTR_BOOL) || (want == ATTR_BOOL && have == ATTR_INT) ||
		(want == ATTR_FLOAT && have == ATTR_INT);
}

static void warn_unknown_attr(Parser *p, const Op *op, const Str *name, const Token *at)
{
	const char *names[64];
	size_t n = 0;
	Loc loc = token_loc(p, at);
	diag_warn(p->d, &loc, "%s has no attribute %s", op_name(op), quote(p->scratch, name->s, name->len));
	for (size_t i = 0; i < op->def->nattrs && n < ARRAY_LEN(names); i++)
		names[n++] = p->c->attr_names[op->def->attrs[i].name]->s;
	const char *near = n ? nearest_name(name->s, names, n) : NULL;
	if (near)
		diag_hint(p->d, "did you mean %s?", near);
}

/* Attributes of dialect ops are as free as their formats. */
static bool check_attrs(Parser *p, const Op *op, const Token *at)
{
	const OpDef *d = op->def;
	if (!op_is_core(op))
		return true;
	for (size_t i = 0; i < d->nattrs; i++) {
		const AttrDef *want = &d->attrs[i];
		const Attr *a = op_attr(op, want->name);
		if (!a && !want->optional && !want->fallback)
			return parse_error(p, at, "%s lacks attribute %s (%s)", op_name(op), p->c->attr_names[want->name]->s,
				kind_name(want->kind));
		if (a && !kind_fits(a->kind, want->kind))
			return parse_error(p, at, "attribute %s of %s is %s, expected %s", p->c->attr_names[want->name]->s, op_name(op),
				kind_name(a->kind), kind_name(want->kind));
	}
	for (size_t i = 0; i < op->nattrs; i++)
		if (!op->attrs[i].name->known || !op_attr_def(d, (AttrName)op->attrs[i].name->known))
			warn_unknown_attr(p, op, op->attrs[i].name, at);
	return true;
}

static bool check_block(Parser *p, const Op *op, size_t i, size_t args, size_t gives, const Token *at)
{
	const Block *b = op->blocks[i];
	if (b->nargs == args && b->last->noperands == gives)
		return true;
	return parse_error(p, at, "region %zu of %s has %u arguments and gives %u values, expected %zu and %zu", i, op_name(op),
		b->nargs, b->last->noperands, args, gives);
}

static bool check_block_count(Parser *p, const Op *op, size_t want, const Token *at)
{
	return op->nblocks == want ||
		parse_error(p, at, "%s has %u regions, expected %zu", op_name(op), op->nblocks, want);
}

/* Control flow has a fixed number of regions whose arguments and results match the op's. */
static bool check_blocks(Parser *p, const Op *op, const Token *at)
{
	size_t in = op->noperands, out = op->nresults;
	switch (op_kind(op)) {
	case OP_UNKNOWN:
		return true;
	case OP_if:
	case ONNX_If:
		return check_block_count(p, op, 2, at) && check_block(p, op, 0, 0, out, at) && check_block(p, op, 1, 0, out, at);
	case OP_loop:
	case ONNX_Loop:
		return check_block_count(p, op, 1, at) && check_block(p, op, 0, in < 2 ? 2 : in, out + 1, at);
	case OP_while:
		return check_block_count(p, op, 2, at) && check_block(p, op, 0, in, 1, at) && check_block(p, op, 1, in, in, at);
	case ONNX_Scan: /* its first version has one more operand */
		return check_block_count(p, op, 1, at) &&
			check_block(p, op, 0, op->blocks[0]->nargs + 1u == in ? in - 1 : in, out, at);
	case OP_scan:
	case ONNX_SequenceMap:
		return check_block_count(p, op, 1, at) && check_block(p, op, 0, in, out, at);
	default:
		return !op_is_core(op) || check_block_count(p, op, 0, at);
	}
}

bool op_check(Parser *p, const Op *op, const Token *at)
{
	if (!check_counts(p, op, at))
		return false;
	return op->def->kind == OP_UNKNOWN ||
		(check_absent(p, op, at) && check_attrs(p, op, at) && check_blocks(p, op, at));
}
