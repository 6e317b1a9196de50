# Rows that are read again and again are copied in vectors of neighbours: a loop for the repetitions, one for what is repeated.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 33), "float32"), B: T.Buffer((20, 99), "float32")):
        for i, j in T.grid(20, 99):
            with T.block("tile"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi % 5, vj % 33]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 33), "float32"), B: T.Buffer((20, 99), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i_j_0_fused in range(60):
            for j_1 in T.vectorized(33):
                with T.block("tile"):
                    vi = T.axis.spatial(20, i_j_0_fused // 3)
                    vj = T.axis.spatial(99, i_j_0_fused % 3 * 33 + j_1)
                    T.reads(A[vi % 5, vj % 33])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi % 5, vj % 33]
