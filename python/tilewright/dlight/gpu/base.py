"""Rules for GPUs have in common that they look at targets of GPUs only."""

from __future__ import annotations

from ...target import Target
from ..base import ScheduleRule

__all__ = ["GPUScheduleRule"]


class GPUScheduleRule(ScheduleRule):
    """A rule for GPUs."""

    def is_target_available(self, target: Target) -> bool:
        """Whether the target is a GPU."""
        return "gpu" in target.keys
