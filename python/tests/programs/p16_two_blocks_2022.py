# Two dataflow blocks with an allocation between them, in the spelling of 2022.
from __future__ import annotations

import checks
import tvm
from tvm import relax
from tvm.script import relax as R
from tvm.script import tir as T


@tvm.script.ir_module
class MyModule:
    @T.prim_func
    def relu0(X: T.Buffer[(1, 12), "float32"],
              Y: T.Buffer[(1, 12), "float32"]):
        T.func_attr({"global_symbol": "relu0", "tir.noalias": True})
        for i, j in T.grid(1, 12):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))

    @T.prim_func
    def linear0(X: T.Buffer[(1, 20), "float32"],
                W: T.Buffer[(12, 20), "float32"],
                B: T.Buffer[(12,), "float32"],
                Z: T.Buffer[(1, 12), "float32"]):
        T.func_attr({"global_symbol": "linear0", "tir.noalias": True})
        Y = T.alloc_buffer((1, 12), "float32")
        for i, j, k in T.grid(1, 12, 20):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]

        for i, j in T.grid(1, 12):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                Z[vi, vj] = Y[vi, vj] + B[vj]

    @T.prim_func
    def linear1(X: T.Buffer[(1, 12), "float32"],
                W: T.Buffer[(5, 12), "float32"],
                B: T.Buffer[(5,), "float32"],
                Z: T.Buffer[(1, 5), "float32"]):
        T.func_attr({"global_symbol": "linear1", "tir.noalias": True})
        Y = T.alloc_buffer((1, 5), "float32")
        for i, j, k in T.grid(1, 5, 12):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]

        for i, j in T.grid(1, 5):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                Z[vi, vj] = Y[vi, vj] + B[vj]

    @R.function
    def main(x: Tensor((1, 20), "float32"),
             w0: Tensor((12, 20), "float32"),
             b0: Tensor((12,), "float32"),
             w1: Tensor((5, 12), "float32"),
             b1: Tensor((5,), "float32")):
        with R.dataflow():
            lv0 = R.call_tir(linear0, (x, w0, b0), (1, 12), dtype="float32")
            gv0 = R.call_tir(relu0, (lv0,), (1, 12), dtype="float32")
            R.output(gv0)

        gv1 = R.alloc_tensor((1, 12), dtype="float32")

        with R.dataflow():
            out = R.call_tir(linear1, (gv0, w1, b1), (1, 5), dtype="float32")
            R.output(out)
        return out


mlp_params = checks.mlp_params()
x = checks.random(1, 20)
expected = checks.mlp(x, **mlp_params)
nd_params = {k: tvm.nd.array(v) for k, v in mlp_params.items()}
data_nd = tvm.nd.array(x)

checks.round_trip(MyModule)
assert MyModule.script().count("with R.dataflow():") == 2

ex = relax.vm.build(MyModule, target="llvm")
vm = relax.VirtualMachine(ex, tvm.cpu())
nd_res = vm["main"](data_nd,
                    nd_params["w0"],
                    nd_params["b0"],
                    nd_params["w1"],
                    nd_params["b1"])
checks.close(nd_res, expected)
