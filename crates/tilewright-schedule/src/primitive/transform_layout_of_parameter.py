# The layout of a parameter is known to whoever calls the function.
# test: diagnostics
# step: b = get_block("B")
# step: transform_layout(b, ["read", 0], lambda i, j: (j, i))

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
# error[TW0706]: `transform_layout` cannot be applied: `A` is no temporary: whoever calls the function knows its layout
#  |
#  = note: in the step `transform_layout(b, ["read", 0], lambda i, j: (j, i))`
