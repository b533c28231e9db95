/* Which argument a name means. Frameworks spell the same path in different ways: v['params']['Dense_0']['kernel'],
 * params/Dense_0/kernel, params.Dense_0.kernel, and often with a step more or less in front. */
#include "format/bundle/bundle.h"

#include <string.h>

/* Steps of the path joined by dots; brackets, quotes and slashes only divide. */
static const char *plain_path(Arena *a, const char *s)
{
	size_t n = strlen(s), k = 0;
	char *out = arena_alloc(a, n + 1);
	bool gap = false;
	for (size_t i = 0; i < n; i++) {
		if (strchr("[]'\"/.", s[i])) {
			gap = k > 0;
			continue;
		}
		if (gap)
			out[k++] = '.'; /* at most one for each divider that was left out */
		gap = false;
		out[k++] = s[i];
	}
	out[k] = '\0';
	return out;
}

void arg_names_init(ArgNames *names, const Module *m, Arena *a)
{
	const Block *b = m->main ? m->main->body : NULL;
	*names = (ArgNames){.arena = a, .n = b ? b->nargs : 0};
	names->raw = NEW_ARRAY(a, const char *, names->n + 1u);
	names->plain = NEW_ARRAY(a, const char *, names->n + 1u);
	for (uint32_t i = 0; i < names->n; i++) {
		names->raw[i] = b->args[i]->name ? b->args[i]->name->s : "";
		names->plain[i] = plain_path(a, names->raw[i]);
	}
}

/* True when path `s` ends with the steps of `end`. */
static bool path_ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return k > 0 && n >= k && !strcmp(s + n - k, end) && (n == k || s[n - k - 1] == '.');
}

static int64_t by_path(const ArgNames *names, const char *plain, bool (*same)(const char *a, const char *b))
{
	int64_t found = ARG_NONE;
	for (uint32_t i = 0; i < names->n; i++)
		if (same(names->plain[i], plain))
			found = found == ARG_NONE ? (int64_t)i : ARG_SEVERAL;
	return found;
}

static bool paths_equal(const char *a, const char *b)
{
	return *a && !strcmp(a, b);
}

static bool ends_alike(const char *a, const char *b)
{
	return path_ends_with(a, b) || path_ends_with(b, a);
}

int64_t arg_names_find(const ArgNames *names, const char *name, bool position)
{
	if (*name == '%')
		name++;
	for (uint32_t i = 0; i < names->n; i++)
		if (*names->raw[i] && !strcmp(names->raw[i], name))
			return i;
	int64_t at;
	const char *digits = !strncmp(name, "arg", 3) ? name + 3 : name;
	if (position && parse_int64(digits, strlen(digits), &at))
		return at >= 0 && at < names->n ? at : ARG_NONE;
	const char *plain = plain_path(names->arena, name);
	at = by_path(names, plain, paths_equal);
	return at == ARG_NONE ? by_path(names, plain, ends_alike) : at;
}

const char *arg_names_near(const ArgNames *names, const char *name)
{
	const char *near = nearest_name(name, names->raw, names->n);
	if (near)
		return near;
	near = nearest_name(plain_path(names->arena, name), names->plain, names->n);
	for (uint32_t i = 0; near && i < names->n; i++)
		if (names->plain[i] == near)
			return names->raw[i];
	return NULL;
}
