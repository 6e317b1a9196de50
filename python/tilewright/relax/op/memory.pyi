"""The graph operators `R.memory.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def alloc_storage(bytes: Any) -> Call:
    """Memory, as a tensor of bytes: it lives as long as the call of the enclosing function, and is aligned to 64
    bytes. Tensors are placed in it with `memory.alloc_tensor`.

    bytes: Its size in bytes.
    """

def alloc_tensor(storage: Any, shape: Any, offset: Any, dtype: Any, bytes: int = 0) -> Call:
    """A tensor in a storage. Its contents are undefined, and tensors may overlap: the memory plan guarantees that
    they are not in use at the same time. It must not be returned.

    storage: The storage.
    shape: The shape; a symbolic one needs `bytes`.
    offset: Where it begins, in bytes: a multiple of 64.
    dtype: The data type of an element.
    bytes: The bytes that are kept for it; 0: those of its constant shape. A run in which it needs more ends with
    an error.
    """

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
