"""Tiles of matrix products on the tensor cores of NVIDIA's GPUs (WMMA), and how their fragments lie in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...compat.absent import Absent
from ...script import tir as T
from ..function import PrimFunc, TensorIntrin

__all__ = [
    "get_wmma_fill_intrin", "get_wmma_intrin_group", "get_wmma_load_intrin", "get_wmma_store_intrin",
    "get_wmma_sync_intrin", "ldmatrix_32x8_to_shared_16x16_layout", "shared_16x16_to_ldmatrix_32x8_layout",
    "shared_16x32_to_ldmatrix_32x16_layout", "shared_32x16_to_ldmatrix_32x16_layout",
]  # fmt: skip


def _copy(shape: tuple[int, int], dtype: str, scopes: tuple[str, str]) -> tuple[PrimFunc, PrimFunc]:
    """A tile that is copied from one scope of memory to another."""
    rows, columns = shape
    source, target = scopes

    @T.prim_func
    def desc(a: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (rows, columns), dtype, align=64, offset_factor=16, scope=source)
        C = T.match_buffer(c, (rows, columns), dtype, align=64, offset_factor=16, scope=target)
        with T.block("root"):
            T.reads(A[0:rows, 0:columns])
            T.writes(C[0:rows, 0:columns])
            for i, j in T.grid(rows, columns):
                with T.block("copy"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = A[vi, vj]

    @T.prim_func
    def impl(a: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (rows, columns), dtype, align=64, offset_factor=16, scope=source)
        C = T.match_buffer(c, (rows, columns), dtype, align=64, offset_factor=16, scope=target)
        with T.block("root"):
            T.reads(A[0:rows, 0:columns])
            T.writes(C[0:rows, 0:columns])
            for i, j in T.grid(rows, columns):
                C[i, j] = A[i, j]

    return desc, impl


def get_wmma_load_intrin(
    m_dim: int, n_dim: int, k_dim: int, dtype: str, shared_scope: str, is_b: bool, is_col_major: bool
) -> tuple[PrimFunc, PrimFunc]:
    """A tile of an operand from shared memory into a fragment."""
    shape = (k_dim, n_dim) if is_b else (m_dim, k_dim)
    scopes = (shared_scope, f"wmma.matrix_{'b' if is_b else 'a'}")
    return _copy(shape[::-1] if is_col_major else shape, dtype, scopes)


def get_wmma_store_intrin(m_dim: int, n_dim: int, k_dim: int, dtype: str, scope: str) -> tuple[PrimFunc, PrimFunc]:
    """A fragment of the result into shared or global memory."""
    return _copy((m_dim, n_dim), dtype, ("wmma.accumulator", scope))


def get_wmma_fill_intrin(m_dim: int, n_dim: int, k_dim: int, dtype: str) -> tuple[PrimFunc, PrimFunc]:
    """A fragment of zeros."""

    @T.prim_func
    def desc(c: T.handle) -> None:
        C = T.match_buffer(c, (m_dim, n_dim), dtype, align=64, offset_factor=16, scope="wmma.accumulator")
        with T.block("root"):
            T.reads()
            T.writes(C[0:m_dim, 0:n_dim])
            for i, j in T.grid(m_dim, n_dim):
                with T.block("init"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = T.cast(0, dtype)

    @T.prim_func
    def impl(c: T.handle) -> None:
        C = T.match_buffer(c, (m_dim, n_dim), dtype, align=64, offset_factor=16, scope="wmma.accumulator")
        with T.block("root"):
            T.reads()
            T.writes(C[0:m_dim, 0:n_dim])
            for i, j in T.grid(m_dim, n_dim):
                C[i, j] = T.cast(0, dtype)

    return desc, impl


def get_wmma_sync_intrin(
    m_dim: int, n_dim: int, k_dim: int, in_dtype: str, out_dtype: str, b_transposed: bool
) -> tuple[PrimFunc, PrimFunc]:
    """The product of two fragments, added to a third one."""
    return (_transposed_product if b_transposed else _product)((m_dim, n_dim, k_dim), in_dtype, out_dtype)


def _product(shape: tuple[int, int, int], in_dtype: str, out_dtype: str) -> tuple[PrimFunc, PrimFunc]:
    m, n, k = shape

    @T.prim_func
    def desc(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (m, k), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_a")
        B = T.match_buffer(b, (k, n), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_b")
        C = T.match_buffer(c, (m, n), out_dtype, align=64, offset_factor=16, scope="wmma.accumulator")
        with T.block("root"):
            T.reads(C[0:m, 0:n], A[0:m, 0:k], B[0:k, 0:n])
            T.writes(C[0:m, 0:n])
            for i, j, p in T.grid(m, n, k):
                with T.block("update"):
                    vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                    C[vi, vj] = C[vi, vj] + T.cast(A[vi, vp], out_dtype) * T.cast(B[vp, vj], out_dtype)

    @T.prim_func
    def impl(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (m, k), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_a")
        B = T.match_buffer(b, (k, n), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_b")
        C = T.match_buffer(c, (m, n), out_dtype, align=64, offset_factor=16, scope="wmma.accumulator")
        with T.block("root"):
            T.reads(C[0:m, 0:n], A[0:m, 0:k], B[0:k, 0:n])
            T.writes(C[0:m, 0:n])
            for i, p, j in T.grid(m, k, n):
                C[i, j] = C[i, j] + T.cast(A[i, p], out_dtype) * T.cast(B[p, j], out_dtype)

    return desc, impl


def _transposed_product(shape: tuple[int, int, int], in_dtype: str, out_dtype: str) -> tuple[PrimFunc, PrimFunc]:
    m, n, k = shape

    @T.prim_func
    def desc(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (m, k), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_a")
        B = T.match_buffer(b, (n, k), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_b")
        C = T.match_buffer(c, (m, n), out_dtype, align=64, offset_factor=16, scope="wmma.accumulator")
        with T.block("root"):
            T.reads(C[0:m, 0:n], A[0:m, 0:k], B[0:n, 0:k])
            T.writes(C[0:m, 0:n])
            for i, j, p in T.grid(m, n, k):
                with T.block("update"):
                    vi, vj, vp = T.axis.remap("SSR", [i, j, p])
                    C[vi, vj] = C[vi, vj] + T.cast(A[vi, vp], out_dtype) * T.cast(B[vj, vp], out_dtype)

    @T.prim_func
    def impl(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (m, k), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_a")
        B = T.match_buffer(b, (n, k), in_dtype, align=64, offset_factor=16, scope="wmma.matrix_b")
        C = T.match_buffer(c, (m, n), out_dtype, align=64, offset_factor=16, scope="wmma.accumulator")
        with T.block("root"):
            T.reads(C[0:m, 0:n], A[0:m, 0:k], B[0:n, 0:k])
            T.writes(C[0:m, 0:n])
            for i, j, p in T.grid(m, n, k):
                C[i, j] = C[i, j] + T.cast(A[i, p], out_dtype) * T.cast(B[j, p], out_dtype)

    return desc, impl


_SHORT = {"float16": "f16", "float32": "f32", "int8": "s8", "int32": "s32", "int4": "s4"}


def _register_all(registered: dict[str, Any], shape: tuple[int, int, int], in_dtype: str, outs: Sequence[str]) -> None:
    """Registers the intrinsics of a shape of tiles, each with the name of its constant."""
    m, n, k = shape
    size, short = f"{m}x{n}x{k}", _SHORT[in_dtype]

    def add(constant: str, name: str, pair: tuple[PrimFunc, PrimFunc]) -> None:
        TensorIntrin.register(name, *pair)
        registered[constant] = name

    for operand in ("a", "b"):
        for scope, end in (("shared", ""), ("shared.dyn", "_dyn")):
            for trans, words in ((False, ""), (True, "_trans")):
                pair = get_wmma_load_intrin(m, n, k, in_dtype, scope, operand == "b", trans)
                constant = f"WMMA_LOAD_{size}_{short.upper()}_{operand.upper()}{words.upper()}{end.upper()}_INTRIN"
                add(constant, f"wmma_load_{size}_{short}_{operand}{words}_shared{end}", pair)
    for out in outs:
        ends = (("", False), ("_trans", True))
        for words, trans in ends:
            kinds = f"{short}{short}{_SHORT[out]}"
            pair = get_wmma_sync_intrin(m, n, k, in_dtype, out, trans)
            add(f"WMMA_SYNC_{size}_{kinds}{words.upper()}_INTRIN", f"wmma_sync_{size}_{kinds}{words}", pair)
        name = _SHORT[out]
        if f"WMMA_FILL_{size}_{name.upper()}_INTRIN" in registered:
            continue
        fill = get_wmma_fill_intrin(m, n, k, out)
        add(f"WMMA_FILL_{size}_{name.upper()}_INTRIN", f"wmma_fill_{size}_{name}", fill)
        for scope, end in (("shared", "shared"), ("shared.dyn", "shared_dyn"), ("global", "global")):
            pair = get_wmma_store_intrin(m, n, k, out, scope)
            add(f"WMMA_STORE_{size}_{name.upper()}_{end.upper()}_INTRIN", f"wmma_store_{size}_{name}_{end}", pair)


_registered: dict[str, Any] = {}
_register_all(_registered, (16, 16, 16), "float16", ("float16", "float32"))
_register_all(_registered, (16, 16, 16), "int8", ("int32",))
globals().update(_registered)
__all__ += list(_registered)


def get_wmma_intrin_group(
    load_scope: str, store_scope: str, in_dtype: str, out_dtype: str, trans_b: bool
) -> dict[str, str]:
    """The names of the intrinsics of a product of 16 by 16 by 16: `init`, `load_a`, `load_b`, `compute`, `store`."""
    if load_scope not in ("shared", "shared.dyn") or store_scope not in ("global", "shared", "shared.dyn"):
        raise ValueError(
            f"tiles come from shared memory and go there or into global memory, found {load_scope}, {store_scope}"
        )
    size, short, out = "16x16x16", _SHORT[in_dtype], _SHORT[out_dtype]
    dyn, trans = "_dyn" if load_scope == "shared.dyn" else "", "_trans" if trans_b else ""
    names = {
        "init": f"wmma_fill_{size}_{out}",
        "load_a": f"wmma_load_{size}_{short}_a_shared{dyn}",
        "load_b": f"wmma_load_{size}_{short}_b{trans}_shared{dyn}",
        "compute": f"wmma_sync_{size}_{short}{short}{out}{trans}",
        "store": f"wmma_store_{size}_{out}_{store_scope.replace('.', '_')}",
    }
    for name in names.values():
        TensorIntrin.get(name)
    return names


def shared_16x16_to_ldmatrix_32x8_layout(i: Any, j: Any) -> tuple[Any, Any]:
    """The thread of a warp and its register in which `ldmatrix` puts an element of a tile of 16 by 16 (PTX)."""
    return (i % 8) * 4 + (j % 8) // 2, 4 * (j // 8) + (i // 8) * 2 + (j % 2)


def ldmatrix_32x8_to_shared_16x16_layout(thread_id: Any, local_id: Any) -> tuple[Any, Any]:
    """The other way round."""
    return (local_id % 4) // 2 * 8 + thread_id // 4, (local_id // 4) * 8 + (thread_id % 4) * 2 + local_id % 2


def shared_16x32_to_ldmatrix_32x16_layout(i: Any, j: Any) -> tuple[Any, Any]:
    """The same of a tile of 16 by 32 bytes."""
    return (i % 8) * 4 + (j % 16) // 4, (j // 16) * 8 + (i // 8) * 4 + j % 4


def shared_32x16_to_ldmatrix_32x16_layout(i: Any, j: Any) -> tuple[Any, Any]:
    """The same of a tile of 32 by 16 bytes."""
    return (i % 16) // 4 + (j % 8) * 4, (j // 8) * 8 + (i // 16) * 4 + i % 4


def __getattr__(name: str) -> object:
    if name.startswith(("LDMATRIX_", "MMA_", "get_mma_", "get_ldmatrix_")):
        return Absent(f"{__name__}.{name}", "there are no instructions of a warp: WMMA's tiles are described")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
