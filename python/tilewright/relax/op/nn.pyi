"""The graph operators `R.nn.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def batch_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    axis: Any,
    epsilon: float = 1e-05,
    center: bool = True,
    scale: bool = True,
    momentum: float = 0.1,
    training: bool = True,
) -> Call:
    """`(data - mean) / sqrt(variance + epsilon) * gamma + beta` for each channel; the result is the tuple of that,
    the moving mean and the moving variance.

    Without `training`, mean and variance are the moving ones, which stay. With it they are those of the batch,
    and the moving ones move to them: `(1 - momentum) * moving + momentum * batch`.

    data: The input tensor.
    gamma: The scale of each channel.
    beta: The shift of each channel.
    moving_mean: The moving mean of each channel.
    moving_var: The moving variance of each channel.
    axis: The dimension of the channels.
    epsilon: What is added to the variance.
    center: Whether the shift is added.
    scale: Whether the scale is multiplied in.
    momentum: How far the moving ones move.
    training: Whether mean and variance are those of the batch.
    """

def dropout(data: Any, rate: float = 0.5) -> Call:
    """The tuple of the tensor as it is and a mask of ones: nothing is dropped when a model is run.

    data: The input tensor.
    rate: The share of elements that training drops.
    """

def gelu(data: Any) -> Call:
    """The Gaussian error linear unit, element by element: `x / 2 * (1 + erf(x / sqrt(2)))`.

    data: The input tensor.
    """

def gelu_tanh(data: Any) -> Call:
    """The Gaussian error linear unit by the hyperbolic tangent: `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    x^3)))`.

    data: The input tensor.
    """

def group_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    num_groups: Any,
    channel_axis: Any,
    axes: Any,
    epsilon: float = 1e-05,
    center: bool = True,
    scale: bool = True,
) -> Call:
    """`(data - mean) / sqrt(variance + epsilon) * gamma + beta`, with mean and variance over `axes` and over the
    channels of one group.

    data: The input tensor.
    gamma: The scale of each channel.
    beta: The shift of each channel.
    num_groups: The number of groups, which divides that of the channels.
    channel_axis: The dimension of the channels.
    axes: The other dimensions that are averaged over.
    epsilon: What is added to the variance.
    center: Whether the shift is added.
    scale: Whether the scale is multiplied in.
    """

def layer_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    axes: Any,
    epsilon: float = 1e-05,
    center: bool = True,
    scale: bool = True,
) -> Call:
    """`(data - mean) / sqrt(variance + epsilon) * gamma + beta`, with mean and variance over `axes`.

    data: The input tensor.
    gamma: The scale, of the shape of the dimensions `axes`.
    beta: The shift, of the shape of the dimensions `axes`.
    axes: The dimensions; negative numbers count from the end.
    epsilon: What is added to the variance.
    center: Whether the shift is added.
    scale: Whether the scale is multiplied in.
    """

def leakyrelu(data: Any, alpha: float = 0.01) -> Call:
    """The leaky rectified linear unit, element by element: `x` where it is positive, `alpha * x` elsewhere. NaN
    stays NaN.

    data: The input tensor.
    alpha: The slope for negative elements.
    """

def log_softmax(data: Any, axis: int = -1) -> Call:
    """The logarithm of `softmax`, without its rounding.

    data: The input tensor.
    axis: The dimension; negative numbers count from the end.
    """

def pad(data: Any, pad_width: Any, pad_value: float = 0.0, pad_mode: str = "constant") -> Call:
    """The tensor with a border along each of its dimensions.

    What stands in the border the mode says: `constant`, a value; `edge`, the nearest element; `reflect`, the
    elements mirrored at the outermost one; `circular`, those of the other side. In the last two a border is at
    most as wide as there are such elements.

    data: The input tensor.
    pad_width: The widths of the border before and behind the elements, for each dimension in turn.
    pad_value: What stands in a constant border.
    pad_mode: `constant`, `edge`, `reflect` or `circular`.
    """

def relu(x: Any) -> Call:
    """The rectified linear unit, element by element: the larger of `x` and 0. NaN stays NaN.

    x: The input tensor.
    """

def rms_norm(data: Any, weight: Any, axes: int = -1, epsilon: float = 1e-05) -> Call:
    """`data / sqrt(mean(data * data) + epsilon) * weight`, with the mean over `axes`.

    data: The input tensor.
    weight: The scale, of the shape of the dimensions `axes`.
    axes: The dimensions; negative numbers count from the end.
    epsilon: What is added to the mean square.
    """

def silu(data: Any) -> Call:
    """The sigmoid linear unit, element by element: `x * sigmoid(x)`.

    data: The input tensor.
    """

def softmax(data: Any, axis: int = -1) -> Call:
    """The exponentials of the elements, divided by their sum along a dimension.

    data: The input tensor.
    axis: The dimension; negative numbers count from the end.
    """

def softplus(data: Any, beta: float = 1.0, threshold: float = 20.0) -> Call:
    """`log(1 + exp(beta * x)) / beta`, element by element; `x` itself where `beta * x` is above the threshold.

    data: The input tensor.
    beta: How sharp the bend is.
    threshold: Above which the function is the identity.
    """
