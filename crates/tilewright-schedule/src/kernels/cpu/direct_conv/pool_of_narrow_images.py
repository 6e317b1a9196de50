# Images are narrower than a vector: what a vector would read beyond the end of a row is copied first.
# test: schedule
# step: b = get_block("Y")
# step: direct_conv(b, 2, 8, 3, 3)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 3, 7, 11), "float32"), Y: T.Buffer((2, 3, 3, 5), "float32")):
        for n, c, y, x, r, s in T.grid(2, 3, 3, 5, 3, 3):
            with T.block("Y"):
                vn, vc, vy, vx, vr, vs = T.axis.remap("SSSSRR", [n, c, y, x, r, s])
                with T.init():
                    Y[vn, vc, vy, vx] = T.float32("-inf")
                Y[vn, vc, vy, vx] = T.max(Y[vn, vc, vy, vx], X[vn, vc, vy * 2 + vr, vx * 2 + vs])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 3, 7, 11), "float32"), Y: T.Buffer((2, 3, 3, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("Y"):
                T.reads(X[0:2, 0:3, 0:7, 0:11])
                T.writes(Y[0:2, 0:3, 0:3, 0:5])
                X_1 = T.alloc_buffer((118,), align=64)
                tile = T.alloc_buffer((2, 8), scope="local", align=64)
                for l in T.vectorized(6):
                    X_1[l + 112] = T.float32(0.0)
                for row_block in range(1):
                    row_start: T.int32 = 0
                    for image in range(3):
                        vc: T.int32 = image % 3
                        vn: T.int32 = task + image // 3
                        for i, i_1, i_2 in T.grid(1, 1, 7):
                            for piece in T.unroll(2):
                                for lane in T.vectorized(8):
                                    X_1[i * 112 + i_1 * 112 + i_2 * 16 + piece * 8 + lane] = T.if_then_else(piece * 8 + lane < 11, X[vn + i, vc + i_1, row_start * 2 + i_2, piece * 8 + lane], T.float32(0.0))
                        for row_tile in range(2):
                            y: T.int32 = T.min(row_tile * 2, 1)
                            for column_tile in range(1):
                                x: T.int32 = column_tile * 8
                                for l in T.vectorized(8):
                                    tile[0, l] = T.float32("-inf")
                                for l in T.vectorized(8):
                                    tile[1, l] = T.float32("-inf")
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(0, 16) + (x + l) * 2 + 0])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(0, 16) + (x + l) * 2 + 1])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(0, 16) + (x + l) * 2 + 2])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(1, 16) + (x + l) * 2 + 0])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(1, 16) + (x + l) * 2 + 1])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(1, 16) + (x + l) * 2 + 2])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(2, 16) + (x + l) * 2 + 0])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(2, 16) + (x + l) * 2 + 1])
                                for l in T.vectorized(8):
                                    tile[0, l] = T.max(tile[0, l], X_1[(y + 0) * 32 + T.Mul(2, 16) + (x + l) * 2 + 2])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(0, 16) + (x + l) * 2 + 0])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(0, 16) + (x + l) * 2 + 1])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(0, 16) + (x + l) * 2 + 2])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(1, 16) + (x + l) * 2 + 0])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(1, 16) + (x + l) * 2 + 1])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(1, 16) + (x + l) * 2 + 2])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(2, 16) + (x + l) * 2 + 0])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(2, 16) + (x + l) * 2 + 1])
                                for l in T.vectorized(8):
                                    tile[1, l] = T.max(tile[1, l], X_1[(y + 1) * 32 + T.Mul(2, 16) + (x + l) * 2 + 2])
                                for l in T.vectorized(8):
                                    if x + l < 5:
                                        Y[vn, vc, row_start + (y + 0), x + l] = tile[0, l]
                                for l in T.vectorized(8):
                                    if x + l < 5:
                                        Y[vn, vc, row_start + (y + 1), x + l] = tile[1, l]
