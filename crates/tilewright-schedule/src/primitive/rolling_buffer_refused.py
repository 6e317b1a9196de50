# Without `compute_at`, no loop has a window.
# test: diagnostics
# step: rolling_buffer("B", "B")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12,), "float32"), C: T.Buffer((10,), "float32")):
        B = T.alloc_buffer((12,), "float32")
        for i in range(12):
            with T.block("B"):
                vi = T.axis.spatial(12, i)
                B[vi] = T.exp(A[vi])
        for i in range(10):
            with T.block("C"):
                vi = T.axis.spatial(10, i)
                C[vi] = B[vi] + B[vi + 2]

# expect:
# error[TW0706]: `rolling_buffer` cannot be applied: no loop is around the block and all who read `B`: call `compute_at` first
#  |
#  = note: in the step `rolling_buffer("B", "B")`
