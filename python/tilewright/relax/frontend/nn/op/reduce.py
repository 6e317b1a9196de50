"""Reductions, running sums, products of matrices, and what sorts."""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from .binding import call

__all__ = ["argsort", "cumsum", "matmul", "max", "mean", "min", "sort", "sum", "topk"]


def sum(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "sum") -> Tensor:
    """The sum along axes, or of all elements."""
    return call("sum", (x,), {"axis": axis, "keepdims": keepdims}, name)


def max(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "max") -> Tensor:
    """The largest element along axes, or of all."""
    return call("max", (x,), {"axis": axis, "keepdims": keepdims}, name)


def min(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "min") -> Tensor:
    """The smallest element along axes, or of all."""
    return call("min", (x,), {"axis": axis, "keepdims": keepdims}, name)


def mean(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "mean") -> Tensor:
    """The mean along axes, or of all elements."""
    return call("mean", (x,), {"axis": axis, "keepdims": keepdims}, name)


def cumsum(
    data: Tensor, axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None,
    name: str = "cumsum",
) -> Tensor:  # fmt: skip
    """Running sums along an axis, or of the flat tensor; with `exclusive` without the element itself."""
    attrs = {"axis": axis, "dtype": dtype or "void", "exclusive": bool(exclusive)}
    return call("cumsum", (data,), attrs, name)


def matmul(a: Tensor, b: Tensor, out_dtype: str | None = None, name: str = "matmul") -> Tensor:
    """The product of matrices, of which stacks broadcast; `out_dtype` is the type of sums and results."""
    return call("matmul", (a, b), {"out_dtype": out_dtype or "void"}, name)


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str = "sort") -> Tensor:
    """The elements in order along an axis."""
    return call("sort", (x,), {"axis": axis, "descending": descending}, name)


def argsort(
    data: Tensor, axis: int = -1, descending: bool = False, dtype: str = "int32", name: str = "argsort"
) -> Tensor:
    """The indices of the elements in order along an axis."""
    return call("argsort", (data,), {"axis": axis, "descending": descending, "dtype": dtype}, name)


def topk(
    data: Tensor, k: int = 1, axis: int = -1, ret_type: str = "both", largest: bool = True, dtype: str = "int32",
    name: str = "topk",
) -> Any:  # fmt: skip
    """The `k` largest or smallest elements along an axis and their indices, in order: `ret_type` says which of both."""
    attrs = {"k": k, "axis": axis, "ret_type": ret_type, "largest": largest, "dtype": dtype}
    return call("topk", (data,), attrs, name)
