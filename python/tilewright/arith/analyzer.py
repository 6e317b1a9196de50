"""The analyser: facts about variables, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum, IntFlag
from typing import Any

from .. import _core
from .._core import Object
from ..error import TVMError

__all__ = ["Analyzer", "ConstIntBound", "ConstraintScope", "Extension", "ModularSet", "ProofStrength", "rewrite_rules"]


class ProofStrength(IntEnum):
    """How hard a proof is tried; every proof is tried as hard as there is."""

    DEFAULT = 0
    SYMBOLIC_BOUND = 1


class Extension(IntFlag):
    """Extensions of the simplifier.

    An analyser has those that keep the form of its answers always. `Simplify` has the options
    `transitively_prove_inequalities` and `convert_boolean_to_and_of_ors`.
    """

    NoExtensions = 0
    TransitivelyProveInequalities = 1
    ConvertBooleanToAndOfOrs = 2
    ApplyConstraintsToBooleanBranches = 4
    ComparisonOfProductAndSum = 8


class ModularSet(Object, kind="arith.ModularSet"):
    """The integers `coeff * k + base`."""

    coeff: int
    base: int

    def __new__(cls, coeff: int, base: int) -> Any:
        return cls._make(coeff, base)


class ConstIntBound(Object, kind="arith.ConstIntBound"):
    """The integers from `min_value` to `max_value`, both included."""

    POS_INF = (1 << 63) - 1
    NEG_INF = -(1 << 63)
    min_value: int
    max_value: int

    def __new__(cls, min_value: int, max_value: int) -> Any:
        return cls._make(min_value, max_value)


class ConstraintScope:
    """The name of the context of `Analyzer.constraint_scope`."""


class Analyzer(_core.Analyzer):
    """Knows facts about variables, and answers questions about expressions over them.

    Every answer is a proof; "not proven" says nothing. Integers of indices are mathematical integers.
    """

    @property
    def enabled_extensions(self) -> Extension:
        """The extensions that can be turned off: there are none."""
        return Extension.NoExtensions

    @enabled_extensions.setter
    def enabled_extensions(self, flags: int | Extension) -> None:
        if Extension(flags) & Extension.ConvertBooleanToAndOfOrs:
            raise TVMError("an analyser keeps the form of conditions: use the option of `tir.transform.Simplify`")

    def update(self, var: Any, info: Any, override: bool = False) -> None:
        """The variable's values are within this bound, or have this remainder; what is known may be replaced."""
        super().update(var, info, override)

    @contextmanager
    def constraint_scope(self, constraint: Any) -> Iterator[Any]:
        """A scope in which the condition holds."""
        self._enter(constraint)
        try:
            yield self
        finally:
            self._leave()

    def const_int_bound_is_bound(self, var: Any) -> bool:
        """Whether anything is known of the variable's values."""
        bound = self.const_int_bound(var)
        return bound.min_value != ConstIntBound.NEG_INF or bound.max_value != ConstIntBound.POS_INF


def rewrite_rules() -> dict[str, tuple[str, str]]:
    """The simplifier's rules: by equation, the group of operators and the condition of each."""
    return _core.rewrite_rules()
