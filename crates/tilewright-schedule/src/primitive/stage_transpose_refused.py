# An element that is read under a condition may not be there to be read with its neighbours.
# test: diagnostics
# step: b = get_block("B")
# step: stage_transpose(b, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12, 7), "float32"), B: T.Buffer((8, 12), "float32")):
        for i, j in T.grid(8, 12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.if_then_else(vi < 7, A[vj, vi], T.float32(0))

# expect:
# error[TW0706]: `stage_transpose` cannot be applied: an element is read under a condition, or its index is data
#  |
#  = note: in the step `stage_transpose(b, 4)`
