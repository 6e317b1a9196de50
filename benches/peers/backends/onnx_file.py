"""A row's module as a file that ONNX Runtime and OpenVINO read, exported on first use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ..row import FileRow, Row


def exported(row: Row, folder: Path) -> str:
    """The path of the file. A process of its own writes it: neither library needs PyTorch."""
    if isinstance(row, FileRow):
        return str(row.path)
    path = folder / "model.onnx"
    if not path.exists():
        command = [sys.executable, "-m", "peers.backends.onnx_file", row.name, str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            lines = done.stdout.strip().splitlines()
            raise RuntimeError(f"torch.onnx does not export it: {lines[-1] if lines else done.returncode}")
    return str(path)


def export(row: Row, path: Path) -> None:
    import torch

    from ..torch_models.attention import spelled_out
    from .torch_eager import tensors

    partial = path.with_name("partial.onnx")
    with torch.no_grad(), spelled_out():
        torch.onnx.export(
            row.module(),
            tuple(value.float() if value.dtype == torch.bfloat16 else value for value in tensors(row)),
            str(partial),
            dynamo=True,
            dynamic_shapes=dynamic_shapes(row),
            external_data=False,
            verbose=False,
        )
    os.replace(partial, path)


def dynamic_shapes(row: Row) -> tuple[dict[int, object], ...] | None:
    """The dimensions with names, as `torch.export` takes them; none where all sizes are known."""
    import torch

    if not row.sizes:
        return None
    dims = {name: torch.export.Dim(name, min=2, max=4096) for name in row.sizes}
    return tuple({at: dims[size] for at, size in enumerate(one.shape) if size in dims} for one in row.inputs)


if __name__ == "__main__":
    from ..rows import row_of

    export(row_of(sys.argv[1]), Path(sys.argv[2]))
