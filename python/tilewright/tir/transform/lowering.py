"""Steps of the lowering of loops, as passes of their own.

Building runs all of them, in the order that `tilewright-tir-passes` documents; a program needs one only to look at what
it does, or to do it early.
"""

from __future__ import annotations

from typing import Any

from ..._core import Pass, lowering_step
from ..function import PrimFunc
from .function_pass import prim_func_pass

__all__ = [
    "HoistIfThenElse", "LoopPartition", "LowerInitBlock", "LowerOpaqueBlock", "RemoveNoOp", "Simplify", "UnrollLoop",
]  # fmt: skip


def _steps(name: str, *steps: str) -> Pass:
    def work(function: PrimFunc, _module: Any, _context: Any) -> PrimFunc:
        for step in steps:
            function = lowering_step(step, function)
        return function

    return prim_func_pass(work, 0, f"tir.{name}")


def Simplify() -> Pass:
    """Expressions in their simplest form, conditions that are decided, loops of one iteration without a loop."""
    return _steps("Simplify", "simplify")


def LowerInitBlock() -> Pass:
    """Blocks without `T.init`: a condition in their body instead."""
    return _steps("LowerInitBlock", "lower_init")


def LowerOpaqueBlock() -> Pass:
    """Loops without blocks: axes are what they are bound to, temporaries are allocated where they are used."""
    return _steps("LowerOpaqueBlock", "lower_init", "lower_blocks")


def HoistIfThenElse() -> Pass:
    """Conditions in front of the loops that they do not depend on."""
    return _steps("HoistIfThenElse", "hoist_guards")


def LoopPartition() -> Pass:
    """Loops in parts in which their conditions are decided."""
    return _steps("LoopPartition", "partition_loops")


def RemoveNoOp() -> Pass:
    """Statements without effect are left out."""
    return _steps("RemoveNoOp", "remove_no_op")


def UnrollLoop() -> Pass:
    """Unrolled loops as one copy of their body for each iteration."""
    return _steps("UnrollLoop", "unroll")
