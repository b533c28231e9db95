/* Models, optimisation and comparison of the public interface. */
#include "api/api.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert((int)HONE_STRING == (int)DT_STR && (int)HONE_F32 == (int)DT_F32 && (int)HONE_C64 == (int)DT_C64 &&
	(int)HONE_F8E4M3FN == (int)DT_F8E4M3FN, "hone_dtype has the numbers of DType");

unsigned hone_version_number(void)
{
	return HONE_VERSION_NUMBER;
}

const char *hone_version(void)
{
	return HONE_VERSION;
}

/* ---- roots ---- */

Root *root_new(void)
{
	Root *r = mem_zalloc(sizeof(*r));
	r->refs = 1;
	r->ctx = context_new();
	r->arena = arena_new();
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

Root *root_ref(Root *r)
{
	__atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED);
	return r;
}

void root_unref(Root *r)
{
	if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	pthread_mutex_destroy(&r->lock);
	context_free(r->ctx);
	arena_free(r->arena);
	mem_free(r);
}

static hone_model *model_new(Root *root, Module *m)
{
	hone_model *h = mem_zalloc(sizeof(*h));
	*h = (hone_model){ .refs = 1, .root = root_ref(root), .module = m };
	return h;
}

hone_model *model_ref(const hone_model *m)
{
	hone_model *h = (hone_model *)(uintptr_t)m;
	__atomic_add_fetch(&h->refs, 1, __ATOMIC_RELAXED);
	return h;
}

/* The module stays with the context: others may share its constants. */
void hone_model_free(hone_model *m)
{
	if (!m || __atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	root_unref(m->root);
	mem_free(m);
}

/* ---- reading and writing ---- */

static hone_status load(Root *root, const char *path, const hone_options *o, hone_model **out, hone_error **error)
{
	ReadOptions r = { .data_dir = option_get(o, "data-dir"), .allow_external_dir = option_on(o, "allow-external-dir",
		false) };
	if (!progress_go_on(o, "read"))
		return fail(HONE_STATUS_CANCELED, error, "cancelled before the model was read");
	Module *m = model_read(root->ctx, path, &r);
	bool whole = m && module_needs_main(m);
	hone_status s = take_errors(&root->ctx->diags, whole ? HONE_STATUS_OK : HONE_STATUS_INVALID, o, error);
	if (s == HONE_STATUS_OK)
		*out = model_new(root, m);
	return s;
}

hone_status hone_model_load_file(const char *path, const hone_options *o, hone_model **out, hone_error **error)
{
	MemGuard guard;
	Root *volatile root = NULL;
	if (error)
		*error = NULL;
	if (!path || !out)
		return fail(HONE_STATUS_USAGE, error, "a path and a place for the model are expected");
	*out = NULL;
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		root_unref(root);
		return fail(HONE_STATUS_LIMIT, error, "out of memory while reading %s", path);
	}
	root = root_new();
	hone_status s = load(root, path, o, out, error);
	mem_guard_pop(&guard);
	root_unref(root);
	return s;
}

/* Readers map files: the bytes become one without a name. */
hone_status hone_model_load_memory(const void *bytes, size_t size, const hone_options *o, hone_model **out,
	hone_error **error)
{
	char path[64];
	if (error)
		*error = NULL;
	if (!bytes || !out)
		return fail(HONE_STATUS_USAGE, error, "bytes and a place for the model are expected");
	*out = NULL;
	int fd = memfd_create("hone-model", MFD_CLOEXEC);
	if (fd < 0)
		return fail(HONE_STATUS_IO, error, "no memory file for %zu bytes", size);
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)bytes + done, size - done);
		if (n <= 0) {
			close(fd);
			return fail(HONE_STATUS_LIMIT, error, "no memory for a copy of %zu bytes", size);
		}
		done += (size_t)n;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	hone_status s = hone_model_load_file(path, o, out, error);
	close(fd);
	return s;
}

/* A form without chlo ops is written of a copy. */
static bool save(Module *m, const char *path, const char *format, const WriteOptions *w)
{
	if (!output_is_portable(m, path, format))
		return model_write(m, path, format, w);
	Arena *a = arena_new();
	Module *copy = module_clone(m, NULL);
	bool ok = make_portable(copy, a) && model_write(copy, path, format, w);
	module_free(copy);
	arena_free(a);
	return ok;
}

hone_status hone_model_save_file(const hone_model *m, const char *path, const hone_options *o, hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (!m || !path)
		return fail(HONE_STATUS_USAGE, error, "a model and a path are expected");
	if (!progress_go_on(o, "write"))
		return fail(HONE_STATUS_CANCELED, error, "cancelled before the model was written");
	pthread_mutex_lock(&m->root->lock);
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		pthread_mutex_unlock(&m->root->lock);
		return fail(HONE_STATUS_LIMIT, error, "out of memory while writing %s", path);
	}
	WriteOptions w = { .external_data = option_on(o, "external-data", false) };
	bool ok = save(m->module, path, option_get(o, "format"), &w);
	hone_status s = take_errors(&m->root->ctx->diags, ok ? HONE_STATUS_OK : HONE_STATUS_IO, o, error);
	mem_guard_pop(&guard);
	pthread_mutex_unlock(&m->root->lock);
	return s;
}

/* ---- the interface of a model ---- */

static const Func *main_of(const hone_model *m)
{
	return m->module->main;
}

size_t hone_model_num_inputs(const hone_model *m)
{
	return main_of(m)->body->nargs;
}

static const Op *returns(const hone_model *m)
{
	return block_terminator(main_of(m)->body);
}

size_t hone_model_num_outputs(const hone_model *m)
{
	return returns(m)->noperands;
}

const char *hone_model_input_name(const hone_model *m, size_t i)
{
	if (i >= hone_model_num_inputs(m))
		return NULL;
	const Str *s = main_of(m)->body->args[i]->name;
	return s ? s->s : "";
}

const char *hone_model_output_name(const hone_model *m, size_t i)
{
	if (i >= hone_model_num_outputs(m))
		return NULL;
	const Func *f = main_of(m);
	const Str *s = f->result_names ? f->result_names[i] : NULL;
	if (!s)
		s = op_operand(returns(m), i)->name;
	return s ? s->s : "";
}

static const Type *input_type(const hone_model *m, size_t i)
{
	return i < hone_model_num_inputs(m) ? main_of(m)->body->args[i]->type : NULL;
}

/* What analysis found, or else what the file declares. */
static const Type *output_type(const hone_model *m, size_t i)
{
	if (i >= hone_model_num_outputs(m))
		return NULL;
	const Type *t = op_operand(returns(m), i)->type;
	const Func *f = main_of(m);
	return t->kind == TYPE_UNKNOWN && f->result_types && f->result_types[i] ? f->result_types[i] : t;
}

static hone_dtype dtype_of(const Type *t)
{
	return t && t->kind == TYPE_TENSOR ? (hone_dtype)t->dtype : HONE_DTYPE_NONE;
}

static int rank_of(const Type *t)
{
	return type_has_rank(t) ? t->rank : -1;
}

static int64_t dim_of(const Type *t, int d)
{
	int64_t n;
	return type_has_rank(t) && d >= 0 && d < t->rank && sym_const(t->dims[d], &n) ? n : -1;
}

static const char *symbol_of(const hone_model *m, const Type *t, int d)
{
	if (!type_has_rank(t) || d < 0 || d >= t->rank || sym_kind(t->dims[d]) == SYM_CONST)
		return NULL;
	Buf b = { 0 };
	sym_print(t->dims[d], &b);
	pthread_mutex_lock(&m->root->lock);
	const Str *s = str_n(m->root->ctx, b.data, b.len);
	pthread_mutex_unlock(&m->root->lock);
	buf_free(&b);
	return s->s;
}

hone_dtype hone_model_input_dtype(const hone_model *m, size_t i) { return dtype_of(input_type(m, i)); }
hone_dtype hone_model_output_dtype(const hone_model *m, size_t i) { return dtype_of(output_type(m, i)); }
int hone_model_input_rank(const hone_model *m, size_t i) { return rank_of(input_type(m, i)); }
int hone_model_output_rank(const hone_model *m, size_t i) { return rank_of(output_type(m, i)); }
int64_t hone_model_input_dim(const hone_model *m, size_t i, int d) { return dim_of(input_type(m, i), d); }
int64_t hone_model_output_dim(const hone_model *m, size_t i, int d) { return dim_of(output_type(m, i), d); }

const char *hone_model_input_symbol(const hone_model *m, size_t i, int d)
{
	return symbol_of(m, input_type(m, i), d);
}

const char *hone_model_output_symbol(const hone_model *m, size_t i, int d)
{
	return symbol_of(m, output_type(m, i), d);
}

const char *hone_dtype_name(hone_dtype d)
{
	return (unsigned)d < DT_COUNT ? dtype_friendly_name((DType)d) : "";
}

size_t hone_dtype_size(hone_dtype d)
{
	return d == HONE_STRING || (unsigned)d >= DT_COUNT || d == HONE_DTYPE_NONE ? 0 : dtype_size((DType)d);
}

/* ---- optimise ---- */

bool option_bindings(const hone_options *o, Context *c, Arena *a, ShapeBinding **out, size_t *n)
{
	VEC(ShapeBinding) list = { 0 };
	for (size_t i = 0; o && i < o->names.len; i++) {
		bool dim = !strcmp(o->names.data[i], "dim");
		ShapeBinding b;
		if (!dim && strcmp(o->names.data[i], "shape") != 0)
			continue;
		if (!(dim ? shape_parse_dim : shape_parse_shape)(c, a, o->values.data[i], &b))
			return false;
		VEC_PUSH(a, &list, b);
	}
	*out = list.data;
	*n = list.len;
	return true;
}

static bool names_of(const char *text, Arena *a, Context *c, const char *const **out)
{
	VEC(const char *) list = { 0 };
	*out = NULL;
	while (text && *text) {
		size_t len = strcspn(text, ",");
		char *name = arena_printf(a, "%.*s", (int)len, text);
		bool known = rule_find(name) != NULL;
		for (size_t i = 0; i < rule_set_count(); i++)
			known |= !strcmp(rule_set_at(i)->topic, name);
		if (!known)
			return diag_error(&c->diags, HONE_USAGE, NULL, "there is no rule or topic \"%s\"", name);
		VEC_PUSH(a, &list, name);
		text += len + (text[len] == ',');
	}
	if (list.len) {
		VEC_PUSH(a, &list, NULL);
		*out = list.data;
	}
	return true;
}

bool option_rewrite(const hone_options *o, Context *c, OptimiseOptions *out)
{
	const char *allow = option_get(o, "allow");
	Arena *a = c->arena;
	ShapeBinding *bind;
	optimise_options_init(out);
	if (!option_bindings(o, c, a, &bind, &out->nbind) || !names_of(option_get(o, "disable"), a, c, &out->rewrite.disable) ||
			!names_of(option_get(o, "only"), a, c, &out->rewrite.only))
		return false;
	if (allow && strcmp(allow, "domain") != 0 && strcmp(allow, "statistical") != 0)
		return diag_error(&c->diags, HONE_USAGE, NULL, "option allow: domain or statistical is expected, not \"%s\"", allow);
	if (allow)
		out->rewrite.allow = 1u << (*allow == 'd' ? CLASS_DOMAIN : CLASS_STATISTICAL);
	out->bind = bind;
	out->rewrite.level = (int)option_int(o, "level", 2);
	out->threads = (int)option_int(o, "threads", 0);
	out->passes = option_get(o, "passes");
	out->max_growth = option_int(o, "max-growth", out->max_growth);
	out->freeze_inputs = option_on(o, "freeze-inputs", false);
	out->expand_constants = option_on(o, "expand-constants", false);
	out->seed = (uint64_t)option_int(o, "seed", 0);
	return true;
}

static hone_report *report_new(json_t *j)
{
	hone_report *r = mem_zalloc(sizeof(*r));
	r->json = json_dumps(j, JSON_INDENT(2));
	json_decref(j);
	if (!r->json)
		mem_fail();
	return r;
}

const char *hone_report_json(const hone_report *r)
{
	return r ? r->json : NULL;
}

void hone_report_free(hone_report *r)
{
	if (!r)
		return;
	free(r->json);
	mem_free(r);
}

static json_t *figures_json(const ModelFigures *f)
{
	return json_pack("{s:I s:I s:I s:I}", "nodes", (json_int_t)f->nodes, "constants", (json_int_t)f->constants, "parameters",
		(json_int_t)f->parameters, "weight_bytes", (json_int_t)f->weight_bytes);
}

static hone_report *optimise_report(const OptimiseReport *r)
{
	json_t *kinds = json_array();
	for (size_t i = 0; i < r->kinds.len; i++)
		json_array_append_new(kinds, json_pack("{s:s s:I s:I}", "kind", r->kinds.data[i].name, "before",
			(json_int_t)r->kinds.data[i].before, "after", (json_int_t)r->kinds.data[i].after));
	return report_new(json_pack("{s:i s:o s:o s:o s:b s:I s:I s:I s:f}", "schema", 1, "before", figures_json(&r->before),
		"after", figures_json(&r->after), "kinds", kinds, "proved", r->proved, "values_checked",
			(json_int_t)r->proof.checked,
		"values_unchanged", (json_int_t)r->proof.unchanged, "values_skipped", (json_int_t)r->proof.skipped, "seconds",
		r->seconds));
}

/* On a copy; raised to the ops of its format. */
static hone_status optimise_locked(const hone_model *m, const hone_options *o, hone_model **out, hone_report **report,
		hone_error **error)
{
	OptimiseOptions opt;
	OptimiseReport r;
	Context *c = m->root->ctx;
	Arena *a = arena_new();
	if (!option_rewrite(o, c, &opt)) {
		arena_free(a);
		return take_errors(&c->diags, HONE_STATUS_USAGE, o, error);
	}
	opt.verify = option_on(o, "verify", true);
	const char *format = option_get(o, "format");
	opt.to_stablehlo = format ? !strcmp(format, "stablehlo") : m->module->format && !strcmp(m->module->format->s,
		"stablehlo");
	opt.to_onnx = !opt.to_stablehlo;
	Module *copy = module_clone(m->module, NULL);
	bool ok = optimise(copy, &opt, a, &r) && (m->module->compiled || optimise_raise(copy, &opt, a, &r));
	hone_status s = take_errors(&c->diags, ok ? HONE_STATUS_OK : HONE_STATUS_INVALID, o, error);
	if (s == HONE_STATUS_OK) {
		*out = model_new(m->root, copy);
		if (report)
			*report = optimise_report(&r);
	}
	arena_free(a);
	return s;
}

hone_status hone_optimize(const hone_model *m, const hone_options *o, hone_model **out, hone_report **report,
	hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (report)
		*report = NULL;
	if (!m || !out)
		return fail(HONE_STATUS_USAGE, error, "a model and a place for the result are expected");
	*out = NULL;
	if (!progress_go_on(o, "optimise"))
		return fail(HONE_STATUS_CANCELED, error, "cancelled before the model was optimised");
	pthread_mutex_lock(&m->root->lock);
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		pthread_mutex_unlock(&m->root->lock);
		return fail(HONE_STATUS_LIMIT, error, "out of memory while optimising");
	}
	hone_status s = optimise_locked(m, o, out, report, error);
	mem_guard_pop(&guard);
	pthread_mutex_unlock(&m->root->lock);
	return s;
}

/* ---- verify ---- */

static hone_report *verify_report(const VerifyReport *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->outputs.len; i++)
		json_array_append_new(list, json_pack("{s:s s:i s:b s:I s:f s:s}", "output", r->outputs.data[i].name, "input_set",
			r->outputs.data[i].round, "equal", r->outputs.data[i].compare.equal, "bad",
				(json_int_t)r->outputs.data[i].compare.bad,
			"noise", r->outputs.data[i].noise, "why", r->outputs.data[i].compare.why));
	return report_new(json_pack("{s:i s:b s:o}", "schema", 1, "equal", r->equal, "outputs", list));
}

static hone_status verify_locked(const hone_model *a, const hone_model *b, const hone_options *o, hone_report **report,
		hone_error **error)
{
	VerifyReport r;
	VerifyOptions v = { .seed = (uint64_t)option_int(o, "seed", 0), .rounds = (int)option_int(o, "rounds", 3),
		.threads = (int)option_int(o, "threads", 0) };
	Arena *arena = arena_new();
	Context *c = a->root->ctx;
	Module *x = module_clone(a->module, NULL), *y = module_clone(b->module, NULL);
	bool ok = (a->module->compiled || prepare_to_run(x, arena)) && (b->module->compiled || prepare_to_run(y, arena)) &&
		verify_models(x, y, &v, arena, &r);
	hone_status s = take_errors(&c->diags, ok ? HONE_STATUS_OK : HONE_STATUS_INVALID, o, error);
	if (s == HONE_STATUS_OK && report)
		*report = verify_report(&r);
	if (s == HONE_STATUS_OK && !r.equal)
		s = HONE_STATUS_DIFFERENT;
	arena_free(arena);
	return s;
}

hone_status hone_verify(const hone_model *a, const hone_model *b, const hone_options *o, hone_report **report,
	hone_error **error)
{
	MemGuard guard;
	if (error)
		*error = NULL;
	if (report)
		*report = NULL;
	if (!a || !b)
		return fail(HONE_STATUS_USAGE, error, "two models are expected");
	if (!progress_go_on(o, "verify"))
		return fail(HONE_STATUS_CANCELED, error, "cancelled before the models were compared");
	/* Two locks are taken in the order of their addresses. */
	Root *first = a->root < b->root ? a->root : b->root, *second = first == a->root ? b->root : a->root;
	pthread_mutex_lock(&first->lock);
	if (second != first)
		pthread_mutex_lock(&second->lock);
	mem_guard_push(&guard);
	hone_status s;
	if (setjmp(guard.env)) {
		s = fail(HONE_STATUS_LIMIT, error, "out of memory while comparing");
	} else {
		s = verify_locked(a, b, o, report, error);
		mem_guard_pop(&guard);
	}
	if (second != first)
		pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
	return s;
}
