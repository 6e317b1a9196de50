"""Graphs that TorchDynamo captures while a model runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...block_builder import BlockBuilder
from .fx_translator import from_fx
from .recording import struct_infos
from .wrapped import changed_inputs

if TYPE_CHECKING:
    import torch

    from ....ir.module import IRModule


def relax_dynamo(pipeline: Any = None) -> Callable[..., Any]:
    """A backend of `torch.compile`: `torch.compile(model, backend=relax_dynamo())`.

    Each captured graph is imported, taken through the pipeline (a pass; the default one where none is given),
    compiled for this machine and run in its place; inputs that it changes are changed after it has run.
    """

    def backend(graph_module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        import torch
        from torch import fx

        from ....runtime import cpu
        from ....runtime.ndarray import array
        from ... import VirtualMachine, build

        infos = _infos(example_inputs)
        changed = changed_inputs(graph_module, struct_infos(infos))
        # What the graph changes, it also gives.
        with_changed = fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph))
        [output] = [node for node in with_changed.graph.nodes if node.op == "output"]
        inputs = [node for node in with_changed.graph.nodes if node.op == "placeholder"]
        output.args = ((*output.args[0], *(inputs[at] for at in changed)),)
        module = from_fx(with_changed, infos, unwrap_unit_return_tuple=False)
        machine = VirtualMachine(build(module if pipeline is None else pipeline(module), "llvm"), cpu())

        def run(*args: Any) -> Any:
            tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
            given = [array(tensor.detach().cpu().numpy()) for tensor in tensors]
            found = machine["main"](*given)
            found = found if isinstance(found, (list, tuple)) else (found,)
            results = [torch.from_numpy(one.numpy().copy()) for one in found]
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

    def capture(graph_module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        module = from_fx(graph_module, _infos(example_inputs), keep_params_as_input=keep_params_as_input)
        functions.append(module["main"])
        return graph_module.forward

    torch._dynamo.reset()
    torch.compile(model, backend=capture)(*params, **kwargs)
    builder = BlockBuilder()
    for number, function in enumerate(functions):
        builder.add_func(function.with_attr("global_symbol", f"subgraph_{number}"), f"subgraph_{number}")
    return builder.get()


def _infos(example_inputs: list[Any]) -> list[tuple[tuple[int, ...], str]]:
    import torch

    tensors = [value for value in example_inputs if isinstance(value, torch.Tensor)]
    return [(tuple(int(size) for size in value.shape), str(value.dtype).removeprefix("torch.")) for value in tensors]
