"""Functions of two tensors whose shapes broadcast, NumPy's way."""

from __future__ import annotations

from typing import Any

from .formula import apply, binary

_SAME = (
    "add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "equal", "floor_divide", "floor_mod",
    "greater", "greater_equal", "left_shift", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
    "maximum", "minimum", "mod", "multiply", "not_equal", "power", "right_shift", "subtract",
)  # fmt: skip
_OTHERS = {"div": "divide", "floordiv": "floor_divide", "floormod": "floor_mod"}

globals().update({name: binary(name) for name in _SAME} | {own: binary(name, own) for own, name in _OTHERS.items()})


def broadcast_to(data: Any, shape: Any) -> Any:
    """The tensor, repeated where a dimension is 1."""
    return apply("broadcast_to", (data, shape), {})


__all__ = sorted([*_SAME, *_OTHERS, "broadcast_to"])
