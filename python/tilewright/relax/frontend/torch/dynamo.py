"""Graphs that TorchDynamo captures while a model runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...block_builder import BlockBuilder
from .fx_translator import from_fx

if TYPE_CHECKING:
    import torch

    from ....ir.module import IRModule


def relax_dynamo(pipeline: Any = None) -> Callable[..., Any]:
    """A backend of `torch.compile`: `torch.compile(model, backend=relax_dynamo())`.

    Each captured graph is imported, taken through the pipeline (a pass; the default one where none is given),
    compiled for this machine and run in its place.
    """

    def backend(graph_module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        import torch

        from ....runtime import cpu
        from ....runtime.ndarray import array
        from ... import VirtualMachine, build

        module = from_fx(graph_module, _infos(example_inputs), unwrap_unit_return_tuple=False)
        machine = VirtualMachine(build(module if pipeline is None else pipeline(module), "llvm"), cpu())

        def run(*args: Any) -> Any:
            given = [array(arg.detach().cpu().numpy()) for arg in args if isinstance(arg, torch.Tensor)]
            found = machine["main"](*given)
            found = found if isinstance(found, (list, tuple)) else (found,)
            return tuple(torch.from_numpy(one.numpy().copy()) for one in found)

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
