"""Modules of one matrix product, for tests of patterns and fusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.module import IRModule
from ...ir.op import Op
from ..block_builder import BlockBuilder
from ..expr import Call, Var
from ..struct_info import TensorStructInfo

__all__ = ["get_relax_matmul_module"]


def get_relax_matmul_module(
    x_shape: Sequence[Any],
    y_shape: Sequence[Any],
    in_dtype: str,
    out_dtype: str | None = None,
    transposed_y: bool = False,
    bias_shape: Sequence[Any] | None = None,
    activation: Any = None,
    residual_bin_op: Any = None,
    residual_activation: Any = None,
) -> IRModule:
    """A product `x @ y`, `y` perhaps transposed, with an epilogue on request."""
    out_dtype = out_dtype or in_dtype
    x, y = Var("x", TensorStructInfo(x_shape, in_dtype)), Var("y", TensorStructInfo(y_shape, in_dtype))
    bias = None if bias_shape is None else Var("bias", TensorStructInfo(bias_shape, out_dtype))
    builder = BlockBuilder()
    with builder.function("main", [var for var in (x, y, bias) if var is not None]):
        with builder.dataflow():
            right = y
            if transposed_y:
                axes = [*range(len(y_shape) - 2), len(y_shape) - 1, len(y_shape) - 2]
                right = builder.emit(Call(Op.get("relax.permute_dims"), [y], {"axes": axes}))
            result = builder.emit(Call(Op.get("relax.matmul"), [x, right], {"out_dtype": out_dtype}))
            if bias is not None:
                result = builder.emit(result + bias)
            if activation is not None:
                result = builder.emit(activation(result))
            if residual_bin_op is not None:
                result = builder.emit(residual_bin_op(result, x))
                if residual_activation is not None:
                    result = builder.emit(residual_activation(result))
            output = builder.emit_output(result)
        builder.emit_func_output(output)
    return builder.finalize()
