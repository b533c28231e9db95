/* The table of passes, pipelines as text, and the runner that gives every pass verification, printing, time and counts. */
#include "pass/pass.h"

#include <stdio.h>
#include <string.h>

static const Pass PASSES[] = {
	{ "legalise", "dialect ops to core ops", pass_legalise, CLASS_EXACT },
	{ "core-forms", "what is left of StableHLO as core ops, for ONNX", pass_core_forms, CLASS_ROUNDING },
	{ "random-forms", "random numbers of StableHLO as core draws them, for ONNX", pass_random_forms, CLASS_STATISTICAL },
	{ "quantised-forms", "quantised StableHLO as integers between quantize and dequantize, for ONNX", pass_quantised_forms,
		CLASS_ROUNDING },
	{ "freeze", "initializers listed as inputs become constants", pass_freeze, CLASS_EXACT },
	{ "forget-hints", "declared types of inner values are dropped before they are inferred", pass_forget_hints, CLASS_EXACT },
	{ "declared-outputs", "what outputs were declared as completes their inferred types", pass_declared_outputs, CLASS_EXACT },
	{ "batch-statistics", "norms of training mode are reported, or frozen where that is asked for", pass_batch_statistics,
		CLASS_STATISTICAL },
	{ "inline", "calls of library functions are replaced by their bodies", pass_inline, CLASS_EXACT },
	{ "shapes", "types, symbolic dims and shape arithmetic of the whole module", pass_shapes, CLASS_EXACT },
	{ "fold", "constant expressions of the model become data", pass_fold, CLASS_EXACT },
	{ "rules", "the rewrite rules to their fixed point", pass_rules, CLASS_ROUNDING },
	{ "cse", "equal ops and equal constants are shared", pass_cse, CLASS_EXACT },
	{ "dce", "what no output needs is removed", pass_dce, CLASS_EXACT },
	{ "materialise", "weights that rules changed are computed, rounded once", pass_materialise, CLASS_ROUNDING },
	{ "decompose", "composite ops become simpler ones, for compilers: the rules of that topic", pass_decompose, CLASS_DOMAIN },
	{ "backend-forms", "and forms of ops: the rules of the topic backend", pass_backend_forms, CLASS_EXACT },
	{ "raise-onnx", "core ops to onnx ops of the model's opset", pass_raise_onnx, CLASS_EXACT },
	{ "raise-stablehlo", "core ops to StableHLO", pass_raise_stablehlo, CLASS_EXACT },
	{ "portable", "chlo ops to StableHLO ops, for bytecode", pass_portable, CLASS_ROUNDING },
};

/* What runs between the front (inline, freeze, legalise) and the back (materialise, raise). */
static const Pipeline PIPELINES[] = {
	{ "default", "fix(shapes,fold,legalise,rules,cse,dce)",
		"everything that keeps results unchanged within the chosen level" },
	{ "torch-onnx-to-torch-backend",
		"fix(shapes,fold,legalise,rules,cse,dce),fix(decompose,shapes,fold,legalise,rules,cse,dce),backend-forms",
		"the same, and composite ops taken apart: for IREE and others behind torch-mlir or StableHLO" },
	{ "stablehlo-target-independent", "fix(shapes,fold,legalise,rules,cse,dce)",
		"what stablehlo-opt's pipeline of that name simplifies, and more: docs/stablehlo-patterns.md" },
	{ "stablehlo-to-onnx",
		"fix(shapes,fold,legalise,rules,cse,dce),quantised-forms,legalise,core-forms,inline,legalise,"
		"fix(shapes,fold,legalise,rules,cse,dce)",
		"the default, and what is left of StableHLO in forms that ONNX has; used when such a module is written as ONNX" },
	{ "shapes-only", "shapes", "shape analysis alone" },
	{ "clean", "shapes,fold,cse,dce", "no rewrite rules: folding, sharing and removal of unused nodes" },
	{ "none", "", "translation to core ops and back" },
};

enum { MAX_ROUNDS = 32 };

const Pass *pass_table(size_t *n)
{
	*n = ARRAY_LEN(PASSES);
	return PASSES;
}

const Pipeline *pipeline_table(size_t *n)
{
	*n = ARRAY_LEN(PIPELINES);
	return PIPELINES;
}

static const Pass *find_pass(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(PASSES); i++)
		if (strlen(PASSES[i].name) == len && !memcmp(PASSES[i].name, s, len))
			return &PASSES[i];
	return NULL;
}

static PassStat *stat_of(PassCtx *p, const Pass *pass)
{
	for (size_t i = 0; i < p->stats.len; i++)
		if (p->stats.data[i].name == pass->name)
			return &p->stats.data[i];
	PassStat s = { .name = pass->name };
	VEC_PUSH(p->arena, &p->stats, s);
	return &p->stats.data[p->stats.len - 1];
}

static bool run_pass(const Pass *pass, Module *m, PassCtx *p, bool *changed)
{
	double start = clock_seconds();
	bool did = pass->run(m, p);
	PassStat *s = stat_of(p, pass);
	s->runs++;
	s->changes += did;
	s->seconds += clock_seconds() - start;
	if (did)
		*changed = true;
	if (p->ctx->diags.status != HONE_OK)
		return false;
	if (p->verify_each && !module_verify(m, &p->ctx->diags)) {
		diag_hint(&p->ctx->diags, "pass %s broke the module: please report it with the model", pass->name);
		return false;
	}
	if (p->print && p->print_after && (!strcmp(p->print_after, "all") ? did : !strcmp(p->print_after, pass->name)))
		p->print(p->print_arg, pass->name, m);
	if (did && p->check && !p->check(p->check_arg, pass->name, m))
		return false;
	return true;
}

static bool unknown_pass(PassCtx *p, const char *s, size_t len)
{
	const char *names[ARRAY_LEN(PASSES) + ARRAY_LEN(PIPELINES)];
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(PASSES); i++)
		names[n++] = PASSES[i].name;
	for (size_t i = 0; i < ARRAY_LEN(PIPELINES); i++)
		names[n++] = PIPELINES[i].name;
	char *text = arena_printf(p->arena, "%.*s", (int)(len < 200 ? len : 200), s);
	const char *near = nearest_name(text, names, n);
	diag_error(&p->ctx->diags, HONE_USAGE, NULL, "no pass or pipeline is named %s", quote(p->arena, s, len));
	if (near)
		diag_hint(&p->ctx->diags, "did you mean %s? `hone passes` lists all", near);
	else
		diag_hint(&p->ctx->diags, "`hone passes` lists all");
	return false;
}

/* Runs text[0..len): names separated by commas, fix(...) repeats its list until nothing changes. */
static bool run_list(const char *s, size_t len, Module *m, PassCtx *p, bool *changed, int depth);

static bool run_fix(const char *s, size_t len, Module *m, PassCtx *p, bool *changed, int depth)
{
	for (int round = 0; round < MAX_ROUNDS; round++) {
		bool again = false;
		p->rounds++;
		if (!run_list(s, len, m, p, &again, depth + 1))
			return false;
		if (!again)
			return true;
		*changed = true;
		if (p->rewrite.limit >= 0 && p->log->rewrites >= p->rewrite.limit)
			return true;
	}
	diag_warn(&p->ctx->diags, NULL, "no fixed point after %d rounds of %.*s; the result is valid but may not be minimal",
			MAX_ROUNDS, (int)len, s);
	return true;
}

static bool run_item(const char *s, size_t len, Module *m, PassCtx *p, bool *changed, int depth)
{
	if (len > 5 && !memcmp(s, "fix(", 4) && s[len - 1] == ')')
		return run_fix(s + 4, len - 5, m, p, changed, depth);
	const Pass *pass = find_pass(s, len);
	if (pass)
		return run_pass(pass, m, p, changed);
	for (size_t i = 0; i < ARRAY_LEN(PIPELINES); i++)
		if (strlen(PIPELINES[i].name) == len && !memcmp(PIPELINES[i].name, s, len))
			return run_list(PIPELINES[i].text, strlen(PIPELINES[i].text), m, p, changed, depth + 1);
	return unknown_pass(p, s, len);
}

static bool run_list(const char *s, size_t len, Module *m, PassCtx *p, bool *changed, int depth)
{
	if (depth > 8)
		return diag_error(&p->ctx->diags, HONE_USAGE, NULL, "pipeline text is nested too deeply");
	size_t start = 0;
	int open = 0;
	for (size_t i = 0; i <= len; i++) {
		char c = i < len ? s[i] : ',';
		open += (c == '(') - (c == ')');
		if (open < 0)
			break;
		if (c != ',' || open)
			continue;
		size_t a = start, b = i;
		while (a < b && s[a] == ' ')
			a++;
		while (b > a && s[b - 1] == ' ')
			b--;
		if (b > a && !run_item(s + a, b - a, m, p, changed, depth))
			return false;
		start = i + 1;
	}
	if (open)
		return diag_error(&p->ctx->diags, HONE_USAGE, NULL, "unbalanced parentheses in pipeline %.*s", (int)len, s);
	return true;
}

bool pipeline_run(const char *text, Module *m, PassCtx *p)
{
	bool changed = false;
	return run_list(text, strlen(text), m, p, &changed, 0);
}

bool pass_shapes(Module *m, PassCtx *p)
{
	p->infer->changed = false;
	shape_infer(p->infer, m);
	return p->infer->changed;
}

bool pass_rules(Module *m, PassCtx *p)
{
	return rewrite_run(m, p->infer, &p->rewrite, p->log, p->explain);
}
