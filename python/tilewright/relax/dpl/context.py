"""Patterns related by who uses whom."""

from __future__ import annotations

from typing import ClassVar, Self

from ... import _core
from .. import expr as _expr

__all__ = ["PatternContext"]


class PatternContext(_core.PatternContext):
    """Patterns, and the connections between the values that they match.

    In `with PatternContext() as ctx:` calls and uses of patterns are added to it; `ctx.match_dfb(block)` gives the
    variables of the first match in the block, or None.
    """

    _open: ClassVar[list[PatternContext]] = []

    def __enter__(self) -> Self:
        PatternContext._open.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        PatternContext._open.pop()

    @staticmethod
    def current() -> PatternContext | None:
        """The context whose `with` is around, if there is one."""
        return PatternContext._open[-1] if PatternContext._open else None

    def match_dfb(self, dfb: _expr.DataflowBlock) -> dict | None:
        """The variables that the patterns match, or None."""
        return super().match_dfb(dfb)
