"""The graph operators `R.inspect.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def tensor_byte_offset(x: Any) -> Call:
    """The bytes between a tensor's address and its first element: none, as every tensor begins at its address.

    x: The tensor.
    """

def tensor_dtype_bits(x: Any) -> Call:
    """The bits of one element.

    x: The tensor.
    """

def tensor_dtype_code(x: Any) -> Call:
    """The code of the elements' type, as DLPack counts: 0 for signed and 1 for unsigned integers, 2 for floats, 6
    for bools.

    x: The tensor.
    """

def tensor_dtype_lanes(x: Any) -> Call:
    """The lanes of one element.

    x: The tensor.
    """

def tensor_elem_offset(x: Any) -> Call:
    """The elements between a tensor's address and its first element: none, as every tensor begins at its address.

    x: The tensor.
    """

def tensor_ndim(x: Any) -> Call:
    """The number of dimensions.

    x: The tensor.
    """

def tensor_shape_i(x: Any, axis: Any) -> Call:
    """The number of elements along a dimension.

    x: The tensor.
    axis: The dimension, counted from the start.
    """

def tensor_stride_i(x: Any, axis: Any) -> Call:
    """The distance between neighbours along a dimension, in elements.

    x: The tensor.
    axis: The dimension, counted from the start.
    """
