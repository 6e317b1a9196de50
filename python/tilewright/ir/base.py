"""Comparison of IR by structure (names of variables do not count, everything else does), and IR as JSON."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Object, get_first_structural_mismatch, load_json, save_json, structural_hash

__all__ = [
    "Node",
    "SourceName",
    "Span",
    "assert_structural_equal",
    "get_first_structural_mismatch",
    "load_json",
    "save_json",
    "structural_equal",
    "structural_hash",
]

Node = Object


def _are_values(lhs: Any, rhs: Any) -> bool:
    """Whether both are no part of the IR: they are compared as Python does."""
    from ..target import Target
    from .type import Type

    return isinstance(lhs, (Target, Type)) and isinstance(rhs, (Target, Type))


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether both have one structure; with `map_free_vars`, whatever their free variables are called and are."""
    if _are_values(lhs, rhs):
        return lhs == rhs
    return _core.structural_equal(lhs, rhs, map_free_vars)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """An error that shows the first difference, where there is one."""
    if not _are_values(lhs, rhs):
        _core.assert_structural_equal(lhs, rhs, map_free_vars)
    elif lhs != rhs:
        raise ValueError(f"StructuralEqual check failed: {lhs} and {rhs}")


class SourceName:
    """The name of a source."""

    def __init__(self, name: str) -> None:
        self.name = name


class Span:
    """A location in a source, from line and column to line and column (from 1)."""

    def __init__(self, source_name: SourceName, line: int, end_line: int, column: int, end_column: int) -> None:
        self.source_name, self.line, self.end_line = source_name, line, end_line
        self.column, self.end_column = column, end_column
