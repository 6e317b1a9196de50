"""The decorators: from a decorated class or function to a module or function of the IR."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import Any

from .. import _core
from ..error import TVMError
from .capture import Capture, Macro, Pending, in_class_body

__all__ = ["from_source", "function", "ir_module", "macro", "prim_func"]


def from_source(
    source: str | PathLike[str] | type | Callable,
    extra_vars: dict[str, Any] | None = None,
    check_well_formed: bool = True,
) -> Any:
    """The module or function that a text defines; a dict of them by name where it defines several.

    `source` is the text itself or the path of a file with it, or an undecorated class or function whose text is read.
    A text's imports say what its names mean; without imports `T`, `R`, `I` and `tvm` have their usual meanings.
    `extra_vars` are values for further names. Without `check_well_formed` variables that nothing gives a value are
    no errors.
    """
    if isinstance(source, (_core.IRModule, _core.Object)):
        return source
    if isinstance(source, (type, FunctionType)):
        return Capture.by_hand(source, sys._getframe(1), "").with_values(extra_vars or {}).read(check_well_formed)
    names = _usual_names() | (extra_vars or {})
    value = None if extra_vars is None else lambda text, local=None: eval(text, names | dict(local or {}))
    if not isinstance(source, PathLike):
        return _core.from_source(source, "<text>", value, check_well_formed)
    path = Path(source)
    try:
        return _core.from_source(path.read_bytes().decode("utf-8"), str(path), value, check_well_formed)
    except UnicodeDecodeError as error:
        raise TVMError(f"{path}: the file is not UTF-8: {error.reason} at byte {error.start}") from None


def _usual_names() -> dict[str, Any]:
    """What the letters of the namespaces mean to Python."""
    import tilewright

    from . import ir, relax, tir

    return {"I": ir, "R": relax, "T": tir, "tvm": tilewright}


def ir_module(cls: type | None = None, *, check_well_formed: bool = True) -> Any:
    """Reads a class as a module. Without `check_well_formed` variables may lack a value."""
    meaning, options = "script.ir.ir_module", {"check_well_formed": check_well_formed}
    if cls is None:
        return lambda cls: Capture.of(cls, sys._getframe(1), meaning, **options).read()
    return Capture.of(cls, sys._getframe(1), meaning, **options).read()


def rewriter(cls: type) -> Any:
    """Reads a class with the functions `pattern` and `replacement` as what rewrites the one into the other."""
    from ..relax.dpl.rewriter import PatternMatchingRewriter

    return PatternMatchingRewriter.from_module(Capture.of(cls, sys._getframe(1), "script.ir.ir_module").read())


def _decorate(function: Callable, frame: Any, decorator: str, **options: bool) -> Any:
    capture = Capture.of(function, frame, decorator, **options)
    # In a class body this runs before the class's own decorator, which reads the whole text.
    return Pending(capture) if in_class_body(frame) else capture.read()


def prim_func(function: Callable | None = None, *, private: bool = False, check_well_formed: bool = True) -> Any:
    """Reads a function as a PrimFunc. The arguments are read from the decorator's text."""
    meaning, options = "script.tir.prim_func", {"private": private, "check_well_formed": check_well_formed}
    if function is None:
        return lambda function: _decorate(function, sys._getframe(1), meaning, **options)
    return _decorate(function, sys._getframe(1), meaning, **options)


def macro(function: Callable | None = None, *, hygienic: bool = True) -> Any:
    """Makes a macro of a function: its statements replace its calls in scripts.

    A name in it means what it means here (`hygienic`), or what it means where the macro is called.
    """
    meaning, options = "script.tir.macro", {"hygienic": hygienic}
    if function is None:
        return lambda function: Macro(Capture.of(function, sys._getframe(1), meaning, **options))
    return Macro(Capture.of(function, sys._getframe(1), meaning, **options))


def function(
    function: Callable | None = None, *, pure: bool | None = None, private: bool = False, check_well_formed: bool = True
) -> Any:
    """Reads a function as a Relax function, pure if its calls are where `pure` is not said.

    The arguments are read from the decorator's text.
    """
    meaning, options = "script.relax.function", {"private": private, "check_well_formed": check_well_formed}
    options |= {} if pure is None else {"pure": pure}
    if function is None:
        return lambda function: _decorate(function, sys._getframe(1), meaning, **options)
    return _decorate(function, sys._getframe(1), meaning, **options)
