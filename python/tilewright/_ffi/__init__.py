"""Functions by name and the like, by the paths of 2024."""

from . import base, registry, runtime_ctypes
from .registry import (
    _init_api,
    get_global_func,
    list_global_func_names,
    register_func,
    register_object,
    remove_global_func,
)

__all__ = [
    "_init_api", "base", "get_global_func", "list_global_func_names", "register_func", "register_object", "registry",
    "remove_global_func", "runtime_ctypes",
]  # fmt: skip
