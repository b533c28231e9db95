/* intern: hash-consing table shared by types, attributes, locations and symbolic dimensions. Private to src/ir. */
#ifndef HONE_INTERN_H
#define HONE_INTERN_H

#include "ir.h"

/* `key` is what the caller looks for, `item` one that was added; both have the type that the table is for. */
typedef bool InternEqual(const void *key, const void *item);
typedef struct Interner Interner;
Interner *interner_new(Arena *a, InternEqual *equal);
const void *interner_find(const Interner *t, uint64_t hash, const void *key); /* NULL when absent */
void interner_add(Interner *t, uint64_t hash, const void *item);              /* must be absent; kept by reference */

static inline uint64_t hash_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static inline uint64_t hash_ptr(uint64_t h, const void *p)
{
	return hash_mix(h, MAP_PTR(p));
}

/* Names of attributes and of the ops of the tables: made at build time by tools/fixed_names.c. */
extern const FixedStrs fixed_names;
extern Str *const fixed_attr_names[]; /* by AttrName */
extern Str *const *const fixed_arg_names; /* arg0, arg1, ... */
extern const size_t fixed_args;

InternEqual type_intern_equal, attr_intern_equal, sym_intern_equal;
void blob_release_all(Context *c); /* frees every live blob whatever its count: nothing may outlive its context */

/* Lists of named attributes, sorted by name text; edit.c. */
int str_order(const Str *a, const Str *b);
void named_attr_set(Arena *a, NamedAttr **list, uint16_t *n, const Str *name, const Attr *v);

#endif
