"""The function of the loop level."""

from .._core import PrimFunc

__all__ = ["PrimFunc"]
