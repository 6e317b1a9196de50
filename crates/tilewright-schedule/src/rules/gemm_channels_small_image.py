# Many channels on a small image: pixels are read in place, with loops over the window, and results are transposed after that.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 5, 5, 5), "float32"), W: T.Buffer((32, 5, 3, 3), "float32"), Z: T.Buffer((1, 32, 5, 5), "float32"), Y: T.Buffer((1, 32, 5, 5), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        pad = T.alloc_buffer((1, 5, 7, 7))
        sums = T.alloc_buffer((1, 32, 5, 5))
        for n, c, y, x in T.grid(1, 5, 7, 7):
            with T.block("pad"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 6 and 1 <= vx and vx < 6, X[vn, vc, vy - 1, vx - 1], T.float32(0))
        for n, f, y, x, c, r, s in T.grid(1, 32, 5, 5, 5, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    sums[vn, vf, vy, vx] = T.float32(0)
                sums[vn, vf, vy, vx] = sums[vn, vf, vy, vx] + pad[vn, vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]
        for n, f, y, x in T.grid(1, 32, 5, 5):
            with T.block("add"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                Y[vn, vf, vy, vx] = T.max(sums[vn, vf, vy, vx] + Z[vn, vf, vy, vx], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 5, 5, 5), "float32"), W: T.Buffer((32, 5, 3, 3), "float32"), Z: T.Buffer((1, 32, 5, 5), "float32"), Y: T.Buffer((1, 32, 5, 5), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        pad = T.alloc_buffer((1, 5, 7, 7))
        sums = T.alloc_buffer((1, 5, 5, 32))
        packed_b = T.alloc_buffer((1, 45, 32), align=64)
        for n_c_y_fused in T.parallel(35):
            for x in T.vectorized(7):
                with T.block("pad"):
                    vn = T.axis.spatial(1, 0)
                    vc = T.axis.spatial(5, n_c_y_fused // 7)
                    vy = T.axis.spatial(7, n_c_y_fused % 7)
                    vx = T.axis.spatial(7, x)
                    T.reads(X[vn, vc, vy - 1, vx - 1])
                    T.writes(pad[vn, vc, vy, vx])
                    pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 6 and 1 <= vx and vx < 6, X[vn, vc, vy - 1, vx - 1], T.float32(0.0))
        for panel in T.parallel(1):
            for k in range(45):
                for j in T.vectorized(32):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[panel_1 * 32 + j_1, k_1 // 9, k_1 // 3 % 3, k_1 % 3])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = W[panel_1 * 32 + j_1, k_1 // 9, k_1 // 3 % 3, k_1 % 3]
        for task in T.parallel(2):
            with T.block("conv"):
                T.reads(pad[0, 0:5, 0:7, 0:7], packed_b[0, 0:45, 0:32], sums[0, 0:5, 0:5, 0:32])
                T.writes(sums[0, 0:5, 0:5, 0:32])
                tile = T.alloc_buffer((13, 2, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((8, 2, 16), scope="local", align=64)
                tile_2 = T.alloc_buffer((4, 2, 16), scope="local", align=64)
                tile_3 = T.alloc_buffer((2, 2, 16), scope="local", align=64)
                tile_4 = T.alloc_buffer((1, 2, 16), scope="local", align=64)
                m_start: T.int32 = task * 13
                m_count: T.int32 = T.min(25 - m_start, 13)
                for p in range(1):
                    for t in range(m_count // 13):
                        if t * 13 + 13 <= m_count:
                            for i in T.unroll(13):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = T.float32(0.0)
                            for vc, vr in T.grid(5, 3):
                                for vs in T.unroll(3):
                                    for i in T.unroll(13):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(16):
                                                tile[i, v, j] = tile[i, v, j] + pad[0, 0 + vc, (m_start + t * 13 + i) // 5 + (0 + vr), (m_start + t * 13 + i) % 5 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                            for i in T.unroll(13):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        sums[0, (m_start + t * 13 + i) // 5, (m_start + t * 13 + i) % 5, p * 32 + v * 16 + j] = tile[i, v, j]
                    if m_count % 13 >= 8 and (m_count // 13 * 13 + T.Mul(0, 16) + 8 <= 13 and m_start + (m_count // 13 * 13 + T.Mul(0, 16) + 8) <= 25):
                        for i in T.unroll(8):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(5, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(8):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_1[i, v, j] = tile_1[i, v, j] + pad[0, 0 + vc, (m_start + m_count // 13 * 13 + i) // 5 + (0 + vr), (m_start + m_count // 13 * 13 + i) % 5 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(8):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    sums[0, (m_start + m_count // 13 * 13 + i) // 5, (m_start + m_count // 13 * 13 + i) % 5, p * 32 + v * 16 + j] = tile_1[i, v, j]
                    if m_count % 13 % 8 >= 4 and (m_count // 13 * 13 + m_count % 13 // 8 * 8 + 4 <= 13 and m_start + (m_count // 13 * 13 + m_count % 13 // 8 * 8 + 4) <= 25):
                        for i in T.unroll(4):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_2[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(5, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(4):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_2[i, v, j] = tile_2[i, v, j] + pad[0, 0 + vc, (m_start + m_count // 13 * 13 + m_count % 13 // 8 * 8 + i) // 5 + (0 + vr), (m_start + m_count // 13 * 13 + m_count % 13 // 8 * 8 + i) % 5 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    sums[0, (m_start + m_count // 13 * 13 + m_count % 13 // 8 * 8 + i) // 5, (m_start + m_count // 13 * 13 + m_count % 13 // 8 * 8 + i) % 5, p * 32 + v * 16 + j] = tile_2[i, v, j]
                    if m_count % 13 % 4 >= 2 and (m_count // 13 * 13 + m_count % 13 // 4 * 4 + 2 <= 13 and m_start + (m_count // 13 * 13 + m_count % 13 // 4 * 4 + 2) <= 25):
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_3[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(5, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_3[i, v, j] = tile_3[i, v, j] + pad[0, 0 + vc, (m_start + m_count // 13 * 13 + m_count % 13 // 4 * 4 + i) // 5 + (0 + vr), (m_start + m_count // 13 * 13 + m_count % 13 // 4 * 4 + i) % 5 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    sums[0, (m_start + m_count // 13 * 13 + m_count % 13 // 4 * 4 + i) // 5, (m_start + m_count // 13 * 13 + m_count % 13 // 4 * 4 + i) % 5, p * 32 + v * 16 + j] = tile_3[i, v, j]
                    if m_count % 13 % 2 >= 1 and (m_count // 13 * 13 + m_count % 13 // 2 * 2 + 1 <= 13 and m_start + (m_count // 13 * 13 + m_count % 13 // 2 * 2 + 1) <= 25):
                        for i in T.unroll(1):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_4[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(5, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(1):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_4[i, v, j] = tile_4[i, v, j] + pad[0, 0 + vc, (m_start + m_count // 13 * 13 + m_count % 13 // 2 * 2 + i) // 5 + (0 + vr), (m_start + m_count // 13 * 13 + m_count % 13 // 2 * 2 + i) % 5 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(1):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    sums[0, (m_start + m_count // 13 * 13 + m_count % 13 // 2 * 2 + i) // 5, (m_start + m_count // 13 * 13 + m_count % 13 // 2 * 2 + i) % 5, p * 32 + v * 16 + j] = tile_4[i, v, j]
        for n, f_0, y_x_fused_0, y_x_fused_1, f_1 in T.grid(1, 1, 1, 2, 32):
            for y_x_fused_2 in T.vectorized(16):
                with T.block("add"):
                    vn = T.axis.spatial(1, n)
                    vf = T.axis.spatial(32, f_0 * 32 + f_1)
                    vy = T.axis.spatial(5, (y_x_fused_0 * 32 + y_x_fused_1 * 16 + y_x_fused_2) // 5)
                    vx = T.axis.spatial(5, (y_x_fused_0 * 32 + y_x_fused_1 * 16 + y_x_fused_2) % 5)
                    T.where((y_x_fused_0 * 2 + y_x_fused_1) * 16 + y_x_fused_2 < 25)
                    T.reads(sums[0, vy, vx, vf], Z[vn, vf, vy, vx])
                    T.writes(Y[vn, vf, vy, vx])
                    Y[vn, vf, vy, vx] = T.max(sums[0, vy, vx, vf] + Z[vn, vf, vy, vx], T.float32(0.0))
