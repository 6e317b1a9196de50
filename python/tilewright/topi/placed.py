"""Elements at indices in other tensors, and windows of tensors."""

from __future__ import annotations

from typing import Any

from .. import te
from ..te.tensor import Tensor
from . import utils
from .formula import apply, axis_of

__all__ = [
    "dynamic_strided_slice", "expand_like", "matrix_set_diag", "reverse_sequence", "slice_scatter", "sliding_window",
    "sparse_to_dense", "strided_set", "tensor_size", "unravel_index",
]  # fmt: skip


def tensor_size(array: Tensor, dtype: Any = "int32") -> Tensor:
    """The number of elements."""
    return te.compute((), lambda: te.const(1, str(dtype)) * utils.prod(array.shape), name="T_tensor_size")


def unravel_index(indices: Tensor, shape: Tensor) -> Tensor:
    """The indices of elements from their linear indices in a tensor of this shape: a row for each dimension."""
    count = int(shape.shape[0])

    def element(*at: Any) -> Any:
        found = utils.unravel_index(indices(*at[1:]), [shape(dim) for dim in range(count)])
        value = found[-1]
        for dim in reversed(range(count - 1)):
            value = te.if_then_else(at[0] == dim, found[dim], value)
        return value

    return te.compute([count, *indices.shape], element, name="T_unravel")


def reverse_sequence(a: Tensor, seq_lengths: Tensor, seq_axis: int = 1, batch_axis: int = 0) -> Tensor:
    """As many elements of each sequence as its length says, from the last to the first; later ones stay."""
    along, batch = axis_of(seq_axis, len(a.shape)), axis_of(batch_axis, len(a.shape))

    def element(*at: Any) -> Any:
        length = seq_lengths(at[batch]).astype(at[along].dtype)
        turned = te.max(te.min(length - 1 - at[along], a.shape[along] - 1), 0)
        place = te.if_then_else(at[along] < length, turned, at[along])
        return a(*at[:along], place, *at[along + 1 :])

    return te.compute(a.shape, element, name="T_reverse_sequence")


def matrix_set_diag(data: Tensor, diagonal: Tensor, k: int = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with other elements on their diagonal `k`. `align` is for several diagonals of different lengths."""
    if align not in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        raise ValueError(f'topi.matrix_set_diag: `align` is such as "RIGHT_LEFT", not "{align}"')
    if not isinstance(k, int):
        raise ValueError(f"topi.matrix_set_diag: one diagonal is set, by its number, found {k!r}")

    def element(*at: Any) -> Any:
        *batch, row, column = at
        own = diagonal(*batch, row if k >= 0 else column)
        return te.if_then_else(column - row == k, own, data(*at))

    return te.compute(data.shape, element, name="T_matrix_set_diag")


def sparse_to_dense(sparse_indices: Tensor, output_shape: Any, sparse_values: Tensor, default_value: Any = 0) -> Tensor:
    """A tensor of one number, but for the values at these indices; of several at one index, the last."""
    rank, (first, *others) = len(sparse_indices.shape), list(output_shape)
    count = sparse_indices.shape[0] if rank else 1

    def index(number: Any, dim: int) -> Any:
        return sparse_indices(*(number, dim)[:rank])

    def row(number: Any, dim: Any) -> Any:
        own = [(index(number, at), size) for at, size in enumerate([first, *others])]
        inside = te.all(*(one >= 0 for one, _ in own), *(one < size for one, size in own))
        # Indices outside of the tensor are written to a row after its last one.
        return te.if_then_else(inside, index(number, dim), te.if_then_else(dim == 0, first, 0))

    rows = te.compute([count, 1 + len(others)], row, name="rows")
    values = te.compute([count], lambda number: sparse_values(*[number][: len(sparse_values.shape)]), name="values")
    wider = te.compute([first + 1, *others], lambda *_: te.const(default_value, sparse_values.dtype), name="wider")
    filled = apply("scatter_nd", (wider, rows, values), {"reduction": "update"})
    return te.compute([first, *others], lambda *at: filled(*at), name="T_sparse_to_dense")


def _counted(index: Any, size: Any) -> Any:
    """An index counted from the first element: a negative one stands so far before the end."""
    if isinstance(index, int):
        return index + size if index < 0 else index
    return te.if_then_else(index < 0, index + size, index)


def _first(begin: Any, size: Any, step: Any) -> Any:
    """Where a slice begins: what lies outside of the dimension is cut off, on the side that the steps come from."""
    begin = _counted(begin, size)
    if isinstance(step, int):
        return te.max(begin, 0) if step > 0 else te.min(begin, size - 1)
    return te.if_then_else(step > 0, te.max(begin, 0), te.min(begin, size - 1))


def _stepped(data: Tensor, put: Tensor, bounds: list[tuple[Any, Any, Any] | None], name: str) -> Tensor:
    """`data` with `put` at every so manieth index of a slice, along the dimensions that have one."""

    def element(*at: Any) -> Any:
        inside, own = [], []
        for place, size, bound in zip(at, data.shape, bounds, strict=True):
            if bound is None:
                own.append(place)
                continue
            begin, end, step = bound
            distance, end = place - _first(begin, size, step), _counted(end, size)
            inside += [distance * step >= 0, (end - place) * step > 0, distance % step == 0]
            own.append(distance // step)
        clipped = [te.max(te.min(one, size - 1), 0) for one, size in zip(own, put.shape, strict=True)]
        return te.if_then_else(te.all(*inside), put(*clipped), data(*at)) if inside else put(*own)

    return te.compute(data.shape, element, name=name)


def strided_set(a: Tensor, v: Tensor, begin: Tensor, end: Tensor, strides: Tensor | None = None) -> Tensor:
    """`a` with `a[begin:end:strides]` replaced by `v`; negative indices count from the end of their dimension."""
    count = int(begin.shape[0])
    bounds: list[Any] = [(begin(dim), end(dim), 1 if strides is None else strides(dim)) for dim in range(count)]
    return _stepped(a, v, bounds + [None] * (len(a.shape) - count), "T_strided_set")


def slice_scatter(input_tensor: Tensor, src: Tensor, start: Any, end: Any, step: Any, axis: int) -> Tensor:
    """The tensor with the slice `[start:end:step]` of a dimension replaced by `src`, negative indices as there."""
    bounds: list[Any] = [None] * len(input_tensor.shape)
    bounds[axis_of(axis, len(bounds))] = (start, end, step)
    return _stepped(input_tensor, src, bounds, "T_slice_scatter")


def sliding_window(data: Tensor, axis: int, window_shape: Any, strides: Any) -> Tensor:
    """The windows of the dimensions from `axis` on: dimensions that number them, then those inside of them."""
    axis = axis_of(axis, len(data.shape))
    if not len(window_shape) == len(strides) == len(data.shape) - axis:
        raise ValueError(f"topi.sliding_window: {len(data.shape) - axis} dimensions have windows and strides")
    sizes = zip(data.shape[axis:], window_shape, strides, strict=True)
    shape = [*data.shape[:axis], *((size - window) // step + 1 for size, window, step in sizes), *window_shape]

    def element(*at: Any) -> Any:
        windows, inside = at[axis : len(data.shape)], at[len(data.shape) :]
        return data(*at[:axis], *(n * step + i for n, step, i in zip(windows, strides, inside, strict=True)))

    return te.compute(shape, element, name="T_sliding_window")


def dynamic_strided_slice(a: Tensor, begin: Tensor, end: Tensor, strides: Tensor, output_shape: Any) -> Tensor:
    """Every so manieth element from `begin` on, as many as `output_shape` says, which `end` then follows from.

    A negative `begin` counts from the end of its dimension.
    """

    def element(*at: Any) -> Any:
        begins = [_first(begin(dim), size, strides(dim)) for dim, size in enumerate(a.shape)]
        places = (first + index * strides(dim) for dim, (first, index) in enumerate(zip(begins, at, strict=True)))
        return a(*(te.max(te.min(one, size - 1), 0) for one, size in zip(places, a.shape, strict=True)))

    return te.compute(list(output_shape), element, name="T_strided_slice_dynamic")


def expand_like(a: Tensor, shape_like: Tensor, axis: Any) -> Tensor:
    """The tensor repeated along these dimensions of another, which it has not."""
    rank = len(shape_like.shape)
    repeated = {axis_of(int(one), rank) for one in axis}
    kept = [one for one in range(rank) if one not in repeated]
    return te.compute(shape_like.shape, lambda *at: a(*(at[one] for one in kept)), name="T_expand_like")
