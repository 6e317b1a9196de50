# Squares of anything but distances from the mean are not put together by means of parts.
# test: diagnostics
# step: b = get_block("normal")
# step: rows_by_pieces(b, 4, 2, 1, 64)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 6, 3, 5), "float32"), W: T.Buffer((6,), "float32"), Y: T.Buffer((2, 6, 3, 5), "float32")):
        total = T.alloc_buffer((2, 2, 1, 1, 1), "float32")
        mean = T.alloc_buffer((2, 2, 1, 1, 1), "float32")
        squares = T.alloc_buffer((2, 2, 1, 1, 1), "float32")
        for n, g, h, w, k in T.grid(2, 2, 3, 5, 3):
            with T.block("total"):
                vn, vg, vh, vw, vk = T.axis.remap("SSRRR", [n, g, h, w, k])
                with T.init():
                    total[vn, vg, 0, 0, 0] = T.float32(0)
                total[vn, vg, 0, 0, 0] = total[vn, vg, 0, 0, 0] + X[vn, vg * 3 + vk, vh, vw]
        for n, g in T.grid(2, 2):
            with T.block("mean"):
                vn, vg = T.axis.remap("SS", [n, g])
                mean[vn, vg, 0, 0, 0] = total[vn, vg, 0, 0, 0] / T.float32(45)
        for n, g, h, w, k in T.grid(2, 2, 3, 5, 3):
            with T.block("squares"):
                vn, vg, vh, vw, vk = T.axis.remap("SSRRR", [n, g, h, w, k])
                with T.init():
                    squares[vn, vg, 0, 0, 0] = T.float32(0)
                squares[vn, vg, 0, 0, 0] = squares[vn, vg, 0, 0, 0] + X[vn, vg * 3 + vk, vh, vw] * (X[vn, vg * 3 + vk, vh, vw] - mean[vn, vg, 0, 0, 0])
        for n, c, h, w in T.grid(2, 6, 3, 5):
            with T.block("normal"):
                vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
                Y[vn, vc, vh, vw] = (X[vn, vc, vh, vw] - mean[vn, vc // 3, 0, 0, 0]) / T.sqrt(squares[vn, vc // 3, 0, 0, 0] / T.float32(45) + T.float32(0.5)) * W[vc]

# expect:
# error[TW0706]: `rows_by_pieces` cannot be applied: the second sum is not of squares of distances from the mean
#  |
#  = note: in the step `rows_by_pieces(b, 4, 2, 1, 64)`
