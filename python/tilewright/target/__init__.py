"""What is compiled for."""

from . import codegen, kinds, tag
from .codegen import llvm_version_major
from .generic_func import GenericFunc, generic_func, get_native_generic_func, override_native_generic_func
from .tag import list_tags, register_tag
from .target import Target, TargetKind

__all__ = [
    "GenericFunc", "Target", "TargetKind", "codegen", "create", "generic_func", "get_native_generic_func", "kinds",
    "list_tags", "llvm_version_major", "override_native_generic_func", "register_tag", "tag",
]  # fmt: skip


def create(target: object) -> Target:
    """The target of a string or a dict, by the name of earlier years."""
    return Target(target)
