"""What programs ask about shapes."""

from __future__ import annotations

from typing import Any

__all__ = ["get_const_int", "get_const_tuple"]


def get_const_int(expr: Any) -> int:
    """The value of a constant."""
    return int(expr)


def get_const_tuple(in_tuple: Any) -> tuple[Any, ...]:
    """The dimensions, with constants as Python's integers."""
    return tuple(dim if not hasattr(dim, "__index__") else int(dim) for dim in in_tuple)
