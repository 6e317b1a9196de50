"""Passes on the loop level, by the path that some programs import them from."""

from __future__ import annotations

from typing import Any

from ...target import Target
from ..function import PrimFunc
from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass

__all__ = ["ApplyDefaultSchedule", "BindTarget", "DefaultGPUSchedule", "prim_func_pass"]


def BindTarget(target: Target | str) -> Any:
    """Every PrimFunc that says no target says this one: its attribute `target`."""
    text = str(Target(target) if isinstance(target, str) else target)

    def bind(function: PrimFunc, _module: Any, _context: Any) -> PrimFunc:
        return function if "target" in function.attrs else function.with_attr("target", text)

    return prim_func_pass(bind, opt_level=0, name="BindTarget")
