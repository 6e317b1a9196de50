"""Passes on the graph level."""

from .._core import BindParams, LegalizeOps

__all__ = ["BindParams", "LegalizeOps"]
