"""Passes: functions from modules to modules, with a name, run in a context."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Self

from .._core import IRModule, Pass
from .instrument import PassInstrument, PrintAfterAll, PrintBeforeAll

__all__ = ["Pass", "PassContext", "PassInstrument", "PrintAfterAll", "PrintBeforeAll", "Sequential", "module_pass"]


@dataclass(frozen=True, eq=False)
class PassContext:
    """What passes run under: the optimisation level, passes left out or forced, instruments that watch.

    In a `with` statement it is the current one.
    """

    opt_level: int = 2
    required_pass: Iterable[str] = ()
    disabled_pass: Iterable[str] = ()
    instruments: Iterable[PassInstrument] = ()
    config: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("required_pass", "disabled_pass", "instruments"):
            object.__setattr__(self, name, list(getattr(self, name) or ()))

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _stack.set(_stack.get()[:-1])

    @staticmethod
    def current() -> PassContext:
        """The innermost context in scope; the default one outside of any."""
        return _stack.get()[-1]


_stack: ContextVar[tuple[PassContext, ...]] = ContextVar("tilewright.pass_context", default=(PassContext(),))


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
