"""The loop level: functions over buffers."""

from ..ir.expr import PrimExpr, Range
from . import analysis, buffer, expr, function, op, stmt, stmt_functor, transform
from .block_scope import DepKind
from .buffer import *
from .expr import *
from .function import IndexMap, PrimFunc, TensorIntrin
from .op import *
from .stmt import *

__all__ = [
    "DepKind",
    "IndexMap",
    "PrimExpr",
    "PrimFunc",
    "TensorIntrin",
    "Range",
    "buffer",
    "expr",
    "function",
    "op",
    "stmt",
    *buffer.__all__,
    *expr.__all__,
    *op.__all__,
    *stmt.__all__,
]
