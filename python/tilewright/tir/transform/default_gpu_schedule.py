"""Loops on the threads of a GPU."""

from __future__ import annotations

from typing import Any

from ..._core import IRModule, Pass, default_gpu_schedule
from ...target import Target

__all__ = ["DefaultGPUSchedule"]


def DefaultGPUSchedule() -> Pass:
    """Binds every PrimFunc that has no schedule to blocks and threads of the target in scope, such as `cuda`."""

    def transform(module: IRModule, _: Any) -> IRModule:
        return default_gpu_schedule(module, Target.current(allow_none=False))

    return Pass.from_python(transform, "DefaultGPUSchedule", 0)
