"""Functions that ask for their weights and hand over their results one by one."""

import numpy as np

import tilewright as tvm
from tilewright import relax
from tilewright.script import ir as I
from tilewright.script import relax as R


@I.ir_module
class Layers:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.add(y, b)
            R.output(y, z)
        return (y, z)


def drawn(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype("float32")


X, W, B = drawn(2, 3), drawn(3, 4), drawn(4)


def run(module, *args):
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())
    return machine["main"](*args)


def test_weights_are_asked_for_by_number_and_name():
    asked = []

    def weight(index, name):
        asked.append((int(index), str(name)))
        return tvm.nd.array([W, B][int(index)])

    y, z = run(relax.transform.LazyGetInput()(Layers), tvm.nd.array(X), weight)
    np.testing.assert_allclose(y.numpy(), X @ W, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(z.numpy(), X @ W + B, rtol=1e-5, atol=1e-6)
    assert asked == [(0, "w"), (1, "b")]


def test_results_are_handed_over_by_number():
    given = {}

    def result(index, value):
        given[int(index)] = value.numpy()

    x, w, b = (tvm.nd.array(value) for value in (X, W, B))
    assert not run(relax.transform.LazySetOutput()(Layers), x, result, w, b)
    np.testing.assert_allclose(given[0], X @ W, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(given[1], X @ W + B, rtol=1e-5, atol=1e-6)
