# Each channel is convolved by itself: its padded image and its sums are those of a task; then the results are clipped.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(
        X: T.Buffer((2, 3, 9, 11), "float32"), W: T.Buffer((3, 3, 3), "float32"), Y: T.Buffer((2, 3, 9, 11), "float32")
    ):
        padded = T.alloc_buffer((2, 3, 11, 13), "float32")
        sums = T.alloc_buffer((2, 3, 9, 11), "float32")
        for n, c, y, x in T.grid(2, 3, 11, 13):
            with T.block("padded"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                padded[vn, vc, vy, vx] = T.if_then_else(
                    1 <= vy and vy < 10 and 1 <= vx and vx < 12, X[vn, vc, vy - 1, vx - 1], T.float32(0)
                )
        for n, c, y, x, r, s in T.grid(2, 3, 9, 11, 3, 3):
            with T.block("sums"):
                vn, vc, vy, vx, vr, vs = T.axis.remap("SSSSRR", [n, c, y, x, r, s])
                with T.init():
                    sums[vn, vc, vy, vx] = T.float32(0)
                sums[vn, vc, vy, vx] = sums[vn, vc, vy, vx] + padded[vn, vc, vy + vr, vx + vs] * W[vc, vr, vs]
        for n, c, y, x in T.grid(2, 3, 9, 11):
            with T.block("clipped"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                Y[vn, vc, vy, vx] = T.min(T.max(sums[vn, vc, vy, vx], T.float32(0)), T.float32(6))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 3, 9, 11), "float32"), W: T.Buffer((3, 3, 3), "float32"), Y: T.Buffer((2, 3, 9, 11), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("sums"):
                T.reads(X[0:2, 0:3, 0:9, 0:11], W[0:3, 0:3, 0:3])
                T.writes(Y[0:2, 0:3, 0:9, 0:11])
                padded = T.alloc_buffer((176,), align=64)
                tile = T.alloc_buffer((3, 8), scope="local", align=64)
                for row_block in range(1):
                    row_start: T.int32 = 0
                    for image in range(6):
                        vc: T.int32 = image % 3
                        vn: T.int32 = task * 2 + image // 3
                        for i, i_1, i_2 in T.grid(1, 1, 11):
                            for piece in T.unroll(2):
                                for lane in T.vectorized(8):
                                    padded[i * 176 + i_1 * 176 + i_2 * 16 + piece * 8 + lane] = T.if_then_else(piece * 8 + lane < 13 and (1 <= row_start + i_2 and row_start + i_2 < 10 and 1 <= piece * 8 + lane and piece * 8 + lane < 12), X[vn + i, vc + i_1, row_start + i_2 - 1, piece * 8 + lane - 1], T.float32(0.0))
                        for row_tile in range(3):
                            y: T.int32 = row_tile * 3
                            for column_tile in range(2):
                                x: T.int32 = T.min(column_tile * 8, 3)
                                for l in T.vectorized(8):
                                    tile[0, l] = T.float32(0.0)
                                for l in T.vectorized(8):
                                    tile[1, l] = T.float32(0.0)
                                for l in T.vectorized(8):
                                    tile[2, l] = T.float32(0.0)
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[vc, 0, 0]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[vc, 0, 1]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(0, 16) + (x + l) + 2] * W[vc, 0, 2]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[vc, 1, 0]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[vc, 1, 1]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(1, 16) + (x + l) + 2] * W[vc, 1, 2]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[vc, 0, 0]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[vc, 0, 1]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(0, 16) + (x + l) + 2] * W[vc, 0, 2]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(2, 16) + (x + l) + 0] * W[vc, 2, 0]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(2, 16) + (x + l) + 1] * W[vc, 2, 1]
                                for l in T.vectorized(8):
                                    tile[0, l] = tile[0, l] + padded[(y + 0) * 16 + T.Mul(2, 16) + (x + l) + 2] * W[vc, 2, 2]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[vc, 1, 0]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[vc, 1, 1]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(1, 16) + (x + l) + 2] * W[vc, 1, 2]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(0, 16) + (x + l) + 0] * W[vc, 0, 0]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(0, 16) + (x + l) + 1] * W[vc, 0, 1]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(0, 16) + (x + l) + 2] * W[vc, 0, 2]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(2, 16) + (x + l) + 0] * W[vc, 2, 0]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(2, 16) + (x + l) + 1] * W[vc, 2, 1]
                                for l in T.vectorized(8):
                                    tile[1, l] = tile[1, l] + padded[(y + 1) * 16 + T.Mul(2, 16) + (x + l) + 2] * W[vc, 2, 2]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(1, 16) + (x + l) + 0] * W[vc, 1, 0]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(1, 16) + (x + l) + 1] * W[vc, 1, 1]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(1, 16) + (x + l) + 2] * W[vc, 1, 2]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(2, 16) + (x + l) + 0] * W[vc, 2, 0]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(2, 16) + (x + l) + 1] * W[vc, 2, 1]
                                for l in T.vectorized(8):
                                    tile[2, l] = tile[2, l] + padded[(y + 2) * 16 + T.Mul(2, 16) + (x + l) + 2] * W[vc, 2, 2]
                                for l in T.vectorized(8):
                                    Y[vn, vc, row_start + (y + 0), x + l] = T.min(T.max(tile[0, l], T.float32(0.0)), T.float32(6.0))
                                for l in T.vectorized(8):
                                    Y[vn, vc, row_start + (y + 1), x + l] = T.min(T.max(tile[1, l], T.float32(0.0)), T.float32(6.0))
                                for l in T.vectorized(8):
                                    Y[vn, vc, row_start + (y + 2), x + l] = T.min(T.max(tile[2, l], T.float32(0.0)), T.float32(6.0))
