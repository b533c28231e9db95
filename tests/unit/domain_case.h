/* domain_case: one op of the tables with operands, attributes and results as texts that tests change, and the module that the
 * text form makes of it. */
#ifndef HONE_TEST_DOMAIN_CASE_H
#define HONE_TEST_DOMAIN_CASE_H

#include "ops/ops.h"

#define NODE "the-node" /* name of the op under test */

enum { MAX_OPERANDS_HERE = 20, MAX_ATTRS = 40 };

/* A row of op_rows.h. */
typedef struct OpRow {
	const char *op, *operands, *attrs, *results, *regions;
} OpRow;

typedef struct OperandSpec {
	bool none;
	char wrap[4];          /* "seq", "opt" or "" */
	char dtype[16];
	int rank;              /* -1: unknown */
	char dims[8][24];
	bool given;            /* values */
	int nvalues;
	char values[24][24];
} OperandSpec;

typedef struct AttrSpec {
	char name[48];
	char value[640];
} AttrSpec;

typedef struct Case {
	const OpDef *def;
	OperandSpec in[MAX_OPERANDS_HERE], out[MAX_OPERANDS_HERE];
	size_t nin, nout;
	bool typed;            /* results have the types of `out`; else inferred */
	AttrSpec attrs[MAX_ATTRS];
	size_t nattrs;
	const char *regions;
	int opset;
	bool constant;         /* operands are constants, and the module is optimised; else it is run */
	bool must_run;
} Case;

/* "f32[2,3]=1,2", "seq:f32[2]", "none" */
void case_operand(const char *s, size_t len, OperandSpec *o);
/* The case of a row; without one, floats for every operand. */
void case_of_row(const OpDef *d, const OpRow *row, Case *c);
bool case_may_be_constant(const OperandSpec *o);
int64_t case_count(const OperandSpec *o);          /* elements; -1: unknown or too many */
const char *case_number(const OperandSpec *o, int i);
void case_print(const Case *c, Buf *b);          /* ends with a zero byte */

#endif
