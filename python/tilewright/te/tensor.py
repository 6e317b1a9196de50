"""Tensors: inputs, and formulas for elements."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..ir.container import Array
from ..tir.expr import ExprOp, ProducerLoad

__all__ = ["ComputeOp", "ExternOp", "Operation", "PlaceholderOp", "Tensor", "TensorSlice"]


def _listed(indices: Any) -> tuple[Any, ...]:
    return tuple(indices) if isinstance(indices, (tuple, list)) else (indices,)


class TensorSlice(ExprOp):
    """A tensor with some of its indices; with all of them it is an element."""

    def __init__(self, tensor: Tensor, indices: tuple[Any, ...]) -> None:
        self.tensor, self.indices = tensor, indices

    __iter__ = None

    def __getitem__(self, indices: Any) -> TensorSlice:
        return TensorSlice(self.tensor, self.indices + _listed(indices))

    @property
    def dtype(self) -> str:
        """The data type of an element."""
        return self.tensor.dtype

    def asobject(self) -> Any:
        """The element as an expression."""
        return self.tensor(*self.indices)

    __hash__ = object.__hash__


def _elementwise(op: str, *, reflected: bool = False) -> Any:
    def apply(self: Tensor, other: Any) -> Any:
        from .. import topi

        return getattr(topi, op)(other, self) if reflected else getattr(topi, op)(self, other)

    return apply


class Tensor(_core.Object, kind="te.Tensor"):
    """A tensor. `A[i, j]` and `A(i, j)` are its elements; operators combine whole tensors, whose shapes broadcast."""

    shape: Array
    dtype: str
    name: str
    ndim: int
    op: Operation
    value_index: int

    __iter__ = None

    def __call__(self, *indices: Any) -> Any:
        if len(indices) != self.ndim:
            raise ValueError(
                f"tensor `{self.name}` has {self.ndim} dimensions, so an element has {self.ndim} indices, "
                f"found {len(indices)}"
            )
        return ProducerLoad(self, indices)

    def __getitem__(self, indices: Any) -> TensorSlice:
        return TensorSlice(self, _listed(indices))

    @property
    def axis(self) -> Array:
        """The axes of the formula."""
        return self.op.axis

    __add__ = _elementwise("add")
    __radd__ = _elementwise("add", reflected=True)
    __sub__ = _elementwise("subtract")
    __rsub__ = _elementwise("subtract", reflected=True)
    __mul__ = _elementwise("multiply")
    __rmul__ = _elementwise("multiply", reflected=True)
    __truediv__ = _elementwise("divide")
    __rtruediv__ = _elementwise("divide", reflected=True)

    def __neg__(self) -> Tensor:
        from .. import topi

        return topi.negative(self)

    def astype(self, dtype: Any, span: object = None) -> Tensor:
        """The elements in another data type."""
        from .. import topi

        return topi.cast(self, dtype)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    __hash__ = _core.Object.__hash__


class Operation(_core.Object):
    """What makes one tensor or several at once."""

    name: str
    num_outputs: int
    input_tensors: Array

    def output(self, index: int) -> Tensor:
        """A tensor that it makes, by its number."""
        return _core.te_output(self, index)

    __hash__ = _core.Object.__hash__


class PlaceholderOp(Operation, kind="te.PlaceholderOp"):
    """An input."""


class ComputeOp(Operation, kind="te.ComputeOp"):
    """Formulas for elements."""

    axis: Array
    reduce_axis: Array
    body: Array


class ExternOp(Operation, kind="te.ExternOp"):
    """Statements that fill tensors."""
