#!/usr/bin/env python3
"""Makes synthetic ONNX models that strain one thing each, of any size.

    generate.py KIND N OUT.onnx     one model with about N nodes (kinds: --list)
    generate.py vgg16|vgg16-bn 0 OUT.onnx       a 553 MB image classifier, random weights
    generate.py gemms MEGABYTES OUT.onnx        matrix products of 250 MB each; external data above 2 GB
    generate.py one-file MEGABYTES OUT.onnx     the same in a single file, whatever the size

Needs numpy and onnx; a development tool, never needed to build or to test.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F = TensorProto.FLOAT


class Graph:
    def __init__(self, name):
        self.g = onnx.GraphProto(name=name)
        self.serial = 0

    def name(self, stem="v"):
        self.serial += 1
        return f"{stem}{self.serial}"

    def input(self, name, shape, dtype=F):
        self.g.input.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, shape=None, dtype=F):
        self.g.output.append(helper.make_tensor_value_info(name, dtype, shape))

    def op(self, kind, *operands, **attrs):
        n = self.g.node.add()
        n.op_type = kind
        n.name = self.name("n")
        n.input.extend(operands)
        out = self.name()
        n.output.append(out)
        for k, v in attrs.items():
            n.attribute.append(helper.make_attribute(k, v))
        return out

    def const(self, array):
        t = numpy_helper.from_array(np.asarray(array), self.name("c"))
        self.g.initializer.append(t)
        return t.name

    def tree(self, values, kind="Add"):
        """Combined pairwise: a balanced tree."""
        while len(values) > 1:
            values = [self.op(kind, *values[i:i + 2]) if i + 1 < len(values) else values[i]
                      for i in range(0, len(values), 2)]
        return values[0]

    def model(self):
        return helper.make_model(self.g, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def numbers(i, n=4):
    return (np.arange(n, dtype=np.float32) + i % 1009) / 512 + np.float32(1 + i * 1e-7)


def chain(n):
    """one long chain: add a constant, relu, multiply by one"""
    g = Graph("chain")
    v = g.input("x", [4])
    shared = [g.const(numbers(i)) for i in range(7)]
    for i in range(n):
        v = g.op("Relu", v) if i % 3 == 1 else g.op("Mul" if i % 3 else "Add", v, shared[i % 7])
    g.output(v)
    return g


def star_outputs(n):
    """one value used by n nodes, each a graph output"""
    g = Graph("star_outputs")
    x = g.input("x", [4])
    v = g.op("Sigmoid", x)
    shared = [g.const(numbers(i)) for i in range(n // 10 + 1)]
    for i in range(n):
        g.output(g.op(("Add", "Mul", "Sub", "Div", "Max", "Min", "Pow", "PRelu", "Less", "Greater")[i % 10], v,
                      shared[i // 10]), [4], TensorProto.BOOL if i % 10 > 7 else F)
    return g


def star_sum(n):
    """one value used by n / 2 nodes that are summed pairwise"""
    g = Graph("star_sum")
    v = g.op("Sigmoid", g.input("x", [4]))
    c = [g.const(numbers(i)) for i in range(1009)]
    g.output(g.tree([g.op("PRelu" if i % 2 else "Max", v, c[i % 1009]) for i in range(n // 2)]))
    return g


def concat(n):
    """concatenations of 10,000 values (a tenth of the nodes) each"""
    g = Graph("concat")
    x = g.input("x", [4])
    wide = max(n // 10, 2)
    kinds = ("Relu", "Sigmoid", "Tanh", "Exp", "Abs", "Neg", "Sqrt", "Softplus", "Erf", "Floor")
    parts = []
    for k in kinds:
        v, values = g.op("Add", x, g.const(numbers(len(k)))), []
        for _ in range(wide):
            v = g.op(k if k != "Relu" else "LeakyRelu", v)
            values.append(v)
        parts.append(g.op("Concat", *values, axis=0))
    g.output(g.tree(parts))
    return g


def initializers(n):
    """n initializers, each with one user"""
    g = Graph("initializers")
    v = g.input("x", [4])
    g.output(g.tree([g.op("PRelu", v, g.const(numbers(i))) for i in range(n)], "Max"))
    return g


def duplicates(n):
    """equal subtrees: leaves are shared, then their sums, and so on"""
    g = Graph("duplicates")
    x = g.input("x", [4])
    leaves = 1 << max((n // 2).bit_length() - 1, 1)
    g.output(g.tree([g.op("Sigmoid", x) for _ in range(leaves)], "Max"))
    return g


def duplicate_constants(n):
    """equal constants under different names"""
    g = Graph("duplicate_constants")
    v = g.op("Sigmoid", g.input("x", [4]))
    g.output(g.tree([g.op("PRelu" if i % 2 else "Max", v, g.const(numbers(i % 64))) for i in range(n // 2)]))
    return g


def near_duplicates(n):
    """large constants that differ in the middle only"""
    g = Graph("near_duplicates")
    v = g.op("Sigmoid", g.input("x", [128]))
    parts = []
    for i in range(n // 2):
        c = np.ones(128, np.float32)
        c[64] += i
        parts.append(g.op("PRelu", v, g.const(c)))
    g.output(g.tree(parts))
    return g


def constants(n):
    """a deep chain of constant expressions"""
    g = Graph("constants")
    x = g.input("x", [4])
    shared = [g.const(numbers(i)) for i in range(7)]
    v = g.const(numbers(3))
    for i in range(n):
        v = g.op(("Add", "Sub", "Max", "Min")[i % 4], v, shared[i % 7])
    g.output(g.op("Add", x, v))
    return g


def constants_large(n):
    """a deep chain of constant expressions too large to be stored"""
    g = Graph("constants_large")
    x = g.input("x", [3000])
    shared = [g.const(numbers(i, 1)) for i in range(7)]
    v = g.op("Cast", g.op("Range", g.const(np.int64(0)), g.const(np.int64(3000)), g.const(np.int64(1))), to=F)
    for i in range(n):
        v = g.op(("Add", "Sub", "Max", "Min")[i % 4], v, shared[i % 7])
    g.output(g.op("Add", x, v))
    return g


def constants_used(n):
    """a deep chain of constant expressions with a use at each step"""
    g = Graph("constants_used")
    x = g.op("Sigmoid", g.input("x", [4]))
    shared = [g.const(numbers(i)) for i in range(7)]
    v, parts = g.const(numbers(3)), []
    for i in range(n // 3):
        v = g.op(("Add", "Sub", "Max", "Min")[i % 4], v, shared[i % 7])
        parts.append(g.op("PRelu", x, v))
    g.output(g.tree(parts, "Max"))
    return g


def splats(n):
    """a deep chain of constant expressions of one repeated number"""
    g = Graph("splats")
    x = g.input("x", [3000])
    shared = [g.const(numbers(i, 1)[0]) for i in range(7)]
    v = g.op("ConstantOfShape", g.const(np.array([3000], np.int64)),
             value=numpy_helper.from_array(np.ones(1, np.float32)))
    for i in range(n):
        v = g.op(("Add", "Sub", "Max", "Min")[i % 4], v, shared[i % 7])
    g.output(g.op("Add", x, v))
    return g


def moves(n):
    """reshapes and transposes in a row"""
    g = Graph("moves")
    v = g.input("x", [2, 3, 4, 5])
    shapes = [g.const(np.array(s, np.int64)) for s in ([6, 20], [5, 4, 3, 2], [2, 60], [3, 4, 2, 5])]
    for i in range(n):
        if i % 2:
            v = g.op("Transpose", v, perm=[1, 0] if i // 2 % 2 == 0 else [3, 1, 0, 2])
        else:
            v = g.op("Reshape", v, shapes[i // 2 % 4])
    g.output(v)
    return g


def transposes(n):
    """transposes between elementwise ops"""
    g = Graph("transposes")
    v = g.input("x", [2, 3, 4, 5])
    for i in range(n):
        if i % 2:
            v = g.op(("Sigmoid", "Relu", "Tanh", "Exp")[i // 2 % 4], v)
        else:
            v = g.op("Transpose", v, perm=[1, 0, 2, 3] if i // 2 % 2 else [0, 2, 3, 1])
    g.output(v)
    return g


def reshapes(n):
    """reshapes between elementwise ops, symbolic batch"""
    g = Graph("reshapes")
    v = g.input("x", ["batch", 3, 20])
    shapes = [g.const(np.array(s, np.int64)) for s in ([0, 4, 15], [-1, 60], [0, 5, 12], [-1, 3, 20])]
    for i in range(n):
        v = g.op("Reshape", v, shapes[i // 2 % 4]) if i % 2 else g.op(("Sigmoid", "Tanh")[i // 2 % 2], v)
    g.output(v)
    return g


def doubling(n):
    """each value used twice by the next: 2^n paths"""
    g = Graph("doubling")
    v = g.input("x", [4])
    for i in range(n):
        v = g.op(("Add", "Max", "Mul")[i % 3], v, v)
    g.output(v)
    return g


def residual(n):
    """a network of residual blocks: conv, batch norm, relu, add"""
    g = Graph("residual")
    v = g.input("x", ["batch", 4, 8, 8])
    weights = [g.const(np.random.default_rng(i).standard_normal((4, 4, 3, 3), np.float32) / 6) for i in range(5)]
    scale, mean = [g.const(numbers(i)) for i in range(5)], [g.const(numbers(i) - 1) for i in range(5)]
    for i in range(n // 4):
        w, s, m = weights[i % 5], scale[i % 5], mean[i % 5]
        y = g.op("Conv", v, w, pads=[1, 1, 1, 1], kernel_shape=[3, 3])
        y = g.op("Relu", g.op("BatchNormalization", y, s, m, m, s))
        v = g.op("Add", v, y)
    g.output(v)
    return g


def shapes(n):
    """shape arithmetic: shape, gather, arithmetic, concat, reshape"""
    g = Graph("shapes")
    v = g.input("x", ["batch", "seq", 8])
    idx = [g.const(np.int64(i)) for i in range(3)]
    two, four, axis = g.const(np.array([2], np.int64)), g.const(np.array([4], np.int64)), g.const(np.array([0], np.int64))
    for i in range(n // 9):
        s = g.op("Shape", v)
        b = g.op("Unsqueeze", g.op("Gather", s, idx[0], axis=0), axis)
        t = g.op("Unsqueeze", g.op("Gather", s, idx[1], axis=0), axis)
        inner = (two, four) if i % 2 == 0 else ()
        shape = g.op("Concat", b, t, *(inner or (g.const(np.array([8], np.int64)),)), axis=0)
        v = g.op("Sigmoid", g.op("Reshape", v, shape))
    g.output(v)
    return g


def split(n):
    """one split into n / 2 parts, each part used"""
    g = Graph("split")
    parts = n // 3
    x = g.input("x", [parts, 4])
    node = g.g.node.add()
    node.op_type, node.name = "Split", "split"
    node.input.append(x)
    node.output.extend(f"part{i}" for i in range(parts))
    node.attribute.append(helper.make_attribute("axis", 0))
    g.output(g.tree([g.op(("Sigmoid", "Tanh")[i % 2], f"part{i}") for i in range(parts)]))
    return g


def slices(n):
    """slices of one value, put together again"""
    g = Graph("slices")
    count = n // 2
    x = g.input("x", [count, 4])
    axis = g.const(np.array([0], np.int64))
    bound = [g.const(np.array([i], np.int64)) for i in range(count + 1)]
    parts = [g.op("Sigmoid", g.op("Slice", x, bound[i], bound[i + 1], axis)) for i in range(count)]
    wide = 10000
    groups = [g.op("Concat", *parts[i:i + wide], axis=0) for i in range(0, count, wide)]
    g.output(g.op("Concat", *groups, axis=0) if len(groups) > 1 else groups[0])
    return g


def branches(n):
    """ifs with branches of some nodes each"""
    g = Graph("branches")
    v = g.input("x", [4])
    for i in range(n // 5):
        cond = g.op("Cast", g.op("ReduceMax", v, keepdims=0), to=TensorProto.BOOL)
        sides = []
        for k in ("Sigmoid", "Tanh"):
            b = Graph(f"{k}{i}")
            b.serial = 0
            n1 = b.g.node.add()
            n1.op_type = k
            n1.input.append(v)
            n1.output.append(f"{k}{i}")
            b.g.output.append(helper.make_tensor_value_info(f"{k}{i}", F, [4]))
            sides.append(b.g)
        v = g.op("If", cond, then_branch=sides[0], else_branch=sides[1])
    g.output(v)
    return g


def body(name, n, start):
    """A nested graph: a chain of n ops on the outer value x, with constants of its own that depend on each other."""
    b = Graph(name)
    v, k = start, b.const(numbers(1))
    for i in range(n // 2):
        k = b.op("Add", k, k) if i % 2 else b.op("Mul", k, k)
        v = b.op("Add", v, k)
    return b, v


def loop_body(n):
    """one loop with a body of n nodes"""
    g = Graph("loop_body")
    x = g.input("x", [4])
    b, v = body("body", n, "state")
    b.input("i", [], TensorProto.INT64)
    b.input("go", [], TensorProto.BOOL)
    b.input("state", [4])
    b.input("spare", [4])
    out = [b.op("Identity", "go"), b.op("Tanh", v), b.op("Tanh", "spare")]
    for name, dtype, shape in zip(out, (TensorProto.BOOL, F, F), ([], [4], [4])):
        b.output(name, shape, dtype)
    node = g.g.node.add()
    node.op_type = "Loop"
    node.input.extend([g.const(np.int64(3)), g.const(np.bool_(True)), x, x])
    node.output.extend(["y", "unused"])
    node.attribute.append(helper.make_attribute("body", b.g))
    g.output("y")
    return g


def if_body(n):
    """one if with branches of n / 2 nodes"""
    g = Graph("if_body")
    x = g.input("x", [4])
    sides = []
    for k in ("then", "else"):
        b, v = body(k, n // 2, x)
        b.g.output.append(helper.make_tensor_value_info(b.op("Tanh" if k == "then" else "Sigmoid", v), F, [4]))
        text = b.g.SerializeToString()
        sides.append(onnx.GraphProto.FromString(text))
    cond = g.op("Cast", g.op("ReduceMax", x, keepdims=0), to=TensorProto.BOOL)
    for side, prefix in zip(sides, "te"):  # names are unique in a model
        for t in side.initializer:
            t.name = prefix + t.name
        for node in side.node:
            node.output[:] = [prefix + o for o in node.output]
            node.input[:] = [i if i == x else prefix + i for i in node.input]
        side.output[0].name = prefix + side.output[0].name
    g.output(g.op("If", cond, then_branch=sides[0], else_branch=sides[1]))
    return g


KINDS = {f.__name__.replace("_", "-"): f for f in (
    chain, star_outputs, star_sum, concat, initializers, duplicates, duplicate_constants, near_duplicates, constants,
    constants_large, constants_used, splats, moves, transposes, reshapes, doubling, residual, shapes, split, slices, branches,
    loop_body, if_body)}


def vgg16(norms):
    rng = np.random.default_rng(0)

    def weights(*shape):
        return rng.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / np.prod(shape[1:])))

    g = Graph("vgg16")
    v, channels = g.input("x", ["batch", 3, 224, 224]), 3
    for width in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0):
        if not width:
            v = g.op("MaxPool", v, kernel_shape=[2, 2], strides=[2, 2])
            continue
        v = g.op("Conv", v, g.const(weights(width, channels, 3, 3)), g.const(weights(width, 1)[:, 0]),
                 kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        if norms:
            stats = [g.const(rng.random(width, np.float32) + np.float32(0.5)) for _ in range(4)]
            v = g.op("BatchNormalization", v, *stats)
        v = g.op("Relu", v)
        channels = width
    v, size = g.op("Flatten", v), 512 * 7 * 7
    for width in (4096, 4096, 1000):
        v = g.op("Gemm", v, g.const(weights(width, size)), g.const(weights(width, 1)[:, 0]), transB=1)
        v, size = g.op("Relu", v) if width != 1000 else v, width
    g.output(v, ["batch", 1000])
    return g


WIDTH = 8100  # a square matrix of 250 MB


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def gemm_model(count, external):
    """The model without weights; their tensors refer to external data when asked for."""
    g = Graph("gemms")
    v = g.input("x", ["batch", WIDTH])
    for i in range(count):
        t = onnx.TensorProto(name=f"w{i}", data_type=F, dims=[WIDTH, WIDTH])
        if external:
            t.data_location = TensorProto.EXTERNAL
            for k, val in (("location", external), ("offset", i * WIDTH * WIDTH * 4), ("length", WIDTH * WIDTH * 4)):
                t.external_data.add(key=k, value=str(val))
            g.g.initializer.append(t)
        v = g.op("Relu", g.op("Gemm", v, t.name, transB=1))
        v = g.op("Add", v, g.const(np.full(WIDTH, 0.5, np.float32)))
    g.output(v, ["batch", WIDTH])
    return g


def matrices(count, fd):
    rng = np.random.default_rng(1)
    block = rng.standard_normal((WIDTH, WIDTH), np.float32) / np.float32(90)
    for i in range(count):
        block[0, 0] = i
        yield lambda: block.tofile(fd)


def large(megabytes, path, one_file):
    count = max(1, round(megabytes * 1e6 / (WIDTH * WIDTH * 4)))
    size = WIDTH * WIDTH * 4
    if not one_file:
        data = os.path.basename(path) + ".data"
        onnx.save(gemm_model(count, data).model(), path)
        with open(path + ".data", "wb") as fd:
            for write in matrices(count, fd):
                write()
        return
    # Messages above 2 GB by hand: fields of a message may come in any order, and a graph may come in pieces.
    model = gemm_model(count, None).model()
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    heads = []
    for i in range(count):
        t = onnx.TensorProto(name=f"w{i}", data_type=F, dims=[WIDTH, WIDTH]).SerializeToString()
        t += b"\x4a" + varint(size)  # raw_data
        heads.append(b"\x2a" + varint(len(t) + size) + t)  # initializer
    total = len(graph) + sum(len(h) + size for h in heads)
    with open(path, "wb") as fd:
        fd.write(model.SerializeToString() + b"\x3a" + varint(total) + graph)
        for head, write in zip(heads, matrices(count, fd)):
            fd.write(head)
            fd.flush()
            write()


def main():
    if sys.argv[1:] == ["--list"]:
        for k, f in KINDS.items():
            print(f"{k:20} {f.__doc__}")
        return
    kind, n, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if kind in ("gemms", "one-file"):
        large(n, path, kind == "one-file")
    elif kind in ("vgg16", "vgg16-bn"):
        onnx.save(vgg16(kind == "vgg16-bn").model(), path)
    else:
        onnx.save(KINDS[kind](n).model(), path)


if __name__ == "__main__":
    main()
