# What pads the images is made together with something else.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 8), "float32"), Y: T.Buffer((3, 8), "float32"), Z: T.Buffer((3, 10), "float32")):
        P = T.alloc_buffer((3, 10), "float32")
        for i, j in T.grid(3, 10):
            with T.block("P"):
                vi, vj = T.axis.remap("SS", [i, j])
                P[vi, vj] = T.if_then_else(1 <= vj and vj < 9, X[vi, vj - 1], T.float32(0))
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                Z[vi, vj] = T.Cast("float32", vj)
        for i, j, k in T.grid(3, 8, 3):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + P[vi, vj + vk]

# expect:
# error[TW0706]: `direct_conv` cannot be applied: block `P` is not alone in loops around nothing else
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1)`
