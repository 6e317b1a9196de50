# A map that gives two elements one index.
# test: diagnostics
# step: b = get_block("B")
# step: transform_layout(b, "B", lambda i, j: (i + j,))

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
# error[TW0706]: `transform_layout` cannot be applied: the map is not known to be one-to-one on the indices of `B`
#  |
#  = note: in the step `transform_layout(b, "B", lambda i, j: (i + j,))`
