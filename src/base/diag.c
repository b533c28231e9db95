/* Diagnostics: collecting and printing. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 100 };

void diags_init(Diags *d, Arena *a)
{
	*d = (Diags){.arena = a, .limit = DEFAULT_LIMIT};
}

/* Messages are one line whatever a name in them contains. */
static char *one_line(char *s)
{
	for (char *p = s; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	return s;
}

/* Past the limit diagnostics are only counted, except the first error: it explains the status. */
static void record(Diags *d, Severity severity, HoneStatus status, const Loc *loc, const char *fmt, va_list ap)
{
	bool first_error = severity == SEV_ERROR && d->status == HONE_OK;
	if (severity == SEV_ERROR && d->status == HONE_OK)
		d->status = status;
	if (d->list.len >= d->limit && !first_error) {
		d->dropped++;
		return;
	}
	Diag diag = {.severity = severity, .status = status, .loc = {.offset = -1}};
	if (loc)
		diag.loc = *loc;
	diag.message = one_line(arena_vprintf(d->arena, fmt, ap));
	VEC_PUSH(d->arena, &d->list, diag);
}

bool diag_error(Diags *d, HoneStatus status, const Loc *loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	record(d, SEV_ERROR, status, loc, fmt, ap);
	va_end(ap);
	return false;
}

void diag_warn(Diags *d, const Loc *loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	record(d, SEV_WARNING, HONE_OK, loc, fmt, ap);
	va_end(ap);
}

void diag_note(Diags *d, const Loc *loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	record(d, SEV_NOTE, HONE_OK, loc, fmt, ap);
	va_end(ap);
}

/* A hint that follows a dropped diagnostic is dropped with it. */
void diag_hint(Diags *d, const char *fmt, ...)
{
	if (d->list.len == 0 || d->dropped)
		return;
	Diag *last = &d->list.data[d->list.len - 1];
	va_list ap;
	va_start(ap, fmt);
	char *text = one_line(arena_vprintf(d->arena, fmt, ap));
	va_end(ap);
	last->hint = last->hint ? arena_printf(d->arena, "%s; %s", last->hint, text) : text;
}

void diag_format(const Diag *d, Buf *out)
{
	static const char *const names[] = {
		[SEV_ERROR] = "error", [SEV_WARNING] = "warning", [SEV_NOTE] = "note", [SEV_REMARK] = "remark"};
	const Loc *loc = &d->loc;
	if (loc->file)
		buf_puts(out, loc->file);
	if (loc->line) {
		buf_printf(out, "%s%u", loc->file ? ":" : "line ", (unsigned)loc->line);
		if (loc->col)
			buf_printf(out, ":%u", (unsigned)loc->col);
	} else if (loc->file && loc->offset >= 0) {
		buf_printf(out, ": byte %lld", (long long)loc->offset);
	}
	if (loc->file || loc->line)
		buf_puts(out, ": ");
	buf_printf(out, "%s: ", names[d->severity]);
	if (loc->what)
		buf_printf(out, "%s: ", loc->what);
	buf_printf(out, "%s\n", d->message);
	if (d->hint)
		buf_printf(out, "  hint: %s\n", d->hint);
}

_Noreturn void hone_bug(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "hone: internal error at %s:%d: ", file, line);
	vfprintf(stderr, fmt, ap);
	fputs("\nhone: this is a bug in hone, please report it together with the model and the command line\n", stderr);
	va_end(ap);
	abort();
}
