"""Checkpoints: the files that a model's weights come in, as a mapping of names to tensors.

    weights = tilewright.checkpoint.open("model.safetensors")
    weights["embeddings.weight"]                    # an NDArray over the mapped file
    print(weights.compare({"embeddings.weight": (30522, 384)}))

Read are safetensors, GGUF, files of `torch.save`, `.npz`, the indices of files that are split, the folders with
`ndarray-cache.json`, and folders with one of these. Nothing in a file is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._core import CheckpointFile
from .runtime.ndarray import NDArray

__all__ = ["Checkpoint", "Comparison", "Entry", "open"]


@dataclass(frozen=True)
class Entry:
    """A tensor as it is stored: `stored` is the type in the file (such as `Q4_K`), `dtype` that of the tensor that is
    read, or None where it is not read; `bytes` are those of the file."""

    name: str
    shape: tuple[int, ...]
    stored: str
    dtype: str | None
    bytes: int
    file: Path | None


@dataclass(frozen=True)
class Comparison:
    """How a checkpoint differs from what a model expects. Printing it shows everything at once.

    `misshapen` has names with the expected and the found shape (-1 for a dimension of any size), `mistyped` names with
    the expected data type and the stored type. `extra_prefix` and `absent_prefix` are beginnings of names that explain
    all missing names, where there are such: the checkpoint has it and the model lacks it, or the other way round.
    """

    matched: int
    missing: list[str]
    unexpected: list[str]
    misshapen: list[tuple[str, tuple[int, ...], tuple[int, ...]]]
    mistyped: list[tuple[str, str, str]]
    extra_prefix: str | None
    absent_prefix: str | None
    is_match: bool
    is_loadable: bool
    text: str

    def __bool__(self) -> bool:
        return self.is_match

    def __str__(self) -> str:
        return self.text


class Checkpoint(Mapping[str, NDArray]):
    """The tensors of a checkpoint by name, in the order of the files. `open` makes it.

    A tensor is read when it is looked up. Where the file has its elements as tensors have them, it is a read-only view
    of the mapped file, which must stay as it is meanwhile; the blocks of GGUF become float32.
    """

    def __init__(self, file: CheckpointFile) -> None:
        self._file = file
        self.format: str = file.format
        self.files: list[Path] = [Path(path) for path in file.files]
        self._names: list[str] = file.names()
        self._metadata: dict[str, Any] | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """What the files say besides the tensors; arrays of numbers are tensors."""
        if self._metadata is None:
            self._metadata = self._file.metadata()
        return self._metadata

    def __getitem__(self, name: str) -> NDArray:
        if name not in self:
            raise KeyError(name)
        return self._file.get(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._file.has(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        place = f" of {self.files[0]}" if self.files else ""
        return f"<Checkpoint{place}: {self.format}, {len(self)} tensors>"

    def raw(self, name: str) -> NDArray:
        """The bytes of a tensor as the file has them, as a vector of uint8, without a copy."""
        if name not in self:
            raise KeyError(name)
        return self._file.raw(name)

    def entry(self, name: str) -> Entry:
        """How a tensor is stored."""
        found = self._file.entry(name)
        if found is None:
            raise KeyError(name)
        shape, stored, dtype, size, file = found
        return Entry(name, tuple(shape), stored, dtype, size, self.files[file] if self.files else None)

    def entries(self) -> list[Entry]:
        """How the tensors are stored, in the order of the files."""
        return [self.entry(name) for name in self._names]

    def compare(self, expected: Mapping[str, Any]) -> Comparison:
        """Compares the tensors with those that a model expects.

        A value is a shape, a pair of shape and data type, or anything with `shape` and `dtype`: an array, a tensor of
        PyTorch, a parameter of `nn`. In a shape, None and what is no number stand for any size.
        """
        found = self._file.compare([(name, *_expected(value)) for name, value in expected.items()])
        found["misshapen"] = [(name, tuple(wanted), tuple(there)) for name, wanted, there in found["misshapen"]]
        return Comparison(**found)


def _expected(value: Any) -> tuple[list[int | None], str | None]:
    """The shape and the data type of a value."""
    shape, dtype = value, None
    if hasattr(value, "shape"):
        shape, dtype = value.shape, getattr(value, "dtype", None)
    elif len(value) == 2 and not isinstance(value[0], int) and value[0] is not None:
        shape, dtype = value
    name = None if dtype is None else str(getattr(dtype, "name", dtype)).removeprefix("torch.")
    return [_size(size) for size in shape], name


def _size(size: Any) -> int | None:
    try:
        return int(size)
    except (TypeError, ValueError):
        return None


def open(source: str | os.PathLike[str] | bytes) -> Checkpoint:
    """Opens a file, an index of files or a folder, or takes the bytes of a file.

    In a folder, an index is opened first, else the only file of a known kind. An error names the file and what is wrong
    with it; `OSError` is raised for a file that cannot be read.
    """
    return Checkpoint(CheckpointFile.open(source if isinstance(source, bytes) else os.fspath(source)))
