"""Modules of TVM that have no counterpart: they can be imported, and what is used of them is an error that says why.

Programs import such modules for one test of many, or for a name in a list. A module that the package has is never
replaced: this table is asked last.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn

from ..error import TVMError

__all__ = ["Absent", "AbsentModule", "absent_name", "reason_for"]

#: Paths, under which everything is absent, and why.
_REASONS = {
    "relay": "graphs are those of `tvm.relax`: Relay is not read",
    "autotvm": "schedules are chosen by rules: there are no templates to tune",
    "auto_scheduler": "schedules are chosen by rules: there is no search over tensor expressions",
    "micro": "programs run on processors with an operating system",
    "rpc": "programs run on this machine: none is called over a network",
    "exec": "programs run on this machine: there are no servers",
    "tir.usmp": "memory is planned by `relax.transform.StaticPlanBlockMemory`",
    "te.hybrid": "functions of loops are written as TVMScript",
    "te.autodiff": "there are no gradients of tensor expressions",
    "topi.cuda": "operators have one definition for all targets: `tvm.topi`",
    "topi.x86": "operators have one definition for all targets: `tvm.topi`",
    "topi.arm_cpu": "operators have one definition for all targets: `tvm.topi`",
    "topi.hexagon": "operators have one definition for all targets: `tvm.topi`",
    "topi.generic": "operators have one definition for all targets: `tvm.topi`",
    "topi.gpu": "operators have one definition for all targets: `tvm.topi`",
    "topi.rocm": "operators have one definition for all targets: `tvm.topi`",
    "topi.mali": "operators have one definition for all targets: `tvm.topi`",
    "topi.adreno": "operators have one definition for all targets: `tvm.topi`",
    "topi.sparse": "tensors are dense",
    "topi.vision": "there are no operators of object detection",
    "relax.frontend.stablehlo": "graphs come from PyTorch, modules in its manner, and builders",
    "relax.frontend.nn.llm": "there are no paged caches",
    "contrib.hexagon": "there is no code generator for this processor",
    "contrib.cutlass": "kernels are the compiler's own: no library of others is called",
    "contrib.cublas": "kernels are the compiler's own: no library of others is called",
    "contrib.cublaslt": "kernels are the compiler's own: no library of others is called",
    "contrib.cudnn": "kernels are the compiler's own: no library of others is called",
    "contrib.cblas": "kernels are the compiler's own: no library of others is called",
    "contrib.mkl": "kernels are the compiler's own: no library of others is called",
    "contrib.dnnl": "kernels are the compiler's own: no library of others is called",
    "contrib.nnpack": "kernels are the compiler's own: no library of others is called",
    "contrib.rocblas": "kernels are the compiler's own: no library of others is called",
    "contrib.thrust": "kernels are the compiler's own: no library of others is called",
    "contrib.random": "random numbers come from the caller",
    "contrib.rocm": "there is no code generator for this device",
    "contrib.msc": "graphs are those of `tvm.relax`",
    "contrib.graph_executor": "graphs run on the virtual machine: `relax.VirtualMachine`",
    "contrib.graph_runtime": "graphs run on the virtual machine: `relax.VirtualMachine`",
    "contrib.debugger": "graphs run on the virtual machine: `relax.VirtualMachine`",
    "contrib.pipeline_executor": "graphs run on the virtual machine: `relax.VirtualMachine`",
    "contrib.emcc": "there is no runtime for browsers",
    "contrib.xcode": "there is no code generator for Apple's devices",
    "contrib.spirv": "there is no code generator for Vulkan",
    "contrib.dlpack": "tensors are shared by `__dlpack__`",
    "contrib.download": "nothing is fetched from a network",
    "contrib.target": "graphs come from PyTorch, modules in its manner, and builders",
    "contrib.peak": "there are no models of rooflines",
    "script.parser.core.evaluator": "scripts are read by the core, which has no Python classes",
    "script.parser.core.parser": "scripts are read by the core, which has no Python classes",
    "script.parser.core.doc": "scripts are read by the core, which has no Python classes",
    "script.parser.core.doc_core": "scripts are read by the core, which has no Python classes",
    "script.parser.core.dispatch": "scripts are read by the core, which has no Python classes",
    "script.parser.core.utils": "scripts are read by the core, which has no Python classes",
    "script.parser.core.entry": "scripts are read by the core, which has no Python classes",
    "relax.backend_tir": "there are no patterns of loops",
    "relax.distributed": "programs run on one device",
    "runtime.disco": "programs run on one device",
    "testing.tir": "there are no schedules for tensor cores",
    "testing.aot": "programs run on the virtual machine",
    "tir.contrib": "there is no code generator for these processors",
    "utils": "there are no models of rooflines",
}


#: Names in modules that the package has, and why they are absent.
_NAMES = {
    "relax.transform": {
        "IPCAllReduceRewrite": "programs run on one device",
        "LowerGPUIPCAllocStorage": "programs run on one device",
        "RealizeVDevice": "nothing is copied between devices",
        "SpecializePrimFuncBasedOnCallSite": "nothing is copied between devices",
        "SplitCallTIRByPattern": "there are no patterns of loops",
        "UpdateVDevice": "nothing is copied between devices",
    },
    "relax.testing.transform": {
        "dataflow_single_inplace_call": "calls are computed in place by the pass DataflowUseInplaceCalls only"
    },
}


def absent_name(module: str, name: str) -> Absent:
    """The name of a module that has none: what stands for it, or an `AttributeError` where nobody knows the name."""
    path = module.partition(".")[2]
    reason = _NAMES.get(path, {}).get(name)
    if reason is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return Absent(f"{module}.{name}", reason)


def reason_for(path: str) -> str | None:
    """Why a module is absent, by its path without the package; None for one that nobody knows."""
    while path:
        if path in _REASONS:
            return _REASONS[path]
        path = path.rpartition(".")[0]
    return None


class Absent:
    """A name of an absent module. Using it, in any way but naming it, is an error."""

    __slots__ = ("_name", "_reason")

    def __init__(self, name: str, reason: str) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_reason", reason)

    def _refuse(self) -> NoReturn:
        raise TVMError(f"`{self._name}` is not there: {self._reason}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}", self._reason)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """The error."""
        self._refuse()

    def __getitem__(self, key: Any) -> NoReturn:
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    def __bool__(self) -> NoReturn:
        self._refuse()

    def __enter__(self) -> NoReturn:
        self._refuse()

    def __exit__(self, *_: object) -> None:
        """Never called: nothing is entered."""

    def __mro_entries__(self, bases: Any) -> NoReturn:
        self._refuse()

    def __repr__(self) -> str:
        return f"<absent {self._name}>"


class AbsentModule(ModuleType):
    """A module whose names are all absent."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, f"This module is not there: {reason}.")
        self.__path__: list[str] = []
        self._reason = reason

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}", self._reason)
