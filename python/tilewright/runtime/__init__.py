"""Tensors, devices and functions found by name."""

from . import ndarray
from .device import Device, cpu, cuda, device
from .ndarray import NDArray
from .packed_func import PackedFunc, get_global_func, register_func

__all__ = [
    "Device",
    "NDArray",
    "PackedFunc",
    "cpu",
    "cuda",
    "device",
    "get_global_func",
    "ndarray",
    "register_func",
]
