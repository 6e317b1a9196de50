"""The state of a schedule: a module whose loops and blocks have handles."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

from ..._core import IRModule

__all__ = ["CachedFlags", "ScheduleDebugMask", "ScheduleState"]


class ScheduleDebugMask(IntEnum):
    """What is checked after each step; a schedule checks all of it always."""

    VERIFY_SREF_TREE = 1
    VERIFY_CACHED_FLAGS = 2


class CachedFlags(IntFlag):
    """What is known of a block: its axes are affine, what it reads is complete, its scope is a pipeline."""

    NONE = 0
    AFFINE_BINDING = 1
    REGION_COVER = 2
    STAGE_PIPELINE = 4


class ScheduleState:
    """The module of a schedule at one moment."""

    def __init__(self, mod: IRModule, schedule: Any = None) -> None:
        """The state of a module."""
        self.mod = mod
        self._schedule = schedule
