"""What lists and dicts of the IR are in Python: immutable, compared by their elements."""

from __future__ import annotations

from typing import Any

__all__ = ["Array", "Map"]


class Array(tuple):
    """A list of the IR."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Array(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Array:
        return Array((*self, *other))

    def __radd__(self, other: Any) -> Array:
        return Array((*other, *self))

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other)) if isinstance(other, list) else tuple.__eq__(self, other)

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"[{', '.join(map(str, self))}]"

    __str__ = __repr__


class Map(dict):
    """A dict of the IR. Changing it changes nothing but this copy."""

    def items(self) -> Any:
        """The pairs, in order."""
        return list(super().items())
