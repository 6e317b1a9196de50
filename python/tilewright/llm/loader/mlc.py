"""Folders of MLC LLM: `mlc-chat-config.json`, and weights in the shards of `ndarray-cache.json`.

Quantised weights are codes in words of 32 bits (`q_weight`) and a scale for each group of columns (`q_scale`): an
element is `(code - (2^(bits - 1) - 1)) * scale`. Modes that end in `_0` have both transposed, but for embeddings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import checkpoint
from ...error import TVMError
from ..model import ARCHITECTURES, Architecture, architecture_of_type
from ..model.config import UnsupportedModel
from ..model.names import Part
from .huggingface import model_type, read_json
from .source import Source, prefix_of, source_of
from .tensors import Blocks, Stored, Tensors

__all__ = ["Mode", "open_mlc"]


@dataclass(frozen=True)
class Mode:
    """A quantisation: bits of a code, columns of a group, whether both tensors are transposed."""

    name: str
    bits: int
    group: int
    transposed: bool

    @property
    def codes(self) -> int:
        """Codes of a word."""
        return 32 // self.bits

    @staticmethod
    def of(name: str) -> Mode | None:
        """The mode of a name, or None for weights that are not quantised."""
        if re.fullmatch(r"q0(f16|f32|bf16)", name):
            return None
        found = re.fullmatch(r"q([34])(f16|f32|bf16)_([012])", name)
        if found is None:
            raise UnsupportedModel(f"weights of the mode {name!r} are not read: known are q0, q3 and q4 in groups")
        bits = int(found[1])
        return Mode(name, bits, {3: 40, 4: 32}[bits], found[3] == "0")


class MlcTensors(Tensors):
    """Tensors of which some are codes and scales: they are there under the name of the weight that they make."""

    def __init__(self, weights: checkpoint.Checkpoint, mode: Mode | None) -> None:
        super().__init__(weights)
        self._mode = mode
        self._columns: dict[str, int] = {}

    def expect(self, parts: Iterable[Part]) -> None:
        """The columns of weights, of which codes have whole groups."""
        self._columns |= {part.name: part.shape[-1] for part in parts}

    def _quantised(self, name: str) -> str | None:
        stem = name.removesuffix(".weight")
        return stem if stem != name and super().__contains__(stem + ".q_weight") else None

    def __contains__(self, name: str) -> bool:
        return super().__contains__(name) or self._quantised(name) is not None

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            if name.endswith(".q_weight"):
                yield name.removesuffix("q_weight") + "weight"
            elif not name.endswith(".q_scale"):
                yield name

    def stored(self, name: str) -> Stored:
        """How a tensor is stored; a weight in codes has the shape that it was made of."""
        stem = self._quantised(name)
        if stem is None:
            return super().stored(name)
        blocks = self._groups(name, stem)
        return Stored((len(blocks.rows), blocks.columns), blocks.type, super().stored(stem + ".q_weight").place)

    def is_numbers(self, name: str) -> bool:
        """Whether the elements are read, as floats."""
        return self._quantised(name) is not None or super().is_numbers(name)

    def numbers(self, name: str) -> np.ndarray:
        """The elements, of the scales' type where they are in codes."""
        stem = self._quantised(name)
        if stem is None or self._mode is None:
            return super().numbers(name)
        mode, blocks = self._mode, self._groups(name, stem)
        words = blocks.rows.view("uint32").reshape(len(blocks.rows), -1, 1)
        shifts = np.arange(mode.codes, dtype="uint32") * np.uint32(mode.bits)
        codes = (words >> shifts & np.uint32(2**mode.bits - 1)).reshape(len(words), -1)[:, : blocks.columns]
        scales = np.repeat(blocks.scales, mode.group, 1)[:, : blocks.columns]
        return (codes.astype(scales.dtype) - scales.dtype.type(2 ** (mode.bits - 1) - 1)) * scales

    def blocks(self, name: str, vector: bool) -> Blocks:
        """The rows as the file has them."""
        stem = self._quantised(name)
        return super().blocks(name, vector) if stem is None else self._groups(name, stem)

    def _groups(self, name: str, stem: str) -> Blocks:
        """The codes and scales of a weight, with rows first."""
        place, mode = super().stored(stem + ".q_weight").place, self._mode
        if mode is None:
            raise TVMError(f"{place}: codes of a weight in a folder whose settings say that none is quantised")
        if not super().__contains__(stem + ".q_scale"):
            raise TVMError(f'{place}: expected its scales as "{stem}.q_scale", found none')
        words = self._checkpoint[stem + ".q_weight"].numpy()
        scales = super().numbers(stem + ".q_scale")
        if words.ndim != 2 or scales.ndim != 2 or words.dtype != np.uint32 or scales.dtype.kind != "f":
            raise TVMError(f"{place}: expected words and scales as matrices, found {words.dtype}, {scales.dtype}")
        if mode.transposed and not name.endswith("embed_tokens.weight"):
            words, scales = words.T, scales.T
        columns = self._columns.get(name, scales.shape[1] * mode.group)
        groups = -(-columns // mode.group)
        expected = (len(words), groups * mode.group // mode.codes), (len(words), groups)
        if (words.shape, scales.shape) != expected:
            found = f"{list(words.shape)} and {list(scales.shape)}"
            raise TVMError(f"{place}: expected words and scales of {expected[0]} and {expected[1]}, found {found}")
        rows = np.ascontiguousarray(words).view("uint8").reshape(len(words), -1)
        return Blocks(mode.name, columns, rows, np.ascontiguousarray(scales))


def open_mlc(
    folder: Path, context_window_size: int | None = None, architectures: Sequence[Architecture] = ARCHITECTURES
) -> Source:
    """Opens a folder with `mlc-chat-config.json`."""
    file = folder / "mlc-chat-config.json"
    values = read_json(file)
    architecture = architecture_of_type(model_type(values, str(file)), architectures)
    if architecture.mlc is None:
        raise UnsupportedModel(f"{file}: folders of MLC LLM with a {architecture.name} are not read")
    mode = Mode.of(str(values.get("quantization")))
    config = architecture.from_dict(settings_of(values, file), str(file), context_window_size)
    naming = architecture.mlc(config)
    tensors = MlcTensors(checkpoint.open(folder), mode)
    prefix = prefix_of(naming, tensors, folder)
    tensors.expect(part for _, recipe in architecture.recipes(config, naming, prefix, ()) for part in recipe.parts)
    return source_of(folder, "mlc", architecture, config, naming, tensors, values)


def settings_of(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """The settings of a model by the names of `config.json`."""
    inner = values.get("model_config")
    if not isinstance(inner, dict):
        raise TVMError(f"{file}: expected `model_config`, an object of settings, found {inner!r:.80}")
    own = {key: value for key, value in inner.items() if value != -1}
    if "position_embedding_base" in own:
        own.setdefault("rope_theta", own["position_embedding_base"])
    own.setdefault("max_position_embeddings", own.get("context_window_size"))
    own.setdefault("sliding_window", own.get("sliding_window_size"))
    return own
