#!/usr/bin/env python3
"""Time of one run, and from file to first run, against other runtimes: A B A B, medians of medians.

usage: run_models.py HONE OUT.md MODEL.onnx... [--threads 1,2] [--rounds 3] [--seconds 1] [--peers onnxruntime,openvino]

Each measurement is a process of its own. hone runs as `hone bench`; a peer is the Python package of its name, with all
its optimisations. A ratio is the peer's median time over hone's: above 1 hone is faster. `ready` is the time from the file
to the end of the first run. Inputs are seeded by use, the same rule for all.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time


def feeds_for(inputs):
    """Inputs (name, shape, type text) as arrays: indices small, masks on, the rest normal; open sizes are 1."""
    import numpy as np
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


def timed(run, seconds):
    run()
    start = time.perf_counter()
    while time.perf_counter() - start < seconds / 10:
        run()
    spans, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds or len(spans) < 5:
        t = time.perf_counter()
        run()
        spans.append(time.perf_counter() - t)
    return statistics.median(spans)


def measure_onnxruntime(path, threads, seconds):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    start = time.perf_counter()
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    load = time.perf_counter() - start
    feeds = feeds_for([(i.name, i.shape, i.type) for i in session.get_inputs()])
    start = time.perf_counter()
    session.run(None, feeds)
    first = time.perf_counter() - start
    return load + first, load, timed(lambda: session.run(None, feeds), seconds)


def measure_openvino(path, threads, seconds):
    import openvino as ov
    start = time.perf_counter()
    core = ov.Core()
    model = core.compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                                             "INFERENCE_PRECISION_HINT": "f32"})
    load = time.perf_counter() - start
    inputs = [(i.any_name, [d.get_length() if d.is_static else 1 for d in i.partial_shape], str(i.element_type))
              for i in model.inputs]
    feeds = feeds_for(inputs)
    request = model.create_infer_request()
    start = time.perf_counter()
    request.infer(feeds)
    first = time.perf_counter() - start
    return load + first, load, timed(lambda: request.infer(feeds), seconds)


def child(argv):
    """One measurement of a peer, printed as JSON."""
    peer, path, threads, seconds = argv[0], argv[1], int(argv[2]), float(argv[3])
    ready, load, run = globals()["measure_" + peer](path, threads, seconds)
    print(json.dumps({"ready": ready, "load": load, "run": run,
                      "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


def peer_once(peer, path, threads, seconds):
    env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
    done = subprocess.run([sys.executable, __file__, "--child", peer, path, str(threads), str(seconds)], capture_output=True,
                          text=True, env=env)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else None


def hone_once(hone, path, threads, seconds):
    done = subprocess.run(["/usr/bin/env", hone, "bench", "--json", "-j", str(threads), "--seconds", str(seconds), path],
                          capture_output=True, text=True)
    if done.returncode:
        return None
    r = json.loads(done.stdout)["results"][0]
    return {"ready": r["load_s"] + r["first_run_s"], "load": r["load_s"], "run": r["median_s"], "memory": r.get("peak_bytes", 0)}


def median_of(runs, key):
    values = [r[key] for r in runs if r]
    return statistics.median(values) if values else None


def compiled(hone, path, work):
    """The model compiled to a file; None when that fails."""
    out = os.path.join(work, os.path.basename(path) + ".hone")
    if not os.path.exists(out) and subprocess.run([hone, "compile", "-q", "--no-verify", path, "-o", out]).returncode:
        return None
    return out


def geomean(v):
    return statistics.geometric_mean(v) if v else float("nan")


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2:])
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("hone")
    p.add_argument("out")
    p.add_argument("models", nargs="+")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--peers", default="onnxruntime")
    p.add_argument("--work", help="keep compiled models here, and measure them too")
    a = p.parse_args()
    peers = a.peers.split(",")
    lines, ratios = [], {}
    for path in a.models:
        name = os.path.basename(path)
        if name in ("model.onnx",):
            name = os.path.basename(os.path.dirname(path))
        name = name.removesuffix(".onnx")
        for threads in map(int, a.threads.split(",")):
            runs = {k: [] for k in ["hone", *peers]}
            for _ in range(a.rounds):
                runs["hone"].append(hone_once(a.hone, path, threads, a.seconds))
                for peer in peers:
                    runs[peer].append(peer_once(peer, path, threads, a.seconds))
            own, cells = median_of(runs["hone"], "run"), []
            ready = median_of(runs["hone"], "ready")
            mapped = None
            if a.work and (c := compiled(a.hone, path, a.work)):
                mapped = median_of([hone_once(a.hone, c, threads, 0.1) for _ in range(a.rounds)], "ready")
            for peer in peers:
                t = median_of(runs[peer], "run")
                if not t or not own:
                    cells += ["-", "-"]
                    continue
                ratios.setdefault((peer, threads), []).append(t / own)
                pr = median_of(runs[peer], "ready")
                ratios.setdefault((peer + " ready", threads), []).append(pr / ready)
                if mapped:
                    ratios.setdefault((peer + " ready .hone", threads), []).append(pr / mapped)
                cells += [f"{t * 1e6:.0f}", f"**{t / own:.2f}**", f"{pr * 1e3:.0f}", f"{pr / ready:.1f}",
                          f"{pr / mapped:.0f}" if mapped else "-"]
            lines.append(f"| {name} | {threads} | {own * 1e6:.0f} | {ready * 1e3:.1f} | " + " | ".join(cells) + " |" if own
                         else f"| {name} | {threads} | failed |")
            print(lines[-1], flush=True)
    with open(a.out, "w") as f:
        f.write("# Time of a run against other runtimes\n\n")
        f.write(f"`bench/peers/run_models.py`, {a.rounds} rounds, alternating, medians; float32, batch 1; microseconds a run. "
                "`ready`: milliseconds from the file to the end of the first run; `x .hone`: the same from a compiled file.\n\n")
        head = "| model | threads | hone us | hone ready ms | "
        head += " | ".join(f"{q} us | ratio | {q} ready ms | x | x .hone" for q in peers) + " |"
        f.write(head + "\n|" + " --- |" * (head.count("|") - 1) + "\n" + "\n".join(lines) + "\n\n")
        for (peer, threads), v in sorted(ratios.items()):
            f.write(f"- {peer}, {threads} thread{'s' if threads > 1 else ''}: geometric mean {geomean(v):.2f}, least "
                    f"{min(v):.2f}, over {len(v)} models\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
