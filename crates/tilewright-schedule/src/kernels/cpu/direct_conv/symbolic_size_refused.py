# The columns of a block are whole tiles.
# test: diagnostics
# step: b = get_block("Y")
# step: direct_conv(b, 1, 3, 1)

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        w = T.int64()
        X = T.match_buffer(var_X, (T.int64(2), w + T.int64(1)), "float32")
        Y = T.match_buffer(var_Y, (T.int64(2), w), "float32")
        for i, x, s in T.grid(T.int64(2), w, T.int64(2)):
            with T.block("Y"):
                vi, vx, vs = T.axis.remap("SSR", [i, x, s])
                with T.init():
                    Y[vi, vx] = T.float32(0)
                Y[vi, vx] = Y[vi, vx] + X[vi, vx + vs]

# expect:
# error[TW0707]: `direct_conv` cannot be applied: `lanes` must divide the 128 columns of a block, found 3
#  |
#  = note: in the step `direct_conv(b, 1, 3, 1)`
