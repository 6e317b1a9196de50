"""What makes machine code."""

from __future__ import annotations

from typing import Any

__all__ = [
    "llvm_cpu_has_features", "llvm_get_cpu_archlist", "llvm_get_cpu_features", "llvm_get_targets",
    "llvm_get_vector_width", "llvm_version_major", "target_has_features",
]  # fmt: skip


def llvm_version_major(allow_none: bool = False) -> int:
    """The version of LLVM that is linked in."""
    return 22


def llvm_get_targets() -> list[str]:
    """LLVM's names of the architectures for which code is made."""
    return ["aarch64", "x86-64"]


def llvm_get_vector_width(target: Any = None) -> int:
    """The bits of a vector register of the target, of the one in scope, or of this machine."""
    return _chosen(target).attrs["vector-width"]


def llvm_get_cpu_archlist(target: Any = None) -> list[str]:
    """LLVM's names of the processors that are described, of the target's architecture."""
    arm = _chosen(target).mtriple.startswith(("aarch64", "arm"))
    return [name for name, is_arm in _DESCRIBED.items() if is_arm == arm]


def llvm_get_cpu_features(target: Any = None) -> list[str]:
    """The features of the target's processor, by LLVM's names."""
    return list(_chosen(target).features)


def llvm_cpu_has_features(cpu_features: Any, target: Any = None) -> bool:
    """Whether the target's processor has all of these features."""
    wanted = [cpu_features] if isinstance(cpu_features, str) else list(cpu_features)
    return all(name in _chosen(target).features for name in wanted)


def target_has_features(cpu_features: Any, target: Any = None) -> bool:
    """The same."""
    return llvm_cpu_has_features(cpu_features, target)


def _chosen(target: Any) -> Any:
    from .target import Target

    return Target.choose(target)


#: The processors that are described, and whether they are ones of ARM.
_DESCRIBED = {
    **dict.fromkeys(
        ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "haswell", "broadwell", "skylake", "skylake-avx512",
         "cascadelake", "cooperlake", "icelake-server", "sapphirerapids", "alderlake", "znver1", "znver2", "znver3",
         "znver4", "znver5"), False
    ),
    **dict.fromkeys(
        ("generic", "cortex-a72", "cortex-a76", "neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2", "apple-m1",
         "apple-m2"), True
    ),
}  # fmt: skip
