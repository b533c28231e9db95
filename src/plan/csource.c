/* A plan as C: one function a step, plain loops over static memory, no library but that of mathematics.  The loops follow the
 * definitions of the kernels' parameters; compilers vectorise the innermost ones. */
#include "plan/csource_int.h"
#include "ops/label.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bytes of weights in the source: compilers need some hundred times as much. Beyond it they go to a file of their own. */
#define MOST_WEIGHTS (8 << 20)
enum { MOST_INLINE = 4096 }; /* of a constant, when there is such a file */

bool cs_refuse(CSource *c, const char *what)
{
	const PlanStepInfo *i = &c->plan->info.data[c->number];
	diag_error(c->diags, HONE_UNSUPPORTED, NULL, "step %zu (%s %s) has no form in C: %s", c->number, i->kernel,
		i->text ? i->text : "", what);
	diag_hint(c->diags, "write a .hone file instead, which holds every operator");
	return false;
}

bool cs_refuse_op(CSource *c, const Op *op, const char *what)
{
	diag_error(c->diags, HONE_UNSUPPORTED, op->loc, "%shas no form in C: %s", op_label(c->diags->arena, op), what);
	diag_hint(c->diags, "write a .hone file instead, which holds every operator");
	return false;
}

/* ---- memory ---- */

const char *cs_type(DType d)
{
	switch (d) {
	case DT_F32: return "float";
	case DT_F64: return "double";
	case DT_I64: return "int64_t";
	case DT_I32: return "int32_t";
	case DT_I16: return "int16_t";
	case DT_I8: return "int8_t";
	case DT_U64: return "uint64_t";
	case DT_U32: return "uint32_t";
	case DT_U16: return "uint16_t";
	case DT_BOOL: case DT_U8: return "uint8_t";
	default: return NULL;
	}
}

/* Bytes that the results of the first n stages of the chain take: here all of an image is kept. */
static int64_t bytes_between(const ChainParam *p, int n)
{
	int64_t bytes = 0;
	for (int i = 0; i < n; i++) {
		const ConvParam *s = p->stage[i];
		int64_t image = s->out[1] * s->y_stride[2], floats = s->y_offset + (s->batch - 1) * s->y_stride[0] + image;
		bytes += (floats * (int64_t)sizeof(float) + 63) / 64 * 64;
	}
	return bytes;
}

const char *cs_between(CSource *c, const char *type, bool constant, int64_t at, int64_t n)
{
	int64_t from = c->base + c->layout.bytes + at;
	c->top = from + n > c->top ? from + n : c->top;
	return arena_printf(c->arena, "(%s%s *)(void *)(arena.bytes + %lld)", constant ? "const " : "", type, (long long)from);
}

/* Small integers that a kernel reads, within text that stands for several sizes: these may be numbers in them. */
static const char *local_constant(CSource *c, int id, const PlanBuffer *b)
{
	enum { MOST = 64 };
	int64_t size = (int64_t)dtype_size(b->dtype), n = b->bytes / size;
	if (!c->variants || !c->step || !c->step->kernel || !dtype_is_integer(b->dtype) || n > MOST || n < 1)
		return NULL;
	const char *name = arena_printf(c->arena, "l%d", id);
	for (size_t i = 0; i < c->local_numbers.len; i++)
		if (c->local_numbers.data[i] == id)
			return name;
	VEC_PUSH(c->arena, &c->local_numbers, id);
	buf_printf(&c->locals, "\tconst %s %s[%lld] = {", cs_type(b->dtype), name, (long long)n);
	for (int64_t i = 0; i < n; i++) {
		int64_t v;
		dtype_load_i64(b->dtype, (const char *)b->data + i * size, 1, &v);
		buf_printf(&c->locals, v == INT64_MIN ? "%sINT64_MIN" : "%s%lld", i ? ", " : "", (long long)v);
	}
	buf_puts(&c->locals, "};\n");
	return name;
}

static const char *constant_address(CSource *c, int id, const PlanBuffer *b)
{
	const char *local = local_constant(c, id, b);
	return local ? local : arena_printf(c->arena, "w%d", cs_numbers(c, b->dtype, b->data, b->bytes / (int64_t)dtype_size(b->dtype)));
}

static const char *buffer_text(CSource *c, int buffer)
{
	const PlanBuffer *b = &c->plan->buffers.data[buffer];
	switch (b->kind) {
	case BUFFER_ARENA: return arena_printf(c->arena, "(arena.bytes + %lld)", (long long)(c->base + c->layout.buffers[buffer].offset));
	case BUFFER_CONST: return constant_address(c, buffer, b);
	case BUFFER_INPUT: return c->run->in_text[b->index];
	case BUFFER_OUTPUT: return c->run->out_text[b->index];
	case BUFFER_OUTER: return c->run->left[b->value->id];
	default: return "&fault";
	}
}

static bool is_read_only(const CSource *c, int buffer)
{
	return c->plan->buffers.data[buffer].kind == BUFFER_CONST;
}

const char *cs_address(CSource *c, int buffer, int64_t at)
{
	const char *text = buffer_text(c, buffer);
	return at ? arena_printf(c->arena, "((%sunsigned char *)%s + %lld)", is_read_only(c, buffer) ? "const " : "", text, (long long)at) : text;
}

const char *cs_pointer(CSource *c, int i, const char *type, bool constant)
{
	if (c->chain && ((i == 0 && c->stage + 1 < c->chain->nstages) || (i == 1 && c->stage > 0))) {
		int64_t at = bytes_between(c->chain, c->stage - i);
		return cs_between(c, type, constant, at, bytes_between(c->chain, c->stage - i + 1) - at);
	}
	if (c->chain && i > 1)
		i += c->chain->rest_ptr[c->stage] - 2;
	int buffer = c->plan->table.data[c->step->ptr + (uint32_t)i];
	const char *text = buffer_text(c, buffer);
	if (is_read_only(c, buffer))
		return arena_printf(c->arena, "(const %s *)(const void *)%s", type, text);
	return arena_printf(c->arena, "(%s%s *)(%svoid *)%s", constant ? "const " : "", type, constant ? "const " : "", text);
}

void cs_declare(CSource *c, const char *var, int i, const char *type, int64_t offset, bool constant)
{
	buf_printf(&c->body, "\t%s%s *%s = %s + %lld;\n", constant ? "const " : "", type, var, cs_pointer(c, i, type, constant),
		(long long)offset);
}

void cs_float(CSource *c, Buf *out, float v)
{
	(void)c;
	char s[32];
	snprintf(s, sizeof(s), "%.9g", (double)v);
	if (!isfinite(v))
		buf_puts(out, isnan(v) ? "NAN" : v > 0 ? "INFINITY" : "-INFINITY");
	else
		buf_printf(out, "%s%sf", s, strpbrk(s, ".e") ? "" : ".0");
}

/* Where the bytes come to lie in the file of weights. */
static int64_t bin_add(CSource *c, const void *data, int64_t bytes)
{
	static const char ZEROS[64];
	int64_t at = (int64_t)out_offset(c->bin), gap = (64 - at % 64) % 64;
	out_write(c->bin, ZEROS, (size_t)gap); /* a failure shows when the file is closed */
	out_write(c->bin, data, (size_t)bytes);
	return at + gap;
}

/* "static const TYPE <letter><id>[n] = {..};"; the data may lie at any address. */
static void array_text(CSource *c, char letter, int id, DType d, const void *data, int64_t n)
{
	int64_t size = (int64_t)dtype_size(d);
	buf_printf(&c->data, "static const %s %c%d[%lld] = {", cs_type(d), letter, id, (long long)(n ? n : 1));
	for (int64_t i = 0; i < n; i++) {
		union { float f32; double f64; int64_t i64; } x;
		buf_puts(&c->data, i % 8 ? ", " : i ? ",\n\t" : "\n\t");
		memcpy(&x, (const char *)data + i * size, (size_t)size);
		if (d == DT_F32) {
			cs_float(c, &c->data, x.f32);
		} else if (d == DT_F64) {
			buf_printf(&c->data, isnan(x.f64) ? "NAN" : isinf(x.f64) ? x.f64 > 0 ? "INFINITY" : "-INFINITY" : "%.17g", x.f64);
		} else {
			int64_t v;
			dtype_load_i64(d, &x, 1, &v);
			if (v == INT64_MIN)
				buf_puts(&c->data, "INT64_MIN");
			else
				buf_printf(&c->data, size == 8 ? "INT64_C(%lld)" : "%lld", (long long)v);
		}
	}
	buf_puts(&c->data, n ? "\n};\n" : "0};\n");
}

/* Room for these in the source, or the file of weights. */
static void write_numbers(CSource *c, int id, DType d, const void *v, int64_t n)
{
	int64_t bytes = n * (int64_t)dtype_size(d);
	if (c->bin && bytes > MOST_INLINE) {
		buf_printf(&c->data, "#define w%d ((const %s *)(const void *)(weights + %lld))\n", id, cs_type(d), (long long)bin_add(c, v, bytes));
		return;
	}
	c->inline_bytes += bytes;
	c->too_many |= !c->bin && c->inline_bytes > MOST_WEIGHTS;
	if (!c->too_many)
		array_text(c, 'w', id, d, v, n);
}

int cs_numbers(CSource *c, DType d, const void *v, int64_t n)
{
	size_t bytes = (size_t)n * dtype_size(d);
	if (!cs_type(d)) {
		c->failed = true;
		return diag_error(c->diags, HONE_UNSUPPORTED, NULL, "constants of %s have no form in C", dtype_friendly_name(d));
	}
	uint64_t h = bytes ? hash_bytes(v, bytes, (uint64_t)d) : 0;
	for (size_t i = 0; i < c->numbers.len; i++) {
		const CNumbers *k = &c->numbers.data[i];
		if (k->hash == h && k->dtype == d && k->count == n && (!bytes || !memcmp(k->data, v, bytes)))
			return (int)i;
	}
	int id = (int)c->numbers.len;
	VEC_PUSH(c->arena, &c->numbers, ((CNumbers){ d, n, bytes ? arena_dup(c->arena, v, bytes) : NULL, h }));
	write_numbers(c, id, d, v, n);
	return id;
}

char *cs_unique(CSource *c, const char *stem)
{
	return arena_printf(c->arena, "%s" CS_NAME "%c%zu", stem, 'A' + c->variants, c->serial++);
}

void cs_loop(CSource *c, int depth, const char *var, int64_t n)
{
	for (int i = 0; i < depth; i++)
		buf_puts(&c->body, "\t");
	buf_printf(&c->body, "for (long %s = 0; %s < %lld; %s++)\n", var, var, (long long)n, var);
}

void cs_loops(CSource *c, int depth, const char *var, int from, int n, const int64_t *dims)
{
	for (int d = from; d < n; d++)
		cs_loop(c, depth, arena_printf(c->arena, "%s%d", var, d), dims[d]);
}

void cs_index(CSource *c, Buf *out, const char *var, int n, const int64_t *stride)
{
	(void)c;
	for (int d = 0; d < n; d++)
		if (stride[d])
			buf_printf(out, " + %s%d * %lld", var, d, (long long)stride[d]);
}

/* ---- steps ---- */

/* Which function writes the steps of a kernel; kernels by their place in the set. */
static const struct Emitter {
	size_t kernel;
	CsEmit *emit;
} EMITTERS[] = {
	{ offsetof(KernelSet, conv[CONV_DIRECT]), cs_conv },
	{ offsetof(KernelSet, conv[CONV_WINOGRAD]), cs_conv },
	{ offsetof(KernelSet, conv[CONV_DEPTHWISE]), cs_conv },
	{ offsetof(KernelSet, conv[CONV_TRANSPOSE]), cs_conv_transposed },
	{ offsetof(KernelSet, conv[CONV_GROUPED]), cs_conv },
	{ offsetof(KernelSet, conv[CONV_STREAM]), cs_conv },
	{ offsetof(KernelSet, conv[CONV_PLANES]), cs_conv },
	{ offsetof(KernelSet, conv[CONV_BLOCKS]), cs_blocks },
	{ offsetof(KernelSet, nms), cs_nms },
	{ offsetof(KernelSet, nonzero), cs_nonzero },
	{ offsetof(KernelSet, qconv[QCONV_PRODUCT]), cs_integers },
	{ offsetof(KernelSet, qconv[QCONV_DEPTHWISE]), cs_integers },
	{ offsetof(KernelSet, range), cs_range },
	{ offsetof(KernelSet, chain), cs_chain },
	{ offsetof(KernelSet, matmul), cs_matmul },
	{ offsetof(KernelSet, matmul64), cs_matmul64 },
	{ offsetof(KernelSet, attention), cs_attention },
	{ offsetof(KernelSet, pool), cs_pool },
	{ offsetof(KernelSet, tile), cs_tile_step },
	{ offsetof(KernelSet, row), cs_row },
	{ offsetof(KernelSet, reduce), cs_reduce },
	{ offsetof(KernelSet, copy), cs_copy },
	{ offsetof(KernelSet, gather), cs_gather },
	{ offsetof(KernelSet, lanes), cs_lanes },
	{ offsetof(KernelSet, index), cs_index_step },
	{ offsetof(KernelSet, grid), cs_grid },
	{ offsetof(KernelSet, roi), cs_roi },
	{ offsetof(KernelSet, resize), cs_resize },
	{ offsetof(KernelSet, rnn), cs_rnn },
};

static const Kernel *emitter_kernel(const CSource *c, const struct Emitter *e)
{
	const Kernel *k;
	memcpy(&k, (const char *)c->k + e->kernel, sizeof(k));
	return k;
}

static bool emit_step(CSource *c)
{
	const Step *s = c->step;
	if (!s->kernel)
		return s->call == exec_call_op ? cs_control(c, s->param) : cs_take(c);
	for (size_t i = 0; i < ARRAY_LEN(EMITTERS); i++)
		if (s->kernel == emitter_kernel(c, &EMITTERS[i]))
			return EMITTERS[i].emit(c, s->param);
	return cs_refuse(c, "no loops are written for it");
}

static int64_t conv_bytes(const ConvParam *p)
{
	return p->groups * p->ic * p->oc * p->kernel[0] * p->kernel[1] * p->kernel[2] * (int64_t)sizeof(float);
}

/* Of the whole plan: whether they go to a file is best known before they are written. */
static int64_t weight_bytes(const CSource *c, const Plan *plan)
{
	int64_t n = 0;
	for (size_t i = 0; i < plan->steps.len; i++) {
		const Step *s = &plan->steps.data[i];
		for (int k = 0; k < CONV_KINDS && s->kernel; k++)
			n += s->kernel == c->k->conv[k] ? conv_bytes(s->param) / (k == CONV_BLOCKS ? 8 : 1) : 0;
		for (int k = 0; k < QCONV_KINDS && s->kernel; k++)
			n += s->kernel == c->k->qconv[k] ? conv_bytes(&((const QConvParam *)s->param)->c) / 2 : 0;
		const ChainParam *chain = s->kernel && s->kernel == c->k->chain ? s->param : NULL;
		for (int k = 0; chain && k < chain->nstages; k++)
			n += conv_bytes(chain->stage[k]);
		if (s->kernel == c->k->rnn)
			n += conv_bytes(&((const RnnParam *)s->param)->product);
	}
	for (size_t i = 0; i < plan->buffers.len; i++)
		if (plan->buffers.data[i].kind == BUFFER_CONST && plan->buffers.data[i].first >= 0)
			n += plan->buffers.data[i].bytes;
	return n;
}

/* ---- parts ---- */

/* One function a step. What is written for a body within it stands before it. */
static bool emit_steps(CSource *c)
{
	CSource before = *c;
	bool ok = true;
	for (c->number = 0; ok && c->number < c->plan->steps.len; c->number++) {
		const PlanStepInfo *info = &c->plan->info.data[c->number];
		const char *text = c->variants ? NULL : info->text; /* sizes */
		c->step = &c->plan->steps.data[c->number];
		c->body = c->locals = (Buf){ 0 };
		memset(&c->local_numbers, 0, sizeof(c->local_numbers));
		ok = emit_step(c) && !c->failed && !c->too_many;
		const char *name = cs_unique(c, "step");
		buf_printf(&c->functions, "\n/* %s%s%s */\nstatic void %s(const void *const *in, void *const *out)\n{\n\t(void)in;\n\t(void)out;\n",
			info->kernel, text ? ": " : "", text ? text : "", name);
		buf_put(&c->functions, c->locals.data ? c->locals.data : "", c->locals.len);
		buf_put(&c->functions, c->body.data ? c->body.data : "", c->body.len);
		buf_puts(&c->functions, "}\n");
		buf_printf(&c->calls, "\t%s(in, out);\n\tBARRIER\n", name);
		buf_free(&c->body);
		buf_free(&c->locals);
	}
	c->body = before.body;
	c->locals = before.locals;
	c->local_numbers = before.local_numbers;
	return ok;
}

/* Where the variant of the largest sizes has them, when these fit there. */
static CLayout layout_of(CSource *c, const Plan *plan)
{
	CLayout own = { plan->buffers.len, plan->buffers.data, ((int64_t)plan->arena_bytes + 63) / 64 * 64 };
	size_t at = c->layout_at++;
	if (at >= c->layouts.len) {
		own.buffers = arena_dup(c->arena, plan->buffers.data, plan->buffers.len * sizeof(*own.buffers));
		VEC_PUSH(c->arena, &c->layouts, own);
		return own;
	}
	const CLayout *l = &c->layouts.data[at];
	bool fits = l->n == own.n;
	for (size_t i = 0; fits && i < own.n; i++) {
		const PlanBuffer *a = &own.buffers[i], *b = &l->buffers[i];
		fits = a->kind == b->kind && (a->kind != BUFFER_ARENA || (a->bytes <= b->bytes && a->first == b->first && a->last == b->last));
	}
	return fits ? *l : own;
}

static bool same_sizes(const Shape *const *a, const Shape *const *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i]->dtype != b[i]->dtype || a[i]->rank != b[i]->rank || memcmp(a[i]->dims, b[i]->dims, (size_t)a[i]->rank * sizeof(*a[i]->dims)) != 0)
			return false;
	return true;
}

static const Shape *shape_copy(Arena *a, const Shape *s)
{
	return arena_dup(a, s, sizeof(*s) + (size_t)s->rank * sizeof(*s->dims));
}

/* The sizes of a model's outputs, for the caller. */
static void main_sizes(CSource *c, const Shape *const *shapes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int d = 0; d < shapes[i]->rank; d++) {
			c->most[i][d] = shapes[i]->dims[d] > c->most[i][d] ? shapes[i]->dims[d] : c->most[i][d];
			if (c->has_sizes)
				buf_printf(&c->calls, "\tsizes[%zu][%d] = %lld;\n", i, d, (long long)shapes[i]->dims[d]);
		}
}

/* The run is over: its results are where they belong. */
static bool end_run(CSource *c, CRun *r)
{
	const Op *ret = block_terminator(exec_program(r->x)->module->main->body);
	const Shape **shapes = NEW_ARRAY(c->arena, const Shape *, ret->noperands + 1u);
	for (size_t i = 0; i < ret->noperands; i++) {
		if (c->plan->output_slots[i])
			return diag_error(c->diags, HONE_UNSUPPORTED, NULL, "result %zu is no tensor of numbers, which has no form in C", i);
		shapes[i] = shape_copy(c->arena, c->plan->shapes[op_operand(ret, i)->id]);
	}
	size_t at = 0;
	while (at < r->ends.len && !same_sizes(r->ends.data[at], shapes, ret->noperands))
		at++;
	if (at == r->ends.len)
		VEC_PUSH(c->arena, &r->ends, shapes);
	if (r->end)
		buf_printf(&c->calls, "\t%s = %zu;\n", r->end, at);
	if (r->is_main)
		main_sizes(c, shapes, ret->noperands);
	return true;
}

typedef struct Next {
	CRun *run;
	const CFound *found;
	const Plan *plan;
	int64_t base;
} Next;

/* The part after sizes number i. */
static bool next_part(CSource *c, void *arg, int64_t i)
{
	const Next *n = arg;
	VEC_PUSH(c->arena, &n->run->told, ((Told){ n->plan, n->found->sizes.data[i] }));
	bool ok = cs_part(c, n->run, n->base);
	n->run->told.len--;
	return ok;
}

static bool next_parts(CSource *c, CRun *r, const CFound *found)
{
	const Plan *plan = c->plan;
	Next n = { r, found, plan, c->base + c->layout.bytes };
	c->step = NULL;
	for (uint32_t i = 0; i < exec_program(r->x)->module->next_value; i++)
		if (plan->left[i]) {
			const View *v = plan->views[i];
			r->left[i] = cs_address(c, v->buffer, v->offset * (int64_t)dtype_size(v->dtype));
		}
	for (size_t i = 0; i < plan->boundary->nresults; i++)
		r->left[plan->boundary->results[i]->id] = found->address[i];
	return cs_variants(c, (int64_t)found->sizes.len, found->variable, next_part, &n);
}

static void find_late_sources(Program *p, const Plan *plan)
{
	for (size_t i = 0; i < plan->late.len; i++) {
		const LateSource *l = &plan->late.data[i];
		Tensor *t = l->param->source ? NULL : program_constant(p, l->weights);
		if (t)
			l->param->source = (const float *)t->data + l->offset;
	}
}

enum { MOST_PLANS = 4096 }; /* for sizes that data tells */

bool cs_part(CSource *c, CRun *r, int64_t base)
{
	if (c->plans++ >= MOST_PLANS)
		return diag_error(c->diags, HONE_LIMIT, NULL, "sizes depend on data in more than %d ways, too many for sources in C", MOST_PLANS);
	Plan *plan = exec_source_plan(r->x, r->in, r->nin, r->told.data, r->told.len);
	diags_copy_errors(c->diags, exec_diags(r->x));
	if (!plan && !c->diags->status)
		diag_error(c->diags, HONE_INTERNAL, NULL, "the model cannot be planned");
	if (!plan)
		return false;
	CSource before = *c;
	CFound found = { 0 };
	c->run = r;
	c->plan = plan;
	c->base = base;
	c->layout = layout_of(c, plan);
	c->found = plan->boundary ? &found : NULL;
	c->chain = NULL;
	c->top = base + c->layout.bytes > c->top ? base + c->layout.bytes : c->top;
	find_late_sources(exec_program(r->x), plan);
	bool ok = emit_steps(c) && (plan->boundary ? next_parts(c, r, &found) : end_run(c, r));
	c->run = before.run;
	c->plan = before.plan;
	c->base = before.base;
	c->layout = before.layout;
	c->found = before.found;
	c->step = before.step;
	c->number = before.number;
	plan_free(plan);
	return ok;
}

/* ---- the file ---- */

static bool is_open_dim(const CRun *r, uint32_t output, int d)
{
	for (size_t e = 1; e < r->ends.len; e++)
		if (d >= r->ends.data[e][output]->rank || r->ends.data[e][output]->dims[d] != r->ends.data[0][output]->dims[d])
			return true;
	return false;
}

static void interface_text(const CSource *c, const Func *f, const CRun *r, Buf *out)
{
	const Op *ret = block_terminator(f->body);
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		Buf t = { 0 };
		type_print(f->body->args[i]->type, &t);
		buf_printf(out, " * in[%u]: %s, %s\n", i, f->body->args[i]->name ? f->body->args[i]->name->s : "",
			t.data ? t.data : "");
		buf_free(&t);
	}
	for (uint32_t i = 0; i < ret->noperands; i++) {
		const Shape *s = r->ends.data[0][i];
		buf_printf(out, " * out[%u]: %s, %s[", i, f->result_names && f->result_names[i] ? f->result_names[i]->s : "",
			dtype_friendly_name(s->dtype));
		for (int d = 0; d < s->rank; d++)
			buf_printf(out, "%s%s%lld", d ? "," : "", is_open_dim(r, i, d) ? "up to " : "", (long long)c->most[i][d]);
		buf_puts(out, "]\n");
	}
}

/* "*" and "/" of names must not end the comment. */
static void comment_safe(Buf *b, size_t from)
{
	for (size_t i = from; i + 1 < b->len; i++)
		if (b->data[i] == '*' && b->data[i + 1] == '/')
			b->data[i + 1] = '_';
}

static bool write_text(const char *path, const Buf *b, Diags *d)
{
	OutFile *o = out_open(path, d);
	if (!o)
		return false;
	bool ok = out_write(o, b->data, b->len);
	return out_commit(o, d) && ok;
}

/* Functions that give the weights. */
static void bin_text(const CSource *c, Buf *s)
{
	long long n = (long long)out_offset(c->bin);
	buf_printf(s, "#include <stdio.h>\n\nstatic const unsigned char *weights;\n\nvoid %s_weights(const void *data)\n{\n\tweights = (const unsigned char *)data;\n}\n\n",
		c->name);
	buf_printf(s, "int %s_load(const char *path)\n{\n\tstatic union {\n\t\tdouble align;\n\t\tunsigned char bytes[%lld];\n\t} memory;\n", c->name,
		n ? n : 1);
	buf_printf(s, "\tFILE *f = fopen(path, \"rb\");\n\tconst int ok = f && fread(memory.bytes, 1, %lld, f) == %lld;\n", n, n);
	buf_puts(s, "\tif (f)\n\t\tfclose(f);\n\tif (ok)\n\t\tweights = memory.bytes;\n\treturn ok ? 0 : 1;\n}\n\n");
}

/* Marks of names and sizes go. */
static void put_clean(Buf *to, const Buf *from)
{
	for (size_t i = 0, end; i < from->len; i = end) {
		for (end = i; end < from->len && from->data[end] != *CS_NAME && from->data[end] != *CS_ROOM; end++)
			;
		buf_put(to, from->data + i, end - i);
		end += end == from->len ? 0 : from->data[end] == *CS_NAME ? 2 : 1;
	}
}

static void header_text(const CSource *c, const CRun *r, Buf *h)
{
	const char *guard = arena_printf(c->arena, "%s_H", c->name);
	buf_puts(h, "/* A neural network, compiled to C by hone. One call computes all outputs; not for two threads at once.\n *\n");
	size_t from = h->len;
	interface_text(c, exec_program(r->x)->module->main, r, h);
	comment_safe(h, from);
	buf_printf(h, " *\n * Dense, row-major. 0: done; 1: an index in the data was out of range%s%s. */\n#ifndef %s\n#define %s\n\n"
		"int %s(const void *const *in, void *const *out);\n", c->bin ? "; 2: there are no weights yet" : "",
		c->has_missing ? "; 3: the data led to a branch that these sources do not hold" : "", guard, guard, c->name);
	if (c->bin)
		buf_printf(h, "\n/* The weights: the contents of the .bin file, %lld bytes, which must stay (mapped, or linked in), 8-byte aligned; */\n"
			"void %s_weights(const void *data);\n/* or the file's name, to be read into static memory; 0: done. */\nint %s_load(const char *path);\n",
			(long long)out_offset(c->bin), c->name, c->name);
	if (c->has_sizes)
		buf_printf(h, "\n/* Dim d of out[i] as the last call left it; out[i] needs room for the largest. */\nlong %s_size(int i, int d);\n", c->name);
	buf_puts(h, "\n#endif\n");
}

static void source_text(CSource *c, const char *header, size_t nout, Buf *s)
{
	buf_printf(s, "/* Compiled by hone. Needs the mathematical library only (-lm). */\n#include \"%s\"\n\n#include <math.h>\n#include <stdint.h>\n"
		"#include <string.h>\n\n/* Memory is used for one type after the other: no access may move across the end of a step. */\n"
		"#if defined(__GNUC__)\n#define BARRIER __asm__ volatile(\"\" ::: \"memory\");\n#else\n#define BARRIER\n#endif\n\n"
		"static union {\n\tdouble align;\n\tunsigned char bytes[%lld];\n} arena;\nstatic int64_t fault;\n%s", header, (long long)c->top + 64,
		c->has_missing ? "static int missing;\n" : "");
	if (c->has_sizes)
		buf_printf(s, "static long sizes[%zu][%d];\n\nlong %s_size(int i, int d)\n{\n\treturn sizes[i][d];\n}\n", nout ? nout : 1, MAX_RANK, c->name);
	buf_puts(s, "\n");
	if (c->bin)
		bin_text(c, s);
	buf_put(s, c->data.data ? c->data.data : "", c->data.len);
	put_clean(s, &c->functions);
	buf_printf(s, "\nint %s(const void *const *in, void *const *out)\n{\n%s\tfault = 0;\n%s", c->name,
		c->bin ? "\tif (!weights)\n\t\treturn 2;\n" : "", c->has_missing ? "\tmissing = 0;\n" : "");
	put_clean(s, &c->calls);
	buf_printf(s, "\t(void)arena;\n\t%sreturn fault != 0;\n}\n", c->has_missing ? "if (missing)\n\t\treturn 3;\n\t" : "");
}

static bool write_both(CSource *c, const CRun *r, const char *path)
{
	Buf h = { 0 }, s = { 0 };
	char *header = arena_printf(c->arena, "%.*s.h", (int)(strlen(path) - 2), path);
	const char *slash = strrchr(header, '/');
	header_text(c, r, &h);
	source_text(c, slash ? slash + 1 : header, block_terminator(exec_program(r->x)->module->main->body)->noperands, &s);
	bool ok = write_text(path, &s, c->diags) && write_text(header, &h, c->diags);
	buf_free(&h);
	buf_free(&s);
	return ok;
}

/* The model's run: inputs and outputs are those of the function. */
static void main_run(CSource *c, CRun *r)
{
	const Func *f = exec_program(r->x)->module->main;
	uint32_t nargs = f->body->nargs, nout = block_terminator(f->body)->noperands;
	r->in_text = NEW_ARRAY(c->arena, const char *, nargs + 1u);
	r->out_text = NEW_ARRAY(c->arena, const char *, nout + 1u);
	r->left = NEW_ARRAY(c->arena, const char *, exec_program(r->x)->module->next_value + 1);
	for (uint32_t i = 0; i < nargs; i++)
		r->in_text[i] = arena_printf(c->arena, "in[%u]", i);
	for (uint32_t i = 0; i < nout; i++)
		r->out_text[i] = arena_printf(c->arena, "out[%u]", i);
	r->is_main = true;
	c->most = arena_alloc_array(c->arena, sizeof(*c->most), nout + 1u);
	memset(c->most, 0, sizeof(*c->most) * (nout + 1u));
}

/* Tries once; *too_many: the numbers belong into a file. */
static bool write_once(Exec *x, const ExecArray *in, size_t nin, const char *path, const char *name, bool to_file, Diags *d, bool *too_many)
{
	CSource c = { .k = exec_program(x)->kernels, .arena = arena_new(), .name = name, .diags = d };
	CRun r = { .x = x, .in = in, .nin = nin };
	main_run(&c, &r);
	Plan *plan = exec_source_plan(x, in, nin, NULL, 0);
	c.has_sizes = plan && plan->boundary;
	if (plan && (to_file || weight_bytes(&c, plan) > MOST_WEIGHTS))
		c.bin = out_open(arena_printf(c.arena, "%.*s.bin", (int)(strlen(path) - 2), path), d);
	bool ok = !plan || c.bin || !(to_file || weight_bytes(&c, plan) > MOST_WEIGHTS);
	plan_free(plan);
	ok = ok && cs_part(&c, &r, 0) && write_both(&c, &r, path);
	if (c.bin && ok)
		ok = out_commit(c.bin, d);
	else
		out_discard(c.bin);
	*too_many = c.too_many;
	buf_free(&c.data);
	buf_free(&c.functions);
	buf_free(&c.calls);
	arena_free(c.arena);
	return ok;
}

bool program_write_c(Program *p, const ExecArray *in, size_t nin, const char *path, const char *name, Diags *d)
{
	Exec *x = exec_new(p, 1);
	bool too_many = false, ok = write_once(x, in, nin, path, name, false, d, &too_many);
	if (!ok && too_many)
		ok = write_once(x, in, nin, path, name, true, d, &too_many);
	exec_free(x);
	return ok;
}
