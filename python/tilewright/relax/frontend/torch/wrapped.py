"""Calls that a trace does not look into: of functions given to `torch.fx.wrap`, and of PyTorch's own layers.

One for which there is no rule is exported on its own, for the shapes of its arguments in the graph, and what it is made
of takes its place. Shapes are those of a run of the model on tensors without data; a dimension that differs between two
runs with different sizes of the model's symbolic dimensions is symbolic. The runs also say which nodes change a tensor
that they are given, and which give one that shares its memory: on their own, nothing else would see the changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .... import tir
from .decomposition import has_rule, taken_apart

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

#: What stands for a symbolic dimension in each of the runs.
_FIRST_SIZES = (5, 7)


class NotExported(Exception):
    """PyTorch does not run the model without data, or does not export the call: the cause says why."""


class WrappedCalls:
    """The calls of one graph."""

    def __init__(self, model: fx.GraphModule) -> None:
        self._model = model
        self._modules = dict(model.named_modules())
        self._runs: list[_Run] = []
        self._known: dict[Any, ExportedProgram | None] = {}

    def program(
        self, node: fx.Node, inputs: Sequence[Any], refused: Collection[Any]
    ) -> tuple[ExportedProgram, list[fx.Node]] | None:
        """What a node is made of, and the nodes that this is a program of; `inputs` are the model's, and `refused` are
        operators that are taken apart though they have a rule.

        Nothing where it changes what it is given, where memory that its result shares with that is changed later, or
        where it is made of what has no rule. Raises `NotExported`.
        """
        if not self._runs:
            self._runs = [_run(self._model, inputs, size) for size in _FIRST_SIZES]
        if any(run.is_bound_by_memory(node) for run in self._runs):
            return None
        arguments = {needed: _argument(needed, self._runs) for needed in node.all_input_nodes}
        key = (node.target, *arguments.values(), str(_without_nodes(node)), frozenset(refused))
        if key not in self._known:
            self._known[key] = _exported(node, self._modules, arguments, refused)
        program = self._known[key]
        given = [needed for needed, own in arguments.items() if isinstance(own, _TensorArgument)]
        return None if program is None else (program, given)


def changed_inputs(model: fx.GraphModule, inputs: Sequence[Any]) -> list[int]:
    """The numbers of the inputs that the model changes in place. Raises `NotExported`."""
    values = _run(model, inputs, _FIRST_SIZES[0]).values
    given = [values[node] for node in model.graph.nodes if node.op == "placeholder"]
    return [at for at, tensor in enumerate(given) if getattr(tensor, "_version", 0) > 0]


@dataclass
class _Run:
    """A run of the model without data: what each node gives, in their order; of the storages of the tensors that it is
    given, those that it changes and those that its result shares."""

    values: dict[fx.Node, Any] = field(default_factory=dict)
    changed: dict[fx.Node, set[int]] = field(default_factory=dict)
    shared: dict[fx.Node, set[int]] = field(default_factory=dict)

    def is_bound_by_memory(self, node: fx.Node) -> bool:
        """Whether the node changes what it is given, or shares memory with it that a later node changes."""
        nodes = list(self.values)
        later = nodes[nodes.index(node) + 1 :]
        return bool(self.changed[node]) or any(self.shared[node] & self.changed[one] for one in later)


@dataclass(frozen=True)
class _TensorArgument:
    """A tensor that a node is given."""

    shape: tuple[int, ...]
    #: Whether the dimension is symbolic.
    dynamic: tuple[bool, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class _Number:
    """A number that a node is given, the same in every run."""

    value: bool | int | float


@contextmanager
def _written_out() -> Iterator[None]:
    """The time in which layers of transformers are what they are written in, not kernels of their own."""
    import torch

    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def _argument(node: fx.Node, runs: Sequence[_Run]) -> _TensorArgument | _Number:
    import torch

    first, second = (run.values[node] for run in runs)
    if isinstance(first, (bool, int, float)) and first == second:
        return _Number(first)
    if not isinstance(first, torch.Tensor):
        raise NotExported(f"`{node.name}` is neither a tensor nor a number that is the same for all sizes")
    dynamic = tuple(a != b for a, b in zip(first.shape, second.shape, strict=True))
    return _TensorArgument(tuple(first.shape), dynamic, first.dtype)


def _run(model: fx.GraphModule, inputs: Sequence[Any], first: int) -> _Run:
    """A run in which symbolic dimensions are numbers from `first` on."""
    import torch
    from torch import fx
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._pytree import tree_leaves

    found, sizes = _Run(), {}

    class Interpreter(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            given = tensors_in([self.env[one] for one in n.all_input_nodes])
            versions = [(one, one._version) for one in given]
            found.values[n] = super().run_node(n)
            found.changed[n] = {storage(one) for one, version in versions if one._version != version}
            found.shared[n] = {*map(storage, given)} & {*map(storage, tensors_in(found.values[n]))}
            return found.values[n]

    def tensors_in(values: Any) -> list[torch.Tensor]:
        return [one for one in tree_leaves(values) if isinstance(one, torch.Tensor)]

    def storage(tensor: torch.Tensor) -> int:
        # No storage is given back while the run's values are kept.
        return tensor.untyped_storage()._cdata

    def size(dim: Any) -> int:
        return sizes.setdefault(dim, first + 4 * len(sizes)) if isinstance(dim, tir.Var) else int(dim)

    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad(), _written_out():
        tensors = [
            torch.empty([size(dim) for dim in info.shape], dtype=getattr(torch, str(info.dtype))) for info in inputs
        ]
        try:
            Interpreter(model, garbage_collect_values=False).run(*tensors)
        except Exception as error:
            # The model's own functions run here, which may raise anything.
            raise NotExported("PyTorch does not run the model on tensors without data") from error
    return found


def _without_nodes(node: fx.Node) -> Any:
    """The arguments of a node, with numbers in the places of nodes."""
    from torch.fx.node import map_arg

    places = {needed: at for at, needed in enumerate(node.all_input_nodes)}
    return map_arg((node.args, node.kwargs), lambda needed: f"%{places[needed]}")


def _exported(
    node: fx.Node,
    modules: dict[str, torch.nn.Module],
    arguments: dict[fx.Node, _TensorArgument | _Number],
    refused: Collection[Any],
) -> ExportedProgram | None:
    """The program of a node, if there are rules for all of it."""
    import torch
    from torch.export import Dim, export
    from torch.fx.node import map_arg

    constants = {needed: own.value for needed, own in arguments.items() if isinstance(own, _Number)}
    tensors = {needed: own for needed, own in arguments.items() if isinstance(own, _TensorArgument)}

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

    empty = [torch.zeros(own.shape, dtype=own.dtype) for own in tensors.values()]
    dims = [{at: Dim.DYNAMIC for at, varies in enumerate(own.dynamic) if varies} for own in tensors.values()]
    with torch.no_grad(), _written_out():
        try:
            program = taken_apart(export(Call().eval(), (empty,), dynamic_shapes=(dims,)), refused)
        except Exception as error:
            # What a call runs may raise anything, and so may the tracer that looks into it.
            raise NotExported(f"PyTorch does not export `{node.name}` on its own") from error
    calls = [inner for inner in program.graph.nodes if inner.op == "call_function"]
    return program if all(has_rule(inner.target) for inner in calls) else None
