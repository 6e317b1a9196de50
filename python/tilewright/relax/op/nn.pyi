"""The graph operators `R.nn.…`.

Made by `scripts/stubs.py`.
"""

from collections.abc import Sequence
from typing import Any

from tilewright.relax.expr import Call

def adaptive_avg_pool1d(data: Any, output_size: Any = None, layout: str = "NCW", out_layout: Any = None) -> Call:
    """Means of as many windows of the data as `output_size` says, over one spatial dimension.

    Window `i` of `m` goes from `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up, where the data has
    `n` elements.

    data: The data.
    output_size: The numbers of windows; `None`: one for each element.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def adaptive_avg_pool2d(data: Any, output_size: Any = None, layout: str = "NCHW", out_layout: Any = None) -> Call:
    """Means of as many windows of the data as `output_size` says, over two spatial dimensions.

    Window `i` of `m` goes from `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up, where the data has
    `n` elements.

    data: The data.
    output_size: The numbers of windows; `None`: one for each element.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def adaptive_avg_pool3d(data: Any, output_size: Any = None, layout: str = "NCDHW", out_layout: Any = None) -> Call:
    """Means of as many windows of the data as `output_size` says, over three spatial dimensions.

    Window `i` of `m` goes from `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up, where the data has
    `n` elements.

    data: The data.
    output_size: The numbers of windows; `None`: one for each element.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    scale: Any = None,
    causal_mask: str | None = None,
    window_size: int | None = None,
) -> Call:
    """`softmax(query @ keyᵀ * scale + bias) @ value`: `R.nn.attention`, with a bias `R.nn.attention_bias`."""

def attention_bias(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    scale: Any = None,
    causal_mask: str | None = None,
    window_size: int | None = None,
) -> Call:
    """The same: `R.nn.attention_bias`, without a bias `R.nn.attention`."""

def attention_var_len(
    queries: Any,
    keys: Any,
    values: Any,
    seqstart_q: Any,
    max_seqlen_q: Any,
    seqstart_k: Any = None,
    max_seqlen_k: Any = None,
    scale: Any = None,
    causal_mask: str | None = None,
    window_size: int | None = None,
) -> Call:
    """`R.nn.attention_var_len`; where nothing is said of the sequences of keys, they are those of the queries."""

def avg_pool1d(
    data: Any,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    layout: str = "NCW",
    out_layout: Any = None,
) -> Call:
    """The means of windows of the data, over one spatial dimension.

    The border is one of zeros. Means of float16 are worked out in float32.

    data: The data.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: Whether elements of the border count.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def avg_pool2d(
    data: Any,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: Any = None,
) -> Call:
    """The means of windows of the data, over two spatial dimensions.

    The border is one of zeros. Means of float16 are worked out in float32.

    data: The data.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: Whether elements of the border count.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def avg_pool3d(
    data: Any,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    layout: str = "NCDHW",
    out_layout: Any = None,
) -> Call:
    """The means of windows of the data, over three spatial dimensions.

    The border is one of zeros. Means of float16 are worked out in float32.

    data: The data.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: Whether elements of the border count.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

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

def conv1d(
    data: Any,
    weight: Any,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    data_layout: str = "NCW",
    kernel_layout: str = "OIW",
    out_layout: Any = None,
    out_dtype: str = "void",
) -> Call:
    """Sums of products of a kernel and of windows of the data, over one spatial dimension.

    `result[n, f, x] = sum over c, r of data[n, c, x * stride + r * dilation - padding] * weight[f, c, r]`.
    Outside of its bounds the data is 0. With groups, the channels of the data and of the result are divided
    evenly, and those of a group depend on each other only. Sums of float16 are worked out in float32.

    data: The data.
    weight: The kernel.
    strides: The steps of the window.
    padding: The widths of the border of zeros: before, then after.
    dilation: The distances of the window's elements.
    groups: The number of groups, which divides that of the channels.
    data_layout: The order of the data's dimensions.
    kernel_layout: The order of the kernel's dimensions.
    out_layout: The order of the result's dimensions.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
    """

def conv1d_transpose(
    data: Any,
    weight: Any,
    strides: int = 1,
    padding: int = 0,
    output_padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    data_layout: str = "NCW",
    kernel_layout: str = "IOW",
    out_layout: Any = None,
    out_dtype: str = "void",
) -> Call:
    """The transposed convolution over one spatial dimension, the adjoint of `nn.conv1d`, as
    `torch.conv_transpose1d`.

    Each element of the data times the kernel is added to the result where the window of that convolution lay.

    data: The data.
    weight: The kernel: its first axis is that of the data's channels.
    strides: The steps of the window over the result.
    padding: The widths cropped from the result: before, then after.
    output_padding: The width added at the end of the result.
    dilation: The distances of the window's elements.
    groups: The number of groups, which divides that of the channels.
    data_layout: The order of the data's dimensions.
    kernel_layout: The order of the kernel's dimensions.
    out_layout: The order of the result's dimensions.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
    """

def conv2d(
    data: Any,
    weight: Any,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: Any = None,
    out_dtype: str = "void",
) -> Call:
    """Sums of products of a kernel and of windows of the data, over two spatial dimensions.

    `result[n, f, y, x]` is the sum over `c`, `r`, `s` of `data[n, c, y * strides[0] + r * dilation[0] -
    padding[0], x * strides[1] + s * dilation[1] - padding[1]]` times `weight[f, c, r, s]`. Outside of its bounds
    the data is 0. With groups, the channels of the data and of the result are divided evenly, and those of a
    group depend on each other only. Sums of float16 are worked out in float32.

    data: The data.
    weight: The kernel.
    strides: The steps of the window.
    padding: The widths of the border of zeros: before, then after.
    dilation: The distances of the window's elements.
    groups: The number of groups, which divides that of the channels.
    data_layout: The order of the data's dimensions.
    kernel_layout: The order of the kernel's dimensions.
    out_layout: The order of the result's dimensions.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
    """

def conv2d_transpose(
    data: Any,
    weight: Any,
    strides: int = 1,
    padding: int = 0,
    output_padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "IOHW",
    out_layout: Any = None,
    out_dtype: str = "void",
) -> Call:
    """The transposed convolution over two spatial dimensions, the adjoint of `nn.conv2d`, as
    `torch.conv_transpose2d`.

    Each element of the data times the kernel is added to the result where the window of that convolution lay.

    data: The data.
    weight: The kernel: its first axis is that of the data's channels.
    strides: The steps of the window over the result.
    padding: The widths cropped from the result: before, then after.
    output_padding: The width added at the end of the result.
    dilation: The distances of the window's elements.
    groups: The number of groups, which divides that of the channels.
    data_layout: The order of the data's dimensions.
    kernel_layout: The order of the kernel's dimensions.
    out_layout: The order of the result's dimensions.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
    """

def conv3d(
    data: Any,
    weight: Any,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    kernel_layout: str = "OIDHW",
    out_layout: Any = None,
    out_dtype: str = "void",
) -> Call:
    """Sums of products of a kernel and of windows of the data, over three spatial dimensions.

    As `nn.conv2d`, with a window that moves along three dimensions. Outside of its bounds the data is 0. With
    groups, the channels of the data and of the result are divided evenly, and those of a group depend on each
    other only. Sums of float16 are worked out in float32.

    data: The data.
    weight: The kernel.
    strides: The steps of the window.
    padding: The widths of the border of zeros: before, then after.
    dilation: The distances of the window's elements.
    groups: The number of groups, which divides that of the channels.
    data_layout: The order of the data's dimensions.
    kernel_layout: The order of the kernel's dimensions.
    out_layout: The order of the result's dimensions.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
    """

def conv3d_transpose(
    data: Any,
    weight: Any,
    strides: int = 1,
    padding: int = 0,
    output_padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    kernel_layout: str = "IODHW",
    out_layout: Any = None,
    out_dtype: str = "void",
) -> Call:
    """The transposed convolution over three spatial dimensions, the adjoint of `nn.conv3d`, as
    `torch.conv_transpose3d`.

    Each element of the data times the kernel is added to the result where the window of that convolution lay.

    data: The data.
    weight: The kernel: its first axis is that of the data's channels.
    strides: The steps of the window over the result.
    padding: The widths cropped from the result: before, then after.
    output_padding: The width added at the end of the result.
    dilation: The distances of the window's elements.
    groups: The number of groups, which divides that of the channels.
    data_layout: The order of the data's dimensions.
    kernel_layout: The order of the kernel's dimensions.
    out_layout: The order of the result's dimensions.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
    """

def cross_entropy_with_logits(predictions: Any, labels: Any) -> Call:
    """`-sum(predictions * labels)`, divided by the size of the batch where there is one: of logarithms of
    probabilities and of probabilities the cross entropy. Of float16 and bfloat16 it is worked out in float32.

    predictions: The logarithms; a first of two dimensions is a batch.
    labels: The probabilities, of the same shape and type.
    """

def dense(data: Any, weight: Any, out_dtype: str = "void") -> Call:
    """`data @ weight.T`: each row of the data times each row of the weight, as `torch.nn.functional.linear` has it.

    Dimensions of the data before the last are a batch.

    data: The data, of at least one dimension.
    weight: The weight: a row for each column of the result.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands.
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

def instance_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    channel_axis: Any,
    axes: Any,
    epsilon: float = 1e-05,
    center: bool = True,
    scale: bool = True,
) -> Call:
    """`(data - mean) / sqrt(variance + epsilon) * gamma + beta`, with mean and variance over `axes` alone: each
    channel of each element of a batch has its own.

    data: The input tensor.
    gamma: The scale of each channel.
    beta: The shift of each channel.
    channel_axis: The dimension of the channels.
    axes: The dimensions that are averaged over.
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

def max_pool1d(
    data: Any,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCW",
    out_layout: Any = None,
) -> Call:
    """The largest elements of windows of the data, over one spatial dimension.

    NaN is larger than any other element, and a border smaller.

    data: The data.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: It has no meaning for the largest element.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def max_pool2d(
    data: Any,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: Any = None,
) -> Call:
    """The largest elements of windows of the data, over two spatial dimensions.

    NaN is larger than any other element, and a border smaller.

    data: The data.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: It has no meaning for the largest element.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def max_pool3d(
    data: Any,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCDHW",
    out_layout: Any = None,
) -> Call:
    """The largest elements of windows of the data, over three spatial dimensions.

    NaN is larger than any other element, and a border smaller.

    data: The data.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: It has no meaning for the largest element.
    layout: The order of the data's dimensions.
    out_layout: The order of the result's dimensions.
    """

def nll_loss(
    predictions: Any,
    targets: Any,
    weights: Any = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Call:
    """`-prediction * weight` of each target's class, or the sum or weighted mean of these.

    The class of a target is held within the classes. Of float16 and bfloat16 it is worked out in float32.

    predictions: Logarithms of probabilities, `(batch, classes, …)` or `(classes,)`.
    targets: The classes, integers in the shape of the predictions without that dimension.
    weights: What each class weighs; 1 where they are left out.
    reduction: `none`, `sum` or `mean`.
    ignore_index: Targets of this class do not count.
    """

def pad(data: Any, pad_width: Sequence[int], pad_mode: Any = "constant", pad_value: Any = 0.0) -> Call:
    """`R.nn.pad`; the mode and the value may be swapped, as programs have them."""

def pixel_shuffle(data: Any, upscale_factor: Any) -> Call:
    """An image that is larger by `upscale_factor` in both directions, and has fewer channels by its square: the
    channels of a pixel become a square of pixels, as `torch.pixel_shuffle`.

    data: The image: its last three dimensions are channels, height and width.
    upscale_factor: By how much height and width grow.
    """

def prelu(data: Any, alpha: Any, axis: int = 1) -> Call:
    """`data` where it is positive, else `alpha * data`, with an `alpha` for each channel or one for all.

    data: The input tensor.
    alpha: The slope below 0, of one dimension: for each channel, or one.
    axis: The dimension of the channels; negative numbers count from the end.
    """

def relu(data: Any) -> Call:
    """The rectified linear unit, element by element: the larger of it and 0. NaN stays NaN.

    data: The input tensor.
    """

def rms_norm(data: Any, weight: Any, axes: int = -1, epsilon: float = 1e-05) -> Call:
    """`data / sqrt(mean(data * data) + epsilon) * weight`, with the mean over `axes`.

    data: The input tensor.
    weight: The scale, of the shape of the dimensions `axes`.
    axes: The dimensions; negative numbers count from the end.
    epsilon: What is added to the mean square.
    """

def selu(data: Any) -> Call:
    """`scale * x` where `x` is positive, else `scale * alpha * (exp(x) - 1)`, element by element, with the two
    constants under which layers keep mean 0 and variance 1 (Klambauer et al., 2017).

    data: The input tensor.
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
