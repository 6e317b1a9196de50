"""Schedules: how loops run, changed step by step while what they compute stays the same."""

from ..block_scope import BlockScope, Dependency, DepKind, StmtSRef
from . import analysis, instruction, schedule, state, testing, trace, transform
from .instruction import Instruction, InstructionKind
from .schedule import RAND_VAR_TYPE, BlockRV, ExprRV, LoopRV, Schedule, ScheduleError
from .state import CachedFlags, ScheduleDebugMask, ScheduleState
from .trace import Trace

__all__ = [
    "RAND_VAR_TYPE",
    "BlockRV",
    "BlockScope",
    "CachedFlags",
    "DepKind",
    "Dependency",
    "ExprRV",
    "Instruction",
    "InstructionKind",
    "LoopRV",
    "Schedule",
    "ScheduleDebugMask",
    "ScheduleError",
    "ScheduleState",
    "StmtSRef",
    "Trace",
    "analysis",
    "instruction",
    "schedule",
    "state",
    "testing",
    "trace",
    "transform",
]
