# A statement in the loops of the GEMM would be lost with them.
# test: diagnostics
# step: b = get_block("P")
# step: gemm(b, 2, 1, 4, 8, 8, 8)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((5, 8), "float32"), D: T.Buffer((6, 8), "float32")):
        P = T.alloc_buffer((6, 8), "float32")
        for i in range(6):
            for j, k in T.grid(8, 5):
                with T.block("P"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        P[vi, vj] = T.float32(0)
                    P[vi, vj] = P[vi, vj] + A[vi, vk] * B[vk, vj]
            for j in range(8):
                with T.block("D"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    D[vi, vj] = P[vi, vj] + T.float32(1)

# expect:
# error[TW0706]: `gemm` cannot be applied: block `P` is not alone in loops around nothing else
#  |
#  = note: in the step `gemm(b, 2, 1, 4, 8, 8, 8)`
