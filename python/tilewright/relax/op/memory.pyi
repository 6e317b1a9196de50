"""The graph operators `R.memory.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def alloc_storage(
    size: Any,
    virtual_device_index: Any = 0,
    storage_scope: Any = "global",
    dtype: Any = "uint8",
    *,
    bytes: Any = None,
) -> Call:
    """`R.memory.alloc_storage`: of a shape of one dimension, in bytes, or of a number of bytes."""

def alloc_tensor(storage: Any, offset: Any, shape: Any, dtype: Any, bytes: Any = 0) -> Call:
    """`R.memory.alloc_tensor`; the shape and the offset may be swapped."""

def ensure_zero_offset(data: Any) -> Call:
    """The tensor, such that the address of its first element is all that a kernel has to know. Every tensor is like
    that here, so that this is the tensor itself.

    data: The tensor.
    """

def kill_storage(storage: Any) -> Call:
    """Says that the storage and the tensors in it are not used any more.

    storage: The storage; no later binding uses it.
    """

def kill_tensor(tensor: Any) -> Call:
    """Says that the tensor is not used any more, so that its memory may go back before the function ends.

    tensor: The tensor; no later binding uses it.
    """

def view(data: Any, shape: Any = None, dtype: str = "void", relative_byte_offset: int = 0) -> Call:
    """A tensor over the memory of another one: nothing is copied. Shape and data type are those of `data` where they
    are not given. A run in which the view does not lie inside the memory of `data` ends with an error.

    data: The tensor whose memory it is.
    shape: The shape of the view.
    dtype: Its data type.
    relative_byte_offset: Its offset in bytes from the first element of `data`.
    """
