/* Boxes: non-maximum suppression and RoI align. */
#include "base/sample.h"
#include "ops/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inference ---- */

bool infer_nms(InferCtx *x, Op *op)
{
	const Value *boxes = op_operand(op, 0), *scores = op_operand(op, 1);
	if ((value_rank(boxes) >= 0 && value_rank(boxes) != 3) || (value_rank(scores) >= 0 && value_rank(scores) != 3))
		return infer_error(x, op, "boxes and scores must have rank 3");
	if (value_rank(boxes) == 3 && sym_known_ne(x->ctx, boxes->type->dims[2], sym_int(x->ctx, 4)))
		return infer_error(x, op, "a box has 4 coordinates");
	if (value_rank(boxes) == 3 && value_rank(scores) == 3 &&
		(sym_known_ne(x->ctx, boxes->type->dims[0], scores->type->dims[0]) ||
			sym_known_ne(x->ctx, boxes->type->dims[1], scores->type->dims[2])))
		return infer_error(x, op, "boxes and scores do not go together");
	const Sym *dims[2] = {infer_unknown(x, op, 0, 0), sym_int(x->ctx, 3)};
	return infer_tensor(x, op, 0, DT_I64, 2, dims);
}

bool infer_roi_align(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *rois = op_operand(op, 1), *batch = op_operand(op, 2);
	int64_t h = op_int(op, A_output_height), w = op_int(op, A_output_width);
	if (h < 1 || w < 1)
		return infer_error(x, op, "the output size must be positive");
	if ((value_rank(in) >= 0 && value_rank(in) != 4) || (value_rank(rois) >= 0 && value_rank(rois) != 2))
		return infer_error(x, op, "the input must have rank 4 and the regions rank 2");
	const Sym *dims[4] = {value_rank(rois) == 2 ? rois->type->dims[0]
			: value_rank(batch) == 1            ? batch->type->dims[0]
												: infer_unknown(x, op, 0, 0),
		value_rank(in) == 4 ? in->type->dims[1] : infer_unknown(x, op, 0, 1), sym_int(x->ctx, h), sym_int(x->ctx, w)};
	return infer_tensor(x, op, 0, value_dtype(in), 4, dims);
}

/* ---- nms ---- */

typedef struct Box {
	double y0, x0, y1, x1, area;
} Box;

static Box box_of(const double *v, bool centre)
{
	Box b;
	if (centre) {
		b.x0 = v[0] - v[2] / 2, b.x1 = v[0] + v[2] / 2;
		b.y0 = v[1] - v[3] / 2, b.y1 = v[1] + v[3] / 2;
	} else {
		b.y0 = fmin(v[0], v[2]), b.y1 = fmax(v[0], v[2]);
		b.x0 = fmin(v[1], v[3]), b.x1 = fmax(v[1], v[3]);
	}
	b.area = (b.y1 - b.y0) * (b.x1 - b.x0);
	return b;
}

static bool boxes_overlap(const Box *a, const Box *b, double threshold)
{
	double w = fmin(a->x1, b->x1) - fmax(a->x0, b->x0), h = fmin(a->y1, b->y1) - fmax(a->y0, b->y0);
	if (!(w > 0 && h > 0) || !(a->area > 0 && b->area > 0))
		return false;
	double both = w * h, all = a->area + b->area - both;
	return all > 0 && both / all > threshold;
}

typedef struct Candidate {
	double score;
	int64_t index;
} Candidate;

static int by_score(const void *pa, const void *pb)
{
	const Candidate *a = pa, *b = pb;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

typedef struct Nms {
	int64_t batches, classes, boxes, most;
	double iou, score;
	bool has_score, centre;
	const double *box, *scores;
	/* scratch of `boxes` entries each */
	Candidate *order;
	Box *kept;
} Nms;

/* Best first; each is kept unless it overlaps one that is kept. Appends (batch, class, box) to out; returns how many.
 */
static int64_t nms_class(const Nms *n, int64_t batch, int64_t class, int64_t *out)
{
	const double *scores = n->scores + (batch * n->classes + class) * n->boxes;
	int64_t candidates = 0, kept = 0;
	for (int64_t i = 0; i < n->boxes; i++)
		if (!isnan(scores[i]) && (!n->has_score || scores[i] > n->score))
			n->order[candidates++] = (Candidate){scores[i], i};
	qsort(n->order, (size_t)candidates, sizeof(*n->order), by_score);
	for (int64_t i = 0; i < candidates && kept < n->most; i++) {
		Box b = box_of(n->box + (batch * n->boxes + n->order[i].index) * 4, n->centre);
		bool free = true;
		for (int64_t k = 0; free && k < kept; k++)
			free = !boxes_overlap(&b, &n->kept[k], n->iou);
		if (!free)
			continue;
		n->kept[kept] = b;
		out[3 * kept] = batch, out[3 * kept + 1] = class, out[3 * kept + 2] = n->order[i].index;
		kept++;
	}
	return kept;
}

static double scalar_or(const Tensor *t, double fallback)
{
	return t && t->count > 0 ? tensor_get_f64(t, 0) : fallback;
}

static bool nms_plan(EvalCtx *e, const Op *op, Tensor *const *in, Nms *n)
{
	const Tensor *boxes = in[0], *scores = in[1], *most = op->noperands > 2 ? in[2] : NULL,
				 *score = op->noperands > 4 ? in[4] : NULL;
	if (boxes->rank != 3 || scores->rank != 3 || boxes->dims[2] != 4 || boxes->dims[0] != scores->dims[0] ||
		boxes->dims[1] != scores->dims[2])
		return eval_error(e, op, "boxes and scores do not go together");
	if (most && !dtype_is_integer(most->dtype))
		return eval_error(e, op, "the number of boxes must be an integer");
	n->batches = scores->dims[0];
	n->classes = scores->dims[1];
	n->boxes = scores->dims[2];
	n->most = most && most->count > 0 ? tensor_get_i64(most, 0) : 0;
	n->most = n->most < 0 ? 0 : n->most > n->boxes ? n->boxes : n->most;
	n->iou = scalar_or(op->noperands > 3 ? in[3] : NULL, 0);
	n->has_score = score && score->count > 0;
	n->score = scalar_or(score, 0);
	n->centre = op_int(op, A_center_point_box) != 0;
	return true;
}

bool eval_nms(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Nms n = {0};
	Dense boxes, scores, memory, found;
	int64_t most, total = 0, scratch;
	const int64_t each = (int64_t)(sizeof(Candidate) + sizeof(Box)) / (int64_t)sizeof(double);
	if (!dense_operands(e, op, in, false) || !nms_plan(e, op, in, &n))
		return false;
	if (!mul_ok(n.batches, n.classes, &most) || !mul_ok(most, n.most, &most) || !mul_ok(most, 3, &most) ||
		!mul_ok(n.boxes, each, &scratch))
		return eval_error(e, op, "too many boxes");
	if (!dense_load(e, in[0], DT_F64, &boxes) || !dense_load(e, in[1], DT_F64, &scores) ||
		!dense_scratch(e, DT_F64, scratch, &memory) || !dense_scratch(e, DT_I64, most, &found))
		return false;
	n.box = boxes.data, n.scores = scores.data;
	n.kept = memory.data;
	n.order = (Candidate *)(n.kept + n.boxes);
	for (int64_t i = 0; n.most > 0 && i < n.batches * n.classes; i++)
		total += nms_class(&n, i / n.classes, i % n.classes, (int64_t *)found.data + 3 * total);
	out[0] = tensor_new(e, DT_I64, 2, (int64_t[]){total, 3});
	if (out[0])
		memcpy(out[0]->data, found.data, (size_t)total * 3 * sizeof(int64_t));
	dense_release(&boxes);
	dense_release(&scores);
	dense_release(&memory);
	dense_release(&found);
	return out[0] != NULL;
}

/* ---- roi_align ---- */

typedef struct RoiJob {
	RoiForm form;
	int64_t channels;
	const double *x, *rois;
	const int64_t *batch;
	double *y;
} RoiJob;

/* All channels of one bin: mean of the samples, or the largest weighted neighbour of any (as the definition has it). */
static void roi_bin(const RoiJob *j, int64_t roi, const RoiBins *b, int64_t bin, double *out)
{
	const RoiForm *f = &j->form;
	const double *image = j->x + j->batch[roi] * j->channels * f->h * f->w;
	int64_t plane = f->h * f->w, step = f->out_h * f->out_w, samples = b->rows * b->cols;
	for (int64_t c = 0; c < j->channels; c++)
		out[c * step] = f->max && samples > 0 ? -INFINITY : 0;
	for (int64_t s = 0; s < samples; s++) {
		int64_t at[4];
		double weight[4];
		roi_taps(f, b, bin, s, at, weight);
		for (int64_t c = 0; c < j->channels; c++) {
			const double *p = image + c * plane;
			double v[4];
			for (int k = 0; k < 4; k++)
				v[k] = weight[k] * p[at[k]];
			if (f->max)
				out[c * step] = fmax(out[c * step], fmax(fmax(v[0], v[1]), fmax(v[2], v[3])));
			else
				out[c * step] += v[0] + v[1] + v[2] + v[3];
		}
	}
	for (int64_t c = 0; !f->max && samples > 0 && c < j->channels; c++)
		out[c * step] /= (double)samples;
}

static void roi_run(void *arg, int64_t roi)
{
	const RoiJob *j = arg;
	int64_t bins = j->form.out_h * j->form.out_w;
	RoiBins b = roi_bins(&j->form, j->rois + roi * 4);
	for (int64_t bin = 0; bin < bins; bin++)
		roi_bin(j, roi, &b, bin, j->y + roi * j->channels * bins + bin);
}

bool eval_roi_align(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0], *rois = in[1], *batch = in[2];
	const char *mode = op_text(op, A_mode), *coord = op_text(op, A_coordinate_transformation_mode);
	if (!dense_operands(e, op, in, false))
		return false;
	if (x->rank != 4 || rois->rank != 2 || rois->dims[1] != 4 || batch->count != rois->dims[0] ||
		!dtype_is_integer(batch->dtype))
		return eval_error(e, op, "input, regions and batch indices do not go together");
	RoiJob j = {.channels = x->dims[1],
		.form = {.h = x->dims[2],
			.w = x->dims[3],
			.out_h = op_int(op, A_output_height),
			.out_w = op_int(op, A_output_width),
			.ratio = op_int(op, A_sampling_ratio),
			.scale = op_float(op, A_spatial_scale),
			.max = !strcmp(mode, "max"),
			.half_pixel = !strcmp(coord, "half_pixel")}};
	const RoiForm *f = &j.form;
	if ((!f->max && strcmp(mode, "avg") != 0) || (!f->half_pixel && strcmp(coord, "output_half_pixel") != 0))
		return eval_unsupported(e, op, "mode \"%s\" or coordinate_transformation_mode \"%s\" is not known", mode, coord);
	if (f->out_h < 1 || f->out_w < 1 || f->ratio < 0 || f->ratio > 1 << 15)
		return eval_error(e, op, "the output size must be positive and the sampling ratio must not be negative");
	out[0] = tensor_new(e, x->dtype, 4, (int64_t[]){rois->dims[0], j.channels, f->out_h, f->out_w});
	if (!out[0] || out[0]->count == 0)
		return out[0] != NULL;
	if (f->h == 0 || f->w == 0)
		return eval_error(e, op, "regions of an empty image");
	for (int64_t i = 0; i < batch->count; i++)
		if (tensor_get_i64(batch, i) < 0 || tensor_get_i64(batch, i) >= x->dims[0])
			return eval_error(e, op, "a region of batch entry %lld, but there are %lld",
				(long long)tensor_get_i64(batch, i), (long long)x->dims[0]);
	Dense dx, dr, db, dy;
	if (!dense_load(e, x, DT_F64, &dx) || !dense_load(e, rois, DT_F64, &dr) || !dense_load(e, batch, DT_I64, &db) ||
		!dense_result(e, out[0], DT_F64, &dy))
		return false;
	j.x = dx.data, j.rois = dr.data, j.batch = db.data, j.y = dy.data;
	parallel_for(dense_threads(e, (double)out[0]->count * 16), rois->dims[0], roi_run, &j);
	dense_release(&dx);
	dense_release(&dr);
	dense_release(&db);
	dense_store(out[0], DT_F64, &dy);
	return true;
}
