"""Operators and intrinsics as Python functions: `tir.exp(x)`, `tir.if_then_else(c, a, b)`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.ir.op import Op

def TVMBackendAllocWorkspace(
    device_type: Any,
    device_id: Any,
    nbytes: Any,
    dtype_code_hint: Any,
    dtype_bits_hint: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.TVMBackendAllocWorkspace` of these operands."""

def TVMBackendFreeWorkspace(device_type: Any, device_id: Any, ptr: Any, *, span: Any = None) -> Any:
    """`T.TVMBackendFreeWorkspace` of these operands."""

def abs(x: Any, span: Any = None) -> Any:
    """`T.abs` of one expression."""

def acos(x: Any, span: Any = None) -> Any:
    """`T.acos` of one expression."""

def acosh(x: Any, span: Any = None) -> Any:
    """`T.acosh` of one expression."""

def add(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`lhs + rhs`."""

def address_of(buffer_load: Any, span: object = None) -> Any:
    """The address of an element, as an argument of a foreign call."""

def all(*args: Any, span: object = None) -> Any:
    """Whether every condition holds, as an expression."""

def any(*args: Any, span: object = None) -> Any:
    """Whether some condition holds, as an expression."""

def anylist_getitem(list_handle: Any, index: Any, *, span: Any = None) -> Any:
    """`T.anylist_getitem` of these operands."""

def anylist_resetitem(list_handle: Any, index: Any, *, span: Any = None) -> Any:
    """`T.anylist_resetitem` of these operands."""

def anylist_setitem_call_cpacked(list_handle: Any, index: Any, func_name: Any, *args: Any, span: Any = None) -> Any:
    """`T.anylist_setitem_call_cpacked` of these operands."""

def anylist_setitem_call_packed(list_handle: Any, index: Any, func_name: Any, *args: Any, span: Any = None) -> Any:
    """`T.anylist_setitem_call_packed` of these operands."""

def asin(x: Any, span: Any = None) -> Any:
    """`T.asin` of one expression."""

def asinh(x: Any, span: Any = None) -> Any:
    """`T.asinh` of one expression."""

def assume(cond: Any, *, span: Any = None) -> Any:
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

def call_cpacked(*args: Any, span: Any = None) -> Any:
    """`T.call_cpacked` of these operands."""

def call_cpacked_lowered(*args: Any, span: Any = None) -> Any:
    """`T.call_cpacked_lowered` of these operands."""

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

def call_packed_lowered(*args: Any, span: Any = None) -> Any:
    """`T.call_packed_lowered` of these operands."""

def call_pure_extern(dtype: str, func_name: str, *args: Any, span: object = None) -> Any:
    """A call of a C function whose result follows from its operands, and that does nothing else."""

def call_tir(global_var: Any, *args: Any) -> Any:
    """A call of another function of the module by its `GlobalVar`."""

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

def create_barriers(barrier_count: Any, *, span: Any = None) -> Any:
    """`T.create_barriers` of these operands."""

def div(a: Any, b: Any, span: object = None) -> Any:
    """`a / b` as C has it."""

def end_profile_intrinsic(id: Any, *, span: Any = None) -> Any:
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

def isnullptr(x: Any, *, span: Any = None) -> Any:
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

def lookup_param(param_name: Any, *, span: Any = None) -> Any:
    """`T.lookup_param` of these operands."""

def make_filled_simdgroup_matrix(
    d: Any,
    index: Any,
    value: Any,
    col: int = 8,
    row: int = 8,
    *,
    span: Any = None,
) -> Any:
    """`T.make_filled_simdgroup_matrix` of these operands."""

def max(*args: Any, span: object = None) -> Any:
    """The largest of the values."""

def max_value(dtype: str, span: object = None) -> Any:
    """The greatest finite value of a type."""

def min(*args: Any, span: object = None) -> Any:
    """The smallest of the values."""

def min_value(dtype: str, span: object = None) -> Any:
    """The least finite value of a type."""

def mma_fill(dtype: Any, local_size: Any, local_ptr: Any, offset: Any, *, span: Any = None) -> Any:
    """`T.mma_fill` of these operands."""

def mma_store(
    dtype: Any,
    m: Any,
    n: Any,
    dst_ptr: Any,
    src_ptr: Any,
    src_offset: Any,
    dst_stride: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.mma_store` of these operands."""

def multiply(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`lhs * rhs`."""

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

def ptx_arrive_barrier(barrier_id: Any, *, span: Any = None) -> Any:
    """`T.ptx_arrive_barrier` of these operands."""

def ptx_arrive_barrier_expect_tx(barrier_id: Any, byte_count: Any, *, span: Any = None) -> Any:
    """`T.ptx_arrive_barrier_expect_tx` of these operands."""

def ptx_commit_group(*, span: Any = None) -> Any:
    """`T.ptx_commit_group` of these operands."""

def ptx_cp_async(
    dtype: Any,
    shared_ptr: Any,
    shared_offset: Any,
    global_ptr: Any,
    global_offset: Any,
    bytes: Any,
    *args: Any,
    span: Any = None,
) -> Any:
    """`T.ptx_cp_async` of these operands."""

def ptx_cp_async_barrier(barrier_id: Any, *, span: Any = None) -> Any:
    """`T.ptx_cp_async_barrier` of these operands."""

def ptx_cp_async_bulk(
    dtype: Any,
    shared_ptr: Any,
    shared_offset: Any,
    global_ptr: Any,
    global_offset: Any,
    bytes: Any,
    barrier_id: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.ptx_cp_async_bulk` of these operands."""

def ptx_init_barrier_thread_count(barrier_id: Any, thread_count: Any, *, span: Any = None) -> Any:
    """`T.ptx_init_barrier_thread_count` of these operands."""

def ptx_ldmatrix(
    dtype: Any,
    trans: Any,
    num: Any,
    type: Any,
    local_ptr: Any,
    local_offset: Any,
    smem_ptr: Any,
    smem_offset: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.ptx_ldmatrix` of these operands."""

def ptx_mma(
    dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    saturate: Any,
    operator: Any = None,
    *,
    span: Any = None,
) -> Any:
    """`T.ptx_mma` of these operands."""

def ptx_mma_sp(
    dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    metadata: Any,
    meta_index: Any,
    sparse_selector: Any,
    saturate: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.ptx_mma_sp` of these operands."""

def ptx_wait_barrier(barrier_id: Any, *, span: Any = None) -> Any:
    """`T.ptx_wait_barrier` of these operands."""

def ptx_wait_group(num: Any, *, span: Any = None) -> Any:
    """`T.ptx_wait_group` of these operands."""

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

def simdgroup_load(
    d: Any,
    index: Any,
    ptr: Any,
    stride: Any,
    col: int = 8,
    row: int = 8,
    transpose_matrix: bool = False,
    *,
    span: Any = None,
) -> Any:
    """`T.simdgroup_load` of these operands."""

def simdgroup_multiply_accumulate(
    d: Any,
    index_d: Any,
    a: Any,
    index_a: Any,
    b: Any,
    index_b: Any,
    c: Any,
    index_c: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.simdgroup_multiply_accumulate` of these operands."""

def simdgroup_store(
    d: Any,
    index: Any,
    ptr: Any,
    stride: Any,
    col: int = 8,
    row: int = 8,
    transpose_matrix: bool = False,
    *,
    span: Any = None,
) -> Any:
    """`T.simdgroup_store` of these operands."""

def sin(x: Any, span: Any = None) -> Any:
    """`T.sin` of one expression."""

def sinh(x: Any, span: Any = None) -> Any:
    """`T.sinh` of one expression."""

def sqrt(x: Any, span: Any = None) -> Any:
    """`T.sqrt` of one expression."""

def start_profile_intrinsic(id: Any, *, span: Any = None) -> Any:
    """`T.start_profile_intrinsic` of these operands."""

def subtract(lhs: Any, rhs: Any, span: object = None) -> Any:
    """`lhs - rhs`."""

def tan(x: Any, span: Any = None) -> Any:
    """`T.tan` of one expression."""

def tanh(x: Any, span: Any = None) -> Any:
    """`T.tanh` of one expression."""

def trace(args: Any, trace_action: str = "tvm.default_trace_action") -> Any:
    """Calls a registered function with the values while the program runs; the value is the last one."""

def trunc(x: Any, span: Any = None) -> Any:
    """`T.trunc` of one expression."""

def truncdiv(a: Any, b: Any, span: object = None) -> Any:
    """`a / b`, rounded towards zero."""

def truncmod(a: Any, b: Any, span: object = None) -> Any:
    """The remainder of `truncdiv`."""

def tvm_access_ptr(ptype: Any, data: Any, offset: Any, extent: Any, rw_mask: Any, *, span: Any = None) -> Any:
    """`T.tvm_access_ptr` of these operands."""

def tvm_bmma_sync(
    fragment_d: Any,
    index_d: Any,
    fragment_a: Any,
    index_a: Any,
    fragment_b: Any,
    index_b: Any,
    fragment_c: Any,
    index_c: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_bmma_sync` of these operands."""

def tvm_check_return(expected: Any, return_unexpected: Any, nested_call: Any, *, span: Any = None) -> Any:
    """`T.tvm_check_return` of these operands."""

def tvm_fill_fragment(fragment: Any, m: Any, n: Any, k: Any, index: Any, value: Any, *, span: Any = None) -> Any:
    """`T.tvm_fill_fragment` of these operands."""

def tvm_load_matrix_sync(
    fragment: Any,
    m: Any,
    n: Any,
    k: Any,
    index: Any,
    buffer_ptr: Any,
    stride: Any,
    layout: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_load_matrix_sync` of these operands."""

def tvm_mfma(
    dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_mfma` of these operands."""

def tvm_mfma_store(
    dtype: Any,
    m: Any,
    n: Any,
    dst_ptr: Any,
    src_ptr: Any,
    src_offset: Any,
    dst_stride: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_mfma_store` of these operands."""

def tvm_mma_sync(
    fragment_d: Any,
    index_d: Any,
    fragment_a: Any,
    index_a: Any,
    fragment_b: Any,
    index_b: Any,
    fragment_c: Any,
    index_c: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_mma_sync` of these operands."""

def tvm_rdna_wmma(
    dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_rdna_wmma` of these operands."""

def tvm_rdna_wmma_store(
    dtype: Any,
    m: Any,
    n: Any,
    dst_ptr: Any,
    src_ptr: Any,
    src_offset: Any,
    dst_stride: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_rdna_wmma_store` of these operands."""

def tvm_stack_alloca(dtype_str: Any, num: Any, *, span: Any = None) -> Any:
    """`T.tvm_stack_alloca` of these operands."""

def tvm_stack_make_array(
    data: Any,
    shape: Any,
    strides: Any,
    ndim: Any,
    arr_dtype: Any,
    elem_offset: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_stack_make_array` of these operands."""

def tvm_stack_make_shape(*args: Any, span: Any = None) -> Any:
    """`T.tvm_stack_make_shape` of these operands."""

def tvm_storage_sync(scope: str) -> Any:
    """Every thread of the scope waits here for the others."""

def tvm_store_matrix_sync(
    fragment: Any,
    m: Any,
    n: Any,
    k: Any,
    index: Any,
    buffer_ptr: Any,
    stride: Any,
    layout: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_store_matrix_sync` of these operands."""

def tvm_struct_get(arr: Any, index: Any, field: Any, dtype: Any, *, span: Any = None) -> Any:
    """`T.tvm_struct_get` of these operands."""

def tvm_struct_set(arr: Any, index: Any, field: Any, value: Any, *, span: Any = None) -> Any:
    """`T.tvm_struct_set` of these operands."""

def tvm_thread_allreduce(*args: Any, span: Any = None) -> Any:
    """`T.tvm_thread_allreduce` of these operands."""

def tvm_thread_invariant(cond: Any, *, span: Any = None) -> Any:
    """`T.tvm_thread_invariant` of these operands."""

def tvm_throw_last_error(*, span: Any = None) -> Any:
    """`T.tvm_throw_last_error` of these operands."""

def tvm_tuple(*args: Any, span: Any = None) -> Any:
    """`T.tvm_tuple` of these operands."""

def tvm_warp_activemask(*, span: Any = None) -> Any:
    """`T.tvm_warp_activemask` of these operands."""

def tvm_warp_shuffle(mask: Any, value: Any, warp_id: Any, width: Any, warp_size: Any, *, span: Any = None) -> Any:
    """`T.tvm_warp_shuffle` of these operands."""

def tvm_warp_shuffle_down(
    mask: Any,
    value: Any,
    offset: Any,
    width: Any,
    warp_size: Any,
    *,
    span: Any = None,
) -> Any:
    """`T.tvm_warp_shuffle_down` of these operands."""

def tvm_warp_shuffle_up(mask: Any, value: Any, offset: Any, width: Any, warp_size: Any, *, span: Any = None) -> Any:
    """`T.tvm_warp_shuffle_up` of these operands."""

def type_annotation(dtype: Any, *, span: Any = None) -> Any:
    """`T.type_annotation` of these operands."""

def undef(span: object = None) -> Any:
    """An undefined value: an int32."""

def vectorcombine(dtype: str, vec1: Any, vec2: Any) -> Any:
    """The lanes of one vector and after them those of another."""

def vectorhigh(dtype: str, vec: Any) -> Any:
    """The upper half of a vector's lanes."""

def vectorlow(dtype: str, vec: Any) -> Any:
    """The lower half of a vector's lanes."""
