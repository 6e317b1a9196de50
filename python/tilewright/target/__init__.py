"""What is compiled for."""

from . import codegen, kinds, tag
from .codegen import llvm_version_major
from .devices import adreno, cuda, intel_graphics, mali, rocm
from .generic_func import GenericFunc, generic_func, get_native_generic_func, override_native_generic_func
from .tag import list_tags, register_tag
from .target import Target, TargetKind

__all__ = [
    "GenericFunc", "Target", "TargetKind", "adreno", "codegen", "create", "cuda", "generic_func",
    "get_native_generic_func", "intel_graphics", "kinds", "list_tags", "llvm_version_major", "mali",
    "override_native_generic_func", "register_tag", "rocm", "tag",
]  # fmt: skip


def create(target: object) -> Target:
    """The target of a string or a dict, by the name of earlier years."""
    return Target(target)
