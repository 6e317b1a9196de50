"""Layouts in words: `NCHW`, and `NCHW16c` with blocks of 16 channels."""

from __future__ import annotations

import re
from typing import Any

from .. import te
from ..te.tensor import Tensor


def _parts(layout: str) -> list[tuple[str, int | None]]:
    """The dimensions of a layout: a capital letter each, or the small one of a block and its size."""
    if not re.fullmatch(r"([A-Z]|\d+[a-z])+", layout):
        raise ValueError(f"a layout is of capital letters and of blocks such as `16c`, found `{layout}`")
    found = re.findall(r"(\d*)([A-Za-z])", layout)
    return [(letter, int(size) if size else None) for size, letter in found]


def layout_transform(array: Tensor, src_layout: str, dst_layout: str, schedule_rule: str = "None") -> Tensor:
    """The tensor in another layout. What a block holds behind the last element is 0."""
    source, target = _parts(src_layout), _parts(dst_layout)
    if len(source) != len(array.shape):
        raise ValueError(f"`{array.name}` has {len(array.shape)} dimensions, the layout `{src_layout}` {len(source)}")
    if {letter.upper() for letter, _ in source} != {letter.upper() for letter, _ in target}:
        raise ValueError(f"the layouts `{src_layout}` and `{dst_layout}` have other dimensions")
    blocks_of_source = {letter.upper(): size for letter, size in source if size}
    blocks_of_target = {letter.upper(): size for letter, size in target if size}
    extents: dict[str, Any] = {}
    for (letter, size), extent in zip(source, array.shape, strict=True):
        if not size:
            extents[letter] = extent * blocks_of_source.get(letter, 1)

    def of_target(letter: str, size: int | None) -> Any:
        block = blocks_of_target.get(letter)
        return size or (extents[letter] if block is None else (extents[letter] + (block - 1)) // block)

    def element(*at: Any) -> Any:
        given = {letter: index for (letter, _), index in zip(target, at, strict=True)}

        def whole(letter: str) -> Any:
            block = blocks_of_target.get(letter)
            return given[letter] if block is None else given[letter] * block + given[letter.lower()]

        def place(letter: str, size: int | None) -> Any:
            block = blocks_of_source.get(letter.upper())
            if block is None:
                return whole(letter)
            return whole(letter.upper()) % block if size else whole(letter) // block

        value = array(*(place(*part) for part in source))
        ragged = [
            letter for letter, block in blocks_of_target.items()
            if not (isinstance(extents[letter], int) or hasattr(extents[letter], "value"))
            or int(extents[letter]) % block
        ]  # fmt: skip
        if not ragged:
            return value
        inside = te.all(*(whole(letter) < extents[letter] for letter in ragged))
        return te.if_then_else(inside, value, te.const(0, array.dtype))

    return te.compute([of_target(*part) for part in target], element, name="T_layout_trans")
