"""Named sequences of passes."""

from __future__ import annotations

from .._core import Pass, pipeline

__all__ = ["get_pipeline"]


def get_pipeline(name: str = "zero") -> Pass:
    """The pipeline of that name as one pass; the error for an unknown name lists those that there are."""
    return pipeline(name)
