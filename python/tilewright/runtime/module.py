"""Files of compiled functions, and the times of calls."""

from __future__ import annotations

from os import PathLike

from .._core import BenchmarkResult, Executable, TimeEvaluator

__all__ = ["BenchmarkResult", "Executable", "Module", "TimeEvaluator", "load_module"]

# What is loaded from a file.
Module = Executable


def load_module(path: str | PathLike[str]) -> Executable:
    """Opens what `export_library` or `save` wrote, or `tilewright compile`: `load_module(path)["main"](x)`.

    Its machine code runs with all rights of the process, like that of a shared library. Weights are read when they are
    used: the file must not be changed while it is open; replacing it is fine.
    """
    return Executable.load(path)
