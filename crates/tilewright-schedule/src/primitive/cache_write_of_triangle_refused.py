# What a loop writes whose end another one says is no box.
# test: diagnostics
# step: t = get_block("triangle")
# step: c = cache_write(t, 0, "global")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9, 9), "float32"), B: T.Buffer((9, 9), "float32")):
        for i in range(9):
            for j in range(i + 1):
                with T.block("triangle"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] + T.float32(1)

# expect:
# error[TW0706]: `cache_write` cannot be applied: the elements of `B` that the block writes are not known to be a box
#  |
#  = note: in the step `c = cache_write(t, 0, "global")`
