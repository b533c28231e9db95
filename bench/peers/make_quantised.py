#!/usr/bin/env python3
"""Quantised and half-precision forms of float models, made with onnxruntime's tools.

usage: make_quantised.py OUT_DIR MODEL.onnx...

Of each model: static int8 as QDQ (u8 activations, s8 weights per channel), QDQ with s8 activations, QOperator (per tensor),
dynamic int8, 4-bit weights in blocks of 32 (symmetric and with zero points; needs onnx_ir), and float16. What a tool refuses is reported and left out. Calibration data is seeded and normal.
"""
import os
import sys

import numpy as np
import onnx
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static)


def feed(model, rng):
    out = {}
    weights = {w.name for w in model.graph.initializer}
    for i in model.graph.input:
        if i.name in weights:
            continue
        t = i.type.tensor_type
        shape = [d.dim_value or 1 for d in t.shape.dim]
        if t.elem_type == onnx.TensorProto.INT64:
            out[i.name] = rng.integers(0, 2, shape).astype(np.int64)
        else:
            out[i.name] = rng.standard_normal(shape).astype(np.float32)
    return out


class Reader(CalibrationDataReader):
    def __init__(self, path, n=3):
        model, rng = onnx.load(path, load_external_data=False), np.random.default_rng(1)
        self.data = iter([feed(model, rng) for _ in range(n)])

    def get_next(self):
        return next(self.data, None)


def static(path, out, form, act, weight, per_channel):
    quantize_static(path, out, Reader(path), quant_format=form, activation_type=act, weight_type=weight, per_channel=per_channel)


def four_bits(path, out, symmetric):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    q = MatMulNBitsQuantizer(onnx.load(path), block_size=32, is_symmetric=symmetric)
    q.process()
    q.model.save_model_to_file(out, False)


def halves(path, out):
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(path), keep_io_types=False), out)


FORMS = {
    "qdq": lambda p, o: static(p, o, QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, True),
    "qdq-s8": lambda p, o: static(p, o, QuantFormat.QDQ, QuantType.QInt8, QuantType.QInt8, False),
    "qop": lambda p, o: static(p, o, QuantFormat.QOperator, QuantType.QUInt8, QuantType.QInt8, False),
    "qop-u8": lambda p, o: static(p, o, QuantFormat.QOperator, QuantType.QUInt8, QuantType.QUInt8, True),
    "dynamic": lambda p, o: quantize_dynamic(p, o, weight_type=QuantType.QInt8),
    "4bit": lambda p, o: four_bits(p, o, True),
    "4bit-zero": lambda p, o: four_bits(p, o, False),
    "f16": halves,
}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for path in sys.argv[2:]:
        name = os.path.basename(path).removesuffix(".onnx")
        for form, make in FORMS.items():
            out = os.path.join(sys.argv[1], f"{name}-{form}.onnx")
            if os.path.exists(out):
                continue
            try:
                make(path, out)
                print(out, os.path.getsize(out) >> 10, "kB", flush=True)
            except Exception as e:  # tools refuse what they cannot do
                print(out, "not made:", str(e).splitlines()[:1], flush=True)


if __name__ == "__main__":
    main()
