# A sum whose result is contiguous along an axis of both operands has no N.
# test: diagnostics
# step: b = get_block("C")
# step: gemm(b, 2, 1, 4, 8, 8, 8)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float32"), B: T.Buffer((5, 7), "float32"), C: T.Buffer((7,), "float32")):
        for j, i in T.grid(7, 5):
            with T.block("C"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    C[vj] = T.float32(0)
                C[vj] = C[vj] + A[vi, vj] * B[vi, vj]

# expect:
# error[TW0706]: `gemm` cannot be applied: the result is contiguous along axis `vj`, which both operands have
#  |
#  = note: in the step `gemm(b, 2, 1, 4, 8, 8, 8)`
