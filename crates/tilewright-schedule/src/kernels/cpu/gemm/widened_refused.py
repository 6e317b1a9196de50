# A packed panel of float32 cannot be widened.
# test: diagnostics
# step: b = get_block("C")
# step: gemm(b, 2, 1, 4, 8, 8, 8, "none", "task", "in_panel")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float32"), B: T.Buffer((7, 9), "float32"), C: T.Buffer((5, 9), "float32")):
        for i, j, k in T.grid(5, 9, 7):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# error[TW0706]: `gemm` cannot be applied: only a packed B with narrower elements than the sums is widened
#  |
#  = note: in the step `gemm(b, 2, 1, 4, 8, 8, 8, "none", "task", "in_panel")`
