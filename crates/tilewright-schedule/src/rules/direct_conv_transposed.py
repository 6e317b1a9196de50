# Phases of a transposed convolution of few channels: the stage that interleaves them stays after the windows, unchanged.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 2, 10, 10), "float32"), W: T.Buffer((2, 4, 4, 4), "float32"), Y: T.Buffer((1, 4, 16, 16), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        phases = T.alloc_buffer((1, 2, 2, 4, 8, 8))
        for n, p, q, f, y, x, c, r, s in T.grid(1, 2, 2, 4, 8, 8, 2, 2, 2):
            with T.block("phases"):
                vn, vp, vq, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSSSRRR", [n, p, q, f, y, x, c, r, s])
                with T.init():
                    phases[vn, vp, vq, vf, vy, vx] = T.float32(0)
                phases[vn, vp, vq, vf, vy, vx] = phases[vn, vp, vq, vf, vy, vx] + X[vn, vc, vy + vr + (vp + 1) // 2, vx + vs + (vq + 1) // 2] * W[vc, vf, (1 - vr) * 2 + (vp + 1) % 2, (1 - vs) * 2 + (vq + 1) % 2]
        for n, f, y, x in T.grid(1, 4, 16, 16):
            with T.block("side_by_side"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                Y[vn, vf, vy, vx] = phases[vn, vy % 2, vx % 2, vf, vy // 2, vx // 2]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 2, 10, 10), "float32"), W: T.Buffer((2, 4, 4, 4), "float32"), Y: T.Buffer((1, 4, 16, 16), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        phases = T.alloc_buffer((1, 2, 2, 4, 8, 8))
        for task in range(1):
            with T.block("phases"):
                T.reads(X[0, 0:2, 0:10, 0:10], W[0:2, 0:4, 0:4, 0:4])
                T.writes(phases[0, 0:2, 0:2, 0:4, 0:8, 0:8])
                X_1 = T.alloc_buffer((296,), align=64)
                tile = T.alloc_buffer((16, 16), scope="local", align=64)
                for l in T.vectorized(8):
                    X_1[l + 288] = T.float32(0.0)
                for row_block in range(1):
                    row_start: T.int32 = 0
                    for image in range(4):
                        vq: T.int32 = image % 2
                        vp: T.int32 = task * 2 + image // 2
                        for i, i_1, i_2 in T.grid(1, 2, 9):
                            for piece in T.unroll(1):
                                for lane in T.vectorized(16):
                                    X_1[i * 288 + i_1 * 144 + i_2 * 16 + piece * 16 + lane] = T.if_then_else((vq + 1) // 2 + piece * 16 + lane < 10, X[0 + i, i_1, (vp + 1) // 2 + row_start + i_2, (vq + 1) // 2 + piece * 16 + lane], T.float32(0.0))
                        for block in range(1):
                            channel_start: T.int32 = 0
                            for row_tile in range(2):
                                y: T.int32 = row_tile * 4
                                for column_tile in range(1):
                                    x: T.int32 = column_tile * 16
                                    for l in T.vectorized(16):
                                        tile[0, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[1, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[2, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[3, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[4, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[5, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[6, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[7, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[8, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[9, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[10, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[11, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[12, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[13, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[14, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[15, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(0, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(0, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(0, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(0, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[0, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 0) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 0) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[0, l] = tile[0, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[4, l] = tile[4, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[8, l] = tile[8, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[12, l] = tile[12, l] + X_1[T.Mul(1, 144) + (y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[1, l] = tile[1, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[5, l] = tile[5, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[9, l] = tile[9, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[13, l] = tile[13, l] + X_1[T.Mul(1, 144) + (y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[2, l] = tile[2, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[6, l] = tile[6, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[10, l] = tile[10, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[14, l] = tile[14, l] + X_1[T.Mul(1, 144) + (y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[3, l] = tile[3, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 0, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[7, l] = tile[7, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 1, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[11, l] = tile[11, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 2, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        tile[15, l] = tile[15, l] + X_1[T.Mul(1, 144) + (y + 3) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[1, channel_start + 3, T.Sub(1, 1) * 2 + (vp + 1) % 2, T.Sub(1, 1) * 2 + (vq + 1) % 2]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 0, row_start + (y + 0), x + l] = tile[0, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 0, row_start + (y + 1), x + l] = tile[1, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 0, row_start + (y + 2), x + l] = tile[2, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 0, row_start + (y + 3), x + l] = tile[3, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 1, row_start + (y + 0), x + l] = tile[4, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 1, row_start + (y + 1), x + l] = tile[5, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 1, row_start + (y + 2), x + l] = tile[6, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 1, row_start + (y + 3), x + l] = tile[7, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 2, row_start + (y + 0), x + l] = tile[8, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 2, row_start + (y + 1), x + l] = tile[9, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 2, row_start + (y + 2), x + l] = tile[10, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 2, row_start + (y + 3), x + l] = tile[11, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 3, row_start + (y + 0), x + l] = tile[12, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 3, row_start + (y + 1), x + l] = tile[13, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 3, row_start + (y + 2), x + l] = tile[14, l]
                                    for l in T.vectorized(16):
                                        if x + l < 8:
                                            phases[0, vp, vq, channel_start + 3, row_start + (y + 3), x + l] = tile[15, l]
        for n_f_y_fused in range(64):
            for x in T.vectorized(16):
                with T.block("side_by_side"):
                    vn = T.axis.spatial(1, 0)
                    vf = T.axis.spatial(4, n_f_y_fused // 16)
                    vy = T.axis.spatial(16, n_f_y_fused % 16)
                    vx = T.axis.spatial(16, x)
                    T.reads(phases[vn, vy % 2, vx % 2, vf, vy // 2, vx // 2])
                    T.writes(Y[vn, vf, vy, vx])
                    Y[vn, vf, vy, vx] = phases[vn, vy % 2, vx % 2, vf, vy // 2, vx // 2]
