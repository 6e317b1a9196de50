"""From a model and a loss to one function."""

from __future__ import annotations

from typing import Any

from ..._core import IRModule, Pass
from ...ir.transform import own_pass
from ..block_builder import BlockBuilder
from ..expr import Call, Function, Tuple, TupleGetItem, Var
from ..struct_info import TupleStructInfo
from ..transform import InlinePrivateFunctions

__all__ = ["AppendLoss"]


def _results(value: Any) -> list[Any]:
    info = value.struct_info
    return [TupleGetItem(value, i) for i in range(len(info.fields))] if isinstance(info, TupleStructInfo) else [value]


def AppendLoss(
    func_name: str, loss_function: Function, num_backbone_outputs: int = 1, new_func_name: str | None = None
) -> Pass:
    """Adds the function `func_name` + `_loss` (or `new_func_name`): the model's function, then the loss of its results.

    The loss takes the first `num_backbone_outputs` results of the model, then parameters of its own, which the new
    function takes after those of the model. It gives the loss, or a tuple of the loss and the model's other results.
    """
    name = new_func_name or f"{func_name}_loss"

    def append(module: IRModule, _: Any) -> IRModule:
        parts = {"model": module[func_name], "loss": loss_function}
        parts = {part: own.without_attr("global_symbol") for part, own in parts.items()}
        others = list(parts["loss"].params)[num_backbone_outputs:]
        bb = BlockBuilder(module)
        model, loss = (bb.add_func(own, part) for part, own in parts.items())
        params = [Var(own.name_hint, own.struct_info) for own in [*parts["model"].params, *others]]
        count = len(params) - len(others)
        with bb.function(name, params):
            with bb.dataflow():
                results = _results(bb.emit(Call(model, params[:count])))
                if len(results) < num_backbone_outputs:
                    raise ValueError(f"`{func_name}` has {len(results)} results, the loss takes {num_backbone_outputs}")
                value = bb.emit(Call(loss, [*results[:num_backbone_outputs], *params[count:]]))
                rest = results[num_backbone_outputs:]
                output = bb.emit_output(Tuple([value, *rest]) if rest else value)
            bb.emit_func_output(output)
        made = IRModule(dict(module.functions), attrs=module.attrs, global_infos=module.global_infos)
        made[name] = InlinePrivateFunctions()(bb.get())[name]
        return made

    return own_pass(append, 0, "AppendLoss")


def __getattr__(name: str) -> object:
    from ...compat.absent import absent_name

    return absent_name(__name__, name)
