"""How the blocks of a module depend on each other, without a schedule."""

from __future__ import annotations

from typing import Any

from .. import _core
from .block_scope import BlockScope, StmtSRef, block_ref
from .stmt import Block

__all__ = ["BlockDependenceInfo"]


class BlockDependenceInfo:
    """The blocks of a module, or of a function, and how those directly inside of each depend on each other."""

    def __init__(self, mod: Any) -> None:
        self._schedule = _core.Schedule(mod)
        self.mod = self._schedule.mod

    def get_sref(self, block: Block) -> StmtSRef | None:
        """The reference to a block; `None` where the module does not have it."""
        ref = _core.StmtRef.of(self._schedule, block)
        return None if ref is None else StmtSRef(self._schedule, ref)

    def get_block_scope(self, block_sref: StmtSRef) -> BlockScope:
        """How the blocks directly inside of a block depend on each other."""
        return BlockScope(self._schedule, block_ref(block_sref))
