"""Comparison of IR by structure (names of variables do not count, everything else does), and IR as JSON."""

from __future__ import annotations

from .._core import (
    Object,
    assert_structural_equal,
    get_first_structural_mismatch,
    load_json,
    save_json,
    structural_equal,
    structural_hash,
)

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


class SourceName:
    """The name of a source."""

    def __init__(self, name: str) -> None:
        self.name = name


class Span:
    """A location in a source, from line and column to line and column (from 1)."""

    def __init__(self, source_name: SourceName, line: int, end_line: int, column: int, end_column: int) -> None:
        self.source_name, self.line, self.end_line = source_name, line, end_line
        self.column, self.end_column = column, end_column
