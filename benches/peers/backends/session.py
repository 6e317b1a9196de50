"""Ours from an ONNX file: the session that `tilewright.load` gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row
from .onnx_file import exported


class Library:
    def __init__(self, threads: int) -> None:
        os.environ["TILEWRIGHT_NUM_THREADS"] = str(threads)
        import tilewright

        self.tilewright = tilewright

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        session = self.tilewright.load(exported(row, folder))
        values = [self.tilewright.nd.array(value) for value in row.values()]
        return lambda: session(*values)

    def arrays(self, found: Any) -> list[np.ndarray]:
        return [result.numpy() for result in (found if isinstance(found, (tuple, list)) else [found])]

    def unload(self) -> None:
        pass
