# A function of the loop level on its own, with 64-bit extents and a parameter that bears the function's name.
import checks
import tvm
from tvm.script import tir as T


@T.prim_func
def matmul(rxplaceholder: T.Buffer((T.int64(2), T.int64(30)), "float32"), rxplaceholder_1: T.Buffer((T.int64(30), T.int64(7)), "float32"), matmul: T.Buffer((T.int64(2), T.int64(7)), "float32")):
    T.func_attr({"tir.noalias": True})
    # with T.block("root"):
    for i0, i1, k in T.grid(T.int64(2), T.int64(7), T.int64(30)):
        with T.block("matmul"):
            v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
            T.reads(rxplaceholder[v_i0, v_k], rxplaceholder_1[v_k, v_i1])
            T.writes(matmul[v_i0, v_i1])
            with T.init():
                matmul[v_i0, v_i1] = T.float32(0)
            matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + rxplaceholder[v_i0, v_k] * rxplaceholder_1[v_k, v_i1]


assert isinstance(matmul, tvm.tir.PrimFunc)
checks.round_trip(matmul)
assert "T.grid(T.int64(2), T.int64(7), T.int64(30))" in matmul.script()
a, b = checks.random(2, 30), checks.random(30, 7)
out = tvm.nd.empty((2, 7), "float32")
tvm.build(matmul, target="llvm")(tvm.nd.array(a), tvm.nd.array(b), out)
checks.close(out, a @ b)
