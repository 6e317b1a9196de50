"""The tensors of a checkpoint as a source reads them: what is there, how it is stored, its numbers, its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...checkpoint import Checkpoint
from ...error import TVMError

__all__ = ["Blocks", "Stored", "Tensors"]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows of a matrix as a file has them: `rows` is `[rows, bytes of a row]` of uint8, `type` the file's type.

    The types are GGUF's (`Q4_1`) and those of plain tensors (`float32`); a row has `columns` elements. The modes of MLC
    LLM (`q4f16_1`) have codes in `rows` and the scales of their groups in `scales`, `[rows, groups]`.
    """

    type: str
    columns: int
    rows: np.ndarray
    scales: np.ndarray | None = None

    def selected(self, rows: np.ndarray | range | None) -> Blocks:
        """Some of the rows, in an order."""
        if rows is None:
            return self
        at = slice(rows.start, rows.stop) if isinstance(rows, range) else rows
        scales = None if self.scales is None else self.scales[at]
        return Blocks(self.type, self.columns, self.rows[at], scales)


@dataclass(frozen=True)
class Stored:
    """How a tensor is stored: its shape, the file's type, and where it is, for messages."""

    shape: tuple[int, ...]
    type: str
    place: str


class Tensors:
    """The tensors of a checkpoint by name."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint

    def __contains__(self, name: str) -> bool:
        return name in self._checkpoint

    def __iter__(self) -> Iterator[str]:
        return iter(self._checkpoint)

    def __len__(self) -> int:
        return len(self._checkpoint)

    def stored(self, name: str) -> Stored:
        """How a tensor is stored."""
        entry = self._checkpoint.entry(name)
        place = f'"{name}"' if entry.file is None else f'"{name}" of {entry.file.name}'
        return Stored(tuple(entry.shape), entry.stored, place)

    def is_numbers(self, name: str) -> bool:
        """Whether the elements are read, as floats."""
        dtype = self._checkpoint.entry(name).dtype
        return dtype is not None and dtype.startswith(("float", "bfloat"))

    def numbers(self, name: str) -> np.ndarray:
        """The elements, of float32 where the file has blocks or bfloat16."""
        entry = self._checkpoint.entry(name)
        if entry.dtype == "bfloat16":
            bits = self._checkpoint.raw(name).numpy().view("<u2").astype("uint32") << np.uint32(16)
            return bits.view("float32").reshape(entry.shape)
        return self._checkpoint[name].numpy()

    def blocks(self, name: str, vector: bool) -> Blocks:
        """The rows as the file has them; elements of a vector are rows."""
        entry = self._checkpoint.entry(name)
        raw = self._checkpoint.raw(name).numpy()
        columns = 1 if vector or len(entry.shape) == 1 else entry.shape[-1]
        count = int(np.prod(entry.shape)) // columns
        if len(raw) % count:
            raise TVMError(f"{self.stored(name).place}: rows of {entry.stored} are not whole blocks")
        return Blocks(entry.stored, columns, raw.reshape(count, -1))
