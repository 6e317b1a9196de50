"""Tensors: `array` makes one, `NDArray` is its class.

`a[0]`, `a[1:, ::2]`, `a[..., None]` are tensors that share the memory of `a`, one element included (`a[0, 0].item()` is
its number); a list, an array or a bool as an index gives a copy, as NumPy has it. `a[1:] = values` writes.

A tensor may hold `bfloat16`, which NumPy lacks: `a.numpy()` is an error there, `a.astype("float32").numpy()` gives the
values, `a.view("uint16").numpy()` the bits, and `torch.from_dlpack(a)` shares the memory.
"""

from __future__ import annotations

from typing import Any

from .._core import Device, NDArray
from ..error import TVMError, WrongTypeError
from .device import cl, cpu, cuda, device, ext_dev, gpu, hexagon, metal, opencl, rocm, vpi, vulkan, webgpu
from .device import device as _device

__all__ = [
    "NDArray", "Tensor", "array", "cl", "cpu", "cuda", "device", "empty", "ext_dev", "from_bytes", "from_dlpack",
    "gpu", "hexagon", "metal", "numpyasarray", "opencl", "rocm", "tensor", "vpi", "vulkan", "webgpu",
]  # fmt: skip

# The later name of the class.
Tensor = NDArray

_NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float16", "float32", "float64")  # fmt: skip


def array(arr: Any, device: Device | str | None = None, mem_scope: str | None = None, *, dtype: Any = None) -> NDArray:
    """A tensor on `device` with a copy of `arr`: a tensor, a NumPy array, or what NumPy makes an array of.

    The device is one such as `cpu()`, or its name.

    With `dtype` the values are converted; `bfloat16` is rounded from `float32`. Tensors lie in the memory `global`.
    """
    values = arr
    _require_global(mem_scope)
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


class _OfCapsule:
    """An object that hands out a capsule of DLPack."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _require_global(scope: str | None) -> None:
    if scope not in (None, "", "global"):
        raise TVMError(f"tensors lie in the memory `global`, found the scope `{scope}`")


def from_dlpack(source: Any) -> NDArray:
    """A tensor that shares the memory of anything with `__dlpack__`, or of a capsule that such an object gave; memory
    that is read-only stays so."""
    return NDArray.from_dlpack(_OfCapsule(source) if type(source).__name__ == "PyCapsule" else source)


def from_bytes(dtype: str, shape: tuple[int, ...], data: bytes) -> NDArray:
    """A tensor of that type and shape whose elements are these bytes, in row-major order."""
    return NDArray.from_bytes(dtype, shape, data)


def numpyasarray(np_data: Any) -> tuple[NDArray, tuple[int, ...]]:
    """A tensor of an array's values, with its shape."""
    made = array(np_data)
    return made, made.shape


def empty(
    shape: tuple[int, ...], dtype: str = "float32", device: Device | None = None, mem_scope: str | None = None
) -> NDArray:
    """A tensor of zeros; `empty` promises no values, and zeros are the same in every run."""
    _require_global(mem_scope)
    return NDArray.empty(shape, dtype, device or cpu())
