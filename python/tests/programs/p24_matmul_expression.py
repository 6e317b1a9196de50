# A product of matrices as a tensor expression.
import checks
import tvm
from tvm import te

A = te.placeholder((16, 20), name="A", dtype="float32")
B = te.placeholder((20, 12), name="B", dtype="float32")
assert str(type(A)) == "<class 'tvm.te.tensor.Tensor'>"
assert str(A.shape) == "[16, 20]" and A.dtype == "float32"


def te_matmul(A: te.Tensor, B: te.Tensor) -> te.Tensor:
    assert A.shape[1] == B.shape[0]
    n = A.shape[0]
    m = B.shape[1]
    k = te.reduce_axis((0, A.shape[1]), name="k")
    return te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="matmul")


func = te.create_prim_func([A, B, te_matmul(A, B)])
for line in (
    'A: T.Buffer((16, 20), "float32"), B: T.Buffer((20, 12), "float32"), matmul: T.Buffer((16, 12), "float32")',
    'with T.block("matmul"):',
    'T.axis.remap("SSR", [i, j, k])',
    "T.reads(A[v_i, v_k], B[v_k, v_j])",
    "T.writes(matmul[v_i, v_j])",
    "matmul[v_i, v_j] = matmul[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]",
):
    assert line in func.script(), line

a, b = checks.random(16, 20), checks.random(20, 12)
result = tvm.nd.empty((16, 12), "float32")
tvm.build(func, target="llvm")(tvm.nd.array(a), tvm.nd.array(b), result)
checks.close(result, a @ b)
