# An iteration that reads what another one writes cannot run in parallel with it.
# test: diagnostics
# step: b = get_block("B")
# step: i, = get_loops(b)
# step: parallel(i)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10,), "float32"), C: T.Buffer((9,), "float32")):
        B = T.alloc_buffer((10,), "float32")
        for i in range(9):
            with T.block("B"):
                vi = T.axis.spatial(10, i)
                B[vi] = A[vi]
            with T.block("C"):
                vi = T.axis.spatial(9, i)
                C[vi] = B[T.max(vi - 1, 0)]

# expect:
# error[TW0706]: `parallel` cannot be applied: iterations of loop `i` may use elements of `B` that others write: it cannot be parallel
#  |
#  = note: in the step `parallel(i)`
