#!/usr/bin/env python3
"""One measurement of one runtime on one model, in a process of its own; prints JSON. run_models.py calls it.

usage: peers.py PEER MODEL.onnx THREADS SECONDS WORK [EXPORTER.py]

onnxruntime  all optimisations, CPU provider, by its C API (onnxruntime.c, compiled into WORK) with the library in the wheel
openvino     latency hint, float32
iree         compiled ahead (iree-compile, llvm-cpu for this host, O3; kept in WORK), timed by iree-benchmark-module
torch        the model that EXPORTER.py hands to torch.onnx.export under this name; traced, frozen and optimised for inference
             where torch can do that, else eager

Prints: load (file to ready, seconds), ready (to the end of the first run), run (median), least, memory (peak resident bytes:
of the whole process where that is a C program; else less what it held before it loaded the model, the interpreter and the
package). What a peer has no notion of is left out. Inputs are seeded by use, the same rule for all. With SECONDS 0 a peer that
is compiled ahead is compiled only.
"""
import glob
import importlib.util
import json
import os
import re
import runpy
import statistics
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def feeds_for(inputs):
    """Inputs (name, shape, type text) as arrays: indices small, masks on, the rest normal; open sizes are 1."""
    rng = np.random.default_rng(0)
    feeds = {}
    for name, shape, kind in inputs:
        shape = [d if isinstance(d, int) and d > 0 else 1 for d in shape]
        if "int64" in kind or "i64" in kind:
            feeds[name] = rng.integers(0, 2, shape).astype(np.int64)
        elif "int32" in kind or "i32" in kind:
            feeds[name] = rng.integers(0, 2, shape).astype(np.int32)
        elif "bool" in kind:
            feeds[name] = np.ones(shape, bool)
        else:
            feeds[name] = rng.standard_normal(shape).astype(np.float32)
    return feeds


def status_bytes(key):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith(key + ":"))


def timed(run, seconds):
    """Median and least of single runs; a tenth of the time warms up."""
    start = time.perf_counter()
    while time.perf_counter() - start < seconds / 10:
        run()
    spans, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds or len(spans) < 5:
        t = time.perf_counter()
        run()
        spans.append(time.perf_counter() - t)
    return {"run": statistics.median(spans), "least": min(spans)}


def phases(load, prepare, seconds):
    """load() gives what prepare(it) makes two functions of, which is not timed: one for the first run, and one that makes of
    its result the function of a further run."""
    before = status_bytes("VmRSS")
    start = time.perf_counter()
    loaded = load()
    span = time.perf_counter() - start
    first, further = prepare(loaded)
    start = time.perf_counter()
    result = first()
    ready = span + time.perf_counter() - start
    memory = status_bytes("VmHWM") - before
    return {"load": span, "ready": ready, "memory": memory, **timed(further(result), seconds)}


def onnxruntime_driver(work):
    """The program that times ONNX Runtime by its C API, compiled into WORK, and the library of the wheel."""
    source, program = os.path.join(HERE, "onnxruntime.c"), os.path.join(work, "onnxruntime-bench")
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O2", source, "-o", program, "-ldl", "-lm"], check=True)
    package = importlib.util.find_spec("onnxruntime").submodule_search_locations[0]
    return program, glob.glob(os.path.join(package, "capi", "libonnxruntime.so*"))[0]


def measure_onnxruntime(path, threads, seconds, work, exporter):
    program, library = onnxruntime_driver(work)
    done = subprocess.run([program, library, path, str(threads), str(seconds)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def measure_openvino(path, threads, seconds, work, exporter):
    import openvino as ov

    def load():
        core = ov.Core()
        return core.compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                                                "INFERENCE_PRECISION_HINT": "f32"})

    def prepare(model):
        inputs = [(i.any_name, [d.get_length() if d.is_static else 1 for d in i.partial_shape], str(i.element_type))
                  for i in model.inputs]
        feeds = feeds_for(inputs)
        request = model.create_infer_request()
        return lambda: request.infer(feeds), lambda result: lambda: request.infer()
    return phases(load, prepare, seconds)


IREE_IMPORT = ["--opset-version", "17", "--externalize-params"]
IREE_COMPILE = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-llvmcpu-stack-allocation-limit=1048576"]
IREE_SECONDS = 1800  # of compilation


def iree_compile(path, name, work):
    """WORK/NAME.vmfb and its parameters, made unless they are there; False when IREE refuses the model. WORK/NAME.failed then
    says why."""
    base, tools = os.path.join(work, name), os.path.dirname(sys.executable)
    if os.path.exists(base + ".vmfb"):
        return True
    if os.path.exists(base + ".failed"):
        return False
    why = ""
    for command in ([os.path.join(tools, "iree-import-onnx"), path, "-o", base + ".mlir", *IREE_IMPORT,
                     "--save-params-to", base + ".irpa"],
                    [os.path.join(tools, "iree-compile"), base + ".mlir", *IREE_COMPILE, "-o", base + ".part"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=IREE_SECONDS)
            why = why or (done.stderr or "no message") if done.returncode else why
        except subprocess.TimeoutExpired:
            why = f"takes more than {IREE_SECONDS} s"
        if why:
            break
    if why:
        with open(base + ".failed", "w") as f:
            f.write(why)
    else:
        os.rename(base + ".part", base + ".vmfb")
    if os.path.exists(base + ".mlir"):
        os.remove(base + ".mlir")
    return not why


def iree_inputs(path):
    import onnx
    graph = onnx.load(path, load_external_data=False).graph
    constants, flags = {i.name for i in graph.initializer}, []
    kinds = {1: ("f32", "0.5"), 6: ("i32", "1"), 7: ("i64", "1"), 9: ("i1", "1"), 11: ("f64", "0.5")}
    for i in graph.input:
        if i.name in constants:
            continue
        kind, value = kinds[i.type.tensor_type.elem_type]
        dims = [str(d.dim_value or 1) for d in i.type.tensor_type.shape.dim]
        flags.append("--input=" + "x".join([*dims, kind]) + "=" + value)
    return graph.name, flags


def measure_iree(path, threads, seconds, work, exporter):
    name, tools = model_name(path), os.path.dirname(sys.executable)
    if not iree_compile(path, name, work):
        raise RuntimeError("iree-compile refuses the model")
    if not seconds:
        return {}
    function, inputs = iree_inputs(path)
    base = os.path.join(work, name)
    device = ["--device=local-sync"] if threads == 1 else ["--device=local-task", f"--task_topology_group_count={threads}"]
    done = subprocess.run([os.path.join(tools, "iree-benchmark-module"), f"--module={base}.vmfb", *device, *inputs,
                           f"--parameters=model={base}.irpa", "--function=" + re.sub("[^A-Za-z0-9_$.]", "_", function),
                           f"--benchmark_min_time={seconds / 5:.3f}s", "--benchmark_repetitions=5",
                           "--benchmark_format=json"], capture_output=True, text=True)
    runs = [b for b in json.loads(done.stdout[done.stdout.index("{"):])["benchmarks"] if b["run_type"] == "iteration"]
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    spans = [b["real_time"] * unit[b["time_unit"]] for b in runs if not b.get("error_occurred")]
    return {"run": statistics.median(spans), "least": min(spans)}


def open_sizes_at_one(args, options):
    """The arguments of an export; what is open in the ONNX file has size 1, as in the feeds of the other peers."""
    axes = options.get("dynamic_axes") or {}
    args = list(args)
    for i, name in enumerate(options.get("input_names") or ()):
        for axis in axes.get(name, ()):
            args[i] = args[i].narrow(axis, 0, 1).contiguous()
    return tuple(args)


def exported_model(exporter, name, work):
    """The module and arguments that the exporter gives to torch.onnx.export for NAME.onnx; nothing is exported."""
    import torch
    found, export, argv = [], torch.onnx.export, sys.argv

    def catch(model, args, path, **options):
        open(path, "w").close()
        if os.path.basename(path) == name + ".onnx":
            found.append((model, open_sizes_at_one(args if isinstance(args, tuple) else (args,), options)))
    torch.onnx.export, sys.argv = catch, [exporter, os.path.join(work, "torch-exports"), name]
    try:
        runpy.run_path(exporter, run_name="__main__")
    finally:
        torch.onnx.export, sys.argv = export, argv
    return found[0]


def measure_torch(path, threads, seconds, work, exporter):
    import torch
    torch.set_num_threads(threads)
    model, args = exported_model(exporter, model_name(path), work)
    with torch.inference_mode():
        try:
            traced = torch.jit.optimize_for_inference(torch.jit.trace(model, args, check_trace=False))
            traced(*args)
            traced(*args)
        except Exception:  # whatever torch's compiler cannot do runs eagerly
            traced = model
        return timed(lambda: traced(*args), seconds)


def model_name(path):
    name = os.path.basename(path)
    return os.path.basename(os.path.dirname(path)) if name == "model.onnx" else name.removesuffix(".onnx")


def main():
    peer, path, threads, seconds, work = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
    exporter = sys.argv[6] if len(sys.argv) > 6 else None
    os.makedirs(work, exist_ok=True)
    stdout, sys.stdout = sys.stdout, sys.stderr  # packages print
    result = globals()["measure_" + peer](path, threads, seconds, work, exporter)
    print(json.dumps(result), file=stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
