#include "mlirbc.h"

#include <string.h>

/* The ops of a block follow each other; the regions of an op follow its own numbers, those of an op that is isolated
 * from above in a section of their own (from version 2 on). A stack of frames, one for each op whose regions are being
 * read, takes the place of recursion. Values are numbered in the order of their definitions within an isolated op: a
 * region takes as many numbers as it says, and gives them back at its end. */

enum { HAS_ATTRS = 1, HAS_RESULTS = 2, HAS_OPERANDS = 4, HAS_SUCCESSORS = 8, HAS_REGIONS = 16, HAS_USE_LISTS = 32,
	HAS_PROPERTIES = 64, HAS_ANY = 127 };

typedef enum FrameKind { FRAME_TOP, FRAME_MODULE, FRAME_FUNC, FRAME_OP } FrameKind;

typedef struct Frame {
	FrameKind kind;
	OpHeader h;
	Func *func;              /* that holds the blocks */
	Block **blocks;
	size_t region;           /* the current one */
	Block *block;            /* NULL at the level of modules */
	Cursor c;
	bool own_section;        /* c is not the cursor of the frame below */
	uint64_t left;           /* ops of the block that are still to come */
	size_t base;             /* place of value 0 of the scope */
	size_t start, next, end; /* places of the region's values, and the next one to be defined */
} Frame;

typedef struct Walk {
	BcReader *r;
	VEC(Frame) frames;
	VEC(Value *) values;     /* NULL: not defined yet */
	VEC(Value *) operands;   /* of the op that is read, and the types of its results */
	VEC(const Type *) types;
	bool had_module;
	VEC(const Attr *) items; /* ops beside functions */
} Walk;

#define MAX_ITEMS 65535
#define SPARE_VALUES 256 /* room for regions inside, so that the list seldom grows */

static Frame *top(Walk *w)
{
	return &w->frames.data[w->frames.len - 1];
}

/* ---- values ---- */

static bool define_values(Walk *w, Frame *f, const uint8_t *at, size_t n, size_t *first)
{
	if (n > f->end - f->next)
		return bc_error(w->r, at, "the region has more values than it says");
	*first = f->next;
	f->next += n;
	return true;
}

static bool read_operands(Walk *w, Frame *f, OpHeader *h)
{
	BcReader *r = w->r;
	if (!cur_count(&f->c, "operands", &h->noperands))
		return false;
	VEC_RESERVE(r->scratch, &w->operands, h->noperands);
	h->operands = w->operands.data;
	for (size_t i = 0; i < h->noperands; i++) {
		const uint8_t *at = f->c.p;
		size_t index;
		if (!cur_index(&f->c, "value", w->values.len - f->base, &index))
			return false;
		h->operands[i] = w->values.data[f->base + index];
		if (!h->operands[i])
			return bc_error(r, at, "value %zu is used before its definition", index);
	}
	return true;
}

static bool read_results(Walk *w, Frame *f, OpHeader *h)
{
	const uint8_t *at = f->c.p;
	if (!cur_count(&f->c, "results", &h->nresults))
		return false;
	VEC_RESERVE(w->r->scratch, &w->types, h->nresults);
	h->types = w->types.data;
	for (size_t i = 0; i < h->nresults; i++) {
		const Entry *e = entry_at(&f->c, true);
		if (!e)
			return false;
		h->types[i] = value_type(w->r, e);
	}
	return define_values(w, f, at, h->nresults, &h->first_result);
}

/* The order in which uses of values are listed is of no interest; it must only be well-formed. */
static bool skip_use_lists(Cursor *c, size_t nvalues)
{
	uint64_t n = 1, v, count;
	bool pairs;
	if (nvalues != 1 && !cur_varint(c, &n))
		return false;
	if (n > nvalues || n > cur_left(c))
		return bc_error(c->r, c->p, "%llu orders of uses for %zu values", (unsigned long long)n, nvalues);
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *at = c->p;
		if (nvalues != 1) {
			if (!cur_varint(c, &v))
				return false;
			if (v >= nvalues)
				return bc_error(c->r, at, "order of uses of value %llu of %zu", (unsigned long long)v, nvalues);
		}
		at = c->p;
		if (!cur_flagged(c, &count, &pairs))
			return false;
		if (count > cur_left(c) || (pairs && count % 2))
			return bc_error(c->r, at, "malformed order of %llu uses", (unsigned long long)count);
		for (uint64_t k = 0; k < count; k++)
			if (!cur_varint(c, &v))
				return false;
	}
	return true;
}

/* ---- ops ---- */

static void set_full_name(BcReader *r, OpName *n)
{
	n->full = str_fmt(r->c, "%s.%s", r->dialects[n->dialect].name->s, n->name->s);
	n->is_func = !strcmp(n->full->s, "vhlo.func_v1") || !strcmp(n->full->s, "func.func");
	n->is_call = !strcmp(n->full->s, "vhlo.call_v1") || !strcmp(n->full->s, "func.call");
	n->is_return = !strcmp(n->full->s, "vhlo.return_v1") || !strcmp(n->full->s, "func.return");
	n->is_cast = !strcmp(n->full->s, "builtin.unrealized_conversion_cast");
}

static bool read_name(Walk *w, Frame *f, OpHeader *h)
{
	BcReader *r = w->r;
	size_t name;
	h->at = f->c.p;
	if (!cur_index(&f->c, "name of an op", r->ops.len, &name))
		return false;
	h->name = &r->ops.data[name];
	h->dialect = r->dialects[h->name->dialect].kind;
	if (!h->name->full)
		set_full_name(r, h->name);
	h->full = h->name->full;
	if (++r->nops > r->max_ops)
		return bc_fail(r, HONE_LIMIT, h->at, "more than %lld ops", (long long)r->max_ops);
	return h->name->name->len > 0 || bc_error(r, h->at, "an op has no name");
}

/* Locations say where the model's source is; without one it is the place in the file. */
static bool read_location(Walk *w, Frame *f, OpHeader *h)
{
	BcReader *r = w->r;
	const uint8_t *at = f->c.p;
	const Entry *e = loc_at(&f->c);
	if (!e)
		return false;
	if (!e->loc)
		return bc_error(r, at, "the location of an op is another attribute");
	h->loc = e->loc;
	if (!e->loc->file && !e->loc->what)
		h->loc = loc_new(r->c, (Loc){ .file = r->file->path, .offset = h->at - r->file->data });
	return true;
}

static bool read_properties_number(Walk *w, Frame *f, Properties **out)
{
	const uint8_t *at = f->c.p;
	uint64_t index;
	return cur_varint(&f->c, &index) && (*out = properties_at(w->r, at, index)) != NULL;
}

static bool read_successors(Walk *w, Frame *f)
{
	uint64_t n;
	const uint8_t *at = f->c.p;
	if (!cur_varint(&f->c, &n))
		return false;
	return n == 0 || bc_fail(w->r, HONE_UNSUPPORTED, at, "ops with successor blocks are not supported");
}

static bool read_header(Walk *w, Frame *f, OpHeader *h)
{
	BcReader *r = w->r;
	Cursor *c = &f->c;
	uint8_t mask;
	uint64_t n = 0;
	Properties *properties = NULL;
	const Attr *dict = NULL;
	if (!read_name(w, f, h) || !cur_byte(c, &mask) || !read_location(w, f, h))
		return false;
	if (mask & ~HAS_ANY)
		return bc_error(r, h->at, "unknown parts of an op (0x%02X)", mask);
	if ((mask & HAS_ATTRS) && !(dict = attr_at(c)))
		return false;
	if (r->version >= 5 && (mask & HAS_PROPERTIES) && !read_properties_number(w, f, &properties))
		return false;
	if (!op_attributes(r, h, dict, properties))
		return false;
	if (((mask & HAS_RESULTS) && !read_results(w, f, h)) || ((mask & HAS_OPERANDS) && !read_operands(w, f, h)) ||
		((mask & HAS_SUCCESSORS) && !read_successors(w, f)) ||
		((mask & HAS_USE_LISTS) && r->version >= 3 && !skip_use_lists(c, h->nresults)))
		return false;
	if ((mask & HAS_REGIONS) && !cur_flagged(c, &n, &h->isolated))
		return false;
	if (n > BC_MAX_REGIONS)
		return bc_fail(r, HONE_LIMIT, h->at, "%llu regions of one op", (unsigned long long)n);
	h->nregions = (size_t)n;
	return true;
}

/* ---- regions ---- */

/* The argument of a function is called by its location when that is a name, else by its number. */
static const Str *arg_name(Walk *w, const Frame *f, size_t i, const Loc *loc)
{
	if (f->kind != FRAME_FUNC)
		return NULL;
	if (loc && loc->what && loc->what[0])
		return str(w->r->c, loc->what);
	return str_arg(w->r->c, i);
}

static bool read_args(Walk *w, Frame *f)
{
	BcReader *r = w->r;
	const uint8_t *at = f->c.p;
	size_t n, first = 0;
	if (!cur_count(&f->c, "arguments", &n) || !define_values(w, f, at, n, &first))
		return false;
	for (size_t i = 0; i < n; i++) {
		const Loc *loc = NULL;
		const Entry *e;
		uint64_t v = 0;
		bool has_loc = true;
		at = f->c.p;
		Cursor peek = f->c;
		if (r->version >= 4) { /* the lowest bit of the type's number says whether a location follows */
			if (!cur_flagged(&peek, &v, &has_loc))
				return false;
			if (v >= r->ntypes)
				return bc_error(r, at, "number %llu of a type is out of range, the file has %zu", (unsigned long long)v,
					r->ntypes);
			e = entry_of(r, true, (size_t)v);
			f->c = peek;
		} else {
			e = entry_at(&f->c, true);
		}
		if (!e)
			return false;
		const Type *t = value_type(r, e);
		const Entry *l = has_loc ? loc_at(&f->c) : NULL;
		if (has_loc && !l)
			return false;
		loc = l ? l->loc : NULL;
		w->values.data[first + i] = block_add_arg(f->block, t, arg_name(w, f, i, loc));
	}
	if (r->version < 3)
		return true;
	uint8_t orders;
	return cur_byte(&f->c, &orders) && (!orders || skip_use_lists(&f->c, n));
}

static bool read_block_head(Walk *w, Frame *f)
{
	const uint8_t *at = f->c.p;
	bool has_args;
	if (!cur_flagged(&f->c, &f->left, &has_args))
		return false;
	if (f->left > cur_left(&f->c))
		return bc_error(w->r, at, "a block of %llu ops in %zu bytes", (unsigned long long)f->left, cur_left(&f->c));
	if (has_args && !f->block)
		return bc_error(w->r, at, "a module has arguments");
	return !has_args || read_args(w, f);
}

static Block *new_block(Frame *f)
{
	if (f->kind == FRAME_FUNC)
		return f->func->body;
	return f->kind == FRAME_OP ? block_new(f->func, NULL) : NULL;
}

/* Begins region f->region. An empty one is only legal for a function, which is a declaration then. */
static bool begin_region(Walk *w, Frame *f)
{
	BcReader *r = w->r;
	const uint8_t *at = f->c.p;
	uint64_t nblocks;
	size_t nvalues = 0;
	if (!cur_varint(&f->c, &nblocks) || (nblocks && !cur_count(&f->c, "values", &nvalues)))
		return false;
	if (nblocks > 1)
		return bc_fail(r, HONE_UNSUPPORTED, at, "regions with more than one block are not supported");
	if (nblocks == 0 && f->kind != FRAME_FUNC)
		return bc_fail(r, HONE_UNSUPPORTED, at, "region %zu of %s is empty", f->region, f->h.full->s);
	f->start = f->next = w->values.len;
	f->end = f->start + nvalues;
	VEC_RESERVE(r->scratch, &w->values, f->end + SPARE_VALUES);
	for (size_t i = f->start; i < f->end; i++)
		w->values.data[i] = NULL;
	w->values.len = f->end;
	f->block = new_block(f);
	f->left = 0;
	if (f->kind == FRAME_OP)
		f->blocks[f->region] = f->block;
	return nblocks == 0 || read_block_head(w, f);
}

/* ---- frames ---- */

static bool open_section(Walk *w, Frame *parent, Frame *f)
{
	BcReader *r = w->r;
	const uint8_t *at = parent->c.p;
	uint8_t id;
	Bytes data;
	if (!cur_byte(&parent->c, &id))
		return false;
	if (id != SEC_IR)
		return bc_error(r, at, "found section %u, expected the regions of %s", id, f->h.full->s);
	if (!cur_blob(&parent->c, &data))
		return false;
	f->c = cur_of(r, data);
	f->own_section = true;
	return true;
}

static FrameKind kind_of(const Frame *parent, const OpHeader *h)
{
	if (parent->kind == FRAME_TOP)
		return FRAME_MODULE;
	return parent->kind == FRAME_MODULE && h->name->is_func ? FRAME_FUNC : FRAME_OP;
}

static bool check_place(Walk *w, const Frame *f, FrameKind parent)
{
	BcReader *r = w->r;
	const OpHeader *h = &f->h;
	if (f->kind == FRAME_MODULE) {
		if (strcmp(h->full->s, "builtin.module") != 0 || w->had_module)
			return bc_fail(r, HONE_UNSUPPORTED, h->at, "found %s, expected one builtin.module", h->full->s);
		w->had_module = true;
	}
	if (f->kind <= FRAME_FUNC && (h->nregions != 1 || h->noperands || h->nresults))
		return bc_error(r, h->at, "%s has %zu regions, %zu operands and %zu results, expected 1, 0 and 0", h->full->s,
			h->nregions, h->noperands, h->nresults);
	if (f->kind == FRAME_OP && parent == FRAME_MODULE)
		return bc_fail(r, HONE_UNSUPPORTED, h->at, "%s beside functions is not supported", h->full->s);
	return true;
}

/* An op with regions: a frame for it, in its first region. */
static bool push_frame(Walk *w, const OpHeader *h)
{
	BcReader *r = w->r;
	Frame *parent = top(w);
	Frame f = { .kind = kind_of(parent, h), .h = *h, .func = parent->func, .c = parent->c, .base = parent->base };
	if (w->frames.len > BC_MAX_NESTING)
		return bc_fail(r, HONE_LIMIT, h->at, "regions are nested deeper than %d levels", BC_MAX_NESTING);
	if (!check_place(w, &f, parent->kind))
		return false;
	if (h->isolated)
		f.base = w->values.len;
	if (h->isolated && r->version >= 2 && !open_section(w, parent, &f))
		return false;
	if (f.kind == FRAME_FUNC && !func_begin(r, &f.h, &f.func))
		return false;
	if (h->noperands) /* the ops of the regions have the walk's lists next */
		f.h.operands = arena_dup(r->scratch, h->operands, h->noperands * sizeof *h->operands);
	if (h->nresults)
		f.h.types = arena_dup(r->scratch, h->types, h->nresults * sizeof *h->types);
	f.blocks = NEW_ARRAY(r->scratch, Block *, h->nregions);
	VEC_PUSH(r->scratch, &w->frames, f);
	return begin_region(w, top(w));
}

/* `sdy.mesh @mesh = <["x"=2]>`, as the text form has it; NULL: the op has something else. */
static const Attr *mesh_item(BcReader *r, const OpHeader *h, const Str *const *names, const Attr *const *v)
{
	static const char prefix[] = "#sdy.mesh<";
	bool fits = !strcmp(h->full->s, "sdy.mesh") && h->attrs.len == 2 && !strcmp(names[0]->s, "mesh") &&
		!strcmp(names[1]->s, "sym_name") && v[0]->kind == ATTR_TEXT && v[1]->kind == ATTR_STR &&
		!strncmp(v[0]->u.str->s, prefix, sizeof prefix - 1);
	if (!fits)
		return NULL;
	Buf b = { 0 };
	buf_puts(&b, "sdy.mesh ");
	put_symbol(&b, v[1]->u.str);
	buf_printf(&b, " = %s", v[0]->u.str->s + sizeof prefix - 2);
	const Attr *item = make_text(r, str_n(r->c, b.data, b.len));
	buf_free(&b);
	return item;
}

/* Ops of dialects that stand beside functions (meshes of devices and the like) are noted in the module's hone.items. */
static bool module_op(Walk *w, const OpHeader *h)
{
	BcReader *r = w->r;
	if (h->noperands || h->nresults)
		return bc_error(r, h->at, "%s stands outside of functions, but has operands or results", h->full->s);
	const Str **names = NEW_ARRAY(r->scratch, const Str *, h->attrs.len);
	const Attr **v = NEW_ARRAY(r->scratch, const Attr *, h->attrs.len);
	for (size_t i = 0; i < h->attrs.len; i++) {
		names[i] = h->attrs.data[i].name;
		v[i] = h->attrs.data[i].value;
	}
	const Str *const keys[] = { str(r->c, "attrs"), str(r->c, "op") };
	const Attr *const entries[] = { make_dict(r, names, v, h->attrs.len), attr_str(r->c, h->full) };
	if (w->items.len == MAX_ITEMS)
		return bc_fail(r, HONE_LIMIT, h->at, "too many ops beside functions");
	const Attr *mesh = mesh_item(r, h, names, v);
	VEC_PUSH(r->scratch, &w->items, mesh ? mesh : make_dict(r, keys, entries, 2));
	return true;
}

/* Between the types of VHLO and those of other dialects (sdy's ops have the latter), which are the same here: the operand. */
static bool is_type_cast(const OpHeader *h)
{
	if (!h->name->is_cast || h->noperands != 1 || h->nresults != 1 || h->nregions)
		return false;
	const Type *from = h->operands[0]->type, *to = h->types[0];
	return from->kind == to->kind && from->dtype == to->dtype && from->rank == to->rank && from->text == to->text &&
		(from->kind == TYPE_TENSOR || from->kind == TYPE_TOKEN);
}

/* The op is complete: it goes to the end of the block that the frame on top stands in. */
static bool finish_op(Walk *w, OpHeader *h, Block *const *blocks)
{
	Frame *f = top(w);
	Op *op;
	if (!f->block)
		return module_op(w, h);
	if (is_type_cast(h)) {
		w->values.data[h->first_result] = h->operands[0];
		return true;
	}
	if (!op_build(w->r, h, f->block, blocks, &op))
		return false;
	for (size_t i = 0; i < h->nresults; i++)
		w->values.data[h->first_result + i] = op->results[i];
	return true;
}

/* Every block of the IR ends with a terminator; ops of dialects that are not known may be none. */
static void end_block(Walk *w, Frame *f)
{
	Context *c = w->r->c;
	if (f->kind == FRAME_OP && !(f->block->last && (f->block->last->def->traits & TRAIT_TERMINATOR)))
		op_new(f->block, NULL, &(OpSpec){ .def = op_def(c, OP_yield), .loc = f->h.loc });
}

static bool finish_module(Walk *w, OpHeader *h)
{
	if (w->items.len)
		module_set_attr(w->r->m, "hone.items", make_list(w->r, w->items.data, w->items.len));
	for (size_t i = 0; i < h->attrs.len; i++)
		module_set_attr(w->r->m, h->attrs.data[i].name->s, h->attrs.data[i].value);
	return true;
}

static bool pop_frame(Walk *w)
{
	Frame f = *top(w);
	w->frames.len--;
	if (f.own_section && !cur_end(&f.c, "the regions of an op"))
		return false;
	if (!f.own_section && w->frames.len)
		top(w)->c = f.c;
	switch (f.kind) {
	case FRAME_MODULE:
		return finish_module(w, &f.h);
	case FRAME_FUNC:
		return f.block->first || f.block->nargs ? func_end(w->r, &f.h, f.func) : func_end_declaration(w->r, &f.h, f.func);
	case FRAME_OP:
		return finish_op(w, &f.h, f.blocks);
	default:
		return true;
	}
}

/* The block is at its end: the next region, or the op is complete. */
static bool end_region(Walk *w)
{
	Frame *f = top(w);
	end_block(w, f);
	w->values.len = f->start;
	if (++f->region < f->h.nregions)
		return begin_region(w, f);
	return pop_frame(w);
}

/* One by one: cleared as a whole, it takes a slow instruction; read_name and read_location set the others. */
static void header_clear(OpHeader *h)
{
	h->attrs = (AttrList){ 0 };
	h->properties = NULL;
	h->dict = h->signature = NULL;
	h->like = NULL;
	h->known = h->isolated = false;
	h->types = NULL;
	h->operands = NULL;
	h->noperands = h->nresults = h->nregions = h->first_result = 0;
}

static bool read_op(Walk *w)
{
	Frame *f = top(w);
	OpHeader h;
	header_clear(&h);
	f->left--;
	if (!read_header(w, f, &h))
		return false;
	return h.nregions ? push_frame(w, &h) : finish_op(w, &h, NULL);
}

bool ir_read(BcReader *r)
{
	Walk w = { .r = r };
	Frame first = { .kind = FRAME_TOP, .c = cur_of(r, r->sections[SEC_IR]) };
	if (!read_block_head(&w, &first))
		return false;
	VEC_PUSH(r->scratch, &w.frames, first);
	while (w.frames.len > 1 || top(&w)->left)
		if (!(top(&w)->left ? read_op(&w) : end_region(&w)))
			return false;
	if (!w.had_module)
		return bc_error(r, r->sections[SEC_IR].data, "the file holds no builtin.module");
	return cur_end(&top(&w)->c, "the ops");
}
