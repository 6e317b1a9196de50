"""Patterns of graph expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..._core import DFPattern, make_fused_bias_activation_pattern
from ...error import TVMError
from .context import PatternContext

__all__ = [
    "DFPattern", "PatternSeq", "is_call_dps_packed", "is_call_packed", "is_call_tir", "is_const", "is_dfv", "is_expr",
    "is_gv", "is_op", "is_shape", "is_tuple", "is_tuple_get_item", "is_var", "make_fused_bias_activation_pattern",
    "wildcard",
]  # fmt: skip


def wildcard() -> DFPattern:
    """Anything."""
    return DFPattern._wildcard()


def is_op(op_name: str) -> Any:
    """An operator by its name; called with patterns of its arguments, a call of it.

    `relax.call_tir`, `relax.call_dps_packed` and `relax.call_pure_packed` take a pattern of the function, such as
    `GlobalVarPattern()`, and then one of the arguments.
    """
    sort = _CROSSINGS.get(op_name.removeprefix("relax.")) if isinstance(op_name, str) else None
    return DFPattern._op(op_name) if sort is None else _Crossing(sort)


def is_const() -> DFPattern:
    """A constant."""
    return DFPattern._const()


def is_expr(expr: Any) -> DFPattern:
    """This very expression, or one of the same structure."""
    return DFPattern._expr(expr)


def is_var(name: str = "") -> DFPattern:
    """A variable, of this name."""
    return DFPattern._named("var", name)


def is_dfv(name: str = "") -> DFPattern:
    """A variable that is visible only in its dataflow block, of this name."""
    return DFPattern._named("dataflow_var", name)


def is_gv(name: str = "") -> DFPattern:
    """A function of the module, of this name."""
    return DFPattern._named("global_var", name)


def is_shape(shape: Sequence[Any]) -> DFPattern:
    """A shape value with these dimensions."""
    return DFPattern._shape(list(shape))


def is_tuple(fields: Sequence[DFPattern], unordered: bool = False) -> DFPattern:
    """A tuple of what matches the fields, in this order or in any."""
    return DFPattern._tuple(list(fields), unordered)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> DFPattern:
    """A field of a tuple."""
    return DFPattern._tuple_get(tuple_value, None if index is None or index < 0 else index)


def _cross(sort: str, name: str, args: Any) -> DFPattern:
    if isinstance(args, DFPattern):
        parts = args._tuple_fields()
        args = [args] if parts is None else parts
    return _noted(DFPattern._cross_call(sort, name, None if args is None else list(args)))


#: What crosses the levels, and its sort of call.
_CROSSINGS = {"call_tir": "call_tir", "call_dps_packed": "call_dps_packed", "call_pure_packed": "call_packed"}


class _Crossing:
    """An operator that calls a function of another level: no expression, so that only its calls are patterns."""

    def __init__(self, sort: str) -> None:
        self.sort = sort

    def __call__(self, *args: DFPattern, varg_default_wildcard: bool = False, add_constraint: bool = True) -> DFPattern:
        """A call of a function that `args[0]` describes, with the arguments that the others do."""
        name = "" if not args else getattr(args[0], "name", None) or getattr(args[0], "global_symbol", None) or ""
        if self.sort == "call_packed":
            made = list(args[1:]) if args and not varg_default_wildcard else None
        else:
            made = args[1]._tuple_fields() if len(args) > 1 else None
        return _noted(DFPattern._cross_call(self.sort, name, made))


def is_call_tir(func_name: str = "", args: Any = None, tir_vars: Any = None) -> DFPattern:
    """A call of a PrimFunc, by its name."""
    return _cross("call_tir", func_name, args)


def is_call_dps_packed(func_name: str = "", args: Any = None) -> DFPattern:
    """A call of a registered function in destination-passing style, by its name."""
    return _cross("call_dps_packed", func_name, args)


def is_call_packed(func_name: str = "", args: Any = None) -> DFPattern:
    """A call of a registered function, by its name."""
    return _cross("call_packed", func_name, args)


def _noted(pattern: DFPattern) -> DFPattern:
    if (context := PatternContext.current()) is not None:
        context.add(pattern)
    return pattern


def _connect(producer: DFPattern, consumer: DFPattern, index: int, only: bool) -> None:
    context = PatternContext.current()
    if context is None:
        raise TVMError("who uses whom is said in a context: `with PatternContext() as ctx:`")
    context.connect(producer, consumer, index, only)


class PatternSeq:
    """Patterns of which each is used by the next."""

    def __init__(self, patterns: Sequence[DFPattern], only_use: bool = False) -> None:
        self.patterns = list(patterns)
        for producer, consumer in pairwise(self.patterns):
            _connect(producer, consumer, -1, only_use)

    def __getitem__(self, index: int) -> DFPattern:
        return self.patterns[index]

    def __len__(self) -> int:
        return len(self.patterns)

    def used_by(self, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
        """The last one is used by the first of the others."""
        return self._chain(other, index, False)

    def only_used_by(self, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
        """The first of the others is the only user of the last one."""
        return self._chain(other, index, True)

    def _chain(self, other: DFPattern | PatternSeq, index: int, only: bool) -> PatternSeq:
        following = other.patterns if isinstance(other, PatternSeq) else [other]
        _connect(self.patterns[-1], following[0], index, only)
        return PatternSeq._of([*self.patterns, *following])

    @classmethod
    def _of(cls, patterns: list[DFPattern]) -> PatternSeq:
        """Patterns that are connected already."""
        self = cls([])
        self.patterns = patterns
        return self

    def dup(self) -> PatternSeq:
        """The same chain of patterns with identities of their own; only used in a row."""
        return PatternSeq([pattern.dup() for pattern in self.patterns], only_use=True)

    def __xor__(self, other: DFPattern | PatternSeq) -> PatternSeq:
        return self.used_by(other)

    def __rshift__(self, other: DFPattern | PatternSeq) -> PatternSeq:
        return self.only_used_by(other)


def _call(self: DFPattern, *args: Any, varg_default_wildcard: bool = False, add_constraint: bool = True) -> DFPattern:
    """A call of what this describes with these arguments; with `varg_default_wildcard` they are only the first ones."""
    return _noted(self._call(args, varg_default_wildcard))


def _operator(name: str, *, reflected: bool = False) -> Callable[[DFPattern, Any], DFPattern]:
    def apply(self: DFPattern, other: Any) -> DFPattern:
        return is_op(f"relax.{name}")(*((other, self) if reflected else (self, other)))

    return apply


def _used_by(self: DFPattern, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
    """The value of this is used by that of the other one."""
    return PatternSeq([self]).used_by(other, index)


def _only_used_by(self: DFPattern, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
    """The value of this is used by that of the other one only."""
    return PatternSeq([self]).only_used_by(other, index)


def _optional(self: DFPattern, option_constructor: Callable[[DFPattern], DFPattern]) -> DFPattern:
    """This, with or without what is made around it."""
    return option_constructor(self) | self


def _fork_to(self: DFPattern, *args: DFPattern) -> None:
    """The value of this is used by those of each of the others."""
    for other in args:
        _connect(self, other, -1, False)


# Python's own operators and the methods that need a context belong to the class of patterns.
for _name, _method in {
    "__call__": _call,
    "__add__": _operator("add"),
    "__radd__": _operator("add", reflected=True),
    "__sub__": _operator("subtract"),
    "__mul__": _operator("multiply"),
    "__truediv__": _operator("divide"),
    "__xor__": _used_by,
    "__rshift__": _only_used_by,
    "used_by": _used_by,
    "only_used_by": _only_used_by,
    "optional": _optional,
    "fork_to": _fork_to,
}.items():
    setattr(DFPattern, _name, _method)


def __getattr__(name: str) -> object:
    """The classes of patterns, which `kinds` makes of what is here."""
    from . import kinds

    if name in kinds.__all__:
        return getattr(kinds, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
