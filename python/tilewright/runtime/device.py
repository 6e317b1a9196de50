"""Where tensors live and kernels run."""

from __future__ import annotations

from .._core import Device

__all__ = ["Device", "cpu", "cuda", "device"]


def device(name: str, index: int = 0) -> Device:
    """The device of that kind and index: `device("cpu")`, `device("cuda:1")`."""
    kind, _, number = name.partition(":")
    return Device(kind, int(number) if number else index)


def cpu(index: int = 0) -> Device:
    """This machine's processor."""
    return Device("cpu", index)


def cuda(index: int = 0) -> Device:
    """A CUDA device; `cuda().exist` says whether there is one that can be used."""
    return Device("cuda", index)
