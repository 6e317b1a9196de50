"""Integers in groups along a row, with a scale (and a minimum) for each group, and how they lie in memory.

An element of a weight `[N, K]` is `(code - zero) * scale + minimum`; `scale` and `minimum` are those of a group of
neighbours along K. Quantised files of all kinds are of this form: `decode` modules read them as `Blocks`, which
`BlockFormat.pack` lays out for the kernels.

The layout is made for dot-product instructions: 16 columns (N) are a *panel*, and four neighbours along K of each of
them are adjacent bytes. Two codes of four bits share a byte: those of the first half of a group are the low ones.

| array | shape |
|---|---|
| `words` (uint8) | `[panels, groups, vectors, 64]`, byte `4 * (n % 16) + k % 4` of a vector |
| `scale`, `minimum` | `[panels, groups, 16]` |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...error import TVMError

__all__ = ["PANEL", "BlockFormat", "Blocks", "PackedBlocks"]

#: Columns of a panel, and neighbours along K in a word.
PANEL, WORD = 16, 4


@dataclass
class Blocks:
    """A weight `[N, K]` as codes of its elements, and factors of their groups `[N, K / group]`."""

    codes: NDArray[np.uint8]
    scale: NDArray[np.floating]
    zero: int = 0
    minimum: NDArray[np.floating] | None = None

    @property
    def group(self) -> int:
        """Elements of a group."""
        return self.codes.shape[1] // max(self.scale.shape[1], 1)

    def dequantized(self) -> NDArray[np.float32]:
        """The elements."""
        group = self.group
        values = (self.codes.astype(np.float32) - np.float32(self.zero)) * np.repeat(
            self.scale.astype(np.float32), group, 1
        )
        return values if self.minimum is None else values + np.repeat(self.minimum.astype(np.float32), group, 1)

    def with_minimum(self) -> Blocks:
        """The same values with zero 0: what is subtracted is a part of the minimum, in float32."""
        scale = self.scale.astype(np.float32)
        minimum = -np.float32(self.zero) * scale
        if self.minimum is not None:
            minimum = minimum + self.minimum.astype(np.float32)
        return Blocks(self.codes, scale, 0, minimum)

    def regrouped(self, group: int) -> Blocks:
        """The same values in smaller groups."""
        if self.group == group:
            return self
        times = self.group // group
        minimum = None if self.minimum is None else np.repeat(self.minimum, times, 1)
        return Blocks(self.codes, np.repeat(self.scale, times, 1), self.zero, minimum)

    @staticmethod
    def concatenated(parts: list[Blocks]) -> Blocks:
        """Weights one below the other; those of several formats get one that holds them all."""
        if len(parts) == 1:
            return parts[0]
        group = min(part.group for part in parts)
        parts = [part.regrouped(group) for part in parts]
        same = len({part.zero for part in parts}) == 1 and len({part.minimum is None for part in parts}) == 1
        if not same:
            parts = [part.with_minimum() for part in parts]
        minimum = None if parts[0].minimum is None else np.concatenate([part.minimum for part in parts])
        codes = np.concatenate([part.codes for part in parts])
        return Blocks(codes, np.concatenate([part.scale for part in parts]), parts[0].zero, minimum)


@dataclass
class PackedBlocks:
    """A weight in the layout of kernels."""

    words: NDArray[np.uint8]
    scale: NDArray[np.floating]
    minimum: NDArray[np.floating] | None


@dataclass(frozen=True)
class BlockFormat:
    """How the elements of a weight are kept.

    `bits` of a code are 4 or 8 (narrower codes are kept in these), `group` is a multiple of 8 for codes of four bits,
    of 4 for bytes. `scale_dtype` is that of scales and minima.
    """

    bits: int
    group: int
    zero: int
    has_minimum: bool = False
    scale_dtype: str = "float16"

    def __post_init__(self) -> None:
        if self.bits not in (4, 8):
            raise TVMError(f"codes are kept in 4 or 8 bits, not in {self.bits}")
        if self.group <= 0 or self.group % (WORD * 8 // self.bits) != 0:
            raise TVMError(f"a group of codes of {self.bits} bits has no {self.group} elements")
        if not 0 <= self.zero < 256:
            raise TVMError(f"the zero of codes is a byte, found {self.zero}")

    @staticmethod
    def of(blocks: Blocks) -> BlockFormat:
        """The format that holds a weight without loss."""
        bits = 4 if blocks.codes.size == 0 or int(blocks.codes.max()) < 16 else 8
        if blocks.group % (WORD * 8 // bits) != 0:
            bits = 8
        scale = "float16" if blocks.scale.dtype == np.float16 else "float32"
        return BlockFormat(bits, blocks.group, blocks.zero, blocks.minimum is not None, scale)

    @property
    def vectors(self) -> int:
        """Vectors of 64 bytes of a group."""
        return self.group * self.bits // 8 // WORD

    def shapes(self, rows: int, columns: int) -> dict[str, tuple[tuple[int, ...], str]]:
        """The shapes and dtypes of the arrays of a weight `[rows, columns]`."""
        if columns % self.group != 0:
            raise TVMError(f"rows of {columns} elements are no whole groups of {self.group}")
        panels, groups = -(-rows // PANEL), columns // self.group
        factors = ((panels, groups, PANEL), self.scale_dtype)
        arrays = {"words": ((panels, groups, self.vectors, PANEL * WORD), "uint8"), "scale": factors}
        return {**arrays, "minimum": factors} if self.has_minimum else arrays

    def pack(self, blocks: Blocks) -> PackedBlocks:
        """A weight in the layout of kernels; rows beyond the last one are zeros."""
        rows, columns = blocks.codes.shape
        if blocks.group != self.group or blocks.zero != self.zero or (blocks.minimum is None) == self.has_minimum:
            raise TVMError(f"blocks of {blocks.group} with zero {blocks.zero} are none of {self}")
        panels, groups = -(-rows // PANEL), columns // self.group
        halves = 8 // self.bits
        codes = np.zeros((panels * PANEL, columns), np.uint8)
        codes[:rows] = blocks.codes
        codes = codes.reshape(panels, PANEL, groups, halves, self.vectors, WORD).transpose(3, 0, 2, 4, 1, 5)
        words = codes[0] if halves == 1 else codes[0] | (codes[1] << 4)
        words = np.ascontiguousarray(words.reshape(panels, groups, self.vectors, PANEL * WORD))
        scale = self._factors(blocks.scale, panels)
        minimum = None if blocks.minimum is None else self._factors(blocks.minimum, panels)
        return PackedBlocks(words, scale, minimum)

    def _factors(self, factors: NDArray[np.floating], panels: int) -> NDArray[np.floating]:
        rows, groups = factors.shape
        whole = np.zeros((panels * PANEL, groups), self.scale_dtype)
        whole[:rows] = factors
        return np.ascontiguousarray(whole.reshape(panels, PANEL, groups).transpose(0, 2, 1))
