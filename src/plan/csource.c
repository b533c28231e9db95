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

/* After the arena: what lies between the stages of chains, and sums of integers. */
const char *cs_between(CSource *c, const char *type, bool constant, int64_t at, int64_t n)
{
	c->between = at + n > c->between ? at + n : c->between;
	return arena_printf(c->arena, "(%s%s *)(void *)(arena.bytes + %lld)", constant ? "const " : "", type,
		(long long)((int64_t)c->plan->arena_bytes + at));
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
	const PlanBuffer *b = &c->plan->buffers.data[buffer];
	const char *k = constant ? "const " : "";
	switch (b->kind) {
	case BUFFER_ARENA: return arena_printf(c->arena, "(%s%s *)(void *)(arena.bytes + %lld)", k, type, (long long)b->offset);
	case BUFFER_CONST: return arena_printf(c->arena, "(const %s *)(const void *)k%d", type, buffer);
	case BUFFER_INPUT: return arena_printf(c->arena, "(%s%s *)in[%d]", k, type, b->index);
	case BUFFER_OUTPUT: return arena_printf(c->arena, "(%s%s *)out[%d]", k, type, b->index);
	default: return "&fault";
	}
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

int cs_numbers(CSource *c, DType d, const void *v, int64_t n)
{
	for (size_t i = 0; i < c->weights.len; i++)
		if (c->weights.data[i] == v && c->counts.data[i] == n)
			return (int)i;
	int id = (int)c->weights.len;
	VEC_PUSH(c->arena, &c->weights, v);
	VEC_PUSH(c->arena, &c->counts, n);
	if (c->bin)
		buf_printf(&c->data, "#define w%d ((const %s *)(const void *)(weights + %lld))\n", id, cs_type(d),
			(long long)bin_add(c, v, n * (int64_t)dtype_size(d)));
	else
		array_text(c, 'w', id, d, v, n);
	return id;
}

static bool constant_buffer(CSource *c, int id, const PlanBuffer *b)
{
	if (!cs_type(b->dtype))
		return diag_error(c->diags, HONE_UNSUPPORTED, NULL, "constants of %s have no form in C",
			dtype_friendly_name(b->dtype));
	if (c->bin && b->bytes > MOST_INLINE)
		buf_printf(&c->data, "#define k%d (weights + %lld)\n", id, (long long)bin_add(c, b->data, b->bytes));
	else
		array_text(c, 'k', id, b->dtype, b->data, b->bytes / (int64_t)dtype_size(b->dtype));
	return true;
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

/* ---- the file ---- */

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
		return cs_refuse(c, "it is run by the evaluator");
	for (size_t i = 0; i < ARRAY_LEN(EMITTERS); i++)
		if (s->kernel == emitter_kernel(c, &EMITTERS[i]))
			return EMITTERS[i].emit(c, s->param);
	return cs_refuse(c, s->kernel == c->k->conv[CONV_BLOCKS] ? "weights of few bits" : "no loops are written for it");
}

static int64_t conv_bytes(const ConvParam *p)
{
	return p->groups * p->ic * p->oc * p->kernel[0] * p->kernel[1] * p->kernel[2] * (int64_t)sizeof(float);
}

static int64_t weight_bytes(const CSource *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < c->plan->steps.len; i++) {
		const Step *s = &c->plan->steps.data[i];
		for (int k = 0; k < CONV_KINDS && s->kernel; k++)
			n += s->kernel == c->k->conv[k] ? conv_bytes(s->param) : 0;
		for (int k = 0; k < QCONV_KINDS && s->kernel; k++)
			n += s->kernel == c->k->qconv[k] ? conv_bytes(&((const QConvParam *)s->param)->c) / 2 : 0;
		const ChainParam *chain = s->kernel && s->kernel == c->k->chain ? s->param : NULL;
		for (int k = 0; chain && k < chain->nstages; k++)
			n += conv_bytes(chain->stage[k]);
		if (s->kernel == c->k->rnn)
			n += conv_bytes(&((const RnnParam *)s->param)->product);
	}
	for (size_t i = 0; i < c->plan->buffers.len; i++)
		if (c->plan->buffers.data[i].kind == BUFFER_CONST && c->plan->buffers.data[i].first >= 0)
			n += c->plan->buffers.data[i].bytes;
	return n;
}

static bool emit_steps(CSource *c)
{
	for (c->number = 0; c->number < c->plan->steps.len; c->number++) {
		c->step = &c->plan->steps.data[c->number];
		buf_printf(&c->body, "\n/* %s%s%s */\nstatic void step%zu(const void *const *in, void *const *out)\n{\n\t(void)in;\n\t(void)out;\n",
			c->plan->info.data[c->number].kernel, c->plan->info.data[c->number].text ? ": " : "",
			c->plan->info.data[c->number].text ? c->plan->info.data[c->number].text : "", c->number);
		if (!emit_step(c))
			return false;
		buf_puts(&c->body, "}\n");
		buf_printf(&c->calls, "\tstep%zu(in, out);\n\tBARRIER\n", c->number);
	}
	for (size_t i = 0; i < c->plan->buffers.len; i++) {
		const PlanBuffer *b = &c->plan->buffers.data[i];
		if (b->kind == BUFFER_CONST && b->first >= 0 && !constant_buffer(c, (int)i, b))
			return false;
	}
	return true;
}

static void interface_text(const CSource *c, Buf *out)
{
	const Func *f = exec_program(c->x)->module->main;
	const Op *ret = block_terminator(f->body);
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		Buf t = { 0 };
		type_print(f->body->args[i]->type, &t);
		buf_printf(out, " * in[%u]: %s, %s\n", i, f->body->args[i]->name ? f->body->args[i]->name->s : "",
			t.data ? t.data : "");
		buf_free(&t);
	}
	for (uint32_t i = 0; i < ret->noperands; i++) {
		const View *v = &c->plan->outputs[i];
		buf_printf(out, " * out[%u]: %s, %s[", i, f->result_names && f->result_names[i] ? f->result_names[i]->s : "",
			dtype_friendly_name(v->dtype));
		for (int d = 0; d < v->rank; d++)
			buf_printf(out, "%s%lld", d ? "," : "", (long long)v->dims[d]);
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

static bool write_both(CSource *c, const char *path)
{
	Buf h = { 0 }, s = { 0 };
	char *header = arena_printf(c->arena, "%.*s.h", (int)(strlen(path) - 2), path);
	const char *slash = strrchr(header, '/');
	char *guard = arena_printf(c->arena, "%s_H", c->name);
	buf_printf(&h, "/* A neural network, compiled to C by hone. One call computes all outputs; not for two threads at once.\n *\n");
	size_t from = h.len;
	interface_text(c, &h);
	comment_safe(&h, from);
	buf_printf(&h, " *\n * Dense, row-major. 0: done; 1: an index in the data was out of range%s. */\n#ifndef %s\n#define %s\n\n"
		"int %s(const void *const *in, void *const *out);\n", c->bin ? "; 2: there are no weights yet" : "", guard, guard, c->name);
	if (c->bin)
		buf_printf(&h, "\n/* The weights: the contents of the .bin file, %lld bytes, which must stay (mapped, or linked in), 8-byte aligned; */\n"
			"void %s_weights(const void *data);\n/* or the file's name, to be read into static memory; 0: done. */\nint %s_load(const char *path);\n",
			(long long)out_offset(c->bin), c->name, c->name);
	buf_puts(&h, "\n#endif\n");
	buf_printf(&s, "/* Compiled by hone. Needs the mathematical library only (-lm). */\n#include \"%s\"\n\n#include <math.h>\n#include <stdint.h>\n"
		"#include <string.h>\n\n/* Memory is used for one type after the other: no access may move across the end of a step. */\n"
		"#if defined(__GNUC__)\n#define BARRIER __asm__ volatile(\"\" ::: \"memory\");\n#else\n#define BARRIER\n#endif\n\n"
		"static union {\n\tdouble align;\n\tunsigned char bytes[%zu];\n} arena;\nstatic int64_t fault;\n\n",
			slash ? slash + 1 : header,
		c->plan->arena_bytes + 64 + (size_t)c->between);
	if (c->bin)
		bin_text(c, &s);
	buf_put(&s, c->data.data ? c->data.data : "", c->data.len);
	buf_put(&s, c->body.data ? c->body.data : "", c->body.len);
	buf_printf(&s, "\nint %s(const void *const *in, void *const *out)\n{\n%s\tfault = 0;\n", c->name,
		c->bin ? "\tif (!weights)\n\t\treturn 2;\n" : "");
	buf_put(&s, c->calls.data ? c->calls.data : "", c->calls.len);
	buf_puts(&s, "\t(void)arena;\n\treturn fault != 0;\n}\n");
	bool ok = write_text(path, &s, c->diags) && write_text(header, &h, c->diags);
	buf_free(&h);
	buf_free(&s);
	return ok;
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

/* Memory is static: every size must be certain before the run. */
static bool refuse_sizes(const Exec *x, Diags *d)
{
	const Op *op = exec_boundary(x);
	diag_error(d, HONE_UNSUPPORTED, op ? op->loc : NULL, "%sthe sizes of its results depend on data, which C sources with static memory "
		"cannot have", op ? op_label(d->arena, op) : "the model: ");
	diag_hint(d, "write a .hone file instead, or export the part of the model before this operator");
	return false;
}

bool exec_write_c(Exec *x, const char *path, const char *name, Diags *d)
{
	const Plan *plan = exec_source_plan(x);
	CSource c = { .x = x, .plan = plan, .k = exec_program(x)->kernels, .arena = arena_new(), .name = name, .diags = d };
	bool ok = plan ? true : refuse_sizes(x, d);
	for (size_t i = 0; ok && i < block_terminator(exec_program(x)->module->main->body)->noperands; i++)
		if (plan->output_slots[i])
			ok = diag_error(d, HONE_UNSUPPORTED, NULL, "output %zu is no tensor of numbers", i);
	if (ok)
		find_late_sources(exec_program(x), plan);
	if (ok && weight_bytes(&c) > MOST_WEIGHTS) {
		c.bin = out_open(arena_printf(c.arena, "%.*s.bin", (int)(strlen(path) - 2), path), d);
		ok = c.bin != NULL;
	}
	ok = ok && emit_steps(&c) && write_both(&c, path);
	if (c.bin && ok)
		ok = out_commit(c.bin, d);
	else
		out_discard(c.bin);
	buf_free(&c.data);
	buf_free(&c.body);
	buf_free(&c.calls);
	arena_free(c.arena);
	return ok;
}
