# Images of symbolic height and width are computed in blocks; what their last tiles have outside of them is not stored.
# test: schedule
# step: b = get_block("sums")
# step: direct_conv(b, 2, 4, 4)
# run: main h=5 w=6 == same
# run: main h=1 w=1 == same
# run: main h=0 w=3 == same
# run: main h=3 w=0 == same
# run: main h=9 w=133 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((2, 2, 2), "float32"), B: T.Buffer((2,), "float32"), var_Y: T.handle):
        h = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (T.int64(2), h, w), "float32")
        Y = T.match_buffer(var_Y, (T.int64(2), h, w), "float32")
        padded = T.alloc_buffer((T.int64(2), h + T.int64(1), w + T.int64(1)), "float32")
        sums = T.alloc_buffer((T.int64(2), h, w), "float32")
        for c, y, x in T.grid(T.int64(2), h + T.int64(1), w + T.int64(1)):
            with T.block("padded"):
                vc, vy, vx = T.axis.remap("SSS", [c, y, x])
                padded[vc, vy, vx] = T.if_then_else(1 <= vy and 1 <= vx, X[vc, vy - 1, vx - 1], T.float32(0))
        for c, y, x, r, s in T.grid(T.int64(2), h, w, T.int64(2), T.int64(2)):
            with T.block("sums"):
                vc, vy, vx, vr, vs = T.axis.remap("SSSRR", [c, y, x, r, s])
                with T.init():
                    sums[vc, vy, vx] = T.float32(0)
                sums[vc, vy, vx] = sums[vc, vy, vx] + padded[vc, vy + vr, vx + vs] * W[vc, vr, vs]
        for c, y, x in T.grid(T.int64(2), h, w):
            with T.block("Y"):
                vc, vy, vx = T.axis.remap("SSS", [c, y, x])
                Y[vc, vy, vx] = T.max(sums[vc, vy, vx] + B[vc], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((2, 2, 2), "float32"), B: T.Buffer((2,), "float32"), var_Y: T.handle):
        h = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (T.int64(2), h, w), "float32")
        Y = T.match_buffer(var_Y, (T.int64(2), h, w), "float32")
        # with T.block("root"):
        for task in T.parallel((h + T.int64(3)) // T.int64(4) * T.int64(2)):
            with T.block("sums"):
                T.reads(X[T.int64(0):T.int64(2), T.int64(0):h, T.int64(0):w], W[0:2, 0:2, 0:2], B[0:2])
                T.writes(Y[T.int64(0):T.int64(2), T.int64(0):h, T.int64(0):w])
                padded = T.alloc_buffer((T.int64(660),), align=64)
                tile = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                for row_block in range(T.int64(1)):
                    row_start: T.int64 = task % ((h + T.int64(3)) // T.int64(4)) * T.int64(4)
                    row_tiles: T.int64 = (T.min(T.int64(4), h - row_start) + T.int64(1)) // T.int64(2)
                    for column_block in range((w + T.int64(127)) // T.int64(128)):
                        column_start: T.int64 = column_block * T.int64(128)
                        column_tiles: T.int64 = (T.min(T.int64(128), w - column_start) + T.int64(3)) // T.int64(4)
                        for image in range(T.int64(1)):
                            vc: T.int64 = task // ((h + T.int64(3)) // T.int64(4))
                            for i, i_1, piece in T.grid(T.int64(1), row_tiles * T.int64(2) + T.int64(1), column_tiles + T.int64(1)):
                                for lane in T.vectorized(T.int64(4)):
                                    padded[i * T.int64(660) + i_1 * T.int64(132) + piece * T.int64(4) + lane] = T.if_then_else(row_start + i_1 < h + T.int64(1) and column_start + piece * T.int64(4) + lane < w + T.int64(1) and (T.int64(1) <= row_start + i_1 and T.int64(1) <= column_start + piece * T.int64(4) + lane), X[vc + i, row_start + i_1 - T.int64(1), column_start + piece * T.int64(4) + lane - T.int64(1)], T.float32(0.0))
                            for row_tile in range(row_tiles):
                                y: T.int64 = row_tile * T.int64(2)
                                for column_tile in range(column_tiles):
                                    x: T.int64 = column_tile * T.int64(4)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(132) + T.Mul(T.int64(0), T.int64(132)) + (x + l) + T.int64(0)] * W[vc, T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(132) + T.Mul(T.int64(0), T.int64(132)) + (x + l) + T.int64(1)] * W[vc, T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(132) + T.Mul(T.int64(1), T.int64(132)) + (x + l) + T.int64(0)] * W[vc, T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(132) + T.Mul(T.int64(1), T.int64(132)) + (x + l) + T.int64(1)] * W[vc, T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(132) + T.Mul(T.int64(0), T.int64(132)) + (x + l) + T.int64(0)] * W[vc, T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(132) + T.Mul(T.int64(0), T.int64(132)) + (x + l) + T.int64(1)] * W[vc, T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(132) + T.Mul(T.int64(1), T.int64(132)) + (x + l) + T.int64(0)] * W[vc, T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(132) + T.Mul(T.int64(1), T.int64(132)) + (x + l) + T.int64(1)] * W[vc, T.int64(1), T.int64(1)]
                                    if row_start + (y + T.int64(0)) < h:
                                        for l in T.vectorized(T.int64(4)):
                                            if column_start + (x + l) < w:
                                                Y[vc, row_start + (y + T.int64(0)), column_start + (x + l)] = T.max(tile[T.int64(0), l] + B[vc], T.float32(0.0))
                                    if row_start + (y + T.int64(1)) < h:
                                        for l in T.vectorized(T.int64(4)):
                                            if column_start + (x + l) < w:
                                                Y[vc, row_start + (y + T.int64(1)), column_start + (x + l)] = T.max(tile[T.int64(1), l] + B[vc], T.float32(0.0))
