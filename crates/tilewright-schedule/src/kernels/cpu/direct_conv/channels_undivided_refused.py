# Four channels read the same images: tiles of three do not divide them.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1, 1, 3)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 5, 8), "float32"), W: T.Buffer((4, 3), "float32"), Y: T.Buffer((2, 4, 5, 6), "float32")):
        for n, c, i, j, k in T.grid(2, 4, 5, 6, 3):
            with T.block("Y"):
                vn, vc, vi, vj, vk = T.axis.remap("SSSSR", [n, c, i, j, k])
                with T.init():
                    Y[vn, vc, vi, vj] = T.float32(0)
                Y[vn, vc, vi, vj] = Y[vn, vc, vi, vj] + X[vn, vi, vj + vk] * W[vc, vk]

# expect:
# error[TW0707]: `direct_conv` cannot be applied: `channels` must divide the 4 that read the same images, found 3
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1, 1, 3)`
