"""Arithmetic of expressions as functions: what the operators of Python write."""

from __future__ import annotations

from typing import Any

from . import op
from .expr import PrimExpr

__all__ = ["add", "cast", "divide", "floordiv", "multiply", "subtract"]


def add(lhs: Any, rhs: Any, span: object = None) -> PrimExpr:
    """`lhs + rhs`."""
    return op.add(lhs, rhs)


def subtract(lhs: Any, rhs: Any, span: object = None) -> PrimExpr:
    """`lhs - rhs`."""
    return op.subtract(lhs, rhs)


def multiply(lhs: Any, rhs: Any, span: object = None) -> PrimExpr:
    """`lhs * rhs`."""
    return op.multiply(lhs, rhs)


def divide(lhs: Any, rhs: Any, span: object = None) -> PrimExpr:
    """The quotient, of integers towards 0."""
    return op.div(lhs, rhs)


def floordiv(lhs: Any, rhs: Any, span: object = None) -> PrimExpr:
    """`lhs // rhs`."""
    return op.floordiv(lhs, rhs)


def cast(src: Any, dtype: str, span: object = None) -> PrimExpr:
    """The value as one of another type; a number of Python becomes a constant."""
    return src.astype(dtype) if hasattr(src, "astype") else op.const(src, dtype)
