# One function of tensor expressions for tensors of any number of dimensions.
import checks
import numpy as np
import tvm
from tvm import te


def te_relu(A: te.Tensor) -> te.Tensor:
    return te.compute(A.shape, lambda *i: te.max(A(*i), 0), name="relu")


for shape in ((10,), (10, 20)):
    X = te.placeholder(shape, name="X1", dtype="float32")
    func = te.create_prim_func([X, te_relu(X)])
    assert (
        'with T.block("relu"):' in func.script() and "T.max(X1[" in func.script() and "T.float32(0.0))" in func.script()
    )
    x, result = checks.random(*shape), tvm.nd.empty(shape, "float32")
    tvm.build(func, target="llvm")(tvm.nd.array(x), result)
    checks.close(result, np.maximum(x, 0))
assert "for i0, i1 in T.grid(10, 20):" in func.script()
