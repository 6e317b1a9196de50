"""Containers that functions take and give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ir.container import Array, Map

__all__ = ["ADT", "Array", "Map", "ShapeTuple", "String", "tuple_object"]


class ShapeTuple(tuple):
    """A shape as a value: integers."""

    def __new__(cls, shape: Iterable[int]) -> ShapeTuple:
        """The shape of these dimensions."""
        return super().__new__(cls, (int(dim) for dim in shape))

    def __repr__(self) -> str:
        return f"ShapeTuple({', '.join(map(str, self))})"


class String(str):
    """A text."""


class ADT(tuple):
    """Several values with a number for their kind."""

    tag: int

    def __new__(cls, tag: int, fields: Iterable[Any]) -> ADT:
        """The values with their tag."""
        self = super().__new__(cls, tuple(fields))
        self.tag = tag
        return self


def tuple_object(fields: Iterable[Any] = ()) -> ADT:
    """Several values as one."""
    return ADT(0, fields)
