"""Traces: the calls of primitives that made a schedule."""

from __future__ import annotations

from typing import Any, Self

from ... import _core
from ...script.highlight import cprint
from .instruction import Instruction, InstructionKind

__all__ = ["Trace"]


class Trace:
    """Calls of primitives in order. What it says can be done again on another schedule."""

    def __init__(self, insts: list[Instruction] | None = None, decisions: Any = None) -> None:
        """A trace of these calls."""
        del decisions  # Nothing here is drawn at random.
        self.insts = list(insts or [])

    @classmethod
    def _of(cls, trace: _core.Trace) -> Self:
        return cls([Instruction(InstructionKind(kind), *parts) for kind, *parts in trace._calls()])

    @property
    def decisions(self) -> dict[Instruction, Any]:
        """What was drawn at random: nothing."""
        return {}

    def as_python(self) -> list[str]:
        """The calls as lines of Python."""
        return [_core.trace_line(inst.kind.name, inst.inputs, inst.outputs) for inst in self.insts]

    def as_json(self, remove_postproc: bool = False) -> list[Any]:
        """The calls as plain data, and no decisions."""
        del remove_postproc
        return [[[inst.kind.name, inst.inputs, inst.attrs, inst.outputs] for inst in self.insts], []]

    def apply_to_schedule(self, sch: Any, remove_postproc: bool = False, decision_provider: Any = None) -> None:
        """Does again, on another schedule, what the trace says."""
        del remove_postproc, decision_provider
        sch._apply(self.as_python())

    @staticmethod
    def apply_json_to_schedule(json_obj: list[Any], sch: Any) -> None:
        """Does again, on another schedule, what a trace's JSON says."""
        calls = [Instruction(InstructionKind.get(kind), *parts) for kind, *parts in json_obj[0]]
        Trace(calls).apply_to_schedule(sch)

    def with_decision(self, inst: Instruction, decision: Any, remove_postproc: bool = False) -> Trace:
        """The same calls: nothing is drawn at random."""
        del inst, decision, remove_postproc
        return self

    def simplified(self, remove_postproc: bool = False) -> Trace:
        """The calls without those that change nothing and whose handles no later call takes."""
        del remove_postproc
        used: set[str] = set()
        kept = []
        for inst in reversed(self.insts):
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
