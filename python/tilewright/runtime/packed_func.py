"""Functions that compiled code finds by name, from Python or from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import PackedFunc, list_global_func_names

__all__ = ["PackedFunc", "get_global_func", "list_global_func_names", "register_func", "remove_global_func"]


def register_func(name: str | Callable, function: Callable | None = None, override: bool = False) -> Any:
    """Registers a Python function under a global name: directly, or as a decorator with or without a name.

    A function that compiled code calls gets `NDArray` arguments that share memory with the caller's tensors. A name
    that is taken is an error unless `override` is given.
    """
    if callable(name):
        return register_func(name.__name__, name, override)
    if function is None:
        return lambda function: register_func(name, function, override)
    _core.register_func(name, function, override)
    return function


def get_global_func(name: str, allow_missing: bool = False) -> PackedFunc | None:
    """The function registered under that name; an unknown name is an error, or None where it may be missing."""
    return _core.get_global_func(name, allow_missing)


def remove_global_func(name: str) -> None:
    """Forgets the function of that name; compiled code does not find it any more. An unknown name is an error."""
    _core.remove_global_func(name)
