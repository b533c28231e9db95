#!/usr/bin/env python3
"""Node counts of hone, onnxsim, OnnxSlim and ONNX Runtime level 1 ("basic") on the same models.

usage: node_counts.py HONE CORPUS OUT.md [--peers-cache FILE] [--only TEXT]

HONE is the hone command; CORPUS a directory with models/, torchgen/ and onnx-light/ unpacked. Needs the Python packages
onnx, onnxruntime, onnxsim and onnxslim (a throw-away venv will do). Counted are all nodes of the main graph and of nested
graphs except Constant. Peers run with their defaults, each in a process of its own with a time limit; their results are
cached, since they do not change with hone. A peer's result with operators outside the standard does not count (onnxsim is
run again without the fusion that makes them). Two of the peers' defaults change what hone keeps unless asked: inputs that
have a default value become constants, and repeated numbers (ConstantOfShape) become data. So hone runs with --freeze-inputs
and --expand-constants, and the last column is what its own defaults give.
"""
import argparse, collections, glob, json, os, subprocess, sys, tempfile

COUNT = r"""
import sys, json, onnx
other = 0
def walk(g):
    global other
    n = 0
    for x in g.node:
        n += x.op_type != "Constant"
        other += x.domain not in ("", "ai.onnx")
        for a in x.attribute:
            if a.type == 5: n += walk(a.g)
            elif a.type == 10: n += sum(walk(s) for s in a.graphs)
    return n
m = onnx.load(sys.argv[1], load_external_data=False)
n = walk(m.graph)
print(n if not other else -n)
"""
SIM = "import sys, onnx, onnxsim; m, ok = onnxsim.simplify(onnx.load(sys.argv[1])); onnx.save(m, sys.argv[2])"
SIM_STANDARD = SIM.replace("sys.argv[1]))", "sys.argv[1]), skipped_optimizers=['fuse_attention'])")
SLIM = "import sys, onnx, onnxslim; onnx.save(onnxslim.slim(onnx.load(sys.argv[1])), sys.argv[2])"
ORT = """
import sys, onnxruntime as ort
o = ort.SessionOptions(); o.log_severity_level = 4
o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
o.optimized_model_filepath = sys.argv[2]
ort.InferenceSession(sys.argv[1], o, providers=["CPUExecutionProvider"])
"""


def count(path):
    r = subprocess.run([sys.executable, "-c", COUNT, path], capture_output=True, text=True, timeout=600)
    return int(r.stdout) if r.returncode == 0 else None


def peer(code, model, limit=300):
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "out.onnx")
        try:
            r = subprocess.run([sys.executable, "-c", code, model, out], capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        return count(out) if r.returncode == 0 and os.path.exists(out) else None


def hone(command, model, *options):
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "out.onnx")
        r = subprocess.run([command, "opt", model, "-o", out, "-q", *options], capture_output=True, text=True, timeout=600)
        return count(out) if r.returncode == 0 else None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("corpus")
    p.add_argument("out")
    p.add_argument("--peers-cache", default="")
    p.add_argument("--only", default="")
    a = p.parse_args()
    cache = {}
    if a.peers_cache and os.path.exists(a.peers_cache):
        cache = json.load(open(a.peers_cache))
    models = sorted(glob.glob(a.corpus + "/models/*/model.onnx") + glob.glob(a.corpus + "/torchgen/*/model.onnx") +
                    glob.glob(a.corpus + "/onnx-light/*/*.onnx"))
    rows, worse = [], []
    for path in models:
        name = os.path.relpath(path, a.corpus).replace("/model.onnx", "").replace(".onnx", "")
        if a.only and a.only not in name:
            continue
        if name not in cache:
            sim = peer(SIM, path)
            if sim is not None and sim < 0:  # operators outside the standard: without the fusion that makes them
                sim = peer(SIM_STANDARD, path)
            cache[name] = {"original": count(path), "onnxsim": sim, "onnxslim": peer(SLIM, path),
                           "ort": peer(ORT, path)}
            if a.peers_cache:
                json.dump(cache, open(a.peers_cache, "w"), indent=1)
        c = cache[name]
        ours = hone(a.hone, path, "--expand-constants", "--freeze-inputs")
        compact = hone(a.hone, path)
        best = min([v for k, v in c.items() if k != "original" and v is not None and v >= 0], default=None)
        bad = ours is None or (best is not None and ours > best)
        rows.append((name, c["original"], c["onnxsim"], c["onnxslim"], c["ort"], ours, compact, bad))
        if bad:
            worse.append(name)
        print(*rows[-1], flush=True)
    with open(a.out, "w") as f:
        f.write("# Node counts\n\nAll nodes of main and nested graphs except Constant; standard operators only. `-`: the tool failed "
                "or gave nothing in 300 s. The peers make constants of inputs that have a default value (torchgen `*.dyn`) and "
                "data of repeated numbers (onnx-light), so hone runs with `--freeze-inputs` and `--expand-constants`. The last "
                "column is what hone's own defaults give, which keep the interface and the size of the file.\n\n"
                "| model | original | onnxsim | OnnxSlim | ORT basic | hone | hone, own defaults |\n"
                "| --- | --- | --- | --- | --- | --- | --- |\n")
        for r in rows:
            f.write("| " + " | ".join("-" if v is None or (isinstance(v, int) and v < 0) else str(v) for v in r[:7]) + " |\n")
        f.write("\nMore nodes than the best of the others: %s\n" % (", ".join(worse) if worse else "none"))


main()
