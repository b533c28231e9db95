/* Reads the compiled form. Every number is checked before it is used: the file may be damaged or made by somebody else. */
#include "format/compiled/compiled.h"

#include <string.h>
#include <zlib.h>

typedef struct Reader {
	Context *c;
	MappedFile *f;
	const uint8_t *p, *end;
	const uint8_t *base;        /* of the tensors */
	uint64_t tensor_bytes;
	Arena *scratch;
	const Str **strings;
	const Type **types;
	Blob **tensors;
	bool *textual;              /* tensor i holds strings */
	const Attr **attrs;
	uint64_t nstrings, ntypes, ntensors, nattrs;
	Module *m;
	VEC(Value *) values;
	const Loc *loc;
	bool ok;
} Reader;

static bool bad(Reader *r, const char *what)
{
	Loc loc = { .file = str(r->c, r->f->path)->s, .offset = r->p - r->f->data };
	if (r->ok) {
		diag_error(&r->c->diags, HONE_BAD_INPUT, &loc, "damaged compiled model: %s", what);
		diag_hint(&r->c->diags, "compile the model again");
	}
	return r->ok = false;
}

static uint64_t get_u(Reader *r)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 64 && r->p < r->end; shift += 7) {
		uint8_t b = *r->p++;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	bad(r, "a number does not end");
	return 0;
}

static int64_t get_i(Reader *r)
{
	uint64_t v = get_u(r);
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static double get_f(Reader *r)
{
	double v = 0;
	if (r->end - r->p < (ptrdiff_t)sizeof(v))
		return bad(r, "a number is cut off"), 0;
	memcpy(&v, r->p, sizeof(v));
	r->p += sizeof(v);
	return v;
}

/* A count of things that take at least a byte each. */
static uint64_t get_count(Reader *r)
{
	uint64_t n = get_u(r);
	if (n > (uint64_t)(r->end - r->p))
		return bad(r, "a list is longer than the file"), 0;
	return n;
}

static const Str *get_str(Reader *r)
{
	uint64_t n = get_u(r);
	if (n > r->nstrings)
		return bad(r, "a string that there is not"), NULL;
	return n ? r->strings[n - 1] : NULL;
}

static const Type *get_type(Reader *r)
{
	uint64_t n = get_u(r);
	if (!n || n > r->ntypes || !r->types[n - 1])
		return bad(r, "a type that there is not"), type_unknown(r->c);
	return r->types[n - 1];
}

static const Attr *get_attr(Reader *r)
{
	uint64_t n = get_u(r);
	if (!n || n > r->nattrs || !r->attrs[n - 1])
		return bad(r, "an attribute that there is not"), NULL;
	return r->attrs[n - 1];
}

static void read_strings(Reader *r)
{
	r->nstrings = get_count(r);
	r->strings = NEW_ARRAY(r->scratch, const Str *, r->nstrings + 1);
	for (uint64_t i = 0; i < r->nstrings && r->ok; i++) {
		uint64_t n = get_count(r);
		r->strings[i] = str_n(r->c, (const char *)r->p, (size_t)n);
		r->p += n;
	}
	if (!r->ok)
		r->nstrings = 0;
}

static const Sym *read_dim(Reader *r)
{
	if (get_u(r)) {
		int64_t n = get_i(r);
		return n < 0 ? (bad(r, "a negative size"), sym_unknown(r->c)) : sym_int(r->c, n);
	}
	size_t used = 0;
	uint64_t n = get_count(r);
	const Sym *s = sym_parse(r->c, (const char *)r->p, (size_t)n, &used);
	r->p += n;
	if (!s || used != n)
		return bad(r, "a size that cannot be read"), sym_unknown(r->c);
	return s;
}

static const Type *read_type(Reader *r)
{
	Type t = { .kind = (TypeKind)get_u(r), .dtype = (DType)get_u(r) };
	int64_t rank = get_i(r);
	if ((unsigned)t.kind > TYPE_OPAQUE || (unsigned)t.dtype >= DT_COUNT || rank < RANK_UNKNOWN || rank > r->end - r->p)
		return bad(r, "a type that cannot be"), NULL;
	bool tensor = t.kind == TYPE_TENSOR || t.kind == TYPE_SPARSE;
	t.rank = (int)rank;
	const Sym **dims = NEW_ARRAY(r->scratch, const Sym *, tensor && rank > 0 ? rank : 1);
	for (int i = 0; tensor && i < t.rank; i++)
		dims[i] = read_dim(r);
	uint64_t n = get_count(r);
	const Type **elem = NEW_ARRAY(r->scratch, const Type *, n + 1);
	for (uint64_t i = 0; i < n; i++)
		elem[i] = get_type(r);
	t.dims = dims;
	t.elem = elem;
	t.nelem = (int)n;
	t.text = get_str(r);
	bool needs_elem = t.kind == TYPE_SEQUENCE || t.kind == TYPE_OPTIONAL || t.kind == TYPE_MAP;
	if (!r->ok || (needs_elem && n != 1))
		return bad(r, "a type without its element"), NULL;
	return tensor && !t.text && t.kind == TYPE_TENSOR ? type_tensor(r->c, t.dtype, t.rank, dims) : type_make(r->c, t);
}

static void read_types(Reader *r)
{
	uint64_t n = get_count(r);
	r->types = NEW_ARRAY(r->scratch, const Type *, n + 1);
	for (uint64_t i = 0; i < n && r->ok; i++) {
		r->types[i] = read_type(r);
		r->ntypes = i + 1;
	}
}

static Blob *read_texts(Reader *r)
{
	bool splat = get_u(r) != 0;
	uint64_t n = get_count(r);
	const Str **v = NEW_ARRAY(r->scratch, const Str *, n + 1);
	for (uint64_t i = 0; i < n && r->ok; i++)
		if (!(v[i] = get_str(r)))
			bad(r, "a string that there is not");
	if (!r->ok || (splat && n != 1))
		return bad(r, "strings that cannot be"), NULL;
	return splat ? blob_splat(r->c, DT_STR, v) : blob_copy(r->c, v, (size_t)n * sizeof(*v));
}

static void read_tensors(Reader *r)
{
	uint64_t n = get_count(r);
	r->tensors = NEW_ARRAY(r->scratch, Blob *, n + 1);
	r->textual = NEW_ARRAY(r->scratch, bool, n + 1);
	for (uint64_t i = 0; i < n && r->ok; i++) {
		uint64_t kind = get_u(r);
		r->textual[i] = kind == 2;
		if (kind == 2) {
			r->tensors[i] = read_texts(r);
		} else {
			uint64_t at = get_u(r), len = get_u(r);
			if (kind > 1 || at > r->tensor_bytes || len > r->tensor_bytes - at || at % COMPILED_ALIGN)
				bad(r, "a tensor outside of the file");
			else {
				r->tensors[i] = blob_mapped(r->c, r->f, (size_t)(r->base + at - r->f->data), (size_t)len);
				r->tensors[i]->splat = kind == 1;
			}
		}
		r->ntensors = i + 1;
	}
}

/* The blob must hold what the type says. */
static const Attr *tensor_attr(Reader *r)
{
	const Type *t = get_type(r);
	uint64_t n = get_u(r);
	int64_t count;
	size_t want;
	if (!r->ok || !n || n > r->ntensors || !r->tensors[n - 1])
		return bad(r, "a tensor that there is not"), NULL;
	Blob *b = r->tensors[n - 1];
	if (t->kind != TYPE_TENSOR || t->dtype == DT_NONE || !type_static_numel(t, &count) ||
			(t->dtype == DT_STR) != r->textual[n - 1] || !dtype_packed_bytes(t->dtype, b->splat ? 1 : count, &want))
		return bad(r, "a tensor of a type that cannot be"), NULL;
	if (b->splat ? b->len < dtype_size(t->dtype) : b->len < want)
		return bad(r, "a tensor with fewer bytes than its type says"), NULL;
	return attr_tensor(r->c, t, blob_ref(b));
}

static const Attr *read_list(Reader *r, Attr a)
{
	uint64_t n = get_count(r);
	const Attr **v = NEW_ARRAY(r->scratch, const Attr *, n + 1);
	const Str **names = NEW_ARRAY(r->scratch, const Str *, n + 1);
	for (uint64_t i = 0; i < n; i++) {
		if (a.kind == ATTR_DICT && !(names[i] = get_str(r)))
			return bad(r, "an entry without a name"), NULL;
		if (!(v[i] = get_attr(r)))
			return NULL;
	}
	a.u.list.v = v;
	a.u.list.names = a.kind == ATTR_DICT ? names : NULL;
	a.u.list.n = n;
	return attr_make(r->c, a);
}

static const Attr *read_numbers(Reader *r, Attr a)
{
	if (a.kind == ATTR_INTS) {
		uint64_t n = get_count(r);
		int64_t *v = NEW_ARRAY(r->scratch, int64_t, n + 1);
		for (uint64_t i = 0; i < n; i++)
			v[i] = get_i(r);
		return attr_ints(r->c, v, (size_t)n);
	}
	if (a.kind == ATTR_FLOATS) {
		uint64_t n = get_count(r);
		double *v = NEW_ARRAY(r->scratch, double, n + 1);
		for (uint64_t i = 0; i < n; i++)
			v[i] = get_f(r);
		return attr_floats(r->c, v, (size_t)n);
	}
	if (a.kind == ATTR_STRS) {
		uint64_t n = get_count(r);
		const Str **v = NEW_ARRAY(r->scratch, const Str *, n + 1);
		for (uint64_t i = 0; i < n; i++)
			if (!(v[i] = get_str(r)))
				return bad(r, "a string that there is not"), NULL;
		return attr_strs(r->c, v, (size_t)n);
	}
	if (a.kind == ATTR_FLOAT)
		a.u.f = get_f(r);
	else
		a.u.i = get_i(r);
	return attr_make(r->c, a);
}

static const Attr *read_attr(Reader *r)
{
	Attr a = { .kind = (AttrKind)get_u(r), .width = (DType)get_u(r) };
	if ((unsigned)a.kind > ATTR_WIRE || (unsigned)a.width >= DT_COUNT)
		return bad(r, "an attribute that cannot be"), NULL;
	switch (a.kind) {
	case ATTR_INT: case ATTR_BOOL: case ATTR_FLOAT: case ATTR_INTS: case ATTR_FLOATS: case ATTR_STRS:
		return read_numbers(r, a);
	case ATTR_STR: case ATTR_SYMREF: case ATTR_TEXT: case ATTR_WIRE:
		if (!(a.u.str = get_str(r)))
			return bad(r, "a string that there is not"), NULL;
		return attr_make(r->c, a);
	case ATTR_TENSOR:
		return tensor_attr(r);
	case ATTR_TYPE:
		a.u.type = get_type(r);
		return attr_make(r->c, a);
	case ATTR_LIST: case ATTR_DICT:
		return read_list(r, a);
	default:
		return attr_make(r->c, a);
	}
}

static void read_attr_table(Reader *r)
{
	uint64_t n = get_count(r);
	r->attrs = NEW_ARRAY(r->scratch, const Attr *, n + 1);
	for (uint64_t i = 0; i < n && r->ok; i++) {
		r->attrs[i] = read_attr(r);
		r->nattrs = i + 1;
	}
}

static NamedAttr *read_attrs(Reader *r, uint16_t *count)
{
	uint64_t n = get_count(r);
	NamedAttr *v = NEW_ARRAY(r->m->arena, NamedAttr, n + 1);
	if (n > UINT16_MAX)
		return bad(r, "too many attributes"), v;
	for (uint64_t i = 0; i < n && r->ok; i++) {
		v[i].name = get_str(r);
		v[i].value = get_attr(r);
		if (!v[i].name)
			bad(r, "an attribute without a name");
	}
	*count = r->ok ? (uint16_t)n : 0;
	return v;
}

static void add_value(Reader *r, Value *v)
{
	VEC_PUSH(r->scratch, &r->values, v);
}

static void read_block(Reader *r, Block *b, int depth);

static void read_op(Reader *r, Block *b, int depth)
{
	const Str *kind = get_str(r), *name = get_str(r);
	uint64_t n = get_count(r);
	OpSpec s = { .loc = r->loc, .name = name };
	Value **in = NEW_ARRAY(r->scratch, Value *, n + 1);
	if (!kind || n > MAX_OPERANDS) {
		bad(r, "an operation without a name");
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v = get_u(r);
		if (v > r->values.len) {
			bad(r, "an operand that is not defined");
			return;
		}
		in[i] = v ? r->values.data[v - 1] : NULL;
	}
	uint16_t nattrs = 0, nmeta = 0;
	s.attrs = read_attrs(r, &nattrs);
	s.nattrs = nattrs;
	NamedAttr *meta = read_attrs(r, &nmeta);
	s.def = op_def_find(r->c, kind->s, kind->len);
	s.operands = in;
	s.noperands = (size_t)n;
	s.nblocks = (size_t)get_count(r);
	if (!r->ok || s.nblocks > UINT16_MAX) {
		bad(r, "an operation that cannot be");
		return;
	}
	Op *op = op_new(b, NULL, &s);
	op->meta = meta;
	op->nmeta = nmeta;
	for (size_t i = 0; i < s.nblocks && r->ok; i++) {
		if (!get_u(r))
			continue;
		Block *inner = block_new(b->func, op);
		op_set_block(op, i, inner);
		read_block(r, inner, depth + 1);
	}
	uint64_t results = get_count(r);
	for (uint64_t i = 0; i < results && r->ok; i++) {
		Value *v = op_add_result(op, get_type(r));
		value_set_name(v, get_str(r));
		add_value(r, v);
	}
	op_update_constant(op);
}

static void read_block(Reader *r, Block *b, int depth)
{
	if (depth > COMPILED_DEPTH) {
		bad(r, "graphs nested too deeply");
		return;
	}
	b->name = get_str(r);
	uint64_t nargs = get_count(r);
	for (uint64_t i = 0; i < nargs && r->ok; i++) {
		const Type *t = get_type(r);
		add_value(r, block_add_arg(b, t, get_str(r)));
	}
	uint64_t nops = get_count(r);
	for (uint64_t i = 0; i < nops && r->ok; i++)
		read_op(r, b, depth);
}

static void read_func(Reader *r)
{
	const Str *name = get_str(r);
	Func *f = func_new(r->m, name ? name : r->c->empty);
	f->is_library = get_u(r) != 0;
	f->attrs = read_attrs(r, &f->nattrs);
	r->values.len = 0;
	read_block(r, f->body, 0);
	const Op *ret = f->body->last;
	if (!r->ok || !ret || !(ret->def->traits & TRAIT_TERMINATOR)) {
		bad(r, "a function without an end");
		return;
	}
	uint32_t nargs = f->body->nargs, n = ret->noperands;
	f->arg_default = NEW_ARRAY(r->m->arena, const Attr *, nargs + 1);
	f->result_names = NEW_ARRAY(r->m->arena, const Str *, n + 1);
	f->result_types = NEW_ARRAY(r->m->arena, const Type *, n + 1);
	for (uint32_t i = 0; i < nargs && r->ok; i++) {
		uint64_t a = get_u(r);
		if (a > r->nattrs || (a && r->attrs[a - 1]->kind != ATTR_TENSOR))
			bad(r, "a default that is no tensor");
		else
			f->arg_default[i] = a ? r->attrs[a - 1] : NULL;
	}
	for (uint32_t i = 0; i < n && r->ok; i++) {
		f->result_names[i] = get_str(r);
		uint64_t t = get_u(r);
		if (t > r->ntypes)
			bad(r, "a type that there is not");
		else
			f->result_types[i] = t ? r->types[t - 1] : op_operand(ret, i)->type;
		if (!f->result_names[i])
			f->result_names[i] = op_operand(ret, i)->name ? op_operand(ret, i)->name : r->c->empty;
	}
}

static void read_module(Reader *r)
{
	uint16_t nattrs = 0;
	read_strings(r);
	read_types(r);
	read_tensors(r);
	read_attr_table(r);
	if (!r->ok)
		return;
	r->m->format = get_str(r);
	r->m->attrs = read_attrs(r, &nattrs);
	r->m->nattrs = nattrs;
	uint64_t nfuncs = get_count(r), main = get_u(r), i = 0;
	for (i = 0; i < nfuncs && r->ok; i++)
		read_func(r);
	if (!r->ok || !main || main > nfuncs) {
		bad(r, "no main function");
		return;
	}
	r->m->main = r->m->funcs;
	for (i = 1; i < main; i++)
		r->m->main = r->m->main->next;
}

static uint64_t get_le(const uint8_t *p, int n)
{
	uint64_t v = 0;
	for (int i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* The two parts lie in the file, and the description is what was written. */
static bool read_header(Reader *r)
{
	const uint8_t *h = r->f->data;
	r->p = h;
	if (r->f->len < COMPILED_HEADER)
		return bad(r, "the header is cut off");
	if (get_le(h + 8, 4) != COMPILED_VERSION) {
		Loc loc = { .file = str(r->c, r->f->path)->s, .offset = 8 };
		diag_error(&r->c->diags, HONE_UNSUPPORTED, &loc, "a compiled model of version %llu, this hone reads version %d",
			(unsigned long long)get_le(h + 8, 4), COMPILED_VERSION);
		diag_hint(&r->c->diags, "compile the model again");
		return r->ok = false;
	}
	uint64_t at = get_le(h + 16, 8), len = get_le(h + 24, 8), tensors = get_le(h + 32, 8), bytes = get_le(h + 40, 8);
	if (at > r->f->len || len > r->f->len - at || tensors > r->f->len || bytes > r->f->len - tensors ||
			tensors % COMPILED_ALIGN)
		return bad(r, "the file is cut off");
	if (crc32_z(0, h + at, (size_t)len) != get_le(h + 12, 4))
		return bad(r, "the checksum does not fit");
	r->p = h + at;
	r->end = r->p + len;
	r->base = h + tensors;
	r->tensor_bytes = bytes;
	return true;
}

int compiled_sniff(Bytes head, const char *path)
{
	(void)path;
	return head.len >= sizeof(COMPILED_MAGIC) && !memcmp(head.data, COMPILED_MAGIC, sizeof(COMPILED_MAGIC)) ? 100 : 0;
}

Module *compiled_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	(void)o;
	Reader r = { .c = c, .f = f, .scratch = arena_new(), .ok = true };
	Loc loc = { .file = str(c, f->path)->s, .offset = -1 };
	r.loc = loc_new(c, loc);
	if (read_header(&r)) {
		r.m = module_new(c);
		r.m->compiled = true;
		read_module(&r);
		for (uint64_t i = 0; i < r.ntensors; i++)
			blob_unref(r.tensors[i]);
		if (r.ok)
			r.ok = module_verify(r.m, &c->diags);
		if (!r.ok) {
			module_free(r.m);
			r.m = NULL;
		}
	}
	arena_free(r.scratch);
	return r.ok ? r.m : NULL;
}
