"""Operations on tensors: `op.matmul(a, b)`, `op.tensor_expr_op(…)`.

Each adds a binding to the function that is being written and gives its variable as a tensor; `name` is a wish for the
variable's name. A number as operand of a tensor takes the tensor's data type.

Most are entries of the core's table, which Rust has too (`table`); those that take what only Python has, tensor
expressions, PrimFuncs and registered functions, are written here (`custom`).
"""

from . import custom, table
from .custom import *

globals().update(table.FUNCTIONS)

__all__ = [*custom.__all__, *table.FUNCTIONS]
