# A temporary in tiles, whose rows are filled up and whose columns are not; what fills them is written.
# test: schedule
# step: b = get_block("B")
# step: transform_layout(b, ["write", 0], lambda i, j: (i // 4, j // 2, i % 4, j % 2), pad_value=-1.5)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 6), "float32"), C: T.Buffer((6, 10), "float32")):
        B = T.alloc_buffer((10, 6), "float32")
        for i, j in T.grid(10, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj])
        for j, i in T.grid(6, 10):
            with T.block("C"):
                vj, vi = T.axis.remap("SS", [j, i])
                C[vj, vi] = B[vi, vj] * B[vi, 5 - vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 6), "float32"), C: T.Buffer((6, 10), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((3, 3, 4, 2))
        for ax0, ax1, ax2, ax3 in T.grid(3, 3, 4, 2):
            with T.block("B_pad"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.where(10 <= ax0 * 4 + ax2)
                T.reads()
                T.writes(B[v0, v1, v2, v3])
                B[v0, v1, v2, v3] = T.float32(-1.5)
        for i, j in T.grid(10, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi // 4, vj // 2, vi % 4, vj % 2])
                B[vi // 4, vj // 2, vi % 4, vj % 2] = T.exp(A[vi, vj])
        for j, i in T.grid(6, 10):
            with T.block("C"):
                vj, vi = T.axis.remap("SS", [j, i])
                T.reads(B[vi // 4, 0:3, vi % 4, 0:2])
                T.writes(C[vj, vi])
                C[vj, vi] = B[vi // 4, vj // 2, vi % 4, vj % 2] * B[vi // 4, (1 - vj) // 2 + 2, vi % 4, (1 - vj) % 2]
