"""Operators and intrinsics as Python functions: `tir.exp(x)`, `tir.if_then_else(c, a, b)`."""

from __future__ import annotations

import math
from ast import literal_eval
from functools import partial, reduce
from inspect import Parameter, Signature
from typing import Any

from .. import _core
from ..ir.op import Op
from ..runtime.data_type import DataType
from .expr import Broadcast, Call, IntImm, Max, Mod, Select, Shuffle, StringImm, Var

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


def add(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`lhs + rhs`."""
    return _core.operate("Add", lhs, rhs)


def subtract(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`lhs - rhs`."""
    return _core.operate("Sub", lhs, rhs)


def multiply(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`lhs * rhs`."""
    return _core.operate("Mul", lhs, rhs)


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
    if not args:
        raise ValueError("`all` takes at least one condition")
    return reduce(partial(_core.operate, "And"), args)


def any(*args: Any, span: object = None) -> Any:
    """Whether some condition holds, as an expression."""
    if not args:
        raise ValueError("`any` takes at least one condition")
    return reduce(partial(_core.operate, "Or"), args)


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


#: The greatest values of floats that have fewer than 64 bits.
_LARGEST = {
    "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float16": 65504.0, "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
}  # fmt: skip


def _bounds(dtype: str) -> tuple[Any, Any]:
    if dtype in _LARGEST:
        return -_LARGEST[dtype], _LARGEST[dtype]
    kind, bits = dtype.rstrip("0123456789"), int(dtype.lstrip("abcdefghijklmnopqrstuvwxyz") or 8)
    if kind == "int":
        return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    if kind in ("uint", "bool"):
        return 0, (1 if kind == "bool" else 2**bits - 1)
    return -1.7976931348623157e308, 1.7976931348623157e308


def min_value(dtype: str, span: object = None) -> Any:
    """The least finite value of a type."""
    dtype = str(DataType(dtype))
    return _constant(_bounds(dtype)[0], dtype)


def max_value(dtype: str, span: object = None) -> Any:
    """The greatest finite value of a type."""
    dtype = str(DataType(dtype))
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


#: The operations of targets and the names of their operands. `*` takes the rest, `name=8` may be left out; `dtype` is
#: the type of the result.
OF_TARGETS = {
    "TVMBackendAllocWorkspace": "device_type device_id nbytes dtype_code_hint dtype_bits_hint",
    "TVMBackendFreeWorkspace": "device_type device_id ptr",
    "anylist_getitem": "list_handle index",
    "anylist_resetitem": "list_handle index",
    "anylist_setitem_call_cpacked": "list_handle index func_name *",
    "anylist_setitem_call_packed": "list_handle index func_name *",
    "assume": "cond",
    "call_cpacked": "*",
    "call_cpacked_lowered": "*",
    "call_packed_lowered": "*",
    "create_barriers": "barrier_count",
    "end_profile_intrinsic": "id",
    "isnullptr": "x",
    "lookup_param": "param_name",
    "make_filled_simdgroup_matrix": "d index value col=8 row=8",
    "mma_fill": "dtype local_size local_ptr offset",
    "mma_store": "dtype m n dst_ptr src_ptr src_offset dst_stride",
    "ptx_arrive_barrier": "barrier_id",
    "ptx_arrive_barrier_expect_tx": "barrier_id byte_count",
    "ptx_commit_group": "",
    "ptx_cp_async": "dtype shared_ptr shared_offset global_ptr global_offset bytes *",
    "ptx_cp_async_barrier": "barrier_id",
    "ptx_cp_async_bulk": "dtype shared_ptr shared_offset global_ptr global_offset bytes barrier_id",
    "ptx_init_barrier_thread_count": "barrier_id thread_count",
    "ptx_ldmatrix": "dtype trans num type local_ptr local_offset smem_ptr smem_offset",
    "ptx_mma": "dtype shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index "
    "accumulator c_index saturate operator=",
    "ptx_mma_sp": "dtype shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index "
    "accumulator c_index metadata meta_index sparse_selector saturate",
    "ptx_wait_barrier": "barrier_id",
    "ptx_wait_group": "num",
    "simdgroup_load": "d index ptr stride col=8 row=8 transpose_matrix=False",
    "simdgroup_multiply_accumulate": "d index_d a index_a b index_b c index_c",
    "simdgroup_store": "d index ptr stride col=8 row=8 transpose_matrix=False",
    "start_profile_intrinsic": "id",
    "tvm_access_ptr": "ptype data offset extent rw_mask",
    "tvm_bmma_sync": "fragment_d index_d fragment_a index_a fragment_b index_b fragment_c index_c",
    "tvm_check_return": "expected return_unexpected nested_call",
    "tvm_fill_fragment": "fragment m n k index value",
    "tvm_load_matrix_sync": "fragment m n k index buffer_ptr stride layout",
    "tvm_mfma": "dtype shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b b_index "
    "accumulator c_index",
    "tvm_mfma_store": "dtype m n dst_ptr src_ptr src_offset dst_stride",
    "tvm_mma_sync": "fragment_d index_d fragment_a index_a fragment_b index_b fragment_c index_c",
    "tvm_rdna_wmma": "dtype shape A_layout B_layout A_dtype B_dtype C_dtype multiplicand_a a_index multiplicand_b "
    "b_index accumulator c_index",
    "tvm_rdna_wmma_store": "dtype m n dst_ptr src_ptr src_offset dst_stride",
    "tvm_stack_alloca": "dtype_str num",
    "tvm_stack_make_array": "data shape strides ndim arr_dtype elem_offset",
    "tvm_stack_make_shape": "*",
    "tvm_store_matrix_sync": "fragment m n k index buffer_ptr stride layout",
    "tvm_struct_get": "arr index field dtype",
    "tvm_struct_set": "arr index field value",
    "tvm_thread_allreduce": "*",
    "tvm_thread_invariant": "cond",
    "tvm_throw_last_error": "",
    "tvm_tuple": "*",
    "tvm_warp_activemask": "",
    "tvm_warp_shuffle": "mask value warp_id width warp_size",
    "tvm_warp_shuffle_down": "mask value offset width warp_size",
    "tvm_warp_shuffle_up": "mask value offset width warp_size",
    "type_annotation": "dtype",
}  # fmt: skip


def _operation(name: str, operands: str) -> Any:
    """The function that calls an operation of targets."""
    parameters = []
    for operand in operands.split():
        own, has_default, default = operand.partition("=")
        kind = Parameter.VAR_POSITIONAL if own == "*" else Parameter.POSITIONAL_OR_KEYWORD
        value = (literal_eval(default) if default else None) if has_default else Parameter.empty
        parameters.append(Parameter("args" if own == "*" else own, kind, default=value))
    span = Parameter("span", Parameter.KEYWORD_ONLY, default=None)
    signature = Signature([*parameters, span])

    def call(*args: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"tir.{name}: {error}") from None
        bound.apply_defaults()
        given = bound.arguments
        values = [given[one] for one in given if one not in ("args", "dtype", "span")]
        values = [value for value in [*values, *given.get("args", ())] if value is not None]
        made = [StringImm(value) if isinstance(value, str) else _core.to_expr(value) for value in values]
        return Call(str(given.get("dtype", "int32")), Op.get(f"tir.{name}"), made)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`T.{name}` of these operands."
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


for _name, _operands in OF_TARGETS.items():
    globals()[_name] = _operation(_name, _operands)


def _lanes(dtype: str) -> int:
    return int(dtype.partition("x")[2] or 1)


def _of_type(dtype: str, value: Any) -> Any:
    if value.dtype != dtype:
        raise ValueError(f"the vector is {value.dtype}, not {dtype}")
    return value


def vectorlow(dtype: str, vec: Any) -> Any:
    """The lower half of a vector's lanes."""
    return _of_type(dtype, Shuffle([vec], list(range(_lanes(vec.dtype) // 2))))


def vectorhigh(dtype: str, vec: Any) -> Any:
    """The upper half of a vector's lanes."""
    count = _lanes(vec.dtype)
    return _of_type(dtype, Shuffle([vec], list(range(count // 2, count))))


def vectorcombine(dtype: str, vec1: Any, vec2: Any) -> Any:
    """The lanes of one vector and after them those of another."""
    return _of_type(dtype, Shuffle([vec1, vec2], list(range(_lanes(vec1.dtype) + _lanes(vec2.dtype)))))


def call_tir(global_var: Any, *args: Any) -> Any:
    """A call of another function of the module by its `GlobalVar`."""
    returned = getattr(getattr(global_var, "checked_type", None), "ret_type", None)
    return Call(getattr(returned, "dtype", "void"), global_var, list(args))


def trace(args: Any, trace_action: str = "tvm.default_trace_action") -> Any:
    """Calls a registered function with the values while the program runs; the value is the last one."""
    if not isinstance(args, (list, tuple)):
        raise TypeError("tir.trace: `args` is a list of expressions")
    values = [_core.to_expr(value) for value in args]
    return Call(values[-1].dtype, Op.get("tir.tvm_call_packed"), [StringImm(trace_action), *values])


def var(name: str = "tindex", dtype: str = "int32") -> Var:
    """A variable."""
    return Var(name, dtype)


__all__ = [
    *_UNARY, *_BINARY, *_BITWISE, *OF_TARGETS, "add", "address_of", "all", "any", "bitwise_not", "call_extern",
    "call_intrin", "call_llvm_intrin", "call_llvm_pure_intrin", "call_packed", "call_pure_extern", "call_tir",
    "ceildiv", "comm_reducer", "const", "convert", "div", "fabs", "floordiv", "floormod", "fma", "fmod", "if_then_else",
    "indexdiv", "indexmod", "infinity", "ldexp", "likely", "logaddexp", "max", "max_value", "min", "min_value",
    "multiply", "power", "reinterpret", "ret", "subtract", "trace", "truncdiv", "truncmod", "tvm_storage_sync", "undef",
    "vectorcombine", "vectorhigh", "vectorlow",
]  # fmt: skip
