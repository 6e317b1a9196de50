"""Layouts of tensors as texts such as `NCHW16c`: primal axes in capitals, and parts of them of a fixed size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..ir.container import Array

__all__ = ["BijectiveLayout", "Layout", "bijective_layout", "layout"]


class Layout:
    """The axes of a tensor in order: a capital is a whole axis (or what its parts leave of it), a small letter after a
    number is a part of that size."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._axes = _core.layout_letters(name)

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
        sizes = [size for letter, size in self._axes if letter == axis.lower() and size is not None]
        return math.prod(sizes) if sizes else -1


class BijectiveLayout:
    """A map between two layouts of the same axes."""

    def __init__(self, src_layout: Layout, dst_layout: Layout) -> None:
        self.src_layout, self.dst_layout = src_layout, dst_layout
        _core.layout_shape(src_layout.name, dst_layout.name, [size or 1 for _, size in src_layout._axes])

    def forward_index(self, index: Sequence[Any]) -> Array:
        """The indices in the destination."""
        return _core.layout_index(self.src_layout.name, self.dst_layout.name, index)

    def backward_index(self, index: Sequence[Any]) -> Array:
        """The indices in the source."""
        return _core.layout_index(self.dst_layout.name, self.src_layout.name, index)

    def forward_shape(self, shape: Sequence[Any]) -> Array:
        """The shape in the destination."""
        return _core.layout_shape(self.src_layout.name, self.dst_layout.name, shape)

    def backward_shape(self, shape: Sequence[Any]) -> Array:
        """The shape in the source."""
        return _core.layout_shape(self.dst_layout.name, self.src_layout.name, shape)


def layout(layout_str: str) -> Layout:
    """The layout of a text."""
    return Layout(layout_str)


def bijective_layout(src_layout: str | Layout, dst_layout: str | Layout) -> BijectiveLayout:
    """The map between two layouts."""
    given = [Layout(one) if isinstance(one, str) else one for one in (src_layout, dst_layout)]
    return BijectiveLayout(*given)
