"""What the parts of the tuner share."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from ..error import WrongTypeError
from ..ir import IRModule
from ..tir import PrimFunc

__all__ = ["cpu_count", "derived_object", "normalize_mod"]

_Class = TypeVar("_Class", bound=type)


def derived_object(cls: _Class) -> _Class:
    """A class of one's own below one of the tuner's: it is used as it is."""
    return cls


def cpu_count(logical: bool = True) -> int:
    """The number of the processors that this process may use; `logical` makes no difference."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def normalize_mod(mod: PrimFunc | IRModule) -> IRModule:
    """A module of one function, called `main`, as the database knows it."""
    if isinstance(mod, PrimFunc):
        func = mod if "global_symbol" in mod.attrs else mod.with_attr("global_symbol", "main")
        return IRModule({"main": func.with_attr("tir.noalias", True)})
    if not isinstance(mod, IRModule):
        raise WrongTypeError(f"expected a PrimFunc or an IRModule, found {type(mod).__name__}")
    names = [gv.name_hint for gv in mod.get_global_vars()]
    if len(names) != 1:
        raise ValueError(f"expected a module of one function, found {', '.join(names) or 'none'}")
    return mod if names == ["main"] else IRModule({"main": mod[names[0]]})


def main_of(mod: PrimFunc | IRModule) -> PrimFunc:
    """The one function of a module."""
    func = normalize_mod(mod)["main"]
    if not isinstance(func, PrimFunc):
        raise WrongTypeError(f"expected a module of one PrimFunc, found {type(func).__name__}")
    return func


def as_module(func: Any) -> IRModule:
    """A module whose one function is this one."""
    return IRModule({"main": func})
