#!/usr/bin/env python3
"""Makes the models of this folder: a convolution, a batch norm and a relu, in eval and in train mode, from torch_xla (a saved
directory), JAX with Flax (jax.export files, text, weights) and ONNX. Needs torch, torch_xla, jax, flax, safetensors."""
import os
import shutil
import sys

os.environ.setdefault("PJRT_DEVICE", "CPU")
os.environ.setdefault("JAX_HLO_SOURCE_FILE_CANONICALIZATION_REGEX", ".*")  # no paths of this machine in the files

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(1)


def values(shape, low, high):
    return rng.uniform(low, high, shape).astype(np.float32)


# One set of weights for all: kernel as PyTorch has it, [out, in, height, width].
W = {
    "kernel": values((6, 3, 5, 5), -0.3, 0.3), "bias": values((6,), -0.5, 0.5), "scale": values((6,), 0.5, 1.5),
    "offset": values((6,), -0.5, 0.5), "mean": values((6,), -0.5, 0.5), "var": values((6,), 0.5, 2),
}


def torch_models():
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 6, 5)
            self.bn = torch.nn.BatchNorm2d(6)

        def forward(self, x):
            return torch.relu(self.bn(self.conv(x)))

    net = Net()
    with torch.no_grad():
        for where, name in ((net.conv.weight, "kernel"), (net.conv.bias, "bias"), (net.bn.weight, "scale"),
                            (net.bn.bias, "offset"), (net.bn.running_mean, "mean"), (net.bn.running_var, "var")):
            where.copy_(torch.from_numpy(W[name]))
    x = torch.randn(2, 3, 12, 12)
    for mode in ("eval", "train"):
        net.train(mode == "train")
        program = torch.export.export(net, (x,))
        if mode == "eval":
            assert torch.allclose(program.module()(x), net(x))
        save_torch_xla(program, os.path.join(here, "torch-" + mode))
        torch.onnx.export(net, (x,), os.path.join(here, f"onnx-{mode}.onnx"), dynamo=False, opset_version=17,
                          input_names=["x"], output_names=["y"], do_constant_folding=False,
                          training=torch.onnx.TrainingMode.TRAINING if mode == "train" else torch.onnx.TrainingMode.PRESERVE)


def save_torch_xla(program, path):
    from torch_xla.stablehlo import exported_program_to_stablehlo
    shutil.rmtree(path, ignore_errors=True)
    exported_program_to_stablehlo(program).save(path)
    if not os.listdir(os.path.join(path, "constants")):
        os.rmdir(os.path.join(path, "constants"))  # git keeps no empty folders


def jax_models():
    import jax
    import jax.numpy as jnp
    from flax import linen as nn
    from jax import export
    from safetensors.numpy import save_file

    class Net(nn.Module):
        train: bool

        @nn.compact
        def __call__(self, x):
            x = nn.Conv(6, (5, 5), padding="VALID")(x)
            x = nn.BatchNorm(use_running_average=not self.train)(x)
            return nn.relu(x)

    x = jnp.ones((2, 12, 12, 3))
    variables = {
        "params": {"Conv_0": {"kernel": W["kernel"].transpose(2, 3, 1, 0), "bias": W["bias"]},
                   "BatchNorm_0": {"scale": W["scale"], "bias": W["offset"]}},
        "batch_stats": {"BatchNorm_0": {"mean": W["mean"], "var": W["var"]}},
    }
    flat = {".".join(k.key for k in path): np.ascontiguousarray(v)
            for path, v in jax.tree_util.tree_flatten_with_path(variables)[0]}
    save_file(flat, os.path.join(here, "flax.safetensors"))
    for mode, fn in (("eval", lambda v, x: Net(False).apply(v, x)),
                     ("train", lambda v, x: Net(True).apply(v, x, mutable=["batch_stats"]))):
        exported = export.export(jax.jit(fn))(variables, x)
        with open(os.path.join(here, f"jax-{mode}.jaxexp"), "wb") as f:
            f.write(exported.serialize())
        with open(os.path.join(here, f"jax-{mode}.mlir"), "w") as f:
            f.write(exported.mlir_module())


if __name__ == "__main__":
    if "jax" not in sys.argv[1:]:
        torch_models()
    if "torch" not in sys.argv[1:]:
        jax_models()
