"""Functions and classes by name."""

from __future__ import annotations

from typing import Any

from ..runtime.packed_func import get_global_func, list_global_func_names, register_func, remove_global_func

__all__ = [
    "get_global_func", "list_global_func_names", "register_func", "register_object", "remove_global_func",
]  # fmt: skip


def register_object(type_key: Any = None) -> Any:
    """Leaves a class as it is: the classes of the IR belong to the core, others need no name."""
    return type_key if isinstance(type_key, type) else lambda cls: cls
