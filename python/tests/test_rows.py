"""Softmax, norms and reductions of many sizes under the default schedule, beside NumPy in float64.

Sizes are odd, prime, one and zero, known or known only when they run, along any axis; rows have NaN and infinities, and
memory that nobody may write.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax

NARROW = {"float32": 1e-6, "float16": 2e-3}


def machine(op: str, shape: tuple[int | str, ...], dtype: str = "float32") -> Callable[..., np.ndarray]:
    """`op` of a tensor `x` of this shape, built as by default; sizes that are names are known only at the call."""
    dims = ", ".join(f'"{size}"' if isinstance(size, str) else str(size) for size in shape)
    source = f"""from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({dims},), "{dtype}")):
        with R.dataflow():
            y = {op}
            R.output(y)
        return y
"""
    built = relax.VirtualMachine(relax.build(tw.script.from_source(source), "llvm"), tw.cpu())
    return lambda x: built["main"](tw.nd.array(x)).numpy()


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis, keepdims=True)


def log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    distance = x - x.max(axis, keepdims=True, initial=-np.inf)
    return distance - np.log(np.exp(distance).sum(axis, keepdims=True))


def drawn(shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 3, shape).astype(dtype)


def with_extremes(x: np.ndarray) -> np.ndarray:
    """Rows with NaN, an infinity of either sign, nothing but the lowest, very large numbers."""
    x = x.copy()
    for row, (place, value) in enumerate([(0, np.nan), (-1, np.inf), (-1, -np.inf), (slice(None), -np.inf), (1, 3e38)]):
        x[row * 3, place] = value
    return x


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("columns", [2, 7, 16, 17, 64, 100, 197, 1000, 1024])
def test_rows_of_any_length(columns: int, name: str, dtype: str) -> None:
    expected = {"softmax": softmax, "log_softmax": log_softmax}[name]
    for shape in [(293, columns), ("n", columns), (293, "m"), ("n", "m")]:
        run = machine(f"R.nn.{name}(x, axis=-1)", shape, dtype)
        for rows in [293, 1, 0] if shape[0] == "n" else [293]:
            x = drawn((rows, columns), dtype)
            np.testing.assert_allclose(run(x), expected(x.astype("float64"), -1), NARROW[dtype] * 20, NARROW[dtype])


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("columns", [19, 64])
def test_nan_stays_in_its_row(columns: int, name: str) -> None:
    x = with_extremes(drawn((300, columns)))
    with np.errstate(all="ignore"):
        expected = {"softmax": softmax, "log_softmax": log_softmax}[name](x.astype("float64"), -1)
    found = machine(f"R.nn.{name}(x, axis=-1)", ("n", "m"))(x)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-6)
    np.testing.assert_array_equal(found, machine(f"R.nn.{name}(x, axis=-1)", x.shape)(x))


@pytest.mark.parametrize("shape", [(1000, 1000), (800, 1000)])
def test_steps_of_many_columns_are_no_checksum(shape: tuple[int, int]) -> None:
    """LLVM looked for one in their loop, without end."""
    x = drawn(shape)
    found = machine("R.nn.softmax(x, axis=0)", shape)(x)
    np.testing.assert_allclose(found, softmax(x.astype("float64"), 0), 1e-5, 1e-7)


def test_rows_without_columns_are_empty() -> None:
    run = machine("R.nn.softmax(x, axis=-1)", ("n", "m"))
    assert run(np.zeros((300, 0), "float32")).shape == (300, 0)
    assert run(np.zeros((0, 5), "float32")).shape == (0, 5)


@pytest.mark.parametrize("shape", [(512, 64), (512, 61), (64, 5, 33)])
def test_a_softmax_takes_read_only_arguments(shape: tuple[int, ...]) -> None:
    x = drawn(shape)
    x.flags.writeable = False
    kept = x.copy()
    np.testing.assert_allclose(machine("R.nn.softmax(x, axis=-1)", shape)(x), softmax(x, -1), 2e-5, 1e-6)
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(5, 21, 37), (3, 40, 64), (33, 2, 1)])
def test_any_axis(shape: tuple[int, ...], axis: int) -> None:
    x = drawn(shape)
    for sizes in [shape, ("a", "b", "c")]:
        run = machine(f"R.nn.softmax(x, axis={axis})", sizes)
        np.testing.assert_allclose(run(x), softmax(x.astype("float64"), axis), 2e-5, 1e-6)


REDUCED = [
    ((300, 97), (1,)),
    ((97, 300), (0,)),
    ((70001,), (0,)),
    ((9, 11, 33), (0, 2)),
    # Few neighbours: in pieces that lie together, of an even number of rows or not.
    ((4000, 7), (0,)),
    ((4001, 7), (0,)),
    ((100003, 3), (0,)),
    ((98304, 31), (0,)),
    # Few long rows: in parts, and what is left over.
    ((7, 4001), (1,)),
    ((3, 300007), (1,)),
    ((1, 1000003), (1,)),
]


@pytest.mark.parametrize(("shape", "axes"), REDUCED)
@pytest.mark.parametrize("name", ["sum", "max", "mean", "variance"])
def test_reductions_of_any_size(shape: tuple[int, ...], axes: tuple[int, ...], name: str) -> None:
    x = drawn(shape)
    expected = {"sum": np.sum, "max": np.max, "mean": np.mean, "variance": np.var}[name](x.astype("float64"), axes)
    names = tuple(f"n{at}" for at in range(len(shape)))
    for sizes in [shape, names]:
        found = machine(f"R.{name}(x, axis={list(axes)})", sizes)(x)
        np.testing.assert_allclose(found, expected, 2e-5, 2e-5 * float(np.abs(x).sum(axes).max()))


def test_a_sum_of_nothing_is_zero() -> None:
    run = machine("R.sum(x, axis=[1])", (5, "m"))
    np.testing.assert_array_equal(run(np.zeros((5, 0), "float32")), np.zeros(5, "float32"))
    np.testing.assert_array_equal(run(np.ones((5, 70), "float32")), np.full(5, 70, "float32"))
