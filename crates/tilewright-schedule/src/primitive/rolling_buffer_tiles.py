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
