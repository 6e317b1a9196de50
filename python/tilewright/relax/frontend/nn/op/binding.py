"""How operations become bindings."""

from __future__ import annotations

from numbers import Number
from typing import Any

from ..... import _core
from .....ir.expr import PrimExpr
from ....expr import Expr
from ..core import Tensor, builder, dims, refused, unwrap, wrap

__all__ = ["call", "emit", "like", "shape_of"]


def emit(expr: Expr, name: str) -> Any:
    """The value, bound to a variable, as tensors."""
    return wrap(builder(f"op.{name}").emit(expr, name), name)


def call(operator: str, args: tuple[Any, ...], attrs: dict[str, Any], name: str | None = None) -> Any:
    """The tensors that a graph operator makes of tensors and attributes."""
    name = name or operator.rpartition(".")[2]
    bb = builder(f"op.{name}")
    return wrap(bb.emit(_core.call_op(operator, tuple(map(unwrap, args)), attrs), name), name)


def like(value: Any, reference: Any) -> Tensor:
    """A tensor, or a number as a tensor of the reference's data type."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, PrimExpr) and hasattr(value, "value"):
        value = value.value
    if isinstance(value, Number) or getattr(value, "ndim", None) == 0:
        return Tensor.from_scalar(_fitting(value, reference.dtype), reference.dtype)
    raise refused(f"expected a tensor or a number, found {value!r}")


def _fitting(value: Any, dtype: str) -> Any:
    if "float" not in dtype and not isinstance(value, bool) and float(value) != int(value):
        raise refused(f"the number {value} beside a tensor of {dtype} is no integer: convert the tensor with `astype`")
    return value


def both(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Two operands, of which one may be a number."""
    if isinstance(a, Tensor):
        return a, like(b, a)
    return (like(a, b), b) if isinstance(b, Tensor) else (like(a, a), like(b, a))


def shape_of(tensor: Tensor) -> list[Any]:
    """The dimensions of a tensor."""
    return dims(tensor.shape)
