"""Tensor expressions: a tensor as a formula for its elements, and PrimFuncs of them.

A = te.placeholder((n, m), name="A")
B = te.placeholder((m, l), name="B")
k = te.reduce_axis((0, m), name="k")
C = te.compute((n, l), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
te.create_prim_func([A, B, C]).show()
"""

from ..tir.expr import CommReducer, ProducerLoad, Reduce
from ..tir.function import IndexMap
from ..tir.op import *
from . import operation, reduction, tag, tensor
from .operation import *
from .reduction import *
from .reduction import all, any, max, min, sum
from .tag import tag_scope
from .tensor import *

#: Separates the axes of a layout into groups, each of which is flattened by itself.
AXIS_SEPARATOR = IndexMap.AXIS_SEPARATOR

__all__ = [
    "AXIS_SEPARATOR",
    "CommReducer",
    "ProducerLoad",
    "Reduce",
    *operation.__all__,
    *reduction.__all__,
    *tensor.__all__,
    "tag",
    "tag_scope",
]


def __getattr__(name: str) -> object:
    from ..compat.absent import absent_name

    return absent_name(__name__, name)
