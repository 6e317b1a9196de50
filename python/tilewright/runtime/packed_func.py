"""Functions that compiled code finds by name, from Python or from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import PackedFunc, list_global_func_names

__all__ = [
    "PackedFunc", "get_global_func", "list_global_func_names", "register_func", "register_global_func",
    "remove_global_func",
]  # fmt: skip

# Code generators as they are: they are called with functions and options, which no function of a program is.
_CODE_GENERATORS: dict[str, Callable] = {}
_CODE_GENERATOR = "relax.ext."
# Functions of Python by name.
_OF_PYTHON: dict[str, Callable] = {}


def register_func(func_name: str | Callable, f: Callable | None = None, override: bool = False) -> Any:
    """Registers a Python function under a global name: directly, or as a decorator with or without a name.

    A function that compiled code calls gets `NDArray` arguments that share memory with the caller's tensors. A name
    that is taken is an error unless `override` is given.
    """
    if callable(func_name):
        return register_func(func_name.__name__, func_name, override)
    if f is None:
        return lambda f: register_func(func_name, f, override)
    _core.register_func(func_name, f, override)
    _OF_PYTHON[func_name] = f
    if func_name.startswith(_CODE_GENERATOR):
        _CODE_GENERATORS[func_name] = f
    return f


def registered_function(name: str) -> Callable | None:
    """The function of Python that is registered under the name, as it is: what no program of the machine can be given,
    such as a module, is handed on to it unchanged."""
    return _OF_PYTHON.get(name)


# The later name.
register_global_func = register_func


def get_global_func(name: str, allow_missing: bool = False) -> PackedFunc | None:
    """The function registered under that name; an unknown name is an error, or None where it may be missing."""
    return _core.get_global_func(name, allow_missing)


def remove_global_func(name: str) -> None:
    """Forgets the function of that name; compiled code does not find it any more. An unknown name is an error."""
    _core.remove_global_func(name)
    _CODE_GENERATORS.pop(name, None)
    _OF_PYTHON.pop(name, None)


def code_generator(name: str) -> Callable:
    """What is registered for the code generator of that name, as `relax.ext.NAME`."""
    full = _CODE_GENERATOR + name
    return _CODE_GENERATORS.get(full) or get_global_func(full)
