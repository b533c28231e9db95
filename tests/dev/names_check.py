#!/usr/bin/env python3
"""Development check: whatever graphs, values, nodes, functions and sizes are called, MLIR's own tools read what hone writes.

usage: names_check.py HONE [--iree IREE_COMPILE] [--every N]

A small model with a function, a branch and a symbolic size gets each odd name in each place. hone writes it as torch-onnx (converted, with
locations, optimised) and as StableHLO, pretty and in the generic form. MLIR's parser with the dialects that IREE registers must take each
text, mlir-opt-22 or mlir-opt the generic form (unregistered dialects allowed; it has no torch dialect), and of every N-th model iree-compile
--compile-to=input both optimised texts. Needs the packages onnx and iree-base-compiler. Ends with a line of counts.
"""
import argparse, os, shutil, subprocess, sys, tempfile
import numpy as np, onnx
from iree.compiler import ir
from onnx import helper as h, numpy_helper as nh

NAMES = ["a-b", "a/b", "a:b", "a.b", "a b", 'a"b', "a'b", "a\\b", "ünï☃", "", "1a", "%x", "@f", "a::b", "a\nb", "a\tb", "x#y", "<x>", "a,b", "a=b", "(a)", "func", "return",
         "true", "dense", "\x7f", "_", "-", "a\x01b", "v0", "arg0", '\\"', "x", "w", "y", "main", "torch.operator", "loc(", "?", "!torch", "/a/b/c.1"]
KINDS = ["graph", "input", "output", "initializer", "value", "node", "function", "function_value", "size", "domain", "subgraph", "subgraph_value", "constant"]


def build(kind, name):
    n = {k: name if k == kind else d for k, d in zip(KINDS, ["g", "x", "y", "w", "v", "n", "F", "p", "N", "loc", "body", "sv", "c0"])}
    then = h.make_graph([h.make_node("Neg", ["u"], [n["subgraph_value"]])], n["subgraph"], [], [h.make_tensor_value_info(n["subgraph_value"], 1, [None, 2])])
    other = h.make_graph([h.make_node("Relu", ["u"], ["sw"])], "eb", [], [h.make_tensor_value_info("sw", 1, [None, 2])])
    nodes = [h.make_node("Add", [n["input"], n["initializer"]], [n["value"]], name=n["node"]),
             h.make_node(n["function"], [n["value"]], ["u"], domain=n["domain"], name="call"),
             h.make_node("Constant", [], [n["constant"]], name="cc", value=nh.from_array(np.array(True))),
             h.make_node("If", [n["constant"]], ["z"], name="iff", then_branch=then, else_branch=other),
             h.make_node("Mul", ["z", n["initializer"]], [n["output"]], name="last")]
    func = h.make_function(n["domain"], n["function"], [n["function_value"]], ["q"], [h.make_node("Abs", [n["function_value"]], ["q"])], [h.make_opsetid("", 17)])
    graph = h.make_graph(nodes, n["graph"], [h.make_tensor_value_info(n["input"], 1, [n["size"], 2])], [h.make_tensor_value_info(n["output"], 1, [n["size"], 2])],
                         [nh.from_array(np.array([[1, 2.0]], np.float32), n["initializer"])])
    return h.make_model(graph, functions=[func], opset_imports=[h.make_opsetid("", 17), h.make_opsetid(n["domain"], 1)], ir_version=8)


FORMS = [("torch-onnx", ["convert", "-t", "torch-onnx"]), ("with locations", ["convert", "-t", "torch-onnx", "--locations"]),
         ("torch-onnx, optimised", ["opt", "-q", "-t", "torch-onnx"]), ("StableHLO", ["opt", "-q", "-t", "stablehlo"]),
         ("StableHLO, generic", ["opt", "-q", "-t", "stablehlo", "--generic"])]


def parsed(path):
    """What MLIR's parser has against the text; empty: nothing."""
    with ir.Context() as c, ir.Location.unknown():
        c.allow_unregistered_dialects = True
        try:
            ir.Module.parse(open(path, "rb").read())
            return ""
        except Exception as e:
            return str(e)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("--iree")
    p.add_argument("--every", type=int, default=7)
    a = p.parse_args()
    tool = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    count = {"passed": 0, "failed": 0, "refused by hone": 0}
    with tempfile.TemporaryDirectory() as tmp:
        for number, (kind, name) in enumerate((k, n) for k in KINDS for n in NAMES):
            onnx.save(build(kind, name), tmp + "/m.onnx")
            for form, args in FORMS:
                r = subprocess.run([a.hone, args[0], tmp + "/m.onnx", "-o", tmp + "/m.mlir"] + args[1:], capture_output=True)
                if r.returncode:
                    count["refused by hone"] += 1
                    if kind not in r.stderr.decode(errors="replace") and name:
                        print(f"REFUSED {kind} {name!r} {form}: {r.stderr.decode(errors='replace').strip()[:160]}")
                    continue
                faults = {"the parser": parsed(tmp + "/m.mlir")}
                commands = [[tool, "--allow-unregistered-dialect", "-o", os.devnull, tmp + "/m.mlir"]] if "generic" in form else []
                if a.iree and args[0] == "opt" and not "generic" in form and number % a.every == 0:
                    commands.append([a.iree, "--compile-to=input", "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", tmp + "/m.mlir",
                                     "-o", os.devnull])
                for c in commands:
                    r = subprocess.run(c, capture_output=True)
                    faults[os.path.basename(c[0])] = (r.stderr.decode(errors="replace").strip() or "exit %d" % r.returncode) if r.returncode else ""
                for who, what in faults.items():
                    count["failed" if what else "passed"] += 1
                    if what:
                        print(f"FAIL {kind} {name!r} {form}, {who}: {what[:200]}")
    print(", ".join(f"{v} {k}" for k, v in count.items()))
    return count["failed"] != 0


sys.exit(main())
