/* Insertion-ordered hash map. */
#include "mix.h"

#include <string.h>

void map_init(Map *m, Arena *a)
{
	*m = (Map){.arena = a};
}

/* The slot that holds key, or the free slot where it belongs (linear probing; the table is never full). */
static uint32_t find_slot(const Map *m, uint64_t key)
{
	uint32_t mask = m->nslots - 1;
	uint32_t i = (uint32_t)mix64(key) & mask;
	while (m->slots[i] && m->entries[m->slots[i] - 1].key != key)
		i = (i + 1) & mask;
	return i;
}

/* Keeps at least half of the slots free. Slots hold the entry's index plus one. */
static void grow(Map *m)
{
	if (m->nslots >= UINT32_C(1) << 31)
		mem_fail();
	uint32_t nslots = m->nslots ? m->nslots * 2 : 16;
	uint32_t cap = nslots / 2;
	MapEntry *entries = NEW_ARRAY(m->arena, MapEntry, cap);
	uint32_t *slots = NEW_ARRAY(m->arena, uint32_t, nslots);
	if (m->len)
		memcpy(entries, m->entries, m->len * sizeof(*entries));
	m->entries = entries;
	m->slots = slots;
	m->nslots = nslots;
	m->cap = cap;
	for (uint32_t i = 0; i < m->len; i++)
		m->slots[find_slot(m, entries[i].key)] = i + 1;
}

void **map_slot(Map *m, uint64_t key)
{
	if (m->nslots) {
		uint32_t at = m->slots[find_slot(m, key)];
		if (at)
			return &m->entries[at - 1].value;
	}
	if (m->len == m->cap)
		grow(m);
	MapEntry *e = &m->entries[m->len];
	*e = (MapEntry){.key = key};
	m->slots[find_slot(m, key)] = ++m->len;
	return &e->value;
}

void *map_get(const Map *m, uint64_t key)
{
	uint32_t at = m->nslots ? m->slots[find_slot(m, key)] : 0;
	return at ? m->entries[at - 1].value : NULL;
}

bool map_has(const Map *m, uint64_t key)
{
	return m->nslots && m->slots[find_slot(m, key)];
}

void map_put(Map *m, uint64_t key, void *value)
{
	*map_slot(m, key) = value;
}

/* A slot of an entry is reached past slots of older entries only: from the last to the first, each is still found. */
void map_clear(Map *m)
{
	if (m->len > m->nslots / 8)
		memset(m->slots, 0, m->nslots * sizeof(*m->slots));
	else
		for (uint32_t i = m->len; i-- > 0;)
			m->slots[find_slot(m, m->entries[i].key)] = 0;
	m->len = 0;
}
