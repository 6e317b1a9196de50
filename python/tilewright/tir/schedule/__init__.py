"""Schedules: how loops run, changed step by step while what they compute stays the same."""

from ..block_scope import DepKind
from . import instruction, schedule, state, testing, trace
from .instruction import Instruction, InstructionKind
from .schedule import RAND_VAR_TYPE, BlockRV, ExprRV, LoopRV, Schedule, ScheduleError
from .state import CachedFlags, ScheduleDebugMask, ScheduleState
from .trace import Trace

__all__ = [
    "RAND_VAR_TYPE",
    "BlockRV",
    "CachedFlags",
    "DepKind",
    "ExprRV",
    "Instruction",
    "InstructionKind",
    "LoopRV",
    "Schedule",
    "ScheduleDebugMask",
    "ScheduleError",
    "ScheduleState",
    "Trace",
    "instruction",
    "schedule",
    "state",
    "testing",
    "trace",
]
