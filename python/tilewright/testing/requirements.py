"""Marks of tests that need something of the machine: such a test is skipped where that is missing."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["Feature", "requires_llvm_minimum_version", "requires_package"]


def skip(reason: str) -> Any:
    """The mark that leaves a test out."""
    import pytest

    return pytest.mark.skip(reason=reason)


class Feature:
    """Something that tests need: a name, what it is called in full, and whether it is there.

    As a decorator, with or without parentheses, it marks a test that needs it; `marks()` are the marks for a parameter.
    """

    def __init__(
        self,
        name: str,
        long_name: str | None = None,
        run_time_check: Callable[[], bool | str] | None = None,
        compile_time_check: Callable[[], bool | str] | None = None,
        **_: Any,
    ) -> None:
        self.name, self.long_name = name, long_name or name
        self._checks = [check for check in (compile_time_check, run_time_check) if check is not None]

    def missing(self) -> str | None:
        """Why it is missing; None where it is there."""
        for check in self._checks:
            answer = check()
            if isinstance(answer, str) or not answer:
                return f"needs {self.long_name}" if not isinstance(answer, str) else answer
        return None

    def marks(self, support_required: str = "compile-and-run") -> list[Any]:
        """The marks of a test that needs it."""
        reason = self.missing()
        return [] if reason is None else [skip(reason)]

    def __call__(self, func: Any = None, *, support_required: str = "compile-and-run") -> Any:
        """The test, with the mark if something is missing."""
        if func is None:
            return lambda func: self(func)
        for mark in self.marks(support_required):
            func = mark(func)
        return func


def there() -> bool:
    """Always."""
    return True


def absent() -> bool:
    """Never: what is named so has no counterpart here."""
    return False


def _x86() -> bool:
    return platform.machine() in ("x86_64", "AMD64")


def _has(*names: str) -> Callable[[], bool]:
    """Whether this machine's processor has one of these features."""

    def check() -> bool:
        from ..target import Target

        return any(name in Target("llvm").features for name in names)

    return check


def requires_package(*packages: str) -> Any:
    """Marks a test that needs packages of Python."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    return skip(f"needs {', '.join(missing)}") if missing else lambda func: func


def requires_llvm_minimum_version(major_version: int) -> Any:
    """Marks a test that needs LLVM of this version or a later one."""
    from ..target.codegen import llvm_version_major

    return skip(f"needs LLVM {major_version}") if llvm_version_major() < major_version else lambda func: func


def _version(*_: int, **__: int) -> Any:
    return skip("needs CUDA")


#: Marks by name. What is absent here has no code generator or no library.
FEATURES = {
    name: Feature(name.removeprefix("requires_"), words, check)
    for name, words, check in (
        ("requires_llvm", "LLVM", there),
        ("requires_gpu", "a GPU", absent),
        ("requires_cuda", "CUDA", absent),
        ("requires_cudnn", "cuDNN", absent),
        ("requires_cublas", "cuBLAS", absent),
        ("requires_cutlass", "CUTLASS", absent),
        ("requires_nccl", "NCCL", absent),
        ("requires_cudagraph", "recorded launches of CUDA", absent),
        ("requires_tensorcore", "tensor cores", absent),
        ("requires_matrixcore", "matrix cores", absent),
        ("requires_nvptx", "NVPTX", absent),
        ("requires_rocm", "ROCm", absent),
        ("requires_hipblas", "hipBLAS", absent),
        ("requires_metal", "Metal", absent),
        ("requires_vulkan", "Vulkan", absent),
        ("requires_opencl", "OpenCL", absent),
        ("requires_webgpu", "WebGPU", absent),
        ("requires_rpc", "calls over a network", absent),
        ("requires_micro", "microcontrollers", absent),
        ("requires_hexagon", "Hexagon", absent),
        ("requires_hexagon_toolchain", "Hexagon", absent),
        ("requires_ethosn", "an Ethos-N", absent),
        ("requires_cmsisnn", "CMSIS-NN", absent),
        ("requires_corstone300", "a Corstone-300", absent),
        ("requires_aprofile_aem_fvp", "Arm's simulator", absent),
        ("requires_libtorch", "libtorch", absent),
        ("requires_mps", "Metal's libraries", absent),
        ("requires_mrvl", "Marvell's tools", absent),
        ("requires_openclml", "OpenCL's library for models", absent),
        ("requires_nnapi", "Android's library for models", absent),
        ("requires_coreml", "Core ML", absent),
        ("requires_vitis_ai", "Vitis AI", absent),
        ("requires_arm_dot", "dot products of ARM", _has("dotprod")),
        ("requires_arm_fp16", "float16 of ARM", _has("fullfp16")),
        ("requires_aarch64_sve", "SVE", _has("sve")),
        ("requires_aarch64_sme", "SME", _has("sme")),
        ("requires_x86", "an x86-64", _x86),
        ("requires_x86_vnni", "VNNI", _has("avx512vnni", "avxvnni")),
        ("requires_x86_avx512", "AVX-512", _has("avx512f")),
        ("requires_x86_amx", "AMX", _has("amx-int8")),
        ("requires_cascadelake", "VNNI", _has("avx512vnni")),
        ("requires_skylake_avx512", "AVX-512", _has("avx512f")),
        ("requires_64bit", "64 bits", lambda: sys.maxsize > 1 << 32),
        ("requires_nvcc", "NVIDIA's compiler", lambda: shutil.which("nvcc") is not None),
    )
}

VERSIONS = {name: _version for name in ("requires_nvcc_version", "requires_cuda_compute_version")}
