"""A model that is opened: its architecture, its configuration, and its weights by the decoder's names.

A weight is read as numbers (`Source.read`) or as the rows of blocks that the file has (`Source.blocks`). Opening checks
that each tensor is there in its shape and that none is left over; nothing is allocated for what a file only claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...error import TVMError
from ...relax.frontend import nn
from ..model.architecture import Architecture
from ..model.config import DecoderConfig
from ..model.names import Naming, Part, Recipe, prefixed
from .tensors import Blocks, Tensors

__all__ = ["Source", "prefix_of", "source_of"]

#: Tensors that a message about missing or unexpected ones names.
SAID = 5


class Source:
    """An opened model. `names` lists the weights, `config` is the decoder's configuration."""

    def __init__(
        self, path: Path, kind: str, architecture: Architecture, config: DecoderConfig, tensors: Tensors,
        weights: Mapping[str, Recipe], metadata: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.path, self.format, self.architecture, self.config = path, kind, architecture, config
        #: The file's own settings: those of `config.json`, or the metadata of GGUF.
        self.metadata = metadata
        self._tensors, self._weights = tensors, weights

    def __repr__(self) -> str:
        return f"<Source of {self.path}: {self.format}, {self.architecture.name}, {len(self._weights)} weights>"

    def module(self) -> nn.Module:
        """The module of the configuration, whose parameters have the weights' names."""
        return self.architecture.module(self.config)

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
        tensors = {name: self._tensors.numbers(name) for name in {part.name for part in recipe.parts}}
        parts = [_rows(tensors[part.name], part, len(recipe.shape) == 1) for part in recipe.parts]
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
        vector = len(recipe.shape) == 1
        return [self._tensors.blocks(part.name, vector).selected(part.rows) for part in recipe.parts]

    def blocks(self, name: str) -> Blocks | None:
        """A weight as the rows that the file has, or None where its parts have several types, or are no such rows."""
        recipe = self.recipe(name)
        types = {self._tensors.stored(part.name).type for part in recipe.parts}
        if len(types) > 1 or recipe.add or any(part.transposed for part in recipe.parts):
            return None
        parts = self.parts(name)
        if len(parts) == 1:
            return parts[0]
        scales = [part.scales for part in parts if part.scales is not None]
        rows = np.concatenate([part.rows for part in parts])
        return Blocks(parts[0].type, parts[0].columns, rows, np.concatenate(scales) if scales else None)

    def stored(self, name: str) -> list[str]:
        """The types in which the file has a weight's parts."""
        return [self._tensors.stored(part.name).type for part in self.recipe(name).parts]


def _rows(values: np.ndarray, part: Part, vector: bool) -> np.ndarray:
    """Rows of a tensor, `[rows, columns]`; elements of a vector are rows."""
    values = values.T if part.transposed else values
    values = values.reshape(-1, 1 if vector or values.ndim == 1 else values.shape[-1])
    rows = part.rows
    if rows is None or isinstance(rows, range):
        return values if rows is None else values[rows.start : rows.stop]
    # A weight whose heads have weights of their own is moved by its elements.
    return values.reshape(len(rows), -1)[rows]


def source_of(
    path: Path,
    kind: str,
    architecture: Architecture,
    config: DecoderConfig,
    naming: Naming,
    tensors: Tensors,
    metadata: Mapping[str, Any],
) -> Source:
    """Looks up the tensors of each weight. The head is the embedding where the checkpoint has none of its own."""
    prefix = prefix_of(naming, tensors, path)
    head = prefixed(naming, prefix, "head") + ".weight"
    if metadata.get("tie_word_embeddings") is None:
        config = replace(config, tied=head not in tensors)
    weights, problems = {}, []
    for name, recipe in architecture.recipes(config, naming, prefix, tensors):
        problems += [said for part in recipe.parts if (said := _problem(part, tensors))]
        weights[name] = recipe
        if len(problems) >= SAID:
            problems.append("…")
            break
    if not problems:
        problems = _unexpected(weights, naming, tensors, head if config.tied else None)
    if problems:
        listed = "".join(f"\n  {problem}" for problem in problems)
        raise TVMError(f"{path}: the tensors are not those of {architecture.name} with these settings:{listed}")
    return Source(path, kind, architecture, config, tensors, weights, metadata)


def prefix_of(naming: Naming, tensors: Tensors, path: Path) -> str:
    """What stands in front of the names."""
    names = {prefixed(naming, prefix, "embed") + ".weight": prefix for prefix in naming.prefixes}
    found = next((prefix for name, prefix in names.items() if name in tensors), None)
    if found is None:
        tried = " or ".join(f'"{name}"' for name in names)
        raise TVMError(f"{path}: expected the embedding {tried} among {len(tensors)} tensors")
    return found


def _problem(part: Part, tensors: Tensors) -> str | None:
    if part.name not in tensors:
        return f'missing "{part.name}", expected {_shape(part.shape)}'
    stored = tensors.stored(part.name)
    # GGUF files have a matrix of one row as a vector.
    if stored.shape not in (part.shape, part.shape[1:] if part.shape[0] == 1 else part.shape):
        return f"{stored.place}: expected {_shape(part.shape)}, found {_shape(stored.shape)}"
    if not tensors.is_numbers(part.name):
        return f"{stored.place}: elements of {stored.type} are not read"
    return None


def _unexpected(weights: Mapping[str, Recipe], naming: Naming, tensors: Tensors, also: str | None) -> list[str]:
    used = {part.name for recipe in weights.values() for part in recipe.parts} | {also}
    ignored = [re.compile(pattern) for pattern in naming.ignored]
    left = [name for name in tensors if name not in used and not any(own.fullmatch(name) for own in ignored)]
    found = [tensors.stored(name) for name in left[:SAID]]
    said = [f"unexpected {stored.place}: {_shape(stored.shape)} of {stored.type}" for stored in found]
    return said + ([f"… and {len(left) - SAID} more"] if len(left) > SAID else [])


def _shape(shape: Sequence[int]) -> str:
    return str(list(shape))
