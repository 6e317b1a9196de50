"""PyTorch's compiler, with weights frozen and all that it can choose from tried."""

from __future__ import annotations

from typing import Any

from ..row import Row
from . import torch_eager


class Library(torch_eager.Library):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        from torch._inductor import config

        config.freezing = True

    def ready(self, module: Any, row: Row) -> Any:
        return self.torch.compile(module, mode="max-autotune", dynamic=bool(row.sizes))

    def unload(self) -> None:
        self.torch._dynamo.reset()
