"""What layers that look through windows say: sizes, steps and borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["get_pad_tuple", "get_pad_tuple1d", "get_pad_tuple3d"]


def of_each(value: Any, rank: int) -> list[int]:
    """A number for each dimension: one is that of all."""
    if isinstance(value, int) or hasattr(value, "__index__"):
        return [int(value)] * rank
    values = [int(one) for one in value]
    return values * rank if len(values) == 1 else values


def border(padding: Any, kernel: Sequence[Any], dilation: Any, rank: int) -> list[int]:
    """The widths of the border, those before all dimensions and then those after them.

    `padding` is one number, one for each dimension, one for each side, or the word "VALID" (none) or "SAME" (as much as
    keeps the size of what is looked at in steps of 1).
    """
    if padding == "VALID":
        return [0] * (2 * rank)
    if padding == "SAME":
        spans = [(int(size) - 1) * apart for size, apart in zip(kernel, of_each(dilation, rank), strict=True)]
        before = [(span + 1) // 2 for span in spans]
        return [*before, *(span - own for span, own in zip(spans, before, strict=True))]
    if isinstance(padding, str):
        raise ValueError(f'a padding in words is "SAME" or "VALID", not "{padding}"')
    widths = of_each(padding, rank)
    if len(widths) not in (rank, 2 * rank):
        raise ValueError(f"a border of {rank} dimensions has 1, {rank} or {2 * rank} widths, found {len(widths)}")
    return widths * 2 if len(widths) == rank else widths


def get_pad_tuple1d(padding: Any, kernel: Any) -> tuple[int, ...]:
    """The widths of a border before and after."""
    return tuple(border(padding, [kernel] if isinstance(kernel, int) else kernel, 1, 1))


def get_pad_tuple(padding: Any, kernel: Any) -> tuple[int, ...]:
    """The widths of a border above, left, below and right."""
    return tuple(border(padding, kernel, 1, 2))


def get_pad_tuple3d(padding: Any, kernel: Any) -> tuple[int, ...]:
    """The widths of a border: front, top, left, then back, bottom, right."""
    return tuple(border(padding, kernel, 1, 3))
