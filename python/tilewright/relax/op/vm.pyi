"""The graph operators `R.vm.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def alloc_storage(
    size: Any,
    runtime_device_index: int = 0,
    dtype: str = "uint8",
    storage_scope: str = "global",
) -> Call:
    """Memory of so many bytes, as an object: it lives as long as something in it is in use. Tensors are placed in it
    with `vm.alloc_tensor`.

    size: Its size in bytes, as a shape of one dimension.
    runtime_device_index: The device, by its number in the virtual machine.
    dtype: What will lie in it.
    storage_scope: Where in the device's memory.
    """

def alloc_tensor(*args: Any, **kwargs: Any) -> Call:
    """A tensor with undefined contents that lies in a storage. A run in which it does not fit ends with an error.

    storage: The storage, of `vm.alloc_storage`.
    shape: The shape.
    offset: Where it begins, in bytes: a multiple of 64.
    dtype: The data type of an element.
    """

def call_tir_dyn(func: Any, args: Any) -> Call:
    """Calls a PrimFunc of the module on the tensors and scalars of a tuple. A shape that ends the tuple stands for
    its dimensions, each a scalar.

    func: The PrimFunc.
    args: Its arguments, destinations among them.
    """

def kill_object(obj: Any) -> Call:
    """Says that the value is not used any more.

    obj: The value; no later binding uses it.
    """
