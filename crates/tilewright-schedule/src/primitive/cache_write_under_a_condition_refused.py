# What a block writes only where a condition holds was there before elsewhere.
# test: diagnostics
# step: b = get_block("B")
# step: c = cache_write(b, 0, "global")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9,), "float32"), B: T.Buffer((9,), "float32")):
        for i in range(9):
            with T.block("B"):
                vi = T.axis.spatial(9, i)
                if A[vi] > T.float32(0):
                    B[vi] = A[vi]

# expect:
# error[TW0706]: `cache_write` cannot be applied: the block is not known to write all elements of `B` that it may write
#  |
#  = note: in the step `c = cache_write(b, 0, "global")`
