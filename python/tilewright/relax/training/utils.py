"""From a model and a loss to one function, and gradients of functions of tensor expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import IRModule, Pass
from ...error import TVMError
from ...ir.transform import Sequential, own_pass
from ...runtime.packed_func import register_func
from ..block_builder import BlockBuilder
from ..expr import Call, Function, Tuple, TupleGetItem, Var
from ..struct_info import TupleStructInfo
from ..transform import CanonicalizeBindings, DeadCodeElimination, InlinePrivateFunctions
from ..transform.gradients import PREFIX

__all__ = ["AppendLoss", "register_te_gradient"]


def _results(value: Any) -> list[Any]:
    """The results of a call: the fields of a tuple."""
    info = value.struct_info
    return [TupleGetItem(value, i) for i in range(len(info.fields))] if isinstance(info, TupleStructInfo) else [value]


def _plain(function: Function) -> Function:
    """The function without attributes: one with attributes is treated as a whole."""
    for key in list(function.attrs or {}):
        function = function.without_attr(key)
    return function


def AppendLoss(
    func_name: str, loss_function: Function, num_backbone_outputs: int = 1, new_func_name: str | None = None
) -> Pass:
    """Adds the function `func_name` + `_loss` (or `new_func_name`): the model's function, then the loss of its results.

    The loss takes the first `num_backbone_outputs` results of the model, then parameters of its own, which the new
    function takes after those of the model. It gives the loss, or a tuple of the loss and the model's other results.
    """
    name = new_func_name or f"{func_name}_loss"

    def append(module: IRModule, _: Any) -> IRModule:
        if func_name not in module:
            raise TVMError(f"the module has no function `{func_name}`")
        own = {"model": module[func_name], "loss": loss_function}
        attrs = {key: value for key, value in (own["model"].attrs or {}).items() if key != "global_symbol"}
        own = {part: function.without_attr("global_symbol") for part, function in own.items()}
        bare = IRModule({part: _plain(function) for part, function in own.items()})
        others = list(own["loss"].params)[num_backbone_outputs:]
        bb = BlockBuilder(bare)
        model, loss = (bare.get_global_var(part) for part in own)
        params = [Var(param.name_hint, param.struct_info) for param in [*own["model"].params, *others]]
        count = len(params) - len(others)
        with bb.function(name, params, attrs):
            with bb.dataflow():
                results = _results(bb.emit(Call(model, params[:count])))
                if len(results) < num_backbone_outputs:
                    raise TVMError(f"`{func_name}` has {len(results)} results, the loss takes {num_backbone_outputs}")
                value = bb.emit_output(Call(loss, [*results[:num_backbone_outputs], *params[count:]]))
                if getattr(value.struct_info, "ndim", None) != 0:
                    raise TVMError(f"a loss is a tensor without dimensions, found {value.struct_info}")
                outputs = [value, *map(bb.emit_output, results[num_backbone_outputs:])]
            bb.emit_func_output(Tuple(outputs) if len(outputs) > 1 else value)
        made = IRModule(dict(module.functions), attrs=module.attrs, global_infos=module.global_infos)
        plain = Sequential([InlinePrivateFunctions(), CanonicalizeBindings(), DeadCodeElimination()])(bb.get())
        made[name] = plain[name]
        return made

    return own_pass(append, 0, "AppendLoss")


def register_te_gradient(te_grad_name: str, te_grad_func: Callable | None = None) -> Callable:
    """Registers a function of tensor expressions as a gradient that `call_tir_with_grad` can name.

    It gets the gradient of the result, the arguments of the call, and what the call gives it by name
    (`te_grad_kwargs`); and it returns the gradients of the arguments, one or a list of them. Without the function this
    is a decorator.
    """

    def register(function: Callable) -> Callable:
        def rule(var: Var, call: Call, grad: Any, builder: BlockBuilder) -> Var:
            given = call.args[1]
            operands = list(given.fields) if isinstance(given, Tuple) else [given]
            named = dict(call.attrs.te_grad_kwargs or {})
            return builder.emit_te(function, grad, *operands, **named, primfunc_name_hint=te_grad_name)

        register_func(PREFIX + te_grad_name, rule)
        return function

    return register if te_grad_func is None else register(te_grad_func)
