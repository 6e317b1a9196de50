"""Modules of TVM that have no counterpart: they can be imported, and what is used of them is an error that says why.

Programs import such modules for one test of many, or for a name in a list. A module that the package has is never
replaced: this table is asked last.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn

from ..error import TVMError

__all__ = ["Absent", "AbsentModule", "absent_name", "reason_for"]

#: Why modules are absent, and which: paths, under which everything is.
_PATHS = {
    "graphs are those of `tvm.relax`: Relay is not read": "relay contrib.relay_viz",
    "schedules are chosen by rules: there are no templates to tune": "autotvm",
    "schedules are chosen by rules: there is no search over tensor expressions": "auto_scheduler",
    "programs run on processors with an operating system": "micro",
    "programs run on this machine: none is called over a network": "rpc",
    "programs run on this machine: there are no servers": "exec",
    "memory is planned by `relax.transform.StaticPlanBlockMemory`": "tir.usmp",
    "functions of loops are written as TVMScript": "te.hybrid",
    "there are no gradients of tensor expressions": "te.autodiff",
    "operators have one definition for all targets: `tvm.topi`": (
        "topi.cuda topi.x86 topi.arm_cpu topi.hexagon topi.generic topi.gpu topi.rocm topi.mali topi.adreno"
    ),
    "tensors are dense": "topi.sparse contrib.sparse",
    "there are no operators of object detection": "topi.vision",
    "graphs come from PyTorch, ONNX files, modules in its manner, and builders": (
        "relax.frontend.stablehlo contrib.target contrib.tflite_runtime"
    ),
    "there is no code generator for this processor": "contrib.hexagon",
    "kernels are the compiler's own: no library of others is called": (
        "contrib.cutlass contrib.cublas contrib.cublaslt contrib.cudnn contrib.cblas contrib.mkl contrib.dnnl "
        "contrib.nnpack contrib.rocblas contrib.thrust"
    ),
    "random numbers come from the caller": "contrib.random",
    "there is no code generator for this device": "contrib.rocm",
    "graphs are those of `tvm.relax`": "contrib.msc",
    "graphs run on the virtual machine: `relax.VirtualMachine`": (
        "contrib.graph_executor contrib.graph_runtime contrib.debugger contrib.pipeline_executor"
    ),
    "there is no runtime for browsers": "contrib.emcc",
    "there is no code generator for Apple's devices": "contrib.xcode contrib.coreml",
    "there is no code generator for Vulkan": "contrib.spirv",
    "tensors are shared by `__dlpack__`": "contrib.dlpack",
    "nothing is fetched from a network": "contrib.download",
    "there are no models of rooflines": "contrib.peak utils",
    "scripts are read by the core, which has no Python classes": (
        "script.parser.core.evaluator script.parser.core.parser script.parser.core.doc script.parser.core.doc_core "
        "script.parser.core.dispatch script.parser.core.utils script.parser.core.entry"
    ),
    "there are no patterns of loops": "relax.backend_tir",
    "programs run on one device": "relax.distributed runtime.disco",
    "there are no schedules for tensor cores": "testing.tir",
    "programs run on the virtual machine": "testing.aot",
    "there is no code generator for these processors": "tir.contrib",
    "schedules are drawn by functions of one's own: see `space_generator`": (
        "meta_schedule.schedule_rule meta_schedule.postproc meta_schedule.mutator"
    ),
    "costs are learned from features of the compiler's own": "meta_schedule.feature_extractor",
    "tasks are ordered by `tune_tasks`": "meta_schedule.task_scheduler meta_schedule.measure_callback",
    "progress is printed by `tune_tir` and `tune_relax`": "meta_schedule.profiler meta_schedule.logging",
    "there are no helpers for tests of tuning": "meta_schedule.testing",
    "the command line is `tilewright`": "driver.tvmc",
    "the default schedules of a CPU are the compiler's own rules": "dlight.cpu",
    "kernels are measured by `time_evaluator`": "dlight.benchmark",
    "graphs are partitioned by `relax.transform.FuseOpsByPattern`": "relax.backend.cuda",
    "models of PyTorch are imported by `relax.frontend.torch`": "contrib.torch",
}

_REASONS = {path: reason for reason, paths in _PATHS.items() for path in paths.split()}


#: Names in modules that the package has, and why they are absent.
_NAMES = {
    "relax.frontend.nn.llm.kv_cache": dict.fromkeys(
        (
            "tree_attn",
            "llama_rope_with_position_map",
            "_merge_state_inplace",
            "_kv_cache_transpose_append",
            "_kv_cache_debug_get_kv",
            "_copy_single_page",
            "_compact_kv_copy",
            "_attention_prefill_ragged",
            "_attention_prefill",
            "_attention_decode",
        ),
        "a paged cache is the runtime's: it has no kernels in scripts",
    ),
    "te": {
        "create_schedule": "schedules are those of TensorIR: use `te.create_prim_func`, then `tvm.tir.Schedule`",
        "scan": "a loop that carries values is written as TVMScript; sums are `topi.cumsum`",
        "gradient": "graphs are differentiated, by `relax.transform.Gradient`",
        "decl_tensor_intrin": "intrinsics are pairs of TVMScript functions: `tvm.tir.TensorIntrin.register`",
    },
    "tir.transform": {
        **dict.fromkeys(
            (
                "CombineContextCall",
                "CoProcSync",
                "InjectCopyIntrin",
                "LowerAsyncDMA",
                "TextureFlatten",
                "VerifyVTCMLimit",
            ),
            "there is no code generator for such a device",
        ),
        **dict.fromkeys(
            (
                "InferFragment",
                "InjectPermutedLayout",
                "InjectPTXLDG32",
                "LowerAutoCopy",
                "LowerWarpMemory",
                "ManifestSharedMemoryLocalStage",
                "TransformMmaBufferLayout",
            ),
            "there are no schedules for tensor cores",
        ),
        **dict.fromkeys(
            (
                "LowerCustomDatatypes",
                "LowerDeviceStorageAccessInfo",
                "LowerTVMBuiltin",
            ),
            "code is made of functions of loops by `tvm.build`, which needs no such form in between",
        ),
        "InstrumentProfileIntrinsics": "kernels are measured by `time_evaluator`",
        "InjectRollingBuffer": "use `Schedule.rolling_buffer`",
        "ExtractPrimFuncConstants": "constants stay in their function, which takes them into the executable",
    },
    "relax.transform": {
        "SpecializePrimFuncBasedOnCallSite": "buffers have no scopes that depend on who calls",
        "SplitCallTIRByPattern": "there are no patterns of loops",
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
