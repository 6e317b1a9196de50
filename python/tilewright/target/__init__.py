"""What is compiled for."""

from . import codegen, kinds, tag
from .codegen import llvm_version_major
from .tag import list_tags, register_tag
from .target import Target, TargetKind

__all__ = [
    "Target",
    "TargetKind",
    "codegen",
    "create",
    "kinds",
    "list_tags",
    "llvm_version_major",
    "register_tag",
    "tag",
]


def create(target: object) -> Target:
    """The target of a string or a dict, by the name of earlier years."""
    return Target(target)
