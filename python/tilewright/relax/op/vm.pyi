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
    """Memory of the given number of bytes, as an object: it lives as long as something in it is in use. Tensors are
    placed in it with `vm.alloc_tensor`.

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

def make_prim_value(heap: Any, slot: Any, dtype: Any) -> Call:
    """The number in a slot of a heap (see `vm.match_shape`) as a scalar. A float is stored there as the bits of a
    `float64`, a bool as 0 or 1.

    heap: The numbers.
    slot: The slot of the heap.
    dtype: Its data type.
    """

def make_shape(heap: Any, codes: Any = None) -> Call:
    """The shape whose dimensions are constants, or in a heap (see `vm.match_shape`). For each dimension come a code
    and a number: 0 and its size; 1 and the slot that holds it.

    heap: The numbers.
    codes: A code and a number for each dimension.
    """

def match_prim_value(value: Any, heap: Any, code: Any, number: Any, dtype: Any, label: str = "") -> Call:
    """Compares a scalar, or stores it in a heap (see `vm.match_shape`, whose codes these are). A float is stored
    there as the bits of a `float64`, a bool as 0 or 1. A run with another scalar ends with an error.

    value: The scalar.
    heap: The numbers.
    code: What is done with it.
    number: The number or the slot.
    dtype: The scalar's data type.
    label: What the scalar is called in errors.
    """

def match_shape(value: Any, heap: Any, codes: Any = None, label: str = "") -> Call:
    """Compares the dimensions of a tensor or shape, and keeps those that are new in a heap: a tensor of `int64`
    whose elements are numbers. For each dimension come a code and a number: 0 and the size that it has to be; 1
    and the slot of the heap that it is stored in; 2 and anything for no action; 3 and the slot that holds the
    required size. A run in which a dimension is another ends with an error.

    value: The tensor or shape.
    heap: The numbers.
    codes: A code and a number for each dimension.
    label: What the value is called in errors.
    """
