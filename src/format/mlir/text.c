#include "mlir.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Passes over the bytes of a text that may be mostly weights: they look at 16 bytes at a time, and let go of pages of a mapped
 * file that lie behind. Such pages come back from the system's cache when something looks at them again. */

enum {
	WIDTH = 16,
	STRIDE = 256,          /* bytes looked at before a pass asks what it saw */
	KEPT = 4 << 20         /* bytes behind the reader that may stay in memory */
};
typedef uint8_t Wide __attribute__((vector_size(WIDTH)));
typedef uint16_t Pairs __attribute__((vector_size(WIDTH)));
typedef uint8_t Half __attribute__((vector_size(WIDTH / 2)));

static Wide load(const char *s)
{
	Wide v;
	memcpy(&v, s, sizeof v);
	return v;
}

static bool any(Wide v)
{
	uint64_t part[2];
	memcpy(part, &v, sizeof v);
	return (part[0] | part[1]) != 0;
}

static void let_go(Lexer *l, const char *p)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)l->resident + page - 1) / page * page;
	uintptr_t end = (uintptr_t)p / page * page;
	if (from < end)
		(void)madvise((void *)from, end - from, MADV_DONTNEED);
	l->resident = p;
}

void text_passed(Lexer *l, const char *p)
{
	if (l->resident && p - l->resident >= KEPT)
		let_go(l, p);
}

/* ---- strings ---- */

static bool stops(char ch)
{
	return ch == '"' || ch == '\n' || ch == '\\';
}

const char *string_stop(Lexer *l)
{
	const char *p = l->p;
	for (; l->end - p >= WIDTH; p += WIDTH) {
		Wide v = load(p);
		if (any((Wide)((v == '"') | (v == '\n') | (v == '\\'))))
			break;
		text_passed(l, p);
	}
	while (p < l->end && !stops(*p))
		p++;
	return p;
}

/* ---- the whole text ---- */

/* Whether a stretch is plain ASCII without NULs, and holds no "h.", with which every mark of torch-onnx text has its "torch." */
static bool is_plain(const char *s, const char *stop, const char *end)
{
	Wide odd = { 0 };
	for (; s < stop && end - s > WIDTH; s += WIDTH) {
		Wide v = load(s), next = load(s + 1);
		odd |= (v & 0x80) | (Wide)(v == 0) | (Wide)((v == 'h') & (next == '.'));
	}
	for (; s < stop; s++)
		odd[0] |= (uint8_t)(*s == 0 || (uint8_t)*s >= 0x80 || *s == 'h');
	return !any(odd);
}

/* From s to a place at or after `stop`, or to the first byte that is no UTF-8 or a NUL; *bad tells which. */
static const char *check_bytes(const char *s, const char *stop, const char *end, bool *bad)
{
	*bad = false;
	while (s < stop) {
		size_t step = *s == '\0' ? 0 : (unsigned char)*s < 0x80 ? 1 : utf8_length((const uint8_t *)s, (size_t)(end - s));
		if (step == 0) {
			*bad = true;
			return s;
		}
		s += step;
	}
	return s;
}

static bool bad_byte(Parser *p, const char *at)
{
	Token t = { .s = at, .line = 1 };
	const char *line = p->lex.start;
	for (const char *s = line; (s = memchr(s, '\n', (size_t)(at - s))); t.line++)
		line = ++s;
	t.col = (uint32_t)(at - line) + 1;
	return *at ? parse_error(p, &t, "invalid UTF-8: byte 0x%02X", (unsigned char)*at) :
		parse_error(p, &t, "NUL byte in the text");
}

bool text_scan(Parser *p)
{
	Lexer pass = p->lex;
	const char *end = p->lex.end;
	for (const char *s = p->lex.start; s < end; text_passed(&pass, s)) {
		const char *stop = end - s > STRIDE ? s + STRIDE : end;
		if (is_plain(s, stop, end)) {
			s = stop;
			continue;
		}
		bool bad;
		const char *from = s - p->lex.start > TORCH_MARK ? s - TORCH_MARK : p->lex.start;
		const char *to = end - stop > TORCH_MARK ? stop + TORCH_MARK : end;
		p->torch = p->torch || torch_sniff((Bytes){ (const uint8_t *)from, (size_t)(to - from) });
		s = check_bytes(s, stop, end, &bad);
		if (bad)
			return bad_byte(p, s);
	}
	return true;
}

/* ---- hexadecimal digits ---- */

/* Eight bytes of 16 digits; *bad collects what is no digit. */
static void decode_wide(const char *s, uint8_t *out, Wide *bad)
{
	Wide v = load(s), digit = v - '0', letter = (v | 0x20) - 'a';
	Wide is_digit = (Wide)(digit <= 9), is_letter = (Wide)(letter <= 5);
	Wide nibbles = (digit & is_digit) | ((letter + 10) & is_letter);
	Pairs w = (Pairs)nibbles; /* the first digit of two is the low byte of a pair */
	Half bytes = __builtin_convertvector((w << 4 | w >> 8) & 0xFF, Half);
	*bad |= ~(is_digit | is_letter);
	memcpy(out, &bytes, sizeof bytes);
}

static size_t decode_plain(const char *s, size_t n, uint8_t *out)
{
	for (size_t i = 0; i < n; i++) {
		int hi = hex_value(s[2 * i]), lo = hex_value(s[2 * i + 1]);
		if (hi < 0 || lo < 0)
			return i;
		out[i] = (uint8_t)(hi * 16 + lo);
	}
	return n;
}

size_t hex_decode(Lexer *l, const char *s, size_t n, uint8_t *out)
{
	size_t done = 0;
	while (n - done >= STRIDE) {
		Wide bad = { 0 };
		for (size_t i = 0; i < STRIDE; i += WIDTH / 2)
			decode_wide(s + 2 * (done + i), out + done + i, &bad);
		if (any(bad))
			break;
		done += STRIDE;
		text_passed(l, s + 2 * done);
	}
	if (done < n)
		done += decode_plain(s + 2 * done, n - done, out + done);
	if (l->resident && n >= KEPT / 64)
		let_go(l, s + 2 * done);
	return done;
}
