"""Loop passes by name.

Building runs a lowering of its own, in the order that `tilewright-tir-passes` documents; a program needs one of these
to look at what it does, or to do it early.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from enum import IntFlag
from typing import Any

from ..._core import IRModule, Pass, lowering_step, tir_module_pass, tir_pass
from ..function import PrimFunc
from .function_pass import prim_func_pass

__all__ = [
    "AnnotateDeviceRegions",
    "BF16ComputeLegalize",
    "BF16StorageLegalize",
    "CommonSubexprElimTIR",
    "CompactBufferAllocation",
    "ConvertBlocksToOpaque",
    "ConvertForLoopsToSerial",
    "ConvertSSA",
    "DecorateDeviceScope",
    "FP8ComputeLegalize",
    "FP8StorageLegalize",
    "FlattenBuffer",
    "ForceNarrowIndexToInt32",
    "HoistExpression",
    "HoistExpressionConfig",
    "HoistIfThenElse",
    "HoistIfThenElseConfig",
    "HoistedConditionals",
    "HoistedLetBindings",
    "InjectDoubleBuffer",
    "InjectDoubleBufferConfig",
    "InjectPTXAsyncCopy",
    "InjectSoftwarePipeline",
    "InjectVirtualThread",
    "InlinePrivateFunctions",
    "InstrumentBoundCheckers",
    "LiftAttrScope",
    "LiftThreadBinding",
    "LoopPartition",
    "LowerCrossThreadReduction",
    "LowerDeviceKernelLaunch",
    "LowerInitBlock",
    "LowerIntrin",
    "LowerMatchBuffer",
    "LowerOpaqueBlock",
    "LowerThreadAllreduce",
    "MakePackedAPI",
    "MakeUnpackedAPI",
    "MergeSharedMemoryAllocations",
    "NarrowDataType",
    "PlanAndUpdateBufferAllocationLocation",
    "RemoveAssume",
    "RemoveNoOp",
    "RemoveStoreUndef",
    "RemoveWeightLayoutRewriteBlock",
    "RenormalizeSplitPattern",
    "RewriteUnsafeSelect",
    "Simplify",
    "SkipAssert",
    "SplitHostDevice",
    "StorageRewrite",
    "ThreadSync",
    "UnifyThreadBinding",
    "UnrollLoop",
    "UnrollLoopConfig",
    "VectorizeLoop",
]  # fmt: skip


class HoistedConditionals(IntFlag):
    """Which conditions `HoistExpression` moves."""

    Never = 0
    IfElseStmt = 1
    IfElseExpr = 2
    BooleanExpression = 4
    UsingBlockVar = 8
    All = 15


class HoistedLetBindings(IntFlag):
    """Which values of `let` `HoistExpression` moves."""

    Never = 0
    RequiredByCondition = 1
    LetStmt = 2
    LetExpr = 4
    All = 7


@dataclass
class HoistExpressionConfig:
    """The options of `HoistExpression`, under the key `tir.HoistExpression` of a context."""

    hoisted_conditionals: int = HoistedConditionals.All
    hoisted_let_bindings: int = HoistedLetBindings.All


@dataclass
class HoistIfThenElseConfig:
    """The options of `HoistIfThenElse`, under the key `tir.HoistIfThenElse` of a context."""

    support_block_scope_hosting: bool = False


@dataclass
class UnrollLoopConfig:
    """The options of `UnrollLoop`, under the key `tir.UnrollLoop` of a context."""

    auto_max_step: int = 0
    auto_max_depth: int = 8
    auto_max_extent: int = 0
    explicit_unroll: bool = True


@dataclass
class InjectDoubleBufferConfig:
    """The options of `InjectDoubleBuffer`, under the key `tir.InjectDoubleBuffer` of a context."""

    split_loop: int = 1


#: The options of the passes that have some.
_READ = {
    "HoistExpression": ("hoisted_conditionals", "hoisted_let_bindings"),
    "HoistIfThenElse": ("support_block_scope_hosting",),
    "InjectDoubleBuffer": ("split_loop",),
    "RemoveNoOp": ("use_dataflow_analysis",),
    "Simplify": (
        "transitively_prove_inequalities", "convert_boolean_to_and_of_ors", "propagate_knowns_to_prove_conditional",
        "propagate_knowns_to_simplify_expressions",
    ),
    "UnrollLoop": (
        "auto_max_step", "auto_max_depth", "auto_max_extent", "explicit_unroll", "unroll_local_access",
    ),
}  # fmt: skip


def _options(context: Any, name: str) -> dict[str, Any]:
    given = context.config.get(f"tir.{name}")
    if given is None:
        return {}
    if is_dataclass(given):
        given = asdict(given)
    if not isinstance(given, Mapping):
        raise TypeError(f"the options of tir.{name} are a dict by name, found {given!r}")
    unread = [key for key in given if key not in _READ.get(name, ())]
    if unread:
        warnings.warn(f"tir.{name} reads no option {', '.join(map(repr, unread))}: no effect", stacklevel=2)
    return {key: int(value) if isinstance(value, IntFlag) else value for key, value in given.items()}


def _named(name: str, **fixed: Any) -> Pass:
    def work(function: PrimFunc, _module: Any, context: Any) -> PrimFunc:
        return tir_pass(name, function, {**_options(context, name), **fixed})

    return prim_func_pass(work, 0, f"tir.{name}")


def _on_module(name: str) -> Pass:
    def work(module: IRModule, context: Any) -> IRModule:
        return tir_module_pass(name, module, _options(context, name))

    return Pass.from_python(work, f"tir.{name}", 0)


def _steps(name: str, *steps: str) -> Pass:
    def work(function: PrimFunc, _module: Any, _context: Any) -> PrimFunc:
        for step in steps:
            function = lowering_step(step, function)
        return function

    return prim_func_pass(work, 0, f"tir.{name}")


def Simplify() -> Pass:
    """Expressions in their simplest form, and conditions that are decided. Loops stay."""
    return _named("Simplify")


def LowerInitBlock() -> Pass:
    """Blocks without `T.init`: a condition in their body instead."""
    return _named("LowerInitBlock")


def PlanAndUpdateBufferAllocationLocation() -> Pass:
    """Temporaries in the innermost block or loop around their uses."""
    return _named("PlanAndUpdateBufferAllocationLocation")


def ConvertBlocksToOpaque() -> Pass:
    """Blocks whose axes are replaced by what they are bound to."""
    return _named("ConvertBlocksToOpaque")


def UnifyThreadBinding() -> Pass:
    """One loop for each tag of threads in a kernel, around all of it."""
    return _named("UnifyThreadBinding")


def CompactBufferAllocation(is_strict: bool = True) -> Pass:
    """Temporaries as large as the region of them that is used."""
    return _named("CompactBufferAllocation", is_strict=is_strict)


def LowerMatchBuffer() -> Pass:
    """Accesses to matched buffers as accesses to the buffers that they are parts of."""
    return _named("LowerMatchBuffer")


def LowerOpaqueBlock() -> Pass:
    """Opaque blocks as plain statements, their temporaries as allocations."""
    return _named("LowerOpaqueBlock")


def FlattenBuffer() -> Pass:
    """Buffers of one dimension."""
    return _named("FlattenBuffer")


def NarrowDataType(target_bits: int) -> Pass:
    """Index arithmetic in int32 where no index leaves it."""
    return _named("NarrowDataType", target_bits=target_bits)


def ForceNarrowIndexToInt32() -> Pass:
    """Index arithmetic in int32; a function with buffers of int64 elements is refused."""
    return _named("ForceNarrowIndexToInt32")


def ConvertSSA() -> Pass:
    """Each variable is defined in one place."""
    return _named("ConvertSSA")


def ConvertForLoopsToSerial() -> Pass:
    """Parallel loops as serial ones."""
    return _named("ConvertForLoopsToSerial")


def HoistExpression() -> Pass:
    """Conditions and lets in front of the loops that they do not depend on."""
    return _named("HoistExpression")


def HoistIfThenElse(variant: str | None = None) -> Pass:
    """Conditions in front of the loops that they do not depend on; "basic" leaves those on threads where they are."""
    if variant not in (None, "basic"):
        raise ValueError(f'the variant of HoistIfThenElse is None or "basic", found {variant!r}')
    return _named("HoistIfThenElse", **({"support_block_scope_hosting": False} if variant == "basic" else {}))


def LoopPartition() -> Pass:
    """Loops in parts in which their conditions are decided."""
    return _steps("LoopPartition", "partition_loops")


def RemoveNoOp() -> Pass:
    """Statements without effect are left out."""
    return _named("RemoveNoOp")


def RemoveAssume() -> Pass:
    """No `T.assume`."""
    return _named("RemoveAssume")


def RemoveStoreUndef() -> Pass:
    """No stores of `T.undef()`."""
    return _named("RemoveStoreUndef")


def RewriteUnsafeSelect() -> Pass:
    """Choices whose values may fault evaluate only the value that they take."""
    return _named("RewriteUnsafeSelect")


def SkipAssert() -> Pass:
    """No asserts."""
    return _named("SkipAssert")


def UnrollLoop() -> Pass:
    """Unrolled loops, and those that are short by the options, as one copy of their body for each iteration."""
    return _named("UnrollLoop")


def VectorizeLoop(enable_vectorize: bool = True) -> Pass:
    """Vectorised loops as vectors of as many lanes as they have iterations."""
    return _named("VectorizeLoop", enable_vectorize=enable_vectorize)


def AnnotateDeviceRegions() -> Pass:
    """What runs on the device of a function's target is marked with that target."""
    return _named("AnnotateDeviceRegions")


def BF16ComputeLegalize() -> Pass:
    """Arithmetic on bfloat16 in float32."""
    return _named("BF16ComputeLegalize")


def CommonSubexprElimTIR(enable_cse_tir: bool = True, identify_equiv_terms: bool = False) -> Pass:
    """Names for arithmetic that a statement does several times; equal is what is written alike."""
    return _named("CommonSubexprElimTIR", enable_cse_tir=enable_cse_tir)


def DecorateDeviceScope() -> Pass:
    """Functions marked as running on a device as a whole."""
    return _named("DecorateDeviceScope")


def BF16StorageLegalize() -> Pass:
    """Floats of bfloat16 kept as integers of their bits; a function that computes with them is refused."""
    return _named("BF16StorageLegalize")


def FP8ComputeLegalize(promote_dtype_str: str = "float32") -> Pass:
    """Arithmetic on floats of 8 bits in a wider type."""
    return _named("FP8ComputeLegalize", promote_dtype=promote_dtype_str)


def FP8StorageLegalize() -> Pass:
    """Floats of 8 bits kept as integers of their bits; a function that converts or computes with them is refused."""
    return _named("FP8StorageLegalize")


def InjectDoubleBuffer() -> Pass:
    """What a loop fills and then reads is filled for the next iteration while the current one reads it."""
    return _named("InjectDoubleBuffer")


def InjectPTXAsyncCopy() -> Pass:
    """Copies to shared memory in an `async_scope` as asynchronous copies of the device."""
    return _named("InjectPTXAsyncCopy")


def InjectSoftwarePipeline() -> Pass:
    """Annotated loops as a prologue, a body and an epilogue, in which stages work on different iterations."""
    return _named("InjectSoftwarePipeline")


def InjectVirtualThread() -> Pass:
    """Virtual threads together, statement by statement."""
    return _named("InjectVirtualThread")


def InlinePrivateFunctions() -> Pass:
    """Calls of private functions as their statements."""
    return _on_module("InlinePrivateFunctions")


def LiftThreadBinding() -> Pass:
    """One loop for each thread of a kernel, in the innermost loop around all of its own."""
    return _named("LiftThreadBinding")


def LowerCrossThreadReduction() -> Pass:
    """Reductions whose loops are bound to threads as reductions of each thread and one over the threads."""
    return _named("LowerCrossThreadReduction")


def LowerDeviceKernelLaunch() -> Pass:
    """Calls of functions of another target as launches."""
    return _on_module("LowerDeviceKernelLaunch")


def LowerThreadAllreduce() -> Pass:
    """Reductions over threads by shuffles or through shared memory."""
    return _named("LowerThreadAllreduce")


def MakePackedAPI() -> Pass:
    """Functions that take an array of values with their type codes, as callers of any language call them.

    Functions need the attribute `target`, with a host; those without a `global_symbol` stay. It is a form to look at:
    `tvm.build` makes code of functions without it.
    """
    return _on_module("MakePackedAPI")


def MakeUnpackedAPI() -> Pass:
    """Functions that take the addresses of their buffers, and return 0: for the same functions as `MakePackedAPI`."""
    return _on_module("MakeUnpackedAPI")


def MergeSharedMemoryAllocations() -> Pass:
    """The dynamic shared memory of a kernel as one allocation.

    With the option `tir.merge_static_smem` of the context, the shared memory of constant size too.
    """

    def work(function: PrimFunc, _module: Any, context: Any) -> PrimFunc:
        static = bool(context.config.get("tir.merge_static_smem", False))
        return tir_pass("MergeSharedMemoryAllocations", function, {"merge_static_smem": static})

    return prim_func_pass(work, 0, "tir.MergeSharedMemoryAllocations")


def SplitHostDevice() -> Pass:
    """Regions that are marked with a target as functions of that target."""
    return _on_module("SplitHostDevice")


def StorageRewrite() -> Pass:
    """One memory for temporaries that are never needed at the same time."""
    return _named("StorageRewrite")


def LowerIntrin() -> Pass:
    """Divisions that need no rounding down as ones that round towards zero."""
    return _steps("LowerIntrin", "truncate_divisions")


def ThreadSync(storage_scope: str) -> Pass:
    """Barriers between accesses of threads to memory of the scope."""
    return _named("ThreadSync", storage_scope=storage_scope)


def InstrumentBoundCheckers() -> Pass:
    """An assertion in front of each statement whose indices are not proven to be within their buffers."""
    return _named("InstrumentBoundCheckers")


def LiftAttrScope(attr_key: str) -> Pass:
    """Attributes of this name as far outside as they can stand, one for neighbours that have the same."""
    return _named("LiftAttrScope", attr_key=attr_key)


def RemoveWeightLayoutRewriteBlock(skip_ndarray_rewrite: bool = False) -> Pass:
    """No block that rewrites the layout of a parameter: the parameter has that layout.

    Constants of a function keep their layout, so `skip_ndarray_rewrite` changes nothing.
    """
    return _named("RemoveWeightLayoutRewriteBlock", skip_ndarray_rewrite=skip_ndarray_rewrite)


def RenormalizeSplitPattern() -> Pass:
    """Digits of split loops as `x // b % a`, which `x % (a * b) // b` is too."""
    return _named("RenormalizeSplitPattern")
