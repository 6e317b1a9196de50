"""Functions of each element."""

from __future__ import annotations

from typing import Any

from .. import tir
from ..te.operation import compute
from ..te.tensor import Tensor
from ..tir import const
from .formula import apply, each, unary

_SAME = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "cos", "cosh", "erf", "exp",
    "floor", "isfinite", "isinf", "isnan", "log", "logical_not", "negative", "round", "rsqrt", "sigmoid", "sign", "sin",
    "sinh", "sqrt", "square", "tan", "tanh", "trunc",
)  # fmt: skip

globals().update({name: unary(name) for name in _SAME})
# The functions that other compilers compute less exactly.
globals().update({f"fast_{name}": unary(name, f"fast_{name}") for name in ("exp", "tanh", "erf")})


def identity(x: Tensor) -> Tensor:
    """The elements themselves."""
    return each(x, lambda value: value, "T_identity")


def log2(x: Tensor) -> Tensor:
    """The logarithm to the base 2."""
    return each(x, tir.log2, "T_log2")


def log10(x: Tensor) -> Tensor:
    """The logarithm to the base 10."""
    return each(x, tir.log10, "T_log10")


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


__all__ = sorted([
    *_SAME, "cast", "clip", "elemwise_sum", "fast_erf", "fast_exp", "fast_tanh", "full", "full_like", "identity",
    "log10", "log2", "reinterpret",
])  # fmt: skip
