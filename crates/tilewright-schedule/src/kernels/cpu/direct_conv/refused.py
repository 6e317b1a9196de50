# A sum along rows has no windows.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 7, 9), "float32"), Y: T.Buffer((5, 9), "float32")):
        for i, j, k in T.grid(5, 9, 7):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk, vj]

# expect:
# error[TW0706]: `direct_conv` cannot be applied: block `Y` has no windows along its columns
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1)`
