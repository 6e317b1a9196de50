"""The target, and the one in scope."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Self

from .. import _core

_stack: ContextVar[tuple[Target, ...]] = ContextVar("tilewright.target", default=())


class Target(_core.Target):
    """A machine to compile for, from its name and options: `Target("llvm")`, `Target("llvm -mcpu=haswell")`.

    In a `with` statement it is the target in scope, for whatever is built without naming one.
    """

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _stack.set(_stack.get()[:-1])

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target in scope; where there is none: None, or an error if that is not allowed."""
        stack = _stack.get()
        if not stack and not allow_none:
            raise ValueError("no target is in scope: use `with Target(...):`")
        return stack[-1] if stack else None

    @staticmethod
    def choose(target: str | Target | None) -> Target:
        """The target that was named, else the one in scope, else this machine's processor."""
        if isinstance(target, Target):
            return target
        return Target(target) if target is not None else (Target.current() or Target("llvm"))
