"""From a module and the specification of its methods to graph functions.

Each method becomes a function whose parameters are its arguments, then the states (`Effect`), then the weights; its
attribute `num_input` counts all but the weights. A function with states gives a pair: the result of the method and a
tuple of the states. Symbolic dimensions of one name are one variable in a function, and another one in the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from ....error import TVMError
from ....ir import structural_equal
from ....ir.module import IRModule
from ....tir.expr import Var as DimVar
from ...block_builder import BlockBuilder
from ...expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from ...struct_info import (
    ObjectStructInfo,
    PrimStructInfo,
    ShapeStructInfo,
    TensorStructInfo,
    TupleStructInfo,
)
from . import spec as _spec
from .core import _PACKAGE, Effect, Module, Object, Parameter, Tensor, members, named_dims, refused, unwrap, wrap

if TYPE_CHECKING:
    from .extern import ExternModule
    from .spec import MethodSpec, ModuleSpec

__all__ = ["Exporter"]


class Exporter:
    """Writes the functions of one module."""

    _open: ClassVar[list[Exporter]] = []

    def __init__(self, debug: bool = False) -> None:
        from .modules import IOEffect

        self.builder = BlockBuilder()
        self.io_effect = IOEffect() if debug else None
        self._weights: dict[int, Expr] | None = None
        self._absent = ""
        self._external: list[ExternModule] = []
        self._subroutines: dict[str, list[tuple[Function, Any]]] = {}

    @staticmethod
    def current() -> Exporter | None:
        """The exporter that is at work, if there is one."""
        return Exporter._open[-1] if Exporter._open else None

    def add_external_module(self, module: ExternModule) -> None:
        """Notes that the functions that are written call this module's."""
        if not any(own is module for own in self._external):
            self._external.append(module)

    def weight(self, parameter: Parameter) -> Expr:
        """The variable of a weight in the function that is being written."""
        if self._weights is None:
            return parameter._value
        found = self._weights.get(id(parameter))
        if found is None:
            raise refused(f"the weight that is declared at {parameter._place} {self._absent}")
        return found

    def build(self, spec: ModuleSpec) -> tuple[IRModule, list[tuple[str, Parameter]], list[ExternModule]]:
        """The module, the weights that its functions take in order, and the external modules that they call."""
        params = list(spec.module.named_parameters())
        states = [("", self.io_effect)] if self.io_effect is not None else []
        seen: set[int] = set()
        for name, effect in members(spec.module, "", Effect):
            if id(effect) not in seen:
                seen.add(id(effect))
                states.append((name, effect))
        Exporter._open.append(self)
        try:
            if states:
                self._write_first_states(states)
            for name, method in zip(spec.method_names, spec.method_specs, strict=True):
                with _located(f"{type(spec.module).__name__}.{name}"):
                    self._write_method(name, method, params, states)
            return self.builder.finalize(), params, self._external
        finally:
            self._weights = None
            Exporter._open.pop()

    def _write_first_states(self, states: Sequence[tuple[str, Effect]]) -> None:
        bb = self.builder
        with bb.function("_initialize_effect", []):
            with bb.dataflow():
                made = [var for name, effect in states for var in effect.emit_init(name, bb)]
                output = bb.emit_output(Tuple(made))
            bb.emit_func_output(output)

    def _write_method(
        self,
        name: str,
        method: MethodSpec,
        params: Sequence[tuple[str, Parameter]],
        states: Sequence[tuple[str, Effect]],
    ) -> None:
        bb, known = self.builder, {}
        arguments = [_Argument(own, of, known) for own, of in zip(method.arg_names, method.arg_specs, strict=True)]
        states = [] if method.effect_mode == "none" else states
        state_vars = [effect.create(own) for own, effect in states]
        weight_vars = [parameter.variable(own, known) for own, parameter in params]
        inputs = [argument.var for argument in arguments]
        inputs += _passed(method.effect_mode, "packed_effects", [var for own in state_vars for var in own], states)
        count = len(inputs)
        inputs += _passed(method.param_mode, "packed_params", weight_vars, params)
        with bb.function(name, inputs, attrs={"num_input": count}):
            with bb.dataflow():
                if method.effect_mode == "packed" and states:
                    self._unpack_states(inputs[count - 1], states, state_vars)
                if method.param_mode == "packed":
                    weight_vars = [
                        bb.emit(TupleGetItem(inputs[-1], at), own) for at, (own, _) in enumerate(params)
                    ]  # fmt: skip
                self._begin_weights(method.param_mode, params, weight_vars)
                values = {own: argument.value for own, argument in zip(method.arg_names, arguments, strict=True)}
                result = returned(method.method(**values))
                if states:
                    result = Tuple([result, Tuple([var for _, effect in states for var in effect.finalize()])])
                output = bb.emit_output(result)
            bb.emit_func_output(output)

    def _unpack_states(self, packed: Var, states: Sequence[tuple[str, Effect]], variables: list[list[Var]]) -> None:
        at = 0
        for (name, effect), own in zip(states, variables, strict=True):
            effect.set_state([self.builder.emit(TupleGetItem(packed, at + i), name) for i in range(len(own))])
            at += len(own)

    def _begin_weights(self, mode: str, params: Sequence[tuple[str, Parameter]], variables: Sequence[Expr]) -> None:
        if mode == "none":
            self._weights, self._absent = {}, 'is used, but `param_mode` is "none": the function gets no weights'
            return
        self._weights = {id(parameter): var for (_, parameter), var in zip(params, variables, strict=True)}
        self._absent = (
            "is used, but it is no attribute of the exported module or of a module in it; modules in a plain list or "
            "dict are not found: use nn.ModuleList or nn.ModuleDict"
        )

    def call_subroutine(self, module: Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Calls the function that the module is, which is written where there is none like it yet.

        Tensors and objects among the arguments become parameters, others are as they are. A module with states is
        written in the place of the call, as is every one in a function that hands the state of the world on.
        """
        forward = module.forward
        if self.io_effect is not None or next(members(module, "", Effect), None) is not None:
            return forward(*args, **kwargs)
        given: list[Expr] = []
        params: list[Var] = []

        def parameter(value: Any, name: str) -> Any:
            if isinstance(value, (list, tuple)):
                return type(value)(parameter(own, name) for own in value)
            if not isinstance(value, (Tensor, Object)):
                return value
            given.append(value._expr)
            params.append(Var(name, value._expr.struct_info))
            return wrap(params[-1], name) if isinstance(value, Tensor) else type(value)(_expr=params[-1], _name=name)

        inner_args = [parameter(value, f"arg{at}") for at, value in enumerate(args)]
        inner_kwargs = {name: parameter(value, name) for name, value in kwargs.items()}
        weights = list(module.named_parameters())
        outer = self._weights
        given += [self.weight(own) for _, own in weights]
        inner = [Var(name, self.weight(own).struct_info) for name, own in weights]
        self._weights = {id(own): var for (_, own), var in zip(weights, inner, strict=True)}
        try:
            function = self._function(params + inner, lambda: forward(*inner_args, **inner_kwargs))
        finally:
            self._weights = outer
        name = _snake(type(module).__name__)
        return wrap(self.builder.emit(Call(self._shared(name, function), given), name), name)

    def _function(self, params: list[Var], body: Any) -> Function:
        bb = self.builder
        bb.begin_scope(params)
        bb._begin_sequence()
        try:
            with bb.dataflow():
                output = bb.emit_output(returned(body()))
            sequence = bb._end_sequence(output)
        except BaseException:
            bb._abandon()
            raise
        finally:
            bb.end_scope()
        return Function(params, sequence)

    def _shared(self, name: str, function: Function) -> Any:
        """The function of the module that is as this one, added where there is none."""
        known = self._subroutines.setdefault(name, [])
        for own, global_var in known:
            if structural_equal(own, function):
                return global_var
        known.append((function, self.builder.add_func(function, name)))
        return known[-1][1]


class _Argument:
    """The parameter of a function for an argument of a method, and what the method gets."""

    def __init__(self, name: str, spec: Any, known: dict[str, Any]) -> None:
        self.var = Var(name, _struct_info(name, spec, known))
        self.value = _value(name, spec, known, self.var)


def _struct_info(name: str, spec: Any, known: dict[str, Any]) -> Any:
    match spec:
        case _spec.Int():
            return ShapeStructInfo([known.setdefault(name, DimVar(name, "int64"))])
        case _spec.Tensor():
            return TensorStructInfo(named_dims(spec.shape, known), spec.dtype)
        case _spec.Tuple():
            return TupleStructInfo([_struct_info(f"{name}_{at}", own, known) for at, own in enumerate(spec)])
        case _spec.ConstInt() | _spec.ConstFloat():
            return PrimStructInfo(spec.dtype)
        case _:
            return ObjectStructInfo()


def _value(name: str, spec: Any, known: dict[str, Any], var: Expr) -> Any:
    match spec:
        case _spec.Int():
            return known[name]
        case _spec.Tensor():
            return Tensor(_expr=var)
        case _spec.Tuple():
            own = (_value(f"{name}_{at}", own, known, TupleGetItem(var, at)) for at, own in enumerate(spec))
            return tuple(own) if isinstance(spec.elements, tuple) else list(own)
        case _spec.Object():
            return spec.object_type(_expr=var, _name=name)
        case _:
            return Object(_expr=var, _name=name)


def _passed(mode: str, name: str, variables: list[Var], items: Sequence[Any]) -> list[Var]:
    """The parameters that hand on these values."""
    if mode == "packed" and (items or name == "packed_params"):
        return [Var(name, TupleStructInfo([var.struct_info for var in variables]))]
    return [] if mode == "none" else variables


def returned(value: Any) -> Expr:
    """What a method returns, as a value of the graph."""
    if isinstance(value, (list, tuple)) and not isinstance(value, Expr):
        return Tuple([returned(own) for own in value])
    value = unwrap(value)
    if not isinstance(value, Expr):
        raise refused(f"a method returns tensors, objects, and lists and tuples of them, found {value!r}")
    return value


def _snake(name: str) -> str:
    kept = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
    return kept or "subroutine"


@contextmanager
def _located(method: str) -> Iterator[None]:
    """Says of errors in a method where in the user's source they are."""
    try:
        yield
    except TVMError as error:
        if error.file is None and (place := _innermost(error)) is not None:
            error.file, error.line = place
            error.args = (f"{error}\n  at {place[0]}:{place[1]}",)
        error.add_note(f"while `{method}` is exported")
        raise


def _innermost(error: BaseException) -> tuple[str, int] | None:
    """The innermost line outside of this package that led to the error."""
    found, trace = None, error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] != _PACKAGE and module != "contextlib":
            found = (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found
