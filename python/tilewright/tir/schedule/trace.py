"""Traces: the calls of primitives that made a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ... import _core
from ..._core import BlockRV, LoopRV
from ...error import TVMError
from ...ir.expr import PrimExpr
from ...script.highlight import cprint
from ..expr import FloatImm, IntImm, StringImm, Var
from ..function import IndexMap
from ..stmt_functor import substitute
from .instruction import HANDLES, Instruction, InstructionKind

__all__ = ["Trace"]


class Trace:
    """Calls of primitives in order, and what those that draw have drawn. It can be done again on another schedule."""

    def __init__(
        self, insts: Iterable[Instruction] | None = None, decisions: Mapping[Instruction, Any] | None = None
    ) -> None:
        """A trace of these calls, which have drawn this."""
        self.insts: list[Instruction] = list(insts or [])
        self.decisions: dict[Instruction, Any] = dict(decisions or {})

    def get_decision(self, inst: Instruction) -> Any:
        """What a call has drawn; `None` of one that draws nothing."""
        return self.decisions.get(inst)

    def append(self, inst: Instruction, decision: Any = None) -> None:
        """Adds a call, and what it has drawn."""
        self.insts.append(inst)
        if decision is not None:
            self.decisions[inst] = decision

    def pop(self) -> Instruction | None:
        """Takes the last call away and gives it; `None` of an empty trace."""
        if not self.insts:
            return None
        last = self.insts.pop()
        self.decisions.pop(last, None)
        return last

    def as_python(self, remove_postproc: bool = False) -> list[str]:
        """The calls as lines of Python."""
        insts = self._kept(remove_postproc)
        names = _names(insts)
        return [inst._python(names, self.decisions.get(inst)) for inst in insts]

    def as_json(self, remove_postproc: bool = False) -> list[Any]:
        """The calls as plain data, and the decisions with the numbers of their calls."""
        insts = self._kept(remove_postproc)
        names = _names(insts)
        calls = [
            [
                inst.kind.name,
                [_plain(value, names) for value in inst.inputs],
                [_plain(value, {}) for value in inst.attrs],
                [names[rv] for rv in inst.outputs],
            ]
            for inst in insts
        ]
        drawn = [(at, self.decisions.get(inst)) for at, inst in enumerate(insts)]
        return [calls, [[at, _plain(decision, names)] for at, decision in drawn if decision is not None]]

    def apply_to_schedule(
        self,
        sch: Any,
        remove_postproc: bool = False,
        decision_provider: Callable[[Instruction, list[Any], list[Any], Any], Any] | None = None,
    ) -> None:
        """Does again, on another schedule, what the trace says; a provider may decide anew what was drawn."""
        known: dict[Any, Any] = {}
        for inst in self._kept(remove_postproc):
            inputs = [_renamed(value, known) for value in inst.inputs]
            decision = self.decisions.get(inst)
            if decision_provider is not None and inst.kind.draws:
                decision = decision_provider(inst, inputs, inst.attrs, decision)
            outputs = sch._run(inst.kind, inputs, inst.attrs, decision)
            if len(outputs) != len(inst.outputs):
                message = (
                    f"the trace had {len(inst.outputs)} handles of `{inst.kind.name}`, here it gives {len(outputs)}"
                )
                raise TVMError(message)
            known.update(zip(inst.outputs, outputs, strict=True))

    def _kept(self, remove_postproc: bool) -> list[Instruction]:
        """The calls; without postprocessing as far as the mark that `enter_postproc` left."""
        marks = [at for at, inst in enumerate(self.insts) if inst.kind.name == "EnterPostproc"]
        return self.insts[: marks[0]] if remove_postproc and marks else self.insts

    @staticmethod
    def apply_json_to_schedule(json_obj: Any, sch: Any) -> None:
        """Does again, on another schedule, what a trace's JSON says."""
        known: dict[str, Any] = {}
        calls, drawn = json_obj
        decisions = {int(at): _of_plain(decision, {}) for at, decision in drawn}
        for at, (name, inputs, attrs, outputs) in enumerate(calls):
            kind = InstructionKind.get(str(name))
            given = [_of_plain(value, known) for value in inputs]
            made = sch._run(kind, given, [_of_plain(value, {}) for value in attrs], decisions.get(at))
            if len(made) != len(outputs):
                raise TVMError(f"the trace had {len(outputs)} handles of `{name}`, here it gives {len(made)}")
            known.update(zip(map(str, outputs), made, strict=True))

    def with_decision(self, inst: Instruction, decision: Any, remove_postproc: bool = False) -> Trace:
        """The same calls, of which one has another decision."""
        insts = self._kept(remove_postproc)
        return Trace(insts, {**{i: d for i, d in self.decisions.items() if i in insts}, inst: decision})

    def simplified(self, remove_postproc: bool = False) -> Trace:
        """The calls without those that change nothing and whose handles no later call takes."""
        used: set[Any] = set()
        kept = []
        for inst in reversed(self._kept(remove_postproc)):
            if inst.kind.is_pure and not used.intersection(inst.outputs):
                continue
            kept.append(inst)
            used.update(_handles(inst.inputs))
        return Trace(kept[::-1], {inst: self.decisions[inst] for inst in kept if inst in self.decisions})

    def show(self, style: str | None = None, black_format: bool = False) -> None:
        """Prints the calls as Python, in the colours of the terminal; whatever the style, a call is a line."""
        cprint(str(self))

    def same_as(self, other: object) -> bool:
        """Whether it is the same object."""
        return self is other

    def __str__(self) -> str:
        lines = [f"  {line}" for line in self.as_python()] or ["  pass"]
        return "\n".join(["# from tvm import tir", "def apply_trace(sch: tir.Schedule) -> None:", *lines])

    def __repr__(self) -> str:
        return str(self)


def _letter(rv: Any) -> str:
    return "b" if isinstance(rv, BlockRV) else "l" if isinstance(rv, LoopRV) else "v"


def _names(insts: Iterable[Instruction]) -> dict[Any, str]:
    """The handles that the calls give, by a letter and their number."""
    outputs = [rv for inst in insts for rv in inst.outputs]
    return {rv: f"{_letter(rv)}{at}" for at, rv in enumerate(dict.fromkeys(outputs))}


def _handles(value: Any) -> list[Any]:
    if isinstance(value, HANDLES):
        return [value]
    return [rv for item in value for rv in _handles(item)] if isinstance(value, (list, tuple)) else []


def _renamed(value: Any, known: Mapping[Any, Any]) -> Any:
    if isinstance(value, HANDLES):
        return known.get(value, value)
    if isinstance(value, PrimExpr):
        numbers = {var: known[var] for var in known if isinstance(var, Var)}
        return substitute(value, numbers) if numbers else value
    return [_renamed(item, known) for item in value] if isinstance(value, list) else value


def _plain(value: Any, names: Mapping[Any, str]) -> Any:
    """A value as JSON holds it: a handle is its name, a text is in quotes, a map of indices is its text in a dict."""
    if isinstance(value, HANDLES):
        return names.get(value, "_")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (IntImm, FloatImm)):
        return value.value
    if isinstance(value, (str, StringImm)):
        text = value if isinstance(value, str) else value.value
        return f'"{text}"' if names else text
    if isinstance(value, IndexMap):
        return {"index_map": _core.index_map_text(value)}
    if hasattr(value, "items"):
        return {"dict": {str(key): _plain(item, {}) for key, item in value.items()}}
    if isinstance(value, Iterable):
        return [_plain(item, names) for item in value]
    raise TVMError(f"a trace's JSON cannot hold {value}, of {type(value).__name__}")


def _of_plain(value: Any, known: Mapping[str, Any]) -> Any:
    """The value of `_plain`."""
    if isinstance(value, (list, tuple)):
        return [_of_plain(item, known) for item in value]
    if hasattr(value, "items"):
        ((sort, held),) = value.items()
        return _core.index_map_of_text(held) if sort == "index_map" else {k: _of_plain(v, {}) for k, v in held.items()}
    if isinstance(value, (str, StringImm)):
        text = value if isinstance(value, str) else value.value
        if len(text) > 1 and text[0] == text[-1] == '"':
            return text[1:-1]
        return known.get(text, text)
    return value
