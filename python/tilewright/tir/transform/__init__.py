"""Passes on the loop level."""

from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass
from .lowering import (
    HoistIfThenElse,
    LoopPartition,
    LowerInitBlock,
    LowerOpaqueBlock,
    RemoveNoOp,
    Simplify,
    UnrollLoop,
)
from .transform import BindTarget

__all__ = [
    "ApplyDefaultSchedule", "BindTarget", "DefaultGPUSchedule", "HoistIfThenElse", "LoopPartition", "LowerInitBlock",
    "LowerOpaqueBlock", "RemoveNoOp", "Simplify", "UnrollLoop", "prim_func_pass",
]  # fmt: skip
