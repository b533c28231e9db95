/* The domain of every op of the tables: each attribute at its extremes and of the wrong kind, each operand absent, of every
 * rank and element type, with sizes of 0 and beyond memory, index operands at their extremes, wrong counts of results. Each
 * case is a module in the text form that is read, checked, inferred, legalised, run in both modes, optimised with the proof,
 * raised and written. Right is a result or a diagnostic; wrong are a signal, a broken invariant, a failed proof, a refusal
 * without a word, more than MAX_SECONDS or more memory than MAX_MEMORY.
 *
 *	test_op_domain              one case in STRIDE
 *	test_op_domain all [OP]     all of them, or those of the ops whose name holds OP
 *	test_op_domain show OP N    the text of one
 *
 * An op is tried in a process of its own, which says in shared memory what it is about to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/driver.h"
#include "format/onnx/onnx.h"
#include "op_rows.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { STRIDE = 16, MAX_SECONDS = SANITIZED ? 120 : 60, CASES_A_CONTEXT = 128 };
enum { TEXT = 1 << 14 };
static const int64_t MAX_MEMORY = (int64_t)3 << 30, EVAL_MEMORY = 8 << 20;

/* ---- running a case ---- */

/* What the process that tries an op tells the one that waits for it. */
typedef struct Shared {
	int64_t index, seen, ran, refused, broken; /* next case, cases seen, results */
	char text[TEXT], why[512];
} Shared;

typedef struct Trial {
	Shared *shared;
	Context *rows;         /* of the op's row */
	Context *ctx;          /* of the modules */
	int in_context;
	bool reading;          /* no module yet */
	int64_t from, stride;  /* cases before `from` were tried already */
	int64_t show;          /* print the text of this one, or -1 */
} Trial;

static void complain(Trial *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void complain(Trial *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (t->shared->broken++ == 0) {
		size_t n = (size_t)snprintf(t->shared->why, sizeof t->shared->why, "case %lld: ", (long long)t->shared->index - 1);
		vsnprintf(t->shared->why + n, sizeof t->shared->why - n, fmt, ap);
	}
	va_end(ap);
}

/* Values of an input: those of the case, or a few small numbers. */
static Tensor *input_tensor(EvalCtx *e, const OperandSpec *o)
{
	int64_t dims[8] = { 0 };
	DType d;
	if (o->none || o->rank < 0 || !dtype_parse(o->dtype, strlen(o->dtype), &d))
		return NULL;
	for (int i = 0; i < o->rank; i++)
		dims[i] = o->dims[i][0] == '?' ? 3 : atoll(o->dims[i]);
	Tensor *t = tensor_new(e, d, o->rank, dims);
	for (int64_t i = 0; t && i < t->count; i++) {
		const char *v = o->given && i < o->nvalues ? o->values[i] : case_number(o, (int)(i % 4));
		if (d == DT_STR)
			((const Str **)t->data)[i] = str(e->ctx, i % 2 ? "abc" : "b");
		else if (dtype_class(d) == DC_INT || dtype_class(d) == DC_UINT || d == DT_BOOL)
			tensor_set_i64(t, i, v[0] == 't' ? 1 : strtoll(v, NULL, 0));
		else
			tensor_set_f64(t, i, v[0] == '(' ? 0.5 : strtod(v, NULL));
	}
	if (t && o->wrap[0]) {
		Tensor *items[2] = { t, t };
		t = tensor_sequence(e, o->wrap[0] == 's' ? TYPE_SEQUENCE : TYPE_OPTIONAL, items, o->wrap[0] == 's' ? 2 : 1);
	}
	return t;
}

/* Set while a case's own inputs are made: what is too large for the test is no message of hone's. */
static bool making_inputs;

static bool run_once(const Case *c, Module *m, bool oracle)
{
	EvalCtx e;
	Tensor *in[MAX_OPERANDS_HERE], *out[MAX_OPERANDS_HERE + 4];
	size_t n = 0, nout = m->main->body->last->noperands;
	eval_init(&e, m->ctx, &m->ctx->diags);
	eval_enable_dialects(&e, m);
	e.oracle = oracle;
	e.threads = 1;
	e.max_bytes = EVAL_MEMORY;
	e.max_steps = 10000;
	bool ok = nout < ARRAY_LEN(out);
	making_inputs = true;
	for (size_t i = 0; i < c->nin && ok; i++)
		if (!c->in[i].none) {
			in[n] = input_tensor(&e, &c->in[i]);
			ok = in[n++] != NULL || diag_error(&m->ctx->diags, HONE_LIMIT, NULL, "no such input");
		}
	making_inputs = !ok;
	ok = ok && eval_func(&e, m->main, in, n, out, nout);
	eval_release(&e);
	return ok;
}

static bool run_module(const Case *c, Module *m, Arena *a)
{
	return prepare_to_run(m, a) && run_once(c, m, false) && run_once(c, m, true);
}

static bool optimise_module(const Case *c, Module *m, Arena *a)
{
	OptimiseOptions o;
	OptimiseReport r;
	Buf out = { 0 };
	optimise_options_init(&o);
	o.threads = 1;
	o.verify_seconds = 2;
	o.verify_structure = true;
	o.to_stablehlo = c->typed;
	bool ok = optimise(m, &o, a, &r) && optimise_raise(m, &o, a, &r);
	if (ok && c->typed)
		mlir_print(m, &out, &(WriteOptions){ 0 });
	else
		ok = ok && onnx_write_memory(m, &out);
	buf_free(&out);
	return ok;
}

static bool finish_module(const Case *c, Module *m, Arena *a)
{
	return c->constant ? optimise_module(c, m, a) : run_module(c, m, a);
}

static const Diag *first_error_of(const Diags *d)
{
	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.data[i].severity == SEV_ERROR)
			return &d->list.data[i];
	return NULL;
}

static bool mentions(const Diag *d, const char *s)
{
	return strstr(d->message, s) || (d->hint && strstr(d->hint, s)) || (d->loc.what && strstr(d->loc.what, s));
}

/* A refusal speaks to people: of the node and its operator in their own words, of the operator set, and of what to do. The
 * reader's errors of this text form, which no exporter writes, only have a place. */
static void judge_message(Trial *t, const Case *c)
{
	static const char *const internals[] = { "onnx.", "invariant", "invalid IR", "BUG", "(null)", "OWN_", "MS_", "hone.node" };
	const Diag *d = first_error_of(&t->ctx->diags);
	const char *full = c->def->name->s, *mark = strstr(full, "::"), *name = mark ? mark + 2 : strchr(full, '.') + 1;
	bool onnx = !strncmp(full, "onnx.", 5);
	char opset[32];
	if (!d || t->reading || making_inputs)
		return;
	for (size_t i = 0; i < ARRAY_LEN(internals); i++)
		if (mentions(d, internals[i]) && !strstr(full, internals[i] + (onnx && !i)))
			complain(t, "the message speaks of %s: %s", internals[i], d->message);
	if (strncmp(full, "core.", 5) && strstr(d->message, "core."))
		complain(t, "the message speaks of core ops: %s", d->message);
	if (!d->hint)
		complain(t, "no hint: %s", d->message);
	bool placed = d->loc.line != 0; /* ops of StableHLO have no names, those of a body have not been given one */
	if (!mentions(d, NODE) && !strstr(d->message, "(tensor ") && !((c->typed || c->regions) && placed))
		complain(t, "the node is not named: %s", d->message);
	onnx = onnx && !strstr(d->message, "(tensor "); /* a constant belongs to no operator */
	if (onnx && !c->regions && !mentions(d, name))
		complain(t, "the operator is not named: %s", d->message);
	snprintf(opset, sizeof opset, "opset %d", c->opset);
	if (onnx && !mark && !c->regions && !mentions(d, opset))
		complain(t, "the opset is not named: %s (%s)", d->message, d->hint ? d->hint : "");
}

/* True when it gave a result. */
static bool try_text(Trial *t, const Case *c, const Buf *text)
{
	Context *ctx = t->ctx;
	Arena *a = arena_new();
	MemGuard guard;
	bool ok = false;
	mem_guard_push(&guard);
	if (!setjmp(guard.env)) {
		t->reading = true;
		making_inputs = false;
		Module *m = mlir_parse(ctx, "case.mlir", (Bytes){ (const uint8_t *)text->data, text->len - 1 });
		if (m && !module_verify(m, &ctx->diags))
			complain(t, "the reader gave an invalid module");
		t->reading = !m;
		ok = m && finish_module(c, m, a);
		HoneStatus s = ctx->diags.status;
		const char *last = ctx->diags.list.len ? ctx->diags.list.data[ctx->diags.list.len - 1].message : "";
		if (!ok && s == HONE_OK)
			complain(t, "refused without a diagnostic");
		else if (!ok && (s == HONE_INTERNAL || s == HONE_VERIFY_FAILED))
			complain(t, "%s: %s", s == HONE_INTERNAL ? "internal error" : "the proof failed", last);
		else if (!ok && c->must_run)
			complain(t, "should run: %s", last);
		else if (!ok)
			judge_message(t, c);
		if (m)
			module_free(m);
		mem_guard_pop(&guard);
	}
	arena_free(a);
	diags_init(&ctx->diags, ctx->arena);
	return ok;
}

static void try_case(Trial *t, const Case *c)
{
	int64_t index = t->shared->index++;
	bool chosen = c->must_run || (uint64_t)index * 0x9e3779b97f4a7c15u % (uint64_t)t->stride == 0;
	if (t->show >= 0)
		chosen = index == t->show;
	if (index < t->from || !chosen)
		return;
	Buf text = { 0 };
	case_print(c, &text);
	snprintf(t->shared->text, TEXT, "%s", text.data);
	if (t->show >= 0)
		print_message("%s", text.data);
	if (t->in_context++ == CASES_A_CONTEXT) {
		context_free(t->ctx);
		t->ctx = context_new();
		t->in_context = 0;
	}
	alarm(MAX_SECONDS);
	t->shared->seen++;
	if (try_text(t, c, &text))
		t->shared->ran++;
	else
		t->shared->refused++;
	buf_free(&text);
}

/* As an input and as a constant. */
static void try_both(Trial *t, Case *c)
{
	c->constant = false;
	try_case(t, c);
	c->constant = true;
	try_case(t, c);
	c->constant = false;
}

/* ---- changes ---- */

static const char *const extreme_ints[] = { "-9223372036854775808", "9223372036854775807", "-1", "0", "1", "2147483648",
	"-2147483649", "33", "4611686018427387904" };
static const char *const extreme_floats[] = { "0x7FC00000 : f32", "0x7F800000 : f32", "0xFF800000 : f32", "0.0 : f32",
	"-0.0 : f32", "3.0e38 : f32", "1.0e-45 : f32", "-1.0 : f32" };
static const char *const wrong_kinds[] = { "\"abc\"", "\"\"", "7", "0.5 : f32", "[1, 2, 3]", "[]", "[\"a\", \"b\"]",
	"unit", "@main", "dense<[1, 2, 3]> : tensor<3xi64>", "dense<> : tensor<0xf32>", "dense<\"a\"> : tensor<1x!hone.str>", "tensor<2xf32>",
	"[-9223372036854775808, 9223372036854775807, 0]", "[0.5 : f32]", "array<i64: -1, 9223372036854775807>", "true", "{a = 1}" };

static void try_attr_values(Trial *t, Case *c, size_t at, const char *const *values, size_t n)
{
	AttrSpec old = c->attrs[at];
	for (size_t i = 0; i < n; i++) {
		snprintf(c->attrs[at].value, sizeof old.value, "%s", values[i]);
		try_both(t, c);
	}
	c->attrs[at] = old;
}

/* Each number in an attribute's text at its extremes, gone, and twice. */
static void try_numbers(Trial *t, Case *c, size_t at)
{
	AttrSpec old = c->attrs[at];
	const char *s = old.value;
	for (size_t i = 0; s[i]; i++) {
		size_t n = strspn(s + i + (s[i] == '-'), "0123456789") + (s[i] == '-');
		bool number = n > (size_t)(s[i] == '-') && (i == 0 || strchr(" [:<(-", s[i - 1])) && s[i + n] != 'x' &&
			s[i + n] != '.';
		if (!number)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(extreme_ints) + 2; k++) {
			size_t count = ARRAY_LEN(extreme_ints);
			const char *value = k < count ? extreme_ints[k] : k == count ? "" : "1, 1";
			snprintf(c->attrs[at].value, sizeof old.value, "%.*s%s%s", (int)i, s, value, s + i + n);
			try_both(t, c);
		}
		i += n - 1;
	}
	c->attrs[at] = old;
}

static size_t attr_at(Case *c, const char *name)
{
	size_t i = 0;
	while (i < c->nattrs && strcmp(c->attrs[i].name, name))
		i++;
	if (i == c->nattrs && c->nattrs < MAX_ATTRS) {
		snprintf(c->attrs[i].name, sizeof c->attrs[i].name, "%s", name);
		c->attrs[i].value[0] = 0;
		c->nattrs++;
	}
	return i;
}

static void try_attrs(Trial *t, const Case *base)
{
	for (size_t i = 0; i < base->def->nattrs; i++) {
		const AttrDef *d = &base->def->attrs[i];
		Case c = *base;
		c.must_run = false;
		size_t at = attr_at(&c, t->rows->attr_names[d->name]->s);
		if (at == MAX_ATTRS)
			continue;
		if (d->kind == ATTR_INT || d->kind == ATTR_BOOL)
			try_attr_values(t, &c, at, extreme_ints, ARRAY_LEN(extreme_ints));
		else if (d->kind == ATTR_FLOAT)
			try_attr_values(t, &c, at, extreme_floats, ARRAY_LEN(extreme_floats));
		else if (at < base->nattrs)
			try_numbers(t, &c, at);
		try_attr_values(t, &c, at, wrong_kinds, ARRAY_LEN(wrong_kinds));
		if (at < base->nattrs) {
			c.attrs[at] = c.attrs[--c.nattrs];
			try_both(t, &c);
		}
	}
}

static void set_rank(OperandSpec *o, int rank, const char *dim)
{
	o->rank = rank;
	o->given = false;
	for (int i = 0; i < rank; i++)
		snprintf(o->dims[i], sizeof o->dims[0], "%s", dim);
}

static void try_types(Trial *t, Case *c, OperandSpec *o)
{
	static const char *const sizes[] = { "0", "1", "7", "2147483648", "4611686018427387904", "9223372036854775807", "?" };
	OperandSpec old = *o;
	for (int rank = -1; rank <= 6; rank++) {
		set_rank(o, rank, "2");
		try_both(t, c);
	}
	set_rank(o, 3, "0");
	try_both(t, c);
	*o = old;
	for (int d = 1; d < DT_COUNT; d++) {
		snprintf(o->dtype, sizeof o->dtype, "%s", dtype_name((DType)d));
		try_both(t, c);
	}
	*o = old;
	for (int i = 0; i < old.rank; i++) {
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
			snprintf(o->dims[i], sizeof o->dims[0], "%s", sizes[k]);
			try_both(t, c);
		}
		*o = old;
	}
	static const char *const wraps[] = { "seq", "opt", "" };
	for (size_t k = 0; k < ARRAY_LEN(wraps); k++)
		if (strcmp(wraps[k], old.wrap)) {
			snprintf(o->wrap, sizeof o->wrap, "%s", wraps[k]);
			try_both(t, c);
		}
	*o = old;
}

static void try_operands(Trial *t, const Case *base)
{
	for (size_t i = 0; i < base->nin; i++) {
		Case c = *base;
		c.must_run = false;
		OperandSpec *o = &c.in[i], old = *o;
		o->none = true;
		try_both(t, &c);
		c.nin = i;
		try_both(t, &c);
		c.nin = base->nin;
		*o = old;
		if (old.none)
			continue;
		try_types(t, &c, o);
		for (int v = 0; v < old.nvalues; v++) {
			for (size_t k = 0; k < ARRAY_LEN(extreme_ints); k++) {
				snprintf(o->values[v], sizeof o->values[0], "%s", extreme_ints[k]);
				try_both(t, &c);
			}
			*o = old;
		}
	}
	if (base->nin < MAX_OPERANDS_HERE) {
		Case c = *base;
		c.must_run = false;
		case_operand("f32[2]", 6, &c.in[c.nin++]);
		try_both(t, &c);
	}
}

static void try_results(Trial *t, const Case *base)
{
	Case c = *base;
	c.must_run = false;
	for (size_t n = 0; n < 5; n++) {
		for (size_t i = base->nout; i < n; i++)
			case_operand("f32[2,3]", 8, &c.out[i]);
		c.nout = n;
		try_both(t, &c);
	}
	c.nout = base->nout;
	for (size_t i = 0; c.typed && i < c.nout && i < MAX_OPERANDS_HERE; i++)
		try_types(t, &c, &c.out[i]);
}

/* All operands alike, of each rank, size and element type: what only such a change gets through. */
static void try_uniform(Trial *t, const Case *base)
{
	static const char *const sizes[] = { "2", "0", "1", "?" };
	Case c = *base;
	c.must_run = false;
	for (int rank = 0; rank <= 6; rank++)
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
			for (size_t i = 0; i < c.nin; i++)
				set_rank(&c.in[i], rank, sizes[k]);
			for (size_t i = 0; i < c.nout && i < MAX_OPERANDS_HERE; i++)
				set_rank(&c.out[i], rank, sizes[k]);
			try_both(t, &c);
		}
	c = *base;
	c.must_run = false;
	for (int d = 1; d < DT_COUNT; d++) {
		for (size_t i = 0; i < c.nin; i++)
			snprintf(c.in[i].dtype, sizeof c.in[i].dtype, "%s", dtype_name((DType)d));
		for (size_t i = 0; i < c.nout && i < MAX_OPERANDS_HERE; i++)
			snprintf(c.out[i].dtype, sizeof c.out[i].dtype, "%s", dtype_name((DType)d));
		try_both(t, &c);
	}
}

static void try_everything(Trial *t, const Case *base)
{
	static const int opsets[] = { 1, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 21, 28 };
	Case c = *base;
	try_both(t, &c);
	c.must_run = false;
	for (size_t i = 0; c.opset && i < ARRAY_LEN(opsets); i++) {
		c.opset = opsets[i];
		try_both(t, &c);
	}
	if (c.regions) {
		c.opset = base->opset;
		c.regions = NULL;
		try_both(t, &c);
		c.regions = "({\n}) ";
		try_both(t, &c);
	}
	try_uniform(t, base);
	try_operands(t, base);
	try_attrs(t, base);
	try_results(t, base);
}

/* ---- a process an op ---- */

static void try_op(Trial *t, OpKind k)
{
	Case c;
	bool found = false;
	t->rows = context_new();
	t->ctx = context_new();
	const OpDef *d = op_def(t->rows, k);
	t->shared->index = 0;
	for (size_t i = 0; i < ARRAY_LEN(op_rows); i++) {
		const char *name = op_rows[i].op + (op_rows[i].op[0] == '!');
		if (strcmp(name, d->name->s))
			continue;
		found = true;
		case_of_row(d, &op_rows[i], &c);
		try_everything(t, &c);
	}
	if (!found) {
		case_of_row(d, NULL, &c);
		try_everything(t, &c);
	}
	context_free(t->ctx);
	context_free(t->rows);
}

/* Tries an op until all of its cases were gone through or three broke a process; the number of failures. */
static int judge_op(OpKind k, const char *name, int64_t stride, Shared *s, int64_t *seen, int64_t *ran)
{
	int failures = 0;
	Trial t = { .shared = s, .stride = stride, .show = -1 };
	memset(s, 0, sizeof *s);
	for (int tries = 0; tries < 3; tries++) {
		int status = 0;
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct rlimit r = { (rlim_t)MAX_MEMORY, (rlim_t)MAX_MEMORY }, none = { 0, 0 };
			if (!SANITIZED)
				setrlimit(RLIMIT_AS, &r);
			setrlimit(RLIMIT_CORE, &none);
			signal(SIGSEGV, SIG_DFL);
			try_op(&t, k);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status == 0)
			break;
		print_message("%s: case %lld: %s %d\n%s", name, (long long)s->index - 1,
			WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), s->text);
		failures++;
		t.from = s->index;
	}
	if (s->broken) {
		print_message("%s: %lld cases are wrong, first %s\n", name, (long long)s->broken, s->why);
		failures++;
	}
	*seen += s->seen;
	*ran += s->ran;
	return failures;
}

static const char *filter;
static int64_t chosen_stride = STRIDE;

static void judge(int first, int end)
{
	Context *c = context_new();
	Shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(s != MAP_FAILED);
	int64_t seen = 0, ran = 0;
	int failures = 0;
	for (int k = first; k < end; k++) {
		if (k == OP_UNKNOWN || k == OP_CORE_END || k == ONNX_initializer)
			continue;
		const OpDef *d = op_def(c, (OpKind)k);
		if (d->traits & TRAIT_TERMINATOR)
			continue;
		if (!filter || strstr(d->name->s, filter))
			failures += judge_op((OpKind)k, d->name->s, chosen_stride, s, &seen, &ran);
	}
	print_message("%lld cases, %lld gave a result\n", (long long)seen, (long long)ran);
	munmap(s, sizeof *s);
	context_free(c);
	assert_int_equal(failures, 0);
	if (!filter)
		assert_true(ran > seen / 20);
}

static void core_ops(void **state)
{
	(void)state;
	judge(OP_UNKNOWN, OP_CORE_END);
}

static void onnx_ops(void **state)
{
	(void)state;
	judge(ONNX_initializer, OWN_StringConcat);
}

static void own_ops(void **state)
{
	(void)state;
	judge(OWN_StringConcat, SHLO_abs);
}

static void stablehlo_ops(void **state)
{
	(void)state;
	judge(SHLO_abs, OP_KIND_COUNT);
}

/* A row that names no op would be forgotten. */
static void rows_name_ops(void **state)
{
	(void)state;
	Context *c = context_new();
	for (size_t i = 0; i < ARRAY_LEN(op_rows); i++) {
		const char *name = op_rows[i].op + (op_rows[i].op[0] == '!');
		if (op_def_find(c, name, strlen(name))->kind == OP_UNKNOWN)
			fail_msg("op_rows.h: there is no op %s", name);
	}
	context_free(c);
}

static int show(const char *op, const char *number)
{
	Context *c = context_new();
	static Shared s;
	Trial t = { .shared = &s, .stride = 1, .show = atoll(number) };
	try_op(&t, op_def_find(c, op, strlen(op))->kind);
	print_message("%s\n", s.broken ? s.why : s.ran ? "ran" : "refused");
	context_free(c);
	return s.broken != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_name_ops), cmocka_unit_test(core_ops), cmocka_unit_test(onnx_ops), cmocka_unit_test(own_ops),
		cmocka_unit_test(stablehlo_ops),
	};
	if (argc == 4 && !strcmp(argv[1], "show"))
		return show(argv[2], argv[3]);
	if (argc > 1)
		chosen_stride = 1;
	if (argc > 2)
		filter = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
