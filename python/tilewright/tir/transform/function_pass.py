"""Passes on loop functions, written in Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.transform import function_pass_of
from ..function import PrimFunc

__all__ = ["prim_func_pass"]


def prim_func_pass(
    pass_func: Any = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Iterable[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a Python function `(function, module, context) -> function` on loop functions.

    Also of a class with a method `transform_function` of these arguments, and with arguments as a decorator.
    """
    return function_pass_of(PrimFunc, pass_func, opt_level, name, required)
