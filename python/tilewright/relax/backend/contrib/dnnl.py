"""Convolutions and matrix products in the manner of oneDNN."""

from __future__ import annotations

from typing import Any

from ..patterns import make_fused_bias_activation_pattern
from .found import partition, register

__all__ = ["partition_for_dnnl"]

_OF_OPS = (("conv2d", "relax.nn.conv2d"), ("matmul", "relax.matmul"))
register(
    [
        *((f"dnnl.{name}", make_fused_bias_activation_pattern(op)) for name, op in _OF_OPS),
        *((f"dnnl.{name}_bias", make_fused_bias_activation_pattern(op, True)) for name, op in _OF_OPS),
        *(
            (f"dnnl.{name}_relu", make_fused_bias_activation_pattern(op, False, "relax.nn.relu"))
            for name, op in _OF_OPS
        ),
        *(
            (f"dnnl.{name}_bias_relu", make_fused_bias_activation_pattern(op, True, "relax.nn.relu"))
            for name, op in _OF_OPS
        ),
    ]
)


def partition_for_dnnl(mod: Any) -> Any:
    """The module with convolutions and matrix products in functions for the code generator `dnnl`."""
    return partition(mod, "dnnl", bind_constants=True, annotate_codegen=True)
