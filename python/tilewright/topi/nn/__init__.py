"""Layers of networks."""

from __future__ import annotations

from typing import Any

from ... import _core
from ...te.tensor import Tensor
from ..formula import apply, refused, same, unary
from ..products import turned
from . import border, convolution, normalisation, pooling, window
from .border import *
from .convolution import *
from .normalisation import *
from .pooling import *
from .window import *

_UNARY = ("gelu", "gelu_tanh", "relu", "selu", "silu")
_SAME = (
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "conv1d_transpose", "conv2d_transpose", "conv3d", "conv3d_transpose", "max_pool1d", "max_pool2d", "max_pool3d",
    "pixel_shuffle",
)  # fmt: skip

globals().update({name: unary(f"nn.{name}") for name in _UNARY} | {name: same(f"nn.{name}") for name in _SAME})


def leaky_relu(x: Tensor, alpha: float) -> Tensor:
    """The elements above 0, and those below it times `alpha`."""
    return apply("nn.leakyrelu", (x,), {"alpha": alpha})


def prelu(x: Tensor, slope: Tensor, axis: int = 1) -> Tensor:
    """The elements above 0, and those below it times the slope of their channel."""
    return apply("nn.prelu", (x, slope), {"axis": axis})


def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`; `x` itself where `beta * x` is above the threshold."""
    return apply("nn.softplus", (x,), {"beta": beta, "threshold": threshold})


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """Exponentials over their sum along a dimension."""
    return apply("nn.softmax", (x,), {"axis": axis})


def fast_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """The same: exponentials are exact and fast alike."""
    return softmax(x, axis)


def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """The logarithms of `softmax`."""
    return apply("nn.log_softmax", (x,), {"axis": axis})


def dense(
    data: Tensor, weight: Tensor, bias: Tensor | None = None, out_dtype: Any = None,
    auto_scheduler_rewritten_layout: str = "", meta_schedule_original_shape: Any = None,
) -> Tensor:  # fmt: skip
    """`data @ weight.T`, plus a bias for each column where there is one."""
    _not_rewritten("dense", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    return _core.te_dense(data, weight, bias, str(out_dtype or data.dtype))


def matmul(
    tensor_a: Tensor, tensor_b: Tensor, bias: Tensor | None = None, out_dtype: Any = None, transpose_a: bool = False,
    transpose_b: bool = False, auto_scheduler_rewritten_layout: str = "", meta_schedule_original_shape: Any = None,
) -> Tensor:  # fmt: skip
    """The product of two matrices, plus a bias for each column where there is one."""
    _not_rewritten("matmul", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    left, right = (turned(tensor_a) if transpose_a else tensor_a), (turned(tensor_b) if transpose_b else tensor_b)
    product = apply("matmul", (left, right), {"out_dtype": "void" if out_dtype is None else str(out_dtype)})
    return product if bias is None else apply("add", (product, bias), {})


def batch_matmul(
    tensor_a: Tensor, tensor_b: Tensor, oshape: Any = None, out_dtype: Any = None, transpose_a: bool = False,
    transpose_b: bool = True, auto_scheduler_rewritten_layout: str = "", meta_schedule_original_shape: Any = None,
) -> Tensor:  # fmt: skip
    """The products of two batches of matrices, of which the second ones lie transposed unless it is said.

    `oshape` is the shape of the result where the two batches, being symbolic, do not say it.
    """
    _not_rewritten("batch_matmul", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    product = matmul(tensor_a, tensor_b, None, out_dtype, transpose_a, transpose_b)
    if oshape is None or list(oshape) == list(product.shape):
        return product
    return apply("reshape", (product, list(oshape)), {})


def _not_rewritten(name: str, layout: str, shape: Any) -> None:
    """Weights that a tuner has laid out anew are unknown here: the build lays out weights itself."""
    refused(name, auto_scheduler_rewritten_layout=layout, meta_schedule_original_shape=shape)


def nll_loss(predictions: Tensor, targets: Tensor, weights: Tensor, reduction: str, ignore_index: int) -> Tensor:
    """The negative logarithms of the targets' probabilities, weighted."""
    said = {"reduction": reduction, "ignore_index": ignore_index}
    return apply("nn.nll_loss", (predictions, targets, weights), said)


__all__ = sorted([
    *_SAME, *_UNARY, *border.__all__, *convolution.__all__, *normalisation.__all__, *pooling.__all__, *window.__all__,
    "batch_matmul",
    "dense", "fast_softmax", "leaky_relu", "log_softmax", "matmul", "nll_loss", "pooling", "prelu", "softmax",
    "softplus",
])  # fmt: skip
