"""Inference of operators: what is known of results, in which form, and which calls are refused.

Each row is a call on tensors by their struct infos; the wanted struct info is written down by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tilewright import relax, tir
from tilewright.relax import ObjectStructInfo, ShapeStructInfo, TensorStructInfo, TupleStructInfo, op

m, n, k, h, w = (tir.Var(name, "int64") for name in "mnkhw")


def tensor(*shape: Any, dtype: str = "float32", **rest: Any) -> TensorStructInfo:
    return TensorStructInfo(shape, dtype, **rest)


def of_rank(ndim: int, dtype: str = "float32") -> TensorStructInfo:
    return TensorStructInfo(dtype=dtype, ndim=ndim)


UNKNOWN = TensorStructInfo(dtype="float32")


def call(function: Any, *infos: Any, **attrs: Any) -> Any:
    return function(*(relax.Var(f"x{i}", info) for i, info in enumerate(infos)), **attrs)


KNOWN = [
    # A window leaves `extent + 1 - taps` positions, or `(extent - taps) // stride + 1`.
    (op.nn.conv2d, [tensor(n, k, h, w), tensor(4, k, m, m)], {}, tensor(n, 4, h + 1 - m, w + 1 - m)),
    (
        op.nn.conv2d,
        [tensor(n, 3, h, w), tensor(4, 3, 3, 3)],
        {"strides": 2},
        tensor(n, 4, (h - 3) // 2 + 1, (w - 3) // 2 + 1),
    ),
    (
        op.nn.conv1d,
        [tensor(n, k, w), tensor(4, k, m)],
        {"padding": 1, "strides": 2, "dilation": 2},
        tensor(n, 4, (w + 3) // 2 + 1 - m),
    ),
    (
        op.nn.max_pool2d,
        [tensor(n, k, h, w)],
        {"pool_size": 3, "strides": 2},
        tensor(n, k, (h - 3) // 2 + 1, (w - 3) // 2 + 1),
    ),
    (op.flatten, [tensor(m, 4, n)], {}, tensor(m * 4 * n)),
    (op.flatten, [of_rank(0)], {}, tensor(1)),
    (op.reshape, [tensor(m, n, 4)], {"shape": (0, -1)}, tensor(m, n * 4)),
    (op.add, [tensor(m, n * 2), tensor(m, 2 * n)], {}, tensor(m, n * 2)),
    # What is known of dimensions and data types.
    (op.sum, [of_rank(3)], {"keepdims": True}, tensor(1, 1, 1)),
    (op.argmax, [of_rank(2)], {"keepdims": True}, tensor(1, 1, dtype="int64")),
    (op.cumsum, [of_rank(3)], {}, of_rank(1)),
    (op.ewise_fma, [UNKNOWN, tensor(2, 3), tensor(2, 3)], {}, tensor(2, 3)),
    (op.quantize, [TensorStructInfo((2, 4), ""), tensor(4), tensor(4, dtype="int8")], {}, TensorStructInfo((2, 4), "")),
    (
        op.nn.attention,
        [tensor(2, 8, 4, 6), TensorStructInfo((2, 16, 4, 6), ""), tensor(2, 16, 4, 7)],
        {},
        tensor(2, 8, 4, 7),
    ),
    # Types of which there are no loops are types all the same.
    (op.mean, [tensor(2, 3, dtype="int8")], {"axis": 1}, tensor(2, dtype="int8")),
    (op.power, [tensor(2, dtype="int32")] * 2, {}, tensor(2, dtype="int32")),
    (op.nn.dropout, [tensor(2, dtype="int64")], {}, TupleStructInfo([tensor(2, dtype="int64")] * 2)),
    (op.sum, [tensor(2, 3)], {"axis": 0, "keepdims": 1}, tensor(1, 3)),
]


@pytest.mark.parametrize(("function", "infos", "attrs", "wanted"), KNOWN)
def test_known(function: Any, infos: list, attrs: dict, wanted: Any) -> None:
    tw.ir.assert_structural_equal(call(function, *infos, **attrs).struct_info, wanted)


NORM = {"axes": [-1]}
REFUSED = [
    (op.add, [tensor(2), ShapeStructInfo((2,))], {}),
    (op.add, [tensor(2), ObjectStructInfo()], {}),
    (op.add, [tensor(2), tensor(2, dtype="float16")], {}),
    (op.exp, [tensor(2, dtype="int32")], {}),
    (op.nn.softmax, [tensor(2, dtype="int8")], {}),
    (op.nn.layer_norm, [tensor(2, 3), tensor(3, dtype=""), tensor(3)], NORM),
    (op.nn.layer_norm, [tensor(2, 3), UNKNOWN, tensor(3)], NORM),
    (op.nn.layer_norm, [tensor(2, 3), tensor(2, 3), tensor(3)], NORM),
    (op.nn.rms_norm, [tensor(2, 3), tensor(3, dtype="float16")], NORM),
    (op.nn.batch_norm, [tensor(2, 3), tensor(3), UNKNOWN, tensor(3), tensor(3)], {"axis": 1}),
    (op.nn.group_norm, [tensor(2, 4, 5), UNKNOWN, tensor(4)], {"num_groups": 2, "channel_axis": 1, "axes": [2]}),
    (op.nn.attention, [UNKNOWN, tensor(2, 16, 4, 6), tensor(2, 16, 4, 7)], {}),
    (op.take, [tensor(2, 3), tensor(2, dtype="int64")], {}),
    (op.ewise_fma, [tensor(2, 3), tensor(3), tensor(2, 3)], {}),
    (
        op.dynamic_strided_slice,
        [tensor(2), of_rank(1, "int64"), tensor(1, dtype="int64"), tensor(1, dtype="int64")],
        {},
    ),
    (op.full_like, [tensor(2, 3), UNKNOWN], {}),
    (op.collapse_sum_like, [tensor(m, n), tensor(k)], {}),
    (op.tensor_to_shape, [TensorStructInfo(dtype="int64")], {}),
    (op.quantize, [UNKNOWN, tensor(1), tensor(1, dtype="int8")], {}),
]


@pytest.mark.parametrize(("function", "infos", "attrs"), REFUSED)
def test_refused(function: Any, infos: list, attrs: dict) -> None:
    with pytest.raises(tw.TVMError):
        call(function, *infos, **attrs)


def test_concatenation_without_an_axis_takes_one_dimension() -> None:
    def joined(*shape: int) -> Any:
        return op.concat([relax.Var("x", tensor(*shape)), relax.Var("y", tensor(*shape))], axis=None)

    tw.ir.assert_structural_equal(joined(3).struct_info, tensor(6))


def test_types_without_loops_are_refused_when_loops_are_made() -> None:
    builder = relax.BlockBuilder()
    x = relax.Var("x", tensor(2, 3, dtype="int32"))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(op.mean(x)))
    with pytest.raises(tw.TVMError, match="takes floats"):
        relax.transform.LegalizeOps()(builder.get())
