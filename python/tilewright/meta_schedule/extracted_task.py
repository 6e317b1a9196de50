"""Kernels of a module that can be tuned."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import IRModule
from ..target import Target

__all__ = ["ExtractedTask"]


@dataclass(eq=False)
class ExtractedTask:
    """A kernel: the name of its function, the module of that function alone, and how often it is called."""

    task_name: str
    mod: IRModule
    target: Target
    dispatched: list[IRModule]
    weight: int
