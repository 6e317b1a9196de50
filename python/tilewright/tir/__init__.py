"""The loop level: functions over buffers."""

from ..ir.expr import PrimExpr, Range
from . import analysis, buffer, expr, function, ir_builder, op, schedule, stmt, stmt_functor, transform
from .block_scope import DepKind
from .buffer import *
from .expr import *
from .function import IndexMap, PrimFunc, TensorIntrin
from .op import *
from .op import sum
from .schedule import Schedule, ScheduleError
from .stmt import *

__all__ = [
    "DepKind",
    "IndexMap",
    "PrimExpr",
    "PrimFunc",
    "TensorIntrin",
    "Range",
    "Schedule",
    "ScheduleError",
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
