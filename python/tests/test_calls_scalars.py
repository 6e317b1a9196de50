"""Scalars and shapes as arguments, as NumPy and Python have them."""

import numpy as np
import pytest

import tilewright
from tilewright import relax
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
