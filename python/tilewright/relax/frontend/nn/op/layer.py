"""Layers of networks: convolutions, normalisations, attention, images."""

from __future__ import annotations

import math
from typing import Any

from ..core import Tensor, refused
from . import manipulate
from .binding import call, like

__all__ = [
    "conv1d", "conv1d_transpose", "conv2d", "conv3d", "get_timestep_embedding", "group_norm", "interpolate",
    "layer_norm", "rms_norm", "scaled_dot_product_attention",
]  # fmt: skip


def _with_bias(result: Tensor, bias: Tensor | None, channel: int, name: str) -> Tensor:
    if bias is None:
        return result
    shape = [1] * result.ndim
    shape[channel] = bias.shape[0]
    return call("add", (result, manipulate.reshape(bias, shape)), {}, f"{name}_bias")


def conv1d(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, name: str = "conv1d",
) -> Tensor:  # fmt: skip
    """The convolution of (n, channels, w) with (outputs, channels / groups, k), plus a bias for each output."""
    attrs = {"strides": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return _with_bias(call("nn.conv1d", (x, weight), attrs, name), bias, 1, name)


def conv2d(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_layout: str = "NCHW", name: str = "conv2d",
) -> Tensor:  # fmt: skip
    """The convolution of images with (outputs, channels / groups, kh, kw), plus a bias for each output."""
    attrs = {"strides": stride, "padding": padding, "dilation": dilation, "groups": groups, "data_layout": data_layout}
    return _with_bias(call("nn.conv2d", (x, weight), attrs, name), bias, data_layout.index("C"), name)


def conv3d(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_layout: str = "NCDHW", name: str = "conv3d",
) -> Tensor:  # fmt: skip
    """The convolution of volumes with (outputs, channels / groups, kd, kh, kw), plus a bias for each output."""
    attrs = {"strides": stride, "padding": padding, "dilation": dilation, "groups": groups, "data_layout": data_layout}
    return _with_bias(call("nn.conv3d", (x, weight), attrs, name), bias, data_layout.index("C"), name)


def conv1d_transpose(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    dilation: Any = 1, groups: int = 1, name: str = "conv1d_transpose",
) -> Tensor:  # fmt: skip
    """The transposed convolution of (n, channels, w) with (channels, outputs / groups, k), plus a bias."""
    attrs = {
        "strides": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation,
        "groups": groups,
    }  # fmt: skip
    return _with_bias(call("nn.conv1d_transpose", (x, weight), attrs, name), bias, 1, name)


def layer_norm(
    x: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
    name: str = "layer_norm",
) -> Tensor:  # fmt: skip
    """The last axes, as many as `normalized_shape` has, brought to mean 0 and variance 1, times weight plus bias."""
    shape = list(normalized_shape) if isinstance(normalized_shape, (list, tuple)) else [normalized_shape]
    scale, center = weight is not None, bias is not None
    weight = weight if weight is not None else manipulate.ones(shape, x.dtype)
    bias = bias if bias is not None else manipulate.zeros(shape, x.dtype)
    attrs = {"axes": list(range(-len(shape), 0)), "epsilon": eps, "center": center, "scale": scale}
    return call("nn.layer_norm", (x, weight, bias), attrs, name)


def rms_norm(x: Tensor, weight: Tensor, axes: Any, epsilon: float = 1e-5, name: str = "rms_norm") -> Tensor:
    """The elements divided by the root of their mean square along axes, times a weight."""
    axes = list(axes) if isinstance(axes, (list, tuple)) else [axes]
    return call("nn.rms_norm", (x, weight), {"axes": axes, "epsilon": epsilon}, name)


def group_norm(
    x: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float = 1e-5, channel_axis: int = 1,
    axes: list[int] | None = None, name: str = "group_norm",
) -> Tensor:  # fmt: skip
    """Groups of channels, each brought to mean 0 and variance 1 along `axes`, times weight plus bias of the channel.

    Without `axes` these are all but the first and the channels'.
    """
    if axes is None:
        axes = [axis for axis in range(1, x.ndim) if axis != channel_axis % x.ndim]
    channels = [x.shape[channel_axis]]
    scale, center = weight is not None, bias is not None
    weight = weight if weight is not None else manipulate.ones(channels, x.dtype)
    bias = bias if bias is not None else manipulate.zeros(channels, x.dtype)
    attrs = {
        "num_groups": num_groups, "channel_axis": channel_axis, "axes": list(axes), "epsilon": eps, "center": center,
        "scale": scale,
    }  # fmt: skip
    return call("nn.group_norm", (x, weight, bias), attrs, name)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, is_causal: bool | None = False,
    scale: float | None = None, name: str = "scaled_dot_product_attention",
) -> Tensor:  # fmt: skip
    """Attention of (batch, queries, heads, width) to (batch, keys, heads, width).

    `attn_mask` is added to the products; `is_causal` hides keys after a query; `scale` is 1 / sqrt(width) unless it
    is given.
    """
    attrs = {"scale": scale, "causal_mask": "TopLeft" if is_causal else None}
    if attn_mask is None:
        return call("nn.attention", (query, key, value), attrs, name)
    return call("nn.attention_bias", (query, key, value, attn_mask), attrs, name)


def interpolate(
    x: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool | None = None, data_layout: str = "NCHW",
    name: str = "interpolate",
) -> Tensor:  # fmt: skip
    """Images of another height and width: `size`, or the old ones times `scale_factor`."""
    if recompute_scale_factor or antialias:
        raise refused("op.interpolate: `recompute_scale_factor` and `antialias` are not supported")
    if (size is None) == (scale_factor is None):
        raise refused("op.interpolate takes one of `size` and `scale_factor`")
    if size is None:
        factors = scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * 2
        old = [x.shape[data_layout.index("H")], x.shape[data_layout.index("W")]]
        size = [math.floor(dim * own) if isinstance(dim, int) else dim * own for dim, own in zip(old, factors)]  # noqa: B905
    size = list(size) if isinstance(size, (list, tuple)) else [size, size]
    methods = {"nearest": "nearest_neighbor", "bilinear": "linear", "bicubic": "cubic"}
    nearest, between = mode.startswith("nearest"), "align_corners" if align_corners else "half_pixel"
    attrs = {
        "layout": data_layout, "method": methods.get(mode, mode),
        "coordinate_transformation_mode": "asymmetric" if nearest else between,
        "rounding_method": "floor" if nearest else "round", "cubic_alpha": -0.75,
    }  # fmt: skip
    return call("image.resize2d", (x, size), attrs, name)


def get_timestep_embedding(
    x: Tensor, embedding_dim: int, flip_sin_to_cos: bool = False, downscale_freq_shift: float = 1, scale: float = 1,
    max_period: int = 10000, name: str = "get_timestep_embedding",
) -> Tensor:  # fmt: skip
    """Sines and cosines of steps (n,) at `embedding_dim / 2` frequencies that fall from 1 towards 1 / `max_period`."""
    from .elementwise import astype, cos, exp, multiply, sin

    half = embedding_dim // 2
    steps = astype(x, "float32") if "float" not in x.dtype else x
    exponents = multiply(manipulate.arange(0, half, 1, steps.dtype), -math.log(max_period))
    frequencies = exp(call("divide", (exponents, like(half - downscale_freq_shift, exponents)), {}, "exponents"))
    angles = multiply(manipulate.unsqueeze(steps, 1), manipulate.unsqueeze(frequencies, 0))
    angles = angles if scale == 1 else multiply(angles, scale)
    parts = [cos(angles), sin(angles)] if flip_sin_to_cos else [sin(angles), cos(angles)]
    if embedding_dim % 2 == 0:
        return manipulate.concat(parts, -1, name)
    return manipulate.pad(manipulate.concat(parts, -1), [0, 0, 0, 1], name=name)
