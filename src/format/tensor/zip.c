/* Zip archives as .npz uses them (APPNOTE.TXT 6.3): stored and deflated entries, zip64, one disk, no encryption.
 * The central directory alone says what there is; of a local header only its length matters. */
#include "format/tensor/tensor_int.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum {
	END_BYTES = 22,
	END64_BYTES = 56,
	LOCATOR_BYTES = 20,
	CENTRAL_BYTES = 46,
	LOCAL_BYTES = 30,
	COMMENT_LIMIT = 65535,
	METHOD_STORED = 0,
	METHOD_DEFLATED = 8,
	FLAG_ENCRYPTED = 1,
	EXTRA_ZIP64 = 1,
	VERSION_ZIP64 = 45,
	DEFLATE_BEST_RATIO = 1032 /* no deflate stream expands more */
};
#define IN_ZIP64 0xffffffffu   /* a 32-bit field whose value is in the zip64 extra field */
#define SIGNATURE_LOCAL 0x04034b50u
#define SIGNATURE_CENTRAL 0x02014b50u
#define SIGNATURE_END 0x06054b50u
#define SIGNATURE_END64 0x06064b50u
#define SIGNATURE_LOCATOR 0x07064b50u
#define DOS_DATE_1980 0x0021u  /* every entry gets the same date: same input, same bytes */

static uint64_t get(const uint8_t *p, int bytes)
{
	uint64_t v = 0;
	for (int i = bytes; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static uint32_t get16(const uint8_t *p) { return (uint32_t)get(p, 2); }
static uint32_t get32(const uint8_t *p) { return (uint32_t)get(p, 4); }

static bool error_at(Diags *d, const char *file, uint64_t at, HoneStatus status, const char *message)
{
	Loc loc = {.file = file, .offset = (int64_t)at};
	return diag_error(d, status, &loc, "npz: %s at byte %llu", message, (unsigned long long)at);
}

/* Where the end record is: the last one whose comment reaches to the end of the file exactly. */
static bool find_end(Bytes b, size_t *at)
{
	if (b.len < END_BYTES)
		return false;
	size_t last = b.len - END_BYTES;
	for (size_t back = 0; back <= last && back <= COMMENT_LIMIT; back++) {
		const uint8_t *p = b.data + last - back;
		if (get32(p) == SIGNATURE_END && get16(p + 20) == back) {
			*at = last - back;
			return true;
		}
	}
	return false;
}

typedef struct Directory {
	uint64_t entries, offset, size;
} Directory;

/* Reads the end record and, where a locator precedes it, the zip64 one; checks that the directory lies before it. */
static bool read_end(Bytes b, const char *file, Directory *out, Diags *d)
{
	size_t at;
	if (!find_end(b, &at))
		return error_at(d, file, b.len, HONE_BAD_INPUT, "no end-of-archive record; the file is cut or no zip archive");
	const uint8_t *p = b.data + at;
	bool one_disk = get16(p + 4) == 0 && get16(p + 6) == 0;
	*out = (Directory){.entries = get16(p + 10), .size = get32(p + 12), .offset = get32(p + 16)};
	size_t limit = at;
	if (at >= LOCATOR_BYTES && get32(p - LOCATOR_BYTES) == SIGNATURE_LOCATOR) {
		uint64_t at64 = get(p - LOCATOR_BYTES + 8, 8);
		if (at64 > at || at - at64 < END64_BYTES || get32(b.data + at64) != SIGNATURE_END64)
			return error_at(d, file, at - LOCATOR_BYTES, HONE_BAD_INPUT, "bad zip64 locator");
		p = b.data + at64;
		one_disk = get32(p + 16) == 0 && get32(p + 20) == 0;
		*out = (Directory){.entries = get(p + 32, 8), .size = get(p + 40, 8), .offset = get(p + 48, 8)};
		limit = (size_t)at64;
	}
	if (!one_disk)
		return error_at(d, file, at, HONE_UNSUPPORTED, "archive in several parts");
	if (out->offset > limit || out->size > limit - out->offset)
		return error_at(d, file, at, HONE_BAD_INPUT, "the directory lies outside the file");
	if (out->entries > out->size / CENTRAL_BYTES)
		return error_at(d, file, at, HONE_BAD_INPUT, "more entries than the directory has room for");
	return true;
}

/* Replaces the fields that are IN_ZIP64 by those of the zip64 extra field. */
static bool read_zip64(const uint8_t *extra, size_t len, uint64_t *size, uint64_t *packed, uint64_t *offset)
{
	uint64_t *fields[] = {size, packed, offset};
	if (*size != IN_ZIP64 && *packed != IN_ZIP64 && *offset != IN_ZIP64)
		return true;
	for (size_t at = 0; len - at >= 4;) {
		size_t body = get16(extra + at + 2), used = 0;
		if (body > len - at - 4)
			return false;
		if (get16(extra + at) == EXTRA_ZIP64) {
			for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
				if (*fields[i] != IN_ZIP64)
					continue;
				if (body - used < 8)
					return false;
				*fields[i] = get(extra + at + 4 + used, 8);
				used += 8;
			}
			return true;
		}
		at += 4 + body;
	}
	return false;
}

/* One record of the central directory at `at`; *next gets the position of the one after it. */
static bool read_entry(Context *c, Bytes b, const char *file, size_t at, size_t end, ZipEntry *out, size_t *next, Diags *d)
{
	const uint8_t *p = b.data + at;
	if (end - at < CENTRAL_BYTES || get32(p) != SIGNATURE_CENTRAL)
		return error_at(d, file, at, HONE_BAD_INPUT, "bad directory entry");
	size_t name_len = get16(p + 28), extra_len = get16(p + 30), comment_len = get16(p + 32);
	if (name_len + extra_len + comment_len > end - at - CENTRAL_BYTES)
		return error_at(d, file, at, HONE_BAD_INPUT, "directory entry reaches beyond the directory");
	*next = at + CENTRAL_BYTES + name_len + extra_len + comment_len;
	uint32_t flags = get16(p + 8), method = get16(p + 10);
	if (flags & FLAG_ENCRYPTED)
		return error_at(d, file, at, HONE_UNSUPPORTED, "encrypted entry");
	if (method != METHOD_STORED && method != METHOD_DEFLATED)
		return error_at(d, file, at, HONE_UNSUPPORTED, "compression other than deflate");
	uint64_t packed = get32(p + 20), size = get32(p + 24), local = get32(p + 42);
	if (!read_zip64(p + CENTRAL_BYTES + name_len, extra_len, &size, &packed, &local))
		return error_at(d, file, at, HONE_BAD_INPUT, "bad zip64 field");
	if (local > b.len || b.len - local < LOCAL_BYTES || get32(b.data + local) != SIGNATURE_LOCAL)
		return error_at(d, file, at, HONE_BAD_INPUT, "directory entry points to no local header");
	uint64_t data = local + LOCAL_BYTES + get16(b.data + local + 26) + get16(b.data + local + 28);
	if (data > b.len || packed > b.len - data)
		return error_at(d, file, at, HONE_BAD_INPUT, "entry data reaches beyond the file");
	bool deflated = method == METHOD_DEFLATED;
	if (deflated ? size / DEFLATE_BEST_RATIO > packed : size != packed)
		return error_at(d, file, at, HONE_BAD_INPUT, "unpacked size does not fit the packed size");
	*out = (ZipEntry){.name = str_n(c, (const char *)p + CENTRAL_BYTES, name_len), .packed = {b.data + data, packed},
		.size = size, .crc = get32(p + 16), .deflated = deflated};
	return true;
}

bool zip_entries(Context *c, Arena *a, Bytes b, const char *file, ZipEntry **out, size_t *n, Diags *d)
{
	Directory dir = {0};
	if (!read_end(b, file, &dir, d))
		return false;
	*out = NEW_ARRAY(a, ZipEntry, dir.entries);
	*n = dir.entries;
	size_t at = dir.offset, end = dir.offset + dir.size;
	uint64_t packed = 0;
	for (size_t i = 0; i < *n; i++) {
		if (!read_entry(c, b, file, at, end, *out + i, &at, d))
			return false;
		packed += (*out)[i].packed.len; /* each at most the file's size; entries bounded by it too */
		if (packed > b.len)
			return error_at(d, file, at, HONE_BAD_INPUT, "entries overlap");
	}
	return true;
}

static uint32_t crc_of(uint32_t crc, const uint8_t *data, uint64_t n)
{
	while (n > 0) {
		uInt step = n > UINT_MAX ? UINT_MAX : (uInt)n;
		crc = (uint32_t)crc32(crc, data, step);
		data += step;
		n -= step;
	}
	return crc;
}

bool zip_check_crc(const ZipEntry *entry, const uint8_t *data, const char *file, Diags *d)
{
	if (crc_of(0, data, entry->size) == entry->crc)
		return true;
	Loc loc = {.file = file, .offset = -1};
	return diag_error(d, HONE_BAD_INPUT, &loc, "npz: entry %s is damaged: its checksum differs",
		quote(d->arena, entry->name->s, entry->name->len));
}

/* Raw deflate in steps that fit zlib's 32-bit counters; the stream must end exactly at both sizes. */
bool zip_inflate(const ZipEntry *entry, uint8_t *to, const char *file, Diags *d)
{
	z_stream z = {0};
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return diag_error(d, HONE_LIMIT, NULL, "npz: out of memory while unpacking");
	uint64_t in_left = entry->packed.len, out_left = entry->size;
	z.next_in = (Bytef *)(uintptr_t)entry->packed.data; /* zlib takes no const, and does not write */
	z.next_out = to;
	int rc = Z_OK;
	do {
		uInt in_step = in_left > UINT_MAX ? UINT_MAX : (uInt)in_left;
		uInt out_step = out_left > UINT_MAX ? UINT_MAX : (uInt)out_left;
		z.avail_in = in_step;
		z.avail_out = out_step;
		rc = inflate(&z, Z_NO_FLUSH);
		in_left -= in_step - z.avail_in;
		out_left -= out_step - z.avail_out;
		if (z.avail_in == in_step && z.avail_out == out_step)
			break; /* no progress */
	} while (rc == Z_OK);
	inflateEnd(&z);
	if (rc == Z_STREAM_END && in_left == 0 && out_left == 0)
		return zip_check_crc(entry, to, file, d);
	Loc loc = {.file = file, .offset = -1};
	return diag_error(d, HONE_BAD_INPUT, &loc, "npz: entry %s does not unpack to the %llu bytes it claims",
		quote(d->arena, entry->name->s, entry->name->len), (unsigned long long)entry->size);
}

/* ---- writing ---- */

static void put(Buf *b, uint64_t v, int bytes)
{
	uint8_t le[8];
	for (int i = 0; i < bytes; i++)
		le[i] = (uint8_t)(v >> 8 * i);
	buf_put(b, le, (size_t)bytes);
}

/* The fields that local and central headers share: version needed, flags, method, time, date, CRC, sizes, name length.
 * Sizes are always in the zip64 extra field, so that one form serves any size. */
static void put_common(Buf *b, uint32_t crc, size_t name_len)
{
	put(b, VERSION_ZIP64, 2);
	put(b, 0, 2);
	put(b, METHOD_STORED, 2);
	put(b, 0, 2);
	put(b, DOS_DATE_1980, 2);
	put(b, crc, 4);
	put(b, IN_ZIP64, 4);
	put(b, IN_ZIP64, 4);
	put(b, name_len, 2);
}

void zip_begin_entry(ZipWriter *w, const Str *name, uint64_t size, uint32_t crc)
{
	uint64_t local = out_offset(w->out);
	Buf head = {0};
	put(&head, SIGNATURE_LOCAL, 4);
	put_common(&head, crc, name->len);
	put(&head, 4 + 16, 2);
	buf_put(&head, name->s, name->len);
	put(&head, EXTRA_ZIP64, 2);
	put(&head, 16, 2);
	put(&head, size, 8);
	put(&head, size, 8);
	out_write(w->out, head.data, head.len);
	buf_free(&head);

	Buf *dir = &w->directory;
	put(dir, SIGNATURE_CENTRAL, 4);
	put(dir, VERSION_ZIP64, 2);
	put_common(dir, crc, name->len);
	put(dir, 4 + 24, 2);
	put(dir, 0, 2);        /* comment */
	put(dir, 0, 2);        /* disk */
	put(dir, 0, 2);        /* internal attributes */
	put(dir, 0, 4);        /* external attributes */
	put(dir, IN_ZIP64, 4); /* offset of the local header */
	buf_put(dir, name->s, name->len);
	put(dir, EXTRA_ZIP64, 2);
	put(dir, 24, 2);
	put(dir, size, 8);
	put(dir, size, 8);
	put(dir, local, 8);
	w->entries++;
}

void zip_finish(ZipWriter *w)
{
	uint64_t start = out_offset(w->out), size = w->directory.len, end64 = start + size;
	Buf *b = &w->directory;
	put(b, SIGNATURE_END64, 4);
	put(b, END64_BYTES - 12, 8);
	put(b, VERSION_ZIP64, 2);
	put(b, VERSION_ZIP64, 2);
	put(b, 0, 4);
	put(b, 0, 4);
	put(b, w->entries, 8);
	put(b, w->entries, 8);
	put(b, size, 8);
	put(b, start, 8);
	put(b, SIGNATURE_LOCATOR, 4);
	put(b, 0, 4);
	put(b, end64, 8);
	put(b, 1, 4);
	uint64_t entries16 = w->entries > 0xffff ? 0xffff : w->entries;
	put(b, SIGNATURE_END, 4);
	put(b, 0, 4);
	put(b, entries16, 2);
	put(b, entries16, 2);
	put(b, size > IN_ZIP64 ? IN_ZIP64 : size, 4);
	put(b, start > IN_ZIP64 ? IN_ZIP64 : start, 4);
	put(b, 0, 2);
	out_write(w->out, b->data, b->len);
	buf_free(b);
}
