# A loop of one iteration does not make one of the loops around and inside of it: rows that are read backwards stay rows.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 1, 100), "float32"), B: T.Buffer((3, 1, 100), "float32")):
        for i, j, k in T.grid(3, 1, 100):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                B[vi, vj, vk] = A[vi, vj, 99 - vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 1, 100), "float32"), B: T.Buffer((3, 1, 100), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i in range(3):
            for j_k_fused in T.vectorized(100):
                with T.block("B"):
                    vi = T.axis.spatial(3, i)
                    vj = T.axis.spatial(1, 0)
                    vk = T.axis.spatial(100, j_k_fused)
                    T.reads(A[vi, vj, 99 - vk])
                    T.writes(B[vi, vj, vk])
                    B[vi, vj, vk] = A[vi, vj, 99 - vk]
