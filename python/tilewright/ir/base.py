"""Comparison of IR by structure: names of variables do not count, everything else does."""

from __future__ import annotations

from .._core import assert_structural_equal, structural_equal, structural_hash

__all__ = ["assert_structural_equal", "structural_equal", "structural_hash"]
