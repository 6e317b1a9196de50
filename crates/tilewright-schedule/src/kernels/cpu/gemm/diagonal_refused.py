# Two axes of one loop have not all of their values together.
# test: diagnostics
# step: b = get_block("P")
# step: gemm(b, 2, 1, 4, 8, 8, 8)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((5, 6), "float32"), P: T.Buffer((6, 6), "float32")):
        for i, k in T.grid(6, 5):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, i, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# error[TW0706]: `gemm` cannot be applied: axis `vj` of block `P` has no loop of its own over all of its values
#  |
#  = note: in the step `gemm(b, 2, 1, 4, 8, 8, 8)`
