/* Products of matrices that are both computed in the run. */
#include "plan/plan_int.h"

#include <math.h>

/* Batch dims of a, b and y as one view each of at most MATMUL_BATCH dims, neighbours merged where all three allow it. */
bool pl_matmul_batch(const View *a, const View *b, const View *y, MatmulParam *m)
{
	int n = 0;
	int64_t dims[VIEW_RANK], sa[VIEW_RANK], sb[VIEW_RANK], sy[VIEW_RANK];
	for (int i = 0; i + 2 < y->rank; i++) {
		if (y->dims[i] == 1)
			continue;
		if (n && sa[n - 1] == a->stride[i] * y->dims[i] && sb[n - 1] == b->stride[i] * y->dims[i] &&
				sy[n - 1] == y->stride[i] * y->dims[i]) {
			dims[n - 1] *= y->dims[i];
			sa[n - 1] = a->stride[i];
			sb[n - 1] = b->stride[i];
			sy[n - 1] = y->stride[i];
			continue;
		}
		dims[n] = y->dims[i];
		sa[n] = a->stride[i];
		sb[n] = b->stride[i];
		sy[n++] = y->stride[i];
	}
	if (n > MATMUL_BATCH)
		return false;
	for (int i = 0; i < MATMUL_BATCH; i++) {
		int from = i - (MATMUL_BATCH - n);
		m->batch[i] = from < 0 ? 1 : dims[from];
		m->a_batch[i] = from < 0 ? 0 : sa[from];
		m->b_batch[i] = from < 0 ? 0 : sb[from];
		m->c_batch[i] = from < 0 ? 0 : sy[from];
	}
	return true;
}

/* Batch dims that stay as they are, for post programs. */
static bool plain_batch_dims(const View *a, const View *b, const View *y, MatmulParam *m)
{
	if (y->rank > MATMUL_BATCH + 2)
		return false;
	for (int i = 0; i < MATMUL_BATCH; i++) {
		int from = i - (MATMUL_BATCH + 2 - y->rank);
		m->batch[i] = from < 0 ? 1 : y->dims[from];
		m->a_batch[i] = from < 0 ? 0 : a->stride[from];
		m->b_batch[i] = from < 0 ? 0 : b->stride[from];
		m->c_batch[i] = from < 0 ? 0 : y->stride[from];
	}
	return true;
}

static View with_batch(const View *v, const View *y)
{
	int64_t dims[VIEW_RANK];
	for (int i = 0; i < y->rank; i++)
		dims[i] = y->dims[i];
	dims[y->rank - 2] = v->dims[v->rank - 2];
	dims[y->rank - 1] = v->dims[v->rank - 1];
	return view_broadcast(v, y->rank, dims);
}

static void swap_dims(View *v)
{
	int64_t n = v->dims[0], s = v->stride[0];
	v->dims[0] = v->dims[1];
	v->stride[0] = v->stride[1];
	v->dims[1] = n;
	v->stride[1] = s;
}

/* fuse: the group that the op is the anchor of may be finished with it. */
static bool emit_matmul(Planner *p, const Op *op, bool fuse)
{
	const Value *av = op_operand(op, 0), *bv = op_operand(op, 1);
	Group *g = p->groups[op->id];
	bool fused = fuse && g && g->anchor == op && pl_shape(p, g->root->results[0])->dtype == DT_F32;
	const Value *result = fused ? g->root->results[0] : op->results[0];
	if (pl_shape(p, av)->rank < 2 || pl_shape(p, bv)->rank < 2 || pl_shape(p, av)->dtype != DT_F32 ||
			pl_shape(p, bv)->dtype != DT_F32 || pl_shape(p, av)->count == 0 || pl_shape(p, bv)->count == 0)
		return false;
	MatmulParam *m = NEW(p->arena, MatmulParam);
	int order[VIEW_RANK];
	pl_order(p, result, order);
	View y = pl_result(p, result, order), place = y;
	if (y.stride[y.rank - 1] != 1 && y.dims[y.rank - 1] != 1) {
		y = view_dense(y.dtype, y.rank, y.dims);
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	}
	View x = pl_view(p, av), w = pl_view(p, bv);
	if (op_is(op, OP_gemm) && op_int(op, A_trans_a))
		swap_dims(&x);
	if (op_is(op, OP_gemm) && op_int(op, A_trans_b))
		swap_dims(&w);
	View a = with_batch(&x, &y), b = with_batch(&w, &y);
	*m = (MatmulParam){ .m = y.dims[y.rank - 2], .n = y.dims[y.rank - 1], .k = a.dims[a.rank - 1],
		.alpha = op_is(op, OP_gemm) ? (float)op_float(op, A_alpha) : 1.0f,
		.a_row = a.stride[a.rank - 2], .a_col = a.stride[a.rank - 1], .a_offset = a.offset, .b_row = b.stride[b.rank - 2],
		.b_col = b.stride[b.rank - 1], .b_offset = b.offset, .c_row = y.stride[y.rank - 2], .c_offset = y.offset,
			.post_ptr = 3 };
	IntList posts = { 0 };
	if (result != op->results[0]) {
		TileProgram *post = NEW(p->arena, TileProgram);
		int box[5];
		for (int i = 0; i < 5; i++)
			box[i] = i - (5 - y.rank) < 0 ? -1 : i - (5 - y.rank);
		if (plain_batch_dims(&a, &b, &y, m) && group_program(p, g, 0, op->results[0], NULL, &y, box, 5, 3, post, &posts)) {
			m->post = post;
		} else {
			result = op->results[0];
			posts.len = 0;
			y = place = pl_result(p, result, NULL);
			m->c_row = y.stride[y.rank - 2];
			m->c_offset = y.offset;
		}
	}
	if (!m->post && !pl_matmul_batch(&a, &b, &y, m))
		return false;
	if (!p->prog->kernels->matmul_plan(m, p->threads))
		return false;
	pl_step(p, "matmul", p->prog->kernels->matmul, m, arena_printf(p->arena, "%lldx%lldx%lld x%lld%s%s", (long long)m->m,
		(long long)m->k, (long long)m->n, (long long)(m->batch[0] * m->batch[1] * m->batch[2]), m->post ? " + " : "",
		m->post ? group_text(p, g) : ""));
	pl_ptr(p, y.buffer);
	pl_ptr(p, a.buffer);
	pl_ptr(p, b.buffer);
	for (size_t i = 0; i < posts.len; i++)
		pl_ptr(p, posts.data[i]);
	double batch = (double)(m->batch[0] * m->batch[1] * m->batch[2]);
	pl_work(p, 2 * batch * (double)m->m * (double)m->n * (double)m->k,
		4 * batch * ((double)m->m * (double)m->k + (double)m->k * (double)m->n + (double)m->m * (double)m->n));
	pl_set(p, result, y);
	if (!view_same(&y, &place)) {
		pl_copy(p, &y, &place);
		pl_set(p, result, place);
	}
	return true;
}

bool plan_matmul(Planner *p, const Op *op)
{
	return emit_matmul(p, op, true);
}

/* The result of the gemm, += beta times what it adds. */
static bool add_term(Planner *p, const Op *op)
{
	const Value *cv = op_operand(op, 2);
	View y = pl_view(p, op->results[0]), v = pl_view(p, cv);
	double beta = op_float(op, A_beta);
	v = view_broadcast(&v, 2, y.dims);
	uint8_t d = (uint8_t)y.dtype;
	TileProgram *t = NEW(p->arena, TileProgram);
	*t = (TileProgram){ .rank = 2, .dims = { y.dims[0], y.dims[1] }, .noperands = 2, .cost = 0.3,
		.operands = { { .ptr = 0, .dtype = d, .stride = { y.stride[0], y.stride[1] }, .offset = y.offset },
			{ .ptr = 1, .dtype = d, .stride = { v.stride[0], v.stride[1] }, .offset = v.offset } } };
	t->code[t->ncode++] = (TileInstr){ .op = TILE_LOAD, .dtype = d, .dst = 0, .operand = 0 };
	t->code[t->ncode++] = (TileInstr){ .op = TILE_LOAD, .dtype = d, .dst = 1, .operand = 1 };
	if (beta != 1) {
		t->code[t->ncode++] = (TileInstr){ .op = TILE_CONST, .dtype = d, .dst = 2, .f0 = (float)beta };
		t->code[t->ncode++] = (TileInstr){ .op = TILE_MUL, .dtype = d, .dst = 1, .a = 1, .b = 2 };
	}
	t->code[t->ncode++] = (TileInstr){ .op = TILE_ADD, .dtype = d, .dst = 3, .a = 0, .b = 1 };
	t->code[t->ncode++] = (TileInstr){ .op = TILE_STORE, .dtype = d, .a = 3, .operand = 0 };
	pl_step(p, "tile", p->prog->kernels->tile, t, "add");
	pl_ptr(p, y.buffer);
	pl_ptr(p, v.buffer);
	pl_work(p, (double)view_count(&y), 3.0 * (double)view_count(&y) * (double)dtype_size(y.dtype));
	return true;
}

static bool has_term_form(Planner *p, const Op *op)
{
	const Shape *c = pl_shape(p, op_operand(op, 2)), *y = pl_shape(p, op->results[0]);
	return c->rank <= 2 && y->rank == 2 && c->dtype == y->dtype && (y->dtype == DT_F32 || op_float(op, A_beta) == 1);
}

/* A gemm that adds something, both computed in the run. The group follows by itself. */
bool plan_gemm_sum(Planner *p, const Op *op)
{
	return has_term_form(p, op) && emit_matmul(p, op, false) && add_term(p, op);
}

/* Products of doubles. */
bool plan_matmul64(Planner *p, const Op *op)
{
	const Value *av = op_operand(op, 0), *bv = op_operand(op, 1);
	bool gemm = op_is(op, OP_gemm);
	if (pl_shape(p, av)->rank < 2 || pl_shape(p, bv)->rank < 2 || pl_shape(p, av)->dtype != DT_F64 ||
			pl_shape(p, bv)->dtype != DT_F64 || pl_shape(p, av)->count == 0 || pl_shape(p, bv)->count == 0 ||
			(gemm && op_operand(op, 2) && !has_term_form(p, op)) || pl_shape(p, op->results[0])->rank > VIEW_RANK)
		return false;
	MatmulParam *m = NEW(p->arena, MatmulParam);
	View y = shape_view(pl_shape(p, op->results[0])), x = pl_view(p, av), w = pl_view(p, bv);
	if (gemm && op_int(op, A_trans_a))
		swap_dims(&x);
	if (gemm && op_int(op, A_trans_b))
		swap_dims(&w);
	View a = with_batch(&x, &y), b = with_batch(&w, &y);
	*m = (MatmulParam){ .m = y.dims[y.rank - 2], .n = y.dims[y.rank - 1], .k = a.dims[a.rank - 1],
		.alpha = gemm ? (float)op_float(op, A_alpha) : 1.0f, .a_row = a.stride[a.rank - 2], .a_col = a.stride[a.rank - 1],
		.a_offset = a.offset, .b_row = b.stride[b.rank - 2], .b_col = b.stride[b.rank - 1], .b_offset = b.offset,
		.c_row = y.stride[y.rank - 2] };
	if ((double)m->alpha != (gemm ? op_float(op, A_alpha) : 1.0) || !pl_matmul_batch(&a, &b, &y, m))
		return false;
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(double));
	double batch = (double)(m->batch[0] * m->batch[1] * m->batch[2]);
	pl_step(p, "matmul64", p->prog->kernels->matmul64, m, arena_printf(p->arena, "%lldx%lldx%lld x%.0f", (long long)m->m,
		(long long)m->k, (long long)m->n, batch));
	pl_ptr(p, y.buffer);
	pl_ptr(p, a.buffer);
	pl_ptr(p, b.buffer);
	pl_work(p, 2 * batch * (double)m->m * (double)m->n * (double)m->k,
		8 * batch * ((double)m->m * (double)m->k + (double)m->k * (double)m->n + (double)m->m * (double)m->n));
	return pl_settle(p, op->results[0], y) && (!gemm || !op_operand(op, 2) || add_term(p, op));
}
