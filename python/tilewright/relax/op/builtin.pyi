"""The graph operators `R.builtin.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def alloc_tensor(shape: Any, dtype: Any, runtime_device_index: int = 0, storage_scope: str = "global") -> Call:
    """A new tensor with undefined contents, in memory of its own: it may outlive the call that made it.

    shape: The shape.
    dtype: The data type of an element.
    runtime_device_index: The device, by its number in the virtual machine.
    storage_scope: Where in the device's memory.
    """

def stop_lift_params(x: Any) -> Call:
    """The tensor itself: computations after it are not lifted out of the function.

    x: The tensor.
    """
