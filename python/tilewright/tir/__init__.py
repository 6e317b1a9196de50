"""The loop level: functions over buffers."""

from ..ir.expr import PrimExpr, Range
from . import (
    analysis,
    buffer,
    data_layout,
    expr,
    function,
    generic,
    ir_builder,
    op,
    schedule,
    stmt,
    stmt_functor,
    transform,
)
from .block_dependence_info import BlockDependenceInfo
from .block_scope import BlockScope, Dependency, DepKind, StmtSRef
from .buffer import *
from .data_layout import BijectiveLayout, Layout, bijective_layout, layout
from .expr import *
from .function import IndexMap, PrimFunc, TensorIntrin
from .op import *
from .op import sum
from .schedule import Schedule, ScheduleError, ScheduleState
from .stmt import *

__all__ = [
    "BijectiveLayout",
    "BlockDependenceInfo",
    "BlockScope",
    "DepKind",
    "Dependency",
    "IndexMap",
    "Layout",
    "PrimExpr",
    "PrimFunc",
    "TensorIntrin",
    "Range",
    "Schedule",
    "ScheduleError",
    "ScheduleState",
    "StmtSRef",
    "bijective_layout",
    "buffer",
    "data_layout",
    "expr",
    "generic",
    "function",
    "ir_builder",
    "layout",
    "op",
    "schedule",
    "stmt",
    "sum",
    *buffer.__all__,
    *expr.__all__,
    *op.__all__,
    *stmt.__all__,
]
