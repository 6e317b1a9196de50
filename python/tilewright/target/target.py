"""The target, and the one in scope."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Self

from .. import _core
from ..error import WrongTypeError

__all__ = ["Target", "TargetKind"]

_stack: ContextVar[tuple[Target, ...]] = ContextVar("tilewright.target", default=())


class TargetKind(str):
    """The kind of a target: a text that also has itself as its `name`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The kind's name."""
        return str(self)


def text_of_options(options: dict[str, Any]) -> str:
    """The target string of a dict such as `{"kind": "llvm", "mcpu": "haswell"}`."""
    words = [str(options.get("kind", "llvm"))]
    for name, value in options.items():
        if name in ("kind", "keys", "host", "tag", "device"):
            continue
        words.append(f"-{name}={','.join(map(str, value)) if isinstance(value, (list, tuple)) else value}")
    return " ".join(words)


class Target(_core.Target):
    """A machine to compile for: `Target("llvm")` is this one, `Target("haswell")` and `Target("llvm -mcpu=haswell")`
    a known processor, `Target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")` another architecture; a dict of
    the options does too.

    `mcpu`, `mtriple`, `features` and `attrs` say what it came to. In a `with` statement it is the target in scope, for
    whatever is built without naming one.
    """

    def __new__(cls, target: str | dict[str, Any] | Target, host: Any = None) -> Self:
        """The target of a string, of a dict of options, or of another target."""
        return super().__new__(cls, text_of_options(target) if isinstance(target, dict) else target, host)

    @property
    def kind(self) -> TargetKind:
        """`llvm` for a processor."""
        return TargetKind(self.kind_name)

    @property
    def keys(self) -> list[str]:
        """Words for the sort of machine."""
        return ["cpu"] if self.kind_name == "llvm" else [self.kind_name, "gpu"]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Target, (str(self),))

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
    def choose(target: str | dict[str, Any] | Target | None) -> Target:
        """The target that was named, else the one in scope, else this machine's processor."""
        if isinstance(target, Target):
            return target
        if target is None:
            return Target.current() or Target("llvm")
        if not isinstance(target, (str, dict)):
            raise WrongTypeError(f"expected a Target or a target string, found {type(target).__name__}")
        return Target(target)
