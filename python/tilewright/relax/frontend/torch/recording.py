"""Recording of traced graphs: names, arguments and places as plain data, which the rules of the core turn into IR.

A recorded graph is a dict:

- `inputs`: pairs of a name and a struct info;
- `parameters`: the tensors that nodes refer to, by their names in the model;
- `nodes`: dicts with `name`, `target` (an ATen-like name; `None` for a function of the user's), `args`, `kwargs`,
  `said` (what the user called), `place` (file and line, or `None`) and `sizes` (those of the tensor that it gives, as
  far as they are known);
- `output`: what the graph gives;
- `files`: the texts of the files that places are in.

In arguments, numbers, texts, lists and `None` mean themselves; all else is a dict with one key.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import linecache
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any

from .... import _core, tir
from ....error import DiagnosticError
from ...block_builder import BlockBuilder
from ...struct_info import TensorStructInfo
from .modules import MODULES, SAID_BY_CLASS

if TYPE_CHECKING:
    import torch
    from torch import fx

    from ....ir.module import IRModule
    from .sizes import Sizes


class Recorder:
    """What has been recorded of a graph."""

    def __init__(self, input_info: Sequence[tuple[Sequence[Any], Any]]) -> None:
        self.inputs: list[tuple[str, TensorStructInfo]] = []
        self.parameters: dict[str, Any] = {}
        self.nodes: list[dict[str, Any]] = []
        self.output: Any = None
        self.files: dict[str, str] = {}
        #: What later nodes mean by a node of the graph.
        self.meaning: dict[fx.Node, Any] = {}
        #: What is before the names of nodes and constants: those of a graph within the graph are told apart by it.
        self.prefix = ""
        #: The operators of nodes that `torch.export` has written, by the names under which they are recorded.
        self.targets: dict[str, Any] = {}
        #: What PyTorch knows of the sizes of results; nothing where those may be the sizes of an example alone.
        self.sizes: Sizes | None = None
        self._module_name = ""
        self._infos = struct_infos(input_info)

    def graph(self) -> dict[str, Any]:
        """The graph as the core takes it."""
        if self._infos:
            raise ValueError(
                f"`input_info` says {len(self.inputs) + len(self._infos)} inputs, the graph has {len(self.inputs)}"
            )
        names = ("inputs", "parameters", "nodes", "output", "files")
        return {name: getattr(self, name) for name in names}

    def input(self, node: fx.Node, name: str) -> None:
        """An input of the graph; one without an info has its default."""
        if self._infos:
            self.inputs.append((name, self._infos.pop(0)))
            self.meaning[node] = {"node": name}
        elif node.args:
            self.meaning[node] = self.argument(node.args[0])
        else:
            raise ValueError(f"`input_info` says {len(self.inputs)} inputs, but the graph also needs `{node.target}`")

    def parameter(self, name: str, tensor: torch.Tensor) -> dict[str, str]:
        """A tensor of the model."""
        self.parameters.setdefault(name, tensor.detach().cpu().contiguous())
        return {"parameter": name}

    def node(
        self, node: fx.Node, target: str | None, said: str, args: Sequence[Any], kwargs: Mapping[str, Any], place: Any
    ) -> None:
        """An operation."""
        if place is not None:
            self.files.setdefault(place[0], "".join(linecache.getlines(place[0])))
        name = self.prefix + node.name
        self.nodes.append({
            "name": name,
            "target": target,
            "args": [self.argument(arg) for arg in args],
            "kwargs": {key: self.argument(value) for key, value in kwargs.items()},
            "said": said,
            "place": place,
            "sizes": [] if self.sizes is None else self.sizes.of(node),
        })  # fmt: skip
        self.meaning[node] = {"node": name}

    @contextmanager
    def within(self, node: fx.Node) -> Iterator[None]:
        """The time in which the graph is recorded that takes the place of a node."""
        self.prefix = f"{node.name}_"
        self._module_name = node.target if node.op == "call_module" else ""
        yield
        self.prefix = self._module_name = ""

    def own_name(self, target: str) -> str:
        """The model's name of a tensor of the graph at hand: what a module holds has a name in the model."""
        if self._module_name and target.startswith("called."):
            return self._module_name + target.removeprefix("called")
        return self.prefix + target

    def result(self, value: Any) -> Any:
        """What a graph gives, as plain data: of dicts and of dataclasses the values, in their order."""
        if isinstance(value, dict):
            return [self.result(item) for item in value.values()]
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return [self.result(getattr(value, part.name)) for part in dataclasses.fields(value)]
        if isinstance(value, (list, tuple)):
            return [self.result(item) for item in value]
        return self.argument(value)

    def argument(self, value: Any) -> Any:
        """An argument as plain data."""
        import torch
        from torch import fx

        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, fx.Node):
            return self.meaning[value]
        if isinstance(value, (list, tuple)):
            return [self.argument(item) for item in value]
        if isinstance(value, slice):
            return {"slice": [self.argument(part) for part in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": None}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, torch.Tensor):
            return self.parameter(f"constant_{len(self.parameters)}", value)
        if isinstance(value, dict) and set(value) in ({"parameter"}, {"node"}):
            return value
        return {"opaque": str(value)}


class Importer:
    """What functions of a `custom_convert_map` get as their second argument.

    `env` holds the values of the nodes that the node at hand needs, `block_builder` is the builder of the function.
    """

    def __init__(self, custom_convert_map: Mapping[Any, Callable[..., Any]] | None) -> None:
        self.custom_convert_map = dict(custom_convert_map or {})
        self.env: dict[fx.Node, Any] = {}
        self.block_builder = BlockBuilder()
        self._custom: dict[int, tuple[fx.Node, Callable[..., Any], dict[fx.Node, str]]] = {}

    def retrieve_args(self, node: fx.Node) -> Any:
        """The positional arguments of a node, with the values of the nodes among them."""
        return self._retrieve(node.args)

    def shape_of(self, value: Any) -> Any:
        """The shape of a value of the graph, or of a tensor of PyTorch."""
        info = getattr(value, "struct_info", None)
        return info.shape if info is not None else value.shape

    def _retrieve(self, value: Any) -> Any:
        from torch import fx

        if isinstance(value, fx.Node):
            return self.env[value]
        if isinstance(value, (list, tuple)):
            return type(value)(self._retrieve(item) for item in value)
        if isinstance(value, dict):
            return {key: self._retrieve(item) for key, item in value.items()}
        return value

    def _rule_of(self, *keys: Any) -> Callable[..., Any] | None:
        """The function of the user's for one of these keys."""
        return next((self.custom_convert_map[key] for key in keys if key in self.custom_convert_map), None)

    def _leave(self, recorder: Recorder, node: fx.Node, function: Callable[..., Any], said: str, place: Any) -> None:
        """Records a node that a function of the user's translates: of its arguments, the nodes that it may read."""
        meanings = {needed: recorder.meaning[needed] for needed in node.all_input_nodes}
        names = {needed: one["node"] for needed, one in meanings.items() if isinstance(one, dict) and "node" in one}
        self._custom[len(recorder.nodes)] = (node, function, names)
        recorder.node(node, None, said, [list(node.all_input_nodes)], {}, place)

    def _imported(self, record: Callable[[], Recorder], options: Mapping[str, Any]) -> IRModule:
        """The module with what `record` records as its function `main`.

        What rules refuse is recorded as PyTorch takes it apart, and all of it tried again; where that does not help,
        the first reasons are told.
        """
        first: DiagnosticError | None = None
        while True:
            recorder = record()
            try:
                _core.import_torch_graph(self.block_builder, recorder.graph(), dict(options), self._translate)
                return self.block_builder.get()
            except DiagnosticError as error:
                first = first or error
                if not self._refuse(recorder, error.nodes):
                    raise first from self._untaken()

    def _refuse(self, recorder: Recorder, names: Sequence[str]) -> bool:
        """Notes nodes that have no rule or that their rules do not take; whether one of them was not noted before and
        may be taken apart."""
        raise NotImplementedError

    def _untaken(self) -> Exception | None:
        """Why PyTorch did not take something apart."""
        return None

    def _translate(self, at: int, values: Mapping[str, Any]) -> Any:
        node, function, names = self._custom[at]
        self.env.update({needed: values[name] for needed, name in names.items() if name in values})
        return function(node, self)


def struct_infos(input_info: Sequence[tuple[Sequence[Any], Any]]) -> list[TensorStructInfo]:
    """The struct infos of inputs; dimensions that are texts are symbolic, and one text is one dimension."""
    import torch

    dims: dict[str, Any] = {}

    def dim(size: Any) -> Any:
        return dims.setdefault(size, tir.Var(size, "int64")) if isinstance(size, str) else size

    def info(shape: Sequence[Any], dtype: Any) -> TensorStructInfo:
        dtype = str(dtype).removeprefix("torch.") if isinstance(dtype, torch.dtype) else dtype
        return TensorStructInfo([dim(size) for size in shape], dtype)

    return [info(shape, dtype) for shape, dtype in input_info]


def module_call(module: torch.nn.Module) -> tuple[str, dict[str, Any]] | None:
    """The operator that a module of `torch.nn` is, and the module's own arguments; nothing for other modules."""
    known = next((cls.__name__ for cls in type(module).__mro__ if cls.__name__ in MODULES), None)
    if known is None:
        return None
    target, attributes = MODULES[known]
    kwargs = dict(SAID_BY_CLASS.get(known, {}))
    for entry in attributes.split():
        argument, _, attribute = entry.partition(":")
        held: Any = module
        for part in (attribute or argument).split("."):
            held = getattr(held, part, None)
        kwargs[argument] = held
    if known.startswith("InstanceNorm"):
        kwargs["use_input_stats"] = module.training or not module.track_running_stats
    return target, kwargs


def _home_of_compiled(target: Any) -> str:
    """The package of a function without a module: those of Python's own and of PyTorch's C code have none. A callable
    of the user's that says it has none is nobody's."""
    return "builtins" if isinstance(target, _OF_C) else "unknown"


_OF_C = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, MethodWrapperType, ClassMethodDescriptorType)

#: The packages whose functions rules know by their bare names.
_NAMED_BY_RULES = ("torch", "torchvision", "_operator", "operator", "math", "builtins")


def function_name(target: Any) -> str:
    """The ATen-like name of a function: `aten.` marks what is called as ATen itself has it. A user's function has its
    module in front, lest one that is called `prod` be taken for PyTorch's."""
    schema = getattr(target, "_schema", None)
    if schema is not None:
        return schema.name.replace("::", ".")
    packet = getattr(target, "_qualified_op_name", None)
    if packet:
        return packet.replace("::", ".")
    home = getattr(target, "__module__", None) or _home_of_compiled(target)
    return target.__name__ if home.partition(".")[0] in _NAMED_BY_RULES else f"{home}.{target.__name__}"


def said_of(node: fx.Node, modules: Mapping[str, torch.nn.Module]) -> str:
    """What the user called, as PyTorch's documentation has it."""
    from torch.fx.node import _get_qualified_name
    from torch.overrides import resolve_name

    if node.op == "call_method":
        return f"Tensor.{node.target}"
    if node.op == "call_module":
        cls = type(modules[node.target])
        home = "torch.nn" if cls.__module__.startswith("torch.nn.") else cls.__module__
        return f"{home}.{cls.__qualname__}"
    if hasattr(node.target, "_schema"):
        return f"torch.ops.{node.target}"
    return resolve_name(node.target) or _get_qualified_name(node.target)


class Places:
    """Finds the lines of the user's source that nodes come from.

    A tracer that was asked to records them; else they are looked for in the source of `forward` of the module that a
    node is traced in: the call that has the node's name.
    """

    def __init__(self, graph_module: fx.GraphModule) -> None:
        self._module = graph_module
        self._calls: dict[type, dict[str, list[tuple[str, int]]]] = {}
        self._met: dict[tuple[type, str], int] = {}

    def of(self, node: fx.Node) -> tuple[str, int] | None:
        """File and line."""
        if node.stack_trace:
            frames = re.findall(r'File "([^"]+)", line (\d+)', node.stack_trace)
            written = [(file, line) for file, line in frames if not file.startswith("<")]
            own = [(file, int(line)) for file, line in written if "/torch/" not in file.replace("\\", "/")]
            if own:
                return own[-1]
            if written:
                return written[-1][0], int(written[-1][1])
        owner = self._owner(node)
        if owner is None:
            return None
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        name = name.rpartition(".")[2]
        if name.isdigit() and isinstance(node.target, str):
            # A part of a Sequential is called where that is.
            name = next((part for part in reversed(node.target.split(".")) if not part.isdigit()), name)
        lines = self._lines(owner)
        # `torch.linalg.det` is the function `linalg_det`.
        endings = [name.split("_", at)[-1] for at in range(name.count("_") + 1)]
        name = next((ending for ending in endings if ending in lines), "")
        found = lines.get(name)
        if not found:
            return None
        # The calls of one name are met in the order of the text, in which they are traced.
        met = self._met.get((owner, name), 0)
        self._met[owner, name] = met + 1
        return found[met % len(found)]

    def _owner(self, node: fx.Node) -> type | None:
        stack = [entry[1] for entry in (node.meta.get("nn_module_stack") or {}).values()]
        for cls in reversed(stack):
            if isinstance(cls, type) and not cls.__module__.startswith("torch."):
                return cls
        return self._root()

    def _root(self) -> type | None:
        """The class of the model, of which the graph keeps the name alone."""
        import torch

        name, found, todo = self._module._get_name(), [], [torch.nn.Module]
        while todo:
            cls = todo.pop()
            todo.extend(cls.__subclasses__())
            if cls.__name__ == name and not issubclass(cls, torch.fx.GraphModule):
                found.append(cls)
        return found[-1] if found else None

    def _lines(self, cls: type) -> dict[str, list[tuple[str, int]]]:
        if cls not in self._calls:
            self._calls[cls] = dict(_calls_in(cls))
        return self._calls[cls]


#: What Python's operators are called in a graph.
_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv", "Mod": "mod", "Pow": "pow",
    "MatMult": "matmul", "BitAnd": "and_", "BitOr": "or_", "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
    "USub": "neg", "Invert": "invert", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge", "Eq": "eq", "NotEq": "ne",
}  # fmt: skip


def _calls_in(cls: type) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Each name that `forward` of a class calls, with its places; the empty name stands for `forward` itself."""
    try:
        text, first = inspect.getsourcelines(cls.forward)
        file = inspect.getsourcefile(cls.forward)
        tree = ast.parse(textwrap.dedent("".join(text)))
    except (OSError, TypeError, SyntaxError):
        return
    found: dict[str, list[tuple[str, int]]] = {"": [(file, first)]}
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
        elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign)):
            name = _OPERATORS.get(type(node.op).__name__)
            name = f"i{name}" if name and isinstance(node, ast.AugAssign) else name
        elif isinstance(node, ast.Compare):
            name = _OPERATORS.get(type(node.ops[0]).__name__)
        elif isinstance(node, ast.Subscript):
            name = "getitem"
        elif isinstance(node, ast.Attribute):
            name = "getattr"
        if name:
            found.setdefault(name, []).append((file, first + node.lineno - 1))
    for name, places in found.items():
        yield name, sorted(places, key=lambda place: place[1])
