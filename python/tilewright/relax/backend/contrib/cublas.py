"""Matrix products in the manner of cuBLAS."""

from __future__ import annotations

from typing import Any

from .found import activations, partition, products, register

__all__ = ["partition_for_cublas"]

register(products("cublas", {end: activations[end] for end in ("", "_relu", "_gelu")}))


def partition_for_cublas(mod: Any, bind_constants: bool = False) -> Any:
    """The module with matrix products in functions for the code generator `cublas`."""
    return partition(mod, "cublas", bind_constants=bind_constants, annotate_codegen=True)
