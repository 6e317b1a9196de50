# The layout of a parameter is part of the signature.
# test: schedule
# step: transform_layout("B", "A", lambda i, j: (j, i))
# step: transform_layout("C", ("write", 0), lambda i, j: (i // 4, j, i % 4), pad_value=0.0)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 6), "float32"), C: T.Buffer((10, 6), "float32")):
        B = T.alloc_buffer((10, 6), "float32")
        for i, j in T.grid(10, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj])
        for i, j in T.grid(10, 6):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 10), "float32"), C: T.Buffer((3, 6, 4), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((10, 6))
        for i, j in T.grid(10, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vj, vi])
                T.writes(B[vi, vj])
                B[vi, vj] = T.exp(A[vj, vi])
        for ax0, ax1, ax2 in T.grid(3, 6, 4):
            with T.block("C_pad"):
                v0, v1, v2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.where(10 <= ax0 * 4 + ax2)
                T.reads()
                T.writes(C[v0, v1, v2])
                C[v0, v1, v2] = T.float32(0.0)
        for i, j in T.grid(10, 6):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi // 4, vj, vi % 4])
                C[vi // 4, vj, vi % 4] = B[vi, vj]
