# A block that reads its temporary in another shape: the map of its axes is inverted.
# test: schedule
# step: c = get_block("C")
# step: reverse_compute_inline(c)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 8), "float32"), C: T.Buffer((2, 24), "float32")):
        B = T.alloc_buffer((6, 8))
        for i, j in T.grid(6, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(2, 24):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi * 3 + vj // 8, vj % 8] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 8), "float32"), C: T.Buffer((2, 24), "float32")):
        # with T.block("root"):
        for i, j in T.grid(6, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[vi // 3, vj + vi % 3 * 8])
                C[vi // 3, vj + vi % 3 * 8] = A[vi, vj] * T.float32(2.0) + T.float32(1.0)
