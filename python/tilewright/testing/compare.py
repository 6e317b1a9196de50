"""Tests of passes that say what there is before and what is expected."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .._core import IRModule, Object
from ..ir.base import assert_structural_equal
from ..ir.function import BaseFunc
from ..script.capture import Capture, Pending

__all__ = ["CompareBeforeAfter"]

#: The parts that a test has.
_PARTS = ("before", "expected", "transform")


class CompareBeforeAfter:
    """A test of a pass: the class says `transform`, `before` and `expected`, and the test compares.

    `before` and `expected` are functions or modules; methods that make them, which may take fixtures; or undecorated
    definitions, whose text is read as a script (a class: of a module). `expected` may also be a class of exceptions, or
    a function that looks at the result. `transform` is a pass, or a method that makes one, or a function of modules.
    """

    transform: Any = None
    check_well_formed = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in _PARTS:
            part = vars(cls).get(name)
            if part is not None and not _is_fixture(part):
                setattr(cls, name, _fixture(_maker(cls, name, part), name))

    def test_compare(self, before: Any, expected: Any, transform: Any) -> None:
        """The pass makes of `before` what `expected` says."""
        if isinstance(expected, type) and issubclass(expected, BaseException):
            import pytest

            with pytest.raises(expected):
                _apply(transform, before)
            return
        after = _apply(transform, before)
        if isinstance(expected, (IRModule, Object)):
            assert_structural_equal(after, _like(after, expected))
            return
        result = expected(after)
        assert result is None or result, "the function that looks at the result does not accept it"


def _is_fixture(part: Any) -> bool:
    return hasattr(part, "_pytestfixturefunction") or type(part).__name__ == "FixtureFunctionDefinition"


def _fixture(make: Callable[..., Any], name: str) -> Any:
    try:
        import pytest
    except ImportError:
        return make
    return pytest.fixture(name=name)(make)


def _maker(cls: type, name: str, part: Any) -> Callable[..., Any]:
    """The function of a fixture that gives the part."""
    if isinstance(part, (staticmethod, classmethod)):
        part = part.__get__(None, cls)
    if isinstance(part, FunctionType) and next(iter(inspect.signature(part).parameters), None) == "self":
        return part
    if isinstance(part, Pending):
        part = getattr(cls, name)
    if isinstance(part, property):
        return part.fget
    if name != "transform":
        if isinstance(part, type) and not issubclass(part, BaseException):
            part = _module_of_class(part)
        elif isinstance(part, FunctionType) and (name == "before" or _is_script(part)):
            part = Capture.by_hand(part, sys._getframe(2), "").read()
    return lambda self: part


def _is_script(function: FunctionType) -> bool:
    """Whether it is a definition to be read: its arguments have types of the script's language."""
    return all(param.annotation is not param.empty for param in inspect.signature(function).parameters.values())


def _module_of_class(cls: type) -> IRModule:
    """The module of a class whose functions are decorated, or read as scripts."""
    functions = {}
    for name, value in vars(cls).items():
        if name.startswith("_"):
            continue
        value = getattr(cls, name) if isinstance(value, Pending) else value
        if isinstance(value, FunctionType):
            value = Capture.by_hand(value, sys._getframe(3), "").read()
        if isinstance(value, BaseFunc):
            functions[name] = value.with_attr("global_symbol", name)
    return IRModule(functions)


def _apply(transform: Any, before: Any) -> Any:
    """What the pass makes: of a function, the function."""
    if isinstance(before, IRModule):
        return transform(before)
    return transform(IRModule({"main": before.with_attr("global_symbol", "main")}))["main"]


def _like(after: Any, expected: Any) -> Any:
    """What is expected, under the name that a function has in the module of the pass."""
    if isinstance(after, BaseFunc) and isinstance(expected, BaseFunc):
        return expected.with_attr("global_symbol", "main")
    return expected
