"""Loop passes by name.

Building runs a lowering of its own, in the order that `tilewright-tir-passes` documents; a program needs one of these
to look at what it does, or to do it early.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from enum import IntFlag
from typing import Any

from ..._core import Pass, lowering_step, tir_pass
from ..function import PrimFunc
from .function_pass import prim_func_pass

__all__ = [
    "AnnotateDeviceRegions", "BF16ComputeLegalize", "CommonSubexprElimTIR", "CompactBufferAllocation",
    "ConvertBlocksToOpaque", "ConvertForLoopsToSerial", "ConvertSSA", "DecorateDeviceScope", "FlattenBuffer",
    "ForceNarrowIndexToInt32", "HoistExpression", "HoistExpressionConfig", "HoistIfThenElse",
    "HoistIfThenElseConfig", "HoistedConditionals", "HoistedLetBindings", "LoopPartition", "LowerInitBlock",
    "LowerIntrin", "LowerMatchBuffer", "LowerOpaqueBlock", "NarrowDataType",
    "PlanAndUpdateBufferAllocationLocation", "RemoveAssume", "RemoveNoOp", "RemoveStoreUndef",
    "RewriteUnsafeSelect", "Simplify", "SkipAssert", "ThreadSync", "UnifyThreadBinding", "UnrollLoop",
    "UnrollLoopConfig", "VectorizeLoop",
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


def _options(context: Any, name: str) -> dict[str, Any]:
    given = context.config.get(f"tir.{name}")
    if given is None:
        return {}
    if is_dataclass(given):
        given = asdict(given)
    if not isinstance(given, Mapping):
        raise TypeError(f"the options of tir.{name} are a dict by name, found {given!r}")
    return {key: int(value) if isinstance(value, IntFlag) else value for key, value in given.items()}


def _named(name: str, **fixed: Any) -> Pass:
    def work(function: PrimFunc, _module: Any, context: Any) -> PrimFunc:
        return tir_pass(name, function, {**_options(context, name), **fixed})

    return prim_func_pass(work, 0, f"tir.{name}")


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


def LowerIntrin() -> Pass:
    """Divisions that need no rounding down as ones that round towards zero."""
    return _steps("LowerIntrin", "truncate_divisions")


def ThreadSync(storage_scope: str) -> Pass:
    """Barriers between accesses of threads to memory of the scope."""
    return _named("ThreadSync", storage_scope=storage_scope)
