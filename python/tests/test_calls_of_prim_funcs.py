"""PrimFuncs that call PrimFuncs of their module, in machine code: what they are given, what they return."""

import numpy as np
import pytest

import tilewright as tvm
from tilewright import relax
from tilewright.script import from_source

HEADER = "from tvm.script import ir as I, relax as R, tir as T\n"


def built(text, target="llvm"):
    return tvm.build(from_source(HEADER + "@I.ir_module\nclass Module:\n" + text), target)


def test_a_function_gets_memory_and_scalars():
    library = built(
        """
    @T.prim_func(private=True)
    def scale(A: T.Buffer((4,), "float32"), row: T.int32, by: T.float32):
        for i in range(4):
            with T.block("scaled"):
                v = T.axis.spatial(4, i)
                A[v] = A[v] * by + T.Cast("float32", row)
    @T.prim_func
    def main(A: T.Buffer((3, 4), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(3):
            Module.scale(T.address_of(A[i, 0]), i, T.float32(2))
        Module.scale(B.data, 7, T.float32(0.5))
"""
    )
    a, b = np.arange(12, dtype="float32").reshape(3, 4), np.arange(4, dtype="float32")
    given = [tvm.nd.array(a), tvm.nd.array(b)]
    library["main"](*given)
    np.testing.assert_array_equal(given[0].numpy(), a * 2 + np.arange(3, dtype="float32")[:, None])
    np.testing.assert_array_equal(given[1].numpy(), b * np.float32(0.5) + 7)


def test_values_that_functions_return_are_operands():
    library = built(
        """
    @T.prim_func(private=True)
    def clamped(x: T.int32, low: T.int32, high: T.int32) -> T.int32:
        if x < low:
            T.ret(low)
        if x > high:
            T.ret(high)
        T.ret(x)
    @T.prim_func(private=True)
    def square(x: T.int32) -> T.int32:
        T.ret(x * x)
    @T.prim_func
    def main(A: T.Buffer((6,), "int32")):
        for i in range(6):
            with T.block("b"):
                v = T.axis.spatial(6, i)
                A[v] = Module.square(Module.clamped(v, 1, 4)) + Module.square(v)
"""
    )
    a = tvm.nd.array(np.zeros(6, "int32"))
    library["main"](a)
    np.testing.assert_array_equal(a.numpy(), np.clip(np.arange(6), 1, 4) ** 2 + np.arange(6) ** 2)


def test_a_graph_and_another_function_call_the_same_function():
    module = from_source(
        HEADER
        + """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * T.float32(2)
    @T.prim_func(private=True)
    def quadruple(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        C = T.alloc_buffer((4,), "float32")
        Module.double(A.data, C.data)
        Module.double(C.data, B.data)
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((4,), "float32"))
            z = R.call_tir(cls.quadruple, (y,), out_sinfo=R.Tensor((4,), "float32"))
            R.output(z)
        return z
"""
    )
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())
    x = np.arange(4, dtype="float32")
    np.testing.assert_array_equal(machine["main"](tvm.nd.array(x)).numpy(), x * 8)


CALLEE = '    @T.prim_func(private=True)\n    def f(A: T.Buffer((4,), "float32"), n: T.int32):\n        A[n] = 1.0\n'
MAIN = '    @T.prim_func\n    def main(A: T.Buffer((4,), "float32"), I: T.Buffer((4,), "int32")):\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CALLEE + MAIN + "        Module.f(A.data)\n", "takes 2 arguments, found 1"),
        (CALLEE + MAIN + "        Module.f(I.data, 0)\n", "takes float32 at `A`, found int32"),
        (CALLEE + MAIN + "        I[0] = Module.f(A.data, 0)\n", "the stored value is an address"),
        (
            "    @T.prim_func(private=True)\n    def f(n: T.int32) -> T.int32:\n        T.ret(Module.f(n))\n"
            + MAIN
            + "        I[0] = Module.f(1)\n",
            "calls itself",
        ),
        (
            "    @T.prim_func(private=True)\n    def f(n: T.int32) -> T.int32:\n        if n > 0:\n"
            + "            T.ret(n)\n"
            + MAIN
            + "        I[0] = Module.f(1)\n",
            "may end without",
        ),
        (
            "    @T.prim_func(private=True)\n    def f(n: T.int32) -> T.int32:\n        T.ret(n)\n"
            + MAIN
            + "        I[0] = T.if_then_else(I[1] > 0, Module.f(1), 2)\n",
            "may not be evaluated",
        ),
    ],
)
def test_calls_that_cannot_be_are_refused(text, why):
    with pytest.raises(tvm.TVMError, match=why):
        built(text)
