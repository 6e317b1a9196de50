"""Normalisation and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "batch_norm", "group_norm_python", "instance_norm_python", "layer_norm_python", "log_softmax_python", "lrn_python",
    "rms_norm_python", "softmax_python",
]  # fmt: skip


def softmax_python(a_np: Any, axis: int = 1) -> Any:
    """The softmax along an axis."""
    powers = np.exp(a_np - a_np.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def log_softmax_python(a_np: Any, axis: int = 1) -> Any:
    """Its logarithm."""
    below = a_np - a_np.max(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


def _normalised(data: Any, axes: tuple[int, ...], epsilon: float) -> Any:
    mean, variance = data.mean(axis=axes, keepdims=True), data.var(axis=axes, keepdims=True)
    return (data - mean) / np.sqrt(variance + epsilon)


def _over(axes: Sequence[int] | int, rank: int) -> tuple[int, ...]:
    return tuple(axis % rank for axis in ([axes] if isinstance(axes, int) else axes))


def _at(values: Any, axes: Sequence[int], data: Any) -> Any:
    """The values along these axes, to be broadcast."""
    return values.reshape([data.shape[axis] if axis in axes else 1 for axis in range(data.ndim)])


def layer_norm_python(data: Any, gamma: Any, beta: Any, axis: Any, epsilon: float = 1e-5) -> Any:
    """Layer normalisation over the axes."""
    axes = _over(axis, data.ndim)
    made = _normalised(data.astype("float64"), axes, epsilon) * _at(gamma, axes, data)
    return (made if beta is None else made + _at(beta, axes, data)).astype(data.dtype)


def rms_norm_python(data: Any, weight: Any, axis: Any, epsilon: float = 1e-5) -> Any:
    """Normalisation by the root of the mean square."""
    axes = _over(axis, data.ndim)
    square = np.mean(np.square(data.astype("float64")), axis=axes, keepdims=True)
    return (data / np.sqrt(square + epsilon) * _at(weight, axes, data)).astype(data.dtype)


def instance_norm_python(data: Any, gamma: Any, beta: Any, axis: Any, epsilon: float = 1e-5) -> Any:
    """Normalisation of each channel of each item."""
    axes = _over(axis, data.ndim)
    made = _normalised(data.astype("float64"), axes, epsilon)
    return (made * _at(gamma, (1,), data) + _at(beta, (1,), data)).astype(data.dtype)


def group_norm_python(
    data: Any, gamma: Any, beta: Any, num_groups: int, channel_axis: int, axes: Sequence[int], epsilon: float = 1e-5
) -> Any:
    """Normalisation of groups of channels."""
    rank = data.ndim
    channel, over = channel_axis % rank, _over(axes, rank)
    shape = data.shape
    split = (*shape[:channel], num_groups, shape[channel] // num_groups, *shape[channel + 1 :])
    inside = (*(axis + (axis > channel) for axis in over), channel + 1)
    made = _normalised(data.astype("float64").reshape(split), inside, epsilon).reshape(shape)
    made = made if gamma is None else made * _at(gamma, (channel,), data)
    return (made if beta is None else made + _at(beta, (channel,), data)).astype(data.dtype)


def batch_norm(
    x: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
    training: bool = False,
    momentum: float = 0.1,
) -> list[Any]:
    """Batch normalisation: the result, and the running mean and variance after it."""
    others = tuple(other for other in range(x.ndim) if other != axis % x.ndim)
    mean, variance = (x.mean(axis=others), x.var(axis=others)) if training else (moving_mean, moving_var)
    at = lambda values: _at(values, (axis % x.ndim,), x)  # noqa: E731
    made = (x - at(mean)) / np.sqrt(at(variance) + epsilon)
    made = made * at(gamma) if scale else made
    made = made + at(beta) if center else made
    if training:
        moving_mean = (1 - momentum) * moving_mean + momentum * mean
        moving_var = (1 - momentum) * moving_var + momentum * variance
    return [made, moving_mean, moving_var]


def lrn_python(a_np: Any, size: int, axis: int, bias: float, alpha: float, beta: float) -> Any:
    """Local response normalisation over neighbours along an axis."""
    half = size // 2
    squares = np.moveaxis(np.square(a_np.astype("float64")), axis, 0)
    padded = np.pad(squares, [(half, half), *[(0, 0)] * (a_np.ndim - 1)])
    sums = sum(padded[place : place + squares.shape[0]] for place in range(size))
    return (a_np / np.moveaxis((bias + alpha / size * sums) ** beta, 0, axis)).astype(a_np.dtype)
