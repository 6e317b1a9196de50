"""Passes on the loop level."""

from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass

__all__ = ["DefaultGPUSchedule", "prim_func_pass"]
