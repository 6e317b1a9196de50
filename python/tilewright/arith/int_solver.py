"""Systems of linear equations and inequalities over integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core

__all__ = [
    "IntConstraints",
    "IntConstraintsTransform",
    "IntGroupBounds",
    "solve_linear_equations",
    "solve_linear_inequalities",
]


@dataclass
class IntGroupBounds:
    """Bounds of `coef * var`: `lower` is at most it, `equal` is it, `upper` is at least it."""

    coef: int
    lower: Sequence[Any]
    equal: Sequence[Any]
    upper: Sequence[Any]


@dataclass
class IntConstraints:
    """Integer variables, what values they take, and what holds between them."""

    variables: Sequence[Any]
    ranges: Mapping[Any, Any] = field(default_factory=dict)
    relations: Sequence[Any] = ()


@dataclass
class IntConstraintsTransform:
    """A system in other variables, and both sorts of variables in terms of each other."""

    src: IntConstraints
    dst: IntConstraints
    src_to_dst: Mapping[Any, Any]
    dst_to_src: Mapping[Any, Any]


def _listed(items: Any) -> list:
    return list(items) if isinstance(items, (list, tuple)) else [items]


def solve_linear_equations(
    equations: Any, variables: Sequence[Any] | None = None, ranges: Mapping[Any, Any] | None = None
) -> IntConstraintsTransform:
    """The equations' solutions as a system in as many variables as are free."""
    if isinstance(equations, IntConstraints):
        equations, variables, ranges = equations.relations, equations.variables, equations.ranges
    src, dst, forth, back = _core.solve_linear_equations(
        _listed(equations), None if variables is None else _listed(variables), ranges or {}
    )
    return IntConstraintsTransform(IntConstraints(*src), IntConstraints(*dst), forth, back)


def solve_linear_inequalities(
    equations: Any,
    variables: Sequence[Any] | None = None,
    ranges: Mapping[Any, Any] | None = None,
    deskew_range: bool = False,
) -> IntConstraints:
    """The system with a range for each variable.

    `deskew_range` is accepted: each range begins at its least value anyway.
    """
    if isinstance(equations, IntConstraints):
        equations, variables, ranges = equations.relations, equations.variables, equations.ranges
    return IntConstraints(
        *_core.solve_inequalities_to_range(
            _listed(equations), None if variables is None else _listed(variables), ranges or {}
        )
    )
