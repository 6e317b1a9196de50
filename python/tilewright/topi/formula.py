"""Graph operators as functions of tensors of `te`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from ..te.operation import compute
from ..te.tensor import Tensor
from ..tir.expr import Var


def _value(tensor: Tensor) -> Any:
    from ..relax.expr import Var
    from ..relax.struct_info import TensorStructInfo

    dims = [_core.to_expr(dim, "int64") for dim in tensor.shape]
    return Var(tensor.name, TensorStructInfo(dims, tensor.dtype))


def _scalar(value: Any, dtype: str) -> Tensor:
    return compute((), lambda: _core.to_expr(value, dtype), name="scalar", tag="broadcast")


def apply(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The tensors that the graph operator makes of the arguments, by its formula."""
    given: list[Tensor] = []

    def graph(value: Any) -> Any:
        if isinstance(value, Tensor):
            given.append(value)
            return _value(value)
        if isinstance(value, (list, tuple)) and any(isinstance(own, Tensor) for own in value):
            return [graph(own) for own in value]
        return value

    call = _core.call_op(name, tuple(map(graph, args)), {key: graph(value) for key, value in kwargs.items()})
    return _core.te_apply(call, given)


def unary(name: str, own: str | None = None) -> Callable[..., Any]:
    """The formula of a graph operator of one tensor."""

    def formula(x: Any) -> Any:
        return apply(name, (x,), {})

    return _named(formula, name, own)


def binary(name: str, own: str | None = None) -> Callable[..., Any]:
    """The formula of a graph operator of two tensors, one of which may be a number.

    They meet in one type as scalars do: bytes and a number in int32, integers and a float in float32.
    """

    def formula(lhs: Any, rhs: Any) -> Any:
        return apply(name, of_one_type(lhs, rhs), {})

    return _named(formula, name, own)


def of_one_type(*operands: Any) -> tuple[Tensor, ...]:
    """Tensors and numbers as tensors of the type in which scalars like them meet."""
    scalars = [Var("x", value.dtype) if isinstance(value, Tensor) else value for value in operands]
    # A truth value has the type of the other operand.
    numbers = [_core.to_expr(value) for value in scalars if not isinstance(value, bool)]
    dtype = _core.of_one_type(*numbers)[0].dtype if numbers else "bool"
    return tuple(cast(value, dtype) if isinstance(value, Tensor) else _scalar(value, dtype) for value in operands)


def cast(x: Tensor, dtype: str) -> Tensor:
    """The elements in another data type."""
    return x if x.dtype == dtype else apply("astype", (x,), {"dtype": dtype})


def of_floats(name: str, instead: Callable[[Tensor], Tensor], own: str | None = None) -> Callable[..., Any]:
    """The formula of a graph operator of one tensor of floats, and `instead` of another tensor."""

    def formula(x: Tensor) -> Tensor:
        return apply(name, (x,), {}) if "float" in x.dtype else instead(x)

    return _named(formula, name, own)


def reduction(name: str, own: str | None = None) -> Callable[..., Any]:
    """The formula of a graph operator that brings the elements of dimensions together."""

    def formula(data: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return apply(name, (data,), {"axis": axis, "keepdims": keepdims})

    return _named(formula, name, own)


def same(name: str, own: str | None = None) -> Callable[..., Any]:
    """The formula of a graph operator with the operator's own parameters."""

    def formula(*args: Any, **kwargs: Any) -> Any:
        return apply(name, args, kwargs)

    return _named(formula, name, own)


def _named(formula: Callable[..., Any], name: str, own: str | None) -> Callable[..., Any]:
    formula.__name__ = formula.__qualname__ = own or name.rpartition(".")[2]
    formula.__doc__ = f"The formula of `relax.op.{name}`. {_core.op_signature(name)[1]}"
    return formula


def refused(name: str, **arguments: Any) -> None:
    """Refuses arguments that have no meaning here, where they are given."""
    for argument, value in arguments.items():
        if value is not None and value != "":
            raise ValueError(f"topi.{name}: `{argument}` is not known here, found {value!r}")


def each(x: Tensor, function: Callable[[Any], Any], name: str) -> Tensor:
    """A function of each element."""
    return compute(x.shape, lambda *at: function(x(*at)), name=name)


def axis_of(axis: int, rank: int) -> int:
    """A dimension counted from the first one."""
    if not -rank <= axis < rank:
        raise ValueError(f"a tensor of {rank} dimensions has no dimension {axis}")
    return axis % rank
