/* compiled: a module in a file that is mapped and ready at once: no text to parse, no shapes to infer, weights (and what a plan
 * packed them into, as attributes of constants) used where they lie.
 *
 * Header, all numbers little-endian:
 *   0  8  magic "\x7fHONE\r\n\x1a"
 *   8  4  version of the form
 *   12 4  CRC-32 of the description
 *   16 8  offset, 24 8 length of the description
 *   32 8  offset, 40 8 length of the tensors; each lies at a multiple of 64 from the start of the file
 *   48 16 zero
 * The description is a sequence of LEB128 numbers (signed ones zigzag) and bytes: strings, types, tensors, attributes (each
 * list refers to entries before it by number), then module attributes and functions. Values are numbered in the order of their
 * definition; an operand is number + 1, absent is 0. */
#ifndef HONE_COMPILED_H
#define HONE_COMPILED_H

#include "format/format.h"

static const char COMPILED_MAGIC[8] = "\x7fHONE\r\n\x1a";
enum { COMPILED_VERSION = 4, COMPILED_HEADER = 64, COMPILED_ALIGN = 64, COMPILED_DEPTH = 200 };

#endif
