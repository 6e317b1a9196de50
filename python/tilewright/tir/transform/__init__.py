"""Passes on the loop level."""

from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass
from .transform import BindTarget

__all__ = ["ApplyDefaultSchedule", "BindTarget", "DefaultGPUSchedule", "prim_func_pass"]
