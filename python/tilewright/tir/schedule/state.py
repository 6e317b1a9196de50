"""The state of a schedule: a module as a tree of loops and blocks, each of which can be asked about and replaced."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from ... import _core
from ..._core import IRModule
from ...error import TVMError
from ..block_scope import BlockScope, StmtSRef, block_ref
from ..function import PrimFunc
from ..stmt import Block, BlockRealize, For

__all__ = ["CachedFlags", "ScheduleDebugMask", "ScheduleState"]


class ScheduleDebugMask(IntEnum):
    """What is checked after each step; a schedule checks all of it always."""

    VERIFY_SREF_TREE = 1
    VERIFY_CACHED_FLAGS = 2


class CachedFlags(NamedTuple):
    """What is known of a block: its axes are affine in the loops, what it reads is complete, its blocks a pipeline."""

    affine_binding: bool
    region_cover: bool
    stage_pipeline: bool


def mask_of(debug_mask: str | int | None) -> int:
    """The bits of `ScheduleDebugMask` that "all", "none" or a number means."""
    names = {"all": 3, "none": 0, None: 0}
    if isinstance(debug_mask, int):
        return debug_mask
    if debug_mask not in names:
        raise ValueError(f'debug_mask is "all", "none" or a number, found {debug_mask!r}')
    return names[debug_mask]


class ScheduleState:
    """The module of a schedule, as a tree of loops and blocks."""

    def __init__(
        self, mod: PrimFunc | IRModule, *, debug_mask: str | int | None = "none", enable_check: bool = True
    ) -> None:
        """The state of a module, or of a function."""
        self._schedule = _core.Schedule(mod)
        self.debug_mask, self.enable_check = mask_of(debug_mask), enable_check

    @classmethod
    def _of(cls, schedule: Any, debug_mask: int, enable_check: bool) -> ScheduleState:
        state = cls.__new__(cls)
        state._schedule, state.debug_mask, state.enable_check = schedule, debug_mask, enable_check
        return state

    @property
    def mod(self) -> IRModule:
        """The module as it is now."""
        return self._schedule.mod

    def get_sref(self, stmt: Block | For) -> StmtSRef | None:
        """The reference to a loop or block; `None` where the module does not have it."""
        ref = _core.StmtRef.of(self._schedule, stmt)
        return None if ref is None else StmtSRef(self._schedule, ref)

    def get_block_scope(self, block_sref: StmtSRef) -> BlockScope:
        """How the blocks directly inside of a block depend on each other."""
        return BlockScope(self._schedule, block_ref(block_sref))

    def _get_cached_flags(self, block_sref: StmtSRef) -> CachedFlags:
        """What is known of a block."""
        return CachedFlags(*block_ref(block_sref).flags(self._schedule))

    def replace(
        self,
        src_sref: StmtSRef,
        tgt_stmt: Block | For | BlockRealize,
        block_sref_reuse: Mapping[Block, Block] | None = None,
    ) -> None:
        """Puts another loop or block in the place of one.

        A loop inside keeps its reference where its variable stays the same, and a block where its first axis does.
        """
        if src_sref.stmt is None:
            raise TVMError("the loop or block is not in the module any more")
        src_sref._ref.replace(self._schedule, tgt_stmt)
