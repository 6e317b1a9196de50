# Two channels at once of the four that read the same images; the columns of a padded row are copied by their phase, modulo
# the stride of three.
# test: schedule
# step: b = get_block("sums")
# step: direct_conv(b, 2, 4, 3, 1, 2)
# run: main n=2 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((8, 3, 2, 4), "float32"), B: T.Buffer((8,), "float32"), var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(6), T.int64(7), T.int64(17)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(8), T.int64(5), T.int64(5)), "float32")
        padded = T.alloc_buffer((n, T.int64(6), T.int64(8), T.int64(19)), "float32")
        sums = T.alloc_buffer((n, T.int64(8), T.int64(5), T.int64(5)), "float32")
        for i, c, y, x in T.grid(n, T.int64(6), T.int64(8), T.int64(19)):
            with T.block("padded"):
                vi, vc, vy, vx = T.axis.remap("SSSS", [i, c, y, x])
                padded[vi, vc, vy, vx] = T.if_then_else(
                    1 <= vy and 1 <= vx and vx < 18, X[vi, vc, vy - 1, vx - 1], T.float32(0)
                )
        for i, f, y, x, c, r, s in T.grid(n, T.int64(8), T.int64(5), T.int64(5), T.int64(3), T.int64(2), T.int64(4)):
            with T.block("sums"):
                vi, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [i, f, y, x, c, r, s])
                with T.init():
                    sums[vi, vf, vy, vx] = T.float32(0)
                sums[vi, vf, vy, vx] = (
                    sums[vi, vf, vy, vx] + padded[vi, vf // 4 * 3 + vc, vy + vr * 3, vx * 3 + vs * 2] * W[vf, vc, vr, vs]
                )
        for i, c, y, x in T.grid(n, T.int64(8), T.int64(5), T.int64(5)):
            with T.block("Y"):
                vi, vc, vy, vx = T.axis.remap("SSSS", [i, c, y, x])
                Y[vi, vc, vy, vx] = T.max(sums[vi, vc, vy, vx] + B[vc], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((8, 3, 2, 4), "float32"), B: T.Buffer((8,), "float32"), var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(6), T.int64(7), T.int64(17)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(8), T.int64(5), T.int64(5)), "float32")
        # with T.block("root"):
        for task in T.parallel(n * T.int64(2)):
            with T.block("sums"):
                T.reads(X[T.int64(0):n, T.int64(0):T.int64(6), T.int64(0):T.int64(7), T.int64(0):T.int64(17)], W[0:8, 0:3, 0:2, 0:4], B[0:8])
                T.writes(Y[T.int64(0):n, T.int64(0):T.int64(8), T.int64(0):T.int64(5), T.int64(0):T.int64(5)])
                padded = T.alloc_buffer((T.int64(432),), align=64)
                tile = T.alloc_buffer((T.int64(4), T.int64(4)), scope="local", align=64)
                for row_block in range(T.int64(2)):
                    row_start: T.int64 = T.min(row_block * T.int64(3), T.int64(2))
                    for image in range(T.int64(1)):
                        vf: T.int64 = task % T.int64(2) * T.int64(4)
                        vi: T.int64 = task // T.int64(2)
                        for i, i_1, i_2 in T.grid(T.int64(1), T.int64(3), T.int64(6)):
                            for phase in T.unroll(T.int64(3)):
                                for piece in T.unroll(T.int64(2)):
                                    for lane in T.vectorized(T.int64(4)):
                                        padded[i * T.int64(432) + i_1 * T.int64(144) + i_2 * T.int64(24) + phase * T.int64(8) + piece * T.int64(4) + lane] = T.if_then_else(piece * T.int64(12) + lane * T.int64(3) + phase < T.int64(19) and (T.int64(1) <= row_start + i_2 and T.int64(1) <= piece * T.int64(12) + lane * T.int64(3) + phase and piece * T.int64(12) + lane * T.int64(3) + phase < T.int64(18)), X[vi + i, vf // T.int64(4) * T.int64(3) + i_1, row_start + i_2 - T.int64(1), piece * T.int64(12) + lane * T.int64(3) + phase - T.int64(1)], T.float32(0.0))
                        for block in range(T.int64(2)):
                            channel_start: T.int64 = vf + block * T.int64(2)
                            for row_tile in range(T.int64(2)):
                                y: T.int64 = T.min(row_tile * T.int64(2), T.int64(1))
                                for column_tile in range(T.int64(2)):
                                    x: T.int64 = T.min(column_tile * T.int64(4), T.int64(1))
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(0), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(0), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(0), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(1), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(1), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(1), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(0), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(0), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(0), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(0), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(1), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(1), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(1)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(2), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(2), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(2)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(2), l] = tile[T.int64(2), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(0)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(1), l] = tile[T.int64(1), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(0), T.int64(2), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        tile[T.int64(3), l] = tile[T.int64(3), l] + padded[T.Mul(T.int64(2), T.int64(144)) + (y + T.int64(1)) * T.int64(24) + T.Mul(T.int64(1), T.int64(72)) + T.Mul(T.int64(3), T.int64(2)) % T.int64(3) * T.int64(8) + T.Mul(T.int64(3), T.int64(2)) // T.int64(3) + (x + l)] * W[channel_start + T.int64(1), T.int64(2), T.int64(1), T.int64(3)]
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, channel_start + T.int64(0), row_start + (y + T.int64(0)), x + l] = T.max(tile[T.int64(0), l] + B[channel_start + T.int64(0)], T.float32(0.0))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, channel_start + T.int64(0), row_start + (y + T.int64(1)), x + l] = T.max(tile[T.int64(1), l] + B[channel_start + T.int64(0)], T.float32(0.0))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, channel_start + T.int64(1), row_start + (y + T.int64(0)), x + l] = T.max(tile[T.int64(2), l] + B[channel_start + T.int64(1)], T.float32(0.0))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, channel_start + T.int64(1), row_start + (y + T.int64(1)), x + l] = T.max(tile[T.int64(3), l] + B[channel_start + T.int64(1)], T.float32(0.0))
