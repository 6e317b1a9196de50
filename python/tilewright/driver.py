"""Compiling one function or a module of functions."""

from __future__ import annotations

from typing import Any

from . import _core
from .ir import IRModule
from .relax import Executable, Function
from .target import Target
from .tir import PrimFunc


def build(mod: PrimFunc | Function | IRModule, target: str | dict[str, Any] | Target | None = None) -> Executable:
    """Compiles a module, or a single function, for `target` (this machine's processor where none is given).

    The result's functions are called by name, `ex["main"](a, b, out)`; when it holds a single PrimFunc, the result
    itself can be called.
    """
    return _core.build(mod, Target.choose(target), None)


compile = build
