"""Tilewright: a machine-learning compiler.

A model is an `IRModule`, written as TVMScript (`tilewright.script`), transformed by passes (`tilewright.transform`,
`tilewright.relax.transform`), built for a target (`tilewright.relax.build`) and run by a `relax.VirtualMachine` on
tensors (`tilewright.nd`).

Everything is done by the compiled core; this package gives it the names that people know. Programs written for
`import tvm` run unchanged through `tilewright.compat`.

NumPy is imported on first use, never by importing this package; so are the parts that only compile models: running a
compiled one asks for none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import error, ir, runtime
from ._core import __version__
from .error import TVMError, register_error
from .ir import IRModule, instrument, transform
from .runtime import (
    DataType,
    DataTypeCode,
    Object,
    cpu,
    cuda,
    device,
    ext_dev,
    get_global_func,
    metal,
    opencl,
    register_func,
    register_global_func,
    remove_global_func,
    rocm,
    vulkan,
    webgpu,
)
from .runtime import ndarray as nd

if TYPE_CHECKING:
    from . import (
        arith,
        checkpoint,
        contrib,
        dlight,
        driver,
        meta_schedule,
        relax,
        script,
        support,
        target,
        te,
        testing,
        tir,
        topi,
        torch,
    )  # fmt: skip
    from .driver import build, compare, compile, lower
    from .session import Session, load

__all__ = [
    "DataType",
    "DataTypeCode",
    "IRModule",
    "Object",
    "Session",
    "TVMError",
    "__version__",
    "arith",
    "build",
    "checkpoint",
    "compare",
    "compile",
    "contrib",
    "cpu",
    "cuda",
    "device",
    "dlight",
    "driver",
    "error",
    "ext_dev",
    "get_global_func",
    "instrument",
    "ir",
    "load",
    "lower",
    "meta_schedule",
    "metal",
    "nd",
    "opencl",
    "register_error",
    "register_func",
    "register_global_func",
    "register_object",
    "relax",
    "remove_global_func",
    "rocm",
    "runtime",
    "script",
    "support",
    "target",
    "te",
    "testing",
    "tir",
    "topi",
    "torch",
    "transform",
    "vulkan",
    "webgpu",
]

#: Where the names come from that are looked up on first use: a function's module, or nothing for a module.
_LATER = {
    "_ffi": None,
    "arith": None,
    "build": ".driver",
    "checkpoint": None,
    "compare": ".driver.compare",
    "compile": ".driver",
    "contrib": None,
    "Session": ".session",
    "dlight": None,
    "driver": None,
    "load": ".session",
    "lower": ".driver",
    "register_object": "._ffi.registry",
    "meta_schedule": None,
    "relax": None,
    "script": None,
    "support": None,
    "target": None,
    "te": None,
    "testing": None,
    "tir": None,
    "topi": None,
    "torch": None,
}


def __getattr__(name: str) -> Any:
    try:
        home = _LATER[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    if home is None:
        return import_module(f".{name}", __name__)
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
