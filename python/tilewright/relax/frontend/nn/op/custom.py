"""Operations of one's own: by tensor expressions, by TensorIR, by functions that the process registers; and looks at
values while a model runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .....ir.expr import PrimExpr
from .....tir.expr import IntImm
from .....tir.function import PrimFunc
from ....expr import Expr, PrimValue, StringImm
from ....expr import Tuple as GraphTuple
from ....op import call_dps_packed, call_pure_packed, call_tir, call_tir_inplace
from ....struct_info import ObjectStructInfo, StructInfo, TensorStructInfo, TupleStructInfo
from ..core import Object, Tensor, builder, place, refused, unwrap, wrap

__all__ = [
    "debug_func", "extern", "print_", "tensor_expr_op", "tensor_ir_inplace_op", "tensor_ir_op", "wrap_nested",
]  # fmt: skip


def _emit(expr: Expr, name: str) -> Any:
    return wrap(builder(f"op.{name}").emit(expr, name), name)


def wrap_nested(expr: Expr, name: str = "") -> Any:
    """The value, bound to a variable called `name`, as a tensor; of a tuple a tuple of what its fields are."""
    return wrap(builder(name or "wrap_nested").emit(expr, name), name)


def tensor_expr_op(
    tensor_expr_func: Callable[..., Any], name_hint: str, args: Sequence[Any], *, attrs: Mapping[str, Any] | None = None
) -> Any:
    """What a function of tensor expressions computes of tensors; other arguments are passed as they are.

    The function is called `name_hint` in the module; `attrs` are its attributes.
    """
    said: dict[str, Any] = {"primfunc_name_hint": name_hint} | ({"primfunc_attrs": dict(attrs)} if attrs else {})
    bb = builder(f"op.{name_hint}")
    return _emit(bb.call_te(tensor_expr_func, *map(unwrap, args), **said), name_hint)


def _infos(out: Any) -> Any:
    if isinstance(out, (list, tuple)) and not isinstance(out, Expr):
        return [_infos(own) for own in out]
    if isinstance(out, StructInfo):
        return out
    if isinstance(out, (Tensor, Object)):
        return out._expr.struct_info
    raise refused(f"the result is described by nn.Tensor.placeholder(…) or a list of those, found {out!r}")


def _split(func: PrimFunc, args: Any) -> tuple[list[Expr], list[PrimExpr] | None]:
    """Tensors, and the integers after them, of the types that the last parameters of the function have."""
    args = list(args) if isinstance(args, (list, tuple)) else [args]
    tensors = [unwrap(own) for own in args if isinstance(own, (Tensor, Expr))]
    numbers = [own for own in args if not isinstance(own, (Tensor, Expr))]
    if any(not isinstance(own, Tensor | Expr) for own in args[: len(tensors)]):
        raise refused("tensors come before integers among the arguments")
    if wrong := [own for own in numbers if not isinstance(own, PrimExpr) and not hasattr(own, "__index__")]:
        raise refused(f"an argument is a tensor, or an integer behind the tensors, found {wrong[0]!r}")
    types = [param.dtype for param in func.params[-len(numbers) :]] if numbers else []
    numbers = [_of_type(own, dtype) for own, dtype in zip(numbers, types, strict=False)]
    return tensors, numbers or None


def _of_type(number: Any, dtype: str) -> Any:
    """An integer as a parameter of this type takes it."""
    if not dtype.startswith(("int", "uint")):
        return number
    return number.astype(dtype) if isinstance(number, PrimExpr) else IntImm(dtype, number)


def tensor_ir_op(func: PrimFunc, name_hint: str, args: Any, out: Any) -> Any:
    """What a PrimFunc computes: tensors, then integers (its last parameters), and results as `out` describes them."""
    tensors, numbers = _split(func, args)
    global_var = builder(f"op.{name_hint}").add_func(func, name_hint)
    return _emit(call_tir(global_var, tensors, _infos(out), numbers), name_hint)


def tensor_ir_inplace_op(func: PrimFunc, name_hint: str, args: Any, inplace_indices: Any, out: Any) -> Any:
    """The same where results overwrite the arguments with these indices; -1 for a result that is allocated."""
    tensors, numbers = _split(func, args)
    global_var = builder(f"op.{name_hint}").add_func(func, name_hint)
    return _emit(call_tir_inplace(global_var, tensors, inplace_indices, _infos(out), numbers), name_hint)


def _argument(value: Any) -> Expr:
    value = unwrap(value)
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        return StringImm(value)
    if isinstance(value, (list, tuple)):
        return GraphTuple([_argument(own) for own in value])
    if isinstance(value, (int, float, PrimExpr)):
        return PrimValue(value)
    raise refused(f"an argument is a tensor, a number, a text or a list of those, found {value!r}")


def extern(name: str, args: Sequence[Any], out: Any) -> Any:
    """What a registered function computes: it gets the arguments, then tensors to fill, as `out` describes them."""
    infos = _infos(out)
    if isinstance(infos, ObjectStructInfo) or not isinstance(infos, (list, TensorStructInfo, TupleStructInfo)):
        raise refused(f"op.extern: a result is a tensor that the function fills, found {infos}")
    return _emit(call_dps_packed(name, [_argument(own) for own in args], infos), name.rpartition(".")[2])


def debug_func(name: str, *args: Any, _line_info: str | None = None) -> None:
    """Calls a registered function while the model runs, with the line in the source that says so and the arguments.

    Only modules that are exported with `debug=True` do.
    """
    from ..exporter import Exporter

    exporter = Exporter.current()
    state = None if exporter is None else exporter.io_effect
    if state is None:
        raise refused(f"op.debug_func({name!r}): export the module with `debug=True`")
    if state.effect is None:
        raise refused(f'op.debug_func({name!r}): the method is specified with `effect_mode` "none"')
    given = [StringImm(_line_info or place()), *map(_argument, args)]
    call = call_pure_packed("vm.builtin.invoke_debug_func", state.effect, StringImm(name), *given,
                            sinfo_args=[ObjectStructInfo()])  # fmt: skip
    state.effect = builder("op.debug_func").emit(call, state.effect.name_hint)


def print_(tensor: Tensor) -> None:
    """Prints a tensor while the model runs, with the line in the source that says so."""
    debug_func("vm.builtin.debug_print", tensor, _line_info=place())
