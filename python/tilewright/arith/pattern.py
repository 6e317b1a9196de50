"""Expressions that are linear in variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core

__all__ = ["detect_clip_bound", "detect_common_subexpr", "detect_linear_equation"]


def detect_linear_equation(expr: Any, var_list: Sequence[Any]) -> Any:
    """The coefficients of the variables and, last, what is left; empty where the expression is not linear in them."""
    return _core.detect_linear_equation(expr, list(var_list))


def detect_clip_bound(expr: Any, var_list: Sequence[Any]) -> Any:
    """The least and the greatest value of each variable that the condition leaves; empty where it says more."""
    return _core.detect_clip_bound(expr, list(var_list))


def detect_common_subexpr(expr: Any, threshold: int) -> Any:
    """The operations that occur at least so many times in the expression, with how often."""
    return _core.detect_common_subexpr(expr, threshold)
