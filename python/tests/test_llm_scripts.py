"""Forms of scripts that the operations of language models are written in: of any rank, with functions of Python."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import ir, relax, tir
from tilewright.relax.frontend import nn
from tilewright.script import from_source
from tilewright.script import tir as T


def run(func, *args):
    """Calls a PrimFunc that is built for this processor; the arguments are changed in place."""
    args = [tw.nd.array(arg) for arg in args]
    tw.build(func, target="llvm")(*args)
    return [arg.numpy() for arg in args]


@pytest.mark.parametrize("shape", [(3,), (2, 4), (2, 3, 2)])
def test_a_function_of_any_rank(shape):
    """As states of recurrent models are copied: the kinds of axes, indices and shapes have as many items as a tuple."""

    @T.prim_func
    def copy(var_from: T.handle, var_to: T.handle, var_index: T.handle):
        batch_size = T.SizeVar("batch_size", "int32")
        source = T.match_buffer(var_from, (batch_size, *shape), "float32")
        target = T.match_buffer(var_to, (batch_size, *shape), "float32")
        index = T.match_buffer(var_index, (batch_size,), "int32")
        for i, *s in T.grid(batch_size, *shape):
            with T.block("copy"):
                vi, *vs = T.axis.remap("S" * (len(shape) + 1), [i, *s])
                target[vi, *vs] = source[(index[vi], *vs)]

    x = np.arange(4 * np.prod(shape), dtype="float32").reshape(4, *shape)
    index = np.array([2, 0, 3, 3], "int32")
    np.testing.assert_array_equal(run(copy, x, np.zeros_like(x), index)[1], x[index])
    ir.assert_structural_equal(from_source(copy.script()), copy)


def test_one_variable_for_several_extents():
    @T.prim_func
    def double(x: T.Buffer((2, 3, 4), "float32"), y: T.Buffer((2, 3, 4), "float32")):
        for iters in T.grid(2, 3, 4):
            with T.block("double"):
                v0, v1, v2 = T.axis.remap("SSS", iters)
                y[v0, v1, v2] = x[v0, v1, v2] * T.float32(2)

    x = np.arange(24, dtype="float32").reshape(2, 3, 4)
    np.testing.assert_array_equal(run(double, x, x)[1], 2 * x)


@pytest.mark.parametrize("transposed", [False, True])
def test_functions_of_python_compute_with_what_the_script_has(transposed):
    """As grouped products dequantise: a helper reads buffers at indices, and another one chooses the order."""

    def access(w, e, i, j):
        return w[e, j, i] if transposed else w[e, i, j]

    def dequantize(w, scale, e, i, j):
        word = access(w, e, i, j // 8)
        code = tir.bitwise_and(tir.shift_right(word, (j % 8 * 4).astype("uint32")), tir.const(15, "uint32"))
        return (code.astype("float32") - T.float32(7)) * access(scale, e, i, j // 32)

    shape = (2, 4, 3) if transposed else (2, 3, 4)
    scales = (2, 1, 3) if transposed else (2, 3, 1)

    @T.prim_func
    def main(w: T.Buffer(shape, "uint32"), scale: T.Buffer(scales, "float32"), y: T.Buffer((2, 3, 32), "float32")):
        for e, i, j in T.grid(2, 3, 32):
            with T.block("dequantize"):
                ve, vi, vj = T.axis.remap("SSS", [e, i, j])
                y[ve, vi, vj] = dequantize(w, scale, ve, vi, vj)

    rng = np.random.default_rng(0)
    w = rng.integers(0, 2**32, shape, dtype="uint64").astype("uint32")
    scale = rng.standard_normal(scales).astype("float32")
    found = run(main, w, scale, np.zeros((2, 3, 32), "float32"))[2]
    w, scale = (np.swapaxes(own, 1, 2) if transposed else own for own in (w, scale))
    codes = (w[..., None] >> np.arange(0, 32, 4, dtype="uint32") & 15).reshape(2, 3, 32)
    np.testing.assert_array_equal(found, (codes.astype("float32") - np.float32(7)) * scale)


class Scaled(nn.Module):
    def __init__(self, dtype):
        self.dtype = dtype

    def forward(self, x: nn.Tensor, times: tir.Var):
        dtype = self.dtype

        @T.prim_func(private=True)
        def scale(x: T.handle, y: T.handle, a: T.int32, b: dtype):
            n = T.int64()
            source = T.match_buffer(x, (n,), "float32")
            target = T.match_buffer(y, (n,), "float32")
            for i in range(n):
                with T.block("scale"):
                    vi = T.axis.spatial(n, i)
                    target[vi] = source[vi] * T.cast(a, "float32") + T.cast(b, "float32")

        return nn.op.tensor_ir_op(scale, "scale", [x, 3, times], nn.Tensor.placeholder(x.shape, "float32"))


@pytest.mark.parametrize("dtype", [T.int32, T.int64])
def test_integers_take_the_types_of_parameters(dtype):
    """Constants and dimensions are int64 in graphs."""
    spec = {"x": nn.spec.Tensor(["n"], "float32"), "times": int}
    mod, _ = Scaled(dtype).export_tvm({"forward": spec})
    vm = relax.VirtualMachine(relax.build(mod, "llvm"), tw.cpu())
    found = vm["forward"](tw.nd.array(np.arange(4, dtype="float32")), tw.runtime.ShapeTuple([10]))
    np.testing.assert_array_equal(found.numpy(), np.arange(4) * 3 + 10)
