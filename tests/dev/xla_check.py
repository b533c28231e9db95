#!/usr/bin/env python3
"""Development check: XLA compiles and runs the StableHLO that hone writes, and gives the stored outputs.

usage: xla_check.py HONE CORPUS... [--only TEXT] [--options "..."] [--keep DIR]

Each CORPUS is a folder of cases NAME/model.onnx with NAME/test_data_set_N (ONNX's layout), or a folder of .mlir modules
without arguments beyond what a seeded draw can give. For a case: `hone opt model.onnx -o out.mlir --to stablehlo`, symbolic
sizes bound to those of the first data set, then jaxlib's XLA for CPUs compiles the text and runs it on the stored inputs.
Comparison: relative 1e-3, absolute 1e-5, or 1e-4 of the largest element. For a .mlir module the text as it is and hone's
result are both run by XLA on the same seeded inputs. Needs the Python packages jax, jaxlib, onnx and numpy; with --dynamic
sizes stay symbolic and XLA refines them.

Known to be refused: nms_post (NonMaxSuppression has as many results as data says, and StableHLO has no op of such a size).
Ends with "N passed, N failed, N skipped" and lists every case that did not pass.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

import numpy as np

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax._src.lib import xla_client

import onnx
from onnx import numpy_helper

import report


BYTECODE = False

# Absolute tolerances of models whose own rounding is larger, by name. Figures: largest distances from XLA running the same
# StableHLO in double.
NOISE = {
    # values to 96: stored (ONNX Runtime) 0.047, XLA in f32 0.033, hone's evaluator in f32 0.022
    "mlsd_320x320_tiny": 0.1,
    # values to 82: stored 0.009, XLA in f32 0.019, hone's evaluator in f32 0.009
    "mlsd_320x320_large": 0.04,
}

# Inputs that choose between branches of different sizes, for which XLA has no form: bound to the stored value.
CHOICES = {"silero_vad_v5": "sr", "silero_vad_legacy": "sr"}


def backend():
    return xla_bridge.get_backend("cpu")


def parse_module(text):
    context = jax_mlir.make_ir_context()
    with context:
        return ir.Module.parse(text), context


def compile_text(text):
    module, context = parse_module(text)
    client = backend()
    with context:
        bytecode = jax_mlir.module_to_bytecode(module)
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    return client.compile_and_load(bytecode, devices, xla_client.CompileOptions())


def run_compiled(program, inputs):
    device = jax.local_devices()[0]
    buffers = [jax.device_put(np.asarray(x), device) for x in inputs]
    return [np.asarray(b[0]) for b in program.execute_sharded(buffers).disassemble_into_single_device_arrays()]


def load(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(open(path, "rb").read())
    return tensor.name, numpy_helper.to_array(tensor)


def data_set(folder):
    count = lambda kind: len(glob.glob(folder + "/%s_*.pb" % kind))
    get = lambda kind: [load(folder + "/%s_%d.pb" % (kind, i)) for i in range(count(kind))]
    return get("input"), get("output")


def worst(got, want, noise=0):
    """Largest excess over the tolerance; 0 when all elements are within it. noise: a larger absolute tolerance for values
    from 1 on."""
    bad = 0.0
    for g, w in zip(got, want):
        if g.shape != w.shape or g.dtype != w.dtype:
            return float("inf")
        if g.size == 0:
            continue
        if g.dtype.kind in "biu":
            bad = max(bad, 0.0 if np.array_equal(g, w) else float("inf"))
            continue
        g, w = g.astype(np.float64), w.astype(np.float64)
        scale = np.abs(w[np.isfinite(w)]).max(initial=0.0)
        gap = np.abs(g - w) - (max(1e-5, 1e-4 * scale, noise * min(scale, 1)) + 1e-3 * np.abs(w))
        gap = np.where((np.isnan(g) & np.isnan(w)) | (g == w), 0, gap)
        bad = max(bad, float(np.nan_to_num(gap, nan=np.inf).max()))
    return max(bad, 0.0)


def graph_inputs(model):
    graph = onnx.load(model, load_external_data=False).graph
    held = {t.name for t in graph.initializer}
    return [i for i in graph.input if i.name not in held]


def bindings(inputs, arrays):
    """--dim for every symbol that the stored inputs give a size, --shape for inputs with a size that has no name."""
    found, shapes = {}, []
    for declared, (_, array) in zip(inputs, arrays):
        dims = declared.type.tensor_type.shape.dim
        for d, size in zip(dims, array.shape):
            if d.dim_param:
                found.setdefault(d.dim_param, size)
        if any(not d.dim_param and not d.HasField("dim_value") for d in dims):
            shapes.append("--shape=%s=%s" % (declared.name, ",".join(map(str, array.shape))))
    return ["--dim=%s=%d" % kv for kv in found.items()] + shapes


def arguments(text):
    """Names, shapes and element types of @main's arguments."""
    head = re.search(r"func\.func (?:public )?@main\((.*)$", text, re.M).group(1)
    return re.findall(r"%\w+: tensor<([^>]*)>", head.split("->")[0])


def order_inputs(inputs, arrays):
    names = [i.name for i in inputs]
    if all(n in names for n, _ in arrays):
        by_name = dict(arrays)
        return [by_name[n] for n in names if n in by_name]
    return [a for _, a in arrays]


def refined(text, arrays):
    """The module with sizes of its arguments as those of the arrays: a @main of static types that calls it, through
    conversions to its types, as jax.export has it."""
    element = {"float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "bool": "i1", "float16": "f16",
               "uint8": "ui8", "int8": "i8"}
    types = ["tensor<%s%s>" % ("".join("%dx" % d for d in a.shape), element[str(a.dtype)]) for a in arrays]
    m = re.search(r"func\.func (?:public )?@main\(.*?\) -> \((.*)\) \{$", text, re.M)
    results = re.sub(r"\{[^}]*\}", "", m.group(1))
    open_types = ["tensor<%s>" % t for t in arguments(text)]
    text = text.replace("func.func public @main(", "func.func private @dynamic_main(").replace("func.func @main(",
        "func.func private @dynamic_main(")
    names = ["%%arg%d" % i for i in range(len(types))]
    count = len(re.findall(r"tensor<", results))
    tail = ", ".join("%%0#%d" % i for i in range(count)) if count > 1 else "%0"
    inner = ["%%in%d" % i for i in range(len(types))]
    head = ["%s = stablehlo.convert %s : (%s) -> %s" % row for row in zip(inner, names, types, open_types)]
    head.append("%%0%s = call @dynamic_main(%s) : (%s) -> (%s)" % (":%d" % count if count > 1 else "", ", ".join(inner),
                                                                 ", ".join(open_types), results))
    main = "  func.func public @main(%s) -> (%s) {\n    %s\n    return %s : %s\n  }\n" % (
        ", ".join("%s: %s" % p for p in zip(names, types)), results, "\n    ".join(head), tail, results)
    at = text.rindex("}")
    text = text[:at] + main + text[at:]
    module, context = parse_module(text)
    with context:
        bytecode = jax_mlir.module_to_bytecode(module)
    from jax._src.lib import _jax
    return _jax.mlir.refine_polymorphic_shapes(bytecode, True, True)


def hone_text(hone, model, options, out):
    """What hone opt writes: text, or with --bytecode a portable artifact as upstream's reader understands it."""
    form = "mlirbc" if BYTECODE else "stablehlo"
    command = [hone, "opt", model, "-o", out, "--to", form, "-q", *options]
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if run.returncode:
        raise RuntimeError("hone: exit %d %s" % (run.returncode, run.stderr.strip()[:300].replace("\n", " | ")))
    if not BYTECODE:
        return open(out).read()
    with jax_mlir.make_ir_context():
        return str(stablehlo.deserialize_portable_artifact(ir.Context.current, open(out, "rb").read()))


def compile_refined(text, arrays):
    client = backend()
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    return client.compile_and_load(refined(text, arrays), devices, xla_client.CompileOptions())


def check_onnx(hone, model, options, keep, dynamic):
    folder = os.path.dirname(model)
    sets = sorted(glob.glob(folder + "/test_data_set_*"))
    inputs = graph_inputs(model)
    if not sets:
        return "skip: no stored data"
    first, _ = data_set(sets[0])
    bound = [] if dynamic else bindings(inputs, first)
    chosen = CHOICES.get(os.path.basename(folder))
    bound += ["--bind=%s=%d" % (n, v) for n, v in first if n == chosen]
    with tempfile.TemporaryDirectory() as d:
        text = hone_text(hone, model, options + bound, d + "/out.mlir")
    if keep:
        open(os.path.join(keep, os.path.basename(folder) + ".mlir"), "w").write(text)
    program = None
    for path in sets:
        ins, outs = data_set(path)
        arrays = order_inputs([i for i in inputs if i.name != chosen], [i for i in ins if i[0] != chosen])
        shapes = [a.shape for a in arrays]
        if program is None or (shapes != seen and dynamic):
            program = compile_refined(text, arrays) if "?" in text else compile_text(text)
            seen = shapes
        if shapes != seen:
            continue
        bad = worst(run_compiled(program, arrays), [a for _, a in outs], NOISE.get(os.path.basename(folder), 0))
        if bad > 0:
            return "results differ by %g more than allowed in %s" % (bad, os.path.basename(path))
    return None


def drawn(kind, rng):
    *dims, element = kind.split("x") if "x" in kind else [kind]
    dims = [int(d) for d in dims]
    if element.startswith("f") or element == "bf16":
        a = rng.standard_normal(dims).astype({"f64": np.float64, "f16": np.float16}.get(element, np.float32))
        return a * 0.1
    if element == "i1":
        return rng.integers(0, 2, dims).astype(bool)
    width = {"i": np.dtype("int" + element[1:]) if element[0] == "i" else None,
             "u": np.dtype("uint" + element[2:]) if element[0] == "u" else None}[element[0]]
    return rng.integers(0, 4, dims).astype(width)


def check_mlir(hone, model, options, keep):
    text = open(model).read()
    with tempfile.TemporaryDirectory() as d:
        after = hone_text(hone, model, options, d + "/out.mlir")
    if keep:
        open(os.path.join(keep, os.path.basename(model)), "w").write(after)
    rng = np.random.default_rng(0)
    arrays = [drawn(k, rng) for k in arguments(text)]
    want = run_compiled(compile_text(text), arrays)
    bad = worst(run_compiled(compile_text(after), arrays), want)
    return "results differ by %g more than allowed" % bad if bad > 0 else None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("corpus", nargs="+")
    p.add_argument("--options", default="")
    p.add_argument("--dynamic", action="store_true")
    p.add_argument("--bytecode", action="store_true", help="portable bytecode instead of text")
    report.add_arguments(p)
    a = p.parse_args()
    global BYTECODE
    BYTECODE = a.bytecode
    jax.config.update("jax_enable_x64", True)
    options = shlex.split(a.options)

    def check(model):
        why = (check_onnx(a.hone, model, options, a.keep, a.dynamic) if model.endswith(".onnx") else
               check_mlir(a.hone, model, options, a.keep))
        return ("passed", "") if why is None else ("skipped" if why.startswith("skip") else "failed", why)

    found = (sorted(glob.glob(c + "/*/model.onnx")) + sorted(glob.glob(c + "/*.mlir")) for c in a.corpus)
    return report.run(report.cases(found, a.only), check, show_passed=True)


if __name__ == "__main__":
    sys.exit(not main())
