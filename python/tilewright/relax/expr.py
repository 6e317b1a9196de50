"""Expressions of the graph level, as far as Python holds them in its hands."""

from .._core import Function

__all__ = ["Function"]
