"""The parts of models: symbolic tensors (values of a graph), weights, states, and modules.

A `Module` is declared as in PyTorch: its attributes are weights (`Parameter`), states that calls change (`Effect`) and
other modules. It computes nothing: `export_tvm` calls its methods once with symbolic tensors as arguments,
and each operation adds a binding to a graph function.

Names of weights are paths of attributes (`layers.0.weight`). A weight is one, under its first name, however many
attributes hold it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ....error import TVMError
from ....ir.expr import PrimExpr
from ....runtime.ndarray import NDArray, array
from ....tir.expr import Var as DimVar
from ...block_builder import BlockBuilder, running_line
from ...expr import Expr, TupleGetItem, Var, const
from ...struct_info import TensorStructInfo, TupleStructInfo
from .operators import TensorOperators

if TYPE_CHECKING:
    from ....ir.module import IRModule
    from .exporter import Exporter
    from .spec import ModuleSpec

__all__ = [
    "Effect", "Module", "ModuleDict", "ModuleList", "Object", "Parameter", "SubroutineMixin", "Tensor",
    "get_default_dtype", "set_default_dtype", "wrap_nested",
]  # fmt: skip

_PACKAGE = __name__.partition(".")[0]
_default_dtype = "float32"


def get_default_dtype() -> str:
    """The data type of weights that do not say theirs."""
    return _default_dtype


def set_default_dtype(dtype: str) -> None:
    """Sets the data type of weights that do not say theirs."""
    global _default_dtype
    _default_dtype = str(dtype)


def place() -> str:
    """The line outside of this package that is running, as `file:line`."""
    file, line = running_line()
    return f"{file}:{line}"


def refused(message: str, at: str | None = None) -> TVMError:
    """An error with the location in the user's source, by default the line that is running."""
    at = at or place()
    error = TVMError(f"{message}\n  at {at}")
    file, _, line = at.rpartition(":")
    error.file, error.line = file, int(line)
    return error


def builder(what: str) -> BlockBuilder:
    """The builder of the function that is being written; what is emitted next comes from the line that is running."""
    current = BlockBuilder.current()
    if current is None:
        raise refused(f"{what}: no graph function is being written: modules are called by `export_tvm` and `jit`")
    current._set_running_line()
    return current


def wrap_nested(expr: Expr, name: str = "") -> Any:
    """The value, bound to a variable called `name`, as a `Tensor`; of a tuple a tuple of what its fields are."""
    return wrap(builder(name or "wrap_nested").emit(expr, name), name)


def wrap(value: Expr, name: str) -> Any:
    """A value of the graph, or the fields of one, as tensors and objects."""
    info = value.struct_info
    if isinstance(info, TensorStructInfo):
        return Tensor(_expr=value)
    if isinstance(info, TupleStructInfo):
        return tuple(wrap_nested(TupleGetItem(value, at), f"{name}.{at}") for at in range(len(info.fields)))
    return Object(_expr=value, _name=name)


def unwrap(value: Any) -> Any:
    """The graph's value of a tensor, an object, or what lists and tuples hold; anything else stays itself."""
    if isinstance(value, (Tensor, Object)):
        return value._expr
    if isinstance(value, (list, tuple)) and not isinstance(value, Expr):
        return type(value)(map(unwrap, value)) if type(value) in (list, tuple) else [unwrap(own) for own in value]
    return value


def dims(shape: Iterable[Any]) -> list[Any]:
    """Dimensions as Python's integers where they are constant."""
    return [int(dim) if hasattr(dim, "__index__") else dim for dim in shape]


class Tensor(TensorOperators):
    """A tensor of the graph that is being written, with Python's operators."""

    def __init__(self, *, _expr: Expr) -> None:
        if not isinstance(_expr.struct_info, TensorStructInfo):
            raise refused(f"a Tensor stands for a tensor, found {_expr.struct_info}")
        self._value = _expr

    @property
    def _expr(self) -> Expr:
        return self._value

    @staticmethod
    def from_const(data: Any) -> Tensor:
        """A constant: numbers, NumPy or a tensor."""
        return Tensor(_expr=const(data))

    @staticmethod
    def from_scalar(data: float, dtype: str) -> Tensor:
        """A constant without dimensions."""
        return Tensor(_expr=const(data, dtype=dtype))

    @staticmethod
    def from_struct_info(struct_info: TensorStructInfo, name: str = "tensor") -> Tensor:
        """A variable of which this is known."""
        return Tensor(_expr=Var(name, struct_info))

    @staticmethod
    def placeholder(shape: Sequence[Any], dtype: str, name: str = "tensor") -> Tensor:
        """A variable of this shape, in which texts are names of symbolic dimensions, and type."""
        return Tensor.from_struct_info(TensorStructInfo(named_dims(shape, {}), dtype), name)

    @property
    def shape(self) -> list[Any]:
        """The dimensions: integers where they are constant, else integer expressions."""
        shape = self._expr.struct_info.shape
        if shape is None or not hasattr(shape, "values"):
            raise refused(f"the shape of this tensor is not known when the module is written: {self._expr.struct_info}")
        return dims(shape.values)

    @property
    def ndim(self) -> int:
        """The number of dimensions, -1 where it is not known."""
        return self._expr.struct_info.ndim

    @property
    def dtype(self) -> str:
        """The data type of an element."""
        return self._expr.struct_info.dtype

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._expr.struct_info})"


def named_dims(shape: Sequence[Any], known: dict[str, Any]) -> list[Any]:
    """Dimensions with variables for names; `known` has those that there are, and gets the others."""
    made = []
    for dim in shape:
        if isinstance(dim, str):
            if not dim.isidentifier():
                raise refused(f"a symbolic dimension has a name, found {dim!r}")
            dim = known.setdefault(dim, DimVar(dim, "int64"))
        elif not isinstance(dim, PrimExpr) and not hasattr(dim, "__index__"):
            raise refused(f"a dimension is an integer, a name or an integer expression, found {dim!r}")
        made.append(dim)
    return made


class Parameter(Tensor):
    """A weight: an attribute of a module.

    Dimensions may be names, of symbolic dimensions that weights of a module and arguments of its methods share.
    `data` holds the values, None until they are given.
    """

    def __init__(self, shape: Sequence[Any], dtype: str | None = None) -> None:
        self._place = place()
        self._dims = [int(dim) if hasattr(dim, "__index__") else dim for dim in shape]
        self._dtype = str(dtype or get_default_dtype())
        self._data: NDArray | None = None
        self.attrs: dict[str, Any] = {}
        super().__init__(_expr=self.variable("param", {}))

    def variable(self, name: str, known: dict[str, Any]) -> Var:
        """A variable for the weight; `known` are the dimensions by name."""
        return Var(name, TensorStructInfo(named_dims(self._dims, known), self._dtype))

    @property
    def _expr(self) -> Expr:
        exporter = _exporter()
        if exporter is None:
            return self._value
        return exporter.weight(self)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._dims)

    @property
    def dtype(self) -> str:
        """The data type of an element."""
        return self._dtype

    @property
    def data(self) -> NDArray | None:
        """The values, if they are given."""
        return self._data

    @data.setter
    def data(self, data: Any) -> None:
        if data is None:
            self._data = None
            return
        data = data if isinstance(data, NDArray) else array(data)
        if len(data.shape) != len(self._dims) or any(
            isinstance(own, int) and own != found for own, found in zip(self._dims, data.shape, strict=True)
        ):
            raise refused(f"the weight that is declared at {self._place} has the shape {self._dims}, and is given "
                          f"values of the shape {list(data.shape)}")  # fmt: skip
        if str(data.dtype) != self._dtype:
            raise refused(f"the weight that is declared at {self._place} is of {self._dtype}, and is given values "
                          f"of {data.dtype}")  # fmt: skip
        self._data = data

    def __bool__(self) -> bool:
        """A weight that there is: a module without it has None in its place (`if self.bias:`)."""
        return True

    def to(self, dtype: str | None = None) -> None:
        """Changes the data type; of a weight that has values yet they are converted."""
        if dtype is None or str(dtype) == self._dtype:
            return
        self._dtype = str(dtype)
        self._value = self.variable("param", {})
        if self._data is not None:
            self._data = self._data.astype(self._dtype)


class Object:
    """A value of the graph that is no tensor."""

    def __init__(self, *, _expr: Expr, _name: str = "") -> None:
        # A call is bound where the object is made, so that it happens once however often the object is used.
        writes = not isinstance(_expr, Var) and BlockBuilder.current() is not None
        self._expr = builder(_name or "Object").emit(_expr, _name) if writes else _expr
        self._name = _name


class Effect:
    """A state that outlives a call: calls take it and give what became of it.

    `_initialize_effect`, a function of the exported module, gives the first state.
    """

    def emit_init(self, name_hint: str, builder: BlockBuilder) -> list[Var]:
        """Writes what makes the first state."""
        raise NotImplementedError(f"{type(self).__name__} has no `emit_init`")

    def create(self, name_hint: str) -> list[Var]:
        """Variables for the state when a method begins, which become the state."""
        raise NotImplementedError(f"{type(self).__name__} has no `create`")

    def set_state(self, state_vars: list[Var]) -> None:
        """Makes these the state."""
        raise NotImplementedError(f"{type(self).__name__} has no `set_state`")

    def finalize(self) -> list[Var]:
        """The state when a method ends; the effect forgets it."""
        raise NotImplementedError(f"{type(self).__name__} has no `finalize`")

    def to(self, dtype: str | None = None) -> None:
        """Changes the data type, where the state has one."""


def members(module: Module, prefix: str, kind: type, around: tuple[Module, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The weights or states of a module and the modules in it, by their paths; `around` are those that it is in."""
    around = (*around, module)
    for name, value in module._items():
        path = f"{prefix}.{name}" if prefix else name
        if isinstance(value, kind):
            yield path, value
        elif isinstance(value, Module):
            if any(value is outer for outer in around):
                raise refused(
                    f"`{path}` is a module that it is itself in: a module holds its parts, not what it is part of"
                )
            yield from members(value, path, kind, around)


class SubroutineMixin:
    """What becomes a function of its own, which is called, where its class says `define_subroutine = True`."""

    define_subroutine: ClassVar[bool] = False


class Module(SubroutineMixin):
    """A part of a model: its attributes are weights, states and modules, its `forward` says what it computes.

    With `define_subroutine = True` in a class, its modules become functions of their own, which are called.
    """

    def _items(self) -> Iterable[tuple[str, Any]]:
        return vars(self).items()

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter]]:
        """The weights with their paths, each once, in the order of the attributes."""
        seen: set[int] = set()
        for name, parameter in members(self, prefix, Parameter):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield name, parameter

    def parameters(self) -> Iterator[Parameter]:
        """The weights, each once, in the order of the attributes."""
        return (parameter for _, parameter in self.named_parameters())

    def state_dict(self, *, prefix: str = "", destination: dict[str, Parameter] | None = None) -> dict[str, Parameter]:
        """The weights by their paths; a weight that several attributes hold is under each."""
        destination = OrderedDict() if destination is None else destination
        destination.update(members(self, prefix, Parameter))
        return destination

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> tuple[list[str], list[str]]:
        """Gives weights their values by path: weights, tensors, or arrays of NumPy or PyTorch.

        The results are the paths that lack values and those that no weight has; with `strict` either is an error.
        """
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unknown = [name for name in state_dict if name not in own]
        if strict and (missing or unknown):
            said = [f"no values are given for {', '.join(missing)}"] if missing else []
            said += [f"no weight is called {', '.join(unknown)}"] if unknown else []
            raise refused(f"load_state_dict of {type(self).__name__}: {'; '.join(said)}")
        for name, parameter in own.items():
            if name in state_dict:
                try:
                    parameter.data = _values(state_dict[name])
                except TVMError as error:
                    error.args = (f"{name}: {error}",)
                    raise
        return missing, unknown

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = getattr(self, "forward", None)
        if forward is None:
            raise refused(f"{type(self).__name__} has no `forward`")
        if self.define_subroutine and (exporter := _exporter()) is not None:
            return exporter.call_subroutine(self, args, kwargs)
        return forward(*args, **kwargs)

    def to(self, dtype: str | None = None) -> None:
        """Changes the data type of all weights and states."""
        for _, item in self._items():
            if isinstance(item, (Module, Parameter, Effect)):
                item.to(dtype)
        if dtype is not None and isinstance(getattr(self, "dtype", None), str):
            self.dtype = str(dtype)

    def export_tvm(
        self, spec: ModuleSpec | Mapping[str, Any], debug: bool = False, allow_extern: bool = False
    ) -> tuple[IRModule, list[tuple[str, Parameter]]] | tuple[IRModule, list[tuple[str, Parameter]], list[Any]]:
        """The module with a function for each method that `spec` names, and the weights that they take, in order.

        `spec` has the arguments of each method: `{"forward": {"x": nn.spec.Tensor(("n", 16), "float32"), "k": int}}`.
        Under `"$"` it may say how weights (`param_mode`) and states (`effect_mode`) come: `plain`, each as an argument,
        `packed`, as a tuple, or `none`. With `debug`, `op.print_` and `op.debug_func` have a state of their own. With
        `allow_extern` the third result is the list of external modules that are used.
        """
        from .exporter import Exporter
        from .spec import ModuleSpec

        module_spec = spec if isinstance(spec, ModuleSpec) else ModuleSpec.from_raw(spec, self)
        module, params, external = Exporter(debug=debug).build(module_spec)
        if allow_extern:
            return module, params, external
        if external:
            names = ", ".join(name for own in external for name in own.names)
            raise refused(f"{type(self).__name__} uses external modules ({names}): export it with `allow_extern=True`")
        return module, params

    def jit(
        self,
        spec: ModuleSpec | Mapping[str, Any],
        device: Any = "cpu",
        pipeline: Any = "default_build",
        out_format: str = "torch",
        debug: bool = False,
    ) -> Any:
        """The module compiled for this machine: `module.jit(spec)["forward"](x)` takes and gives PyTorch's tensors.

        With `out_format="numpy"` it takes and gives NumPy's arrays, and with `"tvm"` the results are the
        specification, the machine and the values of the weights.
        """
        from .jit import compile_module
        from .spec import ModuleSpec

        module_spec = spec if isinstance(spec, ModuleSpec) else ModuleSpec.from_raw(spec, self)
        return compile_module(self, module_spec, device, pipeline, out_format, debug)


def _values(given: Any) -> Any:
    if isinstance(given, Parameter):
        if given.data is None:
            raise refused("the weight that is given has no values itself")
        return given.data
    return given.detach() if hasattr(given, "detach") else given


class ModuleList(Module):
    """Modules in a list; called, they run one after the other."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self.modules = list(modules)

    def _items(self) -> Iterable[tuple[str, Any]]:
        return ((str(at), module) for at, module in enumerate(self.modules))

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules)

    def __getitem__(self, at: Any) -> Any:
        return self.modules[at]

    def __setitem__(self, at: int, module: Module) -> None:
        self.modules[at] = module

    def __len__(self) -> int:
        return len(self.modules)

    def append(self, module: Module) -> None:
        """Adds a module to the end."""
        self.modules.append(module)

    def forward(self, x: Any) -> Any:
        """What the last module makes of what the others before it do."""
        for module in self.modules:
            x = module(x)
        return x


class ModuleDict(Module):
    """Modules by name; called, they run one after the other."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        self.modules = OrderedDict(modules or {})

    def _items(self) -> Iterable[tuple[str, Any]]:
        return self.modules.items()

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules.values())

    def __getitem__(self, key: str) -> Module:
        return self.modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.modules[key] = module

    def __len__(self) -> int:
        return len(self.modules)

    def __contains__(self, key: str) -> bool:
        return key in self.modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self.modules.keys()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self.modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self.modules.items()

    def get(self, key: str, default: Module | None = None) -> Module | None:
        """The module of that name, else the default."""
        return self.modules.get(key, default)

    def update(self, modules: Mapping[str, Module]) -> None:
        """Adds modules, or replaces others."""
        self.modules.update(modules)

    def clear(self) -> None:
        """Drops all modules."""
        self.modules.clear()

    def pop(self, key: str) -> Module:
        """Takes a module out."""
        return self.modules.pop(key)

    def forward(self, x: Any) -> Any:
        """What the last module makes of what the others before it do."""
        for module in self.modules.values():
            x = module(x)
        return x


def _exporter() -> Exporter | None:
    from .exporter import Exporter

    return Exporter.current()
