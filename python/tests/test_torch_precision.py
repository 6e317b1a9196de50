"""Narrow floats are rounded once for each operator, as PyTorch does; NaN and least integers keep their meaning."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch_checks import check_call, draw, info, machine, nd, traced  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.relax.frontend.torch import from_exported_program, from_fx  # noqa: E402

NARROW = ["float16", "bfloat16"]
X = draw(6, 64)
Y = draw(6, 64, seed=1)


def given(tensor):
    """The tensor for the virtual machine; NumPy has no bfloat16."""
    if tensor.dtype != torch.bfloat16:
        return nd(tensor)
    return tvm.nd.array(tensor.float().numpy()).astype("bfloat16")


def read(result):
    if isinstance(result, tuple):
        (result,) = result
    return (result.astype("float32") if str(result.dtype) == "bfloat16" else result).numpy().astype("float64")


def imported(function, inputs, importer):
    if importer == "fx":
        return from_fx(traced(function, len(inputs)), info(inputs))

    class Call(nn.Module):
        def forward(self, *values):
            return function(*values)

    with torch.no_grad():
        return from_exported_program(torch.export.export(Call(), tuple(inputs)))


#: What PyTorch computes in float32 of narrower floats.
ONCE = {
    "norm": lambda x, y: x.norm(),
    "norm of rows": lambda x, y: torch.linalg.vector_norm(x, dim=1),
    "normalize": lambda x, y: F.normalize(x, dim=1),
    "std": lambda x, y: x.std(1),
    "var": lambda x, y: x.var(1),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=0.3),
    "addcdiv": lambda x, y: torch.addcdiv(x, x, y.abs() + 1, value=0.3),
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "add alpha": lambda x, y: torch.add(x, y, alpha=0.3),
    "sub alpha": lambda x, y: torch.sub(x, y, alpha=0.3),
    "elu": lambda x, y: F.elu(x, 0.3),
    "expm1": lambda x, y: torch.expm1(x / 64),
    "pow": lambda x, y: (x.abs() + 1) ** 2.3,
    "leaky_relu": lambda x, y: F.leaky_relu(x, 0.3),
    "a large divisor": lambda x, y: x / 65535,
    "a small factor": lambda x, y: x * 1e-8 * y,
    "nothing times a large number": lambda x, y: (x - x) * 1e6,
    "a number taken off": lambda x, y: x - 0.1,
    "reflected": lambda x, y: 0.1 - x,
    "a large term": lambda x, y: x + 65535.5,
}


@pytest.mark.parametrize("importer", ["fx", "exported"])
@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", ONCE)
def test_an_operator_rounds_once(name, dtype, importer):
    inputs = [value.to(getattr(torch, dtype)) for value in (X, Y)]
    function = ONCE[name]
    expected = function(*inputs)
    found = read(machine(imported(function, inputs, importer))["main"](*map(given, inputs)))
    wanted = expected.detach().double().numpy()
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))
    finite = np.isfinite(wanted)
    # A unit in the last place where two sums are ordered differently.
    unit = torch.finfo(getattr(torch, dtype)).eps * np.maximum(np.abs(wanted[finite]), 1e-7)
    assert (np.abs(found[finite] - wanted[finite]) <= unit).all()


@pytest.mark.parametrize("dtype", NARROW)
def test_rms_norm_without_epsilon(dtype):
    x = (draw(3, 64) / 256).to(getattr(torch, dtype))
    function = nn.RMSNorm(64).to(getattr(torch, dtype)).eval()
    expected = function(x).detach().double().numpy()
    module = from_fx(torch.fx.symbolic_trace(function), info([x]))
    found = read(machine(module)["main"](given(x)))
    assert np.abs(found - expected).max() <= 2 * torch.finfo(x.dtype).eps * np.abs(expected).max()


WITH_NAN = torch.tensor([1.0, float("nan"), -2.0, float("inf"), 0.0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x == x,
        lambda x: x != x,
        lambda x: torch.where(x == x, x, 0),
        lambda x: (x != x).any(),
        lambda x: torch.logical_not(x == x),
        lambda x: x <= x,
        lambda x: torch.isnan(x) | (x == x),
    ],
)
def test_nan_is_not_equal_to_itself(function, dtype):
    check_call(function, WITH_NAN.to(getattr(torch, dtype)))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("divisor", [7, -7, 3, 1, -128])
def test_remainders_of_the_least_integer(dtype, divisor):
    T = getattr(torch, dtype)
    least = torch.iinfo(T).min
    x = torch.tensor([least, least + 1, -7, -1, 0, 1, 6, torch.iinfo(T).max], dtype=T)
    check_call(lambda x: torch.fmod(x, divisor), x)
    check_call(lambda x: torch.remainder(x, divisor), x)


def test_cumulative_sums_of_millions_do_not_drift():
    x = torch.rand(1 << 20, generator=torch.Generator().manual_seed(0))
    exact = np.cumsum(x.numpy().astype("float64"))
    module = from_fx(traced(lambda x: torch.cumsum(x, 0), 1), info([x]))
    found = machine(module)["main"](nd(x)).numpy()
    assert np.abs(found / exact - 1).max() <= 1.2e-7
