# A layout with places where no element is needs a value for them.
# test: diagnostics
# step: transform_layout("B", "B", lambda i, j: (i // 4, j, i % 4))

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
# error[TW0706]: `transform_layout` cannot be applied: the layout has places where no element of `B` is: give a `pad_value`
#  |
#  = note: in the step `transform_layout("B", "B", lambda i, j: (i // 4, j, i % 4))`
