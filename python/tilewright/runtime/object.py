"""The base of all parts of the IR."""

from .._core import Object

__all__ = ["Object"]
