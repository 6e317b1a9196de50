# Each channel has an image of its own.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1, 1, 3)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 8), "float32"), W: T.Buffer((3, 3), "float32"), Y: T.Buffer((3, 6), "float32")):
        for i, j, k in T.grid(3, 6, 3):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vj + vk] * W[vi, vk]

# expect:
# error[TW0707]: `direct_conv` cannot be applied: `channels` must be between 1 and 1, found 3
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1, 1, 3)`
