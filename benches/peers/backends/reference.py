"""What a row's results are, in float64, what it costs, and the files that other libraries read it from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row


class Library:
    def __init__(self, threads: int) -> None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        import torch

        torch.set_num_threads(threads)
        self.torch = torch

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        torch = self.torch
        from torch.utils.flop_counter import FlopCounterMode

        from .torch_eager import tensors

        # The encoder's and attention's own kernels have no operation counts: they are decomposed.
        torch.backends.mha.set_fastpath_enabled(False)
        module = row.module()
        given = tensors(row)
        with torch.inference_mode(), FlopCounterMode(display=False) as counter:
            exact = module.double()(*(value.double() if value.is_floating_point() else value for value in given))
        results = exact if isinstance(exact, (tuple, list)) else [exact]
        for at, result in enumerate(results):
            np.save(folder / f"expected-{at}.npy", result.numpy())
        element = 2 if row.dtype == "bfloat16" else 4
        facts = {
            "operations": counter.get_total_flops(),
            "read": sum(value.numel() * value.element_size() for value in given) + weight_bytes(module, given, element),
            "written": sum(result.numel() * element for result in results),
        }
        (folder / "facts.json").write_text(json.dumps(facts))
        return lambda: facts

    def arrays(self, found: Any) -> list[np.ndarray]:
        return []

    def unload(self) -> None:
        pass


def weight_bytes(module: Any, given: list[Any], element: int) -> int:
    """What a call reads of the weights: all of them, but of tables of embeddings the rows that it looks up."""
    import torch

    looked_up = max((value.numel() for value in given if not value.is_floating_point()), default=0)
    tables = {
        id(part.weight): part.weight.shape[1]
        for part in module.modules()
        if isinstance(part, torch.nn.Embedding) and not getattr(part, "read_whole", False)
    }
    total = 0
    for weight in {id(weight): weight for weight in (*module.parameters(), *module.buffers())}.values():
        width = tables.get(id(weight))
        total += weight.numel() if width is None else min(weight.numel(), looked_up * width)
    return total * element
