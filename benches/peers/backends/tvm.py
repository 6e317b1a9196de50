"""Apache TVM's default build for this processor, of the module as `torch.export` gives it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row
from .onnx_file import dynamic_shapes


class Library:
    def __init__(self, threads: int) -> None:
        os.environ["TVM_NUM_THREADS"] = str(threads)
        import torch
        import tvm

        self.torch, self.tvm = torch, tvm

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        from tvm import relax
        from tvm.relax.frontend.torch import from_exported_program

        from .torch_eager import tensors

        torch, tvm = self.torch, self.tvm
        given = tensors(row)
        module = row.module().to(getattr(torch, row.dtype))
        with torch.no_grad():
            program = torch.export.export(module, tuple(given), dynamic_shapes=dynamic_shapes(row))
            imported = from_exported_program(program)
        processor = tvm.get_global_func("target.llvm_get_system_cpu")()
        target = tvm.target.Target({"kind": "llvm", "mcpu": processor, "num-cores": os.cpu_count()})
        machine = relax.VirtualMachine(tvm.compile(imported, target=target), tvm.cpu())
        main, values = machine["main"], [self.tensor(value) for value in given]
        return lambda: main(*values)

    def tensor(self, value: Any) -> Any:
        """A copy, aligned as TVM wants it."""
        tensor = self.tvm.runtime.empty(tuple(value.shape), str(value.dtype).removeprefix("torch."))
        self.torch.from_dlpack(tensor).copy_(value)
        return tensor

    def arrays(self, found: Any) -> list[np.ndarray]:
        results = [found] if hasattr(found, "numpy") else list(found)
        return [self.torch.from_dlpack(result).float().numpy() for result in results]

    def unload(self) -> None:
        pass
