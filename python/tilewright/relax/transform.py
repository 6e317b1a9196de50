"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module."""

from __future__ import annotations

from typing import Any

from .._core import Pass, bind_params, by_name

__all__ = [
    "BindParams",
    "CallTIRRewrite",
    "DeadCodeElimination",
    "LegalizeOps",
    "StaticPlanBlockMemory",
    "ToNonDataflow",
]


def BindParams(func_name: str, params: dict[str, Any]) -> Pass:
    """Turns parameters of a function, by name, into constants: tensors, or anything with `__dlpack__`."""
    return bind_params(func_name, params)


def LegalizeOps() -> Pass:
    """Operators become calls of PrimFuncs."""
    return by_name("LegalizeOps")


def DeadCodeElimination() -> Pass:
    """Drops bindings and functions that nothing uses."""
    return by_name("DeadCodeElimination")


def ToNonDataflow() -> Pass:
    """Dataflow blocks become ordinary ones."""
    return by_name("ToNonDataflow")


def CallTIRRewrite() -> Pass:
    """Calls in destination-passing style allocate their results and hand them over."""
    return by_name("CallTIRRewrite")


def StaticPlanBlockMemory() -> Pass:
    """Tensors whose lifetimes do not meet share memory."""
    return by_name("StaticPlanBlockMemory")
