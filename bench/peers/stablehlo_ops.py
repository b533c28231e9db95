#!/usr/bin/env python3
"""Ops that are left of StableHLO modules: by hone, and by StableHLO's own simplification with constants folded in between.

usage: stablehlo_ops.py HONE TORCH_MLIR_OPT OUT.md WORK MODULE... [--also DIR]

TORCH_MLIR_OPT is the command of the package torch-mlir: its pass stablehlo-aggressive-simplification holds the patterns of
upstream's target-independent optimisation that simplify. Those that fold constants are in no package; hone's evaluator, which
folds more of them (no bound of 65,536 elements), stands for them here, but for what makes the module larger: upstream repeats
single numbers only, too. The peer's column is the fixed point of

    hone opt --passes fold,dce --max-growth 0     and            inline, simplification, canonicalize, cse, symbol-dce

The last column is what the same simplification leaves of hone's output: fewer than hone's own count means that upstream knows
a pattern that hone does not. --also names a folder of cases NAME/model.onnx: written as StableHLO without more changes than that takes, then
treated alike; only those where a count is above the peer's are listed. Counted: ops of StableHLO and chlo and calls, constants
included; bodies of reductions, sorts and scatters are not. Runs in a Python that has jax (MLIR's bindings).
"""
import argparse
import glob
import os
import subprocess
import sys

from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

PIPELINE = ("builtin.module(inline,func.func(stablehlo-aggressive-simplification,canonicalize{region-simplify=disabled},cse),"
            "symbol-dce)")
BODIES = {"stablehlo." + n for n in ("reduce", "reduce_window", "scatter", "sort", "map", "select_and_scatter", "all_reduce",
                                      "reduce_scatter")}


def count(path):
    total = 0

    def walk(op):
        nonlocal total
        total += op.name.startswith(("stablehlo.", "chlo.")) and op.name != "stablehlo.return" or op.name == "func.call"
        if op.name not in BODIES:
            for region in op.regions:
                for block in region:
                    for inner in block:
                        walk(inner.operation)
    with make_ir_context() as c:
        c.allow_unregistered_dialects = True
        walk(ir.Module.parse(open(path).read()).operation)
    return total


def run(command):
    r = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if r.returncode:
        raise RuntimeError("%s: exit %d: %s" % (command[0], r.returncode, r.stderr.strip()[:300]))


def simplify(peer, source, out):
    run([peer, "--pass-pipeline=" + PIPELINE, source, "-o", out])
    return count(out)


def peer_count(hone, peer, source, work):
    """The fixed point of both: at most eight rounds, and the least count seen."""
    at, least = source, None
    for i in range(8):
        folded, out = os.path.join(work, "folded.mlir"), os.path.join(work, "peer%d.mlir" % i)
        run([hone, "opt", at, "-t", "stablehlo", "--passes", "fold,dce", "--max-growth", "0", "-q", "-o", folded])
        n = min(count(folded), simplify(peer, folded, out))
        if least is not None and n >= least:
            break
        at, least = out, n
    return least


def row(hone, peer, source, work, options=()):
    mine, again = os.path.join(work, "hone.mlir"), os.path.join(work, "again.mlir")
    run([hone, "opt", source, "-t", "stablehlo", "-q", "-o", mine, *options])
    return count(mine), simplify(peer, mine, again)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("hone", "peer", "out", "work"):
        p.add_argument(name)
    p.add_argument("modules", nargs="+")
    p.add_argument("--also", default="")
    a = p.parse_args()
    os.makedirs(a.work, exist_ok=True)
    head = "| model | as exported | upstream | `hone opt` | upstream over hone's |\n| --- | ---: | ---: | ---: | ---: |\n"
    lines, above = [head], 0
    for path in a.modules:
        source = os.path.join(a.work, "source.mlir")
        run([a.hone, "convert", path, "-t", "mlir", "-q", "-o", source])
        peer = peer_count(a.hone, a.peer, source, a.work)
        mine, again = row(a.hone, a.peer, path, a.work)
        above += mine > min(peer, again)
        lines.append("| %s | %d | %d | %d | %d |\n" % (os.path.basename(path), count(source), peer, mine, again))
        print(lines[-1], end="", flush=True)
    sums, models, odd = [0] * 4, 0, []
    for model in sorted(glob.glob(a.also + "/*/model.onnx")) if a.also else []:
        name, source = os.path.basename(os.path.dirname(model)), os.path.join(a.work, "source.mlir")
        try:
            run([a.hone, "opt", model, "-t", "stablehlo", "--passes", "dce", "-q", "-o", source])
            mine, again = row(a.hone, a.peer, model, a.work)
            figures = [count(source), peer_count(a.hone, a.peer, source, a.work), mine, again]
        except Exception as e:
            print("left out %s: %s" % (name, str(e).replace("\n", " | ")), flush=True)
            continue
        models += 1
        sums = [x + y for x, y in zip(sums, figures)]
        if mine > min(figures[1], again):
            above += 1
            odd.append("| %s | %d | %d | %d | %d |\n" % (name, *figures))
            print(odd[-1], end="", flush=True)
    if models:
        lines.append("| %d models of PyTorch by way of ONNX, together | %d | %d | %d | %d |\n" % (models, *sums))
        lines += odd
    open(a.out, "w").writelines(lines)
    print("".join(lines), "%d above" % above, sep="")
    return above != 0


if __name__ == "__main__":
    sys.exit(main())
