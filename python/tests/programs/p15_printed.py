# A printed module as a program: attributes, reads and writes, and the default type of a buffer as the printer writes them.
import checks
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def linear0(
        X: T.Buffer((1, 20), "float32"),
        W: T.Buffer((12, 20), "float32"),
        B: T.Buffer((12,), "float32"),
        Z: T.Buffer((1, 12), "float32"),
    ):
        T.func_attr({"global_symbol": "linear0", "tir.noalias": T.bool(True)})
        # with T.block("root"):
        Y = T.alloc_buffer((1, 12))
        for i, j, k in T.grid(1, 12, 20):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W[vj, vk])
                T.writes(Y[vi, vj])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]
        for i, j in T.grid(1, 12):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(Y[vi, vj], B[vj])
                T.writes(Z[vi, vj])
                Z[vi, vj] = Y[vi, vj] + B[vj]

    @T.prim_func
    def relu0(X: T.Buffer((1, 12), "float32"), Y: T.Buffer((1, 12), "float32")):
        T.func_attr({"global_symbol": "relu0", "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, j in T.grid(1, 12):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj])
                T.writes(Y[vi, vj])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))

    @R.function
    def main(
        x: R.Tensor((1, 20), dtype="float32"),
        w0: R.Tensor((12, 20), dtype="float32"),
        b0: R.Tensor((12,), dtype="float32"),
    ) -> R.Tensor((1, 12), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv0 = R.call_tir(cls.linear0, (x, w0, b0), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            out = R.call_tir(cls.relu0, (lv0,), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            R.output(out)
        return out


@I.ir_module
class Unannotated:
    @T.prim_func
    def linear0(X: T.Buffer((1, 20), "float32"), W: T.Buffer((12, 20), "float32"), B: T.Buffer((12,), "float32"), Z: T.Buffer((1, 12), "float32")):
        T.func_attr({"tir.noalias": True})
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


checks.round_trip(Module)
# What is inferred for reads and writes is what was written.
tvm.ir.assert_structural_equal(Module["linear0"], Unannotated["linear0"])
vm = relax.VirtualMachine(relax.build(Module, target="llvm"), tvm.cpu())
x, w, b = checks.random(1, 20), checks.random(12, 20), checks.random(12)
vm_out = vm["main"](*map(tvm.nd.array, (x, w, b)))
expected = x @ w.T + b
checks.close(vm_out, expected * (expected > 0))
