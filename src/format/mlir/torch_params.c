#include "mlir.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Weights that stand beside the text: `util.global private @w = #stream.parameter.named<"scope"::"key"> : tensor<...>`. The
 * files are those that the caller names, or X_params.irpa or X.irpa beside X.mlir. */

typedef struct ParamFile {
	const char *path, *scope; /* scope NULL: any */
	MappedFile *file;
	Map index;
	struct ParamFile *next;
} ParamFile;

static bool open_file(Parser *p, const char *path, const char *scope)
{
	ParamFile *f = NEW(p->scratch, ParamFile);
	*f = (ParamFile){ .path = path, .scope = scope, .next = p->params };
	f->file = file_map(path, p->d);
	if (!f->file)
		return false;
	map_init(&f->index, p->scratch);
	p->params = f;
	return irpa_index(p->c, f->file, p->scratch, &f->index);
}

static bool open_given(Parser *p)
{
	for (size_t i = 0; i < p->options->nparameters; i++) {
		const char *s = p->options->parameters[i], *eq = strchr(s, '=');
		const char *scope = eq ? arena_printf(p->scratch, "%.*s", (int)(eq - s), s) : NULL;
		if (!open_file(p, eq ? eq + 1 : s, scope))
			return false;
	}
	return true;
}

static bool open_beside(Parser *p, const Token *at)
{
	static const char *const ends[] = { "_params.irpa", ".irpa" };
	const char *dot = strrchr(p->file, '.');
	int stem = dot && !strcmp(dot, ".mlir") ? (int)(dot - p->file) : (int)strlen(p->file);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char *path = arena_printf(p->scratch, "%.*s%s", stem, p->file, ends[i]);
		if (access(path, R_OK) == 0)
			return open_file(p, path, NULL);
	}
	parse_error(p, at, "the text names parameters, but no parameter file is there");
	diag_hint(p->d, "put %.*s_params.irpa beside it, or give --parameters FILE", stem, p->file);
	return false;
}

void torch_params_close(Parser *p)
{
	for (ParamFile *f = p->params; f; f = f->next)
		file_unref(f->file);
	p->params = NULL;
}

static const Attr *find_param(Parser *p, const Str *scope, const Str *key, const Type *t, const Token *at)
{
	bool given = p->options && p->options->nparameters;
	if (!p->params && !(given ? open_given(p) : open_beside(p, at)))
		return NULL;
	for (const ParamFile *f = p->params; f; f = f->next) {
		const Param *e = map_get(&f->index, MAP_PTR(key));
		if (!e || (f->scope && scope && strcmp(f->scope, scope->s) != 0))
			continue;
		const Attr *a = param_tensor(p->c, f->file, e, t);
		if (!a)
			parse_error(p, at, "parameter %s has %llu bytes, which is no %s", quote(p->scratch, key->s, key->len),
				(unsigned long long)e->len, type_name(p, t));
		return a;
	}
	parse_error(p, at, "parameter %s is in no parameter file", quote(p->scratch, key->s, key->len));
	return NULL;
}

/* `#stream.parameter.named<"scope"::"key">`, or with the key alone. */
static bool parse_named(Parser *p, const Str **scope, const Str **key)
{
	*scope = NULL;
	tok_next(p);
	if (!tok_expect(p, T_LESS, "'<'") || !parse_string(p, key))
		return false;
	if (tok_accept(p, T_DCOLON)) {
		*scope = *key;
		if (!parse_string(p, key))
			return false;
	}
	return tok_expect(p, T_GREATER, "'>'");
}

const Attr *parse_torch_constant(Parser *p)
{
	Token t = p->tok;
	const Str *scope, *key;
	bool named = at(p, T_HASH) && (token_is(&t, "#stream.parameter.named") || token_is(&t, "#flow.parameter.named"));
	if (!named) {
		const Attr *a = parse_attr(p, NULL);
		if (a && a->kind != ATTR_TENSOR)
			return parse_error(p, &t, "expected a tensor or a parameter"), NULL;
		return a;
	}
	if (!parse_named(p, &scope, &key) || !tok_expect(p, T_COLON, "':' and the type"))
		return NULL;
	const Type *type = parse_type(p);
	return type ? find_param(p, scope, key, type, &t) : NULL;
}

bool parse_torch_global(Parser *p)
{
	const Str *name;
	tok_next(p);
	while (tok_accept_word(p, "private") || tok_accept_word(p, "public") || tok_accept_word(p, "mutable"))
		;
	Token t = p->tok;
	if (!parse_symbol(p, &name) || !tok_expect(p, T_EQUAL, "'=' and the value"))
		return false;
	if (!p->globals.arena)
		map_init(&p->globals, p->scratch);
	if (map_has(&p->globals, MAP_PTR(name)))
		return parse_error(p, &t, "global %s is already defined", quote(p->scratch, name->s, name->len));
	const Attr *a = parse_torch_constant(p);
	if (!a)
		return false;
	*map_slot(&p->globals, MAP_PTR(name)) = (void *)(uintptr_t)a;
	return true;
}
