"""Passes on the loop level."""

from . import lowering
from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass
from .lowering import *
from .transform import AnnotateEntryFunc, Apply, BindTarget, Filter, VerifyMemory, VerifySSA

__all__ = [
    "AnnotateEntryFunc",
    "Apply",
    "ApplyDefaultSchedule",
    "BindTarget",
    "DefaultGPUSchedule",
    "Filter",
    "VerifyMemory",
    "VerifySSA",
    "prim_func_pass",
    *lowering.__all__,
]


def __getattr__(name: str) -> object:
    from ...compat.absent import absent_name

    return absent_name(__name__, name)
