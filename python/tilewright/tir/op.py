"""Operators and intrinsics as Python functions: `tir.exp(x)`, `tir.if_then_else(c, a, b)`."""

from __future__ import annotations

import math
from functools import partial, reduce
from inspect import Parameter, Signature
from typing import Any

from .. import _core
from ..ir.op import Op
from .expr import Broadcast, Call, IntImm, Max, Mod, Select, StringImm, Var

_UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "clz", "cos", "cosh", "erf", "exp", "exp10",
    "exp2", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "nearbyint", "popcount",
    "round", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
_BINARY = {
    "atan2": ("x1", "x2"), "copysign": ("x1", "x2"), "hypot": ("x1", "x2"), "nextafter": ("x1", "x2"),
    "pow": ("x", "y"),
}  # fmt: skip
_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right")
# What functions that are for floats make of an integer: itself, or what holds of all integers.
_ROUNDED = ("ceil", "floor", "nearbyint", "round", "trunc")
_SPECIAL = {"isfinite": True, "isinf": False, "isnan": False}


def _matching(values: tuple[Any, ...]) -> list[Any]:
    """Several values meet in one type as operands do."""
    return _core.of_one_type(*values) if len(values) > 1 else list(values)


def _function(name: str, names: tuple[str, ...], made: Any) -> Any:
    """A function of expressions, which have these names."""
    own = [Parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in names]
    signature = Signature([*own, Parameter("span", Parameter.POSITIONAL_OR_KEYWORD, default=None)])

    def call(*args: Any, **named: Any) -> Any:
        try:
            given = signature.bind(*args, **named).arguments
        except TypeError as error:
            raise TypeError(f"tir.{name}: {error}") from None
        return made(*(given[one] for one in names))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`T.{name}` of {'one expression' if len(names) == 1 else f'{len(names)} expressions'}."
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _intrinsic(name: str, *names: str) -> Any:
    def made(*args: Any) -> Any:
        known = _of_integer(name, args[0])
        return _core.call_tir_op(name, _matching(args)) if known is None else known

    return _function(name, names, made)


def _of_integer(name: str, value: Any) -> Any:
    """What a function for floats makes of an integer; None of other values."""
    dtype = "int32" if isinstance(value, int) else str(getattr(value, "dtype", ""))
    if (name in _ROUNDED and "int" in dtype) or (name == "abs" and dtype.startswith("uint")):
        return _core.to_expr(value)
    if name not in _SPECIAL or "int" not in dtype:
        return None
    return const(_SPECIAL[name], "bool" + "".join(dtype.partition("x")[1:]))


globals().update({name: _intrinsic(name, "x") for name in _UNARY})
globals().update({name: _intrinsic(name, *names) for name, names in _BINARY.items()})
globals().update({name: _function(name, ("x", "y"), partial(_core.operate, name)) for name in _BITWISE})
fma = _intrinsic("fma", "x", "y", "z")
fabs = globals()["abs"]
power = globals()["pow"]


def fmod(x: Any, y: Any, span: object = None) -> Any:
    """The remainder of `x / y` rounded towards zero: the sign of `x`."""
    return Mod(*_matching((x, y)))


def ldexp(x1: Any, x2: Any, span: object = None) -> Any:
    """`x1 * 2**x2`."""
    return x1 * globals()["exp2"](_core.to_expr(x2).astype(x1.dtype))


def if_then_else(cond: Any, t: Any, f: Any, span: object = None) -> Any:
    """One of two values; only the one that is taken is evaluated."""
    return _core.call_tir_op("if_then_else", [cond, *_matching((t, f))])


def bitwise_not(x: Any, span: object = None) -> Any:
    """Every bit the other way round."""
    return ~x


def likely(cond: Any, span: object = None) -> Any:
    """The condition itself: nothing is made of the hint."""
    return cond


def floordiv(a: Any, b: Any, span: object = None) -> Any:
    """`a // b`, rounded down."""
    return _core.operate("FloorDiv", a, b)


def floormod(a: Any, b: Any, span: object = None) -> Any:
    """The remainder of `floordiv`."""
    return _core.operate("FloorMod", a, b)


def truncdiv(a: Any, b: Any, span: object = None) -> Any:
    """`a / b`, rounded towards zero."""
    return _core.operate("Div", a, b)


def truncmod(a: Any, b: Any, span: object = None) -> Any:
    """The remainder of `truncdiv`."""
    return _core.operate("Mod", a, b)


def div(a: Any, b: Any, span: object = None) -> Any:
    """`a / b` as C has it."""
    return _core.operate("Div", a, b)


def indexdiv(a: Any, b: Any, span: object = None) -> Any:
    """`a // b` of indices, which are not negative."""
    return _core.operate("FloorDiv", a, b)


def indexmod(a: Any, b: Any, span: object = None) -> Any:
    """`a % b` of indices, which are not negative."""
    return _core.operate("FloorMod", a, b)


def ceildiv(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`a / b`, rounded up."""
    return _core.operate("FloorDiv", lhs + (rhs - 1), rhs)


def logaddexp(a: Any, b: Any, span: object = None) -> Any:
    """`log(exp(a) + exp(b))`, without what overflows on the way."""
    a, b = _matching((a, b))
    distance = globals()["abs"](a - b)
    apart = Max(a, b) + globals()["log1p"](globals()["exp"](-distance))
    # Of two equal infinities the distance is no number.
    return Select(_core.operate("EQ", a, b), a + const(math.log(2), a.dtype), apart)


def min(*args: Any, span: object = None) -> Any:
    """The smallest of the values."""
    return reduce(partial(_core.operate, "Min"), args)


def max(*args: Any, span: object = None) -> Any:
    """The largest of the values."""
    return reduce(partial(_core.operate, "Max"), args)


def all(*args: Any, span: object = None) -> Any:
    """Whether every condition holds, as an expression."""
    return reduce(partial(_core.operate, "And"), args) if args else IntImm("bool", 1)


def any(*args: Any, span: object = None) -> Any:
    """Whether some condition holds, as an expression."""
    return reduce(partial(_core.operate, "Or"), args) if args else IntImm("bool", 0)


def reinterpret(dtype: str, value: Any, span: object = None) -> Any:
    """The bits of the value as another type of as many bits."""
    return Call(dtype, Op.get("tir.reinterpret"), [value])


def address_of(buffer_load: Any, span: object = None) -> Any:
    """The address of an element, as an argument of a foreign call."""
    load = buffer_load[(0,) * len(buffer_load.shape)] if hasattr(buffer_load, "shape") else buffer_load
    return Call("handle", Op.get("tir.address_of"), [load])


def call_extern(dtype: str, func_name: str, *args: Any, span: object = None) -> Any:
    """A call of a C function by its symbol."""
    return Call(dtype, Op.get("tir.call_extern"), [StringImm(func_name), *args])


def call_pure_extern(dtype: str, func_name: str, *args: Any, span: object = None) -> Any:
    """A call of a C function whose result follows from its operands, and that does nothing else."""
    return Call(dtype, Op.get("tir.call_pure_extern"), [StringImm(func_name), *args])


def call_packed(*args: Any, span: object = None) -> Any:
    """A call of a function that is registered with the runtime; the first argument is its name."""
    name, *rest = args
    return Call("int32", Op.get("tir.tvm_call_packed"), [StringImm(name), *rest])


def call_llvm_intrin(dtype: str, name: str, *args: Any, span: object = None) -> Any:
    """A call of an intrinsic of LLVM. A leading number of signature arguments is accepted."""
    return Call(dtype, Op.get("tir.call_llvm_intrin"), [StringImm(name), *args])


call_llvm_pure_intrin = call_llvm_intrin


def call_intrin(dtype: str, func_name: str | Op, *args: Any, span: object = None) -> Any:
    """A call of an intrinsic by its name, such as `tir.exp`."""
    return Call(dtype, func_name if isinstance(func_name, Op) else Op.get(func_name), list(args))


def tvm_storage_sync(scope: str) -> Any:
    """Every thread of the scope waits here for the others."""
    return _core.call_tir_op("tvm_storage_sync", [StringImm(scope)])


def const(value: Any, dtype: str | None = None, span: object = None) -> Any:
    """A constant of a type: by default int32, float32 or bool; of a type with lanes, the same in each of them."""
    element, _, lanes = str(dtype or "").partition("x")
    if lanes.isdecimal() and isinstance(value, (bool, int, float)):
        return Broadcast(_core.to_expr(value, element), int(lanes))
    return _core.to_expr(value, dtype)


def convert(value: Any) -> Any:
    """A number as an expression; an expression stays itself."""
    return _core.to_expr(value)


def _bounds(dtype: str) -> tuple[Any, Any]:
    kind, bits = dtype.rstrip("0123456789"), int(dtype.lstrip("abcdefghijklmnopqrstuvwxyz") or 8)
    if kind == "int":
        return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    if kind in ("uint", "bool"):
        return 0, (1 if kind == "bool" else 2**bits - 1)
    largest = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}.get(
        dtype, 1.7976931348623157e308
    )
    return -largest, largest


def min_value(dtype: str, span: object = None) -> Any:
    """The least finite value of a type."""
    return _constant(_bounds(dtype)[0], dtype)


def max_value(dtype: str, span: object = None) -> Any:
    """The greatest finite value of a type."""
    return _constant(_bounds(dtype)[1], dtype)


def infinity(dtype: str, span: object = None) -> Any:
    """Positive infinity."""
    return _constant(float("inf"), dtype)


def _constant(value: Any, dtype: str) -> Any:
    from .expr import FloatImm

    return FloatImm(dtype, value) if isinstance(value, float) else IntImm(dtype, value)


def ret(val: Any, span: object = None) -> Any:
    """The end of a function for targets that have one; on a processor results are written to buffers."""
    return _core.call_tir_op("ret", [_core.to_expr(val)])


def undef(span: object = None) -> Any:
    """An undefined value: an int32."""
    return Call("int32", Op.get("tir.undef"), [])


def comm_reducer(fcombine: Any, fidentity: Any, name: str = "reduce") -> Any:
    """A way to reduce: a function of two values, and one that gives the value of no elements for a type."""
    from .. import te

    return te.comm_reducer(fcombine, fidentity, name)


def sum(expr: Any, axis: Any = None, where: Any = None, init: Any = None, *args: Any) -> Any:
    """The sum over an axis, or over several."""
    from .. import te

    return te.sum(expr, axis, where, init, *args)


#: The names of the operands of operations that programs give by name.
_OPERANDS = {
    "assume": ("cond",), "end_profile_intrinsic": ("id",), "isnullptr": ("x",), "lookup_param": ("param_name",),
    "start_profile_intrinsic": ("id",), "tvm_access_ptr": ("ptype", "data", "offset", "extent", "rw_mask"),
    "tvm_stack_alloca": ("dtype_str", "num"), "tvm_thread_invariant": ("cond",),
}  # fmt: skip


def _operation(name: str) -> Any:
    names = _OPERANDS.get(name, ())

    def call(*args: Any, span: object = None, **named: Any) -> Any:
        for operand in names[len(args) :]:
            if operand in named:
                args = (*args, named.pop(operand))
        if named:
            raise TypeError(f"`{name}` has no operand `{next(iter(named))}`")
        operands = [StringImm(arg) if isinstance(arg, str) else _core.to_expr(arg) for arg in args]
        return _core.call_tir_op(name, operands)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`T.{name}` of these operands."
    return call


# Operations of targets, whose results the core's table of them says.
_OF_TARGETS = (
    "assume", "call_cpacked", "end_profile_intrinsic", "isnullptr", "lookup_param", "start_profile_intrinsic",
    "tvm_access_ptr", "tvm_stack_alloca", "tvm_thread_allreduce", "tvm_thread_invariant", "tvm_throw_last_error",
    "tvm_tuple",
)  # fmt: skip
for _name in _OF_TARGETS:
    globals()[_name] = _operation(_name)


def var(name: str = "tindex", dtype: str = "int32") -> Var:
    """A variable."""
    return Var(name, dtype)


__all__ = [
    *_UNARY, *_BINARY, *_BITWISE, *_OF_TARGETS, "address_of", "all", "any", "bitwise_not", "call_extern", "call_intrin",
    "call_llvm_intrin", "call_llvm_pure_intrin", "call_packed", "call_pure_extern", "ceildiv", "comm_reducer",
    "const", "convert", "div", "fabs", "floordiv", "floormod", "fma", "fmod", "if_then_else", "indexdiv", "indexmod",
    "infinity", "ldexp", "likely", "logaddexp", "max", "max_value", "min", "min_value", "power", "reinterpret", "ret",
    "truncdiv", "truncmod", "tvm_storage_sync", "undef",
]  # fmt: skip
