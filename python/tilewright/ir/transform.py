"""Passes: functions from modules to modules, with a name and a context."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .._core import IRModule, Pass, PassContext

__all__ = ["Pass", "PassContext", "Sequential", "module_pass"]


def Sequential(passes: Iterable[Pass], name: str = "sequential") -> Pass:
    """One pass that runs these in order."""
    return Pass.sequential(list(passes), name)


def module_pass(
    function: Callable[[IRModule, PassContext], IRModule] | None = None, *, opt_level: int = 0, name: str | None = None
) -> Pass | Callable[[Callable[[IRModule, PassContext], IRModule]], Pass]:
    """Makes a pass of a Python function `(module, context) -> module`; also with arguments, as a decorator."""
    if function is None:
        return lambda function: Pass.from_python(function, name or function.__name__, opt_level)
    return Pass.from_python(function, name or function.__name__, opt_level)
