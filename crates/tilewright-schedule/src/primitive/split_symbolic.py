# A split of a symbolic extent has a condition; of one that it divides, none.
# test: schedule
# step: b = get_block("C")
# step: i, j = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: j0, j1, j2 = split(j, [2, None, 3])
# run: main n=5 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(12)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(12)), "float32")
        for i, j in T.grid(n, T.int64(12)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(12)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(12)), "float32")
        # with T.block("root"):
        for i_0, i_1, j_0, j_1, j_2 in T.grid((n + T.int64(3)) // T.int64(4), T.int64(4), T.int64(2), T.int64(2), T.int64(3)):
            with T.block("C"):
                vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                vj = T.axis.spatial(T.int64(12), j_0 * T.int64(6) + j_1 * T.int64(3) + j_2)
                T.where(i_0 * T.int64(4) + i_1 < n)
                T.reads(A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = A[vi, vj] * T.float32(2.0)
