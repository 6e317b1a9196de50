# What a window is made of changes while the window moves: an element computed anew is another.
# test: diagnostics
# step: rolling_buffer("B", 0)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12,), "float32"), C: T.Buffer((10,), "float32")):
        B = T.alloc_buffer((12,), "float32")
        S = T.alloc_buffer((1,), "float32")
        for i in range(10):
            with T.block("S"):
                vi = T.axis.opaque(10, i)
                T.reads(S[0], A[vi])
                T.writes(S[0])
                S[0] = S[0] + A[vi]
            for j in range(3):
                with T.block("B"):
                    vi = T.axis.spatial(12, i + j)
                    B[vi] = A[vi] + S[0]
            with T.block("C"):
                vi = T.axis.spatial(10, i)
                C[vi] = B[vi] + B[vi + 2]

# expect:
# error[TW0706]: `rolling_buffer` cannot be applied: the block reads what it wrote before
#  |
#  = note: in the step `rolling_buffer("B", 0)`
