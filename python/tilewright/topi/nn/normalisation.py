"""Normalisations, and scales and shifts of channels."""

from __future__ import annotations

from typing import Any

from ... import te
from ...te.tensor import Tensor
from ..formula import apply, axis_of
from ..math import full

__all__ = [
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "lrn", "rms_norm", "scale_shift_nchw",
    "scale_shift_nhwc",
]  # fmt: skip


def _or_constant(given: Tensor | None, like: Tensor, axes: Any, number: float) -> Tensor:
    """The tensor, or one of a number with these dimensions of another."""
    shape = [like.shape[axis] for axis in axes]
    return given if given is not None else full(shape, like.dtype, number)


def batch_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, moving_mean: Tensor, moving_var: Tensor, axis: int | None = None,
    epsilon: float | None = None, center: bool | None = None, scale: bool | None = None, training: bool | None = None,
    momentum: float | None = None,
) -> list[Tensor]:  # fmt: skip
    """The data normalised by the statistics of its channels, and the statistics: while it is trained, new ones."""
    said = {
        "axis": 1 if axis is None else axis, "epsilon": 1e-5 if epsilon is None else epsilon,
        "center": True if center is None else center, "scale": True if scale is None else scale,
        "momentum": 0.1 if momentum is None else momentum, "training": bool(training),
    }  # fmt: skip
    return list(apply("nn.batch_norm", (data, gamma, beta, moving_mean, moving_var), said))


def layer_norm(data: Tensor, gamma: Tensor, beta: Tensor | None, axis: Any, epsilon: float = 1e-5) -> Tensor:
    """The data with mean 0 and variance 1 over these dimensions, scaled and shifted."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    gamma, beta = _or_constant(gamma, data, axes, 1.0), _or_constant(beta, data, axes, 0.0)
    return apply("nn.layer_norm", (data, gamma, beta), {"axes": axes, "epsilon": epsilon})


def group_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, num_groups: int, channel_axis: int, axes: Any, epsilon: float = 1e-5
) -> Tensor:
    """The data with mean 0 and variance 1 over each group of channels and these dimensions, scaled and shifted."""
    said = {"num_groups": num_groups, "channel_axis": channel_axis, "axes": list(axes), "epsilon": epsilon}
    gamma, beta = _or_constant(gamma, data, [channel_axis], 1.0), _or_constant(beta, data, [channel_axis], 0.0)
    return apply("nn.group_norm", (data, gamma, beta), said)


def instance_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, channel_axis: int, axis: Any, epsilon: float = 1e-5
) -> Tensor:
    """The data with mean 0 and variance 1 over these dimensions of each channel, scaled and shifted."""
    said = {"channel_axis": channel_axis, "axes": list(axis), "epsilon": epsilon}
    return apply("nn.instance_norm", (data, gamma, beta), said)


def rms_norm(data: Tensor, weight: Tensor, axis: Any, epsilon: float = 1e-5) -> Tensor:
    """The data over the root of the mean of its squares over these dimensions, scaled."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    return apply("nn.rms_norm", (data, weight), {"axes": axes, "epsilon": epsilon})


def lrn(data: Tensor, size: int, axis: int = 1, alpha: float = 0.0001, beta: float = 0.75, bias: float = 2) -> Tensor:
    """The data over a power of the sum of the squares of its neighbours along a dimension: `(bias + alpha / size *
    sum) ** beta`."""
    if size % 2 == 0:
        raise ValueError(f"neighbours are so many on both sides: `size` is odd, found {size}")
    axis, near = axis_of(axis, len(data.shape)), te.reduce_axis((0, size), name="r")

    def squares(*at: Any) -> Any:
        place = at[axis] + near - size // 2
        inside = te.all(place >= 0, place < data.shape[axis])
        value = data(*at[:axis], place, *at[axis + 1 :])
        return te.sum(te.if_then_else(inside, value * value, te.const(0, data.dtype)), axis=near)

    total = te.compute(data.shape, squares, name="tensor")
    power = te.compute(
        data.shape,
        lambda *at: te.power(te.const(bias, data.dtype) + total(*at) * te.const(alpha / size, data.dtype),
                             te.const(beta, data.dtype)),
        name="tensor_power",
    )  # fmt: skip
    return apply("divide", (data, power), {})


def _scale_shift(data: Tensor, scale: Tensor, shift: Tensor, axis: int) -> Tensor:
    return te.compute(data.shape, lambda *at: data(*at) * scale(at[axis]) + shift(at[axis]), name="ScaleShift")


def scale_shift_nchw(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """Each channel of data `NCHW` times a number plus another."""
    return _scale_shift(Input, Scale, Shift, 1)


def scale_shift_nhwc(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """Each channel of data `NHWC` times a number plus another."""
    return _scale_shift(Input, Scale, Shift, 3)
