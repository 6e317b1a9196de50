"""Compiles a row with Tilewright into a file, in a process with PyTorch that runs nothing of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..row import Row, draw, resolve
from .onnx_file import dynamic_shapes


class Library:
    def __init__(self, threads: int) -> None:
        import tilewright

        self.tilewright = tilewright

    def load(self, row: Row, folder: Path) -> Callable[[], Any]:
        from tilewright import relax

        module = {"export": imported, "fx": traced}.get(row.ours, written)(row)
        started = time.perf_counter()
        executable = relax.build(module, "llvm")
        seconds = time.perf_counter() - started
        executable.export_library(str(folder / "model.twx"))
        return lambda: {"compile": seconds}

    def arrays(self, found: Any) -> list[np.ndarray]:
        return []

    def unload(self) -> None:
        pass


def imported(row: Row) -> Any:
    """The module through `torch.export`."""
    import torch

    from tilewright.relax.frontend.torch import from_exported_program

    from .torch_eager import tensors

    module = row.module().to(getattr(torch, row.dtype))
    with torch.no_grad():
        program = torch.export.export(module, tuple(tensors(row)), dynamic_shapes=dynamic_shapes(row))
        return from_exported_program(program)


def traced(row: Row) -> Any:
    """The module through `torch.fx`."""
    import torch

    from tilewright.relax.frontend.torch import from_fx

    with torch.no_grad():
        graph = torch.fx.symbolic_trace(row.module())
        return from_fx(graph, [(shape, one.dtype) for shape, one in zip(row.shapes(), row.inputs, strict=True)])


def written(row: Row) -> Any:
    """A module of `relax.frontend.nn` with the weights of its twin in PyTorch, as constants."""
    from tilewright import relax
    from tilewright.relax.frontend import nn

    model = resolve(row.ours)(**row.arguments)
    arguments = {f"x{at}": nn.spec.Tensor(one.shape, one.dtype) for at, one in enumerate(row.inputs)}
    module, params = model.export_tvm({"main": arguments})
    weights = draw({name: tuple(int(size) for size in param.shape) for name, param in params})
    names = [param.name_hint for param in module["main"].params[len(row.inputs) :]]
    bound = {name: weights[path] for name, (path, _) in zip(names, params, strict=True)}
    return relax.transform.BindParams("main", bound)(module)
