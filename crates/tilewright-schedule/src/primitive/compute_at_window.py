# In each tile the producer computes what the tile reads: a window that is larger than the tile.
# test: schedule
# step: b = get_block("B")
# step: c = get_block("C")
# step: i, j = get_loops(c)
# step: i0, i1 = split(i, [None, 4])
# step: compute_at(b, i0)
# step: parallel(j)
# run: main n=9 == same
# run: main n=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n + T.int64(2), T.int64(6)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(6)), "float32")
        B = T.alloc_buffer((n + T.int64(2), T.int64(6)), "float32")
        for i, j in T.grid(n + T.int64(2), T.int64(6)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(3)
        for i, j in T.grid(n, T.int64(6)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + B[vi + T.int64(1), vj] - B[vi + T.int64(2), vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n + T.int64(2), T.int64(6)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(6)), "float32")
        # with T.block("root"):
        B = T.alloc_buffer((n + T.int64(2), T.int64(6)))
        for i_0 in range((n + T.int64(3)) // T.int64(4)):
            for ax0, ax1 in T.grid(T.int64(6), T.int64(6)):
                with T.block("B"):
                    vi = T.axis.spatial(n + T.int64(2), i_0 * T.int64(4) + ax0)
                    vj = T.axis.spatial(T.int64(6), ax1)
                    T.where(i_0 * T.int64(4) + ax0 < n + T.int64(2))
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj] * T.float32(3.0)
            for i_1 in range(T.int64(4)):
                for j in T.parallel(T.int64(6)):
                    with T.block("C"):
                        vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                        vj = T.axis.spatial(T.int64(6), j)
                        T.where(i_0 * T.int64(4) + i_1 < n)
                        T.reads(B[vi:vi + T.int64(3), vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = B[vi, vj] + B[vi + T.int64(1), vj] - B[vi + T.int64(2), vj]
