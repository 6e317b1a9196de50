"""Matrix products in the manner of hipBLAS."""

from __future__ import annotations

from typing import Any

from .found import activations, partition, products, register

__all__ = ["partition_for_hipblas"]

register(products("hipblas", {end: activations[end] for end in ("", "_relu", "_gelu")}))


def partition_for_hipblas(mod: Any, bind_constants: bool = False) -> Any:
    """The module with matrix products in functions for the code generator `hipblas`."""
    return partition(mod, "hipblas", bind_constants=bind_constants, annotate_codegen=True)
