#include "format/sha1.h"

#include <string.h>

/* FIPS 180-4, section 6.1. Not for security here: files name it as their checksum. */

#define BLOCK_BYTES 64

static uint32_t turn(uint32_t x, int by)
{
	return x << by | x >> (32 - by);
}

static void add_block(uint32_t h[5], const uint8_t *p)
{
	static const uint32_t constants[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 80; i++)
		w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
	for (int i = 0; i < 80; i++) {
		int part = i / 20;
		uint32_t f = part == 0 ? (b & c) | (~b & d) : part == 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
		uint32_t t = turn(a, 5) + f + e + constants[part] + w[i];
		e = d;
		d = c;
		c = turn(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

/* Outline: whole blocks from the data itself; the rest, a bit of one and the length in bits fill one or two blocks more. */
void sha1_text(Bytes data, char out[41])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	uint8_t end[2 * BLOCK_BYTES] = { 0 };
	size_t whole = data.len / BLOCK_BYTES * BLOCK_BYTES, rest = data.len - whole;
	for (size_t at = 0; at < whole; at += BLOCK_BYTES)
		add_block(h, data.data + at);
	if (rest)
		memcpy(end, data.data + whole, rest);
	end[rest] = 0x80;
	size_t len = rest + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
	uint64_t bits = (uint64_t)data.len * 8;
	for (int i = 0; i < 8; i++)
		end[len - 1 - (size_t)i] = (uint8_t)(bits >> (8 * i));
	for (size_t at = 0; at < len; at += BLOCK_BYTES)
		add_block(h, end + at);
	for (int i = 0; i < 40; i++)
		out[i] = "0123456789abcdef"[h[i / 8] >> (28 - 4 * (i % 8)) & 15];
	out[40] = 0;
}
