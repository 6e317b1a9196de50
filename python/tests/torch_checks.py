"""What the tests of imported PyTorch models share: running, comparing, drawing values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import fx, nn

import tilewright as tvm
from tilewright import relax
from tilewright.relax.frontend.torch import from_fx

#: Of the result's scale: ten times what is measured of models, and less than the effect of a planted fault.
TOLERANCE = 2e-5


def machine(module):
    return relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())


def nd(tensor):
    return tvm.nd.array(tensor.detach().contiguous().numpy())


def flat(value):
    """The tensors of a result, or its numbers as tensors, in order."""
    if isinstance(value, (list, tuple)):
        return [one for item in value for one in flat(item)]
    if isinstance(value, torch.Tensor):
        return [value.detach().numpy()]
    return [value.numpy() if hasattr(value, "numpy") else np.asarray(value)]


def info(tensors):
    return [(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")) for tensor in tensors]


def assert_close(found, expected, tolerance=1e-5):
    """Equal types and shapes, equal NaN and infinities, and everything else within a part of the result's scale."""
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected)
    for one, wanted in zip(found, expected, strict=True):
        assert one.shape == wanted.shape
        assert one.dtype == wanted.dtype
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(np.isfinite(one), finite)
        np.testing.assert_array_equal(one[~finite], wanted[~finite])
        scale = np.abs(wanted[finite].astype("float64")).max(initial=1e-30)
        difference = np.abs(one[finite].astype("float64") - wanted[finite].astype("float64"))
        assert difference.max(initial=0) <= tolerance * scale, (difference.max(), scale)


def check(model, *inputs, tolerance=1e-5, **options):
    """Imports the model and compares it with PyTorch."""
    model = model.eval()
    graph = fx.symbolic_trace(model)
    module = from_fx(graph, info(inputs), **options)
    expected = model(*[value.clone() for value in inputs])
    assert_close(machine(module)["main"](*map(nd, inputs)), expected, tolerance)
    return module


def traced(function, count):
    """The function of so many tensors, traced; functions in C have no names for them."""
    names = ", ".join(f"x{at}" for at in range(count))
    return fx.symbolic_trace(eval(f"lambda {names}: function({names})", {"function": function}))


def check_call(function, *inputs, tolerance=1e-5):
    module = from_fx(traced(function, len(inputs)), info(inputs))
    expected = function(*[value.clone() for value in inputs])
    assert_close(machine(module)["main"](*map(nd, inputs)), expected, tolerance)


def draw(*shape, dtype="float32", low=-3, high=3, seed=0):
    generator = np.random.default_rng([seed, *shape])
    if dtype == "bool":
        return torch.from_numpy(generator.random(shape) < 0.5)
    if "int" in dtype:
        return torch.from_numpy(generator.integers(low, high, shape).astype(dtype))
    return torch.from_numpy(generator.standard_normal(shape).astype(dtype))


def draw_again(model, seed=0):
    """Weights and statistics of a size at which every layer matters: products keep the scale of what they multiply."""
    generator = torch.Generator().manual_seed(seed)

    def normal(tensor, scale, around=0.0):
        tensor.copy_(torch.randn(tensor.shape, generator=generator) * scale + around)

    with torch.no_grad():
        for module in model.modules():
            for name, tensor in [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]:
                if not tensor.is_floating_point():
                    continue
                if name == "running_var":
                    tensor.copy_(torch.rand(tensor.shape, generator=generator) + 0.5)
                elif tensor.ndim > 1:
                    normal(tensor, (1.7 / tensor[0].numel()) ** 0.5)
                elif name == "weight":
                    normal(tensor, 0.1, 1.0)
                else:
                    normal(tensor, 0.2)
    return model.eval()


def torchvision_model(name):
    models = pytest.importorskip("torchvision.models", reason="torchvision is not installed")
    return draw_again(getattr(models, name)(weights=None, num_classes=50))


class Small(nn.Module):
    """A little of everything that a model may hold."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(5, 4)
        self.second = nn.Linear(4, 3, bias=False)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_buffer("shift", torch.tensor([0.5, -1.0, 2.0]))

    def forward(self, x):
        return self.second(F.relu(self.first(x))) * self.scale + self.shift
