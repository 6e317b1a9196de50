"""Calls that a trace does not look into: of functions given to `torch.fx.wrap`, and of PyTorch's own layers.

One for which there is no rule is exported on its own, for the shapes of its arguments in the graph, and what it is made
of takes its place. Shapes are those of a run of the model on tensors without data; a dimension that differs between two
runs with different sizes of the model's symbolic dimensions is symbolic.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from .... import tir
from .decomposition import has_rule, taken_apart

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

#: What stands for a symbolic dimension in each of the runs.
_FIRST_SIZES = (5, 7)


class WrappedCalls:
    """The calls of one graph."""

    def __init__(self, model: fx.GraphModule) -> None:
        self._model = model
        self._modules = dict(model.named_modules())
        self._runs: list[dict[fx.Node, Any]] = []
        self._known: dict[Any, ExportedProgram | None] = {}

    def program(
        self, node: fx.Node, inputs: Sequence[Any], refused: Collection[Any]
    ) -> tuple[ExportedProgram, list[fx.Node]] | None:
        """What a node is made of, and the nodes that this is a program of; `inputs` are the model's, and `refused` are
        operators that are taken apart though they have a rule.

        Nothing where PyTorch does not export it, or where it is made of what has no rule.
        """
        try:
            if not self._runs:
                self._runs = [_values(self._model, inputs, size) for size in _FIRST_SIZES]
            arguments = [_Argument.of(needed, self._runs) for needed in node.all_input_nodes]
            key = (node.target, *arguments, str(_without_nodes(node)), frozenset(refused))
            if key not in self._known:
                self._known[key] = _exported(node, self._modules, arguments, refused)
            program = self._known[key]
            given = [one for one, own in zip(node.all_input_nodes, arguments, strict=True) if len(own) > 1]
            return None if program is None else (program, given)
        except Exception:
            # Whatever PyTorch does not take is told as a rule that is missing, with the place.
            return None


class _Argument(tuple):
    """Shape, dynamic dimensions and data type of a tensor; of a number, itself."""

    @staticmethod
    def of(node: fx.Node, runs: Sequence[dict[fx.Node, Any]]) -> _Argument:
        first, second = (run[node] for run in runs)
        if isinstance(first, (bool, int, float)) and first == second:
            return _Argument((first,))
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


def _exported(
    node: fx.Node, modules: dict[str, torch.nn.Module], arguments: Sequence[_Argument], refused: Collection[Any]
) -> ExportedProgram | None:
    """The program of a node, if there are rules for all of it."""
    import torch
    from torch.export import Dim, export
    from torch.fx.node import map_arg

    nodes = node.all_input_nodes
    constants = {needed: own[0] for needed, own in zip(nodes, arguments, strict=True) if len(own) == 1}
    tensors = {needed: own for needed, own in zip(nodes, arguments, strict=True) if len(own) > 1}

    class Call(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.called = modules[node.target] if node.op == "call_module" else torch.nn.Identity()

        def forward(self, given: list[torch.Tensor]) -> Any:
            values = constants | dict(zip(tensors, given, strict=True))
            args, kwargs = map_arg((node.args, node.kwargs), lambda needed: values[needed])
            if node.op == "call_module":
                return self.called(*args, **kwargs)
            if node.op == "call_method":
                return getattr(args[0], node.target)(*args[1:], **kwargs)
            return node.target(*args, **kwargs)

    empty = [torch.zeros(shape, dtype=dtype) for shape, _, dtype in tensors.values()]
    dims = [{at: Dim.DYNAMIC for at, varies in enumerate(dynamic) if varies} for _, dynamic, _ in tensors.values()]
    with torch.no_grad():
        program = taken_apart(export(Call().eval(), (empty,), dynamic_shapes=(dims,)), refused)
    calls = [inner for inner in program.graph.nodes if inner.op == "call_function"]
    return program if all(has_rule(inner.target) for inner in calls) else None
