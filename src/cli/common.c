/* What verbs share: diagnostics, loading, options of the optimiser, tensors from files, numbers for people. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Several passes notice the same thing: it is printed once. */
static bool said_before(const Diags *d, size_t i)
{
	const Diag *a = &d->list.data[i];
	if (a->severity == SEV_ERROR)
		return false;
	for (size_t k = 0; k < i; k++) {
		const Diag *b = &d->list.data[k];
		if (b->severity == a->severity && b->loc.offset == a->loc.offset && b->loc.line == a->loc.line &&
				b->loc.col == a->loc.col && !strcmp(b->message, a->message) &&
				!strcmp(b->loc.what ? b->loc.what : "", a->loc.what ? a->loc.what : ""))
			return true;
	}
	return false;
}

void print_diags(Cli *cli)
{
	Diags *d = &cli->ctx->diags;
	Buf b = { 0 };
	for (; cli->printed < d->list.len; cli->printed++)
		if (!said_before(d, cli->printed))
			diag_format(&d->list.data[cli->printed], &b);
	if (b.len)
		fwrite(b.data, 1, b.len, stderr);
	if (d->dropped)
		fprintf(stderr, "hone: %zu more messages\n", d->dropped);
	d->dropped = 0;
	buf_free(&b);
}

HoneStatus finish(Cli *cli, HoneStatus s)
{
	print_diags(cli);
	return cli->ctx->diags.status != HONE_OK ? cli->ctx->diags.status : s;
}

/* All values of an option, in order. */
static const char *const *option_list(Cli *cli, const char *name, size_t *n)
{
	VEC(const char *) list = { 0 };
	size_t from = 0;
	for (const char *s = args_next(cli, name, &from); s; s = args_next(cli, name, &from))
		VEC_PUSH(cli->arena, &list, s);
	*n = list.len;
	return list.data;
}

Module *load_model(Cli *cli, const char *path)
{
	ReadOptions o = { .data_dir = args_get(cli, "data-dir"), .allow_external_dir = args_has(cli, "allow-external-dir") };
	o.parameters = option_list(cli, "parameters", &o.nparameters);
	o.weights = option_list(cli, "weights", &o.nweights);
	o.binds = option_list(cli, "bind", &o.nbinds);
	o.weights_elsewhere = cli->several_models;
	o.extra_weights = args_has(cli, "freeze-batch-norm");
	return model_read(cli->ctx, path, &o);
}

static bool bad_value(Cli *cli, const char *option, const char *value, const char *want)
{
	return diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "--%s %s: expected %s", option,
			quote(cli->arena, value, strlen(value)), want);
}

bool shape_options(Cli *cli, ShapeBinding **out, size_t *n)
{
	VEC(ShapeBinding) list = { 0 };
	ShapeBinding b;
	size_t from = 0;
	for (const char *s = args_next(cli, "dim", &from); s; s = args_next(cli, "dim", &from)) {
		if (!shape_parse_dim(cli->ctx, cli->arena, s, &b))
			return false;
		VEC_PUSH(cli->arena, &list, b);
	}
	from = 0;
	for (const char *s = args_next(cli, "shape", &from); s; s = args_next(cli, "shape", &from)) {
		if (!shape_parse_shape(cli->ctx, cli->arena, s, &b))
			return false;
		VEC_PUSH(cli->arena, &list, b);
	}
	*out = list.data;
	*n = list.len;
	return true;
}

/* Comma-separated rule or topic names; every name must exist. */
static bool rule_names(Cli *cli, const char *option, const char *const **out)
{
	VEC(const char *) list = { 0 };
	size_t from = 0;
	for (const char *s = args_next(cli, option, &from); s; s = args_next(cli, option, &from)) {
		while (*s) {
			size_t len = strcspn(s, ",");
			char *name = arena_printf(cli->arena, "%.*s", (int)len, s);
			bool known = rule_find(name) != NULL;
			for (size_t i = 0; i < rule_set_count(); i++)
				known |= !strcmp(rule_set_at(i)->topic, name);
			if (!known) {
				bad_value(cli, option, name, "the name of a rule or topic");
				diag_hint(&cli->ctx->diags, "`hone passes --rules` lists them");
				return false;
			}
			VEC_PUSH(cli->arena, &list, name);
			s += len + (s[len] == ',');
		}
	}
	*out = NULL;
	if (list.len) {
		VEC_PUSH(cli->arena, &list, NULL);
		*out = list.data;
	}
	return true;
}

static bool allow_option(Cli *cli, uint32_t *allow)
{
	size_t from = 0;
	for (const char *s = args_next(cli, "allow", &from); s; s = args_next(cli, "allow", &from)) {
		if (!strcmp(s, "domain"))
			*allow |= 1u << CLASS_DOMAIN;
		else if (!strcmp(s, "statistical"))
			*allow |= 1u << CLASS_STATISTICAL;
		else
			return bad_value(cli, "allow", s, "domain or statistical");
	}
	return true;
}

bool optimise_options(Cli *cli, OptimiseOptions *o)
{
	ShapeBinding *bind = NULL;
	int64_t level = 2, threads = 0, seed = 0;
	optimise_options_init(o);
	if (!args_int(cli, "level", 0, 3, &level) || !args_int(cli, "threads", 0, 1024, &threads) ||
			!args_int(cli, "seed", 0, INT64_MAX, &seed) ||
			!args_int(cli, "rewrite-limit", 0, INT64_MAX, &o->rewrite.limit) ||
			!args_int(cli, "max-growth", 0, INT64_MAX, &o->max_growth) ||
			!shape_options(cli, &bind, &o->nbind) || !rule_names(cli, "disable", &o->rewrite.disable) ||
			!rule_names(cli, "only", &o->rewrite.only) || !allow_option(cli, &o->rewrite.allow))
		return false;
	o->rewrite.level = (int)level;
	o->threads = (int)threads;
	o->seed = (uint64_t)seed;
	o->bind = bind;
	o->passes = args_get(cli, "passes");
	o->freeze_inputs = args_has(cli, "freeze-inputs");
	o->freeze_batch_norm = args_has(cli, "freeze-batch-norm");
	o->expand_constants = args_has(cli, "expand-constants");
	o->keep_calls = args_has(cli, "no-inline");
	return true;
}

bool input_tensors(Cli *cli, EvalCtx *e, NamedTensor **out, size_t *n)
{
	VEC(NamedTensor) list = { 0 };
	size_t from = 0;
	for (const char *s = args_next(cli, "input", &from); s; s = args_next(cli, "input", &from)) {
		const char *eq = strchr(s, '=');
		NamedTensor t = { 0 };
		t.tensor = tensor_read(e, eq ? eq + 1 : s, &t.name);
		if (!t.tensor)
			return false;
		if (eq)
			t.name = str_n(cli->ctx, s, (size_t)(eq - s));
		else if (!t.name || !t.name->len)
			t.name = NULL; /* by position */
		VEC_PUSH(cli->arena, &list, t);
	}
	*out = list.data;
	*n = list.len;
	return true;
}

void print_json(json_t *j)
{
	json_dumpf(j, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(j);
}

static const char *scaled(Arena *a, double n, double step, const char *const *units, int last)
{
	int u = 0;
	while (n >= step && u < last) {
		n /= step;
		u++;
	}
	if (u == 0)
		return arena_printf(a, "%.0f%s", n, units[0]);
	return arena_printf(a, "%.*f%s", n < 10 ? 2 : n < 100 ? 1 : 0, n, units[u]);
}

const char *human_bytes(Arena *a, double n)
{
	static const char *const UNITS[] = { " B", " kB", " MB", " GB", " TB" };
	return scaled(a, n, 1000, UNITS, 4);
}

const char *human_count(Arena *a, double n)
{
	static const char *const UNITS[] = { "", " k", " M", " G", " T", " P" };
	return scaled(a, n, 1000, UNITS, 5);
}

const char *type_text(Arena *a, const Type *t)
{
	Buf b = { 0 };
	if (!type_is_tensor(t)) {
		type_print(t, &b);
	} else {
		buf_puts(&b, t->dtype == DT_NONE ? "?" : dtype_friendly_name(t->dtype));
		if (t->rank < 0)
			buf_puts(&b, "[...]");
		else
			buf_puts(&b, "[");
		for (int i = 0; i < t->rank; i++) {
			buf_puts(&b, i ? "," : "");
			sym_print(t->dims[i], &b);
		}
		if (t->rank >= 0)
			buf_puts(&b, "]");
	}
	char *s = arena_printf(a, "%s", b.data ? b.data : "");
	buf_free(&b);
	return s;
}

size_t file_size(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
}
