"""Shapes: rearranging, picking and making elements."""

from __future__ import annotations

from typing import Any

from .. import te
from ..te.tensor import Tensor
from .formula import apply, cast, of_one_type, same
from .layout import layout_transform as layout_transform

globals().update({
    name: same(name)
    for name in ("gather_elements", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like")
})  # fmt: skip


def expand_dims(a: Tensor, axis: int, num_newaxis: int = 1) -> Tensor:
    """The tensor with dimensions of 1 put in at `axis`."""
    axes = list(axis) if isinstance(axis, (list, tuple)) else None
    if axes is None:
        first = axis + len(a.shape) + 1 if axis < 0 else axis
        axes = list(range(first, first + num_newaxis))
    return apply("expand_dims", (a,), {"axis": axes})


def squeeze(a: Tensor, axis: Any = None) -> Tensor:
    """The tensor without dimensions of 1."""
    return apply("squeeze", (a,), {"axis": [axis] if isinstance(axis, int) else axis})


def transpose(a: Tensor, axes: Any = None) -> Tensor:
    """The tensor with its dimensions in another order, without one in the reverse."""
    return apply("permute_dims", (a,), {"axes": axes})


def reshape(a: Tensor, newshape: Any) -> Tensor:
    """The elements in order, in another shape."""
    return apply("reshape", (a, newshape), {})


def concatenate(a_tuple: Any, axis: int = 0) -> Tensor:
    """Tensors one behind the other."""
    return apply("concat", (list(a_tuple),), {"axis": axis})


def stack(tensors: Any, axis: int = 0) -> Tensor:
    """Tensors of one shape along a dimension of their own."""
    return apply("stack", (list(tensors),), {"axis": axis})


def split(ary: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """So many equal parts of a tensor, or the parts between indices."""
    return apply("split", (ary,), {"indices_or_sections": indices_or_sections, "axis": axis})


def flip(a: Tensor, axis: int = 0) -> Tensor:
    """The elements of a dimension from the last to the first."""
    return apply("flip", (a,), {"axis": axis})


def repeat(a: Tensor, repeats: int, axis: int | None) -> Tensor:
    """Each element of a dimension so many times."""
    return apply("repeat", (a,), {"repeats": repeats, "axis": axis})


def tile(a: Tensor, reps: Any) -> Tensor:
    """The whole tensor so many times along each dimension."""
    return apply("tile", (a,), {"repeats": [reps] if isinstance(reps, int) else list(reps)})


def take(a: Tensor, indices: Any, axis: int | None = None, batch_dims: int = 0, mode: str = "fast") -> Tensor:
    """The elements at indices along a dimension, or of all elements in order."""
    if batch_dims:
        raise ValueError("`take` of a batch is `gather_nd` or `gather`: `batch_dims` is 0 here")
    if axis is None:
        a, axis = apply("flatten", (a,), {}), 0
    return apply("take", (a, indices), {"axis": axis, "mode": mode})


def gather(data: Tensor, axis: int, indices: Tensor) -> Tensor:
    """For each index the element at it along a dimension."""
    return apply("gather_elements", (data, indices), {"axis": axis})


def _last_behind(indices: Tensor) -> Tensor:
    """The indices with their first dimension as the last, where the graph operators have it."""
    return apply("permute_dims", (indices,), {"axes": [*range(1, len(indices.shape)), 0]})


def gather_nd(a: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
    """The elements or slices at `indices[:, …]`, one index for each dimension along the first."""
    return apply("gather_nd", (a, _last_behind(indices)), {"batch_dims": batch_dims})


def scatter_elements(
    data: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "update"
) -> Tensor:
    """The tensor with elements at indices along a dimension exchanged for, or joined with, others."""
    return apply("scatter_elements", (data, indices, updates), {"axis": axis, "reduction": reduction})


def scatter_nd(data: Tensor, indices: Tensor, updates: Tensor, mode: str) -> Tensor:
    """The tensor with elements or slices at `indices[:, …]` exchanged for, or joined with, others."""
    return apply("scatter_nd", (data, _last_behind(indices), updates), {"reduction": mode})


def adv_index(data: Tensor, indices: Any) -> Tensor:
    """The elements at tensors of indices that broadcast."""
    return index_tensor(data, indices)


def index_tensor(data: Tensor, indices: Any) -> Tensor:
    """The elements at tensors of indices that broadcast."""
    return apply("index_tensor", (data, list(indices)), {})


def index_put(data: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """The tensor with elements at tensors of indices exchanged for others, or with others added to them."""
    return apply("index_put", (data, list(indices), values), {"accumulate": accumulate})


def strided_slice(
    a: Tensor, begin: Any, end: Any, strides: Any = None, axes: Any = None, slice_mode: str = "end",
    assume_inbound: bool = True,
) -> Tensor:  # fmt: skip
    """Every so manieth element from `begin` to `end` of dimensions, the first ones where none are said.

    With the `slice_mode` "size" `end` are numbers of elements, -1 for all that are left, and `strides` are 1. Places
    behind the last element stand for the end, as in Python, unless `assume_inbound` promises that there are none.
    """
    if slice_mode not in ("end", "size"):
        raise ValueError(f'topi.strided_slice: `slice_mode` is "end" or "size", not "{slice_mode}"')
    begin, end = list(begin), list(end)
    axes = list(range(len(begin))) if axes is None else list(axes)
    if slice_mode == "size":
        sizes = [
            a.shape[axis] if int(size) == -1 else at + size for at, size, axis in zip(begin, end, axes, strict=True)
        ]
        end, strides = sizes, None
    steps = None if strides is None else [*strides, *[1] * (len(begin) - len(strides))]
    return apply("strided_slice", (a, axes, begin, end, steps), {})


def where(condition: Any, x: Any, y: Any) -> Tensor:
    """Elements of `x` where the condition holds (is not 0), else of `y`."""
    return apply("where", (cast(condition, "bool"), *of_one_type(x, y)), {})


def one_hot(indices: Tensor, on_value: Any, off_value: Any, depth: int, axis: int, dtype: Any) -> Tensor:
    """For each index a row that is `on_value` at it and `off_value` elsewhere."""
    on, off = (te.const(value, str(dtype)) for value in (on_value, off_value))
    return apply("one_hot", (indices, on, off), {"depth": depth, "axis": axis})


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "float32") -> Tensor:
    """Numbers from `start` to before `stop`, `step` apart; of one argument, from 0 to before it."""
    start, stop = (0, start) if stop is None else (start, stop)
    return apply("arange", (start, stop, step), {"dtype": str(dtype)})


def eye(n: int, m: int | None = None, k: int = 0, dtype: Any = "float32") -> Tensor:
    """A matrix with 1 on its diagonal `k`."""
    return apply("eye", (n, n if m is None else m, k), {"dtype": str(dtype)})


def meshgrid(a_tuple: Any, indexing: str) -> list[Tensor]:
    """The coordinates of a grid's points."""
    return apply("meshgrid", (list(a_tuple),), {"indexing": indexing})


def trilu(data: Tensor, k: Any, upper: bool) -> Tensor:
    """The triangle above (`upper`) or below the diagonal `k`, with 0 elsewhere."""
    return apply("triu" if upper else "tril", (data,), {"k": k})


def shape(array: Tensor, dtype: Any = "int32") -> Tensor:
    """The dimensions as a tensor."""
    dims = [te.const(dim, str(dtype)) if isinstance(dim, int) else dim.astype(str(dtype)) for dim in array.shape]

    def element(at: Any) -> Any:
        value = dims[-1]
        for place in reversed(range(len(dims) - 1)):
            value = te.if_then_else(at == place, dims[place], value)
        return value

    return te.compute((len(dims),), element, name="T_shape")


def sequence_mask(data: Tensor, valid_length: Tensor, mask_value: Any = 0, axis: int = 0) -> Tensor:
    """The elements of a dimension (0 or 1) before the length of their sequence, and a number behind it."""
    if axis not in (0, 1):
        raise ValueError(f"sequences run along dimension 0 or 1, found {axis}")

    def element(*at: Any) -> Any:
        inside = at[axis].astype(valid_length.dtype) < valid_length(at[1 - axis])
        return te.if_then_else(inside, data(*at), te.const(mask_value, data.dtype))

    return te.compute(data.shape, element, name="T_sequence_mask")


def sort(data: Tensor, axis: int = -1, is_ascend: bool = True) -> Tensor:
    """The elements of a dimension in order."""
    return apply("sort", (data,), {"axis": axis, "descending": not is_ascend})


def argsort(
    data: Tensor, valid_count: None = None, axis: int = -1, is_ascend: bool = True, dtype: Any = "float32"
) -> Tensor:
    """The places of the elements of a dimension in order."""
    if valid_count is not None:
        raise ValueError("`argsort` sorts whole dimensions: `valid_count` is None here")
    places = apply("argsort", (data,), {"axis": axis, "descending": not is_ascend, "dtype": "int32"})
    return places if str(dtype) == "int32" else apply("astype", (places,), {"dtype": str(dtype)})


def topk(
    data: Tensor, k: int = 1, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: Any = "int64"
) -> Any:
    """The `k` largest (or, ascending, smallest) elements of a dimension and their places."""
    said = {"k": k, "axis": axis, "ret_type": ret_type, "largest": not is_ascend, "dtype": str(dtype)}
    return apply("topk", (data,), said)


def searchsorted(sorted_sequence: Tensor, values: Tensor, right: bool = False, out_dtype: Any = "int64") -> Tensor:
    """The place of each value among sorted numbers."""
    found = apply("bucketize", (values, sorted_sequence), {"right": right})
    return found if found.dtype == str(out_dtype) else apply("astype", (found,), {"dtype": str(out_dtype)})


__all__ = sorted([
    "adv_index", "arange", "argsort", "concatenate", "expand_dims", "eye", "flip", "gather", "gather_elements",
    "gather_nd", "index_put", "index_tensor", "layout_transform", "meshgrid", "one_hot", "ones", "ones_like", "repeat",
    "reshape", "scatter_elements", "scatter_nd", "searchsorted", "sequence_mask", "shape", "sort", "split", "squeeze",
    "stack", "strided_slice", "take", "tile", "topk", "transpose", "tril", "trilu", "triu", "where", "zeros",
    "zeros_like",
])  # fmt: skip
