"""`torch.compile(model, backend="tilewright")`.

PyTorch finds the backend by the entry point of the installed package; where the package is only on the path, importing
this module makes the name known. Each graph that TorchDynamo captures is made functional by AOTAutograd, divided into
sub-graphs that are compiled and operators that PyTorch runs, and run in the model's place. `report()` tells what was
compiled, what was left to PyTorch and why.

PyTorch is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .reporting import GraphReport, Left, NativePart, Report, report, reset

if TYPE_CHECKING:
    from torch import fx

__all__ = ["GraphReport", "Left", "NativePart", "Report", "backend", "report", "reset"]


def backend(
    graph_module: fx.GraphModule,
    example_inputs: list[Any],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
) -> Callable[..., Any]:
    """The backend `tilewright` of `torch.compile`, which TorchDynamo calls with each graph that it captures.

    `mode` is `default`; the modes that ask Inductor for graphs of CUDA or for tuning are errors. `options` are:

    - `target`: what to compile for, as `relax.build` takes it; this machine's processor without it;
    - `pipeline`: a pass, or the name of a pipeline, that replaces the default one;
    - `training`: `eager` leaves a graph through which gradients flow to PyTorch; `detached` compiles it nevertheless,
      and its results have no gradients;
    - `fallback`: with `False`, operators that would be left to PyTorch are an error that lists them;
    - `custom_convert_map`: rules of the user's for operators, as in `relax.frontend.torch.from_exported_program`.

    `name` is what the report calls the model.
    """
    from .compiling import compiled
    from .options import checked

    return compiled(graph_module, example_inputs, checked(mode, options), name)


def _register() -> None:
    """Makes the backend known to PyTorch where the package is only on the path, without its entry points."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    if find_spec("torch") is None or entry_points(group="torch_dynamo_backends", name="tilewright"):
        return
    from torch._dynamo.backends.registry import register_backend

    register_backend(backend, name="tilewright")


_register()
