"""The kinds of patterns as classes: `isinstance(pattern, CallPattern)`, and a constructor each.

Every pattern is a `DFPattern`; which of these it also is, its kind says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

from ..._core import DFPattern
from . import pattern as made

__all__ = [
    "AndPattern", "AttrPattern", "CallPattern", "ConstantPattern", "DataTypePattern", "DataflowVarPattern",
    "ExprPattern", "ExternFuncPattern", "GlobalVarPattern", "NotPattern", "OrPattern", "PrimArrPattern",
    "ShapePattern", "StructInfoPattern", "TupleGetItemPattern", "TuplePattern", "UnorderedTuplePattern", "VarPattern",
    "WildcardPattern",
]  # fmt: skip


class _Kind(type):
    """A class whose instances are the patterns of its name, and whose call makes one."""

    made_by: Callable[..., DFPattern]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, DFPattern) and instance._kind() == cls.__name__

    def __call__(cls, *args: Any, **kwargs: Any) -> DFPattern:
        return cls.made_by(*args, **kwargs)


def _kind(name: str, doc: str, made_by: Callable[..., DFPattern]) -> type:
    said = {"__doc__": doc, "__module__": __name__, "__signature__": signature(made_by)}
    return _Kind(name, (), {**said, "made_by": staticmethod(made_by)})


def _call(op: DFPattern, args: Sequence[DFPattern] = (), varg_default_wildcard: bool = False) -> DFPattern:
    return op(*args, varg_default_wildcard=varg_default_wildcard)


WildcardPattern = _kind("WildcardPattern", "Anything.", made.wildcard)
ExprPattern = _kind("ExprPattern", "An operator, or this very expression.", made.is_expr)
ConstantPattern = _kind("ConstantPattern", "A constant.", made.is_const)
VarPattern = _kind("VarPattern", "A variable, of this name.", lambda name_hint="": made.is_var(name_hint))
DataflowVarPattern = _kind(
    "DataflowVarPattern", "A variable of a dataflow block, of this name.", lambda name_hint="": made.is_dfv(name_hint)
)
GlobalVarPattern = _kind(
    "GlobalVarPattern", "A function of the module, of this name.", lambda name_hint="": made.is_gv(name_hint)
)
ExternFuncPattern = _kind(
    "ExternFuncPattern",
    "A function of the runtime, of this name.",
    lambda global_symbol="": DFPattern._named("extern", global_symbol),
)
TuplePattern = _kind("TuplePattern", "A tuple of such fields, in order.", made.is_tuple)
UnorderedTuplePattern = _kind(
    "UnorderedTuplePattern", "A tuple of such fields in any order.", lambda fields: made.is_tuple(fields, True)
)
TupleGetItemPattern = _kind("TupleGetItemPattern", "A field of such a tuple.", made.is_tuple_get_item)
CallPattern = _kind("CallPattern", "A call of such a callee with such arguments.", _call)
PrimArrPattern = _kind("PrimArrPattern", "A shape value with these dimensions.", made.is_shape)
OrPattern = _kind("OrPattern", "One or the other.", lambda left, right: left | right)
AndPattern = _kind("AndPattern", "Both.", lambda left, right: left & right)
NotPattern = _kind("NotPattern", "Not that.", lambda to_reject: ~to_reject)
DataTypePattern = _kind("DataTypePattern", "With this element type.", lambda pattern, dtype: pattern.has_dtype(dtype))
ShapePattern = _kind("ShapePattern", "With these dimensions.", lambda pattern, shape: pattern.has_shape(shape))
AttrPattern = _kind("AttrPattern", "A call with these attributes.", lambda pattern, attrs: pattern.has_attr(attrs))
StructInfoPattern = _kind(
    "StructInfoPattern", "Of which at least this is known.", lambda pattern, info: pattern.has_struct_info(info)
)
