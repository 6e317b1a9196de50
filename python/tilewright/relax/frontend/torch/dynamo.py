"""Graphs that TorchDynamo captures while a model runs."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....error import TVMError
from ...block_builder import BlockBuilder
from .fx_translator import from_fx
from .recording import struct_infos
from .wrapped import changed_inputs

if TYPE_CHECKING:
    from torch import fx

    from ....ir.module import IRModule


def relax_dynamo(pipeline: Any = None) -> Callable[..., Any]:
    """A backend of `torch.compile`: `torch.compile(model, backend=relax_dynamo())`.

    Each captured graph is imported, taken through the pipeline (a pass; the default one where none is given),
    compiled for this machine and run in its place; inputs that it changes in place are changed after it has run. Each
    shape has a graph of its own, and so has each value of a Python number. Layers that keep running statistics while
    they are trained are refused.
    """

    def backend(graph_module: fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        import torch

        from ....runtime import cpu
        from ....runtime.ndarray import array
        from ... import VirtualMachine, build

        _refuse_running_statistics(graph_module)
        places = [at for at, value in enumerate(example_inputs) if isinstance(value, torch.Tensor)]
        sized, infos = _sized(graph_module, example_inputs)
        changed = changed_inputs(sized, struct_infos(infos))
        # What the graph changes, it also gives.
        [output] = [node for node in sized.graph.nodes if node.op == "output"]
        inputs = [node for node in sized.graph.nodes if node.op == "placeholder"]
        output.args = ((*output.args[0], *(inputs[at] for at in changed)),)
        module = from_fx(sized, infos, unwrap_unit_return_tuple=False)
        machine = VirtualMachine(build(module if pipeline is None else pipeline(module), "llvm"), cpu())

        def run(*args: Any) -> Any:
            tensors = [args[at] for at in places]
            given = [array(tensor.detach().cpu()) for tensor in tensors]
            found = machine["main"](*given)
            found = found if isinstance(found, (list, tuple)) else (found,)
            # A result may be a constant of the program.
            results = [torch.from_dlpack(one).clone() for one in found]
            own = len(results) - len(changed)
            with torch.no_grad():
                for at, result in zip(changed, results[own:], strict=True):
                    tensors[at].copy_(result)
            return tuple(results[:own])

        return run

    return backend


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


def _refuse_running_statistics(graph_module: fx.GraphModule) -> None:
    """Raises an error where a layer would change its running statistics, which its function does not give."""
    import torch.nn.functional as F

    changing = {F.batch_norm: "training", F.instance_norm: "use_input_stats"}
    for node in graph_module.graph.nodes:
        if node.op != "call_function" or node.target not in changing:
            continue
        bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)
        bound.apply_defaults()
        if bound.arguments[changing[node.target]] and bound.arguments["running_mean"] is not None:
            raise TVMError(
                f"`{node.name}` is trained, and its running statistics would stay as they are: compile the model in "
                "evaluation mode (`model.eval()`), or without them (`track_running_stats=False`)"
            )
