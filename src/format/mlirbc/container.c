#include "mlirbc.h"

#include <string.h>

#define PADDING 0xCB

static const char *const section_names[SEC_COUNT] = {
	"strings", "dialects", "attributes and types", "offsets of attributes and types", "ops", "resources",
	"offsets of resources", "versions of dialects", "properties",
};

/* ---- sections ---- */

/* Number, length and, when the highest bit of the number is set, an alignment with padding before the data. */
static bool section_head(Cursor *c, uint8_t *id, Bytes *data)
{
	const uint8_t *at = c->p;
	uint64_t len, align;
	if (!cur_byte(c, id) || !cur_varint(c, &len))
		return false;
	bool aligned = *id & 0x80;
	*id &= 0x7F;
	if (*id >= SEC_COUNT)
		return bc_error(c->r, at, "unknown section %u", *id);
	if (aligned) {
		const uint8_t *where = c->p;
		if (!cur_varint(c, &align))
			return false;
		if (align == 0 || (align & (align - 1)) || align > 1u << 30)
			return bc_error(c->r, where, "alignment %llu is no power of two up to 2^30", (unsigned long long)align);
		while ((size_t)(c->p - c->r->file->data) % align) {
			uint8_t b;
			if (!cur_byte(c, &b))
				return false;
			if (b != PADDING)
				return bc_error(c->r, c->p - 1, "found byte 0x%02X, expected padding (0xCB)", b);
		}
	}
	if (len > cur_left(c))
		return bc_error(c->r, at, "section %s has %llu bytes, but only %zu remain", section_names[*id],
			(unsigned long long)len, cur_left(c));
	return cur_bytes(c, len, data);
}

static bool read_sections(BcReader *r, Cursor *c)
{
	while (c->p < c->end) {
		const uint8_t *at = c->p;
		uint8_t id;
		Bytes data;
		if (!section_head(c, &id, &data))
			return false;
		if (r->have[id])
			return bc_error(r, at, "section %s is there twice", section_names[id]);
		r->have[id] = true;
		r->sections[id] = data;
	}
	for (int i = 0; i <= SEC_IR; i++)
		if (!r->have[i])
			return bc_error(r, c->end, "section %s is missing", section_names[i]);
	if (r->have[SEC_RESOURCE] != r->have[SEC_RESOURCE_OFFSETS])
		return bc_error(r, c->end, "section %s is missing",
			section_names[r->have[SEC_RESOURCE] ? SEC_RESOURCE_OFFSETS : SEC_RESOURCE]);
	if (r->version >= 5 && !r->have[SEC_PROPERTIES])
		return bc_error(r, c->end, "section %s is missing", section_names[SEC_PROPERTIES]);
	return true;
}

/* ---- strings ---- */

/* A count, the lengths from the last string to the first with their NULs, then the bytes from the first to the last. */
static bool read_strings(BcReader *r)
{
	Cursor c = cur_of(r, r->sections[SEC_STRING]);
	if (!cur_count(&c, "strings", &r->nstrings))
		return false;
	size_t *len = NEW_ARRAY(r->scratch, size_t, r->nstrings);
	r->strings = NEW_ARRAY(r->scratch, const Str *, r->nstrings);
	size_t total = 0;
	for (size_t i = r->nstrings; i > 0; i--) {
		const uint8_t *at = c.p;
		uint64_t n;
		if (!cur_varint(&c, &n))
			return false;
		if (n == 0 || n > r->sections[SEC_STRING].len || n > UINT32_MAX)
			return bc_error(r, at, "a string of %llu bytes does not fit in its section", (unsigned long long)n);
		len[i - 1] = (size_t)n;
		total += (size_t)n;
		if (total > r->sections[SEC_STRING].len)
			return bc_error(r, at, "the strings have more bytes than their section");
	}
	if (total != cur_left(&c))
		return bc_error(r, c.p, "the strings have %zu bytes, but %zu are there", total, cur_left(&c));
	for (size_t i = 0; i < r->nstrings; i++) {
		if (c.p[len[i] - 1] != 0)
			return bc_error(r, c.p + len[i] - 1, "string %zu does not end with NUL", i);
		r->strings[i] = str_n(r->c, (const char *)c.p, len[i] - 1);
		c.p += len[i];
	}
	return true;
}

/* ---- dialects and names of ops ---- */

static BcDialect dialect_kind(const Str *name)
{
	static const struct { const char *name; BcDialect kind; } known[] = {
		{ "builtin", D_BUILTIN }, { "vhlo", D_VHLO }, { "func", D_FUNC }, { "sdy", D_SDY }, { "stablehlo", D_SHLO },
		{ "chlo", D_CHLO },
	};
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(known[i].name, name->s))
			return known[i].kind;
	return D_OTHER;
}

static bool read_dialect(BcReader *r, Cursor *c, DialectName *d)
{
	const uint8_t *at = c->p;
	uint64_t index;
	bool versioned = false;
	if (r->version >= 1 ? !cur_flagged(c, &index, &versioned) : !cur_varint(c, &index))
		return false;
	if (index >= r->nstrings)
		return bc_error(r, at, "number %llu of a string is out of range, the file has %zu", (unsigned long long)index,
			r->nstrings);
	*d = (DialectName){ r->strings[index], dialect_kind(r->strings[index]) };
	uint8_t id;
	Bytes ignored;
	at = c->p;
	if (versioned && !section_head(c, &id, &ignored))
		return false;
	if (versioned && id != SEC_DIALECT_VERSIONS)
		return bc_error(r, at, "found section %s, expected the version of a dialect", section_names[id]);
	return true;
}

/* Names of ops stand in groups: dialect, count, names. */
static bool read_op_names(BcReader *r, Cursor *c)
{
	while (c->p < c->end) {
		size_t dialect, n;
		if (!cur_index(c, "dialect", r->ndialects, &dialect) || !cur_count(c, "names of ops", &n))
			return false;
		for (size_t i = 0; i < n; i++) {
			const uint8_t *at = c->p;
			uint64_t index;
			bool registered = true;
			if (r->version >= 5 ? !cur_flagged(c, &index, &registered) : !cur_varint(c, &index))
				return false;
			if (index >= r->nstrings)
				return bc_error(r, at, "number %llu of a string is out of range, the file has %zu",
					(unsigned long long)index, r->nstrings);
			VEC_PUSH(r->scratch, &r->ops, ((OpName){ .dialect = (uint32_t)dialect, .name = r->strings[index],
				.registered = registered }));
		}
	}
	return true;
}

static bool read_dialects(BcReader *r)
{
	Cursor c = cur_of(r, r->sections[SEC_DIALECT]);
	uint64_t total;
	if (!cur_count(&c, "dialects", &r->ndialects))
		return false;
	if (r->ndialects > UINT16_MAX)
		return bc_fail(r, HONE_LIMIT, r->sections[SEC_DIALECT].data, "%zu dialects, at most %d are supported", r->ndialects,
			UINT16_MAX);
	r->dialects = NEW_ARRAY(r->scratch, DialectName, r->ndialects);
	for (size_t i = 0; i < r->ndialects; i++)
		if (!read_dialect(r, &c, &r->dialects[i]))
			return false;
	return (r->version < 4 || cur_varint(&c, &total)) && read_op_names(r, &c);
}

/* ---- table of attributes and types ---- */

/* What files take: ops and values 20 to 25 bytes for one of theirs, entries and what is noted of them 45 to 70 bytes, places
 * in the source and attributes 40 to 50. */
static void expect_memory(BcReader *r, size_t nentries)
{
	arena_expect(r->m->arena, 23 * r->sections[SEC_IR].len);
	arena_expect(r->scratch, 64 * nentries);
	arena_expect(r->c->arena, 44 * nentries);
}

/* Groups of entries: dialect, count, sizes with a flag. They follow each other in the other section. */
static bool read_entries(BcReader *r)
{
	Cursor c = cur_of(r, r->sections[SEC_OFFSETS]);
	Bytes data = r->sections[SEC_ENTRIES];
	size_t used = 0, at_entry = 0;
	if (!cur_count(&c, "attributes", &r->nattrs) || !cur_count(&c, "types", &r->ntypes))
		return false;
	size_t total = r->nattrs + r->ntypes;
	expect_memory(r, total);
	r->entries = NEW_ARRAY(r->scratch, Entry, total + 1);
	r->entries[total].data = data.data;
	while (at_entry < total) {
		const uint8_t *at = c.p;
		size_t dialect, n, limit = at_entry < r->nattrs ? r->nattrs : total;
		if (!cur_index(&c, "dialect", r->ndialects, &dialect) || !cur_count(&c, "entries", &n))
			return false;
		if (n == 0 || n > limit - at_entry)
			return bc_error(r, at, "a group of %zu entries where %zu remain", n, limit - at_entry);
		for (size_t i = 0; i < n; i++) {
			uint64_t size;
			bool custom;
			at = c.p;
			if (!cur_flagged(&c, &size, &custom))
				return false;
			if (size > data.len - used)
				return bc_error(r, at, "an entry of %llu bytes ends outside its section", (unsigned long long)size);
			r->entries[at_entry] = (Entry){ .data = data.data + used, .dialect = (uint16_t)dialect, .custom = custom,
				.is_type = at_entry >= r->nattrs };
			used += (size_t)size;
			r->entries[++at_entry].data = data.data + used;
		}
	}
	return cur_end(&c, "the offsets of attributes and types");
}

/* ---- properties ---- */

static bool read_properties(BcReader *r)
{
	if (!r->have[SEC_PROPERTIES])
		return true;
	Bytes section = r->sections[SEC_PROPERTIES], ignored;
	Cursor c = cur_of(r, section);
	if (!cur_count(&c, "properties", &r->nproperties))
		return false;
	r->properties = NEW_ARRAY(r->scratch, Properties, r->nproperties);
	for (size_t i = 0; i < r->nproperties; i++) {
		r->properties[i].offset = (size_t)(c.p - section.data);
		if (!cur_blob(&c, &ignored))
			return false;
	}
	return cur_end(&c, "the properties");
}

Properties *properties_at(BcReader *r, const uint8_t *at, uint64_t index)
{
	if (index < r->nproperties)
		return &r->properties[index];
	bc_error(r, at, "number %llu of properties is out of range, the file has %zu", (unsigned long long)index, r->nproperties);
	return NULL;
}

Bytes properties_bytes(BcReader *r, const Properties *p)
{
	Bytes section = r->sections[SEC_PROPERTIES], out = { 0 };
	Cursor c = { r, section.data + p->offset, section.data + section.len };
	CHECK(cur_blob(&c, &out)); /* it was read before */
	return out;
}

/* ---- resources ---- */

enum { RESOURCE_BLOB, RESOURCE_BOOL, RESOURCE_STRING };

static bool blob_data(BcReader *r, Bytes raw, Bytes *out)
{
	Cursor c = cur_of(r, raw);
	const uint8_t *at = c.p;
	uint64_t align, size;
	if (!cur_varint(&c, &align) || !cur_varint(&c, &size))
		return false;
	if (align == 0 || (align & (align - 1)) || align > 1u << 30)
		return bc_error(r, at, "alignment %llu is no power of two up to 2^30", (unsigned long long)align);
	size_t skip = (size_t)(0 - (size_t)(c.p - r->file->data)) & (size_t)(align - 1);
	return cur_bytes(&c, skip, out) && cur_bytes(&c, size, out);
}

static bool read_resource_group(BcReader *r, Cursor *c, Cursor *data, bool keep)
{
	size_t n;
	if (!cur_count(c, "resources", &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		Resource s = { 0 };
		uint64_t size;
		Bytes raw;
		const uint8_t *at = c->p;
		if (!cur_string(c, &s.key) || !cur_varint(c, &size) || !cur_byte(c, &s.kind))
			return false;
		if (s.kind > RESOURCE_STRING)
			return bc_error(r, at, "resource %s has unknown kind %u", quote(r->scratch, s.key->s, s.key->len), s.kind);
		if (!cur_bytes(data, size, &raw))
			return false;
		if (size > 0 && s.kind == RESOURCE_BLOB) {
			if (!blob_data(r, raw, &s.data))
				return false;
			s.found = true;
		}
		if (keep)
			VEC_PUSH(r->scratch, &r->resources, s);
	}
	return true;
}

/* Resources of tools, which are dropped, then those of dialects, which attributes refer to by their place. */
static bool read_resources(BcReader *r)
{
	if (!r->have[SEC_RESOURCE])
		return true;
	Cursor c = cur_of(r, r->sections[SEC_RESOURCE_OFFSETS]), data = cur_of(r, r->sections[SEC_RESOURCE]);
	const Str *name;
	size_t groups, dialect;
	if (!cur_count(&c, "groups of resources", &groups))
		return false;
	for (size_t i = 0; i < groups; i++)
		if (!cur_string(&c, &name) || !read_resource_group(r, &c, &data, false))
			return false;
	while (c.p < c.end)
		if (!cur_index(&c, "dialect", r->ndialects, &dialect) || !read_resource_group(r, &c, &data, true))
			return false;
	return true;
}

/* ---- the whole ---- */

static bool read_head(BcReader *r, Cursor *c)
{
	c->p += 4; /* the magic number */
	const uint8_t *at = c->p;
	if (!cur_varint(c, &r->version))
		return false;
	if (r->version > BC_MAX_VERSION)
		return bc_fail(r, HONE_UNSUPPORTED, at, "bytecode version %llu is newer than %d, the newest one that is known",
			(unsigned long long)r->version, BC_MAX_VERSION);
	const uint8_t *nul = memchr(c->p, 0, cur_left(c));
	if (!nul)
		return bc_error(r, c->p, "the name of the producer does not end");
	r->producer = quote(r->scratch, (const char *)c->p, (size_t)(nul - c->p));
	int64_t major;
	const char *v = (const char *)c->p;
	size_t digits = !strncmp(v, "StableHLO_v", 11) ? strspn(v + 11, "0123456789") : 0;
	if (digits && (!parse_int64(v + 11, digits, &major) || major > 1))
		return bc_fail(r, HONE_UNSUPPORTED, c->p, "the file needs a reader of %s; StableHLO up to 1.x is known",
			r->producer);
	c->p = nul + 1;
	return true;
}

bool container_read(BcReader *r)
{
	Cursor c = { r, r->file->data, r->file->data + r->file->len };
	if (r->file->len < 4 || memcmp(r->file->data, "ML\xefR", 4))
		return bc_error(r, c.p, "found no magic number of MLIR bytecode (ML\\xEFR)");
	return read_head(r, &c) && read_sections(r, &c) && read_strings(r) && read_dialects(r) && read_entries(r) &&
		read_properties(r) && read_resources(r);
}
