"""The graph operators of `base`.

Made by `scripts/stubs.py`.
"""

from collections.abc import Sequence
from typing import Any

from tilewright.relax.expr import Call, PrimValue, ShapeExpr
from tilewright.relax.struct_info import StructInfo

def abs(x: Any) -> Call:
    """The absolute value; the least integer stays itself.

    x: The input tensor.
    """

def acos(x: Any) -> Call:
    """The angle in radians whose cosine is `x`.

    x: The input tensor.
    """

def acosh(x: Any) -> Call:
    """The inverse of the hyperbolic cosine.

    x: The input tensor.
    """

def add(x1: Any, x2: Any) -> Call:
    """The sum.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def alloc_tensor(shape: Any, dtype: Any, runtime_device_index: int = 0) -> Call:
    """A new tensor with undefined contents. The older spelling of `builtin.alloc_tensor`.

    shape: The shape.
    dtype: The data type of an element.
    runtime_device_index: The device, by its number in the virtual machine.
    """

def arange(start: Any, end: Any = None, step: Any = None, dtype: str = "void") -> Call:
    """The numbers `start`, `start + step`, … before `end`. With one number alone, that is the end, and they start at
    0.

    start: The first number.
    end: The number before which they end.
    step: The distance, not 0; 1 where it is left out.
    dtype: The data type of an element; `void`: int64 if all numbers are integers, else float32.
    """

def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The index of the largest element along a dimension, as int64: the first of several; the first NaN if there is
    one.

    x: The input tensor.
    axis: The dimension; `None`: that of the flattened tensor.
    keepdims: Whether the dimensions stay, with size 1.
    """

def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The index of the smallest element along a dimension, as int64: the first of several; the first NaN if there is
    one.

    x: The input tensor.
    axis: The dimension; `None`: that of the flattened tensor.
    keepdims: Whether the dimensions stay, with size 1.
    """

def argsort(data: Any, axis: int = -1, descending: bool = False, dtype: str = "int32") -> Call:
    """The indices along a dimension that put its elements in ascending or descending order.

    Equal elements stay in the order in which they stand; NaN is greater than every number.

    data: The input tensor.
    axis: The dimension; negative numbers count from the end.
    descending: Whether the greatest elements come first.
    dtype: The data type of the indices.
    """

def asin(x: Any) -> Call:
    """The angle in radians whose sine is `x`.

    x: The input tensor.
    """

def asinh(x: Any) -> Call:
    """The inverse of the hyperbolic sine.

    x: The input tensor.
    """

def assert_op(condition: Any, format_args: Any = None, format: str = "") -> Call:
    """Ends the run with an error where the condition is false. The message is the format with `{}` replaced by the
    values in order.

    condition: What has to be true.
    format_args: What the message shows.
    format: The message, with `{}` for each value.
    """

def astype(x: Any, dtype: Any) -> Call:
    """The elements converted to another type: of floats to integers towards zero, beyond its range the end of the
    range, NaN as 0; of integers to integers wrapped around.

    x: The input tensor.
    dtype: The data type of an element of the result.
    """

def atan(x: Any) -> Call:
    """The angle in radians whose tangent is `x`.

    x: The input tensor.
    """

def atan2(x1: Any, x2: Any) -> Call:
    """The angle in radians of the point with ordinate `x1` and abscissa `x2`.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def atanh(x: Any) -> Call:
    """The inverse of the hyperbolic tangent.

    x: The input tensor.
    """

def bitwise_and(x1: Any, x2: Any) -> Call:
    """The bits that are set in both.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def bitwise_not(x: Any) -> Call:
    """Every bit inverted; of a bool, its negation.

    x: The input tensor.
    """

def bitwise_or(x1: Any, x2: Any) -> Call:
    """The bits that are set in one or both.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def bitwise_xor(x1: Any, x2: Any) -> Call:
    """The bits that are set in one but not in both.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def broadcast_to(x: Any, shape: Any) -> Call:
    """The tensor broadcast to a shape: dimensions align at the end, those of size 1 repeat.

    x: The input tensor.
    shape: The shape, to which that of `x` must broadcast.
    """

def bucketize(input_tensor: Any, boundaries: Any, out_int32: bool = False, right: bool = False) -> Call:
    """For each element the number of the bucket that it falls into, by the ascending boundaries between the buckets.

    An element at a boundary falls into the bucket before it, with `right` into the one after. NaN falls into the
    last bucket.

    input_tensor: The input tensor.
    boundaries: The boundaries in ascending order, in one dimension, of the same type.
    out_int32: Whether the result is of `int32` and not of `int64`.
    right: Whether a boundary belongs to the bucket after it.
    """

def call_builtin_with_ctx(func: Any, args: Any, *, sinfo_args: Any = None) -> Call:
    """A call of a registered function that gets the machine that runs it before its arguments."""

def call_dps_packed(func: Any, args: Any, out_sinfo: StructInfo | Sequence[StructInfo]) -> Call:
    """A call of a registered function in destination-passing style."""

def call_inplace_packed(func: Any, *args: Any, inplace_indices: Any, sinfo_args: Any) -> Call:
    """A call of a registered function that overwrites some of its arguments, which are dead."""

def call_pure_packed(func: Any, *args: Any, sinfo_args: Any) -> Call:
    """A call of a registered function that the caller says to have no side effect."""

def call_tir(gvar: Any, args: Any, out_sinfo: StructInfo | Sequence[StructInfo], tir_vars: Any = None) -> Call:
    """A call of a PrimFunc that allocates its results, as `out_sinfo` says; `tir_vars` are scalars after them."""

def call_tir_inplace(
    gvar: Any,
    args: Any,
    inplace_indices: int | Sequence[int],
    out_sinfo: Any,
    tir_vars: Any = None,
) -> Call:
    """The same, where results overwrite arguments; -1 for a result that is allocated."""

def call_tir_with_grad(
    gvar: Any,
    args: Any,
    out_sinfo: Any,
    te_grad_name: str,
    te_grad_kwargs: dict[str, Any] | None = None,
    tir_vars: Any = None,
) -> Call:
    """A call of a PrimFunc that says by which function it is differentiated."""

def ceil(x: Any) -> Call:
    """The least integer that is not less; an integer stays itself.

    x: The input tensor.
    """

def clip(x: Any, min: Any, max: Any) -> Call:
    """Each element held between two bounds: `min` where it is less, `max` where it is greater. NaN stays NaN. Where
    `min` is greater than `max`, every number becomes `max`.

    x: The input tensor.
    min: The lower bound, converted to the type of the elements.
    max: The upper bound, converted to the type of the elements.
    """

def collapse_sum_like(data: Any, collapse_target: Any) -> Call:
    """The sums over the dimensions that broadcasting from the shape of `collapse_target` to that of `data` repeats.

    data: The input tensor.
    collapse_target: The tensor whose shape the result has.
    """

def collapse_sum_to(data: Any, shape: Any) -> Call:
    """The sums over the dimensions that broadcasting from `shape` to the shape of `data` repeats.

    data: The input tensor.
    shape: The shape of the result, which must broadcast to that of `data`.
    """

def concat(tensors: Any, axis: int = 0) -> Call:
    """Tensors concatenated along a dimension.

    tensors: The tensors, equal in all other dimensions and in their type.
    axis: The dimension; negative numbers count from the end. `None`: the only one.
    """

def cos(x: Any) -> Call:
    """The cosine of `x` in radians.

    x: The input tensor.
    """

def cosh(x: Any) -> Call:
    """The hyperbolic cosine.

    x: The input tensor.
    """

def cumprod(data: Any, axis: Any = None, dtype: str = "void", exclusive: bool = False) -> Call:
    """The product of all elements up to each along a dimension. Of float16 and bfloat16 it is worked out in float32.

    data: The input tensor.
    axis: The dimension; `None`: that of the flattened tensor.
    dtype: The data type of the result; `void`: that of `data`.
    exclusive: Whether each element stays out of its own result.
    """

def cumsum(data: Any, axis: Any = None, dtype: str = "void", exclusive: bool = False) -> Call:
    """The sum of all elements up to each along a dimension. Of float16 and bfloat16 it is worked out in float32.

    data: The input tensor.
    axis: The dimension; `None`: that of the flattened tensor.
    dtype: The data type of the result; `void`: that of `data`.
    exclusive: Whether each element stays out of its own result.
    """

def dense(data: Any, weight: Any) -> Call:
    """`data @ weight.T`: the spelling of 2022."""

def dequantize(data: Any, scale: Any, zero_point: Any, axis: int = -1, out_dtype: str = "float32") -> Call:
    """`(data - zero_point) * scale`, worked out in floats.

    data: The input tensor.
    scale: What one step is: a scalar, or one for each index of the dimension `axis`.
    zero_point: The integer that represents 0: a scalar, or one for each index of the dimension `axis`.
    axis: The dimension of the scales; negative numbers count from the end.
    out_dtype: The data type of the result, a float.
    """

def divide(x1: Any, x2: Any) -> Call:
    """The quotient: of floats as IEEE has it, of integers rounded towards zero.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def dynamic_strided_slice(x: Any, begin: Any, end: Any, strides: Any) -> Call:
    """The elements from `begin` up to and without `end` in steps of `strides` along each dimension, as Python
    slices.

    Only a run knows how many there are; `R.match_cast` names it. Negative begins and ends count from the end of
    the dimension, and what lies outside is cut off; a step of 0 ends the run with an error.

    x: The input tensor.
    begin: Where the slice begins along each dimension, as `int64`.
    end: Where it ends along each dimension, as `int64`.
    strides: The steps, as `int64`.
    """

def einsum(operands: Any, subscripts: Any) -> Call:
    """The sum of products that Einstein's notation names, as `numpy.einsum` has it: `"ij,jk->ik"`.

    Letters before the arrow name the dimensions of the operands in turn, those after it the dimensions of the
    result; all others are summed over. Without an arrow the result has the letters that occur once, in
    alphabetical order. A letter twice in one operand means its diagonal; `...` stands for any number of
    dimensions, which broadcast. Sums of float16 and bfloat16 are computed in float32. A compiled model multiplies
    two operands at a time, in the order of the fewest steps: dimensions are summed over as early as possible.

    operands: The tensors, of one type.
    subscripts: The letters.
    """

def equal(x1: Any, x2: Any) -> Call:
    """Whether the elements are equal; false where one is NaN.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def erf(x: Any) -> Call:
    """The error function.

    x: The input tensor.
    """

def ewise_fma(x1: Any, x2: Any, x3: Any) -> Call:
    """`x1 * x2 + x3`, element by element; of floats rounded once.

    x1: The first factor.
    x2: The second factor; it has the shape of the first one.
    x3: What is added; it has that shape too.
    """

def exp(x: Any) -> Call:
    """e to the power of `x`.

    x: The input tensor.
    """

def expand_dims(x: Any, axis: Any) -> Call:
    """Inserts dimensions of size 1 at these positions of the result.

    x: The input tensor.
    axis: The positions in the result, each once; negative numbers count from its end.
    """

def eye(n: Any, m: Any = None, k: int = 0, dtype: str = "float32") -> Call:
    """A matrix of zeros with ones on a diagonal.

    n: The number of rows.
    m: The number of columns; that of the rows where it is left out.
    k: The diagonal: 0 the main one, more to the right.
    dtype: The data type of an element.
    """

def flatten(x: Any) -> Call:
    """The same elements in the same order in one dimension.

    x: The input tensor.
    """

def flip(data: Any, axis: Any) -> Call:
    """The elements along a dimension in the reverse order.

    data: The input tensor.
    axis: The dimension; negative numbers count from the end.
    """

def floor(x: Any) -> Call:
    """The greatest integer that is not greater; an integer stays itself.

    x: The input tensor.
    """

def floor_divide(x1: Any, x2: Any) -> Call:
    """The quotient rounded towards minus infinity; of floats as NumPy has it, consistent with `floor_mod`.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def floor_mod(x1: Any, x2: Any) -> Call:
    """The remainder with the sign of the divisor, as NumPy and Python have it.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def full(shape: Any, fill_value: Any, dtype: str = "void") -> Call:
    """A tensor whose elements are all one value.

    shape: The shape.
    fill_value: The value: a tensor without dimensions.
    dtype: The data type of an element, to which the value is converted; `void`: that of the value.
    """

def full_like(x: Any, fill_value: Any, dtype: str = "void") -> Call:
    """A tensor with the shape of another whose elements are all one value.

    x: The tensor whose shape it is.
    fill_value: The value: a tensor without dimensions.
    dtype: The data type of an element, to which the value is converted; `void`: that of `x`.
    """

def gather_elements(data: Any, indices: Any, axis: int = 0) -> Call:
    """For each index the element of `data` at the same indices, except along the dimension `axis`, where the index
    gives it.

    Negative indices count from the end; one that is out of range is held within the dimension.

    data: The input tensor.
    indices: Integers, in as many dimensions as `data` has, at most as large except along `axis`.
    axis: The dimension; negative numbers count from the end.
    """

def gather_nd(data: Any, indices: Any, batch_dims: int = 0) -> Call:
    """For each row along the last dimension of the indices the slice of `data` that begins with that row, after the
    dimensions of a batch, which both have.

    Negative indices count from the end; one that is out of range is held within its dimension.

    data: The input tensor.
    indices: Integers; the last dimension is a constant.
    batch_dims: The number of dimensions of a batch, which both begin with.
    """

def greater(x1: Any, x2: Any) -> Call:
    """Whether the first is greater; false where one is NaN.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def greater_equal(x1: Any, x2: Any) -> Call:
    """Whether the first is greater or equal; false where one is NaN.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def hint_on_device(data: Any, dst_vdevice: Any) -> Call:
    """The tensor, with the hint that it should lie on this device.

    data: The tensor.
    dst_vdevice: The device.
    """

def index_put(data: Any, indices: Any, values: Any, accumulate: bool = False) -> Call:
    """A copy of `data` in which the slices that the indices name along its first dimensions hold the values, as
    NumPy's `data[i, j] = values`.

    Of several values for one element the last one remains, or with `accumulate` all are added. Negative indices
    count from the end; one that is out of range is held within its dimension.

    data: The input tensor.
    indices: Tensors of integers, which broadcast; at most one for each dimension of `data`.
    values: Elements of the type of `data`, which broadcast to the indexed elements.
    accumulate: Whether values are added to the elements instead of replacing them.
    """

def index_tensor(data: Any, indices: Any) -> Call:
    """The slices of `data` that the indices name along its first dimensions, as NumPy's `data[i, j]`: tensors of
    indices broadcast, and their dimensions replace those that they index.

    Negative indices count from the end; one that is out of range is held within its dimension.

    data: The input tensor.
    indices: Tensors of integers, at most one for each dimension of `data`.
    """

def invoke_closure(closure: Any, args: Any, sinfo_args: Any) -> Call:
    """A call of a function value whose result is as `sinfo_args` says."""

def invoke_pure_closure(closure: Any, args: Any, sinfo_args: Any) -> Call:
    """A call of a function value that the caller says to have no side effect."""

def isfinite(x: Any) -> Call:
    """Whether the element is neither infinite nor NaN.

    x: The input tensor.
    """

def isinf(x: Any) -> Call:
    """Whether the element is one of the two infinities.

    x: The input tensor.
    """

def isnan(x: Any) -> Call:
    """Whether the element is NaN.

    x: The input tensor.
    """

def kthvalue(x: Any, k: Any, axis: int = -1, keepdims: bool = False) -> Call:
    """The `k`-th smallest element along a dimension, and the index at which it stands.

    It is the one that a stable sort puts at place `k`, counted from 1; NaN is greater than every number. A run in
    which the dimension has fewer than `k` elements ends with an error.

    x: The input tensor.
    k: Which element, counted from 1.
    axis: The dimension; negative numbers count from the end.
    keepdims: Whether the dimension stays, with size 1.
    """

def layout_transform(
    x: Any,
    index_map: Any,
    pad_value: Any = None,
    axis_separators: Any = None,
    input_axis_separators: Any = None,
) -> Call:
    """The tensor whose element at `index_map(i)` is that of `x` at `i`.

    The map must be one-to-one: an order of the dimensions, parts of them, sums of parts. Where a dimension is
    divided into parts of a size that does not divide it, it is filled up with `pad_value`.

    x: The input tensor.
    index_map: The map: of an index of `x`, that of the result.
    pad_value: What the dimensions are filled up with; `None`: 0.
    axis_separators: Where the dimensions of the result divide into those of its memory: here nowhere.
    input_axis_separators: The same of `x`.
    """

def left_shift(x1: Any, x2: Any) -> Call:
    """The bits of `x1` moved up by `x2`; 0 where that is the width or more (negative counts included).

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def less(x1: Any, x2: Any) -> Call:
    """Whether the first is less; false where one is NaN.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def less_equal(x1: Any, x2: Any) -> Call:
    """Whether the first is less or equal; false where one is NaN.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def linear(data: Any, weight: Any, bias: Any = None, out_dtype: Any = "void") -> Call:
    """`data @ weight.T`, plus a bias where there is one."""

def literal_eval(node_or_string: Any) -> Any:
    """Evaluate an expression node or a string containing only a Python expression. The string or node provided may
    only consist of the following Python literal structures: strings, bytes, numbers, tuples, lists, dicts, sets,
    booleans, and None.

    Caution: A complex expression can overflow the C stack and cause a crash.
    """

def log(x: Any) -> Call:
    """The natural logarithm.

    x: The input tensor.
    """

def logical_and(x1: Any, x2: Any) -> Call:
    """Whether both are true.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def logical_not(x: Any) -> Call:
    """Whether the element is zero or false.

    x: The input tensor.
    """

def logical_or(x1: Any, x2: Any) -> Call:
    """Whether one or both are true.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def logical_xor(x1: Any, x2: Any) -> Call:
    """Whether one is true but not both.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def make_closure(func: Any, args: Any) -> Call:
    """The function with its last arguments bound: called with the others, it gets these after them. The result's
    type is unknown; it is called by `invoke_closure`.

    func: The function.
    args: Its last arguments.
    """

def masked_fill(x: Any, mask: Any, value: Any) -> Call:
    """The tensor with a value where the mask holds."""

def matmul(x1: Any, x2: Any, out_dtype: str = "void") -> Call:
    """The product of matrices, as `torch.matmul` and NumPy's `@` have it.

    The last two dimensions of each operand are a matrix; dimensions before them are a batch and broadcast. An
    operand of one dimension is a row on the left and a column on the right, whose dimension is dropped again.

    x1: The left operand, of at least one dimension.
    x2: The right operand, of at least one dimension.
    out_dtype: The data type of the result and of the sums; `void`: that of the operands, where sums of float16
    and bfloat16 are in float32 and rounded once.
    """

def max(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The largest element over dimensions.

    NaN if any element is. Of nothing it is minus infinity, or the least integer.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def maximum(x1: Any, x2: Any) -> Call:
    """The larger one; NaN if either is.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The mean over dimensions.

    Of float16 and bfloat16 it is worked out in float32. The mean of nothing is NaN.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def median(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The element in the middle of the sorted ones, of an even number the smaller of both: NaN if there is one.

    For a single dimension the result is the tuple of these elements and of their indices, as `int64`. The median
    of no elements is NaN (0 for integers), with index 0.

    x: The input tensor.
    axis: The dimensions; `None`: all.
    keepdims: Whether the dimensions stay, with size 1.
    """

def meshgrid(tensors: Any, indexing: str = "ij") -> Call:
    """The coordinates of a grid, one tensor for each of its dimensions; the result is their tuple, as
    `numpy.meshgrid`.

    tensors: The coordinates along each dimension: tensors of at most one dimension, of one type.
    indexing: `ij`: the dimensions come in the order of the tensors; `xy`: the second before the first.
    """

def min(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The smallest element over dimensions.

    NaN if any element is. Of nothing it is infinity, or the greatest integer.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def minimum(x1: Any, x2: Any) -> Call:
    """The smaller one; NaN if either is.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def mod(x1: Any, x2: Any) -> Call:
    """The remainder with the sign of the divisor, as NumPy and Python have it. Another name of `floor_mod`.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def multinomial_from_uniform(prob: Any, uniform_sample: Any, sample_indices: Any, dtype: str = "int64") -> Call:
    """A class drawn for each number between 0 and 1 from a row of probabilities: the first one up to which they add
    up to more than the number, or the last class where none do.

    Rows that the indices name count from the end where negative, and are held within the rows. Sums of float16
    and bfloat16 are worked out in float32.

    prob: The probabilities, `(rows, classes)`.
    uniform_sample: The numbers, `(draws, 1)`.
    sample_indices: The row for each draw, integers as `(draws, 1)`.
    dtype: The data type of the classes.
    """

def multiply(x1: Any, x2: Any) -> Call:
    """The product.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def negative(x: Any) -> Call:
    """The negative; the least integer stays itself.

    x: The input tensor.
    """

def nonzero(x: Any) -> Call:
    """The indices of the elements that are not 0, in order, as a tensor of `int64` with a row for each dimension. A
    tensor without dimensions counts as one of one element.

    x: The input tensor.
    """

def not_equal(x1: Any, x2: Any) -> Call:
    """Whether the elements differ; true where one is NaN.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def null_value() -> Call:
    """The value of Python's `None`, where a function of the runtime takes an object that may be absent."""

def one_hot(indices: Any, on_value: Any, off_value: Any, depth: Any, axis: int = -1) -> Call:
    """A dimension of `depth` elements for each index: `on_value` at the index, `off_value` elsewhere. An index out
    of range gives `off_value` everywhere.

    indices: Integers.
    on_value: The value at the index; its type is that of the result.
    off_value: The value elsewhere, of the same type.
    depth: The size of the dimension.
    axis: The position of the dimension in the result; negative ones count from its end.
    """

def ones(shape: Any, dtype: Any) -> Call:
    """A tensor of ones.

    shape: The shape.
    dtype: The data type of an element.
    """

def ones_like(x: Any, dtype: str = "void") -> Call:
    """A tensor of ones with the shape of another.

    x: The tensor whose shape it is.
    dtype: The data type of an element; `void`: that of `x`.
    """

def permute_dims(x: Any, axes: Any = None) -> Call:
    """The tensor with its dimensions in another order: dimension `i` of the result is dimension `axes[i]` of `x`.

    x: The input tensor.
    axes: The order; negative numbers count from the end. `None` reverses the dimensions.
    """

def power(x1: Any, x2: Any) -> Call:
    """`x1` to the power of `x2`; special values as C's `pow` has them.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def prim_value(value: Any) -> PrimValue:
    """A scalar as a value."""

def print(values: Any = None, format: str = "") -> Call:
    """Prints a line when the program runs: the format with `{}` replaced by the values in order, or the values alone
    with blanks between them where no format is given. The runtime's function `relax.run.print` does it; a process
    that registers another one decides where the line is printed.

    values: What the line shows.
    format: The line, with `{}` for each value.
    """

def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The product over dimensions.

    Products of float16 and bfloat16 are worked out in float32; integers wrap around. The product of nothing is 1.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def quantize(data: Any, scale: Any, zero_point: Any, axis: int = -1, out_dtype: str = "int8") -> Call:
    """`data / scale`, rounded to the nearest integer (halves to the even one), plus `zero_point`, held within the
    range of the result's type. NaN becomes the zero of that type.

    data: The input tensor, of floats.
    scale: What one step is: a scalar, or one for each index of the dimension `axis`.
    zero_point: The integer that represents 0: a scalar, or one for each index of the dimension `axis`.
    axis: The dimension of the scales; negative numbers count from the end.
    out_dtype: The data type of the result, an integer.
    """

def relu(data: Any) -> Call:
    """`relax.op.nn.relu`: the spelling of 2022."""

def repeat(data: Any, repeats: Any, axis: Any = None) -> Call:
    """Each element along a dimension repeated, the copies next to each other.

    data: The input tensor.
    repeats: How often each element occurs in the result.
    axis: The dimension; `None`: that of the flattened tensor.
    """

def reshape(x: Any, shape: Any) -> Call:
    """The same elements in the same order under another shape.

    One dimension may be -1: it is inferred from the others. A dimension of 0 is that of `x` at the same position,
    unless `x` has no elements: then it is 0.

    x: The input tensor.
    shape: The shape, with as many elements as `x` has.
    """

def right_shift(x1: Any, x2: Any) -> Call:
    """The bits of `x1` moved down by `x2`, the sign kept; 0 where that is the width or more (negative counts
    included).

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def round(x: Any) -> Call:
    """The nearest integer, ties to even; an integer stays itself.

    x: The input tensor.
    """

def rsqrt(x: Any) -> Call:
    """One divided by the square root.

    x: The input tensor.
    """

def scatter_elements(data: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "update") -> Call:
    """A copy of `data` in which each element of `updates` is written at its own indices, except along the dimension
    `axis`, where the index gives it.

    The updates go one after the other, the last dimension fastest. Negative indices count from the end; one that
    is out of range is held within the dimension.

    data: The input tensor.
    indices: Integers, in as many dimensions as `data` has, at most as large except along `axis`.
    updates: Elements of the type of `data`, of the shape of the indices.
    axis: The dimension; negative numbers count from the end.
    reduction: What an update does to the element: `update` replaces it, `add`, `mul`, `min` and `max` combine
    with it.
    """

def scatter_nd(data: Any, indices: Any, updates: Any, reduction: str = "update") -> Call:
    """A copy of `data` in which the slice that each row along the last dimension of the indices names has changed by
    its update.

    The updates go one after the other, the last dimension fastest. Negative indices count from the end; one that
    is out of range is held within its dimension.

    data: The input tensor.
    indices: Integers; the last dimension is a constant.
    updates: A slice for each row, of the type of `data`.
    reduction: What an update does to the element: `update` replaces it, `add`, `mul`, `min` and `max` combine
    with it.
    """

def shape(dims: Sequence[Any]) -> ShapeExpr:
    """A shape as a value."""

def shape_of(expr: Any) -> Call:
    """The shape of the tensor, as a value.

    expr: The tensor.
    """

def shape_to_tensor(expr: Any) -> Call:
    """A tensor of `int64` with one dimension that holds the dimensions of the shape.

    expr: The shape.
    """

def sigmoid(x: Any) -> Call:
    """`1 / (1 + exp(-x))`.

    x: The input tensor.
    """

def sign(x: Any) -> Call:
    """1 for positive elements, -1 for negative ones; zero and NaN stay themselves.

    x: The input tensor.
    """

def signature(
    obj: Any,
    *,
    follow_wrapped: bool = True,
    globals: Any = None,
    locals: Any = None,
    eval_str: bool = False,
) -> Any:
    """Get a signature object for the passed callable."""

def sin(x: Any) -> Call:
    """The sine of `x` in radians.

    x: The input tensor.
    """

def sinh(x: Any) -> Call:
    """The hyperbolic sine.

    x: The input tensor.
    """

def sort(x: Any, axis: int = -1, descending: bool = False) -> Call:
    """The elements in ascending or descending order along a dimension.

    Equal elements stay in the order in which they stand; NaN is greater than every number.

    x: The input tensor.
    axis: The dimension; negative numbers count from the end.
    descending: Whether the greatest elements come first.
    """

def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Call:
    """A tensor split along a dimension; the result is the tuple of the parts.

    A number of sections: parts of equal size, the last ones smaller or empty where it does not divide the
    dimension. Indices: the positions at which it is split, as in `numpy.split`.

    x: The input tensor.
    indices_or_sections: The number of parts, or the increasing indices at which the parts after the first begin.
    axis: The dimension; negative numbers count from the end.
    """

def sqrt(x: Any) -> Call:
    """The square root, correctly rounded; NaN for negative numbers.

    x: The input tensor.
    """

def square(x: Any) -> Call:
    """The element multiplied by itself.

    x: The input tensor.
    """

def squeeze(x: Any, axis: Any = None) -> Call:
    """Dimensions of size 1 taken out.

    x: The input tensor.
    axis: The dimensions, which must have size 1; `None`: all that have.
    """

def stack(tensors: Any, axis: int = 0) -> Call:
    """Tensors of one shape along a dimension of their own.

    tensors: The tensors, of one shape and type.
    axis: The position of the dimension in the result; negative ones count from its end.
    """

def std(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The square root of the variance over dimensions.

    It is that of a population: nothing is corrected. Float16 and bfloat16 are worked out in float32.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def strided_slice(
    x: Any,
    axes: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    assume_inbound: bool = False,
) -> Call:
    """The elements from `begin` up to and without `end` in steps of `strides` along some dimensions, as Python
    slices.

    Negative begins and ends count from the end of the dimension, and what lies outside is cut off: a symbolic one
    must be known to be no negative number. With `assume_inbound` the caller says that begins and ends lie inside
    and none is negative, and symbolic ones may be anything.

    x: The input tensor.
    axes: The dimensions.
    begin: Where the slice begins along each of them.
    end: Where it ends along each of them.
    strides: The steps, constants other than 0; 1 where they are left out.
    assume_inbound: Whether begins and ends are known to lie inside.
    """

def subtract(x1: Any, x2: Any) -> Call:
    """The difference.

    x1: The first operand.
    x2: The second operand; the shapes broadcast.
    """

def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The sum over dimensions.

    Sums of float16 and bfloat16 are worked out in float32; integers wrap around. The sum of nothing is 0.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def take(x: Any, indices: Any, axis: Any = None, mode: str = "fast") -> Call:
    """The elements of `x` at the indices along a dimension, which the dimensions of the indices replace.

    The mode decides about an index out of range. `clip` and `fast`: it is clamped to the dimension, a negative
    one to 0. `wrap`: it wraps around. `nan`: a negative one counts from the end, and beyond the ends the result
    is NaN (floats only). From a dimension without elements nothing can be taken: such a call is undefined.

    x: The input tensor.
    indices: Integers.
    axis: The dimension; `None`: the only one.
    mode: `fast`, `clip`, `wrap` or `nan`.
    """

def tan(x: Any) -> Call:
    """The tangent of `x` in radians.

    x: The input tensor.
    """

def tanh(x: Any) -> Call:
    """The hyperbolic tangent.

    x: The input tensor.
    """

def tensor_to_shape(expr: Any) -> Call:
    """The shape whose dimensions are the elements of a tensor of `int64` with one dimension. A run in which one of
    them is negative ends with an error. `R.match_cast` on the result names its dimensions.

    expr: The dimensions.
    """

def tile(data: Any, repeats: Any) -> Call:
    """The tensor as a whole repeated along its dimensions, as `numpy.tile` has it: numbers and dimensions align at
    the end; missing dimensions have size 1, missing numbers are 1.

    data: The input tensor.
    repeats: How often, for each dimension.
    """

def to_vdevice(data: Any, dst_vdevice: Any) -> Call:
    """The tensor on another device: a copy, or the tensor itself where it lies there already.

    data: The tensor.
    dst_vdevice: The device.
    """

def topk(
    data: Any,
    k: int = 1,
    axis: int = -1,
    ret_type: str = "both",
    largest: bool = True,
    dtype: str = "int32",
) -> Call:
    """The `k` greatest or smallest elements along a dimension, in order, and the indices at which they stand.

    Of equal elements the one that stands first comes first; NaN is greater than every number. A run in which the
    dimension has fewer than `k` elements ends with an error.

    data: The input tensor.
    k: The number of elements; all of them where it is less than 1.
    axis: The dimension; negative numbers count from the end.
    ret_type: What is given: `both`, the tuple of elements and indices, or `values` or `indices` alone.
    largest: Whether the greatest elements are given, not the smallest.
    dtype: The data type of the indices.
    """

def tril(x: Any, k: int = 0) -> Call:
    """The lower triangle of each matrix in the last two dimensions: elements beyond its diagonal are 0.

    x: The matrices.
    k: The diagonal that bounds the triangle: 0 the main one, more to the right.
    """

def triu(x: Any, k: int = 0) -> Call:
    """The upper triangle of each matrix in the last two dimensions: elements beyond its diagonal are 0.

    x: The matrices.
    k: The diagonal that bounds the triangle: 0 the main one, more to the right.
    """

def trunc(x: Any) -> Call:
    """The integer part; an integer stays itself.

    x: The input tensor.
    """

def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
) -> Call:
    """The distinct elements, or the distinct slices along a dimension.

    The result is a tensor, or if more is requested the tuple of it and of tensors of `int64` with one dimension.
    NaN is equal to itself and greater than every number; slices are compared element by element.

    x: The input tensor.
    sorted: Whether they come in ascending order, and not in that of their first appearance.
    return_index: Whether the index of the first occurrence of each is given.
    return_inverse: Whether the number among the distinct ones is given for each element or slice.
    return_counts: Whether the number of occurrences of each is given.
    axis: The dimension of the slices; `None`: elements, in one dimension.
    """

def variance(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
    """The mean of the squared distances from the mean over dimensions.

    It is that of a population: nothing is corrected. The mean is subtracted first; float16 and bfloat16 are
    worked out in float32.

    x: The input tensor.
    axis: The dimensions; `None`: all. Negative ones count from the end.
    keepdims: Whether the dimensions stay, with size 1.
    """

def where(condition: Any, x1: Any, x2: Any) -> Call:
    """The element of `x1` where `condition` is true, else that of `x2`.

    condition: Bools.
    x1: What is taken where the condition is true; the shapes broadcast.
    x2: What is taken where the condition is false; the shapes broadcast.
    """

def wrap_param(data: Any, dtype: str = "float32") -> Call:
    """A parameter in the type in which the model computes; the elements are converted as `astype` does.

    data: The input tensor.
    dtype: The data type of an element of the result.
    """

def zeros(shape: Any, dtype: Any) -> Call:
    """A tensor of zeros.

    shape: The shape.
    dtype: The data type of an element.
    """

def zeros_like(x: Any, dtype: str = "void") -> Call:
    """A tensor of zeros with the shape of another.

    x: The tensor whose shape it is.
    dtype: The data type of an element; `void`: that of `x`.
    """
