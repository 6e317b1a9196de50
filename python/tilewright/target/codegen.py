"""What makes machine code."""

__all__ = ["llvm_version_major"]


def llvm_version_major(allow_none: bool = False) -> int:
    """The version of LLVM that is linked in."""
    return 22
