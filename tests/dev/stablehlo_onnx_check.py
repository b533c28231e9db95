#!/usr/bin/env python3
"""Development check: ONNX that hone makes of StableHLO, run by onnxruntime, against hone's evaluator on the StableHLO.

usage: stablehlo_onnx_check.py HONE FILE.mlir|DIR|FILE.t...

Modules are those of the files; of a golden file (.t) all inputs of cases that call `verify`. Each is optimised into ONNX and run on
three sets of seeded inputs; integers go beyond what they index on both sides, and a scalar i32 stays small, since it counts
rounds. Needs numpy and onnxruntime. Ends with "N passed, N failed"; exit 1 when one failed."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16,
         "i8": np.int8, "ui8": np.uint8, "i1": np.bool_}


def modules(paths):
    for path in paths:
        if path.endswith(".t"):
            for i, case in enumerate(open(path).read().split("\n====\n")):
                head, body = case.split("\n---\n")[:2]
                if "verify" in head and "func.func" in body:
                    yield "%s case %d" % (os.path.basename(path), i + 1), body
        else:
            for name in sorted(glob.glob(path + "/*.mlir")) if os.path.isdir(path) else [path]:
                yield os.path.basename(name), open(name).read()


def drawn(kind, rng):
    *dims, element = kind.split("x")
    dims = [3 if d == "?" else int(d) for d in dims]
    dtype = np.dtype(TYPES[element])
    if dtype.kind == "f":
        return rng.standard_normal(dims).astype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, dims)).astype(dtype)
    return np.asarray(rng.integers(-3 if dtype.kind == "i" else 0, 9, dims)).astype(dtype)


def compare(hone, text, folder):
    source, target = folder + "/m.mlir", folder + "/m.onnx"
    open(source, "w").write(text)
    p = subprocess.run([hone, "opt", "-q", source, "-o", target], capture_output=True, text=True)
    if p.returncode:
        return p.stderr.strip()[:300]
    head = re.search(r"@main\((.*)$", text, re.M).group(1).split("->")[0]
    kinds = re.findall(r"%\w+: tensor<([^>]*)>", head)
    session = onnxruntime.InferenceSession(target, providers=["CPUExecutionProvider"])
    for seed in range(3):
        rng = np.random.default_rng(seed)
        arrays = [drawn(k, rng) for k in kinds]
        command = [hone, "run", "--json", "--reference", source, "-o", folder]
        for i, a in enumerate(arrays):
            np.save("%s/in%d.npy" % (folder, i), a)
            command += ["-i", "%s/in%d.npy" % (folder, i)]
        p = subprocess.run(command, capture_output=True, text=True)
        if p.returncode:
            return "hone run: " + p.stderr.strip()[:300]
        names = [o["name"] or "output_%d" % i for i, o in enumerate(json.loads(p.stdout)["outputs"])]
        want = [np.load("%s/%s.npy" % (folder, n)) for n in names]
        got = session.run(None, {i.name: a for i, a in zip(session.get_inputs(), arrays)})
        for g, w in zip(got, want):
            if g.shape != w.shape or not np.allclose(g.astype(np.float64), w.astype(np.float64), 1e-4, 1e-5, equal_nan=True):
                return "seed %d: results differ" % seed
        if len(got) != len(want):
            return "%d results, %d expected" % (len(got), len(want))
    return None


def main():
    passed = failed = 0
    for name, text in modules(sys.argv[2:]):
        with tempfile.TemporaryDirectory() as folder:
            try:
                why = compare(sys.argv[1], text, folder)
            except Exception as e:
                why = "%s: %s" % (type(e).__name__, str(e)[:300])
        passed += why is None
        failed += why is not None
        if why:
            print("FAIL %s: %s" % (name, why), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
