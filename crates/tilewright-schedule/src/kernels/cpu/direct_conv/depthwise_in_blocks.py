# A depthwise convolution in blocks of rows of which the last one recomputes some of the block before it.
# test: schedule
# step: b = get_block("sums")
# step: direct_conv(b, 2, 4, 4)
# run: main n=2 == same
# run: main n=0 == same
# run: main n=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((3, 3, 3), "float32"), B: T.Buffer((3,), "float32"), var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(3), T.int64(9), T.int64(7)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(3), T.int64(9), T.int64(7)), "float32")
        padded = T.alloc_buffer((n, T.int64(3), T.int64(11), T.int64(9)), "float32")
        sums = T.alloc_buffer((n, T.int64(3), T.int64(9), T.int64(7)), "float32")
        for i, c, y, x in T.grid(n, T.int64(3), T.int64(11), T.int64(9)):
            with T.block("padded"):
                vi, vc, vy, vx = T.axis.remap("SSSS", [i, c, y, x])
                padded[vi, vc, vy, vx] = T.if_then_else(
                    1 <= vy and vy < 10 and 1 <= vx and vx < 8, X[vi, vc, vy - 1, vx - 1], T.float32(0)
                )
        for i, c, y, x, r, s in T.grid(n, T.int64(3), T.int64(9), T.int64(7), T.int64(3), T.int64(3)):
            with T.block("sums"):
                vi, vc, vy, vx, vr, vs = T.axis.remap("SSSSRR", [i, c, y, x, r, s])
                with T.init():
                    sums[vi, vc, vy, vx] = T.float32(0)
                sums[vi, vc, vy, vx] = sums[vi, vc, vy, vx] + padded[vi, vc, vy + vr, vx + vs] * W[vc, vr, vs]
        for i, c, y, x in T.grid(n, T.int64(3), T.int64(9), T.int64(7)):
            with T.block("Y"):
                vi, vc, vy, vx = T.axis.remap("SSSS", [i, c, y, x])
                Y[vi, vc, vy, vx] = T.max(sums[vi, vc, vy, vx] + B[vc], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((3, 3, 3), "float32"), B: T.Buffer((3,), "float32"), var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(3), T.int64(9), T.int64(7)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(3), T.int64(9), T.int64(7)), "float32")
        # with T.block("root"):
        for task in T.parallel(n * T.int64(3)):
            with T.block("sums"):
                T.reads(X[T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):T.int64(9), T.int64(0):T.int64(7)], W[0:3, 0:3, 0:3], B[0:3])
                T.writes(Y[T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):T.int64(9), T.int64(0):T.int64(7)])
                padded = T.alloc_buffer((T.int64(72),), align=64)
                tile = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                for row_block in range(T.int64(3)):
                    row_start: T.int64 = T.min(row_block * T.int64(4), T.int64(5))
                    for image in range(T.int64(1)):
                        vc: T.int64 = task % T.int64(3)
                        vi: T.int64 = task // T.int64(3)
                        for i, i_1, i_2 in T.grid(T.int64(1), T.int64(1), T.int64(6)):
                            for piece in T.unroll(T.int64(3)):
                                for lane in T.vectorized(T.int64(4)):
                                    padded[i * T.int64(72) + i_1 * T.int64(72) + i_2 * T.int64(12) + piece * T.int64(4) + lane] = T.if_then_else(piece * T.int64(4) + lane < T.int64(9) and (T.int64(1) <= row_start + i_2 and row_start + i_2 < T.int64(10) and T.int64(1) <= piece * T.int64(4) + lane and piece * T.int64(4) + lane < T.int64(8)), X[vi + i, vc + i_1, row_start + i_2 - T.int64(1), piece * T.int64(4) + lane - T.int64(1)], T.float32(0.0))
                        for row_tile in range(T.int64(2)):
                            y: T.int64 = row_tile * T.int64(2)
                            for column_tile in range(T.int64(2)):
                                x: T.int64 = T.min(column_tile * T.int64(4), T.int64(3))
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = T.float32(0.0)
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = T.float32(0.0)
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(0), T.int64(12)) + (x + l) + T.int64(0)] * W[vc, T.int64(0), T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(0), T.int64(12)) + (x + l) + T.int64(1)] * W[vc, T.int64(0), T.int64(1)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(0), T.int64(12)) + (x + l) + T.int64(2)] * W[vc, T.int64(0), T.int64(2)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(1), T.int64(12)) + (x + l) + T.int64(0)] * W[vc, T.int64(1), T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(1), T.int64(12)) + (x + l) + T.int64(1)] * W[vc, T.int64(1), T.int64(1)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(1), T.int64(12)) + (x + l) + T.int64(2)] * W[vc, T.int64(1), T.int64(2)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(0), T.int64(12)) + (x + l) + T.int64(0)] * W[vc, T.int64(0), T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(0), T.int64(12)) + (x + l) + T.int64(1)] * W[vc, T.int64(0), T.int64(1)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(0), T.int64(12)) + (x + l) + T.int64(2)] * W[vc, T.int64(0), T.int64(2)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(2), T.int64(12)) + (x + l) + T.int64(0)] * W[vc, T.int64(2), T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(2), T.int64(12)) + (x + l) + T.int64(1)] * W[vc, T.int64(2), T.int64(1)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(0), l] = tile[T.int64(0), l] + padded[(y + T.int64(0)) * T.int64(12) + T.Mul(T.int64(2), T.int64(12)) + (x + l) + T.int64(2)] * W[vc, T.int64(2), T.int64(2)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(1), T.int64(12)) + (x + l) + T.int64(0)] * W[vc, T.int64(1), T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(1), T.int64(12)) + (x + l) + T.int64(1)] * W[vc, T.int64(1), T.int64(1)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(1), T.int64(12)) + (x + l) + T.int64(2)] * W[vc, T.int64(1), T.int64(2)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(2), T.int64(12)) + (x + l) + T.int64(0)] * W[vc, T.int64(2), T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(2), T.int64(12)) + (x + l) + T.int64(1)] * W[vc, T.int64(2), T.int64(1)]
                                for l in T.vectorized(T.int64(4)):
                                    tile[T.int64(1), l] = tile[T.int64(1), l] + padded[(y + T.int64(1)) * T.int64(12) + T.Mul(T.int64(2), T.int64(12)) + (x + l) + T.int64(2)] * W[vc, T.int64(2), T.int64(2)]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, vc, row_start + (y + T.int64(0)), x + l] = T.max(tile[T.int64(0), l] + B[vc], T.float32(0.0))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, vc, row_start + (y + T.int64(1)), x + l] = T.max(tile[T.int64(1), l] + B[vc], T.float32(0.0))
