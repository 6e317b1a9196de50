"""PyTorch as it runs a module, operator by operator."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row


def tensors(row: Row) -> list[Any]:
    """The row's arguments as tensors."""
    import torch

    return [
        torch.from_numpy(value).to(torch.bfloat16) if one.dtype == "bfloat16" else torch.from_numpy(value)
        for one, value in zip(row.inputs, row.values(), strict=True)
    ]


class Library:
    def __init__(self, threads: int) -> None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        import torch

        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.torch = torch

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        module = self.ready(row.module().to(getattr(self.torch, row.dtype)), row)
        given, inference = tensors(row), self.torch.inference_mode

        def call() -> Any:
            with inference():
                return module(*given)

        return call

    def ready(self, module: Any, row: Row) -> Any:
        return module

    def arrays(self, found: Any) -> list[np.ndarray]:
        results = found if isinstance(found, (tuple, list)) else [found]
        return [result.float().numpy() for result in results]

    def unload(self) -> None:
        pass
