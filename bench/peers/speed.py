#!/usr/bin/env python3
"""Wall time of whole processes: `hone opt` (proof included) against the commands onnxsim and onnxslim, on the same models.

usage: speed.py HONE CORPUS OUT.md [--repeat 5] [--peer-repeat 1] [--only TEXT] [--peers-cache FILE]

CORPUS is a directory with models/ and torchgen/ unpacked, NAME/model.onnx each. The commands onnxsim and onnxslim are those
beside the Python that runs this. The median of the runs counts. Peers run with their defaults and a time limit; a failed
run of a peer gives no ratio. Results of the peers are cached when asked, since they do not change with hone.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 300


def wall(command, repeat):
    """Median seconds, or None when the command fails."""
    spans = []
    for _ in range(repeat):
        start = time.monotonic()
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None
        spans.append(time.monotonic() - start)
        if done.returncode:
            return None
    return statistics.median(spans)


def geomean(values):
    return statistics.geometric_mean(values) if values else float("nan")


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("hone")
    p.add_argument("corpus")
    p.add_argument("out")
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--peer-repeat", type=int, default=5)
    p.add_argument("--only", default="")
    p.add_argument("--peers-cache")
    a = p.parse_args()
    here = os.path.dirname(sys.executable)
    cache = {}
    if a.peers_cache and os.path.exists(a.peers_cache):
        cache = json.load(open(a.peers_cache))
    rows = []
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.onnx")
        for model in sorted(glob.glob(f"{a.corpus}/models/*/model.onnx") + glob.glob(f"{a.corpus}/torchgen/*/model.onnx")):
            name = "/".join(model.split("/")[-3:-1])
            if a.only not in name:
                continue
            if name not in cache:
                cache[name] = [wall([os.path.join(here, peer), model, out], a.peer_repeat) for peer in ("onnxsim", "onnxslim")]
                if a.peers_cache:
                    json.dump(cache, open(a.peers_cache, "w"))
            rows.append((name, wall([a.hone, "opt", model, "-o", out], a.repeat), *cache[name]))
            print(*rows[-1], flush=True)
    with open(a.out, "w") as f:
        f.write("# Speed\n\nMedian wall time of whole processes in milliseconds (`bench/peers/speed.py`); `hone opt` includes "
                f"its proof.\n{a.repeat} runs of hone, {a.peer_repeat} of the peers. Ratio: the peer's time over hone's. -: the peer failed.\n\n")
        both = [[r[1 + k] / r[1] for r in rows if r[1] and r[1 + k]] for k in (1, 2)]
        for peer, ratios, goal in zip(("onnxsim", "onnxslim"), both, (20, 5)):
            if ratios:
                f.write(f"- {peer}: geometric mean {geomean(ratios):.0f}, least {min(ratios):.1f}, at least {goal} on "
                        f"{sum(r >= goal for r in ratios)} of {len(ratios)} models\n")
        f.write("\n| model | hone | onnxsim | ratio | onnxslim | ratio |\n| --- | --: | --: | --: | --: | --: |\n")
        for name, own, *peers in rows:
            cells = [f"{own * 1e3:.1f}" if own else "failed"]
            for t in peers:
                cells += [f"{t * 1e3:.0f}" if t else "-", f"{t / own:.0f}" if t and own else "-"]
            f.write(f"| {name} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
