"""What this build of the package is."""

from __future__ import annotations

from ._core import __version__

__all__ = ["describe", "libinfo"]


def libinfo() -> dict[str, str]:
    """The parts of the build, by the names that programs ask for: `USE_LLVM` has LLVM's version."""
    from .target.codegen import llvm_version_major

    absent = ("USE_CUDA", "USE_CUTLASS", "USE_CUBLAS", "USE_CUDNN", "USE_METAL", "USE_OPENCL", "USE_ROCM", "USE_RPC",
              "USE_VULKAN", "USE_DNNL", "USE_HEXAGON", "USE_NNAPI", "USE_CLML", "USE_NVTX", "USE_MSC", "USE_MRVL",
              "USE_TFLITE_RUNTIME", "USE_ARM_COMPUTE_LIB", "USE_COREML")  # fmt: skip
    major = llvm_version_major()
    return {**dict.fromkeys(absent, "OFF"), "USE_LLVM": "ON", "LLVM_VERSION": f"{major}.0.0", "VERSION": __version__}


def describe() -> None:
    """Prints what this build is: its version, the version of Python and the system."""
    import platform
    import sys

    print(f"Python: {sys.version.split()[0]}, {platform.system()} {platform.machine()}")
    for name, value in sorted(libinfo().items()):
        print(f"{name}: {value}")
