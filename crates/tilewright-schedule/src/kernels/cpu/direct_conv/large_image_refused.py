# An image that no memory has is not cut into blocks.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 4, 1)

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        X = T.match_buffer(x, (T.int64(2147483648), T.int64(4294967295)), "float32")
        Y = T.match_buffer(y, (T.int64(2147483646), T.int64(4294967293)), "float32")
        for i, j, k, l in T.grid(T.int64(2147483646), T.int64(4294967293), T.int64(3), T.int64(3)):
            with T.block("Y"):
                vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi + vk, vj + vl]

# expect:
# error[TW0706]: `direct_conv` cannot be applied: block `Y` has images of too many elements
#  |
#  = note: in the step `direct_conv(b, 1, 4, 1)`
