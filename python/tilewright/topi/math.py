"""Functions of each element."""

from __future__ import annotations

from typing import Any

from .. import tir
from ..te.operation import compute
from ..te.tensor import Tensor
from ..tir import const
from .formula import apply, each, of_floats, unary

_SAME = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor", "isfinite",
    "isinf", "isnan", "negative", "round", "sigmoid", "sign", "sin", "sinh", "square", "tan", "tanh", "trunc",
)  # fmt: skip
_WIDENED = ("log", "rsqrt", "sqrt")
# The functions that other compilers compute less exactly.
_FAST = {"fast_erf": "erf", "fast_exp": "exp", "fast_tanh": "tanh"}


def identity(x: Tensor) -> Tensor:
    """The elements themselves."""
    return each(x, lambda value: value, "T_identity")


def log2(x: Tensor) -> Tensor:
    """The logarithm to the base 2."""
    return each(_floats(x), tir.log2, "T_log2")


def log10(x: Tensor) -> Tensor:
    """The logarithm to the base 10."""
    return each(_floats(x), tir.log10, "T_log10")


def _floats(x: Tensor) -> Tensor:
    return x if "float" in x.dtype else cast(x, "float32")


def abs(x: Tensor) -> Tensor:
    """The elements without their signs."""
    return identity(x) if x.dtype.startswith("uint") else apply("abs", (x,), {})


def bitwise_not(data: Tensor) -> Tensor:
    """Every bit the other way round."""
    return apply("bitwise_not", (data,), {})


def logical_not(data: Tensor) -> Tensor:
    """Whether the elements do not hold."""
    return apply("logical_not", (data,), {})


def clip(x: Tensor, a_min: Any, a_max: Any) -> Tensor:
    """The elements held between two numbers."""
    return apply("clip", (x, a_min, a_max), {})


def cast(x: Tensor, dtype: Any, span: Any = None) -> Tensor:
    """The elements in another data type."""
    return apply("astype", (x,), {"dtype": str(dtype)})


def reinterpret(x: Tensor, dtype: Any) -> Tensor:
    """The bits of the elements, read as another data type of their width."""
    return each(x, lambda value: tir.reinterpret(str(dtype), value), "T_reinterpret")


def elemwise_sum(xs: list[Tensor]) -> Tensor:
    """The sum of tensors of one shape."""
    total, *others = xs
    for other in others:
        total = apply("add", (total, other), {})
    return total


def full(shape: Any, dtype: Any, fill_value: Any) -> Tensor:
    """A tensor of one number."""
    return compute(shape, lambda *_: const(fill_value, str(dtype)), name="T_full")


def full_like(x: Tensor, fill_value: Any) -> Tensor:
    """A tensor of one number, of the shape and data type of another."""
    return full(x.shape, x.dtype, fill_value)


globals().update({name: unary(name) for name in _SAME})
globals().update({
    own: of_floats(name, lambda x, name=name: apply(name, (_floats(x),), {}), own)
    for own, name in {name: name for name in _WIDENED}.items() | _FAST.items()
})  # fmt: skip

__all__ = sorted([
    *_SAME, *_WIDENED, *_FAST, "abs", "bitwise_not", "cast", "clip", "elemwise_sum", "full",
    "full_like", "identity", "log10", "log2", "logical_not", "reinterpret",
])  # fmt: skip
