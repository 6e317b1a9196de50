"""Files of compiled functions, and the times of calls."""

from __future__ import annotations

from os import PathLike

from .._core import BenchmarkResult, Executable, TimeEvaluator
from ..error import TVMError

__all__ = ["BenchmarkResult", "Executable", "Module", "TimeEvaluator", "enabled", "load_module", "system_lib"]

# What is loaded from a file.
Module = Executable


def load_module(path: str | PathLike[str], fmt: str = "") -> Executable:
    """Opens what `export_library` or `save` wrote, or `tilewright compile`: `load_module(path)["main"](x)`.

    Its machine code runs with all rights of the process, like that of a shared library. Weights are read when they are
    used: the file must not be changed while it is open; replacing it is fine.
    """
    return Executable.load(path)


def enabled(target: str) -> bool:
    """Whether code for a kind of target is made and run here."""
    return target.split()[0].split(":")[0] in ("llvm", "cpu")


def system_lib(symbol_prefix: str = "") -> Executable:
    """An error: no code is linked into the process."""
    raise TVMError("an executable is a file of its own, opened by `load_module`: there is no system library")
