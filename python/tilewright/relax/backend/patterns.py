"""Patterns of frequent parts of graphs, each with the patterns of its operands by name."""

from __future__ import annotations

from collections.abc import Mapping

from ..dpl.pattern import DFPattern, is_op, wildcard

__all__ = ["make_matmul_pattern", "make_residual_block_pattern"]


def _with_bias_activation(
    out: DFPattern, annotations: dict[str, DFPattern], with_bias: bool, activation: str | None
) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    if with_bias:
        annotations["bias"] = wildcard()
        out = is_op("relax.add")(out, annotations["bias"])
    return (is_op(activation)(out) if activation else out), annotations


def make_matmul_pattern(
    with_bias: bool = False, activation: str | None = None, transposed_rhs: bool = False
) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """A matrix product, its right side perhaps transposed, with an optional bias and activation."""
    lhs, rhs = wildcard(), wildcard()
    annotations = {"lhs": lhs, "rhs": rhs}
    if transposed_rhs:
        rhs = is_op("relax.permute_dims")(rhs)
    annotations["root"] = is_op("relax.matmul")(lhs, rhs)
    return _with_bias_activation(annotations["root"], annotations, with_bias, activation)


def make_residual_block_pattern(
    node_output: DFPattern | tuple[DFPattern, Mapping[str, DFPattern]],
    binary_op: str = "relax.add",
    activation: str | None = None,
) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """Something combined with a residual, on either side, with an optional activation."""
    node_output, named = node_output if isinstance(node_output, tuple) else (node_output, {})
    residual = wildcard()
    op = is_op(binary_op)
    output = op(node_output, residual) | op(residual, node_output)
    return (is_op(activation)(output) if activation else output), {**named, "residual": residual}
