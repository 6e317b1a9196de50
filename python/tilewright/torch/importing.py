"""Imports a part of a functional graph: nodes of ATen's operators become a function of a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..relax.frontend.torch.exported_program_translator import record_call
from ..relax.frontend.torch.recording import Importer, Places, Recorder
from ..relax.frontend.torch.sizes import Sizes
from ..relax.struct_info import ShapeStructInfo, TensorStructInfo


@dataclass
class Part:
    """A part of a graph: what it is given, what it does, and what of that is needed elsewhere."""

    module: fx.GraphModule
    #: The nodes, in order.
    nodes: list[fx.Node]
    #: The tensors and floats that it is given.
    inputs: list[fx.Node]
    outputs: list[fx.Node]
    #: The symbolic sizes that it needs, which are given behind the inputs.
    symbols: list[fx.Node]

    @property
    def operators(self) -> list[fx.Node]:
        """The nodes that are operators."""
        return [node for node in self.nodes if isinstance(node.target, torch._ops.OpOverload)]


def imported(part: Part, custom_convert_map: Mapping[Any, Any]) -> Any:
    """The module whose function `main` is the part: of its inputs and, where there are some, of a shape of its symbolic
    sizes. Raises a `DiagnosticError` that has in `nodes` the names of those that rules do not take."""
    return _PartImporter(part, custom_convert_map).module()


def other_results(part: Part, module: Any) -> dict[fx.Node, str]:
    """The outputs of a part whose data type, rank or sizes are others in the module than PyTorch says, and how."""
    info = module["main"].ret_struct_info
    fields = info.fields if hasattr(info, "fields") else [info]
    found = {}
    for node, own in zip(part.outputs, fields, strict=True):
        expected = node.meta["val"]
        dtype = str(expected.dtype).removeprefix("torch.")
        if not isinstance(own, TensorStructInfo):
            found[node] = f"its rule gives a {type(own).__name__}, not a tensor"
        elif str(own.dtype) != dtype:
            found[node] = f"its rule gives {own.dtype}, not {dtype}"
        elif own.ndim not in (-1, expected.ndim) or _other_sizes(own, expected):
            found[node] = f"its rule gives the shape {own.shape}, not {list(expected.shape)}"
    return found


def _other_sizes(own: TensorStructInfo, expected: torch.Tensor) -> bool:
    """Whether a size that is a number on both sides is not the same."""
    sizes = getattr(own.shape, "values", None)
    if sizes is None:
        return False
    pairs = [(getattr(size, "value", None), wanted) for size, wanted in zip(sizes, expected.shape, strict=True)]
    return any(size is not None and isinstance(wanted, int) and int(size) != wanted for size, wanted in pairs)


class _PartImporter(Importer):
    """Records a part and hands it to the rules."""

    def __init__(self, part: Part, custom_convert_map: Mapping[Any, Any]) -> None:
        super().__init__(custom_convert_map)
        self._part = part

    def module(self) -> Any:
        return self._imported(self._record, {"no_bind_return_tuple": True})

    def _refuse(self, recorder: Recorder, names: Sequence[str]) -> bool:
        return False

    def _record(self) -> Recorder:
        part = self._part
        symbols = [node.meta["val"] for node in part.symbols]
        shapes = [node.meta["val"].shape for node in part.inputs if isinstance(node.meta["val"], torch.Tensor)]
        sizes = Sizes([symbols, *shapes])
        recorder = _Recorder(sizes)
        for node in part.inputs:
            if node.op == "get_attr":
                recorder.meaning[node] = recorder.parameter(node.name, getattr(part.module, node.target))
            else:
                recorder.inputs.append((node.name, _info(node.meta["val"], sizes)))
                recorder.meaning[node] = {"node": node.name}
        if symbols:
            recorder.inputs.append(("sizes", ShapeStructInfo([sizes.of_input(size) for size in symbols])))
        places = Places(part.module)
        for node in part.nodes:
            record_call(self, recorder, node, places.of(node))
        recorder.output = [recorder.argument(node) for node in part.outputs]
        return recorder


class _Recorder(Recorder):
    """Records nodes that are sizes as expressions of the symbolic sizes."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__([])
        self.sizes = sizes

    def argument(self, value: Any) -> Any:
        if isinstance(value, fx.Node):
            size = value.meta.get("val")
            if isinstance(size, torch.SymInt):
                known = self.sizes.known(size)
                return {"opaque": str(size)} if known is None else {"size": known}
            if isinstance(size, (bool, int, float)):
                return size
        return super().argument(value)


def _info(value: Any, sizes: Sizes) -> TensorStructInfo:
    """The struct info of an input: a float is a tensor without dimensions."""
    if not isinstance(value, torch.Tensor):
        return TensorStructInfo([], "float64")
    return TensorStructInfo([sizes.of_input(size) for size in value.shape], str(value.dtype).removeprefix("torch."))
