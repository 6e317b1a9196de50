"""Tensors: `array` makes one, `NDArray` is its class."""

from __future__ import annotations

from typing import Any

from .._core import Device, NDArray
from .device import cpu, cuda, device

__all__ = ["NDArray", "array", "cpu", "cuda", "device", "empty", "from_dlpack"]


def array(values: Any, device: Device | None = None) -> NDArray:
    """A tensor on `device` with a copy of `values`: an NDArray, a NumPy array, or what NumPy makes an array of."""
    device = device or cpu()
    if isinstance(values, NDArray):
        return values.copyto(device)
    import numpy as np

    return NDArray.copy_of(np.asarray(values), device)


def from_dlpack(source: Any) -> NDArray:
    """A tensor that shares the memory of anything with `__dlpack__`; read-only memory stays read-only."""
    return NDArray.from_dlpack(source)


def empty(shape: tuple[int, ...], dtype: str = "float32", device: Device | None = None) -> NDArray:
    """A tensor of zeros; `empty` promises no values, and zeros are the same in every run."""
    return NDArray.empty(shape, dtype, device or cpu())
