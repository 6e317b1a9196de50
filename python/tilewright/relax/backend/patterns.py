"""Patterns of frequent parts of graphs, each with the patterns of its operands by name."""

from __future__ import annotations

from collections.abc import Mapping

from ..dpl.pattern import (
    DFPattern,
    is_const,
    is_op,
    is_tuple_get_item,
    make_fused_bias_activation_pattern,
    wildcard,
)

__all__ = [
    "make_attention_pattern", "make_conv2d_pattern", "make_fused_bias_activation_pattern", "make_layer_norm_pattern",
    "make_matmul_dequantize_pattern", "make_matmul_multiply_pattern", "make_matmul_pattern",
    "make_residual_block_pattern", "make_rms_norm_pattern", "make_stacked_attention_pattern",
]  # fmt: skip


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


def make_conv2d_pattern(
    with_bias: bool = False, activation: str | None = None
) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """A convolution with an optional bias and activation."""
    lhs, rhs = wildcard(), wildcard()
    annotations = {"lhs": lhs, "rhs": rhs, "root": is_op("relax.nn.conv2d")(lhs, rhs)}
    return _with_bias_activation(annotations["root"], annotations, with_bias, activation)


def make_attention_pattern(with_bias: bool = False, var_len: bool = False) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """Attention, with an optional bias or on sequences of several lengths."""
    annotations = {name: wildcard() for name in ("query", "key", "value")}
    operands = list(annotations.values())
    if with_bias:
        annotations["bias"] = wildcard()
        return is_op("relax.nn.attention_bias")(*operands, annotations["bias"]), annotations
    if var_len:
        more = {name: wildcard() for name in ("seqstart_q", "seqstart_k", "max_seqlen_q", "max_seqlen_k")}
        annotations.update(more)
        return is_op("relax.nn.attention_var_len")(*operands, *more.values()), annotations
    return is_op("relax.nn.attention")(*operands), annotations


def make_stacked_attention_pattern(
    start_op: str, with_bias: bool = False, layout: str = "BS3NH"
) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """Attention whose operands are parts of one tensor: by `split` or by `strided_slice`."""
    if start_op not in ("split", "strided_slice"):
        raise NotImplementedError(f"the parts come from split or strided_slice, found {start_op}")
    if layout not in ("BS3NH", "SBN3H"):
        raise NotImplementedError(f"the layout is BS3NH or SBN3H, found {layout}")
    stacked = wildcard()
    annotations, parts = {"stacked_qkv": stacked}, []
    whole = is_op("relax.split")(stacked) if start_op == "split" else None
    for index, name in enumerate(("query", "key", "value")):
        if whole is not None:
            part = is_tuple_get_item(whole, index)
        else:
            part = is_op("relax.strided_slice")(stacked, varg_default_wildcard=True, add_constraint=False)
        annotations[name] = part
        parts.append(is_op("relax.reshape")(part, wildcard()) if layout == "BS3NH" else part)
    if layout == "SBN3H":
        parts = [is_op("relax.permute_dims")(part) for part in parts]
    if with_bias:
        annotations["bias"] = wildcard()
        return is_op("relax.nn.attention_bias")(*parts, annotations["bias"]), annotations
    return is_op("relax.nn.attention")(*parts), annotations


def make_layer_norm_pattern() -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """Layer normalisation."""
    return is_op("relax.nn.layer_norm")(wildcard(), wildcard(), wildcard()), {}


def make_rms_norm_pattern() -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """Normalisation by the root of the mean square."""
    data, weight = wildcard(), wildcard()
    return is_op("relax.nn.rms_norm")(data, weight), {"data": data, "weight": weight}


def make_matmul_dequantize_pattern(transposed_rhs: bool = False) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """A matrix product of integers whose result is dequantised."""
    lhs, rhs = wildcard(), wildcard()
    annotations = {"lhs": lhs, "rhs": rhs}
    rhs = is_op("relax.permute_dims")(rhs) if transposed_rhs else rhs
    annotations["root"] = is_op("relax.matmul")(lhs, rhs)
    scale, zero = is_const(), is_const()
    annotations.update(scale=scale, zp=zero)
    return is_op("relax.dequantize")(annotations["root"], scale, zero), annotations


def make_matmul_multiply_pattern(transposed_rhs: bool = False) -> tuple[DFPattern, Mapping[str, DFPattern]]:
    """A matrix product of scaled operands: multiplied by a scale, and brought to another type."""
    lhs, rhs, scale_a, scale_b = (wildcard() for _ in range(4))
    annotations = {"lhs": lhs, "rhs": rhs, "scaleA": scale_a, "scaleB": scale_b}
    rhs = is_op("relax.permute_dims")(rhs) if transposed_rhs else rhs
    annotations["root"] = is_op("relax.matmul")(lhs, rhs)
    scale = is_op("relax.multiply")(scale_a.has_shape([1]), scale_b.has_shape([1]))
    return is_op("relax.astype")(is_op("relax.multiply")(annotations["root"], scale)), annotations
