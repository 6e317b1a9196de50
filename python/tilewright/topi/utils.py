"""What programs ask about shapes."""

from __future__ import annotations

from typing import Any

from .. import _core, arith, tir

__all__ = [
    "ceil_div", "equal_const_int", "get_const_float", "get_const_int", "get_const_tuple", "get_float_tuple",
    "is_empty_shape", "prod", "ravel_index", "simplify", "unravel_index",
]  # fmt: skip


def get_const_int(expr: Any) -> int:
    """The value of a constant."""
    return int(expr)


def get_const_float(expr: Any) -> float:
    """The value of a constant."""
    return float(expr if isinstance(expr, (int, float)) else expr.value)


def get_const_tuple(in_tuple: Any) -> tuple[Any, ...]:
    """The dimensions, with constants as Python's integers."""
    return tuple(dim if not hasattr(dim, "__index__") else int(dim) for dim in in_tuple)


def get_float_tuple(in_tuple: Any) -> tuple[float, ...]:
    """Constants as Python's numbers."""
    return tuple(get_const_float(one) for one in in_tuple)


def equal_const_int(expr: Any, value: int) -> bool:
    """Whether an expression is this constant."""
    return isinstance(expr, (int, tir.IntImm)) and int(expr) == value


def is_empty_shape(shape: Any) -> bool:
    """Whether a tensor of this shape has no elements."""
    return any(equal_const_int(dim, 0) for dim in shape)


def simplify(expr: Any) -> Any:
    """A shorter form of an expression."""
    return expr if isinstance(expr, (int, float)) else arith.Analyzer().simplify(expr)


def ceil_div(a: Any, b: Any) -> Any:
    """The quotient, rounded up."""
    return simplify((a + (b - 1)) // b)


def prod(x: Any) -> Any:
    """The product of dimensions."""
    product: Any = 1
    for dim in x:
        product = product * dim
    return simplify(product)


def ravel_index(indices: Any, shape: Any) -> Any:
    """The place of an element among all."""
    place: Any = 0
    for index, extent in zip(indices, shape, strict=True):
        place = place * extent + index
    return place


def unravel_index(idx: Any, shape: Any) -> list[Any]:
    """The indices of an element from its place among all."""
    return _core.unravelled(idx, list(shape))
