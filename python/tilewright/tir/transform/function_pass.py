"""Passes on loop functions, written in Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.transform import ModulePass, function_pass_of
from ..function import PrimFunc

__all__ = ["PrimFuncPass", "prim_func_pass"]


class PrimFuncPass(ModulePass):
    """A pass written in Python that works on one loop function after the other."""


def prim_func_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Iterable[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a Python function `(function, module, context) -> function` on loop functions.

    Also of a class with a method `transform_function` of these arguments, and with arguments as a decorator.
    """
    return function_pass_of(PrimFunc, pass_func, (opt_level, name, required), PrimFuncPass)
