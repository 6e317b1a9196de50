"""Traces: the calls of primitives that made a schedule."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any, Self

from ... import _core
from ...script.highlight import cprint
from .instruction import Instruction, InstructionKind

__all__ = ["Trace"]


class Trace:
    """Calls of primitives in order. What it says can be done again on another schedule."""

    def __init__(self, insts: list[Instruction] | None = None, decisions: dict[Instruction, Any] | None = None) -> None:
        """A trace of these calls, with other decisions than these have where some are given."""
        given = decisions or {}
        self.insts = [inst.with_decision(given[inst]) if inst in given else inst for inst in insts or []]

    @classmethod
    def _of(cls, trace: _core.Trace) -> Self:
        return cls([Instruction(InstructionKind(kind), *parts) for kind, *parts in trace._calls()])

    @property
    def decisions(self) -> dict[Instruction, Any]:
        """What was drawn, by the call that drew it."""
        return {inst: inst.decision for inst in self.insts if inst.kind.draws}

    def get_decision(self, inst: Instruction) -> Any:
        """What a call has drawn; `None` of one that draws nothing."""
        return self.decisions.get(inst)

    def as_python(self) -> list[str]:
        """The calls as lines of Python."""
        return [_core.trace_line(inst.kind.name, inst.inputs, inst.outputs) for inst in self.insts]

    def as_json(self, remove_postproc: bool = False) -> list[Any]:
        """The calls as plain data, and the decisions with the numbers of their calls."""
        insts = self._without_postproc() if remove_postproc else self.insts
        calls = [[inst.kind.name, inst.inputs, inst.attrs, inst.outputs] for inst in insts]
        return [calls, [[at, inst.decision] for at, inst in enumerate(insts) if inst.kind.draws]]

    def apply_to_schedule(
        self, sch: Any, remove_postproc: bool = False, decision_provider: Callable[..., Any] | None = None
    ) -> None:
        """Does again, on another schedule, what the trace says; a provider may decide anew what was drawn."""
        trace = Trace(self._without_postproc() if remove_postproc else self.insts)
        if decision_provider is not None:
            anew = {i: decision_provider(i, i.inputs, i.attrs, i.decision) for i in trace.insts if i.kind.draws}
            trace = Trace(trace.insts, anew)
        sch._know_intrinsics()
        sch._apply(trace.as_python())

    def _without_postproc(self) -> list[Instruction]:
        """The calls as far as the mark that `enter_postproc` left."""
        return list(takewhile(lambda inst: inst.kind.name != "EnterPostproc", self.insts))

    @staticmethod
    def apply_json_to_schedule(json_obj: list[Any], sch: Any) -> None:
        """Does again, on another schedule, what a trace's JSON says."""
        calls = [Instruction(InstructionKind.get(kind), *parts) for kind, *parts in json_obj[0]]
        Trace(calls, {calls[at]: decision for at, decision in json_obj[1]}).apply_to_schedule(sch)

    def with_decision(self, inst: Instruction, decision: Any, remove_postproc: bool = False) -> Trace:
        """The same calls, of which one has another decision."""
        return Trace(self._without_postproc() if remove_postproc else self.insts, {inst: decision})

    def simplified(self, remove_postproc: bool = False) -> Trace:
        """The calls without those that change nothing and whose handles no later call takes."""
        used: set[str] = set()
        kept = []
        for inst in reversed(self._without_postproc() if remove_postproc else self.insts):
            if inst.kind.is_pure and not used.intersection(inst.outputs):
                continue
            kept.append(inst)
            for text in inst.inputs:
                used.update(text.strip("[]").replace(" ", "").split(","))
        return Trace(kept[::-1])

    def show(self) -> None:
        """Prints the calls as Python."""
        cprint(str(self))

    def __str__(self) -> str:
        return "\n".join(self.as_python())

    def __repr__(self) -> str:
        return str(self)
