"""Layers of networks."""

from __future__ import annotations

from typing import Any

from ... import _core
from ...te.tensor import Tensor
from ..formula import functions
from . import pooling as pooling

_NAMES = {"leaky_relu": "nn.leakyrelu"} | {
    name: f"nn.{name}"
    for name in (
        "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
        "batch_norm", "conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "gelu",
        "gelu_tanh", "group_norm", "instance_norm", "layer_norm", "log_softmax", "max_pool1d", "max_pool2d",
        "max_pool3d", "pad", "pixel_shuffle", "prelu", "relu", "rms_norm", "selu", "silu", "softmax", "softplus",
    )
}  # fmt: skip

globals().update(functions(_NAMES))


def dense(data: Tensor, weight: Tensor, bias: Tensor | None = None, out_dtype: Any = None) -> Tensor:
    """`data @ weight.T`, plus a bias for each column where there is one."""
    return _core.te_dense(data, weight, bias, str(out_dtype or data.dtype))


__all__ = sorted([*(name for name in _NAMES if name in globals()), "dense", "pooling"])
