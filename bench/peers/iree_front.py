#!/usr/bin/env python3
"""IREE with and without hone in front: which cases compile, and which then give the stored outputs.

usage: iree_front.py HONE CASES WORK [--report OUT.md --title TEXT] [--only TEXT] [--columns original,bound,torch,stablehlo] [--again STATUS] [--screen]

CASES is the folder of a suite in the layout of IREE's own operator suite: NAME/model.mlir, input_K.bin, output_K.bin,
run_module_io_flags.txt; or in that of ONNX: NAME/model.onnx, test_data_set_0/{input,output}_K.pb. Needs the Python packages
iree-base-compiler, iree-base-runtime and onnx. Columns:

  original   the file as iree-import-onnx writes it (a model below opset 17 with --opset-version 17, as IREE's manual says)
  bound      the same, with operands that say how and not what (BOUND below) as constants
  torch      hone opt -t torch-onnx of "bound", or of the ONNX model, whose inputs of unknown size get those of the data (--shape), and
             single integers such as a sample rate their value (--bind)
  stablehlo  hone opt -t stablehlo, likewise

Results of the first layout are compared by iree-run-module with its own tolerance, those of models with 1e-3 relative and
absolute. Each case is first taken through the input phase of the compiler alone; those that pass are compiled together, many functions
in one module, and a module that fails is halved until the culprit is alone. That changes nothing but the time. Results are
kept in WORK/results.json by the text that was compiled, so a second run costs what changed.
"""
import argparse, collections, ctypes, hashlib, json, os, re, resource, signal, struct, subprocess, sys, time

FLAGS = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
         "--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false"]
BATCH = 32

# Operands that in every exported model are constants: shapes, axes, sizes, steps, counts, flags, and the grids of quantisation.
BOUND = {
    "Reshape": [1], "Expand": [1], "Tile": [1], "Slice": [1, 2, 3, 4], "Pad": [1, 2, 3], "Resize": [1, 2, 3], "Upsample": [1],
    "ReduceSum": [1], "ReduceMean": [1], "ReduceMax": [1], "ReduceMin": [1], "ReduceProd": [1], "ReduceL1": [1],
    "ReduceL2": [1], "ReduceLogSum": [1], "ReduceLogSumExp": [1], "ReduceSumSquare": [1], "TopK": [1], "Split": [1],
    "Squeeze": [1], "Unsqueeze": [1], "CumSum": [1], "Range": [0, 1, 2], "ConstantOfShape": [0], "OneHot": [1, 2],
    "DFT": [1, 2], "Col2Im": [1, 2], "AffineGrid": [1], "MaxUnpool": [2], "CenterCropPad": [1], "Dropout": [1, 2],
    "Clip": [1, 2], "Trilu": [1], "HannWindow": [0], "HammingWindow": [0], "BlackmanWindow": [0], "STFT": [1, 3],
    "MelWeightMatrix": [0, 1, 2, 3, 4], "NonMaxSuppression": [2, 3, 4], "SplitToSequence": [1], "SequenceAt": [1],
    "SequenceInsert": [2], "SequenceErase": [1], "Loop": [0, 1],
    "QuantizeLinear": [1, 2], "DequantizeLinear": [1, 2], "QLinearConv": [1, 2, 4, 5, 6, 7],
    "QLinearMatMul": [1, 2, 4, 5, 6, 7], "ConvInteger": [2, 3], "MatMulInteger": [2, 3],
}

# ---- texts ----

ARG = re.compile(r"(%arg\d+): (!torch\.[^%]*?)(?=, %arg|\) ->|\) attributes|\) \{)")
OPERATOR = re.compile(r'torch\.operator "onnx\.(\w+)"\(([^)]*)\)')


def read_flags(folder):
    inputs, outputs = [], []
    for line in open(os.path.join(folder, "run_module_io_flags.txt")):
        line = line.strip()
        if line.startswith("--input="):
            inputs.append(line)
        elif line:
            outputs.append(line)
    return inputs, outputs


def bind(text, folder, inputs):
    """The text with the operands of BOUND as constants, and the inputs that are left."""
    wanted = bound_arguments(text)
    whole = re.sub(r"_expanded(_ver\d+)?$", "", folder)
    if whole != folder and os.path.exists(os.path.join(whole, "model.mlir")): # written out: as the operator itself
        wanted |= bound_arguments(open(os.path.join(whole, "model.mlir")).read())
    head_end = text.index("{\n", text.index("func.func"))
    head = text[:head_end]
    args = ARG.findall(head)
    left, lines = [], []
    for (arg, typ), flag in zip(args, inputs):
        m = re.fullmatch(r"!torch\.vtensor<\[([\d,]*)\],(\w+)>", typ)
        data = flag.partition("=@")[2]
        if arg not in wanted or not m or not data:
            left.append((arg, typ, flag))
            continue
        shape = "".join(d + "x" for d in m[1].split(",") if d) + m[2]
        raw = open(os.path.join(folder, data), "rb").read()
        lines.append(f'    {arg} = torch.operator "onnx.Constant"() {{torch.onnx.value = {dense(raw, m[2], m[1])} : '
                     f'tensor<{shape}>}} : () -> {typ} \n')
    if len(args) != len(inputs) or not lines:
        return text, inputs
    start, end = head.index("("), head.index(args[-1][1], head.rindex(args[-1][0] + ":")) + len(args[-1][1])
    head = head[:start + 1] + ", ".join(f"{a}: {t}" for a, t, _ in left) + head[end:]
    return head + "{\n" + "".join(lines) + text[head_end + 2:], [f for _, _, f in left]


def dense(raw, elem, shape):
    formats = {"si64": "q", "si32": "i", "si16": "h", "si8": "b", "ui8": "B", "ui16": "H", "ui32": "I", "ui64": "Q",
               "f32": "I", "f64": "Q", "f16": "H", "i1": "?"}
    size = struct.calcsize(formats[elem])
    values = struct.unpack("<%d%s" % (len(raw) // size, formats[elem]), raw)
    if elem == "i1":
        words = ["true" if v else "false" for v in values]
    elif elem[0] == "f":
        words = ["0x%0*X" % (2 * size, v) for v in values]
    else:
        words = [str(v) for v in values]
    dims = [int(d) for d in shape.split(",") if d]

    def nest(words, dims):
        if not dims:
            return words[0]
        step = len(words) // dims[0] if dims[0] else 0
        return "[" + ", ".join(nest(words[i * step:(i + 1) * step], dims[1:]) for i in range(dims[0])) + "]"
    return "dense<" + (nest(words, dims) if words else "") + ">"


def bound_arguments(text):
    wanted = set()
    for name, operands in OPERATOR.findall(text):
        operands = [o.strip() for o in operands.split(",")]
        for i in BOUND.get(name, []):
            if i < len(operands) and operands[i].startswith("%arg"):
                wanted.add(operands[i])
    return wanted


def split_module(text, name):
    """Body and resources of a module of one function; the function gets the name, keys of resources a prefix."""
    text, _, tail = text.partition("{-#")
    resources = re.findall(r'^\s+([\w.$]+|"[^"]*"): ("0x[0-9A-Fa-f]*")', tail, re.M)
    keys = {k: f"{name}.r{i}" for i, (k, _) in enumerate(resources)}
    text = re.sub(r'dense_resource<([^>]*)>', lambda m: f"dense_resource<{keys[m[1]]}>", text)
    body = text[text.index("{\n", text.index("module")) + 2:text.rindex("}")]
    functions = re.findall(r'func\.func (?:public )?@("[^"]*"|[\w.$-]+)\(', body)
    privates = re.findall(r'func\.func private @("[^"]*"|[\w.$-]+)\(', body)
    for k, f in enumerate(functions + privates):
        new = name if k == 0 else f"{name}__{k}"
        body = re.sub("@" + re.escape(f) + r"(?=\()", "@" + new, body)
    return body, [(keys[k], v) for k, v in resources]


def join_modules(parts):
    body = "module {\n" + "".join(b for b, _ in parts) + "}\n"
    resources = [r for _, rs in parts for r in rs]
    if resources:
        body += "\n{-#\n  dialect_resources: {\n    builtin: {\n      "
        body += ",\n      ".join(f"{k}: {v}" for k, v in resources)
        body += "\n    }\n  }\n#-}\n"
    return body

def with_signs(text, outputs):
    """From StableHLO, unsigned results are views of unsigned elements; from torch-onnx, and in the flags, they have no sign."""
    head = text[:text.index("{\n", text.index("func.func"))]
    types = re.findall(r"\],\s*(\w+)>", head[head.rindex("->"):])
    return [re.sub(r"=((?:\d+x)*)i(\d+)=", r"=\1ui\2=", o) if t.startswith("ui") else o for o, t in zip(outputs, types)]


# ---- the compiler, loaded once, each job in a child ----


class Compiler:
    def __init__(self, work):
        from iree.compiler.api import ctypes_dl
        ctypes_dl._initializeGlobalCL("iree-compile", "--mlir-disable-threading")
        self.work = work

    def run(self, text, output, phase, seconds):
        """'' or what stopped it."""
        log = os.path.join(self.work, "stderr")
        pid = os.fork()
        if pid == 0:
            fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(fd, 1)
            os.dup2(fd, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            code = 1
            try:
                code = self.child(text, output, phase)
            finally:
                os._exit(code)
        status = os.waitpid(pid, 0)[1]
        if status == 0:
            return ""
        if os.WIFSIGNALED(status):
            sig = os.WTERMSIG(status)
            return "takes more than %d s" % seconds if sig == signal.SIGXCPU else "crash: " + signal.Signals(sig).name
        lines = open(log, errors="replace").read().splitlines()
        errors = [l for l in lines if "error:" in l] or lines or ["?"]
        return errors[0].partition("error: ")[2][:300] or errors[0][:300]

    def child(self, text, output, phase):
        from iree.compiler.api import ctypes_dl, Session, Source, Output
        s = Session()
        s.set_flags(*FLAGS)
        inv = s.invocation()
        inv.enable_console_diagnostics()
        if not inv.parse_source(Source.wrap_buffer(s, text.encode() + b"\0")):
            return 1
        if phase:
            set_phase = ctypes_dl._dylib.ireeCompilerInvocationSetCompileToPhase
            set_phase.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
            set_phase(inv._inv_p, phase.encode())
        if not inv.execute():
            return 1
        if output:
            o = Output.open_file(output)
            inv.output_vm_bytecode(o)
            o.keep()
        return 0

# ---- cases ----


def normalised(text):
    text = re.sub(r'torch\.onnx_meta\.(ir_version|producer_name|producer_version) = ("[^"]*"|[^,}]*)', "", text)
    return re.sub(r"func\.func (public |private )?@\S+?\(", "func.func @f(", text)


def run_module(vmfb, function, folder, flags):
    # Of an asynchronous function the coarse-fences twin exists; the plain name is the one that blocks.
    cmd = ["iree-run-module", "--device=local-sync", "--module=" + vmfb, "--function=" + function] + flags
    cmd[0] = os.path.join(os.path.dirname(sys.executable), cmd[0])
    try:
        r = subprocess.run(cmd, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return "run", "takes more than 120 s"
    out = (r.stdout + r.stderr).splitlines()
    if r.returncode == 0 and any("[SUCCESS]" in l for l in out):
        return "ok", ""
    failed = [l for l in out if "[FAILED]" in l]
    return ("wrong", failed[0][:200]) if failed else ("run", next((l for l in out if "error" in l.lower() or ":" in l), "?")[:200])


class Models:
    """Cases in the layout of ONNX."""

    def __init__(self, args):
        self.args = args

    def text_of(self, name, column):
        import onnx
        bound = []
        model = os.path.join(self.args.cases, name, "model.onnx")
        out = os.path.join(self.args.work, "out.mlir")
        if column == "original":
            opset = next((o.version for o in onnx.load(model, load_external_data=False).opset_import if not o.domain), 1)
            cmd = [sys.executable, "-m", "iree.compiler.tools.import_onnx", model, "-o", out]
            cmd += ["--opset-version", "17"] if opset < 17 else []
        else:
            to = {"torch": "torch-onnx", "stablehlo": "stablehlo"}[column]
            options, bound = self.options(name, model)
            cmd = [self.args.hone, "opt", model, "-t", to, "-o", out, "-q"] + self.args.hone_flags + options
        r = subprocess.run(cmd, capture_output=True, text=True, errors="replace", timeout=900)
        if r.returncode:
            lines = [l for l in r.stderr.splitlines() if l.strip()] or ["?"]
            return None, [], (lines[-1] if column == "original" else lines[0])[:300]
        return open(out, errors="replace").read(), bound, ""

    def load(self, folder, kind):
        import glob, onnx
        from onnx import numpy_helper
        files = glob.glob(os.path.join(folder, "test_data_set_0", kind + "_*.pb"))
        files.sort(key=lambda f: int(re.search(r"(\d+)\.pb$", f)[1]))
        return [numpy_helper.to_array(onnx.TensorProto.FromString(open(f, "rb").read())) for f in files]

    def options(self, name, model):
        """Single integers, such as a sample rate, are bound; other inputs of unknown size get those of the data."""
        import onnx
        graph = onnx.load(model, load_external_data=False).graph
        weights = {t.name for t in graph.initializer}
        inputs = [v for v in graph.input if v.name not in weights]
        options, bound = [], []
        for i, (v, x) in enumerate(zip(inputs, self.load(os.path.join(self.args.cases, name), "input"))):
            t = v.type.tensor_type
            if x.ndim == 0 and x.dtype.kind == "i":
                options += ["--bind", f"{v.name}={int(x)}"]
                bound.append(i)
            elif not t.HasField("shape") or any(not d.HasField("dim_value") for d in t.shape.dim):
                options += ["--shape", f"{v.name}=" + ",".join(map(str, x.shape))]
        return options, bound

    def run(self, vmfb, function, folder, bound):
        import numpy
        cmd = [os.path.join(os.path.dirname(sys.executable), "iree-run-module"), "--device=local-sync", "--module=" + vmfb,
               "--function=" + function]
        for i, x in enumerate(self.load(folder, "input")):
            if i in bound:
                continue
            numpy.save(os.path.join(self.args.work, f"in{i}.npy"), x)
            cmd.append(f"--input=@{self.args.work}/in{i}.npy")
        wanted = self.load(folder, "output")
        cmd += [f"--output=@{self.args.work}/out{i}.npy" for i in range(len(wanted))]
        try:
            r = subprocess.run(cmd, capture_output=True, text=True, errors="replace", timeout=600)
        except subprocess.TimeoutExpired:
            return "run", "takes more than 600 s"
        if r.returncode:
            return "run", next((l for l in r.stderr.splitlines() if l.strip()), "?")[:200]
        for i, y in enumerate(wanted):
            got = numpy.load(f"{self.args.work}/out{i}.npy")
            if got.shape != y.shape:
                return "wrong", f"output {i} has shape {got.shape}, not {y.shape}"
            if not numpy.allclose(got.astype(y.dtype), y, 1e-3, 1e-3, equal_nan=True):
                return "wrong", f"output {i} differs by up to {abs(got.astype(float) - y.astype(float)).max():.3g}"
        return "ok", ""


class Operators:
    """Cases in the layout of IREE's operator suite."""

    def __init__(self, args):
        self.args = args

    def run(self, vmfb, function, folder, flags):
        return run_module(vmfb, function, folder, flags)

    def text_of(self, name, column):
        folder = os.path.join(self.args.cases, name)
        text = open(os.path.join(folder, "model.mlir")).read()
        inputs, outputs = read_flags(folder)
        if column == "original":
            return text, inputs + outputs, ""
        text, inputs = bind(text, folder, inputs)
        if column == "bound":
            return text, inputs + outputs, ""
        path = os.path.join(self.args.work, "in.mlir")
        open(path, "w").write(text)
        to = {"torch": "torch-onnx", "stablehlo": "stablehlo"}[column]
        r = subprocess.run([self.args.hone, "opt", path, "-t", to, "-o", "-", "-q"] + self.args.hone_flags, capture_output=True,
                           text=True, errors="replace", timeout=300)
        if r.returncode:
            return None, [], (r.stderr.splitlines() or ["?"])[0].replace(path + ":", "")[:300]
        if column == "stablehlo":
            outputs = with_signs(text, outputs)
        return r.stdout, inputs + outputs, ""


class Table:
    def __init__(self, args):
        self.args = args
        self.path = os.path.join(args.work, "results.json")
        self.known = json.load(open(self.path)) if os.path.exists(self.path) else {}
        self.compiler = Compiler(args.work)
        self.rows = collections.defaultdict(dict)
        self.layout = Models(args) if args.models else Operators(args)

    def save(self):
        with open(self.path + ".new", "w") as f:
            json.dump(self.known, f)
        os.replace(self.path + ".new", self.path)

    def finish(self, name, column, key, status, why):
        self.known[key] = [status, why]
        self.rows[name][column] = (status, why)
        print(f"{name:60} {column:10} {status:8} {why}", flush=True)

    def batch(self, column, jobs):
        """jobs: (name, key, text, flags), all through the input phase."""
        if not jobs:
            return
        names = [n for n, _, _, _ in jobs]
        if len(jobs) == 1:
            text = jobs[0][2]
            names = [re.search(r'func\.func (?:public )?@("[^"]*"|[^(]+)\(', text)[1].strip('"')]
        else:
            text = join_modules([split_module(t, n) for n, _, t, _ in jobs])
        vmfb = os.path.join(self.args.work, "batch.vmfb")
        why = self.compiler.run(text, vmfb, None, 60 + 4 * len(jobs) if not self.args.models else 900)
        if why and len(jobs) > 1:
            half = len(jobs) // 2
            self.batch(column, jobs[:half])
            self.batch(column, jobs[half:])
            return
        for (name, key, _, flags), function in zip(jobs, names):
            folder = os.path.join(self.args.cases, name)
            status, message = ("compile", why) if why else self.layout.run(vmfb, function, folder, flags)
            self.finish(name, column, key, status, message)
        self.save()

    def column(self, column, names):
        jobs = []
        for name in names:
            text, flags, why = self.layout.text_of(name, column)
            if text is None:
                self.finish(name, column, f"{column} {name} {why}", "hone", why)
                continue
            salt = json.dumps([FLAGS, name, flags])
            key = hashlib.sha256((salt + normalised(text)).encode()).hexdigest()
            had = self.known.get(key)
            if had and had[0] not in self.args.again:
                self.rows[name][column] = had
                continue
            why = self.compiler.run(text, None, "input", 900 if self.args.models else 60)
            if why:
                self.finish(name, column, key, "import", why)
                continue
            if self.args.screen:
                self.rows[name][column] = ("ok", "")
                continue
            jobs.append((name, key, text, flags))
            if len(jobs) == (1 if self.args.models else BATCH):
                self.batch(column, jobs)
                jobs = []
        self.batch(column, jobs)
        self.save()


def report(table, columns, names):
    n = len(names)
    lines = ["| column | compiled | correct |", "| --- | --- | --- |"]

    def add(label, good):
        compiled = sum(any(table.rows[x][c][0] in ("run", "wrong", "ok") for c in good) for x in names)
        correct = sum(any(table.rows[x][c][0] == "ok" for c in good) for x in names)
        lines.append(f"| {label} | {compiled} ({100 * compiled / n:.1f} %) | {correct} ({100 * correct / n:.1f} %) |")
    for c in columns:
        add(c, [c])
    hone = [c for c in columns if c in ("torch", "stablehlo")]
    if len(hone) == 2:
        add("torch or stablehlo", hone)
    print("\n".join([""] + lines))
    return lines


def details(table, columns, names):
    """Cases that no column of hone's gets right, and those that only the original does."""
    hone = [c for c in columns if c in ("torch", "stablehlo")]
    lines = ["", "Cases that no column of hone's gets right:", "", "| case | " + " | ".join(hone) + " |", "| --- |" + " --- |" * len(hone)]
    shorten = lambda s: re.sub(r"\s+", " ", s.replace("|", "/").replace("`", "'"))[:140]
    for x in names:
        if not any(table.rows[x][c][0] == "ok" for c in hone):
            lines.append(f"| {x} | " + " | ".join(f"{table.rows[x][c][0]}: {shorten(table.rows[x][c][1])}" for c in hone) + " |")
    for c in hone:
        lost = [x for x in names if "original" in columns and table.rows[x]["original"][0] == "ok" and table.rows[x][c][0] != "ok"]
        lines += ["", f"Right in the original and not in {c} ({len(lost)}): " + (", ".join(lost) or "none") + "."]
    return lines


def main():
    p = argparse.ArgumentParser()
    p.add_argument("hone")
    p.add_argument("cases")
    p.add_argument("work")
    p.add_argument("--report", help="file that gets the tables appended")
    p.add_argument("--title")
    p.add_argument("--only", default="")
    p.add_argument("--columns", default="original,bound,torch,stablehlo")
    p.add_argument("--again", default="", help="comma-separated statuses whose cases run again though known")
    p.add_argument("--screen", action="store_true", help="the input phase only; what passes counts as correct")
    p.add_argument("--hone-flags", default="", help="further options of hone opt")
    args = p.parse_args()
    args.cases, args.work = os.path.abspath(args.cases), os.path.abspath(args.work)
    args.hone_flags = args.hone_flags.split()
    args.again = args.again.split(",")
    os.makedirs(args.work, exist_ok=True)
    has = lambda n, f: os.path.exists(os.path.join(args.cases, n, f))
    found = [n for n in sorted(os.listdir(args.cases)) if re.search(args.only, n)]
    args.models = any(has(n, "model.onnx") for n in found)
    names = [n for n in found if has(n, "model.onnx" if args.models else "model.mlir")]
    columns = [c for c in args.columns.split(",") if not args.models or c != "bound"]
    table = Table(args)
    for c in columns:
        table.column(c, names)
    lines = report(table, columns, names)
    if args.report:
        with open(args.report, "a") as f:
            f.write("\n".join(["", f"## {args.title or args.cases} ({len(names)} cases)", ""] + lines + details(table, columns, names)) + "\n")
    with open(os.path.join(args.work, "rows.json"), "w") as f:
        json.dump(table.rows, f, indent=0)


if __name__ == "__main__":
    main()
