# The whole lowering of a product.
# test: lower
# run: matmul == same

@I.ir_module
class Module:
    @T.prim_func
    def matmul(A: T.Buffer((4, 6), "float32"), B: T.Buffer((6, 8), "float32"), C: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.noalias": True})
        for i, j, k in T.grid(4, 8, 6):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def matmul(A: T.Buffer((T.int64(24),), "float32"), B: T.Buffer((T.int64(48),), "float32"), C: T.Buffer((T.int64(32),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(T.int64(4), T.int64(8)):
            C[i * T.int64(8) + j] = T.float32(0.0)
            for k in range(T.int64(6)):
                C[i * T.int64(8) + j] = C[i * T.int64(8) + j] + A[i * T.int64(6) + k] * B[k * T.int64(8) + j]
