# A temporary has one size.
# test: diagnostics
# step: t = get_block("triangle")
# step: a = reindex(t, "A")

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
# error[TW0706]: `reindex` cannot be applied: how many values axis `vj` has depends on a loop around the block
#  |
#  = note: in the step `a = reindex(t, "A")`
