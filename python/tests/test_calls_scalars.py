"""Scalars and shapes as arguments, as NumPy and Python have them."""

import numpy as np
import pytest

import tilewright
from tilewright import relax, te, tir
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@T.prim_func
def scale(A: T.Buffer((4,), "float32"), factor: T.int32, B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi] * T.Cast("float32", factor)


@pytest.mark.parametrize("factor", [-3, np.int64(-3), np.int8(-3)])
def test_numbers_of_numpy_are_numbers(factor):
    a, b = tilewright.nd.array(np.float32([1, -2, 0, 4])), tilewright.nd.array(np.zeros(4, "float32"))
    tilewright.build(scale, target="llvm")(a, factor, b)
    np.testing.assert_array_equal(b.numpy(), np.float32([-3, 6, 0, -12]))


def test_a_tuple_of_integers_is_a_shape():
    @I.ir_module
    class Module:
        @R.function
        def main(s: R.Shape(["n", "m"]), x: R.Tensor(("n", "m"), "float32")):
            return x

    main = relax.VirtualMachine(relax.build(Module, target="llvm"), tilewright.cpu())["main"]
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(main((2, 3), x).numpy(), x)
    with pytest.raises(tilewright.TVMError, match="dimension"):
        main((3, 2), x)


BYTE, WORD = tir.Var("b", "int8"), tir.Var("u", "uint32")
HALF, DOUBLE, TRUTH = tir.Var("h", "float16"), tir.Var("d", "float64"), tir.Var("c", "bool")


@pytest.mark.parametrize(
    "make",
    [
        lambda: WORD > -1,
        lambda: -1 + WORD,
        lambda: te.max(WORD, -1),
        lambda: tir.EQ(WORD, -1),
        lambda: tir.Select(TRUTH, -1, WORD),
        lambda: tir.if_then_else(TRUTH, -1, WORD),
        lambda: tir.Var("w", "uint64") > -1,
        lambda: tir.Var("v", "uint32x4") > -1,
        lambda: BYTE & 255,
        lambda: BYTE << 200,
        lambda: TRUTH & 2,
        lambda: tir.Var("i", "int32") & 2**40,
        lambda: HALF > 70000,
        lambda: tir.Var("f", "float32") > 1e40,
        lambda: tir.const(-1, "uint64"),
        lambda: tir.const(70000, "float16"),
        lambda: tir.const(-5, "bool"),
    ],
)
def test_a_number_that_the_type_does_not_hold_is_refused(make):
    with pytest.raises(tilewright.TVMError, match="is out of the range of"):
        make()


def test_a_number_as_other_operand_keeps_its_value():
    assert (WORD > 2**32 - 1).b.value == 2**32 - 1
    assert (tir.Var("i", "int32") ^ 0xDEADBEEF).args[1].value == 0xDEADBEEF - 2**32
    assert (BYTE | -1).args[1].value == -1
    assert (tir.Var("k", "uint8") > -1).b.value == -1
    assert (HALF + float("-inf")).b.value == float("-inf")
    assert (DOUBLE + 0.1).b.value == 0.1 and (DOUBLE * 1e300).b.value == 1e300
    assert tir.const(0.1, "float64").value == 0.1
    wide = 2**54 + 2**30 + 1
    assert tir.const(wide, "int64").astype("float32").value == 18014400656965632


def test_three_operands_meet_as_two_do():
    x, y, z = tir.fma(HALF, 1e6, 2).args
    assert [one.dtype for one in (x, y, z)] == ["float32"] * 3
    assert (y.value, z.value) == (1e6, 2)
    assert [one.value for one in tir.fma(DOUBLE, 0.1, 3).args[1:]] == [0.1, 3]
    with pytest.raises(tilewright.TVMError, match="70000 is out of the range of float16"):
        tir.fma(HALF, 2, 70000)
