#!/usr/bin/env python3
"""Writes src/pass/raise/versions.def from the schemas of the onnx package (development only).

usage: onnx_versions.py > src/pass/raise/versions.def
"""
import re
import onnx

NAMES = {
    "bool": "bool", "string": "str", "float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16",
    "complex64": "c64", "complex128": "c128", "float8e4m3fn": "f8e4m3fn", "float8e4m3fnuz": "f8e4m3fnuz",
    "float8e5m2": "f8e5m2", "float8e5m2fnuz": "f8e5m2fnuz", "float8e8m0": "f8e8m0", "float4e2m1": "f4",
}
for bits in (2, 4, 8, 16, 32, 64):
    NAMES[f"int{bits}"] = f"i{bits}"
    NAMES[f"uint{bits}"] = f"u{bits}"
# The same groups are spelled out in versions.c.
GROUPS = {
    "all": "bool str f16 f32 f64 c64 c128 i8 i16 i32 i64 u8 u16 u32 u64".split(),
    "num": "f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64".split(),
    "int": "i8 i16 i32 i64".split(),
    "uint": "u8 u16 u32 u64".split(),
    "float": "f16 f32 f64".split(),
    "f8": "f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz".split(),
}


def tokens(spelled):
    """Element types and kinds of container of one type string."""
    out = [kind for kind in ("seq", "optional", "map", "sparse") if kind in spelled.replace("sparse_", "sparse")]
    return out + [NAMES[x] for x in re.findall(r"\w+", spelled) if x in NAMES]


def set_text(strings):
    left = sorted({t for s in strings for t in tokens(s)})
    out = []
    for name, members in GROUPS.items():
        if all(m in left for m in members):
            out.append(name)
            left = [t for t in left if t not in members]
    return ",".join(out + left) or "none"


def operand_text(params, constraints):
    out = []
    for p in params:
        spelled = p.type_str if hasattr(p, "type_str") else p.typeStr
        out.append(f"{p.name}:{spelled if spelled in constraints else set_text([spelled])}")
    return " ".join(out)


def limit(n):
    return n if n < 1000000 else "MANY"


def row(s):
    constraints = {t.type_param_str: set_text(t.allowed_type_strs) for t in s.type_constraints}
    attrs = " ".join(name + ("!" if a.required else "") for name, a in sorted(s.attributes.items()))
    types = " ".join(f"{k}={v}" for k, v in sorted(constraints.items()))
    new = not any(o.name == s.name and o.since_version < s.since_version for o in schemas) # deprecated by a later one only
    since = -s.since_version if s.deprecated and not new else s.since_version
    return (f'VERSION({s.name}, {since}, {s.min_input}, {limit(s.max_input)}, {s.min_output}, {limit(s.max_output)}, '
            f'"{operand_text(s.inputs, constraints)}", "{operand_text(s.outputs, constraints)}", "{attrs}", "{types}")')


schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""]
print("""/* Every version of every operator of the ai.onnx domain: the opset that brought it (negative: that withdrew the operator),
 * counts of operands and results, their names and types, attributes (! required), and the type sets. Groups of types are in
 * versions.c. Made by tests/dev/onnx_versions.py.
 *
 * VERSION(operator, since, min operands, max, min results, max, operands, results, attributes, types) */""")
for s in sorted(schemas, key=lambda s: (s.name, s.since_version)):
    print(row(s))
