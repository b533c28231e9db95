/* Calls of LAPACK and BLAS as JAX wrote them up to 2024: settings and sizes are scalar operands in front of the arrays, room to
 * work in stands among the results, which may be one tuple. They are run as the calls of today (stablehlo_lapack.c). */
#include "stablehlo_int.h"

#include <stdio.h>
#include <string.h>

enum { SCALARS = 8, RESULTS = 10 };

typedef struct OldCall {
	const char *name;            /* without library and the letter of the type */
	const char *types;           /* those letters */
	const char *scalars[SCALARS];/* a setting and, after "=", the letters that its numbers stand for; "": a size, not needed */
	const char *results;         /* where today's results are among the old ones */
} OldCall;

static const OldCall old_calls[] = {
	{ "trsm", "sdcz", { "side=RL", "uplo=UL", "trans_x=NTC", "diag=NU", "", "", "", "alpha" }, "0" },
	{ "potrf", "sdcz", { "lower", "", "" }, "01" },
	{ "getrf", "sdcz", { "", "", "" }, "012" },
	{ "geqrf", "sdcz", { "", "", "", "" }, "01" },
	{ "orgqr", "sd", { "", "", "", "", "" }, "0" },
	{ "ungqr", "cz", { "", "", "", "", "" }, "0" },
	{ "gehrd", "sdcz", { "", "low", "high", "", "", "" }, "012" },
	{ "sytrd", "sd", { "", "lower", "", "", "" }, "01234" },
	{ "hetrd", "cz", { "", "lower", "", "", "" }, "01234" },
	{ "syevd", "sd", { "lower", "", "" }, "012" },
	{ "heevd", "cz", { "lower", "", "" }, "012" },
	{ "gesdd", "sdcz", { "", "", "", "", "", "" }, "01234" },
	{ "geev", "sd", { "", "", "", "" }, "34567" },
	{ "geev", "cz", { "", "", "", "" }, "2345" },
	{ "gees", "sd", { "", "", "", "" }, "031245" },
	{ "gees", "cz", { "", "", "", "" }, "03245" },
};

/* The row of lapack_Xname or blas_Xname; letter: X. */
static const OldCall *old_call(const Op *op, char *letter)
{
	static const char *const libraries[] = { "lapack_", "blas_" };
	const Str *target = op_attr_str(op, A_call_target_name);
	for (size_t i = 0; target && i < ARRAY_LEN(libraries); i++) {
		size_t n = strlen(libraries[i]);
		if (target->len <= n + 1 || memcmp(target->s, libraries[i], n))
			continue;
		*letter = target->s[n];
		for (size_t k = 0; k < ARRAY_LEN(old_calls); k++)
			if (*letter && strchr(old_calls[k].types, *letter) && !strcmp(target->s + n + 1, old_calls[k].name))
				return &old_calls[k];
	}
	return NULL;
}

bool shlo_is_old_lapack(const Op *op)
{
	char letter;
	return old_call(op, &letter) != NULL;
}

static bool is_alpha(const char *scalar)
{
	return !strcmp(scalar, "alpha");
}

/* Settings as entries of today's dictionary; false + diagnostic when an operand is no such number. */
static bool settings_of(EvalCtx *e, const Op *op, const OldCall *c, Tensor *const *in, NamedAttr *dict)
{
	const Str *names[SCALARS];
	const Attr *values[SCALARS];
	size_t n = 0;
	for (size_t i = 0; i < SCALARS && c->scalars[i]; i++) {
		const char *name = c->scalars[i], *letters = strchr(name, '=');
		if (in[i]->kind != TYPE_TENSOR || in[i]->count != 1)
			return eval_error(e, op, "operand %zu is a tensor of %lld elements, one number is needed", i,
				(long long)in[i]->count);
		if (!*name || is_alpha(name))
			continue;
		int64_t v = tensor_get_i64(in[i], 0);
		if (letters && (v < 0 || v >= (int64_t)strlen(letters + 1)))
			return eval_error(e, op, "operand %zu is %lld, a number below %zu is needed", i, (long long)v, strlen(letters + 1));
		names[n] = str_n(e->ctx, name, letters ? (size_t)(letters - name) : strlen(name));
		values[n++] = attr_int(e->ctx, letters ? letters[1 + v] : v);
	}
	dict->name = str(e->ctx, "mhlo.backend_config");
	dict->value = attr_make(e->ctx, (Attr){ .kind = ATTR_DICT, .u.list = { .v = values, .names = names, .n = n } });
	return true;
}

/* Types of the results, in a tuple or not; their count. */
static size_t result_types(const Op *op, const Type **types)
{
	const Type *t = op->nresults == 1 ? op->results[0]->type : NULL;
	if (t && t->kind == TYPE_TUPLE && t->nelem <= RESULTS) {
		for (int i = 0; i < t->nelem; i++)
			types[i] = t->elem[i];
		return (size_t)t->nelem;
	}
	for (size_t i = 0; i < op->nresults && i < RESULTS; i++)
		types[i] = op->results[i]->type;
	return op->nresults;
}

static bool run_new(EvalCtx *e, const Op *op, const OldCall *c, char letter, Tensor *const *in, size_t nscalars, Tensor **got)
{
	Tensor *arrays[3];
	const Type *all[RESULTS], *types[RESULTS];
	NamedAttr attrs[2];
	char target[32];
	size_t n = 0, count = strlen(c->results), have = result_types(op, all);
	for (size_t i = nscalars; i < op->noperands; i++)
		arrays[n++] = in[i];
	if (is_alpha(c->scalars[nscalars - 1]))
		arrays[n++] = in[nscalars - 1];
	for (size_t i = 0; i < count; i++) {
		size_t at = (size_t)(c->results[i] - '0');
		if (at >= have || !all[at])
			return eval_error(e, op, "%zu results, more are needed", have);
		types[i] = all[at];
	}
	snprintf(target, sizeof target, "lapack_%c%s_ffi", letter, c->name);
	attrs[0] = (NamedAttr){ e->ctx->attr_names[A_call_target_name], attr_str(e->ctx, str(e->ctx, target)) };
	return settings_of(e, op, c, in, &attrs[1]) &&
		shlo_run_as(e, op, SHLO_custom_call, arrays, n, types, count, attrs, 2, got);
}

static Tensor *work_room(EvalCtx *e, const Op *op, const Type *t)
{
	int64_t dims[MAX_RANK];
	if (type_has_rank(t) && t->dtype != DT_NONE && type_static_dims(t, dims))
		return tensor_new(e, t->dtype, t->rank, dims);
	(void)eval_unsupported(e, op, "the type of a result is not static");
	return NULL;
}

/* Room to work in, and what is not among today's results, is zeros. */
bool shlo_old_lapack(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	char letter;
	const OldCall *c = old_call(op, &letter);
	const Type *types[RESULTS];
	Tensor *got[RESULTS] = { NULL }, *all[RESULTS] = { NULL };
	size_t nscalars = 0, n = result_types(op, types);
	while (nscalars < SCALARS && c->scalars[nscalars])
		nscalars++;
	if (op->noperands <= nscalars || op->noperands > nscalars + 2 || n > RESULTS)
		return eval_error(e, op, "%u operands and %zu results, %zu numbers and one or two arrays are needed", op->noperands, n,
			nscalars);
	if (!run_new(e, op, c, letter, in, nscalars, got))
		return false;
	for (size_t i = 0; i < strlen(c->results); i++)
		all[c->results[i] - '0'] = got[i];
	bool ok = true;
	for (size_t i = 0; i < n && ok; i++)
		ok = all[i] || (all[i] = work_room(e, op, types[i])) != NULL;
	bool tuple = op->results[0]->type && op->results[0]->type->kind == TYPE_TUPLE;
	if (ok && tuple)
		out[0] = tensor_sequence(e, TYPE_SEQUENCE, all, (int64_t)n);
	for (size_t i = 0; ok && !tuple && i < n; i++)
		out[i] = tensor_ref(all[i]);
	for (size_t i = 0; i < n; i++)
		tensor_unref(all[i]);
	return ok;
}
