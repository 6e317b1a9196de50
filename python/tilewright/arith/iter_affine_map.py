"""Iterator maps: indices as sums of pieces of loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from .. import _core
from .._core import Object
from ..ir.container import Array
from ..ir.expr import PrimExpr

__all__ = [
    "IterMapExpr", "IterMapLevel", "IterMapResult", "IterMark", "IterSplitExpr", "IterSumExpr", "detect_iter_map",
    "inverse_affine_iter_map", "iter_map_simplify", "normalize_iter_map_to_expr", "normalize_to_iter_sum",
    "subspace_divide",
]  # fmt: skip


class IterMapExpr(PrimExpr):
    """A part of an iterator map."""


class IterMark(Object, kind="arith.IterMark"):
    """A whole iterator: it takes the values from 0 to `extent - 1`."""

    source: Any
    extent: PrimExpr

    def __new__(cls, source: Any, extent: Any) -> Any:
        return cls._make(source, extent)


class IterSplitExpr(IterMapExpr, kind="arith.IterSplitExpr"):
    """A piece of an iterator: `source // lower_factor % extent * scale`."""

    source: IterMark
    lower_factor: PrimExpr
    extent: PrimExpr
    scale: PrimExpr

    def __new__(cls, source: IterMark, lower_factor: Any, extent: Any, scale: Any) -> Any:
        return cls._make(source, lower_factor, extent, scale)


class IterSumExpr(IterMapExpr, kind="arith.IterSumExpr"):
    """A sum of pieces: `sum(args) + base`."""

    args: Array
    base: PrimExpr

    def __new__(cls, args: Sequence[IterSplitExpr], base: Any) -> Any:
        return cls._make(args, base)


class IterMapLevel(IntEnum):
    """What a map must do with its iterators."""

    Bijective = 0
    Surjective = 1
    Injective = 2
    NoCheck = 3

    @staticmethod
    def from_str(name: str) -> IterMapLevel:
        """The level of this name, in small letters."""
        return {level.name.lower(): level for level in IterMapLevel}.get(
            (name or "nocheck").lower(), IterMapLevel.NoCheck
        )


@dataclass
class IterMapResult:
    """One sum for each index, or none and the reasons."""

    indices: Sequence[IterSumExpr]
    errors: Sequence[str]
    padding_predicate: Any = False


def _level(level: Any) -> int:
    return int(IterMapLevel.from_str(level) if isinstance(level, str) else level)


def detect_iter_map(
    indices: Sequence[Any],
    input_iters: Mapping[Any, Any],
    predicate: Any = True,
    check_level: IterMapLevel | str = IterMapLevel.Surjective,
    simplify_trivial_iterators: bool = True,
) -> IterMapResult:
    """The indices as sums of pieces of the iterators, which satisfy the predicate."""
    return IterMapResult(
        *_core.detect_iter_map(list(indices), input_iters, predicate, _level(check_level), simplify_trivial_iterators)
    )


def normalize_to_iter_sum(index: Any, input_iters: Mapping[Any, Any]) -> IterSumExpr:
    """The expression as a sum of pieces of the iterators, the largest scale first; None where it is none."""
    return _core.normalize_to_iter_sum(index, input_iters)


def iter_map_simplify(
    indices: Sequence[Any],
    input_iters: Mapping[Any, Any],
    predicate: Any = True,
    check_level: IterMapLevel | str = IterMapLevel.Surjective,
    simplify_trivial_iterators: bool = True,
) -> Array:
    """The indices simplified by what their iterators are."""
    return _core.iter_map_simplify(list(indices), input_iters, predicate, _level(check_level))


def normalize_iter_map_to_expr(expr: IterMapExpr) -> PrimExpr:
    """A sum or a piece as an expression."""
    return _core.normalize_iter_map_to_expr(expr)


def subspace_divide(
    bindings: Sequence[Any],
    input_iters: Mapping[Any, Any],
    sub_iters: Sequence[Any],
    predicate: Any = True,
    check_level: IterMapLevel | str = IterMapLevel.Surjective,
    simplify_trivial_iterators: bool = True,
) -> list:
    """The indices by what the outer and the inner loops (`sub_iters`) contribute: pairs of marks.

    The extents of the last pair are the predicates. Empty where an index does not divide.
    """
    return _core.subspace_divide(list(bindings), input_iters, list(sub_iters), predicate, _level(check_level)) or []


def inverse_affine_iter_map(iter_map: Sequence[IterSumExpr], outputs: Sequence[Any]) -> Any:
    """The iterators of a bijective map as expressions of its indices."""
    return _core.inverse_affine_iter_map(list(iter_map), list(outputs))
