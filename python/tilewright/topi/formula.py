"""Graph operators as functions of tensors of `te`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from ..ir.expr import PrimExpr
from ..te.tensor import Tensor


def _value(tensor: Tensor) -> Any:
    from ..relax.expr import Var
    from ..relax.struct_info import TensorStructInfo

    dims = [_core.to_expr(dim, "int64") for dim in tensor.shape]
    return Var(tensor.name, TensorStructInfo(dims, tensor.dtype))


def _scalar(value: Any, dtype: str) -> Tensor:
    return _core.te_compute((), lambda: _core.to_expr(value, dtype), "scalar", [], {})


def apply(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The tensors that the graph operator makes of the arguments, by its formula."""
    given: list[Tensor] = []
    dtype = next((value.dtype for value in args if isinstance(value, Tensor)), "float32")

    def graph(value: Any) -> Any:
        if isinstance(value, Tensor):
            given.append(value)
            return _value(value)
        if isinstance(value, (list, tuple)) and any(isinstance(own, Tensor) for own in value):
            return [graph(own) for own in value]
        return value

    binary = len(args) == 2 and any(isinstance(value, (int, float, PrimExpr)) for value in args)
    if binary and [own for own, default in _core.op_signature(name)[0] if default is None] == ["x1", "x2"]:
        args = tuple(value if isinstance(value, Tensor) else _scalar(value, dtype) for value in args)
    call = _core.call_op(name, tuple(map(graph, args)), {key: graph(value) for key, value in kwargs.items()})
    return _core.te_apply(call, given)


def function(name: str, own: str) -> Callable[..., Any]:
    """The formula of a graph operator under a name of its own."""

    def formula(*args: Any, **kwargs: Any) -> Any:
        return apply(name, args, kwargs)

    formula.__name__ = formula.__qualname__ = own
    formula.__doc__ = f"The formula of `relax.op.{name}`. {_core.op_signature(name)[1]}"
    return formula


def functions(names: Mapping[str, str]) -> dict[str, Callable[..., Any]]:
    """Of own names and names of graph operators those that there are."""
    known = set(_core.graph_op_names())
    return {own: function(name, own) for own, name in names.items() if name in known}
