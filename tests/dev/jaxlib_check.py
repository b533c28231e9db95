"""Portable artifacts that hone writes, read by the deserialiser of jaxlib (pip install jax jaxlib).

usage: jaxlib_check.py HONE [--version X.Y.Z]... FILE...

Each FILE (MLIR text or bytecode) is written as bytecode by hone, for each version or for the one that hone chooses, read by
jaxlib, and compared with what jaxlib makes of the FILE itself: the two modules must print alike, locations left out.
Files that jaxlib itself cannot read, and those that hone says have no portable form in that version, are counted apart.
"""
import collections
import os
import subprocess
import sys
import tempfile

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def context():
    """With the dialects of JAX, func among them."""
    c = mlir.make_ir_context()
    c.allow_unregistered_dialects = True
    return c


def read(c, data):
    """The module of text or bytecode, in jaxlib's own words."""
    if data[:4] == b"ML\xefR":
        return stablehlo.deserialize_portable_artifact(c, data)
    return ir.Module.parse(data.decode(), c)


def text(module):
    return module.operation.get_asm(enable_debug_info=False, print_generic_op_form=False)


def upstream(c, data, version):
    """What upstream's own round trip makes of the file: defaults become explicit in it."""
    module = read(c, data)
    try:
        artifact = stablehlo.serialize_portable_artifact(module, version or stablehlo.get_current_version())
    except Exception:
        return text(module)
    return text(stablehlo.deserialize_portable_artifact(c, artifact))


def check(hone, path, version, out):
    data = open(path, "rb").read()
    command = [hone, "convert", path, "-o", out] + (["--stablehlo-version", version] if version else [])
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        return "refused", made.stderr.strip().splitlines()[-1] if made.stderr.strip() else "exit %d" % made.returncode
    with context() as c:
        try:
            want = upstream(c, data, version)
        except Exception as e:
            want = None
        try:
            got = text(stablehlo.deserialize_portable_artifact(c, open(out, "rb").read()))
        except Exception as e:
            return "FAILED", str(e).splitlines()[0]
    if want is None:
        return "accepted", "jaxlib cannot read the original"
    return ("equal", "") if got == want else ("DIFFERENT", "")


def main(argv):
    hone, argv = argv[1], argv[2:]
    versions, files = [], []
    while argv:
        word = argv.pop(0)
        versions.append(argv.pop(0)) if word == "--version" else files.append(word)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as d:
        for path in files:
            for version in versions or [None]:
                verdict, why = check(hone, path, version, os.path.join(d, "out.bc"))
                counts[verdict] += 1
                if verdict not in ("equal",):
                    print(verdict, os.path.basename(path), version or "", why)
    print(", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())))
    return counts["FAILED"] + counts["DIFFERENT"] > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
