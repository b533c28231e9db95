/* Text for sizes that only the run tells: it is written for each of them, from the largest on, so that it is known to be right for
 * all; texts alike but for numbers that grow with the size become one, with expressions in the places of these numbers. */
#include "plan/csource_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FORMS = 16, MOST_NESTED = 16 };
#define CALLS '\001' /* between functions and calls */

/* A number of a text; its value for size i is value + (i - first) * step. */
typedef struct Number {
	size_t at, len;
	int64_t value, step;
	bool room;              /* of an array: the largest counts */
} Number;

typedef struct Range {
	int64_t low, high;
} Range;

typedef struct Form {
	Buf text;
	VEC(Number) numbers;
	int64_t first;          /* size that the text was written for */
	bool fitted;            /* steps are known: a second size told them */
	VEC(Range) ranges;      /* sizes that it is for, largest first */
} Form;

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == *CS_NAME;
}

/* The length of the word, literal or other character at s; *number: it is a whole decimal number. */
static size_t token(const char *s, const char *end, bool *number)
{
	size_t n = 0, left = (size_t)(end - s);
	bool digits = isdigit((unsigned char)*s) != 0;
	*number = digits;
	if (!in_name(*s))
		return 1;
	for (; n < left && (in_name(s[n]) || (digits && (s[n] == '.' || ((s[n] == '-' || s[n] == '+') && strchr("eE", s[n - 1]))))); n++)
		*number &= isdigit((unsigned char)s[n]) != 0;
	*number &= n < 18;
	return n;
}

static void find_numbers(CSource *c, Form *f)
{
	const char *s = f->text.data, *end = s + f->text.len;
	for (size_t n; s < end; s += n) {
		bool number;
		n = token(s, end, &number);
		if (number)
			VEC_PUSH(c->arena, &f->numbers, ((Number){ .at = (size_t)(s - f->text.data), .len = n, .value = strtoll(s, NULL, 10),
				.room = s > f->text.data && s[-1] == *CS_ROOM }));
	}
}

/* Whether the text, for size i, is the form's; a second text tells the steps of its numbers. */
static bool fits(Form *f, const Buf *text, int64_t i, int64_t *values)
{
	const char *a = f->text.data, *b = text->data, *a_end = a + f->text.len, *b_end = b + text->len;
	size_t k = 0;
	while (a < a_end && b < b_end) {
		bool number, other;
		size_t n = token(a, a_end, &number), m = token(b, b_end, &other);
		if (number != other || (!number && (n != m || memcmp(a, b, n) != 0)))
			return false;
		if (number) {
			const Number *x = &f->numbers.data[k];
			int64_t v = values[k++] = strtoll(b, NULL, 10), gap = v - x->value, away = i - f->first;
			if (f->fitted ? gap != away * x->step : gap % away != 0)
				return false;
		}
		a += n;
		b += m;
	}
	if (a != a_end || b != b_end)
		return false;
	for (k = 0; !f->fitted && k < f->numbers.len; k++)
		f->numbers.data[k].step = (values[k] - f->numbers.data[k].value) / (i - f->first);
	f->fitted = true;
	return true;
}

static void add_size(CSource *c, Form *f, int64_t i)
{
	if (f->ranges.len && f->ranges.data[f->ranges.len - 1].low == i + 1)
		f->ranges.data[f->ranges.len - 1].low = i;
	else
		VEC_PUSH(c->arena, &f->ranges, ((Range){ i, i }));
}

typedef VEC(Form) FormList;

/* The text goes to a form that it fits, or becomes one. */
static bool add_text(CSource *c, FormList *forms, Buf *text, int64_t i)
{
	int64_t *values = mem_alloc((text->len + 1) * sizeof(*values));
	size_t k = 0;
	while (k < forms->len && !(forms->data[k].numbers.len <= text->len && fits(&forms->data[k], text, i, values)))
		k++;
	mem_free(values);
	if (k == forms->len) {
		if (k == MOST_FORMS)
			return diag_error(c->diags, HONE_LIMIT, NULL, "what follows %s has more than %d forms, one for each of some sizes that data tells",
				c->plan->boundary ? c->plan->boundary->def->name->s : "a step", MOST_FORMS);
		VEC_PUSH(c->arena, forms, ((Form){ .text = *text, .first = i }));
		*text = (Buf){ 0 };
		find_numbers(c, &forms->data[k]);
	}
	add_size(c, &forms->data[k], i);
	return true;
}

/* ---- the forms as text ---- */

static void put_number(Buf *out, const Form *f, const Number *n, const char *variable)
{
	int64_t low = f->ranges.data[f->ranges.len - 1].low, high = f->ranges.data[0].high;
	long long constant = (long long)(n->value - f->first * n->step), step = (long long)n->step;
	if (n->step == 0 || n->room)
		buf_printf(out, "%lld", (long long)(n->value + ((n->step > 0 ? high : low) - f->first) * n->step));
	else if (step == 1 && constant == 0)
		buf_puts(out, variable);
	else if (step == 1)
		buf_printf(out, "(%s %c %lld)", variable, constant < 0 ? '-' : '+', llabs(constant));
	else if (constant == 0)
		buf_printf(out, "(%s * %lld)", variable, step);
	else
		buf_printf(out, "(%s * %lld %c %lld)", variable, step, constant < 0 ? '-' : '+', llabs(constant));
}

/* Characters [from, to) of the form; names that are its own get a letter more. */
static void put_part(Buf *out, const Form *f, size_t from, size_t to, const char *variable, char letter, char level)
{
	size_t k = 0;
	while (k < f->numbers.len && f->numbers.data[k].at < from)
		k++;
	while (from < to) {
		if (k < f->numbers.len && f->numbers.data[k].at == from) {
			put_number(out, f, &f->numbers.data[k], variable);
			from += f->numbers.data[k++].len;
			continue;
		}
		bool own = f->text.data[from] == *CS_NAME && f->text.data[from + 1] >= level;
		buf_put(out, f->text.data + from, own ? 2 : 1);
		from += own ? 2 : 1;
		if (own)
			buf_put(out, &letter, 1);
	}
}

static void put_condition(Buf *out, const Form *f, const char *variable)
{
	for (size_t i = 0; i < f->ranges.len; i++) {
		const Range *r = &f->ranges.data[i];
		buf_puts(out, i ? " || " : "");
		if (r->low == r->high)
			buf_printf(out, "%s == %lld", variable, (long long)r->low);
		else
			buf_printf(out, f->ranges.len > 1 ? "(%s >= %lld && %s <= %lld)" : "%s >= %lld && %s <= %lld", variable, (long long)r->low,
				variable, (long long)r->high);
	}
}

static void put_forms(CSource *c, const FormList *forms, const char *variable)
{
	for (size_t k = 0; k < forms->len; k++) {
		const Form *f = &forms->data[k];
		size_t calls = (size_t)((char *)memchr(f->text.data, CALLS, f->text.len) - f->text.data);
		char letter = (char)('a' + k), level = (char)('A' + c->variants + 1);
		put_part(&c->functions, f, 0, calls, variable, letter, level);
		buf_puts(&c->calls, k ? "\t} else if (" : "\tif (");
		put_condition(&c->calls, f, variable);
		buf_puts(&c->calls, ") {\n");
		put_part(&c->calls, f, calls + 1, f->text.len, variable, letter, level);
	}
	buf_puts(&c->calls, "\t}\n");
}

/* ---- what may be left out ---- */

bool cs_attempt(CSource *c, bool (*emit)(CSource *c, void *arg, int64_t i), void *arg, int64_t i, const char *what)
{
	CSource before = *c;
	size_t errors = c->diags->list.len;
	HoneStatus status = c->diags->status;
	if (emit(c, arg, i))
		return true;
	if (c->too_many || c->diags->list.len == errors)
		return false;
	c->functions.len = before.functions.len;
	c->calls.len = before.calls.len;
	c->data.len = before.data.len;
	c->numbers.len = before.numbers.len;
	c->inline_bytes = before.inline_bytes;
	c->has_grid = before.has_grid;
	c->failed = false;
	c->has_missing = true;
	Diag *d = &c->diags->list.data[errors];
	d->severity = SEV_WARNING;
	d->status = HONE_OK;
	d->message = arena_printf(c->diags->arena, "%s is left out: %s", what, d->message);
	c->diags->list.len = errors + 1;
	c->diags->status = status;
	buf_puts(&c->calls, "\tmissing = 1;\n");
	return true;
}

bool cs_variants(CSource *c, int64_t n, const char *variable, bool (*emit)(CSource *c, void *arg, int64_t i), void *arg)
{
	if (n == 1)
		return emit(c, arg, 0);
	Buf functions = c->functions, calls = c->calls;
	size_t serial = c->serial, most = serial, layout = c->layout_at, after = layout;
	FormList forms = { 0 };
	bool ok = true;
	if (++c->variants > MOST_NESTED)
		return diag_error(c->diags, HONE_LIMIT, NULL, "sizes depend on data more than %d times, one after the other", MOST_NESTED);
	for (int64_t i = n - 1; ok && i >= 0; i--) {
		c->functions = c->calls = (Buf){ 0 };
		c->serial = serial;
		c->layout_at = layout;
		/* The largest must be; others may be sizes that the model itself does not allow. */
		ok = i == n - 1 ? emit(c, arg, i) : cs_attempt(c, emit, arg, i, "what follows one of the sizes that data tells");
		most = c->serial > most ? c->serial : most;
		after = i == n - 1 ? c->layout_at : after;
		buf_put(&c->functions, &(char){ CALLS }, 1);
		buf_put(&c->functions, c->calls.data ? c->calls.data : "", c->calls.len);
		buf_free(&c->calls);
		ok = ok && add_text(c, &forms, &c->functions, i);
		buf_free(&c->functions);
	}
	c->variants--;
	c->functions = functions;
	c->calls = calls;
	c->serial = most;
	c->layout_at = after;
	if (ok)
		put_forms(c, &forms, variable);
	for (size_t k = 0; k < forms.len; k++)
		buf_free(&forms.data[k].text);
	return ok;
}
