/* Rules of the control topic that stand in other files. */
#ifndef HONE_RULES_CONTROL_H
#define HONE_RULES_CONTROL_H

#include "rewrite/rewrite.h"

/* rules_sequence.c */
RuleFn seq_at_construct, seq_at_split, seq_length_known, seq_concat_construct, seq_concat_split, seq_insert_construct,
	seq_erase_construct, optional_get_optional, optional_has_known;

#define RULES_SEQUENCE_ROWS \
	{ "seq-at-construct", "seq_at(seq_construct(a, b), 1)", "b", OP_seq_at, CLASS_EXACT, 1, seq_at_construct }, \
	{ "seq-at-split", "seq_at(seq_split(x), 1)", "slice(x) or gather(x)", OP_seq_at, CLASS_EXACT, 1, seq_at_split }, \
	{ "seq-length", "seq_length(seq_construct(a, b))", "2", OP_seq_length, CLASS_EXACT, 1, seq_length_known }, \
	{ "seq-concat-construct", "seq_concat(seq_construct(a, b))", "concat(a, b)", OP_seq_concat, CLASS_EXACT, 1, \
		seq_concat_construct }, \
	{ "seq-concat-split", "seq_concat(seq_split(x))", "x", OP_seq_concat, CLASS_EXACT, 1, seq_concat_split }, \
	{ "seq-insert-construct", "seq_insert(seq_construct(a), b)", "seq_construct(a, b)", OP_seq_insert, CLASS_EXACT, 1, \
		seq_insert_construct }, \
	{ "seq-erase-construct", "seq_erase(seq_construct(a, b), 0)", "seq_construct(b)", OP_seq_erase, CLASS_EXACT, 1, \
		seq_erase_construct }, \
	{ "optional-get", "optional_get(optional(x))", "x", OP_optional_get, CLASS_EXACT, 1, optional_get_optional }, \
	{ "optional-has", "optional_has(optional(x))", "true", OP_optional_has, CLASS_EXACT, 1, optional_has_known },

#endif
