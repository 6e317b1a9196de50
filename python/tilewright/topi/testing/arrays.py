"""Products, indices, windows and moved elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

__all__ = [
    "adaptive_pool", "batch_matmul", "dense", "depth_to_space_python", "gather_nd_python", "gather_python",
    "l2_normalize_python", "matrix_set_diag", "one_hot", "poolnd_python", "resize2d_python", "scatter_elements",
    "scatter_nd", "searchsorted_ref", "sequence_mask", "slice_axis_python", "space_to_depth_python",
    "strided_set_python", "strided_slice_python", "trilu_python",
]  # fmt: skip


def batch_matmul(x: Any, y: Any, out_dtype: Any = None, trans_x: bool = False, trans_y: bool = True) -> Any:
    """Products of matrices, one for each item of the batch."""
    x = x.transpose(0, 2, 1) if trans_x else x
    y = y.transpose(0, 2, 1) if trans_y else y
    return np.matmul(x.astype(out_dtype or x.dtype), y.astype(out_dtype or y.dtype))


def dense(
    x: Any, y: Any, bias: Any = None, use_bias: bool = False, use_relu: bool = False, out_dtype: Any = None
) -> Any:
    """`x @ y.T`, perhaps with a bias and without what is negative."""
    made = np.dot(x.astype(out_dtype or x.dtype), y.T.astype(out_dtype or y.dtype))
    made = made + bias if use_bias else made
    return np.maximum(made, 0) if use_relu else made


def l2_normalize_python(a_np: Any, eps: float, axis: Any = None) -> Any:
    """The elements divided by the root of the sum of their squares, which is `eps` at least."""
    total = np.sum(np.square(a_np), axis=axis, keepdims=True)
    return a_np / np.sqrt(np.maximum(total, eps))


def gather_python(data: Any, axis: int, indices: Any) -> Any:
    """The elements at these indices along an axis."""
    return np.take_along_axis(data, indices.astype("int64"), axis)


def gather_nd_python(a_np: Any, indices_np: Any) -> Any:
    """The elements at these indices, whose first dimension is that of the axes."""
    return a_np[tuple(indices_np.astype("int64"))]


_UPDATES = {
    "add": lambda old, new: old + new, "mul": lambda old, new: old * new, "min": np.minimum, "max": np.maximum,
    "update": lambda old, new: new,
}  # fmt: skip


def scatter_elements(data: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "update") -> Any:
    """The data with updates at indices along an axis; `mean` averages what falls on one element."""
    out, counts = data.copy(), np.ones(data.shape)
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        key = tuple(target)
        if reduction == "mean":
            out[key] += updates[place]
            counts[key] += 1
        else:
            out[key] = _UPDATES[reduction](out[key], updates[place])
    return (out / counts).astype(data.dtype) if reduction == "mean" else out


def scatter_nd(data_np: Any, indices_np: Any, updates_np: Any, mode: str = "add") -> Any:
    """The data with updates at indices, whose first dimension is that of the axes."""
    out = data_np.copy()
    for place in np.ndindex(*indices_np.shape[1:]):
        key = tuple(indices_np[(slice(None), *place)])
        out[key] = _UPDATES[mode](out[key], updates_np[place])
    return out


def one_hot(indices: Any, on_value: float, off_value: float, depth: int, axis: int, dtype: str) -> Any:
    """A value at each index along a new axis, another one elsewhere."""
    axis = indices.ndim if axis == -1 else axis
    hot = np.expand_dims(indices, axis) == np.arange(depth).reshape([-1] + [1] * (indices.ndim - axis))
    return np.where(hot, on_value, off_value).astype(dtype)


def searchsorted_ref(sorted_sequence: Any, values: Any, right: bool, out_dtype: str) -> Any:
    """The places of values in sorted rows."""
    side = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side).astype(out_dtype)
    rows, wanted = sorted_sequence.reshape(-1, sorted_sequence.shape[-1]), values.reshape(-1, values.shape[-1])
    found = [np.searchsorted(row, own, side) for row, own in zip(rows, wanted, strict=True)]
    return np.array(found).reshape(values.shape).astype(out_dtype)


def sequence_mask(data: Any, valid_length: Any, mask_value: float, axis: int) -> Any:
    """A value after the end of each sequence; sequences are along axis 0 or 1, the batch along the other one."""
    step = np.arange(data.shape[axis]).reshape([-1 if at == axis else 1 for at in range(data.ndim)])
    ends = valid_length.reshape([-1 if at == 1 - axis else 1 for at in range(data.ndim)])
    return np.where(step < ends, data, np.asarray(mask_value, data.dtype))


def matrix_set_diag(input_np: Any, diagonal: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Matrices with another diagonal, or others from one to another."""
    low, high = (k, k) if isinstance(k, int) else (k[0], k[-1])
    out, (rows, columns) = input_np.copy(), input_np.shape[-2:]
    given = diagonal if low != high else np.expand_dims(diagonal, -2)
    above, below = align.split("_")
    for offset in range(low, high + 1):
        count = min(rows + min(offset, 0), columns - max(offset, 0))
        side = above if offset >= 0 else below
        begin = given.shape[-1] - count if side == "RIGHT" and low != high else 0
        for place in range(count):
            at = (..., place + max(-offset, 0), place + max(offset, 0))
            out[at] = given[..., high - offset, begin + place]
    return out


def trilu_python(data: Any, upper: bool, k: int = 0) -> Any:
    """The upper or the lower triangle of matrices."""
    return np.triu(data, k) if upper else np.tril(data, k)


def strided_slice_python(
    data: Any,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    slice_mode: str = "end",
    axes: Any = None,
) -> Any:
    """A slice along each axis; in the mode `size`, `end` has lengths, of which -1 is all that is left."""
    axes = list(range(len(begin))) if axes is None else list(axes)
    parts = [slice(None)] * data.ndim
    for index, axis in enumerate(axes):
        first, last = begin[index], end[index] if index < len(end) else None
        step = strides[index] if strides is not None and index < len(strides) else 1
        if slice_mode == "size":
            last = None if last is None or last < 0 else (begin[index] or 0) + last
            step = 1
        if last is not None and step < 0 and last < -data.shape[axis]:
            last = None
        parts[axis] = slice(first, last, step)
    return data[tuple(parts)]


def strided_set_python(data: Any, v: Any, begin: Sequence[int], end: Sequence[int], strides: Sequence[int]) -> Any:
    """The data with a slice replaced."""
    out = data.copy()
    out[tuple(slice(*one) for one in zip(begin, end, strides, strict=True))] = v
    return out


def slice_axis_python(data: Any, axis: int, begin: int, end: int | None = None) -> Any:
    """A slice along one axis."""
    return data[(*[slice(None)] * axis, slice(begin, end))]


def depth_to_space_python(data: Any, block_size: int, mode: str = "DCR") -> Any:
    """Channels as blocks of an image."""
    n, c, h, w = data.shape
    small = c // block_size**2
    if mode == "DCR":
        parts = data.reshape(n, block_size, block_size, small, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = data.reshape(n, small, block_size, block_size, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(n, small, h * block_size, w * block_size)


def space_to_depth_python(data: Any, block_size: int) -> Any:
    """Blocks of an image as channels."""
    n, c, h, w = data.shape
    parts = data.reshape(n, c, h // block_size, block_size, w // block_size, block_size)
    return parts.transpose(0, 3, 5, 1, 2, 4).reshape(n, c * block_size**2, h // block_size, w // block_size)


def poolnd_python(
    np_data: Any,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    padding_before: Sequence[int],
    padding_after: Sequence[int],
    pool_type: str,
    count_include_pad: bool = True,
    ceil_mode: bool = False,
    dtype: str = "float32",
    layout: str | None = None,
) -> Any:
    """Pooling of windows; channels are the second dimension, or the last one where the layout ends with C."""
    last = layout is not None and layout.endswith("C") and not layout.startswith("NC")
    data = np.moveaxis(np_data, -1, 1) if last else np_data
    rank, fill = len(kernel), -np.inf if pool_type == "max" else 0.0
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True)]
    rounded = math.ceil if ceil_mode else math.floor
    sizes, around = [], []
    for axis in range(rank):
        whole = data.shape[2 + axis] + padding_before[axis] + padding_after[axis]
        sizes.append(int(rounded((whole - reach[axis]) / strides[axis])) + 1)
        around.append((padding_before[axis], padding_after[axis] + strides[axis] - 1))
    pad = lambda values, value: np.pad(  # noqa: E731
        values.astype("float64"), [(0, 0), (0, 0), *around], constant_values=value
    )
    padded, inside = pad(data, fill), pad(np.ones_like(data), 0.0)
    if count_include_pad:
        shapes = zip(data.shape[2:], padding_before, padding_after, strict=True)
        inside[(slice(None), slice(None), *(slice(0, n + low + high) for n, low, high in shapes))] = 1.0
    windows, counts = [], []
    for tap in product(*map(range, kernel)):
        at = [slice(place * d, place * d + (n - 1) * s + 1, s)
              for place, d, n, s in zip(tap, dilation, sizes, strides, strict=True)]  # fmt: skip
        windows.append(padded[(slice(None), slice(None), *at)])
        counts.append(inside[(slice(None), slice(None), *at)])
    made = np.max(windows, axis=0) if pool_type == "max" else np.sum(windows, axis=0) / np.sum(counts, axis=0)
    return (np.moveaxis(made, 1, -1) if last else made).astype(dtype)


def adaptive_pool(np_data: Any, out_size: Any, pool_type: str, layout: str = "NCHW") -> Any:
    """Pooling of windows that divide the spatial dimensions as evenly as they can."""
    last = layout.endswith("C")
    data = np.moveaxis(np_data, -1, 1) if last else np_data
    rank = data.ndim - 2
    sizes = (out_size,) * rank if isinstance(out_size, int) else tuple(out_size)
    out = np.zeros((*data.shape[:2], *sizes), data.dtype)
    for place in np.ndindex(*sizes):
        window = tuple(
            slice(index * n // size, -(-(index + 1) * n // size))
            for index, n, size in zip(place, data.shape[2:], sizes, strict=True)
        )
        part = data[(slice(None), slice(None), *window)]
        axes = tuple(range(2, data.ndim))
        out[(slice(None), slice(None), *place)] = part.mean(axis=axes) if pool_type == "avg" else part.max(axis=axes)
    return np.moveaxis(out, 1, -1) if last else out


def _source(index: Any, size: int, new: int, mode: str) -> Any:
    """The coordinate in the original that an index of the resized dimension has."""
    if mode == "align_corners":
        return index * ((size - 1) / (new - 1)) if new > 1 else index * 0.0
    scale = size / new
    if mode == "asymmetric":
        return index * scale
    if mode == "half_pixel":
        return (index + 0.5) * scale - 0.5
    raise ValueError(f"the coordinates of this kind have no reference: {mode}")


def resize2d_python(
    data: Any, scale: Sequence[float], layout: str = "NCHW", method: str = "bilinear",
    coordinate_transformation_mode: str = "align_corners",
) -> Any:  # fmt: skip
    """Images of other sizes, by the nearest element (at or below the coordinate) or linear between four."""
    images = data.transpose(0, 3, 1, 2) if layout == "NHWC" else data
    height, width = images.shape[2:]
    new = [round(height * scale[0]), round(width * scale[1])]
    y, x = (_source(np.arange(n, dtype="float64"), size, n, coordinate_transformation_mode)
            for n, size in zip(new, (height, width), strict=True))  # fmt: skip
    if method == "nearest_neighbor":
        pick = lambda at, size: np.clip(np.floor(at + 1e-5), 0, size - 1).astype("int64")  # noqa: E731
        made = images[:, :, pick(y, height)][:, :, :, pick(x, width)]
    elif method == "bilinear":
        made = images.astype("float64")
        for axis, at, size in ((2, y, height), (3, x, width)):
            low = np.floor(at)
            share = (at - low).reshape([-1 if place == axis else 1 for place in range(4)])
            first, second = (np.clip(low + step, 0, size - 1).astype("int64") for step in (0, 1))
            made = np.take(made, first, axis) * (1 - share) + np.take(made, second, axis) * share
        made = made.astype(data.dtype)
    else:
        raise ValueError(f"the reference has the methods nearest_neighbor and bilinear, found {method}")
    return made.transpose(0, 2, 3, 1) if layout == "NHWC" else made
