"""Tilewright: a machine-learning compiler.

A model is an `IRModule`, written as TVMScript (`tilewright.script`), transformed by passes (`tilewright.transform`,
`tilewright.relax.transform`), built for a target (`tilewright.relax.build`) and run by a `relax.VirtualMachine` on
tensors (`tilewright.nd`).

Everything is done by the compiled core; this package gives it the names that people know. Programs written for
`import tvm` run unchanged through `tilewright.compat`.

NumPy is imported on first use, never by importing this package.
"""

from . import arith, error, ir, relax, runtime, script, target, te, testing, tir, topi
from ._core import __version__
from .driver import build, compile
from .error import TVMError
from .ir import IRModule, transform
from .runtime import DataType, cpu, cuda, device, get_global_func, register_func, remove_global_func
from .runtime import ndarray as nd

__all__ = [
    "DataType",
    "IRModule",
    "TVMError",
    "__version__",
    "arith",
    "build",
    "compile",
    "cpu",
    "cuda",
    "device",
    "error",
    "get_global_func",
    "ir",
    "nd",
    "register_func",
    "relax",
    "remove_global_func",
    "runtime",
    "script",
    "target",
    "te",
    "testing",
    "tir",
    "topi",
    "transform",
]
