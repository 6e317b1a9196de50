"""Graphs that TorchDynamo captures while a model runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...block_builder import BlockBuilder
from .fx_translator import from_fx

if TYPE_CHECKING:
    from torch import fx

    from ....ir.module import IRModule


def relax_dynamo(pipeline: Any = None) -> Callable[..., Any]:
    """A backend of `torch.compile`: `torch.compile(model, backend=relax_dynamo())`.

    It is the backend `tilewright` (see `tilewright.torch.backend`) with a pipeline, a pass or the name of one, between
    import and compilation, and with `training="detached"`: results have no gradients.
    """
    from ....torch.options import checked

    options = checked(None, {"training": "detached", **({} if pipeline is None else {"pipeline": pipeline})})

    def relax_dynamo_backend(graph_module: fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        from ....torch.compiling import compiled

        return compiled(graph_module, example_inputs, options)

    return relax_dynamo_backend


def dynamo_capture_subgraphs(model: Callable[..., Any], *params: Any, **kwargs: Any) -> IRModule:
    """The module with one function for each graph that TorchDynamo captures while the model runs with these arguments:
    `subgraph_0`, `subgraph_1`, … With `keep_params_as_input`, the model's parameters become inputs."""
    import torch

    keep_params_as_input = kwargs.pop("keep_params_as_input", False)
    functions: list[Any] = []

    def capture(graph_module: fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        module = from_fx(*_sized(graph_module, example_inputs), keep_params_as_input=keep_params_as_input)
        functions.append(module["main"])
        return graph_module.forward

    torch._dynamo.reset()
    torch.compile(model, backend=capture)(*params, **kwargs)
    builder = BlockBuilder()
    for number, function in enumerate(functions):
        builder.add_func(function.with_attr("global_symbol", f"subgraph_{number}"), f"subgraph_{number}")
    return builder.get()


def _sized(
    graph_module: fx.GraphModule, example_inputs: list[Any]
) -> tuple[fx.GraphModule, list[tuple[tuple[int, ...], str]]]:
    """A copy of the graph for the shapes of these inputs, whose inputs are the tensors among them, and their infos.

    Numbers that are inputs, such as sizes that have varied, become constants: that they are read tells TorchDynamo to
    capture another graph for others. So do numbers that are items of inputs, as TorchDynamo passes floats that have
    varied.
    """
    import torch
    from torch import fx

    sized, infos = fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph)), []
    inputs = [node for node in sized.graph.nodes if node.op == "placeholder"]
    for node, value in zip(inputs, example_inputs, strict=True):
        if isinstance(value, torch.Tensor):
            infos.append((tuple(int(size) for size in value.shape), str(value.dtype).removeprefix("torch.")))
            continue
        _make_constant(node, float(value) if isinstance(value, (float, torch.SymFloat)) else int(value))
    for node in list(sized.graph.nodes):
        number = node.meta.get("example_value")
        if node.op == "call_method" and isinstance(number, torch.SymFloat) and number.node.has_hint():
            _make_constant(node, float(number))
    sized.recompile()
    return sized, infos


def _make_constant(node: fx.Node, number: float) -> None:
    """Puts a number in the place of a node."""
    from torch.fx.node import map_arg

    constants = {node: number}
    for user in list(node.users):
        user.args, user.kwargs = map_arg((user.args, user.kwargs), lambda one: constants.get(one, one))
    node.graph.erase_node(node)
