# A tile of so many rows would not be unrolled.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 400, 4, 500)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((502, 10), "float32"), Y: T.Buffer((500, 8), "float32")):
        for i, j, k, l in T.grid(500, 8, 3, 3):
            with T.block("Y"):
                vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi + vk, vj + vl]

# expect:
# error[TW0707]: `direct_conv` cannot be applied: `rows` must be between 1 and 320, found 400
#  |
#  = note: in the step `direct_conv(b, 400, 4, 500)`
