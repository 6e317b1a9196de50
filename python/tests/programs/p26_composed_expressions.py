# Tensor expressions of one another: an intermediate result is a buffer of the function's own, or one of the caller's.
import checks
import numpy as np
import tvm
from tvm import te


def te_matmul(A: te.Tensor, B: te.Tensor) -> te.Tensor:
    k = te.reduce_axis((0, A.shape[1]), name="k")
    return te.compute((A.shape[0], B.shape[1]), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="matmul")


def te_relu(A: te.Tensor) -> te.Tensor:
    return te.compute(A.shape, lambda *i: te.max(A(*i), 0), name="relu")


A = te.placeholder((8, 9), name="A", dtype="float32")
B = te.placeholder((9, 7), name="B", dtype="float32")
C = te_matmul(A, B)
D = te_relu(C)
inside, outside = te.create_prim_func([A, B, D]), te.create_prim_func([A, B, C, D])
assert "matmul = T.alloc_buffer((8, 7))" in inside.script()
assert "alloc_buffer" not in outside.script() and 'matmul: T.Buffer((8, 7), "float32")' in outside.script()

a, b = checks.random(8, 9), checks.random(9, 7)
product, result = tvm.nd.empty((8, 7), "float32"), tvm.nd.empty((8, 7), "float32")
tvm.build(inside, target="llvm")(tvm.nd.array(a), tvm.nd.array(b), result)
checks.close(result, np.maximum(a @ b, 0))
tvm.build(outside, target="llvm")(tvm.nd.array(a), tvm.nd.array(b), product, result)
checks.close(product, a @ b)
checks.close(result, np.maximum(a @ b, 0))
