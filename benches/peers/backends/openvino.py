"""OpenVINO for the least latency, in float32 where the row is in float32."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row
from .onnx_file import exported


class Library:
    def __init__(self, threads: int) -> None:
        import openvino

        self.openvino, self.threads = openvino, threads
        self.core = openvino.Core()
        self.values: list[np.ndarray] = []

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if row.dtype == "bfloat16" else "f32",
            "INFERENCE_NUM_THREADS": self.threads,
        }
        compiled = self.core.compile_model(self.core.read_model(exported(row, folder)), "CPU", settings)
        request = compiled.create_infer_request()
        # The request does not keep its arguments.
        self.values = row.values()
        for at, value in enumerate(self.values):
            request.set_input_tensor(at, self.openvino.Tensor(value, shared_memory=True))
        infer = request.infer
        return lambda: infer(share_outputs=True)

    def arrays(self, found: Any) -> list[np.ndarray]:
        return [np.array(value) for value in found.values()]

    def unload(self) -> None:
        self.values = []
