"""Targets by short names of machines."""

from __future__ import annotations

from typing import Any

from ..error import TVMError

__all__ = ["list_tags", "register_tag"]


def _nvidia(arch: str, shared: int = 48 << 10, registers: int = 1 << 16) -> dict[str, Any]:
    """A GPU of NVIDIA's: its generation, with the limits that the CUDA C++ Programming Guide gives for all of them."""
    return {
        "kind": "cuda", "arch": arch, "max_num_threads": 1024, "max_threads_per_block": 1024, "thread_warp_size": 32,
        "max_shared_memory_per_block": shared, "registers_per_block": registers,
    }  # fmt: skip


#: Names of NVIDIA's GPUs by their generation.
_OF_ARCH = {
    "sm_52": "geforce-gtx-950 geforce-gtx-960 geforce-gtx-970 geforce-gtx-980 geforce-gtx-980-ti geforce-gtx-titan-x "
    "tesla-m40 tesla-m60 quadro-m6000",
    "sm_53": "jetson-nano tegra-x1 jetson-tx1",
    "sm_60": "tesla-p100 quadro-gp100",
    "sm_61": "geforce-gtx-1050 geforce-gtx-1060 geforce-gtx-1070 geforce-gtx-1070-ti geforce-gtx-1080 "
    "geforce-gtx-1080-ti nvidia-titan-x nvidia-titan-xp tesla-p4 tesla-p40 quadro-p6000",
    "sm_62": "jetson-tx2",
    "sm_70": "nvidia-v100 nvidia-titan-v quadro-gv100",
    "sm_72": "jetson-agx-xavier",
    "sm_75": "nvidia-t4 geforce-rtx-2060 geforce-rtx-2070 geforce-rtx-2080 geforce-rtx-2080-ti nvidia-titan-rtx "
    "quadro-rtx-8000 quadro-rtx-6000 quadro-rtx-5000 quadro-rtx-4000",
    "sm_80": "nvidia-a100 nvidia-a30",
    "sm_86": "geforce-rtx-3060 geforce-rtx-3070 geforce-rtx-3070-ti geforce-rtx-3080 geforce-rtx-3080-ti "
    "geforce-rtx-3090 geforce-rtx-3090-ti nvidia-a10 nvidia-a10g nvidia-a16 nvidia-a2 nvidia-a40 rtx-a6000",
    "sm_87": "jetson-agx-orin-32gb jetson-agx-orin-64gb jetson-orin-nano",
    "sm_89": "geforce-rtx-4090",
    "sm_90a": "nvidia-h100",
}

_TAGS: dict[str, dict[str, Any]] = {
    **{f"nvidia/{name}": _nvidia(arch) for arch, names in _OF_ARCH.items() for name in names.split()},
    "nvidia/nvidia-a100": {**_nvidia("sm_80"), "l2_cache_size_bytes": 40 << 20},
    "nvidia/nvidia-h100": {**_nvidia("sm_90a"), "l2_cache_size_bytes": 50 << 20},
    "nvidia/geforce-rtx-4090": {**_nvidia("sm_89"), "l2_cache_size_bytes": 72 << 20},
    "nvidia/jetson-agx-orin-32gb": {
        **_nvidia("sm_87"),
        "host": {"kind": "llvm", "mtriple": "aarch64-linux-gnu", "num-cores": 8},
    },
    "nvidia/jetson-agx-orin-64gb": {
        **_nvidia("sm_87"),
        "host": {"kind": "llvm", "mtriple": "aarch64-linux-gnu", "num-cores": 12},
    },
    "nvidia/jetson-agx-xavier": {
        **_nvidia("sm_72"),
        "host": {"kind": "llvm", "mtriple": "aarch64-linux-gnu", "num-cores": 8},
    },
    **{
        f"apple/{name}": {
            "kind": "metal", "max_threads_per_block": 1024, "max_shared_memory_per_block": 32 << 10,
            "thread_warp_size": 32, "host": {"kind": "llvm", "mtriple": "arm64-apple-macos", "mcpu": cpu},
        }
        for name, cpu in (("m1-gpu", "apple-m1"), ("m2-gpu", "apple-m2"))
    },
    "apple/m1-gpu-restricted": {
        "kind": "metal", "max_threads_per_block": 256, "max_shared_memory_per_block": 32 << 10, "thread_warp_size": 32,
        "host": {"kind": "llvm", "mtriple": "arm64-apple-macos", "mcpu": "apple-m1"},
    },
    "raspberry-pi/4b-aarch64": {
        "kind": "llvm", "mtriple": "aarch64-linux-gnu", "mcpu": "cortex-a72", "mattr": ["+neon"], "num-cores": 4,
    },
    **{
        f"aws/cpu/c5.{size}": {"kind": "llvm", "mcpu": cpu, "num-cores": cores}
        for size, cpu, cores in (
            ("large", "skylake-avx512", 1), ("xlarge", "skylake-avx512", 2), ("2xlarge", "skylake-avx512", 4),
            ("4xlarge", "skylake-avx512", 8), ("9xlarge", "skylake-avx512", 18), ("12xlarge", "cascadelake", 24),
            ("18xlarge", "skylake-avx512", 36), ("24xlarge", "cascadelake", 48),
        )
    },
}  # fmt: skip


def list_tags() -> dict[str, dict[str, Any]]:
    """The short names, each with its options."""
    return dict(_TAGS)


def register_tag(name: str, config: dict[str, Any], override: bool = False) -> Any:
    """Gives a target a short name; one that is taken is an error, unless it is to be replaced."""
    from .target import Target

    if name in _TAGS and not override:
        raise TVMError(f"there is a target `{name}` already")
    made = Target(config)
    _TAGS[name] = dict(config)
    return made


def options_of(name: str) -> dict[str, Any] | None:
    """The options of a short name."""
    return _TAGS.get(name)
