"""Functions of two tensors whose shapes broadcast, NumPy's way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import te, tir
from ..te.tensor import Tensor
from .formula import apply, binary, of_one_type

_SAME = (
    "add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "equal", "floor_divide", "floor_mod",
    "greater", "greater_equal", "left_shift", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
    "maximum", "minimum", "multiply", "not_equal", "power", "right_shift", "subtract",
)  # fmt: skip
_OTHERS = {"div": "divide", "floordiv": "floor_divide", "floormod": "floor_mod"}

globals().update({name: binary(name) for name in _SAME} | {own: binary(name, own) for own, name in _OTHERS.items()})


def mod(lhs: Any, rhs: Any) -> Tensor:
    """The remainder of the quotient rounded towards zero, of the sign of `lhs`."""
    return _by_element(tir.truncmod, lhs, rhs, "T_mod")


def log_add_exp(lhs: Any, rhs: Any) -> Tensor:
    """`log(exp(lhs) + exp(rhs))`, without what overflows on the way."""
    return _by_element(tir.logaddexp, lhs, rhs, "T_log_add_exp")


def _by_element(function: Callable[[Any, Any], Any], lhs: Any, rhs: Any, name: str) -> Tensor:
    """A function of two scalars, of the elements at the same index."""
    lhs, rhs = of_one_type(lhs, rhs)
    shape = apply("subtract", (lhs, rhs), {}).shape
    x, y = (one if list(one.shape) == list(shape) else broadcast_to(one, shape) for one in (lhs, rhs))
    return te.compute(shape, lambda *at: function(x(*at), y(*at)), name=name, tag="broadcast")


def broadcast_to(data: Any, shape: Any) -> Any:
    """The tensor, repeated where a dimension is 1."""
    return apply("broadcast_to", (data, shape), {})


__all__ = sorted([*_SAME, *_OTHERS, "broadcast_to", "log_add_exp", "mod"])
