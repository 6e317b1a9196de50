"""Schedules by rules that are written in Python: one rule after the other is asked for a schedule of each PrimFunc."""

from . import analysis, base, gpu
from .analysis import BlockInfo, IterInfo, normalize_prim_func
from .base import ApplyDefaultSchedule, ScheduleRule, try_inline, try_inline_contiguous_spatial

__all__ = [
    "ApplyDefaultSchedule", "BlockInfo", "IterInfo", "ScheduleRule", "analysis", "base", "gpu", "normalize_prim_func",
    "try_inline", "try_inline_contiguous_spatial",
]  # fmt: skip
