"""Where tensors live and kernels run, and the threads that kernels use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._core import Device, available_processors, num_threads, set_affinity, set_num_threads
from ..error import TVMError

__all__ = [
    "AbsentDevice",
    "Device",
    "available_processors",
    "cl",
    "cpu",
    "cuda",
    "device",
    "ext_dev",
    "gpu",
    "hexagon",
    "metal",
    "num_threads",
    "opencl",
    "rocm",
    "set_affinity",
    "set_num_threads",
    "vpi",
    "vulkan",
    "webgpu",
]

#: The kinds of devices that have a name and DLPack's number, and no driver here.
_ABSENT = {"opencl": 4, "vpi": 9, "rocm": 10, "hexagon": 16}

#: Other names of kinds: those of targets whose kernels run there.
_KINDS = {
    "llvm": "cpu", "c": "cpu", "stackvm": "cpu", "hybrid": "cpu", "composite": "cpu", "test": "cpu", "gpu": "cuda",
    "nvptx": "cuda", "cl": "opencl", "sdaccel": "opencl", "mtl": "metal",
}  # fmt: skip

#: DLPack's numbers.
_NUMBERS = {1: "cpu", 2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 9: "vpi", 10: "rocm", 12: "ext_dev",
            15: "webgpu", 16: "hexagon"}  # fmt: skip

Device.MASK2STR = dict(_NUMBERS)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class AbsentDevice:
    """A device of a kind for which there is no driver: it can be named and compared, and `exist` is false."""

    kind: str
    device_id: int = 0
    exist = False
    max_threads = 0
    multi_processor_count = 0

    @property
    def device_type(self) -> int:
        """DLPack's number for the kind of device."""
        return _ABSENT[self.kind]

    def sync(self) -> None:
        """An error: the device is not there."""
        raise TVMError(f"the device {self} does not exist on this machine; use cpu(0)")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TVMError(f"the device {self} does not exist on this machine; use cpu(0)")

    def __str__(self) -> str:
        return f"{self.kind}({self.device_id})"

    __repr__ = __str__


def device(device_type: str | int, index: int | None = None) -> Any:
    """The device of that kind and index: `device("cpu")`, `device("cuda:1")`, `device("llvm", 0)`.

    A kind may be that of a target whose kernels run there, with its options, or DLPack's number.
    """
    if isinstance(device_type, int):
        if device_type not in _NUMBERS:
            raise TVMError(f"no kind of device has the number {device_type}")
        kind, number = _NUMBERS[device_type], ""
    else:
        kind, _, number = (device_type.split() or [""])[0].partition(":")
    if number and not number.isdecimal():
        raise TVMError(f"expected a device such as `cpu` or `cuda:1`, found `{device_type}`")
    kind = _KINDS.get(kind, kind)
    place = int(number) if number else index or 0
    return AbsentDevice(kind, place) if kind in _ABSENT else Device(kind, place)


def cpu(dev_id: int = 0) -> Device:
    """This machine's processor."""
    return Device("cpu", dev_id)


def cuda(dev_id: int = 0) -> Device:
    """A CUDA device; `cuda().exist` says whether there is one that can be used."""
    return Device("cuda", dev_id)


def vulkan(dev_id: int = 0) -> Device:
    """A device of Vulkan."""
    return Device("vulkan", dev_id)


def metal(dev_id: int = 0) -> Device:
    """A device of Metal."""
    return Device("metal", dev_id)


def webgpu(dev_id: int = 0) -> Device:
    """A device of WebGPU."""
    return Device("webgpu", dev_id)


def ext_dev(dev_id: int = 0) -> Device:
    """A device that tests the use of devices."""
    return Device("ext_dev", dev_id)


def opencl(dev_id: int = 0) -> AbsentDevice:
    """A device of OpenCL, for which there is no driver."""
    return AbsentDevice("opencl", dev_id)


def rocm(dev_id: int = 0) -> AbsentDevice:
    """A device of ROCm, for which there is no driver."""
    return AbsentDevice("rocm", dev_id)


def hexagon(dev_id: int = 0) -> AbsentDevice:
    """A Hexagon processor, for which there is no driver."""
    return AbsentDevice("hexagon", dev_id)


def vpi(dev_id: int = 0) -> AbsentDevice:
    """A device of a simulator of hardware, for which there is no driver."""
    return AbsentDevice("vpi", dev_id)


gpu = cuda
cl = opencl
