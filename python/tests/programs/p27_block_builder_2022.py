# A module by the block builder, in the spelling of 2022; the parameters are told with the result.
import checks
import numpy as np
import tvm
from tvm import relax, te


def te_matmul(A: te.Tensor, B: te.Tensor) -> te.Tensor:
    k = te.reduce_axis((0, A.shape[1]), name="k")
    return te.compute((A.shape[0], B.shape[1]), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="matmul")


def te_relu(A: te.Tensor) -> te.Tensor:
    return te.compute(A.shape, lambda *i: te.max(A(*i), 0), name="relu")


A = relax.Var("A", (8, 9), relax.DynTensorType(2, "float32"))
B = relax.Var("B", (9, 7), relax.DynTensorType(2, "float32"))
bb = relax.BlockBuilder()

with bb.function("main"):
    with bb.dataflow():
        C = bb.emit_te(te_matmul, A, B)
        D = bb.emit_te(te_relu, C)
        R = bb.emit_output(D)
    bb.emit_func_output(R, params=[A, B])

MyModule = bb.get()
assert str(type(C)) == "<class 'tvm.relax.expr.DataflowVar'>" and isinstance(C, relax.Var)
text = MyModule.script()
for line in (
    'def main(A: R.Tensor((8, 9), dtype="float32"), B: R.Tensor((9, 7), dtype="float32")) -> R.Tensor((8, 7), dtype="float32"):',
    'lv = R.call_tir(cls.te_matmul, (A, B), out_sinfo=R.Tensor((8, 7), dtype="float32"))',
    'lv1 = R.call_tir(cls.te_relu, (lv,), out_sinfo=R.Tensor((8, 7), dtype="float32"))',
    "R.output(gv)",
    "return gv",
):
    assert line in text, line

checks.round_trip(MyModule)
a, b = checks.random(8, 9), checks.random(9, 7)
vm = relax.VirtualMachine(relax.vm.build(MyModule, target="llvm"), tvm.cpu())
checks.close(vm["main"](tvm.nd.array(a), tvm.nd.array(b)), np.maximum(a @ b, 0))
