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
         f32(n) ** 2 * 0.01 + 0.01, np.zeros(n, np.int8), f32(n) ** 2 * 0.01 + 0.01, np.zeros(n, np.int8)], 3, hidden_size=4, direction=d, tol=1e-5,
         name="DynamicQuantizeLSTM_" + d)
case("DynamicQuantizeLSTM", [f32(6, 3, 5), u8(1, 5, 32), u8(1, 8, 32), f32(1, 64), i32([6, 0, 4]), f32(1, 3, 8), f32(1, 3, 8), f32(1, 24),
     np.abs(f32(1, 32)) * 0.02, np.full((1, 32), 128, np.uint8), np.abs(f32(1, 32)) * 0.02, np.full((1, 32), 128, np.uint8)], 3, hidden_size=8, tol=1e-5,
     name="DynamicQuantizeLSTM_peepholes", clip=0.9, activations=["HardSigmoid", "Softsign", "Relu"], activation_alpha=[0.3], activation_beta=[0.4])
case("DynamicQuantizeLSTM", [f32(6, 3, 5), u8(1, 5, 32), u8(1, 8, 32), None, None, None, None, None,
     sc([0.02]), np.array([128], np.uint8), sc([0.03]), np.array([128], np.uint8)], 1, hidden_size=8, tol=1e-5,
     name="DynamicQuantizeLSTM_plain", input_forget=1)
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
case("NhwcFusedConv", [f32(1, 6, 6, 4), f32(6, 2, 3, 3), f32(6)], group=2, pads=[1, 1, 1, 1], activation="Relu",
     want=lambda x, w, b: [np.maximum(nhwc(x, w, b), 0)])
case("NhwcMaxPool", [u8(1, 8, 8, 3)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
case("TorchEmbedding", [f32(5, 3), i64([[0, 4], [2, 1]])], want=lambda w, i: [w[i]])
case("ReduceSumInteger", [i8(2, 3, 4)], axes=[1], keepdims=0, want=lambda x: [x.sum(1, dtype=np.int32)])
case("SampleOp", [f32(2, 3)])
case("GemmFastGelu", [f32(3, 4), f32(4, 5), f32(5)], want=lambda a, b, c: [fast_gelu(a @ b + c)])


def fast_gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))


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


def rms(x, s, z, act, eps=1e-5):
    g = x.reshape(*x.shape[:-1], -1, s.size)
    y = (g / np.sqrt((g ** 2).mean(-1, keepdims=True) + eps) * s).reshape(x.shape)
    return y * (silu(z) if act == "silu" else 1 / (1 + np.exp(-z)))


for act in ("silu", "sigmoid"):
    case("GatedRMSNorm", [f32(2, 3, 8), f32(4), f32(2, 3, 8)], activation=act, name="GatedRMSNorm_" + act,
         want=lambda x, s, z, act=act: [rms(x, s, z, act)])
case("GatedAdd", [f32(2, 3, 4), f32(2, 3, 4), f32(2, 3, 1)], want=lambda x, y, g: [x + y * g])
case("FusedMatMulActivation", [f32(2, 3, 4), f32(2, 5, 4)], activation="LeakyRelu", activation_alpha=0.1, alpha=0.5, transB=1,
     want=lambda a, b: [(lambda y: np.where(y > 0, y, y * 0.1))(0.5 * a @ b.swapaxes(1, 2))])
case("FusedMatMulActivation", [f32(2, 3, 4), f32(4, 5)], activation="Tanh", name="FusedMatMulActivation_tanh", want=lambda a, b: [np.tanh(a @ b)])
case("BitmaskDropout", [f32(2, 3)], want=lambda x: [x])
case("BitmaskBiasDropout", [f32(2, 3, 4), f32(4), f32(2, 3, 4)], want=lambda x, b, r: [x + b + r])
case("GemmaRotaryEmbedding", [f32(2, 5, 8)] + [f32(2, 3, 5, 8).astype(np.float16) for _ in range(4)], 2, tol=1e-2,
     want=lambda e, *x: [(np.float32(x[i]) * np.cos(e)[:, None].astype(np.float16) + np.float32(x[i + 1]) * np.sin(e)[:, None].astype(np.float16)).astype(np.float16)
                         for i in (0, 2)])
grid = np.outer(np.arange(16), 1 / 10000 ** (np.arange(8) / 8))
for layout in (0, 1):
    case("MRotaryEmbedding", [f32(2, 5, 32), rng.integers(0, 16, (3, 2, 5)).astype(np.int64), np.cos(grid).astype(np.float32), np.sin(grid).astype(np.float32)],
         mrope_section=[4, 2, 2], mrope_layout=layout, num_heads=2, rotary_embedding_dim=16, name=f"MRotaryEmbedding_{layout}")
for last in (0, 1):
    for past in (0, 1):
        shape, state = ((2, 7, 4), (2, 6, 4)) if last else ((2, 4, 7), (2, 4, 6))
        case("CausalConvWithState", [f32(*shape), f32(4, 1, 4), f32(4), f32(*state) if past else None], 2, activation="silu", dilation=2, channels_last=last,
             name=f"CausalConvWithState_{last}{past}")
case("CausalConvWithState", [f32(1, 4, 3), f32(4, 1, 4)], 2, name="CausalConvWithState_short")
case("QuantizeWithOrder", [f32(3, 4), sc(0.02)], order_input=1, order_output=1, want=lambda x, s: [q(x, s, 0, np.int8)])
case("DequantizeWithOrder", [i8(3, 4), sc(0.02)], order_input=1, order_output=1, to=1, want=lambda x, s: [x.astype(np.float32) * s])
case("QOrderedGelu", [i8(3, 4), sc(0.03), sc(0.04)], want=lambda x, s, t: [q(gelu(x * s), t, 0, np.int8)])
case("QOrderedLayerNormalization", [i8(3, 8), sc(0.03), f32(8), f32(8), sc(0.04)], order_X=1, order_Y=1,
     want=lambda x, s, g, b, t: [(lambda v: q((v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-5) * g + b, t, 0, np.int8))(x * s)])
case("IsAllFinite", [f32(3), sc([1, np.inf])], want=lambda a, b: [np.array(False)])
case("MurmurHash3", [i32([3, -4, 77])], seed=42)
case("MurmurHash3", [i64([3, -4, 1 << 40])], positive=0, name="MurmurHash3_i64")
case("MurmurHash3", [np.array([1.5, -2.25])], name="MurmurHash3_f64")
case("NGramRepeatBlock", [i64([[0, 1, 2, 0, 1], [3, 3, 3, 3, 3]]), f32(2, 5)], ngram_size=3)
case("NGramRepeatBlock", [i64([[0, 1, 2, 0, 1]]), f32(1, 5)], ngram_size=1, name="NGramRepeatBlock_1")
case("DynamicTimeWarping", [np.abs(f32(1, 7, 5))])
case("DynamicTimeWarping", [rng.integers(0, 3, (6, 9)).astype(np.float32)], name="DynamicTimeWarping_ties")
for mode in ("bilinear", "nearest"):
    case("CropAndResize", [f32(2, 3, 5, 6), sc([[0, 0, 1, 1], [0.2, 0.1, 0.7, 1.2], [0.9, 0.8, 0.1, 0.3]]), i32([0, 1, 1]), i32([4, 3])], mode=mode,
         extrapolation_value=-1.0, name="CropAndResize_" + mode)
case("RemovePadding", [f32(2, 3, 4), i32([1, 3])], 4,
     want=lambda x, n: [np.concatenate([x[0, :1], x[1]]), i32([[0, 3, 4], [5, 1, 2]]), i32([0, 1, 4]), i32([3])])
case("RestorePadding", [f32(4, 2), i32([[0, 3, 4], [5, 1, 2]])],
     want=lambda x, o: [np.stack([np.stack([x[0], 0 * x[0], 0 * x[0]]), x[1:4]])])
for rotary in (0, 1):
    blocks, size, head = 4, 16, 16
    rows, columns = i32([[0, 1, 3, 5, 8], [0, 1, 3, 6, 9]]), i32([[0, 0, 1, 1, 2, 0, 2, 3, 0], [0, 0, 1, 0, 1, 2, 0, 2, 3]])
    angle = np.outer(np.arange(64), 1 / 10000 ** (np.arange(8) / 8))
    for length, lens in ((64, [64, 64]), (1, [41, 41]), (64, [64, 50]), (1, [41, 23]), (1, [23, 41]), (1, [41, 48])):
        cache = [f32(2, 2, 64, head), f32(2, 2, 64, head)] if length == 1 else [np.zeros((2, 2, 64, head), np.float32)] * 2
        # ONNX Runtime reads the scores of entries of different lengths at another place than it wrote them to: those have a reference here
        case("SparseAttention", [f32(2, length, 4 * head), f32(2, length, 2 * head), f32(2, length, 2 * head)] + cache +
             [rows, columns, i32(max(lens)), i32(lens)] + ([np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)] if rotary else []), 3,
             num_heads=4, kv_num_heads=2, sparse_block_size=size, do_rotary=rotary, name=f"SparseAttention_{length}_{rotary}_{lens[0]}_{lens[1]}",
             want=None if lens[0] == lens[1] else lambda *x: sparse_attention(*x))
for rotary in (0, 1): # the reference itself, where ONNX Runtime can be asked
    case("SparseAttention", [f32(2, 1, 64), f32(2, 1, 32), f32(2, 1, 32), f32(2, 2, 64, 16), f32(2, 2, 64, 16), rows, columns, i32(41), i32([41, 41])] +
         ([np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)] if rotary else []), 3, num_heads=4, kv_num_heads=2, sparse_block_size=16, do_rotary=rotary,
         name=f"SparseAttention_reference_{rotary}", want=lambda *x: sparse_attention(*x))


def sparse_attention(q, k, v, keys, values, rows, columns, total, lens, cos=None, sin=None, block=16, heads=4, groups=2):
    batch, length, size = q.shape[0], q.shape[1], q.shape[2] // heads
    keys, values, y = keys.copy(), values.copy(), np.zeros_like(q)

    def turned(x, at):
        if cos is None:
            return x
        a, b = x[:size // 2], x[size // 2:]
        return np.concatenate([a * cos[at] - b * sin[at], a * sin[at] + b * cos[at]])

    for b in range(batch):
        past = 0 if total == length else lens[b] - length
        for i in range(length):
            for g in range(groups):
                keys[b, g, past + i] = turned(k[b, i, g * size:(g + 1) * size], past + i)
                values[b, g, past + i] = v[b, i, g * size:(g + 1) * size]
        for i in range(length):
            for h in range(heads):
                g, layout, row = h // (heads // groups), h % rows.shape[0], (past + i) // block
                seen = [t for c in columns[layout, rows[layout, row]:rows[layout, row + 1]] for t in range(c * block, min((c + 1) * block, past + i + 1))]
                s = keys[b, g, seen] @ turned(q[b, i, h * size:(h + 1) * size], past + i) / np.sqrt(size)
                y[b, i, h * size:(h + 1) * size] = softmax(s) @ values[b, g, seen]
    return [y, keys, values]


# -- packed sequences, gates, blocks of weights, text --
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def packed(q, k, v, ends, heads, bias=None):
    y = np.zeros((q.shape[0], v.shape[1]), np.float32)
    d, w = q.shape[1] // heads, v.shape[1] // heads
    for b in range(len(ends) - 1):
        for h in range(heads):
            r = slice(ends[b], ends[b + 1])
            s = q[r, h * d:(h + 1) * d] @ k[r, h * d:(h + 1) * d].T / np.sqrt(d)
            if bias is not None:
                s = s + bias[b % bias.shape[0], h % bias.shape[1], :s.shape[0], :s.shape[0]]
            y[r, h * w:(h + 1) * w] = softmax(s) @ v[r, h * w:(h + 1) * w]
    return y


ends, offsets = i32([0, 1, 3, 7]), i32([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
for some in (None, f32(1, 2, 4, 4)):
    case("PackedAttention", [f32(7, 6), f32(6, 24), f32(24), offsets, ends] + ([some] if some is not None else []), num_heads=2, name="PackedAttention" + "_bias" * (some is not None),
         want=lambda x, w, b, o, e, s=None: [(lambda a: packed(a[:, :8], a[:, 8:16], a[:, 16:], e, 2, s))(x @ w + b)])
case("PackedAttention", [f32(7, 6), f32(6, 20), f32(20), offsets, ends], num_heads=2, qkv_hidden_sizes=[8, 8, 4], name="PackedAttention_sizes",
     want=lambda x, w, b, o, e: [(lambda a: packed(a[:, :8], a[:, 8:16], a[:, 16:], e, 2))(x @ w + b)])
case("PackedMultiHeadAttention", [f32(7, 8), f32(7, 8), f32(7, 4), f32(20), offsets, ends], num_heads=2,
     want=lambda q, k, v, b, o, e: [packed(q + b[:8], k + b[8:16], v + b[16:], e, 2)])
case("PackedMultiHeadAttention", [f32(7, 2, 3, 4), None, None, None, offsets, ends], num_heads=2, name="PackedMultiHeadAttention_one",
     want=lambda x, o, e: [packed(*[x[:, :, i].reshape(7, 8) for i in range(3)], e, 2)])
case("DecoderMaskedSelfAttention", [f32(2, 1, 6), f32(6, 24), f32(24), None, f32(2, 2, 2, 3, 4), None, i32([3])], 2, num_heads=2,
     want=lambda x, w, b, p, n: decode(x, w, b, p))


def decode(x, w, b, past):
    q, k, v = [(x @ w + b)[:, 0, i * 8:(i + 1) * 8].reshape(2, 2, 1, 4) for i in range(3)]
    k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    return [(softmax(q @ k.swapaxes(2, 3) / 2) @ v).swapaxes(1, 2).reshape(2, 1, 8), np.stack([k, v])]


def gated_bias(q, b, r, w, c, a):
    x = ((q + b).reshape(2, 3, 2, 4).transpose(0, 2, 1, 3) @ w + c).reshape(2, 2, 3, 2, 4).sum(-1)
    u, g = np.split(1 / (1 + np.exp(-x)), 2, -1)
    return (u * (g * a - 1) + 2) * r


case("GatedRelativePositionBias", [f32(2, 3, 8), f32(8), f32(1, 2, 3, 3), f32(4, 8), f32(8), f32(1, 2, 1, 1)], num_heads=2, want=lambda *x: [gated_bias(*x)])
for rule in ("linear", "gated", "delta", "gated_delta"):
    for heads, kv in ((4, 2), (2, 4)):
        case("LinearAttention", [f32(2, 3, heads * 4), f32(2, 3, kv * 4) * 0.3, f32(2, 3, kv * 5), f32(2, kv, 4, 5), -np.abs(f32(2, 3, kv)) if "gated" in rule else None,
             np.abs(f32(2, 3, kv)) if "delta" in rule else None], 2, q_num_heads=heads, kv_num_heads=kv, update_rule=rule, name=f"LinearAttention_{rule}_{heads}")
case("LinearAttentionGate", [f32(2, 3, 4), f32(4), -np.abs(f32(4)), f32(2, 3, 4)], 2,
     want=lambda a, d, s, b: [s * np.log1p(np.exp(a + d)), 1 / (1 + np.exp(-b))])
T = 7
for rule in ("linear", "gated", "delta", "gated_delta"):
    for gate in ("none", "softplus", "sigmoid"):
        if gate != "none" and "gated" not in rule:
            continue
        case("GatedDeltaNet", [f32(T, 2, 4), f32(T, 2, 4), f32(T, 4, 5), i32([0, 1, 3, 7]),
             (f32(T, 4) if gate != "none" else -np.abs(f32(T, 4))) if "gated" in rule else None, f32(T, 4) if "delta" in rule else None, f32(3, 4, 5, 4),
             f32(4) if gate != "none" else None, f32(4) if gate != "none" else None], 2, update_rule=rule, gate_activation=gate, beta_activation="sigmoid", qk_l2_norm=1,
             name=f"GatedDeltaNet_{rule}_{gate}")
case("GatedDeltaNet", [f32(2, 3, 2 * 2 * 4 + 4 * 5), None, None, None, -np.abs(f32(2, 3, 4, 4)).reshape(2, 3, 16)[:, :, :4], np.abs(f32(2, 3, 4)) * 0.1, f32(2, 4, 5, 4)], 2, name="GatedDeltaNet_one")


def engram(k, q, v, ks, qs, cs, eps=1e-5):
    n = lambda x, s: x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * s
    d = (n(k, ks) * n(q, qs)).sum(-1, keepdims=True) / np.sqrt(k.shape[-1])
    y = v[:, :, None] / (1 + np.exp(-np.sign(d) * np.sqrt(np.maximum(abs(d), 1e-6))))
    return [y, n(y, cs)]


case("EngramGate", [f32(2, 3, 2, 4), f32(2, 3, 2, 4), f32(2, 3, 4), f32(2, 4), f32(2, 4), f32(2, 4)], 2, want=engram)
ids = lambda *s: rng.integers(0, 9, s).astype(np.int64)
case("NGramHashMapping", [ids(2, 6), i64([31, 17, 1 << 61]), i64([7, 11, 13, 17])], 2, max_ngram_size=3, n_head_per_ngram=2, pad_id=1)
case("NGramHashMapping", [ids(2, 6), i64([31, 17, 13]), i64([7, 11]), ids(2, 2), i64([100, 200]), i64(3), rng.integers(0, 2, (2, 6)).astype(np.int32)], 2, max_ngram_size=3,
     n_head_per_ngram=1, pad_id=1, reset_on_eos=1, name="NGramHashMapping_all")
case("NGramHashMapping", [ids(2, 6).astype(np.int32), i32([123457, -17654321]), i32([7, 11])], 2, max_ngram_size=2, n_head_per_ngram=2, pad_id=1, name="NGramHashMapping_i32")
case("VarlenNGramHashMapping", [ids(7), i64([31, 17, 13]), i64([7, 11]), i32([0, 1, 3, 7]), ids(3, 2), i64([100, 200]), i64(3), rng.integers(0, 2, 7).astype(np.int32),
     rng.integers(0, 2, (3, 2)).astype(np.int32)], 3, max_ngram_size=3, n_head_per_ngram=1, pad_id=1, reset_on_eos=1)
case("VarlenCausalConvWithState", [f32(7, 4), f32(4, 1, 3), i32([0, 1, 3, 7]), f32(4), f32(3, 4, 4)], 2, dilation=2, activation="silu")
case("VarlenCausalConvWithState", [f32(7, 4), f32(4, 1, 3), i32([0, 1, 3, 7]), f32(4), f32(3, 4, 4)], 2, dilation=2, name="VarlenCausalConvWithState_own",
     want=lambda x, w, e, b, s: varlen(x, w, e, b, s))


def varlen(x, w, ends, bias, state):
    y, last = np.zeros_like(x), np.zeros_like(state)
    for i in range(3):
        part = np.concatenate([state[i].T, x[ends[i]:ends[i + 1]]])
        for t in range(ends[i + 1] - ends[i]):
            y[ends[i] + t] = bias + sum(part[t + 2 * k] * w[:, 0, k] for k in range(3))
        last[i] = part[-4:].T
    return [y, last]


for kind, block in ((0, 32), (1, 32), (2, 64), (4, 128)):
    each = 4 + (kind == 1) + block // 2
    blob = u8(5 * (-(-100 // block)), each)
    blob[:, :4] = np.frombuffer(np.abs(f32(blob.shape[0])).tobytes(), np.uint8).reshape(-1, 4)
    blob[:, 4] &= 15
    case("MatMulFpQ4", [f32(3, 100), blob.reshape(-1), i64([100, 5])], blk_quant_type=kind, name=f"MatMulFpQ4_{kind}",
         want=lambda x, b, s, kind=kind, block=block, each=each: [x @ fpq4(b.reshape(5, -1, each), kind, block)[:, :100].T])


def fpq4(blob, kind, block):
    scale = np.ascontiguousarray(blob[..., :4]).view(np.float32)
    data = blob[..., 5 if kind == 1 else 4:].reshape(*blob.shape[:2], -1, 16)
    numbers = np.concatenate([data & 15, data >> 4], -1).reshape(*blob.shape[:2], block).astype(np.float32)
    return ((numbers - (blob[..., 4:5].astype(np.float32) if kind == 1 else 8)) * scale).reshape(blob.shape[0], -1)


def nbits(x, b, s):
    n = b.shape[0]
    q = np.stack([b & 15, b >> 4], -1).reshape(n, -1, 16).astype(np.float32) - 8
    return x @ (q * s.reshape(n, -1, 1)).reshape(n, -1).T


def rms_norm(x, s, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * s


w4 = lambda n: [u8(n, 2, 8), np.abs(f32(n * 2)) * 0.1, f32(n)]
case("MatMulNBitsMlp", [f32(3, 32), f32(3, 32), f32(32)] + w4(6) + w4(6), 2, K=32, N=6, block_size=16, activation="silu",
     want=lambda a, s, n, g, gs, gb, u, us, ub: [(lambda x: silu(nbits(x, g, gs) + gb) * (nbits(x, u, us) + ub))(rms_norm(a + s, n, 1e-5)), a + s])
case("MatMulNBitsQkv", [f32(3, 32), None, f32(32)] + w4(6) + w4(4) + w4(4), 3, K=32, Nq=6, Nkv=4, block_size=16,
     want=lambda a, n, q, qs, qb, k, ks, kb, v, vs, vb: (lambda x: [nbits(x, q, qs) + qb, nbits(x, k, ks) + kb, nbits(x, v, vs) + vb])(rms_norm(a, n, 1e-6)))
e2m1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def e4m3(b):
    e, m = (b >> 3 & 15).astype(int), (b & 7).astype(np.float32)
    return (np.where(b > 127, -1, 1) * np.where(e == 0, m * 2.0 ** -9, (1 + m / 8) * 2.0 ** (e - 7))).astype(np.float32)


fp4 = [(f32(2, 40) * 0.2).astype(np.float16), u8(5, 20), u8(5, 3) & 0x3f, sc(0.25), None, f32(5).astype(np.float16)]
case("MatMulBlockQuantizedFp4Weight", fp4, tol=5e-3,
     want=lambda a, b, s, g, c: [(np.float32(a) @ (e2m1[np.stack([b & 15, b >> 4], -1)].reshape(5, 40) * np.repeat(e4m3(s), 16, 1)[:, :40] * g).T + np.float32(c)).astype(np.float16)])
case("QOrderedMatMul", [i8(2, 3, 4), sc(0.02), i8(4, 5), np.abs(f32(5)) * 0.02, sc(0.3), f32(5), i8(1, 3, 5), sc(0.1)], order_A=1, order_B=0, order_Y=1,
     want=lambda a, s, b, t, y, c, d, e: [q(((a.astype(np.float32) @ b.reshape(5, 4).T.astype(np.float32)) * (s * t) + c + d * e), y, 0, np.int8)])
case("GemmFloat8", [f32(3, 4), f32(5, 4), f32(5)], transB=1, alpha=0.5, beta=1.0, activation="RELU", want=lambda a, b, c: [np.maximum(0.5 * a @ b.T + c, 0)])
tables = [i32([[1, 4, 2], [0, 3, 3]]), i32([[0, 1, 0], [1, 1, 0]]), u8(5, 4), u8(6, 4), u8(2, 4), u8(4), u8(4), i32([[1, 1, 0], [1, 1, 1]]), sc(0.02), sc(0.03), sc(0.04), sc(0.05), sc(0.06)]
zeros = [np.array(v, np.uint8) for v in (100, 110, 120, 130, 140)]
case("QEmbedLayerNormalization", tables + zeros, 2)
case("QEmbedLayerNormalization", tables[:1] + [None] + tables[2:4] + [None] + tables[5:7] + [None] + tables[8:10] + [None] + tables[11:] + zeros[:2] + [None] + zeros[3:], 2,
     name="QEmbedLayerNormalization_plain")
words = lambda *s: np.array(s, dtype=object)
for sep in ([" "], [","], [",", " "], [" +"], ["ab", "b"], [""], ["[0-9]"], ["é"]):
    for mark in (0, 1):
        case("Tokenizer", [words("Hello World", "I love, computer ab science !", "  ", "", "abcab", "a1b22c", "caféé olé")], mark=mark, mincharnum=1, pad_value="<p>", separators=sep,
             name=f"Tokenizer_{sep}_{mark}")
case("Tokenizer", [words("Hello World of a", "é abc")], mark=0, mincharnum=2, pad_value="0", separators=[" "], name="Tokenizer_least")
case("Tokenizer", [np.array([["Hello World", "x yy"], ["zz", ""]], dtype=object)], mark=1, mincharnum=1, pad_value="0", separators=[" "], name="Tokenizer_2")
for expression in ("[a-z]+", "a|ab", "[0-9]*", ".", "[A-Z][a-z]+|[0-9]"):
    for least in (1, 2) if expression != "." else (1,):
        case("Tokenizer", [words("Hello World abab", "", "12 Ab 3", "ü9é")], mark=0, mincharnum=least, pad_value="#", tokenexp=expression, name=f"Tokenizer_exp_{expression}_{least}")
case("Tokenizer", [words(" ", "  ")], mark=1, mincharnum=1, pad_value="#", separators=[" "], name="Tokenizer_none")
case("WordConvEmbedding", [i32([[1, 2, 3, 0, 0], [4, 0, 0, 0, 0], [1, 2, 3, 4, 1], [2, 3, 0, 0, 0]]), f32(6, 1, 2, 3), f32(6), f32(5, 3)], embedding_size=6, conv_window_size=2, char_embedding_size=3)
case("BifurcationDetector", [i64([2, 3, 4, 5, 9]), i64([7, 2]), i64(1), i64([3, 4, 8, 1, 1])], 2)
case("BifurcationDetector", [i64([2, 3, 4, 3, 9]), i64([7, 3]), i64(0)], 2, name="BifurcationDetector_none", min_ngram_size=1, max_ngram_size=2)
for d in ("forward", "reverse", "bidirectional"):
    for wrap in (0, 1):
        n, h, att, depth = 2 if d == "bidirectional" else 1, 4, 3, 5
        aw = 6 if wrap else depth
        case("AttnLSTM", [f32(4, 2, 3), f32(n, 16, 3 + aw), f32(n, 16, 4), f32(n, 32), i32([4, 3]), f32(n, 2, 4), f32(n, 2, 4), f32(n, 12), f32(n, 4, att), f32(n, depth, att), f32(n, att),
             f32(2, 6, depth), i32([6, 4])] + ([f32(n, depth + 4, aw)] if wrap else []), 3, hidden_size=4, direction=d, name=f"AttnLSTM_{d}_{wrap}")


def runtime(model, options, feed, shared):
    """Results of ONNX Runtime; shared: inputs whose memory is to become a result."""
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    if not shared:
        return session.run(None, feed)
    bound = session.io_binding()
    copies = {k: v.copy() for k, v in feed.items()} # they may be written to
    values = {k: ort.OrtValue.ortvalue_from_numpy(v) for k, v in copies.items()}
    for k, v in values.items():
        bound.bind_ortvalue_input(k, v)
    for y in [o.name for o in session.get_outputs()]:
        source = [k for k, out in shared.items() if out == y]
        bound.bind_ortvalue_output(y, values[source[0]]) if source else bound.bind_output(y)
    session.run_with_iobinding(bound)
    return bound.copy_outputs_to_cpu()


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
        feed = {f"x{i}": np.asarray(x, order="C") for i, x in enumerate(inputs) if x is not None}
        outs = [f"y{i}" for i in range(nout)]
        node = helper.make_node(op, [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)], outs, domain="com.microsoft", name="n", **attrs)
        fixed = {k: feed.pop(k) for k in list(feed) if op.startswith("QLinear") and feed[k].ndim == 0}
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in feed.items()],
                                  [helper.make_empty_tensor_value_info(y) for y in outs],
                                  [numpy_helper.from_array(v, k) for k, v in fixed.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
        try:
            one = ort.SessionOptions() # results of operators that quantise by range depend on the number of threads
            one.intra_op_num_threads = 1
            expect = want(*[x for x in inputs if x is not None]) if want else runtime(model, one, feed, {"x3": "y1", "x4": "y2"} if op == "SparseAttention" else {})
        except Exception as e:
            print(f"SKIP {name}: {str(e)[:600]}")
            continue
        with tempfile.TemporaryDirectory() as tmp:
            onnx.save(model, tmp + "/m.onnx")
            args = [a.hone, "run", tmp + "/m.onnx"]
            for k, v in feed.items():
                if v.dtype == object: # text
                    onnx.save_tensor(numpy_helper.from_array(v, k), f"{tmp}/{k}.pb")
                else:
                    np.save(f"{tmp}/{k}.npy", v)
                args += ["-i", f"{k}={tmp}/{k}." + ("pb" if v.dtype == object else "npy")]
            r = subprocess.run(args + ["-o", tmp], capture_output=True, text=True)
            if r.returncode:
                failed += 1
                print(f"FAIL {name}: exit {r.returncode} {(r.stdout + r.stderr).strip()[:300]}")
                continue
            bad = ""
            for y, w in zip(outs[:1] if "shared" in name else outs, expect): # what follows the state in its buffer is unspecified
                w = np.asarray(w)
                g = np.load(f"{tmp}/{y}.npy") if w.dtype != object else numpy_helper.to_array(onnx.load_tensor(f"{tmp}/{y}.pb"))
                if w.dtype == object:
                    g = np.vectorize(lambda t: t.decode() if isinstance(t, bytes) else t, otypes=[object])(g)
                    bad += "" if g.tolist() == w.tolist() else f" {y} is {g.tolist()}, expected {w.tolist()}"
                    continue
                if g.shape != w.shape or g.dtype != (w.dtype if w.dtype != np.float64 else g.dtype):
                    bad += f" {y} is {g.dtype}{list(g.shape)}, expected {w.dtype}{list(w.shape)}"
                    continue
                d = np.abs(g.astype(float) - w.astype(float))
                limit = (1 if w.dtype.kind in "iu" and "Q" in op else 1e-5) + tol * np.abs(w.astype(float))
                if not (d <= limit)[~((g == w) | (np.isnan(g) & np.isnan(w)))].all():
                    bad += f" {y} differs by {d.max():.3g} in {(d > limit).sum()} of {d.size}"
            failed += bool(bad)
            passed += not bad
            if bad:
                print(f"FAIL {name}:{bad}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
