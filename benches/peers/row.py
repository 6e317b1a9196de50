"""What a line of the table says. Nothing here imports PyTorch or a compiler: a process pays for its own alone."""

from __future__ import annotations

import importlib
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Input:
    """An argument: numbers from a normal distribution, or integers from 0 up to `below`."""

    shape: tuple[int | str, ...]
    dtype: str = "float32"
    below: int = 0


@dataclass(frozen=True)
class Goal:
    """The goal: a fraction of the floor, or a multiple of the best peer's speed."""

    of: str
    least: float


@dataclass(frozen=True)
class Row:
    """One computation on inputs of one size."""

    name: str
    # The callable `module:name` of this package that gives a module of PyTorch, and its arguments.
    build: str
    inputs: tuple[Input, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    # The sizes of dimensions that have a name in `inputs`: they are compiled as symbolic.
    sizes: dict[str, int] = field(default_factory=dict)
    dtype: str = "float32"
    # How ours gets the module: `export` (torch.export), `fx` (torch.fx), or a callable `module:name` that gives a
    # module of `relax.frontend.nn` with the same names of weights and its specification.
    ours: str = "export"
    # The largest error, relative to the largest number of a result.
    tolerance: float = 1e-4
    goal: Goal | None = None
    # Rows of a group are summed up together. Of `models`, compiling and memory are measured too.
    group: str = "kernels"

    def shapes(self) -> list[tuple[int, ...]]:
        return [tuple(self.sizes.get(size, size) for size in one.shape) for one in self.inputs]

    def values(self) -> list[np.ndarray]:
        """The arguments, the same in every process. Those of bfloat16 are float32 numbers that bfloat16 has."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        made = []
        for one, shape in zip(self.inputs, self.shapes(), strict=True):
            if one.dtype.startswith("int"):
                values = random.integers(0, one.below, shape).astype(one.dtype)
            else:
                values = random.standard_normal(shape, dtype=np.float32)
            made.append(as_bfloat16(values) if one.dtype == "bfloat16" else values)
        return made

    def module(self) -> Any:
        """The computation as a module of PyTorch in float32, with its weights."""
        import torch

        module = resolve(self.build)(**self.arguments).eval()
        # Integers are indices or counts, which a module makes itself.
        state = module.state_dict()
        floats = {name: value for name, value in state.items() if value.is_floating_point()}
        weights = draw({name: tuple(value.shape) for name, value in floats.items()})
        if self.dtype == "bfloat16":
            weights = {name: as_bfloat16(value) for name, value in weights.items()}
        state |= {name: torch.from_numpy(value).to(floats[name].dtype) for name, value in weights.items()}
        module.load_state_dict(state)
        return module.requires_grad_(False)


@dataclass(frozen=True)
class FileRow(Row):
    """An ONNX file, whose name is its path, with arguments and results in a `.npz` beside it."""

    tolerance: float = 1e-3

    @property
    def path(self) -> Path:
        return Path(self.name)

    def values(self) -> list[np.ndarray]:
        return self.kept("input")

    def results(self) -> list[np.ndarray]:
        return self.kept("output")

    def kept(self, sort: str) -> list[np.ndarray]:
        with np.load(self.path.with_suffix(".npz")) as arrays:
            return [arrays[name] for name in sorted(arrays, key=number) if name.startswith(sort)]


def number(name: str) -> int:
    """The number at the end of a name: `input-10` comes after `input-9`."""
    return int(name.rpartition("-")[2])


def resolve(name: str) -> Callable[..., Any]:
    """The callable named `module:name`."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(f"peers.{module}"), attribute)


def draw(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Random weights with which every layer matters, each from its own name: scales of norms around 1, variances above
    0, matrices by what they sum over."""
    weights = {}
    for name, shape in shapes.items():
        random = np.random.default_rng(zlib.crc32(name.encode()))
        values = random.standard_normal(shape, dtype=np.float32)
        if name.endswith("running_var"):
            values = 0.5 + values * values
        elif name.endswith("weight") and len(shape) == 1:
            values = 1 + 0.1 * values
        elif len(shape) > 1 and "embedding" not in name:
            values *= 1 / math.sqrt(math.prod(shape[1:]))
        else:
            values = values * np.float32(0.1)
        weights[name] = np.asarray(values, np.float32)
    return weights


def bfloat16_bits(values: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16, ties to even; finite values only."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def as_bfloat16(values: np.ndarray) -> np.ndarray:
    """The nearest numbers that bfloat16 has, as float32."""
    return (bfloat16_bits(values).astype(np.uint32) << 16).view(np.float32)
