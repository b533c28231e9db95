#!/usr/bin/env python3
"""Development check: operators of com.microsoft give what ONNX Runtime gives, or NumPy where its CPU provider lacks them.

usage: contrib_check.py HONE [--only TEXT]

Each case is a one-node model with seeded inputs. Results are compared at rtol 2e-3; quantised ones may be one step off.
Needs the packages onnx, onnxruntime and numpy. Ends with "N passed, N failed".
"""
import argparse, os, subprocess, sys, tempfile
import numpy as np, onnx, onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(7)
f32 = lambda *s: rng.standard_normal(s).astype(np.float32)
u8 = lambda *s: rng.integers(0, 256, s).astype(np.uint8)
i8 = lambda *s: rng.integers(-128, 128, s).astype(np.int8)
i32 = lambda v: np.array(v, np.int32)
i64 = lambda v: np.array(v, np.int64)
sc = lambda v: np.array(v, np.float32)
CASES = []
MROPE = False # ONNX Runtime's own, where its CPU provider has it


def case(op, inputs, nout=1, want=None, tol=2e-3, name="", **attrs):
    CASES.append((op, inputs, nout, want, tol, name or op, attrs))


def q(x, scale, zero, dtype=np.uint8):
    info = np.iinfo(dtype)
    return np.clip(np.rint(x / scale) + zero, info.min, info.max).astype(dtype)


z8, zi = np.array(120, np.uint8), np.array(-3, np.int8)
for c in (None, rng.integers(-500, 500, (7,)).astype(np.int32)):
    case("QGemm", [u8(5, 6), sc(0.02), z8, i8(7, 6), sc(0.03), zi, c, sc(0.5), z8], transB=1, name="QGemm" + ("_c" if c is not None else ""))
case("QGemm", [u8(5, 6), sc(0.02), z8, i8(6, 7), f32(7) ** 2, i8(7) * 0], alpha=0.5, name="QGemm_float")
case("QLinearAveragePool", [u8(1, 3, 8, 8), sc(0.1), z8, sc(0.07), z8], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
case("QLinearAveragePool", [u8(1, 8, 8, 3), sc(0.1), z8, sc(0.07), z8], kernel_shape=[3, 3], channels_last=1, name="QLinearAveragePool_nhwc")
case("QLinearGlobalAveragePool", [u8(1, 8, 8, 3), sc(0.1), z8, sc(0.07), z8], channels_last=1, name="QLinearGlobalAveragePool_nhwc")
case("QLinearSoftmax", [u8(2, 3, 5), sc(0.1), z8, sc(1 / 256), np.array(0, np.uint8)], axis=-1, opset=13)
case("QLinearSoftmax", [u8(2, 3, 5), sc(0.1), z8, sc(1 / 256), np.array(0, np.uint8)], axis=1, opset=11, name="QLinearSoftmax_11")
case("QLinearWhere", [rng.integers(0, 2, (3, 4)).astype(bool), u8(3, 4), sc(0.1), z8, u8(1, 4), sc(0.2), z8, sc(0.15), z8])
case("QLinearReduceMean", [u8(2, 3, 5), sc(0.1), z8, sc(0.05), z8], axes=[1], keepdims=0,
     want=lambda x, s, z, t, w: [q((x.astype(float) - z).mean(1) * s, t, w)])
case("QLinearConv", [u8(1, 6, 6, 4), sc(0.1), z8, i8(5, 4, 3, 3), sc(0.02), np.array(0, np.int8), sc(0.9), z8], channels_last=1, pads=[1, 1, 1, 1])
case("QLinearAdd", [u8(2, 3), sc(0.1), z8, u8(3), sc(0.2), z8, sc(0.3), z8])
case("MulInteger", [u8(2, 3), z8, u8(3), z8], want=lambda a, az, b, bz: [(a.astype(np.int32) - az) * (b.astype(np.int32) - bz)])
case("MatMulInteger16", [rng.integers(-99, 99, (2, 3)).astype(np.int16), rng.integers(-99, 99, (3, 4)).astype(np.int16)],
     want=lambda a, b: [a.astype(np.int32) @ b.astype(np.int32)])
for past in (False, True):
    ins = [u8(2, 4, 6), i8(6, 24), f32(24), sc(0.02), sc(0.03), i32([4, 2]), z8, np.array(0, np.int8)]
    case("QAttention", ins + ([f32(2, 2, 2, 3, 4)] if past else []), 2 if past else 1, num_heads=2, name="QAttention" + "_past" * past,
         unidirectional=int(past)) if not past else case("QAttention", ins[:5] + [None] + ins[6:] + [f32(2, 2, 2, 3, 4)], 2, num_heads=2, unidirectional=1, name="QAttention_past")
for d in ("forward", "reverse", "bidirectional"):
    n = 2 if d == "bidirectional" else 1
    case("DynamicQuantizeLSTM", [f32(5, 2, 3), i8(n, 3, 16), i8(n, 4, 16), f32(n, 32), i32([5, 3]), f32(n, 2, 4), f32(n, 2, 4), None,
         f32(n) ** 2 * 0.01 + 0.01, np.zeros(n, np.int8), f32(n) ** 2 * 0.01 + 0.01, np.zeros(n, np.int8)], 3, hidden_size=4, direction=d, tol=1e-2,
         name="DynamicQuantizeLSTM_" + d)
for t in (0, 1):
    case("MatMulBnb4", [f32(3, 32), u8(32 * 8 // 2), np.abs(f32(32 * 8 // 16))], K=32, N=8, block_size=16, quant_type=t, name=f"MatMulBnb4_{t}")
case("MatMulNBits", [f32(3, 32), u8(8, 2, 8), np.abs(f32(16))], K=32, N=8, block_size=16, bits=4)
for bits, data in ((4, u8(6, 16)), (8, u8(6, 32))):
    case("GatherBlockQuantized", [data, i64([[1, 5], [-1, 0]]), np.abs(f32(6, 2))], bits=bits, block_size=16, quantize_axis=1, gather_axis=0, name=f"GatherBlockQuantized_{bits}")
for act, fusion, f3 in (("relu", 0, False), ("silu", 0, True), ("gelu", 0, False), ("swiglu", 1, False)):
    h, inter, ex = 8, 6, 4
    case("MoE", [f32(5, h), f32(5, ex), f32(ex, inter * (2 if fusion else 1), h), f32(ex, inter * (2 if fusion else 1)), f32(ex, h, inter), f32(ex, h)]
         + ([f32(ex, inter, h), f32(ex, inter)] if f3 else []), k=2, activation_type=act, normalize_routing_weights=1, swiglu_fusion=fusion,
         name=f"MoE_{act}", **({"activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 7.0} if fusion else {}))
for bits in (4, 8):
    h, inter, ex = 32, 32, 3
    case("QMoE", [f32(4, h), f32(4, ex), u8(ex, 2 * inter, h * bits // 8), np.abs(f32(ex, 2 * inter)) * 0.1, f32(ex, 2 * inter), u8(ex, h, inter * bits // 8),
         np.abs(f32(ex, h)) * 0.1, f32(ex, h)], k=2, activation_type="swiglu", swiglu_fusion=1, normalize_routing_weights=1, expert_weight_bits=bits,
         activation_alpha=1.702, activation_beta=1.0, swiglu_limit=7.0, tol=2e-2, name=f"QMoE_{bits}")


def silu(x):
    return x / (1 + np.exp(-x))


def group_norm(x, g, b, groups=2, act=0):
    n, h, w, c = x.shape
    y = x.transpose(0, 3, 1, 2).reshape(n, groups, -1)
    y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
    y = y.reshape(n, c, h, w).transpose(0, 2, 3, 1) * g + b
    return silu(y) if act else y


case("GroupNorm", [f32(2, 3, 3, 4), f32(4), f32(4)], groups=2, activation=1, want=lambda x, g, b: [group_norm(x, g, b, act=1)])
case("SkipGroupNorm", [f32(2, 3, 3, 4), f32(4), f32(4), f32(2, 4), f32(4)], 2, groups=2, activation=0,
     want=lambda x, g, b, s, c: [group_norm(x + s[:, None, None] + c, g, b), x + s[:, None, None] + c])
B, S, N, K, D = 2, 3, 4, 2, 16
for mode in ("prompt", "ragged", "shared", "packed", "window", "sink"):
    past = {"prompt": 0, "packed": 0, "sink": 0}.get(mode, 5)
    room = 12 if mode == "shared" else past
    length = 3 if mode in ("prompt", "packed", "sink") else 1
    total = past + length
    lens = [total - 1, total - 1 - (1 if mode in ("ragged", "shared") else 0)]
    if mode in ("prompt", "packed", "sink"):
        lens = [length - 1] * 2
    qkv = [f32(B, length, N * D), f32(B, length, K * D), f32(B, length, K * D)]
    if mode == "packed":
        qkv = [f32(B, length, (N + 2 * K) * D), None, None]
    pk = [f32(B, K, room, D), f32(B, K, room, D)] if past else [None, None]
    angle = np.outer(np.arange(16), 1 / 10000 ** (np.arange(D // 2) / (D // 2)))
    rot = [np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)]
    ins = qkv + pk + [i32(lens), i32(total)] + rot
    if mode == "sink":
        ins += [None, None, f32(N)]
    case("GroupQueryAttention", ins, 3, num_heads=N, kv_num_heads=K, do_rotary=1, local_window_size=3 if mode == "window" else -1, name="GroupQueryAttention_" + mode)
case("MultiHeadAttention", [f32(2, 3, 2, 3, 4)], num_heads=2, name="MultiHeadAttention_qkv")
case("MultiHeadAttention", [f32(2, 3, 8), f32(2, 5, 2, 2, 4)], num_heads=2, name="MultiHeadAttention_kv")
case("MultiHeadAttention", [f32(2, 3, 8), f32(2, 2, 5, 4), f32(2, 2, 5, 4)], num_heads=2, name="MultiHeadAttention_cross")
case("DecoderMaskedMultiHeadAttention", [f32(2, 1, 8), f32(2, 1, 8), f32(2, 1, 8), None, None, f32(2, 2, 3, 4), f32(2, 2, 3, 4)], 3, num_heads=2)
case("BiasSplitGelu", [f32(2, 3, 8), f32(8)], want=lambda x, b: [(x + b)[..., :4] * gelu((x + b)[..., 4:])])
case("BiasAdd", [f32(2, 3, 4), f32(4), f32(2, 3, 4)], want=lambda x, b, s: [x + b + s])
case("NhwcConv", [f32(1, 6, 6, 4), f32(6, 2, 3, 3), f32(6)], group=2, pads=[1, 1, 1, 1], want=lambda x, w, b: [nhwc(x, w, b)])
case("ConvTransposeWithDynamicPads", [f32(1, 2, 4, 4), f32(2, 3, 3, 3), i64([1, 1, 1, 1]), f32(3)], strides=[2, 2])
case("Trilu", [f32(3, 4), i64(1)], upper=0)
case("Inverse", [f32(2, 4, 4)], tol=1e-2)
case("CDist", [f32(3, 4), f32(5, 4)], metric="euclidean")
case("CDist", [f32(3, 4), f32(5, 4)], metric="sqeuclidean", name="CDist_squared")
case("ExpandDims", [f32(3, 4), i32(-1)])
case("Range", [sc(1), sc(5), sc(0.75)])
case("Pad", [f32(2, 3), i64([0, 1, 1, 0]), sc([2.5])])
case("GatherND", [f32(2, 3, 4), i64([[0, 1], [1, 2]])])
case("Unique", [sc([3, 1, 3, 2, 1])], 3)
case("UnfoldTensor", [f32(2, 7, 3)], dim=1, size=3, step=2)
case("GridSample", [f32(1, 2, 4, 5), f32(1, 3, 3, 2)], mode="bilinear", padding_mode="border")
case("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3), f32(3), f32(1, 3, 3, 3)], activation="Relu")
case("FusedGemm", [f32(3, 4), f32(4, 5), f32(5)], activation="LeakyRelu", activation_alpha=0.1)
case("TransposeMatMul", [f32(3, 4), f32(5, 4)], transB=1, alpha=0.5)
case("ComplexMul", [f32(3, 4, 2), f32(3, 4, 2)], want=lambda a, b: [cplx(ri(a) * ri(b))])
case("ComplexMulConj", [f32(3, 4, 2), f32(3, 4, 2)], want=lambda a, b: [cplx(ri(a) * ri(b).conj())])
case("Rfft", [f32(3, 8)], want=lambda x: [cplx(np.fft.rfft(x))])
case("Irfft", [f32(3, 5, 2)], want=lambda x: [np.fft.irfft(ri(x))])
case("BiasSoftmax", [f32(2, 3, 4, 5), f32(2, 1, 1, 5)], axis=3, is_inner_broadcast=1,
     want=lambda x, b: [np.exp(x + b) / np.exp(x + b).sum(-1, keepdims=True)])
case("RelativePositionBias", [f32(8, 3), i64(5), i64(5)], max_distance=16, is_bidirectional=1)

case("BiasDropout", [f32(2, 3, 4), f32(4), f32(2, 3, 4)], want=lambda x, b, r: [x + b + r])
case("BiasDropout", [f32(2, 3, 4), f32(4)], want=lambda x, b: [x + b], name="BiasDropout_plain")
case("BitmaskDropout", [f32(3, 4)], want=lambda x: [x])
case("BitmaskBiasDropout", [f32(2, 4), f32(4), f32(2, 4)], want=lambda x, b, r: [x + b + r])
case("NhwcFusedConv", [f32(1, 6, 6, 4), f32(6, 2, 3, 3), f32(6)], group=2, pads=[1, 1, 1, 1], activation="Relu",
     want=lambda x, w, b: [np.maximum(nhwc(x, w, b), 0)])
case("NhwcMaxPool", [u8(1, 8, 8, 3)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
case("TorchEmbedding", [f32(5, 3), i64([[0, 4], [2, 1]])], want=lambda w, i: [w[i]])
case("ReduceSumInteger", [i8(2, 3, 4)], axes=[1], keepdims=0, want=lambda x: [x.astype(np.int32).sum(1)])
case("ReduceSumInteger", [u8(2, 3)], axes=[0, 1], want=lambda x: [x.astype(np.uint32).sum(keepdims=True)], name="ReduceSumInteger_all")
case("SampleOp", [f32(2, 3)])
case("GemmFastGelu", [f32(3, 4), f32(4, 5), f32(5)], want=lambda a, b, c: [fast_gelu(a @ b + c)])
case("FusedMatMulActivation", [f32(3, 4), f32(5, 4)], transB=1, alpha=0.5, activation="LeakyRelu", activation_alpha=0.1,
     want=lambda a, b: [np.where(a @ b.T > 0, a @ b.T, a @ b.T * 0.1) * 0.5])
case("GatedAdd", [f32(2, 3, 4), f32(2, 3, 4), f32(2, 3, 1)], want=lambda x, y, g: [x + y * g])
for act in ("silu", "sigmoid"):
    case("GatedRMSNorm", [f32(2, 3, 8), f32(4), f32(2, 3, 8)], activation=act, name="GatedRMSNorm_" + act,
         want=lambda x, s, g, act=act: [gated_norm(x, s, g, act)])
half = np.float16
case("GemmaRotaryEmbedding", [f32(2, 3, 4)] + [f32(2, 2, 3, 4).astype(half) for _ in range(4)], 2, tol=5e-3, want=lambda e, q, qr, k, kr:
     [(a.astype(np.float32) * np.cos(e)[:, None] + b.astype(np.float32) * np.sin(e)[:, None]).astype(half) for a, b in ((q, qr), (k, kr))])
for layout in (0, 1):
    for shape in ((2, 5, 24), (2, 2, 5, 12)):
        case("MRotaryEmbedding", [f32(*shape), rng.integers(0, 9, (3, 2, 5)), f32(9, 6), f32(9, 6)], mrope_section=[2, 2, 2], mrope_layout=layout,
             num_heads=2, rotary_embedding_dim=12, name=f"MRotaryEmbedding_{layout}_{len(shape)}", want=None if MROPE else
             lambda x, p, c, s, layout=layout: [mrope(x, p, c, s, [2, 2, 2], layout)])
for last, step, past in ((0, 1, True), (0, 2, False), (1, 1, True)):
    x, state = ((2, 5, 4) if last else (2, 4, 5)), ((2, 2 * step, 4) if last else (2, 4, 2 * step))
    case("CausalConvWithState", [f32(*x), f32(4, 1, 3), f32(4)] + ([f32(*state)] if past else []), 2, activation="silu", channels_last=last, dilation=step,
         name=f"CausalConvWithState_{last}{step}{int(past)}", want=lambda x, w, b, s=None, last=last, step=step: causal_conv(x, w, b, s, last, step))
case("QuantizeWithOrder", [f32(3, 4) * 90, sc(0.5)], order_input=1, order_output=1, want=lambda x, s: [q(x, s, 0, np.int8)])
case("DequantizeWithOrder", [i8(3, 4), sc(0.5)], order_input=1, order_output=1, to=1, want=lambda x, s: [x.astype(np.float32) * s])
case("QOrderedGelu", [i8(3, 4), sc(0.05), sc(0.04)], order_X=1, order_Y=1, want=lambda x, s, t: [q(gelu(x.astype(np.float32) * s), t, 0, np.int8)])
case("QOrderedLayerNormalization", [i8(2, 3, 8), sc(0.05), f32(8), f32(8), sc(0.04)], want=lambda x, s, g, b, t: [q(norm(x.astype(np.float64) * s) * g + b, t, 0, np.int8)])
case("IsAllFinite", [f32(3), sc([1, np.inf])], want=lambda a, b: [np.array(False)])
case("IsAllFinite", [f32(3), sc([1, np.inf])], isnan_only=1, want=lambda a, b: [np.array(True)], name="IsAllFinite_nan")
for kind, data in (("i32", i32([3, -4, 0, 7])), ("i64", i64([[3, 1 << 40]])), ("f32", f32(5)), ("f64", f32(5).astype(np.float64)), ("u32", np.array([7], np.uint32))):
    case("MurmurHash3", [data], seed=42, positive=int(kind != "i64"), name="MurmurHash3_" + kind)
for size in (1, 2, 3):
    case("NGramRepeatBlock", [i64([[0, 1, 2, 0, 1], [3, 3, 3, 3, 3]]), f32(2, 4)], ngram_size=size, name=f"NGramRepeatBlock_{size}")
case("DynamicTimeWarping", [f32(4, 7) ** 2])
case("DynamicTimeWarping", [f32(1, 6, 3) ** 2], name="DynamicTimeWarping_3")
for mode in ("bilinear", "nearest"):
    case("CropAndResize", [f32(2, 3, 6, 7), sc([[0.1, 0.2, 0.8, 0.9], [-0.2, 0, 1.2, 1], [0.5, 0.5, 0.5, 0.5]]), i32([1, 0, 1]), i32([3, 4])], mode=mode,
         extrapolation_value=2.5, name="CropAndResize_" + mode)
case("RemovePadding", [f32(3, 4, 2), i32([1, 2, 4])], 4, want=lambda x, n: [np.concatenate([x[i, :k] for i, k in enumerate(n)]),
     i32([[0, 4, 5, 8], [9, 10, 11, 1], [2, 3, 6, 7]]), i32([0, 1, 3, 7]), i32([4])])
case("RestorePadding", [f32(3, 2), i32([[0, 2], [3, 1]])], want=lambda x, o: [restored(x, o)])
for mode in ("prompt", "decode"):
    length, total = (32, 32) if mode == "prompt" else (1, 33)
    ends, columns = i32([[0, 1, 3, 5], [0, 1, 2, 4]]), i32([[0, 0, 1, 1, 2], [0, 1, 0, 2, -1]])
    cache = [f32(2, 2, 48, 16), f32(2, 2, 48, 16)]
    angles = np.outer(np.arange(48), 1 / 10000 ** (np.arange(8) / 8))
    case("SparseAttention", [f32(2, length, 64), f32(2, length, 32), f32(2, length, 32)] + cache + [ends, columns, i32(total), i32([total, total]),
         np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)], 1, num_heads=4, kv_num_heads=2, sparse_block_size=16, do_rotary=1,
         name="SparseAttention_" + mode)


def fast_gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))


def norm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def gated_norm(x, s, g, act):
    y = x.reshape(2, 3, 2, 4)
    y = (y / np.sqrt((y ** 2).mean(-1, keepdims=True) + 1e-5) * s).reshape(x.shape)
    return y * (silu(g) if act == "silu" else 1 / (1 + np.exp(-g)))


def mrope(x, p, c, s, section, layout):
    n = c.shape[1]
    which = [k % 3 if k % 3 and k < 3 * section[k % 3] else 0 for k in range(n)] if layout else sum(([i] * v for i, v in enumerate(section)), [])
    co, si = (np.stack([t[p[w]][..., k] for k, w in enumerate(which)], -1) for t in (c, s))
    y = x.reshape(2, 5, 2, 12).transpose(0, 2, 1, 3) if x.ndim == 3 else x
    a, b = y[..., :n], y[..., n:]
    y = np.concatenate([a * co[:, None] - b * si[:, None], b * co[:, None] + a * si[:, None]], -1)
    return y.transpose(0, 2, 1, 3).reshape(x.shape) if x.ndim == 3 else y


def causal_conv(x, w, b, s, last, step):
    x, s = (x.transpose(0, 2, 1), None if s is None else s.transpose(0, 2, 1)) if last else (x, s)
    s = np.zeros((2, 4, 2 * step), np.float32) if s is None else s
    full = np.concatenate([s, x], 2)
    y = silu(sum(full[:, :, k * step:k * step + x.shape[2]] * w[:, :, k] for k in range(3)) + b[:, None])
    out = [y, full[:, :, full.shape[2] - 2 * step:]]
    return [v.transpose(0, 2, 1) for v in out] if last else out


def restored(x, o):
    y = np.zeros((o.size, x.shape[1]), np.float32)
    y[o.ravel()[:len(x)]] = x
    return y.reshape(o.shape + (-1,))


def gelu(x):
    from math import erf
    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def ri(x):
    return x[..., 0] + 1j * x[..., 1]


def cplx(x):
    return np.stack([x.real, x.imag], -1)


def nhwc(x, w, b):
    m = helper.make_model(helper.make_graph([helper.make_node("Conv", ["x", "w", "b"], ["y"], group=2, pads=[1, 1, 1, 1])], "g",
        [helper.make_tensor_value_info(n, 1, None) for n in "xwb"], [helper.make_tensor_value_info("y", 1, None)]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return ort.InferenceSession(m.SerializeToString()).run(None, {"x": x.transpose(0, 3, 1, 2), "w": w, "b": b})[0].transpose(0, 2, 3, 1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("--only", default="")
    a = p.parse_args()
    passed = failed = 0
    ort.set_default_logger_severity(4)
    for op, inputs, nout, want, tol, name, attrs in CASES:
        if a.only not in name:
            continue
        feed = {f"x{i}": np.ascontiguousarray(x) for i, x in enumerate(inputs) if x is not None}
        outs = [f"y{i}" for i in range(nout)]
        node = helper.make_node(op, [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)], outs, domain="com.microsoft", name="n", **attrs)
        fixed = {k: feed.pop(k) for k in list(feed) if op.startswith("QLinear") and feed[k].ndim == 0}
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in feed.items()],
                                  [helper.make_empty_tensor_value_info(y) for y in outs],
                                  [numpy_helper.from_array(v, k) for k, v in fixed.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
        try:
            expect = want(*[x for x in inputs if x is not None]) if want else ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)
        except Exception as e:
            print(f"SKIP {name}: {str(e)[:150]}")
            continue
        with tempfile.TemporaryDirectory() as tmp:
            onnx.save(model, tmp + "/m.onnx")
            args = [a.hone, "run", tmp + "/m.onnx"]
            for k, v in feed.items():
                np.save(f"{tmp}/{k}.npy", v)
                args += ["-i", f"{k}={tmp}/{k}.npy"]
            r = subprocess.run(args + ["-o", tmp], capture_output=True, text=True)
            if r.returncode:
                failed += 1
                print(f"FAIL {name}: exit {r.returncode} {(r.stdout + r.stderr).strip()[:300]}")
                continue
            bad = ""
            for y, w in zip(outs[:1] if "shared" in name else outs, expect): # what follows the state in its buffer is unspecified
                g = np.load(f"{tmp}/{y}.npy")
                w = np.asarray(w)
                if g.shape != w.shape or g.dtype != (w.dtype if w.dtype != np.float64 else g.dtype):
                    bad += f" {y} is {g.dtype}{list(g.shape)}, expected {w.dtype}{list(w.shape)}"
                    continue
                d = np.abs(g.astype(float) - w.astype(float))
                limit = (1 if w.dtype.kind in "iu" and "Q" in op else 4e-2 if "LSTM" in op else 1e-5) + tol * np.abs(w.astype(float))
                if (d > limit).any():
                    bad += f" {y} differs by {d.max():.3g} in {(d > limit).sum()} of {d.size}"
            failed += bool(bad)
            passed += not bad
            if bad:
                print(f"FAIL {name}:{bad}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
