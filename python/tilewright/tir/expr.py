"""Scalar expressions: a class for each operator, and Python's operators on them.

Two expressions of different types meet in the wider one. A number takes the type of the other operand, but has
32 bits at least, and a float with an integer stays one.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from ..ir.container import Array
from ..ir.expr import PrimExpr, Range
from ..ir.type import PrimType, Type

__all__ = [
    "EQ", "GE", "GT", "LE", "LT", "NE", "Add", "And", "BinaryOpExpr", "Broadcast", "BufferLoad", "Call",
    "CallEffectKind", "Cast", "CmpExpr", "CommReducer", "ConstExpr", "Div", "EqualOp", "ExprOp", "FloatImm",
    "FloorDiv", "FloorMod", "IntImm", "IterVar", "Let", "LogicalExpr", "Max", "Min", "Mod", "Mul", "Not", "NotEqualOp",
    "Or", "PrimExprWithOp", "ProducerLoad", "Ramp", "Reduce", "Select", "Shuffle", "SizeVar", "StringImm", "Sub", "Var",
]  # fmt: skip

Operand = PrimExpr | int | float | bool


def _operator(op: str, *, reflected: bool = False) -> Any:
    def apply(self: Any, other: Any) -> Any:
        return _core.operate(op, other, self) if reflected else _core.operate(op, self, other)

    return apply


def _dtype(value: Any) -> str:
    return str(getattr(value, "dtype", ""))


def _divide(a: Any, b: Any) -> Any:
    if "float" not in _dtype(a) + _dtype(b) and not isinstance(a, float) and not isinstance(b, float):
        raise RuntimeError(
            "TVM's `/` on two integers could mean rounding down or towards zero: write `//` (floordiv), "
            "`tir.truncdiv` or `tir.div`"
        )
    return _core.operate("Div", a, b)


class ExprOp:
    """Python's operators on scalar expressions."""

    __add__ = _operator("Add")
    __radd__ = _operator("Add", reflected=True)
    __sub__ = _operator("Sub")
    __rsub__ = _operator("Sub", reflected=True)
    __mul__ = _operator("Mul")
    __rmul__ = _operator("Mul", reflected=True)
    __floordiv__ = _operator("FloorDiv")
    __rfloordiv__ = _operator("FloorDiv", reflected=True)
    __mod__ = _operator("FloorMod")
    __rmod__ = _operator("FloorMod", reflected=True)
    __and__ = _operator("bitwise_and")
    __rand__ = _operator("bitwise_and", reflected=True)
    __or__ = _operator("bitwise_or")
    __ror__ = _operator("bitwise_or", reflected=True)
    __xor__ = _operator("bitwise_xor")
    __rxor__ = _operator("bitwise_xor", reflected=True)
    __lshift__ = _operator("shift_left")
    __rlshift__ = _operator("shift_left", reflected=True)
    __rshift__ = _operator("shift_right")
    __rrshift__ = _operator("shift_right", reflected=True)
    __lt__ = _operator("LT")
    __le__ = _operator("LE")
    __gt__ = _operator("GT")
    __ge__ = _operator("GE")

    def __truediv__(self, other: Any) -> Any:
        return _divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _divide(other, self)

    def __neg__(self) -> Any:
        return _core.negative(self)

    def __invert__(self) -> Any:
        return _core.bitwise_not(self)

    def __eq__(self, other: object) -> Any:
        return EqualOp(self, other)

    def __ne__(self, other: object) -> Any:
        return NotEqualOp(self, other)

    def __bool__(self) -> bool:
        raise ValueError(
            "a scalar expression has no truth value in Python: use `tir.all`, `tir.any` and `tir.if_then_else`, or "
            "an Analyzer to prove it"
        )

    def equal(self, other: Any) -> Any:
        """`self == other` as an expression."""
        return _core.operate("EQ", self, other)

    def astype(self, dtype: str) -> Any:
        """The value converted to another type."""
        return _core.to_expr(self, str(dtype))


class EqualOp:
    """The result of `a == b`: a truth value by identity for Python, and the comparison for the IR."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __bool__(self) -> bool:
        return self.a.same_as(self.b)

    def asobject(self) -> Any:
        """The comparison as an expression."""
        return _core.operate("EQ", self.a, self.b)


class NotEqualOp:
    """The result of `a != b`."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __bool__(self) -> bool:
        return not self.a.same_as(self.b)

    def asobject(self) -> Any:
        """The comparison as an expression."""
        return _core.operate("NE", self.a, self.b)


class PrimExprWithOp(ExprOp, PrimExpr):
    """A scalar expression."""

    __hash__ = PrimExpr.__hash__


class ConstExpr(PrimExprWithOp):
    """A constant."""


class BinaryOpExpr(PrimExprWithOp):
    """An operator of two operands of one type."""

    a: PrimExpr
    b: PrimExpr

    def __new__(cls, a: Operand, b: Operand, span: object = None) -> Any:
        return cls._make(a, b)


class CmpExpr(PrimExprWithOp):
    """A comparison."""

    a: PrimExpr
    b: PrimExpr

    def __new__(cls, a: Operand, b: Operand, span: object = None) -> Any:
        return cls._make(a, b)


class LogicalExpr(PrimExprWithOp):
    """An operator on truth values."""


class Var(PrimExprWithOp, kind="tir.Var"):
    """A variable: its identity, not its name."""

    name: str

    def __new__(cls, name: str, dtype: Any = "int32", span: object = None) -> Any:
        if isinstance(dtype, Type):
            dtype = dtype.dtype if isinstance(dtype, PrimType) else "handle"
        return cls._make(name, dtype)

    @property
    def type_annotation(self) -> Type:
        """The type of the variable's values."""
        return PrimType(self.dtype)


class SizeVar(Var, kind="tir.SizeVar"):
    """A variable that is never negative."""


class IterVar(ExprOp, _core.Object, kind="tir.IterVar"):
    """An axis: a variable, what values it takes, and what it means for reordering."""

    DataPar, ThreadIndex, CommReduce, Ordered, Opaque, Unrolled, Vectorized, Parallelized, Tensorized = range(9)
    dom: Range
    var: Var
    iter_type: int
    thread_tag: str

    def __new__(
        cls, dom: Any, var: Var | str, iter_type: int = 0, thread_tag: str = "", span: object = None
    ) -> IterVar:
        if isinstance(var, str):
            var = Var(var, getattr(getattr(dom, "extent", None), "dtype", "int32"))
        if thread_tag and not var.name:
            var = Var(thread_tag, var.dtype)
        made = cls._make(tuple(dom) if isinstance(dom, list) else dom, var, iter_type)
        if thread_tag not in ("", made.var.name):
            raise ValueError(f"an axis of threads is called after its tag, `{thread_tag}`, found `{made.var.name}`")
        return made

    __hash__ = _core.Object.__hash__


class IntImm(ConstExpr, kind="tir.IntImm"):
    """An integer or truth value."""

    value: int

    def __new__(cls, dtype: Any, value: int, span: object = None) -> Any:
        return cls._make(dtype, value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> Any:
        other = other.value if isinstance(other, IntImm) else other
        return self.value == other if isinstance(other, (int, float)) else EqualOp(self, other)

    def __ne__(self, other: object) -> Any:
        other = other.value if isinstance(other, IntImm) else other
        return self.value != other if isinstance(other, (int, float)) else NotEqualOp(self, other)

    def __bool__(self) -> bool:
        return self.value != 0

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)


class FloatImm(ConstExpr, kind="tir.FloatImm"):
    """A float."""

    value: float

    def __new__(cls, dtype: Any, value: float, span: object = None) -> Any:
        return cls._make(dtype, value)

    def __float__(self) -> float:
        return self.value

    __hash__ = PrimExpr.__hash__


class StringImm(ConstExpr, kind="tir.StringImm"):
    """A text."""

    value: str

    def __new__(cls, value: str, span: object = None) -> Any:
        return cls._make(value)

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if isinstance(other, StringImm) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.value)


class Cast(PrimExprWithOp, kind="tir.Cast"):
    """A conversion to another type."""

    value: PrimExpr

    def __new__(cls, dtype: Any, value: Operand, span: object = None) -> Any:
        return cls._make(dtype, value)


class Add(BinaryOpExpr, kind="tir.Add"):
    """`a + b`."""


class Sub(BinaryOpExpr, kind="tir.Sub"):
    """`a - b`."""


class Mul(BinaryOpExpr, kind="tir.Mul"):
    """`a * b`."""


class Div(BinaryOpExpr, kind="tir.Div"):
    """`a / b`, towards zero for integers."""


class Mod(BinaryOpExpr, kind="tir.Mod"):
    """The remainder of `Div`."""


class FloorDiv(BinaryOpExpr, kind="tir.FloorDiv"):
    """`a // b`, rounded down."""


class FloorMod(BinaryOpExpr, kind="tir.FloorMod"):
    """`a % b`, the remainder of `FloorDiv`."""


class Min(BinaryOpExpr, kind="tir.Min"):
    """The smaller operand."""


class Max(BinaryOpExpr, kind="tir.Max"):
    """The larger operand."""


class EQ(CmpExpr, kind="tir.EQ"):
    """`a == b`."""


class NE(CmpExpr, kind="tir.NE"):
    """`a != b`."""


class LT(CmpExpr, kind="tir.LT"):
    """`a < b`."""


class LE(CmpExpr, kind="tir.LE"):
    """`a <= b`."""


class GT(CmpExpr, kind="tir.GT"):
    """`a > b`."""


class GE(CmpExpr, kind="tir.GE"):
    """`a >= b`."""


class And(LogicalExpr, kind="tir.And"):
    """`a and b`."""

    a: PrimExpr
    b: PrimExpr

    def __new__(cls, a: Operand, b: Operand, span: object = None) -> Any:
        return cls._make(a, b)


class Or(LogicalExpr, kind="tir.Or"):
    """`a or b`."""

    a: PrimExpr
    b: PrimExpr

    def __new__(cls, a: Operand, b: Operand, span: object = None) -> Any:
        return cls._make(a, b)


class Not(LogicalExpr, kind="tir.Not"):
    """`not a`."""

    a: PrimExpr

    def __new__(cls, a: Operand, span: object = None) -> Any:
        return cls._make(a)


class Select(PrimExprWithOp, kind="tir.Select"):
    """One of two values, both of which are evaluated."""

    condition: PrimExpr
    true_value: PrimExpr
    false_value: PrimExpr

    def __new__(cls, condition: Operand, true_value: Operand, false_value: Operand, span: object = None) -> Any:
        return cls._make(condition, true_value, false_value)


class BufferLoad(PrimExprWithOp, kind="tir.BufferLoad"):
    """An element of a buffer, or a vector of elements."""

    buffer: Any
    indices: Array
    predicate: PrimExpr | None

    def __new__(cls, buffer: Any, indices: Any, predicate: PrimExpr | None = None, span: object = None) -> Any:
        return cls._make(buffer, indices, predicate)


class ProducerLoad(PrimExprWithOp, kind="tir.ProducerLoad"):
    """An element of a tensor of `te`. PrimFuncs have a BufferLoad instead."""

    producer: Any
    indices: Array

    def __new__(cls, producer: Any, indices: Any, span: object = None) -> Any:
        return cls._make(producer, indices)


class CommReducer(_core.Object, kind="tir.CommReducer"):
    """An associative, commutative operation on rows of values: `result` combines `lhs` and `rhs`."""

    lhs: Array
    rhs: Array
    result: Array
    identity_element: Array

    def __new__(cls, lhs: Any, rhs: Any, result: Any, identity_element: Any, span: object = None) -> Any:
        return cls._make(lhs, rhs, result, identity_element)


def _no_operand(self: Any, *_: Any) -> Any:
    raise TypeError("a reduction must be the whole formula of its tensor: compute it first, and use its elements")


class Reduce(_core.Object, kind="tir.Reduce"):
    """A result of a reduction over axes, which is the whole formula of a tensor of `te`."""

    combiner: CommReducer
    source: Array
    init: Array
    axis: Array
    condition: PrimExpr
    value_index: int

    def __new__(
        cls, combiner: CommReducer, src: Any, rdom: Any, condition: Any, value_index: int, init: Any = None,
        span: object = None,
    ) -> Any:  # fmt: skip
        return cls._make(combiner, src, rdom, condition, value_index, init)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_operand
    __floordiv__ = __mod__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = astype = _no_operand


class Ramp(PrimExprWithOp, kind="tir.Ramp"):
    """`[base, base + stride, …]`."""

    base: PrimExpr
    stride: PrimExpr
    lanes: int

    def __new__(cls, base: Operand, stride: Operand, lanes: int, span: object = None) -> Any:
        return cls._make(base, stride, lanes)


class Broadcast(PrimExprWithOp, kind="tir.Broadcast"):
    """The value in every lane."""

    value: PrimExpr
    lanes: int

    def __new__(cls, value: Operand, lanes: int, span: object = None) -> Any:
        return cls._make(value, lanes)


class Shuffle(PrimExprWithOp, kind="tir.Shuffle"):
    """Lanes picked by number from the concatenation of vectors."""

    vectors: Array
    indices: Array

    def __new__(cls, vectors: Any, indices: Any, span: object = None) -> Any:
        return cls._make(vectors, indices)


class CallEffectKind:
    """The side effects of a call."""

    ExprAnnotation, Pure, ReadState, UpdateState, SpecialCallArg, EmbedInfo, Opaque = 0, 1, 2, 3, 4, 5, 3


class Call(PrimExprWithOp, kind="tir.Call"):
    """A call of an operator: an intrinsic such as `tir.exp`, a bitwise operator, or a foreign function."""

    op: Any
    args: Array

    def __new__(cls, dtype: Any, op: Any, args: Any, span: object = None) -> Any:
        return cls._make(dtype, op, args)


class Let(PrimExprWithOp, kind="tir.Let"):
    """`body` with a name for a value in it."""

    var: Var
    value: PrimExpr
    body: PrimExpr

    def __new__(cls, var: Var, value: Operand, body: Operand, span: object = None) -> Any:
        return cls._make(var, value, body)
