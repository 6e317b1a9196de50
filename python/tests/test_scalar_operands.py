"""Element-wise operators of graphs on scalars: of known and unknown value, next to a tensor and next to each other."""

import numpy as np
import pytest

import tilewright as tvm
from tilewright import relax
from tilewright.script import from_source
from tilewright.script import relax as R

HEADER = "from tvm.script import ir as I, relax as R, tir as T\n"
#: By operator: the function of NumPy, the type of the operands, and two operands.
OPERATORS = {
    "add": (np.add, "float32", (1.5, -2.25)),
    "subtract": (np.subtract, "int64", (3, 5)),
    "multiply": (np.multiply, "float32", (1.5, -2.25)),
    "divide": (np.divide, "float32", (3.0, 8.0)),
    "floor_divide": (np.floor_divide, "int64", (-7, 2)),
    "power": (np.power, "float32", (2.0, 3.0)),
    "maximum": (np.maximum, "int64", (3, 5)),
    "minimum": (np.minimum, "float32", (1.5, -2.25)),
    "mod": (np.fmod, "float32", (7.5, 2.0)),
    "floor_mod": (np.mod, "int64", (-7, 4)),
    "equal": (np.equal, "int64", (3, 3)),
    "not_equal": (np.not_equal, "int64", (3, 3)),
    "less": (np.less, "float32", (1.5, 2.0)),
    "less_equal": (np.less_equal, "float32", (1.5, 1.5)),
    "greater": (np.greater, "int64", (3, 5)),
    "greater_equal": (np.greater_equal, "int64", (5, 5)),
    "logical_and": (np.logical_and, "bool", (True, False)),
    "logical_or": (np.logical_or, "bool", (True, False)),
    "logical_xor": (np.logical_xor, "bool", (True, True)),
    "bitwise_and": (np.bitwise_and, "int64", (12, 10)),
    "bitwise_or": (np.bitwise_or, "int64", (12, 10)),
    "bitwise_xor": (np.bitwise_xor, "int64", (12, 10)),
    "left_shift": (np.left_shift, "int64", (3, 2)),
    "right_shift": (np.right_shift, "int64", (12, 2)),
}


def machine(text):
    return relax.VirtualMachine(relax.build(from_source(HEADER + text), "llvm"), tvm.cpu())


@pytest.mark.parametrize("name", [name for name in OPERATORS if hasattr(R, name)])
def test_scalars_of_the_caller_are_operands(name):
    function, dtype, (a, b) = OPERATORS[name]
    run = machine(
        f"""
@I.ir_module
class Module:
    @R.function
    def both(a: R.Prim("{dtype}"), b: R.Prim("{dtype}")):
        c = R.{name}(a, b)
        return c
    @R.function
    def right(x: R.Tensor((3,), "{dtype}"), b: R.Prim("{dtype}")):
        with R.dataflow():
            c = R.{name}(x, b)
            R.output(c)
        return c
    @R.function
    def left(a: R.Prim("{dtype}"), x: R.Tensor((3,), "{dtype}")):
        c = R.{name}(a, x)
        return c
"""
    )
    typed = [np.array(value, dtype) for value in (a, b)]
    assert run["both"](a, b) == function(*typed)
    three = np.array([a, b, a], dtype)
    np.testing.assert_allclose(run["right"](tvm.nd.array(three), b).numpy(), function(three, typed[1]), rtol=1e-6)
    np.testing.assert_allclose(run["left"](a, tvm.nd.array(three)).numpy(), function(typed[0], three), rtol=1e-6)


def test_scalars_of_known_value_are_computed_and_go_on():
    run = machine(
        """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "int64")):
        n = T.int64()
        with R.dataflow():
            twice = R.multiply(R.prim_value(n), R.prim_value(T.int64(2)))
            more = R.add(twice, R.prim_value(n))
            c = R.add(x, more)
            R.output(c)
        return c
"""
    )
    np.testing.assert_array_equal(run["main"](tvm.nd.array(np.arange(5))).numpy(), np.arange(5) + 15)


def test_a_legalised_scalar_is_read_back():
    module = from_source(
        HEADER
        + """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "int64"), b: R.Prim("int64")):
        c = R.add(x, b)
        return c
"""
    )
    legal = relax.transform.LegalizeOps()(module)
    tvm.ir.assert_structural_equal(from_source(legal.script()), legal)
