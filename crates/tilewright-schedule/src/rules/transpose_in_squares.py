# A transpose of a matrix whose height is known when it runs: squares are copied line by line, and written in vectors.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=65 == same
# run: main n=100 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 77), "float32")
        B = T.match_buffer(var_B, (77, n), "float32")
        for i, j in T.grid(77, n):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (n, 77), "float32")
        B = T.match_buffer(var_B, (77, n), "float32")
        # with T.block("root"):
        for i_0 in T.parallel(2):
            for j_0, j_1, i_1 in T.grid((n + T.int64(63)) // T.int64(64), T.int64(8), 64):
                for j_2 in T.vectorized(T.int64(8)):
                    with T.block("B"):
                        vi = T.axis.spatial(77, i_0 * 64 + i_1)
                        vj = T.axis.spatial(n, j_0 * T.int64(64) + j_1 * T.int64(8) + j_2)
                        T.where(i_0 * 64 + i_1 < 77 and j_0 * T.int64(64) + j_1 * T.int64(8) + j_2 < n)
                        T.reads(A[vj, vi])
                        T.writes(B[vi, vj])
                        B[vi, vj] = A[vj, vi]
