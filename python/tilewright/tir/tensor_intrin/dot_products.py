"""Dot products of a few neighbouring elements, for several rows at once."""

from __future__ import annotations

from ...script import tir as T
from ..function import PrimFunc, TensorIntrin

__all__ = ["dot_product", "register_dot_product", "register_one_dot_product"]


def dot_product(lanes: int, group: int, dtypes: tuple[str, str, str]) -> tuple[PrimFunc, PrimFunc]:
    """`C[i] += sum(A[k] * B[i, k])` for `lanes` rows of `group` elements, of these types; and the same with the rows in
    a vector."""
    left, right, out = dtypes

    @T.prim_func
    def desc(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (group,), left, offset_factor=1)
        B = T.match_buffer(b, (lanes, group), right, offset_factor=1)
        C = T.match_buffer(c, (lanes,), out, offset_factor=1)
        with T.block("root"):
            T.reads(C[0:lanes], A[0:group], B[0:lanes, 0:group])
            T.writes(C[0:lanes])
            for i in T.serial(0, lanes):
                for k in T.serial(0, group):
                    with T.block("update"):
                        vi, vk = T.axis.remap("SR", [i, k])
                        C[vi] = C[vi] + T.cast(A[vk], out) * T.cast(B[vi, vk], out)

    @T.prim_func
    def impl(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (group,), left, offset_factor=1)
        B = T.match_buffer(b, (lanes, group), right, offset_factor=1)
        C = T.match_buffer(c, (lanes,), out, offset_factor=1)
        with T.block("root"):
            T.reads(C[0:lanes], A[0:group], B[0:lanes, 0:group])
            T.writes(C[0:lanes])
            for k in T.serial(0, group):
                for i in T.vectorized(0, lanes):
                    C[i] = C[i] + T.cast(A[k], out) * T.cast(B[i, k], out)

    return desc, impl


def one_dot_product(
    group: int, dtypes: tuple[str, str, str], scopes: tuple[str, str, str]
) -> tuple[PrimFunc, PrimFunc]:
    """`C[0] += sum(A[k] * B[k])`, with each operand in its scope of memory."""
    left, right, out = dtypes
    of_a, of_b, of_c = scopes

    @T.prim_func
    def desc(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (group,), left, offset_factor=1, align=4, scope=of_a)
        B = T.match_buffer(b, (group,), right, offset_factor=1, align=4, scope=of_b)
        C = T.match_buffer(c, (1,), out, offset_factor=1, align=4, scope=of_c)
        with T.block("root"):
            T.reads(C[0], A[0:group], B[0:group])
            T.writes(C[0])
            for i in range(0, group):
                with T.block("update"):
                    vi = T.axis.remap("R", [i])
                    C[0] = C[0] + T.cast(A[vi], out) * T.cast(B[vi], out)

    @T.prim_func
    def impl(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (group,), left, offset_factor=1, align=4, scope=of_a)
        B = T.match_buffer(b, (group,), right, offset_factor=1, align=4, scope=of_b)
        C = T.match_buffer(c, (1,), out, offset_factor=1, align=4, scope=of_c)
        with T.block("root"):
            T.reads(C[0], A[0:group], B[0:group])
            T.writes(C[0])
            for i in range(0, group):
                C[0] = C[0] + T.cast(A[i], out) * T.cast(B[i], out)

    return desc, impl


def register_dot_product(name: str, lanes: int, group: int, dtypes: tuple[str, str, str]) -> str:
    """Registers it; the result is its name."""
    TensorIntrin.register(name, *dot_product(lanes, group, dtypes))
    return name


def register_one_dot_product(
    name: str, dtypes: tuple[str, str, str], scopes: tuple[str, str, str] = ("shared", "shared", "local")
) -> str:
    """Registers the dot product of four elements; the result is its name."""
    TensorIntrin.register(name, *one_dot_product(4, dtypes, scopes))
    return name
