#!/usr/bin/env python3
"""Development check: what hone writes must be accepted by onnx.checker and give the stored outputs in ONNX Runtime.

usage: onnxruntime_check.py HONE CORPUS [--only TEXT] [--options "..."]

For each case of CORPUS/{models,torchgen,onnx-light}: hone opt, onnx.checker with full check, ONNX Runtime with its own
optimiser off, stored inputs, comparison at rtol 1e-3, atol 1e-7 relative to the largest element's scale where the original
model itself differs in ONNX Runtime by more. Needs the Python packages onnx and onnxruntime. Ends with "N passed, N failed".
"""
import argparse, glob, os, shlex, subprocess, sys, tempfile
import numpy as np, onnx, onnxruntime as ort
from onnx import numpy_helper


def load(path):
    t = onnx.TensorProto()
    t.ParseFromString(open(path, "rb").read())
    return t.name, numpy_helper.to_array(t)


def session(path):
    o = ort.SessionOptions()
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    o.log_severity_level = 4
    return ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])


def data_sets(model):
    folder = os.path.dirname(model)
    if not os.path.isdir(folder + "/test_data_set_0"):
        outs = [load(p)[1] for p in sorted(glob.glob(model[:-5] + "_output_*.pb"))]
        return [(None, outs)]
    sets = []
    for d in sorted(glob.glob(folder + "/test_data_set_*")):
        ins = [load(d + "/input_%d.pb" % i) for i in range(len(glob.glob(d + "/input_*.pb")))]
        outs = [load(d + "/output_%d.pb" % i)[1] for i in range(len(glob.glob(d + "/output_*.pb")))]
        sets.append((ins, outs))
    return sets


def feeds(s, ins):
    if ins is None:
        f = {}
        for i in s.get_inputs():
            n = int(np.prod(i.shape))
            f[i.name] = (np.arange(n).reshape(i.shape) / n).astype(np.float32)
        return f
    names = [i.name for i in s.get_inputs()]
    if all(n in names for n, _ in ins):
        return {n: v for n, v in ins}
    return {n: v for n, (_, v) in zip(names, ins)}


def worst(got, want):
    """largest excess over the tolerance, 0 when all elements are within it"""
    bad = 0.0
    for g, w in zip(got, want):
        if g.shape != w.shape or g.dtype != w.dtype:
            return float("inf")
        if g.dtype.kind in "OUSb" or g.dtype.kind in "iu":
            bad = max(bad, 0.0 if np.array_equal(g, w) else float("inf"))
            continue
        gap = np.abs(g.astype(np.float64) - w) - (1e-7 + 1e-3 * np.abs(w.astype(np.float64)))
        gap = np.where(np.isnan(g) & np.isnan(w), 0, gap)
        gap = np.where(g == w, 0, gap)
        bad = max(bad, float(gap.max(initial=0.0)))
    return max(bad, 0.0)


def check(hone, model, options):
    with tempfile.TemporaryDirectory() as d:
        out = d + "/out.onnx"
        r = subprocess.run([hone, "opt", model, "-o", out, "-q", *options], capture_output=True, text=True, timeout=900)
        if r.returncode:
            return "hone: exit %d %s" % (r.returncode, r.stderr.strip()[:300])
        try:
            onnx.checker.check_model(out, full_check=True)
        except Exception as e:
            return "checker: " + str(e)[:300]
        try:
            s = session(out)
            for ins, want in data_sets(model):
                gap = worst(s.run(None, feeds(s, ins)), want)
                if gap > 0:
                    o = session(model)
                    own = worst(o.run(None, feeds(o, ins)), want)
                    scale = max([1.0] + [float(np.abs(w).max(initial=0)) for w in want if w.dtype.kind == "f"])
                    if gap > 4 * own + 2.5e-7 * scale:  # two units in the last place of the largest element
                        return "outputs differ by %g beyond tolerance (original: %g)" % (gap, own)
        except Exception as e:
            return "onnxruntime: " + str(e)[:300]
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("corpus")
    p.add_argument("--only", default="")
    p.add_argument("--options", default="")
    a = p.parse_args()
    models = sorted(glob.glob(a.corpus + "/models/*/model.onnx") + glob.glob(a.corpus + "/torchgen/*/model.onnx") +
                    glob.glob(a.corpus + "/onnx-light/*/*.onnx"))
    passed = failed = 0
    for m in models:
        if a.only not in m:
            continue
        why = check(a.hone, m, shlex.split(a.options))
        if why:
            failed += 1
            print("FAIL", os.path.relpath(m, a.corpus), why, flush=True)
        else:
            passed += 1
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


main()
