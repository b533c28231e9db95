#!/usr/bin/env python3
"""Development check: stored models, written as C by `hone compile -o x.c`, compile without a warning and give the stored results.

usage: csource_check.py HONE DIR... [--cc gcc,clang] [--only TEXT] [--keep DIR] [--jobs N]

A model is a directory DIR/NAME with model.onnx and test_data_set_0. Sizes are those of the stored inputs. Results are compared at
rtol 1e-3 and atol 1e-4, or those of a run of the plan where stored results are further away. Needs the packages onnx and numpy.
Ends with "N passed, N failed, N refused".
"""
import argparse, ctypes, glob, os, re, subprocess, sys, tempfile
import numpy as np, onnx
import report
from onnx import numpy_helper

FLAGS = "-std=c11 -Wall -Wextra -Werror -O1 -shared -fPIC".split()


def stored(path):
    t = onnx.TensorProto()
    with open(path, "rb") as f:
        t.ParseFromString(f.read())
    return numpy_helper.to_array(t)


def numbered(folder, kind):
    return sorted(glob.glob(f"{folder}/{kind}_*.pb"), key=lambda p: int(p.rsplit("_", 1)[1][:-3]))


# Elements that may differ: scores are kept where a sigmoid equals its maximum, which rounding decides.
TIES = {"mlsd_320x320_large": 0.01, "mlsd_320x320_tiny": 0.01}


def outputs_of(library, weights, inputs, shapes):
    lib = ctypes.CDLL(library)
    if os.path.exists(weights) and lib.model_load(weights.encode()):
        raise RuntimeError("the weights cannot be loaded")
    room = [s.size for s in shapes]
    if hasattr(lib, "model_size"):  # sizes depend on data: the header says how large they can be
        with open(os.path.dirname(library) + "/model.h") as f:
            dims = re.findall(r"^ \* out\[\d+\]: .*\[(.*)\]$", f.read(), re.M)
        room = [int(np.prod([int(d.split()[-1]) for d in text.split(",") if d])) for text in dims]
    outs = [np.zeros(n, s.dtype) for n, s in zip(room, shapes)]
    pin = (ctypes.c_void_p * max(1, len(inputs)))(*[x.ctypes.data for x in inputs])
    pout = (ctypes.c_void_p * max(1, len(outs)))(*[x.ctypes.data for x in outs])
    if lib.model(pin, pout):
        raise RuntimeError("the function failed")
    if hasattr(lib, "model_size"):
        lib.model_size.restype = ctypes.c_long
        sizes = [tuple(lib.model_size(i, d) for d in range(s.ndim)) for i, s in enumerate(shapes)]
    else:
        sizes = [s.shape for s in shapes]
    return [out[:int(np.prod(size))].reshape(size) for out, size in zip(outs, sizes)]


def run_in_child(fn, *args):
    """A crash of compiled code must not end the check."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            message = fn(*args) or ""
        except Exception as e:
            message = f"{type(e).__name__}: {e}"
        os.write(write, message.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        message = f.read()
    _, status = os.waitpid(pid, 0)
    return message or (f"died by signal {status}" if status else "")


def compare(library, weights, inputs, wanted, ties):
    for i, (got, want) in enumerate(zip(outputs_of(library, weights, inputs, wanted), wanted)):
        if got.shape != want.shape:
            return f"output {i} has size {got.shape}, {want.shape} is expected"
        close = np.isclose(got.astype(np.float64), want.astype(np.float64), 1e-3, 1e-4, equal_nan=True)
        if np.sum(~close) > ties * close.size:
            far = np.nanmax(np.abs(got.astype(np.float64) - want.astype(np.float64)))
            return f"output {i} differs by up to {far:.3g}"
    return ""


def plan_outputs(hone, model, names, inputs, dims, folder, outputs):
    for k, x in enumerate(inputs):
        np.save(f"{folder}/in{k}.npy", x)
    given = [a for k, n in enumerate(names) for a in ("-i", f"{n}={folder}/in{k}.npy")]
    r = subprocess.run([hone, "run", model, "-q", "-o", folder + "/out", *given, *dims], capture_output=True, text=True)
    return [np.load(f"{folder}/out/{n}.npy") for n in outputs] if r.returncode == 0 else None


def check(hone, folder, compilers, keep):
    ties = TIES.get(os.path.basename(folder), 0)
    model, data = folder + "/model.onnx", folder + "/test_data_set_0"
    graph = onnx.load(model, load_external_data=False).graph
    inside = {i.name for i in graph.initializer}
    names = [i.name for i in graph.input if i.name not in inside]
    inputs = [np.array(stored(p), order="C") for p in numbered(data, "input")]
    wanted = [np.array(stored(p), order="C") for p in numbered(data, "output")]
    dims = [a for n, x in zip(names, inputs) for a in (["--shape", n + "=" + ",".join(map(str, x.shape))] if x.ndim else [])]
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(keep or scratch, os.path.basename(folder)) if keep else scratch
        os.makedirs(out, exist_ok=True)
        source = out + "/model.c"
        r = subprocess.run([hone, "compile", model, "-o", source, "--no-verify", "-q", *dims], capture_output=True, text=True)
        if r.returncode:
            return "refused", r.stderr.strip().split("\n")[0]
        for cc in compilers:
            r = subprocess.run([cc, *FLAGS, source, "-o", out + f"/{cc}.so", "-lm"], capture_output=True, text=True)
            if r.returncode:
                return "failed", f"{cc}: " + "\n".join(r.stderr.strip().split("\n")[:3])
            message = run_in_child(compare, out + f"/{cc}.so", out + "/model.bin", inputs, wanted, ties)
            if message.startswith("output"):
                plan = plan_outputs(hone, model, names, inputs, dims, out, [o.name for o in graph.output])
                message = run_in_child(compare, out + f"/{cc}.so", out + "/model.bin", inputs, plan, ties) if plan else message
            if message:
                return "failed", f"{cc}: {message}"
    return "passed", ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("dirs", nargs="+")
    p.add_argument("--cc", default="gcc,clang")
    report.add_arguments(p, jobs=True)
    a = p.parse_args()
    found = report.cases((sorted(glob.glob(d + "/*/model.onnx")) for d in a.dirs), a.only)
    return report.run(found, lambda model: check(a.hone, os.path.dirname(model), a.cc.split(","), a.keep), a.jobs, "refused")


sys.exit(not main())
