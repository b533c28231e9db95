/* base: memory, strings, containers, checked arithmetic, element types, files, diagnostics, threads.
 * Depends on nothing but the C library. One section a .c file. */
#ifndef HONE_BASE_H
#define HONE_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct Bytes {
	const uint8_t *data;
	size_t len;
} Bytes;

/* ---- error classes and exit codes (one list for library and command line) ---- */

typedef enum HoneStatus {
	HONE_OK = 0,
	HONE_NO = 1,           /* a negative answer: models differ, check found faults */
	HONE_USAGE = 2,        /* wrong command line or option */
	HONE_BAD_INPUT = 3,    /* malformed or invalid model or data */
	HONE_UNSUPPORTED = 4,  /* valid, but hone cannot do it */
	HONE_VERIFY_FAILED = 5,
	HONE_LIMIT = 6,        /* out of memory or a configured limit */
	HONE_IO = 7,           /* a file could not be read or written */
	HONE_INTERNAL = 70     /* a bug of ours */
} HoneStatus;

/* ---- mem.c: out-of-memory guard and raw allocation ---- */

/* A failed allocation jumps to the innermost guard of this thread (set by each public function); nothing that the
 * jump skips may own memory outside an arena or a Blob. Without a guard the process ends with HONE_LIMIT. */
typedef struct MemGuard {
	jmp_buf env;
	struct MemGuard *outer;
} MemGuard;
void mem_guard_push(MemGuard *g); /* then: if (setjmp(g->env)) { ... out of memory ... } */
void mem_guard_pop(MemGuard *g);
_Noreturn void mem_fail(void);
void *mem_alloc(size_t bytes);  /* malloc, never NULL */
void *mem_zalloc(size_t bytes); /* calloc, never NULL; big blocks are lazily zeroed by the kernel */
void *mem_realloc(void *p, size_t bytes);
void mem_free(void *p);

/* ---- arena.c: bump allocator; objects never move and are freed together ---- */

typedef struct Arena Arena;
Arena *arena_new(void);
void arena_free(Arena *a);                   /* NULL is fine */
void arena_reset(Arena *a);                  /* forgets all objects, keeps a block */
/* About so many bytes will be asked for, better too few than too many: they get their pages together, which takes a fraction
 * of the time of getting them one by one. Nothing depends on it. */
void arena_expect(Arena *a, size_t bytes);
void *arena_alloc(Arena *a, size_t bytes);   /* zeroed, 16-byte aligned, never NULL */
void *arena_dup(Arena *a, const void *p, size_t bytes);
char *arena_strdup(Arena *a, const char *s);
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);
size_t arena_bytes(const Arena *a);          /* bytes reserved from the system */
#define NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define NEW_ARRAY(a, T, n) ((T *)arena_alloc_array((a), sizeof(T), (size_t)(n)))
void *arena_alloc_array(Arena *a, size_t size, size_t n); /* multiplication checked */

/* ---- vec: growable array in an arena.  VEC(int) v = {0}; VEC_PUSH(arena, &v, 3); v.data[0]; v.len ---- */

#define VEC(T) struct { T *data; size_t len, cap; }
#define VEC_PUSH(a, v, x) \
	(vec_reserve((a), (void **)&(v)->data, &(v)->cap, (v)->len + 1, sizeof(*(v)->data)), \
	 (v)->data[(v)->len++] = (x))
#define VEC_RESERVE(a, v, n) \
	((n) > (v)->cap ? vec_reserve((a), (void **)&(v)->data, &(v)->cap, (n), sizeof(*(v)->data)) : (void)0)
void vec_reserve(Arena *a, void **data, size_t *cap, size_t want, size_t elem);

/* ---- map.c: hash map from 64-bit keys (pointers, ids) to pointers; iteration order = insertion order ---- */

typedef struct MapEntry {
	uint64_t key;
	void *value;
} MapEntry;
typedef struct Map {
	Arena *arena;
	MapEntry *entries; /* in insertion order; deleted ones are not supported */
	uint32_t *slots;
	uint32_t len, cap, nslots;
} Map;
void map_init(Map *m, Arena *a);
void **map_slot(Map *m, uint64_t key);             /* creates with NULL when absent; valid until the next insertion */
void *map_get(const Map *m, uint64_t key);         /* NULL when absent */
bool map_has(const Map *m, uint64_t key);
void map_put(Map *m, uint64_t key, void *value);
void map_clear(Map *m);                            /* keeps the memory; costs as much as there are entries */
#define MAP_PTR(p) ((uint64_t)(uintptr_t)(p))
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed); /* not cryptographic; same on every machine */

/* ---- str.c: interned strings.  Equal text in one StrTable means the same pointer. ---- */

typedef struct Str {
	uint32_t len;
	uint32_t hash;
	uint16_t known; /* AttrName (ir.h) when this is a known attribute name, else 0 */
	uint16_t op;    /* OpKind (ops.h) when this is the full name of an op of the tables, else 0 */
	char s[];       /* NUL-terminated; may hold NULs inside */
} Str;
/* Strings that are known beforehand: read-only, found by hash (linear probing), in common to all tables. */
typedef struct FixedStrs {
	const uint16_t *slots; /* number of a string plus one, 0: free; nslots is a power of two */
	size_t nslots;
	Str *const *strs;
} FixedStrs;
typedef struct StrTable StrTable;
StrTable *str_table_new(Arena *a, const FixedStrs *fixed /* may be NULL */);
Str *str_intern(StrTable *t, const char *s, size_t len);
/* growable text buffer */
typedef struct Buf {
	char *data;  /* NUL-terminated once anything was appended */
	size_t len, cap;
} Buf; /* malloc-backed; buf_free when done */
void buf_put(Buf *b, const void *p, size_t n);
void buf_puts(Buf *b, const char *s);
void buf_printf(Buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_free(Buf *b);
/* Text for messages: quotes, escapes control and invalid UTF-8 bytes, cuts at 120 bytes. */
const char *quote(Arena *a, const char *s, size_t len);
/* Length of the well-formed UTF-8 sequence at s (no overlong forms, surrogates or values past U+10FFFF), 0 if none. */
size_t utf8_length(const uint8_t *s, size_t len);
/* The nearest of n names to s by edit distance, or NULL when none is near ("did you mean"). */
const char *nearest_name(const char *s, const char *const *names, size_t n);
/* Shortest decimal text that reads back to the same double (or float); locale-independent. */
char *format_double(Arena *a, double x);
char *format_float(Arena *a, float x);
bool parse_double(const char *s, size_t len, double *out); /* whole text; locale-independent */
bool parse_int64(const char *s, size_t len, int64_t *out); /* decimal, whole text, no overflow */

/* ---- checked arithmetic: false on overflow ---- */

static inline bool add_ok(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool sub_ok(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }
static inline bool mul_ok(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }
/* Number of elements: product of dims; false on a negative dim or overflow. rank 0 gives 1. */
bool dims_count(const int64_t *dims, int rank, int64_t *out);

/* ---- dtype.c: element types, declared in dtype.def ---- */

typedef enum DType {
#define DTYPE(id, name, onnx, bits, cls) DT_##id,
#include "dtype.def"
#undef DTYPE
	DT_COUNT
} DType;
typedef enum DTypeClass { DC_NONE, DC_BOOL, DC_INT, DC_UINT, DC_FLOAT, DC_COMPLEX, DC_STRING } DTypeClass;
const char *dtype_name(DType d);          /* "f32", "i64", "f8E4M3FN" (MLIR spelling), "str", "none" */
const char *dtype_friendly_name(DType d); /* "float32" style name used in reports and .npy contexts */
bool dtype_parse(const char *s, size_t len, DType *out);
int dtype_onnx(DType d);                  /* TensorProto.DataType code, 0 when none */
DType dtype_from_onnx(int64_t code);      /* DT_NONE when unknown */
int dtype_bits(DType d);                  /* 4 for i4; 8 for bool; 0 for strings */
DTypeClass dtype_class(DType d);
static inline bool dtype_is_float(DType d) { return dtype_class(d) == DC_FLOAT; }
static inline bool dtype_is_integer(DType d) { return dtype_class(d) == DC_INT || dtype_class(d) == DC_UINT; }
/* Bytes that n elements take packed (sub-byte types packed, low bits first); false on overflow. Strings: n pointers. */
bool dtype_packed_bytes(DType d, int64_t n, size_t *out);
/* Bytes of one element unpacked: sub-byte types take 1 byte each (sign- or zero-extended; f4/f6 raw code). */
size_t dtype_size(DType d);
/* Integer range of an int/uint/bool type as i64/u64. */
int64_t dtype_int_min(DType d);
uint64_t dtype_int_max(DType d);
/* Bits <-> double of a float type narrower than 64 bits. Encoding rounds to nearest even from the exact double (no
 * double rounding through f32). saturate: out of range gives the largest finite value (f8 kinds), else Inf or NaN as
 * the format has it. */
double dtype_decode_float(DType d, uint64_t bits);
uint64_t dtype_encode_float(DType d, double x, bool saturate);
/* Blocks: n unpacked elements of type d at src to doubles / int64 / uint64 and back. Stores wrap integers modulo 2^bits
 * and round floats to nearest even (f8 and smaller saturate). int64 loads of unsigned 64-bit values reinterpret the bits.
 * Data may be unaligned. Complex: loads give the real part, stores set the imaginary part to zero. NaN and infinities
 * stored as integers give 0. Strings are a bug. */
void dtype_load_f64(DType d, const void *src, int64_t n, double *dst);
void dtype_store_f64(DType d, void *dst, int64_t n, const double *src);
void dtype_load_i64(DType d, const void *src, int64_t n, int64_t *dst); /* ints, uints, bool */
void dtype_store_i64(DType d, void *dst, int64_t n, const int64_t *src);
/* Packed <-> unpacked copies for sub-byte types (memcpy for others). */
void dtype_unpack(DType d, const void *packed, int64_t n, void *unpacked);
void dtype_pack(DType d, const void *unpacked, int64_t n, void *packed);

/* ---- diag.c: diagnostics ---- */

typedef struct Loc { /* where something came from; interned or arena-owned, immutable */
	const char *file;    /* may be NULL */
	uint32_t line, col;  /* 1-based; 0 = unknown */
	int64_t offset;      /* byte offset in the file; -1 = unknown */
	const char *what;    /* e.g. node "conv1" (Conv); may be NULL */
} Loc;
typedef enum Severity { SEV_ERROR, SEV_WARNING, SEV_NOTE, SEV_REMARK } Severity;
typedef struct Diag {
	Severity severity;
	HoneStatus status; /* class of an error; HONE_OK for others */
	Loc loc;
	char *message;     /* one line: what was found, what was expected */
	char *hint;        /* what to do; may be NULL */
} Diag;
typedef struct Diags {
	Arena *arena;
	VEC(Diag) list;
	HoneStatus status; /* class of the first error, HONE_OK when none */
	size_t limit;      /* further ones are counted, not kept (default 100) */
	size_t dropped;
} Diags;
void diags_init(Diags *d, Arena *a);
/* Records an error and returns false, so that a reader can write: return diag_error(...). loc may be NULL. */
bool diag_error(Diags *d, HoneStatus status, const Loc *loc, const char *fmt, ...) PRINTF_LIKE(4, 5);
void diag_warn(Diags *d, const Loc *loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_note(Diags *d, const Loc *loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_hint(Diags *d, const char *fmt, ...) PRINTF_LIKE(2, 3); /* adds to the last diagnostic */
void diag_format(const Diag *d, Buf *out); /* "file:line:col: error: message\n  hint: ...\n" */
/* Our own bug: prints to stderr where and what, then aborts. For broken invariants only, never for input. */
_Noreturn void hone_bug(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define BUG(...) hone_bug(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond) ((cond) ? (void)0 : BUG("invariant broken: %s", #cond))

/* ---- file.c: mapped input, atomic output ---- */

/* A file mapped read-only, reference-counted and thread-safe to share. For "-" (stdin) the bytes are read into memory
 * (fd = -1 then). */
typedef struct MappedFile {
	const char *path; /* owned */
	int fd;
	const uint8_t *data;
	size_t len;
	int refs;
	bool mapped;
	struct MappedFile *whole; /* of which this is a part; NULL: a file of its own */
} MappedFile;
MappedFile *file_map(const char *path, Diags *d);  /* NULL + diagnostic (HONE_IO) on failure; refuses directories, FIFOs, devices */
MappedFile *file_of_bytes(const char *path, void *malloced, size_t len); /* takes over the bytes */
/* Opens `name` strictly below directory `dir` (no absolute path, no "..", no symlink that leaves dir, regular files
 * only); the error says which rule broke. */
MappedFile *file_map_beneath(const char *dir, const char *name, Diags *d);
/* A stretch of a mapped file as a file: a model inside another file. It keeps the whole alive. */
MappedFile *file_part(MappedFile *f, size_t offset, size_t len);
MappedFile *file_ref(MappedFile *f);
void file_unref(MappedFile *f);
/* Output written to a temporary file beside the target, then renamed; synced first where it replaces a file. "-" streams to
 * stdout. */
typedef struct OutFile OutFile;
OutFile *out_open(const char *path, Diags *d);
bool out_has_place(const char *path);  /* whether other files may go beside it: not beside stdout, a pipe or a device */
bool out_write(OutFile *o, const void *p, size_t n);            /* buffered; false after the first failure */
/* Copies n bytes of a mapped file without touching the mapping (copy_file_range, else a small buffer), so that resident
 * memory does not grow with the weights. */
bool out_copy(OutFile *o, const MappedFile *f, size_t offset, size_t n);
uint64_t out_offset(const OutFile *o);
bool out_commit(OutFile *o, Diags *d);  /* flush, sync, rename; frees o; false + HONE_IO diagnostic, target untouched */
void out_discard(OutFile *o);           /* removes the temporary; frees o; NULL is fine */
char *path_dir(Arena *a, const char *path);            /* "." when there is none */
char *path_join(Arena *a, const char *dir, const char *name);

/* ---- thread.c: parallel loop ---- */

/* Calls body(arg, i) for i in [0, n) from up to `threads` threads (0 = number of processors). */
void parallel_for(int threads, int64_t n, void (*body)(void *arg, int64_t i), void *arg);
int cpu_count(void);

/* ---- clock.c ---- */

double clock_seconds(void);              /* a steady clock: only differences mean something */

/* ---- rng: splitmix64, same numbers on every machine ---- */

typedef struct Rng { uint64_t state; } Rng;
uint64_t rng_u64(Rng *r);
double rng_unit(Rng *r);                 /* uniform in [0,1) */
double rng_normal(Rng *r);
int64_t rng_below(Rng *r, int64_t n);    /* uniform in [0,n), n > 0 */

#endif
