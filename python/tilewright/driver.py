"""Compiling one function or a module of functions."""

from __future__ import annotations

from typing import Any

from . import _core
from .ir import IRModule
from .relax import Executable, Function
from .relax.vm_build import build as build_graph
from .target import Target
from .tir import PrimFunc


def build(
    mod: PrimFunc | Function | IRModule,
    target: str | dict[str, Any] | Target | None = None,
    pipeline: str | None = "default",
) -> Executable:
    """Compiles a module, or a single function, for `target` (this machine's processor where none is given).

    The result's functions are called by name, `ex["main"](a, b, out)`; when it holds a single PrimFunc, the result
    itself can be called. Loops are lowered in one way only, the `default` pipeline.
    """
    return build_graph(mod, target, tir_pipeline=pipeline)


def compile(
    mod: PrimFunc | Function | IRModule,
    target: str | dict[str, Any] | Target | None = None,
    *,
    relax_pipeline: str | _core.Pass | None = "default",
    tir_pipeline: str | None = "default",
) -> Executable:
    """The same of a module of both levels: `relax_pipeline` is as that of `relax.build`."""
    return build_graph(mod, target, relax_pipeline=relax_pipeline, tir_pipeline=tir_pipeline)
