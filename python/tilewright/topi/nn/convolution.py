"""Convolutions of one to three dimensions, by the layouts of their data.

The functions of one layout differ in their names, their parameters and what they say to the formula: they are made from
a table.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from ...te.tensor import Tensor
from ..formula import apply, refused
from .window import border, of_each

# The layout of a kernel where only that of the data is said.
_KERNELS = {"NCW": "OIW", "NWC": "WIO", "NCHW": "OIHW", "NHWC": "HWIO", "HWCN": "HWIO", "NCDHW": "OIDHW",
            "NDHWC": "DHWIO"}  # fmt: skip
# Parameters that tuners set: the build lays out weights itself.
_REWRITTEN = {
    "auto_scheduler_rewritten_layout": "", "meta_schedule_original_shape": None, "meta_schedule_origin_shape": None,
}  # fmt: skip


def _spatial(layout: str) -> int:
    return len([letter for letter in layout if letter in "DHW"])


def _convolution(
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


def _kernel(data_layout: str, kernel_layout: str) -> str:
    if not kernel_layout and data_layout not in _KERNELS:
        raise ValueError(f"the layout of the kernel is to be said beside that of the data, `{data_layout}`")
    return kernel_layout or _KERNELS[data_layout]


def conv(
    inp: Tensor, filt: Tensor, stride: Any, padding: Any, dilation: Any, groups: int, data_layout: str,
    kernel_layout: str = "", out_dtype: Any = None, auto_scheduler_rewritten_layout: str | None = None,
    meta_schedule_original_shape: Any = None, auto_scheduler_should_rewrite_layout: bool = False,
) -> Tensor:  # fmt: skip
    """A convolution over as many dimensions as the layout of the data says."""
    refused("nn.conv", auto_scheduler_rewritten_layout=auto_scheduler_rewritten_layout,
            meta_schedule_original_shape=meta_schedule_original_shape,
            auto_scheduler_should_rewrite_layout=auto_scheduler_should_rewrite_layout or None)  # fmt: skip
    kernel_layout = _kernel(data_layout, kernel_layout)
    return _convolution(inp, filt, stride, padding, dilation, groups, data_layout, kernel_layout, out_dtype)


def conv1d(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1, groups: int = 1,
    data_layout: str = "NCW", kernel_layout: str = "", out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution over one dimension; the kernel's layout follows from the data's where it is not said."""
    return conv(data, kernel, strides, padding, dilation, groups, data_layout, kernel_layout, out_dtype)


def conv2d(
    input: Tensor, filter: Tensor, strides: Any, padding: Any, dilation: Any, data_layout: str = "NCHW",
    kernel_layout: str = "", out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution over two dimensions; the kernel's layout follows from the data's where it is not said."""
    return conv(input, filter, strides, padding, dilation, 1, data_layout, kernel_layout, out_dtype)


def _plain(data_layout: str, data: Tensor, weight: Tensor, *, groups: int = 1, **said: Any) -> Tensor:
    """A convolution of data `{data}` with a kernel `{kernel}`."""
    kernel_layout = _KERNELS[data_layout]
    return _convolution(data, weight, groups=groups, data_layout=data_layout, kernel_layout=kernel_layout, **said)


def _transposed(
    data_layout: str, data: Tensor, weight: Tensor, *, output_padding: Any, groups: int = 1, **said: Any
) -> Tensor:
    """The transposed convolution of data `{data}`, the kernel having the channels of the data first."""
    return _convolution(
        data, weight, dilation=1, groups=groups, data_layout=data_layout, kernel_layout=f"IO{data_layout[2:]}",
        op="_transpose", output_padding=of_each(output_padding, _spatial(data_layout)), **said,
    )  # fmt: skip


def _depthwise_nchw(data_layout: str, data: Tensor, weight: Tensor, **said: Any) -> Tensor:
    """A convolution of each channel on its own, the kernel being `(channels, results of a channel, rows, columns)`."""
    channels, results, rows, columns = weight.shape
    weight = apply("reshape", (weight, [channels * results, 1, rows, columns]), {})
    return _plain(data_layout, data, weight, groups=int(channels), **said)


def _depthwise_nhwc(data_layout: str, data: Tensor, weight: Tensor, *, kernel_layout: str, **said: Any) -> Tensor:
    """A convolution of each channel on its own, the kernel being `(rows, columns, channels, results of a channel)`, or
    with `kernel_layout="HWIO"` the last two the other way round."""
    if kernel_layout not in ("HWOI", "HWIO"):
        raise ValueError(f'topi.nn.depthwise_conv2d_nhwc: `kernel_layout` is "HWOI" or "HWIO", not "{kernel_layout}"')
    if kernel_layout == "HWIO":
        weight = apply("permute_dims", (weight,), {"axes": [0, 1, 3, 2]})
    rows, columns, channels, results = weight.shape
    weight = apply("reshape", (weight, [rows, columns, 1, channels * results]), {})
    return _plain(data_layout, data, weight, groups=int(channels), **said)


_OVER_ONE = {"strides": 1, "padding": "VALID", "dilation": 1, "out_dtype": None}
_NARROW, _WIDE = {"out_dtype": None}, {"out_dtype": "float32"}
# The function, its formula, the layout of its data, its parameters and their defaults.
_TABLE: tuple[tuple[str, Callable[..., Tensor], str, str, dict[str, Any]], ...] = (
    ("conv1d_ncw", _plain, "NCW", "data kernel strides padding dilation out_dtype", _OVER_ONE),
    ("conv1d_nwc", _plain, "NWC", "data kernel strides padding dilation out_dtype", _OVER_ONE),
    ("group_conv1d_ncw", _plain, "NCW", "data kernel strides padding dilation groups out_dtype",
     _OVER_ONE | {"groups": 1}),
    ("group_conv1d_nwc", _plain, "NWC", "data kernel strides padding dilation groups out_dtype",
     _OVER_ONE | {"groups": 1}),
    ("conv2d_nchw", _plain, "NCHW", "Input Filter stride padding dilation out_dtype", _NARROW),
    ("conv2d_nhwc", _plain, "NHWC", "Input Filter stride padding dilation out_dtype auto_scheduler_rewritten_layout "
     "meta_schedule_original_shape", _WIDE),
    ("conv2d_hwcn", _plain, "HWCN", "Input Filter stride padding dilation out_dtype", _NARROW),
    ("group_conv2d_nchw", _plain, "NCHW", "Input Filter stride padding dilation groups out_dtype", _NARROW),
    ("group_conv2d_nhwc", _plain, "NHWC", "Input Filter stride padding dilation groups out_dtype", _NARROW),
    ("conv3d_ncdhw", _plain, "NCDHW", "Input Filter stride padding dilation groups out_dtype", _NARROW),
    ("conv3d_ndhwc", _plain, "NDHWC", "Input Filter stride padding dilation groups out_dtype "
     "auto_scheduler_rewritten_layout meta_schedule_origin_shape", _WIDE),
    ("depthwise_conv2d_nchw", _depthwise_nchw, "NCHW", "Input Filter stride padding dilation out_dtype", _NARROW),
    ("depthwise_conv2d_nhwc", _depthwise_nhwc, "NHWC", "Input Filter stride padding dilation kernel_layout out_dtype",
     _NARROW | {"kernel_layout": "HWOI"}),
    ("conv1d_transpose_ncw", _transposed, "NCW", "data kernel stride padding out_dtype output_padding", {}),
    ("conv2d_transpose_nchw", _transposed, "NCHW", "Input Filter strides padding out_dtype output_padding", {}),
    ("conv3d_transpose_ncdhw", _transposed, "NCDHW", "Input Filter strides padding out_dtype output_padding", {}),
    ("group_conv1d_transpose_ncw", _transposed, "NCW", "data kernel stride padding out_dtype output_padding groups",
     {}),
    ("group_conv2d_transpose_nchw", _transposed, "NCHW", "data kernel stride padding out_dtype output_padding groups",
     {}),
    ("group_conv3d_transpose_ncdhw", _transposed, "NCDHW",
     "data kernel strides padding out_dtype output_padding groups", {}),
)  # fmt: skip


def _named(
    name: str, formula: Callable[..., Tensor], data_layout: str, parameters: str, defaults: dict[str, Any]
) -> Callable[..., Tensor]:
    """A formula of data of this layout, as a function of the data, the kernel and what is said of the convolution."""
    defaults = defaults | _REWRITTEN
    signature = Signature([
        Parameter(own, Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(own, Parameter.empty))
        for own in parameters.split()
    ])  # fmt: skip

    def function(*args: Any, **kwargs: Any) -> Tensor:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"topi.nn.{name}: {error}") from None
        bound.apply_defaults()
        (_, data), (_, weight), *rest = bound.arguments.items()
        said = {"strides" if own == "stride" else own: value for own, value in rest}
        refused(f"nn.{name}", **{own: said.pop(own) for own in _REWRITTEN if own in said})
        return formula(data_layout, data, weight, **said)

    function.__name__ = function.__qualname__ = name
    words = (formula.__doc__ or "").format(data=data_layout, kernel=_KERNELS[data_layout])
    grouped = "groups" in parameters.split()
    function.__doc__ = words.replace("convolution", "convolution in groups of channels", 1) if grouped else words
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


globals().update({name: _named(name, *row) for name, *row in _TABLE})
__all__ = sorted(["conv", "conv1d", "conv2d", *(row[0] for row in _TABLE)])
