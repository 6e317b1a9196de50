"""Schedules by rules."""

from __future__ import annotations

from typing import Any

from ..._core import Pass, make_pass
from ...target import Target

__all__ = ["ApplyDefaultSchedule"]


def ApplyDefaultSchedule(target: str | dict[str, Any] | Target | None = None) -> Pass:
    """Schedules every PrimFunc that has no schedule by the target's rules: this one's, else the one's in scope."""
    return make_pass("ApplyDefaultSchedule", {"target": str(Target.choose(target))})
