# The second loop reads what later iterations of the first one write.
# test: diagnostics
# step: b = get_block("B")
# step: c = get_block("C")
# step: i, = get_loops(b)
# step: k, = get_loops(c)
# step: merge(i, k)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5,), "float32"), C: T.Buffer((5,), "float32")):
        B = T.alloc_buffer((5,), "float32")
        for i in range(5):
            with T.block("B"):
                vi = T.axis.spatial(5, i)
                B[vi] = A[vi]
        for i in range(5):
            with T.block("C"):
                vi = T.axis.spatial(5, i)
                C[vi] = B[4 - vi]

# expect:
# error[TW0706]: `merge` cannot be applied: iterations of loop `i_m` may use elements of `B` that others write: it cannot be merged
#  |
#  = note: in the step `merge(i, k)`
