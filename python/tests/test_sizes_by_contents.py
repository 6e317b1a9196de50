"""Operators whose results only a run knows the size of, and what programs ask of a tensor beside its elements."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, tir
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


def machine(module):
    return relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())


@I.ir_module
class Chosen:
    @R.function
    def distinct(x: R.Tensor((6,), "int32")):
        m = T.int64()
        found = R.unique(x)
        named = R.match_cast(found, R.Tensor((m,), "int32"))
        return R.add(named, named)

    @R.function
    def counted(x: R.Tensor(("n",), "float32")):
        found = R.unique(x, sorted=True, return_counts=True)
        return found[1]

    @R.function
    def places(x: R.Tensor((2, 3), "float32")):
        k = T.int64()
        found = R.match_cast(R.nonzero(x), R.Tensor((2, k), "int64"))
        return R.sum(found, axis=[1])

    @R.function
    def part(
        x: R.Tensor((7,), "float32"),
        b: R.Tensor((1,), "int64"),
        e: R.Tensor((1,), "int64"),
        s: R.Tensor((1,), "int64"),
    ):
        k = T.int64()
        y = R.match_cast(R.dynamic_strided_slice(x, b, e, s), R.Tensor((k,), "float32"))
        return R.negative(y)

    @R.function
    def three(x: R.Tensor((6,), "int32")):
        found = R.match_cast(R.unique(x), R.Tensor((3,), "int32"))
        return found


def test_a_size_that_only_a_run_knows_gets_a_name():
    vm = machine(Chosen)
    assert vm["distinct"](np.int32([3, 1, 3, 2, 2, 9])).numpy().tolist() == [2, 4, 6, 18]
    assert vm["counted"](np.float32([1, np.nan, 1, np.nan])).numpy().tolist() == [2, 2]
    assert vm["places"](np.float32([[0, 5, 0], [7, 0, 1]])).numpy().tolist() == [2, 3]
    bounds = (np.int64([v]) for v in (-1, -100, -3))
    assert vm["part"](np.arange(7, dtype="float32"), *bounds).numpy().tolist() == [-6, -3, 0]
    with pytest.raises(tw.TVMError, match=r"4.*expected 3"):
        vm["three"](np.int32([3, 1, 3, 2, 2, 9]))
    with pytest.raises(tw.TVMError, match="cannot step by 0"):
        vm["part"](np.arange(7, dtype="float32"), *(np.int64([0]) for _ in range(3)))


@pytest.mark.parametrize("k", [2, 40])
def test_too_few_elements_end_the_run(k):
    n, builder = tir.Var("n", "int64"), relax.BlockBuilder()
    x = relax.Var("x", relax.TensorStructInfo((3, n), "float32"))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.op.topk(x, k)))
    vm = machine(builder.finalize())
    assert vm["main"](np.zeros((3, k), "float32"))[1].numpy().tolist() == [list(range(k))] * 3
    with pytest.raises(tw.TVMError, match=f"dimension 0 is {k}, but n is {k - 1} by argument 0"):
        vm["main"](np.zeros((3, k - 1), "float32"))


def test_the_text_of_such_a_module_reads_back():
    assert tw.ir.structural_equal(tw.script.from_source(Chosen.script(show_meta=True)), Chosen)


@I.ir_module
class Asked:
    @R.function
    def known(x: R.Tensor((2, 5), "float16")):
        return (
            R.inspect.tensor_shape_i(x, 1),
            R.inspect.tensor_stride_i(x, 0),
            R.inspect.tensor_ndim(x),
            R.inspect.tensor_dtype_code(x),
            R.inspect.tensor_dtype_bits(x),
            R.inspect.tensor_dtype_lanes(x),
            R.inspect.tensor_byte_offset(x),
            R.inspect.tensor_elem_offset(x),
        )

    @R.function
    def unknown(x: R.Tensor):
        return (
            R.inspect.tensor_shape_i(x, 1),
            R.inspect.tensor_stride_i(x, 0),
            R.inspect.tensor_ndim(x),
            R.inspect.tensor_dtype_code(x),
            R.inspect.tensor_dtype_bits(x),
            R.inspect.tensor_dtype_lanes(x),
            R.inspect.tensor_byte_offset(x),
            R.inspect.tensor_elem_offset(x),
        )


def test_a_program_reads_the_metadata_of_a_tensor():
    vm, x = machine(Asked), np.zeros((2, 5), "float16")
    for name in ("known", "unknown"):
        assert [int(v) for v in vm[name](x)] == [5, 5, 2, 2, 16, 1, 0, 0], name
    assert [int(v) for v in vm["unknown"](np.zeros((3, 1, 4), "uint8"))] == [1, 4, 3, 1, 8, 1, 0, 0]
    with pytest.raises(tw.TVMError, match="has no dimension 1"):
        vm["unknown"](np.zeros(3, "float32"))


def test_known_metadata_is_known_of_the_result():
    fields = Asked["known"].ret_struct_info.fields
    assert [int(f.value) for f in fields] == [5, 5, 2, 2, 16, 1, 0, 0]
    assert [f.dtype for f in fields] == ["int64", "int64", "int32", "uint8", "uint8", "uint16", "uint64", "uint64"]
    assert all(f.value is None for f in Asked["unknown"].ret_struct_info.fields[:6])


x = relax.Var("x", relax.TensorStructInfo((3, 5), "float32"))
v = relax.Var("v", relax.TensorStructInfo((5,), "float32"))
i = relax.Var("i", relax.TensorStructInfo((3,), "int64"))
scalar = relax.Var("s", relax.TensorStructInfo((), "float32"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda op: op.sort(x, axis=2), "no dimension 2"),
        (lambda op: op.sort(scalar), "0 dimensions has no dimension -1"),
        (lambda op: op.argsort(x, dtype="float32"), "integers, not float32"),
        (lambda op: op.topk(x, k=6), "cannot give 6 elements of a dimension of 5"),
        (lambda op: op.topk(x, ret_type="all"), "not `all`"),
        (lambda op: op.einsum([x, v], "ij,j->ik"), "at character 8: no operand has `k`"),
        (lambda op: op.einsum([x, v], "ij,1->i"), "at character 4: expected a letter, `...`, `,` or `->`, found `1`"),
        (lambda op: op.einsum([x], "ij,j->i"), "names 2 operands, found 1"),
        (lambda op: op.einsum([x, v], "ijk,j->i"), "at character 1: 3 letters for operand 0, which has 2 dimensions"),
        (lambda op: op.einsum([x, v], "ij,i->j"), "`i` of .* stands for dimensions of 3 and of 5"),
        (lambda op: op.einsum([x], "ij->ii"), "at character 6: `i` occurs twice in the result"),
        (lambda op: op.unique(x, axis=2), "no dimension 2"),
        (lambda op: op.dynamic_strided_slice(x, i, i, i), "`begin` has 3 bounds for 2 dimensions"),
        (lambda op: op.dynamic_strided_slice(x, x, i, i), "`begin` as an int64 tensor of 1 dimension"),
        (lambda op: op.index_tensor(x, [i, i, i]), "3 tensors of indices for 2 dimensions"),
        (lambda op: op.index_tensor(x, [v]), "takes integers as indices, found float32"),
        (lambda op: op.index_put(x, [i], i), "one data type, found float32 and int64"),
        (lambda op: op.index_put(v, [i], v), "values of shape .5,. do not broadcast to the indexed elements .3,."),
        (lambda op: op.bucketize(v, x), "boundaries in 1 dimension, found 2"),
        (lambda op: op.inspect.tensor_shape_i(x, 2), "no dimension 2"),
        (lambda op: op.inspect.tensor_shape_i(x, -1), "from the start, found -1"),
        (lambda op: op.nn.nll_loss(x, i, reduction="most"), "not `most`"),
        (lambda op: op.nn.nll_loss(x, v), "takes integers"),
        (lambda op: op.nn.nll_loss(x, i, scalar), "weights of 1 dimension, found 0"),
        (lambda op: op.nn.attention(x, x, x), "found 2 dimensions"),
    ],
)
def test_a_wrong_call_names_the_problem(call, message):
    with pytest.raises((tw.TVMError, TypeError), match=message):
        call(relax.op)
