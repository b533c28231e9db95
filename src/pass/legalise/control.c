#include "legalise_int.h"

#include <string.h>

/* A constant op of the given type over these bytes. */
static bool become_constant(Lg *l, DType d, bool scalar, size_t n, const void *data, size_t elem)
{
	int64_t dim = (int64_t)n;
	const Type *t = type_tensor_of(l->c, d, scalar ? 0 : 1, &dim);
	Blob *b = blob_copy(l->c, data, n * elem);
	return lg_become_same(l, OP_constant, (RwAttr[]){ { A_value, attr_tensor(l->c, t, b) }, { A_NONE, NULL } });
}

static bool constant_floats_value(Lg *l, const double *v, size_t n, bool scalar)
{
	float *f = NEW_ARRAY(l->a, float, n + 1);
	for (size_t i = 0; i < n; i++)
		f[i] = (float)v[i];
	return become_constant(l, DT_F32, scalar, n, f, sizeof *f);
}

/* Every form of Constant but the sparse one. */
bool lg_onnx_constant(Lg *l, OpKind core)
{
	if (l->op->nattrs != 1)
		return false;
	const Attr *v = l->op->attrs[0].value;
	switch (v->kind) {
	case ATTR_TENSOR:
		return lg_become_same(l, core, (RwAttr[]){ { A_value, v }, { A_NONE, NULL } });
	case ATTR_INT:
		return become_constant(l, DT_I64, true, 1, &v->u.i, sizeof v->u.i);
	case ATTR_INTS:
		return become_constant(l, DT_I64, false, v->u.ints.n, v->u.ints.v, sizeof *v->u.ints.v);
	case ATTR_FLOAT:
		return constant_floats_value(l, &v->u.f, 1, true);
	case ATTR_FLOATS:
		return constant_floats_value(l, v->u.floats.v, v->u.floats.n, false);
	case ATTR_STR:
		return become_constant(l, DT_STR, true, 1, &v->u.str, sizeof v->u.str);
	case ATTR_STRS:
		return become_constant(l, DT_STR, false, v->u.strs.n, v->u.strs.v, sizeof *v->u.strs.v);
	default:
		return false;
	}
}

/* The reader keeps the attribute names of nested graphs in graph_names, in block order. */
static bool graph_name_is(const Op *op, size_t i, const char *name)
{
	const Attr *v = op_attr(op, A_graph_names);
	if (!v || v->kind != ATTR_STRS)
		return true;
	return i < v->u.strs.n && !strcmp(v->u.strs.v[i]->s, name);
}

/* Blocks: then, else. */
bool lg_if(Lg *l, OpKind core)
{
	Op *op = l->op;
	if (op->nblocks != 2 || op->noperands != 1)
		return false;
	if (!graph_name_is(op, 0, "then_branch")) {
		if (!graph_name_is(op, 0, "else_branch"))
			return false;
		Block *first = op->blocks[0], *second = op->blocks[1];
		op_set_block(op, 0, second);
		op_set_block(op, 1, first);
	}
	return lg_become_same(l, core, NULL);
}

bool lg_loop(Lg *l, OpKind core)
{
	Op *op = l->op;
	if (op->nblocks != 1 || op->noperands < 2 || op->blocks[0]->nargs != (uint32_t)op->noperands)
		return false;
	return lg_become_same(l, core, NULL);
}

/* Type without its first dim. */
static const Type *type_inner(Lg *l, const Type *t)
{
	if (!type_has_rank(t) || t->rank == 0)
		return type_is_tensor(t) ? type_unranked(l->c, t->dtype) : type_unknown(l->c);
	return type_tensor(l->c, t->dtype, t->rank - 1, t->dims + 1);
}

/* Scan of opset 8 runs the scan for every element of a batch (axis 0 of all operands and results): a scan over the batch
 * whose body is the scan proper. */
static bool scan_8(Lg *l, int64_t scans)
{
	Op *op = l->op;
	size_t n = op->noperands - 1u;
	if (lg_in(l, 0) || scans < 1 || (size_t)scans > n || op->blocks[0]->nargs != n || op->nresults < n - (size_t)scans)
		return false;
	Block *body = block_new(op_func(op), op);
	Value **outer = NEW_ARRAY(l->a, Value *, n), **inner = NEW_ARRAY(l->a, Value *, n);
	for (size_t i = 0; i < n; i++) {
		outer[i] = lg_in(l, i + 1);
		if (!outer[i])
			return false;
		inner[i] = block_add_arg(body, type_inner(l, outer[i]->type), NULL);
	}
	NamedAttr attrs[2] = { { l->c->attr_names[A_num_scan_inputs], lg_int(l, scans) },
		{ l->c->attr_names[A_scan_input_directions], lg_attr(l, A_directions) } };
	OpSpec s = { .def = op_def(l->c, OP_scan), .operands = inner, .noperands = n, .nresults = op->nresults, .attrs = attrs,
		.nattrs = attrs[1].value ? 2 : 1, .nblocks = 1, .loc = op->loc };
	Op *scan = op_new(body, NULL, &s);
	scan->made = true;
	OpSpec yield = { .def = op_def(l->c, OP_yield), .operands = scan->results, .noperands = scan->nresults, .loc = op->loc };
	op_new(body, NULL, &yield);
	op_set_block(scan, 0, op->blocks[0]);
	op_set_block(op, 0, body);
	return lg_become(l, OP_scan, outer, n, (RwAttr[]){ { A_num_scan_inputs, lg_int(l, (int64_t)n) }, { A_NONE, NULL } });
}

bool lg_scan(Lg *l, OpKind core)
{
	int64_t scans = op_attr_int(l->op, A_num_scan_inputs, -1);
	if (l->op->nblocks != 1 || scans < 0 || l->op->noperands == 0)
		return false;
	return l->opset < 9 ? scan_8(l, scans) : lg_copy(l, core);
}

/* Inference unless the op says otherwise. Opset 1 and 6: is_test (0 by default: training, which stays as it is);
 * 7: never training; 12: a flag operand. */
bool lg_dropout(Lg *l, OpKind core)
{
	Value *training = lg_in(l, 2);
	int64_t flag = 0;
	bool known = !training || constant_int(training, &flag);
	if (l->opset < 7 && !op_attr_int(l->op, A_is_test, 0))
		return false;
	if (known && !flag && lg_unused_results(l, 1)) {
		op_drop_results(l->op, 1);
		return lg_become(l, OP_identity, (Value *[]){ lg_in(l, 0) }, 1, NULL);
	}
	Value *ratio = lg_in(l, 1);
	if (!ratio && op_attr(l->op, A_ratio))
		ratio = lg_const_float(l, DT_F32, op_attr_float(l->op, A_ratio, 0.5));
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), ratio, training }, 3,
			(RwAttr[]){ { A_seed, lg_attr(l, A_seed) }, { A_NONE, NULL } });
}

bool lg_sequence_empty(Lg *l, OpKind core)
{
	DType d;
	if (!lg_type_attr(l, A_dtype, DT_F32, &d))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_dtype, attr_dtype(l->c, d) }, { A_NONE, NULL } });
}

/* An optional without element has its type from the attribute, which nothing but the result type needs. */
bool lg_optional(Lg *l, OpKind core)
{
	const Attr *t = lg_attr(l, A_type);
	if (!lg_in(l, 0)) {
		if (!t || t->kind != ATTR_TYPE)
			return false;
		const Type *opt = t->u.type;
		if (opt->kind != TYPE_OPTIONAL)
			opt = type_make(l->c, (Type){ .kind = TYPE_OPTIONAL, .elem = &t->u.type, .nelem = 1 });
		if (l->op->results[0]->type->kind == TYPE_UNKNOWN)
			value_set_type(l->op->results[0], opt);
	}
	return lg_become_same(l, core, NULL);
}

/* ---- SequenceMap: a loop over the elements that builds the result sequences ---- */

static Value *append(Lg *l, Block *b, OpKind kind, Value *const *in, size_t n)
{
	OpSpec s = { .def = op_def(l->c, kind), .operands = in, .noperands = n, .nresults = 1, .loc = l->op->loc };
	Op *op = op_new(b, NULL, &s);
	op->made = true;
	return op->results[0];
}

/* Arguments of the mapped graph: element i of sequences, other operands whole. */
static void map_arguments(Lg *l, Block *body, const Block *graph, Map *map)
{
	for (uint32_t k = 0; k < graph->nargs; k++) {
		Value *x = lg_in(l, k);
		if (x->type->kind == TYPE_SEQUENCE)
			x = append(l, body, OP_seq_at, (Value *[]){ x, body->args[0] }, 2);
		map_put(map, MAP_PTR(graph->args[k]), x);
	}
}

/* Which operands are sequences, and of what the results are, must be known. */
static bool can_map(const Lg *l)
{
	const Op *op = l->op;
	if (op->nblocks != 1 || op->blocks[0]->nargs != (uint32_t)op->noperands || !op->blocks[0]->last ||
			op->blocks[0]->last->noperands != op->nresults)
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		if (!lg_in(l, i) || (lg_in(l, i)->type->kind != TYPE_SEQUENCE && lg_in(l, i)->type->kind != TYPE_TENSOR))
			return false;
	for (size_t i = 0; i < op->nresults; i++)
		if (lg_dtype(op_operand(op->blocks[0]->last, i)) == DT_NONE)
			return false;
	return true;
}

bool lg_sequence_map(Lg *l, OpKind core)
{
	Op *op = l->op;
	Map map;
	if (!can_map(l))
		return false;
	Block *graph = op->blocks[0], *body = block_new(op_func(op), op);
	size_t n = op->nresults;
	Value **states = NEW_ARRAY(l->a, Value *, n + 2), **yields = NEW_ARRAY(l->a, Value *, n + 1);
	block_add_arg(body, type_tensor(l->c, DT_I64, 0, NULL), NULL);
	Value *go_on = block_add_arg(body, type_tensor(l->c, DT_BOOL, 0, NULL), NULL);
	map_init(&map, l->a);
	for (size_t i = 0; i < n; i++) {
		DType d = lg_dtype(op_operand(graph->last, i));
		states[i + 2] = lg_new(l, OP_seq_empty, NULL, 0, (RwAttr[]){ { A_dtype, attr_dtype(l->c, d) }, { A_NONE, NULL } });
		block_add_arg(body, op->results[i]->type, NULL);
	}
	map_arguments(l, body, graph, &map);
	block_clone_into(graph, body, NULL, &map, false);
	yields[0] = go_on;
	for (size_t i = 0; i < n; i++) {
		Value *y = op_operand(graph->last, i), *mapped = map_get(&map, MAP_PTR(y));
		yields[i + 1] = append(l, body, OP_seq_insert, (Value *[]){ body->args[i + 2], mapped ? mapped : y }, 2);
	}
	OpSpec end = { .def = op_def(l->c, OP_yield), .operands = yields, .noperands = n + 1, .loc = op->loc };
	op_new(body, NULL, &end);
	states[0] = lg_new1(l, OP_seq_length, lg_in(l, 0), NULL);
	while (graph->last) /* its operands must not count as uses any more */
		op_erase(graph->last);
	op_set_block(op, 0, body);
	return lg_become(l, core, states, n + 2, NULL);
}
