"""The rule that fits every function of blocks: its spatial loops on blocks and threads, reductions inside a thread."""

from __future__ import annotations

from typing import Any

from ...target import Target
from ...tir import PrimFunc, Schedule
from ..analysis import max_threads_per_block, normalize_prim_func
from ..base import try_inline
from .base import GPUScheduleRule

__all__ = ["Fallback"]


class Fallback(GPUScheduleRule):
    """Spatial loops are fused and bound to blocks and threads; a reduction begins with its own initial value."""

    def apply(self, func: PrimFunc, target: Target, tunable: bool) -> Schedule | None:
        """The schedule; None for what is no GPU, and for functions that have other loops than one for each axis."""
        if not isinstance(func, PrimFunc) or not self.is_target_available(target):
            return None
        sch = Schedule(func)
        infos = normalize_prim_func(sch)
        if infos is None:
            return None
        reductions: list[tuple[Any, Any]] = []
        for info in try_inline(sch, infos):
            loops = sch.get_loops(info.block_rv)
            if not loops or any(sch.get(loop).thread_binding is not None for loop in loops):
                continue
            of_kind: dict[str, list[Any]] = {"S": [], "R": [], "O": []}
            for loop, kind in zip(loops, info.dom_kind(), strict=True):
                of_kind[kind].append(loop)
            spatial = of_kind["S"] or [sch.add_unit_loop(info.block_rv)]
            sch.reorder(*spatial, *of_kind["R"], *of_kind["O"])
            block, thread = sch.split(sch.fuse(*spatial), factors=[None, max_threads_per_block(target)])
            sch.bind(block, "blockIdx.x")
            sch.bind(thread, "threadIdx.x")
            if of_kind["R"]:
                reductions.append((info.block_rv, of_kind["R"][0]))
        for block, loop in reductions:
            sch.decompose_reduction(block, loop)
        return sch
