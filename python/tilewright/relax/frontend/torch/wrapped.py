"""Calls that a trace does not look into: of functions given to `torch.fx.wrap`, and of PyTorch's own layers.

One for which there is no rule is exported on its own, for the shapes of its arguments in the graph, and what it is made
of takes its place. Shapes are those of a run of the model on tensors without data; a dimension that differs between two
runs with different sizes of the model's symbolic dimensions is symbolic. A call that gives no tensor, but numbers of
what is the same for all sizes, is these numbers.

The runs also say which nodes change a tensor that they are given, and which give one that shares its memory. What a
call leaves in a tensor is what later nodes mean by it, where nothing else would have seen the change.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from traceback import FrameSummary
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
        self._lasting: set[fx.Node] = set()
        self._known: dict[Any, ExportedProgram | None] = {}

    def program(
        self, node: fx.Node, inputs: Sequence[Any], refused: Collection[Any]
    ) -> tuple[ExportedProgram, list[fx.Node]] | None:
        """What a node is made of, and the nodes that this is a program of; `inputs` are the model's, and `refused` are
        operators that are taken apart though they have a rule. What it changes are inputs that the program mutates.

        Nothing where memory that others have is changed, by the node or later, or where it is made of what has no rule.
        Raises `NotExported`.
        """
        runs = self._with_runs(inputs)
        if any(run.is_bound_by_memory(node) for run in runs):
            return None
        arguments = {needed: self._argument(needed, runs) for needed in node.all_input_nodes}
        key = (node.target, *arguments.values(), str(_without_nodes(node)), frozenset(refused))
        if key not in self._known:
            changes = any(run.changed[node] for run in runs)
            self._known[key] = _exported(node, self._modules, arguments, refused, changes)
        program = self._known[key]
        given = [needed for needed, own in arguments.items() if isinstance(own, _TensorArgument)]
        return None if program is None else (program, given)

    def constant(self, node: fx.Node, inputs: Sequence[Any]) -> _Constant | None:
        """What a node gives where that is no tensor, and the same for all sizes; nothing where it also changes what it
        is given. Raises `NotExported`."""
        runs = self._with_runs(inputs)
        return None if any(run.changed[node] for run in runs) else self._number(node, runs)

    def _with_runs(self, inputs: Sequence[Any]) -> list[_Run]:
        if not self._runs:
            first, other = _FIRST_SIZES
            run = _run(self._model, inputs, first)
            # Without symbolic dimensions another run, which takes seconds for a large model, would tell the same.
            symbolic = any(isinstance(dim, tir.Var) for info in inputs for dim in info.shape)
            self._runs = [run, _run(self._model, inputs, other) if symbolic else run]
            self._lasting = _lasting(self._runs)
        return self._runs

    def _number(self, node: fx.Node, runs: Sequence[_Run]) -> _Constant | None:
        from torch.utils._pytree import tree_leaves

        value = runs[0].values[node]
        leaves = tree_leaves(value)
        plain = leaves and all(isinstance(leaf, (bool, int, float)) for leaf in leaves)
        return _Constant(value, _said(value)) if plain and node in self._lasting else None

    def _argument(self, node: fx.Node, runs: Sequence[_Run]) -> _TensorArgument | _Constant:
        import torch

        constant = self._number(node, runs)
        if constant is not None:
            return constant
        first, second = (run.values[node] for run in runs)
        if not isinstance(first, torch.Tensor):
            raise NotExported(f"`{node.name}` is neither a tensor nor a number that is the same for all sizes")
        dynamic = tuple(a != b for a, b in zip(first.shape, second.shape, strict=True))
        return _TensorArgument(tuple(first.shape), dynamic, first.dtype)


@dataclass
class _Run:
    """A run of the model without data: what each node gives, in their order; the storages of the tensors in that; and
    of the storages of the tensors that it is given, those that it changes and those that its result shares."""

    values: dict[fx.Node, Any] = field(default_factory=dict)
    held: dict[fx.Node, set[int]] = field(default_factory=dict)
    changed: dict[fx.Node, set[int]] = field(default_factory=dict)
    shared: dict[fx.Node, set[int]] = field(default_factory=dict)

    def is_bound_by_memory(self, node: fx.Node) -> bool:
        """Whether the node changes memory that others than itself and one node that it is given have, or shares memory
        with what it is given that a later node changes."""
        nodes = list(self.values)
        place = nodes.index(node)
        later, changed = nodes[place + 1 :], self.changed[node]
        if any(self.shared[node] & self.changed[one] for one in later):
            return True
        given = [one for one in node.all_input_nodes if self.held[one] & changed]
        lasting = [one for one in given if one.op in ("placeholder", "get_attr")]
        others = [one for one in nodes[:place] if one not in given and self.held[one] & changed]
        used = any(user in later for one in others for user in one.users)
        return bool(lasting) or len(given) != len(changed) or used


@dataclass(frozen=True)
class _TensorArgument:
    """A tensor that a node is given."""

    shape: tuple[int, ...]
    #: Whether the dimension is symbolic.
    dynamic: tuple[bool, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class _Constant:
    """Numbers, alone or in lists and tuples, that a node is given, the same for all sizes."""

    value: Any = field(compare=False)
    #: Their text, which differs between 2, 2.0 and True.
    said: str


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


def _lasting(runs: Sequence[_Run]) -> set[fx.Node]:
    """The nodes that give the same for all sizes: tensors of the same shape in every run; what is the same in every
    run, and of nothing but such nodes; and what is the same in every run and read off a shape.

    That numbers of symbolic sizes are the same in every run says nothing of other sizes.
    """
    import torch

    found: set[fx.Node] = set()
    read: set[fx.Node] = set()
    for node, value in runs[0].values.items():
        first, *others = node.all_input_nodes or [None]
        if first is not None and all(other in found for other in others):
            of_tensor = isinstance(runs[0].values[first], torch.Tensor)
            if (of_tensor and _asks(node)) or (first in read and node.target in (len, operator.getitem)):
                read.add(node)
        alike = all(_said(run.values[node]) == _said(value) for run in runs[1:])
        from_sizes = node not in read and any(one not in found for one in node.all_input_nodes)
        if alike and (isinstance(value, torch.Tensor) or not from_sizes):
            found.add(node)
    return found


def _asks(node: fx.Node) -> bool:
    """Whether a node is a method or an attribute of its first argument, or its length."""
    return node.op == "call_method" or node.target in (getattr, len)


def _said(value: Any) -> str:
    """The text of a value, in which tensors are their shapes."""
    import torch
    from torch.utils._pytree import tree_map_only

    return repr(tree_map_only(torch.Tensor, lambda tensor: (tuple(tensor.shape), tensor.dtype), value))


def _run(model: fx.GraphModule, inputs: Sequence[Any], first: int) -> _Run:
    """A run in which symbolic dimensions are numbers from `first` on."""
    import torch
    from torch import fx
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._pytree import tree_leaves

    found, sizes = _Run(), {}

    class Interpreter(fx.Interpreter):
        def map_nodes_to_values(self, args: Any, n: fx.Node) -> Any:
            return _written(super().map_nodes_to_values(args, n))

        def run_node(self, n: fx.Node) -> Any:
            given = tensors_in([self.env[one] for one in n.all_input_nodes])
            versions = [(one, one._version) for one in given]
            found.values[n] = super().run_node(n)
            found.held[n] = {*map(storage, tensors_in(found.values[n]))}
            found.changed[n] = {storage(one) for one, version in versions if one._version != version}
            found.shared[n] = {*map(storage, given)} & found.held[n]
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


def _written(arguments: Any) -> Any:
    """The arguments as the graph's code writes them: with lists and dicts of their own, which a call may change."""
    if isinstance(arguments, dict):
        return {key: _written(value) for key, value in arguments.items()}
    if type(arguments) is tuple or isinstance(arguments, list):
        values = map(_written, arguments)
        return list(values) if isinstance(arguments, list) else tuple(values)
    return arguments


def _without_nodes(node: fx.Node) -> Any:
    """The arguments of a node, with numbers in the places of nodes."""
    from torch.fx.node import map_arg

    places = {needed: at for at, needed in enumerate(node.all_input_nodes)}
    return map_arg((node.args, node.kwargs), lambda needed: f"%{places[needed]}")


def _exported(
    node: fx.Node,
    modules: dict[str, torch.nn.Module],
    arguments: dict[fx.Node, _TensorArgument | _Constant],
    refused: Collection[Any],
    changes: bool,
) -> ExportedProgram | None:
    """The program of a node, if there are rules for all of it. `changes` says whether it changes what it is given."""
    import torch
    from torch.export import Dim, export
    from torch.fx.node import map_arg

    constants = {needed: own.value for needed, own in arguments.items() if isinstance(own, _Constant)}
    tensors = {needed: own for needed, own in arguments.items() if isinstance(own, _TensorArgument)}

    class Call(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.called = modules[node.target] if node.op == "call_module" else torch.nn.Identity()

        def forward(self, given: list[torch.Tensor]) -> Any:
            values = constants | dict(zip(tensors, given, strict=True))
            args, kwargs = _written(map_arg((node.args, node.kwargs), lambda needed: values[needed]))
            if node.op == "call_module":
                return self.called(*args, **kwargs)
            if node.op == "call_method":
                return getattr(args[0], node.target)(*args[1:], **kwargs)
            return node.target(*args, **kwargs)

    empty = [torch.zeros(own.shape, dtype=own.dtype) for own in tensors.values()]
    dims = [{at: Dim.DYNAMIC for at, varies in enumerate(own.dynamic) if varies} for own in tensors.values()]
    try:
        # Else a comparison of a symbolic size with 1 has a result that nobody sees was asked for.
        sizes_may_be_1 = torch.fx.experimental._config.patch(backed_size_oblivious=True)
        with torch.no_grad(), _written_out(), sizes_may_be_1:
            whole = export(Call().eval(), (empty,), dynamic_shapes=(dims,))
            program = taken_apart(whole.run_decompositions({}) if changes else whole, refused)
        depends = _branches_on_sizes(whole) or _may_drop(whole) or _may_drop(program)
    except Exception as error:
        # What a call runs may raise anything, and so may the tracer that looks into it, of which not all is public.
        raise NotExported(f"PyTorch does not export `{node.name}` on its own") from error
    if depends:
        raise NotExported(f"what `{node.name}` does next depends on symbolic dimensions")
    calls = [inner for inner in program.graph.nodes if inner.op == "call_function"]
    return program if all(has_rule(inner.target) for inner in calls) else None


def _may_drop(program: ExportedProgram) -> bool:
    """Whether a symbolic dimension would be dropped where it is 1: the program keeps it for all sizes."""
    import torch

    aten = torch.ops.aten
    dropping = (aten.squeeze, aten.squeeze_, aten.squeeze_copy)
    for node in program.graph.nodes:
        if getattr(node.target, "overloadpacket", None) in dropping:
            shape = node.args[0].meta["val"].shape
            which = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", range(len(shape)))
            asked = [which] if isinstance(which, int) else which
            if any(isinstance(shape[dim], torch.SymInt) for dim in asked if shape):
                return True
    return False


def _branches_on_sizes(program: ExportedProgram) -> bool:
    """Whether code other than PyTorch's has compared symbolic sizes: the program holds what it does for the ones that
    it was exported with."""
    import torch

    own = str(Path(torch.__file__).parent)
    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    sizes = [size for value in values if isinstance(value, torch.Tensor) for size in value.shape]
    guards = [guard for size in sizes if isinstance(size, torch.SymInt) for guard in size.node.shape_env.guards]
    places = [guard.sloc.framework_loc for guard in guards]
    return any(isinstance(place, FrameSummary) and not place.filename.startswith(own) for place in places)
