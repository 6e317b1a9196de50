"""The graph operators `R.grad.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def avg_pool2d_backward(
    output_grad: Any,
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
    """The gradient of `nn.avg_pool2d` with respect to its data: that of each window is shared equally by its
    elements.

    output_grad: The gradient with respect to the pool's result.
    data: The data of the pool.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: Whether elements of the border count.
    layout: The order of the data's dimensions.
    out_layout: The order of the gradient's dimensions.
    """

def end_checkpoint(input: Any) -> Call:
    """The value itself, at which a checkpoint that began before ends.

    input: The value.
    """

def max_pool2d_backward(
    output_grad: Any,
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
    """The gradient of `nn.max_pool2d` with respect to its data: that of each window belongs to its largest element,
    to the first of several, or to the first NaN.

    output_grad: The gradient with respect to the pool's result.
    data: The data of the pool.
    pool_size: The number of the window's elements.
    strides: The steps of the window.
    padding: The widths of the border: before, then after.
    dilation: The distances of the window's elements.
    ceil_mode: Whether a window that begins before the trailing border may extend beyond it.
    count_include_pad: It has no meaning for the largest element.
    layout: The order of the data's dimensions.
    out_layout: The order of the gradient's dimensions.
    """

def nll_loss_backward(
    output_grad: Any,
    predictions: Any,
    targets: Any,
    weights: Any = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Call:
    """The gradient of `nn.nll_loss` with respect to its predictions.

    output_grad: The gradient with respect to the loss, of its shape.
    predictions: Logarithms of probabilities, `(batch, classes, …)` or `(classes,)`.
    targets: The classes, integers in the shape of the predictions without that dimension.
    weights: What each class weighs; 1 where they are left out.
    reduction: `none`, `sum` or `mean`.
    ignore_index: Targets of this class do not count.
    """

def no_grad(input: Any) -> Call:
    """The value itself; to gradients it is a constant.

    input: The value.
    """

def start_checkpoint(input: Any) -> Call:
    """The value itself; what is computed from it up to the end of the checkpoint is computed again for gradients.

    input: The value.
    """

def take_backward(output_grad: Any, x: Any, indices: Any, axis: Any = None) -> Call:
    """The gradient of `take` with respect to `x`: each element of `output_grad` is added where the element was taken
    from.

    Indices are held within the dimension, negative ones at 0. Of float16 and bfloat16 sums are worked out in
    float32.

    output_grad: The gradient with respect to what was taken.
    x: The tensor that elements were taken of.
    indices: The indices, integers.
    axis: The dimension; `None`: that of the flattened tensor.
    """
