# What `and` reads on its right may not exist.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 8), "bool"), Y: T.Buffer((3, 8), "bool")):
        for i, j, k in T.grid(3, 8, 3):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.bool(False)
                Y[vi, vj] = Y[vi, vj] or (vj + vk < 8 and X[vi, vj + vk])

# expect:
# error[TW0706]: `direct_conv` cannot be applied: an element is read at an index that is data, or under a condition
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1)`
