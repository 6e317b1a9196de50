"""The decorators: from a decorated class or function to a module or function of the IR."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .. import _core
from .capture import Capture, Macro, Pending, in_class_body

__all__ = ["from_source", "function", "ir_module", "macro", "prim_func"]


def from_source(text: str, extra_vars: dict[str, Any] | None = None) -> Any:
    """The module or function that the text defines; a dict of them by name where it defines several.

    The text's imports say what its names mean; without imports `T`, `R`, `I` and `tvm` have their usual meanings.
    `extra_vars` are values for further names.
    """
    value = None if extra_vars is None else lambda expression: eval(expression, dict(extra_vars))
    return _core.from_source(text, "<text>", value)


def ir_module(cls: type | None = None, *, check_well_formed: bool = True) -> Any:
    """Reads a class as a module. `check_well_formed` is accepted: a module is always checked when it is read."""
    if cls is None:
        return lambda cls: Capture.of(cls, sys._getframe(1)).read()
    return Capture.of(cls, sys._getframe(1)).read()


def _decorate(function: Callable, frame: Any) -> Any:
    capture = Capture.of(function, frame)
    # In a class body this runs before the class's own decorator, which reads the whole text.
    return Pending(capture) if in_class_body(frame) else capture.read()


def prim_func(function: Callable | None = None, *, private: bool = False, check_well_formed: bool = True) -> Any:
    """Reads a function as a PrimFunc. The arguments are read from the decorator's text."""
    if function is None:
        return lambda function: _decorate(function, sys._getframe(1))
    return _decorate(function, sys._getframe(1))


def macro(function: Callable | None = None, *, hygienic: bool = True) -> Any:
    """Makes a macro of a function: its statements stand in the place of its calls in scripts.

    A name in it means what it means here (`hygienic`), or what it means where the macro is called.
    """
    if function is None:
        return lambda function: Macro(Capture.of(function, sys._getframe(1)))
    return Macro(Capture.of(function, sys._getframe(1)))


def function(
    function: Callable | None = None, *, pure: bool = True, private: bool = False, check_well_formed: bool = True
) -> Any:
    """Reads a function as a Relax function. The arguments are read from the decorator's text."""
    if function is None:
        return lambda function: _decorate(function, sys._getframe(1))
    return _decorate(function, sys._getframe(1))
