"""Shapes: what rearranges elements, picks them or makes them."""

from __future__ import annotations

from .formula import functions

_NAMES = {
    "concatenate": "concat",
    "transpose": "permute_dims",
} | {
    name: name
    for name in (
        "arange", "argsort", "broadcast_to", "collapse_sum", "expand_dims", "eye", "flip", "full", "full_like",
        "gather_elements", "gather_nd", "layout_transform", "meshgrid", "one_hot", "ones", "ones_like", "repeat",
        "reshape", "scatter_elements", "scatter_nd", "sort", "split", "squeeze", "stack", "strided_slice", "take",
        "tile", "topk", "tril", "triu", "where", "zeros", "zeros_like",
    )
}  # fmt: skip

globals().update(functions(_NAMES))

__all__ = sorted(name for name in _NAMES if name in globals())
