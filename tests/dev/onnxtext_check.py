#!/usr/bin/env python3
"""Development check: the textual syntax as onnx.parser and onnx.printer have it.

usage: onnxtext_check.py HONE FOLDER [--every N] [--limit BYTES]

Of every N-th model.onnx below FOLDER, up to BYTES, two things are compared, attributes, names, types and data included:
  out   what hone writes as .onnxtxt, read by onnx.parser, with what hone writes as .onnx
  in    what onnx.printer writes, read by hone and written as .onnx, with what onnx.parser reads of it
Printed text that onnx.parser itself refuses is counted apart. Needs the packages onnx and numpy. Ends with a line of counts.
"""
import argparse, glob, os, re, subprocess, sys, tempfile
import onnx
from onnx import numpy_helper


def tensor(t):
    if t.data_location == onnx.TensorProto.EXTERNAL:
        return ("external", t.data_type, tuple(t.dims), tuple((p.key, p.value) for p in t.external_data))
    try:
        a = numpy_helper.to_array(t)
        return (t.data_type, tuple(t.dims), a.tobytes() if a.dtype != object else tuple(map(str, a.ravel())))
    except Exception as e:
        return (t.data_type, tuple(t.dims), t.SerializeToString(deterministic=True))


def attribute(a):
    if a.ref_attr_name:
        return (a.name, "@", a.ref_attr_name, a.type)
    if a.type == onnx.AttributeProto.GRAPH:
        return (a.name, graph(a.g))
    if a.type == onnx.AttributeProto.TENSOR:
        return (a.name, tensor(a.t))
    if a.type == onnx.AttributeProto.FLOAT:
        return (a.name, repr(a.f))
    if a.type == onnx.AttributeProto.FLOATS:
        return (a.name, tuple(map(repr, a.floats)))
    b = onnx.AttributeProto.FromString(a.SerializeToString())
    b.ClearField("doc_string")
    return (a.name, b.SerializeToString(deterministic=True))


def node(n):
    ins, outs = list(n.input), list(n.output)
    while ins and not ins[-1]:
        ins.pop()
    while outs and not outs[-1]:
        outs.pop()
    return (n.name, n.domain if n.domain != "ai.onnx" else "", n.op_type, n.overload, tuple(ins), tuple(outs),
            tuple(sorted(map(attribute, n.attribute), key=lambda a: a[0])))


def info(v):
    t = onnx.TypeProto.FromString(v.type.SerializeToString())
    return (v.name, re.sub(r'denotation: "[^"]*"\n', "", str(t)))


def graph(g):
    return (g.name, tuple(map(info, g.input)), tuple(map(info, g.output)), tuple(sorted((t.name, tensor(t)) for t in g.initializer)),
            tuple(map(node, g.node)))


def function(f):
    return (f.domain, f.name, f.overload, tuple(f.input), tuple(f.output), tuple(sorted(f.attribute)), tuple(map(node, f.node)),
            tuple(sorted(map(attribute, f.attribute_proto), key=lambda a: a[0])))


def model(m):
    return (m.ir_version, tuple(sorted((o.domain, o.version) for o in m.opset_import)), graph(m.graph), tuple(map(function, m.functions)))


def difference(a, b, where=""):
    if type(a) is tuple and type(b) is tuple:
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} parts"
        for i, (x, y) in enumerate(zip(a, b)):
            d = difference(x, y, f"{where}.{i}")
            if d:
                return d
        return ""
    return "" if a == b else f"{where}: {str(a)[:120]} and {str(b)[:120]}"


def convert(hone, source, target):
    r = subprocess.run([hone, "convert", source, "-o", target], capture_output=True, text=True, errors="replace")
    return "" if r.returncode == 0 else (r.stderr.strip().splitlines() or ["?"])[0]


def check_out(hone, path, tmp):
    text, twin = tmp + "/a.onnxtxt", tmp + "/a.onnx"
    why = convert(hone, path, twin) or convert(hone, path, text)
    if why:
        return "refused", why
    try:
        got = onnx.parser.parse_model(open(text, encoding="utf-8", errors="surrogateescape").read())
    except Exception as e:
        return "failed", "onnx.parser: " + str(e).replace("\n", " ")[:300]
    d = difference(model(got), model(onnx.load(twin)))
    return ("failed", d) if d else ("passed", "")


def check_in(hone, path, tmp):
    text, back = tmp + "/b.onnxtxt", tmp + "/b.onnx"
    printed = onnx.printer.to_text(onnx.load(path))
    try:
        want = onnx.parser.parse_model(printed)
    except Exception as e:
        return "unprintable", str(e).replace("\n", " ")[:200]
    open(text, "w", encoding="utf-8").write(printed)
    why = convert(hone, text, back)
    if why:
        return "failed", why
    d = difference(model(onnx.load(back)), model(want))
    return ("failed", d) if d else ("passed", "")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("folder")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--limit", type=int, default=2 << 20)
    a = p.parse_args()
    paths = sorted(glob.glob(a.folder + "/**/*.onnx", recursive=True))[::a.every]
    counts = {}
    with tempfile.TemporaryDirectory() as tmp:
        for path in paths:
            if os.path.getsize(path) > a.limit:
                continue
            for name, check in (("out", check_out), ("in", check_in)):
                result, why = check(a.hone, path, tmp)
                counts[name, result] = counts.get((name, result), 0) + 1
                if result in ("failed", "refused"):
                    print(f"{name} {result} {os.path.relpath(path, a.folder)}: {why}")
    print(", ".join(f"{n} {r} {c}" for (n, r), c in sorted(counts.items())))
    return any(r == "failed" for _, r in counts)


sys.exit(main())
