"""Weights of Hugging Face folders in codes of AWQ and GPTQ, which are read as numbers.

Both have for a layer `X` of weights `[N, K]` tensors of words, transposed, with groups along K:

| tensor | AWQ (`gemm`) | GPTQ |
|---|---|---|
| `X.qweight` (int32) | `[K, N / 8]` | `[K * bits / 32, N]`, codes along K |
| `X.qzeros` (int32) | `[K / group, N / 8]` | `[K / group, N * bits / 32]` |
| `X.scales` (float16) | `[K / group, N]` | the same |
| `X.g_idx` (int32) | – | `[K]`, the group of each row; optional |

An element is `(code - zero) * scale`. The codes of a word begin at the low bits; AWQ has the eight of a word in order
0 2 4 6 1 3 5 7, and GPTQ's format 1 has zeros less one. The product is exact in float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checkpoint import Checkpoint
from ...error import TVMError
from ..model.config import UnsupportedModel
from .tensors import Blocks, Stored, Tensors

__all__ = ["PackedTensors", "Packing"]

#: Where in a word of AWQ each of 8 neighbours is.
AWQ_ORDER = np.array([0, 4, 1, 5, 2, 6, 3, 7], "uint32")
PARTS = ("qweight", "qzeros", "scales", "g_idx")


@dataclass(frozen=True)
class Packing:
    """How the codes of a folder lie: the method, bits of a code, rows of a group, what zeros lack."""

    method: str
    bits: int
    group: int
    zero_offset: int

    @staticmethod
    def of(said: Any, file: str) -> Packing:
        """What `quantization_config` says."""
        said = said if isinstance(said, Mapping) else {}
        method, bits, group = said.get("quant_method"), said.get("bits"), said.get("group_size")
        if method not in ("awq", "gptq"):
            raise UnsupportedModel(f"{file}: weights that are quantised by {method!r:.80} are not read")
        widths = (4,) if method == "awq" else (2, 4, 8)
        version = str(said.get("version", "gemm")).lower()
        if bits not in widths or (method == "awq" and version != "gemm"):
            found = f"{bits!r:.20} bits" if method == "gptq" else f"{bits!r:.20} bits, version {version!r:.20}"
            raise UnsupportedModel(f"{file}: {method} with {found} is not read")
        if not isinstance(group, int) or isinstance(group, bool) or (group < 1 and group != -1):
            raise TVMError(f"{file}: expected the rows of a group as `group_size`, or -1 for all, found {group!r:.20}")
        offset = int(method == "gptq" and said.get("checkpoint_format", "gptq") != "gptq_v2")
        return Packing(method, bits, group, offset)

    def codes(self, words: np.ndarray) -> np.ndarray:
        """The codes of words along the last axis."""
        shifts = np.arange(0, 32, self.bits, dtype="uint32")
        shifts = shifts[AWQ_ORDER] if self.method == "awq" else shifts
        codes = words.view("uint32")[..., None] >> shifts & np.uint32(2**self.bits - 1)
        return codes.reshape(*words.shape[:-1], -1)


class PackedTensors(Tensors):
    """Tensors of which some are words, zeros and scales: they are there under the name of the weight that they make."""

    def __init__(self, weights: Checkpoint, packing: Packing) -> None:
        super().__init__(weights)
        self._packing = packing

    def _stem(self, name: str) -> str | None:
        stem = name.removesuffix(".weight")
        return stem if stem != name and super().__contains__(stem + ".qweight") else None

    def __contains__(self, name: str) -> bool:
        return super().__contains__(name) or self._stem(name) is not None

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            stem, _, last = name.rpartition(".")
            if last == "qweight":
                yield stem + ".weight"
            elif last not in PARTS or not super().__contains__(stem + ".qweight"):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def stored(self, name: str) -> Stored:
        """How a tensor is stored; a weight in codes has the shape of its layer."""
        stem = self._stem(name)
        if stem is None:
            return super().stored(name)
        words = super().stored(stem + ".qweight")
        if len(words.shape) != 2:
            raise TVMError(f"{words.place}: expected a matrix of words, found {list(words.shape)}")
        each = 32 // self._packing.bits
        k, n = words.shape
        shape = (n * each, k) if self._packing.method == "awq" else (n, k * each)
        return Stored(shape, self._packing.method, words.place)

    def is_numbers(self, name: str) -> bool:
        """Whether the elements are read, as floats."""
        return self._stem(name) is not None or super().is_numbers(name)

    def blocks(self, name: str, vector: bool) -> Blocks:
        """The rows as the file has them; of a weight in codes as float32."""
        if self._stem(name) is None:
            return super().blocks(name, vector)
        values = np.ascontiguousarray(self.numbers(name), "<f4")
        return Blocks("float32", values.shape[1], values.view("uint8"))

    def numbers(self, name: str) -> np.ndarray:
        """The elements, of float32 where they are in codes."""
        stem = self._stem(name)
        if stem is None:
            return super().numbers(name)
        packing, (n, k), place = self._packing, self.stored(name).shape, self.stored(name).place
        group = k if packing.group == -1 else packing.group
        groups, each = -(-k // group), 32 // packing.bits
        words = self._part(stem, "qweight", None, "int32", place)
        zeros = self._part(stem, "qzeros", (groups, -(-n // each)), "int32", place)
        scales = self._part(stem, "scales", (groups, n), "float", place).astype("float32")
        codes = packing.codes(words) if packing.method == "awq" else packing.codes(words.T.copy()).T
        zeros = packing.codes(zeros)[:, :n].astype("float32") + np.float32(packing.zero_offset)
        of_row = np.arange(k) // group
        if packing.method == "gptq" and super().__contains__(stem + ".g_idx"):
            of_row = self._part(stem, "g_idx", (k,), "int32", place)
            if len(of_row) and not 0 <= int(of_row.min()) <= int(of_row.max()) < groups:
                raise TVMError(f'{place}: "{stem}.g_idx" names a group that is none of {groups}')
        return np.ascontiguousarray(((codes.astype("float32") - zeros[of_row]) * scales[of_row]).T)

    def _part(self, stem: str, part: str, shape: tuple[int, ...] | None, dtype: str, place: str) -> np.ndarray:
        """One of the tensors of a weight, checked."""
        name = f"{stem}.{part}"
        if not super().__contains__(name):
            raise TVMError(f'{place}: expected "{name}" with it, found none')
        entry = self._checkpoint.entry(name)
        shaped = shape is None or tuple(entry.shape) == shape
        typed = entry.dtype in (dtype, f"u{dtype}") if dtype == "int32" else super().is_numbers(name)
        if not shaped or not typed:
            expected = "" if shape is None else f" {list(shape)}"
            raise TVMError(f'{place}: expected "{name}" of {dtype}{expected}, found {entry.dtype} {list(entry.shape)}')
        return super().numbers(name)
