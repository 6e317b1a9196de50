"""Modules of attention, for tests of patterns and fusion."""

from __future__ import annotations

from typing import Any

from ...ir.module import IRModule
from .. import op as R
from ..block_builder import BlockBuilder
from ..expr import Expr, ShapeExpr, Var
from ..struct_info import TensorStructInfo

__all__ = ["get_relax_attention_module", "get_relax_stacked_attention_module"]


def get_relax_attention_module(
    q_shape: Any,
    k_shape: Any,
    v_shape: Any,
    *,
    dtype: str,
    bias_shape: Any | None = None,
    qk_scale: float | None = None,
    causal_mask: str | None = None,
    window_size: int | None = None,
) -> IRModule:
    """`nn.attention` of three tensors, with a bias where a shape of one is given."""
    params = [
        Var(name, TensorStructInfo(shape, dtype))
        for name, shape in zip("qkv", (q_shape, k_shape, v_shape), strict=True)
    ]
    if bias_shape is not None:
        params.append(Var("bias", TensorStructInfo(bias_shape, dtype)))
    builder = BlockBuilder()
    with builder.function("main", params):
        with builder.dataflow():
            attend = R.nn.attention if bias_shape is None else R.nn.attention_bias
            attended = attend(*params, scale=qk_scale, causal_mask=causal_mask, window_size=window_size)
            output = builder.emit_output(attended)
        builder.emit_func_output(output)
    return builder.finalize()


def get_relax_stacked_attention_module(
    qkv: Any,
    b: int,
    s: int,
    n: int,
    h: int,
    h_v: int,
    op: str,
    bias: Any | None = None,
    qk_scale: float | None = None,
    single_shape: bool = False,
    layout: str = "BS3NH",
    causal_mask: str | None = None,
) -> IRModule:
    """`nn.attention` of parts of one tensor `(b, s, (n * h) * 2 + n * h_v)`, cut by `op`: `split` or `strided_slice`.

    `qkv` and `bias` are arrays or anything with a shape and a data type. With `single_shape` the queries' shape stands
    for all three. `layout` says where batch, sequence, the three parts, heads and widths lie; `BS3NH` is the only one.
    """
    if layout != "BS3NH":
        raise ValueError(f"the layout is `BS3NH`, found {layout!r}")
    dtype = str(qkv.dtype)
    params = [Var("qkv", TensorStructInfo(qkv.shape, dtype))]
    if bias is not None:
        params.append(Var("bias", TensorStructInfo(bias.shape, dtype)))
    ends = [n * h, n * h * 2, n * h * 2 + n * h_v]
    shapes = [ShapeExpr((b, s, n, width)) for width in (h, h, h_v)]
    if single_shape:
        shapes = [shapes[0]] * 3
    builder = BlockBuilder()
    with builder.function("main", params):
        with builder.dataflow():
            parts: list[Expr]
            if op == "split":
                cut = builder.emit(R.split(params[0], ends[:-1], axis=2))
                parts = [builder.emit(cut[index]) for index in range(3)]
            elif op == "strided_slice":
                starts = [0, *ends]
                parts = [
                    builder.emit(R.strided_slice(params[0], [2], [starts[index]], [ends[index]], [1]))
                    for index in range(3)
                ]
            else:
                raise ValueError(f"op is `split` or `strided_slice`, found {op!r}")
            operands = [builder.emit(R.reshape(part, shape)) for part, shape in zip(parts, shapes, strict=True)]
            attend = R.nn.attention if bias is None else R.nn.attention_bias
            output = builder.emit_output(attend(*operands, *params[1:], scale=qk_scale, causal_mask=causal_mask))
        builder.emit_func_output(output)
    return builder.finalize()
