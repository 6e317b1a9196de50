"""The module: a map from global names to functions of both levels."""

from .._core import GlobalVar, IRModule

__all__ = ["GlobalVar", "IRModule"]
