"""Calls of primitives, as traces hold them."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Instruction:
    """A call: its arguments as text, and the names of the handles that it gave."""

    kind: InstructionKind
    inputs: list[str]
    attrs: list[str]
    outputs: list[str]
