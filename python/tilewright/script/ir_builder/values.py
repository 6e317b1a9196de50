"""`T`: variables, constants, data types and operations of targets, which are no statements."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ... import tir as _tir
from ...error import TVMError
from ...tir import op as _op
from ...tir.expr import IterVar, Var

__all__ = [
    "Ptr", "boolean", "broadcast", "buffer_var", "cast", "dtype", "handle", "index_map", "iter_var", "logical_and",
    "logical_not", "logical_or", "meta_var", "ptr", "ramp", "target", "tvm_call_packed", "var", "void",
]  # fmt: skip


def ptr(dtype: str, storage_scope: str = "global", is_size_var: bool = False) -> Var:
    """A variable for an address. What lies there, and where, say the buffers over it: `T.decl_buffer(…, data=…)`."""
    return handle(dtype, storage_scope, is_size_var=is_size_var)


Ptr = ptr


def handle(dtype: str | None = None, storage_scope: str = "global", *, is_size_var: bool = False) -> Var:
    """A variable for an address. What lies there, and where, say the buffers over it: `T.decl_buffer(…, data=…)`."""
    if is_size_var:
        raise TVMError("an address is no size")
    return Var("handle", "handle")


def _typed(dtype: str) -> Callable[..., Any]:
    def make(expr: Any = None, is_size_var: bool = False) -> Any:
        if expr is None:
            return _tir.SizeVar("v", dtype) if is_size_var else Var("v", dtype)
        if isinstance(expr, str) and "float" in dtype:
            expr = float(expr)
        return expr.astype(dtype) if hasattr(expr, "astype") else _op.const(expr, dtype)

    make.__name__ = dtype
    make.__doc__ = f"A constant of type {dtype}, a conversion to it, or without an argument a variable of it."
    return make


def boolean(expr: Any = None, is_size_var: bool = False) -> Any:
    """A truth value, a conversion to one, or without an argument a variable of one."""
    return _typed("bool")(expr, is_size_var)


def void() -> Any:
    """A variable without a value."""
    return Var("v", "void")


def var(dtype: str, name: str = "") -> Var:
    """A variable."""
    return Var(name, dtype)


def meta_var(value: Any) -> Any:
    """The value itself: in a text it gets no variable of its own."""
    return value


def index_map(mapping: Any) -> Any:
    """A map of indices."""
    return _tir.IndexMap.from_func(mapping)


def target(target_config: Any, host: Any = None) -> Any:
    """The description of a machine."""
    from ...target import Target

    return Target(target_config, host)


def iter_var(var: Any, dom: Any, iter_type: str, thread_tag: str = "") -> IterVar:
    """A variable with its range."""
    kinds = {"DataPar": 0, "ThreadIndex": 1, "CommReduce": 2, "Ordered": 3, "Opaque": 4, "Unrolled": 5}
    return IterVar(dom, var, kinds.get(iter_type, IterVar.Opaque), thread_tag)


def buffer_var(dtype: str, storage_scope: str = "global") -> Var:
    """A variable for an address."""
    return handle(dtype, storage_scope)


def ramp(base: Any, stride: Any, lanes: Any) -> Any:
    """A vector of equidistant values."""
    return _tir.Ramp(base, stride, lanes)


def broadcast(value: Any, lanes: Any) -> Any:
    """A vector of one value."""
    return _tir.Broadcast(value, lanes)


def cast(value: Any, dtype: str) -> Any:
    """The value in another type."""
    return _op.const(value, dtype) if isinstance(value, (int, float)) else value.astype(dtype)


def dtype(name: str) -> str:
    """A data type."""
    return name


def logical_and(a: Any, b: Any) -> Any:
    """Whether both hold."""
    return _tir.And(a, b)


def logical_or(a: Any, b: Any) -> Any:
    """Whether one holds."""
    return _tir.Or(a, b)


def logical_not(a: Any) -> Any:
    """Whether it does not hold."""
    return _tir.Not(a)


def _operation(name: str) -> Callable[..., Any]:
    """An operation of some target, whose result's type may also be given last, as `dtype=`."""
    function = getattr(_op, name)

    @wraps(function)
    def call(*args: Any, dtype: str | None = None, **named: Any) -> Any:
        return function(*args, **named) if dtype is None else function(dtype, *args, **named)

    return call


for _name in _op.OF_TARGETS:
    globals()[_name] = _operation(_name)
__all__ += list(_op.OF_TARGETS)
tvm_call_packed = _op.call_packed

_TYPES = [
    f"{kind}{bits}{lanes}"
    for kind, widths in {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}.items()
    for bits in widths
    for lanes in ("", "x4", "x8", "x16", "x32", "x64")
] + ["bfloat16", "e4m3_float8", "e5m2_float8"]
for _name in _TYPES:
    globals()[_name] = _typed(_name)
globals()["bool"] = _typed("bool")
__all__ += [*_TYPES, "bool"]
