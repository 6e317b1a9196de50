# The result has fewer rows than there are queries.
# test: diagnostics
# step: b = get_block("P")
# step: flash_attention(b, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((6, 4), "float32"), K: T.Buffer((7, 4), "float32"), V: T.Buffer((7, 5), "float32"), Y: T.Buffer((3, 5), "float32")):
        P = T.alloc_buffer((6, 7), "float32")
        M = T.alloc_buffer((6,), "float32")
        S = T.alloc_buffer((6,), "float32")
        X = T.alloc_buffer((6, 5), "float32")
        for i, j, d in T.grid(6, 7, 4):
            with T.block("P"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(6, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32("-inf")
                M[vi] = T.max(M[vi], P[vi, vj])
        for i, j in T.grid(6, 7):
            with T.block("S"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + T.exp(P[vi, vj] - M[vi])
        for i, w, j in T.grid(6, 5, 7):
            with T.block("X"):
                vi, vw, vj = T.axis.remap("SSR", [i, w, j])
                with T.init():
                    X[vi, vw] = T.float32(0)
                X[vi, vw] = X[vi, vw] + T.exp(P[vi, vj] - M[vi]) / S[vi] * V[vj, vw]
        for i, w in T.grid(3, 5):
            with T.block("Y"):
                vi, vw = T.axis.remap("SS", [i, w])
                Y[vi, vw] = X[vi, vw]

# expect:
# error[TW0706]: `flash_attention` cannot be applied: the result does not read each sum of values once
#  |
#  = note: in the step `flash_attention(b, 4)`
