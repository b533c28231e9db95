#!/usr/bin/env python3
"""Processor time and peak memory of reading MLIR: hone, iree-opt (MLIR's own parser and printer) and jaxlib's deserialiser.

usage: mlir_speed.py HONE IREE_OPT WORK OUT.md EXPORTS [--runs N]

EXPORTS is a directory with alphafold.mlir.bc and searchless_chess_270m.mlir (GleasonK/stablehlo-exports). Text is read and
written in the generic form by both tools, from the same file, which hone made. Bytecode is read by hone (`hone convert` to
text) and, in a Python process with jaxlib, by deserialize_portable_artifact; the time of an empty process is taken off. The
file with weights is made here: 16 constants of 2 million floats, as a hexadecimal text. Processor time (user and system) is
counted, not wall time, so that other work on the machine does not matter; the best of N runs.
"""
import argparse
import os
import random
import subprocess
import sys


def run(command):
    """Processor seconds and peak MB of a command."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit("failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command, runs):
    results = [run(command) for _ in range(runs)]
    return min(r[0] for r in results), min(r[1] for r in results)


def weights(path, tensors, floats):
    rng = random.Random(1)
    with open(path, "w") as f:
        f.write("module {\n  func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n")
        for i in range(tensors):
            data = rng.randbytes(4 * floats).hex().upper()
            f.write('    %%c%d = stablehlo.constant dense<"0x%s"> : tensor<%dxf32>\n' % (i, data, floats))
        f.write("    return %x : tensor<1xf32>\n  }\n}\n")


JAX = """
import sys
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo, func
data = open(sys.argv[1], "rb").read()
with ir.Context() as c:
    stablehlo.register_dialect(c)
    if len(sys.argv) > 2:
        stablehlo.deserialize_portable_artifact(c, data)
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("hone", "iree_opt", "work", "out", "exports"):
        p.add_argument(name)
    p.add_argument("--runs", type=int, default=5)
    a = p.parse_args()
    os.makedirs(a.work, exist_ok=True)
    rows = []
    for name in ("searchless_chess_270m.mlir", "alphafold.mlir.bc"):
        source, text = os.path.join(a.exports, name), os.path.join(a.work, name.split(".")[0] + ".generic.mlir")
        subprocess.run([a.hone, "convert", source, "-t", "mlir", "--generic", "-o", text], check=True)
        size = os.path.getsize(text) / 1e6
        mine, my_mb = best([a.hone, "convert", text, "-t", "mlir", "--generic", "-o", "/dev/null"], a.runs)
        peer, peer_mb = best([a.iree_opt, "--mlir-print-op-generic", "--verify-each=false", text, "-o", "/dev/null"], a.runs)
        rows.append((os.path.basename(text) + ", text read and written", size, mine, my_mb, peer, peer_mb, "iree-opt"))
    artifact = os.path.join(a.exports, "alphafold.mlir.bc")
    mine, my_mb = best([a.hone, "convert", artifact, "-t", "mlir", "-o", "/dev/null"], a.runs)
    empty, _ = best([sys.executable, "-c", JAX, artifact], a.runs)
    peer, peer_mb = best([sys.executable, "-c", JAX, artifact, "read"], a.runs)
    rows.append(("alphafold.mlir.bc, bytecode read (hone: and written as text)", os.path.getsize(artifact) / 1e6, mine, my_mb,
                 peer - empty, peer_mb, "jaxlib"))
    big = os.path.join(a.work, "weights.mlir")
    weights(big, 16, 1 << 21)
    back = os.path.join(a.work, "weights.bc")
    mine, my_mb = best([a.hone, "convert", big, "-o", back], a.runs)
    peer, peer_mb = best([a.iree_opt, big, "--verify-each=false", "--emit-bytecode", "-o", "/dev/null"], a.runs)
    rows.append(("16 constants of 8.4 MB as hexadecimal text, written as bytecode", os.path.getsize(big) / 1e6, mine, my_mb, peer,
                 peer_mb, "iree-opt"))
    mine, my_mb = best([a.hone, "convert", back, "-o", os.path.join(a.work, "again.bc")], a.runs)
    rows.append(("the same as bytecode, read and written as bytecode", os.path.getsize(back) / 1e6, mine, my_mb, None, None, ""))
    with open(a.out, "w") as f:
        f.write("# Reading MLIR\n\nMade by `bench/peers/mlir_speed.py`: processor time and peak memory, best of %d runs. iree-opt "
                "is MLIR's own parser and printer, jaxlib StableHLO's deserialiser.\n\n" % a.runs)
        f.write("| | MB | hone, s | MB/s | peak MB | peer, s | peak MB | ratio |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
        for what, size, mine, my_mb, peer, peer_mb, tool in rows:
            tail = "%s %.2f | %.0f | %.1f |" % (tool, peer, peer_mb, peer / mine) if peer is not None else "| | |"
            f.write("| %s | %.1f | %.2f | %.0f | %.0f | %s\n" % (what, size, mine, size / mine, my_mb, tail))
    print(open(a.out).read())


if __name__ == "__main__":
    main()
