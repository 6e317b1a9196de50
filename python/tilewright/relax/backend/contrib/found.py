"""What the lists of patterns have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...struct_info import TensorStructInfo
from ...transform import FuseOpsByPattern
from ..pattern_registry import get_patterns_with_prefix, register_patterns
from ..patterns import make_conv2d_pattern, make_matmul_pattern

__all__ = ["activations", "convolutions", "is_float_product", "partition", "products"]

#: Activations by the end of the name of their pattern.
activations = {"": None, "_relu": "relax.nn.relu", "_gelu": "relax.nn.gelu", "_silu": "relax.nn.silu"}


def _tensors(context: Any, names: Sequence[str]) -> list[TensorStructInfo]:
    found = [context.annotated_expr[name].struct_info for name in names if name in context.annotated_expr]
    return [info for info in found if isinstance(info, TensorStructInfo)]


def is_float_product(context: Any) -> bool:
    """Whether the operands are float tensors of one type and of known rank."""
    operands = _tensors(context, ("lhs", "rhs"))
    kinds = {info.dtype for info in operands}
    ranked = all(info.ndim >= 2 for info in operands)
    return len(operands) == 2 and len(kinds) == 1 and ranked and kinds <= {"float16", "float32", "bfloat16", "float64"}


def products(library: str, ends: Mapping[str, str | None], check: Any = is_float_product) -> list[tuple[Any, ...]]:
    """Patterns of matrix products: with the right side as it is or transposed, with a bias and an activation or not."""
    made = []
    for transposed in (False, True):
        name = f"{library}.matmul_transposed" if transposed else f"{library}.matmul"
        made.append((name, *make_matmul_pattern(transposed_rhs=transposed), check))
        for end, activation in ends.items():
            pattern = make_matmul_pattern(True, activation, transposed)
            made.append((f"{name}_bias{end}", *pattern, check))
    return made


def convolutions(library: str, ends: Mapping[str, str | None]) -> list[tuple[Any, ...]]:
    """Patterns of convolutions, without and with a bias and an activation."""
    made = [(f"{library}.conv2d", *make_conv2d_pattern(), None)]
    for end, activation in ends.items():
        made.append((f"{library}.conv2d_bias{end}", *make_conv2d_pattern(True, activation), None))
    return made


def partition(mod: Any, library: str, **options: Any) -> Any:
    """The module with what the library's patterns match in functions of their own."""
    return FuseOpsByPattern(get_patterns_with_prefix(library), **options)(mod)


register = register_patterns
