"""Analyses of dataflow blocks, for tests of what rests on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core
from ..expr import DataflowBlock, Var

__all__ = [
    "dataflow_alias_analysis",
    "dataflow_inplace_analysis",
    "dataflow_liveness_analysis",
]


def dataflow_liveness_analysis(block: DataflowBlock) -> dict[Var, tuple[int, int]]:
    """Of every variable of the block the first and last binding at which it lives."""
    return {var: tuple(range_) for var, range_ in _core.dataflow_liveness(block).items()}


def dataflow_alias_analysis(
    block: DataflowBlock, inputs: Sequence[Var]
) -> tuple[dict[Var, set[int]], dict[int, list[set[int]]]]:
    """Which memory, by numbers, each variable may be, and what the fields of each tuple may be."""
    memory, tuples = _core.dataflow_alias(block, list(inputs))
    return (
        {var: set(numbers) for var, numbers in memory.items()},
        {number: [set(field) for field in fields] for number, fields in tuples.items()},
    )


def dataflow_inplace_analysis(
    block: DataflowBlock, inputs: Sequence[Var], mod: Any = None
) -> tuple[list[tuple[int, set[int]]], list[tuple[int, set[int]]]]:
    """The bindings that may be computed in place, with the arguments to overwrite: by size, and by shape."""
    fitting, exact = (
        [(call[0], set(call[1:])) for call in calls] for calls in _core.dataflow_inplace(block, list(inputs))
    )
    return fitting, exact


def __getattr__(name: str) -> object:
    from ...compat.absent import absent_name

    return absent_name(__name__, name)
