# A convolution of four channels of a group: they read the padded image together, where it lies.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 4, 18, 19), "float32"), W: T.Buffer((8, 2, 3, 3), "float32"), Y: T.Buffer((1, 8, 18, 19), "float32")):
        pad = T.alloc_buffer((1, 4, 20, 21))
        sums = T.alloc_buffer((1, 8, 18, 19))
        for n, c, y, x in T.grid(1, 4, 20, 21):
            with T.block("pad"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 19 and 1 <= vx and vx < 20, X[vn, vc, vy - 1, vx - 1], T.float32(0))
        for n, f, y, x, c, r, s in T.grid(1, 8, 18, 19, 2, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    sums[vn, vf, vy, vx] = T.float32(0)
                sums[vn, vf, vy, vx] = sums[vn, vf, vy, vx] + pad[vn, vf // 4 * 2 + vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]
        for n, f, y, x in T.grid(1, 8, 18, 19):
            with T.block("relu"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                Y[vn, vf, vy, vx] = T.max(sums[vn, vf, vy, vx], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 4, 18, 19), "float32"), W: T.Buffer((8, 2, 3, 3), "float32"), Y: T.Buffer((1, 8, 18, 19), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("conv"):
                T.reads(X[0, 0:4, 0:18, 0:19], W[0:8, 0:2, 0:3, 0:3])
                T.writes(Y[0, 0:8, 0:18, 0:19])
                pad = T.alloc_buffer((1280,), align=64)
                tile = T.alloc_buffer((24, 16), scope="local", align=64)
                for row_block in range(1):
                    row_start: T.int32 = 0
                    for image in range(2):
                        vf: T.int32 = task * 8 + image * 4
                        for i, i_1, i_2 in T.grid(1, 2, 20):
                            for piece in T.unroll(2):
                                for lane in T.vectorized(16):
                                    pad[i * 1280 + i_1 * 640 + i_2 * 32 + piece * 16 + lane] = T.if_then_else(piece * 16 + lane < 21 and (1 <= row_start + i_2 and row_start + i_2 < 19 and 1 <= piece * 16 + lane and piece * 16 + lane < 20), X[0 + i, vf // 4 * 2 + i_1, row_start + i_2 - 1, piece * 16 + lane - 1], T.float32(0.0))
                        for block in range(1):
                            channel_start: T.int32 = vf
                            for row_tile in range(3):
                                y: T.int32 = row_tile * 6
                                for column_tile in range(2):
                                    x: T.int32 = T.min(column_tile * 16, 3)
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
                                        tile[16, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[17, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[18, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[19, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[20, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[21, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[22, l] = T.float32(0.0)
                                    for l in T.vectorized(16):
                                        tile[23, l] = T.float32(0.0)
                                    for vc in range(2):
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 0, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 1, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 2, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 3, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 0, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 1, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 2, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 3, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 0, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 1, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 2, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 3, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 0, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 1, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 2, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 3, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 0, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 1, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 2, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 3, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 0, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 1, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 2, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 0] * W[channel_start + 3, vc, 0, 0]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 0, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 1, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 2, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 3, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 0, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 1, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 2, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 3, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 0, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 1, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 2, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 3, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 0, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 1, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 2, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 3, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 0, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 1, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 2, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 3, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 0, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 1, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 2, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 1] * W[channel_start + 3, vc, 0, 1]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 0, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 1, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 2, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 3, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 0, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 1, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 2, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 3, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 0, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 1, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 2, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 3, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 0, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 1, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 2, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 3, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 0, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 1, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 2, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 3, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 0, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 1, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 2, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(0, 32) + (x + l) + 2] * W[channel_start + 3, vc, 0, 2]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 0, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 1, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 2, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 3, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 0, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 1, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 2, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 3, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 0, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 1, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 2, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 3, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 0, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 1, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 2, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 3, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 0, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 1, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 2, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 3, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 0, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 1, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 2, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 0] * W[channel_start + 3, vc, 1, 0]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 0, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 1, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 2, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 3, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 0, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 1, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 2, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 3, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 0, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 1, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 2, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 3, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 0, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 1, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 2, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 3, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 0, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 1, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 2, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 3, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 0, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 1, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 2, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 1] * W[channel_start + 3, vc, 1, 1]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 0, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 1, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 2, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 3, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 0, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 1, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 2, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 3, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 0, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 1, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 2, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 3, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 0, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 1, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 2, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 3, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 0, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 1, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 2, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 3, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 0, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 1, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 2, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(1, 32) + (x + l) + 2] * W[channel_start + 3, vc, 1, 2]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 0, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 1, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 2, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 3, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 0, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 1, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 2, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 3, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 0, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 1, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 2, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 3, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 0, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 1, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 2, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 3, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 0, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 1, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 2, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 3, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 0, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 1, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 2, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 0] * W[channel_start + 3, vc, 2, 0]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 0, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 1, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 2, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 3, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 0, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 1, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 2, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 3, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 0, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 1, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 2, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 3, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 0, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 1, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 2, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 3, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 0, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 1, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 2, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 3, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 0, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 1, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 2, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 1] * W[channel_start + 3, vc, 2, 1]
                                        for l in T.vectorized(16):
                                            tile[0, l] = tile[0, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 0, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[6, l] = tile[6, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 1, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[12, l] = tile[12, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 2, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[18, l] = tile[18, l] + pad[vc * 640 + (y + 0) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 3, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[1, l] = tile[1, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 0, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[7, l] = tile[7, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 1, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[13, l] = tile[13, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 2, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[19, l] = tile[19, l] + pad[vc * 640 + (y + 1) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 3, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[2, l] = tile[2, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 0, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[8, l] = tile[8, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 1, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[14, l] = tile[14, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 2, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[20, l] = tile[20, l] + pad[vc * 640 + (y + 2) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 3, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[3, l] = tile[3, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 0, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[9, l] = tile[9, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 1, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[15, l] = tile[15, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 2, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[21, l] = tile[21, l] + pad[vc * 640 + (y + 3) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 3, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[4, l] = tile[4, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 0, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[10, l] = tile[10, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 1, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[16, l] = tile[16, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 2, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[22, l] = tile[22, l] + pad[vc * 640 + (y + 4) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 3, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[5, l] = tile[5, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 0, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[11, l] = tile[11, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 1, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[17, l] = tile[17, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 2, vc, 2, 2]
                                        for l in T.vectorized(16):
                                            tile[23, l] = tile[23, l] + pad[vc * 640 + (y + 5) * 32 + T.Mul(2, 32) + (x + l) + 2] * W[channel_start + 3, vc, 2, 2]
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 0, row_start + (y + 0), x + l] = T.max(tile[0, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 0, row_start + (y + 1), x + l] = T.max(tile[1, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 0, row_start + (y + 2), x + l] = T.max(tile[2, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 0, row_start + (y + 3), x + l] = T.max(tile[3, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 0, row_start + (y + 4), x + l] = T.max(tile[4, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 0, row_start + (y + 5), x + l] = T.max(tile[5, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 1, row_start + (y + 0), x + l] = T.max(tile[6, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 1, row_start + (y + 1), x + l] = T.max(tile[7, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 1, row_start + (y + 2), x + l] = T.max(tile[8, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 1, row_start + (y + 3), x + l] = T.max(tile[9, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 1, row_start + (y + 4), x + l] = T.max(tile[10, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 1, row_start + (y + 5), x + l] = T.max(tile[11, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 2, row_start + (y + 0), x + l] = T.max(tile[12, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 2, row_start + (y + 1), x + l] = T.max(tile[13, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 2, row_start + (y + 2), x + l] = T.max(tile[14, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 2, row_start + (y + 3), x + l] = T.max(tile[15, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 2, row_start + (y + 4), x + l] = T.max(tile[16, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 2, row_start + (y + 5), x + l] = T.max(tile[17, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 3, row_start + (y + 0), x + l] = T.max(tile[18, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 3, row_start + (y + 1), x + l] = T.max(tile[19, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 3, row_start + (y + 2), x + l] = T.max(tile[20, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 3, row_start + (y + 3), x + l] = T.max(tile[21, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 3, row_start + (y + 4), x + l] = T.max(tile[22, l], T.float32(0.0))
                                    for l in T.vectorized(16):
                                        Y[0, channel_start + 3, row_start + (y + 5), x + l] = T.max(tile[23, l], T.float32(0.0))
