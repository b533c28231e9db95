/* Options from the verb's table: --name value, --name=value, -o value, -ovalue, switches; "--" ends them. */
#include "cli/cli.h"

#include <string.h>

static const Option COMMON[] = {
	{ "help", 'h', NULL, "this text" },
	{ "json", 0, NULL, "results as JSON on stdout" },
	{ "quiet", 'q', NULL, "no report, only errors and warnings" },
	{ "no-color", 0, NULL, "plain text on a terminal too" },
};

static const Option *find_long(const Verb *v, const char *s, size_t len)
{
	for (size_t i = 0; i < v->noptions; i++)
		if (strlen(v->options[i].name) == len && !memcmp(v->options[i].name, s, len))
			return &v->options[i];
	for (size_t i = 0; i < ARRAY_LEN(COMMON); i++)
		if (strlen(COMMON[i].name) == len && !memcmp(COMMON[i].name, s, len))
			return &COMMON[i];
	return NULL;
}

static const Option *find_letter(const Verb *v, char c)
{
	for (size_t i = 0; i < v->noptions; i++)
		if (v->options[i].letter == c)
			return &v->options[i];
	for (size_t i = 0; i < ARRAY_LEN(COMMON); i++)
		if (COMMON[i].letter == c)
			return &COMMON[i];
	return NULL;
}

static bool usage_error(Cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool usage_error(Cli *cli, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "%s", arena_vprintf(cli->arena, fmt, ap));
	va_end(ap);
	return false;
}

static bool unknown_option(Cli *cli, const Verb *v, const char *arg)
{
	const char *names[64];
	size_t n = 0;
	for (size_t i = 0; i < v->noptions && n < 56; i++)
		names[n++] = v->options[i].name;
	for (size_t i = 0; i < ARRAY_LEN(COMMON); i++)
		names[n++] = COMMON[i].name;
	usage_error(cli, "hone %s has no option %s", v->name, quote(cli->arena, arg, strlen(arg)));
	const char *near = arg[0] == '-' && arg[1] == '-' ? nearest_name(arena_printf(cli->arena, "%.*s",
			(int)strcspn(arg + 2, "="), arg + 2), names, n) : NULL;
	if (near)
		diag_hint(&cli->ctx->diags, "did you mean --%s? `hone %s --help` lists all", near, v->name);
	else
		diag_hint(&cli->ctx->diags, "`hone %s --help` lists all", v->name);
	return false;
}

static void add_option(Cli *cli, const Option *o, const char *value)
{
	VEC_PUSH(cli->arena, &cli->args.options, o);
	VEC_PUSH(cli->arena, &cli->args.values, value);
}

bool args_parse(Cli *cli, const Verb *v, int argc, char **argv)
{
	bool only_positional = false;
	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i], *value = NULL;
		const Option *o = NULL;
		if (only_positional || arg[0] != '-' || !arg[1]) {
			VEC_PUSH(cli->arena, &cli->args.positional, arg);
			continue;
		}
		if (!strcmp(arg, "--")) {
			only_positional = true;
			continue;
		}
		if (arg[1] == '-') {
			size_t len = strcspn(arg + 2, "=");
			o = find_long(v, arg + 2, len);
			value = arg[2 + len] ? arg + 3 + len : NULL;
		} else {
			o = find_letter(v, arg[1]);
			value = arg[2] ? arg + 2 + (arg[2] == '=') : NULL;
		}
		if (!o)
			return unknown_option(cli, v, arg);
		if (!o->value && value)
			return usage_error(cli, "--%s takes no value", o->name);
		if (o->value && !value) {
			if (i + 1 >= argc)
				return usage_error(cli, "--%s needs a value: %s", o->name, o->value);
			value = argv[++i];
		}
		add_option(cli, o, value);
	}
	size_t n = cli->args.positional.len;
	if (args_has(cli, "help"))
		return true;
	if (n < (size_t)v->min_args)
		return usage_error(cli, "something is missing: hone %s %s", v->name, v->usage);
	if (v->max_args >= 0 && n > (size_t)v->max_args)
		return usage_error(cli, "unexpected argument %s: hone %s %s",
				quote(cli->arena, cli->args.positional.data[v->max_args], strlen(cli->args.positional.data[v->max_args])),
				v->name, v->usage);
	return true;
}

bool args_has(const Cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->args.options.len; i++)
		if (!strcmp(cli->args.options.data[i]->name, name))
			return true;
	return false;
}

const char *args_next(const Cli *cli, const char *name, size_t *from)
{
	for (; *from < cli->args.options.len; ++*from)
		if (!strcmp(cli->args.options.data[*from]->name, name))
			return cli->args.values.data[(*from)++];
	return NULL;
}

const char *args_get(const Cli *cli, const char *name)
{
	const char *last = NULL;
	size_t from = 0;
	for (const char *v = args_next(cli, name, &from); v; v = args_next(cli, name, &from))
		last = v;
	return last;
}

bool args_int(Cli *cli, const char *name, int64_t lo, int64_t hi, int64_t *out)
{
	const char *s = args_get(cli, name);
	int64_t v;
	if (!s)
		return true;
	if (!parse_int64(s, strlen(s), &v) || v < lo || v > hi)
		return usage_error(cli, "--%s %s: expected a whole number from %lld to %lld", name, quote(cli->arena, s, strlen(s)),
				(long long)lo, (long long)hi);
	*out = v;
	return true;
}

bool args_double(Cli *cli, const char *name, double *out)
{
	const char *s = args_get(cli, name);
	if (!s || parse_double(s, strlen(s), out))
		return true;
	return usage_error(cli, "--%s %s: expected a number", name, quote(cli->arena, s, strlen(s)));
}

static void print_option(FILE *to, const Option *o)
{
	char left[64];
	snprintf(left, sizeof(left), "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
	if (o->letter)
		fprintf(to, "  -%c, %-28s %s\n", o->letter, left, o->help);
	else
		fprintf(to, "      %-28s %s\n", left, o->help);
}

void verb_help(const Verb *v, FILE *to)
{
	fprintf(to, "hone %s %s\n\n%s\n\n", v->name, v->usage, v->summary);
	for (size_t i = 0; i < v->noptions; i++)
		print_option(to, &v->options[i]);
	for (size_t i = 0; i < ARRAY_LEN(COMMON); i++)
		print_option(to, &COMMON[i]);
	if (v->help)
		fprintf(to, "\n%s\n", v->help);
}
