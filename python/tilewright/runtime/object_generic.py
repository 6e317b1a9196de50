"""Python values as parts of the IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from ..ir.container import Array, Map

__all__ = ["const", "convert", "convert_to_object"]


def convert(value: Any, span: object = None) -> Any:
    """A number as a scalar expression, a text as itself, a list as an Array, a dict as a Map, a function as it is."""
    if isinstance(value, (list, tuple)) and not isinstance(value, Array):
        return Array(convert(item) for item in value)
    if isinstance(value, dict) and not isinstance(value, Map):
        return Map({key: convert(item) for key, item in value.items()})
    if isinstance(value, (bool, int, float)):
        return _core.to_expr(value)
    if value is None or isinstance(value, (str, Callable, _core.Object, _core.NDArray, _core.IRModule, Array, Map)):
        return value
    raise TypeError(f"a value of type {type(value).__name__} has no meaning in the IR")


convert_to_object = convert


def const(value: Any, dtype: str | None = None, span: object = None) -> Any:
    """A constant of a type: by default int32, float32 or bool."""
    return _core.to_expr(value, dtype)
