"""A model that is opened: its architecture, its configuration, and its weights by the decoder's names.

A weight is read as numbers (`Source.read`) or as the rows of blocks that the file has (`Source.blocks`). Opening checks
that each tensor is there in its shape and that none is left over; nothing is allocated for what a file only claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...checkpoint import Checkpoint
from ...error import TVMError
from ..model.architecture import Architecture
from ..model.config import DecoderConfig
from ..model.names import Naming, Part, Recipe, recipes

__all__ = ["Blocks", "Source", "source_of"]

#: Tensors that a message about missing or unexpected ones names.
SAID = 5


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows of a matrix as a file has them: `rows` is `[rows, bytes of a row]` of uint8, `type` the file's type.

    The types are GGUF's (`Q4_1`) and those of plain tensors (`float32`); a row has `columns` elements.
    """

    type: str
    columns: int
    rows: np.ndarray


class Source:
    """An opened model. `names` lists the weights, `config` is the decoder's configuration."""

    def __init__(
        self, path: Path, kind: str, architecture: Architecture, config: DecoderConfig, checkpoint: Checkpoint,
        weights: Mapping[str, Recipe], metadata: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.path, self.format, self.architecture, self.config = path, kind, architecture, config
        #: The file's own settings: those of `config.json`, or the metadata of GGUF.
        self.metadata = metadata
        self._checkpoint, self._weights = checkpoint, weights

    def __repr__(self) -> str:
        return f"<Source of {self.path}: {self.format}, {self.architecture.name}, {len(self._weights)} weights>"

    def names(self) -> list[str]:
        """The weights in the order of the layers."""
        return list(self._weights)

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __contains__(self, name: object) -> bool:
        return name in self._weights

    def recipe(self, name: str) -> Recipe:
        """Of which tensors of the checkpoint a weight is made."""
        if name not in self._weights:
            raise KeyError(name)
        return self._weights[name]

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a weight."""
        return self.recipe(name).shape

    def read(self, name: str, dtype: str = "float32") -> np.ndarray:
        """A weight as numbers, dequantised where it is in blocks."""
        recipe = self.recipe(name)
        parts = [self._rows(part, len(recipe.shape) == 1) for part in recipe.parts]
        made = (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(recipe.shape)
        if recipe.add:
            made = made.astype("float32") + np.float32(recipe.add)
        return np.ascontiguousarray(made, dtype)

    def weights(self, dtype: str = "float32") -> Iterator[tuple[str, np.ndarray]]:
        """All weights as numbers, one after another."""
        return ((name, self.read(name, dtype)) for name in self._weights)

    def parts(self, name: str) -> list[Blocks]:
        """The parts of a weight as the file has them, each in its own type."""
        recipe = self.recipe(name)
        if recipe.add or any(part.transposed for part in recipe.parts):
            raise TVMError(f"{name} is no rows of the file: its elements are changed or transposed as it is read")
        return [self._blocks(part, len(recipe.shape) == 1) for part in recipe.parts]

    def blocks(self, name: str) -> Blocks | None:
        """A weight as the rows that the file has, or None where its parts have several types, or are no such rows."""
        recipe = self.recipe(name)
        types = {self._checkpoint.entry(part.name).stored for part in recipe.parts}
        if len(types) > 1 or recipe.add or any(part.transposed for part in recipe.parts):
            return None
        parts = self.parts(name)
        rows = parts[0].rows if len(parts) == 1 else np.concatenate([part.rows for part in parts])
        return Blocks(parts[0].type, parts[0].columns, rows)

    def stored(self, name: str) -> list[str]:
        """The types in which the file has a weight's parts."""
        return [self._checkpoint.entry(part.name).stored for part in self.recipe(name).parts]

    def _rows(self, part: Part, vector: bool) -> np.ndarray:
        """Rows of a tensor as numbers, `[rows, columns]`; elements of a vector are rows."""
        values = self._numbers(part.name)
        values = values.T if part.transposed else values
        values = values.reshape(-1, 1 if vector or values.ndim == 1 else values.shape[-1])
        return _selected(values, part)

    def _numbers(self, name: str) -> np.ndarray:
        entry = self._checkpoint.entry(name)
        if entry.dtype == "bfloat16":
            bits = self._checkpoint.raw(name).numpy().view("<u2").astype("uint32") << np.uint32(16)
            return bits.view("float32").reshape(entry.shape)
        return self._checkpoint[name].numpy()

    def _blocks(self, part: Part, vector: bool) -> Blocks:
        entry = self._checkpoint.entry(part.name)
        raw = self._checkpoint.raw(part.name).numpy()
        columns = 1 if vector or len(entry.shape) == 1 else entry.shape[-1]
        count = int(np.prod(entry.shape)) // columns
        if len(raw) % count:
            raise TVMError(f"{_place(self._checkpoint, part.name)}: rows of {entry.stored} are not whole blocks")
        return Blocks(entry.stored, columns, _selected(raw.reshape(count, -1), part))


def _selected(values: np.ndarray, part: Part) -> np.ndarray:
    rows = part.rows
    if rows is None:
        return values
    if isinstance(rows, range):
        return values[rows.start : rows.stop]
    # A weight whose heads have weights of their own is moved by its elements.
    return values.reshape(len(rows), -1)[rows]


def source_of(
    path: Path,
    kind: str,
    architecture: Architecture,
    config: DecoderConfig,
    naming: Naming,
    checkpoint: Checkpoint,
    metadata: Mapping[str, Any],
) -> Source:
    """Looks up the tensors of each weight. The head is the embedding where the checkpoint has none of its own."""
    prefix = _prefix_of(naming, checkpoint, path)
    head = ("" if "head" in naming.own_prefix else prefix) + naming.roles["head"] + ".weight"
    if not config.tied and "tie_word_embeddings" not in metadata and head not in checkpoint:
        config = replace(config, tied=True)
    weights, problems = {}, []
    for name, recipe in recipes(config, naming, prefix, checkpoint):
        problems += [said for part in recipe.parts if (said := _problem(part, checkpoint))]
        weights[name] = recipe
        if len(problems) >= SAID:
            problems.append("…")
            break
    if not problems:
        problems = _unexpected(weights, naming, checkpoint, head if config.tied else None)
    if problems:
        listed = "".join(f"\n  {problem}" for problem in problems)
        raise TVMError(f"{path}: the tensors are not those of {architecture.name} with these settings:{listed}")
    return Source(path, kind, architecture, config, checkpoint, weights, metadata)


def _prefix_of(naming: Naming, checkpoint: Checkpoint, path: Path) -> str:
    embed = naming.roles["embed"] + ".weight"
    found = next((prefix for prefix in naming.prefixes if prefix + embed in checkpoint), None)
    if found is None:
        tried = " or ".join(f'"{prefix}{embed}"' for prefix in naming.prefixes)
        raise TVMError(f"{path}: expected the embedding {tried} among {len(checkpoint)} tensors")
    return found


def _problem(part: Part, checkpoint: Checkpoint) -> str | None:
    if part.name not in checkpoint:
        return f'missing "{part.name}", expected {_shape(part.shape)}'
    entry = checkpoint.entry(part.name)
    # GGUF files have a matrix of one row as a vector.
    if tuple(entry.shape) not in (part.shape, part.shape[1:] if part.shape[0] == 1 else part.shape):
        found = f"expected {_shape(part.shape)}, found {_shape(entry.shape)}"
        return f"{_place(checkpoint, part.name)}: {found}"
    if entry.dtype is None or not (entry.dtype.startswith(("float", "bfloat"))):
        return f"{_place(checkpoint, part.name)}: elements of {entry.stored} are not read"
    return None


def _unexpected(weights: Mapping[str, Recipe], naming: Naming, checkpoint: Checkpoint, also: str | None) -> list[str]:
    used = {part.name for recipe in weights.values() for part in recipe.parts}
    used |= {also}
    ignored = [re.compile(pattern) for pattern in naming.ignored]
    left = [name for name in checkpoint if name not in used and not any(own.fullmatch(name) for own in ignored)]
    said = [
        f"unexpected {_place(checkpoint, name)}: {_shape(checkpoint.entry(name).shape)} of "
        f"{checkpoint.entry(name).stored}"
        for name in left[:SAID]
    ]
    return said + ([f"… and {len(left) - SAID} more"] if len(left) > SAID else [])


def _place(checkpoint: Checkpoint, name: str) -> str:
    file = checkpoint.entry(name).file
    return f'"{name}"' if file is None else f'"{name}" of {file.name}'


def _shape(shape: Sequence[int]) -> str:
    return str(list(shape))
