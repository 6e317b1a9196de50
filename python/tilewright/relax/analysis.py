"""Questions about modules."""

from __future__ import annotations

from .._core import IRModule
from .._core import estimate_memory_usage as _estimate_memory_usage

__all__ = ["estimate_memory_usage"]


def estimate_memory_usage(mod: IRModule) -> str:
    """A table of the memory that each function's tensors take, of a module after `StaticPlanBlockMemory`.

    It has the bytes as planned, without planning and at the peak, and the tensors in memory of their own.
    """
    return _estimate_memory_usage(mod)
