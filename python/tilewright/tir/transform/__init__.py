"""Passes on the loop level."""

from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass
from .transform import BindTarget

__all__ = ["BindTarget", "DefaultGPUSchedule", "prim_func_pass"]
