#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "domain_case.h"

static void copy_text(char *dst, size_t cap, const char *s, size_t n)
{
	assert_true(n < cap);
	memcpy(dst, s, n);
	dst[n] = 0;
}

void case_operand(const char *s, size_t len, OperandSpec *o)
{
	memset(o, 0, sizeof *o);
	if (len == 4 && !memcmp(s, "none", 4)) {
		o->none = true;
		return;
	}
	if (len > 4 && s[3] == ':') {
		copy_text(o->wrap, sizeof o->wrap, s, 3);
		s += 4, len -= 4;
	}
	const char *open = memchr(s, '[', len), *close = memchr(s, ']', len);
	assert_true(open && close);
	copy_text(o->dtype, sizeof o->dtype, s, (size_t)(open - s));
	for (const char *p = open + 1; p < close;) {
		size_t n = strcspn(p, ",]");
		copy_text(o->dims[o->rank++], sizeof o->dims[0], p, n);
		p += n + 1;
	}
	const char *end = s + len;
	o->given = close + 1 < end;
	for (const char *p = close + 2; p < end;) {
		size_t n = strcspn(p, ", ");
		copy_text(o->values[o->nvalues++], sizeof o->values[0], p, n);
		p += n + 1;
	}
}

static size_t parse_operands(const char *s, OperandSpec *out)
{
	size_t n = 0;
	while (*s) {
		size_t len = strcspn(s, " ");
		assert_true(n < MAX_OPERANDS_HERE);
		case_operand(s, len, &out[n++]);
		s += len + strspn(s + len, " ");
	}
	return n;
}

/* "a = 1, b = [1, 2]": commas inside brackets belong to a value. */
static size_t parse_attrs(const char *s, AttrSpec *out)
{
	size_t n = 0;
	while (*s) {
		const char *eq = strstr(s, " = ");
		assert_true(eq && n < MAX_ATTRS);
		copy_text(out[n].name, sizeof out[n].name, s, (size_t)(eq - s));
		const char *p = eq + 3;
		bool quoted = false;
		for (int depth = 0; *p && (depth || quoted || *p != ','); p++) {
			if (*p == '"')
				quoted = !quoted;
			depth += !quoted && (*p == '[' || (*p == '<' && p[-1] != '=')) ? 1 : 0;
			depth -= !quoted && (*p == ']' || (*p == '>' && p[-1] != '-')) ? 1 : 0;
		}
		copy_text(out[n].value, sizeof out[n].value, eq + 3, (size_t)(p - eq - 3));
		n++;
		s = p + strspn(p, ", ");
	}
	return n;
}

void case_of_row(const OpDef *d, const OpRow *row, Case *c)
{
	memset(c, 0, sizeof *c);
	c->def = d;
	c->opset = d->kind < SHLO_abs ? 24 : 0;
	c->typed = d->kind >= SHLO_abs;
	if (row) {
		c->must_run = row->op[0] != '!';
		c->nin = parse_operands(row->operands, c->in);
		c->nattrs = parse_attrs(row->attrs, c->attrs);
		c->regions = row->regions;
	} else {
		size_t most = d->max_operands == UINT16_MAX ? (d->min_operands > 2 ? d->min_operands : 2) : d->max_operands;
		for (size_t i = 0; i < most && i < MAX_OPERANDS_HERE; i++, c->nin++)
			case_operand("f32[2,3,4]", 10, &c->in[i]);
	}
	if (row && row->results && strchr(row->results, '[')) {
		c->nout = parse_operands(row->results, c->out);
	} else {
		c->nout = row && row->results ? (size_t)atoi(row->results) : d->max_results == UINT16_MAX ? 1 : d->max_results;
		for (size_t i = 0; i < c->nout && i < MAX_OPERANDS_HERE; i++)
			case_operand("f32[2,3,4]", 10, &c->out[i]);
		if (c->nin && !c->in[0].none)
			for (size_t i = 0; i < c->nout && i < MAX_OPERANDS_HERE; i++)
				c->out[i] = c->in[0];
	}
}

/* ---- text of a case ---- */

static void put_type(Buf *b, const OperandSpec *o)
{
	if (o->wrap[0])
		buf_printf(b, "!%s<", o->wrap);
	buf_puts(b, "tensor<");
	if (o->rank < 0)
		buf_puts(b, "*x");
	for (int i = 0; i < o->rank; i++)
		buf_printf(b, "%sx", o->dims[i]);
	buf_printf(b, "%s>%s", o->dtype, o->wrap[0] ? ">" : "");
}

const char *case_number(const OperandSpec *o, int i)
{
	static const char *const floats[] = { "0.5", "1.0", "-1.0", "2.0" }, *const ints[] = { "1", "0", "1", "1" };
	static const char *const bools[] = { "true", "false" }, *const strings[] = { "\"abc\"", "\"b\"" };
	static const char *const complexes[] = { "(0.5,1.0)", "(2.0,-1.0)" };
	if (strstr(o->dtype, "str"))
		return strings[i % 2];
	if (!strncmp(o->dtype, "complex", 7))
		return complexes[i % 2];
	if (!strcmp(o->dtype, "i1"))
		return bools[i % 2];
	if (strchr(o->dtype, 'f') || strchr(o->dtype, 'F'))
		return !strncmp(o->dtype, "f8E8M0", 6) ? "1.0" : floats[i % 4];
	return ints[i % 4];
}

int64_t case_count(const OperandSpec *o)
{
	int64_t n = 1;
	for (int i = 0; i < o->rank; i++)
		if (__builtin_mul_overflow(n, atoll(o->dims[i]), &n))
			return -1;
	return o->rank < 0 ? -1 : n;
}

/* Elements in nested brackets; a splat where there are many. */
static void put_elements(Buf *b, const OperandSpec *o, int axis, int *next)
{
	if (axis == o->rank) {
		const char *v = o->given && *next < o->nvalues ? o->values[*next] : case_number(o, *next);
		bool point = (strchr(o->dtype, 'f') || strchr(o->dtype, 'F')) && o->given && !strpbrk(v, ".xe");
		if (o->given && !strcmp(o->dtype, "i1"))
			v = strcmp(v, "0") ? "true" : "false";
		buf_printf(b, "%s%s", v, point ? ".0" : "");
		++*next;
		return;
	}
	buf_puts(b, "[");
	for (int64_t i = 0, n = atoll(o->dims[axis]); i < n; i++) {
		buf_puts(b, i ? ", " : "");
		put_elements(b, o, axis + 1, next);
	}
	buf_puts(b, "]");
}

bool case_may_be_constant(const OperandSpec *o)
{
	for (int i = 0; i < o->rank; i++)
		if (o->dims[i][0] == '?')
			return false;
	return !o->none && !o->wrap[0] && o->rank >= 0;
}

static void put_constant(Buf *b, const OperandSpec *o, size_t i)
{
	int64_t n = case_count(o);
	int next = 0;
	buf_printf(b, "%%a%zu = core.constant() {value = dense<", i);
	if (n > 0 && n <= 1024)
		put_elements(b, o, 0, &next);
	else if (n)
		buf_puts(b, o->given && o->nvalues ? o->values[0] : case_number(o, 0));
	buf_puts(b, "> : ");
	put_type(b, o);
	buf_puts(b, "} : () -> ");
	put_type(b, o);
	buf_puts(b, "\n");
}

static void put_results(Buf *b, const Case *c)
{
	buf_puts(b, "(");
	for (size_t i = 0; i < c->nout; i++) {
		buf_puts(b, i ? ", " : "");
		if (c->typed && i < MAX_OPERANDS_HERE)
			put_type(b, &c->out[i]);
		else
			buf_puts(b, "!unknown");
	}
	buf_puts(b, ")");
}

static void put_list(Buf *b, const char *prefix, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%%%s%zu", i ? ", " : "", prefix, i);
}

void case_print(const Case *c, Buf *b)
{
	bool first = true;
	buf_puts(b, "module attributes {");
	if (c->opset)
		buf_printf(b, "ir_version = 10, opset_imports = {\"\" = %d, ai.onnx.ml = 4, com.microsoft = 1, "
			"ai.onnx.preview.training = 1}, hone.format = \"onnx\"", c->opset);
	buf_puts(b, "} {\nfunc.func @main(");
	for (size_t i = 0; i < c->nin; i++) {
		if (c->in[i].none || (c->constant && case_may_be_constant(&c->in[i])))
			continue;
		buf_printf(b, "%s%%a%zu: ", first ? "" : ", ", i);
		put_type(b, &c->in[i]);
		first = false;
	}
	buf_puts(b, ") -> ");
	put_results(b, c);
	buf_puts(b, " {\n");
	for (size_t i = 0; i < c->nin; i++)
		if (c->constant && case_may_be_constant(&c->in[i]))
			put_constant(b, &c->in[i], i);
	put_list(b, "r", c->nout);
	buf_printf(b, "%s\"%s\"(", c->nout ? " = " : "", c->def->name->s);
	for (size_t i = 0; i < c->nin; i++)
		if (c->in[i].none)
			buf_printf(b, "%s_", i ? ", " : "");
		else
			buf_printf(b, "%s%%a%zu", i ? ", " : "", i);
	buf_printf(b, ") %s{hone.node = \"" NODE "\"", c->regions ? c->regions : "");
	for (size_t i = 0; i < c->nattrs; i++)
		buf_printf(b, ", %s = %s", c->attrs[i].name, c->attrs[i].value);
	buf_puts(b, "} : (");
	for (size_t i = 0; i < c->nin; i++) {
		buf_puts(b, i ? ", " : "");
		if (c->in[i].none)
			buf_puts(b, "none");
		else
			put_type(b, &c->in[i]);
	}
	buf_puts(b, ") -> ");
	put_results(b, c);
	buf_printf(b, "\nfunc.return%s", c->nout ? " " : "");
	put_list(b, "r", c->nout);
	for (size_t i = 0; i < c->nout; i++) {
		buf_puts(b, i ? ", " : " : ");
		if (c->typed && i < MAX_OPERANDS_HERE)
			put_type(b, &c->out[i]);
		else
			buf_puts(b, "!unknown");
	}
	buf_puts(b, "\n}\n}\n");
	buf_put(b, "", 1);
}
