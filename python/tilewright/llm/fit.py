"""What memory and speed to expect of a model on this machine, before it is compiled.

One token reads every weight once but the rows of the embedding that it does not need, and the keys and values before
it: with as many bytes a second as the processors read together, measured here, that is the most tokens a second there
can be. A token of a prompt takes two operations for each weight of a product: with as many as a product of NumPy's does
in float32, measured here, that is about the least for prompts; products of bytes take less time.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..runtime import DataType
from .compile import CACHE_TYPES, forms_of
from .generate import CHUNK
from .loader import Source
from .model import DecoderConfig
from .quantization import BlockFormat

__all__ = ["Expectation", "cache_bytes", "expect", "weight_bytes"]

#: Bytes that the measurement of memory reads, several times the size of caches.
READ_BYTES = 1 << 28


@dataclass(frozen=True)
class Expectation:
    """Memory in bytes and speeds in tokens a second."""

    weights: int
    #: Keys and values of the whole context.
    cache: int
    #: Hidden states of a step of a prompt.
    states: int
    available: int
    context: int
    #: The most tokens a second after an empty context, and after a full one.
    decode: float
    decode_full: float
    #: About the least tokens of a prompt a second.
    prefill: float

    @property
    def fits(self) -> bool:
        """Whether the memory that is free holds all of it."""
        return self.weights + self.cache + self.states <= self.available

    def as_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self) | {"fits": self.fits}

    def __str__(self) -> str:
        mib = lambda count: f"{count / 2**20:,.0f} MiB"  # noqa: E731
        total = self.weights + self.cache + self.states
        verdict = "fits" if self.fits else "does not fit: give a smaller --context, or quantise to fewer bits"
        return "\n".join(
            [
                f"weights             {mib(self.weights)}",
                f"keys and values     {mib(self.cache)} for {self.context:,} tokens",
                f"steps of a prompt   {mib(self.states)}",
                f"together            {mib(total)} of {mib(self.available)} that are free: {verdict}",
                f"a token at a time   {self.decode:.1f} tokens a second at most, {self.decode_full:.1f} at the end",
                f"a prompt            {self.prefill:.0f} tokens a second, about, at least",
            ]
        )


def weight_bytes(source: Source, quantization: str | None) -> tuple[int, int]:
    """Bytes of all weights as kernels keep them, and of those that each token reads: of the experts it chooses."""
    forms, total, read = forms_of(source, quantization), 0, 0
    for name in source.names():
        shape = source.shape(name)
        size = _packed(forms[name], shape) if name in forms else int(np.prod(shape, dtype=np.int64)) * 4
        total += size
        tied = getattr(source.config, "tied", False)
        experts = getattr(source.config, "experts", None)
        if len(shape) == 3 and experts is not None:
            size = size * experts.used // experts.count
        read += 0 if name.endswith("embed_tokens.weight") and not tied else size
    return total, read


def _packed(form: BlockFormat, shape: tuple[int, ...]) -> int:
    *of, rows, columns = shape
    arrays = form.shapes(rows, columns).values()
    return math.prod(of) * sum(
        int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize for shape, dtype in arrays
    )


def cache_bytes(config: Any, context: int, cache_type: str = "f16") -> int:
    """Bytes of the keys and values of so many tokens; a recurrent model has none."""
    if not isinstance(config, DecoderConfig):
        return 0
    element = DataType(CACHE_TYPES[cache_type]).itemsize()
    return config.num_hidden_layers * 2 * config.num_key_value_heads * config.head_dim * element * context


def expect(source: Source, quantization: str | None = "q8_0", cache_type: str = "f16") -> Expectation:
    """What to expect of a model whose float weights are quantised so, and whose cache has this type."""
    config = source.config
    context = int(config.context_window_size)
    total, read = weight_bytes(source, quantization)
    cache = cache_bytes(config, context, cache_type)
    widest = max([4 * int(config.hidden_size), int(getattr(config, "intermediate_size", 0)) * 2])
    states = CHUNK * widest * 4 * 4 + int(config.vocab_size) * 4
    bandwidth, operations = _bandwidth(), _operations()
    products = sum(int(np.prod(source.shape(name), dtype=np.int64)) for name in source.names() if "embed" not in name)
    return Expectation(
        total, cache, states, _available(), context, bandwidth / max(read, 1), bandwidth / max(read + cache, 1),
        operations / (2 * max(products, 1)),
    )  # fmt: skip


def _seconds(run: Callable[[], Any], times: int = 3) -> float:
    def once() -> float:
        started = time.perf_counter()
        run()
        return time.perf_counter() - started

    return min(once() for _ in range(times))


def _bandwidth() -> float:
    """Bytes a second that all processors read together."""
    parts = np.array_split(np.ones(READ_BYTES // 8), os.cpu_count() or 1)
    with ThreadPoolExecutor(len(parts)) as pool:
        return READ_BYTES / _seconds(lambda: list(pool.map(np.max, parts)))


def _operations() -> float:
    """Multiplications and additions a second of a product in float32."""
    a = np.ones((768, 768), np.float32)
    return 2 * 768**3 / _seconds(lambda: a @ a)


def _available() -> int:
    """Bytes of memory that are free."""
    file = Path("/proc/meminfo")
    if file.is_file():
        for line in file.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
