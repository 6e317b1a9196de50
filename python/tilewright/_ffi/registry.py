"""Functions and classes by name."""

from __future__ import annotations

import sys
from typing import Any

from ..runtime.packed_func import get_global_func, list_global_func_names, register_func, remove_global_func

__all__ = [
    "_init_api", "get_global_func", "list_global_func_names", "register_func", "register_object", "remove_global_func",
]  # fmt: skip


def register_object(type_key: Any = None) -> Any:
    """Leaves a class as it is: the classes of the IR belong to the core, others need no name."""
    return type_key if isinstance(type_key, type) else lambda cls: cls


def _init_api(namespace: str, target_module_name: str | None = None) -> None:
    """Makes the registered functions `namespace.NAME` functions `NAME` of a module, by default of `namespace`."""
    prefix = namespace.removeprefix("tvm.")
    module = sys.modules[target_module_name or namespace]
    for name in list_global_func_names():
        own = name.removeprefix(f"{prefix}.")
        if own != name and "." not in own:
            setattr(module, own, get_global_func(name))
