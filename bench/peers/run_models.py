#!/usr/bin/env python3
"""Runs, loading and memory against other runtimes: A B A B, medians of the rounds.

usage: run_models.py HONE OUT.md [MODEL.onnx...] [--threads 1,2] [--rounds 3] [--seconds 1] [--work DIR] [--prepare]
                     [--peers onnxruntime,openvino,iree,torch] [--python PEER=PYTHON]... [--exporter SCRIPT.py]

Each measurement is a process of its own: hone's is `hone bench`, a peer's is peers.py under the Python that has its package.
Ratios are the peer's value over hone's: above 1 hone is faster, or smaller. Three tables: time of a run; loading (from the
file to ready to run, and to the end of the first run; from the ONNX file and from a compiled one); peak memory. Peers that
are compiled ahead, or cannot read the model, are left out where they have nothing to say.

A long table is made in parts: what a call measures is kept in WORK/runs.json, a line a model and number of threads, and
OUT.md shows all that is there, of the peers of --peers; each ratio is of runs that alternated in one call, the last that
measured the pair. Without models, only OUT.md is written. --prepare compiles what is compiled ahead and measures nothing.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

from peers import model_name

HERE = os.path.dirname(os.path.abspath(__file__))
LOADERS = ["onnxruntime"]  # peers of the tables of loading and memory
COMPILED = ["iree"]  # peers that compile ahead


def peer_once(a, peer, path, threads):
    env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
    python = a.pythons.get(peer, sys.executable)
    try:
        done = subprocess.run([python, os.path.join(HERE, "peers.py"), peer, path, str(threads), str(a.seconds), a.work,
                               *([a.exporter] if a.exporter else [])], capture_output=True, text=True, env=env, timeout=3600)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else None


def hone_once(a, path, threads, seconds):
    done = subprocess.run([a.hone, "bench", "--json", "-j", str(threads), "--seconds", str(seconds), path],
                          capture_output=True, text=True)
    if done.returncode:
        return None
    r = json.loads(done.stdout)["results"][0]
    return {"load": r["load_s"], "ready": r["load_s"] + r["first_run_s"], "run": r["median_s"], "least": r["min_s"],
            "memory": r["peak_bytes"]}


def compiled(a, path):
    """The model compiled to a file; None when that fails."""
    out = os.path.join(a.work, model_name(path) + ".hone")
    if not os.path.exists(out) and subprocess.run([a.hone, "compile", "-q", "--no-verify", path, "-o", out]).returncode:
        return None
    return out


def median_of(runs, key):
    values = [r[key] for r in runs if r and key in r]
    return statistics.median(values) if values else None


def measure(a, path, threads):
    """Runs by name: hone, compiled, and the peers; rounds alternate."""
    runs = {k: [] for k in ["hone", "compiled", *a.peers]}
    mapped = compiled(a, path)
    for _ in range(a.rounds):
        runs["hone"].append(hone_once(a, path, threads, a.seconds))
        for peer in a.peers:
            if None not in runs[peer]:  # what failed once fails again
                runs[peer].append(peer_once(a, peer, path, threads))
        if mapped:
            runs["compiled"].append(hone_once(a, mapped, threads, a.seconds / 5))
    return runs


class Table:
    """Rows of cells, and the ratios of each column for the means below."""

    def __init__(self, head):
        self.head, self.rows, self.ratios = head, [], {}

    def ratio(self, column, threads, peer, own):
        if not peer or not own:
            return "-"
        self.ratios.setdefault((column, threads), []).append(peer / own)
        text = f"{peer / own:.0f}" if peer / own >= 100 else f"{peer / own:.3g}"
        return f"**{text}**"

    def text(self):
        lines = ["| " + " | ".join(self.head) + " |", "|" + " --- |" * len(self.head)]
        lines += ["| " + " | ".join(r) + " |" for r in self.rows]
        lines.append("")
        for (column, threads), v in sorted(self.ratios.items()):
            lines.append(f"- {column}, {threads} thread{'s' if threads > 1 else ''}: geometric mean "
                         f"{statistics.geometric_mean(v):.2f}, least {min(v):.2f}, over {len(v)} models")
        return "\n".join(lines) + "\n"


def number(x, scale):
    return "-" if x is None else f"{x * scale:.4g}"


def medians(runs):
    return {k: median_of(runs, k) for k in ("load", "ready", "run", "memory")}


def rows_of(a, name, threads, records, tables):
    """The rows of a pair; records: what was measured of it, by peer, each with hone's runs of the same call."""
    first = next((records[q] for q in a.peers if q in records), None)
    if not first:
        return
    row = [name, str(threads), number(medians(first["hone"])["run"], 1e6)]
    for peer in a.peers:
        record = records.get(peer, {peer: [], "hone": []})
        run = medians(record[peer])["run"]
        row += [number(run, 1e6), tables["run"].ratio(peer, threads, run, medians(record["hone"])["run"])]
    tables["run"].rows.append(row)
    for peer in LOADERS:
        if peer not in a.peers or peer not in records:
            continue
        its, own, mapped = (medians(records[peer][k]) for k in (peer, "hone", "compiled"))
        ratio = tables["load"].ratio
        tables["load"].rows.append([
            name, str(threads), number(its["load"], 1e3), number(own["load"], 1e3),
            ratio("load, .onnx", threads, its["load"], own["load"]), number(mapped["load"], 1e3),
            ratio("load, .hone", threads, its["load"], mapped["load"]), number(its["ready"], 1e3), number(own["ready"], 1e3),
            ratio("first run, .onnx", threads, its["ready"], own["ready"]), number(mapped["ready"], 1e3),
            ratio("first run, .hone", threads, its["ready"], mapped["ready"])])
        ratio = tables["memory"].ratio
        tables["memory"].rows.append([
            name, str(threads), number(its["memory"], 1e-6), number(own["memory"], 1e-6),
            ratio("memory, .onnx", threads, its["memory"], own["memory"]), number(mapped["memory"], 1e-6),
            ratio("memory, .hone", threads, its["memory"], mapped["memory"])])


def kept(a):
    """All that was measured: model and threads, in the order they came first, to peer to record."""
    pairs, path = {}, os.path.join(a.work, "runs.json")
    for line in open(path) if os.path.exists(path) else []:
        r = json.loads(line)
        for peer in r["runs"].keys() - {"hone", "compiled"}:
            pairs.setdefault((r["model"], r["threads"]), {})[peer] = r["runs"]
    return pairs


def keep(a, name, threads, runs):
    with open(os.path.join(a.work, "runs.json"), "a") as f:
        f.write(json.dumps({"model": name, "threads": threads, "runs": runs}) + "\n")


def prepare(a):
    for path in a.models:
        compiled(a, path)
        for peer in set(a.peers) & set(COMPILED):
            peer_once(argparse.Namespace(**{**vars(a), "seconds": 0}), peer, path, 1)
        print(model_name(path), flush=True)


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("hone")
    p.add_argument("out")
    p.add_argument("models", nargs="*")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--peers", default="onnxruntime")
    p.add_argument("--python", action="append", default=[], metavar="PEER=PYTHON")
    p.add_argument("--exporter", help="script that exports the models with torch.onnx.export")
    p.add_argument("--prepare", action="store_true")
    p.add_argument("--work", default="bench-work", help="compiled models are kept here")
    a = p.parse_args()
    a.hone, a.work = os.path.abspath(a.hone), os.path.abspath(a.work)
    a.peers = a.peers.split(",")
    a.pythons = dict(x.split("=", 1) for x in a.python)
    os.makedirs(a.work, exist_ok=True)
    return a


def main():
    a = arguments()
    if a.prepare:
        return prepare(a)
    for path in a.models:
        for threads in map(int, a.threads.split(",")):
            runs = measure(a, path, threads)
            keep(a, model_name(path), threads, runs)
            print(model_name(path), threads, *(f"{k} {number(median_of(v, 'run'), 1e6)}" for k, v in runs.items()), flush=True)
    tables = {
        "run": Table(["model", "threads", "hone us"] + [h for q in a.peers for h in (q + " us", "ratio")]),
        "load": Table(["model", "threads", "onnxruntime load ms", "hone load ms", "ratio", ".hone load ms", "ratio",
                       "onnxruntime first ms", "hone first ms", "ratio", ".hone first ms", "ratio"]),
        "memory": Table(["model", "threads", "onnxruntime MB", "hone MB", "ratio", ".hone MB", "ratio"])}
    for (name, threads), records in kept(a).items():
        rows_of(a, name, threads, records, tables)
    with open(a.out, "w") as f:
        f.write("# Runs, loading and memory against other runtimes\n\n"
                "`bench/peers/run_models.py`, rounds that alternate, medians; float32, batch 1.\n\n"
                "## Time of a run\n\n" + tables["run"].text() +
                "\n## Loading\n\n`load`: from the file to ready to run (onnxruntime: creation of the session). `first`: to the end "
                "of the first run; hone packs weights then.\n\n" + tables["load"].text() +
                "\n## Peak memory\n\nOf the whole process: `hone bench`, and a C program with the library of onnxruntime.\n\n" +
                tables["memory"].text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
