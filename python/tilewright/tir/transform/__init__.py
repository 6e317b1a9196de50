"""Passes on the loop level."""

from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass
from .lowering import (
    AnnotateDeviceRegions,
    CompactBufferAllocation,
    ConvertBlocksToOpaque,
    ConvertForLoopsToSerial,
    ConvertSSA,
    FlattenBuffer,
    ForceNarrowIndexToInt32,
    HoistedConditionals,
    HoistedLetBindings,
    HoistExpression,
    HoistExpressionConfig,
    HoistIfThenElse,
    HoistIfThenElseConfig,
    LoopPartition,
    LowerInitBlock,
    LowerMatchBuffer,
    LowerOpaqueBlock,
    NarrowDataType,
    PlanAndUpdateBufferAllocationLocation,
    RemoveAssume,
    RemoveNoOp,
    RemoveStoreUndef,
    RewriteUnsafeSelect,
    Simplify,
    SkipAssert,
    UnifyThreadBinding,
    UnrollLoop,
    UnrollLoopConfig,
    VectorizeLoop,
)
from .transform import AnnotateEntryFunc, Apply, BindTarget, Filter, VerifyMemory

__all__ = [
    "AnnotateDeviceRegions", "AnnotateEntryFunc", "Apply", "ApplyDefaultSchedule", "BindTarget",
    "CompactBufferAllocation", "ConvertBlocksToOpaque", "ConvertForLoopsToSerial", "ConvertSSA",
    "DefaultGPUSchedule", "Filter", "FlattenBuffer", "ForceNarrowIndexToInt32", "HoistExpression",
    "HoistExpressionConfig", "HoistIfThenElse", "HoistIfThenElseConfig", "HoistedConditionals",
    "HoistedLetBindings", "LoopPartition", "LowerInitBlock", "LowerMatchBuffer", "LowerOpaqueBlock",
    "NarrowDataType", "PlanAndUpdateBufferAllocationLocation", "RemoveAssume", "RemoveNoOp", "RemoveStoreUndef",
    "RewriteUnsafeSelect", "Simplify", "SkipAssert", "UnifyThreadBinding", "UnrollLoop", "UnrollLoopConfig",
    "VectorizeLoop", "VerifyMemory", "prim_func_pass",
]  # fmt: skip
