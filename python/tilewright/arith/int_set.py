"""Sets of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Object

__all__ = ["IntSet", "IntervalSet", "intersect", "neg_inf", "pos_inf", "union"]


class IntSet(Object):
    """A set of integers."""

    def is_nothing(self) -> bool:
        """Whether nothing is in it."""
        return _core.set_is(self, "nothing")

    def is_everything(self) -> bool:
        """Whether nothing is known of what is in it."""
        return _core.set_is(self, "everything")

    def is_single_point(self) -> bool:
        """Whether it is one integer."""
        return _core.set_is(self, "single_point")

    @staticmethod
    def vector(vec: Any) -> IntSet:
        """The values of a vector's lanes."""
        return _core.make_set("vector", vec)

    @staticmethod
    def single_point(point: Any) -> IntSet:
        """One integer."""
        return _core.make_set("point", point)

    @staticmethod
    def nothing() -> IntSet:
        """No integer."""
        return _core.make_set("nothing")

    @staticmethod
    def everything() -> IntSet:
        """Every integer."""
        return _core.make_set("everything")


class IntervalSet(IntSet, kind="arith.IntervalSet"):
    """The integers from `min_value` to `max_value`, both included; None is no bound."""

    min_value: Any
    max_value: Any

    def __new__(cls, min_value: Any, max_value: Any) -> Any:
        return cls._make(min_value, max_value)


def union(sets: Sequence[IntSet]) -> IntSet:
    """The smallest interval around several sets."""
    return _core.combine_sets(list(sets), True)


def intersect(sets: Sequence[IntSet]) -> IntSet:
    """The interval that is in all of several sets."""
    return _core.combine_sets(list(sets), False)


def pos_inf() -> None:
    """The greatest value of a set without a bound above, which is None."""
    return


def neg_inf() -> None:
    """The least value of a set without a bound below, which is None."""
    return
