"""Calls of primitives, as traces hold them."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..._core import schedule_primitives

__all__ = ["Instruction", "InstructionKind"]


@dataclass(frozen=True)
class InstructionKind:
    """A primitive by the name that traces give it, such as `Split`."""

    name: str

    @staticmethod
    def get(name: str) -> InstructionKind:
        """The primitive of this name; `ValueError` where there is none."""
        if name not in {primitive for primitive, _, _ in schedule_primitives()}:
            raise ValueError(f"there is no primitive `{name}`")
        return InstructionKind(name)

    @property
    def is_pure(self) -> bool:
        """Whether it changes nothing."""
        return self.name.startswith(("Get", "Sample"))

    @property
    def draws(self) -> bool:
        """Whether it draws what its last argument decides."""
        return self.name.startswith("Sample")


@dataclass(frozen=True)
class Instruction:
    """A call: its arguments as text, and the names of the handles that it gave."""

    kind: InstructionKind
    inputs: list[str]
    attrs: list[str]
    outputs: list[str]

    def __hash__(self) -> int:
        return hash((self.kind, *self.outputs))

    @property
    def decision(self) -> Any:
        """What the call has drawn; `None` of a call that draws nothing."""
        return literal_eval(self.inputs[-1]) if self.kind.draws else None

    def with_decision(self, decision: Any) -> Instruction:
        """The call with another decision."""
        plain = list(map(int, decision)) if isinstance(decision, Iterable) else decision
        return Instruction(self.kind, [*self.inputs[:-1], repr(plain)], self.attrs, self.outputs)
