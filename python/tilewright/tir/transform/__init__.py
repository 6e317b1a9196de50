"""Passes on the loop level."""

from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass
from .lowering import (
    AnnotateDeviceRegions,
    BF16ComputeLegalize,
    CommonSubexprElimTIR,
    CompactBufferAllocation,
    ConvertBlocksToOpaque,
    ConvertForLoopsToSerial,
    ConvertSSA,
    DecorateDeviceScope,
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
    LowerIntrin,
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
    ThreadSync,
    UnifyThreadBinding,
    UnrollLoop,
    UnrollLoopConfig,
    VectorizeLoop,
)
from .transform import AnnotateEntryFunc, Apply, BindTarget, Filter, VerifyMemory

__all__ = [
    "AnnotateDeviceRegions", "AnnotateEntryFunc", "Apply", "ApplyDefaultSchedule", "BF16ComputeLegalize",
    "BindTarget", "CommonSubexprElimTIR", "CompactBufferAllocation", "ConvertBlocksToOpaque",
    "ConvertForLoopsToSerial", "ConvertSSA", "DecorateDeviceScope", "DefaultGPUSchedule", "Filter", "FlattenBuffer",
    "ForceNarrowIndexToInt32", "HoistExpression", "HoistExpressionConfig", "HoistIfThenElse",
    "HoistIfThenElseConfig", "HoistedConditionals", "HoistedLetBindings", "LoopPartition", "LowerInitBlock",
    "LowerIntrin", "LowerMatchBuffer", "LowerOpaqueBlock", "NarrowDataType",
    "PlanAndUpdateBufferAllocationLocation", "RemoveAssume", "RemoveNoOp", "RemoveStoreUndef",
    "RewriteUnsafeSelect", "Simplify", "SkipAssert", "ThreadSync", "UnifyThreadBinding", "UnrollLoop",
    "UnrollLoopConfig", "VectorizeLoop", "VerifyMemory", "prim_func_pass",
]  # fmt: skip
