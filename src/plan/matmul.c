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

bool plan_matmul(Planner *p, const Op *op)
{
	const Value *av = op_operand(op, 0), *bv = op_operand(op, 1);
	Group *g = p->groups[op->id];
	bool fused = g && g->anchor == op && pl_shape(p, g->root->results[0])->dtype == DT_F32;
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

/* Products of doubles; what is added to one is an op of its own. */
bool plan_matmul64(Planner *p, const Op *op)
{
	const Value *av = op_operand(op, 0), *bv = op_operand(op, 1);
	bool gemm = op_is(op, OP_gemm);
	if (pl_shape(p, av)->rank < 2 || pl_shape(p, bv)->rank < 2 || pl_shape(p, av)->dtype != DT_F64 ||
			pl_shape(p, bv)->dtype != DT_F64 || pl_shape(p, av)->count == 0 || pl_shape(p, bv)->count == 0 ||
			(gemm && op_operand(op, 2)) || pl_shape(p, op->results[0])->rank > VIEW_RANK)
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
	return pl_settle(p, op->results[0], y);
}
