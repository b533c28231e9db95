#include "intern.h"

#include <stdio.h>
#include <string.h>

/* Open addressing with linear probing; the full hash is kept so that growth never calls back and most misses are
 * decided without `equal`. */

typedef struct InternSlot {
	uint64_t hash;
	const void *item; /* NULL: free */
} InternSlot;

struct Interner {
	Arena *arena;
	InternEqual *equal;
	InternSlot *slots;
	size_t len, nslots; /* nslots is a power of two */
};

#define INTERN_FIRST_SLOTS 64

Interner *interner_new(Arena *a, InternEqual *equal)
{
	Interner *t = NEW(a, Interner);
	t->arena = a;
	t->equal = equal;
	t->nslots = INTERN_FIRST_SLOTS;
	t->slots = NEW_ARRAY(a, InternSlot, t->nslots);
	return t;
}

const void *interner_find(const Interner *t, uint64_t hash, const void *key)
{
	for (size_t i = hash & (t->nslots - 1); t->slots[i].item; i = (i + 1) & (t->nslots - 1))
		if (t->slots[i].hash == hash && t->equal(key, t->slots[i].item))
			return t->slots[i].item;
	return NULL;
}

static void interner_insert(Interner *t, uint64_t hash, const void *item)
{
	size_t i = hash & (t->nslots - 1);
	while (t->slots[i].item)
		i = (i + 1) & (t->nslots - 1);
	t->slots[i] = (InternSlot){ hash, item };
}

void interner_add(Interner *t, uint64_t hash, const void *item)
{
	if (t->len >= t->nslots / 4 * 3) {
		InternSlot *old = t->slots;
		size_t n = t->nslots;
		InternSlot *fresh = NEW_ARRAY(t->arena, InternSlot, 2 * n);
		t->slots = fresh;
		t->nslots = 2 * n;
		for (size_t i = 0; i < n; i++)
			if (old[i].item)
				interner_insert(t, old[i].hash, old[i].item);
	}
	interner_insert(t, hash, item);
	t->len++;
}

static bool loc_equal(const void *key, const void *item)
{
	const Loc *a = key, *b = item;
	return a->file == b->file && a->line == b->line && a->col == b->col && a->offset == b->offset && a->what == b->what;
}

Context *context_new(void)
{
	Arena *a = arena_new();
	Context *c = NEW(a, Context);
	c->arena = a;
	c->strs = str_table_new(a, &fixed_names);
	diags_init(&c->diags, a);
	c->types = interner_new(a, type_intern_equal);
	c->attrs = interner_new(a, attr_intern_equal);
	c->syms = interner_new(a, sym_intern_equal);
	c->locs = interner_new(a, loc_equal);
	c->next_unknown = 1;
	c->empty = str(c, "");
	c->attr_names = fixed_attr_names;
	return c;
}

void context_free(Context *c)
{
	if (!c)
		return;
	while (c->modules)
		module_free(c->modules);
	blob_release_all(c);
	arena_free(c->arena); /* holds the context itself */
}

Str *str(Context *c, const char *s)
{
	return str_intern(c->strs, s, strlen(s));
}

Str *str_n(Context *c, const char *s, size_t len)
{
	return str_intern(c->strs, s, len);
}

Str *str_arg(Context *c, size_t i)
{
	return i < fixed_args ? fixed_arg_names[i] : str_fmt(c, "arg%zu", i);
}

/* Formats on the stack where it fits; longer texts pass through the arena. */
Str *str_fmt(Context *c, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	CHECK(n >= 0);
	if ((size_t)n < sizeof small)
		return str_n(c, small, (size_t)n);
	va_start(ap, fmt);
	const char *big = arena_vprintf(c->arena, fmt, ap);
	va_end(ap);
	return str_n(c, big, (size_t)n);
}

const Loc *loc_new(Context *c, Loc l)
{
	if (l.file)
		l.file = str(c, l.file)->s;
	if (l.what)
		l.what = str(c, l.what)->s;
	uint64_t h = hash_ptr(1, l.file);
	h = hash_mix(h, l.line);
	h = hash_mix(h, l.col);
	h = hash_mix(h, (uint64_t)l.offset);
	h = hash_ptr(h, l.what);
	const Loc *found = interner_find(c->locs, h, &l);
	if (!found) {
		found = arena_dup(c->arena, &l, sizeof l);
		interner_add(c->locs, h, found);
	}
	return found;
}
