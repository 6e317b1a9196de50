# What tasks pack for a K block is gone when all have computed the block.
# test: diagnostics
# step: b = get_block("C")
# step: gemm(b, 3, 2, 4, 8, 7, 8, "row_major", "none", k_outermost=True)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 19), "float32"), B: T.Buffer((19, 21), "float32"), C: T.Buffer((7, 21), "float32")):
        for i, j, k in T.grid(7, 21, 19):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# error[TW0707]: `gemm` cannot be applied: tasks make `packed_a` for each K block: the loop over these cannot be outermost
#  |
#  = note: in the step `gemm(b, 3, 2, 4, 8, 7, 8, "row_major", "none", k_outermost=True)`
