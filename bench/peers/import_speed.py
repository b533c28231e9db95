#!/usr/bin/env python3
"""Wall time, processor time and peak memory of importing large ONNX models to MLIR: hone import-onnx and iree-import-onnx.

usage: import_speed.py HONE WORK OUT.md [--runs N]

Needs the Python packages onnx, numpy and iree-base-compiler. The models are made here with seeded random weights: VGG16 for
ImageNet (138 million parameters) and a transformer of the size of GPT-2 (124 million). The best of N runs counts for each
tool. Peak memory is the resident set as the kernel counts it, pages of mapped files included.
"""
import argparse, glob, os, resource, subprocess, sys, time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    def __init__(self, name):
        self.rng, self.name = np.random.default_rng(1), name
        self.nodes, self.weights = [], []

    def weight(self, name, *shape):
        data = (self.rng.standard_normal(shape, dtype=np.float32) * 0.02)
        self.weights.append(numpy_helper.from_array(data, name))
        return name

    def ints(self, name, values):
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def op(self, kind, inputs, **attrs):
        out = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [out], name=f"{self.name}/{out}", **attrs))
        return out

    def save(self, path, inputs, output, shape):
        graph = helper.make_graph(self.nodes, self.name, inputs, [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
                                  self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def vgg16(path):
    b, x, channels = Builder("vgg16"), "x", 3
    for k, width in enumerate([64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0]):
        if width == 0:
            x = b.op("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
            continue
        x = b.op("Conv", [x, b.weight(f"w{k}", width, channels, 3, 3), b.weight(f"b{k}", width)], pads=[1, 1, 1, 1])
        x, channels = b.op("Relu", [x]), width
    x = b.op("Flatten", [x])
    for k, (n, m) in enumerate([(25088, 4096), (4096, 4096), (4096, 1000)]):
        x = b.op("Gemm", [x, b.weight(f"f{k}", n, m), b.weight(f"g{k}", m)])
        x = b.op("Relu", [x]) if k < 2 else x
    b.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224])], x, [1, 1000])


def gpt2(path, layers=12, width=768, heads=12, vocabulary=50257, length=128):
    b = Builder("gpt2")
    table = b.weight("wte", vocabulary, width)
    x = b.op("Add", [b.op("Gather", [table, "tokens"]), b.weight("wpe", length, width)])
    split, joined = b.ints("split", [1, length, heads, width // heads]), b.ints("joined", [1, length, width])
    for k in range(layers):
        def norm(v, which):
            return b.op("LayerNormalization", [v, b.weight(f"s{k}{which}", width), b.weight(f"o{k}{which}", width)])

        def linear(v, which, n, m):
            return b.op("Add", [b.op("MatMul", [v, b.weight(f"w{k}{which}", n, m)]), b.weight(f"b{k}{which}", m)])
        h = norm(x, "a")
        q, key, v = [b.op("Transpose", [b.op("Reshape", [linear(h, c, width, width), split])], perm=[0, 2, 1, 3]) for c in "qkv"]
        scores = b.op("Softmax", [b.op("MatMul", [q, b.op("Transpose", [key], perm=[0, 1, 3, 2])])])
        h = b.op("Reshape", [b.op("Transpose", [b.op("MatMul", [scores, v])], perm=[0, 2, 1, 3]), joined])
        x = b.op("Add", [x, linear(h, "p", width, width)])
        h = linear(norm(x, "m"), "u", width, 4 * width)
        h = b.op("Mul", [h, b.op("Sigmoid", [h])])
        x = b.op("Add", [x, linear(h, "d", 4 * width, width)])
    x = b.op("MatMul", [x, b.op("Transpose", [table], perm=[1, 0])])
    b.save(path, [helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, length])], x, [1, length, vocabulary])


def measure(command):
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, command
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command, out, runs):
    results = []
    for _ in range(runs):
        for old in glob.glob(out.removesuffix(".mlir") + "*"):  # dropping it is no part of the work
            os.remove(old)
        results.append(measure(command + ["-o", out]))
    return [min(r[i] for r in results) for i in range(3)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("work")
    p.add_argument("out")
    p.add_argument("--runs", type=int, default=3)
    args = p.parse_args()
    os.makedirs(args.work, exist_ok=True)
    tools = {"hone import-onnx": [os.path.abspath(args.hone), "import-onnx"],
             "iree-import-onnx": [sys.executable, "-m", "iree.compiler.tools.import_onnx"]}
    forms = {"text": [], "weights in .irpa": ["--externalize-params"]}
    lines = ["# Import speed", "", "`hone import-onnx` against `iree-import-onnx` (bench/peers/import_speed.py), models with random weights.",
             f"Best of {args.runs} runs; peak memory as resident set, and in relation to the file.", "",
             "| model | result | tool | wall s | processor s | peak MB | peak / file |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, make in (("vgg16", vgg16), ("gpt2", gpt2)):
        path = os.path.join(args.work, name + ".onnx")
        if not os.path.exists(path):
            make(path)
        size = os.path.getsize(path) / 2**20
        for form, options in forms.items():
            rows = {}
            for tool, command in tools.items():
                out = os.path.join(args.work, "out.mlir")
                rows[tool] = best(command + options + [path], out, args.runs)
                wall, cpu, memory = rows[tool]
                lines.append(f"| {name}, {size:.0f} MB | {form} | {tool} | {wall:.2f} | {cpu:.2f} | {memory:.0f} | {memory / size:.2f} |")
                print(lines[-1], flush=True)
            a, b = rows["iree-import-onnx"], rows["hone import-onnx"]
            lines.append(f"| | | **ratio** | {a[0] / b[0]:.1f} | {a[1] / b[1]:.1f} | {a[2] / b[2]:.1f} | |")
            print(lines[-1], flush=True)
    open(args.out, "w").write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
