#!/usr/bin/env python3
"""Development check: ONNX that hone makes of StableHLO, run by onnxruntime, against hone's evaluator on the StableHLO.

usage: stablehlo_onnx_check.py HONE FILE.mlir|DIR|FILE.t... [--only TEXT] [--jobs N]

Modules are those of the files; of a golden file (.t) all inputs of cases that call `verify`. Each is optimised into ONNX and run on
three sets of seeded inputs; integers go beyond what they index on both sides, and a scalar i32 stays small, since it counts
rounds. A module that checks itself (`call @inputs`, `call @expected`, check.expect...) gets its inputs as arguments instead, so
that nothing is folded, and its results are held against the expected ones too. What hone refuses by a message, and what
onnxruntime has no kernel for, is not run, and counted. Needs numpy, ml_dtypes, onnx and onnxruntime. Exit 1 when one failed."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
import onnxruntime

import report

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64, "i32": np.int32,
         "i16": np.int16, "i8": np.int8, "ui64": np.uint64, "ui32": np.uint32, "ui16": np.uint16, "ui8": np.uint8, "i1": np.bool_}
RTOL = {"bfloat16": 2e-2, "float16": 2e-3}
NO_KERNEL = ("NOT_IMPLEMENTED", "Could not find an implementation", "is not a registered function/op",
             "is not supported with", "Unexpected data type")


class NotRun(Exception):
    pass


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
    if element not in TYPES:
        raise NotRun("inputs of type " + element)
    dtype = np.dtype(TYPES[element])
    if dtype.kind in "fV":
        return rng.standard_normal(dims).astype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, dims)).astype(dtype)
    return np.asarray(rng.integers(-3 if dtype.kind == "i" else 0, 9, dims)).astype(dtype)


def hone(exe, *args):
    p = subprocess.run([exe, *args], capture_output=True, text=True)
    if p.returncode == 4:
        raise NotRun("hone: " + p.stderr.strip().splitlines()[0][:200])
    if p.returncode:
        raise RuntimeError("hone %s: %s" % (args[0], p.stderr.strip()[:300]))
    return p.stdout


def results(exe, path, folder, *more):
    """What the evaluator gives, in order."""
    said = json.loads(hone(exe, "run", "--json", "--reference", path, "-o", folder, *more))
    return [np.load("%s/%s.npy" % (folder, o["name"] or "output_%d" % i)) for i, o in enumerate(said["outputs"])]


def main_parts(text):
    """Where main's body begins and ends, and its head."""
    head = re.search(r"func\.func (?:public )?@main\(\) .*\{$", text, re.M)
    if not head or "call @inputs()" not in text:
        return None
    end = text.index("\n  }\n", head.end())
    return head, text[head.end():end], end


def returning(text, function):
    """The module with a main that returns what the function does."""
    head, _, end = main_parts(text)
    kinds = re.search(r"call @%s\(\) : \(\) -> (.*)$" % function, text, re.M).group(1).strip("()")
    n = len(split_types(kinds))
    names = ", ".join("%%r#%d" % i for i in range(n)) if n > 1 else "%r"
    body = "\n    %%r%s = call @%s() : () -> (%s)\n    return %s : %s" % (":%d" % n if n > 1 else "", function, kinds, names, kinds)
    return text[:head.start()] + "func.func @main() -> (%s) {" % kinds + body + text[end:]


def split_types(text):
    """At the commas outside of angle brackets."""
    out, depth = [""], 0
    for c in text:
        depth += (c == "<") - (c == ">")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [t.strip() for t in out if t.strip()]


def with_arguments(text):
    """The module whose inputs are arguments of main, and whose check is gone."""
    head, body, end = main_parts(text)
    call = re.search(r"^ *(%\w+)(?::(\d+))? = call @inputs\(\) : \(\) -> (.*)\n", body, re.M)
    kinds = split_types(call.group(3).strip("()"))
    if len(kinds) != int(call.group(2) or 1):
        raise NotRun("inputs in another form")
    body = body.replace(call.group(0), "")
    body = re.sub(r"^.*call @expected\(\).*\n", "", body, flags=re.M)
    body = re.sub(r"^.*(check\.expect|@check\.).*\n", "", body, flags=re.M)
    name = call.group(1)
    for i in range(len(kinds)):
        body = re.sub(re.escape(name) + (r"#%d\b" % i if call.group(2) else r"\b(?![#\w])"), "%%argument%d" % i, body)
    arguments = ", ".join("%%argument%d: %s" % (i, k) for i, k in enumerate(kinds))
    return text[:head.start()] + head.group(0).replace("@main()", "@main(%s)" % arguments) + body + text[end:], kinds


def to_onnx(exe, source, target):
    try:
        hone(exe, "opt", "-q", source, "-o", target)
    except NotRun as e:
        p = subprocess.run([exe, "opt", "-q", source, "-o", target], capture_output=True, text=True)
        later = re.search(r"\(--opset (\d+)\)", p.stderr)
        if not later:
            raise e
        hone(exe, "opt", "-q", source, "-o", target, "--opset", later.group(1))


def value(array):
    if array.dtype == ml_dtypes.bfloat16:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(np.atleast_1d(array).view(np.uint16).reshape(array.shape),
                                                                      onnx.TensorProto.BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def run_onnx(path, arrays):
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feed = {i.name: value(a) for i, a in zip(session.get_inputs(), arrays)}
        if any("bfloat16" in o.type for o in session.get_outputs()):
            raise NotRun("results of type bfloat16")
        return [v.numpy() for v in session.run_with_ort_values(None, feed)]
    except Exception as e:
        if any(text in str(e) for text in NO_KERNEL):
            raise NotRun("onnxruntime: " + str(e)[:200].replace("\n", " "))
        raise


def differ(got, want, what):
    if len(got) != len(want):
        return "%d results, %d %s" % (len(got), len(want), what)
    for k, (g, w) in enumerate(zip(got, want)):
        wide = np.complex128 if np.iscomplexobj(w) else np.float64
        rtol = RTOL.get(g.dtype.name, 1e-4)
        if g.shape != w.shape:
            return "result %d is %s, %s %s" % (k, g.shape, what, w.shape)
        g, w = g.astype(wide), w.astype(wide)
        top = np.abs(w[np.isfinite(w)]).max(initial=1)
        if not np.allclose(g, w, rtol, rtol / 10 * top, equal_nan=True):
            bad = ~np.isclose(g, w, rtol, rtol / 10 * top, equal_nan=True)
            at = tuple(i[0] for i in np.nonzero(bad))
            return "result %d%s is %s, %s %s (%d of %d)" % (k, list(map(int, at)), g[at], what, w[at], bad.sum(), bad.size)
    return None


def sets_of_inputs(kinds, given):
    if given:
        yield 0, given
        return
    for seed in range(3):
        rng = np.random.default_rng(seed)
        arrays = [drawn(k, rng) for k in kinds]
        if any("?" in k for k in kinds): # a scalar may say the sizes
            arrays = [np.full_like(a, 3) if k in ("i32", "i64") else a for k, a in zip(kinds, arrays)]
        yield seed, arrays


def compare(exe, text, folder):
    source, target, given, want_too = folder + "/m.mlir", folder + "/m.onnx", None, None
    if main_parts(text):
        for function in ("inputs", "expected"):
            open(folder + "/%s.mlir" % function, "w").write(returning(text, function))
        os.mkdir(folder + "/d")
        given = results(exe, folder + "/inputs.mlir", folder + "/d")
        want_too = results(exe, folder + "/expected.mlir", folder + "/d")
        text, kinds = with_arguments(text)
        kinds = [re.sub(r"^tensor<(.*)>$", r"\1", k) for k in kinds]
        for k in kinds:
            if k.split("x")[-1] not in TYPES:
                raise NotRun("inputs of type " + k.split("x")[-1])
        given = [np.asarray(a).astype(TYPES[k.split("x")[-1]]) for a, k in zip(given, kinds)]
    else:
        head = re.search(r"@main\((.*)$", text, re.M).group(1).split("->")[0]
        kinds = re.findall(r"%\w+: tensor<([^>]*)>", head)
    open(source, "w").write(text)
    to_onnx(exe, source, target)
    for seed, arrays in sets_of_inputs(kinds, given):
        more = []
        for i, a in enumerate(arrays):
            path = "%s/in%d.%s" % (folder, i, "pb" if a.dtype == ml_dtypes.bfloat16 else "npy") # .npy has no bfloat16
            if path.endswith("pb"):
                onnx.save_tensor(onnx.numpy_helper.from_array(a), path)
            else:
                np.save(path, a)
            more += ["-i", path]
        want = results(exe, source, folder, *more)
        got = run_onnx(target, arrays)
        why = differ(got, want, "expected")
        if not why and want_too and len(want_too) == len(got):
            why = differ(got, want_too, "stored")
        if why:
            return "seed %d: %s" % (seed, why)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hone")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    a = parser.parse_args()

    def check(text):
        if "RUN-DISABLED" in text:
            return "not run", "disabled upstream"
        with tempfile.TemporaryDirectory() as folder:
            try:
                why = compare(a.hone, text, folder)
            except NotRun as e:
                return "not run", str(e)
            return ("failed", why) if why else ("passed", "")

    found = [m for m in modules(a.paths) if a.only in m[0]]
    return not report.run(found, check, a.jobs, third="not run")


if __name__ == "__main__":
    sys.exit(main())
