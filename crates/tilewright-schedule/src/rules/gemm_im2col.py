# A convolution with a border, in groups: the border is made once, then the panels of pixels are copied line by line.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 6, 7, 9), "float32"), W: T.Buffer((48, 3, 3, 3), "float32"), Y: T.Buffer((1, 48, 7, 9), "float32")):
        pad = T.alloc_buffer((1, 6, 9, 11), "float32")
        for n, c, y, x in T.grid(1, 6, 9, 11):
            with T.block("pad"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 8 and 1 <= vx and vx < 10, X[vn, vc, vy - 1, vx - 1], T.float32(0))
        for n, f, y, x, c, r, s in T.grid(1, 48, 7, 9, 3, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    Y[vn, vf, vy, vx] = T.float32(0)
                Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + pad[vn, vf // 24 * 3 + vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 6, 7, 9), "float32"), W: T.Buffer((48, 3, 3, 3), "float32"), Y: T.Buffer((1, 48, 7, 9), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        pad = T.alloc_buffer((1, 6, 9, 11))
        for n_c_y_fused in T.parallel(54):
            for x in T.vectorized(11):
                with T.block("pad"):
                    vn = T.axis.spatial(1, 0)
                    vc = T.axis.spatial(6, n_c_y_fused // 9)
                    vy = T.axis.spatial(9, n_c_y_fused % 9)
                    vx = T.axis.spatial(11, x)
                    T.reads(X[vn, vc, vy - 1, vx - 1])
                    T.writes(pad[vn, vc, vy, vx])
                    pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 8 and 1 <= vx and vx < 10, X[vn, vc, vy - 1, vx - 1], T.float32(0.0))
        for task in T.parallel(2):
            with T.block("conv"):
                T.reads(W[0:48, 0:3, 0:3, 0:3], pad[0, 0:6, 0:9, 0:11], Y[0, 0:48, 0:7, 0:9])
                T.writes(Y[0, 0:48, 0:7, 0:9])
                packed_b = T.alloc_buffer((27, 64), align=64)
                tile = T.alloc_buffer((6, 4, 16), scope="local", align=64)
                for p in range(1):
                    with T.LetStmt(p * 64 // 9) as first_row:
                        for number in range(T.min(p * 64 + 63, 62) // 9 + 1 - first_row):
                            image_row: T.int32 = first_row + number
                            from_: T.int32 = T.max(p * 64 - image_row * 9, 0)
                            piece: T.int32 = T.min(T.min(p * 64 + 64, 63) - image_row * 9, 9) - from_
                            if image_row < 7:
                                for vc, vr, vs in T.grid(3, 3, 3):
                                    for x in T.vectorized(piece):
                                        packed_b[vc * 9 + vr * 3 + vs, image_row * 9 + (from_ + x) - (0 + p) * 64] = pad[0, task * 3 + (0 + vc), image_row + (0 + vr), from_ + x + (0 + vs)]
                        if 0 - T.min(-1 - p * 64, 0) > 0:
                            for k in range(27):
                                for x in T.vectorized(0 - T.min(-1 - p * 64, 0)):
                                    packed_b[k, T.min(p * 64 + 64, 63) - (0 + p) * 64 + x] = T.float32(0.0)
                    for t in range(4):
                        for i in T.unroll(6):
                            for v in T.unroll(4):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(3, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(6):
                                    for v in T.unroll(4):
                                        for j in T.vectorized(16):
                                            tile[i, v, j] = tile[i, v, j] + W[task * 24 + (t * 6 + i), 0 + vc, 0 + vr, 0 + vs] * packed_b[vc * 9 + vr * 3 + vs, v * 16 + j]
                        for i in T.unroll(6):
                            for v in T.unroll(4):
                                for j in T.vectorized(16):
                                    if (0 + p) * 64 + (v * 16 + j) < 63:
                                        Y[0, task * 24 + (t * 6 + i), (p * 64 + v * 16 + j) // 9, (p * 64 + v * 16 + j) % 9] = tile[i, v, j]
