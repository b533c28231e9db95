#!/usr/bin/env python3
"""Processor time and peak memory of reading MLIR: hone, jaxlib (MLIR's parser and StableHLO's deserialiser in a Python
process), iree-opt and mlir-opt (the same parser and a printer as commands).

usage: mlir_speed.py HONE BENCH_READERS IREE_OPT MLIR_OPT WORK OUT.md EXPORTS [--runs N]

Runs in a Python that has jaxlib. EXPORTS is a directory with the files of GleasonK/stablehlo-exports. Text is in the generic
form, the same file for all tools, made by hone. Four tables:
- reading alone, inside a process that runs already: bench-readers against ir.Module.parse and
  deserialize_portable_artifact, the best of N readings each, alternating;
- reading alone, each time in a fresh process: bench-readers against the parser's part of mlir-opt --mlir-timing (wall time,
  so the machine must be quiet); mlir-opt has no StableHLO: its ops are unregistered ones to it, which need less work;
- whole commands that read text and write it again: hone convert against iree-opt and mlir-opt, with and without the time that
  each takes for an empty module; the same for bytecode that mlir-opt wrote (mlir-opt has no StableHLO: its ops are
  unregistered ones to it, which need less work);
- files that are nearly all weights.
Processor time (user and system) is counted, not wall time, where nothing else is said, so that other work on the machine does
not matter.
"""
import argparse
import os
import random
import re
import statistics
import subprocess
import sys


LOOSE = ["--allow-unregistered-dialect", "--verify-each=false"]


def run(command):
    """Processor seconds and peak MB of a command."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit("failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(commands, runs):
    """For each command the least time and memory; the commands take turns."""
    results = [[run(c) for c in commands] for _ in range(runs)]
    return [(min(r[i][0] for r in results), min(r[i][1] for r in results)) for i in range(len(commands))]


JAX = """
import sys, time
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo, func
data = open(sys.argv[2], "rb").read()
least = 1e9
with ir.Context() as c:
    stablehlo.register_dialect(c)
    chlo.register_dialect(c)
    c.allow_unregistered_dialects = True
    for _ in range(int(sys.argv[1])):
        start = time.process_time()
        m = stablehlo.deserialize_portable_artifact(c, data) if data[:2] == b"ML" else ir.Module.parse(data)
        least = min(least, time.process_time() - start)
        del m
print(least * 1e3)
"""


def readings(bench, path, runs):
    """Milliseconds of one reading: hone's, jaxlib's, and the number of ops."""
    hone, jax, ops = [], [], 0
    for _ in range(3):
        out = subprocess.run([bench, str(runs), path], check=True, capture_output=True, text=True).stdout
        found = re.search(r": ([0-9.]+) ms read, .* (\d+) ops", out)
        hone.append(float(found.group(1)))
        ops = int(found.group(2))
        jax.append(float(subprocess.run([sys.executable, "-c", JAX, str(runs), path], check=True, capture_output=True,
                                        text=True).stdout))
    return min(hone), min(jax), ops


def middle_mean(values):
    """Of the middle half: mlir-opt gives tenths of milliseconds, of which neither the least nor the median is exact enough."""
    values, quarter = sorted(values), len(values) // 4
    return statistics.fmean(values[quarter:len(values) - quarter])


def fresh(a, path):
    """Milliseconds of hone's first reading in a process, and of mlir-opt's; runs alternate, more of them for small files."""
    mine, peer = [], []
    for _ in range((20 if os.path.getsize(path) < 1 << 20 else 3) * a.runs):
        out = subprocess.run([a.bench, "1", path], check=True, capture_output=True, text=True).stdout
        mine.append(float(re.search(r": ([0-9.]+) ms read", out).group(1)))
        out = subprocess.run([a.mlir_opt, path, "-o", "/dev/null", "--mlir-print-op-generic", "--mlir-timing", *LOOSE],
                             check=True, capture_output=True, text=True).stderr
        peer.append(1e3 * float(re.search(r"([0-9.]+) \( *[0-9.]+%\)  Parser", out).group(1)))
    return middle_mean(mine), middle_mean(peer)


def fresh_table(a, paths):
    out = ["\n## Reading alone, in a fresh process\n\nhone's `bench-readers 1` against the parser's part in `mlir-opt --mlir-timing`; "
           "what each makes before it reads, such as a context, is not counted, opening the file is for hone. The same files; `.mlirbc` was written by `mlir-opt --emit-bytecode`. "
           "StableHLO's ops are unregistered ones to mlir-opt, which\nneed less work. Means of the middle half of the runs.\n\n"
           "| | hone, ms | mlir-opt, ms | ratio |\n| --- | ---: | ---: | ---: |\n"]
    for path in paths:
        mine, peer = fresh(a, path)
        out.append("| %s | %.2f | %.2f | %.1f |\n" % (os.path.basename(path), mine, peer, peer / mine))
    return out


def many_ops(path, n):
    """One function of n ops: sums, products, transpositions, constants."""
    rng = random.Random(2)
    t, back = "tensor<4x128xf32>", "tensor<128x4xf32>"
    with open(path, "w") as f:
        f.write('"builtin.module"() ({\n  "func.func"() <{function_type = (%s, %s) -> %s, sym_name = "main"}> ({\n'
                '  ^bb0(%%arg0: %s, %%arg1: %s):\n' % (t, t, t, t, t))
        last = "arg1"
        for i in range(n):
            kind = i % 8
            if kind == 5:
                f.write('    %%%d = "stablehlo.transpose"(%%%s) <{permutation = array<i64: 1, 0>}> : (%s) -> %s\n' % (i, last, t, back))
                continue
            if kind == 6:
                f.write('    %%%d = "stablehlo.transpose"(%%%d) <{permutation = array<i64: 1, 0>}> : (%s) -> %s\n' % (i, i - 1, back, t))
            elif kind == 7:
                f.write('    %%%d = "stablehlo.constant"() <{value = dense<%.6e> : %s}> : () -> %s\n' % (i, rng.random(), t, t))
            else:
                f.write('    %%%d = "stablehlo.%s"(%%%s, %%arg0) : (%s, %s) -> %s\n' % (
                    i, rng.choice(["add", "multiply", "subtract", "maximum"]), last, t, t, t))
            last = str(i)
        f.write('    "func.return"(%%%s) : (%s) -> ()\n  }) : () -> ()\n}) : () -> ()\n' % (last, t))


def weights(path, tensors, side, hexadecimal):
    """Constants of side x side floats. Made in a process of its own: a command counts the memory of the one that starts it."""
    child = os.fork()
    if child == 0:
        write_weights(path, tensors, side, hexadecimal)
        os._exit(0)
    os.waitpid(child, 0)
    return 4 * side * side * tensors / 1e6


def write_weights(path, tensors, side, hexadecimal):
    rng = random.Random(1)
    with open(path, "w") as f:
        f.write("module {\n  func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n")
        for i in range(tensors):
            if hexadecimal:
                text = '"0x%s"' % rng.randbytes(4 * side * side).hex().upper()
            else:
                text = "[%s]" % ", ".join("[%s]" % ", ".join("%.8e" % rng.gauss(0, 1) for _ in range(side)) for _ in range(side))
            f.write("    %%c%d = stablehlo.constant dense<%s> : tensor<%dx%dxf32>\n" % (i, text, side, side))
        f.write("    return %x : tensor<1xf32>\n  }\n}\n")


def commands(a, paths):
    """Tables of whole commands; the first path is that of an empty module."""
    out = ["\n## Commands that read and write again\n\n`hone convert -t mlir --generic` against `iree-opt --mlir-print-op-generic "
           "--verify-each=false` and `mlir-opt --allow-unregistered-dialect` with the same options. The ratios in brackets are "
           "without the time for an empty module. Files `.mlirbc` were written by `mlir-opt --emit-bytecode`.\n\n"
           "| | hone, s | peak MB | iree-opt, s | peak MB | ratio | mlir-opt, s | peak MB | ratio |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"]
    start = {}
    for path in paths:
        kinds = [[a.hone, "convert", path, "-t", "mlir", "--generic", "-o", "/dev/null", "-q"],
                 [a.mlir_opt, "--mlir-print-op-generic", path, "-o", "/dev/null", *LOOSE]]
        text = path.endswith(".mlir")
        if text:
            kinds.append([a.iree_opt, "--mlir-print-op-generic", "--verify-each=false", path, "-o", "/dev/null"])
        measured = best(kinds, a.runs)
        start.setdefault(text, measured)
        own = measured[0][0] - start[text][0][0]

        def column(k):
            if k >= len(measured):
                return "| | |"
            rest = " (%.1f)" % ((measured[k][0] - start[text][k][0]) / own) if own > 0.005 else ""
            return "| %.3f | %.0f | %.1f%s " % (*measured[k], measured[k][0] / max(measured[0][0], 1e-4), rest)
        out.append("| %s | %.3f | %.0f %s%s|\n" % (os.path.basename(path), *measured[0], column(2), column(1)))
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("hone", "bench", "iree_opt", "mlir_opt", "work", "out", "exports"):
        p.add_argument(name)
    p.add_argument("--runs", type=int, default=5)
    a = p.parse_args()
    os.makedirs(a.work, exist_ok=True)
    texts, files = [], []
    for name in ("pt_bert.mlir", "searchless_chess_270m.mlir", "alphafold.mlir.bc"):
        text = os.path.join(a.work, name.split(".")[0] + ".generic.mlir")
        subprocess.run([a.hone, "convert", os.path.join(a.exports, name), "-t", "mlir", "--generic", "-o", text], check=True)
        texts.append(text)
        files.append(os.path.join(a.exports, name.split(".")[0] + ".mlir.bc"))
    large = os.path.join(a.work, "100000_ops.generic.mlir")
    many_ops(large, 100000)
    texts.append(large)
    files.append(os.path.join(a.work, "100000_ops.mlir.bc"))
    subprocess.run([a.hone, "convert", large, "-o", files[-1]], check=True)
    out = ["# Reading MLIR\n\nMade by `bench/peers/mlir_speed.py`: processor time, best of %d runs that take turns, and peak memory.\n\n"
           "## Reading alone, in a process that runs already\n\nhone's `bench-readers` against jaxlib: MLIR's own parser "
           "(`ir.Module.parse`, which verifies too) and StableHLO's deserialiser. The same files; text is in the generic form.\n\n"
           "| | MB | ops | hone, ms | MB/s | jaxlib, ms | ratio |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n" % a.runs]
    for path in texts + files:
        hone, jax, ops = readings(a.bench, path, a.runs)
        size = os.path.getsize(path) / 1e6
        out.append("| %s | %.1f | %d | %.1f | %.0f | %.1f | %.1f |\n" % (os.path.basename(path), size, ops, hone, size / hone * 1e3,
                                                                       jax, jax / hone))
    empty = os.path.join(a.work, "empty.mlir")
    with open(empty, "w") as f:
        f.write('"builtin.module"() ({\n  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({\n'
                '    "func.return"() : () -> ()\n  }) : () -> ()\n}) : () -> ()\n')
    paths = [empty] + texts
    for path in list(paths):
        made = path.replace(".generic.mlir", "").replace(".mlir", "") + ".mlirbc"
        subprocess.run([a.mlir_opt, path, "--emit-bytecode", "-o", made, *LOOSE], check=True)
        paths.append(made)
    out += fresh_table(a, paths)
    out += commands(a, paths)
    out.append("\n## Weights\n\nFiles with constants, read and written as bytecode; memory as a multiple of the weights.\n\n"
               "| | MB | weights, MB | hone, s | MB/s | memory | iree-opt, s | memory |\n"
               "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
    for what, tensors, side, hexadecimal in (("32 constants of 4.2 MB, hexadecimal", 32, 1024, True),
                                             ("one constant of 67 MB, hexadecimal", 1, 4096, True),
                                             ("16 constants of 4.2 MB, decimal", 16, 1024, False)):
        big, back = os.path.join(a.work, "weights.mlir"), os.path.join(a.work, "weights.bc")
        data = weights(big, tensors, side, hexadecimal)
        size = os.path.getsize(big) / 1e6
        (mine, my_mb), (peer, peer_mb) = best([[a.hone, "convert", big, "-o", back], [
            a.iree_opt, big, "--verify-each=false", "--emit-bytecode", "-o", "/dev/null"]], a.runs)
        out.append("| %s | %.0f | %.0f | %.2f | %.0f | %.2f | %.2f | %.2f |\n" % (
            what, size, data, mine, size / mine, my_mb * 1.048576 / data, peer, peer_mb * 1.048576 / data))
    size = os.path.getsize(back) / 1e6
    [(mine, my_mb)] = best([[a.hone, "convert", back, "-o", os.path.join(a.work, "again.bc")]], a.runs)
    out.append("| the last as bytecode, read and written as bytecode | %.0f | %.0f | %.2f | %.0f | %.2f | | |\n" % (
        size, data, mine, size / mine, my_mb * 1.048576 / data))
    with open(a.out, "w") as f:
        f.writelines(out)
    print("".join(out))


if __name__ == "__main__":
    main()
