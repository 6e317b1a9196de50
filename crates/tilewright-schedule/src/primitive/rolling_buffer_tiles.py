# Windows of tiles, of a column that moves faster than the row: the outer loop decides which dimension is circular.
# test: schedule
# step: b = get_block("B")
# step: i, j = get_loops("C")
# step: i0, i1 = split(i, [None, 4])
# step: j0, j1 = split(j, [None, 3])
# step: reorder(j0, i0, i1, j1)
# step: compute_at(b, i0)
# step: rolling_buffer(b, 0)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((14, 11), "float32"), C: T.Buffer((12, 9), "float32")):
        B = T.alloc_buffer((14, 11), "float32")
        for i, j in T.grid(14, 11):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(12, 9):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + B[vi + 1, vj + 1] + B[vi + 2, vj + 2]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((14, 11), "float32"), C: T.Buffer((12, 9), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((14, 5))
        for j_0, i_0 in T.grid(3, 3):
            for ax0, ax1 in T.grid(6, 5):
                with T.block("B"):
                    vi = T.axis.spatial(14, i_0 * 4 + ax0)
                    vj = T.axis.opaque(11, j_0 * 3 + ax1)
                    T.where((i_0 < 1 or 2 <= ax0) and (j_0 < 1 or 2 <= ax1))
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj % 5])
                    B[vi, vj % 5] = A[vi, vj] * T.float32(2.0)
            for i_1, j_1 in T.grid(4, 3):
                with T.block("C"):
                    vi = T.axis.spatial(12, i_0 * 4 + i_1)
                    vj = T.axis.opaque(9, j_0 * 3 + j_1)
                    T.reads(B[vi:vi + 3, 0:5])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, vj % 5] + B[vi + 1, (vj + 1) % 5] + B[vi + 2, (vj + 2) % 5]
