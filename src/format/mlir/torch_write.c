#include "torch_write.h"
#include "ops/label.h"

#include <stdlib.h>
#include <string.h>

/* Writes a module of ONNX ops as the importers of IREE and torch-mlir do: one function, initializers first, then
 * %none = torch.constant.none, then the nodes; values are numbered as MLIR numbers them. What the dialect cannot say is an
 * error that names the op. */

static void indent(TorchWriter *w, int depth)
{
	for (int i = 0; i < depth; i++)
		buf_puts(w->out, "  ");
}

/* ---- values ---- */

/* MLIR numbers all ops of a block before it looks into their regions, which all start from the same number. A parameter is
 * two ops: the load and the conversion. */
static void number_block(TorchWriter *w, const Block *b)
{
	for (const Op *op = b->first; op; op = op->next) {
		if ((op->def->traits & TRAIT_TERMINATOR) || !op->nresults)
			continue;
		unsigned k = w->numbers[op->id] = w->next++;
		if (map_has(&w->globals, MAP_PTR(op)))
			k = w->next++;
		for (size_t i = 0; i < op->nresults; i++)
			w->names[op->results[i]->id] = op->nresults == 1 ? arena_printf(w->arena, "%%%u", k) :
				arena_printf(w->arena, "%%%u#%zu", k, i);
	}
}

static void print_results_of(TorchWriter *w, const Op *op)
{
	if (op->nresults == 1)
		buf_printf(w->out, "%%%u = ", w->numbers[op->id]);
	else if (op->nresults)
		buf_printf(w->out, "%%%u:%u = ", w->numbers[op->id], op->nresults);
}

static void name_arg(TorchWriter *w, const Value *v)
{
	w->names[v->id] = arena_printf(w->arena, "%%arg%u", (unsigned)w->next_arg++);
}

static void print_use(TorchWriter *w, const Value *v)
{
	buf_puts(w->out, v && w->names[v->id] ? w->names[v->id] : "%none");
}

/* An input with a default is that constant here, so that it has the constant's type. */
static const Type *said_type(const Value *v)
{
	const Block *b = v->block;
	const Func *f = b && !b->parent ? b->func : NULL;
	const Attr *value = f && f->body == b && f->arg_default ? f->arg_default[v->index] : NULL;
	return value ? value->u.tensor.type : v->type;
}

static bool print_types(TorchWriter *w, const Use *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_puts(w->out, i ? ", " : "");
		if (!v[i].value)
			buf_puts(w->out, "!torch.none");
		else if (!torch_type(w, said_type(v[i].value)))
			return false;
	}
	return true;
}

static void print_uses(TorchWriter *w, const Use *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_puts(w->out, i ? ", " : "");
		print_use(w, v[i].value);
	}
}

static void print_place(TorchWriter *w, const char *name)
{
	if (!w->o->locations || !name)
		return;
	buf_puts(w->out, " loc(");
	torch_escaped(w->out, name, strlen(name));
	buf_puts(w->out, ")");
}

/* ---- ops ---- */

static bool print_block(TorchWriter *w, const Block *b, int depth);

/* "onnx.Conv" of "onnx.Conv" and "onnx.com.microsoft::Conv"; NULL for other dialects. */
static const char *node_name(TorchWriter *w, const Op *op)
{
	const Str *s = op->def->name;
	if (op_is(op, ONNX_initializer) || op_is(op, OP_constant))
		return "onnx.Constant";
	if (s->len < 6 || memcmp(s->s, "onnx.", 5) != 0)
		return NULL;
	const char *domain = strstr(s->s, "::");
	return domain ? arena_printf(w->arena, "onnx.%s", domain + 2) : s->s;
}

static bool is_written(const Op *op, const Str *name)
{
	bool initial = op_is(op, ONNX_initializer) || op_is(op, OP_constant);
	return name->known != A_graph_names && (!initial || !strcmp(name->s, "value"));
}

static bool print_attrs(TorchWriter *w, const Op *op)
{
	const Str *key = op->nresults ? op->results[0]->name : NULL;
	bool any = false;
	if ((op_is(op, ONNX_initializer) || op_is(op, OP_constant)) && !op_attr_named(op, str(w->c, "value")))
		return torch_unsupported(w, "the sparse value");
	for (size_t i = 0; i < op->nattrs; i++) {
		if (!is_written(op, op->attrs[i].name))
			continue;
		buf_puts(w->out, any ? ", " : " {");
		any = true;
		if (!torch_attr(w, op->attrs[i].name, op->attrs[i].value, key))
			return false;
	}
	buf_puts(w->out, any ? "}" : "");
	return true;
}

static bool print_op_types(TorchWriter *w, const Op *op)
{
	buf_puts(w->out, " : (");
	if (!print_types(w, op->operands, op->noperands))
		return false;
	buf_puts(w->out, op->nresults == 1 ? ") -> " : ") -> (");
	for (size_t i = 0; i < op->nresults; i++) {
		buf_puts(w->out, i ? ", " : "");
		if (!torch_type(w, op->results[i]->type))
			return false;
	}
	buf_puts(w->out, op->nresults == 1 ? "" : ")");
	return true;
}

static bool print_region(TorchWriter *w, const Block *b, int depth)
{
	uint32_t next = w->next, next_arg = w->next_arg;
	buf_puts(w->out, "{\n");
	if (b->nargs) {
		indent(w, depth);
		buf_puts(w->out, "^bb0(");
		for (uint32_t i = 0; i < b->nargs; i++) {
			name_arg(w, b->args[i]);
			buf_printf(w->out, "%s%s: ", i ? ", " : "", w->names[b->args[i]->id]);
			if (!torch_type(w, b->args[i]->type))
				return false;
		}
		buf_puts(w->out, "):\n");
	}
	if (!print_block(w, b, depth + 1))
		return false;
	indent(w, depth);
	buf_puts(w->out, "}");
	w->next = next;
	w->next_arg = next_arg;
	return true;
}

static const char *graph_name(const Op *op, size_t i)
{
	const Attr *a = op_attr(op, A_graph_names);
	return a && a->kind == ATTR_STRS && i < a->u.strs.n ? a->u.strs.v[i]->s : "";
}

/* Regions come in the order of their attributes' names. */
static bool print_regions(TorchWriter *w, const Op *op, int depth)
{
	size_t *order = NEW_ARRAY(w->arena, size_t, op->nblocks + 1u);
	for (size_t i = 0; i < op->nblocks; i++) {
		size_t at = i;
		for (; at > 0 && strcmp(graph_name(op, i), graph_name(op, order[at - 1])) < 0; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (size_t i = 0; i < op->nblocks; i++) {
		buf_puts(w->out, i ? ", " : " ");
		if (!op->blocks[order[i]] || !print_region(w, op->blocks[order[i]], depth))
			return false;
	}
	return true;
}

static bool print_terminator(TorchWriter *w, const Op *op)
{
	buf_puts(w->out, op->block->parent ? "torch.operator_terminator" : "return");
	if (op->noperands) {
		buf_puts(w->out, " ");
		print_uses(w, op->operands, op->noperands);
		buf_puts(w->out, " : ");
	}
	return print_types(w, op->operands, op->noperands);
}

/* An initializer that is a parameter: loaded as a signless tensor. */
static bool print_load(TorchWriter *w, unsigned k, const Type *t, const Str *name, int depth)
{
	buf_printf(w->out, "%%%u = util.global.load ", k);
	torch_symbol(w->out, name);
	buf_puts(w->out, " : ");
	torch_builtin_type(w, t, true);
	buf_puts(w->out, "\n");
	indent(w, depth);
	buf_printf(w->out, "%%%u = torch_c.from_builtin_tensor %%%u : ", k + 1, k);
	torch_builtin_type(w, t, true);
	buf_puts(w->out, " -> ");
	return torch_type(w, t);
}

static bool print_node(TorchWriter *w, const Op *op, int depth)
{
	const char *name = node_name(w, op);
	const Str *global = map_get(&w->globals, MAP_PTR(op));
	if (global)
		return print_load(w, w->numbers[op->id], op->results[0]->type, global, depth);
	if (!name)
		return diag_error(w->d, HONE_UNSUPPORTED, op->loc, "torch-onnx has no form for op %s", op_said_name(w->arena, op));
	print_results_of(w, op);
	buf_puts(w->out, "torch.operator ");
	torch_escaped(w->out, name, strlen(name));
	buf_puts(w->out, "(");
	print_uses(w, op->operands, op->noperands);
	buf_puts(w->out, ")");
	if (!print_attrs(w, op) || !print_op_types(w, op))
		return false;
	if (!op->nblocks)
		buf_puts(w->out, " ");
	return print_regions(w, op, depth);
}

static bool print_op(TorchWriter *w, const Op *op, int depth)
{
	w->user = op;
	indent(w, depth);
	bool end = op->def->traits & TRAIT_TERMINATOR;
	if (end ? !print_terminator(w, op) : !print_node(w, op, depth))
		return false;
	print_place(w, op->name ? op->name->s : op->nresults && op->results[0]->name ? op->results[0]->name->s : NULL);
	buf_puts(w->out, "\n");
	torch_flush(w, (size_t)1 << 20);
	return true;
}

static bool print_block(TorchWriter *w, const Block *b, int depth)
{
	const Op *op = b->first;
	number_block(w, b);
	if (!b->parent) {
		for (; op && (op_is(op, ONNX_initializer) || op_is(op, OP_constant)); op = op->next)
			if (!print_op(w, op, depth))
				return false;
		indent(w, depth);
		buf_puts(w->out, "%none = torch.constant.none\n");
	}
	for (; op; op = op->next)
		if (!print_op(w, op, depth))
			return false;
	return true;
}

/* ---- the function ---- */

static bool has_default(const Func *f, size_t i)
{
	return f->arg_default && f->arg_default[i];
}

/* Inputs that are left out of the signature: those with a default, and parameters. */
static bool is_elided(const TorchWriter *w, const Func *f, size_t i)
{
	return has_default(f, i) || map_has(&w->globals, MAP_PTR(f->body->args[i]));
}

static bool has_symbols(const TorchWriter *w, const Type *t)
{
	bool symbolic = false;
	for (int i = 0; t->kind == TYPE_TENSOR && i < t->rank; i++)
		symbolic |= sym_kind(t->dims[i]) != SYM_CONST && !sym_is_unknown(t->dims[i]);
	return symbolic && !w->o->plain;
}

/* {hone.dims = ["n", "3"], hone.name = "x"}: what the type does not say. */
static void print_names(TorchWriter *w, const Type *t, const Str *name)
{
	bool symbolic = has_symbols(w, t);
	if (w->o->plain)
		name = NULL;
	if (!symbolic && !name)
		return;
	buf_puts(w->out, " {");
	if (symbolic) {
		buf_puts(w->out, "hone.dims = [");
		for (int i = 0; i < t->rank; i++) {
			Buf b = { 0 };
			if (!sym_is_unknown(t->dims[i]))
				sym_print(t->dims[i], &b);
			buf_puts(w->out, i ? ", " : "");
			torch_escaped(w->out, b.data ? b.data : "", b.len);
			buf_free(&b);
		}
		buf_puts(w->out, name ? "], " : "]");
	}
	if (name) {
		buf_puts(w->out, "hone.name = ");
		torch_escaped(w->out, name->s, name->len);
	}
	buf_puts(w->out, "}");
}

static bool print_args(TorchWriter *w, const Func *f)
{
	bool first = true;
	buf_puts(w->out, "(");
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		const Value *v = f->body->args[i];
		if (is_elided(w, f, i))
			continue;
		name_arg(w, v);
		buf_printf(w->out, "%s%s: ", first ? "" : ", ", w->names[v->id]);
		first = false;
		if (!torch_type(w, v->type))
			return false;
		print_names(w, v->type, v->name && strcmp(v->name->s, w->names[v->id] + 1) ? v->name : NULL);
		if (w->o->locations && v->name)
			print_place(w, v->name->s);
	}
	buf_puts(w->out, ")");
	return true;
}

static bool print_results(TorchWriter *w, const Func *f)
{
	const Op *ret = f->body->last;
	bool named = f->result_names && f->result_names[0] && !w->o->plain;
	bool one = ret->noperands == 1 && !named && !has_symbols(w, said_type(ret->operands[0].value));
	if (!ret->noperands)
		return true;
	buf_puts(w->out, one ? " -> " : " -> (");
	for (size_t i = 0; i < ret->noperands; i++) {
		const Type *t = said_type(ret->operands[i].value);
		buf_puts(w->out, i ? ", " : "");
		if (!torch_type(w, t))
			return false;
		print_names(w, t, f->result_names ? f->result_names[i] : NULL);
	}
	buf_puts(w->out, one ? "" : ")");
	return true;
}

static int by_domain(const void *a, const void *b)
{
	const NamedAttr *x = a, *y = b;
	return strcmp(x->name->s, y->name->s);
}

static void print_meta_string(TorchWriter *w, const char *name)
{
	const Attr *a = module_attr(w->m, name);
	const Str *s = a && a->kind == ATTR_STR ? a->u.str : w->c->empty;
	buf_printf(w->out, ", torch.onnx_meta.%s = ", name);
	torch_escaped(w->out, s->s, s->len);
}

static void print_meta(TorchWriter *w)
{
	const Attr *ir = module_attr(w->m, "ir_version"), *sets = module_attr(w->m, "opset_imports");
	size_t n = sets && sets->kind == ATTR_DICT ? sets->u.list.n : 0, others = 0;
	NamedAttr *list = NEW_ARRAY(w->arena, NamedAttr, n + 1);
	buf_printf(w->out, " attributes {torch.onnx_meta.ir_version = %lld : si64",
		(long long)(ir && ir->kind == ATTR_INT ? ir->u.i : 8));
	for (size_t i = 0; i < n; i++) {
		const Str *domain = sets->u.list.names[i];
		if (sets->u.list.v[i]->kind != ATTR_INT)
			continue;
		if (!domain->len || !strcmp(domain->s, "ai.onnx"))
			buf_printf(w->out, ", torch.onnx_meta.opset_version = %lld : si64", (long long)sets->u.list.v[i]->u.i);
		else
			list[others++] = (NamedAttr){ domain, sets->u.list.v[i] };
	}
	qsort(list, others, sizeof *list, by_domain);
	for (size_t i = 0; i < others; i++) {
		buf_puts(w->out, i ? ", " : ", torch.onnx_meta.opset_versions = {");
		if (is_word(list[i].name->s, list[i].name->len))
			buf_puts(w->out, list[i].name->s);
		else
			torch_escaped(w->out, list[i].name->s, list[i].name->len);
		buf_printf(w->out, " = %lld : si64", (long long)list[i].value->u.i);
	}
	buf_puts(w->out, others ? "}" : "");
	print_meta_string(w, "producer_name");
	print_meta_string(w, "producer_version");
	buf_puts(w->out, "}");
}

/* Defaults of inputs are their values: nobody can override them here. */
static bool print_defaults(TorchWriter *w, const Func *f)
{
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		const Value *v = f->body->args[i];
		const Str *global = map_get(&w->globals, MAP_PTR(v));
		if (!is_elided(w, f, i))
			continue;
		indent(w, 2);
		if (global) {
			unsigned k = w->next;
			w->next += 2;
			w->names[v->id] = arena_printf(w->arena, "%%%u", k + 1);
			if (!print_load(w, k, has_default(f, i) ? f->arg_default[i]->u.tensor.type : v->type, global, 2))
				return false;
		} else {
			const Attr *a = f->arg_default[i];
			buf_printf(w->out, "%%%u = torch.operator \"onnx.Constant\"() {", (unsigned)w->next);
			w->names[v->id] = arena_printf(w->arena, "%%%u", (unsigned)w->next++);
			if (!torch_attr(w, str(w->c, "value"), a, v->name))
				return false;
			buf_puts(w->out, "} : () -> ");
			if (!torch_type(w, a->u.tensor.type))
				return false;
			buf_puts(w->out, " ");
		}
		buf_puts(w->out, "\n");
	}
	return true;
}

static bool print_func(TorchWriter *w, const Func *f)
{
	const Str *name = f->body->name && f->body->name->len ? f->body->name : f->name && f->name->len ? f->name : NULL;
	buf_puts(w->out, "  func.func ");
	torch_symbol(w->out, name ? name : str(w->c, "main"));
	if (!print_args(w, f) || !print_results(w, f))
		return false;
	print_meta(w);
	buf_puts(w->out, " {\n");
	if (!print_defaults(w, f) || !print_block(w, f->body, 2))
		return false;
	buf_puts(w->out, "  }\n");
	return true;
}

/* ---- parameters ---- */

static const Str *global_name(TorchWriter *w, const Str *wish)
{
	char *s = arena_strdup(w->arena, wish && wish->len ? wish->s : "weight");
	for (char *p = s; *p; p++)
		*p = *p == ':' ? '_' : *p;
	return torch_unique(w, &w->symbols, s);
}

static void add_global(TorchWriter *w, const void *owner, const Str *wish, const Type *t, const Attr *value)
{
	const char *scope = w->o->params_scope ? w->o->params_scope : "model";
	const Str *name = global_name(w, wish);
	map_put(&w->globals, MAP_PTR(owner), (void *)(uintptr_t)name);
	if (value)
		VEC_PUSH(w->arena, &w->params, ((NamedAttr){ name, value }));
	buf_puts(w->out, "  util.global private ");
	torch_symbol(w->out, name);
	buf_puts(w->out, " = #stream.parameter.named<");
	torch_escaped(w->out, scope, strlen(scope));
	buf_puts(w->out, "::");
	torch_escaped(w->out, name->s, name->len);
	buf_puts(w->out, "> : ");
	torch_builtin_type(w, t, true);
	buf_puts(w->out, "\n");
}

static bool is_large(const TorchWriter *w, const Attr *a)
{
	int64_t n, least = w->o->params_threshold > 0 ? w->o->params_threshold : 100;
	return a && a->kind == ATTR_TENSOR && a->u.tensor.type->dtype != DT_STR && type_static_numel(a->u.tensor.type, &n) &&
		n >= least;
}

static bool print_globals(TorchWriter *w, const Func *f)
{
	if (!w->o->params_path)
		return true;
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		const Value *v = f->body->args[i];
		if (has_default(f, i)) {
			if (is_large(w, f->arg_default[i]))
				add_global(w, v, v->name, f->arg_default[i]->u.tensor.type, f->arg_default[i]);
		} else if (w->o->params_inputs > 0 && (int64_t)i >= w->o->params_inputs - 1) {
			if (!type_is_static(v->type))
				return torch_unsupported(w, "an input of unknown size (%s) as a parameter", v->name ? v->name->s : "");
			add_global(w, v, v->name, v->type, NULL);
		}
	}
	for (const Op *op = f->body->first; op; op = op->next) {
		bool initial = op_is(op, ONNX_initializer) || op_is(op, OP_constant);
		const Attr *a = initial ? op_attr_named(op, str(w->c, "value")) : NULL;
		if (is_large(w, a))
			add_global(w, op, op->results[0]->name, a->u.tensor.type, a);
	}
	return true;
}

/* ---- the file ---- */

static bool print_module(TorchWriter *w)
{
	const Func *f = w->m->main;
	if (!f || !f->body->last || !op_is(f->body->last, OP_return))
		return diag_error(w->d, HONE_UNSUPPORTED, NULL, "the module has no main function");
	w->names = NEW_ARRAY(w->arena, const char *, w->m->next_value + 1u);
	w->numbers = NEW_ARRAY(w->arena, uint32_t, w->m->next_op + 1u);
	map_init(&w->keys, w->arena);
	map_init(&w->symbols, w->arena);
	map_init(&w->globals, w->arena);
	buf_puts(w->out, "module {\n");
	if (!print_globals(w, f) || !print_func(w, f))
		return false;
	buf_puts(w->out, "}\n");
	torch_blobs(w);
	buf_puts(w->out, "\n"); /* the importers end so */
	return true;
}

static const WriteOptions no_options = { 0 };

bool torch_onnx_write(Module *m, const char *path, const WriteOptions *o)
{
	Arena *a = arena_new();
	Buf b = { 0 };
	TorchWriter w = { .c = m->ctx, .d = &m->ctx->diags, .arena = a, .o = o ? o : &no_options, .out = &b };
	w.m = torch_ready(m, !w.o->no_infer, a);
	w.file = w.m ? out_open(path, w.d) : NULL;
	bool ok = w.file && print_module(&w);
	torch_flush(&w, 0);
	if (ok && w.o->params_path && *w.o->params_path)
		ok = irpa_write(w.params.data, w.params.len, w.o->params_path, w.d);
	if (ok)
		ok = out_commit(w.file, w.d);
	else
		out_discard(w.file);
	if (w.m && w.m != m)
		module_free(w.m);
	buf_free(&b);
	arena_free(a);
	return ok;
}

bool torch_onnx_print(Module *m, Buf *out, const WriteOptions *o)
{
	Arena *a = arena_new();
	TorchWriter w = { .c = m->ctx, .d = &m->ctx->diags, .arena = a, .o = o ? o : &no_options, .out = out };
	w.m = torch_ready(m, !w.o->no_infer, a);
	bool ok = w.m && print_module(&w);
	if (w.m && w.m != m)
		module_free(w.m);
	arena_free(a);
	return ok;
}

/* The text is MLIR, which has a row of its own and reads it. */
int torch_onnx_sniff(Bytes head, const char *path)
{
	int mlir = mlir_sniff(head, path);
	return mlir && torch_sniff(head) ? mlir + 1 : 0;
}
