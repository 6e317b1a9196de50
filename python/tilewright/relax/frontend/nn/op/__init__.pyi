"""Operations on tensors: `op.matmul(a, b)`, `op.tensor_expr_op(…)`.

Made by `scripts/stubs.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilewright.relax.expr import Expr
from tilewright.relax.frontend.nn.core import Tensor
from tilewright.tir.function import PrimFunc

def abs(x: Tensor, name: str = "abs") -> Tensor:
    """The magnitude."""

def add(a: Any, b: Any, name: str = "add") -> Tensor:
    """The sum."""

def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    dtype: str | None = "float32",
    name: str = "arange",
) -> Tensor:
    """The numbers from `start`, or 0, up to and without `end`; each may be an integer expression."""

def argsort(
    data: Tensor,
    axis: int = -1,
    descending: bool = False,
    dtype: str = "int32",
    name: str = "argsort",
) -> Tensor:
    """The indices of the elements in order along an axis."""

def astype(x: Tensor, dtype: str, name: str = "astype") -> Tensor:
    """The elements converted to another data type; a tensor of that type itself."""

def broadcast_to(x: Tensor, shape: Sequence[Any], name: str = "broadcast_to") -> Tensor:
    """The elements repeated along new dimensions and along dimensions of 1."""

def ccl_allgather(x: Tensor, num_workers: int, name: str = "ccl_allgather") -> Tensor:
    """The workers' tensors concatenated; of one worker its own."""

def ccl_allreduce(x: Tensor, op_type: str = "sum", in_group: bool = True, name: str = "ccl_allreduce") -> Tensor:
    """The sum, product, smallest, largest or mean of the workers' tensors: refused."""

def ccl_broadcast_from_worker0(x: Tensor, name: str = "broadcast_from_worker0") -> Tensor:
    """The first worker's tensor: refused."""

def ceil(x: Tensor, name: str = "ceil") -> Tensor:
    """The next integer upwards."""

def chunk(x: Tensor, chunks: int, dim: int = 0, name: str = "chunk") -> tuple[Tensor, ...]:
    """So many equal parts along an axis."""

def concat(x: Sequence[Tensor], dim: int, name: str = "concat") -> Tensor:
    """The tensors concatenated along an axis."""

def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    name: str = "conv1d",
) -> Tensor:
    """The convolution of (n, channels, w) with (outputs, channels / groups, k), plus a bias for each output."""

def conv1d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    name: str = "conv1d_transpose",
) -> Tensor:
    """The transposed convolution of (n, channels, w) with (channels, outputs / groups, k), plus a bias."""

def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    name: str = "conv2d",
) -> Tensor:
    """The convolution of images with (outputs, channels / groups, kh, kw), plus a bias for each output."""

def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    name: str = "conv3d",
) -> Tensor:
    """The convolution of volumes with (outputs, channels / groups, kd, kh, kw), plus a bias for each output."""

def cos(x: Tensor, name: str = "cos") -> Tensor:
    """The cosine."""

def cumsum(
    data: Tensor,
    axis: int | None = None,
    dtype: str | None = None,
    exclusive: bool | None = None,
    name: str = "cumsum",
) -> Tensor:
    """Running sums along an axis, or of the flat tensor; with `exclusive` without the element itself."""

def debug_func(name: str, *args: Any, _line_info: str | None = None) -> None:
    """Calls a registered function while the model runs, with the line in the source that says so and the arguments.

    Only modules that are exported with `debug=True` do.
    """

def divide(a: Any, b: Any, name: str = "divide") -> Tensor:
    """The quotient."""

def empty(shape: Sequence[Any], dtype: str = "float32", name: str = "empty") -> Tensor:
    """A tensor whose elements mean nothing: 0, which is the same in every run."""

def equal(a: Any, b: Any, name: str = "equal") -> Tensor:
    """Whether elements are equal."""

def erf(x: Tensor, name: str = "erf") -> Tensor:
    """The error function."""

def exp(x: Tensor, name: str = "exp") -> Tensor:
    """The exponential."""

def extern(name: str, args: Sequence[Any], out: Any) -> Any:
    """What a registered function computes: it gets the arguments, then tensors to fill, as `out` describes them."""

def floor(x: Tensor, name: str = "floor") -> Tensor:
    """The next integer downwards."""

def full(shape: Sequence[Any], fill_value: Any, dtype: str = "float32", name: str = "full") -> Tensor:
    """One value, a number or a tensor without dimensions, everywhere."""

def gelu(x: Tensor, approximate: str | None = None, name: str = "gelu") -> Tensor:
    """`x * Phi(x)` for the normal distribution's `Phi`; with `approximate="tanh"` by the formula with tanh."""

def get_timestep_embedding(
    x: Tensor,
    embedding_dim: int,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: int = 10000,
    name: str = "get_timestep_embedding",
) -> Tensor:
    """Sines and cosines of steps (n,) at `embedding_dim / 2` frequencies that fall from 1 towards 1 / `max_period`."""

def greater(a: Any, b: Any, name: str = "greater") -> Tensor:
    """Whether elements are larger."""

def greater_equal(a: Any, b: Any, name: str = "greater_equal") -> Tensor:
    """Whether elements are larger or equal."""

def group_norm(
    x: Tensor,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float = 1e-05,
    channel_axis: int = 1,
    axes: list[int] | None = None,
    name: str = "group_norm",
) -> Tensor:
    """Groups of channels, each brought to mean 0 and variance 1 along `axes`, times weight plus bias of the channel.

    Without `axes` these are all but the first and the channels'.
    """

def interpolate(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool | None = None,
    data_layout: str = "NCHW",
    name: str = "interpolate",
) -> Tensor:
    """Images of another height and width: `size`, or the old ones times `scale_factor`."""

def layer_norm(
    x: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
    name: str = "layer_norm",
) -> Tensor:
    """The last axes, as many as `normalized_shape` has, brought to mean 0 and variance 1, times weight plus bias."""

def less(a: Any, b: Any, name: str = "less") -> Tensor:
    """Whether elements are smaller."""

def less_equal(a: Any, b: Any, name: str = "less_equal") -> Tensor:
    """Whether elements are smaller or equal."""

def log(x: Tensor, name: str = "log") -> Tensor:
    """The natural logarithm."""

def matmul(a: Tensor, b: Tensor, out_dtype: str | None = None, name: str = "matmul") -> Tensor:
    """The product of matrices, of which stacks broadcast; `out_dtype` is the type of sums and results."""

def max(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "max") -> Tensor:
    """The largest element along axes, or of all."""

def maximum(x1: Any, x2: Any, name: str = "maximum") -> Tensor:
    """The larger element, NaN if one is."""

def mean(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "mean") -> Tensor:
    """The mean along axes, or of all elements."""

def min(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "min") -> Tensor:
    """The smallest element along axes, or of all."""

def minimum(x1: Any, x2: Any, name: str = "minimum") -> Tensor:
    """The smaller element, NaN if one is."""

def multinomial_from_uniform(
    prob: Tensor,
    uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
    dtype: str = "int64",
    name: str = "multinomial_from_uniform",
) -> Tensor:
    """Indices (m, 1) drawn from the rows of `prob`: for each sample of (m, 1) in [0, 1) from its row.

    `sample_indices` (m, 1) has the rows; without it the rows are drawn from in order.
    """

def multiply(a: Any, b: Any, name: str = "mul") -> Tensor:
    """The product."""

def negative(x: Tensor, name: str = "neg") -> Tensor:
    """The negative."""

def not_equal(a: Any, b: Any, name: str = "not_equal") -> Tensor:
    """Whether elements differ."""

def ones(shape: Sequence[Any], dtype: str = "float32", name: str = "ones") -> Tensor:
    """1 everywhere."""

def pad(x: Tensor, pad: list[int], mode: str = "constant", value: float = 0, name: str = "pad") -> Tensor:
    """The tensor with elements added before and after each axis: `pad` has both numbers for axis after axis."""

def permute(x: Tensor, axes: list[int] | None, name: str = "permute") -> Tensor:
    """The axes in another order."""

def permute_dims(x: Tensor, axes: list[int] | None = None, name: str = "permute_dims") -> Tensor:
    """The axes in another order, without `axes` the reverse."""

def power(a: Any, b: Any, name: str = "power") -> Tensor:
    """The power."""

def print_(tensor: Tensor) -> None:
    """Prints a tensor while the model runs, with the line in the source that says so."""

def relu(x: Tensor, name: str = "relu") -> Tensor:
    """`max(x, 0)`."""

def renormalize_top_p_top_k_prob(
    prob: Tensor,
    sorted_prob: Tensor,
    top_p: Tensor,
    top_k: Tensor,
    name: str = "renormalize_top_p_top_k_prob",
) -> Tensor:
    """The probabilities (n, v) of which the largest count, so that these sum to 1; the others are 0.

    Those count that come first in `sorted_prob`, the same in falling order, until they sum to `top_p` (n, 1) or
    are `top_k` (n, 1), and those that are as large as the last of them.
    """

def repeat(x: Tensor, repeats: int, axis: int | None = None, name: str = "repeat") -> Tensor:
    """Every element several times along an axis, or along the flat tensor."""

def reshape(x: Tensor, shape: Sequence[Any], name: str = "reshape") -> Tensor:
    """The elements in another shape, in which one dimension may be -1."""

def rms_norm(x: Tensor, weight: Tensor, axes: Any, epsilon: float = 1e-05, name: str = "rms_norm") -> Tensor:
    """The elements divided by the root of their mean square along axes, times a weight."""

def round(x: Tensor, name: str = "round") -> Tensor:
    """The nearest integer, the even one of two."""

def rsqrt(x: Tensor, name: str = "rsqrt") -> Tensor:
    """One by the square root."""

def sample_top_p_top_k_from_sorted_prob(
    sorted_prob: Tensor,
    sorted_index: Tensor,
    top_p: Tensor,
    top_k: Tensor,
    uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
    name: str = "sample_top_p_top_k_from_sorted_prob",
) -> Tensor:
    """Indices (m, 1) drawn from the rows of falling probabilities (n, v), of which the first count.

    Those count that come first until they sum to `top_p` (n, 1) or are `top_k` (n, 1). `uniform_sample` (m, 1) in
    [0, 1) decides; `sample_indices` (m, 1) has the row of each sample, without it the rows are drawn from in
    order. `sorted_index` (n, v) has what is drawn.
    """

def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool | None = False,
    scale: float | None = None,
    name: str = "scaled_dot_product_attention",
) -> Tensor:
    """Attention of (batch, queries, heads, width) to (batch, keys, heads, width).

    `attn_mask` is added to the products; `is_causal` hides keys after a query; `scale` is 1 / sqrt(width) unless
    it is given.
    """

def sigmoid(x: Tensor, name: str = "sigmoid") -> Tensor:
    """`1 / (1 + exp(-x))`."""

def silu(x: Tensor, name: str = "silu") -> Tensor:
    """`x * sigmoid(x)`."""

def sin(x: Tensor, name: str = "sin") -> Tensor:
    """The sine."""

def softmax(x: Tensor, axis: int = -1, name: str = "softmax") -> Tensor:
    """Exponentials divided by their sum along an axis."""

def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str = "softplus") -> Tensor:
    """`log(1 + exp(x))`."""

def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str = "sort") -> Tensor:
    """The elements in order along an axis."""

def split(
    ary: Tensor,
    indices_or_sections: int | list[int],
    axis: int = 0,
    name: str = "split",
) -> tuple[Tensor, ...]:
    """The parts between these indices along an axis, or so many equal parts."""

def sqrt(x: Tensor, name: str = "sqrt") -> Tensor:
    """The square root."""

def square(x: Tensor, name: str = "square") -> Tensor:
    """The square."""

def squeeze(x: Tensor, axis: int | list[int] | None = -1, name: str = "squeeze") -> Tensor:
    """The tensor without these dimensions of 1, without `axis` without any of them."""

def subtract(a: Any, b: Any, name: str = "subtract") -> Tensor:
    """The difference."""

def sum(x: Tensor, axis: int | list[int] | None = None, keepdims: bool = False, name: str = "sum") -> Tensor:
    """The sum along axes, or of all elements."""

def take(x: Tensor, indices: Tensor, axis: int | None = None, name: str = "take") -> Tensor:
    """The slices with these indices along an axis, or elements of the flat tensor."""

def tanh(x: Tensor, name: str = "tanh") -> Tensor:
    """The hyperbolic tangent."""

def tensor_expr_op(
    tensor_expr_func: Callable[..., Any],
    name_hint: str,
    args: Sequence[Any],
    *,
    attrs: Mapping[str, Any] | None = None,
) -> Any:
    """What a function of tensor expressions computes of tensors; other arguments are passed as they are.

    The function is called `name_hint` in the module; `attrs` are its attributes.
    """

def tensor_ir_inplace_op(func: PrimFunc, name_hint: str, args: Any, inplace_indices: Any, out: Any) -> Any:
    """The same where results overwrite the arguments with these indices; -1 for a result that is allocated."""

def tensor_ir_op(func: PrimFunc, name_hint: str, args: Any, out: Any) -> Any:
    """What a PrimFunc computes: tensors, then integers (its last parameters), and results as `out` describes them."""

def topk(
    data: Tensor,
    k: int = 1,
    axis: int = -1,
    ret_type: str = "both",
    largest: bool = True,
    dtype: str = "int32",
    name: str = "topk",
) -> Any:
    """The `k` largest or smallest elements along an axis and their indices, in order: `ret_type` says which of both."""

def tril(x: Tensor, diagonal: int = 0, name: str = "tril") -> Tensor:
    """The elements on and below a diagonal; the others are 0."""

def triu(x: Tensor, diagonal: int = 0, name: str = "triu") -> Tensor:
    """The elements on and above a diagonal; the others are 0."""

def unsqueeze(x: Tensor, dim: int, name: str = "unsqueeze") -> Tensor:
    """The tensor with a dimension of 1 at this position."""

def where(condition: Tensor, x1: Any, x2: Any, name: str = "where") -> Tensor:
    """`x1` where the condition holds, else `x2`; shapes broadcast."""

def wrap_nested(expr: Expr, name: str = "") -> Any:
    """The value, bound to a variable called `name`, as a tensor; of a tuple a tuple of what its fields are."""

def zeros(shape: Sequence[Any], dtype: str = "float32", name: str = "zeros") -> Tensor:
    """0 everywhere."""
