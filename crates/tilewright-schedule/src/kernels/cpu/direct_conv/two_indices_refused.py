# A copy has one element of the image for each tap of a window.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 10), "float32"), Y: T.Buffer((3, 8), "float32")):
        for i, j, k in T.grid(3, 8, 3):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vj + vk] * X[vi, vk]

# expect:
# error[TW0706]: `direct_conv` cannot be applied: a buffer is read at several indices
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1)`
