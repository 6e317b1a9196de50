"""Tensors: `array` makes one, `NDArray` is its class.

`a[0]`, `a[1:, ::2]`, `a[..., None]` are tensors that share the memory of `a`, one element included (`a[0, 0].item()` is
its number); a list, an array or a bool as an index gives a copy, as NumPy has it. `a[1:] = values` writes.

A tensor may hold `bfloat16`, which NumPy lacks: `a.numpy()` is an error there, `a.astype("float32").numpy()` gives the
values, `a.view("uint16").numpy()` the bits, and `torch.from_dlpack(a)` shares the memory.
"""

from __future__ import annotations

from typing import Any

from .._core import Device, NDArray
from ..error import WrongTypeError
from .device import cpu, cuda, device
from .device import device as _device

__all__ = [
    "NDArray", "Tensor", "array", "cpu", "cuda", "device", "empty", "from_bytes", "from_dlpack", "tensor",
]  # fmt: skip

# The later name of the class.
Tensor = NDArray

_NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float16", "float32", "float64")  # fmt: skip


def array(values: Any, device: Device | str | None = None, dtype: Any = None) -> NDArray:
    """A tensor on `device` with a copy of `values`: a tensor, a NumPy array, or what NumPy makes an array of.

    The device is one such as `cpu()`, or its name.

    With `dtype` the values are converted; `bfloat16` is rounded from `float32`.
    """
    device = _device(device) if isinstance(device, str) else device or cpu()
    if not isinstance(device, Device):
        raise WrongTypeError(f"expected a device such as cpu(), found {type(device).__name__}")
    if not isinstance(values, NDArray):
        values = _copied(values, device)
    if dtype is not None and str(dtype) != values.dtype:
        return values.astype(dtype).to_device(device)
    return values.copyto(device)


# The later name of the function.
tensor = array


def _copied(values: Any, device: Device) -> NDArray:
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array_interface__"):
        return NDArray.copy_of(values, device)
    import numpy as np

    try:
        found = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise WrongTypeError(f"a tensor is made of numbers in a regular shape: {error}") from error
    if found.dtype.name not in _NUMBERS:
        text = repr(values)
        what = text if len(text) < 60 else f"{text[:57]}..."
        raise WrongTypeError(f"a tensor holds numbers and bools, not elements of the type {found.dtype}: {what}")
    if not found.dtype.isnative:
        raise WrongTypeError(
            f"a tensor holds numbers in this machine's byte order, not {found.dtype.str}: "
            f"convert with a.astype({found.dtype.name!r})"
        )
    return NDArray.copy_of(found, device)


def from_dlpack(source: Any) -> NDArray:
    """A tensor that shares the memory of anything with `__dlpack__`; read-only memory stays read-only."""
    return NDArray.from_dlpack(source)


def from_bytes(dtype: str, shape: tuple[int, ...], data: bytes) -> NDArray:
    """A tensor of that type and shape whose elements are these bytes, in row-major order."""
    return NDArray.from_bytes(dtype, shape, data)


def empty(shape: tuple[int, ...], dtype: str = "float32", device: Device | None = None) -> NDArray:
    """A tensor of zeros; `empty` promises no values, and zeros are the same in every run."""
    return NDArray.empty(shape, dtype, device or cpu())
