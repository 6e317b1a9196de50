"""The limits of the machine, measured by the committed probe in turns with everything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import probe

from ..row import Row


class Library:
    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.found: dict[str, Any] = {}

    def load(self, row: Row, folder: Path) -> Callable[[], dict[str, Any]]:
        """What memory gives changes by half within minutes where machines share it: a row is held to its own rounds."""
        for name in (*probe.TRAFFIC, "caches"):
            self.found.pop(name, None)
        sizes = dict.fromkeys(probe.TRAFFIC, probe.TRAFFIC_BYTES)
        if row.group == "memory":
            facts = json.loads((folder / "facts.json").read_text())
            touched = max(facts["read"] + facts["written"], 4096)
            sizes = {name: touched // passes for name, (_, passes) in probe.TRAFFIC.items()}
        return lambda: self.measure(row.dtype == "bfloat16", sizes)

    def measure(self, bfloat16: bool, sizes: Mapping[str, int]) -> dict[str, Any]:
        """1e9 operations a second, the best so far, and 1e9 bytes a second, the best of the rounds of this row.

        Traffic of a row of memory touches as many bytes as the row does: of more, less would lie in a cache, and the
        floor would be too slow. `caches` has half of each size and its rate.
        """
        now = {name: probe.bandwidth(name, runs=3, threads=self.threads, size=size) for name, size in sizes.items()}
        if bfloat16 and probe.has_bf16():
            now["bfloat16"] = probe.peak_bf16_gflops(runs=2, rounds=300_000, threads=self.threads)
        now["float32"] = probe.peak_gflops(runs=2, rounds=300_000, threads=self.threads)
        for name, value in now.items():
            self.found[name] = max(value, self.found.get(name, 0.0))
        before = dict(self.found.get("caches", []))
        halves = [size // 2 for size in probe.cache_bytes()]
        rates = {size: probe.cached_bandwidth(size, runs=2, threads=self.threads) for size in halves}
        self.found["caches"] = [(size, max(rate, before.get(size, 0.0))) for size, rate in rates.items()]
        return self.found

    def arrays(self, found: Any) -> list[np.ndarray]:
        return []

    def unload(self) -> None:
        pass
