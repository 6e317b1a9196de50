"""Blocks and loops as a tree, and how the blocks of a scope depend on each other."""

from __future__ import annotations

from collections.abc import Hashable
from enum import IntEnum
from typing import Any

from .. import _core
from ..error import TVMError
from .stmt import Block, For

__all__ = ["BlockScope", "DepKind", "Dependency", "StmtSRef"]


class DepKind(IntEnum):
    """Why one block comes after another: read after write, write after write, write after read, unknown."""

    RAW = 0
    WAW = 1
    WAR = 2
    OPAQUE = 3


class StmtSRef:
    """A loop or a block of a schedule's module: it stays the same while primitives change what is inside."""

    def __init__(self, schedule: Any, ref: Any) -> None:
        self._schedule, self._ref = schedule, ref

    @property
    def stmt(self) -> Block | For | None:
        """The loop or block as it is now; `None` where it is gone."""
        return self._ref.stmt(self._schedule) if isinstance(self._ref, _core.StmtRef) else None

    @property
    def parent(self) -> StmtSRef | None:
        """The innermost loop or block around it."""
        ref = self._ref.parent(self._schedule) if isinstance(self._ref, _core.StmtRef) else None
        return None if ref is None else StmtSRef(self._schedule, ref)

    @property
    def seq_index(self) -> int:
        """Its number among the statements of the sequence around it; -1 where there is none."""
        return int(self._ref.seq_index(self._schedule)) if isinstance(self._ref, _core.StmtRef) else -1

    @staticmethod
    def inline_mark() -> StmtSRef:
        """The mark for a block that is inlined, in the place of a loop."""
        return StmtSRef(None, "inline")

    @staticmethod
    def root_mark() -> StmtSRef:
        """The mark for a block that stays outside of all loops, in the place of a loop."""
        return StmtSRef(None, "root")

    def same_as(self, other: object) -> bool:
        """Whether it is the same loop or block of the same schedule."""
        return self == other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StmtSRef) and self._schedule_key() == other._schedule_key() and self._ref == other._ref

    def __hash__(self) -> int:
        return hash((self._schedule_key(), self._ref))

    def _schedule_key(self) -> Hashable:
        return None if self._schedule is None else id(self._schedule)

    def __repr__(self) -> str:
        return f"StmtSRef({self._ref!r})" if isinstance(self._ref, str) else f"StmtSRef({self.stmt!r})"


class Dependency:
    """A block that depends on an earlier one, and why."""

    def __init__(self, src: StmtSRef, dst: StmtSRef, kind: int) -> None:
        self.src, self.dst, self.kind = src, dst, DepKind(kind)

    def __repr__(self) -> str:
        return f"Dependency({self.src!r}, {self.dst!r}, {self.kind.name})"


class BlockScope:
    """How the blocks directly inside of a block depend on each other."""

    def __init__(self, schedule: Any, ref: Any) -> None:
        found = ref.dependencies(schedule)
        self._all = [Dependency(StmtSRef(schedule, src), StmtSRef(schedule, dst), kind) for src, dst, kind in found]

    def get_deps_by_src(self, block: StmtSRef) -> list[Dependency]:
        """What depends on the block."""
        return [dependency for dependency in self._all if dependency.src == block]

    def get_deps_by_dst(self, block: StmtSRef) -> list[Dependency]:
        """What the block depends on."""
        return [dependency for dependency in self._all if dependency.dst == block]


def block_ref(sref: object) -> Any:
    """The reference to a block."""
    if isinstance(sref, StmtSRef) and isinstance(sref._ref, _core.StmtRef):
        if sref._ref.is_block and sref.stmt is not None:
            return sref._ref
        raise TVMError(f"expected a block of the module, found {sref!r}")
    raise TypeError(f"expected a StmtSRef of a block, found {type(sref).__name__}")
