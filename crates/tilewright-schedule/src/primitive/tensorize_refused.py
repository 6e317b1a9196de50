# The operand of the tile is transposed.
# test: diagnostics
# step: b = get_block("C", "main")
# step: i, j = get_loops(b)
# step: tensorize(i, "copy")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vj, vi]

    @T.prim_func
    def copy_desc(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]

    @T.prim_func
    def copy_impl(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            C[i, j] = A[i, j]

# expect:
# error[TW0706]: `tensorize` cannot be applied: the block is not what the intrinsic describes: dimension 0 of `A` is not indexed as in the description
#  |
#  = note: in the step `tensorize(i, "copy")`
