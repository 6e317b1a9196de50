"""Passes that choose implementations by target. Here there is one of each operator, so there is nothing to choose."""

from __future__ import annotations

from ..._core import IRModule, Pass

__all__ = ["DispatchSampling", "DispatchSortScan"]


def _unchanged(module: IRModule, _: object) -> IRModule:
    return module


def DispatchSortScan() -> Pass:
    """Leaves modules as they are: `LegalizeOps` has the one implementation of sorting and of scans for every target.

    It is there for pipelines that name it.
    """
    return Pass.from_python(_unchanged, "DispatchSortScan", 0)


def DispatchSampling() -> Pass:
    """Leaves modules as they are: `LegalizeOps` has the one implementation of sampling for every target.

    It is there for pipelines that name it.
    """
    return Pass.from_python(_unchanged, "DispatchSampling", 0)
