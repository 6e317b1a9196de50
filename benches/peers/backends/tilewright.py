"""Ours: the executable that `compiling` has written, in a process that has neither PyTorch nor weights of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row, bfloat16_bits


class Library:
    def __init__(self, threads: int) -> None:
        os.environ["TILEWRIGHT_NUM_THREADS"] = str(threads)
        import tilewright

        self.tilewright = tilewright

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        from tilewright import relax

        executable = self.tilewright.runtime.load_module(str(folder / "model.twx"))
        machine = relax.VirtualMachine(executable, self.tilewright.cpu())
        values = [self.tensor(one.dtype, value) for one, value in zip(row.inputs, row.values(), strict=True)]
        function = machine["main"]
        return lambda: function(*values)

    def tensor(self, dtype: str, value: np.ndarray) -> Any:
        if dtype != "bfloat16":
            return self.tilewright.nd.array(value)
        bits = bfloat16_bits(value)
        return self.tilewright.runtime.NDArray.from_bytes("bfloat16", value.shape, bits.tobytes())

    def arrays(self, found: Any) -> list[np.ndarray]:
        results = [found] if hasattr(found, "numpy") else list(found)
        return [
            result.astype("float32").numpy() if str(result.dtype) == "bfloat16" else result.numpy()
            for result in results
        ]

    def unload(self) -> None:
        pass
