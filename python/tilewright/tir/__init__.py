"""The loop level: functions over buffers."""

from . import buffer, expr, function, op, stmt
from .buffer import *
from .expr import *
from .function import PrimFunc
from .op import *
from .stmt import *
from ..ir.expr import Range

__all__ = [
    "PrimFunc",
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
