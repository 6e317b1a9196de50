"""Operators and intrinsics as Python functions: `tir.exp(x)`, `tir.if_then_else(c, a, b)`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.ir.op import Op

def abs(x: Any, span: Any = None) -> Any:
    """`T.abs` of one expression."""

def acos(x: Any, span: Any = None) -> Any:
    """`T.acos` of one expression."""

def acosh(x: Any, span: Any = None) -> Any:
    """`T.acosh` of one expression."""

def address_of(buffer_load: Any, span: object = None) -> Any:
    """The address of an element, as an argument of a foreign call."""

def all(*args: Any, span: object = None) -> Any:
    """Whether every condition holds, as an expression."""

def any(*args: Any, span: object = None) -> Any:
    """Whether some condition holds, as an expression."""

def asin(x: Any, span: Any = None) -> Any:
    """`T.asin` of one expression."""

def asinh(x: Any, span: Any = None) -> Any:
    """`T.asinh` of one expression."""

def assume(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.assume` of these operands."""

def atan(x: Any, span: Any = None) -> Any:
    """`T.atan` of one expression."""

def atan2(x1: Any, x2: Any, span: Any = None) -> Any:
    """`T.atan2` of 2 expressions."""

def atanh(x: Any, span: Any = None) -> Any:
    """`T.atanh` of one expression."""

def bitwise_and(x: Any, y: Any, span: Any = None) -> Any:
    """`T.bitwise_and` of 2 expressions."""

def bitwise_not(x: Any, span: object = None) -> Any:
    """Every bit the other way round."""

def bitwise_or(x: Any, y: Any, span: Any = None) -> Any:
    """`T.bitwise_or` of 2 expressions."""

def bitwise_xor(x: Any, y: Any, span: Any = None) -> Any:
    """`T.bitwise_xor` of 2 expressions."""

def call_cpacked(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.call_cpacked` of these operands."""

def call_extern(dtype: str, func_name: str, *args: Any, span: object = None) -> Any:
    """A call of a C function by its symbol."""

def call_intrin(dtype: str, func_name: str | Op, *args: Any, span: object = None) -> Any:
    """A call of an intrinsic by its name, such as `tir.exp`."""

def call_llvm_intrin(dtype: str, name: str, *args: Any, span: object = None) -> Any:
    """A call of an intrinsic of LLVM. A leading number of signature arguments is accepted."""

def call_llvm_pure_intrin(dtype: str, name: str, *args: Any, span: object = None) -> Any:
    """A call of an intrinsic of LLVM. A leading number of signature arguments is accepted."""

def call_packed(*args: Any, span: object = None) -> Any:
    """A call of a function that is registered with the runtime; the first argument is its name."""

def call_pure_extern(dtype: str, func_name: str, *args: Any, span: object = None) -> Any:
    """A call of a C function whose result follows from its operands, and that does nothing else."""

def ceil(x: Any, span: Any = None) -> Any:
    """`T.ceil` of one expression."""

def ceildiv(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`a / b`, rounded up."""

def clz(x: Any, span: Any = None) -> Any:
    """`T.clz` of one expression."""

def comm_reducer(fcombine: Any, fidentity: Any, name: str = "reduce") -> Any:
    """A way to reduce: a function of two values, and one that gives the value of no elements for a type."""

def const(value: Any, dtype: str | None = None, span: object = None) -> Any:
    """A constant of a type: by default int32, float32 or bool; of a type with lanes, the same in each of them."""

def convert(value: Any) -> Any:
    """A number as an expression; an expression stays itself."""

def copysign(x1: Any, x2: Any, span: Any = None) -> Any:
    """`T.copysign` of 2 expressions."""

def cos(x: Any, span: Any = None) -> Any:
    """`T.cos` of one expression."""

def cosh(x: Any, span: Any = None) -> Any:
    """`T.cosh` of one expression."""

def div(a: Any, b: Any, span: object = None) -> Any:
    """`a / b` as C has it."""

def end_profile_intrinsic(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.end_profile_intrinsic` of these operands."""

def erf(x: Any, span: Any = None) -> Any:
    """`T.erf` of one expression."""

def exp(x: Any, span: Any = None) -> Any:
    """`T.exp` of one expression."""

def exp10(x: Any, span: Any = None) -> Any:
    """`T.exp10` of one expression."""

def exp2(x: Any, span: Any = None) -> Any:
    """`T.exp2` of one expression."""

def expm1(x: Any, span: Any = None) -> Any:
    """`T.expm1` of one expression."""

def fabs(x: Any, span: Any = None) -> Any:
    """`T.abs` of one expression."""

def floor(x: Any, span: Any = None) -> Any:
    """`T.floor` of one expression."""

def floordiv(a: Any, b: Any, span: object = None) -> Any:
    """`a // b`, rounded down."""

def floormod(a: Any, b: Any, span: object = None) -> Any:
    """The remainder of `floordiv`."""

def fma(x: Any, y: Any, z: Any, span: Any = None) -> Any:
    """`T.fma` of 3 expressions."""

def fmod(x: Any, y: Any, span: object = None) -> Any:
    """The remainder of `x / y` rounded towards zero: the sign of `x`."""

def hypot(x1: Any, x2: Any, span: Any = None) -> Any:
    """`T.hypot` of 2 expressions."""

def if_then_else(cond: Any, t: Any, f: Any, span: object = None) -> Any:
    """One of two values; only the one that is taken is evaluated."""

def indexdiv(a: Any, b: Any, span: object = None) -> Any:
    """`a // b` of indices, which are not negative."""

def indexmod(a: Any, b: Any, span: object = None) -> Any:
    """`a % b` of indices, which are not negative."""

def infinity(dtype: str, span: object = None) -> Any:
    """Positive infinity."""

def isfinite(x: Any, span: Any = None) -> Any:
    """`T.isfinite` of one expression."""

def isinf(x: Any, span: Any = None) -> Any:
    """`T.isinf` of one expression."""

def isnan(x: Any, span: Any = None) -> Any:
    """`T.isnan` of one expression."""

def isnullptr(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.isnullptr` of these operands."""

def ldexp(x1: Any, x2: Any, span: object = None) -> Any:
    """`x1 * 2**x2`."""

def likely(cond: Any, span: object = None) -> Any:
    """The condition itself: nothing is made of the hint."""

def log(x: Any, span: Any = None) -> Any:
    """`T.log` of one expression."""

def log10(x: Any, span: Any = None) -> Any:
    """`T.log10` of one expression."""

def log1p(x: Any, span: Any = None) -> Any:
    """`T.log1p` of one expression."""

def log2(x: Any, span: Any = None) -> Any:
    """`T.log2` of one expression."""

def logaddexp(a: Any, b: Any, span: object = None) -> Any:
    """`log(exp(a) + exp(b))`, without what overflows on the way."""

def lookup_param(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.lookup_param` of these operands."""

def max(*args: Any, span: object = None) -> Any:
    """The largest of the values."""

def max_value(dtype: str, span: object = None) -> Any:
    """The greatest finite value of a type."""

def min(*args: Any, span: object = None) -> Any:
    """The smallest of the values."""

def min_value(dtype: str, span: object = None) -> Any:
    """The least finite value of a type."""

def nearbyint(x: Any, span: Any = None) -> Any:
    """`T.nearbyint` of one expression."""

def nextafter(x1: Any, x2: Any, span: Any = None) -> Any:
    """`T.nextafter` of 2 expressions."""

def popcount(x: Any, span: Any = None) -> Any:
    """`T.popcount` of one expression."""

def pow(x: Any, y: Any, span: Any = None) -> Any:
    """`T.pow` of 2 expressions."""

def power(x: Any, y: Any, span: Any = None) -> Any:
    """`T.pow` of 2 expressions."""

def reinterpret(dtype: str, value: Any, span: object = None) -> Any:
    """The bits of the value as another type of as many bits."""

def ret(val: Any, span: object = None) -> Any:
    """The end of a function for targets that have one; on a processor results are written to buffers."""

def round(x: Any, span: Any = None) -> Any:
    """`T.round` of one expression."""

def rsqrt(x: Any, span: Any = None) -> Any:
    """`T.rsqrt` of one expression."""

def shift_left(x: Any, y: Any, span: Any = None) -> Any:
    """`T.shift_left` of 2 expressions."""

def shift_right(x: Any, y: Any, span: Any = None) -> Any:
    """`T.shift_right` of 2 expressions."""

def sigmoid(x: Any, span: Any = None) -> Any:
    """`T.sigmoid` of one expression."""

def sin(x: Any, span: Any = None) -> Any:
    """`T.sin` of one expression."""

def sinh(x: Any, span: Any = None) -> Any:
    """`T.sinh` of one expression."""

def sqrt(x: Any, span: Any = None) -> Any:
    """`T.sqrt` of one expression."""

def start_profile_intrinsic(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.start_profile_intrinsic` of these operands."""

def tan(x: Any, span: Any = None) -> Any:
    """`T.tan` of one expression."""

def tanh(x: Any, span: Any = None) -> Any:
    """`T.tanh` of one expression."""

def trunc(x: Any, span: Any = None) -> Any:
    """`T.trunc` of one expression."""

def truncdiv(a: Any, b: Any, span: object = None) -> Any:
    """`a / b`, rounded towards zero."""

def truncmod(a: Any, b: Any, span: object = None) -> Any:
    """The remainder of `truncdiv`."""

def tvm_access_ptr(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.tvm_access_ptr` of these operands."""

def tvm_stack_alloca(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.tvm_stack_alloca` of these operands."""

def tvm_storage_sync(scope: str) -> Any:
    """Every thread of the scope waits here for the others."""

def tvm_thread_allreduce(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.tvm_thread_allreduce` of these operands."""

def tvm_thread_invariant(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.tvm_thread_invariant` of these operands."""

def tvm_throw_last_error(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.tvm_throw_last_error` of these operands."""

def tvm_tuple(*args: Any, span: object = None, **named: Any) -> Any:
    """`T.tvm_tuple` of these operands."""

def undef(span: object = None) -> Any:
    """An undefined value: an int32."""
