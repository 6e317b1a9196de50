# The spelling of 2022 is read, that of 2024 is printed.
# test: print
# run: main == same

from __future__ import annotations

import tvm
from tvm.script import relax as R
from tvm.script import tir as T


@tvm.script.ir_module
class MyModule:
    @T.prim_func
    def relu0(X: T.Buffer[(1, 8), "float32"], Y: T.Buffer[(1, 8), "float32"]):
        T.func_attr({"global_symbol": "relu0", "tir.noalias": True})
        for i, j in T.grid(1, 8):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))

    @R.function
    def main(x: Tensor((1, 8), "float32")):
        with R.dataflow():
            out = R.call_tir(relu0, (x,), (1, 8), dtype="float32")
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def relu0(X: T.Buffer((1, 8), "float32"), Y: T.Buffer((1, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, j in T.grid(1, 8):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj])
                T.writes(Y[vi, vj])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((1, 8), dtype="float32")) -> R.Tensor((1, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            out = R.call_tir(cls.relu0, (x,), out_sinfo=R.Tensor((1, 8), dtype="float32"))
            R.output(out)
        return out
