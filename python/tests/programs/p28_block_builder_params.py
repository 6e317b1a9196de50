# A module by the block builder whose parameters are told at the beginning.
import checks
import numpy as np
import tvm
from tvm import relax, te


def te_relu(A: te.Tensor) -> te.Tensor:
    return te.compute(A.shape, lambda *i: te.max(A(*i), 0), name="relu")


A = relax.Var("A", (3, 5), relax.DynTensorType(2, "float32"))
bb = relax.BlockBuilder()

with bb.function("main", params=[A]):
    with bb.dataflow():
        B = bb.emit_te(te_relu, A)
        R = bb.emit_output(B)
    bb.emit_func_output(R)

a = checks.random(3, 5)
vm = relax.VirtualMachine(relax.vm.build(bb.get(), target="llvm"), tvm.cpu())
checks.close(vm["main"](tvm.nd.array(a)), np.maximum(a, 0))
