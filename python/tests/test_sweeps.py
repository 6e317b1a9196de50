"""Sweeps over operators, types, ranks and sizes for the kinds of wrong values that compilers have produced silently.

`docs/sweeps.md` is the table of them, with what each compares and how much; `UPDATE_EXPECT=1` writes it.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch_cases import CASES  # noqa: E402
from torch_checks import info, machine, nd, traced  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright import relax  # noqa: E402
from tilewright.relax.frontend.torch import from_exported_program, from_fx  # noqa: E402
from tilewright.script import tir as T  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "sweeps.md"
FLOATS = ["float16", "bfloat16", "float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
SHAPES = [(), (0,), (1,), (3, 5)]
IMPORTERS = ["fx", "exported"]


def given(tensor):
    """The tensor for the virtual machine; NumPy has no bfloat16."""
    if tensor.dtype != torch.bfloat16:
        return nd(tensor)
    return tvm.nd.array(tensor.float().contiguous().numpy()).astype("bfloat16")


def read(value):
    """The tensors of a result as float64, or as they are, with their types."""
    if isinstance(value, (list, tuple)) or type(value).__name__ == "Array":
        return [one for item in value for one in read(item)]
    if isinstance(value, int):
        return [("int64", np.asarray(value))]
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return [(dtype, (value.detach().double() if value.is_floating_point() else value).numpy())]
    dtype = str(value.dtype)
    array = (value.astype("float32") if dtype == "bfloat16" else value).numpy()
    return [(dtype, array.astype("float64") if array.dtype.kind == "f" else array)]


def imported(function, inputs, importer):
    if importer == "fx":
        return from_fx(traced(function, len(inputs)), info(inputs))

    class Call(nn.Module):
        def forward(self, *values):
            return function(*values)

    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return from_exported_program(torch.export.export(Call(), tuple(inputs)))


def ours(function, inputs, importer):
    return read(machine(imported(function, inputs, importer))["main"](*map(given, inputs)))


def ulps(found, wanted, dtype):
    """The largest difference in units of the last place of the value, of small values of a twentieth of the largest."""
    finite = np.isfinite(wanted)
    scale = np.abs(wanted[finite]).max(initial=0)
    step = torch.finfo(getattr(torch, dtype)).eps * np.maximum(np.abs(wanted[finite]), scale * 0.05 + 1e-30)
    return (np.abs(found[finite] - wanted[finite]) / step).max(initial=0)


def special(shape, dtype):
    """Values with NaN, infinities, zeros and both signs among them."""
    values = torch.tensor([np.nan, -np.inf, np.inf, -0.0, 0.0, -1.5, 3.0])
    count = int(np.prod(shape))
    return values.repeat(count // 7 + 1)[:count].reshape(shape).to(getattr(torch, dtype))


# A value compared with itself.

THEMSELVES = {
    "==": lambda x: x == x,
    "!=": lambda x: x != x,
    "<=": lambda x: x <= x,
    ">=": lambda x: x >= x,
    "<": lambda x: x < x,
    ">": lambda x: x > x,
    "where": lambda x: torch.where(x == x, x, 0.0),
    "isnan": torch.isnan,
    "any": lambda x: (x != x).any(),
    "all": lambda x: (x == x).all(),
    "difference": lambda x: x - x,
    "quotient": lambda x: x / x,
    "maximum": lambda x: torch.maximum(x, x),
    "minimum": lambda x: torch.minimum(x, x),
}


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_value_is_compared_with_itself(dtype, importer):
    calls = list(THEMSELVES.values())
    for shape in SHAPES:
        x = special(shape, dtype)
        found = ours(lambda x: tuple(call(x) for call in calls), [x], importer)
        for name, (found_dtype, one), call in zip(THEMSELVES, found, calls, strict=True):
            ((wanted_dtype, wanted),) = read(call(x))
            assert found_dtype == wanted_dtype, (name, shape)
            np.testing.assert_array_equal(one, wanted, err_msg=f"{name} {shape}")


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_kernel_compares_a_value_with_itself(dtype):
    @T.prim_func
    def kernel(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), dtype)
        B = T.match_buffer(b, (n,), "bool")
        C = T.match_buffer(c, (n,), dtype)
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] == A[vi]
        for i in range(n):
            with T.block("C"):
                vi = T.axis.spatial(n, i)
                C[vi] = T.Select(A[vi] != A[vi], T.Cast(dtype, 7), A[vi])

    built = tvm.build(kernel, target="llvm")
    for count in (0, 1, 9):
        x = special((count,), dtype)
        same, filled = tvm.nd.empty((count,), "bool"), tvm.nd.empty((count,), dtype)
        built(given(x), same, filled)
        ((_, values),) = read(x)
        np.testing.assert_array_equal(same.numpy(), values == values)
        np.testing.assert_array_equal(read(filled)[0][1], np.where(np.isnan(values), 7, values))


# Numbers of Python beside tensors.

NUMBERS = [65535, 1e-8, 1e6, 0.1, -3, 2.5, 7, 1 / 3]
WITH_NUMBERS = {
    "+": lambda x, n: x + n,
    "reflected +": lambda x, n: n + x,
    "-": lambda x, n: x - n,
    "reflected -": lambda x, n: n - x,
    "*": lambda x, n: x * n,
    "/": lambda x, n: x / n,
    "//": lambda x, n: x // n,
    "%": lambda x, n: x % n,
    "clamp": lambda x, n: x.clamp(max=n),
    ">": lambda x, n: x > n,
    "add alpha": lambda x, n: torch.add(x, x, alpha=n),
    "addcmul value": lambda x, n: torch.addcmul(x, x, x, value=n),
    "lerp": lambda x, n: torch.lerp(x, x + 1, n),
    "where": lambda x, n: torch.where(x > 0, x, n),
    "full_like": lambda x, n: torch.full_like(x, n),
}


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_beside_tensors(dtype, importer):
    x = torch.tensor([-3.5, -1.0, 0.0, 0.25, 2.0, 1000.0]).to(getattr(torch, dtype))
    calls = [(name, call, number) for name, call in WITH_NUMBERS.items() for number in NUMBERS]
    calls = [(name, call, number) for name, call, number in calls if representable(call, x, number)]
    found = ours(lambda x: tuple(call(x, number) for _, call, number in calls), [x], importer)
    for (name, call, number), (found_dtype, one) in zip(calls, found, strict=True):
        ((wanted_dtype, wanted),) = read(call(x, number))
        assert found_dtype == wanted_dtype, (name, number)
        np.testing.assert_array_equal(np.isfinite(one), np.isfinite(wanted), err_msg=f"{name} {number}")
        if wanted.dtype.kind == "f":
            assert ulps(one, wanted, dtype) <= 1, (name, number, one, wanted)
        else:
            np.testing.assert_array_equal(one, wanted, err_msg=f"{name} {number}")


def representable(call, x, number):
    """Whether PyTorch takes the number for a tensor of this type."""
    try:
        call(x, number)
    except RuntimeError:
        return False
    return True


# Division and remainder of the least integers.


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


DIVISIONS = {
    "floor_divide": (lambda x, y: torch.div(x, y, rounding_mode="floor"), lambda a, b: a // b),
    "trunc_divide": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), truncated),
    "remainder": (torch.remainder, lambda a, b: a % b),
    "fmod": (torch.fmod, lambda a, b: a - b * truncated(a, b)),
}


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions_of_extreme_integers(name, dtype, importer):
    kind = getattr(torch, dtype)
    bits = torch.iinfo(kind).bits
    least = -(1 << (bits - 1))
    numbers = [least, least + 1, -8, -7, -1, 0, 1, 6, 7, -least - 1]
    call, formula = DIVISIONS[name]
    # A quotient that its type does not have is refused; a remainder always exists.
    quotient = name.endswith("divide")
    pairs = [(a, b) for a in numbers for b in numbers if b and not (quotient and (a, b) == (least, -1))]
    x, y = (torch.tensor([pair[at] for pair in pairs], dtype=kind) for at in (0, 1))
    # The program is recorded with harmless divisors: PyTorch itself stops at `least / -1`.
    vm = machine(imported(call, [x, y.abs().clamp(1)], importer))
    ((_, found),) = read(vm["main"](nd(x), nd(y)))
    wanted = [formula(a, b) for a, b in pairs]
    wrong = [(pair, f, w) for pair, f, w in zip(pairs, found.tolist(), wanted, strict=True) if f != w]
    assert not wrong
    if quotient:
        x[0], y[0] = least, -1
        with pytest.raises(tvm.TVMError, match="integer division of the least value by -1"):
            vm["main"](nd(x), nd(y))


# Reductions over nothing.

REDUCERS = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf}
STARTS = {"sum": "0.0", "prod": "1.0", "max": 'T.float32("-inf")', "min": 'T.float32("inf")'}
UPDATES = {"sum": "{} + {}", "prod": "{} * {}", "max": "T.max({}, {})", "min": "T.min({}, {})"}
ORDERS = {
    "rows": ("i, k in T.grid(m, n)", "k", "True"),
    "columns": ("k, i in T.grid(n, m)", "k", "True"),
    "apart": ("i, k_0, k_1 in T.grid(m, (n + 3) // 4, T.int64(4))", "k_0 * 4 + k_1", "k_0 * 4 + k_1 < n"),
}


def kernel_of(reducer, order):
    loops, place, condition = ORDERS[order]
    return tvm.script.from_source(f"""
@T.prim_func
def kernel(a: T.handle, b: T.handle):
    m, n = T.int64(), T.int64()
    A = T.match_buffer(a, (m, n), "float32")
    B = T.match_buffer(b, (m,), "float32")
    for {loops}:
        with T.block("B"):
            vi = T.axis.spatial(m, i)
            vk = T.axis.reduce(n, {place})
            T.where({condition})
            with T.init():
                B[vi] = {STARTS[reducer]}
            B[vi] = {UPDATES[reducer].format("B[vi]", "A[vi, vk]")}
""")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("reducer", REDUCERS)
def test_a_reduction_over_nothing_is_its_init(reducer, order):
    built = tvm.build(kernel_of(reducer, order), target="llvm")
    for m in (0, 1, 9):
        for n in (0, 1, 7):
            values = np.random.default_rng(n).normal(size=(m, n)).astype("float32")
            found = tvm.nd.array(np.full(m, 77, "float32"))
            built(tvm.nd.array(values), found)
            wanted = getattr(np, reducer)(values, axis=1, initial=REDUCERS[reducer])
            np.testing.assert_allclose(found.numpy(), wanted.astype("float32"), rtol=1e-5, atol=1e-6)


EMPTY = [(3, 0), (0, 4), (0, 0)]
OVER_NOTHING = {
    "sum": lambda x: x.sum(1),
    "sum of all": lambda x: x.sum(),
    "prod": lambda x: x.prod(1),
    "mean": lambda x: x.mean(1),
    "any": lambda x: x.any(1),
    "all": lambda x: x.all(1),
    "logsumexp": lambda x: x.logsumexp(1),
    "norm": lambda x: x.norm(dim=1),
    "softmax": lambda x: x.softmax(1),
    "cumsum": lambda x: x.cumsum(1),
    "matmul": lambda x: x @ x.transpose(0, 1),
    "linear": lambda x: F.linear(x, x),
    "split": lambda x: torch.split(x, 2, 1)[0],
    "cat": lambda x: torch.cat([x, x], 1),
}


@pytest.mark.parametrize("importer", IMPORTERS)
def test_operators_over_nothing(importer):
    calls = list(OVER_NOTHING.values())
    for shape in EMPTY:
        x = torch.zeros(shape)
        found = ours(lambda x: tuple(call(x) for call in calls), [x], importer)
        for name, call, (_, one) in zip(OVER_NOTHING, calls, found, strict=True):
            np.testing.assert_array_equal(one, read(call(x))[0][1], err_msg=f"{name} {shape}")


# Running sums.


@pytest.mark.parametrize("dtype", FLOATS)
def test_running_sums_do_not_drift(dtype):
    for count in (0, 1, 17, 300_000):
        x = (torch.from_numpy(np.random.default_rng(0).uniform(size=count)) / 64).to(getattr(torch, dtype))
        builder = relax.BlockBuilder()
        param = relax.Var("x", relax.TensorStructInfo((count,), dtype))
        with builder.function("main", [param]):
            builder.emit_func_output(builder.emit(relax.op.cumsum(param, axis=0)))
        ((_, found),) = read(machine(builder.get())["main"](given(x)))
        truth = np.cumsum(x.double().numpy())
        assert found.shape == truth.shape
        assert ulps(found, truth, dtype) <= (1 if dtype != "float64" else 400), count


# Rounding of narrow floats, over every rule of the importer.

#: What is farther from the true result than PyTorch's, in units of the last place, and why.
FARTHER = {
    "conv_transpose2d": (1.6, "parts of the kernel are rounded before they are added"),
}


def narrow_cases():
    names = [name for name, (_, *inputs) in CASES.items() if any(x.dtype == torch.float32 for x in inputs)]
    return [(name, ["float16", "bfloat16"][at % 2]) for at, name in enumerate(names)]


@pytest.mark.parametrize(("name", "dtype"), narrow_cases())
def test_narrow_floats_are_rounded_as_pytorch_rounds(name, dtype):
    narrow = getattr(torch, dtype)
    function, *inputs = CASES[name]
    inputs = [x.to(narrow) if x.dtype == torch.float32 else x for x in inputs]
    try:
        expected = read(function(*[x.clone() for x in inputs]))
        truth = read(function(*[x.double() if x.dtype == narrow else x.clone() for x in inputs]))
    except (RuntimeError, NotImplementedError, ValueError, AssertionError) as error:
        pytest.skip(f"PyTorch refuses: {error}")
    found = ours(function, inputs, "fx")
    for (found_dtype, one), (wanted_dtype, wanted), (_, true) in zip(found, expected, truth, strict=True):
        assert found_dtype == wanted_dtype
        if wanted_dtype not in FLOATS:
            continue
        np.testing.assert_array_equal(np.isfinite(one), np.isfinite(wanted))
        allowed = max(1.1 * ulps(wanted, true, dtype), FARTHER.get(name, (1.02, ""))[0])
        assert ulps(one, true, dtype) <= allowed, (ulps(one, true, dtype), allowed)


# The page.


def rows():
    """Kind, what is swept, the number of comparisons, what with, and what differs."""
    importers = " and ".join(f"`{name}`" for name in ("from_fx", "from_exported_program"))
    floats, signed = (", ".join(types) for types in (FLOATS, SIGNED))
    cases = narrow_cases()
    yield (
        "a value compared with itself",
        f"{len(THEMSELVES)} operations × {floats} × shapes {SHAPES} with NaN, infinities and both zeros × {importers}",
        len(THEMSELVES) * len(FLOATS) * len(SHAPES) * len(IMPORTERS),
        "PyTorch, every element",
        "none",
    )
    yield (
        "the same in a kernel",
        f"`==` and `!=` in a PrimFunc of symbolic size × {floats} × sizes 0, 1, 9",
        2 * len(FLOATS) * 3,
        "NumPy, every element",
        "none",
    )
    yield (
        "numbers of Python beside tensors",
        f"{len(WITH_NUMBERS)} operations × numbers {NUMBERS} × {floats} × {importers}",
        len(WITH_NUMBERS) * len(NUMBERS) * len(FLOATS) * len(IMPORTERS),
        "PyTorch, one unit of the last place; numbers that PyTorch refuses for a type are left out",
        "none",
    )
    yield (
        "extreme integers divided",
        f"{', '.join(DIVISIONS)} × {signed} × 90 pairs of numbers, the least and -1 among them × {importers}",
        len(DIVISIONS) * len(SIGNED) * len(IMPORTERS) * 90,
        "whole numbers of Python",
        "a quotient that its type does not have is an error (`TW0764`), where PyTorch gives the dividend or stops",
    )
    yield (
        "reductions over nothing in a kernel",
        f"{', '.join(REDUCERS)} × reduction loops inside, outside and split × sizes 0, 1, 9 by 0, 1, 7",
        len(REDUCERS) * len(ORDERS) * 9,
        "NumPy",
        "none",
    )
    yield (
        "operators over nothing",
        f"{', '.join(OVER_NOTHING)} × shapes {EMPTY} × {importers}",
        len(OVER_NOTHING) * len(EMPTY) * len(IMPORTERS),
        "PyTorch, every element",
        "none",
    )
    yield (
        "running sums",
        f"`cumsum` × {floats} × 0, 1, 17 and 300,000 elements",
        len(FLOATS) * 4,
        "sums in float64, one unit of the last place (float64: the order of the sum)",
        "none",
    )
    reasons = "; ".join(f"`{name}`: {ulps} units, {reason}" for name, (ulps, reason) in FARTHER.items())
    yield (
        "rounding of narrow floats",
        "every case of the importer's operators with floats, in turn as float16 and bfloat16",
        len(cases),
        "the result in float64: not farther from it than PyTorch's, or than 1.02 units of the last place",
        reasons or "none",
    )


def test_the_page_lists_the_sweeps():
    lines = [
        "# Sweeps for silently wrong values",
        "",
        "Each row is a kind of mistake that compilers have made without saying so, and the sweep of",
        "`python/tests/test_sweeps.py` that looks for it. The tests write this table.",
        "",
        "| kind | swept | comparisons | compared with | differences |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows()),
    ]
    text = "\n".join(lines) + "\n"
    if "UPDATE_EXPECT" in os.environ:
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "UPDATE_EXPECT=1 writes the page"
