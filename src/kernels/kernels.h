/* kernels: the inner loops of compiled models.  Sources under simd/ are compiled once for each instruction set; one table of
 * functions a set, chosen at run time.  Nothing here allocates, prints or knows about graphs.
 *
 * Conventions.  Sizes and strides are counted in elements, never in bytes.  Activations of convolutions and pools are
 * "channels last": the stride of the channel is 1, those of batch and pixels are free, so that a channel range of a wider
 * tensor (concat, split) is read and written in place.  A kernel reads and writes nothing outside what strides and sizes name.
 * Each kernel is a Kernel: tasks(param) independent tasks; run(...) does the tasks [begin, end).  The result of a task does not
 * depend on how tasks are spread over threads.  Operands come as an array of base pointers in the order that the kernel's
 * comment gives: ptr[0] is the (first) result. */
#ifndef HONE_KERNELS_H
#define HONE_KERNELS_H

#include "base/base.h"
#include "base/sample.h"

/* ---- instruction sets: dispatch.c ---- */

typedef enum Isa {
	ISA_BASE, /* what the compiler targets anyway: x86-64-v2, or the base of another architecture */
	ISA_V3,   /* x86-64-v3: AVX2 and FMA */
	ISA_V4,   /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
	ISA_COUNT
} Isa;
const char *isa_name(Isa i);                   /* "v2" ("base" off x86), "v3", "v4" */
bool isa_parse(const char *text, Isa *out);
bool isa_available(Isa i);                     /* this processor has it, and it was compiled in */
Isa isa_best(void);

/* ---- the form of every kernel ---- */

typedef struct Kernel {
	int64_t (*tasks)(const void *param);
	/* scratch: scratch_bytes(param) bytes, 64-byte aligned, one area a thread; contents undefined. NULL function: none. */
	void (*run)(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end);
	size_t (*scratch_bytes)(const void *param);
} Kernel;

/* ---- tile programs: chains of elementwise ops, tile by tile in first-level cache (simd/tile.c) ----
 * A program computes one or more results over a box of up to TILE_RANK dims (outermost first). It is a list of instructions
 * on registers, each one vector of up to TILE elements of the innermost dim. Every float op is computed in f32, every integer
 * op in its own type. */

enum { TILE = 512, TILE_RANK = 6, TILE_REGS = 16, TILE_OPERANDS = 24, TILE_CODE = 64 };

typedef enum TileOp {
#define TILE_OP(id, arity) TILE_##id,
#include "kernels/tile_ops.def"
#undef TILE_OP
	TILE_OP_COUNT
} TileOp;

typedef struct TileInstr {
	uint8_t op;            /* TileOp */
	uint8_t dtype;         /* DType of the operands (of the result too, but for compares and casts) */
	uint8_t to;            /* DType of the result of a cast */
	uint8_t dst, a, b, c;  /* registers */
	uint16_t operand;      /* LOAD, STORE: index into operands; others: operand that the result is stored to next + 1, or 0 */
	float f0, f1;          /* constants: bounds of CLAMP, slope of LEAKY_RELU, value of CONST, ... */
} TileInstr;

typedef struct TileOperand {
	int32_t ptr;                   /* index of its base pointer */
	uint8_t dtype;
	int64_t stride[TILE_RANK];     /* elements; 0: broadcast along that dim */
	int64_t offset;                /* elements, added to the base pointer */
} TileOperand;

typedef struct TileProgram {
	int rank;                      /* 1 .. TILE_RANK */
	int64_t dims[TILE_RANK];
	int ncode, noperands;
	TileInstr code[TILE_CODE];
	TileOperand operands[TILE_OPERANDS];
	double cost;                   /* rough nanoseconds an element, for the choice of tasks */
} TileProgram;

/* ---- the functions of one instruction set ---- */

typedef enum Combine { COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_PROD, COMBINE_SUM_SQUARE, COMBINE_L1 } Combine;

/* An element of weights that lie in a file: at any address. */
typedef float FloatAny __attribute__((aligned(1), may_alias));

/* Weights that are fetched into second-level cache while others are computed with, in the order of their use. */
enum { AHEAD_PARTS = 8 };
typedef struct ConvAhead {
	bool ready;                    /* the convolution's own weights were fetched like this */
	int n;
	struct {
		const void *const *at; /* where the address of the weights stands during the run */
		int64_t first, lines;  /* cache lines of them */
	} part[AHEAD_PARTS];
} ConvAhead;

/* Convolution of any 1-3 spatial dims, strides, dilations, groups; dense layers (one pixel a row) are its 1x1 case.
 * Spatial dims are (depth, height, width); missing ones have size 1 at the front.
 * ptr: y, x, then: residual when has_residual, then from `post_ptr` on what the post program reads.
 * y[n,p,g*oc+o] = clamp(bias[g*oc+o] + sum x[n, p*stride + k*dilation - pad, g*ic+i] w + residual[n,p,g*oc+o], lo, hi), of which
 * DIRECT, DEPTHWISE and PLANES take the hard swish where hard_swish says so; then
 * the post program runs over each finished box of y (dims batch, depth, height, width, channels; operand strides likewise),
 * in place: its y operand is ptr[0]. */
typedef struct ConvParam {
	int64_t batch, groups, ic, oc;          /* channels of one group */
	int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3]; /* pad: at the beginning; the end follows from out */
	int64_t x_stride[4], y_stride[4];       /* batch, depth, height, width; the channel's is 1 (but x_channel) */
	int64_t x_channel;                      /* CONV_PLANES: stride of the channel in x */
	int64_t x_offset, y_offset;             /* elements from the base pointers */
	const void *weights;                    /* packed by conv_pack (winograd: winograd_pack, ...) */
	const float *bias;                      /* groups * oc, or NULL */
	bool has_residual;
	int64_t r_stride[4], r_offset;          /* of the residual */
	float lo, hi;                           /* -INFINITY, INFINITY: no bounds */
	bool hard_swish;
	bool backward;                          /* DIRECT, few rows: the last columns first. Same results; weights that the same product
	                                         * read last, forward, are still in cache */
	bool paired;                            /* DIRECT, set by conv_plan: the last columns' weights are packed in pairs of terms */
	const struct ConvAhead *ahead;          /* DIRECT: what the steps after it will read, or NULL */
	const TileProgram *post;                /* or NULL; full rank 5 */
	int post_ptr;
	const FloatAny *source;                 /* the weights as they were before packing, times `factor`, by */
	int64_t source_stride[5];               /* ... these strides: for CONV_STREAM and generators of code */
	float factor;
	int64_t task_rows, task_cols;           /* blocking, set by conv_plan */
	int64_t plan[8];                        /* private to the kernel: other choices that its plan function makes */
} ConvParam;

typedef enum ConvKind { CONV_DIRECT, CONV_WINOGRAD, CONV_DEPTHWISE, CONV_TRANSPOSE,
	CONV_GROUPED,             /* many small groups of as many inputs as outputs */
	CONV_STREAM,              /* dense layers of few rows, by `source`, `source_stride` and `factor`; nothing is packed */
	CONV_BLOCKS,              /* dense layers with weights of few bits (BlockWeights) */
	CONV_PLANES,              /* few channels, in planes: the stride along the width is 1, the channel's is x_channel */
	CONV_KINDS } ConvKind;

/* Weights of CONV_BLOCKS: of each of n columns k numbers of 4 or 8 bits (low bits first), each column padded to whole blocks of
 * `block` numbers. A number is (q - zero) * scale, scale and zero those of its block. p->plan[0] is bits, [1] block. */
typedef struct BlockWeights {
	const uint8_t *data;
	const float *scale, *zero;              /* [n][blocks]; zero NULL: the middle, 2^(bits - 1) */
} BlockWeights;

/* Convolutions of two spatial dims that follow one another, depth first: for a band of lines of the last one's result, what
 * it takes of the results before, which lie in the scratch and stay in second-level cache. Stage i reads what stage i - 1
 * gives. The stages are of the kinds CONV_DIRECT and CONV_DEPTHWISE, the first of CONV_PLANES too, with sum of parts and strides as they would have
 * alone; x_stride, x_offset and in of a stage are y_stride, y_offset and out of the one before.
 * ptr: y of the last, x of the first, then from rest_ptr[i] on what stage i reads besides (its pointers from 2 on). */
enum { CHAIN_STAGES = 4, CHAIN_PTRS = TILE_OPERANDS + 4 };
typedef struct ChainParam {
	int nstages;
	ConvKind kind[CHAIN_STAGES];
	const ConvParam *stage[CHAIN_STAGES];
	int rest_ptr[CHAIN_STAGES], nrest[CHAIN_STAGES];
	int64_t worth;                          /* bytes an image from which on a result between stages is worth it; 0: any */
	int64_t lines;                          /* of a band: 0, or the most; chain_plan chooses, */
	int64_t room[CHAIN_STAGES];             /* and how many lines are kept of the result of each stage but the last */
} ChainParam;

/* A convolution of one image by a 1x1 kernel without padding or groups, planned as CONV_DIRECT, whose input's channels are times
 * numbers that the run computes. ptr: those of the convolution, then the numbers. */
typedef struct ScaledParam {
	const ConvParam *conv;
	int64_t x_offset;                       /* added to the convolution's own */
	int scale_ptr;
	int64_t scale_offset;
} ScaledParam;

/* Batched product with both factors computed at run time. ptr: c, a, b, then from post_ptr on the post program's operands.
 * c[batch] = alpha * a[batch] (m x k) b[batch] (k x n); a's stride along k and c's along n are 1 unless a_col says
 * otherwise; b has any strides. The post program's dims are batch dims then m, n (rank nbatch + 2). */
enum { MATMUL_BATCH = 3 };
typedef struct MatmulParam {
	int64_t batch[MATMUL_BATCH];            /* leading ones are 1 */
	int64_t m, n, k;
	int64_t a_batch[MATMUL_BATCH], a_row, a_col, a_offset;
	int64_t b_batch[MATMUL_BATCH], b_row, b_col, b_offset;
	int64_t c_batch[MATMUL_BATCH], c_row, c_offset;
	float alpha;
	const TileProgram *post;
	int post_ptr;
	int64_t plan[8];
} MatmulParam;

/* y = softmax(scale q k^T + bias) v for each batch entry, q: m x size, k: n x size, v: n x value_size, n > 0; y's column stride is
 * 1. ptr: y, q, k, v, bias when has_bias, then from post_ptr on what the post program reads. It runs over the scores after the
 * scale and before the bias; its dims are batch, m, n, and its operand of the scores has ptr 0, stride score_row along m, 1
 * along n, 0 else. Query i looks at keys i + first_key .. i + last_key (INT64_MIN, INT64_MAX: all); other scores are minus
 * infinity. Rows whose scores are all minus infinity are zero (zero_masked) or NaN. */
typedef struct AttentionParam {
	int64_t batch[MATMUL_BATCH];
	int64_t m, n, size, value_size;
	int64_t q_batch[MATMUL_BATCH], q_row, q_col, q_offset;
	int64_t k_batch[MATMUL_BATCH], k_row, k_col, k_offset;
	int64_t v_batch[MATMUL_BATCH], v_row, v_col, v_offset;
	int64_t y_batch[MATMUL_BATCH], y_row, y_offset;
	float scale;
	bool has_bias, zero_masked;
	int64_t bias_batch[MATMUL_BATCH], bias_row, bias_col, bias_offset; /* bias_col: 0 or 1 */
	int64_t first_key, last_key;
	const TileProgram *post;
	int post_ptr;
	int64_t block, score_row;               /* keys at a time, set by attention_plan */
	int64_t plan[8];
} AttentionParam;

/* Convolution (dense layers: the 1x1 case) of 8-bit integers with packed 8-bit weights. c gives sizes, strides, offsets and the
 * post program; its bias, lo, hi and residual are not looked at. ptr: y, x, then from c.post_ptr on what the post program reads.
 * sum[n,p,o] = the sum over taps and channels of (x - x_zero) (w - w_zero[o]), modulo 2^32; padding counts as x_zero.
 * With a post program, the finished sums (QFINISH_INT: i32, QFINISH_FLOAT: f32) are put into a block of memory that the program
 * sees as its pointer 1, rows of `pitch` elements one after the other as though it held the whole result; nothing else is
 * written. */
typedef enum QFinish {
	QFINISH_INT,    /* the sums as i32 */
	QFINISH_FLOAT,  /* clamp(sum * scale[o] + add[o], lo, hi) in f32 */
	QFINISH_NARROW, /* that rounded half to even, + y_zero, as 8 bits: lo and hi hold it within their range */
	QFINISH_EXACT   /* (sum + bias[o]) * scale[o] in double, rounded half to even, + y_zero, saturated to 8 bits */
} QFinish;
typedef enum QConvKind { QCONV_PRODUCT, QCONV_DEPTHWISE, QCONV_KINDS } QConvKind;
typedef struct QConvParam {
	ConvParam c;
	bool dot;                               /* weights are packed for instructions that add products of four bytes */
	bool x_signed, y_signed;
	bool w_zeros;                           /* dot: some w_zero is not that of signed symmetric weights */
	int32_t x_zero;
	int zero_ptr;                           /* above 0: x_zero is the byte that this pointer is at, of x's type */
	QFinish finish;
	const float *scale, *add;               /* groups * oc; add may be NULL */
	const int32_t *bias;                    /* EXACT: groups * oc, or NULL */
	float lo, hi;
	int32_t y_zero;
	int64_t pitch;                          /* set by qconv_plan */
} QConvParam;
/* Weights as they are stored: strides in elements as for conv_pack. */
typedef struct QWeights {
	const void *data;
	bool is_signed;
	int64_t stride[5];
	const int32_t *zero;                    /* groups * oc */
} QWeights;

/* Minimum and maximum of n floats and 0, NaN left out, as scale and zero point of u8. ptr: scale (f32), zero (u8), x. */
typedef struct RangeParam {
	int64_t n, x_offset;
} RangeParam;

/* ptr: y, x. Windows as in ConvParam; channels last. */
typedef struct PoolParam {
	int64_t batch, channels;
	int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
	int64_t x_stride[4], y_stride[4], x_offset, y_offset;
	bool average;           /* else maximum (NaN wins) */
	bool count_padding;     /* average: divide by the whole window, clipped at in + pad at the end */
	int64_t pad_end[3];
} PoolParam;

/* One row is `n` elements at stride 1 (or `stride`); rows by up to 4 outer dims. ptr: y, x, then scale and bias when has_*. */
typedef enum RowKind { ROW_SOFTMAX, ROW_LOG_SOFTMAX, ROW_LAYER_NORM, ROW_RMS_NORM } RowKind;
typedef struct RowParam {
	RowKind kind;
	int64_t outer[4], n;
	int64_t x_outer[4], x_stride, x_offset;
	int64_t y_outer[4], y_stride, y_offset;
	bool has_scale, has_bias;
	int64_t scale_offset, bias_offset;      /* scale and bias: n elements at stride 1 */
	float epsilon;
} RowParam;

/* y[outer] = combine over the reduced dims of x; then times `scale` (mean: 1 / count). Kept dims outermost first, then reduced
 * dims. ptr: y, x. f32. */
enum { REDUCE_RANK = 6 };
typedef struct ReduceParam {
	Combine combine;
	int nkept, nreduced;
	int64_t kept[REDUCE_RANK], reduced[REDUCE_RANK];
	int64_t x_kept[REDUCE_RANK], x_reduced[REDUCE_RANK], y_kept[REDUCE_RANK];
	int64_t x_offset, y_offset;
	float scale;
} ReduceParam;

/* Strided copy of elements of 1, 2, 4, 8 or 16 bytes; dims outermost first. ptr: y, x. */
enum { COPY_RANK = 8 };
typedef struct CopyParam {
	int rank, elem;                          /* elem: bytes */
	int64_t dims[COPY_RANK], x_stride[COPY_RANK], y_stride[COPY_RANK];
	int64_t x_offset, y_offset;
} CopyParam;

/* y[o, i, :] = x[o, index[i], :]: rows of `inner` bytes. Negative indices count from the end; one out of range sets *fault of
 * the run (ptr[3], an int64_t that holds 0) to the bad index's position + 1 and gives zeros. ptr: y, x, index, fault. */
typedef struct GatherParam {
	int64_t outer, n, rows, inner;           /* n: indices; rows: size of the axis; inner: bytes */
	int64_t x_outer, y_outer;                /* bytes */
	bool index64;
} GatherParam;

/* Elements along one axis of a row-major array: outer groups of `size` rows of `inner` elements. f32, f64, integers, bool.
 * ARG: y[outer][inner] (i64) = where the largest (smallest) is; NaN is larger and smaller than any number. ptr: y, x.
 * TOP: the k largest (smallest), best first; equal ones in their order. ptr: values, indices (i64), x.
 * SUM, PRODUCT: running ones of f32 (in double), i32, i64. ptr: y, x. */
typedef enum LaneKind { LANE_ARG, LANE_TOP, LANE_SUM, LANE_PRODUCT } LaneKind;
typedef struct LaneParam {
	LaneKind kind;
	uint8_t dtype;          /* DType */
	int64_t outer, size, inner, k;
	bool smallest, last;    /* last: of equal ones, the last */
	bool exclusive, reverse;
} LaneParam;

/* Positions that indices tell. Position r < rows is the sum of r's part (dims `at` of it times `stride`, row-major) and of
 * index j < depth of its tuple times index_stride[j]; an index below 0 counts from index_size[j]; one out of range sets *fault
 * to the tuple's number + 1 and is passed over (gathered: zeros). inner: elements of `elem` bytes at stride 1 that are moved.
 * GATHER: y[r] = x[position]. ptr: y, x, index, fault. SCATTER: y[position] = combine(y[position], x[r]), r in order. ptr: y, x,
 * index, fault. The tuple of row r is index[r * depth ..]. */
enum { INDEX_RANK = 8 };
typedef enum Scatter { SCATTER_SET, SCATTER_ADD, SCATTER_MUL, SCATTER_MIN, SCATTER_MAX } Scatter;
typedef struct IndexParam {
	bool scatter, index64;
	Scatter combine;        /* other than SET: f32, f64, i32, i64 */
	uint8_t dtype;
	int rank, depth;
	int64_t rows, inner, elem;
	int64_t at[INDEX_RANK], stride[INDEX_RANK];              /* elements */
	int64_t index_size[INDEX_RANK], index_stride[INDEX_RANK];
} IndexParam;

/* Values at points (n, output position) of `grid`, in [-1, 1], last dim first: x is (batch, channels, in), y (batch, channels,
 * points), row-major. ptr: y, x, grid. Sums are taken in double. */
typedef struct GridParam {
	GridForm form;
	int rank;               /* spatial dims, 1 .. 3 */
	int64_t batch, channels, in[3], points;
} GridParam;

/* Regions (x0, y0, x1, y1) of images (batch, channels, h, w) as grids of out_h x out_w means or maxima of samples; ptr: y, x,
 * rois, batch index, fault (the region's number + 1 when its batch index is out of range; zeros). */
typedef struct RoiParam {
	RoiForm form;
	int64_t rois, batch, channels;
	bool index64;
} RoiParam;

/* Boxes (corners, or centre and size) whose score is a number above the least one, best first, unless they overlap one that was
 * taken by more than a share of the area of both: for each batch entry and class up to `most` rows (batch, class, box).
 * ptr: y (i64, [batches * classes][most][3]), their numbers (i64, one a class), boxes (batches, boxes, 4) and scores (batches,
 * classes, boxes) in f32, the most to take (i64), the share (f32, when has_iou; else 0), the least score (f32, when has_score). */
typedef struct NmsParam {
	int64_t batches, classes, boxes, most;  /* most: room for it; no more than boxes */
	bool centre, has_iou, has_score;
} NmsParam;

/* Places of the elements that are not zero among n, in order, `part` elements a task. ptr: places (i64, n: those of a task from
 * its first element on), their numbers (i64, one a task), x: elements of `elem` bytes. */
typedef struct NonzeroParam {
	int64_t n, part, elem;
	int sign;               /* 1: the highest bit does not count (floats, whose zeros have signs) */
} NonzeroParam;

/* Separable resampling, channels last. ptr: y, x. Output i of a spatial dim is the weighted sum of taps[d] inputs: index and
 * weight have taps[d] entries an output. */
typedef struct ResizeParam {
	int64_t batch, channels, out[3];
	int64_t x_stride[4], y_stride[4], x_offset, y_offset;
	int taps[3];
	const int32_t *index[3];
	const float *weight[3];
} ResizeParam;

/* One direction of a recurrent layer: what the input gives (z: steps x batch x gates * hidden, biases included) is computed
 * before. ptr: y, z, h0, c0, y_h, y_c; absent ones have their has_ flag false and any pointer. Gates in ONNX's order: LSTM i o f
 * c, GRU z r h, plain one. LSTM: c = f c + i tanh(c~), h = o tanh(c). GRU: h = (1 - z) tanh(...) + z h, the reset gate applied
 * after the product (linear_before_reset) or before it. */
typedef enum RnnKind { RNN_LSTM, RNN_GRU, RNN_PLAIN } RnnKind;
typedef struct RnnParam {
	RnnKind kind;
	int64_t steps, batch, hidden;
	bool cell_only;                          /* LSTM: one step, its gates are computed; ptr: y, gates, h, c */
	bool reverse, relu, linear_before_reset, has_y, has_h0, has_c0, has_y_h, has_y_c;
	int64_t z_step, z_batch, z_offset;       /* elements */
	int64_t y_step, y_batch, y_offset;
	int64_t h0_batch, h0_offset, c0_batch, c0_offset, h_batch, h_offset, c_batch, c_offset;
	ConvParam product;                       /* h (batch rows, hidden) times the recurrent weights; adds what lies at z or, for a GRU, a bias */
	ConvParam reset_product;                 /* GRU without linear_before_reset: the weights of h~ alone */
} RnnParam;

/* Of what the pack functions below write, of all instruction sets. To be raised when one writes something else for the same
 * weights: compiled models of another version pack again when they are read. test_kernels_packing notices. */
enum { PACKING_VERSION = 1 };

typedef struct KernelSet {
	Isa isa;
	int panel;                               /* columns of a panel of packed weights */
	const Kernel *conv[CONV_KINDS];          /* NULL: this set has no such kernel */
	/* True when the kind can do p; fills the blocking for `threads`. */
	bool (*conv_plan[CONV_KINDS])(ConvParam *p, int threads);
	/* Bytes of packed weights of p, and packing: w is (groups*oc, ic, kernel...) for every kind but CONV_TRANSPOSE, whose w is
	 * (groups*ic, oc, kernel...); element strides as given (7: o/i first dim, second dim, 3 spatial). dst is 64-byte aligned. */
	size_t (*conv_pack_bytes[CONV_KINDS])(const ConvParam *p);
	void (*conv_pack[CONV_KINDS])(const ConvParam *p, const FloatAny *w, const int64_t stride[5], void *dst);
	int64_t (*conv_ahead)(const ConvParam *p, bool ready); /* CONV_DIRECT: cache lines that it has time to fetch for others */
	void (*blocks_pack)(const ConvParam *p, const BlockWeights *w, void *dst); /* CONV_BLOCKS, instead of conv_pack */
	const Kernel *qconv[QCONV_KINDS];
	bool (*has_dot)(void);                   /* this processor has the instructions that QConvParam.dot asks for */
	/* False: the kind cannot do p, or sums might not fit: QCONV_DEPTHWISE wants one channel a group. Set finish first. */
	bool (*qconv_plan[QCONV_KINDS])(QConvParam *p, int threads);
	size_t (*qconv_pack_bytes[QCONV_KINDS])(const QConvParam *p);
	void (*qconv_pack[QCONV_KINDS])(const QConvParam *p, const QWeights *w, void *dst);
	const Kernel *range;
	const Kernel *scaled;
	const Kernel *chain;
	/* True when the stages can run as a chain and gain by it. Their own blocking is that of conv_plan. */
	bool (*chain_plan)(ChainParam *p, int threads);
	const Kernel *matmul;
	bool (*matmul_plan)(MatmulParam *p, int threads);
	const Kernel *attention;
	bool (*attention_plan)(AttentionParam *p, int threads); /* before the post program is made: it sets score_row */
	const Kernel *pool;
	const Kernel *tile;                      /* param: TileProgram */
	bool (*tile_supports)(const TileInstr *in); /* this op on these types */
	/* Runs the program over the box [lo, hi); scratch: tile.scratch_bytes. For epilogues. */
	void (*tile_box)(const TileProgram *p, void *const *ptr, const int64_t *lo, const int64_t *hi, void *scratch);
	const Kernel *row;
	const Kernel *reduce;
	const Kernel *copy;
	const Kernel *gather;
	const Kernel *lanes;
	const Kernel *index;
	const Kernel *grid, *roi;
	const Kernel *nms, *nonzero;
	const Kernel *matmul64;                  /* param: MatmulParam without post program; elements are f64, any strides but c's */
	const Kernel *resize;
	const Kernel *rnn;
} KernelSet;
const KernelSet *kernels_for(Isa i);           /* NULL when not available */

#endif
