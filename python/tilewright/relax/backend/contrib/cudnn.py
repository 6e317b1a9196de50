"""Convolutions and attention in the manner of cuDNN."""

from __future__ import annotations

from typing import Any

from ..patterns import make_stacked_attention_pattern
from .found import activations, convolutions, partition, register

__all__ = ["partition_for_cudnn"]

register(
    [
        *convolutions("cudnn", {end: activations[end] for end in ("", "_relu")}),
        *(
            (f"cudnn.attention.{layout}3H" if layout == "SBN" else f"cudnn.attention.{layout}",
             *make_stacked_attention_pattern("split", layout=full))
            for layout, full in (("BS3NH", "BS3NH"), ("SBN", "SBN3H"))
        ),
    ]
)  # fmt: skip


def partition_for_cudnn(mod: Any) -> Any:
    """The module with convolutions and attention in functions for the code generator `cudnn`."""
    return partition(mod, "cudnn", annotate_codegen=True)
