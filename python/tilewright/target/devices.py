"""Targets of GPUs by functions, as programs of earlier years write them."""

from __future__ import annotations

from collections.abc import Sequence

from .target import Target

__all__ = ["adreno", "cuda", "intel_graphics", "mali", "rocm"]


def _target(kind: str, said: Sequence[str], options: str | Sequence[str] | None) -> Target:
    more = options.split() if isinstance(options, str) else list(options or ())
    return Target(" ".join([kind, *said, *more]))


def cuda(model: str = "unknown", arch: str | None = None, options: str | Sequence[str] | None = None) -> Target:
    """A GPU of NVIDIA: of an architecture such as `sm_80`."""
    return _target("cuda", [f"-model={model}", *([f"-arch={arch}"] if arch else [])], options)


def rocm(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """A GPU of AMD."""
    return _target("rocm", [f"-model={model}"], options)


def mali(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """A Mali GPU of ARM, by OpenCL."""
    return _target("opencl", ["-device=mali", f"-model={model}"], options)


def intel_graphics(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """A GPU of Intel, by OpenCL."""
    return _target("opencl", ["-device=intel_graphics", f"-model={model}", "-thread_warp_size=16"], options)


def adreno(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """An Adreno GPU, by OpenCL."""
    return _target("opencl", ["-device=adreno", f"-model={model}"], options)
