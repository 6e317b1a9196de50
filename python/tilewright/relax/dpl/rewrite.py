"""Putting something else where a pattern fits."""

from __future__ import annotations

from ..._core import rewrite_bindings, rewrite_call

__all__ = ["rewrite_bindings", "rewrite_call"]
