# Nested parallel loops become one.
# test: opt --pass normalize_parallel
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 5), "float32"), B: T.Buffer((4, 5), "float32")):
        for i in T.parallel(4):
            for j in T.parallel(5):
                B[i, j] = A[i, j] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 5), "float32"), B: T.Buffer((4, 5), "float32")):
        for i_j_fused in T.parallel(20):
            B[0 + i_j_fused // 5, 0 + i_j_fused % 5] = A[0 + i_j_fused // 5, 0 + i_j_fused % 5] * T.float32(2.0)
