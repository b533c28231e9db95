#!/usr/bin/env python3
"""Development check: models exported for real with current JAX, Flax, PyTorch and torch_xla, each read, optimised, proved,
written, and run elsewhere: StableHLO and jax.export by jaxlib, ONNX by onnxruntime.

usage: real_exports.py HONE DIR [NAME...]     DIR is for the files that are made; without names all models
Needs jax, flax, torch, torchvision, torch_xla, onnxruntime, safetensors. Exit 1 when a model fails."""
import os
import subprocess
import sys

os.environ.setdefault("PJRT_DEVICE", "CPU")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
import numpy as np

RTOL = 2e-3  # deep networks in float32, summed in another order


class Failed(Exception):
    pass


def hone(exe, *args):
    p = subprocess.run([exe, *args], capture_output=True, text=True)
    if p.returncode:
        raise Failed(f"hone {' '.join(args[:1])} exits {p.returncode}: {p.stderr.strip()[:300]}")
    return p.stdout


def close(a, b, what):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.shape != b.shape:
        raise Failed(f"{what}: shape {a.shape}, expected {b.shape}")
    scale = max(1e-3, float(np.abs(b).max(initial=0)))
    worst = float(np.abs(a - b).max(initial=0)) / scale
    if not worst <= RTOL:
        raise Failed(f"{what}: differs by {worst:.3g} of the largest value")


# ---- running elsewhere ----

def run_jax_export(path, args):
    import jax
    from jax import export
    exported = export.deserialize(bytearray(open(path, "rb").read()))
    return jax.tree.leaves(exported.call(*args))


def run_bytecode(path, inputs):
    """A portable artifact by jaxlib's compiler."""
    import jax
    from jax._src.lib import xla_client
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    with mlir.make_ir_context():
        module = stablehlo.deserialize_portable_artifact(ir.Context.current, open(path, "rb").read())
        text = str(module)
        client = jax.devices()[0].client
        executable = client.compile_and_load(text, xla_client.DeviceList(tuple(jax.devices()[:1])), xla_client.CompileOptions())
    with jax.enable_x64(True):  # integers stay i64
        arrays = [jax.device_put(x) for x in inputs]
        return [np.asarray(x[0]) for x in executable.execute_sharded(arrays).disassemble_into_single_device_arrays()]


def run_onnx(path, inputs):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    s = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return s.run(None, {i.name: x for i, x in zip(s.get_inputs(), inputs)})


# ---- models ----

def torch_model(name):
    import torch
    import torchvision
    torch.manual_seed(0)
    image = (torch.randn(1, 3, 64, 64),)
    if name == "resnet18":
        return torchvision.models.resnet18(weights=None, num_classes=10), image
    if name == "mobilenet_v2":
        return torchvision.models.mobilenet_v2(weights=None, num_classes=10), image
    if name == "vit":
        return torchvision.models.VisionTransformer(image_size=64, patch_size=16, num_layers=2, num_heads=4, hidden_dim=64,
                                                    mlp_dim=128, num_classes=10), image
    if name == "bert_tiny":
        class Bert(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.words = torch.nn.Embedding(100, 32)
                self.places = torch.nn.Parameter(torch.randn(1, 16, 32))
                layer = torch.nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True)
                self.body = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
                self.head = torch.nn.Linear(32, 5)

            def forward(self, ids):
                return self.head(self.body(self.words(ids) + self.places)[:, 0])
        return Bert(), (torch.randint(0, 100, (2, 16)),)
    if name == "lstm":
        class Lstm(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = torch.nn.LSTM(8, 16, num_layers=2, batch_first=True)

            def forward(self, x):
                return self.lstm(x)[0]
        return Lstm(), (torch.randn(2, 5, 8),)
    raise KeyError(name)


def seed_statistics(net):
    """Statistics of a batch norm that was never trained fold to nothing."""
    import torch
    g = torch.Generator().manual_seed(1)
    for m in net.modules():
        if isinstance(m, torch.nn.BatchNorm2d):
            m.running_mean.copy_(torch.rand(m.running_mean.shape, generator=g) - 0.5)
            m.running_var.copy_(torch.rand(m.running_var.shape, generator=g) + 0.5)


def check_torch_xla(exe, folder, name):
    import torch
    from torch_xla.stablehlo import exported_program_to_stablehlo
    net, args = torch_model(name)
    net.eval()
    with torch.no_grad():
        seed_statistics(net)
        want = net(*args).numpy()
    bundle = os.path.join(folder, name + "-xla")
    exported_program_to_stablehlo(torch.export.export(net, args)).save(bundle)
    inputs = [a.numpy() for a in args]
    out = os.path.join(folder, name + ".mlirbc")
    hone(exe, "opt", "-q", bundle, "-o", out)
    close(run_bytecode(out, inputs)[0], want, "bytecode in jaxlib")
    again = os.path.join(folder, name + "-out")
    hone(exe, "opt", "-q", bundle, "-o", again + "/")
    hone(exe, "opt", "-q", again, "-o", out)
    close(run_bytecode(out, inputs)[0], want, "directory, read again")
    out = os.path.join(folder, name + ".onnx")
    hone(exe, "opt", "-q", bundle, "-o", out)
    close(run_onnx(out, inputs)[0], want, "ONNX in onnxruntime")


def jax_model(name):
    import jax
    import jax.numpy as jnp
    from flax import linen as nn
    if name == "flax_convnet":
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                for width in (8, 16):
                    x = nn.relu(nn.BatchNorm(use_running_average=True)(nn.Conv(width, (3, 3), strides=2)(x)))
                return nn.Dense(5)(x.mean((1, 2)))
        net, x = Net(), jnp.asarray(np.random.default_rng(0).standard_normal((2, 16, 16, 3)), jnp.float32)
        variables = net.init(jax.random.key(0), x)
        return lambda v, x: net.apply(v, x), variables, (x,), None
    if name == "decoder":
        def decode(v, x):
            def body(s):
                i, h, out = s
                h = jnp.tanh(h @ v["w"] + out[i])
                return i + 1, h, out.at[i + 1].set(h @ v["u"])
            out = jnp.zeros((9, 8)).at[0].set(x)
            return jax.lax.while_loop(lambda s: s[0] < 8, body, (0, jnp.ones(8), out))[2]
        r = np.random.default_rng(0)
        variables = {k: jnp.asarray(r.standard_normal((8, 8)) / 3, jnp.float32) for k in "wu"}
        return decode, variables, (jnp.asarray(r.standard_normal(8), jnp.float32),), None
    if name == "dynamic_batch":
        r = np.random.default_rng(0)
        variables = {"w": jnp.asarray(r.standard_normal((4, 3)), jnp.float32), "b": jnp.ones(3)}
        x = jnp.asarray(r.standard_normal((7, 4)), jnp.float32)
        return lambda v, x: jax.nn.softmax(x @ v["w"] + v["b"]), variables, (x,), "b, 4"
    raise KeyError(name)


def check_jax(exe, folder, name):
    import jax
    from jax import export
    from safetensors.numpy import save_file
    fn, variables, args, shape = jax_model(name)
    want = np.asarray(fn(variables, *args))
    specs = args if shape is None else [jax.ShapeDtypeStruct(export.symbolic_shape(shape), args[0].dtype)]
    source, weights = os.path.join(folder, name + ".jaxexp"), os.path.join(folder, name + ".safetensors")
    with open(source, "wb") as f:
        f.write(export.export(jax.jit(fn))(variables, *specs).serialize())
    flat = {".".join(str(k.key) for k in path): np.ascontiguousarray(v)
            for path, v in jax.tree_util.tree_flatten_with_path(variables)[0]}
    save_file(flat, weights)
    out = os.path.join(folder, name + "-out.jaxexp")
    hone(exe, "opt", "-q", source, "-o", out)
    close(run_jax_export(out, (variables, *args))[0], want, "jax.export without weights")
    hone(exe, "opt", "-q", source, "--weights", weights, "-o", out)
    close(run_jax_export(out, (variables, *args))[0], want, "jax.export with weights")
    onnx = os.path.join(folder, name + ".onnx")
    hone(exe, "opt", "-q", source, "--weights", weights, "-o", onnx)
    close(run_onnx(onnx, [np.asarray(a) for a in args])[0], want, "ONNX in onnxruntime")


CHECKS = [(check_torch_xla, n) for n in ("resnet18", "mobilenet_v2", "vit", "bert_tiny", "lstm")]
CHECKS += [(check_jax, n) for n in ("flax_convnet", "decoder", "dynamic_batch")]


def main():
    exe, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for check, name in CHECKS:
        if names and name not in names:
            continue
        try:
            check(exe, folder, name)
            print(f"ok   {name}", flush=True)
        except Exception as e:  # one model must not stop the others
            failed += 1
            print(f"FAIL {name}: {type(e).__name__}: {e}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
