"""Layouts of tensors as texts such as `NCHW16c`: primal axes in capitals, and parts of them of a fixed size."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from ..error import TVMError
from ..ir.container import Array
from .function import IndexMap

__all__ = ["BijectiveLayout", "Layout", "bijective_layout", "layout"]


class Layout:
    """The axes of a tensor in order: a capital is a whole axis (or what its parts leave of it), a small letter after a
    number is a part of that size."""

    def __init__(self, name: str) -> None:
        if re.sub(r"\d+[a-z]|[A-Z]", "", name):
            raise TVMError(f"a layout has capitals, and small letters after their sizes, found {name!r}")
        self.name = name
        self._axes = [(found[-1], int(found[:-1] or -1)) for found in re.findall(r"\d+[a-z]|[A-Z]", name)]
        if any(size == 0 for _, size in self._axes):
            raise TVMError(f"a part of a layout has elements, found {name!r}")
        letters = [letter for letter, _ in self._axes]
        for letter in letters:
            if letters.count(letter) > 1:
                raise TVMError(f"the layout {name!r} has the axis {letter} twice")
            if letter.islower() and letter.upper() not in letters:
                raise TVMError(f"the layout {name!r} has a part of the axis {letter.upper()}, and not the axis")

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Layout({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __len__(self) -> int:
        return len(self._axes)

    def __contains__(self, axis: str) -> bool:
        return any(letter == axis for letter, _ in self._axes)

    def __getitem__(self, index: int) -> str:
        return self._axes[index][0]

    def index_of(self, axis: str) -> int:
        """The position of an axis; -1 where it is absent."""
        return next((at for at, (letter, _) in enumerate(self._axes) if letter == axis), -1)

    def factor_of(self, axis: str) -> int:
        """The size of all parts of an axis together, or of a part; -1 where there is none."""
        sizes = [size for letter, size in self._axes if letter == axis.lower()]
        return math.prod(sizes) if sizes else -1


class BijectiveLayout:
    """A map between two layouts of the same axes."""

    def __init__(self, src_layout: Layout, dst_layout: Layout) -> None:
        self.src_layout, self.dst_layout = src_layout, dst_layout
        capitals = [sorted(letter for letter, _ in one._axes if letter.isupper()) for one in (src_layout, dst_layout)]
        if capitals[0] != capitals[1]:
            raise TVMError(f"{src_layout} and {dst_layout} do not have the same axes")

    def forward_index(self, index: Sequence[Any]) -> Array:
        """The indices in the destination."""
        return _indices(self.src_layout, self.dst_layout, index)

    def backward_index(self, index: Sequence[Any]) -> Array:
        """The indices in the source."""
        return _indices(self.dst_layout, self.src_layout, index)

    def forward_shape(self, shape: Sequence[Any]) -> Array:
        """The shape in the destination."""
        return _shape(self.src_layout, self.dst_layout, shape)

    def backward_shape(self, shape: Sequence[Any]) -> Array:
        """The shape in the source."""
        return _shape(self.dst_layout, self.src_layout, shape)


def layout(layout_str: str) -> Layout:
    """The layout of a text."""
    return Layout(layout_str)


def bijective_layout(src_layout: str | Layout, dst_layout: str | Layout) -> BijectiveLayout:
    """The map between two layouts."""
    given = [Layout(one) if isinstance(one, str) else one for one in (src_layout, dst_layout)]
    return BijectiveLayout(*given)


def _checked(source: Layout, values: Sequence[Any]) -> list[Any]:
    if len(values) != len(source):
        raise TVMError(f"{source} has {len(source)} axes, found {len(values)} values")
    return list(values)


def _indices(source: Layout, destination: Layout, values: Sequence[Any]) -> Array:
    """Indices in the destination: that of an axis is the index of its capital * sizes of its parts + theirs."""
    given = dict(zip([letter for letter, _ in source._axes], _checked(source, values), strict=True))
    found = []
    for letter, size in destination._axes:
        axis = letter.upper()
        own = max(source.factor_of(axis), 1)
        whole = given[axis] if own == 1 else given[axis] * own + given[axis.lower()]
        inner = max(destination.factor_of(axis), 1)
        found.append(whole % size if letter.islower() else whole // inner)
    variables = [value for value in values if not isinstance(value, int)]
    return IndexMap(variables, found).final_indices if variables else Array(found)


def _shape(source: Layout, destination: Layout, values: Sequence[Any]) -> Array:
    given = dict(zip([letter for letter, _ in source._axes], _checked(source, values), strict=True))
    for letter, size in source._axes:
        if letter.islower() and isinstance(given[letter], int) and given[letter] != size:
            raise TVMError(f"the part {letter!r} of {source} has {size} elements, found {given[letter]}")
    found = []
    for letter, size in destination._axes:
        axis = letter.upper()
        whole = given[axis] * max(source.factor_of(axis), 1)
        inner = max(destination.factor_of(axis), 1)
        found.append(size if letter.islower() else (whole + (inner - 1)) // inner if inner > 1 else whole)
    return Array(found)
