"""Functions that a trace calls and does not look into, such as those given to `torch.fx.wrap`.

One of Python for which there is no rule is exported on its own, for the shapes of its arguments in the graph, and what
it is made of takes its place. Shapes are those of a run of the model on tensors without data; a dimension that differs
between two runs with different sizes of the model's symbolic dimensions is symbolic.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .... import _core, tir
from .exported_program_translator import functional
from .recording import function_name

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

#: What stands for a symbolic dimension in each of the runs.
_FIRST_SIZES = (5, 7)


class WrappedFunctions:
    """The functions of one graph."""

    def __init__(self, model: fx.GraphModule) -> None:
        self._model = model
        self._runs: list[dict[fx.Node, Any]] = []
        self._known: dict[Any, ExportedProgram | None] = {}

    def program(self, node: fx.Node, inputs: Sequence[Any]) -> ExportedProgram | None:
        """What a node's function is made of, a program of `node.all_input_nodes`; `inputs` are the model's.

        Nothing where the function is not one of Python, has a rule, or is made of what has none.
        """
        if not isinstance(node.target, FunctionType) or _core.has_torch_rule(function_name(node.target)):
            return None
        try:
            if not self._runs:
                self._runs = [_values(self._model, inputs, size) for size in _FIRST_SIZES]
            arguments = [_Argument.of(needed, self._runs) for needed in node.all_input_nodes]
            key = (node.target, *arguments, str(_without_nodes(node)))
            if key not in self._known:
                self._known[key] = _exported(node, arguments)
            return self._known[key]
        except Exception:
            # Whatever PyTorch does not take is told as a rule that is missing, with the place.
            return None


class _Argument(tuple):
    """Shape, dynamic dimensions and data type of a tensor."""

    @staticmethod
    def of(node: fx.Node, runs: Sequence[dict[fx.Node, Any]]) -> _Argument:
        first, second = (run[node] for run in runs)
        pairs = zip(first.shape, second.shape, strict=True)
        return _Argument((tuple(first.shape), tuple(a != b for a, b in pairs), first.dtype))


def _values(model: fx.GraphModule, inputs: Sequence[Any], first: int) -> dict[fx.Node, Any]:
    """The tensors without data of every node, where symbolic dimensions are numbers from `first` on."""
    import torch
    from torch import fx
    from torch._subclasses.fake_tensor import FakeTensorMode

    found: dict[fx.Node, Any] = {}
    sizes: dict[tir.Var, int] = {}

    class Run(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            found[n] = super().run_node(n)
            return found[n]

    def size(dim: Any) -> int:
        return sizes.setdefault(dim, first + 4 * len(sizes)) if isinstance(dim, tir.Var) else int(dim)

    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        tensors = [
            torch.empty([size(dim) for dim in info.shape], dtype=getattr(torch, str(info.dtype))) for info in inputs
        ]
        Run(model).run(*tensors)
    return found


def _without_nodes(node: fx.Node) -> Any:
    """The arguments of a node, with numbers in the places of nodes."""
    from torch.fx.node import map_arg

    places = {needed: at for at, needed in enumerate(node.all_input_nodes)}
    return map_arg((node.args, node.kwargs), lambda needed: f"%{places[needed]}")


def _exported(node: fx.Node, arguments: Sequence[_Argument]) -> ExportedProgram | None:
    """The program of a node's function, if there are rules for all of it."""
    import torch
    from torch.export import Dim, export
    from torch.fx.node import map_arg

    nodes = node.all_input_nodes

    class Call(torch.nn.Module):
        def forward(self, tensors: list[torch.Tensor]) -> Any:
            values = dict(zip(nodes, tensors, strict=True))
            args, kwargs = map_arg((node.args, node.kwargs), lambda needed: values[needed])
            return node.target(*args, **kwargs)

    tensors = [torch.empty(shape, dtype=dtype) for shape, _, dtype in arguments]
    dims = [{at: Dim.DYNAMIC for at, varies in enumerate(dynamic) if varies} for _, dynamic, _ in arguments]
    with torch.no_grad():
        program = export(Call().eval(), (tensors,), dynamic_shapes=(dims,))
    program = functional(program)
    calls = [inner for inner in program.graph.nodes if inner.op == "call_function"]
    return program if all(_core.has_torch_rule(function_name(inner.target)) for inner in calls) else None
