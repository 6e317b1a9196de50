"""Schedules by rules."""

from __future__ import annotations

from typing import Any

from ..._core import Pass, make_pass
from ...target import Target

__all__ = ["ApplyDefaultSchedule"]


def ApplyDefaultSchedule(target: str | dict[str, Any] | Target | None = None) -> Pass:
    """Schedules every PrimFunc that has no schedule by the rules of a target: the one that the function says, else this
    one, else the one in scope, where the pass is made or where it runs."""
    target = Target.current() if target is None else Target.choose(target)
    return make_pass("ApplyDefaultSchedule", {} if target is None else {"target": str(target)})
