"""Passes on the loop level, by the path that some programs import them from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import IRModule, Pass, touched_by_host
from ...target import Target
from ..function import PrimFunc
from .apply_default_schedule import ApplyDefaultSchedule
from .default_gpu_schedule import DefaultGPUSchedule
from .function_pass import prim_func_pass

__all__ = [
    "AnnotateEntryFunc", "Apply", "ApplyDefaultSchedule", "BindTarget", "DefaultGPUSchedule", "Filter",
    "VerifyMemory", "VerifySSA", "prim_func_pass",
]  # fmt: skip


def Apply(ftransform: Callable[[PrimFunc], PrimFunc]) -> Pass:
    """A function of Python, applied to every PrimFunc."""
    return prim_func_pass(lambda function, _module, _context: ftransform(function), 0, "Apply")


def Filter(fcond: Callable[[PrimFunc], bool]) -> Pass:
    """The PrimFuncs for which the condition holds; the others leave the module."""

    def kept(module: IRModule, _context: Any) -> IRModule:
        found = {
            var: function
            for var, function in module.functions_items()
            if not isinstance(function, PrimFunc) or fcond(function)
        }
        return IRModule(found, attrs=module.attrs)

    return Pass.from_python(kept, "tir.Filter", 0)


def AnnotateEntryFunc() -> Pass:
    """The only PrimFunc of a module, or the one called `main`, as its entry: its attribute `tir.is_entry_func`."""

    def annotate(module: IRModule, _context: Any) -> IRModule:
        functions = [(var, function) for var, function in module.functions_items() if isinstance(function, PrimFunc)]
        visible = [(var, function) for var, function in functions if "global_symbol" in function.attrs]
        entry = functions if len(functions) == 1 else visible if len(visible) == 1 else []
        if len(functions) > 1 and not entry:
            entry = [(var, function) for var, function in functions if var.name_hint == "main"]
        module = module.clone()
        for var, function in entry:
            module.update_func(var, function.with_attr("tir.is_entry_func", True))
        return module

    return Pass.from_python(annotate, "tir.AnnotateEntryFunc", 0)


def BindTarget(target: Target | str) -> Any:
    """Every PrimFunc that says no target says this one: its attribute `target`."""
    bound = Target(target)

    def bind(function: PrimFunc, _module: Any, _context: Any) -> PrimFunc:
        return function if "target" in function.attrs else function.with_attr("target", bound)

    return prim_func_pass(bind, opt_level=0, name="BindTarget")


def VerifySSA() -> Pass:
    """Raises where a variable is bound twice."""
    from ..analysis import verify_ssa

    def verify(function: PrimFunc, _module: Any, _context: Any) -> PrimFunc:
        if not verify_ssa(function):
            raise RuntimeError(f"a variable is bound twice: `ConvertSSA` renames them\n{function.script()}")
        return function

    return prim_func_pass(verify, 0, "tir.VerifySSA")


def VerifyMemory() -> Pass:
    """Raises where a function of a device has its memory touched by the host."""
    from ..analysis import verify_memory

    def verify(function: PrimFunc, _module: Any, _context: Any) -> PrimFunc:
        if not verify_memory(function):
            names = ", ".join(f"`{name}`" for name in touched_by_host(function))
            raise RuntimeError(f"memory verification failed: {names} is touched by the host, outside of all threads")
        return function

    return prim_func_pass(verify, 0, "tir.VerifyMemory")
