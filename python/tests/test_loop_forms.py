"""The loops that operators become: names of functions and blocks, and the parameters that they take."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax
from tilewright.relax import TensorStructInfo, op


def legal(function: Any, *shapes: tuple[int, ...], dtype: str = "float32", **attrs: Any) -> Any:
    builder = relax.BlockBuilder()
    params = [relax.Var("xyz"[i], TensorStructInfo(shape, dtype)) for i, shape in enumerate(shapes)]
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(function(*params, **attrs)))
    return relax.transform.LegalizeOps()(builder.get())


def names(module: Any) -> tuple[str, list[str]]:
    """The name of the module's loops, and those of their blocks."""
    [name] = [var.name_hint for var in module.get_global_vars() if var.name_hint != "main"]
    blocks = re.findall(r'T\.block\("(\w+)"\)', module[name].script())
    return name, [block for block in blocks if block != "root"]


FORMS = [
    (op.exp, [(2, 3)], {}, "tir_exp", ["compute"]),
    (op.erf, [(2, 3)], {}, "erf", ["compute"]),
    (op.sign, [(2, 3)], {}, "tir_sign", ["T_sign"]),
    (op.square, [(2, 3)], {}, "tir_square", ["T_multiply"]),
    (op.nn.relu, [(2, 3)], {}, "relu", ["compute"]),
    (op.nn.leakyrelu, [(2, 3)], {}, "leaky_relu", ["compute"]),
    (lambda x: op.astype(x, "float16"), [(2, 3)], {}, "cast", ["compute"]),
    (op.add, [(2, 3), (3,)], {}, "add", ["T_add"]),
    (op.greater, [(2, 3), (3,)], {}, "greater", ["T_greater"]),
    (op.sum, [(2, 3)], {"axis": 1}, "sum", ["x_red"]),
    (op.mean, [(2, 3)], {"axis": 1}, "mean", ["x_red", "T_divide"]),
    (op.permute_dims, [(2, 3)], {}, "transpose", ["T_transpose"]),
    (op.flatten, [(2, 3)], {}, "reshape", ["T_reshape"]),
    (op.expand_dims, [(2, 3)], {"axis": 1}, "expand_dims", ["expand_dims"]),
    (op.flip, [(2, 3)], {"axis": 0}, "flip", ["T_reverse_sequence"]),
    (op.split, [(2, 6)], {"indices_or_sections": [2, 3], "axis": 1}, "split", ["T_split", "T_split_1", "T_split_2"]),
    (op.split, [(2, 6)], {"indices_or_sections": 2, "axis": 1}, "split", ["T_split_sections", "T_split_sections_1"]),
    (op.collapse_sum_to, [(2, 3)], {"shape": (1, 3)}, "collapse_sum", ["x_red"]),
    (op.ones_like, [(2, 3)], {}, "ones", ["T_full"]),
    (op.tril, [(3, 3)], {}, "tril", ["trilu"]),
    (op.nn.pad, [(2, 3)], {"pad_width": [0, 0, 1, 1]}, "pad", ["PadInput"]),
    (op.nn.conv2d, [(1, 3, 8, 8), (4, 3, 3, 3)], {}, "conv2d", ["pad_temp", "conv2d_nchw"]),
    (
        op.nn.adaptive_avg_pool2d,
        [(1, 3, 8, 8)],
        {"output_size": 1},
        "adaptive_avg_pool2d",
        ["adaptive_pool_sum", "adaptive_pool_avg"],
    ),
]


@pytest.mark.parametrize(("function", "shapes", "attrs", "name", "blocks"), FORMS)
def test_names(function: Any, shapes: list, attrs: dict, name: str, blocks: list[str]) -> None:
    assert names(legal(function, *shapes, **attrs)) == (name, blocks)


@pytest.mark.parametrize("first", [False, True])
def test_a_constant_operand_is_a_number_of_the_loops(first: bool) -> None:
    def scaled(x: relax.Expr) -> relax.Expr:
        half = relax.const(0.5, "float32")
        return op.multiply(half, x) if first else op.multiply(x, half)

    module = legal(scaled, (2, 3))
    assert len(module["multiply"].params) == 2
    assert "T.float32(0.5)" in module["multiply"].script()
    x = np.arange(6, dtype="float32").reshape(2, 3)
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    np.testing.assert_array_equal(machine["main"](tw.nd.array(x)).numpy(), x / 2)


@pytest.mark.parametrize("function", [op.ones_like, op.zeros_like])
def test_a_tensor_that_gives_its_shape_alone_is_no_parameter(function: Any) -> None:
    module = legal(function, (2, 3))
    [name] = [var.name_hint for var in module.get_global_vars() if var.name_hint != "main"]
    assert len(module[name].params) == 1
