"""Rules, the pass that asks them, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..error import TVMError
from ..ir import IRModule
from ..ir.transform import module_pass
from ..target import Target
from ..tir import PrimFunc
from ..tir.schedule.schedule import Schedule, ScheduleError
from .analysis import BlockInfo, IterInfo, normalize_prim_func

__all__ = [
    "ApplyDefaultSchedule", "BlockInfo", "IterInfo", "ScheduleRule", "normalize_prim_func", "try_inline",
    "try_inline_contiguous_spatial",
]  # fmt: skip


class ScheduleRule:
    """A rule: `apply` gives a schedule of a function, or None where the rule does not fit."""

    def apply(self, func: PrimFunc, target: Target, tunable: bool) -> Schedule | list[Schedule] | None:
        """The schedule; with `tunable` there may be several."""
        raise NotImplementedError(f"{type(self).__name__} has no `apply`")

    @staticmethod
    def from_callable(name: str) -> Callable[[Callable[..., Any]], ScheduleRule]:
        """Makes a rule of a function of the same arguments."""

        def decorate(function: Callable[..., Any]) -> ScheduleRule:
            class Rule(ScheduleRule):
                def apply(self, func: PrimFunc, target: Target, tunable: bool) -> Any:
                    return function(func, target, tunable)

            Rule.__name__ = name
            return Rule()

        return decorate


@module_pass(opt_level=0, name="ApplyDefaultSchedule")
class ApplyDefaultSchedule:
    """Gives each PrimFunc the schedule of the first rule that fits, for the target in scope.

    Functions that are marked as scheduled (`tir.is_scheduled`) stay, and so do those that no rule fits.
    """

    def __init__(self, *rules: ScheduleRule) -> None:
        self.rules = rules

    def transform_module(self, module: IRModule, _: Any) -> IRModule:
        """The module with the schedules."""
        target = Target.current(allow_none=False)
        changed = module.clone()
        for var, func in module.functions_items():
            if not isinstance(func, PrimFunc) or func.attrs.get("tir.is_scheduled"):
                continue
            own = func.attrs.get("target")
            found = self._scheduled(func, target if own is None else own)
            if found is not None:
                changed.update_func(var, found)
        return changed

    def _scheduled(self, func: PrimFunc, target: Target) -> PrimFunc | None:
        for rule in self.rules:
            made = rule.apply(func, target, False)
            if made is None:
                continue
            made = made if isinstance(made, list) else [made]
            if len(made) != 1:
                raise TVMError(f"a rule gives one schedule, found {len(made)} of {type(rule).__name__}")
            return made[0].mod["main"].with_attr("tir.is_scheduled", True)
        return None


def try_inline(sch: Schedule, blocks: list[BlockInfo]) -> list[BlockInfo]:
    """Inlines blocks into those that read them, as many as can be, then into those that they read; gives the rest."""

    def inlined(block: BlockInfo) -> bool:
        for inline in (sch.compute_inline, sch.reverse_compute_inline):
            try:
                inline(block.block_rv)
            except ScheduleError:
                continue
            return True
        return False

    rest, before = list(blocks), -1
    while len(rest) != before:
        before = len(rest)
        rest = [block for block in rest if not inlined(block)]
    return rest


def try_inline_contiguous_spatial(sch: Schedule, block_infos: list[BlockInfo] | None) -> list[BlockInfo] | None:
    """The same for each run of neighbouring blocks without a reduction."""
    if block_infos is None:
        return None
    result: list[BlockInfo] = []
    run: list[BlockInfo] = []
    for block in [*block_infos, None]:
        if block is not None and block.is_injective():
            run.append(block)
            continue
        result += try_inline(sch, run)
        run = []
        if block is not None:
            result.append(block)
    return result
