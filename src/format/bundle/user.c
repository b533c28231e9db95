/* Weights that the user gives: --weights FILE binds arguments by the names in the file, --bind ARG=@FILE one argument,
 * --bind ARG=NUMBER fills one. */
#include "format/bundle/bundle.h"

#include <string.h>
#include <sys/stat.h>

typedef struct User {
	Context *c;
	Arena *arena;
	Module *m;
	const ReadOptions *o;
	ArgNames names;
	Binding b;
} User;

static bool usage(const User *u, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool usage(const User *u, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(u->arena, fmt, ap);
	va_end(ap);
	return diag_error(&u->c->diags, HONE_USAGE, NULL, "%s", text);
}

/* ---- --weights ---- */

static void hint_names(const User *u, const char *name)
{
	const char *near = arg_names_near(&u->names, name);
	const char *all = "";
	enum { SHOWN = 6 };
	for (uint32_t i = 0; i < u->names.n && i < SHOWN; i++)
		all = arena_printf(u->arena, "%s%s%s", all, i ? ", " : "", *u->names.raw[i] ? u->names.raw[i] : "(no name)");
	if (near)
		diag_hint(&u->c->diags, "did you mean %s?", near);
	else
		diag_hint(&u->c->diags, u->names.n > SHOWN ? "arguments are %s, ... and %u more" : "arguments are %s", all,
			u->names.n - SHOWN);
}

/* Binds what fits; names that no argument has come along (running statistics, say), and it is told how many. */
static bool take_weights(User *u, const char *path)
{
	NamedAttr *list;
	size_t n, bound = 0;
	const char *unused = NULL;
	bool has_own = u->m->nweights > 0; /* a bundle, compared with a model that needs the file */
	if (!weights_read(u->c, path, u->arena, &list, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t at = arg_names_find(&u->names, list[i].name->s, false);
		const char *from = arena_printf(u->c->arena, "%s of %s", list[i].name->s, path);
		if (at >= 0 && u->b.value[at] && !strncmp(u->b.from[at], "--bind", 6))
			continue; /* said more exactly */
		if (at >= 0 && !binding_set(&u->b, u->m, (uint32_t)at, list[i].value, list[i].name, from))
			return false;
		bound += at >= 0;
		if (at < 0)
			unused = unused ? unused : list[i].name->s;
		module_add_weight(u->m, list[i].name, list[i].value);
	}
	if (!n)
		return usage(u, "%s holds no tensors", path);
	if (!bound && !has_own && !u->o->weights_elsewhere) {
		usage(u, "none of the %zu tensors of %s has the name of an argument; the first is %s", n, path, list[0].name->s);
		hint_names(u, list[0].name->s);
		return false;
	}
	if (unused)
		diag_note(&u->c->diags, NULL, "%zu of %zu tensors of %s have the name of no argument: %s%s", n - bound, n, path, unused,
			n - bound > 1 ? ", ..." : "");
	return true;
}

/* ---- --bind ---- */

/* FILE or FILE:ENTRY. */
static const Attr *read_entry(User *u, const char *spec)
{
	struct stat st;
	const char *path = spec, *entry = NULL, *colon = strrchr(spec, ':');
	NamedAttr *list;
	size_t n;
	if (colon && stat(spec, &st) != 0) {
		path = arena_printf(u->arena, "%.*s", (int)(colon - spec), spec);
		entry = colon + 1;
	}
	if (!weights_read(u->c, path, u->arena, &list, &n))
		return NULL;
	if (!entry && n == 1)
		return list[0].value;
	const char **names = NEW_ARRAY(u->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		names[i] = list[i].name->s;
		if (entry && !strcmp(names[i], entry))
			return list[i].value;
	}
	if (!entry) {
		usage(u, "%s holds %zu tensors, one is wanted", path, n);
		diag_hint(&u->c->diags, "name it: @%s:%s; --weights binds all of them", path, n ? names[0] : "NAME");
		return NULL;
	}
	usage(u, "%s holds no tensor %s", path, quote(u->arena, entry, strlen(entry)));
	const char *near = nearest_name(entry, names, n);
	if (near)
		diag_hint(&u->c->diags, "did you mean %s?", near);
	return NULL;
}

/* A number in every element of the argument. */
static const Attr *read_number(User *u, const char *text, const Type *t, const char *bind)
{
	double x;
	int64_t v;
	uint8_t element[16] = {0};
	if (!type_is_tensor(t) || !type_is_static(t) || (!dtype_is_float(t->dtype) && !dtype_is_integer(t->dtype) &&
			t->dtype != DT_BOOL)) {
		usage(u, "--bind %s: only a tensor of numbers and of known size can be filled", bind);
		return NULL;
	}
	if (dtype_is_float(t->dtype) && parse_double(text, strlen(text), &x)) {
		dtype_store_f64(t->dtype, element, 1, &x);
	} else if (!dtype_is_float(t->dtype) && parse_int64(text, strlen(text), &v)) {
		dtype_store_i64(t->dtype, element, 1, &v);
	} else {
		usage(u, "--bind %s: expected @FILE or %s", bind, dtype_is_float(t->dtype) ? "a number" : "a whole number");
		return NULL;
	}
	return attr_tensor(u->c, t, blob_splat(u->c, t->dtype, element));
}

static bool take_bind(User *u, const char *s)
{
	const char *eq = strstr(s, "=@");
	if (!eq)
		eq = strrchr(s, '=');
	if (!eq || eq == s || !eq[1])
		return usage(u, "--bind %s: expected ARG=@FILE or ARG=NUMBER", s);
	const char *name = arena_printf(u->arena, "%.*s", (int)(eq - s), s), *from = arena_printf(u->c->arena, "--bind %s", s);
	int64_t at = arg_names_find(&u->names, name, true);
	if (at == ARG_SEVERAL)
		return usage(u, "--bind %s: several arguments end so; give more of the name", s);
	if (at < 0 && (!u->o->extra_weights || eq[1] != '@')) {
		usage(u, "--bind %s: the model has no argument %s", s, quote(u->arena, name, strlen(name)));
		hint_names(u, name);
		return false;
	}
	const Attr *value = eq[1] == '@' ? read_entry(u, eq + 2)
		: read_number(u, eq + 1, u->m->main->body->args[at]->type, s);
	if (!value)
		return false;
	const Str *weight = str(u->c, name);
	if (at >= 0) {
		const Str *own = u->m->main->body->args[at]->name;
		weight = own ? own : weight;
	}
	module_add_weight(u->m, weight, value);
	return at < 0 || binding_set(&u->b, u->m, (uint32_t)at, value, weight, from);
}

bool bind_user_weights(Module *m, const ReadOptions *o)
{
	if (!o->nweights && !o->nbinds)
		return true;
	User u = {.c = m->ctx, .arena = arena_new(), .m = m, .o = o};
	bool ok = m->main != NULL || usage(&u, "the model has no main function whose arguments could be bound");
	arg_names_init(&u.names, m, u.arena);
	binding_init(&u.b, m, u.arena);
	for (size_t i = 0; ok && i < o->nbinds; i++)
		ok = take_bind(&u, o->binds[i]);
	for (size_t i = 0; ok && i < o->nweights; i++)
		ok = take_weights(&u, o->weights[i]);
	if (ok)
		binding_apply(m, &u.b);
	arena_free(u.arena);
	return ok;
}
