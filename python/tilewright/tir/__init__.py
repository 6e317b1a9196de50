"""The loop level: functions over buffers."""

from ..ir.expr import PrimExpr, Range
from . import analysis, buffer, expr, function, ir_builder, op, schedule, stmt, stmt_functor, transform
from .block_dependence_info import BlockDependenceInfo
from .block_scope import BlockScope, Dependency, DepKind, StmtSRef
from .buffer import *
from .expr import *
from .function import IndexMap, PrimFunc, TensorIntrin
from .op import *
from .op import sum
from .schedule import Schedule, ScheduleError, ScheduleState
from .stmt import *

__all__ = [
    "BlockDependenceInfo",
    "BlockScope",
    "DepKind",
    "Dependency",
    "IndexMap",
    "PrimExpr",
    "PrimFunc",
    "TensorIntrin",
    "Range",
    "Schedule",
    "ScheduleError",
    "ScheduleState",
    "StmtSRef",
    "buffer",
    "expr",
    "function",
    "ir_builder",
    "op",
    "schedule",
    "stmt",
    "sum",
    *buffer.__all__,
    *expr.__all__,
    *op.__all__,
    *stmt.__all__,
]
