# The result is written over what is added to it: no element is computed twice, and the tail of the columns is masked.
# test: schedule
# step: b = get_block("sums")
# step: direct_conv(b, 3, 4, 4)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 6, 8), "float32"), W: T.Buffer((3, 3), "float32"), Y: T.Buffer((3, 4, 6), "float32")):
        sums = T.alloc_buffer((3, 4, 6), "float32")
        for c, y, x, r, s in T.grid(3, 4, 6, 3, 3):
            with T.block("sums"):
                vc, vy, vx, vr, vs = T.axis.remap("SSSRR", [c, y, x, r, s])
                with T.init():
                    sums[vc, vy, vx] = T.float32(0)
                sums[vc, vy, vx] = sums[vc, vy, vx] + X[vc, vy + vr, vx + vs] * W[vr, vs]
        for c, y, x in T.grid(3, 4, 6):
            with T.block("Y"):
                vc, vy, vx = T.axis.remap("SSS", [c, y, x])
                Y[vc, vy, vx] = Y[vc, vy, vx] + sums[vc, vy, vx]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 6, 8), "float32"), W: T.Buffer((3, 3), "float32"), Y: T.Buffer((3, 4, 6), "float32")):
        # with T.block("root"):
        for task in T.parallel(3):
            with T.block("sums"):
                T.reads(X[0:3, 0:6, 0:8], W[0:3, 0:3], Y[0:3, 0:4, 0:6])
                T.writes(Y[0:3, 0:4, 0:6])
                X_1 = T.alloc_buffer((50,), align=64)
                tile = T.alloc_buffer((2, 4), scope="local", align=64)
                for l in T.vectorized(2):
                    X_1[l + 48] = T.float32(0.0)
                for row_block in range(1):
                    row_start: T.int32 = 0
                    for image in range(1):
                        for i, i_1 in T.grid(1, 6):
                            for piece in T.unroll(2):
                                for lane in T.vectorized(4):
                                    X_1[i * 48 + i_1 * 8 + piece * 4 + lane] = X[task + i, row_start + i_1, piece * 4 + lane]
                        for row_tile in range(2):
                            y: T.int32 = row_tile * 2
                            for column_tile in range(2):
                                x: T.int32 = column_tile * 4
                                for l in T.vectorized(4):
                                    tile[0, l] = T.float32(0.0)
                                for l in T.vectorized(4):
                                    tile[1, l] = T.float32(0.0)
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(0, 8) + (x + l) + 0] * W[0, 0]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(0, 8) + (x + l) + 1] * W[0, 1]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(0, 8) + (x + l) + 2] * W[0, 2]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(1, 8) + (x + l) + 0] * W[1, 0]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(1, 8) + (x + l) + 1] * W[1, 1]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(1, 8) + (x + l) + 2] * W[1, 2]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(0, 8) + (x + l) + 0] * W[0, 0]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(0, 8) + (x + l) + 1] * W[0, 1]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(0, 8) + (x + l) + 2] * W[0, 2]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(2, 8) + (x + l) + 0] * W[2, 0]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(2, 8) + (x + l) + 1] * W[2, 1]
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X_1[(y + 0) * 8 + T.Mul(2, 8) + (x + l) + 2] * W[2, 2]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(1, 8) + (x + l) + 0] * W[1, 0]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(1, 8) + (x + l) + 1] * W[1, 1]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(1, 8) + (x + l) + 2] * W[1, 2]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(2, 8) + (x + l) + 0] * W[2, 0]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(2, 8) + (x + l) + 1] * W[2, 1]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X_1[(y + 1) * 8 + T.Mul(2, 8) + (x + l) + 2] * W[2, 2]
                                for l in T.vectorized(4):
                                    if x + l < 6:
                                        Y[task, row_start + (y + 0), x + l] = Y[task, row_start + (y + 0), x + l] + tile[0, l]
                                for l in T.vectorized(4):
                                    if x + l < 6:
                                        Y[task, row_start + (y + 1), x + l] = Y[task, row_start + (y + 1), x + l] + tile[1, l]
