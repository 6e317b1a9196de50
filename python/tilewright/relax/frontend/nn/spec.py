"""What the arguments of a module's methods are: shapes and data types, and how weights and states come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from .core import Object as ObjectValue
from .core import refused

if TYPE_CHECKING:
    from .core import Module

__all__ = [
    "ConstFloat", "ConstInt", "ConstString", "Int", "MethodSpec", "ModuleSpec", "Object", "SpecAny", "Tensor", "Tuple",
]  # fmt: skip

_MODES = ("plain", "packed", "none")


class SpecAny:
    """What an argument is."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def __repr__(self) -> str:
        said = ", ".join(repr(value) for value in vars(self).values())
        return f"{type(self).__name__}({said})"


class Int(SpecAny):
    """An integer that shapes may use: the method gets a variable."""


class ConstInt(SpecAny):
    """An integer that no shape uses."""

    def __init__(self, dtype: str = "int64") -> None:
        self.dtype = str(dtype)


class ConstFloat(SpecAny):
    """A number."""

    def __init__(self, dtype: str = "float32") -> None:
        self.dtype = str(dtype)


class ConstString(SpecAny):
    """A text."""


class Tensor(SpecAny):
    """A tensor; dimensions may be names, which are the same variable wherever they occur in a method."""

    def __init__(self, shape: Sequence[Any], dtype: str) -> None:
        self.shape, self.dtype = list(shape), str(dtype)


class Object(SpecAny):
    """A value that is no tensor: the method gets it as an `object_type`, which is made of `_expr=` and `_name=`."""

    def __init__(self, object_type: type = ObjectValue) -> None:
        self.object_type = object_type


class Tuple(SpecAny):
    """Several values as one: the method gets a list or a tuple, as the specification is one."""

    def __init__(self, name: str, elements: Sequence[Any]) -> None:
        self.name = name
        kind = tuple if isinstance(elements, tuple) else list
        self.elements = kind(map(of_raw, elements))

    def __len__(self) -> int:
        return len(self.elements)

    def __getitem__(self, at: int) -> Any:
        return self.elements[at]

    def __iter__(self) -> Any:
        return iter(self.elements)


def of_raw(given: Any) -> SpecAny:
    """The specification that a short form means: `int`, `float`, `str`, a list of specifications, or itself."""
    if isinstance(given, SpecAny):
        return given
    if given is int:
        return Int()
    if given is float:
        return ConstFloat()
    if given is str:
        return ConstString()
    if isinstance(given, (list, tuple)):
        return Tuple("", given)
    raise refused(
        f"an argument is specified by nn.spec.Tensor, Int, Tuple, Object, ConstInt, ConstFloat or ConstString, by a "
        f"list of those, or by `int`, `float` or `str`; found {given!r}"
    )


class MethodSpec:
    """A method, its arguments in order, and how it gets weights and states."""

    def __init__(
        self,
        method: Callable[..., Any],
        arg_names: Sequence[str],
        arg_specs: Sequence[Any],
        param_mode: str = "plain",
        effect_mode: str = "plain",
    ) -> None:
        for name, mode in (("param_mode", param_mode), ("effect_mode", effect_mode)):
            if mode not in _MODES:
                raise refused(f"{name} is one of {', '.join(_MODES)}, found {mode!r}")
        self.method, self.arg_names = method, list(arg_names)
        self.arg_specs = [_named(of_raw(own), name) for name, own in zip(arg_names, arg_specs, strict=True)]
        self.param_mode, self.effect_mode = param_mode, effect_mode

    @staticmethod
    def from_raw(spec: MethodSpec | Mapping[str, Any], method: Callable[..., Any]) -> MethodSpec:
        """The specification of a method by the names of its arguments, `"$"` saying how weights and states come."""
        if isinstance(spec, MethodSpec):
            return spec
        if not isinstance(spec, Mapping):
            raise refused(f"`{_name(method)}` is specified by a dict of its arguments, found {spec!r}")
        config = dict(spec.get("$", {}))
        modes = {name: config.pop(name, "plain") for name in ("param_mode", "effect_mode")}
        if config:
            raise refused(f'`"$"` of `{_name(method)}` has param_mode and effect_mode, and no {", ".join(config)}')
        given = {name: own for name, own in spec.items() if name != "$"}
        names = _argument_names(method, given)
        return MethodSpec(method, names, [given[name] for name in names], **modes)

    def __repr__(self) -> str:
        args = ", ".join(f"{name}={own!r}" for name, own in zip(self.arg_names, self.arg_specs, strict=True))
        return f"{_name(self.method)}({args}, param_mode={self.param_mode}, effect_mode={self.effect_mode})"


def _named(spec: SpecAny, name: str) -> SpecAny:
    if isinstance(spec, Tuple) and not spec.name:
        spec.name = name
    return spec


def _name(method: Any) -> str:
    return getattr(method, "__qualname__", repr(method))


def _argument_names(method: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """The names of the arguments that are given, in the method's order."""
    parameters = signature(method).parameters
    open_ended = any(own.kind is own.VAR_KEYWORD for own in parameters.values())
    unknown = [name for name in given if name not in parameters]
    if unknown and not open_ended:
        raise refused(
            f"`{_name(method)}` has no argument {', '.join(unknown)}: it takes {', '.join(parameters) or 'none'}"
        )
    needed = [own.name for own in parameters.values() if own.default is own.empty and own.kind not in (2, 4)]
    if missing := [name for name in needed if name not in given]:
        raise refused(f"nothing is specified for the argument {', '.join(missing)} of `{_name(method)}`")
    return [name for name in parameters if name in given] + unknown


class ModuleSpec:
    """The methods of a module that become functions."""

    def __init__(self, module: Module, method_names: Sequence[str], method_specs: Sequence[MethodSpec]) -> None:
        self.module, self.method_names, self.method_specs = module, list(method_names), list(method_specs)

    @staticmethod
    def from_raw(spec: ModuleSpec | Mapping[str, Any], module: Module) -> ModuleSpec:
        """The specification by names of methods."""
        if isinstance(spec, ModuleSpec):
            return spec
        if not isinstance(spec, Mapping):
            raise refused(f"{type(module).__name__} is specified by a dict of its methods, found {spec!r}")
        specs = []
        for name, own in spec.items():
            method = getattr(module, name, None)
            if not callable(method):
                raise refused(f"{type(module).__name__} has no method `{name}`")
            specs.append(MethodSpec.from_raw(own, method))
        return ModuleSpec(module, list(spec), specs)

    def __repr__(self) -> str:
        methods = "".join(
            f"  {name}: {own!r}\n" for name, own in zip(self.method_names, self.method_specs, strict=True)
        )
        return f"ModuleSpec({type(self.module).__name__}:\n{methods})"
