"""Matrix products, convolutions, attention and normalisation in the manner of CUTLASS."""

from __future__ import annotations

from typing import Any

from ....ir.base import structural_equal
from ..patterns import (
    make_attention_pattern,
    make_layer_norm_pattern,
    make_residual_block_pattern,
    make_rms_norm_pattern,
    make_stacked_attention_pattern,
)
from .found import activations, convolutions, is_float_product, partition, products, register

__all__ = ["partition_for_cutlass"]


def _is_residual(context: Any) -> bool:
    """Whether the residual has the shape of what it is combined with: a bias is none."""
    root, residual = (context.annotated_expr.get(name) for name in ("root", "residual"))
    if root is None or residual is None:
        return False
    return structural_equal(root.struct_info.shape, residual.struct_info.shape)


def _with_residuals(made: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The patterns combined with a residual, by a sum or a product and perhaps an activation."""
    found = []
    for operation, sign in (("add", "relax.add"), ("multiply", "relax.multiply")):
        for end, activation in (("", None), ("_relu", "relax.nn.relu")):
            for name, pattern, named, check in made:
                residual = make_residual_block_pattern((pattern, named), sign, activation)
                fits = lambda context, check=check: _is_residual(context) and (check is None or check(context))  # noqa: E731
                found.append((f"{name}_residual_{operation}{end}", *residual, fits))
    return found


_CONVOLUTIONS = convolutions("cutlass", {end: activations[end] for end in ("", "_relu", "_silu")})
_PRODUCTS = products("cutlass", {end: activations[end] for end in ("", "_relu", "_gelu")}, is_float_product)
register(
    [
        *_CONVOLUTIONS,
        *_with_residuals(_CONVOLUTIONS[1:]),
        *_PRODUCTS,
        *_with_residuals(_PRODUCTS),
        ("cutlass.attention", *make_attention_pattern()),
        ("cutlass.attention_bias", *make_attention_pattern(with_bias=True)),
        ("cutlass.attention_var_len", *make_attention_pattern(var_len=True)),
        ("cutlass.stacked_attention", *make_stacked_attention_pattern("split")),
        ("cutlass.stacked_attention", *make_stacked_attention_pattern("split", with_bias=True)),
        ("cutlass.stacked_attention", *make_stacked_attention_pattern("strided_slice")),
        ("cutlass.stacked_attention", *make_stacked_attention_pattern("strided_slice", with_bias=True)),
        ("cutlass.layer_norm", *make_layer_norm_pattern()),
        ("cutlass.rms_norm", *make_rms_norm_pattern()),
    ]
)


def partition_for_cutlass(mod: Any, annotate_codegen: bool = True, use_flash_mqa: bool = True) -> Any:
    """The module with what the patterns match in functions for the code generator `cutlass`."""
    return partition(mod, "cutlass", annotate_codegen=annotate_codegen)
