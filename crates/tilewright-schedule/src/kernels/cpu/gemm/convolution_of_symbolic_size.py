# The pixels of images of symbolic height and width are N: panels are packed image row by image row, and the result is
# written in its own layout.
# test: schedule
# step: b = get_block("conv")
# step: gemm(b, 2, 1, 4, 8, 4, 8, "none", "task")
# run: main n=1 h=3 w=5 == same
# run: main n=2 h=1 w=1 == same
# run: main n=1 h=0 w=4 == same
# run: main n=1 h=3 w=0 == same
# run: main n=3 h=4 w=9 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((3, 2, 2, 2), "float32"), var_Y: T.handle):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(2), h + T.int64(1), w * T.int64(2)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(3), h, w), "float32")
        for i, f, y, x, c, r, s in T.grid(n, T.int64(3), h, w, T.int64(2), T.int64(2), T.int64(2)):
            with T.block("conv"):
                vi, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [i, f, y, x, c, r, s])
                with T.init():
                    Y[vi, vf, vy, vx] = T.float32(0)
                Y[vi, vf, vy, vx] = Y[vi, vf, vy, vx] + X[vi, vc, vy + vr, vx * T.int64(2) + vs] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((3, 2, 2, 2), "float32"), var_Y: T.handle):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(2), h + T.int64(1), w * T.int64(2)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(3), h, w), "float32")
        # with T.block("root"):
        for task in T.parallel(n * ((h * w + T.int64(7)) // T.int64(8))):
            with T.block("conv"):
                T.reads(W[0:3, 0:2, 0:2, 0:2], X[T.int64(0):n, T.int64(0):T.int64(2), T.int64(0):h + T.int64(1), T.int64(0):w * T.int64(2)], Y[T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):h, T.int64(0):w])
                T.writes(Y[T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):h, T.int64(0):w])
                packed_b = T.alloc_buffer((T.int64(8), T.int64(4)), align=64)
                tile = T.alloc_buffer((T.int64(2), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(4)), scope="local", align=64)
                batch: T.int64 = task // ((h * w + T.int64(7)) // T.int64(8))
                n_block: T.int64 = task % ((h * w + T.int64(7)) // T.int64(8))
                panel_start: T.int64 = n_block * T.int64(2)
                panels: T.int64 = T.min((h * w + T.int64(3)) // T.int64(4) - panel_start, T.int64(2))
                for p in range(panels):
                    with T.LetStmt((panel_start * T.int64(4) + p * T.int64(4)) // w) as first_row:
                        for number in range((T.min(panel_start * T.int64(4) + p * T.int64(4) + T.int64(4), h * w) - T.int64(1)) // w + T.int64(1) - first_row):
                            image_row: T.int64 = first_row + number
                            from_: T.int64 = T.max(panel_start * T.int64(4) + p * T.int64(4) - image_row * w, T.int64(0))
                            piece: T.int64 = T.min(T.min(panel_start * T.int64(4) + p * T.int64(4) + T.int64(4), h * w) - w * image_row, w) - from_
                            if image_row < h:
                                for vc, vr, vs in T.grid(T.int64(2), T.int64(2), T.int64(2)):
                                    for x in T.vectorized(piece):
                                        packed_b[vc * T.int64(4) + vr * T.int64(2) + vs, image_row * w + (from_ + x) - (panel_start + p) * T.int64(4)] = X[batch, T.int64(0) + vc, image_row + (T.int64(0) + vr), (from_ + x) * T.int64(2) + (T.int64(0) + vs)]
                        if T.int64(0) - T.min(h * w - panel_start * T.int64(4) - p * T.int64(4) - T.int64(4), T.int64(0)) > T.int64(0):
                            for k in range(T.int64(8)):
                                for x in T.vectorized(T.int64(0) - T.min(h * w - panel_start * T.int64(4) - p * T.int64(4) - T.int64(4), T.int64(0))):
                                    packed_b[k, T.min(panel_start * T.int64(4) + p * T.int64(4) + T.int64(4), h * w) - (panel_start + p) * T.int64(4) + x] = T.float32(0.0)
                    for t in range(T.int64(1)):
                        for i in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(1)):
                                for j in T.vectorized(T.int64(4)):
                                    tile[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(T.int64(2), T.int64(2)):
                            for vs in T.unroll(T.int64(2)):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = tile[i, v, j] + W[t * T.int64(2) + i, T.int64(0) + vc, T.int64(0) + vr, T.int64(0) + vs] * packed_b[vc * T.int64(4) + vr * T.int64(2) + vs, v * T.int64(4) + j]
                        for i in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(1)):
                                for j in T.vectorized(T.int64(4)):
                                    if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < h * w:
                                        Y[batch, t * T.int64(2) + i, (panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j) // w, (panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j) % w] = tile[i, v, j]
                    for t in range(T.int64(1)):
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(1)):
                                for j in T.vectorized(T.int64(4)):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(T.int64(2), T.int64(2)):
                            for vs in T.unroll(T.int64(2)):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + W[t + i + T.int64(2), T.int64(0) + vc, T.int64(0) + vr, T.int64(0) + vs] * packed_b[vc * T.int64(4) + vr * T.int64(2) + vs, v * T.int64(4) + j]
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(1)):
                                for j in T.vectorized(T.int64(4)):
                                    if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < h * w:
                                        Y[batch, t + i + T.int64(2), (panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j) // w, (panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j) % w] = tile_1[i, v, j]
