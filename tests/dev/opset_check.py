#!/usr/bin/env python3
"""Development check: models that `hone convert --opset N` writes pass onnx.checker and still give the stored outputs.

usage: opset_check.py HONE CASES [--every K] [--opsets 28,21,17,...] [--only TEXT] [--ort]

CASES is a folder of operator cases (model.onnx and test_data_set_0 in each). Every K-th case is converted to each opset. What
hone refuses is counted by its reason; what it writes is held against onnx.checker (full check), hone itself on the stored
data, and with --ort ONNX Runtime on models that it loads. Ends with "N passed, N failed, N refused".
"""
import argparse, collections, glob, os, re, subprocess, sys, tempfile
import onnx
from onnx import numpy_helper


def ort_differs(path, case):
    import numpy as np, onnxruntime as ort
    o = ort.SessionOptions()
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    o.log_severity_level = 4
    try:
        s = ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])
    except Exception:
        return ""
    def load(kind, i):
        t = onnx.TensorProto()
        t.ParseFromString(open(f"{case}/test_data_set_0/{kind}_{i}.pb", "rb").read())
        return numpy_helper.to_array(t)
    try:
        feed = {x.name: load("input", i) for i, x in enumerate(s.get_inputs())}
        want = [load("output", i) for i, _ in enumerate(s.get_outputs())]
        got = s.run(None, feed)
    except Exception:
        return ""
    for w, g in zip(want, got):
        if w.dtype.kind in "fiub" and not np.allclose(w.astype(float), g.astype(float), 1e-3, 1e-5, equal_nan=True):
            return "onnxruntime differs"
    return ""


def failure(hone, out, case, options):
    try:
        onnx.checker.check_model(out, full_check=True)
    except Exception as e:
        return "checker: " + str(e).strip().splitlines()[0][:150]
    r = subprocess.run([hone, "verify", out, "--data", case], capture_output=True, text=True)
    if r.returncode:
        return "hone: " + (r.stdout + r.stderr).strip()[:200]
    return ort_differs(out, case) if options.ort else ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("cases")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--opsets", default="28,25,23,21,20,18,17,15,13,12,11,10,9,8,7,6")
    p.add_argument("--only", default="")
    p.add_argument("--ort", action="store_true")
    a = p.parse_args()
    passed = failed = 0
    refused = collections.Counter()
    example = {}
    cases = [c for c in sorted(glob.glob(a.cases + "/*")) if a.only in c and os.path.exists(c + "/model.onnx")]
    with tempfile.TemporaryDirectory() as tmp:
        for case in cases[::a.every]:
            for opset in map(int, a.opsets.split(",")):
                out = tmp + "/out.onnx"
                r = subprocess.run([a.hone, "convert", case + "/model.onnx", "-o", out, "--opset", str(opset)],
                                   capture_output=True, text=True)
                name = f"{os.path.basename(case)} -> {opset}"
                if r.returncode not in (0, 4):
                    failed += 1
                    print(f"FAIL {name}: exit {r.returncode} {r.stderr[:200]}")
                elif r.returncode == 4:
                    why = re.sub(r"\d+", "#", r.stderr.split("error: ")[-1].split("\n")[0])
                    refused[why] += 1
                    example.setdefault(why, name)
                else:
                    why = failure(a.hone, out, case, a)
                    passed += not why
                    failed += bool(why)
                    if why:
                        print(f"FAIL {name}: {why}")
    for why, n in refused.most_common():
        print(f"REFUSED {n}: {why} ({example[why]})")
    print(f"{passed} passed, {failed} failed, {sum(refused.values())} refused")
    return failed != 0


sys.exit(main())
