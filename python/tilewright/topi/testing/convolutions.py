"""Convolutions, as sums over the taps of a window; NumPy accumulates in float64."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

__all__ = [
    "conv1d_ncw_python", "conv1d_transpose_ncw_python", "conv2d_hwcn_python", "conv2d_nchw_python",
    "conv2d_nhwc_python", "conv2d_transpose_nchw_python", "conv2d_transpose_nhwc_python", "conv3d_ncdhw_python",
    "conv3d_ndhwc_python", "conv3d_transpose_ncdhw_python", "depthwise_conv2d_python_nchw",
    "depthwise_conv2d_python_nhwc", "dilate_python", "group_conv2d_nchw_python",
]  # fmt: skip


def _each(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def _borders(padding: Any, kernel: Sequence[int]) -> list[tuple[int, int]]:
    """The padding before and after each dimension: `SAME`, `VALID`, a number, or one or two for each."""
    rank = len(kernel)
    if padding == "VALID":
        return [(0, 0)] * rank
    if padding == "SAME":
        return [((size - 1) // 2, size - 1 - (size - 1) // 2) for size in kernel]
    given = _each(padding, rank)
    return list(zip(given[:rank], given[rank:] if len(given) == 2 * rank else given, strict=True))


def dilate_python(input_np: Any, strides: Sequence[int], dilation_value: float = 0.0, out_dtype: Any = None) -> Any:
    """The elements with gaps of a value between them."""
    shape = tuple((size - 1) * step + 1 for size, step in zip(input_np.shape, strides, strict=True))
    made = np.full(shape, dilation_value, out_dtype or input_np.dtype)
    made[tuple(slice(0, None, step) for step in strides)] = input_np
    return made


def _convolved(data: Any, weight: Any, stride: Any, padding: Any, dilation: Any = 1, groups: int = 1) -> Any:
    """Channels in the second dimension of the data and the first two of the weight (out, in)."""
    rank = data.ndim - 2
    stride, dilation = _each(stride, rank), _each(dilation, rank)
    kernel = weight.shape[2:]
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True)]
    padded = np.pad(data.astype("float64"), [(0, 0), (0, 0), *_borders(padding, reach)])
    sizes = [(n - r) // s + 1 for n, r, s in zip(padded.shape[2:], reach, stride, strict=True)]
    out = np.zeros((data.shape[0], weight.shape[0], *sizes))
    ins, outs = data.shape[1] // groups, weight.shape[0] // groups
    for tap in product(*map(range, kernel)):
        begins = [place * step for place, step in zip(tap, dilation, strict=True)]
        window = padded[(slice(None), slice(None), *(
            slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(begins, sizes, stride, strict=True)
        ))]  # fmt: skip
        for group in range(groups):
            part = window[:, group * ins : (group + 1) * ins]
            own = weight[(slice(group * outs, (group + 1) * outs), slice(None), *tap)].astype("float64")
            out[:, group * outs : (group + 1) * outs] += np.einsum("ni...,oi->no...", part, own)
    return out.astype(np.result_type(data, weight))


def conv1d_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any = 1) -> Any:
    """A convolution over one dimension."""
    return _convolved(a_np, w_np, stride, padding, dilation)


def conv2d_nchw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1) -> Any:
    """A convolution of images; the weight is dilated by the caller."""
    return _convolved(a_np, w_np, stride, padding, 1, groups)


def group_conv2d_nchw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int) -> Any:
    """A convolution of groups of channels."""
    return _convolved(a_np, w_np, stride, padding, 1, groups)


def conv2d_nhwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1) -> Any:
    """The same with channels last; the weight is of height, width, in, out."""
    made = _convolved(a_np.transpose(0, 3, 1, 2), w_np.transpose(3, 2, 0, 1), stride, padding, 1, groups)
    return made.transpose(0, 2, 3, 1)


def conv2d_hwcn_python(a_np: Any, w_np: Any, stride: Any, padding: Any) -> Any:
    """The same with the batch last."""
    made = _convolved(a_np.transpose(3, 2, 0, 1), w_np.transpose(3, 2, 0, 1), stride, padding)
    return made.transpose(2, 3, 1, 0)


def conv3d_ncdhw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1) -> Any:
    """A convolution of volumes."""
    return _convolved(a_np, w_np, stride, padding, 1, groups)


def conv3d_ndhwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1) -> Any:
    """The same with channels last; the weight is of depth, height, width, in, out."""
    made = _convolved(a_np.transpose(0, 4, 1, 2, 3), w_np.transpose(4, 3, 0, 1, 2), stride, padding, 1, groups)
    return made.transpose(0, 2, 3, 4, 1)


def _transposed(data: Any, weight: Any, stride: Any, padding: Any, output_padding: Any, groups: int = 1) -> Any:
    """A transposed convolution; the weight is of in, out."""
    rank = data.ndim - 2
    stride, more = _each(stride, rank), _each(output_padding, rank)
    kernel = weight.shape[2:]
    borders = _borders(padding, kernel)
    spread = dilate_python(data, (1, 1, *stride))
    around = [(k - 1 - low, k - 1 - high + extra)
              for k, (low, high), extra in zip(kernel, borders, more, strict=True)]  # fmt: skip
    padded = np.pad(spread, [(0, 0), (0, 0), *((max(low, 0), max(high, 0)) for low, high in around)])
    cut = [slice(max(-low, 0), padded.shape[2 + axis] - max(-high, 0)) for axis, (low, high) in enumerate(around)]
    padded = padded[(slice(None), slice(None), *cut)]
    flipped = np.flip(weight, tuple(range(2, weight.ndim)))
    ins, parts = data.shape[1] // groups, []
    for group in range(groups):
        own = flipped[group * ins : (group + 1) * ins].swapaxes(0, 1)
        parts.append(_convolved(padded[:, group * ins : (group + 1) * ins], own, 1, 0))
    return np.concatenate(parts, 1)


def conv1d_transpose_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any) -> Any:
    """A transposed convolution over one dimension."""
    return _transposed(a_np, w_np, stride, padding, output_padding)


def conv2d_transpose_nchw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any = 0, groups: int = 1
) -> Any:
    """A transposed convolution of images."""
    return _transposed(a_np, w_np, stride, padding, output_padding, groups)


def conv2d_transpose_nhwc_python(
    a_nhwc: Any, weight: Any, weight_format: str, stride: Any, padding: Any, output_padding: Any = 0
) -> Any:
    """The same with channels last; `weight_format` says the order of the weight's dimensions, such as `HWIO`."""
    order = [weight_format.index(letter) for letter in "IOHW"]
    made = _transposed(a_nhwc.transpose(0, 3, 1, 2), weight.transpose(order), stride, padding, output_padding)
    return made.transpose(0, 2, 3, 1)


def conv3d_transpose_ncdhw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any = 0) -> Any:
    """A transposed convolution of volumes."""
    return _transposed(a_np, w_np, stride, padding, output_padding)


def depthwise_conv2d_python_nchw(input_np: Any, filter_np: Any, stride: Any, padding: Any) -> Any:
    """A convolution of each channel by itself; the weight is of channel, multiplier, height, width."""
    channels, multiplier = filter_np.shape[:2]
    weight = filter_np.reshape(channels * multiplier, 1, *filter_np.shape[2:])
    return _convolved(input_np, weight, stride, padding, 1, channels)


def depthwise_conv2d_python_nhwc(input_np: Any, filter_np: Any, stride: Any, padding: Any) -> Any:
    """The same with channels last; the weight is of height, width, channel, multiplier."""
    made = depthwise_conv2d_python_nchw(
        input_np.transpose(0, 3, 1, 2), filter_np.transpose(2, 3, 0, 1), stride, padding
    )
    return made.transpose(0, 2, 3, 1)
