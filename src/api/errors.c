/* Errors and options of the public interface. */
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hone_error {
	hone_status status;
	char *message, *where, *hint;
	hone_error *next;
};

static char *copy(const char *s)
{
	size_t n = s ? strlen(s) + 1 : 0;
	char *c = s ? malloc(n) : NULL;
	return c ? memcpy(c, s, n) : NULL;
}

static hone_error *error_new(hone_status s, const char *message, const char *where, const char *hint)
{
	hone_error *e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->status = s;
	e->message = copy(message);
	e->where = copy(where);
	e->hint = copy(hint);
	return e;
}

hone_status hone_error_status(const hone_error *e)
{
	return e ? e->status : HONE_STATUS_OK;
}

const char *hone_error_message(const hone_error *e)
{
	return e && e->message ? e->message : "";
}

const char *hone_error_where(const hone_error *e)
{
	return e ? e->where : NULL;
}

const char *hone_error_hint(const hone_error *e)
{
	return e ? e->hint : NULL;
}

const hone_error *hone_error_next(const hone_error *e)
{
	return e ? e->next : NULL;
}

void hone_error_free(hone_error *e)
{
	while (e) {
		hone_error *next = e->next;
		free(e->message);
		free(e->where);
		free(e->hint);
		free(e);
		e = next;
	}
}

hone_status fail(hone_status s, hone_error **error, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (error)
		*error = error_new(s, text, NULL, NULL);
	return s;
}

static void where_of(const Loc *l, char *text, size_t size)
{
	size_t n = 0;
	text[0] = 0;
	if (l->file)
		n = (size_t)snprintf(text, size, "%s", l->file);
	if (l->line && n < size)
		n += (size_t)snprintf(text + n, size - n, ":%u:%u", l->line, l->col);
	else if (l->offset >= 0 && l->file && n < size)
		n += (size_t)snprintf(text + n, size - n, ": byte %lld", (long long)l->offset);
	if (l->what && n < size)
		snprintf(text + n, size - n, "%s%s", n ? ": " : "", l->what);
}

/* Errors in the order they were found; without one, the status alone must do. */
hone_status take_errors(Diags *d, hone_status s, const hone_options *o, hone_error **error)
{
	hone_error *first = NULL, **last = &first;
	for (size_t i = 0; i < d->list.len; i++) {
		const Diag *g = &d->list.data[i];
		char where[512];
		where_of(&g->loc, where, sizeof(where));
		if (g->severity != SEV_ERROR) {
			Buf line = { 0 };
			buf_printf(&line, "%s%s%s", where, *where ? ": " : "", g->message);
			if (o && o->log)
				o->log(o->log_user, line.data);
			buf_free(&line);
			continue;
		}
		if (error && (*last = error_new((hone_status)g->status, g->message, *where ? where : NULL, g->hint)))
			last = &(*last)->next;
	}
	if (d->status != HONE_OK)
		s = (hone_status)d->status;
	d->list.len = 0;
	d->status = HONE_OK;
	if (s == HONE_STATUS_OK) {
		hone_error_free(first);
		return s;
	}
	if (error)
		*error = first ? first : error_new(s, "failed without a message", NULL, NULL);
	return s;
}

/* ---- options ---- */

typedef enum ValueKind { VALUE_TEXT, VALUE_SWITCH, VALUE_NUMBER } ValueKind;
typedef struct OptionDef {
	const char *name, *help;
	ValueKind kind;
} OptionDef;

static const OptionDef OPTIONS[] = {
	{ "threads", "processors to use; 0: all", VALUE_NUMBER },
	{ "level", "1 exact rewrites only, 2 (default) also rounding, 3 also costlier searches", VALUE_NUMBER },
	{ "passes", "pipeline to run instead of the default", VALUE_TEXT },
	{ "disable", "rules or topics to leave out, separated by commas", VALUE_TEXT },
	{ "only", "no rules but these", VALUE_TEXT },
	{ "allow", "also rules that may change results on special values: domain, statistical", VALUE_TEXT },
	{ "verify", "the proof of hone_optimize and hone_compile: yes (default of the former) or no", VALUE_SWITCH },
	{ "dim", "NAME=N: size of a symbolic dimension; may be set often", VALUE_TEXT },
	{ "shape", "INPUT=D,D,..: shape of an input; may be set often", VALUE_TEXT },
	{ "max-growth", "bytes that a folded constant may add to the model", VALUE_NUMBER },
	{ "freeze-inputs", "inputs that have a default value become constants: yes or no", VALUE_SWITCH },
	{ "expand-constants", "constants of one repeated value are written as data: yes or no", VALUE_SWITCH },
	{ "seed", "seed of the data that proofs and comparisons use", VALUE_NUMBER },
	{ "rounds", "hone_verify: sets of inputs", VALUE_NUMBER },
	{ "isa", "instruction set of the kernels: v2, v3, v4", VALUE_TEXT },
	{ "reference", "every op by the evaluator: yes or no", VALUE_SWITCH },
	{ "format", "format to write: onnx, stablehlo, mlir, ...", VALUE_TEXT },
	{ "data-dir", "where external data is looked up", VALUE_TEXT },
	{ "allow-external-dir", "external data may lie anywhere: yes or no", VALUE_SWITCH },
	{ "external-data", "weights go to a file beside the model: yes or no", VALUE_SWITCH },
};

const char *hone_option_name(int i)
{
	return i >= 0 && i < (int)ARRAY_LEN(OPTIONS) ? OPTIONS[i].name : NULL;
}

const char *hone_option_help(int i)
{
	return i >= 0 && i < (int)ARRAY_LEN(OPTIONS) ? OPTIONS[i].help : NULL;
}

hone_options *hone_options_new(void)
{
	MemGuard guard;
	mem_guard_push(&guard);
	if (setjmp(guard.env))
		return NULL;
	Arena *a = arena_new();
	hone_options *o = NEW(a, hone_options);
	o->arena = a;
	mem_guard_pop(&guard);
	return o;
}

void hone_options_free(hone_options *o)
{
	if (o)
		arena_free(o->arena);
}

static const OptionDef *option_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(OPTIONS); i++)
		if (!strcmp(OPTIONS[i].name, name))
			return &OPTIONS[i];
	return NULL;
}

static bool parse_switch(const char *v, bool *out)
{
	*out = !strcmp(v, "yes") || !strcmp(v, "1") || !strcmp(v, "true");
	return *out || !strcmp(v, "no") || !strcmp(v, "0") || !strcmp(v, "false");
}

hone_status hone_options_set(hone_options *o, const char *name, const char *value, hone_error **error)
{
	MemGuard guard;
	int64_t n;
	bool b;
	if (error)
		*error = NULL;
	if (!o || !name || !value)
		return fail(HONE_STATUS_USAGE, error, "an option takes a name and a value");
	const OptionDef *d = option_find(name);
	if (!d)
		return fail(HONE_STATUS_USAGE, error, "there is no option \"%s\"; hone_option_name lists them", name);
	if (d->kind == VALUE_NUMBER && (!parse_int64(value, strlen(value), &n) || n < 0))
		return fail(HONE_STATUS_USAGE, error, "option %s: a number from 0 on is expected, not \"%s\"", name, value);
	if (d->kind == VALUE_SWITCH && !parse_switch(value, &b))
		return fail(HONE_STATUS_USAGE, error, "option %s: yes or no is expected, not \"%s\"", name, value);
	mem_guard_push(&guard);
	if (setjmp(guard.env))
		return fail(HONE_STATUS_LIMIT, error, "out of memory");
	VEC_PUSH(o->arena, &o->names, d->name);
	VEC_PUSH(o->arena, &o->values, arena_strdup(o->arena, value));
	mem_guard_pop(&guard);
	return HONE_STATUS_OK;
}

void hone_options_set_progress(hone_options *o, hone_progress_fn fn, void *user)
{
	o->progress = fn;
	o->progress_user = user;
}

void hone_options_set_log(hone_options *o, hone_log_fn fn, void *user)
{
	o->log = fn;
	o->log_user = user;
}

const char *option_get(const hone_options *o, const char *name)
{
	for (size_t i = o ? o->names.len : 0; i-- > 0;)
		if (!strcmp(o->names.data[i], name))
			return o->values.data[i];
	return NULL;
}

bool option_on(const hone_options *o, const char *name, bool fallback)
{
	const char *v = option_get(o, name);
	bool b = fallback;
	if (v)
		parse_switch(v, &b);
	return b;
}

int64_t option_int(const hone_options *o, const char *name, int64_t fallback)
{
	const char *v = option_get(o, name);
	if (v)
		parse_int64(v, strlen(v), &fallback);
	return fallback;
}

bool progress_go_on(const hone_options *o, const char *phase)
{
	return !o || !o->progress || o->progress(o->progress_user, phase) == 0;
}

bool option_isa(const hone_options *o, Diags *d, Isa *out)
{
	const char *v = option_get(o, "isa");
	*out = ISA_COUNT;
	return !v || (isa_parse(v, out) && isa_available(*out)) ||
		diag_error(d, HONE_USAGE, NULL, "option isa: \"%s\" is not one that this machine has", v);
}
