"""Where tensors live and kernels run, and the threads that kernels use."""

from __future__ import annotations

from .._core import Device, available_processors, num_threads, set_affinity, set_num_threads
from ..error import TVMError

__all__ = [
    "Device",
    "available_processors",
    "cpu",
    "cuda",
    "device",
    "num_threads",
    "set_affinity",
    "set_num_threads",
]


def device(device_type: str, index: int | None = None) -> Device:
    """The device of that kind and index: `device("cpu")`, `device("cuda:1")`."""
    kind, _, number = device_type.partition(":")
    if number and not number.isdecimal():
        raise TVMError(f"expected a device such as `cpu` or `cuda:1`, found `{device_type}`")
    return Device(kind, int(number) if number else index or 0)


def cpu(dev_id: int = 0) -> Device:
    """This machine's processor."""
    return Device("cpu", dev_id)


def cuda(dev_id: int = 0) -> Device:
    """A CUDA device; `cuda().exist` says whether there is one that can be used."""
    return Device("cuda", dev_id)
