"""Convolutions of one to three dimensions, by the layouts of their data."""

from __future__ import annotations

from typing import Any

from ...te.tensor import Tensor
from ..formula import apply
from .window import border, of_each

__all__ = [
    "conv1d", "conv1d_ncw", "conv1d_nwc", "conv1d_transpose_ncw", "conv2d", "conv2d_hwcn", "conv2d_nchw", "conv2d_nhwc",
    "conv2d_transpose_nchw", "conv3d_ncdhw", "conv3d_ndhwc", "conv3d_transpose_ncdhw", "depthwise_conv2d_nchw",
    "depthwise_conv2d_nhwc", "group_conv1d_ncw", "group_conv1d_nwc", "group_conv1d_transpose_ncw", "group_conv2d_nchw",
    "group_conv2d_nhwc", "group_conv2d_transpose_nchw", "group_conv3d_transpose_ncdhw",
]  # fmt: skip


def _spatial(layout: str) -> int:
    return len([letter for letter in layout if letter in "DHW"])


def _conv(
    data: Tensor, weight: Tensor, strides: Any, padding: Any, dilation: Any, groups: int, data_layout: str,
    kernel_layout: str, out_dtype: Any, op: str = "", **more: Any,
) -> Tensor:  # fmt: skip
    rank = _spatial(data_layout)
    size = [weight.shape[at] for at, letter in enumerate(kernel_layout) if letter in "DHW"]
    said = {
        "strides": of_each(strides, rank), "padding": border(padding, size, dilation, rank),
        "dilation": of_each(dilation, rank), "groups": groups, "data_layout": data_layout,
        "kernel_layout": kernel_layout, "out_dtype": "void" if out_dtype is None else str(out_dtype),
    }  # fmt: skip
    return apply(f"nn.conv{rank}d{op}", (data, weight), said | more)


def conv1d(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1, groups: int = 1,
    data_layout: str = "NCW", kernel_layout: str = "", out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution over one dimension."""
    kernel_layout = kernel_layout or {"NCW": "OIW", "NWC": "WIO"}[data_layout]
    return _conv(data, kernel, strides, padding, dilation, groups, data_layout, kernel_layout, out_dtype)


def conv1d_ncw(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1, out_dtype: Any = None
) -> Tensor:
    """A convolution of data `NCW` with a kernel `OIW`."""
    return conv1d(data, kernel, strides, padding, dilation, 1, "NCW", "OIW", out_dtype)


def conv1d_nwc(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1, out_dtype: Any = None
) -> Tensor:
    """A convolution of data `NWC` with a kernel `WIO`."""
    return conv1d(data, kernel, strides, padding, dilation, 1, "NWC", "WIO", out_dtype)


def group_conv1d_ncw(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1, groups: int = 1,
    out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution in groups of channels, of data `NCW` with a kernel `OIW`."""
    return conv1d(data, kernel, strides, padding, dilation, groups, "NCW", "OIW", out_dtype)


def group_conv1d_nwc(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1, groups: int = 1,
    out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution in groups of channels, of data `NWC` with a kernel `WIO`."""
    return conv1d(data, kernel, strides, padding, dilation, groups, "NWC", "WIO", out_dtype)


def conv2d(
    input: Tensor, filter: Tensor, strides: Any = 1, padding: Any = 0, dilation: Any = 1, data_layout: str = "NCHW",
    kernel_layout: str = "", out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution over two dimensions; the kernel's layout follows from the data's where it is not said."""
    kernel_layout = kernel_layout or {"NCHW": "OIHW", "NHWC": "HWIO", "HWCN": "HWIO"}[data_layout]
    return _conv(input, filter, strides, padding, dilation, 1, data_layout, kernel_layout, out_dtype)


def conv2d_nchw(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> Tensor:
    """A convolution of data `NCHW` with a kernel `OIHW`."""
    return conv2d(Input, Filter, stride, padding, dilation, "NCHW", "OIHW", out_dtype)


def conv2d_nhwc(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> Tensor:
    """A convolution of data `NHWC` with a kernel `HWIO`."""
    return conv2d(Input, Filter, stride, padding, dilation, "NHWC", "HWIO", out_dtype)


def conv2d_hwcn(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> Tensor:
    """A convolution of data `HWCN` with a kernel `HWIO`."""
    return conv2d(Input, Filter, stride, padding, dilation, "HWCN", "HWIO", out_dtype)


def group_conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int,
    out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution in groups of channels, of data `NCHW` with a kernel `OIHW`."""
    return _conv(Input, Filter, stride, padding, dilation, groups, "NCHW", "OIHW", out_dtype)


def group_conv2d_nhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int,
    out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution in groups of channels, of data `NHWC` with a kernel `HWIO`."""
    return _conv(Input, Filter, stride, padding, dilation, groups, "NHWC", "HWIO", out_dtype)


def depthwise_conv2d_nchw(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> Tensor:
    """A convolution of each channel on its own, `Filter` being `(channels, results of a channel, rows, columns)`."""
    channels, results, rows, columns = Filter.shape
    weight = apply("reshape", (Filter, [channels * results, 1, rows, columns]), {})
    return _conv(Input, weight, stride, padding, dilation, int(channels), "NCHW", "OIHW", out_dtype)


def depthwise_conv2d_nhwc(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> Tensor:
    """A convolution of each channel on its own, `Filter` being `(rows, columns, channels, results of a channel)`."""
    rows, columns, channels, results = Filter.shape
    weight = apply("reshape", (Filter, [rows, columns, 1, channels * results]), {})
    return _conv(Input, weight, stride, padding, dilation, int(channels), "NHWC", "HWIO", out_dtype)


def conv3d_ncdhw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int = 1,
    out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution of data `NCDHW` with a kernel `OIDHW`."""
    return _conv(Input, Filter, stride, padding, dilation, groups, "NCDHW", "OIDHW", out_dtype)


def conv3d_ndhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int = 1,
    out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution of data `NDHWC` with a kernel `DHWIO`."""
    return _conv(Input, Filter, stride, padding, dilation, groups, "NDHWC", "DHWIO", out_dtype)


def _transposed(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: Any, output_padding: Any, groups: int, rank: int
) -> Tensor:
    data_layout, kernel_layout = {1: ("NCW", "IOW"), 2: ("NCHW", "IOHW"), 3: ("NCDHW", "IODHW")}[rank]
    more = of_each(output_padding, rank)
    return _conv(data, kernel, stride, padding, 1, groups, data_layout, kernel_layout, out_dtype, "_transpose",
                 output_padding=more)  # fmt: skip


def conv1d_transpose_ncw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: Any, output_padding: Any
) -> Tensor:
    """The transposed convolution of data `NCW` with a kernel `IOW`."""
    return _transposed(data, kernel, stride, padding, out_dtype, output_padding, 1, 1)


def group_conv1d_transpose_ncw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: Any, output_padding: Any, groups: int
) -> Tensor:
    """The transposed convolution in groups of channels, of data `NCW` with a kernel `IOW`."""
    return _transposed(data, kernel, stride, padding, out_dtype, output_padding, groups, 1)


def conv2d_transpose_nchw(
    Input: Tensor,
    Filter: Tensor,
    strides: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
) -> Tensor:
    """The transposed convolution of data `NCHW` with a kernel `IOHW`."""
    return _transposed(Input, Filter, strides, padding, out_dtype, output_padding, 1, 2)


def group_conv2d_transpose_nchw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: Any, output_padding: Any, groups: int
) -> Tensor:
    """The transposed convolution in groups of channels, of data `NCHW` with a kernel `IOHW`."""
    return _transposed(data, kernel, stride, padding, out_dtype, output_padding, groups, 2)


def conv3d_transpose_ncdhw(
    Input: Tensor,
    Filter: Tensor,
    strides: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
) -> Tensor:
    """The transposed convolution of data `NCDHW` with a kernel `IODHW`."""
    return _transposed(Input, Filter, strides, padding, out_dtype, output_padding, 1, 3)


def group_conv3d_transpose_ncdhw(
    data: Tensor, kernel: Tensor, strides: Any, padding: Any, out_dtype: Any, output_padding: Any, groups: int
) -> Tensor:
    """The transposed convolution in groups of channels, of data `NCDHW` with a kernel `IODHW`."""
    return _transposed(data, kernel, strides, padding, out_dtype, output_padding, groups, 3)
