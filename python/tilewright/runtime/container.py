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

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other)) if isinstance(other, list) else tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

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
