# Several channels of images of symbolic size in a tile, with a stride of two.
# test: schedule
# step: b = get_block("Y")
# step: direct_conv(b, 2, 4, 4, 1, 2)
# run: main n=2 h=3 w=6 == same
# run: main n=1 h=1 w=1 == same
# run: main n=1 h=0 w=2 == same
# run: main n=1 h=37 w=130 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((4, 2, 3), "float32"), var_Y: T.handle):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (n, h + T.int64(1), w * T.int64(2) + T.int64(1)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(4), h, w), "float32")
        for i, c, y, x, r, s in T.grid(n, T.int64(4), h, w, T.int64(2), T.int64(3)):
            with T.block("Y"):
                vi, vc, vy, vx, vr, vs = T.axis.remap("SSSSRR", [i, c, y, x, r, s])
                with T.init():
                    Y[vi, vc, vy, vx] = T.float32(0)
                Y[vi, vc, vy, vx] = Y[vi, vc, vy, vx] + X[vi, vy + vr, vx * T.int64(2) + vs] * W[vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((4, 2, 3), "float32"), var_Y: T.handle):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (n, h + T.int64(1), w * T.int64(2) + T.int64(1)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(4), h, w), "float32")
        # with T.block("root"):
        if w > T.int64(0):
            for task in T.parallel(n * ((h + T.int64(3)) // T.int64(4))):
                with T.block("Y"):
                    T.reads(X[T.int64(0):n, T.int64(0):h + T.int64(1), T.int64(0):w * T.int64(2) + T.int64(1)], W[0:4, 0:2, 0:3])
                    T.writes(Y[T.int64(0):n, T.int64(0):T.int64(4), T.int64(0):h, T.int64(0):w])
                    X_1 = T.alloc_buffer((T.int64(1320),), align=64)
                    tile = T.alloc_buffer((T.int64(4), T.int64(4)), scope="local", align=64)
                    for row_block in range(T.int64(1)):
                        row_start: T.int64 = task % ((h + T.int64(3)) // T.int64(4)) * T.int64(4)
                        row_tiles: T.int64 = (T.min(T.int64(4), h - row_start) + T.int64(1)) // T.int64(2)
                        for column_block in range((w + T.int64(127)) // T.int64(128)):
                            column_start: T.int64 = column_block * T.int64(128)
                            column_tiles: T.int64 = (T.min(T.int64(128), w - column_start) + T.int64(3)) // T.int64(4)
                            for image in range(T.int64(1)):
                                vi: T.int64 = task // ((h + T.int64(3)) // T.int64(4))
                                for i, i_1, phase, piece in T.grid(T.int64(1), row_tiles * T.int64(2) + T.int64(1), T.int64(2), column_tiles + T.int64(1)):
                                    for lane in T.vectorized(T.int64(4)):
                                        X_1[i * T.int64(1320) + i_1 * T.int64(264) + phase * T.int64(132) + piece * T.int64(4) + lane] = T.if_then_else(row_start + i_1 < h + T.int64(1) and column_start * T.int64(2) + piece * T.int64(8) + lane * T.int64(2) + phase < w * T.int64(2) + T.int64(1), X[vi + i, row_start + i_1, column_start * T.int64(2) + piece * T.int64(8) + lane * T.int64(2) + phase], T.float32(0.0))
                                for block in range(T.int64(2)):
                                    channel_start: T.int64 = T.int64(0) + block * T.int64(2)
                                    for row_tile in range(row_tiles):
                                        y: T.int64 = row_tile * T.int64(2)
                                        for column_tile in range(column_tiles):
                                            x: T.int64 = column_tile * T.int64(4)
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = T.float32(0.0)
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = T.float32(0.0)
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = T.float32(0.0)
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = T.float32(0.0)
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = tile[T.int64(2), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = tile[T.int64(1), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = tile[T.int64(3), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = tile[T.int64(2), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = tile[T.int64(1), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = tile[T.int64(3), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = tile[T.int64(2), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = tile[T.int64(1), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = tile[T.int64(3), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(0), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = tile[T.int64(2), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = tile[T.int64(1), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = tile[T.int64(3), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(0), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(0), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = tile[T.int64(2), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = tile[T.int64(1), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = tile[T.int64(3), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(1), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(1), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(2), l] = tile[T.int64(2), l] + X_1[(y + T.int64(0)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(1), l] = tile[T.int64(1), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(2)]
                                            for l in T.vectorized(T.int64(4)):
                                                tile[T.int64(3), l] = tile[T.int64(3), l] + X_1[(y + T.int64(1)) * T.int64(264) + T.Mul(T.int64(1), T.int64(264)) + T.floormod(T.int64(2), T.int64(2)) * T.int64(132) + T.floordiv(T.int64(2), T.int64(2)) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(2)]
                                            if row_start + (y + T.int64(0)) < h:
                                                for l in T.vectorized(T.int64(4)):
                                                    if column_start + (x + l) < w:
                                                        Y[vi, channel_start + T.int64(0), row_start + (y + T.int64(0)), column_start + (x + l)] = tile[T.int64(0), l]
                                            if row_start + (y + T.int64(1)) < h:
                                                for l in T.vectorized(T.int64(4)):
                                                    if column_start + (x + l) < w:
                                                        Y[vi, channel_start + T.int64(0), row_start + (y + T.int64(1)), column_start + (x + l)] = tile[T.int64(1), l]
                                            if row_start + (y + T.int64(0)) < h:
                                                for l in T.vectorized(T.int64(4)):
                                                    if column_start + (x + l) < w:
                                                        Y[vi, channel_start + T.int64(1), row_start + (y + T.int64(0)), column_start + (x + l)] = tile[T.int64(2), l]
                                            if row_start + (y + T.int64(1)) < h:
                                                for l in T.vectorized(T.int64(4)):
                                                    if column_start + (x + l) < w:
                                                        Y[vi, channel_start + T.int64(1), row_start + (y + T.int64(1)), column_start + (x + l)] = tile[T.int64(3), l]
