# What call_tir means, written with loops in NumPy, against a compiled module that does the same.
import checks
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


def lnumpy_linear(X, W, B, Z):
    for i in range(Z.shape[0]):
        for j in range(Z.shape[1]):
            Z[i, j] = 0
            for k in range(X.shape[1]):
                Z[i, j] = Z[i, j] + X[i, k] * W[j, k]
            Z[i, j] = Z[i, j] + B[j]


def lnumpy_call_tir(prim_func, inputs, shape, dtype):
    res = np.empty(shape, dtype=dtype)
    prim_func(*inputs, res)
    return res


@I.ir_module
class MyModule:
    @T.prim_func
    def linear(X: T.Buffer((3, 6), "float32"), W: T.Buffer((4, 6), "float32"), B: T.Buffer((4,), "float32"), Z: T.Buffer((3, 4), "float32")):
        for i, j, k in T.grid(3, 4, 6):
            with T.block("Z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Z[vi, vj] = B[vj]
                Z[vi, vj] = Z[vi, vj] + X[vi, vk] * W[vj, vk]

    @R.function
    def main(x: R.Tensor((3, 6), "float32"), w: R.Tensor((4, 6), "float32"), b: R.Tensor((4,), "float32")):
        cls = MyModule
        with R.dataflow():
            out = R.call_tir(cls.linear, (x, w, b), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            R.output(out)
        return out


x, w, b = checks.random(3, 6), checks.random(4, 6), checks.random(4)
vm = relax.VirtualMachine(relax.build(MyModule, target="llvm"), tvm.cpu())
checks.close(vm["main"](*map(tvm.nd.array, (x, w, b))), lnumpy_call_tir(lnumpy_linear, (x, w, b), (3, 4), "float32"))
